"""Derivations of Reid et al. 2023 for trigonometric features: orthogonality gap and its limit."""

from __future__ import annotations

import sympy
from sympy import Integral, Rational, S, Sum, besselj, cos, exp, factorial, gamma, oo, pi, sin, sqrt

from rftheory.exact.conformity import orf_pair_density
from rftheory.exact.formula import Variable
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import (Chain, Combination, Exchange, Given, Inside, Instance, Ladder, Reindex, Rewrite, Sign,
    StateInduction, Taylor, Termwise, Use)  # fmt: skip
from rftheory.exact.proof.steps import Derivation, Step, at, register_derivation
from rftheory.exact.symbols import (DIFFERENCE_NORM, FEATURES, PAIR_DIMENSION, POSITIVE_DIFFERENCE_NORM,
    RESULTANT_NORM, d, k, m, phi, w, z)  # fmt: skip
from rftheory.papers.simplex.proofs.conformity import ORDER, orf_share

HALF = Rational(1, 2)
_a, _b = sympy.symbols("a b", real=True)
_wi, _wj = sympy.symbols("w_i w_j", positive=True)
_pair, _iid, _ort = sympy.symbols("A A_iid A_ort", real=True)
_sum, _squares, _cross, _new = sympy.symbols("S Q P q", real=True)

_wave = Integral(cos(z * lemmas.x) * exp(-(lemmas.x**2) / 2) / sqrt(2 * pi), (lemmas.x, -oo, oo))
_variance = (1 - exp(-(z**2))) ** 2 / 2


def rff_mse(pair_mean: sympy.Expr) -> sympy.Expr:
    """(74): mean square error of the trigonometric estimator in terms of the mean of a_i a_j over pairs."""
    return (_variance + (m - 1) * (pair_mean - exp(-(z**2)))) / m


# ---- Theorem 4.5 ---------------------------------------------------------------------------------

_term = z ** (2 * k) * w ** (2 * k) / (2 ** (2 * k) * factorial(k) * gamma(k + d / 2))
_direction_series = gamma(d / 2) * Sum((-1) ** k * _term, (k, 0, oo))
_direction_mean = (gamma(d / 2) / (sqrt(pi) * gamma((d - 1) / 2))
    * Integral(cos(z * w * cos(phi)) * sin(phi) ** (d - 2), (phi, 0, pi)))  # fmt: skip
_bessel_terms = Sum((-1) ** k / (factorial(k) * gamma(k + d / 2)) * (w * z / 2) ** (2 * k + d / 2 - 1),
    (k, 0, oo))  # fmt: skip
_hankel = gamma(d / 2) * 2 ** (d / 2 - 1) * (w * z) ** (1 - d / 2)
_mass = gamma(d / 2) * orf_pair_density.expression * _term
_mean = Integral(Sum((-1) ** k * _mass, (k, 0, oo)), (w, 0, oo))
_terms = Sum((-1) ** k * Integral(_mass, (w, 0, oo)), (k, 0, oo))
_absolute = Sum(Integral(_mass, (w, 0, oo)), (k, 0, oo))
_ratio = gamma(k + d) / gamma(k + d / 2)
_absolute_value = gamma(d / 2) / gamma(d) * Sum(z ** (2 * k) / (2**k * factorial(k)) * _ratio, (k, 0, oo))
orf_wave_series = gamma(d / 2) / gamma(d) * Sum((-(z**2)) ** k / (2**k * factorial(k)) * _ratio, (k, 0, oo))
_from_25 = gamma(d / 2) / gamma(d) * Sum((-(z**2)) ** k / factorial(k) * _ratio, (k, 0, oo))

_POINTS = (
    {"d": 2, "m": 2, "z": "1/2", "w": 1, "a": 1, "b": "-1/3", "w_i": 2, "w_j": 1, "A": "1/2", "A_iid": "1/3",
        "A_ort": "1/5", "S": 3, "Q": 5, "P": 4, "q": 2, "k": 1},
    {"d": 3, "m": 3, "z": 2, "w": 3, "a": 2, "b": 5, "w_i": 1, "w_j": 5, "A": 0, "A_iid": "-1/3", "A_ort": "1/5",
        "S": 6, "Q": 14, "P": 22, "q": 1, "k": 4},
    {"d": 64, "m": 7, "z": "1/9", "w": 11, "a": 0, "b": 9, "w_i": "1/2", "w_j": 3, "A": "9/10", "A_iid": "99/100",
        "A_ort": "98/100", "S": 1, "Q": 1, "P": 0, "q": "1/3", "k": 0})  # fmt: skip

register_derivation(Derivation(id="simplex.thm4.5", title="RFF orthogonality gap",
    says="MSE of iid minus MSE of orthogonal trigonometric features, equation (26)",
    source="Reid et al. 2023, App. A.8",
    variables=(PAIR_DIMENSION, FEATURES, DIFFERENCE_NORM, RESULTANT_NORM, Variable(_a, "w.x"), Variable(_b, "w.y"),
        Variable(_wi, "first norm", above=0), Variable(_wj, "second norm", above=0),
        Variable(_pair, "mean of a_i a_j over pairs"), Variable(_iid, "the same for iid vectors"),
        Variable(_ort, "the same for orthogonal vectors"), Variable(_sum, "sum of the a_i", tied=True),
        Variable(_squares, "sum of the a_i^2", tied=True), Variable(_cross, "sum of a_i a_j over ordered pairs", tied=True),
        Variable(_new, "the next a_i"), ORDER),
    points=_POINTS,
    steps=(
        Step("simplex.thm4.5/(72)", sin(_a) * sin(_b) + cos(_a) * cos(_b), cos(_a - _b),
            reason="one term of phi(x).phi(y)", check=Rewrite(), printed=True),
        Step("simplex.thm4.5/(73) mean", _wave, exp(-(z**2) / 2), reason="w.z is N(0, z^2)",
            check=Use("lemma.normal_cf", {lemmas.t: z}), printed=True),
        Step("simplex.thm4.5/second moment", _wave.subs(z, 2 * z), exp(-2 * z**2),
            reason="E cos^2 = (1 + E cos(2 w.z))/2", check=Use("lemma.normal_cf", {lemmas.t: 2 * z})),
        Step("simplex.thm4.5/variance", (1 + exp(-2 * z**2)) / 2 - exp(-(z**2) / 2) ** 2, _variance,
            reason="variance of one cosine", check=Rewrite()),
        Step("simplex.thm4.5/square of the sum", _sum**2, _squares + _cross,
            reason="(sum a_i)^2 = sum a_i^2 + sum over ordered pairs of a_i a_j",
            check=StateInduction(m, 1, {_sum: _new, _squares: _new**2, _cross: S.Zero},
                {_sum: _sum + _new, _squares: _squares + _new**2, _cross: _cross + 2 * _new * _sum})),
        Step("simplex.thm4.5/(74)", (m * (1 + exp(-2 * z**2)) / 2 + m * (m - 1) * _pair) / m**2 - exp(-(z**2)),
            rff_mse(_pair), reason="E K^2 - (E K)^2", check=Rewrite(), printed=True),
        Step("simplex.thm4.5/(product of cosines)", cos(_a) * cos(_b), (cos(_a + _b) + cos(_a - _b)) / 2,
            reason="elementary trigonometry", check=Rewrite(), printed=True),
        Step("simplex.thm4.5/(simplex sums and differences)", _wi**2 + _wj**2 - 2 * _wi * _wj / (d - 1),
            _wi**2 + _wj**2 + 2 * _wi * _wj / (d - 1), "<",
            reason="|w_i + w_j| and |w_i - w_j| have one distribution at a right angle (the cross term "
            "is 0) and for " "iid vectors (-w_j is distributed as w_j); at the simplex angle the sum is shorter",
            check=Sign(4 * _wi * _wj / (d - 1)), printed=True),
        Step("simplex.thm4.5/mean over directions", _direction_mean, _direction_series,
            reason="average of cos(w z cos(phi)) over the sphere",
            check=Use("lemma.zonal_wave", {lemmas.q: d - 1, lemmas.t: z * w})),
        Step("simplex.thm4.5/Bessel series", _bessel_terms, besselj(d / 2 - 1, w * z),
            reason="series of the Bessel function",
            check=Use("definition.bessel_j", {lemmas.alpha: d / 2 - 1, lemmas.z: w * z}), conditions=(w > 0, z > 0)),
        Step("simplex.thm4.5/Hankel kernel", _hankel * _bessel_terms, _direction_series, reason="powers collected",
            check=Inside(), conditions=(w > 0, z > 0)),
        Step("simplex.thm4.5/(75)", _direction_mean, _hankel * besselj(d / 2 - 1, w * z),
            reason="the mean over directions is the Hankel kernel; it is that of (31) with v -> -i z",
            check=Given(("simplex.thm4.5/mean over directions", "simplex.thm4.5/Bessel series reversed",
                "simplex.thm4.5/Hankel kernel")),
            printed=True, conditions=(w > 0, z > 0)),
        Step("simplex.thm4.5/summable", _absolute, _absolute_value,
            reason="the series of absolute values is the conformity (23) at v = z, finite",
            check=Use("lemma.gamma_integral", {lemmas.s: k + d, lemmas.a: HALF})),
        Step("simplex.thm4.5/termwise", _mean, _terms, reason="termwise integration over the density (58)",
            check=Exchange(summable="simplex.thm4.5/summable")),
        Step("simplex.thm4.5/orthogonal mean", _terms, orf_wave_series,
            reason="radial Gaussian integral, s = k + d, a = 1/2",
            check=Use("lemma.gamma_integral", {lemmas.s: k + d, lemmas.a: HALF})),
        Step("simplex.thm4.5/E_ort(a_1 a_2)", _mean, orf_wave_series, check=Chain()),
        Step("simplex.thm4.5/E_iid(a_1 a_2)", at(_a * _b, {_a: exp(-(z**2) / 2), _b: exp(-(z**2) / 2)}), exp(-(z**2)), reason="independence: product of the two means",
            check=Rewrite()),
        Step("simplex.thm4.5/gap", rff_mse(_iid) - rff_mse(_ort), (m - 1) / m * (_iid - _ort), reason="(74) twice",
            check=Rewrite()),
        Step("simplex.thm4.5/(76) from (25)", exp(-(z**2)) - orf_wave_series, exp(-(z**2)) - _from_25,
            reason="the source reads the sum off Eq. 25 with v -> -i z; Eq. 25 as printed lacks 2^k", printed=True),
        Step("simplex.thm4.5/(76)", (rff_mse(_iid) - rff_mse(_ort)).subs({_iid: exp(-(z**2)), _ort: orf_wave_series}),
            (m - 1) / m * (exp(-(z**2)) - orf_wave_series), reason="(26): the gap at the two means",
            check=Rewrite(), printed=True,
            replaces="simplex.thm4.5/(76) from (25)"))))  # fmt: skip

# ---- Corollary 4.6 -------------------------------------------------------------------------------

_ratio_of_errors = rff_mse(_ort) / (_variance / m)
_decay = exp(-(z**2))
_a_k = k * (k - 1) / 2
_b_k = k * (k - 1) * (k**2 + 3 * k - 2) / 8
_weight = (-1) ** k * z ** (2 * k) / factorial(k)
_error = orf_share - 1 + _a_k / d
_exponential = Sum((-1) ** k * z ** (2 * k) / factorial(k), (k, 0, oo))
_share_series = Sum(_weight * orf_share, (k, 0, oo))
_bracket_78 = Sum(_weight * (orf_share - 1), (k, 0, oo))
_leading = Sum(_weight * k * (k - 1), (k, 0, oo))
_leading_term = -1 / (2 * d) * _leading
_rest = Sum(_weight * _error, (k, 0, oo))
_bound = Sum(z ** (2 * k) / factorial(k) * _b_k, (k, 0, oo)) / d**2
_top, _low = k + d - 1, k + d / 2 - 1
_root = sqrt(_top * (d / 2 - 1) / (_low * (d - 1)))
_power_82 = 2 ** (-k) * (_top / _low) ** k
_quotient_83 = (1 + k / (d - 1)) ** (d - 1) / (1 + k / (d / 2 - 1)) ** (d / 2 - 1)


def _stirling_80(exponent: sympy.Expr) -> sympy.Expr:
    """First line of (80) with the exponent of k + d - 1."""
    powers = _top**exponent * (d / 2 - 1) ** (d / 2 - 1) / (_low**_low * (d - 1) ** (d - 1))
    return 2 ** (-k) * _root * powers


def _signed_bound(plus: str, minus: str) -> Combination:
    """The bound of a term with (-1)^k, from the inequalities for the two signs."""
    factor = z ** (2 * k) / factorial(k)
    return Combination(((plus, factor), (minus, factor)), (-1) ** k)


_x = lemmas.u
_stirling = sqrt(2 * pi * _x) * exp(-_x) * _x**_x
_limit = 1 - (m - 1) * _decay * z**4 / (d * (1 - _decay) ** 2)

register_derivation(Derivation(id="simplex.cor4.6", title="RFF asymptotic MSE ratio",
    says="MSE_ORF/MSE_IIDRF = 1 - (m-1) (exp(-z^2) z^4/(d (1-exp(-z^2))^2) + O(1/d^2)), with an " "explicit bound",
    source="Reid et al. 2023, App. A.9",
    variables=(Variable(d, "data dimension", integer=True, low=3),
        Variable(m, "number of random vectors", integer=True, low=2), POSITIVE_DIFFERENCE_NORM, ORDER,
        Variable(_ort, "mean of a_1 a_2 for orthogonal vectors"), Variable(_x, "argument of Gamma", above=0)),
    points=({"d": 3, "m": 2, "z": "1/2", "k": 0, "A_ort": "0.7736", "u": 1},
        {"d": 4, "m": 3, "z": 2, "k": 3, "A_ort": "1/100", "u": "1/3"},
        {"d": 64, "m": 7, "z": "3/2", "k": 5, "A_ort": "1/10", "u": 10},
        {"d": 65, "m": 64, "z": "1/9", "k": 2, "A_ort": "98/100", "u": 100}),
    steps=(
        Step("simplex.cor4.6/(77)", _ratio_of_errors, 1 + 2 * (m - 1) / (1 + _decay) ** 2 * (_ort - _decay),
            reason="as printed, with 1 + exp(-z^2)", printed=True),
        Step("simplex.cor4.6/(77) corrected", _ratio_of_errors, 1 + 2 * (m - 1) / (1 - _decay) ** 2 * (_ort - _decay),
            reason="(74) for orthogonal over (74) for iid vectors, with 1 - exp(-z^2)", check=Rewrite(),
            replaces="simplex.cor4.6/(77)"),
        Step("simplex.cor4.6/(78) exponential", _exponential, _decay, reason="exponential series",
            check=Use("definition.exp", {lemmas.t: -(z**2)})),
        Step("simplex.cor4.6/(78) shares", orf_wave_series, _share_series,
            reason="Gamma(k+d) Gamma(d/2)/(Gamma(k+d/2) Gamma(d)) as rising factorials",
            check=Inside()),
        Step("simplex.cor4.6/(78) difference", _share_series - _exponential, _bracket_78, reason="term by term",
            check=Inside()),
        Step("simplex.cor4.6/(78)", orf_wave_series - _decay, _bracket_78, reason="the bracket of (77)",
            check=Given(
                ("simplex.cor4.6/(78) shares", "simplex.cor4.6/(78) exponential reversed",
                    "simplex.cor4.6/(78) difference"),
                then=Rewrite()  # the default would try to sum a wrong series in closed form
            ),
            printed=True),
        Step("simplex.cor4.6/(79)", gamma(_x + 1), _stirling,
            reason="as printed: an equality in the limit, whose right side has no limit", printed=True),
        Step("simplex.cor4.6/(79) below", _stirling, gamma(_x + 1), "<", reason="Stirling's formula as a bound",
            check=Instance("lemma.robbins_below", {})),
        Step("simplex.cor4.6/(79) above", gamma(_x + 1), _stirling * exp(1 / (12 * _x)), "<",
            reason="Stirling's formula as a bound: the quotient of both sides of (79) tends to 1",
            check=Instance("lemma.robbins", {}),
            replaces="simplex.cor4.6/(79)"),
        Step("simplex.cor4.6/(80) first line", orf_share, _stirling_80(m + d - 1),
            reason="as printed: exponent m + d - 1, and a limit that still depends on d", printed=True),
        Step("simplex.cor4.6/(80) second line", _stirling_80(k + d - 1), _root * _power_82 * _quotient_83,
            reason="exponent k + d - 1; the powers regrouped", check=Rewrite(), printed=True,
            replaces="simplex.cor4.6/(80) first line"),
        Step("simplex.cor4.6/(81)", _root, 1 - k / (2 * d), "~", reason="to order 1/d",
            check=Taylor(d, 2, logarithm=True), printed=True),
        Step("simplex.cor4.6/(82)", _power_82, 1 - k * (k - 1) / d, "~", reason="to order 1/d",
            check=Taylor(d, 2, logarithm=True), printed=True),
        Step("simplex.cor4.6/(83)", _quotient_83, 1 + k**2 / (2 * d), "~", reason="to order 1/d",
            check=Taylor(d, 2, logarithm=True), printed=True),
        Step("simplex.cor4.6/(84)", (1 - k / (2 * d)) * (1 - k * (k - 1) / d) * (1 + k**2 / (2 * d)),
            1 - k * (k - 1) / (2 * d), "~", reason="the product of the three", check=Taylor(d, 2), printed=True),
        Step("simplex.cor4.6/lower bound", _error, S.Zero, ">=",
            reason="the share is at least 1 - k(k-1)/(2d): it is multiplied by 1 - k/(d+2k) from k to k " "+ 1",
            check=Ladder(k, 0, (d + k) / (d + 2 * k), k**2 * (k + 3) / (2 * d * (d + 2 * k)))),
        Step("simplex.cor4.6/upper bound", _error, _b_k / d**2, "<=",
            reason="and at most that plus k(k-1)(k^2+3k-2)/(8 d^2)",
            check=Ladder(k, 0, S.One, k**3 * (k + 3) / (d**2 * (d + 2 * k)),
                plus=(("simplex.cor4.6/lower bound", k / (d + 2 * k)),))),
        Step("simplex.cor4.6/bound is nonnegative", _b_k, S.Zero, ">=", reason="it grows by k^2 (k+3)/2",
            check=Ladder(k, 0, S.One, k**2 * (k + 3) / 2)),
        Step("simplex.cor4.6/lower bound, weakened", -_error, _b_k / d**2, "<=",
            check=Combination(
                (("simplex.cor4.6/lower bound", S.One), ("simplex.cor4.6/bound is nonnegative", 1 / d**2)))),
        Step("simplex.cor4.6/(85) first", _share_series - _exponential, _leading_term,
            reason="as printed, an equality: it is one only up to O(1/d^2)", printed=True),
        Step("simplex.cor4.6/(85) split", _bracket_78, _leading_term + _rest, reason="leading term and rest",
            check=Inside(), replaces="simplex.cor4.6/(85) first"),
        Step("simplex.cor4.6/(85) shift", _leading, Sum(_weight * z**4, (k, 0, oo)), reason="k -> k + 2",
            check=Reindex(2)),
        Step("simplex.cor4.6/(85) factor", Sum(_weight * z**4, (k, 0, oo)), z**4 * _exponential,
            reason="the constant comes out", check=Inside()),
        Step("simplex.cor4.6/(85) second", _leading_term, -(z**4) / (2 * d) * _decay, reason="exponential series",
            check=Given(
                ("simplex.cor4.6/(85) shift", "simplex.cor4.6/(85) factor", "simplex.cor4.6/(78) exponential")),
            printed=True),
        Step("simplex.cor4.6/rest from above", _rest, _bound, "<=", reason="termwise, whatever the sign of (-1)^k",
            check=Termwise(_signed_bound("simplex.cor4.6/upper bound", "simplex.cor4.6/lower bound, weakened"))),
        Step("simplex.cor4.6/rest from below", -_rest, _bound, "<=", reason="termwise, whatever the sign of (-1)^k",
            check=Termwise(_signed_bound("simplex.cor4.6/lower bound, weakened", "simplex.cor4.6/upper bound"))),
        Step("simplex.cor4.6/(86) from (77)", 1 - 2 * (m - 1) / (1 + _decay) ** 2 * z**4 / (2 * d) * _decay, _limit,
            reason="as printed: (85) put into (77) as printed", printed=True),
        Step("simplex.cor4.6/(86)", 1 + 2 * (m - 1) / (1 - _decay) ** 2 * (-(z**4) / (2 * d) * _decay + _rest),
            _limit + 2 * (m - 1) / (1 - _decay) ** 2 * _rest,
            reason="(85) put into (77) corrected; the rest is at most a function of z over d^2",
            check=Rewrite(), printed=True, replaces="simplex.cor4.6/(86) from (77)"),
        Step("simplex.cor4.6/(77) at the series", _ratio_of_errors.subs(_ort, orf_wave_series),
            1 + 2 * (m - 1) / (1 - _decay) ** 2 * (orf_wave_series - _decay),
            reason="(77) corrected, with the mean of a_1 a_2 for orthogonal vectors", check=Rewrite()),
        Step("simplex.cor4.6/(78) and (85) inserted",
            1 + 2 * (m - 1) / (1 - _decay) ** 2 * (orf_wave_series - _decay),
            1 + 2 * (m - 1) / (1 - _decay) ** 2 * (-(z**4) / (2 * d) * _decay + _rest), reason="the bracket",
            check=Given(("simplex.cor4.6/(78)", "simplex.cor4.6/(85) split", "simplex.cor4.6/(85) second"))),
        Step("simplex.cor4.6/(27)", _ratio_of_errors.subs(_ort, orf_wave_series),
            _limit + 2 * (m - 1) / (1 - _decay) ** 2 * _rest,
            reason="all together; the rest is bounded by a function of z over d^2", check=Chain(),
            printed=True))))  # fmt: skip
