"""Claims that are steps of derivations: text, domain and evidence are those of the steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rftheory.errors import UnknownName
from rftheory.exact.proof import derivation
from rftheory.exact.proof.steps import Derivation, Step
from rftheory.papers.claim import Claim
from rftheory.statement.derived import statement_of
from rftheory.statement.domain import Domain
from rftheory.statement.evidence import ProvedStep
from rftheory.statement.evidence.relation import relation_of
from rftheory.statement.statement import Statement
from rftheory.statement.words import Claim as Joined


def proved_step(id: str, source: str, found: str, *labels: str, **more: Any) -> Claim:
    """A claim that says what steps of a derivation say, in their words and signs.

    Parameters
    ----------
    id, source : as in `Claim`.
    found, labels : the id of the derivation, and the labels of the steps.
    more : the other attributes of `Claim`.

    Raises
    ------
    UnknownName : no such derivation, or no such step of it.

    Examples
    --------
    >>> claim = proved_step("simplex.example", "ours", "simplex.lem4.1", "simplex.lem4.1/(53) sum")
    >>> print(claim.statement, "for", claim.conditions)
    exponential series: $\\sum_{k=0}^{\\infty} \\frac{v^{2 k}}{k!} = e^{v^{2}}$ for v >= 0, with $v$ |x + y|
    """
    checks = tuple(ProvedStep(found, label) for label in labels)
    proof = derivation(found)
    steps = [_step(proof, label) for label in labels]
    shown = [relation for relation in map(relation_of, checks) if relation is not None]
    says = [
        f"{step.reason}: ${one.latex}$".removeprefix(": ") for step, one in zip(steps, shown, strict=True)
    ]
    over = "; ".join(dict.fromkeys(one.over for one in shown if one.over)) or "no variables"
    meanings = "; ".join(dict.fromkeys(f"${symbol}$ {about}" for one in shown for symbol, about in one.where))
    conditions = f"{over}, with {meanings}" if meanings else over
    return Claim(id, source, "; ".join(says), conditions, checks, object=_joined(proof, steps), **more)


def _step(proof: Derivation, label: str) -> Step:
    found = {step.label: step for step in proof.steps}
    if label not in found:
        raise UnknownName(f"step of {proof.id}", label, found)
    return found[label]


def _joined(proof: Derivation, steps: Sequence[Step]) -> Statement | None:
    """All steps as one statement, named after the first of them, where every condition of theirs is satisfied."""
    found = [statement_of(proof, step) for step in steps]
    held = [one for one in found if one is not None]
    if len(held) < len(found):
        return None
    spans = {symbol: span for one in held for symbol, span in one.domain.spans.items()}
    relations = tuple(dict.fromkeys(relation for one in held for relation in one.domain.relations))
    parts = tuple(part for one in held for part in one.claim.parts)
    return Statement(held[0].id, proof.source, Joined(parts), Domain(spans, relations), proof=proof.id)
