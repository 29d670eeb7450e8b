"""Declarations: what a coupling and a feature map *are*, as data; everything exact follows from them.

No arrays, no closed forms. The samplers of :mod:`rftheory.sample` never read a declaration: that they agree with it
is evidence.
"""

from rftheory.spec.coupling import Coupling, Relation, Row, frame
from rftheory.spec.couplings import COUPLINGS, declare_coupling, find_coupling
from rftheory.spec.feature_map import FeatureMap, Parameter, Table, Term
from rftheory.spec.maps import MAPS, declare_map, find_map

__all__ = ["COUPLINGS", "MAPS", "Coupling", "FeatureMap", "Parameter", "Relation", "Row", "Table", "Term",
    "declare_coupling", "declare_map", "find_coupling", "find_map", "frame"]  # fmt: skip
