"""Exponential tilts: moments of positive features with bounded relative error at any |x + y|.

The products that make up the moments of positive features, of OPRF and of real GERF are

    b_1^n_1 ... b_q^n_q,    b_i = exp(alpha |w_i|^2 + beta w_i . v + const),

whose mass lies at |w| of the order of the sum of the n_i times |v|. A plain sample of any feasible size has no
draw there, so its mean and its standard error are both wrong without any sign of it. Here the ordinary draws of
the coupling are moved to where the mass lies, by maps whose densities are elementary:

* a norm r becomes r / sqrt(1 - s); weight (1 - s)^(-d/2) exp(-s r'^2 / 2) at the new norm r';
* a uniform point u of the sphere becomes its image under the conformal map of the ball that carries 0 to
  x0 a; with t = u' . a its weight is (1 - x0 t)^(d-1) (1 - x0^2)^(-(d-1)/2).

The slopes s and x0 are chosen where product times density is largest, so that product times weight is bounded by
a number close to its mean: 1.6 times the mean at d = 64, |v| = 10 for the second moment, where the plain ratio is
e^100. If there are several such places (for a simplex pair at large |v| / sqrt(d): one norm large and the other
small), the norms are drawn from the mixture of their tilts. No Bessel or hypergeometric function is used, so
agreement with the closed forms is evidence.

Source of the sphere's envelope: A. T. A. Wood, *Simulation of the von Mises Fisher distribution*,
Communications in Statistics 23 (1994); here with weights instead of rejection.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.sample.arrays import Array, ByName, Namespace, array_namespace
from rftheory.sample.checks import block_range, real, require_stream, vector, whole
from rftheory.sample.exponential import Gerf
from rftheory.sample.features import Kernel, Positive
from rftheory.sample.mechanisms import Mechanism
from rftheory.sample.norms import CHI
from rftheory.sample.projections import Geometric, Independent
from rftheory.sample.rotations import HAAR
from rftheory.sample.shapes import IDENTITY, SIMPLEX, Shape, simplex_matrix
from rftheory.sample.stream import PHASES, Stream

Slopes = tuple[tuple[float, ...], ...]
Height = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""Values at points (B, q), and their derivatives in each coordinate, (B, q)."""


class Tilted(NamedTuple):
    """Blocks drawn under a tilt.

    values : (B, q), the inner products w_i . v of the first q projections of a block.
    norms : (B, q), their norms.
    log_weights : (B,), logarithm of the density of the coupling over that of the tilt.

    Examples
    --------
    >>> drawn = Tilt(IDENTITY, d=64, length=2.0, powers=(1, 1)).draw(Stream.named("tilt"), range(5))
    >>> drawn.values.shape, drawn.norms.shape, drawn.log_weights.shape
    ((5, 2), (5, 2), (5,))
    """

    values: Array
    norms: Array
    log_weights: Array


@dataclass(frozen=True)
class Tilt:
    """A tilt towards the product of b_i^n_i over the first projections of one block of a coupling.

    Parameters
    ----------
    shape : shape of the block (identity for orthogonal rows); for a single projection, any shape with one power.
    d : dimension, at least the number of powers.
    length : |v|.
    powers : n_1, ..., n_q, positive integers.
    alpha, beta : of log b = alpha |w|^2 + beta w . v; needs 1 - 2 alpha n_i > 0.

    Attributes
    ----------
    slopes : s_1, ..., s_q of the norms, for each component of the mixture.
    log_bound : logarithm of the largest product times weight, found by a search from several starts.

    Raises
    ------
    OutsideDomain : the moment is infinite.

    Examples
    --------
    >>> tilt = Tilt(IDENTITY, d=64, length=10.0, powers=(2,))
    >>> y = np.exp(tilt.log_products(Stream.named("tilt"), range(20000)) - 200)
    >>> bool(abs(y.mean() - 1) < 0.02 and y.max() < np.exp(tilt.log_bound - 200))
    True
    """

    shape: Shape
    d: int
    length: float
    powers: tuple[int, ...]
    alpha: float = 0.0
    beta: float = 1.0

    def __post_init__(self) -> None:
        if whole("d", self.d) < 2:
            raise OutsideDomain("tilt", needs="d >= 2", got=self.d)
        if not isinstance(self.powers, tuple | list):
            raise InvalidInput("powers", needs="one to d powers", got=self.powers)
        if not self.powers or len(self.powers) > self.d:
            raise InvalidInput("powers", needs="one to d powers", got=self.powers)
        for power in self.powers:
            whole("power", power)
        for subject, value in (("length", self.length), ("alpha", self.alpha), ("beta", self.beta)):
            real(subject, value)
        if self.length < 0:
            raise InvalidInput("length", needs="a length, 0 or more", got=self.length)
        if self.shape not in (IDENTITY, SIMPLEX):
            raise InvalidInput("shape", needs="identity or simplex", got=self.shape.name)
        spread = 1 - 2 * self.alpha * max(self.powers)
        if spread <= 0:
            raise OutsideDomain("tilt", needs="1 - 2 alpha n > 0 (a finite moment)", got=spread)
        exponent = abs(self.beta) * self.length * float(np.dot(self.powers, self._starts()[0]))
        if exponent > _MOST:
            raise OutsideDomain("tilt", needs=f"exponents of at most {_MOST:g}", got=exponent)
        symmetric, *lonely = self._peaks()
        wide = [
            np.where(start > start.min(), 1 - self.d / start**2, self._least())
            for start in self._starts()[1:]
        ]
        mixtures = [[symmetric], [symmetric, *wide], [symmetric, *lonely, *wide]] if lonely else [[symmetric]]
        # Components cost a factor of their number, so they are added only where they lower the bound.
        best = min((self._with(mixture) for mixture in mixtures), key=lambda found: found[1])
        object.__setattr__(self, "slopes", best[0])
        object.__setattr__(self, "log_bound", best[1])

    slopes: Slopes = field(default=(), init=False)
    log_bound: float = field(default=0.0, init=False)

    def draw(self, stream: Stream, blocks: range, xp: Namespace = np) -> Tilted:
        """Return blocks under the tilt: maps of the coupling's own draws, with their weights."""
        blocks, q, d = block_range(blocks), len(self.powers), self.d
        slopes = xp.asarray(np.asarray(self.slopes))
        which = xp.zeros(len(blocks), dtype=xp.int64)
        if len(self.slopes) > 1:
            u = stream.uniforms(blocks, 1, PHASES, xp)[:, 0]
            which = xp.astype(len(self.slopes) * u, xp.int64)
        norms = CHI.draw(stream, blocks, q, d, xp) / xp.sqrt(1.0 - xp.take(slopes, which, axis=0))
        log_weights = self._log_norm_weights(norms, self.slopes, xp)
        axis = xp.astype(xp.arange(d)[None, :] == 0, xp.float64)
        uniform = HAAR.rotate(stream, blocks, 1, axis)[:, 0, :, 0]
        towards, resultant = self._towards(norms, xp)
        point, log_turn = moved(uniform, towards, self._centre(resultant, xp), xp)
        shaped = self.shape.apply(point[:, None, :, None], norms[:, None, :])[:, 0, :q, 0]
        return Tilted(self.length * norms * shaped, norms, log_weights + log_turn)

    def log_products(self, stream: Stream, blocks: range, xp: Namespace = np) -> Array:
        """Return the logarithms of product times weight, (B,): their exponentials have the moment as mean."""
        found = self.draw(stream, blocks, xp)
        powers = xp.asarray(np.asarray(self.powers, dtype=np.float64))
        logs = self.alpha * found.norms * found.norms + self.beta * found.values
        return xp.sum(powers * logs, axis=-1) + found.log_weights

    def _log_norm_weights(self, norms: Array, components: Slopes, xp: Namespace) -> Array:
        """Return log of the density of chi norms over that of the mixture, for norms (B, q)."""
        return -_log_mean(self._log_tilted(norms, components, xp), xp)

    def _log_tilted(self, norms: Array, components: Slopes, xp: Namespace) -> Array:
        """Return logs of the density of each component over that of chi norms, for norms (B, q)."""
        slopes = np.asarray(components)
        constants = xp.asarray(0.5 * self.d * np.log1p(-slopes).sum(axis=1))
        return 0.5 * xp.matmul(norms * norms, xp.asarray(np.ascontiguousarray(slopes.T))) + constants

    def _towards(self, norms: Array, xp: Namespace) -> tuple[Array, Array]:
        """Unit vector a and length of the sum of n_i r_i s_i, in which the product is exp(beta |v| length t)."""
        total, length = self._total(norms, xp)
        return total / length[:, None], length

    def _total(self, norms: Array, xp: Namespace) -> tuple[Array, Array]:
        """The sum of n_i r_i s_i and its length."""
        total = xp.matmul(norms, xp.asarray(self._scaled))
        return total, xp.sqrt(xp.sum(total * total, axis=-1))

    @cached_property
    def _scaled(self) -> np.ndarray:
        """The rows n_i s_i of the shape, (q, d)."""
        q, d = len(self.powers), self.d
        rows = np.eye(d)[:q] if self.shape == IDENTITY else simplex_matrix(d)[:q]
        return np.ascontiguousarray(np.asarray(self.powers, dtype=float)[:, None] * rows)

    def _centre(self, resultant: Array, xp: Namespace) -> Array:
        """Wood's x0, (B,), with the sign of beta: the place of the largest exp(kappa t) times weight."""
        return _wood((self.beta * self.length) * resultant, self.d, xp)

    def _log_at(self, norms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Largest logarithms, over the direction, of the product times the direction's weight, as a `Height`."""
        (total, resultant), strength = self._total(norms, np), abs(self.beta) * self.length
        kappa = strength * resultant
        x0 = _wood(kappa, self.d, np)
        turned = kappa * x0 + 0.5 * (self.d - 1) * np.log1p(-x0 * x0)
        # The best direction moves with the norms, but to first order that changes nothing: the slope in kappa is x0.
        pull = (strength * x0 / np.maximum(resultant, _TINY))[:, None] * (total @ self._scaled.T)
        own = self.alpha * np.asarray(self.powers, dtype=float)
        return norms**2 @ own + turned, 2 * own * norms + pull

    def _starts(self) -> list[np.ndarray]:
        """Norms at which searches for maxima start: all of them large and, for a simplex, only some of them large."""
        powers = np.asarray(self.powers, dtype=float)
        shrink = np.sqrt(1 - 2 * self.alpha * powers)
        large = (math.sqrt(self.d) + powers * abs(self.beta) * self.length) / shrink
        if self.shape == IDENTITY or powers.size == 1:
            return [large]
        small = math.sqrt(self.d) / shrink
        sizes = range(1, powers.size if powers.size <= _SUBSETS_UP_TO else 2)
        chosen = [np.array(c) for size in sizes for c in combinations(range(powers.size), size)]
        return [large] + [np.where(np.isin(np.arange(powers.size), c), large, small) for c in chosen]

    def _search(self, height: Height, start: np.ndarray) -> np.ndarray:
        """Return the norms at the maximum reached from a start."""
        from scipy import optimize  # imported here because it takes longer than all of the engine

        def depth(logs: np.ndarray) -> tuple[float, np.ndarray]:
            norms = np.exp(logs)
            (value,), (slope,) = height(norms[None, :])
            return -value, -slope * norms

        reach = [(math.log(r) - 7.0, math.log(r) + 3.0) for r in start]
        found = optimize.minimize(
            depth,
            np.log(start),
            jac=True,
            method="L-BFGS-B",
            bounds=reach,
            options={"ftol": 1e-14},
        )
        return np.exp(found.x)

    def _peaks(self) -> list[np.ndarray]:
        """Return the slopes at the places where the product times the density in log r is largest, by start."""

        def height(norms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            value, slope = self._log_at(norms)
            density = np.sum(self.d * np.log(norms) - 0.5 * norms**2, axis=-1)
            return value + density, slope + self.d / norms - norms

        return [1 - self.d / self._search(height, start) ** 2 for start in self._starts()]

    def _least(self) -> np.ndarray:
        """Slopes that follow the factor exp(alpha n r^2) alone."""
        return 2 * self.alpha * np.asarray(self.powers, dtype=float)

    def _with(self, components: list[np.ndarray]) -> tuple[Slopes, float]:
        """Return the mixture without repetitions, and the largest logarithm of product times weight found."""
        # A slope of 1 would mean an infinite norm, so the difference 1 - s is rounded, not s.
        rounded = (tuple(1.0 - float(f"{1.0 - s:.{_DIGITS - 1}e}") for s in one) for one in components)
        slopes = tuple(dict.fromkeys(rounded))

        def height(norms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            (value, slope), logs = self._log_at(norms), self._log_tilted(norms, slopes, np)
            mean = _log_mean(logs, np)
            shares = np.exp(logs - mean[:, None]) / len(slopes)
            return value - mean, slope - norms * (shares @ np.asarray(slopes))

        starts = [np.sqrt(self.d / (1 - np.asarray(one))) for one in slopes] + self._starts()
        grids = [self._grid(np.asarray(one)) for one in slopes]
        values = [height(grid)[0] for grid in grids]
        starts += [grid[np.argmax(own)] for grid, own in zip(grids, values, strict=True)]
        values.append(height(np.stack([self._search(height, one) for one in starts]))[0])
        found = max(float(own.max()) for own in values)
        # Rounding moves the height at chi norms r by less than 5e-6 r^2 / 2, there and at the maximum.
        return slopes, found + len(self.powers) * 10.0 ** (1 - _DIGITS) * 0.5 * self._reach() ** 2

    def _reach(self) -> float:
        """The largest chi norm."""
        return math.sqrt(self.d) + _REACH

    def _grid(self, slopes: np.ndarray) -> np.ndarray:
        """A grid of norms over the range of draws with these slopes, (n, q); for many norms, only its diagonal."""
        root, q = math.sqrt(self.d), slopes.size
        steps = max(4, int(_GRID ** (1 / q)))
        chis = np.concatenate(([root / 1000, root], np.linspace(0, self._reach(), steps - 1)[1:]))
        sides = chis[:, None] / np.sqrt(1 - slopes)
        if chis.size**q > 2 * _GRID:
            return sides
        return np.stack([axis.ravel() for axis in np.meshgrid(*sides.T)], axis=-1)


_MOST = 1e10
"""The largest exponent beta w . v of a product; rounding then changes its weight by about 1e-6."""

_SUBSETS_UP_TO = 5
"""Up to this many norms, searches for maxima start from each subset of large norms."""

_DIGITS = 6
"""Digits kept of 1 minus a slope: few enough to be the same on every machine."""

_REACH = 10.0
"""Chi norms stay below sqrt(d) + 10: always in portable streams, else but for one in 1e22."""

_GRID = 4000
"""About how many points the search for the largest product of some norms looks at."""


_TINY = 1e-300
"""For lengths that may vanish, so that what is divided by them does too."""


def _log_mean(logs: Array, xp: Namespace) -> Array:
    """Logs of the means over the last axis of what has these logs."""
    peak = xp.max(logs, axis=-1, keepdims=True)
    return xp.log(xp.mean(xp.exp(logs - peak), axis=-1)) + peak[:, 0]


def _wood(kappa: Array, d: int, xp: Namespace) -> Array:
    """Return x0 with kappa = (d - 1) x0 / (1 - x0^2), in (-1, 1), d >= 2."""
    return 2.0 * kappa / ((d - 1) + xp.sqrt((d - 1.0) ** 2 + 4.0 * kappa * kappa))


def moved(uniform: Array, towards: Array, centre: Array, xp: Namespace) -> tuple[Array, Array]:
    """Return images of points of the sphere under conformal maps, and the logarithms of the weights.

    Parameters
    ----------
    uniform : (B, d) unit vectors; towards : (B, d) unit vectors a; centre : (B,) x0 in (-1, 1).

    Examples
    --------
    >>> point, log_weight = moved(np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]]), np.array([0.6]), np)
    >>> point.round(12).tolist(), round(float(np.exp(log_weight)[0]), 12)
    ([[0.6, 0.8]], 0.8)
    """
    d = uniform.shape[-1]
    along = xp.sum(uniform * towards, axis=-1)
    image = (along + centre) / (1.0 + centre * along)
    shrink = xp.sqrt(1.0 - centre * centre) / (1.0 + centre * along)
    point = shrink[:, None] * (uniform - along[:, None] * towards) + image[:, None] * towards
    log_weight = (d - 1.0) * (xp.log1p(-centre * image) - 0.5 * xp.log1p(-centre * centre))
    return point, log_weight


@dataclass(frozen=True)
class _Piece:
    """A part of a moment: ``count`` equal terms, each a product over independent blocks.

    factors : one tilt for each independent block with a projection in the product.
    """

    count: float
    factors: tuple[Tilt, ...]


class TiltedMoment(ByName):
    """E of the square of a kernel estimate, or of one product of its projections, as a statistic for `run`.

    The estimate is the mean of m variables b_i, so its second moment is the mean over all pairs (i, j) of
    E b_i b_j: one term b_i^2, one for coupled pairs and one for pairs in different blocks, each estimated
    under a tilt of its own. Draws are bounded: values lie in [0, 1] after division by ``exp(log_scale)``.

    Parameters
    ----------
    mechanism : positive, OPRF or real GERF (s = 1) with iid, orthogonal or simplex projections.
    stream : each factor uses a child of it.
    x, y : the pair of inputs, (d,).
    powers : ``None`` for the second moment of the estimate, or n_1, ..., n_q for the moment of
        b_1^n_1 ... b_q^n_q of projections of one block.

    Attributes
    ----------
    log_scale : the mean of the statistic times exp(log_scale) is the moment of the softmax or Gaussian estimate.

    Examples
    --------
    >>> from rftheory.engine import run
    >>> x = np.full(64, 5 / 8)
    >>> square = TiltedMoment(Mechanism("positive", "orthogonal", 64), Stream.named("demo"), x, x, powers=(2,))
    >>> found = run(square, 5000)
    >>> log_moment = float(np.log(found.mean[0])) + square.log_scale
    >>> round(log_moment - (200 - 100), 1) + 0.0  # E b^2 = exp(2 v^2), softmax: times exp(-|x|^2 - |y|^2 = -50 each)
    50.0
    """

    def __init__(
        self,
        mechanism: Mechanism,
        stream: Stream,
        x: Array,
        y: Array,
        kernel: Kernel = "softmax",
        powers: Sequence[int] | None = None,
    ) -> None:
        if not isinstance(mechanism, Mechanism):
            raise InvalidInput("mechanism", needs="a Mechanism", got=mechanism)
        require_stream(stream)
        if not (powers is None or isinstance(powers, Sequence)):
            raise InvalidInput("powers", needs="a tuple of positive integers, or None", got=powers)
        xp = array_namespace(x, y)
        x = xp.astype(vector("x", x, xp), xp.float64)
        y = xp.astype(vector("y", y, xp, dim=x.shape[1]), xp.float64)
        if kernel not in ("gaussian", "softmax"):
            raise InvalidInput("kernel", needs="'gaussian' or 'softmax'", got=kernel)
        self.xp, self.stream, self.mechanism = xp, stream, mechanism
        d, v = int(x.shape[1]), float(xp.sqrt(xp.sum((x + y) ** 2)))
        squares = float(xp.sum(x * x)) + float(xp.sum(y * y))
        alpha, beta, constant = _slopes(mechanism, d)
        order = 2 if powers is None else sum(whole("power", p) for p in powers)
        pieces = _second(mechanism, d) if powers is None else [(1.0, [tuple(powers)])]
        self.pieces = [
            _Piece(
                count,
                tuple(
                    _tilt(shape, d, v, p, alpha, beta)  # type: ignore[arg-type]
                    for block in blocks
                    for shape, p in _split(mechanism, block)
                ),
            )
            for count, blocks in pieces
        ]
        self._logs = [
            math.log(piece.count) + sum(factor.log_bound for factor in piece.factors) for piece in self.pieces
        ]
        peak = max(self._logs)
        self._peak = peak + math.log(sum(math.exp(log - peak) for log in self._logs))
        per_projection = constant - squares if kernel == "gaussian" else constant - 0.5 * squares
        self.log_scale = self._peak + order * per_projection

    @property
    def bytes_per_block(self) -> int:
        """Memory of the working arrays of one block."""
        return 160 * max(factor.d for piece in self.pieces for factor in piece.factors)

    def __call__(self, blocks: range) -> Array:
        """Return values in [0, 1], shape (B,)."""
        total = None
        for i, piece in enumerate(self.pieces):
            logs = math.log(piece.count) - self._peak
            for j, factor in enumerate(piece.factors):
                logs = logs + factor.log_products(self.stream.child(f"tilt {i} {j}"), blocks, self.xp)
                value = self.xp.exp(logs)
            total = value if total is None else total + value
        return total


@lru_cache(maxsize=256)
def _tilt(shape: Any, *rest: Any) -> Tilt:
    """The tilt, found once: the searches for its mixture take longer than some thousands of draws."""
    return Tilt(shape, *rest)


_PLAIN = "below |x + y| = 1.5 plain samples of the mechanism's estimate can be trusted: draw those"
"""Plain samples are not substituted silently: where a tilt is needed they are wrong without any sign of it."""


def _slopes(mechanism: Mechanism, d: int) -> tuple[float, float, float]:
    """Return alpha, beta and the constant of log b for the softmax kernel, without the squares of the inputs.

    Both kinds have log b = alpha |w|^2 + beta w . (x + y) + constant - (|x|^2 + |y|^2) / 2.
    """
    phi = mechanism.feature_map
    if isinstance(phi, Positive):
        return 0.0, 1.0, 0.0
    if isinstance(phi, Gerf) and phi.positive:
        a = complex(phi.a).real
        return 2 * a, phi.slope.real, 0.5 * d * math.log(1 - 4 * a)
    raise OutsideDomain(
        "tilt", needs="positive, OPRF or real GERF features with s = 1", got=phi.name, hint=_PLAIN
    )


def _shape_of(mechanism: Mechanism) -> Shape | None:
    law = mechanism.coupling
    if isinstance(law, Independent):
        return None
    if (
        isinstance(law, Geometric)
        and (law.rotation, law.norm_law) == (HAAR, CHI)
        and law.shape in (IDENTITY, SIMPLEX)
    ):
        return law.shape
    raise OutsideDomain("tilt", needs="iid, orthogonal or simplex projections", got=law.name, hint=_PLAIN)


def _split(mechanism: Mechanism, powers: tuple[int, ...]) -> list[tuple[Shape, tuple[int, ...]]]:
    """Return the independent blocks of a product: one for all coupled projections, one for each independent one."""
    shape = _shape_of(mechanism)
    if shape is None:
        return [(IDENTITY, (power,)) for power in powers]
    return [(shape, powers)]


def _second(mechanism: Mechanism, d: int) -> list[tuple[float, list[tuple[int, ...]]]]:
    """Return the shares in m^2 of the pairs (i, j): equal, in the same block, in different blocks."""
    m = mechanism.m
    sizes = [d] * (m // d) + ([m % d] if m % d else [])
    coupled = 0 if _shape_of(mechanism) is None else sum(size * (size - 1) for size in sizes)
    apart = m * (m - 1) - coupled
    shares: list[tuple[float, list[tuple[int, ...]]]] = [(1 / m, [(2,)])]
    if coupled:
        shares.append((coupled / m**2, [(1, 1)]))
    if apart:
        shares.append((apart / m**2, [(1,), (1,)]))
    return shares
