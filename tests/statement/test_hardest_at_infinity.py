"""Inequalities that are hardest at infinity: tails of normal variables, factorials, e. Their truth is known by hand."""

from __future__ import annotations

import pytest
from sympy import (
    Rational,
    Symbol,
    binomial,
    cosh,
    erf,
    erfc,
    exp,
    factorial,
    gamma,
    hyper,
    log,
    lowergamma,
    pi,
    sqrt,
    uppergamma,
)

from rftheory.author import d, v
from tests.statement.stating import assert_holds, assert_not_proved

t, u, p = (Symbol(name, positive=True) for name in "tup")
r = Symbol("r", real=True)
n, k = (Symbol(name, integer=True, positive=True) for name in "nk")
BEYOND, DENSITY = erfc(t / sqrt(2)) / 2, exp(-(t**2) / 2) / sqrt(2 * pi)
STIRLING, HALF = sqrt(2 * pi * n) * (n / exp(1)) ** n, Rational(1, 2)
COSINE = gamma(d / 2) * gamma(k + HALF) / gamma(d / 2 + k)
"""The even moments of a coordinate of a uniform direction, times sqrt(pi)."""
UPPER = uppergamma(d / 2, d * (1 + t) / 2) / gamma(d / 2)
"""The probability that a chi-squared variable is at least 1 + t times its mean."""
ODD = 2**k * gamma(k + HALF)

TRUE = [
    (DENSITY / t >= BEYOND,), (DENSITY * t / (1 + t**2) < BEYOND,), (exp(-(t**2) / 2) / 2 >= BEYOND,), (erf(t) < 1,),
    ((1 + 1 / d) ** d < exp(1),), ((1 + 1 / d) ** (d + HALF) > exp(1),), (log(1 + 1 / t) > 1 / (t + 1),),
    (-u - log(1 - 2 * u) / 2 <= u**2 / (1 - 2 * u), u < HALF),
    (u**2 / (2 - 2 * u / 3) >= exp(u) - 1 - u, u < 3),
    (p * exp(r * (1 - p)) + (1 - p) * exp(-r * p) <= exp(r**2 / 8), p <= 1),
    (factorial(n) > STIRLING,), (factorial(n) <= STIRLING * exp(1 / (12 * n)),),
    (binomial(2 * n, n) <= 4**n / sqrt(pi * n),), (binomial(2 * n, n) > 4**n / sqrt(pi * (n + HALF)),),
    (t ** (1 - u) < gamma(t + 1) / gamma(t + u), u < 1), (gamma(t + 1) / gamma(t + u) < (t + 1) ** (1 - u), u < 1),
    (gamma(t + u) / gamma(t) <= t**u, u <= 1), (gamma(t + u) / gamma(t) >= t * (t + u) ** (u - 1), u <= 1),
    (factorial(n) >= 2 ** (n - k) * factorial(k), n >= k),
    (exp(-d * (t - log(1 + t)) / 2) >= UPPER,), (exp(-d * t**2 / 8) >= UPPER, t <= 1),
    (uppergamma(d / 2, d / 2 + sqrt(d * t) + t) / gamma(d / 2) <= exp(-t),),
    (lowergamma(d / 2, d * (1 - t) / 2) / gamma(d / 2) <= exp(-d * t**2 / 4), t < 1),
    (hyper((), (u,), v**2 / 4) <= exp(v**2 / (4 * u)),), (hyper((), (u,), v**2 / 4) < cosh(v), u > HALF, v > 0),
    (hyper((t,), (u,), v**2) >= exp(t * v**2 / u), t <= u),
    (ODD / d**k >= COSINE,), (ODD / (d + k - 1) ** k <= COSINE,),
]  # fmt: skip
FALSE = [
    (DENSITY / t <= BEYOND,),
    (DENSITY * t / (1 + t**2) * Rational(1001, 1000) < BEYOND,),  # from t = 7 on
    (exp(-(t**2) / 2) * Rational(499, 1000) >= BEYOND,),  # near 0
    (erf(t) < 1 - exp(-(t**2)) / 1000,),  # from t = 565 on
    ((1 + 1 / d) ** d < Rational(2718, 1000),),  # from d = 4822 on
    (log(1 + 1 / t) > 1 / t - Rational(1, 10**6) / t,),  # up to t = 500000
    (-u - log(1 - 2 * u) / 2 <= u**2, u < HALF),
    (u**2 / (2 - 3 * u / 5) >= exp(u) - 1 - u, u < 3),  # near 0
    (p * exp(r * (1 - p)) + (1 - p) * exp(-r * p) <= exp(r**2 / 9), p <= 1),
    (factorial(n) > STIRLING * Rational(1001, 1000),),  # from n = 84 on
    (binomial(2 * n, n) > 4**n / sqrt(pi * (n + Rational(2501, 10000))),),  # up to n = 312
    (-factorial(n) >= -1,),
    (factorial(n) + 1 <= exp(700),),  # up to n = 168
    (factorial(n) ** factorial(n) <= exp(10**4),),  # up to n = 6
    (gamma(t + u) / gamma(t) <= t**u,),
    (gamma(t + u) / gamma(t) < t**u, u <= 1),  # equal at u = 1
    (gamma(t + u) / gamma(t) >= (t + Rational(1, 1000)) * (t + u) ** (u - 1), u <= 1),
    (gamma(t + 1) / gamma(t + u) < (t + u / 2) ** (1 - u), u < 1),
    (factorial(n) <= factorial(k + 1) * (k + 1) ** (n - k - 1), n > k),  # at n = k + 1 alone
    (factorial(n) >= gamma(u + 1) * 2 ** (n - u), n >= u),  # at u = n - 1/2 = 1/2
    (exp(-d * t**2 / 8) >= UPPER,),
    (uppergamma(d / 2, d / 2 + sqrt(d * t)) / gamma(d / 2) <= exp(-t),),
    (lowergamma(d / 2, d * (1 - t) / 2) / gamma(d / 2) <= exp(-d * t**2 / 2), t < 1),
    (lowergamma(d / 2, d * (1 + t) / 2) / gamma(d / 2) <= exp(-d * (t - log(1 + t)) / 2),),  # the other tail
    (hyper((), (u,), v**2 / 4) <= exp(v**2 / (8 * u)),),
    (hyper((), (u,), v**2 / 4) <= cosh(v),),
    (hyper((), (u,), v**2 / 4) < cosh(v), u >= HALF),
    (hyper((t,), (u,), v**2) >= exp(t * v**2 / u),),
    (hyper((t,), (u,), -(v**2)) <= exp(-t * v**2 / u), t <= u),  # of alternating terms
    (ODD / (d + Rational(1, 1000)) ** k >= COSINE,),
]


@pytest.mark.parametrize("stated", TRUE, ids=str)
def test_a_limit_is_an_end(stated):
    assert_holds(*stated)


@pytest.mark.parametrize("stated", FALSE, ids=str)
def test_what_fails_there_or_elsewhere_is_not_proved(stated):
    assert_not_proved(*stated)
