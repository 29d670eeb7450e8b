"""Whether an expression is identically zero: exact arithmetic in a field of exponentials, powers and other functions.

An expression is read as a fraction of polynomials with rational coefficients in *generators*: symbols; exp(m), for each
monomial m of the exponents; b^(1/q) and b^m, for bases b; i; logarithms; the gamma function, one for all arguments that
differ by integers; and whatever else occurs, taken as it is. Sines and cosines are exponentials. The relations
i^2 = -1 and (b^(1/q))^q = b are applied to the numerator. Zero here means zero wherever the expression has a value. The
converse is not decided: other relations between generators, such as duplication of the gamma function, are not known.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import comb, lcm
from typing import Any, NamedTuple

import sympy
from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx
from sympy.core.function import AppliedUndef

_GENERATORS = 48
"""Room for the generators of one expression; with more, nothing is decided."""
_TERMS = 4_000
"""Polynomials with more terms are given up, and so are powers and roots above the next two numbers."""
_POWER = 64
_ROOT = 24
_NESTED = 4
"""Functions of functions are written out up to this depth."""
_PRIMES = 1_000
"""Larger prime factors of a base are not looked for."""
_SHIFT = 40
"""Arguments of the gamma function that differ by a larger integer are taken as unrelated."""


class _Undecided(Exception):
    """The expression is too large, or has no value."""


class _Ratio(NamedTuple):
    """A fraction of polynomials, in lowest terms."""

    top: fmpq_mpoly
    bottom: fmpq_mpoly


def vanishes(expression: sympy.Expr) -> bool:
    """Whether the expression is shown to be zero wherever it has a value.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", positive=True)
    >>> vanishes(sympy.sqrt(x * y) ** 3 / sympy.sqrt(x) - x * y * sympy.sqrt(y))
    True
    >>> vanishes(sympy.sin(x + y) - sympy.sin(x) * sympy.cos(y) - sympy.cos(x) * sympy.sin(y))
    True
    >>> vanishes(sympy.gamma(x + 2) / sympy.gamma(x) - x**2 - x)
    True
    >>> vanishes(sympy.exp(x) ** 2 - sympy.exp(3 * x))
    False
    """
    if expression.is_Rational:
        return bool(expression == 0)
    try:
        if any(
            not e.is_commutative for e in sympy.preorder_traversal(expression) if isinstance(e, sympy.Expr)
        ):
            return False
        for _ in range(_NESTED):  # the arguments of a function may hold others
            if not expression.has(*_REWRITTEN):
                break
            expression = expression.replace(_is_rewritten, _written, simultaneous=False)
        return _Field.of(expression).is_zero(expression)
    except (_Undecided, ZeroDivisionError, OverflowError, RecursionError, TypeError):
        return False


@lru_cache(maxsize=1)
def _ring() -> tuple[fmpq_mpoly_ctx, tuple[fmpq_mpoly, ...]]:
    ring = fmpq_mpoly_ctx.get([f"g{i}" for i in range(_GENERATORS)], Ordering.lex)
    return ring, tuple(ring.gens())


@dataclass
class _Field:
    """The generators of one expression, made as they are met.

    Attributes
    ----------
    root : all rational powers are powers of b^(1/root).
    below : common denominators of the exponents: of those without powers in them, and of the others.
    places : index of each generator.
    roots : index of each generator b^(1/n), with n and b.
    gammas : arguments of the gamma function that were met, with its values.
    known : the expressions that were read.
    """

    root: int
    below: dict[bool, fmpq_mpoly] = field(default_factory=dict)
    places: dict[Any, int] = field(default_factory=dict)
    roots: dict[int, tuple[int, _Ratio]] = field(default_factory=dict)
    gammas: list[tuple[_Ratio, _Ratio]] = field(default_factory=list)
    known: dict[sympy.Expr, _Ratio] = field(default_factory=dict)

    @staticmethod
    def of(expression: sympy.Expr) -> _Field:
        """A field for the roots and exponents of an expression."""
        exponents = _exponents(expression)
        numbers = [n for e in exponents for n in e.atoms(sympy.Rational)] + [sympy.S.One]
        found = _Field(lcm(*(int(n.q) for n in numbers)))
        if found.root > _ROOT:
            raise _Undecided
        for nested in (False, True):
            below = found.one
            for exponent in exponents:
                if not exponent.is_Rational and _nested(exponent) == nested:
                    bottom = found.read(exponent).bottom
                    below = below * (bottom / below.gcd(bottom))
            found.below[nested] = below
        return found

    # ---- fractions -------------------------------------------------------------------------------------------------

    @cached_property
    def one(self) -> fmpq_mpoly:
        return _ring()[0].constant(1)

    def number(self, value: sympy.Rational) -> _Ratio:
        return _Ratio(_ring()[0].constant(fmpq(int(value.p), int(value.q))), self.one)

    def generator(self, key: Any) -> fmpq_mpoly:
        place = self.places.setdefault(key, len(self.places))
        if place >= _GENERATORS:
            raise _Undecided
        return _ring()[1][place]

    def ratio(self, top: fmpq_mpoly, bottom: fmpq_mpoly) -> _Ratio:
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
            raise _Undecided
        return _Ratio(top, bottom)

    def plus(self, a: _Ratio, b: _Ratio) -> _Ratio:
        if a.bottom == b.bottom:
            return self.ratio(a.top + b.top, a.bottom)
        if len(a.top) * len(b.bottom) + len(b.top) * len(a.bottom) > _TERMS:
            raise _Undecided
        common = a.bottom.gcd(b.bottom)
        left, right = a.bottom / common, b.bottom / common
        return self.ratio(a.top * right + b.top * left, left * b.bottom)

    def times(self, a: _Ratio, b: _Ratio) -> _Ratio:
        if len(a.top) * len(b.top) > _TERMS or len(a.bottom) * len(b.bottom) > _TERMS:
            raise _Undecided
        return self.ratio(a.top * b.top, a.bottom * b.bottom)

    def power(self, base: _Ratio, n: int) -> _Ratio:
        if n < 0:
            if self.reduced(base) == 0:
                raise ZeroDivisionError
            base = self.ratio(base.bottom, base.top)
        simple = all(len(part) == 1 and abs(part.leading_coefficient()) == 1 for part in base)
        terms = max(len(base.top), len(base.bottom))
        if not simple and (abs(n) > _POWER or comb(terms + abs(n) - 1, abs(n)) > _TERMS):
            raise _Undecided
        return self.ratio(base.top ** abs(n), base.bottom ** abs(n))

    # ---- expressions -----------------------------------------------------------------------------------------------

    def is_zero(self, expression: sympy.Expr) -> bool:
        return self.reduced(self.read(expression)) == 0

    def reduced(self, value: _Ratio) -> fmpq_mpoly:
        """The numerator, with the relations of all roots applied."""
        return self._related(value.top, self.roots)

    def over(self, value: _Ratio, below: fmpq_mpoly) -> fmpq_mpoly:
        """The numerator over a given denominator, with those relations applied that leave it so."""
        times, rest = divmod(below, value.bottom)
        if rest:
            raise _Undecided
        return self._related(
            value.top * times, [g for g, (_, base) in self.roots.items() if base.bottom == 1]
        )

    def _related(self, top: fmpq_mpoly, places: Iterable[int]) -> fmpq_mpoly:
        """The numerator with the relations of the roots at these places applied, the last one first."""
        for place in reversed(list(places)):
            top = _without_powers(top, place, *self.roots[place])
        return top

    def read(self, expression: sympy.Expr) -> _Ratio:
        """The expression as a fraction."""
        if expression not in self.known:
            self.known[expression] = self._read(expression)
        return self.known[expression]

    def _read(self, e: sympy.Expr) -> _Ratio:
        if e.is_Rational:
            return self.number(e)
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

    def _root_of_minus_one(self) -> _Ratio:
        generator = self.generator(sympy.I)
        self.roots.setdefault(self.places[sympy.I], (2, self.number(sympy.S.NegativeOne)))
        return _Ratio(generator, self.one)

    def _function(self, e: sympy.Expr) -> _Ratio:
        if isinstance(e, sympy.Float | sympy.Order | sympy.AccumBounds) or e in _VALUELESS:
            raise _Undecided
        if isinstance(e, sympy.gamma):
            return self._gamma(self.read(e.args[0]))
        if isinstance(e, sympy.Abs) and e.args[0].is_Mul:
            return self.read(sympy.Mul(*map(sympy.Abs, e.args[0].args)))
        if isinstance(e, sympy.log):
            apart = sympy.expand_log(sympy.log(_factored(e.args[0])))
            if apart != e:
                return self.read(apart)
        if isinstance(e, sympy.Function | AppliedUndef) and not isinstance(e, sympy.Piecewise):
            return _Ratio(self.generator((e.func, *map(self._argument, e.args))), self.one)
        return _Ratio(self.generator(e), self.one)

    def _argument(self, e: sympy.Basic) -> Any:
        """An argument of a function in a form that is the same for equal arguments."""
        if isinstance(e, sympy.Tuple):
            return tuple(map(self._argument, e.args))
        return tuple(map(str, self.read(e))) if isinstance(e, sympy.Expr) else e

    def _gamma(self, argument: _Ratio) -> _Ratio:
        """gamma(a + n) by gamma(a), if that was met before."""
        for known, value in self.gammas:
            apart = self.plus(argument, _Ratio(-known.top, known.bottom))
            shift = _integer(apart)
            if shift is None or abs(shift) > _SHIFT:
                continue
            start, found = (known if shift > 0 else argument), self.number(sympy.S.One)
            for n in range(abs(shift)):
                found = self.times(found, self.plus(start, self.number(sympy.Integer(n))))
            return self.times(value, self.power(found, 1 if shift > 0 else -1))
        value = _Ratio(self.generator((sympy.gamma, *map(str, argument))), self.one)
        self.gammas.append((argument, value))
        return value

    # ---- powers ----------------------------------------------------------------------------------------------------

    def _power(self, base: sympy.Expr, exponent: sympy.Expr) -> _Ratio:
        if base is sympy.S.Exp1:
            return self._one_power(base, exponent)
        if exponent.is_Integer:
            return self.power(self.read(base), int(exponent))
        found = self.number(sympy.S.One)
        for factor, times in _factors(base, whole=bool(exponent.is_integer)):
            found = self.times(found, self._one_power(factor, times * exponent))
        return found

    def _one_power(self, base: sympy.Expr, exponent: sympy.Expr) -> _Ratio:
        """b^e as a product of powers of b^(1/root) and b^(m/scale), one for each monomial m of e."""
        if exponent.is_Rational and base is not sympy.S.Exp1:
            return self._rational_power(base, exponent)
        e = self.read(exponent)
        below, scale = self.below.get(_nested(exponent), self.one), 8 * self.root
        key = None if base is sympy.S.Exp1 else self._argument(base)
        found = self.number(sympy.S.One)
        scaled = self.over(e, below).to_dict()
        if len(below) == 1:
            common = below.monoms()[0]
            scaled = {
                tuple(p - c for p, c in zip(powers, common, strict=True)): q for powers, q in scaled.items()
            }
            below = self.one
        for powers, coefficient in scaled.items():
            times = coefficient * scale
            if times.q != 1:
                raise _Undecided
            if not any(powers) and below == 1 and key is not None:
                number = sympy.Rational(int(coefficient.p), int(coefficient.q))
                found = self.times(found, self._rational_power(base, number))
                continue
            generator = _Ratio(self.generator(("power", key, powers, str(below))), self.one)
            found = self.times(found, self.power(generator, int(times.p)))
        return found

    def _rational_power(self, base: sympy.Expr, exponent: sympy.Rational) -> _Ratio:
        times = exponent * self.root
        if not times.is_Integer:
            raise _Undecided
        whole, part = divmod(int(times), self.root)
        found = self.power(self.read(base), whole)
        if part:
            if base is sympy.S.NegativeOne and self.root % 2 == 0 and part == self.root // 2:
                return self.times(found, self._root_of_minus_one())
            key = ("root", self._argument(base))
            generator = self.generator(key)
            self.roots.setdefault(self.places[key], (self.root, self.read(base)))
            found = self.times(found, self.power(_Ratio(generator, self.one), part))
        return found


_VALUELESS = (sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)
_TRIGONOMETRIC = (
    sympy.sin, sympy.cos, sympy.tan, sympy.cot, sympy.sinh, sympy.cosh, sympy.tanh, sympy.coth, sympy.sec, sympy.csc,
)  # fmt: skip
_REWRITTEN = (
    *_TRIGONOMETRIC,
    sympy.factorial,
    sympy.binomial,
    sympy.RisingFactorial,
    sympy.FallingFactorial,
    sympy.beta,
)


def _without_powers(top: fmpq_mpoly, place: int, order: int, base: _Ratio) -> fmpq_mpoly:
    """The numerator with g^order = base for the generator g at a place, over a common denominator."""
    if top.degrees()[place] < order:
        return top
    ring, parts = _ring()[0], {}  # type: fmpq_mpoly_ctx, dict[int, dict[tuple[int, ...], fmpq]]
    for powers, coefficient in top.to_dict().items():
        times, rest = divmod(powers[place], order)
        parts.setdefault(times, {})[(*powers[:place], rest, *powers[place + 1 :])] = coefficient
    most = max(parts)
    if most > 1 and comb(max(len(base.top), len(base.bottom)) + most - 1, most) > _TERMS:
        raise _Undecided
    terms = (ring.from_dict(part) * base.top**n * base.bottom ** (most - n) for n, part in parts.items())
    return sum(terms, start=ring.constant(0))


def _factored(e: sympy.Expr) -> sympy.Expr:
    """A sum as a product, whose factors may have known signs."""
    if not e.is_Add or e.is_number or any(abs(n) > _POWER for n in e.atoms(sympy.Integer)):
        return e
    return sympy.factor(sympy.together(e))


def _exponents(expression: sympy.Expr) -> list[sympy.Expr]:
    """All exponents that are no integers."""
    powers = [e for e in sympy.preorder_traversal(expression) if e.is_Pow or isinstance(e, sympy.exp)]
    return list(dict.fromkeys(e.exp for e in powers if not e.exp.is_Integer))


def _nested(exponent: sympy.Expr) -> bool:
    """Whether there are symbolic powers in the exponent itself."""
    return any(not e.is_Rational for e in _exponents(exponent))


def _is_rewritten(e: sympy.Basic) -> bool:
    """Whether a function is written out; a binomial coefficient only where the gamma function gives its values."""
    if isinstance(e, sympy.binomial):
        return bool(e.args[0].is_nonnegative or e.args[0].is_integer is False)
    return isinstance(e, _REWRITTEN)


def _written(e: sympy.Expr) -> sympy.Expr:
    """By exponentials, or by the gamma function."""
    return e.rewrite(sympy.exp if isinstance(e, _TRIGONOMETRIC) else sympy.gamma, deep=False)


def _integer(value: _Ratio) -> int | None:
    """The integer that a fraction is, if it is one."""
    if not (value.top.is_constant() and value.bottom.is_constant()):
        return None
    number = value.top.leading_coefficient() if value.top else fmpq(0)
    return int(number.p) if number.q == 1 else None


def _factors(base: sympy.Expr, whole: bool = False) -> list[tuple[sympy.Expr, sympy.Expr]]:
    """Factors f and numbers k such that base^e is the product of f^(k e) for every e, or every integer e.

    Nonnegative factors may be split off, and powers of positive ones; the rest stays together. i is (-1)^(1/2).

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> p = sympy.Symbol("p", positive=True)
    >>> _factors(12 * p**3 * x * y)
    [(2, 2), (3, 1), (p, 3), (x*y, 1)]
    >>> _factors(-2 * x**3, whole=True)
    [(-2, 1), (x, 3)]
    """
    found: list[tuple[sympy.Expr, sympy.Expr]] = []
    rest: list[sympy.Expr] = []
    product = sympy.Mul(*map(_factored, sympy.Mul.make_args(base)))
    for factor in sympy.Mul.make_args(product):
        if factor.is_Rational and factor.is_positive:
            primes = itertools.chain(
                ((p, k) for p, k in sympy.factorint(factor.p, limit=_PRIMES).items()),
                ((p, -k) for p, k in sympy.factorint(factor.q, limit=_PRIMES).items()),
            )
            found += [(sympy.Integer(p), sympy.Integer(k)) for p, k in primes if p != 1]
            continue
        inner, power = factor.as_base_exp()
        if (inner.is_positive and power.is_real) or (whole and power.is_integer):
            found.append((inner, power))
        elif whole or factor.is_nonnegative:
            found.append((factor, sympy.S.One))
        else:
            rest.append(factor)
    if rest == [sympy.I]:
        return [*found, (sympy.S.NegativeOne, sympy.S.Half)]
    return found + ([(sympy.Mul(*rest), sympy.S.One)] if rest else [])
