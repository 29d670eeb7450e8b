"""How many of the errors that are planted in the statements are noticed, and which are not."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType

from rftheory.papers import CATALOGUE, Claim, beyond
from rftheory.report.judging import Settings
from rftheory.report.run import Result

PLANTED = Settings(backend="numpy", quick=True, thorough=True)
"""A quick run in which every mutation of a statement is planted; its claims all have evidence in it."""


@dataclass(frozen=True)
class Tally:
    """What became of the mutations of some claims.

    Attributes
    ----------
    claims : claims with a verdict of holds or fails, or with evidence that supports them.
    planted, caught : mutations, and those that flip or undecide what the evidence says.
    still_true : by claim, changes that are no errors, since the statement implies them.
    missed : by claim, mutations that were not noticed.
    bare : claims whose evidence has no mutation.
    """

    claims: int
    planted: int
    caught: int
    still_true: tuple[str, ...]
    missed: tuple[str, ...]
    bare: tuple[str, ...]

    @classmethod
    def of(cls, results: Iterable[Result]) -> Tally:
        """Count over the claims that a run decided.

        Examples
        --------
        >>> from rftheory.report.judging import judge_all
        >>> print(Tally.of(judge_all(CATALOGUE.select(claim="simplex.cor3.3"), PLANTED)))
        1 of 1 mutations of 1 claims caught
        """
        decided = [r for r in results if r.verdict.grade is not None]
        mutants = [
            (f"{r.claim.id}: {what}", caught)
            for r in decided
            for piece in r.verdict.evidence
            for what, caught in piece.mutants
        ]
        return cls(
            len(decided),
            len(mutants),
            sum(caught for _, caught in mutants),
            tuple(
                f"{r.claim.id}: {what}"
                for r in decided
                for piece in r.verdict.evidence
                for what in piece.still_true
            ),
            tuple(what for what, caught in mutants if not caught),
            tuple(r.claim.id for r in decided if not any(p.mutants for p in r.verdict.evidence)),
        )

    def __str__(self) -> str:
        text = f"{self.caught} of {self.planted} mutations of {self.claims} claims caught"
        if self.still_true:
            text += f"; {len(self.still_true)} more are still true"
        if self.missed:
            text += "; missed: " + "; ".join(self.missed)
        if self.bare:
            text += "; without a mutation: " + ", ".join(self.bare)
        return text


def modules(paper: str) -> dict[str, tuple[Claim, ...]]:
    """The claims of a paper by the module of the catalogue that holds them.

    Examples
    --------
    >>> sum(len(claims) for claims in modules("hybrid").values()) == len(CATALOGUE.select(paper="hybrid"))
    True
    """
    home: dict[str, str] = {}
    for package in (importlib.import_module(f"rftheory.papers.{paper}.statements"), beyond):
        for name, part in vars(package).items():
            for group in vars(part).values() if isinstance(part, ModuleType) else ():
                if isinstance(group, tuple):
                    home.update({claim.id: name for claim in group if isinstance(claim, Claim)})
    found: dict[str, tuple[Claim, ...]] = {}
    for claim in CATALOGUE.select(paper=paper):
        found[home[claim.id]] = (*found.get(home[claim.id], ()), claim)
    return found
