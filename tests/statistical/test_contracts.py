"""Every coupling with every feature map: mean and variance against exact laws by the judge, planted errors refuted.

Where the exact layer has the variance (positive, trigonometric, GERF) it agrees with the laws used here to 1e-10.
Rotations that are not uniform, fixed norms and quasi-random points are in `test_variances`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

import array_api_strict
import numpy as np
import pytest

from rftheory.exact import find_formula
from rftheory.judge import Outcome
from rftheory.sample import COUPLINGS, Mechanism, Stream, to_host
from rftheory.sample.arrays import namespace
from rftheory.sample.features import summed
from rftheory.sample.mechanisms import joint_pair_terms
from rftheory.sample.projections import Block, multiplied, rows_of
from rftheory.sample.shapes import simplex_matrix
from tests.statistical import contracts
from tests.statistical.contracts import AGREES, BLOCKS, LEAF, REFUTED, D, X, Y, verdicts
from tests.statistical.exact_laws import Law, gaussian_mean, uniform_law

K = math.exp(-float((X - Y) @ (X - Y)) / 2)
MAPS = contracts.maps(X, Y, 0.01 + 0.05j)
PROJECTIONS = (
    dict.fromkeys(MAPS, 32)
    | dict.fromkeys(("positive", "real exponential", "complex exponential"), 64)
    | {"hyperbolic": 128}
)
"""Many enough for a variance whose own error is known: the longer the tails of a term, the more of them."""

COSINES = {"iid": None, "orthogonal": 0.0, "simplex": -1 / (D - 1)}


def law(name: str, coupling: str) -> Law:
    return contracts.with_phases(name, uniform_law(MAPS[name][1], COSINES[coupling]))


def variance(name: str, coupling: str) -> float:
    """Variance of the estimate in blocks of D projections."""
    return law(name, coupling).variance(PROJECTIONS[name])


EXACT = list(itertools.product(MAPS, COSINES))


@pytest.mark.parametrize("name", MAPS)
def test_terms_are_unbiased(name):
    assert abs(sum(gaussian_mean(term) for term in MAPS[name][1]).real - K) < 1e-14


def exact_layer(name: str, coupling: str) -> float:
    v, z, x, y = (repr(float(np.linalg.norm(u))) for u in (X + Y, X - Y, X, Y))
    end = {"iid": "iid", "orthogonal": "orf", "simplex": "simrf"}[coupling]
    sizes = {"m": PROJECTIONS[name]} | ({} if coupling == "iid" else {"d": D})
    if name == "positive":
        return float(find_formula(f"prf_mse_{end}").enclose(15, **sizes, v=v, x=x, y=y))
    if name == "trigonometric":
        return float(find_formula(f"trig_mse_{end}").enclose(15, **sizes, z=z))
    a, s = {"gerf": ("-1/10", 1), "gerf, s = -1": ("-3/20", -1)}[name]
    if coupling == "iid":
        return float(find_formula("gerf_variance").enclose(15, d=D, A=a, s=s, v=v, z=z)) / PROJECTIONS[name]
    return float(find_formula(f"gerf_{end}_variance").enclose(15, **sizes, A=a, s=s, v=v, z=z))


@pytest.mark.parametrize("coupling", COSINES)
@pytest.mark.parametrize("name", ["positive", "trigonometric", "gerf", "gerf, s = -1"])
def test_the_quadrature_gives_the_exact_layers_variances(name, coupling):
    assert abs(variance(name, coupling) / exact_layer(name, coupling) - 1) < 1e-10


# ---- samplers against the laws


def sampled(name: str, coupling, via: str = "frame", blocks: int = BLOCKS):
    """Moments of the error of an estimate and of its square."""
    return contracts.sampled((MAPS[name][0],), coupling, PROJECTIONS[name], X, Y, K, via=via, blocks=blocks)


@pytest.mark.parametrize(("name", "coupling"), EXACT)
def test_means_and_variances(name, coupling):
    exact, moments = variance(name, coupling), sampled(name, coupling)
    assert verdicts(moments, exact) == AGREES
    assert contracts.planted(moments, exact, K) == REFUTED


# ---- planted errors in the sampler


@lru_cache(maxsize=BLOCKS // LEAF)
def drawn(coupling: str, stream: Stream, blocks: range, d: int, m: int) -> Block:
    """The blocks of a coupling: errors of the same blocks follow each other, and spoil the same draw."""
    return COUPLINGS[coupling].draw(stream, blocks, d, m)


@dataclass(frozen=True)
class Planted:
    """A coupling whose blocks are spoiled."""

    name: str
    spoil: object
    min_dim: int = 2

    def draw(self, stream, blocks, d, m, xp=np, dtype=None) -> Block:
        block = drawn("simplex" if "simplex" in self.name else "orthogonal", stream, blocks, d, m)
        return self.spoil(block, stream, blocks)

    def onto(self, stream, blocks, vectors, m):
        return multiplied(rows_of(self, stream, blocks, vectors.shape[1], m), vectors, np)


def untouched(block: Block, stream, blocks) -> Block:
    return block


def shared_norms(block: Block, stream, blocks) -> Block:
    """The norms of the first block in every block of the stack."""
    copies = block.norms.shape[1] // D
    return Block(block.directions, np.tile(block.norms[:, :D], (1, copies)))


def one_norm(block: Block, stream, blocks) -> Block:
    return Block(block.directions, np.broadcast_to(block.norms[:, :1], block.norms.shape))


def fewer_degrees(block: Block, stream, blocks) -> Block:
    return Block(block.directions, stream.chis(blocks, block.norms.shape[1], D - 1, 9))


def one_rotation(block: Block, stream, blocks) -> Block:
    """The rotation of the first block in every block of the stack."""
    copies = block.norms.shape[1] // D
    return Block(np.tile(block.directions[:, :D], (1, copies, 1)), block.norms)


def shape_on_the_columns(block: Block, stream, blocks) -> Block:
    """R S for S R."""
    shape = simplex_matrix(D)
    return Block((block.directions.reshape(-1, D, D) @ shape).reshape(block.directions.shape), block.norms)


def norms_on_the_columns(block: Block, stream, blocks) -> Block:
    copies = block.norms.shape[1] // D
    norms = block.norms.reshape(-1, copies, 1, D)
    rows = (block.directions.reshape(-1, copies, D, D) * norms).reshape(block.directions.shape)
    length = np.linalg.norm(rows, axis=-1)
    return Block(rows / length[..., None], length)


PLANTED = {
    "orthogonal, norms shared across blocks": ("trigonometric", shared_norms),
    "orthogonal, one norm for all rows": ("trigonometric", one_norm),
    "orthogonal, one rotation for all blocks": ("trigonometric", one_rotation),
    "orthogonal": ("positive", untouched),
    "orthogonal, chi of d - 1 degrees": ("positive", fewer_degrees),
    "orthogonal, shape on the columns": ("positive", shape_on_the_columns),
    "orthogonal, norms on the columns": ("positive", norms_on_the_columns),
    "orthogonal, one rotation for complex vectors": ("complex exponential", one_rotation),
    "simplex, norms shared across blocks": ("trigonometric", shared_norms),
    "simplex, one norm for all rows": ("trigonometric", one_norm),
    "simplex, chi of d - 1 degrees": ("trigonometric", fewer_degrees),
    "simplex": ("positive", untouched),
    "simplex, one rotation for all blocks": ("positive", one_rotation),
    "simplex, one rotation for complex vectors": ("complex exponential", one_rotation),
}


@pytest.mark.parametrize("which", PLANTED)
def test_planted_errors_are_refuted_and_an_untouched_block_is_not(which):
    name, spoil = PLANTED[which]
    coupling = "simplex" if "simplex" in which or spoil is shape_on_the_columns else "orthogonal"
    found = verdicts(sampled(name, Planted(which, spoil)), variance(name, coupling))
    assert found == AGREES if spoil is untouched else Outcome.REFUTED in found


def test_qr_without_signs_is_refuted(monkeypatch):
    monkeypatch.setattr("rftheory.sample.rotations.orthonormal_columns", lambda g: np.linalg.qr(g)[0])
    found = verdicts(sampled("positive", "orthogonal", via="matrix"), variance("positive", "orthogonal"))
    assert Outcome.REFUTED in found


# ---- what holds draw by draw, for every pair


PAIRS = list(itertools.product(MAPS, COUPLINGS))


@pytest.mark.parametrize(("name", "coupling"), PAIRS)
def test_every_pair_in_other_types(name, coupling):
    """float32 inputs give the same draw; another draw is another number."""
    mechanism, stream = Mechanism(MAPS[name][0], coupling, 6), Stream.named("pairs")
    own = mechanism.estimate(stream, range(4), X, Y)
    single = mechanism.estimate(stream, range(4), X.astype(np.float32), Y.astype(np.float32))
    assert np.abs(single - own).max() < 1e-4
    assert np.abs(mechanism.estimate(stream, range(4, 8), X, Y) - own).max() > 1e-6
    both = np.stack((X, Y))
    alone, among = (
        mechanism.gram(stream, range(4), u, v, "gaussian", "matrix")
        for u, v in ((X[None], Y[None]), (both, both))
    )
    assert np.abs(among[:, 0, 1] - alone[:, 0, 0]).max() < 1e-12


@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("names", [MAPS, ["positive"], ["complex exponential"]], ids=["all", "one", "two"])
def test_every_pair_in_another_library(names, coupling):
    """array-api-strict gives the same numbers: all maps on the same draw, and maps that project one and two vectors."""
    mechanisms = [Mechanism(MAPS[name][0], coupling, 6) for name in names]

    def estimates(xp) -> np.ndarray:
        pair = xp.asarray(X), xp.asarray(Y)
        terms = joint_pair_terms(mechanisms, Stream.named("pairs"), range(4), *pair, "gaussian", "frame")
        return np.stack([to_host(summed(one, namespace(xp))) for one in terms])

    assert np.array_equal(estimates(array_api_strict), estimates(np))


@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize("name", [name for name in MAPS if MAPS[name][0].positive])
def test_every_pair_in_the_log_domain(name, coupling):
    """|x| = 40: no estimate is a float64, all logarithms are finite and those of the terms' extreme."""
    x, y = 40 * X / np.linalg.norm(X), 40 * Y / np.linalg.norm(Y)
    mechanism = Mechanism(MAPS[name][0], coupling, 8)
    log = mechanism.log_estimate(Stream.named("far"), range(30), x, y)
    assert np.isfinite(log).all()
    assert (log < -300).any()
    near = mechanism.log_estimate(Stream.named("far"), range(30), X, Y)
    assert np.abs(np.exp(near) / mechanism.estimate(Stream.named("far"), range(30), X, Y) - 1).max() < 1e-12
