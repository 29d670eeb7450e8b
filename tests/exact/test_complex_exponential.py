"""Laws of complex exponential estimators: routes agree, and what the source prints about special A is refuted."""

from __future__ import annotations

import pytest
import sympy
from flint import acb, arb, ctx
from sympy import I, Integer, Rational

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.exact import complex_exponential as ce
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import FORMULAS
from tests.exact.route_points import known_of

LAWS = ("cexp_mse", "cexp_real_mse", "cexp_symmetric_mse", "cexp_third_moment", "cexp_fourth_moment")
POINTS = (
    {"inner": "0.3", "real": "1", "imag": "1/2", "mixed": "1/3", "m": 3},
    {"inner": "-2", "real": "2", "imag": "2.5", "mixed": "-1", "m": 1},
    {"inner": "5", "real": "1e-8", "imag": "0", "mixed": "0", "m": 2},
    {"inner": "5", "real": "50", "imag": "1", "mixed": "-3", "m": 4096},
)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("values", POINTS, ids=str)
def test_routes_agree(name: str, values: dict[str, object]) -> None:
    assert len(FORMULAS[name].agree(25, **known_of(name, values))) >= 2


@pytest.mark.parametrize("name", LAWS)
def test_three_routes_at_an_ordinary_point(name: str) -> None:
    assert len(FORMULAS[name].agree(30, **known_of(name, POINTS[0]))) == 3


@pytest.mark.parametrize("point", ["0", "1+2*I", "-3/2", "3*I", "5"])
def test_complex_gaussian_moment(point: str) -> None:
    assert len(ce.complex_gaussian_moment.agree(25, point=point)) == 3


def test_gaussian_mean_refutes_a_planted_error() -> None:
    with ctx.workprec(80):
        value = ce.gaussian_mean(lambda g: (2 * g).exp(), arb(2))
        assert value.overlaps(arb(2).exp())
        assert not value.overlaps(arb(2).exp() * (1 + arb("1e-15")))


def test_a_route_with_a_wrong_constant_is_found() -> None:
    with ctx.workprec(100):
        right = ce.mixed_moment(2, 1, arb(1), arb("0.5"), arb("0.25"))
        there = ce._integrated_moment(2, 1, arb(1), arb("0.5"), arb("0.25"))
        assert right.overlaps(there)
        assert not (right * acb(1, arb("1e-20"))).overlaps(there)


# ---- A = I and A = iI ----------------------------------------------------------------------------------


def test_identity_is_not_the_hyperbolic_estimator() -> None:
    """hybrid.txt.A-is-I: x = (1), y = (0), m = 1 gives e - 1 for the CE estimator and cosh(1) - 1 for P."""
    pair = ce.zeta(["1"], ["1"], ["0"])
    assert pair.enclose(ce.cexp_mse, 20, m=1).text() == "1.7182818284590452354"
    assert pair.enclose(ce.cexp_symmetric_mse, 20, m=1).text() == "0.54308063481524377848"


@pytest.mark.parametrize(
    ("a", "printed", "size"), [("1", ce.PRINTED_A_IS_I, ce.real), ("I", ce.PRINTED_A_IS_II, ce.imag)]
)
def test_symmetrised_estimator_has_the_printed_mse(a: str, printed: sympy.Expr, size: sympy.Symbol) -> None:
    pair = ce.zeta([a, a], ["1", "1/2"], ["1/3", "-2"])
    values = {ce.inner: pair.inner, size: pair.invariants()[size.name], ce.m: Integer(5)}
    with ctx.workprec(100):
        target = evaluate(printed, values)
    assert pair.enclose(ce.cexp_symmetric_mse, 20, m=5).ball.overlaps(target)
    assert not pair.enclose(ce.cexp_mse, 20, m=5).ball.overlaps(target)


def test_imaginary_identity_has_the_trigonometric_estimator_as_real_part() -> None:
    pair = ce.zeta(["I", "I"], ["1", "1/2"], ["1/3", "-2"])
    assert pair.enclose(ce.cexp_real_mse, 20, m=5).overlaps(pair.enclose(ce.cexp_symmetric_mse, 20, m=5))


def test_relative_mse_is_the_loss() -> None:
    pair = ce.zeta([["1", "I"], ["2", "1/3"]], ["1", "-1/2"], ["1/4", "1"])
    with ctx.workprec(100):
        expected = (evaluate(2 * pair.inner)).exp() * (evaluate(pair.loss).exp() - 1) / 7
    assert pair.enclose(ce.cexp_mse, 20, m=7).ball.overlaps(expected)


# ---- the best A ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "second"), [("2", "-3"), ("2", "3"), ("1e-8", "5"), ("-7", "-1/3")])
def test_best_entries(first: str, second: str) -> None:
    routes = set(ce.diagonal_entry_loss.agree(20, first=first, second=second)) - {"exact zero"}
    assert routes == {"definition", "at the best entry", "sign"}
    assert len(ce.diagonal_entry.agree(20, first=first, second=second)) == 3
    best = ce.diagonal_entry.enclose(30, first=first, second=second)
    loss = ce.diagonal_entry_loss.enclose(20, first=first, second=second).ball
    with ctx.workprec(120):
        f, s = evaluate(Rational(first)), evaluate(Rational(second))
        for factor in (arb("0.99"), arb("1.01")):
            a = best.ball * factor
            assert (a * f + s / a) * (a * f + s / a) > loss


def test_complex_diagonal_has_no_loss_and_a_zero_entry_is_refused() -> None:
    x, y = ["1", "-2", "3", "0"], ["5", "1/2", "-4", "0"]
    assert ce.zeta(ce.complex_diagonal(x, y), x, y).loss == 0
    assert ce.zeta(ce.real_diagonal(x, y), x, y).loss == 20
    with pytest.raises(InvalidInput, match="both zero or both non-zero"):
        ce.complex_diagonal(["1"], ["0"])
    with pytest.raises(InvalidInput, match="no A attains it"):
        ce.real_diagonal(["0", "1"], ["2", "3"])


def test_a_full_real_matrix_can_beat_every_real_diagonal_one() -> None:
    """Least loss 4 max(x.y, 0) over all real A: here 0 (not attained), against 4 sum of positive products = 4."""
    x, y = ["1", "1"], ["1", "-3/2"]
    diagonal = ce.zeta(ce.real_diagonal(x, y), x, y).loss
    assert diagonal == 4
    assert ce.real_pair_loss.enclose(10, inner="-1/2").ball == 0
    spd = sympy.Matrix([[4, -5], [-5, Rational(13, 2)]])  # spd x = -y, so A = its Cholesky factor has loss 0
    assert spd * sympy.Matrix([1, 1]) == -sympy.Matrix([1, Rational(-3, 2)])
    root = spd.cholesky().T
    assert ce.zeta([list(root.row(i)) for i in range(2)], x, y).loss == 0


@pytest.mark.parametrize("inner", ["-1", "0", "1e-8", "3"])
def test_real_pair_loss_routes(inner: str) -> None:
    assert len(ce.real_pair_loss.agree(20, inner=inner)) == 3


@pytest.mark.parametrize("tau", ["1/2", "3", "100"])
def test_cluster_coefficient(tau: str) -> None:
    assert len(ce.cluster_coefficient.agree(20, loss="2", tau=tau)) >= 2
    assert len(ce.cluster_coefficient_second.agree(20, loss="2", spread="1", tau=tau, n=4)) == 3


# ---- bad input -------------------------------------------------------------------------------------------


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidInput):
        ce.cexp_mse.enclose(10, inner=float("nan"), real=1, m=1)
    with pytest.raises(OutsideDomain):
        ce.cexp_mse.enclose(10, inner=0, real=-1, m=1)
    with pytest.raises(OutsideDomain):
        ce.cexp_mse.enclose(10, inner=0, real=1, m=0)
    with pytest.raises(OutsideDomain):
        ce.cexp_real_mse.enclose(10, inner=0, real=1, imag=1, mixed=2, m=1)
    with pytest.raises(OutsideDomain):
        ce.diagonal_entry.enclose(10, first=0, second=1)
    with pytest.raises(InvalidInput, match="invertible"):
        ce.zeta([["1", "1"], ["1", "1"]], [1, 2], [3, 4])
    with pytest.raises(InvalidInput, match="size d x d"):
        ce.zeta(["1", "1"], [1], [3, 4])
    with pytest.raises(InvalidInput, match="rows of one length"):
        ce.zeta([["1", "1"], ["1"]], [1, 2], [3, 4])


def test_zero_loss_has_exactly_no_error() -> None:
    assert ce.cexp_mse.enclose(20, inner=1, real=0, imag=0, m=1).ball == 0
    assert ce.cexp_fourth_moment.enclose(20, inner=1, real=0, imag=0, mixed=0, m=1).ball == 0
    assert ce.complex_diagonal([1], [4])[0] == 2 * I
