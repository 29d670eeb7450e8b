"""Sums and integrals as binders around a body."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Integral, S, Sum

from rftheory.errors import InvalidInput
from rftheory.exact.proof.steps import Scope
from rftheory.exact.ranges import Range


@dataclass(frozen=True)
class Binder:
    """One sum or integral: its head, its bound symbol and its limits."""

    head: type
    symbol: sympy.Symbol
    low: sympy.Expr
    high: sympy.Expr

    @property
    def range(self) -> Range:
        """The range of the bound symbol: an integral ignores its ends, a sum does not reach infinity."""
        integral = self.head is Integral
        return Range(self.low, self.high, integral, integral or self.high is S.Infinity)


def unfold(expression: sympy.Expr) -> tuple[tuple[Binder, ...], sympy.Expr]:
    """Outermost-first binders and the body, with all factors moved into the body (linearity).

    Examples
    --------
    >>> k, x = sympy.symbols("k x")
    >>> binders, body = unfold(2 * Sum(Integral(x**k, (x, 0, 1)), (k, 0, 3)))
    >>> [str(b.symbol) for b in binders], body
    (['k', 'x'], 2*x**k)
    """
    binders: list[Binder] = []
    while True:
        parts = sympy.Mul.make_args(expression)
        head = next((p for p in parts if isinstance(p, Sum | Integral)), None)
        if head is None:
            return tuple(binders), expression
        factor = sympy.Mul(*(p for p in parts if p is not head))
        own = [Binder(type(head), symbol, low, high) for symbol, low, high in reversed(head.limits)]
        if factor.free_symbols & {b.symbol for b in own} or {b.symbol for b in own} & {
            b.symbol for b in binders
        }:
            raise InvalidInput(
                "sum or integral", needs="a bound symbol that does not occur outside", got=str(head.limits)
            )
        binders += own
        expression = factor * head.function


def gathered(expression: sympy.Expr) -> tuple[tuple[Binder, ...], tuple[sympy.Expr, ...]]:
    """Like :func:`unfold`, but with the bodies of several terms that have the same binders."""
    binders, body = unfold(expression)
    parts = [unfold(part) for part in sympy.Add.make_args(expression)]
    first = parts[0][0]
    if len(parts) == 1 or not first or any(len(b) != len(first) for b, _ in parts):
        return binders, (body,)
    alike = [renamed(b, body, first) for b, body in parts]
    if any(b != first for b, _ in alike):
        return binders, (body,)
    return first, tuple(body for _, body in alike)


def fold(binders: tuple[Binder, ...], body: sympy.Expr) -> sympy.Expr:
    """The inverse of :func:`unfold`."""
    for binder in reversed(binders):
        body = binder.head(body, (binder.symbol, binder.low, binder.high))
    return body


def inside(scope: Scope, binders: tuple[Binder, ...]) -> Scope:
    """The scope of the body."""
    return scope.bind({b.symbol: b.range for b in binders})


def bound_in(expression: sympy.Expr) -> set[sympy.Symbol]:
    """The symbols that sums and integrals bind."""
    return {s for node in expression.atoms(Sum, Integral) for s, *_ in node.limits}


def renamed(
    binders: tuple[Binder, ...], body: sympy.Expr, names: tuple[Binder, ...]
) -> tuple[tuple[Binder, ...], sympy.Expr]:
    """The same expression with bound symbols renamed to ``names``, position by position."""
    change = {b.symbol: n.symbol for b, n in zip(binders, names, strict=True)}
    taken = fold(binders, body).free_symbols & set(change.values())
    if taken:
        raise InvalidInput(
            "sum or integral", needs="a bound symbol that is not free elsewhere", got=f"{min(taken, key=str)}"
        )
    changed = tuple(
        Binder(b.head, change[b.symbol], b.low.xreplace(change), b.high.xreplace(change)) for b in binders
    )
    return changed, body.xreplace(change)
