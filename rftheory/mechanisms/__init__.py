"""Mechanisms, one per file, declared with `rftheory.author` as users would declare their own.

They are imported when a name is not found in `rftheory.spec` or `rftheory.sample`.
"""

from rftheory.mechanisms import anisotropic, antimonotone, cross_polytope, mirrored, orthogonal_simplices

__all__ = ["anisotropic", "antimonotone", "cross_polytope", "mirrored", "orthogonal_simplices"]
