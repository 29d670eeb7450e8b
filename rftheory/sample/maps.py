"""The feature maps without parameters, by name."""

from __future__ import annotations

from rftheory.errors import UnknownName
from rftheory.sample.exponential import COSINE, HYPERBOLIC
from rftheory.sample.features import POSITIVE, TRIGONOMETRIC, FeatureMap

FEATURE_MAPS: dict[str, FeatureMap] = {
    found.name: found for found in (POSITIVE, HYPERBOLIC, TRIGONOMETRIC, COSINE)
}


def feature_map(name: str) -> FeatureMap:
    """Return the feature map of that name.

    Maps with parameters are made by their classes: ``Gerf``, ``oprf``, ``ComplexExponential``.

    Examples
    --------
    >>> feature_map("positive").positive
    True
    """
    try:
        return FEATURE_MAPS[name]
    except (KeyError, TypeError):  # a list cannot even be looked up
        raise UnknownName("feature map", name, FEATURE_MAPS) from None
