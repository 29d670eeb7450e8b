"""Provers: each takes a part of a statement and its domain, and finds a proof for the whole domain, or nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import sympy

from rftheory.errors import NotKnown, RFTheoryError
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import CountOf, EntryOf, Growth, PairMean
from rftheory.statement.domain import Domain, corners
from rftheory.statement.reduce import reduced
from rftheory.statement.series import Series, Signs, as_series, signs
from rftheory.statement.signs import negated, proves, sign
from rftheory.statement.words import Direction, ForSome, LimitOf, bound_in, substituted


@dataclass(frozen=True)
class Proof:
    """How a part of a statement was proved over its whole domain.

    Attributes
    ----------
    kind : derived, for identities of expressions; certified, for signs and enclosures.
    says : one line.
    covers : as in `rftheory.judge.Evidence`.
    assumes : textbook facts that it uses.
    refutes : True if the contrary is proved.

    Examples
    --------
    >>> Proof(Kind.DERIVED, "both sides are the same expression").covers
    'domain'
    """

    kind: Kind
    says: str
    covers: str = "domain"
    assumes: tuple[str, ...] = ()
    refutes: bool = False


Prover = Callable[[sympy.Basic, Domain], Proof | None]

_LESS = (sympy.StrictLessThan, sympy.LessThan)
_MORE = (sympy.StrictGreaterThan, sympy.GreaterThan)
_STRICT = (sympy.StrictLessThan, sympy.StrictGreaterThan)


def prove(part: sympy.Basic, domain: Domain, provers: tuple[Prover, ...] | None = None) -> Proof | None:
    """The first proof that a prover finds.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, exp, orthogonal, v
    >>> claim = conformity(orthogonal) < exp(v**2)
    >>> prove(claim.parts[0], Domain.of(claim, (v > 0,))).says
    'coefficients of v^2k: 0 at k = 0, 0 at k = 1, > 0 from k = 2 on, of the larger side minus the smaller one'
    >>> prove(claim.parts[0], Domain.of(claim, (v >= 0,))) is None
    True
    """
    bound = bound_in(part)
    settled = {s: span.low for s, span in domain.spans.items() if span.low == span.high and s not in bound}
    part = substituted(part, settled)
    if provers is None:
        provers = _for_tables() if part.has(EntryOf) else default_provers()
    for prover in provers:
        try:
            found = prover(part, domain)
        except (NotKnown, sympy.PolynomialError, NotImplementedError):  # the prover does not apply
            continue
        if found is not None:
            return _of_counts(found) if part.has(CountOf) else found
    return None


def _of_counts(found: Proof) -> Proof:
    """A program was run, at finitely many sizes, whatever the domain is."""
    over = "cases: the sizes at which it was run; that the count is such a polynomial at others is read off its loops"
    return replace(found, kind=Kind.CERTIFIED, covers=over if found.covers == "domain" else found.covers)


def default_provers() -> tuple[Prover, ...]:
    """All provers, the quick ones first.

    Examples
    --------
    >>> len(default_provers()) > 2
    True
    """
    from rftheory.statement.continuous import by_derivative
    from rftheory.statement.exists import by_existence
    from rftheory.statement.expand import by_expansion
    from rftheory.statement.powers import by_exponentials, by_logarithms
    from rftheory.statement.probable import by_certificate
    from rftheory.statement.regions import by_boxes, by_cases, by_comparison, by_dimensions

    return (
        by_identity, by_certificate, by_sign, by_comparison, by_coefficients, by_slope, by_logarithms, by_exponentials,
        by_expansion, by_cases, by_dimensions, by_boxes, by_derivative, by_order, by_existence,
    )  # fmt: skip


def _for_tables() -> tuple[Prover, ...]:
    """The provers that look at each cell: no algebra tells anything about printed numbers."""
    from rftheory.statement.exists import by_existence
    from rftheory.statement.regions import by_cases

    return by_cases, by_existence


def by_identity(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an equation (or a weak inequality) whose sides are the same expression once all laws are expanded.

    Examples
    --------
    >>> from rftheory.statement.words import mean, gaussian, positive, simplex
    >>> claim = mean(positive(simplex)) == gaussian
    >>> by_identity(claim.parts[0], Domain.of(claim, ())).kind.value
    'derived'
    >>> wrong = mean(positive(simplex)) == 2 * gaussian
    >>> by_identity(wrong.parts[0], Domain.of(wrong, ())) is None
    True
    """
    if not isinstance(part, sympy.Eq | sympy.LessThan | sympy.GreaterThan):
        return None
    difference = reduced(part.args[0], domain) - reduced(part.args[1], domain)
    if difference == 0 or _vanishes(difference, domain):
        return Proof(Kind.DERIVED, "with the laws written out, both sides are the same expression")
    return None


def _vanishes(difference: sympy.Expr, domain: Domain) -> bool:
    series = as_series(difference)
    if series is not None and series.is_zero:
        return True
    numerator = sympy.expand(sympy.fraction(sympy.together(difference))[0])
    if numerator.replace(sympy.Abs, lambda e: sympy.Mul(*map(sympy.Abs, sympy.Mul.make_args(e)))) == 0:
        return True
    special = difference.has(
        sympy.hyper, PairMean, LimitOf, Growth
    )  # sympy may never finish simplifying these
    if special or sympy.count_ops(difference) >= 200 or _differs(difference, domain):
        return False
    return bool(sympy.simplify(difference) == 0)


def _differs(difference: sympy.Expr, domain: Domain) -> bool:
    """Whether an enclosure at one of the first corners excludes 0, which is seen sooner than sympy simplifies.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> domain = Domain.of(claimed(v <= 1), ())
    >>> _differs(sympy.sin(v) ** 2 + sympy.cos(v) ** 2 - 1, domain), _differs(sympy.sin(v) - v, domain)
    (False, True)
    """
    from rftheory.statement.search import decide

    vanishes = sympy.Eq(difference, 0, evaluate=False)
    for values in corners(domain, 3):
        with contextlib.suppress(RFTheoryError):  # no value at that corner
            if decide(vanishes, values, domain)[0] is False:
                return True
    return False


def by_sign(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality between rational functions, from the signs of coefficients in shifted variables.

    Examples
    --------
    >>> from rftheory.statement.words import d, claimed
    >>> claim = claimed(d**2 + 1 > 2 * d)
    >>> by_sign(claim.parts[0], Domain.of(claim, (d >= 2,))).kind.value, by_sign(claim.parts[0], Domain.of(claim, ()))
    ('certified', None)
    """
    difference = _larger_minus_smaller(part, domain)
    if difference is None:
        return None
    found = sign(difference, domain)
    if proves(found, part):
        return Proof(Kind.CERTIFIED, "the difference of the sides has one sign, by its coefficients in variables"
                     " counted from their least values")  # fmt: skip
    return None


def by_order(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove that two sides differ everywhere, because one of them is larger everywhere.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, orthogonal, v
    >>> claim = conformity(orthogonal) != 1
    >>> by_order(claim.parts[0], Domain.of(claim, (v > 0,))).kind.value, by_order(claim.parts[0], Domain.of(claim, ()))
    ('certified', None)
    """
    if not isinstance(part, sympy.Ne):
        return None
    tried = (prove(kind(*part.args, evaluate=False), domain) for kind in _STRICT)
    return next((found for found in tried if found is not None and not found.refutes), None)


def _larger_minus_smaller(part: sympy.Basic, domain: Domain) -> sympy.Expr | None:
    if not isinstance(part, (*_LESS, *_MORE)):
        return None
    low, high = part.args if isinstance(part, _LESS) else reversed(part.args)
    return reduced(high, domain) - reduced(low, domain)


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
    difference = _larger_minus_smaller(part, domain)
    if difference is None:
        return None
    numerator, denominator = sympy.fraction(sympy.together(difference))
    factor = sign(denominator, domain)
    if factor in ("positive", "negative"):
        numerator = numerator if factor == "positive" else -numerator
    else:
        numerator = difference
    series = as_series(numerator)
    found = None if series is None else signs(series, domain)
    if series is None or found is None:
        return None
    if isinstance(part, _STRICT) and not _somewhere_positive(series, found, domain):
        return None
    return Proof(Kind.CERTIFIED, _in_words(series, found), assumes=found.assumes)


def _somewhere_positive(series: Series, found: Signs, domain: Domain) -> bool:
    if found.zero == "positive":
        return True
    span = domain.spans.get(series.variable)
    apart = span is not None and (span.low > 0 or (span.low == 0 and span.low_open))
    return apart and "positive" in (found.one, found.more)


_WORDS = {"zero": "0", "positive": "> 0", "nonnegative": ">= 0"}


def _in_words(series: Series, found: Signs) -> str:
    parts = f"{_WORDS[found.zero]} at k = 0, {_WORDS[found.one]} at k = 1, {_WORDS[found.more]} from k = 2 on"
    return f"coefficients of {series.variable}^2k: {parts}, of the larger side minus the smaller one"


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
        if before.is_empty:
            return None
        from rftheory.statement.powers import by_exponentials

        step = side.subs(variable, variable + 1) - side
        later = sympy.StrictGreaterThan(direction * step, 0, evaluate=False)
        return prove(later, domain.with_span(variable, before), (by_sign, by_coefficients, by_exponentials))
    series = as_series(direction * reduced(side, domain), variable)
    if series is None or series.factor.has(variable) or domain.spans[variable].low < 0:
        return None
    found = signs(_without_constant(series), domain)
    if found is None or "positive" not in (found.one, found.more):
        return None
    return Proof(Kind.CERTIFIED, f"{_in_words(series, found)}, the constant left out", assumes=found.assumes)


def _without_constant(series: Series) -> Series:
    """The series with its constant term changed so that it is 0 at 0, which does not affect slopes."""
    from rftheory.statement.series import Atom

    total = sympy.Add(*series.terms.values())
    terms = dict(series.terms)
    key = (Atom("exp", sympy.S.Zero), 0)
    terms[key] = terms.get(key, sympy.S.Zero) - total
    return Series(series.variable, series.factor, terms)


__all__ = ["ForSome", "Proof", "Prover", "by_coefficients", "by_identity", "by_sign", "by_slope", "default_provers",
           "negated", "prove"]  # fmt: skip
