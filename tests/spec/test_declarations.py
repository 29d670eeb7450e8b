"""Declarations that no rows or features can satisfy are refused; unusual ones that exist get their own law."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
import sympy
from flint import arb, ctx
from sympy import I, Integer, Piecewise, Rational, Symbol, sqrt

from rftheory import names
from rftheory.author import EQUAL, ORTHOGONAL, Relation, Rows, Term, coupling, feature_map, forget, i, x, y
from rftheory.author import d as D
from rftheory.errors import DeclarationFailed, InvalidInput, NotKnown, OutsideDomain, UnknownName
from rftheory.exact.enclosure import certify
from rftheory.exact.frame_moments import central_moments_of
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import Law
from rftheory.exact.quantities import QUANTITIES
from rftheory.names import load_declared
from rftheory.sample import Mechanism
from rftheory.spec import (
    COUPLINGS,
    Coupling,
    FeatureMap,
    Parameter,
    declare_coupling,
    find_coupling,
    find_map,
)
from rftheory.spec.coupling import from_relation
from rftheory.spec.feature_map import RESERVED
from rftheory.spec.relation import INDEPENDENT
from rftheory.spec.rows import Row

SQUARES, HALF = (x**2 + y**2) / 2, Rational(1, 2)
PAIR = Inputs.of_norms(2, sum_norm="0.5")


@pytest.mark.parametrize(
    ("d", "options", "error"),
    [
        (4, {"cosine": Fraction(-9, 10)}, "at least -1/3"),
        (4, {"cosine": Fraction(3, 2)}, "from -1 to 1"),
        (50, {"cosine": 1 / (D - 50)}, "from -1 to 1"),
        (50, {"cosine": sqrt(D - 51)}, "from -1 to 1"),
        (50, {"cosine": sympy.sin(1 / (D - 50))}, "from -1 to 1"),
        (4, {"cosine": lambda i, j, d: "1/2"}, "an exact cosine"),
        (4, {"cosine": lambda i, j, d: 0.5}, "an exact cosine"),
        (4, {"cosine": lambda i, j, d: 1 // 0}, "ZeroDivisionError"),
        (2, {"rows": Rows(D + 1)}, "d >= 3 for 3 axes"),
        (3, {"cosine": lambda i, j, d: HALF if i < j else -HALF}, r"\(j, i\)"),
        (3, {"cosine": lambda i, j, d: -Rational(9, 10)}, "unit vectors can have"),
        (2, {"rows": Rows(3), "cosine": lambda i, j, d: 0}, "the rank"),
        (2, {"rows": Rows(D - 3)}, "0 to 10000000"),
        (3, {"rows": Rows(D - 3)}, "one row or more"),
        (2, {"rows": Rows(2, sign=i)}, "sign of Rows at d = 2: needs 1 or -1"),
        (4, {"rows": Rows(4, reflected=i)}, "reflected of Rows at d = 4: needs 0 or 1"),
        (1001, {"rows": Rows(D, norm=i + Piecewise((1, D < 1000)))}, "norm of Rows at d = 1001"),
        (40, {"rows": Rows(2**D), "cosine": None}, "0 to 10000000"),
        (2, {"cosine": sympy.Mod(1, D - 2)}, "ZeroDivisionError"),
        (10**9, {}, "from 1 to 1000000"),
        (2.5, {}, "from 1 to 1000000"),
        # one independent axis besides, axes beyond a few hundred, and groups
        (50, {"rows": Rows(40),
              "cosine": lambda i, j, d: None if 39 in (i, j) else -HALF}, "unit vectors can have"),
        (400, {"cosine": lambda i, j, d: -HALF}, "at most 384 axes"),
        (400, {"group": 10, "cosine": lambda i, j, d: -HALF}, "unit vectors can have"),
        (90, {"rows": Rows(80), "group": 40,
              "cosine": lambda i, j, d: None if i // 40 != j // 40 else -HALF}, "unit vectors can have"),
        (9, {"rows": Rows(3),
             "cosine": lambda i, j, d: None if {i, j} == {0, 1} else -Rational(9, 10)}, "angles between all axes"),
        (9, {"rows": Rows(6), "group": 2,
             "cosine": lambda i, j, d: None if {i, j} == {0, 1} else 0}, "angles between all axes"),
        (30, {"rows": Rows(30), "group": 3,
              "cosine": lambda i, j, d: HALF if i // 3 == j // 3 else -Rational(1, 13)}, "unit vectors can have"),
        (1001, {"rows": Rows(1503), "group": 3,
                "cosine": lambda i, j, d: -HALF if i // 3 == j // 3 else 0}, "d >= 1002, the rank"),
        (3, {"rows": Rows(4), "group": 2,
             "cosine": lambda i, j, d: Fraction(-1, 3) - Fraction(i // 2 == j // 2, 10**12)}, "unit vectors can have"),
    ],
)  # fmt: skip
def test_blocks_that_do_not_exist_are_refused(d: int, options: dict, error: str) -> None:
    declared = Coupling("impossible", "", "", **options)
    with pytest.raises((InvalidInput, DeclarationFailed), match=error):
        declared.block(d)


def test_a_simplex_of_one_row_more_than_dimensions_exists() -> None:
    declared = Coupling("d + 1", "", "", Rows(D + 1), -1 / D)
    assert declared.size(3) == 4


@pytest.mark.parametrize(
    ("d", "rows", "group", "cosine"),
    [
        (50, 40, 0, lambda i, j, d: None if 39 in (i, j) else Fraction(-1, 38)),
        (30, 30, 3, lambda i, j, d: HALF if i // 3 == j // 3 else -Rational(2, 27)),
        (29, 30, 3, lambda i, j, d: HALF if i // 3 == j // 3 else -Rational(2, 27)),
        (2, 80, 2, lambda i, j, d: None if i // 2 != j // 2 else -HALF),
        (1001, 1500, 3, lambda i, j, d: -HALF if i // 3 == j // 3 else 0),
        (1000, 1500, 3, lambda i, j, d: -HALF if i // 3 == j // 3 else 0),
        (3, 4, 2, lambda i, j, d: Fraction(-1, 3)),
        (400, 400, 200, lambda i, j, d: 1 / sqrt(5)),
    ],
)  # fmt: skip
def test_angles_that_exist_are_accepted(d: int, rows: int, group: int, cosine) -> None:
    declared = Coupling("own", "", "", Rows(rows), cosine, group=group)
    assert declared.size(d) == rows


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"rows": lambda d: 5}, "needs Rows"),
        ({"rows": []}, "needs Rows"),
        ({"rows": [Rows(D), (0, 0)]}, "needs Rows"),
        ({"rows": 2 * D}, "needs Rows"),
        ({"cosine": 0.5}, "an exact number"),
        ({"cosine": "1/2"}, "a number or an expression"),
        ({"cosine": True}, "a number or an expression"),
        ({"cosine": 1 / Symbol("n")}, "an exact number"),
        ({"cosine": sympy.Function("f")(D)}, "an exact number"),
        ({"cosine": sympy.zoo}, "an exact number"),
        ({"min_dim": D}, "min_dim of wrong"),
        ({"marginal": "no"}, "True or False"),
        ({"aliases": "abc"}, "names, as a tuple"),
    ],
)
def test_declarations_of_another_kind_are_refused(given: dict, error: str) -> None:
    with pytest.raises(InvalidInput, match=error):
        Coupling("wrong", "", "", **given)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("count", D / 2), ("count", 2.0), ("count", i), ("count", "d"), ("axis", i / 2), ("axis", D - 0.5),
        ("norm", Symbol("j", integer=True)), ("norm", None), ("sign", HALF), ("axis", 1 / D),
        ("sign", 2), ("reflected", 7), ("count", -1), ("count", 10**30), ("norm", sympy.Function("f", integer=True)(D)),
    ],
)  # fmt: skip
def test_rows_are_numbered_by_integers(part: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=f"{part} of Rows"):
        Rows(**{"count": D, part: value})


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([Rows(D), Rows(D, sign=-1)], lambda d: [Row(k, k, s) for s in (1, -1) for k in range(d)]),
        ([Rows(D, norm=i // 2, reflected=i % 2)], lambda d: [Row(k, k // 2, 1, k % 2 == 1) for k in range(d)]),
        ([Rows(D, i + 7, 0, (-1) ** i)], lambda d: [Row(k + 7, 0, (-1) ** k) for k in range(d)]),
        ([Rows(D * (D - 1) / 2, norm=2 * i + D)], lambda d: [Row(k, 2 * k + d) for k in range(d * (d - 1) // 2)]),
        ([Rows(3 * (D // 2)), Rows(D % 2, axis=D)],
         lambda d: [Row(k, k) for k in range(3 * (d // 2))] + [Row(d, 0)] * (d % 2)),
        (Rows(1, reflected=True), lambda d: [Row(0, 0, 1, True)]),
    ],
)  # fmt: skip
def test_rows_are_what_their_expressions_say(rows, expected) -> None:
    for dim in (2, 3, 8):
        assert list(Coupling("own", "", "", rows, None).listed(dim)) == expected(dim)


def test_a_loop_declares_what_it_says() -> None:
    made = [Coupling("own", "", "", Rows(D, sign=s)) for s in (1, -1)]
    assert [one.block(1)[0].sign for one in made] == [1, -1]


def test_the_relation_of_a_coupling_keeps_its_names() -> None:
    made = [
        coupling(f"own-{s}", rows=2, relation=lambda i, j, d: EQUAL if s > 0 else ORTHOGONAL)  # noqa: B023
        for s in (1, -1)
    ]
    try:
        with pytest.raises(InvalidInput, match="keep the value: lambda i, j, d, s=s"):
            made[0].block(3)
        assert made[1].size(3) == 2
    finally:
        forget("own-1"), forget("own--1")


def test_the_base_of_a_sequence_is_a_function() -> None:
    with pytest.raises(
        InvalidInput, match="base of digits: needs a function of the number of a coordinate, got 2"
    ):
        Coupling("digits", "points in base 2", "a test", base=2)  # type: ignore[arg-type]


def test_rows_and_terms_in_the_place_of_words_are_refused() -> None:
    with pytest.raises(InvalidInput, match="are the rows"):
        coupling("unnamed-rows", Rows(3, axis=0, norm=0))
    with pytest.raises(InvalidInput, match="terms come after"):
        feature_map("unnamed-terms", Term(x + y, -SQUARES), Term(-x - y, -SQUARES), Term(x - y, -SQUARES))


A = Symbol("A")
LIKE_GERF = {"terms": (Term(A * (x + y), -SQUARES),), "parameters": (Parameter(A, "a factor"),)}


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"norm": "x"}, "v, z or nothing"),
        ({"norm": "z"}, r"a multiple of x - y, got 'x_j \+ y_j'"),
        ({"terms": (Term(I * (x - y), SQUARES),), "norm": "v"}, r"a multiple of x \+ y"),
        ({"terms": (Term((x + y) ** 2, -SQUARES),), "norm": "v"}, r"a multiple of x \+ y"),
        ({"terms": (Term(x + y, -SQUARES, x - y),), "norm": "v"}, "free of x and y"),
        ({"terms": (Term(x + y, -SQUARES), Term(x + y, -(x**2))), "norm": "v"}, r"multiple of \|x \+ y\|\^2"),
        ({"parameters": (Parameter(Symbol("m"), "rows"),)}, "names of their own, and none of"),
        ({**LIKE_GERF, "parameters": LIKE_GERF["parameters"] * 2}, "names of their own"),
        ({**LIKE_GERF, "chosen": {"B": Integer(1)}}, "names of its parameters, got 'B'"),
        ({**LIKE_GERF, "chosen": {"A": Symbol("z")}}, "an exact expression in v and d, got z"),
    ],
)
def test_maps_that_say_what_their_terms_do_not_are_refused(given: dict, error: str) -> None:
    with pytest.raises(InvalidInput, match=error):
        FeatureMap("wrong", "", "", **{"terms": (Term(x + y, -SQUARES),), **given})


def test_no_parameter_has_the_name_of_an_argument_of_a_quantity() -> None:
    assert {name for quantity in QUANTITIES.values() for name in quantity.options} <= set(RESERVED)


def test_an_option_that_does_not_exist_is_named() -> None:
    with pytest.raises(UnknownName, match="option of feature_map 'parameter'; did you mean 'parameters'"):
        feature_map("wrong", "", "", Term(x + y, -SQUARES), parameter=())


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"marginal": False}, "no uniform directions"),
        ({"angles": False}, "vary"),
        ({"blocks": False}, "depend"),
    ],
)
def test_rows_that_are_not_described_say_why_nothing_follows_from_them(given: dict, why: str) -> None:
    assert why in Coupling("odd rows", "", "", **given).pairs_unknown
    assert not Coupling("orthogonal rows", "", "").pairs_unknown


def test_norms_of_an_unknown_kind_are_refused() -> None:
    with pytest.raises(InvalidInput, match="chi or fixed"):
        Coupling("wrong", "", "", norms="weird")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "relation",
    [
        lambda i, j, d: EQUAL if (i, j) != (0, 2) else ORTHOGONAL,
        lambda i, j, d: Relation(0, "shared" if (i, j) != (0, 2) else "independent"),
        lambda i, j, d: Relation(0, "fixed"),
        lambda i, j, d: Relation(0, "weird"),  # type: ignore[arg-type]
        lambda i, j, d: None,
    ],
)  # fmt: skip
def test_relations_that_no_rows_have_are_refused(relation) -> None:
    _, rows = from_relation(Integer(3), relation)
    with pytest.raises(InvalidInput, match=r"relations that rows can have|a Relation with"):
        rows.placed(3)


@pytest.mark.parametrize("alias", ["iid", "orthogonal", "ORF"])
def test_a_name_in_use_cannot_become_an_alias(alias: str) -> None:
    with pytest.raises(InvalidInput, match="which means"):
        coupling("triple", "", "", rows=Rows(3, axis=0, norm=0), aliases=(alias,))
    assert find_coupling("iid").size(3) == 1


@pytest.mark.parametrize("name", ["a,b", "é\x00\n", "", "two words/", None])
def test_names_are_words(name: object) -> None:
    with pytest.raises(InvalidInput, match="one word"):
        names.add("coupling", name)  # type: ignore[arg-type]


def test_a_declaration_without_a_sampler_is_named_as_such() -> None:
    coupling("no-sampler", "", "")
    try:
        with pytest.raises(InvalidInput, match="a sampler"):
            Mechanism("positive", "no-sampler", 4)
    finally:
        forget("no-sampler")


MIXED = {
    "two slopes": Term(2 * (x + y), x * y - 2 * (x + y) ** 2, weight=HALF),
    "two quadratic forms": Term(sqrt(1 + HALF) * (x + y), -SQUARES, -HALF / 2, weight=HALF),
    "a wave besides": Term(I * (x + y), x * y + (x + y) ** 2 / 2, weight=HALF),
}


@pytest.mark.parametrize("kind", MIXED)
def test_moments_of_mixed_terms_are_those_of_the_law_or_not_known(kind: str) -> None:
    feature = FeatureMap(kind, "", "", (Term(x + y, -SQUARES, weight=HALF), MIXED[kind]))
    law = Law(feature, find_coupling("iid"), 1, PAIR)
    if kind == "two slopes":
        assert certify(lambda: central_moments_of(law, 2)[2], 15).overlaps(certify(law.variance, 15))
    else:
        with pytest.raises(NotKnown, match="integer multiples"):
            central_moments_of(law, 2)


def test_a_quadratic_form_of_the_inputs_is_no_multiple_of_the_identity() -> None:
    feature = FeatureMap("inputs in Q", "", "", (Term(x + y, -SQUARES, x / 10),))
    law = Law(feature, find_coupling("iid"), 1, Inputs.of_vectors(["0.5", "2"], ["0.1", "0.3"]))
    assert abs(float(certify(law.mean, 12).ball) - 1.761959255157) < 1e-11


@pytest.mark.parametrize("d", [1, 2])
def test_axes_may_be_independent_and_numbered_at_will(d: int) -> None:
    independent = Coupling("two", "", "", Rows(2), None)
    shifted = Coupling("shifted", "", "", Rows(D, axis=i + 7))
    inputs = Inputs.of_norms(d, sum_norm="0.5")
    for declared, m in ((independent, 2), (shifted, d)):
        law = Law(find_map("positive"), declared, m, inputs)
        assert certify(lambda law=law: central_moments_of(law, 2)[2], 12).overlaps(certify(law.variance, 12))


def test_a_mean_that_does_not_exist_is_refused() -> None:
    A = Symbol("A")
    gerf = find_map("gerf")
    careless = FeatureMap(
        "careless", "", "", gerf.terms, parameters=(Parameter(A, "A"), *gerf.parameters[1:])
    )
    with pytest.raises(OutsideDomain, match="infinite"):
        Law(careless, find_coupling("iid"), 1, PAIR, {"A": "0.3"}).mean()


def test_one_number_for_all_coordinates_is_a_multiple_of_the_identity() -> None:
    one = Law(
        find_map("anisotropic"), find_coupling("simplex"), 5, Inputs.of_norms(4, sum_norm=1), {"A": "-0.1"}
    )
    same = Law(find_map("gerf"), find_coupling("simplex"), 5, Inputs.of_norms(4, sum_norm=1), {"A": "-0.1"})
    with ctx.workprec(80):
        assert one.variance().overlaps(same.variance())
        assert one.variance() < arb(1)


def test_a_declaration_that_is_refused_leaves_no_alias() -> None:
    with pytest.raises(InvalidInput, match="a name of its own"):
        declare_coupling(Coupling("iid", "", "", aliases=("quite-new",)))
    assert names.canonical("coupling", "quite-new") == "quite-new"


@pytest.mark.parametrize("d", [1, 2, 3, 6, 7])
def test_pairs_are_counted_by_groups_as_one_by_one(d: int) -> None:
    load_declared()
    for name, declared in COUPLINGS.items():
        if d < declared.min_dim:
            continue
        rows = declared.block(d)
        for m in range(1, len(rows) + 1):
            every = Counter(declared.relation(one, other, d) for one, other in combinations(rows[:m], 2))
            every.pop(INDEPENDENT, None)
            assert declared.pairs(d, m) == every, (name, m)


def test_pairs_in_groups_are_counted_once_and_without_all_angles() -> None:
    asked = []

    def cosine(i: int, j: int, d: int) -> Rational:
        asked.append((i, j))
        return -HALF if i // 3 == j // 3 else Rational(0)

    planes = Coupling("planes", "", "", Rows(3 * (D // 2)), cosine, group=3)
    counts = planes.pairs(1000, 1500)
    assert counts == {Relation(-HALF): 1500, ORTHOGONAL: 1500 * 1499 // 2 - 1500}
    assert len(asked) < 7000  # of a million pairs
    before = len(asked)
    assert planes.pairs(1000, 3000) == Counter({key: 2 * n for key, n in counts.items()})
    assert len(asked) == before


def test_groups_outside_of_which_angles_differ_are_refused() -> None:
    declared = Coupling("wrong", "", "", Rows(D), lambda i, j, d: HALF if i + j == 4 else 0, group=2)
    with pytest.raises(InvalidInput, match="different groups"):
        declared.block(4)
    with pytest.raises(InvalidInput, match="group of wrong"):
        replace(declared, group=-1)
    late = Coupling("late", "", "", Rows(D), lambda i, j, d: HALF if {i, j} == {80, 81} else 0, group=1)
    with pytest.raises(InvalidInput, match="different groups"):
        late.block(90)


@pytest.mark.parametrize("m", [-1, 2.5, True])
def test_pairs_are_those_of_a_number_of_rows(m: object) -> None:
    with pytest.raises(InvalidInput, match="m: needs an integer of at least 0"):
        find_coupling("orthogonal").pairs(3, m)


def test_blocks_or_angles_that_depend_on_draws_have_no_law_of_pairs() -> None:
    for how, why in (({"blocks": False}, "blocks depend"), ({"angles": False}, "angles vary")):
        assert why in Coupling("own", "", "", **how).pairs_unknown
        assert Coupling("own", "", "", **how, pairs_unknown="so").pairs_unknown == "so"
