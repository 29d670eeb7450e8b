"""Tables of random counts: whether their probabilities are some, and the moments of what one coordinate contributes.

A declared table is a formula for all counts, which may be no law: it is refused then, since its second moments are no
sums of squares and errors come out negative.
"""

from __future__ import annotations

from functools import lru_cache

import sympy
from flint import arb

from rftheory.errors import InvalidInput, NotCertified, NotKnown, OutsideDomain
from rftheory.exact.evaluate import evaluate_real
from rftheory.exact.infinite_sums import in_gammas, sum_over_counts
from rftheory.exact.order import compared, surely
from rftheory.spec import Table
from rftheory.spec.feature_map import k as COUNT
from rftheory.spec.feature_map import x as X
from rftheory.spec.feature_map import y as Y

FIRST = 32
"""Among so many counts one is named whose probability is none."""


@lru_cache(maxsize=256)
def require_law(name: str, probability: sympy.Expr) -> None:
    """Refuse probabilities, without parameters, that are not proved to be positive for all counts and to add up to 1.

    Raises
    ------
    OutsideDomain : one is not positive, or their sum is not 1.
    NotKnown : that is not seen; an enclosure of the sum is no proof that it is 1.

    Examples
    --------
    >>> require_law("poisson", sympy.exp(-2) * 2**COUNT / sympy.factorial(COUNT))
    >>> require_law("mine", sympy.Rational(1, 2) ** COUNT)
    Traceback (most recent call last):
    ...
    rftheory.errors.OutsideDomain: counts of mine: needs probabilities that add up to 1, got '2.0000000'
    """
    subject = f"counts of {name}"
    if not _is_positive(probability):
        for count in range(0 if probability.has(sympy.Sum) else FIRST):
            value = probability.subs(COUNT, count)
            if compared(value, "<=") or value.is_real is False:
                needs, got = "probabilities above 0 for all counts", f"P({count}) = {value}"
                raise OutsideDomain(subject, needs=needs, got=got)
        raise NotKnown("a moment", name, "its probabilities are not seen to be positive for all counts")
    total = sum_over_counts(probability, COUNT)
    is_one = None if total is None or total is sympy.oo else compared(total, "=", sympy.S.One)
    if is_one:
        return
    near = _enclosed(probability if total is None else total)
    beside = near is not None and not near.contains(1)
    if beside or is_one is False:
        got = near.str(8, radius=False) if near is not None and beside else "nearly 1, but not 1"
        raise OutsideDomain(subject, needs="probabilities that add up to 1", got=got)
    seen = "" if near is None else f", although their sum is in {near.str(30)}"
    hint = "write w/Sum(w, (k, 0, oo)) for weights w"
    raise NotKnown("a moment", name, f"its probabilities are not proved to add up to 1{seen}; {hint}")


def _is_positive(probability: sympy.Expr) -> bool:
    """Whether it is for all counts: numbers by enclosures, which of an infinite sum show that it converges."""
    if COUNT not in probability.free_symbols:
        return compared(probability, ">") is True
    if probability.is_Mul:
        return all(map(_is_positive, probability.args))
    whole = surely(in_gammas(probability), ">")
    return whole or (probability.is_Add and all(map(_is_positive, probability.args)))


def _enclosed(total: sympy.Expr) -> arb | None:
    """The sum of the probabilities, in closed form or not; None if it has no enclosure here."""
    whole = sympy.Sum(total, (COUNT, 0, sympy.oo)) if COUNT in total.free_symbols else total
    if whole is sympy.oo:
        return arb.pos_inf()
    try:
        return evaluate_real(whole)
    except (InvalidInput, NotCertified):
        return None


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
    return sympy.powsimp(sympy.expand_power_base(table.value**order * table.probability))
