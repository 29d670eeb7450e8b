"""Nothing is assumed of a declared mechanism that does not follow from its declaration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
import sympy

from rftheory.errors import NotKnown
from rftheory.exact.laws import X, Y
from rftheory.exact.symbols import d as D
from rftheory.spec import Coupling, Row, find_map
from rftheory.spec.feature_map import FeatureMap, Term
from rftheory.statement.atoms import PairCount, determined_by_norms
from rftheory.statement.domain import Domain, Span
from rftheory.statement.pairs import block_size, families_of, general_cosine
from rftheory.statement.provers import signs


def declared(rows: Callable[[int], Sequence[Row]], **more: object) -> Coupling:
    return Coupling("declared", "", "", rows, **more)


def frame(d: int) -> list[Row]:
    return [Row(i, i) for i in range(d)]


def capped(rows: list[Row]) -> list[Row]:
    return rows[:1000]


BRANCHING = [
    lambda d: [Row(i, i) for i in range(d)][:1000],
    lambda d: capped([Row(i, i) for i in range(d)]),
    lambda d: [Row(i, i, s) for s in (1, -1) for i in range(d)][:1000],
    lambda d: [Row(i, i) for i in range(d) if d < 1000],
    lambda d: [Row(i, i) for i in range(min(d, 1000))],
]


@pytest.mark.parametrize("rows", BRANCHING)
def test_rows_that_change_beyond_all_compared_dimensions_are_not_read(
    rows: Callable[[int], list[Row]],
) -> None:
    with pytest.raises(NotKnown):
        families_of(declared(rows))


def test_rows_that_loop_over_ranges_are_read() -> None:
    def appended(d: int) -> list[Row]:
        rows = []
        for i in range(d):
            rows.append(Row(i, i))
        rows.extend(Row(i, d + i, -1) for i in range(d))
        return rows

    assert [f.length for f in families_of(declared(frame))] == [D]
    assert block_size(declared(appended)) == 2 * D


def test_a_size_that_stops_growing_is_not_taken_for_the_dimension() -> None:
    with pytest.raises(NotKnown):
        block_size(declared(lambda d: [Row(i, i) for i in range(min(d, 20))]))


def test_a_cosine_that_tells_axes_apart_is_not_read() -> None:
    apart = declared(frame, cosine=lambda i, j, d: Fraction(1, 2) if (i, j) == (20, 21) else 0)
    with pytest.raises(NotKnown):
        general_cosine(apart)
    assert general_cosine(declared(frame, cosine=lambda i, j, d: Fraction(-1, d - 1), min_dim=2)) == -1 / (
        D - 1
    )


def test_blocks_that_shrink_have_no_fewest_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    dims = Domain({D: Span(sympy.Integer(9), sympy.Integer(17), integer=True)})
    fewest = []
    for size in (18 - D, D):
        monkeypatch.setattr(signs, "block_size", lambda _, size=size: size)
        fewest.append(signs._fewest(PairCount("orthogonal", D, sympy.Integer(2)), dims))
    assert fewest == [0, 1]


@pytest.mark.parametrize(
    "term",
    [
        Term(X + Y, -(X**2 + Y**2) / 2 - (X**4 + Y**4)),
        Term(X + Y, -(X**2 + Y**2) / 2 + X + Y),
        Term(X + Y, -(X**2 + Y**2), -((X + Y) ** 2) / 8),
        Term(X + Y, -(X**2 + Y**2) / 2, weight=1 + (X * Y) ** 2),
    ],
)
def test_maps_that_tell_directions_apart_have_no_law_of_norms(term: Term) -> None:
    with pytest.raises(NotKnown):
        determined_by_norms(FeatureMap("declared", "", "", (term,)))
    determined_by_norms(find_map("positive"))
