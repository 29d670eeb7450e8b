"""Figures: the data behind them obey the theory, the files are the same bytes from run to run."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from rftheory.errors import UnknownName
from rftheory.exact.positive import prf_small_v_simrf
from rftheory.papers.figures import FIGURES, regenerate

FIG6 = FIGURES["simplex_fig6"]
# Ratios are rounded to nine digits.
ROUNDING = 1e-8


@pytest.fixture(scope="module")
def fig6() -> dict[str, Any]:
    return FIG6.data()


def problems(data: dict[str, Any]) -> list[str]:
    """What contradicts the theory in the data of Fig. 6: limits, order and range of the ratios."""
    v = data["v"]
    curves = data["ratio_to_iid"]
    orthogonal, simplex = curves["orthogonal"], curves["simplex"]
    prefactor = float(prf_small_v_simrf.enclose(12, d=64, m=64))
    found = []
    if any(a >= b for a, b in pairwise(v)) or not len(v) == len(simplex) == len(orthogonal):
        found.append("v does not increase, or lengths differ")
    # The next terms are of relative order v^2: 1e-6 at the first point.
    if abs(simplex[0] / prefactor - 1) > 100 * v[0] ** 2:
        found.append("SimRF does not start at the prefactor")
    if abs(orthogonal[0] - 1) > 100 * v[0] ** 2:
        found.append("ORF does not start at 1")
    if abs(simplex[-1] - 1) > ROUNDING or abs(orthogonal[-1] - 1) > ROUNDING:
        found.append("the ratios do not end at 1")
    if not all(0 < s <= o + ROUNDING and o <= 1 + ROUNDING for s, o in zip(simplex, orthogonal, strict=True)):
        found.append("not 0 < SimRF <= ORF <= IIDRF")
    # Where float sees any difference the inequality is strict.
    if not all(s < o < 1 for x, s, o in zip(v, simplex, orthogonal, strict=True) if x < 5):
        found.append("not strict for v < 5")
    return found


def test_fig6_obeys_the_theory(fig6: dict[str, Any]) -> None:
    assert problems(fig6) == []
    assert (fig6["v"][0], fig6["v"][-1]) == (0.001, 100)
    # 1 - sqrt(pi) 64! Gamma(32.5) / (Gamma(32) Gamma(33)^2 2^64), the 0.0078 of Sec. 5.1
    assert fig6["ratio_to_iid"]["simplex"][0] == pytest.approx(0.0077817, rel=1e-4)


def test_planted_errors_in_fig6_are_found(fig6: dict[str, Any]) -> None:
    ratios = fig6["ratio_to_iid"]
    exchanged = {"orthogonal": ratios["simplex"], "simplex": ratios["orthogonal"]}
    scaled = {**ratios, "simplex": [1.01 * r for r in ratios["simplex"]]}
    equal = {**ratios, "simplex": ratios["orthogonal"]}
    for wrong in (exchanged, scaled, equal):
        assert problems({**fig6, "ratio_to_iid": wrong})
    assert problems({**fig6, "v": fig6["v"][::-1]})


def test_fig6_draws_the_two_curves_from_the_data(fig6: dict[str, Any]) -> None:
    (axes,) = FIG6.draw(fig6).axes
    curves = [line for line in axes.get_lines() if len(line.get_xdata()) == len(fig6["v"])]
    assert [line.get_ydata()[0] for line in curves] == [
        fig6["ratio_to_iid"][name][0] for name in ("simplex", "orthogonal")
    ]
    assert len({line.get_color() for line in axes.get_lines()}) == 3
    labels = {text.get_text() for text in axes.texts}
    assert {"ORF", "SimRF"} <= labels
    low, high = axes.get_ylim()
    assert low < min(fig6["ratio_to_iid"]["simplex"])
    assert high > 1


def test_files_are_the_same_bytes_on_every_run(
    fig6: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = type(FIG6)(lambda: fig6, FIG6.draw)
    monkeypatch.setitem(FIGURES, "simplex_fig6", quick)
    first, second = (regenerate("simplex_fig6", tmp_path / name) for name in ("first", "second"))
    assert [path.suffix for path in first] == [".json", ".png", ".pdf", ".svg"]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name
    assert json.loads(first[0].read_text(encoding="utf-8")) == fig6
    # Other data give other files: the comparison can fail.
    fig6_changed = {
        **fig6,
        "ratio_to_iid": {**fig6["ratio_to_iid"], "simplex": fig6["ratio_to_iid"]["orthogonal"]},
    }
    monkeypatch.setitem(FIGURES, "simplex_fig6", type(FIG6)(lambda: fig6_changed, FIG6.draw))
    for one, other in zip(first, regenerate("simplex_fig6", tmp_path / "third"), strict=True):
        assert one.read_bytes() != other.read_bytes(), one.name


def test_an_unknown_figure_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown figure 'simplex_fig66'; did you mean 'simplex_fig6'"):
        regenerate("simplex_fig66", tmp_path)
