"""The probability of an error of one row, against other ways to compute it; where it is 0, 1 or not known."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
import sympy
from flint import acb, arb, ctx
from scipy import integrate, stats

from rftheory.errors import InvalidInput, NotCertified, NotKnown, OutsideDomain
from rftheory.exact import find_formula
from rftheory.exact.enclosure import Exact, bounds
from rftheory.exact.inputs import Coordinate, Inputs
from rftheory.exact.laws import Exponential, Law
from rftheory.exact.quantities import find_quantity
from rftheory.exact.row_tails import SIDES, Curve, _of_curve, _of_wave, range_of, tail_of
from rftheory.spec import FeatureMap, Term, find_coupling, find_map
from rftheory.spec.feature_map import x, y

POINTS = [("1", "1", "1/2"), ("2", "1/2", "1/4"), ("1/8", "4", "1/16"), ("3", "3/2", "1"), ("3", "0", "2")]


def pair(d: int, v: str, z: str) -> Inputs:
    total, apart = sympy.Rational(v), sympy.Rational(z)
    rest = [Coordinate(sympy.S.Zero, sympy.S.Zero, d - 1)] if d > 1 else []
    return Inputs((Coordinate((total + apart) / 2, (total - apart) / 2), *rest))


def tail(
    feature: str | FeatureMap, v: str, z: str, eps: str, d: int = 3, m: int = 1, coupling: str = "iid",
    **parameters: Exact,
) -> arb:  # fmt: skip
    found = find_map(feature) if isinstance(feature, str) else feature
    law = Law(found, find_coupling(coupling), m, pair(d, v, z), parameters)
    number = sympy.Rational(eps)
    return tail_of(law, arb(int(number.p)) / int(number.q))


def near(found: arb, value: float, digits: float = 1e-9) -> bool:
    low, high = bounds(found)
    return float(low) - digits <= value <= float(high) + digits


def outside(inside: Callable[[float], float], ends: list[float]) -> float:
    """P(f(g) is outside) from all places at which it changes, by SciPy's normal law."""
    edges = [-math.inf, *sorted([*ends, 0.0]), math.inf]
    middles = [
        (max(a, b - 1) if a == -math.inf else min(b, a + 1) if b == math.inf else (a + b) / 2)
        for a, b in itertools.pairwise(edges)
    ]
    cells = zip(edges, edges[1:], middles, strict=False)
    return sum(stats.norm.cdf(b) - stats.norm.cdf(a) for a, b, at in cells if not inside(at))


@pytest.mark.parametrize(("v", "z", "eps"), POINTS)
def test_a_wave_errs_on_intervals_by_arc_cosines(v: str, z: str, eps: str) -> None:
    apart, error = float(sympy.Rational(z)), float(sympy.Rational(eps))
    kernel = math.exp(-(apart**2) / 2)
    levels = [c for c in (kernel - error, kernel + error) if -1 < c < 1]
    ends = (
        [
            sign * (math.acos(c) + 2 * math.pi * k) / apart
            for c in levels for k in range(-40, 41) for sign in (1, -1)
        ]
        if apart
        else []
    )  # fmt: skip
    value = outside(lambda g: abs(math.cos(apart * g) - kernel) < error, ends)
    assert near(tail("trigonometric", v, z, eps), value)
    assert not near(tail("trigonometric", v, z, eps), value + 1e-4)
    assert near(tail("trigonometric", v, z, eps, d=1, coupling="orthogonal"), value)  # one row is one row


@pytest.mark.parametrize(("v", "z", "eps"), POINTS)
def test_exponentials_err_beyond_logarithms(v: str, z: str, eps: str) -> None:
    total, apart, error = (float(sympy.Rational(text)) for text in (v, z, eps))
    kernel, factor = math.exp(-(apart**2) / 2), math.exp(-(total**2 + apart**2) / 2)
    above, below = (kernel + error) / factor, (kernel - error) / factor
    value = stats.norm.sf(math.log(above) / total)
    value += stats.norm.cdf(math.log(below) / total) if below > 0 else 0
    assert near(tail("positive", v, z, eps), value)
    far = 2 * stats.norm.sf(math.acosh(above) / total) if above > 1 else 1
    close = 1 - 2 * stats.norm.sf(math.acosh(below) / total) if below > 1 else 0
    assert near(tail("hyperbolic", v, z, eps), far + close)


@pytest.mark.parametrize("A", ["-1/3", "-2", "1/10", "1/5"])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_bump_errs_outside_of_a_shell(A: str, d: int) -> None:
    for v, z, eps in POINTS[:2]:
        a, total, apart, error = (float(sympy.Rational(text)) for text in (A, v, z, eps))
        kernel = math.exp(-(apart**2) / 2)
        shift = (1 - 4 * a) * total**2 / (16 * a * a)
        top = (1 - 4 * a) ** (d / 2) * math.exp(-(apart**2) / 2 - total**2 / (8 * a))
        law = stats.ncx2(d, shift) if shift else stats.chi2(d)
        squares = [math.log(level / top) / (2 * a) for level in (kernel + error, max(kernel - error, 1e-300))]
        lower, upper = (
            (law.cdf(squares[0]), law.sf(squares[1])) if a < 0 else (law.sf(squares[0]), law.cdf(squares[1]))
        )
        assert near(tail("gerf", v, z, eps, d=d, A=A), lower + (upper if kernel > error else 0), 1e-7)


def test_of_negative_A_it_is_the_formula_of_the_catalogue() -> None:
    known = find_formula("gerf_tail")
    for v, z, eps in POINTS:
        for d in (1, 4):
            other = known.ball(d=d, A="-1/3", v=v, z=z, eps=eps)
            assert tail("gerf", v, z, eps, d=d, A="-1/3").overlaps(other)


def test_complex_bumps_on_a_line_agree_with_a_quadrature() -> None:
    a, v, z, eps = -0.25 + 0.5j, 1.0, 0.5, 0.3
    kernel = math.exp(-(z**2) / 2)

    g = np.linspace(-9, 9, 400_001)
    log = np.log(1 - 4 * a) / 2 + 2 * a * g * g + np.sqrt(1 - 4 * a) * v * g - (v * v + z * z) / 2
    errs = abs(np.exp(log).real - kernel) >= eps
    value = integrate.trapezoid(errs * stats.norm.pdf(g), g)
    assert near(tail("gerf", "1", "1/2", "3/10", d=1, A="-1/4+I/2"), value, 1e-4)


def test_more_digits_are_nested_and_a_draw_agrees() -> None:
    rough, law = tail("trigonometric", "1", "9", "1/2"), np.random.default_rng(3).normal(size=10**6)
    with ctx.workprec(300):
        fine = tail("trigonometric", "1", "9", "1/2")
        assert fine.rad() < arb(2) ** -250
    assert rough.contains(fine)
    assert near(fine, float((abs(np.cos(9 * law) - math.exp(-40.5)) >= 0.5).mean()), 0.003)


@pytest.mark.parametrize(
    ("feature", "v", "z", "more"),
    [
        ("trigonometric", "1", "0", {}),
        ("positive", "0", "1", {}),
        ("hyperbolic", "0", "1", {}),
        ("oprf", "0", "1", {}),
        ("gerf", "0", "1", {"A": 0}),
    ],
)
@pytest.mark.parametrize(("coupling", "m"), [("iid", 1), ("simplex", 7), ("orthogonal-fixed", 4)])
def test_estimates_that_are_always_the_kernel_never_err(
    feature: str, v: str, z: str, more: dict[str, Exact], coupling: str, m: int
) -> None:
    assert tail(feature, v, z, "1/1000", m=m, coupling=coupling, **more) == 0


def test_no_draw_errs_by_more_than_the_range_allows() -> None:
    for m in (1, 2, 9):
        for coupling in ("iid", "orthogonal"):
            assert tail("trigonometric", "1", "1", "2", m=m, coupling=coupling) == 0  # 1 + exp(-1/2) = 1.61
            assert tail("cosine", "1", "1", "3", m=m, coupling=coupling) == 0
            assert tail("gerf", "1", "1", "9", m=m, coupling=coupling, A="-1/4") == 0
    assert tail("trigonometric", "1", "1", "8/5") > 0
    assert tail("gerf", "1", "1", "4/5", A="-1/4") > 0


def test_an_error_of_exactly_eps_counts() -> None:
    once = Term(x + y, -(x**2 + y**2) / 2)
    doubled = FeatureMap("doubled", "twice the kernel", "test", (once, once))
    assert tail(doubled, "0", "0", "1") == 1
    assert tail(doubled, "0", "0", "1000001/1000000") == 0
    assert tail(doubled, "0", "0", "1", m=5, coupling="simplex") == 1


def test_what_touches_a_level_is_enclosed_and_not_decided() -> None:
    """f <= 1 = K + eps, with equality at g = 0 alone."""
    law = Law(find_map("trigonometric"), find_coupling("iid"), 1, pair(2, "1", "1"))
    found = tail_of(law, 1 - law.target())
    with ctx.workprec(200):
        more = tail_of(law, 1 - law.target())
    assert found.contains(more)
    assert more.rad() < 1e-20


@pytest.mark.parametrize(
    ("feature", "m", "coupling", "more", "why"),
    [
        ("trigonometric", 2, "iid", {}, "only moments are known"),
        ("cosine", 1, "iid", {}, "random phases"),
        ("poisson", 1, "iid", {"lam": 1}, "random counts"),
        ("positive", 1, "orthogonal-fixed", {}, "N(0, I) alone"),
        ("positive", 1, "hadamard-orthogonal", {}, "N(0, I) alone"),
        ("gerf", 1, "iid", {"A": "-1/4+I/3"}, "neither a function of one normal variable"),
    ],
)
def test_what_is_not_known_says_why(
    feature: str, m: int, coupling: str, more: dict[str, Exact], why: str
) -> None:
    with pytest.raises(NotKnown, match=why.replace("(", r"\(").replace(")", r"\)")):
        tail(feature, "1", "1", "1/2", m=m, coupling=coupling, d=4, **more)


def test_flat_bumps_of_no_mean_are_refused_and_thin_ones_not_certified() -> None:
    with pytest.raises(OutsideDomain, match="1 - 4"):
        tail("gerf", "1", "1", "1/2", A="1/3")
    with pytest.raises(NotCertified, match="a short series"):
        tail("gerf", "9", "1", "1/10", A="-1/10000000")
    exact = tail("positive", "1", "1", "1/2")
    assert abs(tail("gerf", "1", "1", "1/2", A="-1/1000") - exact) < 0.01  # A -> 0
    exact = tail("positive", "9", "1", "1/10")
    assert abs(tail("gerf", "9", "1", "1/10", A="-1/10000") - exact) < 1e-4


@pytest.mark.parametrize("seed", range(12))
def test_sums_of_exponentials_along_a_line_agree_with_draws(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, line, n = int(rng.integers(1, 4)), int(rng.choice((1, -1))), int(rng.integers(1, 4))
    slopes = [complex(*rng.integers(-3, 4, 2)) / 2 for _ in range(n)]
    weights = [float(w) for w in rng.choice((-1.5, -0.5, 0.5, 1.0, 2.0), n)]
    terms = (
        Term((sympy.Rational(c.real) + sympy.I * sympy.Rational(c.imag)) * (x + line * y), -(x**2 + y**2) / 4,
            weight=sympy.Rational(w))
        for c, w in zip(slopes, weights, strict=True)
    )  # fmt: skip
    v, z, eps = (sympy.Rational(int(k), 8) for k in rng.integers(1, 16, 3))
    found = tail(
        FeatureMap("sum", "waves and exponentials", "test", tuple(terms)), str(v), str(z), str(eps), d=d
    )
    along = float(v if line == 1 else z) * rng.normal(size=400_000)
    parts = (w * np.exp(c * along).real for c, w in zip(slopes, weights, strict=True))
    values = sum(parts) * math.exp(-3 * float(v**2 + z**2) / 8)
    share = float((abs(values - math.exp(-(float(z) ** 2) / 2)) >= float(eps)).mean())
    assert near(found, share, 5 * math.sqrt(max(share * (1 - share), 1e-5) / 400_000))


def test_two_lines_at_once_are_not_one() -> None:
    both = FeatureMap("both", "exp(w.(x + y)) and cos(w.(x - y))", "test", (
        Term(x + y, -(x**2 + y**2) / 2, weight=sympy.S.Half),
        Term(sympy.I * (x - y), (x**2 + y**2) / 2, weight=sympy.S.Half)))  # fmt: skip
    with pytest.raises(NotKnown, match="neither"):
        tail(both, "1", "1", "1/2")
    g = np.random.default_rng(1).normal(size=10**6)  # in one dimension there is only one line
    share = abs((np.exp(g - 1) + np.cos(g)) / 2 - math.exp(-0.5)) >= 0.5
    assert near(tail(both, "1", "1", "1/2", d=1), float(share.mean()), 0.003)


def test_ranges_hold_what_is_drawn() -> None:
    rng = np.random.default_rng(2)
    g, phase = rng.normal(size=10**5), rng.uniform(0, 2 * math.pi, 10**5)
    for name, values in (("trigonometric", np.cos(g)), ("cosine", np.cos(g) + np.cos(g + phase))):
        within = range_of(Law(find_map(name), find_coupling("iid"), 1, pair(1, "1", "1")).terms())
        assert float(within.low) <= values.min() < values.max() <= float(within.high) + 1e-12
        assert values.max() - values.min() > 0.9 * float(within.width)


def test_the_quantity_takes_eps_by_name() -> None:
    known = find_quantity("tail")
    given = {"feature": "trigonometric", "coupling": "iid", "d": 4, "m": 1, "z": 1}
    assert str(known.enclose(12, **given, eps="0.5")) == "0.143175257595"
    assert str(known.enclose(12, **given, eps=2)) == "0"
    with pytest.raises(InvalidInput, match="needs eps=NUMBER"):
        known.enclose(12, **given)
    for wrong in ("0", "-1"):
        with pytest.raises(OutsideDomain, match="above 0"):
            known.enclose(12, **given, eps=wrong)
    with pytest.raises(NotKnown, match="only moments are known"):
        known.enclose(12, **{**given, "m": 2}, eps="0.5")


@pytest.mark.parametrize("name", ["trigonometric", "positive", "hyperbolic", "gerf"])
def test_both_signs_of_errors_add_up(name: str) -> None:
    given = {"A": "-1/3"} if name == "gerf" else {}
    for v, z, eps in POINTS:
        law = Law(find_map(name), find_coupling("iid"), 1, pair(1, v, z), given)
        size = arb(sympy.Rational(eps).p) / sympy.Rational(eps).q
        both, above, below = (tail_of(law, size, sides) for sides in SIDES.values())
        assert both.overlaps(above + below)
        g = np.random.default_rng(3).normal(size=10**6)
        drawn = sum(_drawn(term, g) for term in law.terms()) - float(law.target())
        for found, share in ((above, drawn >= float(size)), (below, -drawn >= float(size))):
            assert near(found, float(share.mean()), 0.003)


def _drawn(term: Exponential, g: np.ndarray) -> np.ndarray:
    log, b, q = (complex(part) for part in (term.log, term.b[0], term.q[0]))
    return np.exp(log + b * g + q * g**2).real


def test_positive_features_are_not_below_the_kernel_by_more_than_it() -> None:
    law = Law(find_map("positive"), find_coupling("simplex"), 3, pair(3, "1", "2"))
    assert tail_of(law, arb(1) / 7, SIDES["lower_tail"]) == 0  # the kernel is exp(-2) < 1/7
    for eps, sides in ((arb(1) / 8, SIDES["lower_tail"]), (arb(1) / 7, SIDES["upper_tail"])):
        with pytest.raises(NotKnown):
            tail_of(law, eps, sides)


@pytest.mark.parametrize("rate", ["1/100", "1", "31/4"])
@pytest.mark.parametrize(
    ("target", "eps"), [("1/2", "1/4"), ("1/2", "1/2"), ("-1", "1/3"), ("0", "1"), ("2", "5/2")]
)
@pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES)
def test_waves_have_the_tails_that_are_found_from_cell_to_cell(
    rate: str, target: str, eps: str, sides: tuple[int, ...]
) -> None:
    numbers = [arb(int(one.p)) / int(one.q) for one in map(sympy.Rational, (rate, target, eps))]
    curve = Curve(((acb(0), acb(0, numbers[0]), acb(0)),))
    found, other = _of_wave(arb(1), *numbers, sides), _of_curve(curve, *numbers[1:], sides)
    assert found.overlaps(other)
    assert found.rad() <= max(float(other.rad()), 1e-12)


@pytest.mark.parametrize("sides", SIDES.values(), ids=SIDES)
def test_a_wave_of_another_rate_has_another_tail(sides: tuple[int, ...]) -> None:
    curve = Curve(((acb(0), acb(0, 1), acb(0)),))
    found = (_of_wave(arb(1), arb(rate), arb("0.5"), arb("0.25"), sides) for rate in ("1", "1.01"))
    assert [one.overlaps(_of_curve(curve, arb("0.5"), arb("0.25"), sides)) for one in found] == [True, False]
