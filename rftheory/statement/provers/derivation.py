"""A derivation as the proof of a statement: its conclusion must be the statement, and its domain must cover it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import sympy

from rftheory.errors import InvalidInput
from rftheory.exact.formula import Variable
from rftheory.exact.proof.steps import Derivation, Replay, Step, established
from rftheory.exact.ranges import Range
from rftheory.exact.truth import ORDERINGS, RELATIONS, SIGNS
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import Growth
from rftheory.statement.domain import NO_VARIABLES, Domain, Span, narrowed, natural_span
from rftheory.statement.provers.proof import Proof
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.statement import Statement
from rftheory.statement.words import Claim

_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def proof_by(proof: Any, part: sympy.Basic, domain: Domain) -> Proof | None:
    """The derivation as a proof of a part; None if its conclusion is a different statement or its domain smaller.

    Raises
    ------
    InvalidInput : neither a derivation nor the id of one.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, claimed, d, v
    >>> from rftheory.exact.proof import derivation
    >>> last = derivation("simplex.cor3.3").steps[-1]
    >>> same = sympy.Lt(last.left, last.right, evaluate=False)
    >>> over = Domain.of(claimed(v < d), (d >= 2, v > 0))
    >>> proof_by("simplex.cor3.3", same, over).kind.value
    'derived'
    >>> proof_by("simplex.cor3.3", sympy.Lt(last.right, last.left, evaluate=False), over) is None
    True
    >>> proof_by("simplex.cor3.3", same, Domain.of(claimed(v < d), (d >= 2,))) is None
    True
    """
    done = _replayed(proof)
    if not done.holds:
        return None
    derivation = done.derivation
    for step in _conclusions(done, part, domain):
        if _covers(derivation, step, domain):
            return Proof(Kind.DERIVED, f"derivation {derivation.id}, step {step.label}", assumes=done.assumes)
    return None


def why_left_out(proof: Any, parts: Iterable[sympy.Basic], domain: Domain) -> str:
    """What a derivation that proves none of these parts concludes instead.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, v
    >>> claim = claimed(v < d)
    >>> why_left_out("simplex.cor3.3", claim.parts, Domain.of(claim, ())).partition(":")[0]
    'its proof is left out'
    """
    done = _replayed(proof)
    derivation = done.derivation
    found = next((step for part in parts for step in _conclusions(done, part, domain)), None)
    if not done.holds:
        why = f"derivation {derivation.id} {done.summary()}"
    elif found is not None:
        why = f"step {found.label} of derivation {derivation.id} says it for {_domain_of(derivation, found)} only"
    else:
        last = derivation.statement
        why = f"derivation {derivation.id} concludes {last} for {_domain_of(derivation, last)}"
    return f"its proof is left out: {why}"


def _replayed(proof: Any) -> Replay:
    if isinstance(proof, str | Derivation):
        return established(proof)
    raise InvalidInput("proof", needs="a derivation or the id of one", got=proof)


def _conclusions(done: Replay, part: sympy.Basic, domain: Domain) -> Iterator[Step]:
    """The steps that stand and are this part, the last one first; printed steps may be refuted and corrected."""
    relation = SIGNS.get(type(part), "")
    return (
        replayed.step for replayed in reversed(done.steps)
        if replayed.stands and _concludes(replayed.step, relation, part, domain)
    )  # fmt: skip


def _domain_of(derivation: Derivation, step: Step) -> str:
    own = [
        v.domain for v in derivation.variables if v.symbol in step.left.free_symbols | step.right.free_symbols
    ]
    return ", ".join([*own, *map(str, step.conditions)]) or NO_VARIABLES


def statement_of(found: Derivation, step: Step) -> Statement | None:
    """A step as a statement over the domain of its derivation, to be searched like any other.

    Equality up to an order is written with its rest, as O(...); None if its check names no rest. Of a step in complex
    variables, or with sums of unnamed terms, the search finds no point.

    Examples
    --------
    >>> from rftheory.exact.proof import derivation
    >>> lemma = derivation("simplex.lem4.1")
    >>> print(statement_of(lemma, lemma.statement).domain)
    d >= 1, v >= 0
    """
    free = step.left.free_symbols | step.right.free_symbols
    variables = [variable for variable in found.variables if variable.symbol in free]
    rest = getattr(step.check, "rest", None)
    if step.relation == "~" and rest is None:
        return None
    unchosen = [variable for variable in variables if variable.complex or variable.tied]
    spans = {variable.symbol: _span(variable) for variable in variables if variable not in unchosen}
    right = step.right + Growth(rest) if step.relation == "~" else step.right
    relation = RELATIONS[step.relation.replace("~", "=")](step.left, right, evaluate=False)
    holes = [condition for condition in step.conditions if isinstance(condition, sympy.Ne)]
    spans, relations = narrowed(spans, (condition for condition in step.conditions if condition not in holes))
    domain = Domain(spans, (*relations, *holes), unchosen=tuple(variable.domain for variable in unchosen))
    return Statement(step.label, found.source, Claim((relation,)), domain)


def _span(variable: Variable) -> Span:
    found = variable.range
    high_open = found.high_open and found.high != sympy.oo
    return Span(found.low, found.high, found.low_open, high_open, variable.integer)


def _concludes(step: Any, relation: str, part: sympy.Basic, domain: Domain) -> bool:
    left, right = (_in_our_symbols(side, domain) for side in (step.left, step.right))
    own = tuple(reduced(side, domain) for side in part.args)
    if relation == step.relation and _same((left, right), own):
        return True
    return bool(relation == _MIRRORED.get(step.relation) and _same((right, left), own))


def _same(one: tuple[sympy.Expr, ...], other: tuple[sympy.Expr, ...]) -> bool:
    return all(a == b or sympy.expand(a) == sympy.expand(b) for a, b in zip(one, other, strict=True))


def _in_our_symbols(expression: sympy.Expr, domain: Domain) -> sympy.Expr:
    named = {s.name: s for s in domain.spans}
    return expression.xreplace({s: named[s.name] for s in expression.free_symbols if s.name in named})


def _covers(derivation: Derivation, step: Any, domain: Domain) -> bool:
    variables = {variable.symbol: variable for variable in derivation.variables}
    if any(variable.tied and variable.range != Range() for variable in derivation.variables):
        return False  # what others determine is taken for granted to have this range
    spans = {symbol.name: span for symbol, span in domain.spans.items()}
    for symbol in step.left.free_symbols | step.right.free_symbols:
        variable, span = variables.get(symbol), spans.get(symbol.name)
        if span is None:
            continue  # such as one that the statement binds
        if variable is None or variable.tied or (variable.integer and not span.integer):
            return False
        if not (_contains(variable.range, span) and _has_what_is_assumed(symbol, span, domain)):
            return False
    return all(_implied(condition, domain) for condition in step.conditions)


def _has_what_is_assumed(symbol: sympy.Symbol, span: Span, domain: Domain) -> bool:
    """Whether all numbers of a range have what sympy assumes of a symbol of a proof, such as a sign."""
    if symbol in domain.spans:
        return True  # the statement assumes the same
    try:
        natural = natural_span(symbol)
    except InvalidInput:  # such as even numbers
        return False
    return _contains(_range(natural), span) and (span.integer or not natural.integer)


def _contains(outer: Range, span: Span) -> bool:
    return _range(span).within(outer)


def _range(span: Span) -> Range:
    return replace(span.range, high_open=span.high_open or span.high == sympy.oo)


def _implied(condition: sympy.Basic, domain: Domain) -> bool:
    """Whether a condition on one variable follows from its range, which it does not narrow."""
    if len(condition.free_symbols) != 1 or not isinstance(condition, ORDERINGS):
        return False
    (symbol,) = condition.free_symbols
    span = next((span for s, span in domain.spans.items() if s.name == symbol.name), None)
    if span is None or not condition.canonical.rhs.is_number:
        return False
    found, rest = narrowed({symbol: span}, (condition,))
    return not rest and found[symbol] == span
