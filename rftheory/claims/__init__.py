"""The catalogue of claims; the only importer of both the exact and the sampling side."""

from __future__ import annotations

from rftheory.claims import chefs, hybrid, simplex
from rftheory.claims.claim import Catalogue, Claim

CATALOGUE = Catalogue((*simplex.CLAIMS, *chefs.CLAIMS, *hybrid.CLAIMS))

__all__ = ["CATALOGUE", "Catalogue", "Claim"]
