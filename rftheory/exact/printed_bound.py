"""The radius from which on the printed bound (27) of the angular hybrid fails (Hybrid Random Features).

(27) fails at the radius r exactly where phi(r) = n pi r^2 max_theta g(r, theta) > n - 1 + sqrt(pi), with

    g = E L^2 (sinh(t - q)/sinh t)^2 + E (1 - L)^2 (sinh q/sinh t)^2,   t = 2 r^2, q = r^2 (1 - cos theta).

With s = r theta fixed, h_s(r) = n pi r^2 g(r, s/r) is F + M with F = ((n - 1) s^2/pi + s r) (sinh(t - q)/sinh t)^2, and
it increases in r for 1/2 <= s <= 6/5 and r >= 4, r >= 2 (n - 1). For with x = s/(2r) <= 3/20

- the logarithmic slope of the first factor of F is 1/(1 + (n - 1) s/(pi r)) >= 4/5;
- that of exp(-2 q), q = s^2/2 (sin x/x)^2, is -4 q (1 - x cot x) >= -4 q x^2/2 >= -1/20;
- the rest of F, ((1 - exp(-2(t - q)))/(1 - exp(-2 t)))^2, increases: dq/dr <= q x^2/r, and 1 - exp(-2q) >= q;
- that of M is at least -9 r^2, while M <= 5 n pi r^2 exp(-4 r^2), below 1e-22 F.

So phi >= h_s stays above the level from any r on where h_s exceeds it at such an s. The last crossing is enclosed by a
radius at which (27) holds and a larger one at which it fails, with the place of the largest error at such an s.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy
from flint import arb, arb_series, ctx
from sympy import Le

from rftheory.errors import NotCertified
from rftheory.exact import angular
from rftheory.exact.complex_exponential import COEFFICIENT_FEATURES
from rftheory.exact.conformity import within
from rftheory.exact.enclosure import exact_fraction
from rftheory.exact.formula import Formula, Route, register
from rftheory.exact.peaks import jet, peaks, peaks_by_series, with_slopes
from rftheory.exact.symbols import m

Level = Callable[[arb], tuple[arb, arb]]
"""From r, phi(r) and the s = r theta at which it is attained."""

REACH = Fraction(4, 3)
"""Of s/pi: beyond, h_s is below 1e-4 (n - 1 + sqrt(pi)) for 4 <= r <= 3 (n - 1 + sqrt(pi)), by q >= 2/5 s^2."""


class LastRadius(sympy.Function):  # type: ignore[misc]
    """LastRadius(r, relation): the largest r > 0 at which the relation holds.

    Examples
    --------
    >>> sympy.latex(LastRadius(angular.r, Le(angular.r, 1)))
    '\\\\sup\\\\left\\\\{r > 0 : r \\\\leq 1\\\\right\\\\}'
    """

    nargs = 2

    def _latex(self, printer: sympy.printing.latex.LatexPrinter) -> str:
        name, relation = (printer.doprint(part) for part in self.args)
        return rf"\sup\left\{{{name} > 0 : {relation}\right\}}"


def _claim(n: int) -> arb:
    return n - 1 + arb.pi().sqrt()


def _start(n: int) -> arb:
    return ((2 * arb(1).exp()).sqrt() * _claim(n)).mid()


def _enclosed(near: arb, level: Level, n: int) -> arb:
    """The last crossing, of which a good approximation is known."""
    width = near * arb(2) ** -(ctx.prec - 48)
    low, high = (near - width).mid(), (near + width).mid()
    (below, _), (above, s) = level(low), level(high)
    where_proved = 0.5 < s < 1.2 and low > 4 and low > 2 * (n - 1) and high < 3 * _claim(n)
    if where_proved and below < _claim(n) < above:
        return low.union(high)
    reached = f"{below.str(8)} and {above.str(8)} beside it"
    raise NotCertified("radius", wanted="(27) on one side only", reached=reached)


def _by_newton(n: int) -> arb:
    """Newton's method for dh/ds = 0 and h = n - 1 + sqrt(pi): the slope of phi is that of h at fixed s."""
    with ctx.workprec(ctx.prec + 64):
        s, r = arb("0.75"), _start(n)
        for _ in range(8 + ctx.prec.bit_length()):
            curve = _h(arb_series([s, 1], prec=3), arb_series([r], prec=3), n)
            s = (s - curve[1] / (2 * curve[2])).mid()
            line = _h(arb_series([s], prec=2), arb_series([r, 1], prec=2), n)
            r = (r - (line[0] - _claim(n)) / line[1]).mid()
        return _enclosed(r, lambda r: _largest_h(r, n), n)


def _h(s: arb_series, r: arb_series, n: int) -> arb_series:
    """h_s(r) on power series."""
    half, side, t = (s / (2 * r)).sin(), arb.pi() * r - s, 2 * r * r
    q = t * half * half
    whole = 1 - (-2 * t).exp()
    fall, rise = (1 - (2 * q - 2 * t).exp()) / whole, (1 - (-2 * q).exp()) / whole
    first = ((n - 1) * s * s / arb.pi() + s * r) * (-2 * q).exp() * fall * fall
    return first + ((n - 1) * side * side / arb.pi() + side * r) * (2 * q - 2 * t).exp() * rise * rise


def _largest_h(r: arb, n: int) -> tuple[arb, arb]:
    def f(s: arb_series) -> arb_series:
        return _h(s, arb_series([r], prec=3), n)

    place = _only(peaks_by_series(f, Fraction(0), REACH, ()))
    return jet(f, place)[0], arb.pi() * place


def _only(places: list[arb]) -> arb:
    if len(places) > 1:
        raise NotCertified("largest error", wanted="one place", reached=f"{len(places)} candidates")
    return places[0]


def _by_series(n: int) -> arb:
    """From the printed h of (49), (50), over all angles."""

    def level(r: arb) -> tuple[arb, arb]:
        f = angular._printed_h_series(r, n)
        place = _only(peaks_by_series(f, Fraction(0), *angular._ANGULAR_ENDS))
        scale = n * arb.pi() * (r / (1 - (-4 * r * r).exp())) ** 2
        return scale * jet(f, place)[0], arb.pi() * place * r

    return _by_secant(level, n)


def _by_definition(n: int) -> arb:
    """From the expression of the largest error, with its derivatives by sympy."""

    def level(r: arb) -> tuple[arb, arb]:
        length = exact_fraction(r)
        at = {
            angular.r: sympy.Rational(length.numerator, length.denominator),
            COEFFICIENT_FEATURES.symbol: sympy.Integer(n),
        }
        slopes = with_slopes(angular._angular_scaled).xreplace(at)
        found = peaks(slopes, sympy.S.Zero, sympy.S.Half, sympy.S.Half)
        return n * arb.pi() * r * r * found.value(), arb.pi() * _only(list(found.points())) * r

    return _by_secant(level, n)


def _by_secant(level: Level, n: int) -> arb:
    with ctx.workprec(ctx.prec + 64):
        before = _start(n)
        old, r = level(before)[0] - _claim(n), (before * arb("1.01")).mid()
        while abs(r - before) > r * arb(2) ** -(ctx.prec - 52):
            new = level(r)[0] - _claim(n)
            before, r, old = r, (r - new * (r - before) / (new - old)).mid(), new
        return _enclosed(r, level, n)


_error = sympy.Function("epsilon")(angular.r)

angular_printed_bound_radius = register(Formula(name="angular_printed_bound_radius",
    says="radius from which on (27) as printed fails: the last one at which it holds; the same for all m",
    source="hybrid.thm3.5.bound (27), ours", variables=(COEFFICIENT_FEATURES,),
    expression=LastRadius(angular.r, Le(_error, angular.PRINTED_BOUND.subs(m, 1))),
    readable=False,
    routes=(Route("Newton", _by_newton, "h, then the largest error on both sides by power series"),
        Route("(49)", _by_series, "secants of the largest value of the printed h of (49), (50)", within(n=100)),
        Route("largest error", _by_definition, "secants of the largest error, by its expression", within(n=16))),
    fast="Newton"))  # fmt: skip
