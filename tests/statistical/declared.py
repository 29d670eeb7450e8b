"""What a declaration says of the blocks of a sampler, as numbers: Gram matrices, norms, and which rows are independent.

The samplers know nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import special, stats

from rftheory.sample.projections import Block
from rftheory.spec import Coupling


class Structure(NamedTuple):
    """What m rows, of whole blocks and a partial last one, promise in dimension d.

    gram : (m, m), cosines of the angles; NaN where they are not fixed.
    free : (m, m), whether the directions are independent.
    norms : (m, m), what any two norms have to do with each other.
    """

    gram: np.ndarray
    free: np.ndarray
    norms: np.ndarray


def structure(law: Coupling, d: int, m: int) -> Structure:
    """The promises of a declaration."""
    rows = law.block(d)
    gram, norms = np.full((m, m), np.nan), np.full((m, m), "independent", dtype=object)
    free = np.full((m, m), d > 1)
    for i, j in combinations(range(m), 2):
        if i // len(rows) != j // len(rows):
            continue
        relation = law.relation(rows[i % len(rows)], rows[j % len(rows)], d)
        if relation.cosine is not None and law.angles:
            gram[i, j] = gram[j, i] = float(relation.cosine)
        free[i, j] = relation.cosine is None and law.angles
        norms[i, j] = norms[j, i] = relation.norms
    np.fill_diagonal(gram, 1.0)
    np.fill_diagonal(norms, "shared")
    if law.norms == "fixed":
        norms[:] = "fixed"
    return Structure(gram, free, norms)


@dataclass(frozen=True)
class Verdict:
    """gram, norms : the largest errors. p : the smallest p-value of all tests of laws and of independence."""

    gram: float
    norms: float
    p: float


def held_to(law: Coupling, block: Block) -> Verdict:
    """Compare the blocks of a sampler with the declaration.

    Two rows of one frame that are not tied to each other, and any two rows of different blocks, are tested for
    independence: of their norms by the covariance of F(r), of their directions by the cosine, of mean 0.
    """
    m, d = block.directions.shape[1:]
    promised = structure(law, d, m)
    found = block.directions @ np.swapaxes(block.directions, -1, -2)
    fixed = ~np.isnan(promised.gram)
    gram = float(np.abs((found - promised.gram)[:, fixed]).max())
    lower = special.gammainc(d / 2, block.norms**2 / 2)
    upper = special.gammaincc(d / 2, block.norms**2 / 2)
    ps = [1.0]
    if law.norms == "chi":
        ps += [stats.kstest(lower[:, i], "uniform").pvalue for i in range(m)]
    for i, j in combinations(range(m), 2):
        if promised.norms[i, j] == "independent":
            ps.append(_p_uncorrelated(lower[:, i], lower[:, j]))
        if promised.free[i, j]:
            ps.append(_p_of_mean(found[:, i, j], d))
    return Verdict(gram, _norms(promised, block.norms, lower, upper, d), min(ps))


def _norms(promised: Structure, norms: np.ndarray, lower: np.ndarray, upper: np.ndarray, d: int) -> float:
    """The largest error of norms that are fixed, shared, or at opposite quantiles (in either tail, relatively)."""
    errors = [0.0]
    if (promised.norms == "fixed").all():
        errors.append(float(np.abs(norms - np.sqrt(d)).max()))
    for i, j in zip(*np.nonzero(np.triu(promised.norms == "shared", 1)), strict=True):
        errors.append(float(np.abs(norms[:, i] - norms[:, j]).max()))
    for i, j in zip(*np.nonzero(promised.norms == "antimonotone"), strict=True):
        low = lower[:, i] < 0.5
        gap = np.where(low, upper[:, j] / lower[:, i], upper[:, i] / lower[:, j]) - 1
        errors.append(float(np.abs(gap).max()))
    return max(errors)


def _p_uncorrelated(first: np.ndarray, second: np.ndarray) -> float:
    """Of the mean of the product of two uniform variables, centred, of variance 1/144 if they are independent."""
    z = ((first - 0.5) * (second - 0.5)).mean() * 12 * np.sqrt(len(first))
    return float(2 * stats.norm.sf(abs(z)))


def _p_of_mean(cosines: np.ndarray, d: int) -> float:
    """Of the mean 0 and the mean square 1/d of cosines of independent directions."""
    n = len(cosines)
    z = cosines.mean() * np.sqrt(n * d)
    spread = np.sqrt(max(3 / (d * (d + 2)) - 1 / d**2, 1e-300) / n)
    square = (np.mean(cosines**2) - 1 / d) / spread
    return float(2 * stats.norm.sf(max(abs(z), abs(square))))
