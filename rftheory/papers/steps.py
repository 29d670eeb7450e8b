"""Claims that are steps of derivations: text, domain and evidence are those of the step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rftheory.exact.proof import derivation
from rftheory.papers.claim import Claim
from rftheory.statement.derived import statement_of
from rftheory.statement.evidence import ProvedStep
from rftheory.statement.evidence.relation import relation_of


def proved_step(id: str, source: str, found: str, label: str, **more: Any) -> Claim:
    """A claim that says what a step of a derivation says, in the words and signs of the step.

    Parameters
    ----------
    id, source : as in `Claim`.
    found, label : the id of the derivation, and the label of the step.
    more : the other attributes of `Claim`.

    Examples
    --------
    >>> claim = proved_step("simplex.example", "ours", "simplex.lem4.1", "simplex.lem4.1/(53) sum")
    >>> print(claim.statement, "for", claim.conditions)
    exponential series: $\\sum_{k=0}^{\\infty} \\frac{v^{2 k}}{k!} = e^{v^{2}}$ for v >= 0, with $v$ |x + y|
    """
    check = ProvedStep(found, label)
    proof = derivation(found)
    step = next(step for step in proof.steps if step.label == label)
    shown = relation_of(check)
    assert shown is not None
    meanings = "; ".join(f"${symbol}$ {about}" for symbol, about in shown.where)
    says = f"{step.reason}: ${shown.latex}$" if step.reason else f"${shown.latex}$"
    over = f"{shown.over}, with {meanings}" if meanings else "no variables"
    statement = statement_of(proof, step)
    held = None if statement is None else replace(statement, proof=found)
    return Claim(id, source, says, over, (check,), object=held, **more)
