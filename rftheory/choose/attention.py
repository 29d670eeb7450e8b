"""Which mechanism, and how many features, for attention: every mechanism is drawn, and its rows of weights compared.

Attention takes kernel estimates relative to their sum over the keys. The error of such a ratio has no law, and the
error of the kernel does not tell it: what all estimates of a query share cancels. So nothing is ranked, or left out, by
laws here: all mechanisms are measured on the same queries, those that may be the best again with more draws, and the
winner with new draws, on these queries and on others. Its kernel estimates are compared with their law.

Where weights have signs, an estimated row may be of any size, and its mean error infinite. A row that lies farther off
than positive weights allow counts as the farthest of those, and so does one whose weights have no positive sum.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

import numpy as np
from scipy.special import softmax

from rftheory.choose.advice import FAR, Advice, Attention
from rftheory.choose.choice import Choice
from rftheory.choose.comparison import (
    CLOSE,
    CLOSER,
    FALL,
    MISSES,
    MOST_SUMS,
    RAISES,
    SHARES,
    Clock,
    Comparison,
    Progress,
    checked_goal,
)
from rftheory.choose.confirm import Confirmation, confirm
from rftheory.choose.data import Pairs, checked_table, pairs_of
from rftheory.choose.expected import Skipped
from rftheory.choose.measured import CHUNK, Measurement, drawn_features
from rftheory.errors import InvalidInput, NotCertified, NotKnown, OutsideDomain, checked_integer
from rftheory.exact.laws import IID
from rftheory.names import load_declared
from rftheory.sample import Stream, random_features
from rftheory.sample.attention import weights
from rftheory.spec import MAPS, find_coupling

MOST_KEYS = 2048
"""All keys are taken up to so many; else as many, drawn at random."""
OTHERS = 256
"""For how many other queries the winner is drawn."""
DRAWS, LEAST_DRAWS, NUMBERS = 64, 8, 25 * 10**5
"""How often a mechanism is drawn when it is first compared: at most, at least, and with about how many numbers."""
BEYOND = 3.0
"""After the least draws one goes on only if its error less so many standard errors is not above what it must reach."""
MOST_ROWS, MOST_NUMBERS = 2**15, 3 * 10**7
"""The most rows that are drawn, and the most numbers that the features of several maps may be at once."""
LEAST_FEATURES, MOST_FEATURES = 2, 4096
"""Numbers of features, doubled from the first, until one reaches the error wanted."""
MORE, SLOWEST = 1.25, 1 / 8
"""Rows are added so many times as many at least; an error that falls more slowly then than m^(-1/8) is at its floor."""
FEW_LOST = 0.01
"""The share of sums that are not positive from which on an error does not tell how it falls."""
LARGEST = 1e12
"""Squared norms that leave four digits behind the point of an exponent."""


def choose_attention(
    queries: Any, keys: Any, values: Any = None, *, error: float | None = None, features: int | None = None,
    budget: int | None = None, lengthscale: float | None = None, count: int = 48, check: bool = True, seed: int = 0,
    time_limit: float | None = None, progress: Progress | None = None,
) -> Advice:  # fmt: skip
    """Compare every mechanism by the error of attention with estimated weights exp(q.k), divided by their sum.

    With values, the error is ||A' V - A V||_F / ||A V||_F, root mean square over the draws, where A are the weights
    and A' their estimates. Without values it is the total variation distance of A' and A, mean over queries and draws.
    All are measured; `Advice.attention` says on how many queries and keys.

    Parameters
    ----------
    queries, keys, values : tables (n_q, d), (n_k, d) and (n_k, q), or no values.
    error, features, budget, seed, time_limit, progress : as for `choose`. 4096 features are tried at most for an error.
    lengthscale : queries and keys are divided by it; d^(1/4) by default.
    count : number of queries to use.
    check : whether to draw the winner again, on the same queries and on others.

    Raises
    ------
    InvalidInput, OutsideDomain : unusable data or goals; no mechanism reaches the error.
    NotCertified : the time was up before any mechanism was found to reach the goal.

    Examples
    --------
    >>> queries, keys = np.random.default_rng(1).standard_normal((2, 30, 4))
    >>> found = choose_attention(queries, keys, features=32, count=8)
    >>> 0 < found.best.error < found.attention.equal < 1, found.attention.keys
    (True, 30)
    """
    clock = Clock(time_limit)
    load_declared()
    goal = checked_goal(error, features, budget)
    queries, keys = checked_table(queries, "queries"), checked_table(keys, "keys")
    values = None if values is None else checked_table(values, "values")
    if values is not None and len(values) != len(keys):
        raise InvalidInput("values", needs=f"one row for each of the {len(keys)} keys", got=len(values))
    checked_integer("count", count, 2)
    pairs = pairs_of(queries, keys, kernel="softmax", lengthscale=lengthscale, count=count, seed=seed)
    order = np.random.default_rng(seed).permutation(len(queries))
    queries, keys = queries / pairs.lengthscale, keys / pairs.lengthscale
    rows, others = Rows.of(queries, keys, values, order[:count], seed), None
    if len(order) > count:
        others = Rows.of(queries, keys, values, order[count : count + OTHERS], seed + 1)
    comparison = AttentionComparison(pairs, rows, goal, seed, progress, clock)
    try:
        with comparison.in_time(check):
            comparison.measured()
    except NotCertified as late:
        if not comparison.choices:
            raise NotCertified(late.subject, wanted=late.wanted, reached=late.reached + comparison.so_far,
                               hint=f"{late.hint}, or give fewer keys") from None  # fmt: skip
        comparison.stopped = time_limit
    found = comparison.advice(check, others)
    law, independent = comparison.by_law_in_time(found.best) if check else (None, False)
    said = Attention(len(rows.keys), len(keys), values is not None, rows.equal, law, independent)
    return replace(found, stopped=comparison.stopped, tables=2, attention=said, pairs=len(rows.queries),
                   pairs_total=len(queries))  # fmt: skip


@dataclass(frozen=True)
class Rows:
    """Some rows of exact attention.

    Attributes
    ----------
    queries, keys, values : (n_q, d), (n_k, d) and (n_k, q) or None.
    total : number of queries in the data.
    exact : (n_q, n_k), the weights, or (n_q, q), the attention.
    """

    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray | None
    total: int
    exact: np.ndarray

    @classmethod
    def of(
        cls, queries: np.ndarray, keys: np.ndarray, values: np.ndarray | None, taken: np.ndarray, seed: int
    ) -> Rows:
        """The rows of the queries taken, over all keys or `MOST_KEYS` of them.

        Raises
        ------
        OutsideDomain : norms so large that exponents lose their digits, or values whose attention is 0.
        """
        total, queries = len(queries), queries[taken]
        if len(keys) > MOST_KEYS:
            some = np.random.default_rng(seed).choice(len(keys), MOST_KEYS, replace=False)
            keys, values = keys[some], None if values is None else values[some]
        longest = max(float((side**2).sum(1).max()) for side in (queries, keys))
        if longest > LARGEST:
            raise OutsideDomain("attention", needs=f"squared norms up to {LARGEST:g}, in units of the length scale",
                                got=longest, hint="exponents overflow; choose a larger length scale")  # fmt: skip
        exact = softmax(queries @ keys.T, axis=1)
        if values is not None:
            size = float(np.abs(values).max()) or 1.0  # errors are relative
            values = values / size
            exact = exact @ values
            if not exact.any():
                raise OutsideDomain("values", needs="an attention that is not 0", got=0)
        return cls(queries, keys, values, total, exact)

    @cached_property
    def farthest(self) -> np.ndarray:
        """(n_q,), the largest error of each query with positive weights: 1, or that of the farthest value."""
        if self.values is None:
            return np.ones(len(self.queries))
        return np.array([((self.values - row) ** 2).sum(1).max() for row in self.exact])

    @cached_property
    def sizes(self) -> np.ndarray:
        """(n_q,), by whose mean the errors of queries are divided: squares of the attention, or 1."""
        return np.ones(len(self.queries)) if self.values is None else (self.exact**2).sum(1)

    @property
    def equal(self) -> float:
        """The error of equal weights, which need no features."""
        return self.measurement(*self.errors(np.ones((1, len(self.queries), len(self.keys)))), 0).error

    def errors(self, estimated: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The errors (B, n_q) of estimated weights (B, n_q, n_k), and whether the sum of the weights is not positive.

        Errors are total variation distances, or squared distances from the attention.
        """
        sums = estimated.sum(-1)
        with np.errstate(all="ignore"):  # a sum may be 0
            shares = estimated / sums[..., None]
            if self.values is None:
                found = np.abs(shares - self.exact).sum(-1) / 2
            else:
                found = ((shares @ self.values - self.exact) ** 2).sum(-1)
        return np.fmin(np.where(sums > 0, found, math.inf), self.farthest), ~(sums > 0)

    def measurement(self, errors: np.ndarray, lost: np.ndarray, rows: int) -> Measurement:
        """The error from those of draws and queries, with standard errors due to the draws and to the queries."""
        draws, count = errors.shape
        unit = float(self.sizes.mean())
        mean = float(errors.mean()) / unit
        of_draws = float(errors.mean(1).std(ddof=1)) / unit / math.sqrt(draws) if draws > 1 else 0.0
        apart = errors.mean(0) - mean * self.sizes  # of a ratio of means
        of_queries = float(apart.std(ddof=1)) / unit / math.sqrt(count) if count > 1 else 0.0
        of_queries *= math.sqrt(1 - count / self.total)
        slope = 1.0
        if self.values is not None:
            mean = math.sqrt(mean)
            slope = 1 / (2 * mean) if mean else 0.0
        return Measurement(
            rows, draws, mean, slope * of_draws, pairs_error=slope * of_queries, lost=float(lost.mean())
        )


class AttentionComparison(Comparison):
    """The comparison of all mechanisms by the errors of attention.

    Parameters
    ----------
    pairs : of queries and keys: they determine parameters, and the law of the winner.
    rows : of attention.
    goal, seed, progress, clock : as for `Comparison`.

    Attributes
    ----------
    least : while an error is sought, the least that was found, with how many features, and by which mechanism.
    """

    least_raised = MORE

    def __init__(
        self, pairs: Pairs, rows: Rows, goal: Any, seed: int, progress: Progress | None = None,
        clock: Clock | None = None,
    ) -> None:  # fmt: skip
        super().__init__(pairs, "softmax", goal, seed, progress, clock)
        self.rows = rows
        self.known: dict[_Key, Measurement] = {}
        self.least = (math.inf, 0, "")
        self._expect(self._maps(), self._couplings())

    def _drawn(self, features: list[str], coupling: str, m: int, times: int = 1) -> list[Measurement]:
        keys = [_Key(feature, coupling, m, times) for feature in features]
        new = [key.feature for key in keys if key not in self.known]
        if new and times == 1:
            self._race(new, coupling, m)
        elif new:
            found = self._measured_on(self.rows, new, coupling, m, times, f"compare {times}")
            self.known |= {_Key(name, coupling, m, times): one for name, one in zip(new, found, strict=True)}
        return [self.known[key] for key in keys]

    def _race(self, features: list[str], coupling: str, m: int) -> None:
        """Compare maps by few draws, and those that may still win by all of them."""
        draws, purpose = self._draws(self.rows, m), "compare 1"
        least = min(draws, LEAST_DRAWS)
        first = self._errors_on(self.rows, features, coupling, m, range(least), purpose)
        seen = [self.rows.measurement(*one, m) for one in first]
        bar = self.goal.get("error", min((one.at_most for one in (*self.known.values(), *seen)), default=0.0))
        ahead = [k for k, one in enumerate(seen) if one.error - BEYOND * one.standard_error <= bar]
        if ahead and draws > least:
            names = [features[k] for k in ahead]
            rest = self._errors_on(self.rows, names, coupling, m, range(least, draws), purpose)
            for k, more in zip(ahead, rest, strict=True):
                errors, lost = (np.concatenate(both) for both in zip(first[k], more, strict=True))
                seen[k] = self.rows.measurement(errors, lost, m)
        self.known |= {_Key(name, coupling, m, 1): one for name, one in zip(features, seen, strict=True)}

    def _draws(self, rows: Rows, m: int) -> int:
        """How often a mechanism is drawn."""
        return int(np.clip(NUMBERS // _numbers(rows, m), LEAST_DRAWS, DRAWS))

    def _measured_on(
        self, rows: Rows, features: list[str], coupling: str, m: int, times: int, purpose: str
    ) -> list[Measurement]:
        found = self._errors_on(rows, features, coupling, m, range(times * self._draws(rows, m)), purpose)
        return [rows.measurement(*one, m) for one in found]

    def _errors_on(
        self, rows: Rows, features: list[str], coupling: str, m: int, blocks: range, purpose: str
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Errors of maps for some rows of attention, with the same projections, as many at once as memory allows."""
        numbers = _numbers(rows, m)
        together = max(1, MOST_NUMBERS // numbers)
        if len(features) > together:
            parts = [features[k : k + together] for k in range(0, len(features), together)]
            return [
                one for part in parts for one in self._errors_on(rows, part, coupling, m, blocks, purpose)
            ]
        made = [random_features(one, coupling, m, d=self.pairs.d, **self.parameters[one]) for one in features]
        stream = Stream.named(f"choose/attention/{purpose}/{coupling}", seed=self.seed, kind="native")
        step = max(1, CHUNK // (numbers * len(made)))
        found: list[list[Any]] = [[] for _ in made]
        for start in range(blocks.start, blocks.stop, step):
            part = range(start, min(start + step, blocks.stop))
            drawn = drawn_features(made, stream, part, rows.queries, rows.keys, "softmax")
            for own, features_of in zip(found, drawn, strict=True):
                own.append(rows.errors(weights(features_of)))
        tables = (map(np.concatenate, zip(*own, strict=True)) for own in found)
        return [(errors, lost) for errors, lost in tables]

    def _most_rows(self) -> int:
        return MOST_ROWS

    def _first_budget(self) -> int:
        """The least power of two with which one of the mechanisms reaches the error wanted.

        On the way those are left out that would miss it even if their error fell like m^(-3/4) from here on.
        """
        features, names = LEAST_FEATURES, list(self.left)
        while "error" in self.goal:
            found: dict[tuple[str, str], Measurement] = {}
            for (coupling, m), maps in self._drawn_together(names, features).items():
                self._tell(f"{coupling}, {features} features")
                found |= {(name, coupling): one for name, one in self._tried(maps, coupling, m).items()}
            seen = [(one.error, features, " x ".join(name)) for name, one in found.items()]
            self.least = min([self.least, *seen])
            if not found or self._reaches(found):
                break
            most = self.goal["error"] * (MOST_FEATURES / features) ** (1 / FALL)
            missing = [name for name, one in found.items() if one.lost < FEW_LOST and one.at_least > most]
            if features >= MOST_FEATURES or len(missing) == len(found):
                self._give_up()
            reason = f"with {features} features it is far from the error wanted"
            self.laws.skipped += [Skipped(" x ".join(name), reason) for name in missing]
            self._done({*names} - {*found} | {*missing})
            names, features = [name for name in found if name in self.left], 2 * features
        return features

    def _reaches(self, found: Mapping[tuple[str, str], Measurement]) -> bool:
        """Whether one of these reaches the error wanted, with more draws too: the least of many is too good."""
        (feature, coupling), one = min(found.items(), key=lambda item: item[1].at_most)
        if one.at_most > self.goal["error"]:
            return False
        return self._drawn([feature], coupling, one.rows, CLOSE)[0].at_most <= self.goal["error"]

    @property
    def so_far(self) -> str:
        """The least error that was found, in words."""
        error, features, name = self.least
        if not name:
            return ""
        return (f"; with {features} features the least error so far is {error:.2g} ({name}), and equal weights have"
                f" {self.rows.equal:.2g}")  # fmt: skip

    def _give_up(self) -> NoReturn:
        error, features, name = self.least  # with fewer features than the most, if more would not do
        hint = (f"the least error with {features} features is {error:.2g} ({name}), and equal weights have"
                f" {self.rows.equal:.2g}: allow a larger error, or set a larger length scale")  # fmt: skip
        needs = f"a mechanism that reaches the goal with {MOST_FEATURES} features at most"
        raise OutsideDomain("choose", needs=needs, got=self._goal, hint=hint)

    def _look_again(self) -> None:
        """Draw the winner anew, until one has no larger error than when it won: rare draws that carry it were missed.

        If norms are small, features of random degrees, say, are constants in all but one of a thousand draws.
        """
        for number in range(RAISES):
            best = self.choices[0]
            (found,) = self._measured_on(
                self.rows, [best.feature], best.coupling, best.rows, CLOSER, f"again {number}"
            )
            if found.error <= FAR * best.at_most:
                return
            others = self.choices[1:]
            if others and found.at_most > self.goal.get("error", math.inf):
                self.choices = others
                self.laws.skipped.append(Skipped(best.name, MISSES))
            else:
                self.choices = [self._measured_choice(best.feature, best.coupling, found), *others]
            self._sort()

    def _is_measured(self, choice: Choice) -> bool:
        """All are, also where all draws are the same."""
        return True

    def _elsewhere(self, best: Choice, others: Rows) -> Measurement:
        # the queries are many more, and their choice says more about the error than the draws do
        (found,) = self._measured_on(others, [best.feature], best.coupling, best.rows, CLOSE, "elsewhere")
        return replace(found, standard_error=math.hypot(found.standard_error, found.pairs_error))

    def _is_floor(self, seen: Measurement, before: Measurement) -> bool:
        """Where rows of one norm are biased, an error does not fall below that of infinitely many."""
        return seen.rows >= MORE * before.rows and seen.exceeds(
            before.error * (before.rows / seen.rows) ** SLOWEST
        )

    def _confirmed(self, best: Choice) -> Confirmation:
        (found,) = self._measured_on(self.rows, [best.feature], best.coupling, best.rows, CLOSER, "confirm")
        return Confirmation(best.rows, found.error, found.standard_error, best.error, best.standard_error)

    def by_law_in_time(self, best: Choice) -> tuple[Confirmation | None, bool]:
        """As `by_law`, or nothing where the time is up."""
        try:
            with self.clock.within(0.0, "the check", "a comparison with a law", lambda: 0.0):
                return self.by_law(best)
        except NotCertified:
            self.stopped = self.clock.limit
            return None, False

    def by_law(self, best: Choice) -> tuple[Confirmation | None, bool]:
        """The kernel estimates of a mechanism beside their law, and whether they have independent rows instead.

        That is where its coupling has no law. None without a law of the map, or where it takes long.
        """
        feature, own = MAPS[best.feature], find_coupling(best.coupling)
        if feature.table is not None and self.pairs.x.size > MOST_SUMS:
            return None, False
        try:
            for coupling in [own, IID] if self._has_law(own, slow=False) else [IID]:
                known = self.laws.of(feature, best.parameters, [coupling])
                if known.covers(coupling, self.pairs.d):
                    break
            self.errors[feature.name, coupling.norms] = known
            one = self.candidate(feature.name, coupling.norms)
        except (NotKnown, OutsideDomain, NotCertified, InvalidInput):
            return None, False
        drawn = self._exact_choice(feature.name, coupling, best.rows)
        found = confirm(drawn, self.pairs, "softmax", self.seed, one, lambda m: self._error_at(drawn, m),
                        self._until(SHARES[1]))  # fmt: skip
        return found, coupling != own


def _numbers(rows: Rows, m: int) -> int:
    """How many numbers one draw of one map takes."""
    return max(m * (len(rows.queries) + len(rows.keys)), len(rows.queries) * len(rows.keys))


class _Key(NamedTuple):
    """What was measured, and with how many times the draws."""

    feature: str
    coupling: str
    rows: int
    times: int
