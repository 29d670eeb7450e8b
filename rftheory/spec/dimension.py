"""The dimension."""

from __future__ import annotations

import sympy

d = sympy.Symbol("d", integer=True, positive=True)
"""The dimension."""
LARGEST_DIMENSION = 1_000_000
"""In larger dimensions a block does not fit into the memory of most machines."""
