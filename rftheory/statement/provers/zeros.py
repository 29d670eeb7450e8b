"""Prove inequalities between products of waves up to the first zero, by their logarithms.

For b > 0 the wave 0F1(; b; -y), for b = d/2 the mean over a sphere of cosines, is the product of 1 - y/y_k over its
zeros y_k, which are positive. So for 0 <= y < y_1 its logarithm is minus the sum over n of s_n y^n / n, where s_n is
the sum of y_k^-n: above 0, s_1 = 1/b and s_2 = 1/(b^2 (b + 1)), as the first coefficients say. As s_2 is larger than
its first term, y_1 > b sqrt(b + 1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import sympy
from sympy import S

from rftheory.exact.truth import STRICT
from rftheory.judge.verdict import Kind
from rftheory.statement.domain import Domain
from rftheory.statement.provers.proof import Proof, larger_minus_smaller
from rftheory.statement.provers.signs import Sign, at_least_zero, is_real, sign

PRODUCT = (
    "0F1(; b; -y) is the product of 1 - y/y_k over its zeros, which are positive, for b > 0 (Watson 15.41)"
)
_MOST_TERMS = 64


class _Product(NamedTuple):
    """exp(exponent) times powers of waves."""

    exponent: sympy.Expr
    waves: tuple[tuple[sympy.hyper, sympy.Rational], ...]


def by_zeros(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality whose difference is a multiple of a product of waves, or of two such, up to the first zero.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, exp, z
    >>> wave = lambda times: sympy.hyper((), (d / 2,), -times * d * z**2 / 4)
    >>> claim = claimed(wave(2) < wave(1) ** 2)
    >>> by_zeros(claim.parts[0], Domain.of(claim, (z > 0, z <= 1))).says
    'the logarithms of waves fall with all powers of their arguments, up to their first zeros'
    >>> by_zeros(claim.parts[0], Domain.of(claim, (z > 0,))) is None
    True
    """
    difference = larger_minus_smaller(part, domain)
    if difference is None or not any(_is_wave(e) for e in difference.atoms(sympy.hyper)):
        return None
    terms = _collected(difference, domain)
    if not terms or len(terms) > 2 or not _are_positive(terms, domain):
        return None
    if not any(_is_above(*ordered, isinstance(part, STRICT), domain) for ordered in _orders(terms)):
        return None
    says = "the logarithms of waves fall with all powers of their arguments, up to their first zeros"
    return Proof(Kind.CERTIFIED, says, assumes=(PRODUCT,))


def _is_wave(e: sympy.Basic) -> bool:
    return isinstance(e, sympy.hyper) and not e.ap and len(e.bq) == 1


def _collected(difference: sympy.Expr, domain: Domain) -> dict[_Product, sympy.Expr] | None:
    """The weights of products; None if there are too many."""
    found: dict[_Product, sympy.Expr] = {}
    terms = sympy.Add.make_args(sympy.expand(difference))
    if len(terms) > _MOST_TERMS:
        return None
    for term in terms:
        key, weight = _parsed(term)
        found[key] = found.get(key, S.Zero) + weight
    kept = {key: sympy.factor(weight) for key, weight in found.items()}
    return {key: weight for key, weight in kept.items() if weight != 0}


def _parsed(term: sympy.Expr) -> tuple[_Product, sympy.Expr]:
    waves: Counter[sympy.hyper] = Counter()
    exponent, weight = S.Zero, S.One
    for factor in sympy.Mul.make_args(term):
        base, power = factor.as_base_exp()
        if isinstance(factor, sympy.exp):
            exponent += factor.args[0]
        elif _is_wave(base) and power.is_Rational:
            waves[base] += power
        else:
            weight *= factor
    return _Product(sympy.expand(exponent), tuple(sorted(waves.items(), key=str))), weight


def _are_positive(terms: Iterable[_Product], domain: Domain) -> bool:
    """Whether all exponents are real, and the arguments of all waves shown to stay below the first zeros."""
    return all(
        is_real(product.exponent, domain) and all(_is_before_zero(wave, domain) for wave, _ in product.waves)
        for product in terms
    )


def _is_before_zero(wave: sympy.hyper, domain: Domain) -> bool:
    (b,), y = wave.bq, -wave.argument
    if sign(b, domain) != "positive" or not at_least_zero(sign(y, domain)):
        return False
    return at_least_zero(sign(sympy.factor(b + 1 - sympy.cancel(y / b) ** 2), domain))


def _orders(
    terms: Mapping[_Product, sympy.Expr],
) -> list[tuple[_Product, sympy.Expr, _Product, sympy.Expr]]:
    """The products with their weights, each once ahead; one alone beside nothing."""
    pairs = list(terms.items())
    if len(pairs) == 1:
        ((only, weight),) = pairs
        return [(only, weight, only, S.Zero)]
    (one, first), (other, second) = pairs
    return [(one, first, other, second), (other, second, one, first)]


def _is_above(
    high: _Product, weight: sympy.Expr, low: _Product, other: sympy.Expr, strict: bool, domain: Domain
) -> bool:
    """Whether a P + b Q = a (P - Q) + (a + b) Q is at least 0, or above it, for products that are positive."""
    own, both = sign(weight, domain), sign(sympy.factor(weight + other), domain)
    if not at_least_zero(own) or not at_least_zero(both):
        return False
    order = "zero" if high == low else _order(high, low, domain)
    if not at_least_zero(order):
        return False
    return not strict or both == "positive" or own == order == "positive"


def _order(high: _Product, low: _Product, domain: Domain) -> Sign | None:
    """The sign of log P - log Q: an exponent, and the sum of s_n y^n/n times the powers of Q less those of P."""
    powers: Counter[sympy.hyper] = Counter(dict(low.waves))
    powers.subtract(dict(high.waves))
    active = {wave: power for wave, power in powers.items() if power != 0}
    top = _widest(active)
    if top is None:
        return None
    (b,), y = top.bq, -top.argument
    shares = [(sympy.cancel(wave.argument / top.argument), power) for wave, power in active.items()]
    first = high.exponent - low.exponent
    for n, s in ((1, 1 / b), (2, 1 / (b**2 * (b + 1)))):
        first += s * y**n / n * sympy.Add(*(power * share**n for share, power in shares))
        own = sign(sympy.factor(sympy.expand(first)), domain)
        rest = sympy.Add(*(p * c ** (n + 1) for c, p in shares if c == 1 or p < 0))
        if at_least_zero(own) and rest >= 0:
            above = own == "positive" or sign(y, domain) == "positive"  # the rest grows with n
            return "positive" if above else "nonnegative"
    return None


def _widest(waves: Mapping[sympy.hyper, sympy.Rational]) -> sympy.hyper | None:
    """The wave of which the arguments of all others are at most a multiple by a number, of one parameter."""
    for top in waves:
        shares = (sympy.cancel(wave.argument / top.argument) for wave in waves if wave.bq == top.bq)
        known = [share for share in shares if share.is_Rational and 0 < share <= 1]
        if len(known) == len(waves):
            return top
    return None
