"""Figures of *Simplex Random Features* (Reid et al., ICML 2023)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from rftheory.exact.conformity import angle_pair_density, iid_pair_density, orf_pair_density, zonal_mean
from rftheory.exact.fast import log_positive_mse
from rftheory.exact.positive import prf_mse_iid, prf_mse_orf, prf_mse_simrf
from rftheory.figures.style import COLOURS, NAMES, SETTINGS, band, label_end, new_figure, rounded
from rftheory.sample import Mechanism, Stream
from rftheory.sample.optimised import optimised_directions
from rftheory.sample.simplex_plus import simplex_plus_directions

Data = dict[str, Any]
THREE = ("iid", "orthogonal", "simplex")

# ---- Fig. 4: conformity for one draw of norms ----------------------------------------------------------

FIG4_DIMENSION = 6
FIG4_SWEEPS = 15
FIG4_COUPLINGS = 100


def fig4_data() -> Data:
    """Conformity (12) of five mechanisms for one draw of six norms, d = 6, v = 1 (Fig. 4)."""
    d, stream = FIG4_DIMENSION, Stream.named("paper_figures/simplex_fig4")
    norms = np.asarray(stream.child("norms").chis(range(1), d, d))[0]
    gaussian = np.asarray(stream.child("couplings").normals(range(FIG4_COUPLINGS), d * d)).reshape(-1, d, d)
    directions = gaussian / np.linalg.norm(gaussian, axis=-1, keepdims=True)
    independent = [_conformity(norms, rows) for rows in directions]
    simplex = np.eye(d) * d / (d - 1) - 1 / (d - 1)  # Gram matrix of the simplex
    sweeps = [_conformity_of_gram(norms, simplex)] + [
        _conformity(norms, simplex_plus_directions(norms, max_sweeps=n, tolerance=0.0).directions)
        for n in range(1, FIG4_SWEEPS + 1)
    ]
    return {
        "figure": "Simplex Random Features, Fig. 4",
        "claims": ["simplex.def3.1", "simplex.thm3.2"],
        "parameters": {
            "d": d,
            "v": 1,
            "norms": rounded(norms),
            "stream": stream.key,
            "couplings": FIG4_COUPLINGS,
        },
        "differs": "the paper does not state its draw of the norms; this is another one",
        "iid": {
            "mean": rounded(np.mean(independent)),
            "standard_deviation": rounded(np.std(independent, ddof=1)),
        },
        "orthogonal": rounded(_conformity_of_gram(norms, np.eye(d))),
        "simplex": rounded(sweeps[0]),
        "simplex_plus": rounded(sweeps),
        "optimised": rounded(_conformity(norms, optimised_directions(norms, 1.0))),
    }


def _conformity(norms: np.ndarray, directions: np.ndarray) -> float:
    return _conformity_of_gram(norms, directions @ directions.T)


def _conformity_of_gram(norms: np.ndarray, gram: np.ndarray) -> float:
    """Mean of f(w_ij, v) over pairs, each an enclosure."""
    first, second = np.triu_indices(norms.size, 1)
    squares = norms[first] ** 2 + norms[second] ** 2 + 2 * norms[first] * norms[second] * gram[first, second]
    lengths = np.sqrt(np.maximum(squares, 0.0))
    return float(np.mean([float(zonal_mean.enclose(12, d=norms.size, v=1, w=float(w))) for w in lengths]))


def fig4(data: Data) -> Figure:
    """Draw Fig. 4: conformity against iterations of SimRF+."""
    with matplotlib.rc_context(SETTINGS):
        figure, axes = new_figure()
        sweeps = [float(x) for x in data["simplex_plus"]]
        end = len(sweeps) - 1
        mean, deviation = (float(data["iid"][k]) for k in ("mean", "standard_deviation"))
        axes.axhspan(mean - deviation, mean + deviation, color=COLOURS["iid"], alpha=0.18, lw=0)
        levels = {"iid": mean, "orthogonal": float(data["orthogonal"]), "simplex": float(data["simplex"])}
        for name, level in levels.items():
            axes.axhline(level, color=COLOURS[name])
            axes.annotate(
                NAMES[name],
                (end, level),
                (-2, 4),
                textcoords="offset points",
                ha="right",
                color=COLOURS[name],
            )
        axes.plot(range(end + 1), sweeps, "o-", color=COLOURS["simplex+"], ms=3.5)
        axes.axhline(float(data["optimised"]), color="black", lw=1, ls=(0, (2, 2)))
        axes.annotate(
            "SimRF+ (dots) and numerical optimum (dotted)", (end, sweeps[-1]), (-2, -12),
            textcoords="offset points", ha="right", color=COLOURS["simplex+"],
        )  # fmt: skip
        low = min(*sweeps, float(data["optimised"]))
        axes.set(xlim=(0, end), ylim=(low - 0.12 * (mean - low), mean + 1.4 * deviation))
        axes.set_xlabel("iterations of SimRF+")
        axes.set_ylabel(r"$\hat\rho(\mathbf{x},\mathbf{y})$")
        axes.set_title("Conformity for one draw of norms, $d=6$, $v=1$")
        return figure


# ---- Fig. 5: densities of |w_i + w_j| ------------------------------------------------------------------

FIG5_DIMENSION = 6
FIG5_LENGTH = "1"


def fig5_data() -> Data:
    """Densities of the resultant, d = 6, and f(w, v) whose mean is the conformity (Fig. 5)."""
    d = FIG5_DIMENSION
    lengths = [Fraction(n, 10) for n in range(101)]
    densities = {
        "iid": [iid_pair_density.enclose(10, d=d, w=w) for w in lengths],
        "orthogonal": [orf_pair_density.enclose(10, d=d, w=w) for w in lengths],
        "simplex": [angle_pair_density.enclose(10, d=d, w=w, c=Fraction(-1, d - 1)) for w in lengths],
    }
    return {
        "figure": "Simplex Random Features, Fig. 5",
        "claims": ["simplex.lem4.1", "simplex.lem4.2", "simplex.def3.1"],
        "parameters": {"d": d, "v": FIG5_LENGTH, "w": "0 to 10, step 0.1"},
        "differs": "the paper states no v for f; v = 1 here",
        "w": [f"{float(w):g}" for w in lengths],
        "density": {name: [f"{float(x):.9g}" for x in values] for name, values in densities.items()},
        "f": [f"{float(zonal_mean.enclose(10, d=d, v=FIG5_LENGTH, w=w)):.9g}" for w in lengths],
    }


def fig5(data: Data) -> Figure:
    """Draw Fig. 5: three densities, and f on an axis of its own."""
    with matplotlib.rc_context(SETTINGS):
        figure, axes = new_figure()
        w = [float(x) for x in data["w"]]
        places = {"iid": (5.4, 0.13), "orthogonal": (4.55, 0.36), "simplex": (1.35, 0.52)}
        for name, values in data["density"].items():
            axes.plot(w, [float(x) for x in values], color=COLOURS[name])
            axes.text(*places[name], NAMES[name], color=COLOURS[name])
        axes.set(xlim=(0, 10), ylim=(0, 0.65))
        axes.set_xlabel(r"$w_{ij}=\|\mathbf{w}_i+\mathbf{w}_j\|_2$")
        axes.set_ylabel(r"density $p(w_{ij})$")
        axes.set_title("Densities of the resultant, $d=6$, and $f(w_{ij},v)$, $v=1$")
        other = axes.twinx()
        other.plot(w, [float(x) for x in data["f"]], color="black", lw=1, ls=(0, (4, 2)))
        other.spines["right"].set_visible(True)
        other.set(ylim=(0, 250))
        other.set_ylabel(r"$f(w_{ij},v)$, dashed")
        return figure


# ---- Fig. 6: ratios of exact errors --------------------------------------------------------------------

FIG6_DIMENSION = 64
FIG6_POINTS = 121


def fig6_data() -> Data:
    """Ratios of exact MSEs to that of IIDRFs against v, positive features, d = m = 64 (Fig. 6).

    The ratio depends on the data through v alone (Sec. 5.1); it is evaluated at x = y. The paper does not state m;
    m = d is the case in which its prefactor 0.0078 holds.
    """
    lengths = [Fraction(10) ** (i // 24 - 3) * _root(i % 24) for i in range(FIG6_POINTS)]
    ratios: dict[str, list[str]] = {"orthogonal": [], "simplex": []}
    for v in lengths:
        values: dict[str, Any] = {"v": v, "x": v / 2, "y": v / 2, "m": FIG6_DIMENSION}
        iid = prf_mse_iid.enclose(12, **values).midpoint
        for name, formula in (("orthogonal", prf_mse_orf), ("simplex", prf_mse_simrf)):
            ratio = formula.enclose(12, d=FIG6_DIMENSION, **values).midpoint / iid
            ratios[name].append(f"{float(ratio):.9g}")
    return {
        "figure": "Simplex Random Features, Fig. 6",
        "claims": ["simplex.thm3.2", "simplex.thm4.3", "simplex.lem4.1", "simplex.s5.ratio"],
        "parameters": {"d": FIG6_DIMENSION, "m": FIG6_DIMENSION, "v": "1e-3 to 1e2, 24 points a decade"},
        "differs": "the paper states no m; m = d here",
        "v": [f"{float(v):.9g}" for v in lengths],
        "ratio_to_iid": ratios,
    }


def _root(i: int) -> Fraction:
    """10^(i/24) to nine digits, exact from there on."""
    return Fraction(round(10 ** (i / 24) * 10**9), 10**9)


def fig6(data: Data) -> Figure:
    """Draw Fig. 6: exact MSE ratios, log-log."""
    with matplotlib.rc_context(SETTINGS):
        figure, axes = new_figure()
        v = [float(x) for x in data["v"]]
        axes.axhline(1, color=COLOURS["iid"], lw=1.2)
        for name, values in data["ratio_to_iid"].items():
            axes.plot(v, [float(x) for x in values], color=COLOURS[name])
        axes.set(xscale="log", yscale="log", xlim=(v[0], v[-1]), ylim=(5e-3, 1.6))
        axes.set_xlabel(r"$v=\|\mathbf{x}+\mathbf{y}\|_2$")
        axes.set_ylabel("MSE / MSE of IIDRFs")
        axes.set_title(f"Exact MSE ratios, positive features, $d=m={data['parameters']['d']}$")
        axes.text(
            2e-3, 1.08, NAMES["iid"] + " and, for small $v$, " + NAMES["orthogonal"], color=COLOURS["iid"]
        )
        axes.text(0.36, 0.6, NAMES["orthogonal"], color=COLOURS["orthogonal"])
        axes.text(2e-3, 9.2e-3, NAMES["simplex"], color=COLOURS["simplex"])
        return figure


# ---- Fig. 7: Gram matrices -----------------------------------------------------------------------------

FIG7_SIZE = 64
FIG7_BLOCKS = (1, 2, 4, 8, 16)
FIG7_REPEATS = 40


def fig7_data() -> Data:
    """Squared Frobenius error of the Gram matrix of 64 Gaussian points, d = 64, sigma = 0.1 (Fig. 7).

    The exact expectation for these points beside the mean over draws; standard errors are of the draws.
    """
    size = FIG7_SIZE
    stream = Stream.named("paper_figures/simplex_fig7")
    points = 0.1 * np.asarray(stream.child("points").normals(range(1), size * size)).reshape(size, size)
    squares = (points**2).sum(axis=1)
    kernel = np.exp(-((points[:, None] - points[None]) ** 2).sum(-1) / 2)
    sums = np.linalg.norm(points[:, None] + points[None], axis=-1)
    exact: dict[str, list[str]] = {}
    measured: dict[str, list[str]] = {}
    errors: dict[str, list[str]] = {}
    for name in THREE:
        laws, means, deviations = [], [], []
        for ratio in FIG7_BLOCKS:
            m = ratio * size
            mse = np.exp(log_positive_mse(name, size, m, sums, squares[:, None] + squares[None]))
            laws.append(mse.sum() / size**2)
            mechanism = Mechanism("positive", name, m)
            draws = mechanism.gram(stream.child(f"{name} {m}"), range(FIG7_REPEATS), points, points)
            found = ((np.asarray(draws) - kernel) ** 2).sum(axis=(1, 2)) / size**2
            means.append(found.mean())
            deviations.append(found.std(ddof=1) / FIG7_REPEATS**0.5)
        exact[name], measured[name], errors[name] = rounded(laws), rounded(means), rounded(deviations)
    return {
        "figure": "Simplex Random Features, Fig. 7",
        "claims": ["simplex.thm3.2", "simplex.cor3.3.corrected"],
        "parameters": {"N": size, "d": size, "sigma": 0.1, "repeats": FIG7_REPEATS, "stream": stream.key},
        "differs": "points and number of repeats are not stated; the sum of squares is drawn, not its root",
        "m_over_d": list(FIG7_BLOCKS),
        "exact": exact,
        "measured": measured,
        "standard_error": errors,
    }


def fig7(data: Data) -> Figure:
    """Draw Fig. 7: exact expectations as lines, measured means with bars of two standard errors."""
    with matplotlib.rc_context(SETTINGS):
        figure, axes = new_figure()
        ratios = data["m_over_d"]
        for name in THREE:
            band(
                axes,
                ratios,
                data["exact"][name],
                data["measured"][name],
                data["standard_error"][name],
                COLOURS[name],
            )
            label_end(axes, NAMES[name], ratios[-1], float(data["exact"][name][-1]), COLOURS[name])
        axes.set(xscale="log", yscale="log", xticks=ratios, xticklabels=[str(r) for r in ratios])
        axes.minorticks_off()
        axes.set_xlabel("number of features $m/d$")
        axes.set_ylabel(r"$\|\mathbf{K}-\hat{\mathbf{K}}\|_F^2\,/\,d^2$")
        axes.set_title(r"Error of the Gram matrix, $N=d=64$, $\sigma=0.1$")
        return figure


__all__ = ["fig4", "fig4_data", "fig5", "fig5_data", "fig6", "fig6_data", "fig7", "fig7_data"]
