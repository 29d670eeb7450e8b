"""All claims, in the order of the sources; our own results follow the source that lacks them."""

from __future__ import annotations

from rftheory.papers.beyond import coupled_blocks, exponential_maps, hybrid_errors, joint_laws, uniform_bounds
from rftheory.papers.chefs.statements import CLAIMS as CHEFS
from rftheory.papers.claim import Catalogue
from rftheory.papers.hybrid.statements import CLAIMS as HYBRID
from rftheory.papers.rahimi_recht.statements import CLAIMS as RAHIMI_RECHT
from rftheory.papers.simplex.statements import CLAIMS as SIMPLEX

CATALOGUE = Catalogue((*SIMPLEX, *coupled_blocks.CLAIMS, *joint_laws.CLAIMS, *RAHIMI_RECHT, *uniform_bounds.CLAIMS, *CHEFS,
    *exponential_maps.CLAIMS, *HYBRID, *hybrid_errors.CLAIMS))  # fmt: skip
