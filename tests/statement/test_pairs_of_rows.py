"""What is derived for all d from the rows of a block is what counting them gives, in each dimension."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
import sympy
from sympy import Max, Min, Piecewise, Rational

from rftheory.author import coupling as declare
from rftheory.author import forget
from rftheory.errors import NotKnown
from rftheory.exact.laws import X, Y
from rftheory.exact.symbols import d as D
from rftheory.spec import Coupling, Rows, find_coupling, find_map, validity
from rftheory.spec.coupling import from_relation
from rftheory.spec.couplings import COUPLINGS
from rftheory.spec.feature_map import FeatureMap, Term
from rftheory.spec.relation import ORTHOGONAL
from rftheory.spec.rows import i
from rftheory.statement import pairs
from rftheory.statement.atoms import PairCount, determined_by_norms, of_difference
from rftheory.statement.pairs import block_size, fewest_pairs, general_cosine, most_pairs, pairs_of_block

M = sympy.Symbol("m", integer=True, positive=True)


def declared(rows: Rows | list[Rows], **more: object) -> Coupling:
    return Coupling("declared", "", "", rows, **more)


def of_block(coupling: Coupling, d: int) -> dict[tuple[sympy.Expr, str], int]:
    """What is derived for all d, in one dimension."""
    found = (
        (c.subs(D, d), norms, count.subs(D, d)) for (c, norms), count in pairs_of_block(coupling).items()
    )
    return {(c, norms): count for c, norms, count in found if count != 0}


def counted(coupling: Coupling, d: int) -> dict[tuple[sympy.Expr, str], int]:
    """What the rows of the block give, one by one."""
    found = coupling.pairs(d, coupling.size(d)).items()
    return {(sympy.sympify(one.cosine), one.norms): count for one, count in found}


DIMS = (2, 3, 4, 7, 8, 11)
HOLE = Piecewise((1, D < 1000))
RUNS = [
    Rows(D), Rows(D, sign=-1), Rows(D, norm=i + D), Rows(D + 2, axis=i, norm=i + 2 * D), Rows(1, sign=-1), Rows(D - 1),
    Rows(2, norm=i + 3 * D), Rows(D, norm=0),
    Rows(D + 1, axis=i + 1, norm=1), Rows(D, norm=3 * D + 5), Rows(1, axis=D - 1, norm=D),
    Rows(2 * D + 1),
    Rows(D, axis=i + 1), Rows(D, axis=i + 2, norm=i + 1, reflected=1), Rows(3, axis=i + D - 1, norm=i + D - 1),
]  # fmt: skip
REPEATED = [
    Rows(D, norm=i // 2, reflected=i % 2), Rows(D, axis=i // 2, norm=i // 2, sign=(-1) ** i),
    Rows(D + 1, norm=i // 3, sign=1 - 2 * (i % 2)), Rows(D // 2), Rows(D - D // 2, axis=2 * i, norm=2 * i + 1),
    Rows(2 * (D // 2), axis=i + 2 * D, norm=0), Rows((D + 1) // 3, axis=3 * i, norm=D // 2, sign=-1),
]  # fmt: skip


@pytest.mark.parametrize(("others", "share"), [(RUNS, 0.7), (REPEATED, 0.4)])
def test_pairs_of_runs_are_those_that_are_counted(
    others: list[Rows], share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        pairs, "_require_axes", lambda *given: None
    )  # more axes than dimensions serve as well
    monkeypatch.setattr(validity, "_check_angles", lambda *given: None)
    known = 0
    for one, other in product(RUNS, others):
        coupling = declared([one, other], min_dim=2)
        try:
            found = [of_block(coupling, d) for d in DIMS]
        except NotKnown:
            continue
        known += 1
        assert found == [counted(coupling, d) for d in DIMS], (one, other)
    assert known > share * len(RUNS) * len(others)


def test_pairs_of_repeated_rows_are_those_that_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "_require_axes", lambda *given: None)
    monkeypatch.setattr(validity, "_check_angles", lambda *given: None)
    for one in REPEATED:
        for rows in ([one], [one, replace(one, sign=-one.sign)]):
            coupling = declared(rows, min_dim=2)
            assert [of_block(coupling, d) for d in DIMS] == [counted(coupling, d) for d in DIMS], rows


@pytest.mark.parametrize(
    "kind",
    [
        "orthogonal",
        "mirrored",
        "cross-polytope",
        "antimonotone",
        "frame and one",
        "three runs",
        "one norm",
        "twins",
    ],
)
@pytest.mark.parametrize(
    "m", [D, D + 1, D + 3, 2 * D - 1, 2 * D + 1, 3 * D, 3 * D + 2, 5 * D, sympy.Integer(3), D**2]
)
def test_parts_of_blocks_are_those_that_are_counted(
    kind: str, m: sympy.Expr, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {
        "frame and one": [Rows(D), Rows(1, sign=-1)], "one norm": [Rows(D - 1, norm=0), Rows(1, axis=D - 1)],
        "three runs": [Rows(2), Rows(D, norm=i + D, sign=-1), Rows(D - 1, norm=i)],
        "twins": [Rows(D, axis=i // 2, sign=(-1) ** i), Rows(D // 2, axis=i + D - D // 2, norm=i + D)],
    }  # fmt: skip
    coupling = declared(own[kind], min_dim=2) if kind in own else find_coupling(kind)
    monkeypatch.setitem(COUPLINGS, coupling.name, coupling)
    for least in (2, 5):
        try:
            found = pairs.pairs(coupling, D, m, least)
        except NotKnown:
            assert kind != "orthogonal"
            continue
        for d in range(least, 12):
            read = {(c.subs(D, d), norms): count.subs(D, d) for (c, norms), count in found.items()}
            rows = int(m.subs(D, d))
            counts = {(one.cosine, one.norms): n for one, n in coupling.pairs(d, rows).items()}
            assert {key: count for key, count in read.items() if count} == counts


@pytest.mark.parametrize(
    "rows",
    [
        [Rows(D), Rows(1, axis=D - 1, sign=-1)],
        [Rows(D), Rows(D - 1, axis=i + 1, sign=-1)],
        [Rows(D - 1), Rows(D - 1, axis=i + 1, norm=i + D)],
        [Rows(D - 1), Rows(1, axis=D - 1), Rows(2, norm=i + D, sign=-1)],
        [Rows(D), Rows(D, sign=-1, reflected=True)],
        [Rows(D, norm=2 * i), Rows(D, norm=3, sign=-1)],
    ],
)
def test_axes_that_runs_have_in_common_are_counted_once(rows: list[Rows]) -> None:
    coupling = declared(rows, min_dim=3)
    for d in (3, 4, 7):
        assert of_block(coupling, d) == counted(coupling, d)


@pytest.mark.parametrize(
    "more",
    [{"rows": Rows(D + 1)}, {"rows": Rows(5 - D)}, {"rows": Rows(D - 1)}, {"rows": Rows(D), "cosine": 2}],
)
def test_nothing_is_known_of_blocks_that_do_not_exist(more: dict) -> None:
    with pytest.raises(NotKnown):
        pairs.require_exists(declared(**more), D)
    pairs.require_exists(declared(Rows(D, norm=i**2)), D)


def test_a_frame_and_a_row_that_is_opposite_to_its_first() -> None:
    found = pairs_of_block(declared([Rows(D), Rows(1, sign=-1)]))
    assert found == {
        (0, "independent"): sympy.factor(D * (D - 1) / 2 + D - 1), (-1, "shared"): 1,
    }  # fmt: skip


UNKNOWN = {
    "a count that stops growing": Rows(Min(D, 1000)),
    "a condition that cancels": Rows(D, norm=i + D * (HOLE + 1) - D * HOLE),
    "a count with a condition": Rows(Piecewise((D, D < 1000), (1, True))),
    "a count that gets negative": Rows(18 - D),
    "no rows at d = 1": Rows(D - 1),
    "a condition in the axis": Rows(D, axis=Max(i, 1000)),
    "squares": Rows(D, norm=i**2),
    "axes from the last one on": Rows(D, axis=-i),
    "every other axis, and all": [Rows(D // 2, axis=2 * i), Rows(D // 2, sign=-1)],
    "a floor of a square": Rows(D, axis=i + D**2 // 2),
    "norms in pairs of one axis in more than d dimensions": [Rows(D, norm=i // 2), Rows(D // 2, axis=i + D)],
    "a sign that depends on d": Rows(D, sign=(-1) ** D),
    "more axes than dimensions": Rows(D + 1),
    "axes that coincide if d is small": [Rows(D, norm=i), Rows(D, axis=i, norm=i + 5)],
    "one norm that is one of the others if d is large": [Rows(D), Rows(D, norm=5, sign=-1)],
    "axes that meet if d is large": [Rows(D), Rows(D, axis=i + 5)],
    "two norms that are one at d = 7": [Rows(D, norm=7), Rows(D, norm=D, sign=-1)],
    "axes with gaps that grow": Rows(D, axis=D * i),
    "a floor of a fraction": Rows(D, axis=i + sympy.floor(1 / D)),
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_rows_that_are_no_runs_are_counted_in_each_dimension_only(kind: str) -> None:
    coupling = declared(UNKNOWN[kind])
    with pytest.raises(NotKnown):
        pairs_of_block(coupling)


FEW = [
    [Rows(2, norm=0, reflected=i)], [Rows(4, norm=i // 2, reflected=i % 2)], [Rows(4, axis=i // 2, sign=(-1) ** i)],
    [Rows(D), Rows(2, sign=1 - 2 * i, norm=D + i**2)],
]  # fmt: skip


@pytest.mark.parametrize("rows", FEW, ids=str)
def test_few_rows_may_be_any(rows: list[Rows]) -> None:
    """Their number is the same for all d, so that each of them is known by itself."""
    coupling = declared(rows, min_dim=4)
    for d in (4, 5, 8):
        assert of_block(coupling, d) == counted(coupling, d)


def test_many_rows_are_not_taken_one_by_one() -> None:
    with pytest.raises(NotKnown, match="norm"):
        pairs.runs_of(declared(Rows(pairs.MOST_ROWS + 1, norm=i**2)))
    with pytest.raises(NotKnown, match="reflected"):
        pairs.runs_of(declared(Rows(D, reflected=i % (pairs.MOST_ROWS + 1) // pairs.MOST_ROWS)))


@pytest.mark.parametrize(
    "cosine",
    [
        Piecewise((Rational(1, 2), D > 40), (0, True)), Min(Rational(1, 2), 1 / D), 1 / (D - 50), -1 / (D - 2),
        Rational(-1, 300), sympy.sqrt(D) / 2,
        (D**2 - 2500) / (D - 50) - D - 50,
        sympy.Mul(0, 1 / (D - 50), evaluate=False), D * (sympy.log(D - 50) + 1) - D * sympy.log(D - 50) - D,
        D * (sympy.factorial(-D) + 1) - D * sympy.factorial(-D) - D, sympy.Heaviside(D - 40) / 2, lambda i, j, d: 0,
    ],
)  # fmt: skip
def test_angles_that_are_not_known_to_exist_for_all_d_have_no_law(cosine: object) -> None:
    with pytest.raises(NotKnown):
        pairs_of_block(declared(Rows(D), cosine=cosine))


def test_a_relation_says_nothing_for_all_d_but_the_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    cosine, rows = from_relation(2 * D, lambda i, j, d: ORTHOGONAL)
    coupling = Coupling("declared", "", "", rows, cosine)
    assert block_size(coupling) == 2 * D
    assert not pairs.consists_of(coupling, 2 * D)
    monkeypatch.setitem(COUPLINGS, "declared", coupling)
    assert fewest_pairs(PairCount("declared", D, M, 0, "independent"), *map(sympy.Integer, (2, 4))) == 0
    for ask in (pairs_of_block, general_cosine):
        with pytest.raises(NotKnown):
            ask(coupling)


def test_what_a_declaration_leaves_open_is_not_known() -> None:
    four, three = sympy.Integer(4), sympy.Integer(3)
    with pytest.raises(NotKnown, match="blocks depend"):
        pairs.pairs(declared(Rows(D), blocks=False), four, three)
    with pytest.raises(NotKnown, match="independent, shared"):
        pairs.pairs(declared(Rows(D, norm=0), cosine=None), four, three)
    with pytest.raises(NotKnown, match="angles differ"):
        general_cosine(declared(Rows(D), angles=False))


def test_one_axis_has_any_number_of_rows() -> None:
    coupling = declared(Rows(2 * D), cosine=1)
    assert of_block(coupling, 3) == counted(coupling, 3)


def test_parts_of_a_block_are_alike_with_norms_of_their_own() -> None:
    others = Rows(D, norm=0), Rows(2 * D, norm=i // 2), Rows(D - 1)
    for rows in ([Rows(D)], *([Rows(D), other] for other in others)):
        assert not pairs.consists_of(declared(rows, min_dim=2), D)
    assert pairs.consists_of(declared([Rows(D), Rows(D)]), D)


@pytest.mark.parametrize("m", [D // 2, 2**D, M], ids=str)
def test_numbers_of_rows_that_are_no_polynomial(m: sympy.Expr, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first rows of this block are no block of fewer dimensions."""
    halves = declared([Rows(D // 2), Rows(D - D // 2, axis=i + D // 2, reflected=1)], min_dim=2)
    monkeypatch.setitem(COUPLINGS, "declared", halves)
    for coupling in (find_coupling("orthogonal"), halves):
        found = pairs.pairs(coupling, D, m, 2, m == M)
        for d, rows in product(range(2, 7), range(1, 7)):
            if m == M and rows > d:
                continue
            n = int(m.subs({D: d, M: rows}))
            read = {kind: count.subs({D: d, M: n}) for kind, count in found.items()}
            counts = {(one.cosine, one.norms): count for one, count in coupling.pairs(d, n).items()}
            assert {kind: count for kind, count in read.items() if count} == counts


def test_blocks_that_shrink_have_no_fewest_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    fewest = []
    for size in (18 - D, D):
        monkeypatch.setattr(pairs, "block_size", lambda _, size=size: size)
        fewest.append(fewest_pairs(PairCount("orthogonal", D, M), sympy.Integer(9), sympy.Integer(2)))
    assert fewest == [0, 1]


@pytest.mark.parametrize("name", ["antimonotone", "mirrored", "cross-polytope", "simplex"])
def test_numbers_of_pairs_of_a_kind_lie_between_their_bounds(name: str) -> None:
    _lie_between_their_bounds(find_coupling(name))


def _lie_between_their_bounds(coupling: Coupling) -> None:
    for d, rows in product(range(coupling.min_dim, 9), range(1, 20)):
        found = pairs.pairs(coupling, D, M)
        counted = {(sympy.sympify(r.cosine), r.norms): n for r, n in coupling.pairs(d, rows).items()}
        for (cosine, norms), count in found.items():
            number, c = count.subs({D: d, M: rows}), cosine.subs(D, d)
            assert number == sum(n for (own, kind), n in counted.items() if own == c and kind == norms)
            for own in count.atoms(PairCount):
                value, most = own.subs({D: d, M: rows}), most_pairs(own).subs({D: d, M: rows})
                assert fewest_pairs(own, sympy.Integer(d), sympy.Integer(rows)) <= value <= most
                assert all(
                    fewest_pairs(own, sympy.Integer(d), sympy.Integer(rows))
                    <= own.subs({D: d + k, M: rows + n})
                    for k, n in ((0, 1), (1, 0), (1, 3), (4, 1))
                )


SIGNED = [Rows(D), Rows(D, sign=-1)]


@pytest.mark.parametrize(
    ("name", "rows", "cosine", "least"),
    [
        ("two-simplices", SIGNED, -1 / (D - 1), 2),
        ("signs-in-turn", Rows(D, sign=(-1) ** i), -1 / D, 1),
        ("opposite-beside-others", Rows(D, axis=i // 2, norm=i // 2, sign=(-1) ** i), -1 / D, 1),
    ],
)
def test_rows_at_minus_the_cosine_have_many_partners(
    name: str, rows: object, cosine: sympy.Expr, least: int
) -> None:
    declare(name, rows=rows, cosine=cosine, min_dim=least)
    _lie_between_their_bounds(find_coupling(name))
    forget(name)


@pytest.mark.parametrize(
    ("rows", "cosine", "norms", "kind"),
    [
        (SIGNED, -1 / (D - 1), "fixed", (-1, "fixed")),  # the cosine of the axes at d = 2
        ([Rows(D), Rows(D, norm=i + D)], 1, "chi", (1, "independent")),
        ([Rows(D, norm=0), Rows(D, norm=0, sign=-1)], 0, "chi", (0, "shared")),
    ],
    ids=str,
)
def test_all_rows_may_be_partners(rows, cosine, norms, kind, monkeypatch: pytest.MonkeyPatch) -> None:
    coupling = declared(rows, cosine=cosine, norms=norms, min_dim=2)
    monkeypatch.setitem(COUPLINGS, "declared", coupling)
    count = PairCount("declared", D, M, *kind)
    for values in ({D: dim, M: 6} for dim in (2, 3)):
        assert 1 < count.subs(values) <= most_pairs(count).subs(values)


def test_angles_that_are_the_same_in_one_dimension_are_not_counted_twice() -> None:
    declare("two-simplices-of-one-length", rows=SIGNED, cosine=-1 / (D - 1), min_dim=2, norms="fixed")
    opposite = PairCount("two-simplices-of-one-length", sympy.Integer(2), M, -1, "fixed")
    assert all(opposite.subs(M, rows) <= most_pairs(opposite).subs(M, rows) for rows in range(1, 20))
    forget("two-simplices-of-one-length")
    three = [Rows(D), Rows(D, norm=i + D), Rows(D, sign=-1, norm=i + 2 * D)]
    declare("three-simplices", rows=three, cosine=-1 / (D - 1), min_dim=2)
    with pytest.raises(NotKnown, match="may be the same in one dimension"):
        pairs.pairs(find_coupling("three-simplices"), D, M)
    at_least_three = pairs.pairs(find_coupling("three-simplices"), D, M, least=3)
    assert sum(count.subs({D: 3, M: 9}) for count in at_least_three.values()) == 36
    forget("three-simplices")


@pytest.mark.parametrize(
    "term",
    [
        Term(X + Y, -(X**2 + Y**2) / 2 - (X**4 + Y**4)),
        Term(X + Y, -(X**2 + Y**2) / 2 + X + Y),
        Term(X + Y, -(X**2)),
        Term(X + Y, -(X**2 + Y**2), -((X + Y) ** 2) / 8),
    ],
)
def test_maps_that_tell_directions_apart_have_no_law_of_norms(term: Term) -> None:
    with pytest.raises(NotKnown):
        determined_by_norms(FeatureMap("declared", "", "", (term,)))
    determined_by_norms(find_map("positive"))


def test_waves_times_a_gaussian_are_no_waves() -> None:
    waves = find_map("trigonometric")
    assert not of_difference(
        replace(waves, terms=tuple(replace(one, q=Rational(1, 10)) for one in waves.terms))
    )
