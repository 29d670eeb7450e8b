"""The float64 layer against the enclosures, at random and adversarial points; each check has a twin."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from flint import arb, ctx
from numpy.typing import ArrayLike

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.exact import fast
from rftheory.exact.conformity import angle_conformity, orf_conformity, simrf_conformity

ULPS = 4.0
"""The promise: error at most 4 ulp of max(1, |log value|)."""

DIMENSIONS = (2, 3, 4, 5, 6, 7, 16, 33, 64, 255, 1023, 2048, 4095, 4096)
EDGES = (1e-8, 1e-4, 0.1, 1.0, 1.5, 2.0, 2.82, 2.83, 5.0, 7.745, 7.747, 9.486, 9.487, 10.0, 20.0, 50.0, 100.0)
"""Values of v on both sides of every change of algorithm, and the ends of the range."""


def grid(limit: float = 100.0, count: int = 60) -> list[tuple[int, float]]:
    points = [(d, v) for d in DIMENSIONS for v in EDGES if v <= limit]
    draw = np.random.default_rng(20231107)
    for _ in range(count):
        v = draw.uniform(0, limit) if draw.random() < 0.5 else 10 ** draw.uniform(-4, math.log10(limit))
        points.append((int(2 ** draw.uniform(1, 12)), float(v)))
    return points


@pytest.fixture(autouse=True)
def _precise() -> Iterator[None]:
    with ctx.workprec(400):
        yield


def orf(d: int, v: float) -> arb:
    return orf_conformity.enclose(60, d=d, v=v).ball


def simrf(d: int, v: float) -> arb:
    return simrf_conformity.enclose(60, d=d, v=v).ball


def log_orf(d: ArrayLike, v: ArrayLike) -> np.ndarray:
    return np.asarray(fast.log_angle_conformity(d, v, 0.0))


def log_simrf(d: ArrayLike, v: ArrayLike) -> np.ndarray:
    return np.asarray(fast.log_angle_conformity(d, v, -1 / (np.asarray(d) - 1)))


def worst(values: np.ndarray, truth: Callable[[int, float], arb], points: list[tuple[int, float]]) -> float:
    """Largest error of ``values`` (logarithms) in ulps of max(1, |log|)."""
    largest = 0.0
    for value, (d, v) in zip(values, points, strict=True):
        exact = truth(d, v).log()
        assert exact.is_finite(), (d, v)
        error = abs(float((arb(float(value)) - exact).mid())) / np.spacing(max(1.0, abs(float(exact.mid()))))
        largest = max(largest, error)
    return largest


def columns(points: list[tuple[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([d for d, _ in points]), np.array([v for _, v in points])


class TestConformities:
    def test_orthogonal(self, record_property: Callable[[str, object], None]) -> None:
        points = grid(count=200)
        found = worst(log_orf(*columns(points)), orf, points)
        record_property("worst ulp", float(found))
        assert found <= ULPS

    def test_simplex(self, record_property: Callable[[str, object], None]) -> None:
        points = [p for p in grid() if p[0] > 5 or p[1] <= 20] + [(2, 100.0), (3, 99.9), (2, 40.0)]
        found = worst(log_simrf(*columns(points)), simrf, points)
        record_property("worst ulp", float(found))
        assert found <= ULPS

    def test_far_out(self) -> None:
        """About z = 45 and z = d^2, and beyond."""
        points = [
            (d, math.sqrt(2 * max(45, d * d)) * share)
            for d in (2, 3, 4, 5, 6, 7, 8, 13, 40, 301)
            for share in (0.999999, 1.000001, 1.3, 40.0)
        ]
        assert worst(log_orf(*columns(points)), orf, points) <= ULPS

    def test_steep_averages(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """About the top of the range, at the edges of where that is used."""
        points = [
            (d, math.sqrt(2 * t * (d - 1)))
            for d, least in ((2, 55), (3, 60), (4, 62), (7, 72), (16, 96), (25, 116), (50, 160))
            for t in (least, 1.1 * least, 300.0, 4000.0)
        ]
        dims, norms = columns(points)
        z = norms**2 / 2
        assert fast._steep(dims.astype(float), z, z / (dims - 1)).all()
        assert worst(log_simrf(dims, norms), simrf, points) <= ULPS
        # planted: another step, and 1e-9 more at the top
        top, fall = fast._log_from_top, fast._far_fall
        for name, wrong in (
            ("_log_from_top", lambda d, z, t: top(d, z, t * (1 + 1e-12))),
            ("_far_fall", lambda b, z: fall(b, z) * (1 + 1e-9 / z)),
        ):
            with monkeypatch.context() as patch:
                patch.setattr(fast, name, wrong)
                assert worst(log_simrf(dims, norms), simrf, points) > ULPS

    def test_one_point_at_a_time_where_the_ratios_settle_slowly(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # near v^2 = d the backward ratios of the derivatives hardly contract, and a point alone has few terms
        points = [
            (d, math.sqrt(d * share)) for d in (16, 64, 129, 1407, 4096) for share in (0.6, 0.95, 1.0, 1.5)
        ]

        def alone() -> np.ndarray:
            return np.array([float(log_simrf(d, v)) for d, v in points])

        assert worst(alone(), simrf, points) <= ULPS
        monkeypatch.setattr(fast, "_ratio_lead", lambda b, y, count: 8)
        assert worst(alone(), simrf, points) > 1e6

    @pytest.mark.parametrize("c", [-1.0, -0.5, -0.125, 0.0, 0.5, 1.0])
    def test_any_angle(self, c: float) -> None:
        points = [(d, v) for d in (2, 7, 64, 1023) for v in (1e-3, 0.5, 2.0, 7.0, 15.0, 40.0)]
        points += [(3, 0.857)]  # the error of the ratio of moments that begins a sum stays in all others
        points += (
            [(127, 180.0)] if c < 0 else []
        )  # v^2/2 is just above d^2, where terms about the top fall slowly
        dims, norms = columns(points)
        truth = lambda d, v: angle_conformity.enclose(60, d=d, v=v, c=c).ball  # noqa: E731
        assert worst(fast.log_angle_conformity(dims, norms, c), truth, points) <= ULPS

    def test_twins(self) -> None:
        points = [(d, v) for d in (3, 64, 4096) for v in (0.5, 5.0, 50.0)]
        dims, norms = columns(points)
        assert worst(log_orf(dims, norms) * (1 + 1e-14), orf, points) > ULPS
        assert worst(fast.log_angle_conformity(dims, norms, -1 / dims), simrf, points) > ULPS

    @pytest.mark.parametrize(
        ("rule", "dims"),
        [
            (fast._trapezoid(0.6, 16), (3, 4, 8)),
            (fast._trapezoid(0.9, 16), (32, 64, 4096)),
            (fast._gauss_hermite(24), (3, 4)),
            (fast._gauss_hermite(16), (8, 16)),
            (fast._gauss_hermite(12), (8, 16, 32)),
        ],
        ids=["step-0.6", "step-0.9", "24-nodes", "16-nodes", "12-nodes"],
    )
    def test_a_coarser_rule_is_noticed(
        self, monkeypatch: pytest.MonkeyPatch, rule: tuple[fast.Floats, fast.Floats], dims: tuple[int, ...]
    ) -> None:
        points = [(d, v) for d in dims for v in (9.0, 20.0, 100.0)]
        assert worst(log_orf(*columns(points)), orf, points) <= ULPS
        monkeypatch.setattr(fast, "RULES", ((0.0, *rule),))
        assert worst(log_orf(*columns(points)), orf, points) > ULPS

    def test_rules_where_they_begin(self) -> None:
        dims = [start + near for start in (32, 128, 512) for near in (-2, -1, 0, 1, 2)]
        points = [(d, v) for d in (*dims, 100) for v in (7.8, 8.0, 11.0, 30.0, 300.0, 3000.0)]
        assert worst(log_orf(*columns(points)), orf, points) <= ULPS


def _wave_gap(d: int, x: arb) -> arb:
    """e^(-2x) - 1F1(d; d/2; -x), of which up to 3x nats cancel where the expansion in 1/x is of no use."""
    with ctx.workprec(400 + (int(10 * float(x)) if x < d * d else 0)):
        return (-2 * x).exp() - (-x).hypgeom_1f1(d, arb(d) / 2)


def _fast_wave_gap(d: int, x: float) -> float:
    return float(fast.wave_gap(*(np.array([value], dtype=np.longdouble) for value in (d, 2 * x)))[0])


class TestWaves:
    def test_the_wave_gap_far_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for d in (1, 2, 3, 4, 5, 7, 9, 11, 12, 13, 15, 64, 129, 1361, 4079, 4081, 4096):
            # exact values take 10 s at the fifth for large d
            for x in (679.0, 680.0, 681.0, 1e3, *[5e5] * (d < 1000), 5e7, 5e15):
                found, exact = _fast_wave_gap(d, x), _wave_gap(d, arb(x))
                error = abs(arb(found) - exact)
                assert error < (1e-18 if x < fast.FAR_WAVE else 1e-24) + 1e-15 * abs(exact), (d, x)
        assert _fast_wave_gap(3, 1e300) == 0
        right = _fast_wave_gap(3, 1e3)
        monkeypatch.setattr(fast, "_signed_ratio", lambda b: -0.5 * b)
        assert abs(_fast_wave_gap(3, 1e3) / right - 1) > 0.1


class TestArrays:
    def test_shapes_broadcast_and_order_is_kept(self) -> None:
        dims, norms = np.array([[2], [64], [7]]), np.array([10.0, 0.0, 3.0, 30.0])
        values = log_simrf(dims, norms)
        assert values.shape == (3, 4)
        for i in range(3):
            for j in range(4):
                alone = float(log_simrf(int(dims[i, 0]), float(norms[j])))
                assert values[i, j] == pytest.approx(alone, rel=1e-15, abs=1e-15)

    def test_zero_and_empty(self) -> None:
        assert float(log_orf(5, 0.0)) == 0.0
        assert float(log_simrf(5, 0.0)) == 0.0
        assert log_simrf(5, np.empty(0)).shape == (0,)

    @pytest.mark.parametrize("bad", [math.nan, math.inf, [1.0, math.nan]])
    def test_not_finite(self, bad: object) -> None:
        with pytest.raises(InvalidInput, match="finite"):
            log_orf(5, bad)  # type: ignore[arg-type]

    def test_outside_the_domain(self) -> None:
        with pytest.raises(OutsideDomain, match="d >= 2"):
            log_orf(1, 1.0)
        with pytest.raises(OutsideDomain, match="norms >= 0"):
            log_simrf(4, -1.0)
        with pytest.raises(OutsideDomain, match="<= c <= 1"):
            fast.log_angle_conformity(4, 1.0, 1.5)
        with pytest.raises(InvalidInput, match="integers d"):
            log_orf(2.5, 1.0)
        with pytest.raises(InvalidInput, match="broadcast"):
            log_orf([2, 3, 4], [1.0, 2.0])
