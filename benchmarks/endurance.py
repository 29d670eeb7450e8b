"""The sampled catalogue over many keys at reduced effort.

    python benchmarks/endurance.py --keys 0:1000 --seconds 3600 --record endurance.jsonl
    python benchmarks/endurance.py --keys 0:1000 --record endurance.jsonl --write     what is there so far

A key is a seed of all streams. Each finished key is one line of the record, and a run goes on behind the last one.
``--write`` stores tables and numbers under ``benchmarks/results``. A false alarm is a test that refutes what is true.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from rftheory.engine.record import Record
from rftheory.judge import Budget, Decision, Kind
from rftheory.report.judging import FALSE_ALARM, sources_hash
from rftheory.statement import sampled
from rftheory.statement.evidence import Bench, Check, SampledMean, SampledOrder, Slow

RESULTS = Path(__file__).parent / "results"
EFFORT, FEWEST = 1 / 128, 2048
"""Factor on the draws of a check, and how many it makes at least. With half as many, more tests would be undecided."""
TAILS = (2.0, 3.0, 4.0, 5.0)


@dataclass(frozen=True)
class Named:
    """A check of the catalogue: its name, and whether what it tests is false, so that it has to refute."""

    name: str
    check: Check
    false: bool = False


def checks_of_catalogue() -> list[Named]:
    """Every sampled check; laws, ranges and the points at which quantities are drawn are computed once for all keys."""
    from rftheory.papers import CATALOGUE

    found: list[Named] = []
    for claim in CATALOGUE.claims.values():
        for check in claim.checks:
            inner = check.check if isinstance(check, Slow) else check
            if inner.kind is Kind.SAMPLED:
                false = isinstance(inner, SampledOrder) and claim.expected is Decision.FAILS
                number = sum(one.name.startswith(f"{claim.id} #") for one in found)
                found.append(Named(f"{claim.id} #{number}", _with_known_law(inner), false))
    places = sampled._places
    sampled._places = lru_cache(maxsize=None)(lambda *what: tuple(places(*what)))
    return found


def _with_known_law(check: Check) -> Check:
    if isinstance(check, SampledOrder):
        within = lru_cache(maxsize=1)(check.difference.range)
        return replace(check, difference=replace(check.difference, range=within))
    if not isinstance(check, SampledMean):
        return check
    law = lru_cache(maxsize=1)(check.law)
    wrong = lru_cache(maxsize=1)(lambda: check.planted(law()))
    return replace(check, law=law, planted=lambda _: wrong())


@dataclass(frozen=True)
class Key:
    """What one key gave.

    Attributes
    ----------
    rows : for each test: name of the check, decision, whether the planted error was refuted, z where it is known.
    seconds, megabytes : CPU time, and the memory of the process after it.
    """

    rows: tuple[tuple[str, str, bool | None, float | None], ...]
    seconds: float
    megabytes: float

    def to_dict(self) -> dict[str, object]:
        """For the record."""
        return {
            "rows": [list(row) for row in self.rows],
            "seconds": self.seconds,
            "megabytes": self.megabytes,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Key:
        """The inverse."""
        return cls(tuple(tuple(row) for row in content["rows"]), content["seconds"], content["megabytes"])


def run_key(checks: Iterable[Named], key: int, budget: Budget, effort: float) -> Key:
    """All checks with the streams of one key."""
    start = time.process_time()
    bench = Bench(budget, np, seed=key, effort=effort, fewest=FEWEST, quick=True)
    rows = tuple(row for one in checks for row in _rows(one, bench))
    return Key(rows, round(time.process_time() - start, 2), round(_megabytes(), 1))


def _rows(one: Named, bench: Bench) -> list[tuple[str, str, bool | None, float | None]]:
    found = one.check.run(bench)
    details = found.details
    tests = details.get("tests") or [details[name] for name in ("test",) if name in details]
    planted = (
        details["planted"]
        if isinstance(details.get("planted"), list)
        else [details.get("planted")] * len(tests)
    )
    if not tests:
        return [(one.name, str(found.decision), None, None)]
    return [
        (
            one.name,
            test["decision"],
            None if wrong is None else wrong["decision"] == "refuted",
            _z(test, bench.budget),
        )
        for test, wrong in zip(tests, planted, strict=True)
    ]


def _z(test: Mapping[str, Any], budget: Budget) -> float | None:
    """The error of the mean in exact standard errors; the score test states how many of them it can refute."""
    if test["method"] != "score test":
        return None
    return float(test["effect"] / test["detectable"] * (test["threshold"] + budget.z_power))


def _megabytes() -> float:
    """Memory that the process holds now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def run(
    checks: Sequence[Named], keys: range, record: Path, *, effort: float, tests: int, seconds: float = math.inf,
    sources: str = "",
) -> dict[int, Key]:  # fmt: skip
    """Run the keys that the record does not hold yet, for so many seconds; return all that it holds."""
    job = {
        "checks": [one.name for one in checks],
        "effort": effort,
        "fewest": FEWEST,
        "tests": tests,
        "sources": sources,
    }
    budget, end = Budget.of_run(FALSE_ALARM, tests), time.monotonic() + seconds
    with Record(record, job, Key.from_dict) as journal:
        for key in keys:
            if time.monotonic() >= end:
                break
            if key not in journal.leaves:
                journal.leaves[key] = run_key(checks, key, budget, effort)
                journal.append(key, [journal.leaves[key]])
        return {key: found for key, found in sorted(journal.leaves.items()) if key in keys}


def summary(checks: Sequence[Named], keys: Mapping[int, Key]) -> dict[str, Any]:
    """False alarms, what was undecided or missed, z against the normal law, memory."""
    false = {one.name for one in checks if one.false}
    rows = [(key, *row) for key, found in keys.items() for row in found.rows]
    true = [row for row in rows if row[1] not in false]
    z = np.array([row[4] for row in rows if row[4] is not None])
    placed = [row for row in true if row[3] is not None]
    held = [found.megabytes for found in keys.values()]
    return {
        "keys": len(keys),
        "tests": len(rows),
        "false alarms": [[row[0], row[1]] for row in true if row[2] in ("refuted", "fails")],
        "undecided": _count(row[1] for row in true if row[2] == "undecided"),
        "false statements": {
            "tests": len(rows) - len(true),
            "refuted": sum(row[2] == "refuted" for row in rows if row[1] in false),
        },
        "planted at the stated size": {
            "tests": len(placed), "missed": [[row[0], row[1]] for row in placed if row[2] == "agrees" and not row[3]],
        },
        "z": _against_normal(z),
        "megabytes": {"first": held[0], "last": held[-1], "largest": max(held)} if held else {},
        "seconds": round(sum(found.seconds for found in keys.values()), 1),
    }  # fmt: skip


def _count(names: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return dict(sorted(found.items()))


def _against_normal(z: np.ndarray) -> dict[str, Any]:
    if len(z) == 0:
        return {"number": 0}
    ks = stats.kstest(z, "norm")
    tails = {
        f"{bound:g}": {
            "above": int((z > bound).sum()),
            "below": int((z < -bound).sum()),
            "expected each": round(len(z) * float(stats.norm.sf(bound)), 2),
        }
        for bound in TAILS
    }
    return {
        "number": len(z), "mean": round(float(z.mean()), 4), "standard deviation": round(float(z.std()), 4),
        "KS distance": round(float(ks.statistic), 5), "KS p": float(f"{ks.pvalue:.3g}"),
        "largest": round(float(np.abs(z).max()), 2), "tails": tails,
    }  # fmt: skip


def table(found: Mapping[str, Any], effort: float, asked: int) -> str:
    """The summary in Markdown, of so many keys as were asked for."""
    z, placed, false = (found[name] for name in ("z", "planted at the stated size", "false statements"))
    lines = [
        "# Endurance: the sampled catalogue over many keys",
        "",
        f"{found['keys']} of {asked} keys at {effort:g} of the effort ({FEWEST} draws a test at least), "
        f"{found['tests']} tests, {found['seconds']:.0f} s of CPU time.",
        "",
        "| | |",
        "|---|---|",
        f"| false alarms | {len(found['false alarms'])} {_named(found['false alarms'])} |",
        f"| undecided | {sum(found['undecided'].values())} {_named(found['undecided'])} |",
        f"| planted errors of the stated size | {placed['tests']} |",
        f"| missed | {len(placed['missed'])} {_named(placed['missed'])} |",
        f"| false statements, refuted at this effort | {false['refuted']} of {false['tests']} |",
        f"| memory after the first and last key, largest | {found['megabytes'].get('first')}, "
        f"{found['megabytes'].get('last')}, {found['megabytes'].get('largest')} MiB |",
    ]
    if z["number"]:
        lines += [
            "",
            "## z = (mean - exact mean) / exact standard error, against the normal law",
            "",
            f"{z['number']} values, mean {z['mean']}, standard deviation {z['standard deviation']}, largest |z| "
            f"{z['largest']}, KS distance {z['KS distance']} (p = {z['KS p']:g}). Skewed draws, and few of them here, "
            "have no normal mean; the tests of the catalogue do not use it.",
            "",
            "| beyond | above | below | normal law, each |",
            "|---|---|---|---|",
            *(
                f"| {bound} | {row['above']} | {row['below']} | {row['expected each']} |"
                for bound, row in z["tails"].items()
            ),
        ]
    return "\n".join(lines) + "\n"


def _named(found: Sequence[Sequence[Any]] | Mapping[str, int]) -> str:
    if not found:
        return ""
    names = [f"{name}: {count}" for name, count in found.items()] if isinstance(found, Mapping) else [
        f"{name} (key {key})" for key, name in found
    ]  # fmt: skip
    return "(" + ", ".join(names[:12]) + (", ..." if len(names) > 12 else "") + ")"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", default="0:10", help="keys A:B, from A to B - 1")
    parser.add_argument("--seconds", type=float, default=math.inf, help="start no key after so many seconds")
    parser.add_argument(
        "--record", type=Path, help="file to which every key is added, and from which a run goes on"
    )
    parser.add_argument("--effort", type=float, default=EFFORT, help="factor on the number of draws")
    parser.add_argument("--write", action="store_true", help="store tables under benchmarks/results")
    options = parser.parse_args()
    from rftheory.papers import CATALOGUE

    first, _, last = options.keys.partition(":")
    checks = checks_of_catalogue()
    keys = run(
        checks, range(int(first), int(last)), options.record, effort=options.effort,
        tests=CATALOGUE.sampled_tests, seconds=options.seconds, sources=sources_hash(),
    )  # fmt: skip
    content = {"effort": options.effort, "catalogue": summary(checks, keys)}
    print(json.dumps(content, indent=1))
    if options.write:
        (RESULTS / "endurance.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        text = table(content["catalogue"], options.effort, int(last) - int(first))
        (RESULTS / "endurance.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
