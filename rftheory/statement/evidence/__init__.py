"""The kinds of evidence by which claims are judged. Each comes with errors planted on purpose.

A check whose planted error is not refuted in the same run is not evidence, and leaves the claim undecided.

Derived: ``Derived``, ``ProvedStep``, ``FailingStep``, ``Textbook``. Certified: ``SameValue``, ``Identity``,
``Counterexample``, ``OnBox``, ``Shown``. Sampled: ``SampledMean``,
``SampledOrder``. ``Slow`` marks a check that ``--quick`` leaves out, ``NotAtHand`` a claim that cannot be decided here.
"""

from __future__ import annotations

from rftheory.statement.evidence.bench import Bench, Check, NotAtHand, Slow, Values
from rftheory.statement.evidence.certified import (
    Counterexample,
    Identity,
    OnBox,
    SameValue,
    Shown,
)
from rftheory.statement.evidence.derived import Derived, FailingStep, ProvedStep, Textbook
from rftheory.statement.evidence.sampled import (
    Difference,
    Law,
    Range,
    SampledMean,
    SampledOrder,
    Scored,
    Statistic,
    engine_options,
    other,
    scored,
    times,
)

__all__ = [
    "Bench",
    "Check",
    "Counterexample",
    "Derived",
    "Difference",
    "FailingStep",
    "Identity",
    "Law",
    "NotAtHand",
    "OnBox",
    "ProvedStep",
    "Range",
    "SameValue",
    "SampledMean",
    "SampledOrder",
    "Scored",
    "Shown",
    "Slow",
    "Statistic",
    "Textbook",
    "Values",
    "engine_options",
    "other",
    "scored",
    "times",
]
