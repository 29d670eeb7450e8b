"""Rows whose joint law is not invariant under rotations: what happens to Theorems 3.2 and 3.4 of the simplex paper."""

from __future__ import annotations

from typing import Any

from flint import arb
from sympy import Rational, exp

from rftheory.author import conformity, formula, k, simplex, v
from rftheory.exact.pair_lengths import plus_is_shorter
from rftheory.exact.positive import prf_small_v_plus_bound, prf_small_v_simrf
from rftheory.exact.truth import larger, together
from rftheory.papers.claim import Claim, instance, stated
from rftheory.papers.simplex.notation import MILLION
from rftheory.papers.simplex.statistics import squared_sum_difference
from rftheory.papers.statistics import cut_range
from rftheory.papers.steps import proved_step
from rftheory.sample import Stream, coupling
from rftheory.statement.evidence import (Bench, Derived, Difference, ProvedStep, SameValue, SampledOrder, Shown,
    Slow, Statistic, Textbook)  # fmt: skip

OURS = "ours"
LENGTHS = ("1/4", "1/2")


def _ball(length: str) -> arb:
    top, _, bottom = length.partition("/")
    return arb(int(top)) / int(bottom or 1)


def _along(length: arb) -> arb:
    """E exp(v r) for a chi_3 variable r, at v = length of either sign."""
    half = (-length / arb(2).sqrt()).erfc() / 2
    return length * (2 / arb.pi()).sqrt() + 2 * (1 + length**2) * (length**2 / 2).exp() * half


def _mixable(share: arb) -> bool | None:
    """Whether the mean of X = E(exp(r s v) | s), s in [-1, 1], lies above its least value by this share of its range."""
    answers = []
    for length in map(_ball, LENGTHS):
        low, high = _along(-length), _along(length)
        answers.append(larger((length**2 / 2).exp(), low + share * (high - low)))
    return together(answers)


def mirrored_difference(d: int, v: str) -> Difference:
    """exp((w + w').v) with w' along the mirror image of w, v along the axis of the mirror, minus v across it."""
    size = float(v)

    def make(bench: Bench, stream: Stream) -> Statistic:
        xp = bench.xp

        def statistic(blocks: range) -> Any:
            block = coupling("orthogonal").draw(stream, blocks, d, 2, xp=xp)
            u, norms = block.directions[:, 0, :], block.norms
            along = xp.exp(size * u[:, 0] * (norms[:, 0] - norms[:, 1]))
            return along - xp.exp(size * u[:, 1] * (norms[:, 0] + norms[:, 1]))

        return statistic

    return Difference(
        make, lambda: cut_range(lambda p: 2 * (p * size) ** 2, lambda p: 0.7 + (p * size) ** 2 / 2)
    )


def _left_at_most(share: arb) -> bool | None:
    """Whether SimRFs+ leave at most this share of the coefficient of v^2 of SimRFs, d = 5, 8, 16, 64."""
    return together(
        larger(
            share * prf_small_v_simrf.enclose(15, d=n, m=n).ball.real,
            prf_small_v_plus_bound.enclose(15, d=n).ball.real,
        )
        for n in (5, 8, 16, 64)
    )


_BELOW_SIMPLEX = (3 * exp(v**2) - formula("angle_conformity", d=3, c=1)) / 2 < conformity(simplex).at(d=3)
"""The bound at three vectors in three dimensions below the conformity of SimRFs."""

CLAIMS: tuple[Claim, ...] = (
    proved_step("simplex.added.plus-gain", OURS, "simplex.added.plus-gain",
        Derived("simplex.added.plus-gain"), Derived("simplex.eq16"),
        statement=r"at small $v$ what SimRFs+ gain in MSE over SimRFs is most of it: for every geometrical coupling of $m$ vectors with a joint law invariant under rotations "
        r"$m\,e^{2x^2+2y^2}\mathrm{MSE}=\frac{v^2}{md}\mathbb E\lVert\sum_iw_i\rVert^2+O(v^4)$, which is $v^2\,\mathrm{Var}(\chi_d)/d$ for SimRFs and for SimRFs+, "
        r"whose resultant has the length $\max(0,2\max w_i-\sum w_i)$, less than a quarter of that at $d=5,8,16,64$: at most $v^2\,\frac2{e(d-2)}(\frac d2)^{d/2}\bigl(\frac d{2(d-1)}\bigr)^{d(d-1)/2}$",
        conditions="m = d >= 3 for both, iid chi_d norms, SimRFs+ with the shortest resultant (the limit of (17)); at d = 2 both are the same",
        also=(SameValue(prf_small_v_plus_bound, ({"d": 3}, {"d": 8}, {"d": 64}), planted=2 * prf_small_v_plus_bound.expression),
            Shown("what is left of the coefficient at d = 5, 8, 16, 64", _left_at_most, arb(1) / 4, (("a fifth of it", arb(1) / 5),),
                covers="part")),
        entry="added"),
    proved_step("simplex.added.plus-shorter", OURS, "simplex.added.plus-shorter",
        *(f"simplex.added.plus-shorter/{name}" for name in ("opposite", "half", "sum", "near 0", "density")),
        also=(Shown("P(|w_1 + w_2| > s) of SimRFs+ is smaller at every s > 0", plus_is_shorter, arb(1),
                (("than of SimRFs shortened by a tenth", arb(9) / 10), ("by a hundredth", arb(99) / 100)),
                covers="domain: by the bounds below s = 1/4 and from s = 7 on, between them from point to point, as both probabilities fall"),
            Slow(SampledOrder("|w_1 + w_2 + w_3|^2, SimRFs+ below SimRFs", squared_sum_difference("simplex+", "simplex", 3), 2**16))),
        statement=r"in $d=3$ SimRFs+ have a smaller conformity and MSE than SimRFs at every $v>0$: the length $|\mathbf w_i+\mathbf w_j|$ is stochastically smaller, "
        r"and $\rho=\mathbb E\,\frac{\sinh(v|\mathbf w_i+\mathbf w_j|)}{v|\mathbf w_i+\mathbf w_j|}$ is the mean of an increasing function of it",
        conditions="d = m = 3, iid chi_3 norms, SimRFs+ with the shortest resultant (the limit of (17)): a triangle where the norms close one, with "
        "|w_1 + w_2| = n_3, else all on one line; one draw of the norms may say the opposite (simplex.s3.plus-asymptotic/all v)",
        entry="added"),
    proved_step("simplex.added.joint-law", OURS, "simplex.added.angle",
        Derived("simplex.added.angle"), ProvedStep("lemma.zonal", "lemma.zonal/statement"),
        statement=r"without invariance under rotations the MSE of Theorem 3.2 depends on the direction of $x+y$: for $w_2$ along the mirror image of $w_1$, "
        r"norms independent, $\rho$ is that of opposite directions along the axis of the mirror and that of equal directions across it; its mean over "
        r"the directions of $x+y$ is (10), to which Theorem 3.4 applies",
        conditions="d >= 2, v = |x + y| > 0; each vector is N(0, I_d); a rotation that is uniform and independent of the ensemble turns the mean over directions into (10)",
        also=(instance(formula("angle_conformity", d=2**k, c=-1) < formula("angle_conformity", d=2**k, c=1),
                (k >= 1, k <= 4, v >= Rational(1, 4), v <= 4)),
            Slow(SampledOrder("mirrored pair along the axis below across it, d = 3, v = 0.5", mirrored_difference(3, "0.5"), MILLION))),
        entry="added"),
    proved_step("simplex.added.any-direction", OURS, "simplex.added.any-direction",
        statement=r"for every joint law of $m$ directions that is independent of the norms, and in every direction of $x+y$, the mean over pairs of "
        r"$\mathbb E\,e^{(w_i+w_j)^\top v}$ is at least $\frac{m\,e^{v^2}-\rho_1}{m-1}$ with the conformity $\rho_1$ of equal directions",
        conditions="m >= 2, each vector is N(0, I_d), iid norms; equality where the sum of E(exp(w_i.v) | direction of w_i) is constant",
        also=(instance(_BELOW_SIMPLEX, (v >= Rational(1, 4), v <= 3)),),
        entry="added"),
    stated("simplex.added.any-direction/attained", OURS, _BELOW_SIMPLEX, (v >= Rational(1, 4), v <= Rational(1, 2)), draw=False,
        statement=r"in $d=3$ three vectors attain this bound in one direction of $x+y$, below the conformity of SimRFs: Theorem 3.4 needs a joint law that is "
        "invariant under rotations, or the mean over directions",
        conditions="v = |x + y| = 1/4, 1/2; X = E(exp(w.v) | u) is a convex increasing function of u.v/v, which is uniform on [-1, 1]: its density falls",
        also=(Textbook("joint mixability of a falling density (Wang and Wang 2011)",
                "three copies of X: the mean is at least the least value plus a third of the range"),
            Shown("the mean of X exceeds its least value by a third of its range", _mixable, arb(1) / 3,
                (("by half of it", arb(1) / 2),), covers="cases: both lengths")),
        entry="added", finite=True))  # fmt: skip
