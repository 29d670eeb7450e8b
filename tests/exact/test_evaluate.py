"""Sympy expressions read as balls, against mpmath; what has no certified evaluation is refused."""

from __future__ import annotations

import contextlib
import random
import time
from fractions import Fraction
from typing import Any

import mpmath
import pytest
import sympy
from flint import acb, arb, ctx

from rftheory.errors import InvalidInput, NotCertified
from rftheory.exact.enclosure import certify, rational_ball
from rftheory.exact.evaluate import Reader, evaluate, register_reader

x, y = sympy.symbols("x y")
j, k = sympy.symbols("j k", integer=True, nonnegative=True)
HALF, ONE = sympy.Rational(1, 2), sympy.S.One
THIRD = mpmath.mpf(1) / 3


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (sympy.sqrt(x), mpmath.sqrt(0.5)),
        (x ** sympy.Rational(-3, 2), mpmath.mpf(0.5) ** -1.5),
        (sympy.log(x) + sympy.acos(x), mpmath.log(0.5) + mpmath.acos(0.5)),
        (sympy.gamma(x) * sympy.loggamma(x), mpmath.gamma(0.5) * mpmath.loggamma(0.5)),
        (sympy.binomial(x, 3), mpmath.binomial(0.5, 3)),
        (x + sympy.binomial(4 * x, -2 * x, evaluate=False), mpmath.mpf(0.5)),
        (sympy.Piecewise((1, (x > 0) & (x < 1)), (2, True)), 1),
        (sympy.Piecewise((1, (x > 0) & (x > 1)), (2, True)), 2),
        (sympy.Piecewise((1, (x < 0) | (x > 1)), (2, True)), 2),
        (sympy.Piecewise((1, (x > 0) | (x > 1)), (2, True)), 1),
        (x * sympy.binomial(-2, 3, evaluate=False), -2),
        (sympy.RisingFactorial(x, 4), mpmath.rf(0.5, 4)),
        (sympy.hyper((1, 2), (3,), x), mpmath.hyp2f1(1, 2, 3, 0.5)),
        (sympy.besseli(2, x), mpmath.besseli(2, 0.5)),
        (sympy.uppergamma(2, x), mpmath.gammainc(2, 0.5)),
        (sympy.lowergamma(2, x), mpmath.gammainc(2, 0, 0.5)),
        (sympy.Max(x, 1) - sympy.Min(x, 1), mpmath.mpf(0.5)),
        (sympy.Sum(x**k / sympy.factorial(k), (k, 0, sympy.oo)), mpmath.exp(0.5)),
        (sympy.Sum(x**k, (k, 3, sympy.oo)), mpmath.mpf(0.25)),
        (sympy.Sum(x**k, (k, 1, 2)), mpmath.mpf(0.75)),
        (sympy.Integral(sympy.exp(-(y**2) * x), (y, -sympy.oo, sympy.oo)), mpmath.sqrt(2 * mpmath.pi)),
        (sympy.Integral(sympy.sqrt(y), (y, x, 1)), 2 * (1 - mpmath.mpf(0.5) ** 1.5) / 3),
        (sympy.Piecewise((x, x > 1), (2 * x, True)), mpmath.mpf(1)),
    ],
)  # fmt: skip
def test_values_against_mpmath(expression: sympy.Expr, expected: mpmath.mpf) -> None:
    value = evaluate(expression, {x: HALF})
    real = value if isinstance(value, arb) else acb(value).real
    target = arb(mpmath.nstr(expected, 15))
    assert abs(real - target) < arb("1e-12")
    assert real.rel_accuracy_bits() > 30
    assert not abs(real * (1 + arb("1e-9")) - target) < arb("1e-12")  # the twin


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (sympy.sqrt(x), mpmath.sqrt(-2)),
        (sympy.log(x), mpmath.log(-2)),
        (x ** sympy.Rational(1, 3), mpmath.cbrt(mpmath.mpc(-2))),
        (sympy.acos(x), mpmath.acos(-2)),
    ],
)
def test_principal_branches_on_the_cut(expression: sympy.Expr, expected: mpmath.mpc) -> None:
    value = acb(evaluate(expression, {x: sympy.Integer(-2)}))
    assert abs(value - acb(arb(str(expected.real)), arb(str(expected.imag)))) < arb("1e-12")


def test_a_cut_inside_an_integral_is_not_crossed_silently() -> None:
    value = evaluate(sympy.Integral(sympy.Abs(y), (y, -1, 1)))
    assert not value.is_finite() or value.rad() > arb("0.01") or value.overlaps(arb(1))


@pytest.mark.parametrize(
    ("function", "low", "high", "expected"),
    [
        (sympy.sqrt(-x) * y, 0, 1, 1j * mpmath.sqrt(8)),
        (sympy.log(y - 2), 0, 1, 2 * mpmath.log(2) - 1 + 1j * mpmath.pi),
        (sympy.hyper((HALF, 1), (2,), y), ONE + HALF, 3, mpmath.quad(lambda t: mpmath.hyp2f1(0.5, 1, 2, t), [1.5, 3])),
        (sympy.besselj(HALF, y), -1, 2, mpmath.quad(lambda t: mpmath.besselj(0.5, t), [-1, 0, 1, 2])),
        (sympy.uppergamma(ONE / 3, y), -2, -1, mpmath.quad(lambda t: mpmath.gammainc(THIRD, t), [-2, -1])),
        (sympy.besseli(2, y), -1, 2, mpmath.quad(lambda t: mpmath.besseli(2, t), [-1, 2])),
        (sympy.atan(y), 0, 1, mpmath.pi / 4 - mpmath.log(2) / 2),
        (sympy.acos(y), -1, 1, mpmath.pi),
        (sympy.asinh(y), 0, 1, mpmath.asinh(1) - mpmath.sqrt(2) + 1),
        (sympy.Max(y, HALF), 0, 1, mpmath.mpf("0.625")),
        (sympy.im(sympy.acos(y)), 1, 2, mpmath.quad(lambda t: mpmath.acos(t).imag, [1, 2])),
        (sympy.log(y), 1, 2, 2 * mpmath.log(2) - 1),
        (sympy.besselj(HALF, y + sympy.I), -2, -1, mpmath.quad(lambda t: mpmath.besselj(0.5, t + 1j), [-2, -1])),
        (sympy.log(y + sympy.I), -2, -1, mpmath.quad(lambda t: mpmath.log(t + 1j), [-2, -1])),
        (sympy.acos(y + sympy.I), 2, 3, mpmath.quad(lambda t: mpmath.acos(t + 1j), [2, 3])),
        (sympy.Min(y, HALF), 0, 1, mpmath.mpf("0.375")),
        (sympy.floor(y), 0, 3, mpmath.mpf(3)),
        (sympy.Mod(y, 2), 0, 3, mpmath.mpf("2.5")),
        (sympy.Mod(-y, 2), 0, sympy.Rational(7, 2), mpmath.mpf("3.875")),
    ],
)  # fmt: skip
def test_integrals_near_and_across_cuts(
    function: sympy.Expr, low: sympy.Expr, high: sympy.Expr, expected: mpmath.mpc
) -> None:
    """Nothing imaginary is lost, and no function is taken for analytic on its cut."""
    found = acb(evaluate(sympy.Integral(function, (y, low, high)), {x: sympy.Integer(32)}))
    expected = mpmath.mpc(expected)
    near = acb(arb(str(expected.real), 1e-6), arb(str(expected.imag), 1e-6))
    assert found.is_finite()
    assert found.overlaps(near)


@pytest.mark.parametrize("kink", [sympy.S.Zero, ONE / 3])
def test_an_inner_integral_is_asked_whether_it_is_analytic_in_the_outer_variable(kink: sympy.Expr) -> None:
    """An integral of |x - kink| times one over y: the inner one was finite on balls around the kink."""
    inner = (y, 0, 1)
    found = evaluate(sympy.Integral(sympy.sqrt((x - kink) ** 2 * (1 + y)), inner, (x, kink - 1, kink + 2)))
    assert found.overlaps(arb(5) / 3 * (arb(8).sqrt() - 1))
    assert found.rad() < 1e-3


@pytest.mark.parametrize("function", [sympy.exp(-sympy.sqrt(y)), y**-y, sympy.exp(-y) * sympy.cos(y) ** 2])
def test_integrals_to_infinity_of_what_need_not_fall_exponentially_are_refused(function: sympy.Expr) -> None:
    with pytest.raises(InvalidInput, match="powers, exponentials of polynomials and waves"):
        evaluate(sympy.Integral(function, (y, 1, sympy.oo)))


def test_a_remainder_of_what_is_just_below_an_integer_is_large() -> None:
    with ctx.workprec(700):
        assert evaluate(sympy.Mod(sympy.erf(20), 1, evaluate=False)) > 0.9


@pytest.mark.parametrize("high", [sympy.I * x, sympy.sqrt(x)])
def test_an_inner_integral_up_to_what_is_not_real_keeps_its_imaginary_part(high: sympy.Expr) -> None:
    found = acb(evaluate(sympy.Integral(1, (y, 0, high), (x, -1, 2))))
    expected = mpmath.quad(sympy.lambdify(x, high, "mpmath"), [-1, 0, 2])
    assert found.overlaps(acb(arb(str(expected.real), 1e-6), arb(str(expected.imag), 1e-6)))


@pytest.mark.parametrize(
    "cases",
    [
        sympy.Piecewise((1, k < 8), (2, True)) / 2**k,
        sympy.Piecewise((1000, sympy.Eq(k, 9)), (1, True)) / 2**k,
        x**k * sympy.Piecewise((7, k < 1), (1, True)),
    ],
)
def test_a_series_whose_terms_have_cases_of_the_index_is_refused(cases: sympy.Expr) -> None:
    with pytest.raises(InvalidInput, match="hypergeometric"):
        evaluate(sympy.Sum(cases, (k, 0, sympy.oo)), {x: HALF})


@pytest.mark.parametrize("n", [-3, -1, 0, 4, HALF], ids=str)
@pytest.mark.parametrize("start", [0, 3])
@pytest.mark.parametrize(
    "factor",
    [
        sympy.binomial(y, k),
        sympy.binomial(k + y, k),
        sympy.binomial(y - k, k),  # 0 between some k and others
        sympy.binomial(k, 2) * sympy.binomial(2 * k, k),
        sympy.RisingFactorial(y, 2 * k),
        1 + k / (k + 1),
        (1 - 1 / (k + 1)) ** 2,
        (k - 3) * (k - 5),
        (-2) ** k * sympy.gamma(k + HALF),
        (sympy.I * y + 1) ** (2 * k - 1),
    ],
)
def test_series_against_their_terms(factor: sympy.Expr, start: int, n: sympy.Expr) -> None:
    """Their ratio is read off their factors, of which some are 0, or have no ratio, at some k."""
    term, values = factor * x**k / sympy.factorial(k) ** 2, {x: sympy.Rational(1, 7), y: sympy.sympify(n)}
    terms = [evaluate(term, {**values, k: sympy.Integer(i)}) for i in range(start, start + 150)]
    assert acb(evaluate(sympy.Sum(term, (k, start, sympy.oo)), values)).overlaps(acb(sum(terms, arb(0))))


def test_a_series_of_a_polynomial_that_vanishes_is_refused() -> None:
    with pytest.raises(InvalidInput, match="hypergeometric"):
        evaluate(sympy.Sum(((k + 1) ** 2 - k**2 - 2 * k - 1) * x**k, (k, 0, sympy.oo)), {x: HALF})


def test_products_of_several_indices_and_empty_ranges() -> None:
    assert evaluate(sympy.Product(x, (k, 1, 2), (j, 1, 3)), {x: sympy.Integer(2)}) == 64
    assert evaluate(sympy.Product((k + 1) * (j + 1), (k, 0, 1), (j, 0, 2)), {j: sympy.Integer(5)}) == 288
    for kind, empty in ((sympy.Sum, 0), (sympy.Product, 1)):
        assert evaluate(kind(x, (k, 5, 4)), {x: HALF}) == empty
        with pytest.raises(InvalidInput, match="at least 5 - 1"):
            evaluate(kind(x, (k, 5, 2)), {x: HALF})


CASES = sympy.Piecewise((x, 3 * x < 1), (-x, True))


@pytest.mark.parametrize(
    ("integrand", "value"),
    [
        (sympy.Abs(x - ONE / 3), sympy.Rational(5, 18)),
        (
            sympy.floor(7 * x) * sympy.exp(x),
            6 * sympy.E - sum(sympy.exp(sympy.Rational(n, 7)) for n in range(1, 7)),
        ),
        (sympy.ceiling(3 * x) * x, sympy.Rational(11, 9)),
        (CASES, -sympy.Rational(7, 18)),
        (sympy.Max(x, ONE / 3, 1 - x), sympy.Rational(3, 4)),
        (sympy.Min(x, ONE / 3), sympy.Rational(5, 18)),
        (sympy.re(x**2) + sympy.im(x), ONE / 3),
    ],
    ids=str,
)
def test_integrals_with_jumps_and_kinks_are_enclosed(integrand: sympy.Expr, value: sympy.Expr) -> None:
    found = evaluate(sympy.Integral(integrand, (x, 0, 1)))
    assert found.rad() < 1e-12
    assert found.overlaps(evaluate(value))


def test_a_function_of_the_real_line_is_not_continued_off_it() -> None:
    for integrand in (sympy.Abs(x), sympy.re(x), CASES):
        with contextlib.suppress(NotCertified, InvalidInput):
            found = evaluate(sympy.Integral(integrand, (x, 0, ONE + sympy.I)))
            assert not found.is_finite() or found.rad() > 0.1


@pytest.mark.parametrize("integrand", [sympy.log(x), 1 / sympy.sqrt(x), 1 / x], ids=str)
def test_an_end_without_a_value_is_told_at_once(integrand: sympy.Expr) -> None:
    start = time.process_time()
    with pytest.raises(NotCertified, match="at the end x = 0"):
        certify(lambda: evaluate(sympy.Integral(integrand, (x, 0, 1))), 50)
    assert time.process_time() - start < 2


@pytest.mark.parametrize("pole", [sympy.S.Zero, ONE / 3])
@pytest.mark.parametrize("power", [1, 2])
def test_a_pole_inside_is_told_at_once(pole: sympy.Expr, power: int) -> None:
    calls = 0

    def counted(reader: Reader, node: sympy.Expr) -> arb | acb:
        nonlocal calls
        calls += 1
        return reader.read(node.args[0])

    class Counted(sympy.Function):
        nargs = 1

    register_reader(Counted, counted)
    distance = Counted(x) - pole
    with ctx.workprec(320), pytest.raises(NotCertified, match="is finite near x"):
        evaluate(sympy.Integral(1 / distance**power, (x, -1, 1)))
    assert calls < 100_000
    near = evaluate(sympy.Integral(1 / (distance**2 + sympy.Rational(1, 10**8)), (x, pole - 1, pole + 1)))
    assert near.overlaps(2 * 10**4 * arb(10**4).atan())


def test_a_function_with_cases_has_no_derivative_where_they_meet() -> None:
    with pytest.raises(InvalidInput, match="known derivative"):
        evaluate(sympy.Derivative(sympy.Piecewise((x, x < 1), (2 * x + 5, True)), x), {x: ONE})


@pytest.mark.parametrize("rate", [x, sympy.sqrt(-y)])
def test_waves_bound_an_infinite_integral_only_if_they_are_real(rate: sympy.Expr) -> None:
    wave = sympy.Integral(sympy.exp(-(k**2) / 2) * sympy.cos(rate * k), (k, 0, sympy.oo))
    with pytest.raises(InvalidInput, match="waves of real numbers"):
        evaluate(wave, {x: 3 * sympy.I, y: sympy.Integer(9)})
    real = evaluate(wave, {x: sympy.Integer(3), y: sympy.Integer(-9)})
    assert real.overlaps((arb.pi() / 2).sqrt() * arb(-4.5).exp())


@pytest.mark.parametrize(
    "expression",
    [x + y, sympy.zeta(x), sympy.Function("f")(x), sympy.Sum(sympy.exp(-(k**2)), (k, 0, sympy.oo)),
     sympy.Integral(sympy.exp(-sympy.exp(y)), (y, 0, sympy.oo)), sympy.Sum(x, (k, 0, x))],
)  # fmt: skip
def test_what_has_no_certified_value_is_refused(expression: sympy.Expr) -> None:
    with pytest.raises(InvalidInput):
        evaluate(expression, {x: HALF})


@pytest.mark.parametrize("nothing", [1, 0.5, "exp(1)", None, [1]])
def test_what_is_no_expression_is_refused(nothing: Any) -> None:
    with pytest.raises(InvalidInput, match="a sympy expression"):
        evaluate(nothing)


def test_cases_within_the_terms_of_a_series_keep_their_values() -> None:
    """sympy's ratio of these terms is sin(5)/(j + 1): it takes the second case at k = 0 too."""
    cases = sympy.Sum(sympy.Piecewise((k / 2 + 2, k < HALF), (k / 2 + HALF, True)), (k, 0, 3))
    found = evaluate(sympy.Sum(sympy.sin(cases) ** j / sympy.factorial(j), (j, 0, sympy.oo)))
    assert found.overlaps(arb("6.5").sin().exp())


def test_divergent_series_and_undecided_conditions_are_not_certified() -> None:
    with pytest.raises(NotCertified, match="straddles"):
        evaluate(sympy.Piecewise((1, x > 0), (2, True)), {x: arb(0, 1)})
    with pytest.raises(NotCertified, match="fall-off"):
        evaluate(sympy.Integral(sympy.exp(y), (y, 0, sympy.oo)))


def test_a_series_whose_terms_grow_is_refused_at_once_unless_they_are_zero() -> None:
    with pytest.raises(NotCertified, match="never shrink"):
        evaluate(sympy.Sum(sympy.factorial(k) * x**k, (k, 0, sympy.oo)), {x: HALF})
    ends = sympy.Sum(sympy.RisingFactorial(-2, k) * x**k, (k, 0, sympy.oo))
    assert evaluate(ends, {x: sympy.Integer(3)}) == 13


def test_a_wide_argument_of_a_hypergeometric_function_is_enclosed() -> None:
    wide = arb(-2).union(arb(-3))
    with ctx.workprec(128):
        found = evaluate(sympy.hyper((4,), (sympy.Rational(11, 2),), x), {x: wide})
    ends = [mpmath.hyp1f1(4, 5.5, z) for z in (-2, -2.5, -3)]
    assert found.is_finite()
    assert all(found.contains(arb(str(value))) for value in ends)


@pytest.mark.parametrize(
    ("inner", "value"),
    [
        (sympy.Sum(k * x, (k, 1, 2)), Fraction(3, 2)),
        (sympy.Product(k + x, (k, 1, 2)), Fraction(23, 6)),
        (sympy.Subs(k * x, k, 3), Fraction(3, 2)),
        (sympy.Integral(k * x, (k, 0, 1)), Fraction(1, 4)),
    ],
    ids=["sum", "product", "subs", "integral"],
)
def test_a_symbol_has_its_own_value_inside_of_what_binds_it(inner: sympy.Expr, value: Fraction) -> None:
    """An integrand's constant k = 5 is not the k of a sum in it: k was read once, as 5, and a sum became 5 + 5."""
    assert evaluate(sympy.Integral(inner, (x, 0, 1))).overlaps(rational_ball(value))
    integral = sympy.Integral(k * inner, (x, 0, 1))
    assert evaluate(integral, {k: sympy.Integer(5)}).overlaps(rational_ball(5 * value))


def _grown(draw: random.Random, parts: list[sympy.Expr]) -> sympy.Expr:
    """An expression in which parts occur several times of sums and products; k is bound or free."""
    for _ in range(8):
        a, b = draw.choice(parts), draw.choice(parts)
        parts.append(
            draw.choice(
                [a + b, a * b, a**2 - b, sympy.exp(-(a**2)), sympy.cos(a) + a, sympy.sqrt(a**2 + 1),
                 2 ** sympy.sin(b), sympy.Sum(a * k + b, (k, 0, 3)), sympy.Product(k + b**2, (k, 1, 2)),
                 sympy.Piecewise((a, x > k), (b, True)),
                 sympy.Sum(sympy.sin(a) ** j / sympy.factorial(j), (j, 0, sympy.oo))]
            )
        )  # fmt: skip
    return parts[-1] + parts[-1] * parts[-2]


@pytest.mark.parametrize("seed", range(40))
def test_parts_that_occur_again_have_the_value_of_their_place(seed: int) -> None:
    expression = _grown(random.Random(seed), [x, y, sympy.Rational(1, 3), k + 1])
    values = {x: HALF, y: sympy.Rational(-2, 7), k: sympy.Integer(2)}
    number = expression.subs(values).doit()
    target = arb(str(sympy.N(number, 40)))
    for bits in (64, 96):
        with ctx.workprec(bits):
            found = evaluate(expression, values)
            assert found.overlaps(target)
            assert found.is_zero() or found.rel_accuracy_bits() > bits - 40
            assert found.is_zero() or not found.overlaps(target * (1 + arb("1e-6")))  # the twin


def test_a_part_is_read_once() -> None:
    class Seen(sympy.Function):  # type: ignore[misc]
        nargs = 1

    count = []

    def read(reader: Reader, node: sympy.Expr) -> arb:
        count.append(node)
        return reader.read(node.args[0])

    register_reader(Seen, read)
    twice = Seen(x) ** 2 + sympy.exp(Seen(x))
    assert evaluate(sympy.Integral(twice * y, (y, 0, 1)), {x: HALF}).overlaps(
        (arb(1) / 4 + arb("0.5").exp()) / 2
    )
    assert count == [Seen(x)]
    assert evaluate(sympy.Sum(Seen(x * k), (k, 1, 3)), {x: HALF}) == 3
    assert len(count) == 4


def test_a_case_that_does_not_apply_may_hold_anything() -> None:
    unread = sympy.Piecewise((x, x < 1), (sympy.zeta(x) + y, True))
    assert evaluate(unread, {x: HALF}) == arb("0.5")
    with pytest.raises(InvalidInput):
        evaluate(unread, {x: sympy.Integer(2)})
