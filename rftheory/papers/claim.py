"""A claim: one statement of a source, as printed, with the evidence that judges it.

A claim is data. It names its evidence out of the small set of kinds in :mod:`rftheory.statement.evidence`; the
verdict that it is known to get is recorded beside it, and every run earns it again from scratch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rftheory.errors import InvalidInput, RFTheoryError, UnknownName
from rftheory.exact.limits import time_limit
from rftheory.judge import Cover, Decision, Evidence, Kind, Verdict, conclude
from rftheory.statement.evidence import Bench, Check, Slow

PAPERS = {"rff": "rahimi_recht", "ss15": "rahimi_recht", "yu16": "rahimi_recht", "dk24": "rahimi_recht",
    "ch18": "rahimi_recht"}  # fmt: skip
"""Prefixes of ids that do not name their source: the walk-through and the neighbouring literature listed with it."""


@dataclass(frozen=True)
class Claim:
    """One statement and how it is judged.

    Attributes
    ----------
    id : ``paper.label``, as in the catalogue of the sources; a reading or a correction of a printed statement
        has a suffix of its own.
    source : where it is printed, or ``ours``.
    statement : what is judged, formulas in LaTeX: as printed, or where the source is not precise, our reading of it.
    conditions : the domain as stated.
    checks : the evidence.
    expected : the recorded verdict; a run that gets another one fails. The grade follows from the evidence.
    differs : for a statement that fails, what is wrong with it and what is right, in one sentence.
    correction : id of the claim that states it correctly.
    entry : entry of the catalogue of the sources that the claim belongs to; by default the id up to its first ``/``.
        Results that the sources lack have the entry ``added``.
    reason : for a claim that is recorded as undecided, why it cannot be decided.

    Examples
    --------
    >>> claim = Claim("simplex.thm9.9/ours", "ours", "$1 + 1 = 2$", "none", checks=())
    >>> claim.entry, claim.paper, str(claim.expected)
    ('simplex.thm9.9', 'simplex', 'holds')
    """

    id: str
    source: str
    statement: str
    conditions: str
    checks: tuple[Check, ...]
    expected: Decision = Decision.HOLDS
    differs: str = ""
    correction: str = ""
    entry: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        if not self.entry:
            object.__setattr__(self, "entry", self.id.partition("/")[0].removesuffix(".corrected"))

    @property
    def paper(self) -> str:
        """The source: the first part of the id, and for the walk-through of Rahimi and Recht its neighbours too."""
        prefix = self.id.partition(".")[0]
        return PAPERS.get(prefix, prefix)

    def judge(self, bench: Bench, kinds: Iterable[Kind] = tuple(Kind)) -> Verdict:
        """Run the checks of the given kinds and conclude.

        A check that raises one of the package's own errors leaves the claim undecided and says why; any other
        exception is a defect and is not swallowed.
        """
        wanted = set(kinds)
        asked = [c.kind in wanted and not (bench.quick and isinstance(c, Slow)) for c in self.checks]
        found = [_attempt(check, bench) for check, run in zip(self.checks, asked, strict=True) if run]
        left_out = [Cover.of(check.covers) for check, run in zip(self.checks, asked, strict=True) if not run]
        return conclude(found, claim=self.id, left_out=left_out)


def _attempt(check: Check, bench: Bench) -> Evidence:
    try:
        with time_limit(bench.seconds, "check", "a verdict"):
            return check.run(bench)
    except RFTheoryError as error:
        reason = " ".join(str(error).split())
        return Evidence(check.kind, Decision.UNDECIDED, f"{type(error).__name__}: {reason}")


class Catalogue:
    """Claims by id, in the order of the sources.

    Examples
    --------
    >>> Catalogue([]).select(claim="simplex.thm3.2")
    Traceback (most recent call last):
    ...
    rftheory.errors.UnknownName: unknown claim 'simplex.thm3.2'
    """

    def __init__(self, claims: Sequence[Claim]) -> None:
        self.claims = {claim.id: claim for claim in claims}
        if len(self.claims) != len(claims):
            repeated = sorted({c.id for c in claims if sum(o.id == c.id for o in claims) > 1})
            raise InvalidInput("catalogue", needs="a different id for every claim", got=repeated)
        for claim in claims:
            if claim.correction and claim.correction not in self.claims:
                raise UnknownName("claim", claim.correction, self.claims)

    @property
    def sampled_tests(self) -> int:
        """Number of statistical tests of the whole catalogue, over which the false-alarm rate is split."""
        return max(1, sum(check.tests for claim in self.claims.values() for check in claim.checks))

    @property
    def papers(self) -> list[str]:
        """The sources, in the order of their first claims."""
        return list(dict.fromkeys(claim.paper for claim in self.claims.values()))

    def select(self, paper: str | None = None, claim: str | None = None) -> list[Claim]:
        """All claims, those of a paper, or one claim.

        Raises
        ------
        UnknownName : no such paper or claim, or no such claim in that paper.
        """
        if paper is not None and paper not in self.papers:
            raise UnknownName("paper", paper, self.papers)
        if claim is not None and claim not in self.claims:
            raise UnknownName("claim", claim, self.claims)
        if paper is not None and claim is not None and self.claims[claim].paper != paper:
            raise UnknownName(f"claim of {paper}", claim)
        return [
            c
            for c in self.claims.values()
            if (paper is None or c.paper == paper) and (claim is None or c.id == claim)
        ]
