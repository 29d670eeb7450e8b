"""The cosine estimator of the Gaussian kernel at one pair: its law, the exponents of its tails, simple bounds.

For a normal frequency w.D = z g, |D| = z, the angle z g wrapped to the circle has the Fourier coefficients e_n =
exp(-n^2 z^2/2). So for c = cos(w.D), with modified Bessel functions,

    E exp(t c) = sum over all integers n of e_n I_n(t),        E c exp(t c) = sum of e_n (I_{n-1}(t) + I_{n+1}(t))/2,

and the mean s of m such cosines has P(s - k >= eps) <= exp(-m I), I = sup over t of t (k + eps) - log E exp(t c) and
k = e_1: an exponent that no bound of this form can exceed (Cramer).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import sympy
from flint import arb, ctx
from sympy import Rational, cos, exp, log

from rftheory.errors import NotCertified
from rftheory.exact.bounds import ERROR, eps
from rftheory.exact.conformity import within
from rftheory.exact.enclosure import certified_integral, widen
from rftheory.exact.exponential import monotone_root
from rftheory.exact.formula import Condition, Formula, Route, Variable, register
from rftheory.exact.symbols import FEATURES, POSITIVE_DIFFERENCE_NORM, m, z
from rftheory.exact.truth import is_positive

level = sympy.Symbol("level", real=True)
t = sympy.Symbol("t", real=True)
rate = sympy.Symbol("rate", positive=True)
_w = sympy.Symbol("w", real=True)

LEVEL = Variable(level, "value of the cosine", low=-1, high=1)
SLOPE = Variable(t, "argument of the moment generating function")
RATE = Variable(rate,
    "exponent over m eps^2: 1/4 in Rahimi and Recht, 1/2 by Hoeffding; a larger one has to be proved to be a bound",
    above=0, default=Rational(1, 4))  # fmt: skip

Transform = Callable[[arb], tuple[arb, arb]]
"""E exp(t c - |t|) and E c exp(t c - |t|) at t."""


# ---- law of one cosine ---------------------------------------------------------------------------------


def _by_theta(z: arb, level: arb) -> arb:
    """1 - a/pi - (2/pi) sum sin(n a)/n e_n, a = acos(level); what follows n is at most the integral of e_n."""
    a = level.acos()
    total, n = arb(0), 0
    while True:
        n += 1
        size = (-((n * z) ** 2) / 2).exp()
        total += (n * a).sin() / n * size
        if size < arb(2) ** (-ctx.prec - 8):
            ratio = (-(2 * n + 1) * z * z / 2).exp().upper()
            if ratio < 1:
                return 1 - (a + 2 * (total + widen((size * ratio / (1 - ratio)).upper()))) / arb.pi()
        if n > LONGEST_SUM:
            raise NotCertified(
                "law of a cosine", wanted="a short sum", reached=f"{n} terms", hint="choose a larger z"
            )


def _by_intervals(z: arb, level: arb) -> arb:
    """Twice the normal probabilities of (2 pi k + a, 2 pi (k + 1) - a), k >= 0, whose ends alternate in sign."""
    a, scale, turn = level.acos(), z * arb(2).sqrt(), 2 * arb.pi()
    total, k = arb(0), 0
    while True:
        total += ((turn * k + a) / scale).erfc() - ((turn * (k + 1) - a) / scale).erfc()
        k += 1
        rest = ((turn * k + a) / scale).erfc().upper()
        if rest < arb(2) ** (-ctx.prec - 8):
            return total + arb(0).union(rest)
        if k > LONGEST_SUM:
            raise NotCertified(
                "law of a cosine", wanted="a short sum", reached=f"{k} terms", hint="choose a smaller z"
            )


def _by_normal_density(z: arb, level: arb) -> arb:
    """The same intervals with certified integrals of the density, which are cut where the normal tail is negligible."""
    a, turn, root = level.acos(), 2 * arb.pi(), (2 * arb.pi()).sqrt()
    end = arb(math.ceil(math.sqrt(2 * ctx.prec * math.log(2))) + 4)
    total, k = arb(0), 0
    while not (turn * k + a) / z > end:
        low, high = (turn * k + a) / z, (turn * (k + 1) - a) / z
        total += certified_integral(lambda g, _: (-g * g / 2).exp() / root, low, high.min(end + 1))
        k += 1
    return 2 * total + arb(0).union(2 * (end / arb(2).sqrt()).erfc().upper())


LONGEST_SUM = 100_000
"""Terms of a series, or intervals."""

cosine_distribution = register(Formula(name="cosine_distribution",
    says="P(cos(w.D) <= level) for a normal frequency, |D| = z: the law of one term of random Fourier features",
    source="ours; rff.eq8", variables=(POSITIVE_DIFFERENCE_NORM, LEVEL),
    expression=sympy.Function("P")(cos(_w * z) <= level),
    readable=False, zero=sympy.Eq(level, -1),
    routes=(
        Route("theta series", _by_theta, "Fourier series of the wrapped normal law",
            lambda values: bool(values["z"] >= Rational(1, 100))),
        Route("normal intervals", _by_intervals, "probabilities of the intervals where the cosine is below",
            within(z=1000)),
        Route("normal density", _by_normal_density, "the same by quadrature", within(z=60))),
    fast="normal intervals"))  # fmt: skip


# ---- transform and exponents ---------------------------------------------------------------------------


def _by_bessel(z: arb) -> Transform:
    """The sums up to n = N by the recurrence I_{n-1} = I_{n+1} + (2n/t) I_n, all of whose terms are positive.

    I_n decreases in n, and I_{n+1} < t/(2n + 2) I_n for t > 0, so consecutive terms beyond N have a ratio of at most
    exp(-(2N + 3) z^2/2) min(1, t/(2N + 2)).
    """

    def transform(t: arb) -> tuple[arb, arb]:
        size, sign = abs(t), 1 if is_positive(t, "t") else -1
        with ctx.workprec(ctx.prec + 2 * _bits(size) + 16 + (_lost(z, size) if sign < 0 else 0)):
            last = _last_index(z, size)
            weights = _weights(z, last + 1)
            upper, bessel = (size.bessel_i(arb(last + more), scaled=True) for more in (1, 0))
            ratio = (-(2 * last + 3) * z * z / 2).exp() * arb(1).min(size / (2 * last + 2))
            value = slope = widen((2 * weights[last + 1] * bessel / (1 - ratio)).upper())
            for n in range(last, 0, -1):
                lower = upper + 2 * n / size * bessel
                weight = weights[n] * sign**n
                value += 2 * weight * bessel
                slope += weight * (lower + upper)
                upper, bessel = bessel, lower
            return value + bessel, sign * (slope + upper)

    return transform


def _weights(z: arb, last: int) -> list[arb]:
    """e_0, ..., e_last, by their ratios e_1^(2n - 1)."""
    square = (-z * z).exp()
    ratio, found = (-z * z / 2).exp(), [arb(1)]
    for _ in range(last):
        found.append(found[-1] * ratio)
        ratio = ratio * square
    return found


def _lost(z: arb, size: arb) -> int:
    """Bits that cancel for t < 0: terms of size 1 have a sum about the normal density where the cosine is -1."""
    return math.ceil(min(3 * float(size), float(8 / (z * z)), MOST_BITS))


def _bits(size: arb) -> int:
    """About the logarithm to base 2 of a number above 1."""
    mantissa, exponent = size.mid().man_exp()
    return max(0, int(exponent) + int(mantissa).bit_length())


MOST_BITS = 1_000_000
MOST_TERMS, MOST_WORK = 10_000, 3 * 10**7
"""Terms of a sum, and terms times bits, that take a fraction of a second."""


def _last_index(z: arb, size: arb) -> int:
    """Where the weights, or the Bessel functions, are negligible at the working precision."""
    goal = (ctx.prec + 16) * math.log(2)
    last = float(math.sqrt(2 * goal) / z)
    if _bits(size) < 64:  # (t/2)^n/n! <= exp(-goal)
        last = min(last, math.e * math.e * float(size) / 2 + goal)
    if last > MOST_TERMS or last * ctx.prec > MOST_WORK:
        reached = f"{last:.0f} terms of {ctx.prec} bits"
        raise NotCertified(
            "transform of a cosine", wanted="a short sum", reached=reached, hint="choose a larger z"
        )
    return math.ceil(last) + 1


def _by_powers(z: arb) -> Transform:
    """sum t^j/j! E c^j and the same with E c^(j+1), |c| <= 1; E c^j is a mean of e_(j-2i)."""
    known: dict[int, tuple[list[arb], list[arb]]] = {}

    def moment(j: int) -> arb:
        so_far, turns = known.setdefault(ctx.prec, ([], []))
        while len(so_far) <= j:
            n = len(so_far)
            turns.append((-((n * z) ** 2) / 2).exp())  # e_n
            pairs = sum((turns[n - 2 * i] * math.comb(n, i) for i in range((n + 1) // 2)), arb(0))
            alone = turns[0] * math.comb(n, n // 2) if n % 2 == 0 else 0
            so_far.append((2 * pairs + alone) / arb(2) ** n)
        return so_far[j]

    def transform(t: arb) -> tuple[arb, arb]:
        bits = ctx.prec + 3 * math.ceil(float(abs(t))) + 16  # terms of either sign, as large as e^|t|
        with ctx.workprec(-(-bits // 64) * 64):  # moments are shared by neighbouring precisions
            value, slope, term, j = arb(0), arb(0), arb(1), 0
            while True:
                value += term * moment(j)
                slope += term * moment(j + 1)
                j += 1
                term = term * t / j
                ratio = (abs(t) / (j + 1)).upper()
                if ratio < arb("0.5") and abs(term) < arb(2) ** (-ctx.prec - 8):
                    rest, scale = widen((abs(term) / (1 - ratio)).upper()), (-abs(t)).exp()
                    return (value + rest) * scale, (slope + rest) * scale

    return transform


def _by_nodes(z: arb) -> Transform:
    """The integral of exp(t cos(z g)) over the normal density by the trapezoidal rule: nothing cancels at small z.

    On the line Im g = b the modulus of the integrand is at most e^(b^2/2 + |t| (cosh(z b) - 1)) times its value on the
    real line, and that of the cosine cosh(z b). So with M times the integral as a bound, the rule of step h is off by
    2 M/(e^(2 pi b/h) - 1) times it (Trefethen and Weideman 2014, theorem 5.1). Beyond the last node the integrand over
    e^t is at most e^(-g^2/2) for t > 0, else e^(2 |t| - g^2/2) and e^(-(1 - |t| z^2) g^2/2). Nodes far from the largest
    value are left out.
    """

    def transform(t: arb) -> tuple[arb, arb]:
        with ctx.workprec(ctx.prec + 16 + _bits(t)):
            step, strip = _step(z, t)
            count, tail = _last_node(z, t, step)
            first, last, left_out = _window(z, t, step, count)
            tail += left_out
            if last - first > MOST_NODES:
                reached, hint = f"{last - first} nodes", "choose a larger z"
                raise NotCertified("transform of a cosine", wanted="a short sum", reached=reached, hint=hint)
            value = slope = arb(0)
            for n in range(last, first - 1, -1):
                g = n * step
                down = 2 * (z * g / 2).sin() ** 2
                weight = (-t * down - g * g / 2).exp() / (1 if n else 2)
                value += weight
                slope += weight * (1 - down)
            scale = 2 * step / (2 * arb.pi()).sqrt()
            wide = (z * strip).cosh()
            most = (strip**2 / 2 + abs(t) * (wide - 1)).exp() / (2 * arb.pi() * strip / step).expm1()
            if not most < 0.25:
                raise NotCertified("transform of a cosine", wanted="a short step", reached=most.str(3))
            missed = 2 * most / (1 - 2 * most) * (scale * value + tail)
            value, slope = (
                scale * one + widen((missed * by + tail).upper()) for one, by in ((value, 1), (slope, wide))
            )
            least = 1 if is_positive(t, "t") else (-2 * abs(t)).exp()
            return value * least, slope * least

    return transform


def _step(z: arb, t: arb) -> tuple[arb, arb]:
    """The step of the rule, and the half width of the strip on which it relies: the one with the largest step."""
    if _bits(abs(t)) > 64:
        raise NotCertified(
            "transform of a cosine", wanted="a moderate tilt", reached=t.str(3), hint="choose a larger z"
        )
    goal, size, norm = (ctx.prec + 16) * math.log(2), float(abs(t)), float(z)
    strips = (2.0 ** (j / 4) for j in range(-40, 40))
    most = ((b, goal + b * b / 2 + size * (math.cosh(min(norm * b, 300.0)) - 1)) for b in strips)
    step, strip = max((2 * math.pi * b / exponent, b) for b, exponent in most)
    return arb(step), arb(strip)


def _last_node(z: arb, t: arb, step: arb) -> tuple[int, arb]:
    """The number of nodes on one side, and a bound of the integral beyond, on both sides and over e^t."""
    goal = (ctx.prec + 16) * math.log(2) + math.log1p(float(abs(t)))
    falls = [(arb(0), arb(1))]
    if t < 0:
        falls = [(-2 * t, arb(1)), (arb(0), 1 + t * z * z)]
    ends = [
        (math.sqrt(2 * (goal + float(lead)) / float(fall)), lead, fall) for lead, fall in falls if fall > 0
    ]
    end, lead, fall = min(ends, key=lambda found: found[0])
    count = math.ceil(end / float(step)) + 1
    last = count * step
    return count, (lead - fall * last**2 / 2).exp() / (fall * last)


def _window(z: arb, t: arb, step: arb, count: int) -> tuple[int, int, arb]:
    """The first and the last node that count, of those up to ``count``; what the others add to the integral over e^t.

    The logarithm |t| (1 - cos x) - g^2/2, x = z g, has the slope g (|t| z^2 sin(x)/x - 1). As sin(x)/x falls up to
    x = pi and is negative up to 2 pi, values are smaller below a node with a positive slope, and beyond one with a
    negative slope, there up to 2 pi; from there on they are at most e^(2 |t| - (2 pi/z)^2/2).
    """
    pull = -t * z * z
    if not pull > 1:
        return 0, count, arb(0)

    def size(n: int) -> arb:
        g = n * step
        down = (z * g / 2).sin()
        return (-2 * t * down * down - g * g / 2).exp()

    least, most = 0.0, math.pi  # where the slope changes its sign
    while most - least > 1e-12 * most:
        x = (least + most) / 2
        least, most = (x, most) if float(pull) * math.sin(x) > x else (least, x)
    top = round(least / float(z * step))
    goal = size(top) * arb(2) ** -(ctx.prec + 16) / (count + 1)
    ends = []
    for side in (-1, 1):
        apart = 1
        while 0 < top + side * apart < count and not size(top + side * apart) < goal:
            apart *= 2
        ends.append(min(max(top + side * apart, 0), count))
    first, last = ends
    low, high = (z * step * n for n in ends)
    rises = first == 0 or pull * low.sin() > low
    falls = last == count or (high < arb.pi() and pull * high.sin() < high)
    if not (rises and falls):
        return 0, count, arb(0)
    far = (-2 * t - 2 * (arb.pi() / z) ** 2).exp()
    left_out = first * size(first) + (count - last) * (size(last) + far)
    return first, last, left_out * 2 * step / (2 * arb.pi()).sqrt()


MOST_NODES = 200_000
"""Nodes of a rule, which take a second or two."""


def _quickest(z: arb) -> Transform:
    """The rule where terms of the Bessel functions would cancel, or be many; near the limit either is right."""
    return _by_nodes(z) if z < arb(1) / 8 else _by_bessel(z)


def _unscaled(transform: Transform, t: arb) -> arb:
    if t.is_zero():
        return arb(1)
    return transform(t)[0] * abs(t).exp()


cosine_transform = register(Formula(name="cosine_transform", says="E exp(t cos(w.D)) for a normal frequency, |D| = z",
    source="ours; rff.eq14", variables=(POSITIVE_DIFFERENCE_NORM, SLOPE),
    expression=sympy.Function("E")(exp(t * cos(_w * z))),
    readable=False,
    routes=(
        Route("Bessel", lambda z, t: _unscaled(_by_bessel(z), t), "Jacobi and Anger",
            within(t=2000)),
        Route("powers", lambda z, t: _unscaled(_by_powers(z), t), "moments of the cosine", lambda v: abs(v["t"]) <= 60),
        Route("integral", lambda z, t: _unscaled(_by_nodes(z), t), "over the normal density, by the trapezoidal rule",
            lambda v: bool(abs(v["t"]) <= 2000 and v["z"] <= 20))),
    fast="Bessel"))  # fmt: skip


def _exponent(transform: Callable[[arb], Transform], side: int) -> Callable[..., arb]:
    """The Cramer exponent of the tail on this side: the tilted mean E c e^(t c)/E e^(t c) increases with t.

    With u = side c, the error is at 1 - u = gap. The tilted mean of 1 - u is about 1/(2t) for large t, so 1/(1 - mean)
    is nearly linear in t, and the zero of its difference to 1/gap is found in a few steps.
    """

    def exponent(z: arb, eps: arb) -> arb:
        of = transform(z)
        about = 1 - side * (-z * z / 2).exp() - eps
        is_positive(about, "the distance from the error to the largest that is possible")
        size = _bits(1 / about.lower())
        if size > LARGEST_TILT:
            raise _too_close(f"2^{LARGEST_TILT}")
        with ctx.workprec(ctx.prec + 2 * size + 16):
            gap = 1 - side * (-z * z / 2).exp() - eps

            def excess(t: arb) -> arb:
                value, slope = of(side * t)
                return value / (value - side * slope) - 1 / gap

            high = arb(1)
            while not is_positive(excess(high), "the slope at a tilt"):
                high = 2 * (high.max((1 / gap).upper()) if _bits(high) > LARGE_TILT else high)
                if _bits(high) > LARGEST_TILT:
                    raise _too_close(high.str(3))
            low = (
                (eps / 2).lower().mid()
            )  # the best tilt is at least eps, as no variance of a cosine exceeds 1
            best = monotone_root(excess, low, high, ctx.prec)
            tilt = best.mid()
            value, slope = of(side * tilt)
            # at any other tilt the value is smaller, at most by the slope there times the distance
            missed = abs((value - side * slope) / value - gap) * best.rad()
            return -tilt * gap - value.log() + arb(0).union(missed.upper())

    return exponent


LARGE_TILT = 8
"""The logarithm to base 2 of a tilt. Beyond it the tilted mean may be expected to be 1/(2t)."""
LARGEST_TILT = 20_000
"""The logarithm to base 2 of the largest tilt that is tried."""


def _too_close(reached: str) -> NotCertified:
    """The error when the best tilt is out of reach."""
    return NotCertified("Cramer exponent", wanted="the best tilt", reached=f"none up to {reached}",
                        hint="the error is too close to the largest that is possible")  # fmt: skip


def _moderate(values: Mapping[str, sympy.Expr]) -> bool:
    return bool(values["eps"] <= Rational(1, 2) and Rational(1, 20) <= values["z"] <= 6)


def _cosine_exponent(name: str, words: str, side: int, condition: Condition) -> Formula:
    k = exp(-(z**2) / 2)
    return register(
        Formula(
            name=name,
            says=f"Cramer exponent of P({words}) for the mean of m cosines, Gaussian kernel: the best rate in m",
            source="ours; what Hoeffding's eps^2/2 of rff.eq14 bounds from below",
            variables=(POSITIVE_DIFFERENCE_NORM, ERROR),
            expression=sympy.Function("sup")(t * (k + side * eps) - log(cosine_transform.expression)),
            readable=False,
            conditions=(condition,),
            routes=(
                Route(
                    "Bessel",
                    _exponent(_by_bessel, side),
                    "tilt by bisection, transform by Bessel functions",
                    lambda values: bool(values["z"] >= Rational(1, 20)),
                ),
                Route(
                    "powers",
                    _exponent(_by_powers, side),
                    "the same from the moments of the cosine",
                    _moderate,
                ),
                Route(
                    "integrals",
                    _exponent(_by_nodes, side),
                    "the same by the trapezoidal rule",
                    lambda values: bool(values["eps"] <= Rational(1, 2) and values["z"] <= 6),
                ),
                Route("quickest", _exponent(_quickest, side), "the rule at z < 1/8, Bessel functions beyond"),
            ),
            fast="quickest",
        )
    )


cosine_upper_exponent = _cosine_exponent("cosine_upper_exponent", "s - k >= eps", 1,
    Condition("exp(-z^2/2) + eps < 1", exp(-(z**2) / 2) + eps < 1))  # fmt: skip
cosine_lower_exponent = _cosine_exponent("cosine_lower_exponent", "k - s >= eps", -1,
    Condition("eps < 1 + exp(-z^2/2)", eps < 1 + exp(-(z**2) / 2)))  # fmt: skip


# ---- simple bounds -------------------------------------------------------------------------------------


def _chernoff(m: int, eps: arb, rate: arb) -> arb:
    tilt = 2 * rate * eps
    return 2 * (m * (tilt * tilt / (4 * rate) - tilt * eps)).exp()


point_bound = register(Formula(name="point_bound",
    says="2 exp(-rate m eps^2): bounds P(|s - k| >= eps) where both Cramer exponents are at least rate eps^2",
    source="rff.paper-loose", variables=(FEATURES, ERROR, RATE), expression=2 * exp(-rate * m * eps**2),
    routes=(Route("power", 2 * exp(-rate * eps**2) ** m, "m independent factors"),
        Route("Chernoff", _chernoff, "best tilt of a transform exp(t^2/(4 rate))"))))  # fmt: skip
