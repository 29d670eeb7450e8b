"""Couplings beyond one simplex block: more and fewer vectors, the update (17), products of Hadamard matrices.

Everything is in ball arithmetic at the working precision, or exact. Vectors are lists of balls.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, partial

import sympy
from flint import arb

from rftheory.errors import InvalidInput, OutsideDomain
from rftheory.exact.conformity import (
    angle_conformity,
    angle_conformity_ball,
    orf_conformity,
    simplex_cosine,
    within,
)
from rftheory.exact.evaluate import evaluate
from rftheory.exact.formula import Condition, Formula, Route, Variable, register
from rftheory.exact.symbols import PAIR_DIMENSION, SUM_NORM, c, d, m, p

Balls = list[arb]
AngleRoute = Callable[[int, arb, arb], arb]


def independent_blocks_conformity(d: int, blocks: int, v: arb) -> arb:
    """Mean conformity of the ordered pairs of several independent simplex blocks of d vectors.

    Examples
    --------
    >>> independent_blocks_conformity(3, 1, arb(1)).overlaps(angle_conformity_ball(3, arb(1), arb(-1) / 2))
    True
    """
    if blocks < 1:
        raise InvalidInput("blocks", needs="at least one", got=blocks)
    inside = angle_conformity_ball(d, v, simplex_cosine(d))
    return ((d - 1) * inside + (blocks - 1) * d * (v * v).exp()) / (blocks * d - 1)


BLOCK_SIZE = Variable(m, "number of random vectors", integer=True, low=3)
MORE_THAN_A_SIMPLEX = Condition("m >= d + 1", m >= d + 1)
"""From the simplex of d + 1 vertices on."""

BOUND_COSINE = -(2 * d - m) / (d * (m - 2))
OPPOSITE_WEIGHT = m * (m - d - 1) / ((m - 1) * (d * m + m - 4 * d))
"""For m <= 2 d the bound is the mean of the conformities at BOUND_COSINE and at the cosine -1 (with this weight)."""

NODE_SUM, NODE_PRODUCT = -(d - 1) / (m - d - 1), -(m - 2 * d) / (d * (m - d - 1))
_apart = sympy.sqrt(NODE_SUM**2 - 4 * NODE_PRODUCT)
NODES = ((NODE_SUM - _apart) / 2, (NODE_SUM + _apart) / 2)
"""For m >= 2 d it is that at two cosines with this sum and this product."""


def lower_weight(low: sympy.Expr, high: sympy.Expr) -> sympy.Expr:
    """The weight of the lower cosine, which makes m times the mean cosine of pairs and of equal vectors zero.

    Examples
    --------
    >>> lower_weight(-sympy.S.One, sympy.S.Zero)
    1/(m - 1)
    """
    return ((m - 1) * high + 1) / ((m - 1) * (high - low))


_few = m <= 2 * d
_LOW, _HIGH = (sympy.Piecewise((a, _few), (b, True)) for a, b in zip((-1, BOUND_COSINE), NODES, strict=True))
_WEIGHT = sympy.Piecewise((OPPOSITE_WEIGHT, _few), (lower_weight(*NODES), True))


@lru_cache(maxsize=256)
def _bound_numbers(dim: int, rows: int) -> tuple[sympy.Expr, ...]:
    """Both cosines and the weight of the lower one."""
    return tuple(e.subs({d: dim, m: rows}) for e in (_LOW, _HIGH, _WEIGHT))


def block_conformity_bound_ball(d: int, m: int, v: arb, angle: AngleRoute = angle_conformity_ball) -> arb:
    """Lower bound of the mean conformity of m >= d + 1 vectors with directions independent of the norms.

    Examples
    --------
    >>> block_conformity_bound_ball(3, 6, arb(1)).overlaps(orthogonal_simplices_ball(3, 1, arb(1)))
    True
    """
    low, high, weight = (evaluate(e).real for e in _bound_numbers(d, m))
    return weight * angle(d, v, low) + (1 - weight) * angle(d, v, high)


def orthogonal_simplices_ball(n: int, p: int, v: arb, angle: AngleRoute = angle_conformity_ball) -> arb:
    """Mean conformity of the vertices of n simplices in n orthogonal subspaces of p dimensions, norms independent.

    They are m = n (p + 1) vectors in d = n p dimensions: one simplex for n = 1, plus and minus an orthogonal block for
    p = 1, which has the smallest conformity of 2 d vectors whose directions are independent of the norms, with a joint
    law that is rotation invariant (derivation ``simplex.added.orthoplex``).

    Examples
    --------
    >>> bool(block_conformity_bound_ball(8, 12, arb(1)) < orthogonal_simplices_ball(4, 2, arb(1)))
    True
    """
    inside, across = angle(n * p, v, -arb(1) / p), angle(n * p, v, arb(0))
    return (p * inside + (n - 1) * (p + 1) * across) / (n * (p + 1) - 1)


def _at(cosine: sympy.Expr) -> sympy.Expr:
    return angle_conformity.expression.subs(c, cosine)


def _routes(ball: Callable[..., arb]) -> tuple[Route, ...]:
    """The mean by two routes of the conformity at an angle."""
    slow = partial(ball, angle=angle_conformity.all_routes["double sum"].how)
    return (Route("positive ladder", ball, "angle by angle, expansions with positive terms"),
        Route("double sum", slow, "angle by angle, the sum (24) with other cosines", within(v=3)))  # fmt: skip


block_conformity_bound = register(Formula(name="block_conformity_bound",
    says="RF-conformity that m > d vectors in a block have at least: linear programming bound",
    source="ours", variables=(PAIR_DIMENSION, BLOCK_SIZE, SUM_NORM), conditions=(MORE_THAN_A_SIMPLEX,),
    expression=_WEIGHT * _at(_LOW) + (1 - _WEIGHT) * _at(_HIGH),
    routes=_routes(block_conformity_bound_ball), fast="positive ladder", practical=within(v=4)))  # fmt: skip

SIMPLICES = Variable(
    sympy.Symbol("n", integer=True, positive=True), "number of simplices", integer=True, low=1
)
SIDE = Variable(p, "dimension of each simplex", integer=True, low=1)
_n = SIMPLICES.symbol

orthogonal_simplices_conformity = register(Formula(name="orthogonal_simplices_conformity",
    says="RF-conformity of the vertices of n simplices in orthogonal subspaces of p dimensions",
    source="ours", variables=(SIMPLICES, SIDE, SUM_NORM), conditions=(Condition("n p >= 2", _n * p >= 2),),
    expression=(p * _at(-1 / p) + (_n - 1) * (p + 1) * orf_conformity.expression).subs(d, _n * p) / (_n * (p + 1) - 1),
    routes=_routes(orthogonal_simplices_ball), fast="positive ladder", practical=within(v=4)))  # fmt: skip


def smallest_mean_conformity(d: int, v: arb, norms: Sequence[arb]) -> arb:
    """A lower bound of eq. (12) at known norms, over all directions: f at the smallest mean of |w_i + w_j|^2 (Jensen).

    f(t) = 0F1(; d/2; v^2 t/4) is convex, and the mean of |w_i + w_j|^2 over pairs is smallest where the resultant is.

    Examples
    --------
    >>> smallest_mean_conformity(2, arb(1), [arb(2), arb(2)])
    1.00000000000000
    """
    m = len(norms)
    total, longest = sum(norms, arb(0)), arb(0)
    for norm in norms:
        longest = longest.max(norm)
    resultant = (2 * longest - total).max(arb(0))
    squares = sum((norm * norm for norm in norms), arb(0))
    mean = (2 * (m - 2) * squares + 2 * resultant * resultant) / (m * (m - 1))
    return (v * v * mean / 4).hypgeom_0f1(arb(d) / 2)


def conformity_of(d: int, v: arb, vectors: Sequence[Balls]) -> arb:
    """Eq. (12) of given vectors: the mean of f(|w_i + w_j|, v) over pairs.

    Examples
    --------
    >>> conformity_of(2, arb(1), [[arb(2), arb(0)], [arb(-2), arb(0)]])
    1.00000000000000
    """
    pairs = list(itertools.combinations(vectors, 2))
    if not pairs:
        raise InvalidInput("vectors", needs="at least two", got=len(vectors))
    total = arb(0)
    for one, other in pairs:
        square = sum(((a + b) * (a + b) for a, b in zip(one, other, strict=True)), arb(0))
        total += _mean_over_sphere(d, v * v * square / 4)
    return total / len(pairs)


def _mean_over_sphere(d: int, t: arb) -> arb:
    """0F1(; d/2; t) of t >= 0, also where the ball reaches beyond 0; it is increasing, and 1 at 0."""
    if not t.contains(0):
        return t.hypgeom_0f1(arb(d) / 2)
    return arb(1).union(t.abs_upper().hypgeom_0f1(arb(d) / 2))


def simplex_vectors(norms: Sequence[int | arb]) -> list[Balls]:
    """The rows of D S, S of eq. (9), without the last column, which is zero.

    Examples
    --------
    >>> [[round(float(x), 4) for x in row] for row in simplex_vectors([1, 1, 2])]
    [[0.2588, -0.9659], [-0.9659, 0.2588], [1.4142, 1.4142]]
    """
    d = len(norms)
    if d < 2:
        raise OutsideDomain("simplex_vectors", needs="d >= 2 norms", got=d)
    shift = (arb(d).sqrt() + 1) / arb(d - 1) ** arb("1.5")
    head = (arb(d) / (d - 1)).sqrt()
    rows = [[(head if i == j else arb(0)) - shift for j in range(d - 1)] for i in range(d - 1)]
    rows.append([1 / arb(d - 1).sqrt()] * (d - 1))
    return [[norm * x for x in row] for norm, row in zip(norms, rows, strict=True)]


def resultant(vectors: Sequence[Balls]) -> arb:
    """|w_1 + ... + w_m|.

    Examples
    --------
    >>> resultant([[arb(3), arb(0)], [arb(0), arb(4)]])
    5.00000000000000
    """
    square = sum((s * s for s in map(_total, zip(*vectors, strict=True))), arb(0))
    return arb(0).union(square.abs_upper().sqrt()) if square.contains(0) else square.sqrt()


def _total(column: Sequence[arb]) -> arb:
    return sum(column, arb(0))


def point_away(vectors: Sequence[Balls], passes: int, simultaneous: bool = False) -> list[Balls]:
    """Vectors after so many passes of the update (17): one after the other, or all at once.

    Where the others cancel, (17) is 0/0 and the balls are not finite.

    Examples
    --------
    >>> start = simplex_vectors([2, 3, 4])
    >>> [round(float(resultant(point_away(start, n))), 3) for n in (0, 1, 2)]
    [1.732, 0.014, 0.002]
    >>> [round(float(resultant(point_away(start, n, simultaneous=True))), 3) for n in (0, 1, 2)]
    [1.732, 1.267, 1.886]
    """
    now = [list(w) for w in vectors]
    lengths = [sum((x * x for x in w), arb(0)).sqrt() for w in now]
    for _ in range(passes):
        before = [list(w) for w in now]
        for i, length in enumerate(lengths):
            source = before if simultaneous else now
            rest = [_total(column) - column[i] for column in zip(*source, strict=True)]
            size = sum((x * x for x in rest), arb(0)).sqrt()
            now[i] = [-x / size * length for x in rest]
    return now


def hadamard_fourth_moment(d: int, factors: int) -> Fraction:
    """E u_1^4 of a row u of the product of ``factors`` matrices H D_i, d a power of two: exact, over all signs.

    A uniform direction has 3/(d (d + 2)).

    Examples
    --------
    >>> hadamard_fourth_moment(2, 3), Fraction(3, 2 * 4)
    (Fraction(1, 4), Fraction(3, 8))
    """
    if d < 1 or d & (d - 1) or factors < 1 or d * (factors - 1) > 16:
        raise OutsideDomain(
            "hadamard_fourth_moment", needs="d = 2^i, d (factors - 1) <= 16", got=(d, factors)
        )
    total = count = 0
    for signs in itertools.product((1, -1), repeat=d * (factors - 1)):
        column = _walsh([1] + [0] * (d - 1))
        for f in range(factors - 1):
            column = _walsh([s * x for s, x in zip(signs[f * d : (f + 1) * d], column, strict=True)])
        total += sum(x**4 for x in column)
        count += d
    return Fraction(total, count * d ** (2 * factors))


def _walsh(x: list[int]) -> list[int]:
    """H x without the factor 1/sqrt(d)."""
    if len(x) == 1:
        return x
    half = len(x) // 2
    low, high = _walsh(x[:half]), _walsh(x[half:])
    return [a + b for a, b in zip(low, high, strict=True)] + [a - b for a, b in zip(low, high, strict=True)]
