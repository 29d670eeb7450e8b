"""Derivations for readers: typeset formulas, reasons, and the verdicts that rest on them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rftheory.exact.proof.steps import Derivation, Replay, Replayed, Step
from rftheory.exact.typeset import SIGNS, typeset
from rftheory.index import names
from rftheory.index.plain import formula, plain
from rftheory.judge import Cover, Decision
from rftheory.names import plural
from rftheory.papers import Claim

_SAME = re.compile(r"(?:by|^) ?ident(?:ity|ical)")


@dataclass(frozen=True)
class Line:
    """A step, as shown to readers.

    Attributes
    ----------
    label : its name, without the id of the derivation.
    mark : ``printed`` in the source, ``added`` by us, or what it corrects.
    status : proved, cited, refuted or undecided; empty if it was not replayed.
    left, sign, right : LaTeX.
    reason : why it holds, in words.
    how : the method that decided it, and a witness.
    assumes : textbook facts that it takes for granted.
    says_little : True if both sides are equal once evaluated and the source does not print the step.
    """

    label: str
    mark: str
    status: str
    left: str
    sign: str
    right: str
    reason: str
    how: str = ""
    assumes: tuple[str, ...] = ()
    says_little: bool = False

    @property
    def latex(self) -> str:
        """The relation as one formula."""
        return f"{self.left} {self.sign} {self.right}"

    def text(self, width: int = 110) -> str:
        """The relation as plain text, with one side per line if both do not fit on one."""
        left, sign, right = (formula(side) for side in (self.left, self.sign, self.right))
        whole = f"{left} {sign} {right}"
        if len(whole) <= width - 6:
            return "      " + whole
        rows = [*textwrap.wrap(left, width - 8), *textwrap.wrap(f"{sign} {right}", width - 8)]
        first = len(textwrap.wrap(left, width - 8))
        return "\n".join(("      " if n < first else "    ") + row for n, row in enumerate(rows))


def line_of(derivation: Derivation, step: Step, found: Replayed | None = None, status: str = "") -> Line:
    """A step of a derivation for readers, with the result of its replay, if there was one."""
    short = tuple(_short(label, derivation.id) for label in step.corrects)
    mark = "as printed" if step.printed else f"corrects {', '.join(short)}" if short else "added"
    how = "" if found is None else found.method + (f"; {found.witness}" if found.witness else "")
    little = (
        found is not None and not step.printed and step.relation == "=" and not short
        and step is not derivation.statement and _SAME.search(found.method) is not None
    )  # fmt: skip
    return Line(
        _short(step.label, derivation.id), mark, found.status if found else status, typeset(step.left),
        SIGNS.get(step.relation, step.relation), typeset(step.right), step.reason, how,
        found.assumes if found else (), little,
    )  # fmt: skip


def _short(label: str, identifier: str) -> str:
    return label.removeprefix(identifier).lstrip("/") or label


def lines(done: Replay) -> tuple[Line, ...]:
    """All steps of a replayed derivation, for readers.

    Examples
    --------
    >>> from rftheory.exact.proof import derivation
    >>> from rftheory.exact.proof.steps import replay
    >>> [(line.label, line.status, line.says_little) for line in lines(replay(derivation("lemma.wallis")))][-1]
    ('statement', 'proved', False)
    """
    return tuple(line_of(done.derivation, item.step, item) for item in done.steps)


@dataclass(frozen=True)
class Bearing:
    """What a derivation says about a statement that rests on it.

    Attributes
    ----------
    id : the id of the statement.
    recorded : its recorded verdict.
    says : what these steps establish about it, in words.
    agrees : whether this is compatible with the recorded verdict.
    """

    id: str
    recorded: Decision
    says: str
    agrees: bool


def _supported(identifier: str) -> dict[str, list[tuple[str | None, str]]]:
    """The statements that rest on a derivation, with the steps that they rest on; no paper is read for it."""
    found: dict[str, list[tuple[str | None, str]]] = (
        names("derivations").get(identifier, {}).get("supports", {})
    )
    return found


def claims_on(identifier: str) -> tuple[Claim, ...]:
    """The statements that rest on a derivation, entirely or in part.

    Examples
    --------
    >>> "simplex.cor3.3.corrected" in [claim.id for claim in claims_on("simplex.cor3.3")]
    True
    """
    from rftheory.papers import CATALOGUE  # not for the pages of a note

    found = map(CATALOGUE.claims.get, _supported(identifier))  # one may be gone since the index was made
    return tuple(claim for claim in found if claim is not None)


def derivations_of(claim: Claim) -> tuple[str, ...]:
    """The ids of the derivations on which a statement rests, entirely or in part."""
    return tuple(dict.fromkeys(name for name, _, _ in uses_of(claim)))


def uses_of(claim: Claim) -> Iterator[tuple[str, str | None, str]]:
    """For each check of a statement that names a derivation: its id, the step (None: all), and what it covers."""
    for check in claim.checks:
        inner: Any = getattr(check, "check", check)
        name = getattr(inner, "derivation", None)
        if isinstance(name, str):
            yield name, getattr(inner, "label", None), str(inner.covers)


def bearings(done: Replay) -> tuple[Bearing, ...]:
    """What a replay says about each statement that rests on it.

    Examples
    --------
    >>> from rftheory.exact.proof import derivation
    >>> from rftheory.exact.proof.steps import replay
    >>> for bearing in bearings(replay(derivation("simplex.cor3.3"))):
    ...     if "cor3.3" in bearing.id:
    ...         print(bearing.id, bearing.recorded, bearing.says)
    simplex.cor3.3.corrected holds rests on these steps: proved
    """
    known = names("statements")
    return tuple(
        _bearing(done, one, Decision(known[one]["verdict"]), label, covers)
        for one, uses in _supported(done.derivation.id).items()
        for label, covers in uses
    )


def _bearing(done: Replay, claim: str, recorded: Decision, label: str | None, covers: str) -> Bearing:
    whole = Cover.of(covers).whole
    if label is None:
        stands, refuted = done.holds, bool(done.refuted) and not done.holds
        assumes, what = done.assumes, "these steps"
    else:
        step = done[label]
        stands, refuted, assumes = step.stands, step.status == "refuted", step.assumes
        what = f"step {_short(label, done.derivation.id)}"
    if refuted:
        return Bearing(claim, recorded, f"refuted by {what}", recorded is Decision.FAILS)
    if not stands:
        return Bearing(claim, recorded, f"left open by {what}", recorded is Decision.UNDECIDED)
    grade = "cited" if assumes else "proved"
    part = "" if whole else f" on a part of its domain ({covers.partition(': ')[2] or 'points'})"
    agrees = recorded is not Decision.FAILS or not whole
    known = f", with {', '.join(assumes)} taken as known" if assumes else ""
    verb = "rests on these steps" if label is None else f"rests on {what}"
    return Bearing(claim, recorded, f"{verb}{part}: {grade}{known}", agrees)


def conclusion(done: Replay) -> list[str]:
    """The last lines: the verdict on each statement that rests on the steps, and how it depends on them."""
    found = bearings(done)
    rows = [
        f"  {bearing.id}: {bearing.recorded} ({bearing.says})"
        + ("" if bearing.agrees else "  THIS IS NOT THE RECORDED VERDICT")
        for bearing in found
    ]
    if found:
        return ["verdict:" if len(rows) == 1 else "verdicts:", *dict.fromkeys(rows)]
    if done.holds:
        known = f" with {', '.join(done.assumes)} taken as known" if done.assumes else ""
        of_ours = "; a lemma that other derivations use" if done.derivation.id in names("derivations") else ""
        return [f"verdict: {'cited' if done.assumes else 'proved'}{known}{of_ours}"]
    failing = [_short(s.step.label, done.derivation.id) for s in (*done.refuted, *done.undecided)]
    return [f"verdict: {'fails' if done.refuted else 'undecided'}, by step {', '.join(failing)}"]


def shown(done: Replay, everything: bool = False) -> Iterator[Line]:
    """The steps to show: all, or only the informative ones."""
    return (line for line in lines(done) if everything or not line.says_little)


def as_text(done: Replay, everything: bool = False, width: int = 110) -> str:
    """A derivation in plain text.

    Examples
    --------
    >>> from rftheory.exact.proof import derivation
    >>> from rftheory.exact.proof.steps import replay
    >>> print(as_text(replay(derivation("lemma.exponential2"))).splitlines()[-1])
    verdict: proved; a lemma that other derivations use
    """
    found = list(shown(done, everything))
    derivation = done.derivation
    out = [f"{derivation.id}: {plain(derivation.title)}"]
    if derivation.says != derivation.title:
        out += textwrap.wrap(plain(derivation.says), width - 2, initial_indent="  ", subsequent_indent="  ")
    if derivation.source:
        out.append(f"  source: {derivation.source}")
    for line in found:
        out += ["", f"[{line.status}] {line.label}, {line.mark}", line.text(width)]
        if line.reason:
            out += textwrap.wrap(f"since {plain(line.reason)}", width - 4, initial_indent="    ",
                                 subsequent_indent="    ")  # fmt: skip
        if line.status == "refuted" and line.how:
            out.append(f"    refuted: {line.how}")
        elif everything and line.how:
            out.append(f"    checked: {line.how}")
        if line.assumes:
            out.append(f"    taken as known: {', '.join(line.assumes)}")
    hidden = len(done.steps) - len(found)
    out.append("")
    if hidden:
        out.append(
            f"{plural(hidden, 'step')} not shown, since both sides are equal after evaluation; --all shows all"
        )
    return "\n".join([*out, *conclusion(done)])


def as_data(done: Replay) -> dict[str, Any]:
    """The content of :meth:`rftheory.exact.proof.steps.Replay.to_json`, with LaTeX and verdicts."""
    import json

    content: dict[str, Any] = json.loads(done.to_json())
    for entry, line in zip(content["steps"], lines(done), strict=True):
        entry["latex"] = line.latex
    content["statements"] = [
        {"id": b.id, "recorded": str(b.recorded), "says": b.says, "agrees": b.agrees} for b in bearings(done)
    ]
    return content
