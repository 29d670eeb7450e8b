"""What notebooks import, and the statements that they judge: :mod:`tools.warm_kernels` loads it once for all."""

import ipykernel.ipkernel  # noqa: F401

import rftheory.figures.style
import rftheory.papers.figures
import rftheory.report.cells

rftheory.report.cells.CATALOGUE.select()
