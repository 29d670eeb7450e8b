"""A prover for products of powers, factorials and gamma functions, step by step in an integer variable.

The logarithm of the quotient of two such sides changes by logarithms of fractions from n to n + 1. If it rises from the
least n, the inequality is needed there alone; if it falls, its limit at infinity is needed, by Stirling's formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import sympy
from sympy import S

from rftheory.exact.order import surely
from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.judge.verdict import Kind
from rftheory.statement.domain import Domain
from rftheory.statement.provers.ends import ends_of
from rftheory.statement.provers.limits import limit_of
from rftheory.statement.provers.powers import logarithm
from rftheory.statement.provers.proof import LESS, Proof, above_zero, is_false_somewhere, proved
from rftheory.statement.provers.signs import is_real, sign
from rftheory.statement.words import is_pointwise, substituted

STIRLING = "Stirling's formula"
COMBINATORIAL = (sympy.factorial, sympy.binomial, sympy.RisingFactorial)
"""Functions that are written with gamma functions."""
MOST_STEPS = 8
"""The argument of a gamma function rises by at most so much from n to n + 1."""


def by_products(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality of products with factorials or gamma functions, from the least value of an integer variable.

    Or from its limit, if it becomes harder and harder to satisfy.

    Examples
    --------
    >>> from sympy import binomial, pi, sqrt
    >>> from rftheory.statement.words import claimed
    >>> n = sympy.Symbol("n", integer=True, positive=True)
    >>> claims = [claimed(binomial(2 * n, n) <= 4**n / sqrt(pi * (n + shift))) for shift in (0, 1 / S(4), 1 / S(2))]
    >>> [by_products(claim.parts[0], Domain.of(claim, ())) is not None for claim in claims]
    [True, True, False]
    """
    if not isinstance(part, ORDERINGS) or not is_pointwise(part):
        return None
    low, high = part.args if isinstance(part, LESS) else part.args[::-1]
    quotient = (high / low).rewrite(COMBINATORIAL, sympy.gamma)
    gammas = {g: sympy.Dummy("gamma", positive=True) for g in quotient.atoms(sympy.gamma) if g.free_symbols}
    product = quotient.xreplace(gammas)
    factors = [factor.as_base_exp() for factor in sympy.Mul.make_args(product)]
    if not gammas or any(sign(g.args[0], domain) != "positive" for g in gammas):
        return None
    if not all((surely(b, ">") or sign(b, domain) == "positive") and is_real(e, domain) for b, e in factors):
        return None
    if is_false_somewhere(part, domain):
        return None
    gap = sympy.expand(sympy.Add(*(e * logarithm(b) for b, e in factors)))
    for n in sorted((s for s in product.free_symbols | quotient.free_symbols if s in domain.spans), key=str):
        if domain.spans[n].integer and (found := _by_steps(part, gap, gammas, n, domain)) is not None:
            return found
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
    for direction, end, _, rest in ends_of(n, domain, far=True):
        strictly = isinstance(part, STRICT) and end.is_infinite
        moves = proved(above_zero(direction * step, strictly), inside)
        found = None if moves is None else _at(part, gap, gammas, n, end, rest, domain)
        if moves is not None and found is not None:
            says = f"hardest at {n} = {end}, where {found.says}; from {n} to {n} + 1: {moves.says}"
            return replace(found.resting_on(moves, says), kind=Kind.CERTIFIED)
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
    value, _, cited = limit_of(sympy.expand_log(gap), n, S.Infinity, domain) or (S.NaN, "", ())
    least = proved(above_zero(value, strict=False), rest) if value.is_finite else None
    return least and replace(least, assumes=(*cited, STIRLING, *least.assumes))
