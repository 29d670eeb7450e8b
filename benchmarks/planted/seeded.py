"""NumPy's generator of a seed, for code that is asked for the draws of the same seeds again and again."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence


class _Kept(ISeedSequence):  # type: ignore[misc]
    """The words that a bit generator asks of its seed."""

    def __init__(self, words: np.ndarray) -> None:
        self.words = words

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> np.ndarray:
        assert (n_words, dtype) == (len(self.words), self.words.dtype)
        return self.words


@lru_cache(maxsize=1 << 16)
def _kept(seed: int) -> _Kept:
    return _Kept(np.random.SeedSequence(seed).generate_state(4, np.uint64))


def default_rng(seed: int) -> np.random.Generator:
    """A generator of its own with the draws of ``np.random.default_rng(seed)``.

    Mixing a seed takes NumPy as long as drawing some hundred numbers. All checks ask for the same seeds, so that what
    comes of them is kept. It spawns no others, which SciPy's sequences do.

    Examples
    --------
    >>> bool(default_rng(5).random() == np.random.default_rng(5).random())
    True
    """
    return np.random.Generator(np.random.PCG64(_kept(seed)))
