"""Shared by the claims of Hybrid Random Features: constructors, points, comparisons of samplers with printed formulas."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import sympy
from flint import arb

from rftheory.author import hyperbolic, m, trigonometric
from rftheory.exact.formula import Formula
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, stated
from rftheory.papers.steps import OneStep, proved_step, refuted_step
from rftheory.sample import Mechanism, RandomFeatures, Stream, coupling
from rftheory.statement.evidence import Check, Shown, Values

PAPER = "Choromanski et al., ICLR 2022"
TRIGONOMETRIC = trigonometric("iid", m=m, kernel="softmax")
POSITIVE = hyperbolic("iid", m=m, kernel="softmax")
"""T and P, the base estimators: v = |x + y|, z = |x - y|, and SM = exp((v^2 - z^2)/4)."""
FLOAT_TOLERANCE = 2.0**-36
"""Far above the rounding of a few thousand operations on numbers of order one, far below any change of a formula."""


def holds(identifier: str, where: str, statement: str, conditions: str, *checks: Check, **more: Any) -> Claim:
    """A claim of the source that holds."""
    return Claim(identifier, f"{PAPER}, {where}", statement, conditions, checks, **more)


def ours(identifier: str, statement: str, conditions: str, *checks: Check, entry: str = "") -> Claim:
    """A claim that the source does not make: a correction, or a result that it lacks."""
    return Claim(identifier, "ours", statement, conditions, checks, entry=entry)


def fails(
    identifier: str, where: str, statement: str, conditions: str, *checks: Check, differs: str, correction: str,
    prints: str, fault: Fault, finite: bool = False,
) -> Claim:  # fmt: skip
    """A claim of the source that fails, with its words and the kind of its fault."""
    return Claim(identifier, f"{PAPER}, {where}", statement, conditions, checks, Decision.FAILS, differs, correction,
        prints=prints, fault=fault, finite=finite)  # fmt: skip


def undecided(
    identifier: str, where: str, statement: str, conditions: str, *checks: Check, reason: str
) -> Claim:
    """A claim of the source that cannot be judged here."""
    return Claim(
        identifier, f"{PAPER}, {where}", statement, conditions, checks, Decision.UNDECIDED, reason=reason
    )


def said(identifier: str, where: str, claim: object, over: Iterable[object] = (), **more: Any) -> Claim:
    """A claim that is judged from the statement itself; for one that fails, with its fault."""
    expected = Decision.FAILS if "fault" in more else Decision.HOLDS
    return stated(identifier, _source(where), claim, over, expected=expected, **more)


def _source(where: str) -> str:
    """A place of the paper, or ours."""
    return where if where.startswith("ours") else f"{PAPER}, {where}"


def step(identifier: str, where: str, found: str, *labels: str | OneStep, **more: Any) -> Claim:
    """A claim that consists of these steps of a derivation, or of all; with a fault, that the step is wrong."""
    make: Any = refuted_step if "fault" in more else proved_step
    whole = (f"{found}/{label}" if isinstance(label, str) else label for label in labels)
    return make(identifier, _source(where), found, *whole, **more)  # type: ignore[no-any-return]


def points(*rows: Sequence[Any], names: str) -> tuple[Values, ...]:
    """Sample points from rows of values.

    Examples
    --------
    >>> points((1, "1/2"), (2, 3), names="m r")
    ({'m': 1, 'r': '1/2'}, {'m': 2, 'r': 3})
    """
    return tuple(dict(zip(names.split(), row, strict=True)) for row in rows)


PAIRS = points((0, 0, 0, 1), (1, 1, "1/2", 1), ("1/3", 2, 3, 7), (1, "1/1000", 1, 64), (2, 2, sympy.pi, 2),
    names="x y theta m")  # fmt: skip
"""Awkward pairs first: zero, equal norms, obtuse, nearly zero, opposite."""

SPHERES = points(("1/10", "1/3", 1, 1), (1, 3, 2, 4), (2, 1, 3, 9), ("1/2", 0, 1, 2), (1, "157/50", 2, 3),
    names="r theta m n")  # fmt: skip


def value(formula: Formula, digits: int = 15, **values: Any) -> arb:
    """A real formula's value as a ball."""
    ball = formula.enclose(digits, **values).ball
    assert isinstance(ball, arb)
    return ball


# ---- samplers against the formulas as printed -----------------------------------------------------------------


def inputs(d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Two sets of inputs with a zero vector, a repeated and an opposite one."""
    x = np.array([np.zeros(d), np.full(d, 0.4), np.linspace(-0.5, 0.7, d)])
    return x, np.array([x[1], -x[1], np.linspace(0.9, 0.1, d), np.zeros(d)])


def same(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Equal up to rounding."""
    return bool(np.max(np.abs(found - wanted)) <= FLOAT_TOLERANCE * max(1.0, float(np.max(np.abs(wanted)))))


def as_printed(
    says: str,
    mechanism: RandomFeatures,
    printed: Callable[[np.ndarray, np.ndarray, np.ndarray, Any], np.ndarray],
    stated: Any,
    wrong: tuple[tuple[str, Any], ...],
) -> Shown:
    """The kernel matrices of a sampler are those of the printed features for the same projections.

    ``printed(x, y, w, stated)`` gives the matrix from projections w of shape (m, d), for m = 5 and d = 1, 3.
    """

    def test(ingredient: Any) -> bool:
        x, y = inputs(3)
        for d in (1, 3):
            stream, block = Stream(17), range(3)
            drawn = coupling("iid").draw(stream, block, d, 5, xp=np).projections
            matrices = mechanism.gram(stream, block, x[:, :d], y[:, :d], "softmax", via="matrix")
            for w, matrix in zip(drawn, matrices, strict=True):
                if not same(matrix, printed(x[:, :d], y[:, :d], w, ingredient)):
                    return False
        return True

    return Shown(says, test, stated, wrong)


def features_of(rows: np.ndarray, w: np.ndarray, kind: str, scale: float = 0.5) -> np.ndarray:
    """phi_m of (2) or (3) for the rows of a matrix, with exponent +- scale |u|^2."""
    m, dots, squares = len(w), rows @ w.T, np.sum(rows * rows, axis=1, keepdims=True)
    if kind == "trigonometric":
        return np.exp(scale * squares) * np.hstack((np.sin(dots), np.cos(dots))) / math.sqrt(m)
    return np.exp(-scale * squares) * np.hstack((np.exp(dots), np.exp(-dots))) / math.sqrt(2 * m)


def base_as_printed(kind: str) -> Shown:
    """The base estimators of the sampling side against (2) and (3)."""

    def printed(x: np.ndarray, y: np.ndarray, w: np.ndarray, scale: float) -> np.ndarray:
        return features_of(x, w, kind, scale) @ features_of(y, w, kind, scale).T

    return as_printed(
        f"the implementation of the {kind} map is the printed one, d = 1, 3, m = 5, a zero vector included",
        Mechanism(kind, "iid", 5),
        printed,
        0.5,
        (("exponent 1/2 -> 1", 1.0), ("exponent 1/2 -> 0", 0.0), ("sign of the exponent", -0.5)),
    )


# ---- finite models of random features --------------------------------------------------------------------------


def averaged(
    draw: Callable[[tuple[int, ...]], sympy.Expr], atoms: Sequence[sympy.Expr], m: int
) -> sympy.Expr:
    """Mean over m independent draws from a law with finitely many atoms, by enumeration of all tuples."""
    indices = range(len(atoms))
    return sum(
        (
            sympy.prod([atoms[i] for i in chosen]) * draw(chosen)
            for chosen in itertools.product(indices, repeat=m)
        ),
        start=sympy.S.Zero,
    )
