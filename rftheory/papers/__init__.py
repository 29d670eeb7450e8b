"""The papers: a room for each source, with its statements, proofs and figures, and one for results of our own.

``CATALOGUE`` is all of their claims; it is put together when it is first asked for.
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
