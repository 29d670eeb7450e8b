"""The consequences of a defect: how far off means are, how much too large squared errors are, and where.

A verdict needs few draws, the size of a defect needs more: after a defect is found, drawing continues until the
largest consequence of each kind is known to a relative precision of KNOWN. Intervals use only the spread of the
draws, not the declared law, which the draws do not follow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rftheory.check.findings import Level, mean_interval, nonnegative_mean, plain
from rftheory.check.laws import ErrorLaw, error_law
from rftheory.check.measures import EstimateMeasures, MatrixMeasures, Pair
from rftheory.check.properties.unbiasedness import kernel, law_of

KNOWN = 0.02
"""A consequence counts as known when half the length of its interval is below this share of its value."""
ALPHA = 1e-4
"""Probability that any interval of a report misses the true value, by Student's law."""
DEPENDENT = frozenset({"draws-repeated", "few-states", "seeds-overlap", "calls-unalike"})
"""Defects by which calls depend on each other or change, so that no number of them shows how far off an average is."""
WITHOUT_EFFECT = frozenset({"seed-ignored", "inputs-changed"})
"""Defects of calls, which change no mean and no squared error."""
HOPES = 4
"""How often to multiply the number of draws by 4 if tails look long: they may turn out to be shorter."""
ROUNDING = 1e-5
"""Deviations that differ by less from call to call are the same up to rounding, and 0 if all are smaller than that."""
SMALL = 0.1
"""Biases are not expressed relative to kernel values below this."""


@dataclass(frozen=True)
class Consequence:
    """A biased mean, or a squared error other than the declared one, at one place.

    Attributes
    ----------
    what : "mean of exp(w.v)", "squared error of K^", and so on.
    place : lengths, directions and angles at which it was measured.
    effect, interval : for a mean, E K^/K - 1, or E K^ - K if ``absolute``; for a squared error, its ratio to the
        declared one minus 1.
    given : what the interval assumes, if without it there is no end: as for `Finding`.

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
    given: str = ""

    @property
    def seen(self) -> bool:
        """Whether its interval excludes 0."""
        low, high = self.interval
        return not low <= 0 <= high

    @property
    def precision(self) -> float:
        """Half the length of the interval, relative to the value or, if larger, to what it should be."""
        low, high = self.interval
        return (high - low) / 2 / max(1.0, abs(1 + self.effect) if not self.absolute else 1.0)

    @property
    def known(self) -> bool:
        """Whether its relative precision is at most KNOWN."""
        return self.precision <= KNOWN

    @property
    def size(self) -> float:
        """The size by which consequences are ordered: the logarithm of a factor."""
        return abs(self.effect) if self.absolute or self.effect <= -1 else abs(math.log1p(self.effect))

    @property
    def told(self) -> str:
        """The effect and its interval, in words."""
        low, high = self.interval
        if self.as_factor:
            given = f" (if {self.given}, as promised)" if self.given else ""
            return f"{1 + self.effect:.3g} times what it should be [{1 + low:.3g}, {1 + high:.3g}]{given}"
        if self.absolute:
            return f"off by {self.effect:+.3g} [{low:+.3g}, {high:+.3g}]"
        return f"off by {100 * self.effect:+.3g} % [{100 * low:+.3g}, {100 * high:+.3g}]"

    @property
    def as_factor(self) -> bool:
        """Whether the effect is told as a factor: for squared errors, large means, and means of the other sign."""
        return self._squared or not (self.absolute or -1 <= self.effect <= 2)

    @property
    def _squared(self) -> bool:
        return self.what.startswith("squared")

    @property
    def value(self) -> str:
        """The effect in a few letters."""
        if self.as_factor:
            return f"{1 + self.effect:.3g}" + ("" if self._squared else " times")
        return f"{self.effect:+.3g}" if self.absolute else f"{100 * self.effect:+.3g} %"

    @property
    def short(self) -> str:
        """The effect and its place."""
        return f"{self.value} ({self.place})"

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON; infinite ends as text."""
        return plain({
            "what": self.what, "place": self.place, "effect": self.effect, "interval": self.interval,
            "absolute": self.absolute, "known": self.known, "given": self.given,
        })  # fmt: skip


# ---- measurements ------------------------------------------------------------------------------------------


class Measured(NamedTuple):
    """What, where, the deviations from the right value (one per call, in its unit), and whether that unit is absolute.

    For squared errors, which are positive, also their promised law.

    Examples
    --------
    >>> Measured("mean of K^", "x = y", np.zeros(2), absolute=True).law is None
    True
    """

    what: str
    place: str
    gaps: np.ndarray
    absolute: bool = False
    law: ErrorLaw | None = None


def of_matrices(m: MatrixMeasures) -> list[Consequence]:
    """Means of cos, sin and exp of w.v, and squared errors of their averages, in all measured directions."""
    return _with_intervals(list(_of_matrices(m)))


def _of_matrices(m: MatrixMeasures) -> Iterator[Measured]:
    case = m.case
    for name, v in case.directions.items():
        for key, length in (("cos", 1), ("far", 2)):
            exact = case.promised(length * v)
            if exact < (1e-6 if case.coupling.rows else SMALL):  # too small for a relative error
                continue
            place = f"|v| = {length} along {name}"
            yield Measured("mean of cos(w.v)", place, m.over[f"{key} {name}"] / exact - 1)
        yield Measured("mean of sin(w.v)", f"|v| = 1 along {name}", m.over[f"sin {name}"], absolute=True)
        for key, length in (("exp", 1), ("exp 2", 2)) if case.row.gaussian else ():
            for sign in ("", "-"):
                place = f"|v| = {length} along {sign}{name}"
                values = m.over[f"{key} {sign}{name}"] / case.promised(length * v, exponential=True) - 1
                yield Measured("mean of exp(w.v)", place, values)
    if not (case.coupling.moments and case.row.gaussian):
        return
    for key, feature, length in (
        ("cos", "trigonometric", 1),
        ("far", "trigonometric", 2),
        ("exp", "positive", 1),
    ):
        law = error_law(feature, case.coupling.moments, case.d, case.m, float(length))
        if law is None:
            continue
        exact = math.exp(length**2 / 2) if key == "exp" else math.exp(-(length**2) / 2)
        unit = exact**2 if key == "exp" else 1.0
        what = f"squared error of the average of {'exp' if key == 'exp' else 'cos'}(w.v)"
        for name in case.directions:
            errors = (m.over[f"{key} {name}"] - exact) ** 2 / (law.mean * unit)
            yield Measured(what, f"|v| = {length} along {name}", errors - 1, law=law)


def of_estimates(m: EstimateMeasures) -> list[Consequence]:
    """Means and squared errors of the estimates of all measured pairs."""
    return _with_intervals(list(_of_estimates(m)))


def _of_estimates(m: EstimateMeasures) -> Iterator[Measured]:
    scale = m.case.lengthscale
    for pair in m.pairs:
        values, exact = m.of(pair), kernel(m, pair)
        absolute = exact < SMALL and m.case.features in ("trigonometric", "cosine")
        gaps = values - exact if absolute else values / exact - 1
        yield Measured(f"mean of K^{' where K is small' * absolute}", _place(pair, scale), gaps, absolute)
    for pair in m.pairs if m.case.m_given else ():
        law = law_of(m, pair)
        if law is not None and law.second > 1e-14 * law.mean**2:
            errors = (m.of(pair) - kernel(m, pair)) ** 2 / law.second
            yield Measured("squared error of K^", _place(pair, scale), errors - 1, law=ErrorLaw(*law.square))


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
    for what, place, gaps, absolute, law in measured:
        if np.abs(gaps).max() <= ROUNDING:
            gaps = np.zeros_like(gaps)
        low, high = float(gaps.min()), float(gaps.max())
        interval = (low, high) if high - low <= ROUNDING else mean_interval(gaps, alpha)
        if not absolute:  # the measured value, or the positive mean that it estimates, cannot be negative
            interval = max(interval[0], -1.0) if what.startswith("squared") else interval[0], interval[1]
        one = Consequence(what, place, float(gaps.mean()), interval, absolute)
        found.append(one if law is None else _below(one, gaps, law, alpha))
    return found


def _below(one: Consequence, gaps: np.ndarray, law: ErrorLaw, alpha: float) -> Consequence:
    """A squared error with an end above that follows from the promised moments, if it is seen to be smaller only so."""
    if not law.moments or one.effect >= 0 or math.isfinite(one.interval[1]):
        return one
    moments = {k: moment / law.mean**k for k, moment in law.moments.items()}
    tested = nonnegative_mean("", "", 1 + gaps, 1.0, moments, Level(alpha), math.inf, at_most=True)
    if not tested.lower:
        return one
    # the effect of the test, which is that of cut values if its interval is
    return replace(one, effect=tested.effect, interval=tested.interval, given=tested.given)


# ---- sentences --------------------------------------------------------------------------------------------


def groups(found: Sequence[Consequence]) -> dict[str, list[Consequence]]:
    """The consequences by kind, the largest seen and known one first; kinds without a visible effect are omitted."""
    kinds: dict[str, list[Consequence]] = {}
    for one in found:
        kinds.setdefault(one.what, []).append(one)
    return {
        what: sorted(ones, key=lambda c: (not c.seen, math.isinf(c.precision), -c.size))
        for what, ones in kinds.items()
        if any(c.seen for c in ones)
    }


def shortfall(found: Sequence[Consequence]) -> float:
    """The factor by which draws are too few to know the largest consequence of each kind; 1 if they suffice.

    If no effect is visible, all effects must be known to be small. The factor is infinite if all tails of a kind are
    too long for an interval, so that no number of draws is known to help.
    """
    leading = [ones[0] for ones in groups(found).values()] or list(found)
    return max([1.0, *((c.precision / KNOWN) ** 2 for c in leading)])


def sentences(found: Sequence[Consequence]) -> list[str]:
    """One sentence for each kind of visible consequence.

    Examples
    --------
    >>> means = [
    ...     Consequence("mean of K^", "x = y", 0.5, (0.49, 0.51)),
    ...     Consequence("mean of K^", "x = -y", 0.01, (0.0, 0.02)),
    ... ]
    >>> sentences(means)
    ['the mean of K^ is off by +50 % [+49, +51] at x = y; elsewhere +1 % (x = -y)']
    >>> sentences(means[1:])
    ['none of the means and squared errors that were measured is seen to change by more than 0.99 %']
    """
    said = []
    for what, ones in groups(found).items():
        first, rest = ones[0], sorted(ones[1:], key=lambda c: c.effect)
        sentence = f"the {what} is {first.told} at {first.place}"
        if not first.known and math.isfinite(first.precision):
            sentence += f", known to within {100 * first.precision:.2g} %"
        elif not first.known:
            sentence += ", with tails too long for an end of the interval"
        if len(rest) == 1:
            sentence += f"; elsewhere {rest[0].short}"
        elif rest and rest[0].value == rest[-1].value:
            sentence += f"; elsewhere {rest[0].value}"
        elif rest:
            sentence += f"; elsewhere from {rest[0].short} to {rest[-1].short}"
        said.append(sentence)
    if not said and found:
        finite = [c.precision for c in found if math.isfinite(c.precision)]
        within = f" by more than {100 * max(finite):.2g} %" if finite else ""
        said = [f"none of the means and squared errors that were measured is seen to change{within}"]
        if (open_ones := len(found) - len(finite)) and finite:
            said[0] += f"; for {open_ones} of {len(found)} the tails are too long to tell"
    return said


def pursue(
    measure: Callable[[], list[Consequence]], draw: Callable[[int], bool], calls: Callable[[], int],
    affordable: Callable[[], int],
) -> list[Consequence]:  # fmt: skip
    """Draw until the largest consequence of each kind is known or time is up; return the last measurements.

    Parameters
    ----------
    draw : draws until the given number of calls is reached; returns False if no more can be made.
    calls, affordable : the number of calls made, and the number that time and memory allow.
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
