"""The comparison of all mechanisms on a data set, by their laws or, without a law, by sampling."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rftheory.choose.advice import Advice, Choice
from rftheory.choose.confirm import confirm
from rftheory.choose.data import Pairs, pairs_of
from rftheory.choose.expected import Laws, MapErrors, Skipped
from rftheory.choose.measured import Measurement, blocks_for, measure, most_rows, seen_by_draws
from rftheory.errors import InvalidInput, NotCertified, NotKnown, OutsideDomain, RFTheoryError
from rftheory.exact.laws import Kernel
from rftheory.mechanisms.anisotropic import best_diagonal
from rftheory.names import load_declared
from rftheory.sample import COUPLINGS as SAMPLERS
from rftheory.sample.fast_rotations import power_of_two
from rftheory.sample.parameters import geometric_parameter, oprf_parameter, poisson_rate
from rftheory.spec import COUPLINGS, MAPS, Coupling, FeatureMap, find_coupling

FEATURES_PER_ROW = {"hyperbolic": 2, "trigonometric": 2}
SLOW = "antimonotone"
MOST_ROWS = 10**9
NUMBERS, MOST_NUMBERS = 2 * 10**5, 2 * 10**6
"""About how many random numbers to draw for a mechanism without a law, however many rows it has."""
FINALISTS, CLOSER = 6, 16
"""How many mechanisms are measured again, and with how many times the draws."""
NO_RIVAL = 3.0
"""A feature map whose best exact error is so many times the least one is not measured with further couplings."""
MOST_COUNTS = 8
"""The largest dimension for comparing features of counts by default: their laws are sums over coordinates."""
MOST_ANISOTROPIC = 64
"""The largest dimension for comparing maps with a parameter for each coordinate."""


def choose(
    x: Any, y: Any = None, *, kernel: Kernel = "gaussian", error: float | None = None, features: int | None = None,
    budget: int | None = None, lengthscale: float | None = None, pairs: int = 48, slow: bool = False,
    exact_only: bool = False, check: bool = True, seed: int = 0,
) -> Advice:  # fmt: skip
    """Compare every mechanism by its expected error over pairs of the data.

    The error is exact if the law of the mechanism is known. Otherwise it is measured by sampling, and the mechanism is
    ranked by the measured error plus two standard errors.

    Parameters
    ----------
    x, y : tables (n, d); pairs are rows of both, or two different rows of x.
    kernel : gaussian or softmax.
    error : the relative error wanted; the answer is the number of features that reaches it. 0.05 by default.
    features, budget : instead, the length of the feature vector, or operations per input; the answer is the error.
    lengthscale : see `pairs_of`.
    pairs : number of pairs to use.
    slow : whether to evaluate laws that take seconds per pair; otherwise such mechanisms are measured.
    exact_only : whether to leave out mechanisms that must be measured.
    check : whether to sample the winner again and compare.
    seed : seed for the pairs and the samples.

    Raises
    ------
    InvalidInput, OutsideDomain : unusable data or goals.

    Examples
    --------
    >>> data = np.array([[0.0, 0.1], [0.3, 0.2], [0.1, 0.5]])
    >>> found = choose(data, error=0.05, lengthscale=1.0)
    >>> found.best.at_most <= 0.05, found.confirmation.agrees
    (True, True)
    """
    load_declared()  # every declared mechanism, including those not used by name yet
    goal = _goal(error, features, budget)
    if kernel not in ("gaussian", "softmax"):
        raise InvalidInput("kernel", needs="gaussian or softmax", got=kernel)
    if isinstance(pairs, bool) or not isinstance(pairs, int) or pairs < 2:
        raise InvalidInput("pairs", needs="an integer of at least 2", got=pairs)
    found = pairs_of(x, y, kernel=kernel, lengthscale=lengthscale, count=pairs, seed=seed)
    comparison = Comparison(found, kernel, goal, seed)
    comparison.exact(slow)
    if not exact_only:
        comparison.measured()
    return replace(comparison.advice(check), tables=1 if y is None else 2)


class Comparison:
    """The comparison on the pairs of a data set: mechanisms with a law first, then the others, then the winner.

    Parameters
    ----------
    pairs, kernel : the data.
    goal : one of error, features and budget, with its value.
    seed : seed of the draws.
    """

    def __init__(self, pairs: Pairs, kernel: Kernel, goal: Mapping[str, float], seed: int) -> None:
        self.pairs, self.kernel, self.goal, self.seed = pairs, kernel, goal, seed
        self.laws = Laws(pairs, kernel)
        self.choices: list[Choice] = []
        self.errors: dict[str, MapErrors] = {}
        self.parameters: dict[str, dict[str, object]] = {}

    def exact(self, slow: bool) -> None:
        """Add the mechanisms whose error is known exactly."""
        couplings = [c for c in self._couplings() if self._has_law(c, slow)]
        for name, feature in MAPS.items():
            served = couplings if feature.table is None else [find_coupling("iid")]  # counts are independent
            try:
                if feature.table is not None and self.pairs.d > MOST_COUNTS and not slow:
                    raise NotKnown("a comparison", name, "its law takes seconds per pair; --slow includes it")
                self.parameters[name] = _parameters(feature, self.pairs)
                self.errors[name] = self.laws.of(feature, self.parameters[name], served)
            except (NotKnown, OutsideDomain, NotCertified, InvalidInput) as problem:
                self.laws.skipped.append(Skipped(name, str(problem)))
                continue
            for coupling in served:
                self._enter(feature, coupling)
        self._sort()

    def _couplings(self) -> list[Coupling]:
        """The couplings that can be drawn in this dimension; the others are noted as skipped."""
        found = []
        for coupling in COUPLINGS.values():
            if self.pairs.d < coupling.min_dim:
                reason = f"needs d >= {coupling.min_dim}"
            elif coupling.name == "optimised":
                reason = "its directions are fitted to one |x + y|, not to data"
            elif coupling.name not in SAMPLERS:
                reason = "it is declared without a sampler"
            else:
                found.append(coupling)
                continue
            self.laws.skipped.append(Skipped(coupling.name, reason))
        return found

    def _has_law(self, coupling: Coupling, slow: bool) -> bool:
        d = self.pairs.d
        if coupling.norms == "fixed" or not coupling.marginal or coupling.pairs_unknown:
            return False
        return slow or not any(r.norms == SLOW for r in coupling.pairs(d, coupling.size(d)))

    def _enter(self, feature: FeatureMap, coupling: Coupling) -> None:
        d, known = self.pairs.d, self.errors[feature.name]
        if any(relation not in known.cross for relation in coupling.pairs(d, coupling.size(d))):
            return

        def error(m: int) -> float:
            return known.relative(m, coupling.pairs(d, m))

        wanted = self.goal.get("error")
        m = (
            _least_rows(error, wanted, coupling.size(d))
            if wanted
            else self._rows(feature.name, coupling.name)
        )
        if m:
            self.choices.append(self._choice(feature.name, coupling.name, m, error(m)))

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

    def _choice(
        self, feature: str, coupling: str, m: int, error: float, standard_error: float = 0.0
    ) -> Choice:
        d, width = self.pairs.d, FEATURES_PER_ROW.get(feature, 1)
        operations, memory = cost(coupling, d, m)
        return Choice(feature, coupling, dict(self.parameters[feature]), m, m * width, operations + m * width, memory,
                      error, standard_error)  # fmt: skip

    def _sort(self) -> None:
        by_features = "error" in self.goal
        self.choices.sort(key=lambda c: (c.features, c.at_most) if by_features else (c.at_most, c.features))

    def measured(self) -> None:
        """Add the mechanisms without a law. Those that sampling cannot judge are noted as skipped.

        If the goal is an error, only those that need fewer features than the best one with a law are added. The best
        are measured again with more draws, because the smallest of many noisy numbers is too good to be true.
        """
        entered = {choice.name for choice in self.choices}
        least = self.choices[0].features if self.choices else MOST_ROWS
        for feature in self.errors:
            if MAPS[feature].table is not None or self._no_rival(feature):
                continue
            for coupling in COUPLINGS:
                if f"{feature} x {coupling}" in entered or coupling not in SAMPLERS:
                    continue
                try:
                    self._measure(feature, coupling, least)
                except RFTheoryError as problem:
                    self.laws.skipped.append(Skipped(f"{feature} x {coupling}", str(problem)))
        self._sort()
        for choice in [c for c in self.choices[:FINALISTS] if c.standard_error]:
            self.choices.remove(choice)
            self.choices += self._closer(choice)
        self._sort()

    def _no_rival(self, feature: str) -> bool:
        """Whether the map is so far behind, with every coupling that has a law, that no other coupling can help."""
        own = [choice for choice in self.choices if choice.feature == feature]
        if not own or len({choice.coupling for choice in own}) == 1:
            return False
        if "error" in self.goal:
            return own[0].features > NO_RIVAL**2 * self.choices[0].features
        return own[0].error > NO_RIVAL * self.choices[0].error

    def _closer(self, choice: Choice) -> list[Choice]:
        """The choice, measured with more draws and, if necessary, with more rows.

        Empty if it misses the goal even with a few more rows: its first measurement was too good.
        """
        wanted, feature, m = self.goal.get("error", math.inf), choice.feature, choice.rows
        for _ in range(3):
            found = self._drawn(feature, choice.coupling, m, CLOSER)
            if found.at_most <= wanted:
                return [self._choice(feature, choice.coupling, m, found.error, found.standard_error)]
            m = math.ceil(m * min((found.at_most / wanted) ** 2, 1.5))
        return []

    def _measure(self, feature: str, coupling: str, least: int) -> None:
        name = f"{feature} x {coupling}"
        if self.pairs.d < COUPLINGS[coupling].min_dim:
            return
        wanted = self.goal.get("error")
        m = least // FEATURES_PER_ROW.get(feature, 1) if wanted else self._rows(feature, coupling)
        if not 0 < m <= most_rows(self.pairs, MOST_NUMBERS):
            self.laws.skipped.append(
                Skipped(name, "it has no law, and measuring it would take too many draws")
            )
            return
        draws = m * blocks_for(m, self.pairs, NUMBERS)
        if not seen_by_draws(feature, self.errors[feature], draws):
            self.laws.skipped.append(
                Skipped(name, "it has no law, and draws do not show the tails of its estimates")
            )
            return
        found = (
            self._least_measured(feature, coupling, m, wanted)
            if wanted
            else self._drawn(feature, coupling, m)
        )
        if found is not None:
            self.choices.append(
                self._choice(feature, coupling, found.rows, found.error, found.standard_error)
            )

    def _drawn(self, feature: str, coupling: str, m: int, times: int = 1) -> Measurement:
        return measure(feature, self.parameters[feature], coupling, m, self.pairs, self.kernel, times * NUMBERS,
                       self.seed, f"compare {times}")  # fmt: skip

    def _least_measured(self, feature: str, coupling: str, m: int, wanted: float) -> Measurement | None:
        """Approximately the least number of rows whose measured error is within the goal; None if above m."""
        best = self._drawn(feature, coupling, m)
        if best.at_most > wanted:
            return None
        slope = 0.5  # the error falls like rows^-slope: one half, or more for evenly spread points
        for _ in range(4):
            m = math.ceil(best.rows * (best.at_most / wanted) ** (1 / slope))
            if m >= best.rows:
                break
            found = self._drawn(feature, coupling, m)
            if found.at_most > wanted:  # between the two the slope is steeper
                slope = max(slope, math.log(found.error / best.error) / math.log(best.rows / m)) * 1.05
            else:
                best = found
        return best

    def advice(self, check: bool) -> Advice:
        """The answer.

        Raises
        ------
        OutsideDomain : no mechanism reaches the goal.
        """
        if not self.choices:
            raise OutsideDomain("choose", needs="a mechanism that reaches the goal", got=dict(self.goal),
                                hint="allow a larger error, more features, or another length scale")  # fmt: skip
        best, pairs = self.choices[0], self.pairs
        known, coupling = self.errors[best.feature], find_coupling(best.coupling)
        # for a coupling without a law, the choice of pairs matters about as much as for independent rows
        counts = {} if best.standard_error else coupling.pairs(pairs.d, best.rows)
        confirmation = None
        if check:
            confirmation = confirm(best, pairs, self.kernel, self.seed, known,
                                   lambda m: known.relative(m, coupling.pairs(pairs.d, m)))  # fmt: skip
        return Advice(
            tuple(self.choices), tuple(self.laws.skipped), len(pairs.x), pairs.total,
            known.error_of_sample(best.rows, counts), pairs.lengthscale, self.kernel, pairs.d,
            _rms(pairs.x + pairs.y), _rms(pairs.x - pairs.y), confirmation,
        )  # fmt: skip


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


def _rms(vectors: np.ndarray) -> float:
    return float(np.sqrt((vectors**2).sum(1).mean()))


def _goal(error: float | None, features: int | None, budget: int | None) -> dict[str, float]:
    given = {"error": error, "features": features, "budget": budget}
    goal = {name: value for name, value in given.items() if value is not None} or {"error": 0.05}
    if len(goal) > 1:
        raise InvalidInput("choose", needs="one of error, features and budget", got=", ".join(goal))
    for name, value in goal.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise InvalidInput(name, needs="a positive number", got=value)
    return goal


def _parameters(feature: FeatureMap, pairs: Pairs) -> dict[str, object]:
    """Parameters fitted to the data: the A of least second moment for the average |x + y|^2, or for its coordinates.

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
        raise NotKnown("a comparison", feature.name, f"d = {pairs.d} is larger than {MOST_ANISOTROPIC}")
    if feature.name == "poisson":
        return {"lam": poisson_rate(float((pairs.x**2 * pairs.y**2).sum(1).mean()), pairs.d)}
    if feature.name == "geometric":
        return {"p": geometric_parameter(np.abs(pairs.x * pairs.y).mean(0))}
    if feature.parameters:
        raise NotKnown("a rule for its parameters", feature.name, "the user has to choose them")
    return {}


def _least_rows(error: Any, goal: float, block: int) -> int:
    """The least m with this error; over whole blocks the error falls like m^(-1/2)."""
    whole = error(block)
    blocks = max(1, math.ceil((whole / goal) ** 2 * (1 - 1e-12)))
    if blocks * block > MOST_ROWS:
        return 0
    while error(blocks * block) > goal:
        blocks += 1
    low, high = (blocks - 1) * block, blocks * block  # error(high) is within the goal
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if error(middle) <= goal else (middle, high)
    return high
