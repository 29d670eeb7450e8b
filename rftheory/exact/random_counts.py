"""Tables of random counts: whether their probabilities are some, and the moments of what one coordinate contributes.

A declared table is a formula for all counts, which may be no law: it is refused then, since its second moments are no
sums of squares and errors come out negative.
"""

from __future__ import annotations

from functools import lru_cache

import sympy
from flint import arb

from rftheory.errors import NotCertified, NotKnown, OutsideDomain
from rftheory.exact.evaluate import evaluate_real
from rftheory.spec import Table
from rftheory.spec.feature_map import k as COUNT
from rftheory.spec.feature_map import x as X
from rftheory.spec.feature_map import y as Y

FIRST = 32
"""Among so many counts one is named whose probability is none."""


@lru_cache(maxsize=256)
def require_law(name: str, probability: sympy.Expr) -> None:
    """Refuse probabilities, without parameters, that are not positive for all counts or do not add up to 1.

    Raises
    ------
    OutsideDomain : one is not positive, or their sum is not 1.
    NotKnown : that is not seen.

    Examples
    --------
    >>> require_law("poisson", sympy.exp(-2) * 2**COUNT / sympy.factorial(COUNT))
    >>> require_law("mine", sympy.Rational(1, 2) ** COUNT)
    Traceback (most recent call last):
    ...
    rftheory.errors.OutsideDomain: counts of mine: needs probabilities that add up to 1, got '2.0000000'
    """
    subject = f"counts of {name}"
    if not probability.is_positive:
        for count in range(FIRST):
            value = probability.subs(COUNT, count)
            if value.is_positive is False:
                needs, got = "probabilities above 0 for all counts", f"P({count}) = {value}"
                raise OutsideDomain(subject, needs=needs, got=got)
        raise NotKnown("a moment", name, "its probabilities are not seen to be positive for all counts")
    total = sympy.Sum(probability, (COUNT, 0, sympy.oo))
    try:
        sum_of_all = evaluate_real(total)
    except NotCertified:
        exact = sympy.simplify(total.doit())
        if exact.has(sympy.Sum):
            raise NotKnown("a moment", name, "its probabilities are not seen to add up to 1") from None
        sum_of_all = evaluate_real(exact) if exact.is_finite else arb("inf")
    if not sum_of_all.contains(1):
        got = sum_of_all.str(8, radius=False)
        raise OutsideDomain(subject, needs="probabilities that add up to 1", got=got)


@lru_cache(maxsize=64)
def moment_of_one(table: Table, order: int, at_zero: bool) -> sympy.Expr:
    """E of a power of what one coordinate contributes; where x_j y_j = 0 only the count 0 does.

    Examples
    --------
    >>> from rftheory.spec import find_map
    >>> moment_of_one(find_map("poisson").table, 1, at_zero=False)
    Sum((x_j*y_j)**k/factorial(k), (k, 0, oo))
    """
    term = _term(table, order)
    return term.subs(COUNT, 0) if at_zero else sympy.Sum(term, (COUNT, 0, sympy.oo))


def is_series_of_kernel(table: Table) -> bool:
    """Whether the mean is exp(x_j y_j) term by term, if all probabilities are positive.

    Examples
    --------
    >>> from rftheory.spec import find_map
    >>> is_series_of_kernel(find_map("geometric").table)
    True
    """
    return bool(sympy.simplify(_term(table, 1) - (X * Y) ** COUNT / sympy.factorial(COUNT)) == 0)


def _term(table: Table, order: int) -> sympy.Expr:
    return sympy.powsimp(sympy.expand_power_base(table.value**order * table.probability, force=True))
