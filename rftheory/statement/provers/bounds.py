"""A prover by bounds: what is known of a quantity stands in its place, and the rest is proved.

A tail P(|K^ - K| >= eps) lies between 0 and the bounds of Chebyshev, Hoeffding and Bernstein, and that of errors of one
sign also below Cantelli's, and those of exponential moments. These lie between Jensen's bound and those of Hoeffding's
lemma, and of orthogonal rows below those of independent ones. The mean of a bounded
estimate lies in the same interval, and that of waves of rows of one length near the kernel. A map that chooses the
parameter of least variance has at most the variance of any other value. Rows that are proved to err no more than
independent ones have at most their error, and the mean of rows of one law varies no more than one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import sympy
from sympy import S
from sympy.core.symbol import Str

from rftheory.errors import NotKnown
from rftheory.exact.derivative import factor_in
from rftheory.exact.laws import is_unbiased
from rftheory.exact.proof.steps import established
from rftheory.exact.truth import ORDERINGS, STRICT, WEAK
from rftheory.exact.uniform import gaussian_exponent_holds
from rftheory.judge.verdict import Kind
from rftheory.statement.atoms import FormulaOf, Growth, OfLaw
from rftheory.statement.declared import Declared
from rftheory.statement.domain import Domain, Span, values_within
from rftheory.statement.pairs import pairs_of_block
from rftheory.statement.provers.expand import of_limit
from rftheory.statement.provers.identity import by_identity
from rftheory.statement.provers.limits import PLACES
from rftheory.statement.provers.proof import Proof, above_zero, proved, proved_sign, uncited
from rftheory.statement.provers.reduce import (
    ends_of_a_row,
    has_independent_rows,
    has_rising_powers,
    interval_of_a_row,
    is_positive_map,
    law_reduced,
    reduced,
    require_law,
)
from rftheory.statement.provers.signs import Sign, at_least_zero, is_real, negated, sign
from rftheory.statement.words import LimitOf, is_pointwise, limits_of, substituted

CHEBYSHEV, HOEFFDING, BERNSTEIN = "Chebyshev's inequality", "Hoeffding's inequality", "Bernstein's inequality"
CHERNOFF, CANTELLI, MARKOV = "Chernoff's bound", "Cantelli's inequality", "Markov's inequality"
SUB_GAUSSIAN = {"trigonometric": S.One, "cosine": S.Half}
"""Maps with one wave cos(w.(x - y)), which has the exponential moments of a normal variable of variance 1/2 at most,
and with a second one of a uniform phase, so has too: the exponents of their tails."""
GAUSSIAN_WAVES = "waves of normal rows are sub-Gaussian with variance 1/2 (rff.added.gaussian-tail)"
POSITIVE_FEATURES = (
    "exp(-t) <= 1 - t + t^2/2, so that E exp(-theta Z) <= exp(-theta E Z + theta^2 E Z^2/2) for Z >= 0"
)
ABOVE_ZERO = "features above 0 are not below the kernel by its size or more"
ONE_OF_BOTH = "an error of one sign is an error"
ORTHOGONAL_TILTS = "chefs.thm4.2.orthogonal"
"""The derivation that exponential moments of orthogonal blocks are at most those of independent rows."""
PROBABILITY = "a probability lies between 0 and 1, and is 0 beyond the range"
IN_BETWEEN = "a mean lies between the least and the largest value"
NEAR_THE_KERNEL = (
    "waves of rows of lengths R and sqrt(d) differ by |R - sqrt(d)| z |u_1| at most, u a uniform direction; "
    "in the mean |R - sqrt(d)| <= |R^2 - d|/sqrt(d) is at most sqrt(2) and |u_1| 1/sqrt(d)"
)
JENSEN, HOEFFDING_LEMMA = "Jensen's inequality", "Hoeffding's lemma"
NO_VARIANCE_BELOW_ZERO = (
    "the variance of a sum or difference of estimates, each over its kernel, is at least 0"
)
CORRELATION = (
    "a covariance is a correlation, from -1 to 1, times the roots of both mean squared errors or less"
)
MOST = 3
"""The most quantities in a relation that are replaced, each by each of its bounds."""


class Bound(NamedTuple):
    """What a quantity is at most, or at least.

    Attributes
    ----------
    value : the bound.
    because : why, in words.
    theorems : what is cited for it.
    strict : whether it is never reached.

    Examples
    --------
    >>> Bound(sympy.S.One, PROBABILITY).strict
    False
    """

    value: sympy.Expr
    because: str
    theorems: tuple[str, ...] = ()
    strict: bool = False

    def citing(self, theorems: tuple[str, ...]) -> Bound:
        """The same bound, for whose use these are cited too, as for the sign of the factor of the quantity."""
        return self._replace(theorems=(*self.theorems, *theorems))


def by_bounds(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove a relation in which quantities can be replaced by what they are at most, or at least.

    An equation is proved by both inequalities, and that a limit is 0 by one that is 0 of something larger.

    Examples
    --------
    >>> from rftheory.statement.words import exp, iid, m, mse, oprf, orthogonal, positive, tail, trigonometric
    >>> eps = sympy.Symbol("eps", positive=True)
    >>> claims = [tail(trigonometric(rows, m=m), eps) <= 2 * exp(-m * eps**2 / 2) for rows in (iid, orthogonal)]
    >>> found = [by_bounds(claim.parts[0], Domain.of(claim, ())) for claim in claims]
    >>> found[0].assumes, found[1]
    (("Hoeffding's inequality",), None)
    >>> claim = mse(oprf(orthogonal, m=m)) <= mse(positive(iid, m=m))
    >>> by_bounds(claim.parts[0], Domain.of(claim, ())).kind.value
    'certified'
    """
    if isinstance(part, (sympy.Eq, *ORDERINGS)) and part.has(LimitOf):
        return _by_vanishing(part, domain)
    if isinstance(part, sympy.Eq):
        return _from_both_sides(part, domain)
    orders = {growth: growth.args[0] for growth in part.atoms(Growth)}
    if not isinstance(part, ORDERINGS) or not is_pointwise(substituted(part, orders)):
        return None
    part = _with_the_best(part, domain)
    for chosen in _choices(part.gts - part.lts, _bounded_in(part), _shapes_in(part, domain), domain):
        strict = isinstance(part, STRICT) and not any(bound.strict for bound in chosen.values())
        than = sympy.StrictLessThan if strict else sympy.LessThan
        weaker = than(*(_with_bounds(side, chosen) for side in (part.lts, part.gts)), evaluate=False)
        if (rest := proved(weaker, domain)) is not None:
            return _resting_on(chosen.values(), rest)
    return None


def _bounded_in(part: sympy.Basic) -> list[OfLaw]:
    """The laws that may have bounds; none if there are too many."""
    laws = sorted((law for law in part.atoms(OfLaw) if _is_bounded(law)), key=str)
    return laws if len(laws) <= MOST else []


Chosen = dict[OfLaw, Bound]
"""A bound for each of some laws, in the order in which they are put in."""


def _choices(
    difference: sympy.Expr, laws: list[OfLaw], shapes: tuple[sympy.Expr, ...], domain: Domain
) -> Iterator[Chosen]:
    """What may stand in the place of laws where the difference is to be at least 0: one bound at least.

    They are put in one by one, and the factor of a law is looked at when those before it are replaced: that (1 - P) is
    not negative does not say so of one minus a bound of P.
    """
    if not laws:
        return
    law, *others = laws
    for bound in _bounds_in(difference, law, shapes, domain):
        chosen = {law: bound} if bound.because else {}
        for more in _choices(_with_bounds(difference, chosen), others, shapes, domain):
            yield {**chosen, **more}
        if chosen:
            yield chosen


def _with_bounds(expression: sympy.Expr, chosen: Chosen) -> sympy.Expr:
    for law, bound in chosen.items():
        expression = expression.xreplace({law: bound.value})
    return expression


def _from_both_sides(part: sympy.Eq, domain: Domain) -> Proof | None:
    both = (by_bounds(kind(*part.args, evaluate=False), domain) for kind in (sympy.Le, sympy.Ge))
    if (first := next(both)) is None or (second := next(both)) is None:
        return None
    return first.resting_on(second, says=first.says)


def _by_vanishing(part: sympy.core.relational.Relational, domain: Domain) -> Proof | None:
    """Prove or refute a relation of a limit that is proved to be 0."""
    limits = limits_of(part)
    zero = _vanishing(limits[0], domain) if len(limits) == 1 else None
    found = zero and of_limit(part, S.Zero, zero.says, zero.assumes, domain)
    return zero and found and found.resting_on(zero, says=found.says)


def _vanishing(limit: LimitOf, domain: Domain) -> Proof | None:
    """Prove that the limit of what is at least 0 is 0, by one of something larger."""
    if limit.args[2] not in PLACES:
        return None
    expression, variable, to = limit.args
    laws, near = _bounded_in(expression), _near(variable, to, domain)
    if not laws:
        return None
    above = proved(above_zero(expression, strict=False), near)
    if above is None:
        return None
    shapes = (*_shapes_in(limit, near), -sympy.Rational(1, 8))
    for chosen in _choices(-expression, laws, shapes, near):
        weaker = sympy.Eq(LimitOf(_with_bounds(expression, chosen), variable, to), 0, evaluate=False)
        if (rest := proved(weaker, domain)) is not None:
            return _resting_on(chosen.values(), rest).resting_on(
                above, says=f"at least 0, and at most: {rest.says}"
            )
    return None


def _near(variable: sympy.Symbol, to: sympy.Expr, domain: Domain) -> Domain:
    """The part of the domain that is near the limit."""
    span = domain.spans[variable]
    if to == 0:
        return domain.with_span(variable, replace(span, low_open=True)) if span.low == 0 else domain
    return domain.with_span(variable, replace(span, low=sympy.Max(span.low, 1)))


def _resting_on(chosen: Iterable[Bound], rest: Proof) -> Proof:
    chosen = tuple(chosen)
    by = " and ".join(dict.fromkeys(bound.because for bound in chosen))
    theorems = (theorem for bound in chosen for theorem in bound.theorems)
    return replace(
        rest, kind=Kind.CERTIFIED, says=f"{by}; then {rest.says}",
        assumes=tuple(dict.fromkeys((*theorems, *rest.assumes))),
    )  # fmt: skip


def _is_bounded(law: OfLaw) -> bool:
    """Whether there may be a bound of it here."""
    of_mean = law.words[0] == "mean" and not law.is_kernel
    return (
        law.is_tail
        or of_mean
        or bool(law.other)
        or law.words[0] == "mgf"
        or (law.words[0] in ERRORS and law.words[1] in LEAST)
    )


def _bounds_in(
    difference: sympy.Expr, law: OfLaw, shapes: Iterable[sympy.Expr], domain: Domain
) -> list[Bound]:
    """What may stand in the place of a law where the difference is to be at least 0; the law itself at last."""
    slope, cited = _slope_in(difference, law, domain)
    moments = tuple(one for one in difference.atoms(OfLaw) if one.words[0] == "mgf" and one != law)
    found = [Bound(law, "")] if slope is None else _bounds_by_slope(law, slope, shapes, domain, moments)
    strict = slope in ("positive", "negative")  # where the factor is 0, no bound is strict
    return [bound.citing(cited)._replace(strict=bound.strict and strict) for bound in found]


def _bounds_by_slope(
    law: OfLaw, slope: Sign, shapes: Iterable[sympy.Expr], domain: Domain, moments: tuple[OfLaw, ...]
) -> list[Bound]:
    """The same where the factor of the law has this sign; ``moments`` are the exponential moments beside it."""
    itself, rises = Bound(law, ""), at_least_zero(slope)
    if law.words[0] == "mgf":
        require_law(law, 1, domain)
        if slope == "zero":
            return [itself]
        return [*(_below_a_moment(law) if rises else _above_a_moment(law, moments, domain)), itself]
    if law.is_tail:
        if not _exists(law, domain):
            return [itself]
        by_moments = () if rises else _by_moments(law, moments, domain)
        return [Bound(S.Zero, PROBABILITY)] if rises else [*by_moments, *_above_a_tail(law, domain)]
    if law.other:
        return [*_beyond_a_covariance(law, 1 if rises else -1, domain), itself]
    if law.words[0] == "mean":
        require_law(law, 1, domain)
        try:
            low, high = interval_of_a_row(law, domain)
        except NotKnown:
            return [itself]
        near = _near_the_kernel(law, -1 if rises else 1)
        return [Bound(low if rises else high, IN_BETWEEN), *near, itself]
    return [itself] if rises else [*_above_the_least(law, shapes, domain), itself]


def _slope_in(difference: sympy.Expr, law: OfLaw, domain: Domain) -> tuple[Sign | None, tuple[str, ...]]:
    """The sign of the factor of a law, in which the difference is linear, and what is cited; None if none is known."""
    place = sympy.Dummy("P", real=True)
    factor = factor_in(sympy.expand(difference.xreplace({law: place})), place)
    if factor is None:
        return None, ()
    own = sign(reduced(factor, domain), domain)
    if at_least_zero(own) or at_least_zero(negated(own)):
        return own, ()
    return proved_sign(factor, domain, weak=True)


def _beyond_a_covariance(law: OfLaw, side: int, domain: Domain) -> Iterator[Bound]:
    """What is above a covariance, or below it: of estimates over their kernels, half the sum of both variances."""
    require_law(law, 2, domain)
    if law.is_unbiased:
        errors = law.as_mse, law.of_other_pair
        kernels = [reduced(error.as_mean, domain) for error in errors]
        relative = sum(error / kernel**2 for error, kernel in zip(errors, kernels, strict=True))
        yield Bound(-side * relative * sympy.Mul(*kernels) / 2, NO_VARIANCE_BELOW_ZERO)


def _near_the_kernel(mean: OfLaw, side: int) -> list[Bound]:
    """How far above or below the kernel a mean may be, of waves of rows of length sqrt(d); nothing of others.

    It is no kernel and has a closed form, so that its rows, of uniform directions, have this length.
    """
    if not (mean.is_of_difference and is_unbiased(mean.feature)):
        return []
    d, _, _, z, _ = mean.numbers
    far = side * sympy.sqrt(2 / d) * z
    return [Bound(sympy.exp(-(z**2) / 2) + far, NEAR_THE_KERNEL, (JENSEN,))]


# ---- exponential moments -------------------------------------------------------------------------------


def _below_a_moment(law: OfLaw) -> Iterator[Bound]:
    yield Bound(sympy.exp(law.numbers[4] * law.as_mean), JENSEN, (JENSEN,))


def _above_a_moment(law: OfLaw, moments: tuple[OfLaw, ...], domain: Domain) -> Iterator[Bound]:
    _, m, _, _, t = law.numbers
    mean = law.as_mean
    yield from _with_independent_rows(law, moments, domain)
    width, independent = _width_of_a_row(law, domain), has_independent_rows(law)
    rate = SUB_GAUSSIAN.get(law.words[1]) if law.words[3] == "gaussian" and law.is_unbiased else None
    if rate is not None and independent and gaussian_exponent_holds(Fraction(1)):
        yield Bound(sympy.exp(t * mean + t**2 / (4 * rate * m)), GAUSSIAN_WAVES)
    if width is not None and independent:
        yield Bound(sympy.exp(t * mean + t**2 * width**2 / (8 * m)), HOEFFDING_LEMMA, (HOEFFDING_LEMMA,))
    falls, features_above_zero = at_least_zero(negated(sign(t, domain))), is_positive_map(law, domain)
    if falls and features_above_zero:
        yield Bound(S.One, IN_BETWEEN, strict=sign(t, domain) == "negative")
    if independent and falls and features_above_zero:
        second = m * law.as_mse + mean**2  # E Z^2 of one row, or more
        yield Bound(sympy.exp(t * mean + t**2 * second / (2 * m)), POSITIVE_FEATURES)


def _with_independent_rows(law: OfLaw, moments: tuple[OfLaw, ...], domain: Domain) -> Iterator[Bound]:
    """The same with independent rows, for t >= 0, of orthogonal blocks with independent norms, or norms sqrt(d)."""
    coupling = law.coupling
    if not at_least_zero(sign(law.numbers[4], domain)) or coupling.pairs_unknown:
        return
    if has_independent_rows(law) or set(pairs_of_block(coupling)) - {
        (S.Zero, "independent"),
        (S.Zero, "fixed"),
    }:
        return
    if not has_rising_powers(law, domain) or not (done := established(ORTHOGONAL_TILTS)).holds:
        return
    named = {one.args[2] for one in moments}
    rows = named | ({Declared.of("coupling", "iid")} if coupling.norms != "fixed" else set())
    for one in sorted(rows, key=str):
        independent = OfLaw(*law.args[:2], one, *law.args[3:])
        if one.meant.norms == coupling.norms and has_independent_rows(independent):
            because = f"orthogonal rows have no larger exponential moments (derivation {ORTHOGONAL_TILTS})"
            yield Bound(independent, because, done.assumes)


def _by_moments(tail: OfLaw, moments: tuple[OfLaw, ...], domain: Domain) -> Iterator[Bound]:
    """Chernoff's inequality for a tail of errors of one sign, with each t at which an exponential moment is named."""
    if len(tail.sides) > 1:
        return
    (side,), eps = tail.sides, tail.numbers[4]
    kernel = tail.as_mean
    for one in sorted((one for one in moments if one.args[1] == tail.args[1]), key=str):
        t = one.numbers[4]
        own = OfLaw(Str("mgf"), *tail.args[1:8], t, tail.args[9])
        if tail.is_unbiased and at_least_zero(sign(side * t, domain)):
            require_law(own, 1, domain)
            level = reduced(kernel, domain) + side * eps
            yield Bound(sympy.exp(-t * level) * own, CHERNOFF, (CHERNOFF,))


# ---- tails -------------------------------------------------------------------------------------------


def _exists(tail: OfLaw, domain: Domain) -> bool:
    """Whether it is a probability of an error of some size at all points of the domain."""
    require_law(tail, 1, domain)
    eps = tail.numbers[4]
    above = any(isinstance(r, STRICT) and r.gts - r.lts == eps for r in domain.relations)
    return above or sign(eps, domain) == "positive" or values_within(eps, domain.spans).positive


def _above_a_tail(tail: OfLaw, domain: Domain) -> Iterator[Bound]:
    _, m, _, _, eps = tail.numbers
    width, independent, sides = _width_of_a_row(tail, domain), has_independent_rows(tail), len(tail.sides)
    yield Bound(S.One, PROBABILITY)
    # Before Chebyshev's: where these do not serve, that is seen sooner.
    if width is not None and independent:
        yield Bound(sides * sympy.exp(-2 * m * eps**2 / width**2), HOEFFDING, (HOEFFDING,))
    if width is not None and sign(eps - width, domain) == "positive":  # the kernel, as the mean, lies in it
        yield Bound(S.Zero, PROBABILITY)
    rate = SUB_GAUSSIAN.get(tail.words[1]) if tail.words[3] == "gaussian" and tail.is_unbiased else None
    if rate is not None and independent and gaussian_exponent_holds(Fraction(1)):
        yield Bound(sides * sympy.exp(-rate * m * eps**2), GAUSSIAN_WAVES, (CHERNOFF,))
    if sides == 1:
        yield from _above_one_side(tail, independent, domain)
    yield Bound(tail.as_mse / eps**2, CHEBYSHEV, (CHEBYSHEV,))
    if width is not None and independent:
        spread = 2 * m * tail.as_mse + 2 * width * eps / 3  # of one row: the variance, and the largest error
        yield Bound(sides * sympy.exp(-m * eps**2 / spread), BERNSTEIN, (BERNSTEIN,))


def _above_one_side(tail: OfLaw, independent: bool, domain: Domain) -> Iterator[Bound]:
    """Bounds of errors of one sign."""
    _, m, _, _, eps = tail.numbers
    yield Bound(tail.both_sides, ONE_OF_BOTH)
    if tail.is_unbiased:
        yield Bound(tail.as_mse / (tail.as_mse + eps**2), CANTELLI, (CANTELLI,))
        yield from _by_ends(tail, domain)
    if tail.sides == (1,):
        yield from _by_legendre(tail, domain)
    elif tail.is_unbiased and is_positive_map(tail, domain):
        kernel = tail.as_mean
        if uncited(sympy.GreaterThan(eps, reduced(kernel, domain), evaluate=False), domain) is not None:
            yield Bound(S.Zero, ABOVE_ZERO)
        if independent:
            second = m * tail.as_mse + kernel**2  # E Z^2 of one row
            yield Bound(sympy.exp(-m * eps**2 / (2 * second)), POSITIVE_FEATURES, (CHERNOFF,))


def _by_ends(tail: OfLaw, domain: Domain) -> Iterator[Bound]:
    """0 beyond the end of the range on this side, and Markov's inequality for the distance from the other end."""
    try:
        ends = ends_of_a_row(tail, domain)
    except NotKnown:
        return
    kernel, eps, (side,) = tail.as_mean, tail.numbers[4], tail.sides
    near, far = ends[::-side]
    further = sympy.StrictGreaterThan(eps, reduced(side * (near - kernel), domain), evaluate=False)
    if near.is_finite is not False and uncited(further, domain) is not None:
        yield Bound(S.Zero, PROBABILITY)
    if far.is_finite is not False:
        room = side * (kernel - far)
        yield Bound(room / (room + eps), MARKOV, (MARKOV,))


def _by_legendre(tail: OfLaw, domain: Domain) -> Iterator[Bound]:
    """Chernoff's bound of GERF with A < 0 and s = 1, for independent rows and for orthogonal blocks.

    It is never reached: 1(Z >= a) = exp(theta (Z - a)) at Z = a alone, and the law of Z is continuous.
    """
    d, m, v, z, eps = tail.numbers
    A, s = (tail.parameters.get(name, default) for name, default in (("A", S.Zero), ("s", S.One)))
    if tail.words[1] != "gerf" or tail.words[3] != "gaussian" or s != 1 or sign(A, domain) != "negative":
        return
    done = established(ORTHOGONAL_TILTS) if tail.words[2] == "orthogonal" else None
    if done is None and tail.words[2] != "iid":
        return
    if done is not None and not done.holds:
        return
    because = CHERNOFF if done is None else f"{CHERNOFF} (derivation {ORTHOGONAL_TILTS})"
    at = {"d": d, "A": A, "v": v, "z": z, "eps": eps}
    cited = (CHERNOFF, *(done.assumes if done is not None else ()))
    yield Bound(FormulaOf.of("chernoff_bound", **at, m=m), because, cited, strict=True)
    yield Bound(sympy.exp(-m * FormulaOf.of("gerf_legendre", **at)), because, cited, strict=True)


def _width_of_a_row(tail: OfLaw, domain: Domain) -> sympy.Expr | None:
    """The width of an interval in which the unbiased estimate of one row lies; None if there is none that is known."""
    if not tail.is_unbiased:
        return None
    try:
        low, high = interval_of_a_row(tail, domain)
    except NotKnown:
        return None
    return high - low


# ---- least variance ----------------------------------------------------------------------------------

ERRORS = ("mse", "variance", "relative_mse")
"""Quantities that are the second moment of a row over m, with a positive factor, and what does not depend on it."""

LEAST = {"oprf": ("gerf", "A", "chefs.thm3.3")}
"""Maps with a parameter of least variance: the map of any value of it, the parameter, and the derivation."""


def _with_the_best(part: sympy.Basic, domain: Domain) -> sympy.Basic:
    """The relation with a map of least variance named, where the general map has the parameter that it takes.

    Examples
    --------
    >>> from rftheory.statement.words import d, gerf, iid, m, mse, v
    >>> A, u = sympy.Symbol("A", real=True), 2 * v**2 + d
    >>> claims = [
    ...     mse(gerf(iid, m=m, A=t * (2 * d - u - sympy.sqrt(u**2 + 8 * d * v**2)) / d)) <= mse(gerf(iid, m=m, A=A))
    ...     for t in (sympy.Rational(1, 16), sympy.Rational(1, 8))
    ... ]
    >>> domains = [Domain.of(claim, (A < sympy.Rational(1, 8),)) for claim in claims]
    >>> [_with_the_best(c.parts[0], over) != c.parts[0] for c, over in zip(claims, domains, strict=True)]
    [True, False]
    """
    named = {}
    for law, (best, (general, parameter, _)) in product(part.atoms(OfLaw), LEAST.items()):
        value = law.parameters.get(parameter, S.Zero)
        if law.words[:2] in product(ERRORS, (general,)) and len(law.parameters) == 1 and value.args:
            one = OfLaw(law.args[0], Declared.of("feature map", best), *law.args[2:9], sympy.Tuple())
            if by_identity(sympy.Eq(law, one, evaluate=False), domain) is not None:
                named[law] = one
    return part.xreplace(named)


def _shapes_in(part: sympy.Basic, domain: Domain) -> tuple[sympy.Expr, ...]:
    """Real values of such parameters that a relation names, and 0, at which the map is that of positive features."""
    named = {parameter: general for general, parameter, _ in LEAST.values()}
    values = (
        value for law in part.atoms(OfLaw) for name, value in law.parameters.items()
        if named.get(name) == law.words[1] and law.parameters.get("s", 1) == 1 and is_real(value, domain)
    )  # fmt: skip
    return tuple(dict.fromkeys((*sorted(values, key=str), S.Zero)))


def _above_the_least(law: OfLaw, shapes: Iterable[sympy.Expr], domain: Domain) -> Iterator[Bound]:
    general, parameter, derivation = LEAST[law.words[1]]
    unknown = sympy.Dummy(parameter, real=True)
    wider = domain.with_span(unknown, Span(-sympy.oo, sympy.Rational(1, 8), high_open=True))
    if not law.is_unbiased or law_reduced(_at(law, general, parameter, unknown, "gap"), wider).has(unknown):
        return  # what the coupling saves depends on it, as with shared norms
    done = established(derivation)
    if not done.holds:
        return
    because = f"{law.words[1]} has the least variance of all real {parameter} (derivation {derivation})"
    for value in shapes:
        strict = value == 0 and sign(law.numbers[2], domain) == "positive"  # the best A is negative there
        yield Bound(_at(law, general, parameter, value), because, done.assumes, strict)


def _at(law: OfLaw, general: str, parameter: str, value: sympy.Expr, name: str = "") -> OfLaw:
    """The same quantity of the map with that value of the parameter."""
    _, coupling, kernel, *numbers, _ = law.args[1:]
    given = sympy.Tuple(sympy.Tuple(Str(parameter), value)) if value != 0 else sympy.Tuple()
    feature = Declared.of("feature map", general if value != 0 else "positive")
    return OfLaw(Str(name or law.words[0]), feature, coupling, kernel, *numbers, given)


# ---- correlations -------------------------------------------------------------------------------------


def by_correlation(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality with covariances for any correlations from -1 to 1, which times both roots they are.

    The roots are those of variances if there are some, and else of mean squared errors, which are no smaller.

    Examples
    --------
    >>> from rftheory.statement.words import covariance, m, mse, orthogonal, positive, v, z
    >>> M, u = positive(orthogonal, m=m), sympy.Symbol("u", positive=True)
    >>> both = mse(M) * mse(M).at(v=u)
    >>> claims = [n * covariance(M, v=u, z=z, cosine=1) ** 2 <= both for n in (1, 2)]
    >>> [by_correlation(claim.parts[0], Domain.of(claim, ())) is not None for claim in claims]
    [True, False]
    """
    if not isinstance(part, ORDERINGS) or not is_pointwise(part):
        return None
    difference, roots, correlations = part.gts - part.lts, dict[OfLaw, sympy.Symbol](), list[sympy.Symbol]()
    name = Str("variance" if any(law.words[0] == "variance" for law in part.atoms(OfLaw)) else "mse")
    for law in sorted((law for law in part.atoms(OfLaw) if law.other), key=str):
        require_law(law, 2, domain)
        errors = [OfLaw(name, *error.args[1:]) for error in (law.as_mse, law.of_other_pair)]
        for error in errors:
            roots.setdefault(error, sympy.Dummy("error", nonnegative=True))
        correlations.append(sympy.Dummy("correlation", real=True))
        size = sympy.Mul(correlations[-1], *(roots[error] for error in errors))
        difference = difference.xreplace({law: size})
    if not roots or len(correlations) > MOST:
        return None
    for symbol in (*roots.values(), *correlations):
        span = Span(S.NegativeOne, S.One) if symbol in correlations else Span(S.Zero, S.Infinity)
        domain = domain.with_span(symbol, span)
    squared = reduced(difference.xreplace({error: root**2 for error, root in roots.items()}), domain)
    linear = [c for c in correlations if factor_in(sympy.expand(squared), c) is not None]  # least at an end
    found: Proof | None = None
    for ends in product((S.NegativeOne, S.One), repeat=len(linear)):
        at_ends = squared.xreplace(dict(zip(linear, ends, strict=True)))
        one = proved(above_zero(at_ends, isinstance(part, STRICT)), domain)
        if one is None:
            return None
        found = one.resting_on(found or one, says=one.says)
    return found and replace(found, kind=Kind.CERTIFIED, says=f"{CORRELATION}; then {found.says}")


# ---- independent rows in place of coupled ones ----------------------------------------------------------


def by_gain(part: sympy.Basic, domain: Domain) -> Proof | None:
    """Prove an inequality with independent rows in the place of coupled ones that are proved to err no more.

    Examples
    --------
    >>> from rftheory.statement.words import exp, m, mse, orthogonal, positive, v, z
    >>> claim = mse(positive(orthogonal, m=m)) <= exp(-(z**2)) / 9
    >>> found = [by_gain(claim.parts[0], Domain.of(claim, (m >= n * exp(v**2),))) for n in (9, 8)]
    >>> found[0].kind.value, found[1]
    ('certified', None)
    """
    if not isinstance(part, ORDERINGS) or not is_pointwise(part):
        return None
    for law in sorted((law for law in part.atoms(OfLaw) if law.words[0] in ERRORS), key=str):
        slope, cited = _slope_in(part.gts - part.lts, law, domain)
        ways = (_of_one_row, _of_independent) if slope in ("negative", "nonpositive") else ()
        for bound in (found for way in ways if (found := way(law, domain)) is not None):
            than = part.func if not bound.strict or slope != "negative" else WEAK.get(part.func, part.func)
            sides = (side.xreplace({law: bound.value}) for side in part.args)
            rest = proved(than(*sides, evaluate=False), domain)
            if rest is not None:
                return _resting_on((bound.citing(cited),), rest)
    return None


MEAN_OF_ROWS = "the variance of a mean of equal laws is at most theirs, and less if two of them are not equal"


def _of_one_row(law: OfLaw, domain: Domain) -> Bound | None:
    """The same error of one row: the standard deviation of a sum is at most the sum of theirs.

    It is less unless all rows give the same estimate. Two rows with independent norms do so only if it is the same at
    all norms, in almost all directions, and so is what it is at 0.
    """
    m = law.numbers[1]
    if m == 1 or not law.coupling.marginal:
        return None
    require_law(law, 2, domain)
    one = OfLaw(*law.args[:5], S.One, *law.args[6:])
    apart = at_least_zero(sign(m - 2, domain)) and law.is_unbiased and _are_apart(law)
    varies = apart and proved(above_zero(one, strict=True), domain)
    return Bound(one, MEAN_OF_ROWS, varies.assumes if varies else (), strict=bool(varies))


def _are_apart(law: OfLaw) -> bool:
    """Whether any two rows are independent, or have independent norms."""
    if law.coupling.pairs_unknown:
        return False
    return all(norms == "independent" for _, norms in pairs_of_block(law.coupling))


def _of_independent(law: OfLaw, domain: Domain) -> Bound | None:
    """The same error with independent rows, if it is proved to be at least as large."""
    if law.words[2] == "iid" or not law.is_unbiased:
        return None
    gap = OfLaw(Str("gap"), *law.args[1:])
    gain = proved(above_zero(gap, strict=False), domain)
    if gain is None:
        return None
    independent = OfLaw(*law.args[:2], Declared.of("coupling", "iid"), *law.args[3:])
    because = f"rows of {law.words[2]} err no more than independent ones ({gain.says})"
    return Bound(independent, because, gain.assumes)
