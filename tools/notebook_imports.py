"""What notebooks import, and what they judge and replay: :mod:`tools.warm_kernels` loads it once for all."""

import ipykernel.ipkernel  # noqa: F401
import sympy.physics.units  # noqa: F401  simplify asks for it

import rftheory.figures.style
import rftheory.papers.figures
import rftheory.report.cells
import rftheory.sample.kernels_numba
from rftheory.exact.proof import derivations

rftheory.report.cells.CATALOGUE.select()
derivations()
