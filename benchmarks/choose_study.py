"""Is the advice of ``rftheory choose`` right? Fifty random data sets, against the sampled errors of all mechanisms.

For each data set every feature map with every coupling that has a sampler is drawn at the number of features that was
recommended, those without an exact law too, and its error is measured over the pairs that `choose` looked at and over
pairs that it has not seen. Parameters are fitted as `choose` fits them. Features of counts take part as they are, and
with all inputs shifted to be positive.

    OMP_NUM_THREADS=1 python benchmarks/choose_study.py --records runs.jsonl --write

Stopped, the study goes on where it was. Plain draws do not see the tails of exponentials: where a squared estimate is
carried by draws that are too rare to occur, the measured error is too small. Rows of such data sets say how many
mechanisms were measured far below their law; the measured error of the recommended one is never far below it.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rftheory.choose import Advice, Pairs, choose, pairs_of
from rftheory.errors import RFTheoryError
from rftheory.sample import COUPLINGS, Mechanism, RandomFeatures, Stream, feature_map, optimised
from rftheory.sample.discrete import DiscreteMechanism, GeometricCounts, Poisson, shift_below
from rftheory.sample.parameters import averages, geometric_parameter, poisson_rate

RESULTS = Path(__file__).parent / "results" / "choose.md"
SETS = 50
DIMENSIONS = (1, 2, 3, 4, 5, 8, 12, 16, 24, 32, 48, 64)
NUMBERS = 2 * 10**5
"""Random numbers for a mechanism on a data set."""
UNSEEN = 48
"""Pairs of the data that `choose` has not looked at."""
MOST_FEATURES = 512
"""Where more are recommended, the mechanisms are compared at so many."""
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
                yield f"{name} x iid{suffix}", DiscreteMechanism(make(), features, shift)
            except RFTheoryError:
                continue


def kernel_of(pairs: Pairs, kernel: str) -> np.ndarray:
    """The exact values of the kernel, (n,)."""
    if kernel == "softmax":
        return np.exp((pairs.x * pairs.y).sum(1))
    return np.exp(-((pairs.x - pairs.y) ** 2).sum(1) / 2)


def measured(mechanism: Any, sets: list[Pairs], kernel: Any, seed: int) -> list[tuple[float, float]]:
    """Mean squared relative error over each set of pairs, from the same draws, with its standard error."""
    rows = mechanism.m
    x, y = np.concatenate([p.x for p in sets]), np.concatenate([p.y for p in sets])
    total = int(np.clip(NUMBERS // (rows * max(x.shape)), 24, 2000))
    stream = Stream.named(f"choose study/{mechanism.name}", seed=seed, kind="native")
    squares: list[list[np.ndarray]] = [[] for _ in sets]
    step = max(1, 10**6 // (rows * len(x)))
    for start in range(0, total, step):
        found = mechanism.features(stream, range(start, min(start + step, total)), x, y, kernel)
        left, right = found
        sizes = np.exp(left.log_scale + right.log_scale)
        for terms in (left, right):
            if terms.factor is not None:
                sizes = sizes * terms.factor
        estimates, first = sizes.sum(1), 0
        for index, pairs in enumerate(sets):
            own = slice(first, first + len(pairs.x))
            first = own.stop
            target = kernel_of(pairs, kernel)
            squares[index].append(((estimates[:, own] - target) ** 2).mean(1) / (target**2).mean())
    tables = [np.concatenate(parts) for parts in squares]
    return [(float(t.mean()), float(t.std(ddof=1) / math.sqrt(len(t)))) for t in tables]


def record(number: int) -> dict[str, Any]:
    """One data set: the advice, and what brute force finds."""
    data, began = data_set(number), time.process_time()
    advice = choose(data.x, kernel=data.kernel, seed=number, **data.goal)
    chosen = time.process_time() - began
    scale = advice.lengthscale
    seen = pairs_of(data.x, kernel=data.kernel, lengthscale=scale, count=48, seed=number)
    unseen = pairs_of(data.x, kernel=data.kernel, lengthscale=scale, count=UNSEEN, seed=10**6 + number)
    found: dict[str, Any] = {}
    for name, mechanism in mechanisms(advice, data, seen):
        try:
            found[name] = measured(mechanism, [seen, unseen], data.kernel, number)
        except RFTheoryError as problem:  # a coupling that needs another dimension, a number out of range
            found[name] = str(problem)
    exact = {c.name: c.error for c in advice.choices if "features" in data.goal and not c.standard_error}
    return {
        "number": number, "pairs": [advice.pairs, advice.pairs_total],
        "exact_error": not advice.best.standard_error, "kind": data.kind, "n": len(data.x), "d": advice.d,
        "kernel": data.kernel, "goal": data.goal,
        "best": advice.best.name, "features": advice.best.features, "rows": advice.best.rows,
        "error": advice.best.error, "standard_error": advice.best.standard_error,
        "sampling_error": advice.sampling_error, "exact": exact, "measured": found,
        "confirmation": {**vars(advice.confirmation), "verdict": advice.confirmation.verdict},
        "seconds": [chosen, time.process_time() - began - chosen],
    }  # fmt: skip


class Finding(NamedTuple):
    """What one data set shows.

    Attributes
    ----------
    best : the mechanism with the least measured error over the pairs that `choose` looked at.
    regret, regret_unseen : measured error of the recommended one over that least error; over pairs not looked at.
    right : no mechanism is better by more than `CLEAR` standard errors.
    reached : the measured error of the recommended one is as was said, within `CLEAR` standard errors.
    low, tested : how many mechanisms with a law were measured far below it, of how many.
    high : how many were measured far above it, which tails do not explain.
    """

    best: str
    regret: float
    regret_unseen: float
    right: bool
    reached: bool
    low: int
    tested: int
    high: int


def finding(one: dict[str, Any]) -> Finding:
    """Compare the advice with brute force."""
    known = {name: value for name, value in one["measured"].items() if not isinstance(value, str)}
    (own, own_error), (unseen, _) = known[one["best"]]
    best = min(known, key=lambda name: known[name][0][0])
    (least, least_error), _ = known[best]
    tested = [name for name in one["exact"] if name in known]
    away = [(known[name][0][0] - one["exact"][name] ** 2) / max(known[name][0][1], 1e-300) for name in tested]
    return Finding(
        best, math.sqrt(own / least), math.sqrt(unseen / min(value[1][0] for value in known.values())),
        own - least <= CLEAR * math.hypot(own_error, least_error),
        one["features"] > MOST_FEATURES
        or own - one["error"] ** 2 <= CLEAR * (own_error + 2 * one["standard_error"] * one["error"]),
        sum(z < -CLEAR - 1 for z in away), len(tested), sum(z > CLEAR + 1 for z in away),
    )  # fmt: skip


def written(records: list[dict[str, Any]]) -> str:
    """The table in Markdown."""
    found = [finding(one) for one in records]
    count = len(records)
    lines = [
        "# Is the advice of `rftheory choose` right?",
        "",
        f"{count} of {SETS} random data sets ({', '.join(KINDS)}),",
        f"d from {DIMENSIONS[0]} to {DIMENSIONS[-1]}, both kernels. On each, every feature map with every coupling",
        f"that can be drawn is measured at the recommended number of features, {MOST_FEATURES} at most:",
        "`python benchmarks/choose_study.py --records F --write`.",
        "",
        f"- No mechanism is better than the recommended one by more than {CLEAR:g} standard errors:"
        f" {sum(f.right for f in found)} of {count}.",
        f"- Its measured error is not above what was said: {sum(f.reached for f in found)} of {count}.",
        f"- New draws confirmed the answer in {_verdicts(records)['agrees']}, were undecided in"
        f" {_verdicts(records)['undecided']} (tails), and differed in {_verdicts(records)['differs']}.",
        "- The recommended mechanism has no law, so that its error was measured:"
        f" {sum(not r['exact_error'] for r in records)} of {count}.",
        f"- Errors by a law beside plain draws: {sum(f.tested for f in found)}; {sum(f.high for f in found)} are"
        f" measured far above it, {sum(f.low for f in found)} far below it (draws miss the tails of exponentials).",
        f"- CPU seconds of `choose`: median {np.median([r['seconds'][0] for r in records]):.1f}, largest"
        f" {max(r['seconds'][0] for r in records):.1f}.",
        "",
        "Regret is the measured error of the recommended mechanism over the least measured one, on the pairs that",
        "`choose` looked at and on pairs that it did not see. The least of a hundred noisy numbers is too small, so",
        "do not expect 1.",
        "",
        "| # | data | n | d | kernel | goal | recommended | features | error | least measured | regret | unseen | right"
        " |",
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
