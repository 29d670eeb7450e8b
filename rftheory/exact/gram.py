"""Expected error of a Gram matrix of positive features over normal data: Simplex Random Features, Fig. 7, closed form.

For N independent points x_i of law N(0, sigma^2 I) in dimension d, E |K - K^|_F^2/N^2 is the mean squared error of one
entry: N (N - 1) entries have u = x + y of law N(0, s I), s = 2 sigma^2, and independent of it x - y of the same law; on
the diagonal u = 2 x, s = 4 sigma^2, and x - y = 0. With K^ = exp(-|x|^2 - |y|^2) mean_i exp(w_i.u) and P ordered pairs
of rows in one block,

    E (K - K^)^2 = E exp(-|x - y|^2) ((1 - 2 s)^(-d/2) - 1 + (P/m) (G - 1))/m,   G = E exp(-|u|^2 + (w_i + w_j).u).

The mean over u comes first: G = (1 + 2 s)^(-d/2) E exp(q |w_i + w_j|^2), q = s/(2 (1 + 2 s)). For rows at the cosine c
with independent chi norms a, b, the power series of exp(2 q c a b) and E a^k exp(q a^2) give

    G = (1 + 2 s)^(d/2) (1 + s)^(-d) sum_k (2 t)^k/k! (Gamma((d + k)/2)/Gamma(d/2))^2,   t = c s/(1 + s),

whose even and odd terms are hypergeometric. Orthogonal rows have c = 0 and the sum 1. In polar coordinates of (a, b),
E exp(q (a^2 + b^2 + 2 c a b)) is the mean of (1 - 2 q (1 + c sin f))^(-d) with weights sin(f)^(d-1), 0 < f < pi.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy
from flint import acb, arb
from sympy import Rational, Sum, factorial, gamma, hyper, oo, rf

from rftheory.exact.conformity import simplex_cosine, within
from rftheory.exact.enclosure import certified_integral
from rftheory.exact.formula import Condition, Formula, Route, Variable, register
from rftheory.exact.moments import coupled_pairs
from rftheory.exact.positive import PAIRS
from rftheory.exact.symbols import FEATURES, PAIR_DIMENSION, d, k, m

sigma = sympy.Symbol("sigma", positive=True)
N = sympy.Symbol("N", integer=True, positive=True)
_DATA = (PAIR_DIMENSION, FEATURES, Variable(N, "number of points", integer=True, low=1),
    Variable(sigma, "standard deviation of every coordinate", above=0))  # fmt: skip
FINITE = Condition("sigma^2 < 1/8, else the diagonal has no mean", 8 * sigma**2 < 1)

_Part = Callable[[sympy.Expr], sympy.Expr]


def _entries(second: _Part, pair: _Part) -> sympy.Expr:
    """The mean over all entries: second(s) = E exp(|u|^2), pair(s) = G."""

    def error(s: sympy.Expr) -> sympy.Expr:
        return (second(s) - 1 + PAIRS / m * (pair(s) - 1)) / m

    return (1 - 1 / N) * (1 + 4 * sigma**2) ** (-d / 2) * error(2 * sigma**2) + error(4 * sigma**2) / N


def _second(s: sympy.Expr) -> sympy.Expr:
    return (1 - 2 * s) ** (-d / 2)


def _second_by_series(s: sympy.Expr) -> sympy.Expr:
    return Sum((2 * s) ** k * rf(d / 2, k) / factorial(k), (k, 0, oo))


def _pair(
    cosine: sympy.Expr, even: Callable[[sympy.Expr], sympy.Expr], odd: Callable[[sympy.Expr], sympy.Expr]
) -> _Part:
    def pair(s: sympy.Expr) -> sympy.Expr:
        t, front = cosine * s / (1 + s), (1 + 2 * s) ** (d / 2) * (1 + s) ** (-d)
        if cosine == 0:
            return front
        return front * (even(t) + 2 * t * (gamma((d + 1) / 2) / gamma(d / 2)) ** 2 * odd(t))

    return pair


def _hypergeometric(cosine: sympy.Expr) -> _Part:
    return _pair(cosine, lambda t: hyper([d / 2, d / 2], [Rational(1, 2)], t**2),
        lambda t: hyper([(d + 1) / 2, (d + 1) / 2], [Rational(3, 2)], t**2))  # fmt: skip


def _series(cosine: sympy.Expr) -> _Part:
    def terms(first: sympy.Expr, below: sympy.Expr) -> Callable[[sympy.Expr], sympy.Expr]:
        return lambda t: Sum(rf(first, k) ** 2 / (rf(below, k) * factorial(k)) * t ** (2 * k), (k, 0, oo))

    return _pair(cosine, terms(d / 2, Rational(1, 2)), terms((d + 1) / 2, Rational(3, 2)))


def _by_angle(cosine: Callable[[int], arb]) -> Callable[..., arb]:
    """The formula with G by quadrature over the polar angle of the two norms."""

    def pair(d: int, s: arb, c: arb) -> arb:
        q = s / (2 * (1 + 2 * s))

        def weighted(f: acb, _: bool) -> acb:
            sine = f.sin()
            return sine ** (d - 1) * (1 - 2 * q * (1 + c * sine)) ** (-d)

        weight = certified_integral(lambda f, _: f.sin() ** (d - 1), 0, arb.pi())
        return certified_integral(weighted, 0, arb.pi()) / weight / (1 + 2 * s) ** (arb(d) / 2)

    def ball(d: int, m: int, N: int, sigma: arb) -> arb:
        half, shared = arb(d) / 2, arb(coupled_pairs(m, d)) / m

        def error(s: arb) -> arb:
            return ((1 - 2 * s) ** (-half) - 1 + shared * (pair(d, s, cosine(d)) - 1)) / m

        square = sigma * sigma
        apart = (1 + 4 * square) ** (-half) * error(2 * square)
        return apart + (error(4 * square) - apart) / N

    return ball


def _formula(name: str, rows: str, cosine: sympy.Expr, number: Callable[[int], arb]) -> Formula:
    return register(Formula(name=name,
        says=f"E |K - K^|_F^2/N^2 of positive features with {rows} rows, over N normal points: Fig. 7 in closed form",
        source="simplex.fig7 (ours)", variables=_DATA, expression=_entries(_second, _hypergeometric(cosine)),
        conditions=(FINITE,),
        routes=(
            Route("series", _entries(_second_by_series, _series(cosine)), "binomial and hypergeometric series",
                within(d=256, sigma=Rational(1, 4))),
            Route("polar angle", _by_angle(number), "norms of two rows in polar coordinates",
                within(d=512)))))  # fmt: skip


gram_mse_orf = _formula("gram_mse_orf", "orthogonal", sympy.S.Zero, lambda d: arb(0))
gram_mse_simrf = _formula("gram_mse_simrf", "simplex", -1 / (d - 1), simplex_cosine)

gram_mse_iid = register(Formula(name="gram_mse_iid",
    says="E |K - K^|_F^2/N^2 of positive features with independent rows, over N normal points: Fig. 7 in closed form",
    source="simplex.fig7 (ours)", variables=_DATA,
    expression=_entries(_second, lambda s: sympy.S.One), conditions=(FINITE,),
    routes=(
        Route("series", _entries(_second_by_series, lambda s: sympy.S.One), "binomial series of E exp(|u|^2)",
            within(d=256, sigma=Rational(1, 4))),
        Route("roots", ((1 - 1 / N) * ((1 - 16 * sigma**4) ** (-d / 2) - (1 + 4 * sigma**2) ** (-d / 2))
            + ((1 - 8 * sigma**2) ** (-d / 2) - 1) / N) / m,
            "E exp(|x+y|^2 - |x-y|^2) = (1 - 16 sigma^4)^(-d/2)"))))  # fmt: skip
