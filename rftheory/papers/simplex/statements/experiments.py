"""Sections 4.2 and 5, App. B: costs, MSE ratios, small v, and what of the experiments follows from formulas or from the print."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from operator import and_
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy
from flint import arb
from sympy import Rational, exp

from rftheory.author import (counted, equal, formula, iid, increasing, mean, mse, orthogonal, positive, simplex, sqrt,
    table)  # fmt: skip
from rftheory.exact.geometry import prf_ratio_orf, prf_ratio_simrf
from rftheory.exact.positive import PRINTED_SMALL_V
from rftheory.exact.symbols import d, k, m, v, z
from rftheory.judge import Decision
from rftheory.papers.claim import Claim, Fault, stated
from rftheory.papers.simplex.notation import COUNTED, IIDRF, ORF, PAPER, SIMRF
from rftheory.papers.simplex.statistics import D_X, PASS, PRODUCT, PROXY, R_X, S_X, SAMPLING
from rftheory.printed import SIMPLEX_TABLE_2, SIMPLEX_TABLE_3, SIMPLEX_TABLE_3_ERRORS
from rftheory.sample import Mechanism, Stream, coupling
from rftheory.sample.fast_rotations import HADAMARD
from rftheory.statement.evidence import Check, Derived, NotAtHand, Shown
from rftheory.statement.words import Side

_PREFACTOR = formula("prf_small_v_simrf", d=64, m=64)

# ---- Section 4.2 ------------------------------------------------------------------------------------------

_weight, _others, _scale = sympy.symbols("a b sigma", positive=True)


def _numbers(name: str) -> Callable[[int], int]:
    """How many numbers a block holds, by dimension."""
    return lambda n: int(coupling(name).draw(Stream.named("size"), range(1), n, n).projections.size)


def _signs(n: int) -> int:
    """How many signs the fast proxy draws, 32 to a word."""
    asked: list[int] = []

    def bits(blocks: range, count: int, lane: Any, xp: Any) -> Any:
        asked.append(count)
        return Stream.named("size").bits(blocks, count, lane, xp)

    HADAMARD._turn(SimpleNamespace(bits=bits), range(1), 1, np.ones((1, 1, 1, n)), np)  # type: ignore[arg-type]
    return 32 * sum(asked)


REGULAR, FAST_PLUS, SIGNS = (
    counted(f"numbers of {name}", program)
    for name, program in (
        ("a block", _numbers("orthogonal")),
        ("a block of fast SimRFs+", _numbers("hadamard-simplex+")),
        ("signs", _signs),
    )
)

COSTS = (
    stated("simplex.s4.order", f"{PAPER}, Sec. 4.2",
        (D_X(d) == d) & (S_X(d) == 3 * d - 2) & (R_X(d) == 2 * d**2 - d) & (PRODUCT(d) == 2 * d**3 - d**2)
        & (SAMPLING(d) == 4 * d**3 - 2 * d**2 + d) & (PROXY(d) == 3 * d * (k + 2)) & (PASS(d) == d**3 + 3 * d**2),
        over=COUNTED,
        statement=r"computing $\mathbf D(\mathbf S(\mathbf R\mathbf x))$ avoids the $O(d^3)$ cost of matrix-matrix products; $\mathbf D$ and $\mathbf S$ take $O(d)$, $\mathbf R\mathbf x$ takes $O(d^2)$, sampling $\mathbf R$ takes $O(d^3)$, the proxy less than quadratic time, the scheme (17) takes $O(d^3)$",
        conditions="one operation an addition, multiplication, division or root; d a power of 2 for the proxy, which takes O(d log d); "
        "(17) with a fixed number of passes, each sum taken afresh"),
    stated("simplex.tab1", f"{PAPER}, Table 1",
        (SAMPLING(d) == 4 * d**3 - 2 * d**2 + d) & (S_X(d) == 3 * d - 2) & (PROXY(d) == 3 * d * (k + 2))
        & (PASS(d) == d**3 + 3 * d**2),
        over=COUNTED,
        statement=r"time: ORFs, SimRFs, SimRFs+ $O(d^3)$; fast ORFs and fast SimRFs $O(d\log d)$, fast SimRFs+ $O(d^3)$",
        conditions="sampling of the block and one multiplication; three factors H D in the fast variants; a fixed number of passes of (17)"),
    stated("simplex.s4.space", f"{PAPER}, Sec. 4.2",
        (REGULAR(d) == d**2) & (FAST_PLUS(d) == d**2) & (SIGNS(32 * d) == 3 * (32 * d)), over=COUNTED,
        statement=r"space: regular schemes $O(d^2)$ (to store $\mathbf R$); fast ORFs and fast SimRFs $O(d)$; fast SimRFs+ $O(d^2)$",
        conditions="R has d^2 numbers, the fast variants d norms and 3d signs, fast SimRFs+ the d^2 numbers of all vectors"),
    stated("simplex.s4.space/weights", f"{PAPER}, Sec. 4.2: numbers to be stored, d norms and the 3d signs of "
        "three factors H D_i, against the d weights",
        Side(d + 3 * d) <= d, expected=Decision.FAILS,
        differs="the 3d signs of the matrices D_i are stored too, 4d numbers in all, or the seed that they come from",
        correction="simplex.s4.space",
        prints="because we no longer need to explicitly store ... just the d weights {wi} from χd",
        fault=Fault("ambiguous", 1,
            "none: 3d signs leave the order O(d) as it is, and they can be drawn anew from a seed")))  # fmt: skip


# ---- Sections 5.1, 5.2 ------------------------------------------------------------------------------------

AXIS = (*(f"{a}e{b}" for b in (-3, -2, -1, 0) for a in ("1", "1.78", "3.16", "5.62")), "10")
"""Values of v, evenly spaced on a logarithmic axis, up to 10."""


def _ratios(name: str) -> list[arb]:
    formula = {"orthogonal": prf_ratio_orf, "simplex": prf_ratio_simrf}[name]
    return [formula.enclose(60, d=64, m=64, v=speed).ball.real for speed in AXIS]


def _grows(name: str) -> bool:
    """Whether the ratio increases along the axis: the improvement is bigger at smaller v."""
    values = _ratios(name)
    return all(bool(a < b) for a, b in pairwise(values))


_ORF_RATIO, _SIMRF_RATIO = (mse(one) / mse(IIDRF) for one in (ORF, SIMRF))
_n = sympy.Symbol("n", integer=True, positive=True)
_IID, _ORTHOGONAL, _SIMPLEX = (
    mse(positive(rows, m=_n * d)) == mse(positive(rows, m=d)) / _n for rows in (iid, orthogonal, simplex)
)
_BLOCKS = _IID & _ORTHOGONAL & _SIMPLEX
"""The error of n whole blocks is that of one, divided by n."""

ERRORS = (
    stated("simplex.s5.ratio", f"{PAPER}, Sec. 5.1, that is, not via $\\lVert\\mathbf x-\\mathbf y\\rVert$",
        (_ORF_RATIO.at(z=0) == _ORF_RATIO) & (_SIMRF_RATIO.at(z=0) == _SIMRF_RATIO), over=(d >= 2, v > 0), draw=False),
    stated("simplex.fig6", f"{PAPER}, Figure 6, Sec. 5.1; m is not stated, m = 64; the improvement at 17 values of "
        "v between 0.001 and 10",
        (mse(SIMRF).at(d=64, m=64) < mse(ORF).at(d=64, m=64)) & (mse(ORF).at(d=64, m=64) < mse(IIDRF).at(d=64, m=64)),
        over=v > 0, draw=False,
        also=(Shown("the ratio of SimRFs increases along the axis", _grows, "simplex", (("ORFs", "orthogonal"),),
            covers="cases: 17 values of v, d = 64"),)),
    stated("simplex.fig6/ORFs",
        f"{PAPER}, Sec. 5.1, taken for ORFs: the improvement over IIDRFs is bigger at smaller v",
        increasing(mse(ORF).at(d=64, m=64) / mse(IIDRF).at(d=64, m=64), v), over=v > 0, draw=False,
        expected=Decision.FAILS,
        differs="of SimRFs it is. The ratio of ORFs to IIDRFs tends to 1 both for v -> 0, where both errors are v^2 + O(v^4), and "
        "for v -> oo", correction="simplex.fig6",
        prints="The size of the improvement depends on the data; it is bigger at smaller v",
        fault=Fault("reading", 1, "none: the caption speaks of the improvement by SimRFs")),
    stated("simplex.s5.smallv", f"{PAPER}, Sec. 5.1, denominator read as Gamma(d/2) Gamma(d/2+1)^2 2^d, m = d; of "
        "SimRFs the coefficient of v^2",
        formula("prf_small_v_simrf", m=d) == PRINTED_SMALL_V["b"].subs(m, d), over=d >= 2, draw=False, also=(Derived("simplex.s5.smallv"),)),
    stated("simplex.s5.smallv/a", f"{PAPER}, Sec. 5.1, denominator read as Gamma(d/2) Gamma(d/2+1) 2^(2d)",
        formula("prf_small_v_simrf", m=d) == PRINTED_SMALL_V["a"].subs(m, d), over=d >= 2, expected=Decision.FAILS,
        differs="in this reading the prefactor would be -1.4e16 at d = 64; with Gamma(d/2+1)^2 2^d it is the printed 0.0078",
        correction="simplex.s5.smallv",
        prints="Meanwhile, for SimRFs, ... prefactor evaluates to 0.0078",
        fault=Fault("reading", 1,
            "none: the text at hand does not show the exponents; in another reading the formula is right, and "
            "gives 0.0078")),
    stated("simplex.s5.smallv/c", f"{PAPER}, Sec. 5.1, denominator read as Gamma(d/2) Gamma(d/2+1) 2^2 d",
        formula("prf_small_v_simrf", m=d) == PRINTED_SMALL_V["c"].subs(m, d), over=d >= 2, expected=Decision.FAILS,
        differs="in this reading it is not the coefficient at d = 3; with Gamma(d/2+1)^2 2^d it is",
        correction="simplex.s5.smallv",
        prints="Meanwhile, for SimRFs, ... prefactor evaluates to 0.0078",
        fault=Fault("reading", 1, told_by="simplex.s5.smallv/a")),
    stated("simplex.s5.smallv/any-m", f"{PAPER}, Sec. 5.1, taken for any number of features",
        formula("prf_small_v_simrf") == PRINTED_SMALL_V["b"], over=(d >= 2, m <= d), expected=Decision.FAILS,
        differs="the subtracted fraction carries (m - 1)/(d - 1), so the prefactor is as printed only for m = d",
        correction="simplex.s5.smallv",
        prints="Meanwhile, for SimRFs, ... prefactor evaluates to 0.0078",
        fault=Fault("missing condition", 1, "none: 0.0078 and Figure 6 are about m = d")),
    stated("simplex.s5.prefactor", f"{PAPER}, Sec. 5.1, the prefactor of $v^2$ at d = m = 64, to the printed digits",
        (Rational("0.00775") <= _PREFACTOR) & (Rational("0.00785") >= _PREFACTOR)),
    stated("simplex.fig7", f"{PAPER}, Figure 7, Sec. 5.2, in the mean over the features, for each of the N^2 "
        "errors that add up; n whole blocks",
        _BLOCKS & (mse(SIMRF) < mse(ORF)) & (mse(ORF) < mse(IIDRF)), over=(d >= 2, m >= 2, v > 0), draw=False))  # fmt: skip

# ---- Section 5.3, App. B ----------------------------------------------------------------------------------


def _shares(feature: str) -> bool:
    """Whether the weights K^/sum K^ of 40 training points are positive and add up to 1, 20 test points, 50 draws of features."""
    generator = np.random.Generator(np.random.Philox(7))
    training, test = generator.standard_normal((40, 3)), generator.standard_normal((20, 3))
    mechanism = Mechanism(feature, "simplex", 3)
    gram = mechanism.gram(Stream.named("regression"), range(50), test, training)
    total = np.sum(gram, axis=-1, keepdims=True)
    return bool(np.all(gram > 0) and np.all(np.abs(np.sum(gram / total, axis=-1) - 1) < 1e-12))


_METHODS = ("IIDRFs", "ORFs", "fast ORFs", "SimRFs", "fast SimRFs")
_BY_V = ("wifi", "nursery", "abalone", "cmc", "chess", "banknote", "yeast", "car")
"""The data sets, by their mean v."""
_TABLE_2 = table(
    "simplex Table 2", SIMPLEX_TABLE_2, _BY_V, ("v", "SimRFs", "its error", "SimRFs+", "its error+")
)
_TABLE_3, _ERRORS_3 = (table(name, entries, (*_BY_V[:6], "car", "yeast"), _METHODS) for name, entries
    in (("simplex Table 3", SIMPLEX_TABLE_3), ("standard error in simplex Table 3", SIMPLEX_TABLE_3_ERRORS)))  # fmt: skip
_i = sympy.Symbol("i", integer=True, positive=True)
"""A data set."""


def _gain(row: str | sympy.Symbol) -> Side:
    return _TABLE_2(row, "SimRFs+") - _TABLE_2(row, "SimRFs")


def _gains(first: int, last: int) -> Side:
    return Side(sympy.Sum(_gain(_i).expression, (_i, first, last)))


def _noise(row: str) -> Side:
    """The standard error of the gain."""
    return sqrt(_TABLE_2(row, "its error") ** 2 + _TABLE_2(row, "its error+") ** 2)


def _change(method: str, row: str | sympy.Symbol = _i) -> tuple[Side, Side]:
    """What the fast variant of a method changes, and the standard error of that."""
    fast = f"fast {method}"
    return (Side(sympy.Abs((_TABLE_3(row, fast) - _TABLE_3(row, method)).expression)),
        sqrt(_ERRORS_3(row, method) ** 2 + _ERRORS_3(row, fast) ** 2))  # fmt: skip


_ORF_CHANGE, _SIMRF_CHANGE = _change("ORFs"), _change("SimRFs")
_ALIKE = (*(("ORFs", row) for row in ("nursery", "abalone", "cmc", "chess", "banknote", "car")),
    *(("SimRFs", row) for row in ("wifi", "nursery", "chess", "car", "yeast")))  # fmt: skip
"""Where the fast variant changes the accuracy by less than a standard error."""


def _unknown(reason: str) -> tuple[Check, ...]:
    return (NotAtHand(reason),)


TABLES = "the splits and encodings of the eight UCI tables, and the chosen scales"
REDRAWN = (f"rests on {TABLES}, which are not stated; `rftheory figure simplex_tab2` and its like (`_tab3`, `_fig8`, `_fig10`) "
    "compute it again on the same tables with splits of ours, and say what agrees")  # fmt: skip

CLASSIFICATION = (
    stated("simplex.s5.regression", f"{PAPER}, Sec. 5.3: the weights of positive estimates, $b$ the sum of the "
        "others; trigonometric ones can be negative and add up to zero",
        (Side(_weight / (_weight + _others)) > 0)
            & equal(_weight / (_weight + _others) + _others / (_weight + _others), 1), also=(Shown("weights of a small sample", _shares, "positive", (("trigonometric features", "trigonometric"),)),)),
    stated("simplex.fig10/(i)", f"{PAPER}, App. B.1, Figure 10, (i): the kernel that the estimates have as their mean",
        mean(IIDRF).at(v=_scale * v, z=_scale * z) == exp(-(z**2) / (2 / _scale**2)), draw=False,
        statement=r"rescaling the data by $\sigma$ is $K(\mathbf x,\mathbf x')=e^{-\frac{\lVert\mathbf x-\mathbf x'\rVert_2^2}2}\to "
        r"e^{-\frac{\lVert\mathbf x-\mathbf x'\rVert_2^2}{2/\sigma^2}}$",
        conditions=r"$\sigma>0$"),
    stated("simplex.fig10/(ii)",
        f"{PAPER}, App. B.1, Figure 10, (ii), read for the MSE relative to K^2, as the scale grows with $|x + y|$",
        increasing(mse(IIDRF) / exp(-(z**2)), v), over=v > 0, draw=False),
    Claim("simplex.fig10/(iii)", f"{PAPER}, App. B.1, Figure 10, (iii)",
        "the peak of the IIDRF curve does not generically coincide with the peak of the exact-kernel curve",
        "classification accuracy on the eight data sets", _unknown(f"{TABLES}; the grid of scales is not stated"),
        Decision.UNDECIDED, reason=REDRAWN),
    Claim("simplex.fig8", f"{PAPER}, Figure 8, Sec. 5.3",
        "SimRFs consistently perform best in classification; the benefit depends on the data",
        "classification accuracy on the eight data sets", _unknown(TABLES), Decision.UNDECIDED,
        reason=REDRAWN),
    stated("simplex.fig8/large m", f"{PAPER}, Figure 8, Sec. 5.3: each estimate tends to the kernel in mean square "
        "as the number n of whole blocks grows, so that a fixed finite test set without ties gets the exact "
        "prediction",
        _BLOCKS, over=d >= 2, draw=False),
    Claim("simplex.tab2/numbers", f"{PAPER}, Table 2", "the printed accuracies of SimRFs and SimRFs+",
        "m = d features on the eight data sets", _unknown(TABLES), Decision.UNDECIDED,
        reason=REDRAWN),
    stated("simplex.tab2/small v", f"{PAPER}, Table 2, Sec. 5.3.1",
        (_TABLE_2(_i, "v") < _TABLE_2(_i + 1, "v")) & (_gains(1, 4) > _gains(5, 8)), over=_i <= 7,
        statement="improvements by SimRFs+ tend to occur where v is small",
        conditions="the printed numbers; read as: the mean gain over the four data sets of smallest mean v exceeds that over the other four; "
        "data sets by their mean v"),
    stated("simplex.tab2/marginal", f"{PAPER}, Table 2, Sec. 5.3.1",
        (_gain(_i) <= Rational("0.016")) & (_gain("wifi") > 6 * _noise("wifi")) & (_gain("nursery") > 6 * _noise("nursery"))
        & (8 * _gain("wifi") < _TABLE_3("wifi", "SimRFs") - _TABLE_3("wifi", "ORFs")),
        statement="any gain provided by using SimRFs+ is marginal",
        conditions="the printed numbers; our reading, on size: no gain exceeds 0.016, and the greatest, on wifi, is an eighth of what SimRFs "
        "gain over ORFs there in Table 3. The gains on wifi and nursery are more than noise, six and almost seven standard errors",
        prints="any gain provided by using SimRFs+ is marginal"),
    Claim("simplex.tab2/ORFs", f"{PAPER}, Sec. 5.3.1", "both variants substantially outperform ORFs on every dataset",
        "m = d features on the eight data sets",
        _unknown("the accuracies of ORFs without padding, which are not printed"), Decision.UNDECIDED,
        reason=f"the accuracies of ORFs at m = d without padding are not printed, and rest on {TABLES}, which are not stated"),
    Claim("simplex.fig9", f"{PAPER}, Figure 9, Sec. 5.4",
        "the SimRFs-Performer outperforms the regular ORFs-Performer, by 0.5% on ImageNet2012, and is never worse",
        "Vision Transformers trained for 300 epochs", _unknown("trained Transformers and their image data"),
        Decision.UNDECIDED,
        reason="rests on Transformers trained on ImageNet2012, I-Naturalist2021, Places365 and Fashion-MNIST, which are not at hand"),
    Claim("simplex.tab3/numbers", f"{PAPER}, Table 3",
        "the printed accuracies of regular and fast mechanisms; padding accounts for the discrepancies with Figure 8",
        "m = d features, padded data", _unknown(TABLES), Decision.UNDECIDED,
        reason=REDRAWN),
    stated("simplex.tab3/unchanged",
        f"{PAPER}, Table 3, caption; no difference beyond three standard errors",
        (_ORF_CHANGE[0] <= 3 * _ORF_CHANGE[1]) & (_SIMRF_CHANGE[0] <= 3 * _SIMRF_CHANGE[1]), expected=Decision.FAILS,
        differs="on banknote fast SimRFs are better than regular ones by 0.0100, which is 3.9 standard errors; all differences are "
        "at most 0.0100, as App. B.2.2 puts it: not substantial",
        correction="simplex.tab3/not substantially",
        prints="with a structured HD-product does not change the accuracy of nonparametric classification",
        fault=Fault("ambiguous", 1,
            "none: App. B.2.2 says 'does not substantially change', which the numbers bear out")),
    stated("simplex.tab3/not substantially", f"{PAPER}, App. B.2.2",
        (_ORF_CHANGE[0] <= Rational("0.01")) & (_SIMRF_CHANGE[0] <= Rational("0.01")),
        statement="replacing R by an HD-product does not substantially change the accuracy",
        conditions="the printed numbers; read as: by at most 0.01 on every data set"),
    stated("simplex.tab3/frequently", f"{PAPER}, App. B.2.2",
        reduce(and_, (change <= noise for change, noise in (_change(*one) for one in _ALIKE))),
        statement="results are frequently identical to the regular case",
        conditions="the printed numbers; read as: in 11 of the 16 comparisons the difference is within one standard error; the printed "
        "digits are the same in one, SimRFs on chess",
        prints="Results are frequently identical to the regular case"),
    stated("simplex.tab3/SimRFs best",
        f"{PAPER}, Table 3 against Secs 5.3, 5.3.1, regular implementations",
        _TABLE_3(_i, "ORFs") <= _TABLE_3(_i, "SimRFs"), expected=Decision.FAILS,
        differs="on yeast, with padding, the printed accuracy of ORFs is higher by 0.0006, within one standard error; SimRFs are "
        "ahead on the other seven data sets",
        correction="simplex.tab3/seven",
        prints="SimRFs consistently perform best",
        fault=Fault("reading", 1,
            "none: the sentence is on Figure 8, where vectors are not padded, and the one exception is within the "
            "noise")),
    stated("simplex.tab3/seven", "corrects Sec. 5.3 for the numbers of Table 3",
        (_TABLE_3(_i, "ORFs") < _TABLE_3(_i, "SimRFs")) & (_TABLE_3(_i, "IIDRFs") < _TABLE_3(_i, "ORFs")), over=_i <= 7,
        statement="on every data set of Table 3 but yeast SimRFs have a higher printed accuracy than ORFs, and ORFs than IIDRFs",
        conditions="the printed numbers, regular implementations"))  # fmt: skip

CLAIMS: tuple[Claim, ...] = (*COSTS, *ERRORS, *CLASSIFICATION)
