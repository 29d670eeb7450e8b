"""Discretely induced random features: Poisson and geometric counts instead of Gaussian projections.

A feature is a random monomial of the input, f(x) = exp(-|x|^2/2) prod_l x_l^{w_l} (w_l! p_{w_l})^{-1/2}
with counts w_l of law p (0^0 = 1). It is positive if all coordinates are; shifting both inputs by a vector
below all of them makes the coordinates positive and does not change the Gaussian kernel.

Source: Likhosherstov et al., *Chefs' random tables*, NeurIPS 2022, Section 3.2.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rftheory import names
from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.sample.arrays import Array, Namespace, array_namespace, to_host
from rftheory.sample.checks import block_range, made, positive, real, require_stream, whole
from rftheory.sample.checks import vectors as checked_vectors
from rftheory.sample.couplings import coupling as named_coupling
from rftheory.sample.features import Kernel, Terms, kernel_offset, multiplied
from rftheory.sample.maps import MAKERS
from rftheory.sample.mechanisms import Features, Mechanism, RandomFeatures, checked_pair, checked_sets
from rftheory.sample.projections import Via
from rftheory.sample.stream import COUNTS, Stream


class CountLaw(ABC):
    """A law of counts, each drawn by inversion from one uniform number.

    Examples
    --------
    >>> law: CountLaw = Poisson(0.5)
    >>> law.counts(np.array([0.5, 0.95]), np).tolist()
    [0.0, 2.0]
    """

    name: str

    @abstractmethod
    def counts(self, uniforms: Array, xp: Namespace) -> Array:
        """Return the counts of uniform numbers, as floats of the same shape."""

    @abstractmethod
    def log_weights(self, counts: Array, xp: Namespace) -> Array:
        """Return -log(w! p_w) / 2 summed over the last axis."""


@dataclass(frozen=True)
class Poisson(CountLaw):
    """Counts with p_k = exp(-rate) rate^k / k!.

    Examples
    --------
    >>> Poisson(0.5).counts(np.array([0.5, 0.7, 0.95]), np).tolist()
    [0.0, 1.0, 2.0]
    """

    rate: float
    name: str = "poisson"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", real("Poisson rate", self.rate, "a number in (0, 500]"))
        if not 0 < self.rate <= 500:
            raise InvalidInput("Poisson rate", needs="a number in (0, 500]", got=self.rate)

    def counts(self, uniforms: Array, xp: Namespace) -> Array:
        found = xp.zeros_like(uniforms)
        for below in self._distribution():
            found = found + xp.astype(uniforms > below, uniforms.dtype)
        return found

    def log_weights(self, counts: Array, xp: Namespace) -> Array:
        d = counts.shape[-1]
        return 0.5 * self.rate * d - (0.5 * math.log(self.rate)) * xp.sum(counts, axis=-1)

    def _distribution(self) -> list[float]:
        """P(count <= k) for k = 0, 1, ... until no 52-bit uniform number lies beyond."""
        k, probability, total, found = 0, math.exp(-self.rate), 0.0, []
        while total < 1 - 2.0**-53 and (k <= self.rate or probability > 0):
            total += probability
            found.append(total)
            k += 1
            probability *= self.rate / k
            if k > self.rate and probability < 2.0**-60:
                break
        return found


@dataclass(frozen=True)
class GeometricCounts(CountLaw):
    """Counts with p_k = p (1 - p)^k.

    Examples
    --------
    >>> GeometricCounts(0.5).counts(np.array([0.4, 0.6, 0.8]), np).tolist()
    [1.0, 0.0, 0.0]
    """

    p: float
    name: str = "geometric"

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", real("geometric parameter", self.p, "a number in [0.0001, 1)"))
        if not 1e-4 <= self.p < 1:
            raise InvalidInput("geometric parameter", needs="a number in [0.0001, 1)", got=self.p)

    def counts(self, uniforms: Array, xp: Namespace) -> Array:
        # The count is at least k with probability (1 - p)^k, as a uniform number is below (1 - p)^k.
        return xp.floor(xp.log(uniforms) / math.log1p(-self.p))

    def log_weights(self, counts: Array, xp: Namespace) -> Array:
        factorials = self._log_factorials(counts, xp)
        own = 0.5 * math.log(self.p) + (0.5 * math.log1p(-self.p)) * counts + 0.5 * factorials
        return -xp.sum(own, axis=-1)

    def _log_factorials(self, counts: Array, xp: Namespace) -> Array:
        largest = int(53 * math.log(2) / -math.log1p(-self.p)) + 2
        table = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1.0, largest + 1)))))
        index = xp.reshape(xp.astype(counts, xp.int64), (-1,))
        return xp.reshape(xp.take(xp.asarray(table), index), counts.shape)


@dataclass(frozen=True)
class DiscreteMechanism(RandomFeatures):
    """Random monomials with m independent vectors of counts.

    Parameters
    ----------
    law : :class:`Poisson` or :class:`GeometricCounts`.
    m : number of vectors of counts.
    shift : vector (as a tuple) subtracted from all inputs, or ``None``; see :func:`shift_below`.

    Examples
    --------
    >>> x, y = np.array([0.5, 0.2]), np.array([0.3, 0.4])
    >>> estimates = DiscreteMechanism(Poisson(0.3), m=4).estimate(Stream(1), range(20000), x, y)
    >>> bool(abs(estimates.mean() - np.exp(-((x - y) ** 2).sum() / 2)) < 0.02)
    True
    """

    law: CountLaw
    m: int
    shift: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", whole("m", self.m))
        if not isinstance(self.law, CountLaw):
            raise InvalidInput("law", needs="a law of counts", got=self.law)
        if self.shift is not None:
            numbers = np.asarray(self.shift, dtype=object).ravel().tolist()
            object.__setattr__(self, "shift", tuple(real("shift", c, "finite numbers") for c in numbers))

    @property
    def name(self) -> str:
        return f"{self.law.name}{'+' if self.shift is not None else ''}-{self.m}"

    def features(
        self,
        stream: Stream,
        blocks: range,
        x: Array,
        y: Array,
        kernel: Kernel = "gaussian",
        via: Via = "frame",
    ) -> Features:
        x, y, xp = checked_sets(x, y, kernel)
        counts = self.counts(stream, blocks, x.shape[1], xp)
        return Features(self.terms(counts, x, kernel, xp), self.terms(counts, y, kernel, xp))

    def pair_terms(
        self, stream: Stream, blocks: range, x: Array, y: Array, kernel: Kernel, via: Via
    ) -> Terms:
        x, y, _ = checked_pair(x, y, kernel)
        left, right = self.features(stream, blocks, x, y, kernel, via)
        product = multiplied(left, right)
        factor = None if product.factor is None else product.factor[..., 0]
        return Terms(product.log_scale[..., 0], factor)

    def counts(self, stream: Stream, blocks: range, d: int, xp: Namespace = np) -> Array:
        """Return the counts of the blocks as floats, shape (B, m, d)."""
        require_stream(stream)
        uniforms = stream.uniforms(block_range(blocks), self.m * d, COUNTS, xp)
        return xp.reshape(self.law.counts(uniforms, xp), (len(blocks), self.m, d))

    def require_positive(self, x: Array, y: Array) -> None:
        for subject, values in (("x", x), ("y", y)):
            if not (to_host(values) - self._shift(values.shape[-1]) > 0).all():
                raise OutsideDomain(
                    f"log_estimate of {self.name}",
                    needs="inputs with positive coordinates after the shift",
                    got=subject,
                    hint="use estimate, or a shift from shift_below",
                )

    def _shift(self, d: int) -> np.ndarray:
        shift = np.zeros(d) if self.shift is None else np.asarray(self.shift, dtype=float)
        if shift.shape != (d,):
            raise InvalidInput("shift", needs=f"{d} numbers", got=shift.shape)
        return shift

    def terms(self, counts: Array, inputs: Array, kernel: Kernel, xp: Namespace) -> Terms:
        """Return the features of inputs (n, d) from counts (B, m, d), terms of shape (B, m, n)."""
        moved = xp.astype(inputs, xp.float64) - xp.asarray(self._shift(inputs.shape[1]))
        size, zero = xp.abs(moved), moved == 0
        logs = xp.log(xp.where(zero, xp.ones_like(size), size))
        powers = xp.matmul(counts, xp.matrix_transpose(logs))
        log_scale = powers + self.law.log_weights(counts, xp)[..., None] - 0.5 * math.log(self.m)
        return Terms(log_scale + self._offset(inputs, moved, kernel, xp), _signs(counts, moved, zero, xp))

    def _offset(self, inputs: Array, moved: Array, kernel: Kernel, xp: Namespace) -> Array:
        """Log factor for shifted inputs: monomials estimate their exp(x . y); the Gaussian kernel ignores shifts."""
        squares = xp.sum(inputs * inputs, axis=-1)
        of_moved = xp.sum(moved * moved, axis=-1)
        return kernel_offset(squares, kernel) + 0.5 * (squares - of_moved)


def _signs(counts: Array, moved: Array, zero: Array, xp: Namespace) -> Array | None:
    """Signs of the monomials, 0 for a power of 0; ``None`` if all coordinates are positive."""
    if bool(xp.all(moved > 0)):
        return None
    negative = xp.astype(xp.matrix_transpose(moved < 0), xp.float64)
    odd = xp.matmul(counts, negative)
    vanishing = xp.matmul(counts, xp.astype(xp.matrix_transpose(zero), xp.float64))
    sign = 1.0 - 2.0 * (odd - 2.0 * xp.floor(0.5 * odd))
    return xp.where(vanishing > 0, xp.zeros_like(sign), sign)


LAWS: dict[str, Callable[..., CountLaw]] = {"poisson": lambda lam: Poisson(lam),
    "geometric": lambda p: GeometricCounts(p)}  # fmt: skip
"""Makers of the laws of counts, from the mean `lam` or the success probability `p`."""


def random_features(
    features: str, coupling: str, m: int, *, d: int | None = None, **parameters: Any
) -> RandomFeatures:
    """Return the mechanism with these names: any feature map, including features of counts, with any coupling.

    Parameters
    ----------
    features, coupling, m : names, and the number of projections, or of (independent) vectors of counts.
    d : dimension, for maps that have it as a parameter.
    parameters : parameters of the feature map.

    Raises
    ------
    UnknownName : no feature map or coupling has the name.
    InvalidInput : unknown or missing parameters of the map; counts with a coupling other than iid.

    Examples
    --------
    >>> random_features("PoisRF", "iid", 8, lam=0.3).name, random_features("OPRF", "ORF", 8, d=4, v=1.0).name
    ('poisson-8', 'oprf-orthogonal-8')
    """
    word = names.canonical("feature map", features) if isinstance(features, str) else ""
    if word in LAWS:
        if named_coupling(coupling).name != "iid":
            raise InvalidInput(
                f"coupling of {word} features", needs="iid, because counts are independent", got=coupling
            )
        return DiscreteMechanism(made(word, LAWS[word], parameters), m)
    if d is not None and word in MAKERS and "d" in inspect.signature(MAKERS[word]).parameters:
        parameters = {"d": d} | parameters
    return Mechanism(features, coupling, m, **parameters)


def shift_below(x: Array, y: Array, epsilon: float = 1e-6) -> tuple[float, ...]:
    """Return the vector c_l = min_i min(x_l, y_l) - epsilon that makes all inputs positive.

    Source: Chefs' random tables, Section 3.2.3; the paper gives no value of epsilon.

    Examples
    --------
    >>> shift_below(np.array([[1.0, -2.0]]), np.array([[0.0, 3.0]]), epsilon=0.5)
    (-0.5, -2.5)
    """
    xp = array_namespace(x, y)
    x = checked_vectors("x", x, xp)
    y = checked_vectors("y", y, xp, dim=x.shape[1])
    epsilon = positive("epsilon", epsilon)
    lowest = np.minimum(to_host(x).min(0), to_host(y).min(0)).astype(float)
    # For large numbers epsilon is lost in rounding.
    return tuple(float(c) for c in np.minimum(lowest - epsilon, np.nextafter(lowest, -np.inf)))
