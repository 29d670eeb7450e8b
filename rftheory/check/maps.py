"""Which feature map a user's features are: what a few inputs of one draw show, and what a run shows afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rftheory.check.diagnosis import Diagnosis, unexplained
from rftheory.check.findings import Finding, Level, mean_interval, open_question
from rftheory.check.measures import EstimateMeasures
from rftheory.check.properties.unbiasedness import kernel
from rftheory.judge import Outcome

SAME = 1e-4
"""Numbers that agree to this relative accuracy count as equal: features may be stored in single precision."""
STEP = 0.5
"""Length of the inputs at which features are compared with D exp(A |w|^2 + B w.x + C |x|^2)."""


def map_of(phi: np.ndarray) -> str:
    """The map with these features (n, F), the first of the input 0, where sines are 0 and phases seen."""
    layouts = _layouts(phi)
    if (phi < 0).any():
        lit = np.abs(phi[0][phi[0] != 0])
        halves = 2 * len(lit) == phi.shape[1] and np.ptp(lit) < SAME * lit.mean()
        circles = any(np.ptp(a**2 + b**2) < SAME * (a**2 + b**2).mean() for a, b in layouts)
        return "trigonometric" if halves or circles else "cosine"
    products = [a * b for a, b in layouts]
    constant = any((np.ptp(ab, axis=1) < SAME * np.abs(ab).mean(1)).all() for ab in products)
    return "hyperbolic" if constant else "positive"


def _layouts(phi: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The two features of each projection, as halves and as neighbours, if their number is even."""
    half, rest = divmod(phi.shape[1], 2)
    return [] if rest or not half else [(phi[:, :half], phi[:, half:]), (phi[:, ::2], phi[:, 1::2])]


def gerf_inputs(d: int, lengthscale: float) -> np.ndarray:
    """The inputs whose features `gerf_exponent` takes: 0, and steps forwards and backwards along the axes."""
    steps = STEP * lengthscale * np.eye(d)
    return np.concatenate([np.zeros((1, d)), steps, -steps])


def gerf_exponent(phi: np.ndarray) -> float | None:
    """A, if features (2 d + 1, F) at `gerf_inputs` are D exp(A |w|^2 + B w.x + C |x|^2) with B^2 = 1 - 4 A, else None.

    Steps to both sides give B w and C. What is left at 0 must be a linear function of |B w|^2, of slope A/B^2. Its
    constant, and C, may be wrong: that is for the tests of means to find.

    Examples
    --------
    >>> w = np.random.default_rng(1).standard_normal((8, 3))
    >>> x = gerf_inputs(3, 1.0)
    >>> phi = np.exp(-0.2 * (w**2).sum(1) + np.sqrt(1.8) * x @ w.T - (x**2).sum(1, keepdims=True))
    >>> gerf_exponent(phi), gerf_exponent(phi + 1), gerf_exponent(phi / phi[0])
    (-0.2, None, None)
    """
    if phi.shape[1] < 3 or not (phi > 0).all():
        return None
    logs = np.log(phi)
    zero, forwards, backwards = logs[0], *np.split(logs[1:], 2)
    squares = (((forwards - backwards) / (2 * STEP)) ** 2).sum(0)
    bends = (forwards + backwards) / 2 - zero
    spread = float(np.ptp(zero))
    if spread < SAME or np.ptp(bends) > SAME * max(1.0, spread) or np.ptp(squares) == 0:
        return None
    slope, constant = np.polyfit(squares, zero, 1)
    if np.abs(slope * squares + constant - zero).max() > 1e-3 * spread or slope <= -1 / 4:
        return None
    return round(float(slope / (1 + 4 * slope)), 6)


# ---- a guess that the run does not bear out ----------------------------------------------------------------


def is_another(
    measures: EstimateMeasures, findings: Sequence[Finding], named: Sequence[Diagnosis], level: Level
) -> bool:
    """Whether all that a run refuted may only mean that the map is not the guessed one.

    So it is if every refuted test assumes the map, no named defect explains them all, and there is no pair of inputs at
    which estimates by the map, and these, are the kernel in every draw. Squared errors alone name no defect then.
    """
    exact = [f for f in findings if f.assumes == "identity" and f.place]
    if exact and all(f.outcome is not Outcome.REFUTED for f in exact):
        return False
    refuted = [f for f in findings if f.outcome is Outcome.REFUTED]
    sure = [diagnosis for diagnosis in named if diagnosis.name != "fewer-projections"]
    return bool(unexplained(refuted, sure)) and all(_assumes_map(f, measures, level) for f in refuted)


def _assumes_map(found: Finding, measures: EstimateMeasures, level: Level) -> bool:
    """Whether unbiased estimates by some other map may fail the test.

    A mean of positive values that is too large is wrong for every map. One that is too small may not be if the map has
    larger moments than the guessed one: rare large values can be missing. Then the spread of the draws decides.
    """
    if found.assumes:
        return True
    small = found.topic == "unbiasedness" and found.unit == "relative" and found.effect < 0
    return small and mean_interval(_gaps(measures, found), level.alpha)[1] >= 0


def without_map(measures: EstimateMeasures, findings: Sequence[Finding], level: Level) -> list[Finding]:
    """The findings that are left where the map is not known: means, open where only the map could decide them."""
    kept = [f for f in findings if f.topic != "variance" and f.outcome is not Outcome.REFUTED]
    lost = [f for f in findings if f.place and f.topic == "unbiasedness" and f.outcome is Outcome.REFUTED]
    return kept + [_open_mean(measures, f, level) for f in lost]


def _open_mean(measures: EstimateMeasures, found: Finding, level: Level) -> Finding:
    """The mean of the pair that a test is about, with its interval; nothing is decided."""
    gaps, label = _gaps(measures, found), f"mean of K^ at {found.place}"
    opened = open_question(found.topic, label, "the moments of this map are not known", len(gaps))
    interval = mean_interval(gaps, level.alpha)
    return replace(opened, effect=float(gaps.mean()), unit="relative", interval=interval)


def _gaps(measures: EstimateMeasures, found: Finding) -> np.ndarray:
    """Relative errors of the estimates of the pair that a test is about."""
    pair = next(p for p in measures.pairs if p.name == found.place)
    return measures.of(pair) / kernel(measures, pair) - 1
