"""Certified search: roots, first sign changes, maxima over boxes, and statements that hold on a whole box.

Functions are given as :class:`Smooth` (values and, if needed, gradients and Hessians, as balls over balls), most
simply from a sympy expression. Boxes have exact rational ends, so covering a domain by boxes is a proof, not an
approximation of one. No search claims more than the balls prove: if it runs out of boxes, it answers ``undecided``
or raises :class:`~rftheory.errors.NotCertified`.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import Literal, NamedTuple

import sympy
from flint import arb, arb_mat, ctx

from rftheory.errors import InvalidInput, NotCertified
from rftheory.exact.derivative import derivative
from rftheory.exact.enclosure import (
    Ball,
    Enclosure,
    Exact,
    bounds,
    certify,
    checked_digits,
    exact_fraction,
    exact_number,
    meet,
    rational_ball,
)
from rftheory.exact.evaluate import evaluate
from rftheory.exact.truth import at_least_one, is_positive, together

SEARCH_BITS = 128
"""Working precision of the searches; refinement to the requested digits uses its own."""

NARROWEST = Fraction(1, 1 << 48)
"""Sides are not halved below this fraction of the whole side; parts undecided at that size stay undecided."""

Point = tuple[Fraction, ...]


@dataclass(frozen=True)
class Box:
    """A product of closed intervals with exact rational ends.

    Examples
    --------
    >>> box = Box.of((0, 1), ("0.5", "2/3"))
    >>> print(box)
    [0, 1] x [1/2, 2/3]
    >>> [str(half) for half in box.halves()]
    ['[0, 1/2] x [1/2, 2/3]', '[1/2, 1] x [1/2, 2/3]']
    """

    sides: tuple[tuple[Fraction, Fraction], ...]

    @classmethod
    def of(cls, *sides: tuple[Exact, Exact]) -> Box:
        """The box with the given sides (text and rationals are exact, a float means its binary value)."""
        exact = tuple(
            (rational(low, "lower end of a box"), rational(high, "upper end of a box")) for low, high in sides
        )
        for low, high in exact:
            if low > high:
                raise InvalidInput("box", needs="lower end <= upper end", got=f"[{low}, {high}]")
        if not exact:
            raise InvalidInput("box", needs="at least one side", got=())
        return cls(exact)

    @classmethod
    def point(cls, point: Point) -> Box:
        return cls(tuple((x, x) for x in point))

    @cached_property
    def widths(self) -> Point:
        return tuple(high - low for low, high in self.sides)

    @cached_property
    def width(self) -> Fraction:
        """Length of the longest side."""
        return max(self.widths)

    @property
    def midpoint(self) -> Point:
        return tuple((low + high) / 2 for low, high in self.sides)

    def balls(self) -> tuple[arb, ...]:
        """The sides as balls at the current precision; each contains its side."""
        return tuple(interval_ball(low, high) for low, high in self.sides)

    def corners(self) -> Iterator[Point]:
        return itertools.product(*(sorted({low, high}) for low, high in self.sides))

    def halves(self, scale: Sequence[Fraction] | None = None) -> tuple[Box, Box]:
        """The two halves along the side that is longest relative to ``scale``."""
        unit = scale or [Fraction(1)] * len(self.sides)
        axis = max(range(len(self.sides)), key=lambda i: self.widths[i] / unit[i] if unit[i] else Fraction(0))
        low, high = self.sides[axis]
        middle = (low + high) / 2
        return self.with_side(axis, (low, middle)), self.with_side(axis, (middle, high))

    def with_side(self, axis: int, side: tuple[Fraction, Fraction]) -> Box:
        return Box((*self.sides[:axis], side, *self.sides[axis + 1 :]))

    def __str__(self) -> str:
        return " x ".join(f"[{low}, {high}]" for low, high in self.sides)


def rational(value: Exact, subject: str = "value") -> Fraction:
    """An exact rational, for ends of boxes.

    Raises
    ------
    InvalidInput : not a finite number, or irrational.

    Examples
    --------
    >>> rational("0.1")
    Fraction(1, 10)
    """
    number = exact_number(value, subject)
    if not number.is_Rational:
        raise InvalidInput(subject, needs="a rational number", got=str(number))
    return Fraction(int(number.p), int(number.q))


def interval_ball(low: Fraction, high: Fraction) -> arb:
    """A ball that contains the closed interval [low, high].

    Examples
    --------
    >>> thirds = interval_ball(Fraction(1, 3), Fraction(2, 3))
    >>> thirds.contains(arb("0.5")), thirds.contains(arb("0.75"))
    (True, False)
    """
    return rational_ball(low) if low == high else rational_ball(low).union(rational_ball(high))


def _point_ball(point: Point) -> tuple[arb, ...]:
    return tuple(rational_ball(x) for x in point)


def _may_cross_a_cut(expression: sympy.Expr) -> bool:
    """Whether complex numbers occur: where one crosses a cut, values jump, and no derivative shows it."""
    real = expression.xreplace(
        {s: sympy.Dummy(real=True) for s in expression.free_symbols if s.is_real is None}
    )
    if real.has(sympy.I, sympy.re, sympy.im, sympy.arg, sympy.conjugate):
        return True
    return any(e.args[0].is_extended_real is not True for e in real.atoms(sympy.Abs, sympy.sign))


def _reading(expression: sympy.Expr, symbols: Sequence[sympy.Symbol]) -> Callable[..., arb]:
    return lambda *balls: _real(evaluate(expression, dict(zip(symbols, balls, strict=True))))


@dataclass(frozen=True)
class Smooth:
    """A real function of balls, with the derivatives that a search needs.

    Attributes
    ----------
    value : ``value(x_1, ..., x_n)`` encloses the function over the balls; a non-finite ball means "unknown
        here".
    gradient : encloses the n first derivatives.
    hessian : encloses the n x n second derivatives.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> f = Smooth.of(sympy.exp(x) * y, x, y)
    >>> with_mean_value = enclose_over(f, Box.of((0, "0.01"), (1, "1.01")))
    >>> bool(with_mean_value < arb("1.0204")) and bool(with_mean_value > arb("0.9998"))
    True
    """

    value: Callable[..., arb]
    gradient: Callable[..., Sequence[arb]] | None = None
    hessian: Callable[..., Sequence[Sequence[arb]]] | None = None

    @classmethod
    def of(cls, expression: sympy.Expr, *symbols: sympy.Symbol) -> Smooth:
        """The function of a sympy expression in ``symbols``, with symbolic derivatives.

        Raises
        ------
        InvalidInput : the expression has other free symbols.
        """
        if not isinstance(expression, sympy.Expr):  # sympify would execute text
            expression = exact_number(expression, "function")
        strange = expression.free_symbols - set(symbols)
        if strange or not symbols:
            raise InvalidInput("function", needs=f"an expression in {symbols}", got=str(expression))

        @cache
        def slopes() -> list[sympy.Expr]:
            return [derivative(expression, s) for s in symbols]

        def bends() -> list[list[sympy.Expr]]:
            return [[derivative(g, s) for s in symbols[: n + 1]] for n, g in enumerate(slopes())]

        if _may_cross_a_cut(expression):
            return cls(_reading(expression, symbols))
        return cls.known(symbols, expression, slopes, bends)

    @classmethod
    def known(
        cls,
        symbols: Sequence[sympy.Symbol],
        expression: sympy.Expr,
        slopes: Callable[[], Sequence[sympy.Expr]],
        bends: Callable[[], Sequence[Sequence[sympy.Expr]]],
    ) -> Smooth:
        """The function of a sympy expression, with derivatives that are asked for when a box first needs them.

        Parameters
        ----------
        slopes : gives the first derivatives.
        bends : gives the second derivatives, those of each row up to the diagonal.

        Examples
        --------
        >>> x = sympy.Symbol("x")
        >>> Smooth.known([x], x**2, lambda: [2 * x], lambda: [[sympy.Integer(2)]]).gradient(arb(3))[0] == 6
        True
        """

        read = partial(_reading, symbols=symbols)

        @cache
        def first() -> list[Callable[..., arb]]:
            return [read(g) for g in slopes()]

        @cache
        def second() -> list[list[Callable[..., arb]]]:
            return [[read(h) for h in row] for row in bends()]

        def hessian(*balls: arb) -> list[list[arb]]:
            half, whole = [[h(*balls) for h in row] for row in second()], range(len(symbols))
            return [[half[max(i, j)][min(i, j)] for j in whole] for i in whole]

        return cls(read(expression), lambda *balls: [g(*balls) for g in first()], hessian)

    def __neg__(self) -> Smooth:
        gradient, hessian = self.gradient, self.hessian
        return Smooth(
            lambda *x: -self.value(*x),
            None if gradient is None else lambda *x: [-g for g in gradient(*x)],
            None if hessian is None else lambda *x: [[-h for h in row] for row in hessian(*x)],
        )


def _real(ball: Ball) -> arb:
    """A real ball; a complex one means that the function left the reals somewhere, so nothing is known."""
    return ball if isinstance(ball, arb) else arb.nan()


def enclose_over(f: Smooth, box: Box) -> arb:
    """Enclosure of ``f`` over a box: the direct one, cut by the mean-value form about the midpoint.

    The mean-value form f(m) + f'(box)(box - m) beats the dependency problem once the box is small.

    Examples
    --------
    >>> t = sympy.Symbol("t")
    >>> values = enclose_over(Smooth.of(t - t**2, t), Box.of(("0.4", "0.6")))
    >>> bool(values < arb("0.3")), values.contains(arb("0.25"))
    (True, True)
    """
    return _enclose(f, box, None)


def _enclose(f: Smooth, box: Box, gradient: Sequence[arb] | None) -> arb:
    balls = box.balls()
    direct = f.value(*balls)
    if f.gradient is None or box.width == 0 or not direct.is_finite():  # derivatives do not see a jump
        return direct
    middle = box.midpoint
    slopes = f.gradient(*balls) if gradient is None else gradient
    centred = f.value(*_point_ball(middle))
    for ball, m, slope in zip(balls, middle, slopes, strict=True):
        centred += slope * (ball - rational_ball(m))
    return meet(direct, centred)


def _is_finite(f: Smooth, box: Box) -> bool:
    """Whether the values over a box are bounded; its derivatives do not show a pole or a jump of a function."""
    return bool(f.value(*box.balls()).is_finite())


# ---- statements on boxes ---------------------------------------------------------------------------

Predicate = Callable[[Box], "bool | None"]
"""True: holds at every point of the box. False: fails at every point. None: not decided on this box."""


@dataclass(frozen=True)
class ProofLog:
    """The result of :func:`holds_on_box`.

    Attributes
    ----------
    verdict : ``holds`` (the proved boxes cover the domain), ``fails`` (at the witness) or ``undecided``.
    examined, proved : number of boxes looked at, and of boxes on which the statement was proved.
    witness : an exact point at which the statement is false.
    undecided : the narrowest box that stayed open.
    seconds : time taken.

    Examples
    --------
    >>> t = sympy.Symbol("t")
    >>> log = holds_on_box(positive(Smooth.of(t - 1, t)), Box.of((0, 2)))
    >>> log.holds, log.witness
    (False, (Fraction(1, 1),))
    """

    domain: Box
    verdict: Literal["holds", "fails", "undecided"]
    examined: int
    proved: int
    witness: Point | None
    undecided: Box | None
    seconds: float

    @property
    def holds(self) -> bool:
        return self.verdict == "holds"

    def text(self) -> str:
        """One line for a report."""
        tail = f"{self.proved} of {self.examined} boxes proved"
        if self.witness is not None:
            tail += ", false at (" + ", ".join(str(x) for x in self.witness) + ")"
        elif self.undecided is not None:
            tail += f", open: {self.undecided}"
        return f"{self.verdict} on {self.domain}: {tail}"


def holds_on_box(
    predicate: Predicate, box: Box, *, max_boxes: int = 20_000, bits: int = SEARCH_BITS
) -> ProofLog:
    """Decide a statement on a whole box by halving it until every part is proved, or a witness is found.

    Parameters
    ----------
    predicate : decides the statement on one box, such as :func:`positive` gives.
    box : the domain.
    max_boxes : boxes to look at before the answer is ``undecided``.
    bits : working precision.

    Examples
    --------
    >>> t = sympy.Symbol("t")
    >>> holds_on_box(positive(Smooth.of(sympy.exp(t) - 1 - t, t), strict=False), Box.of((0, 1))).verdict
    'holds'
    >>> log = holds_on_box(positive(Smooth.of(sympy.cos(t) - t, t)), Box.of((0, 1)))
    >>> log.verdict, log.witness
    ('fails', (Fraction(1, 1),))
    >>> touching = positive(Smooth.of((t**2 - 2) ** 2, t), strict=False)
    >>> holds_on_box(touching, Box.of((1, 2)), max_boxes=500).verdict
    'undecided'
    """
    if max_boxes < 1:
        raise InvalidInput("max_boxes", needs="a positive number", got=max_boxes)
    start = time.perf_counter()
    queue, examined, proved = deque([box]), 0, 0
    stuck: list[Box] = []
    tried: set[Point] = set()
    witness: Point | None = None
    with ctx.workprec(bits):
        while queue and witness is None and examined < max_boxes:
            part = queue.popleft()
            examined += 1
            truth = predicate(part)
            if truth:
                proved += 1
                continue
            witness = part.midpoint if truth is False else _failing_point(predicate, part, tried)
            if witness is None:
                if _too_narrow(part, box):
                    stuck.append(part)
                else:
                    queue.extend(part.halves(box.widths))
    open_boxes = [*stuck, *queue]
    verdict: Literal["holds", "fails", "undecided"] = "undecided" if open_boxes else "holds"
    if witness is not None:
        verdict, open_boxes = "fails", []
    narrowest = min(open_boxes, key=lambda b: b.width, default=None)
    return ProofLog(box, verdict, examined, proved, witness, narrowest, time.perf_counter() - start)


def _failing_point(predicate: Predicate, box: Box, tried: set[Point]) -> Point | None:
    """A point where the predicate fails: the middle or a corner, which neighbouring boxes share."""
    for point in (box.midpoint, *(box.corners() if len(box.sides) <= 3 else ())):
        if point not in tried:
            if predicate(Box.point(point)) is False:
                return point
            tried.add(point)
    return None


def _too_narrow(part: Box, whole: Box) -> bool:
    return all(side <= NARROWEST * full for side, full in zip(part.widths, whole.widths, strict=True))


def positive(f: Smooth, *, strict: bool = True) -> Predicate:
    """The statement f > 0 (or f >= 0), for :func:`holds_on_box`.

    If the sign of a derivative is proved, the box is first replaced by the face on which ``f`` is smallest, so
    that inequalities that are tight on the boundary of the domain can still be proved.

    Examples
    --------
    >>> t = sympy.Symbol("t")
    >>> holds_on_box(positive(Smooth.of(t, t), strict=False), Box.of((0, 1))).verdict
    'holds'
    >>> holds_on_box(positive(Smooth.of(t, t)), Box.of((-1, 1))).verdict
    'fails'
    """

    def decide(box: Box) -> bool | None:
        face, slopes, whole = box, None, f.value(*box.balls())
        if whole > 0 or (not strict and whole >= 0):
            return True
        if f.gradient is not None and box.width > 0 and whole.is_finite():
            slopes, signs = _directions(f, box)
            face = _lowest_face(box, signs)
        low = _enclose(f, face, slopes if face == box else None)
        if (low > 0) or (not strict and low >= 0):
            return True
        high = low if face == box else whole
        fails = high <= 0 if strict else high < 0
        return False if fails else None

    return decide


def both(*predicates: Predicate) -> Predicate:
    """The statement that all of the given ones hold.

    Examples
    --------
    >>> t = sympy.Symbol("t")
    >>> above, below = positive(Smooth.of(t, t)), positive(Smooth.of(2 - t, t))
    >>> [holds_on_box(both(above, below), Box.of((1, end))).verdict for end in ("3/2", 3)]
    ['holds', 'fails']
    """

    def decide(box: Box) -> bool | None:
        return together(p(box) for p in predicates)

    return decide


def either(*predicates: Predicate) -> Predicate:
    """The statement that at each point at least one of the given ones holds.

    Examples
    --------
    >>> t = sympy.Symbol("t")
    >>> far = either(positive(Smooth.of(t - 1, t)), positive(Smooth.of(-1 - t, t)))
    >>> holds_on_box(far, Box.of((2, 3))).verdict, holds_on_box(far, Box.of((-3, 3))).verdict
    ('holds', 'fails')
    """

    def decide(box: Box) -> bool | None:
        return at_least_one(p(box) for p in predicates)

    return decide


def _signs(slopes: Sequence[arb]) -> list[int]:
    """For each derivative 1 if it is proved >= 0, -1 if it is proved <= 0, else 0."""
    return [1 if s >= 0 else (-1 if s <= 0 else 0) for s in slopes]


def _directions(f: Smooth, box: Box) -> tuple[list[arb], list[int]]:
    """The first derivatives over a box and their proved signs.

    A derivative whose own derivatives have known signs is extreme on a face; this proves signs that a ball
    cannot show, such as >= 0 with equality on the boundary.
    """
    assert f.gradient is not None
    balls = box.balls()
    slopes = list(f.gradient(*balls))
    signs = _signs(slopes)
    if f.hessian is None or 0 not in signs:
        return slopes, signs
    hessian = f.hessian(*balls)
    for i, sign in enumerate(signs):
        bends = _signs(hessian[i])
        if sign == 0 and any(bends):
            low = f.gradient(*_lowest_face(box, bends).balls())[i]
            high = f.gradient(*_lowest_face(box, [-b for b in bends]).balls())[i]
            signs[i] = 1 if low >= 0 else (-1 if high <= 0 else 0)
    return slopes, signs


def _lowest_face(box: Box, signs: Sequence[int]) -> Box:
    """The face on which a function with derivatives of the given signs is smallest."""
    for axis, sign in enumerate(signs):
        low, high = box.sides[axis]
        if sign:
            box = box.with_side(axis, (low, low) if sign > 0 else (high, high))
    return box


# ---- roots in one variable ---------------------------------------------------------------------------

Interval = tuple[Fraction, Fraction]


def isolate_roots(f: Smooth, low: Exact, high: Exact, *, max_boxes: int = 20_000) -> Iterator[Interval]:
    """Intervals, left to right, that contain exactly one root of ``f`` each, together all in [low, high].

    Every part of [low, high] is proved to be free of roots or monotone; a run of monotone parts with a sign
    change contains exactly one root.

    Raises
    ------
    NotCertified : a part could not be decided (a double root, or a root at an end), after the roots to its
        left.

    Examples
    --------
    >>> t = sympy.Symbol("t")
    >>> roots = list(isolate_roots(Smooth.of(sympy.sin(t), t), 1, 8))
    >>> [bool(low < k * 3.14159265 < high) for k, (low, high) in enumerate(roots, start=1)]
    [True, True]
    """
    if f.gradient is None:
        raise InvalidInput("isolate_roots", needs="a function with its derivative", got="value only")
    box = Box.of((low, high))
    if box.width == 0:
        raise InvalidInput("isolate_roots", needs="low < high", got=str(box))
    stack, run, examined = [box], None, 0
    while stack:
        part = stack.pop()
        examined += 1
        with ctx.workprec(SEARCH_BITS):
            kind = _root_kind(f, part)
        if kind is None and (examined > max_boxes or _too_narrow(part, box)):
            raise NotCertified(
                "root",
                wanted="one root or none",
                reached=f"on {part} neither f nor f' is known to be nonzero",
                hint="double roots and roots at an end cannot be isolated; divide them out",
            )
        if kind is None:
            stack.extend(reversed(part.halves()))
            continue
        ends = part.sides[0]
        if kind == "monotone":
            run = (run[0] if run else ends[0], ends[1])
        if run and (kind == "clear" or not stack):
            with ctx.workprec(SEARCH_BITS):  # left before the caller goes on, who has a precision of his own
                found = _signs_differ(f, run)
            finished, run = run, None
            if found:
                yield finished


def _root_kind(f: Smooth, box: Box) -> str | None:
    assert f.gradient is not None
    slope = f.gradient(*box.balls())[0]
    if not slope.contains(0) and slope.is_finite() and _is_finite(f, box):
        return "monotone"
    return "clear" if _nonzero(_enclose(f, box, [slope])) else None


def _nonzero(ball: arb) -> bool:
    """Whether the ball is proved to exclude 0."""
    return bool(ball > 0) or bool(ball < 0)


def _signs_differ(f: Smooth, ends: Interval) -> bool:
    values = [f.value(rational_ball(x)) for x in ends]
    for x, value in zip(ends, values, strict=True):
        if not _nonzero(value):
            raise NotCertified(
                "root",
                wanted="the sign at the end of an interval",
                reached=f"at {x} the value is {value.str(5)}",
                hint="move the end, or divide out the root there",
            )
    first, last = (is_positive(value, "f(end)") for value in values)
    return first != last


def refine_root(f: Smooth, interval: Interval) -> arb:
    """The root of ``f`` in an isolating interval, as a ball at the current precision (interval Newton).

    Examples
    --------
    >>> t = sympy.Symbol("t")
    >>> refine_root(Smooth.of(t**2 - 2, t), (Fraction(1), Fraction(2))).overlaps(arb(2).sqrt())
    True
    """
    assert f.gradient is not None
    low, high = interval
    end = rational_ball(high)
    for _ in range(20 * ctx.prec):
        ball, width = interval_ball(low, high), high - low
        middle = exact_fraction(ball.mid())
        if not low < middle < high:
            return ball
        value, slope = f.value(rational_ball(middle)), f.gradient(ball)[0]
        if _nonzero(slope) and value.is_finite():
            first, last = bounds(rational_ball(middle) - value / slope)
            low, high = max(low, first), min(high, last)
            if low > high:
                raise NotCertified("root", wanted="a root in the interval", reached=f"none in {interval}")
        elif _nonzero(value):
            same = is_positive(value, "f(middle)") == is_positive(f.value(end), "f(end)")
            low, high = (low, middle) if same else (middle, high)
        else:
            return ball
        if (high - low) * 10 > width * 9:
            break
    return interval_ball(low, high)


# ---- maxima over boxes -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Maximum:
    """A certified maximum.

    Attributes
    ----------
    value : the maximum over the whole box, to the requested digits.
    boxes : boxes that together contain every point at which it is attained.
    point : the only such point, as balls, if uniqueness was proved; else None.
    examined : number of boxes looked at.

    Examples
    --------
    >>> t = sympy.Symbol("t")
    >>> top = certified_maximum(Smooth.of(t * sympy.exp(-t), t), Box.of((0, 3)))
    >>> top.value.ball.overlaps((-arb(1)).exp()), top.point[0].contains(1)
    (True, True)
    """

    value: Enclosure
    boxes: tuple[Box, ...]
    point: tuple[arb, ...] | None
    examined: int


def certified_maximum(
    f: Smooth, box: Box, *, digits: int = 10, max_boxes: int = 20_000, subject: str = "maximum"
) -> Maximum:
    """The maximum of ``f`` over a box, by branch and bound and, given a Hessian, Newton's method.

    Raises
    ------
    NotCertified : the digits were not reached with ``max_boxes`` boxes.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> hill = Smooth.of(sympy.exp(-(x**2)) * x * sympy.cos(y), x, y)
    >>> top = certified_maximum(hill, Box.of((0, 3), (-1, 2)), digits=20)
    >>> print(top.value, top.point[0].str(10, radius=False))
    0.42888194248035339824 0.7071067812
    """
    digits = checked_digits(digits)
    if max_boxes < 1:
        raise InvalidInput("max_boxes", needs="a positive number", got=max_boxes)
    search = _Maximiser(f, box, digits, subject)
    with ctx.workprec(max(SEARCH_BITS, 4 * digits + 64)):
        return search.run(max_boxes)


def certified_minimum(
    f: Smooth, box: Box, *, digits: int = 10, max_boxes: int = 20_000, subject: str = "minimum"
) -> Maximum:
    """The minimum of ``f`` over a box; as :func:`certified_maximum` of -f.

    Examples
    --------
    >>> t = sympy.Symbol("t")
    >>> print(certified_minimum(Smooth.of(t + 1 / t, t), Box.of(("1/2", 3))).value)
    2.000000000
    """
    top = certified_maximum(-f, box, digits=digits, max_boxes=max_boxes, subject=subject)
    return Maximum(Enclosure(-top.value.ball, digits, subject), top.boxes, top.point, top.examined)


class _Face(NamedTuple):
    """A face of a part on which ``f`` is largest, and the sides of the part along which ``f`` may be constant."""

    box: Box
    flat: tuple[tuple[int, Interval], ...] = ()

    def highest(self, signs: Sequence[int], slopes: Sequence[arb]) -> _Face:
        """The face of the highest values, given the derivatives over the box and their signs."""
        sides = self.box.sides
        flat = [
            (i, sides[i])
            for i, sign in enumerate(signs)
            if sign and self.box.widths[i] and slopes[i].contains(0)
        ]
        return _Face(_lowest_face(self.box, [-sign for sign in signs]), (*self.flat, *flat))

    def halves(self, scale: Sequence[Fraction]) -> tuple[_Face, ...]:
        return tuple(_Face(half, self.flat) for half in self.box.halves(scale))

    def whole(self) -> Box:
        """With every point where ``f`` may be as large."""
        box = self.box
        for axis, side in self.flat:
            box = box.with_side(axis, side)
        return box


class _Maximiser:
    """Best-first branch and bound: the box with the largest upper bound is halved first."""

    def __init__(self, f: Smooth, box: Box, digits: int, subject: str) -> None:
        self.f, self.box, self.digits, self.subject = f, box, digits, subject
        self.heap: list[tuple[Fraction, int, _Face]] = []
        self.best: Fraction | None = None
        self.examined = 0

    def run(self, max_boxes: int) -> Maximum:
        self.push(_Face(self.box))
        next_polish = 32
        while self.examined < max_boxes:
            upper = -self.heap[0][0]
            assert self.best is not None
            value = interval_ball(self.best, max(upper, self.best))
            if value.is_exact() or value.rel_accuracy_bits() > 3.4 * self.digits + 4:
                places = tuple(face.whole() for face in self.survivors())
                return Maximum(Enclosure(value, self.digits, self.subject), places, None, self.examined)
            if self.examined >= next_polish and self.f.hessian is not None:
                next_polish *= 2
                polished = self.polish()
                if polished is not None:
                    return polished
            for half in heapq.heappop(self.heap)[2].halves(self.box.widths):
                self.push(half)
        raise NotCertified(
            self.subject,
            wanted=f"{self.digits} digits",
            reached=f"after {self.examined} boxes it lies in {value.str(10)}",
            hint="ask for fewer digits, or give the Hessian",
        )

    def push(self, piece: _Face) -> None:
        self.examined += 1
        part, slopes = piece.box, None
        if self.f.gradient is not None and part.width > 0 and _is_finite(self.f, part):
            slopes, signs = _directions(self.f, part)
            piece = piece.highest(signs, slopes)
            slopes = slopes if piece.box == part else None
            part = piece.box
        over = _enclose(self.f, part, slopes)
        if not over.is_finite():
            if _too_narrow(part, self.box):
                raise NotCertified(
                    self.subject, wanted="finite values", reached=f"the function is not bounded on {part}"
                )
            for half in piece.halves(self.box.widths):
                self.push(half)
            return
        at = bounds(self.f.value(*_point_ball(part.midpoint)))[0]
        self.best = at if self.best is None else max(self.best, at)
        upper = bounds(over)[1]
        if upper >= self.best:
            heapq.heappush(self.heap, (-upper, self.examined, piece))

    def survivors(self) -> tuple[_Face, ...]:
        assert self.best is not None
        return tuple(piece for negative_upper, _, piece in self.heap if -negative_upper >= self.best)

    def polish(self) -> Maximum | None:
        """The maximum by Newton's method: with the only point where it is attained or, if that fails, on faces."""
        pieces = self.survivors()
        places = tuple(piece.whole() for piece in pieces)
        found = self.polished(places)
        if found is None and any(piece.flat for piece in pieces):
            found = self.polished(tuple(piece.box for piece in pieces))
            found = found and replace(found, boxes=places, point=None)
        return found

    def polished(self, boxes: tuple[Box, ...]) -> Maximum | None:
        """Newton's method on the hull of some boxes: a contraction proves a unique critical point there."""
        hull = Box(
            tuple(
                (min(b.sides[i][0] for b in boxes), max(b.sides[i][1] for b in boxes))
                for i in range(len(self.box.sides))
            )
        )
        free = [i for i, w in enumerate(hull.widths) if w > 0]
        inside = all(
            self.box.sides[i][0] < hull.sides[i][0] and hull.sides[i][1] < self.box.sides[i][1] for i in free
        )
        fixed = all(hull.sides[i][0] in self.box.sides[i] for i in range(len(hull.sides)) if i not in free)
        if not (free and inside and fixed):
            return None
        point = self.newton(list(hull.balls()), free)
        if point is None:
            return None

        def value() -> arb:
            closer = self.newton(list(hull.balls()), free)
            return self.f.value(*(closer if closer is not None else hull.balls()))

        return Maximum(certify(value, self.digits, self.subject), boxes, tuple(point), self.examined)

    def newton(self, balls: list[arb], free: list[int]) -> list[arb] | None:
        """The critical point in the free variables; None if Newton's step leaves the balls."""
        assert self.f.gradient is not None
        assert self.f.hessian is not None
        proved = False
        for _ in range(64):
            middle = [b.mid() for b in balls]
            at = [m if i in free else b for i, (m, b) in enumerate(zip(middle, balls, strict=True))]
            gradient, hessian = self.f.gradient(*at), self.f.hessian(*balls)
            matrix = arb_mat([[hessian[i][j] for j in free] for i in free])
            try:
                step = matrix.solve(arb_mat([[gradient[i]] for i in free]))
            except ZeroDivisionError:
                return balls if proved else None
            after = [middle[i] - step[k, 0] for k, i in enumerate(free)]
            if not proved and not all(
                balls[i].contains_interior(new) for i, new in zip(free, after, strict=True)
            ):
                return None
            proved = True
            radii = [balls[i].rad() for i in free]
            for i, new in zip(free, after, strict=True):
                balls[i] = meet(new, balls[i])
            if all(balls[i].rad() * 2 > r for i, r in zip(free, radii, strict=True)):
                return balls
        return balls
