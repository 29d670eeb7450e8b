"""Laws that are written out are the laws: roots of negative expressions are imaginary, open signs are refused."""

from __future__ import annotations

import pytest
import sympy

from rftheory.author import (
    Parameter,
    Term,
    central_moment,
    covariance,
    d,
    feature_map,
    forget,
    gerf,
    mean,
    mse,
    oprf,
    positive,
    sqrt,
    trigonometric,
    v,
    with_features,
    x,
    y,
    z,
)
from rftheory.errors import NotKnown
from rftheory.statement.domain import Domain
from rftheory.statement.pointwise import ball
from rftheory.statement.provers.reduce import reduced

WEIGHT = sympy.Symbol("p", real=True)
SHAPE, SIGNED = sympy.Symbol("A", real=True), sympy.Symbol("b", real=True)


@pytest.mark.parametrize("s", [1, -1])
@pytest.mark.parametrize("name", ["mean", "mse", "gap"])
@pytest.mark.parametrize("coupling", ["iid", "orthogonal"])
def test_a_law_written_out_is_the_law(s: int, name: str, coupling: str) -> None:
    """With the shape a symbol: for s = -1 its slope is the root of a negative expression."""
    side = gerf(coupling, m=2, A=SHAPE, s=s).quantity(name)
    written = reduced(side.expression, Domain.of(side > 0, (sympy.Rational(1, 8) > SHAPE, d >= 2)))
    for shape in (sympy.Rational(-1, 3), sympy.Rational(1, 100)):
        values = {d: sympy.Integer(3), v: sympy.S.Half, z: sympy.Integer(1), SHAPE: shape}
        one = ball(side.expression.subs(values), {})
        assert one.overlaps(ball(written, values))
        if name == "mse":
            assert not one.overlaps(ball(written.subs(z, 2 * z), values))


def test_a_root_of_open_sign_is_no_closed_form() -> None:
    own = feature_map("signed-slope", "a root that may be imaginary", "a test", Term(sqrt(SIGNED) * (x + y), 0 * x),
        parameters=(Parameter(SIGNED, "any real number"),))  # fmt: skip
    side = mse(with_features(own)("iid", m=2, b=SIGNED))
    try:
        with pytest.raises(NotKnown, match="the sign of b is unknown"):
            reduced(side.expression, Domain.of(side > 0, ()))
        assert reduced(side.expression, Domain.of(side > 0, (SIGNED > 0,))).has(SIGNED)
    finally:
        forget("signed-slope")


@pytest.mark.usefixtures("undeclared")
def test_a_shape_that_normal_rows_cannot_have_is_one_for_rows_of_one_length() -> None:
    term = Term(sqrt(1 - 4 * SHAPE) * (x + y), -(x**2 + y**2) / 2, 2 * SHAPE)
    own = with_features(feature_map("shaped", "", "a test", term, parameters=(Parameter(SHAPE, "any"),)))
    side = mean(own("orthogonal-fixed", A=SHAPE))
    values = {d: sympy.Integer(3), v: sympy.Integer(2), z: sympy.Integer(1), SHAPE: sympy.S.Half}
    written = reduced(side.expression, Domain.of(side > -9, (sympy.Rational(1, 3) < SHAPE,)))
    assert ball(side.expression.subs(values), {}).overlaps(ball(written, values))


@pytest.mark.usefixtures("undeclared")
def test_what_has_no_closed_form_is_not_written_out() -> None:
    """It would be the product of two means, or that of rows with other norms or slopes."""
    base, wave = -(x**2 + y**2) / 2, Term(sympy.I * (x - y), (x**2 + y**2) / 2)
    bump, radial = Term(x + y, base, q=-sympy.S.Half), Term(0, x * y, q=-sympy.S.Half)
    words = {
        name: with_features(feature_map(f"of-{name}", "", "a test", *terms))
        for name, terms in (
            ("norms", (Term(x + y, base), radial)), ("squares", (Term(x + y, base), bump)),
            ("slopes", (Term(x + y, base), Term(2 * (x + y), base))),
            ("lines", (wave, Term(x + y, base, phase=1))),
        )
    }  # fmt: skip
    for side, why in (
        (mse(words["norms"]("mirrored", m=2 * d)), "norms depend on each other"),
        (mse(words["squares"]("orthogonal", m=2)), "different slopes"),
        (mse(words["slopes"]("orthogonal", m=2)), "different slopes"),
        (mse(gerf("antimonotone", m=2, A=-SHAPE)), "at opposite quantiles"),
        (central_moment(words["lines"]("iid", m=2), 3), "not parallel"),
        (covariance(oprf("iid", m=2), v=z, z=v, cosine=1), "another one at the second pair"),
        (mean(gerf("iid", A=(1 - (SHAPE - 1) * (SHAPE - 3)) / 4)), "does not follow"),
        (mean(trigonometric("hadamard-orthogonal-fixed")), "only for terms on rows"),
    ):
        with pytest.raises(NotKnown, match=why):
            reduced(side.expression, Domain.of(side > -1, (SHAPE > 0, SHAPE < 4, d >= 2)))
    known = mse(words["norms"]("orthogonal", m=2))
    at = {d: sympy.Integer(3), v: sympy.S.Half, z: sympy.Integer(1)}
    written = reduced(known.expression, Domain.of(known > -1, (d >= 2,)))
    assert ball(known.expression.subs(at), {}).overlaps(ball(written, at))


def test_a_term_of_weight_0_is_not_written_out() -> None:
    own = feature_map("one-sided-weights", "both signs, with weights", "a test",
        *(Term(s * (x + y), -(x**2 + y**2) / 2, weight=w) for s, w in ((1, WEIGHT), (-1, 1 - WEIGHT))),
        parameters=(Parameter(WEIGHT, "of the first"),), norm="v")  # fmt: skip
    word = with_features(own)
    try:
        for weight, true in ((0, True), (1, True), (sympy.S.Half, False)):
            claim = mse(word("iid", m=2, p=weight)) == mse(positive("iid", m=2))
            left, right = (reduced(side, Domain.of(claim, ())) for side in claim.parts[0].args)
            assert (sympy.simplify(left - right) == 0) is true
    finally:
        forget("one-sided-weights")
