"""What the notebooks share: they print verdicts and proved values, nothing that changes from run to run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from io import BytesIO
from typing import Any

from IPython.display import Image, Markdown

from rftheory.errors import UnknownName
from rftheory.exact import find_formula
from rftheory.exact.proof import derivation
from rftheory.exact.proof.steps import replay
from rftheory.judge import Budget, Decision
from rftheory.papers import CATALOGUE
from rftheory.sample import namespace
from rftheory.statement.evidence import Bench

FALSE_ALARM = 1e-6
"""Probability of a false alarm in one run of the whole catalogue, split evenly over its tests."""


def make_bench(effort: float = 1.0, backend: str = "numpy", seed: int = 0, quick: bool = False) -> Bench:
    """Where claims are judged; ``quick`` leaves out the checks that are marked as slow."""
    budget = Budget(FALSE_ALARM, tests=CATALOGUE.sampled_tests)
    return Bench(budget, namespace(backend), seed=seed, effort=effort, workers=2, quick=quick)


def judge(claim_id: str, bench: Bench, effort: float | None = None, why: bool = False) -> None:
    """The verdict on a claim, with its kinds of evidence and planted errors.

    ``why`` adds, to a statement that fails, the evidence against it. A statement that cannot be decided says why.
    """
    (claim,) = CATALOGUE.select(claim=claim_id)
    verdict = claim.judge(bench if effort is None else replace(bench, effort=bench.effort * effort))
    if bench.quick and verdict.decision is not claim.expected:  # what was left out as slow is needed
        verdict = claim.judge(replace(bench, quick=False))
    kinds = Counter(str(piece.kind) for piece in verdict.evidence)
    planted = [piece.control for piece in verdict.evidence if piece.control is not None]
    evidence = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    refuted = f"planted errors refuted: {sum(planted)} of {len(planted)}"
    print(f"{claim_id}: {verdict.decision} ({evidence}; {refuted})")
    if claim.expected is Decision.FAILS:
        print(f"    {claim.differs}")
        if why:
            against = [e for e in verdict.evidence if e.effective is Decision.FAILS]
            for piece in against:
                print(f"    {piece.kind}: {piece.summary}")
    if claim.expected is Decision.UNDECIDED:
        print(f"    {claim.reason}")


def judge_all(claim_ids: Iterable[str], bench: Bench) -> None:
    """One line for each claim."""
    for claim_id in claim_ids:
        judge(claim_id, bench)


def judge_entry(entry: str, bench: Bench) -> None:
    """An entry of the catalogue in full: as printed, in each reading, each line of its proof, and corrected."""
    found = [claim.id for claim in CATALOGUE.claims.values() if claim.entry == entry]
    if not found:
        raise UnknownName("entry", entry)
    judge_all(found, bench)


def steps(claim_id: str) -> None:
    """How the steps of a derivation were proved, and which printed ones are refuted."""
    done = replay(derivation(claim_id))
    number = Counter(step.status for step in done.steps)
    print(f"{done.derivation.title}: steps " + ", ".join(f"{status} {n}" for status, n in number.items()))
    for step in done.refuted:
        print(f"    printed, and wrong: {step.step.label} at {step.witness}")


def value(name: str, digits: int = 30, **point: object) -> None:
    """A formula with proved digits."""
    arguments = ", ".join(f"{key}={number}" for key, number in point.items())
    print(f"{name}({arguments}) = {find_formula(name).enclose(digits, **point)}")


def exact(name: str, **point: object) -> float:
    """A formula as a double, out of an enclosure of 15 digits."""
    return float(find_formula(name).enclose(15, **point))


def show(figure: Any, dpi: int = 100) -> Image:
    """A figure as PNG without dates or versions, the same bytes from run to run."""
    png = BytesIO()
    figure.savefig(png, format="png", dpi=dpi, metadata={"Software": None})
    return Image(png.getvalue())


class Page(Markdown):  # type: ignore[misc]
    """Markdown whose plain form is its text: nbval compares plain forms alone."""

    def __repr__(self) -> str:
        return str(self.data)


__all__ = ["Page", "exact", "judge", "judge_all", "judge_entry", "make_bench", "show", "steps", "value"]
