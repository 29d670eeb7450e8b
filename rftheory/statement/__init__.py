"""Statements: relations between laws of mechanisms over a domain, and what judges them.

The language is :mod:`rftheory.statement.words`; a note writes it through :mod:`rftheory.author`.
"""

from rftheory.statement.statement import Note, Statement, note, statement
from rftheory.statement.words import Claim, Mechanism, Side

__all__ = ["Claim", "Mechanism", "Note", "Side", "Statement", "note", "statement"]
