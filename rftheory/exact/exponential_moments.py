"""Exponential moments E exp(t K^) of estimates: where they are finite, and their values.

That of m independent rows is E exp(t Z/m)^m for the estimate Z of one row, which is a function of one normal variable,
of the distance of the row from a point, or, with norms sqrt(d), of one angle. It is infinite for t > 0 where Z grows
like an exponential, as exp(w.u) does.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import acb, arb, ctx

from rftheory.errors import NotKnown, OutsideDomain, Undecided
from rftheory.exact.enclosure import certified_integral
from rftheory.exact.laws import Exponential, Law
from rftheory.exact.row_tails import Range, is_bump, on_a_line, range_of


def mgf_of(law: Law, t: arb) -> arb:
    """E exp(t K^) as an enclosure at the working precision.

    Raises
    ------
    OutsideDomain : no bound of the features is seen on the side of t: that of features above 0 is then infinite.
    NotKnown : the law of the estimate is not known; the message says why.

    Examples
    --------
    >>> from rftheory.exact.inputs import Inputs
    >>> from rftheory.spec import find_coupling, find_map
    >>> law = Law(find_map("positive"), find_coupling("iid"), 1, Inputs.of_norms(3, sum_norm="1"))
    >>> bool((law.mean() * -1).exp() < mgf_of(law, arb(-1)) < 1)
    True
    """
    if t.is_zero():
        return arb(1)
    if law.feature.table is not None:
        raise NotKnown("an exponential moment", law.name, "random counts have no rows")
    law.require_moment(1)
    if law.constant:
        return (t * law.mean()).exp()
    fixed = law.inputs.d if law.coupling.norms == "fixed" else None
    within = range_of(law.terms(), fixed)
    end, finite = _end_of_largest(within, t)
    if not end.is_finite():
        needs = f"t {finite} 0: no bound of the features is seen, and that of exp(w.u) is infinite"
        raise OutsideDomain(
            f"exponential moment of {law.name}", needs=needs, got=f"t = {t.str(8, radius=False)}"
        )
    law._require("marginal", "an exponential moment")
    if law.m == 1 or (law.coupling.blocks and law.coupling.size(law.inputs.d) == 1):
        return _of_one_row(law, t / law.m, end) ** law.m
    raise NotKnown("an exponential moment", law.name, "of coupled rows it is known by bounds alone")


def _end_of_largest(within: Range, t: arb) -> tuple[arb, str]:
    """The end of the range at which exp(t Z) is largest, and the side of 0 on which the other end is."""
    if t > 0:
        return within.high, "<"
    if t < 0:
        return within.low, ">"
    raise Undecided("the sign of t", reached=t.str(5))


def _of_one_row(law: Law, t: arb, end: arb) -> arb:
    """The same of one row; exp(t Z) is largest at this end of the range of Z."""
    terms, d = law.terms(), law.inputs.d
    if any(term.phase for term in terms):
        raise NotKnown("an exponential moment", law.name, "it is not known with random phases")
    largest = (t * end).exp()
    if law.coupling.norms == "fixed":
        return _at_fixed_norm(law, terms, t)
    if (curve := on_a_line(law, terms)) is not None:
        reach = arb(4 + ctx.prec).sqrt().ceil() * 2
        normal = (2 * arb.pi()).sqrt()
        value = certified_integral(
            lambda g, _: (t * _real(curve.terms, g) - g * g / 2).exp() / normal, -reach, reach
        )
        return value + arb(0).union((largest * (reach / arb(2).sqrt()).erfc()).upper())
    if len(terms) == 1 and is_bump(terms[0]):
        return _of_distance(d, terms[0], t, largest)
    raise NotKnown("an exponential moment", law.name, "one row is no function of one variable")


def _real(terms: tuple[tuple[acb, acb, acb], ...], g: acb) -> acb:
    """The sum of Re exp(log + b g + q g^2) for real g, as an analytic function."""
    conjugates = [tuple(acb(part.real, -part.imag) for part in term) for term in terms]
    parts = [(log + g * (b + q * g)).exp() for log, b, q in (*terms, *conjugates)]
    return sum(parts, acb(0)) / 2


def _at_fixed_norm(law: Law, terms: list[Exponential], t: arb) -> arb:
    """The mean over the angle of a row of length sqrt(d) with one vector."""
    d = law.inputs.d
    moving = [term for term in terms if not all(b.is_zero() for b in term.b)]
    if not moving:
        return (t * law.mean()).exp()
    if any(term.line is None or term.line != moving[0].line or not term.scalar for term in moving):
        raise NotKnown("an exponential moment", law.name, "its slopes are not multiples of one vector")
    place = next(n for n, b in enumerate(moving[0].b) if not b.contains(0))
    unit = moving[0].size().sqrt() / abs(moving[0].b[place])
    line = tuple((term.log + term.q[0] * d, term.b[place] * unit * arb(d).sqrt(), acb(0)) for term in terms)

    def weighted(value: Callable[[acb], acb]) -> arb:
        return certified_integral(lambda angle, _: angle.sin() ** (d - 2) * value(angle.cos()), 0, arb.pi())

    if d == 1:
        return sum(((t * _real(line, acb(end))).exp().real for end in (1, -1)), arb(0)) / 2
    return weighted(lambda u: (t * _real(line, u)).exp()) / weighted(lambda _: acb(1))


def _of_distance(d: int, term: Exponential, t: arb, largest: arb) -> arb:
    """The estimate is exp(top + q r^2), r the distance of the row from a point, which is noncentral chi."""
    q, size = term.q[0].real, sum((n * b.real**2 for n, b in zip(term.counts, term.b, strict=True)), arb(0))
    top, centre = term.log.real - size / (4 * q), size / (4 * q * q)
    far, norm = centre.sqrt(), (arb(d) / 2).gamma() * arb(2) ** (arb(d) / 2 - 1)
    reach = arb(d + 4 + ctx.prec).sqrt().ceil() * 2
    end = (far + reach).ceil()

    def integrand(r: acb, _: bool) -> acb:
        bessel = (centre * r * r / 4).hypgeom([], [acb(d) / 2])
        return r ** (d - 1) * (t * (top + q * r * r).exp() - (r * r + centre) / 2).exp() * bessel / norm

    # beyond it the row is longer than ``reach``
    beyond = (reach * reach / 2).gamma_upper(arb(d) / 2, regularized=1)
    return certified_integral(integrand, 0, end) + arb(0).union((largest * beyond).upper())
