"""Claims about clustered data: the end of Section 2.4 and Appendix H."""

from __future__ import annotations

import numpy as np
import sympy
from sympy import I, Rational, sqrt

from rftheory.author import equal, exp, formula, limit, oo
from rftheory.exact.complex_exponential import (cluster_coefficient, cluster_coefficient_second,
    complex_diagonal, diagonal_entry, diagonal_entry_loss, first, loss, real_diagonal, second, spread, tau,
    zeta)  # fmt: skip
from rftheory.exact.proof.steps import at
from rftheory.exact.symbols import m
from rftheory.papers.claim import Fault
from rftheory.papers.hybrid.notation import points, said, same, step
from rftheory.sample import Hybrid, Indicator, Mechanism, Stream, gaussian_mixture, zero_one_mixture
from rftheory.statement.evidence import Derived, Identity, ProvedStep, SameValue, Shown
from rftheory.statement.words import Side

X, Y = ("1", "-2", "1/3"), ("4", "1/2", "3")
"""Centres with entries of equal and of opposite sign."""

_EQUAL, _SECOND, _LENGTH = sympy.symbols("t s a", positive=True)
_N = sympy.Symbol("N", integer=True, positive=True)
_lambda, _own, _rest = sympy.symbols("L S R", real=True)
"""A coefficient, its base estimator, and the sum of the others with their coefficients."""
_BEST = Side(sqrt(sympy.Abs(second) / _SECOND))
"""(88) for a positive entry of the first centre."""


def _kernel_factor(sign: int) -> bool:
    """(93) in d = 1 with a = i t and plain squares: exponent of the kernel factor, times -2 tau^2."""
    a = I * _EQUAL
    rest = (a * first + second / a) ** 2 - (a * first) ** 2 - (second / a) ** 2
    return bool(sympy.expand(rest) == -2 * sign * first * second)


def _vanishing_loss(kind: str) -> bool:
    """Whether the loss at the centres is 0 for the diagonal of the given kind, exactly."""
    diagonal = {"complex": complex_diagonal, "real": real_diagonal}[kind](X, Y)
    return bool(sympy.simplify(zeta(diagonal, X, Y).loss) == 0)


def _pair_formula(sign: str) -> bool:
    """real loss = 2 sum (|x_k y_k| + x_k y_k) at the centres, exactly."""
    diagonal = real_diagonal(X, Y)
    found = zeta(diagonal, X, Y).loss
    product = [Rational(a) * Rational(b) for a, b in zip(X, Y, strict=True)]
    wanted = 2 * sum(abs(p) + (p if sign == "+" else -p) for p in product)
    return bool(sympy.simplify(found - wanted) == 0)


SECTION_2_4 = (
    step("hybrid.eq21", "eq. (21)",
        "hybrid.eq17", "MSE", "lower bound",
        also=(Identity("relative MSE as a function of the loss, 0 at l = 0", (exp(loss) - 1) / m, sympy.S.Zero,
            points((0, 1), (0, 7), names="loss m")),
            Shown("loss of the complex diagonal A of (86), (87) at centres with entries of both signs", _vanishing_loss,
            "complex", (("real diagonal", "real"),))),
        statement=r"$l(A)=|Ax_i+(A^\top)^{-1}y_j|^2$; if $l(A)=0$ the CE estimator makes no error on the centres",
        conditions="A invertible; E|S - SM|^2 = SM^2 (exp(l(A)) - 1)/m, so also only then"),
    said("hybrid.txt.small-l",
        "Section 2.4, after eq. (21), read as: small uniformly in A, relative to SM^2. d = 1, centres 1/10000 and "
        "-100, a = 1000 with l(A) = 0, points at the distance t",
        exp((1000 * (Rational(1, 10000) + _EQUAL) - Rational(100, 1000)) ** 2) - 1 <= 10**6, (Rational(1, 10) >= _EQUAL,),
        differs="how close depends on A. With the centres 1/10000 and -100 in d = 1, where a = 1000 has l(A) = 0, a "
        "point at distance 1/10 has a relative MSE above 10^4342. What holds: the relative MSE is (exp(|zeta|^2) - "
        "1)/m, |zeta| <= sqrt(l(A)) + |A| |x - x_i| + |A^-1| |y - y_j| in operator norms",
        correction="hybrid.txt.small-l/corrected",
        prints="if sampled points are close to the centers and l(A) is small, the corresponding variance of the "
        "estimator will also be small",
        fault=Fault("ambiguous", 1, "with the A of (88) an entry of a centre near 0 makes |A| or |A^-1| large, "
        "and 'close' then means very close; for a fixed A the sentence holds by continuity"),
        statement="when sampled points are close to the centres and $l(A)$ is small, the variance of the estimator is small",
        conditions="read as: small uniformly in A, relative to SM^2"),
    step("hybrid.txt.small-l/corrected", "ours", "lemma.triangle",
        "statement",
        statement=r"the relative MSE is at most $\frac1m\bigl(\exp\bigl((\sqrt{l(A)}+\|A\|\|x-x_i\|+\|A^{-1}\|\|y-y_j\|)^2\bigr)-1\bigr)$; so for fixed $A$ it tends to $(e^{l(A)}-1)/m$ at the centres",
        conditions="any invertible A, x, y; triangle inequality",
        also=(Derived("hybrid.eq17"),
        Shown("the bound at 64 pairs around centres in d = 3, complex diagonal A, exact arithmetic of the losses",
            lambda factor: _triangle(factor), Rational(1), (("a fifth of the distances", Rational(1, 5)),)),
        Derived("lemma.triangle")),
        entry="hybrid.txt.small-l"),
    said("hybrid.txt.indicator", "Section 2.4, last paragraph",
        equal(at(_lambda * _own + (1 - _lambda) * _rest, {_lambda: sympy.S.One}), _own)
        & equal(at(_lambda * _own + (1 - _lambda) * _rest, {_lambda: sympy.S.Zero}), _rest),
        also=(Shown("two by two clusters: the hybrid's estimates are those of the mechanism of the pair, or of the default one, draw by draw",
            lambda which: _activates(which), "own", (("another pair's mechanism", "other"),)),),
        statement=r"with indicator coefficients the hybrid estimator activates precisely the random feature mechanism of the pair of clusters; with some pairs left out, the default one elsewhere",
        conditions="disjoint clusters that cover the data; 'optimal for the pair of clusters' holds for the diagonal A at the "
        "centres, not for the average over the clusters "
        "(hybrid.added.ce.cluster); weights 1 and 0 on an estimate"))  # fmt: skip


def _triangle(factor: sympy.Expr) -> bool:
    """sqrt(loss) <= sqrt(l) + |A| |dx| + |A^-1| |dy| for shifts of the centres."""
    diagonal = complex_diagonal(X, Y)
    sizes = [abs(complex(sympy.N(a))) for a in diagonal]
    largest, inverse = max(sizes), 1 / min(sizes)
    rng = np.random.default_rng(8)
    for _ in range(64):
        dx, dy = rng.normal(size=3) / 4, rng.normal(size=3) / 4
        entries = [
            a * (float(Rational(u)) + s) + (float(Rational(v)) + q) / a
            for a, u, v, s, q in zip([complex(sympy.N(a)) for a in diagonal], X, Y, dx, dy, strict=True)
        ]
        bound = largest * np.linalg.norm(dx) + inverse * np.linalg.norm(dy)
        if np.linalg.norm(entries) > float(factor) * bound + 1e-12:
            return False
    return True


_CENTRES = np.array([[1.0, 0.5], [-1.0, 0.25]])
_KEYS = np.array([[0.5, -1.0], [0.25, 1.0]])


def _activates(which: str) -> bool:
    """Members of cluster i and cluster j get the base estimator made for (i, j)."""
    for pairs, default in ((None, None), ([(0, 1)], Mechanism("hyperbolic", "iid", 3))):
        hybrid, stream = zero_one_mixture(_CENTRES, _KEYS, 3, pairs=pairs, default=default), Stream(6)
        x, y = _CENTRES + 0.1, _KEYS - 0.05
        found = hybrid.gram(stream, range(4), x, y, "softmax")
        for i in range(2):
            for j in range(2):
                chosen = [(0, 0), (0, 1), (1, 0), (1, 1)] if pairs is None else pairs
                number = chosen.index((i, j)) if (i, j) in chosen else len(chosen)
                if which == "other":
                    number = (number + 1) % len(hybrid.bases)
                base = hybrid.bases[number].gram(stream.child(f"base {number}"), range(4), x, y, "softmax")
                if not same(found[:, i, j], base[:, i, j]):
                    return False
    return True


# ---- Appendix H.2 ------------------------------------------------------------------------------------------------------


def _full_matrix(structure: str) -> bool:
    """Whether x = (1, 0), y = (0, 1), where each entry has one zero, has an A with A x + A^-T y = 0."""
    x, y = sympy.Matrix([1, 0]), sympy.Matrix([0, 1])
    # A^T A = B with B x = -y, B symmetric: B = -(0 1; 1 0); A = B^(1/2), complex symmetric
    half = Rational(1, 2)
    a = sympy.Matrix([[half * (1 + I), half * (I - 1)], [half * (I - 1), half * (1 + I)]])
    if structure == "real":
        a = a.applyfunc(sympy.re)
    if structure == "diagonal":  # entry k needs a_k x_k + y_k/a_k = 0 with just one of x_k, y_k zero
        a = sympy.diag(*a.diagonal())
    if a.det() == 0:
        return False
    return bool((a * x + a.T.inv() * y).applyfunc(sympy.simplify).is_zero_matrix)


_pairwise_loss = 2 * (sympy.Abs(first * second) + first * second)


APPENDIX_H2 = (
    step("hybrid.eq81", "H.2, eqs (81), (82)",
        "hybrid.eq17", "lower bound", "(17)", also=(Shown("two query and three key centres make six base estimators",
            lambda count: len(zero_one_mixture(np.eye(3)[:2] + 1, np.eye(3) + 1, 2).bases) == count, 6,
            (("n_q + n_k", 5),)),),
        statement=r"the estimator has variance 0 if $Ar_i+(A^\top)^{-1}r_j=0$; for diagonal $A$: $Ar_i+A^{-1}r_j=0$; there are $n_qn_k$ such estimators",
        conditions="A invertible; the centres r_i belong to queries (i <= n_q), r_j to keys (j <= n_k), as for the pairs"),
    step("hybrid.eq83", "H.2, eqs (83)-(85), alpha_k + i beta_k != 0", "hybrid.eq83", "(84)", "(85)",
        statement=r"$(\alpha_k+\beta_ki)r_{i,k}+\frac{\alpha_k-\beta_ki}{\alpha_k^2+\beta_k^2}r_{j,k}=0$ splits into $(\alpha_k^2+\beta_k^2)\alpha_kr_{i,k}+\alpha_kr_{j,k}=0$ and $(\alpha_k^2+\beta_k^2)\beta_kr_{i,k}-\beta_kr_{j,k}=0$",
        conditions="alpha_k + i beta_k != 0 (alpha_k = beta_k = 0 solves (85) but is not invertible)"),
    step("hybrid.eq86", "H.2, eq. (86), entries of equal sign", "hybrid.eq86", "(86)",
        statement=r"for $r_{i,k}r_{j,k}>0$: $\alpha_k=0$, $\beta_k=\sqrt{r_{j,k}/r_{i,k}}$ satisfies (85)",
        conditions="entries of equal sign"),
    step("hybrid.eq87/(a)", "H.2, eq. (87), entries of opposite sign, minus sign under the root",
        "hybrid.eq87", "(87) reading (a)",
        statement=r"for $r_{i,k}r_{j,k}<0$: $\alpha_k=\sqrt{-r_{j,k}/r_{i,k}}$, $\beta_k=0$ satisfies (85)",
        conditions="entries of opposite sign"),
    step("hybrid.eq87/(b)", "H.2, eq. (87), entries of opposite sign, no sign under the root",
        "hybrid.eq87", "(87) reading (b)",
        differs="the quotient is negative and alpha_k real, so the root needs a minus sign: alpha_k = "
        "sqrt(-r_{j,k}/r_{i,k}), with which (85) holds", correction="hybrid.eq87/(a)",
        prints="And if ri,krj,k < 0, we can set: αk = p rj,k/ri,k βk = 0 (87)",
        fault=Fault("reading", 1, "none: minus signs are lost in our text of the source"),
        statement=r"for $r_{i,k}r_{j,k}<0$: $\alpha_k=\sqrt{r_{j,k}/r_{i,k}}$, $\beta_k=0$ satisfies (85)",
        conditions="entries of opposite sign"),
    said("hybrid.secH2.zeros", "H.2, after eq. (87), with diagonal A: the loss of an entry of modulus a at r_i = s, r_j = 0, which at r_i = 0, r_j = s "
        "is that of 1/a, and at an entry 1/N or N",
        (Side((_LENGTH * _SECOND) ** 2) > 0) & (limit((_SECOND / _N) ** 2, _N, oo) == 0),
        statement=r"if exactly one of $r_{i,k},r_{j,k}$ is zero the equation cannot be satisfied; if both are, any entry will do, such as $\alpha_k=\beta_k=1$; large $\alpha_k$ ($r_{i,k}=0$) or small ($r_{j,k}=0$) bring the loss near 0",
        conditions="diagonal A; the price of a large or small entry is a large factor in front of the distance to the centres "
        "(hybrid.txt.small-l)"),
    step("hybrid.secH2.zeros/full", "ours", "hybrid.eq17", Derived("hybrid.eq17"), Derived("lemma.reflection"),
        statement=r"with full complex $A$ the zero-variance equation has a solution for all non-zero $r_i,r_j$, zeros among their entries included",
        conditions="d >= 2 where an entry vanishes: A is the root of |r_j|/|r_i| times 1 - (1 - i) n n^T, with the unit vector n along r_i/|r_i| + r_j/|r_j|, or without n n^T if that is 0",
        also=(Shown("r_i = (1, 0), r_j = (0, 1), A = B^(1/2), exactly", _full_matrix, "complex",
            (("its diagonal", "diagonal"), ("real part of A", "real"))),),
        entry="hybrid.secH2.zeros"),
    said("hybrid.eq88", "H.2, eq. (88), an entry of the centres, r_i = s > 0 and r_j = second: the entry of A is invertible, and no other one, t, has a smaller loss",
        (_BEST > 0) & ((_BEST * _SECOND + second / _BEST) ** 2 <= (_EQUAL * _SECOND + second / _EQUAL) ** 2),
        statement=r"$a_k=\sqrt{|r_{j,k}/r_{i,k}|}$ if $r_{i,k}\ne0$, a large number if $r_{i,k}=0\ne r_{j,k}$, 1 if both vanish, minimises $|Ar_i+(A^\top)^{-1}r_j|^2$ over real diagonal $A$",
        conditions="all centres, zero entries included",
        differs="for r_{j,k} = 0 and r_{i,k} != 0 the formula gives a_k = 0, a matrix without inverse; the loss "
        "then has no minimum over invertible A, its infimum 0 is approached as a_k -> 0. The same holds for r_{i,k} "
        "= 0 and a_k -> oo, where the source speaks of a large number. For entries that both vanish or both do not, "
        "(88) is the minimum", correction="hybrid.eq88/corrected",
        prints="it is easily seen that to minimize |Ari + (A ) 1rj|2, we can take |rj,k/ri,k| (88)",
        fault=Fault("missing condition", 1, "none: entries of centres computed from data do not vanish")),
    step("hybrid.eq88/corrected",
        "ours: a_k of (88) is the minimiser over real diagonal A where both entries vanish or neither does",
        "hybrid.eq88", "equal signs", "opposite signs", "(88) equal signs", "(88) opposite signs",
        also=(SameValue(diagonal_entry, points((1, 2), ("-1/3", 5), (2, "-7"), names="first second"),
            planted=sqrt(abs(first / second))), SameValue(diagonal_entry_loss, points((1, 2), ("-1/3", -5), (2,
            "1/7"), names="first second"),
            planted=2 * _pairwise_loss), Shown("the minimum at centres in d = 3, exactly", _pair_formula,
            "+", (("sign", "-"),))),
        entry="hybrid.eq88",
        statement=r"if in no coordinate exactly one of $r_{i,k},r_{j,k}$ vanishes, $a_k=\sqrt{|r_{j,k}/r_{i,k}|}$ (1 where both vanish) minimises $|Ar_i+(A^\top)^{-1}r_j|^2$ over real diagonal $A$; the minimum is $2\sum_k(|r_{i,k}r_{j,k}|+r_{i,k}r_{j,k})$",
        conditions="unique up to signs where the entries do not vanish"),
    said("hybrid.eq89/(a)", "eqs (89)-(92), bars as norms, d = 1, A = i t",
        equal(exp((_EQUAL * first) ** 2 / 2 + (second / _EQUAL) ** 2 / 2 + first * second),
            exp((I * _EQUAL * first + second / (I * _EQUAL)) ** 2 / 2)),
        differs="for complex A the squares are sum v_k^2 without conjugation, as (14) defines them. With norms and "
        "A = iI in d = 1 the two sides are e^2 and 1 at x = y = 1. For real A both readings agree",
        correction="hybrid.eq89/(b)",
        prints="From the analysis in the main body of the paper we know that for arbitrary vectors x, y Rd: exp( "
        "Ai,jx 2 2 )exp( (Ai,j) 1y 2 2 )SM(x, y) = E[exp(ω (Ai,jx + (Ai,j) 1y)] (89)", fault=Fault("ambiguous", 2,
            "none for the experiments, which take real A; with the complex A of (86) and "
            "norms in (91), (92) the estimator is biased"),
        statement=r"$e^{\|Ax\|^2/2}e^{\|A^{-1}y\|^2/2}\mathrm{SM}(x,y)=\mathbb E[e^{\omega^\top(Ax+A^{-1}y)}]$, $\|v\|^2=\sum_k|v_k|^2$",
        conditions="diagonal complex A; first is x, second is y"),
    said("hybrid.eq89/(b)", "eqs (89)-(92), plain squares, any invertible symmetric A; here d = 1, A = i t",
        equal(exp((I * _EQUAL * first) ** 2 / 2 + (second / (I * _EQUAL)) ** 2 / 2 + first * second),
            exp((I * _EQUAL * first + second / (I * _EQUAL)) ** 2 / 2)), also=(Derived("hybrid.eq14"),),
        statement=r"$e^{(Ax)^2/2}e^{(A^{-1}y)^2/2}\mathrm{SM}(x,y)=\mathbb E[e^{\omega^\top(Ax+A^{-1}y)}]$, $v^2=\sum_kv_k^2$, and (90)-(92) are unbiased",
        conditions="symmetric, in particular diagonal, invertible A, any x, y; first is x, second is y"),
    step("hybrid.txt.H2-variance/complex", "H.2, after eq. (92), complex A", "hybrid.eq86", "(86)",
        ProvedStep("hybrid.eq87", "hybrid.eq87/(87) reading (a)"),
        also=(Shown("loss 0 at centres in d = 3", _vanishing_loss, "complex", (("real", "real"),)),),
        statement="the variance is zero at $x=r_i$, $y=r_j$ with the complex matrix",
        conditions="no coordinate with exactly one zero"),
    said("hybrid.txt.H2-variance/real",
        "H.2, after eq. (92), real A, read as: relative MSE at the centres not above that of P, d = m = 1",
        exp(formula("diagonal_entry_loss")) - 1 <= sympy.cosh((first + second) ** 2) - 1,
        differs="the real diagonal A leaves the loss 4 times the sum of the positive products r_{i,k} r_{j,k}, and "
        "the relative MSE is (exp(loss) - 1)/m: in d = 1 with r_i = r_j = 2 it is e^16 - 1, twice that of P, where "
        "T makes no error. It is small where entries of equal sign are small", correction="hybrid.eq88/corrected",
        prints="Such a softmax kernel estimator has variance equal to zero if x = ri and y = rj if we are using the "
        "complex matrix and has small variance if we are using the real matrix", fault=Fault("missing condition", 2,
            "the experiments keep the loss at the centres small by adjusting "
            "signs (H.3); on data as they come the real diagonal A may be worse than P and T"),
        statement="the variance is small at $x=r_i$, $y=r_j$ with the real matrix",
        conditions="read as: relative to SM^2, or not larger than that of P, for all centres; first is r_i, second r_j"),
    step("hybrid.txt.H2-variance/near", "H.2, after eq. (92), near the centres", "hybrid.eq17",
        statement=r"for other pairs $(x,y)$ close to $r_i$ and $r_j$ the variance is close to zero, or relatively small",
        conditions="complex A, fixed; read as continuity: the relative MSE tends to 0 at the centres (no uniformity in A, see "
        "hybrid.txt.small-l)",
        also=(Shown("loss 0 at centres in d = 3", _vanishing_loss, "complex", (("real", "real"),)),)),
    said("hybrid.txt.maxcentre/real",
        "H.2, before eq. (93), the best real A, d = 1",
        formula("cluster_coefficient", loss=formula("diagonal_entry_loss")) == 1,
        differs="lambda is largest where A x + A^-1 y = 0, and with real A the centres satisfy this only if no "
        "coordinate has entries of equal sign: in d = 1 with r_i = r_j = tau = 1 it is e^-2 at the centres and 1 at "
        "x = y = 0. With the complex matrix the sentence holds", correction="hybrid.txt.maxcentre/complex",
        prints="We can also take the Gaussian λ-coefficient estimator that gets it maximum value when x = ri, y = "
        "rj as λi,j(x, y). Such an estimator could be constructed with Ai,j in a similar way",
        fault=Fault("missing condition", 1,
            "none: Definition H.1 takes the complex matrix, and the experiments " "take indicators"),
        statement="the Gaussian coefficient (93) gets its maximum at $x=r_i$, $y=r_j$",
        conditions="real diagonal A, centres with entries of equal sign; first is r_i, second r_j"),
    said("hybrid.txt.maxcentre/complex",
        "H.2, before eq. (93), complex A and norms",
        (formula("cluster_coefficient", loss=0) == 1) & (formula("cluster_coefficient") <= 1),
        also=(Shown("zeta = 0 at the centres, exactly", _vanishing_loss, "complex", (("real", "real"),)),
        ProvedStep("hybrid.eq86", "hybrid.eq86/(86)"), ProvedStep("hybrid.eq87", "hybrid.eq87/(87) reading (a)"),
        SameValue(cluster_coefficient, points((0, 1), (1, 1), (2, "1/2"), names="loss tau"),
            planted=exp(-loss / tau**2))),
        statement=r"the Gaussian coefficient $e^{-\|Ax+A^{-1}y\|^2/2\tau^2}$ gets its maximum value 1 at $x=r_i$, $y=r_j$",
        conditions="complex diagonal A of (86), (87), bars as norms; the maximum is attained on the whole space A x = -A^-1 y, at x = y = 0 too, not at the centres alone"),
    step("hybrid.eq93/(a)", "eq. (93), minus sign, plain squares, diagonal invertible A", "hybrid.eq93", "reading (a)",
        also=(Shown("d = 1, complex a, plain squares, symbolically", _kernel_factor, -1, (("plus sign", 1),)),),
        statement=r"$e^{-(Ax+A^{-1}y)^2/2\tau^2}=e^{-(Ax)^2/2\tau^2}e^{-(A^{-1}y)^2/2\tau^2}\mathrm{SM}(x/\tau,-y/\tau)$",
        conditions="diagonal invertible A, real or complex; with norms it holds for real A"),
    step("hybrid.eq93/(b)", "eq. (93), plus sign", "hybrid.eq93", "reading (b)",
        differs="the cross term of the square enters with a minus sign, so the factor is SM(x/tau, -y/tau)",
        correction="hybrid.eq93/(a)",
        prints="where SM(x/τ, y/τ) could be estimated with similar random feature maps as given by Eq. 90",
        fault=Fault("reading", 1, "none: the sign is lost in our text of the source"),
        statement=r"$e^{-(Ax+A^{-1}y)^2/2\tau^2}=e^{-(Ax)^2/2\tau^2}e^{-(A^{-1}y)^2/2\tau^2}\mathrm{SM}(x/\tau,+y/\tau)$",
        conditions="x.y != 0"),
    said("hybrid.eq93/norm",
        "eq. (93), bars as norms of complex vectors: the exponents times -2 tau^2, d = 1, A = i t",
        equal((_EQUAL * first - second / _EQUAL) ** 2, (_EQUAL * first) ** 2 + (second / _EQUAL) ** 2 + 2 * first * second),
        differs="with norms of complex vectors the factorisation fails: |A x + A^-1 y|^2 has the cross term 2 Re "
        "sum conj(a_k)/a_k x_k y_k, which is -2 x_k y_k for imaginary a_k, so that the factor is SM with signs per "
        "coordinate. With plain squares it holds, but the coefficient is then complex in general and unbounded",
        correction="hybrid.eq93/(a)",
        prints="λi,j(x, y) = exp( Ai,jx + (Ai,j) 1y 2 exp( Ai,jx 2 2τ 2 )exp( (Ai,j) 1y 2", fault=Fault("ambiguous", 2,
            "a coefficient in (0, 1] for complex A needs norms, and then other features "
            "than (95), (96) (hybrid.mech.gauss-mixture/norm)", told_by="hybrid.eq89/(a)"),
        statement=r"$e^{-\|Ax+A^{-1}y\|^2/2\tau^2}=e^{-\|Ax\|^2/2\tau^2}e^{-\|A^{-1}y\|^2/2\tau^2}\mathrm{SM}(x/\tau,-y/\tau)$",
        conditions="complex diagonal A; first is x, second is y"),
    said("hybrid.eq94/(a)", "eq. (94), second factor at y, d = 1, A = 1: mean of the product, and lambda",
        equal(exp(-(first**2 + second**2) / tau**2) * exp((first + second) ** 2 / (2 * tau**2)),
            exp(-((first + second) ** 2) / (2 * tau**2))),
        differs="the second factor is to be taken at -y, as in (96) and (99). At y its product with the first has "
        "the mean of the coefficient at (x, -y): 1 for e^-2 at x = y = A = tau = 1 in d = 1",
        correction="hybrid.eq94/(b)",
        prints="λi,j(x, y) = exp( Ai,jx + (Ai,j) 1y 2 2τ 2 ) Ψτ,m Ai,j(x) Ψτ,m (Ai,j) 1(y) (94)",
        fault=Fault("slip", 1, "none: (96) and (99) have -y"),
        statement=r"$\lambda_{i,j}(x,y)=\mathbb E\,\Psi^{\tau,m}_A(x)^\top\Psi^{\tau,m}_{A^{-1}}(y)$ with (95), (96)",
        conditions="x.y != 0, real A; first is x, second is y"),
    step("hybrid.eq94/(b)", "eqs (94)-(96), second factor at -y as in (96) and (99)", "hybrid.eq93", "(94)-(96) mean",
        also=(SameValue(cluster_coefficient_second,
            points((1, 1, 1, 1), (2, "1/2", 1, 7), ("1/3", 2, 2, 3), names="loss spread tau n"),
            planted=cluster_coefficient_second.expression.subs(spread, 2 * spread)),),
        statement=r"$\lambda_{i,j}(x,y)=\mathbb E\,\Psi^{\tau,m}_A(x)^\top\Psi^{\tau,m}_{A^{-1}}(-y)$; $\mathbb E\hat\lambda^2=\lambda^2(1+(e^{\|Ax-A^{-1}y\|^2/\tau^2}-1)/m)$ for real $A$",
        conditions="plain squares, or real A; projections independent of those of the base estimators"),
    said("hybrid.eq94/same-projections",
        "eqs (94)-(96), projections 'that were applied in base estimators', d = 1, A = tau = m = 1: the means of "
        "e^(w(x-y)) e^(w(x+y)) and of the two apart",
        equal(exp(((first - second) + (first + second)) ** 2 / 2),
            exp((first - second) ** 2 / 2) * exp((first + second) ** 2 / 2)),
        differs="if the coefficients use the projections of the base estimators, the hybrid is biased by their "
        "covariance: the mean of the product is 1.032 for 0.855, with the common factors of the two maps, in d = 1 "
        "at A = "
        "tau = 1, x = 1/2, y = 1/4. "
        "Projections of their own are needed, as (8) says", correction="hybrid.eq94/(b)",
        prints="chosen independently and that were applied in base estimators", fault=Fault("ambiguous", 1,
            "none: Definitions H.1 and H.2 ask for coefficients that are independent of " "the base estimators"),
        statement="with the projections of the base estimators in the coefficients, the hybrid is unbiased",
        conditions="the same omega_i in lambda and in the base estimator; first is x, second is y"),
    step("hybrid.defH.1",
        "Definition H.1, eqs (97)-(100): coefficients independent of the base estimators, the last one 1 minus the sum",
        "hybrid.eq8", "(8)",
        also=(Derived("hybrid.eq93"), Shown("the weights of the implementation sum to 1: all base estimators replaced by one give that one",
            lambda change: _weights_sum(change), "", (("without the default", "no default"),))),
        statement=r"$\sum_{i,j}\hat\lambda_{i,j}\widehat{\mathrm{SM}}_{i,j}+\hat\lambda_0\widehat{\mathrm{SM}}_0$ with $\hat\lambda_0=1-\sum\hat\lambda_{i,j}$ is unbiased",
        conditions="coefficients independent of the base estimators; complex A allowed, then the estimate is complex (the real part is unbiased)"),
    said("hybrid.defH.1/range", "Definition H.1 with eq. (8), the last weight, 1 minus the others, taken for one of the "
        "coefficients; two pairs of clusters with one A: lambda_1 + lambda_2",
        2 * formula("cluster_coefficient") <= 1,
        differs="(8) asks for coefficients in [0, 1], not for a last weight, 1 minus their sum, in it, and with bars as "
        "norms the coefficients of Definition H.1 are. Two pairs of clusters with the same A give lambda_1 + lambda_2 = 2 "
        "where A x + A^-1 y = 0, so lambda_0 = -1; with plain squares and imaginary entries |lambda| itself exceeds 1. The "
        "estimator is unbiased all the same",
        correction="hybrid.defH.1",
        prints="j=1 bλi,j(x, y) + bλ0(x, y) = 1 (98) and where the estimators of λ-coefficients and base estimators "
        "are given as ... for some functions λk : Rd Rd [0, 1], constructed independently from E",
        fault=Fault("reading", 1, "none: no range is asked of the last weight, and unbiasedness needs none")),
    step("hybrid.defH.2", "Definition H.2, eqs (101)-(104)",
        "hybrid.eq8", "(8)",
        also=(Shown("indicators of the implementation: each pair of points has weight 1 on one pair of clusters and 0 on the others",
            lambda total: _indicators(total), 1, (("sum 2", 2),)), Derived("hybrid.eq88")),
        statement=r"$\hat\lambda_{i,j}=\Psi_i(x)\Psi_j(y)$, $\sum_{i,j}\hat\lambda_{i,j}=1$, and the estimator is unbiased",
        conditions="each query and each key belongs to exactly one cluster"),
    said("hybrid.txt.H3-sign/(a)", "H.3, relation read as equality of signs: the least loss for both signs",
        (formula("diagonal_entry_loss", first=_EQUAL, second=_SECOND) == 4 * _EQUAL * _SECOND)
        & (formula("diagonal_entry_loss", first=-_EQUAL, second=-_SECOND) == 4 * _EQUAL * _SECOND),
        also=(Derived("hybrid.eq88"),),
        statement=r"the minimal loss over real diagonal $A$ is non-zero if $\mathrm{sign}(x_{i,k})=\mathrm{sign}(y_{j,k})$ for some $k$",
        conditions="both entries non-zero (for two zeros the loss is 0)"),
    said("hybrid.txt.H3-sign/(b)",
        "H.3, relation read as difference of signs: the least loss at entries of opposite sign",
        formula("diagonal_entry_loss") > 0, (first > 0, second < 0),
        differs="entries of opposite sign contribute nothing to the least loss, entries of equal sign contribute 4 "
        "|x_k y_k|: the sentence is right with the sign of equality", correction="hybrid.txt.H3-sign/(a)",
        prints="the minimal value s of Eq. 21 may be non-zero if sign(xi,k) = sign(yj,k) for some k due to the "
        "usage of real diagonal matrices",
        fault=Fault("reading", 1, "none: our text of the source shows the sign of equality")))  # fmt: skip


def _weights_sum(change: str) -> bool:
    """gaussian_mixture with every base replaced by one mechanism on shared projections."""
    mixture = gaussian_mixture(_CENTRES, _KEYS, 2, tau=1.5)
    base = Mechanism("trigonometric", "iid", 3)
    if change == "no default":
        hybrid = Hybrid((base,) * len(mixture.coefficients), mixture.coefficients[:-1], shared=True)
        left = hybrid.features(Stream(3), range(2), _CENTRES, _KEYS, "softmax").left
        return bool(left.log_scale.shape[1] == 0)
    hybrid = Hybrid((base,) * len(mixture.bases), mixture.coefficients, shared=True)
    stream = Stream(3)
    found = hybrid.gram(stream, range(2), _CENTRES, _KEYS, "softmax")
    return same(found, base.gram(stream.child("base"), range(2), _CENTRES, _KEYS, "softmax"))


def _indicators(total: int) -> bool:
    x, y = _CENTRES + 0.1, _KEYS - 0.05
    grams = [
        Indicator(_CENTRES, _KEYS, i, j).gram(Stream(1), range(1), x, y)[0]
        for i in range(2)
        for j in range(2)
    ]
    one_each = all(set(np.unique(g)) <= {0.0, 1.0} for g in grams)
    return one_each and bool(np.all(sum(grams) == total))
