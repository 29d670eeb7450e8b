"""The feature maps by name, and makers of those with parameters."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable
from typing import Any

from rftheory import names
from rftheory.errors import InvalidInput
from rftheory.sample.checks import made
from rftheory.sample.exponential import COSINE, HYPERBOLIC, ComplexExponential, Gerf, oprf
from rftheory.sample.features import POSITIVE, TRIGONOMETRIC, FeatureMap

Maker = Callable[..., FeatureMap]


def _gerf(A: complex, s: int = 1) -> Gerf:
    return Gerf(A, s)


def _oprf(v: float, d: int) -> Gerf:
    return oprf(v * v, d)


FEATURE_MAPS: dict[str, FeatureMap] = {
    found.name: found for found in (POSITIVE, HYPERBOLIC, TRIGONOMETRIC, COSINE)}  # fmt: skip
"""The maps without parameters registered so far; `rftheory.names.load_declared` registers all that are
installed."""

MAKERS: dict[str, Maker] = {"gerf": _gerf, "oprf": _oprf, "complex-exponential": ComplexExponential}
"""Makers of the others, from `A` and `s`, from |x + y| = `v` and `d`, or from `matrix`."""

_KNOWN: ChainMap[str, Any] = ChainMap(FEATURE_MAPS, MAKERS)  # type: ignore[arg-type]


def feature_map(name: str, **parameters: Any) -> FeatureMap:
    """Return the feature map with that name, ours or a paper's, and these parameters.

    Raises
    ------
    UnknownName : no feature map has the name.
    InvalidInput : unknown or missing parameters.

    Examples
    --------
    >>> feature_map("PRF").positive
    True
    >>> feature_map("gerf", A=-0.1, s=-1)
    Gerf(a=-0.1, s=-1, name='gerf')
    >>> feature_map("oprf", v=1.0)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: parameters of oprf: needs d as well, got 'v'
    """
    found = names.find("feature map", name, _KNOWN)
    if isinstance(found, FeatureMap):
        if parameters:
            raise InvalidInput(f"parameters of {found.name}", needs="none", got=", ".join(parameters))
        return found
    return made(names.canonical("feature map", name), found, parameters)


def register_map(name: str, entered: FeatureMap | Maker) -> None:
    """Register a feature map, or a maker of one; from then on everything that takes a name knows it.

    Raises
    ------
    InvalidInput : neither a map nor a maker, or another map has the name.

    Examples
    --------
    >>> register_map("positive", POSITIVE)
    >>> register_map("gerf", POSITIVE)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: feature map: needs a name of its own, got 'gerf'
    """
    word = names.add("feature map", name)
    if not (isinstance(entered, FeatureMap) or callable(entered)):
        raise InvalidInput("feature map", needs="a FeatureMap, or a function that makes one", got=entered)
    if _KNOWN.get(word, entered) is not entered:
        raise InvalidInput("feature map", needs="a name of its own", got=name)
    if isinstance(entered, FeatureMap):
        FEATURE_MAPS[word] = entered
    else:
        MAKERS[word] = entered
