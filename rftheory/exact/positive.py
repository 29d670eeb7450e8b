"""Positive random features: MSE through the RF-conformity, orthogonality gap, small-v expansion, higher moments.

The estimator is K^(x, y) = exp(-|x|^2 - |y|^2) (1/m) sum_i exp(w_i.(x + y)) of the Gaussian kernel
(Reid et al. 2023, eqs. (7), (28)); its relative error depends on the data only through v = |x + y|.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import sympy
from flint import arb, ctx
from sympy import Rational, Sum, exp, factorial, floor, gamma, oo, sqrt

from rftheory.errors import OutsideDomain
from rftheory.exact.conformity import (
    angle_conformity_ball,
    orf_conformity,
    orf_conformity_ball,
    simplex_cosine,
    simrf_conformity,
    within,
)
from rftheory.exact.enclosure import certified_sum, widen
from rftheory.exact.formula import Formula, Route, Variable, register
from rftheory.exact.joint_moments import OrthogonalContour, PairSeries, orthogonal_moments
from rftheory.exact.moments import (
    PairMoment,
    arrangements,
    block_sizes,
    central_moments,
    coupled_pairs,
    partitions,
    positive_joint,
    refuse_long_work,
    with_spare_bits,
)
from rftheory.exact.special import (
    NormTable,
    PairIntegrals,
    chi_moments,
    joint_moment,
    mean_sine,
)
from rftheory.exact.symbols import (
    FEATURES,
    PAIR_DIMENSION,
    SUM_NORM,
    TRIANGLE,
    X_NORM,
    Y_NORM,
    d,
    k,
    m,
    v,
    x,
    y,
)

PAIRS = floor(m / d) * d * (d - 1) + (m - d * floor(m / d)) * (m - d * floor(m / d) - 1)
"""Ordered pairs of distinct projections that share a block; m (m - 1) while m <= d."""


def _mse(conformity: sympy.Expr) -> sympy.Expr:
    """Theorem 3.2, eq. (11), for any number of features: pairs in different blocks are independent."""
    scale = exp(-2 * x**2 - 2 * y**2)
    return scale / m * ((exp(2 * v**2) - exp(v**2)) + PAIRS / m * (conformity - exp(v**2)))


MSE_VARIABLES = (PAIR_DIMENSION, FEATURES, SUM_NORM, X_NORM, Y_NORM)


def _mse_ball(d: int, m: int, v: arb, x: arb, y: arb, conformity: arb) -> arb:
    mean = (v * v).exp()
    pairs = arb(coupled_pairs(m, d)) / m
    return (-2 * (x * x + y * y)).exp() / m * (mean * (v * v).expm1() + pairs * (conformity - mean))


def _second_moment(d: int, m: int, v: arb, x: arb, y: arb, c: arb | None) -> arb:
    """The MSE as second central moment of the relative estimate, times the squared kernel."""
    sizes = block_sizes(m, 1 if c is None else d)
    second = central_moments(2, sizes, positive_joint(d, v, arb(0) if c is None else c, 2))[2]
    return (v * v - 2 * (x * x + y * y)).exp() * second


prf_mse_iid = register(
    Formula(
        name="prf_mse_iid",
        says="MSE of the positive-feature estimate of the Gaussian kernel, independent projections",
        source="simplex.thm3.2 (11), simplex.lem4.1",
        variables=(FEATURES, SUM_NORM, X_NORM, Y_NORM),
        expression=exp(-2 * x**2 - 2 * y**2) / m * (exp(2 * v**2) - exp(v**2)),
        conditions=(TRIANGLE,),
        routes=(
            Route(
                "relative variance",
                lambda m, v, x, y: (v * v - 2 * (x * x + y * y)).exp() / m * (v * v).expm1(),
                "K^2 (exp(v^2) - 1)/m",
            ),
            Route(
                "moments",
                lambda m, v, x, y: _second_moment(2, m, v, x, y, None),
                "second central moment from joint moments",
                within(v=4, m=4096),
            ),
        ),
        fast="relative variance",
    )
)

prf_mse_orf = register(
    Formula(
        name="prf_mse_orf",
        says="MSE of the positive-feature estimate of the Gaussian kernel, orthogonal blocks of d",
        source="simplex.thm3.2 (11), simplex.thm4.3 (23)",
        variables=MSE_VARIABLES,
        expression=_mse(orf_conformity.expression),
        conditions=(TRIANGLE,),
        routes=(
            Route(
                "kummer",
                lambda d, m, v, x, y: _mse_ball(d, m, v, x, y, orf_conformity_ball(d, v)),
                "with the fast conformity",
            ),
            Route(
                "moments",
                lambda d, m, v, x, y: _second_moment(d, m, v, x, y, arb(0)),
                "second central moment from joint moments",
                within(v=4),
            ),
        ),
        fast="kummer",
    )
)

prf_mse_simrf = register(
    Formula(
        name="prf_mse_simrf",
        says="MSE of the positive-feature estimate of the Gaussian kernel, simplex blocks of d",
        source="simplex.thm3.2 (11), simplex.thm4.3 (24)",
        variables=MSE_VARIABLES,
        expression=_mse(simrf_conformity.expression),
        conditions=(TRIANGLE,),
        routes=(
            Route(
                "positive ladder",
                lambda d, m, v, x, y: _mse_ball(
                    d, m, v, x, y, angle_conformity_ball(d, v, simplex_cosine(d))
                ),
                "with the fast conformity",
            ),
            Route(
                "moments",
                lambda d, m, v, x, y: _second_moment(d, m, v, x, y, simplex_cosine(d)),
                "second central moment from joint moments",
                within(v=2),
            ),
        ),
        fast="positive ladder",
        practical=within(v=4),
    )
)


# ---- orthogonality gap -----------------------------------------------------------------------------


def _gap_terms(d: int, v: arb) -> Iterator[tuple[arb, arb]]:
    """(e_k, v^(2k)/k! e_k) with e_k = 1 - (d)_k/(2^k (d/2)_k), the series of eq. (69)."""
    product, power, n = arb(1), arb(1), 0
    defect = arb(0)
    while True:
        yield defect, power * defect
        defect = defect + product * n / (d + 2 * n)  # e_{n+1} - e_n = P_n n/(d + 2n), without cancellation
        product = product * (d + n) / (d + 2 * n)
        power = power * v * v / (n + 1)
        n += 1


def conformity_gap_ball(d: int, v: arb) -> arb:
    """rho_IIDRF - rho_ORF by the series (69): all terms positive from k = 2 on.

    Examples
    --------
    >>> conformity_gap_ball(2, arb(2)).overlaps(arb(4).exp() - 3 * arb(2).exp())
    True
    """
    defects: list[arb] = []

    def terms() -> Iterator[arb]:
        for defect, term in _gap_terms(d, v):
            defects.append(defect)
            yield term

    def ratio(n: int) -> arb:
        # e_k increases to at most 1, so terms shrink at least by v^2/((n+1) e_n) from index n >= 2 on
        return arb.pos_inf() if n < 2 else (v * v / ((n + 1) * defects[n])).upper()

    # either is right: the sum near v = 0 is that of its terms
    return certified_sum(terms(), ratio) if not v.is_zero() else arb(0)


prf_gap = register(
    Formula(
        name="prf_gap",
        says="orthogonality gap of positive features: MSE of independent minus MSE of orthogonal projections",
        source="simplex.cor4.4 (69); (25) as printed lacks 2^k",
        variables=MSE_VARIABLES,
        expression=exp(-2 * x**2 - 2 * y**2) * PAIRS / m**2 * (exp(v**2) - orf_conformity.expression),
        conditions=(TRIANGLE,),
        routes=(
            Route(
                "series (69)",
                lambda d, m, v, x, y: (
                    (-2 * (x * x + y * y)).exp()
                    * coupled_pairs(m, d)
                    / arb(m) ** 2
                    * conformity_gap_ball(d, v)
                ),
                "the second form of (69), positive terms",
            ),
            Route(
                "moments",
                lambda d, m, v, x, y: (
                    (-2 * (x * x + y * y)).exp()
                    * coupled_pairs(m, d)
                    / arb(m) ** 2
                    * ((v * v).exp() - joint_moment((1, 1), d, v * v, arb(0)))
                ),
                "difference with the moment expansion",
                within(v=4),
            ),
        ),
        fast="series (69)",
    )
)

PRINTED_GAP = (
    exp(-2 * x**2 - 2 * y**2)
    * (m - 1)
    / m
    * (
        exp(v**2)
        - gamma(d / 2)
        / gamma(d)
        * Sum(v ** (2 * k) / factorial(k) * gamma(k + d) / gamma(k + d / 2), (k, 0, oo))
    )
)
"""Eq. (25) as printed: the factor 2^k under v^(2k) is missing."""


# ---- small v (Sec. 5.1) ----------------------------------------------------------------------------

prf_small_v_simrf = register(
    Formula(
        name="prf_small_v_simrf",
        says="coefficient of v^2 in m exp(2|x|^2 + 2|y|^2) MSE for simplex projections",
        source="simplex.s5.smallv, simplex.s5.prefactor",
        variables=(PAIR_DIMENSION, FEATURES),
        expression=1
        - PAIRS
        / (m * (d - 1))
        * sqrt(sympy.pi)
        * gamma(d + 1)
        * gamma((d + 1) / 2)
        / (gamma(d / 2) * gamma(d / 2 + 1) ** 2 * 2**d),
        routes=(
            Route(
                "gamma ratio",
                lambda d, m: 1 - arb(coupled_pairs(m, d)) / (m * (d - 1)) * mean_sine(d),
                "E sin(2 phi) = (2/d) (Gamma((d+1)/2)/Gamma(d/2))^2",
            ),
            Route(
                "second moment of |w_ij|",
                lambda d, m: 1 + arb(coupled_pairs(m, d)) / m * _first_order(d),
                "E|w_ij|^2/(2 d) - 1, with E r^2 = d, E r from the chi law",
            ),
        ),
        fast="gamma ratio",
    )
)


def _first_order(d: int) -> arb:
    mean = chi_moments(d, 2)[1]
    return mean * mean * simplex_cosine(d) / d


PRINTED_SMALL_V = {
    "a": 1
    - sqrt(sympy.pi)
    * gamma(d + 1)
    * gamma(d / 2 + Rational(1, 2))
    / (gamma(d / 2) * gamma(d / 2 + 1) * 2 ** (2 * d)),
    "b": 1
    - sqrt(sympy.pi)
    * gamma(d + 1)
    * gamma(d / 2 + Rational(1, 2))
    / (gamma(d / 2) * gamma(d / 2 + 1) ** 2 * 2**d),
    "c": 1
    - sqrt(sympy.pi)
    * gamma(d + 1)
    * gamma(d / 2 + Rational(1, 2))
    / (gamma(d / 2) * gamma(d / 2 + 1) * 4 * d),
}
"""The prefactor of Sec. 5.1 in the three readings of its denominator, whose typesetting is ambiguous in print."""


# ---- higher moments --------------------------------------------------------------------------------

n = sympy.Symbol("n", integer=True, positive=True)
ORDER = Variable(n, "order of the central moment", integer=True, low=2, high=8)
RELATIVE_ERROR = sympy.Function("E")((sympy.Symbol("K_hat") / sympy.Symbol("K") - 1) ** n)
"""The definition of a central moment of the relative estimate, an expectation."""


def _iid_joint(v: arb) -> PairMoment:
    """Moments E b^a = exp((a^2 - a) v^2/2) of one relative feature b = exp(w.v - v^2/2)."""
    return lambda weights: (arb(weights[0] ** 2 - weights[0]) * v * v / 2).exp()


def relative_central_moments(order: int, d: int, m: int, v: arb, c: arb | None) -> list[arb]:
    """Central moments 0..order of K^/K for positive features; ``c`` is the cosine of the coupling, None for iid.

    Examples
    --------
    >>> relative_central_moments(2, 64, 10, arb(1), None)[2].overlaps((arb(1).exp() - 1) / 10)
    True
    """
    if c is None:
        return central_moments(order, block_sizes(m, 1), _iid_joint(v))
    return central_moments(order, block_sizes(m, d), positive_joint(d, v, c, order))


def _plain_second_moment(n: int, d: int, m: int, v: arb, conformity: arb) -> arb:
    """The second central moment from the conformity, as an independent check at n = 2."""
    if n != 2:
        raise OutsideDomain("second moment", needs="n = 2", got=n)
    excess = conformity * (-v * v).exp() - 1
    return (v * v).expm1() / m + arb(coupled_pairs(m, d)) / arb(m) ** 2 * excess


def order_two(values: Mapping[str, sympy.Expr]) -> bool:
    """The moment is of order two.

    Examples
    --------
    >>> order_two({"n": sympy.Integer(2)}), order_two({"n": sympy.Integer(4)})
    (True, False)
    """
    return bool(values["n"] == 2)


def short_table(norm: str) -> Callable[[Mapping[str, sympy.Expr]], bool]:
    """Where the table of :class:`~rftheory.exact.special.NormTable` is small.

    Examples
    --------
    >>> short_table("v")({"n": 4, "v": 1}), short_table("v")({"n": 4, "v": 2})
    (True, False)
    """
    return lambda values: bool(values["n"] * values[norm] <= (4 if norm == "v" else 3))


def blocks_of_two(norm: str) -> Callable[[Mapping[str, sympy.Expr]], bool]:
    """Where no block has more than two projections, or only pairs matter.

    Examples
    --------
    >>> [blocks_of_two("v")({"m": m, "d": 64, "n": 4, "v": 1}) for m in (2, 3)]
    [True, False]
    """
    return lambda values: bool(
        min(values["m"], values["d"], values["n"]) <= 2
        and values["n"] * values[norm] <= 8
        and values["d"] <= 64
    )


MOMENT_VARIABLES = (ORDER, PAIR_DIMENSION, FEATURES, SUM_NORM)

prf_moment_iid = register(
    Formula(
        name="prf_moment_iid",
        says="central moment of order n of K^/K, positive features, independent projections",
        source="ours; n = 2 is simplex.thm3.2",
        variables=(ORDER, FEATURES, SUM_NORM),
        expression=RELATIVE_ERROR,
        readable=False,
        routes=(
            Route(
                "cumulants",
                lambda n, m, v: relative_central_moments(n, 2, m, v, None)[n],
                "cumulants of one feature, over m^(n-1)",
            ),
            Route(
                "joint moments",
                lambda n, m, v: central_moments(n, block_sizes(m, 1), positive_joint(2, v, arb(0), n))[n],
                "moments of one feature from the moment expansion",
                within(v=2),
            ),
            Route(
                "binomial",
                lambda n, m, v: _binomial_central(n, m, v),
                "E (b_1 + ... + b_m - m)^n over all patterns of coinciding indices",
                within(m=64),
            ),
        ),
        fast="cumulants",
    )
)

prf_moment_orf = register(
    Formula(
        name="prf_moment_orf",
        says="central moment of order n of K^/K, positive features, orthogonal blocks of d",
        source="ours; n = 2 is simplex.thm3.2 with (23)",
        variables=MOMENT_VARIABLES,
        expression=RELATIVE_ERROR,
        readable=False,
        routes=(
            Route(
                "joint moments",
                lambda n, d, m, v: relative_central_moments(n, d, m, v, arb(0))[n],
                "patterns of coinciding indices, joint moments, cumulants of blocks",
                lambda values: bool(values["n"] * values["v"] <= 16),
            ),
            Route(
                "norm series",
                lambda n, d, m, v: central_moments(
                    n, block_sizes(m, d), positive_joint(d, v, arb(0), n, OrthogonalNorms)
                )[n],
                "joint moments through the moments of a weighted sum of chi squares",
                within(v=3),
            ),
            Route(
                "contour",
                lambda n, d, m, v: central_moments(
                    n, block_sizes(m, d), positive_joint(d, v, arb(0), n, OrthogonalContour)
                )[n],
                "joint moments by Hankel's integral",
            ),
            Route(
                "cheapest",
                with_spare_bits(
                    lambda n, d, m, v: central_moments(
                        n, block_sizes(m, d), positive_joint(d, v, arb(0), n, orthogonal_moments)
                    )[n],
                    "v",
                ),
                "joint moments for small norms, the contour beyond",
            ),
            Route(
                "resultant norm",
                lambda n, d, m, v: central_moments(
                    n, block_sizes(m, d), positive_joint(d, v, arb(0), n, NormTable)
                )[n],
                "joint moments through the moments of the norm of the resultant",
                lambda values: bool(values["n"] * values["v"] <= 8),
            ),
            Route(
                "conformity",
                lambda n, d, m, v: _plain_second_moment(n, d, m, v, orf_conformity_ball(d, v)),
                "n = 2 from the conformity",
                order_two,
            ),
        ),
        fast="cheapest",
    )
)

prf_moment_simrf = register(
    Formula(
        name="prf_moment_simrf",
        says="central moment of order n of K^/K, positive features, simplex blocks of d",
        source="ours; n = 2 is simplex.thm3.2 with (24)",
        variables=MOMENT_VARIABLES,
        expression=RELATIVE_ERROR,
        readable=False,
        routes=(
            Route(
                "joint moments",
                lambda n, d, m, v: relative_central_moments(n, d, m, v, simplex_cosine(d))[n],
                "patterns of coinciding indices, joint moments, cumulants of blocks",
                lambda values: bool(values["n"] * values["v"] <= 8),
            ),
            Route(
                "conformity",
                lambda n, d, m, v: _plain_second_moment(
                    n, d, m, v, angle_conformity_ball(d, v, simplex_cosine(d))
                ),
                "n = 2 from the conformity",
                order_two,
            ),
            Route(
                "resultant norm",
                lambda n, d, m, v: central_moments(
                    n, block_sizes(m, d), positive_joint(d, v, simplex_cosine(d), n, NormTable)
                )[n],
                "joint moments through the moments of the norm of the resultant",
                short_table("v"),
            ),
            Route(
                "pair integrals",
                lambda n, d, m, v: central_moments(
                    n, block_sizes(m, d), positive_joint(d, v, simplex_cosine(d), n, PairIntegrals)
                )[n],
                "quadrature over the ratio of two norms, for blocks of at most two",
                blocks_of_two("v"),
            ),
            Route(
                "cheapest",
                with_spare_bits(lambda n, d, m, v: _simplex_moment(n, d, m, v), "v"),
                "the conformity at n = 2; else a pair series, and joint moments of three and more projections",
            ),
        ),
        fast="cheapest",
    )
)


def _simplex_moment(n: int, d: int, m: int, v: arb) -> arb:
    c = simplex_cosine(d)
    if n == 2:
        return _plain_second_moment(n, d, m, v, angle_conformity_ball(d, v, c))
    if v.is_zero():  # every feature is 1: a quadrature would not see that the zero is exact
        return arb(0)
    if min(m, d, n) > 2:
        refuse_long_work(n, v * v, c)
    joint: PairMoment | None = None
    pairs, single = positive_joint(d, v, c, n, PairSeries), _iid_joint(v)

    def moment(weights: Sequence[int]) -> arb:
        nonlocal joint
        if len(weights) <= 2:
            return single(weights) if len(weights) == 1 else pairs(weights)
        joint = joint or positive_joint(d, v, c, n)
        return joint(weights)

    return central_moments(n, block_sizes(m, d), moment)[n]


def _binomial_central(n: int, m: int, v: arb) -> arb:
    single = _iid_joint(v)
    centred = [
        sum((math.comb(a, j) * (-1) ** (a - j) * single((j,)) for j in range(1, a + 1)), arb((-1) ** a))
        for a in range(n + 1)
    ]
    total = arb(0)
    for pattern in partitions(n):
        term = arb(arrangements(pattern, m))
        for a in pattern:
            term *= centred[a]
        total += term
    return total / arb(m) ** n


class OrthogonalNorms:
    """Joint exponential moments of orthogonal projections: |sum a_i w_i|^2 = sum a_i^2 r_i^2.

    Its moments follow from the power sums of the a_i^2, by the logarithmic derivative of prod (1 - 2 a_i^2 t)^(-d/2).
    The arguments are those of :class:`~rftheory.exact.special.NormTable`, at cosine 0.

    Examples
    --------
    >>> OrthogonalNorms(64, arb(1), arb(0), 2).moment((1, 1)).overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """

    def __init__(self, d: int, v_squared: arb, c: arb, reach: int, scale: Callable[[int], arb] = arb) -> None:
        if not c.is_zero():
            raise OutsideDomain("orthogonal norms", needs="cosine 0", got=c.str(5))
        self.d, self.v_squared, self.scale = d, v_squared, scale

    def moment(self, weights: Sequence[int]) -> arb:
        """The moment for these integer weights."""
        d, u = self.d, self.v_squared
        squares = [2 * self.scale(a) ** 2 for a in weights if a]

        def terms() -> Iterator[arb]:
            # q_k = E|.|^(2k)/k! satisfies k q_k = sum_j (d/2) sum_i (2 a_i^2)^j q_{k-j}
            q, powers = [arb(1)], [arb(0)]
            scale, k = arb(1), 0
            while True:
                yield scale * q[k]
                k += 1
                powers.append(sum((square**k for square in squares), arb(0)) * d / 2)
                q.append(sum((powers[j] * q[k - j] for j in range(1, k + 1)), arb(0)) / k)
                scale = scale * u / (4 * (arb(d) / 2 + k - 1))

        # E|.|^(2k) |u|^k/(4^k k! (d/2)_k) <= (A^2 |u|/2)^k/k!, A = sum |a_i|: bound the tail by that series
        return _majorised_sum(terms(), arb(sum(abs(a) for a in weights)) ** 2 * abs(u) / 2)


def _majorised_sum(terms: Iterator[arb], reach: arb) -> arb:
    """Sum of terms t_k with |t_k| <= reach^k/k!."""
    total, bound, k = arb(0), arb(1), 0
    small = arb(2) ** (-ctx.prec - 8)
    while True:
        total += next(terms)
        k += 1
        bound = (bound * reach / k).upper()
        ratio = (reach / (k + 1)).upper()
        if ratio < arb("0.5") and bound < small:
            return total + widen((bound / (1 - ratio)).upper())
