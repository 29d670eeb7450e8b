"""Provers: each takes a part of a statement and its domain, and finds a proof for the whole domain, or nothing.

`proof` is what they return and how they are tried; `reduce`, `series`, `signs`, `dimension` and `at_zero` are the
algebra that they share; `unexpanded` says why a limit is left open; `derivation` takes the proof that a statement
names. A new prover is a function in a file here and a name in the list.
"""

from rftheory.statement.provers.averaged import by_mean_pair
from rftheory.statement.provers.bounds import by_bounds, by_correlation, by_gain
from rftheory.statement.provers.branches import by_branches
from rftheory.statement.provers.continuous import by_derivative
from rftheory.statement.provers.definition import by_definition
from rftheory.statement.provers.ends import by_ends
from rftheory.statement.provers.exists import by_existence
from rftheory.statement.provers.expand import by_expansion, by_leaving_out, by_size
from rftheory.statement.provers.gammas import by_gammas
from rftheory.statement.provers.hypergeometric import by_term_ratios
from rftheory.statement.provers.identity import by_identity
from rftheory.statement.provers.incomplete import by_gamma_tails
from rftheory.statement.provers.instances import by_end_apart, by_instance
from rftheory.statement.provers.inverse import by_inverse
from rftheory.statement.provers.order import (
    by_clearing,
    by_coefficients,
    by_factor,
    by_least_apart,
    by_order,
    by_range,
    by_sign,
    by_slope,
)
from rftheory.statement.provers.powers import by_condition, by_exponentials, by_logarithms
from rftheory.statement.provers.probable import by_certificate
from rftheory.statement.provers.products import by_products
from rftheory.statement.provers.proof import FOR_TABLES, PROVERS, Proof, Prover, prove
from rftheory.statement.provers.regions import by_boxes, by_cases, by_comparison, by_dimensions
from rftheory.statement.provers.waves import by_waves
from rftheory.statement.provers.zeros import by_zeros

PROVERS += [
    by_identity, by_definition, by_certificate, by_sign, by_comparison, by_coefficients, by_slope, by_logarithms,
    by_exponentials, by_zeros, by_range, by_size, by_expansion, by_leaving_out, by_cases, by_dimensions, by_boxes,
    by_derivative, by_order, by_existence, by_condition, by_bounds, by_correlation, by_clearing, by_factor,
    by_mean_pair, by_term_ratios, by_gammas, by_products,
    by_gamma_tails, by_inverse, by_ends, by_gain, by_instance, by_end_apart, by_least_apart,
    by_waves, by_branches,
]  # fmt: skip
FOR_TABLES += [by_cases, by_existence]

__all__ = ["FOR_TABLES", "PROVERS", "Proof", "Prover", "prove"]
