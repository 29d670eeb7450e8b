"""What a report that agrees would have seen: the sizes of error that its tests refute with power 0.999."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rftheory.check.findings import Finding
from rftheory.judge import Outcome
from rftheory.judge.budget import POWER

OF_ROWS = (
    ("marginal", "mean of |w|^2", "a mean of |w|^2 off by"),
    ("unbiasedness", "", "means of cos, sin and exp(w.v) off by"),
    ("variance", "", "variances too large by"),
)
OF_ESTIMATES = (
    ("unbiasedness", "", "a mean of K^ off from the kernel by"),
    ("variance", "", "squared errors too large by"),
)
"""Property, a word in the names of its tests, and what their effects are."""
RELATIVE = ("relative", "of E exp(w.v)")
OTHER = ("KS distance", "root mean squares", "probability")


def sensitivity(findings: Sequence[Finding], *, rows: bool) -> str:
    """One sentence with the errors that would have been seen, from the smallest to the largest of all places.

    Every test states the error that it refutes with this power, so the largest of them is seen wherever it occurs. If
    no mean was tested, the sizes are those of the other properties, in their own units. ``rows`` says that the target
    returns rows, not estimates.

    Examples
    --------
    >>> nan = math.nan
    >>> near, far = (
    ...     Finding("unbiasedness", "", Outcome.AGREES, 9, 0.0, "relative", (nan, nan), size, 0.1, 0.5)
    ...     for size in (0.023, 0.08)
    ... )
    >>> sensitivity([near, far], rows=False)
    'errors that would have been seen, with probability 0.999: a mean of K^ off from the kernel by 2.3 % to 8 %'
    >>> sensitivity([], rows=True)
    ''
    """
    found = [f for f in findings if f.outcome is Outcome.AGREES and 0 < f.detectable < math.inf]
    said = []
    for topic, word, phrase in OF_ROWS if rows else OF_ESTIMATES:
        tests = [f for f in found if f.topic == topic and word in f.test]
        relative = _range([100 * f.detectable for f in tests if f.unit in RELATIVE], " %")
        absolute = _range([f.detectable for f in tests if f.unit == "absolute"])
        if relative or absolute:
            said.append(f"{phrase} {' or '.join(filter(None, (absolute, relative)))}")
    said = said or _others(found)
    lead = f"errors that would have been seen, with probability {POWER:g}: "
    return lead + "; ".join(said) if said else ""


def _others(found: Sequence[Finding]) -> list[str]:
    """The effects of tests of other properties, in units of their own."""
    kinds = dict.fromkeys((f.topic, f.unit) for f in found if f.unit in OTHER)
    return [
        f"{topic} off by {_range([f.detectable for f in found if (f.topic, f.unit) == (topic, unit)])} ({unit})"
        for topic, unit in kinds
    ]


def _range(sizes: Sequence[float], unit: str = "") -> str:
    """The smallest and the largest size; one where they look the same.

    Examples
    --------
    >>> _range([2.0, 3.14159], " %"), _range([0.0301, 0.0302]), _range([])
    ('2 % to 3.1 %', '0.03', '')
    """
    ends = dict.fromkeys(f"{size:.2g}{unit}" for size in sorted(sizes))
    return " to ".join([*ends][:: max(1, len(ends) - 1)])
