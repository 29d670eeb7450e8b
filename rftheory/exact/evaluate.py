"""Evaluate a sympy expression as a ball.

:func:`evaluate` walks an expression and computes it in ball arithmetic at the current precision, so the
symbolic definition of a formula is also its numerical definition. Infinite sums must be hypergeometric (the ratio
of consecutive terms is a rational function of the index, from which a tail bound is proved); integrals over
segments are enclosed by Arb's rigorous quadrature. Anything else is refused, never approximated.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, reduce
from operator import add, ge, le, mul
from typing import Any, cast

import sympy
from flint import acb, arb, ctx, fmpq, fmpz

from rftheory.errors import InvalidInput, NotCertified, RFTheoryError, Undecided, need
from rftheory.exact.derivative import derivative
from rftheory.exact.enclosure import Ball, bounds, certified_integral, certified_sum, not_analytic, widen
from rftheory.exact.order import compared, decide_by
from rftheory.exact.ranges import Range, is_real
from rftheory.exact.substitution import symbols_of, with_values
from rftheory.exact.term_ratio import grows, horner, ratio_bound, term_ratio
from rftheory.exact.truth import SIGNS, related
from rftheory.exact.vanishing import vanishes

Environment = Mapping[sympy.Symbol, "sympy.Expr | Ball"]
WIDE = arb(2) ** -12
"""An argument with a larger radius is an interval of a search, not a number."""


def evaluate(expression: sympy.Expr, values: Environment | None = None) -> Ball:
    """Evaluate ``expression`` in ball arithmetic at the current precision.

    Parameters
    ----------
    expression : a sympy expression without floats.
    values : for each free symbol an exact sympy number or a ball.

    Raises
    ------
    InvalidInput : no expression, a free symbol without a value, or a function that has no certified evaluation.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> evaluate(sympy.hyper((64,), (32,), x**2 / 2), {x: sympy.Rational(1, 10)}).str(12)
    '[1.01004940212 +/- 9.82e-14]'
    >>> k = sympy.Symbol("k", integer=True, nonnegative=True)
    >>> evaluate(sympy.Sum(x**k / sympy.factorial(k), (k, 0, sympy.oo)), {x: sympy.Integer(1)}).overlaps(arb(1).exp())
    True
    """
    need("expression", expression, sympy.Basic, "a sympy expression")
    return Reader(dict(values or {})).read(expression)


def evaluate_real(expression: sympy.Expr, values: Environment | None = None) -> arb:
    """The real part of what `evaluate` returns: a ball of a real number, however its expression is read.

    Examples
    --------
    >>> evaluate_real(sympy.Symbol("x") / 4, {sympy.Symbol("x"): sympy.Integer(1)})
    0.250000000000000
    """
    return acb(evaluate(expression, values)).real


class Reader:
    """The values under which an expression is read; one that binds a symbol asks the one around it for all others.

    Within one working precision, a part that occurs several times is read once, and a part without the bound symbol
    once for all of its values.

    Parameters
    ----------
    values : for each symbol an exact sympy number or a ball.
    analytic : as in `evaluate`.
    outer, bound : the reader around this one, and the only symbol of ``values``.
    stretch : whether that symbol runs over a stretch of the real line, about which its value is a ball.

    Examples
    --------
    >>> x, k = sympy.symbols("x k")
    >>> reader = Reader({x: sympy.Rational(1, 2)})
    >>> reader.read(x**2), reader.exact(x + 1), reader.bind(k, sympy.Integer(3)).read(k * x)
    (0.250000000000000, 3/2, 1.50000000000000)
    """

    __slots__ = ("analytic", "balls", "bound", "numbers", "outer", "stretch", "values")

    def __init__(
        self, values: Environment, analytic: bool = False, outer: Reader | None = None,
        bound: sympy.Symbol | None = None, stretch: bool = False,
    ) -> None:  # fmt: skip
        self.values = values
        self.stretch = stretch
        self.analytic = analytic
        self.outer = outer
        self.bound = bound
        self.balls: dict[sympy.Expr, Ball] = {}
        self.numbers: dict[sympy.Expr, sympy.Expr | None] = {}

    def read(self, node: sympy.Expr) -> Ball:
        """The ball of an expression."""
        return _program(node, self.bound)(self)

    def once(self, node: sympy.Expr, program: Program) -> Ball:
        """The ball of a part that is asked for again."""
        ball = self.balls.get(node)
        if ball is None:
            ball = self.balls[node] = program(self)
        return ball

    def value(self, symbol: sympy.Symbol) -> sympy.Expr | Ball | None:
        """What a symbol stands for."""
        found = self.values.get(symbol)
        return self.outer.value(symbol) if found is None and self.outer is not None else found

    def bind(self, symbol: sympy.Symbol, value: sympy.Expr | Ball) -> Reader:
        """The reader within a sum or an integral over a symbol, or where it has another value."""
        return Reader({symbol: value}, self.analytic, self, symbol)

    def on_line(self) -> Reader | None:
        """The reader for the real line within the balls of integrals; None if one is not about it."""
        if not self.analytic:
            return self
        outer = None if self.outer is None else self.outer.on_line()
        stray = not self.stretch and any(isinstance(value, acb) for value in self.values.values())
        if stray or (outer is None and self.outer is not None):
            return None
        values = {s: x.real if isinstance(x, acb) else x for s, x in self.values.items()}
        return Reader(values, False, outer, self.bound, self.stretch)

    def integrand(
        self, function: sympy.Expr, variable: sympy.Symbol, low: Ball, high: Ball
    ) -> Callable[[acb, bool], acb]:
        """The integrand of an integral over the variable between two ends, for certified_integral."""
        real = isinstance(low, arb) and isinstance(high, arb)
        program = _program(function, variable)

        def integrand(z: acb, analytic: bool) -> acb:
            analytic = analytic or self.analytic  # in the variable of an integral around this one too
            place = z.real if z.imag == 0 and not analytic else z
            return acb(program(Reader({variable: place}, analytic, self, variable, real)))

        return integrand

    def exact(self, node: sympy.Expr) -> sympy.Expr | None:
        """The exact value of a sub-expression if all its symbols have exact values; else None."""
        if node.is_Rational:
            return node
        symbols = symbols_of(node)
        if self.outer is not None and self.bound not in symbols:
            numbers = self.outer.numbers
            if node not in numbers:
                numbers[node] = self.outer.exact(node)
            return numbers[node]
        values = tuple((symbol, self.value(symbol)) for symbol in symbols)
        if not all(isinstance(value, sympy.Expr) for _, value in values):
            return None
        return _at(node, values) if values else node

    def integer(self, node: sympy.Expr, what: str) -> int:
        """The exact value of a sub-expression that must be an integer."""
        value = self.exact(node)
        if value is not None and value.is_Integer:
            return int(value)
        if node.has(sympy.floor, sympy.ceiling):
            whole = self.read(node)
            found = whole.unique_fmpz() if isinstance(whole, arb) and whole.is_integer() else None
            if found is not None:
                return int(found)
            raise Undecided(what, reached=f"{ctx.prec} bits do not decide {node}")
        raise InvalidInput(what, needs="an integer", got=str(node))

    def sqrt(self, x: Ball) -> Ball:
        """The principal square root."""
        if isinstance(x, arb) and x >= 0:
            return x.sqrt()
        return acb(x).sqrt(analytic=self.analytic)


Program = Callable[[Reader], Ball]
"""What an expression does with a reader."""
Compile = Callable[[sympy.Expr], Program]


@lru_cache(maxsize=2**14)
def _program(expression: sympy.Expr, bound: sympy.Symbol | None) -> Program:
    """The program of an expression under a reader that binds a symbol: its form is looked at once, for all values."""
    times = Counter(sympy.preorder_traversal(expression))
    repeated = {node for node, count in times.items() if count > 1 and node.args}

    def part(node: sympy.Expr) -> Program:
        if bound is not None and node.args and bound not in symbols_of(node):
            return _outside(node)
        program = _translated(node, part)
        return (lambda reader: reader.once(node, program)) if node in repeated else program

    return part(expression)


def _outside(node: sympy.Expr) -> Program:
    """A part without the bound symbol, which may have another value outside, has its value there."""

    def read(outer: Reader) -> Ball:
        return outer.read(node)

    return lambda reader: cast(Reader, reader.outer).once(node, read)


def _translated(node: sympy.Expr, part: Compile) -> Program:
    """The program of a node from those of its parts."""
    if node.is_Integer:
        number = arb(int(node))
        return lambda reader: number
    if node.is_Rational:
        fraction = fmpq(int(node.p), int(node.q))
        return lambda reader: arb(fraction)
    if node.is_Symbol:
        return _symbol(node)
    if node.is_Add:
        return _folded(add, [part(a) for a in node.args])
    if node.is_Mul:
        return _folded(mul, [part(a) for a in node.args])
    if node.is_Pow:
        return _power(node, part)
    return _TRANSLATORS.get(type(node), _refused)(node, part)


def _symbol(symbol: sympy.Symbol) -> Program:
    def program(reader: Reader) -> Ball:
        ball = reader.balls.get(symbol)
        if ball is None:
            value = reader.value(symbol)
            if value is None:
                raise InvalidInput("expression", needs=f"a value for {symbol}", got=None)
            ball = reader.balls[symbol] = reader.read(value) if isinstance(value, sympy.Expr) else value
        return ball

    return program


def _folded(operation: Callable[[Ball, Ball], Ball], parts: list[Program]) -> Program:
    first, *others = parts

    def program(reader: Reader) -> Ball:
        total = first(reader)
        for other in others:
            total = operation(total, other(reader))
        return total

    return program


def _refused(node: sympy.Expr, part: Compile) -> Program:
    """Refused where it is read, which a case of a piecewise formula may never be."""

    def program(reader: Reader) -> Ball:
        needs, got = "functions with a certified evaluation", type(node).__name__
        raise InvalidInput("expression", needs=needs, got=got)

    return program


def _power(node: sympy.Expr, part: Compile) -> Program:
    base, exponent = node.as_base_exp()
    above = part(exponent)
    if base is sympy.E:
        return lambda reader: above(reader).exp()
    below = part(base)
    if exponent.is_Integer:
        n = int(exponent)
        return lambda reader: _integer_power(below(reader), n)
    if exponent.is_Rational:
        return lambda reader: _rational_power(reader, below(reader), exponent, above)

    def program(reader: Reader) -> Ball:
        power = reader.exact(exponent)
        if power is not None and power.is_Rational:
            return _rational_power(reader, below(reader), power, above)
        return _general_power(reader, below(reader), above(reader))

    return program


def _rational_power(reader: Reader, x: Ball, power: sympy.Rational, above: Program) -> Ball:
    # plain integers: to compare them with sympy takes longer than the power
    over, under = power.p, power.q
    if under == 1:
        return _integer_power(x, int(over))
    if under == 2 and abs(over) == 1:
        return reader.sqrt(x) if over == 1 else 1 / reader.sqrt(x)
    return _general_power(reader, x, above(reader))


def _general_power(reader: Reader, x: Ball, y: Ball) -> Ball:
    if isinstance(x, arb) and isinstance(y, arb) and (x > 0 or (x.is_zero() and y > 0)):
        return x**y
    return acb(x).pow(acb(y), analytic=reader.analytic)


@lru_cache(maxsize=4096)
def _at(node: sympy.Expr, values: tuple[tuple[sympy.Symbol, sympy.Expr], ...]) -> sympy.Expr:
    return with_values(node, values)


def _integer_power(x: Ball, n: int) -> Ball:
    return x**n if isinstance(x, acb) else integer_power(x, n)


def integer_power(x: arb, n: int) -> arb:
    """x^n; python-flint's power of a real ball that straddles zero is not finite, a product of such balls is.

    Examples
    --------
    >>> around = arb(0, 1)
    >>> (around**2).is_finite(), integer_power(around, 2).contains(1)
    (False, True)
    """
    if n <= 0 or not x.contains(arb(0)):
        return x ** fmpz(n)
    result, square = arb(1), x
    while n:
        if n & 1:
            result = result * square
        n >>= 1
        square = square * square if n else square
    return result


# ---- functions -----------------------------------------------------------------------------------

Translate = Callable[[sympy.Expr, Compile], Program]
"""The program of a node of some kind."""


def _constant(value: Callable[[], Ball]) -> Translate:
    return lambda node, part: lambda reader: value()


def _of_balls(value: Callable[..., Ball]) -> Translate:
    """A function of the balls of its arguments."""

    def translate(node: sympy.Expr, part: Compile) -> Program:
        parts = [part(a) for a in node.args]
        return lambda reader: value(*(one(reader) for one in parts))

    return translate


def _method(name: str) -> Translate:
    """A function without branch cuts: the ball method of that name on the only argument."""

    def translate(node: sympy.Expr, part: Compile) -> Program:
        inner = part(node.args[0])
        return lambda reader: getattr(inner(reader), name)()

    return translate


def _cut(name: str, real_where: Callable[[arb], bool], off_cut: Callable[[acb], bool]) -> Translate:
    """A function with a branch cut: real where ``real_where`` is proved, the principal branch elsewhere."""

    def translate(node: sympy.Expr, part: Compile) -> Program:
        inner = part(node.args[0])

        def program(reader: Reader) -> Ball:
            x = inner(reader)
            if isinstance(x, arb) and real_where(x):
                return getattr(x, name)()
            z = acb(x)
            return not_analytic() if reader.analytic and not off_cut(z) else getattr(z, name)()

        return program

    return translate


def _off_negative(z: acb) -> bool:
    """Whether a ball is proved to avoid the cut from 0 to minus infinity."""
    return bool(z.real > 0 or z.imag != 0)


def _off_outer(z: acb) -> bool:
    """Whether a ball is proved to avoid the cuts from 1 and from -1 outwards."""
    return bool(abs(z.real) < 1 or z.imag != 0)


def _by_stretches(translate: Translate, there: Callable[..., sympy.Expr | None]) -> Translate:
    """A function that is nowhere complex-differentiable, such as |z|.

    Inside an integral it is read as the function ``there`` that it is on a stretch of the line, by the values of its
    arguments there, and refused if they are not real or do not tell.
    """

    def by_stretches(node: sympy.Expr, part: Compile) -> Program:
        program = translate(node, part)

        def read(reader: Reader) -> Ball:
            if not reader.analytic:
                return program(reader)
            line = reader.on_line()
            balls = [] if line is None else [line.read(argument) for argument in node.args]
            real = balls and all(isinstance(ball, arb) and ball.is_finite() for ball in balls)
            found = there(node, *balls) if real else None
            return not_analytic() if found is None else reader.read(found)

        return read

    return by_stretches


def _absolute(node: sympy.Expr, x: arb) -> sympy.Expr | None:
    (argument,) = node.args
    return argument if x >= 0 else (-argument if x <= 0 else None)


def _extreme(node: sympy.Expr, *balls: arb) -> sympy.Expr | None:
    beyond = ge if isinstance(node, sympy.Max) else le
    pairs = zip(node.args, balls, strict=True)
    return next((e for e, x in pairs if all(y is x or beyond(x, y) for y in balls)), None)


def _step(node: sympy.Expr, x: arb) -> sympy.Expr | None:
    step = x.floor() if isinstance(node, sympy.floor) else x.ceil()
    return sympy.Integer(int(step.mid().unique_fmpz() or 0)) if step.is_exact() else None


def _gamma(reader: Reader, node: sympy.Expr) -> Ball:
    exact = reader.exact(node.args[0])
    if exact is not None and exact.is_Rational:
        return arb.gamma_fmpq(fmpq(int(exact.p), int(exact.q)))
    return reader.read(node.args[0]).gamma()


def _factorial(reader: Reader, node: sympy.Expr) -> Ball:
    exact = reader.exact(node.args[0])
    if exact is not None and exact.is_Integer and exact >= 0:
        return arb.fac_ui(int(exact))
    return (reader.read(node.args[0]) + 1).gamma()


def _one_field(*balls: Ball) -> list[Any]:
    """The same balls, all real or all complex."""
    return list(balls) if all(isinstance(b, arb) for b in balls) else [acb(b) for b in balls]


def _rising(*balls: Ball) -> Ball:
    x, n = _one_field(*balls)
    return cast(Ball, x.rising(n))


def _binomial(reader: Reader, node: sympy.Expr) -> Ball:
    n, k = node.args
    top, low = reader.exact(n), reader.exact(k)
    if top is not None and low is not None and top.is_Integer and low.is_Integer:
        return arb(_whole_binomial(int(top), int(low)))
    above, below = _one_field(reader.read(n), reader.read(k))
    return (above + 1).gamma() * (below + 1).rgamma() * (above - below + 1).rgamma()


def _whole_binomial(n: int, k: int) -> int:
    """n (n - 1) ... (n - k + 1)/k!, for negative n too; 0 for negative k."""
    if k < 0:
        return 0
    return math.comb(n, k) if n >= 0 else (-1) ** k * math.comb(k - n - 1, k)


def _hyper(node: sympy.Expr, part: Compile) -> Program:
    parts, count = [part(a) for a in (node.argument, *node.ap, *node.bq)], len(node.ap)
    cut = count == len(node.bq) + 1

    def program(reader: Reader) -> Ball:
        z, *parameters = _one_field(*(one(reader) for one in parts))
        if cut and not (isinstance(z, arb) and z < 1):
            z, *parameters = (acb(a) for a in (z, *parameters))
            if reader.analytic and not _off_negative(1 - z):
                return not_analytic()
        # A wide argument leaves only a few bits of the value, and at many bits its series takes very long.
        with ctx.workprec(min(ctx.prec, 64) if z.rad() > WIDE else ctx.prec):
            return z.hypgeom(parameters[:count], parameters[count:])

    return program


def _of_order(name: str, entire: Callable[[arb], bool]) -> Translate:
    """A function of an order and an argument with a cut from 0 to minus infinity, but where it is ``entire``."""

    def translate(node: sympy.Expr, part: Compile) -> Program:
        first, second = (part(a) for a in node.args)

        def program(reader: Reader) -> Ball:
            order, z = first(reader), second(reader)
            if isinstance(order, arb) and isinstance(z, arb) and z > 0:
                return getattr(z, name)(order)
            whole = isinstance(order, arb) and order.is_integer() and entire(order)
            if reader.analytic and not whole and not _off_negative(acb(z)):
                return not_analytic()
            return getattr(acb(z), name)(acb(order))

        return program

    return translate


def _extremum(name: str) -> Translate:
    return _of_balls(lambda *balls: reduce(lambda a, b: getattr(a, name)(b), map(_on_the_line, balls)))


def _on_the_line(x: Ball) -> arb:
    """A value that is known to be real; not a number if it is not."""
    if isinstance(x, arb):
        return x
    return x.real if x.imag == 0 else arb.nan()


def _floor(reader: Reader, node: sympy.Expr) -> Ball:
    x = reader.read(node.args[0])
    if isinstance(x, acb):
        return not_analytic()
    floor = x.floor()
    if floor.is_exact() or not x.rad() < 1:
        return floor
    # Balls cannot decide at an integer, and sympy takes what is very near to one for it.
    exact, nearest = reader.exact(node.args[0]), (x + arb(0.5)).floor().unique_fmpz()
    at_integer = exact is not None and nearest is not None and vanishes(exact - int(nearest))
    return arb(nearest) if at_integer else floor


def _ceiling(reader: Reader, node: sympy.Expr) -> Ball:
    return -_floor(reader, sympy.floor(-node.args[0], evaluate=False))


def _remainder(reader: Reader, node: sympy.Expr) -> Ball:
    """What is left of a number after as many of the other one as are whole; it has the sign of the other one."""
    number, divisor = node.args
    return reader.read(number - divisor * sympy.floor(number / divisor, evaluate=False))


def _piecewise(reader: Reader, node: sympy.Expr) -> Ball:
    line = reader.on_line()
    if line is None:
        return not_analytic()
    values: list[Ball] = []
    for value, condition in node.args:
        truth = decide(condition, line)
        if truth is None and reader.analytic:
            return not_analytic()
        if truth is None and not reader.stretch:
            raise Undecided("piecewise formula", reached=f"the ball straddles the condition {condition}")
        if truth is not False:
            values.append(reader.read(value))
        if truth:
            return reduce(_hull, values)
    raise InvalidInput("piecewise formula", needs="a case for the given values", got=str(node))


def _hull(a: Ball, b: Ball) -> Ball:
    one, other = _one_field(a, b)
    return one.union(other)  # type: ignore[arg-type]


def decide(condition: sympy.Basic, reader: Reader) -> bool | None:
    """Truth of a relation in ball arithmetic: True, False, or None if the balls do not decide.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> reader = Reader({x: arb("3 +/- 0.5")})
    >>> decide(x > 2, reader), decide(x > 4, reader), decide(x > 3, reader)
    (True, False, None)
    """
    if condition in (sympy.true, True):
        return True
    if condition in (sympy.false, False):
        return False
    if isinstance(condition, sympy.And | sympy.Or):
        parts = [decide(a, reader) for a in condition.args]
        absorbing = isinstance(condition, sympy.Or)
        if absorbing in parts:
            return absorbing
        return None if None in parts else not absorbing
    if isinstance(condition, sympy.Not):
        inner = decide(condition.args[0], reader)
        return None if inner is None else not inner
    left, right = reader.exact(condition.lhs), reader.exact(condition.rhs)
    if left is not None and right is not None and type(condition) in SIGNS:
        truth = compared(left, SIGNS[type(condition)], right)
        if truth is not None:
            return truth
    return _compare(condition, reader.read(condition.lhs), reader.read(condition.rhs))


def _compare(condition: sympy.Basic, a: Ball, b: Ball) -> bool | None:
    if isinstance(a, acb) or isinstance(b, acb):
        raise InvalidInput("condition", needs="real sides", got=str(condition))
    if type(condition) not in SIGNS:
        raise InvalidInput("condition", needs="a relation", got=str(condition))
    return related(a, SIGNS[type(condition)], b)


def _finite_or_infinite_sum(reader: Reader, node: sympy.Sum) -> Ball:
    index, low, high = node.limits[-1]
    function = _inner(node)
    if high is sympy.oo:
        return _hypergeometric_sum(reader, function, index, reader.integer(low, "lower limit of a sum"))
    return sum(_terms(reader, function, index, low, high), start=arb(0))


def _terms(
    reader: Reader, function: sympy.Expr, index: sympy.Symbol, low: sympy.Expr, high: sympy.Expr
) -> Iterator[Ball]:
    """The terms of a finite sum or product; for an upper limit below an empty one's there are several conventions."""
    start, stop = reader.integer(low, "lower limit"), reader.integer(high, "upper limit")
    if stop < start - 1:
        raise InvalidInput("limits", needs=f"an upper limit of at least {start} - 1", got=stop)
    program = _program(function, index)
    return (program(reader.bind(index, sympy.Integer(k))) for k in range(start, stop + 1))


def _substituted(reader: Reader, node: sympy.Subs) -> Ball:
    """An expression at values of its symbols that are not substituted yet."""
    inner = reader
    for symbol, value in zip(node.variables, node.point, strict=True):
        exact = reader.exact(value)
        inner = inner.bind(symbol, reader.read(value) if exact is None else exact)
    return inner.read(node.expr)


@lru_cache(maxsize=512)
def _differentiated(node: sympy.Derivative) -> sympy.Expr:
    """The derivative itself; an integral asks for it at each of its points."""
    return node.doit()


def _derivative(reader: Reader, node: sympy.Derivative) -> Ball:
    found = _differentiated(node)
    if isinstance(found, sympy.Derivative) or node.has(sympy.Piecewise):  # none where cases meet
        raise InvalidInput("derivative", needs="a function with a known derivative", got=str(node))
    return reader.read(found)


def _product_node(reader: Reader, node: sympy.Product) -> Ball:
    result: Ball = arb(1)
    for term in _terms(reader, _inner(node), *node.limits[-1]):
        result = result * term
    return result


def _hypergeometric_sum(reader: Reader, term: sympy.Expr, index: sympy.Symbol, start: int) -> Ball:
    ratio = term_ratio(term, index)
    if ratio is None:
        raise InvalidInput("infinite sum", needs="a hypergeometric term", got=str(term))
    top, bottom = ([reader.read(c) for c in coefficients] for coefficients in ratio)
    if _never_geometric(top, bottom):
        raise NotCertified(
            "series", wanted="terms that fall as a geometric series", reached="their ratio tends to 1"
        )

    def direct(k: int) -> Any:
        return reader.bind(index, sympy.Integer(k)).read(term)

    def terms() -> Iterator[Any]:
        value, k = direct(start), start
        while True:
            if not value.is_finite():
                raise NotCertified("series", wanted="finite terms", reached=f"term {k} is {value.str(5)}")
            yield value
            if k & (k - 1) == 0 and grows(top, bottom, k):
                if value.is_zero():  # and so are all later terms
                    return
                raise NotCertified(
                    "series", wanted="terms that tend to 0", reached=f"they never shrink from term {k} on"
                )
            divisor = horner(bottom, k)
            # a zero term says nothing about the next one, because its ratio has a pole
            value = direct(k + 1) if divisor == 0 else value * horner(top, k) / divisor
            k += 1

    return certified_sum(terms(), lambda n: ratio_bound(top, bottom, start + n))


def _never_geometric(top: list[Ball], bottom: list[Ball]) -> bool:
    """Whether no number below 1 bounds the ratios of terms of one sign, from any term on."""
    positive = all(isinstance(c, arb) and c >= 0 for c in (*top, *bottom))
    return positive and len(top) == len(bottom) and bool(top[-1] == bottom[-1])


def _integral(reader: Reader, node: sympy.Integral) -> Ball:
    variable, low, high = node.limits[-1]
    function = _inner(node)
    if low is -sympy.oo:
        start = sympy.S.Zero if high is sympy.oo else -high
        left = _half_line(reader, function.subs(variable, -variable), variable, reader.read(start))
        return left + _half_line(reader, function, variable, arb(0)) if high is sympy.oo else left
    if high is sympy.oo:
        return _half_line(reader, function, variable, reader.read(low))

    start, end = _one_field(reader.read(low), reader.read(high))
    inside = reader.integrand(function, variable, start, end)
    short = (abs(end - start) * arb(2) ** -ctx.prec).upper()

    def integrand(z: acb, analytic: bool) -> acb:
        try:
            found = inside(z, analytic)
        except NotCertified:  # an inner integral that does not converge on such a wide ball: bisect further
            return not_analytic()
        if not (found.is_finite() or analytic or reader.analytic) and z.rad() < short and not z.is_exact():
            raise _undecided(function, f"near {variable}", z)  # a pole would be bisected for seconds
        return found

    somewhere = integrand(acb(start + (end - start) * 5 / 13), False)
    if reader.analytic and not (somewhere.is_finite() and somewhere.rad() < arb(2) ** (64 * ctx.prec)):
        return not_analytic()  # wherever one looks; or too wide a range of outer values to say anything
    if not reader.analytic:  # with such an end no part of the segment would do
        for place in (start, end):
            if not integrand(acb(place), False).is_finite():
                raise _undecided(function, f"at the end {variable}", place)
    goal = arb(2) ** -ctx.prec
    if somewhere.is_finite():  # inexact values of symbols leave this open, and so much of the integral
        goal = goal.max(somewhere.rad() * abs(end - start) / 16)
    value = acb(certified_integral(integrand, start, end, real=False, goal=goal))
    return value.real if _is_real(reader, function, variable, start.union(end)) else value


def _undecided(function: sympy.Expr, where: str, place: Ball) -> Undecided:
    what = f"{function} is finite {where} = {place.str(5, radius=False)}"
    return Undecided(what, reached=f"{ctx.prec} bits do not show it")


def _is_real(
    reader: Reader, function: sympy.Expr, variable: sympy.Symbol, segment: Ball, onwards: bool = False
) -> bool:
    """Whether a function is certainly real on a segment, or onwards: as a ball, or by its form and its symbols."""
    if not isinstance(segment, arb):
        return False
    if not onwards:
        with contextlib.suppress(RFTheoryError, ZeroDivisionError):
            if isinstance(Reader({variable: segment}, False, reader, variable).read(function), arb):
                return True
    ranges = {symbol: _range(reader.value(symbol)) for symbol in symbols_of(function) - {variable}}
    span = _range(segment)
    known = {symbol: found for symbol, found in ranges.items() if found is not None}
    if span is None or len(known) < len(ranges):
        return False
    return is_real(function, known | {variable: Range(span.low) if onwards else span})


def _range(value: sympy.Expr | Ball | None) -> Range | None:
    """The range of a real value; None if it need not be real."""
    if isinstance(value, arb) and value.is_finite():
        low, high = bounds(value)
        return Range(sympy.Rational(low), sympy.Rational(high))
    return Range(value, value) if isinstance(value, sympy.Expr) and value.is_real else None


def _inner(node: sympy.Expr) -> sympy.Expr:
    """The body of the outermost sum or integral of a node with several limits (sympy merges nested ones)."""
    return node.function if len(node.limits) == 1 else node.func(node.function, *node.limits[:-1])


def _half_line(reader: Reader, function: sympy.Expr, variable: sympy.Symbol, low: Ball) -> Ball:
    """Integral over [low, oo) of a product of powers, exponentials and bounded waves, cut where the tail is negligible.

    Without its sines and cosines (at most 1 in modulus) the integrand is g, where g'/g is a Laurent polynomial D. If
    Re D <= -1/4 on [T, oo), |g| falls at least like exp(-(w - T)/4) there, so the tail is at most 4 |g(T)|.
    """
    if function.has(sympy.Integral, sympy.Sum):
        raise InvalidInput(
            "infinite integral", needs="an integrand without inner sums and integrals", got=str(function)
        )
    majorant, waves, slopes = _logarithmic_slope(function, variable)
    if not _is_real(reader, waves, variable, low, onwards=True):
        if reader.analytic:
            return not_analytic()
        raise InvalidInput("infinite integral", needs="waves of real numbers", got=str(function))
    slope = {j: acb(reader.read(c)).real for j, c in slopes}
    cut, goal = arb(2) + abs(acb(low)).upper(), arb(2) ** (-ctx.prec)
    for _ in range(200):
        tail = 4 * abs(acb(reader.bind(variable, cut).read(majorant))).upper()
        if _falls_beyond(slope, cut) and tail <= goal:
            break
        cut = cut * arb("1.25")
    else:
        raise NotCertified(
            "integral",
            wanted="a negligible tail",
            reached=f"no fall-off seen up to {cut.str(5, radius=False)}",
        )

    value = certified_integral(reader.integrand(function, variable, low, cut), low, cut, real=False)
    value = acb(value) + widen(tail, complex_=True)
    return value.real if _is_real(reader, function, variable, low, onwards=True) else value


@lru_cache(maxsize=512)
def _logarithmic_slope(
    function: sympy.Expr, variable: sympy.Symbol
) -> tuple[sympy.Expr, sympy.Expr, tuple[tuple[int, sympy.Expr], ...]]:
    """The integrand without its waves, and the waves; the coefficients, by power, of the former's logarithmic slope."""
    factors = sympy.Mul.make_args(function)
    parts = [p for p in factors if not isinstance(p, sympy.sin | sympy.cos)]
    waves = sympy.Mul(*(p for p in factors if isinstance(p, sympy.sin | sympy.cos)))
    majorant = sympy.Mul(*parts)
    slope = sympy.Add(*(_factor_slope(p, variable) for p in parts if p.has(variable)))
    coefficients: dict[int, sympy.Expr] = {}
    for term in sympy.Add.make_args(slope):
        coefficient, power = term.as_independent(variable)
        exponent = power.as_base_exp()[1] if power != 1 else sympy.S.Zero
        if power not in (1, variable**exponent) or not exponent.is_Integer:
            raise InvalidInput(
                "infinite integral", needs="powers, exponentials of polynomials and waves", got=str(function)
            )
        coefficients[int(exponent)] = coefficients.get(int(exponent), sympy.S.Zero) + coefficient
    return majorant, waves, tuple(sorted(coefficients.items()))


def _factor_slope(factor: sympy.Expr, variable: sympy.Symbol) -> sympy.Expr:
    """Logarithmic derivative of one factor base^exponent, expanded in powers of the variable."""
    base, exponent = factor.as_base_exp()
    if base is sympy.E:
        return sympy.expand(derivative(exponent, variable))
    if exponent.has(variable):
        raise InvalidInput(
            "infinite integral", needs="powers, exponentials of polynomials and waves", got=str(factor)
        )
    return sympy.expand(exponent * sympy.cancel(derivative(base, variable) / base))


def _falls_beyond(slope: Mapping[int, arb], cut: arb) -> bool:
    """Whether sum_j c_j w^j <= -1/4 is proved for all w >= cut, through u = 1/w in [0, 1/cut]."""
    top = max(*slope, 0)
    u = arb(0).union(1 / cut)
    total = u**top / 4
    for j, c in slope.items():
        total += c * u ** (top - j)
    return bool(total <= 0)


def _by_reading(read: Callable[[Reader, sympy.Expr], Ball]) -> Translate:
    """A kind of expression that looks at more than the balls of its arguments."""
    return lambda node, part: lambda reader: read(reader, node)


_TRANSLATORS: dict[type, Translate] = {
    **{getattr(sympy, name): _method(name)
        for name in ("exp", "cos", "sin", "tan", "cosh", "sinh", "tanh", "erf", "erfc")},
    **{getattr(sympy, name): _cut(name, lambda x: True, lambda z: _off_outer(z * acb(0, 1)))
        for name in ("atan", "asinh")},
    **{getattr(sympy, name): _cut(name, lambda x: bool(x >= -1) and bool(x <= 1), _off_outer)
        for name in ("acos", "asin")},
    sympy.Abs: _by_stretches(_of_balls(abs), _absolute),
    sympy.log: _cut("log", lambda x: bool(x > 0), _off_negative),
    sympy.loggamma: _cut("lgamma", lambda x: bool(x > 0), _off_negative), sympy.gamma: _by_reading(_gamma),
    sympy.factorial: _by_reading(_factorial), sympy.RisingFactorial: _of_balls(_rising),
    sympy.binomial: _by_reading(_binomial), sympy.hyper: _hyper,
    **{getattr(sympy, name): _of_order(method, lambda order: True)
        for name, method in (("besselj", "bessel_j"), ("besseli", "bessel_i"))},
    sympy.besselk: _of_order("bessel_k", lambda order: False),
    **{getattr(sympy, name): _of_order(method, lambda order: bool(order > 0))
        for name, method in (("uppergamma", "gamma_upper"), ("lowergamma", "gamma_lower"))},
    sympy.re: _by_stretches(_of_balls(lambda x: acb(x).real), lambda node, x: node.args[0]),
    sympy.im: _by_stretches(_of_balls(lambda x: acb(x).imag), lambda node, x: sympy.S.Zero),
    sympy.conjugate: _by_stretches(
        _of_balls(lambda x: x if isinstance(x, arb) else x.conjugate()), lambda node, x: node.args[0]
    ),
    sympy.floor: _by_stretches(_by_reading(_floor), _step), sympy.ceiling: _by_stretches(_by_reading(_ceiling), _step),
    sympy.Mod: _by_reading(_remainder),
    **{kind: _by_stretches(_extremum(name), _extreme) for kind, name in ((sympy.Max, "max"), (sympy.Min, "min"))},
    sympy.Piecewise: _by_reading(_piecewise), sympy.Derivative: _by_reading(_derivative),
    sympy.Subs: _by_reading(_substituted), sympy.Sum: _by_reading(_finite_or_infinite_sum),
    sympy.Product: _by_reading(_product_node), sympy.Integral: _by_reading(_integral),
    type(sympy.pi): _constant(arb.pi), type(sympy.E): _constant(lambda: arb(1).exp()),
    type(sympy.I): _constant(lambda: acb(0, 1)), type(sympy.EulerGamma): _constant(arb.const_euler),
}  # fmt: skip


def register_reader(kind: type[sympy.Expr], read: Callable[[Reader, sympy.Expr], Ball]) -> None:
    """Teach `evaluate` a kind of expression; ``read`` receives the reader of the whole expression and the node.

    Examples
    --------
    >>> class Twice(sympy.Function):
    ...     nargs = 1
    >>> register_reader(Twice, lambda reader, node: 2 * reader.read(node.args[0]))
    >>> evaluate(Twice(sympy.Integer(3)))
    6.00000000000000
    """
    _TRANSLATORS[kind] = _by_reading(read)


decide_by(ball=evaluate)
