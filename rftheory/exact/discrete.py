"""Discretely-induced random features: Poisson and geometric.

One feature pair of the Gaussian kernel (Likhosherstov et al. 2022, eqs. 9-10) is

    Z = exp(-(|x|^2 + |y|^2)/2) prod_l t_l^(w_l) / (w_l! p_(w_l)),   t_l = x_l y_l,   P(w_l = k) = p_k,

with 0^0 = 1. The coordinates are independent, so every moment is a product of moments of one coordinate, which
depends on t_l alone. Moments for a vector of products are those of :func:`dirf_moment`; the registered formulas take
the sums that they need, or equal products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce

import sympy
from flint import acb, arb, ctx
from sympy import Abs, Sum, besseli, exp, factorial, hyper, log, oo, sqrt

from rftheory.errors import InvalidInput, NotCertified, Undecided
from rftheory.exact.conformity import within
from rftheory.exact.coupled import order_two
from rftheory.exact.enclosure import (
    Enclosure,
    Exact,
    certified_integral,
    certified_sum,
    certify,
    exact_fraction,
    exact_number,
)
from rftheory.exact.evaluate import evaluate, integer_power
from rftheory.exact.exponential import monotone_root
from rftheory.exact.formula import Condition, Formula, Route, Variable, register
from rftheory.exact.symbols import DIMENSION, d, k

lam = sympy.Symbol("lam", positive=True)
p = sympy.Symbol("p", positive=True)
t = sympy.Symbol("t", real=True)
n = sympy.Symbol("n", integer=True, positive=True)
dot = sympy.Symbol("dot", real=True)
squares = sympy.Symbol("squares", nonnegative=True)
norms = sympy.Symbol("norms", nonnegative=True)
powers = sympy.Symbol("powers", real=True)

RATE = Variable(lam, "rate of the Poisson law", above=0)
SUCCESS = Variable(p, "parameter of the geometric law p (1-p)^k", above=0, below=1)
PRODUCT = Variable(t, "product x_l y_l of a coordinate")
ORDER = Variable(n, "order of the moment", integer=True, low=1, high=16)
DOT = Variable(dot, "x.y")
SQUARES = Variable(squares, "sum of x_l^2 y_l^2", low=0)
POSITIVE_SQUARES = Variable(squares, "sum of x_l^2 y_l^2", above=0)
NORMS = Variable(norms, "|x|^2 + |y|^2", low=0)
POWERS = Variable(powers, "sum of (x_l y_l)^n")

CAUCHY = Condition("dot^2 <= d squares", dot**2 <= d * squares)
DOMINATED = Condition("sqrt(squares) <= norms/2", 4 * squares <= norms**2)
BOUNDED_DOT = Condition("2 |dot| <= norms", 2 * Abs(dot) <= norms)
BOUNDED_PRODUCT = Condition("2 d |t| <= norms", 2 * d * Abs(t) <= norms)

KERNEL_SQUARED = exp(2 * dot - norms)


# ---- one coordinate ------------------------------------------------------------------------------------


def _literal_sum(first: arb, ratio: Callable[[int], arb]) -> arb:
    """sum_k p_k (t^k/(k! p_k))^n by its terms; ``ratio(k)`` is |term_{k+1}/term_k| up to sign, decreasing in k."""

    def terms() -> Iterator[arb]:
        value, k = first, 0
        while True:
            yield value
            value, k = value * ratio(k), k + 1

    return certified_sum(terms(), lambda j: abs(ratio(j)).upper())


def poisson_coordinate_sum(n: int, lam: arb, t: arb) -> arb:
    """E of the n-th power of one coordinate, p_k = e^-lam lam^k/k!, by the terms of the expectation.

    Examples
    --------
    >>> poisson_coordinate_sum(1, arb(2), arb("0.5")).overlaps(arb("0.5").exp())
    True
    """
    growth = lam * integer_power(t / lam, n)
    return _literal_sum(((n - 1) * lam).exp(), lambda k: growth / (k + 1))


def geometric_coordinate_sum(n: int, p: arb, t: arb) -> arb:
    """E of the n-th power of one coordinate, p_k = p (1-p)^k, by the terms of the expectation.

    Examples
    --------
    >>> geometric_coordinate_sum(1, arb("0.25"), arb("0.5")).overlaps(arb("0.5").exp())
    True
    """
    growth = (1 - p) * integer_power(t / (1 - p), n)
    return _literal_sum(p ** (1 - n), lambda k: growth / arb(k + 1) ** n)


def _poisson_by_circle(n: int, lam: arb, t: arb) -> arb:
    """Cauchy's integral of exp at z = lam^(1-n) t^n over a circle of radius |z| + 1 about 0, times exp((n-1) lam)."""
    z = t**n * lam ** (1 - n)
    radius = abs(z) + 1

    def integrand(a: acb, _: bool) -> acb:
        s = radius * (acb(0, 1) * a).exp()
        return s.exp() * s / (s - z)

    return ((n - 1) * lam).exp() * certified_integral(integrand, 0, 2 * arb.pi()) / (2 * arb.pi())


def _geometric_by_hypergeometric(n: int, p: arb, t: arb) -> arb:
    """p^(1-n) 0F(n-1)(; 1, ..., 1; t^n (1-p)^(1-n))."""
    return p ** (1 - n) * _hypergeometric_of_ones(n, integer_power(t, n) * (1 - p) ** (1 - n))


LONG_SUM = 10_000
"""From a largest term of this index on, Arb would sum for seconds, which nothing can interrupt."""
MOST_CANCELLED = 2**18
"""The most bits that terms of either sign may lose."""
LONGEST_WINDOW = 400_000
"""About the number of terms, a multiple of (peak bits)^(1/2), whose sum takes seconds."""


def _hypergeometric_of_ones(n: int, z: arb) -> arb:
    """sum_k z^k/k!^n, whose largest term is at k = |z|^(1/n); for z < 0 it is about cos(pi/n) of it in logarithms."""
    largest = abs(z).root(n).mid()
    if n <= 2 or not largest > LONG_SUM:
        return z.hypgeom([], [arb(1)] * (n - 1))
    if z > 0:
        return _sum_from_peak(n, z, math.floor(exact_fraction(largest)))
    lost = n * largest * (1 - (arb.pi() / n).cos()) / arb(2).log()
    if not lost < MOST_CANCELLED:
        raise NotCertified("geometric moment", wanted="digits of an alternating sum", by_any_route=True,
                           reached=f"its terms cancel in {lost.str(3, radius=False)} bits")  # fmt: skip
    return z.hypgeom([], [arb(1)] * (n - 1)) if lost < ctx.prec else arb.nan()


def _sum_from_peak(n: int, z: arb, peak: int) -> arb:
    """sum_k z^k/k!^n, z > 0, from a term near the largest one up and down, until the rest falls geometrically.

    The ratio of a term to the one before, z/k^n, falls with k, so that the rests are below geometric series.

    Examples
    --------
    >>> _sum_from_peak(2, arb(100), 10).str(12), arb(20).bessel_i(arb(0)).str(12)
    ('[43558282.5596 +/- 4.65e-5]', '[43558282.5596 +/- 4.66e-5]')
    """
    small = arb(2) ** (-ctx.prec - 8)
    if not peak * ctx.prec < LONGEST_WINDOW**2:
        raise NotCertified("geometric moment", wanted="a short sum", by_any_route=True,
                           reached=f"its largest term is that of index {arb(peak).str(3, radius=False)}")  # fmt: skip
    with ctx.workprec(ctx.prec + 32):
        total = arb(1)
        for step in (1, -1):
            term, k = arb(1), peak
            while True:
                ratio = z / arb(k + 1) ** n if step == 1 else arb(k) ** n / z
                if k % 64 == 0 and ratio < 1 and (rest := term * ratio / (1 - ratio)) < small:
                    total += arb(0).union(rest.upper())
                    break
                term, k = term * ratio, k + step
                total += term
        return total * (peak * z.log() - n * arb(peak + 1).lgamma()).exp()


def _geometric_by_circle(n: int, p: arb, t: arb) -> arb:
    """For n = 2: the mean of exp(z cos phi) over the circle, z = 2 |t| (1-p)^(-1/2)."""
    z = 2 * abs(t) / (1 - p).sqrt()
    return certified_integral(lambda a, _: (z * a.cos()).exp(), 0, arb.pi()) / arb.pi() / p


def _geometric_by_hadamard(n: int, p: arb, t: arb) -> arb:
    """sum_k z^k/k!^n, z = x y, a mean of exp(x e^(ia)) g(y e^(-ia)): g = 0F(n-2), 1/(1-s) at n = 1."""
    z = t**n * (1 - p) ** (1 - n)
    x = abs(z) + 1 if n == 1 else abs(z).root(n) ** (n - 1) + arb(1) / 2
    y = z / x

    def integrand(a: acb, _: bool) -> acb:
        turn = (acb(0, 1) * a).exp()
        s = y / turn
        other = 1 / (1 - s) if n == 1 else s.hypgeom([], [acb(1)] * (n - 2))
        return (x * turn).exp() * other

    return certified_integral(integrand, 0, 2 * arb.pi()) / (2 * arb.pi()) * p ** (1 - n)


def _few_geometric_terms(values: Mapping[str, sympy.Expr]) -> bool:
    """The terms grow up to the index |t| (1-p)^(1/n - 1) and, near p = 0, fall only from there."""
    order, fail = values["n"], 1 - values["p"]
    return bool(Abs(values["t"]) ** order * fail ** (1 - order) < 5000**order)


MOST_TERMS = 100_000
"""About how many terms of a sum over the Poisson law take seconds."""


def _few_terms(values: Mapping[str, sympy.Expr], power: sympy.Expr) -> bool:
    """Whether the terms for a product with this n-th power fall early: lam^(1-n) times the power is where they do."""
    return bool(values["lam"] ** (1 - values["n"]) * Abs(power) <= MOST_TERMS)


poisson_coordinate = register(Formula(name="poisson_coordinate",
    says="moment of order n of one coordinate of a Poisson feature pair (without the norm factor)",
    source="chefs.3.2.pois, chefs.thm3.4 for n = 2", variables=(ORDER, RATE, PRODUCT),
    expression=exp((n - 1) * lam + lam ** (1 - n) * t**n),
    routes=(
        Route("expectation", poisson_coordinate_sum, "sum over the Poisson law",
            lambda values: within(lam=1000, t=1000)(values) and _few_terms(values, values["t"] ** values["n"])),
        Route("circle", lambda n, lam, t: _poisson_by_circle(n, lam, t),
            "the exponential of lam^(1-n) t^n by Cauchy's integral",
            lambda values: abs(values["lam"] ** (1 - values["n"]) * values["t"] ** values["n"]) <= 200))))  # fmt: skip

geometric_coordinate = register(Formula(name="geometric_coordinate",
    says="moment of order n of one coordinate of a geometric feature pair (without the norm factor)",
    source="chefs.3.2.geom, chefs.thm3.5 for n = 2", variables=(ORDER, SUCCESS, PRODUCT),
    expression=p ** (1 - n) * Sum(t ** (n * k) * (1 - p) ** ((1 - n) * k) / factorial(k) ** n, (k, 0, oo)),
    readable=False,
    routes=(Route("expectation", geometric_coordinate_sum, "sum over the geometric law", _few_geometric_terms),
        Route("hypergeometric", _geometric_by_hypergeometric, "0F(n-1) with unit parameters"),
        Route("circle", _geometric_by_circle, "n = 2: Bessel's integral of I_0", valid=order_two),
        Route("Hadamard product", _geometric_by_hadamard,
            "the series of exp times that of 0F(n-2), coefficient by coefficient: a mean over a circle",
            lambda values: (not order_two(values) and _few_geometric_terms(values) and abs(values["t"]) <= 30))),
    fast="hypergeometric"))  # fmt: skip

POISSON = exp((n - 1) * lam + lam ** (1 - n) * t**n)


def _geometric_moment_expression(order: int) -> sympy.Expr:
    """E of the n-th power of one coordinate of a geometric pair as an expression in p and t."""
    return p ** (1 - order) * hyper((), (1,) * (order - 1), t**order * (1 - p) ** (1 - order))


# ---- vectors -------------------------------------------------------------------------------------------


def read_vectors(x: Sequence[Exact], y: Sequence[Exact]) -> tuple[list[sympy.Expr], sympy.Expr]:
    """The products x_l y_l and |x|^2 + |y|^2, exactly.

    Examples
    --------
    >>> read_vectors(["0.5", 2], [2, "-1/4"])
    ([1, -1/2], 133/16)
    """
    if len(x) != len(y) or not x:
        raise InvalidInput("vectors", needs="two vectors of the same positive length", got=(len(x), len(y)))
    a, b = [exact_number(e, "x") for e in x], [exact_number(e, "y") for e in y]
    return [e * f for e, f in zip(a, b, strict=True)], sum((e**2 for e in (*a, *b)), sympy.Integer(0))


def _coordinate_expression(law: str, order: int, parameter: Exact) -> sympy.Expr:
    """Moment of one coordinate as an expression in t, for the law ``poisson`` or ``geometric``."""
    value = (RATE if law == "poisson" else SUCCESS).read(parameter, f"{law} features")
    if law == "poisson":
        return POISSON.subs({n: order, lam: value})
    if law == "geometric":
        return _geometric_moment_expression(order).subs(p, value)
    raise InvalidInput("law", needs="poisson or geometric", got=law)


def dirf_moment(
    law: str, order: int, x: Sequence[Exact], y: Sequence[Exact], parameter: Exact, digits: int = 30
) -> Enclosure:
    """E Z^n of one feature pair for given vectors, zero coordinates and opposite signs included.

    Parameters
    ----------
    law : ``poisson`` or ``geometric``.
    order : n >= 1.
    x, y : the vectors, entries as exact numbers.
    parameter : lambda > 0, or p in (0, 1).
    digits : significant digits.

    Source
    ------
    Likhosherstov et al. 2022, Sections 3.2.1 and 3.2.2; n = 2 is (11) and (13) plus K^2.

    Examples
    --------
    >>> print(dirf_moment("geometric", 1, ["0.5", 0], ["0.5", 1], "1/3", digits=12))
    0.606530659713
    """
    return certify(
        lambda: evaluate(moment_expression(law, order, x, y, parameter)), digits, f"{law} moment {order}"
    )


def moment_expression(
    law: str, order: int, x: Sequence[Exact], y: Sequence[Exact], parameter: Exact
) -> sympy.Expr:
    """E Z^n as an expression without free symbols.

    Examples
    --------
    >>> sympy.simplify(moment_expression("poisson", 1, [1], [2], 3))
    exp(-1/2)
    """
    products, total = read_vectors(x, y)
    single = _coordinate_expression(law, order, parameter)
    return exp(-order * total / 2) * sympy.Mul(*(single.subs(t, value) for value in products))


# ---- Poisson features ----------------------------------------------------------------------------------

PRINTED_POISSON_VARIANCE = exp(lam * d + squares / lam - norms) - KERNEL_SQUARED
"""Eq. (11)."""

poisson_moment = register(Formula(name="poisson_moment", says="moment E Z^n of one Poisson feature pair",
    source="ours; chefs.thm3.4 for n = 2", variables=(ORDER, DIMENSION, RATE, POWERS, NORMS),
    expression=exp((n - 1) * lam * d + lam ** (1 - n) * powers - n * norms / 2),
    routes=(
        Route("equal coordinates", lambda n, d, lam, powers, norms: _equal_poisson(n, d, lam, powers, norms),
            "d coordinates with the product (powers/d)^(1/n)",
            lambda values: values["powers"] > 0 and _few_terms(values, values["powers"] / values["d"])),
        Route("one coordinate", lambda n, d, lam, powers,
            norms: (poisson_coordinate_sum(n, lam, powers.root(n)) * poisson_coordinate_sum(n, lam, arb(0)) ** (
                d - 1) * (-norms * n / 2).exp()),
            "a vector with one product (powers)^(1/n) and zeros",
            lambda values: values["powers"] > 0 and _few_poisson_powers(values)))))  # fmt: skip


def _few_poisson_powers(values: Mapping[str, sympy.Expr]) -> bool:
    """Whether the whole power sum in one coordinate leaves a short series."""
    return bool(values["lam"] < 1000 and values["lam"] ** (1 - values["n"]) * values["powers"] < 5000)


def _equal_poisson(n: int, d: int, lam: arb, powers: arb, norms: arb) -> arb:
    """The moment depends on the products through their power sum alone, so equal products have the same one."""
    product = (powers / d).root(n)
    return poisson_coordinate_sum(n, lam, product) ** d * (-norms * n / 2).exp()


def _poisson_by_two_values(d: int, lam: arb, dot: arb, squares: arb, norms: arb) -> arb:
    """The literal variance for d - 1 equal products and one other, with the given sum and sum of squares."""
    mean = dot / d
    square = (squares - d * mean * mean) * (d - 1) / d
    # either is right: the root of a number in the ball, which is at least 0
    spread = square.sqrt() if square > 0 else arb(0).union(square.upper().max(arb(0)).sqrt())
    one, rest = mean + spread, mean - spread / max(d - 1, 1)
    second = poisson_coordinate_sum(2, lam, one) * poisson_coordinate_sum(2, lam, rest) ** (d - 1)
    first = poisson_coordinate_sum(1, lam, one) * poisson_coordinate_sum(1, lam, rest) ** (d - 1)
    return (-norms).exp() * (second - first**2)


def _poisson_by_sums(d: int, lam: arb, dot: arb, squares: arb, norms: arb) -> arb:
    second = poisson_coordinate_sum(2, lam, (squares / d).sqrt()) ** d
    first = poisson_coordinate_sum(1, lam, dot / d) ** d
    return (-norms).exp() * (second - first**2)


_PAIR = (DOT, SQUARES, NORMS)
_PAIR_CONDITIONS = (CAUCHY, DOMINATED, BOUNDED_DOT)

poisson_mean = register(Formula(name="poisson_mean", says="mean of one Poisson feature pair: the Gaussian kernel",
    source="chefs.eq9, chefs.eq10, chefs.3.2.pois", variables=(DIMENSION, RATE, DOT, NORMS),
    expression=exp(dot - norms / 2), conditions=(BOUNDED_DOT,),
    routes=(
        Route("expectation", lambda d, lam, dot,
            norms: poisson_coordinate_sum(1, lam, dot / d) ** d * (-norms / 2).exp(),
            "sums over the Poisson law, equal products", lambda values: abs(values["dot"]) <= MOST_TERMS * values["d"]),
        Route("distance", lambda d, lam, dot, norms: (-(norms - 2 * dot) / 2).exp(),
            "the Gaussian kernel at |x-y|^2 = |x|^2 + |y|^2 - 2 x.y"),
        Route("one coordinate", lambda d, lam, dot, norms: poisson_coordinate_sum(1, lam, dot) * (-norms / 2).exp(),
            "sum over the Poisson law, the whole of x.y in one coordinate",
            lambda values: abs(values["dot"]) <= 2000 and values["lam"] <= 1000))))  # fmt: skip

poisson_variance = register(Formula(name="poisson_variance", says="variance of one Poisson feature pair",
    source="chefs.thm3.4 (11)", variables=(DIMENSION, RATE, *_PAIR), expression=PRINTED_POISSON_VARIANCE,
    conditions=_PAIR_CONDITIONS, zero=sympy.Eq(lam * d + squares / lam, 2 * dot),
    routes=(
        Route("expectation", _poisson_by_sums,
            "sums over the Poisson law; (11) knows the products by their sums only",
            lambda values: (within(lam=1000, norms=2000)(values)
                and _few_terms({**values, "n": sympy.Integer(2)}, values["squares"] / values["d"]))),
        Route("two values", _poisson_by_two_values,
            "sums over the Poisson law for a vector with one product apart from the others",
            lambda values: _few_poisson_squares(values), valid=lambda values: bool(values["d"] > 1)))))  # fmt: skip

poisson_lambda = register(Formula(name="poisson_lambda",
    says="lambda* that minimises the variance of Poisson features; needs a nonzero product",
    source="chefs.3.2.lambda", variables=(DIMENSION, POSITIVE_SQUARES), expression=sqrt(squares / d),
    routes=(
        Route("stationary point", lambda d, squares: _bisected_rate(d, squares),
            "zero of the increasing derivative of the exponent of (11)"),
        Route("means", lambda d, squares: ((squares.log() - arb(d).log()) / 2).exp(),
            "geometric mean of 1 and squares/d, where lam d and squares/lam are equal"))))  # fmt: skip


def _few_poisson_squares(values: Mapping[str, sympy.Expr]) -> bool:
    return within(lam=1000, norms=2000)(values) and bool(values["squares"] < 5000 * values["lam"])


def _bracket(square: arb) -> tuple[arb, arb]:
    """Two exact points on both sides of the root of ``square``."""
    middle = square.sqrt().mid()
    return arb((middle / 2).mid()), arb((middle * 2).mid())


def _bisected_rate(d: int, squares: arb) -> arb:
    return monotone_root(lambda rate: d - squares / rate**2, *_bracket(squares / d))


OPTIMAL_POISSON = exp(-norms) * (exp(2 * sqrt(d * squares)) - exp(2 * dot))

poisson_minimal_variance = register(Formula(name="poisson_minimal_variance",
    says="variance of Poisson features at lambda*; zero for equal products of one sign",
    source="chefs.thm3.4, chefs.3.2.lambda", variables=(DIMENSION, DOT, POSITIVE_SQUARES, NORMS),
    expression=OPTIMAL_POISSON, conditions=_PAIR_CONDITIONS, zero=sympy.Eq(dot**2, d * squares) & (dot > 0),
    routes=(Route("(11) at lambda*", PRINTED_POISSON_VARIANCE.subs(lam, sqrt(squares / d)), "both as printed"),
        Route("expectation at bisected lambda", lambda d, dot, squares,
            norms: _poisson_by_sums(d, _bisected_rate(d, squares), dot, squares, norms),
            "sums over the Poisson law at the numerical minimiser",
            lambda values: within(norms=2000)(values) and bool(
                values["squares"] <= 10**6 * values["d"])))))  # fmt: skip

log_poisson_second = register(Formula(name="log_poisson_second", says="log E Z^2 of Poisson features at lambda*",
    source="chefs.thm3.4, chefs.3.2.lambda", variables=(DIMENSION, SQUARES, NORMS),
    expression=2 * sqrt(d * squares) - norms, conditions=(DOMINATED,), zero=sympy.Eq(norms**2, 4 * d * squares),
    routes=(
        Route("(11) at lambda*", log(exp(d * sqrt(squares / d) + squares / sqrt(squares / d) - norms)),
            "printed, plus K^2", lambda values: 0 < values["squares"] <= 10**8),
        Route("expectation", lambda d, squares,
            norms: (d * poisson_coordinate_sum(2, (squares / d).sqrt(), (squares / d).sqrt()).log() - norms),
            "sum over the Poisson law at lambda*, equal products",
            lambda values: 0 < values["squares"] <= 10**6 * values["d"]))))  # fmt: skip


# ---- geometric features --------------------------------------------------------------------------------

_Z = 2 * Abs(t) / sqrt(1 - p)
PRINTED_GEOMETRIC_VARIANCE = p ** (-d) * exp(-norms) * besseli(0, _Z) ** d - exp(2 * d * t - norms)
"""Eq. (13) for equal products x_l y_l = t."""


def _geometric_by(second: Callable[[int, arb, arb], arb]) -> Callable[..., arb]:
    def variance(d: int, p: arb, t: arb, norms: arb) -> arb:
        return (-norms).exp() * (second(2, p, t) ** d - geometric_coordinate_sum(1, p, t) ** (2 * d))

    return variance


geometric_variance = register(Formula(name="geometric_variance",
    says="variance of one geometric feature pair, all products x_l y_l equal to t ", source="chefs.thm3.5 (13)",
    variables=(DIMENSION, SUCCESS, PRODUCT, NORMS), expression=PRINTED_GEOMETRIC_VARIANCE,
    conditions=(BOUNDED_PRODUCT,),
    routes=(Route("expectation", _geometric_by(geometric_coordinate_sum), "sums over the geometric law"),
        Route("circle", _geometric_by(_geometric_by_circle), "Bessel's integral of I_0"))))  # fmt: skip


Slope = Callable[[arb], arb]
Products = Sequence[tuple[int, arb]]
"""Products x_l y_l, and how many coordinates have each."""


def _count(products: Products) -> int:
    return sum(count for count, _ in products)


def _bessel_slope(products: Products) -> Slope:
    """The sign of d/dp of -d log p + sum_l log I_0(2 |t_l| (1-p)^(-1/2)) as a function of the odds o = p/(1-p).

    The first part is convex; the second is a convex increasing function (log I_0) of a convex one. With u^2 = 1 + o the
    derivative has the sign of sum_l |t_l| u (I_1/I_0)(2 |t_l| u) - d/o, which no p near 0 or 1 can spoil.
    """
    sizes = [(count, abs(a)) for count, a in products if not a.is_zero()]

    def slope(odds: arb) -> arb:
        u = (1 + odds).sqrt()
        total = sum((count * a * u * _bessel_ratio(2 * a * u) for count, a in sizes), start=arb(0))
        return total - _count(products) / odds

    return slope


def _bessel_ratio(z: arb) -> arb:
    """I_1(z)/I_0(z)."""
    return z.bessel_i(1, scaled=True) / z.bessel_i(0, scaled=True)


def _series_slope(products: Products) -> Slope:
    """The same through 0F1: I_0(2 sqrt(s)) = 0F1(; 1; s) and its logarithmic derivative 0F1(; 2; s)/0F1(; 1; s)."""

    def slope(odds: arb) -> arb:
        total = arb(0)
        for count, a in products:
            s = a * a * (1 + odds)
            total += count * s * s.hypgeom([], [arb(2)]) / s.hypgeom([], [arb(1)])
        return total - _count(products) / odds

    return slope


def _circle_slope(products: Products) -> Slope:
    """The same by I_k(z) = (1/pi) int exp(z cos a) cos(k a) da."""

    def slope(odds: arb) -> arb:
        u, total = (1 + odds).sqrt(), arb(0)
        for count, product in products:
            size = abs(product)
            z = 2 * size * u

            def mean(weight: Callable[[acb], acb], z: arb = z) -> arb:
                return certified_integral(lambda a, _: (z * (a.cos() - 1)).exp() * weight(a), 0, arb.pi())

            total += count * size * u * mean(lambda a: a.cos()) / mean(lambda a: a * 0 + 1)
        return total - _count(products) / odds

    return slope


def _optimal_p_ball(slope_of: Callable[[Products], Slope], products: Products) -> arb:
    """The minimising p; it exists as soon as one product is not zero.

    By z/(2 + z) <= I_1(z)/I_0(z) <= z/2 the odds lie between those at which these bounds stand in place of the ratio.
    """
    products = [(count, a) for count, a in products if count]
    squares = sum((count * a * a for count, a in products), start=arb(0))
    largest = reduce(arb.max, (abs(a) for _, a in products))
    if not largest > 0:
        raise Undecided("products", reached="none is proved to be nonzero")
    share = _count(products) / squares
    low = 2 * share / (1 + (1 + 4 * share).sqrt())
    high = 2 * _count(products) / largest
    odds = monotone_root(slope_of(products), (low * arb("0.999")).mid(), (high * arb("1.001")).mid())
    return 1 / (1 + 1 / odds)


NONZERO_PRODUCT = Condition("t != 0", sympy.Ne(t, 0))

geometric_p = register(Formula(name="geometric_p",
    says="p* that minimises the variance of geometric features, all products equal to t (any dimension)",
    source="chefs.thm3.5, chefs.3.2.geom-cost", variables=(PRODUCT,),
    expression=sympy.Function("argmin_p")(-log(p) + log(besseli(0, _Z))), conditions=(NONZERO_PRODUCT,),
    readable=False,
    routes=(Route("Bessel", lambda t: _optimal_p_ball(_bessel_slope, [(1, t)]), "zero of the increasing derivative"),
        Route("0F1", lambda t: _optimal_p_ball(_series_slope, [(1, t)]), "the same derivative through 0F1",
            within(t=10**6)),
        Route("circle", lambda t: _optimal_p_ball(_circle_slope, [(1, t)]),
            "the same derivative through Bessel's integrals", within(t=20))),
    fast="Bessel"))  # fmt: skip


def _two_products(slope_of: Callable[[Products], Slope]) -> Callable[..., arb]:
    return lambda k, l, t, u: _optimal_p_ball(slope_of, [(k, t), (l, u)])


_FIRST = Variable(sympy.Symbol("k", integer=True, positive=True), "coordinates of the first kind", integer=True, low=1,
    high=4096)  # fmt: skip
_SECOND = Variable(sympy.Symbol("l", integer=True, nonnegative=True), "coordinates of the second kind", integer=True,
    low=0, high=4096)  # fmt: skip
_OTHER = Variable(sympy.Symbol("u", real=True), "product x_l y_l of a coordinate of the second kind")

geometric_p_unequal = register(Formula(name="geometric_p_unequal",
    says="p* that minimises the variance of geometric features, k products equal to t and l equal to u",
    source="chefs.thm3.5 (13), chefs.3.2.geom-cost", variables=(_FIRST, _SECOND, PRODUCT, _OTHER),
    expression=sympy.Function("argmin_p")(-(_FIRST.symbol + _SECOND.symbol) * log(p)
        + _FIRST.symbol * log(besseli(0, _Z)) + _SECOND.symbol * log(besseli(0, _Z.subs(t, _OTHER.symbol)))),
    conditions=(NONZERO_PRODUCT,), readable=False,
    routes=(Route("Bessel", _two_products(_bessel_slope), "zero of the increasing derivative"),
        Route("0F1", _two_products(_series_slope), "the same derivative through 0F1", within(t=10**6, u=10**6)),
        Route("circle", _two_products(_circle_slope), "the same derivative through Bessel's integrals",
            within(t=20, u=20))),
    fast="Bessel"))  # fmt: skip

log_geometric_second = register(Formula(name="log_geometric_second",
    says="log E Z^2 of geometric features at p*, all products equal to t", source="chefs.thm3.5",
    variables=(DIMENSION, PRODUCT, NORMS),
    expression=d * sympy.Function("min_p")(-log(p) + log(besseli(0, _Z))) - norms,
    conditions=(NONZERO_PRODUCT, BOUNDED_PRODUCT), readable=False,
    routes=(
        Route("Bessel", lambda d, t, norms: _log_minimum(d, t, _optimal_p_ball(_bessel_slope, [(1, t)])) - norms,
            "(13) at p*"),
        Route("circle", lambda d, t,
            norms: (d * _geometric_by_circle(2, _optimal_p_ball(_series_slope, [(1, t)]), t).log() - norms),
            "Bessel's integral at p*", within(t=100)),
        Route("expectation", lambda d, t,
            norms: (d * geometric_coordinate_sum(2, _optimal_p_ball(_series_slope, [(1, t)]), t).log() - norms),
            "sum over the geometric law at p*", within(t=1000))),
    fast="Bessel"))  # fmt: skip


def _log_minimum(d: int, t: arb, p: arb) -> arb:
    return d * ((2 * abs(t) / (1 - p).sqrt()).bessel_i(0).log() - p.log())


# ---- averages over data --------------------------------------------------------------------------------

Vectors = Sequence[Sequence[Exact]]


def _matrix(vectors: Vectors, subject: str) -> list[list[sympy.Expr]]:
    rows = [[exact_number(e, subject) for e in row] for row in vectors]
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise InvalidInput(
            subject, needs="one or more vectors of the same positive length", got=[len(r) for r in rows]
        )
    return rows


def _pair_of_matrices(xs: Vectors, ys: Vectors) -> tuple[list[list[sympy.Expr]], list[list[sympy.Expr]]]:
    a, b = _matrix(xs, "xs"), _matrix(ys, "ys")
    if len(a[0]) != len(b[0]):
        raise InvalidInput("ys", needs=f"vectors of length {len(a[0])}", got=len(b[0]))
    return a, b


def _column_sums(rows: list[list[sympy.Expr]], f: Callable[[sympy.Expr], sympy.Expr]) -> list[sympy.Expr]:
    return [sum((f(row[i]) for row in rows), sympy.Integer(0)) for i in range(len(rows[0]))]


def average_square_sum(xs: Vectors, ys: Vectors, s: int = 1) -> sympy.Expr:
    """Mean of |x + s y|^2 over all pairs, by the right side of (8): linear in the number of vectors, exact.

    Also for sets of different sizes L and L', with 2s/(L L') in the middle term.

    Examples
    --------
    >>> average_square_sum([[1, 2], [0, 1]], [["1/2", 0], [3, 1]])
    91/8
    """
    a, b = _pair_of_matrices(xs, ys)
    mean_a, mean_b = ([e / len(rows) for e in _column_sums(rows, lambda e: e)] for rows in (a, b))
    cross = sum((e * f for e, f in zip(mean_a, mean_b, strict=True)), sympy.Integer(0))
    own = [sum(_column_sums(rows, lambda e: e**2), sympy.Integer(0)) / len(rows) for rows in (a, b)]
    return own[0] + 2 * s * cross + own[1]
