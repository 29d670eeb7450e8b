"""Statistics and exact computations behind the claims of the walk-through of Rahimi and Recht.

Laws of sampled statistics come from the exact layer; small models (tossed coins, finite spectra, finite sets) are
computed exactly, in rationals or balls.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from flint import arb, ctx

from rftheory.errors import NotCertified
from rftheory.exact.enclosure import rational_ball
from rftheory.exact.estimates import central_moments_ball, enough
from rftheory.exact.moments import cumulants_of, moments_of, squared_error_moments
from rftheory.exact.search import Box, Smooth, certified_maximum
from rftheory.exact.spectral import bessel_kernel, bessel_orf_variance
from rftheory.papers.statistics import MakeStatistic, along_axis
from rftheory.sample import Mechanism, Stream, coupling
from rftheory.statement.evidence import Bench, Difference, Law, Range, Statistic

BITS = 128

# ---- sampled statistics --------------------------------------------------------------------------------


def estimate(feature: str, name: str, d: int, m: int, length: str) -> MakeStatistic:
    """The kernel estimate s(Delta) with |Delta| = length, x and y on opposite sides of the origin."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        half = along_axis(bench, d, length)[0, :] / 2
        mechanism = Mechanism(feature, name, m)
        return lambda blocks: mechanism.estimate(stream, blocks, half, -half)

    return make


def error_square(feature: str, name: str, d: int, m: int, length: str, mean: float) -> MakeStatistic:
    """(s - mean)^2."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        statistic = estimate(feature, name, d, m, length)(bench, stream)
        return lambda blocks: (statistic(blocks) - mean) ** 2

    return make


def _estimates_within(name: str, d: int, m: int, z: float) -> tuple[float, float]:
    """Ends of the mean of m cosines a_i = w_i.z.

    A whole block of orthogonal rows of norm sqrt(d) has sum a_i^2 = d z^2, hence sum a_i^4 <= d^2 z^4, and
    1 - a^2/2 <= cos a <= 1 - a^2/2 + a^4/24.
    """
    if name != "orthogonal-fixed" or m != d:
        return -1.0, 1.0
    return max(-1.0, 1 - z**2 / 2), min(1.0, 1 - z**2 / 2 + d * z**4 / 24)


def error_excess(
    feature: str, name: str, d: int, m: int, length: str, law: Callable[[], Law], factor: float
) -> Difference:
    """(s - mean)^2 less ``factor`` times the variance of the law; the other way round for a factor below 1."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        known = law()
        square = error_square(feature, name, d, m, length, known.mean)(bench, stream)
        sign = 1.0 if factor > 1 else -1.0
        return lambda blocks: sign * (square(blocks) - factor * known.variance)

    def within() -> Range:
        known, (low, high) = law(), _estimates_within(name, d, m, float(length))
        bound = factor * known.variance
        top = max(known.mean - low, high - known.mean) ** 2 - bound
        return Range(-bound, top) if factor > 1 else Range(-top, bound)

    return Difference(make, within)


def frequency_square(name: str, d: int) -> MakeStatistic:
    """|w|^2 of the last of d frequencies."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        xp = bench.xp

        def statistic(blocks: range) -> Any:
            w = coupling(name).draw(stream, blocks, d, d, xp=xp).projections
            return xp.sum(w[:, d - 1, :] ** 2, axis=-1)

        return statistic

    return make


def supremum_over_grid(d: int, m: int, points: int, bound: float) -> Difference:
    """The largest |f| over a grid of [0, 1] on one axis (d = 1), less a bound of its mean."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        xp = bench.xp
        grid = xp.reshape(xp.asarray(np.linspace(0.0, 1.0, points)), (points, 1))
        kernel = xp.exp(-(grid[:, 0] ** 2) / 2)
        origin, mechanism = xp.zeros((1, d)), Mechanism("trigonometric", "iid", m)

        def statistic(blocks: range) -> Any:
            found = mechanism.gram(stream, blocks, grid, origin)[:, :, 0]
            return xp.max(xp.abs(found - kernel), axis=-1) - bound

        return statistic

    return Difference(make, lambda: Range(-bound, 2.0))


def steepest_slope(length: int, points: int, top: float, bound: float) -> Difference:
    """The square of the largest |f'| over a grid of [0, length], Gaussian kernel, d = D = 1, less a bound of its mean.

    The grid gives a lower bound of L_f, and so does the cut at ``top``, which keeps the skewness low.
    """

    def make(bench: Bench, stream: Stream) -> Statistic:
        xp = bench.xp
        grid = xp.asarray(np.linspace(0.0, float(length), points))
        kernel = grid * xp.exp(-(grid**2) / 2)

        def statistic(blocks: range) -> Any:
            w = coupling("iid").draw(stream, blocks, 1, 1, xp=xp).projections[:, 0, :]
            largest = xp.max(xp.abs(w * xp.sin(w * grid) - kernel), axis=-1)
            return xp.clip(largest**2, None, top) - bound

        return statistic

    return Difference(make, lambda: Range(-bound, top - bound))


def chi_square_law(d: int) -> Callable[[], Law]:
    """|w|^2 of a normal frequency."""
    return lambda: Law(float(d), 2.0 * d)


def _phase_moments(m: int, z: arb, order: int = 4) -> list[arb]:
    """Central moments of the phase estimator: the mean of m copies of cos(w z) + cos(t), Gaussian kernel."""
    cosine = [
        sum((math.comb(n, i) * (-((n - 2 * i) ** 2) * z * z / 2).exp() for i in range(n + 1)), arb(0))
        / arb(2) ** n
        for n in range(order + 1)
    ]
    circle = [arb(math.comb(n, n // 2)) / arb(2) ** n if n % 2 == 0 else arb(0) for n in range(order + 1)]
    both = [a + b for a, b in zip(cumulants_of(cosine), cumulants_of(circle), strict=True)]
    return moments_of([arb(0), arb(0), *(both[n] / arb(m) ** (n - 1) for n in range(2, order + 1))])[
        : order + 1
    ]


def phase_law(m: int, length: str) -> Callable[[], Law]:
    """The estimate of the phase map, Gaussian kernel."""

    def law() -> Law:
        variance = enough(lambda: _phase_moments(m, arb(length), 2)[2:])
        return Law(math.exp(-(float(length) ** 2) / 2), float(variance[0]))

    return law


def phase_square_law(m: int, length: str) -> Callable[[], Law]:
    """(s - k)^2 of the phase map, Gaussian kernel."""
    return lambda: Law.from_raw(enough(lambda: squared_error_moments(_phase_moments(m, arb(length)))))


def pair_square_law(name: str, d: int, m: int, length: str) -> Callable[[], Law]:
    """(s - k)^2 of the pair map, Gaussian kernel."""
    return lambda: Law.from_raw(
        enough(lambda: squared_error_moments(central_moments_ball("trigonometric", name, d, m, length, 4)))
    )


def bessel_law(d: int, p: int, length: str) -> Callable[[], Law]:
    """The estimate with p orthogonal frequencies of norm sqrt(d)."""
    return lambda: Law(
        float(bessel_kernel.enclose(20, d=d, z=length)),
        float(bessel_orf_variance.enclose(20, d=d, p=p, z=length)),
    )


# ---- features of the implementation ----------------------------------------------------------------------


def features_are(scale: Callable[[int], float]) -> bool:
    """Whether Mechanism's features of three points are scale(m) [cos w_i.x, sin w_i.x], entry by entry, to rounding.

    The frequencies are read from the same stream; cos and sin of arguments below 100 are good to 1e-13.
    """
    stream, m = Stream.named("walk-through, dense features"), 5
    points = np.array([[0.3, -1.2, 0.5], [2.0, 0.0, -0.7], [0.0, 0.0, 0.0]])
    mechanism = Mechanism("trigonometric", "iid", m)
    blocks = range(16)
    found = mechanism.features(stream, blocks, points, points, via="matrix").left
    values = np.exp(found.log_scale) * found.factor
    w = coupling("iid").draw(stream, blocks, 3, m).projections
    angles = w @ points.T
    dense = scale(m) * np.concatenate((np.sin(angles), np.cos(angles)), axis=1)
    gram = mechanism.gram(stream, blocks, points, points, via="matrix")
    cosines = np.mean(np.cos(angles[:, :, :, None] - angles[:, :, None, :]), axis=1)
    return bool(np.max(np.abs(values - dense)) < 1e-12 and np.max(np.abs(gram - cosines)) < 1e-12)


# ---- tossed coins: w = 0 or pi with probability 1/2, so that cos(w) = +-1 and k(1) = 0 -----------------------


def coin_tail(m: int, needed: int) -> Fraction:
    """P(|sum of m signs| >= needed)."""
    return Fraction(sum(math.comb(m, n) for n in range(m + 1) if abs(2 * n - m) >= needed), 2**m)


def coins_stay_below(exponent: Fraction, factor: Fraction = Fraction(2), largest: int = 60) -> bool:
    """P(|s - k| >= eps) <= factor exp(-exponent m eps^2) for all means of up to ``largest`` signs and all eps."""
    with ctx.workprec(BITS):
        return all(
            rational_ball(coin_tail(m, n))
            <= rational_ball(factor) * (-rational_ball(exponent) * n * n / arb(m)).exp()
            for m in range(1, largest + 1)
            for n in range(1, m + 1)
        )


def coin_rate(eps: Fraction) -> arb:
    """The rate of P(mean of signs >= eps): ((1 + eps) log(1 + eps) + (1 - eps) log(1 - eps))/2."""
    e = rational_ball(eps)
    return ((1 + e) * (1 + e).log() + (1 - e) * (1 - e).log()) / 2


def no_larger_exponent(exponent: Fraction) -> bool | None:
    """Whether no bound C exp(-c m eps^2) with c > exponent holds for coins: their rate falls to eps^2/2.

    None: the rate at eps = 2^-1, ..., 2^-20 is above exponent eps^2. True only for exponent = 1/2 (the rate is at least
    eps^2/2, by Hoeffding, and at most eps^2/2 (1 + 2 eps^2)); False where a larger exponent than the given one holds.
    """
    with ctx.workprec(BITS):
        if exponent < Fraction(1, 2):
            return False  # Hoeffding's 1/2 holds
        for n in range(1, 21):
            eps = Fraction(1, 2**n)
            bound = rational_ball(exponent * eps**2 * (1 + 2 * eps**2))
            if not coin_rate(eps) <= bound:
                return None
        return True if exponent == Fraction(1, 2) else None


# ---- finite spectra ----------------------------------------------------------------------------------------


def _slope(frequencies: Sequence[int], own: int) -> sympy.Expr:
    place = sympy.Symbol("place", real=True)
    mean = sympy.Add(*(n * sympy.sin(n * place) for n in frequencies)) / len(frequencies)
    return mean - own * sympy.sin(own * place)


@lru_cache(maxsize=1)
def steepest() -> tuple[tuple[arb, arb, arb], ...]:
    """For w = 4, 5, 7 (equally likely, D = 1, M - M = [-3, 3]): L_f, s'(Delta*) and k'(Delta*), Delta* >= 0."""
    place, found = sympy.Symbol("place", real=True), []
    frequencies = (4, 5, 7)
    with ctx.workprec(BITS):
        for own in frequencies:
            slope = _slope(frequencies, own)
            top = certified_maximum(Smooth.of(slope**2, place), Box.of((0, 3)), digits=12)
            if top.point is None:  # the mean slopes at several maximisers need not agree
                raise NotCertified(
                    "steepest slope", wanted="the only maximiser", reached=f"{len(top.boxes)} boxes"
                )
            (at,) = top.point
            s = -own * (own * at).sin()
            k = -sum((n * (n * at).sin() for n in frequencies), arb(0)) / 3
            height = top.value.ball
            assert isinstance(height, arb)
            found.append((height.sqrt(), s, k))
    return tuple(found)


def second_moment() -> arb:
    """E L_f^2 of that spectrum."""
    return sum((length**2 for length, _, _ in steepest()), arb(0)) / 3


def split_second_moment(cross: int) -> list[arb]:
    """E s'^2 + E k'^2 - cross E k' E s' at Delta*, for every choice of the signs of the three Delta*."""
    found = []
    for signs in itertools.product((1, -1), repeat=3):
        rows = [(s * sign, k * sign) for (_, s, k), sign in zip(steepest(), signs, strict=True)]
        es, ek = (sum((row[i] for row in rows), arb(0)) / 3 for i in (0, 1))
        square = sum((s * s + k * k for s, k in rows), arb(0)) / 3
        found.append(square - cross * es * ek)
    return found


def difference_of_moments() -> arb:
    """E s'^2 - E k'^2 at Delta*."""
    return sum((s * s - k * k for _, s, k in steepest()), arb(0)) / 3


@lru_cache(maxsize=8)
def many_frequencies(n: int) -> arb:
    """A lower bound of E L_f^2/sigma_p^2 for n equally likely frequencies w_j = 1 + 2^(-8j-7), D = 1, d = 1.

    |f'| is evaluated at Delta = 2^(8i+7) pi + pi/2, where i is the frequency drawn.
    """
    with ctx.workprec(16 * n + 256):
        w = [1 + rational_ball(Fraction(1, 2 ** (8 * j + 7))) for j in range(1, n + 1)]
        total = arb(0)
        for i in range(1, n + 1):
            place = 2 ** (8 * i + 7) * arb.pi() + arb.pi() / 2
            slopes = [x * (x * place).sin() for x in w]
            total += (sum(slopes, arb(0)) / n - slopes[i - 1]) ** 2
        return total / sum((x * x for x in w), arb(0))


def lipschitz_constant(c: Fraction) -> bool | None:
    """Whether E L_f^2 <= c sigma_p^2 for all kernels, sets and D.

    V/m + 4 (sigma^2 - V) <= c sigma^2 is linear in the variance V of |w|, so it holds at all V in [0, sigma^2] if at both
    ends; a spectrum of up to 64 frequencies refutes.
    """
    if c >= 4:  # enough at both ends
        return True
    with ctx.workprec(BITS):
        return False if any(many_frequencies(n) > rational_ball(c) for n in (4, 16, 64)) else None


# ---- finite sets ---------------------------------------------------------------------------------------------


def greedy_net(points: Sequence[tuple[int, ...]], square: int) -> list[tuple[int, ...]]:
    """A maximal subset with squared distances above ``square``."""
    chosen: list[tuple[int, ...]] = []
    for point in points:
        if all(_distance(point, other) > square for other in chosen):
            chosen.append(point)
    return chosen


def _distance(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def net_covers(square: int) -> bool:
    """Whether a net of radius 2 in a lattice set comes within sqrt(square) of every point, and is no larger than (1 + 2 l/r)^d."""
    points = [(x, y) for x in range(-6, 7) for y in range(-6, 7) if 9 <= x * x + y * y <= 36]
    net = greedy_net(points, 4)
    covered = all(any(_distance(p, c) <= square for c in net) for p in points)
    return covered and len(net) <= (1 + 2 * 12 / 2) ** 2


def difference_diameter(points: Sequence[tuple[int, ...]], factor: int) -> bool:
    """Whether the squared diameter of the set of differences is factor^2 times that of the set."""
    differences = {tuple(x - y for x, y in zip(a, b, strict=True)) for a in points for b in points}
    own = max(_distance(a, b) for a in points for b in points)
    return max(_distance(a, b) for a in differences for b in differences) == factor**2 * own


def differences_double(factor: int) -> bool:
    """The same for several sets: one point, two points, a triangle, an L-shape in the plane."""
    sets = (
        [(3, 4)],
        [(0, 0), (1, 2)],
        [(0, 0), (4, 0), (1, 3)],
        [(x, 0) for x in range(4)] + [(0, y) for y in range(3)],
    )
    return all(difference_diameter(points, factor) for points in sets)
