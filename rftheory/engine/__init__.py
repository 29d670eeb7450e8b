"""Runs samplers on a large scale: chunks, mergeable moments, importance tilts, workers, records."""

from __future__ import annotations

from rftheory.engine.cluster import cluster_map
from rftheory.engine.gap import PairGap, SharedGap, control_coefficients, controlled
from rftheory.engine.moments import Means, Moments, WithComoment
from rftheory.engine.processes import Processes, forks_of
from rftheory.engine.run import collect, run
from rftheory.engine.tilt import Tilt, TiltedMoment
from rftheory.engine.tree import FixedTree

__all__ = ["FixedTree", "Means", "Moments", "PairGap", "Processes", "SharedGap", "Tilt", "TiltedMoment", "WithComoment",
    "cluster_map", "collect", "control_coefficients", "controlled", "forks_of", "run"]  # fmt: skip
