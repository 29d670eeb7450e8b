"""Exponential feature maps: hyperbolic, cosine with phase, generalised exponential, OPRF, complex exponential.

All of them are features exp(w . M x + a |w|^2 + c(x)) with real or complex M, a and c. A
complex feature is stored as two real ones, the modulus times cosine and sine of the angle, arranged so that
the real inner product of both sides is the real part of the complex product.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, field
from numbers import Complex, Real
from typing import ClassVar, Literal

import numpy as np

from rftheory.errors import InvalidInput, OutsideDomain, need
from rftheory.sample.arrays import Array, Namespace, array_namespace
from rftheory.sample.checks import MAX_ENTRY, real
from rftheory.sample.features import FeatureMap, Kernel, Marks, Side, Terms, kernel_offset
from rftheory.sample.parameters import oprf_parameter

Part = Literal["real", "imaginary"]


def two_real_features(log_modulus: Array, angle: Array, side: Side, part: Part, xp: Namespace) -> Terms:
    """Return complex features as twice as many real ones.

    With left (cos a, sin a) and right (cos b, -sin b) the inner product is cos(a + b), with right
    (sin b, cos b) it is sin(a + b): the real or the imaginary part of the product.

    Parameters
    ----------
    log_modulus, angle : (..., m, n), logarithm of the modulus and angle of the complex features.

    Returns
    -------
    Terms (..., 2 m, n).

    Examples
    --------
    >>> left = two_real_features(np.zeros((1, 1)), np.array([[0.3]]), "left", "real", np)
    >>> right = two_real_features(np.zeros((1, 1)), np.array([[0.5]]), "right", "real", np)
    >>> bool(abs((left.factor * right.factor).sum() - np.cos(0.8)) < 1e-15)
    True
    """
    cosine, sine = xp.cos(angle), xp.sin(angle)
    if side == "left":
        factor = xp.concat((cosine, sine), axis=-2)
    elif part == "real":
        factor = xp.concat((cosine, -sine), axis=-2)
    else:
        factor = xp.concat((sine, cosine), axis=-2)
    return Terms(xp.concat((log_modulus, log_modulus), axis=-2), factor)


@dataclass(frozen=True)
class Hyperbolic(FeatureMap):
    """Positive features of both signs, exp(w . x) and exp(-w . x), 2 m of them.

    The estimate of a pair is exp(-(|x|^2 + |y|^2) / 2) times the mean of cosh(w . (x + y)).

    Source: Choromanski et al. 2021; *Hybrid random features* 2022, eqs (3), (34).

    Examples
    --------
    >>> HYPERBOLIC.features(np.array([[1.0]]), np.array([0.0])).round(4).tolist()
    [[1.9221], [0.2601]]
    """

    name: str = "hyperbolic"

    @property
    def positive(self) -> bool:
        return True

    def components(self, projected: Array, squares: Array, kernel: Kernel, side: Side, marks: Marks) -> Terms:
        xp = array_namespace(projected)
        offset = kernel_offset(squares, kernel) - 0.5 * squares - 0.5 * math.log(2 * projected.shape[-2])
        return Terms(xp.concat((projected, -projected), axis=-2) + offset)

    def pair_inputs(self, x: Array, y: Array) -> Array:
        return x + y

    def pair_terms(
        self, projected: Array, square_x: Array, square_y: Array, kernel: Kernel, marks: Marks
    ) -> Terms:
        xp = array_namespace(projected)
        both = square_x + square_y
        offset = kernel_offset(both, kernel) - 0.5 * both - math.log(2 * projected.shape[-2])
        return Terms(xp.concat((projected[..., 0], -projected[..., 0]), axis=-1) + offset)


@dataclass(frozen=True)
class CosineWithPhase(FeatureMap):
    """Features sqrt(2 / m) cos(w . x + b) with b uniform in (0, 2 pi), m of them.

    For the softmax kernel they are multiplied by exp(|x|^2 / 2). The phases, (B, m), are part of the marks; without
    them the map raises :class:`InvalidInput`.

    Source: Rahimi and Recht 2007; Sutherland and Schneider 2015, the map with phases.

    Examples
    --------
    >>> marks = Marks(phases=np.array([[0.0, np.pi]]))
    >>> COSINE.features(np.zeros((1, 2, 1)), np.array([0.0]), marks=marks).round(12).tolist()
    [[[1.0], [-1.0]]]
    """

    name: str = "cosine"
    needs_phases: ClassVar[bool] = True

    def components(self, projected: Array, squares: Array, kernel: Kernel, side: Side, marks: Marks) -> Terms:
        xp = array_namespace(projected)
        if marks.phases is None:
            raise InvalidInput("cosine features", needs="the phases of projections in marks", got=None)
        offset = kernel_offset(squares, kernel) + 0.5 * squares
        scale = offset + 0.5 * math.log(2 / projected.shape[-2])
        return Terms(scale, xp.cos(projected + marks.phases[..., None]))


@dataclass(frozen=True)
class Gerf(FeatureMap):
    """Generalised exponential features D exp(A |w|^2 + B w . x + C |x|^2) with parameters A and s.

    B = sqrt(s (1 - 4 A)), C = -(s + 1)/2, D = (1 - 4 A)^(d/4), principal roots; the right side has
    s B instead of B. Unbiased if Re(1 - 4 A) > 0; the variance is finite if Re(1 - 8 A) > 0.
    A = 0 gives the positive (s = 1) and the Fourier (s = -1) features.

    Parameters
    ----------
    a : A, real or complex.
    s : +1 or -1.

    Source: Likhosherstov et al., *Chefs' random tables*, NeurIPS 2022, eq. (4) and Theorem 3.1.

    Examples
    --------
    >>> Gerf(-0.1).positive, Gerf(-0.1, s=-1).positive
    (True, False)
    """

    a: complex
    s: int = 1
    name: str = "gerf"
    needs_norms: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.a, Real) or not isinstance(self.a, Complex):
            object.__setattr__(self, "a", real("A", self.a))
        else:
            object.__setattr__(self, "a", complex(self.a))
        if not abs(self.a) <= MAX_ENTRY:
            raise InvalidInput("A", needs=f"a number of at most {MAX_ENTRY:g} in size", got=self.a)
        if real("s", self.s, "+1 or -1") not in (1, -1):
            raise InvalidInput("s", needs="+1 or -1", got=self.s)
        if 1 - 4 * complex(self.a).real <= 0:
            raise OutsideDomain("GERF", needs="Re(1 - 4 A) > 0", got=self.a)

    @property
    def positive(self) -> bool:
        return complex(self.a).imag == 0 and self.s == 1

    @property
    def slope(self) -> complex:
        """B, the factor of w . x on the left side."""
        return cmath.sqrt(self.s * (1 - 4 * complex(self.a)))

    def components(self, projected: Array, squares: Array, kernel: Kernel, side: Side, marks: Marks) -> Terms:
        slope = self.slope if side == "left" else self.s * self.slope
        offset = kernel_offset(squares, kernel) - (0.5 * self.s) * squares
        norms, log_d = self._own(marks)
        constant = log_d.real - 0.5 * math.log(projected.shape[-2])
        log_modulus = slope.real * projected + (complex(self.a).real * norms + constant) + offset
        if self.positive:
            return Terms(log_modulus)
        angle = slope.imag * projected + (complex(self.a).imag * norms + log_d.imag)
        return two_real_features(log_modulus, angle, side, "real", array_namespace(projected))

    def pair_inputs(self, x: Array, y: Array) -> Array:
        return x + self.s * y

    def pair_terms(
        self, projected: Array, square_x: Array, square_y: Array, kernel: Kernel, marks: Marks
    ) -> Terms:
        xp = array_namespace(projected)
        both = square_x + square_y
        offset = kernel_offset(both, kernel) - (0.5 * self.s) * both
        norms, log_d = self._own(marks)
        seen, squares = projected[..., 0], 2.0 * norms[..., 0]
        constant = 2 * log_d.real - math.log(projected.shape[-2])
        log_modulus = self.slope.real * seen + (complex(self.a).real * squares + constant) + offset
        if self.positive:
            return Terms(log_modulus)
        angle = self.slope.imag * seen + (complex(self.a).imag * squares + 2 * log_d.imag)
        return Terms(log_modulus, xp.cos(angle))

    def _own(self, marks: Marks) -> tuple[Array, complex]:
        """Squared norms of the projections, (..., m, 1), and log D."""
        if marks.norms is None:
            raise InvalidInput("GERF features", needs="the norms of projections in marks", got=None)
        log_d = 0.25 * marks.dim * cmath.log(1 - 4 * complex(self.a))
        return (marks.norms * marks.norms)[..., None], log_d


@dataclass(frozen=True, eq=False)
class ComplexExponential(FeatureMap):
    """Complex exponential features exp(w . M u - (M u)^2 / 2) of the softmax kernel, z^2 = sum z_i^2.

    The left side has M = A, the right side M = A^-T with the plain transpose; A = I gives the
    positive map with one sign, A = i I the Fourier features. An estimate is the real part or, with
    ``part="imaginary"``, the imaginary part, whose mean is 0.

    Parameters
    ----------
    matrix : A, (d, d), real or complex, invertible.

    Source: *Hybrid random features*, ICLR 2022, eqs (14)-(16).

    Examples
    --------
    >>> ComplexExponential(np.diag([1.0, 2.0])).positive, ComplexExponential(1j * np.eye(2)).positive
    (True, False)
    """

    matrix: np.ndarray
    part: Part = "real"
    name: str = "complex-exponential"
    inverse: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        needs = "a finite square matrix of real or complex numbers"
        try:
            matrix = np.asarray(self.matrix)
        except (TypeError, ValueError) as problem:
            raise InvalidInput("A", needs=needs, got=type(self.matrix).__name__) from problem
        square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] > 0
        if not square or matrix.dtype.kind not in "fiuc" or not np.isfinite(matrix).all():
            raise InvalidInput("A", needs=needs, got=f"shape {matrix.shape}, {matrix.dtype.name}")
        need("part", self.part, ("real", "imaginary"), "'real' or 'imaginary'")
        # A read-only copy: if it were changed, the stored inverse would be wrong.
        matrix = matrix.astype(np.complex128 if matrix.dtype.kind == "c" else np.float64)
        if np.abs(matrix).max() > MAX_ENTRY:
            raise InvalidInput(
                "A", needs=f"entries of at most {MAX_ENTRY:g} in size", got=np.abs(matrix).max()
            )
        if np.linalg.cond(matrix) > 1e12:
            raise OutsideDomain("complex exponential", needs="an invertible A", got=np.linalg.cond(matrix))
        inverse = np.linalg.inv(matrix).T
        for name, array in (("matrix", matrix), ("inverse", inverse)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def is_real(self) -> bool:
        """Whether A is real."""
        return not np.iscomplexobj(self.matrix)

    @property
    def positive(self) -> bool:
        return self.is_real and self.part == "real"

    def inputs(self, vectors: Array, side: Side) -> Array:
        real, imaginary = self._mapped(vectors, side)
        xp = array_namespace(vectors)
        return real if self.is_real else xp.concat((real, imaginary), axis=0)

    def squares(self, vectors: Array, side: Side) -> Array:
        """Return rows |u|^2, Re (M u)^2 and Im (M u)^2, shape (3, n)."""
        xp = array_namespace(vectors)
        real, imaginary = self._mapped(vectors, side)
        return xp.stack(
            (
                xp.sum(vectors * vectors, axis=-1),
                xp.sum(real * real - imaginary * imaginary, axis=-1),
                2.0 * xp.sum(real * imaginary, axis=-1),
            )
        )

    def components(self, projected: Array, squares: Array, kernel: Kernel, side: Side, marks: Marks) -> Terms:
        xp = array_namespace(projected)
        n = squares.shape[-1]
        offset = kernel_offset(squares[0, :], kernel) - 0.5 * squares[1, :]
        log_modulus = projected[..., :n] + (offset - 0.5 * math.log(projected.shape[-2]))
        if self.positive:
            return Terms(log_modulus)
        turn = 0.0 * log_modulus if self.is_real else projected[..., n:]
        return two_real_features(log_modulus, turn - 0.5 * squares[2, :], side, self.part, xp)

    def pair_inputs(self, x: Array, y: Array) -> Array:
        return self.inputs(x, "left") + self.inputs(y, "right")

    def pair_terms(
        self, projected: Array, square_x: Array, square_y: Array, kernel: Kernel, marks: Marks
    ) -> Terms:
        xp = array_namespace(projected)
        both = square_x + square_y
        offset = kernel_offset(both[0, :], kernel) - 0.5 * both[1, :]
        log_modulus = projected[..., 0] + (offset - math.log(projected.shape[-2]))
        if self.positive:
            return Terms(log_modulus)
        turn = 0.0 * log_modulus if self.is_real else projected[..., 1]
        angle = turn - 0.5 * both[2, :]
        return Terms(log_modulus, xp.cos(angle) if self.part == "real" else xp.sin(angle))

    def _mapped(self, vectors: Array, side: Side) -> tuple[Array, Array]:
        """Real and imaginary parts of M u for the rows u."""
        xp = array_namespace(vectors)
        d = self.matrix.shape[0]
        if vectors.shape[-1] != d:
            raise InvalidInput("inputs", needs=f"vectors of dimension {d}", got=tuple(vectors.shape))
        matrix = self.matrix if side == "left" else self.inverse
        parts = (np.ascontiguousarray(part.T) for part in (matrix.real, matrix.imag))
        real, imaginary = (xp.asarray(part, device=vectors.device) for part in parts)
        vectors = xp.astype(vectors, xp.float64)
        return xp.matmul(vectors, real * 1.0), xp.matmul(vectors, imaginary * 1.0)


def oprf(square_sum: float, d: int) -> Gerf:
    """Return the optimal positive features for |x + y|^2, or its average over the data, in dimension d.

    Source: Chefs' random tables, Theorem 3.3; :func:`rftheory.sample.parameters.averages` gives the average.

    Examples
    --------
    >>> oprf(2.0, 4).positive
    True
    """
    return Gerf(oprf_parameter(square_sum, d), 1, "oprf")


HYPERBOLIC = Hyperbolic()
COSINE = CosineWithPhase()
