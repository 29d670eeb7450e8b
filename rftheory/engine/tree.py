"""Merging in a fixed binary tree, so that the bits of a result do not depend on who computed which part."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from rftheory.errors import InvalidInput


class Mergeable(Protocol):
    """What a leaf of a run is reduced to: a value that can be added, and stored as text without losing a bit.

    Examples
    --------
    >>> from rftheory.engine.moments import Moments
    >>> halves: list[Mergeable] = [Moments.of([0.0, 1.0]), Moments.of([2.0])]
    >>> (halves[0] + halves[1]).to_dict() == Moments.of([0.0, 1.0, 2.0]).to_dict()
    True
    """

    def __add__(self: M, other: M) -> M: ...

    def to_dict(self) -> dict[str, object]:
        """A dictionary for JSON, numbers without loss."""


M = TypeVar("M", bound=Mergeable)
A = TypeVar("A", bound="_Addable")


class _Addable(Protocol):
    """Anything with a ``+`` of its own kind."""

    def __add__(self: A, other: A) -> A: ...


class FixedTree(Generic[A]):
    """The sum of values that arrive in the order of their index, in a binary tree fixed by the index.

    The node of level l and index k covers the leaves k 2^l .. (k+1) 2^l - 1. Floating-point addition of
    moments is not associative; with a fixed tree the result depends on the leaves alone, and the rounding
    error grows with the logarithm of their number. Memory: one value per level.

    Examples
    --------
    >>> tree = FixedTree()
    >>> for word in "abcde":
    ...     tree.add(f"({word})")
    >>> tree.total()
    '(a)(b)(c)(d)(e)'
    >>> len(tree)
    5
    """

    def __init__(self) -> None:
        self._nodes: list[tuple[int, A]] = []
        self._leaves = 0

    def __len__(self) -> int:
        return self._leaves

    def add(self, leaf: A) -> None:
        """Append the next leaf and merge every pair of neighbouring nodes of equal level."""
        self._leaves += 1
        level, value = 0, leaf
        while self._nodes and self._nodes[-1][0] == level:
            value = self._nodes.pop()[1] + value
            level += 1
        self._nodes.append((level, value))

    def total(self) -> A:
        """The sum of all leaves so far; raises `InvalidInput` if there are none."""
        if not self._nodes:
            raise InvalidInput("FixedTree.total", needs="at least one leaf", got=0)
        value = self._nodes[-1][1]
        for _, left in reversed(self._nodes[:-1]):
            value = left + value
        return value
