"""The type of a diagnosis, and the table of all diagnoses by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rftheory.check.findings import PROPERTIES, Finding, plain
from rftheory.judge import Outcome

SURE = 40
"""After so many calls with the same sign, chance is excluded: probability 2^-39."""

FITS = 1e-4
"""A law fits if a Kolmogorov-Smirnov test does not refute it at this level."""

FITTED = 1 << 15
"""How many values are compared with a candidate law: more would refute every approximation."""

LARGEST_EXPONENT = 700.0

ROUNDING = 1e-4
STANDARD_ERRORS = 5.0


@dataclass(frozen=True)
class Diagnosis:
    """A named defect.

    Attributes
    ----------
    name : key of the table `TABLE`.
    sentence : what is wrong and what follows from it.
    bias : closed form of the bias, with its value, if there is one.
    evidence : the numbers behind the sentence.
    titled : a title for this case, where that of the table is not true of it.

    Examples
    --------
    >>> found = Diagnosis("norms-fixed", "All rows have the norm sqrt(d)", evidence={"d": 16})
    >>> TABLE[found.name], found.to_dict()["evidence"]
    ('fixed norm sqrt(d)', {'d': 16})
    """

    name: str
    sentence: str
    bias: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)
    titled: str = ""

    @property
    def title(self) -> str:
        """What the defect is called in a report."""
        return self.titled or TABLE[self.name]

    def explains(self, finding: Finding) -> bool:
        """Whether the defect can cause this refutation."""
        if any(word in finding.test for word in NOT_CAUSED.get(self.name, ())):
            return False
        return finding.topic in CAUSED.get(self.name, EFFECTS)

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON."""
        return plain({
            "name": self.name, "sentence": self.sentence, "bias": self.bias, "evidence": self.evidence
        })  # fmt: skip


TABLE = {"qr-signs": "missing QR signs", "rows-columns": "rows and columns mixed up",
    "chi-freedom": "wrong degrees of freedom of chi",
    "norms-of-block": "norms taken from the block that was factored", "norms-shared": "shared norms",
    "norms-fixed": "fixed norm sqrt(d)", "hadamard-signs": "biased signs in Hadamard products",
    "padding": "non-power-of-two padding", "scale": "a scale factor of the weights",
    "product-law": "product of one-dimensional laws instead of a multivariate one",
    "radial-law": "one multivariate law instead of a product of one-dimensional ones",
    "projections-shared": "projections shared where independence is needed",
    "draws-repeated": "the same draw in different calls",
    "feature-scale": "a scale factor of the features, as with D in place of 2D",
    "kernel-scale": "length scale of the estimated kernel",
    "missing-offset": "a wrong factor of |x|, such as exp(-|x|^2/2)",
    "lambda-swapped": "lambda weights swapped", "lambda-shared": "coefficients and base estimators share projections",
    "clipped": "clipping of negatives", "seed-ignored": "a seed that is not used",
    "few-states": "few states of the generator", "seeds-overlap": "calls with neighbouring seeds share rows",
    "discrete": "entries of a few values only", "zero-rows": "rows that are zero",
    "precision-lost": "precision of 16 bits", "norms-cached": "norms drawn once for all calls",
    "directions-cached": "directions drawn once for all calls", "rows-repeated": "rows repeated inside a call",
    "rows-opposite": "rows in opposite pairs",
    "blocks-permuted": "blocks made of the same directions in another order",
    "rows-permuted": "rows in another order", "angles-other": "other angles between rows than the declared ones",
    "phase-shared": "one phase for all rows",
    "block-size": "blocks of another size than the declared ones",
    "coupling-other": "another coupling than the declared one", "last-block": "a last block that is unlike the others",
    "half-space": "a coordinate of one sign", "norms-sorted": "norms in order of size",
    "hadamard-factors": "too few Hadamard factors", "tails-truncated": "tails cut off",
    "mean-offset": "weights shifted by a vector", "anisotropic": "coordinates of unequal size or correlated",
    "coordinate-law": "coordinates that are not normal", "norm-law": "norms of another law",
    "norms-paired": "norms in other pairs than the declared ones",
    "quasi-random": "points too even to be independent", "norms-dependent": "norms that depend on each other",
    "batch-dependent": "features that depend on the other inputs",
    "estimate-offset": "a constant added to every estimate", "phases": "phases missing or of too small a range",
    "projections-unshared": "x and y seen through different projections",
    "normalised": "features normalised to a fixed length", "maximum-taken": "a maximum taken off each input",
    "rows-centred": "rows of a call that sum to 0", "rotation-law": "rotations that are not uniform",
    "call-factor": "a random factor for all rows of a call", "rows-kept": "rows that are the same in every call",
    "rows-correlated": "rows that are correlated", "feature-offset": "a constant added to every feature",
    "waves-apart": "cos and sin of different projections",
    "fewer-projections": "fewer independent projections than promised",
    "inputs-apart": "inputs treated unequally, or features of another map",
    "rounded": "entries rounded to multiples of a step", "calls-unalike": "calls that change with their number",
    "underflow": "features that vanish", "inputs-changed": "inputs that a call writes into"}  # fmt: skip
"""All diagnoses by key, in the order in which they are tried."""


EFFECTS = frozenset(PROPERTIES) - {"determinism", "stability"}
"""The properties that a defect may affect unless stated otherwise."""

OF_NORMS = ("mean of |w|^2 is d", "norms have ")
OF_DIRECTIONS = {"qr-signs": (*OF_NORMS, "contrast"), "rotation-law": OF_NORMS, "half-space": OF_NORMS}
"""Defects that leave the norms of single rows as they are, with words of the tests that they cannot cause."""
OF_SIZES = ("chi-freedom", "norms-shared", "norms-fixed", "scale", "norms-cached", "norms-sorted", "norm-law",
    "norms-paired", "norms-dependent", "call-factor")  # fmt: skip
"""Defects of the norms alone."""
NOT_CAUSED = OF_DIRECTIONS | dict.fromkeys(OF_SIZES, ("angles", "cosine"))
"""Words of the tests that a defect cannot cause: norms change no angle."""

CAUSED = {"draws-repeated": frozenset(PROPERTIES) - {"stability"}, "seed-ignored": frozenset({"determinism"}),
    "inputs-changed": frozenset({"determinism"}),
    "few-states": EFFECTS | {"determinism"},  # calls that depend on each other spoil every test
    "precision-lost": EFFECTS | {"stability"}, "discrete": EFFECTS | {"stability"},
    "norms-fixed": EFFECTS | {"stability"}, "rounded": EFFECTS | {"stability"},
    "calls-unalike": frozenset(PROPERTIES),
    # factors that grow or vanish with |x|, wherever the inputs are large
    "missing-offset": EFFECTS | {"stability"}, "kernel-scale": EFFECTS | {"stability"},
    "zero-rows": EFFECTS | {"stability"}, "rows-opposite": frozenset({"coupling", "blocks", "variance"}),
    # tests of means take the promised variance for granted, and those of tails that rows are independent
    "rows-repeated": frozenset({"directions", "coupling", "blocks", "variance", "unbiasedness"}),
    "blocks-permuted": frozenset({"blocks", "variance"}),
    "rows-permuted": frozenset({"coupling", "blocks"}), "angles-other": frozenset({"coupling", "variance"}),
    "phase-shared": frozenset({"variance"}), "fewer-projections": frozenset({"variance"}),
    "inputs-apart": frozenset({"unbiasedness", "variance"}),
    "coupling-other": frozenset({"coupling", "blocks", "variance"}),
    "block-size": frozenset({"coupling", "blocks", "variance"}),
    "norms-paired": frozenset({"coupling", "blocks", "variance"}),
    "norms-sorted": EFFECTS,  # means, too, of blocks that are cut
    "hadamard-factors": frozenset({"coupling", "marginal"}), "norms-dependent": EFFECTS - {"directions"},
    "batch-dependent": EFFECTS | {"determinism", "stability"}, "underflow": EFFECTS | {"stability"},
    "rows-correlated": frozenset({"directions", "coupling", "blocks", "variance", "unbiasedness"}),
    "clipped": EFFECTS | {"stability"}, "maximum-taken": EFFECTS | {"stability"},
    "normalised": EFFECTS | {"stability"}, "tails-truncated": EFFECTS | {"stability"},
    "estimate-offset": EFFECTS | {"stability"}}  # fmt: skip


def exponential(value: float) -> float:
    """exp(value), or infinity where that leaves the range of floats."""
    return math.exp(value) if value < LARGEST_EXPONENT else math.inf


def percent(value: float) -> str:
    """A relative difference in words.

    Examples
    --------
    >>> percent(-0.196), percent(2e6), percent(math.inf)
    ('-19.6 %', '+2e+08 %', 'more than can be printed')
    """
    if not math.isfinite(value):
        return "more than can be printed"
    return f"{100 * value:+.1f} %" if abs(value) < 1e4 else f"{100 * value:+.2g} %"


def fit(values: np.ndarray, cdf: Callable[..., Any]) -> float:
    """p-value of the Kolmogorov-Smirnov test that values have this distribution function."""
    from scipy import stats  # imported here because it is slow to import, and only defects need it

    return float(stats.ks_1samp(values[:FITTED], cdf, method="exact").pvalue)


def refuted(findings: Sequence[Finding], *properties: str, word: str = "") -> bool:
    """Whether a test of one of the properties (by default, of any), with ``word`` in its label, was refuted."""
    return any(
        f.outcome is Outcome.REFUTED and (not properties or f.topic in properties) and word in f.test
        for f in findings
    )


def unexplained(findings: Sequence[Finding], named: Sequence[Diagnosis]) -> list[Finding]:
    """The refutations that the named defects do not explain."""
    return [f for f in findings if f.outcome is Outcome.REFUTED and not is_explained(f, named)]


def is_explained(finding: Finding, named: Sequence[Diagnosis]) -> bool:
    """Whether a test is refuted as one of the named defects explains."""
    return finding.outcome is Outcome.REFUTED and any(one.explains(finding) for one in named)
