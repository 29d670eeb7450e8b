"""Diagnoses of the law of one row: which law do norms, coordinates and means follow instead of the promised one?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from rftheory.check.diagnosis import FITS, STANDARD_ERRORS, Diagnosis, fit, refuted
from rftheory.check.findings import Finding
from rftheory.check.measures import FLOAT32_GAP, MatrixMeasures

ENOUGH = 256
"""The fewest calls before a law is said to fit; with fewer, many laws fit."""
OTHER_SPREAD = 0.35
"""Relative error of the variance of |w|^2 from which on norms that depend on each other do not have the right law."""
CORRELATED = 9.0
"""Standard errors from which on the largest correlation of all pairs of rows is not chance."""
CERTAIN = 1e-9
"""A mean with a p-value below this is not 0: as certain as a refutation, for one statistic."""


def mean_offset(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    shift = _exact_shift(m) if refuted(findings, "coupling", word="angles") else None
    if shift is None:
        if not refuted(findings, "marginal", "directions", "unbiasedness") or m.off_centre > CERTAIN:
            return None
        if m.calls < ENOUGH:
            return None
        mean = m.mean_rows
        shift = mean.mean(0)
        noise = np.sqrt(m.sum_squares / m.calls / m.calls)
        if float((np.abs(mean - shift) / noise).max()) > 6:
            return None
    size = float(np.linalg.norm(shift))
    sentence = (
        f"all rows are shifted by the same vector, of norm {size:.3g}: a mean is added to the weights, uniform values "
        "are not centred, or the two halves of a law are not drawn alike. cos features estimate the kernel times the "
        "cosine of a phase; sin and exp features are biased"
    )
    closed = "E cos(w.z) = exp(-|z|^2/2) cos(mu.z), E exp(w.v) = exp(|v|^2/2 + mu.v)"
    return Diagnosis("mean-offset", sentence, closed, {"norm of the shift": size})


def _exact_shift(m: MatrixMeasures) -> np.ndarray | None:
    """The vector without which the rows of the last call have right angles, as promised; None if there is none.

    v_i.v_j = 0 for rows w_i = v_i + mu means w_i.w_j = mu.(w_i + w_j) - |mu|^2: linear equations for mu and |mu|^2,
    twice as many as unknowns or more. So a shift is seen that is too small for means.
    """
    case, w = m.case, m.last
    i, j = (m.compared[k] for k in np.nonzero(m.pairs(inside=True)))
    if w is None or case.coupling.cosine(case.d) != 0 or len(i) < 2 * (case.d + 1):
        return None
    sides = np.concatenate([w[i] + w[j], np.full((len(i), 1), -1.0)], axis=1)
    products, scale = (w[i] * w[j]).sum(1), np.linalg.norm(w[i], axis=1) * np.linalg.norm(w[j], axis=1)
    if (scale == 0).any():
        return None
    found = np.linalg.lstsq(sides / scale[:, None], products / scale, rcond=None)[0]
    gap, left = (float(np.abs(x / scale).max()) for x in (products, products - sides @ found))
    shift: np.ndarray = found[:-1]
    return shift if left < min(FLOAT32_GAP, gap / 10) and gap > FLOAT32_GAP else None


def anisotropic(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not refuted(findings, "marginal", "directions", "unbiasedness") or m.calls < ENOUGH:
        return None
    d, n = m.case.d, m.calls * len(range(m.case.m)[m.case.leads])
    own, pairs = m.lead_squares / n, m.lead_pairs / n
    variances = np.maximum(
        m.lead_fourths - m.lead_squares**2 / m.calls, 0
    )  # of the sums; rows may have long tails
    spread = (1 + STANDARD_ERRORS) * float(np.sqrt(variances).max()) / n
    worst, seen = int(np.abs(pairs - own).argmax()), refuted(findings, "directions", word="second moments")
    if seen and float(np.abs(own - own.mean()).max()) > spread:
        what = f"coordinates have mean squares from {own.min():.3g} (number {int(own.argmin())}) to {own.max():.3g}"
    elif seen and abs(float(pairs[worst] - own[worst])) > spread:
        what = f"coordinates {worst} and {(worst + 1) % d} are correlated ({float(pairs[worst] - own[worst]):+.3g})"
    else:
        if not prefers_axes(m) or refuted(findings, "marginal", word="means of the entries"):
            return None
        gaps = _of_axes(m)
        one, other = _largest(gaps)
        what = f"d u_{one} u_{other} has the mean {gaps[one, other] + (one == other):.3g} for unit rows u"
    sentence = (
        f"rows are not isotropic: {what}, although the covariance should be the identity. The estimated kernel "
        "has different length scales along the axes"
    )
    return Diagnosis("anisotropic", sentence, "E cos(w.z) = exp(-z.C z/2), C the covariance of a row")


def truncated(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Normal coordinates, or chi norms, within a bound that the promised law would have exceeded."""
    if not m.case.row.gaussian or m.calls < ENOUGH:
        return None
    if refuted(findings, "marginal", word="largest coordinates"):
        values, law = np.abs(m.over["lead"]).ravel(), _absolute_normal
        edge = float(m.over["largest_coordinate"].max())
        each, top = len(range(m.case.m)[m.case.leads]) * m.case.d, float(law(edge))
        atom, largest = float((values > 0.9999 * edge).mean()), m.over["largest_coordinate"]
        # clipped values have an atom at the edge; others have a largest one whose law follows
        whole = atom > (1 - top) / 2 or fit(largest, lambda x: (law(x) / top) ** each) > FITS
        if whole and _cut_off(values, law, edge, m.calls * each):
            return _cut_sentence("coordinates", edge, 1 - top, atom)
    if refuted(findings, "marginal", word="largest |w|^2"):
        values, law = m.squares.ravel(), partial(special.chdtr, m.case.d)
        edge = float(values.max())
        if _cut_off(values, law, edge, len(values)):
            atom = float((values > 0.9999 * edge).mean())
            return _cut_sentence("norms", math.sqrt(edge), float(special.chdtrc(m.case.d, edge)), atom)
    return None


def _absolute_normal(x: float | np.ndarray) -> Any:
    """The distribution function of |Z|."""
    return special.erf(x / math.sqrt(2))


def _cut_off(values: np.ndarray, law: Callable[..., Any], edge: float, count: int) -> bool:
    """Whether values, some of ``count`` that were drawn, follow the law within an edge that many should exceed."""
    inside = values[values < 0.9999 * edge]
    top = float(law(edge))
    return count * (1 - top) > 8 and len(inside) > 64 and fit(inside, lambda x: law(x) / top) > FITS


def _cut_sentence(what: str, edge: float, chance: float, atom: float) -> Diagnosis:
    how = "clipped to" if atom > chance / 2 else "drawn again beyond"
    sentence = (
        f"the {what} are {how} {edge:.3g}: one in {1 / chance:.3g} should be larger, and none is. "
        "Features of inputs of large norm, which depend on these tails, are biased. Use unbounded normal values"
    )
    return Diagnosis("tails-truncated", sentence, evidence={"bound": edge, "probability beyond": chance})


def coordinate_law(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Independent coordinates of variance 1 that are not normal, in rows whose norms follow from them."""
    case = m.case
    if not case.row.gaussian or case.coupling.angle != "free" or m.calls < ENOUGH:
        return None
    if not any(refuted(findings, "marginal", word=word) for word in ("variance of", "w . a")):
        return None
    fourth = m.fourth_moment
    excess = fourth - 3
    if abs(excess) < 3 * math.sqrt(96 / (m.calls * case.m * case.d)) or not _coordinates_independent(m):
        return None
    freedom = f", as of a Student t with {4 + 6 / excess:.0f} degrees of freedom" if 0.02 < excess < 6 else ""
    uniform = ", as of uniform values" if abs(excess + 1.2) < 0.1 else ""
    sentence = (
        f"the coordinates are not normal: their fourth moment is {fourth:.3g} instead of 3{freedom}{uniform}. "
        "Directions are not uniform and the kernel is not radial; cos features hardly show it, exp features of "
        "large inputs do"
    )
    closed = f"log E exp(w.v) = |v|^2/2 {'-' if excess < 0 else '+'} {abs(excess) / 24:.3g} sum_j v_j^4 + ..."
    return Diagnosis("coordinate-law", sentence, closed, {"fourth moment": fourth})


def _coordinates_independent(m: MatrixMeasures) -> bool:
    """Whether the variance of |w|^2 is closer to that of independent coordinates than to that of a radial law."""
    d, squares = m.case.d, m.squares / m.squares.mean() * m.case.d
    variance = float(squares.var())
    radial = 3 * (d * d + variance) / (d * (d + 2)) - 1  # variance of a squared coordinate
    own = m.fourth_moment - 1
    return d == 1 or abs(variance / (d * own) - 1) < abs(radial - own)


def norm_law(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Norms with the wrong spread, although directions are right."""
    if not m.case.row.gaussian or m.calls < ENOUGH or not refuted(findings, "marginal", word="|w|^2"):
        return None
    if refuted(findings, "directions", word="cosine") or prefers_axes(m):
        return None
    if norms_hang_together(m) or (m.case.coupling.angle == "free" and _coordinates_independent(m)):
        return None
    d, squares = m.case.d, m.squares
    mean, variance = float(squares.mean()), float(squares.var())
    if mean <= 0 or abs(variance / (2 * d) - 1) < 0.01:
        return None
    if refuted(findings, "marginal", word="mean of |w|^2") and any(
        spread_gap(squares.ravel(), claimed) < STANDARD_ERRORS
        and fit(scaled, partial(special.chdtr, freedom)) > FITS
        for claimed, scaled, freedom in (
            (2 * mean, squares.ravel(), max(1, round(mean))),
            (2 * mean**2 / d, squares.ravel() * (d / mean), d),
        )
    ):  # other degrees of freedom or another scale; more draws will tell
        return None
    freedom = 2 * mean**2 / variance
    near = round(freedom)
    fits = near >= 1 and near != d and fit(squares.ravel() * near / mean, partial(special.chdtr, near)) > FITS
    which = f" chi with {near} degrees of freedom, rescaled," if fits else ""
    sentence = (
        f"the norms follow another law:{which} |w|^2 has mean {mean:.4g} and variance {variance:.4g}, not {d} and "
        f"{2 * d} as for a Gaussian vector{_row_by_row(m)}. Directions are right. Draw sqrt(chisquare(df=d))"
    )
    closed = "E cos(w.z) = E 0F1(; d/2; -|w|^2 z^2/4)"
    return Diagnosis("norm-law", sentence, closed, {"mean": mean, "variance": variance})


def spread_gap(values: np.ndarray, variance: float) -> float:
    """The number of standard errors between the variance of independent values and a claimed one."""
    own = float(values.var())
    fourth = float(((values - values.mean()) ** 4).mean())
    return abs(own - variance) / math.sqrt(max(fourth - own**2, 1e-300) / len(values))


def spreads_as_chi(squares: np.ndarray, d: int) -> bool:
    """Whether the variance of squared norms is that of scaled chi squared values, in standard errors of these.

    Rows with a few long ones pass a Kolmogorov-Smirnov test much longer.
    """
    ratio = float(squares.var()) / (2 * float(squares.mean()) ** 2 / d)
    return abs(ratio - 1) < STANDARD_ERRORS * math.sqrt((2 + 12 / d) / len(squares))


def quasi_random(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Points whose averages in a call vary far less than those of independent points."""
    case = m.case
    if (
        case.coupling.angle != "free"
        or case.m < 4
        or m.calls < ENOUGH
        or not refuted(findings, "coupling", "blocks")
    ):
        return None
    ratio = m.unevenness
    if ratio > 0.3:
        return None
    sentence = (
        "the rows of a call are not independent but spread evenly, like quasi-random points: averages of "
        f"Phi(w_1) have {ratio:.2g} times the variance of independent rows. This does no harm if rows are only "
        "averaged, but tests and standard errors for independent rows are wrong. If they are such points, declare "
        "--as halton or --as sobol; rows that cancel, as those of simplices do, are as even"
    )
    return Diagnosis("quasi-random", sentence, evidence={"ratio of variances": ratio})


def norms_hang_together(m: MatrixMeasures) -> bool:
    """Whether mean squares of norms vary more between calls than those of independent norms with any law.

    Of norms that are promised to be shared, one counts.
    """
    squares = m.over["squares"][:, m.compared[m.own_norms]]
    rows = squares.shape[1]
    ratio = rows * float(squares.mean(1).var()) / max(float(squares.var()), 1e-300)
    return rows > 1 and ratio > 1 + 2 * STANDARD_ERRORS * math.sqrt(2 / m.calls)


def lengths_unequal(m: MatrixMeasures) -> bool:
    """Whether some rows are longer than others, so that no scale and no degrees of freedom are those of all."""
    squares = m.over["squares"][:, m.compared[m.own_norms]]
    rows, variance = squares.shape[1], max(float(squares.var(0).mean()), 1e-300)
    scatter = m.calls * rows * float(squares.mean(0).var()) / variance
    return rows > 1 and float(special.chdtrc(rows - 1, scatter)) < FITS


def _row_by_row(m: MatrixMeasures) -> str:
    """The shortest and the longest row, if their lengths are unequal."""
    if not lengths_unequal(m):
        return ""
    means = m.sum_squares.sum(1) / m.calls
    ends = (f"{means[i]:.4g} (row {i})" for i in (int(means.argmin()), int(means.argmax())))
    return f"; rows differ, with means from {' to '.join(ends)}"


def rows_correlated(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Rows declared independent, or in different blocks, whose mean cosine is not 0, or whose axes are near."""
    d = m.case.d
    if not refuted(findings, "coupling", "blocks", word="cosine") or d < 2 or m.calls < ENOUGH:
        return None
    chosen = m.pairs(inside=False) | m.independent_axes
    score = np.where(chosen, m.cosines / np.sqrt(np.maximum(m.cosine_squares, 1e-300)), 0.0)
    (i, j), cosine = _largest(score), m.cosines / m.calls
    if abs(score[i, j]) >= CORRELATED:
        how, evidence = f"the mean cosine of rows {{}} and {{}} is {cosine[i, j]:+.3g}", "mean cosine"
        value, part = float(cosine[i, j]), "as if a part of a row were carried over to another"
    else:
        excess = np.where(chosen, d * m.cosine_squares / m.calls - 1, 0.0)
        i, j = _largest(excess)
        noise = math.sqrt(2 * (d - 1) / (d + 2) / m.calls)
        if excess[i, j] < CORRELATED * noise or excess[i, j] < 2 * _alike(m):
            return None
        value, evidence = float(m.cosine_squares[i, j] / m.calls), "mean squared cosine"
        how = (
            f"the squared cosine of rows {{}} and {{}} has the mean {value:.3g} instead of 1/d = {1 / d:.3g}"
        )
        part = "as if a part of a row were carried over to another with a random sign"
    sentence = (
        f"rows that should be independent are correlated: {how.format(m.compared[i], m.compared[j])}, {part}. Each row "
        "alone is right, so means are too; squared errors are not. Draw every row from new values"
    )
    return Diagnosis("rows-correlated", sentence, evidence={evidence: value})


def prefers_axes(m: MatrixMeasures) -> bool:
    """Whether directions are not isotropic, whatever the norms and however rows of a call depend on each other."""
    return m.case.d > 1 and float(np.abs(_of_axes(m)).max()) * math.sqrt(m.calls) > CORRELATED


def _of_axes(m: MatrixMeasures) -> np.ndarray:
    """d E u u^T - I for the directions u of the first rows of blocks: products of entries vary by less than 2."""
    found: np.ndarray = m.case.d * m.lead_axes / max(float(np.trace(m.lead_axes)), 1e-300) - np.eye(m.case.d)
    return found


def _alike(m: MatrixMeasures) -> float:
    """By how much the mean squared cosine of independent rows exceeds 1/d, relatively, if these are not isotropic."""
    return float((_of_axes(m) ** 2).sum()) / m.case.d


def _largest(score: np.ndarray) -> tuple[int, int]:
    i, j = np.unravel_index(int(np.abs(score).argmax()), score.shape)
    return int(i), int(j)


def norms_dependent(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not m.case.coupling.norms or not m.case.row.radial or m.calls < ENOUGH:
        return None
    correlation = np.triu(m.norm_correlations, k=1)
    i, j = np.unravel_index(int(np.abs(correlation).argmax()), correlation.shape)
    if not norms_hang_together(m) and abs(correlation[i, j]) * math.sqrt(m.calls) < CORRELATED:
        return None
    if not refuted(findings, "marginal", "coupling", "blocks", word="norms") and not refuted(
        findings, "marginal", word="|w|^2"
    ):
        return None
    if abs(float(m.over["squares"].var()) / (2 * m.case.d) - 1) > OTHER_SPREAD:
        return _call_factor(float(correlation[i, j])) if norms_hang_together(m) else None
    if any(fit(one, m.case.row.norm_square_cdf) < FITS / m.case.m for one in m.over["squares"].T):
        return None
    sentence = (
        f"norms of different rows depend on each other (rows {m.compared[i]} and {m.compared[j]}: rank correlation "
        f"{correlation[i, j]:+.3g}), while each alone has the right law as far as is seen: then means are right, but "
        "variances are not. Draw every norm independently"
    )
    return Diagnosis("norms-dependent", sentence, evidence={"rank correlation": float(correlation[i, j])})


def _call_factor(correlation: float) -> Diagnosis:
    sentence = (
        "norms of different rows depend on each other, and none has the right law, as if one random factor multiplied "
        f"all rows of a call (largest rank correlation {correlation:+.3g}). Means and variances are wrong. Look for a "
        "factor that is drawn once a call"
    )
    return Diagnosis("call-factor", sentence, evidence={"rank correlation": correlation})


def fits_scaled(m: MatrixMeasures, scale: float) -> bool:
    """Whether the largest coordinate is large enough for normal coordinates of this scale."""
    if not m.case.coupling.rows:
        return True
    largest = m.over["largest_coordinate"]
    count = len(largest) * len(range(m.case.m)[m.case.leads]) * m.case.d
    chance = 2 * float(special.ndtr(-float(largest.max()) / scale))
    return math.exp(count * math.log1p(-min(chance, 0.5))) > FITS


LAWS = (
    quasi_random,
    mean_offset,
    rows_correlated,
    norms_dependent,
    truncated,
    anisotropic,
    coordinate_law,
    norm_law,
)
