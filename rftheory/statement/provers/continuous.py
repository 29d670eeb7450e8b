"""What follows from continuity in one variable: a difference with both signs vanishes, a positive slope is a rise."""

from __future__ import annotations

from dataclasses import replace

import sympy

from rftheory.exact.proof.rules.conditions import steady
from rftheory.exact.proof.steps import Scope
from rftheory.exact.ranges import Range
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import PairCount, PairMean
from rftheory.statement.domain import Domain
from rftheory.statement.provers.proof import Proof, proved
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.provers.signs import at_least_zero, sign
from rftheory.statement.words import Direction


def continuous(side: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> bool:
    """Whether a side without laws is known to be real and continuous in the variable, over the ranges of the domain.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> u = sympy.Symbol("u", real=True)
    >>> over = Domain.of(claimed(v < u), (u >= 0, u <= 1))
    >>> [continuous(side, u, over) for side in (sympy.exp(u), v**u, sympy.exp(sympy.I * u), 1 / u)]
    [True, False, False, False]
    """
    if side.has(PairMean, PairCount):  # which have no derivatives here
        return False
    ranges = {s: Range(one.low, one.high, one.low_open, one.high_open) for s, one in domain.spans.items()}
    scope = Scope("continuous", ranges, ())
    return (scope.is_real(side) and steady(side, variable, scope)) or _composed(side, domain)


def _composed(side: sympy.Expr, domain: Domain) -> bool:
    """Whether it consists of real variables, exponentials, logarithms and powers, of what has the sign that they need.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> over = Domain.of(claimed(v > 1), (v > 0,))
    >>> [_composed(1 / (sympy.sqrt(v**2 + end) - 1), over) for end in (1, 0)]
    [True, False]
    """
    if side.is_Symbol or side.is_number:
        return side in domain.spans or bool(side.is_real)
    if side.is_Pow and side.exp.is_Rational:
        own = sign(side.base, domain)
        whole = side.exp.is_Integer and (side.exp.is_positive or own == "negative")
        allowed = whole or own == "positive" or (side.exp.is_positive and at_least_zero(own))
    else:
        allowed = side.is_Add or side.is_Mul or isinstance(side, sympy.exp)
        allowed |= isinstance(side, sympy.log) and sign(side.args[0], domain) == "positive"
    return bool(allowed) and all(_composed(part, domain) for part in side.args)


def by_derivative(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove that a continuous function rises or falls strictly, from the sign of its derivative between the ends.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, increasing
    >>> u = sympy.Symbol("u", real=True)
    >>> claim = increasing(sympy.exp(u) - 2, u)
    >>> by_derivative(claim.parts[0], Domain.of(claim, ())).says
    'it is continuous, and its derivative in u is > 0'
    >>> claim = increasing(-1 / u, u)
    >>> by_derivative(claim.parts[0], Domain.of(claim, ())) is None
    True
    """
    if not isinstance(part, Direction):
        return None
    side, variable, direction = part.args
    if domain.spans[variable].integer or any(r.has(variable) for r in domain.relations):
        return None  # relations may leave gaps
    side = reduced(side, domain)
    if not continuous(side, variable, domain):
        return None
    between = replace(domain.spans[variable], low_open=True, high_open=True)
    slope = sympy.StrictGreaterThan(direction * sympy.diff(side, variable), 0, evaluate=False)
    found = None if between.is_empty else proved(slope, domain.with_span(variable, between))
    if found is None:
        return None
    sign = ">" if direction == 1 else "<"
    says = f"it is continuous, and its derivative in {variable} is {sign} 0"
    return Proof(Kind.CERTIFIED, says, assumes=found.assumes)
