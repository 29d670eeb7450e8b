"""The comparison of all mechanisms on a data set, by their laws or, without a law, by sampling."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from rftheory.choose.advice import Advice
from rftheory.choose.choice import Choice
from rftheory.choose.confirm import Confirmation, confirm, rows_drawn
from rftheory.choose.data import (
    Pairs,
    checked_table,
    column_scales,
    kernel_in_all,
    label_column,
    outliers,
    pairs_of,
)
from rftheory.choose.expected import TIME_UP, Laws, MapErrors, Skipped
from rftheory.choose.measured import BOUNDED, Candidate, Measurement, measure, most_rows
from rftheory.errors import (
    InvalidInput,
    NotCertified,
    NotKnown,
    OutsideDomain,
    RFTheoryError,
    checked_integer,
    checked_positive,
    checked_seconds,
)
from rftheory.exact import limits
from rftheory.exact.laws import Kernel
from rftheory.mechanisms.anisotropic import best_diagonal
from rftheory.names import load_declared
from rftheory.sample import COUPLINGS as SAMPLERS
from rftheory.sample.discrete import LAWS as COUNTS
from rftheory.sample.fast_rotations import power_of_two
from rftheory.sample.maps import FEATURE_MAPS, MAKERS
from rftheory.sample.parameters import geometric_parameter, oprf_parameter, poisson_rate
from rftheory.spec import COUPLINGS, MAPS, Coupling, FeatureMap, find_coupling

Progress = Callable[[str, int, int], None]

FEATURES_PER_ROW = {"hyperbolic": 2, "trigonometric": 2}
SLOW = "antimonotone"
NO_SAMPLER = "it is declared without a sampler"
UNSEEN = "it has no law, and draws do not show the tails of its estimates"
MISSES = "it does not reach the error wanted with as few features"
FLOOR = "for other pairs it misses the error wanted, and more rows hardly change that"
NO_ROW = "one row is more than the goal allows"
LAWLESS = "it has no law, and only exact errors were asked for"
MOST_ROWS, WITHIN_REACH = 10**9, 10**6
"""More rows are never advised; so many features are named where a goal needs more."""
NUMBERS, MOST_NUMBERS = 2 * 10**5, 2 * 10**6
"""Random numbers for a coupling without a law: about so many, and not more for many rows."""
FINALISTS, CLOSE, CLOSER = 5, 4, 16
"""How many mechanisms are measured once more, and with how many times the draws: to find their rows, and then."""
NEAR, FALL = 0.7, 4 / 3
"""Mechanisms whose error is less than this times what is wanted are measured anew with fewer rows, as if the error
fell like m^(-3/4): faster than for independent rows, slower than for points that are spread evenly."""
MOST_OTHERS, MOST_OTHERS_NUMBERS, NUMBERS_ELSEWHERE = 512, 4 * 10**5, 4 * 10**6
"""How many other pairs the winner is drawn for, of how many numbers, and with about how many random numbers:
twice as many where the number of rows depends on it."""
RAISES, MOST_RAISED = 8, 4.0
"""How often more rows are taken because an error is not reached for other pairs, of the mechanism that then has the
fewest features, and again of one alone; and at most how many times as many."""
HOPELESS = 3.0
"""Features of counts whose error is at least so many times the least one have no law worked out."""
MOST_SUMS = 50_000
"""The most sums over counts, one for each coordinate of each pair, that are worked out: about half a minute."""
CHECK, LONGEST_CHECK = 1 / 3, 30.0
"""The share of the time that is kept for drawing the winner once more, and at most how many seconds."""
SHARES = (0.5, 0.7)
"""Shares of what is left of the time after which, for other pairs and then for the same ones, no more is drawn."""
LOOK = 0.05
"""Seconds between looks whether there is an answer, where there is none when the time for the check begins."""
MOST_ANISOTROPIC = 64
"""The largest dimension for comparing maps with a parameter for each coordinate."""


def choose(
    x: Any, y: Any = None, *, kernel: Kernel = "gaussian", error: float | None = None, features: int | None = None,
    budget: int | None = None, lengthscale: float | None = None, pairs: int = 48, slow: bool = False,
    exact_only: bool = False, check: bool = True, seed: int = 0, time_limit: float | None = None,
    progress: Progress | None = None,
) -> Advice:  # fmt: skip
    """Compare every mechanism by its expected error over pairs of the data.

    The error is exact if the law of the mechanism is known. Otherwise it is measured by sampling, and the mechanism is
    ranked by the measured error plus two standard errors.

    Parameters
    ----------
    x, y : tables (n, d); pairs are rows of both, or two different rows of x.
    kernel : gaussian or softmax.
    error : the relative error wanted; the answer is the number of features that reaches it. 0.05 by default.
    features, budget : instead, the most features, or the most operations per input; the answer is the error.
    lengthscale : see `pairs_of`.
    pairs : number of pairs to use.
    slow : whether to evaluate laws that take seconds per pair; otherwise such mechanisms are measured.
    exact_only : whether to leave out mechanisms that must be measured.
    check : whether to sample the winner again and compare.
    seed : seed for the pairs and the samples.
    time_limit : seconds after which the work stops; the answer is the best of what was compared until then. A third of
        the time, or half a minute, is kept for sampling the winner again.
    progress : called with what is compared, the number of mechanisms that have been compared, and the total.

    Raises
    ------
    InvalidInput, OutsideDomain : unusable data or goals.
    NotCertified : the time was up before any mechanism was found to reach the goal.

    Examples
    --------
    >>> data = np.array([[0.0, 0.1], [0.3, 0.2], [0.1, 0.5]])
    >>> found = choose(data, error=0.05, lengthscale=1.0)
    >>> found.best.at_most <= 0.05, found.confirmation.agrees
    (True, True)
    """
    clock = Clock(time_limit)
    load_declared()  # every declared mechanism, including those not used by name yet
    goal = checked_goal(error, features, budget)
    if kernel not in ("gaussian", "softmax"):
        raise InvalidInput("kernel", needs="gaussian or softmax", got=kernel)
    checked_integer("pairs", pairs, 2)
    x, y = checked_table(x, "X"), None if y is None else checked_table(y, "Y")
    found = pairs_of(x, y, kernel=kernel, lengthscale=lengthscale, count=pairs, seed=seed)
    comparison = Comparison(found, kernel, goal, seed, progress, clock)
    comparison.laws.check_kernel()
    try:
        with comparison.in_time(check):
            comparison.exact(slow, exact_only)
            if not exact_only:
                comparison.measured()
    except NotCertified:
        if not comparison.choices:
            if comparison.needs:
                raise comparison.refused() from None
            raise
        comparison.stopped = time_limit
    classes = label_column(x) if y is None else None
    every, scales = x if y is None else np.vstack([x, y]), None
    if kernel == "gaussian":  # a function of differences
        scales = column_scales(every)
        every = every - every.mean(0, dtype=np.longdouble).astype(float)  # sums may leave the range of floats
    others = None
    if check and len(found.x) < found.total:
        count = int(np.clip(MOST_OTHERS_NUMBERS // found.d, pairs, MOST_OTHERS))
        others = pairs_of(x, y, kernel=kernel, lengthscale=found.lengthscale, count=count, seed=seed + 1)
    advice = comparison.advice(check, others)
    return replace(
        advice, tables=1 if y is None else 2, classes=classes, scales=scales, outliers=outliers(every),
        kernel_in_all=None if others is None else kernel_in_all(others, kernel),
    )  # fmt: skip


class Clock:
    """How much is left of a time limit; None: endless.

    Examples
    --------
    >>> Clock(None).left, 0 < Clock(60).left <= 60
    (inf, True)
    """

    def __init__(self, limit: float | None) -> None:
        self.limit = None if limit is None else checked_seconds("time limit", limit)
        self.start = time.monotonic()

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return math.inf if self.limit is None else self.start + self.limit - time.monotonic()

    def within(
        self, seconds: float, subject: str, wanted: str, more: Callable[[], float]
    ) -> limits.time_limit:
        """A limit that leaves so many seconds for what comes after it, unless ``more`` gives them away."""
        left = None if self.limit is None else max(self.left - seconds, limits.AGAIN)
        return limits.time_limit(left, subject, wanted, more, named=self.limit)


class Comparison:
    """The comparison on the pairs of a data set: mechanisms with a law first, then the others, then the winner.

    Parameters
    ----------
    pairs, kernel : the data.
    goal : one of error, features and budget, with its value.
    seed : seed of the draws.
    progress : as for `choose`.
    clock : the time limit.

    Attributes
    ----------
    least_raised : at least so many times the rows are taken where a measured error is not reached for other pairs.
    """

    least_raised = 1.0

    def __init__(
        self, pairs: Pairs, kernel: Kernel, goal: Mapping[str, float], seed: int, progress: Progress | None = None,
        clock: Clock | None = None,
    ) -> None:  # fmt: skip
        self.clock = clock or Clock(None)
        self.pairs, self.kernel, self.goal, self.seed = pairs, kernel, goal, seed
        self.progress = progress or (lambda label, done, total: None)
        self.stopped: float | None = None
        self.left: dict[tuple[str, str], None] = {}
        self.expected: frozenset[tuple[str, str]] = frozenset()
        self.laws = Laws(pairs, kernel)
        self.choices: list[Choice] = []
        self.errors: dict[tuple[str, str], MapErrors] = {}
        self.candidates: dict[tuple[str, str], Candidate] = {}
        self.parameters: dict[str, dict[str, object]] = {}
        self.raised: dict[str, int] = {}
        self.looked_at: set[str] = set()
        self.needs: list[tuple[float, str]] = []

    def in_time(self, check: bool) -> limits.time_limit:
        """A limit for the comparison, after which there is time to draw the winner once more, if there is a winner."""
        kept = min(CHECK * (self.clock.limit or 0), LONGEST_CHECK) if check else 0.0

        def more() -> float:
            left = self.clock.left
            return 0.0 if self.choices or left <= 0 else min(LOOK, left)

        return self.clock.within(kept, "the comparison", "a mechanism that reaches the goal", more)

    def exact(self, slow: bool, only: bool = False) -> None:
        """Add the mechanisms whose error is known exactly: features of counts last, most of which cannot win.

        ``only`` says that no others will be measured.
        """
        couplings, maps = self._couplings(), self._maps()
        served = [c for c in couplings if self._has_law(c, slow)]
        self._expect(maps, served if only else couplings)
        for feature in maps:
            self._tell(feature.name)
            try:
                self._refuse_counts(feature, slow)
            except NotKnown as problem:
                self.laws.skipped.append(Skipped(feature.name, str(problem)))
            else:
                for norms in ("chi", "fixed"):
                    self._enter_all(feature, norms, [c for c in served if c.norms == norms])
            if feature.table is not None or not self._known(feature.name):
                self._done((feature.name, coupling.name) for coupling in couplings)
        self._sort()

    def _expect(self, maps: list[FeatureMap], couplings: list[Coupling]) -> None:
        """Note what is to be compared."""
        self.left = dict.fromkeys(_mechanisms(maps, couplings))
        self.expected = frozenset(self.left)

    def _tell(self, label: str) -> None:
        total = len(self.expected)
        self.progress(label, total - len(self.left), total)

    def _done(self, names: Iterable[tuple[str, str]]) -> None:
        for name in names:
            self.left.pop(name, None)

    def _known(self, name: str) -> bool:
        """Whether a map has a law, for normal rows or for rows of fixed norm."""
        return (name, "chi") in self.errors or (name, "fixed") in self.errors

    def _enter_all(self, feature: FeatureMap, norms: str, couplings: list[Coupling]) -> None:
        """Enter a map with all couplings whose norms have this law."""
        couplings = [c for c in couplings if (feature.name, c.name) in self.left]
        if not couplings:
            return
        try:
            found = self.laws.of(feature, self.parameters[feature.name], couplings)
        except (NotKnown, OutsideDomain, NotCertified, InvalidInput) as problem:
            fixed = norms == "fixed"
            name = f"{feature.name}, rows of fixed norm" if fixed else feature.name
            self.laws.skipped.append(Skipped(name, str(problem), lawless=fixed))
            return
        self.errors[feature.name, norms] = found
        for coupling in couplings:
            self._enter(feature, coupling)

    def _refuse_counts(self, feature: FeatureMap, slow: bool) -> None:
        """Raise for features of counts with too many sums, or whose error is at once far above the least one known."""
        if feature.table is None or slow:
            return
        if self.pairs.x.size > MOST_SUMS:
            raise NotKnown("the error", feature.name, f"its law takes {self.pairs.x.size} sums, one for each"
                           " coordinate of each pair: use fewer pairs, or --slow")  # fmt: skip
        if not self.choices:
            return
        self._sort()
        best, wanted = self.choices[0], self.goal.get("error")
        least = math.sqrt(max(self.laws.least(feature, self.parameters[feature.name]), 0) / best.features)
        if least > HOPELESS * (wanted or best.error):
            raise NotKnown("the error", feature.name, f"it is slow to evaluate, and at least {least:.2g} with"
                           f" {best.features} features, where {best.name} has {best.error:.2g};"
                           " --slow evaluates it")  # fmt: skip

    def candidate(self, name: str, norms: str = "chi") -> Candidate:
        """A feature map as something to be measured, on normal rows or, where it has a law there, on fixed norms."""
        norms = norms if (name, norms) in self.errors else "chi"
        if (name, norms) not in self.candidates:
            feature = MAPS[name]
            parameters = self.parameters.setdefault(name, _parameters(feature, self.pairs))
            alone = next(c for c in COUPLINGS.values() if c.norms == norms and c.marginal)
            if (name, norms) not in self.errors:
                self.errors[name, norms] = self.laws.of(feature, parameters, [alone])
            tails = (
                np.ones(len(self.pairs.x)) if name in BOUNDED else self.laws.tails(feature, parameters, alone)
            )
            self.candidates[name, norms] = Candidate(name, parameters, self.errors[name, norms], tails)
        return self.candidates[name, norms]

    def _maps(self) -> list[FeatureMap]:
        """The maps that can be drawn; the others are noted as skipped.

        Those of bounded errors come first, so that the best that time allows is never useless for want of them, and
        those of counts last.
        """
        found = []
        for name, feature in sorted(
            MAPS.items(), key=lambda one: (one[1].table is not None, one[0] not in BOUNDED)
        ):
            if not any(name in samplers for samplers in (FEATURE_MAPS, MAKERS, COUNTS)):
                self.laws.skipped.append(Skipped(name, NO_SAMPLER))
                continue
            try:
                self.parameters[name] = _parameters(feature, self.pairs)
            except (NotKnown, OutsideDomain, NotCertified, InvalidInput) as problem:
                self.laws.skipped.append(Skipped(name, str(problem)))
                continue
            found.append(feature)
        return found

    def _couplings(self) -> list[Coupling]:
        """The couplings that can be drawn in this dimension; the others are noted as skipped."""
        found = []
        for coupling in COUPLINGS.values():
            if self.pairs.d < coupling.min_dim:
                reason = f"needs d >= {coupling.min_dim}"
            elif coupling.name == "optimised":
                reason = "its directions are fitted to one |x + y|, not to data"
            elif coupling.name not in SAMPLERS:
                reason = NO_SAMPLER
            else:
                found.append(coupling)
                continue
            self.laws.skipped.append(Skipped(coupling.name, reason))
        return found

    def _has_law(self, coupling: Coupling, slow: bool) -> bool:
        d = self.pairs.d
        if not coupling.marginal or coupling.pairs_unknown:
            return False
        return slow or not any(r.norms == SLOW for r in coupling.pairs(d, coupling.size(d)))

    def _enter(self, feature: FeatureMap, coupling: Coupling) -> None:
        d, known = self.pairs.d, self.errors[feature.name, coupling.norms]
        if not known.covers(coupling, d):
            return

        def error(m: int) -> float:
            return known.relative(m, coupling.pairs(d, m))

        wanted = self.goal.get("error")
        if wanted:
            m = _least_rows(error, wanted, known.relative_bias, coupling.size(d))
            if not m and known.relative_bias < wanted:
                rows = _rows_needed(error, wanted, known.relative_bias, coupling.size(d))
                name = f"{feature.name} x {coupling.name}"
                self.needs.append((rows * FEATURES_PER_ROW.get(feature.name, 1), name))
        else:
            m = _best_rows(error, self._rows(feature.name, coupling.name), (d, coupling.size(d)))
        if m:
            self.choices.append(self._exact_choice(feature.name, coupling, m))
        self._done([(feature.name, coupling.name)])

    def _rows(self, feature: str, coupling: str) -> int:
        """The most rows that the goal allows."""
        width = FEATURES_PER_ROW.get(feature, 1)
        if "features" in self.goal:
            return int(self.goal["features"] // width)
        low, high = (
            0,
            int(self.goal["budget"]) + 1,
        )  # high rows are too many, because each takes at least one operation
        while high - low > 1:
            middle = (low + high) // 2
            within = cost(coupling, self.pairs.d, middle)[0] + middle * width <= self.goal["budget"]
            low, high = (middle, high) if within else (low, middle)
        return low

    def _exact_choice(self, feature: str, coupling: Coupling, m: int) -> Choice:
        known, counts = self.errors[feature, coupling.norms], coupling.pairs(self.pairs.d, m)
        error = known.relative(m, counts)
        pairs_error = error * self.pairs.error_of(known.squares(m, counts), known.target)
        return self._choice(feature, coupling.name, m, error, pairs_error=pairs_error)

    def _choice(
        self, feature: str, coupling: str, m: int, error: float, standard_error: float = 0.0,
        pairs_error: float = 0.0, lost: float = 0.0,
    ) -> Choice:  # fmt: skip
        d, width = self.pairs.d, FEATURES_PER_ROW.get(feature, 1)
        operations, memory = cost(coupling, d, m)
        return Choice(feature, coupling, dict(self.parameters[feature]), m, m * width, operations + m * width, memory,
                      error, standard_error, pairs_error, lost)  # fmt: skip

    def _sort(self) -> None:
        by_features = "error" in self.goal
        self.choices.sort(key=lambda c: (c.features, c.at_most) if by_features else (c.at_most, c.features))

    def measured(self) -> None:
        """Add the mechanisms without a law. Those that sampling cannot judge are noted as skipped.

        Where an error is wanted, only those that reach it with at most as many features as the best one with a law are
        entered; how many they need is found for the best of them. The best are measured again with more draws: the
        first of many noisy numbers is too good to be true.
        """
        budget = self._first_budget()
        names = [pair for pair in product(sorted(self.parameters), COUPLINGS) if pair in self.left]
        while names:
            reached = []
            for (coupling, m), maps in self._drawn_together(names, budget).items():
                self._tell(coupling)
                for choice in self._measure(maps, coupling, m):
                    self.choices = [c for c in self.choices if c.name != choice.name] + [choice]
                    reached.append(choice)
                self._done((name, coupling) for name in maps)
            names = [(c.feature, c.coupling) for c in reached]
            best = min((c.at_most for c in reached), default=math.inf) / self.goal.get("error", math.inf)
            if not 0 < best < NEAR:
                break
            most = max(c.features for c in reached)
            budget = math.ceil(most * max(best**FALL, 1 / 4))
            if budget >= most:  # one or two features: there are no fewer to try
                break
        self._sort()
        for choice in self._finalists():
            self._look_closer(choice)
        self._sort()
        self._challenge()

    def _first_budget(self) -> int:
        """The most features of what is measured, where an error is wanted."""
        return self.choices[0].features if self.choices else MOST_ROWS

    def _most_rows(self) -> int:
        """The most rows that can be drawn often enough."""
        return most_rows(self.pairs, MOST_NUMBERS)

    def _drawn_together(self, names: list[tuple[str, str]], budget: int) -> dict[tuple[str, int], list[str]]:
        """Feature maps by coupling and number of rows: those see the same draws."""
        found, most = defaultdict(list), self._most_rows()
        for feature, coupling in names:
            wanted = "error" in self.goal
            rows = (
                min(budget // FEATURES_PER_ROW.get(feature, 1), most)
                if wanted
                else self._rows(feature, coupling)
            )
            if 0 < rows <= most:
                found[coupling, rows].append(feature)
            else:
                reason = "it has no law, and it would take too many draws to measure it" if rows else NO_ROW
                self.laws.skipped.append(Skipped(f"{feature} x {coupling}", reason))
                self._done([(feature, coupling)])
        return found

    def _measure(self, features: list[str], coupling: str, rows: int) -> list[Choice]:
        """Mechanisms that share their draws and reach the goal."""
        found = self._tried(features, coupling, rows)
        return [self._measured_choice(feature, coupling, one) for feature, one in found.items()
                if one.at_most <= self.goal.get("error", math.inf)]  # fmt: skip

    def _tried(self, features: list[str], coupling: str, rows: int) -> dict[str, Measurement]:
        """Those of the maps that can be judged by draws. Where one cannot be drawn, each is tried by itself."""
        try:
            measurements = self._drawn(features, coupling, rows)
        except RFTheoryError as problem:
            if len(features) > 1:
                return {k: v for one in features for k, v in self._tried([one], coupling, rows).items()}
            self.laws.skipped.append(Skipped(f"{features[0]} x {coupling}", str(problem)))
            return {}
        found = dict(zip(features, measurements, strict=True))
        self.laws.skipped += [Skipped(f"{feature} x {coupling}", UNSEEN)
                              for feature, one in found.items() if not one.shown]  # fmt: skip
        return {feature: one for feature, one in found.items() if one.shown}

    def _measured_choice(self, feature: str, coupling: str, found: Measurement) -> Choice:
        return self._choice(
            feature, coupling, found.rows, found.error, found.standard_error, found.pairs_error, found.lost
        )

    def _drawn(self, features: list[str], coupling: str, m: int, times: int = 1) -> list[Measurement]:
        candidates = [self.candidate(feature, COUPLINGS[coupling].norms) for feature in features]
        return measure(
            candidates, coupling, m, self.pairs, self.kernel, times * NUMBERS, self.seed, f"compare {times}"
        )

    def _finalists(self) -> list[Choice]:
        """The measured mechanisms that may be the best."""
        if not self.choices:
            return []
        best = min(choice.at_most * math.sqrt(choice.features) for choice in self.choices)
        found = [c for c in self.choices if c.standard_error and c.at_least * math.sqrt(c.features) <= best]
        return sorted(found, key=lambda choice: choice.error * math.sqrt(choice.features))[:FINALISTS]

    def _look_closer(self, choice: Choice) -> None:
        """Replace a choice by what more draws show."""
        self._tell(f"{choice.name}, with more draws")
        self.looked_at.add(choice.name)
        self.choices = [c for c in self.choices if c is not choice] + self._closer(choice)

    def _challenge(self) -> None:
        """Look closer at the best, and at others that reach the error wanted with fewer features.

        They were drawn with numbers of features that are far apart: theirs may be too many.
        """
        while "error" in self.goal and self.choices:
            best = self.choices[0]
            if best.standard_error and best.name not in self.looked_at | self.raised.keys():
                self._look_closer(best)
                self._sort()
                continue
            others = {(c.feature, c.coupling): c for c in self.choices if self._may_need_fewer(c, best)}
            drawn = self._drawn_together([*others], best.features - 1)
            reached = [one for (name, m), maps in drawn.items() for one in self._measure(maps, name, m)]
            if not reached:
                return
            first = min(reached, key=lambda choice: choice.at_most * math.sqrt(choice.features))
            self._look_closer(others[first.feature, first.coupling])
            self._sort()

    def _may_need_fewer(self, choice: Choice, best: Choice) -> bool:
        """Whether a measured choice that has more features than the best one was not looked at closer."""
        new = self._is_measured(choice) and choice.name not in self.looked_at
        return new and choice.features > best.features > FEATURES_PER_ROW.get(choice.feature, 1)

    def _closer(self, choice: Choice) -> list[Choice]:
        """The choice, measured with more draws; where an error is wanted, with about the least rows that reach it.

        Empty if it misses the goal even with a few more rows than seemed enough: its first measurement was too good.
        """
        wanted, feature, m = self.goal.get("error", math.inf), choice.feature, choice.rows
        if "error" in self.goal:
            m = self._least_measured(choice)
        for _ in range(3):
            (found,) = self._drawn([feature], choice.coupling, m, CLOSER)
            if found.at_most <= wanted:
                return [self._measured_choice(feature, choice.coupling, found)]
            m = math.ceil(m * min((found.at_most / wanted) ** 2, 1.5))
        return []

    def _least_measured(self, choice: Choice) -> int:
        """About the least number of rows whose measured error is within the goal."""
        wanted, rows, error = self.goal["error"], choice.rows, choice.at_most
        slope = 0.5  # of the error in the number of rows: one half, or more for points that are spread evenly
        for _ in range(4):
            m = math.ceil(rows * (error / wanted) ** (1 / slope))
            if m >= rows:
                break
            (found,) = self._drawn([choice.feature], choice.coupling, m, CLOSE)
            if found.at_most > wanted:  # between the two the slope is steeper
                slope = max(slope, math.log(found.at_most / error) / math.log(rows / m)) * 1.05
            else:
                rows, error = m, found.at_most
        return rows

    def advice(self, check: bool, others: Any = None) -> Advice:
        """The answer, with the winner drawn once more, and for other pairs.

        Raises
        ------
        OutsideDomain : no mechanism reaches the goal.
        """
        if not self.choices:
            raise self.refused()
        if self.stopped:
            self._sort()
        self._tell(f"{self.choices[0].name}, drawn once more")
        elsewhere, confirmation = self._checked(others) if check else (None, None)
        best, pairs = self.choices[0], self.pairs
        self._say_what_is_missing()
        return Advice(
            tuple(self.choices), tuple(self.laws.skipped), len(pairs.x), pairs.total,
            best.pairs_error / best.error if best.error else 0.0, pairs.lengthscale, self.kernel, pairs.d,
            _rms(pairs, pairs.x + pairs.y), _rms(pairs, pairs.x - pairs.y), confirmation, elsewhere,
            stopped=self.stopped, wanted=self.goal.get("error"), raised_from=self.raised.get(best.name),
            times_elsewhere=1.0 if elsewhere is None else self._times(best, elsewhere.rows),
        )  # fmt: skip

    def refused(self) -> OutsideDomain:
        """The error where no mechanism reaches the goal: what it would need, if that is known, and what to do."""
        hint = "allow a larger error, more features, or another length scale"
        if self.needs:
            features, name = min(self.needs)
            reached = self.goal["error"] * math.sqrt(features / WITHIN_REACH)
            instead = f", or ask for --error {reached:.1g}, which takes about {WITHIN_REACH:,} features"
            hint = (f"out of reach: about {features:.2g} features of {name} would be needed, the fewest of all"
                    f" mechanisms with a law. Use the exact kernel{instead * (reached < 1)}")  # fmt: skip
        return OutsideDomain("choose", needs="a mechanism that reaches the goal", got=self._goal, hint=hint)

    def _checked(self, others: Any) -> tuple[Measurement | None, Confirmation | None]:
        """The winner drawn for other pairs, and once more for the same ones, as far as there is time."""
        elsewhere = None
        try:
            with self.clock.within(0.0, "the check", "an answer", lambda: 0.0):
                self._look_again()
                if others is not None:
                    elsewhere = self._reached_elsewhere(others)
                return elsewhere, self._confirmed(self.choices[0])
        except NotCertified:
            if self.clock.left > 0:
                raise
            self.stopped = self.clock.limit
            return elsewhere, None

    def _until(self, share: float) -> float:
        """When this share of what is left of the time is over."""
        return time.monotonic() + share * self.clock.left

    def _say_what_is_missing(self) -> None:
        """Give a reason for every mechanism that is neither among the choices nor noted as skipped."""
        skipped = self.laws.skipped
        said = {choice.name for choice in self.choices} | {one.name for one in skipped if not one.lawless}
        for feature, coupling in _mechanisms(MAPS.values(), COUPLINGS.values()):
            name = f"{feature} x {coupling}"
            if not said & {feature, coupling, name}:
                waits, tried = (feature, coupling) in self.left, (feature, coupling) in self.expected
                untold = TIME_UP if waits and self.stopped else LAWLESS
                compared = MISSES if "error" in self.goal else NO_ROW
                skipped.append(Skipped(name, compared if tried and not waits else untold))

    @property
    def _goal(self) -> str:
        """What is wanted, in words."""
        return ", ".join(f"{name} {value:g}" for name, value in self.goal.items())

    def _look_again(self) -> None:
        """Correct the error of a winner whose draws may have missed a tail: there are none of those compared here."""

    def _confirmed(self, best: Choice) -> Confirmation:
        """The winner, drawn once more for the same pairs."""
        one = self.candidate(best.feature, find_coupling(best.coupling).norms)
        return confirm(best, self.pairs, self.kernel, self.seed, one, lambda m: self._error_at(best, m),
                       self._until(SHARES[1]))  # fmt: skip

    def _times(self, choice: Choice, rows: int) -> float:
        """The error with so many rows over that of the choice: more than 1 if its own are too many to be drawn."""
        return self._error_at(choice, rows) / choice.error if rows != choice.rows and choice.error else 1.0

    def _reached_elsewhere(self, others: Any) -> Measurement:
        """The winner for other pairs, with more rows, or another winner, while it misses the error wanted there."""
        before: dict[str, Measurement] = {}
        for number in range(2 * RAISES):
            best = self.choices[0]
            seen = self._elsewhere(best, others)
            wanted = self.goal.get("error", math.inf) * self._times(best, seen.rows)
            if not seen.exceeds(wanted):
                return seen
            if self._is_floor(seen, before.setdefault(best.name, seen)):
                if len(self.choices) == 1:
                    return seen
                self.laws.skipped.append(Skipped(best.name, FLOOR))
                self.choices = self.choices[1:]
            elif not self._raise(best, seen.error / wanted):
                return seen
            if number < RAISES:  # where many mechanisms miss it, in turns, none is raised far
                self._sort()
                self._challenge()
                if not self.choices:
                    raise self.refused()
        return self._elsewhere(self.choices[0], others)

    def _is_floor(self, seen: Measurement, before: Measurement) -> bool:
        """Whether more rows hardly make an error smaller that was measured first with fewer."""
        return False

    def _raise(self, choice: Choice, times: float) -> bool:
        """Take more rows of a choice whose error is so many times the one wanted, if so many can be drawn."""
        drawn = self._is_measured(choice)
        more = min(max(times ** (FALL if drawn else 2), self.least_raised), MOST_RAISED)
        m = choice.rows + math.ceil(choice.rows * (more - 1))
        coupling = find_coupling(choice.coupling)
        if m > (self._most_rows() if drawn else MOST_ROWS):
            return False
        if drawn:
            (found,) = self._drawn([choice.feature], choice.coupling, m, CLOSER)
            grown = self._measured_choice(choice.feature, choice.coupling, found)
        else:
            grown = self._exact_choice(choice.feature, coupling, m)
        self.choices = [grown if other is choice else other for other in self.choices]
        self.raised.setdefault(choice.name, choice.rows)
        return True

    def _is_measured(self, choice: Choice) -> bool:
        """Whether the error of a choice was measured: that of a law has no standard error."""
        return choice.standard_error > 0

    def _error_at(self, choice: Choice, rows: int) -> float:
        return self._exact_choice(choice.feature, find_coupling(choice.coupling), rows).error

    def _elsewhere(self, best: Choice, others: Any) -> Measurement:
        """The winner for other pairs; the standard error is that of the draws and of the choice of pairs."""
        one = self.candidate(best.feature, find_coupling(best.coupling).norms)
        rows, numbers = rows_drawn(best, self.pairs), NUMBERS_ELSEWHERE * (2 if "error" in self.goal else 1)
        (found,) = measure(
            [one], best.coupling, rows, others, self.kernel, numbers, self.seed, "elsewhere", law=False,
            until=self._until(SHARES[0]),
        )  # fmt: skip
        return replace(found, standard_error=math.hypot(found.standard_error, found.pairs_error))


def cost(coupling: str, d: int, m: int) -> tuple[int, int]:
    """Multiplications for m projections of one input, and bytes that store the projections.

    Fast rotations work in the next power of two and on whole blocks. Products of Hadamard matrices need additions and
    signs, one byte each, instead of multiplications.

    Examples
    --------
    >>> [cost(name, 64, 128) for name in ("orthogonal", "hadamard-orthogonal", "givens-orthogonal")]
    [(8192, 65536), (2304, 1408), (3072, 7168)]
    """
    size = power_of_two(d)
    layers, rows = size.bit_length() - 1, -(-m // size) * size
    if coupling.startswith("hadamard"):
        return 3 * layers * rows, 8 * m + 3 * rows
    if coupling.startswith(
        "givens"
    ):  # two butterflies with an angle for two numbers and two multiplications for each number
        return 4 * layers * rows, 8 * m + 8 * layers * rows
    return m * d, 8 * m * d


def _mechanisms(maps: Iterable[FeatureMap], couplings: Iterable[Coupling]) -> list[tuple[str, str]]:
    """All products by name; counts are independent."""
    return [(f.name, c.name) for f, c in product(maps, couplings) if f.table is None or c.name == "iid"]


def _rms(pairs: Pairs, vectors: np.ndarray) -> float:
    return math.sqrt(pairs.mean((vectors**2).sum(1)))


def checked_goal(error: float | None, features: int | None, budget: int | None) -> dict[str, float]:
    """The one goal that is given, or an error of 5 percent."""
    given = {"error": error, "features": features, "budget": budget}
    goal = {name: value for name, value in given.items() if value is not None} or {"error": 0.05}
    if len(goal) > 1:
        raise InvalidInput("choose", needs="one of error, features and budget", got=", ".join(goal))
    for name, value in goal.items():
        checked_positive(name, value)
    return goal


def _parameters(feature: FeatureMap, pairs: Pairs) -> dict[str, object]:
    """Parameters fitted to averages over all pairs of the data, such as the A of least second moment for |x + y|^2.

    Raises
    ------
    NotKnown : there is no rule for the parameters of this map.
    """
    if feature.chosen:
        raise NotKnown("an error on data", feature.name, "each pair has its own parameters; gerf uses the best ones for"
                       " the averages of the data")  # fmt: skip
    if feature.name == "gerf":
        return {"A": oprf_parameter(pairs.square_sum, pairs.d)}
    if feature.name == "anisotropic" and pairs.d <= MOST_ANISOTROPIC:
        return {"A": tuple(best_diagonal(pairs.square_sums))}
    if feature.name == "anisotropic":
        raise NotKnown("the error", feature.name, f"d = {pairs.d} is larger than {MOST_ANISOTROPIC}")
    if feature.name == "poisson":
        return {"lam": poisson_rate(pairs.square_products, pairs.d)}
    if feature.name == "geometric":
        return {"p": geometric_parameter(pairs.products)}
    if feature.parameters:
        raise NotKnown("a rule for its parameters", feature.name, "the user has to choose them")
    return {}


def _best_rows(error: Callable[[int], float], most: int, parts: tuple[int, ...]) -> int:
    """The most rows, or as many as fill frames or blocks, if a few more of a new one do harm; 0 if none are allowed."""
    found = {most, *(most - most % part for part in parts)} - {0}
    return min(found, key=lambda m: (error(m), m), default=0)


def _rows_needed(error: Callable[[int], float], goal: float, bias: float, block: int) -> float:
    """About how many rows have this error, by that of one block."""
    least = error(block)
    return block * ((least - bias) / (goal - bias)) * ((least + bias) / (goal + bias))  # squares may overflow


def _least_rows(error: Callable[[int], float], goal: float, bias: float, block: int) -> int:
    """The least m with this error; over whole blocks without the bias, that falls like m^(-1/2).

    Within the last block about the least, where an error does not fall with every row.
    """
    if bias >= goal:
        return 0
    needed = _rows_needed(error, goal, bias, block)
    if not needed <= MOST_ROWS - block:
        return 0
    blocks = max(1, math.ceil(needed / block * (1 - 1e-12)))
    while error(blocks * block) > goal:
        blocks += 1
    low, high = (blocks - 1) * block, blocks * block  # error(high) is within the goal
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if error(middle) <= goal else (middle, high)
    return high
