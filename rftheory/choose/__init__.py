"""Which mechanism, and how many features, for given data: exact expected errors over pairs of the data.

rftheory choose X.npy --error 0.01
"""

from rftheory.choose.advice import Advice, Choice, choose
from rftheory.choose.data import Pairs, pairs_of, read_table

__all__ = ["Advice", "Choice", "Pairs", "choose", "pairs_of", "read_table"]
