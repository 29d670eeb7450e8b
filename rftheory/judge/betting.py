"""An anytime-valid test of a claimed mean of values in [0, 1], and its confidence sequence.

Bet on the deviations from the claimed mean m: the capital K_n = mean_j prod_i (1 + lambda_j (Y_i - m)) is a
nonnegative martingale of mean 1 if E Y = m, so the probability that it ever reaches 1/alpha is at most alpha
(Ville 1939; Waudby-Smith and Ramdas 2024, J. R. Stat. Soc. B 86, sections 4 and 5). The test needs no limit
theorem and no variance, and may be inspected after every draw.

The data are kept as weights on a fixed set of nodes: a value between two nodes is split over both so that the
mean is unchanged. The logarithm of a bet is concave in the value, so the split can only lower the capital: tests
and intervals remain valid for every claimed mean at once, from a summary of fixed size. Power is lost only if
the values spread over less than a few steps of 1/4096; scale such values first.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rftheory.engine.moments import regular
from rftheory.errors import InvalidInput, OutsideDomain, need
from rftheory.judge.budget import Budget, check_finite
from rftheory.judge.tests import Number, Outcome, TestResult, check_tolerance, difference, too_weak

FloatArray = NDArray[np.float64]
Side = Literal["two", "greater", "less"]

SLACK = 1e-9  # values up to this far outside [0, 1] are treated as rounding errors and moved to the end
_FRACTIONS: FloatArray = 0.9 * 2.0 ** -np.arange(14.0)  # of the largest bet that cannot lose everything
_SHARE = math.log(len(_FRACTIONS))  # what the best of the bets loses to the mean of all
_NEAR, _SMALL = 5.0, 20.0
"""Where the largest log capital is within _NEAR of a threshold, bets whose log capital is smaller by _SMALL are left
out at that threshold: there, all of them together have less than 1e-6 of the capital."""


def _nodes() -> FloatArray:
    """0, 1, steps of 1/4096 between, and steps of 4 % towards both ends down to 2^-40."""
    near = _END * 2.0 ** -(np.arange(32 * 16 + 1) / 16)
    return np.unique(np.concatenate([np.linspace(0.0, 1.0, _STEPS + 1), near, 1.0 - near]))


_STEPS = 4096
_END = 2.0**-8
"""From here to one minus this, the nodes are equal steps."""
NODES = _nodes()
_OFFSET = int(np.searchsorted(NODES, _END)) - int(_END * _STEPS)


def _last_node(values: FloatArray) -> NDArray[np.intp]:
    """The index of the last node at most as large as each value; between the ends no search is needed."""
    found = (values * _STEPS).astype(np.intp) + _OFFSET
    near_end = (values < _END) | (values >= 1.0 - _END)
    found[near_end] = np.searchsorted(NODES, values[near_end], side="right") - 1
    return found


@dataclass(frozen=True, eq=False)
class Bins:
    """Values in [0, 1] as weights on fixed nodes: all that the betting test needs to know.

    An accumulator for `rftheory.engine.collect`; leaves add.

    Attributes
    ----------
    n : number of values.
    weights : (nodes,) how much of the values lies on each node; sums to n.

    Examples
    --------
    >>> both = Bins.of([0.0, 1.0, 1.0]) + Bins.of([0.5])
    >>> both.n, both.mean
    (4, 0.625)
    """

    n: int
    weights: FloatArray

    def __post_init__(self) -> None:
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 1:
            raise InvalidInput("Bins.n", needs="a positive integer", got=self.n)
        weights = np.array(self.weights, dtype=np.float64)
        if weights.shape != NODES.shape or not (np.isfinite(weights) & (weights >= 0)).all():
            needs = f"{len(NODES)} finite weights, none negative"
            raise InvalidInput("Bins.weights", needs=needs, got=weights.shape)
        if abs(weights.sum() - self.n) > 1e-6 * self.n:
            raise InvalidInput("Bins.weights", needs=f"the sum n = {self.n}", got=float(weights.sum()))
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def of(cls, rows: ArrayLike) -> Bins:
        """Bins of n values, shape (n,) or (n, 1), in [0, 1] up to a rounding of 1e-9."""
        values = regular("rows", rows)
        if values.dtype.kind not in "fiub" or values.size == 0 or values.size != len(np.atleast_1d(values)):
            raise InvalidInput("rows", needs="real values of shape (n,) or (n, 1), n >= 1", got=values.shape)
        values = values.astype(np.float64).reshape(-1)
        bad = ~((values >= -SLACK) & (values <= 1 + SLACK))  # NaN too
        if bad.any():
            hint = "divide by a proved bound, or use Score"
            raise InvalidInput("rows", needs="values in [0, 1]", got=float(values[bad][0]), hint=hint)
        values = np.clip(values, 0.0, 1.0)
        left = np.minimum(_last_node(values), len(NODES) - 2)
        share = (values - NODES[left]) / (NODES[left + 1] - NODES[left])
        below = np.bincount(left, 1.0 - share, len(NODES))
        above = np.bincount(left + 1, share, len(NODES))
        return cls(n=len(values), weights=np.asarray(below + above, dtype=np.float64))

    def __add__(self, other: Bins) -> Bins:
        if not isinstance(other, Bins):
            return NotImplemented
        return Bins(self.n + other.n, self.weights + other.weights)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bins):
            return NotImplemented
        return self.n == other.n and self.weights.tobytes() == other.weights.tobytes()

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def mean(self) -> float:
        """Mean of the values."""
        return float((self.weights * NODES).sum()) / self.n

    @cached_property
    def variance(self) -> float:
        """Variance of the weights (divisor n): exceeds that of the values by a squared step / 4 at most."""
        return float((self.weights * (NODES - self.mean) ** 2).sum()) / self.n

    @cached_property
    def _held(self) -> tuple[FloatArray, FloatArray]:
        """The nodes that have weight, and their weights."""
        here = np.flatnonzero(self.weights)
        return NODES[here], self.weights[here]

    def log_capitals(
        self, mean0: float, side: Literal["greater", "less"], fractions: FloatArray = _FRACTIONS
    ) -> FloatArray:
        """Log capitals of the bets, 14 by default, that the mean is greater (or less) than ``mean0``; additive.

        Examples
        --------
        >>> one, two = Bins.of([0.0, 1.0]), Bins.of([0.25])
        >>> whole = (one + two).log_capitals(0.5, "less")
        >>> bool(np.allclose(whole, one.log_capitals(0.5, "less") + two.log_capitals(0.5, "less")))
        True
        """
        _check_mean(mean0)
        bets = fractions / mean0 if side == "greater" else -fractions / (1.0 - mean0)
        nodes, weights = self._held
        logs = bets[:, None] * (nodes - mean0)
        np.log1p(logs, out=logs)
        logs *= weights
        capitals: FloatArray = logs.sum(axis=1)
        return capitals

    def log_capital(self, mean0: float, side: Side = "two", fractions: FloatArray = _FRACTIONS) -> float:
        """Logarithm of the mean capital of all bets, of one side or of both: a log e-value.

        With some of the ``fractions`` alone it is a lower bound: the other bets count as nothing.

        Examples
        --------
        >>> fair, loaded = Bins.of(np.tile([0, 1], 500)), Bins.of(np.tile([0, 1, 1], 500))
        >>> fair.log_capital(0.5) < 0 < 19.5 < loaded.log_capital(0.5)
        True
        """
        need("side", side, ("two", "greater", "less"), "'two', 'greater' or 'less'")
        sides: tuple[Literal["greater", "less"], ...] = ("greater", "less") if side == "two" else (side,)
        logs = np.concatenate([self.log_capitals(mean0, one, fractions) for one in sides])
        top = float(logs.max())  # every log is finite: no bet stakes all of the capital
        return top + math.log(float(np.exp(logs - top).sum()) / (len(_FRACTIONS) * len(sides)))

    def interval(self, budget: Budget, side: Side = "two") -> tuple[float, float]:
        """Confidence sequence: the means in [0, 1] that are not refuted; valid at every stopping time.

        The capital of the bets on "greater" decreases in the claimed mean and that of the others increases, so each
        end is the one root of a monotone function; it is rounded outwards.

        Examples
        --------
        >>> low, high = Bins.of(np.tile([0, 1], 5000)).interval(Budget(1e-6))
        >>> 0.46 < low < 0.5 < high < 0.54
        True
        """
        # half of the capital is bet on each side, so one side alone refutes at twice the threshold
        threshold = budget.log_e + (math.log(2) if side == "two" else 0.0)
        low = 0.0 if side == "less" else self._end(threshold, 0.0, "greater")
        high = 1.0 if side == "greater" else self._end(threshold, 1.0, "less")
        return low, high

    def _end(self, threshold: float, end: float, side: Literal["greater", "less"]) -> float:
        """The end of the interval on one side, from the bets that matter there."""
        guess, fractions = self._far(threshold, end), _FRACTIONS
        if 0 < guess < 1:
            logs = self.log_capitals(guess, side)
            if abs(logs.max() - threshold) <= _NEAR:
                fractions = _FRACTIONS[logs > logs.max() - _SMALL]
        return _edge(lambda m: self.log_capital(m, side, fractions), threshold, end, self.mean, guess)

    def _far(self, threshold: float, end: float) -> float:
        """About where the log capital of a claimed mean reaches the threshold: see `_edge`.

        Where the mean is x off, a bet lambda gains n (lambda x - lambda^2 sd^2 / 2). The best one is x / sd^2, but none
        exceeds 0.9 divided by the distance of the end.
        """
        room, price = abs(end - self.mean), (threshold + _SHARE) / self.n
        off = math.sqrt(2 * price * self.variance)
        if off * room > 0.9 * self.variance:
            off = room * price / 0.9 + 0.45 * self.variance / room
        return self.mean + math.copysign(1.02 * off, end - self.mean)

    def to_dict(self) -> dict[str, object]:
        """A dictionary for JSON that keeps every bit."""
        packed = zlib.compress(self.weights.astype("<f8").tobytes())
        return {"n": self.n, "nodes": len(NODES), "weights": base64.b64encode(packed).decode()}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Bins:
        """The inverse of `to_dict`; raises `InvalidInput` for anything else."""
        need(f"{cls.__name__}.from_dict", content, Mapping, "what to_dict returns")
        try:
            raw = zlib.decompress(base64.b64decode(content["weights"], validate=True))
            return cls(content["n"], np.frombuffer(raw, dtype="<f8"))
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            raise InvalidInput("Bins.from_dict", needs="the result of to_dict", got=str(error)) from error


def betting_test(
    data: ArrayLike | Bins,
    mean0: Number,
    budget: Budget,
    *,
    side: Side = "two",
    tolerance: float | None = None,
    planned: int | None = None,
) -> TestResult:
    """Test that values in [0, 1] have the mean ``mean0``; valid for any law and any stopping rule.

    Parameters
    ----------
    data : values of shape (n,), or their `Bins`.
    mean0 : claimed mean, strictly between 0 and 1.
    side : "two" for the claim = mean0, "greater" to refute <= mean0, "less" to refute >= mean0.
    tolerance : error, relative to ``mean0``, that must be refuted with power 0.999; otherwise agreement is
        undecided.
    planned : the draws that would have been made if the run had not stopped early; all that there are by
        default. The detectable error is that of so many.

    Returns
    -------
    The result; its statistic is the log capital, its p-value 1 / capital, its interval the confidence
    sequence. The detectable error is an estimate from the data's variance.

    Examples
    --------
    >>> coin = np.tile([0, 1], 50_000)
    >>> betting_test(coin, 0.5, Budget(1e-6, tests=300)).decision.value
    'agrees'
    >>> betting_test(coin, 0.48, Budget(1e-6, tests=300)).decision.value
    'refuted'
    """
    check_finite("mean0", mean0)
    check_tolerance(tolerance)
    need("budget", budget, Budget, "a Budget")
    bins = data if isinstance(data, Bins) else Bins.of(data)
    claimed = float(mean0)
    log_e = bins.log_capital(claimed, side)
    detectable = detectable_effect(bins, claimed, budget, side, planned) / claimed
    reason, needed = "valid for any law on [0, 1] and any stopping rule", None
    if log_e >= budget.log_e:
        decision = Outcome.REFUTED
    elif tolerance is not None and detectable > tolerance:
        decision, reason, needed = too_weak(detectable, tolerance, bins.n if planned is None else planned)
    else:
        decision = Outcome.AGREES
    return TestResult(
        method="betting test",
        decision=decision,
        n=bins.n,
        estimate=bins.mean,
        relation={"two": "=", "greater": "<=", "less": ">="}[side],
        exact=claimed,
        statistic=log_e,
        threshold=budget.log_e,
        p=math.exp(-max(log_e, 0.0)),
        effect=difference(bins.mean, mean0) / claimed,
        detectable=detectable,
        interval=bins.interval(budget, side),
        reason=reason,
        needed=needed,
        power=budget.power,
    )


def settled(mean0: Number, budget: Budget, *, tolerance: float, side: Side = "two") -> Callable[[Bins], bool]:
    """A stopping rule for `rftheory.engine.collect`: stop once the claim, or an error of the tolerance, is refuted.

    Examples
    --------
    >>> from rftheory.engine import collect
    >>> def coin(blocks):
    ...     return np.arange(blocks.start, blocks.stop) % 2
    >>> budget = Budget(1e-6)
    >>> bins = collect(Bins, coin, 10**7, stop=settled(0.5, budget, tolerance=0.1))
    >>> bins.n, betting_test(bins, 0.5, budget, tolerance=0.1).decision.value
    (12288, 'agrees')
    >>> collect(Bins, coin, 10**7, stop=settled(0.6, budget, tolerance=0.1)).n
    4096
    """
    check_finite("mean0", mean0)
    _check_mean(float(mean0))
    check_tolerance(tolerance)
    need("budget", budget, Budget, "a Budget")

    def enough(bins: Bins) -> bool:
        claimed = float(mean0)
        if bins.log_capital(claimed, side) >= budget.log_e:
            return True
        return detectable_effect(bins, claimed, budget, side) <= tolerance * claimed

    return enough


def detectable_effect(
    bins: Bins, mean0: float, budget: Budget, side: Side = "two", planned: int | None = None
) -> float:
    """Error, in the unit of the values, that the betting test refutes with power 0.999, after ``planned`` draws.

    With the best bet lambda = effect / sd^2 the log capital of an error of x standard errors is about
    x^2/2 + x Z. It must reach the threshold and pay for the grid, ln 28 or ln 14. The second term is for
    errors so large that the largest bet is too small. An estimate, because the variance is that of the data;
    for coins it exceeds the exact effect by 5 to 30 %.

    Examples
    --------
    >>> few, many = (Bins.of(np.tile([0.0, 1.0], n)) for n in (500, 50_000))
    >>> detectable_effect(few, 0.5, Budget(1e-6)) > 5 * detectable_effect(many, 0.5, Budget(1e-6))
    True
    """
    _check_mean(mean0)
    price = budget.log_e + math.log(28 if side == "two" else 14)
    quantile = budget.z_power
    x = quantile + math.sqrt(quantile**2 + 2 * price)
    sd = math.sqrt(bins.variance + (bins.mean - mean0) ** 2)
    widest = {"two": max(mean0, 1 - mean0), "greater": mean0, "less": 1 - mean0}[side]
    n = bins.n if planned is None else planned
    return x * sd / math.sqrt(n) + price * widest / (0.9 * n)


def _edge(
    log_capital: Callable[[float], float], threshold: float, end: float, inside: float, guess: float
) -> float:
    """Where the log capital of a claimed mean reaches the threshold on the way to ``end``; rounded towards end.

    It grows from ``inside``, the mean of the data, where no bet gains, to ``end``, where it may be infinite. The log
    capital of the best bet grows like a square, so that its root is almost a straight line. After the guess each step
    takes the line from ``inside``, then divides the bracket where the secant does; an end that stays is given half of
    its value (the Illinois method), and the bracket is halved where one stays for long, as where the capital is level.
    """

    def root(value: float) -> float:
        return math.sqrt(max(value + _SHARE, 0.0))

    target = root(threshold)
    outer, above, inner, below, stays = end, math.inf, inside, -target, 0
    share = (guess - inside) / (end - inside) if end != inside else 0.5
    while (gap := abs(inner - outer)) > (width := 1e-12 + 1e-7 * abs(inside - outer)):
        least = width / (2 * gap)
        middle = inner + (min(max(share, least), 1 - least) if 0 < share <= 1 else 0.5) * (outer - inner)
        value = root(log_capital(middle)) - target
        if value >= 0:
            stays = max(stays, 0) + 1
            outer, above, below = middle, value, below / 2 if stays > 1 else below
        else:
            stays = min(stays, 0) - 1
            inner, below, above = middle, value, above / 2 if stays < -1 else above
        share = 0.5
        if abs(stays) < 3 and math.isfinite(below - above):
            share = below / (below - above)
        elif abs(stays) < 3 and below > -target:
            share = (target / (target + below) - 1) * (inner - inside) / (outer - inner)
    return outer


def _check_mean(mean0: float) -> None:
    if not 0 < mean0 < 1:
        raise OutsideDomain("mean0", needs="a mean strictly between 0 and 1", got=mean0)
