"""Laws that follow from declarations, beside the quadratures of the contract tests, which share no code with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import sympy
from flint import acb, arb, ctx
from scipy import integrate, special, stats

from rftheory.errors import InvalidInput, NotKnown, OutsideDomain, UnknownName
from rftheory.exact.conformity import angle_conformity_ball
from rftheory.exact.enclosure import certify
from rftheory.exact.frame_moments import central_moments_of
from rftheory.exact.inputs import Inputs
from rftheory.exact.laws import Law
from rftheory.exact.pair_law import OppositeQuantile, PairForm, _triple_series, bessel, opposite_quantile
from rftheory.exact.quantities import QUANTITIES, find_quantity
from rftheory.exact.row_tails import tail_of
from rftheory.exact.symbols import d as D
from rftheory.sample import Mechanism, Stream
from rftheory.spec import (
    COUPLINGS,
    MAPS,
    Coupling,
    FeatureMap,
    Parameter,
    Relation,
    find_coupling,
    find_map,
)
from tests.statistical import exact_laws

X, Y = ("0.3", "-0.2", "0.5", "0.1"), ("0.4", "0.1", "-0.3", "0.2")
KNOWN = ["iid", "orthogonal", "simplex", "cross-polytope", "mirrored", "orthogonal-fixed"]
PARAMETERS = {
    "gerf": {"A": "-0.1+0.05*I", "s": -1},
    "complex-exponential": {
        "matrix": [["1+0.2*I", "0.1", 0, 0], [0, "0.8", 0, 0], [0, 0, 1, "0.3"], [0, 0, 0, "1-0.1*I"]]
    },
    "anisotropic": {"A": ("-0.1", "0.05", "-0.2", "0")},
    "poisson": {"lam": "0.5"},
    "geometric": {"p": "0.5"},
}
COUPLED_MAPS = [
    "positive", "hyperbolic", "trigonometric", "cosine", "gerf", "oprf", "complex-exponential", "anisotropic",
]  # fmt: skip


def law(feature: str, coupling: str, m: int, d: int = 4, **options: object) -> Law:
    inputs = Inputs.of_vectors(X[:d], Y[:d])
    return Law(find_map(feature), find_coupling(coupling), m, inputs, PARAMETERS.get(feature, {}), **options)


def numbers(vector: tuple[str, ...]) -> np.ndarray:
    return np.array([float(Fraction(entry)) for entry in vector])


def float_terms(feature: str) -> exact_laws.Terms:
    x, y = numbers(X), numbers(Y)
    if feature == "gerf":
        return exact_laws.gerf(x, y, complex(-0.1, 0.05), -1)
    if feature == "oprf":
        return exact_laws.gerf(x, y, exact_laws.oprf_parameter(float((x + y) @ (x + y)), 4))
    if feature == "complex-exponential":
        rows = PARAMETERS[feature]["matrix"]
        matrix = np.array([[complex(str(e).replace("*I", "j")) for e in row] for row in rows])
        return exact_laws.exponential(x, y, matrix)
    return {
        "positive": exact_laws.positive,
        "hyperbolic": exact_laws.hyperbolic,
        "trigonometric": exact_laws.fourier,
    }[feature](x, y)


# ---- against quadratures in floating point


@pytest.mark.parametrize(
    "feature", ["positive", "hyperbolic", "trigonometric", "gerf", "oprf", "complex-exponential"]
)
@pytest.mark.parametrize(("coupling", "cosine"), [("iid", None), ("orthogonal", 0.0), ("simplex", -1 / 3)])
def test_variances_agree_with_quadratures_that_share_no_code(
    feature: str, coupling: str, cosine: float | None
) -> None:
    found = exact_laws.uniform_law(float_terms(feature), cosine)
    for m in (found.size, 3 * found.size):
        exact = float(certify(law(feature, coupling, m).variance, 15).ball)
        assert exact == pytest.approx(found.variance(m), rel=1e-9)


def test_fixed_norms_agree_with_quadratures() -> None:
    norms = exact_laws.fixed_norms(4)
    for feature in ("positive", "trigonometric", "gerf"):
        found = exact_laws.uniform_law(float_terms(feature), 0.0, norms)
        this = law(feature, "orthogonal-fixed", 8)
        assert float(certify(this.mean, 15).ball) == pytest.approx(found.mean, rel=1e-10)
        assert float(certify(this.variance, 15).ball) == pytest.approx(found.variance(8), rel=1e-9)


def test_a_covariance_of_two_maps_on_the_same_rows_agrees_with_a_quadrature() -> None:
    first, second = law("hyperbolic", "orthogonal", 4), law("trigonometric", "orthogonal", 4)
    found = exact_laws.uniform_law(float_terms("hyperbolic"), 0.0, others=float_terms("trigonometric"))
    assert float(certify(lambda: first.covariance(second), 15).ball) == pytest.approx(
        found.variance(4), rel=1e-9
    )
    with pytest.raises(InvalidInput, match="same rows"):
        first.covariance(law("trigonometric", "simplex", 4))


def opposite(r: np.ndarray, d: int) -> np.ndarray:
    return np.sqrt(2 * special.gammaincinv(d / 2, special.gammaincc(d / 2, r * r / 2)))


@pytest.mark.parametrize(("d", "v"), [(2, 1.0), (5, 2.0), (16, 1.0)])
def test_norms_at_opposite_quantiles_agree_with_a_quadrature(d: int, v: float) -> None:
    def integrand(r: float, minus: float) -> float:
        square = v * v * (r * r + opposite(np.asarray(r), d) ** 2) / 4
        return float(stats.chi(d).pdf(r) * special.hyp0f1(d / 2, minus * square))

    low = stats.chi(d).ppf(1e-14)
    for sign in (1, -1):
        expected, _ = integrate.quad(integrand, low, np.sqrt(d) + 9, (sign,), epsabs=1e-12, limit=400)
        ball = acb(arb(v) ** 2 * sign)
        with ctx.workprec(60):
            found = PairForm(d, ball, ball, ball).mean(Relation(0, "antimonotone"))
        assert float(found.real) == pytest.approx(expected, rel=1e-9)
        assert found.rel_accuracy_bits() > 20


@pytest.mark.parametrize(("d", "before", "here"), [(2, "1e12", "0.7"), (64, "0.5", "30"), (64, "1e20", "30")])
def test_an_opposite_quantile_does_not_depend_on_the_one_before(d: int, before: str, here: str) -> None:
    """In no bit: integrals share those of a dimension, whatever came first."""
    opposite, known = OppositeQuantile(d), opposite_quantile(d, ctx.prec)
    for found in (opposite, known, known):
        found(acb(arb(before)))
        assert found(acb(arb(here))).is_finite()
        assert repr(found(acb(arb(here)))) == repr(OppositeQuantile(d)(acb(arb(here))))


def test_the_opposite_quantile_is_none_where_no_step_proves_it() -> None:
    opposite_of = OppositeQuantile(5)
    with ctx.workprec(60):
        proved = opposite_of(acb(3))
        assert proved.real.gamma_lower(arb(5) / 2, regularized=1).overlaps(
            arb(3).gamma_upper(arb(5) / 2, regularized=1)
        )
        wide = acb(arb(0.1).union(arb(8)))
        assert not opposite_of(wide).is_finite()


@pytest.mark.parametrize("d", [1, 2, 3, 64])
@pytest.mark.parametrize("cosine", [0, -1])
def test_few_discs_cover_a_long_integral_over_opposite_quantiles(
    d: int, cosine: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Roots of both norms are analytic on discs that are wider than the smaller norm is large."""
    nodes, opposites = 0, OppositeQuantile.logarithm

    def counted(self: OppositeQuantile, t: acb) -> acb:
        nonlocal nodes
        nodes += 1
        return opposites(self, t)

    monkeypatch.setattr(OppositeQuantile, "logarithm", counted)
    with ctx.workprec(80):
        assert (
            PairForm(d, acb(4), acb(4), acb(4)).mean(Relation(cosine, "antimonotone")).rel_accuracy_bits()
            > 50
        )
    assert nodes < 1500


@pytest.mark.parametrize(
    ("d", "centre", "radius"),
    [(1, 3, 1), (1, 40, 2), (2, 20, 2), (3, 30, 3), (5, 4, "0.5"), (64, 40, 1), (64, 120, 4)],
)
def test_the_opposite_of_a_wide_disc_contains_those_of_its_points(
    d: int, centre: int, radius: int | str
) -> None:
    """And is not much wider than they are apart, so that few discs cover a long integral."""
    r, half = arb(radius), arb(d) / 2
    with ctx.workprec(60):
        found = OppositeQuantile(d)(acb(arb(centre, r), arb(0, r)))
    with ctx.workprec(200):
        opposite_of = OppositeQuantile(d)
        real = [opposite_of(acb(centre + sign * r)) for sign in (-1, 1)]
        assert all(found.contains(other) for other in real)
        assert found.rad() < 12 * abs(real[0] - real[1])
        for k in range(8):
            t = acb(centre) + r * arb("0.7") * acb(arb(k) / 4).exp_pi_i()
            level, other = t.gamma_upper(half, regularized=1), opposite_of(acb(centre)).mid()
            for _ in range(30):  # Newton's method for log P as a function of the logarithm
                value = other.gamma_lower(half, regularized=1)
                slope = (half * other.log() - other).exp() / half.gamma() / value
                other = (other * (-(value / level).log() / slope).exp()).mid()
            assert abs(other.gamma_lower(half, regularized=1) / level - 1) < 1e-9
            assert found.contains(other)


def test_a_wide_ball_of_a_bessel_function_contains_its_values() -> None:
    with ctx.workprec(60):
        for z in (acb(arb(4000, 20), arb(0, 20)), acb(arb(-300, 10), arb(0, 5)), acb(arb(0, 3), arb(0, 3))):
            for corner in ((1, 1), (1, -1), (-1, 1), (0, 0)):
                point = z.mid() + acb(corner[0] * z.real.rad(), corner[1] * z.imag.rad())
                assert bessel(64, z).contains(point.hypgeom_0f1(acb(32)).mid())


def test_long_sums_of_norms_at_opposite_quantiles_have_a_value_at_low_precision() -> None:
    with ctx.workprec(64):
        square = acb(100)
        value = PairForm(64, square, square, square).mean(Relation(-1, "antimonotone"))
    assert value.real.overlaps(arb("326593717264.839589973148982767", "1e-15"))
    assert value.real.rel_accuracy_bits() > 40


# ---- two ways inside the exact layer


@pytest.mark.parametrize("m", [1, 3, 4, 7, 8, 19])
@pytest.mark.parametrize("coupling", ["iid", "orthogonal", "simplex", "cross-polytope", "mirrored"])
@pytest.mark.parametrize("feature", ["positive", "hyperbolic", "trigonometric"])
def test_patterns_of_rows_give_the_variance_of_classes_of_pairs(feature: str, coupling: str, m: int) -> None:
    this = law(feature, coupling, m)
    assert certify(this.variance, 15).overlaps(certify(lambda: central_moments_of(this, 2)[2], 15))


@pytest.mark.parametrize("feature", ["positive", "trigonometric"])
@pytest.mark.parametrize("order", [3, 4])
def test_moments_of_mirrored_rows_are_those_of_half_as_many_symmetric_ones(feature: str, order: int) -> None:
    """f(w) + f(-w) is twice the hyperbolic estimate, or twice a cosine: 2d mirrored rows are d orthogonal ones."""
    symmetric = {"positive": "hyperbolic", "trigonometric": "trigonometric"}[feature]
    mirrored = certify(lambda: central_moments_of(law(feature, "mirrored", 8), order)[order], 12)
    half = certify(lambda: central_moments_of(law(symmetric, "orthogonal", 4), order)[order], 12)
    assert mirrored.overlaps(half)
    other = certify(lambda: central_moments_of(law(feature, "cross-polytope", 8), order)[order], 12)
    assert not other.overlaps(half)


def test_every_closed_form_is_the_law_of_its_declaration() -> None:
    point = {"d": 5, "m": 7, "v": "1.2", "z": "0.7"}
    options = {"gerf": {"A": "-0.2", "s": 1}}
    seen = 0
    for quantity in QUANTITIES.values():
        for feature, coupling in quantity.closed:
            found = quantity.agree(
                15, feature=feature, coupling=coupling, **point, **options.get(feature, {})
            )
            assert {"closed form", "pairs of rows"} <= found.keys()
            seen += 1
    assert seen >= 25


def test_a_wrong_declaration_is_told_from_the_closed_form() -> None:
    wrong = Coupling("wrong", "half the cosine", "test", cosine=-1 / (2 * D - 2))
    inputs = Inputs.of_norms(5, sum_norm="1.2", difference_norm="0.7")
    right = find_quantity("mse").enclose(
        10, feature="positive", coupling="simplex", d=5, m=5, v="1.2", z="0.7"
    )
    assert not certify(Law(find_map("positive"), wrong, 5, inputs).mse, 10).overlaps(right)


# ---- corners


def value_or_reason(value: Callable[[], arb]) -> str:
    try:
        return certify(value, 3).text()
    except NotKnown as missing:
        return missing.because


def test_every_cell_of_maps_and_couplings_has_a_value_or_a_reason() -> None:
    for coupling in COUPLINGS:
        for feature in MAPS:
            this = law(feature, coupling, 5)
            for value in (this.mean, this.variance):
                assert value_or_reason(value)


@pytest.mark.parametrize("coupling", KNOWN)
@pytest.mark.parametrize("feature", [name for name in COUPLED_MAPS if name != "complex-exponential"])
def test_corners(coupling: str, feature: str) -> None:
    parameters = {"gerf": {"A": "-0.1"}, "anisotropic": {"A": "-0.1"}}.get(feature, {})
    for d in (1, 2, 3):
        if d < find_coupling(coupling).min_dim:
            with pytest.raises(OutsideDomain, match="d >= 2"):
                Law(find_map(feature), find_coupling(coupling), 1, Inputs.of_norms(d, sum_norm=1))
            continue
        for norms in ({"sum_norm": 0}, {"sum_norm": 1}, {"difference_norm": 1}, {"sum_norm": "1e-6"}):
            for m in (1, d, d + 1, 2 * d + 1):
                this = Law(
                    find_map(feature), find_coupling(coupling), m, Inputs.of_norms(d, **norms), parameters
                )
                try:
                    found = certify(this.variance, 5).ball
                except NotKnown:
                    assert feature == "anisotropic"
                    continue
                assert found >= 0


def test_exact_zeros_are_exact() -> None:
    at_zero = Inputs.of_norms(4, difference_norm=1)
    for coupling in ("iid", "simplex", "cross-polytope", "antimonotone"):
        this = Law(find_map("positive"), find_coupling(coupling), 8, at_zero)
        assert this.variance().is_zero()
        assert this.gap().is_zero()
    flat = Law(find_map("gerf"), find_coupling("orthogonal"), 8, at_zero, {"A": "-0.1"})
    assert flat.gap().is_zero()
    assert flat.variance() > 0


FIXED = ("orthogonal-fixed", "hadamard-orthogonal-fixed")


@pytest.mark.parametrize(
    "coupling", [*FIXED, "hadamard-orthogonal", "givens-simplex", "sobol", "simplex+", "iid"]
)
@pytest.mark.parametrize(
    ("feature", "sign"), [("positive", -1), ("hyperbolic", -1), ("trigonometric", 1), ("oprf", -1)]
)
@pytest.mark.parametrize("kernel", ["gaussian", "softmax"])
def test_an_estimate_that_no_row_enters_has_no_error(
    feature: str, sign: int, coupling: str, kernel: str
) -> None:
    x = ("1/3", "2", "-1/7")
    y = [Fraction(entry) * sign for entry in x]
    this = Law(find_map(feature), find_coupling(coupling), 4, Inputs.of_vectors(x, y), kernel=kernel)
    assert this.mse().is_zero()
    assert this.gap().is_zero()
    assert central_moments_of(this, 5)[5].is_zero()
    assert this.mean().overlaps(this.target())
    near = Law(this.feature, this.coupling, 4, Inputs.of_vectors(x, [*y[:2], "1/6"]), kernel=kernel)
    if near.coupling.marginal and not near.coupling.pairs_unknown:
        assert certify(near.mse, 5).ball > 0
    else:
        with pytest.raises(NotKnown):
            near.mse()


def test_an_estimate_that_is_the_same_for_all_draws_can_be_biased() -> None:
    # the planted twin of the one above: the rows do not enter either, but |w|^2 = d is not its mean in exp(2 A |w|^2)
    flat = Law(
        find_map("gerf"),
        find_coupling("orthogonal-fixed"),
        3,
        Inputs.of_norms(4, difference_norm=1),
        {"A": "-0.1"},
    )
    assert flat.variance().is_zero()
    value = arb("1.4") ** 2 * (-arb(4) / 5).exp() * (-arb(1) / 2).exp()  # (1 - 4A)^(d/2) exp(2 A d) K
    assert certify(flat.mse, 10).ball.overlaps((value - (-arb(1) / 2).exp()) ** 2)


@pytest.mark.parametrize(
    ("feature", "parameters", "even"),
    [
        ("hyperbolic", {}, True),
        ("trigonometric", {}, True),
        ("gerf", {"A": "1/40", "s": -1}, True),
        ("positive", {}, False),
        ("cosine", {}, False),
        ("gerf", {"A": "1/40", "s": 1}, False),
        ("gerf", {"A": "1/40+I/100", "s": -1}, False),
        ("complex-exponential", {"matrix": "I"}, True),
        ("complex-exponential", {"matrix": "1+I"}, False),
    ],
)
@pytest.mark.parametrize("coupling", FIXED)
def test_rows_of_norm_1_on_the_line_are_signs_that_an_even_estimate_does_not_see(
    feature: str, parameters: dict[str, object], even: bool, coupling: str
) -> None:
    inputs = Inputs.of_vectors(["3/7"], ["1/5"])
    this = Law(find_map(feature), find_coupling(coupling), 3, inputs, parameters)
    assert this.constant is even
    if even:
        assert this.variance().is_zero()
        assert central_moments_of(this, 4)[4].is_zero()
    if even and coupling == "orthogonal-fixed":
        assert certify(this.mse, 10).ball > 0  # cos(z) is not exp(-z^2/2)
        assert certify(this.mse, 10).ball.overlaps((this.mean() - this.target()) ** 2)
        assert tail_of(this, abs(this.mean() - this.target()) * 0.99) == 1
        assert tail_of(this, abs(this.mean() - this.target()) * 1.01) == 0
    elif coupling == "orthogonal-fixed":
        assert certify(this.variance, 5).ball > 0


def test_the_norm_of_padded_rows_is_not_taken_for_known() -> None:
    """In three dimensions the sampler of Hadamard rows draws them in four: |w|^2 is not 3."""
    inputs = Inputs.of_vectors(["1", "0", "0"], ["-1", "0", "0"])
    this = Law(find_map("gerf"), find_coupling("hadamard-orthogonal-fixed"), 2, inputs, {"A": "-0.2"})
    for value in (this.mean, this.mse, lambda: tail_of(this, arb("0.04"))):
        with pytest.raises(NotKnown, match="not uniform"):
            value()
    known = Law(this.feature, find_coupling("orthogonal-fixed"), 2, inputs, {"A": "-0.2"})
    assert abs(float(known.mean()) - 0.0984388) < 1e-7
    x = np.array([1.0, 0.0, 0.0])
    drawn = Mechanism("gerf", "hadamard-orthogonal-fixed", 2, A=-0.2, s=1).estimate(
        Stream(1), range(9), x, -x, "gaussian"
    )
    assert abs(drawn.mean() - 0.0984388) > 0.005


def test_a_uniform_phase_hides_one_wave_and_no_two() -> None:
    inputs = Inputs.of_norms(3, sum_norm="1.1")  # x = y
    for coupling in ("orthogonal-fixed", "hadamard-orthogonal", "sobol"):
        this = Law(find_map("cosine"), find_coupling(coupling), 5, inputs)
        assert certify(this.mse, 10).ball.overlaps(arb(1) / 10)  # 1 + cos(2 b + w.(x + y)), b uniform
        assert this.gap().is_zero()
        assert not this.constant
    cosine = find_map("cosine")
    wave = cosine.terms[1]
    for name, terms in (
        ("two waves", (*cosine.terms, replace(wave, b=2 * wave.b))),
        ("no wave", (cosine.terms[0], replace(wave, b=-sympy.I * wave.b))),
    ):
        planted = FeatureMap(name, "planted", "test", terms)
        assert not Law(planted, find_coupling("orthogonal-fixed"), 5, inputs).without_rows


def test_counts_of_mean_x_y_on_each_coordinate_have_no_error() -> None:
    poisson, iid = find_map("poisson"), find_coupling("iid")
    exact = Law(poisson, iid, 2, Inputs.of_vectors(["2", "1"], ["1", "2"]), {"lam": 2})
    assert exact.mse().is_zero()
    assert exact.relative_mse().is_zero()
    assert tail_of(exact, arb("0.1")).is_zero()
    for y in (["1", "1"], ["1", "0"], ["1", "-2"]):
        assert certify(Law(poisson, iid, 2, Inputs.of_vectors(["2", "1"], y), {"lam": 2}).mse, 5).ball > 0
    geometric = Law(find_map("geometric"), iid, 2, Inputs.of_vectors(["1/2"], ["1"]), {"p": "1/2"})
    assert certify(geometric.mse, 5).ball > 0


def test_inputs_from_norms_and_from_vectors_are_the_same_pair() -> None:
    by_vectors = law("positive", "simplex", 8)
    inputs = by_vectors.inputs
    norms = {"x": "sqrt(0.39)", "y": "sqrt(0.30)", "sum_norm": inputs.sum_norm}
    by_norms = Law(by_vectors.feature, by_vectors.coupling, 8, Inputs.of_norms(4, **norms))
    assert certify(by_vectors.mse, 20).overlaps(certify(by_norms.mse, 20))


@pytest.mark.parametrize(
    "norms", [{}, {"x": 1}, {"x": 1, "y": 1}, {"x": 1, "y": 1, "sum_norm": 1, "theta": 1}, {"theta": 1}]
)
def test_too_few_or_too_many_norms_are_refused(norms: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="needs v"):
        Inputs.of_norms(3, **norms)


def test_norms_that_no_pair_has_are_refused_and_rounded_ones_are_not() -> None:
    with pytest.raises(OutsideDomain, match=r"\|x\| = 1"):
        Inputs.of_norms(3, x=1, y=1, sum_norm=3)
    with pytest.raises(OutsideDomain, match="one dimension"):
        Inputs.of_norms(1, x=1, y=1, sum_norm=1)
    for norms in ({"sum_norm": "I"}, {"difference_norm": "1+I"}, {"x": 1, "y": 1, "theta": "I"}):
        with pytest.raises(OutsideDomain, match="a real number"):
            Inputs.of_norms(2, **norms)
    with pytest.raises(OutsideDomain, match="a real number"):
        Inputs.of_vectors(["I", 1], [1, 1])
    with pytest.raises(OutsideDomain, match="t: needs a real number"):
        find_quantity("mgf").enclose(5, feature="trigonometric", coupling="iid", d=2, m=1, z=1, t="I")
    rng = np.random.default_rng(1)
    for _ in range(100):
        x = rng.standard_normal(3)
        y = x * rng.uniform(-2, 2)
        norms = [float(np.linalg.norm(vector)) for vector in (x, y, x + y)]
        assert Inputs.of_norms(3, x=norms[0], y=norms[1], sum_norm=norms[2]).d == 3


def test_variances_that_are_infinite_are_refused_as_such() -> None:
    wide = Law(find_map("gerf"), find_coupling("iid"), 3, Inputs.of_norms(4, sum_norm=1), {"A": "0.2"})
    orthogonal = Law(find_map("gerf"), find_coupling("orthogonal"), 3, wide.inputs, {"A": "0.2"})
    for quantity in (wide.variance, wide.gap, orthogonal.gap):  # a difference of infinite errors is none
        with pytest.raises(OutsideDomain, match="infinite"):
            quantity()
    with pytest.raises(OutsideDomain, match=r"1 - 4"):
        Law(find_map("gerf"), find_coupling("iid"), 3, Inputs.of_norms(4, sum_norm=1), {"A": "0.3"})


@pytest.mark.parametrize(("quantity", "limit"), [("mean", "1/4"), ("mse", "1/8")])
def test_parameters_as_near_as_one_likes_to_where_a_moment_is_infinite(quantity: str, limit: str) -> None:
    inside, at = f"{limit} - 1e-60", limit
    for coupling in ("iid", "orthogonal"):
        found = partial(find_quantity(quantity).enclose, 10, feature="gerf", coupling=coupling, d=2, m=2, v=1)
        assert found(A=inside).ball > 0  # some are so large that no fraction holds them
        with pytest.raises(OutsideDomain, match="Re"):
            found(A=at)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"feature": "positiv", "coupling": "iid", "d": 3, "v": 1}, "did you mean 'positive'"),
        ({"feature": "positive", "coupling": "orf", "d": 3, "v": 1, "A": 1}, "parameter of positive"),
        ({"feature": "positive", "d": 3, "v": 1}, "coupling=NAME"),
        ({"mechanism": "favor+", "coupling": "iid", "d": 3, "v": 1}, "both"),
        ({"mechanism": "favor+++", "d": 3, "v": 1}, "favor.*rftheory list mechanisms"),
        ({"feature": "positive", "coupling": "nope", "d": 3, "v": 1}, "rftheory list mechanisms"),
        ({"mechanism": "favor+", "v": 1}, "dimension"),
        ({"mechanism": "favor+", "d": 3, "x": "1,2", "y": "3"}, "one of each"),
        ({"mechanism": "favor+", "d": 4, "x": "1,2,3", "y": "3,1,1"}, "3, the number of coordinates"),
        ({"feature": "gerf", "coupling": "iid", "d": 3, "v": 1}, "a value for A"),
        ({"feature": "gerf", "coupling": "iid", "d": 3, "v": 1, "A": "-1", "s": 2}, r"\+1 or -1"),
        ({"mechanism": "favor+", "d": 3, "v": 1, "kernel": "cauchy"}, "kernel"),
        ({"mechanism": "favor+", "d": 3, "v": 1, "m": "12.5"}, "m: needs an integer .* got '12.5'"),
        ({"mechanism": "favor+", "d": 3, "z": 1}, "positive: needs v, on which it depends"),
        ({"mechanism": "rff", "d": 3, "v": 1, "kernel": "softmax"}, "trigonometric: needs z.* say z=0"),
        ({"feature": "gerf", "coupling": "iid", "d": 3, "v": 1, "A": "1/8"}, "variance .* 8.* got 'A = 1/8'"),
    ],
)
def test_bad_requests_name_what_is_wrong(values: dict[str, object], error: str) -> None:
    with pytest.raises((InvalidInput, UnknownName), match=error):
        find_quantity("mse").enclose(5, **values)


def test_a_norm_that_matters_is_taken_as_0_only_when_told() -> None:
    rows = {"coupling": "orthogonal", "d": 3, "m": 3}
    assert find_quantity("mse").enclose(5, feature="trigonometric", **rows, v=1, z=0).ball == 0
    for feature, other, v in (
        ("positive", "trigonometric", {"v": 1}),
        ("trigonometric", "positive", {"z": 1}),
    ):
        with pytest.raises(InvalidInput, match=f"covariance of {other}: needs"):
            find_quantity("covariance").enclose(5, feature=feature, other=other, **rows, **v)
    with pytest.raises(InvalidInput, match="conformity: needs v"):
        find_quantity("conformity").enclose(5, **rows, z=1)


@pytest.mark.parametrize("order", [3, 4])
def test_a_moment_that_is_infinite_names_the_parameter(order: int) -> None:
    point = {"feature": "gerf", "coupling": "simplex", "d": 3, "v": 1, "A": "1/11"}
    with pytest.raises(
        OutsideDomain, match=rf"order {order} of gerf: needs Re\(1 - {4 * order}\*A\) > 0.*'A = 1/11'"
    ):
        find_quantity("central_moment").enclose(5, order=order, **point)


@pytest.mark.parametrize("feature", ["poisson", "geometric", *COUPLED_MAPS])
def test_powers_of_one_row_are_those_of_its_moments(feature: str) -> None:
    coupling = "iid" if feature in ("poisson", "geometric") else "orthogonal-fixed"
    for name in {"iid", coupling} - ({"orthogonal-fixed"} if feature == "anisotropic" else set()):
        one = law(feature, name, 1)
        assert one.row_power(1).overlaps(one.mean())
        assert one.row_power(2).overlaps(one.second_moment())
        assert not one.row_power(2).overlaps(one.mean() ** 2)


def test_the_fourth_power_of_one_row_is_what_is_known() -> None:
    positive, both = law("positive", "iid", 1), law("hyperbolic", "iid", 1)
    kernel, u = positive.target(), sum((ball(a) + ball(b)) ** 2 for a, b in zip(X, Y, strict=True))
    assert positive.row_power(4).overlaps(kernel**4 * (6 * u).exp())
    # E cosh(s)^4 exp(-2 u) = (3 + 4 exp(2 u) + exp(8 u))/8 exp(-2 u)
    assert both.row_power(4).overlaps(
        kernel**4 * (3 + 4 * (2 * u).exp() + (8 * u).exp()) / 8 * (-2 * u).exp()
    )


@pytest.mark.parametrize("s", [1, -1])
def test_a_slope_that_vanishes_with_its_parameters_is_exactly_zero(s: int) -> None:
    x, y = ["1/3", "-0.22"], ["-1/3", "0.22"] if s == 1 else ["1/3", "-0.22"]
    one = Law(
        find_map("gerf"), find_coupling("orthogonal"), 1, Inputs.of_vectors(x, y), {"A": "-1/10", "s": s}
    )
    assert one.flat
    first, second, third = (one.row_power(n) for n in (1, 2, 3))
    expected = third - 3 * first * second + 2 * first**3
    assert central_moments_of(one, 3)[3].overlaps(expected)


def test_rows_that_cancel_have_a_product_of_norms() -> None:
    third = ball("1/3")
    form = PairForm(2, acb(third), acb(third), acb(third), acb(-1), acb(-1), collinear=False)
    found = form.mean(Relation(-1, norms="fixed")).real
    assert found.is_finite()
    assert found.overlaps((-arb(4)).exp())


@pytest.mark.parametrize("cosine", [-1, Fraction(1, 2)])
@pytest.mark.parametrize(("d", "z"), [(2, 60), (6, 60), (40, 60)])
def test_waves_of_two_rows_far_out_take_the_first_precision(d: int, z: int, cosine: int | Fraction) -> None:
    """The terms of their series are larger than its sum by any number of digits."""
    square = acb(-z * z)
    form = PairForm(d, square, square, square)
    with ctx.workprec(100):
        found = form.mean(Relation(cosine)).real
        assert found.rad() < 2.0**-80
    with ctx.workprec(3 * z * z):
        x, k = square / 2, square / 2 * ball(str(cosine))
        exact = _triple_series(d, x, acb(0), k, acb(0)).real
        assert found.overlaps(exact)
        assert not (found + arb(2) ** -70).overlaps(exact)


@pytest.mark.parametrize("cosine", [-1, 1, Fraction(-1, 5)])
def test_equal_norms_that_are_balls_are_known_to_be_equal(cosine: int | Fraction) -> None:
    """Where they are divided by one number too, and beyond the cosine of 1 that their quotient may have."""
    square, q = acb(arb(2000).sqrt() ** 2), acb(ball("-1/7"))
    found = PairForm(6, square, square, square, q, q).mean(Relation(cosine))
    assert found.real.rel_accuracy_bits() > 30
    with ctx.workprec(400):
        exact = angle_conformity_ball(6, (acb(2000).real * 7 / 9).sqrt(), ball(str(cosine)))
        assert (found.real * (arb(9) / 7) ** 6).overlaps(exact)


def ball(text: str) -> arb:
    number = Fraction(text)
    return arb(number.numerator) / number.denominator


@pytest.mark.parametrize(("p", "alone"), [(1, "positive"), (0, "trigonometric")])
@pytest.mark.parametrize("coupling", ["iid", "orthogonal"])
def test_a_term_of_weight_0_adds_nothing(p: int, alone: str, coupling: str) -> None:
    """Between the ends the error is another one, and at an end a term whose moments are infinite does not matter."""
    weight = sympy.Symbol("p", real=True)
    one, other = (find_map(name).terms[0] for name in ("positive", "trigonometric"))
    parts = (replace(one, weight=weight), replace(other, weight=1 - weight))
    mixed = FeatureMap("mixed", "", "a test", parts, parameters=(Parameter(weight, ""),))

    def at(value: object) -> Law:
        inputs = Inputs.of_vectors(X, Y)
        return Law(mixed, find_coupling(coupling), 4, inputs, {"p": value})

    plain = law(alone, coupling, 4)
    assert certify(at(p).mse, 20).overlaps(certify(plain.mse, 20))
    assert certify(lambda: at(p).row_power(3), 20).overlaps(certify(lambda: plain.row_power(3), 20))
    third = certify(lambda: central_moments_of(at(p), 3)[3], 20)
    assert third.overlaps(certify(lambda: central_moments_of(plain, 3)[3], 20))
    assert not certify(at("1/3").mse, 5).overlaps(certify(plain.mse, 5))
    heavy = FeatureMap("heavy", "", "a test", (one, replace(other, q=sympy.S.One, weight=weight)),
        parameters=(Parameter(weight, ""),))  # fmt: skip
    at_zero = Law(heavy, find_coupling(coupling), 4, Inputs.of_vectors(X, Y), {"p": 0})
    assert certify(at_zero.mean, 10).overlaps(certify(law("positive", coupling, 4).target, 10))
    phased = FeatureMap("phased", "", "a test", (replace(one, weight=weight), replace(other, phase=2)),
        parameters=(Parameter(weight, ""),))  # fmt: skip
    with pytest.raises(NotKnown, match="all its terms have a random phase"):
        central_moments_of(Law(phased, find_coupling(coupling), 4, Inputs.of_vectors(X, Y), {"p": 0}), 3)


def test_in_one_dimension_x_and_y_are_numbers() -> None:
    rows = {"feature": "positive", "coupling": "iid", "d": 1, "m": 2}
    mse = find_quantity("mse")
    with pytest.raises(OutsideDomain, match=r"one dimension, .* got 'v = 1, z = 3'; say x=2 y=-1"):
        mse.enclose(5, **rows, v=1, z=3)
    told = mse.enclose(20, **rows, x=2, y="-1")
    assert told.overlaps(mse.enclose(20, **rows, x="2,", y="-1,"))
    assert told.overlaps(mse.enclose(20, **rows, x=2, y=1, z=3))  # the norms, as in any dimension


def test_a_constant_diagonal_is_the_scalar() -> None:
    pair = {"feature": "anisotropic", "m": 3, "d": 3}
    vectors, norms = {"x": "0.1,0.2,0", "y": "0.3,0.1,0.2"}, {"x": 1, "y": "1/2", "theta": "0.7"}
    for coupling in ("orthogonal", "simplex"):
        for quantity in ("mse", "central_moment"):
            for at in (vectors, norms):
                listed, scalar = (
                    find_quantity(quantity).enclose(15, **pair, **at, coupling=coupling, A=A)
                    for A in ("-0.1,-0.1,-1/10", "-0.1")
                )
                assert listed.text() == scalar.text()
    with pytest.raises(InvalidInput, match="one number for each coordinate"):
        find_quantity("mse").enclose(5, **pair, **norms, coupling="iid", A="-0.1,-0.1")


def test_norms_do_not_tell_a_law_that_depends_on_coordinates() -> None:
    # two pairs of the same norms with other values: neither is the answer to v and z
    mse, rows, norms = find_quantity("mse"), {"coupling": "iid", "d": 2, "m": 2}, {"v": 1, "z": 1}
    along, across = {"x": "1/2,1/2", "y": "1/2,-1/2"}, {"x": "1/2,1/2", "y": "-1/2,1/2"}
    for given in (
        {"feature": "anisotropic", "A": "-1/8,-1/4"}, {"feature": "poisson", "lam": 1},
        {"feature": "complex-exponential", "matrix": "2,0;0,1"},
    ):  # fmt: skip
        assert mse.enclose(5, **rows, **given, **along) is not None
        with pytest.raises(InvalidInput, match="norms"):
            mse.enclose(5, **rows, **given, **norms)
    at = {"feature": "anisotropic", "A": "-1/8,-1/4", **rows}
    assert not mse.enclose(5, **at, **along).overlaps(mse.enclose(5, **at, **across))
    assert find_quantity("mean").enclose(5, feature="poisson", lam=1, **rows, **norms).text() == "0.60653"


def test_the_reason_is_that_of_the_question() -> None:
    rows = {"feature": "anisotropic", "x": "0.1,0.2", "y": "0.3,0.1", "A": "-0.1,0.05", "m": 2}
    for quantity in ("mse", "variance"):
        with pytest.raises(NotKnown, match="product of two rows with a diagonal Q"):
            find_quantity(quantity).enclose(5, coupling="orthogonal", **rows)
        with pytest.raises(NotKnown, match="law of two rows of sobol"):
            find_quantity(quantity).enclose(5, coupling="sobol", feature="positive", d=4, m=2, v=1)
    with pytest.raises(NotKnown, match="a moment beyond the second"):
        find_quantity("central_moment").enclose(5, coupling="orthogonal", **rows)


def test_a_parameter_that_one_map_chooses_is_given_to_the_other_alone() -> None:
    covariance, rows = (
        find_quantity("covariance"),
        {"coupling": "simplex", "d": 2, "m": 4, "v": 1, "z": "1/2"},
    )
    both = [
        covariance.enclose(15, feature=one, other=other, A="-0.1", **rows).text()
        for one, other in (("gerf", "oprf"), ("oprf", "gerf"))
    ]
    assert both[0] == both[1]
    best = -(sympy.sqrt(32) + 2 - 2) / 32  # -(sqrt((2u + d)^2 + 8du) + 2u - d)/(16 d) at u = 1, d = 2
    same = covariance.enclose(15, feature="gerf", other="oprf", A=best, **rows)
    assert same.text() == find_quantity("variance").enclose(15, feature="oprf", **rows).text()
    with pytest.raises(InvalidInput, match="oprf: A: needs no value"):
        covariance.enclose(5, feature="oprf", other="oprf", A="-0.1", **rows)


@pytest.mark.parametrize("name", sorted(QUANTITIES))
def test_the_dimensions_of_the_domain_are_those_that_are_taken(name: str) -> None:
    assert "integer d from 1 to 1000000" in QUANTITIES[name].domain
    for coupling in ("iid", "orthogonal"):
        with pytest.raises(OutsideDomain, match="an integer from 1 to 1000000"):
            find_quantity(name).enclose(5, feature="positive", coupling=coupling, d=1_000_001, m=2, v=1)
