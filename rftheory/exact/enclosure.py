"""Enclosures: values with any number of proved digits.

An :class:`Enclosure` is a ball (midpoint and radius) that provably contains a value. :func:`certify`
evaluates a ball-valued function at increasing precision until the requested digits are proved, or raises
:class:`~rftheory.errors.NotCertified`, which says how far it got. The precision of python-flint is a global
setting; here it is changed only inside ``with`` blocks.
"""

from __future__ import annotations

import ast
import math
import operator
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, TypeVar, overload

import sympy
from flint import acb, arb, ctx, fmpq, fmpz

from rftheory.errors import InvalidInput, NotCertified, OutsideDomain, Undecided, checked_integer
from rftheory.exact.guard import guarded_call
from rftheory.exact.limits import TimeIsUp

Ball = arb | acb
B = TypeVar("B", arb, acb)
T = TypeVar("T")
Exact = int | str | float | Fraction | sympy.Expr

BITS_PER_DIGIT = math.log2(10)
GUARD_BITS = 24
MAX_DIGITS = 100_000

_PRECISION = threading.RLock()
"""python-flint has one working precision for all threads, so certified evaluations take turns."""


def exact_number(value: object, subject: str = "value") -> sympy.Expr:
    """Read a number exactly: decimal text and rationals as written, a float as its binary value.

    Parameters
    ----------
    value : int, decimal or fraction text (``"0.1"``, ``"1/3"``, ``"1e-8"``), float, Fraction, or a constant
        sympy expression (``sympy.sqrt(2)``).
    subject : named in the error.

    Raises
    ------
    InvalidInput : for NaN, infinities, text that is not a number, or expressions with free symbols.

    Examples
    --------
    >>> exact_number("0.1"), exact_number("1e-8"), exact_number("sqrt(2)")
    (1/10, 1/100000000, sqrt(2))
    >>> exact_number(0.1) == exact_number("0.1")
    False
    """
    needs = "a finite number"
    # a ball has no exact value, float() would silently round it; a truth value of some NumPy counts as an index
    if isinstance(value, arb | acb) or type(value).__name__ == "bool":
        raise InvalidInput(subject, needs=needs, got=value)
    if isinstance(value, int):
        return sympy.Integer(value)
    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    if isinstance(value, str):
        return _number_from_text(value, subject)
    if isinstance(value, sympy.Expr):
        if value.free_symbols or value.has(sympy.nan, sympy.oo, -sympy.oo, sympy.zoo):
            raise InvalidInput(subject, needs="a finite constant", got=value)
        return _without_floats(value)
    pair = _integer_ratio(value)
    if pair is None:
        raise InvalidInput(subject, needs=needs, got=value)
    return sympy.Rational(*pair)


def real_number(value: object, subject: str = "value") -> sympy.Expr:
    """The same of a real number.

    Raises
    ------
    InvalidInput, OutsideDomain : it is no number, or not a real one.

    Examples
    --------
    >>> real_number("sqrt(2)")
    sqrt(2)
    >>> real_number("I", "v")
    Traceback (most recent call last):
    ...
    rftheory.errors.OutsideDomain: v: needs a real number, got 'I'
    """
    number = exact_number(value, subject)
    if number.is_real is False:
        raise OutsideDomain(subject, needs="a real number", got=str(number))
    return number


def _integer_ratio(value: object) -> tuple[int, int] | None:
    """Numerator and denominator of a float, a Decimal, a NumPy scalar or another exact number; else None."""
    try:
        if hasattr(value, "as_integer_ratio"):
            p, q = value.as_integer_ratio()
        elif isinstance(value, fmpq):
            p, q = value.p, value.q
        else:
            p, q = operator.index(value), 1  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):  # not a number, NaN, infinity
        return None
    return int(p), int(q)


def _without_floats(value: sympy.Expr) -> sympy.Expr:
    floats = {x: sympy.Rational(x) for x in value.atoms(sympy.Float)}
    return value.xreplace(floats) if floats else value


MAX_EXPONENT = 1_000_000
"""The largest power of ten in a number given as text; beyond it, even its exact form would not fit."""

LONGEST_OPERAND = 40_000
"""The most bits of a number inside an expression, about 12,000 digits; a number alone may be longer."""


def _number_from_text(text: str, subject: str) -> sympy.Expr:
    text = text.strip()
    number = _finite_number(text)
    if number is None:
        raise InvalidInput(subject, needs="a finite number such as 3, 0.1, 1e-8, 2/3 or sqrt(2)", got=text)
    return number


@lru_cache(maxsize=256)
def _finite_number(text: str) -> sympy.Expr | None:
    """The number that a text represents, or None."""
    try:
        return _decimal(text)
    except ArithmeticError:  # out of range, or a zero denominator
        return None
    except ValueError:  # not a plain number but an expression
        pass
    if len(text) > 200:
        return None
    try:
        number = _read_arithmetic(ast.parse(text, mode="eval").body, text)
    except (SyntaxError, ValueError, ArithmeticError, TypeError):
        return None
    return number if number.is_finite else None


@lru_cache(maxsize=64)
def _decimal(text: str) -> sympy.Rational:
    tail = text.lower().partition("e")[2].replace("_", "")
    if tail.lstrip("+-").isdigit() and (len(tail) > 8 or abs(int(tail)) > MAX_EXPONENT):
        raise OverflowError(text)
    number = Fraction(text)
    return sympy.Rational(number.numerator, number.denominator)


_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
_CONSTANTS = {"pi": sympy.pi, "E": sympy.E, "I": sympy.I}
_FUNCTIONS = {name: getattr(sympy, name) for name
    in ("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")}  # fmt: skip


def _read_arithmetic(node: ast.expr, text: str) -> sympy.Expr:
    """The exact value of an arithmetic expression; no text is executed."""
    match node:
        case ast.Constant(value=int() | float()):
            return _short(_decimal(ast.get_source_segment(text, node) or ""))
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_read_arithmetic(inner, text)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _read_arithmetic(inner, text)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_short(_read_arithmetic(argument, text)))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_read_arithmetic(left, text), _read_arithmetic(right, text))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_read_arithmetic(left, text), _read_arithmetic(right, text))
    raise ValueError(text)


def _short(number: sympy.Expr) -> sympy.Expr:
    """The number, refused if it is too long for sympy, which searches it for factors and powers."""
    if _longest(number) > LONGEST_OPERAND:
        raise OverflowError("operand")
    return number


def _longest(number: sympy.Expr) -> int:
    """Bits of the longest integer in an exact number."""
    return max((int(n).bit_length() for x in number.atoms(sympy.Rational) for n in (x.p, x.q)), default=1)


def _power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
    """base**exponent, refused if the exact result would not fit."""
    if exponent.is_Rational and abs(exponent) * _longest(base) > 4 * MAX_EXPONENT:
        raise OverflowError("power")
    return base**exponent if exponent.is_Integer else _short(base) ** exponent


def rational_ball(number: sympy.Rational | Fraction | int) -> arb:
    """The ball of a rational at the current precision (exact if it is a dyadic number that fits).

    Examples
    --------
    >>> bool((3 * rational_ball(Fraction(1, 3))).contains(1)), rational_ball(Fraction(3, 4)).is_exact()
    (True, True)
    """
    if isinstance(number, int):
        return arb(number)
    return arb(fmpq(number.numerator, number.denominator))


MOST_BITS = 10**8
"""Fractions of larger or smaller numbers are not formed."""


def exact_fraction(x: arb) -> Fraction:
    """The exact value of a ball of radius zero, such as a midpoint or a radius.

    Raises
    ------
    OutsideDomain : a fraction with so many digits fills the memory, as that of e^(10^12).

    Examples
    --------
    >>> exact_fraction(arb("0.375"))
    Fraction(3, 8)
    >>> exact_fraction(arb(10**12).exp().mid())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rftheory.errors.OutsideDomain: exact fraction: needs a size from 2^-100000000 to 2^100000000, got ...
    """
    man, exp = x.man_exp()
    if abs(exp) > MOST_BITS:
        raise OutsideDomain("exact fraction", needs=f"a size from 2^-{MOST_BITS} to 2^{MOST_BITS}", got=x.str(5),
                            hint="text() prints it")  # fmt: skip
    return Fraction(int(man)) * Fraction(2) ** int(exp)


def _float(x: arb) -> float:
    """The float nearest to an exact ball: zero or infinite outside the range of floats."""
    man, exp = x.man_exp()
    size = int(man).bit_length() + int(exp)
    if man == 0 or size < -1080:
        return 0.0
    infinite = math.inf if man > 0 else -math.inf
    try:
        return infinite if size > 1024 else float(exact_fraction(x))
    except OverflowError:  # the nearest would be 2^1024
        return infinite


def bounds(x: arb) -> tuple[Fraction, Fraction]:
    """Exact lower and upper ends of a real ball.

    Examples
    --------
    >>> bounds(arb(3))
    (Fraction(3, 1), Fraction(3, 1))
    """
    mid, rad = exact_fraction(x.mid()), exact_fraction(x.rad())
    return mid - rad, mid + rad


def meet(a: arb, b: arb) -> arb:
    """Return the intersection of two enclosures of the same value; a non-finite one says nothing.

    Examples
    --------
    >>> common = meet(arb(2, 1), arb(4, 1))
    >>> bool(common > 2.9), bool(common < 3.1), meet(common, arb.nan()).is_finite()
    (True, True, True)
    """
    if not a.is_finite():
        return b
    return a.intersection(b) if b.is_finite() else a


@dataclass(frozen=True)
class Enclosure:
    """A ball that provably contains a value, good to ``digits`` significant digits.

    Attributes
    ----------
    ball : the python-flint ball, real (``arb``) or complex (``acb``).
    digits : number of significant decimal digits that were requested and proved.
    subject : the name of the value.

    Examples
    --------
    >>> root = certify(lambda: arb(2).sqrt(), digits=20, subject="sqrt(2)")
    >>> root.text()
    '1.4142135623730950488'
    >>> root.radius < 1e-20
    True
    """

    ball: Ball
    digits: int
    subject: str = "value"

    @property
    def midpoint(self) -> Fraction:
        """Exact midpoint of a real enclosure."""
        return exact_fraction(self._real().mid())

    @property
    def radius(self) -> float:
        """Radius as a float, rounded up; for a complex enclosure that of the larger part."""
        radius = self._radius()
        return math.nextafter(_float(radius), math.inf) if radius > 0 else 0.0

    @property
    def radius_text(self) -> str:
        """The radius in three digits, rounded up, also where it is beyond the range of floats.

        Examples
        --------
        >>> tiny = certify(lambda: (-arb(2).sqrt() * 10**6).exp(), digits=20)
        >>> tiny.text(5), tiny.radius_text, tiny.radius
        ('7.1389e-614186', '7.46e-614208', 5e-324)
        """
        return str((arb(1.01) * self._radius()).str(3, radius=False))

    @property
    def lower(self) -> Fraction:
        return bounds(self._real())[0]

    @property
    def upper(self) -> Fraction:
        return bounds(self._real())[1]

    def overlaps(self, other: Enclosure) -> bool:
        """Whether the two balls have a point in common; two enclosures of one value always do."""
        return bool(acb(self.ball).overlaps(acb(other.ball)))

    def __float__(self) -> float:
        return self._finite(self._real().mid())

    def __complex__(self) -> complex:
        z = acb(self.ball)
        return complex(self._finite(z.real.mid()), self._finite(z.imag.mid()))

    def text(self, digits: int | None = None) -> str:
        """The value rounded correctly to ``digits`` significant digits: every printed digit is right.

        A value within 2^-144 units of the last digit of a half-way point is rounded as if it were that point
        (to even), unless the ball excludes this, because no precision decides a tie.

        Raises
        ------
        NotCertified : if the ball is too wide to round the last digit.
        """
        digits = self.digits if digits is None else checked_digits(digits)
        if isinstance(self.ball, acb):
            return _complex_text(self.ball, digits, self.subject)
        rounded = _rounded(self.ball, digits)
        if rounded is None:
            raise NotCertified(
                self.subject, wanted=f"{digits} digits", reached=f"the ball is {self.ball.str(15)}"
            )
        return _decimal_text(*rounded)

    def shown(self) -> str:
        """The text; of a ball around 0, which has no digits, its radius: a route beside one that proves an exact 0.

        Examples
        --------
        >>> certify(lambda: arb(2).sqrt() ** 2 - 2, digits=20, absolute=True).shown().startswith("[+/- ")
        True
        """
        zero = acb(self.ball)
        # either is right: the radius is true of any ball, and the text of any ball that has one
        return self.ball.str(3) if zero.contains(0) and not zero.is_zero() else self.text()

    def __str__(self) -> str:
        return self.text()

    def _finite(self, x: arb) -> float:
        value = _float(x)
        if math.isinf(value):
            raise NotCertified(
                self.subject,
                wanted="a float",
                reached=f"the value is {x.str(5, radius=False)}",
                hint="use text() or the formula of its logarithm",
            )
        return value

    def _radius(self) -> arb:
        return max(part.rad() for part in _parts(self.ball))

    def _real(self) -> arb:
        if isinstance(self.ball, acb):
            raise InvalidInput(self.subject, needs="a real value", got=self.text(10))
        return self.ball


def in_digits(ball: Ball, digits: int) -> str:
    """The middle of a ball in so many digits; an exact integer that has no more is written as one.

    Examples
    --------
    >>> in_digits(arb(36), 12), in_digits(arb("36 +/- 1e-30"), 12), in_digits(arb(2).sqrt(), 6)
    ('36', '36.0000000000', '1.41421')
    """
    return whole(ball, digits) or str(ball.str(digits, radius=False))


def whole(ball: Ball, digits: int) -> str:
    """A ball that is an exact integer of at most so many digits; any other is empty.

    Examples
    --------
    >>> whole(arb(-36), 12), whole(arb(36), 1), whole(arb("1/2"), 12)
    ('-36', '', '')
    """
    exact = isinstance(ball, arb) and ball.is_exact() and ball.is_integer()
    return str(ball.unique_fmpz()) if exact and abs(ball) < arb(10) ** digits else ""


def climb(
    compute: Callable[[], T], settled: Callable[[T], bool], ladder: Iterable[int],
    passing: type[NotCertified] = Undecided,
) -> tuple[T, str] | tuple[None, str]:  # fmt: skip
    """The first value that is settled, at one working precision after the other; else None, and how far it got.

    Parameters
    ----------
    passing : errors after which the next precision is tried; the last one is raised if no other is left.

    Raises
    ------
    Undecided : the balls of no precision decide a comparison on the way to the value.

    Examples
    --------
    >>> climb(lambda: arb(2).sqrt(), lambda ball: ball.rel_accuracy_bits() > 100, (53, 128))[0].rel_accuracy_bits()
    126
    >>> climb(lambda: arb(2).sqrt(), lambda ball: ball.rel_accuracy_bits() > 200, (53, 128))
    (None, 'at 128 bits the ball is [1.4142 +/- 1.36e-5]')
    """
    reached, problem = "no precision was tried", None
    for bits in ladder:
        with _PRECISION, ctx.workprec(bits):
            try:
                value = compute()
            except passing as error:  # more bits may decide the comparison
                problem = error
                continue
            if settled(value):
                return value, ""
            problem = None
            reached = f"at {bits} bits" + (f" the ball is {value.str(5)}" if isinstance(value, Ball) else "")
    if problem is not None:
        raise problem
    return None, reached


def doubled(bits: int, most: int) -> Iterator[int]:
    """Working precisions, each twice the one before.

    Examples
    --------
    >>> list(doubled(128, 600))
    [128, 256, 512]
    """
    while bits <= most:
        yield bits
        bits *= 2


def certify(
    compute: Callable[[], Ball], digits: int, subject: str = "value", max_bits: int | None = None, *,
    absolute: bool = False,
) -> Enclosure:  # fmt: skip
    """Evaluate ``compute`` at growing precision until ``digits`` significant digits are proved.

    Parameters
    ----------
    compute : returns a ball; called inside a precision context, once per precision.
    digits : significant digits wanted, 1 to 100000.
    subject : named in the error.
    max_bits : largest working precision tried; default 256 times the precision of the first try, at least 2^17.
    absolute : until the ball is narrower than 10^-digits instead, for values that may be 0.

    Raises
    ------
    NotCertified : the ball did not become tight enough; the message says how far it got.

    Examples
    --------
    >>> certify(lambda: (arb(1) / 3).exp() - 1, digits=25).text()
    '0.3956124250860895286281253'
    >>> certify(lambda: (arb(2).sqrt() ** 2 - 2), digits=25, absolute=True).radius < 1e-25
    True
    """
    digits = checked_digits(digits)
    goal = math.ceil(digits * BITS_PER_DIGIT) + 4
    bits = goal + GUARD_BITS
    proved = 0

    def settled(ball: Ball) -> bool:
        nonlocal proved
        proved = _digits_of(ball)
        return _narrow(ball, digits) if absolute else _proved(ball, goal, digits)

    try:
        ball, reached = climb(compute, settled, doubled(bits, max_bits or max(256 * bits, 1 << 17)))
    except TimeIsUp as error:
        error.subject = subject
        error.reached = (
            f"{proved} digits" if proved < digits else "all but the last digit, which is not decided,"
        )
        raise
    except Undecided as error:
        ball, reached = None, str(error)
    if ball is not None:
        return Enclosure(ball, digits, subject)
    hint = "" if absolute else "the value may be exactly zero, or ask for fewer digits"
    wanted = f"{digits} decimals" if absolute else f"{digits} digits"
    raise NotCertified(subject, wanted=wanted, reached=reached, hint=hint)


def checked_digits(digits: object) -> int:
    """A number of digits in the supported range.

    Raises
    ------
    InvalidInput : it is not an integer, below 1 or too large.

    Examples
    --------
    >>> checked_digits(50)
    50
    """
    return checked_integer("digits", digits, 1, MAX_DIGITS)


def _digits_of(ball: Ball) -> int:
    """The approximate number of significant decimal digits of a ball."""
    return max(0, int(ball.rel_accuracy_bits() / BITS_PER_DIGIT)) if ball.is_finite() else 0


def _parts(ball: Ball) -> tuple[arb, ...]:
    return (ball.real, ball.imag) if isinstance(ball, acb) else (ball,)


def _narrow(ball: Ball, digits: int) -> bool:
    """Narrower than 10^-digits."""
    return ball.is_finite() and all(part.rad() < arb(10) ** -digits for part in _parts(ball))


def _proved(ball: Ball, goal: int, digits: int) -> bool:
    """Whether the ball is tight enough and decides the last digit (or is a tie that no precision resolves)."""
    if not ball.is_finite():
        return False
    accuracy = ball.rel_accuracy_bits()
    if accuracy < goal:
        return False
    if accuracy >= goal + 8 * GUARD_BITS or (isinstance(ball, arb) and _clearly_rounded(ball, digits)):
        return True
    if isinstance(ball, arb):
        return _rounded(ball, digits) is not None
    scale = _complex_exponent(ball)
    return scale is not None and all(_rounded(part, digits, scale) is not None for part in _parts(ball))


# ---- decimal rounding on exact rationals ---------------------------------------------------------


def decimal_exponent(x: Fraction) -> int:
    """The integer e with 10^e <= |x| < 10^(e+1).

    Examples
    --------
    >>> decimal_exponent(Fraction(999, 1000)), decimal_exponent(Fraction(1000))
    (-1, 3)
    """
    p, q = abs(x.numerator), x.denominator
    e = math.floor((p.bit_length() - q.bit_length()) * math.log10(2))
    while abs(x) >= Fraction(10) ** (e + 1):
        e += 1
    while abs(x) < Fraction(10) ** e:
        e -= 1
    return e


EXACT_BITS = 20_000
"""Up to this binary exponent balls are rounded as fractions; beyond, they are first divided by a power of ten."""


def _rounded(x: arb, digits: int, exponent: int | None = None) -> tuple[int, int, int] | None:
    """(integer, power of ten, digits) of the correctly rounded value, or None while undecided."""
    if x.is_zero():
        return 0, 0, digits
    if x.contains(0) and exponent is None:
        return None
    coarse = _coarsened(x, digits)
    top = exponent if exponent is not None else _top_exponent(coarse)
    if top is None:
        return None
    power = top - digits + 1
    low, high = _scaled_bounds(coarse, power, digits)
    first, last = round(low), round(high)
    if first != last and coarse is not x:
        low, high = _scaled_bounds(x, power, digits)
        first, last = round(low), round(high)
    # A tie such as 0.125 to two digits stays undecided for ever unless the ball is exact: when the ball
    # is far narrower than a unit and straddles the half-way point, the tie rule (to even) decides.
    if last - first == 1 and high - low < Fraction(1, 1 << (6 * GUARD_BITS)):
        first = last = first if first % 2 == 0 else last
    if first != last:
        return None
    least = min(abs(low), abs(high))
    if exponent is None and abs(first) == 10 ** (digits - 1) and round(10 * least) < 10**digits:
        return None  # 9.994 and 10.0 have different digits, though both are 10.0 to a tenth
    if exponent is None and abs(first) == 10**digits:  # 9.996 to three digits is 10.0
        return first // 10, power + 1, digits
    return first, power, digits


def _coarsened(x: arb, digits: int) -> arb:
    """A wider ball, if the radius is so tiny that rational arithmetic on its ends would be slow; else the same."""
    (man, exp), (radius, scale) = x.mid().man_exp(), x.rad().man_exp()
    bits = math.ceil(digits * BITS_PER_DIGIT) + 8 * GUARD_BITS
    if radius == 0 or man == 0 or int(exp) + int(man).bit_length() - int(scale) < 16 * bits:
        return x
    with ctx.workprec(bits + GUARD_BITS):
        margin = abs(x).upper() * arb(2) ** -bits
        return x + (-margin).union(margin)


@lru_cache(maxsize=64)
def _power_of_ten(exponent: int) -> fmpz:
    return fmpz(10) ** exponent


def _clearly_rounded(x: arb, digits: int) -> bool:
    """A quick test, in ball arithmetic, that the whole ball rounds to one number; False decides nothing."""
    man, exp = x.mid().man_exp()
    size = man.bit_length()
    if size == 0 or exp.bit_length() > 60:
        return False
    leading = abs(int(man >> (size - 60) if size > 60 else man << (60 - size)))
    power = digits - 1 - math.floor(math.log10(leading) + (int(exp) + size - 60) * math.log10(2))
    scaled = x * arb(_power_of_ten(power)) if 0 <= power <= EXACT_BITS else x * arb(10) ** power
    nearest = (abs(scaled) + 0.5).floor().unique_fmpz()
    if nearest is None or not abs(abs(scaled) - nearest) < 0.5:
        return False
    least = _power_of_ten(digits - 1)
    return bool(least < nearest < 10 * least)  # else the power was off by one


def _huge(x: arb) -> int:
    """Length of the binary exponent of a ball if it exceeds ``EXACT_BITS``, else 0."""
    parts = [part.man_exp() for part in (x.mid(), x.rad())]
    exponents = [int(exp) + int(man).bit_length() for man, exp in parts if man]
    return max(e.bit_length() for e in exponents) if abs(exponents[0]) > EXACT_BITS else 0


def _top_exponent(x: arb) -> int | None:
    """The integer e with 10^e <= |x| < 10^(e+1) for the largest |x| of the ball; None while undecided."""
    length = _huge(x)
    if not length:
        return decimal_exponent(max(abs(b) for b in bounds(x)))
    with ctx.workprec(length + 128):
        top = (arb(x.abs_upper()).log() / arb(10).log()).floor().unique_fmpz()
    return None if top is None else int(top)


def _scaled_bounds(x: arb, power: int, digits: int) -> tuple[Fraction, Fraction]:
    """Ends of an enclosure of x / 10^power, tight enough to round it to ``digits`` digits."""
    length = _huge(x)
    if not length:
        unit = Fraction(10) ** power
        low, high = bounds(x)
        return low / unit, high / unit
    accuracy = math.ceil(digits * BITS_PER_DIGIT) + 8 * GUARD_BITS
    with ctx.workprec(accuracy + length + 64):
        scaled = x / arb(10) ** fmpz(power)
        if (
            abs(scaled) < arb(2) ** -accuracy
        ):  # the small part of a complex number, whose fraction would not fit
            return Fraction(-1, 1 << accuracy), Fraction(1, 1 << accuracy)
        return bounds(scaled)


def _decimal_text(integer: int, power: int, digits: int) -> str:
    sign, body = ("-" if integer < 0 else ""), str(fmpz(abs(integer)))  # int would refuse above 4300 digits
    if integer == 0:
        return "0"
    exponent = len(body) - 1 + power
    if -6 <= exponent < max(digits, 16):
        if power >= 0:
            return sign + body + "0" * power
        if exponent >= 0:
            return f"{sign}{body[:power]}.{body[power:]}"
        return f"{sign}0.{'0' * (-exponent - 1)}{body}"
    mantissa = body[0] + ("." + body[1:] if len(body) > 1 else "")
    return f"{sign}{mantissa}e{'-' if exponent < 0 else '+'}{fmpz(abs(exponent))}"


def _complex_exponent(z: acb) -> int | None:
    """The same for the larger part of a complex number; 0 for 0."""
    tops = [_top_exponent(part) for part in _parts(z) if not part.is_zero()]
    return None if None in tops else max((top for top in tops if top is not None), default=0)


def _complex_text(z: acb, digits: int, subject: str) -> str:
    scale = _complex_exponent(z)
    parts = [None if scale is None else _rounded(part, digits, scale) for part in _parts(z)]
    if parts[0] is None or parts[1] is None:
        raise NotCertified(subject, wanted=f"{digits} digits", reached=f"the ball is {z.str(15)}")
    real, imag = _decimal_text(*parts[0]), _decimal_text(*parts[1])
    if imag == "0":
        return real
    sign, imag = ("-", imag[1:]) if imag.startswith("-") else ("+", imag)
    return f"{real} {sign} {imag}i" if real != "0" else f"{'-' if sign == '-' else ''}{imag}i"


# ---- certified sums and integrals ----------------------------------------------------------------


def certified_sum(terms: Iterable[B], tail_ratio: Callable[[int], arb], *, max_terms: int = 1_000_000) -> B:
    """Sum of an infinite series with a proved bound on the tail.

    Parameters
    ----------
    terms : the terms t_0, t_1, ... as balls at the current precision; they may end if all further ones are 0.
    tail_ratio : for an index K, an upper bound of |t_{k+1}/t_k| over all k >= K (of the terms, or of a
        majorant that the terms do not exceed and meet up to sign).

    Raises
    ------
    NotCertified : if the terms have not become negligible after ``max_terms``.

    Examples
    --------
    >>> from itertools import accumulate, count
    >>> terms = accumulate(count(1), lambda t, k: t / k, initial=arb(1))
    >>> certified_sum(terms, lambda k: arb(1) / (k + 1)).overlaps(arb(1).exp())
    True
    """
    total: Any = arb(0)
    largest = arb(0)
    for k, term in enumerate(terms):
        total = total + term
        size = abs(term).upper()
        largest = largest.max(size)
        if size <= largest * arb(2) ** (-ctx.prec - 8):
            ratio = tail_ratio(k)
            if ratio < 1:
                return total + widen((size * ratio / (1 - ratio)).upper(), isinstance(total, acb))
        if k >= max_terms:
            break
    else:
        return total
    raise NotCertified("series", wanted="a negligible tail", reached=f"{max_terms} terms summed")


def widen(radius: arb, complex_: bool = False) -> Any:
    """The ball of all numbers (real, or complex) of modulus at most ``radius``.

    Examples
    --------
    >>> widen(arb(2)).contains(-2), widen(arb(2)).contains(3)
    (True, False)
    """
    side = (-radius).union(radius)
    return acb(side, side) if complex_ else side


def not_analytic() -> acb:
    """The value of an integrand on a ball on which it is not known to be analytic: no number.

    Examples
    --------
    >>> not_analytic().is_finite()
    False
    """
    return acb(arb.nan(), arb.nan())


@overload
def certified_integral(
    f: Callable[[acb, bool], acb],
    low: Ball | int,
    high: Ball | int,
    *,
    real: Literal[True] = True,
    goal: arb | None = None,
) -> arb: ...
@overload
def certified_integral(
    f: Callable[[acb, bool], acb],
    low: Ball | int,
    high: Ball | int,
    *,
    real: Literal[False],
    goal: arb | None = None,
) -> acb: ...
def certified_integral(
    f: Callable[[acb, bool], acb],
    low: Ball | int,
    high: Ball | int,
    *,
    real: bool = True,
    goal: arb | None = None,
) -> Ball:
    """Integral of an analytic function over a segment, with a proved error (Petras' algorithm in Arb).

    Parameters
    ----------
    f : ``f(z, analytic)``; when ``analytic`` is true it must return :func:`not_analytic` where the integrand is
        not analytic (pass the flag on to ``sqrt``, ``log``, ``pow``).
    low, high : ends of the segment.
    real : the integral is known to be real; the imaginary part is dropped.
    goal : the error to aim at; by default 2^-prec, which is much for an integral that is far below 1.

    Examples
    --------
    >>> certified_integral(lambda x, _: x.sin(), 0, arb.pi()).overlaps(arb(2))
    True
    """
    tolerance = {} if goal is None else {"abs_tol": goal}
    value = guarded_call(
        acb.integral, f, acb(low), acb(high), failure=not_analytic(), after=acb(0), **tolerance
    )
    return value.real if real else value
