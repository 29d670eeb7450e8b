"""The float64 variances against the enclosures, at random points and at the corners; each check has a twin."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from flint import arb, ctx

from rftheory.errors import InvalidInput, OutsideDomain, UnknownName
from rftheory.exact import fast_variance, formulas
from rftheory.exact.fast_laws import log_mse

ULPS = 4.0
"""The promise: error at most 4 ulp of max(1, |log value|)."""

FORMULAS = formulas()
Point = dict[str, object]


@pytest.fixture(autouse=True)
def _precise() -> Iterator[None]:
    with ctx.workprec(400):
        yield


def worst(values: Sequence[float], name: str, points: list[Point]) -> float:
    """Largest error of the logarithms in ulps of max(1, |log|)."""
    largest = 0.0
    for value, point in zip(values, points, strict=True):
        exact = FORMULAS[name].enclose(40, **point).ball.log()
        error = abs(float((arb(float(value)) - exact).mid())) / np.spacing(max(1.0, abs(float(exact.mid()))))
        largest = max(largest, error)
    return largest


def draws(count: int, make: Callable[[np.random.Generator], Point]) -> list[Point]:
    draw = np.random.default_rng(20241105)
    return [make(draw) for _ in range(count)]


def size(draw: np.random.Generator, low: float = 1e-6, high: float = 100.0) -> float:
    return float(10 ** draw.uniform(math.log10(low), math.log10(high)))


def columns(points: list[Point], *names: str) -> list[np.ndarray]:
    return [np.array([point[name] for point in points]) for name in names]


def shape(A: complex) -> str:
    """The exact value of a complex float as text."""
    real, imag = (x.as_integer_ratio() for x in (A.real, A.imag))
    return f"{real[0]}/{real[1]} + I*({imag[0]}/{imag[1]})"


def gerf_points(s: int, complex_shape: bool) -> list[Point]:
    def make(draw: np.random.Generator) -> Point:
        real = -size(draw, 1e-9, 50) if draw.random() < 0.6 else draw.uniform(0, 0.12)
        imag = draw.choice([-1, 1]) * size(draw, 1e-6, 10) if complex_shape else 0.0
        return {
            "d": int(2 ** draw.uniform(1, 12)),
            "A": complex(real, imag),
            "v": size(draw),
            "z": size(draw),
        }

    corners = [
        {"d": d, "A": complex(A), "v": v, "z": z}
        for d in (2, 3, 64, 4096)
        for A in ((0, -0.25, 1e-12, 0.124, 0.1249999) if not complex_shape else (1e-4j, -0.1 - 0.3j))
        for v, z in ((1e-4, 2.0), (1.0, 1e-4), (100.0, 0.0 if s == 1 else 0.5))
    ]
    if complex_shape:
        corners.append({"d": 64, "A": 1e-3j, "v": 1e-3, "z": 1e-3})
    return draws(40, make) + corners


@pytest.mark.parametrize("s", [1, -1])
@pytest.mark.parametrize("complex_shape", [False, True])
def test_gerf_variance(s: int, complex_shape: bool) -> None:
    points = gerf_points(s, complex_shape)
    d, A, v, z = columns(points, "d", "A", "v", "z")
    values = fast_variance.log_gerf_variance(d, A, s, v, z)
    exact = [{**point, "A": shape(point["A"]), "s": s} for point in points]  # type: ignore[arg-type]
    assert worst(values, "gerf_variance", exact) <= ULPS
    shifted = fast_variance.log_gerf_variance(d, A * (1 + 1e-9), s, v, z)
    assert worst(shifted, "gerf_variance", exact) > 100 * ULPS


@pytest.mark.parametrize("s", [1, -1])
def test_gerf_variance_where_squares_of_norms_cancel(s: int) -> None:
    points: list[Point] = [
        {"d": 64, "A": complex(A), "v": v, "z": z}
        for z in (50.0, 1e3, 12345.678, 1e6, 1.234567e8, 1e10)
        for A, v in (
            (0, z),
            (0, np.nextafter(z, 0)),
            (0, np.nextafter(z, math.inf)),
            (-1e-12, z),
            (1j / z**2, z),
        )
    ]
    d, A, v, z = columns(points, "d", "A", "v", "z")
    exact = [{**point, "A": shape(point["A"]), "s": s} for point in points]  # type: ignore[arg-type]
    assert worst(fast_variance.log_gerf_variance(d, A, s, v, z), "gerf_variance", exact) <= ULPS


def oprf_points(count: int = 30) -> list[Point]:
    def make(draw: np.random.Generator) -> Point:
        return {"d": int(2 ** draw.uniform(1, 12)), "v": size(draw, 1e-8), "z": size(draw), "m": 1}

    corners: list[Point] = [
        {"d": d, "v": v, "z": 0.5, "m": 1} for d in (2, 64, 4096) for v in (1e-8, 1.0, 100.0)
    ]
    return draws(count, make) + corners


def oprf_values(coupling: str, points: list[Point], stretched: float = 1.0) -> list[float]:
    return [
        float(log_mse("oprf", coupling, int(p["d"]), int(p["m"]), stretched * float(p["v"]), float(p["z"])))  # type: ignore[call-overload, arg-type]
        for p in points
    ]


def test_oprf() -> None:
    points = oprf_points()
    assert (
        worst(oprf_values("iid", points), "oprf_variance", [{k: p[k] for k in "dvz"} for p in points]) <= ULPS
    )
    assert (
        worst(
            oprf_values("iid", points, 1 + 1e-9), "oprf_variance", [{k: p[k] for k in "dvz"} for p in points]
        )
        > ULPS
    )


@pytest.mark.parametrize("coupling", ["orthogonal", "simplex"])
def test_coupled_oprf(coupling: str) -> None:
    points = [
        {"d": d, "v": v, "z": z, "m": m}
        for d, m in ((2, 1), (2, 2), (3, 7), (64, 64), (64, 100), (513, 1000))
        for v, z in ((1e-3, 1.0), (0.5, 0.0), (1.01, 1.0), (3.0, 2.0), (8.0, 1.0), (20.0, 1.0))
    ]
    if coupling == "orthogonal":
        name, exact = "oprf_orf_variance", points
    else:
        name = "gerf_simrf_variance"
        exact = [
            {**p, "s": 1, "A": FORMULAS["oprf_A"].expression.subs(
                {x.symbol: x.read(p[x.name], "") for x in FORMULAS["oprf_A"].variables})}
            for p in points
        ]  # fmt: skip
    assert worst(oprf_values(coupling, points), name, exact) <= ULPS
    assert worst(oprf_values("iid", points), name, exact) > 1000 * ULPS


def pair_points() -> list[Point]:
    def make(draw: np.random.Generator) -> Point:
        return {
            "x": size(draw, 1e-3, 20),
            "y": size(draw, 1e-3, 20),
            "theta": float(draw.uniform(0, math.pi)),
            "m": 7,
        }

    ends: list[Point] = [
        {"x": x, "y": y, "theta": theta, "m": 3}
        for x, y in ((1.0, 1.0), (5.0, 0.1), (0.01, 0.01))
        for theta in (1e-9, 1.0, 3.14159265)
    ]
    return draws(30, make) + ends


@pytest.mark.parametrize("features", ["trigonometric", "positive", "hyperbolic"])
def test_softmax(features: str) -> None:
    points = pair_points()
    x, y, theta, m = columns(points, "x", "y", "theta", "m")
    name = f"softmax_{'trig' if features == 'trigonometric' else features}_mse"
    assert worst(fast_variance.log_softmax_mse(features, x, y, theta, m), name, points) <= ULPS
    assert worst(fast_variance.log_softmax_mse(features, x, y, theta * (1 - 1e-9), m), name, points) > ULPS


def test_angular_hybrid() -> None:
    points: list[Point] = [{**p, "n": n} for p, n in zip(pair_points(), range(1, 100), strict=False)]
    x, y, theta, m, n = columns(points, "x", "y", "theta", "m", "n")
    assert worst(fast_variance.log_angular_mse(x, y, theta, m, n), "angular_mse", points) <= ULPS
    assert worst(fast_variance.log_angular_mse(x, y, theta, m, n + 1), "angular_mse", points) > 1000 * ULPS


def test_gaussian_hybrid() -> None:
    def make(draw: np.random.Generator) -> Point:
        theta = float(draw.uniform(0, math.pi))
        return {"r": size(draw, 1e-2, 10), "theta": theta, "sigma": size(draw, 1e-2, 10), "m": 5, "n": 3}

    points = draws(40, make)
    r, theta, sigma, m, n = columns(points, "r", "theta", "sigma", "m", "n")
    assert worst(fast_variance.log_gaussian_mse(r, theta, sigma, m, n), "gaussian_equal_mse", points) <= ULPS
    assert (
        worst(fast_variance.log_gaussian_mse(r, theta, sigma, m, n + 1), "gaussian_equal_mse", points) > ULPS
    )


def test_zero_variance() -> None:
    assert fast_variance.log_gerf_variance(5, 0.0, -1, 1.0, 0.0) == -math.inf
    assert log_mse("oprf", "orthogonal", 5, 5, 0.0, 0.0) == -math.inf
    assert fast_variance.log_softmax_mse("trigonometric", 1.0, 1.0, 0.0) == -math.inf


def test_bad_input() -> None:
    with pytest.raises(OutsideDomain, match="1 - 8A"):
        fast_variance.log_gerf_variance(5, 0.125, 1, 1.0, 0.0)
    with pytest.raises(InvalidInput, match="s = 1"):
        fast_variance.log_gerf_variance(5, 0.0, 0, 1.0, 0.0)
    with pytest.raises(InvalidInput, match="finite A"):
        fast_variance.log_gerf_variance(5, math.nan, 1, 1.0, 0.0)
    with pytest.raises(OutsideDomain, match="theta <= pi"):
        fast_variance.log_softmax_mse("positive", 1.0, 1.0, 4.0)
    with pytest.raises(OutsideDomain, match="sigma > 0"):
        fast_variance.log_gaussian_mse(1.0, 1.0, 0.0, 1, 1)
    with pytest.raises(UnknownName, match="unknown feature map 'gerf'"):
        fast_variance.log_softmax_mse("gerf", 1.0, 1.0, 1.0)
