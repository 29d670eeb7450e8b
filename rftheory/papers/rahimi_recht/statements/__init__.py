"""Claims of the walk-through of Rahimi and Recht 2007, *Random Features for Large-Scale Kernel Machines*, and its neighbours."""

from __future__ import annotations

from rftheory.papers.claim import Claim
from rftheory.papers.rahimi_recht.statements import (assembly, convergence, covering, dual, hoeffding,
    neighbours, recipe, transform)  # fmt: skip

CLAIMS: tuple[Claim, ...] = (*dual.CLAIMS, *transform.CLAIMS, *hoeffding.CLAIMS, *covering.CLAIMS,
    *convergence.CLAIMS, *assembly.CLAIMS, *recipe.CLAIMS, *neighbours.CLAIMS)  # fmt: skip
