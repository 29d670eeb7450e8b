"""Ranges of symbolic expressions: the interval of an expression when its symbols range over theirs.

The ends are exact sympy numbers or infinities, open or closed, so that a strict sign stays strict. The rules
are those of interval arithmetic: a range that is found contains all values; it need not be the smallest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import sympy
from sympy import S
from sympy.core.function import AppliedUndef

from rftheory.exact.order import by_size, in_order, surely
from rftheory.exact.truth import decided

End = tuple[sympy.Expr, bool]
"""An end, and whether it is open."""


@dataclass(frozen=True)
class Range:
    """An interval of the extended reals with exact ends.

    Examples
    --------
    >>> Range(S.Zero, S.One) * Range(S(-2), S(3))
    Range(low=-2, high=3, low_open=False, high_open=False)
    >>> Range(S.Zero, sympy.oo, low_open=True).positive
    True
    """

    low: sympy.Expr = S.NegativeInfinity
    high: sympy.Expr = S.Infinity
    low_open: bool = False
    high_open: bool = False

    @property
    def nonnegative(self) -> bool:
        return in_order(S.Zero, self.low, strict=False) is True

    @property
    def positive(self) -> bool:
        return in_order(S.Zero, self.low, strict=not self.low_open) is True

    def within(self, other: Range) -> bool:
        """Whether this range lies in the other one."""
        low = in_order(other.low, self.low, strict=other.low_open and not self.low_open)
        return (
            low is True
            and in_order(self.high, other.high, strict=other.high_open and not self.high_open) is True
        )

    def __neg__(self) -> Range:
        return Range(-self.high, -self.low, self.high_open, self.low_open)

    def __add__(self, other: Range) -> Range:
        low = S.NegativeInfinity if S.NegativeInfinity in (self.low, other.low) else self.low + other.low
        high = S.Infinity if S.Infinity in (self.high, other.high) else self.high + other.high
        return Range(low, high, self.low_open or other.low_open, self.high_open or other.high_open)

    def __mul__(self, other: Range) -> Range:
        ends = [
            (_times(a, b), _product_open(a, a_open, b, b_open))
            for a, a_open in self._ends()
            for b, b_open in other._ends()
        ]
        (low, low_open), (high, high_open) = _furthest(min, ends), _furthest(max, ends)
        return Range(low, high, low_open, high_open)

    def _ends(self) -> tuple[End, End]:
        return (self.low, self.low_open), (self.high, self.high_open)

    def reciprocal(self) -> Range:
        """The range of 1/x where it is defined; the whole line if x takes both signs, or is only 0."""
        if self.low == self.high == 0:
            return WHOLE_LINE
        if self.nonnegative:
            high = 1 / self.low if in_order(S.Zero, self.low, strict=True) else S.Infinity
            low = S.Zero if self.high is S.Infinity else 1 / self.high
            return Range(low, high, self.high_open or self.high is S.Infinity, self.low_open)
        if (-self).nonnegative:
            return -(-self).reciprocal()
        return Range()

    def power(self, exponent: Range, integer: bool, even: bool) -> Range:
        """The range of x^e for an exponent in a range; the whole line if nothing is known."""
        if exponent.low == exponent.high and exponent.low.is_Integer and exponent.low != 0:
            found = self._integer_power(abs(int(exponent.low)))
            return found if exponent.low > 0 else found.reciprocal()
        if self.positive:
            return self._monotone_power(exponent)
        if self.nonnegative:  # where the power is defined at all
            small = in_order(self.high, S.One, strict=False) and exponent.nonnegative
            return Range(S.Zero, S.One if small else S.Infinity)
        return Range(S.Zero, S.Infinity) if integer and even else Range()

    def _integer_power(self, n: int) -> Range:
        if n % 2 == 1 or self.nonnegative:
            return Range(self.low**n, self.high**n, self.low_open, self.high_open)
        if (-self).nonnegative:
            return (-self)._integer_power(n)
        high, high_open = _furthest(max, ((-self.low, self.low_open), (self.high, self.high_open)))
        return Range(S.Zero, high**n, high_open=high_open)

    def _monotone_power(self, exponent: Range) -> Range:
        if in_order(S.One, self.low, strict=False) and exponent.nonnegative:
            return Range(S.One, S.Infinity)
        if in_order(self.high, S.One, strict=False) and exponent.nonnegative:
            return Range(S.Zero, S.One, True, False)
        return Range(S.Zero, S.Infinity, True, True)


def _furthest(pick: Callable[..., sympy.Expr], ends: Sequence[End]) -> End:
    """The least or the largest of some ends, open if all that are equal to it, however written, are."""
    found = pick((end for end, _ in ends), key=by_size)
    return found, all(is_open for end, is_open in ends if by_size(end) == by_size(found))


def _times(a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
    if a.is_zero or b.is_zero:
        return S.Zero
    if not (a.is_infinite or b.is_infinite):
        return a * b
    up = [decided(in_order(S.Zero, end, strict=True), f"{end} > 0") for end in (a, b)]
    return S.Infinity if up[0] == up[1] else S.NegativeInfinity


def _product_open(a: sympy.Expr, a_open: bool, b: sympy.Expr, b_open: bool) -> bool:
    closed_zero = (a.is_zero and not a_open) or (b.is_zero and not b_open)
    return False if closed_zero else (a_open or b_open)


WHOLE_LINE = Range()
Ranges = Mapping[sympy.Symbol, Range]


def range_of(expression: sympy.Expr, ranges: Ranges) -> Range:
    """A range that contains all values of an expression of real parts, as `is_real` finds them.

    Parameters
    ----------
    expression : sympy expression; sin and cos are bounded sharply on quarter turns, sums, products and
        powers by interval arithmetic, anything else by the assumptions of sympy.
    ranges : ranges of symbols; other symbols have the range of their assumptions.

    Examples
    --------
    >>> c, phi = sympy.symbols("c phi", real=True)
    >>> range_of(1 + c * sympy.sin(phi), {c: Range(S(-1), S(1)), phi: Range(S.Zero, sympy.pi)})
    Range(low=0, high=2, low_open=False, high_open=False)
    """
    if expression.is_number and expression.is_real:
        return Range(expression, expression)
    if expression.is_Symbol:
        known = ranges.get(expression)
        return known if known is not None else _by_assumptions(expression)
    if expression.is_Add:
        return _fold(Range.__add__, (range_of(a, ranges) for a in expression.args))
    if expression.is_Mul:
        return _fold(Range.__mul__, (range_of(a, ranges) for a in expression.args))
    if isinstance(expression, sympy.exp) or (expression.is_Pow and expression.base is S.Exp1):
        return _of_exp(range_of(expression.args[-1], ranges))
    if expression.is_Pow:
        exponent = expression.exp
        found = range_of(expression.base, ranges).power(
            range_of(exponent, ranges), bool(exponent.is_integer), bool(exponent.is_even)
        )
        return found if found != WHOLE_LINE else _by_assumptions(expression)
    if isinstance(expression, sympy.sin | sympy.cos):
        return _of_wave(expression, ranges)
    if isinstance(expression, sympy.erfc):
        return range_of(1 - sympy.erf(expression.args[0]), ranges)
    if isinstance(expression, _RISING):
        rising = _of_rising(expression.func, range_of(expression.args[0], ranges))
        return _by_assumptions(expression) if rising is None else rising
    if isinstance(expression, sympy.cosh):
        return _of_cosh(range_of(expression.args[0], ranges))
    if isinstance(expression, sympy.gamma | sympy.factorial):
        shift = 1 if isinstance(expression, sympy.factorial) else 0
        if (range_of(expression.args[0] + shift, ranges)).positive:
            return Range(S.Zero, S.Infinity, True, True)
    if isinstance(expression, sympy.RisingFactorial):
        base, order = (range_of(argument, ranges) for argument in expression.args)
        if base.positive and (base + order).positive:
            return Range(S.Zero, S.Infinity, True, True)
    if isinstance(expression, sympy.Abs):
        return Range(S.Zero, S.Infinity)
    return _by_assumptions(expression)


_UNIT_ARGUMENTS = (sympy.asin, sympy.acos, sympy.atanh)
_POSITIVE_ARGUMENTS = (
    sympy.loggamma, sympy.besselj, sympy.besseli, sympy.besselk, sympy.uppergamma, sympy.lowergamma,
)  # fmt: skip
_REAL_ON_THE_LINE = (
    sympy.Add, sympy.Mul, sympy.exp, sympy.sin, sympy.cos, sympy.tan, sympy.sinh, sympy.cosh, sympy.tanh, sympy.atan,
    sympy.asinh, sympy.erf, sympy.erfc, sympy.gamma, sympy.factorial, sympy.RisingFactorial, sympy.binomial, sympy.sign,
    sympy.floor, sympy.ceiling, sympy.Max, sympy.Min, sympy.Derivative, AppliedUndef,
)  # fmt: skip


def is_real(expression: sympy.Expr, ranges: Ranges) -> bool:
    """Whether real symbols, and real functions without a formula, certainly give a real value.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> [is_real(e, {x: Range(S.Zero, S.Infinity)}) for e in (sympy.sqrt(x), sympy.log(x - 1) ** 2, sympy.I * x)]
    [True, False, False]
    """
    if expression is S.ImaginaryUnit:
        return False
    if isinstance(expression, sympy.Abs | sympy.re | sympy.im) or not expression.args:
        return True
    if isinstance(expression, sympy.Piecewise):
        return all(is_real(value, ranges) for value, _ in expression.args)
    if isinstance(expression, sympy.hyper):
        return _is_real_hypergeometric(expression, ranges)
    if isinstance(expression, sympy.Sum | sympy.Product | sympy.Integral):
        inner = dict(ranges)
        if any(len(limits) < 3 for limits in expression.limits):
            return False
        for symbol, low, high in reversed(expression.limits):
            if not (is_real(low, inner) and is_real(high, inner)):
                return False
            inner[symbol] = between(low, high, inner, isinstance(expression, sympy.Integral))
        return is_real(expression.function, inner)
    if isinstance(expression, sympy.Subs):
        values = dict(zip(expression.variables, expression.point, strict=True))
        inner = dict(ranges) | {symbol: range_of(value, ranges) for symbol, value in values.items()}
        return all(is_real(value, ranges) for value in values.values()) and is_real(expression.expr, inner)
    if expression.is_Pow and not expression.exp.is_integer:
        within = range_of(expression.base, ranges).nonnegative
    elif isinstance(expression, sympy.log):
        within = range_of(expression.args[0], ranges).nonnegative
    elif isinstance(expression, _UNIT_ARGUMENTS):
        within = range_of(expression.args[0], ranges).within(Range(S.NegativeOne, S.One))
    elif isinstance(expression, _POSITIVE_ARGUMENTS):
        within = range_of(expression.args[-1], ranges).positive
    elif expression.is_Pow or isinstance(expression, _REAL_ON_THE_LINE):
        within = True
    else:
        return bool(expression.is_extended_real)
    return within and all(is_real(e, ranges) for e in expression.args if isinstance(e, sympy.Expr))


def _is_real_hypergeometric(expression: sympy.Expr, ranges: Ranges) -> bool:
    """A series with p = q + 1 parameters above and q below has a cut from 1 on, and none with more has a value."""
    excess, argument = len(expression.ap) - len(expression.bq), expression.argument
    below_one = excess < 1 or (excess == 1 and range_of(1 - argument, ranges).positive)
    return below_one and all(is_real(e, ranges) for e in (*expression.ap, *expression.bq, argument))


def ordered(low: sympy.Expr, high: sympy.Expr, ranges: Ranges, integral: bool = True) -> bool:
    """Whether ``low <= high`` is certain; a sum may also be empty, from low to low - 1.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> ordered(S.Zero, x, {x: Range(S.Zero, S.Infinity)}), ordered(S.Zero, x, {})
    (True, False)
    """
    if high is S.Infinity or low is S.NegativeInfinity:
        return low is not S.Infinity and high is not S.NegativeInfinity
    return range_of(sympy.expand(high - low), ranges).within(Range(S.Zero if integral else S.NegativeOne))


def between(low: sympy.Expr, high: sympy.Expr, ranges: Ranges, integral: bool = True) -> Range:
    """All values of a bound symbol, whichever end is the larger one; an integral leaves out ends that are certain.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> between(S.One, x, {x: Range(S.NegativeOne, S(3))})
    Range(low=-1, high=3, low_open=False, high_open=False)
    """
    least, most = ((e, e) if e.is_number else _hull(range_of(e, ranges)) for e in (low, high))
    if ordered(low, high, ranges, integral):
        return Range(least[0], most[1], integral, integral or high is S.Infinity)
    return Range(min(least[0], most[0], key=by_size), max(least[1], most[1], key=by_size))


def _hull(found: Range) -> tuple[sympy.Expr, sympy.Expr]:
    return found.low, found.high


def _fold(operation: object, parts: Iterable[Range]) -> Range:
    items = list(parts)
    total = items[0]
    for item in items[1:]:
        total = operation(total, item)  # type: ignore[operator]
    return total


def _by_assumptions(expression: sympy.Expr) -> Range:
    if surely(expression, ">"):
        low = S.One if expression.is_integer else S.Zero
        return Range(low, S.Infinity, not expression.is_integer, True)
    if surely(expression, ">="):
        return Range(S.Zero, S.Infinity)
    if surely(expression, "<"):
        return Range(S.NegativeInfinity, S.Zero, True, True)
    return WHOLE_LINE


def _of_exp(argument: Range) -> Range:
    low = S.Zero if argument.low is S.NegativeInfinity else sympy.exp(argument.low)
    high = S.Infinity if argument.high is S.Infinity else sympy.exp(argument.high)
    return Range(
        low,
        high,
        argument.low_open or argument.low is S.NegativeInfinity,
        argument.high_open or argument.high is S.Infinity,
    )


_RISING = (sympy.sinh, sympy.tanh, sympy.atan, sympy.asinh, sympy.erf, sympy.log)
"""Functions that rise with their argument."""


def _of_rising(function: type[sympy.Function], argument: Range) -> Range | None:
    """The range between the values at the ends; that of a logarithm, which is -oo at 0, if it is real."""
    low, high = argument.low, argument.high
    if function is sympy.log and not (argument.nonnegative and in_order(S.Zero, high, strict=True)):
        return None
    least = S.NegativeInfinity if function is sympy.log and low.is_zero else function(low)
    return Range(least, function(high), argument.low_open or least is S.NegativeInfinity or low.is_infinite is True,
                 argument.high_open or high is S.Infinity)  # fmt: skip


def _of_cosh(argument: Range) -> Range:
    """The range of an even function that rises from 1 at 0 on."""
    if (-argument).nonnegative:
        argument = -argument
    if not argument.nonnegative:
        return Range(S.One, S.Infinity)
    return Range(sympy.cosh(argument.low), sympy.cosh(argument.high), argument.low_open, argument.high_open)


def _of_wave(expression: sympy.Expr, ranges: Ranges) -> Range:
    """sin and cos: nonnegative on [0, pi] and [0, pi/2]; never outside [-1, 1]."""
    argument = range_of(expression.args[0], ranges)
    end = sympy.pi if isinstance(expression, sympy.sin) else sympy.pi / 2
    return Range(S.Zero, S.One) if argument.within(Range(S.Zero, end)) else Range(S.NegativeOne, S.One)
