"""Results that the walk-through and its neighbours lack: best constants and exponents."""

from __future__ import annotations

import math
from fractions import Fraction

from sympy import exp, sqrt

from rftheory.author import probability
from rftheory.exact.bounds import (ball_bound, ball_features, diam, eps, gaussian_lipschitz_bound, phase_tail_bound, sigma,
    uniform_bound, uniform_constant)  # fmt: skip
from rftheory.exact.symbols import d, m
from rftheory.exact.uniform import Net, gaussian_exponent_holds
from rftheory.papers.claim import Claim, stated
from rftheory.papers.rahimi_recht.statements.convergence import ALL, SECOND_MOMENT, SUPREMA
from rftheory.papers.rahimi_recht.statements.dual import HALF
from rftheory.papers.rahimi_recht.statements.hoeffding import HOEFFDING
from rftheory.papers.rahimi_recht.statistics import (coins_stay_below, lipschitz_constant, no_larger_exponent,
    supremum_over_grid)  # fmt: skip
from rftheory.papers.steps import proved_step
from rftheory.statement.evidence import Derived, ProvedStep, SameValue, SampledOrder, Shown, Slow, Textbook

OURS = "ours"
CRAMER = Textbook("Cramer's theorem on large deviations", "the mean of fair signs")
LIMIT = Textbook("the central limit theorem",
    "the mean of the summands at one pair: no exponent exceeds 1/(2 variance)")  # fmt: skip


_SUB_GAUSSIAN = Slow(Shown(
    "moment generating function against exp(t^2/4), on boxes for t < 0 and by series for t > 0",
    gaussian_exponent_holds, Fraction(1), (("exponent 101/100", Fraction(101, 100)), ("exponent 2", Fraction(2))),
    covers="domain: boxes for t < 0, series for t > 0"))  # fmt: skip


def _near_half(share: Fraction) -> bool | None:
    """Whether a net with anchors at (1 - 1/20) eps proves a rate of ``share`` eps^2 at eps = 1/100, for some kappa."""
    net = Net(Fraction(19, 20), Fraction(1), Fraction(1, 2000))
    reached = Fraction(19, 20) ** 2 / 2
    if share > HALF:
        return False
    return True if net.proves(Fraction(1, 100)) and reached >= share else None


def _mean_bound(count: int, radius: float) -> float:
    """The bound of E sup |f| for the Gaussian kernel on [0, 1], d = 1, sigma_p = 1."""
    return (2 * radius + math.sqrt(2 * math.log(2 + 2 / radius))) / math.sqrt(count)


CLAIMS: tuple[Claim, ...] = (
    proved_step("rff.added.lipschitz", OURS, "rff.added.lipschitz",
        statement=r"$\mathbb E[L_f^2]\le c\,\sigma_p^2$ over all kernels holds for $c=4$ and for no smaller $c$, for every $d$ and $D$; $4\sigma_p^2$ is not attained",
        conditions="sine-cosine pairs; every real-valued kernel with finite sigma_p > 0, M compact; L_f over the convex hull of M - M",
        also=(*(ProvedStep("rff.EL2", label) for label in SECOND_MOMENT),
            Shown("c sigma_p^2 against spectra of up to 64 lacunary frequencies, D = 1", lipschitz_constant,
                Fraction(4), (("c = 7/2", Fraction(7, 2)), ("c = 31/8", Fraction(31, 8)), ("c = 1", Fraction(1))))),
        entry="added"),
    proved_step("rff.added.two-frequencies", OURS, "rff.added.two-frequencies",
        statement=r"$\mathbb E[L_f^2]\le\sigma_p^2$ holds for $d=D=1$ and a kernel with two frequencies, so three are the least for a counterexample",
        conditions="p, 1 - p any probabilities of any two |w|",
        entry="added"),
    proved_step("rff.added.gaussian-lipschitz", OURS, "rff.added.gaussian-lipschitz",
        statement=r"for the Gaussian kernel $\mathbb E[L_f^2]\le\frac1D\mathrm{Var}\lVert w\rVert+(\mathbb E\lVert w\rVert+e^{-1/2})^2$",
        conditions="every d, D and M",
        also=(SameValue(gaussian_lipschitz_bound, ({"m": 1, "d": 1}, {"m": 7, "d": 5}, {"m": 100, "d": 64}),
                planted=gaussian_lipschitz_bound.expression + d),),
        entry="added"),
    proved_step("rff.added.repaired", OURS, "rff.uniform-constant",
        Derived("rff.uniform-constant"), Derived("rff.final"),
        statement=r"the proof of the walk-through, with $\mathbb E[L_f^2]\le4\sigma_p^2$ and nets in $\mathcal M_\Delta$, gives "
        r"$144(1+\frac2d)(\frac d{144})^{\frac2{d+2}}\bigl(\frac{\sigma_p\,diam}\epsilon\bigr)^{\frac{2d}{d+2}}e^{-D\epsilon^2/(4(d+2))}$, the constant being at most 146",
        conditions=r"$\sigma_p\,diam\ge\epsilon/4$",
        also=(SameValue(uniform_bound,
                ({"m": 10, "d": 1, "eps": "1/3", "sigma": 1, "diam": 1},
                    {"m": 500, "d": 9, "eps": 1, "sigma": 3, "diam": 7}),
                planted=uniform_bound.expression / 2),
            SameValue(uniform_constant, ({"d": 1}, {"d": 144}), planted=uniform_constant.expression.subs(d, d + 1))),
        entry="added"),
    stated("rff.added.uniform", OURS, probability("error of pairs") <= (1 + 16 * sigma * diam / eps) ** d * exp(-m * eps**2 / 8),
        statement=r"$P(\sup|f|\ge\epsilon)\le\bigl(1+\frac{16\,\sigma_p\,diam}\epsilon\bigr)^de^{-D\epsilon^2/8}$: the exponent does not fall with $d$",
        conditions=ALL, also=(Derived("ss15.unif-pair"),),
        entry="added"),
    proved_step("rff.added.exponent", OURS, "ss15.unif-pair",
        "ss15.unif-pair/variation",
        statement=r"over all kernels $P(\sup|f|\ge\epsilon)\le C_\epsilon e^{-cD\epsilon^2}$ for every $D$, $\epsilon$ forces $c\le\frac12$, already at one point; "
        r"with anchors at $\theta\epsilon$, $c=\theta^2/2$ is reached for every $\theta<1$, since the exponent of the variation tends to $\lambda(1-\theta)$ "
        r"as the radius shrinks, for any $\lambda$",
        conditions=r"$C_\epsilon$ may depend on the kernel, the set and eps, not on D",
        also=(Derived("rff.added.coins"), CRAMER, HOEFFDING, Shown("rate of tossed coins at eps = 2^-1, ..., 2^-20 against c eps^2 (1 + 2 eps^2)", no_larger_exponent,
                HALF, (("c = 2/5", Fraction(2, 5)), ("c = 3/5", Fraction(3, 5)))), Shown("theta = 19/20 gives the rate 9/20 eps^2 at eps = 1/100", _near_half, Fraction(9, 20),
                (("49/100 with this theta", Fraction(49, 100)), ("51/100", Fraction(51, 100))))),
        entry="added"),
    proved_step("rff.added.balls", OURS, "rff.added.balls",
        *(f"rff.added.balls/{label}" for label in ("cosine", "mean", "tail", "all", "net", "share")),
        statement=r"$P(\sup|f|\ge\epsilon)\le\bigl(1+(1+\frac{4\,\sigma_p\,diam}{\rho\sqrt D\epsilon})^d\bigr)e^{-D\epsilon^2(1-\rho)^2/2}$ for every "
        r"$0<\rho<1$, by the suprema over balls of radius $r=\rho\sqrt D\epsilon/(2\sigma_p)$, each of which has a mean of at most $\rho\epsilon$; over any $T$ balls of "
        r"radius $r$ that cover $\mathcal M-\mathcal M$ it is at most $2Te^{-D\epsilon^2(1-\rho)^2/2}$",
        conditions=ALL,
        also=(*SUPREMA, Derived("lemma.net"),
            SameValue(ball_bound, ({"m": 10, "d": 1, "eps": "1/3", "sigma": 1, "diam": 1, "rho": "1/2"},
                {"m": 500, "d": 9, "eps": 1, "sigma": 3, "diam": 7, "rho": "1/10"}), planted=ball_bound.expression / 2)),
        entry="added"),
    stated("rff.added.balls/half", f"{OURS}, rho = 1/2; as the uniform bound before, but for an error that the logarithm lacks",
        probability("error of pairs") <= 2 * (1 + 8 * sigma * diam / (eps * sqrt(m))) ** d * exp(-m * eps**2 / 8),
        also=(Derived("rff.added.balls"), *SUPREMA), entry="added"),
    stated("rff.added.balls/phases", f"{OURS}, random phases, rho = 1/2",
        probability("error of phases") <= 2 * (1 + 32 * sigma * diam / (eps * sqrt(m))) ** (2 * d) * exp(-m * eps**2 / 32),
        also=(*(ProvedStep("rff.added.balls", f"rff.added.balls/phases, {label}") for label in ("mean", "tail", "share")),
            *SUPREMA), entry="added"),
    proved_step("rff.added.balls/enough", OURS, "rff.added.balls", "rff.added.balls/twice", "rff.added.balls/enough",
        statement=r"$P(\sup|f|\ge\epsilon)\le\delta$ for $D\ge\frac2{(1-\rho)^2\epsilon^2}\bigl(d\log\bigl(1+\frac{4\sigma_p\,diam\,(1-\rho)}"
        r"{\rho\sqrt{2\log(2/\delta)}}\bigr)+\log\frac2\delta\bigr)$: of order $d/\epsilon^2$, without $\log(1/\epsilon)$",
        conditions=f"{ALL}, 0 < rho < 1, 0 < delta <= 1",
        also=(Derived("rff.added.balls"), *SUPREMA,
            SameValue(ball_features, ({"d": 1, "eps": "1/3", "delta": "1/100", "sigma": 1, "diam": 1, "rho": "1/2"},
                {"d": 9, "eps": "1/10", "delta": "1/2", "sigma": 3, "diam": 7, "rho": "1/4"}),
                planted=ball_features.expression + 1)),
        entry="added"),
    proved_step("rff.added.mean", OURS, "rff.added.mean",
        statement=r"$\mathbb E\sup|f|\le\bigl(2r\sigma_p+\sqrt{2\log(1+(1+2\,diam/r)^d)}\bigr)/\sqrt D$: of order $1/\sqrt D$, with no logarithm of $D$",
        conditions="every r > 0, kernel, M, d, D",
        also=(Derived("rff.added.balls"), *SUPREMA,
            Slow(SampledOrder("E max |f| at 9 places of [0, 1], d = 1, D = 16, below the bound at r = 1",
                supremum_over_grid(1, 16, 9, _mean_bound(16, 1.0)), 2**17)),),
        entry="added"),
    proved_step("rff.added.gaussian-tail", OURS, "rff.added.gaussian-tail",
        "rff.added.gaussian-tail/powers", "rff.added.gaussian-tail/coefficients",
        statement=r"for the Gaussian kernel $P(|s-k|\ge\epsilon)\le2e^{-D\epsilon^2}$ at every pair of points, twice the exponent of (14), and the exponent 1 is "
        r"the best: each $\cos(w^T\Delta)-k$ is sub-Gaussian with variance $\frac12$",
        conditions="sine-cosine pairs, every d, D, eps > 0; no larger exponent holds at every pair and D",
        also=(Derived("rff.added.gaussian-tail"), LIMIT, _SUB_GAUSSIAN),
        entry="added"),
    proved_step("rff.added.phase-tail", OURS, "rff.phase-tail",
        "rff.phase-tail/Chernoff", ProvedStep("rff.added.phase-tail", "rff.added.phase-tail/variance"), ProvedStep("rff.added.phase-tail", "rff.added.phase-tail/Chernoff"),
        statement=r"for random phases $P(|s-k|\ge\epsilon)\le2e^{-D\epsilon^2/3}$ over all kernels, and $2e^{-D\epsilon^2/2}$ for the Gaussian kernel; "
        r"$\frac13$ is the best exponent over all kernels",
        conditions="every d, D, eps > 0, one pair of points",
        also=(Derived("rff.phase-tail"), Derived("rff.added.phase-tail"), HOEFFDING, LIMIT, _SUB_GAUSSIAN,
            SameValue(phase_tail_bound, ({"m": 1, "eps": "1/3"}, {"m": 100, "eps": "1/5"}),
                planted=phase_tail_bound.expression**2)),
        entry="added"),
    proved_step("rff.added.pointwise", OURS, "rff.added.coins",
        "rff.added.coins/bound",
        statement=r"over all kernels $P(|s-k|\ge\epsilon)\le2e^{-D\epsilon^2/2}$ has the best exponent",
        conditions="sine-cosine pairs, one pair of points, every D and eps",
        also=(Derived("rff.added.coins"), CRAMER, HOEFFDING,
            Shown("tails of up to 60 fair signs against 2 exp(-c D eps^2)", coins_stay_below, HALF,
                (("c = 3/4", Fraction(3, 4)), ("c = 1", Fraction(1))))),
        entry="added"))  # fmt: skip
