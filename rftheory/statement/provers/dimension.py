"""Expansions in 1/d with a bounded remainder.

With t = 1/d the series 1F1(d; d/2; B/2) and 0F1(d/2; d B/2) are sum_k B^k/k! r_k(t), a = 1 and a = 0 in

    r_k(t) = prod_{j<k} (1 + a j t)/(1 + 2 j t),   |r_k^(n)(t)| <= n! (2k)^n binomial(k + n - 1, n) for t >= 0,

because the n-th derivative of each factor is at most n! (2j)^n, and the factor itself at most 1. The coefficient of
t^n is a polynomial of degree 2n in k. So it adds e^B times a polynomial of degree 2n in B, and what is left out from
t^N on is rho/d^N, where rho is bounded for every d, B bounded.

For two rows at a cosine c with independent norms r_k gets a factor E (1 + c w)^k, where w = (1 - y)^(1/2) and y has the
law Beta(1/2, d/2). Powers of 1 - w have coefficients in y that are not negative and add up to 1. So the coefficients of
(1 + c w)^k have absolute values that add up to at most (1 + 2 |c|)^k, and what is left out from y^n on is at most

    (1 + 2 |c|)^k E y^n,   E y^n = prod_{j<n} (2j + 1) t/(1 + (2j + 1) t) <= (2n - 1)!! t^n.

Hence it adds e^((1 + c) B) times a polynomial in B to the coefficient of t^n, and for c = -1 the polynomial alone. All
bounds hold for all c in [-1, 1] at once, so a cosine that depends on d is put in, and expanded itself.

For two orthogonal rows with norms at opposite quantiles the factor in the place of r_k is E (s + t)^k/(4^k (d/2)_k) for
squared norms s and t. By Jensen's inequality it is at least prod_{j<k} 1/(1 + 2 j t) >= 1 - k (k - 1) t, and it is at
most 1: E (s + t)^k <= 2^(k-1) E (s^k + t^k). So the sum is e^B + rho/d. To the next power it is that of rows of norm
sqrt(d), up to rho/d^2: s + t = 2 d + X with E X^4 <= C for all d, because s = d + sqrt(2 d) Z + r(Z) with the same
normal Z, t with -Z, and E r^4 is bounded (cited). So E (s + t)^k differs from (2 d)^k by at most
k^2 E X^2 ((s + t)^(k-2) + (2 d)^(k-2)), over 4^k (d/2)_k at most C 2^k k^2/d^2, by Cauchy and Schwarz.
For gamma functions Stirling's series of log Gamma(x + b) is cited.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import sympy
from sympy import S

from rftheory.exact.symbols import d as D
from rftheory.statement.atoms import PairCount, PairMean
from rftheory.statement.pairs import block_size, most_pairs, pairs_of_block
from rftheory.statement.provers.at_zero import ANALYTIC, powers_at_zero, series_at_zero, settles

STIRLING = "Stirling's series: log Gamma(x + b) with a remainder of the order of the first term left out"
OPPOSITE_QUANTILES = (
    "a chi squared variable is d + sqrt(2 d) Z + r, Z normal at its quantile, with E r^4 bounded for all d: "
    "the distance W_4 in the central limit theorem is of order d^(-1/2) (Bobkov 2018)"
)
ORDERS = (2, 3, 4)
"""The powers of 1/d from which on the remainder begins, as they are tried."""
Expansion = tuple[sympy.Expr, tuple[sympy.Symbol, ...], tuple[str, ...]]
"""The form, the symbols for what is only bounded, and what is cited."""


def expansions(expression: sympy.Expr, d: sympy.Symbol) -> Iterator[Expansion]:
    """The expansions with remainders of higher and higher order, each tried after the one before decided nothing.

    Examples
    --------
    >>> from rftheory.statement.words import d, v
    >>> len(list(expansions(sympy.hyper((d,), (d / 2,), v**2 / 2), d))), len(list(expansions(v / d, d)))
    (3, 1)
    """
    laws = laws_in(expression, d)
    uncited = (1,) if any(map(_is_antimonotone, laws)) else ()
    for order in (*uncited, *(ORDERS if laws else ORDERS[:1])):
        if (found := in_inverse_dimension(expression, d, order)) is not None:
            yield found


def in_inverse_dimension(expression: sympy.Expr, d: sympy.Symbol, order: int = 2) -> Expansion | None:
    """The form with frames and gamma functions expanded, symbols for what is only bounded in d, and what is cited.

    Examples
    --------
    >>> from rftheory.statement.words import d, v, z
    >>> in_inverse_dimension(sympy.hyper((d,), (d / 2,), v**2 / 2), d)[0]
    _rho_0/d**2 + (1 - v**4/(2*d))*exp(v**2)
    >>> in_inverse_dimension(sympy.hyper((), (d / 2,), -d * z**2 / 4), d)[0]
    _rho_0/d**2 + (1 - z**4/(4*d))*exp(-z**2/2)
    """
    series = laws_in(expression, d)
    cited = (OPPOSITE_QUANTILES,) if order > 1 and any(map(_is_antimonotone, series)) else ()
    rests = [sympy.Dummy(f"rho_{number}", real=True) for number, _ in enumerate(series)]
    heads = [head_of(atom, d, order) for atom in series]
    counts = [count for count in sorted(expression.atoms(PairCount), key=str) if count.has(d)]
    if None in (*heads, *(many := [pairs_of_many(count, d) for count in counts])):
        return None
    if any(case.has(d) for case in expression.atoms(sympy.Piecewise)):
        return None
    form = expression.xreplace(
        {a: head + rest / d ** _reached(a, order) for a, head, rest in zip(series, heads, rests, strict=True)}
    )
    floors = [e for e in sorted(form.atoms(sympy.floor), key=str) if e.has(d)]
    if not all(sympy.expand(e.args[0]).is_polynomial(d) for e in floors):
        return None
    rounded = [sympy.Dummy(f"rho_floor_{number}", real=True) for number, _ in enumerate(floors)]
    form = form.xreplace({e: e.args[0] - rest for e, rest in zip(floors, rounded, strict=True)})
    left_out = [sympy.Dummy(f"rho_pairs_{number}", real=True) for number, _ in enumerate(counts)]
    form = form.xreplace({c: most - rest for c, most, rest in zip(counts, many, left_out, strict=True)})
    rests += [*rounded, *left_out]
    if any(g.has(d) for g in form.atoms(sympy.gamma)):
        expanded = _gammas(form, d)
        if expanded is None:
            return None
        form, unknown = expanded
        rests += unknown
        cited = (*cited, STIRLING)
    return form, tuple(rests), cited


def pairs_of_many(count: PairCount, m: sympy.Symbol) -> sympy.Expr | None:
    """The number of pairs in blocks of b rows as m grows, which is off by a bounded number where the last is a part.

    With r rows in it there are r (b - r)/2 pairs less than this; of one kind at most those of a block, more or less.

    Examples
    --------
    >>> from rftheory.statement.words import d, m
    >>> pairs_of_many(PairCount("mirrored", d, m), m), pairs_of_many(PairCount("mirrored", m, d), m)
    (m*(2*d - 1)/2, None)
    >>> pairs_of_many(PairCount("mirrored", d, m, 0, "independent"), m)
    m*(d - 1)
    """
    if count.m != m or count.d.has(m):
        return None
    if not count.kind:
        return most_pairs(count)
    cosine, norms = count.kind
    block = pairs_of_block(count.coupling).items()
    kind = (n.subs(D, count.d) for (c, of), n in block if (c.subs(D, count.d), of) == (cosine, norms.name))
    return m * sympy.cancel(sympy.Add(*kind) / block_size(count.coupling).subs(D, count.d))


def laws_in(expression: sympy.Expr, variable: sympy.Symbol) -> list[sympy.Expr]:
    """The means of one row or of two in an expression that depend on a variable.

    Examples
    --------
    >>> from rftheory.statement.words import d, v, z
    >>> laws_in(sympy.exp(v**2) - d * sympy.hyper((d,), (d / 2,), v**2 / 2), d)
    [hyper((d,), (d/2,), v**2/2)]
    """
    return [a for a in sorted(expression.atoms(sympy.hyper, PairMean), key=str) if a.has(variable)]


def head_of(atom: sympy.Expr, d: sympy.Symbol, order: int) -> sympy.Expr | None:
    """What stands before the remainder of that order; None if the series is another one.

    Examples
    --------
    >>> from rftheory.statement.words import d, v, z
    >>> head_of(PairMean(-1, "independent", d, v**2), d, 2), head_of(PairMean(0, "antimonotone", d, v**2), d, 2)
    (1 + v**2/(2*d), (1 - v**4/d)*exp(v**2))
    """
    if isinstance(atom, PairMean):
        cosine, norms, dimension, square = atom.args
        if dimension != d or not _stays_bounded(square, d):
            return None
        if _is_antimonotone(atom):
            return head_of(sympy.hyper((), (d / 2,), d * square / 2), d, _reached(atom, order))
        if norms.name != "independent":
            return None
        parts = _pair_coefficients(sympy.together(cosine.subs(d, 1 / _T)), order)
        return parts and sympy.Add(*(part.subs(_B, square) / d**n for n, part in enumerate(parts)))
    if atom.ap not in ((), (d,)) or len(atom.bq) != 1 or sympy.expand(atom.bq[0] - d / 2) != 0:
        return None
    square = 2 * atom.argument / d ** (1 - len(atom.ap))
    if not _stays_bounded(square, d):
        return None
    series = (_coefficient(len(atom.ap), n).subs(_B, square) / d**n for n in range(order))
    return sympy.exp(square) * sympy.Add(*series)


def _stays_bounded(square: sympy.Expr, d: sympy.Symbol) -> bool:
    """Whether B is bounded as d grows, as v^2/sqrt(d) is: then what is left out is, with the same powers of 1/d."""
    powers = powers_at_zero(square.subs(d, 1 / _T), _T) if square.has(d) else {}
    return powers is not None and all(power.is_nonnegative for power in powers)


def _is_antimonotone(atom: sympy.Expr) -> bool:
    """Whether it is a mean of two orthogonal rows with norms at opposite quantiles."""
    return isinstance(atom, PairMean) and atom.args[0] == 0 and atom.args[1].name == "antimonotone"


def _reached(atom: sympy.Expr, order: int) -> int:
    """The power of 1/d from which on the remainder begins: of norms at opposite quantiles the second at the latest."""
    return min(order, 2) if _is_antimonotone(atom) else order


_B, _T = sympy.Dummy("B"), sympy.Dummy("t", positive=True)
_C, _Y = sympy.Dummy("c", real=True), sympy.Dummy("y", nonnegative=True)


@lru_cache(maxsize=8)
def _coefficient(a: int, n: int) -> sympy.Expr:
    """The coefficient of t^n in e^-B sum_k B^k/k! r_k(t), a polynomial of degree 2n in B: its first powers say all."""
    total = S.Zero
    for k in range(2 * n + 1):
        ratio = sympy.Mul(*((1 + a * j * _T) / (1 + 2 * j * _T) for j in range(k)))
        total += sympy.diff(ratio, _T, n).subs(_T, 0) / sympy.factorial(n) * _B**k / sympy.factorial(k)
    inverse = sympy.Add(*((-_B) ** k / sympy.factorial(k) for k in range(2 * n + 1)))
    product = sympy.Poly(total * inverse, _B)
    return sympy.Add(*(product.coeff_monomial(_B**k) * _B**k for k in range(2 * n + 1)))


@lru_cache(maxsize=64)
def _pair_coefficients(cosine: sympy.Expr, order: int) -> tuple[sympy.Expr, ...] | None:
    """Those of t^0, ..., t^(order - 1) for rows at a cosine with a Taylor series in t, t from 0 on; else None.

    Examples
    --------
    >>> _pair_coefficients(S.NegativeOne, 3)
    (1, _B/2, 3*_B**2/8 - _B/8)
    >>> _pair_coefficients(_T, 2)
    (exp(_B), (-_B**2/2 + _B)*exp(_B))
    >>> _pair_coefficients(sympy.sqrt(_T), 2) is None
    True
    """
    taylor = _taylor(cosine, order)
    if taylor is None:
        return None
    first, *later = taylor
    change = sympy.Add(*(one * _T**n for n, one in enumerate(later, 1)))
    moments = [
        sympy.Mul(*((2 * j + 1) * _geometric(-(2 * j + 1) * _T, order) for j in range(n)))
        for n in range(order)
    ]
    total = sympy.Add(
        *(
            moments[n] * _T ** (n + i) * _of_angle(n, i).subs(_C, first + change)
            for n in range(order)
            for i in range(order - n)
        )
    )
    total *= sympy.Add(*((_B * change) ** n / sympy.factorial(n) for n in range(order)))
    powers = sympy.Poly(total, _T)
    scale = sympy.exp((1 + first) * _B)
    return tuple(sympy.expand(powers.coeff_monomial(_T**n)) * scale for n in range(order))


def _taylor(function: sympy.Expr, order: int) -> list[sympy.Expr] | None:
    """The real coefficients of t^0, ..., t^(order - 1); None if it has no such series."""
    if function.is_rational_function(_T):
        function = sympy.cancel(function)
        if function.free_symbols - {_T}:
            return None  # what is left out may not be bounded
        found = [sympy.diff(function, _T, n).subs(_T, 0) / sympy.factorial(n) for n in range(order)]
    else:
        known = all(isinstance(f, ANALYTIC) for f in function.atoms(sympy.Function))
        if not known or not all(settles(node, _T) for node in sympy.preorder_traversal(function)):
            return None
        series = series_at_zero(function, _T, order)
        if series is None:
            return None
        rest, head = series.getO(), sympy.expand(series.removeO())
        if rest is None or rest.contains(_T ** (order - 1)) is not False or not head.is_polynomial(_T):
            return None
        found = [head.coeff(_T, n) for n in range(order)]
    return found if all(one.is_number and one.is_real for one in found) else None


def _geometric(ratio: sympy.Expr, terms: int) -> sympy.Expr:
    return sympy.Add(*(ratio**n for n in range(terms)))


@lru_cache(maxsize=32)
def _of_angle(n: int, i: int) -> sympy.Expr:
    """The coefficient of y^n t^i in e^-((1 + c) B) sum_k B^k/k! r_k (1 + c w)^k, a polynomial in B and c."""
    inside = 1 + _C * sympy.sqrt(1 - _Y)
    own = sympy.exp(_B * (inside - 1 - _C)) * _coefficient(1, i).subs(_B, _B * inside)
    return sympy.expand(sympy.diff(own, _Y, n).subs(_Y, 0) / sympy.factorial(n))


def _gammas(form: sympy.Expr, d: sympy.Symbol) -> tuple[sympy.Expr, list[sympy.Symbol]] | None:
    """A product of powers of gamma functions of a d + b and of powers, as a power of d times a polynomial in 1/d.

    Each term has its own remainder: those of two terms do not cancel.
    """
    rests: list[sympy.Symbol] = []
    total, order = S.Zero, 3
    for term in sympy.Add.make_args(sympy.expand(form)):
        expanded: sympy.Expr | None = term
        if term.has(sympy.gamma):
            rests.append(sympy.Dummy(f"rho_gamma_{len(rests)}", real=True))
            expanded = _gamma_term(term, d, order, rests[-1])
        if expanded is None:
            return None
        total += expanded
    return total, rests


def _gamma_term(term: sympy.Expr, d: sympy.Symbol, order: int, rest: sympy.Symbol) -> sympy.Expr | None:
    outside, log = S.One, S.Zero
    for factor in sympy.Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        if not isinstance(base, sympy.gamma) or not base.has(d):
            outside *= factor
            continue
        argument = sympy.expand(base.args[0])
        a, b = argument.coeff(d, 1), argument.coeff(d, 0)
        if not (
            a.is_positive and b.is_number and sympy.expand(argument - a * d - b) == 0 and exponent.is_number
        ):
            return None
        x = a * d
        own = (x + b - S.Half) * (sympy.log(a) + sympy.log(d)) - x + sympy.log(2 * sympy.pi) / 2
        for n in range(1, order):
            own += (-1) ** (n + 1) * sympy.bernoulli(n + 1, b) / (n * (n + 1) * x**n)
        log += exponent * own
    log = sympy.expand(log)
    growing = log.coeff(sympy.log(d))
    log = sympy.expand(log - growing * sympy.log(d))
    linear, constant = log.coeff(d, 1), log.coeff(d, 0)
    if linear != 0 or growing.has(d):
        return None
    small = sympy.expand(log - constant)
    polynomial = sum((small**n / sympy.factorial(n) for n in range(1, order)), S.One)
    head = sum((sympy.expand(polynomial).coeff(d, -n) / d**n for n in range(order)), S.Zero)
    return outside * d**growing * sympy.simplify(sympy.exp(constant)) * (head + rest / d**order)
