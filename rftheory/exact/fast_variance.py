"""Fast float64 versions of variances: generalised exponential features with complex A, hybrids.

The companion of :mod:`rftheory.exact.fast`, tested against the enclosures in the same way: vectorised over grids,
logarithms in and out, so that nothing overflows. All inputs broadcast.

Everything is written with sums of positive terms. For exponential features with the shape A let w = 1 - 8A, and
lambda = log w = l + i phi. Then E Z^2/K^2 = e^(a + i b), E|Z|^2/K^2 = e^c, where the factors of (6) are
alpha_1 = cosh(lambda/2)^d and alpha_3 = |alpha_1| cos(phi)^(-d/2). With P = (a + c)/2 and D = (c - a)/2,

    variance/K^2 = expm1(P) + 2 e^P sinh(D/2)^2 - e^(P - D) sin(b/2)^2,

in which P and D are computed without cancellation. Intermediate results have the longest float type of the machine.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rftheory.errors import InvalidInput, OutsideDomain, UnknownName
from rftheory.exact.fast import read_counts, read_norms, safe_log

Floats = NDArray[Any]


# ---- exponential features ------------------------------------------------------------------------------


def log_gerf_variance(d: ArrayLike, A: ArrayLike, s: int, v: ArrayLike, z: ArrayLike) -> Floats:
    """Logarithm of the variance of one GERF estimate of the Gaussian kernel (Chefs' Random Tables, eq. 6).

    Parameters
    ----------
    d : dimension, integers >= 1.
    A : real or complex shape with Re(1 - 8A) > 0; beyond, the variance is infinite.
    s : 1 (positive features for real A) or -1 (trigonometric features for real A).
    v, z : |x + y| and |x - y|, >= 0.

    Returns
    -------
    The logarithm, good to 4 ulp of max(1, its absolute value) for d >= 2; -inf where the variance is 0. For norms up
    to 100, for A = 0, and for real A with s = -1 that holds as it stands. Else, beyond 100, errors of some 1e-19 of two
    numbers add to it, which the result may not show: v^2/(1 - 8A), which z^2 may cancel, and the angle
    8 Im(A) v^2/|1 - 8A|^2 (s = -1: of z^2), of which only the position on the circle matters.

    Raises
    ------
    InvalidInput, OutsideDomain : NaN, infinities, or values outside the domain.

    Examples
    --------
    >>> log_gerf_variance(64, [0.0, -0.05], 1, 10.0, 0.0).round(12).tolist()
    [100.0, 72.330039491506]
    """
    name = "log_gerf_variance"
    if s not in (1, -1):
        raise InvalidInput(name, needs="s = 1 or s = -1", got=s)
    shape = np.asarray(A, dtype=complex)
    if not np.isfinite(shape).all():
        raise InvalidInput(name, needs="finite A", got="NaN or infinity")
    if not (1 - 8 * shape.real > 0).all():
        raise OutsideDomain(name, needs="Re(1 - 8A) > 0", got=float(shape.real.max()))
    dims = _long(read_counts(name, d, 1, "d"))
    sums, differences = _long(read_norms(name, v)), _long(read_norms(name, z))
    value = _log_gerf(dims, _long(shape.real), _long(shape.imag), s, sums, differences)
    return np.asarray(value, dtype=float)


def _long(x: Floats) -> Floats:
    return x.astype(np.longdouble)


def _log_gerf(d: Floats, re: Floats, im: Floats, s: int, sums: Floats, differences: Floats) -> Floats:
    """log of the variance, from that over K^2 = e^(-z^2), of which the norm that enters at this s has the square q."""
    q, less = (sums if s == 1 else differences) ** 2, differences**2
    x, y = 1 - 8 * re, -8 * im  # w = x + i y
    modulus2 = x * x + y * y
    excess = 64 * (re * re + im * im) - 16 * re  # |w|^2 - 1
    size = np.where(modulus2 < 0.5, np.log(modulus2), np.log1p(np.maximum(excess, -0.5))) / 2  # l = log|w|
    lift = np.sinh(size / 2) ** 2
    phi = np.arctan2(y, x)
    tilt = np.sin(phi / 2) ** 2
    wide = np.hypot(1 + x, y)
    extra = y * y / (2 * x * (wide + 1 + x))
    if s == 1:
        mean, gap = x / modulus2 + 1 / x + extra, y * y / (x * modulus2) + extra
    else:
        mean, gap = extra + (y * y - 8 * re * x) / modulus2, 1 + extra + x / modulus2
    P = d / 4 * np.log1p((2 * lift + (lift - tilt) ** 2) / (1 - 2 * tilt)) + q * mean / 2
    D = -d / 4 * np.log1p(-2 * tilt) + q * gap / 2
    b = d * np.arctan(np.tanh(size / 2) * np.tan(phi / 2)) - s * q * y / modulus2
    high = d / 2 * np.log1p(((8 * re) ** 2 + y * y) / (4 * x)) + q * extra
    if s == 1:
        beyond = (sums - differences) * (sums + differences)
        rest = np.where(np.abs(8 * re) < x / 2, q * (8 * re / x) + beyond, q / x - less)  # q/x - z^2
        return _log_difference(P, D, b, high + q / x, less, high + rest)
    return _log_difference(P, D, b, high + q, less, high)


def _log_difference(P: Floats, D: Floats, b: Floats, top: Floats, less: Floats, rest: Floats) -> Floats:
    """log(e^P (cosh D + e^-D (cos b - 1)/2) - 1) - less, in two forms.

    ``top`` is P + D and ``rest`` is top - less, both of which may cancel.
    """
    P, D, b, top, less, rest = np.broadcast_arrays(P, D, b, top, less, rest)
    large = (top > 1) | (D > 1)
    result = np.empty_like(P)
    p, t, turn = P[~large], D[~large], b[~large]
    spread = 2 * np.exp(p) * np.sinh(t / 2) ** 2 - np.exp(p - t) * np.sin(turn / 2) ** 2
    result[~large] = safe_log(np.expm1(p) + spread) - less[~large]
    t, turn, high = D[large], b[large], top[large]
    half = (2 * np.exp(-2 * t) * np.cos(turn / 2) ** 2 - np.expm1(-2 * t)) / 2
    result[large] = rest[large] + safe_log(half - np.exp(-high))
    return result


# ---- hybrids -------------------------------------------------------------------------------------------


def log_softmax_mse(features: str, x: ArrayLike, y: ArrayLike, theta: ArrayLike, m: ArrayLike = 1) -> Floats:
    """Logarithm of the MSE of an estimate of the softmax kernel (Hybrid Random Features, Lemma 2.2).

    Parameters
    ----------
    features : ``trigonometric``, ``positive`` or ``hyperbolic``.
    x, y : the norms |x| and |y|.
    theta : angle between x and y, in [0, pi].
    m : number of independent projections.

    Examples
    --------
    >>> log_softmax_mse("hyperbolic", 1.0, 1.0, [0.0, 3.0], 10).round(9).tolist()
    [2.967296833, -12.798229777]
    """
    known = ("trigonometric", "positive", "hyperbolic")
    if features not in known:
        raise UnknownName("feature map", features, known)
    lengths = _pair("log_softmax_mse", x, y, theta)
    return np.asarray(
        _log_softmax(features, *lengths) - np.log(read_counts("log_softmax_mse", m)), dtype=float
    )


def _pair(name: str, x: ArrayLike, y: ArrayLike, theta: ArrayLike) -> tuple[Floats, Floats, Floats]:
    angle = read_norms(name, theta)
    if not (angle <= np.pi).all():
        raise OutsideDomain(name, needs="theta <= pi", got=float(angle.max()))
    return _long(read_norms(name, x)), _long(read_norms(name, y)), _long(angle)


def _log_softmax(features: str, x: Floats, y: Floats, theta: Floats) -> Floats:
    """log m MSE = 2 x.y + log(2 sinh(q/2)^2), q = |x - y|^2 or |x + y|^2; e^q - 1 for positive features."""
    side = np.sin(theta / 2) if features == "trigonometric" else np.cos(theta / 2)
    q = (x - y) ** 2 + 4 * x * y * side**2
    short = safe_log(-np.expm1(-q))
    growth = q + short if features == "positive" else q + 2 * short - np.log(np.longdouble(2))
    return np.asarray(2 * x * y * np.cos(theta) + growth)


def log_angular_mse(x: ArrayLike, y: ArrayLike, theta: ArrayLike, m: ArrayLike, n: ArrayLike) -> Floats:
    """Logarithm of the MSE of the angular hybrid, its two estimates with independent projections (Theorem D.1).

    Parameters
    ----------
    x, y, theta : norms and angle of the pair.
    m : projections of each base estimate.
    n : projections of the coefficient estimate.

    Examples
    --------
    >>> log_angular_mse(1.0, 1.0, [0.0, 1.0, 3.0], 10, 10).round(9).tolist()
    [-inf, -0.857723774, -6.093962277]
    """
    lengths = _pair("log_angular_mse", x, y, theta)
    u, rest = lengths[2] / PI, ((np.longdouble(math.pi) - lengths[2]) + PI_LOW) / PI
    projections = _long(read_counts("log_angular_mse", n, 1, "n"))
    spread = u * rest / projections
    counts = read_counts("log_angular_mse", m)
    return _mixed(lengths, u * u + spread, rest * rest + spread, counts)


def log_gaussian_mse(r: ArrayLike, theta: ArrayLike, sigma: ArrayLike, m: ArrayLike, n: ArrayLike) -> Floats:
    """Logarithm of the MSE of the normalised bipolar Gaussian hybrid at |x| = |y| = r (Theorem F.2).

    Parameters
    ----------
    r : the common norm, > 0.
    theta : angle of the pair.
    sigma : smoothness of the coefficient, > 0, estimated by n trigonometric features.
    m : projections of each base estimate.

    Examples
    --------
    >>> log_gaussian_mse(1.0, [1.0, 2.0], 1.0, 10, 10).round(9).tolist()
    [-0.433669405, -2.959400296]
    """
    name = "log_gaussian_mse"
    radius, smooth = _long(read_norms(name, r)), _long(read_norms(name, sigma))
    if not ((radius > 0) & (smooth > 0)).all():
        raise OutsideDomain(name, needs="r > 0 and sigma > 0", got=0.0)
    lengths = _pair(name, r, r, theta)
    scale = 2 * (radius * smooth) ** 2
    near, far = scale * np.sin(lengths[2] / 2) ** 2, scale * np.cos(lengths[2] / 2) ** 2
    whole = np.expm1(-scale)
    spread = np.expm1(-2 * near) ** 2 / (2 * _long(read_counts(name, n, 1, "n")))
    first, second = np.expm1(-near) ** 2 + spread, (np.exp(-near) * np.expm1(-far)) ** 2 + spread
    return _mixed(lengths, first / whole**2, second / whole**2, read_counts(name, m))


PI_LOW = np.longdouble(1.2246467991473532e-16)
"""pi less the float nearest to it."""
PI = np.longdouble(math.pi) + PI_LOW


def _mixed(
    lengths: tuple[Floats, Floats, Floats], second: Floats, complement: Floats, counts: Floats
) -> Floats:
    """log of E lambda^2 times the hyperbolic MSE plus E (1 - lambda)^2 times the trigonometric MSE."""
    up = safe_log(second) + _log_softmax("hyperbolic", *lengths)
    down = safe_log(complement) + _log_softmax("trigonometric", *lengths)
    return np.asarray(np.logaddexp(up, down) - np.log(counts), dtype=float)
