"""Sampling side: couplings, feature maps and counter-based streams, on arrays only."""

from rftheory.sample.arrays import array_namespace, namespace, to_host
from rftheory.sample.couplings import COUPLINGS, coupling, optimised
from rftheory.sample.features import FEATURE_MAPS, FeatureMap, feature_map
from rftheory.sample.mechanisms import Mechanism
from rftheory.sample.projections import (
    Block,
    Coupling,
    Projected,
    project,
    project_with_norms,
)
from rftheory.sample.stream import Stream

__all__ = [
    "COUPLINGS",
    "FEATURE_MAPS",
    "Block",
    "Coupling",
    "FeatureMap",
    "Mechanism",
    "Projected",
    "Stream",
    "array_namespace",
    "coupling",
    "feature_map",
    "namespace",
    "optimised",
    "project",
    "project_with_norms",
    "to_host",
]
