"""Declarations that no rows or features can satisfy are refused; unusual ones that exist get their own law."""

from __future__ import annotations

import builtins
import linecache
import types
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import wraps
from itertools import combinations

import pytest
from flint import arb, ctx
from sympy import I, Rational, Symbol, sqrt
from sympy.external.ntheory import sqrt as integer_root

from rftheory import names
from rftheory.author import EQUAL, ORTHOGONAL, Relation, Row, Term, coupling, forget, independent_axes, x, y
from rftheory.author import d as D
from rftheory.author import sqrt as root
from rftheory.errors import DeclarationFailed, InvalidInput, NotKnown, OutsideDomain
from rftheory.exact.enclosure import certify
from rftheory.exact.frame_moments import central_moments_of
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import Law
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
    frame,
)
from rftheory.spec.coupling import from_relation
from rftheory.spec.reading import NotReadable, divisors_in, rows_of, size_of, value_of
from rftheory.spec.relation import INDEPENDENT

SQUARES, HALF = (x**2 + y**2) / 2, Rational(1, 2)
FRAME = lambda d: [Row(i, i) for i in range(d)]  # noqa: E731
PAIR = Inputs.of_norms(2, sum_norm="0.5")


@pytest.mark.parametrize(
    ("d", "options", "error"),
    [
        (4, {"cosine": lambda i, j, d: Fraction(-9, 10)}, "at least -1/3"),
        (4, {"cosine": lambda i, j, d: Fraction(3, 2)}, "from -1 to 1"),
        (4, {"cosine": lambda i, j, d: "1/2"}, "an exact cosine"),
        (2, {"rows": lambda d: FRAME(d + 1)}, "d >= 3 for 3 axes"),
        (4, {"cosine": lambda i, j, d: HALF if i < j else -HALF}, "one cosine"),
        (3, {"cosine": lambda i, j, d: HALF if i < j else -HALF, "equal_angles": False}, r"\(j, i\)"),
        (3, {"cosine": lambda i, j, d: -Rational(9, 10), "equal_angles": False}, "unit vectors can have"),
        (2, {"rows": lambda d: FRAME(3), "equal_angles": False}, "the rank"),
        (2, {"rows": lambda d: [Row(0.5, 0)]}, "Row"),  # type: ignore[arg-type]
        (2, {"rows": lambda d: 5}, "TypeError"),
        (2, {"rows": lambda d: FRAME(d // 0)}, "ZeroDivisionError"),
        (10**9, {}, "d <= 1000000"),
        # one independent axis besides, axes beyond a few hundred, and groups
        (50, {"rows": lambda d: FRAME(40), "equal_angles": False,
              "cosine": lambda i, j, d: None if 39 in (i, j) else -HALF}, "unit vectors can have"),
        (400, {"equal_angles": False, "cosine": lambda i, j, d: -HALF}, "at most 384 axes"),
        (400, {"equal_angles": False, "group": 10, "cosine": lambda i, j, d: -HALF}, "unit vectors can have"),
        (90, {"rows": lambda d: FRAME(80), "equal_angles": False, "group": 40,
              "cosine": lambda i, j, d: None if i // 40 != j // 40 else -HALF}, "unit vectors can have"),
        (9, {"rows": lambda d: FRAME(3), "equal_angles": False,
             "cosine": lambda i, j, d: None if {i, j} == {0, 1} else -Rational(9, 10)}, "angles between all axes"),
        (9, {"rows": lambda d: FRAME(6), "equal_angles": False, "group": 2,
             "cosine": lambda i, j, d: None if {i, j} == {0, 1} else 0}, "angles between all axes"),
        (30, {"rows": lambda d: FRAME(30), "equal_angles": False, "group": 3,
              "cosine": lambda i, j, d: HALF if i // 3 == j // 3 else -Rational(1, 13)}, "unit vectors can have"),
        (1001, {"rows": lambda d: FRAME(1503), "equal_angles": False, "group": 3,
                "cosine": lambda i, j, d: -HALF if i // 3 == j // 3 else 0}, "d >= 1002, the rank"),
        (3, {"rows": lambda d: FRAME(4), "equal_angles": False, "group": 2,
             "cosine": lambda i, j, d: Fraction(-1, 3) - Fraction(i // 2 == j // 2, 10**12)}, "unit vectors can have"),
    ],
)  # fmt: skip
def test_blocks_that_do_not_exist_are_refused(d: int, options: dict, error: str) -> None:
    declared = Coupling("impossible", "", "", **{"rows": FRAME, **options})
    with pytest.raises((InvalidInput, DeclarationFailed), match=error):
        declared.block(d)


def test_a_simplex_of_one_row_more_than_dimensions_exists() -> None:
    declared = Coupling("d + 1", "", "", lambda d: FRAME(d + 1), lambda i, j, d: Fraction(-1, d))
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
    declared = Coupling("own", "", "", lambda d: FRAME(rows), cosine, equal_angles=False, group=group)
    assert declared.size(d) == rows


def test_a_coupling_stands_for_what_its_names_meant() -> None:
    made = [Coupling("own", "", "", lambda d: [Row(i, i, s) for i in range(d)]) for s in (1, -1)]  # noqa: B023
    with pytest.raises(InvalidInput, match="keep the value: lambda d, s=s"):
        made[0].block(3)
    assert made[1].size(3) == 3
    kept = [Coupling("own", "", "", lambda d, s=s: [Row(i, i, s) for i in range(d)]) for s in (1, -1)]
    assert [one.block(1)[0].sign for one in kept] == [1, -1]


def test_names_may_be_defined_until_a_coupling_is_used() -> None:
    around = {"Row": Row, "__name__": "a note"}
    exec("rows = lambda d: helper(d)\ncosine = lambda i, j, d: ANGLES[0]\nANGLES = [0]", around)
    own = Coupling("own", "", "", around["rows"], around["cosine"])  # type: ignore[arg-type]
    exec("helper = lambda d: [Row(i, i) for i in range(N * d)]\nN = 1", around)
    assert own.pairs(3, 3) == {ORTHOGONAL: 3}
    for later in ("N = 2", "helper = lambda d: []", "ANGLES.append(0)", "range = reversed", "del N"):
        before = dict(around, ANGLES=[0])
        exec(later, around)
        with pytest.raises(InvalidInput, match="names that stand for the same"):
            own.pairs(3, 3)
        around["ANGLES"][:] = [0]
        around.pop("range", None)
        around.update(before, ANGLES=around["ANGLES"])
    assert own.pairs(3, 3) == {ORTHOGONAL: 3}


def test_what_functions_keep_themselves_may_grow() -> None:
    kept: dict[int, list[Row]] = {}
    asked, signs = [], [1]

    def rows(d: int) -> list[Row]:
        asked.append(d)
        if d not in kept:
            kept[d] = [Row(i, i, signs[0]) for i in range(d)]
        return kept[d]

    own = Coupling("own", "", "", rows)
    assert own.size(2) == 2
    assert own.size(3) == 3
    signs[0] = -1
    with pytest.raises(InvalidInput, match="another signs"):
        own.block(4)


def test_objects_and_methods_are_looked_into() -> None:
    class Own:
        def __init__(self) -> None:
            self.sign = 1

        def rows(self, d: int) -> list[Row]:
            return [Row(i, i, self.sign) for i in range(d)]

    changed, same = Own(), Own()
    declared = [Coupling("own", "", "", one.rows) for one in (changed, same)]
    changed.sign = -1
    assert declared[1].size(3) == 3
    with pytest.raises(InvalidInput, match="another sign"):
        declared[0].block(3)


def test_the_relation_of_a_coupling_keeps_its_names() -> None:
    made = [
        coupling(f"own-{s}", rows=2, relation=lambda i, j, d: EQUAL if s > 0 else ORTHOGONAL)  # noqa: B023
        for s in (1, -1)
    ]
    try:
        with pytest.raises(InvalidInput, match="another s'"):
            made[0].block(3)
        assert made[1].size(3) == 2
    finally:
        forget("own-1"), forget("own--1")


def test_norms_of_an_unknown_kind_are_refused() -> None:
    with pytest.raises(InvalidInput, match="chi or fixed"):
        Coupling("wrong", "", "", FRAME, norms="weird")  # type: ignore[arg-type]


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
    _, rows = from_relation(lambda d: 3, relation)
    with pytest.raises(InvalidInput, match=r"relations that rows can have|a Relation with"):
        rows(3)


@pytest.mark.parametrize("alias", ["iid", "orthogonal", "ORF"])
def test_a_name_in_use_cannot_become_an_alias(alias: str) -> None:
    with pytest.raises(InvalidInput, match="which means"):
        coupling("triple", "", "", rows=lambda d: [Row(0, 0)] * 3, aliases=(alias,))
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
    independent = Coupling("two", "", "", lambda d: [Row(0, 0), Row(1, 1)], independent_axes)
    shifted = Coupling("shifted", "", "", lambda d: [Row(i + 7, i) for i in range(d)])
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
        declare_coupling(Coupling("iid", "", "", FRAME, aliases=("quite-new",)))
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

    planes = Coupling("planes", "", "", lambda d: FRAME(3 * d // 2), cosine, equal_angles=False, group=3)
    counts = planes.pairs(1000, 1500)
    assert counts == {Relation(-HALF): 1500, ORTHOGONAL: 1500 * 1499 // 2 - 1500}
    assert len(asked) < 7000  # of a million pairs
    before = len(asked)
    assert planes.pairs(1000, 3000) == Counter({key: 2 * n for key, n in counts.items()})
    assert len(asked) == before


def test_groups_outside_of_which_angles_differ_are_refused() -> None:
    declared = Coupling(
        "wrong", "", "", FRAME, lambda i, j, d: HALF if i + j == 4 else 0, equal_angles=False, group=2
    )
    with pytest.raises(InvalidInput, match="different groups"):
        declared.block(4)
    with pytest.raises(InvalidInput, match="group of wrong"):
        replace(declared, group=-1)
    late = Coupling(
        "late", "", "", FRAME, lambda i, j, d: HALF if {i, j} == {80, 81} else 0, equal_angles=False, group=1
    )
    with pytest.raises(InvalidInput, match="different groups"):
        late.block(90)


def test_blocks_or_angles_that_depend_on_draws_have_no_law_of_pairs() -> None:
    for how, why in (({"blocks": False}, "blocks depend"), ({"angles": False}, "angles vary")):
        assert why in Coupling("own", "", "", FRAME, **how).pairs_unknown
        assert Coupling("own", "", "", FRAME, **how, pairs_unknown="so").pairs_unknown == "so"


def counting(d: int) -> list[Row]:
    rows, count = [], 0
    for i in range(d):
        rows.append(Row(i, i - 299 * (count // 300)))
        count = count + 1
    return rows


def stopping(d: int) -> list[Row]:
    rows = []
    for i in range(d):
        if i == 300:
            break
        rows.append(Row(i, i))
    return rows


def forgetting(d: int) -> list[Row]:
    rows = [Row(i, i) for i in range(d)]
    del rows[300:]
    return rows


def capping(function):
    return wraps(function)(lambda d: function(d)[:300])


def through_another_name(d: int) -> list[Row]:
    rows = [Row(i, i) for i in range(d)]
    same = rows
    same.append(Row(d, d))
    return rows


def decorated_with(first):
    return lambda other: other


@decorated_with(lambda d: [Row(i, i) for i in range(d)])
def beside_another(d: int) -> list[Row]:
    return [Row(i, i) for i in range(d)][:20]


i = 0


def leaving(d: int) -> list[Row]:
    rows = []
    for i in range((d - 1) * (d - 2), (d - 1) * (d - 2) + 1):  # noqa: B007
        rows.append(Row(0, 0))
    rows.append(Row(1, i))
    return rows


def calling_itself(d: int) -> list[Row]:
    return [Row(0, 0), *calling_itself(d)]


def late_generator(d: int) -> list[Row]:
    n = 0
    more = (Row(i, i + n) for i in range(d))
    n = d
    return [*more, Row(n, n)]


def generated(d: int):
    return (Row(i, i) for i in range(d))


def twice_generated(d: int) -> list[Row]:
    rows = generated(d)
    return [*rows, *rows]


def left_over(d: int) -> list[Row]:
    rows = []
    for s in (1, -1):
        for d in range(d):  # noqa: B020
            rows.append(Row(d, d, s))
    return rows


def zero_times_a_fraction(d: int) -> list[Row]:
    n = 0 * Fraction(1, d - 50)
    return [Row(i, i + n) for i in range(d)]


def with_a_number(d: int, n: Fraction) -> list[Row]:
    return [Row(i, i) for i in range(d)]


__k = 0
_Mangling__k = 1


class Mangling:
    def rows(d):
        return [Row(i, i + __k * d) for i in range(d)]


class Changing(types.ModuleType):
    K = property(lambda self: 1)


CHANGING = Changing("changing")


class Capped(int):
    def __mul__(self, other: int) -> int:
        return min(other, 20)


CAPPED = Capped(1)


@pytest.mark.parametrize(
    "rows",
    [
        late_generator,
        twice_generated,
        left_over,
        zero_times_a_fraction,
        Mangling.rows,
        lambda d: with_a_number(d, Fraction(1, d - 50)),
        lambda d: [Row(i, i * CHANGING.K) for i in range(d)],
        lambda d: generated(d) + [Row(d, d)],  # noqa: RUF005
        beside_another,
        leaving,
        calling_itself,
        lambda d: [Row(i, i) for i in range(CAPPED * d)],
        lambda d: [Row(0, 0), *[Row(0, i, -1) for i in range(d)]],
        lambda d: [Row(i + 0 * (d := min(d, 20)), i) for i in range(d)],
        counting,
        stopping,
        forgetting,
        through_another_name,
        capping(FRAME),
        lambda d: [Row(i, i) for i in range(d)][:32],
        lambda d: [Row(i, i) for i in range(d) if i < 32],
        lambda d: [Row(i, i) for i in range(min(d, 32))],
        lambda d: [Row(i, i) for i in range(d)] if d < 32 else [Row(0, 0)],
        lambda d: [Row(i, i) for i in range(18 - d)],
        lambda d: [Row(i, i) for i in range(32, d)],
        lambda d: [Row(i, i) for i in range(d) for j in range(d)],
        lambda d: [Row(i, i, s) for i in range(d) for s in (1, -1)],
        lambda d: [Row(i, i) for i in range(0, d, 2)],
        lambda d: [Row(*(i, i)) for i in range(d)],
        lambda d: [Row(2 * i, i) for i in range(d)],
        FRAME.__call__,
        eval("lambda d: [Row(i, i) for i in range(d)]"),
    ],
)
def test_only_loops_without_conditions_are_read(rows) -> None:
    with pytest.raises(NotReadable):
        rows_of(rows, 1)


def twice(i: int, k: int) -> int:
    return 2 * i // k


@pytest.mark.parametrize(
    "rows",
    [
        lambda d: [Row(i + 0 * (d := 20), i) for i in range(d)],
        lambda d: [Row(i, FRAME(d).pop().norm) for i in range(d)],
        lambda d: [Row(i, next(iter((i,)))) for i in range(d)],
        lambda d: [Row for i in range(d)],
        lambda d: [Row(i, i // (d - 50) * 0 + i) for i in range(d)],
        lambda d: [Row(i, i % (d - 50)) for i in range(d)],
        lambda d: [Row(i, 0 * 0 ** (50 - i)) for i in range(d)],
        lambda d: [Row(i, i << (50 - i)) for i in range(d)],
        lambda d: [Row(i, SIGNS[i // 50]) for i in range(d)],
        lambda d: [Row(i, i if i < 50 else i // 0) for i in range(d)],
        lambda d: [Row(i, min(range(i, 50))) for i in range(d)],
        lambda d: [Row(i, twice(i, 50 - i)) for i in range(d)],
    ],
)
def test_where_a_row_may_do_more_their_number_is_not_read(rows) -> None:
    with pytest.raises(NotReadable):
        size_of(rows, 1)


def test_the_number_of_rows_is_read_whatever_plain_rows_they_are() -> None:
    half = lambda i: min(i, 3) // 2  # noqa: E731
    assert size_of(lambda d: [Row(*(i, half(i))) for i in range(2 * d)], 1) == 2 * D
    assert size_of(lambda d: [Row(i // 2, i % 2, reflected=i % 2 == 1) for i in range(d)], 1) == D


def test_what_is_not_read_is_named() -> None:
    with pytest.raises(NotReadable, match=r"a loop with a condition over: range\(d\)"):
        rows_of(lambda d: [Row(i, i) for i in range(d) if i < 32], 1)
    with pytest.raises(NotReadable, match=r"no sum or product of integers: min\(d, 32\)"):
        rows_of(lambda d: [Row(i, i) for i in range(min(d, 32))], 1)


SIGNS = (1, -1)


def appended(d: int) -> list[Row]:
    """Rows that are added one after the other, and a list of them."""
    rows = []
    for s in SIGNS:
        for i in range(d):
            rows.append(Row(i, i, s))
    rows.append(Row(d, d))
    rows += [Row(d + 1, d + 1)]
    rows.extend(Row(i, d + 2) for i in range(3))
    return rows


@decorated_with(None)
def in_steps(d: int) -> list[Row]:
    n = 2 * d
    signs = (1, -1)
    rows: list[Row] = [Row(n, n)]
    n = n + 1
    rows.append(Row(n, n))
    return rows + [Row(i, i, s) for s in signs for i in range(n)]


both = [lambda d: [Row(i, 0) for i in range(d)], lambda d: [Row(i, i) for i in range(2 * d)]]


@pytest.mark.parametrize(
    "rows",
    [
        appended,
        in_steps,
        *both,
        lambda d: [*frame(d), *in_steps(d), Row(9 * d, 9 * d)],
        lambda d: [*generated(d), Row(d, d)],
        lambda d, more=1: [Row(i, i) for i in range(d + more)],
        lambda d: [Row(axis=i, norm=i + d, sign=s) for s in SIGNS for i in range(1, d)],
        lambda d: [Row(i, n, 1 - 2 * n, r) for n, r in ((0, False), (1, True)) for i in range(3 * d)],
        lambda d: [Row(0, 0), Row(1, 0)] + [Row(i + 2, 0) for i in range(d)],
    ],
)
def test_what_is_read_is_what_the_function_returns(rows) -> None:
    families = rows_of(rows, 1)
    for d in (1, 2, 7, 100):
        read = [
            Row(
                int(f.axis.subs(D, d)) + i, int(f.norm.subs(D, d)) + i * (not f.one_norm), f.sign, f.reflected
            )
            for f in families
            for i in range(int(f.length.subs(D, d)))
        ]
        assert read == rows(d)
        assert size_of(rows, 1).subs(D, d) == len(rows(d))


class AlwaysEqual:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    def __call__(self, over: int, under: int) -> Fraction:
        return Fraction(over, under) if under < 20 else HALF


EQUAL_TO_ALL = AlwaysEqual()


def caught(i: int, j: int, d: int) -> object:
    try:
        return HALF if d > 40 else 0
    except Exception:
        return 0


@pytest.mark.parametrize(
    "cosine",
    [
        lambda i, j, d: HALF if d == 24 else 0,
        lambda i, j, d: HALF * (i - j),
        lambda i, j, d: {40: HALF}.get(d, 0),
        lambda i, j, d: 1 / d,
        lambda i, j, d: d**-1,
        lambda i, j, d: min(HALF, Fraction(1, d)),
        lambda i, j, d: [HALF, 0][i],
        lambda i, j, d: EQUAL_TO_ALL(0, d),
        lambda i, j, d: Fraction(integer_root(d * d + 1) ** 2 - d * d - 1, d**20),
        caught,
    ],
)
def test_a_cosine_with_conditions_is_not_read(cosine) -> None:
    with pytest.raises(NotReadable):
        value_of(cosine, None, None, D)


def test_cosines_are_read_as_exact_expressions() -> None:
    assert value_of(lambda i, j, d: -1 / sqrt(5), None, None, D) == -1 / sqrt(5)
    assert value_of(lambda i, j, d: -1 / root(5), None, None, D) == -1 / sqrt(5)
    assert value_of(lambda i, j, d: Fraction(-1, d**2 + 1) * HALF, None, None, D) == -HALF / (D**2 + 1)
    assert value_of(independent_axes, None, None, D) is None
    assert divisors_in(lambda i, j, d: 0 * Fraction(1, d - 50) + HALF / sqrt(d), None, None, D) == [
        sqrt(D),
        D - 50,
    ]


def test_angles_that_are_not_read_are_all_compared_or_refused() -> None:
    odd = Coupling("odd", "", "", FRAME, lambda i, j, d: HALF if {i, j} == {500, 501} else 0)
    assert odd.block(500)
    with pytest.raises(InvalidInput, match="one cosine for all axes"):
        odd.block(502)
    with pytest.raises(InvalidInput, match="more than 1000 axes"):
        odd.block(1001)
    assert Coupling("read", "", "", FRAME, lambda i, j, d: 0).block(1001)


def test_builtins_are_those_of_the_function() -> None:
    source = "rows = lambda d: [Row(i, i) for i in range(d)]\n"
    linecache.cache["odd.py"] = (len(source), None, [source], "odd.py")
    around = {"Row": Row, "__builtins__": {**vars(builtins), "range": lambda n: range(min(n, 20))}}
    exec(compile(source, "odd.py", "exec"), around)
    with pytest.raises(NotReadable):
        rows_of(around["rows"], 1)
    exec(compile(source, "odd.py", "exec"), plain := {"Row": Row})
    assert size_of(plain["rows"], 1) == D
