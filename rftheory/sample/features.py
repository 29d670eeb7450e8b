"""Feature maps, which turn projections w_i and an input x into features.

Every map estimates the softmax kernel exp(x . y); the Gaussian kernel exp(-|x - y|^2 / 2) is the
same estimate times exp(-|x|^2/2 - |y|^2/2). A feature is stored as

    phi(x) = factor * exp(log_scale)

with the factor of order one, so that products, sums and normalisations happen in the log domain
and large norms neither overflow nor underflow. A map whose two sides differ is told which one to
compute: ``"left"`` for x, ``"right"`` for y; the estimate is the inner product of both.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from rftheory.errors import InvalidInput, OutsideDomain, need
from rftheory.sample.arrays import Array, Namespace, array_namespace
from rftheory.sample.stream import PHASES, Stream

Kernel = Literal["gaussian", "softmax"]
Side = Literal["left", "right"]


class Terms(NamedTuple):
    """Numbers factor * exp(log_scale); the two arrays broadcast together. No factor means 1.

    Examples
    --------
    >>> import numpy as np
    >>> Terms(np.zeros((2, 3))).factor is None
    True
    """

    log_scale: Array
    factor: Array | None = None


class Marks(NamedTuple):
    """What a map needs to know of projections besides their inner products.

    norms : (B, m), norms of the projections, in dimension ``dim``.
    phases : (B, m), uniform in (0, 2 pi), for maps that need them.

    Examples
    --------
    >>> NO_MARKS.norms is None, NO_MARKS.dim
    (True, 0)
    """

    norms: Array | None = None
    dim: int = 0
    phases: Array | None = None


NO_MARKS = Marks()


class FeatureMap(ABC):
    """A feature map for Gaussian projections.

    A subclass defines :meth:`components`; everything else follows from it. ``m``, the number of
    projections, is the length of the last axis but one of ``projected``.

    Attributes
    ----------
    name : one word, used in the names of mechanisms.
    needs_norms, needs_phases : whether the map needs norms of projections, or phases, in its marks.

    Examples
    --------
    >>> import numpy as np
    >>> class Reflected(FeatureMap):
    ...     name = "reflected"
    ...
    ...     def components(self, projected, squares, kernel, side, marks):
    ...         offset = kernel_offset(squares, kernel) - 0.5 * squares
    ...         return Terms(offset - projected - 0.5 * np.log(projected.shape[-2]))
    >>> Reflected().features(np.array([[1.0, 2.0]]), np.zeros(2)).round(4)
    array([[0.3679, 0.1353]])
    """

    name: str
    needs_norms: ClassVar[bool] = False
    needs_phases: ClassVar[bool] = False

    @property
    def positive(self) -> bool:
        """Whether all features are positive, whatever the draws and the inputs."""
        return False

    @abstractmethod
    def components(self, projected: Array, squares: Array, kernel: Kernel, side: Side, marks: Marks) -> Terms:
        """Return the features of n inputs, shape (..., F, n) with F features.

        Parameters
        ----------
        projected : (..., m, n), inner products of projections and inputs.
        squares : (n,), the result of :meth:`squares` for the inputs.
        """

    def inputs(self, vectors: Array, side: Side) -> Array:
        """Return the real vectors to be projected for the inputs (n, d); by default, the inputs."""
        return vectors

    def squares(self, vectors: Array, side: Side) -> Array:
        """Return what the map needs of the inputs (n, d) besides their projections: squared norms (n,)."""
        xp = array_namespace(vectors)
        return xp.sum(vectors * vectors, axis=-1)

    def features(
        self,
        projected: Array,
        squares: Array,
        kernel: Kernel = "gaussian",
        side: Side = "left",
        marks: Marks = NO_MARKS,
    ) -> Array:
        """Return the features phi(x), shape (..., F, n), scaled so that the inner product is the estimate.

        Features of a large input may underflow or overflow; :meth:`components` does not.
        """
        xp = _checked(projected, squares, kernel)
        return _exponentiated(self.components(projected, squares, kernel, side, marks), xp)

    def pair_inputs(self, x: Array, y: Array) -> Array:
        """Return the vectors (q, d) whose projections determine the estimate of the pair (1, d), (1, d)."""
        xp = array_namespace(x)
        return xp.concat((self.inputs(x, "left"), self.inputs(y, "right")), axis=0)

    def pair_terms(
        self, projected: Array, square_x: Array, square_y: Array, kernel: Kernel, marks: Marks
    ) -> Terms:
        """Return the terms (B, F) whose sum is the estimate, from the projections (B, m, q)."""
        half = projected.shape[-1] // 2
        left = self.components(projected[..., :half], square_x, kernel, "left", marks)
        right = self.components(projected[..., half:], square_y, kernel, "right", marks)
        product = multiplied(left, right)
        factor = None if product.factor is None else product.factor[..., 0]
        return Terms(product.log_scale[..., 0], factor)

    def require_positive(self, what: str) -> None:
        """Raise :class:`OutsideDomain` unless the map is positive."""
        if not self.positive:
            raise OutsideDomain(
                f"{what} of {self.name}",
                needs="a positive feature map",
                got="features of both signs",
                hint="use estimate",
            )


def multiplied(left: Terms, right: Terms) -> Terms:
    """Return the products of two arrays of terms.

    Examples
    --------
    >>> import numpy as np
    >>> product = multiplied(Terms(np.log([2.0]), np.array([-1.0])), Terms(np.log([3.0])))
    >>> (product.factor * np.exp(product.log_scale)).round(12)
    array([-6.])
    """
    if left.factor is None or right.factor is None:
        factor = right.factor if left.factor is None else left.factor
    else:
        factor = left.factor * right.factor
    return Terms(left.log_scale + right.log_scale, factor)


def log_summed(terms: Terms, xp: Namespace) -> tuple[Array, Array]:
    """Return sign and logarithm of the size of the sum over the last axis.

    Examples
    --------
    >>> import numpy as np
    >>> log_summed(Terms(np.array([1000.0, 1000.0]), np.array([1.0, -3.0])), np)
    (np.float64(-1.0), np.float64(1000.6931471805599))
    """
    log_scale, factor = terms
    if log_scale.ndim == 0:
        log_scale = xp.reshape(log_scale, (1,))
    peak = xp.max(log_scale, axis=-1, keepdims=True)  # waves have one scale, which is not repeated for all
    peak = xp.where(xp.isfinite(peak), peak, xp.zeros_like(peak))
    total = xp.exp(log_scale - peak)
    total = xp.sum(total if factor is None else factor * total, axis=-1)
    size = xp.abs(total)
    safe = xp.where(size > 0, size, xp.ones_like(size))
    log_size = xp.where(size > 0, xp.log(safe), xp.full_like(size, -math.inf))
    return xp.sign(total), log_size + peak[..., 0]


def summed(terms: Terms, xp: Namespace) -> Array:
    """Return the sum over the last axis, or raise if it exceeds the range of its type.

    Examples
    --------
    >>> import numpy as np
    >>> summed(Terms(np.log([1.0, 2.0, 4.0])), np).round(12)
    np.float64(7.0)
    """
    sign, log_size = log_summed(terms, xp)
    require_representable(log_size, xp)
    return sign * xp.exp(log_size)


def require_representable(log_size: Array, xp: Namespace) -> None:
    """Raise :class:`OutsideDomain` if a number with one of these logarithms exceeds its type's range.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.sample.arrays import namespace
    >>> require_representable(np.array([709.0]), namespace("numpy"))
    """
    limit = math.log(float(xp.finfo(log_size.dtype).max))
    largest = float(xp.max(log_size))
    if not largest <= limit:  # NaN too
        raise OutsideDomain(
            "estimate",
            needs=f"a logarithm of at most {limit:.0f}",
            got=largest,
            hint="use log_estimate, or the Gaussian kernel",
        )


def _exponentiated(terms: Terms, xp: Namespace) -> Array:
    scale = xp.exp(terms.log_scale)
    return scale if terms.factor is None else scale * terms.factor


def _checked(projected: Array, squares: Array | float, kernel: str) -> Namespace:
    if kernel not in ("gaussian", "softmax"):
        raise InvalidInput("kernel", needs="'gaussian' or 'softmax'", got=kernel)
    if projected.ndim < 2 or 0 in projected.shape:
        raise InvalidInput("projected", needs="shape (..., m, n), none empty", got=tuple(projected.shape))
    xp = array_namespace(projected)
    for subject, values in (("projected", projected), ("squares", xp.asarray(squares))):
        if not bool(xp.all(xp.isfinite(values))):
            raise InvalidInput(subject, needs="finite numbers", got="NaN or infinity")
    return xp


def kernel_offset(squares: Array, kernel: Kernel) -> Array:
    """Return the logarithm of the factor that turns features of the softmax kernel into those of ``kernel``.

    Examples
    --------
    >>> import numpy as np
    >>> kernel_offset(np.array([1.0, 4.0]), "gaussian")
    array([-0.5, -2. ])
    """
    need("kernel", kernel, ("gaussian", "softmax"), "'gaussian' or 'softmax'")
    array_namespace(squares)
    return -0.5 * squares if kernel == "gaussian" else 0.0 * squares


@dataclass(frozen=True)
class Positive(FeatureMap):
    """Positive features exp(w . x - |x|^2 / 2) / sqrt(m) of the softmax kernel.

    For the Gaussian kernel they are exp(w . x - |x|^2) / sqrt(m).

    Source: Reid et al. 2023, eq. (7); Choromanski et al. 2021 (FAVOR+).

    Examples
    --------
    >>> import numpy as np
    >>> POSITIVE.features(np.zeros((1, 1)), np.array([2.0])).round(4)
    array([[0.1353]])
    """

    name: str = "positive"

    @property
    def positive(self) -> bool:
        return True

    def components(self, projected: Array, squares: Array, kernel: Kernel, side: Side, marks: Marks) -> Terms:
        offset = kernel_offset(squares, kernel) - 0.5 * squares
        return Terms(projected + (offset - 0.5 * math.log(projected.shape[-2])))

    def pair_inputs(self, x: Array, y: Array) -> Array:
        return x + y

    def pair_terms(
        self, projected: Array, square_x: Array, square_y: Array, kernel: Kernel, marks: Marks
    ) -> Terms:
        both = square_x + square_y
        offset = kernel_offset(both, kernel) - 0.5 * both
        return Terms(projected[..., 0] + (offset - math.log(projected.shape[-2])))


@dataclass(frozen=True)
class Trigonometric(FeatureMap):
    """Random Fourier features: sines and cosines of w . x, all scaled by 1 / sqrt(m).

    For the softmax kernel they are multiplied by exp(|x|^2 / 2). The m sines come before the m cosines.

    Source: Rahimi and Recht 2007; Reid et al. 2023, eq. (3).

    Examples
    --------
    >>> import numpy as np
    >>> TRIGONOMETRIC.features(np.zeros((1, 1)), np.array([2.0]))
    array([[0.],
           [1.]])
    """

    name: str = "trigonometric"

    def components(self, projected: Array, squares: Array, kernel: Kernel, side: Side, marks: Marks) -> Terms:
        xp = array_namespace(projected)
        offset = kernel_offset(squares, kernel) + 0.5 * squares
        factor = xp.concat((xp.sin(projected), xp.cos(projected)), axis=-2)
        return Terms(offset - 0.5 * math.log(projected.shape[-2]), factor)

    def pair_inputs(self, x: Array, y: Array) -> Array:
        return x - y

    def pair_terms(
        self, projected: Array, square_x: Array, square_y: Array, kernel: Kernel, marks: Marks
    ) -> Terms:
        xp = array_namespace(projected)
        both = square_x + square_y
        offset = kernel_offset(both, kernel) + 0.5 * both
        return Terms(offset - math.log(projected.shape[-2]), xp.cos(projected[..., 0]))


POSITIVE = Positive()
TRIGONOMETRIC = Trigonometric()


def draw_marks(
    feature: FeatureMap, stream: Stream, blocks: range, m: int, norms: Array, dim: int, xp: Namespace
) -> Marks:
    """Return the marks that the map needs.

    Parameters
    ----------
    blocks, m : the blocks, and the number of projections in each.
    norms, dim : norms (B, m) of the projections, and the dimension in which they are taken.

    Examples
    --------
    >>> import numpy as np
    >>> marks = draw_marks(POSITIVE, Stream(1), range(2), 3, np.ones((2, 3)), 4, np)
    >>> marks.norms is None, marks.phases is None, marks.dim
    (True, True, 4)
    """
    phases = None
    if feature.needs_phases:
        phases = (2.0 * math.pi) * stream.uniforms(blocks, m, PHASES, xp)
    return Marks(norms if feature.needs_norms else None, dim, phases)
