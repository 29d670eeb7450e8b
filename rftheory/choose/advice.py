"""The answer: the mechanisms on the data, best first."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rftheory.choose.choice import Choice
from rftheory.choose.confirm import ROUNDING, Confirmation
from rftheory.choose.data import Outliers, Scales
from rftheory.choose.expected import Skipped
from rftheory.choose.measured import Measurement

FAR = 1.25
"""Errors for other pairs that are so many times as large are said to be larger."""
UNCERTAIN = 0.15
"""A relative standard error due to the choice of pairs from which on heavy tails matter."""


USELESS = 0.9
"""The share of the error without features from which on a mechanism is hardly better than that."""


@dataclass(frozen=True)
class Attention:
    """On what errors of attention were measured.

    Attributes
    ----------
    keys, keys_total : number of keys used, and in the data.
    values : whether the error is that of weighted means of values; else it is that of the weights.
    equal : the error of equal weights, which need no features.
    law : the kernel estimates of the winner, or of its map with independent rows, beside their law; None without one.
    independent : whether these are estimates with independent rows, because the winner's coupling has no law.
    """

    keys: int
    keys_total: int
    values: bool
    equal: float
    law: Confirmation | None
    independent: bool = False


@dataclass(frozen=True)
class Advice:
    """The mechanisms, best first, and those that were left out.

    Attributes
    ----------
    choices : by number of features if an error was asked for, else by error.
    skipped : mechanisms without a value, each with the reason.
    pairs, pairs_total : number of pairs used, and number of pairs in the data.
    sampling_error : relative standard error of the winner's error due to the choice of pairs.
    lengthscale, kernel, d : length scale, kernel and dimension.
    sum_norm, difference_norm : root mean squares of |x + y| and |x - y| over all pairs, as those compared say.
    confirmation : the winner, sampled.
    elsewhere : the winner with as many rows, sampled for pairs drawn anew; None if these are all pairs. Its standard
        error is that of the draws and of the choice of these pairs.
    tables : 1 if pairs are rows of one table, 2 if of two tables.
    stopped : seconds after which the comparison was stopped; None if it came to its end.
    scales : for the Gaussian kernel, how the spreads of the columns differ; else None.
    dropped : how many rows were left out because they have missing values.
    outliers : a few rows with norms far above the median, in the Gaussian case from the means of the columns; or None.
    headers : of the files, their first lines that were left out because they hold words.
    wanted : the error asked for; None if something else was.
    kernel_in_all : the root mean square of the kernel over all pairs of the data, over what the pairs drawn anew say;
        None if there are none, or too many pairs.
    times_elsewhere : the winner's error with the rows drawn for other pairs over that with its own rows, which may be
        too many to be drawn.
    attention : if the errors are those of attention, on what they were measured; then what is said of pairs is about
        queries.
    raised_from : the rows that reach it for the pairs used, where other pairs ask for more; else None.
    columns : which columns of the files were chosen, as it was said; nothing for all of them.
    classes : of the last column of the table, if it looks like a class label, how many; else None.
    """

    choices: tuple[Choice, ...]
    skipped: tuple[Skipped, ...]
    pairs: int
    pairs_total: int
    sampling_error: float
    lengthscale: float
    kernel: str
    d: int
    sum_norm: float
    difference_norm: float
    confirmation: Confirmation | None
    elsewhere: Measurement | None = None
    stopped: float | None = None
    tables: int = 1
    classes: int | None = None
    headers: tuple[str, ...] = ()
    scales: Scales | None = None
    outliers: Outliers | None = None
    dropped: int = 0
    columns: str | None = None
    wanted: float | None = None
    raised_from: int | None = None
    times_elsewhere: float = 1.0
    kernel_in_all: float | None = None
    attention: Attention | None = None

    @property
    def best(self) -> Choice:
        """The winner."""
        return self.choices[0]

    @property
    def ones(self) -> str:
        """What the errors are an average over."""
        return "pairs" if self.attention is None else "queries"

    @property
    def rests_on_rare_pairs(self) -> bool:
        """Whether the winner's error is clearly larger for pairs drawn anew than for those that were compared."""
        found, seen = self.confirmation, self.elsewhere
        if found is None or seen is None or seen.error <= ROUNDING:
            return False
        return seen.error - 2 * seen.standard_error > FAR * found.expected

    @property
    def misses_elsewhere(self) -> bool:
        """Whether the winner misses the error wanted for pairs drawn anew, by more than the standard error."""
        if self.elsewhere is None or self.wanted is None:
            return False
        return self.elsewhere.exceeds(self.wanted * self.times_elsewhere)

    @property
    def has_heavy_tails(self) -> bool:
        """Whether few of the pairs drawn anew carry the winner's error, and leave it uncertain or have raised it."""
        found, seen = self.confirmation, self.elsewhere
        if found is None or seen is None or not seen.heavy or seen.error <= ROUNDING:
            return False
        return seen.pairs_error > UNCERTAIN * seen.error or seen.error > FAR * found.expected

    @property
    def defies_its_law(self) -> bool:
        """Whether the kernel estimates of the best mechanism for attention are not those of its law."""
        law = None if self.attention is None else self.attention.law
        return law is not None and law.verdict == "differs"

    @property
    def loses_to_equal_weights(self) -> bool:
        """Whether equal weights, which need no features, have a smaller error of attention than the best mechanism.

        A mechanism that reaches the error wanted is an answer all the same, with a warning.
        """
        if self.attention is None or self.wanted is not None:
            return False
        return self.attention.equal < self.best.error

    @property
    def of_nothing(self) -> float:
        """The error without features: of the estimate 0, or of equal weights."""
        return 1.0 if self.attention is None else self.attention.equal

    @property
    def is_near_nothing(self) -> bool:
        """Whether the best mechanism is hardly better than what needs no features, or worse."""
        return self.best.error > USELESS * self.of_nothing

    @property
    def is_useless(self) -> bool:
        """Whether it is near nothing and no answer: one that reaches the error wanted is, with a warning."""
        return self.wanted is None and self.is_near_nothing

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the answer is not confirmed; nothing if it is."""
        reasons = {
            "the time was up": bool(self.stopped),
            "new draws do not show the tails": self.confirmation is not None and not self.confirmation.seen,
            "new draws differ": self.confirmation is not None and self.confirmation.verdict == "differs",
            "its kernel estimates differ from their law": self.defies_its_law,
            "undecided, because few pairs carry the error": self.has_heavy_tails,
            f"rare {self.ones} carry much of the error": self.rests_on_rare_pairs,
            f"other {self.ones} miss the error wanted": self.misses_elsewhere,
            "equal weights have a smaller error": self.loses_to_equal_weights,
            "hardly better than without features": self.is_useless and not self.loses_to_equal_weights,
        }
        return tuple(reason for reason, holds in reasons.items() if holds)

    @property
    def stands(self) -> bool:
        """Whether everything was compared, and neither new draws nor new pairs say otherwise."""
        return not self.doubts

    def to_dict(self) -> dict[str, Any]:
        """A dictionary for JSON."""
        return asdict(self) | {"doubts": list(self.doubts)}
