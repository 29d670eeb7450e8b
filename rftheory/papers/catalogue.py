"""All claims, in the order of the sources; our own results follow the source that lacks them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module

from rftheory.index import names
from rftheory.papers.claim import Catalogue, Claim, Shelves

ROOMS = {
    "simplex": ("simplex.statements", "beyond.coupled_blocks", "beyond.joint_laws"),
    "rahimi_recht": ("rahimi_recht.statements", "beyond.uniform_bounds"),
    "chefs": ("chefs.statements", "beyond.exponential_maps"),
    "hybrid": ("hybrid.statements", "beyond.hybrid_errors"),
}
"""For each source, the modules with its claims: its own room, and what we found beyond it."""


def _claims(modules: tuple[str, ...]) -> Iterator[Claim]:
    for module in modules:
        yield from import_module(f"rftheory.papers.{module}").CLAIMS


CATALOGUE = Catalogue(
    Shelves({paper: partial(_claims, modules) for paper, modules in ROOMS.items()}),
    tests=sum(entry.get("tests", 0) for entry in names("statements").values()),
)
