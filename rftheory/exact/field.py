"""The field of the functions that occur in an expression: fractions of polynomials in generators, in exact arithmetic.

Generators are symbols; exp(m), for each monomial m of the exponents; b^(1/q) and b^m, for bases b; i; sines, cosines
and logarithms; the gamma function, one for all arguments that differ by integers; and whatever else occurs, taken as
it is. The relations i^2 = -1, (b^(1/q))^q = b, cos^2 = 1 - sin^2 and (-1)^(2 n) = 1 are applied when a fraction is
simplified. Others, such as duplication of the gamma function or addition of angles, are not known.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import comb, gcd, lcm
from typing import Any, NamedTuple

import sympy
from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from rftheory.exact.order import surely

_ROOMS = (12, 48)
"""Room for the generators of one expression, the less the faster; with still more generators, nothing is decided."""
_TERMS = 4_000
"""Polynomials with more terms are given up, and so are powers and roots above the next two numbers."""
_POWER = 64
_ROOT = 24
_FACTORED, _DEGREE = 400, 128
"""Polynomials with more terms, or of a higher degree in one generator, are taken as irreducible."""
_FINE = 512
"""The largest power of one number that powers of e to fractions may be: divisors of higher ones take minutes."""
_PRIMES = 1_000
"""Larger prime factors of a base are not looked for."""
_SHIFT = 40
"""Arguments of the gamma function that differ by a larger integer are taken as unrelated."""

Factor = tuple[sympy.Expr, sympy.Expr]
"""A base and its exponent."""


class GivenUp(Exception):
    """The expression is too large for a field, or has no value.

    Examples
    --------
    >>> Field.reading(sympy.nan)
    Traceback (most recent call last):
    rftheory.exact.field.GivenUp
    """


GIVEN_UP = (GivenUp, ZeroDivisionError, OverflowError, RecursionError, TypeError)
"""What a field may raise if an expression has no value or too large a form."""


class _Full(Exception):
    """The expression has more generators than there is room for."""


class _Rough(Exception):
    """A power needs a finer root than those of the field: a root of that order of them."""

    def __init__(self, order: int) -> None:
        super().__init__(order)
        self.order = order


class Ratio(NamedTuple):
    """A fraction of polynomials, in lowest terms.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> functions, value = Field.reading(x / 2 + 1 / x)
    >>> functions.expression(value.top), functions.expression(value.bottom)
    (x**2/2 + 1, x)
    """

    top: fmpq_mpoly
    bottom: fmpq_mpoly


@lru_cache(maxsize=64)
def _ring(room: int) -> tuple[fmpq_mpoly_ctx, tuple[fmpq_mpoly, ...]]:
    ring = fmpq_mpoly_ctx.get([f"g{i}" for i in range(room)], Ordering.lex)
    return ring, tuple(ring.gens())


@dataclass
class Field:
    """The generators of one expression, made as they are met.

    Attributes
    ----------
    room : how many generators there may be.
    root : all rational powers are powers of b^(1/root); an even number.
    below : common denominators of the exponents: of those without powers in them, and of the others.
    towers : whether there are others.
    units : for each monomial m of the exponents, over its denominator, the number of which all its coefficients are
        multiples: b^(c m) are powers of b^(unit m/root).
    places : index of each generator.
    written : for each generator what tells its base and its exponent.
    strides : for each generator that is a root, or a power with a symbolic exponent, of which power of it all are
        powers that the expression names; 0 if that is not known.
    relations : index of each generator g whose n-th power is known, with n and g^n.
    logarithms : index of each logarithm that is a generator, with its argument.
    gammas : arguments of the gamma function that were met, with its values.
    known : the expressions that were read.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> functions, value = Field.reading((x**2 - y**2) / (x - y))
    >>> functions.expression(value.top), value.bottom
    (x + y, 1)
    """

    room: int
    root: int
    below: dict[bool, fmpq_mpoly] = field(default_factory=dict)
    towers: bool = False
    units: dict[Any, fmpq] = field(default_factory=dict)
    places: dict[Any, int] = field(default_factory=dict)
    written: list[Callable[[], Factor]] = field(default_factory=list)
    strides: dict[int, int] = field(default_factory=dict)
    relations: dict[int, tuple[int, Ratio]] = field(default_factory=dict)
    logarithms: dict[int, sympy.Expr] = field(default_factory=dict)
    gammas: list[tuple[Ratio, Ratio]] = field(default_factory=list)
    known: dict[sympy.Expr, Ratio] = field(default_factory=dict)

    @classmethod
    def reading(cls, expression: sympy.Expr) -> tuple[Field, Ratio]:
        """A field for an expression, and what it is there.

        Raises
        ------
        GivenUp : the expression is too large, or has no value; the others of `GIVEN_UP` may be raised too.
        """
        powers = _powers(expression)
        exponents = [e for base, e in powers if base is sympy.S.Exp1 or not e.is_Rational]
        rooms = iter(_ROOMS)
        room = next(rooms)
        root = lcm(
            2, *(int(e.q) for base, e in powers if e.is_Rational and base is not sympy.S.Exp1)
        )  # i: (-1)^(1/2)
        while root <= _ROOT:
            try:
                found = cls._of(exponents, room, root)
                return found, found.read(expression)
            except _Rough as need:
                root *= need.order
            except _Full:
                if (room := next(rooms, 0)) == 0:
                    break
        raise GivenUp

    @classmethod
    def _of(cls, exponents: list[sympy.Expr], room: int, root: int) -> Field:
        """A field for these exponents."""
        found = cls(room, root, towers=any(map(_nested, exponents)))
        for nested in (False, True):
            below = found.one
            own = [e for e in exponents if _nested(e) == nested]
            for exponent in own:
                bottom = found.read(exponent).bottom
                below = below * (bottom / below.gcd(bottom))
            found.below[nested] = below
            for powers, coefficient, under in (m for e in own for m in found._monomials(e)):
                key = powers, str(under)
                found.units[key] = coefficient.gcd(found.units.get(key, fmpq(0)))
        return found

    def _monomials(self, exponent: sympy.Expr) -> Iterator[tuple[tuple[int, ...], fmpq, fmpq_mpoly]]:
        """The monomials of an exponent, with their coefficients and denominators, by division by the common one."""
        below = self.below.get(_nested(exponent), self.one)
        whole, rest = divmod(self.over(self.read(exponent), below), below)
        for part, under in ((whole, self.one), (rest, below)):
            yield from ((powers, coefficient, under) for powers, coefficient in part.terms())

    # ---- fractions -------------------------------------------------------------------------------------------------

    @cached_property
    def one(self) -> fmpq_mpoly:
        return _ring(self.room)[0].constant(1)

    def number(self, value: sympy.Rational | int) -> Ratio:
        return Ratio(_ring(self.room)[0].constant(_fmpq(value)), self.one)

    def generator(self, key: Any, written: Callable[[], Factor]) -> Ratio:
        place = self.places.setdefault(key, len(self.places))
        if place >= self.room:
            raise _Full
        if place == len(self.written):
            self.written.append(written)
        return Ratio(_ring(self.room)[1][place], self.one)

    def itself(self, key: Any, e: sympy.Expr) -> Ratio:
        """An expression that is a generator as it stands."""
        return self.generator(key, lambda: (e, sympy.S.One))

    def ratio(self, top: fmpq_mpoly, bottom: fmpq_mpoly) -> Ratio:
        """In lowest terms, with leading coefficient 1 below."""
        if not bottom:
            raise ZeroDivisionError
        if not bottom.is_constant():
            common = top.gcd(bottom)
            if not common.is_constant():
                top, bottom = top / common, bottom / common
        lead = bottom.leading_coefficient()
        if lead != 1:
            top, bottom = top / lead, bottom / lead
        if len(top) > _TERMS or len(bottom) > _TERMS:
            raise GivenUp
        return Ratio(top, bottom)

    def plus(self, a: Ratio, b: Ratio) -> Ratio:
        if a.bottom == b.bottom:
            return self.ratio(a.top + b.top, a.bottom)
        if len(a.top) * len(b.bottom) + len(b.top) * len(a.bottom) > _TERMS:
            raise GivenUp
        common = a.bottom.gcd(b.bottom)
        left, right = a.bottom / common, b.bottom / common
        return self.ratio(a.top * right + b.top * left, left * b.bottom)

    def times(self, a: Ratio, b: Ratio) -> Ratio:
        if len(a.top) * len(b.top) > _TERMS or len(a.bottom) * len(b.bottom) > _TERMS:
            raise GivenUp
        return self.ratio(a.top * b.top, a.bottom * b.bottom)

    def power(self, base: Ratio, n: int) -> Ratio:
        if n < 0:
            if self.reduced(base) == 0:
                raise ZeroDivisionError
            base = self.ratio(base.bottom, base.top)
        simple = all(len(part) == 1 and abs(part.leading_coefficient()) == 1 for part in base)
        terms = max(len(base.top), len(base.bottom))
        if not simple and (abs(n) > _POWER or comb(terms + abs(n) - 1, abs(n)) > _TERMS):
            raise GivenUp
        return self.ratio(base.top ** abs(n), base.bottom ** abs(n))

    # ---- relations -------------------------------------------------------------------------------------------------

    def relate(self, generator: Ratio, order: int, value: Ratio) -> None:
        """Let the power of a generator of this order have this value."""
        place = generator.top.degrees().index(1)
        self.relations.setdefault(place, (order, value))

    def reduced(self, value: Ratio) -> fmpq_mpoly:
        """The numerator, with all relations applied: 0 only if the value is."""
        return self._related(value.top, self.relations)

    def simplified(self, value: Ratio) -> Ratio:
        """The fraction, with all relations applied."""
        for place in reversed(self.relations):
            (top, below), (bottom, above) = (_without_powers(p, place, *self.relations[place]) for p in value)
            value = self.ratio(top * above, bottom * below)
        return value

    def over(self, value: Ratio, below: fmpq_mpoly) -> fmpq_mpoly:
        """The numerator over a given denominator, with those relations applied that leave it so."""
        times, rest = divmod(below, value.bottom)
        if rest:
            raise GivenUp
        return self._related(
            value.top * times, [place for place, (_, power) in self.relations.items() if power.bottom == 1]
        )

    def _related(self, top: fmpq_mpoly, places: Iterable[int]) -> fmpq_mpoly:
        """The numerator with the relations of the generators at these places applied, the last one first."""
        for place in reversed(list(places)):
            top = _without_powers(top, place, *self.relations[place])[0]
        return top

    # ---- expressions -----------------------------------------------------------------------------------------------

    def read(self, expression: sympy.Expr) -> Ratio:
        """The expression as a fraction."""
        if expression not in self.known:
            self.known[expression] = self._read(expression)
        return self.known[expression]

    def _read(self, e: sympy.Expr) -> Ratio:
        if e.is_Rational:
            return self.number(e)
        if not e.is_commutative and any(a.is_commutative is False for a in e.atoms()):
            raise GivenUp
        if e.is_Add or e.is_Mul:
            first, *rest = (self.read(a) for a in e.args)
            for other in rest:
                first = self.plus(first, other) if e.is_Add else self.times(first, other)
            return first
        if e is sympy.S.Exp1:
            return self._one_power(e, sympy.S.One)
        if e.is_Pow or isinstance(e, sympy.exp):
            return self._power(*e.as_base_exp())
        if e is sympy.I:
            return self._root_of_minus_one()
        return self._function(e)

    def expression(self, polynomial: fmpq_mpoly) -> sympy.Expr:
        """A polynomial as an expression."""
        return sympy.Add(*(_rational(c) * self.monomial(powers) for powers, c in polynomial.terms()))

    def by_power(self, polynomial: fmpq_mpoly, t: sympy.Symbol) -> dict[int, Ratio]:
        """The coefficients of a polynomial in a symbol, by its power.

        Raises
        ------
        GivenUp : another generator has the symbol in it.
        """
        place = self.places.get(t)
        if any(part.has(t) for n, factor in self._used(polynomial) if n != place for part in factor):
            raise GivenUp
        parts: dict[int, dict[tuple[int, ...], fmpq]] = {}
        for powers, number in polynomial.terms():
            power = 0 if place is None else powers[place]
            rest = tuple(0 if n == place else p for n, p in enumerate(powers))
            parts.setdefault(power, {})[rest] = number
        ring = _ring(self.room)[0]
        return {power: Ratio(ring.from_dict(part), self.one) for power, part in parts.items()}

    def _used(self, polynomial: fmpq_mpoly) -> Iterator[tuple[int, Factor]]:
        """The places of the generators that occur, with what they are."""
        return ((n, self.written[n]()) for n, degree in enumerate(polynomial.degrees()) if degree > 0)

    def independent(self, polynomial: fmpq_mpoly) -> bool:
        """Whether all its generators are symbols, and powers of these, of primes and of e: it is 0 only if written so.

        Others, such as |x| and |y| at x = -y, may be tied by a relation that is not known, and so may powers whose
        exponents are not fractions of polynomials, as exp(sin(2 x)) and exp(2 sin(x) cos(x)), or powers of -1, as
        (-1)^(2/3) + 1 and (-1)^(1/3). Exponents with powers in them have a common denominator of their own.
        """
        return not self.towers and all(
            (base.is_Symbol or base.is_prime or base is sympy.S.Exp1) and _is_fraction(exponent)
            for _, (base, exponent) in self._used(polynomial)
        )

    def monomial(self, powers: Iterable[int], used: Mapping[int, int] | None = None) -> sympy.Expr:
        """The product of the generators, or of those at some places to some powers, to these powers."""
        places = ((place, 1) for place in itertools.count()) if used is None else used.items()
        parts = (
            (self.written[p](), n * power) for (p, n), power in zip(places, powers, strict=False) if power
        )
        return sympy.Mul(*(base ** (exponent * power) for (base, exponent), power in parts))

    def factors(self, value: Ratio) -> tuple[sympy.Rational, list[Factor]]:
        """A number, and the bases and exponents of powers of generators and of irreducible polynomials."""
        value = self.simplified(value)
        over, above = self._factors(value.top)
        under, below = self._factors(value.bottom)
        return _rational(over / under), above + [(base, -exponent) for base, exponent in below]

    def _factors(self, polynomial: fmpq_mpoly) -> tuple[fmpq, list[Factor]]:
        """The same for a polynomial, in the highest powers of generators of which it is one."""
        if not polynomial:
            return fmpq(0), []
        strides, outer = polynomial.deflation_monom()[1:]
        own = ((self.written[place](), power) for place, power in enumerate(outer.monoms()[0]) if power)
        found = [(base ** (exponent * power)).as_base_exp() for (base, exponent), power in own]
        used = {p: gcd(int(stride), self.strides.get(p, 1)) for p, stride in enumerate(strides) if stride}
        if not used:
            return polynomial.leading_coefficient(), found
        least = outer.monoms()[0]
        small = _ring(len(used))[0].from_dict(
            {
                tuple((powers[p] - least[p]) // n for p, n in used.items()): c
                for powers, c in polynomial.terms()
            }
        )
        large = len(small) > _FACTORED or max(small.degrees()) > _DEGREE
        number, parts = (fmpq(1), [(small, 1)]) if large else small.factor()
        for part, times in parts:
            terms = (_rational(c) * self.monomial(powers, used) for powers, c in part.terms())
            found.append((sympy.Add(*terms), sympy.Integer(times)))
        return number, found

    # ---- functions -------------------------------------------------------------------------------------------------

    def _root_of_minus_one(self) -> Ratio:
        found = self.itself(sympy.I, sympy.I)
        self.relate(found, 2, self.number(-1))
        return found

    def _function(self, e: sympy.Expr) -> Ratio:
        if isinstance(e, sympy.Float | sympy.Order | sympy.AccumBounds) or e in _VALUELESS:
            raise GivenUp
        if isinstance(e, sympy.gamma):
            return self._gamma(e)
        if isinstance(e, sympy.cos):
            return self._cosine(e)
        if isinstance(e, sympy.Abs):
            return self._absolute(e)
        if isinstance(e, sympy.log):
            return self._logarithm(e)
        if isinstance(e, sympy.Function) and not isinstance(e, sympy.Piecewise):
            return self.itself((e.func, *map(self._argument, e.args)), e)
        return self.itself(e, e)

    def _argument(self, e: sympy.Basic) -> Any:
        """An argument of a function in a form that is the same for equal arguments."""
        if isinstance(e, sympy.Tuple):
            return tuple(map(self._argument, e.args))
        return tuple(map(str, self.read(e))) if isinstance(e, sympy.Expr) else e

    def _cosine(self, e: sympy.Expr) -> Ratio:
        """A cosine, after the sine of the same angle, whose square gives its own."""
        sine = self.read(sympy.sin(e.args[0], evaluate=False))
        found = self.itself((sympy.cos, self._argument(e.args[0])), e)
        square = self.times(self.number(-1), self.power(sine, 2))
        self.relate(found, 2, self.plus(self.number(1), square))
        return found

    def _absolute(self, e: sympy.Expr) -> Ratio:
        """The product of the absolute values of the factors."""
        number, parts = self._product(e.args[0])
        powers = [(b, e) if e.is_real else (b**e, sympy.S.One) for b, e in parts]
        if abs(number) == 1 and len(powers) == 1 and powers[0][1] == 1:
            return self.itself((sympy.Abs, self._argument(powers[0][0])), e)
        found = self.number(abs(number))
        for base, exponent in powers:
            found = self.times(found, self.read(sympy.Abs(base) ** exponent))
        return found

    def _logarithm(self, e: sympy.Expr) -> Ratio:
        """The logarithm of a product, as far as logarithms of factors of known sign may be taken."""
        if e.args[0].is_Rational and e.args[0].is_positive:
            primes = list(_primes(e.args[0]))
            if len(primes) != 1 or primes[0][1] != 1:
                return self.read(sympy.Add(*(times * sympy.log(prime) for prime, times in primes)))
        number, parts = self._product(e.args[0])
        product = sympy.Mul(*(base**exponent for base, exponent in parts))
        apart = sympy.expand_log(
            sympy.log(product if number == 1 else sympy.Mul(number, product, evaluate=False))
        )
        if apart != e:
            return self.read(apart)
        found = self.itself((sympy.log, self._argument(e.args[0])), e)
        self.logarithms[self.places[sympy.log, self._argument(e.args[0])]] = e.args[0]
        return found

    def _gamma(self, e: sympy.Expr) -> Ratio:
        """gamma(a + n) by gamma(a), if that was met before."""
        argument = self.read(e.args[0])
        for known, value in self.gammas:
            apart = self.plus(argument, Ratio(-known.top, known.bottom))
            shift = _integer(apart)
            if shift is None or abs(shift) > _SHIFT:
                continue
            start, found = (known if shift > 0 else argument), self.number(1)
            for n in range(abs(shift)):
                found = self.times(found, self.plus(start, self.number(n)))
            return self.times(value, self.power(found, 1 if shift > 0 else -1))
        value = self.itself((sympy.gamma, *map(str, argument)), e)
        self.gammas.append((argument, value))
        return value

    # ---- powers ----------------------------------------------------------------------------------------------------

    def _power(self, base: sympy.Expr, exponent: sympy.Expr) -> Ratio:
        if base is sympy.S.Exp1:
            return self._one_power(base, exponent)
        if exponent.is_Integer:
            return self.power(self.read(base), int(exponent))
        found = self.number(1)
        for factor, times in self._split(base, whole=bool(exponent.is_integer)):
            found = self.times(found, self._one_power(factor, times * exponent))
        return found

    def _product(self, e: sympy.Expr) -> tuple[sympy.Rational, list[Factor]]:
        """A number, and bases and exponents of factors whose signs may be known: those of sums are irreducible."""
        number, found = sympy.S.One, list[Factor]()
        for factor in sympy.Mul.make_args(e):
            if factor.is_Rational:
                number *= factor
                continue
            inner, power = factor.as_base_exp()
            parts = [(inner, power)]
            if inner.is_Add and power.is_Integer:
                with contextlib.suppress(GivenUp):  # too large to be factored
                    own, parts = self.factors(self.read(factor))
                    number *= own
            found += parts
        return number, found

    def _split(self, base: sympy.Expr, whole: bool = False) -> Iterator[Factor]:
        """Factors f and numbers k such that base^e is the product of f^(k e) for every e, or every integer e.

        Nonnegative factors may be split off, and powers of positive ones; the rest stays together. i is (-1)^(1/2).

        Examples
        --------
        >>> x, y = sympy.symbols("x y")
        >>> p = sympy.Symbol("p", positive=True)
        >>> functions, _ = Field.reading(x)
        >>> list(functions._split(12 * p**3 * x * y)), list(functions._split(-2 * x**3, whole=True))
        ([(2, 2), (3, 1), (p, 3), (x*y, 1)], [(2, 1), (x, 3), (-1, 1)])
        """
        number, parts = self._product(base)
        if number == 0:  # 0^(a - b) is not 0^a/0^b
            raise GivenUp
        yield from _primes(abs(number))
        rest = [sympy.S.NegativeOne] if number.is_negative else []
        product = sympy.Mul(*(inner**power for inner, power in parts))
        for factor in sympy.Mul.make_args(product) if parts else ():
            inner, power = factor.as_base_exp()
            if whole or (surely(inner, ">") and power.is_real):
                if inner is sympy.I:
                    yield sympy.S.NegativeOne, power / 2
                elif inner.is_Add and not power.is_Integer:
                    yield from ((part, times * power) for part, times in self._split(inner))
                else:
                    yield inner, power
            elif surely(factor, ">="):
                yield factor, sympy.S.One
            else:
                rest.append(factor)
        if whole and rest:
            yield sympy.S.NegativeOne, sympy.S.One
        elif rest == [sympy.I]:
            yield sympy.S.NegativeOne, sympy.S.Half
        elif rest:
            yield sympy.Mul(*rest), sympy.S.One

    def _one_power(self, base: sympy.Expr, exponent: sympy.Expr) -> Ratio:
        """b^e as a product of powers of b^(1/root), and of one power b^(unit m/root) for each monomial m of e."""
        if exponent.is_Rational and base is not sympy.S.Exp1:
            return self._rational_power(base, exponent)
        found = self.number(1)
        for monomial in self._monomials(exponent):
            found = self.times(found, self._monomial_power(base, *monomial))
        return found

    def _monomial_power(
        self, base: sympy.Expr, powers: tuple[int, ...], coefficient: fmpq, below: fmpq_mpoly
    ) -> Ratio:
        """b^(c m/below) for a number c and a monomial m; exp(c log(a) m/below) is a^(c m/below)."""
        if base is sympy.S.Exp1:
            logarithms = [place for place, power in enumerate(powers) if power and place in self.logarithms]
            if len(logarithms) == 1 and powers[logarithms[0]] == 1:
                base = self.logarithms[logarithms[0]]
                powers = tuple(0 if place == logarithms[0] else power for place, power in enumerate(powers))
        if not any(powers) and below == 1 and base is not sympy.S.Exp1:
            return self._rational_power(base, _rational(coefficient))
        unit = self.units.setdefault((powers, str(below)), fmpq(1, 8))  # of a power of a power
        times = coefficient / unit * self.root
        if times.q != 1:
            raise _Rough(int(times.q))
        if not any(powers) and below == 1 and abs(times) > _FINE:
            raise GivenUp

        def written() -> Factor:
            return base, _rational(unit / self.root) * self.monomial(powers) / self.expression(below)

        own = None if base is sympy.S.Exp1 else self._argument(base)
        found = self.generator(key := ("power", own, powers, str(below), unit), written)
        self.strides[self.places[key]] = self.root
        if base is sympy.S.NegativeOne and below == 1 and self.monomial(powers).is_integer:
            share = unit / self.root
            self.relate(found, int(share.q) * (2 if share.p % 2 else 1), self.number(1))
        return self.power(found, int(times.p))

    def _rational_power(self, base: sympy.Expr, exponent: sympy.Rational) -> Ratio:
        times = exponent * self.root
        if not times.is_Integer:
            raise _Rough(int(times.q))
        whole, part = divmod(int(times), self.root)
        value = self.simplified(self.read(base))
        found = self.power(value, whole)
        if not part or value == self.number(1):
            return found
        if base is sympy.S.NegativeOne and part == self.root // 2:
            return self.times(found, self._root_of_minus_one())
        unit = sympy.Rational(1, self.root)
        root = self.generator(key := ("root", *map(str, value)), lambda: (base, unit))
        self.strides[self.places[key]] = 0
        self.relate(root, self.root, value)
        return self.times(found, self.power(root, part))


_VALUELESS = (sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)


def _fmpq(number: sympy.Rational | int) -> fmpq:
    return fmpq(int(number.p), int(number.q)) if isinstance(number, sympy.Rational) else fmpq(number)


def _rational(number: fmpq) -> sympy.Rational:
    return sympy.Rational(int(number.p), int(number.q))


def _primes(number: sympy.Rational) -> Iterator[Factor]:
    """The primes of a positive number and their exponents; what is left of large ones counts as prime."""
    for part, sign in ((number.p, 1), (number.q, -1)):
        if part != 1:
            for prime, power in sympy.factorint(part, limit=_PRIMES).items():
                yield sympy.Integer(prime), sympy.Integer(sign * power)


def _without_powers(part: fmpq_mpoly, place: int, order: int, power: Ratio) -> tuple[fmpq_mpoly, fmpq_mpoly]:
    """A polynomial with g^order = power for the generator g at a place: what it becomes, over which denominator."""
    ring = part.context()
    if part.degrees()[place] < order:
        return part, ring.constant(1)
    parts: dict[int, dict[tuple[int, ...], fmpq]] = {}
    for powers, coefficient in part.terms():
        times, rest = divmod(powers[place], order)
        parts.setdefault(times, {})[(*powers[:place], rest, *powers[place + 1 :])] = coefficient
    most = max(parts)
    if most > 1 and comb(max(len(power.top), len(power.bottom)) + most - 1, most) > _TERMS:
        raise GivenUp
    terms = (ring.from_dict(own) * power.top**n * power.bottom ** (most - n) for n, own in parts.items())
    return sum(terms, start=ring.constant(0)), power.bottom**most


def _powers(expression: sympy.Expr) -> list[Factor]:
    """All powers of e, and those whose exponents are no integers, but for what is in sums, integrals and the like."""
    found: dict[Factor, None] = {}
    pending = [expression]
    while pending:
        e = pending.pop()
        if e.is_Pow or isinstance(e, sympy.exp) or e is sympy.S.Exp1:
            base, exponent = e.as_base_exp()
            if base is sympy.S.Exp1 or not exponent.is_Integer:
                found[base, exponent] = None
        if isinstance(e, _READ):
            pending += e.args
    return list(found)


_READ = (sympy.Add, sympy.Mul, sympy.Pow, sympy.Function, sympy.Tuple)
"""What is read part by part."""


@lru_cache(maxsize=1024)
def _nested(exponent: sympy.Expr) -> bool:
    """Whether there are symbolic powers in the exponent itself."""
    return any(not e.is_Rational for _, e in _powers(exponent))


def _is_fraction(exponent: sympy.Expr) -> bool:
    """Whether it is a fraction of polynomials in symbols, with rational coefficients."""
    return all(
        e.is_Rational or e.is_Symbol or e.is_Add or e.is_Mul or (e.is_Pow and e.exp.is_Integer)
        for e in sympy.preorder_traversal(exponent)
    )


def _integer(value: Ratio) -> int | None:
    """The integer that a fraction is, if it is one."""
    if not (value.top.is_constant() and value.bottom.is_constant()):
        return None
    number = value.top.leading_coefficient() if value.top else fmpq(0)
    return int(number.p) if number.q == 1 else None


@lru_cache(maxsize=1024)
def factored(expression: sympy.Expr) -> tuple[Factor, ...]:
    """Bases and exponents whose product the expression is: a number, and what is irreducible; of 0, (0, 1).

    What is too large for that is taken apart only as far as all its terms have factors in common.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> factored(2 * x - 2 * y**2 / x)
    ((2, 1), (x - y, 1), (x + y, 1), (x, -1))
    >>> factored(sympy.exp(2 * x) - 1)
    ((exp(2*x) - 1, 1),)
    >>> factored((1 - x) ** y)
    ((1 - x, y),)
    """
    try:
        functions, value = Field.reading(expression)
        number, found = functions.factors(value)
    except GIVEN_UP:
        # powers of -1 of its own are not told from those that sympy makes
        if expression.has(sympy.I) or any(power.base == -1 for power in expression.atoms(sympy.Pow)):
            return (expression.as_base_exp(),)
        factors = sympy.Mul.make_args(sympy.factor_terms(sympy.together(expression)))
        return _with_signs_inside([factor.as_base_exp() for factor in factors], lambda _: True)
    if number == 0:
        return ((sympy.S.Zero, sympy.S.One),)
    return (
        *([(number, sympy.S.One)] if number != 1 or not found else []),
        *_with_signs_inside(list(found), lambda n: bool(n.is_integer)),
    )


def _with_signs_inside(factors: list[Factor], may: Callable[[sympy.Expr], bool]) -> tuple[Factor, ...]:
    """(-1)^n (x - 1)^n, as sympy factors (1 - x)^n, as that again; for a fraction n they differ where x < 1."""
    for exponent in [e for base, e in factors if base == -1 and not e.is_Integer and may(e)]:
        other = next((base for base, e in factors if e == exponent and not base.is_number), None)
        if other is not None:
            factors = [f for f in factors if f not in ((sympy.S.NegativeOne, exponent), (other, exponent))]
            factors.append((-other, exponent))
    return tuple(factors)


def in_factors(expression: sympy.Expr) -> sympy.Expr:
    """The product of the factors.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> in_factors(x**2 * sympy.exp(2 * x) - x * sympy.exp(x))
    x*(x*exp(x) - 1)*exp(x)
    """
    if expression.is_Rational:
        return expression
    return sympy.Mul(*(base**exponent for base, exponent in factored(expression)))


def rational_value(expression: sympy.Expr) -> sympy.Rational | None:
    """The rational number that an expression is wherever it has a value; None if it is not seen to be one.

    Examples
    --------
    >>> x = sympy.Symbol("x", positive=True)
    >>> rational_value(sympy.exp(sympy.log(2 * x) / 2) * sympy.sqrt(2 / x)), rational_value(x)
    (2, None)
    """
    try:
        functions, value = Field.reading(expression)
        top, bottom = functions.simplified(value)
    except GIVEN_UP:
        return None
    if not (top.is_constant() and bottom.is_constant()):
        return None
    return _rational(top.leading_coefficient() / bottom.leading_coefficient()) if top else sympy.S.Zero


def laurent(expression: sympy.Expr, t: sympy.Symbol) -> dict[sympy.Expr, sympy.Expr] | None:
    """The coefficients of t^n, n <= 0, of a fraction of polynomials in t, by n; None if it is not seen to be one.

    Examples
    --------
    >>> t, x = sympy.symbols("t x")
    >>> laurent((1 + t) / (t**2 * (x - t)), t)
    {-2: 1/x, -1: (x + 1)/x**2, 0: (x + 1)/x**3}
    >>> laurent(sympy.sqrt(t), t) is None
    True
    """
    try:
        functions, value = Field.reading(expression)
        top, bottom = (functions.by_power(part, t) for part in functions.simplified(value))
        known: dict[int, Ratio] = {}
        low = min(bottom)
        if not functions.independent(bottom[low].top):
            return None
        for n in range(min(top, default=low + 1) - low, 1):
            total = top.get(n + low, functions.number(0))
            for k, one in known.items():
                if n + low - k in bottom:
                    part = functions.times(one, bottom[n + low - k])
                    total = functions.plus(total, functions.times(functions.number(-1), part))
            known[n] = functions.times(total, functions.power(bottom[low], -1))
    except GIVEN_UP:
        return None
    written = {
        n: functions.expression(one.top) / functions.expression(one.bottom) for n, one in known.items()
    }
    return {sympy.Integer(n): c for n, c in written.items() if c != 0}
