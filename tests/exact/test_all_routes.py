"""Every registered formula by at least three routes at an ordinary point, a corner and an extreme one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flint import acb, arb

from rftheory.errors import InvalidInput
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
        right = next(route for route in formula.all_routes.values() if route.practical(exact))
        return right.ball(formula.variables, exact) * (1 + arb(10) ** -12) + arb(10) ** -300

    return replace(formula, routes=(*formula.routes, Route("planted", wrong)))


@pytest.mark.parametrize("name", list(FORMULAS)[::10])
def test_a_planted_route_is_refused(name: str) -> None:
    row = points(name)[0]
    with pytest.raises(InvalidInput, match="'planted' to agree"):
        planted(FORMULAS[name], row).agree(DIGITS, **row)


def test_the_table_covers_the_registry_and_nothing_else() -> None:
    assert set(route_points.POINTS) == set(FORMULAS)
    with pytest.raises(AssertionError, match="0 points"):
        points("a formula that nobody has given points")
