"""Moments of the two random Fourier feature estimators: sine-cosine pairs and random phases.

Pair map: s = (1/m) sum_i cos(w_i.Delta). Phase map: s = (1/m) sum_i 2 cos(w_i.x + b_i) cos(w_i.y + b_i), whose summand
is cos(w_i.Delta) + cos(t_i) with t_i uniform on the circle and independent of w_i. So every moment follows from the
characteristic function of the frequencies, that is from k(Delta), k(2 Delta), ... The Gaussian variance of the pair map
is ``trig_mse_iid`` of :mod:`rftheory.exact.trigonometric`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy
from flint import acb, arb, ctx
from sympy import Rational, exp

from rftheory.exact.conformity import within
from rftheory.exact.enclosure import certified_integral, widen
from rftheory.exact.formula import Condition, Formula, Route, Variable, register
from rftheory.exact.symbols import DIFFERENCE_NORM, FEATURES, m, z

k1, k2 = sympy.symbols("k1 k2", real=True)

KERNEL = Variable(k1, "k(x - y)", low=-1, high=1)
KERNEL_TWICE = Variable(k2, "k(2 (x - y))", low=-1, high=1)
POSITIVE_DEFINITE = Condition("k2 >= 2 k1^2 - 1 (positive definiteness)", k2 >= 2 * k1**2 - 1)

UNIFORM_COSINE_MOMENTS = (Rational(1), Rational(0), Rational(1, 2), Rational(0), Rational(3, 8))
"""E cos(t)^n, n = 0..4, for t uniform on the circle."""


# ---- any kernel --------------------------------------------------------------------------------------


def cosine_moments(kernel: Sequence[sympy.Expr]) -> tuple[sympy.Expr, ...]:
    """Raw moments E cos(w.Delta)^n, n = 0..4, from the kernel values k(0), k(Delta), ..., k(4 Delta).

    Examples
    --------
    >>> a, b = sympy.symbols("a b")
    >>> cosine_moments((1, a, b, 0, 0))[2]
    b/2 + 1/2
    """
    one, a, b, c, e = kernel
    return one, a, (one + b) / 2, (3 * a + c) / 4, (3 * one + 4 * b + e) / 8


def central_moment(order: int, raw: Sequence[sympy.Expr]) -> sympy.Expr:
    """Central moment of the given order from the raw moments of order 0..order.

    Examples
    --------
    >>> central_moment(2, [1, 2, 7])
    3
    """
    mean = raw[1]
    return sympy.Add(*(sympy.binomial(order, j) * (-mean) ** (order - j) * raw[j] for j in range(order + 1)))


def phase_moment(order: int, raw: Sequence[sympy.Expr]) -> sympy.Expr:
    """Central moment of one summand of the phase map: of cos(w.Delta) + cos(t) with independent t.

    Examples
    --------
    >>> phase_moment(2, [1, 2, 7])
    7/2
    """
    terms = (
        sympy.binomial(order, j) * UNIFORM_COSINE_MOMENTS[order - j] * central_moment(j, raw)
        for j in range(order + 1)
    )
    return sympy.Add(*terms)


def of_mean(order: int, moments: Sequence[sympy.Expr]) -> sympy.Expr:
    """Central moment (order 2, 3 or 4) of the mean of m independent copies, from the central moments of one copy.

    Examples
    --------
    >>> of_mean(4, [1, 0, 1, 0, 3]).subs(m, 10)
    3/100
    """
    if order < 4:
        return moments[order] / m ** (order - 1)
    return (moments[4] + 3 * (m - 1) * moments[2] ** 2) / m**3


pair_variance = register(Formula(name="pair_variance",
    says="variance of the sine-cosine estimator with m frequencies, any kernel",
    source="ss15.var.l1, rff.eq11, rff.var-decr", variables=(FEATURES, KERNEL, KERNEL_TWICE),
    expression=((1 + k2) / 2 - k1**2) / m,
    routes=(Route("printed", (1 + k2 - 2 * k1**2) / (2 * m), "the printed form, D_out = 2 m entries"),
        Route("centred", lambda m, k1, k2: ((k2 - (2 * k1 * k1 - 1)) / 2) / m, "E cos^2 - k^2 by the double angle")),
    conditions=(POSITIVE_DEFINITE,)))  # fmt: skip

phase_variance = register(Formula(name="phase_variance",
    says="variance of the random phase estimator with m frequencies, any kernel", source="ss15.var.l2",
    variables=(FEATURES, KERNEL, KERNEL_TWICE), expression=(1 + k2 / 2 - k1**2) / m,
    routes=(Route("pair plus phase", pair_variance.expression + 1 / (2 * m), "the independent term cos(t) adds 1/2"),
        Route("from sums", lambda m, k1, k2: (((1 + k2) / 2 + arb(1) / 2) - k1 * k1) / m, "raw second moment")),
    conditions=(POSITIVE_DEFINITE,)))  # fmt: skip


# ---- the Gaussian kernel -----------------------------------------------------------------------------

GAUSSIAN_KERNEL_VALUES = tuple(exp(-(n**2) * z**2 / 2) for n in range(5))
_RAW = cosine_moments(GAUSSIAN_KERNEL_VALUES)
_PAIR = tuple(central_moment(n, _RAW) for n in range(5))
_PHASE = tuple(phase_moment(n, _RAW) for n in range(5))


def _by_quadrature(order: int, phases: int) -> Callable[[arb], arb]:
    """Central moment of one summand as an integral over w; with ``phases`` equally spaced phases (0: none).

    The mean of (x + cos t)^n over the circle equals that over more than n equally spaced points.
    """

    def moment(z: arb) -> arb:
        mean = (-z * z / 2).exp()
        shifts = [(2 * arb.pi() * j / phases).cos() for j in range(phases)] or [arb(0)]

        def integrand(w: acb, _: bool) -> acb:
            centred = (w * z).cos() - mean
            total = acb(0)
            for shift in shifts:
                total += (centred + shift) ** order
            return total * (-w * w / 2).exp()

        reach = arb(2 * (ctx.prec + 16) * 0.7).sqrt().upper()
        body = certified_integral(integrand, -reach, reach) / (len(shifts) * (2 * arb.pi()).sqrt())
        return body + widen(arb(3) ** order * (reach / arb(2).sqrt()).erfc())

    return moment


def _by_binomials(order: int) -> Callable[[arb], arb]:
    """Central moment of cos(w z) by the binomial theorem on its two exponentials."""

    def moment(z: arb) -> arb:
        mean, total = (-z * z / 2).exp(), arb(0)
        for j in range(order + 1):
            raw = arb(0)
            for i in range(j + 1):
                raw += int(sympy.binomial(j, i)) * (-((j - 2 * i) ** 2) * z * z / 2).exp()
            total += int(sympy.binomial(order, j)) * (-mean) ** (order - j) * raw / arb(2) ** j
        return total

    return moment


def _phase_by_binomials(order: int) -> Callable[[arb], arb]:
    def moment(z: arb) -> arb:
        total = arb(0)
        for j in range(0, order + 1, 2):
            circle = arb(int(sympy.binomial(j, j // 2))) / arb(2) ** j
            total += int(sympy.binomial(order, j)) * circle * _by_binomials(order - j)(z)
        return total

    return moment


def _mean_of(order: int, moment: Callable[[int], Callable[[arb], arb]]) -> Callable[..., arb]:
    """The central moment of the mean of m copies from the function that gives those of one copy."""

    def how(m: int, z: arb) -> arb:
        if order < 4:
            return moment(order)(z) / arb(m) ** (order - 1)
        return (moment(4)(z) + 3 * (m - 1) * moment(2)(z) ** 2) / arb(m) ** 3

    return how


def _gaussian(name: str, order: int, phase: bool, extra: tuple[Route, ...] = ()) -> Formula:
    one, ordinal = (
        (_PHASE if phase else _PAIR),
        {2: "variance", 3: "third central moment", 4: "fourth central moment"},
    )
    phases = 8 if phase else 0
    binomials = _phase_by_binomials if phase else _by_binomials
    return register(
        Formula(
            name=name,
            says=f"{ordinal[order]} of the {'random phase' if phase else 'sine-cosine'} estimator, Gaussian kernel",
            source="ss15.var.l2" if order == 2 else "ours",
            variables=(FEATURES, DIFFERENCE_NORM),
            expression=of_mean(order, one),
            routes=(
                *extra,
                Route("binomials", _mean_of(order, binomials), "two exponentials, binomial theorem"),
                Route(
                    "integral",
                    _mean_of(order, lambda n: _by_quadrature(n, phases)),
                    "over the frequency",
                    within(z=20),
                ),
            ),
        )
    )


gaussian_phase_variance = _gaussian("gaussian_phase_variance", 2, True,
    (Route("square", (1 + (1 - exp(-(z**2))) ** 2) / (2 * m), "pair variance (1 - q)^2/2 plus 1/2"),))  # fmt: skip
gaussian_pair_third_moment = _gaussian("gaussian_pair_third_moment", 3, False)
gaussian_phase_third_moment = _gaussian("gaussian_phase_third_moment", 3, True)
gaussian_pair_fourth_moment = _gaussian("gaussian_pair_fourth_moment", 4, False)
gaussian_phase_fourth_moment = _gaussian("gaussian_phase_fourth_moment", 4, True)
