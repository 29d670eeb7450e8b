"""Bipolar hybrids: MSEs and moments by independent routes, the map of Lemma 2.3, its size and cost."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy
from sympy import Integer

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.exact import hybrid
from rftheory.exact.formula import FORMULAS
from tests.exact.route_points import known_of

NAMES = (
    "softmax_trig_mse",
    "softmax_hyperbolic_mse",
    "softmax_positive_mse",
    "log_softmax_trig_mse",
    "log_softmax_hyperbolic_mse",
    "log_softmax_positive_mse",
    "base_covariance",
    "bipolar_mse",
    "bipolar_shared_mse",
    "sharing_gain",
)
POINTS = (
    {"x": "1", "y": "1/2", "theta": "1", "m": 3, "l1": "0.3", "l2": "0.2"},
    {"x": "0.01", "y": "0.02", "theta": "0.01", "m": 3, "l1": "0.3", "l2": "0.2"},
    {"x": "100", "y": "3", "theta": "pi/3", "m": 4096, "l1": "0.3", "l2": "2"},
    {"x": "1e-8", "y": "1", "theta": "0", "m": 1, "l1": "1/2", "l2": "1/4"},
    {"x": "40", "y": "40", "theta": "2", "m": 1, "l1": "-1", "l2": "3"},
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("values", POINTS, ids=str)
def test_routes_agree(name: str, values: dict[str, object]) -> None:
    found = FORMULAS[name].agree(20, **known_of(name, values))
    assert len(found) >= 2


def test_equal_lengths_have_no_covariance() -> None:
    value = hybrid.base_covariance.expression.subs({hybrid.x: hybrid.y})
    assert value == 0


@pytest.mark.parametrize("name", [n for n in NAMES if not n.startswith("log_")])
def test_three_routes_at_an_ordinary_point(name: str) -> None:
    assert len(FORMULAS[name].agree(30, **known_of(name, POINTS[0]))) >= 3


def test_a_planted_error_is_found() -> None:
    wrong = replace(
        hybrid.bipolar_shared_mse, expression=hybrid.bipolar_shared_mse.expression + sympy.Rational(1, 10**25)
    )
    with pytest.raises(InvalidInput, match="to agree"):
        wrong.agree(30, **POINTS[0])


def test_sharing_projections_can_raise_the_mse() -> None:
    """hybrid.thm3.1.reduced: with E L(1 - L) < 0, as for any L outside [0, 1], sharing is worse."""
    values = {"x": 1, "y": 2, "theta": 1, "m": 1, "l1": 1, "l2": "3/2"}
    assert hybrid.sharing_gain.enclose(10, **values).upper < 0
    assert (
        hybrid.bipolar_shared_mse.enclose(10, **values).lower > hybrid.bipolar_mse.enclose(10, **values).upper
    )
    better = {**values, "l1": "1/2", "l2": "1/3"}
    assert (
        hybrid.bipolar_shared_mse.enclose(10, **better).upper < hybrid.bipolar_mse.enclose(10, **better).lower
    )


def test_endpoints_are_exact() -> None:
    r = hybrid.x
    equal = {hybrid.y: r}
    assert hybrid.softmax_trig_mse.expression.subs({**equal, hybrid.theta: 0}) == 0
    assert hybrid.softmax_hyperbolic_mse.expression.subs({**equal, hybrid.theta: sympy.pi}) == 0
    assert hybrid.softmax_hyperbolic_mse.enclose(10, x=0, y=0, theta=0, m=1).ball == 0


# ---- the map of Lemma 2.3 --------------------------------------------------------------------------------


def _numbered(name: str, count: int, size: int) -> list[list[sympy.Expr]]:
    return [[sympy.Symbol(f"{name}{i}_{k}") for k in range(size)] for i in range(count)]


@pytest.mark.parametrize("constants", [(Integer(1) / 2,), (Integer(-2),), (Integer(3),), (Integer(0),)])
def test_printed_map_gives_the_hybrid_for_any_constant(constants: tuple[sympy.Expr, ...]) -> None:
    """Also where a_k < 0 or a_k > 1: the roots become imaginary, the dot product has no conjugate."""
    m, n, t1, t2, maps = 2, 2, 1, 2, 2
    vectors, estimates = [], []
    for side in "xy":
        rho, phi = (
            _numbered(f"r{side}", maps, n),
            [_numbered(f"p{side}", t1, m), _numbered(f"q{side}", t2, m)],
        )
        vectors.append(hybrid.printed_map(constants, [rho], phi))
        estimates.append((rho, phi))
    (rho_x, phi_x), (rho_y, phi_y) = estimates

    def dot(left: list[list[sympy.Expr]], right: list[list[sympy.Expr]], size: int) -> sympy.Expr:
        return sum(a * b for u, v in zip(left, right, strict=True) for a, b in zip(u, v, strict=True)) / size

    coefficient = constants[0] + dot(rho_x, rho_y, n)
    target = coefficient * dot(phi_x[0], phi_y[0], m) + (1 - coefficient) * dot(phi_x[1], phi_y[1], m)
    product = sum(a * b for a, b in zip(*vectors, strict=True))
    assert sympy.expand(product - target) == 0
    assert len(vectors[0]) == hybrid.map_cost(1, m, n, [t1, t2], [maps]).dimension


@pytest.mark.parametrize(
    "values",
    [{"d": 1, "m": 1, "n": 1}, {"d": 64, "m": 8, "n": 8}, {"d": 512, "m": 64, "n": 8, "t1": 1, "maps": 3}],
    ids=str,
)
def test_size_and_cost(values: dict[str, int]) -> None:
    assert len(hybrid.hybrid_map_cost.agree(20, **values)) == 3
    size = {k: v for k, v in values.items() if k != "d"}
    assert len(hybrid.hybrid_map_dimension.agree(20, **size)) == 3


def test_cost_grows_as_the_source_says() -> None:
    """O(nd + md + mn) against mnd of a plain map of the same length; the ratio tends to that of the constants."""
    hybrid_cost = hybrid.map_cost(1024, 64, 64, [2, 2], [1]).total
    plain = hybrid.map_cost(1024, 64, 64, [2, 2], [1]).dimension // 2 * 1024
    assert plain > 24 * hybrid_cost


def test_bad_input_is_refused() -> None:
    for bad in ({"x": -1}, {"theta": 4}, {"m": 0}, {"y": float("inf")}, {"theta": "text"}):
        with pytest.raises((OutsideDomain, InvalidInput)):
            hybrid.softmax_trig_mse.enclose(10, **{"x": 1, "y": 1, "theta": 1, "m": 1, **bad})
    with pytest.raises(InvalidInput):
        hybrid.map_cost(0, 1, 1, [2, 2], [1])
    with pytest.raises(InvalidInput):
        hybrid.map_cost(1, 1, 1, [2], [1])
