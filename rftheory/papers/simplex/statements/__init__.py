"""Claims of *Simplex Random Features* (Reid, Choromanski, Likhosherstov, Weller, ICML 2023), in the order of the paper."""

from __future__ import annotations

from rftheory.papers.claim import Claim
from rftheory.papers.simplex.statements import (closed_forms, construction, error, experiments, gaps,
    introduction, optimality, weights)  # fmt: skip

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
    )
    for claim in part.CLAIMS
)
