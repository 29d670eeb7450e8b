"""Probabilities of named events: of the length of a sum of two rows, whose law is known, and of errors over a set.

The probability of an error over a set is the largest one that a kernel and a set with the given parameters can have.
It has no closed form, only an enclosure: its lower end is the probability for a kernel and a set that are known to be
bad, its upper end 1. For pairs, w is a or -a with probability p and else 0: then s - k at a |x - y| = pi is twice the
difference of p and the share of draws with |w| = a; sigma = a sqrt(p), and sigma diam is pi sqrt(p) or more. For
phases, |s - k| at x = y is the mean of cosines of uniform angles; with p = 1/2, where k = 0, all signs may be equal.
In more dimensions than draws, w may be sigma times a uniform unit vector of the axes: where each drawn coordinate of
x - y is pi/sigma, s = -1, k >= 1 - 2 m/d and |x - y|^2 <= m (pi/sigma)^2, whatever is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy
from flint import acb, arb

from rftheory.errors import UnknownName
from rftheory.exact.bounds import (
    SCALED_DIAMETER,
    UNIFORM,
    diam,
    eps,
    sigma,
    ss_pair_constant,
    ss_phase_constant,
    variance,
)
from rftheory.exact.enclosure import certified_integral
from rftheory.exact.evaluate import evaluate_real
from rftheory.exact.field import rational_value
from rftheory.exact.formula import Variable
from rftheory.exact.order import compared
from rftheory.exact.search import rational
from rftheory.exact.symbols import PAIR_DIMENSION, d, m
from rftheory.exact.uniform import OF_PAIRS, OF_PHASES, Balls, PairBound, PhaseBound, clean_net

_c, _t = sympy.Symbol("c", real=True), sympy.Symbol("t", positive=True)
SQUARE = Variable(_t, "square of a length", above=0)
VARIANCE = Variable(
    variance, "largest variance of cos(w.(x - y)) over the set, or more", low=0, high=1, default=1
)
_PAIRS = ss_pair_constant.expression * SCALED_DIAMETER ** (2 * d / (d + 2))
_PHASES = ss_phase_constant.expression * SCALED_DIAMETER ** (2 * d / (d + 1))
_alpha = sympy.Symbol("alpha", positive=True)
MOST = 512
"""The most draws for which the tail of a binomial law is added up."""


@dataclass(frozen=True, eq=False)
class Event:
    """An event with a probability.

    Attributes
    ----------
    says, latex : the event.
    variables : what its probability depends on.
    enclosure : an enclosure of the probability, from exact values.
    bounded : whether an expression in the variables is proved to be a bound, wherever sigma diam >= least eps; None
        for events that have a value.
    known : bounds, of which the first holds for sigma diam >= eps alone, to compare other ones with.
    balls : the constants of its bound by suprema over balls.
    hard : points at which the lower end is large.

    Examples
    --------
    >>> values = {"d": 2, "t": 4}
    >>> EVENTS["independent rows"].ball({n: sympy.Integer(x) for n, x in values.items()}).str(6, radius=False)
    '0.367879'
    """

    says: str
    latex: str
    variables: tuple[Variable, ...]
    enclosure: Callable[..., arb]
    bounded: Callable[[sympy.Expr, Fraction], bool] | None = None
    known: tuple[sympy.Expr, ...] = ()
    balls: Balls | None = None
    hard: tuple[Mapping[str, sympy.Expr], ...] = ()

    def ball(self, values: dict[str, sympy.Expr]) -> arb:
        """An enclosure at the working precision.

        Raises
        ------
        OutsideDomain : a value is none that the variable can have.
        """
        return self.enclosure(**{v.name: v.read(values[v.name], self.says) for v in self.variables})


# ---- lengths of w_i + w_j ------------------------------------------------------------------------------


def _independent(d: sympy.Expr, t: sympy.Expr) -> arb:
    """|w_i + w_j|^2 is twice the square of a chi_d variable."""
    return (evaluate_real(t) / 4).gamma_upper(arb(int(d)) / 2, regularized=1)


def _at_angle(d: sympy.Expr, c: sympy.Expr, t: sympy.Expr) -> arb:
    """At norms r (cos a, sin a) it is r^2 (1 + c sin(2 a)) with r^2/2 Gamma-distributed, of shape d."""
    size, cosine, half = int(d), evaluate_real(c), evaluate_real(t) / 2
    if c == 0:
        return half.gamma_upper(arb(size), regularized=1)

    def weighted(turn: acb, _: bool) -> acb:
        sine = turn.sin()
        return sine ** (size - 1) * (half / (1 + cosine * sine)).gamma_upper(acb(size), regularized=1)

    total = certified_integral(weighted, 0, arb.pi())
    return total / certified_integral(lambda turn, _: turn.sin() ** (size - 1), 0, arb.pi())


# ---- errors over a set ---------------------------------------------------------------------------------


def _pairs(
    m: sympy.Expr, d: sympy.Expr, eps: sympy.Expr, sigma: sympy.Expr, diam: sympy.Expr, variance: sympy.Expr
) -> arb:
    if compared(eps, ">", sympy.Integer(2)):
        return arb(0)
    size, half, least = int(m), sympy.Rational(1, 2), arb(0)
    if variance == 1 and _axes_are_enough(m, d, eps, sigma * diam):
        return arb(1)
    # either is right: each is the error of a kernel, and so a lower bound
    large = bool(2 * evaluate_real(sigma * diam) ** 2 > arb.pi() ** 2)
    p = evaluate_real(half if large else (sigma * diam / sympy.pi) ** 2)
    for n in range(size + 1) if size <= MOST and variance == 1 else ():
        error = 2 * abs(sympy.Rational(n, size) - half)
        # either is right: what is left out only lowers the bound
        above = bool(2 * abs(arb(n) / size - p) > evaluate_real(eps))
        if compared(error, ">=", eps) is True if large else above:
            least += math.comb(size, n) * p**n * (1 - p) ** (size - n)
    return least.lower().union(arb(1))


def _axes_are_enough(m: sympy.Expr, d: sympy.Expr, eps: sympy.Expr, scaled: sympy.Expr) -> bool:
    """Whether every draw of rows on axes errs by eps somewhere in a ball of this diameter times sigma."""
    # either is right: another kernel is looked at then
    far = bool(evaluate_real(scaled) ** 2 >= arb.pi() ** 2 * int(m))
    return far and compared(eps, "<=", 2 - 2 * m / d) is True


def _phases(m: sympy.Expr, d: sympy.Expr, eps: sympy.Expr, sigma: sympy.Expr, diam: sympy.Expr) -> arb:
    if compared(eps, ">", sympy.Integer(3)):
        return arb(0)
    if compared(eps, "<=", sympy.S.One) is not True:
        return arb(0).union(arb(1))
    least = 2 * (evaluate_real(eps).acos() / arb.pi()) ** int(m)
    # either is right: the first bound stands in both cases
    if bool(2 * evaluate_real(sigma * diam) ** 2 > arb.pi() ** 2):
        least = least.max(arb(2) ** -int(m))
    return least.lower().union(arb(1))


def _rate(bound: sympy.Expr, size: sympy.Expr) -> sympy.Rational | None:
    """The number r > 0 for which a bound is exp(-r m eps^2/size) times what has no m; None if there is none."""
    rate = rational_value(-sympy.diff(bound, m) / bound * size / eps**2)
    return rate if rate is not None and rate > 0 else None


def _scale(bound: sympy.Expr, rate: sympy.Rational, size: sympy.Expr, shape: sympy.Expr) -> Fraction | None:
    """The number c > 0 for which a bound is c exp(-rate m eps^2/size) times a shape; None if there is none."""
    scale = rational_value(bound * sympy.exp(rate * m * eps**2 / size) / shape)
    return rational(scale) if scale is not None and scale > 0 else None


def _pairs_bounded(bound: sympy.Expr, least: Fraction) -> bool:
    """By the certificates of `rftheory.exact.uniform`: two shapes that fall with d, a clean net, suprema over balls."""
    bound = bound.xreplace({sympy.Min(1, variance + eps / 3): _alpha})
    varies = bound.has(_alpha)
    size = (d + 2) * (_alpha if varies else 1)
    if (rate := _rate(bound, size)) is not None:
        for square, shape in ((True, SCALED_DIAMETER**2), (False, _PAIRS)):
            if (scale := _scale(bound, rate, size, shape)) is not None:
                return PairBound(scale, rational(rate), varies, square).holds(least)
    if (rate := _rate(bound, sympy.S.One)) is None:
        return _by_balls(bound, OF_PAIRS)
    slope = rational_value(((bound * sympy.exp(rate * m * eps**2)) ** (1 / d) - 1) / SCALED_DIAMETER)
    if slope is None or slope <= 0:
        return _by_balls(bound, OF_PAIRS)
    return clean_net(rational(rate), Fraction(2 * int(slope.q), int(slope.p))) is not None


def _by_balls(bound: sympy.Expr, balls: Balls) -> bool:
    """Whether suprema over balls prove scale (1 + slope X)^power exp(-rate m eps^2), or with slope X/sqrt(m).

    Pairs need the first power and one more, which the scale 2 covers.
    """
    power = balls.power * d
    point = bound.subs(diam, 0)
    if (rate := _rate(point, sympy.S.One)) is None:
        return False
    scale = rational_value(point * sympy.exp(rate * m * eps**2))
    if scale is None or scale < 2:
        return False
    numbers = (bound / point, scale * bound / point - 1) if balls.power == 1 else (bound / point,)
    for number in numbers:
        spread = (number ** (1 / power) - 1) / SCALED_DIAMETER
        slope = next(filter(None, map(rational_value, (spread * sympy.sqrt(m), spread))), None)
        if slope is not None and slope > 0:
            return balls.prove(rational(scale), rational(slope), rational(rate))
    return False


def _phases_bounded(bound: sympy.Expr, least: Fraction) -> bool:
    """By the certificates of `rftheory.exact.uniform`: two shapes that fall with d, or suprema over balls."""
    if (rate := _rate(bound, d + 1)) is None:
        return _by_balls(bound, OF_PHASES)
    return any(
        (scale := _scale(bound, rate, d + 1, shape)) is not None
        and PhaseBound(scale, rational(rate), square).holds(least)
        for square, shape in ((True, SCALED_DIAMETER**2), (False, _PHASES))
    )


def enough(balls: Balls, delta: sympy.Expr, rho: sympy.Expr) -> sympy.Expr:
    """So many pairs or phases, or more, make the probability at most delta < 2, for a share rho between 0 and 1.

    With L = log(2/delta) and c = s sigma diam sqrt(rate/L), m rate eps^2 >= L + power d log(1 + c) makes m rate eps^2
    at least L, hence s X/sqrt(m) at most c.

    Examples
    --------
    >>> enough(OF_PAIRS, sympy.Rational(1, 5), sympy.S.Half)
    8*(d*log(2*sqrt(2)*diam*sigma/sqrt(log(10)) + 1) + log(10))/eps**2
    """
    level, rate = sympy.log(2 / delta), sympy.Rational(balls.most) * (1 - rho) ** 2
    share = (1 - rho) / rho * sympy.sqrt(sympy.Rational(balls.most))
    spread = balls.least * share * sigma * diam / sympy.sqrt(level)
    return (level + balls.power * d * sympy.log(1 + spread)) / (rate * eps**2)


_NUMBERS = {"d": 1, "sigma": sympy.Rational(20, 9), "diam": 1, "variance": 1}
COINS = tuple(
    {**_NUMBERS, "m": n, "eps": error}
    for n in (1, 2, 8, 32, 128)
    for error in (sympy.S.One, sympy.Rational(1, 2))
)
"""A fair coin: sigma diam is just above pi/sqrt(2)."""
AXES = tuple(
    {**_NUMBERS, "m": n, "d": 2 * n, "eps": sympy.S.One, "sigma": scale} for n, scale in ((16, 13), (256, 51))
)
"""Twice as many axes as draws: sigma diam is just above pi sqrt(m)."""
_KNOWN_PAIRS, _KNOWN_PHASES = (
    tuple(shape * sympy.exp(-m * eps**2 / size) for shape in (number * SCALED_DIAMETER**2, own))
    for number, own, size in ((66, _PAIRS, 4 * (d + 2)), (98, _PHASES, 32 * (d + 1)))
)
_LENGTH = r"\left|w_i+w_j\right|^2 > t"
_ERROR = r"\sup\left|s-k\right| \geq eps"

EVENTS = {
    "independent rows": Event("|w_i + w_j|^2 > t, independent rows", _LENGTH, (PAIR_DIMENSION, SQUARE), _independent),
    "rows at an angle": Event("|w_i + w_j|^2 > t, rows at the cosine c", _LENGTH,
        (PAIR_DIMENSION, Variable(_c, "cosine", above=-1, high=1), SQUARE), _at_angle),
    "error of pairs": Event("sup |s - k| >= eps, sine-cosine pairs", _ERROR, (*UNIFORM, VARIANCE), _pairs,
        _pairs_bounded, _KNOWN_PAIRS, OF_PAIRS, COINS + AXES),
    "error of phases": Event("sup |s - k| >= eps, random phases", _ERROR, UNIFORM, _phases, _phases_bounded,
        _KNOWN_PHASES, OF_PHASES, COINS),
}  # fmt: skip
"""The events by name: m frequencies or phases, E |w|^2 = sigma^2, a set of this diameter in d dimensions."""


def find_event(name: str) -> Event:
    """The event of this name.

    Raises
    ------
    UnknownName : there is none.

    Examples
    --------
    >>> find_event("error of pairs").says
    'sup |s - k| >= eps, sine-cosine pairs'
    """
    if name not in EVENTS:
        raise UnknownName("event", name, EVENTS)
    return EVENTS[name]
