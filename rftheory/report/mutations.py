"""How many of the errors planted in the statements are noticed, and which are not."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType

from rftheory.names import plural
from rftheory.papers import CATALOGUE, Claim, beyond
from rftheory.report.judging import Settings
from rftheory.report.run import Result

PLANTED = Settings(backend="numpy", quick=True, thorough=True)
"""The settings of a quick run that plants every mutation of each statement."""


@dataclass(frozen=True)
class Tally:
    """How the mutations of some claims fared.

    Attributes
    ----------
    claims : number of claims with a verdict of holds or fails, or with supporting evidence.
    planted, caught : number of mutations, and of those that change the decision of the evidence.
    still_true : by claim, changes that are not errors, because the statement implies them.
    missed : by claim, mutations that were not noticed.
    bare : claims whose evidence has no mutations.
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
        1 of 1 mutation of 1 claim caught
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
        text = f"{self.caught} of {plural(self.planted, 'mutation')} of {plural(self.claims, 'claim')} caught"
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
    claims, home = CATALOGUE.select(paper=paper), dict[str, str]()  # reading them imports the modules
    for package in (importlib.import_module(f"rftheory.papers.{paper}.statements"), beyond):
        for name, part in vars(package).items():
            for group in vars(part).values() if isinstance(part, ModuleType) else ():
                if isinstance(group, tuple):
                    home.update({claim.id: name for claim in group if isinstance(claim, Claim)})
    found: dict[str, tuple[Claim, ...]] = {}
    for claim in claims:
        found[home[claim.id]] = (*found.get(home[claim.id], ()), claim)
    return found
