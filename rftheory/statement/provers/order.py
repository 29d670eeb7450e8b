"""Prove inequalities by signs: of a difference, of the coefficients of power series, of steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy

from rftheory.exact.field import factored
from rftheory.exact.order import in_order, surely
from rftheory.exact.symbols import d, v, z
from rftheory.exact.truth import ORDERINGS, STRICT
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import Growth, OfLaw, PairCount
from rftheory.statement.averages import AverageOf
from rftheory.statement.domain import Domain
from rftheory.statement.pairs import most_pairs
from rftheory.statement.provers.powers import by_exponentials
from rftheory.statement.provers.proof import (
    Proof,
    Prover,
    above_zero,
    larger_minus_smaller,
    of_one_sign,
    prove,
    proved,
    proved_sign,
)
from rftheory.statement.provers.reduce import reduced, require_laws
from rftheory.statement.provers.series import (
    Atom,
    Series,
    Signs,
    as_series,
    signs,
    slope,
    without_falling,
    without_frames,
    without_products,
)
from rftheory.statement.provers.signs import proves, sign, sign_by_range
from rftheory.statement.provers.waves import by_waves
from rftheory.statement.words import Direction, is_pointwise


def by_sign(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality between rational functions, from the signs of coefficients in shifted variables.

    Examples
    --------
    >>> from rftheory.statement.words import d, claimed
    >>> claim = claimed(d**2 + 1 > 2 * d)
    >>> by_sign(claim.parts[0], Domain.of(claim, (d >= 2,))).kind.value, by_sign(claim.parts[0], Domain.of(claim, ()))
    ('certified', None)
    """
    difference = larger_minus_smaller(part, domain)
    if difference is None:
        return None
    return of_one_sign(part, difference, domain, "variables counted from their least values")


def by_range(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality of elementary functions from the range of values of their difference.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, cos
    >>> claim = claimed(cos(v) <= 1)
    >>> by_range(claim.parts[0], Domain.of(claim, ())).kind.value
    'certified'
    >>> claim = claimed(cos(v) < 1)
    >>> by_range(claim.parts[0], Domain.of(claim, ())) is None
    True
    """
    difference = larger_minus_smaller(part, domain)
    if difference is None or not proves(sign_by_range(difference, domain), part):
        return None
    return Proof(Kind.CERTIFIED, "the range of the difference of the sides has one sign")


def by_order(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove that two sides differ everywhere, because one of them is larger everywhere.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, orthogonal, v
    >>> claim = conformity(orthogonal) != 1
    >>> by_order(claim.parts[0], Domain.of(claim, (v > 0,))).kind.value, by_order(claim.parts[0], Domain.of(claim, ()))
    ('certified', None)
    """
    if not isinstance(part, sympy.Ne) or part.has(Growth):
        return None  # what is smaller with one constant of the order may be equal with another
    tried = (proved(kind(*part.args, evaluate=False), domain) for kind in STRICT)
    return next(filter(None, tried), None)


def by_coefficients(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality between power series, coefficient by coefficient.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, orthogonal, simplex, v
    >>> claim = conformity(simplex) < conformity(orthogonal)
    >>> by_coefficients(claim.parts[0], Domain.of(claim, (v > 0,))).kind.value
    'certified'
    >>> false = conformity(simplex) > conformity(orthogonal)
    >>> by_coefficients(false.parts[0], Domain.of(false, (v > 0,))) is None
    True
    """
    difference = larger_minus_smaller(part, domain)
    if difference is None:
        return None
    numerator, denominator = _over_positive(difference, domain)
    if denominator.has(sympy.exp):
        found = of_one_sign(part, numerator, domain, "its numerator")
        if found is not None:
            return found
    if (
        as_series(numerator) is None
        and (odd := _odd_in(numerator, domain, isinstance(part, STRICT))) is not None
    ):
        numerator, denominator = sympy.expand(numerator / odd), denominator / odd
    for series in _forms_of(numerator, domain):
        if (seen := signs(series, domain)) is not None:
            break
    else:
        return None
    says = _in_words(series, seen, "the larger side minus the smaller one", denominator)
    if isinstance(part, STRICT) and seen.zero != "positive":
        span = domain.spans.get(series.variable)
        if span is None or in_order(sympy.S.Zero, span.low, strict=not span.low_open) is not True:
            return None
        if "positive" not in (seen.one, seen.more):
            first = _first_positive(series, domain)
            if first is None:
                return None
            says += f"; > 0 at k = {first}"
    return Proof(Kind.CERTIFIED, says)


def _forms_of(numerator: sympy.Expr, domain: Domain) -> Iterator[Series]:
    """The series, also with frames that end, in z where there is v too, or of what is no larger."""
    variables = (None, z) if {v, z} <= numerator.free_symbols else (None,)
    read = [
        series
        for form in dict.fromkeys((numerator, without_frames(numerator)))
        for variable in variables
        if (series := as_series(form, variable)) and not (variable and series.is_constant)
    ]
    yield from read
    bounds = (without_falling(series, domain, powers) for series in read for powers in (0, 1))
    yield from (below for below in bounds if below is not None)
    forms = (as_series(form, variable) for form, variable in without_products(numerator, domain))
    yield from (below for below in forms if below is not None)


def _over_positive(difference: sympy.Expr, domain: Domain) -> tuple[sympy.Expr, sympy.Expr]:
    """Numerator and denominator, which is positive; 1 if no sign of the denominator is proved."""
    numerator, denominator = sympy.fraction(sympy.together(difference))
    own = _sign_of_divisor(denominator, domain)
    if own == "negative":
        return -numerator, -denominator
    return (numerator, denominator) if own == "positive" else (difference, sympy.S.One)


def _sign_of_divisor(divisor: sympy.Expr, domain: Domain) -> str | None:
    """Its sign, or that of its factors, each proved by itself: (e^(z^2) - 1)^2 is positive for z > 0."""
    known = sign(divisor, domain)
    if known in ("positive", "negative") or not divisor.has(sympy.exp):
        return known
    negative = 0
    for base, exponent in factored(divisor):
        own: str | None = sign(base**exponent, domain)
        if own not in ("positive", "negative"):
            whole = exponent.is_Integer and not any(p.exp.is_negative for p in base.atoms(sympy.Pow))
            own = proved_sign(base, domain, (by_coefficients,))[0] if whole else None
            own = "positive" if own == "negative" and exponent.is_even else own
        if own is None:
            return None
        negative += own == "negative"
    return "negative" if negative % 2 else "positive"


def _odd_in(expression: sympy.Expr, domain: Domain, strict: bool) -> sympy.Symbol | None:
    """The norm by which it may be divided to be even in it, as derivatives of even functions can; it may be 0 if <=."""
    norms = (
        s for s in (v, z) if s in expression.free_symbols and (not strict or sign(s, domain) == "positive")
    )
    mirrored = ((s, expression.subs(s, -s)) for s in norms)
    return next((s for s, m in mirrored if m != expression and sympy.expand(m + expression) == 0), None)


FIRST = 8
"""Up to so many a coefficient is looked for that is positive where all are at least 0."""


def _first_positive(series: Series, domain: Domain) -> int | None:
    coefficients = ((k, series.coefficient(k)) for k in range(FIRST))
    return next((k for k, one in coefficients if one is not None and sign(one, domain) == "positive"), None)


_WORDS = {"zero": "0", "positive": "> 0", "nonnegative": ">= 0"}


def _in_words(series: Series, found: Signs, of: str, times: sympy.Expr = sympy.S.One) -> str:
    """The signs of the coefficients, and what they are the coefficients of: something times a positive factor."""
    parts = f"{_WORDS[found.zero]} at k = 0, {_WORDS[found.one]} at k = 1, {_WORDS[found.more]} from k = 2 on"
    factor = sympy.powsimp(times * sympy.exp(-series.factor))
    by = "" if factor == 1 else f", times {factor}"
    return f"coefficients of {series.variable}^2k: {parts}, of {of}{by}"


def by_slope(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove monotonicity in the variable of a power series, by coefficients, or in an integer, by a step.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, decreasing, increasing, orthogonal, v
    >>> up, down = (make(conformity(orthogonal), v) for make in (increasing, decreasing))
    >>> [by_slope(c.parts[0], Domain.of(c, ())) is not None for c in (up, down)]
    [True, False]
    """
    if not isinstance(part, Direction):
        return None
    side, variable, direction = part.args
    if variable.is_integer:
        span = domain.spans[variable]
        before = replace(span, high=span.high - 1)  # the last value has no successor
        tied = [r for r in domain.relations if r.has(variable)]
        if before.is_empty or not all(_is_linear(r, variable) for r in tied):
            return None
        require_laws(side, domain)
        if (found := _of_multiple(part, domain)) is not None:
            return found
        step = side.subs(variable, variable + 1) - side
        later = above_zero(direction * step, strict=True)
        within = domain.with_span(variable, before)
        after = (r.subs(variable, variable + 1) for r in tied)
        within = replace(within, relations=(*domain.relations, *after))
        return prove(later, within, BY_SIGNS) or _by_pairs(direction * step, variable, within)
    return _by_rate(part, domain) or by_series(part, domain)


def by_least_apart(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality in the least dimensions by themselves, where rows may be alone, and in all larger ones.

    From one dimension on, two dimensions may stand by themselves.

    Examples
    --------
    >>> from rftheory.statement.words import d, mse, positive, simplex, v
    >>> claim = mse(positive(simplex)) < mse(positive("antimonotone"))
    >>> domains = [Domain.of(claim, over) for over in ((d >= 2, v > 0), (d >= 2,))]
    >>> [by_least_apart(claim.parts[0], domain) is not None for domain in domains]
    [True, False]
    """
    if not isinstance(part, ORDERINGS) or not part.has(OfLaw) or not is_pointwise(part):
        return None
    span = domain.spans.get(d)
    if span is None or span.high != sympy.oo:
        return None
    require_laws(part, domain)
    ways = (by_coefficients, by_waves, *([by_least_apart] if span.low == 1 else []))
    beyond = prove(part, domain.with_span(d, replace(span, low=span.low + 1)), ways)
    first = None if beyond is None else proved(part, domain.with_span(d, replace(span, high=span.low)))
    if beyond is None or first is None:
        return None
    return beyond.resting_on(first, says=f"at d = {span.low}: {first.says}; from there on: {beyond.says}")


BY_SIGNS: tuple[Prover, ...] = (by_sign, by_coefficients, by_exponentials, by_range)
"""Provers that compare the two sides alone."""


def _by_pairs(step: sympy.Expr, m: sympy.Symbol, domain: Domain) -> Proof | None:
    """Prove that a step from m rows to m + 1 is positive, whatever part of a block the last rows are.

    In blocks of b rows N pairs share a block, at most m (b - 1)/2; one more row adds pairs. The step is linear in both,
    and each factor has its sign.
    """
    step = reduced(step, domain)
    count = next((n for n in step.atoms(PairCount) if n.m == m), None)
    if count is None or step.atoms(PairCount) != {count, more := count.subs(m, m + 1)}:
        return None
    rest = sympy.collect(sympy.expand(step), (count, more), evaluate=False)
    if not rest.keys() <= {count, more, sympy.S.One}:
        return None
    per_row = rest.get(more, sympy.S.Zero)
    per_pair = per_row + rest.get(count, sympy.S.Zero)
    for factor, pairs in ((per_pair, sympy.S.Zero), (-per_pair, most_pairs(count))):
        hardest = rest.get(sympy.S.One, sympy.S.Zero) + per_pair * pairs
        needed = ((factor, False), (per_row, False), (hardest, True))
        tried = (prove(above_zero(part, strict), domain, BY_SIGNS) for part, strict in needed)
        proofs = [found for found in tried if found is not None]
        if len(proofs) == 3:
            *known, found = proofs
            return found.resting_on(*known, says=f"for every number of pairs in blocks: {found.says}")
    return None


def _of_multiple(part: Direction, domain: Domain) -> Proof | None:
    """Prove that what is in proportion to 1/m, such as errors with independent rows, falls in m: by its sign."""
    side, variable, direction = part.args
    if sign(variable, domain) != "positive" or sympy.expand(reduced(side, domain) * variable).has(variable):
        return None
    found = proved(above_zero(-direction * side, strict=True), domain)
    if found is None:
        return None
    return replace(found, says=f"a multiple of 1/{variable}, whose sign is known: {found.says}")


def _is_linear(relation: sympy.Basic, variable: sympy.Symbol) -> bool:
    """Whether it leaves no gap between two values of the variable."""
    if not isinstance(relation, ORDERINGS):
        return False
    difference = sympy.expand(relation.gts - relation.lts)
    return bool(difference.is_polynomial(variable)) and sympy.degree(difference, variable) <= 1


def by_series(part: Direction, domain: Domain) -> Proof | None:
    """Prove that a power series rises or falls in its variable, which is at least 0, by its coefficients.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, increasing, orthogonal, v
    >>> claim = increasing(conformity(orthogonal), v)
    >>> by_series(claim.parts[0], Domain.of(claim, ())).kind.value
    'certified'
    """
    side, variable, direction = part.args
    series = as_series(direction * reduced(side, domain), variable)
    if series is None or not _is_at_least_zero(variable, domain):
        return None
    if series.factor.has(variable):
        return _by_derivative(series, "the side" if direction == 1 else "minus the side", domain)
    found = signs(_without_constant(series), domain)
    if found is None or "positive" not in (found.one, found.more):
        return None
    of = "the side" if direction == 1 else "minus the side"
    says = f"{_in_words(series, found, of)}, the constant left out"
    return Proof(Kind.CERTIFIED, says)


def _by_derivative(series: Series, of: str, domain: Domain) -> Proof | None:
    """Prove that e^(-cB) times a series rises in B, by coefficients that those of the derivative are not below."""
    below = slope(series, domain)
    found = None if below is None else signs(below, domain)
    if below is None or found is None or "positive" not in (found.zero, found.one, found.more):
        return None
    says = _in_words(below, found, f"a bound of the derivative of {of}")
    return Proof(Kind.CERTIFIED, says)


def _is_at_least_zero(variable: sympy.Symbol, domain: Domain) -> bool:
    """Whether it rises with its square."""
    return in_order(sympy.S.Zero, domain.spans[variable].low, strict=False) is True


def _by_rate(part: Direction, domain: Domain) -> Proof | None:
    """Prove that a multiple of e^(c z^2), such as the error of positive features, rises or falls: by both signs."""
    side, variable, direction = part.args
    if not _is_at_least_zero(variable, domain):
        return None
    series = as_series(reduced(side, domain), variable)
    if series is None or len(series.terms) != 1:
        return None
    ((atom, power),) = series.terms
    rate = sympy.expand(series.factor.coeff(variable, 2) + atom.scale)
    if atom.kind != "exp" or power or not (surely(rate, ">") or surely(rate, "<")):
        return None
    rising = direction if surely(rate, ">") else -direction
    found = proved(above_zero(rising * side, strict=True), domain)
    if found is None:
        return None
    return replace(found, says=f"a multiple of exp({rate}*{variable}**2), whose sign is known: {found.says}")


def by_clearing(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality between quotients of laws, multiplied by what they are divided by.

    Examples
    --------
    >>> from rftheory.statement.words import d, mse, orthogonal, positive, simplex, v
    >>> claim = mse(positive(simplex)) / mse(positive(orthogonal)) < 1
    >>> domains = [Domain.of(claim, over) for over in ((d >= 2, v > 0), (d >= 2,))]
    >>> [by_clearing(claim.parts[0], domain) is not None for domain in domains]
    [True, False]
    """
    if not isinstance(part, ORDERINGS):
        return None
    over, under = sympy.fraction(sympy.together(part.gts - part.lts))
    if not under.has(OfLaw):
        return None
    require_laws(part, domain)
    for sign_of_divisor in (1, -1):
        divisor = proved(above_zero(sign_of_divisor * under, strict=True), domain)
        if divisor is None:
            continue
        found = proved(above_zero(sign_of_divisor * over, isinstance(part, STRICT)), domain)
        if found is None:
            return None
        return found.resting_on(divisor, says=f"multiplied by the divisor, which has one sign: {found.says}")
    return None


def by_factor(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality of averages or numbers of pairs by what is left of its difference without known factors.

    Examples
    --------
    >>> from rftheory.statement.words import average, iid, m, mse, orthogonal, positive
    >>> s = sympy.Symbol("s", positive=True)
    >>> sides = [average(mse(positive(coupling, m=m)), x=s) for coupling in (orthogonal, iid)]
    >>> claims = [sides[0] <= sides[1], sides[0] >= sides[1], sides[0] < sides[1]]
    >>> [by_factor(claim.parts[0], Domain.of(claim, ())) is not None for claim in claims]
    [True, False, False]
    """
    difference = larger_minus_smaller(part, domain)
    if difference is None or not (part.has(AverageOf) or difference.has(PairCount)):
        return None
    strict = isinstance(part, STRICT)
    factors = [base**exponent for base, exponent in factored(difference)]
    signs_of = [(factor, sign(factor, domain)) for factor in factors]
    left = [factor for factor, own in signs_of if own != "positive" and (strict or own != "nonnegative")]
    if len(left) == len(factors) or sum(not factor.is_number for factor in left) > 1:
        return None
    found = proved(above_zero(sympy.Mul(*left), strict), domain)
    return None if found is None else replace(found, says=f"without factors of known sign: {found.says}")


def _without_constant(series: Series) -> Series:
    """The series with its constant term changed so that it is 0 at 0, which does not affect slopes."""
    total = sympy.Add(*series.terms.values())
    terms = dict(series.terms)
    key = (Atom("exp", sympy.S.Zero), 0)
    terms[key] = terms.get(key, sympy.S.Zero) - total
    return Series(series.variable, series.factor, terms)
