"""Hybrid random features: base estimators weighted by estimated coefficients.

    K^ = sum_k lambda^_k K^_k + (1 - sum_k lambda^_k) K^_{p+1}

The coefficients lambda^_k = constant + <left features of x, right features of y> are drawn independently of
the base estimators, so the hybrid is unbiased if the bases are. The imaginary units of the printed maps
become signs on the right side here, so that all features are real.

Source: Choromanski et al., *Hybrid random features*, ICLR 2022, eqs (8)-(12) and Lemma 2.3.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rftheory.errors import InvalidInput, OutsideDomain, need
from rftheory.sample.arrays import Array, Namespace, array_namespace
from rftheory.sample.checks import positive, real, require_stream, table, whole
from rftheory.sample.couplings import coupling as named_coupling
from rftheory.sample.exponential import HYPERBOLIC
from rftheory.sample.features import TRIGONOMETRIC, FeatureMap, Kernel, Terms, summed
from rftheory.sample.mechanisms import (
    Features,
    Mechanism,
    RandomFeatures,
    checked_pair,
    inner_products,
    joint_features,
    joint_pair_terms,
)
from rftheory.sample.projections import Coupling, Via, project
from rftheory.sample.stream import Stream

# -------------------------------------------------------------------------- coefficients


class Coefficient(ABC):
    """An estimator of a weight lambda(x, y): a constant plus an inner product of features (eqs 9, 10).

    A subclass defines a name, the constant and the features; estimates follow from them.

    Examples
    --------
    >>> class Half(Coefficient):
    ...     name, constant = "half", 0.5
    ...
    ...     def features(self, stream, blocks, x, y, via="frame"):
    ...         nothing = [Terms(np.zeros((len(blocks), 1, len(u))), np.zeros((1, 1, 1))) for u in (x, y)]
    ...         return Features(*nothing)
    >>> Half().estimate(Stream(1), range(3), np.ones(2), np.ones(2)).tolist()
    [0.5, 0.5, 0.5]
    """

    constant: float

    @property
    @abstractmethod
    def name(self) -> str:
        """One word, used in the names of hybrids."""

    @abstractmethod
    def features(self, stream: Stream, blocks: range, x: Array, y: Array, via: Via = "frame") -> Features:
        """Return the features of x (n_x, d) and y (n_y, d)."""

    def estimate(self, stream: Stream, blocks: range, x: Array, y: Array, via: Via = "frame") -> Array:
        """Return the estimates, shape (B,), for one pair x, y of shape (d,)."""
        return self.gram(stream, blocks, x[None, :], y[None, :], via)[:, 0, 0]

    def gram(self, stream: Stream, blocks: range, x: Array, y: Array, via: Via = "frame") -> Array:
        """Return the estimates for all pairs of rows, shape (B, n_x, n_y)."""
        return self.constant + inner_products(self.features(stream, blocks, x, y, via))


@dataclass(frozen=True)
class Angular(Coefficient):
    """lambda = angle(x, y) / pi, from the signs of n projections (eq. 19).

    Examples
    --------
    >>> x, y = np.array([1.0, 0.0]), np.array([0.0, 2.0])
    >>> bool(abs(Angular(4).estimate(Stream(1), range(9000), x, y).mean() - 0.5) < 0.02)
    True
    """

    n: int
    coupling: Coupling | str = "iid"
    constant: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole("n", self.n))
        if isinstance(self.coupling, str):
            named_coupling(self.coupling)
        elif not hasattr(self.coupling, "onto"):
            raise InvalidInput("coupling", needs="a Coupling or its name", got=self.coupling)

    @property
    def name(self) -> str:
        return f"angular-{self.n}"

    def features(self, stream: Stream, blocks: range, x: Array, y: Array, via: Via = "frame") -> Features:
        xp = array_namespace(x, y)
        law = named_coupling(self.coupling) if isinstance(self.coupling, str) else self.coupling
        both = project(law, stream, blocks, xp.concat((x, y), axis=0), self.n, via=via)
        signs = xp.sign(both) / math.sqrt(2 * self.n)
        zero = xp.zeros((1, 1, 1), dtype=signs.dtype)
        return Features(Terms(zero, signs[..., : x.shape[0]]), Terms(zero, -signs[..., x.shape[0] :]))


@dataclass(frozen=True, eq=False)
class GaussianCoefficient(Coefficient):
    """lambda = constant + factor * exp(-|L x + R y|^2 / 2), with the exponential estimated by random features.

    Parameters
    ----------
    left, right : L and R, matrices (e, d).
    estimator : random features of the Gaussian kernel, possibly a hybrid.

    Examples
    --------
    >>> found = GaussianCoefficient(np.eye(2), -np.eye(2), Mechanism("trigonometric", "iid", 10))
    >>> x = np.array([0.6, 0.8])
    >>> found.estimate(Stream(1), range(3), x, x).round(12).tolist()
    [1.0, 1.0, 1.0]
    """

    left: np.ndarray
    right: np.ndarray
    estimator: RandomFeatures
    constant: float = 0.0
    factor: float = 1.0

    def __post_init__(self) -> None:
        for subject in ("left", "right"):
            object.__setattr__(self, subject, table(f"matrix {subject}", getattr(self, subject)))
        if self.left.shape != self.right.shape:
            got = (self.left.shape, self.right.shape)
            raise InvalidInput("matrices of a coefficient", needs="the same shape", got=got)
        if not isinstance(self.estimator, RandomFeatures):
            raise InvalidInput("estimator", needs="random features", got=self.estimator)
        for subject in ("constant", "factor"):
            object.__setattr__(self, subject, real(subject, getattr(self, subject)))

    @property
    def name(self) -> str:
        return f"gaussian-{self.estimator.name}"

    def features(self, stream: Stream, blocks: range, x: Array, y: Array, via: Via = "frame") -> Features:
        left, right = self.estimator.features(stream, blocks, *self._mapped(x, y), "gaussian", via)
        return Features(left, _times(right, self.factor, array_namespace(x)))

    def estimate(self, stream: Stream, blocks: range, x: Array, y: Array, via: Via = "frame") -> Array:
        u, v = self._mapped(x[None, :], y[None, :])
        terms = self.estimator.pair_terms(stream, blocks, u[0, :], v[0, :], "gaussian", via)
        return self.constant + self.factor * summed(terms, array_namespace(x))

    def _mapped(self, x: Array, y: Array) -> tuple[Array, Array]:
        """L x and -R y, between which the Gaussian kernel is lambda."""
        xp = array_namespace(x, y)
        if x.shape[-1] != self.left.shape[1]:
            raise InvalidInput("inputs", needs=f"dimension {self.left.shape[1]}", got=tuple(x.shape))
        left, right = (xp.asarray(np.ascontiguousarray(matrix.T)) for matrix in (self.left, self.right))
        return xp.matmul(xp.astype(x, xp.float64), left), -xp.matmul(xp.astype(y, xp.float64), right)


def gaussian_coefficient(
    matrix: np.ndarray, width: float, estimator: RandomFeatures, sign: int = 1
) -> GaussianCoefficient:
    """Return lambda = exp(-|x + sign * M y|^2 / (2 width^2)) (eq. 20; with sign -1 it is largest at x = M y).

    Examples
    --------
    >>> found = gaussian_coefficient(np.eye(2), 1.0, Mechanism("positive", "iid", 4000), sign=-1)
    >>> x = np.array([0.3, -0.2])
    >>> bool(abs(found.estimate(Stream(1), range(50), x, x).mean() - 1) < 0.05)
    True
    """
    width, sign = positive("width", width), whole("sign", sign, -1)
    if sign not in (1, -1):
        raise InvalidInput("sign", needs="+1 or -1", got=sign)
    square = table("matrix", matrix)
    return GaussianCoefficient(np.eye(square.shape[0]) / width, sign * square / width, estimator)


def normalised_gaussian(
    sigma: float, radius: float, d: int, estimator: RandomFeatures
) -> GaussianCoefficient:
    """Return lambda = (1 - exp(-sigma^2 |x - y|^2 / 2)) / rho, rho = 1 - exp(-2 sigma^2 r^2) (eqs 67, 68).

    For inputs of norm r it is 0 at angle 0 and 1 at angle pi.

    Examples
    --------
    >>> found = normalised_gaussian(1.0, 1.0, 2, Mechanism("trigonometric", "iid", 10))
    >>> x = np.array([0.6, 0.8])
    >>> bool(abs(found.estimate(Stream(1), range(3), x, x)).max() < 1e-12)
    True
    """
    sigma, radius = positive("sigma", sigma), positive("radius", radius)
    product = sigma * radius
    rho = -math.expm1(-2 * (product * product))
    if rho == 0:
        raise OutsideDomain("normalised Gaussian", needs="sigma * radius of at least 1e-150", got=product)
    scaled = sigma * np.eye(whole("d", d, most=2**14))  # a matrix of 2 GiB
    return GaussianCoefficient(scaled, -scaled, estimator, 1 / rho, -1 / rho)


@dataclass(frozen=True, eq=False)
class Indicator(Coefficient):
    """lambda = 1 if x is nearest to centre i and y to centre j, else 0; exact, without draws (eq. 103).

    Examples
    --------
    >>> centres = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> weight = Indicator(centres, centres, 0, 1)
    >>> weight.estimate(Stream(1), range(2), np.array([0.1, 0.0]), np.array([0.9, 1.2])).tolist()
    [1.0, 1.0]
    """

    centres_x: np.ndarray
    centres_y: np.ndarray
    i: int
    j: int
    constant: float = 0.0

    def __post_init__(self) -> None:
        for subject, own in (("centres_x", self.i), ("centres_y", self.j)):
            object.__setattr__(self, subject, table(subject, getattr(self, subject)))
            if whole("index of a centre", own, 0) >= len(getattr(self, subject)):
                needs = f"an index below {len(getattr(self, subject))}"
                raise InvalidInput("index of a centre", needs=needs, got=own)
        if self.centres_x.shape[1] != self.centres_y.shape[1]:
            got = (self.centres_x.shape, self.centres_y.shape)
            raise InvalidInput("centres", needs="the same dimension", got=got)

    @property
    def name(self) -> str:
        return f"cluster-{self.i}-{self.j}"

    def features(self, stream: Stream, blocks: range, x: Array, y: Array, via: Via = "frame") -> Features:
        return Features(
            self._member(x, self.centres_x, self.i, len(blocks)),
            self._member(y, self.centres_y, self.j, len(blocks)),
        )

    def _member(self, vectors: Array, centres: np.ndarray, own: int, batch: int) -> Terms:
        xp = array_namespace(vectors)
        if vectors.shape[-1] != centres.shape[1]:
            raise InvalidInput("inputs", needs=f"dimension {centres.shape[1]}", got=tuple(vectors.shape))
        fixed = xp.asarray(centres)
        gaps = xp.reshape(vectors, (-1, 1, vectors.shape[-1])) - fixed[None, :, :]
        nearest = xp.argmin(xp.sum(gaps * gaps, axis=-1), axis=-1)
        member = xp.astype(nearest == own, xp.float64)[None, None, :]
        return Terms(xp.zeros_like(member), member + xp.zeros((batch, 1, 1), dtype=xp.float64))


# ------------------------------------------------------------------------------- hybrids


@dataclass(frozen=True)
class Hybrid(RandomFeatures):
    """The hybrid of p + 1 base estimators with p coefficients (eq. 8).

    Parameters
    ----------
    bases : base estimators of the kernel, p + 1 of them.
    coefficients : p estimators of weights.
    shared : whether all bases use the same projections; they must then be mechanisms with the same
        coupling and m. Otherwise each base has its own stream.

    Streams: base k draws from ``stream.child("base k")``, shared bases from ``stream.child("base")``,
    coefficient k from ``stream.child("coefficient k")``.

    Examples
    --------
    >>> x, y = np.array([0.6, 0.3]), np.array([-0.2, 0.5])
    >>> hybrid = angular_hybrid(m=8, n=4)
    >>> estimates = hybrid.estimate(Stream(1), range(20000), x, y, "softmax")
    >>> bool(abs(estimates.mean() - np.exp(x @ y)) < 0.02)
    True
    """

    bases: tuple[RandomFeatures, ...]
    coefficients: tuple[Coefficient, ...]
    shared: bool = False

    def __post_init__(self) -> None:
        for subject, kind in (("bases", RandomFeatures), ("coefficients", Coefficient)):
            parts = getattr(self, subject)
            if not (isinstance(parts, Sequence) and all(isinstance(part, kind) for part in parts)):
                raise InvalidInput(f"{subject} of a hybrid", needs=f"a tuple of {kind.__name__}", got=parts)
            object.__setattr__(self, subject, tuple(parts))
        if len(self.bases) != len(self.coefficients) + 1:
            got = (len(self.bases), len(self.coefficients))
            raise InvalidInput("hybrid", needs="one more base than coefficients", got=got)
        need("shared", self.shared, bool, "True or False")
        if self.shared and not all(isinstance(base, Mechanism) for base in self.bases):
            raise InvalidInput("hybrid with shared projections", needs="mechanisms as bases", got=self.bases)

    @property
    def name(self) -> str:
        kind = "shared" if self.shared else "independent"
        names = [base.name for base in self.bases] + [weight.name for weight in self.coefficients]
        return f"hybrid({', '.join(names)}, {kind})"

    def pair_terms(
        self, stream: Stream, blocks: range, x: Array, y: Array, kernel: Kernel, via: Via
    ) -> Terms:
        first, second, xp = checked_pair(x, y, kernel)
        x, y = first[0, :], second[0, :]
        if self.shared:
            bases = joint_pair_terms(self._mechanisms(), stream.child("base"), blocks, x, y, kernel, via)
        else:
            bases = [
                base.pair_terms(own, blocks, x, y, kernel, via)
                for base, own in zip(self.bases, self._base_streams(stream), strict=True)
            ]

        def pair_weight(of: Coefficient, own: Stream) -> Array:
            return of.estimate(own, blocks, x, y, via)

        if not self.coefficients:
            return bases[0]
        weights = self._weights(stream, pair_weight)
        return _joined(
            [_times(terms, weight[:, None], xp) for terms, weight in zip(bases, weights, strict=True)], xp, -1
        )

    def gram(
        self,
        stream: Stream,
        blocks: range,
        x: Array,
        y: Array,
        kernel: Kernel = "gaussian",
        via: Via = "frame",
    ) -> Array:
        """Return the estimated kernel matrices by eq. (8), from the draws of :meth:`features`."""

        require_stream(stream)

        def matrix_weight(of: Coefficient, own: Stream) -> Array:
            return of.gram(own, blocks, x, y, via)

        bases = self._base_features(stream, blocks, x, y, kernel, via)
        if not self.coefficients:
            return inner_products(bases[0])
        weights = self._weights(stream, matrix_weight)
        products = [weight * inner_products(base) for base, weight in zip(bases, weights, strict=True)]
        return sum(products[1:], products[0])

    def features(
        self,
        stream: Stream,
        blocks: range,
        x: Array,
        y: Array,
        kernel: Kernel = "gaussian",
        via: Via = "frame",
    ) -> Features:
        """Return the tensorised features of Lemma 2.3, whose inner product is the estimate of :meth:`gram`.

        The order is: the bases with the constants of their coefficients, the products of the features of
        each coefficient and its base, the last base with the remaining constant, and the products of the
        features of each coefficient and the last base with the opposite sign.
        """
        require_stream(stream)
        xp = array_namespace(x, y)
        *own, last = self._base_features(stream, blocks, x, y, kernel, via)
        weights = [
            coefficient.features(stream.child(f"coefficient {k}"), blocks, x, y, via)
            for k, coefficient in enumerate(self.coefficients)
        ]
        constants = [coefficient.constant for coefficient in self.coefficients]
        parts = [_scaled_by(base, constant, xp) for base, constant in zip(own, constants, strict=True)]
        parts += [_tensor(weight, base, 1.0, xp) for weight, base in zip(weights, own, strict=True)]
        parts.append(_scaled_by(last, 1.0 - sum(constants), xp))
        parts += [_tensor(weight, last, -1.0, xp) for weight in weights]
        left = _joined([part.left for part in parts], xp, -2)
        return Features(left, _joined([part.right for part in parts], xp, -2))

    def require_positive(self, x: Array, y: Array) -> None:
        raise OutsideDomain(
            f"log_estimate of {self.name}",
            needs="positive features",
            got="weights of both signs",
            hint="use estimate",
        )

    def _mechanisms(self) -> list[Mechanism]:
        return [base for base in self.bases if isinstance(base, Mechanism)]

    def _base_streams(self, stream: Stream) -> list[Stream]:
        return [stream.child(f"base {k}") for k in range(len(self.bases))]

    def _base_features(
        self, stream: Stream, blocks: range, x: Array, y: Array, kernel: Kernel, via: Via
    ) -> list[Features]:
        if self.shared:
            return joint_features(self._mechanisms(), stream.child("base"), blocks, x, y, kernel, via)
        streams = self._base_streams(stream)
        return [
            base.features(own, blocks, x, y, kernel, via)
            for base, own in zip(self.bases, streams, strict=True)
        ]

    def _weights(self, stream: Stream, weight: Callable[[Coefficient, Stream], Array]) -> list[Array]:
        found = [
            weight(coefficient, stream.child(f"coefficient {k}"))
            for k, coefficient in enumerate(self.coefficients)
        ]
        return [*found, 1.0 - sum(found[1:], found[0])]


def _times(terms: Terms, weight: Array | float, xp: Namespace) -> Terms:
    """Multiply terms by a number of any sign."""
    factor = xp.ones_like(terms.log_scale) if terms.factor is None else terms.factor
    return Terms(terms.log_scale, weight * factor)


def _scaled_by(features: Features, constant: float, xp: Namespace) -> Features:
    """Multiply the inner product by a constant; a negative sign goes to the right side."""
    root = math.sqrt(abs(constant))
    signed = math.copysign(root, constant)
    return Features(_times(features.left, root, xp), _times(features.right, signed, xp))


def _tensor(first: Features, second: Features, sign: float, xp: Namespace) -> Features:
    """Return the outer products of two sets of features, whose inner product is the product of the two estimates."""
    left, right = (_outer(a, b, xp) for a, b in zip(first, second, strict=True))
    return Features(left, _times(right, sign, xp))


def _outer(first: Terms, second: Terms, xp: Namespace) -> Terms:
    (scale_a, factor_a), (scale_b, factor_b) = _full(first, xp), _full(second, xp)
    shape = (factor_a.shape[0], factor_a.shape[1] * factor_b.shape[1], factor_a.shape[2])
    scale = scale_a[:, :, None, :] + scale_b[:, None, :, :]
    factor = factor_a[:, :, None, :] * factor_b[:, None, :, :]
    return Terms(xp.reshape(scale, shape), xp.reshape(factor, shape))


def _full(terms: Terms, xp: Namespace) -> tuple[Array, Array]:
    """Expand the logarithm and the factor of the terms to their common shape."""
    factor = xp.ones_like(terms.log_scale) if terms.factor is None else terms.factor
    zero = xp.zeros_like(terms.log_scale + factor)
    return terms.log_scale + zero, factor + zero


def _joined(parts: Sequence[Terms], xp: Namespace, axis: int) -> Terms:
    scales, factors = zip(*(_full(part, xp) for part in parts), strict=True)
    return Terms(xp.concat(scales, axis=axis), xp.concat(factors, axis=axis))


def bipolar(
    coefficient: Coefficient,
    m: int,
    *,
    shared: bool = False,
    coupling: Coupling | str = "iid",
    positive: FeatureMap | str = HYPERBOLIC,
) -> Hybrid:
    """Return lambda^ P_m + (1 - lambda^) T_m, P positive and T trigonometric features (eq. 12).

    Examples
    --------
    >>> centres = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> hybrid = bipolar(Indicator(centres, centres, 0, 0), 8)
    >>> hybrid.estimate(Stream(1), range(5), np.array([0.6, 0.8]), np.array([0.8, 0.6])).shape
    (5,)
    """
    bases = (Mechanism(positive, coupling, m), Mechanism(TRIGONOMETRIC, coupling, m))
    return Hybrid(bases, (coefficient,), shared)


def angular_hybrid(m: int, n: int, *, shared: bool = False, coupling: Coupling | str = "iid") -> Hybrid:
    """Return the angular hybrid with m projections of the bases and n of the coefficient (eq. 19).

    Examples
    --------
    >>> angular_hybrid(4, 2, shared=True).name
    'hybrid(hyperbolic-iid-4, trigonometric-iid-4, angular-2, shared)'
    """
    return bipolar(Angular(n, coupling), m, shared=shared, coupling=coupling)


def gaussian_hybrid(
    m: int,
    n: int,
    d: int,
    *,
    sigma: float,
    radius: float,
    feature_map: FeatureMap | str = TRIGONOMETRIC,
    shared: bool = False,
    coupling: Coupling | str = "iid",
) -> Hybrid:
    """Return the normalised bipolar Gaussian hybrid for inputs of norm ``radius`` (eqs 67-70).

    Examples
    --------
    >>> hybrid = gaussian_hybrid(8, 4, 2, sigma=1.0, radius=1.0)
    >>> hybrid.estimate(Stream(1), range(5), np.array([0.6, 0.8]), np.array([0.8, 0.6])).shape
    (5,)
    """
    estimator = Mechanism(feature_map, coupling, n)
    coefficient = normalised_gaussian(sigma, radius, d, estimator)
    return bipolar(coefficient, m, shared=shared, coupling=coupling)
