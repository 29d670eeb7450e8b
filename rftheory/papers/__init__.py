"""The papers: a room for each source, with its statements, proofs and figures, and one for our own results.

``CATALOGUE`` contains all of their claims; it is built when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rftheory.papers.claim import Catalogue, Claim

if TYPE_CHECKING:
    from rftheory.papers.catalogue import CATALOGUE

__all__ = ["CATALOGUE", "Catalogue", "Claim"]


def __getattr__(name: str) -> Any:
    if name == "CATALOGUE":
        from rftheory.papers import catalogue

        return catalogue.CATALOGUE
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
