"""Moments of kernel estimators: averages of coupled features, over one block or several.

An estimator is an average of m features b_i. Inside a block features are coupled; blocks are independent, so
cumulants of the blocks add. The joint moments inside a block are those of ``special.JointMoments``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Protocol, TypeVar, runtime_checkable

import sympy
from flint import arb, ctx

from rftheory.exact.special import JointMoments

PairMoment = Callable[[Sequence[int]], arb]
"""E of the product of the powers b_1^a_1 b_2^a_2 ... of distinct features of one block."""


@lru_cache
def partitions(order: int) -> tuple[tuple[int, ...], ...]:
    """Partitions of an integer, parts in decreasing order.

    Examples
    --------
    >>> partitions(4)
    ((4,), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1))
    """

    def split(rest: int, largest: int) -> Iterator[tuple[int, ...]]:
        if rest == 0:
            yield ()
        for part in range(min(rest, largest), 0, -1):
            for tail in split(rest - part, part):
                yield (part, *tail)

    return tuple(split(order, order))


def arrangements(pattern: tuple[int, ...], m: int) -> int:
    """In how many ways indices 1..m can be chosen so that they coincide in the given pattern.

    Examples
    --------
    >>> sum(arrangements(pattern, 5) for pattern in partitions(4)) == 5**4
    True
    """
    ways = math.factorial(sum(pattern)) // math.prod(math.factorial(a) for a in pattern)
    ways //= math.prod(math.factorial(pattern.count(a)) for a in set(pattern))
    return ways * math.perm(m, len(pattern))


def block_sizes(m: int, d: int) -> dict[int, int]:
    """Sizes of the blocks of m projections, d in each full block, and how many there are of each size.

    Examples
    --------
    >>> block_sizes(10, 4), block_sizes(10**9, 1)
    ({4: 2, 2: 1}, {1: 1000000000})
    """
    full, rest = divmod(m, d)
    return ({d: full} if full else {}) | ({rest: 1} if rest else {})


def coupled_pairs(m: int, d: int) -> int:
    """Ordered pairs of distinct projections that share a block.

    Examples
    --------
    >>> coupled_pairs(4, 4), coupled_pairs(10, 4), coupled_pairs(3, 64)
    (12, 26, 6)
    """
    full, rest = divmod(m, d)
    return full * d * (d - 1) + rest * (rest - 1)


def central_moments(order: int, sizes: Mapping[int, int], joint: PairMoment) -> list[arb]:
    """Central moments 0..order of the average of all features, blocks of the given sizes being independent.

    Parameters
    ----------
    order : highest moment.
    sizes : sizes of the blocks, and how many there are of each size.
    joint : joint moments inside a block.

    Examples
    --------
    >>> coins = central_moments(4, {1: 5}, lambda powers: arb(2) ** (powers[0] - 1))
    >>> (5 * coins[2]).overlaps(arb(1)), (5**3 * coins[4]).overlaps(arb(13))
    (True, True)
    """
    cumulants = [arb(0)] * (order + 1)
    for size, blocks in sizes.items():
        raw = [arb(1)] * (order + 1)
        for n in range(
            order, 0, -1
        ):  # moments of many rows first: what is refused is not preceded by long work
            patterns = (a for a in reversed(partitions(n)) if len(a) <= size)
            raw[n] = sum((arrangements(a, size) * joint(a) for a in patterns), arb(0))
        for n, value in enumerate(cumulants_of(raw)):
            cumulants[n] += blocks * value
    m = sum(size * blocks for size, blocks in sizes.items())
    return moments_of([arb(0), arb(0), *(cumulants[n] / arb(m) ** n for n in range(2, order + 1))])[
        : order + 1
    ]


N = TypeVar("N", arb, sympy.Expr)


def cumulants_of(raw: Sequence[N]) -> list[N]:
    """Cumulants from raw moments (both indexed from 0; the cumulant of order 0 is 0).

    Examples
    --------
    >>> [float(value) for value in cumulants_of([arb(n) for n in (1, 1, 2, 6)])]
    [0.0, 1.0, 1.0, 2.0]
    """
    result = [0 * raw[0]]
    for n in range(1, len(raw)):
        lower = (math.comb(n - 1, i - 1) * result[i] * raw[n - i] for i in range(1, n))
        result.append(raw[n] - sum(lower, result[0]))
    return result


def moments_of(cumulants: Sequence[N]) -> list[N]:
    """Raw moments from cumulants (both indexed from 0).

    Examples
    --------
    >>> [float(value) for value in moments_of([arb(n) for n in (0, 1, 1, 2)])]
    [1.0, 1.0, 2.0, 6.0]
    """
    result = [0 * cumulants[0] + 1]
    for n in range(1, len(cumulants)):
        parts = (math.comb(n - 1, i - 1) * cumulants[i] * result[n - i] for i in range(1, n + 1))
        result.append(sum(parts, 0 * cumulants[0]))
    return result


class ExponentialMoments(Protocol):
    """Joint moments E exp(v u.(a_1 w_1 + ... )) by any method.

    Examples
    --------
    >>> from rftheory.exact.special import NormTable
    >>> by_table: ExponentialMoments = NormTable(64, arb(1), arb(0), 2)
    >>> by_table.moment((1, 1)).overlaps((arb(1) / 2).hypgeom_1f1(64, 32))
    True
    """

    def moment(self, weights: Sequence[int]) -> arb:
        """The moment for these integer weights."""


@runtime_checkable
class WaveMoments(Protocol):
    """Means of joint moments over all signs of the weights, where there is a quicker way to them than one by one.

    Examples
    --------
    >>> from rftheory.exact.circle_moments import CircleMoments
    >>> isinstance(CircleMoments(5, -arb(1), arb(0), 2), WaveMoments)
    True
    """

    def waves(self, weights: Sequence[int]) -> arb | None:
        """The mean for these integer weights; None if it is to be taken one by one."""


Table = Callable[..., ExponentialMoments]
"""The method, which takes d, v^2, the cosine, the largest sum of moduli of the weights, and the unit of a weight."""


def positive_joint(d: int, v: arb, c: arb, order: int, table: Table = JointMoments) -> PairMoment:
    """Joint moments of b_i = exp(w_i.v - v^2/2), the positive features divided by their mean.

    Examples
    --------
    >>> positive_joint(5, arb(1), arb(0), 2)((2,)).overlaps(arb(1).exp())
    True
    """
    moments = table(d, v * v, c, order)
    return lambda weights: moments.moment(weights) * (-sum(weights) * v * v / 2).exp()


def trigonometric_joint(d: int, z: arb, c: arb, order: int, table: Table = JointMoments) -> PairMoment:
    """Joint moments of b_i = cos(w_i.z): powers of cosines as averages over signs.

    Examples
    --------
    >>> trigonometric_joint(5, arb(1), arb(0), 2)((1,)).overlaps((-arb(1) / 2).exp())
    True
    """
    moments = table(d, -z * z, c, order)
    if isinstance(moments, JointMoments):
        return moments.cosines

    def joint(weights: Sequence[int]) -> arb:
        ways: Counter[tuple[int, ...]] = Counter()
        for flips in product(*(range(a + 1) for a in weights)):
            harmonics = (abs(a - 2 * j) for a, j in zip(weights, flips, strict=True))
            ways[tuple(sorted(harmonics))] += math.prod(map(math.comb, weights, flips))
        each = (times * mean_over_signs(moments, harmonics) for harmonics, times in ways.items())
        return sum(each, arb(0)) / arb(2) ** sum(weights)

    return joint


def mean_over_signs(moments: ExponentialMoments, weights: Sequence[int]) -> arb:
    """The mean of the moments over all signs of the weights: by a way of its own, if the method has one.

    Examples
    --------
    >>> from rftheory.exact.special import NormTable
    >>> mean_over_signs(NormTable(5, -arb(1), arb(0), 2), (1,)).overlaps((-arb(1) / 2).exp())
    True
    """
    if isinstance(moments, WaveMoments) and (found := moments.waves(weights)) is not None:
        return found
    kept = [a for a in weights if a]
    signed = [
        [a * sign for a, sign in zip(kept, signs, strict=True)]
        for signs in product((1, -1), repeat=len(kept))
    ]
    return sum(map(moments.moment, signed), arb(0)) / len(signed)


def squared_error_moments(central: Sequence[arb]) -> list[arb]:
    """Raw moments 0..n of (estimate - exact)^2 from the central moments 0..2n of the estimate.

    Examples
    --------
    >>> normal = [arb(n) for n in (1, 0, 1, 0, 3, 0, 15, 0, 105)]
    >>> [float(value) for value in squared_error_moments(normal)]
    [1.0, 1.0, 3.0, 15.0, 105.0]
    """
    return list(central[::2])


def with_spare_bits(moment: Callable[..., arb], norm: str) -> Callable[..., arb]:
    """A central moment computed with as many more bits as its terms cancel: about n log2(1/|x + y|), and an eighth.

    Examples
    --------
    >>> v = arb(2) ** -40
    >>> spared = with_spare_bits(lambda n, v: (v.exp() - 1 - v) / n, "v")
    >>> (v.exp() - 1 - v).rel_accuracy_bits() < 0, spared(n=2, v=v).rel_accuracy_bits() > 40
    (True, True)
    """

    def spared(**values: Any) -> arb:
        small = values[norm].abs_lower()
        shrink = -float(small.log()) / math.log(2) if 0 < small < 1 else 0.0
        with ctx.workprec(ctx.prec + ctx.prec // 8 + values["n"] * (10 + math.ceil(shrink))):
            return moment(**values)

    return spared
