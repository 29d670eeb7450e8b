"""Tail bounds: routes agree, constants are the best ones, printed misprints are told apart."""

from __future__ import annotations

import pytest
from flint import arb, ctx

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.exact import bounds
from rftheory.exact.enclosure import exact_number
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import FORMULAS, Formula
from rftheory.exact.symbols import d

UNIFORM = {"m": 2000, "d": 3, "eps": "0.2", "sigma": "sqrt(3)", "diam": 2}
WIDE = {"m": 1, "d": 4096, "eps": "1.9", "sigma": 64, "diam": "1e4"}
FEW = {"m": 50_000, "d": 1, "eps": "1e-2", "sigma": 1, "diam": "0.01"}

CASES = [
    ("hoeffding_bound", {"m": 100, "eps": "0.3"}),
    ("hoeffding_bound", {"m": 1, "eps": "1e-8"}),
    ("phase_tail_bound", {"m": 10_000, "eps": "1.9"}),
    ("phase_hoeffding_bound", {"m": 100, "eps": "0.3"}),
    ("bernstein_bound", {"m": 100, "eps": "0.3", "variance": 0}),
    ("covering_bound", {"d": 4096, "diam": 2, "r": "1e-8"}),
    ("separated_bound", {"d": 64, "diam": 2, "r": 5}),
    ("jung_radius", {"d": 8, "diam": 1}),
    ("net_radius", {"d": 5, "k1": 2, "k2": 3}),
    ("net_radius", {"d": 4096, "k1": "1e-300", "k2": "1e20"}),
    ("net_optimum", {"d": 1, "k1": 2, "k2": 3}),
    ("gaussian_lipschitz_bound", {"m": 100, "d": 4096}),
    ("ss_gaussian_alpha", {"eps": "0.1", "diam": 1}),
    ("ss_gaussian_alpha", {"eps": "1.9", "diam": 9}),
    ("net_bound", {**UNIFORM, "r": "1e-3"}),
    ("ball_bound", {**UNIFORM, "rho": "1/3"}),
    ("ball_features", {"d": 10, "eps": "0.1", "delta": "0.01", "sigma": "sqrt(10)", "diam": 2}),
    ("hoeffding_features", {"eps": "0.1", "delta": "0.01"}),
    ("rr_features", {"d": 10, "eps": "0.1", "delta": "0.01", "sigma": "sqrt(10)", "diam": 2}),
    ("uniform_features", {"d": 10, "eps": "0.1", "delta": "0.01", "sigma": "sqrt(10)", "diam": 2}),
]
CASES += [
    (name, {"d": size})
    for name in ("ss_pair_constant", "ss_phase_constant", "uniform_constant")
    for size in (1, 2, 4096)
]
UNIFORM_BOUNDS = ("rr_bound", "rr_proof_bound", "ss_pair_bound", "ss_phase_bound", "uniform_bound")
CASES += [
    (prefix + name, values)
    for name in UNIFORM_BOUNDS
    for prefix in ("", "log_")
    for values in (UNIFORM, WIDE)
]
CASES += [(prefix + "rr_bound", FEW) for prefix in ("", "log_")]


@pytest.mark.parametrize(("name", "values"), CASES)
def test_routes_agree(name: str, values: dict[str, object]) -> None:
    assert len(FORMULAS[name].agree(20, **values)) >= 2


@pytest.mark.parametrize(
    ("formula", "place", "largest"),
    [
        (bounds.ss_pair_constant, 64, 66),
        (bounds.ss_phase_constant, 48, 98),
        (bounds.uniform_constant, 144, 146),
    ],
)
def test_constants_peak_where_printed(formula: Formula, place: int, largest: int) -> None:
    assert formula.enclose(20, d=place).text(20) == f"{largest}.{'0' * (18 - (largest > 99))}"
    assert formula.expression.subs(d, place) == largest
    for neighbour in (place - 1, place + 1):
        assert formula.enclose(20, d=neighbour).upper < largest


def test_best_radius_is_the_minimum_and_the_printed_one_is_not() -> None:
    with ctx.workprec(100):
        values = {d: exact_number(2), bounds.a: exact_number(16), bounds.b: exact_number(1)}

        def two_terms(radius: arb) -> arb:
            return 16 / radius**2 + radius**2

        best = bounds.net_optimum.ball(d=2, k1=16, k2=1)
        printed = evaluate(bounds.PRINTED_RADIUS, values)
        assert best.overlaps(arb(8))
        assert two_terms(printed).overlaps(arb(17))
        for shift in ("0.99", "1.01"):
            assert two_terms(bounds.net_radius.ball(d=2, k1=16, k2=1) * arb(shift)) > best


def test_printed_constant_exceeds_two_in_one_dimension() -> None:
    c = bounds.PRINTED_CONSTANT
    with ctx.workprec(80):
        sums = [evaluate((c ** (-d) + c**2).subs(d, size)) for size in range(1, 40)]
    assert sums[0].overlaps(arb("2.25"))
    assert all(s <= 2 for s in sums[1:])


@pytest.mark.parametrize("values", [UNIFORM, {**UNIFORM, "d": 64, "eps": "0.7"}])
def test_order_of_the_uniform_bounds(values: dict[str, object]) -> None:
    def value(name: str) -> arb:
        return FORMULAS[f"log_{name}"].ball(**values)

    assert value("ss_pair_bound") <= value("rr_proof_bound") < value("rr_bound")
    assert value("uniform_bound") < value("rr_bound")


def test_smallest_number_is_smallest() -> None:
    count = int(
        bounds.uniform_features.enclose(10, d=3, eps="0.2", delta="0.01", sigma="sqrt(3)", diam=2).midpoint
    )
    at = {**UNIFORM, "m": count}
    assert bounds.uniform_bound.ball(**at) <= arb("0.01")
    assert bounds.uniform_bound.ball(**{**at, "m": count - 1}) > arb("0.01")


@pytest.mark.parametrize(
    ("d", "eps", "delta", "diam"),
    [(1, "0.1", "1", "1e-6"), (10, "0.1", "0.01", "5"), (784, "1.9", "1e-9", "1e4")],
)
@pytest.mark.parametrize("rho", ["1/100", "1/10", "9/10"])
def test_the_pairs_that_are_enough_are(d: int, eps: str, delta: str, diam: str, rho: str) -> None:
    at = {"d": d, "eps": eps, "sigma": "sqrt(3)", "diam": diam, "rho": rho}
    count = int(bounds.ball_features.enclose(20, **at, delta=delta).midpoint)
    assert bounds.ball_bound.ball(**at, m=count) <= arb(delta)
    assert not bounds.ball_bound.ball(**at, m=max(1, count // 2)) <= arb(delta)


def test_refusals() -> None:
    with pytest.raises(OutsideDomain):
        bounds.covering_bound.enclose(10, d=1, diam=1, r=3)
    with pytest.raises(OutsideDomain):
        bounds.hoeffding_bound.enclose(10, m=0, eps="0.1")
    with pytest.raises(OutsideDomain):
        bounds.uniform_bound.enclose(10, **{**UNIFORM, "diam": "1e-3"})
    with pytest.raises(InvalidInput):
        bounds.hoeffding_bound.enclose(10, m=1, eps=float("nan"))
