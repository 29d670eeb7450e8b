"""Claims of Appendices H.1 and H.3: synthetic clustered data, Figure 6 and Table 3."""

from __future__ import annotations

import numpy as np
import sympy
from sympy import exp

from rftheory.author import equal, for_some, table
from rftheory.papers.claim import Fault
from rftheory.papers.hybrid.notation import holds, said, undecided
from rftheory.printed import HYBRID_FEATURES, HYBRID_TABLE_3
from rftheory.statement.evidence import Derived, NotAtHand, Shown

Clusters = list[np.ndarray]

_DATA_LAW = "the law of X_0, Y_0 and of the points around the means, which the source does not state"


def clustered(
    seed: int, spread: float, flips: int, length: float, size: int = 60
) -> tuple[Clusters, Clusters]:
    """The recipe of H.3 with what it leaves open chosen: normal X_0, Y_0, Haar rotations, signs opposite but for ``flips`` entries.

    Two clusters of queries and two of keys in R^50, all points of one length.
    """
    rng, d = np.random.default_rng(seed), 50

    def rotation() -> np.ndarray:
        return np.asarray(np.linalg.qr(rng.normal(size=(d, d)))[0])

    first, second = rng.normal(size=d), rng.normal(size=d)
    queries = [np.abs(rotation() @ first) for _ in range(2)]
    keys = [-np.abs(rotation() @ second) for _ in range(2)]
    for key in keys:
        key[:flips] *= -1

    def around(centre: np.ndarray) -> np.ndarray:
        data = centre + spread * rng.normal(size=(size, d))
        return np.asarray(length * data / np.linalg.norm(data, axis=1, keepdims=True))

    return [around(c) for c in queries], [around(c) for c in keys]


def cluster_log_errors(queries: Clusters, keys: Clusters) -> tuple[float, float, float]:
    """Logarithms of the mean exact MSE times the number of features: cluster hybrid with (88), P, and T."""
    parts: list[list[float]] = [[], [], []]
    for x in queries:
        for y in keys:
            a = np.sqrt(np.abs(y.mean(axis=0) / x.mean(axis=0)))
            dot = x @ y.T
            norms = np.sum(x * x, axis=1)[:, None] + np.sum(y * y, axis=1)[None, :]
            scaled = np.sum((a * x) ** 2, axis=1)[:, None] + np.sum((y / a) ** 2, axis=1)[None, :]
            for errors, log in zip(
                parts,
                (
                    _log_expm1(scaled + 2 * dot),
                    _log_two_sides(norms + 2 * dot),
                    _log_two_sides(norms - 2 * dot),
                ),
                strict=True,
            ):
                errors.append(float(np.logaddexp.reduce((2 * dot + log).ravel())) - np.log(dot.size))
    return tuple(float(np.logaddexp.reduce(errors)) for errors in parts)  # type: ignore[return-value]


def _log_expm1(loss: np.ndarray) -> np.ndarray:
    """log(exp(loss) - 1)."""
    return np.asarray(loss + np.log(-np.expm1(-loss)))


def _log_two_sides(square: np.ndarray) -> np.ndarray:
    """log(2 (cosh(square) - 1)), twice because two features go with a projection."""
    return np.asarray(square + 2 * np.log(-np.expm1(-square)))


def _cluster_gain(spread: float) -> bool:
    """The cluster hybrid below P and T at the same number of features: three seeds, s = 0 and s > 0, length 1."""
    for seed in (1, 2, 3):
        for flips in (0, 2, 5):
            hybrid, positive, trigonometric = cluster_log_errors(*clustered(seed, spread, flips, 1.0))
            if hybrid >= min(positive, trigonometric):
                return False
    return True


_METHODS = ("Hybrid-Cluster", "FAVOR+", "Trigonometric")
_ERROR = table(
    "hybrid Table 3",
    HYBRID_TABLE_3,
    tuple(HYBRID_TABLE_3),
    _METHODS,
    tuple(map(str, HYBRID_FEATURES)),
    ("min", "max"),
)
_NUMBER = table("features in hybrid Table 3", HYBRID_FEATURES, tuple(map(str, HYBRID_FEATURES)))
_i, _j, _k, _l = sympy.symbols("i j k l", integer=True, positive=True)
"""A data set, a method, and two columns."""


def _least(end: str) -> sympy.Expr:
    """The smaller of the ends of the other two methods."""
    return sympy.Min(*(_ERROR(_i, method, _k, end).expression for method in _METHODS[1:]), evaluate=False)


_square, _below = sympy.Symbol("v2", positive=True), sympy.Symbol("t", real=True)

CLAIMS = (
    holds("hybrid.fig6", "H.1, Figure 6, concentrated clusters, with data of our choice where the recipe leaves it open",
        r"HRF estimators adapted to clustered data provide accuracy gains over FAVOR+ and trigonometric features",
        "exact MSE, averaged over the data of the recipe with normal X_0, Y_0, Haar rotations, length 1, spread "
        "1/10 of the centres' entries, s = 0 and s > 0, three draws of the data, known clusters",
        Shown("cluster hybrid with (88) below P and T at the same number of features", _cluster_gain, 0.1,
            (("spread 1", 1.0),), covers="cases: three draws of the data"), finite=True),
    undecided("hybrid.fig6/spread", "H.1, Figure 6, less concentrated clusters",
        r"for all variants HRF estimators adapted to clustered data consistently provide notable accuracy gains, even for larger values of $s$ and less concentrated clusters",
        "the same with spread 1, the value printed in Table 3", NotAtHand(_DATA_LAW),
        reason=f"rests on {_DATA_LAW}. With normal X_0, Y_0 and spread 1 of our own choice the exact mean MSE of the cluster hybrid is above those of P and T: the loss of a "
        "point off the centres grows with a_k^2 and 1/a_k^2, which (88) makes large where one centre has a small "
        "entry; exp(loss) then dominates the mean, though so rarely "
        "drawn that an empirical MSE does not show it"),
    said("hybrid.fig6/equal-entries", "H.1, Figure 6, for all variants",
        exp(_square) - 1 < 2 * (sympy.cosh(_square) - 1),
        differs="the source speaks of its four data sets. That a small s is enough would be wrong: for centres with "
        "|x_k| = |y_k| (88) gives A = I, a positive estimator without mirror images, which is worse than P with as "
        "many features for every s (0.105 against 0.010 for M times the relative MSE at s = 1/10). There is a gain "
        "where P and T are bad at the centres", correction="hybrid.fig6/criterion",
        prints="for all variants HRF estimators adapted to clustered data consistently provide notable accuracy "
        "gains, even for larger values of s and less concentrated clusters",
        fault=Fault("reading", 1, "none: the variants of the source are its four data sets; a small s alone does "
        "not bring the gain")),
    said("hybrid.fig6/criterion",
        "ours: the same number of features, 2 projections of CE for one of P and T; with a loss t below the threshold "
        "the errors at the centres differ by the right side, and the loss v^2 of A = I is above the threshold",
        equal(exp(-_below) * (2 * sympy.cosh(_square) - 1) - 1 - 2 * (sympy.cosh(_square) - 1),
            -(1 - exp(-_below)) * (2 * sympy.cosh(_square) - 1))
        & equal(exp(_square) - (2 * sympy.cosh(_square) - 1), 1 - exp(-_square)),
        also=(Derived("hybrid.eq17"), Derived("hybrid.lem2.2")), entry="hybrid.fig6",
        statement=r"with the same number of features the cluster hybrid beats $P$ at the centres iff $l(A)<\log(2\cosh v^2-1)$, $v=\|x+y\|$, and $T$ iff $l(A)<\log(2\cosh\delta^2-1)$, $\delta=\|x-y\|$; for $A=I$ never $P$",
        conditions="M features: M projections of the CE estimator, M/2 of P and T; v2 = v^2"),
    said("hybrid.fig6/monotone", "H.3, Table 3: the printed maxima rise somewhere, in every data set",
        for_some(_k, _ERROR(_i, "FAVOR+", _k + 1, "max") > _ERROR(_i, "FAVOR+", _k, "max"), 1, 6),
        statement=r"the empirical error of FAVOR+ is not perfectly monotonic in $m$",
        conditions="the printed table (the exact MSE falls as 1/m; an empirical one has heavy tails)"),
    undecided("hybrid.table3", "Table 3", r"intervals of the empirical MSE over 20 repetitions on four data sets",
        "d = 50, 1000 points a cluster",
        NotAtHand("the law of X_0, Y_0 and of the rotations, the norms and the adjustments of signs are not given"),
        reason="the recipe leaves the data open (law of X_0, Y_0 and of the rotations, norms, signs, one sigma)"),
    said("hybrid.table3/minima", "Table 3", _ERROR(_i, "Hybrid-Cluster", _k, "min") <= _least("min"),
        statement=r"the least empirical MSE of Hybrid-Cluster is at most that of FAVOR+ and Trigonometric in every row",
        conditions="the printed minima, as rounded; 27 of 28 are smaller, on s_2 with 150 features that of Trigonometric is "
        "the same, 0.0004"),
    said("hybrid.table3/maxima", "Table 3 with H.1, 'consistently'", _ERROR(_i, "Hybrid-Cluster", _k, "max") <= _least("max"),
        differs="of the 28 printed maxima one is not below those of the others: on s_4 with 80 features that of "
        "Hybrid-Cluster is 0.0113, that of Trigonometric 0.0110. The source says 'consistently' of the averages",
        correction="hybrid.table3/minima",
        prints="for all variants HRF estimators adapted to clustered data consistently provide notable accuracy "
        "gains",
        fault=Fault("reading", 1, "none: the sentence is about the averages of Figure 6, and 27 of the 28 maxima "
        "agree with it"),
        statement=r"the largest empirical MSE of Hybrid-Cluster is at most that of FAVOR+ and Trigonometric in every row",
        conditions="the printed maxima"),
    said("hybrid.table3/rate", "Table 3: the largest of the minima times M is at most the least of the maxima times M",
        _ERROR(_i, _j, _k, "min") * _NUMBER(_k) <= _ERROR(_i, _j, _l, "max") * _NUMBER(_l),
        statement=r"the printed intervals agree with the exact law $\mathrm{MSE}=c/M$ in the number $M$ of features, for every method and data set",
        conditions="one c per row whose c/M lies in all seven intervals"))  # fmt: skip
