"""The float64 layer against the enclosures, at random and adversarial points; each check has a twin."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from flint import arb, ctx

from rftheory.errors import InvalidInput, OutsideDomain, UnknownName
from rftheory.exact import fast, find_formula
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


def iid(d: int, v: float) -> arb:
    return (arb(v) ** 2).exp()


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
        found = worst(fast.log_orf_conformity(*columns(points)), orf, points)
        record_property("worst ulp", float(found))
        assert found <= ULPS

    def test_simplex(self, record_property: Callable[[str, object], None]) -> None:
        points = [p for p in grid() if p[0] > 5 or p[1] <= 20] + [(2, 100.0), (3, 99.9), (2, 40.0)]
        found = worst(fast.log_simrf_conformity(*columns(points)), simrf, points)
        record_property("worst ulp", float(found))
        assert found <= ULPS

    def test_far_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """At both sides of where the expansion begins, z = 45 and z = d^2, and beyond; for the gap too."""
        points = [
            (d, math.sqrt(2 * max(45, d * d)) * share)
            for d in (2, 3, 4, 5, 6, 7, 8, 13, 40, 301)
            for share in (0.999999, 1.000001, 1.3, 40.0)
        ]
        gap = lambda d, v: iid(d, v) - orf(d, v)  # noqa: E731
        assert worst(fast.log_orf_conformity(*columns(points)), orf, points) <= ULPS
        assert worst(fast.log_orthogonality_gap(*columns(points)), gap, points) <= ULPS
        # planted: 1e-9 more
        right = fast._far_fall
        monkeypatch.setattr(fast, "_far_fall", lambda b, z: right(b, z) * (1 + 1e-9 / z))
        assert worst(fast.log_orf_conformity(*columns(points)), orf, points) > ULPS

    def test_steep_averages(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """About the top of the range, at the edges of where that is used, and for the gap, which it makes simple."""
        points = [
            (d, math.sqrt(2 * t * (d - 1)))
            for d, least in ((2, 55), (3, 60), (4, 62), (7, 72), (16, 96), (25, 116), (50, 160))
            for t in (least, 1.1 * least, 300.0, 4000.0)
        ]
        dims, norms = columns(points)
        z = norms**2 / 2
        assert fast._steep(dims.astype(float), z, z / (dims - 1)).all()
        assert worst(fast.log_simrf_conformity(dims, norms), simrf, points) <= ULPS
        gap = lambda d, v: orf(d, v) - simrf(d, v)  # noqa: E731
        assert worst(fast.log_simplex_gap(dims, norms), gap, points) <= ULPS
        # planted: another step
        right = fast._log_from_top
        monkeypatch.setattr(fast, "_log_from_top", lambda d, z, t, gap: right(d, z, t * (1 + 1e-12), gap))
        assert worst(fast.log_simrf_conformity(dims, norms), simrf, points) > ULPS

    def test_one_point_at_a_time_where_the_ratios_settle_slowly(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # near v^2 = d the backward ratios of the derivatives hardly contract, and a point alone has few terms
        points = [
            (d, math.sqrt(d * share)) for d in (16, 64, 129, 1407, 4096) for share in (0.6, 0.95, 1.0, 1.5)
        ]

        def alone() -> np.ndarray:
            return np.array([float(fast.log_simrf_conformity(d, v)) for d, v in points])

        assert worst(alone(), simrf, points) <= ULPS
        monkeypatch.setattr(fast, "_ratio_lead", lambda b, y, count: 8)
        assert worst(alone(), simrf, points) > 1e6

    @pytest.mark.parametrize("c", [-1.0, -0.5, -0.125, 0.0, 0.5, 1.0])
    def test_any_angle(self, c: float) -> None:
        points = [(d, v) for d in (2, 7, 64, 1023) for v in (1e-3, 0.5, 2.0, 7.0, 15.0)]
        dims, norms = columns(points)
        truth = lambda d, v: angle_conformity.enclose(60, d=d, v=v, c=c).ball  # noqa: E731
        assert worst(fast.log_angle_conformity(dims, norms, c), truth, points) <= ULPS

    def test_twins(self) -> None:
        points = [(d, v) for d in (3, 64, 4096) for v in (0.5, 5.0, 50.0)]
        dims, norms = columns(points)
        assert worst(fast.log_orf_conformity(dims, norms) * (1 + 1e-14), orf, points) > ULPS
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
        assert worst(fast.log_orf_conformity(*columns(points)), orf, points) <= ULPS
        monkeypatch.setattr(fast, "RULES", ((0.0, *rule),))
        assert worst(fast.log_orf_conformity(*columns(points)), orf, points) > ULPS

    def test_rules_where_they_begin(self) -> None:
        dims = [start + near for start in (32, 128, 512) for near in (-2, -1, 0, 1, 2)]
        points = [(d, v) for d in (*dims, 100) for v in (7.8, 8.0, 11.0, 30.0, 300.0, 3000.0)]
        assert worst(fast.log_orf_conformity(*columns(points)), orf, points) <= ULPS


class TestGaps:
    def test_orthogonality_gap(self) -> None:
        points = grid()
        values = fast.log_orthogonality_gap(*columns(points))
        assert worst(values, lambda d, v: iid(d, v) - _wide(orf_conformity, d, v), points) <= ULPS

    def test_small_gaps_keep_13_digits(self) -> None:
        points = [(d, v) for d in DIMENSIONS for v in (1e-8, 1e-6, 1e-3, 0.03, 0.7, 3.0)]
        values = np.exp(fast.log_orthogonality_gap(*columns(points)))
        for value, (d, v) in zip(values, points, strict=True):
            exact = iid(d, v) - _wide(orf_conformity, d, v)
            assert abs(float((arb(float(value)) / exact - 1).mid())) <= 1e-13, (d, v)

    def test_twin_the_plain_difference_loses_them(self) -> None:
        d, v = 4096, 1e-3
        plain = math.exp(v * v) - float(np.exp(fast.log_orf_conformity(d, v)))
        exact = iid(d, v) - _wide(orf_conformity, d, v)
        assert abs(float((arb(plain) / exact - 1).mid())) > 1e-8

    def test_simplex_gap(self) -> None:
        points = [p for p in grid() if p[0] > 5 or p[1] <= 20]
        together = fast.log_simplex_gap(*columns(points))
        for value, (d, v) in zip(together, points, strict=True):
            exact = (_wide(orf_conformity, d, v) - _wide(simrf_conformity, d, v)).log()
            for found in (
                value,
                float(fast.log_simplex_gap(d, v)),
            ):  # in a grid all points get the longest series
                error = abs(float((arb(float(found)) - exact).mid()))
                assert error <= max(1e-13, ULPS * np.spacing(abs(value))), (d, v)

    def test_small_simplex_gaps_keep_13_digits(self) -> None:
        for d in DIMENSIONS:
            for v in (1e-8, 1e-3, 0.7, 3.0):
                exact = _wide(orf_conformity, d, v) - _wide(simrf_conformity, d, v)
                found = float(np.exp(fast.log_simplex_gap(d, v)))
                assert abs(float((arb(found) / exact - 1).mid())) <= 1e-13, (d, v)

    def test_the_least_simplex_gaps(self) -> None:
        """With the square of v below the least float, and on both sides of where the gap is taken as one term."""
        for d in (2, 3, 64, 4096):
            share = 1 - float(fast.gap_ratios(np.array([float(d)]), 1)[0][0])  # E s
            for v in (5e-324, 1e-310, 1e-170, 1e-160, 1e-11, 0.99e-10, 1.01e-10, 1e-9):
                found = float(fast.log_simplex_gap(d, v))
                wanted = 2 * math.log(v) + math.log(share / (d - 1))
                assert abs(found - wanted) <= ULPS * np.spacing(abs(wanted)), (d, v)
        exact = _wide(orf_conformity, 64, 1e-11) - _wide(simrf_conformity, 64, 1e-11)
        assert worst(fast.log_simplex_gap([64], [1e-11]), lambda d, v: exact, [(64, 1e-11)]) <= ULPS


def _wave_gap(d: int, x: arb) -> arb:
    """e^(-2x) - 1F1(d; d/2; -x), of which up to 3x nats cancel where the expansion in 1/x is of no use."""
    with ctx.workprec(400 + (int(10 * float(x)) if x < d * d else 0)):
        return (-2 * x).exp() - (-x).hypgeom_1f1(d, arb(d) / 2)


def _wide(formula: object, d: int, v: float) -> arb:
    """Enough digits for differences at v = 1e-8."""
    return formula.enclose(110, d=d, v=v).ball  # type: ignore[attr-defined]


class TestMeanSquareErrors:
    @pytest.mark.parametrize("coupling", ["iid", "orthogonal", "simplex"])
    @pytest.mark.parametrize("share", ["one", "two", "block", "two blocks and a half"])
    def test_positive(self, coupling: str, share: str) -> None:
        points = [(d, v) for d in (2, 3, 6, 65, 4096) for v in (1e-8, 0.01, 0.7, 1.5, 2.82, 2.83, 8.0, 15.0)]
        dims, norms = columns(points)
        counts = {
            "one": dims * 0 + 1,
            "two": dims * 0 + 2,
            "block": dims,
            "two blocks and a half": 2 * dims + dims // 2,
        }[share]
        values = fast.log_positive_mse(coupling, dims, counts, norms, 0.0)
        rho = {"iid": iid, "orthogonal": orf, "simplex": simrf}[coupling]
        size = dict(zip(dims.tolist(), counts.tolist(), strict=True))

        def truth(d: int, v: float) -> arb:
            pairs = sum(n * (n - 1) for n in _blocks(size[d], d))
            one, both = iid(d, v), rho(d, v) if coupling == "iid" else _wide(_FORMULAS[coupling], d, v)
            return (one**2 - one) / size[d] + (both - one) * pairs / arb(size[d]) ** 2

        assert worst(values, truth, points) <= ULPS

    def test_ratio_of_the_simplex_at_d_64(self) -> None:
        ratio = np.subtract(*(fast.log_positive_mse(name, 64, 64, 1e-6, 0.0) for name in ("simplex", "iid")))
        assert float(np.exp(ratio)) == pytest.approx(0.0077822, abs=5e-7)

    @pytest.mark.parametrize("coupling", ["iid", "orthogonal"])
    def test_trigonometric(self, coupling: str) -> None:
        points = [
            (d, z) for d in (2, 3, 6, 7, 64, 65, 1024) for z in (1e-6, 0.1, 0.99, 1.01, 3.0, 6.0, 12.0, 100.0)
        ]
        dims, norms = columns(points)

        def truth(d: int, z: float) -> arb:
            with ctx.workprec(int(400 + 5 * z * z)):
                t = arb(z) ** 2
                gap = (-t).exp() - (-t / 2).exp() * (t / 2).hypgeom_1f1(-arb(d) / 2, arb(d) / 2)
                gap = gap if coupling == "orthogonal" else arb(0)
                return ((1 - (-t).exp()) ** 2 / 2 - (d - 1) * gap) / d

        assert worst(fast.log_trigonometric_mse(coupling, dims, dims, norms), truth, points) <= ULPS

    def test_trigonometric_far_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """On both sides of where the expansion takes over, and where the series had no terms left."""
        seam = math.sqrt(2 * fast.FAR_WAVE)
        norms = (0.999 * seam, 1.001 * seam, 50.0, 152.0, 1e3, 1e4, 1e8, 1e200)
        points = [(d, z) for d in (2, 3, 4, 7, 9, 11, 13, 64, 129, 4096) for z in norms]
        dims, norms_ = columns(points)
        start = time.perf_counter()
        values = fast.log_trigonometric_mse("orthogonal", dims, dims, norms_)
        assert time.perf_counter() - start < 5

        def truth(d: int, z: float) -> arb:
            x = arb(z) ** 2 / 2
            return ((1 - (-2 * x).exp()) ** 2 / 2 - (d - 1) * _wave_gap(d, x)) / d

        assert worst(values, truth, points) <= ULPS
        monkeypatch.setattr(fast, "_signed_ratio", lambda b: -0.5 * b)
        assert worst(fast.log_trigonometric_mse("orthogonal", dims, dims, norms_), truth, points) > ULPS

    def test_the_wave_gap_far_out(self) -> None:
        for d in (1, 2, 3, 4, 5, 7, 9, 11, 12, 13, 15, 64, 129, 1361, 4079, 4081, 4096):
            for x in (
                679.0,
                680.0,
                681.0,
                1e3,
                *[5e5] * (d < 1000),
                5e7,
                5e15,
            ):  # exact values take 10 s there
                found = fast.wave_gap(
                    np.array([d], dtype=np.longdouble), np.array([2 * x], dtype=np.longdouble)
                )
                exact = _wave_gap(d, arb(x))
                error = abs(arb(float(found[0])) - exact)
                assert error < (1e-18 if x < fast.FAR_WAVE else 1e-24) + 1e-15 * abs(exact), (d, x)

    def test_trigonometric_twin(self) -> None:
        values = fast.log_trigonometric_mse("orthogonal", 16, 15, 1.5)
        assert abs(values - fast.log_trigonometric_mse("orthogonal", 16, 16, 1.5)) > 0.01

    def test_norms_enter_as_a_factor(self) -> None:
        plain = fast.log_positive_mse("orthogonal", 8, 8, 1.0, 0.0)
        assert float(fast.log_positive_mse("orthogonal", 8, 8, 1.0, squares=0.75)) == float(plain) - 1.5

    def test_norms_have_to_be_given(self) -> None:
        """Without them the answer would be that of |x| = |y| = 0, where |x + y| = 1 is not."""
        with pytest.raises(TypeError, match="squares"):
            fast.log_positive_mse("orthogonal", 4, 8, 1.0)  # type: ignore[call-arg]
        exact = find_formula("prf_mse_orf").enclose(15, d=4, m=8, v=1, x="1/2", y="1/2")
        assert float(np.exp(fast.log_positive_mse("orthogonal", 4, 8, 1.0, 0.5))) == pytest.approx(
            float(exact), rel=1e-14
        )


_FORMULAS = {"orthogonal": orf_conformity, "simplex": simrf_conformity}


def _blocks(m: int, d: int) -> list[int]:
    return [d] * (m // d) + ([m % d] if m % d else [])


class TestArrays:
    def test_shapes_broadcast_and_order_is_kept(self) -> None:
        dims, norms = np.array([[2], [64], [7]]), np.array([10.0, 0.0, 3.0, 30.0])
        values = fast.log_simrf_conformity(dims, norms)
        assert values.shape == (3, 4)
        for i in range(3):
            for j in range(4):
                alone = float(fast.log_simrf_conformity(int(dims[i, 0]), float(norms[j])))
                assert values[i, j] == pytest.approx(alone, rel=1e-15, abs=1e-15)

    def test_zero_and_empty(self) -> None:
        assert float(fast.log_orf_conformity(5, 0.0)) == 0.0
        assert float(fast.log_simrf_conformity(5, 0.0)) == 0.0
        for gap in (fast.log_orthogonality_gap, fast.log_simplex_gap):
            assert float(gap(5, 0.0)) == -math.inf
        assert float(fast.log_positive_mse("simplex", 5, 5, 0.0, 0.0)) == -math.inf
        assert fast.log_simrf_conformity(5, np.empty(0)).shape == (0,)

    @pytest.mark.parametrize("bad", [math.nan, math.inf, [1.0, math.nan]])
    def test_not_finite(self, bad: object) -> None:
        with pytest.raises(InvalidInput, match="finite"):
            fast.log_orf_conformity(5, bad)  # type: ignore[arg-type]

    def test_outside_the_domain(self) -> None:
        with pytest.raises(OutsideDomain, match="d >= 2"):
            fast.log_simrf_conformity(1, 1.0)
        with pytest.raises(OutsideDomain, match="norms >= 0"):
            fast.log_simrf_conformity(4, -1.0)
        with pytest.raises(OutsideDomain, match="<= c <= 1"):
            fast.log_angle_conformity(4, 1.0, 1.5)
        with pytest.raises(OutsideDomain, match="m >= 1"):
            fast.log_positive_mse("iid", 4, 0, 1.0, 0.5)
        with pytest.raises(InvalidInput, match="integers d"):
            fast.log_orf_conformity(2.5, 1.0)
        with pytest.raises(InvalidInput, match="broadcast"):
            fast.log_orf_conformity([2, 3, 4], [1.0, 2.0])
        with pytest.raises(UnknownName, match="orthogonal"):
            fast.log_positive_mse("orthogonl", 4, 4, 1.0, 0.5)
