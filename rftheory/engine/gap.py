"""Estimates of differences far smaller than their terms: common random numbers, conditioning, control variates.

The gap of a coupling is G = E b_1 b_2 - (E b)^2 for two projections of one block. At d = 64, |x - y| = 0.5 it is
-3.7e-4, and a plain mean of b_1 b_2 needs 2.5e10 draws to estimate it to one percent. `PairGap` averages over
the directions for given norms and needs 1e3; `SharedGap` draws the directions too, from numbers shared by the
coupled and the independent pair, and so checks `PairGap` without that average.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import special

from rftheory.engine.moments import Moments, WithComoment
from rftheory.engine.run import Statistic, collect
from rftheory.errors import InvalidInput, OutsideDomain, UnknownName, need
from rftheory.sample.arrays import Array, ByName, Namespace
from rftheory.sample.checks import least_dim, real, require_stream, whole
from rftheory.sample.couplings import coupling as named_coupling
from rftheory.sample.features import POSITIVE, TRIGONOMETRIC
from rftheory.sample.from_frame import FromFrame, block_in_frame, layout
from rftheory.sample.maps import feature_map
from rftheory.sample.norms import CHI
from rftheory.sample.projections import Coupling, Geometric
from rftheory.sample.rotations import HAAR
from rftheory.sample.shapes import IDENTITY, SIMPLEX
from rftheory.sample.stream import DIRECTIONS, NORMS, RESIDUALS, Stream

Feature = Literal["positive", "trigonometric"]

_REACH = 10.0
"""Norms stay below sqrt(d) + 10: always in portable streams (`rftheory.sample.chi`), else but for one in 1e22."""


def sphere_average(d: int, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of the mean over one coordinate of the uniform point of the sphere of R^d.

    Gauss quadrature of the weight (1 - t^2)^((d-3)/2), with enough nodes for cos(k t) and cosh(k t),
    k <= reach, to rounding; no Bessel function is involved.

    Examples
    --------
    >>> t, weight = sphere_average(3, 2.0)
    >>> bool(abs(np.cos(2 * t) @ weight - np.sin(2) / 2) < 1e-15)
    True
    """
    if whole("d", d) < 2:
        raise OutsideDomain("sphere average", needs="d >= 2", got=d)
    count = 16 + math.ceil(2 * reach)
    if count > _MAX_NODES:
        raise OutsideDomain(
            "sphere average", needs=f"|v| (sqrt(d) + {_REACH:g}) of at most {_MAX_NODES // 4}", got=reach
        )
    nodes, weights = special.roots_chebyt(count) if d == 2 else special.roots_gegenbauer(count, (d - 2) / 2)
    return nodes, weights / weights.sum()


_MAX_NODES = 1000


class PairGap(ByName):
    """b_1 b_2 minus its value for independent directions, averaged over directions at given norms.

    Columns: the gap, and two control variates of mean zero, r_1^2 + r_2^2 - 2 d and
    (r_1^2 - d)(r_2^2 - d); see `controlled`.

    Parameters
    ----------
    feature : ``"trigonometric"``, b = cos(w . v), or ``"positive"``, b = exp(w . v).
    coupling : name or object of any coupling whose blocks are turned by a uniform rotation. For orthogonal and simplex
        rows the angle suffices; other blocks are built for the norms of each draw.
    d, length : dimension and |v|.
    rows : numbers of the two rows in the block.

    Raises
    ------
    OutsideDomain : the rows are independent (so the gap is 0) or not in a block, or the rotation is not uniform.

    Examples
    --------
    >>> from rftheory.engine.run import run
    >>> gap = PairGap("trigonometric", "orthogonal", Stream.named("gap"), d=64, length=0.5)
    >>> round(float(run(gap, 2000).mean[0]), 5)
    -0.00037
    """

    def __init__(
        self,
        feature: Feature,
        coupling: Coupling | str,
        stream: Stream,
        *,
        d: int,
        length: float,
        rows: tuple[int, int] = (0, 1),
        xp: Namespace = np,
    ) -> None:
        feature = _feature(feature)
        self.pair = _pair(named_coupling(coupling) if isinstance(coupling, str) else coupling, d, rows)
        self.feature, self.stream, self.d, self.length, self.xp = feature, stream, d, _length(length), xp
        require_stream(stream)
        nodes, weights = sphere_average(
            d, math.sqrt(2 * (1 + self.pair.largest_cosine)) * length * (math.sqrt(d) + _REACH)
        )
        upper = nodes > 0  # both functions are even
        self._nodes, self._weights = xp.asarray(nodes[upper]), xp.asarray(2 * weights[upper])
        self._middle = float(weights[np.abs(nodes) < 1e-12].sum())

    @property
    def bytes_per_block(self) -> int:
        """Memory of the working arrays of one block."""
        return 64 * int(self._nodes.shape[0]) + 256 + self.pair.bytes_per_block

    def _average(self, kappa: Array) -> Array:
        """Mean of cos(kappa t) or exp(kappa t) over the sphere."""
        angles = kappa[:, None] * self._nodes
        if self.feature == "trigonometric":
            return self.xp.matmul(self.xp.cos(angles), self._weights) + self._middle
        grown = self.xp.exp(angles)
        return self.xp.matmul(0.5 * (grown + 1.0 / grown), self._weights) + self._middle

    def _reach_of(self, squares: Array) -> Array:
        """|v| times the root; rounding may leave the squared sum of two opposite vectors below 0."""
        return self.length * self.xp.sqrt(self.xp.maximum(squares, self.xp.zeros_like(squares)))

    def __call__(self, blocks: range) -> Array:
        """Return rows (B, 3): the gap at the norms of each block, and the two control variates."""
        xp, d = self.xp, self.d
        first, second, cross, other = self.pair.draw(self.stream, blocks, xp)
        squares = first * first + second * second
        together = self._average(self._reach_of(squares + cross))
        if self.feature == "trigonometric":
            together = 0.5 * (together + self._average(self._reach_of(squares - cross)))
        apart = self._average(self.length * first) * self._average(self.length * other)
        centred = (first * first - d) * (other * other - d)
        return xp.stack((together - apart, squares - 2.0 * d, centred), axis=-1)


class SharedGap(ByName):
    """The gap of an orthogonal pair from drawn directions, with numbers shared by the coupled and the independent pair.

    For a uniform point of the sphere, u_2 = t sqrt(1 - u_1^2), where t is a coordinate on the sphere of one
    dimension less, independent of u_1. With an independent copy e of u_1 instead, t sqrt(1 - e^2) is a
    coordinate independent of u_1. Since u_1 and e are exchangeable, the gap is the mean of

        (f(u_1) - f(e)) (g(u_1) - g(e)) / 2,    f(u) = b(r_1 |v| u),  g(u) = b(r_2 |v| t sqrt(1 - u^2)),

    with b = cos, or b = cosh for positive features, because the signs of u_1, e and t are independent.

    Examples
    --------
    >>> from rftheory.engine.run import run
    >>> found = run(SharedGap("trigonometric", Stream.named("gap"), d=64, length=0.5), 20000)
    >>> bool(abs(found.mean[0] / -3.69e-4 - 1) < 0.2)
    True
    """

    def __init__(
        self, feature: Feature, stream: Stream, *, d: int, length: float, xp: Namespace = np
    ) -> None:
        feature = _feature(feature)
        if whole("d", d) < 3:
            raise OutsideDomain("SharedGap", needs="d >= 3", got=d)
        self.feature, self.stream, self.d, self.length, self.xp = feature, stream, d, _length(length), xp
        require_stream(stream)

    def __call__(self, blocks: range) -> Array:
        """Return the products of differences, shape (B,)."""
        xp, d, stream = self.xp, self.d, self.stream
        normals = stream.normals(blocks, 3, DIRECTIONS, xp)
        rest = stream.child("rest")
        first, copy = (
            normals[:, i]
            / xp.sqrt(normals[:, i] ** 2 + rest.chis(blocks, 2, d - 1, RESIDUALS, xp)[:, i] ** 2)
            for i in (0, 1)
        )
        others = stream.chis(blocks, 1, d - 2, RESIDUALS, xp)[:, 0]
        t = normals[:, 2] / xp.sqrt(normals[:, 2] ** 2 + others * others)
        norms = self.length * stream.chis(blocks, 2, d, NORMS, xp)
        f = [self._feature(norms[:, 0] * u) for u in (first, copy)]
        g = [self._feature(norms[:, 1] * t * xp.sqrt(1.0 - u * u)) for u in (first, copy)]
        return 0.5 * (f[0] - f[1]) * (g[0] - g[1])

    def _feature(self, projected: Array) -> Array:
        if self.feature == "trigonometric":
            return self.xp.cos(projected)
        grown = self.xp.exp(projected)
        return 0.5 * (grown + 1.0 / grown)


class Controlled:
    """The first column of a statistic minus a fixed combination of the others, whose means are zero.

    Examples
    --------
    >>> rows = np.array([[3.0, 1.0], [5.0, 2.0]])
    >>> Controlled(lambda blocks: rows[blocks.start : blocks.stop], np.array([2.0]))(range(2))
    array([1., 1.])
    """

    def __init__(self, statistic: Statistic, coefficients: np.ndarray) -> None:
        self.statistic, self.coefficients = statistic, tuple(float(c) for c in coefficients)

    @property
    def bytes_per_block(self) -> int:
        """Memory that the statistic needs for one block."""
        return int(getattr(self.statistic, "bytes_per_block", 8192))

    def __call__(self, blocks: range) -> Array:
        """Return the controlled values, shape (B,)."""
        rows = self.statistic(blocks)
        value = rows[:, 0]
        for i, coefficient in enumerate(self.coefficients):
            value = value - coefficient * rows[:, i + 1]
        return value


def controlled(
    make: Callable[[Stream], Statistic], stream: Stream, *, pilot: int = 4096, **options: Any
) -> Controlled:
    """Return a statistic with its control variates, the coefficients fixed by a pilot run on another stream.

    The coefficients do not depend on the draws of the test, so the mean stays unbiased and sequential tests
    stay valid.

    Parameters
    ----------
    make : makes, from a stream, a statistic with columns (y, c_1, ..., c_q) whose c_i have mean zero.
    pilot : number of blocks of the pilot run.
    options : options of the pilot run, as for `run`.

    Examples
    --------
    >>> from functools import partial
    >>> from rftheory.engine.run import run
    >>> make = partial(PairGap, "trigonometric", "orthogonal", d=64, length=0.5)
    >>> stream = Stream.named("gap")
    >>> plain, better = run(make(stream), 500), run(controlled(make, stream), 500)
    >>> bool(better.variance[0] < 0.05 * plain.variance[0])
    True
    """
    need("make", make, Callable, "a function from a stream to a statistic")
    require_stream(stream)
    moments: Moments = collect(WithComoment, make(stream.child("pilot")), pilot, **options)
    return Controlled(make(stream), control_coefficients(moments))


def control_coefficients(moments: Moments) -> np.ndarray:
    """Return the coefficients that minimise the variance of y - beta . c, from moments of (y, c_1, ..., c_q).

    Examples
    --------
    >>> control = np.array([-1.0, 0.0, 1.0, 2.0])
    >>> rows = np.stack([3 * control + 1, control], axis=1)
    >>> control_coefficients(Moments.of(rows, comoment=True)).round(12)
    array([3.])
    """
    need("moments", moments, Moments, "Moments with comoments", hint="Moments.of(rows, comoment=True)")
    covariance = moments.covariance
    if covariance.shape[0] < 2:
        raise InvalidInput("controls", needs="a statistic with at least two columns", got=covariance.shape[0])
    if moments.n < 2:
        raise InvalidInput("controls", needs="moments of two rows or more", got=moments.n)
    sizes = np.sqrt(np.diagonal(covariance)[1:])
    scales = np.where(sizes > 0, sizes, 1.0)  # in these units every control is of order one
    among, beside = covariance[1:, 1:] / np.outer(scales, scales), covariance[1:, 0] / scales
    found: np.ndarray = np.linalg.lstsq(among, beside, rcond=1e-12)[0]
    return found / scales


def _length(length: Any) -> float:
    number = real("length", length, "a length, 0 or more")
    if number < 0:
        raise InvalidInput("length", needs="a length, 0 or more", got=number)
    return number


def _feature(name: Any) -> Feature:
    found = feature_map(name) if isinstance(name, str) else name
    if not any(found is known for known in (POSITIVE, TRIGONOMETRIC)):
        raise UnknownName("feature", name, ("positive", "trigonometric"))
    return "positive" if found is POSITIVE else "trigonometric"


# ---- pairs of rows


class _Pair(NamedTuple):
    """Norms of two rows, (B,), twice their inner product, and the norm of a row independent of the first."""

    first: Array
    second: Array
    cross: Array
    other: Array


@dataclass(frozen=True)
class _AtAngle:
    """Two rows with independent chi norms at a fixed angle."""

    cosine: float
    d: int
    bytes_per_block: int = 0

    @property
    def largest_cosine(self) -> float:
        return abs(self.cosine)

    def draw(self, stream: Stream, blocks: range, xp: Namespace) -> _Pair:
        norms = stream.chis(blocks, 2, self.d, NORMS, xp)
        first, second = norms[:, 0], norms[:, 1]
        return _Pair(first, second, 2 * self.cosine * first * second, second)


@dataclass(frozen=True)
class _OfBlock:
    """Two rows of a block that is built for its norms, in the coordinates of its frame."""

    law: FromFrame | Geometric
    d: int
    rows: tuple[int, int]
    largest_cosine: float = 1.0

    @property
    def bytes_per_block(self) -> int:
        return 64 * self.d * self.d

    def draw(self, stream: Stream, blocks: range, xp: Namespace) -> _Pair:
        one, two = (block_in_frame(self.law, stream, blocks, self.d, xp)[:, i, :] for i in self.rows)
        first, second = (xp.linalg.vector_norm(row, axis=-1) for row in (one, two))
        # the norms may depend on each other, so the product of two means needs a norm from another block
        other = self.law.norm_law.draw(stream.child("apart"), blocks, 1, self.d, xp)[:, 0]
        return _Pair(first, second, 2 * xp.sum(one * two, axis=-1), other)


def _pair(law: Coupling, d: int, rows: tuple[int, int]) -> _AtAngle | _OfBlock:
    least_dim(law.name, whole("d", d), law.min_dim)
    framed = isinstance(law, FromFrame) and not law.independent
    turned = framed or (isinstance(law, Geometric) and law.rotation == HAAR)
    if not turned:
        raise OutsideDomain(
            "PairGap", needs="a coupling whose blocks are turned by a uniform rotation", got=law.name,
            hint="estimate the mechanism with `run`",
        )  # fmt: skip
    assert isinstance(law, FromFrame | Geometric)
    size = layout(law, d).rows if isinstance(law, FromFrame) else d
    if len(set(rows)) != 2 or not all(0 <= whole("row", row, 0) < size for row in rows):
        raise OutsideDomain("PairGap", needs=f"two of the {size} rows of a block of {law.name}", got=rows)
    if isinstance(law, Geometric) and law.norm_law == CHI and law.shape in (IDENTITY, SIMPLEX):
        return _AtAngle(0.0 if law.shape == IDENTITY else -1.0 / (d - 1), d)
    return _OfBlock(law, d, rows)
