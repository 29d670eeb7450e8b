"""Statements, each a claim over a domain from a place in a source, and the notes that they belong to."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import sympy

from rftheory.errors import InvalidInput, UnknownName
from rftheory.exact.typeset import typeset
from rftheory.index import SOURCES, names
from rftheory.judge.verdict import Decision
from rftheory.statement.domain import Domain
from rftheory.statement.load import Unread
from rftheory.statement.words import Claim, claimed, substituted


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement to be judged.

    Attributes
    ----------
    id : ``note.label``.
    source : the place that it comes from.
    claim : what it says.
    domain : the values for which it says so.
    prints : the words of the source, verbatim.
    expect : the recorded verdict, if any.
    proof : a derivation, or its id, whose conclusion is the statement.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, d, exp, orthogonal, v
    >>> claim = conformity(orthogonal) < exp(v**2)
    >>> print(Statement("note.strict", "eq. (1)", claim, Domain.of(claim, (v > 0,))))
    conformity(orthogonal) < exp(v**2) for d >= 2, v > 0
    """

    id: str
    source: str
    claim: Claim
    domain: Domain
    prints: str = ""
    expect: str = ""
    proof: Any = None

    @property
    def parts(self) -> tuple[sympy.Basic, ...]:
        """The relations, in the free variables."""
        return tuple(substituted(part, self.domain.fixed) for part in self.claim.parts)

    def __str__(self) -> str:
        return f"{self.claim} for {self.domain}"

    @property
    def latex(self) -> str:
        """The statement as LaTeX, generated from the object."""
        return r" \;\wedge\; ".join(typeset(part) for part in self.claim.parts)

    def says(self, *parts: sympy.Basic, domain: Domain | None = None) -> Statement:
        """The same statement with other relations, or over another domain, without its proof."""
        return replace(self, claim=Claim(parts or self.parts), domain=domain or self.domain, proof=None)


@dataclass
class Note:
    """A file of statements.

    Attributes
    ----------
    name, title, year, source : what it is, as `note` was told.
    statements : those that were read, in the order of the file.
    unread : what was left out of the file because it raised an error.

    Examples
    --------
    >>> Note("mine", "My note").statements
    []
    """

    name: str
    title: str = ""
    year: int | None = None
    source: str = ""
    statements: list[Statement] = field(default_factory=list)
    unread: tuple[Unread, ...] = ()

    @property
    def heading(self) -> str:
        """The title with the year, or the name of a note that has no title.

        Examples
        --------
        >>> Note("mine", "My note", 2026).heading, Note("mine").heading
        ('My note (2026)', 'mine')
        """
        return (self.title or self.name) + (f" ({self.year})" if self.year else "")

    def select(self, identifier: str | None) -> list[Statement]:
        """All statements, or the one with that id, given with or without the name of the note.

        Raises
        ------
        UnknownName : there is no such statement.
        InvalidInput : there is none at all.
        """
        if not self.statements and not self.unread:
            raise InvalidInput(
                self.name, needs="a statement", got="none", hint="write one with statement(...)"
            )
        if identifier is None:
            return list(self.statements)
        for statement in self.statements:
            if identifier in (statement.id, statement.id.removeprefix(f"{self.name}.")):
                return [statement]
        known, hint = [s.id for s in self.statements], "; ".join(map(str, self.unread))
        raise UnknownName(f"statement of {self.name}", identifier, known, hint=hint)


_NOTES: dict[str, Note] = {}
"""The notes, by the name of their module."""


def note(name: str, title: str = "", year: int | None = None, source: str = "") -> Note:
    """Begin a note, to which the statements of the file belong.

    Examples
    --------
    >>> note("example", title="An example").name
    'example'
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise InvalidInput("note", needs="a name of letters, digits and underscores", got=name)
    _NOTES[_caller()] = found = Note(name, title, year, source)
    return found


def statement(
    label: str, source: str, claim: object, over: Iterable[object] = (), *, prints: str = "",
    expect: str = "", proof: Any = None,
) -> Statement:  # fmt: skip
    """State something, to be searched for counterexamples, proved if possible, and judged.

    Parameters
    ----------
    label : its id is ``note.label``.
    source : the place that it comes from.
    claim : relations between expressions, joined by ``&``.
    over : conditions on the variables; without any, all values for which the claim makes sense.
    prints : the words of the source, verbatim.
    expect : the recorded verdict: ``holds``, ``fails`` for a refutation, ``undecided``; nothing for a new statement.
    proof : a derivation, or its id, whose conclusion is the statement.

    Raises
    ------
    InvalidInput : the label is taken, also by a statement of the catalogue, there is no claim, the domain has no
        points, or the file has no ``note(...)``.

    Examples
    --------
    >>> from rftheory.statement.words import mean, gaussian, positive, simplex
    >>> mine = note("another_example")
    >>> statement("mean", "eq. (1)", mean(positive(simplex)) == gaussian).id
    'another_example.mean'
    """
    home = _NOTES.get(_caller())
    if home is None:
        raise InvalidInput("statement", needs='a file that begins with note("name")', got=label)
    identifier = f"{home.name}.{label}"
    if not isinstance(label, str) or not label or any(s.id == identifier for s in home.statements):
        raise InvalidInput("statement", needs="a label of its own", got=label)
    if home.name in SOURCES and identifier in names("statements"):
        hint = "it is one of the catalogue, which has its own verdict; call the note otherwise"
        raise InvalidInput("statement", needs="a name of its own", got=identifier, hint=hint)
    if expect and expect not in list(Decision):
        raise InvalidInput(identifier, needs="expect = " + ", ".join(Decision), got=expect)
    try:
        said = claimed(claim)
        domain = Domain.of(said, over)
    except InvalidInput as problem:
        subject = f"{identifier}: {problem.subject}"
        raise InvalidInput(subject, needs=problem.needs, got=problem.got, hint=problem.hint) from problem
    found = Statement(identifier, source, said, domain, prints, str(expect), proof)
    home.statements.append(found)
    return found


def is_note(module: ModuleType) -> bool:
    """Whether a module began a note.

    Examples
    --------
    >>> is_note(sympy)
    False
    """
    return module.__name__ in _NOTES


def note_of(module: ModuleType) -> Note:
    """The note in a module.

    Raises
    ------
    InvalidInput : the module is not a note.

    Examples
    --------
    >>> note_of(sympy)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: sympy: needs note("name") and statements, got 'no note'
    """
    if not is_note(module):
        raise InvalidInput(module.__name__, needs='note("name") and statements', got="no note")
    return _NOTES[module.__name__]


def _caller() -> str:
    return str(sys._getframe(2).f_globals.get("__name__", ""))
