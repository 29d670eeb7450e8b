"""The tested properties, one per file. Each takes measures and a level and returns its findings."""

from __future__ import annotations

from rftheory.check.properties import (
    blocks,
    coupling,
    determinism,
    directions,
    marginal,
    stability,
    unbiasedness,
    variance,
)

OF_MATRICES = (marginal.of_matrices, directions.of_matrices, coupling.of_matrices, blocks.of_matrices,
    unbiasedness.of_matrices, variance.of_matrices, stability.of_entries)  # fmt: skip
OF_ESTIMATES = (unbiasedness.of_estimates, variance.of_estimates)

__all__ = ["OF_ESTIMATES", "OF_MATRICES", "determinism", "stability"]
