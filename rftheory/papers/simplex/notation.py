"""What the modules of this source share: points, statistics that several claims use, claims on single proof steps."""

from __future__ import annotations

from collections.abc import Sequence

from rftheory.author import equal, iid, k, orthogonal, positive, simplex, trigonometric
from rftheory.exact.symbols import d, m
from rftheory.papers.claim import Claim, instance
from rftheory.papers.simplex.statistics import estimate, estimate_law, fourth_power, normal_fourth_power
from rftheory.papers.statistics import pair_product, pair_product_law, squared_error, squared_error_law
from rftheory.papers.steps import proved_step
from rftheory.statement.evidence import SampledMean, Slow, Values, times
from rftheory.statement.evidence.stated import FromStatement
from rftheory.statement.words import Claim as Relations

PAPER = "Reid et al., ICML 2023"
MILLION = 2**20

IIDRF, ORF, SIMRF = (positive(rows, m=m) for rows in (iid, orthogonal, simplex))
RFF_IID, RFF_ORF = (trigonometric(rows, m=m) for rows in (iid, orthogonal))
"""The mechanisms of the source with any number of rows: positive and trigonometric features."""

CORNERS: tuple[Values, ...] = ({"d": 2, "v": 0}, {"d": 2, "v": "1e-8"}, {"d": 3, "v": "1/3"},
    {"d": 64, "v": 1})  # fmt: skip
"""Awkward values first: no data, nearly no data, odd d, an ordinary point."""

COUNTED = (k >= 1, k <= 5, equal(d, 2**k))
"""Dimensions at which operations are counted: more than the counts, which are polynomials of degree 3 at most or
c d log2 d + c' d, have unknown coefficients."""


def counts(claim: Relations) -> FromStatement:
    """Operations, counted where `COUNTED` says, as evidence for a claim that says more."""
    return instance(claim, COUNTED, "cases: d = 2, 4, 8, 16, 32")


def conformity_sample(name: str, dim: int, length: str) -> Slow:
    """The pair product of a coupling has the conformity as its mean, and not two percent more."""
    return Slow(
        SampledMean(
            f"E exp((w_1 + w_2).v), {name}, d = {dim}, v = {length}",
            pair_product(name, dim, length),
            pair_product_law(name, dim, length),
            times(1.02),
            MILLION,
        )
    )


def error_sample(feature: str, name: str, dim: int, features: int, length: str) -> Slow:
    """The mean squared error of a mechanism is the exact one, and not 15 percent more."""
    norm = "|x + y|" if feature == "positive" else "|x - y|"
    return Slow(
        SampledMean(
            f"MSE, {feature}, {name}, d = {dim}, m = {features}, {norm} = {length}",
            squared_error(feature, name, dim, features, length),
            squared_error_law(feature, name, dim, features, length),
            times(1.15),
            MILLION,
        )
    )


def mean_sample(feature: str, name: str, dim: int, features: int, length: str) -> Slow:
    """The mean of the estimate is the kernel, and not two percent more."""
    return Slow(
        SampledMean(
            f"mean of the estimate, {feature}, {name}, d = {dim}, m = {features}, length {length}",
            estimate(feature, name, dim, features, length),
            estimate_law(feature, name, dim, features, length),
            times(1.02),
            2**18,
        )
    )


def marginal_sample(name: str, dim: int, row: int) -> Slow:
    """The fourth moment of a coordinate of one row is that of N(0, 1), and not five percent more."""
    return Slow(
        SampledMean(
            f"E w_1^4 of row {row}, {name}, d = {dim}",
            fourth_power(name, dim, row),
            normal_fourth_power,
            times(1.05),
            MILLION,
        )
    )


def proof_steps(entry: str, where: str, domain: str, *rows: Sequence[str]) -> tuple[Claim, ...]:
    """One claim for each printed step of a proof.

    Parameters
    ----------
    domain : for which the source takes the steps.
    rows : name of the step, what the source says, and the labels of the steps that judge it; without any, the name.
    """
    return tuple(
        proved_step(f"{entry}/{name}", f"{PAPER}, {where}, {name}", entry,
            *(f"{entry}/{label}" for label in labels or (name,)), statement=words, conditions=domain)
        for name, words, *labels in rows
    )  # fmt: skip
