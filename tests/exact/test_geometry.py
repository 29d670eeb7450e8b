"""Geometry at known norms: conformity, truncated objective, SimRF+, closed forms, ratios. Routes must agree."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
import sympy
from flint import arb

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.exact import geometry as geo
from rftheory.exact.conformity import angle_conformity, orf_conformity, simrf_conformity


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        (geo.norms_pair_conformity, {"d": 6, "v": "1.5", "a": 2, "b": "1.3", "c": "-0.2"}),
        (geo.norms_pair_conformity, {"d": 65, "v": 10, "a": 8, "b": 9, "c": -1}),
        (geo.norms_pair_conformity, {"d": 2, "v": 0, "a": 8, "b": 9, "c": 1}),
        (geo.equal_norm_optimum, {"d": 6, "v": 1, "w": 2, "m": 6}),
        (geo.equal_norm_optimum, {"d": 2, "v": "1e-8", "w": 2, "m": 3}),
        (geo.truncated_objective, {"d": 6, "v": 1, "m": 6, "square_sum": 30, "resultant": "1.5"}),
        (geo.minimal_resultant, {"longest": 3, "total": 5}),
        (geo.minimal_resultant, {"longest": 3, "total": 7}),
        (geo.simrf_resultant_square, {"d": 2}),
        (geo.simrf_resultant_square, {"d": 4095}),
        (geo.resultant_moment, {"d": 6, "n": 2, "c": 0}),
        (geo.resultant_moment, {"d": 7, "n": 5, "c": "-1/6"}),
        (geo.resultant_moment, {"d": 2, "n": 30, "c": -1}),
        (geo.orf_conformity_even, {"d": 2, "v": 100}),
        (geo.orf_conformity_even, {"d": 512, "v": 5}),
        (geo.orf_conformity_even, {"d": 6, "v": "1e-8"}),
        (geo.simrf_conformity_even, {"d": 2, "v": 50}),
        (geo.simrf_conformity_even, {"d": 4, "v": 3}),
        (geo.simrf_conformity_even, {"d": 16, "v": "1e-8"}),
        (geo.simrf_conformity_plane, {"v": 0}),
        (geo.simrf_conformity_plane, {"v": "1e-8"}),
        (geo.simrf_conformity_plane, {"v": 50}),
        (geo.prf_ratio_orf, {"d": 64, "m": 64, "v": "1e-3"}),
        (geo.prf_ratio_orf, {"d": 3, "m": 10, "v": 5}),
        (geo.prf_ratio_simrf, {"d": 2, "m": 2, "v": 1}),
        (geo.prf_ratio_simrf, {"d": 64, "m": 64, "v": "1e-3"}),
        (geo.prf_ratio_simrf_zero, {"d": 5, "m": 12}),
        (geo.prf_ratio_simrf_zero, {"d": 4096, "m": 4096}),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_routes_agree(formula: geo.Formula, values: dict[str, object]) -> None:
    assert len(formula.agree(25, **values)) >= 2


def test_twin_a_wrong_route_is_found() -> None:
    wrong = geo.Route(
        "wrong", geo.equal_norm_optimum.expression * (1 + sympy.Rational(1, 10**30)), "a planted error"
    )
    formula = geo.Formula(
        "wrong", "", "", geo.equal_norm_optimum.variables, geo.equal_norm_optimum.expression, (wrong,)
    )
    with pytest.raises(InvalidInput, match="agree"):
        formula.agree(35, d=6, v=1, w=2, m=6)


class TestNorms:
    def test_mean_over_the_norms_is_the_conformity(self) -> None:
        """sum_n v^(2n) E|w_ij|^(2n)/(4^n n! (d/2)_n) is rho: the moments and the pair formula belong together."""
        d, v, c = 5, sympy.Rational(1, 2), sympy.Rational(-1, 4)
        total = arb(0)
        for n in range(30):
            moment = geo.resultant_moment.ball(d=d, n=n, c=c)
            total += moment * arb(0.25) ** n / (4**n * arb.fac_ui(n) * (arb(d) / 2).rising(arb(n)))
        assert abs(float((total - angle_conformity.enclose(20, d=d, v=v, c=c).ball).mid())) < 1e-14


def test_vectors_of_equal_norms_are_best_as_a_simplex() -> None:
    """A bent frame does worse, and the simplex reaches the optimum: means over its pairs of the pair formula."""
    best = geo.equal_norm_optimum.enclose(20, d=3, v=2, w=1, m=3)

    def mean(*cosines: str) -> arb:
        pairs = [geo.norms_pair_conformity.enclose(20, d=3, v=2, a=1, b=1, c=c).ball for c in cosines]
        return sum(pairs, arb(0)) / len(pairs)

    assert mean("-0.4", "-0.5", "-0.55") > best.ball
    assert mean("-0.5", "-0.5", "-0.5").overlaps(best.ball)
    with pytest.raises(OutsideDomain, match=r"m <= d \+ 1"):
        geo.equal_norm_optimum.enclose(d=3, v=1, w=1, m=5)


def test_no_arrangement_has_a_smaller_resultant() -> None:
    """On a grid of plane directions the resultant never falls below the stated minimum."""
    norms = [Fraction(1), Fraction(2), Fraction(6)]
    unit = [(Fraction(1 - t * t, 1 + t * t), Fraction(2 * t, 1 + t * t)) for t in map(Fraction, range(-6, 7))]
    least = min(
        sum(sum(n * u[i] for n, u in zip(norms, us, strict=True)) ** 2 for i in range(2))
        for us in itertools.product([*unit, (Fraction(-1), Fraction(0))], repeat=3)
    )
    assert least == geo.minimal_resultant.enclose(10, longest=6, total=9).midpoint ** 2 == 9


def test_an_arrangement_that_meets_eq_16_need_not_be_minimal() -> None:
    """(2, 2, -3) on a line meets it, with the resultant 1; a triangle of these norms has 0."""
    at = {"d": 3, "v": 1, "m": 3, "square_sum": 17}
    stuck = geo.truncated_objective.enclose(20, resultant=1, **at)
    best = geo.truncated_objective.enclose(20, resultant=0, **at)
    assert stuck.lower > best.upper
    with pytest.raises(OutsideDomain, match="resultant"):
        geo.truncated_objective.enclose(d=3, v=1, m=2, square_sum=1, resultant=2)


def test_footnote_4() -> None:
    """E w^4/E w^2 is 2 d + 2 for orthogonal pairs."""
    for d in (2, 7, 64):
        fourth, second = (geo.resultant_moment.enclose(20, d=d, n=n, c=0) for n in (2, 1))
        assert (fourth.ball / second.ball).overlaps(arb(2 * d + 2))


def test_even_forms_are_the_conformities() -> None:
    for d in (2, 8):
        assert geo.orf_conformity_even.enclose(30, d=d, v=3).overlaps(orf_conformity.enclose(30, d=d, v=3))
        assert geo.simrf_conformity_even.enclose(30, route="definition", d=d, v=3).overlaps(
            simrf_conformity.enclose(30, d=d, v=3)
        )
    with pytest.raises(OutsideDomain, match="even d"):
        geo.simrf_conformity_even.enclose(d=7, v=1)


def test_ratio_tends_to_its_limit() -> None:
    limit = geo.prf_ratio_simrf_zero.enclose(20, d=64, m=64)
    assert limit.text(2) == "0.0078"
    near = geo.prf_ratio_simrf.enclose(20, d=64, m=64, v="1e-6")
    assert abs(float(near) - float(limit)) < 1e-10
    assert float(geo.prf_ratio_simrf.enclose(15, d=64, m=64, v=1)) > float(limit)
