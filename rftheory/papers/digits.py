"""Real input: pairs of scikit-learn's handwritten digits (64 pixels), measured and compared with exact predictions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from flint import arb

from rftheory.errors import DataUnavailable
from rftheory.exact.estimates import central_moments_ball, enough
from rftheory.exact.moments import squared_error_moments
from rftheory.judge import Decision, Evidence, Kind, Outcome, TestResult
from rftheory.papers.statistics import squared_errors
from rftheory.sample import Mechanism
from rftheory.statement.evidence import Bench, Law, Scored, engine_options, scored

SCALE = 256.0
"""Pixels run from 0 to 16; divided by 16^2 the images have norms near 0.2, so that |x + y| is about 0.4."""

PAIRS = ((0, 1), (3, 8), (10, 42), (100, 7))
"""Indices of the images."""

FEATURES = 64
BLOCKS = 2**18


@lru_cache(maxsize=1)
def images() -> np.ndarray:
    """The scaled digits, an array (1797, 64).

    Raises
    ------
    DataUnavailable : scikit-learn, which contains the data, is not installed.
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError as error:
        raise DataUnavailable(
            "the digits",
            needs="scikit-learn",
            looked="installed packages",
            hint="pip install 'rftheory[digits]'",
        ) from error
    return np.asarray(load_digits().data) / SCALE


def pair(i: int, j: int) -> tuple[np.ndarray, np.ndarray]:
    """Two images."""
    data = images()
    return data[i], data[j]


@dataclass(frozen=True)
class DigitsError:
    """The measured MSE of the kernel estimate on pairs of images is the predicted one.

    There is one sampled test per pair. The named planted error is the prediction for the coupling next in accuracy.

    Attributes
    ----------
    coupling : iid, orthogonal or simplex.
    """

    coupling: str
    kind: ClassVar[Kind] = Kind.SAMPLED
    tests: ClassVar[int] = len(PAIRS)
    covers: ClassVar[str] = "points"

    def run(self, bench: Bench) -> Evidence:
        found = [self.measure(bench, i, j) for i, j in PAIRS]
        results, caught = [one.right for one in found], all(one.caught for one in found)
        return Evidence(
            self.kind,
            _worst(results),
            self._summary(results),
            details={
                "pairs": [list(p) for p in PAIRS],
                "tests": [r.to_dict() for r in results],
                "planted": [one.placed.to_dict() for one in found],
                "named": [one.named.to_dict() for one in found],
            },
            control=caught,
            mutants=(("the law of another coupling", caught),) if bench.thorough else (),
        )

    def measure(self, bench: Bench, i: int, j: int) -> Scored:
        """The squared error over independent blocks, compared with its law and that of another coupling."""
        label, (x, y) = f"digits {i}-{j}, {self.coupling}", pair(i, j)
        statistic = squared_errors(Mechanism("positive", self.coupling, FEATURES), x, y)
        return scored(
            statistic(bench, bench.stream(label)), prediction(self.coupling, i, j),
            prediction(_rival(self.coupling), i, j).mean, bench.blocks(BLOCKS), bench.budget, xp=bench.xp,
            **engine_options(bench, label),
        )  # fmt: skip

    def _summary(self, results: list[TestResult]) -> str:
        errors = ", ".join(f"{r.exact:.3g}" for r in results)
        detectable = max(r.detectable for r in results)
        return f"digits, {self.coupling}: exact MSE {errors}; {_worst(results)}, detectable {detectable:.2g}"


@lru_cache(maxsize=64)
def prediction(coupling: str, i: int, j: int) -> Law:
    """The law of the squared error for a pair of images, from |x + y| and the kernel only."""
    x, y = pair(i, j)
    length = float(np.linalg.norm(x + y))
    scale = arb(float(np.exp(-np.sum((x - y) ** 2) / 2))) ** 2
    relative = enough(
        lambda: squared_error_moments(central_moments_ball("positive", coupling, 64, FEATURES, length, 4))
    )
    return Law.from_raw([moment * scale**n for n, moment in enumerate(relative)])


def _rival(coupling: str) -> str:
    return {"iid": "orthogonal", "orthogonal": "simplex", "simplex": "orthogonal"}[coupling]


def _worst(results: list[TestResult]) -> Decision:
    outcomes = {r.decision for r in results}
    if Outcome.REFUTED in outcomes:
        return Decision.FAILS
    return Decision.UNDECIDED if Outcome.UNDECIDED in outcomes else Decision.HOLDS
