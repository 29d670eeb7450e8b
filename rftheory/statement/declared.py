"""Names in expressions, each with what it stands for.

A name may be declared anew, as by a cell of a notebook that is run again. What was written before is then another
expression, for every cache and every comparison, and is refused where it is judged: it never takes the new meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import sympy
from sympy.core.symbol import Str

from rftheory.errors import InvalidInput, RFTheoryError
from rftheory.spec import find_coupling, find_map


def _formula(name: str) -> Any:
    from rftheory.exact import find_formula

    return find_formula(name)


def _event(name: str) -> Any:
    from rftheory.exact.events import find_event

    return find_event(name)


FINDERS: dict[str, Callable[[str], Any]] = {
    "coupling": find_coupling, "feature map": find_map, "formula": _formula, "event": _event,
}  # fmt: skip
"""For each kind of thing: what finds it by its name."""
_AGAIN = "if a cell was run again, run the cells after it too"
_HINTS = {
    kind: f'declare it with {word}("a name of its own", ...); {_AGAIN}'
    for kind, word in (("coupling", "coupling"), ("feature map", "feature_map"))
}


class Declared(Str):
    """A name with the declaration that it stands for: printed by the name, the same only if the declaration is.

    It is pickled by its name, and stands for what is declared where it is read.

    Examples
    --------
    >>> name = Declared.of("coupling", "ORF")
    >>> name, name.meant is find_coupling("orthogonal"), name == Declared.of("coupling", name.meant)
    (orthogonal, True, True)
    """

    __slots__ = ("kind", "thing")
    name: str

    def __new__(cls, kind: str, name: str, thing: Any) -> Declared:
        made: Declared = super().__new__(cls, name)
        made.kind, made.thing = kind, thing
        return made

    @classmethod
    def of(cls, kind: str, given: Any) -> Declared:
        """The name of a declaration, which is given itself or by a name.

        Raises
        ------
        UnknownName : nothing has the name.
        InvalidInput : another declaration than the given one has its name.

        Examples
        --------
        >>> from dataclasses import replace
        >>> Declared.of("coupling", replace(find_coupling("orthogonal"), norms="fixed"))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        rftheory.errors.InvalidInput: coupling 'orthogonal': needs the object that is declared under this name, got ...
        """
        if isinstance(given, Declared):
            return given
        if isinstance(given, str | Str):
            word = str(given)
            thing = FINDERS[kind](word)
            return cls(kind, getattr(thing, "name", word), thing)
        return cls(kind, given.name, _current(kind, given.name, given))

    @property
    def meant(self) -> Any:
        """The declaration, which must not have been replaced since."""
        return _current(self.kind, self.name, self.thing)

    def _hashable_content(self) -> tuple[Any, ...]:
        return self.name, self.kind, id(self.thing)  # which no other thing has while this expression lives

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        _current(self.kind, self.name, self.thing)
        return Declared.of, (self.kind, self.name)


def _current(kind: str, name: str, thing: Any) -> Any:
    """The declaration if it is the one that the name stands for."""
    try:
        known = FINDERS[kind](name)
    except (RFTheoryError, LookupError):
        known = None
    if known is not thing and known != thing:
        needs = "the object that is declared under this name"
        got = "another one, or one from before the name was declared anew"
        raise InvalidInput(f"{kind} {name!r}", needs=needs, got=got, hint=_HINTS.get(kind, _AGAIN))
    return known


def require_declared(parts: Iterable[sympy.Basic]) -> None:
    """Refuse relations with a name that has been declared anew since they were written.

    Examples
    --------
    >>> require_declared((sympy.Eq(sympy.Symbol("x"), 1),))
    """
    for part in parts:
        for name in part.atoms(Declared):
            _current(name.kind, name.name, name.thing)
