"""Claims that are steps of derivations: text, domain and evidence are those of the steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rftheory.exact.proof import derivation
from rftheory.judge import Decision
from rftheory.papers.claim import Claim
from rftheory.statement.derived import statement_of
from rftheory.statement.domain import Domain
from rftheory.statement.evidence import Check, FailingStep, ProvedStep
from rftheory.statement.evidence.relation import Relation, relation_of
from rftheory.statement.statement import Statement
from rftheory.statement.words import Claim as Joined


def proved_step(
    id: str, source: str, found: str, *labels: str | tuple[str, str], also: Sequence[Check] = (), **more: Any
) -> Claim:
    """A claim that says what steps of derivations say, in their words and signs.

    Parameters
    ----------
    id, source : as in `Claim`.
    found, labels : the id of the derivation, and the labels of the steps; a step of another one is a pair of both.
    also : further evidence; steps of other derivations in it are stated too.
    more : the other attributes of `Claim`.

    Raises
    ------
    UnknownName : no such derivation, or no such step of it; raised when the claim is first read.

    Examples
    --------
    >>> claim = proved_step("simplex.example", "ours", "simplex.lem4.1", "simplex.lem4.1/(53) sum")
    >>> print(claim.statement, "for", claim.conditions)
    exponential series: $\\sum_{k=0}^{\\infty} \\frac{v^{2 k}}{k!} = e^{v^{2}}$ for v >= 0, with $v$ |x + y|
    """
    steps = ((found, label) if isinstance(label, str) else label for label in labels)
    return _by_steps(id, source, [ProvedStep(*step) for step in steps], also, more)


def refuted_step(
    id: str, source: str, found: str, label: str, *, also: Sequence[Check] = (), **more: Any
) -> Claim:
    """A claim that says what a step of a derivation says, which is wrong.

    Parameters
    ----------
    id, source, found, label, also, more : as in `proved_step`.

    Raises
    ------
    UnknownName : as in `proved_step`.

    Examples
    --------
    >>> claim = refuted_step("hybrid.example", "ours", "hybrid.eq70", "hybrid.eq70/printed")
    >>> print(claim.expected, claim.conditions)
    fails sigma > 0, z >= 0, with $\\sigma$ smoothness; $z$ |x - y|
    """
    return _by_steps(id, source, [FailingStep(found, label)], also, {"expected": Decision.FAILS, **more})


Checks = Sequence[ProvedStep | FailingStep]


def _by_steps(id: str, source: str, checks: Checks, also: Sequence[Check], more: dict[str, Any]) -> Claim:
    shown = (*checks, *(check for check in also if isinstance(check, ProvedStep)))
    says: Any = partial(_statement, shown)
    over: Any = partial(_conditions, shown)
    joined: Any = partial(_joined, shown)
    return Claim(id, source, says, over, (*checks, *also), object=joined, **more)


def _statement(checks: Checks) -> str:
    """The steps, each typeset after its reason."""
    steps = (derivation(check.derivation).step(check.label) for check in checks)
    shown = zip(steps, _shown(checks), strict=True)
    return "; ".join(f"{step.reason}: ${one.latex}$".removeprefix(": ") for step, one in shown)


def _conditions(checks: Checks) -> str:
    """Their domains, and what their variables mean."""
    shown = _shown(checks)
    over = "; ".join(dict.fromkeys(one.over for one in shown if one.over)) or "no variables"
    meanings = "; ".join(dict.fromkeys(f"${symbol}$ {about}" for one in shown for symbol, about in one.where))
    return f"{over}, with {meanings}" if meanings else over


def _shown(checks: Checks) -> list[Relation]:
    return [relation for relation in map(relation_of, checks) if relation is not None]


def _joined(checks: Checks) -> Statement | None:
    """All steps as one statement, named after the first of them, where every condition of theirs is satisfied."""
    proofs = [derivation(check.derivation) for check in checks]
    steps = [statement_of(proof, proof.step(one.label)) for proof, one in zip(proofs, checks, strict=True)]
    held = [one for one in steps if one is not None]
    if len(held) < len(steps):
        return None
    spans = {symbol: span for one in held for symbol, span in one.domain.spans.items()}
    relations = tuple(dict.fromkeys(relation for one in held for relation in one.domain.relations))
    parts = tuple(part for one in held for part in one.claim.parts)
    return Statement(
        held[0].id, proofs[0].source, Joined(parts), Domain(spans, relations), proof=proofs[0].id
    )
