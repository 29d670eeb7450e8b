"""Theory side: closed forms, enclosures and derivations (sympy, mpmath, python-flint)."""

from __future__ import annotations

import importlib
import pkgutil

from rftheory.errors import UnknownName
from rftheory.exact.formula import FORMULAS, Formula

_NOT_TOPICS = {"fast"}
"""Modules without formulas whose import is slow."""


def formulas() -> dict[str, Formula]:
    """All formulas by name, in the order of the modules that state them.

    Examples
    --------
    >>> "simrf_conformity" in formulas()
    True
    """
    for module in pkgutil.iter_modules(__path__):
        if not module.ispkg and module.name not in _NOT_TOPICS:
            importlib.import_module(f"{__name__}.{module.name}")
    return dict(FORMULAS)


def find_formula(name: str) -> Formula:
    """The formula of that name.

    Raises
    ------
    UnknownName : there is none; the message names the closest one.

    Examples
    --------
    >>> print(find_formula("orf_conformity").enclose(20, d=64, v="0.1"))
    1.0100494021199040937
    """
    known = formulas()
    if name not in known:
        raise UnknownName("formula", name, known)
    return known[name]
