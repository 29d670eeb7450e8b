"""Samplers against the laws that follow from the declarations: every map, every coupling whose pairs are declared."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import ctx

from rftheory.errors import NotKnown
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import Law
from rftheory.mechanisms.anisotropic import Anisotropic
from rftheory.sample import coupling
from rftheory.spec import Coupling, Relation, Rows, find_coupling, find_map
from rftheory.spec.dimension import d
from rftheory.spec.rows import i
from tests.statistical import contracts
from tests.statistical.contracts import AGREES, verdicts

X, Y = contracts.X / 2, contracts.Y / 2
COMPLEX_A = -0.05 + 0.05j
A_OF_EACH = (-0.1, 0.05, -0.2, 0.0)
DECLARED: dict[str, tuple[str, dict[str, object]]] = {
    "positive": ("positive", {}),
    "hyperbolic": ("hyperbolic", {}),
    "trigonometric": ("trigonometric", {}),
    "cosine": ("cosine", {}),
    "gerf": ("gerf", {"A": -0.1}),
    "gerf, s = -1": ("gerf", {"A": -0.15, "s": -1}),
    "gerf, complex": ("gerf", {"A": "-0.05+0.05*I"}),
    "complex exponential": ("complex-exponential", {}),
    "anisotropic": ("anisotropic", {"A": A_OF_EACH}),
}
"""Names of the samplers of the contract tests, with the declarations that they have nothing to do with."""
COUPLINGS = {"iid": 9, "orthogonal": 7, "simplex": 6, "cross-polytope": 10, "mirrored": 11, "antimonotone": 7,
             "orthogonal-fixed": 7,
             "orthogonal-simplices": 11}  # fmt: skip
"""With numbers of rows that end in a part of a block."""


def law(name: str, law_of_rows: Coupling, m: int) -> Law:
    feature, parameters = DECLARED[name]
    if feature == "complex-exponential":
        entries = [
            [str(Fraction(e.real)) + "+" + str(Fraction(e.imag)) + "*I" for e in row]
            for row in contracts.COMPLEX
        ]
        parameters = {"matrix": entries}
    inputs = Inputs.of_vectors([float(e) for e in X], [float(e) for e in Y])
    return Law(find_map(feature), law_of_rows, m, inputs, parameters)


def exact(name: str, law_of_rows: Coupling, m: int) -> tuple[float, float]:
    this = law(name, law_of_rows, m)
    with ctx.workprec(48 if law_of_rows.name == "antimonotone" else 80):
        return float(this.mean()), float(this.variance())


def samples(name: str, m: int, names: list[str], centres: list[float]):
    maps = {**contracts.maps(X, Y, COMPLEX_A), "anisotropic": (Anisotropic(A_OF_EACH), None)}
    return contracts.sampled(
        [maps[one][0] for one in names], coupling(name), m, X, Y, np.array(centres), blocks=2**17
    )


def known(name: str, m: int) -> dict[str, tuple[float, float]]:
    found = {}
    few = ("positive", "trigonometric") if name == "antimonotone" else tuple(DECLARED)
    for one in few:
        try:
            found[one] = exact(one, find_coupling(name), m)
        except NotKnown:
            assert one == "anisotropic"
    return found


@pytest.mark.parametrize("name", COUPLINGS)
def test_means_and_variances_are_those_of_the_declaration(name: str) -> None:
    m = COUPLINGS[name]
    laws = known(name, m)
    moments = samples(name, m, list(laws), [mean for mean, _ in laws.values()])
    found = {one: verdicts(moments, variance, k) for k, (one, (_, variance)) in enumerate(laws.items())}
    assert found == dict.fromkeys(laws, AGREES)
    wrong = [
        contracts.planted(moments, variance, mean, k) for k, (mean, variance) in enumerate(laws.values())
    ]
    assert all(contracts.REFUTED[1] is variance for _, variance in wrong)


WRONG = {
    "independent norms for shared ones": ("mirrored", Coupling(
        "wrong", "", "", [Rows(d), Rows(d, norm=i + d, sign=-1)])),
    "orthogonal rows for opposite ones": ("cross-polytope", find_coupling("orthogonal")),
    "orthogonal rows for triangles": ("orthogonal-simplices", find_coupling("orthogonal")),
    "orthogonal rows for a simplex": ("simplex", find_coupling("orthogonal")),
}  # fmt: skip


@pytest.mark.parametrize("which", WRONG)
def test_a_wrong_declaration_is_refuted_by_the_same_draws(which: str) -> None:
    name, wrong = WRONG[which]
    m = COUPLINGS[name]
    mean, variance = exact("positive", wrong, m)
    moments = samples(name, m, ["positive"], [mean])
    right = float(exact("positive", find_coupling(name), m)[1])
    assert abs(variance / right - 1) > 0.05
    assert verdicts(moments, variance)[1] is not AGREES[1]


def test_a_relation_of_rows_changes_the_law() -> None:
    this = law("positive", find_coupling("orthogonal"), 8)
    with ctx.workprec(80):
        assert not this.cross(Relation(0)).overlaps(this.cross(Relation(-1)))
