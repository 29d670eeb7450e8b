"""Relations that bound one tail P(|K^ - K| >= eps), or that of errors of one sign, from above or from below."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import sympy

from rftheory.exact.derivative import factor_in
from rftheory.exact.truth import ORDERINGS
from rftheory.statement.atoms import OfLaw
from rftheory.statement.domain import Values
from rftheory.statement.pointwise import ball
from rftheory.statement.words import atoms_of, is_pointwise

Side = Literal["greater", "less"]


@dataclass(frozen=True)
class Bounded:
    """A relation that bounds one tail: from above by a number at each point, or from below.

    Attributes
    ----------
    part : the relation.
    tail : the tail.

    Examples
    --------
    >>> from rftheory.statement.words import exp, iid, m, tail, trigonometric
    >>> Bounded.of((tail(trigonometric(iid, m=m), 1) <= 2 * exp(-m)).parts[0]).tail
    P(|K^ - K| >= 1, trigonometric x iid, m)
    """

    part: sympy.Basic
    tail: OfLaw

    @classmethod
    def of(cls, part: sympy.Basic) -> Bounded | None:
        """None for other relations, and where a sum or a limit runs over tails, each at another point."""
        tails = [atom for atom in atoms_of((part,)) if atom.is_tail]
        ordering = isinstance(part, ORDERINGS)
        return cls(part, tails[0]) if ordering and len(tails) == 1 and is_pointwise(part) else None

    @cached_property
    def linear(self) -> tuple[sympy.Expr, sympy.Expr] | None:
        """The factor of the tail in the larger side less the smaller one, and the rest; None if it is not linear."""
        place = sympy.Dummy("P", real=True)
        difference = (self.part.gts - self.part.lts).xreplace({self.tail: place})
        factor = factor_in(difference, place)
        return None if factor is None else (factor, difference.xreplace({place: sympy.S.Zero}))

    def claimed(self, values: Values) -> tuple[Side, float] | None:
        """The bound at a point, rounded to the side of the claim, and what would refute it; None if there is none."""
        if self.linear is None:
            return None
        factor, rest = self.linear
        own = ball(factor, values)
        bound = ball(rest, values) / -own
        if own < 0:
            return "greater", math.nextafter(float(bound.upper()), math.inf)
        return ("less", math.nextafter(float(bound.lower()), -math.inf)) if own > 0 else None
