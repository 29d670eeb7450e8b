"""A prover for products of powers, factorials and gamma functions, step by step in an integer variable.

The logarithm of the quotient of two such sides changes by logarithms of fractions from n to n + 1. If it rises from the
least n, the inequality is needed there alone; if it falls, its limit at infinity is needed, by Stirling's formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import sympy
from sympy import S

from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.judge.verdict import Kind
from rftheory.statement.domain import Domain
from rftheory.statement.provers.ends import ends_of
from rftheory.statement.provers.limits import limit_of
from rftheory.statement.provers.powers import logarithm_on
from rftheory.statement.provers.proof import Proof, above_zero, is_false_somewhere, proved
from rftheory.statement.provers.signs import at_least_zero, sign
from rftheory.statement.words import is_pointwise, substituted

STIRLING, CONVEX = "Stirling's formula", "log Gamma is convex"
COMBINATORIAL = (sympy.factorial, sympy.binomial, sympy.RisingFactorial)
"""Functions that are written with gamma functions."""
MOST_STEPS = 8
"""The argument of a gamma function rises by at most so much from n to n + 1."""


def by_products(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality of products with factorials or gamma functions, from the least value of an integer variable.

    Or from its limit, if it becomes harder and harder to satisfy, or because log Gamma is convex.

    Examples
    --------
    >>> from sympy import binomial, pi, sqrt
    >>> from rftheory.statement.words import claimed
    >>> n = sympy.Symbol("n", integer=True, positive=True)
    >>> claims = [claimed(binomial(2 * n, n) <= 4**n / sqrt(pi * (n + shift))) for shift in (0, 1 / S(4), 1 / S(2))]
    >>> [by_products(claim.parts[0], Domain.of(claim, ())) is not None for claim in claims]
    [True, True, False]
    >>> x = sympy.Symbol("x", positive=True)
    >>> s = sympy.Symbol("s", positive=True)
    >>> claim = claimed(sympy.gamma(x + s) / sympy.gamma(x) <= x**s)
    >>> [by_products(claim.parts[0], Domain.of(claim, over)) is not None for over in ((s <= 1,), ())]
    [True, False]
    """
    if not isinstance(part, ORDERINGS) or not is_pointwise(part):
        return None
    low, high = (side.rewrite(COMBINATORIAL, sympy.gamma) for side in (part.lts, part.gts))
    of_gamma = {g for side in (low, high) for g in side.atoms(sympy.gamma) if g.free_symbols}
    if not of_gamma or any(sign(g.args[0], domain) != "positive" for g in of_gamma):
        return None
    gammas = {g: sympy.Dummy("gamma", positive=True) for g in sorted(of_gamma, key=str)}
    first, second = (logarithm_on(side.xreplace(gammas), domain) for side in (low, high))
    if first is None or second is None or is_false_somewhere(part, domain):
        return None
    gap = sympy.expand(second - first)
    if gap.xreplace({sympy.log(name): S.Zero for name in gammas.values()}).has(*gammas.values()):
        return None  # a sum with a gamma function is no product
    gammas = {g: name for g, name in gammas.items() if gap.has(name)}
    for n in sorted((s for s in domain.spans if part.has(s)), key=str):
        if domain.spans[n].integer and (found := _by_steps(part, gap, gammas, n, domain)) is not None:
            return found
    return _by_convexity(part, gap, gammas, domain)


def _by_convexity(
    part: sympy.Basic, gap: sympy.Expr, gammas: Mapping[sympy.Expr, sympy.Symbol], domain: Domain
) -> Proof | None:
    """The proof with a bound in the place of a quotient of two gamma functions whose arguments are at most 1 apart.

    With 0 <= s <= 1, x > 0 and Gamma(x + 1) = x Gamma(x), convexity of log Gamma says that

        x (x + s)^(s - 1) <= Gamma(x + s)/Gamma(x) <= x^s,  and so  Gamma(x + s)/Gamma(x) >= (x + s - 1)^s if x + s > 1.
    """
    if len(gammas) != 2:
        return None
    (a, one), (b, other) = ((g.args[0], sympy.log(name)) for g, name in gammas.items())
    times = gap.coeff(one)
    if sympy.expand(times + gap.coeff(other)) != 0 or sign(times, domain) not in ("positive", "negative"):
        return None
    over, under = (a, b) if sign(times, domain) == "positive" else (b, a)
    apart = sympy.expand(over - under)
    bounds = [(apart, sympy.log(under) + (apart - 1) * sympy.log(over), under),
              (apart, apart * sympy.log(over - 1), over - 1), (-apart, apart * sympy.log(over), over)]  # fmt: skip
    bare = sympy.expand(gap - times * one + times * other)
    for s, below, base in bounds:
        inside = [sign(e, domain) for e in (s, 1 - s, base)]
        if not all(map(at_least_zero, inside[:2])) or inside[2] != "positive":
            continue
        apart_from_bound = inside[0] == inside[1] == "positive"
        left = sympy.factor(sympy.expand_log(bare + (times if over == a else -times) * below))
        needed = above_zero(left, isinstance(part, STRICT) and not apart_from_bound)
        found = None if is_false_somewhere(needed, domain) else proved(needed, domain)
        if found is not None:
            says = f"log Gamma is convex, and with its bound in its place {found.says}"
            return replace(found, kind=Kind.CERTIFIED, says=says, assumes=(CONVEX, *found.assumes))
    return None


def _by_steps(
    part: sympy.Basic,
    gap: sympy.Expr,
    gammas: Mapping[sympy.Expr, sympy.Symbol],
    n: sympy.Symbol,
    domain: Domain,
) -> Proof | None:
    """The proof from an end of the range of one variable; ``gap`` is the logarithm of the quotient of the sides."""
    step = _step(gap, gammas, n)
    if step is None:
        return None
    span = domain.spans[n]
    both = (*domain.relations, *(r.subs(n, n + 1) for r in domain.relations if r.has(n)))
    inside = replace(domain.with_span(n, replace(span, high=span.high - 1)), relations=both)
    for direction, end, is_open, rest in ends_of(n, domain, far=True):
        if not end.is_infinite and (is_open or not end.is_integer):
            continue  # no step begins there
        strictly = isinstance(part, STRICT) and end.is_infinite
        moves = proved(above_zero(direction * step, strictly), inside)
        found = None if moves is None else _at(part, gap, gammas, n, end, rest, domain)
        if moves is not None and found is not None:
            says = f"hardest at {n} = {end}, where {found.says}; from {n} to {n} + 1: {moves.says}"
            return replace(found.resting_on(moves, says=says), kind=Kind.CERTIFIED)
    return None


def _step(gap: sympy.Expr, gammas: Mapping[sympy.Expr, sympy.Symbol], n: sympy.Symbol) -> sympy.Expr | None:
    """What is added from n to n + 1, in which no gamma function is left: Gamma(a + 2) = a (a + 1) Gamma(a)."""
    later = gap.subs(n, n + 1)
    for g, name in gammas.items():
        rise = sympy.expand(g.args[0].subs(n, n + 1) - g.args[0])
        if not rise.is_Integer or abs(rise) > MOST_STEPS:
            return None
        start = g.args[0] if rise >= 0 else g.args[0] + rise
        risen = sympy.Add(*(sympy.log(sympy.expand(start + j)) for j in range(abs(int(rise)))))
        later = later.subs(sympy.log(name), sympy.log(name) + sympy.sign(rise) * risen)
    step = sympy.expand(later - gap)
    return None if step.has(*gammas.values()) else step


def _at(
    part: sympy.Basic, gap: sympy.Expr, gammas: Mapping[sympy.Expr, sympy.Symbol], n: sympy.Symbol,
    end: sympy.Expr, rest: Domain, domain: Domain,
) -> Proof | None:  # fmt: skip
    """The proof at an end: of the part there, or that the limit of the logarithm is at least 0."""
    if end.is_finite:
        return proved(substituted(part, {n: end}), rest)
    for g, name in gammas.items():
        a = g.args[0]
        if a.has(n) and not sympy.expand(a.subs(n, n + 1) - a).is_positive:
            return None
        large = (a - S.Half) * sympy.log(a) - a + sympy.log(2 * sympy.pi) / 2
        gap = gap.subs(sympy.log(name), large if a.has(n) else sympy.log(g))
    found = limit_of(sympy.expand_log(gap), n, S.Infinity, domain)
    finite = found is not None and found.value.is_finite
    least = proved(above_zero(found.value, strict=False), rest) if found and finite else None
    return found and least and replace(least, assumes=(*found.cited, STIRLING, *least.assumes))
