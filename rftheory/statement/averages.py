"""Averages of quantities over data: pairs of inputs x ~ N(0, s^2 I) and y ~ N(0, t^2 I), independent of each other.

A quantity that is a sum of terms v^2j z^2k exp(a v^2 + b z^2) f(v^2), v = |x + y|, z = |x - y|, has an average. With
D = 1 - 2 (s^2 + t^2)(a + b) + 16 s^2 t^2 a b one has E exp(a v^2 + b z^2) = D^(-d/2), and under this density the
coordinates of x + y are normal with the variance r = (s^2 + t^2 - 8 s^2 t^2 b)/D. Powers of v^2 and z^2 are derivatives
in a and b. As E v^2k = (2 r)^k (d/2)_k, a hypergeometric series in v^2 becomes another one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy
from sympy import S

from rftheory.errors import NotKnown, OutsideDomain
from rftheory.exact.enclosure import Ball
from rftheory.exact.evaluate import evaluate, register_reader
from rftheory.exact.formula import Variable
from rftheory.exact.order import in_order
from rftheory.exact.substitution import with_values
from rftheory.exact.symbols import d as DIM
from rftheory.exact.symbols import v, z
from rftheory.exact.truth import STRICT
from rftheory.exact.vanishing import vanishes
from rftheory.spec.expressions import is_whole
from rftheory.statement.atoms import Closed, FormulaOf, PairMean, read_atom
from rftheory.statement.declared import FINDERS, require_declared

if TYPE_CHECKING:
    from rftheory.statement.domain import Domain


class _Norm(sympy.Dummy):
    """|x + y| or |x - y| where it is averaged over: no value is put in its place."""

    def _sympystr(self, printer: Any) -> str:
        return self.name

    _latex = _sympystr


V, Z = _Norm("v", nonnegative=True), _Norm("z", nonnegative=True)
_a, _b = sympy.Dummy("a"), sympy.Dummy("b")


@dataclass(frozen=True)
class Average:
    """What is averaged, in `V` and `Z`, and the scales of x and of y.

    Examples
    --------
    >>> s = sympy.Symbol("s", positive=True)
    >>> print(Average(V**2, s, 2 * s).says, Average(V**2, s, s).symbols)
    average(v**2, x ~ N(0, s**2 I), y ~ N(0, 4*s**2 I)) (d, s)
    """

    side: sympy.Expr
    x: sympy.Expr
    y: sympy.Expr

    @property
    def says(self) -> str:
        """What it is, in words."""
        return f"average({self.side}, x ~ N(0, {self.x**2} I), y ~ N(0, {self.y**2} I))"

    @property
    def symbols(self) -> tuple[sympy.Symbol, ...]:
        """Its free symbols, with the dimension."""
        free = {DIM, *self.side.free_symbols, *self.x.free_symbols, *self.y.free_symbols} - {V, Z}
        return tuple(sorted(free, key=str))

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The same with what a formula says of its variables."""
        return tuple(
            Variable(symbol, "", integer=True, low=1) if symbol == DIM else Variable(symbol, "")
            for symbol in self.symbols
        )


AVERAGES: dict[str, Average] = {}
"""Averages by name."""
FINDERS["average"] = AVERAGES.__getitem__
GIVEN: dict[str, Callable[..., Any]] = {}
"""What those files give that import this one: the ``domain`` of relations, and expressions with laws ``reduced``."""


def _given(word: str) -> Callable[..., Any]:
    """One of these; a note that is not judged yet has not loaded them."""
    importlib.import_module("rftheory.statement.provers.reduce")
    return GIVEN[word]


class AverageOf(FormulaOf):
    """An average over data: its name, then pairs of a variable's name and its value.

    Examples
    --------
    >>> s = sympy.Symbol("s", positive=True)
    >>> found = AverageOf.over(sympy.exp(v**2), s, s)
    >>> found, found.written_out(), found.needs
    (average(exp(v**2), x ~ N(0, s**2 I), y ~ N(0, s**2 I)), (1 - 4*s**2)**(-d/2), [s < 1/2])
    >>> found.subs(s, sympy.Rational(1, 4)).written_out()
    (3/4)**(-d/2)
    """

    kind = "average"

    @classmethod
    def over(cls, side: sympy.Expr, x: sympy.Expr, y: sympy.Expr) -> AverageOf:
        """The average of an expression in v and z, with the scales of x and of y."""
        average = Average(side.xreplace({v: V, z: Z}), x, y)
        # symbols of one name may differ in what they can be
        names = (average.says + n * "'" for n in count())
        name = next(name for name in names if AVERAGES.setdefault(name, average) == average)
        return cls.of(name, **{symbol.name: symbol for symbol in average.symbols})

    @property
    def now(self) -> Average:
        """What is averaged, with its values in the place of its variables."""
        average = self.meant
        require_declared((average.side,))
        return Average(*(with_values(part, self.given) for part in (average.side, average.x, average.y)))

    def within(self, domain: Domain) -> Closed:
        """The closed form over a domain.

        Raises
        ------
        NotKnown : it has none, with the reason.
        """
        return _closed(self.now, self.values["d"], domain)

    def at_mean_pair(self, domain: Domain) -> sympy.Expr | None:
        """The same side at v^2 = z^2 = d (s^2 + t^2), if it is linear in v^2 and z^2; else None.

        Raises
        ------
        NotKnown : its terms are not known.
        """
        now, d = self.now, self.values["d"]
        if not all(part.is_linear for part in _parts_of(now, domain)):
            return None
        length = sympy.sqrt(d * (now.x**2 + now.y**2))
        return with_values(now.side, {V: length, Z: length})

    @property
    def _known(self) -> Closed:
        """The closed form wherever the laws in it exist; at numbers most often that of its variables, with values."""
        average, given = self.meant, self.given
        require_declared((average.side,))
        if any(value.free_symbols for value in given.values()):
            return self.within(_wherever(self.now, self.values["d"]))
        if _wherever(average, DIM).contains(given):
            found = _tried(average)
            if isinstance(found, NoAverage):
                raise found
            if isinstance(found, Closed):
                needs = (
                    one.func(*(with_values(e, given) for e in one.args), evaluate=False)
                    for one in found.needs
                )
                return Closed(with_values(found.expression, given), tuple(needs))
        return self.within(_given("domain")())

    @property
    def needs(self) -> list[sympy.Basic]:
        """The orderings under which it is finite; none where it has no closed form."""
        try:
            return list(self._known.needs)
        except NotKnown:
            return []

    def written_out(self) -> sympy.Expr:
        """Its closed form, or itself."""
        try:
            return self._known.expression
        except NotKnown:
            return self

    def ball(self) -> Ball:
        """The value of the closed form, at the working precision.

        Raises
        ------
        OutsideDomain : it is infinite there.
        NotKnown : it has no closed form.
        """
        expression, needs = self._known
        for need in needs:
            if not in_order(need.lts, need.gts, strict=isinstance(need, STRICT)):
                raise OutsideDomain(str(self), needs=str(need), got="no finite average")
        return evaluate(expression)

    def _sympystr(self, printer: Any) -> str:
        says, d = self.now.says, self.values["d"]
        return says if d == DIM else f"{says[:-1]}, d = {printer._print(d)})"

    def _latex(self, printer: Any) -> str:
        now, d = self.now, self.values["d"]
        unit = "I" if d == DIM else rf"I_{{{printer._print(d)}}}"
        laws = (
            rf"{word} \sim N(0, {printer._print(scale**2)} {unit})"
            for word, scale in (("x", now.x), ("y", now.y))
        )
        return rf"\mathbb{{E}}_{{{', '.join(laws)}}} \left[{printer._print(now.side)}\right]"


register_reader(AverageOf, read_atom)


@lru_cache(maxsize=256)
def _wherever(average: Average, d: sympy.Expr) -> Domain:
    """All values of its variables for which its laws exist."""
    somewhere = sympy.GreaterThan(average.side, average.x + average.y + d, evaluate=False)
    found: Domain = _given("domain")(somewhere)
    spans = {symbol: span for symbol, span in found.spans.items() if symbol not in (V, Z)}
    return replace(found, spans=spans, relations=tuple(one for one in found.relations if not one.has(V, Z)))


@lru_cache(maxsize=256)
def _tried(average: Average) -> Closed | NotKnown:
    """The closed form wherever the laws exist, or why there is none: asked for at every point."""
    try:
        return _closed(average, DIM, _wherever(average, DIM))
    except NotKnown as why:
        return why


@lru_cache(maxsize=256)
def _closed(average: Average, d: sympy.Expr, domain: Domain) -> Closed:
    return _Data(average.x, average.y, d).average(_parts_of(average, domain))


@lru_cache(maxsize=256)
def _parts_of(average: Average, domain: Domain) -> list[_Part]:
    """The terms of what is averaged, with its laws written out."""
    norms = _given("domain")(sympy.GreaterThan(V, Z, evaluate=False)).spans
    side = _given("reduced")(average.side, replace(domain, spans={**domain.spans, **norms}))
    return _parts(_as_terms(side), average.says)


class _Data(NamedTuple):
    """The law of the inputs: the scales of x and of y, and the dimension."""

    x: sympy.Expr
    y: sympy.Expr
    d: sympy.Expr

    def average(self, parts: Iterable[_Part]) -> Closed:
        """The average of a sum of terms."""
        if not is_whole(self.d):
            raise NotKnown("an average", f"d = {self.d}", "it is not shown to be a whole number")
        parts = list(parts)
        needs = dict.fromkeys(need for part in parts for need in self._needs(part))
        total = sympy.Add(*(part.factor * self._of(part) for part in parts))
        least = {self.x**2: 0, self.y**2: 0, self.d: 1}
        open_ = ((one, end) for one, end in least.items() if not (one - end).is_nonnegative)
        exist = (sympy.GreaterThan(*pair, evaluate=False) for pair in open_)
        return Closed(total, (*exist, *(need for need in map(_solved, needs) if need != sympy.true)))

    def _bases(self, a: sympy.Expr, b: sympy.Expr) -> list[sympy.Expr]:
        """What is positive where exp(a v^2 + b z^2) has an average; of equal scales the factors of D, else D first."""
        x, y = self.x**2, self.y**2
        if x == y:
            return [1 - 4 * x * a, 1 - 4 * x * b]
        return [1 - 2 * (x + y) * (a + b) + 16 * x * y * a * b, 1 - 2 * x * (a + b)]

    def _exponential(self, a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
        """E exp(a v^2 + b z^2)."""
        bases = self._bases(a, b)
        return sympy.Mul(*(base ** (-self.d / 2) for base in bases[: 2 if self.x**2 == self.y**2 else 1]))

    def _spread(self, norm: sympy.Expr, a: sympy.Expr, b: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
        """The variance of a coordinate of x + y or x - y under this density, as numerator and positive denominator."""
        x, y, bases = self.x**2, self.y**2, self._bases(a, b)
        if x == y:
            return 2 * x, bases[0 if norm == V else 1]
        return x + y - 8 * x * y * (b if norm == V else a), bases[0]

    def _needs(self, part: _Part) -> list[sympy.Expr]:
        """What must be positive."""
        found = self._bases(part.a, part.b)
        if part.special is not None:
            over, below = self._spread(part.norm, part.a, part.b)
            found += [below - 2 * edge * over for edge in part.edges]
        return found

    def _of(self, part: _Part) -> sympy.Expr:
        """The average of a term without its factor."""
        place = {_a: part.a, _b: part.b}
        a, b = (_a, _b) if part.j or part.k else (part.a, part.b)
        found = self._exponential(a, b)
        if part.special is not None:
            over, below = self._spread(part.norm, a, b)
            found *= self._special(part.special, over * part.rate, below)
        return sympy.diff(found, _a, part.j, _b, part.k).xreplace(place)

    def _special(self, special: sympy.Expr, over: sympy.Expr, below: sympy.Expr) -> sympy.Expr:
        """E f(rate v^2), rate times spread = over/below, of a series or of two rows at an angle with chi norms."""
        if isinstance(special, sympy.hyper):
            above, under = list(special.ap), list(special.bq)
            if self.d / 2 in under:
                under.remove(self.d / 2)
            else:
                above.append(self.d / 2)
            if len(above) == 1 and not under:
                return sympy.expand_power_base((below / (below - 2 * over)) ** above[0], force=True)
            at = sympy.cancel(2 * over / below)
            return sympy.hyper(tuple(above), tuple(under), at) if under else sympy.exp(at)
        half, next_half = self.d / 2, (self.d + 1) / 2
        turned = sympy.cancel(over * special.args[0] / (below - over))
        even = sympy.hyper((half, half), (S.Half,), turned**2)
        odd = sympy.hyper((next_half, next_half), (3 * S.Half,), turned**2)
        mean = 2 * (sympy.gamma(next_half) / sympy.gamma(half)) ** 2
        return sympy.expand_power_base((below / (below - over)) ** self.d, force=True) * (
            even + mean * turned * odd
        )


class _Part(NamedTuple):
    """factor v^2j z^2k exp(a v^2 + b z^2) f(rate norm^2); f, if any, is ``special``."""

    factor: sympy.Expr
    j: int
    k: int
    a: sympy.Expr
    b: sympy.Expr
    special: sympy.Expr | None
    norm: sympy.Expr
    rate: sympy.Expr

    @classmethod
    def read(cls, term: sympy.Expr, what: str) -> _Part:
        """The parts of a term.

        Raises
        ------
        NotKnown : it is of another form.
        """
        unknown = partial(_unknown, what)
        factor, exponent, special, powers = S.One, S.Zero, None, {V: 0, Z: 0}
        for one in sympy.Mul.make_args(term):
            base, power = (one.base, one.exp) if one.is_Pow else (one, S.One)
            if not one.has(V, Z):
                factor *= one
            elif isinstance(one, sympy.exp):
                exponent += one.args[0]
            elif base in powers and power.is_Integer and power > 0 and power % 2 == 0:
                powers[base] += int(power) // 2
            elif isinstance(one, sympy.hyper | PairMean) and special is None:
                special = one
            else:
                raise unknown(one)
        squares = _in_squares(exponent)
        of_special = _in_squares(special.args[-1]) if special is not None else (S.Zero, S.Zero, S.Zero)
        if squares is None:
            raise unknown(sympy.exp(exponent))
        if of_special is None or of_special[2] != 0 or S.Zero not in of_special[:2] or not _is_known(special):
            raise unknown(special)
        a, b, constant = squares
        norm, rate = (V, of_special[0]) if of_special[1] == 0 else (Z, of_special[1])
        found = factor * sympy.exp(constant)
        return cls(found, powers[V], powers[Z], a, b, special, norm, rate)

    @property
    def is_linear(self) -> bool:
        """Whether it is a constant, or a multiple of v^2 or of z^2."""
        return self.special is None and self.a == self.b == 0 and self.j + self.k <= 1

    def is_like(self, other: _Part) -> bool:
        """Whether the terms differ by their factors alone."""
        own, others = self[1:3] + self[5:], other[1:3] + other[5:]
        return own == others and vanishes(self.a - other.a) and vanishes(self.b - other.b)

    @property
    def edges(self) -> list[sympy.Expr]:
        """The average of f exists where twice the spread times each of these is below 1."""
        if isinstance(self.special, PairMean):
            return [self.rate * (1 + sign * self.special.args[0]) / 2 for sign in (1, -1)]
        return (
            [self.rate] if self.special is not None and len(self.special.ap) == len(self.special.bq) else []
        )


def _parts(side: sympy.Expr, what: str) -> list[_Part]:
    """The terms of a sum, those with the same exponent as one."""
    found: list[_Part] = []
    for part in (_Part.read(term, what) for term in sympy.Add.make_args(side)):
        same = (n for n, other in enumerate(found) if part.is_like(other))
        if (n := next(same, None)) is None:
            found.append(part)
        else:
            found[n] = part._replace(factor=part.factor + found[n].factor)
    return [part for part in found if not vanishes(part.factor)]


class NoAverage(NotKnown):
    """A quantity is of a form whose average is not known, whatever its variables are.

    Examples
    --------
    >>> s = sympy.Symbol("s", positive=True)
    >>> AverageOf.over(sympy.sqrt(v), s, s).within(_given("domain")())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rftheory.statement.averages.NoAverage: a closed form is not known for average(sqrt(v), x ~ N(0, s**2 I), ...
    """


def _unknown(what: str, factor: sympy.Expr) -> NoAverage:
    text = str(factor)
    return NoAverage(
        "a closed form",
        what,
        f"no average of a term with {text if len(text) < 80 else text[:76] + ' ...'} is known",
    )


def _is_known(special: sympy.Expr | None) -> bool:
    """Whether the average of the series converges for small arguments, or of these two rows is known."""
    if isinstance(special, PairMean):
        return bool(special.args[1].name == "independent")
    return special is None or len(special.ap) <= len(special.bq)


def _in_squares(expression: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr] | None:
    """The factors of v^2 and z^2, and the rest; None if it is no such sum."""
    if not expression.is_polynomial(V, Z):
        return None
    terms = dict(sympy.Poly(expression, V, Z).terms())
    if not terms.keys() <= {(2, 0), (0, 2), (0, 0)}:
        return None
    a, b, rest = (sympy.factor(terms.get(power, S.Zero)) for power in ((2, 0), (0, 2), (0, 0)))
    return a, b, rest


def _as_terms(side: sympy.Expr) -> sympy.Expr:
    """The sum of terms; a logarithm of one term is that of its factor plus its exponent."""
    in_exponentials = side.rewrite((sympy.cosh, sympy.sinh), sympy.exp)
    return sympy.expand(in_exponentials.replace(sympy.log, _logarithm))


def _logarithm(inside: sympy.Expr) -> sympy.Expr:
    parts = _parts(sympy.expand(inside), "a logarithm")
    if len(parts) != 1 or parts[0].j or parts[0].k or parts[0].special is not None:
        return sympy.log(inside)
    return sympy.log(parts[0].factor) + parts[0].a * V**2 + parts[0].b * Z**2


def _solved(base: sympy.Expr) -> sympy.Basic:
    """That an expression is above 0, as a bound of a scale where it is 1 - c s^2; true where sympy knows it."""
    over, below = sympy.fraction(sympy.together(base))
    base = over if below.is_positive else base
    if base.is_positive:
        return sympy.true
    symbol, *more = sorted(base.free_symbols, key=str) or [None]
    if not more and symbol is not None and symbol.is_positive:
        slope = sympy.expand((1 - base) / symbol**2)
        if slope.is_number and slope.is_positive:
            return sympy.StrictLessThan(symbol, 1 / sympy.sqrt(slope), evaluate=False)
    return sympy.StrictGreaterThan(base, 0, evaluate=False)


def seen_through(parts: Iterable[sympy.Basic]) -> list[sympy.Basic]:
    """Relations and expressions, and what is averaged in them.

    Examples
    --------
    >>> s = sympy.Symbol("s", positive=True)
    >>> seen_through([AverageOf.over(v**2, s, s)])
    [average(v**2, x ~ N(0, s**2 I), y ~ N(0, s**2 I)), v**2]
    """
    found = list(parts)
    return found + [one.now.side for one in sorted({a for p in found for a in p.atoms(AverageOf)}, key=str)]
