"""Exact variances where rotations are not uniform, norms are fixed, or points are quasi-random.

All maps share their draws, so a case is one run. The inputs are half of those of `test_contracts`: the smaller, the
lighter the tails, and a coupling that takes away most of the variance leaves the tails as they are.

No exact variance is known of simplex+ from four dimensions on, where the fixed point of eq. (17) is one of many, of
butterflies on complex vectors in four, for which all eight angles count (both are in `test_drawn_variances`), and
of the numerically optimised coupling from three on (in `test_optimised_variances`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import qmc

from rftheory.judge import Outcome
from rftheory.sample import COUPLINGS
from rftheory.sample.fast_rotations import GIVENS, HADAMARD, Hadamard
from rftheory.sample.projections import Coupling, Geometric
from rftheory.sample.quasi import Halton, Sobol
from rftheory.sample.shapes import SIMPLEX
from rftheory.sample.simplex_plus import SimplexPlus
from rftheory.sample.stream import SHIFTS
from tests.statistical import contracts
from tests.statistical.contracts import AGREES, REFUTED, OneRotation, verdicts
from tests.statistical.exact_laws import (
    Law,
    Terms,
    fixed_norms,
    givens_values,
    hadamard_values,
    halton_law,
    law_of_values,
    simplex_rows,
    sobol_law,
    triangle_law,
    uniform_law,
)

X, Y = contracts.X / 2, contracts.Y / 2
M = 32
FEW = ("positive", "trigonometric", "gerf, complex", "complex exponential")
REAL = tuple(name for name in contracts.maps(X, Y, 0.0) if name != "complex exponential")


@dataclass(frozen=True)
class Case:
    """A coupling in d dimensions and the law of its blocks."""

    coupling: Coupling
    law: Callable[[Terms], Law]
    d: int = 4
    m: int = M
    names: tuple[str, ...] = (*REAL, "complex exponential")
    padded: int = 0
    blocks: int = contracts.BLOCKS

    @property
    def inputs(self) -> tuple[np.ndarray, np.ndarray]:
        return X[: self.d], Y[: self.d]

    def laws(self) -> dict[str, Law]:
        return {name: law_of(name, self.law, self.d, self.padded) for name in self.names}


@cache
def law_of(name: str, law: Callable[[Terms], Law], d: int, padded: int) -> Law:
    maps = contracts.maps(*(np.pad(v[:d], (0, padded)) for v in (X, Y)), -0.05 + 0.05j)
    return contracts.with_phases(name, law(maps[name][1]))


def shaped(values, d: int) -> Callable[[Terms], Law]:
    return lambda terms: law_of_values(terms, values, simplex_rows(d))


CASES = {
    "orthogonal-fixed": Case(COUPLINGS["orthogonal-fixed"], lambda t: uniform_law(t, 0.0, fixed_norms(4))),
    "hadamard-orthogonal": Case(
        COUPLINGS["hadamard-orthogonal"], lambda t: law_of_values(t, hadamard_values)
    ),
    "hadamard-orthogonal, padded": Case(
        COUPLINGS["hadamard-orthogonal"],
        lambda t: law_of_values(t, hadamard_values),
        d=3,
        names=("positive", "cosine", "gerf, complex"),
        padded=1,
    ),
    "hadamard-simplex": Case(COUPLINGS["hadamard-simplex"], shaped(hadamard_values, 4)),
    "hadamard-simplex+": Case(COUPLINGS["hadamard-simplex+"], shaped(hadamard_values, 2), d=2, names=FEW),
    "givens-orthogonal": Case(
        COUPLINGS["givens-orthogonal"], lambda t: law_of_values(t, givens_values), names=REAL
    ),
    "givens-simplex": Case(COUPLINGS["givens-simplex"], shaped(givens_values, 4), names=REAL),
    "givens-orthogonal, one plane": Case(
        COUPLINGS["givens-orthogonal"],
        lambda t: law_of_values(t, givens_values),
        d=2,
        names=("complex exponential",),
    ),
    "halton": Case(COUPLINGS["halton"], lambda t: halton_law(t, M)),
    "sobol": Case(
        COUPLINGS["sobol"],
        lambda t: sobol_law(t, M),
        names=("trigonometric", "cosine", "gerf", "gerf, s = -1", "gerf, complex", "oprf"),
    ),
    # A net takes from smooth terms all but their tails: more blocks, and once fewer points.
    "sobol, long tails": Case(
        COUPLINGS["sobol"],
        lambda t: sobol_law(t, M),
        names=("positive", "hyperbolic", "real exponential", "complex exponential"),
        blocks=2**17,
    ),
    "sobol, eight points": Case(COUPLINGS["sobol"], lambda t: sobol_law(t, 8), m=8, blocks=2**16),
    "simplex+": Case(
        Geometric("simplex+", shape=SimplexPlus(tolerance=1e-6)), triangle_law, d=3, m=33, blocks=3 * 2**14
    ),
}


def errors(case: Case, coupling: Coupling, laws: dict[str, Law]):
    maps = contracts.maps(*case.inputs, -0.05 + 0.05j)
    centres = np.array([law.mean for law in laws.values()])
    return contracts.sampled(
        [maps[name][0] for name in laws], coupling, case.m, *case.inputs, centres, blocks=case.blocks
    )


@pytest.mark.parametrize("which", CASES)
def test_means_and_variances(which):
    case = CASES[which]
    laws = case.laws()
    moments = errors(case, case.coupling, laws)
    exact = {name: law.variance(case.m) for name, law in laws.items()}
    found = {name: verdicts(moments, exact[name], k) for k, name in enumerate(laws)}
    assert found == dict.fromkeys(laws, AGREES)
    wrong = {
        name: contracts.planted(moments, exact[name], law.mean, k)
        for k, (name, law) in enumerate(laws.items())
    }
    assert wrong == dict.fromkeys(laws, REFUTED)


# ---- planted errors in the samplers


class WrongFixed:
    """sqrt(d - 1) for sqrt(d)."""

    name = "wrong"

    def draw(self, stream, blocks, count, d, xp):
        return np.full((len(blocks), count), np.sqrt(d - 1.0))


@dataclass(frozen=True)
class OneShift(Halton):
    """The same shift in all coordinates."""

    def points(self, stream, blocks, d, m, xp):
        base = super().points(stream, blocks, d, m, xp)
        shift = stream.uniforms(blocks, d, SHIFTS, xp)[:, None, :]
        return (base - shift + shift[..., :1]) % 1.0


@dataclass(frozen=True)
class ShiftAlone(Sobol):
    """No linear scramble: random digits are added to the points as they are."""

    def points(self, stream, blocks, d, m, xp):
        digits = (qmc.Sobol(d, scramble=False, bits=30).random(m) * 2**30).astype(np.int64)
        shift = stream.bits(blocks, d, SHIFTS, xp)[:, None, :].astype(np.int64) >> 2
        return ((digits ^ shift) + 0.5) / 2**30


PLANTED = {
    "norms sqrt(d - 1)": ("orthogonal-fixed", "trigonometric", Geometric("wrong", norm_law=WrongFixed())),
    "chi norms": ("orthogonal-fixed", "trigonometric", COUPLINGS["orthogonal"]),
    "one factor H D": ("hadamard-orthogonal", "trigonometric", Geometric("wrong", rotation=Hadamard(k=1))),
    "signs of the first block": (
        "hadamard-orthogonal",
        "positive",
        Geometric("wrong", rotation=OneRotation(HADAMARD)),
    ),
    "no padding": ("hadamard-orthogonal, padded", "gerf, complex", COUPLINGS["orthogonal"]),
    "no shape": ("hadamard-simplex", "trigonometric", COUPLINGS["hadamard-orthogonal"]),
    "no shape, two dimensions": ("hadamard-simplex+", "trigonometric", COUPLINGS["hadamard-orthogonal"]),
    "angles of the first block, orthogonal": (
        "givens-orthogonal",
        "positive",
        Geometric("wrong", rotation=OneRotation(GIVENS)),
    ),
    "angles of the first block": (
        "givens-simplex",
        "trigonometric",
        Geometric("wrong", rotation=OneRotation(GIVENS), shape=SIMPLEX),
    ),
    "one angle": (
        "givens-orthogonal, one plane",
        "complex exponential",
        Geometric("wrong", rotation=OneRotation(GIVENS)),
    ),
    "one shift": ("halton", "trigonometric", OneShift()),
    "independent points": ("halton", "trigonometric", COUPLINGS["iid"]),
    "no scramble": ("sobol", "trigonometric", ShiftAlone()),
    "no scramble, long tails": ("sobol, long tails", "positive", ShiftAlone()),
    "independent points for a net": ("sobol", "trigonometric", COUPLINGS["iid"]),
    "one sweep": ("simplex+", "positive", Geometric("wrong", shape=SimplexPlus(max_sweeps=1))),
    "directions for equal norms": ("simplex+", "trigonometric", COUPLINGS["simplex"]),
}


@pytest.mark.parametrize("which", PLANTED)
def test_planted_errors_are_refuted(which):
    name, only, coupling = PLANTED[which]
    case = replace(CASES[name], names=(only,))
    laws = case.laws()
    found = verdicts(errors(case, coupling, laws), laws[only].variance(case.m))
    assert Outcome.REFUTED in found
