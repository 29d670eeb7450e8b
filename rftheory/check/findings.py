"""Findings (the results of single tests, with effect, interval and detectable effect) and the tests that make them.

No tolerance is arbitrary. A test has a level, assigned by the run, and a goal: the effect that it must be able to
see. It agrees only if an effect of that size would have been refuted with power 0.999.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from scipy import optimize, special

from rftheory.judge import Bins, Budget, Outcome
from rftheory.judge.betting import detectable_effect
from rftheory.judge.budget import POWER

PROPERTIES = ("marginal", "directions", "coupling", "blocks", "unbiasedness", "variance", "stability",
    "determinism")  # fmt: skip


KS_VALUES = 1 << 18
"""A Kolmogorov-Smirnov test uses this many values, the first ones, and so sees a distance of 0.011."""

SKIPPED = 32
"""Between how many sorted values a distribution function is first evaluated."""

FAR = 1e6
"""The largest factor by which the shape of a gamma law is sought too small or too large."""

INDEPENDENT = "the values of a call are independent"

OF_CUT = "effect and interval are those of the mean of the values, cut where their moments allow it"

TOO_FEW = "too few draws to see an effect of the goal's size"

SMALLEST = 2.0**-24
"""Smaller values count as 0: generators that draw with 24 bits sometimes return 0."""

COINS = 1 / (4 * special.ndtr(-math.sqrt(2)))
"""Largest ratio, 3.178, of the tail of a weighted sum of fair signs to the normal tail."""


OVERFLOWS = 1e100
"""The cubes of larger deviations leave the range of floats."""

FEWEST, TAIL_INDEX = 64, 2.0
"""The fewest values for an interval of a mean, and the tail index above which the variance is finite."""


@dataclass(frozen=True)
class Finding:
    """The result of one test of one property.

    Attributes
    ----------
    topic, test : the property, and what was compared with what.
    outcome : agrees, refuted or undecided.
    n : number of independent draws used.
    effect, interval : size of the difference, in ``unit``, and the values that are not refuted.
    given : what the interval assumes beyond independent calls: the rest of the promise that the test used, if without
        it a difference of 0 is not refuted.
    detectable, goal : the effect that is refuted with power 0.999, and the one that was asked for.
    p : p-value, or 1 / capital of a betting test.
    assumes : what the test takes from the feature map, if unbiased estimates by another map may fail it: a "law", or an
        "identity" that holds in every draw.
    place : the name of the pair of inputs that the test is about.
    lower : whether a value of which only an excess is a defect is below the claim, at the level of the test.

    Examples
    --------
    >>> found = Finding(
    ...     "blocks", "rows of two blocks", Outcome.AGREES, 900, 0.01, "correlation", (-0.1, 0.12), 0.15, 0.2, 0.5
    ... )
    >>> print(found.line)
    agrees: rows of two blocks: +0.01 [-0.1, +0.12] correlation (n = 900, detectable 0.15, goal 0.2)
    """

    topic: str
    test: str
    outcome: Outcome
    n: int
    effect: float
    unit: str
    interval: tuple[float, float]
    detectable: float
    goal: float
    p: float
    reason: str = ""
    given: str = ""
    assumes: str = ""
    place: str = ""
    lower: bool = False

    @property
    def word(self) -> str:
        """The outcome; of a value below the claim that is accepted, that it is lower."""
        accepted = self.lower and self.outcome is Outcome.AGREES
        return "lower than declared, no defect" if accepted else str(self.outcome)

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON; infinite values as text."""
        content = asdict(self) | {"outcome": str(self.outcome), "interval": list(self.interval)}
        content["property"] = content.pop("topic")
        return plain(content)

    def with_goal(self, goal: float) -> Finding:
        """This finding with a smaller goal: undecided if an effect of that size might have been missed."""
        if self.goal <= goal:
            return self
        if self.outcome is Outcome.AGREES and self.detectable > goal:
            return replace(self, goal=goal, outcome=Outcome.UNDECIDED, reason=TOO_FEW)
        return replace(self, goal=goal)

    @property
    def short(self) -> float:
        """The factor by which draws are too few to decide: 1 if they suffice, infinite if no number of them would."""
        if self.outcome is not Outcome.UNDECIDED:
            return 1.0
        return (self.detectable / self.goal) ** 2 if self.goal > 0 else math.inf

    @property
    def span(self) -> str:
        """The effect and its interval, if any: facts, and tests in runs with dependent calls, have none."""
        if math.isnan(self.effect):
            return "no effect measured"
        low, high = self.interval
        interval = "" if math.isnan(low) or low == high else f" [{low:+.3g}, {high:+.3g}]"
        given = f" if {self.given}, as promised" if self.given else ""
        return f"{self.effect:+.3g}{interval} {self.unit}{given}"

    def widened(self, low: float, high: float, given: str) -> Finding:
        """This finding with an interval that holds without a part of the promise that its test used.

        Where that leaves a difference of 0 possible, a test that found one keeps its own interval and says what it
        assumes. So no interval contradicts its verdict, one without an assumption always holds, and the others hold if
        it does.

        Examples
        --------
        >>> found = Finding("blocks", "", Outcome.REFUTED, 9, 0.3, "relative", (0.1, 0.5), 0.1, 0.2, 1e-9)
        >>> print(found.widened(0.05, 0.6, "rows are independent").span)
        +0.3 [+0.05, +0.6] relative
        >>> print(found.widened(-0.1, 0.7, "rows are independent").span)
        +0.3 [+0.1, +0.5] relative if rows are independent, as promised
        """
        low, high = min(self.interval[0], low), max(self.interval[1], high)
        if (self.outcome is Outcome.REFUTED or self.lower) and low <= 0 <= high:
            return replace(self, given=given)
        return replace(self, interval=(low, high))

    @property
    def power(self) -> str:
        """What the test would have seen: the detectable effect and its goal, or for extremes, which have none, their p.

        Empty for facts, which do not depend on chance.
        """
        if self.goal > 0:
            return f"detectable {self.detectable:.2g}, goal {self.goal:.2g}"
        return f"p = {self.p:.2g}" if math.isnan(self.interval[0]) else ""

    @property
    def line(self) -> str:
        """The finding in one line."""
        seen = f"n = {self.n}, {self.power}" if self.power else f"n = {self.n}"
        return f"{self.word}: {self.test}: {self.span} ({'; '.join(filter(None, (seen, self.reason)))})"


@dataclass(frozen=True)
class Level:
    """False-alarm probability of one test at one look; ``final`` asks for intervals, which take time.

    ``goal`` is the effect to be excluded, for tests that choose what they measure.
    """

    alpha: float
    final: bool = True
    goal: float = math.inf

    @property
    def budget(self) -> Budget:
        return Budget(self.alpha, tests=1)


def _decide(p: float, level: Level, detectable: float, goal: float) -> tuple[Outcome, str]:
    if p <= level.alpha:
        return Outcome.REFUTED, ""
    if detectable > goal:
        return Outcome.UNDECIDED, TOO_FEW
    return Outcome.AGREES, ""


def ks(
    prop: str, test: str, values: np.ndarray, cdf: Callable[..., Any], level: Level, goal: float = 0.17
) -> Finding:
    """Kolmogorov-Smirnov test of independent values against an exact distribution function.

    P-value and interval follow from the Dvoretzky-Kiefer-Wolfowitz inequality with Massart's constant, which holds
    for every n and loses nothing at small p; a distance of ``detectable`` is refuted with power 0.999. Values (B, k)
    belong to k rows in B calls; if calls are independent, the interval holds even if rows are not: `Finding.widened`.
    """
    values = np.asarray(values, dtype=float)
    rows = math.prod(values.shape[1:])
    values = np.sort(values.ravel()[: max(KS_VALUES, math.ceil(40 / min(level.goal, 1.0) ** 2))])
    n = len(values)
    distance = ks_distance(values, cdf)
    radius = math.sqrt(math.log(2 / level.alpha) / (2 * n))
    detectable = radius + math.sqrt(math.log(2 / (1 - POWER)) / (2 * n))
    p = min(1.0, 2 * math.exp(-2 * n * distance**2))
    outcome, reason = _decide(p, level, detectable, goal)

    def within(radius: float) -> tuple[float, float]:
        return max(0.0, distance - radius), min(1.0, distance + radius)

    wide = math.sqrt(math.log(2 * rows / level.alpha) / (2 * max(n // rows, 1)))
    found = Finding(
        prop, test, outcome, n, distance, "KS distance", within(radius), detectable, goal, p, reason
    )
    return found.widened(*within(wide), INDEPENDENT)


def ks_distance(values: np.ndarray, cdf: Callable[..., Any]) -> float:
    """The Kolmogorov-Smirnov distance of sorted values from a distribution function.

    The function is evaluated at every SKIPPED-th value, and elsewhere only where it could be farther from the steps
    than there: between two values it lies between its values at these.

    Examples
    --------
    >>> round(ks_distance(np.array([0.1, 0.2, 0.9]), lambda x: x), 12)
    0.466666666667
    """
    n = len(values)
    at = np.unique(np.append(np.arange(0, n, SKIPPED), n - 1))
    claimed = np.asarray(cdf(values[at]), dtype=float)
    distance = max(float(((at + 1) / n - claimed).max()), float((claimed - at / n).max()))
    above, below = at[1:] / n - claimed[:-1], claimed[1:] - (at[:-1] + 1) / n
    between = (above > distance) | (below > distance)
    rest = np.concatenate([np.zeros(0, dtype=int), *map(np.arange, at[:-1][between] + 1, at[1:][between])])
    claimed = np.asarray(cdf(values[rest]), dtype=float)
    return float(np.concatenate([[distance], (rest + 1) / n - claimed, claimed - rest / n]).max())


def chi_square_sum(
    prop: str, test: str, total: float, dof: int, level: Level, goal: float, tests: int = 1,
    *, calls: int, squares: float,
) -> Finding:  # fmt: skip
    """Exact two-sided test that ``total`` is chi squared with ``dof`` degrees of freedom; effect total/dof - 1.

    ``squares`` is the sum of the squared contributions of the calls. The interval uses their spread if that exceeds
    the spread of the law, because a refuted sample may have any spread: see `Finding.widened`.
    """
    p = min(1.0, 2 * tests * min(float(special.chdtr(dof, total)), float(special.chdtrc(dof, total))))
    alpha = level.alpha / tests
    low, high = _chi_square_quantile(alpha / 2, dof), float(special.chdtri(dof, alpha / 2))
    detectable = high / _chi_square_quantile(1 - POWER, dof) - 1
    outcome, reason = _decide(p, level, detectable, goal)
    spread = math.sqrt(max(0.0, squares - total**2 / calls)) / dof
    wide = -float(special.stdtrit(max(calls - 1, 1), alpha / 2)) * spread
    effect, interval = total / dof - 1, (total / high - 1, total / low - 1 if low > 0 else math.inf)
    found = Finding(prop, test, outcome, dof, effect, "relative", interval, detectable, goal, p, reason)
    given = "values are chi squared up to a factor, and independent"
    return found.widened(effect - wide, effect + wide, given)


def _chi_square_quantile(p: float, dof: int) -> float:
    return 2 * float(special.gammaincinv(dof / 2, p))


def gamma_spread(
    prop: str, test: str, values: np.ndarray, shape: float, level: Level, goal: float
) -> Finding:
    """Exact two-sided test of the spread of independent gamma values with mean 1 and this shape.

    s = log y - y + 1 is the score of the shape, and log E exp(t s) has a closed form. So, by Chernoff's bound, the tail
    of the average of n values s is at most exp(-n L), L the log-likelihood ratio of the shape b that fits best to the
    promised one. The effect is shape / b - 1, the relative error of the variance. Values (B, k) belong to B calls.
    """
    y = np.maximum(np.asarray(values, dtype=float), SMALLEST**2)
    scores = np.log(y) - y + 1
    n, fitted = scores.size, _shape_of(float(scores.mean()), shape)

    def likelihood(a: float) -> float:
        return n * _log_ratio(a, fitted, float(scores.mean()))

    p = min(1.0, 2 * math.exp(min(likelihood(shape), 0.0)))
    detectable = shape / _shape_seen(shape, n, level.alpha) - 1
    outcome, reason = _decide(p, level, detectable, goal)
    effect, ends = shape / fitted - 1, (math.nan, math.nan)
    found = Finding(prop, test, outcome, n, effect, "relative", ends, detectable, goal, p, reason)
    if not level.final:
        return found

    def margin(b: float) -> float:
        return likelihood(b) - math.log(level.alpha / 2)

    low, high = (_root(margin, *sorted((fitted, far * shape))) for far in (1 / FAR, FAR))
    found = replace(found, interval=(shape / high - 1, shape / low - 1))
    of_calls = scores.reshape(len(scores), -1).mean(1)
    low, high = (_shape_of(end, shape) for end in mean_interval(of_calls, level.alpha))
    return found.widened(shape / high - 1, shape / low - 1, "values have gamma laws, and are independent")


def _log_ratio(a: float, b: float, score: float) -> float:
    """How the log likelihood of gamma values of mean 1 grows from shape b to a, for each, by the mean of log y - y + 1.

    K(t) - t score at the t = b - a that minimises it if the score is that of b, K(t) = log E exp(t s) at the shape a.
    """
    ratio = special.gammaln(b) - special.gammaln(a) + a * math.log(a)
    return float(ratio + b - a - b * math.log(b) - (b - a) * score)


@lru_cache(maxsize=64)
def _shape_seen(shape: float, n: int, alpha: float) -> float:
    """The shape below ``shape`` that n gamma values tell from it at the level alpha, with the power POWER.

    The root of twice the log likelihood ratio is nearly normal with spread 1, for errors of any size.

    Examples
    --------
    >>> [round(4 / _shape_seen(4.0, n, 1e-9) - 1, 2) for n in (1 << 10, 1 << 20)]
    [0.46, 0.01]
    """
    distance = math.sqrt(2 * math.log(2 / alpha)) - float(special.ndtri(1 - POWER))

    def nats(b: float) -> float:
        return -n * _log_ratio(shape, b, float(special.psi(b)) - math.log(b)) - distance**2 / 2

    return _root(nats, shape / FAR, shape)


def _shape_of(score: float, near: float) -> float:
    """The shape b of gamma values with mean 1 and this mean of log y - y + 1, psi(b) - log b, up to a factor 1e6."""
    score = min(max(score, -1e300), 0.0)
    return _root(lambda b: float(special.psi(b)) - math.log(b) - score, near / FAR, near * FAR)


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """The root between two positive numbers of a monotone function; if there is none, the end that is nearer to 0."""

    def of_log(size: float) -> float:
        return f(math.exp(size))

    logs = math.log(low), math.log(high)
    ends = [of_log(log) for log in logs]  # as the search sees them: rounding may change the sign at an end
    if not ends[0] * ends[1] < 0:
        return low if abs(ends[0]) <= abs(ends[1]) else high
    return math.exp(float(optimize.brentq(of_log, *logs, xtol=1e-12)))


def symmetric(
    prop: str, test: str, sums: np.ndarray, squares: np.ndarray, n: int, level: Level, goal: float,
    *, chosen: np.ndarray | None = None, names: np.ndarray | None = None,
) -> Finding:  # fmt: skip
    """Test that n independent values each have a law that is symmetric about 0, whatever its tails.

    Given their sizes, symmetric values are fair coin tosses, so P(sum >= x sqrt(sum of squares)) is at most 3.18 times
    the normal tail (Bentkus and Dzindzalieta 2015, Bernoulli 21, 1231: the constant is 1/(4 P(Z >= sqrt 2))). This is
    exact for every n and every law, and needs no variance. Of an array of such sums the largest is reported, by
    Bonferroni's inequality; ``chosen`` selects some, ``names`` says what their indices mean. The effect is the mean
    in units of the root mean square; the detectable effect is that for values with light tails.
    """
    total, scale = np.atleast_1d(sums), np.sqrt(np.atleast_1d(squares))
    if chosen is not None:
        scale = scale * chosen
    ratio = np.divide(total, scale, out=np.zeros(total.shape), where=scale > 0)
    worst = np.unravel_index(int(np.argmax(np.abs(ratio))), ratio.shape)
    count = ratio.size if chosen is None else int(chosen.sum())
    cost = 2 * COINS * count
    effect = float(ratio[worst]) / math.sqrt(n)
    p = min(1.0, cost * float(special.ndtr(-abs(effect) * math.sqrt(n))))
    radius = -float(special.ndtri(min(0.5, level.alpha / cost))) / math.sqrt(n)
    detectable = radius - float(special.ndtri(1 - POWER)) / math.sqrt(n)
    outcome, reason = _decide(p, level, detectable, goal)
    at = tuple(int(i if names is None else names[i]) for i in worst)
    place = f", largest at {at}" if ratio.size > 1 else ""
    interval = (effect - radius, effect + radius)
    unit = "root mean squares"
    return Finding(prop, f"{test}{place}", outcome, n, effect, unit, interval, detectable, goal, p, reason)


def squared_cosines(
    prop: str, test: str, sums: np.ndarray, n: int, d: int, level: Level, goal: float,
    *, chosen: np.ndarray, names: np.ndarray,
) -> Finding:  # fmt: skip
    """Test that squared cosines of independent directions have the mean 1/d, from sums over n calls for pairs of rows.

    The square of a coordinate of a normal vector is the squared cosine B with an axis times an independent chi squared
    length: E f(B) <= E f(Z^2 / d) for convex f, by Jensen's inequality. So Chernoff's bound for chi squared values
    holds: an average is as far as x/d from 1/d, on one side, with probability at most exp(-n (x - 1 - log x) / 2). The
    worst of the ``chosen`` pairs is reported, by Bonferroni's inequality; the effect is x - 1.
    """
    ratio = np.where(chosen, d * sums / n, 1.0)
    nats = n / 2 * (ratio - 1 - np.log(np.maximum(ratio, SMALLEST)))
    worst = np.unravel_index(int(np.argmax(nats)), ratio.shape)
    count = 2 * int(chosen.sum())
    p = min(1.0, count * math.exp(-float(nats[worst])))
    nats_of_level = 2 * math.log(count / level.alpha) / n
    edge = -float(special.lambertw(-math.exp(-1 - nats_of_level), -1).real)
    detectable = edge * n / _chi_square_quantile(1 - POWER, n) - 1
    outcome, reason = _decide(p, level, detectable, goal)
    label = f"{test}, worst at {tuple(int(names[i]) for i in worst)}"
    ends = (math.nan, math.nan)
    return Finding(
        prop, label, outcome, n, float(ratio[worst]) - 1, "relative", ends, detectable, goal, p, reason
    )


def extremes(
    prop: str, test: str, values: np.ndarray, cdf: Callable[..., Any], sf: Callable[..., Any], level: Level
) -> Finding:
    """Exact test that the smallest and the largest of n independent values >= 0 are neither too small nor too large.

    Some value lies below x with probability at most n F(x), and all lie above it with probability (1 - F(x))^n. The
    test sees what means do not: one row in a thousand that is zero, or tails that are cut off. It has no goal.
    """
    n, low, high = values.size, max(float(values.min()), SMALLEST), float(values.max())
    ways = {
        "smallest, too small": (low, n * float(cdf(low))),
        "smallest, too large": (low, math.exp(n * math.log1p(-min(float(cdf(low)), 1 - 1e-16)))),
        "largest, too small": (high, math.exp(n * math.log1p(-min(float(sf(high)), 1 - 1e-16)))),
        "largest, too large": (high, n * float(sf(high))),
    }
    name = min(ways, key=lambda key: ways[key][1])
    value, p = ways[name][0], min(1.0, 4 * ways[name][1])
    outcome = Outcome.REFUTED if p <= level.alpha else Outcome.AGREES
    unit = name if outcome is Outcome.REFUTED else name.partition(",")[0]
    return Finding(prop, test, outcome, n, value, unit, (math.nan, math.nan), 0.0, 0.0, p)


def bounded_mean(
    prop: str, test: str, values: np.ndarray, mean: float, low: float, high: float, level: Level, goal: float
) -> Finding:
    """Betting test of the mean of values in [low, high], valid for any law; ``goal`` is in the unit of the values."""
    width = high - low
    scaled = (np.asarray(values, dtype=float) - low) / width
    slack = 1e-9 + 1e-6 * (abs(low) + abs(high)) / width
    if scaled.min() < -slack or scaled.max() > 1 + slack:
        worst = float(values[np.argmax(np.abs(scaled - 0.5))])
        excess = max(low - worst, worst - high)
        label = f"{test}: values lie in [{low:.4g}, {high:.4g}]"
        return fact(prop, label, False, len(values), excess, "excess", assumes="law")
    target = (mean - low) / width
    return _bet(prop, test, Bins.of(np.clip(scaled, 0, 1)), target, (target, target), width, level, goal)


def _bet(
    prop: str, test: str, bins: Bins, claim: float, ends: tuple[float, float], scale: float, level: Level,
    goal: float, at_most: bool = False,
) -> Finding:  # fmt: skip
    """Betting test that the mean of values in [0, 1] lies between two ends, with half the level on each side.

    Effect, goal and interval are differences from ``claim``, times ``scale``; the detectable effect is the larger of
    the two sides. ``at_most`` tests one side only: a mean that is too small is then no defect, but said to be lower.
    """
    least, most = ends
    half = Budget(level.alpha, tests=1 if at_most else 2)
    log = _gain(bins, most, "greater")
    above, below = detectable_effect(bins, most, half, "greater"), 0.0
    if at_most:
        # values that are too large by a factor spread wider by it: on the way there, by half of it on average
        above /= max(1 - above / (2 * most), 0.1)
    else:
        log = max(log, _gain(bins, least, "less"))
        below = detectable_effect(bins, least, half, "less")
    p = min(1.0, half.tests * math.exp(-log))
    lower = at_most and math.exp(-_gain(bins, least, "less")) <= level.alpha
    # cutting takes about as much from a mean that is too large as from the claimed one
    detectable = scale * (max(above, below) + max(most - claim, claim - least))
    outcome, reason = _decide(p, level, detectable, goal)
    interval = (math.nan, math.nan)
    if level.final:
        interval = (bins.interval(half, "greater")[0], bins.interval(half, "less")[1])
    # what cutting takes may be missing from the mean
    low, high = scale * (interval[0] - most), scale * (interval[1] - least)
    effect = scale * (bins.mean - claim)
    return Finding(
        prop, test, outcome, bins.n, effect, "absolute", (low, high), detectable, goal, p, reason, lower=lower
    )


def _gain(bins: Bins, end: float, side: Literal["greater", "less"]) -> float:
    """The log capital of the bets against one end, or 0 if it is below.

    It is below where the mean of the data lies on the other side, since log(1 + x) <= x: no bet is weighed there.
    """
    wins = bins.mean > end if side == "greater" else bins.mean < end
    return max(bins.log_capital(end, side), 0.0) if wins else 0.0


def rarely(prop: str, test: str, values: np.ndarray, chance: float, level: Level, goal: float) -> Finding:
    """Betting test that values in [0, 1] have a mean of at most ``chance``, which may be arbitrarily small.

    The effect is the excess over the chance.
    """
    mean = min(max(chance, 1e-6), 1 - 1e-6)  # a larger claim is weaker
    bins, budget = Bins.of(values), level.budget
    p = math.exp(-_gain(bins, mean, "greater"))
    detectable = _share_seen(bins.n, mean, budget) - chance
    outcome, reason = _decide(p, level, detectable, goal)
    interval = (math.nan, math.nan)
    if level.final:
        ends = bins.interval(budget, "greater")[0], bins.interval(budget, "less")[1]
        interval = (max(0.0, ends[0] - chance), max(0.0, ends[1] - chance))
    effect = max(0.0, bins.mean - chance)
    return Finding(prop, test, outcome, bins.n, effect, "probability", interval, detectable, goal, p, reason)


@lru_cache(maxsize=256)
def _share_seen(n: int, chance: float, budget: Budget) -> float:
    """The probability of an event that n draws refute to be ``chance`` with the power of the budget; 1 at most.

    Values between 0 and 1 with this mean are seen more easily than events, whose variance is the largest.

    Examples
    --------
    >>> [round(_share_seen(n, 1e-6, Budget(1e-9)), 3) for n in (4, 64, 4096)]
    [0.936, 0.163, 0.003]
    """

    def refutes(events: int) -> bool:
        seen = Bins(n, Bins.of([0.0]).weights * (n - events) + Bins.of([1.0]).weights * events)
        return _gain(seen, chance, "greater") >= budget.log_e

    fewest = bisect.bisect_left(range(1, n + 1), True, key=refutes) + 1
    return float(special.betaincinv(fewest, n - fewest + 1, budget.power)) if fewest <= n else 1.0


def nonnegative_mean(
    prop: str, test: str, values: np.ndarray, mean: float, moments: Mapping[int, float], level: Level, goal: float,
    *, unit: float | None = None, at_most: bool = False,
) -> Finding:  # fmt: skip
    """Betting test of the mean of unbounded values Y >= 0, for any law with these moments E Y^k, k >= 2.

    The values are cut at c. By Markov's inequality E (Y - c)^+ <= E Y^k (k-1)^(k-1) / (k^k c^(k-1)), so under the
    claim the mean of min(Y, c) falls short of the mean by at most that, and values in [0, c] can be bet on. ``goal`` is
    relative to ``unit``, by default to the mean.
    """
    values = np.asarray(values, dtype=float)
    cut, loss = _cut(mean, tuple(moments.items()), len(values), level)
    if values.min() < -1e-9 * cut:
        worst = float(values.min())
        label = f"{test}: no value below the least possible"
        return fact(prop, label, False, len(values), worst, "excess", assumes="law")
    bins = Bins.of(np.clip(values, 0.0, cut) / cut)
    size = mean if unit is None else unit
    ends = mean * (1 - loss) / cut, mean / cut
    found = _bet(prop, test, bins, mean / cut, ends, cut / size, level, goal, at_most)
    return _uncut(found, values - mean, size, level, positive=True)


@lru_cache(maxsize=64)
def _cut(mean: float, moments: tuple[tuple[int, float], ...], n: int, level: Level) -> tuple[float, float]:
    """Where to cut, and the largest share of the mean that is cut off.

    A low cut loses part of the mean; a high one makes a mean that is too small hard to see, because a bet on it wins
    at most mean / c per value. The cut minimises the sum. It depends on the number of values, not on the values.
    """
    price = (level.budget.log_e + math.log(28)) / (0.9 * n)
    best = (math.inf, 2.0, 1.0)
    for half_octaves in range(2, 21):
        ratio = 2 ** (half_octaves / 2)
        for k, moment in moments:
            loss = (k - 1) ** (k - 1) / k**k * moment / (mean * (mean * ratio) ** (k - 1))
            best = min(best, (loss + price * ratio, ratio, min(loss, 0.99)))
    return best[1] * mean, best[2]


def centred_mean(
    prop: str, test: str, values: np.ndarray, fourth: float, level: Level, goal: float, *, unit: float
) -> Finding:
    """Betting test that values Z have mean 0, for any law with E Z^4 = ``fourth`` or less.

    The values are cut at -c and c, c = 6 E(Z^4)^(1/4). E (|Z| - c)^+ <= 27 E Z^4 / (256 c^3), so the mean of the cut
    values is at most that far from 0, and values in [-c, c] can be bet on. ``goal`` is in the unit of the values.
    """
    cut = 6 * fourth**0.25
    loss = 27 * fourth / (256 * cut**3)
    bins = Bins.of((np.clip(values, -cut, cut) + cut) / (2 * cut))
    ends = 0.5 - loss / (2 * cut), 0.5 + loss / (2 * cut)
    found = _bet(prop, test, bins, 0.5, ends, 2 * cut / unit, level, goal / unit)
    return _uncut(found, np.asarray(values, dtype=float), unit, level, positive=False)


def _uncut(found: Finding, values: np.ndarray, unit: float, level: Level, *, positive: bool) -> Finding:
    """The finding with the effect and interval of the values before cutting, if these alone bear out the verdict.

    The interval is widened to `mean_interval` of the values themselves, so that none ends before a tail that was drawn
    but cut off in the test. Of positive values, cutting can only lower the mean: bets then bound it from below. Where
    that leaves a difference of 0 possible, a test that found one keeps the effect that it measured, that of the cut
    values, beside its own interval: the two belong together, and the mean of the uncut values may lie outside.
    """
    whole = replace(found, unit="relative", effect=float(values.mean()) / unit)
    settled = found.outcome is Outcome.REFUTED or found.lower
    if not (level.final or settled):
        return whole
    low, high = (end / unit for end in mean_interval(values, level.alpha))
    if level.final:
        low, high = min(found.interval[0], low), max(found.interval[1], high)
    if positive:  # nan before the last look, but above 0 if the mean of the cut values is
        low = found.interval[0]
    if settled and (high >= 0 if found.effect < 0 else low <= 0):
        return replace(found, unit="relative", given="higher moments are no larger", reason=OF_CUT)
    return replace(whole, interval=(low, high)) if level.final else whole


def mean_interval(values: np.ndarray, alpha: float) -> tuple[float, float]:
    """Interval for the mean of independent values with an unknown law: Student's, widened for skewness.

    No interval for an unbounded mean is valid for every law. If the sample shows a long tail, the end on that side
    moves outwards (Johnson 1978, J. Am. Stat. Assoc. 73, 536). It is infinite if the largest values decay as slowly
    as under a law of infinite variance, because the next value may then change the mean.

    Examples
    --------
    >>> low, high = mean_interval(np.random.default_rng(1).exponential(size=4000), 1e-4)
    >>> low < 1 < high, high - low < 0.15
    (True, True)
    >>> mean_interval(np.random.default_rng(1).standard_cauchy(4000), 1e-4)
    (-inf, inf)
    """
    n = len(values)
    if n < FEWEST:
        return -math.inf, math.inf
    mean = float(np.mean(values))
    gaps = values - mean
    largest = float(np.abs(gaps).max())
    unit = largest if largest > OVERFLOWS else 1.0
    gaps = gaps / unit
    squares = gaps * gaps
    total = float(squares.sum())
    if total == 0:
        return mean, mean
    size = math.sqrt(total / (n - 1))
    quantile = -float(special.stdtrit(n - 1, alpha / 2))
    shift = unit * float((squares * gaps).mean()) / size**2 * (1 + 2 * quantile**2) / (6 * n)
    radius = unit * quantile * size / math.sqrt(n)
    low, high = mean - radius + min(shift, 0.0), mean + radius + max(shift, 0.0)
    return (
        -math.inf if tail_index(-gaps) < TAIL_INDEX else low,
        math.inf if tail_index(gaps) < TAIL_INDEX else high,
    )


def tail_index(gaps: np.ndarray) -> float:
    """Hill's estimate of the power with which the upper tail decays, from the sqrt(n) largest values.

    Below 2, the variance of such a law is infinite, and below 1 its mean.

    Examples
    --------
    >>> draws = np.random.default_rng(1).pareto(0.5, 4000)
    >>> bool(0.4 < tail_index(draws) < 0.7), tail_index(np.array([0.0, 1.0] * 20))
    (True, inf)
    """
    count = max(8, math.isqrt(len(gaps)))
    top = np.partition(gaps, -count - 1)[-count - 1 :]
    least = float(top[0])
    if least <= 0:
        return 0.0 if top.max() > 0 else math.inf
    spread = float(np.log(top[1:] / least).mean())
    return 1 / spread if spread > 0 else math.inf


def fact(
    prop: str,
    test: str,
    holds: bool,
    n: int,
    effect: float,
    unit: str,
    *,
    goal: float = 0.0,
    reason: str = "",
    assumes: str = "",
) -> Finding:
    """A statement that does not depend on chance: it holds to rounding in every draw, or it fails."""
    outcome = Outcome.AGREES if holds else Outcome.REFUTED
    return Finding(
        prop, test, outcome, n, effect, unit, (effect, effect), goal, goal, 1.0 if holds else 0.0, reason,
        assumes=assumes,
    )  # fmt: skip


def open_question(prop: str, test: str, reason: str, n: int = 0) -> Finding:
    """A test without an answer, and the reason."""
    nan = math.nan
    return Finding(prop, test, Outcome.UNDECIDED, n, nan, "", (nan, nan), math.inf, 0.0, 1.0, reason)


def plain(value: Any) -> Any:
    """The value for JSON: numbers that are not finite, which JSON has not, as text.

    Examples
    --------
    >>> plain({"interval": (0.5, math.inf), "reason": ""})
    {'interval': [0.5, 'inf'], 'reason': ''}
    """
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, float | np.floating) and not math.isfinite(value):
        return str(value)
    return value
