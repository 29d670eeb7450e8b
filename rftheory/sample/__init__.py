"""The sampling side: couplings, feature maps and counter-based random streams, on arrays only.

    stream = Stream.named("my experiment", seed=1)
    simrf = Mechanism("positive", "simplex", m=64)
    estimates = simrf.estimate(stream, range(1000), x, y)        # one per block, any chunking
    matrices = simrf.gram(stream, range(10), xs, ys)             # (10, n_x, n_y)

A mechanism is a feature map x a coupling x a number of projections; a coupling is a rotation x a
shape x a law of norms. Each part is a small object in its own file.
"""

from rftheory.sample.arrays import array_namespace, namespace, to_host
from rftheory.sample.attention import (
    ATTENTIONS,
    attention_mechanism,
    kernel_means,
    linear_attention,
    softmax_attention,
)
from rftheory.sample.clusters import gaussian_mixture, zero_one_mixture
from rftheory.sample.couplings import COUPLINGS, coupling, optimised, register_coupling
from rftheory.sample.discrete import DiscreteMechanism, GeometricCounts, Poisson, random_features, shift_below
from rftheory.sample.exponential import ComplexExponential, Gerf, oprf
from rftheory.sample.features import FeatureMap
from rftheory.sample.from_frame import FromFrame
from rftheory.sample.from_function import FromFunction
from rftheory.sample.fused import Fused
from rftheory.sample.hybrid import (
    Angular,
    GaussianCoefficient,
    Hybrid,
    Indicator,
    angular_hybrid,
    bipolar,
    gaussian_coefficient,
    gaussian_hybrid,
    normalised_gaussian,
)
from rftheory.sample.maps import FEATURE_MAPS, feature_map, register_map
from rftheory.sample.mechanisms import Mechanism, RandomFeatures
from rftheory.sample.parameters import averages
from rftheory.sample.projections import Block, Coupling, Projected, project, project_with_norms
from rftheory.sample.stream import Stream

__all__ = ["ATTENTIONS", "COUPLINGS", "FEATURE_MAPS", "Angular", "Block", "ComplexExponential", "Coupling",
    "DiscreteMechanism", "FeatureMap", "FromFrame", "FromFunction", "Fused", "GaussianCoefficient", "GeometricCounts",
    "Gerf", "Hybrid", "Indicator", "Mechanism", "Poisson", "Projected", "RandomFeatures", "Stream", "angular_hybrid",
    "array_namespace", "attention_mechanism", "averages", "bipolar", "coupling",
    "feature_map", "gaussian_coefficient", "gaussian_hybrid", "gaussian_mixture", "kernel_means",
    "linear_attention", "namespace", "normalised_gaussian", "oprf", "optimised", "project",
    "project_with_norms", "random_features", "register_coupling", "register_map", "shift_below", "softmax_attention",
    "to_host", "zero_one_mixture"]  # fmt: skip
