"""Fast float64 versions of the exact formulas, vectorised over grids, in the log domain.

Everything here is tested against the enclosures; nothing here proves anything. With b = d/2, z = v^2/2 and
F(z) = 1F1(2b; b; z), the orthogonal conformity is F(z) and that of a pair at the fixed angle of cosine c is
E F(z (1 + c s)), s = sin(2 phi) (see ``special.mean_sine_powers``). Two algorithms carry the rest:

* log F by its positive series for z <= 30, and beyond by a Gauss-Hermite rule (for d < 32 the trapezoid rule) on a
  parabola through the saddle of F(z) = Gamma(b)/(2 pi i) int e^s s^b (s - z)^(-2b) ds, from which the leading terms
  are split off by hand;
* the average over the angle by the expansion about z (1 + min(c, 0)), in which no term is negative; where z >= d^2
  by that about z, with F(z) a finite sum in 1/z.

Mean squared errors are built on it in :mod:`rftheory.exact.fast_laws`.

Inputs broadcast: ``d`` an integer array, ``v`` a float array. The work is done in chunks that fit the cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rftheory.errors import InvalidInput, OutsideDomain

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

FAR_WAVE = 680.0
"""The x = z^2/2 from which on 1F1(d; d/2; -x) is given by :func:`_far_kummer`."""

ROOT_TWO_PI = math.sqrt(2 * math.pi)


# ---- public: conformities --------------------------------------------------------------------------


def log_angle_conformity(d: ArrayLike, v: ArrayLike, c: ArrayLike) -> Floats:
    """Logarithm of the RF-conformity of a pair at the fixed angle of cosine ``c`` (eq. 21).

    Parameters
    ----------
    d : dimension, integers >= 2.
    v : |x + y| >= 0.
    c : from -1 to 1: 0 for orthogonal projections, log 1F1(d; d/2; v^2/2) (eq. 23), and -1/(d - 1) for those of a
        simplex (eq. 24).

    Raises
    ------
    InvalidInput, OutsideDomain : NaN, infinite or negative v; d not an integer >= 2.

    Examples
    --------
    >>> log_angle_conformity(64, [0.1, 1.0, 10.0], 0).round(12).tolist()
    [0.009999242647, 0.99263864353, 75.994060312122]
    """
    dims, norms, cosines = _broadcast("log_angle_conformity", d, v, c)
    z = norms**2 / 2
    reach, result = np.abs(cosines) * z, np.empty(z.shape)
    for sign in (cosines < 0, cosines >= 0):
        parts = (reach[sign], dims[sign], z[sign], cosines[sign])
        result[sign] = _chunked(_log_angle, *parts, size=REACH_CHUNK)
    return np.asarray(result[()])


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


# ---- F and the angle average -------------------------------------------------------------------------


def _work(b: Floats, z: Floats) -> Floats:
    """A key by which points are sorted so that a chunk needs one algorithm: z in the series, whose length it tells."""
    kinds = [b >= low for low, _, _ in RULES]
    return np.where(z <= SERIES_END, z, SERIES_END + 1 + np.argmax(kinds, axis=0))


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


def _far_fall(b: Floats, z: Floats) -> Floats:
    """2 z - log F(z) for z >= 45 and z >= d^2: F(z) = Gamma(b)/Gamma(2b) z^b e^z sum_k (1 - 2b)_k (-b)_k/k! z^(-k).

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


def _saddle_and_slope(b: Floats, z: Floats) -> tuple[Floats, Floats]:
    """2 z - log F(z), how far F falls short of e^(2z), and F'/F, by the contour through the saddle."""
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


def _log_angle(d: Floats, z: Floats, c: Floats) -> Floats:
    """log E F(z (1 + c s)), c of one sign."""
    b, step = d / 2, np.abs(c) * z
    falling = bool(c[0] < 0)
    steep = _steep(d, z, step) if falling else np.zeros_like(z, dtype=bool)
    level = (step == 0) & (d * d <= z) & (z >= 45)
    rest = ~(steep | level)
    if not rest.all():
        result = np.empty_like(z)
        for part, log_mean in ((steep, _log_from_top), (level, _log_at_top), (rest, _log_angle)):
            if part.any():
                result[part] = log_mean(d[part], z[part], c[part])
        return result
    centre = z * (1 + c) if falling else z
    start, slope = np.empty_like(z), np.empty_like(z)
    order = np.argsort(_work(b, centre))
    for i in range(0, z.size, CHUNK):
        part = order[i : i + CHUNK]
        start[part], slope[part] = _log_kummer_and_slope(b[part], centre[part])
    if not step.any():
        return start
    count = _term_count(float(step.max()), float(d.min()), falling)
    ahead = _forward_ratios(b, centre, slope, count)
    total, scale = _nested_sum(b, centre, step, ahead, falling, count)
    return start + safe_log(total) + scale


def _steep(d: Floats, z: Floats, t: Floats) -> NDArray[Any]:
    """Where :func:`_log_from_top` is exact to rounding: the average over s is one over s > 0, nothing cancels."""
    far = np.maximum(t, d)
    return (far - d * (1 + np.log(far / d)) > 45) & (d * d <= z)


def _log_at_top(d: Floats, z: Floats, c: Floats) -> Floats:
    """log F(z), for z >= 45 and z >= d^2: that of E F(z + c z s) at c = 0."""
    return 2 * z - _far_fall(d / 2, z)


def _log_from_top(d: Floats, z: Floats, c: Floats) -> Floats:
    """log E F(z - t s), t = -c z, where t is large and s is small, from the expansion about z.

    With F(x) = e^x K(x), E F(z - t s)/F(z) = sum_j (-t)^j/j! K^(j)(z)/K(z) E s^j e^(-ts). The ratios r_j of the K^(j)
    at z run backwards, r_j = (b - j)/(b + j + z + z r_{j+1}), and so do, up to a factor, the
    H_i = t^(i+1)/i! int_0^1 s^i (1-s^2)^(-1/2) e^(-ts) ds = H_{i+1} + (i + 2)/t^2 ((i + 2) H_{i+2} - (i + 3) H_{i+3}).
    The factor is known from the expansion H_{d-1} = sum_k (1/2)_k/k! (d)_2k/t^2k. As |r_j| is at most max(b, j - b)/z,
    the j-th term is at most a ``size`` that falls from one to the next by about 2 (j + 1) or more.
    """
    b, t = d / 2, -c * z
    inverse, decay, size, count = 1 / (t * t), d / t, b * d / z, 1
    while float(np.maximum(decay, size).max()) > 1e-18:
        decay *= (d + count) / t
        size *= np.maximum(b, count - b) / z * (d + count) / (count + 1)
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
    return _log_at_top(d, z, c) + share


def _nested_sum(
    b: Floats,
    y: Floats,
    step: Floats,
    ahead: tuple[list[Floats], Floats],
    falling: bool,
    count: int,
) -> tuple[Floats, Floats]:
    """sum_p t_p M_p, t_p = step^p/p! F^(p)(y)/F(y), divided by e^scale.

    The sums are nested from the last term, G_p = 1 + r_p m_p G_{p+1}. The ratios R_p of the derivatives run
    backwards, R_p = (2b + p)/(y R_{p+1} + b + p - y), where that is stable, else forwards (``ahead``); the
    ratios m_p of the moments M_p = E(1-s)^p or E s^p run backwards along.
    """
    forward, turn = ahead
    first = count + (60 if falling else FAR_SINE)
    lead = 0 if count <= turn.min() else _ratio_lead(b, y, count)
    first = max(first, count + lead)
    moment = np.full_like(y, 0.9) if falling else _far_sine_ratio(2 * b + first + 1)
    total, unit, lost = np.zeros_like(y), np.ones_like(y), np.zeros_like(y)
    ratio, below, top = np.ones_like(y), b + (first + 1), 2 * b + (first + 1)
    work, least, origin = np.empty_like(y), turn.min(), not y.any()
    for p in range(first, -1, -1):
        if falling:
            _gap_ratio_before(moment, top, p, work)
        below -= 1  # b + p
        top -= 1  # 2b + p
        if not falling:
            moment = top / ((top + 1) * moment)
            if p % 32 == 0:  # errors of steps do not fade
                moment = np.where(top < FAR_SINE, moment, _far_sine_ratio(top))
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
        total *= work
        total *= moment
        total += unit
        if p % 16 == 0:
            huge = total > 2.0**400
            if huge.any():
                cut = np.where(huge, 2.0**-400, 1.0)
                total, unit = total * cut, unit * cut
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


FAR_SINE = 48


def _far_sine_ratio(n: Floats) -> Floats:
    """E s^(p+1)/E s^p at n = d + p >= ``FAR_SINE``, to 2e-17 from its expansion: steps down keep the error."""
    x, ratio = 1 / (2 * n), np.zeros_like(n)
    for c in (-110123 / 128, -5165 / 128, 593 / 16, 53 / 16, -23 / 8, -5 / 8, 1 / 2, 1 / 2, -1, 1):
        ratio = ratio * x + c
    return ratio


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


def mean_gap(d: Floats) -> Floats:
    """E(1-s), by the ratios E(1-s)^(p+1)/E(1-s)^p from p = 61 down.

    Examples
    --------
    >>> bool(abs(1 - mean_gap(np.array([2.0]))[0] - np.pi / 4) < 1e-15)
    True
    """
    ratio, work = np.full_like(d, 0.9), np.empty_like(d)
    for p in range(61, -1, -1):
        _gap_ratio_before(ratio, d + (p + 1), p, work)
    return ratio


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


def _broadcast(name: str, d: ArrayLike, v: ArrayLike, c: ArrayLike) -> tuple[Floats, ...]:
    dims, norms = read_counts(name, d, 2, "d"), read_norms(name, v)
    cosines = np.asarray(c, dtype=np.float64)
    if not (np.abs(cosines) <= 1).all():
        raise OutsideDomain(name, needs="-1 <= c <= 1", got=c)
    try:
        return np.broadcast_arrays(dims, norms, cosines)
    except ValueError:
        shapes = dims.shape, norms.shape, cosines.shape
        raise InvalidInput(name, needs="shapes that broadcast", got=shapes) from None


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
