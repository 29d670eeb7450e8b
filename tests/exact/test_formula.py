"""Formulas: domains, routes that must agree, errors that name what is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy
from flint import arb

from rftheory.errors import InvalidInput, NotCertified, OutsideDomain, UnknownName
from rftheory.exact import find_formula, formulas
from rftheory.exact.formula import FORMULAS, Condition, Formula, Route, Variable, register

x = sympy.Symbol("x", real=True)
n = sympy.Symbol("n", integer=True)
POWER = Formula(
    "power",
    "x to the n",
    "textbook",
    (Variable(x, "base", above=0, high=10), Variable(n, "exponent", integer=True, low=0, default=2)),
    x**n,
    routes=(
        Route("logarithm", lambda x, n: (x.log() * n).exp()),
        Route("wrong above 1", lambda x, n: x**n * (1 + arb("1e-20")), practical=lambda v: bool(v["x"] > 1)),
    ),
    conditions=(Condition("n <= 100 x", n <= 100 * x),),
)


def test_routes_that_agree_and_one_that_does_not() -> None:
    assert set(POWER.agree(30, x="0.5", n=3)) == {"definition", "logarithm"}
    with pytest.raises(InvalidInput, match="'wrong above 1' to agree"):
        POWER.agree(30, x=2, n=3)
    assert set(POWER.agree(10, x=2, n=3)) == {"definition", "logarithm", "wrong above 1"}


def test_text_and_float_differ_by_the_rounding_of_the_float() -> None:
    assert POWER.enclose(20, x="0.1", n=1).text() == "0.10000000000000000000"
    assert POWER.enclose(20, x=0.1, n=1).text() == "0.10000000000000000555"
    assert POWER.enclose(20, x=np.float64(0.1), n=np.int64(1)).text() == "0.10000000000000000555"
    assert POWER.enclose(5, x="3").text() == "9.0000"


@pytest.mark.parametrize(
    ("values", "error", "match"),
    [
        ({}, InvalidInput, "a value for x"),
        ({"x": 1, "q": 1}, UnknownName, "'q'"),
        ({"x": 0}, OutsideDomain, "x > 0"),
        ({"x": 11}, OutsideDomain, "x <= 10"),
        ({"x": "I"}, OutsideDomain, "a real x"),
        ({"x": 1, "n": "1/2"}, OutsideDomain, "an integer n"),
        ({"x": 1, "n": -1}, OutsideDomain, "n >= 0"),
        ({"x": "0.01", "n": 2}, OutsideDomain, "n <= 100 x"),
        ({"x": True}, InvalidInput, "power: x"),
        ({"x": np.True_}, InvalidInput, "power: x"),
        ({"x": float("nan")}, InvalidInput, "power: x"),
        ({"x": "1e5000"}, OutsideDomain, r"e\+5000"),
        ({"x": "-1e-5000"}, OutsideDomain, "e-5000"),
    ],
)
def test_bad_values(values: dict[str, object], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        POWER.enclose(**values)


def test_unknown_names() -> None:
    with pytest.raises(UnknownName, match="did you mean 'logarithm'"):
        POWER.enclose(x=1, route="logaritm")
    with pytest.raises(UnknownName, match="orf_conformity"):
        find_formula("orf_conformty")
    known = next(iter(formulas().values()))
    with pytest.raises(InvalidInput, match="a new formula name"):
        register(replace(known, says="another formula of that name"))
    assert FORMULAS[known.name] is known
    assert register(known) is known  # a module that is imported again states the same formula


def test_a_failing_route_names_itself() -> None:
    nowhere = Formula("nowhere", "", "", (), sympy.S.One, routes=(Route("nan", lambda: arb.nan()),))
    with pytest.raises(NotCertified, match="by nan"):
        nowhere.agree(5)


def test_domains_in_words() -> None:
    assert POWER.domain == "x > 0 and x <= 10, integer n >= 0, n <= 100 x"
    assert POWER.latex == "x^{n}"


def test_a_value_that_is_exactly_zero() -> None:
    t = sympy.Symbol("t", real=True)
    variables = (Variable(t, "an angle"),)
    exact = (sympy.cos(t) + 1) / 3
    plain = Formula("cosine", "", "", variables, exact, (Route("half angle", 2 * sympy.cos(t / 2) ** 2 / 3),))
    known = replace(plain, zero=sympy.Eq(t, sympy.pi))
    with pytest.raises(NotCertified, match="may be exactly zero"):
        plain.enclose(20, t=sympy.pi)
    assert known.enclose(20, t=sympy.pi).text() == "0"
    assert known.enclose(20, t=1).text() == plain.enclose(20, t=1).text()
    assert list(known.agree(20, t=sympy.pi)) == ["exact zero", "definition", "half angle"]
    wrong = replace(known, routes=(Route("shifted", exact + sympy.Rational(1, 10**15)),))
    with pytest.raises(InvalidInput, match="'shifted' to agree"):
        wrong.agree(20, t=sympy.pi)


def test_a_route_that_proves_an_exact_zero_is_one_for_the_others() -> None:
    t = sympy.Symbol("t", real=True)
    variables = (Variable(t, "a number"),)
    products = Route("products", (sympy.sqrt(t**2 + 1) - 1) * (t + 2))
    routes = (products, Route("roots", sympy.sqrt(t + 2) - sympy.sqrt(2)))  # all are 0 at t = 0
    product = Formula("product", "", "", variables, t * (t + 2), routes, fast="definition")
    found = product.agree(20, t=0)
    assert [one.shown().startswith("[+/-") for one in found.values()] == [False, False, True]
    with pytest.raises(NotCertified, match="20 digits"):
        found["roots"].text()
    for wrong in (
        sympy.Rational(1, 10**30) + sympy.sqrt(t + 2) - sympy.sqrt(2),
        sympy.sqrt(t + 3) - sympy.sqrt(2),
    ):
        planted = replace(product, routes=(*routes, Route("planted", wrong)))
        with pytest.raises(InvalidInput, match="'planted' to agree"):
            planted.agree(40, t=0)


@pytest.mark.parametrize("digits", [5, 1000])
def test_another_route_is_tried_if_no_precision_was_enough(digits: int) -> None:
    """The fast route never gets anywhere, another one does; without it the first error is raised."""
    t = sympy.Symbol("t", positive=True)
    blurred = Route("blurred", lambda t: t + arb(0, 1))
    formula = Formula("number", "", "", (Variable(t, "a number", above=0),), t, (blurred,), fast="blurred")
    assert formula.found(digits, t=2)[0] == "definition"
    with pytest.raises(NotCertified, match=f"{digits} digits"):
        replace(formula, readable=False).found(digits, t=2)
    with pytest.raises(NotCertified):
        formula.found(digits, route="blurred", t=2)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("softmax_trig_mse", {"x": 100, "y": 100, "theta": 0, "m": 3}),
        ("softmax_hyperbolic_mse", {"x": 100, "y": 100, "theta": "pi", "m": 3}),
        ("softmax_positive_mse", {"x": "1e-8", "y": "1e-8", "theta": "pi", "m": 3}),
        ("poisson_minimal_variance", {"d": 5, "dot": 1, "squares": "1/5", "norms": 20}),
        ("diagonal_entry_loss", {"first": "-1e-8", "second": 3}),
        ("log_poisson_second", {"d": 5, "squares": 20, "norms": 20}),
    ],
)
def test_values_that_are_exactly_zero_are_said_to_be(name: str, values: dict[str, object]) -> None:
    found = find_formula(name).enclose(30, **values)
    assert found.ball == 0
    assert str(found) == "0"


@pytest.mark.parametrize(
    ("radius", "inside"), [("2+log(cosh(1e-60))", False), ("2-exp(-1000)", True), ("2", True)]
)
def test_conditions_are_decided_by_balls(radius: str, inside: bool) -> None:
    """r <= 2 diam; sympy takes the logarithm, 10^-120/2, for 0."""
    values = {"d": 2, "diam": 1, "r": radius}
    if inside:
        assert find_formula("covering_bound").enclose(10, **values).ball.overlaps(arb(1))
    else:
        with pytest.raises(OutsideDomain):
            find_formula("covering_bound").enclose(10, **values)


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("trig_moment_simrf", {"n": 3, "d": 64, "m": 2, "z": "1e160"}, "a path of integration"),
        ("trig_moment_simrf", {"n": 4, "d": 65, "m": 65, "z": "1e30"}, "a short"),
        ("z_crit", {"d": 10**30}, "too many bits"),
        ("angle_conformity", {"d": 4, "v": "1e160", "c": "0.1"}, "a negligible tail"),
        ("mean_log_gain_trig", {"d": 1, "sigma": "1e-400", "offset": 3}, "a short integral"),
    ],
)  # fmt: skip
def test_numbers_that_no_float_holds_are_refused(name: str, values: dict[str, object], reason: str) -> None:
    with pytest.raises(NotCertified, match=reason):
        find_formula(name).enclose(10, **values)


def test_tiny_numbers_that_no_float_holds() -> None:
    """The cosine is 1 there but for 10^-400."""
    assert find_formula("cosine_transform").enclose(10, z="1e-200", t=-1).text() == "0.3678794412"


def test_digits_may_be_a_number_of_numpy() -> None:
    formula = find_formula("iid_conformity")
    assert formula.enclose(np.int64(20), d=3, v=1).text() == formula.enclose(20, d=3, v=1).text(np.int8(20))
    assert formula.agree(np.int64(20), d=3, v=1)
