"""Is the advice of ``rftheory choose --attention`` right? Random queries, keys and values, against long runs of all.

For each data set every mechanism is drawn at the number of features that was recommended, for all queries, with eight
times the draws of the first comparison; the least ten are drawn anew, because the first of many noisy numbers is too
good. So nothing that `choose` left out on its way is left out here. Where an error was asked for, nothing should reach
it with three quarters of the features.

    OMP_NUM_THREADS=1 python benchmarks/choose_attention_study.py --write
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rftheory.choose import Advice, choose_attention, pairs_of
from rftheory.choose.attention import AttentionComparison, Rows
from rftheory.choose.measured import Measurement
from rftheory.errors import OutsideDomain

RESULTS = Path(__file__).parent / "results" / "choose_attention.md"
KINDS = ("independent", "aligned", "clustered", "long queries", "sparse")
SETS, ROWS, LONG, LAST = 24, 128, 4, 10
MOST_FEATURES = 384
"""Where an error takes more, the best mechanism with so many is asked for."""
NOISE = 3.0
"""Standard errors, of both together, by which another mechanism has to be better before it counts."""


class Result(NamedTuple):
    """One data set: what was recommended, and what was the least error."""

    name: str
    goal: str
    advice: Advice
    seconds: float
    own: Measurement
    least: Measurement
    winner: str
    fewer: float
    """The least error, less its noise, with three quarters of the features."""

    @property
    def regret(self) -> float:
        return self.own.error / self.least.error

    @property
    def clear(self) -> bool:
        """Whether another mechanism is better by more than noise."""
        spread = math.hypot(self.own.standard_error, self.least.standard_error)
        return self.own.error - self.least.error > NOISE * spread


def data(number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Queries, keys and values; every other set has no values."""
    rng = np.random.default_rng(number)
    d, scale = (4, 16, 64, 32)[number % 4], (0.4, 0.7, 1.0)[number % 3]
    queries, keys = scale * rng.standard_normal((2, ROWS, d))
    kind = KINDS[number % len(KINDS)]
    if kind == "aligned":
        keys = 0.6 * queries[rng.permutation(ROWS)] + 0.8 * keys
    if kind == "clustered":
        keys = scale * rng.standard_normal((6, d))[rng.integers(6, size=ROWS)] + 0.3 * keys
    if kind == "long queries":
        queries *= rng.exponential(size=(ROWS, 1))
    if kind == "sparse":
        keys *= rng.random((ROWS, d)) < 0.3
    return queries, keys, None if number % 2 else rng.standard_normal((ROWS, 8))


def result(number: int) -> Result:
    tables, start = data(number), time.process_time()
    goal: dict[str, Any] = {"features": (32, 128, 256)[number // 2 % 3]}
    if number >= SETS // 2:
        goal = {"error": 0.1 if number % 2 else 0.3}
    try:
        advice = choose_attention(*tables, seed=number, **goal)
        reached = advice.best.features <= MOST_FEATURES
    except OutsideDomain:
        reached = False
    if not reached:
        goal = {"features": MOST_FEATURES}
        advice = choose_attention(*tables, seed=number, **goal)
    seconds, best = time.process_time() - start, advice.best
    features = int(best.features)
    own, ranked = long_run(tables, features, number, best.name)
    winner, least = min(ranked.items(), key=lambda item: item[1].error)
    fewer = math.nan
    if "error" in goal:
        fewer = min(
            one.at_least for one in long_run(tables, max(1, 3 * features // 4), number, best.name)[1].values()
        )
    asked = ", ".join(f"{key} {value}" for key, value in goal.items())
    return Result(
        f"{KINDS[number % len(KINDS)]}, d = {tables[0].shape[1]}",
        asked,
        advice,
        seconds,
        own,
        least,
        winner,
        fewer,
    )


def long_run(
    tables: Any, features: int, number: int, best: str
) -> tuple[Measurement, dict[str, Measurement]]:
    """The recommended mechanism, and the ten with the least errors, drawn anew, for all queries."""
    queries, keys, values = tables
    pairs = pairs_of(queries, keys, kernel="softmax", seed=number)
    scaled = queries / pairs.lengthscale, keys / pairs.lengthscale
    rows = Rows.of(*scaled, values, np.arange(len(queries)), 0)
    first, again = (AttentionComparison(pairs, rows, {"features": features}, 10**6 + k) for k in (0, 1))
    found = {}
    for (coupling, m), maps in first._drawn_together(list(first.left), features).items():
        for name, one in zip(maps, first._drawn(maps, coupling, m, LONG // 2), strict=True):
            found[f"{name} x {coupling}"] = one
    last = sorted(found, key=lambda name: found[name].error)[:LAST]
    fresh = {name: again._drawn([name.split(" x ")[0]], name.split(" x ")[1], found[name].rows, LONG)[0]
             for name in {*last, best}}  # fmt: skip
    return fresh[best], fresh


def report(results: list[Result]) -> str:
    """The table, and what it says."""
    regrets = np.array([one.regret for one in results])
    wanted = [one for one in results if not math.isnan(one.fewer)]
    missed = sum(one.fewer <= one.advice.wanted for one in wanted)
    lines = [
        "# Is the advice of `rftheory choose --attention` right?",
        "",
        f"{len(results)} random sets of {ROWS} queries and keys, half with values; 48 queries are compared. Regret is"
        " the error of the recommended mechanism over the least one of all mechanisms at as many features, over all"
        " queries, in long runs: `python benchmarks/choose_attention_study.py --write`.",
        "",
        f"- Regret: median {np.median(regrets):.3f}, largest {regrets.max():.3f}.",
        f"- Another mechanism is better by more than {NOISE:g} standard errors: {sum(one.clear for one in results)} of"
        f" {len(results)}.",
        f"- Where an error was asked for, something reaches it with three quarters of the features: {missed} of"
        f" {len(wanted)}.",
        f"- New draws confirmed the answer: {sum(one.advice.stands for one in results)} of {len(results)}.",
        f"- CPU seconds of `choose`: median {np.median([one.seconds for one in results]):.0f},"
        f" largest {max(one.seconds for one in results):.0f}.",
        "",
        "| data | goal | recommended | features | error said | in long runs | least | regret | not confirmed |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for one in results:
        best = one.advice.best
        lines.append(f"| {one.name} | {one.goal} | {best.name} | {best.features} | {best.error:.4f} |"
                     f" {one.own.error:.4f} | {one.winner} {one.least.error:.4f} | {one.regret:.3f} |"
                     f" {'; '.join(one.advice.doubts)} |")  # fmt: skip
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=SETS)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    results = []
    for number in range(options.sets):
        results.append(result(number))
        print(report(results).splitlines()[-1], f"{results[-1].seconds:.0f} s", flush=True)
    text = report(results)
    if options.write:
        RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
