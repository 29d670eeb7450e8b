"""The theory side: closed forms, enclosures and derivations (with sympy, mpmath and python-flint)."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from importlib.abc import InspectLoader
from typing import TYPE_CHECKING

from rftheory.errors import UnknownName
from rftheory.exact.formula import FORMULAS, Formula
from rftheory.index import names

if TYPE_CHECKING:
    from rftheory.exact.quantities import Quantity

_NOT_TOPICS = {"fast", "fast_laws", "fast_variance", "frame_moments", "laws", "pair_law", "quantities",
    "row_tails"}  # fmt: skip
"""Modules without formulas that are slow to import."""

QUANTITIES = ("mean", "variance", "mse", "relative_mse", "log_mse", "gap", "conformity", "central_moment",
    "tail", "upper_tail", "lower_tail", "mgf", "covariance")  # fmt: skip
"""Names of the quantities of mechanisms, known without importing the code that computes them."""


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
    """The formula with that name; only the module that defines it is imported.

    Raises
    ------
    UnknownName : there is no such formula; the message suggests the closest name.

    Examples
    --------
    >>> print(find_formula("orf_conformity").enclose(20, d=64, v="0.1"))
    1.0100494021199040937
    """
    if not isinstance(name, str):
        raise UnknownName("formula", name)
    entry = names("formulas").get(name)
    if name not in FORMULAS and entry is not None:
        importlib.import_module(entry["module"])
    if name in QUANTITIES:
        hint = f"it is a quantity of mechanisms: rftheory eval {name} mechanism=..."
        raise UnknownName("formula", name, hint=hint)
    if name not in FORMULAS:  # newer than the index
        for module in _topics():
            spec = importlib.util.find_spec(module)
            source = (
                spec.loader.get_source(module) if spec and isinstance(spec.loader, InspectLoader) else None
            )
            if source is None or f'"{name}"' in source:
                importlib.import_module(module)
                if name in FORMULAS:
                    return FORMULAS[name]
        known = formulas()  # a composed name, such as that of a logarithm, is not found in the sources
        if name not in known:
            raise UnknownName("formula", name, [*known, *QUANTITIES])
    return FORMULAS[name]


def find_evaluable(name: str) -> Formula | Quantity:
    """The quantity of mechanisms or the formula that ``rftheory eval`` knows by that name.

    Raises
    ------
    UnknownName : there is neither.

    Examples
    --------
    >>> find_evaluable("mse").name, find_evaluable("gaussian_kernel").name
    ('mse', 'gaussian_kernel')
    """
    if isinstance(name, str) and name in QUANTITIES:
        from rftheory.exact.quantities import find_quantity

        return find_quantity(name)
    return find_formula(name)


def _topics() -> list[str]:
    modules = pkgutil.iter_modules(__path__)
    return [f"{__name__}.{m.name}" for m in modules if not m.ispkg and m.name not in _NOT_TOPICS]
