"""Projections read back as the points of a quasi-random sequence, and the cells that such points fill one by one.

A coordinate of a low-discrepancy sequence has a base b. Of b^k successive points, counted from a multiple of b^k on,
each lies in another of the b^k intervals of that length. Scrambles of the digits keep this for intervals counted from
0, a shift modulo 1 for those counted from the first point. Of coordinates with one base, the first two fill rectangles
so, too. These facts hold in every draw; for independent points each of them is a matter of chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

Array = np.ndarray

SLACK = 1e-6
"""How far rounding in single precision moves a point; points so near the end of a cell are left out."""
FINEST = 1e5
"""Cells are not smaller than its inverse, below which too many points would be left out."""
SEARCHED = 16
"""Among how many coordinates a pair is sought that fills rectangles, if the first two do not."""


def readings(w: Array, cdf: Callable[[Array], Array], normal: bool) -> Iterator[tuple[str, Array, list[int]]]:
    """The points of the cube that rows (B, m, d) may come from, with the numbers of their coordinates.

    Each coordinate of a row is a quantile; or, if rows are normal, pairs are r cos and r sin, r^2 = -2 log u (Box and
    Muller), of neighbours or of the two halves of a row.

    Examples
    --------
    >>> from scipy.special import ndtr
    >>> [(name, numbers) for name, _, numbers in readings(np.ones((1, 1, 3)), ndtr, True)]  # doctest: +ELLIPSIS
    [('quantiles', [0, 1, 2]), ('pairs of neighbours', [0, 1]), ...]
    """
    d = w.shape[-1]
    yield "quantiles", cdf(w), list(range(d))
    if not normal or d < 2:
        return
    half = d // 2
    ways = {"pairs of neighbours": (slice(0, 2 * half, 2), slice(1, 2 * half, 2))}
    if d > 2:
        ways["pairs of halves"] = (slice(0, half), slice(half, 2 * half))
    for name, (one, other) in ways.items():
        first, second = w[..., one], w[..., other]
        sizes = np.exp(-(first**2 + second**2) / 2)
        for order, angles in (
            ("cos first", np.arctan2(second, first)),
            ("sin first", np.arctan2(first, second)),
        ):
            turns = angles / (2 * math.pi) % 1.0
            points = np.stack([sizes, turns], axis=-1).reshape(*w.shape[:-1], -1)
            yield name if order == "cos first" else f"{name}, {order}", points, list(range(2 * half))


def apart(keys: Array, near: Array, start: int, cells: int) -> bool:
    """Whether points (B, m, k) lie in different cells, of those that a multiple of ``cells`` does not separate."""
    m = keys.shape[1]
    block = (np.arange(m) + start)[:, None] // cells
    numbers = np.where(near, -1 - np.arange(m)[:, None], block * cells + keys)
    return not (np.diff(np.sort(numbers, axis=1), axis=1) == 0).any()


def cell(points: Array, count: int) -> tuple[Array, Array]:
    """The number of the cell of each point, of so many on [0, 1), and whether it is near the end of one."""
    scaled = points * count
    return np.floor(scaled).astype(np.int64), np.abs(scaled - np.round(scaled)) < SLACK * count


def start_of(points: Array, base: int) -> int | None:
    """The number, modulo a power of the base, of the first point of coordinates with that base; None if no number fits.

    Examples
    --------
    >>> halves, one_half = np.array([0.1, 0.6, 0.3, 0.8]), np.array([0.1, 0.3, 0.4, 0.2])
    >>> [start_of(points[None, :, None], 2) for points in (halves, one_half)]
    [0, None]
    """
    m, left = points.shape[1], [(0, 1)]
    while left:
        start, done = left.pop()
        cells = done * base
        if done >= m or cells > FINEST:
            return start
        keys, near = cell(points, cells)
        # So few points have different last digits wherever they begin, but not in the order of a Gray code.
        turns = 1 if base >= m and base > 2 else base
        left += [
            (at, cells)
            for at in range(start + (turns - 1) * done, start - 1, -done)
            if apart(keys, near, at, cells)
        ]
    return None


def fills_rectangles(points: Array, base: int, start: int) -> bool:
    """Whether two coordinates, (B, m, 2), fill the rectangles of every shape: b^a by b^(k-a) of them by b^k points."""
    m, k = points.shape[1], 1
    while base**k <= min(m, FINEST):
        for a in range(k + 1):
            (one, near), (other, close) = (
                cell(points[..., i], base**power) for i, power in ((0, a), (1, k - a))
            )
            keys = one * base ** (k - a) + other
            if not apart(keys[..., None], (near | close)[..., None], start, base**k):
                return False
        k += 1
    return True


@dataclass
class Way:
    """A reading of the rows that fits the calls so far.

    Attributes
    ----------
    starts : for each base, the number of the first point modulo a power of it.
    pair : the coordinates that fill rectangles together; None if there are no two of one base, or none that do.
    """

    starts: dict[int, int]
    pair: tuple[int, int] | None


@dataclass
class Net:
    """Whether rows are the points of a sequence with these bases, by all calls so far.

    Attributes
    ----------
    bases : of the coordinates.
    ways : the readings of the rows that fit; those of coordinates alone, and that of all m points without their order.
    strata : whether the points of every call, in any order, lie in different ones of m intervals.
    rows : m, the number of points of a call.
    """

    bases: Sequence[int]
    ways: dict[tuple[str, str], Way] | None = None
    strata: dict[str, bool] = field(default_factory=dict)
    rows: int = 0

    def see(self, w: Array, cdf: Callable[[Array], Array], normal: bool) -> None:
        """Compare the rows of further calls, (B, m, d)."""
        found: dict[tuple[str, str], Way] = {}
        self.rows = w.shape[1]
        for name, points, numbers in readings(w, cdf, normal):
            m = points.shape[1]
            self.strata[name] = self.strata.get(name, True) and apart(*cell(points, m), 0, m)
            bases = np.array([self.bases[i] for i in numbers])
            for origin in ("from 0", "from the first point"):
                if self.ways is not None and (name, origin) not in self.ways:
                    continue
                moved = points if origin == "from 0" else (points - points[:, :1] + 2 * SLACK) % 1.0
                known = None if self.ways is None else self.ways[name, origin]
                if (way := _fitting(moved, bases, known)) is not None:
                    found[name, origin] = way
        self.ways = found

    @property
    def lines(self) -> bool:
        """Whether every coordinate alone is that of the sequence."""
        return bool(self.ways)

    @property
    def open(self) -> bool:
        """Whether rows fit only as two points with an odd number before an even one: these may lie anywhere."""
        ways = (self.ways or {}).values()
        return self.rows == 2 and self.lines and all(1 in way.starts.values() for way in ways)

    @property
    def holds(self) -> bool:
        """Whether coordinates are those of the sequence, and two of one base fill rectangles together."""
        alone = len(set(self.bases)) == len(self.bases)
        return any(alone or way.pair is not None for way in (self.ways or {}).values())


def _fitting(points: Array, bases: Array, known: Way | None) -> Way | None:
    starts = {}
    for base in map(int, np.unique(bases)):
        chosen = points[..., bases == base]
        start = start_of(chosen, base) if known is None else known.starts[base]
        if start is None or not (known is None or _successive(chosen, base, start)):
            return None
        starts[base] = start
    pairs = combinations(range(min(len(bases), SEARCHED)), 2) if known is None else [known.pair]
    alike = (p for p in pairs if p is not None and bases[p[0]] == bases[p[1]])
    pair = next(
        (p for p in alike if fills_rectangles(points[..., p], int(bases[p[0]]), starts[int(bases[p[0]])])),
        None,
    )
    return Way(starts, pair)


def _successive(points: Array, base: int, start: int) -> bool:
    """Whether points lie in different cells of all sizes if the first one has this number."""
    m, cells = points.shape[1], base
    while cells <= FINEST:
        if not apart(*cell(points, cells), start, cells):
            return False
        if cells >= m:
            break
        cells *= base
    return True
