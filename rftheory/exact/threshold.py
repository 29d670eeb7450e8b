"""z_crit(d): where orthogonal random Fourier features stop being better than independent ones.

The trigonometric orthogonality gap (Reid et al. 2023, Thm 4.5) is (m-1)/m (e^(-z^2) - 1F1(d; d/2; -z^2/2)).
With x = z^2/2 its sign is that of 1 - Q(x), Q(x) = e^(2x) 1F1(d; d/2; -x) = e^x 1F1(-d/2; d/2; x). Q is
entire, solves x Q'' + (d/2 - 3x) Q' + 2x Q = 0, and |Q(x)| <= e^(2|x|), since |(-d/2)_k| <= (d/2)_k.

For z <= 1 the gap is positive: it is sum_{k>=2} (-z^2)^k/k! e_k with e_k = 1 - prod_{j<k} (d+j)/(d+2j), and
e_{k+1} <= (k+1)/(k-1) e_k, so its terms alternate and do not grow. For d = 2 it is positive everywhere:
e^x (gap) = e^(-x) - 1 + x.

Beyond, E = Q^2 + Q'^2/2 has the slope -(d/2 - 3x)/x Q'^2 by the differential equation, and E(0) = 1: it falls up to x =
d/6. From there on take y = Q exp(-P/2), P' = p = 3 - d/(2x): then y'' + w y = 0 with w = 2 - p^2/4 + p'/2, which falls
while p x > -2, and so does G = y'^2 + w y^2. So Q^2 <= G exp(P)/w with G at d/6, and this bound increases. While E < 1
or Q^2 < 1 the gap is positive.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache, partial

import sympy
from flint import arb, arb_poly, ctx
from sympy import Lambda, exp, hyper

from rftheory.errors import NotCertified
from rftheory.exact import evaluate as reading
from rftheory.exact.conformity import within
from rftheory.exact.enclosure import Ball, certified_sum, rational_ball, widen
from rftheory.exact.formula import Formula, Route, Variable, register
from rftheory.exact.search import Smooth, interval_ball, isolate_roots, refine_root
from rftheory.exact.symbols import d, z
from rftheory.exact.truth import decided, larger, related, together

START = "1/2"
"""The gap is proved positive for 0 < x <= 1/2, that is z <= 1."""


class FirstRoot(sympy.Function):  # type: ignore[misc]
    """FirstRoot(Lambda(z, f), low): the smallest root of f above ``low``, at which f changes sign.

    Examples
    --------
    >>> reading.evaluate(FirstRoot(Lambda(z, sympy.sin(z)), sympy.Integer(1))).overlaps(arb.pi())
    True
    """

    nargs = 2

    def _latex(self, printer: sympy.printing.latex.LatexPrinter) -> str:
        (symbol,), body = self.args[0].variables, self.args[0].expr
        name, low = printer.doprint(symbol), printer.doprint(self.args[1])
        return rf"\min\left\{{{name} > {low} : {printer.doprint(body)} = 0\right\}}"


def _read_first_root(reader: reading.Reader, node: sympy.Expr) -> Ball:
    """Search on ever longer intervals until the first root is found; each is proved free of earlier ones."""
    function, low = node.args
    symbol = function.variables[0]
    given = {s: reader.value(s) for s in function.free_symbols}
    body = function.expr.xreplace({s: v for s, v in given.items() if isinstance(v, sympy.Expr)})
    f = Smooth.of(body, symbol)
    for length in (4, 8, 16, 32):
        found = next(isolate_roots(f, low, low + length, max_boxes=2000), None)
        if found is not None:
            return refine_root(f, found)
    return arb.nan()


reading.register_reader(FirstRoot, _read_first_root)


def relative_gap(d: int) -> Smooth:
    """1 - Q(x) over balls x > 0, with its derivative, by Taylor polynomials with Cauchy's remainder.

    Examples
    --------
    >>> gap = relative_gap(4)
    >>> x = arb(2)
    >>> gap.value(x).overlaps(1 - x.exp() * (1 - x + x**2 / 6))
    True
    """
    return Smooth(lambda x: 1 - _taylor_form(d, x, 0), lambda x: [-_taylor_form(d, x, 1)])


def _taylor_form(d: int, x: arb, order: int) -> arb:
    """Q (order 0) or Q' (order 1) over the ball x; not a number where the ball is too wide to be useful.

    Along a ray of length t from m the differential equation gives |Q|^2 + |Q'|^2/2 <= E(m) exp(2 t (sqrt(2) + a)), a
    the largest |3 - d/(2x)| on the disc, which bounds the coefficients beyond the last by Cauchy's inequality.
    """
    middle, reach = x.mid(), x.rad()
    if reach.is_zero():
        return _at_point(d, middle, ctx.prec)[order]
    if not middle > 8 * reach:
        return arb.nan()
    disc = (8 * reach + 1).min(middle / 2).mid()
    most = abs(3 - arb(d) / (2 * middle)) + disc * d / (2 * middle * (middle - disc))
    growth = (disc * (arb(2).sqrt() + most)).upper()
    if not growth < 400 + 4 * ctx.prec:
        return arb.nan()
    count = math.ceil((ctx.prec * math.log(2) + float(growth)) / float((disc / reach).log())) + 4
    coefficients = _coefficients(d, middle, count, ctx.prec + 8 * count + 64)
    with ctx.workprec(ctx.prec + 8 * count + 64):
        polynomial = arb_poly(coefficients)
        if order:
            polynomial = polynomial.derivative()
        value: arb = polynomial(x - middle)
        ratio = reach / disc
        largest = (coefficients[0] ** 2 + coefficients[1] ** 2 / 2).sqrt().upper() * growth.exp()
        if order:
            tail = largest / disc * ratio ** (count - 1) * (count / (1 - ratio) + ratio / (1 - ratio) ** 2)
        else:
            tail = largest * ratio**count / (1 - ratio)
    return value + widen(tail.upper()).real


def _at_point(d: int, x: arb, prec: int) -> tuple[arb, arb]:
    """Q(x) = e^x 1F1(-d/2; d/2; x) and Q'(x) = Q(x) - e^x 1F1(1 - d/2; 1 + d/2; x), x exact."""
    return _with_bits(d, x, -(-prec // STEP_BITS) * STEP_BITS)


STEP_BITS = 1024
"""Nearly all bits are lost to cancellation, so a few more cost little, and values serve several precisions."""


@lru_cache(maxsize=64)
def _with_bits(d: int, x: arb, prec: int) -> tuple[arb, arb]:
    half, size = arb(d) / 2, abs(float(x))
    # less cancels near a zero of 1 - Q than where Q is tiny; at odd d the series needs more bits to give a ball at all
    for lost in (3 * size, 4 * size, 8 * size, 16 * size):
        with ctx.workprec(prec + math.ceil(lost) + 32):
            scale = x.exp()
            value = scale * x.hypgeom_1f1(-half, half)
            slope = value - scale * x.hypgeom_1f1(1 - half, 1 + half)
        if min(value.rel_accuracy_bits(), slope.rel_accuracy_bits()) >= prec:
            break
    return value, slope


@lru_cache(maxsize=16)
def _coefficients(d: int, m: arb, count: int, prec: int) -> list[arb]:
    """Taylor coefficients of Q at m > 0 by the recurrence of its differential equation."""
    half = arb(d) / 2
    with ctx.workprec(prec):
        q = [*_at_point(d, m, prec)]
        for k in range(count - 2):
            before = q[k - 1] if k else arb(0)
            top = (k + 1) * (half + k - 3 * m) * q[k + 1] + (2 * m - 3 * k) * q[k] + 2 * before
            q.append(-top / (m * ((k + 1) * (k + 2))))
    return q[:count]


def _positive_to(d: int) -> Fraction:
    """An x up to which the gap is proved positive, by the bounds of E and Q in the docstring of this module."""
    low, high = 8 * d // 3, 8 * d + 128  # in sixteenths, exact in binary: the first is at most d/6
    with ctx.workprec(64):
        start = arb(low) / 16
        value, slope = _at_point(d, start, 64)
        p, w = _rate_and_frequency(d, start)
        energy = ((slope - p * value / 2) ** 2 + w * value**2).log()
        while high - low > 1:  # the bound increases
            middle = (low + high) // 2
            x = arb(middle) / 16
            w = _rate_and_frequency(d, x)[1]
            small = w > 0 and energy + 3 * (x - start) - arb(d) / 2 * (x / start).log() < w.log()
            low, high = (middle, high) if small else (low, middle)
    return Fraction(low, 16)


def _rate_and_frequency(d: int, x: arb) -> tuple[arb, arb]:
    """p and w of the docstring of this module: the growth of Q^2, and the squared frequency of its oscillation."""
    p = 3 - d / (2 * x)
    return p, 2 - p**2 / 4 + d / (4 * x**2)


def _by_taylor(d: int) -> arb:
    if d > LARGEST_DIMENSION:
        raise NotCertified("z_crit", wanted="the sign of the gap", hint="choose a smaller d",
                           reached=f"at d = {arb(d).str(3, radius=False)} too many bits cancel")  # fmt: skip
    return _by_taylor_from(max(Fraction(START), _positive_to(d)), d)


LARGEST_DIMENSION = 10**8
"""About half as many bits cancel."""


def _by_taylor_from(start: Fraction | str, d: int) -> arb:
    gap = relative_gap(d)
    low, end, found = Fraction(start), Fraction(d // 2 + 8), None
    length = Fraction(4)
    while found is None and low < end:  # the root is near the start
        high = min(low + length, end)
        found = next(isolate_roots(gap, low, high), None)
        low, length = high, 4 * length
    if found is None:
        raise NotCertified(
            "z_crit", wanted=f"a sign change at d={d}", reached=f"there is none up to z^2 = {d + 16}"
        )
    return (2 * refine_root(gap, found)).sqrt()


def _by_printed_series(d: int) -> arb:
    """First sign change of the printed series (26) on a grid, then bisection; that it is the first is not proved."""
    step = Fraction(1, 64)
    low = Fraction(1)
    while decided(_series_positive(d, low + step), "the sign of the series"):
        low += step
        if low > d + 16:
            raise NotCertified("z_crit", wanted=f"a sign change at d={d}", reached="the scan found none")
    high = low + step
    while high - low > Fraction(1, 1 << (ctx.prec + 2)):
        middle = (low + high) / 2
        above = _series_positive(d, middle)
        if above is None:
            break
        low, high = (middle, high) if above else (low, middle)
    return interval_ball(low, high)


def _series_positive(d: int, z: Fraction) -> bool | None:
    """Truth of 0 < e^(-z^2) - Gamma(d/2)/Gamma(d) sum_k (-z^2)^k/(2^k k!) Gamma(k+d)/Gamma(k+d/2)."""
    prec = ctx.prec
    with ctx.workprec(2 * prec + math.ceil(8 * z * z)):
        square = rational_ball(z * z)

        def terms() -> Iterator[arb]:
            term, k = arb(1), 0
            while True:
                yield term
                term = -term * square * (d + k) / ((d + 2 * k) * (k + 1))
                k += 1

        total = certified_sum(terms(), lambda k: square / (k + 1))
        gap = ((-square).exp() - total).real
    return larger(gap, 0)


# ---- growth: z_crit^2 - sigma* d is bounded --------------------------------------------------------

SLOPE = ("0.653759587704925", "0.653759587704926")
"""sigma* is between these: the larger root of F(sigma) = 3 sigma - 1 - log(4 sigma)."""
FAR = 128
"""From this dimension on the growth is proved by bounds; below, z_crit is enclosed in every dimension."""


def growth_within(low: Fraction | str, high: Fraction | str) -> bool | None:
    """Whether low < z_crit(d)^2 - sigma* d < high for all d >= 3; None if that is open.

    Notation and proof: derivation ``simplex.added.zcrit``. With a = d/2 and x = z^2/2, (4/3)^a (Q'^2 + w Q^2) lies
    between two constants at x = a/3; Q^2 < 1 while the upper one times exp(a F)/w is below 1, and Q >= 1 at a maximum
    of y where the lower one over w(a/3) times exp(a F) is above 1.

    Examples
    --------
    >>> growth_within("-3", "12"), growth_within("-1", "12")
    (True, False)
    """
    with ctx.workprec(64):
        slope = arb(SLOPE[0]).union(arb(SLOPE[1]))
        below, above = (rational_ball(Fraction(e)) for e in (low, high))
        sizes = (z_crit.enclose(8, d=n).ball.real ** 2 - slope * n for n in range(3, FAR))
        within = together(related(*pair) for e in sizes for pair in ((below, "<", e), (e, "<", above)))
        if not within:
            return within
        least, most = _energy_at_start()
        near, far = slope + below / FAR, slope + above / FAR
        late = most.log() - _limit_frequency(slope).log() + below * (3 - 1 / near) / 2 < 0
        delay = (-least.log() / (3 - 1 / slope)).max(arb(0))
        early = 2 * delay + 4 * arb.pi() / _limit_frequency(far).sqrt() < above
        return True if below < 0 and near > arb(1) / 3 and late and early else None


def _limit_frequency(sigma: arb) -> arb:
    """w at x = sigma a, or less; it tends to this as a grows, and falls as sigma grows from 1/3."""
    return arb(-1) / 4 + 3 / (2 * sigma) - 1 / (4 * sigma**2)


def _energy_at_start() -> tuple[arb, arb]:
    """Bounds for all d >= FAR, at x = a/3: of (4/3)^a G/w from below, and of (4/3)^a G from above."""
    a = arb(FAR) / 2
    root = arb(2).sqrt()
    circle = _circle_mean(a)
    u = (
        2 + root
    )  # 1/(1 - t) at the end t = 1/sqrt(2) of the segment to 1; the axis is the negative one beyond the circle
    segment = (-a * _loss(1 / (3 * (root - 1) ** 2))).exp() / (
        a.sqrt() * u * (u - 1) * (arb(1) / 3 - 3 + 2 * root)
    )
    axis = (-a * _loss(1 / (3 * (root + 1) ** 2))).exp() / a.sqrt()
    part = circle + 3 * axis / 2
    whole = part + segment
    central, stirling, w = arb(0), arb("inf"), 2 + arb(9) / FAR
    for start in (a, a + arb(1) / 2):  # in steps of one, the first sequence falls and the second one grows
        quotient = ((start + 1).lgamma() - (start + arb(1) / 2).lgamma()).exp() ** 2 / start
        value = (2 * (start.lgamma() + start - start * start.log()) - 1 / (6 * start)).exp() * start
        central, stirling = central.max(quotient), stirling.min(value)
    return stirling / ((2 + w) * whole**2), (2 + w) * 4 * central * part**2 / arb.pi()


def _loss(s: arb) -> arb:
    """h = (s - 1 - log s)/2: the modulus on the circle is its maximum times exp(-a h)."""
    return (s - 1 - s.log()) / 2


def _circle_mean(a: arb) -> arb:
    """A bound of sqrt(a') times the integral of exp(-a' h) over 0 < theta < pi, for all a' >= a.

    h >= kappa (theta - theta*)^2 with a kappa that falls with the distance from theta*, so that at y = sqrt(a')
    (theta - theta*) the one of a' is at least that of a.
    """
    peak, pieces = (4 / (3 * arb(2).sqrt())).acos(), 256
    total = arb(0)
    for reach in (-peak, arb.pi() - peak):
        kappa = arb("inf")
        for i in range(pieces):
            near, far = reach * i / pieces, reach * (i + 1) / pieces
            kappa = kappa.min(_curvature(peak, near.union(far)).lower())
            inner, outer = abs(near) * (a * kappa).sqrt(), abs(far) * (a * kappa).sqrt()
            end = arb(1) if i == pieces - 1 else outer.erf()
            total += (arb.pi() / kappa).sqrt() / 2 * (end - inner.erf())
    return total


def _curvature(peak: arb, distance: arb) -> arb:
    """A lower bound of h/(theta - theta*)^2: h >= 3 (s-1)^2/(4 (2s+1)), s - 1 = -2 sqrt(2) sin sin/q."""
    q = arb(3) / 2 - arb(2).sqrt() * (peak + distance).cos()
    sines = (peak + distance / 2).sin() * (distance / 2).sinc()
    return 3 * 2 * sines**2 / (q**2 * 4 * (1 / (3 * q) + 1))


DIMENSION_FROM_3 = Variable(d, "data dimension; at d = 2 the gap is positive for every z", integer=True,
    low=3)  # fmt: skip

z_crit = register(Formula(name="z_crit", says="smallest |x - y| at which the RFF orthogonality gap changes sign",
    source="simplex.s4.zcrit", variables=(DIMENSION_FROM_3,),
    expression=FirstRoot(Lambda(z, exp(-(z**2)) - hyper((d,), (d / 2,), -(z**2) / 2)), 1),
    routes=(Route("taylor", _by_taylor, "proved first root of 1 - e^(2x) 1F1(d; d/2; -x), x = z^2/2"),
        Route("whole interval", partial(_by_taylor_from, START), "the same, searched from z = 1 on", within(d=400)),
        Route("series (26)", _by_printed_series, "bisection on the printed series", within(d=70))),
    fast="taylor", practical=within(d=22)))  # fmt: skip
