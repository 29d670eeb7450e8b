"""The chi law as a smooth function of one normal number.

r = F^{-1}(Phi(z)), with F the distribution function of chi, turns a standard normal z into a chi
variable. For many degrees of freedom the function is so smooth that a short Chebyshev series, on the range
of a Box-Muller normal, is exact to rounding; its coefficients come from SciPy's inverse incomplete gamma
functions or, where these lose digits, from the expansion of Cornish and Fisher.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev
from scipy import special

from rftheory.sample.arrays import Array, Namespace

SMOOTH_FROM = 16
"""The fewest degrees of freedom for which the series is used: its absolute error is then below 2e-14 sqrt(dof)
(tests check this against 30-digit values); at 8 it would be 5e-14."""

_REACH = 8.6
"""Box-Muller normals of 52-bit uniforms stay within sqrt(-2 log 2^-53) = 8.572."""

_REACH32 = 6.7
"""Normals of 31-bit uniforms in the middle of their cells stay within sqrt(-2 log 2^-32) = 6.66."""

LONGEST = 40
"""No series has more coefficients."""

_MANY = 300_000
"""From so many degrees of freedom on the expansion is exact to rounding. SciPy's functions lose digits from a million
on: seven at 10^7."""

_DEGREE = 40
_NEGLIGIBLE = 1e-15
_NEGLIGIBLE32 = 1e-8
"""Relative to sqrt(dof)."""


def chi_quantile(z: np.ndarray, dof: int) -> np.ndarray:
    """Return the chi variable of a standard normal z, |z| <= 8.6.

    Source: H. Goldberg, H. Levine, *Approximate formulas for the percentage points and normalization of t and
    chi-squared*, Ann. Math. Statist. 17 (1946), for the expansion.

    Examples
    --------
    >>> chi_quantile(np.array([0.0]), 2).round(6) == np.sqrt(2 * np.log(2)).round(6)
    array([ True])
    """
    if dof >= _MANY:
        scale = np.sqrt(2 * dof)
        excess = z * scale + 2 / 3 * (z**2 - 1) + (z**3 - 7 * z) / (9 * scale)
        excess -= (6 * z**4 + 14 * z**2 - 32) / (405 * dof)
        excess += (9 * z**5 + 256 * z**3 - 433 * z) / (4860 * dof * scale)
        return np.sqrt(dof + excess)
    lower = special.gammaincinv(dof / 2, special.ndtr(np.minimum(z, 0)))
    upper = special.gammainccinv(dof / 2, special.ndtr(-np.maximum(z, 0)))
    return np.sqrt(2 * np.where(z < 0, lower, upper))


@lru_cache(maxsize=256)
def coefficients(dof: int, negligible: float = _NEGLIGIBLE, reach: float = _REACH) -> tuple[float, ...]:
    """Return the Chebyshev coefficients of the function on [-reach, reach].

    Examples
    --------
    >>> found = chebyshev.chebval(0.0, coefficients(64))
    >>> bool(abs(found - chi_quantile(np.array([0.0]), 64)[0]) < 1e-13)
    True
    """
    nodes = chebyshev.chebpts1(_DEGREE + 1)
    series = chebyshev.chebfit(nodes, chi_quantile(reach * nodes, dof), _DEGREE)
    kept = np.flatnonzero(np.abs(series) > negligible * np.sqrt(dof))[-1] + 1
    return tuple(float(c) for c in series[:kept])


@lru_cache(maxsize=256)
def polynomial(dof: int) -> tuple[float, ...]:
    """Return the coefficients of 1, z, z^2, ... of the series in float64: converted exactly, then rounded.

    Horner's rule takes half of the operations of Clenshaw's recurrence and is as exact here, as high powers have small
    coefficients.

    Examples
    --------
    >>> z = np.array([-8.0, 0.0, 8.0])
    >>> found = np.polynomial.polynomial.polyval(z, polynomial(64))
    >>> bool(np.abs(found - chi_quantile(z, 64)).max() < 1e-13)
    True
    """
    exact = np.array([Fraction(c) for c in coefficients(dof)], dtype=object)
    return tuple(float(c / Fraction(_REACH) ** n) for n, c in enumerate(chebyshev.cheb2poly(exact)))


@lru_cache(maxsize=256)
def polynomial32(dof: int) -> tuple[float, ...]:
    """Return the coefficients of 1, z, z^2, ... of the function for float32 normals, |z| <= 6.7 and dof >= 16.

    It is shorter than the one above, since the range is smaller and float32 has fewer digits. Evaluated in float32,
    the relative error is below 1e-6.

    Examples
    --------
    >>> z = np.array([-3.0, 0.0, 3.0])
    >>> found = np.polynomial.polynomial.polyval(z, polynomial32(64))
    >>> bool(np.abs(found - chi_quantile(z, 64)).max() < 1e-6)
    True
    """
    powers = chebyshev.cheb2poly(np.array(coefficients(dof, _NEGLIGIBLE32, _REACH32)))
    return tuple(float(c) for c in powers / _REACH32 ** np.arange(powers.size))


def chi_of_normal(z: Array, dof: int, xp: Namespace) -> Array:
    """Return the chi variables of standard normals in [-8.6, 8.6], dof >= 16, by Clenshaw's recurrence.

    Examples
    --------
    >>> z = np.array([-3.0, 0.0, 3.0])
    >>> bool(np.abs(chi_of_normal(z, 64, np) - chi_quantile(z, 64)).max() < 1e-13)
    True
    """
    *rest, head = coefficients(dof, _NEGLIGIBLE)
    twice = (2.0 / _REACH) * z
    now, before = xp.full_like(z, head), xp.zeros_like(z)
    for c in reversed(rest[1:]):
        now, before = twice * now - before + c, now
    return (0.5 * twice) * now - before + rest[0]
