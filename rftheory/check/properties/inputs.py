"""Inputs of all kinds: an identity between estimates that holds in every draw of a map, and so shows every input.

Means are compared with the kernel at a panel of pairs. What a map does to other inputs - negative ones, sparse ones,
far ones, late rows of a long batch - is seen here, in two draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rftheory.check.findings import Finding, fact, open_question
from rftheory.check.measures import Case
from rftheory.errors import SamplerFailed

Array = np.ndarray
Estimates = Callable[[Array, Array], Array]

PROPERTY = "unbiasedness"
SMALLEST, LARGEST, LARGEST_OF_SUM = 0.01, 6.0, 2.5
"""Norms of the inputs, in units of the length scale. If x + y is fixed, kernel and features vanish for longer ones."""
NORMS = 16
SHIFTS = (0.3, 0.6, 1.0, 1.5)
"""Norms of x - y, or of x + y."""
ROUNDING = 0.02
"""A difference that no rounding in single precision explains, not even where a device rounds factors to 11 bits."""
UNITS = {"bfloat16": 2.0**-8, "float16": 2.0**-11}
"""Relative rounding errors of formats in which exponents and angles of far inputs are coarse, the coarsest first."""
FAR, DIRECTIONS = 40.0, 4
"""Inputs of this norm, in so many directions, have positive features that vanish in all draws."""
VISIBLE = 1e-12
"""A floor below this one, as of exponents that are cut off at -80, changes nothing that a test sees: the kernel of the
inputs above is 1e-10 and more."""
ROUNDINGS = 64
"""How many such errors a difference may have: an angle of size 30 is off by 15 of them, an exponent of 36 by 18."""


@dataclass(frozen=True)
class Kinds:
    """Inputs (n, d), and what is special about each."""

    values: Array
    names: list[str]


def of_many(case: Case) -> Kinds:
    """Inputs of all norms, with coordinates of any signs, of one sign, and half of them 0.

    They begin at SMALLEST and end at the largest norm at which the map is tested.

    Examples
    --------
    >>> found = of_many(Case.of(4, 8, "iid", "positive", "gaussian", 1.0, 0))
    >>> found.values.shape, sorted(set(found.names))[0]
    ((64, 4), 'any signs')
    """
    draw = np.random.default_rng([case.seed, 3])
    normal = draw.standard_normal((4, NORMS, case.d))
    normal[1], normal[2] = np.abs(normal[1]), -np.abs(normal[2])
    normal[3, :, : (case.d + 1) // 2 if case.d > 1 else 0] = 0.0
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    normal *= np.geomspace(SMALLEST, _largest(case), NORMS)[:, None]
    kinds = ("any signs", "no negative coordinate", "no positive coordinate", "half of its coordinates 0")
    return Kinds(normal.reshape(-1, case.d), [kind for kind in kinds for _ in range(NORMS)])


def of_estimates(case: Case, draws: Sequence[Estimates], dtype: str) -> list[Finding]:
    """Test the identity of the map; each of ``draws`` gives estimates of pairs (x, y), (n, d) each, from one draw.

    Trigonometric estimates depend on x - y alone, and positive ones relative to the kernel on x + y. With phases, the
    sums of both neighbours K^(x + t, y) + K^(x - t, y) and K^(x, y + t) + K^(x, y - t) are equal.
    """
    if (
        case.features not in IDENTITIES or not case.row.gaussian
    ):  # long rows of other laws spoil angles by rounding
        return []
    says, gaps_of = IDENTITIES[case.features]
    label, inputs = f"{says}, |x| up to {_largest(case):g}", of_many(case)
    try:
        with np.errstate(all="ignore"):
            gaps = np.max([gaps_of(case, estimates, inputs.values) for estimates in draws], axis=0)
    except SamplerFailed as error:
        return [open_question(PROPERTY, label, f"the call raised: {error.problem}", 1)]
    gaps, allowed = np.where(np.isfinite(gaps), gaps, np.inf), _allowed(dtype)
    gap = float(gaps.max())
    reason = _which(inputs, gaps >= allowed)
    return [fact(PROPERTY, label, gap < allowed, len(draws), gap, "largest difference", goal=allowed, reason=reason,
                 assumes="identity")]  # fmt: skip


def _allowed(dtype: str) -> float:
    """The largest difference, in the identity of a map, that rounding in this format explains."""
    return ROUNDING + ROUNDINGS * UNITS.get(dtype, 0.0)


def of_rounding(dtype: str, *, estimates: bool) -> str:
    """What a format of 16 bits means for features, or for estimates, and for their tests.

    Examples
    --------
    >>> of_rounding("float16", estimates=False)
    'features are float16, a format of 16 bits: each is rounded by up to 0.049 %, so tests of what holds in every \
draw allow 0.051 instead of 0.02'
    """
    what = "estimates" if estimates else "features"
    return (
        f"{what} are {dtype}, a format of 16 bits: each is rounded by up to {100 * UNITS[dtype]:.2g} %, so tests of "
        f"what holds in every draw allow {_allowed(dtype):.2g} instead of {_allowed(''):.2g}"
    )


def far_ones(case: Case) -> Array:
    """Inputs (n, d) so far out that positive features vanish.

    Examples
    --------
    >>> far_ones(Case.of(4, 8, "iid", "positive", "gaussian", 1.0, 0)).shape
    (4, 4)
    """
    normal = np.random.default_rng([case.seed, 6]).standard_normal((DIRECTIONS, case.d))
    return FAR * normal / np.linalg.norm(normal, axis=1, keepdims=True)


def floor_of(features: Array) -> float:
    """The number that most features of every input are, in every draw; 0 if there is none that matters.

    Parameters
    ----------
    features : (draws, inputs, F).

    Examples
    --------
    >>> far = np.array([[[1e-6, 1e-6, 0.5]], [[1e-6, 1e-6, 1e-6]]])
    >>> floor_of(far), floor_of(far - 1e-6), floor_of(far * [[[1]], [[2]]])
    (1e-06, 0.0, 0.0)
    """
    least = float(features.min())
    alike = np.abs(features - least) <= 1e-3 * least
    return least if least > VISIBLE and (alike.mean(2) > 0.5).all() else 0.0


def _which(inputs: Kinds, wrong: Array) -> str:
    """Of which kinds and norms the wrong inputs are.

    Examples
    --------
    >>> found = of_many(Case.of(4, 8, "iid", "positive", "gaussian", 1.0, 0))
    >>> _which(found, (found.values < 0).all(1))
    'at inputs of norm 0.01 to 2.5: 1 of 16 with any signs, 16 of 16 with no positive coordinate'
    """
    if not wrong.any():
        return ""
    norms = np.linalg.norm(inputs.values[wrong], axis=1)
    kinds = Counter(name for name, one in zip(inputs.names, wrong, strict=True) if one)
    counts = ", ".join(f"{count} of {NORMS} with {kind}" for kind, count in kinds.items())
    return f"at inputs of norm {norms.min():.2g} to {norms.max():.2g}: {counts}"


def _largest(case: Case) -> float:
    return LARGEST if case.features in ("trigonometric", "cosine") else LARGEST_OF_SUM


def _shifts(case: Case, count: int) -> Array:
    """Vectors of the norms SHIFTS in random directions, in turns, (count, d).

    No coordinate is negative, so that where signs are lost the pairs (x + t, x) of positive inputs are still right.
    """
    draw = np.random.default_rng([case.seed, 4])
    four = np.abs(draw.standard_normal((len(SHIFTS), case.d)))
    four *= np.array(SHIFTS)[:, None] / np.linalg.norm(four, axis=1, keepdims=True)
    return four[np.arange(count) % len(SHIFTS)]


def _of_difference(case: Case, estimates: Estimates, x: Array) -> Array:
    """Differences between estimates at (x + t, x) and at (t, 0)."""
    t = _shifts(case, len(x))
    first, second = np.concatenate([t[: len(SHIFTS)], x + t]), np.concatenate([0 * t[: len(SHIFTS)], x])
    values = estimates(first, second) / _factor(case, first, second)
    return np.abs(_from_first(values))


def _of_sum(case: Case, estimates: Estimates, x: Array) -> Array:
    """Relative differences between estimates, divided by the kernel, at (x, t - x) and at (0, t)."""
    t = _shifts(case, len(x))
    first, second = np.concatenate([0 * t[: len(SHIFTS)], x]), np.concatenate([t[: len(SHIFTS)], t - x])
    logs = (first * second).sum(1)  # of the kernel
    if case.kernel == "gaussian":
        logs = -((first - second) ** 2).sum(1) / 2
    values = estimates(first, second) * np.exp(-logs)
    return np.abs(_from_first(values) / np.resize(values[: len(SHIFTS)], len(x)))


def _of_waves(case: Case, estimates: Estimates, x: Array) -> Array:
    """Differences between the sums of both neighbours of x and of both neighbours of y, an input of another kind."""
    t, y = _shifts(case, len(x)), np.roll(x, NORMS + 1, axis=0)
    first, second = np.concatenate([x + t, x - t, x, x]), np.concatenate([y, y, y + t, y - t])
    four = (estimates(first, second) / _factor(case, first, second)).reshape(4, -1)
    return np.abs(four[0] + four[1] - four[2] - four[3])


def _factor(case: Case, x: Array, y: Array) -> Array:
    """What waves are multiplied by: exp((|x|^2 + |y|^2)/2) for the softmax kernel."""
    squares = (x * x).sum(1) + (y * y).sum(1)
    return np.exp(squares / 2) if case.kernel == "softmax" else np.ones(len(x))


def _from_first(values: Array) -> Array:
    """The values after the first few, minus these in turns."""
    few, rest = values[: len(SHIFTS)], values[len(SHIFTS) :]
    return rest - np.resize(few, len(rest))


_SUM = ("in a draw, K^/K depends on x + y alone", _of_sum)
IDENTITIES: dict[str, tuple[str, Callable[[Case, Estimates, Array], Array]]] = {
    "trigonometric": ("in a draw, K^ depends on x - y alone", _of_difference),
    "cosine": ("in a draw, K^ is a sum of waves", _of_waves),
    "positive": _SUM, "hyperbolic": _SUM, "gerf": _SUM}  # fmt: skip
