"""The statistics of the draws that tests and diagnoses use, computed once per batch.

The unit is a call: if the target is right, calls are independent, but rows inside a call need not be. Arrays over
calls grow with the run; matrices of sums do not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import special
from scipy.linalg import hadamard

from rftheory.check.laws import CouplingLaw, RowLaw, coupling_law, fixed_norm_mean, row_law, sequences
from rftheory.check.nets import Net

Array = np.ndarray

COMPARED, LOOKED = 256, 1024
"""How many rows are compared pair by pair, and in how many calls pairs are searched for equal rows and norms."""

CELLS = 1 << 21
"""How many entries are looked at as coordinates of points that fill cells one by one."""

FLOAT32_GAP = 2e-4
"""Largest |cosine - promised one| that rounding in single precision explains, for d <= 4096 and one QR."""

MANTISSA = 12
"""Entries that need no more than this many bits were rounded, as by a 16-bit format."""

ROUNDED_GRID = 1e-3
"""The rounding error, in single precision, of an integer below 4096."""

IN_CACHE = 1 << 17
"""How many pairs of rows are compared at a time, so that their cosines and sizes need not leave the cache."""

TINY = 1e-9
"""A smaller variance of ranks, whose own is 1, is rounding: norms that do not vary do not depend on each other."""

TAG_DIGITS = 12
TAG = 10.0**-TAG_DIGITS
"""Decimals to which the numbers that tell rows apart are rounded, in units of the norm."""

SAME_LINE = 1e-6
"""Two rows lie on one line if |cosine| exceeds 1 minus this, the rounding error of 1 in single precision."""


OF_ONE_ROW = ("", "trigonometric", "cosine", "positive", "hyperbolic")
"""The feature maps, or none, whose mean is that of cos(w.v) or exp(w.v)."""


@dataclass(frozen=True)
class Case:
    """What is declared about the target, and the fixed vectors along which it is measured.

    Attributes
    ----------
    coupling, row : the promised laws of the rows.
    features : feature map of the estimates: trigonometric, cosine, positive, hyperbolic, angular-hybrid, gerf.
    A : the parameter of gerf.
    stacked : how many rows of each matrix are below each other, if a call returns a batch of matrices; else 0.
    kernel : a name of `rftheory.check.laws.KERNELS`.
    m_given : False if the number of projections is not known: m is then 1, whose moments bound those of every average.
    """

    d: int
    m: int
    coupling: CouplingLaw
    row: RowLaw
    features: str = "trigonometric"
    kernel: str = "gaussian"
    lengthscale: float = 1.0
    seed: int = 0
    m_given: bool = True
    A: float = 0.0
    stacked: int = 0

    @classmethod
    def of(
        cls, d: int, m: int | None, coupling: str, features: str, kernel: str, lengthscale: float, seed: int
    ) -> Case:
        laws, given = (coupling_law(coupling), row_law(kernel, d)), m is not None
        name, _, value = features.partition(":")  # as in gerf:-0.1
        return cls(d, m or 1, *laws, name, kernel, lengthscale, seed, given, float(value or 0.0))

    @property
    def block(self) -> int:
        """Number of rows of a block; d for independent rows."""
        return self.coupling.size(self.d)

    def promised(self, v: np.ndarray, exponential: bool = False) -> float:
        """E cos(w.v) of a row, or E exp(w.v): of rows of norm sqrt(d) it is not that of the kernel.

        Examples
        --------
        >>> cases = [Case.of(2, 4, name, "positive", "gaussian", 1.0, 0) for name in ("orthogonal", "orthogonal-fixed")]
        >>> [round(case.promised(np.array([0.0, 1.0]), exponential=True), 4) for case in cases]
        [1.6487, 1.5661]
        """
        square = float(v @ v)
        if self.fixes_norms:
            return fixed_norm_mean(self.d, self.d * square, exponential)
        return math.exp(square / 2) if exponential else self.row.kernel_at(v)

    @property
    def fixes_norms(self) -> bool:
        """Whether rows of norm sqrt(d) are promised, whose estimates have another mean than the kernel.

        Examples
        --------
        >>> Case.of(2, 4, "orthogonal-fixed", "positive", "gaussian", 1.0, 0).fixes_norms
        True
        """
        return (
            self.coupling.norm_law == "fixed"
            and self.row.gaussian
            and not self.coupling.cut(self.d)
            and self.features in OF_ONE_ROW
        )

    @property
    def leads(self) -> slice:
        """The first rows of the blocks, which are independent; a single row if blocks are not independent."""
        if not self.coupling.blocks:
            return slice(0, 1)
        return slice(0, self.m, 1 if self.coupling.angle == "free" else self.block)

    @cached_property
    def directions(self) -> dict[str, Array]:
        """Unit vectors: first axis, diagonal, random."""
        random = np.random.default_rng(self.seed).standard_normal(self.d)
        return {
            "e_1": np.eye(self.d)[0],
            "(1,..,1)": np.full(self.d, self.d**-0.5),
            "random": random / np.linalg.norm(random),
        }


class Growing:
    """Named arrays over calls, joined when requested."""

    def __init__(self) -> None:
        self._parts: dict[str, list[Array]] = {}

    def add(self, **parts: Array) -> None:
        for name, part in parts.items():
            self._parts.setdefault(name, []).append(part)

    def __getitem__(self, name: str) -> Array:
        parts = self._parts[name]
        if len(parts) > 1:
            parts[:] = [np.concatenate(parts)]
        return parts[0]

    def __contains__(self, name: str) -> bool:
        return name in self._parts


@dataclass
class MatrixMeasures:
    """Measures of weight matrices W (B, m, d), scaled to unit length scale.

    Attributes
    ----------
    available : how many calls there are at most, if draws are stored.
    same, opposite, equal : how often, in the first ``looked`` calls, the compared rows i < j had the same direction,
        opposite directions, the same norm.
    row_gap, rest_gap : largest |cosine - promised one| in whole blocks, and in the last one if it is partial.
    nets : if points of a quasi-random sequence are promised, whether the first calls are those of each one that is
        declared.
    centre : largest length of the sum of the rows of a call, relative to what it would be if all had one direction.
    regrouped : for the cosine of every coupling that fixes one, in how many of the first calls all rows are those of
        such blocks, but not in the promised order.
    column_gap : largest |cosine| between columns of whole square blocks; infinite if there are none.
    norm_ranks : sums of the ranks of the norms of the compared rows, and of their squares.
    norm_gaps, norm_gap_squares : sums of products of the differences of ranks between two calls, and of their squares.
    unpaired : the squared sizes of the last call if it has no other call yet to be compared with.
    lead_axes : sums of products of coordinates of the directions of the first rows of blocks, (d, d).
    gaps : largest |cosine - c| inside blocks for the cosine c of every coupling that fixes one.
    """

    case: Case
    available: float = math.inf
    calls: int = 0
    over: Growing = field(default_factory=Growing)
    sum_rows: Array = field(default_factory=lambda: np.zeros(0))
    sum_squares: Array = field(default_factory=lambda: np.zeros(0))
    call_squares: Array = field(default_factory=lambda: np.zeros(0))
    norm_products: Array = field(default_factory=lambda: np.zeros(0))
    norm_product_squares: Array = field(default_factory=lambda: np.zeros(0))
    norm_gaps: Array = field(default_factory=lambda: np.zeros(0))
    norm_gap_squares: Array = field(default_factory=lambda: np.zeros(0))
    unpaired: Array = field(default_factory=lambda: np.zeros(0))
    norm_ranks: Array = field(default_factory=lambda: np.zeros(0))
    cosines: Array = field(default_factory=lambda: np.zeros(0))
    cosine_squares: Array = field(default_factory=lambda: np.zeros(0))
    same: Array = field(default_factory=lambda: np.zeros(0))
    opposite: Array = field(default_factory=lambda: np.zeros(0))
    equal: Array = field(default_factory=lambda: np.zeros(0))
    lead_squares: Array = field(default_factory=lambda: np.zeros(0))
    lead_pairs: Array = field(default_factory=lambda: np.zeros(0))
    lead_fourths: Array = field(default_factory=lambda: np.zeros(0))
    pair_fourths: Array = field(default_factory=lambda: np.zeros(0))
    lead_axes: Array = field(default_factory=lambda: np.zeros(0))
    looked: int = 0
    regrouped: dict[float | None, int] = field(default_factory=dict)
    row_gap: float = 0.0
    rest_gap: float = 0.0
    gaps: dict[str, float] = field(default_factory=dict)
    column_gap: float = math.inf
    centre: float = 0.0
    grid_gaps: list[float] = field(default_factory=lambda: [0.0, 0.0])
    last: Array | None = None
    nets: dict[str, Net] = field(default_factory=dict)

    def see(self, w: Array) -> None:
        """Add the matrices of further calls."""
        case, (batch, m, d) = self.case, w.shape
        if self.calls == 0:
            self._start()
        fresh = w[: max(0, min(LOOKED, CELLS // (m * d)) - self.calls)]
        for net in self.nets.values() if len(fresh) else ():
            net.see(fresh, case.row.coordinate_cdf, case.row.gaussian)
        self.calls += batch
        squares = np.einsum("bij,bij->bi", w, w)
        norms = np.sqrt(squares)
        u = w / np.where(norms > 0, norms, 1.0)[..., None]
        self.sum_rows += w.sum(0)
        total = w.sum(1)
        self.call_squares += (total**2).sum(0)
        self.centre = max(self.centre, float((np.linalg.norm(total, axis=1) / (norms.sum(1) + 1e-300)).max()))
        self.sum_squares += np.einsum("bij,bij->ij", w, w)
        leads = w[:, case.leads]
        each = leads**2
        own = each.sum(1)
        self.lead_squares += own.sum(0)
        self.lead_fourths += (own**2).sum(0)
        units = u[:, case.leads].reshape(-1, d)
        self.lead_axes += units.T @ units
        if d > 1:
            both = ((leads + np.roll(leads, -1, axis=2)) ** 2).sum(1) / 2
            self.lead_pairs += both.sum(0)
            self.pair_fourths += (both**2).sum(0)
        self.over.add(
            squares=squares,
            lead=w[:, 0],
            lead_directions=u[:, case.leads] @ np.stack(list(case.directions.values()), axis=1),
            signs=np.sign(w[:, :: case.d, 0]) if m >= d else np.sign(w[:, :1, 0]),
            # averages of squared deviations of squares of independent coordinates; mean 1 if these are normal
            coordinate_spread=((each - 1) ** 2).mean((1, 2)) / 2,
            fourths=(each**2).mean((1, 2)),
            zero_rows=(squares == 0).mean(1),
            coarse=((w.view(np.int64) & ((1 << 53 - MANTISSA) - 1) == 0) & (w != 0)).mean((1, 2)),
            even=special.ndtr(w[:, :, 0]).mean(1),
            largest_coordinate=np.abs(leads).max((1, 2)),
        )
        if not case.row.gaussian and d > 1:
            self.over.add(couples=w[:, :, :2].reshape(-1, 2))
        self._contrasts(w, u, squares)
        if case.coupling.hadamard:
            for k, step in enumerate((d**-0.5, 2 / d), start=1):  # sums of d signs, d even, are even
                steps = u / step
                self.grid_gaps[k - 1] = max(
                    self.grid_gaps[k - 1], float(np.abs(steps - np.round(steps)).max())
                )
        self._angles(w, u)
        sizes = case.row.size_squares(w, squares)[:, self.compared]
        self._gaps(sizes)
        self._pairs(u[:, self.compared], squares[:, self.compared], self._ranks(sizes))
        self._estimates(w)
        if self.last is not None:
            w = np.concatenate([self.last[None], w])
        self.over.add(lags=np.einsum("bij,bij->b", w[1:], w[:-1]) if len(w) > 1 else np.zeros(0))
        self.over.add(marks=np.einsum("bij,j->bi", w[-batch:], case.directions["random"]).ravel())
        self.last = w[-1].copy()

    def _start(self) -> None:
        m, d, pairs = self.case.m, self.case.d, 2 * (len(self.compared),)
        self.sum_rows, self.sum_squares = np.zeros((m, d)), np.zeros((m, d))
        self.norm_products, self.norm_product_squares = np.zeros(pairs), np.zeros(pairs)
        self.norm_gaps, self.norm_gap_squares = np.zeros(pairs), np.zeros(pairs)
        self.unpaired = np.zeros((0, len(self.compared)))
        self.norm_ranks = np.zeros((2, len(self.compared)))
        self.cosines, self.cosine_squares = np.zeros(pairs), np.zeros(pairs)
        self.same, self.opposite, self.equal = np.zeros(pairs), np.zeros(pairs), np.zeros(pairs)
        self.lead_squares, self.lead_pairs, self.call_squares = np.zeros(d), np.zeros(d), np.zeros(d)
        self.lead_fourths, self.pair_fourths, self.lead_axes = np.zeros(d), np.zeros(d), np.zeros((d, d))
        if self.case.coupling.bases(d) and m > 1:
            self.nets = {name: Net(bases) for name, bases in sequences(d).items()}

    @cached_property
    def compared(self) -> Array:
        """The rows that are compared with each other: all, or as many as memory allows, including the last one."""
        return np.unique(np.linspace(0, self.case.m - 1, COMPARED).astype(int))

    def pairs(self, inside: bool) -> Array:
        """Which pairs i < j of the compared rows lie inside one block, or in two blocks."""
        block = self.compared // self.case.block
        same = block[:, None] == block
        return np.triu(same if inside else ~same, k=1)

    @cached_property
    def _across(self) -> tuple[Array, Array]:
        """Which pairs i < j of the compared rows lie in two blocks, and all pairs i < j."""
        across = self.pairs(inside=False)
        return across, across | self.pairs(inside=True)

    @cached_property
    def _cosines(self) -> list[float]:
        """The cosines of couplings that fix one, with the promised one."""
        promised, d = self.case.coupling.cosine(self.case.d), self.case.d
        return [c for c in {promised, *fixed_cosines(d).values()} if c is not None]

    @cached_property
    def own_norms(self) -> Array:
        """Which of the compared rows are the first of their block with their norm: all, unless rows share norms."""
        block, row = np.divmod(self.compared, self.case.block)
        norms = np.stack([block, self.case.coupling.norm_numbers(self.case.d)[row]], axis=1)
        found: Array = np.zeros(len(row), dtype=bool)
        found[np.unique(norms, axis=0, return_index=True)[1]] = True
        return found

    @property
    def pairs_of_axes(self) -> Array:
        """Which pairs i < j of the compared rows lie on independent axes of one block."""
        promised, row = self.case.coupling.gram(self.case.d), self.compared % self.case.block
        if promised is None:
            return np.zeros((len(row), len(row)), dtype=bool)
        found: Array = self.pairs(inside=True) & np.isnan(promised[np.ix_(row, row)])
        return found

    @property
    def independent_axes(self) -> Array:
        """Which pairs i < j of the compared rows of one block are promised to have independent axes."""
        return self.pairs(inside=True) if self.case.coupling.angle == "free" else self.pairs_of_axes

    def pairs_of_norms(self, inside: bool) -> Array:
        """Which pairs i < j of the compared rows have norms that are promised to be independent, one row for each."""
        found: Array = self.pairs(inside) & np.outer(self.own_norms, self.own_norms)
        return found

    def _ranks(self, sizes: Array) -> Array:
        """Squared sizes by their distribution function: of mean 0 and variance 1 under the promised law."""
        return np.asarray(math.sqrt(12) * (self.case.row.size_rank(sizes) - 0.5))

    def _gaps(self, sizes: Array) -> None:
        """Differences of ranks between two calls: independent norms of any law make their products symmetric.

        The unit of the sizes comes from both calls alike, so that exchanging two norms of a row does not change it.
        """
        sizes = np.concatenate([self.unpaired, sizes])
        paired = len(sizes) // 2 * 2
        self.unpaired, two = sizes[paired:], sizes[:paired].reshape(-1, 2, sizes.shape[1])
        median = np.median(two.reshape(len(two), 2 * sizes.shape[1]), axis=1)[:, None, None]
        ranks = self._ranks(two * (self.case.row.median_square / np.where(median > 0, median, 1.0)))
        gaps = ranks[:, 1] - ranks[:, 0]
        self.norm_gaps += gaps.T @ gaps
        self.norm_gap_squares += (gaps**2).T @ (gaps**2)
        blocks, first = self.compared // self.case.block, (self.compared < self.case.block) & self.own_norms
        odd = np.cumsum(first) % 2 == 0
        halves = {"inside": (first & odd, first & ~odd), "across": (blocks % 2 == 1, blocks % 2 == 0)}
        self.over.add(**{f"halves {name}": gaps @ np.stack(pair, axis=1) for name, pair in halves.items()})

    def _pairs(self, u: Array, squares: Array, ranks: Array) -> None:
        """Products of the norms and cosines of the angles of all pairs of rows."""
        self.norm_products += ranks.T @ ranks
        self.norm_product_squares += (ranks**2).T @ (ranks**2)
        self.norm_ranks += ranks.sum(0), (ranks**2).sum(0)
        fresh = max(0, min(len(u), LOOKED - (self.calls - len(u))))
        self.looked += fresh
        self._equal_norms(squares[:fresh])
        step = max(1, IN_CACHE // u.shape[1] ** 2)
        for start in range(0, len(u), step):
            part = u[start : start + step]
            gram = part @ part.swapaxes(1, 2)
            self.cosines += gram.sum(0)
            self.cosine_squares += np.einsum("bij,bij->ij", gram, gram)
            if start < fresh:
                self._on_one_line(gram[: fresh - start])
            for cosine in self._cosines:
                if self.regrouped.get(cosine, 0) == self.calls - len(u) + start:
                    self.regrouped[cosine] = self.calls - len(u) + start + self._blocks_anywhere(gram, cosine)

    def _on_one_line(self, gram: Array) -> None:
        """Count the pairs i < j with one direction and with opposite ones."""
        across, every = self._across
        near = np.abs(gram) > 1 - SAME_LINE
        near &= every
        call, i, j = np.unravel_index(np.flatnonzero(near), near.shape)
        same = gram[call, i, j] > 0
        np.add.at(self.same, (i[same], j[same]), 1)
        np.add.at(self.opposite, (i[~same], j[~same]), 1)
        if count := int(across.sum()):
            self.over.add(lines=np.bincount(call, across[i, j], len(gram)) / count)

    def _blocks_anywhere(self, gram: Array, cosine: float | None) -> int:
        """In how many calls the pairs of rows at this angle join all rows to blocks of the promised sizes.

        Looked at only if rows are not in their order, and all of them are compared. Pairs at that angle by chance may
        come on top, a tenth of those of different blocks.
        """
        case = self.case
        ordered = max(self.row_gap, self.rest_gap) < FLOAT32_GAP
        if cosine is None or ordered or len(self.compared) < case.m:
            return 0
        near = (np.abs(gram - cosine) < FLOAT32_GAP).astype(np.float32)
        near[:, np.arange(case.m), np.arange(case.m)] = 0
        block = np.arange(case.m) // case.block
        size = np.bincount(block)[block]  # of the block of each row
        partners = np.sort(near.sum(2), axis=1)
        enough = (partners >= np.sort(size - 1)).all(1)
        few = partners.sum(1) <= (size - 1).sum() + (case.m - size).sum() / 10
        # as many triangles as in blocks: the partners of a row are partners of each other
        triangles = np.einsum("bij,bij->b", near @ near, near) >= ((size - 1) * (size - 2)).sum()
        return int((enough & few & triangles).sum())

    def _equal_norms(self, squares: Array) -> None:
        """Count the pairs of equal norms, in calls in which two neighbours in the order of size are close enough."""
        ordered = np.sort(squares, axis=1)
        tied = squares[(np.diff(ordered, axis=1) <= 2 * SAME_LINE * ordered[:, 1:]).any(1)]
        step = max(1, IN_CACHE // squares.shape[1] ** 2)
        for start in range(0, len(tied), step):
            part = tied[start : start + step]
            self.equal += (np.abs(part[:, :, None] - part[:, None]) <= SAME_LINE * part[:, None]).sum(0)

    def _contrasts(self, w: Array, u: Array, squares: Array) -> None:
        """Statistics that change sign with W, or when its columns are reversed; one number per call."""
        _, m, d = w.shape
        order = hadamard_like(d)
        rows = np.arange(m) % d
        self.over.add(hadamard=np.einsum("bij,ij->b", w, order[rows]) / math.sqrt(m * d))
        if d == 1:
            return
        slope = trend(d)
        spread = 2 * float((slope**2).sum()) / (d * (d + 2))  # variance of sum_j slope_j u_j^2
        excess = (squares - d) / math.sqrt(2 * d)
        along = (u**2 @ slope) / math.sqrt(spread)
        single = 2 * (d - 1) / (d * d * (d + 2))  # variance of u_j^2
        each = np.arange(m)
        own = (u[:, each, rows] ** 2 - u[:, each, d - 1 - rows] ** 2) * slope[rows]
        size = 2 * single * d / (d - 1) * float((slope[rows] ** 2).sum())
        self.over.add(
            trend=(excess * along).sum(1) / math.sqrt(m), diagonal=(excess * own).sum(1) / math.sqrt(size)
        )

    def _angles(self, w: Array, u: Array) -> None:
        case, (batch, m, d) = self.case, w.shape
        size = min(m, case.block)
        whole = (m // size) * size
        block, rest = u[:, :whole].reshape(batch, -1, size, d), u[:, whole:]
        if size > 1:
            gram = np.matmul(block, block.swapaxes(-1, -2))
            self.over.add(pair=gram[:, 0, 0, min(case.coupling.second_axis(d), size - 1)].copy())
            promised = case.coupling.gram(d)
            if promised is not None:
                self.row_gap = max(self.row_gap, _gap_to(promised, gram))
                self.rest_gap = max(self.rest_gap, _gap_to(promised, rest @ rest.swapaxes(-1, -2)))
            diagonal = np.arange(size)
            gram[..., diagonal, diagonal] = gram[..., :1, 1]  # any off the diagonal
            highest, lowest = gram.max((1, 2, 3)), gram.min((1, 2, 3))
            for name, cosine in fixed_cosines(d).items():
                gap = max(0.0, float(highest.max()) - cosine, cosine - float(lowest.min()))
                self.gaps[name] = max(self.gaps.get(name, 0.0), gap)
            self.over.add(largest=np.maximum(highest, -lowest))
        if size == d and d > 1:
            raw = w[:, : (m // d) * d].reshape(batch, -1, d, d)
            columns = raw / np.maximum(np.linalg.norm(raw, axis=-2, keepdims=True), 1e-300)
            inner = np.matmul(columns.swapaxes(-1, -2), columns)
            diagonal = np.arange(d)
            inner[..., diagonal, diagonal] = 0.0
            known = self.column_gap if math.isfinite(self.column_gap) else 0.0
            self.column_gap = max(known, float(inner.max()), -float(inner.min()))
        if m > case.block:
            self.over.add(across=np.einsum("bj,bj->b", u[:, 0], u[:, case.block]))

    def _estimates(self, w: Array) -> None:
        """Averages over the rows of cos, sin and exp of w . v, and exp for the first row only."""
        for name, v in self.case.directions.items():
            values = w @ v
            self.over.add(
                **{
                    f"cos {name}": np.cos(values).mean(1),
                    f"sin {name}": np.sin(values).mean(1),
                    f"far {name}": np.cos(2 * values).mean(1),
                    f"exp 2 {name}": np.exp(np.minimum(2 * values, 300.0)).mean(1),
                    f"exp 2 -{name}": np.exp(np.minimum(-2 * values, 300.0)).mean(1),
                    f"exp {name}": np.exp(np.minimum(values, 300.0)).mean(1),
                    f"exp -{name}": np.exp(np.minimum(-values, 300.0)).mean(1),
                }
            )

    @property
    def unit(self) -> float:
        """The median norm of the rows, or 1 if it is 0: in this unit numbers are rounded, whatever the scale."""
        return math.sqrt(float(np.median(self.over["squares"][:LOOKED]))) or 1.0

    def tags(self, calls: slice = slice(None), rows: slice = slice(None)) -> Array:
        """Complex numbers that tell rows apart, (calls, m): an inner product and the squared norm, both rounded.

        Complex numbers are sorted four times as fast as pairs.
        """
        marks, squares = self.over["marks"].reshape(self.calls, -1), self.over["squares"]
        sizes = (squares[calls, rows] / self.unit**2).round(TAG_DIGITS)
        found: Array = (marks[calls, rows] / self.unit).round(TAG_DIGITS) + 1j * sizes
        return found

    @property
    def unevenness(self) -> float:
        """The variance of the averages of the quantiles of first coordinates, 1 for independent rows."""
        return 12 * self.case.m * float(self.over["even"].var())

    @property
    def off_centre(self) -> float:
        """p-value of the test that the mean vector of all rows is 0."""
        total = float((self.sum_rows.sum(0) ** 2 / np.maximum(self.call_squares, 1e-300)).sum())
        return float(special.gammaincc(self.case.d / 2, total / 2))

    @property
    def fourth_moment(self) -> float:
        """Fourth moment of the coordinates of the first rows of blocks, in units of their squared mean square."""
        square = float(self.lead_squares.mean()) / (self.calls * len(range(self.case.m)[self.case.leads]))
        return float(self.over["fourths"].mean()) / square**2

    @property
    def norm_correlations(self) -> Array:
        """Correlations of the ranks of the norms of the compared rows, whatever the law of these."""
        means, squares = self.norm_ranks / self.calls
        spread = np.sqrt(np.maximum(squares - means**2, TINY))
        found: Array = (self.norm_products / self.calls - np.outer(means, means)) / np.outer(spread, spread)
        return found

    @property
    def rounds(self) -> int:
        """The number of factors H D, 1 or 2, whose products all directions of all calls could be; 0 if neither."""
        return next((k for k in (1, 2) if self.grid_gaps[k - 1] < ROUNDED_GRID), 0)

    @property
    def mean_rows(self) -> Array:
        return self.sum_rows / max(self.calls, 1)

    @property
    def squares(self) -> Array:
        """Squared norms, independent under the declared coupling."""
        found = self.over["squares"]
        return found if self.case.coupling.norms else found[:, :1]


def fixed_cosines(d: int) -> dict[str, float]:
    """The cosine inside a block, for each coupling that fixes it."""
    return {"orthogonal": 0.0} | ({"simplex": -1 / (d - 1)} if d > 1 else {})


def _gap_to(promised: Array, gram: Array) -> float:
    """Largest |cosine - promised one| among those of the first rows of a block, (..., n, n)."""
    size = gram.shape[-1]
    gaps = np.abs(gram - promised[:size, :size])
    return float(np.fmax.reduce(gaps, axis=None, initial=0.0))  # independent axes, nan, may be at any angle


def hadamard_like(d: int) -> Array:
    """Sylvester's Hadamard matrix cut to d x d, from the next power of two."""
    size = 1 << (d - 1).bit_length()
    matrix: Array = np.asarray(hadamard(size), dtype=float)[:d, :d]
    return matrix


def trend(d: int) -> Array:
    """The centred linear contrast 2(d - j) + 1 - d, j = 1..d: how norms of a factored block depend on directions."""
    return 2.0 * (d - np.arange(1, d + 1)) + 1 - d


# ---- estimates of a kernel -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """A pair of inputs, in units of the length scale; if it ``turns``, it lies elsewhere in each call, as `turned`."""

    name: str
    x: Array
    y: Array
    turns: bool = True

    @property
    def sum_norm(self) -> float:
        return float(np.linalg.norm(self.x + self.y))

    @property
    def distance(self) -> float:
        return float(np.linalg.norm(self.x - self.y))

    @property
    def squares(self) -> float:
        return float(self.x @ self.x + self.y @ self.y)

    @property
    def angle(self) -> float:
        sizes = float(np.linalg.norm(self.x) * np.linalg.norm(self.y))
        return math.acos(max(-1.0, min(1.0, float(self.x @ self.y) / sizes))) if sizes > 0 else 0.0


def panel(case: Case) -> list[Pair]:
    """The pairs at which estimates are measured: equal, opposite, orthogonal, along axes and diagonals, far apart."""
    axis, diagonal, one = case.directions.values()
    zero = np.zeros(case.d)
    other = diagonal - (diagonal @ one) * one
    size = float(np.linalg.norm(other))
    other = other / size if size > 1e-6 else -one
    if case.features == "angular-hybrid":
        tilted = [math.cos(t) * one + math.sin(t) * other for t in (0.5, 1.0, 1.5, 2.2)]
        return [
            Pair("angle 0.5", 0.7 * one, 0.7 * tilted[0]),
            Pair("angle 1", 0.6 * one, 0.9 * tilted[1]),
            Pair("angle 1.5", 0.8 * one, 0.8 * tilted[2]),
            Pair("angle 2.2", 0.9 * one, 0.9 * tilted[3]),
        ]
    return [
        Pair("x = y = 0", zero, zero),
        Pair("x = y", 0.4 * one, 0.4 * one),
        Pair("x = -y", 0.4 * one, -0.4 * one),
        Pair("x orthogonal to y", 0.6 * one, 0.5 * other),
        Pair("x = e_1/2, y = 0", 0.5 * axis, zero, turns=False),
        Pair("x = -e_1/2, y = 0", -0.5 * axis, zero, turns=False),
        Pair("x along (1,..,1), y = 0", 0.8 * diagonal, zero, turns=False),
        Pair("x random, y = 0", one, zero),
        Pair(FAR, 2.0 * one, -2.0 * one),
    ]


FAR = "x = -y, far apart"


AT_ONCE = 64
"""For how many calls pairs are turned together."""


def turned(case: Case, pairs: list[Pair], start: int, count: int) -> Iterator[tuple[Array, Array]]:
    """The inputs x and y, (pairs, d), of the calls start, start + 1, ...: pairs that turn move in each call.

    A reflection takes the random direction of the panel to a uniform one. For kernels that are not radial, coordinates
    change places and signs instead. Neither changes the kernel of a pair, nor the law of its estimate under the
    couplings for which one is known. The inputs depend on the number of the call only.

    Examples
    --------
    >>> case = Case.of(3, 8, "iid", "positive", "gaussian", 1.0, 0)
    >>> first, second = (x[7] for x, y in turned(case, panel(case), 5, 2))
    >>> [round(float(one @ one), 12) for one in (first, second)], bool(abs(first @ second) < 0.99)
    ([1.0, 1.0], True)
    """
    both = np.stack([[p.x for p in pairs], [p.y for p in pairs]])
    turns = np.array([p.turns for p in pairs])[:, None]
    for block in range(start // AT_ONCE, -(-(start + count) // AT_ONCE)):
        calls = range(max(start, block * AT_ONCE), min(start + count, (block + 1) * AT_ONCE))
        moved = np.where(turns, _moved(case, both, block), both)
        yield from (tuple(moved[call % AT_ONCE]) for call in calls)


def _moved(case: Case, vectors: Array, block: int) -> Array:
    """The vectors, moved in AT_ONCE ways."""
    draw = np.random.default_rng([case.seed, 5, block])
    if not case.row.radial:
        places = draw.random((AT_ONCE, case.d)).argsort(1)
        signs = np.where(draw.random((AT_ONCE, case.d)) < 0.5, 1.0, -1.0)
        found: Array = np.moveaxis(vectors[..., places], -2, 0) * signs[:, None, None]
        return found
    new = draw.standard_normal((AT_ONCE, case.d))
    normals = case.directions["random"] - new / np.linalg.norm(new, axis=1, keepdims=True)
    squares = (normals**2).sum(1, keepdims=True)
    scaled = normals * np.divide(2.0, squares, out=np.zeros_like(squares), where=squares > 0)
    along = np.einsum("spd,cd->csp", vectors, scaled)
    return np.asarray(vectors - along[..., None] * normals[:, None, None])


@dataclass
class EstimateMeasures:
    """Estimates K^ for the pairs of the panel, one row per call.

    Attributes
    ----------
    peaks : the largest features of some inputs.
    floor : what most features of far inputs are in every draw; 0 if they have nothing in common.
    added : this times the root of their number, in units in which features of the input 0 have length 1.
    unit : the relative rounding error of features in a format of 16 bits; 0 in others, where it is not seen.
    """

    case: Case
    pairs: list[Pair]
    over: Growing = field(default_factory=Growing)
    calls: int = 0
    peaks: Array = field(default_factory=lambda: np.zeros(0))
    floor: float = 0.0
    added: float = 0.0
    unit: float = 0.0

    def see(self, estimates: Array) -> None:
        self.calls += len(estimates)
        self.over.add(estimates=estimates)

    def of(self, pair: Pair) -> Array:
        """Estimates of one pair."""
        names = [p.name for p in self.pairs]
        found: Array = self.over["estimates"][:, names.index(pair.name)]
        return found
