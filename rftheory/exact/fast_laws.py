"""Laws of declared mechanisms in float64: mean squared errors of a map and a coupling over a grid of norms.

They are for maps that depend on a pair of inputs only through u = |x + y|^2 or t = |x - y|^2, and rows with independent
or shared norms. With S = E f^2/K^2 - 1 for one row and C_r = E f_i f_j/K^2 - 1 for two rows with relation r, which n_r
pairs have,

    MSE/K^2 = (S + sum_r q_r C_r)/m,      q_r = 2 n_r/m.

For independent norms at the cosine c (see :mod:`rftheory.exact.fast`), with F = 1F1(d; d/2; .),

    e^u E f_i f_j/K^2 = E F(u (1 + c s)/2) = sum_k p_k J_k u^k/k!,

p_k = prod_{j<k} (d+j)/(d+2j), J_k = E(1 + c s)^k, for positive maps; for even ones the average over c and -c, for
waves at -t instead of u. Small arguments use this series, in which the sums over the relations are taken
coefficient by coefficient, all in the longest float type of the machine. Generalised exponential features differ
in S, and in C_r if norms are shared.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from rftheory.errors import NotKnown, OutsideDomain
from rftheory.exact.fast import log_angle_conformity, mean_gap, read_norms, safe_log, wave_gap
from rftheory.spec import Coupling, Relation, find_coupling, find_map

Floats = NDArray[Any]
Long = np.longdouble
TERMS = 96
SERIES_TO = {"v": 8.0, "z": 1.0}
"""The largest squared norm for which the power series is used."""
LARGEST_WAVE = 60.0
"""The largest |x - y| for rows at an angle: the length of the averages over it grows like its square."""


class _Kind(NamedTuple):
    """What a map is for this purpose: even in the row, a wave, with a random phase, with the shape A."""

    even: bool
    wave: bool
    phase: bool = False
    shape: float = 0.0


def log_relative_mse(
    feature: str, coupling: str, d: int, m: int, length: ArrayLike, *, A: float | None = None, s: int = 1
) -> Floats:
    """Logarithm of MSE/K^2 of the estimate of a kernel.

    Parameters
    ----------
    feature : positive, hyperbolic, trigonometric, cosine, gerf (with real ``A`` and ``s``) or oprf.
    coupling : a declared coupling whose rows have independent or shared norms.
    d, m : dimension and number of rows.
    length : |x + y| for positive, hyperbolic, oprf and gerf with s = 1; |x - y| for trigonometric, cosine and gerf
        with s = -1.

    Returns
    -------
    The logarithms, good to about 1e-12; -inf where the estimate is exact.

    Raises
    ------
    NotKnown : there is no such route; the message says why.

    Examples
    --------
    >>> log_relative_mse("positive", "mirrored", 64, 128, [0.1, 1.0, 10.0]).round(9).tolist()
    [-17.147067947, -6.671967407, 95.147969736]
    """
    size = read_norms("log_relative_mse", length).astype(Long)
    return _log_law(feature, coupling, d, m, size, np.zeros_like(size), A, s)


def log_mse(
    feature: str,
    coupling: str,
    d: int,
    m: int,
    v: ArrayLike,
    z: ArrayLike,
    *,
    A: float | None = None,
    s: int = 1,
) -> Floats:
    """Logarithm of the MSE for the Gaussian kernel exp(-z^2/2), which is also the mean; v = |x + y|, z = |x - y|.

    Examples
    --------
    >>> float(np.exp(log_mse("positive", "orthogonal", 4, 8, 1.0, 0.0))).__round__(6)
    0.190436
    """
    wave = find_map(feature).norm == "z" or s == -1
    sums, differences = (read_norms("log_mse", norm).astype(Long) for norm in (v, z))
    return _log_law(feature, coupling, d, m, differences if wave else sums, differences, A, s)


def _log_law(
    feature: str, coupling: str, d: int, m: int, length: Floats, less: Floats, A: float | None, s: int
) -> Floats:
    """log(MSE/K^2) - less^2, without forming two large squares that cancel."""
    rows = _counted(coupling, d, m)
    length, less = np.broadcast_arrays(length, less)
    sizes, drops = length.reshape(-1), less.reshape(-1)
    if find_map(feature).name == "oprf":
        kinds = enumerate(_optimal(d, sizes))
        parts = [_one_shape(kind, d, rows, sizes[i : i + 1], drops[i : i + 1]) for i, kind in kinds]
        values = np.concatenate(parts) if parts else sizes
    else:
        values = _one_shape(_kind(feature, A, s), d, rows, sizes, drops)
    return np.asarray((values - np.log(Long(m))).astype(np.float64).reshape(length.shape))


def _kind(feature: str, A: float | None, s: int) -> _Kind:
    phi = find_map(feature)
    known = {
        "positive": _Kind(False, False), "hyperbolic": _Kind(True, False),
        "trigonometric": _Kind(True, True), "cosine": _Kind(True, True, phase=True),
    }  # fmt: skip
    if phi.name in known:
        return known[phi.name]
    if phi.name != "gerf" or A is None or s not in (1, -1):
        raise NotKnown("float64 law", phi.name, "it is available only for positive, hyperbolic, trigonometric, "
                       "cosine, gerf with real A and s = 1 or -1, and oprf")  # fmt: skip
    if not 1 - 8 * A > 0:
        raise OutsideDomain("variance of gerf", needs="1 - 8A > 0, else it is infinite", got=A)
    return _Kind(s == -1, s == -1, shape=float(A))


def _optimal(d: int, v: Floats) -> list[_Kind]:
    """The best shape at every norm, A = -(root + 2u - d)/(16 d) without cancellation."""
    u = v * v
    root = np.sqrt((2 * u + d) ** 2 + 8 * d * u)
    shapes = -(2 * u + (4 * u * u + 12 * d * u) / (root + d)) / (16 * d)
    return [_Kind(False, False, shape=shape) for shape in shapes]


# ---- rows ----------------------------------------------------------------------------------------------


def _counted(name: str, d: int, m: int) -> Mapping[Relation, Floats]:
    """q_r, by relation."""
    coupling = find_coupling(name)
    _refuse(coupling, d)
    return {relation: np.asarray(Long(2 * n) / Long(m)) for relation, n in coupling.pairs(d, m).items()}


def _refuse(coupling: Coupling, d: int) -> None:
    norms = {coupling.norms} | {row.reflected and "antimonotone" for row in coupling.block(d)}
    why = coupling.pairs_unknown
    if not why and "fixed" in norms:
        why = "its rows have fixed norms"
    if not why and "antimonotone" in norms:
        why = "norms at opposite quantiles are integrated only in ball arithmetic"
    if why:
        raise NotKnown("float64 law", coupling.name, why)


def _cosine(relation: Relation) -> Any:
    return Long(str(sympy.N(sympy.sympify(relation.cosine), 25)))


# ---- S and C_r -----------------------------------------------------------------------------------------


def _one_shape(kind: _Kind, d: int, rows: Mapping[Relation, Floats], size: Floats, less: Floats) -> Floats:
    """log(S + sum q_r C_r) - less^2."""
    square = size * size
    small = square <= SERIES_TO["z" if kind.wave else "v"]
    result = np.empty_like(square)
    near = safe_log(_near(kind, d, rows, square[small]))
    result[small] = _lifted(kind, d)[0] + near - less[small] ** 2
    far = _far_wave if kind.wave else _far
    result[~small] = _top(kind, d, size[~small], less[~small]) + safe_log(far(kind, d, rows, square[~small]))
    return result


def _top(kind: _Kind, d: int, size: Floats, less: Floats) -> Floats:
    """Logarithm of what the laws beyond the series are relative to, e^(g + u/(1-8A)) or e^(g + t), less less^2."""
    growth, drift = _lifted(kind, d)
    rate = 0 if kind.wave else 2 * drift  # that of u, less 1
    if rate > -0.5:
        return np.asarray(growth + rate * size**2 + (size - less) * (size + less))
    return np.asarray(growth + size**2 / (1 - 8 * Long(kind.shape)) - less**2)


def _near(kind: _Kind, d: int, rows: Mapping[Relation, Floats], square: Floats) -> Floats:
    """By the power series, with what the shape and the phase add; relative to e^g, as g grows like d."""
    signed = -square if kind.wave else square
    coefficients = np.array([_single(kind.even, k) for k in range(TERMS)], dtype=Long)
    extra = _shape_excess(kind, d, square)
    for relation, q in rows.items():
        cosine = _cosine(relation)
        if relation.norms == "shared":
            coefficients = coefficients + q * _shared_coefficients(cosine, kind.even)
            extra = extra + q * _shared_excess(kind, d, cosine, square)
        else:
            coefficients = coefficients + q * _pair_coefficients(d, cosine, kind.even)
    total, term = np.zeros_like(square), np.ones_like(square)
    for k in range(1, TERMS):
        term = term * (signed / k)
        total = total + coefficients[k] * term
    return np.asarray(total * np.exp(-signed - _lifted(kind, d)[0]) + extra)


def _single(even: bool, k: int) -> Any:
    """Coefficient of u^k/k! in e^u S: 2^k - 1, or that of (e^2u + 1)/2 - e^u."""
    return Long(0) if k == 0 else (Long(2) ** (k - 1) if even else Long(2) ** k) - 1


def _shared_coefficients(cosine: Any, even: bool) -> Floats:
    """Of e^u (e^cu - 1), or of its mean over c and -c."""
    powers = np.arange(TERMS)
    up, down = (1 + cosine) ** powers, (1 - cosine) ** powers
    return np.asarray((up + down) / 2 - 1 if even else up - 1)


@lru_cache(maxsize=256)
def _pair_coefficients(d: int, cosine: Any, even: bool) -> Floats:
    """p_k J_k - 1, k < TERMS."""
    first = 1 - mean_gap(np.array([d], dtype=Long))[0] if d > 1 else 1 / (2 * np.arctan(Long(1)))
    moments = [Long(1), first]  # E s^i
    for i in range(TERMS):
        moments.append(moments[i] * (d + i) / Long(d + i + 1))
    found = np.zeros(TERMS, dtype=Long)
    signs = (1, -1) if even else (1,)
    for sign in signs:
        table, product = np.array(moments[:TERMS], dtype=Long), Long(1)
        for k in range(TERMS):
            found[k] += (product * table[0] - 1) / len(signs)
            table = table[:-1] + sign * cosine * table[1:]
            product = product * (d + k) / Long(d + 2 * k)
    if even:
        found[1] = 0  # exactly: at small arguments nothing else is left
    return found


def _lifted(kind: _Kind, d: int) -> tuple[Any, Any]:
    """Logarithm of the growth ((1-4A)^2/(1-8A))^(d/2), and the drift (1-4A)/(1-8A) - 1."""
    A = Long(kind.shape)
    return d / Long(2) * np.log1p(16 * A * A / (1 - 8 * A)), 4 * A / (1 - 8 * A)


def _shape_excess(kind: _Kind, d: int, square: Floats) -> Floats:
    """S less that of A = 0 without a phase, over e^g, at small arguments."""
    growth, drift = _lifted(kind, d)
    if kind.wave:
        return np.asarray(np.exp(square) * _wave_excess(kind, d, square))
    return _scaled_expm1(growth + 2 * drift * square, square - growth)


def _wave_excess(kind: _Kind, d: int, square: Floats) -> Floats:
    """The same of waves, over e^(t + g), at any argument."""
    growth, drift = _lifted(kind, d)
    decay = np.exp(-2 * (1 + drift) * square)
    waves = -np.expm1(-growth) * (1 + decay) + _scaled_expm1(-2 * drift * square, -2 * square - growth)
    return np.asarray((waves + (1 if kind.phase else 0)) / 2)


def _scaled_expm1(x: Floats, scale: Floats) -> Floats:
    """e^scale (e^x - 1), whose factors may overflow or underflow where the product does not."""
    return np.asarray(-np.sign(x) * np.exp(scale + np.maximum(x, 0)) * np.expm1(-np.abs(x)))


def _shared_excess(kind: _Kind, d: int, cosine: Any, square: Floats) -> Floats:
    """C of two rows at this angle with one norm, less that of A = 0, over e^g."""
    growth, drift = _lifted(kind, d)
    total, signs, way = np.zeros_like(square), (1, -1) if kind.even else (1,), -1 if kind.wave else 1
    for sign in signs:
        lift = growth + way * (1 + sign * cosine) * drift * square
        total = total + _scaled_expm1(lift, way * sign * cosine * square - growth) / len(signs)
    return total


def _shared(kind: _Kind, d: int, cosine: Any, square: Floats, top: Floats) -> Floats:
    """C of two rows at this angle with one norm, over e^top, at large arguments.

    It is e^(f + h) - 1, or for even maps e^f cosh h - 1, with f = g +- drift u and h = c (1 + drift) u.
    """
    growth, drift = _lifted(kind, d)
    level = growth + (-drift if kind.wave else drift) * square
    tilt = cosine * (1 + drift) * square
    if not kind.even:
        return _scaled_expm1(level + tilt, -top)
    size = np.abs(tilt)
    return np.asarray(_scaled_expm1(level, -top) + np.exp(level + size - top) * np.expm1(-size) ** 2 / 2)


def _far(kind: _Kind, d: int, rows: Mapping[Relation, Floats], u: Floats) -> Floats:
    """Beyond the series: relative to the second moment e^g of one row, or half of it for even maps."""
    if not u.size:
        return u
    top = _lifted(kind, d)[0] + u / (1 - 8 * Long(kind.shape))
    inside = -np.expm1(-top) if not kind.even else (1 + np.exp(-2 * u)) / 2 - np.exp(-u)
    for relation, q in rows.items():
        cosine = _cosine(relation)
        if relation.norms == "shared":
            inside = inside + q * _shared(kind, d, cosine, u, top)
            continue
        signs = (1, -1) if kind.even else (1,)
        logs = [_log_conformity(d, np.sqrt(u), sign * cosine) for sign in signs]
        mean = sum(np.exp(log - u - top) for log in logs) / len(logs)
        inside = inside + q * (mean - np.exp(-top))
    return np.asarray(inside)


def _log_conformity(d: int, v: Floats, cosine: Any) -> Floats:
    if d == 1:  # two independent half-normal norms along one line
        raise NotKnown(
            "float64 law", "coupled rows in one dimension", "there is no route beyond |x + y|^2 = 8"
        )
    return log_angle_conformity(d, v.astype(np.float64), float(cosine)).astype(Long)


def _far_wave(kind: _Kind, d: int, rows: Mapping[Relation, Floats], t: Floats) -> Floats:
    """Beyond the series: the mean products themselves, which are S and C_r over e^t, relative to e^g."""
    if not t.size:
        return t
    growth = _lifted(kind, d)[0]
    level = np.exp(-growth)
    own = level * np.expm1(-t) ** 2 / 2 + _wave_excess(kind, d, t)
    for relation, q in rows.items():
        cosine = _cosine(relation)
        if relation.norms == "shared":
            own = own + q * _shared(kind, d, cosine, t, t + growth)
        elif cosine == 0:
            own = own - q * level * wave_gap(np.full_like(t, d), t)
        else:
            own = own + q * level * (_wave_product(d, cosine, t) - np.exp(-t))
    return np.asarray(own)


def _wave_product(d: int, cosine: Any, t: Floats) -> Floats:
    """E F(-t (1 + c s)/2), s and -s alike: even in s = (1 - x^2)^(1/2), whose x has the density (1 - x^2)^(d/2 - 1)."""
    if not t.max() <= LARGEST_WAVE**2:
        raise NotKnown(
            "float64 law", f"waves at the cosine {float(cosine):.3g}", f"it needs |x - y| <= {LARGEST_WAVE}"
        )
    nodes, weights = _gegenbauer(
        d, 24 + int(2 * abs(float(cosine)) * np.sqrt(float(t.max())) + float(t.max()) / 4)
    )
    sines = np.sqrt(1 - nodes**2)
    total = np.zeros_like(t)
    for sine, weight in zip(sines, weights, strict=True):
        for sign in (1, -1):
            total = total + weight / 2 * _falling_kummer(d, t / 2 * (1 + sign * cosine * sine))
    return total


@lru_cache(maxsize=32)
def _gegenbauer(d: int, count: int) -> tuple[Floats, Floats]:
    """Gauss's nodes and weights for the density (1 - x^2)^(d/2 - 1), by Golub and Welsch."""
    n, a = np.arange(2, count), d / 2 - 1
    later = n * (n + 2 * a) / ((2 * n + 2 * a + 1) * (2 * n + 2 * a - 1))
    beta = np.concatenate([[1 / (2 * a + 3)], later])  # the first would be 0/0 at d = 1
    values, vectors = np.linalg.eigh(np.diag(np.sqrt(beta), 1) + np.diag(np.sqrt(beta), -1))
    weights = vectors[0].astype(Long) ** 2
    return values.astype(Long), weights / weights.sum()


def _falling_kummer(d: int, y: Floats) -> Floats:
    """F(-y) = e^-y sum_k (-d/2)_k/(d/2)_k y^k/k!, whose terms have absolute sum at most 1."""
    b = Long(d) / 2
    term = np.exp(-y)
    total, top = term.copy(), float(y.max())
    for k in range(1, int(top + 12 * np.sqrt(top) + 40)):
        term = term * (y / k * ((k - 1 - b) / (b + k - 1)))
        total += term
    return total
