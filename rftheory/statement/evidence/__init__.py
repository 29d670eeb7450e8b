"""The kinds of evidence out of which claims are judged. Each carries errors planted on purpose.

A check whose planted error is not refuted in the same run is no evidence, and leaves the claim undecided.

Derived: ``Derived``, ``ProvedStep``, ``FailingStep``, ``Textbook``. Certified: ``SameValue``, ``Identity``,
``PrintedDigits``, ``Counterexample``, ``EqualSides``, ``Ordered``, ``OnBox``, ``Shown``. Sampled: ``SampledMean``,
``SampledOrder``. ``Slow`` marks a check that ``--quick`` leaves out, ``NotAtHand`` what cannot be decided here.
"""

from __future__ import annotations

from rftheory.statement.evidence.bench import Bench, Check, NotAtHand, Slow, Values, point_text, stopwatch
from rftheory.statement.evidence.certified import (
    Counterexample,
    EqualSides,
    Identity,
    OnBox,
    Ordered,
    PrintedDigits,
    SameValue,
    Shown,
)
from rftheory.statement.evidence.derived import Derived, FailingStep, ProvedStep, Textbook
from rftheory.statement.evidence.sampled import (
    Law,
    SampledMean,
    SampledOrder,
    Statistic,
    measure,
    other,
    times,
)

__all__ = [
    "Bench",
    "Check",
    "Counterexample",
    "Derived",
    "EqualSides",
    "FailingStep",
    "Identity",
    "Law",
    "NotAtHand",
    "OnBox",
    "Ordered",
    "PrintedDigits",
    "ProvedStep",
    "SameValue",
    "SampledMean",
    "SampledOrder",
    "Shown",
    "Slow",
    "Statistic",
    "Textbook",
    "Values",
    "measure",
    "other",
    "point_text",
    "stopwatch",
    "times",
]
