"""Results that the paper lacks: closed forms, Fourier features under the simplex coupling, other numbers of vectors, z_crit."""

from __future__ import annotations

from itertools import pairwise

import sympy
from flint import acb, arb, ctx
from sympy import Rational, exp, gamma, hyper

from rftheory.author import (conformity, equal, formula, gap, mse, orthogonal, positive, probability, simplex,
    trigonometric)  # fmt: skip
from rftheory.exact.conformity import angle_conformity_ball, orf_conformity, simplex_cosine
from rftheory.exact.coupled_blocks import (block_conformity_bound, conformity_of,
    independent_blocks_conformity, orthogonal_simplices_ball, orthogonal_simplices_conformity, simplex_vectors,
    smallest_mean_conformity)  # fmt: skip
from rftheory.exact.enclosure import certified_integral
from rftheory.exact.geometry import orf_conformity_even, simrf_conformity_even, simrf_conformity_plane
from rftheory.exact.symbols import c, d, k, v, z
from rftheory.exact.threshold import growth_within, z_crit
from rftheory.exact.trigonometric import (cosine_pair_ball, orf_cosine_pair_ball, trig_mse_orf,
    trig_mse_simrf, trig_pair_angle)  # fmt: skip
from rftheory.mechanisms.orthogonal_simplices import ORTHOGONAL_SIMPLICES
from rftheory.papers.claim import Claim, instance, stated
from rftheory.papers.simplex.notation import CORNERS, COUNTED, MILLION, conformity_sample, error_sample
from rftheory.papers.simplex.statistics import (RUNNING_PASS, conformity_difference, cosine_difference, opposite_difference,
    plus_minus_difference)  # fmt: skip
from rftheory.papers.statistics import pair_product, pair_product_law
from rftheory.papers.steps import proved_step
from rftheory.spec import Coupling
from rftheory.statement.evidence import (Derived, ProvedStep, SameValue, SampledMean, SampledOrder,
    Shown, Slow, Textbook, other)  # fmt: skip
from rftheory.statement.words import Claim as Relations
from rftheory.statement.words import Side

OURS = "ours"

CLOSED_FORMS = (
    stated("simplex.added.1F1", OURS,
        (conformity(orthogonal) == hyper((d,), (d / 2,), v**2 / 2))
        & (conformity(orthogonal) == exp(v**2 / 2) * hyper((-d / 2,), (d / 2,), -(v**2) / 2)), over=d >= 2,
        proof="simplex.added.1F1",
        also=(SameValue(orf_conformity, (*CORNERS, {"d": 513, "v": 10}), planted=hyper((d,), (d / 2,), v**2),
                printed=exp(v**2 / 2) * hyper((-d / 2,), (d / 2,), -(v**2) / 2)),
            conformity_sample("orthogonal", 6, "0.5")),
        entry="added"),
    proved_step("simplex.added.even-orf", OURS, "simplex.added.1F1",
        "simplex.added.1F1/even d",
        statement=r"for even $d=2n$: $\rho_{\mathrm{ORF}}=e^{v^2/2}\sum_{k=0}^n\binom nk\frac{\Gamma(n)}{\Gamma(n+k)}(\frac{v^2}2)^k$, a polynomial times an exponential",
        conditions="even d >= 2",
        also=(Derived("simplex.added.1F1"), SameValue(orf_conformity_even,
                ({"d": 2, "v": 1}, {"d": 4, "v": "5/2"}, {"d": 64, "v": 10}, {"d": 2, "v": 0}),
                planted=orf_conformity_even.expression.subs(v, 2 * v)), conformity_sample("orthogonal", 4, "0.5")),
        entry="added"),
    proved_step("simplex.added.even-simrf", OURS, "simplex.eq21",
        "simplex.eq21/1F1", ProvedStep("simplex.added.1F1", "simplex.added.1F1/even d"),
        statement=r"for even $d=2n$: $\rho_{\mathrm{SimRF}}=e^{t}\sum_{k=0}^n\binom nk\frac{\Gamma(n)}{\Gamma(n+k)}t^k\sum_{j=0}^k\binom kj(-\frac1{d-1})^j\,\mathbb E[s^je^{-ts/(d-1)}]$, $t=\frac{v^2}2$, each mean two ${}_1F_2$ of $t^2/(4(d-1)^2)$",
        conditions="even d >= 2; s = sin(2 phi) with the density proportional to (sin 2 phi)^(d-1)",
        also=(Derived("simplex.added.1F1"), SameValue(simrf_conformity_even, ({"d": 2, "v": 1}, {"d": 4, "v": "5/2"}, {"d": 16, "v": 3}),
                planted=orf_conformity_even.expression), conformity_sample("simplex", 4, "0.5")),
        entry="added"),
    proved_step("simplex.added.plane", OURS, "simplex.eq21",
        "simplex.eq21/1F1",
        statement=r"at $d=2$: $\rho_{\mathrm{SimRF}}=e^t\bigl(1+t-\frac\pi2t(I_0(t)+I_1(t)-\mathbf L_0(t)-\mathbf L_1(t))\bigr)$, $t=\frac{v^2}2$, with modified Bessel and Struve functions",
        conditions="d = 2",
        also=(Derived("simplex.added.plane"), SameValue(simrf_conformity_plane, ({"v": 0}, {"v": "1e-8"}, {"v": 1}, {"v": "5/2"}, {"v": 6}),
                planted=simrf_conformity_plane.expression.subs(v, 2 * v)), conformity_sample("simplex", 2, "0.7")),
        entry="added"),
    proved_step("simplex.added.angle", OURS, "simplex.added.angle",
        statement=r"$\rho_\theta$ of (21) increases strictly with $\cos\theta$",
        conditions="v > 0, d >= 2, -1 <= cos(theta) <= 1",
        also=(instance(formula("angle_conformity", d=2**k, c=-Rational(1, 3)) < formula("angle_conformity", d=2**k, c=-Rational(1, 4)),
            (k >= 1, k <= 4, v >= Rational(1, 4), v <= 4)),),
        entry="added"))  # fmt: skip


def _simplex_cosine_pair(n: int, length: arb) -> arb:
    return cosine_pair_ball(n, length, simplex_cosine(n))


def _simplex_above(points: tuple[tuple[int, str], ...]) -> bool:
    """Whether E cos(w_1.z) cos(w_2.z) of the simplex exceeds that of an orthogonal pair at these (d, z)."""
    return all(bool(_simplex_cosine_pair(n, arb(s)) > orf_cosine_pair_ball(n, arb(s))) for n, s in points)


def _simplex_below_iid(points: tuple[tuple[int, str], ...]) -> bool:
    """Whether it is below that of independent pairs."""
    return all(bool(_simplex_cosine_pair(n, arb(s)) < (-(arb(s) ** 2)).exp()) for n, s in points)


def _fourier(rows: Coupling, n: int, length: int) -> Side:
    """The error of two rows of a block with trigonometric features at d = n and |x - y| = length; v does not matter."""
    return mse(trigonometric(rows, m=2)).at(d=n, z=length, v=0)


NEAR = tuple((n, s) for n in (2, 3, 8, 64, 512) for s in ("0.1", "0.5", "0.7"))
"""Points (d, z) with z^2 <= 1/2."""

FOURIER = (
    proved_step("simplex.added.rff-law", OURS, "simplex.thm4.5",
        "simplex.thm4.5/(product of cosines)", "simplex.thm4.5/(74)", ProvedStep("simplex.eq21", "simplex.eq21/1F1"),
        statement=r"for simplex blocks $\mathbb E\cos(\mathbf w_i^\top\mathbf z)\cos(\mathbf w_j^\top\mathbf z)=\frac12\mathbb E\bigl[F(-t(1-\frac s{d-1}))+F(-t(1+\frac s{d-1}))\bigr]$, $F={}_1F_1(d;\frac d2;\cdot)$, $t=\frac{z^2}2$; with (74) this is the MSE of Fourier features",
        conditions="d >= 2; s = sin(2 phi) with the density proportional to (sin 2 phi)^(d-1); any angle with its cosine in place of -1/(d-1)",
        also=(SameValue(trig_pair_angle,
                ({"d": 2, "z": "1/2", "c": -1}, {"d": 3, "z": "1/2", "c": "-1/2"}, {"d": 3, "z": 4, "c": "-1/2"}),
                planted=trig_pair_angle.expression.subs(c, c / 2), digits=15),
            SameValue(trig_mse_simrf, ({"d": 3, "m": 3, "z": "1/2"}, {"d": 2, "m": 5, "z": "1/2"}),
                planted=trig_mse_orf.expression, digits=15),
            Slow(SampledMean("E cos(w_1.z) cos(w_2.z), simplex, d = 3, z = 1",
                pair_product("simplex", 3, "1", "trigonometric"),
                pair_product_law("simplex", 3, "1", "trigonometric"),
                other(pair_product_law("orthogonal", 3, "1", "trigonometric")), MILLION)),
            error_sample("trigonometric", "simplex", 4, 4, "1")),
        entry="added"),
    proved_step("simplex.added.rff-worse", OURS, "simplex.added.rff",
        "simplex.added.rff/second derivative", "simplex.added.rff/ratio", "simplex.added.rff/terms fall", "simplex.added.rff/reach", "simplex.added.rff/d >= 3",
        statement="near z = 0 the simplex does not help Fourier features: their MSE is larger than with orthogonal blocks for 0 < z^2 <= 1/2, in every d >= 2",
        conditions="m >= 2; an angle of cosine c beats independent vectors at small z exactly where c^2 < 1/d: so SimRFs do for d >= 3, and do not at d = 2",
        also=(Derived("simplex.added.rff"),
            Shown("simplex above orthogonal at z = 0.1, 0.5, 0.7 and d = 2, 3, 8, 64, 512", _simplex_above, NEAR,
                (("z = 3 at d = 3", ((3, "3"),)), ("z = 3 at d = 8", ((8, "3"),)))),
            Shown("and below independent vectors for d >= 3", _simplex_below_iid,
                tuple(point for point in NEAR if point[0] > 2),
                (("d = 2", tuple(point for point in NEAR if point[0] == 2)),)),
            Slow(SampledOrder("cos cos, orthogonal below simplex, d = 3, z = 0.7",
                cosine_difference("orthogonal", "simplex", 3, "0.7"), 4 * MILLION))),
        entry="added"),
    stated("simplex.added.rff-better", OURS,
        (_fourier(simplex, 3, 3) < _fourier(orthogonal, 3, 3)) & (_fourier(simplex, 4, 3) < _fourier(orthogonal, 4, 3))
        & (_fourier(simplex, 8, 3) < _fourier(orthogonal, 8, 3)) & (_fourier(simplex, 4, 4) > _fourier(orthogonal, 4, 4))
        & (_fourier(simplex, 8, 4) > _fourier(orthogonal, 8, 4)) & (_fourier(simplex, 64, 4) > _fourier(orthogonal, 64, 4)),
        draw=False,
        also=(Slow(SampledOrder("cos cos, simplex below orthogonal, d = 3, z = 3",
                cosine_difference("simplex", "orthogonal", 3, "3"), 4 * MILLION)),),
        entry="added"))  # fmt: skip


def _bound_below(shift: str) -> bool:
    """Whether the bound, plus a shift, is below (12) of the simplex for norms 1, 2, 4 and of a flat triangle."""
    norms = [arb(n) for n in (1, 2, 4)]
    line = [[arb(1), arb(0)], [arb(2), arb(0)], [arb(-4), arb(0)]]
    bound = smallest_mean_conformity(3, arb(1), norms) + arb(shift)
    return all(bool(bound < conformity_of(3, arb(1), rows)) for rows in (simplex_vectors(norms), line))


def _two_blocks_worse(blocks: int) -> bool:
    """Whether so many simplex blocks have a larger conformity than 2d vectors plus and minus an orthogonal block."""
    with ctx.workprec(256):
        return all(
            bool(orthogonal_simplices_ball(n, 1, arb(s)) < independent_blocks_conformity(n, blocks, arb(s)))
            for n in (8, 64)
            for s in ("0.25", "6")
        )


def _attained(size: int) -> bool:
    """Whether equal norms attain the bound at the simplex of ``size`` vertices, to fifteen digits."""
    norms = [arb(2)] * size
    gap = conformity_of(size, arb(1), simplex_vectors(norms)) - smallest_mean_conformity(
        size, arb(1), [arb(2)] * 5
    )
    return bool(abs(gap) < arb("1e-12"))


_TRIANGLES = formula("orthogonal_simplices_conformity", n=2**k, p=2)
_BOUND = formula("block_conformity_bound", d=2 * 2**k, m=3 * 2**k)
"""The conformity of 3n vectors in 2n dimensions, n = 2^k: of triangles in orthogonal planes, and the least possible."""


def _angle(cosine: sympy.Expr) -> Side:
    """The conformity of two rows at an angle, d = 3."""
    return formula("angle_conformity", d=3, c=cosine)


_HEIGHT, _ACROSS = Rational(8, 25), Rational(17, 25) / sympy.sqrt(2)
_ANTIPRISM = (2 * _angle(_HEIGHT) + _angle(2 * _HEIGHT - 1) + 2 * _angle(_ACROSS - _HEIGHT) + 2 * _angle(-_ACROSS - _HEIGHT)) / 7  # fmt: skip
"""The conformity of the vertices of a square antiprism of height 4 sqrt(2)/5 in the unit sphere, d = 3."""


def _triangles(rows: Coupling, n: int) -> Side:
    """The error of 3 n/2 positive features at d = n."""
    return mse(positive(rows, m=3 * n // 2)).at(d=n)


MORE_THAN_D = (
    proved_step("simplex.added.block-bound", OURS, "simplex.added.block-bound",
        Derived("simplex.added.block-bound"), Derived("simplex.added.orthoplex"),
        statement=r"for $d+1\le m\le2d$ vectors $\rho\ge p\,\rho_{-1}+(1-p)\,\rho_r$ with $p=\frac{m(m-d-1)}{(m-1)(dm+m-4d)}$, $r=-\frac{2d-m}{d(m-2)}$ and the conformity $\rho_c$ of a pair at the cosine c; attained at $m=d+1$ by the simplex of $d+1$ vertices and at $m=2d$ by plus and minus an orthogonal block",
        conditions="d >= 2, iid chi_d norms independent of the directions, joint law invariant under rotations",
        also=(SameValue(block_conformity_bound, ({"d": 5, "m": 7, "v": "3/2"}, {"d": 2, "m": 3, "v": "1/2"}, {"d": 2, "m": 5, "v": "1/2"}),
                planted=orf_conformity.expression),
            instance(_BOUND < _TRIANGLES, (k >= 1, k <= 3, v >= 1, v <= 3))),
        entry="added"),
    proved_step("simplex.added.more-than-2d", OURS, "simplex.added.more-than-2d",
        Derived("simplex.added.more-than-2d"), Derived("simplex.added.orthoplex"),
        statement=r"for $m\ge2d$ vectors $\rho\ge p\,\rho_a+(1-p)\,\rho_b$ with the roots $a<b$ of $t^2+\frac{d-1}{m-d-1}t-\frac{m-2d}{d(m-d-1)}$, $p=\frac{(m-1)b+1}{(m-1)(b-a)}$ and the conformity $\rho_c$ of a pair at the cosine c; attained at $m=2d$ by plus and minus an orthogonal block",
        conditions="d >= 2, iid chi_d norms independent of the directions, joint law invariant under rotations",
        also=(SameValue(block_conformity_bound, ({"d": 5, "m": 16, "v": "3/2"}, {"d": 3, "m": 9, "v": "1/2"}, {"d": 3, "m": 5, "v": 1}),
                planted=orf_conformity.expression),),
        entry="added"),
    proved_step("simplex.added.more-than-2d/attained", OURS, "simplex.added.more-than-2d",
        *(ProvedStep("simplex.added.more-than-2d", f"simplex.added.more-than-2d/{name}, {what}", covers="cases: the two configurations")
            for name in ("pentagon", "half of the 5-cube") for what in ("lower cosine", "upper cosine", "sum")),
        statement="the regular pentagon and the sixteen vectors of five signs with product 1 attain the bound at every v",
        conditions="d = 2, m = 5 and d = 5, m = 16; directions independent of the norms, joint law invariant under rotations",
        entry="added", finite=True),
    stated("simplex.added.more-than-2d/near", OURS,
        (exp(v**2) + 19 * formula("block_conformity_bound", d=3, m=8)) / 20 > _ANTIPRISM, over=(v >= Rational(1, 2), v <= 6),
        statement="eight vectors in three dimensions, the vertices of a square antiprism, gain at least nineteen twentieths of what any block of eight can gain over independent ones",
        conditions="d = 3, m = 8; height of the antiprism 4 sqrt(2)/5; directions independent of the norms, joint law invariant under rotations",
        entry="added"),
    stated("simplex.added.orthogonal-simplices", f"{OURS}; 3d/2 vectors at d = 2^(k+1)",
        (exp(v**2) + 9 * _BOUND) / 10 > _TRIANGLES, over=(k >= 1, k <= 5, v >= Rational(1, 2), v <= 6),
        statement="triangles in orthogonal planes, 3d/2 vectors, gain at least nine tenths of what any block of so many vectors can gain over independent ones",
        conditions="d = 4, 8, 16, 32, 64; 1/2 <= v <= 6; directions independent of the norms, joint law invariant under rotations",
        also=(SameValue(orthogonal_simplices_conformity, ({"n": 3, "p": 2, "v": "3/2"}, {"n": 1, "p": 2, "v": "1/2"}),
                planted=orf_conformity.expression.subs(d, 6)),),
        entry="added"),
    stated("simplex.added.orthogonal-simplices/order", f"{OURS}; 3d/2 positive features: triangles in orthogonal planes, orthogonal blocks, independent rows",
        (_triangles(ORTHOGONAL_SIMPLICES, 4) < _triangles(orthogonal, 4))
        & (_triangles(ORTHOGONAL_SIMPLICES, 8) < _triangles(orthogonal, 8))
        & (_triangles(ORTHOGONAL_SIMPLICES, 64) < _triangles(orthogonal, 64)),
        over=v > 0, draw=False,
        also=(Slow(SampledOrder("pair mean of six rows in d = 4, v = 0.5: triangles below orthogonal blocks",
            conformity_difference("orthogonal-simplices", "orthogonal", 4, "0.5", 6), MILLION)),),
        entry="added"))  # fmt: skip

NUMBERS = (
    proved_step("simplex.added.known-norms", OURS, "simplex.lemA.1",
        "simplex.lemA.1/attained",
        statement=r"at known norms $\rho\ge{}_0F_1(;\frac d2;\frac{v^2T}4)$ over all directions, $T=\frac{2(m-2)\sum w_i^2+2S^2}{m(m-1)}$ with $S=\max(0,2\max w_i-\sum w_i)$; attained at equal norms by the simplex of m vertices",
        conditions="m >= 2 vectors in d >= 2 dimensions, equality for m <= d + 1",
        also=(Derived("lemma.jensen"), Derived("simplex.eq16"), Shown("norms 1, 2, 4 at v = 1", _bound_below, "0", (("half more", "0.5"),)), Shown("equal norms, d = m = 5", _attained, 5, (("d = m = 4", 4),))),
        entry="added"),
    proved_step("simplex.added.fewer", OURS, "simplex.added.fewer",
        "simplex.added.fewer/one eigenvalue", "simplex.added.fewer/other eigenvalues", "simplex.added.fewer/angle",
        statement=r"for $m<d$ vectors the best weight-independent coupling is the simplex of m vertices, at the cosine $-\frac1{m-1}$, not rows of (9)",
        conditions="2 <= m < d, iid norms, joint law invariant under rotations, v > 0; the cost of m vertices is that of a block of size m",
        also=(Derived("simplex.added.fewer"), Derived("simplex.added.angle"), Slow(Derived("simplex.thm3.4")),
            instance(formula("angle_conformity", d=2**k, c=-1) < conformity(simplex).at(d=2**k), (k >= 2, k <= 6, v >= Rational(1, 4), v <= 4)),
            Slow(SampledOrder("opposite directions below two rows of (9), d = 4, v = 0.5",
                opposite_difference(4, "0.5"), 2 * MILLION))),
        entry="added"),
    proved_step("simplex.added.orthoplex", OURS, "simplex.added.orthoplex",
        statement="two independent simplex blocks are not the best way to spend 2d vectors: an orthogonal block of directions and its negatives, with 2d independent norms, has the least conformity of all weight-independent couplings",
        conditions="2d vectors in d >= 2 dimensions, iid chi_d norms, joint law invariant under rotations, v > 0",
        also=(instance(formula("orthogonal_simplices_conformity", n=d, p=1) < conformity(simplex, 2 * d), (d >= 2, d <= 3, v >= 1, v <= 3)),
            Shown("the same at v = 1/4 and 6, d = 8 and 64", _two_blocks_worse, 2,
                (("one block of d instead of 2d vectors", 1),)),
            Slow(SampledOrder("plus and minus an orthogonal block below two simplex blocks, d = 2, v = 0.5",
                plus_minus_difference(2, "0.5"), MILLION))),
        entry="added"),
    stated("simplex.added.running-sum", OURS, RUNNING_PASS(d) == 10 * d**2 + d, over=COUNTED,
        statement=r"a pass of (17) takes $10d^2+d$ operations, not $O(d^3)$, if the sum of all vectors is kept up to date",
        conditions="d vectors in d dimensions; counted on the sampler", entry="added"))  # fmt: skip

THRESHOLDS = {3: "3.311107622993099516158186899717616931044", 4: "3.081238748395782813229982909329980532092",
    7: "2.949071771337168636124484696893278345244", 22: "3.641952965829207868087345926398443080100",
    23: "4.617995772819373674373560777586697248296", 64: "6.909414781749471929491856828769116020343",
    256: "12.99309235127463756703372129737480464901", 512: "18.42801185708148334998345431608830131293"}  # fmt: skip
"""z_crit(d) to forty digits."""


def _forty_digits(change: str) -> bool:
    """Whether all table values, plus ``change``, are z_crit(d) to forty digits."""
    for n, value in THRESHOLDS.items():
        last = arb(10) ** (1 + (n >= 256) - 40)
        wanted = arb(value) + arb(change)
        if not bool(abs(z_crit.enclose(42, d=n).ball.real - wanted) <= last):
            return False
    return True


def _digits_at_high_precision(change: str) -> bool:
    """The same with bits enough for forty digits."""
    with ctx.workprec(256):
        return _forty_digits(change)


def _changes(excess: int) -> bool | None:
    """Whether the gap has ceil(d/2) - 1 + excess proved sign changes, at z = sqrt(2 t) along a grid, for d = 1, ..., 22."""
    with ctx.workprec(128):
        return all(_sign_changes(n) >= (n + 1) // 2 - 1 + excess for n in range(1, LAST_FULL + 1))


LAST_FULL = 22
"""The last dimension of the row in which the bound is attained; at 23 two changes have merged and gone."""


def _sign_changes(n: int) -> int:
    """Sign changes of exp(-t) - 1F1(-d/2; d/2; t) between points of a grid, t <= 60, where enclosures tell the signs."""
    signs = []
    for step in range(1, 801):
        t = arb(60 * step * step) / 800**2
        g = (-t).exp() - t.hypgeom_1f1(arb(-n) / 2, arb(n) / 2)
        signs += [1] if g > 0 else ([-1] if g < 0 else [])
    return sum(one != other for one, other in pairwise(signs))


SIGN_CHANGES = (
    proved_step("simplex.added.sign-changes", OURS, "simplex.added.sign-changes",
        statement=r"the orthogonality gap of Fourier features has at most $\lceil\frac d2\rceil-1$ sign changes in $z>0$, and their number has that parity: none for $d\le2$, "
        r"exactly one for $d=3,4$; for $d\le22$ it is exactly $\lceil\frac d2\rceil-1$",
        conditions="blocks of two rows or more, z = |x - y|; zeros counted with multiplicity are as many at most",
        also=(Derived("lemma.rolle"),
            Textbook("the intermediate value theorem", "the derivatives of exp(-t) - 1F1(-d/2; d/2; t) between two zeros"),
            Shown("as many sign changes in every d <= 22", _changes, 0, (("one more", 1),))),
        entry="added"),
    stated("simplex.added.sign-changes/plane", f"{OURS}; in the plane orthogonal rows help Fourier features at every z",
        gap(trigonometric(orthogonal, m=2)).at(d=2) > 0, over=z > 0,
        proof="simplex.added.sign-changes.plane", entry="added"))  # fmt: skip

Z_CRIT = (
    Claim("simplex.added.zcrit-digits", OURS,
        r"$z_{\mathrm{crit}}(d)$ to 40 digits: " + "; ".join(f"${value}$ at $d={n}$" for n,
            value in THRESHOLDS.items()),
        "first sign change of the RFF orthogonality gap, d >= 3; proved free of earlier ones",
        (SameValue(z_crit, ({"d": 3},), planted=z_crit.expression + 1, digits=40),
            Shown("the table", _digits_at_high_precision, "0", (("a unit of the 37th digit", "1e-36"),),
                covers="cases: the eight dimensions")),
        entry="added", finite=True),
    proved_step("simplex.added.zcrit-third", OURS, "simplex.zcrit.energy",
        statement=r"orthogonal blocks help Fourier features at every $z$ with $0<z^2\le\frac d3$", conditions="d >= 2",
        also=(Slow(SampledOrder("cos cos, orthogonal below independent, d = 4, z = 1.1",
            cosine_difference("orthogonal", "iid", 4, "1.1"), MILLION)),),
        entry="added"),
    proved_step("simplex.added.zcrit-growth", OURS, "simplex.added.zcrit",
        Derived("simplex.added.zcrit"), Derived("simplex.zcrit.energy"),
        statement=r"$\sigma_*d-3<z_{\mathrm{crit}}(d)^2<\sigma_*d+12$ with the larger root $\sigma_*=0.653759587704925\ldots$ of $3\sigma-\log(4\sigma)=1$",
        conditions="d >= 3",
        also=(Shown("from d = 128 on by the bounds of the derivation, below by enclosures of z_crit", lambda ends: growth_within(*ends),
                ("-3", "12"), (("lower end -1", ("-1", "12")), ("upper end 9", ("-3", "9"))),
                covers="domain: d = 3, ..., 127 one by one, all other d by bounds"),
            Slow(SampledOrder("cos cos, orthogonal below independent, d = 4, z = 1.5",
                cosine_difference("orthogonal", "iid", 4, "1.5"), MILLION))),
        entry="added"))  # fmt: skip

_CONSTANT = gamma(d / 2) / gamma(d) * exp(v**2 / 2)


def _mean_decay(n: int, rate: arb) -> arb:
    """E exp(-rate s), s = sin(phi), phi with the density proportional to sin^(n-1) on (0, pi)."""

    def weighted(t: acb, _: bool) -> acb:
        return t.sin() ** (n - 1) * (-rate * t.sin()).exp()

    return certified_integral(weighted, 0, arb.pi()) / certified_integral(
        lambda t, _: t.sin() ** (n - 1), 0, arb.pi()
    )


def _between(rates: tuple[int, int]) -> bool:
    """Whether rho_c/rho_orth is between E exp(-rate |c| t s) for the two rates, t = v^2/2, at three cosines and two v."""
    low, high = rates
    found = []
    for n, cosine in ((2, arb(-1)), (3, arb(-1) / 2), (8, arb(-1) / 7)):
        for length in (arb(1), arb(6)):
            ratio = angle_conformity_ball(n, length, cosine) / angle_conformity_ball(n, length, arb(0))
            x = -cosine * length**2 / 2
            found.append(bool(_mean_decay(n, low * x) < ratio and ratio < _mean_decay(n, high * x)))
    return all(found)


_level = sympy.Symbol("x", positive=True)


def _between_tails(event: str, scale: int, shape: sympy.Expr, **values: object) -> Relations:
    """The bounds of the tail of a Gamma variable of this shape, for |w_i + w_j|^2 > scale x."""
    tail, least = (
        probability(event, t=scale * _level, **values),
        _level ** (shape - 1) * exp(-_level) / gamma(shape),
    )
    return (tail >= least) & (tail <= least / (1 - (shape - 1) / _level))


GROWTH = (
    proved_step("simplex.added.growth", f"{OURS}; how fast the conformity of orthogonal rows grows", "simplex.added.growth",
        "simplex.added.growth/coefficients", "simplex.added.growth/equation", "simplex.added.growth/upper barrier",
        "simplex.added.growth/lower barrier", "simplex.added.growth/statement", ProvedStep("simplex.eq21", "simplex.eq21/1F1"),
        statement=r"$C(\frac{v^2}2+\frac d2)^{d/2}\le\rho_{\mathrm{ORF}}\le C(\frac{v^2}2+d-1)^{d/2}$ with $C=e^{v^2/2}\Gamma(\frac d2)/\Gamma(d)$",
        conditions="d >= 2, v >= 0",
        also=(Derived("simplex.added.growth"), instance((conformity(orthogonal) >= _CONSTANT * (v**2 / 2 + d / 2) ** (d / 2))
            & (conformity(orthogonal) <= _CONSTANT * (v**2 / 2 + d - 1) ** (d / 2)), (d >= 2, d <= 9, equal(v, d)))),
        entry="added"),
    proved_step("simplex.added.growth/angle", OURS, "simplex.added.growth",
        "simplex.added.growth/coefficients", "simplex.added.growth/at least", "simplex.added.growth/at most",
        ProvedStep("simplex.eq21", "simplex.eq21/1F1"),
        statement=r"for an angle with the cosine $c\le0$, $\mathbb E\,e^{-|c|v^2s}\le\rho_c/\rho_{\mathrm{ORF}}\le\mathbb E\,e^{-|c|v^2s/2}$ with $s=\sin\phi$",
        conditions="d >= 2, -1 <= c <= 0, v >= 0; phi with the density proportional to sin^(d-1) on (0, pi)",
        also=(Derived("simplex.added.growth"),
            Shown("d = 2, 3, 8 at the cosine of the simplex, v = 1 and 6", _between, (2, 1),
                (("three times the exponent on the right", (2, 3)), ("the upper one on both sides", (1, 1))))),
        entry="added"),
    proved_step("simplex.added.growth/tail", OURS, "simplex.added.sum-tail",
        "simplex.added.sum-tail/moved", "simplex.added.sum-tail/at least", "simplex.added.sum-tail/least",
        "simplex.added.sum-tail/at most", "simplex.added.sum-tail/statement", ProvedStep("simplex.lem4.1", "simplex.lem4.1/(52)"),
        ProvedStep("simplex.lem4.2", "simplex.lem4.2/(20)"), ProvedStep("simplex.s4.chi2d", "simplex.s4.chi2d/(58)"),
        statement=r"what governs it is the tail of the norm: $P(|w_i+w_j|^2>2\beta x)$ is between $\frac{x^{p-1}e^{-x}}{\Gamma(p)}$ and that over $1-\frac{p-1}x$, with $\beta=2$, $p=\frac d2$ for independent and $\beta=1$, $p=d$ for orthogonal rows; at a cosine c it is the mean over $\phi$ of the orthogonal one at $x/(1+c\sin\phi)$",
        conditions="d >= 2, x > p - 1, -1 <= c <= 0; phi with the density proportional to sin^(d-1) on (0, pi)",
        also=(Derived("simplex.added.sum-tail"), instance(_between_tails("independent rows", 4, d / 2) & _between_tails("rows at an angle", 2, d, c=0),
                (d >= 2, d <= 8, equal(_level, d + 1))),
            conformity_sample("orthogonal", 4, "0.5")),
        entry="added"))  # fmt: skip

CLAIMS: tuple[Claim, ...] = (*CLOSED_FORMS, *FOURIER, *MORE_THAN_D, *NUMBERS, *SIGN_CHANGES, *Z_CRIT, *GROWTH)
