"""Claims of *Hybrid Random Features* (Choromanski, Chen, Lin, Ma, Sehanobish et al., ICLR 2022), in the order of the paper."""

from __future__ import annotations

from rftheory.papers.hybrid.statements import (clustered_data, clusters, coefficients, experiments,
    exponential, features, mechanisms, theorems, worst_case)  # fmt: skip

CLAIMS = (*features.CLAIMS, *exponential.CLAIMS, *coefficients.SECTION_2_4, *clusters.SECTION_2_4, *theorems.CLAIMS,
    *worst_case.CLAIMS, *experiments.SECTION_4, *coefficients.APPENDIX_F, *clusters.APPENDIX_H2,
    *clustered_data.CLAIMS, *experiments.APPENDIX_L, *mechanisms.CLAIMS)  # fmt: skip

__all__ = ["CLAIMS"]
