"""Every registered formula by at least three routes at an ordinary point, a corner and an extreme one."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest
from flint import acb, arb

from rftheory.errors import InvalidInput, NotCertified, OutsideDomain
from rftheory.exact import formulas
from rftheory.exact.formula import Formula, Route
from tests.exact import route_points

FORMULAS = formulas()
DIGITS = 15


def points(name: str) -> list[dict[str, str]]:
    """The points of the table; a formula without any is an error."""
    rows = route_points.POINTS.get(name, ())
    if len(rows) < 3:
        raise AssertionError(
            f"{name}: {len(rows)} points in route_points.py, needs an ordinary, a corner, an extreme"
        )
    return [dict(pair.split("=") for pair in row.split(", ")) for row in rows]  # type: ignore[misc]


@pytest.mark.parametrize("name", FORMULAS)
def test_three_routes_agree(name: str) -> None:
    found = [FORMULAS[name].agree(DIGITS, **row) for row in points(name)]
    assert [len(routes) >= 3 for routes in found] == [True] * len(found), [list(routes) for routes in found]


def planted(formula: Formula, row: dict[str, str]) -> Formula:
    """The formula with one more route, off by less than anybody would see by eye."""

    def wrong(**values: object) -> arb | acb:
        exact = formula.read(row)
        right = next(route for route in formula.all_routes.values() if route.pays(exact, DIGITS))
        return right.ball(formula.variables, exact) * (1 + arb(10) ** -12) + arb(10) ** -300

    return replace(formula, routes=(*formula.routes, Route("planted", wrong)))


@pytest.mark.parametrize("name", list(FORMULAS)[::10])
def test_a_planted_route_is_refused(name: str) -> None:
    row = points(name)[0]
    with pytest.raises(InvalidInput, match="'planted' to agree"):
        planted(FORMULAS[name], row).agree(DIGITS, **row)


ELSEWHERE = [
    ("geometric_coordinate", "circle", "n=5, p=1/2, t=1/100"),
    ("geometric_coordinate", "circle", "n=1, p=1/2, t=1/100"),
    ("scaled_pair_cosine", "Kummer", "d=6, z=1, s=0, t=3/2"),
    ("trig_moment_iid", "mse", "n=3, m=4, z=1"),
    ("trig_moment_orf", "mse", "n=3, d=3, m=4, z=1"),
    ("prf_moment_orf", "conformity", "n=3, d=3, m=5, v=1"),
    ("prf_moment_simrf", "conformity", "n=3, d=3, m=3, v=1/2"),
    ("gerf_moment_orf", "pair moment", "n=4, d=2, A=-1/4, v=1, m=2"),
    ("gerf_moment_orf", "literal pair", "n=6, d=7, A=0, v=1/8, m=16"),
    ("poisson_variance", "two values", "d=1, lam=3/2, dot=0, squares=1/100, norms=3"),
    ("matern_kernel", "half-integer sum", "nu=1/3, z=1"),
    ("matern_density", "Fourier", "d=3, nu=1/100, w=3"),
]
"""Values at which a route that was written for others would give a wrong number."""


@pytest.mark.parametrize(("name", "route", "row"), ELSEWHERE)
def test_a_route_is_refused_where_it_does_not_give_the_value(name: str, route: str, row: str) -> None:
    """The number that it would give is another one: that of the other routes is not in its enclosure."""
    values = dict(pair.split("=") for pair in row.split(", "))
    formula = FORMULAS[name]
    with pytest.raises(OutsideDomain, match=f"a route that is valid there: .*, got '{route}'"):
        formula.enclose(DIGITS, route=route, **values)
    assert route not in formula.agree(DIGITS, **values)
    asked = replace(formula.all_routes[route], valid=lambda _: True)
    with contextlib.suppress(NotCertified, InvalidInput):  # or none
        routes = tuple(asked if own.name == route else own for own in formula.routes)
        wrong = replace(formula, routes=routes).enclose(DIGITS, route=route, **values)
        assert not wrong.overlaps(formula.enclose(DIGITS, **values))


def test_the_table_covers_the_registry_and_nothing_else() -> None:
    assert set(route_points.POINTS) == set(FORMULAS)
    with pytest.raises(AssertionError, match="0 points"):
        points("a formula that nobody has given points")
