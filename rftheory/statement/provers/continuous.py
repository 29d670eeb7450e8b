"""What follows from continuity in one variable: a difference with both signs vanishes, a positive slope is a rise."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import sympy

from rftheory.exact.derivative import derivative
from rftheory.exact.proof.rules.conditions import steady
from rftheory.exact.proof.steps import Scope
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import PairCount, PairMean
from rftheory.statement.domain import Domain
from rftheory.statement.provers.order import BY_SIGNS
from rftheory.statement.provers.proof import Proof, above_zero, proved, proved_sign, uncited
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.provers.regions import by_boxes, by_cases
from rftheory.statement.provers.signs import ELEMENTARY, Sign, at_least_zero, ranges_of, sign
from rftheory.statement.words import Direction


def continuous(side: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> bool:
    """Whether a side is known to be real and continuous in the variable, over the ranges of the domain.

    Laws are written out (`reduced`).

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> u = sympy.Symbol("u", real=True)
    >>> over = Domain.of(claimed(v < u), (u >= 0, u <= 1))
    >>> [continuous(side, u, over) for side in (sympy.exp(u), v**u, sympy.exp(sympy.I * u), 1 / u)]
    [True, False, False, False]
    """
    scope = Scope("continuous", ranges_of(domain), ())
    return (scope.is_real(side) and steady(side, variable, scope)) or _composed(side, domain)


def _composed(side: sympy.Expr, domain: Domain, analytic: bool = False) -> bool:
    """Whether it consists of real variables, of functions and powers of what has the sign that they need.

    Powers of what may be 0, such as roots, are continuous, but not ``analytic``.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> over = Domain.of(claimed(v > 1), (v > 0,))
    >>> [_composed(1 / (sympy.sqrt(v**2 + end) - 1), over) for end in (1, 0)]
    [True, False]
    >>> over = Domain.of(claimed(v > 1), ())
    >>> [_composed(sympy.sqrt(v), over, analytic) for analytic in (False, True)]
    [True, False]
    >>> [_composed(side, over) for side in (sympy.log(v + 1), 1 / (-v - 1), v ** sympy.sqrt(2))]
    [True, True, True]
    >>> [_composed(side, over) for side in (sympy.log(v), sympy.sqrt(-v - 1), 1 / sympy.sqrt(v))]
    [False, False, False]
    """
    if side.is_Symbol or (side.is_number and side.is_real):
        return side in domain.spans or bool(side.is_real)
    if isinstance(side, _OF_LAWS):
        return _of_law(side, domain, analytic)
    if side.is_Pow:
        whole = side.exp.is_Integer and side.exp.is_positive
        allowed = whole or _has_power(side.base, side.exp, domain, analytic)
    else:
        allowed = (
            side.is_Add or side.is_Mul or (isinstance(side, ELEMENTARY) and not isinstance(side, sympy.log))
        )
        allowed |= isinstance(side, sympy.log) and sign(side.args[0], domain) == "positive"
    return bool(allowed) and all(_composed(part, domain, analytic) for part in side.args)


def _has_power(base: sympy.Expr, exponent: sympy.Expr, domain: Domain, analytic: bool) -> bool:
    """Whether the sign of a base is known to be one of which this power is continuous."""
    own = _sign_of_base(base, domain)
    if own == "positive" or (own == "negative" and exponent.is_Integer):
        return True
    return not analytic and bool(exponent.is_positive) and at_least_zero(own)


def _sign_of_base(base: sympy.Expr, domain: Domain) -> Sign | None:
    """The sign of a base; of laws and exponentials, which have none by themselves, the one that is proved."""
    own = sign(base, domain)
    if own is not None or not base.has(*_OF_LAWS, sympy.exp):
        return own
    return proved_sign(base, domain, _WAYS)[0]


_WAYS = (*BY_SIGNS, by_cases, by_boxes)
"""How the sign of a base is proved."""
_OF_LAWS = (sympy.hyper, PairMean, PairCount)
"""What laws are written out with."""


def _of_law(side: sympy.Expr, domain: Domain, analytic: bool) -> bool:
    """The same for one of those, whose parameters are numbers and integers such as d.

    Series pFq with p <= q converge everywhere, unless a lower parameter is 0 or a negative integer; so do those of
    E exp(b.w_1 + b.w_2) in b.b, because the tails of norms are those of Gaussian rows or lighter.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, v
    >>> over = Domain.of(claimed(v < d), ())
    >>> sides = [sympy.hyper(*sides) for sides in (
    ...     ((d,), (d / 2,), v**2 / 2), ((d,), (d / 2,), 1 / v), ((d,), (d - 1,), v), ((1, d), (2,), v))]
    >>> [_of_law(side, over, False) for side in sides]
    [True, False, False, False]
    """
    *parameters, argument = side.args
    if isinstance(side, PairCount):
        parameters, argument = list(side.args), sympy.S.One
    if isinstance(side, sympy.hyper):
        above, below = parameters
        if len(above) > len(below) or any(sign(low, domain) != "positive" for low in below):
            return False
    varying = {s for parameter in parameters for s in parameter.free_symbols}
    return all(s.is_integer for s in varying) and _composed(argument, domain, analytic)


def on_the_line(
    part: sympy.Basic, variable: sympy.Symbol, domain: Domain
) -> tuple[sympy.Basic, sympy.Symbol, Domain]:
    """A part with a real variable of the same range in the place of an integer: what holds of all reals holds of it.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> part, variable, over = on_the_line(d > sympy.log(d), d, Domain.of(claimed(d > 1), ()))
    >>> variable.is_integer, print(over)
    d >= 1
    (None, None)
    >>> k = sympy.Symbol("k", integer=True)
    >>> on_the_line(abs(k) > k, k, Domain.of(claimed(abs(k) > k), ()))[1].is_positive is None
    True
    """
    span = domain.spans[variable]
    if not span.integer:
        return part, variable, domain
    real = sympy.Dummy(variable.name, **{word: True for word in ("real", "nonnegative", "positive")
                                         if getattr(variable, f"is_{word}")})  # fmt: skip
    spans = {real if s == variable else s: one for s, one in domain.spans.items()}
    spans[real] = replace(span, integer=False)
    relations = tuple(relation.xreplace({variable: real}) for relation in domain.relations)
    return part.xreplace({variable: real}), real, replace(domain, spans=spans, relations=relations)


def by_derivative(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove that a continuous function rises or falls strictly, from the sign of its derivative between the ends.

    Where the derivative is only not negative, the function is analytic there, and rises somewhere at all values of the
    other variables: then the derivative vanishes at single points alone.

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
    >>> claim = increasing((u - 1) ** 3, u)
    >>> by_derivative(claim.parts[0], Domain.of(claim, ())).says
    'it is continuous, and its derivative in u is >= 0, and 0 at single points alone'
    >>> claim = increasing(u**3 - 3 * u, u)  # 2 at u = -1, -2 at u = 1
    >>> by_derivative(claim.parts[0], Domain.of(claim, (u**2 >= 1,))) is None
    True
    """
    if not isinstance(part, Direction):
        return None
    if any(r.has(part.args[1]) for r in domain.relations):
        return None  # relations may leave gaps
    side, *how = part.args
    part, variable, domain = on_the_line(part.func(reduced(side, domain), *how), part.args[1], domain)
    side, _, direction = part.args
    if not continuous(side, variable, domain):
        return None
    between = replace(domain.spans[variable], low_open=True, high_open=True)
    if between.is_empty:
        return None
    inside, slope = domain.with_span(variable, between), direction * derivative(side, variable)
    found = proved(above_zero(slope, strict=True), inside)
    than, also = (">" if direction == 1 else "<"), ""
    if found is None:
        found = _rises_weakly(side, slope, variable, inside)
        than, also = f"{than}=", ", and 0 at single points alone"
    if found is None:
        return None
    says = f"it is continuous, and its derivative in {variable.name} is {than} 0{also}"
    return Proof(Kind.CERTIFIED, says, assumes=found.assumes)


def _rises_weakly(
    side: sympy.Expr, slope: sympy.Expr, variable: sympy.Symbol, inside: Domain
) -> Proof | None:
    """A proof that the slope is at least 0, where it is that of an analytic function that is nowhere constant."""
    if not _composed(side, inside, analytic=True):
        return None
    span = inside.spans[variable]
    places = (place for place in (*_PLACES, -sympy.S.One) if span.contains(place))
    there = (above_zero(slope.subs(variable, place), strict=True) for place in places)
    if not any(uncited(one, inside) for one in islice(there, 2)):
        return None
    return proved(above_zero(slope, strict=False), inside)


_PLACES = (sympy.S.Half, sympy.Integer(2), sympy.Integer(9))
"""Where it is seen that a function is not constant."""
