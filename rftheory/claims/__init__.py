"""The catalogue of claims; the only importer of both the exact and the sampling side."""

from __future__ import annotations

from rftheory.claims import chefs, hybrid, rahimi_recht, simplex
from rftheory.claims.claim import Catalogue, Claim

CATALOGUE = Catalogue((*simplex.CLAIMS, *rahimi_recht.CLAIMS, *chefs.CLAIMS, *hybrid.CLAIMS))

__all__ = ["CATALOGUE", "Catalogue", "Claim"]
