"""A run of the checker: draws in growing batches, tests at each look, a verdict for each property.

All tests at all looks of one run together give a false alarm with probability at most 1e-6: look k gets the share
1/(k (k+1)) of it, divided equally among at most 64 tests. So the run may stop at any look: when every test is decided,
when a defect is established and named, or when time is up. More draws never increase the risk.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from rftheory.check import consequences, maps, mechanism
from rftheory.check.consequences import DEPENDENT, WITHOUT_EFFECT, Consequence
from rftheory.check.diagnosis import Diagnosis, unexplained
from rftheory.check.estimate_diagnoses import of_estimates
from rftheory.check.findings import PROPERTIES, Finding, Level
from rftheory.check.laws import cosine_cdf, coupling_law
from rftheory.check.matrix_diagnoses import of_matrices
from rftheory.check.measures import (
    COMPARED,
    Case,
    EstimateMeasures,
    Growing,
    MatrixMeasures,
    panel,
    turned,
)
from rftheory.check.properties import (
    OF_ESTIMATES,
    OF_MATRICES,
    determinism,
    inputs,
    stability,
    unbiasedness,
    variance,
)
from rftheory.check.report import Report
from rftheory.check.resolve import resolve
from rftheory.check.structures import FEW_VALUES
from rftheory.check.target import CONSECUTIVE, SEEDS, Target, seeded_globals
from rftheory.check.threads import limited_to
from rftheory.errors import (
    InvalidInput,
    SamplerFailed,
    UnknownName,
    checked_effect,
    checked_integer,
    checked_seconds,
    checked_workers,
    items,
)
from rftheory.judge import Outcome
from rftheory.names import plural
from rftheory.sample.checks import positive
from rftheory.spec import find_map

ALPHA = 1e-6
TESTS = 64
"""At most; those of the marginal count twice, once with all rows and once with a single row of each call."""
FIRST_LOOK = 64
CALLS, SECONDS = 1 << 22, 60.0
"""The most calls of a run, and its CPU seconds by default."""
CALL_SECONDS = 60.0
LOADING = 10.0
"""Seconds that a call may take beyond those of the run, because the first may load a library."""
PURSUED = 8
OTHER_SHAPES = ((3, 8), (16, 6))
"""Further sizes for testing a sampler if none are given: an odd dimension, and less than a block."""
FIRST_SHAPE = 0.6
"""The share of the time that the first size may take if there are others."""
SAME_ANGLE, BY_CHANCE = 1e-3, ALPHA / 100
"""Cosines that differ by less are those of a coupling, if independent rows have them with a smaller probability."""
RUNS = (SEEDS + 1) // CONSECUTIVE
"""Number of runs of seeds, a power of two."""
ENTRIES, KEPT = 1 << 22, 1 << 27
"""How many numbers are held: of weights measured together, in about ten arrays, and of all calls."""
CLOCK = time.process_time
"""CPU time, so that verdicts do not depend on who else uses the machine."""
PURSUIT = 10.0
"""CPU seconds that the consequences of a defect may take beyond the verdict, if no time is asked for."""
PATIENCE = 20
"""For samplers that wait: a run ends after this multiple of its CPU seconds in wall time."""
FEATURES = ("trigonometric", "cosine", "positive", "hyperbolic", "angular-hybrid")
SHORT = {"trig": "trigonometric", "rff": "trigonometric", "softmax": "positive"}


Progress = Callable[[int, float], None]


@dataclass(frozen=True)
class Plan:
    """How long a run goes on.

    Attributes
    ----------
    seconds : CPU seconds that must not be exceeded; a look that would exceed them is not begun.
    complete : whether to continue after a defect is named, until every test is decided or time is up.
    calls : the largest number of calls.
    intervals : whether to compute intervals at the last look, and to draw until consequences of a defect are known.
    progress : called with the number of calls and the CPU seconds after each look.
    share : share of the false-alarm probability, if there are several runs.
    goal : effects of this size must be excluded, even if a test's own goal is larger.
    only : the properties to test; all if empty.
    """

    seconds: float = SECONDS
    complete: bool = False
    calls: int = CALLS
    intervals: bool = True
    progress: Progress | None = None
    share: float = 1.0
    goal: float = math.inf
    only: tuple[str, ...] = ()

    def taken(self, findings: list[Finding]) -> list[Finding]:
        """The findings for the tested properties, with the requested goal."""
        chosen = [f for f in findings if not self.only or f.topic in self.only]
        return [f.with_goal(self.goal) for f in chosen]


def check(
    target: object,
    *,
    coupling: str | None = None,
    features: str | None = None,
    kernel: str = "gaussian",
    lengthscale: float | None = None,
    kind: str | None = None,
    d: int | None = None,
    m: int | None = None,
    arguments: Mapping[str, Any] | None = None,
    seconds: float | None = None,
    seed: int = 0,
    intervals: bool = True,
    call_seconds: float | None = None,
    goal: float | None = None,
    only: Sequence[str] = (),
    up_to_scale: bool = False,
    threads: int = 1,
    progress: Progress | None = None,
) -> Report:
    """Check a sampler, feature map, estimator, transformer or saved draws, and say what is wrong.

    Parameters
    ----------
    target : a callable, a transformer, an array (B, m, d), or text such as ``package.module:function``.
    coupling : what the rows of a weight matrix promise: iid, orthogonal, simplex, ...; by default it is detected.
    features : trigonometric, cosine (with phases), positive, hyperbolic, angular-hybrid, or gerf:A (real A, s = 1; A is
        found if it is left out); by default detected.
    kernel : gaussian, softmax, matern:NU, laplace (Euclidean norm), laplace:1 (sum norm) or cauchy (a product).
    lengthscale : the kernel is a function of x / lengthscale; weights are multiplied by it before testing.
    kind : matrix, features, estimator or transformer, if the argument names do not tell.
    d, m : dimension and number of projections to request.
    arguments : further arguments of the target.
    seconds : CPU seconds for the whole run, without imports; the run then continues until every test is decided. By
        default it stops when the verdict is clear and the consequences are known, after at most 60 CPU seconds.
    seed : seed of the seeds that are passed to the target.
    intervals : whether effects get intervals and the consequences of a defect are measured to 2 %. This changes no
        verdict, but takes most of the time of a short run.
    call_seconds : CPU seconds that one call of the target may take, or wall seconds that it may wait; by default 60, or
        `seconds` and 10 more, if that is less.
    goal : effects of this size, relative or as a distance, must be excluded; this may take more draws.
    only : properties to test, such as coupling; by default all that the mechanism promises.
    up_to_scale : whether estimates may have a common factor, which is measured at x = y = 0.
    threads : of OpenBLAS and torch during the run. More are rarely faster for small matrices, and use up CPU seconds.
    progress : called with the number of calls and the CPU seconds after each look.

    Returns
    -------
    The report; ``report.ok`` is True only if every property agrees with the requested power.

    Examples
    --------
    >>> import numpy as np
    >>> def weights(m, d, seed):
    ...     draw = np.random.default_rng(seed)
    ...     blocks = [np.linalg.qr(draw.standard_normal((d, d)))[0] for _ in range(m // d)]
    ...     return np.sqrt(draw.chisquare(d, (m, 1))) * np.concatenate(blocks)
    >>> report = check(weights, coupling="orthogonal", d=4, intervals=False)
    >>> [d.name for d in report.diagnoses], report.exit_code
    (['qr-signs'], 1)
    """
    checked_integer("seed", seed, 0)
    for name, value in (("seconds", seconds), ("call_seconds", call_seconds)):
        if value is not None:
            checked_seconds(name, value)
    if goal is not None:
        checked_effect("goal", goal)
    for name in items("only", only, str, "names of properties"):
        if name not in PROPERTIES:
            raise UnknownName("property", name, PROPERTIES)
    checked_workers("threads", threads)
    if lengthscale is not None:
        lengthscale = positive("lengthscale", lengthscale)
    if not isinstance(kernel, str):
        raise InvalidInput("kernel", needs="the name of a kernel, such as gaussian", got=kernel)
    if not (arguments is None or isinstance(arguments, Mapping)):
        raise InvalidInput("arguments", needs="a mapping from names of arguments to values", got=arguments)
    plan = Plan(
        SECONDS if seconds is None else seconds, complete=seconds is not None, intervals=intervals,
        progress=progress, goal=math.inf if goal is None else goal, only=tuple(only),
    )  # fmt: skip
    if mechanism.is_mechanism(target):
        own = mechanism.load(str(target))
        with limited_to(threads):
            return _claims(own, plan, seed)
    found = resolve(target, kind=kind, d=d, m=m, arguments=arguments)
    coupling = coupling or found.coupling
    found.call_seconds = call_seconds or min(CALL_SECONDS, LOADING + plan.seconds)
    features = SHORT.get(features or "", features)
    if features is not None and features not in FEATURES:
        features = _declared_map(features)
    if up_to_scale and found.kind in ("matrix", "array"):
        hint = "if the scale of the weights differs, so does the length scale: use --lengthscale"
        raise InvalidInput("up_to_scale", needs="features or estimates", got=found.kind, hint=hint)
    of_globals = int(np.random.SeedSequence([seed, 1]).generate_state(1)[0])
    with limited_to(threads), seeded_globals(of_globals):
        if found.kind == "matrix":
            return _shapes(found, arguments, coupling, kernel, lengthscale or 1.0, plan, seed)
        if found.kind == "array":
            return _matrices(found, coupling, kernel, lengthscale or 1.0, plan, seed)
        return _estimates(found, coupling, features, kernel, lengthscale, up_to_scale, plan, seed)


def _declared_map(name: object) -> str:
    """The declared name of a feature map, from any of its names, with the parameter that follows a colon."""
    word, colon, value = name.partition(":") if isinstance(name, str) else (name, "", "")
    try:
        found = find_map(word).name  # type: ignore[arg-type]
        return f"{found}:{_shape(value):g}" if colon and found == "gerf" else found
    except UnknownName as problem:
        raise InvalidInput("features", needs="one of " + ", ".join(FEATURES) + ", or a declared map", got=name,
                           hint=str(problem)) from None  # fmt: skip


def _shape(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not -math.inf < value < 1 / 8:
        raise InvalidInput(
            "features", needs="gerf:A with a number A below 1/8, where variances are finite", got=text
        )
    return value


def _seeds(seed: int, start: int, count: int) -> np.ndarray:
    """Seeds of the calls start, start + 1, ...; they depend only on the run's seed and the number of the call.

    They come in runs of CONSECUTIVE neighbours, as users pass them, so that blocks seeded by seed + block share draws.
    No seed occurs twice in 2^31 calls, because the same seed gives the same draw.
    """
    calls = np.arange(start, start + count)
    offset = int(np.random.SeedSequence([seed, 2]).generate_state(1)[0])
    runs = _mixed((calls // CONSECUTIVE + offset) % RUNS)
    return np.asarray(runs * CONSECUTIVE + calls % CONSECUTIVE)


def _apart(seed: int) -> list[int]:
    """Seeds that no call of the run has: as many as make equal draws of a single sign improbable."""
    return [int(one) for one in _seeds(seed, 1 << 40, FIRST_LOOK)]


def _mixed(runs: np.ndarray) -> np.ndarray:
    """A permutation of 0, ..., RUNS - 1 whose low bits look random too, so that code that truncates seeds is caught."""
    for shift, factor in ((14, 0x2C1B3C6D), (13, 0x297A2D39), (15, 1)):
        runs = (runs ^ (runs >> shift)) * (factor % RUNS) % RUNS
    return runs


# ---- weight matrices ---------------------------------------------------------------------------------


def _shapes(
    target: Target, arguments: Mapping[str, Any] | None, coupling: str | None, kernel: str, lengthscale: float,
    plan: Plan, seed: int,
) -> Report:  # fmt: skip
    """Check the target at the requested size; if none is requested and it takes any, at OTHER_SHAPES too."""
    others = OTHER_SHAPES if target.any_size else ()
    plan = replace(plan, share=1 / (1 + len(others)))
    first = replace(plan, seconds=plan.seconds * (FIRST_SHAPE if others else 1.0))
    report = _matrices(target, coupling, kernel, lengthscale, first, seed)
    for left, (d, m) in zip(range(len(others), 0, -1), others, strict=True):
        if report.decision is Outcome.REFUTED:
            break
        plan = replace(plan, seconds=max(first.seconds / 4, plan.seconds - report.seconds) / left)
        other = resolve(target.function, kind="matrix", d=d, m=m, arguments=arguments)
        other.name, other.call_seconds, other.at_once = target.name, target.call_seconds, target.at_once
        try:
            found = _matrices(other, report.declared["coupling"], kernel, lengthscale, plan, seed)
        except SamplerFailed as error:
            report = replace(
                report, notes=(*report.notes, f"not tested at d = {d}, m = {m}: {error.problem}")
            )
        else:
            report = report.joined(found)
    return report


def _matrices(
    target: Target, coupling: str | None, kernel: str, lengthscale: float, plan: Plan, seed: int
) -> Report:
    target.block = coupling_law(coupling).size(target.d) if coupling is not None else None
    m, d = target.try_sizes(int(_seeds(seed, 0, 1)[0]))  # imports made here do not count
    start = CLOCK()
    batch = max(1, min(256, ENTRIES // (m * max(d, min(m, COMPARED)))))
    plan = replace(plan, calls=min(plan.calls, KEPT // (2 * m + 50)))
    first = target.matrices(opening := _seeds(seed, 0, min(batch, FIRST_LOOK)), 0)
    target.require_usable(first * lengthscale, opening)
    if d == 1 and coupling is None:
        coupling = "iid"
    if coupling is None:
        coupling = _coupling_of(first)
        target.notes.append(
            f"coupling not given: assumed {coupling}, from the first draws; declare what is promised with --as"
        )
    case = replace(Case.of(d, m, coupling, "", kernel, lengthscale, seed), stacked=target.stacked)
    if not case.row.gaussian and coupling != "iid":
        raise InvalidInput("coupling", needs="iid, for kernels other than the Gaussian", got=coupling)
    measures = MatrixMeasures(case, math.inf if target.stored is None else len(target.stored))
    fixed = stability.of_matrices(target)
    if target.kind == "matrix":
        few = case.coupling.few_rows(d) or len(np.unique(first)) <= FEW_VALUES
        fixed += determinism.of_calls(
            target.matrix, _apart(seed), target.seed_argument is not None, few_draws=few
        )

    def see(begin: int, end: int) -> int:
        for at in range(begin, end, batch):
            stop = min(at + batch, end)
            seeds = _seeds(seed, at, stop - at)
            values = first[at:stop] if stop <= len(first) else target.matrices(seeds, at)
            if len(values) == 0:
                return at
            scaled = values * lengthscale
            target.require_usable(scaled, seeds)
            measures.see(scaled)
        return measures.calls

    def judge(level: Level) -> list[Finding]:
        return fixed + [f for look in OF_MATRICES for f in look(measures, level)]

    _require_draws(target, fixed)
    found, names, effects, looks = _looks(
        see, judge, lambda f: of_matrices(measures, f), plan, start,
        measure=lambda: consequences.of_matrices(measures),
    )  # fmt: skip
    declared = {"coupling": coupling, "kernel": kernel, "lengthscale": lengthscale, "d": d, "m": m}
    return _report(target, declared, found, names, effects, measures.calls, looks, start, seed)


def _coupling_of(w: np.ndarray) -> str:
    """Orthogonal or simplex if the angles inside blocks are fixed accordingly, else iid.

    Rows of a few draws in two or three dimensions, which may be at these angles by chance, count as iid. The cosines of
    a row with the others of its block are independent, so that the chance is known.

    Examples
    --------
    >>> two = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> [_coupling_of(np.tile(two, (count, 1, 1))) for count in (1, 8)]
    ['iid', 'orthogonal']
    >>> _coupling_of(np.random.default_rng(1).standard_normal((64, 8, 4)))
    'iid'
    """
    m, d = w.shape[1:]
    size = min(m, d)
    if size < 2:
        return "iid"
    norms = np.linalg.norm(w, axis=-1, keepdims=True)
    u = (w / np.where(norms > 0, norms, 1.0))[:, : m // size * size].reshape(-1, size, d)
    gram = np.matmul(u, u.swapaxes(1, 2))[:, ~np.eye(size, dtype=bool)]
    angles = len(u) * (size - 1)
    for name, cosine in (("orthogonal", 0.0), ("simplex", -1 / (d - 1))):
        chance = float(np.diff(cosine_cdf(d)(cosine + SAME_ANGLE * np.array([-1.0, 1.0])))[0])
        if np.abs(gram - cosine).max() < SAME_ANGLE and chance**angles < BY_CHANCE:
            return name
    return "iid"


# ---- kernel estimates ----------------------------------------------------------------------------------


def _estimates(
    target: Target, coupling: str | None, features: str | None, kernel: str, lengthscale: float | None,
    up_to_scale: bool, plan: Plan, seed: int,
) -> Report:  # fmt: skip
    if features == "angular-hybrid" and kernel == "gaussian":
        kernel = "softmax"
    lengthscale = lengthscale or target.lengthscale or 1.0
    asked = features or target.features
    features, number = _features_of(target, asked, lengthscale, seed)
    if coupling is None:
        coupling = "iid"
        target.notes.append("coupling not given: assumed iid (it determines the exact variance)")
    case = Case.of(target.d, number, coupling, features, kernel, lengthscale, seed)
    measures = EstimateMeasures(case, panel(case))
    own = _InUnits(target, lengthscale, _scale_of(target, _seeds(seed, 0, 4)) if up_to_scale else 1.0)
    fixed = _seen_first(own, measures, seed)
    _require_draws(target, fixed)
    start = CLOCK()

    def see(begin: int, end: int) -> int:
        places = turned(case, measures.pairs, begin, end - begin)
        seeds = _seeds(seed, begin, end - begin)
        with target.timed():
            values = np.stack([own.raw(x, y, int(s)) for (x, y), s in zip(places, seeds, strict=True)])
        target.require_usable(values, seeds)
        measures.see(values / own.factor)
        return measures.calls

    def judge(level: Level) -> list[Finding]:
        found = [f for look in OF_ESTIMATES for f in look(measures, level)]
        kept = determinism.of_inputs(target.writes_inputs, measures.calls)
        return [*fixed, kept, *found, *stability.of_estimates(target, measures, _apart(seed)[0])]

    found, names, effects, looks = _looks(
        see, judge, lambda f: of_estimates(measures, f), plan, start,
        measure=lambda: consequences.of_estimates(measures),
    )  # fmt: skip
    level = Level(ALPHA / TESTS)
    if asked is None and not features.startswith("gerf") and maps.is_another(measures, found, names, level):
        found, names, effects = maps.without_map(measures, found, level), [], []
        target.notes.append(
            f"but the draws show that it is not {features}: they were compared with the kernel alone. Declare the map "
            "with --features, or state its variance in a file that --new starts"
        )
        features = None
    declared = {
        "features": features, "coupling": coupling, "kernel": kernel, "lengthscale": lengthscale,
        "d": target.d, "m": number,
    }  # fmt: skip
    if number is None and features is not None:
        target.notes.append(_number_seen(measures))
    return _report(target, declared, found, names, effects, measures.calls, looks, start, seed)


def _require_draws(target: Target, fixed: Sequence[Finding]) -> None:
    """Refuse an object that has drawn before, which is no sampler, and features of the data rather than of a seed."""
    same = [f for f in fixed if f.outcome is Outcome.REFUTED and "different draws" in f.test]
    if same and target.is_object and target.seed_argument is None:
        raise InvalidInput(
            target.name, needs="a target that draws in each call", got="the same values twice",
            hint="if it draws when it is constructed, give its class, or a function that constructs one and calls it",
        )  # fmt: skip
    if target.kind == "transformer" and _depends_on_data(target):
        raise InvalidInput(
            target.name, needs="features that depend on inputs and seed alone", got="others after a fit on other data",
            hint="set a parameter that is taken from the data, such as gamma='scale', with --arg gamma=0.5; "
            "features made from the data, as in Nystroem's method, have no law to be compared with",
        )  # fmt: skip


def _depends_on_data(target: Target) -> bool:
    """Whether a transformer makes other features of the same inputs, with the same seed, after a fit on other data."""
    draw, seed = np.random.default_rng(0), 0
    inputs, data = draw.standard_normal((2, 2 * target.m, target.d))
    made, again, after = (target.transformed(one, inputs, seed) for one in (inputs, inputs, data))
    return np.array_equal(made, again) and not np.array_equal(made, after)


class _InUnits(NamedTuple):
    """A target for inputs in units of its length scale, whose estimates may have a common factor."""

    target: Target
    lengthscale: float
    factor: float

    def raw(self, x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
        """Estimates with the factor."""
        return self.target.estimates(self.lengthscale * x, self.lengthscale * y, seed)

    def of_one_draw(self, x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
        return self.target.of_one_draw(self.lengthscale * x, self.lengthscale * y, seed) / self.factor


def _seen_first(own: _InUnits, measures: EstimateMeasures, seed: int) -> list[Finding]:
    """The findings that take a few calls, before the draws: the same seed twice, other inputs beside these, rounding.

    What these calls show of the features, and the unit of rounding, is noted in the measures.
    """
    target, lengthscale, case = own.target, own.lengthscale, measures.case
    x = lengthscale * np.stack([p.x for p in measures.pairs])
    y = lengthscale * np.stack([p.y for p in measures.pairs])
    seeds, seeded = _apart(seed), target.seed_argument is not None
    fixed = determinism.of_calls(
        lambda s: target.estimates(x, y, s) / own.factor,
        seeds,
        seeded,
        few_draws=case.coupling.few_rows(case.d),
    )
    measures.unit = inputs.UNITS.get(target.dtype, 0.0)  # known from the first call on
    if measures.unit:
        target.notes.append(inputs.of_rounding(target.dtype, estimates=target.kind == "estimator"))
    if target.has_one_draw:
        fixed += inputs.of_estimates(
            case, [partial(own.of_one_draw, seed=one) for one in seeds[:2]], target.dtype
        )
    if target.kind == "features" and seeded:
        many = lengthscale * inputs.of_many(case).values
        u, v = np.concatenate([many, x]), np.concatenate([many, y])
        together, alone = (
            partial(lambda of, at: of(u[at], v[at], seeds[0]), of)
            for of in (target.estimates, target.estimates_apart)
        )
        sizes, allowed = (
            np.array([of(measures, pair) for pair in measures.pairs])
            for of in (unbiasedness.cancelling, unbiasedness.allowed)
        )
        fixed.append(determinism.of_batches(together, alone, len(u), sizes=sizes, allowed=allowed))
        measures.peaks = target.features_of_draws(x, y, _seeds(seed, 1 << 42, 8))[:, 0].max(2)
    if target.kind in ("features", "transformer"):
        far = lengthscale * inputs.far_ones(case)
        with suppress(SamplerFailed), np.errstate(all="ignore"):  # that it cannot take them says nothing
            ends = target.features_of_draws(far, far, _seeds(seed, 1 << 43, 2))
            measures.floor = max(inputs.floor_of(ends[:, side]) for side in (0, 1))
            measures.added = measures.floor * math.sqrt(ends.shape[-1] / own.factor)
    return fixed


def _number_seen(measures: EstimateMeasures) -> str:
    """What squared errors say about a number of projections that was not given."""
    seen = variance.projections(measures)
    if seen is None:
        return "m not given: squared errors are not tested; --arg m=... tests them"
    like = f"those of about {plural(seen, 'projection')}"
    return f"m not given: squared errors are like {like}; --arg m={seen} tests them"


def _scale_of(target: Target, seeds: np.ndarray) -> float:
    """The common factor of the estimates: the estimate at x = y = 0, where most maps have no error."""
    zero = np.zeros((1, target.d))
    values = [float(target.estimates(zero, zero, int(one))[0]) for one in seeds]
    if not values[0] > 0 or np.ptp(values) > 1e-6 * values[0]:
        raise InvalidInput(
            "up_to_scale", needs="a map whose estimate at x = y = 0 is the same in all draws", got=values,
            hint="divide by the factor in the target",
        )  # fmt: skip
    target.notes.append(f"estimates divided by {values[0]:.6g}, the estimate at x = y = 0")
    return values[0]


def _features_of(
    target: Target, features: str | None, lengthscale: float, seed: int
) -> tuple[str, int | None]:
    """Feature map and number of projections, as declared or as detected from the features of one draw."""
    asked = target.m if target.m_given else None
    if target.kind == "estimator":
        if features == "gerf":
            raise InvalidInput("features", needs="gerf:A, such as gerf:-0.1", got=features,
                               hint="only a feature map shows its A")  # fmt: skip
        if features is None:
            far = 2 * lengthscale * np.ones((40, target.d)) * target.d**-0.5
            values = target.estimates(far, -far, int(_seeds(seed, 1 << 41, 1)[0]))
            features = "trigonometric" if (values < 0).any() else "positive"
            target.notes.append(f"feature map not given: assumed {features}, from the signs of estimates")
        return features, asked
    draw = np.random.default_rng(seed)
    x = 0.3 * lengthscale * draw.standard_normal((4, target.d))
    x[0] = 0.0
    phi, _ = target.features_of(x, x, int((first := _seeds(seed, 1 << 41, 1))[0]))
    target.require_usable(phi[None], first)
    half = phi.shape[1] // 2
    if target.dtype.startswith("complex") and not phi[:, half:].any():
        phi = phi[:, :half]  # real features of a complex type
    count = phi.shape[1]
    if features is None:
        features = maps.map_of(phi)
        if features == "positive":
            features = _gerf_of(target, lengthscale, seed) or features
        target.notes.append(f"feature map not given: found {features} from the features of one draw")
    elif features == "gerf":
        fitted = _gerf_of(target, lengthscale, seed)
        if fitted is None:
            needs = "a map D exp(A |w|^2 + B w.x + C |x|^2) with a real A that is not 0"
            hint = "pass A as gerf:A, such as gerf:-0.1; with A = 0 it is the map positive"
            raise InvalidInput("features", needs=needs, got=features, hint=hint)
        features = fitted
        target.notes.append(f"A not given: found {features} from the features of one draw")
    half = features in ("trigonometric", "hyperbolic", "angular-hybrid")
    if features == "angular-hybrid":  # of products of features
        return features, asked
    number = count // 2 if half and count > 1 else count
    target.notes.append(f"{plural(count, 'feature')}: m = {plural(number, 'projection')}")
    return features, number


def _gerf_of(target: Target, lengthscale: float, seed: int) -> str | None:
    """The declared name of the GERF with the features of one draw; None if they are of another form."""
    x = maps.gerf_inputs(target.d, lengthscale)
    phi, _ = target.features_of(x, x, int(_seeds(seed, 1 << 41, 1)[0]))
    shape = maps.gerf_exponent(phi)
    return None if shape is None else f"gerf:{shape:g}"


# ---- a mechanism with its claims --------------------------------------------------------------------------


def _claims(own: mechanism.Mechanism, plan: Plan, seed: int) -> Report:
    proofs, pairs, target = own.proofs(), own.pairs(), own.target
    x, y = np.stack([p.x for p in pairs]), np.stack([p.y for p in pairs])
    drawn = Growing()

    def call(value: int) -> np.ndarray:
        return target.estimates(x, y, value)

    fixed = determinism.of_calls(call, _apart(seed), target.seed_argument is not None, few_draws=False)
    start = CLOCK()

    def see(begin: int, end: int) -> int:
        seeds = _seeds(seed, begin, end - begin)
        with target.timed():
            values = np.stack([call(int(s)) for s in seeds])
        target.require_usable(values, seeds)
        drawn.add(estimates=values)
        return end

    def judge(level: Level) -> list[Finding]:
        values = drawn["estimates"]
        return proofs + fixed + [f for i, p in enumerate(pairs) for f in own.findings(p, values[:, i], level)]

    found, names, effects, looks = _looks(see, judge, lambda _: [], plan, start)
    claims = {"MEAN": own.mean, "VARIANCE": own.variance, "SUMMAND": own.summand}
    text = {k: str(v) if isinstance(v, sp.Expr) else "a function" for k, v in claims.items() if v is not None}
    declared = text | {"d": own.d, "m": own.m}
    return _report(target, declared, found, names, effects, len(drawn["estimates"]), looks, start, seed)


# ---- looks -----------------------------------------------------------------------------------------------


def _looks(
    see: Callable[[int, int], int],
    judge: Callable[[Level], list[Finding]],
    name: Callable[[Sequence[Finding]], list[Diagnosis]],
    plan: Plan,
    start: float,
    measure: Callable[[], list[Consequence]] | None = None,
) -> tuple[list[Finding], list[Diagnosis], list[Consequence], int]:
    """Draw and judge at doubling numbers of calls; a test that is refuted once stays refuted.

    After a refutation a default run continues until one defect explains everything, for at most PURSUED times the
    calls of the refutation, and then until the consequences are known. Without ``measure`` it does neither.
    """
    done, look, first, patient = 0, 0, math.inf, time.monotonic() + PATIENCE * plan.seconds
    stuck: dict[int, Finding] = {}

    def level(final: bool) -> Level:
        return Level(plan.share * ALPHA / TESTS / (look * (look + 1)), final, plan.goal)

    while True:
        look += 1
        goal = FIRST_LOOK << (look - 1)
        seen = see(done, goal)
        fresh = seen > done
        done = seen
        findings = plan.taken(judge(level(final=False)))
        if len(findings) > TESTS:
            raise AssertionError(f"{len(findings)} tests, {TESTS} counted")
        stuck |= {i: f for i, f in enumerate(findings) if f.outcome is Outcome.REFUTED and i not in stuck}
        named = name([stuck.get(i, f) for i, f in enumerate(findings)])
        spent = CLOCK() - start
        # more draws do not help an open question, whose detectable effect is infinite
        decided = all(
            f.outcome is not Outcome.UNDECIDED or i in stuck or math.isinf(f.detectable)
            for i, f in enumerate(findings)
        )
        if plan.progress is not None:
            plan.progress(done, spent)
        late = 2 * spent > plan.seconds or time.monotonic() > patient
        if stuck:
            first = min(first, done)
        late |= not plan.complete and done >= max(PURSUED * first, 1 << 13)
        harmless = {found.name for found in named} <= WITHOUT_EFFECT  # the other tests go on
        over = not fresh or done < goal or late or 2 * goal > plan.calls
        refuted = [stuck.get(i, f) for i, f in enumerate(findings)]
        clear = (bool(named) and not unexplained(refuted, named)) or (measure is None and bool(stuck))
        if over or (decided and (clear or not stuck)) or (clear and not plan.complete and not harmless):
            break
    if not plan.intervals:
        return [stuck.get(i, f) for i, f in enumerate(findings)], named, [], look
    effects: list[Consequence] = []
    dependent = any(found.name in DEPENDENT for found in named)
    harmless = harmless and not unexplained(refuted, named)
    until = plan.seconds if plan.complete else min(plan.seconds, CLOCK() - start + PURSUIT)
    if stuck and measure is not None and not dependent and not harmless:

        def draw(goal: int) -> bool:
            nonlocal done
            began, done = done, see(done, goal)
            if plan.progress is not None:
                plan.progress(done, CLOCK() - start)
            return done == goal > began

        def affordable() -> int:
            rate = max(CLOCK() - start, 1e-6) / done
            return 0 if time.monotonic() > patient else min(plan.calls, int(0.8 * until / rate))

        made = done
        effects = consequences.pursue(measure, draw, lambda: done, affordable)
        look += done > made  # the new draws get another look, at its own level
    findings = plan.taken(judge(level(final=True)))
    findings = [_kept(f, stuck.get(i), dependent) for i, f in enumerate(findings)]
    return findings, name(findings) if effects else named, effects, look


def _kept(finding: Finding, earlier: Finding | None, dependent: bool) -> Finding:
    """The finding of the look that refuted, the last one if it did; no interval if calls depend on each other."""
    if earlier is not None and finding.outcome is not Outcome.REFUTED:
        finding = earlier
    if dependent and finding.interval[0] != finding.interval[1]:
        finding = replace(finding, interval=(math.nan, math.nan), given="")
    return finding


def _report(
    target: Target, declared: dict[str, Any], findings: list[Finding], named: list[Diagnosis],
    effects: list[Consequence], calls: int, looks: int, start: float, seed: int,
) -> Report:  # fmt: skip
    order = {name: i for i, name in enumerate(PROPERTIES)}
    findings = sorted(findings, key=lambda f: order[f.topic])
    return Report(
        target=target.name,
        kind=target.kind,
        declared=declared,
        notes=tuple(target.notes),
        findings=tuple(findings),
        diagnoses=tuple(named),
        consequences=tuple(effects),
        calls=calls,
        looks=looks,
        seconds=CLOCK() - start,
        alpha=ALPHA,
        seed=seed,
    )
