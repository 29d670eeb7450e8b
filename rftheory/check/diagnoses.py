"""Named diagnoses: from a pattern of refuted tests to a plain sentence with its consequence and the size of the bias.

A diagnosis is named only if something was refuted at the family-wise level *and* its own discriminating statistic
fits: a fact that does not depend on chance (signs, equal norms, orthogonal columns), or a law that the draws follow
instead of the promised one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from scipy import special

from rftheory.check import laws, row_laws, structures
from rftheory.check.diagnosis import FITS, ROUNDING, STANDARD_ERRORS, SURE, Diagnosis, fit, percent, refuted
from rftheory.check.findings import Finding
from rftheory.check.measures import FLOAT32_GAP, EstimateMeasures, MatrixMeasures, Pair, hadamard_like, trend
from rftheory.check.properties import variance
from rftheory.check.properties.blocks import repeated_share
from rftheory.check.properties.marginal import scale
from rftheory.check.properties.unbiasedness import kernel, law_of
from rftheory.judge import Outcome


def of_matrices(m: MatrixMeasures, findings: Sequence[Finding]) -> list[Diagnosis]:
    """The diagnoses that fit the draws of a weight matrix, without those caused by another one."""
    ignored = structures.seed_ignored(findings)
    return _of_draws(m, findings) + ([ignored] if ignored else [])


def _of_draws(m: MatrixMeasures, findings: Sequence[Finding]) -> list[Diagnosis]:
    if not refuted(findings):
        return []
    for look in (*structures.RECUR, _draws_repeated):  # each of these hides the defects sought below
        found = look(m, findings)
        if found is not None:
            return [found]
    facts = [d for look in (*structures.FACTS, *_FACTS) if (d := look(m, findings)) is not None]
    return _without_effects(facts or _of_laws(m, findings))


def _of_laws(m: MatrixMeasures, findings: Sequence[Finding]) -> list[Diagnosis]:
    """The laws that fit; of those that fit too easily, which are tried last, only the first."""
    found = [d for look in _LAWS if (d := look(m, findings)) is not None]
    if found:
        return found
    last = (d for look in row_laws.LAWS if (d := look(m, findings)) is not None)
    return [first] if (first := next(last, None)) is not None else []


def _without_effects(found: list[Diagnosis]) -> list[Diagnosis]:
    names = {d.name for d in found}
    hidden = set().union(*(effects for cause, effects in _EXPLAINS.items() if cause in names))
    return [d for d in found if d.name not in hidden]


_EXPLAINS = {"rows-columns": {"coupling-other"}, "rows-permuted": {"coupling-other", "last-block"},
    "coupling-other": {"angles-other"}, "block-size": {"coupling-other", "angles-other", "last-block"},
    "norms-fixed": {"norms-shared", "norms-paired", "rows-opposite", "precision-lost"},
    "norms-shared": {"norms-dependent", "norms-paired"}, "norms-sorted": {"norms-paired"},
    "discrete": {"norms-fixed", "precision-lost", "half-space", "rows-opposite", "rows-repeated", "hadamard-factors"},
    "zero-rows": {"coupling-other", "precision-lost", "last-block", "norms-sorted"},
    "precision-lost": {"coupling-other", "last-block"}, "projections-shared": {"blocks-permuted", "rows-opposite"},
    "directions-cached": {"rotation-law", "qr-signs", "half-space"}, "norms-cached": {"norms-sorted", "norms-paired"},
    "half-space": {"qr-signs"}, "rows-opposite": {"rows-centred", "angles-other"},
    "rotation-law": {"qr-signs", "half-space", "rows-opposite", "blocks-permuted", "projections-shared"},
    "hadamard-factors": {"hadamard-signs", "rotation-law"}, "padding": {"zero-rows", "coupling-other", "last-block"},
    # these widen the spread of the contrasts beyond the variance of the promised law
    "chi-freedom": {"norms-of-block", "scale", "hadamard-signs"},
    "scale": {"norms-of-block", "hadamard-signs"}}  # fmt: skip


# ---- weight matrices ---------------------------------------------------------------------------------


def _measured(m: MatrixMeasures, name: str) -> tuple[float, float]:
    """Relative bias of the average of exp(w . v), and its standard error."""
    values = m.over[f"exp {name}"] * math.exp(-0.5)
    return float(values.mean()) - 1, float(values.std() / math.sqrt(len(values)))


def _qr_signs(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    signs = m.over["signs"]
    if m.calls < SURE or not refuted(findings, "marginal", "directions"):
        return None
    if not (signs == signs[0, 0]).all():
        return None
    d, lead = m.case.d, m.over["lead"]
    if d > 1 and (np.abs(np.sign(lead[:, 1:]).mean(0)) == 1).all():
        return None  # no entry has both signs: a different defect
    v1 = -float(signs[0, 0]) * d**-0.5
    bias, error = _measured(m, "(1,..,1)")
    first = laws.half_sphere_bias(v1)
    sentence = (
        "rows are uniform on half a sphere: the signs of R's diagonal were dropped after the QR "
        "factorisation (LAPACK "
        "returns a Q whose leading entry always has one sign); harmless for cos features, "
        f"biases exp features by {percent(bias)} +- {100 * STANDARD_ERRORS * error:.1f} % at d = {d} along "
        "(1,..,1), "
        "|v| = 1. Multiply the columns of Q by sign(diag(R))"
    )
    mean = laws.unsigned_qr_mean(d)
    closed = (
        f"E exp(w_1.v) = exp(|v|^2/2) (1 - erf(v_1/sqrt 2)) for the first row of a block with w_11 < 0: "
        f"{percent(first)} along (1,..,1); E Q_11 = -Gamma(d/2)/(sqrt(pi) Gamma((d+1)/2)) = {mean[0]:.4f}"
    )
    evidence = {
        "calls with one sign": m.calls,
        "measured bias": bias,
        "standard error": error,
        "first row": first,
    }
    return Diagnosis("qr-signs", sentence, closed, evidence)


def _rows_columns(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    d = m.case.d
    if d < 2 or m.case.m < d or m.column_gap > ROUNDING or "largest" not in m.over:
        return None
    gap = float(np.median(m.over["largest"]))
    if gap < 100 * ROUNDING:
        return None
    sentence = (
        "rows and columns are mixed up: inside blocks the columns are orthogonal and the rows are not "
        "(median largest "
        f"cosine {gap:.2f}); norms were multiplied to the wrong side of Q. Rows are neither orthogonal "
        "nor of "
        "chi norm: "
        "the variance gain of the coupling is lost and the kernel is biased. Use diag(norms) @ Q"
    )
    if m.case.m == d:
        sentence += (
            ". If projections are the columns of this square, return its transpose, or ask for m other than d"
        )
    return Diagnosis("rows-columns", sentence, evidence={"column gap": m.column_gap, "row gap": gap})


def _norms_fixed(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    norms = np.sqrt(m.over["squares"])
    mean = float(norms.mean())
    if norms.std() > ROUNDING * mean or not refuted(findings):
        return None
    d, at_root = m.case.d, abs(mean / math.sqrt(m.case.d) - 1) < 1e-3
    if m.case.coupling.norm_law == "fixed":
        return None if at_root or m.case.coupling.cut(d) else _fixed_at_another(mean, d)
    known = {
        "sqrt(d)": (math.sqrt(d), "d ", ""), "1": (1.0, "", " (the norms are forgotten)"),
        "d": (d, "d^2 ", " (the square root is forgotten)"),
    }  # fmt: skip
    other = f"{mean:.4g}", (mean, f"{mean * mean:.4g} ", "")
    at, (_, square, why) = next(((k, v) for k, v in known.items() if abs(mean / v[0] - 1) < 1e-3), other)
    sentence = (
        f"every projection has the norm {at}{why}: the norm of a Gaussian vector is chi distributed. The estimates "
        f"converge to another kernel, the Bessel function 0F1(; d/2; -{square}z^2/4) in place of exp(-z^2/2)"
    )
    bias = percent(laws.fixed_norm_bias(d, 1.0, mean))
    closed = f"E exp(w.v) = 0F1(; d/2; {square}v^2/4): {bias} at |v| = 1, d = {d}"
    return Diagnosis("norms-fixed", sentence, closed, {"norm": mean}, f"fixed norm {at}")


def _fixed_at_another(norm: float, d: int) -> Diagnosis:
    promised = math.sqrt(d)
    sentence = (
        f"every projection has the norm {norm:.4g} in place of sqrt(d) = {promised:.4g}: the estimated kernel has the "
        f"length scale {promised / norm:.4g} instead of 1"
    )
    return Diagnosis("scale", sentence, evidence={"factor": norm / promised})


def _norms_shared(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    d, equal, calls = m.case.d, m.equal, m.looked
    squares = m.over["squares"]
    if calls < 2 or m.case.m < 2 or not refuted(findings) or (np.diff(squares, axis=0) == 0).all():
        return None
    if squares.std() <= 2 * ROUNDING * squares.mean():  # fixed, not drawn
        return None
    inside, across = m.pairs_of_norms(inside=True), m.compared[:, None] + m.case.block == m.compared
    if d > 1 and inside.any() and (equal[inside] >= calls).all():
        what, right = "all rows of a block have the same norm: one was drawn for the block", "rows of a block"
        draw = "Draw m norms" if m.case.coupling.norms else "Draw one for each set of rows that share it"
    elif across.any() and (equal[across] >= calls).all():
        what, right = (
            "all blocks have the same norms: they were drawn once and used for every block",
            "blocks",
        )
        draw = "Draw m norms" if m.case.coupling.norms else "Draw new norms for every block"
    else:
        return None
    sentence = (
        f"{what}. Each projection alone is right, so means are unbiased, but {right} are dependent and "
        f"the variance does not fall as 1/m. {draw}"
    )
    return Diagnosis("norms-shared", sentence, evidence={"calls with equal norms": calls})


def _projections_shared(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if "across" not in m.over or m.case.d < 2 or not refuted(findings, "blocks", "variance", "coupling"):
        return None
    cosines = np.abs(m.over["across"])
    if m.calls < SURE or float(cosines.min()) < 1 - ROUNDING:
        return None
    if float(np.abs(m.over["lead_directions"]).std(0).max()) < ROUNDING:
        return None  # all rows of all calls lie on one line
    if float(m.over["across"].max()) < 0 and not (m.same[np.triu_indices(len(m.same), 1)] >= m.looked).any():
        return None  # opposite rows only
    sentence = (
        "all blocks use the same directions: one rotation was drawn and reused where independent blocks are "
        "needed. Means are right, but more features than d do not lower the variance as they should. Draw a "
        "rotation for each block"
    )
    return Diagnosis("projections-shared", sentence, evidence={"smallest |cosine|": float(cosines.min())})


def _norms_of_block(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    d = m.case.d
    if d < 2 or not refuted(findings, "directions", word="contrast"):
        return None
    for name, expected in _block_contrasts(m):
        values = m.over[name]
        gap = abs(float(values.mean()) - expected) / (float(values.std()) / math.sqrt(len(values)) + 1e-12)
        if gap < STANDARD_ERRORS:
            slope = trend(d)
            low, high = (1 + 2 * s / (d * (d + 2)) for s in (slope[-1], slope[0]))
            sentence = (
                "the norms are those of the Gaussian block that was factored: |G_i| depends on Q_i, so long "
                "rows prefer some directions and the projections are not isotropic. Draw new norms, "
                "independent of Q"
            )
            closed = (
                "E w_j^2 = 1 + 2 (2(d-j)+1-d)/(d(d+2)) instead of 1 (norms of the rows of G with the "
                "rows of Q): "
                f"from {high:.3f} (j = 1) to {low:.3f} (j = d)"
            )
            evidence = {"contrast": float(values.mean()), "expected": expected}
            return Diagnosis("norms-of-block", sentence, closed if name == "trend" else "", evidence)
    return None


def _block_contrasts(m: MatrixMeasures) -> list[tuple[str, float]]:
    """Means of the contrasts when W = diag(|G_i|) Q (trend) and diag(|G_i|) Q^T (diagonal), G = Q R."""
    d, rows = m.case.d, np.arange(m.case.m) % m.case.d
    slope = trend(d)
    spread = 2 * float((slope**2).sum()) / (d * (d + 2))
    single = 2 * (d - 1) / (d * d * (d + 2))
    # E|G_i|^2 given Q is linear in the squares of row i of Q, with these slopes; q_ii^2 minus another of its column
    share, total = (d / (d - 1)) ** 2 * single, float((slope[rows] ** 2).sum())
    return [
        ("trend", math.sqrt(m.case.m * spread / (2 * d))),
        ("diagonal", share * math.sqrt(total / (2 * d) / (2 * single * d / (d - 1)))),
    ]


def _hadamard_signs(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    d = m.case.d
    if d < 2 or not refuted(findings, "directions", word="Hadamard"):
        return None
    mean, pattern = m.mean_rows, hadamard_like(d)[np.arange(m.case.m) % d]
    noise = mean.size / m.calls
    along = float((mean * pattern).sum()) ** 2 / mean.size
    if along < 0.5 * (float((mean**2).sum()) - noise):
        return None
    r = math.sqrt(2) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
    strength = float((mean * pattern).mean()) * math.sqrt(d) / r
    three = math.copysign(abs(strength) ** (1 / 3), strength)
    sentence = (
        "the random signs of the Hadamard product are biased: E W is a multiple of the Hadamard matrix. The "
        f"mean of a sign is {three:+.2f} if there are three rounds; sign(normal - 1/2) instead of "
        "sign(uniform - 1/2) gives -0.38. Rows prefer one half of the sphere: sin and exp features are biased"
    )
    closed = (
        f"E W = (E s)^3 E|w| H/sqrt(d) for three rounds; (E s)^3 = {strength:+.3f} measured, -0.056 for "
        "sign(normal - 1/2)"
    )
    return Diagnosis("hadamard-signs", sentence, closed, {"mean along the pattern": strength})


def _norm_law(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Wrong degrees of freedom, a wrong scale, or rows cut after padding: which law do the norms follow?"""
    if not m.case.row.gaussian or m.off_centre < row_laws.CERTAIN or not _norms_refuted(findings):
        return None
    if row_laws.norms_hang_together(m) or row_laws.lengths_unequal(m):  # no law is that of all rows
        return None
    d, squares = m.case.d, m.squares.ravel()
    mean = float(squares.mean())
    dof = max(1, round(mean))
    # the p-value ignores that the scale is fitted, so it can only be too large
    as_freedom = fit(squares, partial(special.chdtr, dof)) if dof != d else 0.0
    as_scale = fit(squares * (d / mean), partial(special.chdtr, d))
    if as_freedom > FITS and as_scale > FITS:  # with enough rows the variance tells which of them it is
        near = [row_laws.spread_gap(squares, v) < STANDARD_ERRORS for v in (2 * mean, 2 * mean**2 / d)]
        as_freedom, as_scale = as_freedom * (near == [True, False]), as_scale * (near == [False, True])
    if as_freedom > FITS and as_scale < FITS:
        return _wrong_freedom(d, dof, as_freedom)
    if as_scale > FITS and as_freedom < FITS and _isotropic(m) and row_laws.fits_scaled(m, scale(m)):
        return _wrong_scale(m)
    return None


def _norms_refuted(findings: Sequence[Finding]) -> bool:
    """Whether the mean or the distribution function of the norms is refuted, not only their spread or extremes."""
    return any(refuted(findings, "marginal", word=word) for word in ("mean of |w|^2", "norms have"))


def _isotropic(m: MatrixMeasures) -> bool:
    """Whether rows with Gaussian coordinates of equal, but arbitrary, second moments fit."""
    sums, d = m.lead_squares, m.case.d
    rows = m.calls * len(range(m.case.m)[m.case.leads])
    spread = float(((sums / sums.mean() - 1) ** 2).sum()) * rows / 2
    return d == 1 or float(special.chdtrc(d - 1, spread)) > FITS


def _wrong_freedom(d: int, dof: int, p: float) -> Diagnosis:
    sentence = (
        f"the norms are chi with {dof} degree{'s' * (dof > 1)} of freedom; the norm of a Gaussian vector in "
        "dimension "
        f"{d} has {d}. The estimates converge to another kernel. Draw sqrt(chisquare(df=d))"
    )
    closed = (
        f"E exp(w.v) = 1F1({_half(dof)}; {_half(d)}; v^2/2) in place of exp(v^2/2): "
        f"{percent(laws.wrong_norm_bias(d, dof, 1.0))} at |v| = 1"
    )
    return Diagnosis("chi-freedom", sentence, closed, {"freedom": dof, "p of that law": p})


def _half(number: int) -> str:
    return f"{number}/2" if number % 2 else str(number // 2)


def _wrong_scale(m: MatrixMeasures) -> Diagnosis | None:
    d, s, count = m.case.d, scale(m), m.squares.size * m.case.d
    width = STANDARD_ERRORS * math.sqrt(0.5 / count)  # half width of the interval of log s
    if abs(math.log(s)) < width:  # norms of another law, but not of another scale
        return None
    ell = m.case.lengthscale
    known = {
        "sqrt 2": math.sqrt(2), "1/sqrt 2": math.sqrt(0.5), "2": 2.0, "1/2": 0.5, "sqrt(d)": math.sqrt(d),
        "1/sqrt(d)": d**-0.5,
    }  # fmt: skip
    if "simplex" in m.case.coupling.name:
        known["sqrt(1 - 1/d), the length of a vertex e_i minus the mean of all"] = math.sqrt(1 - 1 / d)
    if ell != 1:
        known |= {
            f"l^2 (l = {ell:g}: multiplied by the length scale instead of divided)": ell**2,
            f"l (l = {ell:g}: the length scale is left out)": ell,
            f"1/l (l = {ell:g}: divided by the length scale twice)": 1 / ell,
            f"sqrt(l) (l = {ell:g}: divided by its square root, as if it were a variance)": math.sqrt(ell),
        }
    word = next((k for k, v in known.items() if v != 1 and abs(math.log(s / v)) < width), f"{s:.4g}")
    sentence = (
        f"all weights are too {'long' if s > 1 else 'short'} by the factor {word} (measured {s:.4f}): "
        "the estimated "
        f"kernel has the length scale {1 / s:.4g} instead of 1"
    )
    bias = percent(math.exp((s * s - 1) / 2) - 1)
    closed = f"E cos(w.v) = exp(-s^2 v^2/2), E exp(w.v) = exp(s^2 v^2/2): {bias} at |v| = 1"
    return Diagnosis("scale", sentence, closed, {"factor": s, "of log": width})


def _padding(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    of_calls = m.over["squares"].mean(1)  # rows of a call may be dependent
    d, mean = m.case.d, float(of_calls.mean())
    if not m.case.row.gaussian or not refuted(findings, "marginal", "coupling"):
        return None
    size = 1 << (d - 1).bit_length()
    if size == d or "largest" not in m.over or m.case.coupling.angle == "free":
        return None
    error = STANDARD_ERRORS * float(of_calls.std()) / math.sqrt(m.calls)
    if abs(mean - d * d / size) > error or abs(mean - d) < error:
        return None
    if float(np.median(m.over["largest"])) < 100 * ROUNDING or _at_promised_angles(m):
        return None
    sentence = (
        f"vectors are padded from {d} to {size} dimensions, but the norms are those of dimension {d}: cut rows "
        f"of the larger rotation have mean square {d}/{size} and are not orthogonal. Weights are too short by "
        f"sqrt({d}/{size}). Use chi norms with {size} degrees of freedom, or scale by sqrt({size}/{d})"
    )
    closed = f"E |w|^2 = d^2/D = {d * d / size:.4g} instead of {d}, D = {size}"
    return Diagnosis("padding", sentence, closed, {"mean square": mean, "padded size": size})


def _at_promised_angles(m: MatrixMeasures) -> bool:
    """Whether the rows of every block are at the promised angles, which cut rows are not."""
    return m.case.coupling.gram(m.case.d) is not None and m.row_gap < FLOAT32_GAP


def _product_law(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    row, d = m.case.row, m.case.d
    if row.gaussian or not row.radial or d < 2 or not refuted(findings, "marginal", word="norms"):
        return None
    if refuted(findings, "marginal", word="a = e_1"):
        return None
    couples = np.abs(
        m.over["couples"]
    )  # rows are independent: other kernels than the Gaussian are supported for iid rows only
    draws = np.random.default_rng(m.case.seed)
    common = draws.standard_normal((20000, 2)) / np.sqrt(draws.chisquare(row.freedom, (20000, 1)))
    expected = _rank_correlation(np.abs(common))
    found = _rank_correlation(couples)
    root = math.sqrt(len(couples))
    if expected * root < 8 or abs(found) * root > 4:
        return None
    sentence = (
        f"the coordinates of a row are independent: a product of {d} one-dimensional t laws instead of one "
        f"multivariate t law (rank correlation of |w_1| and |w_2| is {found:+.3f}; {expected:.3f} expected). "
        "The estimate converges to the product of the one-dimensional kernels, not to the radial kernel. "
        "Divide the whole row by one chi variable"
    )
    z = 2 / math.sqrt(d)
    one = laws.row_law(m.case.kernel, 1).characteristic(z) ** d
    closed = f"kernel at distance 2 along (1,..,1): {one:.4f} instead of {row.characteristic(2.0):.4f}"
    return Diagnosis("product-law", sentence, closed, {"rank correlation": found, "expected": expected})


def _rank_correlation(couples: np.ndarray) -> float:
    """Spearman's, of the two columns."""
    from scipy import stats  # imported here like in fit

    return float(stats.spearmanr(couples).statistic)


def _radial_law(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Coordinates with the right law that share a factor although they should be independent."""
    row, d = m.case.row, m.case.d
    if row.radial or d < 2 or not refuted(findings, "unbiasedness", "coupling", "blocks"):
        return None
    if fit(m.over["lead"][:, 0], row.coordinate_cdf) < FITS:
        return None
    couples = np.abs(m.over["couples"])
    found = _rank_correlation(couples)
    if found * math.sqrt(len(couples)) < 8:
        return None
    sentence = (
        f"the coordinates of a row depend on each other (rank correlation of |w_1| and |w_2| is {found:+.3f}): one "
        f"multivariate law instead of a product of {d} one-dimensional ones. The estimate converges to a radial "
        "kernel, not to the product kernel. Draw every coordinate independently"
    )
    z = np.full(d, 2 / math.sqrt(d))
    closed = f"the product kernel at distance 2 along (1,..,1) is {row.kernel_at(z):.4f}"
    if row.coordinate == "cauchy":
        closed += f", the radial one of the same coordinates exp(-2) = {math.exp(-2):.4f}"
    return Diagnosis("radial-law", sentence, closed, {"rank correlation": found})


def _draws_repeated(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Repeated draws, seen in the rows: the test for repeated rows or for repeated calls was refuted."""
    always = refuted(findings, "determinism", word="different draws")
    if not always and not refuted(findings, "blocks", word="twice"):
        return None
    share, again = repeated_share(m), structures.repeated_calls_of_all_rows(m)
    if not always and structures.few_values(m, 256) and not again:
        return None  # a few rows that recur one by one: the law has atoms
    if again == m.calls - 1:
        text = (
            "every call returns the same draw: a seed is fixed inside, or the seed that is passed is ignored"
        )
    else:
        text = (
            f"{100 * share:.2g} % of the rows of the run repeat another one: a buffer or a generator is reused, or "
            "neighbouring seeds are rounded to one"
        )
    sentence = f"{text}. Averages over calls do not converge, and the law of such draws cannot be judged"
    return Diagnosis("draws-repeated", sentence, evidence={"share of rows": share})


_FACTS = (_padding, _qr_signs, _rows_columns, _norms_fixed, _norms_shared, _projections_shared)
_LAWS = (_norm_law, _norms_of_block, _hadamard_signs, _product_law, _radial_law)


MANY = 4096
"""Number of calls after which the first of several fitting models is named."""
SMALLEST_FACTOR = 5e-3
"""Features in 16 bits are off by less."""
RATIO_KNOWN = 0.03
"""The relative standard error from which on ratios of squared errors tell other maps from fewer projections."""
ALMOST_ALL = 0.9
"""The share of draws in which K^(x, x) is not K if that is not due to some inputs x only."""

# ---- estimates ---------------------------------------------------------------------------------------


def of_estimates(m: EstimateMeasures, findings: Sequence[Finding]) -> list[Diagnosis]:
    """The diagnoses that fit kernel estimates; of the models of the means, the first that explains them all."""
    ignored = structures.seed_ignored(findings)
    return _of_values(m, findings) + ([ignored] if ignored else [])


def _of_values(m: EstimateMeasures, findings: Sequence[Finding]) -> list[Diagnosis]:
    if not refuted(findings):
        return []
    if refuted(findings, "determinism", word="different draws"):
        always = (np.ptp(m.over["estimates"], axis=0) == 0).all()
        sentence = (
            "every call gives the same estimates: a seed is fixed inside, or the seed that is passed is ignored"
            if always
            else "calls with different seeds give the same estimates: neighbouring seeds are rounded to one"
        )
        return [Diagnosis("draws-repeated", sentence)]
    fact = next((d for look in _SURE_OF_ESTIMATES if (d := look(m, findings)) is not None), None)
    if fact is not None:
        return [fact]
    found = [d for look in _OF_ESTIMATES if (d := look(m, findings)) is not None]
    if not found and (apart := _inputs_apart(m, findings)) is not None:
        return [apart]
    # few draws fit several models of the means; more draws will tell
    if {"feature-scale", "estimate-offset"} <= {d.name for d in found}:
        return []
    return found[:1] if len(found) == 1 or m.calls >= MANY else []


def _fits(m: EstimateMeasures, model: Callable[[Pair], float]) -> bool:
    """Whether every mean of the panel lies within five standard errors of the model."""
    for pair in m.pairs:
        values, claimed = m.of(pair), model(pair)
        error = float(values.std()) / math.sqrt(len(values))
        if abs(float(values.mean()) - claimed) > STANDARD_ERRORS * error + 2e-4 * abs(claimed) + 1e-9:
            return False
    return True


def _tells(m: EstimateMeasures, model: Callable[[Pair], float]) -> bool:
    """Whether the draws distinguish the model from the kernel: some mean is eight standard errors away."""
    for pair in m.pairs:
        values = m.of(pair)
        error = float(values.std()) / math.sqrt(len(values)) + 1e-12
        if (
            abs(model(pair) - kernel(m, pair)) > 8 * error
            and abs(values.mean() - kernel(m, pair)) > 3 * error
        ):
            return True
    return False


def _biased(findings: Sequence[Finding]) -> bool:
    return refuted(findings, "unbiasedness")


def _clipped(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if m.case.features not in ("trigonometric", "cosine") or m.calls < SURE or not _biased(findings):
        return None
    values = variance.at_far(m)
    lowest = float(values.min())
    if lowest < -1e-12 or np.ptp(values) == 0 or _signs_lost(m):
        return None
    ties = float((values == lowest).mean())
    how = f"{100 * ties:.0f} % of them equal {lowest:g}" if ties > 0.05 else "no feature product is negative"
    sentence = (
        "negative estimates are clipped: trigonometric estimates of a kernel near 0 are negative in half of the "
        f"draws, but none of {m.calls} was ({how}). Small kernel values are biased upwards, by "
        f"{float(values.mean()):+.3g} where K = {math.exp(-8):.2g}"
    )
    law = math.sqrt(1 / (2 * m.case.m) / (2 * math.pi))
    closed = "where K = 0 the bias is E max(K^, 0) = sigma/sqrt(2 pi)"
    closed += f" = {law:.3g} for m = {m.case.m} (many features)" * m.case.m_given
    return Diagnosis("clipped", sentence, closed if ties > 0.05 else "", {"share at the floor": ties})


def _feature_scale(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    zero = [p for p in m.pairs if p.name == "x = y = 0"]
    if not zero or not _biased(findings):
        return None
    values = m.of(zero[0])
    c = float(values.mean())
    if (
        c <= 0
        or abs(c - 1) < SMALLEST_FACTOR
        or not _fits(m, lambda p: c * kernel(m, p))
        or not _tells(m, lambda p: c * kernel(m, p))
    ):
        return None
    error = STANDARD_ERRORS * float(values.std()) / math.sqrt(len(values)) + 1e-3
    large, small = {
        "trigonometric": (": sqrt(2/D) belongs to cos(w.x + b), 1/sqrt(D) to (cos, sin)",
                          ": they are divided by the root of 2 D, where D counts frequencies, not features"),
        "cosine": ("", ": it belongs to sqrt(2/D) cos(w.x + b)"),
        "hyperbolic": (": they are divided by the root of D, not of 2 D, for exp(w.x) and exp(-w.x)", ""),
    }.get(m.case.features, ("", ""))  # fmt: skip
    words = {
        2.0: f"features carry a factor sqrt 2 too many{large}",
        0.5: f"a factor sqrt 2 of the features is missing{small}",
        float(m.case.m): "features are not divided by the square root of D",
        1 / m.case.m: "features are divided by D instead of its square root",
    }
    word = next((w for f, w in words.items() if abs(c - f) < error), "features have a wrong factor")
    sentence = f"{word}: every estimate is {c:.4g} times the kernel"
    return Diagnosis("feature-scale", sentence, f"E K^ = {c:.4g} K, the same at all inputs", {"factor": c})


def _kernel_scale(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not _biased(findings) or m.case.features == "angular-hybrid" or not m.case.row.gaussian:
        return None
    softmax = m.case.kernel == "softmax"

    def exponent(p: Pair) -> float:
        return float(p.x @ p.y) if softmax else -(p.distance**2) / 2

    def model(p: Pair, s2: float) -> float:
        return math.exp(s2 * exponent(p))

    def precision(p: Pair) -> float:  # of the logarithm of the mean, in units of its exponent
        return abs(exponent(p)) * float(m.of(p).mean()) / (float(m.of(p).std()) + 1e-12)

    best = max(m.pairs, key=precision)
    square = 0.0
    if m.calls >= MANY and precision(best) > 0:  # with fewer draws some factor always fits
        square = math.log(float(m.of(best).mean())) / exponent(best)
    known = {2.0: "sqrt 2", 0.5: "1/sqrt 2", 4.0: "2", 0.25: "1/2", 4 * math.pi**2: "2 pi",
             m.case.lengthscale**2: "the length scale",
             m.case.lengthscale**4: "the square of the length scale"}  # fmt: skip
    for s2 in [*known, square]:

        def stretched(p: Pair, s2: float = s2) -> float:
            return model(p, s2)

        if s2 > 0 and abs(s2 - 1) > 0.02 and _fits(m, stretched) and _tells(m, stretched):
            word = known.get(s2, f"{math.sqrt(s2):.4g}")
            sentence = (
                f"the estimates are those of a kernel with another length scale: frequencies are too "
                f"{'high' if s2 > 1 else 'low'} by the factor {word} (some mean exp(-|x-y|^2), others "
                "exp(-|x-y|^2/2))"
            )
            return Diagnosis("kernel-scale", sentence, f"E K^ = K^{s2:.4g}", {"square of the factor": s2})
    return None


def _missing_offset(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not _biased(findings) or m.case.features == "angular-hybrid":
        return None
    for sign in (1, -1, 2):
        for sides, (left, right) in {"both sides": (1, 1), "x": (1, 0), "y": (0, 1)}.items():

            def model(p: Pair, a: int = sign * left, b: int = sign * right) -> float:
                return kernel(m, p) * math.exp((a * float(p.x @ p.x) + b * float(p.y @ p.y)) / 2)

            if _fits(m, model) and _tells(m, model):
                size = "|x|^2" if sign == 2 else "|x|^2/2"
                what = f"exp({'-' if sign > 0 else '+'}{size})"
                sentence = (
                    f"the factor {what} is missing on {sides}: estimates are right only at 0 and off by "
                    f"exp({'+' if sign > 0 else '-'}{size}) elsewhere"
                )
                softmax = "; these estimate the softmax kernel exp(x.y): if that is the one meant, say --kernel softmax"
                other = {("gaussian", 1, "both sides"): softmax}
                sentence += other.get((m.case.kernel, sign, sides), "")
                powers = {"both sides": "(|x|^2 + |y|^2)/2", "x": "|x|^2/2", "y": "|y|^2/2"}[sides]
                powers = powers.removesuffix("/2") if sign == 2 else powers
                return Diagnosis("missing-offset", sentence, f"E K^ = K exp({'+-'[sign < 0]}{powers})")
    return None


def _lambda_shared(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if m.case.features != "angular-hybrid" or not m.case.m_given or not _biased(findings):
        return None

    def model(p: Pair) -> float:
        x, y = float(np.linalg.norm(p.x)), float(np.linalg.norm(p.y))
        return kernel(m, p) + laws.shared_hybrid_bias(x, y, p.angle, m.case.m)

    if not (_fits(m, model) and _tells(m, model)):
        return None
    pair = m.pairs[-1]
    value = model(pair) / kernel(m, pair) - 1
    sentence = (
        "the coefficient lambda^ uses the projections of the base estimators: it is correlated with their "
        f"errors, and the hybrid is biased by {percent(value)} at angle {pair.angle:.2g} for m = {m.case.m}. "
        "Draw separate projections for it"
    )
    closed = "E K^ - K = (1/m) E L_1 (P_1 - T_1), an integral over the angles at which the signs of w.x and w.y differ"
    return Diagnosis("lambda-shared", sentence, closed, {"relative bias": value})


def _lambda_swapped(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if (
        m.case.features != "angular-hybrid"
        or not refuted(findings, "variance")
        or not _fits(m, lambda p: kernel(m, p))
    ):
        return None
    ratios = []
    for pair in m.pairs:
        x, y = float(np.linalg.norm(pair.x)), float(np.linalg.norm(pair.y))
        errors = (m.of(pair) - kernel(m, pair)) ** 2
        own = laws.hybrid_law(x, y, pair.angle, m.case.m, m.case.m).second
        swapped = laws.hybrid_law(x, y, pair.angle, m.case.m, m.case.m, True).second
        spread = float(errors.std()) / math.sqrt(len(errors))
        if abs(float(errors.mean()) - swapped) > STANDARD_ERRORS * spread:
            return None
        ratios.append(float(swapped / own))
    worst = max(ratios)
    sentence = (
        "the weights lambda and 1 - lambda are swapped: the hybrid trusts the hyperbolic estimate where it "
        "is bad and the trigonometric one where that is bad. Means are right, but the variance is "
        f"{worst:.2g} times what it should be"
    )
    return Diagnosis(
        "lambda-swapped", sentence, "MSE with E (1-L)^2 and E L^2 exchanged in eq. (22)", {"ratio": worst}
    )


def _batch_dependent(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not refuted(findings, "determinism", word="other inputs"):
        return None
    sentence = (
        "the features of an input depend on the other inputs of the call: with the same seed an "
        "estimate differs alone and in a batch. Either projections or phases are drawn anew for every input, and "
        "estimates do not converge to the kernel: draw them once for all inputs. Or a maximum or a norm over the batch "
        "is removed and not restored, and estimates are off by a random factor, which differs from batch to batch: "
        "remove such a constant from both sides of a quotient, or not at all. Or rows are treated by their place in "
        "the batch: the last ones, which fill no chunk, are not projected"
    )
    return Diagnosis("batch-dependent", sentence)


def _underflow(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not refuted(findings, "stability", word="vanish"):
        return None
    sentence = (
        "positive features are 0 where single precision can represent them: they are computed in a 16-bit "
        "format, or exp is taken of the projection and of -|x|^2/2 separately. Kernel estimates of inputs of "
        "norm 6 are 0, and their logarithms infinite. Add the exponents before exp, in single precision"
    )
    return Diagnosis("underflow", sentence)


def _estimate_offset(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not _biased(findings) or m.case.features == "angular-hybrid":
        return None
    zero = next(p for p in m.pairs if p.name == "x = y = 0")  # here most maps have no error
    c = float(m.of(zero).mean()) - 1

    def model(p: Pair) -> float:
        return kernel(m, p) + c

    if abs(c) < 1e-3 or not _fits(m, model) or not _tells(m, model):
        return None
    sentence = f"every estimate is too {'large' if c > 0 else 'small'} by the same amount, {abs(c):.4g}, at all inputs"
    return Diagnosis("estimate-offset", sentence, f"E K^ = K {c:+.4g}", {"offset": c})


NO_CONSTANT = (
    "Small kernel values are too large. Features that are positive need no such constant; add it to the denominator of "
    "attention instead"
)


def _with_constant(m: EstimateMeasures, p: Pair, c: float) -> float:
    """The mean of an estimate if c over the root of their number is added to every positive feature."""
    sizes = [1.0 if m.case.kernel == "softmax" else math.exp(-float(v @ v) / 2) for v in (p.x, p.y)]
    return kernel(m, p) + c * sum(sizes) + c * c


def _feature_offset(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if m.case.features not in ("positive", "hyperbolic") or not _biased(findings) or not m.case.row.gaussian:
        return None
    zero = float(m.of(next(p for p in m.pairs if p.name == "x = y = 0")).mean())
    c = math.sqrt(max(zero, 0.0)) - 1  # features sum to 1 at 0, up to the root of their number

    model = partial(_with_constant, m, c=c)
    if abs(c) < 1e-3 or not _fits(m, model) or not _tells(m, model):
        return None
    sentence = (
        f"a constant is added to every feature, {c:.4g} divided by the root of their number. {NO_CONSTANT}"
    )
    return Diagnosis(
        "feature-offset", sentence, f"E K^ = K {c:+.4g} (E phi(x) + E phi(y)) + {c * c:.4g}", {"c": c}
    )


def _waves_apart(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if m.case.features != "trigonometric" or not refuted(findings, "unbiasedness", word="exactly"):
        return None
    pair = next(p for p in m.pairs if p.name == "x = y")
    values = m.of(pair)
    vary = float((np.abs(values / kernel(m, pair) - 1) > ROUNDING).mean()) > ALMOST_ALL
    if m.calls < MANY // 8 or not vary or not _fits(m, lambda p: kernel(m, p)):
        return None
    sentence = (
        "means are right, but K^(x, x) varies: cos and sin see different projections, so that cos^2 + sin^2 is not 1, "
        "or this map has random phases. Use one draw for both, or declare --features cosine"
    )
    return Diagnosis(
        "waves-apart", sentence, evidence={"standard deviation of K^(x, x)": float(values.std())}
    )


def _phases(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if m.case.features not in ("cosine", "trigonometric") or not _biased(findings) or not m.case.row.gaussian:
        return None
    if m.case.kernel == "softmax":
        return None
    zero = next(p for p in m.pairs if p.name == "x = y = 0")
    share = float(m.of(zero).mean()) - 1

    def model(p: Pair, factor: float = 1.0, share: float = share) -> float:
        return factor * (kernel(m, p) + share * m.case.row.characteristic(p.sum_norm))

    for sign, part in ((1, "cos"), (-1, "sin")):
        one = partial(model, factor=0.5, share=sign)
        if _fits(m, one) and _tells(m, one):
            sentence = (
                f"features are {part}(w.x) alone, as if only one part of exp(i w.x) were taken: estimates are "
                f"(k(x - y) {'-+'[sign > 0]} k(x + y))/2. Take cos and sin, or sqrt 2 cos(w.x + b) with phases b"
            )
            return Diagnosis("phases", sentence, f"E K^ = (k(x - y) {'-+'[sign > 0]} k(x + y))/2")
    if abs(share) < 0.02 or not _fits(m, model) or not _tells(m, model):
        return None
    what = "the phases are missing" if abs(share - 1) < 0.05 else "the phases do not fill a whole turn evenly"
    sentence = (
        f"{what}: cos(w.x + b) cos(w.y + b) also estimates k(x + y), with weight E cos 2b = {share:+.3g}, "
        "which vanishes for b uniform on [0, 2 pi]. Draw such phases, or use cos and sin"
    )
    return Diagnosis("phases", sentence, f"E K^ = k(x - y) {share:+.3g} k(x + y)", {"E cos 2b": share})


def _phase_shared(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if m.case.features != "cosine" or m.case.m < 2 or not refuted(findings, "variance"):
        return None
    values = m.of(next(p for p in m.pairs if p.name == "x = y = 0"))  # 2 cos^2 b, whatever the projections

    def one_phase(k: np.ndarray) -> np.ndarray:
        return 1 - np.arccos(np.clip(k - 1, -1, 1)) / math.pi

    if not _fits(m, lambda p: kernel(m, p)) or fit(values, one_phase) < FITS:
        return None
    sentence = (
        f"K^(0, 0) varies like 2 cos^2 b of a single phase, not like an average over {m.case.m}: cos(w.x + b) has one "
        "b for all rows of a call. Means are right, but the part cos(2b) k(x + y) of an estimate is the same in all "
        "rows and does not vanish with more features. Draw a phase for each row"
    )
    closed = "Var K^ is too large by (1 - 1/m) k(x + y)^2/2"
    return Diagnosis("phase-shared", sentence, closed, {"variance of K^(0, 0)": float(values.var())})


def _projections_unshared(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not _biased(findings) or m.case.features == "angular-hybrid" or not m.case.row.gaussian:
        return None

    def model(p: Pair) -> float:
        return 1.0 if m.case.kernel == "softmax" else math.exp(-p.squares / 2)

    if not _fits(m, model) or not _tells(m, model):
        return None
    sentence = (
        "x and y use different projections: the estimate converges to a product of two means, which does not "
        "depend on the angle between x and y. Use the same draw for both"
    )
    return Diagnosis("projections-unshared", sentence, "E K^ = E phi(x) . E phi(y)")


def _normalised(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if m.case.features not in ("positive", "hyperbolic") or not refuted(findings):
        return None
    values = m.of(next(p for p in m.pairs if p.name == "x = y"))
    if m.calls < SURE or float(values.std()) > ROUNDING * float(abs(values.mean())):
        return None
    sentence = (
        f"feature vectors have the same length in every draw (K^(x, x) = {float(values.mean()):.4g}): they are "
        "divided by their norm. A quotient of unbiased estimates is biased, and the bias falls only as 1/m. "
        "Leave the features unnormalised, or divide numerator and denominator of attention by the same factor"
    )
    return Diagnosis(
        "normalised", sentence, "E (a/b) = E a/E b (1 + Var b/(E b)^2 - Cov(a, b)/(E a E b) + ...)"
    )


def _fewer_projections(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not refuted(findings, "variance") or not _fits(m, lambda p: kernel(m, p)) or m.calls < 256:
        return None
    ratios = []
    for pair in variance.chosen(m):
        law = law_of(m, pair)
        if law is None or law.second <= 0:
            return None
        errors = (m.of(pair) - kernel(m, pair)) ** 2 / law.second
        ratios.append((float(errors.mean()), float(errors.std()) / math.sqrt(len(errors))))
    (one, first), (two, second) = ratios[0], ratios[-1]
    if (
        max(first / one, second / two) > RATIO_KNOWN
    ):  # errors of another map have other ratios at other places
        return None
    if one < 1.1 or abs(one - two) > STANDARD_ERRORS * math.hypot(first, second):
        return None
    sentence = (
        f"means are right, but squared errors are {one:.3g} times those of m = {m.case.m} independent "
        f"projections: like those of about {m.case.m / one:.3g}. Projections are repeated or dependent"
    )
    return Diagnosis("fewer-projections", sentence, "Var K^ = Var_1/m", {"ratio": one})


def _signs_lost(m: EstimateMeasures) -> bool:
    """Whether estimates at x and -x have the mean of those at x and x, as if features were those of |x|."""
    opposite = [p for p in m.pairs if p.squares > 0 and p.sum_norm == 0]
    for pair in opposite:
        values, claimed = m.of(pair), kernel(m, Pair(pair.name, pair.x, pair.x))
        error = STANDARD_ERRORS * float(values.std()) / math.sqrt(len(values))
        if abs(float(values.mean()) - claimed) > error + ROUNDING * claimed:
            return False
    return bool(opposite)


def _inputs_apart(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """What is left if no model of the means fits: tried once these would have been told apart."""
    found = [f for f in findings if f.outcome is Outcome.REFUTED and f.assumes == "identity" and not f.place]
    lost = _signs_lost(m)
    if (
        not found
        or m.calls < MANY // 8
        or (m.calls < MANY and not lost and not _fits(m, lambda p: kernel(m, p)))
    ):
        return None
    kinds = (
        "Estimates at x and -x are those at x and x, as if features were those of |x|: the signs of inputs are lost"
        if lost
        else "Either some inputs are treated in another way than others - values clipped, signs or zeros lost, late "
        "rows of a batch - or the features are those of another map"
    )
    sentence = (
        f"what holds in every draw of {m.case.features} features does not hold here ({found[0].test}): the "
        f"difference is up to {found[0].effect:.3g}, {found[0].reason}. {kinds}"
    )
    return Diagnosis("inputs-apart", sentence, evidence={"largest difference": found[0].effect})


def _maximum_taken(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """The largest feature of each input is the same in all draws, as if a maximum was removed in the exponent."""
    peaks = m.peaks
    if not _biased(findings) or m.case.features not in ("positive", "hyperbolic") or len(peaks) < 2:
        return None
    if (np.ptp(peaks, axis=0) > ROUNDING * peaks.mean(0)).any():
        return None
    sentence = (
        "the largest feature of an input is the same in every draw: the maximum over the features "
        "is removed in the exponent and not restored. Each input gets its own random factor, which cancels in the "
        "quotient of attention only for the queries. Keep the maximum and add it back, or use the log domain"
    )
    return Diagnosis("maximum-taken", sentence, "K^ exp(-max_i w_i.x - max_i w_i.y + ...)")


def _floor(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    """Features of far inputs are one positive number, not 0, and means are no larger than that tells.

    They are smaller than if it is added where features are raised to it, or where those of one side are right.
    """
    if not _biased(findings) or m.case.features not in ("positive", "hyperbolic") or not m.floor:
        return None
    if not _fits(m, lambda p: float(np.clip(m.of(p).mean(), kernel(m, p), _with_constant(m, p, m.added)))):
        return None
    sentence = (
        f"features of far inputs should vanish, but are {m.floor:.3g} in every row and draw: this is added to every "
        f"feature, or features are raised to it. {NO_CONSTANT}"
    )
    closed = (
        "E K^ = K + c (E phi(x) + E phi(y)) + c^2, if it is added; c is this times the root of their number"
    )
    return Diagnosis("feature-offset", sentence, closed, {"added": m.floor})


_SURE_OF_ESTIMATES = (_batch_dependent, _underflow, _normalised, _maximum_taken, _floor)
_OF_ESTIMATES: tuple[Callable[[EstimateMeasures, Sequence[Finding]], Diagnosis | None], ...] = (_feature_scale,
    _estimate_offset, _missing_offset, _projections_unshared, _kernel_scale, _feature_offset, _waves_apart, _phases,
    _phase_shared, _clipped, _lambda_shared, _lambda_swapped, _fewer_projections)  # fmt: skip
