"""Certified search: true statements are proved, false ones refuted, undecidable ones never called true."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from flint import arb, ctx
from sympy import cos, exp, log, sin, sqrt

from rftheory.errors import InvalidInput, NotCertified
from rftheory.exact.peaks import peaks_by_series
from rftheory.exact.search import (
    Box,
    Smooth,
    _Maximiser,
    both,
    certified_maximum,
    certified_minimum,
    either,
    enclose_over,
    holds_on_box,
    isolate_roots,
    positive,
)
from tests.exact.roots import certified_root, first_sign_change

t, u = sympy.symbols("t u", real=True)


def smooth(expression: sympy.Expr) -> Smooth:
    return Smooth.of(expression, t)


class TestHoldsOnBox:
    def test_tight_inequality_is_proved(self) -> None:
        margin = sympy.Rational(1, 10**12)
        log_ = holds_on_box(positive(smooth((t - 1) ** 2 + margin)), Box.of((0, 2)))
        assert log_.holds
        assert log_.proved >= 1
        assert log_.witness is None

    def test_twin_with_the_margin_reversed_is_refuted(self) -> None:
        margin = sympy.Rational(1, 10**12)
        log_ = holds_on_box(positive(smooth((t - 1) ** 2 - margin)), Box.of((0, 2)))
        assert log_.verdict == "fails"
        assert log_.witness is not None
        assert (log_.witness[0] - 1) ** 2 <= Fraction(1, 10**12)

    def test_equality_on_the_boundary(self) -> None:
        inequality = smooth(exp(t) - 1 - t)
        assert holds_on_box(positive(inequality, strict=False), Box.of((0, 1))).holds
        strict = holds_on_box(positive(inequality), Box.of((0, 1)))
        assert strict.verdict == "fails"
        assert strict.witness == (Fraction(0),)

    def test_undecidable_statement_is_never_true(self) -> None:
        touching = smooth((t**2 - 2) ** 2)
        for strict in (True, False):
            log_ = holds_on_box(positive(touching, strict=strict), Box.of((1, 2)), max_boxes=400)
            assert log_.verdict == "undecided"
            assert not log_.holds
            assert log_.undecided is not None
            low, high = log_.undecided.sides[0]
            assert low**2 <= 2 <= high**2

    def test_undefined_function_is_undecided(self) -> None:
        assert holds_on_box(positive(smooth(log(t))), Box.of((-1, 1)), max_boxes=200).verdict != "holds"

    def test_a_jump_that_no_derivative_shows(self) -> None:
        """The derivative of atan(tan t) is 1 for sympy, but from pi/2 on it is t - pi."""
        jump = smooth(sympy.atan(sympy.tan(t)))
        assert holds_on_box(positive(jump, strict=False), Box.of((0, 3)), max_boxes=200).verdict == "fails"
        with pytest.raises(NotCertified):
            certified_root(jump, "1/10", 3)
        with pytest.raises(NotCertified):
            certified_maximum(jump, Box.of((0, 2)), digits=5, max_boxes=200)

    def test_two_variables(self) -> None:
        am_gm = Smooth.of((t + u) ** 2 - 4 * t * u + sympy.Rational(1, 1000), t, u)
        assert holds_on_box(positive(am_gm), Box.of((0, 3), (0, 3))).holds
        wrong = Smooth.of((t + u) ** 2 - sympy.Rational(401, 100) * t * u + sympy.Rational(1, 1000), t, u)
        log_ = holds_on_box(positive(wrong), Box.of((0, 3), (0, 3)))
        assert log_.verdict == "fails"
        x, y = log_.witness or (Fraction(0), Fraction(0))
        assert (x + y) ** 2 - Fraction(401, 100) * x * y + Fraction(1, 1000) <= 0

    def test_combined_statements(self) -> None:
        left, right = positive(smooth(1 - t)), positive(smooth(t - sympy.Rational(1, 2)))
        assert holds_on_box(either(left, right), Box.of((0, 2))).holds
        assert holds_on_box(both(left, right), Box.of((0, 2))).verdict == "fails"
        assert holds_on_box(both(left, right), Box.of(("0.6", "0.9"))).holds

    def test_log_names_the_evidence(self) -> None:
        text = holds_on_box(positive(smooth(cos(t))), Box.of((0, 1))).text()
        assert text.startswith("holds on [0, 1]: ")
        assert "boxes proved" in text

    def test_mean_value_form_beats_the_direct_one(self) -> None:
        f = smooth(t * (1 - t))
        box = Box.of(("0.499", "0.501"))
        assert enclose_over(f, box).rad() < f.value(*box.balls()).rad() / 4


class TestRoots:
    def test_roots_are_isolated_in_order(self) -> None:
        found = list(isolate_roots(smooth(sin(t)), 1, 10))
        assert len(found) == 3
        for n, (low, high) in enumerate(found, start=1):
            assert float(low) < n * 3.141592653589793 < float(high)

    def test_digits_of_a_root(self) -> None:
        root = certified_root(smooth(t**2 - 2), 1, 2, digits=200)
        with ctx.workprec(800):
            assert root.ball.overlaps(arb(2).sqrt())
        assert root.radius < 1e-200

    def test_root_between_close_neighbours(self) -> None:
        gap = sympy.Rational(1, 10**10)
        f = smooth((t - 1) * (t - 1 - gap))
        assert len(list(isolate_roots(f, 0, 2))) == 2
        assert first_sign_change(f, 0, 2, digits=15).text() == "1.00000000000000"

    @pytest.mark.parametrize("expression", [t**2 + 1, (t - 3) * (t**2 + 1)])
    def test_no_root(self, expression: sympy.Expr) -> None:
        for search in (certified_root, first_sign_change):
            with pytest.raises(NotCertified, match="there is none"):
                search(smooth(expression), -2, 2)

    def test_a_touching_root_is_not_certified(self) -> None:
        with pytest.raises(NotCertified, match="double root"):
            certified_root(smooth((t - sqrt(2)) ** 2), 0, 2)

    def test_a_root_at_the_end_is_not_certified(self) -> None:
        with pytest.raises(NotCertified, match="end"):
            certified_root(smooth(t), 0, 1)

    def test_searches_that_take_turns_leave_the_precision_as_it_was(self) -> None:
        before, bits = ctx.prec, set()
        for _ in zip(isolate_roots(smooth(sin(t)), 1, 8), isolate_roots(smooth(cos(t)), 1, 8), strict=False):
            bits.add(ctx.prec)
        after, ctx.prec = ctx.prec, before
        assert (bits, after) == ({before}, before)

    def test_bad_input(self) -> None:
        with pytest.raises(InvalidInput, match="low < high"):
            certified_root(smooth(t), 1, 1)
        with pytest.raises(InvalidInput, match="derivative"):
            certified_root(Smooth(lambda x: x), -1, 2)
        with pytest.raises(InvalidInput, match="expression in"):
            Smooth.of(t * u, t)


class TestMaxima:
    def test_boundary_maximum(self) -> None:
        top = certified_maximum(smooth(exp(t)), Box.of((0, 1)), digits=30)
        with ctx.workprec(200):
            assert top.value.ball.overlaps(arb(1).exp())
        assert all(b.sides[0] == (1, 1) for b in top.boxes)

    def test_interior_maximum_is_polished(self) -> None:
        top = certified_maximum(smooth(t * exp(-t)), Box.of((0, 5)), digits=60)
        with ctx.workprec(400):
            assert top.value.ball.overlaps((-arb(1)).exp())
        assert top.value.radius < 1e-60
        assert top.point is not None
        assert top.point[0].overlaps(arb(1))

    def test_without_derivatives(self) -> None:
        top = certified_maximum(Smooth(lambda x: 1 - x * x), Box.of((-1, 2)), digits=5)
        assert top.value.ball.overlaps(arb(1))
        assert top.value.radius < 1e-5

    def test_all_maximisers_are_covered(self) -> None:
        top = certified_maximum(smooth(cos(t)), Box.of((-1, 8)), digits=8)
        for place in (0.0, 6.283185307179586):
            assert any(abs(float(b.midpoint[0]) - place) < 1e-3 for b in top.boxes)
        assert top.point is None

    def test_minimum_in_two_variables(self) -> None:
        f = Smooth.of((1 - t) ** 2 + 2 * (u - t**2) ** 2 + 3, t, u)
        low = certified_minimum(f, Box.of((0, 3), (0, 2)), digits=25)
        assert low.value.ball.overlaps(arb(3))
        assert low.point is not None
        assert low.point[0].overlaps(arb(1))
        assert low.point[1].overlaps(arb(1))

    def test_a_ridge_is_no_unique_maximiser(self) -> None:
        ridge = Smooth.of(2 - (u - sympy.Rational(1, 3)) ** 2, t, u)
        for digits in (5, 30):
            top = certified_maximum(ridge, Box.of((0, 1), (0, 1)), digits=digits)
            assert top.value.ball.overlaps(arb(2))
            assert top.point is None
            assert all(b.sides[0] == (0, 1) for b in top.boxes)

    @pytest.mark.parametrize("bad", [{"digits": "10"}, {"digits": None}, {"max_boxes": 0}])
    def test_bad_input(self, bad: dict[str, object]) -> None:
        with pytest.raises(InvalidInput):
            certified_maximum(smooth(t), Box.of((0, 1)), **bad)  # type: ignore[arg-type]

    def test_budget_is_respected(self) -> None:
        with pytest.raises(NotCertified, match="after 3"):
            certified_maximum(Smooth(lambda x: (x * 50).sin() * x), Box.of((0, 3)), digits=12, max_boxes=300)

    @pytest.mark.parametrize("rising", [-((t - 5) ** 2), exp(t)])
    def test_a_step_that_leaves_the_box_proves_no_peak(self, rising: sympy.Expr) -> None:
        search = _Maximiser(smooth(rising), Box.of((-1, 1)), 10, "peak")
        assert search.newton(list(Box.of((-1, 1)).balls()), [0]) is None

    @pytest.mark.parametrize("side", [(-1, Fraction(1, 2)), (Fraction(-1, 2), 1)])
    def test_a_hull_up_to_an_end_proves_no_peak(self, side: tuple[int, Fraction]) -> None:
        """The only critical point is a minimum."""
        search = _Maximiser(smooth(t**2), Box.of((-1, 1)), 10, "peak")
        assert search.newton(list(Box.of(side).balls()), [0]) is not None
        assert search.polished((Box.of(side),)) is None

    def test_no_derivative_is_taken_of_what_may_cross_a_cut(self) -> None:
        jump = sympy.Abs(2 * sympy.I + sympy.sqrt(-1 + sympy.I * t)) - 2  # from -1 to 1 at 0
        assert Smooth.of(jump, t).gradient is None
        assert holds_on_box(positive(Smooth.of(jump, t)), Box.of((-1, 2)), max_boxes=100).verdict == "fails"

    @pytest.mark.parametrize("end", [Fraction(1, 4), Fraction(1)])
    def test_the_larger_end_is_no_peak(self, end: Fraction) -> None:
        with pytest.raises(NotCertified):
            peaks_by_series(lambda theta: theta * theta - theta, Fraction(0), end, ())


def test_boxes_refuse_what_is_no_interval() -> None:
    for sides in (((1, 0),), ((0, float("nan")),), ((0, "sqrt(2)"),), ()):
        with pytest.raises(InvalidInput):
            Box.of(*sides)  # type: ignore[arg-type]
