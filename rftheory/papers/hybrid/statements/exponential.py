"""Claims of Section 2.3: complex exponential estimators."""

from __future__ import annotations

import numpy as np
import sympy
from sympy import I, Rational, exp

from rftheory.author import equal, formula
from rftheory.exact.complex_exponential import (cexp_mse, cexp_real_mse, complex_gaussian_moment, imag, inner,
    mixed, point, real)  # fmt: skip
from rftheory.exact.proof.rules import Rewrite
from rftheory.exact.symbols import m, x, y
from rftheory.papers.claim import Fault
from rftheory.papers.hybrid.notation import as_printed, fails, inputs, points, said, same, step
from rftheory.papers.hybrid.statistics import sampled_cexp
from rftheory.sample import Mechanism, Stream
from rftheory.sample.exponential import ComplexExponential
from rftheory.statement.evidence import Derived, Identity, ProvedStep, SameValue, Shown, Slow, Textbook

MATRICES: tuple[tuple[tuple[str, ...], ...], ...] = ((("2",),), (("1", "I"), ("0", "1")), (("1", "2"), ("3", "4")),
    (("I", "1", "0"), ("0", "1/2", "-I"), ("0", "0", "2+I")))  # fmt: skip
"""Invertible matrices: real and complex, triangular and full, d = 1, 2, 3."""


def _vectors(d: int) -> tuple[list[str], list[str]]:
    return ["1/2", "-1/3", "1"][:d], ["3/4", "2", "-1/5"][:d]


def _cross_term(kind: str) -> bool:
    """Whether (A x).(A^-T y) = x.y for the matrices, exactly, with plain or Hermitian adjoints and the plain product."""
    for rows in MATRICES:
        d = len(rows)
        matrix = sympy.Matrix([[sympy.sympify(e) for e in row] for row in rows])
        x, y = (sympy.Matrix([sympy.Rational(e) for e in vector]) for vector in _vectors(d))
        other = {"plain": matrix.T.inv(), "adjoint": matrix.H.inv(), "inverse": matrix.inv()}[kind]
        if sympy.expand(((matrix * x).T * (other * y))[0] - (x.T * y)[0]) != 0:
            return False
    return True


def _conditions_agree(kind: str) -> bool:
    """(18) says the same as (17) for real x, y and any invertible A: a complex number vanishes with both its parts."""
    a, b, c, d = sympy.symbols("a b c d", real=True)
    u, v = a + I * b, c + I * d  # an entry of A x and of A^-T y
    both = (sympy.re(u) + sympy.re(v), sympy.im(u) + sympy.im(v))
    whole = {"x and y real": u + v, "conjugate in one place": u + sympy.conjugate(v)}[kind]
    return bool(sympy.expand(both[0] + I * both[1] - whole) == 0)


def _uniqueness(function: str) -> bool:
    """Whether a function that vanishes on the real line vanishes on C: yes for entire ones, no for z - conj(z)."""
    z = sympy.Symbol("z", complex=True)
    f = {"analytic": sympy.expand((z + 1) ** 2 - z**2 - 2 * z - 1), "not analytic": z - sympy.conjugate(z)}[
        function
    ]
    on_the_line = f.subs(z, sympy.Symbol("t", real=True)).doit()
    return bool(sympy.simplify(on_the_line) == 0 and sympy.simplify(f.subs(z, I)) == 0)


def _features(rows: np.ndarray, matrix: np.ndarray, w: np.ndarray, scale: float = 0.5) -> np.ndarray:
    """Psi_M of (15)."""
    mapped = rows @ matrix.T
    squares = np.sum(mapped * mapped, axis=1, keepdims=True)
    return np.exp(mapped @ w.T - scale * squares) / np.sqrt(len(w))


def _implementation() -> Shown:
    """Real parts of (16) from the printed maps, for a complex A, against the sampler."""
    matrix = np.array([[1.0, 0.5j, 0.0], [0.0, 1.0 + 0.5j, 0.2], [0.0, 0.0, 2.0]])

    def test(scale: float) -> bool:
        x, y = inputs()
        mechanism = Mechanism(ComplexExponential(matrix), "iid", 5)
        stream, block = Stream(17), range(3)
        drawn = mechanism.coupling.draw(stream, block, 3, 5, xp=np).projections  # type: ignore[attr-defined]
        grams = mechanism.gram(stream, block, x, y, "softmax", via="matrix")
        return all(
            same(
                gram,
                (_features(x, matrix, w, scale) @ _features(y, np.linalg.inv(matrix).T, w, scale).T).real,
            )
            for w, gram in zip(drawn, grams, strict=True)
        )

    return Shown(
        "the sampler gives the real part of (16) with the plain transpose, complex A, d = 3, m = 5",
        test,
        0.5,
        (("exponent 1/2 -> 1", 1.0), ("sign of the exponent", -0.5)),
    )


def _is_symmetric_map() -> Shown:
    """The positive map of both signs is the mean of the CE estimators with A = I for w and -w."""

    def printed(x: np.ndarray, y: np.ndarray, w: np.ndarray, sign: float) -> np.ndarray:
        eye = np.eye(x.shape[1])
        mean: np.ndarray = sum(
            _features(x, eye, s * w) @ _features(y, eye, s * w).T for s in (1.0, sign)
        ) / np.array(2.0)
        return mean

    return as_printed(
        "P is the mean of two CE estimators with A = I, for w and for -w, draw by draw",
        Mechanism("hyperbolic", "iid", 5),
        printed,
        -1.0,
        (("w twice", 1.0), ("w and -2 w", -2.0)),
    )


def _real_part_is_trig() -> Shown:
    def printed(x: np.ndarray, y: np.ndarray, w: np.ndarray, factor: complex) -> np.ndarray:
        eye = np.eye(x.shape[1])
        left, right = _features(x, factor * eye, w), _features(y, eye / factor, w)
        real: np.ndarray = (left @ right.T).real
        return real

    return as_printed(
        "T is the real part of the CE estimator with A = iI, draw by draw",
        Mechanism("trigonometric", "iid", 5),
        printed,
        1j,
        (("A = I", 1.0), ("A = (1 + i) I", 1.0 + 1.0j)),
    )


_phi, _u, _v, _s, _t = sympy.symbols("phi u v s t", real=True)
_z, _other = _u + I * _v, _s + I * _t
"""Two complex numbers."""
_CE_POINTS = points((0, 1, 0, 1), ("-1/3", 2, "1/2", 3), (1, 0, 1, 2), names="inner real imag m")
CLAIMS = (
    said("hybrid.lem2.4", "Lemma 2.4, eq. (13)", formula("complex_gaussian_moment", point=_z) == exp(_z**2 / 2),
        also=(Derived("hybrid.lem2.4"), SameValue(complex_gaussian_moment,
        points((0,), ("1+2*I",), ("-I/2",), ("3-I",), names="point"),
            planted=exp(sympy.Abs(point) ** 2 / 2))),
        statement=r"$\mathbb E[\exp(\omega^\top z)]=\exp(\frac12\sum_iz_i^2)$",
        conditions="every z in C^d, d >= 1; u + i v a coordinate of z"),
    said("hybrid.lem2.4/step28", "Appendix A, eq. (28): the exponents of the coordinates add",
        equal(exp(_z**2 / 2) * exp(_other**2 / 2), exp((_z**2 + _other**2) / 2)), also=(Derived("hybrid.lem2.4"),),
        statement=r"$\mathbb E[\exp(\omega^\top z)]=\prod_i\mathbb E[\exp(\omega_iz_i)]$",
        conditions="z in C^d; |exp(w_i z_i)| is integrable; s + i t and u + i v two coordinates of z"),
    step("hybrid.lem2.4/step29", "Appendix A, eq. (29)", "hybrid.lem2.4", "(29) real", "(29) imaginary",
        statement=r"$\mathbb E[\exp(gz)]=\exp(z^2/2)$ for $z\in\mathbb R$ and $z\in i\mathbb R$, hence for $z\in\mathbb C$",
        conditions="g ~ N(0, 1)"),
    step("hybrid.lem2.4/step29txt", "Appendix A, after eq. (29)", "hybrid.lem2.4",
        "(13)", Derived("lemma.identity"),
        statement=r"two analytic functions $\mathbb C\to\mathbb C$ that are identical on uncountably many points are equal",
        conditions="entire functions; uncountably many points are infinitely many in some disc, so some of them have a limit",
        also=(Shown("agreement on a line decides for analytic functions and not for others", _uniqueness, "analytic",
            (("not analytic", "not analytic"),)),
            Textbook("the theorem of Bolzano and Weierstrass", "infinitely many points of a disc have a limit"))),
    step("hybrid.eq14", "eq. (14), plain transpose, any invertible complex A", "hybrid.eq14", "(14)",
        also=(Shown("(A x).(A^-T y) = x.y exactly, four matrices up to d = 3", _cross_term, "plain",
            (("adjoint", "adjoint"), ("inverse without transpose", "inverse"))),),
        statement=r"$e^{(Ax)^2/2}e^{((A^\top)^{-1}y)^2/2}\,\mathrm{SM}(x,y)=\mathbb E[e^{\omega^\top(Ax+(A^\top)^{-1}y)}]$, $z^2=\sum_iz_i^2$",
        conditions="any invertible complex A, x, y in R^d"),
    said("hybrid.eq14/adjoint", "eq. (14), the symbol read as the conjugate transpose, d = 1, A = i",
        equal(exp(-(x**2) / 2 - y**2 / 2 + x * y), exp(-((x + y) ** 2) / 2)),
        differs="the transpose is the plain one, as (18) shows: (A x).(B y) is x.y only for B = A^-T. With the "
        "adjoint and A = i in d = 1 the two sides are 1 and e^-2 at x = y = 1; for real A both readings agree",
        correction="hybrid.eq14", prints="exp ((A ) 1y)2 SM(x, y) = E[exp(ω (Ax + (A ) 1y)]",
        fault=Fault("reading", 1, "none: (18) shows the plain transpose"),
        statement=r"$e^{(Ax)^2/2}e^{((A^{*})^{-1}y)^2/2}\,\mathrm{SM}(x,y)=\mathbb E[e^{\omega^\top(Ax+(A^{*})^{-1}y)}]$",
        conditions="complex A"),
    said("hybrid.eq15",
        "eqs (15), (16)",
        formula("cexp_mse") == exp(2 * inner) * (exp(real**2 + imag**2) - 1) / m,
        also=(Derived("hybrid.eq14"), Derived("hybrid.eq17"), SameValue(cexp_mse, _CE_POINTS,
        planted=cexp_mse.expression * (1 + imag)), _implementation()),
        statement=r"$\mathbb E[\Psi^m_A(x)^\top\Psi^m_{(A^\top)^{-1}}(y)]=\mathrm{SM}(x,y)$; $\mathbb E|S-\mathrm{SM}|^2=\mathrm{SM}^2(e^{|\zeta|^2}-1)/m$, $\zeta=Ax+(A^\top)^{-1}y$",
        conditions="any invertible complex A; product without conjugation; S is complex unless A is real; inner = x.y, real = |Re zeta|, imag = |Im zeta|"),
    said("hybrid.eq15/real-part", "eq. (16), MSE read as that of the real part",
        formula("cexp_real_mse") == exp(2 * inner) / (2 * m)
        * (exp(real**2 + imag**2) + exp(real**2 - imag**2) * sympy.cos(2 * mixed) - 2), also=(SameValue(cexp_real_mse,
            points((0, 1, 0, 0, 1), ("-1/3", 2, "1/2", "1/3", 3), (1, "1/2", 1, "-1/4", 2),
                names="inner real imag mixed m"),
            planted=2 * cexp_real_mse.expression), ProvedStep("hybrid.eq17", "hybrid.eq17/square"),
            Derived("hybrid.lem2.4"), Identity("(E|X|^2 + Re E X^2)/2 - SM^2 over m, E|X|^2 = SM^2 e^(|zeta|^2) and E X^2 = SM^2 e^(zeta.zeta)",
            exp(2 * inner)
                * ((exp(real**2 + imag**2) + sympy.re(exp(real**2 - imag**2 + 2 * sympy.I * mixed))) / 2 - 1) / m,
            cexp_real_mse.expression,
            points((0, 1, 0, 0, 1), ("-1/3", 2, "1/2", "1/3", 3), names="inner real imag mixed m"),
            by=Rewrite()), Slow(sampled_cexp("Re S, A = diag(i, 1/2), m = 4", ["I",
            "1/2"], ["1/2", "1/3"], ["1/5", "-1/4"], 4)),
            Slow(sampled_cexp("Re S, A = diag(1+i, 1/2), m = 4", ["1+I", "1/2"], ["1/5", "1/3"], ["1/5",
            "-1/4"], 4)), Slow(sampled_cexp("S, A = diag(1, 2), m = 4", ["1", "2"], ["1/5", "1/6"], ["1/5", "-1/4"], 4))),
        statement=r"$\mathrm{MSE}(\mathrm{Re}\,S)=\frac{\mathrm{SM}^2}{2m}\bigl(e^{|\zeta|^2}+e^{|\mathrm{Re}\zeta|^2-|\mathrm{Im}\zeta|^2}\cos(2\,\mathrm{Re}\zeta\cdot\mathrm{Im}\zeta)-2\bigr)$",
        conditions="any invertible complex A; the real part is unbiased as SM is real; inner = x.y, real = |Re zeta|, imag = |Im zeta|, mixed = Re zeta . Im zeta"),
    said("hybrid.txt.A-is-iI/(a)", "sentence after (16), draw by draw: over SM e^(|x-y|^2/2), where w.(x-y) = phi",
        equal(exp(I * _phi), sympy.cos(_phi)),
        differs="the CE estimator with A = iI is complex: a draw is SM e^(|x-y|^2/2) exp(i w.(x-y)), and its MSE "
        "E|S - SM|^2 = SM^2 (e^(|x-y|^2) - 1)/m is more than twice that of T (1.72 for 0.54 at x.y = 0, |x-y| = 1, "
        "m = 1). Its real part is T, draw by draw", correction="hybrid.txt.A-is-iI/corrected",
        prints="For A = i Id, CE-estimator becomes trigonometric", fault=Fault("missing condition", 2,
            "'special corollaries' in Section 1 holds for real parts; an implementation that "
            "keeps the complex values has more than twice the MSE of Lemma 2.2"),
        statement="for $A=iI_d$ the CE estimator becomes $T_m$, draw by draw",
        conditions="x != y"),
    step("hybrid.txt.A-is-iI/(b)", "sentence after (16), in law, hence in MSE", "hybrid.txt.A-is-iI", "printed",
        differs="T is real, the CE estimator with A = iI is not, and their errors differ: E|S - SM|^2 = 1.72 "
        "against MSE(T) = 0.54 at x.y = 0, |x-y| = 1, m = 1. The real part has the law of T",
        correction="hybrid.txt.A-is-iI/corrected", prints="For A = i Id, CE-estimator becomes trigonometric",
        fault=Fault("missing condition", 2, "as for the draws", told_by="hybrid.txt.A-is-iI/(a)"),
        statement="for $A=iI_d$ the CE estimator has the law of $T_m$",
        conditions="x != y"),
    said("hybrid.txt.A-is-iI/(c)", "sentence after (16), in MSE, read as E|S - SM|^2 for complex values",
        formula("cexp_mse", real=0) == formula("cexp_real_mse", real=0, mixed=0),
        differs="E|S - SM|^2 = SM^2 (e^(|x-y|^2) - 1)/m contains the variance of the imaginary part, SM^2 "
        "sinh(|x-y|^2)/m: 1.72 against MSE(T) = 0.54 at x.y = 0, |x-y| = 1, m = 1. The MSE of the real part is that "
        "of T", correction="hybrid.txt.A-is-iI/corrected", prints="For A = i Id, CE-estimator becomes trigonometric",
        fault=Fault("ambiguous", 2, "as for the draws; the source does not define the MSE of complex values",
            told_by="hybrid.txt.A-is-iI/(a)")),
    step("hybrid.txt.A-is-iI/corrected", "ours",
        "hybrid.txt.A-is-iI", "corrected", "draws", also=(_real_part_is_trig(),), entry="hybrid.txt.A-is-iI",
        statement="for $A=iI_d$ the real part of the CE estimator is $T_m$, draw by draw",
        conditions="all x, y, m"),
    said("hybrid.txt.A-is-I/(a)", "sentence after (16), draw by draw: over SM e^(-|x+y|^2/2), where w.(x+y) = phi",
        equal(exp(_phi), sympy.cosh(_phi)),
        differs="(3) uses every projection with both signs, the CE estimator with A = I with one: for x = 1, y = 0, "
        "w = 1 in d = 1 they are 1.649 and 0.936, and the MSE is SM^2 (e^(|x+y|^2) - 1)/m for the one, SM^2 "
        "(cosh(|x+y|^2) - 1)/m, less than half, for the other. P is the mean of the CE estimators for w and -w",
        correction="hybrid.txt.A-is-I/corrected",
        prints="For A = i Id, CE-estimator becomes trigonometric and for A = Id, it becomes d SM ++ m (x, y)",
        fault=Fault("error", 2,
            "a CE estimator with A near I is worse than P with as many features "
            "(hybrid.fig6/equal-entries); 'special corollaries' in Section 1 holds for the mean over w and -w"),
        statement=r"for $A=I_d$ the CE estimator becomes $\widehat{\mathrm{SM}}^{++}_m(x,y)$ of (3), draw by draw",
        conditions="x != -y"),
    step("hybrid.txt.A-is-I/(b)", "sentence after (16), in law, hence in MSE", "hybrid.txt.A-is-I", "printed",
        differs="a draw of the CE estimator takes all positive values, one of P only those from SM e^(-|x+y|^2/2) "
        "on, and the variances differ: 1.72 and 0.54 at x.y = 0, |x+y| = 1, m = 1. The mean of the CE estimators "
        "for w and -w has the law of P", correction="hybrid.txt.A-is-I/corrected",
        prints="For A = i Id, CE-estimator becomes trigonometric and for A = Id, it becomes d SM ++ m (x, y)",
        fault=Fault("error", 2, "as for the draws", told_by="hybrid.txt.A-is-I/(a)"),
        statement=r"for $A=I_d$ the CE estimator has the law of $\widehat{\mathrm{SM}}^{++}_m$",
        conditions="x != -y"),
    said("hybrid.txt.A-is-I/(c)", "sentence after (16), in MSE",
        formula("cexp_mse", imag=0) == formula("cexp_symmetric_mse", imag=0),
        differs="the MSE of the CE estimator is SM^2 (e^(|x+y|^2) - 1)/m, that of P is SM^2 (cosh(|x+y|^2) - 1)/m, "
        "less than half of it: 1.72 and 0.54 at x.y = 0, |x+y| = 1, m = 1", correction="hybrid.txt.A-is-I/corrected",
        prints="For A = i Id, CE-estimator becomes trigonometric and for A = Id, it becomes d SM ++ m (x, y)",
        fault=Fault("error", 2, "as for the draws", told_by="hybrid.txt.A-is-I/(a)")),
    step("hybrid.txt.A-is-I/corrected", "ours",
        "hybrid.txt.A-is-I", "corrected", "ratio", also=(_is_symmetric_map(),), entry="hybrid.txt.A-is-I",
        statement=r"$\widehat{\mathrm{SM}}^{++}_m$ is the mean of the CE estimators with $A=I_d$ for $\omega_i$ and $-\omega_i$, and its MSE is at most half that of one of them",
        conditions="all x, y, m"),
    step("hybrid.eq17",
        "eq. (17)",
        "hybrid.eq17", "lower bound", "(17)",
        also=(Shown("the loss vanishes at x = -(A^T A)^-1 y for four matrices up to d = 3, exactly",
            lambda sign: _loss_at_condition(sign), -1, (("sign", 1), ("factor 2", -2))),),
        statement=r"the CE estimator has variance zero if $x=-A^{-1}(A^\top)^{-1}y$ (and only then)",
        conditions="any invertible complex A"),
    said("hybrid.eq18/(i)",
        "eq. (18), sufficiency: the real and imaginary parts of an entry of A x and of A^-T y, for real x, y",
        equal((_u + _s) + I * (_v + _t), _z + _other), also=(Derived("hybrid.eq17"),),
        statement=r"variance zero if $\mathrm{Re}(A)x+\mathrm{Re}((A^\top)^{-1})y=0$ and $\mathrm{Im}(A)x+\mathrm{Im}((A^\top)^{-1})y=0$",
        conditions="real x, y; s + i t an entry of A x, u + i v of A^-T y"),
    fails("hybrid.eq18/(ii)", "eq. (18), 'we can relax that condition'",
        r"(18) is weaker than (17): some $A,x,y$ satisfy (18) but not (17)", "real x, y",
        Shown("for real x, y (18) is (17) in real and imaginary parts", lambda kind: not _conditions_agree(kind),
            "x and y real", (("with a conjugate in one place", "conjugate in one place"),)),
        differs="(18) is (17) written in real and imaginary parts: for real x, y both say A x + (A^T)^-1 y = 0. "
        "Nothing is relaxed, and nothing can be, since (17) is also necessary", correction="hybrid.eq18/(i)",
        prints="In fact we can relax that condition. It is easy to check that for the variance to be zero, we only "
        "need", fault=Fault("slip", 1, "none: (17) is what is used")))  # fmt: skip


def _loss_at_condition(factor: int) -> bool:
    for rows in MATRICES:
        d = len(rows)
        matrix = sympy.Matrix([[sympy.sympify(e) for e in row] for row in rows])
        y = sympy.Matrix([Rational(e) for e in _vectors(d)[1]])
        x = (factor * (matrix.T * matrix).inv() * y).applyfunc(sympy.nsimplify)
        entries = (matrix * x + matrix.T.inv() * y).applyfunc(sympy.simplify)
        if any(e != 0 for e in entries):
            return False
    return True
