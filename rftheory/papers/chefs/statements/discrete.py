"""Section 3.2: discretely induced features, Poisson, geometric and shifted ones."""

from __future__ import annotations

from collections.abc import Callable

import sympy
from flint import arb
from sympy import Abs, besseli, exp, factorial, sqrt

from rftheory.author import equal, formula, limit, oo
from rftheory.exact.discrete import (PRINTED_GEOMETRIC_VARIANCE, PRINTED_POISSON_VARIANCE, dirf_moment, dot,
    lam, norms, p)  # fmt: skip
from rftheory.exact.symbols import d, m
from rftheory.exact.truth import together
from rftheory.judge import Decision
from rftheory.papers.chefs.notation import MILLION, PAPER, below, finding, proof
from rftheory.papers.chefs.statistics import (OBJECTIVE, OPERATOR, PRODUCTS, L, M, N, discrete_deviation,
    discrete_error, discrete_law, shifted_pair)  # fmt: skip
from rftheory.papers.claim import Claim, Fault, stated
from rftheory.papers.steps import proved_step
from rftheory.statement.evidence import Derived, Identity, ProvedStep, SampledMean, Slow, times
from rftheory.statement.words import Side

_x = sympy.Symbol("x", real=True)
_q, _law = sympy.symbols("q p_k", positive=True)
_count, _index = sympy.symbols("k j", integer=True, nonnegative=True)
_K = sympy.Symbol("k", integer=True, positive=True)
_cx, _cy, _c = sympy.symbols("x y c", real=True)
_T = sympy.Symbol("T", nonnegative=True)

MIXED = (["0.5", "-0.25", "0"], ["0.75", "0.5", "-1"])
"""A pair with a zero coordinate and coordinates of opposite signs."""
SHORT = (["0.5", "-0.25"], ["0.75", "0.5"])

_POISSON_WEIGHT = lam**_count / factorial(_count)
_POISSON_TOTAL = sympy.Sum(_POISSON_WEIGHT.subs(_count, _index), (_index, 0, sympy.oo))


def _feature(weight: sympy.Expr) -> sympy.Expr:
    """One coordinate of (10) without the norm."""
    return _x**_count / sqrt(factorial(_count) * weight)


def _mean_is_kernel(vectors: tuple[list[str], list[str]], factor: int) -> bool | None:
    """Whether both laws give the kernel of a pair, times the factor."""
    x, y = vectors
    distance = sum(((arb(a) - arb(b)) ** 2 for a, b in zip(x, y, strict=True)), start=arb(0))
    answers = []
    for law, parameter in (("poisson", "1/3"), ("geometric", "1/3")):
        mean = dirf_moment(law, 1, x, y, parameter, digits=20).ball
        answers.append(bool((mean - factor * (-distance / 2).exp()).contains(0)))
    return together(answers)


def _factors(f: Callable[[sympy.Expr], sympy.Expr]) -> tuple[sympy.Expr, sympy.Expr]:
    """Both sides of (12), or of (14), in one coordinate, L = 3."""
    x, y = sympy.symbols("x1:4", real=True), sympy.symbols("y1:4", real=True)
    left = sympy.Add(*(f(a * b) for a in x for b in y)) / 9
    return left, sympy.Add(*map(f, x)) * sympy.Add(*map(f, y)) / 9


def _mean_log_geometric(p: sympy.Expr) -> sympy.Expr:
    """Mean of log E Z^2, without the norms, over two geometric coordinates with the products 1/10 and 3."""
    first, second = (sympy.log(besseli(0, 2 * t / sqrt(1 - p))) for t in (sympy.Rational("0.1"), 3))
    return (first + second) / 2 - sympy.log(p)


def _mean_poisson(rate: sympy.Expr) -> sympy.Expr:
    """Mean of E Z^2 e^4 over two pairs in one dimension, x y = 1/2 and 2, both with |x|^2 + |y|^2 = 4."""
    return (exp(rate + 1 / (4 * rate)) + exp(rate + 4 / rate)) / 2


DEFINITION = (
    proved_step("chefs.eq9", f"{PAPER}, Section 3.2, eq. (9), reading (a)",
        "chefs.thm3.4", "chefs.thm3.4/any law", "chefs.thm3.4/mean",
        also=(finding("Poisson and geometric law, a pair with a zero coordinate and opposite signs: the mean is K",
                lambda factor: _mean_is_kernel(MIXED, factor), 1, ("2 K", 2)),),
        statement=r"$e^{x^\top y}=\prod_l\sum_kp_k\frac{x_l^ky_l^k}{p_kk!}=\mathbb E[\prod_lX_l\prod_lY_l]$",
        conditions="any law with all p_k > 0, any real x, y, zero coordinates included; absolutely convergent, sum e^|x_l y_l|",
        prints=r"\exp(\mathbf{x}^\top \mathbf{y}) = \prod_{l=1}^d \sum_{k=0}^{\infty} p_k \frac{\mathbf{x}_l^k \mathbf{y}_l^k}{p_k k!} = \mathbb{E} \left[\prod_{l=1}^d X_l \prod_{l=1}^d Y_l \right]"),
    proved_step("chefs.eq9/nonzero", f"{PAPER}, Section 3.2, eq. (9), reading (b)",
        "chefs.thm3.4", "chefs.thm3.4/any law", "chefs.thm3.4/mean",
        also=(finding("Poisson and geometric law, a pair with coordinates of opposite signs: the mean is K",
                lambda factor: _mean_is_kernel(SHORT, factor), 1, ("2 K", 2)),),
        statement=r"the same for $x_ly_l\ne0$",
        conditions="no power 0^0 occurs; negative coordinates allowed"),
    stated("chefs.eq10", f"{PAPER}, Section 3.2, eq. (10), with Poisson counts, 0^0 = 1: the mean is the kernel at |x - y|^2 = |x|^2 + |y|^2 - 2 x.y",
        formula("poisson_mean") == exp(-(norms - 2 * dot) / 2),
        also=(Derived("chefs.2.1.sfm"), ProvedStep("chefs.thm3.4", "chefs.thm3.4/any law"),
            ProvedStep("chefs.thm3.4", "chefs.thm3.4/mean"),
            finding(
                "the library's features are (10), Poisson and geometric, zero and negative coordinates: within 1e-12",
                lambda parameter: together(
                    below(discrete_deviation(law, parameter), "1e-12") for law in ("poisson", "geometric")),
                0.5, ("parameter 0.51", 0.51))),
        statement=r"$f_{\rm DI}(\omega,x)=e^{-\|x\|^2/2}\prod_lx_l^{\omega_l}(\omega_l!)^{-1/2}p_{\omega_l}^{-1/2}$ satisfies (1)",
        conditions="any law with all p_k > 0; 0^0 = 1; lam the rate, dot = x.y, norms = |x|^2 + |y|^2",
        prints=r"f_{\text{DI}}(\omega, \mathbf{x}) = \exp\left(-\frac{\|\mathbf{x}\|^2}{2}\right) \prod_{l=1}^d x_l^{\omega_l} (\omega_l!)^{-\frac{1}{2}} p_{\omega_l}^{-\frac{1}{2}}"),
    stated("chefs.eq10/second-moment", f"{PAPER}, Section 3.2, eq. (10), what the variance needs: ratios of consecutive terms "
        "q p_(k-1)/(k^2 p_k), q = (x_l y_l)^2, for p_k/p_(k-1) = 1/2 and lam/k; for k^-3 the inverse",
        (limit(2 * _q / _K**2, _K, oo) == 0) & (limit(_q * _K / lam / _K**2, _K, oo) == 0) & (limit(_K**2 / (_q * _K**3), _K, oo) == 0),
        statement=r"$\mathbb E\,Z^2=e^{-\|x\|^2-\|y\|^2}\prod_l\sum_k\frac{(x_ly_l)^{2k}}{(k!)^2p_k}$ is finite for Poisson and geometric laws, not "
        r"for every law with all $p_k>0$", conditions="such as p_k proportional to (k!)^-3"))  # fmt: skip

POISSON = (
    stated("chefs.3.2.pois",
        f"{PAPER}, Section 3.2.1, one coordinate of (10) without the norm, the weights lambda^k/k! divided by their sum",
        equal(_feature(_POISSON_WEIGHT / _POISSON_TOTAL), exp(lam / 2) * _x**_count * lam ** (-_count / sympy.S(2))),
        statement=r"for $p_k=e^{-\lambda}\lambda^k/k!$, (10) is $f_{\rm pois}(\omega,x)=e^{\lambda d/2-\|x\|^2/2}\prod_lx_l^{\omega_l}\lambda^{-\omega_l/2}$",
        conditions="lambda > 0",
        prints=r"f_{\text{pois}}(\omega, \mathbf{x}) = e^{\lambda d/2 - \|\mathbf{x}\|^2/2} \prod_{l=1}^d \mathbf{x}_l^{\omega_l} \lambda^{-\omega_l/2}"),
    stated("chefs.thm3.4", f"{PAPER}, Theorem 3.4, eq. (11), variance of one sample",
        formula("poisson_variance") == PRINTED_POISSON_VARIANCE,
        also=(Derived("chefs.thm3.4"), Slow(SampledMean("squared error of PoisRF, lambda = 1/2, a zero and a negative coordinate",
                discrete_error("poisson", "0.5", *MIXED), discrete_law("poisson", "0.5", *MIXED), times(1.1),
                MILLION))),
        prints=r"\exp\left(\lambda d + \lambda^{-1} \sum_{l=1}^d \mathbf{x}_l^2 \mathbf{y}_l^2 - \|\mathbf{x}\|^2 - \|\mathbf{y}\|^2\right) - K(\mathbf{x}, \mathbf{y})^2"),
    stated("chefs.thm3.4/average",
        f"{PAPER}, Theorem 3.4: 'the variance of (2)', read as that of the average of M samples",
        formula("poisson_variance") / m == formula("poisson_variance"), (m >= 2,), expected=Decision.FAILS,
        differs="(11) is the variance of one sample, as its left side says; that of (2) is (11)/M",
        correction="chefs.thm3.4", prints="Variance of (2) with",
        fault=Fault("slip", 1, told_by="chefs.thm3.2/average")),
    proved_step("chefs.3.2.lambda", f"{PAPER}, Section 3.2.1, T = sum x_l^2 y_l^2 > 0",
        "chefs.thm3.4", "chefs.thm3.4/convex", "chefs.thm3.4/stationary", "chefs.thm3.4/least",
        statement=r"the exponent of (11) is convex in $\lambda>0$ and (11) is least at $\lambda^*=d^{-1/2}(\sum_lx_l^2y_l^2)^{1/2}$, and only there",
        conditions="x_l y_l != 0 for some l",
        prints=r"The exp argument in (11) is convex as a function of $\lambda > 0$. By setting its derivative to zero, we find that $\lambda^* = d^{-1/2} (\sum_{l=1}^d \mathbf{x}_l^2 \mathbf{y}_l^2)^{1/2}$ gives the minimum of (11)"),
    stated("chefs.3.2.lambda/zero", f"{PAPER}, Section 3.2.1, for every pair: lambda* is a rate, and so positive, with T = sum x_l^2 y_l^2",
        Side(sqrt(_T / d)) > 0, expected=Decision.FAILS,
        differs="some product x_l y_l has to be nonzero: otherwise lambda* = 0 is no rate, and (11) falls to "
        "its infimum as lambda -> 0 without a minimum", correction="chefs.3.2.lambda",
        prints=r"By setting its derivative to zero, we find that $\lambda^* = d^{-1/2} (\sum_{l=1}^d "
        r"\mathbf{x}_l^2 \mathbf{y}_l^2)^{1/2}$ gives the minimum of (11).",
        fault=Fault("missing condition", 1, "none: an average (12) over a set is zero just where every product "
            "is; a code has to treat that case apart"),
        statement=r"$\lambda^*$ gives the minimum of (11) over $\lambda>0$",
        conditions="all products x_l y_l = 0 included"),
    stated("chefs.eq12", f"{PAPER}, Section 3.2.1, eq. (12), both sides a sum over coordinates, here one, L = 3",
        equal(*_factors(lambda e: e**2)) & (PRODUCTS(L, d) == 4 * L * d - 1),
        statement=r"$L^{-2}\sum_{i,j,l}(x_l^{(i)})^2(y_l^{(j)})^2=L^{-2}\sum_l(\sum_i(x_l^{(i)})^2)(\sum_i(y_l^{(i)})^2)$, in $O(Ld)$ operations",
        conditions="any vectors; a monomial has one x, one y and one coordinate, so L <= 3, d = 1 are all cases; lambda* then takes O(1)",
        prints=r"L^{-2} \sum_{i=1}^L \sum_{j=1}^L \sum_{l=1}^d (\mathbf{x}_l^{(i)})^2 (\mathbf{y}_l^{(j)})^2 = L^{-2} \sum_{l=1}^d \left(\sum_{i=1}^L (\mathbf{x}_l^{(i)})^2 \right) \left(\sum_{i=1}^L (\mathbf{y}_l^{(i)})^2 \right)"),
    proved_step("chefs.eq12/log", f"{PAPER}, Section 3.2.1, what the average (12) is exact for: the mean over pairs of log E Z^2",
        "chefs.3.1.averages", "chefs.3.1.averages/poisson", ProvedStep("chefs.thm3.4", "chefs.thm3.4/least"),
        statement=r"$\lambda^*$ at the average (12) minimises the mean over pairs of $\log\mathbb E\,Z^2$",
        conditions="any sets with x_l y_l != 0 for some pair and l"),
    stated("chefs.eq12/variance",
        f"{PAPER}, Section 3.2.1, the average (12), our reading: exact for the mean variance; d = 1, pairs with x y = 1/2 and 2, equal norms",
        _mean_poisson(sqrt(sympy.Rational(17, 8))) <= _mean_poisson(lam), expected=Decision.FAILS,
        differs="for two pairs with products 1/2 and 2 another rate has a smaller mean variance, in which large "
        "products weigh more; exact for the mean of the logarithms of the second moments",
        correction="chefs.eq12/log",
        prints="we can use the same homogeneity assumption as in Section 3.1 and substitute the average of",
        fault=Fault("reading", 1, "none: the text assumes pairs that are alike, and for the mean of the "
            "logarithms it is exact")))  # fmt: skip

GEOMETRIC = (
    Claim("chefs.3.2.geom", f"{PAPER}, Section 3.2.2",
        r"for $p_k=p(1-p)^k$, (10) is $f_{\rm geom}(\omega,x)=p^{-d/2}e^{-\|x\|^2/2}\prod_lx_l^{\omega_l}(1-p)^{-\omega_l/2}(\omega_l!)^{-1/2}$",
        "0 < p < 1",
        (Identity("one coordinate, count k, without the norm", _feature(p * (1 - p) ** _count),
            _x**_count * (1 - p) ** (-_count / sympy.S(2)) / sqrt(p * factorial(_count)),
            ({"k": 0, "x": "-3/2", "p": "1/4"}, {"k": 3, "x": "2/5", "p": "2/3"})),
            proof("k! p_k times the square of the printed factors is 1; both are positive",
                lambda power: sympy.simplify((1 - p) ** _count * (1 - p) ** (2 * _count * power)) == 1,
                -sympy.Rational(1, 2), ("exponent -k/2 -> -k", -sympy.S.One)),
            proof("the weights sum to 1", lambda ratio: sympy.simplify(p / (1 - ratio)) == 1, 1 - p, ("ratio p", p))),
        prints=r"f_{\text{geom}}(\omega, \mathbf{x}) = p^{-d/2} e^{-\|\mathbf{x}\|^2/2} \prod_{l=1}^d \mathbf{x}_l^{\omega_l} (1-p)^{-\omega_l/2} (\omega_l!)^{-1/2}"),
    stated("chefs.thm3.5", f"{PAPER}, Theorem 3.5, eq. (13), variance of one sample",
        formula("geometric_variance") == PRINTED_GEOMETRIC_VARIANCE, (p < 1,),
        also=(Derived("chefs.thm3.5"), Slow(SampledMean("squared error of GeomRF, p = 1/2, a zero and a negative coordinate",
                discrete_error("geometric", "0.5", *MIXED), discrete_law("geometric", "0.5", *MIXED), times(1.1),
                MILLION))),
        prints=r"p^{-d} e^{-\|\mathbf{x}\|^2 - \|\mathbf{y}\|^2} \prod_{l=1}^d I_0(2(1-p)^{-\frac{1}{2}} |\mathbf{x}_l \mathbf{y}_l|) - K(\mathbf{x}, \mathbf{y})^2"),
    stated("chefs.thm3.5/average",
        f"{PAPER}, Theorem 3.5: 'the variance of (2)', read as that of the average of M samples",
        formula("geometric_variance") / m == formula("geometric_variance"), (m >= 2,), expected=Decision.FAILS,
        differs="(13) is the variance of one sample, as its left side says; that of (2) is (13)/M",
        correction="chefs.thm3.5", prints="The variance of (2) with",
        fault=Fault("slip", 1, told_by="chefs.thm3.2/average")),
    stated("chefs.eq14", f"{PAPER}, Section 3.2.2, eq. (14), L = 3; d averages take as many operations as (12)",
        equal(*_factors(Abs)) & (PRODUCTS(L, d) == 4 * L * d - 1),
        statement=r"$L^{-2}\sum_{i,j}|x_l^{(i)}y_l^{(j)}|=L^{-2}(\sum_i|x_l^{(i)}|)(\sum_i|y_l^{(i)}|)$, $O(L)$ operations for each of the $d$ averages",
        conditions="any vectors; a term has one x and one y, so L <= 3 are all cases",
        prints=r"L^{-2} \sum_{i=1}^L \sum_{j=1}^L |\mathbf{x}_l^{(i)} \mathbf{y}_l^{(j)}| = L^{-2} \left(\sum_{i=1}^L |\mathbf{x}_l^{(i)}| \right) \left(\sum_{i=1}^L |\mathbf{y}_l^{(i)}| \right)"),
    stated("chefs.eq14/exact",
        f"{PAPER}, Section 3.2.2, (14) in place of |x_l y_l| in (13), our reading: exact for the mean of log E Z^2; products 1/10 and 3, where p = 0.37268 "
        "is best for their mean 31/20",
        Side(_mean_log_geometric(sympy.Rational("0.37268"))) <= _mean_log_geometric(sympy.Rational("0.365")),
        expected=Decision.FAILS,
        differs="log I_0 is not affine in |x_l y_l|, so for products 1/10 and 3 another p is better: a "
        "heuristic, exact if the products agree from pair to pair, unlike (8) and (12), which are exact for the "
        "mean of log E Z^2", correction="chefs.eq14", prints="we can use averages of ... assuming homogeneity of",
        fault=Fault("reading", 1, "none: the text assumes pairs that are alike"),
        statement=r"the $p$ that is best at the averages (14) minimises the mean over pairs of $\log\mathbb E\,Z^2$",
        conditions="pairs with different products; one coordinate"),
    stated("chefs.3.2.geom-cost", f"{PAPER}, Section 3.2.2, with (13) for (11)",
        (OBJECTIVE(d) == 3 * d + 1) & (L * M * (1 + N / d) * OBJECTIVE(d) + OPERATOR(L, d, M, N) <= 17 * L * M * (d + N)),
        statement=r"after the averages one value of (13) takes $O(d)$ operations, and $O(LM(1+n/d))$ values do not change the order of the total",
        conditions="a value of I_0 counts as one operation; every value of p in (0, 1) has a finite variance",
        prints="takes $O(d)$ time ... As long as the number of variance evaluations is $O(LM(1+n/d))$, the total complexity estimate is not affected"),
    stated("chefs.3.2.geom-cost/printed", f"{PAPER}, Section 3.2.2, with the printed equation number: (11) as the variance of geometric features",
        formula("geometric_variance") == PRINTED_POISSON_VARIANCE, expected=Decision.FAILS,
        differs="(11) is the variance of Poisson features and does not contain p; (13) is meant, here and in "
        "'evaluation of (11)' before it", correction="chefs.3.2.geom-cost",
        prints="A numerical optimization can be used to minimize (11) with respect to",
        fault=Fault("slip", 1, "none: the count of operations is that of (13)"),
        statement="numerical optimisation of (11) with respect to $p$",
        conditions="(11) is the variance of Poisson features; t the products x_l y_l, squares their squares, dot = x.y, norms = |x|^2 + |y|^2"))  # fmt: skip

SHIFT = (
    stated("chefs.3.2.shift", f"{PAPER}, Section 3.2.3, parts (a), (c), (d): a coordinate of (10), times the root of k!, without the norm, is positive at a positive entry; entries of the shifted "
        "vectors are at least eps, and their differences are as before",
        Side(_q**_count / sqrt(_law)) > 0,
        also=(
            proof("x - y does not change", lambda other: sympy.expand((_cx - _c) - (_cy - other) - (_cx - _cy)) == 0,
                _c, ("other shift of y", 2 * _c)),
            proof("an entry that exceeds the least one by T becomes T + eps",
                lambda margin: sympy.expand(_cx + _T - (_cx - _q) - margin) == _T, _q, ("without eps", 0)),
            finding(
                "the library's shift of vectors with entries of both signs: entries from eps on, distances as before",
                shifted_pair, 0.0, ("the minima themselves", 0.125))),
        statement=r"features of vectors with positive entries are positive; $\hat x=x-c$, $\hat y=y-c$ with $c_l=\min_i\min(x_l^{(i)},y_l^{(i)})-\epsilon$ have entries $\ge\epsilon>0$ and $K(\hat x,\hat y)=K(x,y)$",
        conditions="any law with all p_k > 0",
        prints=r"DIRFs are positive when all elements of \mathbf{x} and \mathbf{y} are positive ... $\hat{\mathbf{x}}^{(i)} - \hat{\mathbf{y}}^{(j)} = \mathbf{x}^{(i)} - \mathbf{y}^{(j)}$, $K(\hat{\mathbf{x}}^{(i)}, \hat{\mathbf{y}}^{(j)}) = K(\mathbf{x}^{(i)}, \mathbf{y}^{(j)})$"),
    stated("chefs.3.2.shift/softmax", f"{PAPER}, Section 3.2.3, our reading: the same shift for the softmax kernel",
        equal(exp((_cx - _c) * (_cy - _c)), exp(_cx * _cy)), expected=Decision.FAILS,
        differs="the shift keeps the Gaussian kernel, not the softmax kernel: at x = y = 0, c = -1 the latter "
        "goes from 1 to e. The factors exp(|x|^2/2), exp(|y|^2/2) have to be those of the original vectors",
        correction="chefs.3.2.shift",
        prints=r"$K(\hat{\mathbf{x}}^{(i)}, \hat{\mathbf{y}}^{(j)}) = K(\mathbf{x}^{(i)}, \mathbf{y}^{(j)})$ and "
        r"RFs can be used on",
        fault=Fault("reading", 1, "none: the text says it of the Gaussian kernel; for attention the factors of "
            "Section 2.1 are to be taken at the original vectors")))  # fmt: skip

CLAIMS = (*DEFINITION, *POISSON, *GEOMETRIC, *SHIFT)
