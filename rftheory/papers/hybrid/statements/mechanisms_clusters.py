"""The mechanisms for clustered data: estimators for a pair of centres, and mixtures of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from sympy import Symbol, sqrt

from rftheory.papers.claim import Fault
from rftheory.papers.hybrid.notation import said, same, step
from rftheory.papers.hybrid.recipes import (Draws, centre_diagonal, cexp, combined, follows, nearest, pos,
    squares, trig)  # fmt: skip
from rftheory.papers.hybrid.statistics import (base_moments, cexp_estimate_law, cexp_moments, combined_law,
    estimates, sampled_cexp, window_moments)  # fmt: skip
from rftheory.sample import Mechanism, Stream, feature_map, gaussian_mixture, zero_one_mixture
from rftheory.sample.clusters import centre_matrix
from rftheory.sample.exponential import ComplexExponential
from rftheory.statement.evidence import Derived, Law, SampledMean, Shown, Slow, times
from rftheory.statement.words import Side

# ---- clusters ----------------------------------------------------------------------------------------------------

_CENTRE, _KEY = np.array([1.0, -0.5, 0.0]), np.array([0.5, 0.75, 0.0])
"""A pair of centres with entries of equal and of opposite sign, and a coordinate that vanishes in both."""

_CENTRES = np.array([[1.0, -0.5, 0.25], [-1.0, 0.75, 0.5]])
_KEYS = np.array([[0.5, 0.75, 0.5], [0.25, 1.0, -0.5]])
_SHIFTS = np.array([[0.0, 0.0, 0.0], [0.1, -0.2, 0.05], [-0.05, 0.1, 0.2]])


def _near(d: int) -> tuple[np.ndarray, np.ndarray]:
    """The pair of centres and points around them."""
    return _CENTRE + _SHIFTS, _KEY - _SHIFTS


def _around(d: int) -> tuple[np.ndarray, np.ndarray]:
    """Points around both centres of either side."""
    return np.concatenate((_CENTRES, _CENTRES + 0.1)), np.concatenate((_KEYS, _KEYS - 0.05))


def _cluster_check(real: bool, stated: str, *wrong: tuple[str, str]) -> Shown:
    """One CE estimator with the diagonal of a pair of centres, one entry of either sign and one zero in both."""

    def recipe(draw: Draws, x: np.ndarray, y: np.ndarray, change: str) -> np.ndarray:
        a = centre_diagonal(_CENTRE, _KEY, "" if change == "norms" else change)
        return cexp(x, y, draw("", 3, 4), a, norms=change == "norms").real

    matrix = centre_matrix(_CENTRE, _KEY, real=real)
    return follows(
        f"CE estimator for two centres, {'real' if real else 'complex'} diagonal",
        lambda d: Mechanism(ComplexExponential(matrix), "iid", 4),
        recipe,
        stated,
        *wrong,
        dims=(3,),
        data=_near,
    )


def _exact_at_centres(kind: str) -> bool:
    """Whether every draw at the centres is SM: centres without a coordinate that vanishes in one of them alone."""
    x, y = _CENTRE, _KEY
    a = centre_matrix(x, y, real=kind == "real")
    found = Mechanism(ComplexExponential(a), "iid", 2).estimate(Stream(3), range(64), x, y, "softmax")
    return same(found, np.full(64, math.exp(float(x @ y))))


def _single_zeros(real: bool) -> Callable[[tuple[bool, bool]], bool]:
    """Whether the sampler's entries where one of two centres vanishes are large (x), and small (y), and not 0."""

    def test(sizes: tuple[bool, bool]) -> bool:
        entries = np.diag(centre_matrix(np.array([0.0, 1.0]), np.array([1.0, 0.0]), real=real))
        large, small = abs(entries[0]) >= 100, 0 < abs(entries[1]) <= 0.01
        return (bool(large), bool(small)) == sizes

    return test


_TAU = 1.5


def _gauss_mixture_recipe(draw: Draws, x: np.ndarray, y: np.ndarray, change: str) -> np.ndarray:
    """(97)-(100) with real diagonal A: coefficients (95), (96) with projections of their own, P as default."""
    lambdas, bases, tau = [], [], _TAU**2 if change == "tau^2" else _TAU
    for i, first in enumerate(_CENTRES):
        for j, second in enumerate(_KEYS):
            k = 2 * i + j
            a = centre_diagonal(first, second, "real")
            u, v = x @ a / tau, y @ np.linalg.inv(a) / tau
            damping = np.exp(-(squares(u)[:, None] + squares(v)[None, :]))
            path = f"base {k}" if change == "projections of the bases" else f"coefficient {k}"
            sign = 1 if change == "+y" else -1
            waves = np.exp((u[:, None, :] + sign * v[None, :, :]) @ draw(path, 3, 4).T)
            lambdas.append(damping * waves.mean(axis=-1))
            bases.append(cexp(x, y, draw(f"base {k}", 3, 4), a).real)
    default = pos(x, y, draw("base 4", 3, 4))
    return combined(lambdas, [*bases, default])


def _norm_mixture_recipe(draw: Draws, x: np.ndarray, y: np.ndarray, change: str) -> np.ndarray:
    """The same with complex A: exp(-|A x + A^-1 y|^2/(2 tau^2)), the norm of C^d as that of R^(2d), by P."""
    lambdas, bases = [], []
    for i, first in enumerate(_CENTRES):
        for j, second in enumerate(_KEYS):
            k = 2 * i + j
            a = centre_diagonal(first, second)
            stacked = [np.hstack((z.real, z.imag)) / _TAU for z in (x @ a, y @ np.linalg.inv(a))]
            u, v = stacked[0], stacked[1] * (1 if change == "+y" else -1)
            if change == "real part":
                u, v = u[:, :3], v[:, :3]
            w = draw(f"coefficient {k}", u.shape[1], 4)
            damping = np.exp(-(squares(u)[:, None] + squares(v)[None, :]) / 2)
            lambdas.append(damping * pos(u, v, w))
            bases.append(cexp(x, y, draw(f"base {k}", 3, 4), a).real)
    return combined(lambdas, [*bases, pos(x, y, draw("base 4", 3, 4))])


def _zero_one_recipe(pairs: tuple[tuple[int, int], ...], default: bool) -> Any:
    """(101)-(104): the CE estimator of the pair of clusters to which x and y belong, or the default one."""

    def recipe(draw: Draws, x: np.ndarray, y: np.ndarray, change: str) -> np.ndarray:
        found = np.zeros((len(x), len(y)))
        for i, u in enumerate(x):
            for j, v in enumerate(y):
                own = (nearest(u, _CENTRES), nearest(v, _KEYS))
                if change == "clusters exchanged":
                    own = (own[1], own[0])
                one, other = u[None, :], v[None, :]
                if own in pairs:
                    number = pairs.index(own)
                    kind = "real, inverse" if change == "inverse of (88)" else "real"
                    a = centre_diagonal(_CENTRES[own[0]], _KEYS[own[1]], kind)
                    found[i, j] = cexp(one, other, draw(f"base {number}", 3, 4), a).real[0, 0]
                elif default:
                    w = draw(f"base {len(pairs)}", 3, 4)
                    rest = trig if change == "T for P" else pos
                    found[i, j] = rest(one, other, w)[0, 0]
        return found

    return recipe


_EVERY = ((0, 0), (0, 1), (1, 0), (1, 1))


def _massive(count: int) -> bool:
    """The two most massive pairs of clusters (most pairs of points) cover at least ``count`` of 70 pairs, 7 queries, 10 keys."""
    queries = np.concatenate([np.tile(_CENTRES[0], (5, 1)), np.tile(_CENTRES[1], (2, 1))])
    keys = np.concatenate([np.tile(_KEYS[0], (3, 1)), np.tile(_KEYS[1], (7, 1))])
    sizes = [[nearest(z, c) for z in side] for side, c in ((queries, _CENTRES), (keys, _KEYS))]
    masses = {(i, j): sizes[0].count(i) * sizes[1].count(j) for i, j in _EVERY}
    chosen = sorted(masses, key=masses.__getitem__, reverse=True)[:2]
    hybrid = zero_one_mixture(_CENTRES, _KEYS, 2, pairs=chosen)
    stream = Stream(1)
    covered = sum(weight.gram(stream, range(1), queries, keys).sum() for weight in hybrid.coefficients)
    return bool(covered == masses[chosen[0]] + masses[chosen[1]] and covered >= count)


_GAUSS_X, _GAUSS_Y = ("1/5", "-3/10"), ("3/10", "1/10")
_GAUSS_CENTRES = np.array([[1.0, -1.0], [-1.0, 4.0]])
_GAUSS_KEYS = np.array([[4.0, 0.25]])
_GAUSS_DIAGONALS = (("2", "1/2"), ("2", "1/4"))
"""(88) for these centres, exactly."""


def _floats(entries: tuple[str, ...]) -> np.ndarray:
    return np.array([float(Fraction(e)) for e in entries])


def _gauss_mixture_law() -> Callable[[], Law]:
    x, y = _floats(_GAUSS_X), _floats(_GAUSS_Y)

    def bases() -> list[list[arb]]:
        own = [cexp_moments(a, _GAUSS_X, _GAUSS_Y, 3) for a in _GAUSS_DIAGONALS]
        return [*own, base_moments("hyperbolic", x, y, 3)]

    def lambdas() -> list[list[arb]]:
        diagonals = [_floats(a) for a in _GAUSS_DIAGONALS]
        return [window_moments("hyperbolic", a * x / _TAU, -y / a / _TAU, 3) for a in diagonals]

    return combined_law(math.exp(float(x @ y)), bases, lambdas)


CLAIMS = (
    step("hybrid.mech.cluster-complex", "H.2, eqs (86), (87), (90)-(92), as an algorithm", "hybrid.eq14",
        Derived("hybrid.eq14"), Derived("hybrid.eq86"),
        statement=r"for centres $(r_i,r_j)$ a diagonal complex $A_{i,j}$ from (86), (87) and the rules for zeros, in (90)-(92): unbiased, and without error at the centres",
        conditions="the minus sign under the root of (87); plain squares; at the centres without error where no coordinate vanishes in one of them alone (there a 'large' or 'small' entry, not given)",
        also=(_cluster_check(False, "", ("(86) without i", "(86) without i"), ("(87) with i", "(87) with i"),
            ("norms for plain squares", "norms")), Shown("draws at the centres are SM, up to rounding", _exact_at_centres, "complex", (("real", "real"),)), Shown("rules for zeros: a large entry for r_i = 0, a small one for r_j = 0, none vanishes",
            _single_zeros(False), (True, True), (("the other way round", (False, False)),)), Slow(sampled_cexp("CE with A = diag(i/2, 1) of the centres (1, 1), (1/4, -1), m = 3, off the centres",
            ("I/2", "1"), ("4/5", "3/4"), ("1/3", "-1/2"), 3, 2**18)))),
    step("hybrid.mech.cluster-real", "H.2, eqs (88), (90)-(92), as an algorithm", "hybrid.eq14",
        Derived("hybrid.eq14"), Derived("hybrid.eq88"),
        statement=r"diagonal real $A_{i,j}$ from (88) and the rules for zeros, in (90)-(92): unbiased",
        conditions="a small entry, not 0, where r_j vanishes and r_i does not (hybrid.mech.cluster-real/zero)",
        also=(_cluster_check(True, "real", ("a = (r_i/r_j)^(1/2)", "real, inverse"), ("without the root", "real, no root"),
            ("the complex diagonal", "")), Shown("a large entry for r_i = 0, a small one for r_j = 0, none vanishes", _single_zeros(True), (True, True),
            (("the other way round", (False, False)),)), Slow(sampled_cexp("CE with A = diag(1/2, 1) of the centres (1, 1), (1/4, -1), m = 3", ("1/2", "1"),
            ("4/5", "3/4"), ("-1/3", "-1/2"), 3, 2**18)))),
    said("hybrid.mech.cluster-real/zero", "H.2, eq. (88) and the rules after it",
        Side(sqrt(abs(Symbol("r_j", real=True)) / Symbol("r_i", positive=True))) != 0,
        differs="(88) is printed for r_i != 0 and gives a_k = 0 where r_j = 0, so that A^-1 in (92) does not exist; "
        "a small positive entry, as in the complex case, makes the map well defined",
        correction="hybrid.mech.cluster-real",
        statement=r"(88) and the rules for zeros give an invertible $A_{i,j}$ for all centres",
        conditions="r_i != 0 = r_j in some coordinate, for which no rule is printed and (88) applies",
        prints="it is easily seen that to minimize |Ari + (A ) 1rj|2, we can take |rj,k/ri,k| (88)",
        fault=Fault("missing condition", 1, "as for (88)", told_by="hybrid.eq88")),
    step("hybrid.mech.gauss-mixture", "Definition H.1, eqs (95)-(100), real A, as an algorithm", "hybrid.eq8",
        Derived("hybrid.eq8"), Derived("hybrid.eq93"),
        statement=r"Definition H.1: one default base estimator with $\hat\lambda_0=1-\sum\hat\lambda_{i,j}$, coefficients (95), (96) of bandwidth $\tau$, in (97): unbiased",
        conditions="real diagonal A of (88), projections of the coefficients independent of those of the base estimators, P as default, two by two clusters",
        also=(follows("mixture with the coefficients (95), (96)",
            lambda d: gaussian_mixture(_CENTRES, _KEYS, 4, tau=_TAU, real=True, lambda_map=feature_map("positive")),
            _gauss_mixture_recipe, "", ("(96) at +y", "+y"), ("tau^2 for tau", "tau^2"),
            ("projections of the base estimators", "projections of the bases"), dims=(3,), data=_around), Slow(SampledMean("mean of the mixture of two CE estimators with Gaussian weights and P, d = 2, m = 3",
            estimates(gaussian_mixture(_GAUSS_CENTRES, _GAUSS_KEYS, 3, tau=_TAU, real=True), _floats(_GAUSS_X),
                _floats(_GAUSS_Y)),
            _gauss_mixture_law(), times(1.05), 2**18)))),
    step("hybrid.mech.gauss-mixture/norm", "ours", "hybrid.eq8",
        statement=r"with complex $A$ the coefficient $e^{-\|Ax+A^{-1}y\|^2/2\tau^2}\in(0,1]$ has random features: (95), (96) for the real and imaginary parts of $Ax$, $A^{-1}y$ stacked in $\mathbb R^{2d}$; the mixture is unbiased",
        conditions="bars as norms, projections in R^(2d) for the coefficients; with plain squares the coefficient is complex (hybrid.eq93/norm, hybrid.defH.1/range)",
        also=(follows("mixture with complex A, coefficients from 2d coordinates",
            lambda d: gaussian_mixture(_CENTRES, _KEYS, 4, tau=_TAU), _norm_mixture_recipe, "", ("at +y", "+y"),
            ("real parts alone", "real part"), dims=(3,), data=_around),),
        entry="hybrid.mech.gauss-mixture"),
    step("hybrid.mech.zero-one-mixture", "Definition H.2, eqs (101)-(104), as an algorithm", "hybrid.eq8",
        statement=r"Definition H.2: indicator coefficients from the clustering, real $A_{i,j}$, in (101): the estimate is that of the pair of clusters, unbiased",
        conditions="a point belongs to the cluster of the nearest centre, as k-means assigns it, the first one among equals",
        also=(follows("zero-one mixture, two by two clusters", lambda d: zero_one_mixture(_CENTRES, _KEYS, 4),
            _zero_one_recipe(_EVERY, False), "", ("clusters of x and y exchanged", "clusters exchanged"),
            ("a = (r_i/r_j)^(1/2)", "inverse of (88)"), dims=(3,), data=_around), Slow(SampledMean("mean of the zero-one mixture, d = 2, m = 3, pair of the first clusters",
            estimates(zero_one_mixture(_GAUSS_CENTRES, _GAUSS_KEYS, 3), _floats(("1/5", "-3/10")), _floats(_GAUSS_Y)),
            cexp_estimate_law(_GAUSS_DIAGONALS[0], _GAUSS_X, _GAUSS_Y, 3), times(1.05), 2**17)))),
    step("hybrid.mech.massive-pairs", "Section 2.4, last paragraph, as an algorithm", "hybrid.eq8",
        statement=r"zero-one mixture restricted to the most massive pairs of clusters plus a default base estimator such as $P$: the estimate of the pair where it is among them, else that of $P$; unbiased",
        conditions="mass of a pair of clusters: the number of pairs of a query and a key in it",
        also=(follows("two pairs of clusters and P", lambda d: zero_one_mixture(_CENTRES, _KEYS, 4, pairs=[(0, 1), (1, 0)]),
            _zero_one_recipe(((0, 1), (1, 0)), True), "", ("T for P", "T for P"),
            ("clusters of x and y exchanged", "clusters exchanged"), dims=(3,), data=_around),
        Shown("5 + 2 queries, 3 + 7 keys: the two most massive pairs cover 35 + 15 of 70 pairs", _massive, 50,
            (("51 of 70", 51),)))))  # fmt: skip
