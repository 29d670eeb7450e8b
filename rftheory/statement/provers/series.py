"""Sides as power series in B = v^2 (or z^2), whose coefficients are known or bounded for every index.

A combination of laws is exp(a v^2 + b z^2) sum_i w_i A_i(sigma B), with weights w_i free of the series variable and

    A(B) = sum_k x_k B^k/k!:   exp(c B)  x_k = c^k,     1F1(d; d/2; B/2)  x_k = r_k = prod_{j<k} (d + j)/(d + 2j),

0F1(d/2; d B/2) has x_k = prod_{j<k} d/(d + 2j): x_0 = x_1 = 1, and 0 < x_k < r_k for k >= 2, and for two rows at a
cosine c with independent norms x_k > 0, increasing in c for k >= 1, because x_k is a multiple of E (r_1^2 + r_2^2 + 2
c r_1 r_2)^k. It is r_k at c = 0, less than 2^k r_k at c = 1, and 1, that of exp(B), in the mean over the cosines of
independent axes, so that it is more than 1 at c = 1. For opposite rows whose norms are at opposite quantiles it is
more than with independent norms, and less than r_k: |a - b|^2k is a multiple of the integral of |s - t|^(2k-2) over
all s and t between a and b, and for s < t one norm is below s and the other one above t with probability 2 min(F(s),
1 - F(t)), F the law of a norm, but 2 F(s) (1 - F(t)) if they are independent. For orthogonal rows whose norms are at
opposite quantiles x_0 = x_1 = 1, and b_k < x_k < r_k for k >= 2, b_k those of 0F1. Here x_k is E (s + t)^k/(4^k
(d/2)_k) for the squares s and t, which lies between those (see `OppositeMoment`), and is at least E s^k + E t^k, so
that x_k >= 2/2^k. Opposite rows with independent norms have less: with |1 - w| <= 1 - w^2 for the w of `_no_larger`
x_k is at most 2^k (1/2)_k/(d + k)_k, which falls in d and is 1/2^k for d = 1.

All this is so for d >= 1. Elsewhere, as for 1F1(a; a/2; x) with a < 0, coefficients have any sign, and waves exceed 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import comb, perm

import sympy
from sympy import S

from rftheory.exact.field import in_factors, rational_value
from rftheory.exact.order import by_size, compared, surely
from rftheory.exact.symbols import v, z
from rftheory.exact.vanishing import vanishes
from rftheory.statement.atoms import OppositeMoment, PairMean
from rftheory.statement.domain import Domain
from rftheory.statement.provers.signs import Sign, at_least_zero, is_real, negated, sign


@dataclass(frozen=True)
class Atom:
    """One A: its kind (``exp``, ``frame``, ``bessel``, ``pair``), the factor of B in its argument, and what it is of.

    Examples
    --------
    >>> Atom("exp", S(1)).scale
    1
    >>> Atom("pair", S(1), S(2), S(-1), "independent").coefficient(1)  # E (r_1 - r_2)^2/4 for Rayleigh norms
    1 - pi/4
    >>> Atom("pair", S(1), S(2), S(0), "independent").coefficient(2)
    3/4
    >>> Atom("pair", S(1), S(2), S(-1), "antimonotone").coefficient(1) is None
    True
    """

    kind: str
    scale: sympy.Expr
    d: sympy.Expr = S.Zero
    cosine: sympy.Expr = S.Zero
    norms: str = ""

    def coefficient(self, n: int) -> sympy.Expr | None:
        """n! times the coefficient of B^n; None if it has no known closed form."""
        if self.kind == "exp":
            return self.scale**n
        if self.kind in ("frame", "bessel"):
            step = 1 if self.kind == "frame" else 0
            ratio = sympy.Mul(*((self.d + step * j) / (self.d + 2 * j) for j in range(n)))
            return self.scale**n * ratio
        if n == 0 or (n == 1 and _is_antimonotone(self)):
            return self.scale**n
        if _is_antimonotone(self):
            return self.scale**n * OppositeMoment(self.d, n)
        if self.norms != "independent":
            return None
        moments = (sympy.binomial(n, j) * (2 * self.cosine) ** j * self._root_moment(j) for j in range(n + 1))
        return Atom("frame", self.scale, self.d).coefficient(n) * sympy.Add(*moments)

    def _root_moment(self, j: int) -> sympy.Expr:
        """E (beta (1 - beta))^(j/2), beta = r_1^2/(r_1^2 + r_2^2) of the law Beta(d/2, d/2)."""
        d, half = self.d / 2 + sympy.Rational(j % 2, 2), j // 2
        ratio = (sympy.gamma(d) / sympy.gamma(self.d / 2)) ** 2
        return ratio * sympy.rf(d, half) ** 2 / sympy.rf(self.d, j)


Place = tuple[Atom, int]
"""An atom and the power of B before it."""
Terms = dict[Place, sympy.Expr]
"""The weight of each."""


@dataclass(frozen=True)
class Series:
    """exp(factor) times the sum of weights times B^power A.

    Attributes
    ----------
    variable : the variable of the series; B is its square.
    factor : the common exponent, whose exponential is positive.
    terms : weights by atom and power of B.

    Examples
    --------
    >>> from rftheory.statement.words import d
    >>> found = as_series(sympy.exp(v**2) - sympy.hyper((d,), (d / 2,), v**2 / 2))
    >>> sorted((atom.kind, str(weight)) for (atom, _), weight in found.terms.items())
    [('exp', '1'), ('frame', '-1')]
    """

    variable: sympy.Symbol
    factor: sympy.Expr
    terms: Terms

    @property
    def is_zero(self) -> bool:
        """Whether all weights vanish."""
        return not self.terms

    @property
    def is_constant(self) -> bool:
        """Whether no term moves with B."""
        return all(atom.scale == 0 and not power for atom, power in self.terms)

    def coefficient(self, n: int) -> sympy.Expr | None:
        """n! times the coefficient of B^n of the sum; None if an atom has no closed form for it."""
        total = S.Zero
        for (atom, power), weight in self.terms.items():
            if power > n:
                continue
            own = atom.coefficient(n - power)
            if own is None:
                return None
            total += weight * own * sympy.ff(n, power)
        return in_factors(total)


@lru_cache(maxsize=256)
def as_series(expression: sympy.Expr, variable: sympy.Symbol | None = None) -> Series | None:
    """The expression in that form; None if it does not have it.

    Examples
    --------
    >>> as_series(sympy.exp(v**2) * (1 - 2 * sympy.exp(-(v**2))) + 2).terms == as_series(sympy.exp(v**2)).terms
    True
    >>> as_series(sympy.sin(v)) is None, as_series(sympy.cosh(v)).coefficient(2)  # 2! times 1/4!
    (True, 1/12)
    >>> A = sympy.Symbol("A", real=True)
    >>> sorted((str(a.scale), n) for a, n in as_series(v**2 * sympy.exp(A * v**2) - sympy.exp(v**2)).terms)
    [('1', 0), ('A', 1)]
    """
    expanded = sympy.expand(_with_rows_of_a_line(expression))
    variable = variable or _variable(expanded)
    if variable is None:
        return None
    parsed = []
    for term in sympy.Add.make_args(expanded):
        found = _parsed(term, variable)
        if found is None:
            return None
        parsed.append(found)
    others = {other for *_, other in parsed}
    if len(others) > 1:  # weights may depend on the other norm
        parsed = [(weight * sympy.exp(other), *rest, S.Zero) for weight, *rest, other in parsed]
        others = set()
    shifts = {shift for _, _, atom, shift, _ in parsed if atom is not None}
    if len(shifts) > 1:
        return None
    base = next(iter(shifts)) if shifts else _common_rate({shift for *_, shift, _ in parsed})
    terms = (
        ((atom or Atom("exp", sympy.factor(shift - base)), power), weight)
        for weight, power, atom, shift, _ in parsed
    )
    return Series(variable, base * variable**2 + next(iter(others), S.Zero), _summed(terms))


def _summed(terms: Iterable[tuple[Place, sympy.Expr]]) -> Terms:
    """The sums of the weights, in factors, without those that are 0."""
    total = Counter[Place]()
    for place, weight in terms:
        total[place] += weight
    return {place: in_factors(raw) for place, raw in total.items() if not vanishes(raw)}


def _with_rows_of_a_line(expression: sympy.Expr) -> sympy.Expr:
    """The expression with cosh(s) = 0F1(1/2; s^2/4) and sinh(s) = s 0F1(3/2; s^2/4); of waves s^2 is negative."""
    for even, odd, turned in ((sympy.cosh, sympy.sinh, 1), (sympy.cos, sympy.sin, -1)):
        if expression.has(even, odd):
            expression = expression.replace(
                even, lambda s, t=turned: sympy.hyper((), (S.Half,), t * s**2 / 4)
            )
            expression = expression.replace(
                odd, lambda s, t=turned: s * sympy.hyper((), (S(3) / 2,), t * s**2 / 4)
            )
    return expression


def _common_rate(rates: set[sympy.Expr]) -> sympy.Expr:
    """The rate that all terms have in common: the least one, or 0 where they depend on parameters."""
    if len(rates) > 1 and not all(rate.is_number for rate in rates):
        return S.Zero
    return min(rates, default=S.Zero, key=by_size)


def without_frames(expression: sympy.Expr) -> sympy.Expr:
    """The expression with 1F1(a; b; x) as e^x times a polynomial, where a and b are integers and a >= b.

    Examples
    --------
    >>> without_frames(sympy.hyper((2,), (1,), -(z**2) / 2))
    (1 - z**2/2)*exp(-z**2/2)
    >>> [without_frames(sympy.hyper((a,), (b,), z)) for a, b in ((S(5) / 2, 1), (2, S.Half), (1, 2))]
    [hyper((5/2,), (1,), z), hyper((2,), (1/2,), z), hyper((1,), (2,), z)]
    """
    return expression.replace(_is_elementary, _elementary)


def _is_elementary(e: sympy.Expr) -> bool:
    if not isinstance(e, sympy.hyper) or len(e.ap) != 1 or len(e.bq) != 1:
        return False
    (a,), (b,) = e.ap, e.bq
    return bool(a.is_Integer and b.is_Integer and a >= b > 0)


def _elementary(e: sympy.Expr) -> sympy.Expr:
    """Kummer's transformation, by which the series ends."""
    (a,), (b,), t = e.ap, e.bq, e.argument
    terms = (sympy.binomial(a - b, k) * t**k / sympy.rf(b, k) for k in range(int(a - b) + 1))
    return sympy.exp(t) * sympy.Add(*terms)


def without_products(expression: sympy.Expr, domain: Domain) -> Iterator[tuple[sympy.Expr, sympy.Symbol]]:
    """What is no larger, without squares of 0F1 and exponentials times series, in one or two forms, with its variable.

    With q_k = rf(2a + k - 1, k)/(2^k rf(a, k)) the coefficients of the square of F(x) = 0F1(; a; x) are q_k times those
    of F(2x), and q_k = prod_{j<k} (2a + k - 1 + j)/(2a + 2j) is at least 1: the square is no less than F(2x). It is no
    less than (1 + 1/a) F(2x) - 2 F(x)/a + 1/a, since q_k >= 1 + 1/a - 2^(1 - k)/a for k >= 1: the factor j = 0 is
    1 + (k - 1)/(2a), which is enough from k = 3 on; both are equal for k <= 2.

    In the notation of this module e^(eB) times an atom of scale s has sum_j binomial(k, j) e^(k - j) s^j x_j, which is
    at least (s + e)^k x_k for e > 0, because the x_j of frames and of 0F1 fall.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(v < d), ())
    >>> list(without_products(sympy.hyper((), (d / 2,), v**2) ** 2 - sympy.exp(v**2), over))[0]
    (-exp(v**2) + hyper((), (d/2,), 2*v**2), v)
    >>> list(without_products(sympy.exp(v**2) - sympy.hyper((), (d / 2,), v**2) ** 2, over))
    []
    """
    expanded = sympy.expand(_with_rows_of_a_line(expression))
    variable = _variable(expanded)
    for tight in (False, True) if variable is not None else ():
        below = _without_squares(expanded, tight, domain)
        if below is None:
            return
        found = _with_one_shift(sympy.expand(below), variable, domain)
        if found is not None and found != expanded:
            yield found, variable


def _without_squares(expanded: sympy.Expr, tight: bool, domain: Domain) -> sympy.Expr | None:
    """What is no larger, without squares of 0F1; None if it is not known."""
    weights: dict[sympy.Expr, sympy.Expr] = {}
    for term in sympy.Add.make_args(expanded):
        factors = sympy.Mul.make_args(term)
        squares = [f for f in factors if f.is_Pow and isinstance(f.base, sympy.hyper) and f.exp == 2]
        square = squares[0] if squares else S.One
        weights[square] = weights.get(square, S.Zero) + term / square
    total = weights.pop(S.One, S.Zero)
    for square, weight in weights.items():
        if square.base.ap or len(square.base.bq) != 1:
            return None
        (a,), x, share = square.base.bq, square.base.argument, in_factors(weight)
        if sign(a, domain) != "positive" or not all(at_least_zero(sign(e, domain)) for e in (x, share)):
            return None
        twice = sympy.hyper((), (a,), 2 * x)
        total += share * ((1 + 1 / a) * twice - 2 * square.base / a + 1 / a if tight else twice)
    return total


def _with_one_shift(expression: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> sympy.Expr | None:
    """What is no larger, with one exponential before all series; None if it is not known."""
    terms = sympy.Add.make_args(expression)
    parsed = [_parsed(term, variable) for term in terms]
    shifts = {found[3] for found in parsed if found is not None and found[2] is not None}
    if None in parsed or not all(shift.is_number for shift in shifts):
        return None
    base, total = min(shifts, default=S.Zero, key=by_size), S.Zero
    for term, found in zip(terms, parsed, strict=True):
        assert found is not None
        weight, _, atom, shift, _ = found
        if atom is not None and (more := shift - base) != 0:
            ordinary = atom.kind in ("frame", "bessel") and surely(atom.scale, ">")
            if not (ordinary and at_least_zero(sign(weight, domain))):
                return None
            (series,) = (f for f in sympy.Mul.make_args(term) if f.has(sympy.hyper))
            step = more * variable**2 * (series.bq[0] if atom.kind == "bessel" else S.Half)
            wider = sympy.hyper(series.ap, series.bq, sympy.expand(series.argument + step))
            term = term / series * wider * sympy.exp(-more * variable**2)
        total += term
    return sympy.expand(total)


def _variable(expression: sympy.Expr) -> sympy.Symbol | None:
    inside = {s for a in expression.atoms(sympy.hyper, PairMean) for s in a.free_symbols} & {v, z}
    if not inside:
        inside = {s for a in expression.atoms(sympy.exp) for s in a.free_symbols} & {v, z}
        inside = {v} if v in inside else inside
    if not inside:
        inside = expression.free_symbols & {v, z} or _own_variables(expression)
    return next(iter(inside)) if len(inside) == 1 else None


def _own_variables(expression: sympy.Expr) -> set[sympy.Symbol]:
    """The variables of exponentials and series, without those of norms and integers."""
    moving = {s for a in expression.atoms(sympy.hyper, sympy.exp) for s in a.free_symbols}
    return {s for s in moving if s.is_real and not s.is_integer}


def _parsed(
    term: sympy.Expr, variable: sympy.Symbol
) -> tuple[sympy.Expr, int, Atom | None, sympy.Expr, sympy.Expr] | None:
    """Weight, power of B, atom, coefficient of B in the exponent, and the rest of the exponent."""
    weight, power, shift, other = S.One, 0, S.Zero, S.Zero
    atom: Atom | None = None
    for factor in sympy.Mul.make_args(term):
        if isinstance(factor, sympy.exp):
            inside = sympy.expand(factor.args[0])
            own = inside.coeff(variable, 2)
            rest = sympy.expand(inside - own * variable**2)
            if own.has(variable) or rest.has(variable):
                return None
            moving = rest.as_independent(v, z, as_Add=True)
            shift, other = shift + own, other + moving[1]
            weight *= sympy.exp(moving[0])
        elif factor.has(sympy.hyper, PairMean) and factor.has(variable):
            if atom is not None or (atom := _atom(factor, variable)) is None:
                return None
        elif factor.has(variable):
            base, exponent = factor.as_base_exp()
            if base != variable or not exponent.is_Integer or exponent < 0 or exponent % 2:
                return None
            power += int(exponent) // 2
        else:
            weight *= factor
    return weight, power, atom, shift, other


def _atom(factor: sympy.Expr, variable: sympy.Symbol) -> Atom | None:
    if isinstance(factor, PairMean):
        cosine, norms, d, square = factor.args
        scale = square / variable**2
        return None if scale.has(variable) else Atom("pair", scale, d, cosine, norms.name)
    if not isinstance(factor, sympy.hyper) or len(factor.ap) > 1 or len(factor.bq) != 1:
        return None
    d, scale = 2 * factor.bq[0], sympy.cancel(2 * factor.argument / variable**2)
    if scale.has(variable):
        return None
    if not factor.ap:
        return Atom("bessel", sympy.cancel(scale / d), d)
    return Atom("frame", scale, factor.ap[0]) if sympy.expand(factor.ap[0] - d) == 0 else None


def has_dimensions(series: Series, domain: Domain) -> bool:
    """Whether what stands for d in its atoms is known to be at least 1, as their bounds need.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(v < d), ())
    >>> [has_dimensions(as_series(sympy.hyper((e,), (e / 2,), v**2)), over) for e in (d, S.Half, d - 1)]
    [True, False, False]
    """
    return all(atom.kind == "exp" or at_least_zero(sign(atom.d - 1, domain)) for atom, _ in series.terms)


# ---- signs of all coefficients -----------------------------------------------------------------------


@dataclass(frozen=True)
class Signs:
    """Signs of the coefficients with index 0, index 1, and all larger indices.

    Examples
    --------
    >>> Signs("zero", "positive", "positive").more
    'positive'
    """

    zero: Sign
    one: Sign
    more: Sign


def signs(series: Series, domain: Domain) -> Signs | None:
    """Signs of all coefficients over the domain, if none is negative; None if that is not proved.

    A polynomial in B added to the atoms changes finitely many coefficients, which are checked one by one.
    For k >= 1 the x_k of the atoms form a chain 0 < x_1 < x_2 < ..., so sum w_i x_i is a combination of their
    differences, with sums of the last weights as coefficients.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(v < d), (d >= 2,))
    >>> signs(as_series(sympy.exp(v**2) - sympy.hyper((d,), (d / 2,), v**2 / 2)), over)
    Signs(zero='zero', one='zero', more='positive')
    """
    if series.is_zero:
        return Signs("zero", "nonnegative", "nonnegative")
    if not (is_real(series.factor, domain) and has_dimensions(series, domain)):
        return None
    if (found := _by_chain(series, domain) or _by_rates(series, domain)) is not None:
        return found
    for of_pairs in (True, False):
        bound = _with_bounds(series, of_pairs, domain)
        if bound is None:
            continue
        if bound.is_zero:
            return signs(bound, domain)
        if (least := _by_chain(bound, domain) or _by_rates(bound, domain)) is not None:
            one, more = ("nonnegative" if own == "zero" else own for own in (least.one, least.more))
            return Signs(least.zero, one, more)  # type: ignore[arg-type]
    return None


def _by_chain(series: Series, domain: Domain) -> Signs | None:
    if any(power and atom.scale != 0 for atom, power in series.terms):
        return None
    scale = _common_scale(series)
    if scale is None or not surely(scale, ">"):
        return None
    ranked = _ranked(series, scale, domain)
    if ranked is None:
        return None
    zero = sign(sympy.Add(*(weight for (_, power), weight in series.terms.items() if not power)), domain)
    chain = [weight for _, _, weight in ranked]
    more, one = _chain_sign(chain, domain), _chain_sign(_merged(ranked), domain)
    for n in range(1, max(power for _, power in series.terms) + 1):  # where a polynomial adds to the series
        value = series.coefficient(n)
        own = None if value is None else sign(value, domain)
        if n == 1:
            one = own
        elif not at_least_zero(own):
            return None
        elif own != more:
            more = "nonnegative" if at_least_zero(more) else None
    if not (at_least_zero(zero) and at_least_zero(more) and at_least_zero(one)):
        return None
    return Signs(zero, one, more)  # type: ignore[arg-type]


def _with_bounds(series: Series, of_pairs: bool, domain: Domain) -> Series | None:
    """The series with pairs at negative cosines, or with the other atoms, as what is no larger.

    A frame, or waves, become exponentials with polynomials in B. x_k of a frame that is subtracted becomes
    (d + 4/2^k)/(d + 2), and 1 for k = 0. This is no less than r_k, with equality for k <= 2: r_(k+1)/r_k =
    (d + k)/(d + 2k), and (d + 4q)(d + k) is at most (d + 2q)(d + 2k) for q = 2^-k, k >= 1. It is Theorem 2 of
    Choromanski et al. 2021, coefficient by coefficient. Norms at opposite quantiles have no more than a frame.

    If a frame is added, x_k becomes 1 - k (k - 1)/(2 (d + 2)), with equality for k <= 2. This is no more than r_k,
    because r_k = prod_{j<k} (1 - j/(d + 2j)) >= 1 - sum_{j<k} j/(d + 2j), and j/(d + 2j) <= j/(d + 2). For 0F1 twice as
    much is taken away, and norms at opposite quantiles have no less.

    A pair at a cosine c in [-1, 0) that is subtracted becomes a frame: x_k = r_k E (1 + c w)^k, where 0 <= w <= 1 and
    E w >= E w^2 = d/(d + 1), is 1 for k = 0, at most 1 + c d/(d + 1) for k = 1, and at most r_k E (1 + c w)^2, or
    r_k (1 + c (2 + c) d/(d + 1)), from k = 2 on.
    """
    found: list[tuple[Place, sympy.Expr]] = []
    for (atom, power), weight in series.terms.items():
        chosen = not power and _is_below_frames(atom, domain) is of_pairs
        instead = (_no_larger(atom, weight, domain) if chosen else None) or {(atom, power): S.One}
        found += ((place, weight * share) for place, share in instead.items())
    terms = _summed(found)
    return None if terms.keys() == series.terms.keys() else replace(series, terms=terms)


def _no_larger(atom: Atom, weight: sympy.Expr, domain: Domain) -> Terms | None:
    """What has no larger coefficients, times a weight of one sign; None if no such bound is known."""
    own = atom.kind
    if own == "exp" or not surely(atom.scale, ">"):
        return None
    added, taken = (at_least_zero(sign(one, domain)) for one in (weight, -weight))
    if _is_below_frames(atom, domain):
        return _as_frame(atom) if taken else None
    if own == "pair" and not _is_antimonotone(atom):
        return None
    if added:
        whole = Atom("exp", atom.scale)
        return {(whole, 0): S.One, (whole, 2): -(atom.scale**2) / (1 + (own == "frame")) / (atom.d + 2)}
    if own == "bessel" or not taken:
        return None
    rates = (S.One, atom.d), (S.Half, S(4)), (S.Zero, S(-2))
    return {(Atom("exp", atom.scale * rate), 0): share / (atom.d + 2) for rate, share in rates}


def _is_antimonotone(atom: Atom) -> bool:
    """Whether it is of two orthogonal rows with norms at opposite quantiles."""
    return atom.norms == "antimonotone" and atom.cosine == 0


def _is_below_frames(atom: Atom, domain: Domain) -> bool:
    """Whether it is of two rows with independent norms at a cosine from -1 on that is below 0."""
    negative = atom.norms == "independent" and sign(atom.cosine, domain) == "negative"
    return negative and at_least_zero(sign(atom.cosine + 1, domain))


def _as_frame(atom: Atom) -> Terms:
    """What is no less than a pair at a cosine c below 0, as a frame and a polynomial."""
    c, square, number = atom.cosine, atom.d / (atom.d + 1), Atom("exp", S.Zero)
    first, second = 1 + c * square, 1 + c * (2 + c) * square
    return {
        (Atom("frame", atom.scale, atom.d), 0): second, (number, 0): 1 - second,
        (number, 1): (first - second) * atom.scale,
    }  # fmt: skip


def without_falling(series: Series, domain: Domain, powers: int = 0) -> Series | None:
    """A series of no larger values: exponentials that fall lie between 0 and 1, waves between -1 and 1.

    With ``powers`` e^(-x) lies between 1 - x and 1 - x + x^2/2. None if there are none, or weights have no known sign.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(v < d), ())
    >>> found = without_falling(as_series(sympy.hyper((d,), (d / 2,), v**2 / 2) - sympy.exp(-(v**2))), over)
    >>> sorted((str(atom.scale), str(weight)) for (atom, _), weight in found.terms.items())
    [('0', '-1'), ('1', '1')]
    """
    if not has_dimensions(series, domain):
        return None
    falling = [key for key in series.terms if surely(key[0].scale, "<")]
    terms = [one for one in series.terms.items() if one[0] not in falling]
    for atom, power in falling:
        weight = series.terms[atom, power]
        own = sign(weight, domain)
        if not (at_least_zero(own) or at_least_zero(negated(own))):
            return None
        if not at_least_zero(own):
            ends = (S.One, atom.scale, atom.scale**2 / 2)[: 1 + 2 * powers]
        elif atom.kind == "exp":
            ends = (S.One, atom.scale)[: 2 * powers]
        else:
            ends = (S.NegativeOne,)
        if powers and atom.kind != "exp":
            return None
        terms += (((Atom("exp", S.Zero), power + more), end * weight) for more, end in enumerate(ends))
    return replace(series, terms=_summed(terms)) if falling else None


def slope(series: Series, domain: Domain) -> Series | None:
    """What is no larger than the derivative by B; None for atoms of which it is not known.

    Of e^(-cB) times a frame of scale c that is added the coefficients are c^(k+1) (r_(k+1) - r_k) = -c^(k+1) r_k k/(d
    + 2k), at least -c^(k+1) k/(d + 2), and for 0F1 at least twice that. Norms at opposite quantiles have no less than
    that, since E (s + t)^(k+1) >= 2d E (s + t)^k. Of two rows with independent norms at a cosine from -1 to 0, x_k =
    r_k E y^k, y = 1 - |cos| s with s from 0 to 1, and x_(k+1) - x_k = -r_k E y^k (k/(d + 2k) + (d + k)/(d + 2k) |cos|
    s), at least -(k/(d + 2) + |cos|). If frames, 0F1 or norms at opposite quantiles are taken away, they add at least
    0, and at k = 1 at least c^2/(d + 2): E (s + t)^(k+1) <= (2d + 2k) E (s + t)^k.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(v < d), ())
    >>> found = slope(as_series(sympy.exp(2 * v**2) + sympy.exp(-(v**2)) * sympy.hyper((d,), (d / 2,), v**2 / 2)), over)
    >>> sorted((str(atom.scale), power, str(weight)) for (atom, power), weight in found.terms.items())
    [('1', 1, '-1/(d + 2)'), ('3', 0, '2')]
    """
    if not has_dimensions(series, domain):
        return None
    outside, terms = series.factor.coeff(series.variable, 2), list[tuple[Place, sympy.Expr]]()
    for (atom, power), weight in series.terms.items():
        parts = {(atom, power): outside + atom.scale, (atom, power - 1): sympy.Integer(power)}
        if atom.kind != "exp":
            steepest = None if power else _steepest(atom, weight, domain)
            if steepest is None or outside != -atom.scale or not surely(atom.scale, ">"):
                return None
            parts = steepest
        terms += ((place, weight * share) for place, share in parts.items())
    return replace(series, terms=_summed(terms))


def _steepest(atom: Atom, weight: sympy.Expr, domain: Domain) -> Terms | None:
    """What is no larger than the derivative of e^(-cB) times an atom of scale c, times a weight of one sign."""
    added, taken = (at_least_zero(sign(one, domain)) for one in (weight, -weight))
    steep = -(atom.scale**2) / (atom.d + 2)
    own = Atom("exp", atom.scale)
    opposed = at_least_zero(sign(-atom.cosine, domain)) and at_least_zero(sign(atom.cosine + 1, domain))
    if atom.norms == "independent" and opposed:
        return {(own, 1): steep, (own, 0): atom.cosine * atom.scale} if added else None
    if not (atom.kind in ("frame", "bessel") or _is_antimonotone(atom)):
        return None
    if added:
        return {(own, 1): steep if atom.kind == "frame" else 2 * steep}
    return {(Atom("exp", S.Zero), 1): steep} if taken else None


LAST, FEW = 64, 8
"""Up to so many coefficients are looked at one by one before the largest rate wins; fewer if they have variables."""


def _by_rates(series: Series, domain: Domain) -> Signs | None:
    """Signs where the scales c >= 0 of all atoms are numbers, with polynomials in B before exponentials.

    n! times the coefficient of B^n is sum_i x_n P_i(n) with sums P_i of c^n P_c(n), for exponentials, frames and 0F1 of
    one d, whose x_n fall in this order from n = 2 on: it is not negative if no sum of the first P_i is. From some n on
    the largest rate of each wins; the coefficients before are looked at.
    """
    kinds = [kind for kind in _FALLING if any(atom.kind == kind for atom, _ in series.terms)]
    moving = {atom.d for atom, _ in series.terms if atom.kind != "exp"}
    known = all(atom.kind in kinds and atom.scale.is_Rational and atom.scale >= 0 for atom, _ in series.terms)
    still = any(atom.kind != "exp" and power for atom, power in series.terms)
    if not known or still or len(moving) > 1:
        return None
    own = _in_numbers(series, domain) or series
    sums = [_rates_of(own, kinds[: n + 1]) for n in range(len(kinds))]
    begin = 1 + max((power for atom, power in own.terms if atom.scale == 0), default=1 if moving else 0)
    begin = max(begin, 2) if moving else begin
    most = FEW if moving or any(weight.free_symbols for weight in own.terms.values()) else LAST
    if not all(_may_win(one, domain) for one in sums):
        return None
    later = ((k, _signs_from(k, sums, domain)) for k in range(begin, max(most, begin + 1)))
    start, from_there = next(((k, found) for k, found in later if found is not None), (0, []))
    if not from_there:
        return None
    first = [None if (c := own.coefficient(k)) is None else sign(c, domain) for k in range(max(start, 2))]
    if not all(map(at_least_zero, first)):
        return None
    zero, one, *more = first
    positive = all(known == "positive" for known in more) and "positive" in from_there
    return Signs(zero, one, "positive" if positive else "nonnegative")  # type: ignore[arg-type]


def _may_win(by_rate: Rates, domain: Domain) -> bool:
    """Whether the highest power beside the largest rate, which wins in the end, is not subtracted."""
    largest = by_rate[max(by_rate)] if by_rate else {0: S.Zero}
    return at_least_zero(sign(largest[max(largest)], domain))


def _signs_from(start: int, sums: Sequence[Rates], domain: Domain) -> list[Sign] | None:
    """The signs of all sums from an index on; None if one of them is not known."""
    found: list[Sign] = []
    for one in sums:
        if (own := _sign_from(start, one, domain)) is None:
            return None
        found.append(own)
    return found


Rates = dict[sympy.Expr, dict[int, sympy.Expr]]
"""Weights by rate and power of B."""
_FALLING = ("exp", "frame", "bessel")
"""Kinds of atoms in the order in which their x_k fall."""


def _rates_of(series: Series, kinds: Sequence[str]) -> Rates:
    """The weights of atoms of some kinds, by rate and power of B, over the power of the rate."""
    found: Rates = {}
    for (atom, power), weight in series.terms.items():
        if atom.kind in kinds and atom.scale != 0:
            powers = found.setdefault(atom.scale, {})
            powers[power] = powers.get(power, S.Zero) + weight / atom.scale**power
    return found


def _in_numbers(series: Series, domain: Domain) -> Series | None:
    """The series over a positive factor, if all its weights are rational numbers then."""
    first = next(iter(series.terms.values()), S.Zero)
    unit = {"positive": first, "negative": -first}.get(sign(first, domain) or "")
    if unit is None:
        return None
    terms = {key: rational_value(weight / unit) for key, weight in series.terms.items()}
    return None if None in terms.values() else replace(series, terms=terms)


def _sign_from(start: int, by_rate: Rates, domain: Domain) -> Sign | None:
    """The sign of the sum of c^n P_c(n) for all n >= start >= 1, if it is shown not to be negative.

    It is 0 if there are none. Of P_c are given the weights of n (n - 1) ..., by the number of factors. With n = start +
    t the largest rate C is taken away where P_C is not negative: by the binomial theorem (C/c)^t is at least the sum of
    the first binomial(t, j) (C/c - 1)^j for the next rate c. Polynomials are not negative if their differences at t = 0
    are not, which are their coefficients in binomial(t, j): as many of their values as these tell all of them.
    """
    if not by_rate:
        return "zero"
    rates = sorted(by_rate, reverse=True)
    places = range(sum(max(by_rate[rate]) + 1 for rate in rates))
    found: Sign | None = None
    total, count, last = [S.Zero for _ in places], 0, S.One
    for rate in rates:
        degree = max(by_rate[rate])
        growth = [sum(comb(t, j) * (last / rate - 1) ** j for j in range(degree + 2)) for t in places]
        own = (_value(by_rate[rate], start + t) * rate**start for t in places)
        total = [
            sympy.expand(one + more * before) for one, more, before in zip(own, growth, total, strict=True)
        ]
        count, last = count + degree + 1, rate
        found = _sign_of_polynomial(total[:count], domain)
        if found is None:
            return None
    return found


def _value(weights: dict[int, sympy.Expr], n: int) -> sympy.Expr:
    """The sum of the weights times n (n - 1) ..., with as many factors as each says."""
    return sympy.Add(*(weight * perm(n, power) for power, weight in weights.items()))


def _sign_of_polynomial(values: list[sympy.Expr], domain: Domain) -> Sign | None:
    """Its sign for all integers t >= 0, by its differences at 0, of the values at t = 0, 1, ..., its degree."""
    differences = []
    while values:
        differences.append(sign(values[0], domain))
        if not at_least_zero(differences[-1]):
            return None
        values = [after - before for before, after in pairwise(values)]
    return "positive" if differences[0] == "positive" else "nonnegative"


def _common_scale(series: Series) -> sympy.Expr | None:
    scales = {atom.scale for atom, _ in series.terms if atom.kind != "exp"}
    if len(scales) > 1:
        return None
    if scales:
        return next(iter(scales))
    exponents = [atom.scale for atom, _ in series.terms]
    if not all(c.is_number for c in exponents):
        return exponents[0] if len(exponents) == 1 else None
    return max(exponents, default=None, key=by_size)


_RISING = ("half", "below", "bessel", "opposite", "antimonotone", "frame", "whole", "above", "more")
"""Kinds of atoms in the order in which x_k rises: exponentials of at most half the scale, pairs at cosines below 0,
0F1, opposite rows with norms at opposite quantiles, orthogonal ones, frames, the exponential of the scale, pairs at
cosines above 0, larger exponentials."""
Ranked = list[tuple[str, Atom, sympy.Expr]]
"""Kinds, atoms and weights."""


def _ranked(series: Series, scale: sympy.Expr, domain: Domain) -> Ranked | None:
    """Atoms in the order of their coefficients with index 2 or more, without constants; None if there is no order."""
    found: list[tuple[str, sympy.Expr, Atom, sympy.Expr]] = []
    for (atom, _), weight in series.terms.items():
        if atom.scale == 0:
            continue
        rank = _rank(atom, scale, domain)
        if rank is None:
            return None
        found.append((*rank, atom, weight))
    cosines = _in_order([a.cosine for kind, _, a, _ in found if kind in ("below", "above")], domain)
    if cosines is None or not _are_comparable([(kind, atom) for kind, _, atom, _ in found], scale, domain):
        return None
    found = [(k, cosines[a.cosine] if k in ("below", "above") else size, a, w) for k, size, a, w in found]
    first = {kind: next((n for k, n, _, _ in found if k == kind), S.Zero) for kind in ("frame", "bessel")}
    if not all((size - first[kind]).is_number for kind, size, _, _ in found if kind in first):
        return None
    found = [(kind, size - first.get(kind, S.Zero), atom, weight) for kind, size, atom, weight in found]
    found.sort(key=lambda one: (_RISING.index(one[0]), by_size(one[1])))
    for (kind, size, _, _), (above, larger, _, _) in pairwise(found):
        if kind == above and not compared(size, "<", larger):
            return None  # written differently, and perhaps equal
    return [(kind, atom, weight) for kind, _, atom, weight in found]


def _in_order(cosines: list[sympy.Expr], domain: Domain) -> dict[sympy.Expr, sympy.Expr] | None:
    """The place of each cosine among several, which x_k of pairs grow with; None if their order is not known.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> over = Domain.of(claimed(v < d), (d >= 2,))
    >>> _in_order([-1 / d, -1 / (d - 1)], over), _in_order([-1 / d, -1 / (2 * d - 3)], over)
    ({-1/d: 1, -1/(d - 1): 0}, None)
    """
    below = {one: [sign(one - other, domain) for other in cosines if other is not one] for one in cosines}
    if not all(own in ("positive", "negative") for signs in below.values() for own in signs):
        return None
    return {one: sympy.Integer(signs.count("positive")) for one, signs in below.items()}


def _rank(atom: Atom, scale: sympy.Expr, domain: Domain) -> tuple[str, sympy.Expr] | None:
    """The kind of an atom, and what x_k grows with among those of the kind."""
    if atom.kind == "exp":
        ratio = atom.scale / scale
        if not surely(ratio, ">="):
            return None
        if compared(ratio, "<=", S.Half):
            return "half", ratio
        if not compared(ratio, ">=", S.One):
            return None
        return ("more", ratio) if compared(ratio, ">", S.One) else ("whole", S.One)
    if atom.kind in ("frame", "bessel"):
        return atom.kind, atom.d  # x_k grows with d
    if atom.norms == "antimonotone":
        return {S.Zero: ("antimonotone", S.Zero), S.NegativeOne: ("opposite", S.Zero)}.get(atom.cosine)
    if _is_below_frames(atom, domain):
        return "below", S.Zero
    return ("above", S.Zero) if _is_above_frames(atom, domain) else None


def _is_above_frames(atom: Atom, domain: Domain) -> bool:
    """Whether it is of two rows with independent norms at a cosine up to 1 that is above 0."""
    acute = atom.norms == "independent" and sign(atom.cosine, domain) == "positive"
    return acute and at_least_zero(sign(1 - atom.cosine, domain))


def _are_comparable(found: list[tuple[str, Atom]], scale: sympy.Expr, domain: Domain) -> bool:
    """Whether the atoms are in the order of their kinds.

    One at most of the first four kinds is there, or opposite rows of both. Orthogonal rows with norms at opposite
    quantiles are above exponentials, opposite rows (|a - b|^2k <= a^2k + b^2k) and, in no larger dimension, 0F1. The
    x_k of pairs stay below those of frames in their own dimension, which grow with it. Pairs at cosines above 0 are
    below exponentials of twice the scale, and above that of the scale on one axis only.
    """
    at = {kind: [atom for own, atom in found if own == kind] for kind in _RISING}

    def of_one(*kinds: str) -> bool:
        return len({atom.d for kind in kinds for atom in at[kind]}) <= 1

    def grow(lower: Sequence[str], higher: str) -> bool:
        apart = (large.d - small.d for kind in lower for small in at[kind] for large in at[higher])
        return all(at_least_zero(sign(one, domain)) for one in apart)

    low = [kind for kind in ("half", "below", "bessel", "opposite") if at[kind]]
    turned = all(atom.cosine == -1 for atom in at["below"])
    alone = len(low) <= 1 or low == ["below", "opposite"]
    if not alone or not (turned or not (at["opposite"] or at["antimonotone"])):
        return False
    known = of_one("below", "opposite") and of_one("above")
    known = known and grow(("bessel",), "antimonotone")
    known = known and grow(_RISING[1:5], "frame") and grow(_RISING[1:6], "above")
    if not known or not at["above"]:
        return known
    on_one_axis = all(atom.cosine == 1 for atom in at["above"])
    return (on_one_axis or not at["whole"]) and all(
        compared(atom.scale / scale, ">=", S(2)) for atom in at["more"]
    )


def _merged(ranked: Ranked) -> list[sympy.Expr]:
    """The chain at index 1, where 0F1, antimonotone pairs, frames and the exponential of the scale are all 1."""
    ones = [weight for kind, _, weight in ranked if kind in ("bessel", "antimonotone", "frame", "whole")]
    low = [weight for kind, _, weight in ranked if kind in ("half", "below", "opposite")]
    high = [weight for kind, _, weight in ranked if kind in ("above", "more")]
    return [*low, *([sympy.Add(*ones)] if ones else []), *high]


def _chain_sign(weights: list[sympy.Expr], domain: Domain) -> Sign | None:
    """The sign of sum w_i x_i for all 0 < x_1 < x_2 < ..., if it is not negative."""
    sums = [sign(sympy.Add(*weights[i:]), domain) for i in range(len(weights))]
    if not all(at_least_zero(s) for s in sums):
        return None
    if any(s == "positive" for s in sums):
        return "positive"
    return "zero" if all(s == "zero" for s in sums) else "nonnegative"
