"""Every sampler is held to its declaration: angles to rounding, norms, and the independence of all rows and blocks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from rftheory.sample import COUPLINGS as SAMPLERS
from rftheory.sample import Stream
from rftheory.sample.projections import Block
from rftheory.spec import COUPLINGS as DECLARED
from rftheory.spec import Rows, find_coupling
from rftheory.spec.dimension import d
from rftheory.spec.rows import i
from tests.statistical.declared import held_to

ALPHA = 1e-9
BLOCKS = range(1500)
SIZES = [(1, 3), (2, 1), (2, 4), (3, 2), (3, 3), (3, 8), (4, 4), (4, 13), (17, 5)]
"""Dimensions and numbers of rows: fewer than a block, a block, several, a partial last one."""

NETS = {"halton", "sobol"}
FAST = {name for name in SAMPLERS if name.startswith(("hadamard", "givens"))}
EXACT = [name for name in SAMPLERS if name not in NETS | FAST]
NAMES = """
from rftheory.sample import COUPLINGS as samplers
from rftheory.spec import COUPLINGS as declared

print(*samplers, "/", *declared)
"""
"""In a process of its own, in which no test declares mechanisms."""
CELLS = [(name, d, m) for name, (d, m) in product(EXACT, SIZES) if d >= SAMPLERS[name].min_dim]


def test_every_sampler_is_declared_and_every_declaration_has_a_sampler():
    """Optimised directions depend on v, and so are drawn by a maker."""
    found = subprocess.run([sys.executable, "-c", NAMES], capture_output=True, text=True, check=True).stdout
    samplers, declared = (set(names.split()) for names in found.split("/"))
    assert samplers == declared - {"optimised"}
    assert all(SAMPLERS[name].min_dim == DECLARED[name].min_dim for name in samplers)


def drawn(name: str, d: int, m: int, kind: str = "portable") -> Block:
    return SAMPLERS[name].draw(Stream.named("declared", kind=kind), BLOCKS, d, m)


@pytest.mark.parametrize(("name", "d", "m"), CELLS)
def test_samplers_keep_their_declarations(name, d, m):
    found = held_to(find_coupling(name), drawn(name, d, m))
    assert found.gram < 1e-13
    assert found.norms < 1e-11
    assert found.p > ALPHA


@pytest.mark.parametrize("name", sorted(FAST))
@pytest.mark.parametrize("m", [3, 4, 11])
def test_fast_rotations_keep_the_declared_angles(name, m):
    """Where nothing is padded; their rows are not uniform, so that no law is tested."""
    assert held_to(find_coupling(name), drawn(name, 4, m)).gram < 1e-13


@pytest.mark.parametrize(
    "name", ["orthogonal", "mirrored", "antimonotone", "cross-polytope", "orthogonal-simplices"]
)
def test_native_streams_keep_them_too(name):
    found = held_to(find_coupling(name), drawn(name, 3, 7, "native"))
    assert found.gram < 1e-13
    assert found.norms < 1e-11
    assert found.p > ALPHA


# ---- planted errors


def turned(block: Block, rows: list[int], others: list[int]) -> Block:
    """Directions of some rows in the place of others."""
    directions = block.directions.copy()
    directions[:, others] = directions[:, rows]
    return Block(directions, block.norms)


def with_norms(block: Block, rows: list[int], others: list[int]) -> Block:
    norms = block.norms.copy()
    norms[:, others] = norms[:, rows]
    return Block(block.directions, norms)


def leaning(block: Block) -> Block:
    """The last row of the stack leans to the first one: blocks that are not neighbours."""
    directions = block.directions.copy()
    directions[:, -1] += 0.2 * directions[:, 0]
    directions[:, -1] /= np.linalg.norm(directions[:, -1], axis=-1, keepdims=True)
    return Block(directions, block.norms)


PLANTED: dict[str, tuple[str, int, int, Callable[[Block], Block]]] = {
    "angles off by 1e-12": (
        "orthogonal", 4, 4,
        lambda b: Block(b.directions + 1e-12 * np.roll(b.directions, 1, axis=1), b.norms),
    ),
    "two rows of a block are equal": ("simplex", 4, 4, lambda b: turned(b, [0], [3])),
    "opposite rows are equal": ("cross-polytope", 3, 6, lambda b: turned(b, [0, 1, 2], [3, 4, 5])),
    "rows of the mirror in reverse": ("mirrored", 3, 6, lambda b: turned(b, [5, 4, 3], [3, 4, 5])),
    "one rotation in the first and the third block": (
        "orthogonal", 3, 9, lambda b: turned(b, [0, 1, 2], [6, 7, 8]),
    ),
    "a corner of a triangle repeated": ("orthogonal-simplices", 3, 5, lambda b: turned(b, [0], [2])),
    "a partial block repeats the first": ("cross-polytope", 3, 8, lambda b: turned(b, [0, 1], [6, 7])),
    "the last row leans to the first": ("iid", 3, 8, leaning),
    "norms shared by rows far apart": ("orthogonal", 4, 13, lambda b: with_norms(b, [1], [12])),
    "norms shared by opposite rows": ("cross-polytope", 3, 6, lambda b: with_norms(b, [0, 1, 2], [3, 4, 5])),
    "norms not shared": ("mirrored", 3, 6, lambda b: with_norms(b, [1, 2, 0], [3, 4, 5])),
    "norms nearly shared": (
        "mirrored", 3, 6, lambda b: Block(b.directions, b.norms + 1e-9 * np.arange(6)),
    ),
    "norms paired across the wrong rows": ("antimonotone", 4, 4, lambda b: with_norms(b, [2, 1], [1, 2])),
    "pairs of norms shared": ("antimonotone", 4, 4, lambda b: with_norms(b, [0, 2], [1, 3])),
    "quantiles off in the tail": (
        "antimonotone", 4, 4,
        lambda b: Block(b.directions, np.where(b.norms > 3.5, b.norms + 1e-9, b.norms)),
    ),
    "chi of one degree less": (
        "orthogonal", 4, 4, lambda b: Block(b.directions, drawn("orthogonal", 3, 4).norms),
    ),
    "fixed norms that are not": (
        "orthogonal-fixed", 4, 4, lambda b: Block(b.directions, drawn("orthogonal", 4, 4).norms),
    ),
}  # fmt: skip


@pytest.mark.parametrize("which", PLANTED)
def test_planted_errors_are_caught(which):
    name, d, m, spoil = PLANTED[which]
    found = held_to(find_coupling(name), spoil(drawn(name, d, m)))
    assert found.gram > 1e-13 or found.norms > 1e-11 or found.p < ALPHA


WRONG_DECLARATIONS = {
    "no sign": (Rows(d), Rows(d, norm=i + d)),
    "shared norms": [Rows(d), Rows(d, sign=-1)],
    "rows in another order": Rows(2 * d, axis=i // 2, norm=i, sign=(-1) ** i),
    "a block of d rows": Rows(d),
}


@pytest.mark.parametrize("which", WRONG_DECLARATIONS)
def test_a_wrong_declaration_is_caught_as_well(which):
    law = replace(find_coupling("cross-polytope"), rows=WRONG_DECLARATIONS[which])
    found = held_to(law, drawn("cross-polytope", 3, 8))
    assert found.gram > 1e-13 or found.norms > 1e-11 or found.p < ALPHA
