"""Statistics of hybrid random features, and the exact laws that they must follow.

Pairs are described by |x|, |y| and their angle; the softmax kernel is estimated. All laws are those of squared errors, or of the
estimates themselves, with their moments up to order eight in closed form.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import acb, arb

from rftheory.exact.angular import GaussBalls, binomial_mixed_ball
from rftheory.exact.complex_exponential import Entry, mixed_moment, zeta
from rftheory.exact.estimates import enough
from rftheory.exact.evaluate import evaluate
from rftheory.exact.hybrid import PairBalls, hybrid_moment_ball
from rftheory.exact.moments import cumulants_of, moments_of, squared_error_moments
from rftheory.papers import statistics
from rftheory.papers.statistics import MakeStatistic
from rftheory.sample import Mechanism, RandomFeatures, Stream
from rftheory.sample.exponential import ComplexExponential
from rftheory.sample.hybrid import Coefficient
from rftheory.statement.evidence import Bench, Difference, Law, Range, SampledMean, Statistic, times

Mixed = Callable[[int, int], arb]


@dataclass(frozen=True)
class Pair:
    """|x|, |y| and their angle as text, in dimension d.

    Examples
    --------
    >>> x, y = Pair("0.5", "1", "1.5707963267948966", 3).vectors()
    >>> bool(abs(x @ y) < 1e-15)
    True
    """

    x: str
    y: str
    theta: str
    d: int = 3

    def vectors(self) -> tuple[np.ndarray, np.ndarray]:
        """Two vectors with these norms and this angle; neither lies along an axis."""
        first = np.full(self.d, 1 / math.sqrt(self.d))
        second = np.zeros(self.d)
        if self.d > 1:
            second[:2] = (1 / math.sqrt(2), -1 / math.sqrt(2))
        angle = float(self.theta)
        y = math.cos(angle) * first + math.sin(angle) * second
        return float(self.x) * first, float(self.y) * y

    def balls(self) -> PairBalls:
        return PairBalls.of(arb(self.x), arb(self.y), arb(self.theta))

    @property
    def softmax(self) -> float:
        return math.exp(float(self.x) * float(self.y) * math.cos(float(self.theta)))

    @property
    def largest_error(self) -> float:
        """Bound of the squared error of the trigonometric estimator, which lies in +-exp((|x|^2 + |y|^2)/2)."""
        return (math.exp((float(self.x) ** 2 + float(self.y) ** 2) / 2) + self.softmax) ** 2

    def __str__(self) -> str:
        return f"|x| = {self.x}, |y| = {self.y}, theta = {self.theta}, d = {self.d}"


NEAR = Pair("0.35", "0.35", "2.2")
"""A pair for which all moments up to order eight are tame: |x + y| is small."""

# ---- statistics ------------------------------------------------------------------------------------


def estimates(estimator: RandomFeatures, x: np.ndarray, y: np.ndarray) -> MakeStatistic:
    """Estimates of the softmax kernel."""
    return statistics.estimates(estimator, x, y, "softmax")


def squared_errors(estimator: RandomFeatures, x: np.ndarray, y: np.ndarray, kernel: float) -> MakeStatistic:
    """Squared errors of the estimates of the softmax kernel."""
    return statistics.squared_errors(estimator, x, y, kernel, "softmax")


def fixed_weight_errors(weight: float, m: int, pair: Pair) -> MakeStatistic:
    """Squared errors of weight P_m + (1 - weight) T_m, P and T on projections of their own."""
    bases = (Mechanism("hyperbolic", "iid", m), Mechanism("trigonometric", "iid", m))

    def make(bench: Bench, stream: Stream) -> Statistic:
        one, two = (estimates(base, *pair.vectors())(bench, stream.child(base.name)) for base in bases)
        return lambda blocks: (weight * one(blocks) + (1 - weight) * two(blocks) - pair.softmax) ** 2

    return make


def weights(coefficient: Coefficient, x: np.ndarray, y: np.ndarray, power: int = 1) -> MakeStatistic:
    """Estimates of a weight, or their squares."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        first, second = bench.xp.asarray(x), bench.xp.asarray(y)
        return lambda blocks: coefficient.estimate(stream, blocks, first, second) ** power

    return make


def difference(one: MakeStatistic, two: MakeStatistic, top: float) -> Difference:
    """First minus second, from streams of their own; both lie in [0, top]."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        first, second = one(bench, stream.child("first")), two(bench, stream.child("second"))
        return lambda blocks: first(blocks) - second(blocks)

    return Difference(make, lambda: Range(-top, top))


# ---- laws of hybrids ---------------------------------------------------------------------------------


def only_t(a: int, b: int) -> arb:
    """E L^a (1-L)^b for L = 0: the hybrid is T."""
    return arb(1 if a == 0 else 0)


def only_p(a: int, b: int) -> arb:
    """E L^a (1-L)^b for L = 1: the hybrid is P."""
    return arb(1 if b == 0 else 0)


def angular(theta: str, n: int) -> Mixed:
    """The angular coefficient: n L is binomial with probability theta/pi."""
    return lambda a, b: binomial_mixed_ball(a, b, n, arb(theta) / arb.pi())


def gaussian(r: str, theta: str, sigma: str, n: int, *, hyperbolic: bool = False) -> Mixed:
    """The normalised Gaussian coefficient for |x| = |y| = r."""
    return lambda a, b: GaussBalls.of(arb(r), arb(theta), arb(sigma), n, hyperbolic=hyperbolic).mixed(a, b)


def squared_error_law(pair: Pair, m: int, mixed: Mixed, *, shared: bool = False) -> Callable[[], Law]:
    """Law of (H - SM)^2 of a bipolar hybrid: its raw moments are the central moments of H of order 2 k."""

    def law() -> Law:
        return Law.from_raw(enough(lambda: squared_error_moments(_central(pair, m, mixed, shared, 4))))

    return law


def estimate_law(pair: Pair, m: int, mixed: Mixed, *, shared: bool = False) -> Callable[[], Law]:
    """Law of H: its mean is SM."""
    return lambda: Law(pair.softmax, float(enough(lambda: _central(pair, m, mixed, shared, 2))[2]))


def _central(pair: Pair, m: int, mixed: Mixed, shared: bool, top: int) -> list[arb]:
    balls = pair.balls()
    moments = [hybrid_moment_ball(k, balls, m, mixed, shared=shared) for k in range(2, top + 1)]
    return [arb(1), arb(0), *moments]


def power_law(mixed: Mixed, power: int = 1) -> Callable[[], Law]:
    """Law of L^power."""
    return lambda: Law.from_raw(enough(lambda: [mixed(power * k, 0) for k in range(3)]))


# ---- laws of complex exponential estimators ---------------------------------------------------------------------


def cexp_law(
    a: Sequence[Sequence[Entry]] | Sequence[Entry], x: Sequence[Entry], y: Sequence[Entry], m: int
) -> Callable[[], Law]:
    """Law of (Re S - SM)^2 for m projections: powers of the real part of one draw from E X^a conj(X)^b."""

    def law() -> Law:
        return Law.from_raw(enough(lambda: squared_error_moments(_cexp_central(a, x, y, m))))

    return law


def _cexp_central(
    a: Sequence[Sequence[Entry]] | Sequence[Entry], x: Sequence[Entry], y: Sequence[Entry], m: int
) -> list[arb]:
    found = {name: evaluate(value, {}) for name, value in zeta(a, x, y).invariants().items()}
    parts = [acb(found[name]).real for name in ("real", "imag", "mixed")]
    raw = [
        sum((math.comb(k, i) * mixed_moment(i, k - i, *parts) for i in range(k + 1)), start=acb(0)).real
        / 2**k
        for k in range(5)
    ]
    centred = [
        sum((math.comb(k, i) * (-1) ** (k - i) * raw[i] for i in range(k + 1)), start=arb(0))
        for k in range(5)
    ]
    cumulants = [c / arb(m) ** max(k - 1, 0) for k, c in enumerate(cumulants_of(centred))]
    scale = acb(found["inner"]).real.exp()
    return [moment * scale**k for k, moment in enumerate(moments_of(cumulants))]


def cexp_estimate_law(
    a: Sequence[Sequence[Entry]] | Sequence[Entry], x: Sequence[Entry], y: Sequence[Entry], m: int
) -> Callable[[], Law]:
    """Law of Re S for m projections: its mean is SM."""

    def law() -> Law:
        vectors = ([float(complex(evaluate_entry(e)).real) for e in side] for side in (x, y))
        kernel = math.exp(sum(u * v for u, v in zip(*vectors, strict=True)))
        return replace(Law.from_raw(enough(lambda: _cexp_central(a, x, y, m))), mean=kernel)

    return law


# ---- laws of hybrids of any number of base estimators -----------------------------------------------------------

Moments = Sequence[arb]
"""Moments of order 0, 1 and 2."""


def vector_balls(x: np.ndarray, y: np.ndarray) -> PairBalls:
    """The invariants of two given vectors.

    Examples
    --------
    >>> vector_balls(np.array([1.0, 0.0]), np.array([1.0, 2.0])).sum2.overlaps(arb(8))
    True
    """
    u, v = ([arb(float(e)) for e in side] for side in (x, y))

    def dot(a: list[arb], b: list[arb]) -> arb:
        return sum((p * q for p, q in zip(a, b, strict=True)), start=arb(0))

    xx, yy, xy = dot(u, u), dot(v, v), dot(u, v)
    return PairBalls(xx + yy + 2 * xy, xx + yy - 2 * xy, xx - yy, xy)


def base_moments(kind: str, x: np.ndarray, y: np.ndarray, m: int) -> list[arb]:
    """E (K^ - SM)^k, k = 0, 1, 2, of T ("trigonometric") or P ("hyperbolic")."""
    mixed = only_t if kind == "trigonometric" else only_p
    balls = vector_balls(x, y)
    return [arb(1), arb(0), hybrid_moment_ball(2, balls, m, mixed, shared=False)]


def cexp_moments(a: Sequence[Entry], x: Sequence[Entry], y: Sequence[Entry], m: int) -> list[arb]:
    """The same of the real part of a CE estimator."""
    return _cexp_central(a, x, y, m)[:3]


def window_moments(kind: str, u: np.ndarray, v: np.ndarray, n: int) -> list[arb]:
    """E L^k, k = 0, 1, 2, of the estimate of exp(-|u - v|^2/2) as SM(u, v) times exp(-(|u|^2 + |v|^2)/2)."""
    balls = vector_balls(u, v)
    mean, central = balls.inner.exp(), base_moments(kind, u, v, n)
    scale = (-(balls.sum2 + balls.difference2) / 4).exp()
    return [
        scale**k * sum((math.comb(k, i) * mean ** (k - i) * central[i] for i in range(k + 1)), start=arb(0))
        for k in range(3)
    ]


def combined_moments(bases: Sequence[Moments], weights: Sequence[Moments]) -> list[arb]:
    """E (H - SM)^k, k = 0, 1, 2, of (8) with independent base estimators and weights.

    ``bases`` gives central, ``weights`` raw moments up to order two. As the weights sum to 1,
    H - SM = sum_k L_k (S_k - SM), whose moments are sums over multi-indices.
    """

    def moment(order: int) -> arb:
        total = arb(0)
        for powers in _multi_indices(order, len(bases)):
            parts = math.prod((c[k] for c, k in zip(bases, powers, strict=True)), start=arb(1))
            total += _multinomial(order, powers) * parts * _weight_moment(powers, weights)
        return total

    return [moment(k) for k in range(3)]


def combined_law(
    kernel: float, bases: Callable[[], Sequence[Moments]], weights: Callable[[], Sequence[Moments]]
) -> Callable[[], Law]:
    """Law of such a hybrid: its mean is SM."""
    return lambda: replace(Law.from_raw(enough(lambda: combined_moments(bases(), weights()))), mean=kernel)


def _multi_indices(order: int, parts: int) -> list[tuple[int, ...]]:
    every = itertools.product(range(order + 1), repeat=parts)
    return [powers for powers in every if sum(powers) == order]


def _multinomial(order: int, powers: Sequence[int]) -> int:
    return math.factorial(order) // math.prod(math.factorial(k) for k in powers)


def _weight_moment(powers: Sequence[int], raw: Sequence[Moments]) -> arb:
    """E prod L_k^(a_k) (1 - sum L_k)^b for independent L_k."""
    *own, last = powers
    total = arb(0)
    for extra in _multi_indices(last, len(raw) + 1):
        used = extra[:-1]
        parts = (r[a + j] for r, a, j in zip(raw, own, used, strict=True))
        total += _multinomial(last, extra) * (-1) ** sum(used) * math.prod(parts, start=arb(1))
    return total


# ---- sampled checks --------------------------------------------------------------------------------------


def sampled_error(
    says: str,
    estimator: RandomFeatures,
    pair: Pair,
    m: int,
    mixed: Mixed,
    *,
    shared: bool = False,
    blocks: int = 2**19,
    factor: float = 1.1,
) -> SampledMean:
    """The mean squared error of a bipolar hybrid is the exact one, and not ``factor`` times it."""
    return SampledMean(
        f"MSE of {says}, {pair}",
        squared_errors(estimator, *pair.vectors(), pair.softmax),
        squared_error_law(pair, m, mixed, shared=shared),
        times(factor),
        blocks,
    )


def sampled_kernel(
    says: str,
    estimator: RandomFeatures,
    pair: Pair,
    m: int,
    mixed: Mixed,
    *,
    shared: bool = False,
) -> SampledMean:
    """The mean of a bipolar hybrid is the softmax kernel, and not five percent more."""
    return SampledMean(
        f"mean of {says}, {pair}",
        estimates(estimator, *pair.vectors()),
        estimate_law(pair, m, mixed, shared=shared),
        times(1.05),
        2**17,
    )


def sampled_cexp(
    says: str, a: Sequence[Entry], x: Sequence[Entry], y: Sequence[Entry], m: int, blocks: int = 2**19
) -> SampledMean:
    """The mean squared error of the real part of a CE estimator with diagonal A is the exact one."""
    numbers = [np.array([complex(evaluate_entry(e)) for e in vector]) for vector in (a, x, y)]
    matrix, first, second = np.diag(numbers[0]), numbers[1].real.copy(), numbers[2].real.copy()
    mechanism = Mechanism(ComplexExponential(matrix if matrix.imag.any() else matrix.real), "iid", m)
    return SampledMean(
        f"MSE of {says}",
        squared_errors(mechanism, first, second, math.exp(float(first @ second))),
        cexp_law(a, x, y, m),
        times(1.1),
        blocks,
    )


def evaluate_entry(entry: Entry) -> Any:
    """An exact entry as a number."""
    from rftheory.exact.enclosure import exact_number

    return exact_number(entry, "entry")
