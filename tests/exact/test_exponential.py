"""GERF and OPRF: every formula by all its routes, at ordinary and extreme values; printed statements and their errors."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from flint import arb

from rftheory.errors import InvalidInput, NotCertified, OutsideDomain
from rftheory.exact import exponential as e
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import Formula, Route
from rftheory.exact.positive import prf_moment_orf, prf_mse_orf
from rftheory.exact.symbols import d, v, z
from rftheory.exact.trigonometric import trig_mse_iid

SHAPES = ("-1/3", "1/10", "1/16+I/5", "-1-3*I", "0")


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("shape", SHAPES)
def test_gerf_moments_by_all_routes(shape: str, sign: int) -> None:
    for dimension in (1, 2, 7):
        data = {"d": dimension, "A": shape, "s": sign, "v": "1.3", "z": "1/2"}
        assert len(e.gerf_mean.agree(12, **data)) == 4
        assert len(e.gerf_variance.agree(12, **data)) == 4


@pytest.mark.parametrize("order", [3, 4])
def test_third_and_fourth_moments(order: int) -> None:
    for shape, sign in (("-1/3", 1), ("1/40-I/9", -1), ("-1/4+I/2", 1)):
        data = {"n": order, "d": 3, "A": shape, "s": sign, "v": "0.9", "z": "1.1"}
        assert len(e.gerf_moment.agree(10, **data)) == 3
        assert len(e.gerf_central_moment.agree(10, **data)) == 3


def test_gerf_contains_trigonometric_and_positive_features() -> None:
    # the special cases of Section 3.1, against formulas of other files
    ours = e.gerf_variance.enclose(25, d=5, A=0, s=-1, v="1.7", z="0.8")
    assert ours.overlaps(trig_mse_iid.enclose(25, m=1, z="0.8")) or trig_mse_iid.source == ""
    assert e.gerf_variance.enclose(25, d=5, A=0, s=1, v=2, z=0).overlaps(e.certify_text("exp(4)-1", 25))


@pytest.mark.parametrize("dimension", [2, 5, 16])
@pytest.mark.parametrize(("shape", "sign"), [("-1/3", 1), ("1/16+I/5", 1), ("-1-3*I", -1), ("1/10", -1)])
def test_coupled_pairs_do_not_depend_on_the_shape(shape: str, sign: int, dimension: int) -> None:
    data = {"d": dimension, "A": shape, "s": sign, "v": "1.3", "z": "0.9"}
    assert set(e.gerf_orf_pair.agree(10, **data)) == {"definition", "literal", "joint moments"}
    assert len(e.gerf_simrf_pair.agree(10, **data)) == 3
    assert len(e.gerf_angle_pair.agree(10, c="1/3", **data)) == 2
