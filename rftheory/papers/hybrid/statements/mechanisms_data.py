"""The recipe of the clustered data, the protocols of the experiments, the baselines, and what can be recomputed of trained models."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from flint import arb
from scipy.special import ndtri

from rftheory.author import equal
from rftheory.exact.angular import r
from rftheory.exact.coupled_blocks import hadamard_fourth_moment
from rftheory.exact.enclosure import rational_ball
from rftheory.exact.hybrid import theta
from rftheory.exact.proof.rules import Rewrite, Sign
from rftheory.exact.symbols import k, z
from rftheory.papers.beyond.hybrid_errors import signs_law
from rftheory.papers.claim import Fault
from rftheory.papers.hybrid.notation import holds, points, said, same, step, undecided
from rftheory.papers.hybrid.recipes import (BLOCKS, Draws, angular_recipe, follows, nearest, pos,
    radical_inverse, two_means)  # fmt: skip
from rftheory.papers.hybrid.statements.clustered_data import clustered
from rftheory.papers.hybrid.statements.experiments import unbiased_partition
from rftheory.papers.hybrid.statistics import Pair, estimate_law, estimates, only_t, sampled_error
from rftheory.papers.simplex.statistics import estimate as estimate_of
from rftheory.papers.simplex.statistics import estimate_law as law_of
from rftheory.papers.statistics import MakeStatistic
from rftheory.sample import Mechanism, RandomFeatures, Stream, angular_hybrid, coupling
from rftheory.sample.stream import SHIFTS
from rftheory.statement.evidence import (Bench, Counterexample, Derived, Identity, Law, NotAtHand,
    ProvedStep, SampledMean, Shown, Slow, Statistic, times)  # fmt: skip

_PLANE = Pair("0.35", "0.35", "2.2", 2)

# ---- data and protocols ------------------------------------------------------------------------------------------------


def _least_losses(flips: tuple[int, ...]) -> list[float]:
    """The least real loss s = 2 sum(|x_k y_k| + x_k y_k) at the centres of the recipe, by the number of equal signs."""
    losses = []
    for count in flips:
        queries, keys = clustered(5, 0.0, count, 1.0, size=1)
        product = queries[0][0] * keys[0][0]
        losses.append(float(2 * np.sum(np.abs(product) + product)))
    return losses


def _signs_control(flips: tuple[int, ...]) -> bool:
    """s = 0 without equal signs, and it rises with their number."""
    losses = _least_losses(flips)
    return losses[0] < 1e-12 and all(a < b for a, b in itertools.pairwise(losses))


def _rotated(kind: str) -> bool:
    """Whether a matrix drawn for the centres keeps lengths: |O X_0| = |X_0| in R^50."""
    rng = np.random.default_rng(11)
    matrix, start = rng.normal(size=(50, 50)) / math.sqrt(50), rng.normal(size=50)
    rotation = np.linalg.qr(matrix)[0] if kind == "orthogonal" else matrix
    return same(np.array([np.linalg.norm(rotation @ start)]), np.array([np.linalg.norm(start)]))


def _found_clusters(spread: float) -> bool:
    """k-means with k = 2 finds the clusters of the recipe, and gives each point the nearest centre, three draws of the data."""
    for seed in (1, 2, 3):
        for side in clustered(seed, spread, 2, 1.0):
            points = np.concatenate(side)
            centres, own = two_means(points)
            half = len(points) // 2
            split = [set(own[:half]), set(own[half:])]
            if any(len(part) != 1 for part in split) or split[0] == split[1]:
                return False
            if [nearest(point, centres) for point in points] != own:
                return False
    return True


def _prescribed(change: str) -> bool:
    """Pairs in R^64 of length r at the prescribed angle, ends included."""
    for radius in ("1", "1.25", "1.5"):
        for corner in ("0", "0.1", "1.5707963267948966", "3", "3.141592653589793"):
            x, y = Pair(radius, radius, corner, 64).vectors()
            lengths = [math.hypot(*u) for u in (x, y)]
            product = math.fsum(float(a) * float(b) for a, b in zip(x, y, strict=True))
            cosine = math.cos(float(corner) * (2 if change == "2 theta" else 1))
            size = float(radius) * (1.1 if change == "length" else 1)
            if max(abs(length - size) for length in lengths) > 1e-12:
                return False
            if abs(product - size**2 * cosine) > 1e-12:
                return False
    return True


def _below_quantile(level: str, factor: float) -> SampledMean:
    """How many draws of P with m = 1 lie below the exact quantile e^-1 cosh(|x + y| z): they rise with |g|."""
    pair = Pair("1", "1", "2", 64)
    bound = math.exp(-1) * math.cosh(2 * math.cos(1.0) * float(ndtri((1 + float(level)) / 2)))

    def make(bench: Bench, stream: Stream) -> Statistic:
        draw = estimates(Mechanism("hyperbolic", "iid", 1), *pair.vectors())(bench, stream)
        return lambda blocks: bench.xp.astype(draw(blocks) < bound, bench.xp.float64)

    def law() -> Law:
        return Law.from_raw([arb(1), arb(level), arb(level)])

    return SampledMean(
        f"share of draws of P, m = 1, below the {level} quantile, {pair}", make, law, times(factor), 2**16
    )


PROTOCOLS = (
    holds("hybrid.mech.cluster-data", "H.3, the steps that are determined, as an algorithm",
        r"draw $X_0,Y_0\in\mathbb R^{50}$ and orthogonal $O_{i,j}$; means $O_{i,1}X_0$, $O_{i,2}Y_0$; signs adjusted to control $s$; normal points around the means; norms adjusted; k-means with $k=2$ on $x$ and on $y$",
        "with what the recipe leaves open chosen as in hybrid.fig6: normal X_0, Y_0, Haar rotations, length 1, "
        "spread 1/10",
        Shown("a rotation keeps the length of X_0", _rotated, "orthogonal", (("normal entries", "normal"),),
            covers="cases: the draws of the recipe"),
        Shown("the least loss s is 0 without entries of equal sign and rises with their number, 0 to 20",
            _signs_control, (0, 2, 5, 10, 20), (("their number falls", (20, 10, 5, 2, 0)),),
            covers="cases: 0 to 20 entries of equal sign"),
        Shown("k-means finds the clusters and ends where each point has the nearest centre", _found_clusters, 0.1,
            (("spread 5", 5.0),), covers="cases: the draws of the recipe"), finite=True),
    undecided("hybrid.mech.cluster-data/as-printed", "H.3",
        r"the recipe determines the law of the four data sets of Figure 6 and Table 3",
        "d = 50, 1000 points a cluster",
        NotAtHand("the law of X_0, Y_0 and of the rotations, the lengths and the adjusted signs, which the paper does not give"),
        reason="the law of X_0, Y_0 and of the rotations, the lengths and the adjusted signs are not given"),
    holds("hybrid.mech.pointwise", "Figures 2 and 5, as a protocol",
        r"pairs in $\mathbb R^{64}$ of common length $r$ and prescribed angle; estimates, their quantiles 5% and 95%, and the empirical relative error",
        "well posed for every r > 0 and theta in [0, pi], as d >= 2; the empirical squared relative error is "
        "unbiased for MSE/SM^2, its root below the relative error on average",
        Shown("pairs of length 1, 5/4, 3/2 at five angles, 0 and pi among them, within 1e-12", _prescribed, "",
            (("the double angle", "2 theta"), ("another length", "length"))),
        Identity("y = r (cos theta, sin theta, 0, ...) has the length r and the angle theta with r e_1",
            (r * sympy.cos(theta)) ** 2 + (r * sympy.sin(theta)) ** 2, r**2, points((1, "1/3"), (2, 3), names="r theta"),
            by=Rewrite()),
        Derived("lemma.linearity"), Derived("lemma.cauchy_schwarz_means"),
        _below_quantile("0.05", 1.3), _below_quantile("0.95", 0.98),
        Slow(sampled_error("T in the protocol of Figure 2, m = 8", Mechanism("trigonometric", "iid", 8),
            Pair("1", "1", "2", 64), 8, only_t, blocks=2**17))))  # fmt: skip

# ---- baselines ---------------------------------------------------------------------------------------------------------


def _orthogonal_rows(name: str) -> bool:
    """The directions of a block of eight in R^8 are orthonormal."""
    rows = coupling(name).draw(Stream(5), range(2), 8, 8, xp=np).directions
    return all(same(block @ block.T, np.eye(8)) for block in np.asarray(rows))


def _halton(change: str) -> bool:
    """The points of Halton-R: radical inverses in the first primes, shifted modulo 1 by one uniform vector a block, made normal."""
    stream, m, bases = Stream(13), 9, (2, 3, 5)
    if change == "bases":
        bases = (3, 2, 5)
    start = 1 if change == "from index 1" else 0
    points = np.array([[radical_inverse(i, b) for b in bases] for i in range(start, start + m)])
    shifts = np.asarray(stream.uniforms(BLOCKS, 3, SHIFTS, np))
    drawn = coupling("halton").draw(stream, BLOCKS, 3, m, xp=np).projections
    for block, shift in zip(drawn, shifts, strict=True):
        moved = points if change == "no shift" else (points + shift) % 1.0
        if not same(block, ndtri(np.clip(moved, 2.0**-54, 1 - 2.0**-53))):
            return False
    return True


def _one_of(name: str, index: int, length: float, d: int) -> MakeStatistic:
    """cos(w z) for one projection w of a block, along a diagonal of R^d."""

    def make(bench: Bench, stream: Stream) -> Statistic:
        def statistic(blocks: range) -> Any:
            w = coupling(name).draw(stream, blocks, d, index + 1, xp=bench.xp).projections[:, index, :]
            return bench.xp.cos(length / math.sqrt(d) * bench.xp.sum(w, axis=-1))

        return statistic

    return make


BASELINES = (
    step("hybrid.mech.baselines/ORF-reg", "Section 4.1, by citation", "hybrid.lem2.2",
        Slow(ProvedStep("hybrid.lem2.2", "hybrid.lem2.2/mean T")), Slow(ProvedStep("hybrid.lem2.2", "hybrid.lem2.2/mean P")),
        statement=r"ORF-reg: orthogonal projections with Haar directions and $\chi_d$ norms; each is $\mathcal N(0,I_d)$, so that $T$ and $P$ stay unbiased",
        conditions="blocks of at most d projections",
        also=(Shown("rows of a block, d = 8", _orthogonal_rows, "orthogonal", (("independent rows", "iid"),)), Slow(SampledMean("mean of T, four orthogonal projections, d = 4, |x - y| = 1",
            estimate_of("trigonometric", "orthogonal", 4, 4, "1"), law_of("trigonometric", "orthogonal", 4, 4, "1"),
            times(1.05), 2**16)))),
    said("hybrid.mech.baselines/ORF-Had", "Section 4.1, by citation: E cos(w.(x - y)) at d = 2 for x - y along an axis, where u_1^2 = 1/2 always",
        equal(sympy.Sum((-1) ** k * sympy.factorial(k) * z ** (2 * k) / sympy.factorial(2 * k), (k, 0, sympy.oo)), sympy.exp(-(z**2) / 2)),
        over=z > 0,
        also=(Counterexample("d = 2: E u_1^4 of a row, on which E cos(w.z) depends in the order |z|^4, against 3/(d(d + 2)) of an isotropic direction, exact over all signs",
            left=lambda: rational_ball(hadamard_fourth_moment(2, 3)), right=lambda: rational_ball(Fraction(3, 8)),
            violated="<", correct=lambda: rational_ball(Fraction(1, 4))),),
        statement=r"ORF-Had: orthogonal projections from products of three matrices $HD_i$ leave $T$ and $P$ unbiased",
        conditions="d = 2^i, random signs D_i, chi norms, vectors along an axis",
        differs="the rows are orthogonal, but not isotropic: in d = 2 every row has u_1^2 = 1/2, so E u_1^4 = 1/4 "
        "for 3/8, and E cos(w.z) is not exp(-|z|^2/2). Haar rotations are unbiased", correction="hybrid.mech.baselines/ORF-reg",
        prints="regular variant ORF-reg as well as the one applying Hadamard matrices ORF-Had",
        fault=Fault("reading", 1,
            "none: the variant is a baseline; 'all estimators considered in this paper are unbiased' (Section 1) is "
            "said of the estimators that the source studies")),
    step("hybrid.mech.baselines/Halton-R", "Section 4.1, by citation", "hybrid.lem2.2",
        Slow(ProvedStep("hybrid.lem2.2", "hybrid.lem2.2/mean T")),
        statement=r"Halton-R: Halton points shifted modulo 1 by one uniform vector; each projection is $\mathcal N(0,I_d)$, so that $T$ and $P$ stay unbiased",
        conditions="the randomisation read as a shift (Cranley and Patterson), as the print names none",
        also=(Shown("nine points in R^3, the sampler against radical inverses and its shift, draw by draw", _halton, "",
            (("no shift", "no shift"), ("from index 1", "from index 1"), ("other bases", "bases"))), Slow(SampledMean("mean of cos w.z, fifth point of Halton-R, d = 3, |z| = 1", _one_of("halton", 4, 1.0, 3),
            law_of("trigonometric", "iid", 3, 1, "1"), times(1.05), 2**16)))),
    step("hybrid.mech.baselines/HRF", "Section 4.1, by citation", "hybrid.eq8",
        statement=r"HRF-iid and HRF-ort: the angular hybrid with independent projections, and with orthogonal ones inside each of $P$, $T$ and $\hat\lambda$, are unbiased",
        conditions="P, T and the coefficient on projections of their own",
        also=(follows("HRF-ort, m = 3, n = 4, d = 3", lambda d: angular_hybrid(3, 4, coupling="orthogonal"), lambda draw, x,
            y, change: angular_recipe(draw, x, y, change, name="iid" if change == "iid" else "orthogonal"), "",
            ("independent projections", "iid"), ("the weights of P and T exchanged", "swapped"), dims=(2, 3)), Slow(SampledMean(f"mean of HRF-ort, m = 1, n = 2, {_PLANE}",
            estimates(angular_hybrid(1, 2, coupling="orthogonal"), *_PLANE.vectors()),
            estimate_law(_PLANE, 1, signs_law(_PLANE.theta)), times(1.05), 2**17)))))  # fmt: skip

# ---- sampled softmax and attention -----------------------------------------------------------------------------------


def _unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


_QUERIES = _unit(np.array([[1.0, 0.2, -0.4], [-0.3, 1.0, 0.5]]))
_CLASSES = np.array([[2.0, 0.5, 0.1], [-1.0, 0.4, 0.3], [0.2, -1.5, 0.6], [-0.4, -0.8, -1.0]])


def _probabilities(estimator: RandomFeatures) -> np.ndarray:
    """Estimated softmax probabilities of the classes, one block after the other, (B, queries, classes)."""
    values = estimator.gram(Stream(9), range(256), _QUERIES, _unit(_CLASSES), "softmax")
    return np.asarray(values / np.sum(values, axis=-1, keepdims=True))


def _is_distribution(kind: str) -> bool:
    """Whether the estimated values of all classes are a distribution in each of 256 draws, m = 2."""
    estimator = angular_hybrid(2, 2) if kind == "angular" else Mechanism(kind, "iid", 2)
    found = _probabilities(estimator)
    return bool(np.all(found >= 0)) and same(found.sum(axis=-1), np.ones(found.shape[:2]))


def _partition(weights: str) -> bool:
    """The mean of e^(o_j)/q_j over classes drawn from the estimate q is the sum of the e^(o_j), unnormalised logits o."""
    drawn = _probabilities(Mechanism("hyperbolic", "iid", 2))
    logits = np.exp(_QUERIES @ _CLASSES.T)
    exact = np.exp(_QUERIES @ _unit(_CLASSES).T)
    exact /= exact.sum(axis=-1, keepdims=True)
    used = {"estimated": drawn, "exact": exact, "none": np.ones_like(drawn)}[weights]
    means = np.sum(drawn * logits / used, axis=-1)
    return same(means, np.broadcast_to(logits.sum(axis=-1), means.shape))


_wave = sympy.pi / 2 / (2 * sympy.sin(theta / 2)) / sympy.sqrt(2)
_NEGATIVE = (1 - theta / sympy.pi) * (sympy.erfc(_wave) - sympy.erfc(3 * _wave))
"""Probability that the angular hybrid with m = n = 1 is negative at |x| = |y| = 1, at least: T < 0 where the weight of P is 0."""


def _implicit(change: str) -> bool:
    """Attention from the feature maps, never forming the matrix, against rows of the recipe's matrix; m = 3, n = 4, d = 3."""
    values = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [0.5, 0.5]])
    keys, stream = _unit(_CLASSES), Stream(21)
    hybrid = angular_hybrid(3, 4)
    left, right = hybrid.features(stream, range(1), _QUERIES, keys, "softmax", via="matrix")
    phi, psi = (
        np.asarray(np.exp(t.log_scale) * (1.0 if t.factor is None else t.factor))[0] for t in (left, right)
    )
    sums, sizes = psi @ values, psi.sum(axis=1)
    found = (phi.T @ sums) / (phi.T @ sizes)[:, None]
    draw = Draws(stream, 0)
    matrix = angular_recipe(draw, _QUERIES, keys, change)
    if change == "positive map":
        matrix = pos(_QUERIES, keys, draw("base 0", 3, 3))
    if change == "not normalised":
        return same(found, matrix @ values)
    return same(found, matrix @ values / matrix.sum(axis=1, keepdims=True))


_inner = sympy.Symbol("inner", real=True)
_first, _others = sympy.symbols("first others", positive=True)
"""An inner product; the estimate of one class, and the sum of those of the others."""

TRAINED = (
    undecided("hybrid.mech.softmax-sampling", "Appendix I.1",
        r"sampled softmax with 40 negatives drawn from the estimated softmax distribution on normalised embeddings, loss with unnormalised embeddings; baselines: uniform and exact softmax sampling",
        "LSTM on Penn Tree Bank", NotAtHand("the trained models of the softmax-sampling experiment"),
        reason="the outcome rests on training runs that are not at hand; what can be recomputed is judged in hybrid.mech.softmax-sampling/distribution and /partition"),
    said("hybrid.mech.softmax-sampling/distribution",
        "Appendix I.1, the step that draws the negatives: an estimate of the angular hybrid, m = n = 1, is never "
        "negative, |x| = |y| = 1",
        equal(_NEGATIVE, 0), (theta > 0, theta < sympy.pi),
        also=(Shown("256 draws of the angular hybrid, m = n = 2, two queries, four classes of length 1: some are negative",
            _is_distribution, "angular", (("positive features", "hyperbolic"),)),),
        differs="the source does not say so, nor what is done otherwise. A distribution needs estimates that are not "
        "negative, as those of positive features are. An estimate of the angular hybrid is negative with probability 0.069 at least at |x| = |y| = theta = m = n = "
        "1, and no step for that case is printed", correction="hybrid.mech.softmax-sampling/positive",
        prints="We sampled 40 negative (other than true) classes out of 10000 classes to approximate the expected "
        "loss in each training epoch",
        fault=Fault("reading", 1, "none can be drawn: how negative estimates, by Table 4 15 % of those of the hybrids, "
        "were treated in Figure 10 is not said"),
        statement="the estimated softmax values of the classes, by any of the random features compared, are a distribution from which negatives can be drawn",
        conditions="trigonometric features and the hybrids, which contain them"),
    holds("hybrid.mech.softmax-sampling/positive",
        "Appendix I.1, the step that draws the negatives, positive features",
        r"the values $P_m(x,y_j)$, divided by their sum, are a distribution over the classes",
        "a mean of hyperbolic cosines is at least 1, so that every estimate is at least exp(-(|x|^2 + |y|^2)/2)",
        Shown("256 draws, m = 2, two queries and four classes of length 1", _is_distribution, "hyperbolic",
            (("T", "trigonometric"), ("angular hybrid", "angular"))),
        Identity("each feature is positive", sympy.exp(_inner), sympy.S.Zero, points((0,), ("-7/2",), names="inner"),
        ">",
            by=Sign()),
        Identity("and the shares sum to 1", _first / (_first + _others) + _others / (_first + _others), sympy.S.One,
            points((1, 2), ("1/3", 5), names="first others"), by=Rewrite())),
    holds("hybrid.mech.softmax-sampling/partition", "Appendix I.1, the step that computes the loss",
        r"with negatives drawn from the estimated distribution $q$ on normalised embeddings, $\frac1k\sum e^{o_j}/q_j$ with the logits $o_j$ of unnormalised ones is unbiased for the partition function",
        "q_j > 0, as for positive features, and the probabilities q_j of the draw in the correction, not those of "
        "the exact softmax; the loss, its logarithm, is biased (hybrid.eq105/unbiased)",
        Shown("mean over four classes, 256 estimated distributions", _partition, "estimated",
            (("exact softmax probabilities", "exact"), ("no correction", "none"))),
        Shown("mean over three classes, symbolically", unbiased_partition, 1, (("1/q^2", 2), ("no weights", 0)),
            covers="domain: in symbols, each class a term of its own")),
    step("hybrid.mech.hybrid-attention", "Sections 4.3, 4.4, the attention itself", "lemma.associative",
        statement=r"HRF feature maps in place of the positive map in implicit attention: $\Psi_1(Q)(\Psi_2(K)^\top V)$ over $\Psi_1(Q)(\Psi_2(K)^\top1)$ is attention with the matrix of the hybrid's estimates",
        conditions="queries and keys of length 1 as in robotics; the matrix is unbiased, the quotient is not claimed to be; "
        "it needs a sum of estimates that does not vanish",
        also=(Shown(
            "angular hybrid, m = 3, n = 4, two queries and four keys: the sampler's maps against the recipe's matrix",
            _implicit, "",
            (("the positive map", "positive map"), ("the weights of P and T exchanged", "swapped"),
                ("without the normaliser", "not normalised"))),)),
    said("hybrid.mech.hybrid-attention/convex",
        "Sections 4.3, 4.4, 'in place of the positive map', read as: the weights stay nonnegative; angular hybrid, "
        "m = n = 1, |q| = |k| = 1",
        equal(_NEGATIVE, 0), (theta > 0, theta < sympy.pi),
        differs="the source does not say so. A weight of the hybrid is negative with probability 0.069 at least at "
        "|q| = |k| = theta = m = n = 1, and the sum of a row may vanish, so that the quotient need not exist. With "
        "positive features, or HRF-C with real A, all weights are positive",
        correction="hybrid.mech.softmax-sampling/positive",
        prints="In the former, HRFs are applied as a replacement of the default mechanism using positive random "
        "features", fault=Fault("reading", 1, "none: the source does not say that the weights stay positive"),
        statement="as with the positive map, the rows of the attention are convex combinations of the values",
        conditions="read as the property for which the positive map is used in implicit attention"),
    undecided("hybrid.mech.hybrid-attention/training", "Sections 4.3, 4.4",
        r"HRF-C: clusters by k-means after the first 1000 training steps, then frozen, $A$ minimising (21)",
        "trained Conformers and policies; the map for given centres is hybrid.mech.cluster-real",
        NotAtHand("the trained Conformers and robot policies"),
        reason="the queries and keys that are clustered come from training runs that are not at hand"))  # fmt: skip

CLAIMS = (*PROTOCOLS, *BASELINES, *TRAINED)
