"""RF-conformity of a pair of projections: iid, any fixed angle, orthogonal, simplex; and densities of |w_i + w_j|.

The RF-conformity (Reid et al. 2023, Def. 3.1) of two projections with independent chi_d norms is
E f(|w_i + w_j|, v) with f(w, v) = 0F1(; d/2; v^2 w^2/4), the mean of exp over the sphere of radius v w.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import sympy
from flint import acb, arb, ctx, fmpq
from sympy import Integral, Rational, Sum, cos, exp, factorial, gamma, hyper, log, oo, pi, sin, sqrt

from rftheory.errors import NotCertified
from rftheory.exact.enclosure import certified_integral, certified_sum, rational_ball, widen
from rftheory.exact.formula import DIGITS_OF_INTEGRALS, Formula, Route, logarithms, register
from rftheory.exact.kummer import kummer, kummer_ladder
from rftheory.exact.special import (
    chi_moments,
    falling_average,
    joint_moment,
    mean_cosine_gaps,
    mean_sine_powers,
    simplex_average,
)
from rftheory.exact.symbols import (
    COSINE,
    DIMENSION,
    PAIR_DIMENSION,
    RESULTANT_NORM,
    SUM_NORM,
    c,
    d,
    k,
    p,
    phi,
    v,
    w,
)
from rftheory.exact.top_average import mean_sine

SIMPLEX_COSINE = -1 / (d - 1)
"""Cosine of the angle between two vertices of the simplex of a block of d projections (Sec. 3)."""


def _weakly_coupled(values: Mapping[str, sympy.Expr]) -> bool:
    """Where the moment expansion is cheap: its cost grows with |c| v^2, c the cosine of the angle."""
    cosine = values["c"] if "c" in values else 1 / (values["d"] - 1)
    return bool(values["v"] <= 3 and abs(cosine) * values["v"] ** 2 <= 1)


def within(**limits: str | int) -> Callable[[Mapping[str, sympy.Expr]], bool]:
    """A test that the named variables do not exceed the given limits: where a slow route is worth running.

    Examples
    --------
    >>> cheap = within(v="5/2", d=64)
    >>> cheap({"v": Rational(2), "d": Rational(64)}), cheap({"v": Rational(3), "d": Rational(64)})
    (True, False)
    """
    bounds = {name: Rational(limit) for name, limit in limits.items()}
    return lambda values: all(values[name] <= bound for name, bound in bounds.items())


# ---- densities and the zonal mean ------------------------------------------------------------------

zonal_mean = register(Formula(name="zonal_mean",
    says="f(w, v): mean of exp(w_ij.v) over the directions of w_ij, at |w_ij| = w",
    source="simplex.def3.1, simplex.fig5", variables=(DIMENSION, SUM_NORM, RESULTANT_NORM),
    expression=hyper((), (d / 2,), v**2 * w**2 / 4),
    routes=(
        Route("series (33)",
            gamma(d / 2)
                * Sum(v ** (2 * k) * w ** (2 * k) / (2 ** (2 * k) * factorial(k) * gamma(k + d / 2)), (k, 0, oo)),
            "the printed series"),
        Route("polar integral", lambda d, v, w: _polar_average(d, v * w),
            "average of exp(v w cos t) with weight sin^(d-2) t over the sphere, d >= 2",
            lambda values: bool(values["d"] >= 2)))))  # fmt: skip


def _polar_average(d: int, t: arb) -> arb:
    def weighted(a: acb, _: bool) -> acb:
        return (t * a.cos()).exp() * a.sin() ** (d - 2)

    def weight(a: acb, _: bool) -> acb:
        return a.sin() ** (d - 2)

    return certified_integral(weighted, 0, arb.pi()) / certified_integral(weight, 0, arb.pi())


iid_pair_density = register(Formula(name="iid_pair_density",
    says="density of |w_i + w_j| for independent projections", source="simplex.lem4.1 (18)",
    variables=(DIMENSION, RESULTANT_NORM), expression=w ** (d - 1) * exp(-(w**2) / 4) / (2 ** (d - 1) * gamma(d / 2)),
    routes=(
        Route("one axis apart", lambda d, w: _iid_density_by_axis(d, w),
            "the first coordinate of w_i + w_j is normal of variance 2, the rest has the density in d - 1",
            lambda values: bool(2 <= values["d"] <= 200 and values["w"] <= 50)),  # beyond, it takes minutes
        Route("log gamma", lambda d, w: ((d - 1) * (w / 2).log() - w * w / 4 - (arb(d) / 2).lgamma()).exp(),
            "in the log domain", lambda values: bool(values["w"] > 0)),
        Route("moments of chi", lambda d, w: _iid_density_by_moments(d, w),
            "normalised by E r^(d-1) of one coordinate in place of Gamma(d/2)"))))  # fmt: skip


def _iid_density_by_axis(d: int, w: arb) -> arb:
    """w^(d-1) times an integral over the angle between w_i + w_j and the first axis; d >= 2."""
    scale = 2 * arb.pi().sqrt() * arb(2) ** (d - 2) * (arb(d - 1) / 2).gamma()

    def integrand(t: acb, _: bool) -> acb:
        across, along = w * t.cos(), w * t.sin()
        return (-along * along / 4).exp() * t.cos() ** (d - 2) * (-across * across / 4).exp()

    return 2 * w ** (d - 1) * certified_integral(integrand, 0, arb.pi() / 2) / scale


def _iid_density_by_moments(d: int, w: arb) -> arb:
    """The radial density is w^(d-1) e^(-w^2/4) over its integral sqrt(pi) 2^((d-1)/2) E|g|^(d-1), g normal."""
    moment = chi_moments(1, d)[d - 1]
    return w ** (d - 1) * (-w * w / 4).exp() / (moment * arb.pi().sqrt() * arb(2).sqrt() ** (d - 1))


angle_pair_density = register(Formula(name="angle_pair_density",
    says="density of |w_i + w_j| for a pair at the fixed angle of cosine c", source="simplex.lem4.2 (20)",
    variables=(PAIR_DIMENSION, RESULTANT_NORM, COSINE),
    expression=w ** (2 * d - 1) / (2 ** (d - 2) * gamma(d / 2) ** 2)
        * Integral(
        (sin(phi) * cos(phi)) ** (d - 1) * exp(-(w**2) / (2 * (1 + sin(2 * phi) * c))) / (1 + sin(2 * phi) * c) ** d,
        (phi, 0, pi / 2)),
    routes=(
        Route("scaled integral", lambda d, w, c: _density_by_scaled_integral(d, w, c),
            "(20) about phi = pi/4, divided by the largest value of the integrand, the singular end cut by hand"),
        Route("law of sines", lambda d, w, c: _density_by_sines(d, w, c),
            "the two norms from the angle that w_i makes with w_i + w_j; their sum, difference at c = 1, -1",
            lambda values: _moderate_density(values)),
        Route("Laguerre series", lambda d, w, c: _density_by_laguerre(d, w, c),
            "generating function of the Laguerre polynomials, in powers of -c E sin(2 phi)^n",
            lambda values: bool(
                # the balls of the recurrence widen by up to log2(3) bits a term, which a smaller |c| outweighs
                abs(values["c"]) <= Rational(1, 4) and values["w"] <= 120))),
    fast="scaled integral",
    practical=lambda values: _moderate_density(values) and values["c"] >= Rational(-9, 10)))  # fmt: skip


def _moderate_density(values: Mapping[str, sympy.Expr]) -> bool:
    return bool(values["d"] <= 64 and values["w"] <= 30)


def _density_by_scaled_integral(d: int, w: arb, c: arb) -> arb:
    """(20) with phi = pi/4 + psi: twice the integral over psi in (0, pi/4), where y = cos(2 psi) = sin(2 phi).

    With g = 1 + c y the integrand is (y/2)^(d-1) exp(-x/g) g^(-d), x = w^2/2. At c = -1 it has an essential singularity
    at psi = 0; while g <= x/d it decreases towards it, so a piece [0, eps] adds at most eps times the value there.
    """
    logs = -2 * (arb(d) / 2).lgamma() - (2 * d - 4) * arb(2).log()
    if w.is_zero():  # two norms may be equal; else the power of w decides
        if (c + 1).is_zero():
            return (logs + (arb(d) - arb(1) / 2).lgamma()).exp() * arb(2) ** (d - 2)
        return arb.nan() if (c + 1).contains(0) else arb(0)
    x = w * w / 2
    top, gap = _density_peak(d, x, c)
    # either is right: the integral from 0 is the whole one
    start, rest = _density_cut(d, x, c, top, gap) if c < 0 else (arb(0), arb(0))

    def integrand(psi: acb, _: bool) -> acb:
        turn = 2 * psi.sin() ** 2
        g = 1 + c - c * turn
        return ((1 - turn) / top) ** (d - 1) * (gap / g) ** d * (x / gap - x / g).exp()

    value = certified_integral(integrand, start, arb.pi() / 4) + arb(0).union(rest.upper())
    logs += (d - 1) * top.log() - d * gap.log() - x / gap + (2 * d - 1) * w.log()
    return value * logs.exp()


def _density_peak(d: int, x: arb, c: arb) -> tuple[arb, arb]:
    """About where y^(d-1) exp(-x/g) g^(-d), g = 1 + c y, is largest on (0, 1], and g there: it only sets the scale."""
    a, size = float(x.mid()), -float(c.mid())
    if size > 0:
        root = math.sqrt(d * d + 2 * a * (d - 2) + a * a)
        gap = (a + a * (2 * (d - 2) + a) / (root + d)) / (d - 2 + a + root)
        if arb(gap) > 1 + c:
            return (1 - arb(gap)) / -c, arb(gap)
    return arb(1), 1 + c


def _density_cut(d: int, x: arb, c: arb, top: arb, gap: arb) -> tuple[arb, arb]:
    """An end piece [0, eps] on which the scaled integrand is negligible, and a bound of its integral."""
    floor = -(ctx.prec + 32) * arb(2).log()
    eps = arb(1) / 2
    while True:
        g = 1 + c - 2 * c * eps.sin() ** 2
        height = x / gap - x / g + d * (gap / g).log() - (d - 1) * top.log()
        if g * d <= x and height <= floor:
            return eps, height.exp() * eps
        if not g > 2 * (1 + c) or not g * x > arb(2) ** (-4 * ctx.prec):
            return arb(0), arb(0)
        eps = eps / 2


def _chi_pair_scale(d: int) -> arb:
    """Square of the normalisation of the chi density r^(d-1) exp(-r^2/2)."""
    return arb(2) ** (d - 2) * (arb(d) / 2).gamma() ** 2


def _density_by_sines(d: int, w: arb, c: arb) -> arb:
    """The triangle of sides r_i, r_j, w has r_i = w sin(theta - psi)/sin(theta), r_j = w sin(psi)/sin(theta).

    The Jacobian of (w, psi) -> (r_i, r_j) is w/sin(theta). At theta = 0 and pi it degenerates to w = r_i + r_j and
    w = |r_i - r_j|. Sides that are multiples of w are measured by it: the integral of a tiny number would take as many
    bits as it has zeros.
    """

    def both(r: acb, s: acb | arb, unit: arb | int = 1) -> acb:
        return (r * s) ** (d - 1) * (-unit * unit * (r * r + s * s) / 2).exp()

    scale = w ** (2 * d - 1) / _chi_pair_scale(d)
    if (1 - c).is_zero():
        return scale * certified_integral(lambda r, _: both(r, 1 - r, w), 0, 1)
    if (1 + c).is_zero():
        end = arb(d).sqrt() + 4
        while not both(acb(end), end + w).real < arb(2) ** (-ctx.prec - 16):
            end += 1  # beyond, the logarithm falls with slope 2 (d-1)/end - 2 end <= -1
        tail = arb(0).union(both(acb(end), end + w).real.upper())
        return 2 * (certified_integral(lambda r, _: both(r, r + w), 0, end) + tail) / _chi_pair_scale(d)
    theta, sine = c.acos(), (1 - c * c).sqrt()
    value = certified_integral(lambda psi, _: both((theta - psi).sin() / sine, psi.sin() / sine, w), 0, theta)
    return scale * value / sine


def _density_by_laguerre(d: int, w: arb, c: arb) -> arb:
    """The density at c = 0 times sum_n L_n^(d-1)(x) (-c)^n E s^n, x = w^2/2, s = sin(2 phi).

    |L_n^(d-1)(x)| <= e^(x/2) binom(n+d-1, n) and E s^n <= 1 bound the tail, whose ratio |c| (n+d)/(n+1) decreases.
    """
    x = w * w / 2
    before, now = arb(0), arb(1)
    sines = [arb(1), mean_sine(d)]
    total, power, bound, n = arb(0), arb(1), (x / 2).exp(), 0
    small = arb(2) ** (-ctx.prec) * (-x / 2).exp()
    while True:
        total += power * now * sines[n % 2]
        before, now = now, ((2 * n + d - x) * now - (n + d - 1) * before) / (n + 1)
        sines[n % 2] *= arb(d + n) / (d + n + 1)
        bound = (bound * abs(c) * (n + d) / (n + 1)).upper()
        power, n = -power * c, n + 1
        ratio = (abs(c) * (n + d) / (n + 1)).upper()
        if ratio < 1 and bound / (1 - ratio) < small:
            break
    total += widen((bound / (1 - ratio)).upper())
    return w ** (2 * d - 1) * (-x).exp() / (arb(2) ** (d - 1) * arb(d).gamma()) * total


orf_pair_density = register(Formula(name="orf_pair_density",
    says="density of |w_i + w_j| for orthogonal projections: chi with 2d degrees of freedom",
    source="simplex.s4.chi2d (58)", variables=(PAIR_DIMENSION, RESULTANT_NORM),
    expression=w ** (2 * d - 1) * exp(-(w**2) / 2) / (2 ** (d - 1) * gamma(d)),
    routes=(
        Route("fixed angle (20)", angle_pair_density.expression.subs(c, 0), "the density (20) at cos(theta) = 0",
            within(d=200, w=60)),
        Route("log gamma", lambda d,
            w: ((2 * d - 1) * w.log() - w * w / 2 - (d - 1) * arb(2).log() - arb(d).lgamma()).exp(),
            "in the log domain", lambda values: bool(values["w"] > 0)),
        Route("right triangle", lambda d, w: _density_by_sines(d, w, arb(0)), "the law of sines at theta = pi/2",
            within(d=200, w=60)))))  # fmt: skip


# ---- conformities ----------------------------------------------------------------------------------


def _mean_over_density(
    density: Callable[[acb], acb],
    log_density: Callable[[arb], arb],
    slope: Callable[[arb], arb],
    d: int,
    v: arb,
) -> arb:
    """Integral of density(w) 0F1(; d/2; v^2 w^2/4) over w > 0; the tail is bounded through f(w, v) <= exp(v w).

    ``slope(w)`` bounds the derivative of log(density(w) exp(v w)) on [w, oo); beyond the first T where it is at
    most -1, the tail is at most the integrand at T.
    """
    end = arb(8)
    floor = -(ctx.prec + 16) * arb(2).log()
    while not (slope(end) <= -1 and log_density(end) + v * end <= floor):
        end = end * arb("1.25")

    def integrand(u: acb, _: bool) -> acb:
        return density(u) * (u * u * (v * v / 4)).hypgeom([], [acb(d) / 2])

    tail = (log_density(end) + v * end).exp().upper()
    return certified_integral(integrand, 0, end) + arb(0).union(tail)


def _iid_by_density(d: int, v: arb) -> arb:
    scale = arb(2) ** (d - 1) * (arb(d) / 2).gamma()
    return _mean_over_density(
        density=lambda u: u ** (d - 1) * (-u * u / 4).exp() / scale,
        log_density=lambda u: (d - 1) * u.log() - u * u / 4 - scale.log(),
        slope=lambda u: (d - 1) / u - u / 2 + v,
        d=d,
        v=v,
    )


def _orf_by_density(d: int, v: arb) -> arb:
    scale = arb(2) ** (d - 1) * arb(d).gamma()
    return _mean_over_density(
        density=lambda u: u ** (2 * d - 1) * (-u * u / 2).exp() / scale,
        log_density=lambda u: (2 * d - 1) * u.log() - u * u / 2 - scale.log(),
        slope=lambda u: (2 * d - 1) / u - u + v,
        d=d,
        v=v,
    )


def orf_conformity_ball(d: int, v: arb | fmpq) -> arb:
    """Conformity of an orthogonal pair: e^z 1F1(-d/2; d/2; -z), z = v^2/2.

    Examples
    --------
    >>> orf_conformity_ball(2, arb(2)).overlaps(3 * arb(2).exp())
    True
    """
    z = v * v / 2
    if isinstance(z, fmpq) or z.rel_accuracy_bits() > THIN_BITS:
        return kummer(d, z, 0)
    return z.exp() * (-z).hypgeom_1f1(arb(-d) / 2, arb(d) / 2)


THIN_BITS = 40
"""A ball of this relative accuracy counts as a number, not as a range over which bounds are wanted."""


def simrf_conformity_ball(d: int, v: arb | fmpq) -> arb:
    """Conformity of a pair of simplex projections: :func:`angle_conformity_ball` at the cosine -1/(d-1).

    Examples
    --------
    >>> simrf_conformity_ball(8, arb(2)).overlaps(angle_conformity_ball(8, arb(2), simplex_cosine(8)))
    True
    """
    return simplex_average(d, v * v / 2)


def angle_conformity_ball(d: int, v: arb, c: arb) -> arb:
    """Conformity of a pair at the fixed angle of cosine ``c``, by a series in which no term cancels.

    rho = E F(z (1 + c s)) with F = 1F1(d; d/2; .), z = v^2/2 and s = sin(2 phi) as in ``special.mean_sine_powers``.
    For c >= 0 it is expanded about z, for c < 0 about z (1 + c), where all terms are positive.

    Examples
    --------
    >>> angle_conformity_ball(8, arb(2), arb(0)).overlaps(orf_conformity_ball(8, arb(2)))
    True
    >>> bool(angle_conformity_ball(8, arb(2), simplex_cosine(8)) < orf_conformity_ball(8, arb(2)))
    True
    """
    z = v * v / 2
    if c <= 0:
        return falling_average(d, z * (1 + c), -c * z)
    # either is right: both sum the same expansion
    return _angle_about_peak(d, z, c * z) if c * z >= LONG_LADDER else _angle_by_ladders(d, v, c)


LONG_LADDER = 32
"""Above this c v^2/2, c > 0, only the terms of the expansion around the largest one are summed."""


def _angle_about_peak(d: int, z: arb, step: arb) -> arb:
    """E F(z + step s) for large step > 0: the terms t_n = step^n/n! F^(n)(z) E s^n, n0 <= n < n1.

    As s <= 1 those below are together at most r^-n0 F(z + r step) for any r < 1, and those from n1 on for any r > 1.
    The derivatives are those of 1F1(d + n0; d/2 + n0; z), times (d)_n0/(d/2)_n0, by :func:`kummer_ladder`.
    """
    prec = ctx.prec
    (low, below), (high, above) = (_window_end(d, z, step, side) for side in (-1, 1))
    if high - low > MAX_LADDER:
        raise _too_many_terms(float(step))
    with ctx.workprec(prec + 2 * high.bit_length() + 32):
        a, b = arb(d) + low, arb(d) / 2 + low
        derivatives = kummer_ladder(a, b, z, high - low)
        scale = (a.lgamma() - arb(d).lgamma() - b.lgamma() + (arb(d) / 2).lgamma()).exp()
        scale *= (low * step.log() - (arb(low) + 1).lgamma()).exp()
        sines = [_mean_sine_power(d, low), _mean_sine_power(d, low + 1)]
        total, power = arb(0), arb(1)
        for n in range(low, high):
            own = (n - low) % 2
            total += power * derivatives[n - low] * sines[own]
            sines[own] *= arb(d + n) / (d + n + 1)
            power = power * step / (n + 1)
        return scale * total + arb(0).union((below + above).upper())


def _mean_sine_power(d: int, n: int) -> arb:
    """E s^n for the s of ``special.mean_sine_powers``."""
    pairs = ((fmpq(d + n, 2), fmpq(d + 1, 2)), (fmpq(d, 2), fmpq(d + 1 + n, 2)))
    top, bottom = (arb(p).lgamma() + arb(q).lgamma() for p, q in pairs)
    return (top - bottom).exp()


def _window_end(d: int, z: arb, step: arb, side: int) -> tuple[int, arb]:
    """An index beyond which, on this side, the terms are negligible together, and the bound of their sum."""
    prec, start = ctx.prec, kummer(d, z + step, 0).log()
    best, ratio = (0 if side < 0 else LAST_INDEX), None
    with ctx.workprec(96):
        goal = start - (prec + 24 + d.bit_length()) * arb(2).log()
        for j in range(-4, 40):
            r = 1 + side * arb(2) ** (arb(-j) / 2)
            if r > 0:
                needed = (kummer(d, z + r * step, 0).log() - goal) / r.log()
                if not 0 < needed < LAST_INDEX:
                    continue
                n = math.floor(float(needed)) if side < 0 else math.ceil(float(needed))
                if (n > best) if side < 0 else (n < best):
                    best, ratio = n, r
    if side > 0 and ratio is None:
        raise _too_many_terms(float(step))
    if ratio is None:
        return 0, arb(0)
    r = ratio.mid()
    return best, (kummer(d, z + r * step, 0).log() - best * r.log()).exp().upper()


def _angle_by_ladders(d: int, v: arb, c: arb) -> arb:
    """The same expansion term by term, from tables of the derivatives of F and of the moments."""
    if not c < 0 and not c >= 0:  # the two expansions are about different points
        return arb.nan()
    a, b, z = arb(d), arb(d) / 2, v * v / 2
    step = abs(c) * z
    count = _ladder_length(float(step.upper()), d)
    if c < 0:
        derivatives, moments = kummer_ladder(a, b, z * (1 + c), count), mean_cosine_gaps(d, count)
    else:
        derivatives, moments = kummer_ladder(a, b, z, count), mean_sine_powers(d, count)
    total, power = arb(0), arb(1)
    term = arb(0)
    for n in range(count):
        term = power * derivatives[n] * moments[n]
        total += term
        power = power * step / (n + 1)
    # F^(n+1)/F^(n) <= (a+n)/(b+n) and the moments decrease, so the terms beyond fall at least geometrically.
    ratio = (step * (a + count - 1) / ((b + count - 1) * count)).upper()
    return total + arb(0).union((term * ratio / (1 - ratio)).upper())


MAX_LADDER, LAST_INDEX = 200_000, 50_000_000
"""The most terms summed for an angle, and the largest index of a term."""


def _ladder_length(step: float, d: int) -> int:
    """Number of terms after which step^n/n! (d)_n/(d/2)_n has fallen below the working precision."""
    if not step <= MAX_LADDER / 4:
        raise _too_many_terms(step)
    goal, log_term, n = -(ctx.prec + 8) * math.log(2), 0.0, 0
    while True:
        ratio = step * (d + n) / ((d / 2 + n) * (n + 1))
        if n >= 2 and ratio < 0.5 and log_term < goal:
            return n + 1
        log_term += math.log(ratio) if ratio > 0 else -math.inf
        n += 1


def _too_many_terms(step: float) -> NotCertified:
    return NotCertified(
        "angle_conformity",
        wanted="a negligible tail",
        reached=f"|c| v^2/2 = {step:.3g} needs more than {MAX_LADDER} terms",
        hint="choose a smaller v",
    )


DIGITS_OF_EXPANSION = 3000
"""The most digits for which the moment expansion of a pair takes only seconds."""


def _angle_by_moments(d: int, v: arb, c: arb) -> arb:
    return joint_moment((1, 1), d, v * v, c)


def _double_sum(d: int, v: arb, c: arb) -> arb:
    """The literal double sum (24), for any cosine: sum over k, and inside a finite sum over p."""
    root_pi, half = arb.pi().sqrt(), arb(d) / 2
    scale = root_pi / (half.gamma() * arb(2) ** (d - 1))

    def terms() -> Iterator[arb]:
        gammas = [(arb(d) / 2).gamma() / (arb(d + 1) / 2).gamma()]
        outer = arb(d).gamma() / half.gamma()
        n = 0
        while True:
            inner = arb(0)
            for j in range(n + 1):
                inner += c**j * gammas[j] / (arb.fac_ui(n - j) * arb.fac_ui(j))
            yield scale * outer * inner
            outer = outer * (d + n) / (half + n) * v * v / 2
            n += 1
            gammas.append((arb(d + n) / 2).gamma() / (arb(d + n + 1) / 2).gamma())

    # inner(n) n! = E(1 + c s)^n up to a constant, and 0 <= 1 + c s <= 1 + |c|
    return certified_sum(
        terms(), lambda n: ((arb(d) + n) / (half + n) * v * v / 2 * (1 + abs(c)) / (n + 1)).upper()
    )


_zonal_sum = hyper((d,), (d / 2,), v**2 * (1 + c * sin(phi)) / 2)

iid_conformity = register(Formula(name="iid_conformity", says="RF-conformity of independent projections",
    source="simplex.lem4.1 (19)", variables=(DIMENSION, SUM_NORM), expression=exp(v**2),
    routes=(Route("series (53)", Sum(v ** (2 * k) / factorial(k), (k, 0, oo)), "termwise integrals of (53)"),
        Route("density (18)", _iid_by_density, "E f(w, v) over the density (18)", within(d=200, v=12),
            digits=DIGITS_OF_INTEGRALS))))  # fmt: skip

orf_conformity = register(Formula(name="orf_conformity", says="RF-conformity of orthogonal projections",
    source="simplex.thm4.3 (23)", variables=(PAIR_DIMENSION, SUM_NORM), expression=hyper((d,), (d / 2,), v**2 / 2),
    routes=(
        Route("kummer", orf_conformity_ball,
            "e^z 1F1(-d/2; d/2; -z), z = v^2/2; a finite sum for even d, by erf for odd d and large z",
            rational=True),
        Route("series (23)",
            gamma(d / 2) / gamma(d)
                * Sum(v ** (2 * k) / (2**k * factorial(k)) * gamma(k + d) / gamma(k + d / 2), (k, 0, oo)),
            "the printed series", within(v=40)),
        Route("density (58)", _orf_by_density, "E f(w, v) over the density (58)", within(d=200, v=12),
            digits=DIGITS_OF_INTEGRALS),
        Route("joint moments", lambda d, v: _angle_by_moments(d, v, arb(0)),
            "moments of the norms and of the Haar direction", within(v=6), digits=DIGITS_OF_EXPANSION)),
    fast="kummer"))  # fmt: skip

angle_conformity = register(Formula(name="angle_conformity",
    says="RF-conformity of a pair at the fixed angle of cosine c", source="simplex.eq21 (21)",
    variables=(PAIR_DIMENSION, SUM_NORM, COSINE),
    expression=gamma(d) / (2 ** (d - 1) * gamma(d / 2) ** 2)
        * Integral(sin(phi) ** (d - 1) * _zonal_sum, (phi, 0, pi)),
    routes=(Route("positive ladder", angle_conformity_ball, "expansion about z (1 + min(c, 0)) with positive terms"),
        Route("two ladders", _angle_by_ladders, "the same expansion from tables", within(v=12)),
        Route("double sum", _double_sum, "the sum (24) with c in place of -1/(d-1)", within(v=10)),
        Route("joint moments", _angle_by_moments, "moments of the norms and of the Haar direction", _weakly_coupled,
            digits=DIGITS_OF_EXPANSION)),
    fast="positive ladder", practical=within(v=4)))  # fmt: skip

simrf_conformity = register(Formula(name="simrf_conformity", says="RF-conformity of simplex projections",
    source="simplex.thm4.3 (24)", variables=(PAIR_DIMENSION, SUM_NORM),
    expression=angle_conformity.expression.subs(c, SIMPLEX_COSINE),
    routes=(Route("positive ladder", simrf_conformity_ball, "as for angle_conformity", rational=True),
        Route("double sum (24)", lambda d, v: _double_sum(d, v, simplex_cosine(d)), "the printed double sum",
            within(v=10)),
        Route("joint moments", lambda d, v: _angle_by_moments(d, v, simplex_cosine(d)),
            "moments of the norms and of the Haar direction", _weakly_coupled, digits=DIGITS_OF_EXPANSION)),
    fast="positive ladder", practical=within(v=4)))  # fmt: skip


log_orf_conformity = register(Formula(name="log_orf_conformity",
    says="logarithm of the RF-conformity of orthogonal projections", source="simplex.thm4.3 (23)",
    variables=(PAIR_DIMENSION, SUM_NORM), expression=log(orf_conformity.expression),
    routes=(
        Route("kummer", lambda d, v: orf_conformity_ball(d, v).log(), "z + log 1F1(-d/2; d/2; -z), z = v^2/2",
            rational=True),
        *logarithms(orf_conformity, "series (23)", "density (58)", "joint moments")),
    fast="kummer"))  # fmt: skip

log_simrf_conformity = register(Formula(name="log_simrf_conformity",
    says="logarithm of the RF-conformity of simplex projections", source="simplex.thm4.3 (24)",
    variables=(PAIR_DIMENSION, SUM_NORM), expression=log(simrf_conformity.expression), practical=within(v=4),
    routes=(
        Route("positive ladder", lambda d, v: simrf_conformity_ball(d, v).log(),
            "logarithm of a sum of positive terms", rational=True),
        *logarithms(simrf_conformity, "double sum (24)", "joint moments")),
    fast="positive ladder"))  # fmt: skip


def simplex_cosine(d: int) -> arb:
    """-1/(d-1) as a ball.

    Examples
    --------
    >>> float(simplex_cosine(5))
    -0.25
    """
    return rational_ball(Rational(-1, d - 1))


PRINTED_DOUBLE_SUM = (sqrt(pi) / (gamma(d / 2) * 2 ** (d - 1))
    * Sum(
    gamma(k + d) / gamma(k + d / 2) * v ** (2 * k) / 2**k
        * Sum((-1 / (d - 1)) ** p * gamma((d + p) / 2) / gamma((d + p + 1) / 2) / (factorial(k - p) * factorial(p)),
        (p, 0, k)),
    (k, 0, oo)))  # fmt: skip
"""Eq. (24) as printed, for derivations and LaTeX."""
