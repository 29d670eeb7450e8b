"""Kernel regression: with random features it tends to the exact kernel, and it never forms an N x N matrix."""

from __future__ import annotations

import numpy as np
import pytest

from rftheory.figures import regression
from rftheory.figures.compare import beside, decided, equality, markdown, ordering
from rftheory.figures.regression import accuracies, class_scores, exact_accuracy
from rftheory.figures.style import printed_beside
from rftheory.sample import DiscreteMechanism, Mechanism, Poisson, Stream
from rftheory.sample.features import Terms

STREAM = Stream.named("tests/figures/regression")


def points(count: int, d: int, label: str) -> np.ndarray:
    return np.asarray(STREAM.child(label).normals(range(count), d))


@pytest.mark.parametrize("name", ["positive", "trigonometric"])
@pytest.mark.parametrize("coupling", ["iid", "simplex"])
def test_scores_are_the_sums_of_the_kernel_matrix(name: str, coupling: str) -> None:
    """Up to one positive factor for each test object, and whatever the parts in which the rows are taken."""
    train, test = points(50, 3, "train"), points(7, 3, "test")
    members = np.eye(4)[np.arange(50) % 4]
    mechanism = Mechanism(name, coupling, 8)
    matrices = mechanism.gram(STREAM, range(2), test, train, "gaussian", via="matrix")
    wanted = matrices @ members
    for rows in (4096, 13):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(regression, "ROWS", rows)
            found = class_scores(mechanism, STREAM, range(2), train, members, test)
        ratios = found / wanted
        assert np.allclose(ratios, ratios[..., :1], rtol=1e-9)
        assert (ratios > 0).all()


def test_signs_of_discrete_features_are_kept() -> None:
    train, test = points(40, 3, "train"), points(5, 3, "test")
    members = np.eye(2)[np.arange(40) % 2]
    mechanism = DiscreteMechanism(Poisson(0.7), 16)
    wanted = mechanism.gram(STREAM, range(1), test, train) @ members
    ratios = class_scores(mechanism, STREAM, range(1), train, members, test) / wanted
    assert np.allclose(ratios, ratios[..., :1], rtol=1e-9)
    assert (ratios > 0).all()


def test_accuracies_tend_to_the_exact_kernel() -> None:
    train, test = points(300, 2, "train"), points(200, 2, "test")
    classes, wanted = (train[:, 0] > 0).astype(int), (test[:, 0] > 0).astype(int)
    exact = exact_accuracy(train, classes, test, wanted)
    many = accuracies(Mechanism("positive", "orthogonal", 2048), STREAM, 4, train, classes, test, wanted)
    few = accuracies(Mechanism("positive", "orthogonal", 2), STREAM, 64, train, classes, test, wanted)
    assert exact > 0.95
    assert abs(many.mean() - exact) < 0.03 < exact - few.mean()


def test_no_array_is_as_large_as_rows_times_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """With N training objects no array of the approximation has N^2 elements, and N enters once."""
    largest = 0
    real = regression._spelled

    def watched(terms: Terms) -> tuple[np.ndarray, np.ndarray | None]:
        nonlocal largest
        found = real(terms)
        largest = max(largest, found[0].size)
        return found

    monkeypatch.setattr(regression, "_spelled", watched)
    count, m = 3000, 16
    train = points(count, 3, "many")
    classes = np.arange(count) % 2
    accuracies(Mechanism("positive", "iid", m), STREAM, 1, train, classes, train, classes)
    assert largest == count * m
    assert largest < count**2


def test_differences_are_in_standard_errors() -> None:
    values = np.array([0.5, 0.6, 0.7, 0.6])
    found = beside("0.70", "0.03", values)
    spread = values.std(ddof=1)
    total = (0.03**2 + spread**2 / 4 + spread**2) ** 0.5
    assert found["difference_in_errors"] == pytest.approx(-0.1 / total, rel=1e-6)
    assert ordering("a > b", "x", values)["verdict"] == "confirmed"
    assert ordering("a > b", "x", -values)["verdict"] == "contradicted"
    assert ordering("a > b", "x", values - 0.6)["verdict"] == "undecided"
    assert equality("a = b", "x", values - 0.6)["verdict"] == "no difference seen"
    assert equality("a = b", "x", values)["verdict"] == "contradicted"
    assert decided(0.0, 0.0) == "undecided"


def test_tables_become_text() -> None:
    data = {"figure": "F", "differs": "d", "rows": [{"data": "a", "ours": 0.123456789, "agrees": True}]}
    text = markdown(data)
    assert "| a | 0.1235 | yes |" in text
    assert markdown({"figure": "F", "differs": "d"}) == ""


def test_tables_show_standard_errors_beside_the_numbers() -> None:
    rows = [{"data": "a", "ours": 14.94, "ours_error": 2.011, "exact": 15.0}, {"data": "b", "ours": 3.0}]
    text = markdown({"figure": "F", "differs": "d", "rows": rows})
    assert "| data | ours | exact |" in text
    assert "| a | 14.94 ± 2 | 15 |" in text
    assert "| b | 3 | – |" in text


def test_every_mean_has_its_bar_and_its_law() -> None:
    rows = [{"data": "a", "mechanism": name, "ours": 60.0, "ours_error": error, "spread_of_splits": 1.0, "exact": 32.0}
            for name, error in (("sure", 2.0), ("unsure", 40.0))]  # fmt: skip
    axes = printed_beside(rows, {"sure": "#0072b2", "unsure": "#d55e00"}, "T", "page", log=True).axes[0]
    low = axes.get_ylim()[0]
    bars = [segment for c in axes.collections for segment in c.get_segments()]
    ends = sorted((float(y[0]), float(y[1])) for y in (segment[:, 1] for segment in bars))
    assert ends == [(pytest.approx(low), 140.0), (56.0, 64.0)]
    faces = [line.get_markerfacecolor() for line in axes.lines if line.get_marker() == "o"]
    assert faces.count("white") == 1
    assert sum(list(line.get_ydata()) == [32.0, 32.0] for line in axes.lines) == 2
