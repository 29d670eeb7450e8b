"""The relation between two rows of a block."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

Cosine: TypeAlias = Any
"""An exact number; an expression such as ``1/sqrt(5)`` where it is irrational."""
NormRelation = Literal["independent", "shared", "antimonotone", "fixed"]


class Relation(NamedTuple):
    """The relation between two rows.

    Attributes
    ----------
    cosine : cosine of the angle between them, None for independent directions.
    norms : independent, shared, antimonotone or fixed.

    Examples
    --------
    >>> INDEPENDENT, ORTHOGONAL.cosine, OPPOSITE.cosine
    (Relation(cosine=None, norms='independent'), 0, -1)
    """

    cosine: Cosine | None
    norms: NormRelation = "independent"

    @property
    def name(self) -> str:
        """The relation in words.

        Examples
        --------
        >>> from fractions import Fraction
        >>> Relation(-1, "shared").name, Relation(Fraction(-1, 3)).name
        ('opposite, shared norms', 'at cosine -1/3')
        """
        words = {None: "independent", 0: "orthogonal", -1: "opposite", 1: "equal"}
        found = words.get(self.cosine, f"at cosine {self.cosine}")  # type: ignore[arg-type]
        return found if self.norms == "independent" else f"{found}, {self.norms} norms"


INDEPENDENT, ORTHOGONAL, OPPOSITE, EQUAL = Relation(None), Relation(0), Relation(-1), Relation(1)
