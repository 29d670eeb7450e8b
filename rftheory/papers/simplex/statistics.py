"""Statistics, draws and operation counts for the claims of *Simplex Random Features*.

Samplers are called as a user would call them; operation counts run the samplers' own code on numbers that count.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from flint import arb
from scipy import special

from rftheory.exact.estimates import central_moments_ball, enough
from rftheory.papers.statistics import LogMoment, MakeStatistic, along_axis, cut_range, pair_moment
from rftheory.sample import Mechanism, Stream, coupling, project
from rftheory.sample.fast_rotations import HADAMARD, walsh_hadamard
from rftheory.sample.norms import CHI, FIXED
from rftheory.sample.projections import Geometric, project_with_norms
from rftheory.sample.rotations import _gram_schmidt
from rftheory.sample.shapes import SIMPLEX, simplex_multiply
from rftheory.sample.simplex_plus import SIMPLEX_PLUS, _sweep, simplex_plus_directions
from rftheory.statement.evidence import Bench, Difference, Law, Range, Statistic
from rftheory.statement.operations import Numbers, operations
from rftheory.statement.words import counted

UNIT = 2.0**-53
"""Unit roundoff of float64."""

# ---- laws of single projections and of estimates ---------------------------------------------------------


def fourth_power(name: str, d: int, row: int) -> MakeStatistic:
    """Fourth power of the first coordinate of one projection of a block."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        def statistic(blocks: range) -> Any:
            return coupling(name).draw(stream, blocks, d, row + 1, xp=bench.xp).projections[:, row, 0] ** 4

        return statistic

    return make


def normal_fourth_power() -> Law:
    """The law of the fourth power of a standard normal variable."""
    return Law.from_raw([arb(x) for x in (1, 3, 105)])


def estimate(feature: str, name: str, d: int, m: int, length: str) -> MakeStatistic:
    """K^/K of the Gaussian kernel, x = y with |x + y| = length (positive), or K^ at x, 0 (trigonometric)."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        vector, xp = along_axis(bench, d, length), bench.xp
        x, y = (vector / 2, vector / 2) if feature == "positive" else (vector, xp.zeros_like(vector))
        mechanism = Mechanism(feature, name, m)
        return lambda blocks: mechanism.estimate(stream, blocks, x[0, :], y[0, :])

    return make


def estimate_law(feature: str, name: str, d: int, m: int, length: str) -> Callable[[], Law]:
    """Mean K (1 for positive features at x = y), and the exact variance."""

    def law() -> Law:
        mean = 1.0 if feature == "positive" else math.exp(-(float(length) ** 2) / 2)
        return Law(mean, float(enough(lambda: central_moments_ball(feature, name, d, m, length, 2))[2]))

    return law


def squared_sum_difference(first: str, second: str, d: int) -> Difference:
    """|w_1 + ... + w_d|^2 of the first coupling minus that of the second, from the same norms and rotation."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        xp = bench.xp

        def squared(name: str, blocks: range) -> Any:
            return xp.sum(
                xp.sum(coupling(name).draw(stream, blocks, d, d, xp=xp).projections, axis=1) ** 2, axis=-1
            )

        return lambda blocks: squared(first, blocks) - squared(second, blocks)

    return Difference(make, lambda: cut_range(_sum_moment(d), _sum_moment(d)))


def conformity_difference(first: str, second: str, d: int, v: str, rows: int | None = None) -> Difference:
    """Mean of exp((w_i + w_j).v) over the pairs of d or so many rows, first minus second coupling, same draws.

    Pairs of whole blocks of d rows bound the range; any other pair has at most the moments of an independent one.
    """

    def make(bench: Bench, stream: Stream) -> Statistic:
        vector, xp = along_axis(bench, d, v), bench.xp

        def mean(name: str, blocks: range) -> Any:
            return _pair_mean(xp.exp(project(coupling(name), stream, blocks, vector, rows or d)[..., 0]), xp)

        return lambda blocks: mean(first, blocks) - mean(second, blocks)

    low, high = ("iid", "iid") if rows else (second, first)
    return Difference(make, lambda: cut_range(pair_moment(low, d, v), pair_moment(high, d, v)))


def plus_minus_difference(d: int, v: str) -> Difference:
    """Pair mean of an orthogonal block and its negatives minus that of two independent simplex blocks, 2d vectors."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        vector, xp = along_axis(bench, d, v), bench.xp

        def statistic(blocks: range) -> Any:
            square = project_with_norms(coupling("orthogonal"), stream, blocks, vector, 2 * d)
            along = square.values[..., 0] / square.norms
            signed = xp.concat((along[:, :d], -along[:, :d]), axis=1) * square.norms
            two = project(coupling("simplex"), stream, blocks, vector, 2 * d)[..., 0]
            return _pair_mean(xp.exp(signed), xp) - _pair_mean(xp.exp(two), xp)

        return statistic

    square = _largest(pair_moment("orthogonal", d, v), _opposite_moment(v))
    two = _largest(pair_moment("simplex", d, v), pair_moment("iid", d, v))
    return Difference(make, lambda: cut_range(two, square))


def opposite_difference(d: int, v: str) -> Difference:
    """exp((w_1 + w_2).v) of two opposite directions minus that of two rows of a simplex block."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        vector, xp = along_axis(bench, d, v), bench.xp

        def statistic(blocks: range) -> Any:
            pair = project_with_norms(coupling("orthogonal"), stream, blocks, vector, 2)
            along = pair.values[:, 0, 0] / pair.norms[:, 0]
            rows = project(coupling("simplex"), stream, blocks, vector, 2)[..., 0]
            return xp.exp(along * (pair.norms[:, 0] - pair.norms[:, 1])) - xp.exp(xp.sum(rows, axis=-1))

        return statistic

    return Difference(make, lambda: cut_range(pair_moment("simplex", d, v), _opposite_moment(v)))


def _sum_moment(d: int) -> LogMoment:
    """Moments of d (n_1^2 + ... + n_d^2), chi^2 of d^2 degrees of freedom, which |w_1 + ... + w_d|^2 does not exceed."""
    return lambda p: p * math.log(2 * d) + math.lgamma(d * d / 2 + p) - math.lgamma(d * d / 2)


def _opposite_moment(v: str) -> LogMoment:
    """Bound of the moments of exp(u.v (n_1 - n_2)): the larger one of exp(w_1.v) and exp(w_2.v), w_2 opposite to w_1."""
    return lambda p: math.log(2) + (p * float(v)) ** 2 / 2


def _largest(*moments: LogMoment) -> LogMoment:
    """Bound of the moments of every term of a mean, hence of what the mean has beyond a cut."""
    return lambda p: max(moment(p) for moment in moments)


def _pair_mean(b: Any, xp: Any) -> Any:
    """Mean of b_i b_j over ordered pairs i != j."""
    m = b.shape[1]
    return (xp.sum(b, axis=1) ** 2 - xp.sum(b * b, axis=1)) / (m * (m - 1))


def cosine_difference(first: str, second: str, d: int, z: str) -> Difference:
    """cos(w_1.z) cos(w_2.z) of the first coupling minus that of the second."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        vector, xp = along_axis(bench, d, z), bench.xp

        def product(name: str, blocks: range) -> Any:
            return xp.prod(xp.cos(project(coupling(name), stream, blocks, vector, 2)[..., 0]), axis=-1)

        return lambda blocks: product(first, blocks) - product(second, blocks)

    return Difference(make, lambda: Range(-2.0, 2.0))


def sign_difference(d: int) -> Difference:
    """Product of two angular-kernel features sign(w_i.x) sign(w_i.y): orthogonal pair minus independent pair."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        xp = bench.xp
        inputs = xp.asarray([[1.0, *[0.0] * (d - 1)], [1.0, 1.0, *[0.0] * (d - 2)]])

        def product(name: str, blocks: range) -> Any:
            values = project(coupling(name), stream, blocks, inputs, 2)
            return xp.prod(xp.sign(values[..., 0]) * xp.sign(values[..., 1]), axis=1)

        return lambda blocks: product("orthogonal", blocks) - product("iid", blocks)

    return Difference(make, lambda: Range(-2.0, 2.0))


# ---- draws against definitions, to a rounding bound --------------------------------------------------------


def inner_products_of(name: str, d: int, m: int) -> np.ndarray:
    """Inner products of the directions of one draw, (m, m)."""
    rows = coupling(name).draw(Stream.named("inner products"), range(1), d, m).directions[0]
    return rows @ rows.T


def block_angles(name: str, d: int, m: int, cosine: float) -> bool:
    """Whether the directions of a draw are unit, with one cosine inside each block of d rows, to rounding."""
    found, blocks = inner_products_of(name, d, m), np.arange(m) // d
    same = blocks[:, None] == blocks[None, :]
    wanted = np.where(np.eye(m, dtype=bool), 1.0, cosine)
    return bool(np.max(np.abs(found - wanted)[same]) <= 64 * d * UNIT)


def directions_ignore_norms(shape: str) -> bool:
    """Whether the directions of a block stay the same, bit for bit, when the law of the norms is changed."""
    made = {"orthogonal": coupling("orthogonal").shape, "simplex": SIMPLEX, "simplex+": SIMPLEX_PLUS}[shape]  # type: ignore[attr-defined]
    draws = [
        Geometric(shape, shape=made, norm_law=law).draw(Stream.named("norms"), range(3), 5, 5).directions
        for law in (CHI, FIXED)
    ]
    return bool(np.array_equal(*draws))


def dense_block(d: int, coefficient: Callable[[int], arb]) -> bool:
    """Whether simplex_multiply is the dense product S x of eq. (9) to a proved rounding bound.

    ``coefficient`` is that of (1, ..., 1, 0) in the rows i < d. Each output takes at most d + 4 roundings.
    """
    x = np.sin(np.arange(1.0, d + 1))
    got = simplex_multiply(x[:, None])[:, 0]
    head, shift = (arb(d) / (d - 1)).sqrt(), coefficient(d)
    exact = [arb(float(t)) for t in x]
    total, size = sum(exact[:-1], arb(0)), sum((abs(t) for t in exact[:-1]), arb(0))
    rows = [head * t - shift * total for t in exact[:-1]] + [total / arb(d - 1).sqrt()]
    gamma = (d + 4) * UNIT / (1 - (d + 4) * UNIT)
    bound = (head + shift + 1) * size * gamma
    return all(bool(abs(arb(float(g)) - r) <= bound) for g, r in zip(got, rows, strict=True))


def dense_hadamard(i: int, sign: int = -1) -> bool:
    """Whether walsh_hadamard is the dense product with the recursion (90), to rounding; ``sign`` is the corner's."""
    dense = np.ones((1, 1))
    for _ in range(i):
        dense = np.block([[dense, dense], [dense, sign * dense]]) / math.sqrt(2.0)
    x = np.sin(np.arange(1.0, 2**i + 1))
    return bool(np.max(np.abs(walsh_hadamard(x) - dense @ x)) <= 8 * (i + 2) * UNIT * np.sum(np.abs(x)))


def estimate_is_mean(feature: str, factor: float = 1.0) -> bool:
    """Whether phi(x).phi(y) of a mechanism is its printed estimator, at one draw, to rounding.

    ``factor`` multiplies the printed exponent -|x|^2 - |y|^2 (positive) or the argument of the cosine (trigonometric).
    """
    d, m = 5, 7
    x, y = np.linspace(-0.4, 0.5, d), np.linspace(0.3, -0.1, d)
    mechanism, stream = Mechanism(feature, "simplex", m), Stream.named("one draw")
    got = mechanism.gram(stream, range(1), x[None, :], y[None, :], via="matrix")[0, 0, 0]
    w = coupling("simplex").draw(stream, range(1), d, m).projections[0]
    if feature == "positive":
        wanted = np.mean(np.exp(w @ (x + y))) * np.exp(-factor * (x @ x + y @ y))
    else:
        wanted = np.mean(np.cos(factor * (w @ (x - y))))
    return bool(abs(got - wanted) <= 64 * (d + m) * UNIT * max(1.0, abs(wanted)))


def objective(norms: np.ndarray, v: float, rows: np.ndarray) -> float:
    """Eq. (12) in float64: mean of 0F1(; d/2; v^2 |w_i + w_j|^2/4) over pairs of w_i = norms_i rows_i."""
    w, d = norms[:, None] * rows, rows.shape[1]
    squares = np.sum((w[:, None, :] + w[None, :, :]) ** 2, axis=-1)
    return float(np.mean(special.hyp0f1(d / 2, v * v * squares[~np.eye(len(norms), dtype=bool)] / 4)))


def residual_of(norms: list[float], sweeps: int) -> float:
    """Largest distance of a direction from the fixed point (16) after so many passes from the simplex."""
    return float(simplex_plus_directions(np.array(norms), max_sweeps=sweeps, tolerance=0.0).residual)


# ---- operation counts ----------------------------------------------------------------------------------------


def _length(x: np.ndarray, axis: int = -1, keepdims: bool = False) -> np.ndarray:
    return np.asarray(np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims)), dtype=object)


_COUNTING = SimpleNamespace(sum=np.sum, where=np.where, stack=np.stack,
    linalg=SimpleNamespace(vector_norm=_length))  # fmt: skip


def _proxy(numbers: Numbers, d: int) -> None:
    for _ in range(HADAMARD.k):
        walsh_hadamard(numbers(d) * numbers(d))


def _literal_pass(numbers: Numbers, d: int) -> None:
    """One pass of (17) as printed: every update sums the d - 1 other vectors again."""
    vectors = numbers(d, d)
    for i in range(d):
        rest = np.sum(vectors[np.arange(d) != i], axis=0)
        with np.errstate(invalid="ignore"):  # one vector alone has no rest
            vectors[i] = -rest / _length(rest) * numbers()


S_X = counted("operations of S x", operations(lambda numbers, d: simplex_multiply(numbers(d, 1))))
R_X = counted("operations of R x", operations(lambda numbers, d: numbers(d, d) @ numbers(d, 1)))
D_X = counted("operations of D x", operations(lambda numbers, d: numbers(d) * numbers(d)))
PRODUCT = counted(
    "operations of a product of matrices", operations(lambda numbers, d: numbers(d, d) @ numbers(d, d))
)
TRANSFORM = counted(
    "operations of the fast transform", operations(lambda numbers, d: walsh_hadamard(numbers(d)))
)
PROXY = counted("operations of three factors H D", operations(_proxy))
SAMPLING = counted(
    "operations of Gram-Schmidt", operations(lambda numbers, d: _gram_schmidt(numbers(d, d), np))
)
PASS = counted("operations of a pass of (17) as printed", operations(_literal_pass))
RUNNING_PASS = counted("operations of a pass of (17) with a running sum",
    operations(lambda numbers, d: _sweep(numbers(d, d, 1), numbers(d, 1), _COUNTING)))  # fmt: skip
"""Arithmetic operations of the parts of a mechanism in dimension d, counted by running them."""
