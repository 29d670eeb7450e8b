"""Fast float64 versions of the exact formulas, vectorised over grids, in the log domain.

Everything here is tested against the enclosures; nothing here proves anything. With b = d/2, z = v^2/2 and
F(z) = 1F1(2b; b; z), the orthogonal conformity is F(z) and that of a pair at the fixed angle of cosine c is
E F(z (1 + c s)), s = sin(2 phi) (see ``special.mean_sine_powers``). Two algorithms carry the rest:

* log F by its positive series for z <= 30 and by a finite sum in 1/z from z = max(45, d^2) on; between them by a
  Gauss-Hermite rule (for d < 32 the trapezoid rule) on a parabola through the saddle of
  F(z) = Gamma(b)/(2 pi i) int e^s s^b (s - z)^(-2b) ds, from which the leading terms are split off by hand;
* the average over the angle by the expansion about z (1 + min(c, 0)), in which no term is negative.

Inputs broadcast: ``d`` an integer array, ``v`` a float array. The work is done in chunks that fit the cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rftheory.errors import InvalidInput, OutsideDomain, UnknownName

Floats = NDArray[Any]

SERIES_END = 30.0
"""The largest z for which the power series is used."""


def _gauss_hermite(nodes: int) -> tuple[Floats, Floats]:
    """Positive nodes y of the rule for the weight exp(-y^2/2), and the weights of a function that contains it."""
    y, weights = np.polynomial.hermite_e.hermegauss(nodes)
    return y[y > 0], (weights * np.exp(y * y / 2))[y > 0]


def _trapezoid(step: float, nodes: int) -> tuple[Floats, Floats]:
    """Nodes y >= 0 and their weights, half of one at 0."""
    y = np.arange(nodes) * step
    return y, np.where(y == 0, step / 2, step)


RULES = (
    (256.0, *_gauss_hermite(12)),
    (64.0, *_gauss_hermite(16)),
    (16.0, *_gauss_hermite(24)),
    (0.0, *_trapezoid(0.3, 30)),
)
"""The rules on the saddle-point parabola: from which d/2 on, nodes and weights of half the line.

The integrand is exp(-y^2/2) times what a large d/2 makes smooth: each is exact to rounding."""

CHUNK, REACH_CHUNK = 512, 2048
"""How many points are processed at once, so that they fit in the cache: for the contour, for the angle average."""

SQUARES_FROM = 1e-10
"""Below this v the gap of simplex projections is v^2 times its first coefficient, to v^2 relative."""

FAR = 45.0
"""The z from which on F(z) is given by :func:`_far_fall` if also z >= d^2: e^-45 is nothing."""

FAR_WAVE = 680.0
"""The x = z^2/2 from which on 1F1(d; d/2; -x) is given by :func:`_far_kummer`."""

ROOT_TWO_PI = math.sqrt(2 * math.pi)


# ---- public: conformities --------------------------------------------------------------------------


def log_orf_conformity(d: ArrayLike, v: ArrayLike) -> Floats:
    """log 1F1(d; d/2; v^2/2), the logarithm of the RF-conformity of orthogonal projections (eq. 23).

    Parameters
    ----------
    d : dimension, integers >= 2.
    v : |x + y| >= 0; broadcast against ``d``.

    Raises
    ------
    InvalidInput, OutsideDomain : NaN, infinite or negative v; d not an integer >= 2.

    Examples
    --------
    >>> log_orf_conformity(64, [0.1, 1.0, 10.0]).round(12).tolist()
    [0.009999242647, 0.99263864353, 75.994060312122]
    """
    dims, norms = _broadcast("log_orf_conformity", d, v)
    b, z = dims / 2, norms**2 / 2
    return _chunked(_log_kummer, _work(b, z), b, z, size=CHUNK)


def log_angle_conformity(d: ArrayLike, v: ArrayLike, c: ArrayLike) -> Floats:
    """Logarithm of the RF-conformity of a pair at the fixed angle of cosine ``c`` (eq. 21).

    Examples
    --------
    >>> bool(abs(log_angle_conformity(6, 2.0, 0.0) - log_orf_conformity(6, 2.0)) < 1e-15)
    True
    """
    dims, norms, cosines = _with_cosines("log_angle_conformity", d, v, c)
    return _by_reach(dims, norms, cosines)


def log_simrf_conformity(d: ArrayLike, v: ArrayLike) -> Floats:
    """Logarithm of the RF-conformity of simplex projections (eq. 24).

    Examples
    --------
    >>> log_simrf_conformity([2, 64], 1.0).round(12).tolist()
    [0.227630404835, 0.977116060815]
    """
    dims, norms = _broadcast("log_simrf_conformity", d, v)
    return _by_reach(dims, norms, -1 / (dims - 1))


def log_orthogonality_gap(d: ArrayLike, v: ArrayLike) -> Floats:
    """log(rho_iid - rho_orf), good to 1e-13 relative (in the gap) however small ``v`` is; -inf at v = 0.

    Examples
    --------
    >>> float(np.exp(log_orthogonality_gap(64, 1e-8)) / (1e-32 / 2 / 66)).__round__(12)
    1.0
    """
    dims, norms = _broadcast("log_orthogonality_gap", d, v)
    return _chunked(_log_orthogonality_gap, _work(dims / 2, norms**2 / 2), dims / 2, norms, size=CHUNK)


def log_simplex_gap(d: ArrayLike, v: ArrayLike) -> Floats:
    """log(rho_orf - rho_simrf), by a sum of positive terms: the gap is good to 1e-13 relative.

    Where the logarithm is above 100 in modulus, to 4 ulp of it; -inf at v = 0.

    Examples
    --------
    >>> float(np.exp(log_simplex_gap(64, 1e-4)) * 1e8).__round__(9)
    0.015749496
    """
    dims, norms = _broadcast("log_simplex_gap", d, v)
    gap = _by_reach(dims, np.maximum(norms, SQUARES_FROM), -1 / (dims - 1), gap=True)
    return np.asarray(gap + 2 * np.minimum(safe_log(norms) - math.log(SQUARES_FROM), 0))[()]


# ---- public: mean square errors ----------------------------------------------------------------------


def log_positive_mse(coupling: str, d: ArrayLike, m: ArrayLike, v: ArrayLike, squares: ArrayLike) -> Floats:
    """Logarithm of the MSE of the positive-feature estimate of the Gaussian kernel (eq. 11).

    Parameters
    ----------
    coupling : ``iid``, ``orthogonal`` or ``simplex``.
    d, m : dimension and number of random vectors; for m > d the blocks of d vectors are independent.
    v : |x + y|.
    squares : |x|^2 + |y|^2, which enters as the factor exp(-2 squares); at x = y it is v^2/2.

    Returns
    -------
    The logarithm; -inf at v = 0, where the estimator is exact.

    Examples
    --------
    >>> ratio = log_positive_mse("simplex", 64, 64, 0.01, 0.0) - log_positive_mse("iid", 64, 64, 0.01, 0.0)
    >>> float(np.exp(ratio)).__round__(6)
    0.007786
    >>> float(np.exp(log_positive_mse("orthogonal", 4, 8, 1.0, 0.5))).__round__(6)  # x = y, |x + y| = 1
    0.190436
    """
    check_coupling(coupling, ("iid", "orthogonal", "simplex"))
    dims, norms = _broadcast("log_positive_mse", d, v)
    dims, norms, counts = np.broadcast_arrays(dims, norms, read_counts("log_positive_mse", m))
    partners = np.zeros_like(dims) if coupling == "iid" else mean_partners(dims, counts)
    small = norms**2 <= 8.0
    result = np.empty(norms.shape)
    for part, method in ((small, _log_mse_by_series), (~small, _log_mse_by_gaps)):
        result[part] = method(coupling, dims[part], counts[part], partners[part], norms[part])
    return np.asarray(result - 2 * np.asarray(squares, dtype=float))


def log_trigonometric_mse(coupling: str, d: ArrayLike, m: ArrayLike, z: ArrayLike) -> Floats:
    """Logarithm of the MSE of the random-Fourier-feature estimate of the Gaussian kernel (Thm 4.5).

    It is (1 - e^(-z^2))^2/2 - q (e^(-z^2) - 1F1(d; d/2; -z^2/2)), divided by m, with q the mean number of
    partners of a vector in its block. The oscillating 1F1 is summed as e^(-x) sum_k (-d/2)_k/(d/2)_k x^k/k!,
    x = z^2/2, whose terms have absolute sum at most 1, in the longest float type of the machine; from x = 680 on by its
    expansion in 1/x, so that any z takes milliseconds.

    Parameters
    ----------
    coupling : ``iid`` or ``orthogonal``.
    d, m : as for :func:`log_positive_mse`.
    z : |x - y|.

    Examples
    --------
    >>> log_trigonometric_mse("orthogonal", 64, 64, [0.5, 5.0]).round(9).tolist()
    [-11.002415938, -4.852030266]
    """
    check_coupling(coupling, ("iid", "orthogonal"))
    dims, norms = _broadcast("log_trigonometric_mse", d, z)
    dims, norms, counts = np.broadcast_arrays(dims, norms, read_counts("log_trigonometric_mse", m))
    partners = np.zeros_like(dims) if coupling == "iid" else mean_partners(dims, counts)
    return _chunked(_log_rff_mse, norms, dims, counts, partners, norms, size=CHUNK)


def check_coupling(coupling: str, known: tuple[str, ...]) -> None:
    """Refuse a coupling that is not known.

    Examples
    --------
    >>> check_coupling("sobol", ("iid", "orf"))
    Traceback (most recent call last):
        ...
    rftheory.errors.UnknownName: unknown coupling 'sobol'; known: iid, orf
    """
    if coupling not in known:
        raise UnknownName("coupling", coupling, known)


def _log_rff_mse(d: Floats, m: Floats, partners: Floats, z: Floats) -> Floats:
    d, m, partners, z = (a.astype(np.longdouble) for a in (d, m, partners, z))
    t = z * z
    small = t <= 1
    result = np.empty_like(z)
    result[small] = _rff_series(d[small], partners[small], t[small]) + 4 * safe_log(z[small])
    large = ~small
    result[large] = safe_log(np.expm1(-t[large]) ** 2 / 2 - partners[large] * wave_gap(d[large], t[large]))
    return np.asarray(result - safe_log(m), dtype=np.float64)


def _rff_series(d: Floats, partners: Floats, t: Floats) -> Floats:
    """log of sum_{k>=2} (-1)^k t^(k-2)/k! (2^(k-1) - 1 - q e_k), the first two without cancellation."""
    term, total = np.ones_like(t) / 2, np.zeros_like(t)
    drop, rest = 1 / (d + 2), (d + 1) / (d + 2)
    for k in range(2, 24):
        plain = {2: (d + 2 - partners) / (d + 2), 3: 3 * (d + 4 - partners) / (d + 4)}
        total += term * plain.get(k, 2.0 ** (k - 1) - 1 - partners * drop)
        term = term * (-t / (k + 1))
        drop, rest = drop + rest * k / (d + 2 * k), rest * ((d + k) / (d + 2 * k))
    return safe_log(total)


def wave_gap(d: Floats, t: Floats) -> Floats:
    """e^(-t) - 1F1(d; d/2; -t/2) = e^(-x) sum_k ((-1)^k - (-d/2)_k/(d/2)_k) x^k/k!, x = t/2.

    Examples
    --------
    >>> bool(abs(wave_gap(np.array([2.0]), np.array([4.0])) - (np.exp(-4) + np.exp(-2)))[0] < 1e-15)
    True
    """
    b, x = d / 2, t / 2
    far = x >= FAR_WAVE
    total = np.zeros_like(x)
    total[far] = np.exp(-t[far]) - _far_kummer(b[far], x[far])
    total[~far] = _near_wave_gap(b[~far], x[~far])
    return total


def _near_wave_gap(b: Floats, x: Floats) -> Floats:
    """The gap by its series, whose length grows like x."""
    if x.size == 0:
        return x
    top = float(x.max())
    weight, ratio, total = np.exp(-x), np.ones_like(x), np.zeros_like(x)
    fall = np.zeros_like(x)  # 1 - |ratio| while k <= b, so that nothing cancels at large d
    for k in range(1, int(top + 12 * math.sqrt(top) + 40)):
        weight = weight * (x / k)
        fall = fall + np.abs(ratio) * (2 * (k - 1) / (b + k - 1))
        ratio = ratio * ((k - 1 - b) / (b + k - 1))
        sign = -1.0 if k % 2 else 1.0
        total += weight * np.where(k <= b, sign * fall, sign - ratio)
    return total


def _far_kummer(b: Floats, x: Floats) -> Floats:
    """G(x) = 1F1(2b; b; -x) for x >= 680, to 1e-24; where b is not 1/2, 3/2, ..., 11/2 it is that small itself.

    By Kummer's transformation G is the mean over a Poisson number K of mean x of r_K = (-b)_K/(b)_K, where
    |r_k| <= 1 falls in k, so |G| <= P(K < x/2) + |r_n|, n = ceil(x/2), and P(K < x/2) <= exp(-0.153 x) < 1e-45.

    * Integer b <= n - 1: r_n = 0.
    * b >= 6.5 else: up to b = n/sqrt(2) + 1, |r_n| falls as b rises by 1, since |r_n| of b + 1 is that of b times
      b (b+1)/((n+b) (n-b-1)); at b = 6.5 it is below 3e-28. From there on up to b = 3x, each of its first min(n, b)
      factors is (b-j)/(b+j) <= exp(-2j/b), so that it is at most exp(1 - x/12) < 1e-24.
    * b > 3x: e^(2x) G is at most 1, as x < d/6 (see :mod:`rftheory.exact.threshold`).
    * b = 1/2, ..., 11/2: Poincare's expansion (DLMF 13.7.2), Gamma(b)/Gamma(-b) x^(-2b) sum_k (2b)_k (b+1)_k/k! x^(-k).
      The other one, with the factor e^(-x), has the coefficient cos(pi b) = 0 (DLMF 13.2.41, the mean of both
      signs), so that DLMF 13.7.4 to 13.7.9 at x e^(i pi) bound the remainder by 20 times the first term left out.
    """
    total = np.zeros_like(x)
    odd = (np.mod(b, 1) == 0.5) & (b < 6)
    b, x = b[odd], x[odd]
    term, value = np.ones_like(x), np.zeros_like(x)
    for k in range(16):
        value += term
        term = term * ((2 * b + k) * (b + 1 + k) / ((k + 1) * x))
    total[odd] = _signed_ratio(b) * x ** (-2 * b) * value
    return total


def _signed_ratio(b: Floats) -> Floats:
    """Gamma(b)/Gamma(-b) at b = 1/2, 3/2, ...: -1/2 there, times -b (b + 1) at each step."""
    ratio = np.full_like(b, -0.5)
    for step in range(int(b.max(initial=0.5))):
        low = step + 0.5
        ratio = np.where(b > low, -ratio * (low * (low + 1)), ratio)
    return ratio


def safe_log(x: Floats) -> Floats:
    """log with log 0 = -inf and no warning.

    Examples
    --------
    >>> safe_log(np.array([0.0, 1.0]))
    array([-inf,   0.])
    """
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(x))


def mean_partners(d: Floats, m: Floats) -> Floats:
    """Mean number of other vectors of its own block that a vector has: min(m, d) - 1 for whole blocks.

    Examples
    --------
    >>> mean_partners(np.array([4.0]), np.array([10.0]))
    array([2.6])
    """
    rest = np.mod(m, d)
    return ((m - rest) * (d - 1) + rest * (rest - 1)) / m


def _log_mse_by_gaps(coupling: str, d: Floats, m: Floats, partners: Floats, v: Floats) -> Floats:
    """4 z + log(1 - e^(-2z) - q gap e^(-4z)) - log m, the total gap being rho_iid - rho."""
    z = v**2 / 2
    inside = -np.expm1(-2 * z)
    if coupling != "iid" and v.size:
        gap = log_orthogonality_gap(d, v)
        if coupling == "simplex":
            gap = np.logaddexp(gap, log_simplex_gap(d, v))
        inside = inside - partners * np.exp(gap - 4 * z)
    return 4 * z + np.log(inside / m)


def _log_mse_by_series(
    coupling: str, d: Floats, m: Floats, partners: Floats, v: Floats, count: int = 72
) -> Floats:
    """log sum_k v^(2k)/k! A_k - log m, A_k = 2^k - 1 - q (1 - p_k J_k); A_1 and A_2 without cancellation.

    Summed in the longest float type of the machine: in float64 alone it is good to about 5 ulp instead of 2.
    """
    if v.size == 0:
        return v
    d, m, partners, v = (a.astype(np.longdouble) for a in (d, m, partners, v))
    falls = _falls(coupling, d, count)
    short = d - 1 - partners
    term, total = 1 / m, np.zeros_like(v)
    for k in range(1, count):
        total += term * _mse_coefficient(coupling, k, d, partners, short, falls)
        term = term * (v * v / (k + 1))
    return np.asarray(safe_log(total) + 2 * safe_log(v), dtype=np.float64)


def _mse_coefficient(
    coupling: str, k: int, d: Floats, partners: Floats, short: Floats, falls: list[Floats]
) -> Floats:
    if coupling == "simplex" and k <= 2:
        first_gap = falls[0]  # M_1 = E(1 - s), stored in place of the fall at k = 0, which is 0
        if k == 1:
            return first_gap + short / (d - 1) * (1 - first_gap)
        whole = 5 / (d + 2) + (d + 1) / (d + 2) * (2 * first_gap + d / ((d - 1) * (d + 1)))
        return whole + short * falls[2]
    return (2.0**k - 1) - partners * falls[k]


def _falls(coupling: str, d: Floats, count: int) -> list[Floats]:
    """1 - p_k J_k, k < count, p_k = prod_{j<k} (d+j)/(d+2j), J_k = E(1 + c s)^k; entry 0 holds E(1 - s)."""
    drop, rest = np.zeros_like(d), np.ones_like(d)
    near, steps = _mean_steps(d, count) if coupling == "simplex" else (drop, None)
    falls, away = [near], np.zeros_like(d)
    for k in range(1, count):
        ratio = (d + k - 1) / (d + 2 * (k - 1))
        drop = drop + rest * (k - 1) / (d + 2 * (k - 1))
        rest = rest * ratio
        if steps is not None:
            away = away + steps[k - 1] / (d - 1)
        falls.append(np.zeros_like(d) if coupling == "iid" else drop + rest * away)
    return falls


def _mean_steps(d: Floats, count: int) -> tuple[Floats, list[Floats]]:
    """E(1 - s) and B_k = E s (1 + c s)^k, k < count, at the simplex cosine c, by sums of positive terms."""
    ratios = gap_ratios(d, count + 1)
    moments = [np.ones_like(d)]
    for p in range(count):
        moments.append(moments[-1] * ratios[p])
    table = np.array([moments[j] * (1 - ratios[j]) for j in range(count)])
    reach = 1 / (d - 1)
    steps = []
    for _ in range(count):
        steps.append(table[0])
        table = (1 - reach) * table[:-1] + reach * table[1:] if len(table) > 1 else table
    return ratios[0], steps


# ---- F and the angle average -------------------------------------------------------------------------


def _work(b: Floats, z: Floats) -> Floats:
    """A key by which points are sorted so that a chunk needs one algorithm: z in the series, whose length it tells."""
    kinds = [_is_far(b, z)] + [b >= low for low, _, _ in RULES]
    return np.where(z <= SERIES_END, z, SERIES_END + 1 + np.argmax(kinds, axis=0))


def _log_kummer(b: Floats, z: Floats) -> Floats:
    """log F(z)."""
    value, small = np.empty_like(z), z <= SERIES_END
    if small.any():
        value[small] = _kummer_series(b[small], z[small])[0]
    if not small.all():
        large = ~small
        value[large] = 2 * z[large] - _fall(b[large], z[large])
    return value


def _log_kummer_and_slope(b: Floats, z: Floats) -> tuple[Floats, Floats]:
    """log F(z) and F'(z)/F(z)."""
    value, slope, small = np.empty_like(z), np.empty_like(z), z <= SERIES_END
    if small.any():
        value[small], slope[small] = _kummer_series(b[small], z[small])
    if not small.all():
        large = ~small
        fall, slope[large] = _saddle_and_slope(b[large], z[large])
        value[large] = 2 * z[large] - fall
    return value, slope


def _kummer_series(b: Floats, z: Floats) -> tuple[Floats, Floats]:
    """log F by log1p of the positive series, F'/F by the same series with weights k; terms are divided by z."""
    top = float(z.max())
    count = int(2 * top + 12 * math.sqrt(2 * top) + 24)
    term, total, weighted, work = np.full_like(z, 2.0), np.zeros_like(z), np.zeros_like(z), np.empty_like(z)
    rise, fall = 2 * b, b.copy()
    for k in range(1, count):
        total += term
        np.multiply(term, k, out=work)
        weighted += work
        rise += 1  # 2b + k
        fall += 1  # b + k
        np.multiply(fall, k + 1, out=work)
        np.divide(rise, work, out=work)
        work *= z
        term *= work
    total *= z
    return np.log1p(total), weighted / (1 + total)


def _fall(b: Floats, z: Floats) -> Floats:
    """2 z - log F(z), z > 30: how far F falls short of e^(2z)."""
    fall = np.empty_like(z)
    far = _is_far(b, z)
    if far.any():
        fall[far] = _far_fall(b[far], z[far])
    if not far.all():
        fall[~far] = _saddle(b[~far], z[~far])
    return fall


def _is_far(b: Floats, z: Floats) -> NDArray[Any]:
    """Where :func:`_far_fall` holds."""
    return np.asarray((4 * b * b <= z) & (z >= FAR))


def _far_fall(b: Floats, z: Floats) -> Floats:
    """The same for z >= 45 and z >= d^2: F(z) = Gamma(b)/Gamma(2b) z^b e^z sum_k (1 - 2b)_k (-b)_k/k! z^(-k).

    The sum (DLMF 13.7.1) ends before k = d, and its terms fall faster than 2^(-k)/k!; what is left out, a solution that
    decreases, is below e^(-z) of it.
    """
    total, term, k = np.ones_like(z), np.ones_like(z), 0
    while float(np.abs(term).max()) > 1e-18:
        term *= (2 * b - (k + 1)) * (b - k) / ((k + 1) * z)
        total += term
        k += 1
    gammas = b * np.log(b / z) + (2 * b - 0.5) * math.log(2) - b + _stirling(2 * b) - _stirling(b)
    return z + (gammas - np.log(total))


def _saddle(b: Floats, z: Floats) -> Floats:
    """The same by the contour through the saddle."""
    fall = np.empty_like(z)
    for part, path in _paths(b, z):
        fall[part] = path.fall(path.weights()[0].sum(axis=0))
    return fall


def _saddle_and_slope(b: Floats, z: Floats) -> tuple[Floats, Floats]:
    """The same, and F'/F."""
    fall, slope = np.empty_like(z), np.empty_like(z)
    for part, path in _paths(b, z):
        first, second = path.weights()
        weight = first.sum(axis=0)
        across = 1 + path.near
        moment = ((first * across + second * path.height) / (across**2 + path.height**2)).sum(axis=0)
        fall[part], slope[part] = path.fall(weight), 2 * path.b / path.sigma * (moment / weight)
    return fall, slope


def _paths(b: Floats, z: Floats) -> Iterator[tuple[NDArray[Any] | slice, _Parabola]]:
    """The points of each of the ``RULES``, as a mask or all of them, with their paths."""
    left = np.ones_like(b, dtype=bool)
    for low, y, weights in RULES:
        part = left & (b >= low)
        if part.all():
            yield slice(None), _Parabola(b, z, y, weights)
            return
        left &= ~part
        if part.any():
            yield part, _Parabola(b[part], z[part], y, weights)


class _Parabola:
    """A rule on s = s0 + i scale y + curve y^2, the path through the saddle s0 of e^s s^b (s-z)^(-2b).

    s0 = z + b + w and sigma = s0 - z; s - s0 = sigma (near + i height). The exponent has no linear term there: its
    value along s0 + delta is b l(delta/s0) - 2b l(delta/sigma) with l(u) = log(1+u) - u.
    """

    def __init__(self, b: Floats, z: Floats, y: Floats, weights: Floats) -> None:
        root = np.sqrt((z + b) ** 2 + 4 * b * z)
        w = 2 * b * z / (z + b + root)
        self.b, self.z, self.w, self.saddle, self.sigma = b, z, w, z + b + w, b + w
        self.bend = b * (2 / self.sigma**2 - 1 / self.saddle**2)
        third = b * (2 / self.saddle**3 - 4 / self.sigma**3)
        self.scale = 1 / np.sqrt(self.bend)
        self.curve = third / (6 * self.bend) * self.scale**2
        self.y, self.rule = y[:, None], weights[:, None]
        self.real, self.imag = self.curve * (self.y * self.y), self.scale * self.y
        self.near, self.height = self.real / self.sigma, self.imag / self.sigma

    def weights(self) -> tuple[Floats, Floats]:
        """Real and negative imaginary part of e^exponent ds/dy/(i scale) at the nodes, times their weights."""
        b = self.b
        far, over = self.real / self.saddle, self.imag / self.saddle
        size_s, angle_s = _log1p_polar(far, over)
        size_z, angle_z = _log1p_polar(self.near, self.height)
        size = self.rule * np.exp(b * (size_s - far) - 2 * b * (size_z - self.near))
        phase = b * (angle_s - over) - 2 * b * (angle_z - self.height)
        tangent = 2 * self.curve / self.scale * self.y  # (ds/dy)/i = scale (1 - i tangent)
        cosine, sine = size * np.cos(phase), size * np.sin(phase)
        return cosine + tangent * sine, sine - tangent * cosine

    def fall(self, weight: Floats) -> Floats:
        """2 z - log F(z) from the sum of the weights."""
        leading = self.b * (_log1pmx((self.z + self.w) / self.b) - 2 * _log1pmx(self.w / self.b))
        rest = np.log(weight * (2 / ROOT_TWO_PI)) - 0.5 * np.log(self.b * self.bend)
        return -(leading + _stirling(self.b) + rest)


def _log1p_polar(real: Floats, imag: Floats) -> tuple[Floats, Floats]:
    """Modulus and argument of log(1 + real + i imag)."""
    return 0.5 * np.log1p(real * (2 + real) + imag * imag), np.arctan2(imag, 1 + real)


def _log1pmx(x: Floats) -> Floats:
    """log(1 + x) - x without cancellation: with r = x/(2+x) it is -x r + 2 (r^3/3 + r^5/5 + ...)."""
    r = np.minimum(x, 0.5) / (2 + np.minimum(x, 0.5))
    square, series = r * r, np.zeros_like(r)
    for n in range(27, 1, -2):
        series = series * square + 1 / n
    return np.where(x < 0.5, 2 * r**3 * series - x * r, np.log1p(x) - x)


def _stirling(b: Floats) -> Floats:
    """log Gamma(b) - (b - 1/2) log b + b - log(2 pi)/2, for b >= 1, after shifting b to at least 8."""
    shift, far = np.zeros_like(b), b.copy()
    while (low := far < 8).any():
        shift = shift + np.where(low, _stirling_step(far), 0.0)
        far = np.where(low, far + 1, far)
    square = 1 / (far * far)
    coefficients = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)
    series = np.zeros_like(far)
    for a in reversed(coefficients):
        series = series * square + a
    return shift + series / far


def _stirling_step(b: Floats) -> Floats:
    """mu(b) - mu(b + 1) = (b + 1/2) log(1 + 1/b) - 1."""
    return (b + 0.5) * np.log1p(1 / b) - 1


def _log_angle(d: Floats, z: Floats, c: Floats, gap: bool) -> Floats:
    """log E F(z (1 + c s)), or with ``gap`` (c < 0) log(F(z) - E F(z (1 + c s))); c of one sign."""
    b, step = d / 2, np.abs(c) * z
    falling = bool(c[0] < 0)
    steep = _steep(d, z, step) if falling else np.zeros_like(z, dtype=bool)
    if steep.any():
        result = np.empty_like(z)
        result[steep] = _log_from_top(d[steep], z[steep], step[steep], gap)
        if not steep.all():
            rest = ~steep
            result[rest] = _log_angle(d[rest], z[rest], c[rest], gap)
        return result
    centre = z * (1 + c) if falling else z
    start, slope = np.empty_like(z), np.empty_like(z)
    order = np.argsort(_work(b, centre))
    for i in range(0, z.size, CHUNK):
        part = order[i : i + CHUNK]
        start[part], slope[part] = _log_kummer_and_slope(b[part], centre[part])
    count = _term_count(float(step.max()), float(d.min()), falling and not gap)
    ahead = _forward_ratios(b, centre, slope, count)
    total, scale = _nested_sum(b, centre, step, ahead, falling, count, gap)
    return start + safe_log(total) + scale


def _steep(d: Floats, z: Floats, t: Floats) -> NDArray[Any]:
    """Where :func:`_log_from_top` is exact to rounding: the average over s is one over s > 0, nothing cancels."""
    far = np.maximum(t, d)
    return (far - d * (1 + np.log(far / d)) > 45) & (d * d <= z)


def _log_from_top(d: Floats, z: Floats, t: Floats, gap: bool) -> Floats:
    """log E F(z - t s), or log(F(z) - E F(z - t s)), where t is large and s is small, from the expansion about z.

    With F(x) = e^x K(x), E F(z - t s)/F(z) = sum_j (-t)^j/j! K^(j)(z)/K(z) E s^j e^(-ts). The ratios r_j of the K^(j)
    at z run backwards, r_j = (b - j)/(b + j + z + z r_{j+1}), and so do, up to a factor, the
    H_i = t^(i+1)/i! int_0^1 s^i (1-s^2)^(-1/2) e^(-ts) ds = H_{i+1} + (i + 2)/t^2 ((i + 2) H_{i+2} - (i + 3) H_{i+3}).
    The factor is known from the expansion H_{d-1} = sum_k (1/2)_k/k! (d)_2k/t^2k.
    """
    b, inverse = d / 2, 1 / (t * t)
    decay, count = d / t, 1
    while float(decay.max()) > 1e-18:
        decay *= (d + count) / t
        count += 1
    i = d - 1 + count
    total, first, second, third = (np.full_like(z, start) for start in (0.0, 1.0, 1.0, 1.0))
    ratio = np.zeros_like(z)
    for j in range(count - 1, -1, -1):
        i -= 1
        new = (i + 2) * second
        new -= (i + 3) * third
        new *= (i + 2) * inverse
        new += first
        first, second, third = new, first, second
        ratio = (b - j) / (z * (1 + ratio) + (b + j))
        total *= ratio * (d + j) * (-1 / (j + 1))
        total += first
    known, term, k = np.ones_like(z), np.ones_like(z), 0
    while float(term.max()) > 1e-18:
        term *= (d + 2 * k) * (d + (2 * k + 1)) * inverse * ((k + 0.5) / (k + 1))
        known += term
        k += 1
    share = (
        d * np.log((d + 1) / t)
        - (d + 1)
        + math.log(2)
        + 2 * _stirling(b + 0.5)
        + np.log(total / first * known)
    )
    tops = np.concatenate([_log_kummer(b[i : i + CHUNK], z[i : i + CHUNK]) for i in range(0, z.size, CHUNK)])
    return tops + (np.log1p(-np.exp(share)) if gap else share)


def _nested_sum(
    b: Floats,
    y: Floats,
    step: Floats,
    ahead: tuple[list[Floats], Floats],
    falling: bool,
    count: int,
    gap: bool,
) -> tuple[Floats, Floats]:
    """sum_p t_p M_p (with ``gap``: of t_p (1 - M_p)), t_p = step^p/p! F^(p)(y)/F(y), divided by e^scale.

    The sums are nested from the last term, G_p = 1 + r_p m_p G_{p+1}. The ratios R_p of the derivatives run
    backwards, R_p = (2b + p)/(y R_{p+1} + b + p - y), where that is stable, else forwards (``ahead``); the
    ratios m_p of the moments M_p = E(1-s)^p or E s^p run backwards along.
    """
    forward, turn = ahead
    first = count + (60 if falling else 400)
    lead = 0 if count <= turn.min() else _ratio_lead(b, y, count)
    first = max(first, count + lead)
    moment = np.full_like(y, 0.9) if falling else _far_sine_ratio(2 * b + first + 1)
    total, full, unit, lost = np.zeros_like(y), np.zeros_like(y), np.ones_like(y), np.zeros_like(y)
    ratio, below, top = np.ones_like(y), b + (first + 1), 2 * b + (first + 1)
    work, least, origin = np.empty_like(y), turn.min(), not y.any()
    for p in range(first, -1, -1):
        if falling:
            _gap_ratio_before(moment, top, p, work)
        below -= 1  # b + p
        top -= 1  # 2b + p
        if not falling:
            moment = top / ((top + 1) * moment)
        if p > count + lead:
            continue
        if origin:
            np.divide(top, below, out=ratio)
        elif p < len(forward) and p <= least:
            ratio = forward[p]
        else:
            ratio -= 1
            ratio *= y
            ratio += below
            np.divide(top, ratio, out=ratio)
            if p < len(forward):
                np.copyto(ratio, forward[p], where=p <= turn)
        if p >= count:
            continue
        np.multiply(step, ratio, out=work)
        work *= 1 / (p + 1)
        if gap:
            total = work * (moment * total + (1 - moment) * full)
            full *= work
            full += unit
        else:
            total *= work
            total *= moment
            total += unit
        if p % 16 == 0:
            largest = full if gap else total
            huge = largest > 2.0**400
            if huge.any():
                cut = np.where(huge, 2.0**-400, 1.0)
                total, full, unit = total * cut, full * cut, unit * cut
                lost += np.where(huge, 400.0, 0.0)
    return total, lost * math.log(2)


def _ratio_lead(b: Floats, y: Floats, count: int) -> int:
    """Steps before ``count`` from which the backward ratios R_p are exact to rounding at every point beyond its turn.

    A step contracts by y R^2/(2b + p) = exp(-2 arsinh(f/w)), f = b + p - y, w^2 = 4 y (2b + p), R the positive root of
    y R^2 + f R = 2b + p: hardly at all near y = b. The steps together do at least as much as the integral over f from
    one step earlier on, with the last and largest w.
    """
    beyond = (y > 0) & (y < b + count)
    fall, y, top, lead = (b + count - y)[beyond], y[beyond], (2 * b + count)[beyond], 8
    while True:
        square = 4 * y * (top + lead)
        wide, start, end = np.sqrt(square), fall - 1, fall + (lead - 1)
        done = end * np.arcsinh(end / wide) - start * np.arcsinh(start / wide)
        done -= np.sqrt(end * end + square) - np.sqrt(start * start + square)
        slow = done < CONTRACTED
        if not slow.any():
            return lead
        fall, y, top = fall[slow], y[slow], top[slow]
        lead += max(8, lead // 4)


CONTRACTED = 19.1
"""Half the negative logarithm of what counts as nothing, 3e-17."""


def _gap_ratio_before(ratio: Floats, dimension: Floats, p: int, work: Floats) -> None:
    """M_{p+1}/M_p from M_{p+2}/M_{p+1}, in place, M_p = E(1-s)^p; ``dimension`` is d + p + 1.

    (d+1+p) M_{p+2} = (2d+2+3p) M_{p+1} - (1+2p) M_p, of which M is minimal, so backwards is stable.
    """
    np.subtract(2, ratio, out=work)
    work *= dimension
    work += p
    np.divide(1 + 2 * p, work, out=ratio)


def _far_sine_ratio(n: Floats) -> Floats:
    """E s^(p+1)/E s^p at large n = d + p, from its expansion."""
    x = 1 / (2 * n)
    return 1 - x + x**2 / 2 + x**3 / 2 - 5 * x**4 / 8


def _forward_ratios(b: Floats, y: Floats, slope: Floats, count: int) -> tuple[list[Floats], Floats]:
    """R_p = F^(p+1)/F^(p) at y for p <= turn = y - b, by the recurrence that is stable there."""
    turn = y - b
    last = min(int(max(float(turn.max()), 0.0)), count)
    ratios = [slope]
    safe = np.where(y > 0, y, 1.0)
    fall, top, least = turn.copy(), 2 * b, turn.min()
    for p in range(last):
        ahead = top / ratios[-1]
        ahead += fall
        ahead /= safe
        if p + 1 > least:
            ahead[p + 1 > turn] = 2.0
        ratios.append(ahead)
        fall -= 1
        top += 1
    return ratios, np.maximum(turn, 0.0)


def gap_ratios(d: Floats, count: int) -> list[Floats]:
    """M_{p+1}/M_p, M_p = E(1-s)^p, p < count.

    Examples
    --------
    >>> bool(abs(1 - gap_ratios(np.array([2.0]), 1)[0][0] - np.pi / 4) < 1e-15)
    True
    """
    ratio, ratios, work = np.full_like(d, 0.9), [], np.empty_like(d)
    for p in range(count + 60, -1, -1):
        _gap_ratio_before(ratio, d + (p + 1), p, work)
        if p < count:
            ratios.append(ratio.copy())
    return ratios[::-1]


def _term_count(step: float, d: float, falling: bool) -> int:
    """Terms after which step^p/p! (d)_p/(d/2)_p (``falling``: times M_p) is negligible, from bounds of the ratios.

    The bounds hold at every point of a chunk: beyond the place where they give the largest term, the true terms fall
    at least as fast. With moments that place is that of the sum, and the rest is at most 20 e^-44 of it; without, the
    count is longer, as the backward ratios of the derivatives need steps to settle.
    """
    p = np.arange(int(3 * step) + 80)
    ratio = step * (d + p) / ((d / 2 + p) * (p + 1))
    if falling:
        ratio = ratio * np.minimum(1.0, (1 + 2 * p) / (d + 1 + 2 * p))
    logs = np.cumsum(np.log(np.maximum(ratio, 1e-300)))
    if falling:
        done = (logs < np.maximum.accumulate(np.maximum(logs, 0.0)) - 44) & (ratio < 0.95)
    else:
        done = (logs < -42) & (ratio < 0.5)
    return int(np.argmax(done)) + 2 if done.any() else len(p)


def _log_orthogonality_gap(b: Floats, v: Floats) -> Floats:
    """log(e^(2z) - F(z)): by the positive series (2z)^k/k! e_k up to z = 30, else from the fall of log F."""
    result = np.empty_like(v)
    z = v**2 / 2
    small = z <= SERIES_END
    if small.any():
        result[small] = _gap_series(2 * b[small], v[small])
    if not small.all():
        large = ~small
        fall = _fall(b[large], z[large])
        result[large] = 2 * z[large] + np.log(-np.expm1(-fall))
    return result


def _gap_series(d: Floats, v: Floats) -> Floats:
    """e_k = 1 - prod_{j<k} (d+j)/(d+2j) by e_{k+1} = e_k + p_k k/(d+2k), so nothing cancels."""
    square, residue = _square(v)
    top = float(square.max())
    count = int(top + 12 * math.sqrt(top) + 24)
    term, total, weighted = (
        np.ones_like(v),
        np.zeros_like(v),
        np.zeros_like(v),
    )  # square^(k-2) 2/k! from k = 2
    drop, rest = 1 / (d + 2), (d + 1) / (d + 2)
    for k in range(2, count):
        part = term * drop
        total += part
        weighted += k * part
        term = term * (square / (k + 1))
        drop = drop + rest * (k / (d + 2 * k))
        rest = rest * ((d + k) / (d + 2 * k))
    return safe_log(total / 2) + 4 * safe_log(v) + residue * (weighted / total - 2)


def _square(v: Floats) -> tuple[Floats, Floats]:
    """v^2 rounded, and the relative error of that rounding (Dekker's product): powers v^(2k) need it."""
    square = v * v
    big = v * 134217729.0
    high = big - (big - v)
    low = v - high
    error = ((high * high - square) + 2 * high * low) + low * low
    return square, np.divide(error, square, out=np.zeros_like(square), where=square > 1e-290)


# ---- reading of inputs, chunks ------------------------------------------------------------------------


def read_norms(name: str, v: ArrayLike) -> Floats:
    """Norms as an array of floats; anything but finite numbers >= 0 is refused.

    Examples
    --------
    >>> read_norms("conformity", [0, 2])
    array([0., 2.])
    >>> read_norms("conformity", [-1])
    Traceback (most recent call last):
        ...
    rftheory.errors.OutsideDomain: conformity: needs norms >= 0, got -1.0
    """
    norms = np.asarray(v, dtype=np.float64)
    if not np.isfinite(norms).all():
        raise InvalidInput(name, needs="finite norms", got="NaN or infinity")
    if (norms < 0).any():
        raise OutsideDomain(name, needs="norms >= 0", got=float(norms.min()))
    return norms


def read_counts(name: str, m: ArrayLike, low: int = 1, what: str = "m") -> Floats:
    """Counts as an array of floats; anything but integers from ``low`` on is refused.

    Examples
    --------
    >>> read_counts("variance", [1, 64])
    array([ 1., 64.])
    >>> read_counts("variance", 1, low=2, what="d")
    Traceback (most recent call last):
        ...
    rftheory.errors.OutsideDomain: variance: needs d >= 2, got 1
    """
    counts = np.asarray(m, dtype=np.float64)
    if not (np.isfinite(counts).all() and (counts == np.floor(counts)).all()):
        raise InvalidInput(name, needs=f"integers {what}", got=m)
    if (counts < low).any():
        raise OutsideDomain(name, needs=f"{what} >= {low}", got=int(counts.min()))
    return counts


def _broadcast(name: str, d: ArrayLike, v: ArrayLike) -> tuple[Floats, Floats]:
    dims, norms = read_counts(name, d, 2, "d"), read_norms(name, v)
    try:
        dims, norms = np.broadcast_arrays(dims, norms)
    except ValueError:
        raise InvalidInput(name, needs="shapes that broadcast", got=(dims.shape, norms.shape)) from None
    return dims, norms


def _with_cosines(name: str, d: ArrayLike, v: ArrayLike, c: ArrayLike) -> tuple[Floats, Floats, Floats]:
    dims, norms = _broadcast(name, d, v)
    cosines = np.asarray(c, dtype=np.float64)
    if not (np.abs(cosines) <= 1).all():
        raise OutsideDomain(name, needs="-1 <= c <= 1", got=c)
    a, b, e = np.broadcast_arrays(dims, norms, cosines)
    return a, b, e


def _chunked(function: Callable[..., Any], key: Floats, *arrays: Floats, size: int) -> Floats:
    """Apply to chunks of points with neighbouring values of ``key``, so that all need about the same work."""
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    flat = [np.broadcast_to(a, shape).reshape(-1) for a in arrays]
    order = np.argsort(np.broadcast_to(key, shape).reshape(-1), kind="stable")
    result = np.empty(order.size)
    for start in range(0, order.size, size):
        part = order[start : start + size]
        result[part] = function(*(a[part] for a in flat))
    return np.asarray(result.reshape(shape)[()])


def _by_reach(d: Floats, v: Floats, c: Floats, gap: bool = False) -> Floats:
    """:func:`_log_angle` on chunks of points with cosines of one sign and about the same number of terms."""
    d, v, c = np.broadcast_arrays(d, v, c)
    z = v**2 / 2
    reach, result = np.abs(c) * z, np.empty(z.shape)
    for sign in (c < 0, c >= 0):
        parts = (reach[sign], d[sign], z[sign], c[sign])
        result[sign] = _chunked(partial(_log_angle, gap=gap), *parts, size=REACH_CHUNK)
    return np.asarray(result[()])
