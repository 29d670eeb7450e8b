"""Tail bounds of random Fourier features: at one point, on a net, over a compact set.

The uniform bound is proved here in a corrected form. With f = s - k on the ball of radius l = diam(M) that contains
M - M: f is Lipschitz with constant L <= mean |w_i| + E |w|, so E L^2 <= 4 sigma_p^2 (the step E L^2 <= sigma_p^2 of the
walk-through is false); a maximal r-separated set of M - M has at most (1 + 2 l/r)^d points. The union bound,
Hoeffding and Markov give, for every r > 0,

    P(sup |f| >= eps) <= 2 (1 + 2 l/r)^d exp(-m eps^2/8) + 16 (r sigma_p/eps)^2.

For r <= l the base is at most 3 l/r, and the best r gives ``uniform_bound``; it needs sigma_p l >= eps/4, as otherwise
the best r may exceed l. For sigma_p l < eps/4, Chernoff's bound on mean min(2, |w_i| l) gives less than the claim
does, so the bound 2^8 (sigma_p l/eps)^2 exp(-m eps^2/(4 (d + 2))) of Rahimi and Recht holds without any assumption.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import sympy
from flint import arb, ctx
from sympy import Max, Min, Rational, Sum, ceiling, exp, factorial, gamma, log, oo, sqrt

from rftheory.errors import Undecided
from rftheory.exact.conformity import within
from rftheory.exact.enclosure import certified_integral, exact_fraction
from rftheory.exact.evaluate import evaluate_real
from rftheory.exact.formula import FORMULAS, Condition, Formula, Route, Variable, logarithms, register
from rftheory.exact.substitution import with_values
from rftheory.exact.symbols import DIMENSION, FEATURES, d, k, m
from rftheory.exact.truth import decided, related

eps, delta, sigma, diam, r, rho = sympy.symbols("eps delta sigma diam r rho", positive=True)
a, b = sympy.symbols("k1 k2", positive=True)
variance = sympy.Symbol("variance", nonnegative=True)

ERROR = Variable(eps, "error of the kernel estimate", above=0)
FAILURE = Variable(delta, "failure probability", above=0, high=1)
SIGMA = Variable(sigma, "sigma_p, root of E |w|^2", above=0)
DIAMETER = Variable(diam, "diameter of the set M", above=0)
RADIUS = Variable(r, "radius of the balls", above=0)
SHARE = Variable(rho, "part of eps that the means of suprema take", above=0, below=1, default=Rational(1, 10))
FIRST = Variable(a, "coefficient of r^-d", above=0)
SECOND = Variable(b, "coefficient of r^2", above=0)
SCALED_DIAMETER = sigma * diam / eps
UNIFORM = (FEATURES, DIMENSION, ERROR, SIGMA, DIAMETER)
LARGE_SET = Condition("sigma diam >= eps", sigma * diam >= eps)


def _with_log(formula: Formula) -> Formula:
    """Register a bound and its logarithm, which also answers where the bound is too small or large to be of use."""
    register(
        Formula(
            name=f"log_{formula.name}",
            says=f"log of: {formula.says}",
            source=formula.source,
            variables=formula.variables,
            expression=sympy.expand_log(log(formula.expression)),
            routes=logarithms(formula),
            conditions=formula.conditions,
        )
    )
    return register(formula)


def _chernoff(quadratic: Rational) -> Callable[..., arb]:
    """2 min over t > 0 of E-bound exp(m (q t^2 - t eps)): minimum of the parabola at t = eps/(2 q)."""

    def bound(m: int, eps: arb) -> arb:
        q = evaluate_real(quadratic)
        t = eps / (2 * q)
        return 2 * (m * (q * t * t - t * eps)).exp()

    return bound


# ---- one point -----------------------------------------------------------------------------------------

hoeffding_bound = _with_log(Formula(name="hoeffding_bound",
    says="bound of P(|s - k| >= eps) at one pair of points, sine-cosine pairs", source="rff.eq14",
    variables=(FEATURES, ERROR), expression=2 * exp(-m * eps**2 / 2),
    routes=(
        Route("Hoeffding (13)", 2 * exp(-2 * m**2 * (eps / m) ** 2 / (m * (2 / m) ** 2)),
            "(13) with N t = eps, b_i - a_i = 2/m"),
        Route("Chernoff", _chernoff(Rational(1, 2)), "Hoeffding's lemma for a variable in [-1, 1]"),
        Route("series", 2 * Sum((-m * eps**2 / 2) ** k / factorial(k), (k, 0, oo)), "exponential series",
            lambda values: bool(values["m"] * values["eps"] ** 2 <= 100)))))  # fmt: skip

phase_tail_bound = _with_log(Formula(name="phase_tail_bound",
    says="bound of P(|s - k| >= eps) at one pair of points, random phases",
    source="ours; implies the bound 2 exp(-m eps^2/4) of rff.paper-loose", variables=(FEATURES, ERROR),
    expression=2 * exp(-m * eps**2 / 3),
    routes=(
        Route("Chernoff", _chernoff(Rational(3, 4)), "exp(t^2/2) for cos(w.D), I_0(t) <= exp(t^2/4) for the phase"),
        Route("power", 2 * exp(-(eps**2) / 3) ** m, "m independent factors"))))  # fmt: skip

phase_hoeffding_bound = _with_log(Formula(name="phase_hoeffding_bound",
    says="Hoeffding's bound for random phases, whose summands lie in [-2, 2]", source="ss15.unif-phase",
    variables=(FEATURES, ERROR), expression=2 * exp(-m * eps**2 / 8),
    routes=(
        Route("Hoeffding (13)", 2 * exp(-2 * m**2 * (eps / m) ** 2 / (m * (4 / m) ** 2)),
            "(13) with b_i - a_i = 4/m"),
        Route("Chernoff", _chernoff(Rational(2)), "Hoeffding's lemma for a variable in [-2, 2]"))))  # fmt: skip

bernstein_bound = _with_log(Formula(name="bernstein_bound",
    says="Bernstein's bound of P(|s - k| >= eps), sine-cosine pairs, from the variance of one summand",
    source="ss15.unif-pair.l3",
    variables=(FEATURES, ERROR, Variable(variance, "variance of cos(w.Delta)", low=0, high=1)),
    expression=2 * exp(-m * eps**2 / (2 * variance + 4 * eps / 3)),
    routes=(
        Route("sum form", 2 * exp(-((m * eps) ** 2) / (2 * m * variance + Rational(2, 3) * 2 * m * eps)),
            "|cos(w.D) - k| <= 2"),
        Route("power", 2 * exp(-(eps**2) / (2 * variance + 4 * eps / 3)) ** m,
            "m independent factors"))))  # fmt: skip


# ---- covering ------------------------------------------------------------------------------------------

covering_bound = _with_log(Formula(name="covering_bound",
    says="bound of the number of balls of radius r that cover a set of the given diameter, centres anywhere",
    source="rff.eq15, rff.T", variables=(DIMENSION, DIAMETER, RADIUS), expression=(2 * diam / r) ** d,
    routes=(Route("logarithm", lambda d, diam, r: (d * (2 * diam / r).log()).exp(), "in the log domain"),
        Route("quotient", (2 * diam) ** d / r**d, "powers apart")),
    conditions=(Condition("r <= 2 diam", r <= 2 * diam),)))  # fmt: skip

separated_bound = _with_log(Formula(name="separated_bound",
    says="bound of the number of balls of radius r, centred in the set, that cover a part of a ball of radius diam",
    source="ours; replaces rff.eq15 in the proof of rff.claim, any r > 0", variables=(DIMENSION, DIAMETER, RADIUS),
    expression=(1 + 2 * diam / r) ** d,
    routes=(
        Route("volumes", lambda d, diam, r: ((diam + r / 2) / (r / 2)) ** d,
            "balls of radius r/2 inside one of radius diam + r/2"),
        Route("binomial", Sum(gamma(d + 1) / (factorial(k) * gamma(d + 1 - k)) * (2 * diam / r) ** k, (k, 0, d)),
            "binomial theorem", within(d=200)))))  # fmt: skip

jung_radius = register(Formula(name="jung_radius",
    says="radius of a ball that contains any set of the given diameter (Jung)",
    source="ours, for rff.diamDelta and rff.eq15", variables=(DIMENSION, DIAMETER),
    expression=diam * sqrt(d / (2 * (d + 1))),
    routes=(Route("simplex", sqrt(diam**2 / 2 * (1 - 1 / (d + 1))), "circumradius of the regular simplex"),
        Route("recurrence", lambda d, diam: _circumradius_by_facets(d, diam),
            "the apex over the centre of the opposite facet, dimension by dimension", within(d=4096)))))  # fmt: skip


def _circumradius_by_facets(d: int, diam: arb) -> arb:
    """The apex lies over the centre of the opposite facet at height h = (l^2 - R'^2)^(1/2), so R = l^2/(2 h)."""
    square, length = arb(0), diam * diam
    for _ in range(d):
        square = length * length / (4 * (length - square))
    return square.sqrt()


# ---- two-term bound k1 r^-d + k2 r^2 ---------------------------------------------------------------------


def _radius_by_bisection(d: int, k1: arb, k2: arb) -> arb:
    """Root of the derivative: -d k1 r^(-d-1) + 2 k2 r, monotone in log r."""
    target = (k1 * d / (2 * k2)).log() / (d + 2)
    low, high = target.floor().lower() - 1, target.ceil().upper() + 1
    for _ in range(ctx.prec + 16):
        middle = ((low + high) / 2).mid()
        slope = 2 * k2 * middle.exp() ** (d + 2) - d * k1
        if slope > 0:
            high = middle
        elif slope < 0:
            low = middle
        else:
            break
    return low.union(high).exp()


_optimal = (d * a / (2 * b)) ** (1 / (d + 2))

net_radius = register(Formula(name="net_radius", says="radius that minimises k1 r^-d + k2 r^2",
    source="rff.ropt, corrected", variables=(DIMENSION, FIRST, SECOND), expression=_optimal,
    routes=(
        Route("constant", (d / 2) ** (1 / (d + 2)) * (a / b) ** (1 / (d + 2)),
            "c (k1/k2)^(1/(d+2)), c = (d/2)^(1/(d+2))"),
        Route("bisection", _radius_by_bisection, "zero of the derivative"))))  # fmt: skip

net_optimum = _with_log(Formula(name="net_optimum", says="minimum over r of k1 r^-d + k2 r^2",
    source="rff.c-form, corrected", variables=(DIMENSION, FIRST, SECOND),
    expression=a ** (2 / (d + 2)) * b ** (d / (d + 2)) * (1 + 2 / d) * (d / 2) ** (2 / (d + 2)),
    routes=(Route("at the radius", a * _optimal ** (-d) + b * _optimal**2, "both terms at the best radius"),
        Route("weighted means", (a * (d + 2) / 2) ** (2 / (d + 2)) * (b * (d + 2) / d) ** (d / (d + 2)),
            "the arithmetic-geometric inequality, attained"))))  # fmt: skip

PRINTED_RADIUS = (d / 2) ** (1 / d) * (a / b) ** (d / (d + 2))
"""rff.ropt as printed: neither factor is right for d >= 2."""

PRINTED_CONSTANT = (d / 2) ** (1 / d)
"""c of rff.c-form as printed; the best one is (d/2)^(1/(d+2))."""


# ---- uniform bounds --------------------------------------------------------------------------------------


def _constant(base: int) -> sympy.Expr:
    """base (1 + 2/d) (d/base)^(2/(d+2)), largest at d = base, where it is base + 2."""
    return base * (1 + 2 / d) * (d / Rational(base)) ** (2 / (d + 2))


def _bracket(n: sympy.Expr) -> sympy.Expr:
    return (n / 2) ** (-n / (n + 2)) + (n / 2) ** (2 / (n + 2))


ss_pair_constant = register(Formula(name="ss_pair_constant",
    says="constant of the uniform bound of Sutherland and Schneider, sine-cosine pairs", source="ss15.unif-pair.l4",
    variables=(DIMENSION,), expression=_constant(64),
    routes=(Route("printed", _bracket(d) * 2 ** ((6 * d + 2) / (d + 2)), "the printed first form"),
        Route("net optimum", net_optimum.expression.subs({a: 2 * 4**d, b: 4}),
            "k1, k2 of rff.form at unit scale"))))  # fmt: skip

ss_phase_constant = register(Formula(name="ss_phase_constant",
    says="constant of the uniform bound of Sutherland and Schneider, random phases", source="ss15.unif-phase.l2",
    variables=(DIMENSION,), expression=96 * (1 + 1 / d) * (d / Rational(48)) ** (1 / (d + 1)),
    routes=(
        Route("printed",
            (d ** (-d / (d + 1)) + d ** (1 / (d + 1))) * 2 ** ((5 * d + 1) / (d + 1)) * 3 ** (d / (d + 1)),
            "the printed form"),
        Route("net optimum", net_optimum.expression.subs(d, 2 * d).subs({a: 2 * 8**d, b: 12}),
            "net of M x M in dimension 2 d, E L^2 <= 3 sigma^2"))))  # fmt: skip

uniform_constant = register(Formula(name="uniform_constant",
    says="constant of the corrected uniform bound; largest at d = 144, where it is 146",
    source="ours, replaces rff.c-sum", variables=(DIMENSION,), expression=_constant(144),
    routes=(
        Route("bracket", _bracket(d) * 2 ** (2 / (d + 2)) * 12 ** (2 * d / (d + 2)),
            "net of (3 l/r)^d points, E L^2 <= 4 sigma^2"),
        Route("net optimum", net_optimum.expression.subs({a: 2 * 3**d, b: 16}),
            "k1 = 2 (3 l)^d, k2 = 16 (sigma/eps)^2 at unit scale"))))  # fmt: skip

_rate = exp(-m * eps**2 / (4 * (d + 2)))
_k1_printed = 2 * (4 * diam) ** d * exp(-m * eps**2 / 8)
_k2_printed = (2 * sigma / eps) ** 2

rr_bound = _with_log(Formula(name="rr_bound",
    says="uniform bound of Rahimi and Recht as claimed: P(sup |s - k| >= eps), m sine-cosine pairs",
    source="rff.claim", variables=UNIFORM, expression=2**8 * SCALED_DIAMETER**2 * _rate,
    routes=(
        Route("logarithm",
            exp(8 * log(2) + 2 * log(sigma) + 2 * log(diam) - 2 * log(eps) - m * eps**2 / (4 * (d + 2))),
            "in the log domain"),
        Route("power", (16 * SCALED_DIAMETER) ** 2 * exp(-(eps**2) / (4 * (d + 2))) ** m,
            "rate to the power m"))))  # fmt: skip

rr_proof_bound = _with_log(Formula(name="rr_proof_bound", says="last but one line of the proof of Rahimi and Recht",
    source="rff.final.l2", variables=UNIFORM,
    expression=2 ** ((7 * d + 4) / (d + 2)) * SCALED_DIAMETER ** (2 * d / (d + 2)) * _rate,
    routes=(
        Route("k1, k2", 2 * _k1_printed ** (2 / (d + 2)) * _k2_printed ** (d / (d + 2)),
            "the first line, rff.final.l1"),
        Route("at c = 1", lambda m, d, eps, sigma, diam: _both_terms_at_one(m, d, eps, sigma, diam),
            "both terms at r = (k1/k2)^(1/(d+2))")),
    conditions=(LARGE_SET,)))  # fmt: skip


def _both_terms_at_one(m: int, d: int, eps: arb, sigma: arb, diam: arb) -> arb:
    k1, k2 = 2 * (4 * diam) ** d * (-m * eps * eps / 8).exp(), (2 * sigma / eps) ** 2
    radius = ((k1 / k2).log() / (d + 2)).exp()
    return k1 / radius**d + k2 * radius * radius


ss_pair_bound = _with_log(Formula(name="ss_pair_bound",
    says="uniform bound of Sutherland and Schneider, m pairs (D_out = 2 m), without its variance factor",
    source="ss15.unif-pair.l1, alpha = 1", variables=UNIFORM,
    expression=ss_pair_constant.expression * SCALED_DIAMETER ** (2 * d / (d + 2)) * _rate,
    routes=(
        Route("net optimum", with_values(net_optimum.expression, {a: _k1_printed, b: _k2_printed}),
            "minimum over r of rff.T"),
        Route("printed",
            _bracket(d) * 2 ** ((6 * d + 2) / (d + 2)) * SCALED_DIAMETER ** (2 * d / (d + 2))
                * exp(-2 * m * eps**2 / (8 * (d + 2))),
            "the printed constant and D_out = 2 m"))))  # fmt: skip

ss_phase_bound = _with_log(Formula(name="ss_phase_bound",
    says="uniform bound of Sutherland and Schneider, m random phases (D_out = m), without its variance factor",
    source="ss15.unif-phase.l1, alpha' = 1", variables=UNIFORM,
    expression=ss_phase_constant.expression * SCALED_DIAMETER ** (2 * d / (d + 1)) * exp(
        -m * eps**2 / (32 * (d + 1))),
    routes=(
        Route("net optimum",
            with_values(net_optimum.expression,
                {d: 2 * d, a: 2 * (2 * sqrt(2) * diam) ** (2 * d) * exp(-m * eps**2 / 32), b: 12 * sigma**2 / eps**2}),
            "net of M x M, Hoeffding at the anchors"),
        Route("log domain", lambda m, d, eps, sigma, diam: _phase_bound_by_logs(m, d, eps, sigma, diam),
            "the printed constant, all factors by their logarithms"))))  # fmt: skip


def _phase_bound_by_logs(m: int, d: int, eps: arb, sigma: arb, diam: arb) -> arb:
    size, log_two = d + 1, arb(2).log()
    first = (arb(d) ** (-arb(d) / size) + arb(d) ** (arb(1) / size)).log()
    constant = first + (arb(5 * d + 1) * log_two + d * arb(3).log()) / size
    scale = arb(2 * d) / size * (sigma.log() + diam.log() - eps.log())
    return (constant + scale - m * eps * eps / (32 * size)).exp()


uniform_bound = _with_log(Formula(name="uniform_bound",
    says="uniform bound with a complete proof: P(sup |s - k| >= eps), m sine-cosine pairs, any kernel",
    source="ours, replaces rff.final", variables=UNIFORM,
    expression=uniform_constant.expression * SCALED_DIAMETER ** (2 * d / (d + 2)) * _rate,
    routes=(
        Route("net optimum",
            with_values(net_optimum.expression,
                {a: 2 * (3 * diam) ** d * exp(-m * eps**2 / 8), b: 16 * sigma**2 / eps**2}),
            "minimum over r of 2 (3 l/r)^d exp(-m eps^2/8) + 16 (r sigma/eps)^2"),
        Route("bracket", _bracket(d) * 2 ** (2 / (d + 2)) * (12 * SCALED_DIAMETER) ** (2 * d / (d + 2)) * _rate,
            "factors apart")),
    conditions=(Condition("sigma diam >= eps/4", sigma * diam >= eps / 4),)))  # fmt: skip

net_bound = _with_log(Formula(name="net_bound", says="uniform bound from a net of radius r, valid for every r > 0",
    source="ours, replaces rff.T.l2", variables=(*UNIFORM, RADIUS),
    expression=2 * (1 + 2 * diam / r) ** d * exp(-m * eps**2 / 8) + 16 * (r * sigma / eps) ** 2,
    routes=(
        Route("parts",
            separated_bound.expression * 2 * exp(-m * (eps / 2) ** 2 / 2) + 4 * (2 * sigma) ** 2 * r**2 / eps**2,
            "union bound with Hoeffding at eps/2, Markov at eps/(2 r)"),
        Route("log domain", lambda m, d, eps, sigma, diam,
            r: (2 * (d * (2 * diam / r).log1p() - m * eps * eps / 8).exp() + 16
                * (2 * (r.log() + sigma.log() - eps.log())).exp()),
            "both terms by their logarithms"))))  # fmt: skip


_spread = 4 * SCALED_DIAMETER / (rho * sqrt(m))
_left = m * (eps * (1 - rho)) ** 2 / 2

ball_bound = _with_log(Formula(name="ball_bound",
    says="uniform bound by suprema over balls: P(sup |s - k| >= eps), m sine-cosine pairs, any kernel",
    source="ours, rff.added.balls", variables=(*UNIFORM, SHARE), expression=(1 + (1 + _spread) ** d) * exp(-_left),
    routes=(
        Route("at a radius",
            with_values((1 + (1 + 2 * diam / r) ** d) * exp(-m * (eps - 2 * r * sigma / sqrt(m)) ** 2 / 2),
                {r: rho * sqrt(m) * eps / (2 * sigma)}),
            "balls of radius rho sqrt(m) eps/(2 sigma), McDiarmid beyond the mean 2 r sigma/sqrt(m)"),
        Route("log domain", lambda m, d, eps, sigma, diam, rho:
            (d * (4 * sigma * diam / (rho * eps * arb(m).sqrt())).log1p()).exp().log1p().exp()
            * (-m * (eps * (1 - rho)) ** 2 / 2).exp(),
            "the number of balls by its logarithm"))))  # fmt: skip


# ---- variance factor and the Lipschitz constant ------------------------------------------------------------

ss_gaussian_alpha = register(Formula(name="ss_gaussian_alpha",
    says="variance factor alpha of the uniform bound, Gaussian kernel on a set of the given diameter",
    source="ss15.unif-pair.l3", variables=(ERROR, DIAMETER),
    expression=Min(1, (1 - exp(-(diam**2))) ** 2 / 2 + eps / 3, evaluate=False),
    routes=(
        Route("kernel values",
            Min(1, Rational(1, 2) + exp(-2 * diam**2) / 2 - exp(-(diam**2)) + eps / 3, evaluate=False),
            "1/2 + k(2 D)/2 - k(D)^2 increases with |D|"),
        Route("integral", lambda eps, diam: (_square_deficit(diam) / 2 + eps / 3).min(arb(1)),
            "1 - exp(-l^2) as the integral of 2 t exp(-t^2)", within(diam=20)))))  # fmt: skip


def _square_deficit(diam: arb) -> arb:
    """(1 - exp(-l^2))^2 by quadrature over t = l u."""
    value = certified_integral(lambda u, _: 2 * u * (-diam * diam * u * u).exp(), 0, 1)
    return (diam * diam * value) ** 2


_mean_norm = sqrt(2) * gamma((d + 1) / 2) / gamma(d / 2)

gaussian_lipschitz_bound = register(Formula(name="gaussian_lipschitz_bound",
    says="bound of E L_f^2 for the Gaussian kernel and m pairs: E (mean |w_i| + E |w|)^2",
    source="ours, replaces rff.EL2; at most 4 sigma_p^2", variables=(FEATURES, DIMENSION),
    expression=d / m + (4 - 1 / m) * _mean_norm**2,
    routes=(
        Route("variance and mean", (d - _mean_norm**2) / m + (2 * _mean_norm) ** 2,
            "variance of the mean norm plus squared mean"),
        Route("log gamma", lambda m,
            d: (arb(d) / m + (4 - arb(1) / m) * 2 * (2 * (arb(d + 1) / 2).lgamma() - 2 * (arb(d) / 2).lgamma()).exp()),
            "in the log domain"))))  # fmt: skip


# ---- smallest numbers of features ----------------------------------------------------------------------------


def _at_most(bound: sympy.Expr, level: sympy.Expr, at: Mapping[sympy.Symbol, sympy.Expr], what: str) -> bool:
    """Truth of bound <= level; no precision decides it where both are the same number, but their expressions do."""
    truth = related(evaluate_real(bound, at), "<=", evaluate_real(level, at))
    if truth is None and sympy.expand_log(bound.xreplace(at) - level.xreplace(at)) == 0:
        return True
    return decided(truth, f"{what} <= {level}")


def _smallest(
    name: str, says: str, source: str, variables: tuple[Variable, ...], threshold: sympy.Expr, bound: Formula
) -> Formula:
    """The smallest m at which ``bound`` is at most delta, from the real threshold; the other route counts."""

    def at(values: Mapping[str, sympy.Expr], count: int) -> dict[sympy.Symbol, sympy.Expr]:
        return {v.symbol: values[v.name] for v in variables} | {m: sympy.Integer(count)}

    def by_search(**values: sympy.Expr) -> arb:
        """Doubling, then bisection on the bound itself."""

        def enough(count: int) -> bool:
            return _at_most(bound.expression, delta, at(values, count), f"{bound.name} at m = {count}")

        high = 1
        while not enough(high):
            high *= 2
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return arb(high)

    def by_bracket(**values: sympy.Expr) -> arb:
        """From the slope of the bound in m, by its logarithms at m = 1 and 2; then checked on both sides."""
        log_bound = FORMULAS[f"log_{bound.name}"].expression

        def enough(count: int) -> bool:
            return _at_most(log_bound, log(delta), at(values, count), f"log {bound.name} at m = {count}")

        if enough(1):
            return arb(1)
        first, second = (evaluate_real(log_bound - log(delta), at(values, count)) for count in (1, 2))
        guess = 1 + first / (first - second)
        if not (guess.is_finite() and guess.rad() < 1):
            raise Undecided("first guess", reached=f"{ctx.prec} bits do not decide the slope of the bound")
        start = math.ceil(exact_fraction(guess.mid()))
        for count in range(max(start - 1, 2), start + 2):
            if enough(count) and not enough(count - 1):
                return arb(count)
        raise Undecided("first guess", reached=f"{ctx.prec} bits give {start}, which is not the number")

    return register(
        Formula(
            name=name,
            says=says,
            source=source,
            variables=variables,
            expression=Max(1, ceiling(threshold, evaluate=False), evaluate=False),
            routes=(
                Route("search", by_search, "bisection on the number of frequencies", exact=True),
                Route(
                    "bracket",
                    by_bracket,
                    "the first integer whose bound is small enough, from the slope of its logarithm",
                    exact=True,
                ),
            ),
            conditions=tuple(c for c in bound.conditions),
        )
    )


hoeffding_features = _smallest("hoeffding_features",
    "smallest number of pairs for which the pointwise bound is at most delta", "rff.eq14", (ERROR, FAILURE),
    2 * log(2 / delta) / eps**2, hoeffding_bound)  # fmt: skip
rr_features = _smallest("rr_features",
    "smallest number of pairs for which the bound of Rahimi and Recht is at most delta", "rff.claim",
    (DIMENSION, ERROR, FAILURE, SIGMA, DIAMETER), 4 * (d + 2) / eps**2 * log(2**8 * SCALED_DIAMETER**2 / delta),
    rr_bound)  # fmt: skip
uniform_features = _smallest("uniform_features",
    "smallest number of pairs for which the proved uniform bound is at most delta", "ours",
    (DIMENSION, ERROR, FAILURE, SIGMA, DIAMETER),
    4 * (d + 2) / eps**2 * log(uniform_constant.expression * SCALED_DIAMETER ** (2 * d / (d + 2)) / delta),
    uniform_bound)  # fmt: skip
ball_features = register(Formula(name="ball_features",
    says="a number of pairs that is enough for the bound by suprema over balls to be at most delta",
    source="ours, rff.added.balls", variables=(DIMENSION, ERROR, FAILURE, SIGMA, DIAMETER, SHARE),
    expression=ceiling(2 * (d * log(1 + 4 * sigma * diam * (1 - rho) / (rho * sqrt(2 * log(2 / delta))))
        + log(2 / delta)) / (eps * (1 - rho)) ** 2, evaluate=False),
    routes=(
        Route("one logarithm",
            ceiling(2 * log(2 / delta * (1 + 4 * sigma * diam / (rho * sqrt(2 * log(2 / delta)) / (1 - rho))) ** d)
                / (eps * (1 - rho)) ** 2, evaluate=False),
            "of the number of balls and twice the inverse of delta"),
        Route("log domain", lambda d, eps, delta, sigma, diam, rho: _balls_by_logs(d, eps, delta, sigma * diam, rho),
            "the number of balls by its logarithm"))))  # fmt: skip


def _balls_by_logs(d: int, eps: arb, delta: arb, scaled: arb, rho: arb) -> arb:
    level = (2 / delta).log()
    balls = d * (4 * scaled * (1 - rho) / (rho * (2 * level).sqrt())).log1p()
    return (2 * (balls + level) / (eps * (1 - rho)) ** 2).ceil()
