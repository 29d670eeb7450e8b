"""Output for notebook cells: verdicts, proofs, proved values and pictures, none of which changes between runs.

Everything is typeset in a notebook and printed as text elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

from rftheory.errors import UnknownName
from rftheory.exact import find_formula
from rftheory.exact.proof import derivation
from rftheory.exact.proof.steps import replay
from rftheory.index import paper_of
from rftheory.judge import Budget, Decision
from rftheory.judge.verdict import Verdict
from rftheory.papers import CATALOGUE, Claim
from rftheory.report.formulas import in_markdown
from rftheory.sample import namespace
from rftheory.statement.evidence import Bench

FALSE_ALARM = 1e-6
"""Probability of a false alarm in a run of the whole catalogue, split evenly over its tests."""


@dataclass(frozen=True)
class Page:
    """A text in two forms: Markdown for notebooks, plain for terminals and comparisons.

    Examples
    --------
    >>> Page("**holds**", "holds")
    holds
    """

    typeset: str
    plain: str = ""

    def __repr__(self) -> str:
        return self.plain or self.typeset

    def _repr_markdown_(self) -> str:
        return self.typeset


@dataclass(frozen=True, repr=False)
class Picture:
    """A figure as PNG without dates or versions, with the same bytes in every run."""

    png: bytes

    def __repr__(self) -> str:
        return "picture"

    def _repr_png_(self) -> bytes:
        return self.png


def display(thing: object) -> None:
    """Show something in a notebook, or print it elsewhere."""
    try:
        from IPython.display import display as shown
    except ImportError:
        print(thing)
    else:
        shown(thing)


def make_bench(effort: float = 1.0, backend: str = "numpy", seed: int = 0, quick: bool = False) -> Bench:
    """The bench on which claims are judged; ``quick`` leaves out slow checks."""
    budget = Budget(FALSE_ALARM, tests=CATALOGUE.sampled_tests)
    return Bench(budget, namespace(backend), seed=seed, effort=effort, workers=2, quick=quick)


def judge(claim_id: str, bench: Bench, effort: float | None = None, why: bool = False) -> None:
    """Show a statement and its verdict, with the kinds of evidence and the planted errors.

    ``why`` adds the evidence against a statement that fails. An undecided statement always says why.
    """
    judge_all([claim_id], bench if effort is None else replace(bench, effort=bench.effort * effort), why)


def judge_all(claim_ids: Iterable[str], bench: Bench, why: bool = False) -> None:
    """Show several statements with their verdicts."""
    found = [_judged(claim_id, bench, why) for claim_id in claim_ids]
    display(Page("\n".join(page.typeset for page in found), "\n".join(page.plain for page in found)))


def judge_entry(entry: str, bench: Bench) -> None:
    """Show an entry of the catalogue in full: as printed, in each reading, every line of its proof, and corrected."""
    known = CATALOGUE.select(paper_of(entry)) if paper_of(entry) in CATALOGUE.papers else []
    found = [claim.id for claim in known if claim.entry == entry]
    if not found:
        raise UnknownName("entry", entry)
    judge_all(found, bench)


def _judged(claim_id: str, bench: Bench, why: bool) -> Page:
    (claim,) = CATALOGUE.select(claim=claim_id)
    verdict = claim.judge(bench)
    if bench.quick and verdict.decision is not claim.expected:  # the slow checks are needed
        verdict = claim.judge(replace(bench, quick=False))
    kinds = Counter(str(piece.kind) for piece in verdict.evidence)
    planted = [piece.control for piece in verdict.evidence if piece.control is not None]
    evidence = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    rests = f"{evidence}; planted errors refuted: {sum(planted)} of {len(planted)}"
    notes = _notes(claim, verdict, why)
    plain = "\n".join([f"{claim_id}: {verdict.decision} ({rests})", *(f"    {note}" for note in notes)])
    steps_follow = "; in steps: " in claim.statement  # they are shown by `steps`
    said = claim.words[0] if steps_follow else claim.statement
    lines = [f"- **{verdict.decision}**: {in_markdown(said)}"]
    lines += [f"  *{in_markdown(note)}*" if "$" not in note else f"  {in_markdown(note)}" for note in notes]
    lines.append(f"  `{claim_id}` ({rests})")
    return Page("\\\n".join(lines), plain)


def _notes(claim: Claim, verdict: Verdict, why: bool) -> list[str]:
    if claim.expected is Decision.UNDECIDED:
        return [claim.reason]
    if claim.expected is not Decision.FAILS:
        return []
    against = [e for e in verdict.evidence if e.effective is Decision.FAILS] if why else []
    return [claim.differs, *(f"{piece.kind}: {piece.summary}" for piece in against)]


def steps(claim_id: str) -> None:
    """Show how the steps of a derivation were proved, and which printed ones are refuted."""
    done = replay(derivation(claim_id))
    number = Counter(step.status for step in done.steps)
    counts = ", ".join(f"{status} {n}" for status, n in number.items())
    title = done.derivation.title
    wrong = [(step.step.label, step.witness) for step in done.refuted]
    plain = [f"{title}: steps {counts}", *(f"    printed, and wrong: {label} at {at}" for label, at in wrong)]
    lines = [f"Derivation of *{in_markdown(title)}*: {len(done.steps)} steps ({counts})"]
    lines += [f"- printed, and wrong: {in_markdown(str(label))} at `{at}`" for label, at in wrong]
    display(Page("\n".join(lines), "\n".join(plain)))


def value(name: str, digits: int = 30, **point: Any) -> None:
    """Print the value of a formula with proved digits."""
    arguments = ", ".join(f"{key}={number}" for key, number in point.items())
    print(f"{name}({arguments}) = {find_formula(name).enclose(digits, **point)}")


def exact(name: str, **point: Any) -> float:
    """A formula as a double, from an enclosure with 15 digits.

    Examples
    --------
    >>> exact("gaussian_kernel", z=0)
    1.0
    """
    return float(find_formula(name).enclose(15, **point))


def show(figure: Any, dpi: int = 100) -> Picture:
    """A figure as the picture of a cell."""
    png = BytesIO()
    figure.savefig(png, format="png", dpi=dpi, metadata={"Software": None})
    return Picture(png.getvalue())


__all__ = ["Page", "Picture", "display", "exact", "judge", "judge_all", "judge_entry", "make_bench", "show", "steps",
    "value"]  # fmt: skip
