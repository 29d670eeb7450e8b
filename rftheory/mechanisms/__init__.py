"""Mechanisms, a file each, declared as anyone would declare one of their own: with `rftheory.author`.

They are read when a name is first asked for that the lists of `rftheory.spec` and `rftheory.sample` do not have.
"""

from rftheory.mechanisms import anisotropic, antimonotone, cross_polytope, mirrored

__all__ = ["anisotropic", "antimonotone", "cross_polytope", "mirrored"]
