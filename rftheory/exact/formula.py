"""Formulas: one definition gives a sympy expression, LaTeX, text and enclosures.

A :class:`Formula` has one definition, a sympy expression in named variables with a domain. Further *routes* to the
same value (a printed series, an integral, a recurrence in ball arithmetic) are stored with it. No route is
trusted: :meth:`Formula.agree` evaluates several of them, and their enclosures must overlap.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import sympy
from flint import acb, arb, ctx, fmpq
from sympy import S

from rftheory.errors import InvalidInput, NotCertified, OutsideDomain, UnknownName
from rftheory.exact.enclosure import (
    MAX_DIGITS,
    MAX_EXPONENT,
    Ball,
    Enclosure,
    Exact,
    certify,
    checked_digits,
    climb,
    exact_number,
    rational_ball,
)
from rftheory.exact.evaluate import Reader, decide, evaluate, evaluate_real
from rftheory.exact.ranges import Range
from rftheory.exact.substitution import with_values
from rftheory.exact.typeset import typeset

Algorithm = Callable[..., Ball]


@dataclass(frozen=True)
class Variable:
    """A variable of a formula with its domain.

    Attributes
    ----------
    symbol : the sympy symbol; its name is the keyword of :meth:`Formula.enclose`.
    about : what it is, one line.
    integer : only integers are accepted.
    low, high : closed ends of the domain, or None.
    above, below : open ends of the domain, or None.
    default : the value if none is given, or None for a required variable.
    complex : complex values are accepted (bounds do not apply).
    tied : in a step of a proof, a sum over the same values as other variables, so it cannot be chosen freely.

    Examples
    --------
    >>> dimension = Variable(sympy.Symbol("d"), "data dimension", integer=True, low=2)
    >>> dimension.domain
    'integer d >= 2'
    >>> dimension.read("1", "simrf_conformity")
    Traceback (most recent call last):
    ...
    rftheory.errors.OutsideDomain: simrf_conformity: needs d >= 2, got 1
    """

    symbol: sympy.Symbol
    about: str
    integer: bool = False
    low: Exact | None = None
    high: Exact | None = None
    above: Exact | None = None
    below: Exact | None = None
    default: Exact | None = None
    complex: bool = False
    tied: bool = False

    @cached_property
    def name(self) -> str:
        return str(self.symbol.name)

    @property
    def domain(self) -> str:
        """The domain in words, such as ``integer d >= 2``."""
        kind = "integer " if self.integer else ("complex " if self.complex else "")
        bounds = [text for text, _, _ in self._conditions]
        return kind + (" and ".join(bounds) if bounds else self.name)

    @property
    def range(self) -> Range:
        """The domain of a real variable as a range.

        Examples
        --------
        >>> Variable(sympy.Symbol("d"), "dimension", integer=True, low=2).range.positive
        True
        """
        low = self.low if self.low is not None else self.above
        high = self.high if self.high is not None else self.below
        return Range(
            S.NegativeInfinity if low is None else sympy.sympify(low),
            S.Infinity if high is None else sympy.sympify(high),
            self.low is None and self.above is not None,
            self.high is None and self.below is not None,
        )

    def needs(self, value: sympy.Expr) -> list[sympy.Basic]:
        """The orderings that a value must satisfy; none of a complex variable.

        Examples
        --------
        >>> Variable(sympy.Symbol("theta"), "angle", low=0, high=sympy.pi).needs(sympy.Symbol("t"))
        [t >= 0, t <= pi]
        """
        ends = (
            (self.low, sympy.GreaterThan), (self.above, sympy.StrictGreaterThan),
            (self.high, sympy.LessThan), (self.below, sympy.StrictLessThan),
        )  # fmt: skip
        found = [than(value, sympy.sympify(end), evaluate=False) for end, than in ends if end is not None]
        return [] if self.complex else found

    def read(self, value: object, subject: str) -> sympy.Expr:
        """The value as an exact number, or an error that names formula, condition and value."""
        number = exact_number(value, f"{subject}: {self.name}")
        rational = number.is_Rational
        if not rational:
            self._check_size(number, subject)
        if self.integer and not number.is_Integer:
            raise OutsideDomain(subject, needs=f"an integer {self.name}", got=_plain(number))
        for text, inside, bound in self._conditions:
            # integers and rationals are compared as Python integers: sympy's own relations are slow
            if rational and bound.is_Rational:
                truth: bool | None = bool(inside(number.p * bound.q, bound.p * number.q))
            else:
                sign = sign_of(number - bound)
                truth = None if sign is None else bool(inside(sign, 0))
            if truth is None:
                raise InvalidInput(
                    f"{subject}: {self.name}",
                    needs=f"a number for which {text} can be decided",
                    got=str(number),
                    hint=f"to {SIGN_BITS[-1]} bits it is {bound}; if so, write that",
                )
            if not truth:
                raise OutsideDomain(subject, needs=text, got=_plain(number))
        return number

    def _check_size(self, number: sympy.Expr, subject: str) -> None:
        """Refuse a number that is not real, or beyond the largest power of ten that text may have."""
        with ctx.workprec(SIGN_BITS[0]):
            ball = acb(evaluate(number))
            largest = arb(10) ** MAX_EXPONENT
        if not (ball.is_finite() and ball.abs_lower() < largest):
            raise InvalidInput(
                f"{subject}: {self.name}", needs=f"a number below 1e{MAX_EXPONENT}", got=str(number)
            )
        if not self.complex and (number.is_real is False or not ball.imag.contains(0)):
            raise OutsideDomain(subject, needs=f"a real {self.name}", got=str(number))

    @cached_property
    def _conditions(self) -> list[tuple[str, Callable[[sympy.Expr, sympy.Expr], object], sympy.Expr]]:
        ends = (
            (self.low, ">=", operator.ge),
            (self.above, ">", operator.gt),
            (self.high, "<=", operator.le),
            (self.below, "<", operator.lt),
        )
        return [
            (f"{self.name} {sign} {end}", inside, exact_number(end))
            for end, sign, inside in ends
            if end is not None
        ]


SIGN_BITS = (128, 512, 2048, 8192)
"""Working precisions at which the sign of a difference is sought."""


def sign_of(number: sympy.Expr) -> int | None:
    """1, 0 or -1 for a real constant; None if it appears to be 0 but this is not proved.

    Examples
    --------
    >>> sign_of(sympy.sqrt(2) - 1), sign_of(sympy.Integer(0)), sign_of(sympy.log(6) - sympy.log(2) - sympy.log(3))
    (1, 0, None)
    """
    if number.is_Rational:
        return int(number.p > 0) - int(number.p < 0)
    ball, _ = climb(lambda: evaluate_real(number), lambda ball: ball > 0 or ball < 0, SIGN_BITS)
    return None if ball is None else (1 if ball > 0 else -1)


def _plain(number: sympy.Expr) -> object:
    """A short native form of an exact number, for error messages."""
    if number.is_Rational and max(int(number.p).bit_length(), int(number.q).bit_length()) > 1000:
        return str(rational_ball(number).str(10, radius=False))
    if number.is_Integer:
        return int(number)
    if number.is_Rational:
        p, q = int(number.p), int(number.q)
        return p / q if not q & (q - 1) and (p / q).as_integer_ratio() == (p, q) else f"{p}/{q}"
    return str(number)


@dataclass(frozen=True)
class Condition:
    """A relation between several variables, such as ``m <= d``.

    Attributes
    ----------
    text : the relation in words.
    relation : the relation that text and rationals must satisfy.
    rounded : the relation within rounding, for values given as floats; None: the same relation.

    Examples
    --------
    >>> m, d = sympy.symbols("m d")
    >>> within_block = Condition("m <= d", m <= d)
    >>> within_block.relation.subs({m: 65, d: 64})
    False
    """

    text: str
    relation: sympy.Basic
    rounded: sympy.Basic | None = None

    def asked(self, values: Iterable[object]) -> sympy.Basic:
        """The relation that these values, as given, must satisfy."""
        floats = self.rounded is not None and any(isinstance(value, float) for value in values)
        return self.rounded if floats else self.relation


OTHER_BITS = 64
"""Working precision, in bits per digit, up to which a route is tried because another one has refused."""

Practical = Callable[[Mapping[str, sympy.Expr]], bool]


def everywhere(values: Mapping[str, sympy.Expr]) -> bool:
    """True: the route is practical at all values.

    Examples
    --------
    >>> everywhere({"d": sympy.Integer(10) ** 6})
    True
    """
    return True


DIGITS_OF_INTEGRALS = 300
"""The most digits for which a quadrature takes only seconds."""


@dataclass(frozen=True)
class Route:
    """One way to the value of a formula.

    Attributes
    ----------
    name : short name, such as ``series (23)``.
    how : an expression that is evaluated as a ball, or an algorithm ``how(**values) -> ball`` that receives integer
        variables as ``int`` and the others as balls, inside a precision context.
    note : where it comes from and why it is valid.
    practical : decides from the exact values whether the route is fast enough.
    rational : whether the algorithm takes rational values as ``fmpq`` instead of balls.
    digits : the most digits for which it is worth running.
    exact : whether the algorithm takes the exact values as expressions, to decide what no precision does.
    valid : decides from the exact values whether the route gives the value, as one for n = 2 does not at n = 3.

    Examples
    --------
    >>> size = Variable(sympy.Symbol("t"), "a number")
    >>> Route("product", lambda t: t * t).ball((size,), {"t": sympy.Integer(3)}).contains(9)
    True
    """

    name: str
    how: sympy.Expr | Algorithm
    note: str = ""
    practical: Practical = everywhere
    rational: bool = False
    digits: int = MAX_DIGITS
    exact: bool = False
    valid: Practical = everywhere

    def pays(self, values: Mapping[str, sympy.Expr], digits: int) -> bool:
        """Whether the route is valid and worth running for so many digits: with a quadrature, for a few hundred.

        Examples
        --------
        >>> Route("slow", lambda t: t, digits=300).pays({"t": sympy.Integer(3)}, 1000)
        False
        """
        integral = isinstance(self.how, sympy.Expr) and self.how.has(sympy.Integral)
        if digits > (min(self.digits, DIGITS_OF_INTEGRALS) if integral else self.digits):
            return False
        try:
            return bool(self.valid(values) and self.practical(values))
        except TypeError:  # a comparison that sympy cannot decide
            return False

    def ball(self, variables: tuple[Variable, ...], values: Mapping[str, sympy.Expr]) -> Ball:
        """The value at the current precision."""
        if isinstance(self.how, sympy.Expr):
            return evaluate(self.how, {v.symbol: values[v.name] for v in variables})
        if self.exact:
            return self.how(**{v.name: values[v.name] for v in variables})
        return self.how(**{v.name: self._argument(values[v.name], v.integer) for v in variables})

    def _argument(self, value: sympy.Expr, integer: bool) -> int | fmpq | Ball:
        if integer:
            return int(value)
        if not value.is_Rational:
            return evaluate(value)
        return fmpq(int(value.p), int(value.q)) if self.rational else rational_ball(value)


@dataclass(frozen=True)
class Formula:
    """A closed form with its domain, its source and several routes to its value.

    Attributes
    ----------
    name : stable identifier, the NAME of ``rftheory eval NAME``.
    says : one line.
    source : claim ids or references.
    variables : the variables, in the order of display.
    expression : the definition.
    routes : other ways to the same value.
    conditions : relations between variables.
    fast : name of the route that :meth:`enclose` uses (``definition`` is the expression itself).
    readable : whether the definition can be evaluated as a ball; False for an expectation or a maximum, which
        only the routes compute.
    practical : where evaluating the definition is fast enough, as for routes.
    zero : a relation under which the value is exactly 0, which no precision proves from a difference of balls.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> square = Formula("square_root", "the square root", "textbook", (Variable(x, "a number", low=0),), sympy.sqrt(x))
    >>> print(square.enclose(30, x="2"))
    1.41421356237309504880168872421
    >>> square.latex
    '\\\\sqrt{x}'
    """

    name: str
    says: str
    source: str
    variables: tuple[Variable, ...]
    expression: sympy.Expr
    routes: tuple[Route, ...] = ()
    conditions: tuple[Condition, ...] = ()
    fast: str = "definition"
    readable: bool = True
    practical: Practical = everywhere
    zero: sympy.Basic = sympy.false

    @property
    def latex(self) -> str:
        return typeset(self.expression)

    @property
    def domain(self) -> str:
        """The domain of all variables, in words."""
        return ", ".join([v.domain for v in self.variables] + [c.text for c in self.conditions])

    @cached_property
    def all_routes(self) -> dict[str, Route]:
        """The definition (if it can be evaluated as a ball) and all other routes, by name."""
        own = Route("definition", self.expression, practical=self.practical)
        definition = {"definition": own} if self.readable else {}
        return {**definition, **{r.name: r for r in self.routes}}

    def read(self, values: Mapping[str, object]) -> dict[str, sympy.Expr]:
        """Exact values of all variables, checked against the domain.

        Raises
        ------
        UnknownName : a value for a variable that the formula does not have.
        InvalidInput, OutsideDomain : a value is missing, not a number, or outside the domain.
        """
        names = [v.name for v in self.variables]
        for given in values:
            if given not in names:
                raise UnknownName(f"variable of {self.name}", given, names)
        exact = {}
        for variable in self.variables:
            value = values.get(variable.name, variable.default)
            if value is None:
                raise InvalidInput(
                    self.name, needs=f"a value for {variable.name} ({variable.about})", got=None
                )
            exact[variable.name] = variable.read(value, self.name)
        for condition in self.conditions:
            if not self._holds(condition.asked(values.values()), exact):
                got = ", ".join(
                    f"{n}={_plain(x)}"
                    for n, x in exact.items()
                    if any(n == s.name for s in condition.relation.free_symbols)
                )
                raise OutsideDomain(self.name, needs=condition.text, got=got)
        return exact

    def _holds(self, relation: sympy.Basic, exact: Mapping[str, sympy.Expr]) -> bool:
        truth = with_values(relation, {v.symbol: exact[v.name] for v in self.variables})
        with ctx.workprec(SIGN_BITS[-1]):
            return decide(truth, Reader({})) is True

    def enclose(self, digits: int = 30, *, route: str | None = None, **values: object) -> Enclosure:
        """The value with ``digits`` proved significant digits.

        Parameters
        ----------
        digits : significant digits, 1 to 100000.
        route : name of a route; by default the fast one.
        values : one for each variable: text and rationals are exact, a float means its binary value.

        Raises
        ------
        OutsideDomain, InvalidInput, UnknownName : bad values.
        NotCertified : the digits could not be proved.
        """
        return self.found(digits, route=route, **values)[1]

    def found(self, digits: int = 30, *, route: str | None = None, **values: object) -> tuple[str, Enclosure]:
        """The value, as from :meth:`enclose`, and the name of the route that computed it.

        If no route is requested and the fast one refuses, the other practical ones are tried in order.
        """
        exact = self.read(values)
        if route is None and self._holds(self.zero, exact):
            return "exact zero", certify(lambda: arb(0), digits, self._call(exact))
        first: NotCertified | None = None
        for name in [self._valid(route, exact)] if route else self._by_speed(exact, digits):
            compute = partial(self._route(name).ball, self.variables, exact)
            most = None if first is None else OTHER_BITS * (digits + 16)
            try:
                return name, certify(compute, digits, self._call(exact), most)
            except NotCertified as error:
                if error.by_any_route:
                    raise
                first = first or error
        assert first is not None
        raise first

    def _valid(self, route: str, exact: Mapping[str, sympy.Expr]) -> str:
        """The name of a route, which must give the value at these numbers."""
        asked = self._route(route)
        if not asked.valid(exact):
            others = ", ".join(name for name, other in self.all_routes.items() if other.valid(exact))
            raise OutsideDomain(self._call(exact), needs=f"a route that is valid there: {others}", got=route)
        return route

    def _by_speed(self, exact: Mapping[str, sympy.Expr], digits: int) -> Iterator[str]:
        """The fast route, then the other practical ones; the definition, often the slowest, comes last."""
        yield self.fast
        others = [n for n, r in self.all_routes.items() if n != self.fast and r.pays(exact, digits)]
        yield from sorted(others, key=lambda name: name == "definition")

    def ball(self, **values: object) -> Ball:
        """The value as a ball at the current precision, by the fast route, without a guarantee on its width."""
        return self._route(self.fast).ball(self.variables, self.read(values))

    def agree(
        self,
        digits: int = 30,
        *,
        names: tuple[str, ...] | None = None,
        refused: dict[str, NotCertified] | None = None,
        **values: object,
    ) -> dict[str, Enclosure]:
        """Enclosures by every route that is practical at these values.

        If the value is exactly 0, by its relation or by a route that proves it, the other routes give balls with
        ``digits`` decimals, which must contain it. Routes that cannot prove their digits are put into ``refused``, if
        given, and the others are compared.

        Raises
        ------
        NotCertified : a route could not prove its digits.
        InvalidInput : two enclosures do not overlap, so one of the routes is wrong.
        """
        digits = checked_digits(digits)
        exact = self.read(values)
        found: dict[str, Enclosure] = {}
        vanishes = self._holds(self.zero, exact)
        if vanishes:
            found["exact zero"] = Enclosure(arb(0), digits, self._call(exact))
        # the fast one first: it may prove an exact 0, which the others then need not
        for name in sorted(self.all_routes, key=lambda name: name != self.fast):
            route = self.all_routes[name]
            if (names is None or name in names) and route.pays(exact, digits):
                compute = partial(route.ball, self.variables, exact)
                try:
                    found[name] = certify(
                        compute, digits, f"{self._call(exact)} by {name}", absolute=vanishes
                    )
                except NotCertified as error:
                    if refused is None:
                        raise
                    refused[name] = error
                else:
                    vanishes = vanishes or found[name].ball == 0
        found = {name: found[name] for name in ("exact zero", *self.all_routes) if name in found}
        if not found and refused:
            raise next(iter(refused.values()))
        if not found:
            raise NotCertified(self._call(exact), wanted=f"{digits} digits", reached="no route goes so far")
        first_name, first = next(iter(found.items()))
        for name, other in found.items():
            if not first.overlaps(other):
                raise InvalidInput(
                    self._call(exact),
                    needs=f"routes {first_name!r} and {name!r} to agree",
                    got=f"{first.shown()} and {other.ball.str(15) if vanishes else other}",
                )
        return found

    def _route(self, name: str) -> Route:
        if not isinstance(name, str) or name not in self.all_routes:
            raise UnknownName(f"route of {self.name}", name, self.all_routes)
        return self.all_routes[name]

    def _call(self, exact: Mapping[str, sympy.Expr]) -> str:
        return f"{self.name}({', '.join(f'{n}={_plain(x)}' for n, x in exact.items())})"


def logarithms(formula: Formula, *names: str) -> tuple[Route, ...]:
    """Routes to the logarithm of a formula: the logarithm of each of its routes, or of those named.

    They are for a formula of the logarithm, which adds its own route, and practical where the routes themselves are.

    Examples
    --------
    >>> t = sympy.Symbol("t", positive=True)
    >>> square = Formula("a square", "", "", (Variable(t, "a number", above=0),), t**2,
    ...                  (Route("product", lambda t: t * t),))
    >>> [route.name for route in logarithms(square, "product")]
    ['log of product']
    >>> doubled = Formula("log of a square", "", "", square.variables, 2 * sympy.log(t), logarithms(square))
    >>> sorted(doubled.agree(20, t=3))
    ['definition', 'log of definition', 'log of product']
    """
    chosen = names or tuple(formula.all_routes)
    return tuple(
        Route(
            f"log of {name}",
            _logarithm(formula.all_routes[name].how),
            f"logarithm of: {formula.all_routes[name].note or formula.says}",
            formula.all_routes[name].practical,
            formula.all_routes[name].rational,
            formula.all_routes[name].digits,
            valid=formula.all_routes[name].valid,
        )
        for name in chosen
    )


def _logarithm(how: sympy.Expr | Algorithm) -> sympy.Expr | Algorithm:
    return (
        sympy.log(how, evaluate=False)
        if isinstance(how, sympy.Expr)
        else lambda **values: how(**values).log()
    )


FORMULAS: dict[str, Formula] = {}


def register(formula: Formula) -> Formula:
    """Add a formula to the registry that ``rftheory eval`` reads; names are unique.

    Examples
    --------
    >>> fresh = register(Formula("example", "", "", (), sympy.Integer(1)))
    >>> register(Formula("example", "another", "", (), sympy.Integer(2)))
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: register: needs a new formula name, got 'example'
    >>> FORMULAS.pop("example") is fresh
    True
    """
    known = FORMULAS.get(formula.name)
    # the same formula may be registered again if its module is imported again after an interrupted import
    if known is not None and (known.says, known.source) != (formula.says, formula.source):
        raise InvalidInput("register", needs="a new formula name", got=formula.name)
    FORMULAS[formula.name] = formula
    return formula
