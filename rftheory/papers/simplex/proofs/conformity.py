"""Derivations of Reid et al. 2023, Simplex Random Features: mean square error, densities and conformities."""

from __future__ import annotations

import sympy
from sympy import (I, Integral, Rational, S, Sum, besseli, besselj, cos, exp, factorial, gamma, oo, pi, rf,
    sin, sqrt)  # fmt: skip

from rftheory.exact.conformity import (PRINTED_DOUBLE_SUM, SIMPLEX_COSINE, angle_conformity,
    angle_pair_density, iid_pair_density, orf_pair_density)  # fmt: skip
from rftheory.exact.formula import Variable
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import (Antiderivative, Chain, ChangeVariable, Exchange, FromInequality,
    Given, Inside, Ladder, Reversed, Rewrite, Scaled, Sign, StateInduction, Termwise, Use)  # fmt: skip
from rftheory.exact.proof.steps import Derivation, Step, at, register_derivation
from rftheory.exact.symbols import (COSINE, DIMENSION, FEATURES, PAIR_DIMENSION, RESULTANT_NORM, SUM_NORM,
    X_NORM, Y_NORM, c, d, k, m, p, phi, v, w, x, y)  # fmt: skip

HALF = Rational(1, 2)
r = sympy.Symbol("r", positive=True)
cut = sympy.Symbol("w_max", positive=True)

# f(w, v) of (10): the zonal mean, as the sum under the expectation
zonal_term = v ** (2 * k) * w ** (2 * k) / (2 ** (2 * k) * factorial(k) * gamma(k + d / 2))


def pchi(radius: sympy.Expr) -> sympy.Expr:
    """Density of chi with d degrees of freedom."""
    return radius ** (d - 1) * exp(-(radius**2) / 2) / (2 ** (d / 2 - 1) * gamma(d / 2))


# ---- Lemma 4.1 -----------------------------------------------------------------------------------

_iid_mass = gamma(d / 2) * iid_pair_density.expression * zonal_term
_iid_mean = Integral(Sum(_iid_mass, (k, 0, oo)), (w, 0, oo))
_iid_terms = Sum(Integral(_iid_mass, (w, 0, oo)), (k, 0, oo))
_exp_series = Sum(v ** (2 * k) / factorial(k), (k, 0, oo))
_moment_left = Integral(w ** (2 * lemmas.s - 1) * exp(-(w**2) / 2), (w, 0, oo))
_mgf = Integral(exp(-(lemmas.x**2) / 2 + v * lemmas.x) / sqrt(2 * pi), (lemmas.x, -oo, oo))

register_derivation(Derivation(id="simplex.lem4.1", title="IIDRF density and conformity",
    says="|w_i + w_j| of independent projections is sqrt(2) chi_d, and the conformity is exp(v^2)",
    source="Reid et al. 2023, App. A.4", variables=(DIMENSION, RESULTANT_NORM, SUM_NORM, lemmas.SHAPE),
    points=({"d": 1, "w": "1/3", "v": 0, "s": 1}, {"d": 2, "w": 3, "v": "1/3", "s": 4},
        {"d": 7, "w": "5/2", "v": 2, "s": "3/2"}, {"d": 64, "w": 11, "v": 5, "s": 3}),
    steps=(
        Step("simplex.lem4.1/component", at(v**2, {v: exp(v**2 / 2)}), exp(2 * v**2 / 2),
            reason="a component of w_i + w_j has the moment generating function of N(0, 2)", check=Rewrite()),
        Step("simplex.lem4.1/(52)", pchi(w / sqrt(2)) / sqrt(2), iid_pair_density.expression,
            reason="w = sqrt(2) r with r chi_d", check=Rewrite(), printed=True),
        Step("simplex.lem4.1/(identity used)", _moment_left, 2 ** (lemmas.s - 1) * gamma(lemmas.s),
            reason="radial Gaussian integral", check=Use("lemma.gamma_integral", {lemmas.a: HALF}), printed=True),
        Step("simplex.lem4.1/(53) exchange", _iid_mean, _iid_terms, reason="termwise integration", check=Exchange()),
        Step("simplex.lem4.1/(53)", _iid_terms, _exp_series, reason="radial Gaussian integral, s = k + d/2, a = 1/4",
            check=Use("lemma.gamma_integral", {lemmas.s: k + d / 2, lemmas.a: Rational(1, 4)}), printed=True),
        Step("simplex.lem4.1/(53) sum", _exp_series, exp(v**2), reason="exponential series",
            check=Use("definition.exp", {lemmas.t: v**2}), printed=True),
        Step("simplex.lem4.1/(second route) mean", _mgf, exp(v**2 / 2),
            reason="moment generating function of w_1.v/v, standard normal",
            check=Use("lemma.normal_mgf", {lemmas.t: v}), printed=True),
        Step("simplex.lem4.1/(second route)", at(v**2, {v: exp(v**2 / 2)}), exp(v**2),
            reason="independence: the means multiply", check=Rewrite(), printed=True),
        Step("simplex.lem4.1/(19)", _iid_mean, exp(v**2), check=Chain(), printed=True))))  # fmt: skip

# ---- Lemma 4.2 -----------------------------------------------------------------------------------

stretch = 1 + sin(2 * phi) * c
_polar_density = r * pchi(r * cos(phi)) * pchi(r * sin(phi))
_in_angle = w / stretch * pchi(w * cos(phi) / sqrt(stretch)) * pchi(w * sin(phi) / sqrt(stretch))
_printed_angle = w / sqrt(stretch) * pchi(w * cos(phi) / sqrt(stretch)) * pchi(w * sin(phi) / stretch)
_cdf = Integral(_polar_density, (r, 0, cut / sqrt(stretch)), (phi, 0, pi / 2))
_cdf_scaled = Integral(_in_angle, (w, 0, cut), (phi, 0, pi / 2))
_cdf_of_density = Integral(_in_angle, (phi, 0, pi / 2), (w, 0, cut))
_density_56 = Integral(_in_angle, (phi, 0, pi / 2))
_wi, _wj, _e1, _e2 = sympy.symbols("w_i w_j e_1 e_2", real=True)

_INNER_ANGLES = ({"d": 2, "c": "-1/3", "w": "7/2"}, {"d": 3, "c": "-1/2", "w": 2},
    {"d": 6, "c": "1/2", "w": 4})  # fmt: skip
"""At c = -1 the integrand of (20) has an essential singularity inside, which quadrature resolves slowly."""

register_derivation(Derivation(id="simplex.lem4.2", title="density at a fixed angle",
    says="density of |w_i + w_j| for chi_d norms at the angle of cosine c", source="Reid et al. 2023, App. A.5",
    variables=(PAIR_DIMENSION, COSINE, RESULTANT_NORM, Variable(cut, "largest norm", above=0),
        Variable(r, "radius in the plane of norms", above=0),
        Variable(phi, "angle in the plane of norms", low=0, high=pi / 2), Variable(_e1, "first axis of the ellipse"),
        Variable(_e2, "second axis of the ellipse")),
    points=({"d": 2, "c": "-1/3", "w": "7/2", "w_max": 3, "r": 2, "phi": "1/3", "e_1": 2, "e_2": "-1/3"},
        {"d": 2, "c": -1, "w": 1, "w_max": 3, "r": "1/2", "phi": "4/3", "e_1": 2, "e_2": "-1/3"},
        {"d": 3, "c": "-1/2", "w": 2, "w_max": 5, "r": 1, "phi": 1, "e_1": "3/7", "e_2": 1},
        {"d": 6, "c": "1/2", "w": 4, "w_max": 2, "r": 3, "phi": "1/9", "e_1": 0, "e_2": 1}),
    steps=(
        Step("simplex.lem4.2/(ellipse)",
            ((_e1 + _e2) / sqrt(2)) ** 2 + ((_e1 - _e2) / sqrt(2)) ** 2 + 2 * (_e1 + _e2) / sqrt(2) * (_e1 - _e2)
                / sqrt(2) * c,
            (1 + c) * _e1**2 + (1 - c) * _e2**2,
            reason="the quadratic form w_i^2 + w_j^2 + 2 w_i w_j c on its axes: semi-axes w/sqrt(1 +- c)",
            check=Rewrite(), printed=True),
        Step("simplex.lem4.2/norm in polar coordinates",
            (r * cos(phi)) ** 2 + (r * sin(phi)) ** 2 + 2 * r * cos(phi) * r * sin(phi) * c, r**2 * stretch,
            reason="w_i = r cos(phi), w_j = r sin(phi)", check=Rewrite()),
        Step("simplex.lem4.2/(54) to (55), area", sympy.Matrix([r * cos(phi), r * sin(phi)]).jacobian([r, phi]).det(),
            r, reason="Jacobian of polar coordinates; w < w' is r < w'/sqrt(1 + sin(2 phi) c)",
            check=Rewrite(), printed=True),
        Step("simplex.lem4.2/scale", _cdf, _cdf_scaled,
            reason="r = w/sqrt(1 + sin(2 phi) c) in the inner integral of (55)",
            check=ChangeVariable(r, w, w / sqrt(stretch))),
        Step("simplex.lem4.2/exchange", _cdf_scaled, _cdf_of_density,
            reason="Tonelli: P(w < w') is the integral of the inner integral over w, which is the " "density",
            check=Exchange()),
        Step("simplex.lem4.2/(56) first line", _density_56, Integral(_printed_angle, (phi, 0, pi / 2)),
            reason="as printed: w over the root, and the second argument without a root", printed=True),
        Step("simplex.lem4.2/(56) second line", _density_56, angle_pair_density.expression,
            reason="the chi densities multiplied out; w/(1 + sin(2 phi) c) in front, both arguments " "with a root",
            check=Inside(), points=_INNER_ANGLES, printed=True,
            replaces="simplex.lem4.2/(56) first line"),
        Step("simplex.lem4.2/(56) integrated", _cdf_of_density, Integral(angle_pair_density.expression, (w, 0, cut)),
            reason="the same, under the integral over w", check=Inside()),
        Step("simplex.lem4.2/(20)", _cdf, Integral(angle_pair_density.expression, (w, 0, cut)),
            reason="(20) is the density", check=Chain(), printed=True))))  # fmt: skip

# ---- the orthogonal case -------------------------------------------------------------------------

_prefactor = w ** (2 * d - 1) * exp(-(w**2) / 2)
_orthogonal = (_prefactor / (2 ** (d - 2) * gamma(d / 2) ** 2)
    * Integral((sin(phi) * cos(phi)) ** (d - 1), (phi, 0, pi / 2)))  # fmt: skip
_double_angle = (_prefactor / (2 ** (2 * d - 3) * gamma(d / 2) ** 2)
    * Integral(sin(2 * phi) ** (d - 1), (phi, 0, pi / 2)))  # fmt: skip
_full_angle = (
    _prefactor / (2 ** (2 * d - 2) * gamma(d / 2) ** 2) * Integral(sin(phi) ** (d - 1), (phi, 0, pi)))  # fmt: skip
_wallis_value = sqrt(pi) * _prefactor / (2 ** (2 * d - 2) * gamma(d / 2) * gamma(d / 2 + HALF))

register_derivation(Derivation(id="simplex.s4.chi2d", title="orthogonal case is chi with 2d degrees of freedom",
    says="at cos(theta) = 0 the density (20) is that of chi with 2d degrees of freedom",
    source="Reid et al. 2023, App. A.5", variables=(DIMENSION, RESULTANT_NORM),
    points=({"d": 1, "w": "1/2"}, {"d": 2, "w": 3}, {"d": 7, "w": 1}, {"d": 64, "w": 12}),
    steps=(
        Step("simplex.s4.chi2d/(57) first", angle_pair_density.expression.subs(c, 0), _orthogonal,
            reason="(20) at c = 0", check=Inside(), printed=True),
        Step("simplex.s4.chi2d/double angle", _orthogonal, _double_angle, reason="sin cos = sin(2 phi)/2",
            check=Inside()),
        Step("simplex.s4.chi2d/(57) second", _double_angle, _full_angle, reason="phi -> phi/2",
            check=ChangeVariable(phi, phi, phi / 2), printed=True),
        Step("simplex.s4.chi2d/(57) third", _full_angle, _wallis_value, reason="Wallis' integral",
            check=Use("lemma.wallis", {lemmas.n: d}), printed=True),
        Step("simplex.s4.chi2d/(Legendre duplication)", 2 ** (d - 1) * gamma(d / 2) * gamma(d / 2 + HALF),
            sqrt(pi) * gamma(d), reason="duplication at z = d/2", check=Use("lemma.duplication", {lemmas.n: d}),
            printed=True),
        Step("simplex.s4.chi2d/duplication used", _wallis_value, orf_pair_density.expression, reason="duplication",
            check=Use("lemma.duplication_quotient", {lemmas.n: d})),
        Step("simplex.s4.chi2d/(58)", angle_pair_density.expression.subs(c, 0), orf_pair_density.expression,
            check=Chain(), printed=True))))  # fmt: skip


# ---- (21): conformity at a fixed angle -----------------------------------------------------------

_share = v ** (2 * k) / (2 ** (2 * k) * factorial(k) * 2 ** (d - 2) * gamma(d / 2) * gamma(k + d / 2))
_term_61 = (_share * w ** (2 * k + 2 * d - 1) * (sin(phi) * cos(phi)) ** (d - 1) * exp(
    -(w**2) / (2 * stretch)) / stretch**d)  # fmt: skip
_term_scaled = (_share * w ** (2 * k + 2 * d - 1) * stretch**k * (sin(phi) * cos(phi)) ** (d - 1) * exp(
    -(w**2) / 2))  # fmt: skip
_weight_62 = (v ** (2 * k) * gamma(k + d) / (
    2**k * factorial(k) * 2 ** (d - 2) * gamma(d / 2) * gamma(k + d / 2)))  # fmt: skip
weight_63 = (v ** (2 * k) * gamma(k + d) / (
    2**k * factorial(k) * 2 ** (d - 1) * gamma(d / 2) * gamma(k + d / 2)))  # fmt: skip

mean_over_density = gamma(d / 2) * Integral(angle_pair_density.expression * Sum(zonal_term, (k, 0, oo)),
    (w, 0, oo))  # fmt: skip
_sum_61 = Sum(Integral(_term_61, (phi, 0, pi / 2), (w, 0, oo)), (k, 0, oo))
_sum_61_swapped = Sum(Integral(_term_61, (w, 0, oo), (phi, 0, pi / 2)), (k, 0, oo))
_sum_scaled = Sum(Integral(_term_scaled, (w, 0, oo), (phi, 0, pi / 2)), (k, 0, oo))
_sum_62 = Sum(_weight_62 * Integral(sin(2 * phi) ** (d - 1) * stretch**k, (phi, 0, pi / 2)), (k, 0, oo))
angle_sum_63 = Sum(weight_63 * Integral(sin(phi) ** (d - 1) * (1 + sin(phi) * c) ** k, (phi, 0, pi)),
    (k, 0, oo))  # fmt: skip
conformity_21 = Integral(
    sin(phi) ** (d - 1)
        * Sum(v ** (2 * k) * (1 + sin(phi) * c) ** k / (2**k * factorial(k) * gamma(k + d / 2)) * gamma(k + d),
        (k, 0, oo)),
    (phi, 0, pi)) / (2 ** (d - 1) * gamma(d / 2))  # fmt: skip
_pair = sympy.Symbol("B", positive=True)
_i, _j = sympy.symbols("i j", integer=True)
_wi, _wj = sympy.symbols("w_i w_j", nonnegative=True)

register_derivation(Derivation(id="simplex.eq21", title="conformity at a fixed angle",
    says="E f(w, v) over the density (20), as one integral over the angle in the plane of norms",
    source="Reid et al. 2023, App. A.6",
    variables=(PAIR_DIMENSION, COSINE, SUM_NORM, Variable(m, "number of random vectors", integer=True, low=2),
        Variable(_pair, "mean of f over one pair", above=0), Variable(_wi, "first norm", low=0),
        Variable(_wj, "second norm", low=0)),
    points=({"d": 2, "c": -1, "v": "1/2", "m": 2, "B": 3, "w_i": 2, "w_j": 1},
        {"d": 3, "c": "-1/2", "v": 2, "m": 3, "B": "1/2", "w_i": 3, "w_j": 5},
        {"d": 7, "c": "1/3", "v": "1/8", "m": 7, "B": 1, "w_i": "1/2", "w_j": 2}),
    steps=(
        Step("simplex.eq21/(59)", Sum(Sum(_pair, (_j, 1, m - 1)), (_i, 1, m)) / (m * (m - 1)), _pair,
            reason="all pairs have the same distribution, so the sums give a factor m(m-1)",
            check=Rewrite(), printed=True),
        Step("simplex.eq21/(60) text", sqrt(_wi**2 + _wj**2 + 2 * _wi * _wj * c), _wi**2 + _wj**2,
            reason="as printed: w_ij = |w_i^2 + w_j^2|", printed=True),
        Step("simplex.eq21/(60) resultant", sqrt(_wi**2 + _wj**2 + 2 * _wi * _wj * c),
            sqrt((_wi + _wj * c) ** 2 + (_wj * sqrt(1 - c**2)) ** 2),
            reason="w_ij = |w_i + w_j|, with w_i = w_i (1, 0) and w_j = w_j (c, sqrt(1 - c^2)) in their " "plane",
            check=Rewrite(), replaces="simplex.eq21/(60) text"),
        Step("simplex.eq21/(61)", mean_over_density, _sum_61, reason="the density (20) inserted, summed termwise",
            check=Exchange(), printed=True),
        Step("simplex.eq21/order of integration", _sum_61, _sum_61_swapped, reason="Tonelli", check=Exchange()),
        Step("simplex.eq21/(62) substitution", _sum_61_swapped, _sum_scaled,
            reason="w -> w sqrt(1 + sin(2 phi) cos(theta))",
            check=ChangeVariable(w, w, w * sqrt(stretch)), printed=True),
        Step("simplex.eq21/(62)", _sum_scaled, _sum_62,
            reason="radial Gaussian integral, s = k + d, a = 1/2; sin cos = sin(2 phi)/2",
            check=Use("lemma.gamma_integral", {lemmas.s: k + d, lemmas.a: HALF}),
            printed=True),
        Step("simplex.eq21/(63) substitution", _sum_62, angle_sum_63, reason="phi -> phi/2",
            check=ChangeVariable(phi, phi, phi / 2), printed=True),
        Step("simplex.eq21/(63)", angle_sum_63, conformity_21, reason="the sum under the integral", check=Exchange(),
            printed=True),
        Step("simplex.eq21/1F1", conformity_21, angle_conformity.expression,
            reason="the sum is Gamma(d)/Gamma(d/2) 1F1(d; d/2; v^2 (1 + sin cos(theta))/2)",
            check=Use("definition.kummer", {lemmas.a: d, lemmas.s: d / 2, lemmas.t: v**2 * (1 + c * sin(phi)) / 2})),
        Step("simplex.eq21/registered form", mean_over_density, angle_conformity.expression, check=Chain()),
        Step("simplex.eq21/(21)", mean_over_density, conformity_21, check=Chain(), printed=True))))  # fmt: skip

# ---- Theorem 4.3 ---------------------------------------------------------------------------------

_angle_power = Integral(sin(phi) ** (d - 1) * (1 + c * sin(phi)) ** k, (phi, 0, pi))
_choose = factorial(k) / (factorial(k - p) * factorial(p))
_angle_expanded = Integral(sin(phi) ** (d - 1) * Sum(_choose * (c * sin(phi)) ** p, (p, 0, k)), (phi, 0, pi))
_angle_sum = Sum(_choose * c**p * Integral(sin(phi) ** (d + p - 1), (phi, 0, pi)), (p, 0, k))
_angle_value = Sum(_choose * c**p * sqrt(pi) * gamma((d + p) / 2) / gamma((d + p + 1) / 2), (p, 0, k))
ORDER = Variable(k, "order", integer=True, low=0)

_ANGLE_POINTS = ({"d": 2, "c": -1, "k": 1}, {"d": 3, "c": "-1/2", "k": 0}, {"d": 7, "c": "1/3", "k": 4})

register_derivation(Derivation(id="lemma.angle_power_sum", title="binomial expansion of the angular integral",
    says="int sin^(d-1) (1 + c sin)^k over (0, pi) as a finite sum of Wallis integrals",
    source="Reid et al. 2023, eq. (66), for any cosine", variables=(PAIR_DIMENSION, COSINE, ORDER),
    points=_ANGLE_POINTS,
    steps=(
        Step("lemma.angle_power_sum/expand", _angle_power, _angle_expanded, reason="binomial theorem",
            check=Reversed(Use("lemma.binomial", {lemmas.t: c * sin(phi)}))),
        Step("lemma.angle_power_sum/exchange", _angle_expanded, _angle_sum, reason="the integral of a finite sum",
            check=Exchange()),
        Step("lemma.angle_power_sum/statement", _angle_power, _angle_sum, check=Chain()))))  # fmt: skip

register_derivation(Derivation(id="lemma.angle_power",
    title="the angular integral as a finite sum of Gamma quotients", says="int sin^(d-1) (1 + c sin)^k over (0, pi)",
    source="Reid et al. 2023, eq. (66), for any cosine", variables=(PAIR_DIMENSION, COSINE, ORDER),
    points=_ANGLE_POINTS,
    steps=(Step("lemma.angle_power/expand", _angle_power, _angle_sum, check=Use("lemma.angle_power_sum", {})),
        Step("lemma.angle_power/wallis", _angle_sum, _angle_value, reason="Wallis' integral",
            check=Use("lemma.wallis", {lemmas.n: d + p})),
        Step("lemma.angle_power/statement", _angle_power, _angle_value, check=Chain()))))  # fmt: skip

_orf_sum = Sum(weight_63 * Integral(sin(phi) ** (d - 1), (phi, 0, pi)), (k, 0, oo))
orf_series = (gamma(d / 2) / gamma(d)
    * Sum(v ** (2 * k) / (2**k * factorial(k)) * gamma(k + d) / gamma(k + d / 2), (k, 0, oo)))  # fmt: skip
orf_wallis = Sum(weight_63 * sqrt(pi) * gamma(d / 2) / gamma((d + 1) / 2), (k, 0, oo))
_simplex = {c: SIMPLEX_COSINE}
_sine_power = Integral(sin(phi) ** (d - 1), (phi, 0, pi))

register_derivation(Derivation(id="simplex.thm4.3", title="closed forms for ORFs and SimRFs",
    says="(23) and (24) from (21) at cos(theta) = 0 and -1/(d-1)", source="Reid et al. 2023, App. A.6",
    variables=(PAIR_DIMENSION, SUM_NORM, ORDER),
    points=({"d": 2, "v": "1/2", "k": 1}, {"d": 3, "v": 2, "k": 0}, {"d": 7, "v": "1/8", "k": 4},
        {"d": 64, "v": 3, "k": 9}),
    steps=(
        Step("simplex.thm4.3/(64) Wallis", Integral(sin(phi) ** d, (phi, 0, pi)),
            sqrt(pi) * gamma(d / 2 + HALF) / gamma(d / 2 + 1), reason="the identity used in (64)",
            check=Use("lemma.wallis", {lemmas.n: d + 1}), printed=True),
        Step("simplex.thm4.3/(64) first", _sine_power / gamma(d / 2),
            sqrt(pi) * gamma(d / 2) / (gamma(d / 2 + HALF) * gamma(d / 2)), reason="Wallis' integral",
            check=Use("lemma.wallis", {lemmas.n: d}), printed=True),
        Step("simplex.thm4.3/(64) second", sqrt(pi) * gamma(d / 2) / (gamma(d / 2 + HALF) * gamma(d / 2)),
            2 ** (d - 1) * gamma(d / 2) / gamma(d), reason="Legendre duplication",
            check=Use("lemma.duplication_quotient", {lemmas.n: d}), printed=True),
        Step("simplex.thm4.3/(65) exchange", conformity_21.subs(c, 0), _orf_sum,
            reason="(21) at cos(theta) = 0, summed termwise", check=Exchange()),
        Step("simplex.thm4.3/(65) Wallis", _orf_sum, orf_wallis, reason="Wallis' integral",
            check=Use("lemma.wallis", {lemmas.n: d})),
        Step("simplex.thm4.3/(65) duplication", orf_wallis, orf_series, reason="Legendre duplication",
            check=Use("lemma.duplication_quotient", {lemmas.n: d})),
        Step("simplex.thm4.3/(65)", conformity_21.subs(c, 0), orf_series, check=Chain(), printed=True),
        Step("simplex.thm4.3/(66) first", _angle_power.subs(_simplex), _angle_sum.subs(_simplex),
            reason="binomial expansion", check=Use("lemma.angle_power_sum", _simplex), printed=True),
        Step("simplex.thm4.3/(66) second", _angle_sum.subs(_simplex), _angle_value.subs(_simplex),
            reason="Wallis' integral", check=Use("lemma.wallis", {lemmas.n: d + p}), printed=True),
        Step("simplex.thm4.3/(67) exchange", conformity_21.subs(_simplex), angle_sum_63.subs(_simplex),
            reason="(21) at cos(theta) = -1/(d-1), summed termwise", check=Exchange()),
        Step("simplex.thm4.3/(67) expansion", angle_sum_63.subs(_simplex), PRINTED_DOUBLE_SUM,
            reason="(66) in every term", check=Use("lemma.angle_power", _simplex)),
        Step("simplex.thm4.3/(67)", conformity_21.subs(_simplex), PRINTED_DOUBLE_SUM, reason="equation (24)",
            check=Chain(), printed=True))))  # fmt: skip


# ---- Theorem 3.2 ---------------------------------------------------------------------------------

_sum, _squares, _cross, _new = sympy.symbols("S Q P b", real=True)
_rho = sympy.Symbol("rho", positive=True)
_a1, _a2, _b1, _b2, _turn = sympy.symbols("a_1 a_2 b_1 b_2 beta", real=True)
_alpha = sympy.Symbol("alpha", real=True)
_theta = sympy.Symbol("theta", real=True)

kernel_squared = exp(-(2 * x**2 + 2 * y**2 - v**2))


def prf_mse(pair_mean: sympy.Expr) -> sympy.Expr:
    """(11): mean square error of the positive-feature estimator in terms of the mean of b_i b_j over
    pairs."""
    bracket = exp(2 * v**2) - exp(v**2) + (m - 1) * (pair_mean - exp(v**2))
    return exp(-2 * x**2 - 2 * y**2) / m * bracket


_second_moment = exp(-2 * x**2 - 2 * y**2) / m**2 * (m * exp(2 * v**2) + m * (m - 1) * _rho)
_mirrored_1 = Integral(((_wi + _wj) * cos(_alpha)) ** 2, (_alpha, 0, 2 * pi))
_mirrored_2 = Integral(((_wi - _wj) * sin(_alpha)) ** 2, (_alpha, 0, 2 * pi))
_rotated_1 = Integral((_wi * cos(_alpha) + _wj * cos(_alpha + _theta)) ** 2, (_alpha, 0, 2 * pi))
_rotated_2 = Integral((_wi * sin(_alpha) + _wj * sin(_alpha + _theta)) ** 2, (_alpha, 0, 2 * pi))
_rotated_value = pi * (_wi**2 + _wj**2 + 2 * _wi * _wj * cos(_theta))
_zonal_series = gamma(d / 2) * Sum(zonal_term, (k, 0, oo))
_zonal_integral = (gamma(d / 2) / (sqrt(pi) * gamma((d - 1) / 2))
    * Integral(exp(v * w * cos(phi)) * sin(phi) ** (d - 2), (phi, 0, pi)))  # fmt: skip
_bessel_terms = Sum((-1) ** k / (factorial(k) * gamma(k + d / 2)) * (I * w * v / 2) ** (2 * k + d / 2 - 1),
    (k, 0, oo))  # fmt: skip
_hankel = gamma(d / 2) * 2 ** (d / 2 - 1) * (I * w * v) ** (1 - d / 2)
_order = lemmas.alpha
_bessel_argument = lemmas.u
_from_j = Sum((-1) ** k / (factorial(k) * gamma(k + _order + 1)) * (I * _bessel_argument / 2) ** (2 * k + _order),
    (k, 0, oo))  # fmt: skip
_of_i = Sum((_bessel_argument / 2) ** (2 * k + _order) / (factorial(k) * gamma(k + _order + 1)), (k, 0, oo))


def _primitive(integral: Integral) -> sympy.Expr:
    """An antiderivative of a trigonometric polynomial in alpha (checked by differentiation)."""
    return sympy.integrate(sympy.expand(sympy.expand_trig(integral.function)), _alpha)


register_derivation(Derivation(id="simplex.thm3.2", title="MSE depends on RF-conformity",
    says="mean square error of positive features through the mean of b_i b_j, which is the conformity",
    source="Reid et al. 2023, App. A.1",
    variables=(PAIR_DIMENSION, Variable(m, "number of random vectors", integer=True, low=2), X_NORM, Y_NORM, SUM_NORM,
        RESULTANT_NORM, Variable(_rho, "mean of b_i b_j over pairs", above=0), Variable(_sum, "sum of the b_i", tied=True),
        Variable(_squares, "sum of the b_i^2", tied=True), Variable(_cross, "sum of b_i b_j over ordered pairs", tied=True),
        Variable(_new, "the next b_i"), *(Variable(s, "component of a vector") for s in (_a1, _a2, _b1, _b2)),
        Variable(_turn, "angle of a rotation"), Variable(_theta, "angle between two vectors"),
        Variable(_wi, "first norm", low=0), Variable(_wj, "second norm", low=0), Variable(r, "radius", above=0),
        Variable(phi, "polar angle", low=0, high=pi), Variable(_order, "order of a Bessel function", above=-1),
        Variable(_bessel_argument, "argument of a Bessel function", above=0)),
    points=(
        {"d": 2, "m": 2, "x": 0, "y": "1/3", "v": "1/3", "w": "1/2", "rho": 2, "S": 3, "Q": 5, "P": 4, "b": 7,
            "a_1": 1, "a_2": "-1/2", "b_1": 3, "b_2": "2/7", "beta": "1/3", "theta": 2, "w_i": 2, "w_j": 1, "r": 2,
            "phi": "1/3", "alpha": "-1/2", "u": 2},
        {"d": 3, "m": 3, "x": 1, "y": 2, "v": "5/2", "w": 2, "rho": 9, "S": 6, "Q": 14, "P": 22, "b": 1, "a_1": 2,
            "a_2": 5, "b_1": "-1/3", "b_2": 1, "beta": 2, "theta": "-1/5", "w_i": 1, "w_j": 3, "r": 1, "phi": 2,
            "alpha": 0, "u": "1/3"},
        {"d": 64, "m": 7, "x": "1/2", "y": "1/2", "v": "1/9", "w": 11, "rho": "11/10", "S": 1, "Q": 1, "P": 0,
            "b": "1/2", "a_1": 0, "a_2": 1, "b_1": 1, "b_2": 0, "beta": -1, "theta": 1, "w_i": "1/2", "w_j": 5,
            "r": 7, "phi": 1, "alpha": "5/2", "u": 5}),
    steps=(
        Step("simplex.thm3.2/(28)", exp(-(x**2)) * exp(_a1) * exp(-(y**2)) * exp(_b1),
            exp(-(x**2) - y**2) * exp(_a1 + _b1), reason="one term of phi(x).phi(y), with a_1 = w.x and b_1 = w.y",
            check=Rewrite(), printed=True),
        Step("simplex.thm3.2/(29) mean", _mgf, exp(v**2 / 2), reason="w.v is N(0, v^2) because w is N(0, I)",
            check=Use("lemma.normal_mgf", {lemmas.t: v}), printed=True),
        Step("simplex.thm3.2/(29) unbiased", exp(-(x**2) - y**2) * exp(v**2 / 2),
            exp(-(2 * x**2 + 2 * y**2 - v**2) / 2), reason="|x - y|^2 = 2 |x|^2 + 2 |y|^2 - v^2",
            check=Rewrite(), printed=True),
        Step("simplex.thm3.2/second moment of b", _mgf.subs(v, 2 * v), exp(2 * v**2), reason="E b_i^2 = E exp(2 w.v)",
            check=Use("lemma.normal_mgf", {lemmas.t: 2 * v})),
        Step("simplex.thm3.2/square of the sum", _sum**2, _squares + _cross,
            reason="(sum b_i)^2 = sum b_i^2 + sum over ordered pairs of b_i b_j",
            check=StateInduction(m, 1, {_sum: _new, _squares: _new**2, _cross: S.Zero},
                {_sum: _sum + _new, _squares: _squares + _new**2, _cross: _cross + 2 * _new * _sum}),
            points=({"m": 2, "S": 3, "Q": 5, "P": 4}, {"m": 3, "S": 6, "Q": 14, "P": 22})),
        Step("simplex.thm3.2/(30)", _second_moment - kernel_squared, prf_mse(_rho),
            reason="E K^2 - (E K)^2, with rho the mean of E b_i b_j over pairs",
            check=Rewrite(), printed=True),
        Step("simplex.thm3.2/(isotropy)", _mirrored_1, _mirrored_2,
            reason="printed, read for all geometrical couplings: the resultant is isotropic too. In the plane let w_i "
            "point at alpha, uniform, and w_j at -alpha: both are isotropic, and the two components of w_i + w_j have "
            "second moments left/(2 pi) and right/(2 pi)", printed=True),
        Step("simplex.thm3.2/rotated resultant, first", _rotated_1, _rotated_value,
            reason="with a jointly rotation-invariant pair (angles alpha and alpha + theta) instead",
            check=Antiderivative(_primitive(_rotated_1))),
        Step("simplex.thm3.2/rotated resultant, second", _rotated_2, _rotated_value, reason="the other component",
            check=Antiderivative(_primitive(_rotated_2))),
        Step("simplex.thm3.2/joint isotropy, example", _rotated_1, _rotated_2,
            reason="the same pair under a common rotation has an isotropic resultant", check=Chain(),
            replaces="simplex.thm3.2/(isotropy)"),
        Step("simplex.thm3.2/joint isotropy", cos(_turn) * (_a1 + _b1) - sin(_turn) * (_a2 + _b2),
            (cos(_turn) * _a1 - sin(_turn) * _a2) + (cos(_turn) * _b1 - sin(_turn) * _b2),
            reason="R(w_i + w_j) = R w_i + R w_j in every plane: if the joint law of (w_i, w_j) is "
            "invariant under "
            "rotations, as for the iid, orthogonal and simplex blocks, so is that of the resultant",
            check=Rewrite()),
        Step("simplex.thm3.2/polar measure",
            sympy.Matrix([r * cos(phi), r * sin(phi)]).jacobian([r, phi]).det() * (r * sin(phi)) ** (d - 2),
            r ** (d - 1) * sin(phi) ** (d - 2),
            reason="first coordinate r cos(phi), norm of the others r sin(phi), whose measure is its "
            "(d-2)th power", check=Rewrite()),
        Step("simplex.thm3.2/(33)", _zonal_integral, _zonal_series,
            reason="mean of exp(w_ij.v) over the directions of w_ij, at |w_ij| = w; normalised by "
            "Wallis' integral", check=Use("lemma.zonal", {lemmas.q: d - 1, lemmas.t: v * w}), printed=True),
        Step("simplex.thm3.2/(33) at d = 1", Sum((v * w) ** (2 * k) / factorial(2 * k), (k, 0, oo)),
            sympy.cosh(v * w),
            reason="on the line the directions are +1 and -1; Gamma(1/2)/(4^k k! Gamma(k + 1/2)) = " "1/(2k)!",
            check=Use("definition.cosh", {lemmas.t: v * w})),
        Step("simplex.thm3.2/(32)", _bessel_terms, besselj(d / 2 - 1, I * w * v),
            reason="series of the Bessel function of order d/2 - 1 at i w v",
            check=Use("definition.bessel_j", {lemmas.alpha: d / 2 - 1, lemmas.z: I * w * v}), printed=True,
            conditions=(v > 0, w > 0)),
        Step("simplex.thm3.2/(31) series", _hankel * _bessel_terms, _zonal_series,
            reason="the powers of i and 2 cancel on the principal branch",
            check=Inside(), conditions=(v > 0, w > 0)),
        Step("simplex.thm3.2/(31)", _hankel * besselj(d / 2 - 1, I * w * v), _zonal_series,
            reason="the Hankel kernel is the mean over directions",
            check=Given(("simplex.thm3.2/(32) reversed", "simplex.thm3.2/(31) series")), printed=True,
            conditions=(v > 0, w > 0)),
        Step("simplex.thm3.2/footnote 5, series", I ** (-_order) * _from_j, _of_i, reason="the powers of i cancel",
            check=Inside()),
        Step("simplex.thm3.2/footnote 5, I", _of_i, besseli(_order, _bessel_argument), reason="series of I",
            check=Use("definition.bessel_i", {})),
        Step("simplex.thm3.2/footnote 5, J", I ** (-_order) * _from_j,
            I ** (-_order) * besselj(_order, I * _bessel_argument), reason="series of J",
            check=Use("definition.bessel_j", {lemmas.z: I * _bessel_argument})),
        Step("simplex.thm3.2/footnote 5", besseli(_order, _bessel_argument),
            I ** (-_order) * besselj(_order, I * _bessel_argument), reason="I_alpha(x) = i^(-alpha) J_alpha(i x)",
            check=Chain(), printed=True),
        Step("simplex.thm3.2/(34)", _second_moment - kernel_squared, prf_mse(_rho),
            reason="(33) averaged over pairs and over w_ij is rho of (35); the source says Eq. 74, "
            "which is the RFF " "formula: the equation that it is inserted into is (30)", check=Chain(),
            printed=True))))  # fmt: skip

# ---- Corollary 4.4 -------------------------------------------------------------------------------

_rho_orf = sympy.Symbol("rho_ort", positive=True)
_damping = exp(-2 * x**2 - 2 * y**2) * (m - 1) / m
orf_share = rf(d, k) / (2**k * rf(d / 2, k))
_gap_terms = Sum(v ** (2 * k) / factorial(k) * (1 - orf_share), (k, 0, oo))
_shrunk_series = Sum(v ** (2 * k) / factorial(k) * orf_share, (k, 0, oo))
_printed_25 = (gamma(d / 2) / gamma(d)
    * Sum(v ** (2 * k) / factorial(k) * gamma(k + d) / gamma(k + d / 2), (k, 0, oo)))  # fmt: skip
_AS_SERIES = ("simplex.cor4.4/(69) shares", "simplex.cor4.4/(69) exponential series reversed")
_shrink = Ladder(k, 0, S.One, orf_share * k / (d + 2 * k))

register_derivation(Derivation(id="simplex.cor4.4", title="ORFs always outperform IIDRFs",
    says="the orthogonality gap of positive features is positive for m >= 2 and v > 0",
    source="Reid et al. 2023, App. A.7",
    variables=(PAIR_DIMENSION, FEATURES, X_NORM, Y_NORM, SUM_NORM, ORDER,
        Variable(_rho, "conformity of IIDRFs", above=0), Variable(_rho_orf, "conformity of ORFs", above=0)),
    points=({"d": 2, "m": 2, "x": 0, "y": 0, "v": 0, "k": 0, "rho": 3, "rho_ort": 2},
        {"d": 2, "m": 2, "x": 0, "y": "1/10", "v": "1/10", "k": 1, "rho": 3, "rho_ort": 2},
        {"d": 3, "m": 2, "x": 1, "y": 1, "v": "1/2", "k": 2, "rho": 5, "rho_ort": 4},
        {"d": 6, "m": 5, "x": "1/3", "y": 2, "v": 2, "k": 5, "rho": 2, "rho_ort": "3/2"},
        {"d": 64, "m": 64, "x": 1, "y": "1/2", "v": "3/2", "k": 11, "rho": 2, "rho_ort": "3/2"}),
    steps=(
        Step("simplex.cor4.4/(68)", prf_mse(_rho) - prf_mse(_rho_orf), _damping * (_rho - _rho_orf),
            reason="(11) twice", check=Rewrite(), printed=True),
        Step("simplex.cor4.4/(25)", exp(v**2) - orf_series, exp(v**2) - _printed_25,
            reason="as printed in the corollary: without 2^k in the denominator", printed=True),
        Step("simplex.cor4.4/(69) exponential series", Sum(v ** (2 * k) / factorial(k), (k, 0, oo)), exp(v**2),
            reason="exponential series", check=Use("definition.exp", {lemmas.t: v**2})),
        Step("simplex.cor4.4/(69) shares", orf_series, _shrunk_series,
            reason="(k+d-1)!/(d-1)! = (d)_k, and (2k+d-2)!!/(d-2)!! = d (d+2) ... (d+2k-2) = 2^k (d/2)_k",
            check=Inside()),
        Step("simplex.cor4.4/(69) difference", Sum(v ** (2 * k) / factorial(k), (k, 0, oo)) - _shrunk_series,
            _gap_terms, reason="term by term", check=Inside()),
        Step("simplex.cor4.4/(69)", exp(v**2) - orf_series, _gap_terms,
            reason="the bracket of (69), with 2^k; this is (25) corrected",
            check=Given(
                ("simplex.cor4.4/(69) shares", "simplex.cor4.4/(69) exponential series reversed",
                    "simplex.cor4.4/(69) difference"),
                then=Rewrite()  # the default would try to sum a wrong series in closed form
            ),
            printed=True, replaces="simplex.cor4.4/(25)"),
        Step("simplex.cor4.4/(70)", 1 - orf_share, S.Zero, ">",
            reason="as printed, for every k: at k = 0 and k = 1 the bracket is 0", printed=True),
        Step("simplex.cor4.4/(70) weak", 1 - orf_share, S.Zero, ">=", reason="each factor (d+j)/(d+2j) is at most 1",
            check=_shrink),
        Step("simplex.cor4.4/(70) strict", 1 - orf_share, S.Zero, ">",
            reason="for k >= 2 the factor (d+1)/(d+2) is smaller than 1",
            check=Ladder(k, 2, S.One, orf_share * k / (d + 2 * k)), conditions=(k >= 2,),
            replaces="simplex.cor4.4/(70)"),
        Step("simplex.cor4.4/positive everywhere",
            _damping * (Sum(v ** (2 * k) / factorial(k), (k, 0, oo)) - _shrunk_series), S.Zero, ">",
            reason="as printed, for all x, y and m <= d: at v = 0 the gap is 0, at m = 1 as well", printed=True),
        Step("simplex.cor4.4/termwise", _shrunk_series, Sum(v ** (2 * k) / factorial(k), (k, 0, oo)), "<",
            reason="termwise, strict at k = 2",
            check=Termwise(Scaled(v ** (2 * k) / factorial(k), _shrink), {k: 2},
                Sign(v**4 / (2 * (d + 2)))),
            conditions=(v > 0,)),
        Step("simplex.cor4.4/positive for v > 0, m >= 2", _damping * (exp(v**2) - orf_series), S.Zero, ">",
            reason="a positive factor times a positive bracket",
            check=FromInequality("simplex.cor4.4/termwise", _damping, _AS_SERIES), conditions=(v > 0, m >= 2),
            replaces="simplex.cor4.4/positive everywhere"))))  # fmt: skip
