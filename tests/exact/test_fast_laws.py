"""Float64 laws of declared mechanisms against the certified ones: every map and coupling that has both."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from rftheory.errors import NotKnown, OutsideDomain
from rftheory.exact.estimates import enough
from rftheory.exact.fast_laws import log_mse, log_relative_mse
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import Law
from rftheory.spec import COUPLINGS, find_coupling, find_map

MAPS = (
    ("positive", {}), ("hyperbolic", {}), ("trigonometric", {}), ("cosine", {}), ("oprf", {}),
    ("gerf", {"A": -0.25}), ("gerf", {"A": 0.0625}), ("gerf", {"A": -0.25, "s": -1}),
)  # fmt: skip
COUPLED = ("iid", "orthogonal", "simplex", "mirrored", "cross-polytope", "orthogonal-simplices")
SIZES = ((2, 3), (5, 13), (64, 128))
SUMS, WAVES = (1e-6, 0.7, 2.82, 2.83, 6.0), (1e-6, 0.7, 0.99, 1.01, 4.0)


def is_wave(feature: str, given: dict[str, float]) -> bool:
    return find_map(feature).norm == "z" or given.get("s") == -1


def exact(feature: str, coupling: str, d: int, m: int, length: float, given: dict[str, float]) -> float:
    side = "difference_norm" if is_wave(feature, given) else "sum_norm"
    pair = Inputs.of_norms(d, **{side: length})  # type: ignore[arg-type]
    law = Law(find_map(feature), find_coupling(coupling), m, pair, dict(given))
    return float(enough(lambda: [law.relative_mse().log()])[0])


@pytest.mark.parametrize(("feature", "given"), MAPS)
@pytest.mark.parametrize("coupling", COUPLED)
def test_against_the_certified_law(feature: str, given: dict[str, float], coupling: str) -> None:
    lengths = WAVES if is_wave(feature, given) else SUMS
    for d, m in SIZES:
        found = log_relative_mse(feature, coupling, d, m, lengths, **given)  # type: ignore[arg-type]
        wanted = [exact(feature, coupling, d, m, length, given) for length in lengths]
        assert np.abs(found - wanted).max() < 1e-12 * max(1, np.abs(wanted).max())


def test_a_wrong_coupling_is_seen() -> None:
    found = log_relative_mse("trigonometric", "cross-polytope", 5, 13, 0.7)
    assert abs(found - exact("trigonometric", "mirrored", 5, 13, 0.7, {})) > 0.01


def test_every_declared_coupling_is_served_or_refused() -> None:
    served = set()
    for name in COUPLINGS:
        try:
            assert np.isfinite(log_relative_mse("positive", name, 4, 8, [0.5, 5.0])).all()
            served.add(name)
        except NotKnown:
            continue
    assert set(COUPLED) <= served
    assert not served & {"antimonotone", "orthogonal-fixed", "sobol", "simplex+", "hadamard-orthogonal"}


def test_shapes_zero_and_domain() -> None:
    assert log_relative_mse("positive", "simplex", 4, 8, [[0.5, 1.0]]).shape == (1, 2)
    assert log_relative_mse("positive", "simplex", 4, 8, 0.0) == -np.inf
    assert log_relative_mse("gerf", "orthogonal", 4, 8, 0.0, A=-0.1) > -np.inf
    with pytest.raises(OutsideDomain, match="1 - 8A > 0"):
        log_relative_mse("gerf", "iid", 4, 8, 1.0, A=0.125)
    for name in ("poisson", "complex-exponential", "anisotropic"):
        with pytest.raises(NotKnown, match="float64 law"):
            log_relative_mse(name, "iid", 4, 8, 1.0)
    with pytest.raises(NotKnown, match="for"):
        log_relative_mse("trigonometric", "simplex", 4, 8, 100.0)


FAR = (
    ("trigonometric", "iid", {}), ("cosine", "iid", {}), ("cosine", "orthogonal", {}), ("hyperbolic", "mirrored", {}),
    ("trigonometric", "mirrored", {}), ("gerf", "iid", {"A": -0.125, "s": -1}), ("gerf", "iid", {"A": 0.0625, "s": -1}),
    ("gerf", "mirrored", {"A": -60.0}), ("gerf", "mirrored", {"A": 0.0625}),
    ("oprf", "mirrored", {}), ("positive", "mirrored", {}),
)  # fmt: skip


@pytest.mark.parametrize(("feature", "coupling", "given"), FAR)
def test_norms_whose_exponentials_overflow(feature: str, coupling: str, given: dict[str, float]) -> None:
    lengths = (106.5, 106.6, 150.0, 300.0)
    found = log_relative_mse(feature, coupling, 16, 17, lengths, **given)  # type: ignore[arg-type]
    wanted = [exact(feature, coupling, 16, 17, length, given) for length in lengths]
    assert np.abs(found / wanted - 1).max() < 1e-14


@pytest.mark.parametrize("A", [-0.125, 0.0625])
def test_shared_norms_far_out_have_limits(A: float) -> None:
    """Where the enclosures need too many bits: S is half of e^(t + g), and so is C of mirrored waves; others are 0."""
    growth = 8 * np.log1p(16 * A * A / (1 - 8 * A))
    for length in (110.0, 300.0, 1e4):
        for coupling, most in (("mirrored", 1), ("orthogonal", 0.5)):
            found = log_relative_mse("gerf", coupling, 16, 32, length, A=A, s=-1)
            assert found == pytest.approx(length**2 + growth + np.log(most / 32), rel=1e-15)


@pytest.mark.parametrize("norm", [50.0, 100.0, 1e4, 1e8])
def test_the_square_of_the_norm_does_not_cancel(norm: float) -> None:
    waves = log_mse("trigonometric", "iid", 16, 1, 0.0, norm)
    assert abs(waves + np.log(2)) < 1e-15
    assert abs(log_mse("positive", "iid", 16, 1, norm, norm)) < 1e-15  # 1 - e^(-v^2)
    beside = np.nextafter(norm, np.inf)
    exact_power = float((Fraction(beside) + Fraction(norm)) * (Fraction(beside) - Fraction(norm)))
    assert log_mse("positive", "iid", 16, 1, beside, norm) == pytest.approx(exact_power, rel=1e-15)


@pytest.mark.parametrize("way", [1, -1])
def test_shapes_whose_second_moment_overflows(way: int) -> None:
    lengths = (0.5, 2.0, 6.0)
    found = log_relative_mse("gerf", "mirrored", 4096, 4097, lengths, A=-500.0, s=way)
    wanted = [exact("gerf", "mirrored", 4096, 4097, length, {"A": -500.0, "s": way}) for length in lengths]
    assert np.abs(found / wanted - 1).max() < 1e-14


@pytest.mark.parametrize("coupling", ["cross-polytope", "orthogonal-simplices"])
@pytest.mark.parametrize("m", [1, 2, 5])
def test_waves_in_one_dimension_do_not_see_signs(coupling: str, m: int) -> None:
    """Rows of opposite signs with norms of their own are as good as independent: the error is (cosh z^2 - 1)/m."""
    lengths = np.array([0.1, 0.9, 1.2, 2.0, 5.0, 20.0])
    found = log_relative_mse("trigonometric", coupling, 1, m, lengths)
    assert np.abs(found - np.log((np.cosh(lengths**2) - 1) / m)).max() < 1e-11
