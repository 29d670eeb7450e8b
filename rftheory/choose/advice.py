"""The comparison of all mechanisms on a data set, the winner, and the reasons."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rftheory.choose.confirm import Confirmation, confirm
from rftheory.choose.data import Pairs, pairs_of
from rftheory.choose.expected import Laws, MapErrors, Skipped
from rftheory.errors import InvalidInput, NotCertified, NotKnown, OutsideDomain
from rftheory.exact.laws import Kernel
from rftheory.mechanisms.anisotropic import best_diagonal
from rftheory.names import load_declared
from rftheory.sample import COUPLINGS as SAMPLERS
from rftheory.sample.parameters import oprf_parameter
from rftheory.spec import COUPLINGS, MAPS, Coupling, FeatureMap, find_coupling

FEATURES_PER_ROW = {"hyperbolic": 2, "trigonometric": 2}
SLOW = "antimonotone"
MOST_ANISOTROPIC = 64
"""Dimensions up to which maps with a parameter for each coordinate are compared."""


@dataclass(frozen=True)
class Choice:
    """One mechanism on the data.

    Attributes
    ----------
    feature, coupling, parameters : the mechanism.
    rows : number m of projections.
    features : length of the feature vector of an input.
    operations : multiplications and exponentials for the features of one input.
    memory : bytes of the projections, in float64.
    error : root of the mean squared error over the root mean square of the kernel, exact for the pairs.

    Examples
    --------
    >>> Choice("positive", "simplex", {}, 64, 64, 8256, 32768, 0.1).name
    'positive x simplex'
    """

    feature: str
    coupling: str
    parameters: dict[str, Any]
    rows: int
    features: int
    operations: int
    memory: int
    error: float

    @property
    def name(self) -> str:
        """Feature map and coupling."""
        return f"{self.feature} x {self.coupling}"


@dataclass(frozen=True)
class Advice:
    """Mechanisms, best first, and what was left out.

    Attributes
    ----------
    choices : by number of features if an error was asked for, else by error.
    skipped : mechanisms without a value, each with the reason.
    pairs, pairs_total : number of pairs looked at, and of pairs of the data.
    sampling_error : relative standard error of the winner's error that the choice of pairs leaves.
    lengthscale, kernel, d : of the data.
    sum_norm, difference_norm : root mean squares of |x + y| and |x - y| over the pairs.
    confirmation : the winner, sampled.
    tables : 1 if pairs are rows of one table, 2 if of two.
    """

    choices: tuple[Choice, ...]
    skipped: tuple[Skipped, ...]
    pairs: int
    pairs_total: int
    sampling_error: float
    lengthscale: float
    kernel: str
    d: int
    sum_norm: float
    difference_norm: float
    confirmation: Confirmation | None
    tables: int = 1

    @property
    def best(self) -> Choice:
        """The winner."""
        return self.choices[0]

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON."""
        return asdict(self)


def choose(
    x: Any, y: Any = None, *, kernel: Kernel = "gaussian", error: float | None = None, features: int | None = None,
    budget: int | None = None, lengthscale: float | None = None, pairs: int = 48, slow: bool = False,
    check: bool = True, seed: int = 0,
) -> Advice:  # fmt: skip
    """Compare every declared mechanism on the data, by its exact expected error over pairs of them.

    Parameters
    ----------
    x, y : tables (n, d); pairs are rows of both, or two different rows of x.
    kernel : gaussian or softmax.
    error : the relative error that is wanted; the answer is the number of features that reaches it. 0.05 by default.
    features, budget : in its place, a length of the feature vector, or operations per input; the answer is the error.
    lengthscale : see `pairs_of`.
    pairs : number of pairs that are looked at.
    slow : also the mechanisms whose law takes seconds a pair.
    check : sample the winner.
    seed : of the pairs and of the samples.

    Raises
    ------
    InvalidInput, OutsideDomain : data or goals that make no sense.

    Examples
    --------
    >>> data = np.array([[0.0, 0.1], [0.3, 0.2], [0.1, 0.5]])
    >>> found = choose(data, error=0.05, lengthscale=1.0)
    >>> found.best.error <= 0.05, found.confirmation.agrees
    (True, True)
    """
    load_declared()  # every declared mechanism, also those that nobody has asked for by name yet
    goal = _goal(error, features, budget)
    if kernel not in ("gaussian", "softmax"):
        raise InvalidInput("kernel", needs="gaussian or softmax", got=kernel)
    if isinstance(pairs, bool) or not isinstance(pairs, int) or pairs < 2:
        raise InvalidInput("pairs", needs="an integer from 2 on", got=pairs)
    found = pairs_of(x, y, kernel=kernel, lengthscale=lengthscale, count=pairs, seed=seed)
    laws = Laws(found, kernel)
    couplings = _couplings(laws, found.d, slow)
    choices: list[Choice] = []
    errors: dict[str, MapErrors] = {}
    for name, feature in MAPS.items():
        try:
            parameters = _parameters(feature, found)
            known = errors[name] = laws.of(feature, parameters, couplings)
        except (NotKnown, OutsideDomain, NotCertified, InvalidInput) as problem:
            laws.skipped.append(Skipped(name, str(problem)))
            continue
        for coupling in couplings:
            if feature.table is None or coupling.name == "iid":
                choices += _choice(feature, coupling, parameters, known, found.d, goal)
    if not choices:
        raise OutsideDomain("choose", needs="a mechanism that reaches the goal", got=goal,
                            hint="allow a larger error, more features, or another length scale")  # fmt: skip
    choices.sort(key=lambda c: (c.features, c.error) if "error" in goal else (c.error, c.features))
    best = choices[0]
    counts = find_coupling(best.coupling).pairs(found.d, best.rows)
    sampling_error = errors[best.feature].error_of_sample(best.rows, counts)
    confirmation = confirm(best, found, kernel, seed) if check else None
    return Advice(
        tuple(choices), tuple(laws.skipped), len(found.x), found.total, sampling_error,
        found.lengthscale, kernel, found.d, _rms(found.x + found.y), _rms(found.x - found.y), confirmation,
        1 if y is None else 2,
    )  # fmt: skip


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


def _couplings(laws: Laws, d: int, slow: bool) -> list[Coupling]:
    """Those whose law is known in this dimension; the others are noted."""
    found = []
    for coupling in COUPLINGS.values():
        if d < coupling.min_dim:
            reason = f"needs d >= {coupling.min_dim}"
        elif coupling.norms == "fixed" or not coupling.marginal:
            reason = "its estimates are biased, or their mean is not known exactly"
        elif coupling.pairs_unknown:
            reason = f"its error is not known exactly: {coupling.pairs_unknown}"
        elif coupling.name not in SAMPLERS:
            reason = "it is declared without a sampler"
        elif not slow and any(r.norms == SLOW for r in coupling.pairs(d, coupling.size(d))):
            reason = "its law takes seconds a pair: --slow compares it too"
        else:
            found.append(coupling)
            continue
        laws.skipped.append(Skipped(coupling.name, reason))
    return found


def _parameters(feature: FeatureMap, pairs: Pairs) -> dict[str, object]:
    """Parameters fitted to the data: A of least second moment for the averages of |x + y|^2, or of its coordinates.

    Raises
    ------
    NotKnown : there is no rule for the parameters of this map.
    """
    if feature.chosen:
        raise NotKnown("an error on data", feature.name, "each pair has parameters of its own; gerf has those that are"
                       " best for the averages of the data")  # fmt: skip
    if feature.name == "gerf":
        return {"A": oprf_parameter(pairs.square_sum, pairs.d)}
    if feature.name == "anisotropic" and pairs.d <= MOST_ANISOTROPIC:
        return {"A": tuple(best_diagonal(pairs.square_sums))}
    if feature.name == "anisotropic":
        raise NotKnown("a comparison", feature.name, f"d = {pairs.d} is larger than {MOST_ANISOTROPIC}")
    if feature.parameters:
        raise NotKnown("a rule for its parameters", feature.name, "it has to be named by the user")
    return {}


def _choice(
    feature: FeatureMap, coupling: Coupling, parameters: Mapping[str, object], known: MapErrors, d: int,
    goal: Mapping[str, float],
) -> list[Choice]:  # fmt: skip
    block = coupling.pairs(d, coupling.size(d))
    if any(relation not in known.cross for relation in block):
        return []
    width = FEATURES_PER_ROW.get(feature.name, 1)
    per_row = d + width

    def error(m: int) -> float:
        return known.relative(m, coupling.pairs(d, m))

    if "error" in goal:
        m = _least_rows(error, goal["error"], coupling.size(d))
    else:
        m = int(goal["features"] // width if "features" in goal else goal["budget"] // per_row)
    if not m:
        return []
    return [
        Choice(feature.name, coupling.name, dict(parameters), m, m * width, m * per_row, 8 * m * d, error(m))
    ]


MOST_ROWS = 10**9


def _least_rows(error: Any, goal: float, block: int) -> int:
    """The least m with this error, up to whole blocks: the error of whole blocks falls like m^(-1/2)."""
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
