"""Advice on data: exact errors beside brute force, the least number of rows, goals, files, the check that can fail."""

from __future__ import annotations

import json
import math
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import choose_study
from rftheory import author
from rftheory.choose import Advice, Choice, choose, comparison, pairs_of, read_table
from rftheory.choose.comparison import Comparison, cost
from rftheory.choose.confirm import Confirmation
from rftheory.choose.data import (
    SIDES,
    Pairs,
    exact_values,
    kernel_in_all,
    label_column,
    sides,
    table_and_header,
)
from rftheory.choose.expected import TIME_UP, Laws, MapErrors
from rftheory.choose.measured import Candidate, measure
from rftheory.choose.report import _row, as_text, code, draw, figure_of, file_of_plot, reasons
from rftheory.cli import main
from rftheory.errors import InvalidInput, NotCertified, NotKnown, OutsideDomain
from rftheory.exact.inputs import Inputs
from rftheory.exact.limits import TimeIsUp
from rftheory.names import load_declared
from rftheory.sample import Stream, random_features
from rftheory.sample.mechanisms import inner_products, joint_features
from rftheory.spec import MAPS, find_coupling


def table(n: int, d: int, scale: float = 1.0, seed: int = 1) -> np.ndarray:
    return scale * np.random.default_rng(seed).standard_normal((n, d))


def sampled_errors(choices, pairs, kernel: str, blocks: int) -> dict[str, tuple[float, float]]:
    """Relative errors by brute force, and their standard errors; maps with one coupling see the same draws."""
    inputs, places = np.unique(np.vstack([pairs.x, pairs.y]), axis=0, return_inverse=True)
    squared_norms = (pairs.x**2).sum(1) + (pairs.y**2).sum(1)
    targets = np.exp((pairs.x * pairs.y).sum(1) - (kernel == "gaussian") * squared_norms / 2)
    stream, together, found = Stream.named("brute force"), defaultdict(list), {}
    for choice in choices:
        together[choice.coupling, choice.rows].append(choice)
    for (coupling, rows), ones in together.items():
        made = [random_features(one.feature, coupling, rows, d=pairs.d, **one.parameters) for one in ones]
        features = joint_features(made, stream, range(blocks), inputs, inputs, kernel, "frame")
        for choice, own in zip(ones, features, strict=True):
            estimates = np.asarray(inner_products(own))[:, *places.reshape(2, -1)]
            squares = ((estimates - targets) ** 2).sum(1) / (targets**2).sum()
            found[choice.name] = float(squares.mean()), float(squares.std() / math.sqrt(blocks))
    return found


@pytest.mark.parametrize(
    ("data", "kernel", "scale"),
    [
        (table(3, 4), "gaussian", None),
        (table(3, 7, 0.3), "gaussian", 1.0),
        (table(3, 5, 0.4), "softmax", 1.0),
    ],
)
def test_every_error_is_what_brute_force_finds(data: np.ndarray, kernel: str, scale: float | None) -> None:
    found = choose(data, kernel=kernel, features=18, lengthscale=scale, check=False)
    pairs = pairs_of(data, kernel=kernel, lengthscale=scale, count=48)
    assert found.pairs == found.pairs_total == len(pairs.x)
    comparison = Comparison(pairs, kernel, {"features": 18}, 0)
    seen = [  # of the others, 2000 draws miss the tails that carry the error
        choice
        for choice in found.choices
        if comparison.candidate(choice.feature, find_coupling(choice.coupling).norms).shown(choice.rows, 2000)
    ]
    assert len(seen) >= 20
    sampled = sampled_errors(seen, pairs, kernel, 2000)
    for choice in seen:
        square, error = sampled[choice.name]
        expected = 2 * choice.error * choice.standard_error  # of the square, where it was measured
        assert abs(square - choice.error**2) < 6 * math.hypot(error, expected), choice.name
    ranked = [choice.at_most for choice in found.choices]
    assert ranked == sorted(ranked)


@pytest.mark.parametrize("coupling", ["iid", "simplex", "mirrored"])
def test_what_has_tails_is_measured_by_the_law_of_one_row(coupling: str) -> None:
    pairs = pairs_of(table(5, 7, 0.3), lengthscale=1.0, count=48)
    comparison = Comparison(pairs, "gaussian", {"features": 18}, 0)
    one, declared = comparison.candidate("hyperbolic"), find_coupling(coupling)
    exact = comparison.laws.of(MAPS["hyperbolic"], {}, [declared]).relative(9, declared.pairs(7, 9))
    (found,) = again = measure([one], coupling, 9, pairs, "gaussian", 4 * 10**5, 0)
    assert again == measure([one], coupling, 9, pairs, "gaussian", 4 * 10**5, 0)  # of the same seed
    (plain,) = measure([one], coupling, 9, pairs, "gaussian", 4 * 10**5, 0, law=False)
    assert abs(found.error - exact) < 5 * found.standard_error
    assert found.standard_error < 0.05 * exact
    assert found.shown
    assert not plain.shown  # too small, and it does not know it
    wrong = one._replace(known=replace(one.known, own=1.5 * one.known.own))
    (found,) = measure([wrong], coupling, 9, pairs, "gaussian", 4 * 10**5, 0)
    assert abs(found.error - exact) > 5 * found.standard_error


@pytest.mark.parametrize("coupling", ["orthogonal-fixed", "hadamard-orthogonal"])
def test_the_law_of_a_normal_row_is_not_used_for_other_rows(coupling: str) -> None:
    pairs = pairs_of(table(5, 3, 0.5), lengthscale=1.0, count=12)
    one = Comparison(pairs, "gaussian", {"features": 18}, 0).candidate("positive")
    by_law, plain = (
        measure([one], coupling, 9, pairs, "gaussian", 10**4, 0, law=law) for law in (True, False)
    )
    assert by_law == plain


def test_a_law_needs_normal_rows_and_known_pairs_of_them_and_parameters_a_rule() -> None:
    load_declared()
    every = Comparison(pairs_of(table(5, 3), lengthscale=1.0), "gaussian", {"features": 18}, 0)
    names = ("iid", "mirrored", "hadamard-orthogonal", "sobol", "antimonotone")
    assert [every._has_law(find_coupling(name), slow=False) for name in names] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert every._has_law(find_coupling("antimonotone"), slow=True)
    chosen = {"positive": set(), "gerf": {"A"}, "anisotropic": {"A"}, "poisson": {"lam"}, "geometric": {"p"}}
    assert {name: set(comparison._parameters(MAPS[name], every.pairs)) for name in chosen} == chosen
    assert np.ndim(comparison._parameters(MAPS["gerf"], every.pairs)["A"]) == 0
    for name in ("oprf", "complex-exponential"):
        with pytest.raises(NotKnown):
            comparison._parameters(MAPS[name], every.pairs)


def test_rows_of_fixed_norm_have_a_law_and_a_bias() -> None:
    data = table(5, 4, 0.5)
    found = choose(data, features=400, lengthscale=1.0, check=False, exact_only=True)
    pairs = pairs_of(data, lengthscale=1.0, count=48)
    names = [f"{feature} x orthogonal-fixed" for feature in ("positive", "trigonometric")]
    fixed = [choice for choice in found.choices if choice.name in names]
    assert len(fixed) == 2
    sampled = sampled_errors(fixed, pairs, "gaussian", 2000)
    for choice in fixed:
        square, error = sampled[choice.name]
        assert choice.standard_error == 0
        assert abs(square - choice.error**2) < 6 * error
    bias = Laws(pairs, "gaussian").of(MAPS["positive"], {}, [find_coupling("orthogonal-fixed")]).relative_bias
    for coupling, biased in (
        ("orthogonal-fixed", True),
        ("hadamard-orthogonal", True),
        ("orthogonal", False),
    ):
        text = as_text(replace(found, choices=(replace(fixed[0], coupling=coupling),)))
        assert (f"bias: {coupling} rows are not normal" in text) is biased
    for wanted, reached in ((1.05 * bias, True), (0.95 * bias, False)):
        names = {
            c.name for c in choose(data, error=wanted, lengthscale=1.0, check=False, exact_only=True).choices
        }
        assert ("positive x orthogonal-fixed" in names) is reached


def test_points_spread_evenly_win_and_none_that_need_few_features_are_missed() -> None:
    """With 48 pairs, 52 features of gerf were advised: waves were drawn with 68 and with 16 features, not between."""
    data = table(51, 1)
    every = pairs_of(data, count=2000)
    waves = Comparison(every, "gaussian", {"error": 0.05}, 0).candidate("trigonometric")
    (enough,) = measure([waves], "halton", 20, every, "gaussian", 10**5, 0)
    assert enough.at_most < 0.05
    found = choose(data, error=0.05)
    assert found.best.coupling in ("sobol", "halton")
    assert found.best.features <= 40
    gerf = {c.coupling: c.features for c in found.choices if c.feature == "gerf"}
    assert min(gerf["sobol"], gerf["halton"]) < gerf["cross-polytope"] / 3  # over all pairs, both with 135


def test_features_of_counts_are_left_out_only_where_they_are_far_behind() -> None:
    pairs = pairs_of(table(4, 3, 0.5), lengthscale=1.0, count=48)
    for name, parameters in (("poisson", {"lam": 0.5}), ("geometric", {"p": 0.6})):
        laws = Laws(pairs, "softmax")
        exact = laws.of(MAPS[name], parameters, [find_coupling("iid")])
        assert laws.least(MAPS[name], parameters) == pytest.approx(
            exact.own.mean() / exact.target.mean(), rel=1e-9
        )
    near = table(30, 12, 0.5) + 1.5  # over all pairs, geometric features have 2.7 times the least error
    found = choose(near, features=256, kernel="softmax", pairs=12, check=False, exact_only=True)
    assert any(c.feature in ("poisson", "geometric") for c in found.choices)
    far = choose(table(30, 12), features=64, pairs=12, check=False, exact_only=True)
    assert any(s.name == "poisson" and "at least" in s.reason for s in far.skipped)


def test_a_class_label_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs, label = table(60, 2), np.arange(60.0)[:, None] % 3
    assert choose(inputs, features=8, pairs=4, check=False, exact_only=True).classes is None
    labelled = np.hstack([inputs, label])
    assert choose(labelled, features=8, pairs=4, check=False, exact_only=True).classes == 3
    assert label_column(np.hstack([label, inputs])) is None  # not the last one
    assert label_column(np.hstack([label, label])) is None  # all columns are like it
    assert label_column(np.hstack([inputs, np.arange(60.0)[:, None]])) is None  # too many values
    file = tmp_path / "with_label.csv"
    np.savetxt(file, labelled, delimiter=",")
    command = ["choose", str(file), "--features", "8", "--pairs", "4", "--exact-only"]
    main(command)
    assert "hint: column 3, the last one, has 3 whole numbers" in (text := capsys.readouterr().out)
    assert "--columns 1-2" in text
    main([*command, "--columns", "1-2"])
    text = capsys.readouterr().out
    assert "d = 2" in text
    assert "hint" not in text
    for columns in ("0", "1-4", "a", "2-1", "1,3-2", "1-99999999999", "1-" + "9" * 5000):
        assert main([*command, "--columns", columns]) == 2


def test_an_error_like_that_of_nothing_is_said() -> None:
    found = choose(table(4, 3), features=64, exact_only=True, check=False)
    assert "the estimate 0" not in as_text(found)
    useless = replace(found, choices=(replace(found.best, error=0.98), *found.choices))
    assert "the estimate 0" in as_text(useless)


def test_an_answer_that_is_no_use_says_so_and_what_to_do() -> None:
    found = choose(table(4, 3), features=64, exact_only=True)
    assert found.stands
    for kernel, way in (("gaussian", "standardise the columns"), ("softmax", "take the Gaussian kernel")):
        useless = replace(found, kernel=kernel, choices=(replace(found.best, error=0.95), *found.choices[1:]))
        text = as_text(useless)
        name = useless.best.name
        answer = f"answer: none is useful: {name} with 64 features has the error 0.95,"
        assert f"{answer} the estimate 0, without features, has 1\n" in text
        late = as_text(replace(useless, stopped=1.0))
        assert f"answer: none of those compared in time is useful: {name} with 64 features has" in late
        assert "ask for more features than 64; or name a larger --lengthscale than " in text
        assert way in text
        assert useless.doubts[-1] == "hardly better than without features"
        assert replace(useless, wanted=0.96).stands  # it reaches what was asked for, and warns
        assert "warning: the estimate 0" in as_text(replace(useless, wanted=0.96))
    assert not replace(found, choices=(replace(found.best, error=0.9), *found.choices[1:])).is_useless


def test_bounded_errors_are_compared_first() -> None:
    """So a comparison that time ends has an answer where exponential features are useless, as far from the origin."""
    told: list[str] = []
    choose(
        table(20, 3) + 5,
        features=32,
        exact_only=True,
        check=False,
        progress=lambda what, *_: told.append(what),
    )
    assert told[0] == "trigonometric"


def test_softmax_estimates_that_are_no_use_end_with_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "one.npz"
    np.savez(file, q=table(20, 8, 1.5), k=table(20, 8, 1.5, seed=2))
    assert main(["choose", str(file), "--kernel", "softmax", "--features", "8", "--exact-only"]) == 2
    text = capsys.readouterr().out
    assert "answer: none is useful: " in text
    assert "not confirmed, exit code 2: hardly better than without features" in text


def test_what_is_left_out_is_counted_and_listed_on_request() -> None:
    found = choose(table(4, 3), features=64, exact_only=True, check=False)
    for text, whole in ((as_text(found), False), (as_text(found, everything=True), True)):
        lines = [line for line in text.splitlines() if line.startswith("left out: ")]
        assert ("(--all lists them)" in lines[0], len(lines) > 1) == (not whole, whole)
        assert len(lines) == 1 or whole
        assert ("... and " in text) is not whole
    assert [line for line in reasons(found) if line.startswith("left out: ")] == lines
    assert "left out" not in as_text(replace(found, skipped=()))


def test_the_study_believes_no_mean_that_misses_its_tails() -> None:
    own = np.array([1.0])
    heavy, light = (
        Candidate("positive", {}, MapErrors(own, own, {}), np.array([tails])) for tails in (1e9, 3.0)
    )
    low = choose_study.Sampled(blocks=1000, square=0.01, error=1e-4, rest=0.0, rest_error=1e-4)
    assert choose_study.judged(low, 10, light, True, None).way == "draws"
    assert choose_study.judged(low, 10, heavy, True, 0.3) == (pytest.approx(0.09), 0.0, "law")
    by_pairs = choose_study.judged(low, 10, heavy, True, None)
    assert by_pairs.square == pytest.approx(0.1)
    assert by_pairs.error >= 0.1 * math.sqrt(2 / 1000)
    assert choose_study.judged(low, 10, heavy, False, None) is None
    mechanism = choose_study.DiscreteMechanism(choose_study.Poisson(0.5), 8)
    pairs = pairs_of(table(4, 3, 0.5), lengthscale=1.0, count=48)
    found = choose_study.of_counts(mechanism, pairs, "softmax")
    laws = Laws(pairs, "softmax")
    assert np.allclose(found.known.own, laws.of(MAPS["poisson"], {"lam": 0.5}, [find_coupling("iid")]).own)
    assert np.allclose(found.tails, laws.tails(MAPS["poisson"], {"lam": 0.5}, find_coupling("iid")))


def test_the_number_of_rows_is_the_least_one() -> None:
    data = table(3, 5)
    found = choose(data, error=0.1, check=False, exact_only=True)
    for choice in found.choices[:3]:
        assert choice.error <= 0.1
        width = choice.features // choice.rows
        fewer = choose(data, features=choice.features - width, check=False, exact_only=True)
        beside = next(c for c in fewer.choices if c.name == choice.name)
        assert beside.error > 0.1 or beside.rows == choice.rows


def test_the_winner_is_sampled_and_a_wrong_law_would_be_seen() -> None:
    found = choose(table(6, 4), features=32).confirmation
    assert found is not None
    assert found.agrees
    assert replace(found, expected=1.2 * found.expected).verdict == "differs"
    assert Confirmation(8, 0.1, 1e-4, 0.11).verdict == "differs"
    assert Confirmation(8, 0.1, 1e-4, 0.11, expected_error=0.01).agrees
    assert Confirmation(8, 0.0, 0.0, 0.0).agrees
    assert Confirmation(8, 0.1, 0.0, 0.11).verdict == "differs"


def test_mechanisms_without_a_law_are_measured_and_may_win() -> None:
    data = table(40, 2)
    found = choose(data, features=64, pairs=16)
    assert found.best.coupling in ("sobol", "halton")
    assert found.best.standard_error > 0
    assert found.confirmation is not None
    assert found.confirmation.agrees
    assert len({choice.name for choice in found.choices}) == len(found.choices)
    alone = next(c for c in found.choices if c.feature == found.best.feature and c.coupling == "iid")
    times = (alone.error / found.best.error) ** 2 * alone.rows / found.best.rows
    assert f"independent rows reach the same error with {times:.3g} times as many rows" in as_text(found)
    own = f"{found.best.error:.5f} +- {found.best.standard_error:.5f}"  # two digits of the standard error
    assert own in as_text(found)
    assert f"expected {own}, " in as_text(found)
    assert f"{found.confirmation.apart:.1f} standard errors apart (6 are allowed): agrees" in as_text(found)
    exact = choose(data, features=64, pairs=16, exact_only=True)
    assert exact.best.standard_error == 0
    assert exact.best.error > 1.5 * found.best.error
    fewer = choose(data, error=exact.best.error, pairs=16)
    assert fewer.best.features < 0.7 * 64
    assert fewer.best.at_most <= exact.best.error


def printed_errors(data: np.ndarray, scale: float, rows: int, seeds: int) -> list[Choice]:
    """Choices whose errors are measured over 48 pairs of the data, for each seed other ones."""
    every = Comparison(pairs_of(data, lengthscale=scale, count=48), "gaussian", {"features": 2 * rows}, 0)
    wave, found = every.candidate("trigonometric"), []
    for seed in range(seeds):
        pairs = pairs_of(data, lengthscale=scale, count=48, seed=seed)
        (one,) = measure([wave], "halton", rows, pairs, "gaussian", comparison.NUMBERS, seed)
        found.append(every._measured_choice("trigonometric", "halton", one))
    return found


def test_a_measured_error_is_as_uncertain_as_is_printed() -> None:
    """Against brute force over all pairs: false alarm 2e-6; standard errors 2.5 times too small are seen (0.9999)."""
    data, rows, scale, blocks = table(150, 4), 32, 2.0, 400
    made = random_features("trigonometric", "halton", rows, d=4)
    grams = made.gram(Stream.named("brute force"), range(blocks), data / scale, data / scale, "gaussian")
    kernel = np.exp(-((data[:, None] - data) ** 2).sum(-1) / (2 * scale**2))
    pairs = np.triu_indices(len(data), 1)
    true = math.sqrt(((grams - kernel)[:, *pairs] ** 2).mean() / (kernel[pairs] ** 2).mean())
    found = printed_errors(data, scale, rows, 40)

    def covers(standard_errors: list[float]) -> bool:
        apart = [(c.error - true) / s for c, s in zip(found, standard_errors, strict=True)]
        return math.sqrt(np.mean(np.square(apart))) < 1.55

    assert covers([choice.uncertainty for choice in found])
    assert not covers([choice.standard_error for choice in found])  # of the draws alone
    table_row = _row(found[0])[-1]
    assert table_row == f"{found[0].error:.4f} +- {found[0].uncertainty:.4f}"


def test_draws_that_do_not_show_the_tails_say_so() -> None:
    data = 3.0 * table(4, 16)
    found = choose(data, features=16, lengthscale=1.0, kernel="softmax", exact_only=True)
    assert found.best.error > 0.9
    if found.best.feature not in ("trigonometric", "cosine"):
        assert found.confirmation is not None
        assert found.confirmation.verdict == "undecided"
        assert "tails" in as_text(found)
        assert "not confirmed, exit code 2: new draws do not show the tails" in as_text(found)


@pytest.mark.parametrize("coupling", ["hadamard-orthogonal", "givens-orthogonal"])
def test_a_fast_rotation_costs_less_than_a_dense_one(coupling: str) -> None:
    operations, memory = cost(coupling, 256, 256)
    dense = cost("orthogonal", 256, 256)
    assert operations < dense[0] / 5
    assert memory < dense[1] / 5
    assert cost(coupling, 256, 1) == (operations, memory - 8 * 255)  # a whole block in any case


def test_a_budget_counts_operations() -> None:
    found = choose(table(6, 4), budget=1000, check=False)
    assert all(choice.operations <= 1000 for choice in found.choices)


def test_queries_and_keys_are_paired_with_each_other() -> None:
    x, y = table(4, 3), table(5, 3, seed=2)
    found = pairs_of(x, y, kernel="softmax", count=100)
    assert found.total == len(found.x) == 20
    assert found.lengthscale == pytest.approx(3**0.25)
    every = {(tuple(a), tuple(b)) for a, b in zip(found.x, found.y, strict=True)}
    assert len(every) == 20
    mean = np.mean([((a + b) ** 2).sum() for a in x for b in y]) / math.sqrt(3)
    assert found.square_sum == pytest.approx(mean)
    own = pairs_of(x, lengthscale=1.0)
    assert own.square_sum == pytest.approx(((own.x + own.y) ** 2).sum(1).mean())


def test_parameters_are_fitted_to_all_pairs() -> None:
    """Those of counts were fitted to the pairs drawn: for one table rates of 0.10 to 0.46, where all pairs say 0.22."""
    x, y = table(60, 3) * np.random.default_rng(2).exponential(size=(60, 1)), table(30, 3, seed=2)
    for other in (None, y):
        every = pairs_of(x, other, lengthscale=1.0, count=10**4)
        assert len(every.x) == every.total
        for found in (every, pairs_of(x, other, lengthscale=1.0, count=8)):
            assert found.square_sums == pytest.approx(((every.x + every.y) ** 2).mean(0), rel=1e-12)
            assert found.products == pytest.approx(np.abs(every.x * every.y).mean(0), rel=1e-12)
            assert found.square_products == pytest.approx(((every.x * every.y) ** 2).sum(1).mean(), rel=1e-12)
    alone = pairs_of(np.vstack([np.full((1, 3), 0.1), np.zeros((2, 3))]), lengthscale=1.0)
    assert alone.square_products == alone.products.sum() == 0  # not by rounding near it


def test_opposite_rows_have_no_sum_but_for_rounding() -> None:
    """An average of |x + y|^2 of -3e-17 was refused."""
    row = table(60, 3, seed=1)[:1]
    for unit in np.linspace(0.3, 3, 40):
        assert (
            pairs_of(np.repeat(unit * row, 3, 0), -np.repeat(unit * row, 5, 0), lengthscale=1.0).square_sum
            >= 0
        )


@pytest.mark.parametrize("n", [2, 3, 7, 40])
def test_all_pairs_of_one_table_are_met_once(n: int) -> None:
    data = np.arange(n, dtype=float)[:, None]
    found = pairs_of(data, lengthscale=1.0, count=10**4)
    every = {tuple(sorted((float(a[0]), float(b[0])))) for a, b in zip(found.x, found.y, strict=True)}
    assert len(every) == found.total == n * (n - 1) // 2
    assert all(a != b for a, b in every)


@pytest.mark.parametrize("ending", [".npy", ".npz", ".csv", ".tsv", ".txt"])
def test_tables_are_read_from_files(ending: str, tmp_path: Path) -> None:
    data, file = table(3, 2), tmp_path / f"data{ending}"
    if ending == ".npy":
        np.save(file, data)
    elif ending == ".npz":
        np.savez(file, x=data, y=data)
    else:
        mark = {".csv": ",", ".tsv": "\t", ".txt": " "}[ending]
        header = mark.join(("first", "second")) if ending != ".txt" else ""
        np.savetxt(file, data, delimiter=mark, header=header, comments="", fmt="%.17g")
    assert np.array_equal(read_table(file), data)


@pytest.mark.parametrize(
    "names",
    [
        ("q", "k"),
        ("Q", "K"),
        ("queries", "keys"),
        ("Queries", "keys"),
        ("x", "y"),
        ("keys", "other"),
        ("x", "labels"),
    ],
)
def test_two_tables_of_one_file_form_pairs(
    names: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, seen = tmp_path / "both.npz", []
    tables = {names[0]: table(4, 2), names[1]: table(3, 2, seed=2)}
    np.savez(file, **tables)

    def chosen(*tables: np.ndarray, **options: object) -> Advice:
        seen.extend(tables)
        raise InvalidInput("choose", needs="no more", got=len(tables))

    monkeypatch.setattr("rftheory.choose.choose", chosen)
    assert main(["choose", str(file), "--kernel", "softmax"]) == 2
    told = tuple(name.lower() for name in names)
    wanted = list(tables.values()) if told in SIDES else [tables["x"]] if "x" in tables else []
    assert len(seen) == len(wanted)
    assert all(np.array_equal(one, other) for one, other in zip(seen, wanted, strict=True))
    np.savez(file, x=table(4, 2), y=np.arange(4))  # labels are no second table
    assert sides(file) == ()
    np.savez(file, q=np.array([[None]]), k=np.ones((1, 1)))
    assert main(["choose", str(file)]) == 2


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("a,b\n", "a table"),
        ("1,2\n3\n", "line 2: needs 2 columns"),
        ("1,x\n2,3\n1,y\n", "line 1, column 2: needs a number"),
        ("1,nan\n2,3\n", "finite"),
    ],
)
def test_files_that_are_no_tables_are_refused(content: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=error):
        read_table(file)


@pytest.mark.parametrize("content", ["a;b\n1,5;2,5\n3;4,5\n", "1,5\t2\n3,25\t4,5\n", "0,5;1;-2e3\n1;;2\n"])
def test_decimal_commas_are_told(content: str, tmp_path: Path) -> None:
    """Not as a wrong number of columns, nor as words in one of them."""
    file = tmp_path / "comma.csv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match="needs numbers with decimal points"):
        read_table(file)
    file.write_text("1,a;b\n2,c;d\n", encoding="utf-8")
    assert read_table(file, "1").tolist() == [[1], [2]]


def test_columns_of_words_may_be_left_out(tmp_path: Path) -> None:
    file = tmp_path / "flowers.csv"
    file.write_text("1,2,one\n3,4,two\n5,6,two\n", encoding="utf-8")
    assert read_table(file, "1-2").tolist() == [[1, 2], [3, 4], [5, 6]]
    with pytest.raises(InvalidInput, match=r"line 1, column 3: needs a number, got 'one'.*--columns 1,2"):
        read_table(file)
    other = tmp_path / "other.csv"
    other.write_text("a,1,2,3,4,b,5,6,c,7\n" * 2, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"leave these columns out: --columns 2-5,7,8,10$"):
        read_table(other)
    np.save(tmp_path / "whole.npy", [[1.0, np.nan], [2.0, 3.0]])
    assert read_table(tmp_path / "whole.npy", "1").tolist() == [[1], [2]]
    other.write_text("3,4\n1_000,2\n")
    with pytest.raises(InvalidInput, match="needs a number, got '1_000'"):  # which Python reads as 1000
        read_table(other)
    with pytest.raises(InvalidInput, match="a file, not a folder"):
        read_table(tmp_path)
    with pytest.raises(InvalidInput, match="columns from 1 to 3"):
        read_table(file, "4")


@pytest.mark.parametrize(
    "options",
    [{"error": 0}, {"error": 0.1, "features": 3}, {"features": -1}, {"error": math.nan}, {"kernel": "cauchy"},
     {"pairs": 1}, {"lengthscale": 0.0}, {"features": True}],
)  # fmt: skip
def test_goals_that_make_no_sense_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        choose(table(4, 2), **options)


@pytest.mark.parametrize(
    ("content", "columns", "rows"),
    [
        ("\ufeff1,2\n3,4\n", None, [[1, 2], [3, 4]]),
        ('"1","2"\n"3","4"\n', None, [[1, 2], [3, 4]]),
        ('"1, or one",2,3\n"a, b",4,5\n', "2-3", [[2, 3], [4, 5]]),
    ],
)
def test_text_as_spreadsheets_write_it(
    content: str, columns: str | None, rows: list[list[int]], tmp_path: Path
) -> None:
    file = tmp_path / "sheet.csv"
    file.write_text(content, encoding="utf-8")
    found, header = table_and_header(file, columns)
    assert (found.tolist(), header) == (rows, "")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_data_may_have_any_unit(unit: float) -> None:
    data = table(6, 3)
    near, far = pairs_of(data), pairs_of(data * unit)
    assert far.lengthscale == pytest.approx(near.lengthscale * unit)
    assert far.square_sum == pytest.approx(near.square_sum)
    data[0] *= 1e200
    with pytest.raises(OutsideDomain, match="squares are finite"):
        pairs_of(data)


def test_data_without_pairs_or_without_spread_are_refused() -> None:
    with pytest.raises(OutsideDomain, match="two rows"):
        choose(table(1, 2))
    with pytest.raises(OutsideDomain, match="constant"):
        choose(np.ones((4, 2)))
    with pytest.raises(InvalidInput, match="2 columns"):
        choose(table(4, 2), table(4, 3))
    with pytest.raises(InvalidInput, match="real numbers"):
        choose([["a", "b"]])


def test_the_command_prints_a_table_code_and_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, asked, answers = tmp_path / "X.npy", [], []
    np.save(file, table(4, 3))

    def chosen(*tables: np.ndarray, **options: object) -> Advice:
        """The answer to the first question, which is asked once more, to print it in another form."""
        options.pop("progress")
        asked.append(str((tables, options)))
        assert asked[-1] == asked[0]
        if not answers:
            answers.append(choose(*tables, **options))
        return answers[0]

    monkeypatch.setattr("rftheory.choose.choose", chosen)
    plots = [tmp_path / f"plot.{ending}" for ending in ("PNG", "pdf", "svg")]
    plotted = [word for path in plots[:2] for word in ("--plot", str(path))]
    assert main(["choose", str(file), "--features", "32", *plotted]) == 0
    printed = capsys.readouterr()
    text = printed.out
    assert "mechanism" in text
    assert "sampled: " in text
    assert printed.err.splitlines() == [f"wrote {path}" for path in plots[:2]]
    assert sorted(path for path in tmp_path.iterdir() if path != file) == plots[:2]  # and no other
    lines = [line.strip() for line in text[text.index("code:") :].splitlines()[1:]]
    exec(
        "\n".join(line for line in lines if "torch" not in line and not line.startswith("RandomFeatures(")),
        names := {"X": table(4, 3)},  # the code is complete but for the data
    )
    assert names["gram"].shape == (4, 4)
    assert main(["choose", str(file), "--features", "32", "--json"]) == 0
    assert len(asked) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["best"] in text
    assert any("oprf" in skipped["name"] for skipped in found["skipped"])
    assert main(["choose", str(tmp_path / "none.npy")]) == 2


def test_a_first_line_that_is_left_out_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "\n".join(f"{a:.3f},{b:.3f}" for a, b in table(6, 2))
    with_words, without = tmp_path / "words.csv", tmp_path / "numbers.csv"
    with_words.write_text("height,weight\n" + rows)
    without.write_text(rows)
    options = ["--features", "8", "--pairs", "4", "--exact-only"]
    for files, headers in (([with_words], ["height,weight"]), ([without, with_words], ["height,weight"]),
                           ([without], [])):  # fmt: skip
        main(["choose", *map(str, files), *options])
        text = capsys.readouterr().out
        said = "header: the first line of a file holds words and is left out: height,weight"
        assert text.count(said) == len(headers)
        assert text.count("header") == len(headers)
        assert not headers or text.index("header") < text.index("mechanism")
        main(["choose", *map(str, files), *options, "--json"])
        assert json.loads(capsys.readouterr().out)["headers"] == headers


GAPS = "id,temp,ph,site,flat,ox\n" + "".join(
    f"{k},{k}.5,{'' if k in (4, 6) else k},north,1,{'NA' if k == 6 else k}\n" for k in range(1, 9)
)


def test_all_cells_without_a_number_are_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "odd.csv"
    file.write_text(GAPS)
    with pytest.raises(InvalidInput) as caught:
        read_table(file, "2,3,6")
    assert str(caught.value) == (
        f"{file}, line 5, column 3: needs a finite number, got ''; 2 empty or NA cells in column 3, 1 empty"
        " or NA cell in column 6: drop 2 lines, or leave these columns out: --columns 2"
    )
    with pytest.raises(
        InvalidInput, match=r"8 words in column 4: encode .* leave this column out: --columns 2$"
    ):
        read_table(file, "2,4")
    file.write_text("1\ninf\n")
    with pytest.raises(InvalidInput, match=r"line 2, column 1: needs a finite number, got 'inf'"):
        read_table(file)
    with pytest.raises(InvalidInput, match=r"X, row 2, column 1: .* got inf; 1 value is NaN or infinite"):
        choose([[1.0], [math.inf]])
    with pytest.raises(InvalidInput, match=r"table: needs a file that exists, got 'nosuch.csv'"):
        read_table("nosuch.csv")


def test_columns_are_named_by_the_header(tmp_path: Path) -> None:
    file = tmp_path / "odd.csv"
    file.write_text(GAPS)
    found, header = table_and_header(file, "temp, flat")
    assert np.array_equal(found, np.column_stack([np.arange(1, 9) + 0.5, np.ones(8)]))
    assert header == "id,temp,ph,site,flat,ox"
    with pytest.raises(InvalidInput, match="names among id, temp, ph, site, flat, ox, got 'tmp'"):
        table_and_header(file, "tmp")


def test_columns_without_spread_and_of_unequal_scales_get_a_hint() -> None:
    data = table(12, 3) * [1.0, 0.0, 100.0]
    options = {"features": 8, "pairs": 4, "check": False, "exact_only": True, "lengthscale": 50.0}
    text = as_text(choose(data, **options))
    assert "hint: column 2 is constant and carries no information; leave it out" in text
    assert "hint: the standard deviation of column 3 is" in text
    assert "hint" not in as_text(choose(data[:, :1] * [1.0, 9.0], **options))
    assert "constant" not in as_text(choose(data / 30, kernel="softmax", **options))  # x.y sees constants


def test_the_order_of_measured_errors_is_explained() -> None:
    found = choose(table(12, 3), features=32, pairs=8, check=False, exact_only=True)
    assert "order:" not in as_text(found)
    first = replace(found.best, error=found.best.error * 0.99)
    noisy = replace(first, error=first.error * 0.98, standard_error=first.error * 0.015)
    text = as_text(replace(found, choices=(first, noisy, *found.choices[1:])))
    assert "order: by the error, plus two standard errors where it was measured" in text


def test_a_length_scale_is_printed_once() -> None:
    found = choose(table(12, 3), features=8, pairs=8, check=False, exact_only=True)
    assert code(found.best, found).count(repr(found.lengthscale)) == 1


def test_labels_of_the_plot_stay_inside() -> None:
    found = choose(table(40, 8), features=64, pairs=8, check=False, exact_only=True)
    other = next(choice for choice in found.choices if choice.feature != found.best.feature)
    far = replace(other, coupling="orthogonal-simplices", error=10 * found.best.error)
    figure = figure_of(replace(found, choices=(found.best, far)))
    figure.draw_without_rendering()
    (axes,) = figure.axes
    frame = axes.get_window_extent()
    for label in axes.texts:
        extent = label.get_window_extent()
        assert frame.x0 <= extent.x0, label
        assert extent.x1 <= frame.x1, label


def test_a_plot_that_cannot_be_stored_is_refused_at_once_and_loses_no_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "X.npy"
    np.save(file, table(6, 2))
    command = ["choose", str(file), "--features", "8", "--exact-only", "--plot"]

    def full(*arguments: object) -> list[Path]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rftheory.choose.report.draw", full)
    assert main([*command, str(tmp_path / "x")]) == 2
    assert "mechanism" in capsys.readouterr().out
    monkeypatch.setattr("rftheory.choose.choose", lambda *tables, **options: pytest.fail("computed first"))
    assert main([*command, str(tmp_path / "none" / "x")]) == 2
    printed = capsys.readouterr().err
    assert "InvalidInput: --plot: needs a file that can be written" in printed
    for nothing in ("", "."):
        assert main([*command, nothing]) == 2
        assert "InvalidInput: --plot: needs the name of a file" in capsys.readouterr().err


def test_printed_parameters_are_plain_numbers() -> None:
    found = choose(table(12, 3), features=8, pairs=8, check=False, exact_only=True)
    printed = code(next(choice for choice in found.choices if choice.feature == "anisotropic"), found)
    assert "A=(-0." in printed
    assert "np." not in printed


def test_one_dimension_and_text(tmp_path: Path) -> None:
    found = choose(table(5, 1), features=8)
    assert as_text(found).startswith("gaussian kernel, d = 1")
    begins = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}
    for ending, begin in begins.items():
        assert draw(found, tmp_path / f"errors{ending}").read_bytes().startswith(begin)
    dotted = tmp_path / "errors.of.X"  # the file that is checked beforehand is the one that is written
    assert draw(found, dotted) == file_of_plot(dotted) == tmp_path / "errors.of.X.png"
    assert len(list(tmp_path.iterdir())) == 4


def test_tails_of_any_size_are_compared() -> None:
    own = np.array([1e-3, 1.0])
    huge = Candidate("positive", {}, MapErrors(own, own, {}), np.array([math.inf, 1e300]))
    fine = huge._replace(tails=np.array([3.0, 3.0]))
    assert not huge.shown(16, 100)
    assert not huge.pairs_shown(16, 100)
    assert fine.shown(16, 100)
    assert fine.pairs_shown(16, 100)


def test_one_feature_that_is_enough_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def counted(candidates: list[Candidate], coupling: str, rows: int, *more: object, **law: bool) -> object:
        calls.append(rows)
        assert len(calls) < 60, "the same few rows are measured again and again"
        return measure(candidates, coupling, rows, *more, **law)  # type: ignore[arg-type]

    monkeypatch.setattr(comparison, "measure", counted)
    data = 0.05 * np.random.default_rng(1).standard_normal((20, 3))
    assert choose(data, kernel="softmax", error=0.2, lengthscale=1.0, pairs=16).best.features == 1


def test_too_long_inputs_are_refused_before_laws_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    laws = Laws(pairs_of(20 * table(4, 8), lengthscale=1.0), "softmax")
    monkeypatch.setattr(Laws, "_cross", lambda *arguments: pytest.fail("worked out for nothing"))
    with pytest.raises(OutsideDomain, match="too long"):
        laws.of(MAPS["positive"], {}, [find_coupling("orthogonal")])


def test_counts_with_too_many_sums_are_left_out_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def reasons(sums: int) -> str:
        monkeypatch.setattr(comparison, "MOST_SUMS", sums)
        found = choose(table(3, 4), features=8, exact_only=True, check=False)
        assert sums > 11 or not {"poisson", "geometric"} & {c.feature for c in found.choices}
        return " ".join(s.reason for s in found.skipped if s.name == "poisson")

    assert "sums" not in reasons(12)  # three pairs in four dimensions
    assert "12 sums" in reasons(11)


def test_rational_coordinates_are_summed_without_sympy(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Inputs.of_vectors([0.5, "1/3", 2], ["1/7", 0.25, -1])
    wanted = sum((c.x + c.y) ** 2 for c in pair.coordinates)
    monkeypatch.setattr("sympy.Add.__new__", None)
    assert pair.total(lambda x, y: (x + y) ** 2) == wanted


def stopped_at(label: str) -> tuple[Advice, set[str]]:
    """The answer if the time is up when this is to be compared, and what was left out for that."""

    def stop(said: str, done: int, total: int) -> None:
        if said.endswith(label):
            raise TimeIsUp

    found = choose(table(6, 3), features=32, pairs=8, time_limit=600, progress=stop)
    return found, {skipped.name for skipped in found.skipped if skipped.reason == TIME_UP}


def test_when_the_time_is_up_the_best_so_far_is_drawn_and_the_rest_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotCertified, match=r"a mechanism that reaches the goal.* in 600 s"):
        stopped_at("trigonometric")
    found, late = stopped_at("positive")
    assert found.best.feature in ("trigonometric", "cosine")
    assert found.confirmation is not None
    assert found.confirmation.agrees
    assert {"positive x iid", "trigonometric x sobol", "poisson x iid"} <= late
    assert not late & {choice.name for choice in found.choices}
    text = as_text(found)
    assert f"time: up after 600 s, before {len(late)} mechanisms had been compared" in text
    assert text.index("time: up") < text.index("best: ")
    measured, late = stopped_at("sobol")
    assert {"gerf x sobol", "trigonometric x sobol"} <= late
    assert any(choice.name == "gerf x halton" for choice in measured.choices)
    nearly, late = stopped_at("with more draws")
    assert not late
    assert nearly.choices[0].standard_error > 0
    assert "before the best had been drawn more often" in as_text(nearly)
    np.save(tmp_path / "X.npy", table(6, 3))
    monkeypatch.setattr("rftheory.choose.choose", lambda *tables, **options: found)
    assert main(["choose", str(tmp_path / "X.npy"), "--time-limit", "600", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["stopped"] == 600


def test_progress_goes_from_nothing_to_all() -> None:
    said: list[tuple[int, int]] = []
    found = choose(
        table(6, 3), error=0.2, pairs=8, progress=lambda label, done, total: said.append((done, total))
    )
    assert found.stopped is None
    assert said == sorted(said)
    assert said[0] == (0, said[-1][0])
    assert said[-1][0] == said[-1][1] > 80


def test_what_is_declared_without_a_sampler_is_left_out() -> None:
    x, y = author.x, author.y
    author.feature_map(
        "no-sampler-map", "exp(w.x - |x|^2/2)", "a test", author.Term(x + y, -(x**2 + y**2) / 2), norm="v"
    )
    author.coupling("no-sampler-rows", "orthogonal rows", "a test", rows=author.Rows(author.d))
    try:
        found = choose(table(6, 3), features=8, pairs=4, exact_only=True)
    finally:
        author.forget("no-sampler-map")
        author.forget("no-sampler-rows")
    reasons = {skipped.name: skipped.reason for skipped in found.skipped}
    assert reasons["no-sampler-map"] == reasons["no-sampler-rows"] == "it is declared without a sampler"
    assert not {"no-sampler-map", "no-sampler-rows"} & {
        n for c in found.choices for n in (c.feature, c.coupling)
    }


def test_clusters_far_apart_have_laws_of_coupled_rows() -> None:
    """Sums and differences of points of far clusters are long; features of counts overflow there, without a warning."""
    X = np.random.default_rng(0).standard_normal((2, 6))
    near, far = (
        Laws(pairs_of(np.concatenate([X, X + 100]), lengthscale=scale), "gaussian") for scale in (5.0, 0.1)
    )
    couplings = [find_coupling(name) for name in ("simplex", "orthogonal-simplices", "mirrored")]
    found = near.of(MAPS["trigonometric"], {}, couplings)
    assert all(found.covers(coupling, 6) for coupling in couplings)
    assert far.least(MAPS["poisson"], {"lam": 0.5}) == math.inf


def test_pairs_are_spread_evenly_over_both_distances() -> None:
    """Of iid waves, whose error is a function of |x - y|: the error over a few pairs is nearly that over many."""
    data = table(400, 6) * np.random.default_rng(2).exponential(size=(400, 1))

    def error(count: int, seed: int) -> tuple[float, float]:
        pairs = pairs_of(data, lengthscale=3.0, count=count, seed=seed)
        assert len(pairs.x) == count
        kernel = np.exp(-((pairs.x - pairs.y) ** 2).sum(1) / 2)
        known = MapErrors(*(pairs.weights * one for one in (kernel**2, (1 - kernel**2) ** 2 / 2)), {})
        return known.relative(64, {}), pairs.error_of(known.squares(64, {}), known.target)

    found = np.array([error(48, seed) for seed in range(40)])
    assert found[:, 0].std() / found[:, 0].mean() < 0.05  # of pairs drawn at random: 0.11
    assert 0.5 < found[:, 1].mean() / (found[:, 0].std() / found[:, 0].mean()) < 2
    assert found[:, 0].mean() == pytest.approx(error(4000, 0)[0], rel=0.02)


@pytest.mark.parametrize("n", [11, 12, 14])
def test_weights_make_all_pairs_count_alike_and_few_that_are_missing_count_little(n: int) -> None:
    """Of 55, 66 and 91 pairs, 48."""
    data = np.random.default_rng(5).exponential(size=(n, 2))
    counted, chances, found = defaultdict(float), {}, []
    for seed in range(400):
        pairs = pairs_of(data, lengthscale=1.0, count=48, seed=seed)
        kernel = np.exp(-((pairs.x - pairs.y) ** 2).sum(1) / 2)
        known = MapErrors(*(pairs.weights * one for one in (kernel**2, (1 - kernel**2) ** 2 / 2)), {})
        found.append((known.relative(64, {}), pairs.error_of(known.squares(64, {}), known.target)))
        for pair, chance in zip(zip(pairs.x[:, 0], pairs.y[:, 0], strict=True), pairs.second, strict=True):
            counted[frozenset(pair)] += 1 / chance
            chances[frozenset(pair)] = chance
    assert len(counted) == pairs.total
    assert len(pairs.x) == 48
    apart = [
        (counted[pair] / 400 - 1) / math.sqrt((1 / chance - 1) / 400 + 1e-20)
        for pair, chance in chances.items()
    ]
    assert np.abs(apart).max() < 4.5
    errors, said = np.array(found).T
    assert 0.6 < said.mean() / (errors.std() / errors.mean()) < 1.8


def test_other_pairs_of_the_data_show_what_rare_ones_carry() -> None:
    data = 0.4 * table(200, 3)
    found = choose(data, features=32, lengthscale=1.0, pairs=16)
    assert found.elsewhere is not None
    assert found.elsewhere.error == pytest.approx(found.best.error, rel=0.25)
    text = as_text(found)
    assert f"for others it is {found.elsewhere.error:.4f} +- {found.elsewhere.standard_error:.4f}" in text
    assert "warning" not in text
    assert found.confirmation is not None
    wrong = replace(found, elsewhere=replace(found.elsewhere, error=2 * found.confirmation.expected))
    assert found.stands
    assert not wrong.stands
    assert (
        "2 times the expected error: rare pairs carry much of it; compare more, with --pairs 160"
        in as_text(wrong)
    )
    assert choose(data[:4], features=32, pairs=16).elsewhere is None  # all pairs were compared


def compared(coupling: str, exact: bool) -> tuple[Comparison, Pairs]:
    """A comparison with one choice that reaches the error 0.1 on pairs that are near each other, and other pairs."""
    data = table(60, 3)
    every = pairs_of(data, lengthscale=1.5, count=10**4)
    near = np.argsort(((every.x - every.y) ** 2).sum(1))[: len(every.x) // 2 : len(every.x) // 80]
    some = {name: getattr(every, name)[near] for name in ("x", "y", "first", "second")}
    ones = Comparison(replace(every, **some), "gaussian", {"error": 0.1}, 0)
    known = ones.candidate("trigonometric").known
    rows = next(m for m in range(1, 1000) if known.relative(m, {}) <= 0.1)
    if exact:
        ones.choices = [ones._exact_choice("trigonometric", find_coupling(coupling), rows)]
    else:
        (found,) = ones._drawn(["trigonometric"], coupling, rows // 2)
        ones.choices = [ones._measured_choice("trigonometric", coupling, found)]
    return ones, pairs_of(data, lengthscale=1.5, count=256)


@pytest.mark.parametrize(("coupling", "exact"), [("iid", True), ("sobol", False)])
def test_more_rows_are_taken_until_other_pairs_reach_the_error(
    coupling: str, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "NUMBERS_ELSEWHERE", 10**6)
    ones, others = compared(coupling, exact)
    (before,) = ones.choices
    assert before.at_most <= 0.1
    assert ones._elsewhere(before, others).exceeds(0.1)
    found = ones.advice(True, others)
    assert found.raised_from == before.rows < found.best.rows
    assert found.elsewhere == ones._elsewhere(found.best, others)
    assert not found.elsewhere.exceeds(0.1)
    assert found.elsewhere.error > 0.08  # and not many more
    assert not found.misses_elsewhere
    assert f"rows: {before.rows} reach the error wanted for the pairs that were compared" in as_text(found)


def test_a_mechanism_that_becomes_the_best_gets_about_the_least_rows() -> None:
    """Where other pairs rule out the best, the next one has been drawn with some number of rows that is enough."""
    ones, _ = compared("sobol", exact=False)
    (found,) = ones._drawn(["trigonometric"], "sobol", 4 * ones.choices[0].rows)
    ones.choices = [ones._measured_choice("trigonometric", "sobol", found)]
    ones._challenge()
    assert found.at_most < 0.05
    assert 0.08 < ones.choices[0].at_most <= 0.1


def test_an_error_that_other_pairs_miss_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "RAISES", 0)
    ones, others = compared("iid", exact=True)
    found = ones.advice(True, others)
    assert found.misses_elsewhere
    assert not found.stands
    text = as_text(found)
    assert "warning: other pairs miss the error wanted, 0.1: " in text
    assert "not confirmed, exit code 2: " in text
    assert "other pairs miss the error wanted" in found.doubts
    assert "exit code" not in as_text(replace(found, wanted=None, confirmation=None))


def test_small_errors_are_differences_of_exact_numbers() -> None:
    """Errors of 1e-9 were 0, and were said to be exact: variances were differences of floats."""
    pairs = pairs_of(1e-9 * table(4, 3), 2e-9 * table(4, 3, seed=2), kernel="softmax", lengthscale=1.0)
    laws, orthogonal = Laws(pairs, "softmax"), find_coupling("orthogonal")
    v, z = (((pairs.x + sign * pairs.y) ** 2).sum(1) for sign in (1, -1))
    positive, waves = (laws.of(MAPS[name], {}, [orthogonal]) for name in ("positive", "trigonometric"))
    assert positive.relative(1, {}) == pytest.approx(math.sqrt(v.mean()), rel=1e-6)
    assert waves.relative(1, {}) == pytest.approx(math.sqrt((z**2).mean() / 2), rel=1e-4)
    (cross,) = (
        positive.cross.values()
    )  # E w.u w'.u = 0, and E w.u^2 w'.u^2 = d E |w|^2 |w'|^2/d^2/(d + 2) or less
    assert np.abs(cross).max() < 1e-6 * positive.own.min()


def test_numbers_that_leave_the_range_of_floats_are_refused_or_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All of these ended in errors of Python."""
    with pytest.raises(OutsideDomain, match="larger length scale"):
        choose(table(20, 3), lengthscale=1e-3)
    v, z = math.sqrt(740), math.sqrt(46)
    far = choose(np.array([[v, z], [v, -z]]) / 2, lengthscale=1.0, exact_only=True, check=False)
    assert far.best.error <= 0.05
    with pytest.raises(OutsideDomain, match="about inf features"):
        choose(table(3, 2), error=1e-200, exact_only=True)
    monkeypatch.setattr(comparison, "rows_drawn", lambda choice, pairs: 4)  # for more rows than can be drawn
    alike = choose(np.ones((20, 2)), lengthscale=1.0, features=8, pairs=2, exact_only=True)
    assert alike.best.error == 0
    assert alike.stands


def test_rows_of_a_new_block_are_left_out_where_they_do_harm() -> None:
    """With eight features, four rows were taken where three have a smaller error."""
    data = table(20, 3)
    found, fewer = (choose(data, features=n, exact_only=True, check=False) for n in (8, 6))
    errors = [{c.name: c.error for c in one.choices} for one in (found, fewer)]
    assert all(error <= errors[1][name] for name, error in errors[0].items())
    assert {c.features for c in found.choices if c.name == "hyperbolic x orthogonal-fixed"} == {6}


def test_data_far_from_0_are_to_be_centred() -> None:
    for far, said in ((3.0, True), (0.0, False)):
        found = choose(table(30, 3) + far, features=16, pairs=8, exact_only=True, check=False)
        assert ("X - X.mean(0)" in as_text(found)) is said
    assert "X.mean" not in as_text(replace(found, kernel="softmax", sum_norm=9.0))


def test_what_the_goal_does_not_allow_is_not_said_to_take_draws() -> None:
    reasons = {skipped.name: skipped.reason for skipped in choose(table(6, 3), features=1, pairs=8).skipped}
    assert reasons["trigonometric x sobol"] == "one row is more than the goal allows"


def test_an_error_that_few_pairs_carry_is_left_undecided() -> None:
    """Pairs of two rows far out, near each other, are rare and carry the errors of exponentials; waves are bounded."""
    data = 0.2 * table(1000, 4)
    data[:40] += 1.6
    pairs = pairs_of(data, lengthscale=1.0, count=512)
    errors = Comparison(pairs, "gaussian", {"features": 32}, 0)
    heavy, light = (
        measure([errors.candidate(name)], "sobol", 32, pairs, "gaussian", 4 * 10**6, 0, law=False)[0]
        for name in ("positive", "trigonometric")
    )
    assert not heavy.heavy  # those that carry the error are among them
    assert not light.heavy
    found = choose(0.4 * table(200, 3), features=32, lengthscale=1.0, pairs=16)
    assert not found.has_heavy_tails
    tails = replace(found.elsewhere, heavy=True)
    assert not replace(found, elsewhere=replace(tails, pairs_error=0.1 * tails.error)).has_heavy_tails
    wide = replace(tails, pairs_error=0.2 * tails.error)
    assert replace(found, elsewhere=wide).has_heavy_tails
    assert not replace(found, elsewhere=replace(wide, heavy=False)).has_heavy_tails
    doubtful = replace(found, elsewhere=replace(tails, error=1.3 * found.confirmation.expected))
    first = next(c for c in found.choices if c.feature == "gerf")
    doubtful = replace(doubtful, choices=(first, *found.choices))
    assert not doubtful.stands
    assert "undecided, because few pairs carry the error" in doubtful.doubts
    assert "warning: heavy tails: a few of the other pairs carry" in as_text(doubtful)
    assert "with bounded estimates, trigonometric x sobol has 0." in as_text(doubtful)


def test_the_check_of_the_winner_ends_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*arguments: object) -> None:
        while True:
            pass

    monkeypatch.setattr(Comparison, "_elsewhere", endless)
    monkeypatch.setattr(comparison, "load_declared", lambda: None)
    start = time.monotonic()
    found = choose(table(60, 3), features=32, pairs=8, time_limit=3, exact_only=True)
    assert time.monotonic() - start < 6
    assert found.stopped == 3
    assert found.confirmation is found.elsewhere is None
    assert "the best had been drawn once more; --time-limit allows more" in as_text(found)
    assert "the time was up" in found.doubts


def test_fewer_blocks_are_drawn_where_there_is_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rftheory.choose.measured.CHUNK", 10**4)
    pairs = pairs_of(table(20, 6), lengthscale=1.0, count=48)
    one = Comparison(pairs, "gaussian", {"features": 32}, 0).candidate("trigonometric")
    options = ([one], "iid", 16, pairs, "gaussian", 10**6, 0)
    (all_,), (few,) = measure(*options), measure(*options, until=0.0)
    assert 16 <= few.blocks < 32 < all_.blocks
    assert abs(few.error - all_.error) < 5 * few.standard_error


def test_a_goal_out_of_reach_says_what_it_needs() -> None:
    data = table(60, 3)
    for options in ({}, {"progress": stop_when_measured, "time_limit": 600}):
        with pytest.raises(OutsideDomain, match=r"about .* features of .* would be needed") as found:
            choose(data, error=1e-7, exact_only=not options, **options)
        said = str(found.value)
        assert "Use the exact kernel, or ask for --error 0.0" in said
    asked = float(said.split("--error ")[1].split(",")[0])
    assert choose(data, error=asked, exact_only=True, check=False).best.features == pytest.approx(
        1e6, rel=0.8
    )


def stop_when_measured(label: str, done: int, total: int) -> None:
    if label == "sobol":
        raise TimeIsUp


def test_the_answer_stands_before_the_table() -> None:
    found = choose(table(4, 3), features=32, exact_only=True)
    lines = as_text(found).splitlines()
    best = found.best
    assert lines[1] == f"answer: {best.name} with {best.features} features, error {best.error:.4g}"
    assert lines[3].startswith("mechanism ")
    assert as_text(replace(found, stopped=1.0)).splitlines()[1].endswith(" (not confirmed, see below)")


def test_rows_far_out_and_constant_columns_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = table(60, 3)
    assert not choose(data, features=8, pairs=4, check=False, exact_only=True).outliers
    data[:2] *= 100
    data[:, 2] = 5.0
    np.save(tmp_path / "X.npy", data)
    command = ["choose", str(tmp_path / "X.npy"), "--features", "8", "--pairs", "4", "--exact-only"]
    main(command)
    text = capsys.readouterr().out
    main([*command, "--json"])
    said = json.loads(capsys.readouterr().out)["hints"]
    assert len(said) == 2
    assert all(line in text.splitlines() for line in said)
    assert "column 3 is constant" in said[0]
    assert "2 rows far out" in said[1]
    assert "--lengthscale" in said[1]


def test_rows_with_missing_values_are_left_out_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, keys = tmp_path / "gaps.csv", tmp_path / "qkv.npz"
    file.write_text(GAPS)
    command = ["choose", str(file), "--columns", "2,3,6", "--features", "8", "--pairs", "4", "--exact-only"]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert said.rstrip().endswith("--drop-missing leaves out 2 rows with missing values")
    main([*command, "--drop-missing"])
    text = capsys.readouterr().out
    assert "missing: 2 rows with missing values left out" in text.splitlines()
    assert " of 15 pairs" in text  # six rows
    main([*command, "--drop-missing", "--json"])
    assert json.loads(capsys.readouterr().out)["dropped"] == 2
    file.write_text("1,2\n3,inf\n")
    assert main(["choose", str(file), "--drop-missing"]) == 2
    assert "infinite" in capsys.readouterr().err
    q, k, v = table(12, 3), table(12, 3, seed=2), table(12, 2, seed=3)
    q[0, 0] = k[1, 1] = v[2, 0] = v[1, 0] = math.nan
    np.savez(keys, q=q, k=k, v=v)
    options = ["--attention", "--features", "16", "--pairs", "4", "--drop-missing", "--json"]
    main(["choose", str(keys), *options])
    found = json.loads(capsys.readouterr().out)
    assert found["dropped"] == 3  # a query, and two keys with their values
    assert found["attention"]["keys_total"] == 10


def test_the_error_of_a_sample_does_not_overflow_where_the_squares_of_squares_do():
    squares, target = np.array([2.0, 5.0, 3.0]), np.array([1.0, 2.0, 2.0])
    pairs = pairs_of(table(50, 2), lengthscale=1.0, count=3)
    expected = pairs.error_of(squares, target)
    assert expected > 0
    assert pairs.error_of(squares * 1e250, target * 1e250) == pytest.approx(expected, rel=1e-14)


def test_the_error_of_a_sample_counts_the_pairs_that_it_was_chosen_from() -> None:
    """512 pairs, spread over 4,096 of 124,750: from their neighbours alone, a fifth of their standard error."""
    data, found = table(500, 6), []
    for seed in range(60):
        pairs = pairs_of(data, lengthscale=3.0, count=512, seed=seed)
        kernel = np.exp(-((pairs.x - pairs.y) ** 2).sum(1) / 2)
        known = MapErrors(*(pairs.weights * one for one in (kernel**2, (1 - kernel**2) ** 2 / 2)), {})
        found.append((known.relative(64, {}), pairs.error_of(known.squares(64, {}), known.target)))
    errors, said = np.array(found).T
    assert 0.7 < said.mean() / (errors.std() / errors.mean()) < 1.4


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("kernel", ["gaussian", "softmax"])
def test_the_kernel_of_all_pairs_beside_that_of_some(
    kernel: str, both: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rftheory.choose.data.CHUNK", 7)  # less than a row of all pairs
    x, y = 0.5 * table(40, 3), 0.5 * table(30, 3, seed=1) if both else None
    pairs = pairs_of(x, y, kernel=kernel, lengthscale=0.7, count=64)
    every = pairs_of(x, y, kernel=kernel, lengthscale=0.7, count=10**4)
    expected = (exact_values(every, kernel) ** 2).mean()
    assert len(every.x) == every.total
    assert math.exp(pairs.log_square) == pytest.approx(expected, rel=1e-12)
    assert kernel_in_all(pairs, kernel) == pytest.approx(
        math.sqrt(expected / pairs.mean(exact_values(pairs, kernel) ** 2)), rel=1e-12
    )


def squares_of_rows(x: np.ndarray, y: np.ndarray, kernel: str) -> dict[str, np.ndarray]:
    """The square of the kernel, and squared errors of one row of three maps."""
    sums, apart, norms = ((x + y) ** 2).sum(1), ((x - y) ** 2).sum(1), (x**2).sum(1) + (y**2).sum(1)
    unit = norms if kernel == "softmax" else np.zeros(len(x))
    target = np.exp(unit - apart)
    return {"": target, "positive": target * np.expm1(sums), "trigonometric": np.exp(unit) * np.expm1(-apart) ** 2 / 2,
            "hyperbolic": target * np.expm1(sums) * -np.expm1(-sums) / 2}  # fmt: skip


@pytest.mark.parametrize("kernel", ["gaussian", "softmax"])
def test_few_pairs_that_carry_an_error_are_among_those_compared(kernel: str) -> None:
    """Of 400 rows three are far out, two near each other; pairs of equal chances missed them, and did not know it."""
    data = 0.4 * table(400, 4)
    data[:3] = [[3, 0, 0, 0], [3, 0.3, 0, 0], [0, -2.5, 0, 0]]
    i, j = np.triu_indices(len(data), 1)
    every = squares_of_rows(data[i], data[j], kernel)
    for name in ("positive", "hyperbolic", "trigonometric"):
        true, apart, plain = math.sqrt(every[name].sum() / every[""].sum()), [], []
        for seed in range(12):
            pairs = pairs_of(data, kernel=kernel, lengthscale=1.0, count=48, seed=seed)
            seen = squares_of_rows(pairs.x, pairs.y, kernel)
            squares, target = pairs.weights * seen[name], pairs.weights * seen[""]
            error = math.sqrt(squares.sum() / target.sum())
            said = math.hypot(pairs.error_of(squares, target), 1e-3)  # less is no matter
            apart.append((error / true - 1) / said)
            plain.append(seen[name].mean() / every[name].mean())
            assert error == pytest.approx(true, rel=0.15)
        assert np.sqrt(np.mean(np.square(apart))) < 1.7
        if (name, kernel) != ("trigonometric", "gaussian"):
            assert np.median(plain) > 1.5  # without the weights


def test_sizes_beyond_floats_and_none_at_all_are_answered() -> None:
    """Equal rows have no variance of waves; the size of one pair may leave no digits for the others."""
    for data in (np.ones((50, 3)), np.zeros((50, 3)), np.vstack([np.zeros((100, 3)), np.full((1, 3), 1e10)])):
        for kernel in ("gaussian", "softmax"):
            pairs = pairs_of(data, kernel=kernel, lengthscale=1.0, count=48)
            assert len(pairs.x) == 48
            assert 0 < pairs.weights.max() < 2
    far_out = pairs_of(np.vstack([table(200, 3), np.full((1, 3), 1e12)]), lengthscale=1.0, count=512)
    # one row leaves no digits for means
    assert kernel_in_all(far_out, "gaussian") == pytest.approx(1, abs=0.1)
    few = pairs_of(np.arange(20.0).reshape(10, 2), lengthscale=1.0, count=48)
    assert len(few.x) == few.total == 45
    assert (few.weights == 1).all()


def test_the_default_length_scale_given_the_pairs_are_the_same() -> None:
    found = pairs_of(table(100, 3))
    again = pairs_of(table(100, 3), lengthscale=found.lengthscale)
    assert (found.x == again.x).all()
    assert (found.weights == again.weights).all()


def test_of_too_many_pairs_a_sample_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    data = table(300, 3)
    (whole, some) = (pairs_of(data, lengthscale=2.0, count=48) for limit in (10**7, 10**4)
                     if monkeypatch.setattr("rftheory.choose.data.EVERY", limit) is None)  # fmt: skip
    ones = np.ones(48)
    assert some.log_square is None
    assert whole.log_square is not None
    assert 0 < (some.first == 1).mean() < 1  # pairs of long rows alone are sure to be taken
    for pairs in (whole, some):
        total = (1 / (pairs.first * pairs.second)).sum()
        assert total == pytest.approx(pairs.total, rel=0.4)
        assert pairs.error_of(pairs.weights * ones, pairs.weights * ones) == 0


@pytest.mark.parametrize("both", [False, True])
def test_of_too_many_pairs_those_of_the_longest_rows_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, both: bool
) -> None:
    monkeypatch.setattr("rftheory.choose.data.EVERY", 10**4)
    x = 0.4 * table(400, 4)
    x[[5, 9]] = [[3, 0, 0, 0], [2.5, 0.3, 0, 0]]
    y = x[::-1].copy() if both else None
    i, j = (one.ravel() for one in np.indices((400, 400))) if both else np.triu_indices(400, 1)
    every = squares_of_rows(x[i], (x if y is None else y)[j], "softmax")
    for name in ("positive", "trigonometric"):
        true = math.sqrt(every[name].sum() / every[""].sum())
        for seed in range(4):
            pairs = pairs_of(x, y, kernel="softmax", lengthscale=1.0, count=48, seed=seed)
            seen = squares_of_rows(pairs.x, pairs.y, "softmax")
            assert math.sqrt(pairs.mean(seen[name]) / pairs.mean(seen[""])) == pytest.approx(true, rel=0.15)
            assert (1 / (pairs.first * pairs.second)).sum() == pytest.approx(pairs.total, rel=0.4)


def test_data_far_from_their_spread_are_told_to_be_centred(recwarn: pytest.WarningsRecorder) -> None:
    """Columns of large whole numbers ended in the refusal of an ``x`` that nobody had named, after a warning."""
    far = 2.0**60 + 1024.0 * np.arange(400.0).reshape(100, 4)
    with pytest.raises(
        OutsideDomain, match=r"X: needs entries of at most .* subtract the mean of each column"
    ):
        pairs_of(far, lengthscale=256.0, count=6)
    assert pairs_of(far - far.mean(0), lengthscale=256.0, count=6).lengthscale == 256
    assert not recwarn.list
