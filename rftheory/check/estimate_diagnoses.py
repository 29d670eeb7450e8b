"""Named diagnoses of kernel estimates: from refuted tests to a sentence with its consequence and the size of the bias.

A diagnosis is named only if something was refuted at the family-wise level *and* its own discriminating statistic
fits: a fact that does not depend on chance, or a model that all means follow instead of the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from rftheory.check import drift, laws, structures
from rftheory.check.diagnosis import (
    FITS,
    ROUNDING,
    STANDARD_ERRORS,
    SURE,
    Diagnosis,
    exponential,
    fit,
    percent,
    refuted,
)
from rftheory.check.findings import Finding
from rftheory.check.measures import OF_ONE_ROW, EstimateMeasures, Pair
from rftheory.check.properties import variance
from rftheory.check.properties.unbiasedness import kernel, law_of, of_norm
from rftheory.judge import Outcome
from rftheory.spec import find_map

MANY = 4096
"""Number of calls after which the first of several fitting models is named."""
SMALLEST_FACTOR = 5e-3
"""Features in 16 bits are off by less."""
RATIO_KNOWN = 0.03
"""The relative standard error from which on ratios of squared errors tell other maps from fewer projections."""
SMALL = 0.1
"""Smaller kernel values say nothing of features that vanish, which may be smaller by more than a tenth there."""
ALMOST_ALL = 0.9
"""The share of draws in which K^(x, x) is not K if that is not due to some inputs x only."""


def of_estimates(m: EstimateMeasures, findings: Sequence[Finding]) -> list[Diagnosis]:
    """The diagnoses that fit kernel estimates; of the models of the means, the first that explains them all."""
    of_calls = (structures.seed_ignored(findings), _inputs_changed(findings))
    return _of_values(m, findings) + [found for found in of_calls if found is not None]


def _inputs_changed(findings: Sequence[Finding]) -> Diagnosis | None:
    """Each call is given copies of its inputs, so that what it writes into them changes nothing else that is seen."""
    if not refuted(findings, "determinism", word="leaves the inputs"):
        return None
    sentence = (
        "a call writes into the inputs that it is given: it changes the caller's data, and so the result of the next "
        "call with them. Each call was given copies here, so that no other test is affected. Look for x *= s, "
        "x -= y, out=x and sorting in place, and write x = x * s, or start with a copy"
    )
    return Diagnosis("inputs-changed", sentence)


def _of_values(m: EstimateMeasures, findings: Sequence[Finding]) -> list[Diagnosis]:
    if not refuted(findings):
        return []
    if refuted(findings, "determinism", word="different draws"):
        return [_draws_repeated(m)]
    if (change := drift.of_calls(m.over["estimates"])) is not None:
        pair = m.pairs[change.column]
        return [drift.named(m.of(pair), f"K^ at {pair.name}", change.calls)]
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


def _draws_repeated(m: EstimateMeasures) -> Diagnosis:
    """One draw for all calls, or for neighbouring ones: pairs that stay in their place tell which."""
    still = [k for k, pair in enumerate(m.pairs) if not pair.turns]
    fixed, rounded = (
        "a seed is fixed inside, or the seed that is passed is ignored",
        "neighbouring seeds are rounded to one",
    )
    if not still:
        sentence = f"calls with different seeds give the same estimates: {fixed}, or {rounded}"
    elif (np.ptp(m.over["estimates"][:, still], axis=0) == 0).all():
        sentence = f"every call gives the same estimates: {fixed}"
    else:
        sentence = f"calls with different seeds give the same estimates: {rounded}"
    return Diagnosis("draws-repeated", sentence)


def _fits(m: EstimateMeasures, model: Callable[[Pair], float]) -> bool:
    """Whether every mean of the panel lies within five standard errors of the model."""
    for pair in m.pairs:
        values, claimed = m.of(pair), model(pair)
        error = float(values.std()) / math.sqrt(len(values))
        allowed = STANDARD_ERRORS * error + 2e-4 * abs(claimed) + 1e-9
        if math.isinf(claimed) or abs(float(values.mean()) - claimed) > allowed:
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
    exact = kernel(m, variance.far(m))
    bias, error = float(values.mean()) - exact, float(values.std()) / math.sqrt(m.calls)
    if bias < STANDARD_ERRORS * error:  # as of positive features
        return None
    if not _fits(m, lambda p: max(kernel(m, p), float(m.of(p).mean()))):  # clipping lowers no mean
        return None
    ties = float((values == lowest).mean())
    how = f"{100 * ties:.0f} % of them equal {lowest:g}" if ties > 0.05 else "no feature product is negative"
    sentence = (
        "negative estimates are clipped: trigonometric estimates of a kernel near 0 are negative in half of the "
        f"draws, but none of {m.calls} was ({how}). Small kernel values are biased upwards, by "
        f"{bias:+.3g} where K = {exact:.2g}"
    )
    law = math.sqrt(1 / (2 * m.case.m) / (2 * math.pi))
    closed = "where K = 0 the bias is E max(K^, 0) = sigma/sqrt(2 pi)"
    told = m.case.m_given and m.case.kernel != "softmax"
    closed += f" = {law:.3g} for m = {m.case.m} (many features)" * told
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


def _norms_fixed(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not _biased(findings) or not m.case.row.gaussian or m.case.features not in OF_ONE_ROW:
        return None
    d = m.case.d
    if m.calls < MANY or d < 2 or m.case.fixes_norms:
        return None

    def model(p: Pair) -> float:
        return of_norm(m, p, math.sqrt(d))

    if not (_fits(m, model) and _tells(m, model)):
        return None
    v, z = ("x + y", "+d |v|^2/4") if find_map(m.case.features).norm == "v" else ("x - y", "-d |v|^2/4")
    sentence = (
        "the means are those of projections that all have the norm sqrt(d): the norm of a Gaussian vector is chi "
        "distributed. The estimates converge to another kernel. Multiply each projection by a chi norm; products of "
        "Hadamard matrices and signs need one too. If the norms are meant, --as orthogonal-fixed or "
        "hadamard-orthogonal-fixed says so"
    )
    closed = f"E K^ is 0F1(; d/2; {z}), v = {v}, in place of exp({'+' if z[0] == '+' else '-'}|v|^2/2)"
    bias = percent(laws.fixed_norm_bias(d, math.sqrt(d), exponential=z[0] == "+"))
    return Diagnosis("norms-fixed", sentence, f"{closed}: {bias} at |v| = 1, d = {d}", {"norm": math.sqrt(d)})


def _kernel_scale(m: EstimateMeasures, findings: Sequence[Finding]) -> Diagnosis | None:
    if not _biased(findings) or m.case.features == "angular-hybrid" or not m.case.row.gaussian:
        return None
    softmax = m.case.kernel == "softmax"

    def exponent(p: Pair) -> float:
        return float(p.x @ p.y) if softmax else -(p.distance**2) / 2

    def model(p: Pair, s2: float) -> float:
        return exponential(s2 * exponent(p))

    def precision(p: Pair) -> float:  # of the logarithm of the mean, in units of its exponent
        return abs(exponent(p)) * float(m.of(p).mean()) / (float(m.of(p).std()) + 1e-12)

    best = max(m.pairs, key=precision)
    square = 0.0
    if m.calls >= MANY and precision(best) > 0:  # with fewer draws some factor always fits
        square = math.log(float(m.of(best).mean())) / exponent(best)
    known = {2.0: "sqrt 2", 0.5: "1/sqrt 2", 4.0: "2", 0.25: "1/2", 4 * math.pi**2: "2 pi",
             m.case.lengthscale**2: "the length scale",
             m.case.lengthscale**4: "the square of the length scale"}  # fmt: skip

    def fits(s2: float) -> bool:
        stretched = partial(model, s2=s2)
        return s2 > 0 and abs(s2 - 1) > 0.02 and _fits(m, stretched) and _tells(m, stretched)

    fitting = [s2 for s2 in known if fits(s2)] or [s2 for s2 in (square,) if fits(s2)]
    if not fitting or (len(fitting) > 1 and not square > 0):  # more draws will tell
        return None
    s2 = min(fitting, key=lambda one: abs(math.log(one / square))) if len(fitting) > 1 else fitting[0]
    sentence = (
        f"the estimates are those of a kernel with another length scale: frequencies are too "
        f"{'high' if s2 > 1 else 'low'} by the factor {known.get(s2, f'{math.sqrt(s2):.4g}')} (some mean "
        "exp(-|x-y|^2), others exp(-|x-y|^2/2))"
    )
    return Diagnosis("kernel-scale", sentence, f"E K^ = K^{s2:.4g}", {"square of the factor": s2})


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
    seed_ignored = refuted(
        findings, "determinism", word="the same seed"
    )  # which explains that two calls differ
    if seed_ignored and _projections_unshared(m, findings) is None:
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

    def near(p: Pair) -> float:
        exact, seen = kernel(m, p), float(m.of(p).mean())
        return float(np.clip(seen, 0.9 * exact, 1.1 * exact)) if exact > SMALL else seen

    if not _fits(m, near):  # features of another kernel may vanish where this one does not
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
    if variance.at_far(m).min() >= 0:  # no waves
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
    if m.case.features not in ("positive", "hyperbolic"):
        return None
    values = m.of(next(p for p in m.pairs if p.name == "x = y"))
    if m.calls < SURE or float(values.std()) > ROUNDING * float(abs(values.mean())):
        return None
    if m.over["estimates"].min() < 0:  # cos^2 + sin^2 does not vary either
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
    ratios, name = [], m.case.coupling.name
    alone = replace(m, case=replace(m.case, coupling=laws.coupling_law("iid")))
    for pair in variance.chosen(m):
        law = law_of(alone, pair)
        if law is None or law.second <= 0:
            return None
        errors = (m.of(pair) - kernel(m, pair)) ** 2 / law.second
        ratios.append((float(errors.mean()), float(errors.std()) / math.sqrt(len(errors))))
    (one, first), (two, second) = ratios[0], ratios[-1]
    if max(first / one, second / two) > RATIO_KNOWN:
        return None  # errors of another map have other ratios at other places
    if name != "iid" and all(abs(ratio - 1) < STANDARD_ERRORS * error for ratio, error in ratios):
        sentence = (
            f"means are right, but squared errors are those of m = {m.case.m} independent projections, although {name} "
            "was declared. Declare --as iid, or check that the step that couples the rows is reached"
        )
        return Diagnosis("coupling-other", sentence, evidence={"found": "iid", "declared": name})
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
    _estimate_offset, _missing_offset, _projections_unshared, _norms_fixed, _kernel_scale, _feature_offset,
    _waves_apart, _phases, _phase_shared, _clipped, _lambda_shared, _lambda_swapped, _fewer_projections)  # fmt: skip
