"""RF-conformities and densities of pairs, against mpmath and by every route."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from rftheory.errors import InvalidInput, NotCertified, OutsideDomain
from rftheory.exact import conformity
from rftheory.exact.coupled_blocks import block_conformity_bound_ball
from rftheory.exact.formula import Formula, Route

ALL = [
    (conformity.zonal_mean, [{"d": 1, "v": 1, "w": 2}, {"d": 64, "v": "0.3", "w": 11}, {"d": 3, "v": "1e-8", "w": 0}]),
    (conformity.orf_pair_density, [{"d": 2, "w": 1}, {"d": 8, "w": "1e-300"}, {"d": 16, "w": 5}]),
    (conformity.iid_pair_density, [{"d": 64, "w": "1e-300"}]),
    (conformity.iid_conformity, [{"d": 1, "v": "0.1"}, {"d": 64, "v": 3}, {"d": 3, "v": 0}]),
    (conformity.orf_conformity, [{"d": 2, "v": "1e-8"}, {"d": 63, "v": 2}, {"d": 4096, "v": 100}, {"d": 3, "v": 0}]),
    (
        conformity.angle_conformity,
        [{"d": 2, "v": 1, "c": -1}, {"d": 3, "v": 2, "c": 1}, {"d": 64, "v": 5, "c": "0.3"}, {"d": 5, "v": 0, "c": 0}],
    ),
    (conformity.simrf_conformity, [{"d": 2, "v": 1}, {"d": 63, "v": "1e-8"}, {"d": 64, "v": 5}, {"d": 3, "v": 0}]),
]  # fmt: skip
CASES = [(formula, values) for formula, points in ALL for values in points]


@pytest.mark.parametrize(("formula", "values"), CASES, ids=[f"{f.name}-{v}" for f, v in CASES])
def test_routes_agree(formula: Formula, values: dict[str, object]) -> None:
    assert len(formula.agree(25, **values)) >= 2


@pytest.mark.parametrize("formula", [f for f, _ in ALL], ids=[f.name for f, _ in ALL])
def test_a_wrong_route_is_seen(formula: Formula) -> None:
    right = formula.all_routes["definition"]
    wrong = Route("wrong", lambda **values: formula.ball(**BALLS[formula.name]) * (1 + arb(10) ** -15))
    planted = replace(formula, routes=(*formula.routes, wrong), practical=right.practical)
    with pytest.raises(InvalidInput, match="wrong"):
        planted.agree(25, **BALLS[formula.name])


BALLS = {formula.name: points[0] for formula, points in ALL}


def literal_double_sum(d: int, v: int, digits: int, bits: int = 6000) -> mpmath.mpf:
    """Eq. (24) summed as it stands, the inner sums in fixed point with ``bits`` bits after the point."""
    mp = mpmath
    inner_factors: list[int] = []  # (-1/(d-1))^p Gamma((d+p)/2)/Gamma((d+p+1)/2) 2^bits
    total, outer, k = mp.mpf(0), mp.mpf(1), 0
    while True:
        if k < 2:
            ratio = mp.gamma(mp.mpf(d + k) / 2) / mp.gamma(mp.mpf(d + k + 1) / 2) / (1 - d) ** k
            inner_factors.append(int(mp.ldexp(ratio, bits)))
        else:
            inner_factors.append(inner_factors[-2] * (d + k - 2) // ((d + k - 1) * (d - 1) ** 2))
        inner, ways = 0, 1
        for p, factor in enumerate(inner_factors):
            inner += ways * factor
            ways = ways * (k - p) // (p + 1)
        term = outer * mp.ldexp(mp.mpf(inner), -bits)
        total += term
        if k > 200 and term < total * mp.mpf(10) ** (-digits - 60):
            scale = mp.sqrt(mp.pi) * mp.gamma(d) / mp.gamma(mp.mpf(d) / 2) ** 2
            return total * scale / mp.mpf(2) ** (d - 1)
        outer *= mp.mpf(d + k) / (mp.mpf(d) / 2 + k) * v * v / 2 / (k + 1)
        k += 1


def test_a_thousand_digits_of_the_simplex_conformity() -> None:
    digits = 1000
    with mpmath.workdps(digits + 800):
        value = literal_double_sum(64, 10, digits)
        power = int(mpmath.floor(mpmath.log10(value)))
        expected = str(int(mpmath.nint(value * mpmath.mpf(10) ** (digits - 1 - power))))
    text = conformity.simrf_conformity.enclose(digits, d=64, v=10).text()
    assert 0 <= power < digits - 1
    assert text == f"{expected[: power + 1]}.{expected[power + 1 :]}"


@pytest.mark.parametrize(("d", "v"), [(2, "1e-8"), (3, "0.7"), (63, 12), (4096, 3)])
def test_orthogonal_conformity_against_mpmath(d: int, v: object) -> None:
    with mpmath.workdps(60):
        expected = mpmath.hyp1f1(d, mpmath.mpf(d) / 2, mpmath.mpf(v) ** 2 / 2)
        found = mpmath.mpf(conformity.orf_conformity.enclose(40, d=d, v=v).text())
        assert abs(found / expected - 1) < mpmath.mpf(10) ** -38


def test_densities_have_mass_one_and_match_mpmath() -> None:
    def iid(d: int, w: str) -> mpmath.mpf:
        return mpmath.mpf(conformity.iid_pair_density.enclose(20, d=d, w=w).text())

    with mpmath.workdps(30):
        for d, w in ((1, "0"), (3, "1.5"), (64, "11")):
            chi = mpmath.mpf(w) / mpmath.sqrt(2)
            half = mpmath.mpf(d) / 2
            density = chi ** (d - 1) * mpmath.exp(-(chi**2) / 2) / (2 ** (half - 1) * mpmath.gamma(half))
            assert abs(iid(d, w) - density / mpmath.sqrt(2)) < mpmath.mpf(10) ** -18
    for cosine, end in (("-0.5", 8), ("0.9", 12)):  # the trapezoidal rule errs by O(h^6): density ~ w^5 at 0
        points = [w / 8 for w in range(1, 8 * end)]
        density = [float(conformity.angle_pair_density.enclose(8, d=3, w=w, c=cosine)) for w in points]
        assert abs(sum(density) / 8 - 1) < 1e-7


@pytest.mark.parametrize(
    "values", [{"d": 0, "v": 1}, {"d": 1, "v": 1}, {"d": 2, "v": -1}, {"d": "2.5", "v": 1}, {"d": 2, "v": "I"},
               {"d": 2, "v": "-1e5000"}, {"d": 2, "v": "-1e-5000"}]
)  # fmt: skip
def test_outside_the_domain(values: dict[str, object]) -> None:
    with pytest.raises(OutsideDomain, match="simrf_conformity"):
        conformity.simrf_conformity.enclose(**values)


def test_extreme_norms_answer_or_say_why_not() -> None:
    assert conformity.iid_conformity.enclose(5, d=2, v="1e4").text() == "1.5500e+43429448"
    assert conformity.simrf_conformity.enclose(5, d=3, v="1e-5000").text() == "1.0000"
    assert conformity.simrf_conformity.enclose(5, d=64, v="1e4").overlaps(
        conformity.simrf_conformity.enclose(9, d=64, v="1e4")
    )
    with ctx.workprec(
        120
    ):  # as z grows, e^z times t^(-d) 2 Gamma((d + 1)/2)/sqrt(pi) and the power z^(d/2) of F
        z = arb(10) ** 16 / 2
        ends = 2 * arb(32.5).gamma() / arb.pi().sqrt() * arb(63) ** 64 / z**32
        assert (
            abs((conformity.simrf_conformity.enclose(20, d=64, v="1e8").ball / z.exp() / ends).log()) < 1e-9
        )
    for d, v in ((64, "1e200"), (10**5, "1e6")):
        with pytest.raises(NotCertified, match="terms"):
            conformity.simrf_conformity.enclose(5, d=d, v=v)


@pytest.mark.parametrize(("d", "m"), [(2, 5), (3, 5), (3, 8), (3, 14), (5, 11)])
def test_no_block_of_random_directions_is_below_the_bound(d: int, m: int) -> None:
    """The twin: with the directions repelled from each other they come within 1 % of it at v = 1/2."""
    rng = np.random.default_rng(d * m)
    rows = rng.normal(size=(m, d))
    length = arb(1) / 2
    bound = block_conformity_bound_ball(d, m, length)

    def mean() -> arb:
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        pairs = (unit @ unit.T)[np.triu_indices(m, 1)]
        return sum((conformity.angle_conformity_ball(d, length, arb(float(c))) for c in pairs), arb(0)) / len(
            pairs
        )

    assert bound < mean()
    for _ in range(300):
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        apart = rows[:, None] - rows[None]
        rows = rows + 0.05 * (apart / (np.sum(apart**2, axis=2) + 0.1)[..., None] ** 1.5).sum(axis=1)
    assert bound < mean() * (1 + arb("1e-12"))
    assert mean() < bound * arb("1.01")
