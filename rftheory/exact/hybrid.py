"""Base estimators of the softmax kernel and their hybrids: MSEs, joint and higher moments, size and cost of the map.

Inputs are described by x = |x|, y = |y| and their angle theta. T is the trigonometric estimator (2), P the hyperbolic
one (3) (both signs of the projection), each from m projections. A bipolar hybrid is H = L P + (1 - L) T with an
independent coefficient estimator L, of which only moments matter: l1 = E L and l2 = E L^2 for the MSE.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sympy
from flint import acb, arb
from sympy import Expr, Rational, cos, exp, log, sin, sinh

from rftheory.errors import InvalidInput
from rftheory.exact.complex_exponential import COEFFICIENT_FEATURES, gaussian_mean, n
from rftheory.exact.formula import Condition, Formula, Route, Variable, logarithms, register
from rftheory.exact.symbols import DIMENSION, FEATURES, X_NORM, Y_NORM, d, m, x, y
from rftheory.exact.truth import is_positive

theta = sympy.Symbol("theta", nonnegative=True)
l1 = sympy.Symbol("l1", real=True)
l2 = sympy.Symbol("l2", nonnegative=True)

ANGLE = Variable(theta, "angle between x and y, such as 1 or pi/3", low=0, high=sympy.pi)
FIRST = Variable(l1, "mean of the coefficient estimator")
SECOND = Variable(l2, "second moment of the coefficient estimator", low=0)
PAIR = (X_NORM, Y_NORM, ANGLE)

SUM2 = (x - y) ** 2 + 4 * x * y * cos(theta / 2) ** 2
"""|x + y|^2, without cancellation at opposite vectors."""
DIFFERENCE2 = (x - y) ** 2 + 4 * x * y * sin(theta / 2) ** 2
"""|x - y|^2, without cancellation at equal vectors."""
SOFTMAX = exp(x * y * cos(theta))
CROSS = (x - y) * (x + y)
"""(x + y).(x - y) = |x|^2 - |y|^2, the covariance of w.(x + y) and w.(x - y)."""


@dataclass(frozen=True)
class PairBalls:
    """The invariants of a pair as balls.

    Examples
    --------
    >>> pair = PairBalls.of(arb(1), arb(2), arb.pi() / 3)
    >>> pair.draws(1, 0).overlaps(arb(1)), pair.inner.overlaps(arb(1))
    (True, True)
    """

    sum2: arb
    difference2: arb
    cross: arb
    inner: arb

    @classmethod
    def of(cls, x: arb, y: arb, theta: arb) -> PairBalls:
        step = (x - y) * (x - y)  # a power would be undefined for a ball that straddles zero
        return cls(
            step + 4 * x * y * (theta / 2).cos() ** 2,
            step + 4 * x * y * (theta / 2).sin() ** 2,
            (x - y) * (x + y),
            x * y * theta.cos(),
        )

    def draws(self, a: int, b: int) -> arb:
        """E p^a t^b of one draw p of P and t of T from the same projection, relative to SM.

        p = cosh(w.(x+y))/E and t = cos(w.(x-y))/E: products of exponentials of w.(j (x+y) + i k (x-y)), Lemma 2.4.
        """
        total = arb(0)
        for i in range(a + 1):
            for j in range(b + 1):
                up, turn = a - 2 * i, b - 2 * j
                size = ((up * up - a) * self.sum2 - (turn * turn - b) * self.difference2) / 2
                total += math.comb(a, i) * math.comb(b, j) * size.exp() * (up * turn * self.cross).cos()
        return total / 2 ** (a + b)

    def integrated_draws(self, a: int, b: int) -> arb:
        """The same as an integral over w.(x+y); given it, w.(x-y) is normal and cos^b has a closed mean."""
        v = self.sum2.sqrt()
        along = self.cross / v if is_positive(v, "|x + y|") else arb(0)
        across2 = self.difference2 - along * along
        scale = (-(a * self.sum2) / 2 + b * self.difference2 / 2).exp()

        waves = []
        for j in range(b // 2 + 1):  # those of b - j and j are the same
            turn, ways = b - 2 * j, math.comb(b, j) * (2 if 2 * j < b else 1)
            waves.append((acb(turn * along), acb(ways * (-(turn * turn) * across2 / 2).exp() / 2**b)))

        def cosines(g: acb) -> acb:
            return sum(((g * turn).cos() * size for turn, size in waves), acb(0))

        return scale * gaussian_mean(lambda g: (v * g).cosh() ** a * cosines(g), a * v)


Draws = Callable[[int, int], arb]
NormAngle = Callable[..., arb]


def _modest(values: Mapping[str, Expr]) -> bool:
    """Where the Gaussian integrals are quick and no quantity vanishes: 1/1000 <= |x|, |y| <= 2, inner angles."""
    norms = [values[name] for name in ("x", "y", "r") if name in values]
    inside = Rational(1, 1000) <= values["theta"] <= 3
    return inside and all(Rational(1, 1000) <= a <= 2 for a in norms)


def _positive_pair(values: Mapping[str, Expr]) -> bool:
    return _modest(values) and bool(values["x"] != values["y"])


def _by_draws(law: Callable[[Draws, int], arb], *, integrals: bool = False) -> NormAngle:
    """A route: SM^power law(E p^a t^b, m)."""

    def ball(x: arb, y: arb, theta: arb, m: int) -> arb:
        pair = PairBalls.of(x, y, theta)
        return (2 * pair.inner).exp() * law(pair.integrated_draws if integrals else pair.draws, m)

    return ball


def _draw_routes(law: Callable[[Draws, int], arb]) -> tuple[Route, Route]:
    return (
        Route("raw moments", _by_draws(law), "E p^a t^b by Lemma 2.4, relative to SM"),
        Route("integrals", _by_draws(law, integrals=True), "E p^a t^b by Gaussian integrals", _modest),
    )


# ---- Lemma 2.2 -----------------------------------------------------------------------------------------

_trig = exp(SUM2) / SOFTMAX**2 * (1 - exp(-DIFFERENCE2)) ** 2 / (2 * m)
_hyperbolic = exp(SUM2) * SOFTMAX**2 * (1 - exp(-SUM2)) ** 2 / (2 * m)
_positive = SOFTMAX**2 * (exp(SUM2) - 1) / m

softmax_trig_mse = register(Formula(name="softmax_trig_mse",
    says="MSE of the trigonometric estimator T of the softmax kernel", source="hybrid.lem2.2 (7)",
    variables=(*PAIR, FEATURES), expression=_trig, zero=sympy.Eq(x, y) & (sympy.Eq(theta, 0) | sympy.Eq(x, 0)),
    routes=(*_draw_routes(lambda e, m: (e(0, 2) - 1) / m),
        Route("sinh", 2 * SOFTMAX**2 * sinh(DIFFERENCE2 / 2) ** 2 / m,
            "relative MSE (2/m) sinh^2(|x-y|^2/2)"))))  # fmt: skip

softmax_hyperbolic_mse = register(Formula(name="softmax_hyperbolic_mse",
    says="MSE of the positive estimator P with both signs of the projection (cosh) of the softmax kernel",
    source="hybrid.lem2.2 (7)", variables=(*PAIR, FEATURES), expression=_hyperbolic,
    zero=sympy.Eq(x, y) & (sympy.Eq(theta, sympy.pi) | sympy.Eq(x, 0)),
    routes=(*_draw_routes(lambda e, m: (e(2, 0) - 1) / m),
        Route("sinh", 2 * SOFTMAX**2 * sinh(SUM2 / 2) ** 2 / m,
            "relative MSE (2/m) sinh^2(|x+y|^2/2)"))))  # fmt: skip


def _one_sided(x: arb, y: arb, theta: arb, m: int) -> arb:
    pair = PairBalls.of(x, y, theta)
    second = gaussian_mean(lambda g: (2 * pair.sum2.sqrt() * g - pair.sum2).exp(), 2 * pair.sum2.sqrt())
    return (2 * pair.inner).exp() * (second - 1) / m


softmax_positive_mse = register(Formula(name="softmax_positive_mse",
    says="MSE of the positive estimator with m features exp(w.u) (one sign), the CE estimator with A = I",
    source="hybrid.txt.A-is-I (corrected)", variables=(*PAIR, FEATURES), expression=_positive,
    zero=sympy.Eq(x, y) & (sympy.Eq(theta, sympy.pi) | sympy.Eq(x, 0)),
    routes=(Route("sinh", 2 * SOFTMAX**2 * exp(SUM2 / 2) * sinh(SUM2 / 2) / m, "e^u - 1 = 2 e^(u/2) sinh(u/2)"),
        Route("integrals", _one_sided, "second moment by a Gaussian integral", _modest))))  # fmt: skip

for _formula in (softmax_trig_mse, softmax_hyperbolic_mse, softmax_positive_mse):
    register(
        Formula(
            name=f"log_{_formula.name}",
            says=f"log of {_formula.name}",
            source=_formula.source,
            variables=_formula.variables,
            conditions=(Condition("an error that is not 0", sympy.Not(_formula.zero)),),
            expression=log(_formula.expression),
            routes=logarithms(_formula, *(name for name in _formula.all_routes if name != "definition")),
        )
    )


# ---- Theorem 3.1 ---------------------------------------------------------------------------------------

_independent = l2 * _hyperbolic + (1 - 2 * l1 + l2) * _trig
_shared_gain = 2 * SOFTMAX**2 * (1 - cos(CROSS)) * (l1 - l2) / m

base_covariance = register(Formula(name="base_covariance",
    says="Cov(P, T) for estimators that share their projections: -SM^2 (1 - cos(|x|^2 - |y|^2))/m",
    source="hybrid.thm3.1.II step (38)", variables=(*PAIR, FEATURES), expression=-(SOFTMAX**2) * (1 - cos(CROSS)) / m,
    zero=sympy.Eq(x, y),
    routes=(Route("raw moments", _by_draws(lambda e, m: (e(1, 1) - 1) / m), "E p t by Lemma 2.4"),
        Route("integrals", _by_draws(lambda e, m: (e(1, 1) - 1) / m, integrals=True),
            "E p t by a Gaussian integral", _positive_pair),
        Route("half angle", -2 * SOFTMAX**2 * sin(CROSS / 2) ** 2 / m, "1 - cos u = 2 sin^2(u/2)"))))  # fmt: skip


def _bipolar(shared: bool, *, integrals: bool = False) -> NormAngle:
    """E H^2 - SM^2 from second moments of P, T and L."""

    def ball(x: arb, y: arb, theta: arb, m: int, l1: arb, l2: arb) -> arb:
        pair = PairBalls.of(x, y, theta)
        e = pair.integrated_draws if integrals else pair.draws
        p2, t2 = ((e(*power) + m - 1) / m for power in ((2, 0), (0, 2)))
        pt = (e(1, 1) + m - 1) / m if shared else arb(1)
        return (2 * pair.inner).exp() * (l2 * p2 + (1 - 2 * l1 + l2) * t2 + 2 * (l1 - l2) * pt - 1)

    return ball


bipolar_mse = register(Formula(name="bipolar_mse",
    says="MSE of the bipolar hybrid L P + (1 - L) T, independent projections", source="hybrid.thm3.1.I (22)",
    variables=(*PAIR, FEATURES, FIRST, SECOND), expression=_independent,
    routes=(Route("second moments", _bipolar(False), "E H^2 - SM^2"),
        Route("integrals", _bipolar(False, integrals=True), "the same by Gaussian integrals",
            _modest))))  # fmt: skip

bipolar_shared_mse = register(Formula(name="bipolar_shared_mse",
    says="MSE of the bipolar hybrid L P + (1 - L) T, the same projections in P and T", source="hybrid.thm3.1.II (23)",
    variables=(*PAIR, FEATURES, FIRST, SECOND), expression=_independent - _shared_gain,
    routes=(Route("second moments", _bipolar(True), "E H^2 - SM^2"),
        Route("integrals", _bipolar(True, integrals=True), "the same by Gaussian integrals", _modest))))  # fmt: skip

sharing_gain = register(Formula(name="sharing_gain",
    says="by how much sharing projections lowers the MSE of a bipolar hybrid; negative where E L(1 - L) < 0",
    source="hybrid.thm3.1.reduced", variables=(*PAIR, FEATURES, FIRST, SECOND), expression=_shared_gain,
    zero=sympy.Eq(x, y) | sympy.Eq(l1, l2),
    routes=(Route("half angle", 4 * SOFTMAX**2 * sin(CROSS / 2) ** 2 * (l1 - l2) / m, "1 - cos u = 2 sin^2(u/2)"),
        Route("difference of (22) and (23)", lambda **v: _bipolar(False)(**v) - _bipolar(True)(**v),
            "from second moments",
            lambda values: values["x"] != values["y"] and values["l1"] != values["l2"]))))  # fmt: skip


# ---- third and fourth moments of a hybrid ----------------------------------------------------------------
#
# With D = P/SM - 1, F = T/SM - 1 and L independent of them, (H/SM - 1)^k = (L D + (1-L) F)^k; D and F are means of m
# iid centred draws, so their joint moments up to order 4 follow from those of one draw.


def _draw_moment(a: int, b: int) -> Expr:
    """E p^a t^b of one shared draw, relative to SM, as an expression in x, y, theta."""
    total = sympy.S.Zero
    for i in range(a + 1):
        for j in range(b + 1):
            up, turn = a - 2 * i, b - 2 * j
            size = exp(((up * up - a) * SUM2 - (turn * turn - b) * DIFFERENCE2) / 2)
            total += math.comb(a, i) * math.comb(b, j) * size * cos(up * turn * CROSS)
    return total / 2 ** (a + b)


def _centred(raw: Callable[[int, int], object], a: int, b: int) -> object:
    """E (p - 1)^a (t - 1)^b from raw moments."""
    return sum(
        (-1) ** (a + b - i - j) * math.comb(a, i) * math.comb(b, j) * raw(i, j)  # type: ignore[operator]
        for i in range(a + 1)
        for j in range(b + 1)
    )


def _mean_moment(mu: Callable[[int, int], Expr], a: int, b: int) -> Expr:
    """E D^a F^b, a + b = 3 or 4, for the means of m draws with centred joint moments ``mu``."""
    if a + b == 3:
        return mu(a, b) / m**2
    paired = {
        0: 3 * mu(0, 2) ** 2,
        1: 3 * mu(1, 1) * mu(0, 2),
        2: mu(2, 0) * mu(0, 2) + 2 * mu(1, 1) ** 2,
        3: 3 * mu(2, 0) * mu(1, 1),
        4: 3 * mu(2, 0) ** 2,
    }[a]
    return (mu(a, b) + (m - 1) * paired) / m**3


def hybrid_moment(order: int, coefficient: Callable[[int, int], Expr], *, shared: bool) -> Expr:
    """E (H - SM)^order, order 3 or 4, as an expression.

    Parameters
    ----------
    coefficient : E L^a (1 - L)^b as an expression.
    shared : P and T use the same projections.

    Examples
    --------
    >>> trigonometric = hybrid_moment(4, lambda a, b: sympy.Integer(a == 0), shared=True)
    >>> trigonometric.subs({x: 1, y: 1, theta: 0})
    0
    """
    raw = (
        (lambda a, b: _draw_moment(a, b))
        if shared
        else (lambda a, b: _draw_moment(a, 0) * _draw_moment(0, b))
    )

    def mu(a: int, b: int) -> Expr:
        return sympy.sympify(_centred(raw, a, b))

    def joint(a: int, b: int) -> Expr:
        if shared or a == 0 or b == 0 or a + b == 3:
            return _mean_moment(mu, a, b) if shared or 0 in (a, b) else sympy.S.Zero
        return mu(2, 0) * mu(0, 2) / m**2 if a == b else sympy.S.Zero

    terms = (math.comb(order, a) * coefficient(a, order - a) * joint(a, order - a) for a in range(order + 1))
    return SOFTMAX**order * sum(terms, start=sympy.S.Zero)


def hybrid_moment_ball(
    order: int,
    pair: PairBalls,
    m: int,
    coefficient: Callable[[int, int], arb],
    *,
    shared: bool,
    integrals: bool = False,
) -> arb:
    """E (H - SM)^order by another way: raw moments of the sums over m draws, as powers of truncated series.

    E (sum p)^a (sum t)^b / (a! b!) is the coefficient of s^a u^b in (sum_ij E p^i t^j s^i u^j/(i! j!))^m.

    Examples
    --------
    >>> equal = PairBalls.of(arb(1), arb(1), arb(0))
    >>> trigonometric = hybrid_moment_ball(4, equal, 3, lambda a, b: arb(int(a == 0)), shared=True)
    >>> trigonometric.contains(0)
    True
    """
    sums = _raw_sums(pair.integrated_draws if integrals else pair.draws, m, order, shared)
    total = arb(0)
    for i in range(order + 1):
        sign = math.comb(order, i) * (-1) ** (order - i)
        for a in range(i + 1):
            total += sign * math.comb(i, a) * coefficient(a, i - a) * sums[a][i - a] / arb(m) ** i
    return (order * pair.inner).exp() * total


Grid = list[list[arb]]


def _raw_sums(e: Draws, m: int, order: int, shared: bool) -> Grid:
    """E (sum p)^a (sum t)^b over m draws, for a + b <= order."""

    def series(size_a: int, size_b: int) -> Grid:
        inside = [[i <= size_a and j <= size_b for j in range(order + 1)] for i in range(order + 1)]
        return [
            [
                e(i, j) / math.factorial(i) / math.factorial(j) if inside[i][j] else arb(0)
                for j in range(order + 1)
            ]
            for i in range(order + 1)
        ]

    if shared:
        power = _series_power(series(order, order), m, order)
    else:
        power = _outer(
            _series_power(series(order, 0), m, order), _series_power(series(0, order), m, order), order
        )
    return [
        [c * (math.factorial(i) * math.factorial(j)) for j, c in enumerate(row)]
        for i, row in enumerate(power)
    ]


def _outer(left: Grid, right: Grid, order: int) -> Grid:
    """Product of two truncated series in two variables."""
    product = [[arb(0)] * (order + 1) for _ in range(order + 1)]
    for a in range(order + 1):
        for b in range(order + 1 - a):
            product[a][b] = sum(
                (left[i][j] * right[a - i][b - j] for i in range(a + 1) for j in range(b + 1)), start=arb(0)
            )
    return product


def _series_power(series: Grid, exponent: int, order: int) -> Grid:
    result = [[arb(1 if i == j == 0 else 0) for j in range(order + 1)] for i in range(order + 1)]
    while exponent:
        if exponent & 1:
            result = _outer(result, series, order)
        exponent >>= 1
        series = _outer(series, series, order) if exponent else series
    return result


# ---- size and cost of the feature map (11) -------------------------------------------------------------


@dataclass(frozen=True)
class MapCost:
    """Size and multiplications of the feature map (11), for one input.

    Attributes
    ----------
    dimension : length of the vector.
    projections : multiplications w.u of all maps that do not share projections.
    products : multiplications of the outer products rho (x) phi.

    Examples
    --------
    >>> map_cost(d=64, m=8, n=8, base=[2, 2], coefficients=[1]).total
    2816
    """

    dimension: int
    projections: int
    products: int

    @property
    def total(self) -> int:
        return self.projections + self.products


def map_cost(d: int, m: int, n: int, base: Sequence[int], coefficients: Sequence[int]) -> MapCost:
    """Size and cost of the map of a hybrid with ``len(base) - 1`` coefficients.

    Parameters
    ----------
    d, m, n : dimension, projections of each map of a base estimator, and of a coefficient.
    base : t_1, ..., t_{p+1}, the numbers of maps of the base estimators.
    coefficients : l_1, ..., l_p, the numbers of maps of the coefficients.

    Raises
    ------
    InvalidInput : sizes below 1, or numbers of maps that do not fit.

    Examples
    --------
    >>> map_cost(d=64, m=8, n=8, base=[2, 2], coefficients=[1])
    MapCost(dimension=288, projections=2560, products=256)
    """
    sizes = (d, m, n, *base, *coefficients)
    if len(base) != len(coefficients) + 1 or not coefficients or min(sizes) < 1:
        raise InvalidInput(
            "map_cost",
            needs="positive sizes and one more base estimator than coefficients",
            got=f"d={d}, m={m}, n={n}, base={list(base)}, coefficients={list(coefficients)}",
        )
    *firsts, last = base
    pairs = sum(count * (t + last) for count, t in zip(coefficients, firsts, strict=True))
    return MapCost(
        sum(base) * m + pairs * m * n, sum(base) * m * d + sum(coefficients) * n * d, pairs * m * n
    )


_t1, _t2, _l = (sympy.Symbol(name, integer=True, positive=True) for name in ("t1", "t2", "maps"))
_MAP_VARIABLES = (FEATURES, COEFFICIENT_FEATURES,
    Variable(_t1, "maps of the first base estimator", integer=True, low=1, default=2),
    Variable(_t2, "maps of the second base estimator", integer=True, low=1, default=2),
    Variable(_l, "maps of the coefficient", integer=True, low=1, default=1))  # fmt: skip

hybrid_map_dimension = register(Formula(name="hybrid_map_dimension",
    says="length of the feature map (11) of a hybrid of two base estimators", source="hybrid.lem2.3 (11)",
    variables=_MAP_VARIABLES, expression=(_t1 + _t2) * m + _l * (_t1 + _t2) * m * n,
    routes=(Route("factored", (_t1 + _t2) * m * (1 + _l * n), "the same, factored"),
        Route("listed", lambda m, n, t1, t2, maps: arb(sum(len(block) for block in _blocks(m, n, t1, t2, maps))),
            "the coordinates, listed", lambda values: values["m"] * values["n"] <= 4096))))  # fmt: skip

hybrid_map_cost = register(Formula(name="hybrid_map_cost",
    says="multiplications for the feature map (11) of a hybrid of two base estimators", source="hybrid.secL",
    variables=(DIMENSION, *_MAP_VARIABLES), expression=(_t1 + _t2) * m * d + _l * n * d + _l * (_t1 + _t2) * m * n,
    routes=(
        Route("map_cost", lambda d, m, n, t1, t2, maps: arb(map_cost(d, m, n, [t1, t2], [maps]).total),
            "the general count"),
        Route("listed", lambda d, m, n, t1, t2, maps: arb(_listed_cost(d, m, n, t1, t2, maps)),
            "operations, one by one", lambda values: values["m"] * values["n"] <= 4096))))  # fmt: skip


def _blocks(m: int, n: int, t1: int, t2: int, maps: int) -> list[list[tuple[int, ...]]]:
    """The coordinates of (11), each named by the projections that it uses."""
    firsts: list[tuple[int, ...]] = [(1, i, k) for i in range(t1) for k in range(m)]
    lasts: list[tuple[int, ...]] = [(2, i, k) for i in range(t2) for k in range(m)]
    taus: list[tuple[int, ...]] = [(0, i, k) for i in range(maps) for k in range(n)]
    return [firsts, [a + b for a in taus for b in firsts], lasts, [a + b for a in taus for b in lasts]]


def _listed_cost(d: int, m: int, n: int, t1: int, t2: int, maps: int) -> int:
    blocks = _blocks(m, n, t1, t2, maps)
    singles = {c[i : i + 3] for block in blocks for c in block for i in range(0, len(c), 3)}
    return d * len(singles) + sum(1 for block in blocks for c in block if len(c) == 6)


# ---- feature maps of hybrids, as numbers -----------------------------------------------------------------


def printed_map(
    constants: Sequence[Expr],
    coefficient_maps: Sequence[Sequence[Sequence[Expr]]],
    base_maps: Sequence[Sequence[Sequence[Expr]]],
) -> list[Expr]:
    """The vector Psi_j(z) of (11) for given blocks.

    Parameters
    ----------
    constants : a_1, ..., a_p.
    coefficient_maps : for each k the blocks rho^{i,k}, each of length n.
    base_maps : for each k = 1..p+1 the blocks phi^{i,k}, each of length m.

    Examples
    --------
    >>> rho, phi, psi = sympy.symbols("rho phi psi")
    >>> printed_map([Rational(1, 4)], [[[rho]]], [[[phi]], [[psi]]])
    [phi/2, phi*rho, sqrt(3)*psi/2, I*psi*rho]
    """
    p, size = len(constants), len(base_maps[0][0])
    draws = len(coefficient_maps[0][0])
    last = base_maps[p]
    scale = sympy.sqrt(size * draws)
    vector = [
        sympy.sqrt(a / size) * e
        for a, maps in zip(constants, base_maps[:p], strict=True)
        for block in maps
        for e in block
    ]
    vector += [
        r * e / scale
        for k in range(p)
        for rho in coefficient_maps[k]
        for block in base_maps[k]
        for r in rho
        for e in block
    ]
    vector += [sympy.sqrt((1 - sum(constants)) / size) * e for block in last for e in block]
    vector += [
        sympy.I * r * e / scale
        for k in range(p)
        for rho in coefficient_maps[k]
        for block in last
        for r in rho
        for e in block
    ]
    return vector
