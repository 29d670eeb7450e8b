"""Lemmas shared by the derivations: Gamma and Wallis integrals, duplication, means over lines and spheres.

``definition.*`` are the basic definitions, by series or integrals, each guarded by enclosures.
"""

from __future__ import annotations

import sympy
from sympy import (
    Integral,
    Rational,
    Sum,
    besseli,
    besselj,
    cos,
    cosh,
    exp,
    factorial,
    gamma,
    hyper,
    log,
    oo,
    pi,
    sin,
    sinh,
    sqrt,
)

from rftheory.exact.formula import Variable
from rftheory.exact.proof.rules import (
    Antiderivative,
    Chain,
    ChangeVariable,
    Combination,
    Definition,
    Exchange,
    FromInequality,
    Given,
    Holds,
    Increasing,
    Inside,
    Instance,
    IntegralRecurrence,
    RatioInduction,
    Reversed,
    Scaled,
    Sign,
    Symmetry,
    Termwise,
    Use,
)
from rftheory.exact.proof.steps import Derivation, Scope, Step, register_derivation
from rftheory.exact.ranges import Range
from rftheory.exact.substitution import with_values
from rftheory.exact.vanishing import vanishes

a = sympy.Symbol("a", positive=True)
alpha = sympy.Symbol("alpha", real=True)
k = sympy.Symbol("k", integer=True, nonnegative=True)
n = sympy.Symbol("n", integer=True, positive=True)
p = sympy.Symbol("p", integer=True, nonnegative=True)
q = sympy.Symbol("q", integer=True, positive=True)
s = sympy.Symbol("s", positive=True)
t = sympy.Symbol("t", real=True)
u = sympy.Symbol("u", positive=True)
w = sympy.Symbol("w", positive=True)
x = sympy.Symbol("x", real=True)
phi = sympy.Symbol("phi", real=True)
z = sympy.Symbol("z")

SHAPE = Variable(s, "exponent of the Gamma integral", above=0)
RATE = Variable(a, "rate of the exponential", above=0)
ORDER = Variable(n, "number of factors", integer=True, low=1)
INDEX = Variable(k, "order of a moment", integer=True, low=0)
ARGUMENT = Variable(t, "argument")
COSPHERE = Variable(q, "dimension of the sphere, d - 1", integer=True, low=1)
HALF = Rational(1, 2)
ARGUMENTS = ({"t": "-7/2"}, {"t": "1/3"}, {"t": 5})


def definition(
    name: str, says: str, left: sympy.Expr, right: sympy.Expr, variables: tuple[Variable, ...], points: tuple
) -> Derivation:  # type: ignore[type-arg]
    """A definition by a series or an integral, as a derivation of one step."""
    step = Step(f"definition.{name}/statement", left, right, reason=says, check=Definition(says))
    return register_derivation(Derivation(f"definition.{name}", name, says, variables, (step,), points))


_binomial = Sum(factorial(k) / (factorial(k - p) * factorial(p)) * t**p, (p, 0, k))

definition("gamma", "Euler's integral defines Gamma", Integral(u ** (s - 1) * exp(-u), (u, 0, oo)), gamma(s),
    (SHAPE,), ({"s": 1}, {"s": 4}, {"s": "3/2"}))  # fmt: skip
definition("exp", "exponential series", Sum(t**k / factorial(k), (k, 0, oo)), exp(t), (ARGUMENT,), ARGUMENTS)
definition("complex_exp", "exponential series of a complex argument", Sum(z**k / factorial(k), (k, 0, oo)), exp(z),
    (Variable(z, "argument", complex=True),), ({"z": "-7/2"}, {"z": "1/3 + 2*I"}, {"z": "5*I"}))  # fmt: skip
definition("cosh", "series of cosh", Sum(t ** (2 * k) / factorial(2 * k), (k, 0, oo)), cosh(t), (ARGUMENT,),
    ARGUMENTS)  # fmt: skip
definition("cos", "series of cos", Sum((-1) ** k * t ** (2 * k) / factorial(2 * k), (k, 0, oo)), cos(t), (ARGUMENT,),
    ARGUMENTS)  # fmt: skip


def _pascal(step: Step, _: Scope) -> str:
    """Induction on k: a coefficient of order k + 1 is the sum of two of order k, and both sides are 1 at k = 0."""
    coefficient = step.left.args[0] / t**p
    ratios = [coefficient.subs(change) / coefficient for change in ({k: k + 1}, {p: p - 1})]
    ends = [
        with_values(coefficient, {k: k + 1, p: end}) - coefficient.subs(p, start)
        for end, start in ((0, 0), (k + 1, k))
    ]
    power = sympy.powsimp(step.right.subs(k, k + 1) / step.right)
    passes = vanishes(ratios[0] - ratios[1] - 1)
    starts = step.left.subs(k, 0).doit() == step.right.subs(k, 0) == 1
    if passes and starts and all(map(vanishes, ends)) and sympy.expand(power - 1 - t) == 0:
        return f"induction on {k}: Pascal's rule for the coefficients, factor {1 + t} on the right"
    return ""


register_derivation(Derivation(id="lemma.binomial", title="binomial theorem",
    says="(1 + t)^k as a sum over powers of t", variables=(INDEX, ARGUMENT),
    points=({"k": 0, "t": "1/3"}, {"k": 1, "t": -2}, {"k": 6, "t": "5/2"}),
    steps=(Step("lemma.binomial/statement", _binomial, (1 + t) ** k, check=Holds(_pascal)),)))  # fmt: skip
definition("kummer", "series of 1F1", Sum(gamma(k + a) / gamma(k + s) * t**k / factorial(k), (k, 0, oo)),
    gamma(a) / gamma(s) * hyper((a,), (s,), t), (RATE, SHAPE, ARGUMENT),
    ({"a": 2, "s": 1, "t": "-7/2"}, {"a": "1/2", "s": 3, "t": 2}, {"a": 64, "s": 32, "t": "1/3"}))  # fmt: skip
definition("bessel_j", "series of the Bessel function J",
    Sum((-1) ** k / (factorial(k) * gamma(k + alpha + 1)) * (z / 2) ** (2 * k + alpha), (k, 0, oo)),
    besselj(alpha, z), (Variable(alpha, "order", above=-1), Variable(z, "argument", complex=True)),
    ({"alpha": 0, "z": "3/2"}, {"alpha": "-1/2", "z": 5}, {"alpha": "5/2", "z": "2*I"}))  # fmt: skip
definition("bessel_i", "series of the modified Bessel function I",
    Sum((u / 2) ** (2 * k + alpha) / (factorial(k) * gamma(k + alpha + 1)), (k, 0, oo)), besseli(alpha, u),
    (Variable(alpha, "order", above=-1), Variable(u, "argument", above=0)),
    ({"alpha": 0, "u": "3/2"}, {"alpha": "-1/2", "u": 5}, {"alpha": "5/2", "u": "1/3"}))  # fmt: skip

_radial = Integral(w ** (2 * s - 1) * exp(-a * w**2), (w, 0, oo))
_euler = Integral(u ** (s - 1) * exp(-u), (u, 0, oo)) / (2 * a**s)

register_derivation(Derivation(id="lemma.gamma_integral", title="Gaussian radial integral",
    says="int_0^oo w^(2s-1) exp(-a w^2) dw = Gamma(s)/(2 a^s)", variables=(SHAPE, RATE),
    points=({"s": 1, "a": "1/4"}, {"s": 4, "a": 3}, {"s": "3/2", "a": "1/2"}),
    steps=(
        Step("lemma.gamma_integral/substitution", _radial, _euler, reason="w = sqrt(u/a)",
            check=ChangeVariable(w, u, sqrt(u / a))),
        Step("lemma.gamma_integral/euler", _euler, gamma(s) / (2 * a**s), reason="Euler's integral",
            check=Use("definition.gamma", {})),
        Step("lemma.gamma_integral/statement", _radial, gamma(s) / (2 * a**s), check=Chain()))))  # fmt: skip

register_derivation(Derivation(id="lemma.wallis", title="Wallis integrals",
    says="int_0^pi sin^(n-1) = sqrt(pi) Gamma(n/2)/Gamma((n+1)/2)", variables=(ORDER,),
    points=({"n": 1}, {"n": 2}, {"n": 7}, {"n": 64}),
    steps=(Step("lemma.wallis/statement", Integral(sin(phi) ** (n - 1), (phi, 0, pi)),
        sqrt(pi) * gamma(n / 2) / gamma((n + 1) / 2), reason="n W(n) = (n+1) W(n+2) by parts; W(1) = pi, W(2) = 2",
        check=IntegralRecurrence(n, 1, n / (n + 1), -(sin(phi) ** n) * cos(phi) / (n + 1),
            (Antiderivative(phi), Antiderivative(-cos(phi))))),)))  # fmt: skip

register_derivation(Derivation(id="lemma.duplication", title="Legendre duplication at half-integers",
    says="2^(n-1) Gamma(n/2) Gamma((n+1)/2) = sqrt(pi) Gamma(n)", variables=(ORDER,),
    points=({"n": 1}, {"n": 2}, {"n": 9}, {"n": 64}),
    steps=(Step("lemma.duplication/statement", 2 ** (n - 1) * gamma(n / 2) * gamma((n + 1) / 2), sqrt(pi) * gamma(n),
        reason="both sides are multiplied by n (n+1) from n to n + 2",
        check=RatioInduction(n, 1, 2)),)))  # fmt: skip

register_derivation(Derivation(id="lemma.duplication_quotient", title="Legendre duplication, solved for the quotient",
    says="sqrt(pi)/(Gamma(n/2) Gamma((n+1)/2)) = 2^(n-1)/Gamma(n)", variables=(ORDER,),
    points=({"n": 1}, {"n": 2}, {"n": 9}, {"n": 64}),
    steps=(Step("lemma.duplication_quotient/statement", sqrt(pi) / (gamma(n / 2) * gamma((n + 1) / 2)),
        2 ** (n - 1) / gamma(n), reason="both sides are divided by n (n+1) / 4 from n to n + 2",
        check=RatioInduction(n, 1, 2)),)))  # fmt: skip

_cosine_moment = sqrt(pi) * gamma(q / 2) * factorial(2 * k) / (4**k * factorial(k) * gamma(k + (q + 1) / 2))

register_derivation(Derivation(id="lemma.cosine_moment", title="Even moments of a coordinate on the sphere",
    says="int_0^pi cos^(2k) sin^(q-1), the unnormalised mean of u_1^(2k) over the sphere in q + 1 " "dimensions",
    variables=(COSPHERE, INDEX), points=({"q": 1, "k": 0}, {"q": 1, "k": 3}, {"q": 4, "k": 2}, {"q": 9, "k": 1}),
    steps=(Step("lemma.cosine_moment/statement", Integral(cos(phi) ** (2 * k) * sin(phi) ** (q - 1), (phi, 0, pi)),
        _cosine_moment, reason="by parts, from Wallis' integral at k = 0",
        check=IntegralRecurrence(k, 0, (2 * k + 1) / (2 * k + q + 1),
            cos(phi) ** (2 * k + 1) * sin(phi) ** q / (2 * k + q + 1), (Use("lemma.wallis", {n: q}),))),)))  # fmt: skip

_polar = Integral(exp(t * cos(phi)) * sin(phi) ** (q - 1), (phi, 0, pi))
_polar_even = Integral(cosh(t * cos(phi)) * sin(phi) ** (q - 1), (phi, 0, pi))
_polar_odd = Integral(sinh(t * cos(phi)) * sin(phi) ** (q - 1), (phi, 0, pi))
_polar_terms = t ** (2 * k) / factorial(2 * k) * cos(phi) ** (2 * k) * sin(phi) ** (q - 1)
_zonal_moments = Sum(Integral(_polar_terms, (phi, 0, pi)), (k, 0, oo))
_polar_series = gamma((q + 1) / 2) * Sum(t ** (2 * k) / (4**k * factorial(k) * gamma(k + (q + 1) / 2)),
    (k, 0, oo))  # fmt: skip
_surface = sqrt(pi) * gamma(q / 2) / gamma((q + 1) / 2)
_ZONAL_POINTS = ({"q": 1, "t": "-3/2"}, {"q": 2, "t": 4}, {"q": 63, "t": "1/3"})

register_derivation(Derivation(id="lemma.zonal", title="Mean of exp over a sphere",
    says="int_0^pi exp(t cos) sin^(q-1) = |S| Gamma(d/2) sum t^(2k)/(2^(2k) k! Gamma(k + d/2)), d = q + " "1",
    variables=(COSPHERE, ARGUMENT), points=_ZONAL_POINTS,
    steps=(
        Step("lemma.zonal/odd", _polar_odd, sympy.S.Zero, reason="sinh(t cos) is odd about pi/2",
            check=Symmetry(pi / 2)),
        Step("lemma.zonal/split", _polar, _polar_even + _polar_odd, reason="exp = cosh + sinh",
            check=Inside()),
        Step("lemma.zonal/even part", _polar_even + _polar_odd, _polar_even, reason="the odd part vanishes",
            check=Given(("lemma.zonal/odd",))),
        Step("lemma.zonal/expand", _polar_even, Integral(Sum(_polar_terms, (k, 0, oo)), (phi, 0, pi)),
            reason="series of cosh", check=Reversed(Use("definition.cosh", {t: t * cos(phi)}))),
        Step("lemma.zonal/exchange", Integral(Sum(_polar_terms, (k, 0, oo)), (phi, 0, pi)), _zonal_moments,
            reason="integrate termwise", check=Exchange()),
        Step("lemma.zonal/moments", _zonal_moments, _surface * _polar_series,
            reason="moments of the first coordinate",
            check=Use("lemma.cosine_moment", {})),
        Step("lemma.zonal/statement", _polar, _surface * _polar_series, check=Chain()))))  # fmt: skip

_wave = Integral(cos(t * cos(phi)) * sin(phi) ** (q - 1), (phi, 0, pi))
_wave_moments = Sum((-1) ** k * Integral(_polar_terms, (phi, 0, pi)), (k, 0, oo))
_wave_series = gamma((q + 1) / 2) * Sum(
    (-1) ** k * t ** (2 * k) / (4**k * factorial(k) * gamma(k + (q + 1) / 2)), (k, 0, oo)
)

register_derivation(Derivation(id="lemma.zonal_wave", title="Mean of cos over a sphere",
    says="int_0^pi cos(t cos) sin^(q-1) = |S| Gamma(d/2) sum (-1)^k t^(2k)/(2^(2k) k! Gamma(k + d/2)), " "d = q + 1",
    variables=(COSPHERE, ARGUMENT), points=_ZONAL_POINTS,
    steps=(
        Step("lemma.zonal_wave/summable", _zonal_moments, _surface * _polar_series,
            reason="the series of absolute values is finite",
            check=Use("lemma.cosine_moment", {})),
        Step("lemma.zonal_wave/expand", _wave, Integral(Sum((-1) ** k * _polar_terms, (k, 0, oo)), (phi, 0, pi)),
            reason="series of cos", check=Reversed(Use("definition.cos", {t: t * cos(phi)}))),
        Step("lemma.zonal_wave/exchange", Integral(Sum((-1) ** k * _polar_terms, (k, 0, oo)), (phi, 0, pi)),
            _wave_moments, reason="integrate termwise", check=Exchange(summable="lemma.zonal_wave/summable")),
        Step("lemma.zonal_wave/moments", _wave_moments, _surface * _wave_series,
            reason="moments of the first coordinate",
            check=Use("lemma.cosine_moment", {})),
        Step("lemma.zonal_wave/statement", _wave, _surface * _wave_series, check=Chain()))))  # fmt: skip

_line = Integral(exp(-(x**2) / 2), (x, -oo, oo))
_line_moment = Integral(x ** (2 * k) * exp(-(x**2) / 2), (x, -oo, oo))
_half_moment = 2 * Integral(x ** (2 * k) * exp(-(x**2) / 2), (x, 0, oo))

register_derivation(Derivation(id="lemma.normal_moment", title="Even moments of a normal variable",
    says="int x^(2k) exp(-x^2/2) = 2^(k+1/2) Gamma(k + 1/2) over the line", variables=(INDEX,),
    points=({"k": 0}, {"k": 1}, {"k": 6}),
    steps=(Step("lemma.normal_moment/even", _line_moment, _half_moment, reason="even integrand", check=Symmetry()),
        Step("lemma.normal_moment/gamma", _half_moment, 2 ** (k + HALF) * gamma(k + HALF),
            reason="radial integral, s = k + 1/2, a = 1/2",
            check=Use("lemma.gamma_integral", {s: k + HALF, a: HALF})),
        Step("lemma.normal_moment/statement", _line_moment, 2 ** (k + HALF) * gamma(k + HALF),
            check=Chain()))))  # fmt: skip

_tilted = Integral(exp(-(x**2) / 2 + t * x) / sqrt(2 * pi), (x, -oo, oo))
_shifted = Integral(exp(t**2 / 2) / sqrt(2 * pi) * exp(-(x**2) / 2), (x, -oo, oo))

register_derivation(Derivation(id="lemma.normal_mgf", title="Moment generating function of a normal variable",
    says="E exp(t X) = exp(t^2/2)", variables=(ARGUMENT,), points=ARGUMENTS,
    steps=(
        Step("lemma.normal_mgf/square", _tilted, _shifted, reason="complete the square, x -> x + t",
            check=ChangeVariable(x, x, x + t)),
        Step("lemma.normal_mgf/mass", _shifted, exp(t**2 / 2), reason="total mass",
            check=Use("lemma.normal_moment", {k: sympy.S.Zero})),
        Step("lemma.normal_mgf/statement", _tilted, exp(t**2 / 2), check=Chain()))))  # fmt: skip

_normal_terms = t ** (2 * k) / factorial(2 * k) * x ** (2 * k) * exp(-(x**2) / 2) / sqrt(2 * pi)
_normal_sums = Sum(Integral(_normal_terms, (x, -oo, oo)), (k, 0, oo))
_normal_waves = Sum((-1) ** k * Integral(_normal_terms, (x, -oo, oo)), (k, 0, oo))
_normal_wave = Integral(cos(t * x) * exp(-(x**2) / 2) / sqrt(2 * pi), (x, -oo, oo))
_normal_expanded = Integral(Sum((-1) ** k * _normal_terms, (k, 0, oo)), (x, -oo, oo))

register_derivation(Derivation(id="lemma.normal_cf", title="Characteristic function of a normal variable",
    says="E cos(t X) = exp(-t^2/2)", variables=(ARGUMENT,), points=ARGUMENTS,
    steps=(
        Step("lemma.normal_cf/summable", _normal_sums, Sum(t ** (2 * k) / (2**k * factorial(k)), (k, 0, oo)),
            reason="the series of absolute values is finite",
            check=Use("lemma.normal_moment", {})),
        Step("lemma.normal_cf/expand", _normal_wave, _normal_expanded, reason="series of cos",
            check=Reversed(Use("definition.cos", {t: t * x}))),
        Step("lemma.normal_cf/exchange", _normal_expanded, _normal_waves, reason="integrate termwise",
            check=Exchange(summable="lemma.normal_cf/summable")),
        Step("lemma.normal_cf/moments", _normal_waves, Sum((-(t**2) / 2) ** k / factorial(k), (k, 0, oo)),
            reason="even moments", check=Use("lemma.normal_moment", {})),
        Step("lemma.normal_cf/sum", Sum((-(t**2) / 2) ** k / factorial(k), (k, 0, oo)), exp(-(t**2) / 2),
            reason="exponential series", check=Use("definition.exp", {t: -(t**2) / 2})),
        Step("lemma.normal_cf/statement", _normal_wave, exp(-(t**2) / 2), check=Chain()))))  # fmt: skip

# ---- elementary inequalities ---------------------------------------------------------------------------

arc = sympy.Symbol("t", nonnegative=True)
_inner, _above = sympy.symbols("s x", nonnegative=True)
below_one = sympy.Symbol("a", nonnegative=True)
_NONNEG = Variable(arc, "argument", low=0)
_NONNEG_POINTS = ({"t": 0}, {"t": "1/100"}, {"t": 1}, {"t": "7/2"})


def remainder(
    identifier: str,
    title: str,
    variables: tuple[Variable, ...],
    points: tuple,  # type: ignore[type-arg]
    sides: tuple[sympy.Expr, sympy.Expr],
    integrand: sympy.Expr,
    primitive: sympy.Expr,
) -> Derivation:
    """The first side is at least the second one: they differ by the integral over s in [0, 1] of an integrand >= 0."""
    (large, small), rest = sides, Integral(integrand, (_inner, 0, 1))
    steps = (
        Step(f"{identifier}/remainder", rest, large - small, check=Antiderivative(primitive)),
        Step(f"{identifier}/sign", rest, sympy.S.Zero, ">=", check=Termwise(Sign())),
        Step(
            f"{identifier}/statement",
            large,
            small,
            ">=",
            check=FromInequality(f"{identifier}/sign", given=(f"{identifier}/remainder reversed",)),
        ),
    )
    says = "the remainder of a Taylor expansion is an integral of a nonnegative function"
    return register_derivation(Derivation(identifier, title, says, variables, steps, points))


remainder("lemma.exponential", "the exponential lies above its tangent", (ARGUMENT,), (*ARGUMENTS, {"t": 0}),
    (exp(t), 1 + t), t**2 * (1 - _inner) * exp(t * _inner), (1 + t * (1 - _inner)) * exp(t * _inner))  # fmt: skip
remainder("lemma.exponential2", "the exponential lies above its expansion of second order", (_NONNEG,),
    _NONNEG_POINTS, (exp(arc), 1 + arc + arc**2 / 2), arc**3 * (1 - _inner) ** 2 / 2 * exp(arc * _inner),
    (1 + arc * (1 - _inner) + arc**2 * (1 - _inner) ** 2 / 2) * exp(arc * _inner))  # fmt: skip
remainder("lemma.sine", "the sine lies below its tangent at 0", (_NONNEG,), _NONNEG_POINTS, (arc, sin(arc)),
    arc * (1 - cos(arc * _inner)), arc * _inner - sin(arc * _inner))  # fmt: skip
remainder("lemma.bernoulli", "Bernoulli's inequality for a power between 0 and 1",
    (Variable(a, "base", above=0), Variable(w, "power", above=0, high=1)),
    ({"a": 1, "w": 1}, {"a": "1/50", "w": "1/3"}, {"a": 7, "w": "1/2"}), (1 + w * (a - 1), a**w),
    (1 - _inner) * w * (1 - w) * (a - 1) ** 2 * (1 + _inner * (a - 1)) ** (w - 2),
    -(1 - _inner) * w * (a - 1) * (1 + _inner * (a - 1)) ** (w - 1) - (1 + _inner * (a - 1)) ** w)  # fmt: skip
remainder("lemma.entropy", "-(1 - a) log(1 - a) is at most a", (Variable(below_one, "a", low=0, below=1),),
    ({"a": 0}, {"a": "1/3"}, {"a": "99/100"}), (below_one, -(1 - below_one) * log(1 - below_one)),
    (1 - _inner) * below_one**2 / (1 - below_one * _inner),
    below_one * _inner + (1 - below_one) * log(1 - below_one * _inner))  # fmt: skip

_grown = exp(arc * _inner) * (arc**2 * (1 - _inner) ** 2 / 2 + arc * (1 - _inner) + 1)
_fallen = exp(-arc * _inner) * (arc**2 * (1 - _inner) ** 2 / 2 - arc * (1 - _inner) + 1)
_cube = arc**3 * (1 - _inner) ** 3 / 6 * (exp(arc * _inner) - exp(-arc * _inner))
_even = exp(arc * _inner) + exp(-arc * _inner)
remainder("lemma.cosh", "2 cosh t is at least 2 + t^2", (_NONNEG,), _NONNEG_POINTS,
    (exp(arc) + exp(-arc), 2 + arc**2), arc**4 * (1 - _inner) ** 3 / 6 * _even, _grown + _fallen + _cube)  # fmt: skip
remainder("lemma.sinh", "2 sinh t is at least 2 t", (_NONNEG,), _NONNEG_POINTS,
    (exp(arc) - exp(-arc), 2 * arc), arc**3 * (1 - _inner) ** 2 / 2 * _even, _grown - _fallen)  # fmt: skip

_place = sympy.Symbol("y", nonnegative=True)
_share = sympy.Symbol("p", nonnegative=True)
_weighed = _share * exp(t * _inner)
_tilted_share = _weighed / (1 - _share + _weighed)
_spread = Integral((1 - _inner) * t**2 * (_tilted_share - HALF) ** 2, (_inner, 0, 1))
_HOEFFDING = "lemma.hoeffding"

register_derivation(Derivation(id=_HOEFFDING, title="Hoeffding's lemma",
    says="log E exp(t (Y - E Y)) <= t^2/8 for Y in [0, 1], E Y = p: the exponential lies below its chord",
    variables=(ARGUMENT, Variable(_place, "value of Y", low=0, high=1), Variable(_share, "E Y", low=0, high=1)),
    points=({"t": "-7/2", "y": 0, "p": "1/3"}, {"t": "1/3", "y": "1/2", "p": 0}, {"t": 5, "y": "9/10", "p": "1/50"}),
    steps=(
        Step(f"{_HOEFFDING}/tangent from 0", exp(-t * _place), 1 - t * _place, ">=",
            check=Instance("lemma.exponential", {t: -t * _place})),
        Step(f"{_HOEFFDING}/tangent from 1", exp(t * (1 - _place)), 1 + t * (1 - _place), ">=",
            check=Instance("lemma.exponential", {t: t * (1 - _place)})),
        Step(f"{_HOEFFDING}/chord", exp(t * _place), 1 - _place + _place * exp(t), "<=",
            check=Combination(((f"{_HOEFFDING}/tangent from 0", (1 - _place) * exp(t * _place)),
                (f"{_HOEFFDING}/tangent from 1", _place * exp(t * _place))))),
        Step(f"{_HOEFFDING}/remainder", _spread, t**2 / 8 + t * _share - log(1 - _share + _share * exp(t)),
            reason="the mean of the chord is 1 - p + p e^t; the tilted law has a variance q (1 - q) <= 1/4",
            check=Antiderivative((1 - _inner) * (t**2 * _inner / 4 + t * (_share - _tilted_share))
                + t**2 * _inner**2 / 8 + t * _share * _inner - log(1 - _share + _weighed))),
        Step(f"{_HOEFFDING}/sign", _spread, sympy.S.Zero, ">=", check=Termwise(Sign())),
        Step(f"{_HOEFFDING}/statement", log(1 - _share + _share * exp(t)) - t * _share, t**2 / 8, "<=",
            reason="with t = s (b - a): log E exp(s (X - E X)) <= s^2 (b - a)^2/8 for X in [a, b]",
            check=FromInequality(f"{_HOEFFDING}/sign", given=(f"{_HOEFFDING}/remainder reversed",))))))  # fmt: skip

_sines, _arcs = Integral(sin(2 * _inner), (_inner, 0, arc)), Integral(2 * _inner, (_inner, 0, arc))
register_derivation(Derivation(id="lemma.sine_squared", title="sin^2 t is at most t^2",
    says="both are integrals from 0, of sin 2s and of 2s", variables=(_NONNEG,), points=_NONNEG_POINTS,
    steps=(
        Step("lemma.sine_squared/sine", _sines, sin(arc) ** 2,
            check=Antiderivative(sin(_inner) ** 2)),
        Step("lemma.sine_squared/square", _arcs, arc**2, check=Antiderivative(_inner**2)),
        Step("lemma.sine_squared/bodies", _sines, _arcs, "<=",
            check=Termwise(Instance("lemma.sine", {arc: 2 * _inner}))),
        Step("lemma.sine_squared/statement", sin(arc) ** 2, arc**2, "<=", check=Chain()))))  # fmt: skip

chord_share = sympy.Symbol("c", nonnegative=True)
_scaled, _chord = (
    Integral(chord_share * arc * cosh(x * _inner), (_inner, 0, 1)) for x in (chord_share * arc, arc)
)
register_derivation(Derivation(id="lemma.chord", title="sinh lies below its chords from 0",
    says="the slope cosh is increasing",
    variables=(_NONNEG, Variable(chord_share, "share of the argument", low=0, high=1)),
    points=({"t": 0, "c": 1}, {"t": 1, "c": "1/3"}, {"t": "7/2", "c": 0}),
    steps=(
        Step("lemma.chord/at the share", _scaled, sinh(chord_share * arc),
            check=Antiderivative(sinh(chord_share * arc * _inner))),
        Step("lemma.chord/chord", _chord, chord_share * sinh(arc),
            check=Antiderivative(chord_share * sinh(arc * _inner))),
        Step("lemma.chord/slopes", _scaled, _chord, "<=",
            check=Termwise(Scaled(chord_share * arc,
                Increasing(cosh(_above), _above, chord_share * arc * _inner, arc * _inner,
                    Sign(arc * _inner * (1 - chord_share)), Range(sympy.S.Zero))))),
        Step("lemma.chord/statement", sinh(chord_share * arc), chord_share * sinh(arc), "<=",
            check=Chain()))))  # fmt: skip
