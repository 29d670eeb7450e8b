"""Parameters of feature maps, computed from statistics of the data.

These are recipes, not results: every parameter gives an unbiased map, and the exact side judges, with formulas
of its own, whether a parameter is the best.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.sample.arrays import Array, array_namespace, to_host
from rftheory.sample.checks import real, table, whole
from rftheory.sample.checks import vectors as checked_vectors


class Averages(NamedTuple):
    """Averages over all pairs of two sets, in O(L d) operations.

    square_x, square_y : averages of |x|^2 and |y|^2.
    square_sum, square_difference : averages of |x + y|^2 and |x - y|^2 (Chefs' tables, eq. 8).
    squared_products : average of sum_l x_l^2 y_l^2 (eq. 12).
    absolute_products : (d,), averages of |x_l y_l| (eq. 14).

    Examples
    --------
    >>> averages(np.eye(2), np.eye(2)).square_x
    1.0
    """

    square_x: float
    square_y: float
    square_sum: float
    square_difference: float
    squared_products: float
    absolute_products: np.ndarray


def averages(x: Array, y: Array) -> Averages:
    """Return the averages over all pairs of rows of x (n_x, d) and y (n_y, d).

    Examples
    --------
    >>> found = averages(np.array([[1.0, 0.0]]), np.array([[1.0, 1.0], [-1.0, 1.0]]))
    >>> found.square_sum, found.absolute_products.tolist()
    (3.0, [1.0, 0.0])
    """
    xp = array_namespace(x, y)
    a = to_host(checked_vectors("x", x, xp)).astype(float)
    b = to_host(checked_vectors("y", y, xp, dim=a.shape[1])).astype(float)
    square_x, square_y = float((a * a).sum(1).mean()), float((b * b).sum(1).mean())
    cross = 2 * float(a.mean(0) @ b.mean(0))
    return Averages(
        square_x,
        square_y,
        _mean_square(a, b, square_x + cross + square_y, 1),
        _mean_square(a, b, square_x - cross + square_y, -1),
        float((a * a).mean(0) @ (b * b).mean(0)),
        np.abs(a).mean(0) * np.abs(b).mean(0),
    )


def _mean_square(a: np.ndarray, b: np.ndarray, direct: float, sign: int) -> float:
    """Average of |x + sign y|^2: ``direct``, or about a centre if most of its terms cancel."""
    if direct > 1e-3 * float((a * a).sum(1).mean() + (b * b).sum(1).mean()):
        return direct
    centre = b.mean(0)
    x, y = a + sign * centre, b - centre
    return float((x * x).sum(1).mean() + (y * y).sum(1).mean() + 2 * sign * (x.mean(0) @ y.mean(0)))


def oprf_parameter(square_sum: float, d: int) -> float:
    """Return A = (1 - 1/rho)/8 of OPRF for q = |x + y|^2 or its average.

    rho = (sqrt((2 q + d)^2 + 8 d q) - 2 q - d) / (4 q), computed here without cancellation at small q; at
    q = 0, A = 0 gives the positive map.

    Source: Chefs' random tables, Theorem 3.3, the reading with rho in (0, 1).

    Examples
    --------
    >>> oprf_parameter(0.0, 4), round(oprf_parameter(8.0, 4), 12)
    (0.0, -0.58769526484)
    """
    q, d = _nonnegative("|x + y|^2", square_sum), whole("d", d)
    if max(q, d) > _LARGEST:
        raise OutsideDomain("OPRF", needs=f"|x + y|^2 and d of at most {_LARGEST:g}", got=max(q, d))
    rho = 2 * d / (math.sqrt((2 * q + d) ** 2 + 8 * d * q) + 2 * q + d)
    return (1 - 1 / rho) / 8


def poisson_rate(squared_products: float, d: int) -> float:
    """Return lambda = sqrt(sum_l x_l^2 y_l^2 / d) of the Poisson features.

    Source: Chefs' random tables, Section 3.2.1.

    Examples
    --------
    >>> poisson_rate(1.0, 4)
    0.5
    """
    rate = math.sqrt(_nonnegative("sum of x_l^2 y_l^2", squared_products) / whole("d", d))
    if rate == 0:
        raise OutsideDomain("Poisson rate", needs="x_l y_l != 0 for some l", got=squared_products)
    return rate


def geometric_parameter(absolute_products: np.ndarray) -> float:
    """Return the p of geometric features that minimises their second moment at averages of |x_l y_l|.

    Source: Chefs' random tables, Section 3.2.2; minimised numerically over (0.001, 0.999).

    Examples
    --------
    >>> 0.4 < geometric_parameter(np.array([0.25, 0.25])) < 0.9
    True
    """
    a = table("averages of |x_l y_l|, shape (d,),", [absolute_products])[0]
    if (a < 0).any():
        raise InvalidInput("averages of |x_l y_l|", needs="finite numbers >= 0, shape (d,)", got=a)

    from scipy import optimize  # imported here because it takes longer than all samplers

    def log_second_moment(p: float) -> float:
        argument = 2 * a / math.sqrt(1 - p)
        return float(np.sum(np.log(special.i0e(argument)) + argument)) - a.size * math.log(p)

    return float(optimize.minimize_scalar(log_second_moment, bounds=(1e-3, 1 - 1e-3), method="bounded").x)


def gerf_parameters(found: Averages, d: int) -> tuple[complex, int]:
    """Return the (A, s) of generalised exponential features that minimise their second moment.

    Nelder-Mead over complex A with Re(1 - 8 A) > 0 from several starts, for both signs s.

    Source: Chefs' random tables, Theorem 3.2 with averages (the second moment of eq. 6).

    Examples
    --------
    >>> a, s = gerf_parameters(averages(np.array([[0.5, 0.5]]), np.array([[0.5, 0.5]])), 2)
    >>> bool((1 - 8 * a).real > 0), s in (1, -1)
    (True, True)
    """
    from scipy import optimize

    d = whole("d", d)
    starts = [(-0.05, 0.0), (-0.5, 0.1), (0.05, 0.05)]
    best: tuple[float, complex, int] | None = None
    for s in (1, -1):
        z = found.square_sum if s == 1 else found.square_difference
        norms = found.square_x + found.square_y
        for start in starts:
            result = optimize.minimize(_log_second_moment, start, args=(s, z, norms, d), method="Nelder-Mead")
            if best is None or result.fun < best[0]:
                best = (float(result.fun), complex(*result.x), s)
    assert best is not None
    return best[1], best[2]


def _log_second_moment(parts: np.ndarray, s: int, z: float, norms: float, d: int) -> float:
    """Logarithm of E (Re f f)^2; infinity outside the domain."""
    a = complex(*parts)
    if 1 - 8 * a.real <= 1e-9:
        return math.inf
    root = complex(1 + 16 * a * a / (1 - 8 * a))
    first = d / 2 * np.log(root) + (s + s / (1 - 8 * a)) * z
    spread = 1 - 8 * a.real
    second = d / 2 * math.log1p(16 * abs(a) ** 2 / spread)
    second += (s / 2 + (s + 2 * abs(1 - 4 * a)) / (2 * spread)) * z
    peak = max(first.real, second)
    total = (np.exp(first - peak)).real + math.exp(second - peak)
    return math.inf if total <= 0 else peak + math.log(total / 2) - (s + 1) * norms


def _nonnegative(subject: str, value: float) -> float:
    number = real(subject, value, "a finite number >= 0")
    if number < 0:
        raise InvalidInput(subject, needs="a finite number >= 0", got=number)
    return number


_LARGEST = 1e100
