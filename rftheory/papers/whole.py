"""Importing this module reads the claims of all papers."""

from __future__ import annotations

from rftheory.papers.catalogue import CATALOGUE

CLAIMS = tuple(CATALOGUE.claims.values())
