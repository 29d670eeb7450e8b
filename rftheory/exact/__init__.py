"""Theory side: closed forms, enclosures and derivations (sympy, mpmath, python-flint)."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from importlib.abc import InspectLoader

from rftheory.errors import UnknownName
from rftheory.exact.formula import FORMULAS, Formula

_NOT_TOPICS = {"fast", "fast_variance"}
"""Modules without formulas whose import is slow."""


def formulas() -> dict[str, Formula]:
    """All formulas by name, in the order of the modules that state them.

    Examples
    --------
    >>> "simrf_conformity" in formulas()
    True
    """
    for module in _topics():
        importlib.import_module(module)
    return dict(FORMULAS)


def find_formula(name: str) -> Formula:
    """The formula of that name; only the module that states it is imported.

    Raises
    ------
    UnknownName : there is none; the message names the closest one.

    Examples
    --------
    >>> print(find_formula("orf_conformity").enclose(20, d=64, v="0.1"))
    1.0100494021199040937
    """
    if not isinstance(name, str):
        raise UnknownName("formula", name)
    if name not in FORMULAS:
        for module in _topics():
            spec = importlib.util.find_spec(module)
            source = (
                spec.loader.get_source(module) if spec and isinstance(spec.loader, InspectLoader) else None
            )
            if source is None or f'"{name}"' in source:
                importlib.import_module(module)
                if name in FORMULAS:
                    return FORMULAS[name]
        known = (
            formulas()
        )  # a name that is put together, such as that of a logarithm, stands nowhere as it is
        if name not in known:
            raise UnknownName("formula", name, known)
    return FORMULAS[name]


def _topics() -> list[str]:
    modules = pkgutil.iter_modules(__path__)
    return [f"{__name__}.{m.name}" for m in modules if not m.ispkg and m.name not in _NOT_TOPICS]
