"""Contradictions between statements: planted ones are found, and what is consistent is left alone."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
import sympy
from flint import arb

from rftheory.author import (
    O,
    conformity,
    counted,
    d,
    decreasing,
    equal,
    exp,
    formula,
    iid,
    increasing,
    limit,
    m,
    mse,
    oo,
    orthogonal,
    positive,
    simplex,
    v,
)
from rftheory.exact.proof import derivation
from rftheory.papers import CATALOGUE
from rftheory.papers.claim import Claim
from rftheory.statement.contradictions import (
    Contradiction,
    Link,
    Said,
    _is_false,
    contradictions,
    links_of,
    of_checks,
    of_statement,
)
from rftheory.statement.domain import Domain
from rftheory.statement.evidence import Derived, FailingStep, Identity
from rftheory.statement.statement import Statement
from rftheory.statement.words import Direction, Side, claimed

x, y = sympy.symbols("x y", real=True)
AT_ZERO = limit(abs(x) / x, x, 0)
OPAQUE = [Side(sympy.Function(name)(d)) for name in "fgh"]
"""Quantities that nothing can evaluate: what contradicts here does so by the orderings alone."""
F, G, H = OPAQUE
rho = conformity(orthogonal)


def found(*claims: object, over: tuple[object, ...] = (), fails: tuple[int, ...] = ()) -> list[Contradiction]:
    """Contradictions among statements a, b, c, ...; those numbered are recorded to fail."""
    mine = []
    for number, one in enumerate(claims):
        claim, where = one if isinstance(one, tuple) else (one, over)
        said = Statement("abcd"[number], "", claimed(claim), Domain.of(claimed(claim), where))
        mine += of_statement(said, refuted=number in fails)
    return contradictions(mine)


@pytest.mark.parametrize(
    ("claims", "guilty"),
    [
        ((F < G, G <= F), "ab"),
        ((F <= G, G <= H, H < F), "abc"),
        ((F == G, F == G + 1), "ab"),
        ((F == 1, F == 2), "ab"),
        ((F < 1, G > 2, F >= G), "abc"),
        ((increasing(F, d), decreasing(F, d)), "ab"),
        ((limit(F, d, oo) == 1, limit(F, d, oo) < 1), "ab"),
        ((equal(AT_ZERO, 1), (equal(AT_ZERO, -1), x < 0)), "ab"),
        ((rho < 1 + v**2,), "a"),
        ((mse(positive(simplex, m=m)) >= mse(positive(iid, m=m)),), "a"),
        ((((F < G), (d >= 5,)), ((G < F), (d <= 5,))), "ab"),
    ],
)
def test_a_planted_contradiction_is_found(claims: tuple[object, ...], guilty: str) -> None:
    assert tuple(guilty) in [one.ids for one in found(*claims)]


@pytest.mark.parametrize(
    "claims",
    [
        (F <= G, G <= F),
        (F < G, G < H, F < H),
        (F == G, F == H, G == H),
        (rho <= exp(v**2), rho >= 1, increasing(rho, v)),
        ((equal(AT_ZERO, 1), x > 0), (equal(AT_ZERO, -1), x < 0)),
        (F < 1, F < 2, G > 3),
        (((F < G), (d >= 6,)), ((G < F), (d <= 5,))),
        (limit(F, d, oo) == 1, F > 1),
        (limit(exp(d), d, oo) == oo, limit(exp(d), d, oo) + 1 == oo),
        (counted("does not run", lambda n: [][n])(d) == 1, F < 1),
        (equal(F, O(1 / d)), equal(G, O(1 / d)), F < G),
        (equal(limit(Side(sympy.Function("f")(x)), x, y), y),),
        ((equal(AT_ZERO, 1), x > y), (equal(AT_ZERO, -1), x < y)),
    ],
)
def test_what_is_consistent_is_left_alone(claims: tuple[object, ...]) -> None:
    assert found(*claims) == []


def test_true_statements_are_not_accused_with_a_guilty_pair() -> None:
    """They fit into circles of the pair, because its numbers are below and above their sides."""
    (only,) = found(F == 1, F == 3, rho <= exp(v**2), increasing(rho, v))
    assert only.ids == ("a", "b")
    assert len(only.links) == 3


@pytest.mark.parametrize(("claims", "lines"), [((F == 3, F == 1), 3), ((F == G, G == H, F == H + 1), 4)])
def test_no_expression_is_passed_twice(claims: tuple[object, ...], lines: int) -> None:
    (only,) = found(*claims)
    assert len({link.low for link in only.links}) == len(only.links) == lines


def test_what_is_guilty_alone_accuses_no_other() -> None:
    assert [one.ids for one in found(rho < 1, rho >= 1, F < G, G < F)] == [("a",), ("c", "d")]


@pytest.mark.parametrize("seed", range(20))
def test_the_guilty_sets_are_all_that_contradict_and_have_no_part_that_does(seed: int) -> None:
    draw = random.Random(seed)
    sides = [
        *(sympy.Function("f")(n) for n in range(4)),
        sympy.Function("f")(0) + 1,
        *map(sympy.Integer, (1, 2)),
    ]
    drawn = [
        (draw.choice("abcde"), draw.choice((sympy.Le, sympy.Lt, sympy.Eq)), draw.sample(sides, 2))
        for _ in range(9)
    ]
    mine = [Said(name, order(*ends), None, ({},)) for name, order, ends in drawn]
    smallest: list[tuple[str, ...]] = []
    for ids in (ids for size in range(1, 6) for ids in combinations("abcde", size)):
        larger = any(set(one) <= set(ids) for one in smallest)
        if not larger and contradictions([said for said in mine if said.id in ids]):
            smallest.append(ids)
    assert sorted(one.ids for one in contradictions(mine)) == sorted(smallest)


def test_a_side_without_a_value_is_not_compared() -> None:
    p, q = sympy.symbols("p q")
    at_zero = ({"p": sympy.Integer(0), "q": sympy.Integer(0)},)
    assert contradictions([Said("a", p / q >= 5, None, at_zero), Said("b", p / q <= 1, None, at_zero)]) == []


def test_what_fails_here_must_not_hold_there() -> None:
    assert [one.ids for one in found(F < G, F < G, fails=(0,))] == [("a", "b")]
    assert found(((F < G), (d >= 1,)), ((F < G), (d >= 2,)), fails=(0,)) == []
    assert found(((F < G), (d >= 2,)), ((F < G), (d >= 1,)), fails=(0,))
    assert found((equal(AT_ZERO, 1), x < 0), (equal(AT_ZERO, 1), x > 0), fails=(0,)) == []
    assert found((equal(AT_ZERO, 1), x < 0), (equal(AT_ZERO, 1), ()), fails=(0,))
    assert found(equal(AT_ZERO, 1), equal(AT_ZERO, 1), fails=(0,))
    assert [one.ids for one in found(F < G, G < H, G < H, fails=(0, 1))] == [("b", "c")]
    less, known = sympy.Lt(v, sympy.Function("f")(v)), Domain({})
    silent = Said("a", sympy.true, None, ())
    assert contradictions([Said("a", less, known, (), True), silent, Said("b", less, known, ())])
    assert contradictions([Said("a", less, known, (), True), Said("b", less, None, ())]) == []


@pytest.mark.parametrize(
    ("no", "yes", "denied"),
    [
        ((v > 0,), (v > 0,), True),
        ((), (v > 0,), False),
        ((v > 0,), (), True),
        ((v <= 1,), (v < 1,), False),
        ((v < 1,), (v < 1,), True),
        ((v < 1,), (v <= 1,), True),
        ((v <= 3,), (v <= 2,), False),
        ((v <= 2,), (v <= 3,), True),
        ((v >= 1,), (v <= 3,), False),
        ((v >= 1, v <= 2), (v <= 3,), True),
        ((), (v <= d,), False),
        ((v <= d,), (), True),
    ],
    ids=str,
)
def test_a_denial_is_one_on_a_part_of_the_domain(no: tuple, yes: tuple, denied: bool) -> None:
    one, other = (Side(sympy.Function(name)(v, d)) for name in "fg")
    assert bool(found((one < other, no), (one < other, yes), fails=(0,))) is denied


def test_equal_numbers_refute_only_that_one_is_less() -> None:
    equals = {F.expression: arb(1), G.expression: arb(1)}
    assert [_is_false(Link(*equals, strict), equals) for strict in (True, False)] == [True, False]


def test_a_direction_at_points_alone_says_nothing_of_the_next_one() -> None:
    rises = Direction(sympy.Function("f")(d), d, sympy.S.One)
    assert links_of(Said("a", rises, None, ({"d": sympy.Integer(2)},))) == []


def test_the_points_of_others_are_tried() -> None:
    """The first is true at its own simple points, false at one that the other brings along."""
    own = equal(sympy.Symbol("q"), sympy.Symbol("q") + sympy.floor(sympy.Symbol("q") / 50) * 7)
    assert found((own, (sympy.Symbol("q") > 0,))) == []
    brought = (equal(sympy.Symbol("q"), 2 * sympy.Symbol("q") - sympy.Symbol("q")), (sympy.Symbol("q") > 49,))
    assert [one.ids for one in found((own, (sympy.Symbol("q") > 0,)), brought)] == [("a",)]


def test_relations_of_evidence_by_hand_count() -> None:
    x = sympy.Symbol("x", positive=True)
    wrong = Identity("wrong", formula("orf_conformity", d=3, v=x).expression, 1 + x, ({"x": 1},))
    (only,) = contradictions(Claim("n.a", "ours", "", "none", (wrong,)).said)
    assert only.ids == ("n.a",)


def test_a_derivation_says_its_conclusion_and_a_refuted_step_nothing() -> None:
    whole, false = Derived("simplex.cor3.3"), FailingStep("simplex.thm3.4", "simplex.thm3.4/(46)")
    said, silent = of_checks("n.a", (whole, false))
    last = derivation("simplex.cor3.3").statement
    assert said.relation.args == (last.left, last.right)
    assert {s.name for s in said.domain.symbols} == {
        "d",
        "v",
    }
    assert silent.relation == sympy.true
    assert silent.points


@pytest.mark.parametrize("entry", ["simplex.thm3.2", "simplex.added.1F1", "chefs.thm4.1"])
def test_the_catalogue_agrees_with_itself(entry: str) -> None:
    mine = CATALOGUE.claims[entry].said
    assert mine
    assert (
        contradictions(mine, [r for c in CATALOGUE.claims.values() if c.id != entry for r in c.said], most=3)
        == []
    )


def test_a_note_may_contradict_the_catalogue() -> None:
    """By orderings alone: of the least conformity it says the contrary, over a coupling that the catalogue knows."""
    claim = mse(positive(orthogonal)) < mse(positive(simplex))
    mine = of_statement(Statement("n.wrong", "", claim, Domain.of(claim, (d >= 2, v > 0))))
    others = CATALOGUE.claims["simplex.cor3.3.corrected"].said
    assert any("n.wrong" in one.ids for one in contradictions(mine, others))
