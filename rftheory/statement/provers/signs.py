"""Signs of rational functions over a domain of intervals, bounded or not.

Every variable is counted from an end of its interval: low + t, high - t, or (low + high t)/(1 + t) between two ends,
with t >= 0. Numbers of pairs of rows, moments with bounds and remainders, such as n - 2 floor(n/2), are such variables
too; where these say nothing, the least n are looked at by themselves. A polynomial in the new variables whose
coefficients all have the same sign has that sign. Otherwise the sign is unknown; nothing is sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from itertools import permutations, product
from typing import Literal, NamedTuple

import sympy
from flint import fmpq_mpoly

from rftheory.exact.derivative import factor_in
from rftheory.exact.field import GIVEN_UP, Field, GivenUp, factored
from rftheory.exact.order import ceiling_of, compared, floor_of, in_order, surely
from rftheory.exact.ranges import Range, range_of
from rftheory.exact.ranges import is_real as real_by_range
from rftheory.exact.substitution import with_values
from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.spec.expressions import with_floors
from rftheory.statement.atoms import OppositeMoment, PairCount
from rftheory.statement.domain import Domain, Span, end_in
from rftheory.statement.pairs import are_apart, block_size, consists_of, fewest_pairs, most_pairs, pairs_from

Sign = Literal["zero", "positive", "nonnegative", "negative", "nonpositive"]
OfFactor = Callable[[sympy.Expr, Domain], Sign | None]
_STRICT = {"positive", "negative"}
MOST_POWERS = 1000
"""The highest power of the exponential of a number in a polynomial that is factored."""
_MOST_ROOTS, _MOST_OPERATIONS = 2, 400
"""Square roots of so many expressions are taken out of a sum, one after the other, unless it is longer."""
ELEMENTARY = (
    sympy.exp, sympy.log, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh, sympy.tanh, sympy.atan, sympy.asinh,
    sympy.erf, sympy.erfc,
)  # fmt: skip
"""Functions of which ranges and derivatives are known."""
_UP, _DOWN = {"zero", "positive", "nonnegative"}, {"zero", "negative", "nonpositive"}


@lru_cache(maxsize=1024)
def sign(expression: sympy.Expr, domain: Domain) -> Sign | None:
    """The sign of an expression on the whole domain; None if it is not proved.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, v
    >>> over = Domain.of(claimed(v < d), (d >= 2,))
    >>> sign((1 - d) / d, over), sign(d - 3, over)
    ('negative', None)
    >>> share = sympy.Symbol("share", real=True)
    >>> sign(1 - share, Domain.of(claimed(share < 2), (share >= -1, share < 1)))
    'positive'
    >>> sign(1 - share**2, Domain.of(claimed(share < 2), (share >= -1, share <= 1)))
    'nonnegative'
    >>> sign((3 * share - 1) ** 2, Domain.of(claimed(share < 2), ()))
    'nonnegative'
    """
    fixed = {s: span.low for s, span in domain.spans.items() if span.low == span.high}
    expression = with_floors(with_values(expression, fixed) if fixed else expression)
    if not (expression.is_number or expression.free_symbols or expression.has(OppositeMoment)):
        return None  # laws and formulas at numbers are compared case by case
    if expression.is_number and (known := _of_number(expression)) is not None:
        return known
    found = _of_product(expression, domain, _of_factor)
    return _from_the_least(expression, domain) if found is None else found


_FIRST = 4
"""So many values of an integer variable are looked at one by one."""


def _from_the_least(expression: sympy.Expr, domain: Domain) -> Sign | None:
    """The sign at the least values of an integer variable that is rounded, or of a dimension, and beyond them.

    In one dimension there may be no pairs.
    """
    kinds = {count.d for count in expression.atoms(PairCount) if count.kind}
    inside = {s for e in (*expression.atoms(sympy.floor), *kinds) for s in e.free_symbols}
    n = next((s for s in sorted(inside, key=str) if s in domain.spans and domain.spans[s].integer), None)
    if n is None or not domain.spans[n].low.is_Integer:
        return None
    span, known = domain.spans[n], list[Sign]()
    for value in range(int(span.low), int(span.low) + _FIRST):
        if value >= span.high:
            return None
        here = Span(sympy.Integer(value), sympy.Integer(value), integer=True)
        own = sign(expression.subs(n, value), domain.with_span(n, here))
        later = domain.with_span(n, replace(span, low=sympy.Integer(value + 1)))
        beyond = _of_product(expression, later, _of_factor)
        if own is None:
            return None
        known.append(own)
        if beyond is not None:
            return reduce(_weaker, known, beyond)
    return None


def _weaker(one: Sign | None, other: Sign | None) -> Sign | None:
    """The sign that both mean."""
    if one == other:
        return one
    if one in _UP and other in _UP:
        return "nonnegative"
    return "nonpositive" if one in _DOWN and other in _DOWN else None


def _of_product(expression: sympy.Expr, domain: Domain, of_factor: OfFactor) -> Sign | None:
    """The sign of an expression from those of its factors."""
    if _power_of_numbers(expression) > MOST_POWERS:
        return None
    found: Sign = "positive"
    for base, exponent in factored(expression):
        if base == 0:
            return "zero"
        own = of_factor(base, domain)
        if own is None and exponent.is_even and is_real(base, domain):
            own = "nonnegative"  # of whatever sign the base is
        if own is None or not is_real(exponent, domain):
            return None
        if own not in _STRICT and not surely(exponent, ">="):
            return None
        if exponent.is_even:
            own = "positive" if own in _STRICT else "nonnegative"
        elif not exponent.is_Integer and own not in ("positive", "nonnegative"):
            return None
        found = _times(found, own)
    return found


def _of_number(expression: sympy.Expr) -> Sign | None:
    """None if it is not decided, or there is no real value."""
    signs: dict[str, Sign] = {">": "positive", "<": "negative", "=": "zero"}
    return next((found for one, found in signs.items() if compared(expression, one)), None)


def _power_of_numbers(expression: sympy.Expr) -> sympy.Expr:
    """The degree in exp(1/q) to which exponentials of rational numbers lead: factors of 10^6 take minutes."""
    rates = [e.args[0] for e in expression.atoms(sympy.exp) if e.args[0].is_Rational]
    unit = math.lcm(*(int(rate.q) for rate in rates))
    return max((abs(unit * rate) for rate in rates), default=sympy.S.Zero)


def is_real(expression: sympy.Expr, domain: Domain) -> bool:
    """Whether an expression in the variables of the domain is known to be real wherever it has a value.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> over = Domain({x: Span(sympy.S.Zero, sympy.oo)})
    >>> [is_real(e, over) for e in (1 / (1 - x), sympy.exp(sympy.sqrt(x)), sympy.sqrt(x - 1), x**sympy.I)]
    [True, True, False, False]
    """
    if expression.is_extended_real or expression in domain.spans:
        return True
    if expression.is_Pow and not expression.exp.is_Integer:
        own = sign(expression.base, domain)
        return at_least_zero(own) and is_real(expression.exp, domain)
    if isinstance(expression, sympy.log):
        return sign(expression.args[0], domain) == "positive"
    built = expression.is_Add or expression.is_Mul or expression.is_Pow or isinstance(expression, sympy.exp)
    return built and all(is_real(part, domain) for part in expression.args)


def _times(one: Sign, other: Sign) -> Sign:
    up = (one in _UP) == (other in _UP)
    if one in _STRICT and other in _STRICT:
        return "positive" if up else "negative"
    return "nonnegative" if up else "nonpositive"


def at_least_zero(found: Sign | None) -> bool:
    """Whether a sign means >= 0.

    Examples
    --------
    >>> at_least_zero("zero"), at_least_zero("nonpositive"), at_least_zero(None)
    (True, False, False)
    """
    return found in _UP


def proves(found: Sign | None, part: sympy.Basic) -> bool:
    """Whether this sign of the difference, larger side minus smaller one, proves an inequality.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> proves("nonnegative", x <= 1), proves("nonnegative", x < 1), proves("positive", x < 1)
    (True, False, True)
    """
    strict = isinstance(part, STRICT)
    return found == "positive" or (at_least_zero(found) and not strict)


def negated(found: Sign | None) -> Sign | None:
    """The opposite sign.

    Examples
    --------
    >>> negated("nonnegative"), negated(None)
    ('nonpositive', None)
    """
    return None if found is None else _times(found, "negative")


def _of_factor(base: sympy.Expr, domain: Domain) -> Sign | None:
    # of 1F1 at numbers sympy does not say that it is a number
    if not base.free_symbols and not base.has(OppositeMoment):
        return _of_number(base)
    shifted = _shifted(base, domain) if _is_rational(base) else None
    found = None if shifted is None else _of_coefficients(shifted)
    if found in _STRICT or surely(base, ">"):
        return found if found in _STRICT else "positive"
    return found or ("nonnegative" if surely(base, ">=") else None) or _of_roots(base, domain)


def ranges_of(domain: Domain) -> dict[sympy.Symbol, Range]:
    """The range of each variable of a domain.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> ranges_of(Domain({x: Span(sympy.S.Zero, sympy.S.One)}))[x].high
    1
    """
    return {symbol: span.range for symbol, span in domain.spans.items()}


def is_elementary(expression: sympy.Expr) -> bool:
    """Whether it is built of variables by sums, products, powers and these functions.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> is_elementary(2**x - sympy.log(x)), is_elementary(sympy.gamma(x))
    (True, False)
    """
    nodes = (node for node in sympy.preorder_traversal(expression) if node.free_symbols)
    return all(
        node.is_Symbol or node.is_Add or node.is_Mul or node.is_Pow or isinstance(node, ELEMENTARY)
        for node in nodes
    )


def sign_by_range(expression: sympy.Expr, domain: Domain) -> Sign | None:
    """The sign of an elementary expression by the range of its values, as of 1 - cos(v) and e^v - 1.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> over = Domain({x: Span(sympy.S.Zero, sympy.oo, low_open=True)})
    >>> [sign_by_range(e, over) for e in (1 - sympy.cos(x), sympy.exp(x) - 1, sympy.tanh(x) - 1, sympy.sin(x))]
    ['nonnegative', 'positive', 'negative', None]
    """
    names = expression.free_symbols
    known = names and names <= set(domain.spans) and is_elementary(expression)
    return _of_product(expression, domain, _of_range) if known else None


def _of_range(base: sympy.Expr, domain: Domain) -> Sign | None:
    if (own := _of_factor(base, domain)) is not None:
        return own
    ranges = ranges_of(domain)
    if not real_by_range(base, ranges):
        return None
    found = range_of(base, ranges)
    for one, strict, weak in ((found, "positive", "nonnegative"), (-found, "negative", "nonpositive")):
        if one.nonnegative:
            return strict if one.positive else weak  # type: ignore[return-value]
    return None


def _of_roots(base: sympy.Expr, domain: Domain) -> Sign | None:
    """The sign of an expression with roots of variables, which become variables, or with square roots of others.

    That of a + b sqrt(p) is the one that a and b have, or that of the larger of a^2 and b^2 p; |a| is sqrt(a^2).

    Examples
    --------
    >>> x, y = sympy.symbols("x y", positive=True)
    >>> over = Domain({one: Span(sympy.S.Zero, sympy.oo, low_open=True) for one in (x, y)})
    >>> _of_roots(x + y - 2 * sympy.sqrt(x) * sympy.sqrt(y), over)
    'nonnegative'
    >>> _of_roots(x - sympy.sqrt(x**2 + 1), over), _of_roots(x - sympy.sqrt(x**2 + y - 1), over)
    ('negative', None)
    >>> u = sympy.Symbol("u", real=True)
    >>> [_of_roots(abs(u) - n * u, Domain({u: Span(-sympy.oo, sympy.oo)})) for n in (1, 2)]
    ['nonnegative', None]
    """
    powers = base.atoms(sympy.Pow)
    roots = [e for e in powers if e.exp.is_Rational and not e.exp.is_Integer and e.free_symbols]
    if any(e.base.is_Symbol for e in roots):
        return _of_roots_of_variables(base, roots, domain)
    sizes = base.atoms(sympy.Abs)  # of what is not real no square is proved to be at least 0
    under = {e.base for e in roots} | {sympy.expand(e.args[0] ** 2) for e in sizes}
    if not under or len(under) > _MOST_ROOTS:
        return None
    nodes = {one: {e: e.exp * 2 for e in roots if e.base == one} for one in under}
    for e in sizes:
        nodes[sympy.expand(e.args[0] ** 2)][e] = sympy.S.One
    # of nested roots the outer one
    outer = sorted(under, key=lambda one: (one.count_ops(), str(one)), reverse=True)
    found = (_of_a_root(base, inner, nodes[inner], domain) for inner in outer)
    return next((own for own in found if own is not None), None)


def _of_a_root(
    base: sympy.Expr, inner: sympy.Expr, powers: Mapping[sympy.Expr, sympy.Expr], domain: Domain
) -> Sign | None:
    """The sign of a sum with the root of an expression, of which these nodes are powers."""
    root = sympy.Dummy("root")
    written = base.xreplace({node: root**power for node, power in powers.items()})
    if base.count_ops() > _MOST_OPERATIONS or not written.is_polynomial(root):
        return None
    terms = sympy.Poly(written, root).terms()
    whole, part = (sympy.Add(*(c * inner ** (n // 2) for (n,), c in terms if n % 2 == odd)) for odd in (0, 1))
    of_inner, of_whole, of_part = (sign(one, domain) for one in (inner, whole, part))
    if not at_least_zero(of_inner):
        return None
    if of_whole is not None and of_part is not None and (of_whole in _UP) == (of_part in _UP):
        strict = of_whole in _STRICT or {of_part, of_inner} <= _STRICT
        return _times("positive" if of_part in _UP else "negative", "positive" if strict else "nonnegative")
    larger = sign(whole**2 - part**2 * inner, domain)
    own = of_part if larger is None or larger in _DOWN else of_whole
    own = of_whole if own is None and larger == "zero" else own  # where both squares are equal, each tells
    if larger is None or own is None:
        return None
    # where the squares differ, the larger one is not 0
    return _times(
        "positive" if own in _UP else "negative", "positive" if larger in _STRICT else "nonnegative"
    )


def _of_roots_of_variables(base: sympy.Expr, roots: Sequence[sympy.Expr], domain: Domain) -> Sign | None:
    """The sign of an expression in which some variables, of values >= 0, are written as powers of others."""
    spans = dict(domain.spans)
    for one in sorted({e.base for e in roots if e.base.is_Symbol}, key=str):
        span = spans.pop(one, None)
        if span is None or not span.low >= 0:
            return None
        order = sympy.Integer(math.lcm(*(int(e.exp.q) for e in roots if e.base == one)))
        root = sympy.Dummy(one.name, nonnegative=True)
        low, high = (end ** (1 / order) for end in (span.low, span.high))
        spans[root] = Span(low, high, span.low_open, span.high_open)
        base = base.xreplace({one: root**order})
    return sign(base, Domain(spans))


def _is_rational(base: sympy.Expr) -> bool:
    """Whether it is a fraction of polynomials in symbols and what has bounds, with numbers as coefficients."""
    if base.is_Symbol or base.is_number or isinstance(base, PairCount | OppositeMoment):
        return True
    if isinstance(base, sympy.floor):
        return _is_rational(base.args[0])
    if base.is_Pow:
        return bool(base.exp.is_Integer) and _is_rational(base.base)
    return bool(base.is_Add or base.is_Mul) and all(map(_is_rational, base.args))


def _of_coefficients(shifted: _Shifted) -> Sign | None:
    """The sign that all coefficients have, of a fraction in variables t >= 0 above powers of 1 + t."""
    try:
        functions, value = Field.reading(shifted.form)
        numerator, denominator = (_coefficients(functions, part, tuple(shifted.ends)) for part in value)
    except GIVEN_UP:
        return None
    if not all(surely(c, ">=") for c in denominator.values()):
        return None
    degrees = tuple(map(max, zip(*denominator, strict=True)))
    nonzero = [powers for powers, c in numerator.items() if _of_number(c) in _STRICT]
    strict = _vanishes_nowhere(nonzero, degrees, tuple(shifted.ends.values()))
    if all(surely(c, ">=") for c in numerator.values()):
        return "positive" if strict else "nonnegative"
    if all(surely(c, "<=") for c in numerator.values()):
        return "negative" if strict else "nonpositive"
    return None


Coefficients = dict[tuple[int, ...], sympy.Expr]


def _coefficients(
    functions: Field, polynomial: fmpq_mpoly, variables: Sequence[sympy.Symbol]
) -> Coefficients:
    """The coefficients of a polynomial in these variables, which are real numbers, by their powers.

    Raises
    ------
    GivenUp : one is no real number.
    """
    places = [functions.places.get(t, functions.room) for t in variables]
    found: Coefficients = {}
    for powers, number in polynomial.terms():
        own = tuple((*powers, 0)[place] for place in places)
        rest = functions.monomial(0 if place in places else power for place, power in enumerate(powers))
        found[own] = found.get(own, sympy.S.Zero) + sympy.Rational(int(number.p), int(number.q)) * rest
    if not all(c.is_number and c.is_real for c in found.values()):
        raise GivenUp
    return found


class _Ends(NamedTuple):
    """Which ends of the range of a counted variable t belong to it: t = 0, and t = oo if that is a finite value."""

    low: bool
    high: bool


class _Shifted(NamedTuple):
    """An expression in variables t >= 0, and the ends of each; and in others of which no end is known."""

    form: sympy.Expr
    ends: dict[sympy.Symbol, _Ends]


def _vanishes_nowhere(
    terms: Iterable[tuple[int, ...]], degrees: tuple[int, ...], ends: tuple[_Ends, ...]
) -> bool:
    """Whether some term is left at every corner, for a polynomial whose coefficients have one sign.

    At t = 0 only terms without t are left, at t = oo those with its power in the denominator, in between all.
    """
    corners = product(*((["low"] * e.low + ["high"] * e.high) or ["between"] for e in ends))
    kept = {"low": lambda p, n: p == 0, "high": lambda p, n: p == n, "between": lambda p, n: True}
    return all(
        any(all(kept[c](p, n) for c, p, n in zip(corner, term, degrees, strict=True)) for term in terms)
        for corner in corners
    )


def _shifted(base: sympy.Expr, domain: Domain) -> _Shifted | None:
    """The expression with every variable counted from an end, if it has one; None if it is not of the domain."""
    ends: dict[sympy.Symbol, _Ends] = {}

    def counted(name: str, low: bool = True, high: bool = False) -> sympy.Symbol:
        found = sympy.Dummy(name)
        ends[found] = _Ends(low, high)
        return found

    counts = sorted(base.atoms(PairCount), key=_of_parts_later)
    of_kinds: dict[PairCount, sympy.Expr] = {}
    for count in counts:
        of_kinds[count] = _pairs(count, counted("n", high=True), of_kinds, domain)
    base = base.xreplace(of_kinds)
    for moment in sorted(base.atoms(OppositeMoment), key=str):
        (least, most), t = moment.between, counted("x", low=False)
        base = base.xreplace({moment: (least + most * t) / (1 + t)})
    base = base.xreplace({e: _rounded(e, counted("e", high=True)) for e in base.atoms(sympy.floor)})
    free = base.free_symbols - set(ends)
    if not free <= set(domain.spans):
        return None
    above, under = (_beside_others(domain, direction) for direction in (1, -1))
    values = dict[sympy.Symbol, sympy.Expr]()

    def value(symbol: sympy.Symbol) -> sympy.Expr:
        if symbol not in values:
            values[symbol] = symbol  # where conditions lead back to it
            values[symbol] = _counted(symbol)
        return values[symbol]

    def _counted(symbol: sympy.Symbol) -> sympy.Expr:
        span, own = domain.spans[symbol], above.get(symbol)
        low, high = span.low, span.high
        if (
            own is not None
            and low <= (least := own.least(domain))
            and (least > -sympy.oo or high == sympy.oo)
        ):
            return own.end.xreplace({own.other: value(own.other)}) + counted(symbol.name, not own.strict)
        if low == -sympy.oo:
            if (own := under.get(symbol)) is not None and own.most(domain) <= high:
                return own.end.xreplace({own.other: value(own.other)}) - counted(symbol.name, not own.strict)
            if high == sympy.oo:
                return symbol  # it may cancel, as in a difference of which a condition says the sign
            return high - counted(symbol.name, not span.high_open)
        if high == sympy.oo:
            return low + counted(symbol.name, not span.low_open)
        t = counted(symbol.name, not span.low_open, not span.high_open)
        return (low + high * t) / (1 + t)

    form = base.xreplace({symbol: value(symbol) for symbol in sorted(free, key=str)})
    return _Shifted(form, {t: end for t, end in ends.items() if t in form.free_symbols})


class _Other(NamedTuple):
    """What a variable is not below, or not above, or ``strict`` so: ``end``, linear in another variable."""

    end: sympy.Expr
    other: sympy.Symbol
    strict: bool

    def least(self, domain: Domain) -> sympy.Expr:
        """The lower end of the end."""
        span = domain.spans[self.other]
        return self.end.subs(self.other, span.low if sympy.diff(self.end, self.other) > 0 else span.high)

    def most(self, domain: Domain) -> sympy.Expr:
        """The upper end of the end."""
        span = domain.spans[self.other]
        return self.end.subs(self.other, span.high if sympy.diff(self.end, self.other) > 0 else span.low)


def _beside_others(domain: Domain, direction: int) -> dict[sympy.Symbol, _Other]:
    """What conditions such as a >= b, m > d and m >= 2 d - 1 say of variables, from below (1) or from above (-1)."""
    found: dict[sympy.Symbol, _Other] = {}
    for relation in domain.relations:
        names = relation.free_symbols
        if not isinstance(relation, ORDERINGS) or len(names) != 2 or not names <= set(domain.spans):
            continue
        above, strict = sympy.expand(relation.gts - relation.lts), isinstance(relation, STRICT)
        for symbol, other in permutations(sorted(names, key=str)):
            known = end_in(above, symbol)
            if known is None or not known[0] * direction > 0 or symbol in found:
                continue
            end = known[1]
            rise = factor_in(end, other)
            if rise is None or not rise.is_Rational:
                continue
            if rise.is_Integer and all(domain.spans[s].integer for s in names):
                first = direction * end.subs(other, 0)
                whole = sympy.floor(first) + 1 if strict else sympy.ceiling(first)
                end, strict = end + direction * (whole - first), False
            found[symbol] = _Other(end, other, strict)
    return found


def _pairs(
    count: PairCount, t: sympy.Symbol, of_kinds: dict[PairCount, sympy.Expr], domain: Domain
) -> sympy.Expr:
    """The number of pairs, by its place between the least and the largest.

    All are no fewer than some kinds, and these with those of the parts of a block, in each of which rows are alike.
    """
    first, end = _least(count.d, domain), _beside_others(domain, 1).get(count.m)
    least: sympy.Expr = sympy.Integer(fewest_pairs(count, first, _least(count.m, domain)))
    if least == 0 and end is not None and first.is_Integer:
        least = pairs_from(count, end.end, int(first))
    kinds = [one for one in of_kinds if one.kind and (one.d, one.m) == (count.d, count.m)]
    if not count.kind and all(_is_part(one, kinds[0], count) for one in kinds):
        rows = kinds[0].coupling if kinds else count.coupling
        others = (one for one in of_kinds if not one.kind and (one.d, one.m) == (count.d, count.m))
        parts = [one for one in others if consists_of(rows, block_size(one.coupling))][:1]
        apart = [*kinds, *parts]
        if apart and are_apart(apart, rows):
            least = sympy.Add(*(of_kinds[one] for one in apart))
    return (least + most_pairs(count) * t) / (1 + t)


_MANY = 64
"""A dimension in which blocks are compared."""


def _of_parts_later(count: PairCount) -> tuple[bool, int, str]:
    """Kinds before all pairs, and smaller blocks before larger ones."""
    return not count.kind, count.coupling.size(_MANY), str(count)


def _is_part(one: PairCount, first: PairCount, of_all: PairCount) -> bool:
    """Whether pairs of a kind are some of all that are counted, and others than those of the first kind."""
    return one.coupling is first.coupling and block_size(one.coupling) == block_size(of_all.coupling)


def _rounded(e: sympy.Expr, t: sympy.Symbol) -> sympy.Expr:
    """A floor of n/p, n whole, as (n - r)/p, by the place of the remainder r between 0 and p - 1."""
    n, p = sympy.fraction(sympy.together(e.args[0]))
    return (n - (p - 1) * t / (1 + t)) / p if n.is_integer and p.is_Integer else e


def _least(expression: sympy.Expr, domain: Domain) -> sympy.Expr:
    if expression in domain.spans:
        return domain.spans[expression].low
    return expression if expression.is_number else sympy.S.Zero


@lru_cache(maxsize=256)
def with_ends(domain: Domain) -> Domain:
    """The domain with the ends that conditions say: m <= d and m >= 2 that d >= 2, and v^2 + z^2 <= 4 that v <= 2.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, m
    >>> over = with_ends(Domain.of(claimed(d >= m), (m >= 2, m < 2 * d, d <= 4)))
    >>> print(over.spans[d].text("d"), "and", over.spans[m].text("m"))
    d >= 2, d <= 4 and m >= 2, m <= 7
    >>> from rftheory.statement.words import v, z
    >>> over = with_ends(Domain.of(claimed(v < z), (v**2 + z**2 <= 4, z > v + 1)))
    >>> print(over.spans[v].text("v"), "and", over.spans[z].text("z"))
    v >= 0, v < 1 and z > 1, z <= 2
    >>> over = with_ends(Domain.of(claimed(v < m), (m <= v + z, v <= 2, z <= 3)))
    >>> print(over.spans[m].text("m"))
    m >= 1, m <= 5
    """
    for _ in domain.relations:  # an end may come from the one before
        found = domain
        for relation in (one for one in domain.relations if isinstance(one, ORDERINGS)):
            for symbol in (s for s in domain.symbols if relation.has(s)):
                if (closer := _closer_by(relation, symbol, found)) is not None:
                    found = found.with_span(symbol, closer)
        if found.spans == domain.spans:
            break
        domain = found
    return domain


def _closer_by(relation: sympy.Basic, symbol: sympy.Symbol, domain: Domain) -> Span | None:
    """The range of a variable with the end that a condition says of it, by the ranges of the other variables.

    The condition is linear in it, or in the square of a real variable.
    """
    span, ranges, place = domain.spans[symbol], ranges_of(domain), sympy.Dummy("p")
    above = sympy.expand(relation.gts - relation.lts)
    squares = not span.integer and in_order(sympy.S.Zero, span.low, strict=False) is True
    for power in (1, 2) if squares else (1,):
        linear = above.xreplace({symbol**power: place})
        known = None if linear.has(symbol) else end_in(linear, place)
        if known is None or not real_by_range(known[1], ranges):
            continue
        own, is_low = range_of(known[1], ranges), known[0] > 0
        end = (own.low if is_low else own.high) ** sympy.Rational(1, power)
        if not (end.is_finite and end.is_real) or (span.integer and not end.is_Rational):
            continue
        strict = isinstance(relation, STRICT)
        if span.integer:
            past = floor_of(end) + 1 if is_low else ceiling_of(end) - 1
            end, strict = past if strict else (ceiling_of if is_low else floor_of)(end), False
        order = (span.low, end) if is_low else (end, span.high)
        if in_order(*order, strict=True) is True:
            ends = {"low": end, "low_open": strict} if is_low else {"high": end, "high_open": strict}
            closer = replace(span, **ends)
            return None if closer.is_empty else closer
    return None
