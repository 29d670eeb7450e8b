"""Every figure: named in the manifest, its stored data obey the theory, and it is drawn from them."""

from __future__ import annotations

import importlib
import json
import math
import tomllib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from matplotlib.text import Text

from rftheory.figures.compare import decided, markdown
from rftheory.figures.style import SIZES
from rftheory.papers.figures import FIGURES

FOLDER = Path(__file__).parents[2] / "paper_figures"
Data = dict[str, Any]


def stored(name: str) -> Data:
    content: Data = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return content


def conformities_fall(data: Data) -> bool:
    """IIDRF > ORF > SimRF >= SimRF+ >= the optimum for this draw."""
    sweeps = data["simplex_plus"]
    order = [data["iid"]["mean"], data["orthogonal"], data["simplex"], sweeps[-1], data["optimised"]]
    return all(a > b - 1e-9 for a, b in pairwise(order)) and sweeps[0] == data["simplex"]


def densities_are_densities(data: Data) -> bool:
    """They integrate to one, and the mean of f falls from IIDRF to SimRF."""
    means = []
    for values in data["density"].values():
        if abs(0.1 * sum(values) - 1) > 1e-6:
            return False
        means.append(0.1 * sum(p * f for p, f in zip(values, data["f"], strict=True)))
    return means[0] > means[1] > means[2]


def agrees(exact: list[float], measured: list[float], errors: list[float]) -> bool:
    """Each point lies within five standard errors of the exact value, and so does the sum of independent points."""
    gaps = [(m - e) / s for e, m, s in zip(exact, measured, errors, strict=True)]
    return all(abs(gap) < 5 for gap in gaps) and abs(sum(gaps)) < 5 * len(gaps) ** 0.5


def raised(curve: Data) -> Data:
    """Planted: the exact values are a tenth too large."""
    return {**curve, "exact": [1.1 * value for value in curve["exact"]]}


def gram_errors_agree(data: Data) -> bool:
    """Measured means agree with the exact ones, which are ordered; standard errors are below 2%."""
    columns = [[data[key][name] for key in ("exact", "measured", "standard_error")] for name in data["exact"]]
    rows = zip(*(data["exact"][name] for name in ("iid", "orthogonal", "simplex")), strict=True)
    sharp = all(s < 0.02 * e for exact, _, errors in columns for e, s in zip(exact, errors, strict=True))
    return sharp and all(agrees(*column) for column in columns) and all(a > b > c for a, b, c in rows)


def utilities_fall(data: Data) -> bool:
    """OPRF gains more the larger |x + y| is, and the less the larger d is."""
    curves = list(data["utility"].values())
    falls = all(a > b for curve in curves for a, b in pairwise(curve))
    return falls and all(a < b for one, other in pairwise(curves) for a, b in zip(one, other, strict=True))


def surfaces_have_their_slopes(data: Data) -> bool:
    """The trigonometric error is 0 at angle 0, the positive one at pi, that of the hybrid at both ends."""
    ends = {name: [(row[0], row[-1]) for row in rows] for name, rows in data["mse"].items()}
    return (
        all(first == 0 < last for first, last in ends["trigonometric"])
        and all(first > 0 == last for first, last in ends["positive, both signs"])
        and all(first == 0 == last for first, last in ends["angular hybrid"])
    )


def relative_errors_agree(data: Data) -> bool:
    """Measured errors agree with the exact ones, most of them to 3%; at small angles their tails are too heavy."""
    curves = [found for panel in data["panels"].values() for found in panel.values()]
    columns = [[found[key] for key in ("exact", "measured", "measured_error")] for found in curves]
    sharp = sum(s < 0.03 * e for exact, _, errors in columns for e, s in zip(exact, errors, strict=True))
    return sharp > 50 and all(agrees(*column) for column in columns)


def bounds_are_above(data: Data) -> bool:
    """The proved bound lies above what is observed, and below the printed one where that says anything."""
    rows = zip(*(data[k] for k in ("median", "quantile_99", "proved_bound", "printed_bound")), strict=True)
    return all(a < b < c and (d is None or c <= d) for a, b, c, d in rows)


def table_holds(*confirmed: tuple[str, str]) -> Callable[[Data], bool]:
    """Orderings follow from the rows, verdicts and differences from the numbers, and some are confirmed."""

    def obeys(data: Data) -> bool:
        ours = {(row["data"], row["mechanism"]): row for row in data["rows"]}
        for row in data["rows"]:
            if row.get("printed") and not differences_are_right(row):
                return False
        verdicts = {(o["says"], o["where"]): o for o in data["orderings"]}
        return all(ordering_is_right(o, ours) for o in data["orderings"]) and all(
            verdicts[key]["verdict"] == "confirmed" for key in confirmed
        )

    return obeys


def differences_are_right(row: Data) -> bool:
    gap = row["ours"] - row["printed"]
    errors = [row.get(k, 0) for k in ("printed_error", "ours_error", "spread_of_splits")]
    found = [gap / math.hypot(*errors), gap / math.hypot(*errors[:2])]
    return any(math.isclose(row["difference_in_errors"], f, rel_tol=1e-6) for f in found)


def ordering_is_right(o: Data, ours: dict[tuple[str, str], Data]) -> bool:
    """The difference is that of the rows, if it is between rows, and the verdict that of three standard errors."""
    difference = o["difference"]
    for sign, word in ((1, " > "), (-1, " below "), (1, " = ")):
        first, _, second = o["says"].partition(word)
        if (o["where"], first) in ours and (o["where"], second) in ours:
            gap = ours[o["where"], first]["ours"] - ours[o["where"], second]["ours"]
            if not math.isclose(sign * gap, difference, rel_tol=1e-6, abs_tol=1e-8):
                return False
    clear = abs(difference) > 3 * o["error"]
    if " = " in o["says"]:
        return bool(o["verdict"] == ("contradicted" if clear else "no difference seen"))
    named = "confirmed" if difference > 0 else "contradicted"
    return bool(o["verdict"] == (named if clear else "undecided"))


def exchanged(one: str, other: str) -> Callable[[Data], Data]:
    """Planted: the numbers of two mechanisms change places."""
    names = {one: other, other: one}

    def planted(data: Data) -> Data:
        rows = [{**row, "mechanism": names.get(row["mechanism"], row["mechanism"])} for row in data["rows"]]
        return {**data, "rows": rows}

    return planted


def accuracies_rise(data: Data) -> bool:
    """From m = d on to the exact kernel, and SimRF above ORF above IIDRF at m = d where v is small."""
    panels = data["panels"]
    below = all(
        max(values) < panel["exact"] for panel in panels.values() for values in panel["mean"].values()
    )
    means = {name: [v[0] for v in panel["mean"].values()] for name, panel in panels.items()}
    ordered = all(
        means[name][0] < means[name][1] < means[name][2] for name in ("wifi", "nursery", "banknote")
    )
    risen = all(
        values[0] < values[-1]
        for name in ("wifi", "nursery", "banknote", "abalone", "yeast", "chess", "cmc")
        for values in panels[name]["mean"].values()
    )
    return below and ordered and risen and all(o["verdict"] != "contradicted" for o in data["orderings"])


def peaks_are_peaks(data: Data) -> bool:
    """The peak is that of the curve, and the sigma of the printed v lies near it (in car the curve is flat)."""
    scales = data["parameters"]["sigma"]
    for name, panel in data["panels"].items():
        curve = panel["iid"]
        if scales[curve.index(max(curve))] != panel["peak_iid"]:
            return False
        ratio = panel["peak_iid"] / panel["sigma_of_printed_v"]
        if name != "car" and not 0.6 < ratio < 1.7:
            return False
    return True


def members_beat_their_families(data: Data) -> bool:
    """GERF contains TrigRF, PosRF and OPRF, OPRF contains PosRF; exact means lie near the measured ones."""
    for curves in data["regimes"].values():
        mean = {name: values["mean"] for name, values in curves.items()}
        for better, worse in (("GERF", "TrigRF"), ("GERF", "OPRF"), ("GERF", "PosRF"), ("OPRF", "PosRF")):
            if not all(a <= b + 1e-4 for a, b in zip(mean[better], mean[worse], strict=True)):
                return False
    return all(
        abs(o["difference"] - o["exact_mean_of_OPRF"]) < 5 * o["error"]
        for o in data["orderings"]
        if "exact_mean_of_OPRF" in o
    )


def cluster_errors_agree(data: Data) -> bool:
    """All measured errors agree with the exact ones, and but for the hybrid on s4 they are sharp."""
    panels = list(data["panels"].values())
    for panel in panels:
        for curve in panel["curves"].values():
            if not agrees(*(curve[key] for key in ("exact", "measured", "standard_error"))):
                return False
    blunt = [(k, method) for k, panel in enumerate(panels) for method, curve in panel["curves"].items()
             if any(s > 0.2 * e for e, s in zip(curve["exact"], curve["standard_error"], strict=True))]  # fmt: skip
    first = [panels[0]["curves"][name]["exact"][0] for name in ("Hybrid-Cluster", "FAVOR+", "Trigonometric")]
    ordered = first == sorted(first) and all(ordering_is_right(o, {}) for o in data["orderings"])
    return ordered and blunt == [(3, "Hybrid-Cluster")]


def distances_are_distances(data: Data) -> bool:
    """Positive features give no negative estimate, and distances fall with the number of features at length 1."""
    for panel in data["panels"].values():
        if any(panel["negative fraction"]["FAVOR+"]["mean"]):
            return False
    for metric in ("Wasserstein", "KS"):
        for values in data["panels"]["1"][metric].values():
            if not all(a > b > 0 for a, b in pairwise(values["mean"])):
                return False
    return all(ordering_is_right(o, {}) for o in data["orderings"])


def pair_errors_agree(data: Data) -> bool:
    """The table holds, and errors lie within five standard errors of the exact ones where these are known."""
    exact = [row for row in data["rows"] if "exact" in row]
    near = all(abs(r["ours"] - r["exact"]) < 5 * r["ours_error"] for r in exact)
    return len(exact) == 4 and near and table_holds()(data)


def exponents_are_those_of(sizes: str, counts: str, bounds: dict[str, float]) -> Callable[[Data], bool]:
    """The exponent between the last two sizes is that of the counts and below its bound."""

    def obeys(data: Data) -> bool:
        (*_, one, two) = data["parameters"][sizes]
        for row in data["rows"]:
            (*_, few, many) = data[counts][row["mechanism"]]
            found = math.log(many / few) / math.log(two / one)
            if abs(found - row["exponent_counted"]) > 1e-6 or found > bounds[row["mechanism"]]:
                return False
        return True

    return obeys


RULES: dict[str, tuple[Callable[[Data], bool], Callable[[Data], Data]]] = {
    "simplex_fig4": (conformities_fall, lambda d: {**d, "optimised": d["orthogonal"]}),
    "simplex_fig5": (
        densities_are_densities,
        lambda d: {**d, "density": {**d["density"], "simplex": d["f"]}},
    ),
    "simplex_fig7": (
        gram_errors_agree,
        lambda d: {**d, "exact": {**d["exact"], "simplex": [1.1 * e for e in d["exact"]["simplex"]]}},
    ),
    "simplex_fig8": (
        accuracies_rise,
        lambda d: {
            **d,
            "panels": {n: {**p, "exact": p["mean"]["simplex"][-1]} for n, p in d["panels"].items()},
        },
    ),
    "simplex_fig10": (
        peaks_are_peaks,
        lambda d: {**d, "panels": {n: {**p, "iid": p["exact"]} for n, p in d["panels"].items()}},
    ),
    "simplex_tab2": (
        table_holds(("SimRF > ORF", "wifi"), ("SimRF > ORF", "nursery"), ("SimRF+ > SimRF", "wifi")),
        exchanged("SimRF", "ORF"),
    ),
    "simplex_tab3": (
        table_holds(
            ("SimRF > ORF", "wifi"),
            ("SimRF > ORF", "nursery"),
            ("ORF > IIDRF", "banknote"),
            ("SimRF > IIDRF", "chess"),
        ),
        exchanged("SimRF", "IIDRF"),
    ),
    "simplex_tab1": (
        exponents_are_those_of(
            "d",
            "counts",
            {"ORF": 3, "SimRF": 3, "SimRF+": 3, "fast ORF": 1.16, "fast SimRF": 1.16, "fast SimRF+": 3},
        ),
        lambda d: {**d, "counts": {**d["counts"], "fast ORF": d["counts"]["ORF"]}},
    ),
    "chefs_fig2": (
        members_beat_their_families,
        lambda d: {**d, "regimes": {n: {**c, "GERF": c["PoisRF"]} for n, c in d["regimes"].items()}},
    ),
    "chefs_fig4": (
        exponents_are_those_of("L", "operations", {"softmax": 2, "FAVOR+": 1.001, "FAVOR++": 1.001}),
        lambda d: {**d, "operations": {**d["operations"], "FAVOR+": d["operations"]["softmax"]}},
    ),
    "chefs_tab1": (
        table_holds(("OPRF > PosRF", "average"), ("OPRF > GeomRF+", "average")),
        exchanged("OPRF", "PosRF"),
    ),
    "chefs_fig1": (utilities_fall, lambda d: {**d, "utility": dict(reversed(d["utility"].items()))}),
    "hybrid_fig1": (
        surfaces_have_their_slopes,
        lambda d: {**d, "mse": {**d["mse"], "positive, both signs": d["mse"]["trigonometric"]}},
    ),
    "hybrid_fig2": (
        relative_errors_agree,
        lambda d: {
            "panels": {r: {**p, "trigonometric": raised(p["trigonometric"])} for r, p in d["panels"].items()}
        },
    ),
    "hybrid_fig3": (
        distances_are_distances,
        lambda d: {
            **d,
            "panels": {
                n: {k: {**v, "FAVOR+": v["Trig"]} for k, v in p.items()} for n, p in d["panels"].items()
            },
        },
    ),
    "hybrid_fig6": (
        cluster_errors_agree,
        lambda d: {
            **d,
            "panels": {
                n: {"curves": {**p["curves"], "Hybrid-Cluster": raised(p["curves"]["Hybrid-Cluster"])}}
                for n, p in d["panels"].items()
            },
        },
    ),
    "hybrid_tab1": (pair_errors_agree, exchanged("HRF-iid", "ORF-reg")),
    "rahimi_recht_bound": (bounds_are_above, lambda d: {**d, "proved_bound": d["median"]}),
}


def test_the_manifest_names_every_figure() -> None:
    manifest = tomllib.loads((FOLDER / "figures.toml").read_text(encoding="utf-8"))
    assert list(manifest) == list(FIGURES)
    for name, entry in manifest.items():
        assert set(entry) == {"reproduces", "function", "data", "entry"}
        module, _, function = entry["function"].partition(":")
        assert getattr(importlib.import_module(module), function) is FIGURES[name].draw


def test_the_overview_names_every_figure_and_what_it_finds() -> None:
    overview = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name in FIGURES:
        assert f"[{name}]({name}.png)" in overview
        assert stored(name).get("finds", "") in overview
        assert (f"({name}.md)" in overview) == (FOLDER / f"{name}.md").exists()


@pytest.mark.parametrize("name", [name for name in FIGURES if name != "simplex_fig6"])
def test_stored_data_obey_the_theory_and_wrong_data_do_not(name: str) -> None:
    obeys, planted = RULES[name]
    data = stored(name)
    assert obeys(data)
    assert not obeys(planted(data))


def test_orderings_are_decided_by_their_standard_errors() -> None:
    """All but those of Chefs' Fig. 2, which are against printed numbers."""
    for name in (one for one in FIGURES if one != "chefs_fig2"):
        for row in stored(name).get("orderings", []):
            found = decided(row["difference"], row["error"])
            if row["says"].startswith("fast "):  # an equality
                found = "no difference seen" if found == "undecided" else "contradicted"
            assert row["verdict"] == found, (name, row)


def texts(value: Any) -> list[str]:
    """All texts in the data, at any depth."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return [value] if isinstance(value, str) else []


def number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", list(FIGURES))
def test_stored_numbers_are_numbers(name: str) -> None:
    assert not [text for text in texts(stored(name)) if number(text)]
    assert number("1e-3")
    assert texts({"a": ["1e-3", {"b": "2"}]}) == ["1e-3", "2"]


@pytest.mark.parametrize("name", list(FIGURES))
@pytest.mark.parametrize("size", ["column", "slide"])
def test_figures_fit_into_their_place(name: str, size: str) -> None:
    """Nothing reaches out of the figure or into a title, and no text is smaller than the place allows."""
    figure = FIGURES[name].draw(stored(name), size)
    place = SIZES[size]
    assert all(axes.get_ylabel() or len(figure.axes) > 1 for axes in figure.axes)
    # As they are saved: laid out once more.
    figure.get_layout_engine().execute(figure)
    width, height = figure.get_size_inches()
    assert width <= place.width
    box = figure.get_tightbbox()
    titled = [axes for axes in figure.axes if axes.get_title(loc="left")]
    assert not any(axes.yaxis.get_offset_text().get_text() for axes in titled)
    assert box.x0 > -0.02
    assert box.y0 > -0.02
    assert box.x1 < width + 0.02
    assert box.y1 < height + 0.02
    assert min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text()) >= 0.69 * place.text


def test_a_figure_that_does_not_fit_is_noticed() -> None:
    figure = FIGURES["simplex_fig6"].draw(stored("simplex_fig6"), "column")
    figure.text(0.9, 0.5, "far out " * 4, fontsize=3)
    figure.get_layout_engine().execute(figure)
    assert figure.get_tightbbox().x1 > figure.get_size_inches()[0] + 0.02
    assert min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text()) == 3


@pytest.mark.parametrize("name", list(FIGURES))
def test_files_of_a_figure_are_there(name: str) -> None:
    data = stored(name)
    assert data["claims"]
    assert data["differs"]
    text = FOLDER / f"{name}.md"
    assert text.read_text(encoding="utf-8") == markdown(data) if markdown(data) else not text.exists()
    for ending in ("png", "pdf", "svg"):
        assert (FOLDER / f"{name}.{ending}").stat().st_size > 1000
