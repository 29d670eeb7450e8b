"""What a defect does to estimates: by how much means are off and squared errors too large, where, and how it varies.

A verdict needs few draws, the size of a defect needs more: after a defect was found, draws go on until the largest
consequence of each kind is known to KNOWN of its value. Intervals come from the spread of the draws alone, not from
the declared law, which the draws do not follow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rftheory.check.findings import mean_interval
from rftheory.check.laws import estimate_law
from rftheory.check.measures import EstimateMeasures, MatrixMeasures, Pair
from rftheory.check.properties.unbiasedness import kernel, law_of

KNOWN = 0.02
"""Half of the length of an interval, in units of the value, at which a consequence is known."""
ALPHA = 1e-4
"""Probability that one of the intervals of a report does not contain the truth, by Student's law."""
DEPENDENT = frozenset({"draws-repeated", "few-states", "seeds-overlap"})
"""Defects that make calls depend on each other: no number of them says how far an average is off."""
HOPES = 4
"""How often the number of draws is multiplied by 4 in the hope that tails turn out shorter than they look."""
SMALL = 0.1
"""Kernel values below this are not what a bias is compared with."""


@dataclass(frozen=True)
class Consequence:
    """A mean that is off, or a squared error that is not the declared one, at one place.

    Attributes
    ----------
    what : "mean of exp(w.v)", "squared error of K^", and so on.
    place : lengths, directions and angles at which it was measured.
    effect, interval : of a mean, E K^/K - 1, or E K^ - K if ``absolute``; of a squared error, its ratio to the
        declared one, less 1.

    Examples
    --------
    >>> twice = Consequence("squared error of K^", "x = y", 1.0, (0.97, 1.03))
    >>> twice.seen, twice.known, twice.told
    (True, True, '2 times what it should be [1.97, 2.03]')
    """

    what: str
    place: str
    effect: float
    interval: tuple[float, float]
    absolute: bool = False

    @property
    def seen(self) -> bool:
        """Whether its interval excludes 0."""
        low, high = self.interval
        return not low <= 0 <= high

    @property
    def precision(self) -> float:
        """Half of the length of the interval, in units of the value, or of what it should be if that is larger."""
        low, high = self.interval
        return (high - low) / 2 / max(1.0, abs(1 + self.effect) if not self.absolute else 1.0)

    @property
    def known(self) -> bool:
        """Whether it is known to KNOWN."""
        return self.precision <= KNOWN

    @property
    def size(self) -> float:
        """By which consequences are ordered: the logarithm of a factor."""
        return abs(self.effect) if self.absolute or self.effect <= -1 else abs(math.log1p(self.effect))

    @property
    def told(self) -> str:
        """The effect with its interval, for people."""
        low, high = self.interval
        if self.what.startswith("squared") or self.effect > 2:
            return f"{1 + self.effect:.3g} times what it should be [{1 + low:.3g}, {1 + high:.3g}]"
        if self.absolute:
            return f"off by {self.effect:+.3g} [{low:+.3g}, {high:+.3g}]"
        return f"off by {100 * self.effect:+.3g} % [{100 * low:+.3g}, {100 * high:+.3g}]"

    @property
    def short(self) -> str:
        """The effect and its place."""
        if self.what.startswith("squared") or self.effect > 2:
            value = f"{1 + self.effect:.3g}"
        else:
            value = f"{self.effect:+.3g}" if self.absolute else f"{100 * self.effect:+.3g} %"
        return f"{value} ({self.place})"

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON; infinite ends as text."""
        ends = [end if math.isfinite(end) else str(end) for end in self.interval]
        return {
            "what": self.what, "place": self.place, "effect": self.effect, "interval": ends,
            "absolute": self.absolute, "known": self.known,
        }  # fmt: skip


# ---- what is measured ------------------------------------------------------------------------------------

Measured = tuple[str, str, np.ndarray, bool]
"""What, where, deviations from what it should be in its unit, one a call, and whether the unit is absolute."""


def of_matrices(m: MatrixMeasures) -> list[Consequence]:
    """Means of cos, sin and exp of w.v, and squared errors of their averages, in all directions looked at."""
    return _with_intervals(list(_of_matrices(m)))


def _of_matrices(m: MatrixMeasures) -> Iterator[Measured]:
    case = m.case
    for name, v in case.directions.items():
        for key, length in (("cos", 1), ("far", 2)):
            exact = case.row.kernel_at(length * v)
            if exact < 1e-6:  # nothing that a relative error could be known of
                continue
            place = f"|v| = {length} along {name}"
            yield "mean of cos(w.v)", place, m.over[f"{key} {name}"] / exact - 1, False
        yield "mean of sin(w.v)", f"|v| = 1 along {name}", m.over[f"sin {name}"], True
        for key, length in (("exp", 1), ("exp 2", 2)) if case.row.gaussian else ():
            for sign in ("", "-"):
                place = f"|v| = {length} along {sign}{name}"
                values = m.over[f"{key} {sign}{name}"] * math.exp(-(length**2) / 2) - 1
                yield "mean of exp(w.v)", place, values, False
    if not (case.coupling.moments and case.row.gaussian):
        return
    for key, feature, length in (
        ("cos", "trigonometric", 1),
        ("far", "trigonometric", 2),
        ("exp", "positive", 1),
    ):
        law = estimate_law(feature, case.coupling.moments, case.d, case.m, float(length))
        if law is None or law.second <= 0:
            continue
        exact = math.exp(length**2 / 2) if key == "exp" else math.exp(-(length**2) / 2)
        unit = exact**2 if key == "exp" else 1.0
        what = f"squared error of the average of {'exp' if key == 'exp' else 'cos'}(w.v)"
        for name in case.directions:
            errors = (m.over[f"{key} {name}"] - exact) ** 2 / (law.second * unit)
            yield what, f"|v| = {length} along {name}", errors - 1, False


def of_estimates(m: EstimateMeasures) -> list[Consequence]:
    """Means and squared errors of the estimates of all pairs looked at."""
    return _with_intervals(list(_of_estimates(m)))


def _of_estimates(m: EstimateMeasures) -> Iterator[Measured]:
    scale = m.case.lengthscale
    for pair in m.pairs:
        values, exact = m.of(pair), kernel(m, pair)
        absolute = exact < SMALL and m.case.features in ("trigonometric", "cosine")
        gaps = values - exact if absolute else values / exact - 1
        yield f"mean of K^{' where K is small' * absolute}", _place(pair, scale), gaps, absolute
    for pair in m.pairs:
        law = law_of(m, pair)
        if law is not None and law.second > 1e-14 * law.mean**2:
            errors = (m.of(pair) - kernel(m, pair)) ** 2 / law.second
            yield "squared error of K^", _place(pair, scale), errors - 1, False


def _place(pair: Pair, scale: float) -> str:
    """The pair with its norms, and the angle if both have one."""
    norms = [float(np.linalg.norm(v)) for v in (pair.x, pair.y)]
    unit = "" if scale == 1 else " length scales"
    said = f"|x| = {norms[0]:.3g}, |y| = {norms[1]:.3g}{unit}"
    if min(norms) > 0:
        said += f", angle {math.degrees(pair.angle):.0f} degrees"
    return f"{pair.name}: {said}"


def _with_intervals(measured: Sequence[Measured]) -> list[Consequence]:
    alpha = ALPHA / max(len(measured), 1)
    found = []
    for what, place, gaps, absolute in measured:
        interval = mean_interval(gaps, alpha)
        if not absolute:  # what is measured is nonnegative, or its mean is, for it estimates a positive one
            interval = max(interval[0], -1.0) if what.startswith("squared") else interval[0], interval[1]
        found.append(Consequence(what, place, float(gaps.mean()), interval, absolute))
    return found


# ---- what is told ----------------------------------------------------------------------------------------


def groups(found: Sequence[Consequence]) -> dict[str, list[Consequence]]:
    """The consequences of each kind, the largest that is seen and known first; a kind that is not seen is left out."""
    kinds: dict[str, list[Consequence]] = {}
    for one in found:
        kinds.setdefault(one.what, []).append(one)
    return {
        what: sorted(ones, key=lambda c: (not c.seen, math.isinf(c.precision), -c.size))
        for what, ones in kinds.items()
        if any(c.seen for c in ones)
    }


def shortfall(found: Sequence[Consequence]) -> float:
    """By which factor draws are too few for the largest consequence of each kind to be known; 1 if they are not.

    Where nothing is seen, all are to be known to be small. Infinite where all tails of a kind are too long for an
    interval: no number of draws is known to help.
    """
    leading = [ones[0] for ones in groups(found).values()] or list(found)
    return max([1.0, *((c.precision / KNOWN) ** 2 for c in leading)])


def sentences(found: Sequence[Consequence]) -> list[str]:
    """One sentence for each kind of consequence that is seen.

    Examples
    --------
    >>> means = [
    ...     Consequence("mean of K^", "x = y", 0.5, (0.49, 0.51)),
    ...     Consequence("mean of K^", "x = -y", 0.01, (0.0, 0.02)),
    ... ]
    >>> sentences(means)
    ['the mean of K^ is off by +50 % [+49, +51] at x = y; elsewhere +1 % (x = -y)']
    >>> sentences(means[1:])
    ['no mean and no squared error that was looked at is seen to change, to 0.99 %']
    """
    said = []
    for what, ones in groups(found).items():
        first, rest = ones[0], sorted(ones[1:], key=lambda c: c.effect)
        sentence = f"the {what} is {first.told} at {first.place}"
        if not first.known and math.isfinite(first.precision):
            sentence += f", known to {100 * first.precision:.2g} % only"
        elif not first.known:
            sentence += ", with tails too long for an end of the interval"
        if len(rest) == 1 or (rest and rest[0].effect == rest[-1].effect):
            sentence += f"; elsewhere {rest[0].short}"
        elif rest:
            sentence += f"; elsewhere from {rest[0].short} to {rest[-1].short}"
        said.append(sentence)
    if not said and found:
        finite = [c.precision for c in found if math.isfinite(c.precision)]
        within = f", to {100 * max(finite):.2g} %" if finite else ""
        said = [f"no mean and no squared error that was looked at is seen to change{within}"]
    return said


def pursue(
    measure: Callable[[], list[Consequence]], draw: Callable[[int], bool], calls: Callable[[], int],
    affordable: Callable[[], int],
) -> list[Consequence]:  # fmt: skip
    """Draw until the largest consequence of each kind is known, or as long as there is time; what was measured last.

    Parameters
    ----------
    draw : takes the number of calls to reach; False if no more can be made.
    calls, affordable : the number of calls made, and the number that time and memory leave room for.
    """
    hopes = HOPES
    while True:
        found, made = measure(), calls()
        factor = shortfall(found)
        hopes -= math.isinf(factor)
        if factor <= 1 or hopes < 0:
            return found
        goal = min(math.ceil(made * min(1.05 * factor, 4.0)), affordable())
        if goal < 1.05 * made or not draw(goal):
            return measure() if calls() > made else found


__all__ = ["ALPHA", "KNOWN", "Consequence", "of_estimates", "of_matrices", "pursue", "sentences", "shortfall"]
