"""Errors planted in the samplers, those that people make, and which sampled tests of the catalogue refute them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

from rftheory.errors import RFTheoryError
from rftheory.sample import rotations
from rftheory.sample.hybrid import Coefficient, GaussianCoefficient
from rftheory.sample.mechanisms import RandomFeatures
from rftheory.sample.projections import Geometric, Independent, Projected
from rftheory.sample.stream import DIRECTIONS, NORMS, Stream
from rftheory.statement.evidence import Bench, Check, SampledOrder

Patch = tuple[type | ModuleType, str, Callable[[Callable[..., Any]], Callable[..., Any]]]

WEIGHT = 1.05


def _more_degrees(chis: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(
        self: Stream, blocks: range, count: int, dof: int, lane: int = NORMS, *rest: Any, **more: Any
    ) -> Any:
        return chis(self, blocks, count, dof + (lane == NORMS), lane, *rest, **more)

    return wrong


def _one_norm(chis: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(
        self: Stream, blocks: range, count: int, dof: int, lane: int = NORMS, *rest: Any, **more: Any
    ) -> Any:
        drawn = chis(self, blocks, count, dof, lane, *rest, **more)
        return drawn[:, :1] + 0 * drawn if lane == NORMS else drawn

    return wrong


def _one_sign(normals: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(
        self: Stream, blocks: range, count: int, lane: int = DIRECTIONS, *rest: Any, **more: Any
    ) -> Any:
        drawn = normals(self, blocks, count, lane, *rest, **more)
        if lane == DIRECTIONS:
            drawn = np.array(drawn)
            drawn[:, 0] = np.abs(drawn[:, 0])
        return drawn

    return wrong


def _one_row(method: Callable[..., Any]) -> Callable[..., Any]:
    def wrong(*given: Any, **more: Any) -> Any:
        found = method(*given, **more)
        first = np.array(found[0])
        if first.shape[1] > 1:
            norms = found.norms if isinstance(found, Projected) else np.ones_like(found.norms)
            first[:, 1] = first[:, 0] / norms[:, :1] * norms[:, 1:2]
        return found._replace(**{type(found)._fields[0]: first})

    return wrong


def _as_drawn(orthonormal: Callable[..., Any]) -> Callable[..., Any]:
    return lambda gaussian: gaussian / np.sqrt(gaussian.shape[-2])


def _heavier(estimate: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given, **more: WEIGHT * estimate(*given, **more)


FAULTS: dict[str, tuple[Patch, ...]] = {
    "norms: one degree of freedom too many": ((Stream, "chis", _more_degrees),),
    "norms: one for all rows": ((Stream, "chis", _one_norm),),
    "rotation: one entry never negative": ((Stream, "normals", _one_sign),),
    "rotation: Gaussian, not orthonormal": ((rotations, "orthonormal_columns", _as_drawn),),
    "rows: the second along the first": tuple(
        (kind, method, _one_row) for kind in (Independent, Geometric) for method in ("draw", "onto")
    ),
    "weights: 5 % too large": (
        (RandomFeatures, "estimate", _heavier),
        (Coefficient, "estimate", _heavier),
        (GaussianCoefficient, "estimate", _heavier),
    ),
}


@contextmanager
def planted(fault: str) -> Iterator[None]:
    """The samplers of this process with an error."""
    patches = [
        mock.patch.object(kind, name, wrong(kind.__dict__[name])) for kind, name, wrong in FAULTS[fault]
    ]
    for patch in patches:
        patch.start()
    try:
        yield
    finally:
        for patch in patches[::-1]:
            patch.stop()


@dataclass(frozen=True)
class Fate:
    """What a test said of samplers with an error.

    Attributes
    ----------
    says : ``refuted``, ``agrees``; ``not touched``: the draws are those without the error; ``stopped``: the engine or
        the test refuses the draws, which cannot be those of the claim.
    away : the error of the mean in exact standard errors, where it is known.
    """

    says: str
    away: float | None = None


def fates(check: Check, bench: Bench) -> dict[str, Fate]:
    """What one check says of each fault, and of none."""
    right = _tested(check, bench)
    found = {"none": Fate(*right[:2])}
    for fault in FAULTS:
        with planted(fault):
            says, away, means = _tested(check, bench)
        found[fault] = Fate("not touched") if means == right[2] else Fate(says, away)
    return found


def _tested(check: Check, bench: Bench) -> tuple[str, float | None, list[float]]:
    try:
        details = check.run(bench).details
    except RFTheoryError:
        return "stopped", None, []
    tests = details.get("tests") or ([details["test"]] if "test" in details else [])
    if not tests:
        return "undecided", None, []
    away = max(
        (abs(t["effect"] / t["detectable"]) * (t["threshold"] + bench.budget.z_power) for t in tests
            if t["method"] == "score test"), default=None,
    )  # fmt: skip
    decisions = {test["decision"] for test in tests}
    says = "refuted" if "refuted" in decisions else decisions.pop()
    return says, away, [test["estimate"] for test in tests]


def uncaught(found: dict[str, dict[str, Fate]]) -> list[str]:
    """The checks that no fault makes fail."""
    return [
        name for name, row in found.items()
        if not any(fate.says in ("refuted", "stopped") for fault, fate in row.items() if fault != "none")
    ]  # fmt: skip


def caught(check: Check, bench: Bench) -> bool:
    """Whether a fault makes the check fail, or it decides nothing without one; the first that does is enough.

    Weights come first: most tests are of estimates, and refute them at once.
    """
    for fault in reversed(FAULTS):
        with planted(fault):
            if _tested(check, bench)[0] in ("refuted", "stopped", "undecided"):
                return True
    return False


def is_of_a_mean(check: Check) -> bool:
    """Whether it tests a mean"""
    return not isinstance(check, SampledOrder)
