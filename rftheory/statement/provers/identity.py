"""Prove an equation whose sides are the same expression."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable

import sympy
from sympy import S

from rftheory.errors import RFTheoryError
from rftheory.exact.field import Factor, factored
from rftheory.exact.vanishing import carried_out, simplified, vanishes
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import CountOf, Growth, OppositeMoment, PairMean, ProbabilityOf
from rftheory.statement.domain import Domain, corners
from rftheory.statement.pointwise import decide
from rftheory.statement.provers.proof import Proof, above_zero, uncited
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.provers.series import as_series
from rftheory.statement.provers.signs import at_least_zero, is_real, sign
from rftheory.statement.words import LimitOf


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
    if not isinstance(part, sympy.Eq | sympy.LessThan | sympy.GreaterThan) or part.has(LimitOf):
        return None  # a limit need not exist
    difference = reduced(part.args[0], domain) - reduced(part.args[1], domain)
    if _vanishes(difference, domain):
        return Proof(Kind.DERIVED, "with the laws written out, both sides are the same expression")
    if difference.has(sympy.log) and vanishes(_of_logarithms(difference, domain)):
        says = "with the laws written out, and logarithms of products as sums, both sides are the same expression"
        return Proof(Kind.CERTIFIED, says)
    return None


def _vanishes(difference: sympy.Expr, domain: Domain) -> bool:
    if vanishes(difference):
        return True
    series = as_series(difference)
    if series is not None and series.is_zero:
        return True
    # of these sympy knows nothing, or may never finish simplifying them
    special = difference.has(sympy.hyper, PairMean, OppositeMoment, CountOf, ProbabilityOf, Growth)
    if not special and _differs(difference, domain):
        return False
    if vanishes(_of_factors(_unified(difference), domain)):
        return True
    if special or sympy.count_ops(difference) >= 200 or _may_run_backwards(difference, domain):
        return False
    return vanishes(carried_out(difference)) or bool(simplified(difference) == 0)


def _of_factors(difference: sympy.Expr, domain: Domain) -> sympy.Expr:
    """Powers of products as products of powers, of positive factors; negative ones may make up for each other.

    For x < 0 and real t, x^t is (-1)^t (-x)^t.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d
    >>> u = sympy.Symbol("u", real=True)
    >>> over = Domain.of(claimed(u < d), (u > 0, u < 1))
    >>> _of_factors((u**2 / (1 - u)) ** (d / 2), over), _of_factors((u / (2 - u) * (u - 1)) ** (d / 2), over)
    (u**d/(1 - u)**(d/2), (u*(u - 1)/(2 - u))**(d/2))
    >>> _of_factors(sympy.sqrt((1 - u) * (2 - u)), over)
    sqrt(1 - u)*sqrt(2 - u)
    """

    def split(power: sympy.Pow) -> sympy.Expr:
        sizes = _in_sizes(power.base, domain, lambda factor: sign(factor, domain) == "positive")
        return power if sizes is None else sympy.Mul(*(size ** (times * power.exp) for size, times in sizes))

    return difference.replace(lambda e: e.is_Pow and not e.exp.is_Integer and not e.base.is_Atom, split)


def _in_sizes(
    whole: sympy.Expr, domain: Domain, is_positive: Callable[[sympy.Expr], bool]
) -> list[Factor] | None:
    """Positive factors with real exponents; None if it has others that do not make up for each other."""
    turned, found = S.One, list[Factor]()
    for factor, times in factored(whole):
        negative = sign(factor, domain) == "negative"
        if not (negative or is_positive(factor)) or not is_real(times, domain):
            return None
        turned *= S.NegativeOne**times if negative else S.One
        found.append((-factor if negative else factor, times))
    return found if turned == 1 else None


def _of_logarithms(difference: sympy.Expr, domain: Domain) -> sympy.Expr:
    """Logarithms of products as sums of logarithms, of factors of known signs.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> over = Domain.of(claimed(v < 1), (v > 0, v < 1))
    >>> _of_logarithms(sympy.log((1 - v) ** 2 * sympy.exp(v) / 2), over)
    v + 2*log(1 - v) - log(2)
    >>> _of_logarithms(sympy.log(v * (v - 2)), over)
    log(v*(v - 2))
    """

    def is_positive(factor: sympy.Expr) -> bool:
        return uncited(above_zero(factor, strict=True), domain) is not None

    def split(whole: sympy.Expr) -> sympy.Expr:
        sizes = _in_sizes(whole, domain, is_positive)
        return sympy.log(whole) if sizes is None else sympy.Add(*(n * sympy.log(size) for size, n in sizes))

    return difference.replace(sympy.log, split)


def _unified(difference: sympy.Expr) -> sympy.Expr:
    """With one form for each base of a power, and each exponent of an exponential, that stands there in several.

    Examples
    --------
    >>> from rftheory.statement.words import d, v
    >>> root = sympy.sqrt(v**2 + d)
    >>> _unified((root - v) ** d - (d / (root + v)) ** d)
    0
    """
    powers = {e.base for e in difference.atoms(sympy.Pow) if not e.exp.is_number and not e.base.is_Atom}
    exponents = {e.args[0] for e in difference.atoms(sympy.exp)}
    bases = _first_forms(powers)
    difference = difference.replace(
        lambda e: e.is_Pow and e.base in bases and not e.exp.is_number, lambda e: bases[e.base] ** e.exp
    )
    return difference.xreplace(
        {sympy.exp(one): sympy.exp(own) for one, own in _first_forms(exponents).items()}
    )


def _first_forms(expressions: Iterable[sympy.Expr]) -> dict[sympy.Expr, sympy.Expr]:
    """For each expression that equals an earlier one, that one."""
    kept: list[sympy.Expr] = []
    found: dict[sympy.Expr, sympy.Expr] = {}
    for one in sorted(expressions, key=sympy.default_sort_key):
        same = next((other for other in kept if vanishes(one - other)), None)
        if same is None:
            kept.append(one)
        else:
            found[one] = same
    return found


def _may_run_backwards(difference: sympy.Expr, domain: Domain) -> bool:
    """Whether a sum or product may end before the term ahead of its first one: sympy gives it a value there.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, d, m, v
    >>> least = sympy.Sum(1, (sympy.Symbol("k"), m, d))
    >>> [_may_run_backwards(least, Domain.of(claimed(v < d + m), over)) for over in ((), (m <= d,))]
    [True, False]
    """
    limits = (limit for e in difference.atoms(sympy.Sum, sympy.Product) for limit in e.limits)
    return not all(
        len(ends) == 2 and (ends[1] is sympy.oo or at_least_zero(sign(ends[1] - ends[0] + 1, domain)))
        for _, *ends in limits
    )


def _differs(difference: sympy.Expr, domain: Domain) -> bool:
    """Whether an enclosure at one of the first corners excludes 0, which is seen sooner than sympy simplifies.

    Examples
    --------
    >>> from rftheory.statement.words import claimed, v
    >>> domain = Domain.of(claimed(v <= 1), ())
    >>> _differs(sympy.sin(v) ** 2 + sympy.cos(v) ** 2 - 1, domain), _differs(sympy.sin(v) - v, domain)
    (False, True)
    """
    vanishes = sympy.Eq(difference, 0, evaluate=False)
    for values in corners(domain, 3):
        with contextlib.suppress(RFTheoryError):  # no value at that corner
            if decide(vanishes, values, domain)[0] is False:
                return True
    return False
