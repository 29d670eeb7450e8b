"""Claims of *Simplex Random Features* (Reid, Choromanski, Likhosherstov, Weller, ICML 2023), in the order of the paper."""

from __future__ import annotations

from rftheory.claims.claim import Claim
from rftheory.claims.simplex import (
    added,
    closed_forms,
    construction,
    error,
    experiments,
    gaps,
    introduction,
    optimality,
    weights,
)

CLAIMS: tuple[Claim, ...] = tuple(
    claim
    for part in (
        introduction,
        construction,
        error,
        optimality,
        weights,
        closed_forms,
        gaps,
        experiments,
        added,
    )
    for claim in part.CLAIMS
)
