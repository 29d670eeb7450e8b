"""Lower bounds of tails of mean waves: below what is drawn and what Chernoff allows, above wrong exponents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import acb, arb, ctx

from rftheory.exact import find_formula
from rftheory.exact.enclosure import certified_integral
from rftheory.exact.tilted_tails import _coefficients, tail_at_least, tilted


@pytest.mark.parametrize(("z", "t"), [("1/8", "3/4"), ("1", "-2"), ("3", "40")])
def test_what_a_tilt_does_agrees_with_integrals(z: str, t: str) -> None:
    apart, tilt = (arb(text.split("/")[0]) / int((text + "/1").split("/")[1]) for text in (z, t))
    found = tilted(_coefficients(apart), tilt)

    def mean(power: int) -> arb:
        def integrand(g: acb, _: bool) -> acb:
            c = (apart * g).cos()
            return c**power * (tilt * c - g * g / 2).exp()

        whole = certified_integral(integrand, -12, 12) / (2 * arb.pi()).sqrt()
        return whole + arb(0, (abs(tilt) - 60).exp().upper())  # beyond, |g| has a probability below exp(-72)

    value, first, second = map(mean, range(3))
    assert found.log.overlaps(value.log())
    assert found.mean.overlaps(first / value)
    assert found.variance.overlaps(second / value - (first / value) ** 2)


@pytest.mark.parametrize(
    ("m", "z", "eps", "phases"), [(64, 2, 0.1, False), (16, 1, 0.2, False), (64, 2, 0.2, True)]
)
def test_it_is_below_what_is_drawn(m: int, z: int, eps: float, phases: bool) -> None:
    rng = np.random.default_rng(5)
    waves = np.cos(z * rng.normal(size=(100_000, m)))
    if phases:
        waves += np.cos(rng.uniform(0, 2 * math.pi, size=waves.shape))
    errors = waves.mean(1) - math.exp(-z * z / 2)
    for side in (1, -1):
        least = tail_at_least(m, arb(z), arb(eps), side, phases)
        assert 0 < float(least) < (side * errors >= eps).mean()


@pytest.mark.parametrize(("m", "eps"), [(10**4, "0.05"), (10**6, "0.01"), (10**12, "0.00001")])
def test_it_has_the_exponent_of_cramer(m: int, eps: str) -> None:
    names = {1: "cosine_upper_exponent", -1: "cosine_lower_exponent"}
    for side, name in names.items():
        exponent = find_formula(name).enclose(20, z=2, eps=eps).ball.real
        with ctx.workprec(200):
            least = tail_at_least(m, arb(2), arb(eps), side)
            assert least < (-m * exponent).exp()
            assert least.log() > -m * exponent - 2.5 * (2 * m * exponent).sqrt() - 2


def test_errors_that_are_out_of_reach_have_no_bound() -> None:
    assert tail_at_least(100, arb(2), arb(1), 1) == 0  # k + 1 > 1
    assert tail_at_least(100, arb(2), arb("0.0001"), 1) >= 0
