"""Results that the paper lacks: coupled GERF exactly, the global minimum of (6), the best discrete laws."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache

import sympy
from flint import acb, arb, ctx
from sympy import Abs, exp, sqrt

from rftheory.author import (Rational, conformity, gap, gerf, iid, limit, mse, oo, orthogonal, positive,
    simplex, trigonometric)  # fmt: skip
from rftheory.exact.discrete import geometric_p
from rftheory.exact.discrete import t as PRODUCT
from rftheory.exact.enclosure import Exact
from rftheory.exact.evaluate import evaluate
from rftheory.exact.exponential import A as SHAPE
from rftheory.exact.exponential import (SPREAD, gerf_orf_variance, gerf_simrf_variance, gerf_variance,
    literal_pair_moment, oprf_cluster_A, oprf_cluster_log_second)  # fmt: skip
from rftheory.exact.gerf_optimum import real_is_best, real_minimum
from rftheory.exact.gerf_phase import corner_is_paid, phase_is_paid
from rftheory.exact.search import ProofLog
from rftheory.exact.symbols import d, m, v, z
from rftheory.exact.tails import (ATTENTION_FEATURES, LOG_TOP, attention_features,
    attention_features_bernstein, eps, gerf_tail)  # fmt: skip
from rftheory.exact.truth import larger, together
from rftheory.papers.chefs.notation import FINITE_VARIANCE, below, finding, proof, sampled_mse, value
from rftheory.papers.claim import Claim, stated
from rftheory.papers.steps import proved_step
from rftheory.statement import words
from rftheory.statement.evidence import Derived, ProvedStep, SameValue, Slow, Textbook

OURS = "ours"

# ---- coupled projections --------------------------------------------------------------------------------------------

SHAPES = (acb(0), acb("-0.25"), acb(-2), acb("0.1"), acb("-0.5", "-0.5"))
_PAIR = ((3, "0.5", "1"), (2, "2", "0.5"))
"""Dimension, |x + y|, |x - y|."""


def _free_of_shape(shapes: Sequence[acb]) -> bool | None:
    """Whether the literal pair moment of orthogonal projections is one number for all shapes, for both signs at two points."""
    answers: list[bool | None] = []
    with ctx.workprec(160):
        for (n, sums, differences), s in itertools.product(_PAIR, (1, -1)):
            values = [literal_pair_moment(n, a, s, arb(sums), arb(differences), arb(0)) for a in shapes]
            answers += [below(abs(values[0] - other), "1e-12") for other in values[1:]]
    return together(answers)


def _moment_free_of_shape(shapes: Sequence[acb]) -> bool | None:
    """The same for the second moment of one projection, which does depend on A."""
    point: dict[str, Exact] = {"d": 3, "s": 1, "v": "1/2", "z": 1}
    values = [value(gerf_variance, A=shape, **point) for shape in ("0", "-1/4", "-2")]
    return together(below(abs(values[0] - other), "1e-12") for other in values[1:])


VARIANCE_POINTS = ({"d": 2, "A": "-1/4", "s": 1, "v": "4/3", "z": "1/2", "m": 2},
    {"d": 4, "A": "-1/10", "s": 1, "v": "3/2", "z": "3/4", "m": 6},
    {"d": 3, "A": "1/16+I/5", "s": -1, "v": "1/2", "z": "5/4", "m": 3})  # fmt: skip


_q = sympy.Symbol("q", nonnegative=True)
_SAVING_RATIO = (d + 2) * (exp(v**2) - conformity(orthogonal)) / (exp(v**2) - 1 - v**2)

COUPLED = (
    stated("chefs.added.conformity", "ours: pairs at a fixed angle with independent chi norms save what positive (s = 1) or trigonometric (s = -1) features save; complex A by the "
        "derivation, which holds for any directions",
        (gap(gerf(orthogonal, m=m, A=SHAPE)) == gap(positive(orthogonal, m=m)))
        & (gap(gerf(orthogonal, m=m, A=SHAPE, s=-1)) == gap(trigonometric(orthogonal, m=m)))
        & (gap(gerf(simplex, m=m, A=SHAPE)) == gap(positive(simplex, m=m)))
        & (gap(gerf(simplex, m=m, A=SHAPE, s=-1)) == gap(trigonometric(simplex, m=m))), (FINITE_VARIANCE, d >= 2, m <= d),
        also=(Derived("chefs.added.conformity"),
            finding("orthogonal pairs: the definition at A = 0, -1/4, -2, 1/10, -1/2 - i/2 gives one number",
                lambda free: free(SHAPES), _free_of_shape,
                ("the second moment of one projection", _moment_free_of_shape))),
        entry="added",
        statement=r"for two projections at any fixed angle with independent $\chi_d$ norms, $\mathbb E\,\mathrm{Re}Z_1\mathrm{Re}Z_2$ does not depend on $A$: the conformity of a coupling, and with it what it saves, is that of positive ($s=+1$) or trigonometric ($s=-1$) features",
        conditions="Re(1 - 4A) > 0, both signs, any directions"),
    stated("chefs.added.orthogonal-variance", "ours, for one block: that of independent projections less what positive or trigonometric features save; any M, complex A by the formula",
        (mse(gerf(orthogonal, m=m, A=SHAPE)) == mse(gerf(iid, m=m, A=SHAPE)) - exp(-(v**2) - z**2) * (1 - 1 / m) * (exp(v**2) - conformity(orthogonal)))
        & (mse(gerf(orthogonal, m=m, A=SHAPE, s=-1)) == mse(gerf(iid, m=m, A=SHAPE, s=-1)) - gap(trigonometric(orthogonal, m=m))),
        (FINITE_VARIANCE, d >= 2, m <= d), draw=False,
        also=(Derived("chefs.added.conformity"),
            SameValue(gerf_orf_variance, VARIANCE_POINTS, planted=gerf_orf_variance.expression * m / (m + 1)),
            sampled_mse(gerf(orthogonal, m=5, A=-Rational(1, 4)), 4, "0.6", "0.4")),
        entry="added",
        statement=r"$\mathrm{Var}\,\widehat K^{\rm ort}_M=\frac1M\bigl(\mathrm{Var}_{(6)}+\frac PM(e^{-(s+1)(\|x\|^2+\|y\|^2)}{}_1F_1(d;\tfrac d2;\tfrac s2\|x+sy\|^2)-K^2)\bigr)$, $P$ the number of ordered pairs in a block",
        conditions="complex A, Re(1 - 8A) > 0, both signs, any M"),
    stated("chefs.added.saving-bound", "ours: the saving by orthogonal blocks over the bound of Theorem 4.1, q = |x + y|^2",
        (exp(_q) - conformity(orthogonal).at(v=sqrt(_q)) >= (exp(_q) - 1 - _q) / (d + 2))
        & (exp(v**2) - conformity(orthogonal) <= exp(v**2) - 1 - v**2)
        & (limit(_SAVING_RATIO, v, 0) == 1) & (limit(_SAVING_RATIO, v, oo) == d + 2), (d >= 2,), proof="chefs.thm4.1",
        entry="added"),
    stated("chefs.added.simplex-variance", "ours, for one block: that of independent projections less what positive or trigonometric features save; any M, complex A by the formula",
        (mse(gerf(simplex, m=m, A=SHAPE)) == mse(gerf(iid, m=m, A=SHAPE)) - gap(positive(simplex, m=m)))
        & (mse(gerf(simplex, m=m, A=SHAPE, s=-1)) == mse(gerf(iid, m=m, A=SHAPE, s=-1)) - gap(trigonometric(simplex, m=m))),
        (FINITE_VARIANCE, m <= d), draw=False,
        also=(Derived("chefs.added.conformity"),
            SameValue(gerf_simrf_variance, VARIANCE_POINTS[:2], planted=gerf_simrf_variance.expression * m / (m + 1),
                digits=15),
            sampled_mse(gerf(simplex, m=4, A=-Rational(1, 4)), 4, "0.6", "0.4")),
        entry="added",
        statement="simplex projections: the same with the simplex pair moment",
        conditions="2 <= M <= d in a block"),
    stated("chefs.added.simplex-variance/order", OURS,
        (mse(gerf(simplex, m=m, A=SHAPE)) < mse(gerf(orthogonal, m=m, A=SHAPE)))
        & (mse(gerf(orthogonal, m=m, A=SHAPE)) < mse(gerf(iid, m=m, A=SHAPE))),
        (FINITE_VARIANCE, m >= 2, m <= d, v > 0), also=(Derived("simplex.cor3.3"),), entry="added"))  # fmt: skip

# ---- the global minimum of (6) ------------------------------------------------------------------------------------

DIMENSIONS = (1, 2, 4, 16, 64)
SQUARES = ("1/4", "1", "4", "16", "64")


@lru_cache(maxsize=256)
def _best(dim: int, square: str, s: int, factor: str) -> str:
    return real_is_best(dim, square, s, factor=factor, max_boxes=6000).verdict


def _real_on(factor: str) -> bool | None:
    verdicts = (_best(2, t, s, factor) for t in ("4", "16") for s in (1, -1))
    return together({"holds": True, "fails": False}.get(verdict) for verdict in verdicts)


def _every(logs: Callable[..., list[ProofLog]], factor: Exact) -> bool | None:
    """Whether all boxes are proved, with the right side multiplied by a factor."""
    return together({"holds": True, "fails": False}.get(log.verdict) for log in logs(factor=factor))


@lru_cache(maxsize=256)
def _log_least(dim: int, square: str, s: int) -> arb:
    """log of the least second moment over K^2 for one sign, over real A."""
    return real_minimum(dim, square, s).log_value


def _sine_cells(dim: int) -> frozenset[tuple[str, str]] | None:
    """The pairs |x+y|^2, |x-y|^2 of the grid for which s = -1 is better than OPRF."""
    cells = {}
    for sums, differences in itertools.product(SQUARES, SQUARES):
        cells[sums, differences] = larger(_log_least(dim, sums, 1), _log_least(dim, differences, -1))
    return None if None in cells.values() else frozenset(cell for cell, truth in cells.items() if truth)


def _sine_counts(counts: Sequence[int]) -> bool | None:
    found = [_sine_cells(n) for n in DIMENSIONS]
    return None if None in found else [len(cells or ()) for cells in found] == list(counts)


def saving(dim: int, sums: str, differences: str) -> arb:
    """log(Var_OPRF/least variance over complex A and both signs), on the grid."""
    plus, minus = _log_least(dim, sums, 1).expm1(), _log_least(dim, differences, -1).expm1()
    return (plus / minus).log() if minus < plus else arb(0)


GLOBAL = (
    proved_step("chefs.added.global-minimum", OURS, "chefs.thm3.3",
        Derived("chefs.thm3.3"), Derived("chefs.added.global-minimum.complex"), Derived("chefs.added.global-minimum.minus"),
        Derived("lemma.cauchy_schwarz_means"), also=(
            finding("s = -1: the phase of E Z^2 costs less than |Z|^2 brings, in one corner", lambda factor: _every(corner_is_paid, factor),
                1, ("with 3/2 times the right side", "3/2"), covers="part"),
            Slow(finding("and outside of it", lambda factor: _every(phase_is_paid, factor), 1, ("with twice the loss", 2), covers="part")),
            finding("branch and bound over complex A, d = 2, |x + s y|^2 = 4, 16", _real_on, "1",
                ("least value times 101/100", "101/100"))),
        statement=r"in every dimension, for all $x$, $y$ and each $s=\pm1$, the least value of (6) over complex $A$ is attained at real $A$: for $s=+1$ it is OPRF",
        conditions="Re(1 - 8A) > 0; given |x+y|, |x-y|, that is norms and angle, the minimum is the smaller of the two signs",
        entry="added"),
    Claim("chefs.added.global-minimum/sign", OURS,
        r"of the 25 pairs $(\|x+y\|^2,\|x-y\|^2)$ from $\frac14,1,4,16,64$ $s=-1$ is better than OPRF for 9, 10, 11, 11 and 13 pairs at "
        r"$d=1,2,4,16,64$; for the others OPRF is the global minimum",
        "|x| = |y| = r: |x+y|^2 = 4 r^2 cos^2(a/2), |x-y|^2 = 4 r^2 sin^2(a/2), a the angle",
        (finding("the least second moments of both signs, compared by enclosures", _sine_counts, (9, 10, 11, 11, 13),
            ("one pair more at d = 64", (9, 10, 11, 11, 14)), covers="cases: 25 pairs at d = 1, 2, 4, 16, 64"),),
        entry="added", finite=True),
    Claim("chefs.added.global-minimum/saving", OURS,
        r"the least variance is below that of OPRF by the factor $e^{2.2}$ for $x\perp y$, $\|x\|^2=\|y\|^2=\frac18$, by $e^{33}$ for "
        r"$\|x+y\|^2=64$, $\|x-y\|^2=\frac14$, both at $d=64$, and by no factor wherever OPRF is better than $s=-1$",
        "d = 64; s = -1, real A there",
        (
            finding("logarithms of the ratios",
                lambda bounds: together(answer for (sums, differences),
                    (low, high) in zip((("1/4", "1/4"), ("64", "1/4")), bounds, strict=True) for answer
                        in (larger(saving(64, sums, differences), low),
                        larger(arb(high), saving(64, sums, differences)))),
                (("2.2", "2.21"), ("33.5", "33.6")), ("other ranges", (("2.21", "3"), ("33.6", "40"))),
                covers="cases: the two pairs of the statement"),
            finding("no saving at |x+y|^2 = 1, |x-y|^2 = 16, d = 64",
                lambda differences: bool(saving(64, "1", differences).is_zero()), "16", ("|x-y|^2 = 1/4", "1/4"),
                covers="part: one pair where s = -1 is worse")),
        entry="added", finite=True),
    proved_step("chefs.added.sine", "ours",
        "chefs.added.sine", "chefs.added.sine/derivative", "chefs.added.sine/at zero", "chefs.added.sine/positive",
        entry="added",
        statement=r"TrigRF is not the best GERF of sign $s=-1$ for any $x\ne y$: some real $A>0$ near 0 has a smaller variance",
        conditions="the slope of the second moment in log(1 - 8A) at A = 0 is K^2 |x-y|^2 exp(-|x-y|^2) / 2 > 0, so A > 0"))  # fmt: skip

# ---- several pairs, and clusters of pairs ----------------------------------------------------------------------------

WIDTH = sympy.Symbol("w", positive=True)
_FAMILY = gerf(iid, m=m, A=(1 - WIDTH) / 8)
_more, _norms = sympy.symbols("h S", positive=True)


def _of_norms(total: sympy.Expr) -> words.Side:
    """MSE at |x|^2 + |y|^2 = S and |x + y| = total."""
    return mse(_FAMILY).at(v=total, z=sqrt(2 * _norms - total**2))


_CLUSTERS = (
    {"d": 2, "v": "4/3", "sigma": "1/2"},
    {"d": 64, "v": 5, "sigma": 1},
    {"d": 3, "v": "1/10", "sigma": 2},
)

SEVERAL = (
    proved_step("chefs.added.pairs", "ours", "chefs.added.pairs",
        *(f"chefs.added.pairs/{label}" for label in ("logarithm", "convex", "slope", "equation", "at most the largest", "at least the mean")),
        also=(Derived("chefs.added.pairs"),), entry="added",
        statement=r"for pairs with $q_i=\|x_i+y_i\|^2$ and weights $c_i>0$ exactly one real $A$ minimises $\sum_ic_i\mathbb E(Z_i/K_i)^2$: that of OPRF at an effective $q$ in place of $\|x+y\|^2$, the mean of the $q_i$ at the weights $c_ie^{q_i\rho}$, $\rho=\frac1{1-8A}$. It lies between OPRF's $A$ for the mean of the $q_i$ at the weights $c_i$ and that for the largest $q_i$",
        conditions="s = 1, any number of pairs; c_i = 1: relative variances, c_i = K_i^2: variances; rows that are coupled at fixed angles with independent norms save the same at every A (chefs.added.conformity), so the best A is the same"),
    stated("chefs.added.pairs/largest", f"{OURS}, w = 1 - 8A, |x - y| fixed, and K with it",
        mse(_FAMILY) < mse(_FAMILY).at(v=v + _more), proof="chefs.added.pairs.largest", entry="added",
        statement=r"for every real $A<\frac18$ the relative variance increases with $\|x+y\|$: of finitely many pairs that with the largest $\|x+y\|$ has the largest one, and OPRF for this pair minimises the largest relative variance",
        conditions="s = 1"),
    stated("chefs.added.pairs/sphere", f"{OURS}, w = 1 - 8A, S = |x|^2 + |y|^2, as for inputs of one length",
        _of_norms(v) <= _of_norms(v + _more), ((v + _more) ** 2 <= 2 * _norms,), proof="chefs.added.pairs.largest", draw=False, entry="added",
        statement=r"among pairs with the same $\|x\|^2+\|y\|^2$ that with the largest $\|x+y\|$ has the largest variance at every real $A<\frac18$: OPRF for this pair minimises the largest variance",
        conditions="s = 1, Gaussian kernel"),
    stated("chefs.added.pairs/in general", OURS, mse(positive(iid, m=m)).at(v=2, z=3) < mse(positive(iid, m=m)).at(v=1, z=0), draw=False, entry="added",
        statement=r"at different $\|x\|^2+\|y\|^2$ a pair with a smaller $\|x+y\|$ may have the larger variance"),
    proved_step("chefs.added.pairs/cluster", "ours", "chefs.added.pairs.cluster",
        *(f"chefs.added.pairs.cluster/{label}" for label in ("coordinate", "product", "statement")),
        also=(Derived("chefs.thm3.3"), SameValue(oprf_cluster_A, _CLUSTERS, planted=oprf_cluster_A.expression - SPREAD**2 / 100),
            SameValue(oprf_cluster_log_second, _CLUSTERS, planted=oprf_cluster_log_second.expression + SPREAD**2 / 100)), entry="added",
        statement=r"for a cluster, $x+y\sim\mathcal N(\mu,\sigma^2I_d)$, the mean of $\mathbb E(Z/K)^2$ is least at $1-8A=2\sigma^2+(1+2\sigma^2)/\rho^*$, $\rho^*$ from (7) at $\|\mu\|^2/(1+2\sigma^2)$ in place of $\|x+y\|^2$, and is $(1+2\sigma^2)^{d/2}$ times the least one there",
        conditions="s = 1, real A; for 1 - 8A <= 2 sigma^2 the mean is infinite"))  # fmt: skip

# ---- a lower bound for s = -1 ----------------------------------------------------------------------------------------

MINUS = gerf(iid, m=m, A=(1 - WIDTH) / 8, s=-1)
MINUS_BOUND = (
    stated("chefs.added.minus-bound", f"{OURS}; GERF of sign s = -1 with real A = (1 - w)/8: whatever A and d, not far below TrigRF, "
        "whose MSE is (1 - exp(-z^2))^2/(2 m)",
        mse(MINUS) >= (1 - 2 * exp(-(z**2))) / (2 * m), proof="chefs.added.minus-bound", entry="added"),
    proved_step("chefs.added.minus-bound/complex", "ours",
        "chefs.added.minus-bound.complex", *(f"chefs.added.minus-bound.complex/{label}" for label in ("base", "modulus",
            "exponent", "smaller base", "smaller exponent", "statement", "room")), entry="added",
        statement=r"for $s=-1$ and every complex $A$ (6) is at least $\frac12(1-3K^2)$: at most $\frac12(K^2+K^4)$ below TrigRF, $K=e^{-\|x-y\|^2/2}$",
        conditions="Re(1 - 8A) > 0, every d, x, y; M features divide it by M; says nothing where K^2 >= 1/3"))  # fmt: skip

# ---- Theorem 4.3 for moderate errors ---------------------------------------------------------------------------------

_SOFTMAX = gerf(iid, m=m, A=(1 - WIDTH) / 8, kernel="softmax")
_NUMBERS: dict[str, Exact] = {"d": 64, "A": "-472364/1000000", "R": "10*sqrt(2)", "eps": 1, "delta": "1/10"}
"""r^2 = R^2/d^(1/2) = 25, and the A of OPRF there to six digits."""


def _covers_tail(share: str) -> bool | None:
    """Whether Bernstein's bound, its exponent times ``share``, exceeds the exact tail of one Gaussian feature pair."""
    answers = []
    for n, shape, sums, apart, error in (
        (3, "-1/3", "1", "1/2", "1"),
        (8, "-1", "1", "1", "5"),
        (4, "-1/2", "0", "0", "2"),
    ):
        at = {
            d: n,
            SHAPE: sympy.Rational(shape),
            v: sympy.Rational(sums),
            z: sympy.Rational(apart),
            eps: sympy.Rational(error),
        }
        rate = 1 - 8 * SHAPE
        second = ((1 - 4 * SHAPE) ** 2 / rate) ** (d / 2) * exp((1 + 1 / rate) * v**2 - v**2 - z**2)
        bound = 2 * exp(-sympy.Rational(share) * eps**2 / (2 * (second + exp(LOG_TOP) * eps / 3)))
        answers.append(
            larger(evaluate(bound, at).real, value(gerf_tail, d=n, A=shape, v=sums, z=apart, eps=error))
        )
    return together(answers)


def _moderate(ends: Sequence[int]) -> bool | None:
    """Whether log M by Bernstein's bound is below the first end, and by Hoeffding's above the second."""
    few, many = (
        value(found, **_NUMBERS).log() for found in (attention_features_bernstein, attention_features)
    )
    return together((larger(arb(ends[0]), few), larger(many, ends[1])))


MODERATE = (
    stated("chefs.added.second-moment", f"{OURS}; softmax estimator, real A = (1 - w)/8; on |x|, |y| <= r the right side times m is at most "
        "((1+w)^2/(4w))^(d/2) exp((2 + 4/w) r^2), as |x+y|^2 + |x-y|^2 <= 4 r^2",
        mse(_SOFTMAX) < ((1 + WIDTH) / 2) ** d / WIDTH ** (d / 2) * exp(v**2 / 2 + v**2 / WIDTH - z**2 / 2) / m,
        proof="chefs.added.second-moment", also=(ProvedStep("chefs.added.attention", "chefs.added.attention/exponent", "part"),),
        entry="added"),
    proved_step("chefs.thm4.3.corrected/moderate", "corrected Theorem 4.3 for moderate errors, any A < 0, eps and L: M >= 8/eps^2 (Q + top eps/6)(2 d log(1 + 16 r slope/eps) + log(2/delta)) independent "
        "features give every entry to eps with probability 1 - delta, where r, top and slope are those of chefs.thm4.3.corrected and Q = ((1-4A)^2/(1-8A))^(d/2) "
        "exp(r^2 (2 + 4/(1-8A))) <= top exp(r^2); at d = 64, r^2 = 25, eps = 1, delta = 1/10, OPRF's A: e^101 features, where Hoeffding's bound asks for more than e^180",
        "chefs.added.attention", *(f"chefs.added.attention/{label}" for label in ("exponent", "base", "exponents", "statement")),
        *(ProvedStep("chefs.added.bernstein", f"chefs.added.bernstein/{label}") for label in ("rise", "slope", "exponential", "statement")),
        ProvedStep("lemma.exponential-", "lemma.exponential-/statement"),
        *(ProvedStep("chefs.thm4.3.corrected", f"chefs.thm4.3.corrected/{label}") for label in ("net", "between", "anywhere", "union")),
        ProvedStep("chefs.thm4.3", "chefs.thm4.3/range"), ProvedStep("chefs.thm4.3", "chefs.thm4.3/slope"), ProvedStep("chefs.thm4.2", "chefs.thm4.2/bounded"),
        also=(Derived("lemma.net"), Derived("rff.union"), SameValue(attention_features_bernstein,
                ({"d": 4, "A": "-1/3", "R": 1, "eps": "1/2", "delta": "1/10"}, {"d": 64, "A": -2, "R": 5, "eps": 1, "delta": "1/100"}),
                planted=ATTENTION_FEATURES),
            finding("log M at d = 64, r^2 = 25: below 101, by Hoeffding above 180", _moderate, (101, 180),
                ("below 100", (100, 180)), ("above 181", (101, 181))),
            finding("Bernstein's bound exceeds the exact tail of one feature pair at three points", _covers_tail, "1",
                ("a hundred times the exponent", "100"))),
        statement=r"$M\ge\frac8{\epsilon^2}\bigl(Q+\frac{T\epsilon}6\bigr)\bigl(2d\log(1+\frac{16rS}\epsilon)+\log\frac2\delta\bigr)$ independent features give every entry to $\epsilon$ with probability $1-\delta$; $r$, $T$, $S$ as in chefs.thm4.3.corrected, $Q=\bigl(\frac{(1-4A)^2}{1-8A}\bigr)^{d/2}e^{r^2(2+4/(1-8A))}\le Te^{r^2}$; at $d=64$, $r^2=25$, $\epsilon=1$, $\delta=\frac1{10}$, OPRF's $A$: $e^{101}$ features, where Hoeffding's bound asks for more than $e^{180}$",
        conditions="any A < 0, any eps > 0, any L; the smaller of both numbers is enough; (1-4A)^(d/2) e^(2 r^2) bounds its growth for -A away from 0, as the printed theorem has it, where Gamma covers the rest"))  # fmt: skip

# ---- discrete laws ---------------------------------------------------------------------------------------------------

_p, _u = sympy.symbols("p u", positive=True)


def _geometric_excess(tau: str) -> arb:
    """log of the least second moment of a geometric coordinate, less the best one, 2 tau."""
    best = value(geometric_p, t=tau)
    with ctx.workprec(96):
        size = abs(arb(sympy.Rational(tau).p) / sympy.Rational(tau).q)
        return (2 * size / (1 - best).sqrt()).bessel_i(0).log() - best.log() - 2 * size


def _p_within(room: str) -> bool | None:
    """Whether p* lies within the bounds, with this share of the room between them below the upper ends."""
    answers = []
    for tau in ("1/1000", "1/10", "1", "10", "1000"):
        best, size = value(geometric_p, t=tau), arb(sympy.Rational(tau).p) / sympy.Rational(tau).q
        answers += [larger(size, 1 - best), larger(1 - best, size - arb(room) * size**2)]
        answers += [larger(size + 1.5, 1 / best), larger(1 / best, size + 1.5 - 2 * arb(room))]
    return together(answers)


LAWS = (
    proved_step("chefs.added.best-law", "ours",
        "chefs.added.best-law", "chefs.added.best-law/term", "chefs.added.best-law/nonnegative",
        "chefs.added.best-law/total", "chefs.added.best-law/terms", "chefs.added.best-law/statement", entry="added",
        statement=r"of all laws $(p_k)$ of a coordinate $\mathrm{Poisson}(|x_ly_l|)$ gives the least $\mathbb EZ^2$; with it $\mathbb EZ^2=e^{2\sum_l|x_ly_l|-\|x\|^2-\|y\|^2}$, and the variance is zero if all $x_ly_l>0$",
        conditions="x_l y_l != 0; a rate of its own for each coordinate; for x_l y_l = 0 the infimum is reached by p_0 -> 1"),
    proved_step("chefs.added.best-law/common-rate", OURS, "chefs.thm3.4",
        "chefs.thm3.4/least", Derived("lemma.cauchy_schwarz"),
        statement=r"one rate for all coordinates, $\lambda^*$, costs the factor $e^{2\sqrt{dT}-2\sum|x_ly_l|}\ge1$ of the second moment, $T=\sum x_l^2y_l^2$; 1 just if "
        r"all $|x_ly_l|$ are equal",
        conditions="by Cauchy and Schwarz",
        also=(proof("d T - (sum |t_l|)^2 is a sum of squares of differences, d = 2, 3, 4",
                lambda factor: all(sympy.expand(n * sympy.Add(*(e**2 for e in _letters(n))) - sympy.Add(
                    *_letters(n)) ** 2 - factor * sympy.Add(
                    *((a - b) ** 2 for a, b in itertools.combinations(_letters(n), 2)))) == 0 for n in (2, 3, 4)),
                1, ("factor 2", 2), covers="points"),),
        entry="added"),
    proved_step("chefs.added.best-law/set", "ours",
        "chefs.added.best-law", "chefs.added.best-law/term", "chefs.added.best-law/nonnegative", entry="added",
        statement=r"for a set of pairs the mean of $\sum_k\frac{a_k^2}{p_k}$ over pairs, $a_k=|x_ly_l|^k/k!$, is least for $p_k\propto(\overline{a_k^2})^{1/2}$, with the value $(\sum_k(\overline{a_k^2})^{1/2})^2$",
        conditions="one coordinate; the step of chefs.added.best-law with the root of the mean square in place of a_k"),
    proved_step("chefs.added.geometric-p", OURS, "chefs.added.geometric-p", also=(
            proof("second derivatives of -log p and of (1-p)^(-1/2) with p = 1/(1+u)",
                lambda sign: bool(sympy.simplify(sympy.diff(-sign * sympy.log(_p), _p, 2).subs(_p, 1 / (1 + _u))).is_positive
                    and sympy.simplify(sympy.diff((1 - _p) ** sympy.Rational(-1, 2), _p, 2).subs(_p, 1 / (1 + _u))).is_positive),
                1, ("sign", -1), covers="part"),
            Derived("lemma.cauchy_schwarz_means", covers="part"),
            Textbook("bounds of I_1/I_0 (Amos 1974)", "z/(1 + sqrt(1 + z^2)) <= I_1(z)/I_0(z) <= min(1, z/2)"),
            SameValue(geometric_p, ({"t": "1/3"}, {"t": 1}, {"t": -4}), planted=1 / (1 + Abs(PRODUCT))),
            finding("the bounds at tau = 1/1000, 1/10, 1, 10, 1000", _p_within, "1", ("half of the room", "0.5"))),
        statement=r"the least variance of geometric features has one minimiser $p^*\in(0,1)$, the zero of an increasing function; for equal products "
        r"$|x_ly_l|=\tau$: $\tau-\tau^2\le1-p^*\le\tau$ and $\tau-\frac12\le\frac1{p^*}\le\tau+\frac32$, so $1-p^*\sim\tau$ as $\tau\to0$ and $p^*\sim1/\tau$ as $\tau\to\infty$",
        conditions="some x_l y_l != 0; -log p and (1-p)^(-1/2) are convex, log I_0 is convex and increasing",
        entry="added"),
    proved_step("chefs.added.geometric-p/excess", OURS, "chefs.added.geometric-excess",
        "chefs.added.geometric-excess/not Poisson", "chefs.added.geometric-excess/for every p",
        "chefs.added.geometric-excess/from below", "chefs.added.geometric-excess/statement", also=(
            Derived("chefs.added.best-law", covers="part"),
            Textbook("the first term of Hankel's expansion of I_0", "log I_0(x) = x - log(2 pi x)/2 + o(1) as x -> oo"),
            finding("the excess of the logarithm at tau = 1/10, 1, 10, 100 is positive",
                lambda sign: together(larger(sign * _geometric_excess(tau), 0) for tau in ("1/10", "1", "10", "100")),
                1, ("sign", -1)),
            finding("at tau = 1000 it is within 1/100 of the asymptotic value",
                lambda constant: larger(arb("0.01"),
                    abs(_geometric_excess("1000") - (arb(1000).log() / 2 + constant - (4 * arb.pi()).log() / 2))),
                1, ("constant 1 -> 2", 2))),
        statement=r"even the best geometric law is worse than $\mathrm{Poisson}(|x_ly_l|)$: $\min_pp^{-1}I_0(2\tau(1-p)^{-1/2})>e^{2\tau}$, by "
        r"$\frac12\log\tau+1-\frac12\log4\pi+o(1)$ in the logarithm as $\tau\to\infty$",
        conditions="tau = |x_l y_l| > 0", entry="added"))  # fmt: skip


def _letters(n: int) -> tuple[sympy.Symbol, ...]:
    return sympy.symbols(f"t1:{n + 1}", positive=True)


CLAIMS = (*COUPLED, *GLOBAL, *SEVERAL, *MINUS_BOUND, *MODERATE, *LAWS)
