"""Exact standard errors of measured mean squared errors, for independent rows.

Squared errors of positive features have heavy tails: a few draws carry their mean, so a sample without them is both
too low and too narrow, and a standard error estimated from it is worthless. These come from the law instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Floats = np.ndarray
BLOCK = 512
"""Number of pairs of inputs that are compared with all others at a time."""


class Spread(NamedTuple):
    """Variance over draws of the mean squared error of pairs of inputs: 2 ``common``/m^2 + ``single``/m^3.

    common : mean over pairs of pairs of the squared covariance of two estimates of one row.
    single : mean over pairs of pairs of the fourth cumulant of two estimates of one row.
    """

    common: float
    single: float

    def standard_error(self, m: int, draws: int) -> float:
        """The standard error of the mean over ``draws`` draws of m rows.

        Examples
        --------
        >>> Spread(common=2.0, single=0.0).standard_error(m=2, draws=100)
        0.1
        """
        return float(np.sqrt((2 * self.common / m**2 + self.single / m**3) / draws))


def spread(kernel: Floats, vectors: Floats, feature: str) -> Spread:
    """Return the spread of the mean squared error over pairs of inputs, from independent Gaussian rows.

    Parameters
    ----------
    kernel : (p,), the kernel at the pairs.
    vectors : (p, d): x + y for ``positive`` and ``hyperbolic``, x - y for ``trigonometric``, A x + y/A for a
        complex exponential with the real diagonal A (``positive`` too: one exponential a row).
    feature : ``positive``, ``hyperbolic`` or ``trigonometric``.

    Examples
    --------
    >>> one = spread(np.ones(1), np.array([[0.3, 0.4]]), "positive")
    >>> bool(np.isclose(one.common, np.expm1(0.25) ** 2))
    True
    """
    q = (vectors**2).sum(axis=1) * (-1 if feature == "trigonometric" else 1)
    common = single = 0.0
    for start in range(0, len(kernel), BLOCK):
        rows = slice(start, start + BLOCK)
        inner = np.exp(vectors[rows] @ vectors.T)
        weight = np.multiply.outer(kernel[rows] ** 2, kernel**2)
        product, three, other, four = _moments(inner, np.exp(q[rows, None]), np.exp(q), feature)
        one, two = (second - 1 for second in _seconds(q[rows, None], q, feature))
        squared = (product - 1) ** 2
        # E (X - 1)^2 (Y - 1)^2 with E X = E Y = 1
        fourth = four - 2 * (three + other) + (one + 1) + (two + 1) + 4 * product - 3
        common += float((weight * squared).sum())
        single += float((weight * (fourth - one * two - 2 * squared)).sum())
    return Spread(common / len(kernel) ** 2, single / len(kernel) ** 2)


def _seconds(p: Floats, q: Floats, feature: str) -> tuple[Floats, Floats]:
    """E X^2 and E Y^2 of one row, relative to the kernel."""
    return (np.exp(p), np.exp(q)) if feature == "positive" else (np.cosh(p), np.cosh(q))


def _moments(c: Floats, p: Floats, q: Floats, feature: str) -> tuple[Floats, Floats, Floats, Floats]:
    """E XY, E X^2 Y, E X Y^2 and E X^2 Y^2, from e^(u.w), e^(+-|u|^2), e^(+-|w|^2); waves see cosh(u.w) as well."""
    if feature == "positive":
        return c, p * c**2, q * c**2, p * q * c**4
    two = c**2
    once, twice = (c + 1 / c) / 2, (two + 1 / two) / 2  # cosh(u.w), cosh(2 u.w)
    fourth = (1 + p**2 + q**2 + (p * q) ** 2 * (2 * twice**2 - 1)) / (4 * p * q)
    return once, (1 / p + p * twice) / 2, (1 / q + q * twice) / 2, fourth


def central_moments(square: float, m: int, feature: str) -> Floats:
    """Central moments of orders 0 to 4 of the mean of m independent rows, relative to the kernel.

    Parameters
    ----------
    square : |x + y|^2 for ``hyperbolic``, |x - y|^2 for ``trigonometric`` features.

    Examples
    --------
    >>> central_moments(1.0, 10, "hyperbolic").round(6).tolist()
    [1.0, 0.0, 0.054308, 0.026681, 0.044012]
    """
    q = square if feature == "hyperbolic" else -square
    waves = np.exp(q * np.arange(5) ** 2 / 2)  # E cosh(j u.w), of waves E cos
    raw = np.exp(-q * np.arange(5) / 2) * [1, waves[1], (1 + waves[2]) / 2, (3 * waves[1] + waves[3]) / 4,
                                           (3 + 4 * waves[2] + waves[4]) / 8]  # fmt: skip
    one = np.array([1, 0, raw[2] - 1, raw[3] - 3 * raw[2] + 2, raw[4] - 4 * raw[3] + 6 * raw[2] - 3])
    return np.array([1, 0, one[2] / m, one[3] / m**2, (one[4] + 3 * (m - 1) * one[2] ** 2) / m**3])


def mixed_moment(order: int, weight: float, moments: Floats, first: Floats, second: Floats) -> float:
    """Return a central moment of L A + (1 - L) B for independent L, A and B, A and B of mean 1.

    Parameters
    ----------
    order : at most 4.
    weight, moments : mean of L and its central moments of orders 0 to 4.
    first, second : central moments of A and B.

    Examples
    --------
    >>> sure, spread_out = np.array([1.0, 0, 0, 0, 0]), np.array([1.0, 0, 4.0, 0, 48.0])
    >>> mixed_moment(2, 0.5, sure, spread_out, sure)
    1.0
    """
    total = 0.0
    share = np.polynomial.Polynomial([weight, 1.0])
    for k in range(order + 1):
        power = (share**k * (1 - share) ** (order - k)).coef
        total += float(_BINOMIALS[order][k] * (power @ moments[: len(power)]) * first[k] * second[order - k])
    return total


_BINOMIALS = {2: (1, 2, 1), 4: (1, 4, 6, 4, 1)}
