"""Is this random-feature code right? A checker for any sampler, feature map or estimator.

report = check("package.module:function", coupling="orthogonal", d=64)
print(report.text())
"""

from __future__ import annotations

from rftheory.check.diagnosis import TABLE, Diagnosis
from rftheory.check.findings import Finding
from rftheory.check.report import Report
from rftheory.check.run import check

__all__ = ["TABLE", "Diagnosis", "Finding", "Report", "check"]
