"""Claims of *Chefs' Random Tables* (Likhosherstov, Choromanski, Dubey, Liu, Sarlos, Weller, NeurIPS 2022).

There is one module for each part of the paper.
"""

from __future__ import annotations

from rftheory.papers.chefs.statements import (concentration, discrete, experiments, exponential, mechanisms,
    prerequisites)  # fmt: skip
from rftheory.papers.claim import Claim

CLAIMS: tuple[Claim, ...] = (*prerequisites.CLAIMS, *exponential.CLAIMS, *discrete.CLAIMS, *concentration.CLAIMS,
    *experiments.CLAIMS, *mechanisms.CLAIMS)  # fmt: skip
