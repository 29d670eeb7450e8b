"""Named diagnoses of weight matrices: from refuted tests to a sentence with its consequence and the size of the bias.

A diagnosis is named only if something was refuted at the family-wise level *and* its own discriminating statistic
fits: a fact that does not depend on chance (signs, equal norms, orthogonal columns), or a law that the draws follow
instead of the promised one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from scipy import special

from rftheory.check import laws, row_laws, structures
from rftheory.check.diagnosis import (
    FITS,
    OF_DIRECTIONS,
    ROUNDING,
    STANDARD_ERRORS,
    SURE,
    Diagnosis,
    exponential,
    fit,
    percent,
    refuted,
)
from rftheory.check.findings import FEWEST, Finding
from rftheory.check.measures import FLOAT32_GAP, MatrixMeasures, hadamard_like, trend
from rftheory.check.properties.blocks import recur_in_calls_alone, repeated_share
from rftheory.check.properties.marginal import scale


def of_matrices(m: MatrixMeasures, findings: Sequence[Finding]) -> list[Diagnosis]:
    """The diagnoses that fit the draws of a weight matrix, without those caused by another one."""
    ignored = structures.seed_ignored(findings)
    return _of_draws(m, findings) + ([ignored] if ignored else [])


def _of_draws(m: MatrixMeasures, findings: Sequence[Finding]) -> list[Diagnosis]:
    if not refuted(findings):
        return []
    # each of these hides the defects sought below
    for look in (*structures.RECUR, _draws_repeated, structures.calls_unalike):
        found = look(m, findings)
        if found is not None:
            return [found]
    facts = [d for look in (*structures.FACTS, *_FACTS) if (d := look(m, findings)) is not None]
    if facts and all(d.name in _LEAVE_NORMS for d in facts):  # the norms may be wrong besides
        besides = (partial(_law_of_norms, alone=False), _norms_of_block)
        more = _without_effects([d for look in besides if (d := look(m, findings)) is not None])
        # before those of directions are held against each other: norms of the block do not hide missing signs
        facts = [d for d in facts if d.name not in _effects_of(more)] + more
    return _without_effects(facts or _of_laws(m, findings))


def _of_laws(m: MatrixMeasures, findings: Sequence[Finding]) -> list[Diagnosis]:
    """The laws that fit; of those that fit too easily, which are tried last, only the first."""
    looks = _LAWS[_OF_NORMS if row_laws.prefers_axes(m) else 0 :]
    found = [d for look in looks if (d := look(m, findings)) is not None]
    if found:
        return found
    last = (d for look in row_laws.LAWS if (d := look(m, findings)) is not None)
    return [first] if (first := next(last, None)) is not None else []


def _without_effects(found: list[Diagnosis]) -> list[Diagnosis]:
    return [d for d in found if d.name not in _effects_of(found)]


def _effects_of(found: list[Diagnosis]) -> set[str]:
    return set().union(*(_EXPLAINS.get(d.name, ()) for d in found))


_EXPLAINS = {"rows-columns": {"coupling-other"},
    "rows-permuted": {"coupling-other", "last-block", "angles-other", "norms-shared"},
    "coupling-other": {"angles-other", "rows-centred"}, "block-size": {"coupling-other", "angles-other", "last-block"},
    "norms-fixed": {"norms-shared", "norms-paired", "rows-opposite", "precision-lost"},
    "norms-shared": {"norms-dependent", "norms-paired"}, "norms-sorted": {"norms-paired"},
    "discrete": {"norms-fixed", "precision-lost", "half-space", "rows-opposite", "rows-repeated", "hadamard-factors"},
    "rounded": {"zero-rows", "precision-lost", "rotation-law"},
    "zero-rows": {"coupling-other", "precision-lost", "last-block", "norms-sorted"},
    "precision-lost": {"coupling-other", "last-block"}, "projections-shared": {"blocks-permuted", "rows-opposite"},
    "directions-cached": {"rotation-law", "qr-signs", "half-space"}, "norms-cached": {"norms-sorted", "norms-paired"},
    "half-space": {"qr-signs"},
    "rows-opposite": {"rows-centred", "angles-other", "norms-shared", "block-size", "coupling-other"},
    "rotation-law": {"qr-signs", "half-space", "rows-opposite", "blocks-permuted", "projections-shared"},
    "hadamard-factors": {"hadamard-signs", "rotation-law"},
    "padding": {"rounded", "zero-rows", "coupling-other", "last-block", "rotation-law"},
    "last-block": {"norms-shared", "rows-opposite", "half-space", "mean-offset"},
    "norms-of-block": {"rotation-law"},
    # these widen the spread of the contrasts beyond the variance of the promised law
    "chi-freedom": {"norms-of-block", "scale", "hadamard-signs"},
    "scale": {"norms-of-block", "hadamard-signs"}}  # fmt: skip


def _measured(m: MatrixMeasures, name: str) -> tuple[float, float]:
    """Relative bias of the average of exp(w . v), and its standard error."""
    values = m.over[f"exp {name}"] / m.case.promised(m.case.directions[name], exponential=True)
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
    closed = f"E Q_11 = -Gamma(d/2)/(sqrt(pi) Gamma((d+1)/2)) = {mean[0]:.4f}"
    if m.case.coupling.norm_law == "chi":
        closed = (
            "E exp(w_1.v) = exp(|v|^2/2) (1 - erf(v_1/sqrt 2)) for the first row of a block with w_11 < 0: "
            f"{percent(first)} along (1,..,1); {closed}"
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
    if m.column_gap > ROUNDING:
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
    if norms.std() > ROUNDING * mean or norms.size < 2:
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
    bias = percent(laws.fixed_norm_bias(d, mean))
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
    if (np.diff(squares, axis=0) == 0).all():
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
    if "across" not in m.over or not refuted(findings, "blocks", "variance", "coupling"):
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
    if not refuted(findings, "directions", word="contrast"):
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
    if min(d, m.case.m) < 2 or not refuted(findings, "directions", word="Hadamard"):
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
    return None if _shifted(m) else _law_of_norms(m, findings)


def _shifted(m: MatrixMeasures) -> bool:
    """Whether the mean of all rows is not 0, or in few calls may not be: their rows count as independent there."""
    mean, squares = m.sum_rows.sum(0), float(m.sum_squares.sum())
    few = m.calls < SURE and float(special.chdtrc(m.case.d, m.case.d * float(mean @ mean) / squares)) < FITS
    return few or m.off_centre < row_laws.CERTAIN


def _law_of_norms(m: MatrixMeasures, findings: Sequence[Finding], alone: bool = True) -> Diagnosis | None:
    """The same of rows that are not shifted; if not ``alone``, their directions have a defect of their own."""
    if not m.case.row.gaussian or not _norms_refuted(findings):
        return None
    if row_laws.norms_hang_together(m) or row_laws.lengths_unequal(m):  # no law is that of all rows
        return None
    d, squares = m.case.d, m.squares.ravel()
    mean = float(squares.mean())
    dof = max(1, round(mean))
    # the p-value ignores that the scale is fitted, so it can only be too large
    as_freedom = fit(squares, partial(special.chdtr, dof)) if dof != d else 0.0
    scaled = row_laws.spreads_as_chi(squares, d)
    as_scale = fit(squares * (d / mean), partial(special.chdtr, d)) if scaled else 0.0
    if as_freedom > FITS and as_scale > FITS:  # with enough rows the variance tells which of them it is
        if len(squares) < FEWEST:
            return None
        near = [row_laws.spread_gap(squares, v) < STANDARD_ERRORS for v in (2 * mean, 2 * mean**2 / d)]
        as_freedom, as_scale = as_freedom * (near == [True, False]), as_scale * (near == [False, True])
    if as_freedom > FITS:
        return _wrong_freedom(d, dof, as_freedom)
    if as_scale > FITS:
        scaled = not alone or (_isotropic(m) and row_laws.fits_scaled(m, scale(m)))
        return _wrong_scale(m) if scaled else None
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
    word = next((k for k, v in known.items() if abs(math.log(s / v)) < width), f"{s:.4g}")
    sentence = (
        f"all weights are too {'long' if s > 1 else 'short'} by the factor {word} (measured {s:.4f}): "
        "the estimated "
        f"kernel has the length scale {1 / s:.4g} instead of 1"
    )
    bias = percent(exponential((s * s - 1) / 2) - 1)
    closed = f"E cos(w.v) = exp(-s^2 v^2/2), E exp(w.v) = exp(s^2 v^2/2): {bias} at |v| = 1"
    return Diagnosis("scale", sentence, closed, {"factor": s, "of log": width})


def _padding(m: MatrixMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    of_calls = m.over["squares"].mean(1)  # rows of a call may be dependent
    d, mean = m.case.d, float(of_calls.mean())
    if not refuted(findings, "marginal", "coupling"):
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
    if not always and (recur_in_calls_alone(m) or structures.recur_by_rounding(m)):
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
_LEAVE_NORMS = {*OF_DIRECTIONS, "rounded", "precision-lost", "zero-rows"}
"""Facts beside which the norms may have another law or scale."""
_OF_NORMS = 2
"""So many of these laws take directions for right, or for wrong because of the norms."""
