"""Which mechanism, and how many features, for given data?

The errors of all mechanisms over pairs of the data are compared, by their laws or, without a law, by sampling.

rftheory choose X.npy --error 0.01
rftheory choose qkv.npz --attention --features 256      # by the error of attention
"""

from rftheory.choose.advice import Advice
from rftheory.choose.attention import choose_attention
from rftheory.choose.choice import Choice
from rftheory.choose.comparison import choose
from rftheory.choose.data import Pairs, pairs_of, read_table

__all__ = ["Advice", "Choice", "Pairs", "choose", "choose_attention", "pairs_of", "read_table"]
