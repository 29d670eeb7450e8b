"""A prover for waves of orthogonal rows: where they are known to lie below those of independent ones, they do."""

from __future__ import annotations

import sympy

from rftheory.exact.derivative import factor_in
from rftheory.exact.proof.steps import established
from rftheory.exact.truth import STRICT
from rftheory.statement.domain import Domain
from rftheory.statement.provers.proof import Proof, above_zero, larger_minus_smaller, proved, uncited
from rftheory.statement.provers.signs import at_least_zero, sign
from rftheory.statement.words import is_pointwise

BELOW = "simplex.zcrit.energy"
"""The derivation that 1F1(d; d/2; -x) < e^(-2x) for 0 < x <= d/6 and d >= 2."""


def by_waves(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality with e^(-2x) in the place of the mean 1F1(d; d/2; -x) of waves of two orthogonal rows.

    Examples
    --------
    >>> from rftheory.statement.words import d, iid, m, mse, orthogonal, trigonometric, z
    >>> claim = mse(trigonometric(orthogonal, m=m)) <= mse(trigonometric(iid, m=m))
    >>> found = [by_waves(claim.parts[0], Domain.of(claim, (z**2 <= d / n, d >= 2))) for n in (3, 2)]
    >>> found[0].kind.value, found[1]
    ('derived', None)
    """
    difference = larger_minus_smaller(part, domain) if is_pointwise(part) else None
    if difference is None:
        return None
    weaker, less = difference, False
    waves = (one for one in difference.atoms(sympy.hyper) if _is_of_orthogonal_rows(one, domain))
    for wave in sorted(waves, key=str):
        place = sympy.Dummy("W", real=True)
        factor = factor_in(sympy.expand(weaker.xreplace({wave: place})), place)
        own = None if factor is None else sign(-factor, domain)
        if not at_least_zero(own) or not _is_below(wave, domain):
            continue
        weaker = weaker.xreplace({wave: sympy.exp(2 * wave.argument)})
        less = less or (own == "positive" and sign(-wave.argument, domain) == "positive")
    if weaker == difference or not (done := established(BELOW)).holds:
        return None
    rest = proved(above_zero(sympy.expand(weaker), isinstance(part, STRICT) and not less), domain)
    if rest is None:
        return None
    says = f"waves of orthogonal rows lie below those of independent ones (derivation {BELOW}): {rest.says}"
    return rest.resting_on(Proof(rest.kind, says, assumes=done.assumes), says=says)


def _is_of_orthogonal_rows(wave: sympy.hyper, domain: Domain) -> bool:
    """Whether it is 1F1(d; d/2; x) in variables of the domain."""
    if len(wave.ap) != 1 or len(wave.bq) != 1 or not wave.free_symbols <= set(domain.symbols):
        return False
    return bool(sympy.expand(wave.ap[0] - 2 * wave.bq[0]) == 0)


def _is_below(wave: sympy.hyper, domain: Domain) -> bool:
    """Whether 0 <= -x <= d/6 and d >= 2 on the whole domain."""
    (d,), x = wave.ap, -wave.argument
    wanted = (d >= 2, x >= 0, x <= d / 6)
    return all(r == sympy.true or (r != sympy.false and uncited(r, domain)) for r in wanted)


__all__ = ["by_waves"]
