"""Central moments of an estimate, defined once for all couplings whose rows are at equal angles.

A feature map says how the features of one block multiply at a given cosine; independent rows, orthogonal and simplex
blocks follow from the cosine declared in :mod:`rftheory.spec`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy
from flint import arb, ctx, fmpq

from rftheory.errors import NotKnown
from rftheory.exact.circle_moments import MomentBounds
from rftheory.exact.conformity import within
from rftheory.exact.enclosure import rational_ball
from rftheory.exact.formula import Formula, Practical, Route, Variable, everywhere, register
from rftheory.exact.joint_moments import OrthogonalContour, OrthogonalNorms, PairContour, orthogonal_moments
from rftheory.exact.moments import PairMoment, Table, block_sizes, central_moments, with_spare_bits
from rftheory.exact.special import JointMoments, NormTable
from rftheory.exact.triple_moments import PairsFirst
from rftheory.spec import Coupling, find_coupling

BLOCKS = {"iid": "independent projections", "orthogonal": "orthogonal blocks of d",
    "simplex": "simplex blocks of d"}  # fmt: skip
"""The couplings with formulas of their own, in words."""

SHORT = 8
"""The order times the norm up to which the series of joint moments takes less time than contours."""
n = sympy.Symbol("n", integer=True, positive=True)
ORDER = Variable(n, "order of the central moment", integer=True, low=2, high=8)


def at_one_angle(coupling: Coupling, d: int) -> bool:
    """Whether a block is one row, or d rows at equal angles, all with their own norms.

    Examples
    --------
    >>> [at_one_angle(find_coupling(name), 5) for name in ("iid", "simplex", "mirrored")]
    [True, True, False]
    """
    if (
        coupling.norms != "chi"
        or not coupling.marginal
        or not coupling.equal_angles
        or coupling.pairs_unknown
    ):
        return False
    block = coupling.block(d)
    alone = len({row.axis for row in block}) == len({row.norm for row in block}) == len(block)
    return alone and len(block) in (1, d) and all(row.sign > 0 for row in block)


def block_cosine(name: str, d: int) -> arb | None:
    """Cosine of the angle inside a block of the named coupling; None for independent rows.

    Raises
    ------
    NotKnown : the rows of a block do not all have equal angles and their own norms.

    Examples
    --------
    >>> block_cosine("iid", 5), float(block_cosine("orthogonal", 5)), float(block_cosine("simplex", 5))
    (None, 0.0, -0.25)
    """
    coupling = find_coupling(name)
    if not at_one_angle(coupling, d):
        raise NotKnown(
            "cosine of a block", coupling.name, "its rows do not all have equal angles and their own norms"
        )
    cosine = coupling.cosine_of(0, 1, d) if coupling.size(d) > 1 else None
    return None if cosine is None else rational_ball(sympy.Rational(cosine))


# ---- where routes are valid, and worth running ---------------------------------------------------------


def order_two(values: Mapping[str, sympy.Expr]) -> bool:
    """The moment is of order two.

    Examples
    --------
    >>> order_two({"n": sympy.Integer(2)}), order_two({"n": sympy.Integer(4)})
    (True, False)
    """
    return bool(values["n"] == 2)


def spread_to(norm: str, limit: int) -> Practical:
    """Practical if order times norm is at most the limit.

    Examples
    --------
    >>> spread_to("v", 4)({"n": 4, "v": 1}), spread_to("v", 4)({"n": 4, "v": 2})
    (True, False)
    """
    return lambda values: bool(values["n"] * values[norm] <= limit)


def pairs_alone(values: Mapping[str, sympy.Expr]) -> bool:
    """No block has more than two projections, or only pairs matter.

    Examples
    --------
    >>> [pairs_alone({"m": m, "d": 64, "n": 4, "v": 1}) for m in (2, 3)]
    [True, False]
    """
    return bool(min(values["m"], values["d"], values["n"]) <= 2)


# ---- the moments of one feature map -------------------------------------------------------------------


@dataclass(frozen=True)
class Moments:
    """The central moments of the estimate of one feature map.

    Attributes
    ----------
    says : what they are moments of.
    expression : their definition.
    names, sources : names and sources of the formulas, in the order of ``BLOCKS``.
    variables, alone : variables of the formulas for blocks, and for independent rows.
    norm : ``v`` or ``z``, the norm that the estimate depends on.
    joint : given a method, the cosine and the order, and the values of variables: joint moments of a block.
    single : name, method and note of the quickest way for independent rows: given the values, moments of one feature.
    variance : name, and given the cosine and the values: the second moment from that of two rows.
    reach : order times norm up to which joint moments of orthogonal rows are practical.
    constant_at_zero : whether every feature is 1 at norm 0.
    more : further routes, by coupling.

    Examples
    --------
    >>> from rftheory.exact.positive import MOMENTS
    >>> MOMENTS.central("orthogonal", 2, d=2, m=1, v=arb(1))[2].overlaps(arb(1).exp() - 1)
    True
    """

    says: str
    expression: sympy.Expr
    names: tuple[str, ...]
    sources: tuple[str, ...]
    variables: tuple[Variable, ...]
    alone: tuple[Variable, ...]
    norm: str
    joint: Callable[..., PairMoment]
    single: tuple[str, Callable[..., PairMoment], str]
    variance: tuple[str, Callable[..., arb]]
    reach: int
    constant_at_zero: bool = True
    more: Mapping[str, tuple[Route, ...]] = field(default_factory=dict)

    def formulas(self) -> list[Formula]:
        """The registered formulas, one for each coupling."""
        return [
            register(Formula(
                name=name, says=f"central moment of order n of {self.says}, {words}", source=source,
                variables=self.alone if coupling == "iid" else self.variables, expression=self.expression,
                readable=False, routes=self._routes(coupling), fast=self.single[0] if coupling == "iid" else "cheapest",
            ))
            for (coupling, words), name, source in zip(BLOCKS.items(), self.names, self.sources, strict=True)
        ]  # fmt: skip

    def central(
        self, coupling: str, order: int, m: int, d: int = 2, table: Table | None = None, **at: Any
    ) -> list[arb]:
        """Central moments 0..order from the joint moments of a block by this method, or by the quickest."""
        if table is None and block_cosine(coupling, d) is None:
            return central_moments(order, block_sizes(m, 1), self.single[1](d=d, **at))
        # only the squared norm and the cosine are so exact
        with ctx.workprec(ctx.prec + self._lost(at[self.norm])):
            c = block_cosine(coupling, d)
            joint = self.joint(table or JointMoments, arb(0) if c is None else c, order, d=d, **at)
        return central_moments(order, block_sizes(m, 1 if c is None else d), joint)

    def _lost(self, length: arb) -> int:
        """At least the bits by which terms of joint moments of waves are above the mean of one wave."""
        return 0 if self.norm == "v" else math.ceil(min(4 * float(length.abs_upper() ** 2), 1e6))

    def _exact(self, moment: Callable[..., arb]) -> Callable[..., arb]:
        """This moment, of a rational norm that is read with the bits that terms lose."""

        def read(**values: Any) -> arb:
            balls = {name: arb(value) if isinstance(value, fmpq) else value for name, value in values.items()}
            with ctx.workprec(2 * ctx.prec + self._lost(balls[self.norm])):
                balls[self.norm] = arb(values[self.norm])
            return moment(**balls)

        return read

    def _routes(self, coupling: str) -> tuple[Route, ...]:
        own = {"iid": self._independent, "orthogonal": self._orthogonal, "simplex": self._simplex}[coupling]()
        return (*own, *self.more.get(coupling, ()))

    def _by(self, coupling: str, table: Table | None) -> Callable[..., arb]:
        return lambda n, **values: self.central(coupling, n, table=table, **values)[n]

    def _second(self, coupling: str) -> Route:
        name, variance = self.variance

        def second(n: int, d: int, **at: Any) -> arb:
            return variance(block_cosine(coupling, d), d=d, **at)

        return Route(name, second, "n = 2 from the mean of the product of two features", valid=order_two)

    def _independent(self) -> list[Route]:
        name, _, note = self.single
        return [
            Route(name, self._by("iid", None), note),
            Route("joint moments", self._by("iid", JointMoments), "moments of one feature from the moment expansion",
                  within(**{self.norm: 2})),
        ]  # fmt: skip

    def _orthogonal(self) -> list[Route]:
        rows: list[tuple[str, Table, str, Practical]] = [
            ("joint moments", JointMoments, "patterns of coinciding indices, joint moments, cumulants of blocks",
             spread_to(self.norm, self.reach)),
            ("contour", OrthogonalContour, "joint moments by Hankel's integral", everywhere),
            ("resultant norm", NormTable, "joint moments through the moments of the norm of the resultant",
             spread_to(self.norm, 8)),
            ("norm series", OrthogonalNorms, "joint moments through the power sums of a weighted sum of chi squares",
             spread_to(self.norm, 8)),
        ]  # fmt: skip
        cheapest = with_spare_bits(self._by("orthogonal", orthogonal_moments), self.norm)
        return [
            *(Route(name, self._by("orthogonal", table), note, where) for name, table, note, where in rows),
            Route("cheapest", cheapest, "joint moments for small norms, the contour beyond"),
            self._second("orthogonal"),
        ]

    def _simplex(self) -> list[Route]:
        rows: list[tuple[str, Table, str, Practical]] = [
            ("joint moments", JointMoments, "patterns of coinciding indices, joint moments, cumulants of blocks",
             spread_to(self.norm, 8)),
            ("resultant norm", NormTable, "joint moments through the moments of the norm of the resultant",
             spread_to(self.norm, 4 if self.norm == "v" else 3)),
            ("pair contour", PairContour, "joint moments of two rows by Hankel's integral, where none have more",
             pairs_alone),
        ]  # fmt: skip
        cheapest = self._exact(self._unless_bounded(with_spare_bits(self._cheapest_simplex, self.norm)))
        return [
            *(Route(name, self._by("simplex", table), note, where) for name, table, note, where in rows),
            Route("cheapest", cheapest, "two at n = 2; bounds where one feature decides, else joint moments, or "
                  "pairs and triples by series or integrals", rational=True),
            self._second("simplex"),
        ]  # fmt: skip

    def _unless_bounded(self, moment: Callable[..., arb]) -> Callable[..., arb]:
        """This central moment, or that from bounds of the products of features where it has as many bits."""
        bounded = with_spare_bits(self._by("simplex", MomentBounds), self.norm)

        def cheapest(**values: Any) -> arb:
            rough = bounded(**values) if values["n"] > 2 else arb.nan()
            # either is right: both enclose the moment
            return rough if rough.rel_accuracy_bits() >= ctx.prec else moment(**values)

        return cheapest

    def _cheapest_simplex(self, n: int, d: int, m: int, **at: Any) -> arb:
        c, length = block_cosine("simplex", d), at[self.norm]
        if n == 2:
            return self.variance[1](c, d=d, m=m, **at)
        if self.constant_at_zero and length.is_zero():  # a quadrature cannot show an exact zero
            return arb(0)
        # either is right: the series is the quicker one where it is short
        table = JointMoments if n * length < SHORT else PairsFirst
        return self.central("simplex", n, m, d, table, **at)[n]
