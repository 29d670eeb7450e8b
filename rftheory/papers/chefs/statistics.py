"""What the claims of Chefs' Random Tables measure, count and run, with the exact laws.

Statistics of samplers and their laws, as in :mod:`rftheory.papers.statistics`; literal algorithms, whose operations
are counted; the attention recipe, run literally on the library's draws in exact arithmetic.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import sympy
from flint import acb, arb, ctx, fmpq

from rftheory.author import counted
from rftheory.exact.discrete import average_square_sum, moment_expression
from rftheory.exact.enclosure import Exact, exact_number
from rftheory.exact.estimates import enough
from rftheory.exact.evaluate import evaluate_real
from rftheory.exact.exponential import gerf_moment
from rftheory.exact.mean_gains import mean_log_gain, mean_log_gain_trig
from rftheory.exact.gerf_optimum import real_minimum, second_moment
from rftheory.exact.moments import squared_error_moments
from rftheory.exact.noncentral import noncentral_ball
from rftheory.exact.tails import gerf_upper_tail
from rftheory.papers.statistics import MakeStatistic, estimates, squared_errors
from rftheory.sample import (DiscreteMechanism, GeometricCounts, Gerf, Mechanism, Poisson, Stream, averages,
    coupling, feature_map, shift_below)  # fmt: skip
from rftheory.sample.parameters import Averages, gerf_parameters, oprf_parameter
from rftheory.statement.evidence import Bench, Law, Statistic
from rftheory.statement.operations import Numbers, operations

# ---- statistics --------------------------------------------------------------------------------------------


def pair_of(v: str, z: str, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Vectors x, y in even dimension with |x + y| = v and |x - y| = z; no axis is special."""
    plus = np.full(d, float(exact_number(v)) / d**0.5)
    minus = np.array([1.0, -1.0] * (d // 2)) * (float(exact_number(z)) / d**0.5)
    return (plus + minus) / 2, (plus - minus) / 2


def exceeds(shape: float, d: int, v: str, z: str, eps: str) -> MakeStatistic:
    """Whether one positive GERF exceeds K + eps, as 0 or 1."""

    x, y = pair_of(v, z, d)
    level = float(np.exp(-np.sum((x - y) ** 2) / 2)) + float(eps)

    def make(bench: Bench, stream: Stream) -> Statistic:
        draw, xp = estimates(Mechanism(Gerf(shape), "iid", 1), x, y)(bench, stream), bench.xp
        return lambda blocks: xp.astype(draw(blocks) >= level, xp.float64)

    return make


def discrete_error(law: str, parameter: str, x: Sequence[str], y: Sequence[str]) -> MakeStatistic:
    """(Z - K)^2 of one Poisson or geometric feature pair."""
    rate = float(parameter)
    mechanism = DiscreteMechanism(Poisson(rate) if law == "poisson" else GeometricCounts(rate), 1)
    return squared_errors(mechanism, np.array(x, dtype=float), np.array(y, dtype=float))


# ---- laws --------------------------------------------------------------------------------------------------


def single_gerf_law(shape: str, s: int, d: int, v: str, z: str) -> Callable[[], Law]:
    """Law of (Re Z - K)^2 for one feature pair, complex A and either sign."""

    def balls() -> list[arb]:
        point: dict[str, Exact] = {"d": d, "A": shape, "s": s, "v": v, "z": z}
        raw = [gerf_moment.enclose(40, n=n, **point).ball for n in range(1, 5)]
        return squared_error_moments(_central([arb(1), *(arb(acb(b).real) for b in raw)]))

    return lambda: Law.from_raw(enough(balls))


def discrete_law(law: str, parameter: str, x: Sequence[str], y: Sequence[str]) -> Callable[[], Law]:
    """Law of (Z - K)^2 for one Poisson or geometric feature pair."""

    def balls() -> list[arb]:
        raw = [arb(1)] + [evaluate_real(moment_expression(law, n, x, y, parameter)) for n in range(1, 5)]
        return squared_error_moments(_central(raw))

    return lambda: Law.from_raw(enough(balls))


def tail_law(shape: str, d: int, v: str, z: str, eps: str) -> Callable[[], Law]:
    """Law of the indicator of Z >= K + eps."""

    def law() -> Law:
        p = gerf_upper_tail.enclose(20, d=d, A=shape, v=v, z=z, eps=eps).ball
        return Law.from_raw([arb(1)] + [arb(acb(p).real)] * 2)

    return law


def _central(raw: Sequence[arb]) -> list[arb]:
    mean = raw[1]
    return [
        sum((arb.bin_uiui(n, i) * (-mean) ** (n - i) * raw[i] for i in range(n + 1)), start=arb(0))
        for n in range(len(raw))
    ]


# ---- operations, counted by running the literal algorithms -------------------------------------------------------


@operations
def exact_operator(numbers: Numbers, size: int, dim: int, vectors: int) -> None:
    """(K c) for the softmax kernel and several vectors c, row by row."""
    x, y, c = numbers(size, dim), numbers(size, dim), numbers(size, vectors)
    np.exp(x @ y.T) @ c


@operations
def random_operator(numbers: Numbers, size: int, dim: int, features: int, vectors: int) -> None:
    """The same by (2) with GERF: features of x and y, the sums over j once, then the sums over m."""
    x, y, w = numbers(size, dim), numbers(size, dim), numbers(features, dim)
    a, b, shift, c = numbers(), numbers(), numbers(), numbers(size, vectors)
    own = a * _squares(w)

    def mapped(points: np.ndarray) -> np.ndarray:
        return np.exp(own[:, None] + b * (w @ points.T) + shift * _squares(points))

    left, right = mapped(x), mapped(y)
    left.T @ (right @ c)


@operations
def average_of_sums(numbers: Numbers, size: int, dim: int) -> None:
    """The right side of (8)."""
    x, y, two = numbers(size, dim), numbers(size, dim), numbers()
    middle = two * (np.sum(x, axis=0) @ np.sum(y, axis=0))
    np.sum([*_squares(x), *_squares(y), middle])


@operations
def average_of_products(numbers: Numbers, size: int, dim: int) -> None:
    """The right side of (12), or of (14) with absolute values in place of squares."""
    x, y = numbers(size, dim), numbers(size, dim)
    np.sum(x * x, axis=0) @ np.sum(y * y, axis=0)


@operations
def all_pairs(numbers: Numbers, size: int, dim: int) -> None:
    """The left side of (8): the plain double sum."""
    x, y = numbers(size, dim), numbers(size, dim)
    np.sum(_squares(x[:, None] + y[None]))


@operations
def kernel_regression(numbers: Numbers, dim: int, features: int, vectors: int) -> None:
    """One prediction by random features after the preprocessing: features of the new object, then the sums."""
    point, w, sums = numbers(dim), numbers(features, dim), numbers(vectors, features)
    sums @ np.exp(w @ point + _squares(point))


@operations
def prepared_regression(numbers: Numbers, size: int, dim: int, features: int, vectors: int) -> None:
    """Its preprocessing: the features of all objects, and a sum over them for each label."""
    points, w, labels = numbers(size, dim), numbers(features, dim), numbers(size, vectors)
    np.exp(w @ points.T + _squares(points)) @ labels


@operations
def geometric_objective(numbers: Numbers, dim: int) -> None:
    """The second moment in (13), with one operation for each value of I_0."""
    products, scale = numbers(dim), numbers()
    np.prod([np.exp(scale), *np.exp(scale * products)])


def random_attention_memory(size: int, dim: int, features: int) -> int:
    """Elements of all arrays of attention by (2) and (3): d vectors and that of ones."""
    q, k, v, w = (np.ones((rows, dim), dtype=np.int8) for rows in (size, size, size, features))
    left, right, vectors = q @ w.T, k @ w.T, np.c_[np.ones(size, dtype=np.int8), v]
    sums = right.T @ vectors
    return sum(a.size for a in (q, k, v, w, left, right, vectors, sums, left @ sums))


def exact_attention_memory(size: int, dim: int) -> int:
    """The same with the matrix of all weights."""
    q, k, v = (np.ones((size, dim), dtype=np.int8) for _ in range(3))
    weights = q @ k.T
    return sum(a.size for a in (q, k, v, weights, weights @ v))


def _squares(points: np.ndarray) -> np.ndarray:
    return np.asarray(np.sum(points * points, axis=-1), dtype=object)


L, M, N = sympy.symbols("L M n", integer=True, positive=True)
"""Lengths, features, and vectors or labels."""
EXACT, OPERATOR = (
    counted("operations of the exact operator", exact_operator, degrees=(2, 1, 1)),
    counted("operations of the operator by GERF", random_operator, degrees=(1, 1, 1, 1)),
)
AVERAGE, PAIRS, PRODUCTS, OBJECTIVE = (
    counted("operations of the right side of (8)", average_of_sums, degrees=(1, 1)),
    counted("operations of the double sum in (8)", all_pairs, degrees=(2, 1)),
    counted("operations of the right side of (12)", average_of_products, degrees=(1, 1)),
    counted("operations of (13)", geometric_objective, degrees=(1,)),
)
PREDICTION, PREPARATION = (
    counted("operations of a prediction", kernel_regression, degrees=(1, 1, 1)),
    counted("operations of the preprocessing", prepared_regression, degrees=(1, 1, 1, 1)),
)
KEPT, KEPT_EXACT = (
    counted("numbers kept by attention by random features", random_attention_memory, degrees=(1, 1, 1)),
    counted("numbers kept by exact attention", exact_attention_memory, degrees=(2, 1)),
)
"""The words for these counts, as functions of the sizes that the programs take."""


# ---- the attention recipe --------------------------------------------------------------------------------------


def attention_data(size: int, dim: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries, keys and values with entries of both signs, zeros among them."""
    i, j = np.arange(size)[:, None], np.arange(dim)[None, :]
    return ((3 * i + 5 * j) % 7 - 3) / 4, ((2 * i + 3 * j) % 5 - 2) / 4, ((i + 2 * j) % 4 - 1) / 2


def attention_deviation(slope: float, name: str = "orthogonal", shape: float = -0.25) -> arb:
    """Largest deviation of the library's attention matrix from the recipe, evaluated in balls from the same draws.

    The recipe is step (5), (6) of FAVOR++ with A, B, C, D of (5) and the softmax kernel; ``slope`` multiplies B, to be 1.
    """
    dim, m = 4, 6
    q, k, _ = attention_data(3, dim)
    x, y = q / dim**0.25, k / dim**0.25
    law, stream = coupling(name), Stream.named("attention recipe")
    found = Mechanism(Gerf(shape), name, m).gram(stream, range(1), x, y, kernel="softmax", via="matrix")[0]
    w = law.draw(stream, range(1), dim, m).projections[0]
    with ctx.workprec(128):
        b = (1 - 4 * arb(shape)).sqrt() * arb(slope)
        constant = (1 - 4 * arb(shape)) ** (arb(dim) / 2)
        worst = arb(0)
        for i, j in itertools.product(range(len(x)), range(len(y))):
            total = arb(0)
            for row in w:
                square = sum((arb(float(e)) ** 2 for e in row), start=arb(0))
                seen = sum(
                    (
                        arb(float(e)) * (arb(float(p)) + arb(float(r)))
                        for e, p, r in zip(row, x[i], y[j], strict=True)
                    ),
                    start=arb(0),
                )
                norms = sum(
                    (arb(float(p)) ** 2 + arb(float(r)) ** 2 for p, r in zip(x[i], y[j], strict=True)), arb(0)
                )
                total += (2 * arb(shape) * square + b * seen - norms / 2).exp()
            worst = worst.max(abs(arb(float(found[i, j])) - constant * total / m))
        return worst


def map_deviation(feature: str, scale: float) -> arb:
    """The same for a map without parameters: cos(w.(x-y)) or exp(w.(x+y) - |x|^2 - |y|^2), arguments times ``scale``."""
    dim, m = 4, 5
    q, k, _ = attention_data(3, dim)
    stream = Stream.named(f"{feature} map")
    found = Mechanism(feature_map(feature), "iid", m).gram(stream, range(1), q, k, via="matrix")[0]
    w = coupling("iid").draw(stream, range(1), dim, m).projections[0]
    sign = 1 if feature == "positive" else -1
    with ctx.workprec(128):
        worst = arb(0)
        for i, j in itertools.product(range(3), range(3)):
            norms = sum(
                (arb(float(p)) ** 2 + arb(float(r)) ** 2 for p, r in zip(q[i], k[j], strict=True)), arb(0)
            )
            total = arb(0)
            for row in w:
                seen = arb(scale) * sum(
                    (
                        arb(float(e)) * (arb(float(p)) + sign * arb(float(r)))
                        for e, p, r in zip(row, q[i], k[j], strict=True)
                    ),
                    start=arb(0),
                )
                total += (seen - norms).exp() if sign == 1 else seen.cos()
            worst = worst.max(abs(arb(float(found[i, j])) - total / m))
        return worst


def discrete_deviation(law: str, parameter: float) -> arb:
    """The library's discrete features against (10) in balls, with a zero and negative coordinates; 0^0 = 1."""
    counts_law = Poisson(0.5) if law == "poisson" else GeometricCounts(0.5)
    mechanism, stream = DiscreteMechanism(counts_law, 6), Stream.named(f"{law} features")
    x, y = np.array([[0.5, -0.25, 0.0]]), np.array([[0.75, 0.5, -1.0]])
    found = float(mechanism.gram(stream, range(1), x, y)[0, 0, 0])
    counts = mechanism.counts(stream, range(1), 3)[0]
    with ctx.workprec(128):
        total = arb(0)
        for row in counts:
            product = arb(1)
            for n, a, b in zip(row, x[0], y[0], strict=True):
                number, p = int(n), arb(parameter)
                weight = (
                    (-p).exp() * p**number / arb.fac_ui(number) if law == "poisson" else p * (1 - p) ** number
                )
                product *= (arb(float(a)) * arb(float(b))) ** number / (arb.fac_ui(number) * weight)
            total += product
        norms = sum((arb(float(e)) ** 2 for e in (*x[0], *y[0])), start=arb(0))
        return abs(arb(found) - (-norms / 2).exp() * total / len(counts))


# ---- counterexamples -------------------------------------------------------------------------------------------------


def lognormal_above(q: str, level: arb) -> arb:
    """P(Z/K > level)."""
    square = arb(q)
    return ((level.log() + square / 2) / square.sqrt() / arb(2).sqrt()).erfc() / 2


@lru_cache(maxsize=32)
def attention_failure(dim: int, r2: str, scale: str, gamma: str = "product") -> arb:
    """Lower bound of the probability that the printed number of features, times ``scale``, misses eps = 1 at x = y.

    Theorem 4.3 for L = 1 and Q = K of norm R, r2 = R^2/d^(1/2), so that |x| = |y| = r2^(1/2); A is that of OPRF for this
    pair. ``gamma`` is how the slope gamma is read: 4 Gamma times the bracket under the root (``product``), Euler's
    function of the bracket (``euler``), or the bracket outside the root (``outside``). Paley and Zygmund:
    P(X^2 > t E X^2) >= (1 - t)^2 (E X^2)^2/E X^4.
    """
    radius = arb(r2)
    q = 4 * radius
    a = oprf_shape(dim, q)
    rate, large, bracket = 1 - 4 * a, (-3 * radius / a).exp(), radius + dim**2
    slope = {
        "product": (4 * large * bracket).sqrt(),
        "euler": (4 * bracket.gamma()).sqrt(),
        "outside": (4 * large).sqrt() * bracket,
    }[gamma]
    power = rate ** (arb(dim) / 2)
    printed = power * large * dim * (power * slope * (2 * radius).sqrt()).log()
    count = (arb(scale) * printed).ceil()
    raw = [arb(1), arb(1)]
    for n in range(2, 5):
        wide = 1 - 4 * n * a
        raw.append((rate**n / wide) ** (arb(dim) / 2) * (n * n * rate * q / (2 * wide) - n * q / 2).exp())
    central = _central(raw)
    variance = (2 * radius).exp() * central[2] / count
    fourth = 3 + (central[4] / central[2] ** 2 - 3) / count
    share = 1 / variance
    if not share < 1:
        return arb(0)
    return (1 - share) ** 2 / fourth


_C = sympy.Symbol("c", positive=True)
"""OPRF's A with the opposite sign."""
_R2 = _C * (1 + 8 * _C) / (1 + 4 * _C)
"""R^2/d^(1/2) at d = 2: (7) solved for it. It grows with c."""


@lru_cache(maxsize=4)
def number_is_outgrown(growth: int, gamma: str = "product") -> bool:
    """Whether the printed number of features is of a lower order than needed as R grows: no constant in Omega helps.

    Theorem 4.3 and ``gamma`` as in :func:`attention_failure`, d = 2, with OPRF's A = -c as the variable. The variance of
    one softmax estimate is exp(growth r2) times that of Z/K, growth = 2. By Paley and Zygmund a mean of M estimates misses
    eps = 1 with a probability near 1/3 or more if the variance over M is large and the kurtosis of one estimate over M is
    small. For large c the logarithm in M lies between log(1 + 4c) and c^2; log Gamma(x) <= x log x for x >= 1.

    Examples
    --------
    >>> number_is_outgrown(2), number_is_outgrown(0)
    (True, False)
    """
    rate, bracket = 1 + 4 * _C, _R2 + 4
    log_large = 3 * _R2 / _C
    most = {
        "product": (sympy.log(4 * bracket) + log_large) / 2,
        "euler": sympy.log(2) + bracket * sympy.log(bracket) / 2,
        "outside": (sympy.log(4) + log_large) / 2 + sympy.log(bracket),
    }[gamma]
    logarithm = sympy.log(rate) + sympy.log(2 * _R2) / 2 + most
    return _tends_to_zero(sympy.expand(logarithm / _C**2)) and _outgrown_but_for_logarithms(growth)


@lru_cache(maxsize=2)
def _outgrown_but_for_logarithms(growth: int) -> bool:
    """The two orders, with c^2 for the logarithm in the first and log(1 + 4c) in the second."""
    rate = 1 + 4 * _C
    printed = 2 * rate * sympy.exp(3 * _R2 / _C)

    def raw(n: int) -> sympy.Expr:
        wide = 1 + 4 * n * _C
        return rate**n / wide * sympy.exp(2 * n * n * rate * _R2 / wide - 2 * n * _R2)

    second, fourth = raw(2), raw(4)  # the variance and the fourth central moment are of their orders
    orders = [1 / second, raw(3) / fourth, second / fourth, 1 / fourth]
    orders += [
        _C**2 * printed / (sympy.exp(growth * _R2) * second),
        fourth / (second**2 * printed * sympy.log(rate)),
    ]
    return all(map(_tends_to_zero, orders))


def _tends_to_zero(order: sympy.Expr) -> bool:
    """Whether it is seen to tend to 0 as c grows: a sum of products of powers of fractions, of exp of them, and of log of them.

    An exponential beats every power of c, and that every power of logarithms of what grows like a power of c.

    Examples
    --------
    >>> [_tends_to_zero(sympy.log(1 + _C) ** 9 * f) for f in (1 / _C, sympy.exp(1 / _C) / sympy.log(_C) ** 9, 2**-_C)]
    [True, False, False]
    """
    if order.is_Add:
        return all(map(_tends_to_zero, order.args))
    power = logarithms = exponent = sympy.S.Zero
    pending = [(order, sympy.S.One)]
    while pending:
        factor, times = pending.pop()
        base, inner = factor.as_base_exp()
        if base is sympy.E:
            exponent += times * inner
        elif inner.has(_C):
            return False
        elif factor.is_Mul or inner != 1:
            pending += [(part, times * inner) for part in sympy.Mul.make_args(base)]
        elif isinstance(factor, sympy.log) and _leading(factor.args[0])[0] > 0:
            logarithms += times
        else:
            power += times * _leading(factor)[0]
    degree, rate = _leading(exponent)
    return bool((rate if degree > 0 else 0, power, logarithms) < (0, 0, 0))


def _leading(fraction: sympy.Expr) -> tuple[int, sympy.Expr]:
    """The degree in c of a fraction of polynomials, and its leading coefficient."""
    top, bottom = (sympy.Poly(part, _C) for part in sympy.fraction(sympy.cancel(fraction)))
    return top.degree() - bottom.degree(), top.LC() / bottom.LC()


def oprf_shape(dim: int, q: arb) -> arb:
    """A* of Theorem 3.3."""
    root = ((2 * q + dim) ** 2 + 8 * dim * q).sqrt()
    return -(root + 2 * q - dim) / (16 * dim)


# ---- shifted and averaged inputs -------------------------------------------------------------------------------------


def shifted_pair(offset: float) -> bool:
    """Whether the library's shift, moved by an offset, leaves positive entries and the differences as they are."""
    x = np.array([[0.5, -1.25, 0.0], [2.0, 0.25, -0.5]])
    y = np.array([[-0.75, 0.5, 1.0], [0.125, -3.0, 0.25]])
    c = np.asarray(shift_below(x, y, epsilon=0.125)) + offset
    a, b = x - c, y - c
    same = np.array_equal(a[:, None] - b[None, :], x[:, None] - y[None, :])
    return bool(same and min(a.min(), b.min()) > 0)


# ---- mean gains over random data -------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def mean_gain_floor(dim: int, offset: int, cuts: int = 24) -> arb:
    """Lower bound of the mean of log(Var PosRF/Var OPRF) over normal x, y with sigma = 1: a lower sum of a growing gain.

    |x + y|^2 is twice a noncentral chi-square variable of noncentrality offset/2; the gain increases with |x + y|.

    Examples
    --------
    >>> 80 < mean_gain_floor(64, 0) < 84.121935
    True
    """
    mean = 2 * dim + offset
    ends = [fmpq(mean, 2) + fmpq(mean * i, cuts) for i in range(cuts + 1)]
    with ctx.workprec(96):
        masses = [1 - noncentral_ball(dim, arb(offset) / 2, arb(q) / 2) for q in ends] + [arb(0)]
        gains = [_log_gain(dim, arb(q)) for q in ends]
        return sum((g * (a - b) for g, a, b in zip(gains, masses, masses[1:], strict=False)), start=arb(0))


def log_second(dim: int, q: arb) -> tuple[arb, arb]:
    """rho* and the least log second moment over K^2 of real GERF, s = 1, at |x + y|^2 = q; rho* is its slope in q."""
    rho = 2 * dim / (2 * q + dim + ((2 * q + dim) ** 2 + 8 * dim * q).sqrt())
    return rho, dim * ((1 + rho) / (2 * rho.sqrt())).log() + q * rho


def _log_gain(dim: int, q: arb) -> arb:
    """log(Var PosRF/Var OPRF) at |x + y|^2 = q."""
    return (q.expm1() / log_second(dim, q)[1].expm1()).log()


@lru_cache(maxsize=8)
def mean_gain_floor_trig(dim: int, offset: int) -> arb:
    """The same for log(Var TrigRF/Var OPRF), which differs by E log(1 - exp(-|x-y|^2)) - log 2.

    The mean of that logarithm is least without offset, as |x - y|^2 increases with it in law.
    """
    points: dict[str, Exact] = {"d": dim, "sigma": 1}
    rest = [arb(acb(f.enclose(8, **points).ball).real) for f in (mean_log_gain_trig, mean_log_gain)]
    return mean_gain_floor(dim, offset) + rest[0] - rest[1]


# ---- parameters by the recipes ---------------------------------------------------------------------------------------


def recipe_deviation(factor: float) -> arb:
    """Distance of the library's A of OPRF, from queries and keys, to (7) at the exact average (8) times ``factor``."""
    q, k, _ = attention_data(5, 4)
    found = oprf_parameter(averages(q / 4**0.25, k / 4**0.25).square_sum, 4)
    # 4^(1/4) squared is 2
    square = average_square_sum(q.tolist(), k.tolist()) / 2
    with ctx.workprec(96):
        return abs(arb(found) - oprf_shape(4, arb(factor) * arb(int(square.p)) / int(square.q)))


def recipe_shortfall(dim: int, sums: str, differences: str) -> arb:
    """Log second moment at the library's parameters of GERF, less the least over real A and both signs."""
    v2, z2 = float(exact_number(sums)), float(exact_number(differences))
    half = (v2 + z2) / 4
    found, s = gerf_parameters(Averages(half, half, v2, z2, 0.0, np.zeros(dim)), dim)
    with ctx.workprec(96):
        point = (1 - 8 * acb(found.real, found.imag)).log()
        reached = second_moment(dim, arb(v2 if s == 1 else z2), s, point.real, point.imag, arb(0)).f.log()
        return reached - min(
            (real_minimum(dim, t, sign).log_value for t, sign in ((sums, 1), (differences, -1))), key=float
        )
