"""Positive features: errors, gap and moments by every route, with planted errors."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from flint import arb

from rftheory.errors import InvalidInput, NotCertified, OutsideDomain, UnknownName
from rftheory.exact import positive as P
from rftheory.exact.formula import Formula, Route

NORMS = [{"v": 1, "x": 1, "y": 1}, {"v": "1e-8", "x": 2, "y": 2}, {"v": 2, "x": "0.5", "y": "1.5"}]
SIZES = [{"d": 2, "m": 5}, {"d": 64, "m": 64}, {"d": 7, "m": 3}]
BLOCKS = [{**size, **norm} for size, norm in zip(SIZES, NORMS, strict=True)]
ORDERS = [{"n": 2, "v": 1}, {"n": 3, "v": "1e-8"}, {"n": 4, "v": "0.5"}]
MOMENTS = [{**size, **order} for size, order in zip(SIZES, ORDERS, strict=True)]
ALL = [
    (P.prf_mse_iid, [{"m": 4, **norm} for norm in NORMS]),
    (P.prf_mse_orf, BLOCKS),
    (P.prf_mse_simrf, BLOCKS),
    (P.prf_gap, BLOCKS),
    (P.prf_small_v_simrf, SIZES),
    (P.prf_moment_iid, [{"m": 7, **order} for order in ORDERS]),
    (P.prf_moment_orf, MOMENTS),
    (P.prf_moment_simrf, [MOMENTS[0], {**MOMENTS[1], "n": 2}, {**MOMENTS[2], "n": 2}]),
]
CASES = [(formula, values) for formula, points in ALL for values in points]


@pytest.mark.parametrize(("formula", "values"), CASES, ids=[f"{f.name}-{v}" for f, v in CASES])
def test_routes_agree(formula: Formula, values: dict[str, object]) -> None:
    assert len(formula.agree(20, **values)) >= 2


@pytest.mark.parametrize(("formula", "points"), ALL, ids=[f.name for f, _ in ALL])
def test_a_wrong_route_is_seen(formula: Formula, points: list[dict[str, object]]) -> None:
    wrong = Route("wrong", lambda **_: formula.ball(**points[0]) * (1 + arb(10) ** -12))
    with pytest.raises(InvalidInput, match="wrong"):
        replace(formula, routes=(*formula.routes, wrong)).agree(20, **points[0])


def test_orthogonal_error_against_mpmath() -> None:
    with mpmath.workdps(40):
        rho = mpmath.hyp1f1(5, mpmath.mpf(5) / 2, mpmath.mpf(1) / 2)
        # m = 7 in blocks of 5 and 2: 20 + 2 ordered pairs
        mse = (mpmath.e**2 - mpmath.e) / 7 + mpmath.mpf(22) / 49 * (rho - mpmath.e)
        found = mpmath.mpf(P.prf_mse_orf.enclose(30, d=5, m=7, v=1, x=1, y=1).text())
        assert abs(found - mse * mpmath.exp(-4)) < mpmath.mpf(10) ** -30


def test_what_is_exactly_zero() -> None:
    zero = {"v": 0, "x": 1, "y": 1}
    assert P.prf_mse_orf.enclose(5, d=64, m=64, **zero).text() == "0"
    assert P.prf_gap.enclose(5, d=64, m=1, v=1, x=1, y=1).text() == "0"
    assert P.prf_moment_simrf.enclose(5, n=4, d=64, m=64, v=0).text() == "0"


def test_domain() -> None:
    with pytest.raises(OutsideDomain, match=r"\|x \+ y\|"):
        P.prf_mse_iid.enclose(m=1, v=3, x=1, y=1)
    with pytest.raises(OutsideDomain, match="m >= 1"):
        P.prf_mse_orf.enclose(d=2, m=0, v=1, x=1, y=1)
    with pytest.raises(UnknownName, match="variable"):
        P.prf_mse_iid.enclose(m=1, v=1, x=1, y=1, q=1)
    with pytest.raises(NotCertified, match="joint moments"):
        P.prf_moment_simrf.enclose(1000, n=4, d=3, m=3, v=20)
    assert P.prf_mse_iid.enclose(5, m=1, v="sqrt(5+2*sqrt(6))", x="sqrt(2)", y="sqrt(3)").text()


def test_the_printed_gap_is_wrong() -> None:
    values = {"d": 64, "m": 64, "v": 1, "x": 1, "y": 1}
    printed = replace(P.prf_gap, routes=(Route("printed (25)", P.PRINTED_GAP),))
    with pytest.raises(InvalidInput, match="printed"):
        printed.agree(15, **values)


def test_norms_of_parallel_floats_are_not_refused() -> None:
    """y = s x, all norms rounded: the triangle inequality fails in the last places of every third pair."""
    draw = np.random.default_rng(5)
    missed = 0
    for _ in range(60):
        first = draw.standard_normal(8)
        second = draw.uniform(-2, 2) * first
        norms = {"v": first + second, "x": first, "y": second}
        given = {name: float(np.linalg.norm(vector)) for name, vector in norms.items()}
        found = float(P.prf_mse_orf.enclose(12, d=8, m=8, **given))
        as_text = {name: repr(value) for name, value in given.items()}
        try:  # text means what it says
            assert found == pytest.approx(float(P.prf_mse_orf.enclose(12, d=8, m=8, **as_text)), rel=1e-9)
        except OutsideDomain:
            missed += 1
    assert missed > 5


@pytest.mark.parametrize("v", [1.0 + 1e-12, 0.2 - 1e-12, "1.0000000000000000001", "3/2"])
def test_the_triangle_inequality_is_kept(v: object) -> None:
    x, y = (0.6, 0.4) if isinstance(v, float) else ("0.6", "0.4")
    with pytest.raises(OutsideDomain, match=r"needs \|\|x\|"):
        P.prf_mse_simrf.enclose(10, d=4, m=4, v=v, x=x, y=y)
