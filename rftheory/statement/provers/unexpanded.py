"""Why a limit or an order of growth is left open: which of its laws has no expansion, or what is not known of one."""

from __future__ import annotations

from collections.abc import Iterable

import sympy

from rftheory.exact.symbols import v, z
from rftheory.statement.atoms import PairCount, PairMean
from rftheory.statement.domain import Domain
from rftheory.statement.provers.dimension import head_of, laws_in, pairs_of_many
from rftheory.statement.provers.expand import asked_of, far_out, halves, reaches
from rftheory.statement.provers.gammas import sign_by_bounds
from rftheory.statement.provers.limits import LEADING, PLACES
from rftheory.statement.provers.proof import DOES_NOT_APPLY
from rftheory.statement.provers.series import as_series
from rftheory.statement.words import limits_of


def not_expanded(parts: Iterable[sympy.Basic], domain: Domain) -> str:
    """What stops the expansion for the first limit or order of growth that has none; nothing if all have one.

    Examples
    --------
    >>> from rftheory.statement.words import conformity, d, exp, limit
    >>> claim = limit(conformity("cross-polytope").at(v=d * v), d, sympy.oo) == exp(v**2)
    >>> not_expanded(claim.parts, Domain.of(claim, ()))
    'hyper((d,), (d/2,), d**2*v**2/2) and pair(opposite; d**2*v**2) have no expansion in 1/d here'
    """
    for part in parts:
        try:
            limits = limits_of(part)
            alone = sympy.Eq(limits[0], 0, evaluate=False) if len(limits) == 1 else part
            why = next(filter(None, (_why(*half) for half in halves(alone, domain) or ((part, domain),))), "")
        except DOES_NOT_APPLY:
            continue
        if why:
            return why
    return ""


def _why(part: sympy.Basic, domain: Domain) -> str:
    domain = far_out(part, domain)
    if (asked := asked_of(part, domain)) is None:
        return ""
    expression, variable, to = asked
    if not to.is_number:
        return f"limits are found at numbers and at both infinities, not at {to}"
    if variable.is_integer and to != sympy.oo:
        return f"limits of integers are found at oo alone, not at {to}"
    if to not in PLACES or not reaches(domain, variable, to):
        return f"the conditions do not let {variable} tend to {to} at fixed values of the others"
    if variable in (v, z):
        sides = sympy.fraction(sympy.together(expression)) if to == 0 else ()
        return next((why for side in sides if (why := _no_first(side, variable, domain))), "")
    return _no_powers(expression, variable) if variable.is_integer else ""


def _no_powers(expression: sympy.Expr, d: sympy.Symbol) -> str:
    """Of an expansion in 1/d."""
    open_laws = [law for law in laws_in(expression, d) if head_of(law, d, 1) is None]
    counts = sorted((count for count in expression.atoms(PairCount) if count.has(d)), key=str)
    open_laws += [count for count in counts if pairs_of_many(count, d) is None]
    return f"{_named(open_laws)} no expansion in 1/{d} here" if open_laws else ""


def _no_first(side: sympy.Expr, variable: sympy.Symbol, domain: Domain) -> str:
    """Of a power series, up to the first coefficient."""
    series = as_series(side, variable)
    if series is None:
        other = [law for law in laws_in(side, variable) if as_series(law, variable) is None]
        return f"{_named(other)} no power series in {variable}**2 here" if other else ""
    for n in range(LEADING):
        value = series.coefficient(n)
        if value is None:
            pairs = (law for law in laws_in(side, variable) if isinstance(law, PairMean))
            other = [law for law in pairs if _unknown(law, variable, n)]
            return f"{_named(other)} no known coefficient of {variable}**{2 * n}" if other else ""
        if value != 0:
            known = sign_by_bounds(value, domain)[0] in ("positive", "negative")
            return "" if known else f"no sign is proved for the coefficient of {variable}**{2 * n}, {value}"
    return ""


def _unknown(law: sympy.Expr, variable: sympy.Symbol, n: int) -> bool:
    series = as_series(law, variable)
    return series is not None and any(series.coefficient(k) is None for k in range(n + 1))


def _named(laws: list[sympy.Expr]) -> str:
    words = [_of_count(law) if isinstance(law, PairCount) else str(law) for law in laws]
    return f"{' and '.join(words)} {'has' if len(laws) == 1 else 'have'}"


def _of_count(count: PairCount) -> str:
    return f"the number of pairs among {count.m} rows of {count.args[0]}"
