"""The checks that prove steps: equal expressions, changes of variable, exchanges, lemmas, inductions, signs.

Each check is a small frozen object that is called with the step and its scope. It answers ``proved`` only for a
proof; if its premises cannot be established it answers ``undecided`` and says which one is missing.
"""

from __future__ import annotations

from rftheory.exact.proof.rules.asymptotics import Taylor
from rftheory.exact.proof.rules.inductions import IntegralRecurrence, RatioInduction, StateInduction
from rftheory.exact.proof.rules.inequalities import (
    Combination,
    FromInequality,
    Increasing,
    Ladder,
    OnBox,
    Scaled,
    Sign,
    Termwise,
)
from rftheory.exact.proof.rules.integrals import Antiderivative, ChangeVariable, Exchange, Symmetry
from rftheory.exact.proof.rules.refutations import Counterexample, Holds
from rftheory.exact.proof.rules.rewriting import (
    Chain,
    Cited,
    Definition,
    Given,
    Inside,
    Instance,
    Rewrite,
    Use,
)
from rftheory.exact.proof.rules.sums import FirstTerms, Reindex, Reversed, SeriesHead

__all__ = [
    "Antiderivative",
    "Chain",
    "ChangeVariable",
    "Cited",
    "Combination",
    "Counterexample",
    "Definition",
    "Exchange",
    "FirstTerms",
    "FromInequality",
    "Given",
    "Holds",
    "Increasing",
    "Inside",
    "Instance",
    "IntegralRecurrence",
    "Ladder",
    "OnBox",
    "RatioInduction",
    "Reindex",
    "Reversed",
    "Rewrite",
    "Scaled",
    "SeriesHead",
    "Sign",
    "StateInduction",
    "Symmetry",
    "Taylor",
    "Termwise",
    "Use",
]
