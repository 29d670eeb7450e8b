"""Prove an equation whose sides are the same expression."""

from __future__ import annotations

import contextlib

import sympy

from rftheory.errors import RFTheoryError
from rftheory.exact.vanishing import carried_out, simplified, vanishes
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import CountOf, Growth, PairMean, ProbabilityOf
from rftheory.statement.domain import Domain, corners
from rftheory.statement.pointwise import decide
from rftheory.statement.provers.proof import Proof
from rftheory.statement.provers.reduce import reduced
from rftheory.statement.provers.series import as_series
from rftheory.statement.provers.signs import at_least_zero, sign
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
    if not isinstance(part, sympy.Eq | sympy.LessThan | sympy.GreaterThan):
        return None
    difference = reduced(part.args[0], domain) - reduced(part.args[1], domain)
    if difference == 0 or _vanishes(difference, domain):
        return Proof(Kind.DERIVED, "with the laws written out, both sides are the same expression")
    return None


def _vanishes(difference: sympy.Expr, domain: Domain) -> bool:
    if not difference.has(Growth) and vanishes(difference):  # two quantities of one order need not be equal
        return True
    series = as_series(difference)
    if series is not None and series.is_zero:
        return True
    # of these sympy knows nothing, or may never finish simplifying them
    special = difference.has(sympy.hyper, PairMean, CountOf, ProbabilityOf, LimitOf, Growth)
    if special or sympy.count_ops(difference) >= 200 or _differs(difference, domain):
        return False
    if _may_run_backwards(difference, domain):
        return False
    return vanishes(carried_out(difference)) or bool(simplified(difference) == 0)


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
