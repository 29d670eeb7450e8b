"""Planted defects are detected and named, correct samplers pass; and the closed forms of biases are right."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache, partial

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.linalg import hadamard

from benchmarks.planted.defects import (
    CORRECT,
    PLANTED,
    Sampler,
    chi_freedom,
    independent,
    orthogonal,
    qr_signs,
    signed_q,
)
from benchmarks.planted.invented import (
    INVENTED,
    end_uncoupled,
    every_row_twice,
    never_coupled,
    one_phase,
    signed_blocks,
    simplex,
    three_factors,
    two_factors,
)
from benchmarks.planted.seeded import default_rng
from rftheory import sample
from rftheory.check import TABLE, check, laws
from rftheory.check.diagnosis import refuted
from rftheory.check.findings import PROPERTIES
from rftheory.check.target import CONSECUTIVE
from rftheory.judge import Outcome
from rftheory.sample.stream import Streams
from tests.check.neighbours import neighbours

pytestmark = pytest.mark.usefixtures("end_after")

# Powers are near one at 64 calls for most, and up to some thousand calls are made where they are not.
ALL = PLANTED | INVENTED
DIMENSION = {name: min(planted.dims, key=lambda d: abs(d - 8)) for name, planted in ALL.items()}


@pytest.mark.parametrize("name", ALL)
def test_a_planted_defect_is_detected_and_named(name: str, end_after: Callable[[int], None]) -> None:
    end_after(8192)
    planted, d = ALL[name], DIMENSION[name]
    report = check(planted.make(d), d=d, intervals=False, **planted.options)
    assert report.decision is Outcome.REFUTED
    assert [found.name for found in report.diagnoses] == [planted.diagnosis]
    assert report.headline == f"defect: {TABLE[planted.diagnosis]}"  # and it explains all
    assert report.diagnoses[0].sentence


@pytest.mark.parametrize("seed", [0, 5, 2**31 - 1, 2**36 + 7])
def test_kept_seeds_give_the_draws_of_numpys_generator(seed: int) -> None:
    for _ in range(2):  # each generator begins anew
        draw, expected = default_rng(seed), np.random.default_rng(seed)
        assert (draw.standard_normal(9) == expected.standard_normal(9)).all()
        assert (draw.permutation(9) == expected.permutation(9)).all()
        assert draw.bit_generator.state == expected.bit_generator.state


def test_titles_are_true_of_every_case() -> None:
    """Norms may be shared in a block, and features for another kernel have a factor exp(-|x|^2/2) too many."""
    assert TABLE["norms-shared"] == "shared norms"
    assert TABLE["missing-offset"].startswith("a wrong factor of |x|")


def test_every_diagnosis_is_planted() -> None:
    assert {planted.diagnosis for planted in ALL.values()} == set(TABLE)


@pytest.mark.parametrize("name", CORRECT)
def test_a_correct_sampler_is_not_refuted(name: str) -> None:
    target, options = CORRECT[name]
    report = check(target, d=4, seconds=1.0, intervals=False, **options)
    assert report.decision is not Outcome.REFUTED
    assert any(verdict is Outcome.AGREES for verdict in report.verdicts.values())


def test_correct_features_agree_with_power() -> None:
    target, options = CORRECT["positive"]
    report = check(target, d=4, **options)
    assert report.ok
    assert report.exit_code == 0
    assert all(f.detectable <= f.goal for f in report.findings)


def test_a_run_is_reproducible(end_after: Callable[[int], None]) -> None:
    end_after(64)
    first, second = (check(orthogonal, coupling="orthogonal", d=4, seed=5) for _ in range(2))
    assert first.calls == second.calls == 64
    assert first.findings == second.findings


@pytest.mark.parametrize(("seconds", "calls"), [(0.5, 64), (2.5, 128), (6.5, 512)])
def test_time_ends_a_run_before_the_look_that_it_has_no_room_for(
    monkeypatch: pytest.MonkeyPatch, seconds: float, calls: int
) -> None:
    monkeypatch.setattr("rftheory.check.run.CLOCK", itertools.count().__next__)  # a second for each look
    report = check(orthogonal, coupling="orthogonal", d=4, seconds=seconds, intervals=False)
    assert report.calls == calls
    assert report.decision is Outcome.UNDECIDED


def test_too_few_draws_decide_nothing() -> None:
    draws = np.stack([orthogonal(8, 4, seed) for seed in range(3)])
    report = check(draws, coupling="orthogonal")
    assert report.decision is Outcome.UNDECIDED
    assert report.exit_code == 2
    assert "undecided" in report.headline


def test_the_report_as_text_json_and_page() -> None:
    planted = PLANTED["qr_signs"]
    report = check(planted.make(8), d=8, **planted.options)
    assert "MISSING QR SIGNS" in report.text()
    assert "closed form: " in report.text()
    assert len(report.text(full=True)) > len(report.text())
    content = json.loads(report.to_json())
    assert content["schema"] == "rftheory.check/1"
    assert content["exit_code"] == 1
    assert set(content["verdicts"]) == set(PROPERTIES)
    assert all({"effect", "interval", "detectable", "goal"} <= set(f) for f in content["findings"])
    page = report.to_html()
    assert "missing QR signs" in page
    assert "<script" not in page
    assert "://" not in page


@pytest.mark.parametrize(("m", "d"), [(8, 2), (7, 3), (32, 8), (36, 8), (256, 64)])
def test_rows_in_another_order_are_named_at_every_shape(m: int, d: int) -> None:
    for rows, coupling in ((orthogonal, "orthogonal"), (simplex, "simplex")):

        def shuffled(m: int, d: int, seed: int, rows: Callable[..., np.ndarray] = rows) -> np.ndarray:
            return default_rng(seed + 2**34).permutation(rows(m, d, seed)).astype(np.float32)

        report = check(shuffled, d=d, m=m, coupling=coupling, intervals=False)
        assert [found.name for found in report.diagnoses] == ["rows-permuted"]
        assert "Estimates, which are averages over all rows, have the right law" in " ".join(
            report.text().split()
        )


def test_rows_of_another_coupling_in_their_order_are_not_said_to_be_in_another() -> None:
    def shuffled(m: int, d: int, seed: int) -> np.ndarray:
        return default_rng(seed + 2**34).permutation(orthogonal(m, d, seed))

    for rows, said in ((orthogonal, "the orthogonal coupling: angles"), (shuffled, "rows in another order")):
        (found,) = check(rows, coupling="simplex", d=8, m=36, intervals=False).diagnoses
        assert found.name == "coupling-other"
        assert said in found.sentence


@pytest.mark.parametrize("rows", [signed_blocks, every_row_twice, end_uncoupled, never_coupled, chi_freedom])
def test_rows_in_another_order_are_named_only_if_that_is_all(rows: Callable[..., np.ndarray]) -> None:
    def shuffled(m: int, d: int, seed: int) -> np.ndarray:
        return default_rng(seed + 2**34).permutation(rows(m, d, seed))

    report = check(shuffled, d=8, coupling="orthogonal", intervals=False)
    assert report.decision is Outcome.REFUTED
    assert "rows-permuted" not in [found.name for found in report.diagnoses]


@pytest.mark.parametrize("d", [8, 16, 32])
def test_three_hadamard_factors_are_enough(d: int) -> None:
    """At d = 16 the entries of unit rows are multiples of 1/d, as sums of signs over d are."""
    report = check(three_factors, d=d, m=d, coupling="hadamard-orthogonal", seconds=1.0, intervals=False)
    assert report.decision is not Outcome.REFUTED
    report = check(two_factors, d=d, m=d, coupling="hadamard-orthogonal", intervals=False)
    assert [found.name for found in report.diagnoses] == ["hadamard-factors"]


def test_rows_that_recur_one_by_one_are_no_draws_that_do() -> None:
    """Products of Hadamard matrices and signs have finitely many rows; sqrt(d) of them are a coupling in use."""

    def fixed(m: int, d: int, seed: int) -> np.ndarray:
        rows = three_factors(m, d, seed)
        return np.sqrt(d) * rows / np.linalg.norm(rows, axis=1, keepdims=True)

    report = check(fixed, d=8, m=256, coupling="hadamard-orthogonal", intervals=False)
    assert [found.name for found in report.diagnoses] == ["norms-fixed"]


def test_a_name_that_more_draws_refute_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 calls do not tell two rows of a simplex in one call of seven, and independent ones in the others, from iid."""
    monkeypatch.setattr("rftheory.check.run.SECONDS", 6.0)

    def weights(m: int, d: int, seed: int) -> np.ndarray:
        return default_rng(seed + 2**34).permutation(simplex(3 * m, d, seed))[:m]

    report = check(weights, d=8, m=16, coupling="orthogonal")
    assert report.decision is Outcome.REFUTED
    assert "independent rows" not in report.text()


@pytest.mark.parametrize("name", ["sines_only", "real_part"])
def test_one_wave_alone_is_not_clipped(name: str) -> None:
    """cos(w.x) cos(w.y) is never negative at x = -y."""
    planted = INVENTED[name]
    report = check(planted.make(4), d=4, intervals=False, **planted.options)
    assert [found.name for found in report.diagnoses] == ["phases"]


def test_a_law_of_the_right_scale_has_no_factor_one() -> None:
    """Student values of variance 1: after some thousand calls their norms are refuted too."""
    report = check(INVENTED["student"].make(8), d=8, m=64, coupling="iid", seconds=6.0, intervals=False)
    assert refuted(report.findings, "marginal", word="norms have")
    assert [found.name for found in report.diagnoses] == ["coordinate-law"]


def test_a_square_may_have_its_projections_in_columns() -> None:
    planted = PLANTED["rows_columns"]
    for m, said in ((4, True), (8, False)):
        report = check(planted.make(4), d=4, m=m, intervals=False, **planted.options)
        assert [found.name for found in report.diagnoses] == ["rows-columns"]
        assert ("return its transpose" in report.diagnoses[0].sentence) is said


def test_seeds_that_are_rounded_do_not_give_one_draw() -> None:
    sentences = []
    for target in (PLANTED["same_draw"].make(4), INVENTED["rounded_seed"].make(4)):
        report = check(target, d=4, coupling="iid", intervals=False)
        sentences += [found.sentence for found in report.diagnoses]
    assert "every call returns the same draw" in sentences[0]
    assert "every call" not in sentences[1]
    assert "neighbouring seeds are rounded to one" in sentences[1]
    for fixed, said in (
        (True, "every call gives the same estimates"),
        (False, "neighbouring seeds are rounded"),
    ):
        (found,) = check(
            lambda x, seed, fixed=fixed: phi(x, 1 if fixed else seed // 4),
            features="positive",
            d=4,
            intervals=False,
        ).diagnoses
        assert found.name == "draws-repeated"
        assert said in found.sentence


@pytest.mark.parametrize(("power", "word"), [(1, "divided by the length scale twice"), (-0.5, "a variance")])
def test_what_was_done_to_the_length_scale_is_named(power: float, word: str) -> None:
    def weights(m: int, d: int, seed: int) -> np.ndarray:
        return default_rng(seed).standard_normal((m, d)) * 2.5 ** (-1 - power)

    report = check(weights, d=4, coupling="iid", lengthscale=2.5, intervals=False)
    assert [found.name for found in report.diagnoses] == ["scale"]
    assert word in report.diagnoses[0].sentence


@pytest.mark.parametrize(
    ("name", "word"),
    [("feature_2d", "2 D, where D"), ("hyperbolic_sum", "exp(-w.x)"), ("phases_doubled", "too many:")],
)
def test_a_factor_sqrt_two_is_explained_for_its_map(name: str, word: str) -> None:
    planted = (PLANTED | INVENTED)[name]
    report = check(planted.make(4), d=4, intervals=False, **planted.options)
    assert word in report.diagnoses[0].sentence


def test_waves_of_two_draws_are_found_without_a_declared_map() -> None:
    report = check(INVENTED["waves_apart"].make(4), d=4, intervals=False)
    assert report.declared["features"] == "trigonometric"
    assert [found.name for found in report.diagnoses] == ["waves-apart"]


@cache
def hadamard_rotation(d: int) -> np.ndarray:
    """The matrix of Hadamard, with rows of length 1."""
    found: np.ndarray = hadamard(d) / math.sqrt(d)
    return found


def sorf(m: int, d: int, seed: int, factors: int = 3) -> np.ndarray:
    """Structured orthogonal features: blocks sqrt(d) H D H D H D."""
    draw, h, product = default_rng(seed), hadamard_rotation(d), np.eye(d)
    for _ in range(factors):
        product = h @ (draw.choice([-1.0, 1.0], (-(-m // d), d, 1)) * product)
    rows: np.ndarray = math.sqrt(d) * product.reshape(-1, d)[:m]
    return rows


@pytest.mark.parametrize("coupling", ["orthogonal-fixed", "orthogonal", "iid"])
def test_a_structured_matrix_is_not_called_one_of_random_signs(coupling: str) -> None:
    found = check(sorf, coupling=coupling, d=8, intervals=False).diagnoses[0]
    assert found.name == "discrete"
    assert "structured matrix" in found.sentence
    assert "E prod_j cos(u_j)" in found.bias


@pytest.mark.parametrize("d", [1, 2, 4, 8, 64])
def test_structured_features_agree_with_what_they_promise(d: int, end_after: Callable[[int], None]) -> None:
    """Rows that occur twice, and entries of few bits, belong to their law."""
    end_after(16384)
    report = check(sorf, coupling="sorf", d=d, seconds=20, intervals=False)
    assert report.ok, report.text()


def padded(m: int, d: int, seed: int) -> np.ndarray:
    """Structured features of inputs that are padded with zeros to 2^i dimensions, as usual."""
    return sorf(m, 1 << (d - 1).bit_length(), seed)[:, :d]


def packaged(name: str) -> Sampler:
    """The rows of a coupling that comes with the package, as a sampler; neighbouring seeds are drawn together."""
    law = sample.coupling(name)

    @lru_cache(maxsize=4)
    def neighbours(start: int, m: int, d: int) -> np.ndarray:
        seeds = range(start, start + CONSECUTIVE)
        return law.draw(Streams(seeds), range(len(seeds)), d, m).projections

    return lambda m, d, seed: neighbours(seed - seed % CONSECUTIVE, m, d)[seed % CONSECUTIVE]


FAST = (
    "hadamard-orthogonal",
    "hadamard-simplex",
    "hadamard-simplex+",
    "givens-orthogonal",
    "givens-simplex",
    "sorf",
)


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("d", [3, 5])
def test_fast_rotations_of_padded_inputs_keep_neither_norms_nor_angles(
    name: str, d: int, end_after: Callable[[int], None]
) -> None:
    """They are rows of 2^i > d dimensions, cut to d: blocks have 2^i rows, and only means are as promised."""
    end_after(16384)
    report = check(packaged(name), coupling=name, d=d, m=16, seconds=20, intervals=False)
    assert report.exit_code != 1, report.text()


def test_padded_structured_features_agree_at_the_sizes_that_are_tried_by_default(
    end_after: Callable[[int], None],
) -> None:
    end_after(16384)
    report = check(padded, coupling="sorf", seconds=30, intervals=False)
    assert report.exit_code == 0, report.text()


@pytest.mark.parametrize(
    ("wrong", "coupling"),
    [
        (lambda m, d, seed: padded(m, d, seed) + 0.1, "sorf"),
        (lambda m, d, seed: np.abs(padded(m, d, seed)), "sorf"),
        (lambda m, d, seed: np.tile(padded(8, d, seed), (-(-m // 8), 1))[:m], "sorf"),
        (padded, "orthogonal-fixed"),
        (padded, "orthogonal"),
    ],
    ids=["shifted", "of one sign", "one block", "not fast", "not fast, chi"],
)
def test_padding_hides_no_other_mistake(wrong: Sampler, coupling: str) -> None:
    assert check(wrong, coupling=coupling, d=5, m=16, intervals=False).exit_code == 1


@pytest.mark.parametrize("coupling", ["hadamard-orthogonal", "givens-orthogonal", "orthogonal"])
@pytest.mark.parametrize("d", [3, 5, 11])
def test_norms_of_the_smaller_dimension_are_named_whatever_is_promised(coupling: str, d: int) -> None:
    report = check(PLANTED["padding"].make(d), coupling=coupling, d=d, intervals=False)
    assert [found.name for found in report.diagnoses] == ["padding"]


@pytest.mark.parametrize("seed", range(3))
def test_a_cut_rotation_of_fixed_norms_is_padding_at_any_number_of_draws(seed: int) -> None:
    """Few of its rows are 0, by chance; that is no array that was not filled."""
    report = check(
        lambda m, d, seed: sorf(m, 16, seed)[:, :d] * math.sqrt(d / 16), coupling="sorf", d=12, seed=seed
    )
    assert [found.name for found in report.diagnoses] == ["padding"]


def test_a_norm_that_is_not_the_promised_one_is_a_scale() -> None:
    (found,) = check(
        lambda m, d, seed: sorf(m, d, seed) / 4, coupling="sorf", d=16, intervals=False
    ).diagnoses
    assert found.name == "scale"
    assert "the norm 1 in place of sqrt(d) = 4" in found.sentence


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda m, d, seed: sorf(m, d, seed, factors=2), "hadamard-factors"),
        (lambda m, d, seed: sorf(m, d, seed % 50), "few-states"),
        (lambda m, d, seed: np.tile(sorf(d, d, seed), (-(-m // d), 1))[:m], "rows-repeated"),
    ],
    ids=["two factors", "fifty seeds", "one block"],
)
def test_wrong_structured_features_are_refuted(wrong: Sampler, word: str) -> None:
    report = check(wrong, coupling="sorf", d=64, intervals=False)
    assert report.exit_code == 1
    assert [found.name for found in report.diagnoses] == [word]


def test_norms_of_chi_in_place_of_fixed_ones_are_refuted() -> None:
    report = check(
        lambda m, d, seed: sorf(m, d, seed) * np.sqrt(default_rng(seed).chisquare(d, (m, 1)) / d),
        coupling="sorf", d=16, intervals=False,
    )  # fmt: skip
    assert report.exit_code == 1
    assert next(f.test for f in report.findings if f.outcome is Outcome.REFUTED) == "norms are sqrt(d)"


def test_the_closed_form_of_independent_signs_is_given_for_these_alone() -> None:
    def one_sign(m: int, d: int, seed: int) -> np.ndarray:
        return np.repeat(default_rng(seed).choice([-1.0, 1.0], (m, 1)), d, axis=1)

    def of_two_norms(m: int, d: int, seed: int) -> np.ndarray:
        return sorf(m, d, seed, factors=1) * default_rng(seed + 2**34).choice([0.5, 1.5], (m, 1))

    one, *others = (
        check(target, coupling="iid", d=4, intervals=False).diagnoses[0]
        for target in (INVENTED["signs"].make(4), INVENTED["sparse_signs"].make(4), one_sign, of_two_norms)
    )
    assert (one.name, one.bias) == ("discrete", "E cos(w.z) = prod_j cos(z_j)")
    assert {(other.name, other.bias) for other in others} == {("discrete", "")}


@pytest.mark.parametrize(("norms", "closed"), [("chi", True), ("fixed", False)])
def test_the_closed_form_of_rows_along_the_axes_is_that_of_chi_norms(norms: str, closed: bool) -> None:
    def along_axes(m: int, d: int, seed: int) -> np.ndarray:
        draw = default_rng(seed)
        places = np.concatenate([draw.permutation(d) for _ in range(-(-m // d))])[:m]
        sizes = np.sqrt(draw.chisquare(d, m) if norms == "chi" else d) * draw.choice([-1.0, 1.0], m)
        return np.eye(d)[places] * sizes[:, None]

    found = check(along_axes, coupling="orthogonal", d=8, m=16, intervals=False).diagnoses[0]
    assert found.name == "rotation-law"
    assert ("1F1(d/2; 1/2; -z_j^2/2)" in found.bias) is closed


@pytest.mark.parametrize("chi", [True, False])
def test_norms_of_another_law_are_called_chi_if_they_are(chi: bool) -> None:
    def rows(m: int, d: int, seed: int) -> np.ndarray:
        units, draw = independent(m, d, seed), default_rng(seed + 2**34)
        units /= np.linalg.norm(units, axis=1, keepdims=True)
        return units * np.sqrt(draw.chisquare(3, (m, 1)) * d / 3 if chi else d * draw.uniform(0.2, 2, (m, 1)))

    (found,) = check(rows, coupling="iid", d=8, m=16, intervals=False).diagnoses
    assert found.name == "norm-law"
    assert ("chi with 3 degrees of freedom, rescaled," in found.sentence) is chi
    assert ("chi with" in found.sentence) is chi


def test_the_closed_form_of_a_structured_matrix() -> None:
    """E cos(w.z) given the inner factors, by enumeration of the outer signs, and the mean over whole draws."""
    d, h = 4, hadamard(4) / 2
    every = np.array(list(itertools.product([-1.0, 1.0], repeat=d)))
    z = np.array([0.3, -0.8, 1.1, 0.4])
    inner = np.concatenate([(h @ (b * (h @ (every * z).T).T).T).T for b in every])  # H D H D z for all signs
    whole = np.array([np.cos(math.sqrt(d) * (h @ (a * inner).T)).mean() for a in every])
    assert whole.mean() == pytest.approx(float(np.cos(inner).prod(1).mean()), abs=1e-12)


def test_one_phase_for_the_single_row_is_right() -> None:
    report = check(one_phase, d=4, features="cosine", m=1, arguments={"m": 1}, intervals=False)
    assert report.decision is not Outcome.REFUTED


# ---- closed forms ----------------------------------------------------------------------------------------


def hoeffding(n: int, width: float, tests: int) -> float:
    """Half width of a mean of n values in an interval of this width, at a false-alarm probability of 1e-7."""
    return width * math.sqrt(math.log(2 * tests / 1e-7) / (2 * n))


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_the_mean_of_an_unsigned_q(d: int) -> None:
    q, _ = np.linalg.qr(np.random.default_rng(11).standard_normal((40_000, d, d)))
    tolerance = hoeffding(len(q), 2.0, d * d)
    gap = np.abs(q.mean(0) - np.diag(laws.unsigned_qr_mean(d)))
    assert gap.max() < tolerance
    # with the signs put right the mean vanishes, which the tolerance tells apart
    assert np.abs(laws.unsigned_qr_mean(d)).min() > tolerance


def test_the_bias_of_half_a_sphere() -> None:
    for v1 in (0.3, -0.5, 1.0):
        value, _ = integrate.quad(lambda w, v=v1: 2 * stats.norm.pdf(w) * math.exp(-w * v), 0, 12)
        assert value * math.exp(-(v1**2) / 2) - 1 == pytest.approx(laws.half_sphere_bias(v1), rel=1e-9)


def test_unequal_coordinates_are_no_scale_factor() -> None:
    for size in (1.3, 4.0):
        report = check(
            lambda m, d, seed, size=size: independent(m, d, seed) * [1.0, 1.0, 1.0, size],
            d=4, coupling="iid", intervals=False,
        )  # fmt: skip
        assert report.decision is Outcome.REFUTED
        assert [found.name for found in report.diagnoses] == ["anisotropic"]


def test_what_a_name_does_not_explain_is_said() -> None:
    def weights(m: int, d: int, seed: int) -> np.ndarray:
        rows = default_rng(seed).standard_normal((m, d))
        rows[1::2] = -rows[: m // 2 * 2 : 2][: len(rows[1::2])]  # opposite pairs, and all of them too long
        return 1.5 * rows

    report = check(weights, d=4, m=32, coupling="iid", intervals=False)
    assert [found.name for found in report.diagnoses] == ["rows-opposite"]
    assert "marginal" in report.headline
    assert "this does not explain why" in report.headline


def test_a_copy_explains_tests_that_rest_on_independent_rows() -> None:
    """The means of equal rows are right; only tests that take the rows for independent say otherwise."""

    def weights(m: int, d: int, seed: int) -> np.ndarray:
        return np.repeat(default_rng(seed).standard_normal((1, d)), m, axis=0)

    for seed in range(3):
        report = check(weights, d=8, m=36, coupling="iid", seed=seed)
        assert report.headline == "defect: rows repeated inside a call", report.text()


def test_lower_variance_is_no_defect() -> None:
    def weights(m: int, d: int, seed: int) -> np.ndarray:
        half = orthogonal(m // 2, d, seed)
        return np.concatenate([half, -half])

    report = check(weights, d=4, m=32, coupling="orthogonal", intervals=False)
    lower = [f for f in report.findings if f.topic == "variance" and "exp" in f.test]
    assert lower[0].effect < -0.1
    assert lower[0].outcome is not Outcome.REFUTED
    assert [found.name for found in report.diagnoses] == ["rows-opposite"]


def unit(m: int, d: int, seed: int, norm: float = 1.0) -> np.ndarray:
    rows = orthogonal(m, d, seed)
    return norm * rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("norm", "at", "kernel", "why"),
    [
        (1.0, "1", "0F1(; d/2; -z^2/4)", "the norms are forgotten"),
        (8.0, "d", "0F1(; d/2; -d^2 z^2/4)", "the square root is forgotten"),
        (math.sqrt(8), "sqrt(d)", "0F1(; d/2; -d z^2/4)", "the norm sqrt(d):"),
        (3.0, "3", "0F1(; d/2; -9 z^2/4)", "the norm 3:"),
    ],
)
def test_one_fixed_norm_is_told_with_its_value_and_its_kernel(
    norm: float, at: str, kernel: str, why: str
) -> None:
    report = check(lambda m, d, seed: unit(m, d, seed, norm), coupling="orthogonal", d=8, intervals=False)
    assert report.headline == f"defect: fixed norm {at}"
    (found,) = report.diagnoses
    assert f"every projection has the norm {at}" in found.sentence
    assert kernel in found.sentence
    assert why in found.sentence
    measured = np.exp(np.concatenate([unit(800_000, 8, 1, norm)]) @ np.eye(8)[0]).mean() * math.exp(-0.5) - 1
    assert float(found.bias.partition("v^2/4): ")[2].partition(" %")[0]) == pytest.approx(
        100 * measured, rel=0.02, abs=0.1
    )


def pairs(
    draw: np.random.Generator, count: int, m: int, d: int, axes: str = "independent", norms: str = "shared"
) -> np.ndarray:
    """Rows and their negatives in blocks of 2 d."""
    blocks = -(-m // (2 * d))
    rows = draw.standard_normal((count, blocks, d, d))
    if axes == "orthogonal":
        sizes = np.sqrt(draw.chisquare(d, (count, blocks, d, 1)))
        rows = sizes * signed_q(draw, count * blocks, d).reshape(rows.shape)
    other = -rows
    if norms == "own":
        sizes = draw.chisquare(d, (count, blocks, d, 1))
        other = other * np.sqrt(sizes / (rows**2).sum(3, keepdims=True))
    return np.concatenate([rows, other], axis=2).reshape(count, -1, d)[:, :m]


@pytest.mark.parametrize(
    ("coupling", "norms"), [("mirrored", "shared"), ("mirrored", "own"), ("cross-polytope", "own")]
)
@pytest.mark.parametrize("m", [16, 36])
def test_opposite_pairs_on_independent_axes_are_not_independent_rows(
    coupling: str, norms: str, m: int, end_after: Callable[[int], None]
) -> None:
    end_after(16384)
    (found,) = check(neighbours(partial(pairs, norms=norms)), coupling=coupling, d=8, m=m).diagnoses
    assert found.name == "coupling-other"
    assert (
        f"opposite pairs with {'one norm' if norms == 'shared' else 'norms of their own'}" in found.sentence
    )
    assert f"axes of different pairs are independent, not at the angles of {coupling}" in found.sentence
    right = check(
        neighbours(partial(pairs, axes="orthogonal", norms="shared" if coupling == "mirrored" else "own")),
        coupling=coupling, d=8, m=m, intervals=False,
    )  # fmt: skip
    assert right.ok, right.text()
    alone = check(independent, coupling=coupling, d=8, m=m, intervals=False)
    assert [f.evidence["found"] for f in alone.diagnoses if f.name == "coupling-other"] == ["iid"]


def test_opposite_pairs_of_other_kinds_are_not_called_a_coupling(end_after: Callable[[int], None]) -> None:
    """Every second pair has one norm; or pairs are neighbours, in a part of a block."""
    end_after(256)

    def mixed(draw: np.random.Generator, count: int, m: int, d: int) -> np.ndarray:
        rows, every = pairs(draw, count, m, d, axes="orthogonal"), pairs(draw, count, m, d, axes="orthogonal")
        sizes = np.linalg.norm(every, axis=2, keepdims=True) / np.linalg.norm(rows, axis=2, keepdims=True)
        rows[:, d : 2 * d : 2] *= sizes[:, d : 2 * d : 2]
        return rows

    def interleaved(m: int, d: int, seed: int) -> np.ndarray:
        rows = orthogonal(m // 2, d, seed)
        return np.stack([rows, -rows], axis=1).reshape(-1, d)

    for target, m, names in ((neighbours(mixed), 8, []), (interleaved, 4, ["angles-other"])):
        report = check(target, coupling="mirrored", d=4, m=m, intervals=False)
        assert report.verdicts["coupling"] is Outcome.REFUTED
        assert [found.name for found in report.diagnoses] == names


def test_a_sum_of_0_that_opposite_rows_explain_is_no_subtracted_mean() -> None:
    right = neighbours(partial(pairs, axes="orthogonal"))

    def norms_reused(m: int, d: int, seed: int) -> np.ndarray:
        rows = right(m, d, seed)
        sizes = np.linalg.norm(rows, axis=1).reshape(-1, 2 * d)
        return rows * (sizes[0] / sizes).reshape(-1, 1)

    def interleaved(m: int, d: int, seed: int) -> np.ndarray:
        rows = orthogonal(-(-m // (2 * d)) * d, d, seed)
        return np.stack([rows, -rows], axis=1).reshape(-1, d)[:m]

    for wrong, m in ((norms_reused, 64), (interleaved, 36), (neighbours(pairs), 16)):
        report = check(wrong, coupling="mirrored", d=8, m=m, intervals=False)
        assert report.exit_code == 1
        assert "rows-centred" not in [found.name for found in report.diagnoses]
    assert laws.coupling_law("mirrored").centred(8, 32)
    assert not laws.coupling_law("mirrored").centred(8, 36)
    assert not laws.coupling_law("simplex").centred(8, 32)  # its norms differ


def heads(draw: np.random.Generator, count: int, m: int, d: int, kind: str = "right") -> np.ndarray:
    """Batches of three matrices of m rows."""

    def blocks(count: int, m: int) -> np.ndarray:
        number = -(-m // d)
        rows = signed_q(draw, count * number, d) * np.sqrt(draw.chisquare(d, (count * number, d, 1)))
        return rows.reshape(count, -1, d)[:, :m]

    if kind == "equal":
        return np.stack([blocks(count, m)] * 3, axis=1)
    if kind == "rolled":
        rows = blocks(count, m)
        return np.stack([np.roll(rows, k, axis=1) for k in range(3)], axis=1)
    if kind == "cut":
        rows = blocks(count, m + 2 * d)
        return np.stack([rows[:, k * d : k * d + m] for k in range(3)], axis=1)
    return blocks(3 * count, m).reshape(count, 3, m, d)


@pytest.mark.parametrize(("m", "d"), [(36, 8), (16, 8), (320, 16)])
def test_equal_matrices_of_a_batch_are_told_from_repeated_rows(m: int, d: int) -> None:
    for kind, word in (
        ("equal", "equal matrices of a batch"),
        ("cut", "matrices of a batch that share rows"),
    ):
        report = check(
            neighbours(partial(heads, kind=kind)),
            coupling="orthogonal",
            d=d,
            m=m,
            intervals=False,
        )
        assert [found.name for found in report.diagnoses] == ["rows-repeated"]
        assert report.headline == f"defect: {word}"
    sampler = neighbours(heads)
    right = check(sampler, coupling="orthogonal", d=d, m=m, intervals=False)
    assert right.decision is not Outcome.REFUTED
    inside = check(
        lambda m, d, seed: sampler(m, d, seed)[:, np.arange(m) % (m - 8)], coupling="orthogonal", d=d, m=m,
        intervals=False,
    )  # fmt: skip
    assert "rows occur twice in every call" in inside.text()


def test_matrices_of_the_same_rows_in_another_order_are_not_equal() -> None:
    report = check(
        neighbours(partial(heads, kind="rolled")), coupling="orthogonal", d=8, m=16, intervals=False
    )
    assert report.headline == "defect: matrices of a batch that share rows"


def test_a_law_with_atoms_is_no_reused_generator() -> None:
    def weights(m: int, d: int, seed: int) -> np.ndarray:
        return default_rng(seed).choice([-1.0, 1.0], (m, d))

    def reused(m: int, d: int, seed: int) -> np.ndarray:
        return default_rng(seed % 5).standard_normal((m, d))

    report = check(weights, d=8, coupling="iid", intervals=False)
    assert report.decision is Outcome.REFUTED
    assert "draws-repeated" not in [found.name for found in report.diagnoses]
    again = check(reused, d=8, coupling="iid", intervals=False)
    assert [found.name for found in again.diagnoses] == ["draws-repeated"]


def test_the_biases_of_wrong_norms() -> None:
    for d, dof, v in ((4, 1, 1.0), (4, 3, 0.5), (8, 8, 1.0), (2, 5, 1.5)):
        series = sum(
            math.exp(
                math.lgamma(dof / 2 + k) - math.lgamma(dof / 2) - math.lgamma(d / 2 + k) + math.lgamma(d / 2)
                - math.lgamma(k + 1)
            ) * (v * v / 2) ** k
            for k in range(60)
        )  # fmt: skip
        assert series * math.exp(-v * v / 2) - 1 == pytest.approx(laws.wrong_norm_bias(d, dof, v), abs=1e-12)
    # fixed norm in d = 3: sinh(r)/r with r = sqrt(3) v
    r = math.sqrt(3)
    expected = math.sinh(r) / r * math.exp(-0.5) - 1
    assert laws.fixed_norm_bias(3, r) == pytest.approx(expected, rel=1e-12)


def test_the_bias_of_a_hybrid_that_shares_projections() -> None:
    x, y, angle = 0.9, 0.7, 1.1

    grid = (np.arange(600) + 0.5) / 600 * 16 - 8
    a, b = np.meshgrid(grid, grid, indexing="ij")
    first, second = a * x, (a * math.cos(angle) + b * math.sin(angle)) * y
    up = math.exp((x * x + y * y) / 2)
    values = (np.cosh(first + second) / up - np.cos(first - second) * up) * np.exp(-(a * a + b * b) / 2)
    total = float((values * (first * second < 0)).sum()) * (16 / 600) ** 2 / (2 * math.pi)
    assert laws.shared_hybrid_bias(x, y, angle, 5) == pytest.approx(total / 5, rel=0.02)


def test_texts_of_a_report_read_well(end_after: Callable[[int], None]) -> None:
    end_after(2048)
    text = check(chi_freedom, coupling="orthogonal", d=8, m=16).text(full=True)
    assert "1F1(1/2; 4; v^2/2)" in text
    assert "norms have the chi law" in text
    assert "rows that are zero: +0 [+0, +" in text
    report = check(lambda x, seed: 1.2 * phi(x, seed), features="positive", d=4)
    seen = report.text()
    assert "x = -y, far apart" in report.text(full=True)
    assert "coupling      not visible in features\n" in seen
    assert "nothing promised" not in seen


def phi(x: np.ndarray, seed: int) -> np.ndarray:
    rows = default_rng(seed).standard_normal((16, x.shape[1]))
    return np.exp(x @ rows.T - (x**2).sum(1)[:, None]) / 4


def test_formulas_of_a_heading_keep_their_letters() -> None:
    report = check(lambda x, seed: np.exp((x**2).sum(1))[:, None] * phi(x, seed), features="positive", d=4)
    assert "A WRONG FACTOR OF |x|, SUCH AS exp(-|x|^2/2): " in report.text()


def test_a_small_fourth_moment_has_a_minus_sign() -> None:
    def uniform(m: int, d: int, seed: int) -> np.ndarray:
        return default_rng(seed).uniform(-math.sqrt(3), math.sqrt(3), (m, d))

    (found,) = check(uniform, coupling="iid", d=4, m=16, intervals=False).diagnoses
    assert "|v|^2/2 - 0.05 sum_j v_j^4" in found.bias


def test_padded_products_of_hadamard_matrices_agree() -> None:
    """Rows of norm 2 are cut to three of four coordinates, whose mean square is 3; norms and angles vary."""
    for d in (3, 5, 8):
        report = check(padded, d=d, m=8, coupling="sorf", intervals=False)
        assert report.ok, report.text()
    factor = math.sqrt(5 / 8)  # norms of the smaller dimension
    short = check(lambda m, d, seed: factor * padded(m, d, seed), d=5, m=8, coupling="sorf", intervals=False)
    assert short.exit_code == 1
    other = check(orthogonal, d=8, m=8, coupling="sorf", intervals=False)
    assert other.exit_code == 1
    assert "padding" not in [found.name for found in other.diagnoses]


def test_undecided_tests_beside_a_named_defect_are_one_sentence() -> None:
    report = check(PLANTED["qr_signs"].make(4), coupling="orthogonal", d=4, intervals=False)
    left = [f for f in report.findings if f.outcome is Outcome.UNDECIDED]
    assert left
    assert report.diagnoses
    text = report.text()
    assert "    undecided: " not in text
    said = " ".join(text.split()).partition("undecided, since the defect ended the run: ")[2]
    assert said.removesuffix(" (--full shows why)") == "; ".join(f.test for f in left)
    assert report.text(full=True).count("    undecided: ") == len(left)
    assert str(report.to_dict()["findings"]).count("'undecided'") == len(left)
    nameless = replace(report, diagnoses=())
    assert nameless.text().count("    undecided: ") == len(left)


@pytest.mark.parametrize("factor", [1e-9, 1e-6, 1e-4, 40.0, 1e3, 1e12])
def test_weights_of_another_scale_are_named_so_at_every_scale(factor: float) -> None:
    """Not as rows or values that recur, which they do only if they are rounded in a unit that is too large."""
    report = check(
        lambda m, d, seed: factor * orthogonal(m, d, seed), coupling="orthogonal", d=4, intervals=False
    )
    assert [found.name for found in report.diagnoses] == ["scale"]
    assert "kernel has the length scale" in report.text()
    signs = check(
        lambda m, d, seed: factor * default_rng(seed).choice([-1.0, 1.0], (m, d)),
        coupling="iid",
        d=6,
        intervals=False,
    )
    assert "discrete" in [found.name for found in signs.diagnoses]
    assert "only 2 values" in signs.text()
    unsigned = check(
        lambda m, d, seed: factor * qr_signs(m, d, seed), coupling="orthogonal", d=4, intervals=False
    )
    assert {found.name for found in unsigned.diagnoses} == {"qr-signs", "scale"}
