"""Is the advice of ``rftheory choose`` right? Fifty random data sets, against the sampled errors of all mechanisms.

For each data set every feature map with every coupling that has a sampler is drawn at the number of features that was
recommended, those without an exact law too, and its error is measured over the pairs that `choose` looked at and over
pairs that it has not seen. Parameters are fitted as `choose` fits them. Features of counts take part as they are, and
with all inputs shifted to be positive. `judged` says which of the measured errors can be believed.

    OMP_NUM_THREADS=1 python benchmarks/choose_study.py --records runs.jsonl --write

Stopped, the study goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from rftheory.choose import Advice, Pairs, choose, pairs_of
from rftheory.choose.comparison import Comparison
from rftheory.choose.data import exact_values
from rftheory.choose.expected import MapErrors
from rftheory.choose.measured import BOUNDED, Candidate
from rftheory.errors import OutsideDomain, RFTheoryError
from rftheory.sample import COUPLINGS, Mechanism, RandomFeatures, Stream, feature_map, optimised
from rftheory.sample.discrete import LAWS, DiscreteMechanism, GeometricCounts, Poisson, shift_below
from rftheory.sample.mechanisms import joint_features
from rftheory.sample.parameters import averages, geometric_parameter, poisson_rate
from rftheory.spec import find_coupling

RESULTS = Path(__file__).parent / "results" / "choose.md"
SETS = 50
DIMENSIONS = (1, 2, 3, 4, 5, 8, 12, 16, 24, 32, 48, 64)
NUMBERS = 2 * 10**5
"""Random numbers for a mechanism on a data set."""
UNSEEN = 48
"""Pairs of the data that `choose` has not looked at."""
MOST_FEATURES = 512
"""Where more are recommended, or no number is enough, `choose` is asked for the best with so many."""
SHOWN = 0.02
"""What the tails may add to the relative variance of a plain mean that is believed."""
CLEAR = 4.0
"""Standard errors by which a mechanism has to be better before the recommendation counts as wrong."""


class DataSet(NamedTuple):
    """A random table and what is asked of `choose`."""

    number: int
    kind: str
    x: np.ndarray
    kernel: Any
    goal: dict[str, Any]


def data_set(number: int) -> DataSet:
    """The data set of this number: its kind, size, dimension, kernel and goal go through all values."""
    rng = np.random.default_rng([20, number])
    kind = list(KINDS)[number % len(KINDS)]
    d, n = int(rng.choice(DIMENSIONS)), int(rng.integers(5, 400))
    x = KINDS[kind](rng, n, d)
    kernel = ("gaussian", "softmax")[number // len(KINDS) % 2]
    if rng.random() < 0.5:
        goal = {"features": int(rng.choice((16, 64, 256)))}
    else:
        goal = {"error": float(rng.choice((0.05, 0.1, 0.2)))}
    return DataSet(number, kind, x, kernel, goal)


def _clustered(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    centres = 2 * rng.standard_normal((4, d))
    return centres[rng.integers(4, size=n)] + 0.3 * rng.standard_normal((n, d))


def _zero_columns(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.standard_normal((n, d)) * (np.arange(d) % 2 == 0)


def _normalised(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    x = rng.standard_normal((n, d)) + 0.5
    return (x - x.mean(0)) / x.std(0)


def _equal_norms(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    x = rng.standard_normal((n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


KINDS = {
    "Gaussian": lambda rng, n, d: rng.standard_normal((n, d)),
    "clustered": _clustered,
    "standardised": _normalised,
    "zero columns": _zero_columns,
    "equal norms": _equal_norms,
    "heavy tails": lambda rng, n, d: rng.standard_t(2.5, (n, d)) / 3,
    "off centre": lambda rng, n, d: rng.standard_normal((n, d)) + 1.5,
    "unequal columns": lambda rng, n, d: rng.standard_normal((n, d)) * 0.7 ** np.arange(d),
    "sparse counts": lambda rng, n, d: (
        rng.poisson(0.3, (n, d)) + (np.arange(n) % d == np.arange(d)[:, None]).T / 2
    ),
    "short": lambda rng, n, d: 0.2 * rng.standard_normal((n, d)) / math.sqrt(d),
}


def mechanisms(advice: Advice, data: DataSet, pairs: Pairs) -> Iterator[tuple[str, RandomFeatures]]:
    """All mechanisms with the recommended number of features, or `MOST_FEATURES`; parameters as `choose` fits them."""
    features = min(advice.best.features, MOST_FEATURES)
    fitted = {choice.feature: choice.parameters for choice in advice.choices}
    couplings = dict(COUPLINGS)
    if pairs.d <= 3 and features <= 64:
        couplings["optimised"] = optimised(advice.sum_norm)
    for name, parameters in fitted.items():
        if name in ("poisson", "geometric"):
            continue
        phi = feature_map(name, **parameters)
        width = {c.feature: c.features // c.rows for c in advice.choices}[name]
        for coupling, law in couplings.items():
            if pairs.d >= law.min_dim and features >= width:
                yield f"{name} x {coupling}", Mechanism(phi, law, features // width)
    x = data.x / advice.lengthscale
    for suffix, shift in (("", None), (", shifted", shift_below(x, x))):
        moved = averages(x - np.array(shift or 0.0), x - np.array(shift or 0.0))
        makers = {
            "poisson": lambda seen=moved: Poisson(poisson_rate(seen.squared_products, pairs.d)),
            "geometric": lambda seen=moved: GeometricCounts(geometric_parameter(seen.absolute_products)),
        }
        for name, make in makers.items():
            try:
                law = LAWS[name](**fitted[name]) if name in fitted and not suffix else make()
                yield f"{name} x iid{suffix}", DiscreteMechanism(law, features, shift)
            except RFTheoryError:
                continue


def measured(alike: list[Any], sets: list[Pairs], kernel: Any, seed: int) -> list[list[Sampled]]:
    """Mean squared relative errors of mechanisms that share rows over each set, whole and without single rows."""
    first = alike[0]
    rows = first.m
    x, y = np.concatenate([p.x for p in sets]), np.concatenate([p.y for p in sets])
    target = np.concatenate([exact_values(p, kernel) for p in sets])
    total = int(np.clip(NUMBERS // (rows * max(x.shape)), 24, 2000))
    label = first.coupling.name if isinstance(first, Mechanism) else first.name
    stream = Stream.named(f"choose study/{label}", seed=seed, kind="native")
    tables: list[list[list[tuple[np.ndarray, np.ndarray]]]] = [[[] for _ in sets] for _ in alike]
    step = max(1, 10**6 // (max(rows, x.shape[1]) * len(x) * len(alike)))
    for start in range(0, total, step):
        part = range(start, min(start + step, total))
        if isinstance(first, Mechanism):
            drawn = joint_features(alike, stream, part, x, y, kernel, "frame")
        else:
            drawn = [first.features(stream, part, x, y, kernel)]
        for found, table in zip(drawn, tables, strict=True):
            for of_set, values in zip(table, _errors(*found, rows, target, sets), strict=True):
                of_set.append(values)
    return [[Sampled(total, *_mean(whole), *_mean(rest)) for whole, rest in
             (map(np.concatenate, zip(*of_set, strict=True)) for of_set in table)] for table in tables]  # fmt: skip


def _errors(
    left: Any, right: Any, rows: int, target: np.ndarray, sets: list[Pairs]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each set, its mean squared relative error in each block, and that without the squares of single rows."""
    products = np.exp(left.log_scale + right.log_scale)
    for terms in (left, right):
        if terms.factor is not None:
            products = products * terms.factor
    squares = (products.sum(1) - target) ** 2
    single = products.reshape(len(products), -1, rows, len(target)).sum(1) - target / rows
    rest, first = squares - (single**2).sum(1), 0
    for pairs in sets:
        own = slice(first, first + len(pairs.x))
        first, shares = own.stop, pairs.weights / (pairs.weights * target[own] ** 2).sum()
        yield squares[:, own] @ shares, rest[:, own] @ shares


def sampled(
    every: dict[str, Any], sets: list[Pairs], kernel: Any, seed: int
) -> dict[str, list[Sampled] | str]:
    """All mechanisms by name, those with the same rows together; where one cannot be drawn, why."""
    groups: dict[Any, list[str]] = defaultdict(list)
    for name, mechanism in every.items():
        alike = isinstance(mechanism, Mechanism)
        groups[(mechanism.coupling.name, mechanism.m) if alike else name].append(name)
    found: dict[str, list[Sampled] | str] = {}
    for names in groups.values():
        try:
            found |= zip(names, measured([every[name] for name in names], sets, kernel, seed), strict=True)
        except RFTheoryError:  # of one of them: a coupling in another dimension, a number out of range
            for name in names:
                try:
                    found[name] = measured([every[name]], sets, kernel, seed)[0]
                except RFTheoryError as problem:
                    found[name] = str(problem)
    return found


def _mean(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


class Sampled(NamedTuple):
    """What draws say of a mean squared error, and its standard error; the same without the squares of single rows."""

    blocks: int
    square: float
    error: float
    rest: float
    rest_error: float


class Judged(NamedTuple):
    """A mean squared error that can be believed, its standard error, and where it is from."""

    square: float
    error: float
    way: str


def judged(
    one: Sampled, rows: int, candidate: Candidate | None, normal: bool, exact: float | None
) -> Judged | None:
    """The plain mean where the draws show its tails; else the law; else the law of one row and the products of two.

    Whether tails are shown is decided by the exact fourth moment of one row, not by the draws: they add kurtosis/(rows
    blocks) to the relative variance of a mean of squares. Products of two normal rows need no tails to be believed:
    their standard error is that of independent rows at least.
    """
    shown = candidate is not None and (
        candidate.feature in BOUNDED or candidate.kurtosis / (rows * one.blocks) <= SHOWN
    )
    if shown:
        return Judged(one.square, one.error, "draws")
    if exact is not None:
        return Judged(exact**2, 0.0, "law")
    if candidate is None or not normal:
        return None
    own = candidate.variance / rows
    return Judged(own + one.rest, max(one.rest_error, own * math.sqrt(2 / one.blocks)), "pairs of rows")


def of_counts(mechanism: DiscreteMechanism, pairs: Pairs, kernel: str) -> Candidate:
    """The law of one feature of counts, by power series; a shift of both inputs leaves relative errors as they are."""
    shift = np.array(mechanism.shift or 0.0)
    t = (pairs.x - shift) * (pairs.y - shift)
    second, third, fourth = (
        np.prod(_coordinates(mechanism.law, n, t), axis=1) * np.exp(-n * t.sum(1)) for n in (2, 3, 4)
    )
    target, variance = pairs.weights * exact_values(pairs, kernel) ** 2, second - 1
    with np.errstate(over="ignore"):
        own, tails = (
            variance.astype(float) * target,
            ((fourth - 4 * third + 6 * second - 3) / variance**2).astype(float),
        )
    return Candidate(mechanism.law.name, {}, MapErrors(target, own, {}), tails)


def _coordinates(law: Any, n: int, t: np.ndarray) -> np.ndarray:
    """E of a power of what one coordinate contributes: sum over k of p_k (t^k/(k! p_k))^n, (pairs, d)."""
    k = np.arange(400, dtype=np.longdouble)[:, None, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = n * (k * np.log(np.abs(t).astype(np.longdouble)) - gammaln(k.astype(float) + 1))
    logs = np.where(t == 0, np.where(k == 0, 0, -np.inf), logs)
    if isinstance(law, Poisson):
        chance = k * math.log(law.rate) - law.rate - gammaln(k.astype(float) + 1)
    else:
        chance = math.log(law.p) + k * math.log1p(-law.p)
    return (np.exp(logs + (1 - n) * chance) * np.where(t < 0, (-1.0) ** (n * k), 1.0)).sum(0)


def by_law(comparison: Comparison, name: str, m: int) -> float | None:
    """The exact error of so many rows, which may be more than `choose` would take; None where it is not known."""
    if name not in {choice.name for choice in comparison.choices}:
        return None
    feature, coupling = name.split(" x ")
    declared = find_coupling(coupling)
    return comparison.errors[feature, declared.norms].relative(m, declared.pairs(comparison.pairs.d, m))


def record(number: int) -> dict[str, Any]:
    """One data set: the advice, and what brute force finds."""
    data, began = data_set(number), time.process_time()
    try:
        advice = choose(data.x, kernel=data.kernel, seed=number, **data.goal)
    except OutsideDomain:  # the goal is out of reach
        advice = None
    chosen = time.process_time() - began
    if (
        advice is None or advice.best.features > MOST_FEATURES
    ):  # what is best at another number is another question
        data = data._replace(goal={"features": MOST_FEATURES})
        advice = choose(data.x, kernel=data.kernel, seed=number, **data.goal)
    scale, features = advice.lengthscale, min(advice.best.features, MOST_FEATURES)
    sets = [
        pairs_of(data.x, kernel=data.kernel, lengthscale=scale, count=count, seed=seed)
        for count, seed in ((48, number), (UNSEEN, 10**6 + number))
    ]
    known = [Comparison(pairs, data.kernel, {"features": features}, number) for pairs in sets]
    for comparison in known:
        comparison.parameters |= {c.feature: dict(c.parameters) for c in advice.choices}
        comparison.exact(slow=False)
    found: dict[str, Any] = {}
    every = dict(mechanisms(advice, data, sets[0]))
    for name, values in sampled(every, sets, data.kernel, number).items():
        if isinstance(values, str):
            found[name] = values
            continue
        mechanism, found[name] = every[name], []
        for comparison, one in zip(known, values, strict=True):
            if isinstance(mechanism, DiscreteMechanism):
                candidate, normal = of_counts(mechanism, comparison.pairs, data.kernel), True
                law = candidate.known.relative(mechanism.m, {})
            else:
                feature, coupling = name.split(" x ")
                declared = find_coupling(coupling)
                law = by_law(comparison, name, mechanism.m)
                try:
                    candidate = comparison.candidate(feature, declared.norms)
                except OutsideDomain as problem:  # `choose` names the map among those left out
                    found[name] = str(problem)
                    break
                normal = declared.norms == "chi" and declared.marginal
            found[name].append([one, judged(one, mechanism.m, candidate, normal, law), law])
    return {
        "number": number, "pairs": [advice.pairs, advice.pairs_total],
        "exact_error": not advice.best.standard_error, "kind": data.kind, "n": len(data.x), "d": advice.d,
        "kernel": data.kernel, "goal": data.goal,
        "best": advice.best.name, "features": advice.best.features, "rows": advice.best.rows,
        "error": advice.best.error, "standard_error": advice.best.standard_error,
        "sampling_error": advice.sampling_error, "measured": found,
        "confirmation": {**vars(advice.confirmation), "verdict": advice.confirmation.verdict},
        "seconds": [chosen, time.process_time() - began - chosen],
    }  # fmt: skip


class Finding(NamedTuple):
    """What one data set shows.

    Attributes
    ----------
    best : the mechanism with the least error over the pairs that `choose` looked at, and how that error is known.
    regret, regret_unseen : error of the recommended one over that least error; over pairs not looked at.
    right : no mechanism is better by more than `CLEAR` standard errors.
    reached : the error of the recommended one is as was said, within `CLEAR` standard errors.
    compared, open : how many mechanisms have an error that can be believed, and how many have none.
    tested, away : how many plain means that show their tails can be held against a law, and how many differ from it.
    illusions : how many plain means lie below the recommended error where the error that can be believed does not.
    plain : of the recommended one nothing is known but the plain mean.
    """

    best: str
    regret: float
    regret_unseen: float
    right: bool
    reached: bool
    compared: int
    open: int
    tested: int
    away: int
    illusions: int
    plain: bool


def finding(one: dict[str, Any]) -> Finding:
    """Compare the advice with brute force."""
    drawn = {name: [(Sampled(*a), b and Judged(*b), law) for a, b, law in value]
             for name, value in one["measured"].items() if not isinstance(value, str)}  # fmt: skip
    known = {name: value for name, value in drawn.items() if all(judged for _, judged, _ in value)}
    own, unseen = (judged or Judged(*plain[1:3], "plain mean") for plain, judged, _ in drawn[one["best"]])
    best = min(known, key=lambda name: known[name][0][1].square)
    least = known[best][0][1]
    tested = [(plain, law) for plain, judged, law in (value[0] for value in known.values())
              if law is not None and judged.way == "draws"]  # fmt: skip
    away = sum(
        abs(plain.square - law**2) > (CLEAR + 1) * plain.error + 1e-9 * law**2 for plain, law in tested
    )
    better = {name for name, (first, _) in known.items() if _clearly(first[1], own)}
    seem = {name for name, (first, _) in drawn.items() if _clearly(first[0], own)}
    return Finding(
        f"{best} ({least.way})", math.sqrt(own.square / least.square),
        math.sqrt(unseen.square / min(value[1][1].square for value in known.values())), not better,
        one["features"] > MOST_FEATURES
        or own.square - one["error"] ** 2 <= CLEAR * (own.error + 2 * one["standard_error"] * one["error"]) + 1e-9,
        len(known), len(drawn) - len(known), len(tested), away, len(seem - better), one["best"] not in known,
    )  # fmt: skip


def _clearly(one: Sampled | Judged, other: Judged) -> bool:
    """Whether one square is below another by more than `CLEAR` standard errors."""
    return other.square - one.square > CLEAR * math.hypot(one.error, other.error) + 1e-9 * other.square


def written(records: list[dict[str, Any]]) -> str:
    """The table in Markdown."""
    found = [finding(one) for one in records]
    count = len(records)
    lines = [
        "# Is the advice of `rftheory choose` right?",
        "",
        f"{count} of {SETS} random data sets ({', '.join(KINDS)}),",
        f"d from {DIMENSIONS[0]} to {DIMENSIONS[-1]}, both kernels. On each, every feature map with every coupling",
        f"that can be drawn is drawn at the recommended number of features, {MOST_FEATURES} at most:",
        "`python benchmarks/choose_study.py --records F --write`.",
        "",
        f"- No mechanism is better than the recommended one by more than {CLEAR:g} standard errors:"
        f" {sum(f.right for f in found)} of {count}.",
        f"- Its error is not above what was said: {sum(f.reached for f in found)} of {count}.",
        f"- New draws confirmed the answer in {_verdicts(records)['agrees']}, were undecided in"
        f" {_verdicts(records)['undecided']} (tails), and differed in {_verdicts(records)['differs']}.",
        "- The recommended mechanism has no law, so that its error was measured:"
        f" {sum(not r['exact_error'] for r in records)} of {count}.",
        f"- CPU seconds of `choose`: median {np.median([r['seconds'][0] for r in records]):.1f}, largest"
        f" {max(r['seconds'][0] for r in records):.1f}.",
        "",
        "Squared errors of exponentials have heavy tails. Where a mean is carried by draws that are too rare to occur,",
        "the measured error is too small and looks certain: the least of a hundred of them is then an illusion.",
        "So each error here is one that can be believed. It is the plain mean of the draws where the exact fourth",
        f"moment of one row says that the tails add less than {SHOWN:g} to its relative variance; else the law; else,",
        "where rows are normal and only their coupling has no law, the exact variance of one row with the measured",
        "products of two rows, with at least the standard error that independent rows have. What is left has no",
        "error that can be believed and is not compared; where it is recommended, its plain mean is taken:"
        f" {sum(f.plain for f in found)} of {count}.",
        "",
        f"- Compared: {sum(f.compared for f in found)} errors; not compared: {sum(f.open for f in found)}.",
        f"- Plain means that look better than the recommendation but are illusions: {sum(f.illusions for f in found)}.",
        f"- Plain means that show their tails, beside a law: {sum(f.tested for f in found)}; more than {CLEAR + 1:g}"
        f" standard errors away: {sum(f.away for f in found)}.",
        "",
        "Regret is the error of the recommended mechanism over the least one, on the pairs that `choose` looked at and",
        "on pairs that it did not see. The least of a hundred noisy numbers is too small, so do not expect 1.",
        "",
        "| # | data | n | d | kernel | goal | recommended | features | error | least, and how known | regret | unseen"
        " | right |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one, f in zip(records, found, strict=True):
        goal = " ".join(f"{name} {value:g}" for name, value in one["goal"].items())
        marked = "" if one["exact_error"] else " (measured)"
        lines.append(
            f"| {one['number']} | {one['kind']} | {one['n']} | {one['d']} | {one['kernel']} | {goal} | {one['best']} |"
            f" {one['features']} | {one['error']:.3g}{marked} | {f.best} | {f.regret:.2f} | {f.regret_unseen:.2f} |"
            f" {'yes' if f.right and f.reached else 'NO'} |"
        )
    return "\n".join(lines) + "\n"


def _verdicts(records: list[dict[str, Any]]) -> Counter[str]:
    return Counter(one["confirmation"]["verdict"] for one in records)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--sets", type=int, default=SETS)
    options = parser.parse_args()
    done = {}
    if options.records.is_file():
        done = {r["number"]: r for r in map(json.loads, options.records.read_text("utf-8").splitlines())}
    with options.records.open("a", encoding="utf-8") as file:
        for number in range(options.sets):
            if number not in done:
                done[number] = record(number)
                file.write(json.dumps(done[number]) + "\n")
                file.flush()
    if options.write:
        RESULTS.write_text(written([done[number] for number in sorted(done)]), encoding="utf-8")
