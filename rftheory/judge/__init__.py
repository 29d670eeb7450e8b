"""Statistics and verdicts: tests with exact variances, power, family-wise error rates, grades."""

from __future__ import annotations

from rftheory.judge.betting import Bins, betting_test, settled
from rftheory.judge.budget import Budget
from rftheory.judge.score import Score
from rftheory.judge.tests import Outcome, TestResult
from rftheory.judge.verdict import Cover, Decision, Evidence, Grade, Kind, Verdict, conclude

__all__ = ["Bins", "Budget", "Cover", "Decision", "Evidence", "Grade", "Kind", "Outcome", "Score", "TestResult",
    "Verdict", "betting_test", "conclude", "settled"]  # fmt: skip
