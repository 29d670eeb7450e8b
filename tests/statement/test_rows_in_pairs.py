"""Rows whose norms, or axes, are coupled in pairs, of any number of rows in any dimension, odd ones too."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest
import sympy
from flint import acb, arb, ctx
from sympy import Rational, Symbol, ceiling, floor

from rftheory.author import (
    O,
    Rows,
    conformity,
    coupling,
    d,
    decreasing,
    equal,
    exp,
    forget,
    gap,
    gaussian,
    i,
    iid,
    increasing,
    limit,
    m,
    mean,
    mse,
    oo,
    orthogonal,
    positive,
    simplex,
    trigonometric,
    v,
    z,
)
from rftheory.errors import NotKnown, RFTheoryError
from rftheory.exact.pair_law import PairForm
from rftheory.judge import Decision
from rftheory.spec import Relation
from rftheory.spec.expressions import never_negative, never_zero, period_in, with_floors
from rftheory.statement.atoms import PairCount
from rftheory.statement.domain import Domain
from rftheory.statement.pairs import pairs
from rftheory.statement.provers.proof import prove
from rftheory.statement.provers.series import Atom, Series, _no_larger, _ranked, signs, slope
from rftheory.statement.provers.signs import sign
from rftheory.statement.settle import alone
from rftheory.statement.words import claimed
from tests.statement.stating import assert_holds, assert_not_proved, stated

HALF = d // 2
NAMES = {
    "tp-paired": Rows(d, norm=i // 2, reflected=i % 2),
    "tp-shared": Rows(d, norm=i // 2),
    "tp-opposite": Rows(d, axis=i // 2, norm=i // 2, sign=1 - 2 * (i % 2)),
    "tp-halves": [Rows(d // 2), Rows(d // 2, sign=-1)],
    "tp-triples": Rows(d, norm=i // 3),
    "tp-two": Rows(2, norm=0, reflected=i),
}


@pytest.fixture(scope="module", autouse=True)
def couplings() -> Iterator[None]:
    for name, rows in NAMES.items():
        coupling(name, "", "a test", rows=rows, min_dim=2 if name in ("tp-halves", "tp-two") else 1)
    yield
    for name in NAMES:
        forget(name)


def paired(rows: object = None) -> object:
    return positive("tp-paired", m=d if rows is None else rows)


def closed_form(pairs: sympy.Expr) -> object:
    """The error of a whole block with so many pairs of norms at opposite quantiles."""
    coupled = (d * (d - 1) / 2 - pairs) * conformity(orthogonal) + pairs * conformity("tp-two")
    return exp(-(z**2)) * ((exp(v**2) - 1) / d - (d - 1) / d + 2 * exp(-(v**2)) / d**2 * coupled)


def test_the_error_of_paired_norms_has_a_closed_form() -> None:
    assert_holds(mean(paired()) == gaussian)
    assert_holds(mse(paired()) == closed_form(HALF), d >= 2)
    assert_holds(mse(paired()) == closed_form(d - ceiling(d / 2)), d >= 2)
    assert_not_proved(mse(paired()) == closed_form(d / 2), d >= 2)
    assert_not_proved(mse(paired()) == closed_form(ceiling(d / 2)), d >= 2)


def closed_gap(pairs: sympy.Expr) -> object:
    """What is saved by m rows of one block with so many pairs of norms at opposite quantiles."""
    coupled = (m * (m - 1) / 2 - pairs) * conformity(orthogonal) + pairs * conformity("tp-two")
    return 2 / m**2 * exp(-(z**2)) * (m * (m - 1) / 2 - exp(-(v**2)) * coupled)


def saved_by_waves(power: int) -> object:
    return (mse(trigonometric(orthogonal)) - mse(trigonometric("tp-paired"))) / z**power


TRUE = [
    (lambda: limit(saved_by_waves(4), z, 0) > 0, (d >= 2,)),
    (lambda: limit(saved_by_waves(2), z, 0) == 0, ()),
    (lambda: limit(saved_by_waves(4), z, 0) < HALF / (d**2 * (d + 2)), (d >= 2,)),
    (lambda: equal(mse(trigonometric("tp-paired")), mse(trigonometric(orthogonal)) + O(z**4)), ()),
    (lambda: limit((mse(positive(orthogonal)) - mse(paired())) / v**4, v, 0) > 0, (d >= 2,)),
    (lambda: mse(paired()) <= mse(positive(orthogonal)), ()),
    (lambda: mse(paired()) < mse(positive(orthogonal)), (d >= 2, v > 0)),
    (lambda: mse(paired(m)) <= mse(positive(orthogonal, m=m)), ()),
    (lambda: mse(paired(m)) < mse(positive(orthogonal, m=m)), (d >= 2, m >= 2, v > 0)),
    (lambda: mse(paired(m)) <= mse(positive(iid, m=m)), ()),
    (lambda: mse(positive(simplex)) <= mse(paired()), (d >= 2,)),
    (lambda: mse(positive(simplex, m=2 * d)) < mse(paired(2 * d)), (d >= 2, v > 0)),
    (lambda: increasing(mse(paired()), v), ()),
    (lambda: increasing(mse(paired(m)), v), ()),
    (lambda: increasing(mse(paired(m)), v), (m <= d,)),
    (lambda: mse(paired(m)) <= mse(positive(orthogonal, m=m)), (m <= d,)),
    (lambda: gap(paired(m)) == closed_gap(m // 2), (m <= d, m >= 2)),
    (lambda: increasing(gap(paired()), v), (d >= 2,)),
    (lambda: increasing(gap(paired(m)), v), (d >= 2, m >= 2)),
    (lambda: conformity("tp-paired") >= conformity("orthogonal-fixed"), (d >= 2,)),
    (lambda: conformity("tp-paired") > conformity("tp-opposite"), (d >= 2, v > 0)),
    (lambda: limit(d * mse(paired()), d, oo) == (exp(v**2) - 1 - v**4 / 2) * exp(-(z**2)), ()),
    (lambda: limit(gap(paired()) / gap(positive(orthogonal)), d, oo) == 1, (v > 0,)),
    (lambda: equal(mse(positive(orthogonal)) - mse(paired()), O(1 / d**2)), ()),
    (lambda: limit(HALF / d, d, oo) == Rational(1, 2), ()),
    (lambda: mse(positive("tp-shared")) >= mse(positive(orthogonal)), ()),
    (lambda: mse(positive("tp-opposite")) <= mse(positive(orthogonal)), ()),
    (lambda: mse(positive("tp-halves")) <= mse(positive(iid, m=2 * HALF)), (d >= 2,)),
    (lambda: mse(positive("tp-triples")) >= mse(positive("tp-shared")), ()),
]
FALSE = [
    (lambda: gap(paired(m)) == closed_gap(m / 2), (m <= d, m >= 2)),
    (lambda: limit(saved_by_waves(4), z, 0) > 0, ()),  # d = 1
    (lambda: limit(saved_by_waves(4), z, 0) < 0, (d >= 2,)),
    (lambda: limit(saved_by_waves(4), z, 0) < HALF / (d**2 * (d + 2)) / 8, (d >= 2,)),
    (lambda: limit(saved_by_waves(4), z, 0) == HALF / (d**2 * (d + 2)), (d >= 2,)),
    (lambda: equal(mse(trigonometric("tp-paired")), mse(trigonometric(orthogonal)) + O(z**5)), ()),
    (lambda: mse(paired()) < mse(positive(orthogonal)), (v > 0,)),  # d = 1
    (lambda: mse(paired()) >= mse(positive(orthogonal)), ()),
    (lambda: mse(paired(m)) < mse(positive(orthogonal, m=m)), (d >= 2, v > 0)),  # m = 1
    (lambda: mse(paired()) <= mse(positive(simplex)), (d >= 2,)),
    (lambda: mse(positive(simplex, m=2)) <= mse(paired(2)), (d >= 8, v >= 3)),
    (lambda: increasing(gap(paired()), v), ()),  # d = 1
    (lambda: increasing(gap(paired(m)), v), (d >= 2,)),  # m = 1
    (lambda: decreasing(mse(paired()), v), ()),
    (lambda: limit(d * mse(paired()), d, oo) == (exp(v**2) - 1) * exp(-(z**2)), ()),
    (lambda: limit(HALF / d, d, oo) == 1, ()),
    (lambda: equal(mse(positive(orthogonal)) - mse(paired()), O(1 / d**3)), ()),
    (lambda: mse(trigonometric("tp-paired")) <= mse(trigonometric(orthogonal)), (z >= 3,)),
    (lambda: mse(positive("tp-shared")) <= mse(positive(orthogonal)), ()),
    (lambda: mse(positive("tp-triples")) <= mse(positive("tp-shared")), ()),
    (lambda: conformity("tp-paired") <= conformity("orthogonal-fixed"), (d >= 2,)),
]


@pytest.mark.parametrize("number", range(len(TRUE)))
def test_what_is_true_of_pairs_is_proved(number: int) -> None:
    claim, over = TRUE[number]
    assert_holds(claim(), *over)


@pytest.mark.parametrize("number", range(len(FALSE)))
def test_what_is_false_of_pairs_is_not_proved(number: int) -> None:
    claim, over = FALSE[number]
    assert_not_proved(claim(), *over)


def test_what_is_false_of_a_direction_or_at_an_end_is_refuted() -> None:
    for number in (6, 7, 9, 11, 17):
        claim, over = FALSE[number]
        assert alone(stated(claim(), *over)) is Decision.FAILS


def test_no_comparison_rests_on_a_theorem() -> None:
    for claim in (
        mse(paired()) <= mse(positive(orthogonal)),
        mse(paired()) <= mse(positive(iid, m=d)),
        conformity("tp-two") <= exp(v**2),
        increasing(mse(paired()), v),
    ):
        said = stated(claim, d >= 2)
        found = prove(said.parts[0], said.domain)
        assert found is not None
        assert found.assumes == ()


# ---- floors ------------------------------------------------------------------------------------------

N = Symbol("n", integer=True, positive=True)


@pytest.mark.parametrize(
    "slope_", [Rational(1, 2), Rational(-1, 2), Rational(1, 3), Rational(2, 3), Rational(3, 2), 1]
)
@pytest.mark.parametrize("rest", [0, 1, -2, Rational(1, 2), Rational(5, 3), Rational(-7, 4)])
def test_floors_in_one_form_have_the_same_values(slope_: sympy.Expr, rest: sympy.Expr) -> None:
    inside = slope_ * N + rest
    for form in (floor(inside), ceiling(inside), floor(floor(N / 2) / 3 + 1), N % 3, floor(inside) * N):
        written = with_floors(form)
        assert not written.has(ceiling, sympy.Mod)
        for n in range(1, 14):
            assert form.subs(N, n) == written.subs(N, n)


def test_equal_floors_have_one_form() -> None:
    assert with_floors(floor(d / 2) + floor((d + 1) / 2) - d) == 0
    assert with_floors(floor(d / 3) + floor((d + 1) / 3) + floor((d + 2) / 3) - d) == 0
    assert with_floors(d % 2 + 2 * floor(d / 2) - d) == 0
    assert with_floors(floor(d / 2) - d / 2) != 0
    assert period_in(d // 2 + (d + 1) // 3, d) == 6


def test_signs_of_floors_for_all_dimensions() -> None:
    known = [never_negative(d - 2 * HALF, 1), never_negative(HALF - 1, 2), never_zero(HALF, 2)]
    wrong = [
        never_negative(HALF - 1, 1),
        never_negative(2 * HALF - d, 1),
        never_zero(HALF, 1),
        never_zero(d % 2, 1),
    ]
    assert (known, wrong) == ([True] * 3, [False] * 4)


@pytest.mark.parametrize(
    ("form", "from_one", "from_two"),
    [
        (HALF, "nonnegative", "positive"),
        (d * (d - 1) / 2 - HALF, "nonnegative", "nonnegative"),
        (d - 2 * HALF, "nonnegative", "nonnegative"),
        (2 * HALF - d, "nonpositive", "nonpositive"),
        (1 - d + 2 * HALF, "nonnegative", "nonnegative"),
        (HALF - d / 2 + Rational(1, 4), None, None),
        (HALF - 1, None, "nonnegative"),
        (d - 1 - HALF, "nonnegative", "nonnegative"),
    ],
)
def test_signs_of_floors(form: sympy.Expr, from_one: str | None, from_two: str | None) -> None:
    for least, wanted in ((1, from_one), (2, from_two)):
        assert sign(form, Domain.of(claimed(v < d), (d >= least,))) == wanted


def test_signs_of_numbers_of_pairs() -> None:
    of_all, coupled = PairCount("orthogonal", d, m), PairCount("antimonotone", d, m, 0, "antimonotone")
    over = Domain.of(claimed(v < d + m), ())
    beyond = Domain.of(claimed(v < d + m), (d >= 2, m >= 2))
    assert sign(of_all - coupled, over) == "nonnegative"
    assert sign(coupled - of_all, over) in ("nonpositive", None)
    assert sign(m - 2 * coupled, over) == "nonnegative"
    assert (sign(coupled, over), sign(coupled, beyond)) == ("nonnegative", "positive")
    assert sign(of_all - 2 * coupled, over) is None  # at m = 2 all pairs are coupled
    assert sign(m - 3 * coupled, over) is None


# ---- the coefficients that are compared --------------------------------------------------------------


def moment(dim: int, k: int, relation: Relation) -> arb:
    """x_k of two rows, about, by the k-th difference of the mean as a function of b.b."""
    with ctx.workprec(120):
        step = arb(2) ** -20
        means = [PairForm(dim, *(3 * [acb(j * step)])).mean(relation).real for j in range(k + 1)]
        signs_ = ((-1) ** (k - j) * int(sympy.binomial(k, j)) for j in range(k + 1))
        return sum((times * one for times, one in zip(signs_, means, strict=True)), arb(0)) / step**k


@pytest.mark.parametrize("dim", [2, 3, 6])
def test_norms_at_opposite_quantiles_lie_between_fixed_ones_and_independent_ones(dim: int) -> None:
    low = Atom("bessel", sympy.S.One, sympy.Integer(dim))
    high = Atom("frame", sympy.S.One, sympy.Integer(dim))
    opposite = Relation(0, "antimonotone")
    for k in (2, 3):
        found = moment(dim, k, opposite)
        below, above = (float(atom.coefficient(k)) for atom in (low, high))
        assert below < float(found) < above
        assert float(found) > 2 * Fraction(1, 2) ** k > float(moment(dim, k, Relation(-1)))
        before = float(moment(dim, k - 1, opposite))
        assert dim / (dim + 2 * (k - 1)) < float(found) / before < (dim + k - 1) / (dim + 2 * (k - 1)) + 1e-4


def test_a_pair_that_is_taken_away_is_no_more_than_a_frame() -> None:
    over = Domain.of(claimed(v < d), (d >= 2,))
    for dim, cosine in product((2, 3, 6), (-1, Rational(-1, 2), Rational(-1, 5))):
        atom = Atom("pair", sympy.S.One, sympy.Integer(dim), sympy.sympify(cosine), "independent")
        instead = _no_larger(atom, sympy.S.NegativeOne, over)
        assert instead is not None
        bound = Series(v, sympy.S.Zero, instead)
        for k in range(8):
            assert float(atom.coefficient(k)) <= float(bound.coefficient(k)) + 1e-12
        assert _no_larger(atom, sympy.S.One, over) is None


def test_what_is_not_known_to_be_in_order_is_not_ranked() -> None:
    over = Domain.of(claimed(v < d), (d >= 3,))
    opposite = Atom("pair", sympy.S.One, d, sympy.S.Zero, "antimonotone")
    for other, known in (
        (Atom("bessel", sympy.S.One, d), True),
        (Atom("bessel", sympy.S.One, d + 1), False),
        (Atom("pair", sympy.S.One, d, sympy.S.NegativeOne, "independent"), True),
        (Atom("pair", sympy.S.One, d, -1 / (d - 1), "independent"), False),
        (Atom("exp", sympy.S.Half), True),
        (Atom("pair", sympy.S.One, d + 1, sympy.S.Zero, "antimonotone"), False),
    ):
        series = Series(v, sympy.S.Zero, {(opposite, 0): sympy.S.One, (other, 0): sympy.S.NegativeOne})
        assert (_ranked(series, sympy.S.One, over) is not None) is known
        assert signs(replace_signs(series), over) is None


def replace_signs(series: Series) -> Series:
    """The contrary: less of what is larger."""
    return Series(series.variable, series.factor, {key: -weight for key, weight in series.terms.items()})


def test_slopes_of_other_pairs_are_not_known() -> None:
    over = Domain.of(claimed(v < d), (d >= 2,))
    for atom, known in (
        (Atom("pair", sympy.S.One, d, sympy.S.Zero, "antimonotone"), (1, -1)),
        (Atom("pair", sympy.S.One, d, sympy.S.NegativeOne, "antimonotone"), ()),
        (Atom("pair", sympy.S.One, d, sympy.S.NegativeOne, "independent"), (1,)),
        (Atom("pair", sympy.S.One, d, sympy.S.Half, "independent"), ()),
    ):
        for weight in (1, -1):
            series = Series(v, -(v**2), {(atom, 0): sympy.Integer(weight)})
            assert (slope(series, over) is not None) is (weight in known)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (d % 2 <= (d + 1) % 2, Decision.FAILS),
        (equal(d % 3 + 3 * (d // 3), d + 1), Decision.FAILS),
        (d % 2 <= 1, Decision.HOLDS),
        (equal(d % 3 + 3 * (d // 3), d), Decision.HOLDS),
    ],
)
def test_remainders_have_values(claim: object, verdict: Decision) -> None:
    assert alone(stated(claim)) is verdict


def test_a_law_of_pairs_that_do_not_exist_is_refused() -> None:
    for rows in (Rows(d + d // 2), [Rows(d), Rows(d // 2, axis=i + d)]):
        coupling("tp-too-many", "", "a test", rows=rows, min_dim=2)
        try:
            said = stated(mse(positive("tp-too-many")) >= 0)
            assert prove(said.parts[0], said.domain) is None
        except RFTheoryError:
            pass
        finally:
            forget("tp-too-many")


def test_angles_that_are_the_same_in_one_dimension_are_counted_together() -> None:
    """At d = 2 the cosines -1/(d - 1) and -1 are the same."""
    both = coupling(
        "tp-both", "", "a test", rows=[Rows(d), Rows(d, norm=i + d, sign=-1)], cosine=-1 / (d - 1), min_dim=2
    )
    try:
        two, k = sympy.Integer(2), Symbol("k", integer=True, positive=True)
        found = pairs(both, two, 4 * k)
        for blocks in (1, 3):
            counted = {(sympy.sympify(r.cosine), r.norms): n for r, n in both.pairs(2, 4 * blocks).items()}
            assert {key: count.subs(k, blocks) for key, count in found.items()} == counted
        with pytest.raises(NotKnown):
            pairs(both, two, m)
    finally:
        forget("tp-both")
