"""Derivations of Likhosherstov et al. 2022, Chefs' Random Tables.

The main body states its theorems without proofs, so the steps are ours unless they are marked as printed.
Notation: q = |x + s y|^2, S = |x|^2 + |y|^2, v = |x + y|, z = |x - y|.
"""

from __future__ import annotations

import sympy
from flint import acb, ctx
from sympy import (I, Integral, Rational, S, Sum, besseli, cosh, exp, factorial, gamma, hyper, log, oo, pi,
    sqrt)  # fmt: skip

from rftheory.exact.evaluate import evaluate
from rftheory.exact.exponential import PRINTED_RHO, PRINTED_RHO_LONG_ROOT, RHO, expectation_by_line
from rftheory.exact.formula import Variable
from rftheory.exact.proof import lemmas
from rftheory.exact.proof.rules import (Antiderivative, Chain, ChangeVariable, Cited,
    Counterexample, FirstTerms, FromInequality, Given, Holds, Increasing, Inside, Ladder,
    Rewrite, Sign, Termwise, Use)  # fmt: skip
from rftheory.exact.proof.steps import Derivation, Scope, Step, at, register_derivation
from rftheory.exact.symbols import DIMENSION, FEATURES, PAIR_DIMENSION, d, k, m

SOURCE = "Likhosherstov et al. 2022"
HALF = Rational(1, 2)

x = lemmas.x
A = sympy.Symbol("A")
alpha = sympy.Symbol("alpha")
beta = sympy.Symbol("beta", real=True)
slope = sympy.Symbol("B_q")
kappa = sympy.Symbol("kappa", positive=True)
q = sympy.Symbol("q", nonnegative=True)
squares = sympy.Symbol("S", nonnegative=True)
a, b = sympy.symbols("a b", real=True)
rho = sympy.Symbol("rho", positive=True)
lam = sympy.Symbol("lam", positive=True)
t = sympy.Symbol("t", real=True)
p = sympy.Symbol("p", positive=True)
g = sympy.Symbol("g", positive=True)
eps = sympy.Symbol("eps", positive=True)
r = sympy.Symbol("r", nonnegative=True)

SQUARE = Variable(q, "|x + s y|^2", low=0)
NORMS = Variable(squares, "|x|^2 + |y|^2", low=0)
SHAPE = Variable(A, "coefficient of |w|^2", complex=True)


# ---- the Gaussian integral -------------------------------------------------------------------------------

_density = exp(-(x**2) / 2) / sqrt(2 * pi)
_line = Integral(exp(-kappa * x**2 / 2 + beta * x) / sqrt(2 * pi), (x, -oo, oo))
_scaled = kappa ** (-HALF) * Integral(exp(-(x**2) / 2 + beta / sqrt(kappa) * x) / sqrt(2 * pi), (x, -oo, oo))

register_derivation(Derivation(id="chefs.lemma.line", title="Gaussian integral with a quadratic exponent",
    says="E exp(alpha X^2 + beta X) = kappa^(-1/2) exp(beta^2/(2 kappa)), kappa = 1 - 2 alpha > 0",
    variables=(Variable(kappa, "1 - 2 alpha", above=0), Variable(beta, "slope")),
    points=({"kappa": "1/3", "beta": -2}, {"kappa": 5, "beta": "1/2"}, {"kappa": 1, "beta": 0}), source="ours",
    steps=(
        Step("chefs.lemma.line/scale", _line, _scaled, reason="x -> x/sqrt(kappa)",
            check=ChangeVariable(x, x, x / sqrt(kappa))),
        Step("chefs.lemma.line/mean", _scaled, kappa ** (-HALF) * exp(beta**2 / (2 * kappa)),
            reason="moment generating function of a normal variable",
            check=Use("lemma.normal_mgf", {lemmas.t: beta / sqrt(kappa)})),
        Step("chefs.lemma.line/statement", _line, kappa ** (-HALF) * exp(beta**2 / (2 * kappa)),
            check=Chain()))))  # fmt: skip


def gaussian_mean(quadratic: sympy.Expr, linear: sympy.Expr) -> sympy.Expr:
    """E exp(quadratic X^2 + linear X) for a standard normal X, as an integral over the line."""
    return Integral(exp(quadratic * x**2 + linear * x) * _density, (x, -oo, oo))


def gaussian_value(quadratic: sympy.Expr, linear: sympy.Expr) -> sympy.Expr:
    """Its value for Re(1 - 2 quadratic) > 0, with the principal root."""
    return (1 - 2 * quadratic) ** (-HALF) * exp(linear**2 / (2 * (1 - 2 * quadratic)))


def continued(quadratic: sympy.Expr, linear: sympy.Expr) -> Holds:
    """Analytic continuation of chefs.lemma.line in both coefficients, guarded by certified quadrature.

    Both sides are analytic where Re(1 - 2 quadratic) > 0 (the integral converges locally uniformly, the root is
    principal), a connected domain, and agree on its real points.
    """

    def agree(step: Step, scope: Scope) -> str:
        if step.left != gaussian_mean(quadratic, linear) or step.right != gaussian_value(quadratic, linear):
            return ""
        checked = 0
        for point in scope.points(step.left, step.right):
            with ctx.workprec(60):
                coefficients = [acb(evaluate(e, point)) for e in (quadratic, linear)]
                if not (1 - 2 * coefficients[0]).real > 0:
                    return ""
                if not expectation_by_line(1, *coefficients).overlaps(acb(evaluate(step.right, point))):
                    return ""
            checked += 1
        return (
            f"chefs.lemma.line continued analytically, guarded by quadrature at {checked} points"
            if checked
            else ""
        )

    return Holds(agree)


def gaussian_step(label: str, quadratic: sympy.Expr, linear: sympy.Expr, reason: str) -> Step:
    """The value of one Gaussian mean with complex coefficients."""
    return Step(
        label,
        gaussian_mean(quadratic, linear),
        gaussian_value(quadratic, linear),
        reason=reason,
        check=continued(quadratic, linear),
    )


# ---- Theorem 3.1 -----------------------------------------------------------------------------------------

_COMPLEX_POINTS = ({"d": 1, "A": "1/16+I/5", "q": "1/2", "S": 2}, {"d": 7, "A": "-1/3-I/2", "q": 1, "S": 1},
    {"d": 2, "A": "-1/4", "q": 0, "S": 0})  # fmt: skip
_base = 1 - 4 * A


def _mean_steps(s: int) -> tuple[Step, ...]:
    """Unbiasedness for one sign: q = |x + s y|^2, and |x - y|^2 = q for s = -1, 2 S - q for s = 1."""
    name = f"chefs.thm3.1/s={s:+d}"
    root = sqrt(_base) if s == 1 else I * sqrt(_base)  # (-(1-4A))^(1/2) is this or its negative; w -> -w
    flat, sloped = gaussian_mean(2 * A, S.Zero), gaussian_mean(2 * A, root * sqrt(q))
    outside = _base ** (d / 2) * exp(-(s + 1) * squares / 2)
    flat_value, sloped_value = gaussian_value(2 * A, S.Zero), gaussian_value(2 * A, root * sqrt(q))
    kernel = exp(-(2 * squares - q) / 2) if s == 1 else exp(-q / 2)
    return (
        gaussian_step(f"{name} coordinate", 2 * A, S.Zero, "a coordinate of w orthogonal to x + s y"),
        gaussian_step(f"{name} coordinate along", 2 * A, root * sqrt(q), "the coordinate along x + s y"),
        Step(
            f"{name} product",
            outside * flat ** (d - 1) * sloped,
            outside * flat_value ** (d - 1) * sloped_value,
            reason="the coordinates of w are independent; D^2 = (1-4A)^(d/2), C = -(s+1)/2",
            check=Given((f"{name} coordinate along", f"{name} coordinate")),
        ),
        Step(
            f"{name} kernel",
            outside * flat_value ** (d - 1) * sloped_value,
            kernel,
            reason="the powers of 1-4A cancel and B^2 = s (1-4A)",
            check=Rewrite(),
            printed=True,
        ),
        Step(f"{name} mean", outside * flat ** (d - 1) * sloped, kernel, check=Chain(), printed=True),
    )


register_derivation(Derivation(id="chefs.thm3.1", title="Unbiasedness of GERFs",
    says="E f1(w, x) f2(w, y) = K(x, y) under (5), for complex A with Re(1-4A) > 0 and both signs", source=SOURCE,
    variables=(DIMENSION, SHAPE, SQUARE, NORMS), points=_COMPLEX_POINTS,
    steps=(*_mean_steps(-1), *_mean_steps(1))))  # fmt: skip


# ---- Theorem 3.2 -----------------------------------------------------------------------------------------

_c, _e = sympy.symbols("c e", real=True)
_wide = 1 - 8 * A
_sizes = sympy.Symbol("h", positive=True)

_SECOND_POINTS = tuple(
    {"d": dimension, "A": shape, "a": re, "b": im, "q": "1/2", "S": 2, "h": 3, "c": 2, "e": "-1/3", "s": sign}
        for dimension,
    shape, re, im,
    sign in ((1, "1/16+I/9", "1/16", "1/9", 1), (2, "-1/2-I/2", "-1/2", "-1/2", -1),
        (7, "-1/4", "-1/4", 0, 1)))  # fmt: skip
_s = sympy.Symbol("s", integer=True, nonzero=True)
_square_modulus = (1 - 4 * a) ** 2 + 16 * b**2

register_derivation(Derivation(id="chefs.thm3.2", title="Variance of GERFs",
    says="E (Re Z)^2 = (E |Z|^2 + Re E Z^2)/2, and alpha_1, ..., alpha_4 are what the Gaussian integrals give",
    source=SOURCE,
    variables=(DIMENSION, SHAPE, SQUARE, NORMS, Variable(a, "Re A", below=Rational(1, 8)), Variable(b, "Im A"),
        Variable(_sizes, "|1 - 4A|", above=0), Variable(_c, "real part", above=0), Variable(_e, "imaginary part"),
        Variable(_s, "sign", integer=True, low=-1, high=1)),
    points=_SECOND_POINTS,
    steps=(
        Step("chefs.thm3.2/real part", _c**2, at((_c + _e) / 2, {_c: _c**2 + _e**2, _e: _c**2 - _e**2}),
            reason="(Re Z)^2 = (|Z|^2 + Re Z^2)/2 with Z = c + i e", check=Rewrite()),
        gaussian_step("chefs.thm3.2/second moment", 4 * A, S.Zero, "coordinate of E Z^2 across"),
        gaussian_step("chefs.thm3.2/second moment along", 4 * A, 2 * sqrt(_base) * sqrt(q),
            "coordinate of E Z^2 along, s = 1"),
        gaussian_step("chefs.thm3.2/second moment along, s=-1", 4 * A, 2 * I * sqrt(_base) * sqrt(q),
            "coordinate of E Z^2 along, s = -1 (the sign of B does not matter, w -> -w)"),
        Step("chefs.thm3.2/alpha_1 squared", (_base * _wide ** (-HALF)) ** 2, 1 + 16 * A**2 / _wide,
            reason="per coordinate, D^4 times the mean is (1-4A) (1-8A)^(-1/2); its square is the printed radicand",
            check=Rewrite(), printed=True),
        Step("chefs.thm3.2/alpha_1 branch value", ((_c + I * _e) ** 2 + 1) / (2 * (_c + I * _e)),
            ((_c + I * _e) + (_c - I * _e) / (_c**2 + _e**2)) / 2,
            reason="with c + i e = (1-8A)^(1/2), c > 0, (1-4A) (1-8A)^(-1/2) is the mean of it and its inverse",
            check=Rewrite()),
        Step("chefs.thm3.2/alpha_1 branch", S.Zero, (_c + _c / (_c**2 + _e**2)) / 2, "<",
            reason="its real part is positive, so it is the principal root of its square", check=Sign()),
        Step("chefs.thm3.2/alpha_2", 4 * _s * _base / (2 * _wide), _s + _s / _wide,
            reason="(2B)^2/(2 (1-8A)) with B^2 = s (1-4A)", check=Rewrite(), printed=True),
        Step("chefs.thm3.2/alpha_3", _square_modulus / (1 - 8 * a), 1 + 16 * (a**2 + b**2) / (1 - 8 * a),
            reason="per coordinate, |D|^4 times E exp(4 Re(A) X^2), squared: |1-4A|^2/(1 - 8 Re A)",
            check=Rewrite(), printed=True),
        Step("chefs.thm3.2/real part of B", _c**2, at((_c + _e) / 2, {_c: _c**2 + _e**2, _e: _c**2 - _e**2}),
            reason="Re(B)^2 = (|B|^2 + Re B^2)/2 = (|1-4A| + s Re(1-4A))/2 with B = c + i e",
            check=Rewrite()),
        Step("chefs.thm3.2/alpha_4", 4 * ((_sizes + _s * (1 - 4 * a)) / 2) / (2 * (1 - 8 * a)),
            _s / 2 + (_s + 2 * _sizes) / (2 * (1 - 8 * a)), reason="(2 Re B)^2/(2 (1 - 8 Re A)), h = |1-4A|",
            check=Rewrite(), printed=True))))  # fmt: skip


# ---- Theorem 3.3 and the notes after it ------------------------------------------------------------------

_symbol_v = sympy.Symbol("v", nonnegative=True)
_positive_q = sympy.Symbol("q", positive=True)
_objective = d * log(cosh(t / 2)) + _positive_q * exp(t)


def _at_q(expression: sympy.Expr) -> sympy.Expr:
    return expression.subs(_symbol_v, sqrt(_positive_q))


_rho_stable, _rho_printed, _rho_long = (_at_q(e) for e in (RHO, PRINTED_RHO, PRINTED_RHO_LONG_ROOT))
_rooted = sqrt((2 * _positive_q + d) ** 2 + 8 * d * _positive_q)
_quadratic = 2 * _positive_q * rho**2 + (d + 2 * _positive_q) * rho - d

register_derivation(Derivation(id="chefs.thm3.3", title="Minimum variance for real A and s = 1",
    says="the variance is least at A = (1 - 1/rho*)/8 with rho* the positive root of a quadratic, and A < 0",
    source=SOURCE,
    variables=(DIMENSION, Variable(_positive_q, "|x + y|^2", above=0), Variable(rho, "1/(1 - 8A)", above=0),
        Variable(t, "log rho")),
    points=({"d": 1, "q": 1, "rho": "1/3", "t": -1}, {"d": 2, "q": "1/10", "rho": 2, "t": 2},
        {"d": 64, "q": 100, "rho": 1, "t": "-1/2"}),
    steps=(
        Step("chefs.thm3.3/base", (1 - 4 * ((1 - 1 / rho) / 8)) ** 2 * rho, (1 + rho) ** 2 / (4 * rho),
            reason="(1-4A)^2/(1-8A) at A = (1 - 1/rho)/8", check=Rewrite()),
        Step("chefs.thm3.3/cosh", (1 + exp(t)) ** 2 / (4 * exp(t)), cosh(t / 2) ** 2,
            reason="rho = e^t: the second moment over K^2 is exp(d log cosh(t/2) + q e^t)",
            check=Rewrite()),
        Step("chefs.thm3.3/second derivative", sympy.diff(_objective, t, 2),
            d / (4 * cosh(t / 2) ** 2) + _positive_q * exp(t),
            reason="of the logarithm of the second moment over K^2",
            check=Rewrite()),
        Step("chefs.thm3.3/convex", S.Zero, d / (4 * cosh(t / 2) ** 2) + _positive_q * exp(t), "<",
            reason="the second derivative of d log cosh(t/2) + q e^t is positive: one stationary point",
            check=Sign()),
        Step("chefs.thm3.3/stationary", 2 * rho * (1 + rho) * (d / (1 + rho) - d / (2 * rho) + _positive_q),
            _quadratic, reason="the derivative in rho of (d/2) log((1+rho)^2/(4 rho)) + rho q",
            check=Rewrite()),
        Step("chefs.thm3.3/(7) root over everything", _quadratic.subs(rho, _rho_long), S.Zero,
            reason="(7) with the root over the whole numerator", printed=True),
        Step("chefs.thm3.3/(7)", _quadratic.subs(rho, _rho_printed), S.Zero,
            reason="(7) with the root over the sum of squares", check=Rewrite(),
            replaces="chefs.thm3.3/(7) root over everything"),
        Step("chefs.thm3.3/without cancellation", _rho_printed * (_rooted + 2 * _positive_q + d), 2 * d,
            reason="the numerator times its conjugate; this form holds at x = -y too, where rho* = 1",
            check=Rewrite()),
        Step("chefs.thm3.3/positive", S.Zero, _rho_stable, "<", reason="0 < rho*", check=Sign(), printed=True),
        Step("chefs.thm3.3/below one, root", d**2, (2 * _positive_q + d) ** 2 + 8 * d * _positive_q, "<",
            reason="so the root exceeds d", check=Sign(4 * _positive_q**2 + 12 * d * _positive_q)),
        Step("chefs.thm3.3/shape", (1 - 1 / _rho_stable) / 8, -(_rooted + 2 * _positive_q - d) / (16 * d),
            reason="A* = (1 - 1/rho*)/8", check=Rewrite()),
        Step("chefs.thm3.3/A<0 rationalised", -(_rooted + 2 * _positive_q - d) / (16 * d), S.Zero, "<",
            reason="the root exceeds d",
            check=Sign(((4 * _positive_q**2 + 12 * d * _positive_q) / (_rooted + d) + 2 * _positive_q) / (16 * d))),
        Step("chefs.thm3.3/A<0", (1 - 1 / _rho_stable) / 8, S.Zero, "<", check=Chain(), printed=True))))  # fmt: skip


# ---- Theorem 3.4 -----------------------------------------------------------------------------------------

_poisson = exp(-lam) * lam**k / factorial(k)
_poisson_feature = exp(lam) * (t / lam) ** k  # t^k/(k! p_k)
_T = sympy.Symbol("squares", positive=True)

_any_law, _one = sympy.Function("p", positive=True), sympy.Symbol("one", real=True)

register_derivation(Derivation(id="chefs.thm3.4", title="Mean and variance of Poisson features",
    says="per coordinate E Z = e^t and E Z^2 = exp(lambda + t^2/lambda); lambda* is the minimiser", source=SOURCE,
    variables=(DIMENSION, Variable(lam, "rate", above=0), Variable(t, "x_l y_l"),
        Variable(_T, "sum of x_l^2 y_l^2", above=0)),
    points=({"d": 1, "lam": "1/3", "t": "-3/2", "squares": 1}, {"d": 3, "lam": 2, "t": "1/2", "squares": "1/5"},
        {"d": 64, "lam": 1, "t": 3, "squares": 7}),
    steps=(
        Step("chefs.thm3.4/mean terms", Sum(_poisson * _poisson_feature, (k, 0, oo)),
            Sum(t**k / factorial(k), (k, 0, oo)),
            reason="(9): the probabilities cancel, coordinate by coordinate (0^0 = 1)",
            check=Inside(), printed=True),
        Step("chefs.thm3.4/any law", Sum(at(_any_law(k) * _one, {_one: t**k / (factorial(k) * _any_law(k))}), (k, 0, oo)),
            Sum(t**k / factorial(k), (k, 0, oo)), reason="(9) for any law p of the counts, all p(k) > 0",
            check=Inside()),
        Step("chefs.thm3.4/mean", Sum(t**k / factorial(k), (k, 0, oo)), exp(t), reason="exponential series",
            check=Use("definition.exp", {lemmas.t: t}), printed=True),
        Step("chefs.thm3.4/second terms", Sum(_poisson * _poisson_feature**2, (k, 0, oo)),
            exp(lam) * Sum((t**2 / lam) ** k / factorial(k), (k, 0, oo)), reason="p_k (t^k/(k! p_k))^2",
            check=Inside()),
        Step("chefs.thm3.4/(11) coordinate", exp(lam) * Sum((t**2 / lam) ** k / factorial(k), (k, 0, oo)),
            exp(lam + t**2 / lam), reason="exponential series; the product over coordinates adds the exponents",
            check=Use("definition.exp", {lemmas.t: t**2 / lam}), printed=True),
        Step("chefs.thm3.4/convex", sympy.diff(lam * d + _T / lam, lam, 2), S.Zero, ">",
            reason="the exponent of (11) is strictly convex in lambda if some x_l y_l is not zero", check=Sign(),
            printed=True),
        Step("chefs.thm3.4/stationary", at(sympy.Derivative(lam * d + _T / lam, lam), {lam: sqrt(_T / d)}), S.Zero,
            reason="lambda* is the zero of the derivative", check=Rewrite(),
            printed=True),
        Step("chefs.thm3.4/least", lam * d + _T / lam, 2 * sqrt(d * _T), ">=",
            reason="the difference is a square: AM-GM, with equality at lambda*",
            check=Sign((lam * sqrt(d) - sqrt(_T)) ** 2 / lam)))))  # fmt: skip


# ---- Theorem 3.5 -----------------------------------------------------------------------------------------

_fail = sympy.Symbol("f", positive=True)
_positive_t = sympy.Symbol("tau", positive=True)
_geometric = (1 - _fail) * _fail**k
_geometric_feature = _positive_t**k / (factorial(k) * _geometric)
_bessel_argument = 2 * _positive_t / sqrt(_fail)

register_derivation(Derivation(id="chefs.thm3.5", title="Mean and variance of geometric features",
    says="per coordinate E Z = e^t and E Z^2 = I_0(2 |t| (1-p)^(-1/2))/p; f = 1 - p, tau = |t| > 0", source=SOURCE,
    variables=(Variable(_fail, "1 - p", above=0, below=1), Variable(_positive_t, "|x_l y_l|", above=0)),
    points=({"f": "1/3", "tau": 2}, {"f": "9/10", "tau": "1/7"}, {"f": "1/2", "tau": 1}),
    steps=(
        Step("chefs.thm3.5/mean terms", Sum(at(_c * _geometric_feature, {_c: _geometric}), (k, 0, oo)),
            Sum(_positive_t**k / factorial(k), (k, 0, oo)),
            reason="(9); with the sign of t put back it is the series of e^t", check=Inside(),
            printed=True),
        Step("chefs.thm3.5/mean", Sum(_positive_t**k / factorial(k), (k, 0, oo)), exp(_positive_t),
            check=Use("definition.exp", {lemmas.t: _positive_t}), printed=True),
        Step("chefs.thm3.5/second terms", Sum(_geometric * _geometric_feature**2, (k, 0, oo)),
            Sum((_bessel_argument / 2) ** (2 * k) / (factorial(k) * gamma(k + 1)), (k, 0, oo)) / (1 - _fail),
            reason="p_k (t^k/(k! p_k))^2, even in t", check=Inside()),
        Step("chefs.thm3.5/(13) coordinate",
            Sum((_bessel_argument / 2) ** (2 * k) / (factorial(k) * gamma(k + 1)), (k, 0, oo)) / (1 - _fail),
            besseli(0, _bessel_argument) / (1 - _fail),
            reason="series of I_0; the product over coordinates gives (13)",
            check=Use("definition.bessel_i", {lemmas.alpha: S.Zero, lemmas.u: _bessel_argument}), printed=True),
        Step("chefs.thm3.5/(13) mean", Sum(_geometric * _geometric_feature**2, (k, 0, oo)),
            besseli(0, _bessel_argument) / (1 - _fail), check=Chain()))))  # fmt: skip


# ---- Theorem 4.1 -----------------------------------------------------------------------------------------

_w = lemmas.w
_tilted_moment = Integral(_w ** (2 * k + d - 1) * exp(-kappa * _w**2 / 2), (_w, 0, oo)) / (
    2 ** (d / 2 - 1) * gamma(d / 2)
)
_n = sympy.Symbol("n", integer=True, positive=True)
_ratio = gamma(_n + d) * gamma(d / 2) / (gamma(d) * gamma(_n + d / 2) * 2**_n)
_tail_iid = Sum(q**_n / factorial(_n), (_n, 2, oo))
_tail_orf = Sum(_ratio * q**_n / factorial(_n), (_n, 2, oo))
_orthogonal = hyper((d,), (d / 2,), q / 2)
_SUMS = ("chefs.thm4.1/series of 1F1 reversed", "chefs.thm4.1/series of exp reversed")

register_derivation(Derivation(id="chefs.thm4.1", title="Orthogonal GERF, real A and s = 1",
    says="the pair moment does not depend on A, and the saving is 2/(d+2) C (1 - 1/m) with an explicit C",
    source=SOURCE,
    variables=(PAIR_DIMENSION, SQUARE, Variable(kappa, "1 - 4A", above=0), lemmas.INDEX, FEATURES,
        Variable(_n, "order of a term", integer=True, low=2)),
    points=({"d": 2, "q": "1/2", "kappa": 3, "k": 0, "m": 2, "n": 4},
        {"d": 3, "q": 4, "kappa": "1/2", "k": 2, "m": 3, "n": 2},
        {"d": 64, "q": 9, "kappa": 2, "k": 5, "m": 2, "n": 7}),
    steps=(
        Step("chefs.thm4.1/tilted norm", _tilted_moment,
            2**k * gamma(k + d / 2) / gamma(d / 2) * kappa ** (-k - d / 2),
            reason="E r^(2k) exp(2 A r^2) for chi_d, kappa = 1 - 4A",
            check=Use("lemma.gamma_integral", {lemmas.s: k + d / 2, lemmas.a: kappa / 2})),
        Step("chefs.thm4.1/A cancels",
            kappa ** (d / 2) * kappa**k * (2**k * gamma(k + d / 2) / gamma(d / 2) * kappa ** (-k - d / 2)),
            2**k * gamma(k + d / 2) / gamma(d / 2),
            reason="D^2 = kappa^(d/2), B^(2k) = kappa^k: each norm enters as that of positive features, A = 0",
            check=Rewrite()),
        Step("chefs.thm4.1/coefficients", _ratio.subs(_n, 1), S.One,
            reason="(d)_n/((d/2)_n 2^n) is 1 at n = 1, so the two series differ from q^2 on",
            check=Rewrite()),
        Step("chefs.thm4.1/second coefficient", 1 - _ratio.subs(_n, 2), 1 / (d + 2),
            reason="(d)_2/((d/2)_2 4) = (d+1)/(d+2)", check=Rewrite()),
        Step("chefs.thm4.1/ratio", _ratio.subs(_n, _n + 1), _ratio * (_n + d) / (2 * _n + d),
            reason="the coefficients decrease in n, as (n+d)/(2n+d) < 1", check=Rewrite()),
        Step("chefs.thm4.1/every coefficient", _ratio, (d + 1) / (d + 2), "<=",
            reason="for n >= 2, by induction: the ratio (n+d)/(2n+d) is below 1",
            check=Ladder(_n, 2, S.One, _ratio * _n / (2 * _n + d))),
        Step("chefs.thm4.1/termwise", _tail_orf, (d + 1) / (d + 2) * _tail_iid, "<=", reason="times q^n/n!",
            check=Termwise(
                FromInequality("chefs.thm4.1/every coefficient", q**_n / factorial(_n), ()))),
        Step("chefs.thm4.1/series of 1F1", _tail_orf, _orthogonal - 1 - q,
            reason="series of 1F1(d; d/2; q/2) without its first two terms, simplex.thm4.3 (23)",
            check=FirstTerms(2,
                Use("definition.kummer", {lemmas.a: d, lemmas.s: d / 2, lemmas.t: q / 2}))),
        Step("chefs.thm4.1/series of exp", _tail_iid, exp(q) - 1 - q,
            reason="exponential series without its first two terms",
            check=FirstTerms(2, Use("definition.exp", {lemmas.t: q}))),
        Step("chefs.thm4.1/sums", _orthogonal - 1 - q, (d + 1) / (d + 2) * (exp(q) - 1 - q), "<=",
            reason="both series summed",
            check=FromInequality("chefs.thm4.1/termwise", S.One, _SUMS)),
        Step("chefs.thm4.1/(15)", (exp(q) - 1 - q) / (d + 2), exp(q) - _orthogonal, "<=",
            reason="times exp(-2 S) (1 - 1/M): (15) with C = exp(-2 S) (e^q - 1 - q)/2, which is free of d and A",
            check=FromInequality("chefs.thm4.1/sums", S.One, ()), printed=True),
        Step("chefs.thm4.1/(15) for several blocks", (1 - 1 / (2 * m * d)) * (2 * m * d), d - 1, "<=",
            reason="(15) with the factor 1 - 1/M for M = 2 m d features in blocks of d and the C of one block: "
            "the pairs of a block are only (d-1)/M of all M (times M on both sides)", printed=True),
        Step("chefs.thm4.1/pairs of several blocks", at(m * (d - 1) / m**2, {m: m * d}), (d - 1) / (m * d),
            reason="the factor is (d-1)/M for M = m d features, and 1 - 1/M for one block of M <= d",
            check=Rewrite(), replaces="chefs.thm4.1/(15) for several blocks"))))  # fmt: skip


# ---- Theorem 4.2 -----------------------------------------------------------------------------------------

_negative = sympy.Symbol("c", positive=True)  # c = -A
_center = sqrt(1 + 4 * _negative) * sqrt(q) / (4 * _negative)
_exponent = -2 * _negative * r**2 + sqrt(1 + 4 * _negative) * sqrt(q) * r - squares
_bound_exponent = (1 + 4 * _negative) * q / (8 * _negative) - squares
_level = sympy.Symbol("L", positive=True)
_kappa_above = sympy.Symbol("kappa", positive=True)
_tail_integral = Integral(r * exp(-(r**2) / 2), (r, 0, _level))
_reach = (log(_kappa_above) - log(1 + eps)) / (_kappa_above - 1)
_tail_value = 1 - exp(-_reach)
_top = sympy.Symbol("top", positive=True)  # of a textbook inequality
_counterexample = {_kappa_above: S(20), eps: Rational(178, 10)}

register_derivation(Derivation(id="chefs.thm4.2", title="Exponential tails",
    says="Z lies in (0, top]; Hoeffding's bound needs top^2 with the power d of 1-4A; c = -A > 0, s = 1",
    source=SOURCE,
    variables=(DIMENSION, SQUARE, NORMS, Variable(_negative, "-A", above=0), Variable(r, "component of w", low=0),
        Variable(_kappa_above, "1 - 4A (x = y = 0, d = 2)", above=1), Variable(eps, "error", above=0),
        Variable(_level, "radius", above=0)),
    points=({"d": 1, "q": 2, "S": 2, "c": "1/3", "r": 1, "kappa": 20, "eps": "89/5", "L": 1},
        {"d": 2, "q": 0, "S": 1, "c": 3, "r": "5/2", "kappa": 3, "eps": 1, "L": "1/2"},
        {"d": 7, "q": 4, "S": 3, "c": "1/10", "r": 0, "kappa": 100, "eps": "1/2", "L": 3}),
    steps=(
        Step("chefs.thm4.2/square", _bound_exponent - _exponent, 2 * _negative * (r - _center) ** 2,
            reason="completing the square in the component of w along x + y", check=Rewrite()),
        Step("chefs.thm4.2/bounded", _exponent, _bound_exponent, "<=",
            reason="so Z is at most top = (1+4c)^(d/2) exp(this)",
            check=Sign(2 * _negative * (r - _center) ** 2), printed=True),
        Step("chefs.thm4.2/top by norms", 2 * _bound_exponent.subs(q, 2 * squares - q), squares / (2 * _negative),
            "<=", reason="with q = 2 S - |x-y|^2 <= 2 S (here q stands for |x-y|^2): top^2 <= (1+4c)^d exp(-S/(2A))",
            check=Sign((1 + 4 * _negative) * q / (4 * _negative))),
        Step("chefs.thm4.2/law of one feature", _tail_integral, 1 - exp(-(_level**2) / 2),
            reason="d = 2, x = y = 0: |w|^2/2 is exponential", check=Antiderivative(-exp(-(r**2) / 2))),
        Step("chefs.thm4.2/tail of one feature", at(1 - exp(-(_c**2) / 2), {_c: sqrt(2 * _reach)}), _tail_value,
            reason="P(Z >= 1 + eps): kappa exp(-(kappa-1) L^2/2) = 1 + eps", check=Rewrite()),
        Step("chefs.thm4.2/printed bound", _tail_value, 2 * exp(-(eps**2) / (2 * _kappa_above)), "<=",
            reason="the first bound as printed at d = 2, x = y = 0, M = 1", check=Counterexample(_counterexample),
            printed=True, points=({"kappa": 20, "eps": "89/5", "d": 1, "q": 0, "S": 0, "c": 1, "r": 0, "L": 1},)),
        Step("chefs.thm4.2/Hoeffding", _tail_value, 2 * exp(-2 * eps**2 / _kappa_above**2), "<=",
            reason="Hoeffding's bound at the same place: top = kappa, and its square is (1-4A)^d",
            check=Cited("Hoeffding's inequality for variables in (0, top]", _tail_value, "<=",
                2 * exp(-2 * eps**2 / _top**2), {_top: _kappa_above}),
            replaces="chefs.thm4.2/printed bound"),
        Step("chefs.thm4.2/with the power -d", 2 * exp(-2 * eps**2 / _kappa_above**2),
            2 * exp(-(eps**2) / (2 * _kappa_above**2)), "<=",
            reason="it implies the printed bound with the power -d of 1-4A in place of -d/2",
            check=Increasing(2 * exp(lemmas.t), lemmas.t, -2 * eps**2 / _kappa_above**2,
                -(eps**2) / (2 * _kappa_above**2), Sign())))))  # fmt: skip


# ---- Theorem 4.3 -----------------------------------------------------------------------------------------

_radius2 = sympy.Symbol("r2", positive=True)  # R^2/sqrt(d)
_difference2 = sympy.Symbol("z2", nonnegative=True)
_slack = sympy.Symbol("e", nonnegative=True)
_softmax = _radius2 * (1 + 1 / (2 * _negative))
_general = (q - _difference2) / 4 + q / (8 * _negative)

register_derivation(Derivation(id="chefs.thm4.3", title="Uniform convergence for attention",
    says="the squared range needs exp(r2 (2 + 1/c)), which Gamma = exp(3 r2/c) covers for c <= 1 only", source=SOURCE,
    variables=(Variable(_radius2, "R^2/sqrt(d)", above=0), Variable(_negative, "-A", above=0), SQUARE,
        Variable(_difference2, "|x-y|^2", low=0), Variable(_slack, "4 r2 - |x+y|^2 - |x-y|^2", low=0),
        Variable(r, "|w - mu|", low=0)),
    points=({"r2": 1, "c": 2, "q": 3, "z2": 1, "e": "1/3", "r": 1},
        {"r2": 9, "c": 5, "q": 30, "z2": 2, "e": "1/3", "r": 1},
        {"r2": "1/2", "c": 3, "q": 1, "z2": 0, "e": "1/3", "r": 1}),
    steps=(
        Step("chefs.thm4.3/exponent",
            (q + _difference2) / 4 + ((1 + 4 * _negative) * q / (8 * _negative) - (q + _difference2) / 2), _general,
            reason="log of top times exp((|x|^2+|y|^2)/2), without the power of 1-4A", check=Rewrite()),
        Step("chefs.thm4.3/range", _general.subs(q, 4 * _radius2 - _difference2 - _slack), _softmax, "<=",
            reason="|x|^2 + |y|^2 <= 2 r2, so q = 4 r2 - |x-y|^2 - e with e >= 0: largest at x = y on the sphere",
            check=Sign(_difference2 / 2 + _slack / 4 + (_difference2 + _slack) / (8 * _negative))),
        Step("chefs.thm4.3/slope", sympy.diff(r * exp(-2 * _negative * r**2), r),
            (1 - 4 * _negative * r**2) * exp(-2 * _negative * r**2),
            reason="|B (w - mu)| Z is largest at |w - mu| = 1/(2 c^(1/2)): the features are Lipschitz in x, y, "
            "with the constant of attention_features", check=Rewrite()),
        Step("chefs.thm4.3/Gamma", 2 * _softmax, 3 * _radius2 / _negative, "<=",
            reason="what Hoeffding's bound would need of the printed Gamma: to cover the square of the range at x = y on the sphere", printed=True),
        Step("chefs.thm4.3/Gamma for c <= 1", 2 * _softmax.subs(_negative, 1 / (1 + q)), 3 * _radius2 * (1 + q), "<=",
            reason="it does for -A <= 1, written as c = 1/(1+q)", check=Sign(2 * _radius2 * q),
            replaces="chefs.thm4.3/Gamma"))))  # fmt: skip
