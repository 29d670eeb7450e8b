"""Shorthand for evidence, shared by the claims of the paper."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import sympy
from flint import arb

from rftheory.author import mse
from rftheory.exact.enclosure import Exact
from rftheory.exact.exponential import A as SHAPE
from rftheory.exact.formula import FORMULAS, Formula
from rftheory.exact.truth import larger
from rftheory.papers.chefs.statistics import pair_of, single_gerf_law
from rftheory.papers.statistics import squared_errors
from rftheory.sample import Gerf, Mechanism
from rftheory.statement import words
from rftheory.statement.evidence import Derived, SampledMean, Shown, Slow, times
from rftheory.statement.sampled import known, sampler_of

PAPER = "Likhosherstov et al., NeurIPS 2022"
MILLION = 2**20
QUARTER = 2**18

UNBIASED = sympy.Rational(1, 4) > SHAPE
"""For real A; the paper has complex A too."""
FINITE_VARIANCE = sympy.Rational(1, 8) > SHAPE
HOEFFDING = Derived("lemma.hoeffding")
TRANSFORMERS = (
    "trained Transformers (GLUE, LibriSpeech, ImageNet, text benchmarks) and the hardware they ran on")  # fmt: skip


def below(value: arb, bound: str) -> bool | None:
    """Truth of value < bound."""
    return larger(arb(bound), value)


def value(formula: Formula, digits: int = 20, **point: Exact) -> arb:
    """The value of a real formula, computed once for each point."""
    return _value(formula.name, digits, tuple(point.items()))


@lru_cache(maxsize=1024)
def _value(name: str, digits: int, point: tuple[tuple[str, Exact], ...]) -> arb:
    ball = FORMULAS[name].enclose(digits, **dict(point)).ball
    return ball if isinstance(ball, arb) else ball.real


def above(
    says: str,
    formula: Formula,
    point: dict[str, Exact],
    bound: str,
    wrong: str,
    digits: int = 20,
    covers: str = "points",
) -> Shown:
    """The value of a formula exceeds a printed number, and does not exceed a larger one."""
    return Shown(
        says,
        lambda number: larger(value(formula, digits, **point), number),
        bound,
        ((f"{bound} -> {wrong}", wrong),),
        covers=covers,
    )


def finding(
    says: str,
    test: Callable[[Any], bool | None],
    stated: Any,
    *wrong: tuple[str, Any],
    covers: str = "points",
) -> Shown:
    """An exact computation, by default at points, with wrong ingredients."""
    return Shown(says, test, stated, wrong, covers=covers)


proof = partial(finding, covers="domain: in symbols")
"""Exact algebra, by default over the whole domain, with wrong ingredients."""


def sampled_gerf(shape: str, s: int, d: int, v: str, z: str) -> Slow:
    """The sampled mean squared error of one GERF with a complex shape is its exact variance."""
    drawn = squared_errors(Mechanism(Gerf(complex(sympy.sympify(shape)), s), "iid", 1), *pair_of(v, z, d))
    says = f"MSE, GERF A = {shape}, s = {s}, d = {d}"
    return Slow(SampledMean(says, drawn, single_gerf_law(shape, s, d, v, z), times(1.1), QUARTER))


def sampled_mse(
    mechanism: words.Mechanism, d: int, v: str, z: str, wrong: float = 1.1, blocks: int = QUARTER
) -> Slow:
    """The sampled mean squared error of a mechanism is that of its law, for |x + y| = v, |x - y| = z, and not ``wrong`` times it."""
    error = mse(mechanism).at(d=d, v=sympy.Rational(v), z=sympy.Rational(z)).expression
    law: Any = partial(known, error)
    drawn = squared_errors(sampler_of(error, {}), *pair_of(v, z, d))
    return Slow(SampledMean(str(error), drawn, law, times(wrong), blocks))
