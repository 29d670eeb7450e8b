"""Claims of the walk-through of Rahimi and Recht 2007, *Random Features for Large-Scale Kernel Machines*, and its neighbours."""

from __future__ import annotations

from rftheory.claims.claim import Claim
from rftheory.claims.rahimi_recht import (
    added,
    assembly,
    convergence,
    covering,
    dual,
    hoeffding,
    neighbours,
    recipe,
    transform,
)

CLAIMS: tuple[Claim, ...] = (
    *dual.CLAIMS,
    *transform.CLAIMS,
    *hoeffding.CLAIMS,
    *covering.CLAIMS,
    *convergence.CLAIMS,
    *assembly.CLAIMS,
    *recipe.CLAIMS,
    *neighbours.CLAIMS,
    *added.CLAIMS,
)
