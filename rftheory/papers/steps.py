"""Claims that are steps of derivations: text, domain and evidence are those of the steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rftheory.exact.proof import derivation
from rftheory.exact.proof.steps import Derivation, Step
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, texts
from rftheory.statement.provers.derivation import statement_of
from rftheory.statement.domain import NO_VARIABLES, Domain
from rftheory.statement.evidence import Check, Derived, FailingStep, ProvedStep, Slow
from rftheory.statement.evidence.relation import Relation, relation_of
from rftheory.statement.statement import Statement
from rftheory.statement.words import Claim as Joined

OneStep = ProvedStep | FailingStep | Derived | Slow
"""A step, a whole derivation, which says what it concludes, or one of both that takes long."""


def proved_step(
    id: str, source: str, found: str, *labels: str | OneStep, also: Sequence[Check] = (), **more: Any
) -> Claim:
    """A claim that says what steps of a derivation say, in their words and signs, or what follows from them.

    Parameters
    ----------
    id, source : as in `Claim`.
    found, labels : the id of the derivation, and the labels of the steps; steps of others as `ProvedStep`, whole
        derivations as `Derived`. Without labels, all of it, and what it concludes.
    also : further evidence, such as a theorem of others that the steps need.
    more : the other attributes of `Claim`; `statement` and `conditions` are words that are put before the steps.

    Raises
    ------
    UnknownName : no such derivation, or no such step of it; raised when the claim is first read.

    Examples
    --------
    >>> claim = proved_step("simplex.example", "ours", "simplex.lem4.1", "simplex.lem4.1/(53) sum")
    >>> print(claim.statement, "for", claim.conditions)
    exponential series: $\\sum_{k=0}^{\\infty} \\frac{v^{2 k}}{k!} = e^{v^{2}}$ for v >= 0, with $v$ |x + y|
    """
    steps = [ProvedStep(found, label) if isinstance(label, str) else label for label in labels]
    return _claim(id, source, steps or [Derived(found)], also, **more)


def refuted_step(
    id: str, source: str, found: str, *labels: str, also: Sequence[Check] = (), **more: Any
) -> Claim:
    """A claim that says what steps of a derivation say that a source prints and that are refuted.

    Parameters, errors : as of `proved_step`.

    Examples
    --------
    >>> claim = refuted_step("simplex.example", "ours", "simplex.thm3.4", "simplex.thm3.4/(46)")
    >>> claim.expected.value, [type(check).__name__ for check in claim.checks]
    ('fails', ['FailingStep'])
    """
    told = not more.get("statement")  # words before the steps stand alone in errata
    steps = [FailingStep(found, label, told=told) for label in labels]
    return _claim(id, source, steps, also, expected=Decision.FAILS, **more)


def _claim(
    id: str, source: str, steps: Sequence[OneStep], also: Sequence[Check], statement: str = "", conditions: str = "",
    **more: Any,
) -> Claim:  # fmt: skip
    said_in = texts(statement, conditions, "steps", partial(_statement, steps), partial(_conditions, steps))
    joined: Any = partial(_joined, steps)
    if statement:
        more.setdefault("finite", False)  # the domain is that of the words
    return Claim(id, source, checks=(*steps, *also), object=joined, **said_in, **more)


def _step(check: OneStep) -> tuple[Derivation, Step]:
    """The derivation and the step; of a whole derivation, what it concludes."""
    inner: Any = check.check if isinstance(check, Slow) else check
    found = derivation(inner.derivation)
    return found, found.statement if isinstance(inner, Derived) else found.step(inner.label)


def _statement(checks: Sequence[OneStep]) -> str:
    """The steps, each once, typeset after its reason."""
    shown = zip(map(_step, checks), _shown(checks), strict=True)
    said = (f"{step.reason}: ${one.latex}$".removeprefix(": ") for (_, step), one in shown)
    return "; ".join(dict.fromkeys(said))


def _conditions(checks: Sequence[OneStep]) -> str:
    """Their domains, and what their variables mean."""
    shown = _shown(checks)
    over = "; ".join(dict.fromkeys(one.over for one in shown if one.over)) or NO_VARIABLES
    meanings = "; ".join(dict.fromkeys(f"${symbol}$ {about}" for one in shown for symbol, about in one.where))
    return f"{over}, with {meanings}" if meanings else over


def _shown(checks: Sequence[OneStep]) -> list[Relation]:
    return [relation for relation in map(relation_of, checks) if relation is not None]


def _joined(checks: Sequence[OneStep]) -> Statement | None:
    """All steps as one statement, named after the first of them, where every condition of theirs is satisfied."""
    steps = [_step(check) for check in checks]
    held = [one for one in (statement_of(*step) for step in steps) if one is not None]
    if len(held) < len(steps):
        return None
    spans = {symbol: span for one in held for symbol, span in one.domain.spans.items()}
    relations = tuple(dict.fromkeys(relation for one in held for relation in one.domain.relations))
    unchosen = tuple(dict.fromkeys(words for one in held for words in one.domain.unchosen))
    parts = tuple(part for one in held for part in one.claim.parts)
    first, domain = steps[0][0], Domain(spans, relations, unchosen=unchosen)
    return Statement(held[0].id, first.source, Joined(parts), domain, proof=first.id)
