"""Spectral densities, the Bessel kernel, charm, and the moments of the trigonometric estimators."""

from __future__ import annotations

import pytest
from flint import arb, ctx
from sympy import exp, simplify

from rftheory.errors import OutsideDomain
from rftheory.exact import fourier, spectral
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import FORMULAS
from rftheory.exact.symbols import z
from rftheory.exact.trigonometric import trig_mse_iid

CASES = [
    ("gaussian_kernel", {"z": "1.5"}, 3),
    ("gaussian_kernel", {"z": "1e-8"}, 3),
    ("gaussian_density", {"d": 3, "w": "0.7"}, 3),
    ("gaussian_density", {"d": 39, "w": 3}, 3),
    ("gaussian_density", {"d": 4096, "w": 60}, 1),
    ("log_gaussian_density", {"d": 4096, "w": 60}, 2),
    ("matern_kernel", {"nu": "1.5", "z": "0.8"}, 3),
    ("matern_kernel", {"nu": "0.3", "z": 5}, 2),
    ("matern_kernel", {"nu": 100, "z": "1e-8"}, 2),
    ("matern_kernel", {"nu": 2, "z": 0}, 2),
    (
        "matern_kernel",
        {"nu": 1, "z": "1e160"},
        2,
    ),  # mixtures with a peak that is narrow, and one of wide tails
    ("matern_kernel", {"nu": "1e10", "z": 1}, 2),
    ("rational_quadratic_kernel", {"alpha": "1e20", "z": 1000}, 3),
    ("rational_quadratic_density", {"d": 1, "alpha": "1/2", "w": "1e-300"}, 3),
    ("matern_density", {"d": 3, "nu": "1.5", "w": "0.7"}, 3),
    ("matern_density", {"d": 4, "nu": "2.5", "w": 2}, 3),
    ("matern_density", {"d": 4096, "nu": 2, "w": 9}, 2),
    ("log_matern_density", {"d": 4096, "nu": 2, "w": 9}, 3),
    ("laplace_kernel", {"z": "0.5"}, 3),
    ("laplace_density", {"d": 1, "w": 0}, 4),
    ("laplace_density", {"d": 3, "w": 2}, 4),
    ("laplace_density", {"d": 20, "w": 5}, 3),
    ("rational_quadratic_kernel", {"alpha": 1, "z": 2}, 3),
    ("rational_quadratic_density", {"d": 2, "alpha": 1, "w": "1.1"}, 3),
    ("rational_quadratic_density", {"d": 64, "alpha": "2.5", "w": 8}, 3),
    ("product_cauchy_density", {"w": "0.3"}, 2),
    ("gaussian_second_moment", {"d": 7}, 3),
    ("matern_second_moment", {"d": 7, "nu": "1.0001"}, 3),
    ("rational_quadratic_second_moment", {"d": 7, "alpha": "0.4"}, 3),
    ("bessel_kernel", {"d": 3, "z": 1}, 3),
    ("bessel_kernel", {"d": 1, "z": 1}, 2),
    ("bessel_kernel", {"d": 4096, "z": 100}, 2),
    ("bessel_orf_variance", {"d": 2, "p": 2, "z": 1}, 3),
    ("bessel_orf_variance", {"d": 64, "p": 64, "z": "1e-3"}, 3),
    ("scaled_pair_cosine", {"d": 5, "z": 2, "s": 1, "t": 3}, 2),
    ("scaled_pair_cosine", {"d": 4, "z": 1, "s": 1, "t": 1}, 3),
    ("charm_matern", {"nu": "0.5", "z": 1}, 3),
    ("charm_rational_quadratic", {"alpha": 1, "z": 1}, 3),
    ("charm_gaussian", {"z": 1}, 3),
    ("pair_variance", {"m": 3, "k1": "0.5", "k2": "0.1"}, 3),
    ("phase_variance", {"m": 3, "k1": "0.5", "k2": "0.1"}, 3),
]
MOMENTS = [n for n in FORMULAS if n.startswith(("gaussian_pair_", "gaussian_phase_"))]
CASES += [(name, {"m": 7, "z": at}, 3) for name in MOMENTS for at in ("1e-3", 1, 15)]


@pytest.mark.parametrize(("name", "values", "routes"), CASES)
def test_routes_agree(name: str, values: dict[str, object], routes: int) -> None:
    digits = 12 if name in ("matern_density", "laplace_density") else 20
    assert len(FORMULAS[name].agree(digits, **values)) >= routes


def test_moment_names_are_covered() -> None:
    assert len(MOMENTS) == 5


def test_general_variance_is_the_gaussian_one_and_a_planted_factor_is_not() -> None:
    with ctx.workprec(100):
        values = {"m": 5, "k1": exp(-2), "k2": exp(-8)}
        ours, gaussian = fourier.pair_variance.ball(**values), trig_mse_iid.ball(m=5, z=2)
        assert ours.overlaps(gaussian)
        assert not (ours * arb("1.0001")).overlaps(gaussian)


def test_phase_map_has_the_larger_variance_for_equal_length() -> None:
    # Equal length of the feature vector: 2m phases against m pairs.
    with ctx.workprec(100):
        for at in ("1e-4", "1", "3"):
            assert fourier.gaussian_phase_variance.ball(m=10, z=at) > trig_mse_iid.ball(m=5, z=at)


def test_bessel_variance_in_two_dimensions_with_four_angles() -> None:
    """d = 2, p = 2: one uniform angle; 64 equally spaced angles integrate the trigonometric series to 20 digits."""
    with ctx.workprec(120):
        x = arb(2).sqrt() / 2
        first = second = arb(0)
        for j in range(64):
            angle = 2 * arb.pi() * j / 64
            mean = ((x * angle.cos()).cos() + (x * angle.sin()).cos()) / 2
            first += mean / 64
            second += mean**2 / 64
        gap = abs(second - first**2 - spectral.bessel_orf_variance.ball(d=2, p=2, z="0.5"))
        assert gap < arb("1e-20")


def test_charm_limit_decides_between_the_two_printed_forms() -> None:
    """Two-point scale mixture, d -> infinity: d (phi^2 - E cos cos) tends to form (b), which is not form (a)."""
    profile = (exp(-(z**2) / 2) + exp(-2 * z**2)) / 2
    with ctx.workprec(200):
        right, wrong = (evaluate(f(profile).subs(z, 1)) for f in (spectral.charm, spectral.printed_charm))
        phi = evaluate(profile.subs(z, 1))
        defects = []
        for size in (1024, 4096):
            pair = spectral.scaled_pair_cosine
            cross = sum(
                weight * pair.ball(d=size, z=1, s=s, t=t)
                for weight, s, t in ((1, 1, 1), (2, 1, 4), (1, 4, 4))
            )
            defects.append(size * (phi**2 - cross / 4))
        assert abs(defects[1] - right) < abs(right) / 100
        assert abs(defects[1] - right) < abs(defects[0] - right) / 3
        assert abs(wrong - right) > abs(right) / 10


def test_printed_charm_is_right_for_the_gaussian_kernel_alone() -> None:
    gaussian, laplace = exp(-(z**2) / 2), exp(-z)
    assert simplify(spectral.charm(gaussian) - spectral.printed_charm(gaussian)) == 0
    assert simplify(spectral.charm(laplace) - spectral.printed_charm(laplace)) != 0


def test_refusals() -> None:
    with pytest.raises(OutsideDomain):
        spectral.matern_second_moment.enclose(10, d=3, nu="0.5")
    with pytest.raises(OutsideDomain):
        spectral.bessel_orf_variance.enclose(10, d=4, p=5, z=1)
    with pytest.raises(OutsideDomain):
        fourier.pair_variance.enclose(10, m=1, k1="0.9", k2="0.1")
    with pytest.raises(OutsideDomain):
        spectral.matern_kernel.enclose(10, nu=0, z=1)
