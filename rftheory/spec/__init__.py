"""Declarations: couplings and feature maps as data, from which everything exact follows.

They contain no arrays and no closed forms. The samplers of :mod:`rftheory.sample` never read them, so agreement
between the two is evidence.
"""

from rftheory.spec.coupling import Coupling
from rftheory.spec.couplings import COUPLINGS, declare_coupling, find_coupling
from rftheory.spec.feature_map import FeatureMap, Parameter, Table, Term
from rftheory.spec.maps import MAPS, declare_map, find_map
from rftheory.spec.relation import Relation
from rftheory.spec.rows import Row, Rows

__all__ = ["COUPLINGS", "MAPS", "Coupling", "FeatureMap", "Parameter", "Relation", "Row", "Rows", "Table", "Term",
    "declare_coupling", "declare_map", "find_coupling", "find_map"]  # fmt: skip
