"""Provers by cases: finitely many points, one by one, or boxes that cover a bounded range of real variables."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from flint import arb, ctx

from rftheory.errors import InvalidInput, NotCertified, NotKnown, OutsideDomain
from rftheory.exact.enclosure import rational_ball
from rftheory.exact.order import surely
from rftheory.exact.search import SEARCH_BITS, Box, Smooth, holds_on_box, positive, rational
from rftheory.exact.substitution import with_values
from rftheory.exact.symbols import v
from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.judge.verdict import Kind
from rftheory.names import plural
from rftheory.statement.atoms import FormulaOf, OfLaw
from rftheory.statement.domain import Domain, Point, Span, cases_of
from rftheory.statement.pointwise import ball, decide, pointwise
from rftheory.statement.provers.identity import by_identity
from rftheory.statement.provers.order import by_coefficients, by_slope
from rftheory.statement.provers.proof import Proof, larger_minus_smaller, prove
from rftheory.statement.provers.series import as_series
from rftheory.statement.provers.signs import is_real
from rftheory.statement.words import Direction, ForSome, substituted

MOST_CASES = 600
MOST_BOXES = 1500
MOST_INTERVALS = 5000


def by_cases(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove a statement about finitely many points, each by disjoint enclosures or by an identity.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, d, for_some, orthogonal, v
    >>> claim = conformity(orthogonal).at(v=1) > 1
    >>> by_cases(claim.parts[0], Domain.of(claim, (d <= 9,))).covers
    'cases: d >= 2, d <= 9'
    >>> by_cases(claim.parts[0], Domain.of(claim, ())) is None
    True
    """
    if isinstance(part, ForSome) and not domain.symbols:
        return _by_witness(part, domain)
    own = {s: span for s, span in domain.spans.items() if s in part.free_symbols}
    among = tuple(relation for relation in domain.relations if relation.free_symbols <= set(own))
    cases = Domain(own, among, domain.fixed).cases if set(own) < set(domain.spans) else domain.cases
    if not cases or not pointwise(part) or isinstance(part, Direction) or len(cases) > MOST_CASES:
        return None
    for values in cases:
        try:
            truth = decide(part, values, domain)[0]
        except (NotKnown, NotCertified, OutsideDomain, InvalidInput):
            return None
        if truth is None:
            truth = by_identity(substituted(part, values), Domain({})) is not None
        if not truth:
            return None
    count = f"{len(cases)} {'case' if len(cases) == 1 else 'cases'}"
    over = "domain" if domain.is_infinite else cases_of(domain)  # in variables of other parts
    return Proof(Kind.CERTIFIED, f"{count} by enclosures", over)


def _by_witness(part: ForSome, domain: Domain) -> Proof | None:
    truth, where, _ = decide(part, {}, domain)
    return Proof(Kind.CERTIFIED, f"a value: {where()}", cases_of(domain)) if truth else None


def by_boxes(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality over bounded ranges of one or two real variables, at each of finitely many integers.

    Ranges include their ends; unbounded ranges are left to other provers.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, exp, v
    >>> claim = claimed(exp(-v**2) < 1 - v**2 / 3)
    >>> by_boxes(claim.parts[0], Domain.of(claim, (v >= 1 / sympy.Integer(2), v <= 1))).kind.value
    'certified'
    >>> by_boxes(claim.parts[0], Domain.of(claim, (v <= 2,))) is None
    True
    """
    difference = None if isinstance(part, Direction | ForSome) else larger_minus_smaller(part, domain)
    if difference is None or not pointwise(part) or difference.has(sympy.Integral):
        return None  # an integral over a wide box takes seconds, and there may be a thousand boxes
    difference = _without_common_factor(difference, domain)
    reals, cases = [s for s in _reals(domain) if difference.has(s)], _cases_of_integers(domain)
    if not 1 <= len(reals) <= 2 or any(r.free_symbols & set(reals) for r in domain.relations):
        return None
    if not cases or not all(_bounded(domain.spans[s]) for s in reals):
        return None
    strict, examined = isinstance(part, STRICT), 0
    for values in cases:
        own = with_values(difference, values)
        box = Box.of(*((rational(domain.spans[s].low), rational(domain.spans[s].high)) for s in reals))
        function = Smooth.of(own, *reals)
        try:
            with ctx.workprec(SEARCH_BITS):
                middle = function.value(*Box.point(box.midpoint).balls())
            if not middle.is_finite():
                return None  # not known to be real there, nor then over a box about it
            log = holds_on_box(positive(function, strict=strict), box, max_boxes=MOST_BOXES)
        except (NotKnown, NotCertified, InvalidInput):
            return None
        examined += log.examined
        if not log.holds:
            return None
    return Proof(
        Kind.CERTIFIED, f"{plural(examined, 'box covers', 'boxes cover')} the range{_at_each(cases)}"
    )


def _reals(domain: Domain) -> list[sympy.Symbol]:
    return [s for s in domain.symbols if not domain.spans[s].integer]


MOST_POINTS = 40
"""At so many points of the integers the ranges of real variables are covered."""


def _cases_of_integers(domain: Domain) -> list[Point]:
    """The points of the integers of a domain; none if there are infinitely many, or too many."""
    integers, reals = {s: one for s, one in domain.spans.items() if one.integer}, set(_reals(domain))
    among = tuple(relation for relation in domain.relations if not relation.free_symbols & reals)
    cases = Domain(integers, among).cases or []
    return cases if len(cases) <= MOST_POINTS else []


def _at_each(cases: Sequence[Point]) -> str:
    return f" at each of {plural(len(cases), 'point')} of the integers" if any(cases) else ""


RISING = (
    "angle_conformity", "block_conformity_bound", "orf_conformity", "orthogonal_simplices_conformity",
    "simrf_conformity",
)  # fmt: skip
"""Formulas that are means of exp(w.v) over the directions and lengths of w: none falls as |v| grows, each is convex."""


def by_comparison(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality between sums of convex functions that do not fall in v by their values at points.

    They cover the range of v, which must be bounded, at each of finitely many integers.

    Examples
    --------
    >>> from sympy import Rational
    >>> from rftheory.statement.words import d, formula, v
    >>> claim = formula("angle_conformity", c=-1) < formula("angle_conformity", c=1)
    >>> over = (d >= 2, d <= 4, v >= Rational(1, 2), v <= 1)
    >>> by_comparison(claim.parts[0], Domain.of(claim, over)).says
    '21 intervals of v at each of 3 points of the integers'
    >>> by_comparison(claim.parts[0], Domain.of(claim, (d >= 2, d <= 4, v <= 1))) is None  # equal at v = 0
    True
    """
    variable, *more = _reals(domain) or [None]
    if not isinstance(part, ORDERINGS) or variable is None or more or not _bounded(domain.spans[variable]):
        return None
    count, cases = 0, _cases_of_integers(domain)
    for values in cases:
        sides = _rising(sympy.expand(with_values(part.gts - part.lts, values)), variable)
        found = None if sides is None else _compared_on(*sides, variable, domain.spans[variable])
        if found is None:
            return None
        count += found
    says = f"{plural(count, 'interval')} of {variable}{_at_each(cases)}"
    return Proof(Kind.CERTIFIED, says) if cases else None


def _rising(difference: sympy.Expr, variable: sympy.Symbol) -> tuple[sympy.Expr, sympy.Expr] | None:
    """Two functions that do not fall and have this difference, the smaller one first; None if it has no such form."""
    small: list[sympy.Expr] = []
    large: list[sympy.Expr] = []
    for term in sympy.Add.make_args(difference):
        factor, rest = term.as_independent(variable)
        up = surely(factor, ">")
        if not _rises(rest, variable) or not (up or surely(factor, "<")):
            return None
        (large if up else small).append((factor if up else -factor) * rest)
    return sympy.Add(*small), sympy.Add(*large)


def _rises(atom: sympy.Expr, variable: sympy.Symbol) -> bool:
    """Whether it is known to be convex in the variable, and not to fall.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, d, formula, iid, mse, positive
    >>> u = sympy.Symbol("u", real=True)
    >>> [_rises(sympy.exp(power), s) for power, s in ((v**2, v), (-(v**2), v), (u**2, u))]
    [True, False, False]
    >>> sides = conformity(iid), mse(positive(iid)).at(z=1), *map(formula, ("orf_conformity", "log_orf_conformity"))
    >>> [_rises(side.expression.subs(d, 2), v) for side in sides]
    [True, False, True, False]
    """
    if isinstance(atom, FormulaOf):
        numbers = {name: value for name, value in atom.values.items() if name != variable.name}
        named = atom.args[0].name in RISING and atom.values.get("v") == variable == v
        return named and all(value.is_number for value in numbers.values())
    if isinstance(atom, OfLaw):
        return atom.words[0] == "conformity" and atom.numbers[2] == variable == v and atom.free_symbols == {v}
    if atom == 1:
        return True
    rate = atom.exp.coeff(variable, 2) if isinstance(atom, sympy.exp) and variable.is_nonnegative else None
    known = rate is not None and not rate.has(variable) and surely(rate, ">")
    return known and atom == sympy.exp(rate * variable**2)


def _compared_on(small: sympy.Expr, large: sympy.Expr, variable: sympy.Symbol, span: Span) -> int | None:
    """How many intervals, at most `MOST_INTERVALS`, prove small < large; the step adapts to the room.

    Both are convex: on an interval the small one is below its chord, and the large one above its chord over the
    interval before, continued.
    """
    low, step, count, slope = span.low, (span.high - span.low) / 64, 0, arb(0)
    try:
        floor = ball(large, {variable: low})
        if not ball(small, {variable: low}) < floor:
            return None
        while low < span.high:
            high = min(low + step, span.high)
            if not ball(small, {variable: high}) < floor + slope * rational_ball(high - low):
                step /= 2
                if step < (span.high - span.low) / 2**16:
                    return None
                continue
            ceiling = ball(large, {variable: high})
            slope = (ceiling - floor) / rational_ball(high - low)
            low, step, floor, count = high, 2 * step, ceiling, count + 1
            if count > MOST_INTERVALS:
                return None
    except (NotKnown, NotCertified, OutsideDomain, InvalidInput):
        return None
    return count


def by_dimensions(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove a statement about finitely many integers and all reals in a range, separately for each integer.

    Examples
    --------
    >>> from rftheory.spec import find_coupling
    >>> from rftheory.statement.words import conformity, d, orthogonal, v
    >>> claim = conformity(find_coupling("antimonotone")) < conformity(orthogonal)
    >>> by_dimensions(claim.parts[0], Domain.of(claim, (d <= 4, v > 0))).says
    '3 points of the integers, each by coefficients of v^2k'
    >>> by_dimensions(claim.parts[0], Domain.of(claim, (v > 0,))) is None
    True
    """
    rest, cases = {s: domain.spans[s] for s in _reals(domain)}, _cases_of_integers(domain)
    if not rest or not any(cases) or (isinstance(part, Direction) and part.args[1] not in rest):
        return None
    assumes: dict[str, None] = {}
    how: dict[str, None] = {}
    for values in cases:
        proof = prove(
            substituted(part, values), Domain(rest), (by_identity, by_coefficients, by_slope, by_boxes)
        )
        if proof is None:
            return None
        assumes.update(dict.fromkeys(proof.assumes))
        how.update(dict.fromkeys([proof.says.partition(":")[0]]))
    says = f"{plural(len(cases), 'point')} of the integers, each by {', '.join(how)}"
    return Proof(Kind.CERTIFIED, says, assumes=tuple(assumes))


def _without_common_factor(difference: sympy.Expr, domain: Domain) -> sympy.Expr:
    """The difference without an exponential factor of all terms, which is positive and may hide a variable."""
    series = as_series(difference)
    if series is None or not is_real(series.factor, domain):
        return difference
    return sympy.expand(sympy.expand(difference) * sympy.exp(-series.factor))


def _bounded(span: Span) -> bool:
    return bool(span.low.is_Rational and span.high.is_Rational)
