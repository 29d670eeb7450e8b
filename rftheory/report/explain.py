"""One claim as plain text: statement, conditions, each piece of evidence, counterexample, correction."""

from __future__ import annotations

from rftheory.index.plain import plain
from rftheory.judge import Cover, Decision, Evidence
from rftheory.names import plural
from rftheory.papers import Catalogue
from rftheory.report.run import Result
from rftheory.statement.evidence.relation import Relation

_OVER = {
    Cover.DOMAIN: "the stated domain",
    Cover.PART: "a part of the statement",
    Cover.POINTS: "points, or draws, alone",
}
_CONTROL = {True: "planted error refuted", False: "PLANTED ERROR NOT REFUTED", None: "no planted error"}


def explain(result: Result, catalogue: Catalogue) -> str:
    """Everything known about one claim; ``catalogue`` contains its correction."""
    claim, verdict = result.claim, result.verdict
    words, conditions = claim.words
    grade = "" if verdict.grade is None else f", {verdict.grade}"
    lines = [
        f"{claim.id}: {verdict.decision}{grade}" + (f" ({result.aside})" if result.aside else ""),
        _line("source", claim.source),
        _line("statement", words),
        _line("conditions", conditions),
        *(_line("judged", _relation(relation)) for relation in claim.judged),
        *(_evidence(piece) for piece in verdict.evidence),
    ]
    if verdict.assumes:
        lines.append(_line("known", "taken from textbooks: " + "; ".join(verdict.assumes)))
    if verdict.left_out:
        pieces = plural(verdict.left_out, "piece of evidence was", "pieces of evidence were")
        lines.append(_line("left out", f"{pieces} not requested"))
    if verdict.contradiction or verdict.decision is Decision.UNDECIDED:
        lines.append(_line("reason", verdict.reason))
    if claim.reason:
        lines.append(_line("open", claim.reason))
    if claim.differs:
        lines.append(_line("differs", claim.differs))
    if claim.correction:
        right = catalogue.claims[claim.correction]
        lines += [
            _line("correction", right.id),
            _line("", right.words[0]),
            _line("", f"for {right.words[1]}"),
        ]
    return "\n".join(lines)


def _line(label: str, text: str) -> str:
    return f"  {label:<10}  {plain(text)}"


def _relation(relation: Relation) -> str:
    """The relation as LaTeX, after what it is, with its domain and the meanings of its variables."""
    says = f"{relation.says}: " if relation.says else ""
    over = f" for {relation.over}" if relation.over else ""
    meanings = "; ".join(f"${symbol}$ {about}" for symbol, about in relation.where)
    return f"{says}${relation.latex}${over}" + (f", with {meanings}" if meanings else "")


def _evidence(piece: Evidence) -> str:
    label = "against" if piece.effective is Decision.FAILS else str(piece.kind)
    text = f"{piece.effective}: {piece.summary} [{_CONTROL[piece.control]}, {piece.seconds:.1f} s]"
    if piece.effective is Decision.HOLDS:
        text += f" [over: {piece.covers.partition(': ')[2] or _OVER[piece.cover]}]"
    if how := piece.details.get("drawn"):
        text += f" [drawn: {how['engine']} engine, {how['stream']} stream, {how['device']}]"
    missed = [what for what, caught in piece.mutants if not caught]
    if piece.mutants:
        text += f" [{len(piece.mutants) - len(missed)} of {plural(len(piece.mutants), 'mutation')} caught]"
    if piece.still_true:
        text += " [still true: " + "; ".join(piece.still_true) + "]"
    if missed:
        text += " [not caught: " + "; ".join(missed) + "]"
    return _line(label, text)
