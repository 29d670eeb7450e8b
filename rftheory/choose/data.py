"""The user's data: tables from files, the length scale, and the pairs over which errors are averaged."""

from __future__ import annotations

import csv
import math
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rftheory.errors import InvalidInput, OutsideDomain, meant, meant_file
from rftheory.names import plural
from rftheory.sample.arrays import to_host
from rftheory.sample.checks import MAX_ENTRY
from rftheory.sample.parameters import oprf_parameter

READERS = ".npy, .npz, .csv, .tsv, .txt, .data, and with pandas .parquet and .feather"
EMPTY = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
"""Cells without a value, in small letters."""
SIDES = (("q", "k"), ("queries", "keys"), ("x", "y"))
"""Names of two arrays in one .npz file whose rows form pairs."""
VALUES = {"q": ("v",), "queries": ("values",)}
"""Names of an array of values beside queries and keys."""


def read_table(path: str | Path, columns: str | None = None) -> np.ndarray:
    """Return the rows of a file as a float array (n, d).

    A header of a text file is left out: `table_and_header` returns it too. An .npz file must hold one array, or one
    named ``x``.

    Parameters
    ----------
    path : the file.
    columns : the columns to take, such as ``1-4,6``, counted from 1, or by their names in the header; in the others
        anything may stand.

    Raises
    ------
    InvalidInput : there is no such file, or it does not contain a table of finite numbers.

    Examples
    --------
    >>> read_table("missing.npy")
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: table: needs a file that exists, got 'missing.npy'
    """
    return table_and_header(path, columns)[0]


def sides(path: str | Path) -> tuple[str, ...]:
    """Return the names of the two arrays of an .npz file whose rows form pairs; nothing for any other file.

    These are q and k, queries and keys, or x and y. What has no table of equal width beside it, such as x beside labels
    y, forms pairs with itself.

    Examples
    --------
    >>> sides("table.csv")
    ()
    """
    return tuple(_sides(path))[:2]


def _sides(path: str | Path) -> dict[str, np.ndarray]:
    """Two arrays of an .npz file whose rows form pairs, then values, if any; nothing for any other file.

    Names may be in capitals.
    """
    if Path(path).suffix.lower() != ".npz" or not zipfile.is_zipfile(path):
        return {}
    with (
        suppress(Exception),
        np.load(path, allow_pickle=False) as arrays,
    ):  # reading the table says what is wrong
        stored = {name.lower(): name for name in sorted(arrays)}  # of q and Q, q
        for names in SIDES:
            if set(names) <= set(stored):
                found = {stored[name]: arrays[stored[name]] for name in names}
                one, other = found.values()
                if one.ndim == other.ndim >= 2 and one.shape[-1] == other.shape[-1]:
                    thirds = [stored[third] for third in VALUES.get(names[0], ()) if third in stored]
                    return found | {third: arrays[third] for third in thirds}
    return {}


def tables_and_headers(
    paths: Sequence[str | Path], columns: str | None = None, values: bool = False, missing: bool = False
) -> tuple[list[np.ndarray], list[str]]:
    """Return the tables of one file or several, each read once, and their headers, as `table_and_header` does.

    Parameters
    ----------
    paths : a table, or two whose rows form pairs, or one .npz file with both.
    columns : of the tables whose rows form pairs.
    values : whether a third table, of values, is taken too, if there is one.
    missing : whether values may be missing; they are NaN then.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "both.npz"
    ...     np.savez(file, q=np.eye(2), k=np.ones((3, 2)), v=np.ones((3, 1)))
    ...     [table.shape for table in tables_and_headers([file], values=True)[0]]
    [(2, 2), (3, 2), (3, 1)]
    """
    inside = _sides(paths[0]) if len(paths) == 1 else {}
    if not inside:
        asked = [columns if place < 2 else None for place in range(len(paths))]
        found = [table_and_header(*one, missing=missing) for one in zip(paths, asked, strict=True)]
        return [table for table, _ in found], [header for _, header in found]
    named = [(table, f"{paths[0]}, {name}") for name, table in inside.items()]
    tables = [checked_table(*one, missing=missing) for one in named]
    pair = [_chosen(table, columns) for table in tables[:2]]
    return pair + (tables[2:] if values else []), ["", ""]


def complete_rows(tables: Sequence[np.ndarray]) -> tuple[list[np.ndarray], int]:
    """Leave out the rows with missing values, and count them; a key is left out with its value, in the third table.

    Examples
    --------
    >>> complete_rows([np.array([[1.0, 2.0], [np.nan, 3.0]])])
    ([array([[1., 2.]])], 1)
    """
    whole = [~np.isnan(table).any(1) for table in tables]
    if len(whole) == 3 and len(whole[1]) == len(whole[2]):
        whole[1] = whole[2] = whole[1] & whole[2]
    left_out = sum(int((~good).sum()) for good in whole[:2])
    if not all(good.any() for good in whole):
        raise InvalidInput("table", needs="a row without missing values", got=f"{left_out} with some",
                           hint="leave out columns, with --columns")  # fmt: skip
    return [table[good] for table, good in zip(tables, whole, strict=True)], left_out


def table_and_header(
    path: str | Path, columns: str | None = None, missing: bool = False
) -> tuple[np.ndarray, str]:
    """Return the table of a file, as `read_table` does, and its header: the first line if that holds words, else "".

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "x.csv"
    ...     _ = file.write_text("a,b\\n1,2\\n")
    ...     table_and_header(file)
    (array([[1., 2.]]), 'a,b')
    """
    try:
        file = Path(path)
        there = file.is_file()
    except (TypeError, ValueError) as error:
        raise InvalidInput("table", needs="the path of a file", got=path) from error
    if not there:
        needs, hint = (
            ("a file, not a folder", "") if file.is_dir() else ("a file that exists", meant_file(file))
        )
        raise InvalidInput("table", needs=needs, got=str(path), hint=hint)
    try:
        found, header = _read(file, columns, missing)
    except InvalidInput:
        raise
    except Exception as problem:
        raise InvalidInput(str(path), needs=f"a table of numbers ({READERS})", got=str(problem)) from problem
    return checked_table(found, str(path), missing), header


def _read(file: Path, columns: str | None, missing: bool) -> tuple[Any, str]:
    if file.suffix.lower() in (".csv", ".tsv", ".txt", ".data"):
        return _read_text(file, columns, missing)
    return _chosen(_read_arrays(file), columns), ""


def _chosen(found: Any, columns: str | None) -> Any:
    if columns is None or found.ndim != 2:
        return found
    names = list(map(str, getattr(found, "columns", ())))
    taken = chosen_columns(columns, found.shape[1], names)
    return found.iloc[:, taken] if names else found[:, taken]


def _read_arrays(file: Path) -> Any:
    ending = file.suffix.lower()
    if ending == ".npy":
        return np.load(file, allow_pickle=False)
    if ending == ".npz":
        with np.load(file, allow_pickle=False) as arrays:
            names = list(arrays)
            if {"format", "shape", "data"} <= set(names):
                return sparse.load_npz(file).toarray()
            if len(names) != 1 and "x" not in names:
                two = ", or ".join(" and ".join(pair) for pair in SIDES)
                raise InvalidInput(str(file), needs="one array, or one named x", got=names,
                                   hint=f"`rftheory choose` takes two tables of one width named {two}")  # fmt: skip
            return arrays["x" if "x" in names else names[0]]
    if ending in (".parquet", ".feather", ".arrow"):
        import pandas

        return pandas.read_parquet(file) if ending == ".parquet" else pandas.read_feather(file)
    raise InvalidInput(str(file), needs=READERS, got=ending or "no ending")


def _read_text(file: Path, columns: str | None, missing: bool) -> tuple[np.ndarray, str]:
    text = file.read_text(encoding="utf-8-sig")  # spreadsheets begin a file with a mark of the encoding
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise InvalidInput(str(file), needs="a table of numbers", got="no lines")
    mark = "," if "," in text else ("\t" if "\t" in text else (";" if ";" in text else None))
    if mark == "," and _has_decimal_commas([line for _, line in lines[1:] or lines]):
        raise InvalidInput(str(file), needs="numbers with decimal points", got=lines[-1][1],
                           hint="columns are divided by semicolons or tabs, and commas seem to be decimal")  # fmt: skip
    rows = [(number, _cells(line, mark)) for number, line in lines]
    width, first = len(rows[-1][1]), [cell.strip() for cell in rows[0][1]]
    names = first if any(map(_is_word, first)) else []
    kept = range(width) if columns is None else chosen_columns(columns, width, names)
    header = ""
    if _is_header(first, rows[1:], kept):
        header, rows = lines[0][1].strip(), rows[1:]
    for number, cells in rows:
        if len(cells) != len(rows[0][1]):
            needs = f"{len(rows[0][1])} columns, as above"
            raise InvalidInput(f"{file}, line {number}", needs=needs, got=len(cells))
    try:
        found = np.array([[_number(cells[k], missing) for k in kept] for _, cells in rows])
    except ValueError:
        raise _bad_cells(file, rows, kept) from None
    if np.isinf(found).any() or (np.isnan(found).any() and not missing):
        raise _bad_cells(file, rows, kept)
    return found, header


def _number(cell: str, missing: bool) -> float:
    return math.nan if missing and cell.strip().lower() in EMPTY else _as_float(cell)


def _as_float(cell: str) -> float:
    if "_" in cell:  # a digit separator of Python's, and of no table
        raise ValueError
    return float(cell)


def _cells(line: str, mark: str | None) -> list[str]:
    return line.split() if mark is None else next(csv.reader([line], delimiter=mark, skipinitialspace=True))


def _has_decimal_commas(lines: Sequence[str]) -> bool:
    """Whether lines are numbers with decimal commas between semicolons or tabs."""
    cells = [line.replace("\t", ";").split(";") for line in lines]
    return all(len(row) > 1 for row in cells) and not any(
        _is_word(cell.replace(",", ".")) for row in cells for cell in row
    )


def _is_header(first: list[str], others: list[tuple[int, list[str]]], kept: Sequence[int]) -> bool:
    """Whether the first line names columns: with words only, or with a word above a column without any."""
    words = [k for k in kept if k < len(first) and _is_word(first[k])]
    if len(words) == len(kept):
        return True
    return any(not any(k < len(cells) and _is_word(cells[k]) for _, cells in others) for k in words)


def _is_word(cell: str) -> bool:
    return _trouble(cell) == "word"


def _trouble(cell: str) -> str:
    """What keeps a cell from being a finite number, if anything."""
    if cell.strip().lower() in EMPTY:
        return "empty or NA cell"
    try:
        return "" if math.isfinite(_as_float(cell)) else "infinite value"
    except ValueError:
        return "word"


def _bad_cells(file: Path, rows: list[tuple[int, list[str]]], kept: Sequence[int]) -> InvalidInput:
    """One error about all cells of the chosen columns that are no finite numbers."""
    bad = [(number, k, kind) for number, cells in rows for k in kept if (kind := _trouble(cells[k]))]
    counts = Counter((kind, k) for _, k, kind in bad)
    said = ", ".join(f"{plural(count, kind)} in column {k + 1}" for (kind, k), count in counts.items())
    what = ["encode the words as numbers"] if any(kind == "word" for kind, _ in counts) else []
    if spoilt := {number for number, _, kind in bad if kind != "word"}:
        what.append(f"drop {plural(len(spoilt), 'line')}")
    if good := [k + 1 for k in kept if k not in {column for _, column in counts}]:
        one = len(kept) - len(good) == 1
        what.append(f"leave {'this column' if one else 'these columns'} out: --columns {_in_ranges(good)}")
    number, column, kind = bad[0]
    cell = dict(rows)[number][column]
    return InvalidInput(f"{file}, line {number}, column {column + 1}",
                        needs="a number" if kind == "word" else "a finite number", got=cell,
                        hint=f"{said}: {', or '.join(what)}")  # fmt: skip


def checked_table(values: Any, subject: str, missing: bool = False) -> np.ndarray:
    """Return a table as a float array (n, d), or raise an error that says what is wrong with it.

    Examples
    --------
    >>> checked_table([[1, 2], [3, 4]], "X").shape
    (2, 2)
    """
    try:
        found = _of_objects(to_host(values)) if not isinstance(values, np.ma.MaskedArray) else _filled(values)
    except (InvalidInput, TypeError, BufferError) as error:  # rows of different lengths, or no table at all
        got = str(error.__cause__) if isinstance(values, list | tuple) else type(values).__name__
        raise InvalidInput(subject, needs="a table (n, d) of real numbers", got=got) from error
    if found.dtype.kind not in "fiub" or found.ndim != 2 or 0 in found.shape:
        got = f"shape {found.shape}, {found.dtype.name}"
        first = ", ".join("0" * (found.ndim - 2))
        heads = ", ".join(f"{name.lower()}={name}[{first}]" for name in "QKV")
        head = f"take one head, such as Q[{first}], in Python np.savez('head.npz', {heads})"
        hint = f"of several heads of attention, {head}" if first else _of_one_column(found)
        raise InvalidInput(subject, needs="a table (n, d) of real numbers, n, d >= 1", got=got, hint=hint)
    found = found.astype(float)
    bad = np.isinf(found) if missing else ~np.isfinite(found)
    if bad.any():
        row, column = (int(k) for k in np.argwhere(bad)[0])
        count = int(bad.sum())
        where = f"{subject}, row {row + 1}, column {column + 1}"
        hint = f"{plural(count, 'value is', 'values are')} NaN or infinite: drop these rows, or fill them in"
        raise InvalidInput(where, needs="a finite number", got=float(found[row, column]), hint=hint)
    return found


def _filled(values: np.ma.MaskedArray) -> np.ndarray:
    """The array with NaN for what is masked."""
    return np.ma.filled(values.astype(float), np.nan) if values.dtype.kind in "fiub" else values.data


def _of_objects(found: np.ndarray) -> np.ndarray:
    """Python numbers, such as fractions, as floats; anything else stays as it is."""
    if found.dtype.kind != "O" or any(isinstance(cell, str) for cell in found.flat):
        return found
    try:
        return found.astype(float)
    except (TypeError, ValueError):
        return found


def _of_one_column(found: np.ndarray) -> str:
    """What to do with a table that has one axis, or columns of something else than numbers."""
    if found.ndim == 1 and found.dtype.kind in "fiub" and found.size:
        return "of a single column, take x[:, None]"
    if found.ndim != 2 or found.dtype.kind != "O":
        return ""
    words = [k + 1 for k in range(found.shape[1]) if _of_objects(found[:, k]).dtype.kind == "O"]
    return f"no numbers: column {_in_ranges(words)}; encode what it says, or leave it out" if words else ""


CANDIDATES = 4096
"""About how many pairs those that are compared are chosen from, if not from all."""
FEW, NUMBERS = 512, 4 * 10**6
"""How many pairs the default length scale is found from: at least, and of how many numbers at most."""
EVERY, CHUNK = 10**7, 10**6
"""The most pairs whose sizes are all computed, or numbers of those of more pairs; and how many at once."""
MOST_CLASSES = 20
"""Whole numbers in a column that may be a class label."""


def label_column(values: np.ndarray) -> int | None:
    """The number of classes if the last column looks like a class label, else None.

    That is: a few whole numbers, each in several rows, beside columns of which some are not like that.

    Examples
    --------
    >>> inputs = np.random.default_rng(0).standard_normal((60, 2))
    >>> label_column(np.column_stack([inputs, np.arange(60) % 3])), label_column(inputs)
    (3, None)
    """
    if values.shape[1] < 2 or not _like_labels(values[:, -1]):
        return None
    if all(_like_labels(column) for column in values.T[:-1]):  # a table of small counts
        return None
    return len(np.unique(values[:, -1]))


def _like_labels(column: np.ndarray) -> bool:
    found, times = np.unique(column, return_counts=True)
    few = 2 <= len(found) <= min(MOST_CLASSES, len(column) // 4)
    return bool(few and (found == np.round(found)).all() and times.min() >= 2)


class Scales(NamedTuple):
    """How the spreads of columns, counted from 1, differ.

    Attributes
    ----------
    constant : columns without any spread.
    least, largest : of the others, those with the smallest and the largest standard deviation.
    ratio : of these two standard deviations.
    """

    constant: tuple[int, ...]
    least: int
    largest: int
    ratio: float


def column_scales(values: np.ndarray) -> Scales:
    """Compare the spreads of the columns of a table.

    Examples
    --------
    >>> column_scales(np.array([[1.0, 5.0, 10.0], [2.0, 5.0, 60.0]]))
    Scales(constant=(2,), least=1, largest=3, ratio=50.0)
    """
    unit = np.abs(values).max(0)  # squares may leave the range of floats
    scaled = values / np.where(unit > 0, unit, 1.0)
    spread, flat = scaled.std(0) * unit, np.ptp(scaled, axis=0) == 0
    order = [int(k) for k in np.argsort(spread) if not flat[k]] or [0]
    ratio = float(spread[order[-1]] / spread[order[0]]) if spread[order[0]] > 0 else 1.0
    constant = tuple(int(k) + 1 for k in np.flatnonzero(flat))
    return Scales(constant, order[0] + 1, order[-1] + 1, ratio)


FAR_OUT, MOST_FAR = 10.0, 0.05
"""So many times the median a norm is said to be far out, if so few of the rows are."""


class Outliers(NamedTuple):
    """A few rows with norms far above the median.

    Attributes
    ----------
    rows : how many they are.
    median, largest : norms.
    """

    rows: int
    median: float
    largest: float


def outliers(values: np.ndarray) -> Outliers | None:
    """The rows whose norms are far above the median, if there are a few, else None.

    Examples
    --------
    >>> outliers(np.array([[1.0, 0.0]] * 30 + [[0.0, 50.0]]))
    Outliers(rows=1, median=1.0, largest=50.0)
    >>> outliers(np.eye(3)) is None
    True
    """
    unit = float(np.abs(values).max()) or 1.0  # squares may leave the range of floats
    norms = np.linalg.norm(values / unit, axis=1)
    median = float(np.median(norms))
    far = int((norms > FAR_OUT * median).sum())
    if not median or not 0 < far <= max(1, MOST_FAR * len(norms)):
        return None
    return Outliers(far, median * unit, float(norms.max()) * unit)


def chosen_columns(text: str, d: int, names: Sequence[str] = ()) -> list[int]:
    """Indices of columns given as ``1-4,6``, counted from 1, or by names of the header.

    Raises
    ------
    InvalidInput : no such columns.

    Examples
    --------
    >>> chosen_columns("1-3,5", 6)
    [0, 1, 2, 4]
    >>> chosen_columns("ph, 1", 2, ["temp", "ph"])
    [1, 0]
    """
    found: list[int] = []
    for part in text.split(","):
        if part.strip() in names:
            found.append(names.index(part.strip()))
            continue
        first, dash, last = part.strip().partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not dash)):
            needs = "numbers and ranges such as 1-4,6" + f", or names among {', '.join(names)}" * bool(names)
            raise InvalidInput("--columns", needs=needs, got=text, hint=meant(part.strip(), names))
        begin, end = (_place(digits, d) for digits in (first, last if dash else first))
        if not 1 <= begin <= end <= d:
            raise InvalidInput("--columns", needs=f"columns from 1 to {d}", got=text)
        found += range(begin - 1, end)
    return found


def _in_ranges(columns: Sequence[int]) -> str:
    """Columns as ``--columns`` takes them; three in a row or more are a range.

    Examples
    --------
    >>> _in_ranges([1, 2, 4, 5, 6, 9])
    '1,2,4-6,9'
    """
    alike = groupby(enumerate(columns), key=lambda numbered: numbered[1] - numbered[0])
    runs = [[column for _, column in run] for _, run in alike]
    said = ([f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run) for run in runs)
    return ",".join(chain.from_iterable(said))


def _place(digits: str, d: int) -> int:
    """The number of a column, or one beyond the last if there are too many digits for a number."""
    return int(digits) if len(digits) < 20 else d + 1


@dataclass(frozen=True)
class Pairs:
    """Pairs of inputs, already divided by the length scale, with their chances to be among these.

    Attributes
    ----------
    x, y : (n, d), pairs row by row.
    lengthscale : the number by which the data were divided.
    total : number of pairs in the data, of which these are a sample; ``total == n`` if they are all.
    first, second : (n,), the chance of each to be among the candidates, and then to be chosen from these.
    square_sum : the average of |x + y|^2 over all pairs of the data.
    square_sums, products : (d,), the averages of (x_j + y_j)^2, and of |x_j y_j|, over all pairs of the data.
    square_products : the average of the sum of (x_j y_j)^2 over all pairs of the data.
    log_square : the logarithm of the mean square of the kernel over all pairs of the data; None if they are too many.

    Examples
    --------
    >>> found = pairs_of(np.eye(3), lengthscale=1.0)
    >>> found.x.shape, found.total, round(found.square_sum, 6), found.weights.tolist()
    ((3, 3), 3, 2.0, [1.0, 1.0, 1.0])
    """

    x: np.ndarray
    y: np.ndarray
    lengthscale: float
    total: int
    first: np.ndarray
    second: np.ndarray
    square_sum: float
    square_sums: np.ndarray
    products: np.ndarray
    square_products: float
    log_square: float | None = None

    @property
    def d(self) -> int:
        """Dimension."""
        return int(self.x.shape[1])

    @property
    def weights(self) -> np.ndarray:
        """(n,), one over the chance of each pair, times what makes their mean 1: sums over the chances are unbiased."""
        weights = 1 / (self.first * self.second)
        return np.asarray(weights / weights.mean())

    def mean(self, values: np.ndarray) -> Any:
        """The mean over all pairs of the data of what is (n, ...), as these pairs estimate it."""
        return np.average(values, axis=0, weights=self.weights)

    def error_of(self, squares: np.ndarray, target: np.ndarray) -> float:
        """The relative standard error, due to the choice of these pairs, of the root of a ratio of means over them.

        It is that of the choice of the candidates, and from differences of neighbours that of the choice among them.
        Pairs that were sure to be chosen add nothing to the latter. Both arguments are times the weights.

        Source: successive differences: Wolter, Introduction to Variance Estimation, chapter 8.

        Examples
        --------
        >>> found = pairs_of(np.random.default_rng(0).standard_normal((200, 3)), lengthscale=1.0)
        >>> squares = found.weights * ((found.x - found.y) ** 2).sum(1)
        >>> 0.01 < found.error_of(squares, found.weights) < 0.1, found.error_of(squares, squares)
        (True, 0.0)
        """
        if not squares.any():
            return 0.0
        apart = squares / squares.sum() - target / target.sum()  # squares of squares may overflow
        first = float((apart**2 * self.second * (1 - self.first)).sum())
        drawn = self.second < 1
        count, left = int(drawn.sum()), 1 - self.second[drawn]
        among = float((np.diff(apart[drawn]) ** 2 * (left[1:] + left[:-1])).sum()) / 4
        return math.sqrt(among * count / max(count - 1, 1) + first) / 2


def exact_values(pairs: Pairs, kernel: str) -> np.ndarray:
    """The kernel of each pair, (n,).

    Examples
    --------
    >>> exact_values(pairs_of(np.eye(2), lengthscale=1.0), "softmax").tolist()
    [1.0]
    """
    if kernel == "softmax":
        return np.asarray(np.exp((pairs.x * pairs.y).sum(1)))
    return np.asarray(np.exp(-((pairs.x - pairs.y) ** 2).sum(1) / 2))


def kernel_in_all(pairs: Pairs, kernel: str) -> float | None:
    """The root mean square of the kernel over all pairs of the data, over what these pairs say; None if not known.

    Examples
    --------
    >>> kernel_in_all(pairs_of(np.eye(3), lengthscale=1.0), "gaussian")
    1.0
    """
    if pairs.log_square is None:
        return None
    return math.exp((pairs.log_square - math.log(pairs.mean(exact_values(pairs, kernel) ** 2))) / 2)


def pairs_of(
    x: Any, y: Any = None, *, kernel: str = "gaussian", lengthscale: float | None = None, count: int = 64, seed: int = 0
) -> Pairs:  # fmt: skip
    """Return pairs of rows of x and y, or of two different rows of x: those that carry errors are the most likely ones.

    Half of the chance to be taken is the same for all pairs. The other half is proportional to the shares of a pair in
    the mean square of the kernel and in the variances of trigonometric and of exponential features, so that a pair
    that carries all of one of these is sure to be taken among 8 or more. `Pairs.weights` make up for unequal chances.
    The pairs are spread evenly over |x - y| and |x + y|. Of more than `EVERY` pairs, those of the longest rows are
    looked at, and a random sample of others.

    Source: Cochran, Sampling Techniques, chapter 9A (chances proportional to size); Owen and Zhou, Safe and effective
    importance sampling, 2000 (mixtures).

    Parameters
    ----------
    x, y : tables (n_x, d) and (n_y, d).
    lengthscale : by default the median of |x - y| over pairs for the Gaussian kernel, and d^(1/4) for softmax, as in
        attention.
    count : number of pairs; all pairs if there are no more.
    seed : seed of the sample.

    Raises
    ------
    InvalidInput, OutsideDomain : tables that do not match, a single row, or a length scale that is not positive.
    """
    x = checked_table(x, "X")
    other = x if y is None else checked_table(y, "Y")
    if other.shape[1] != x.shape[1]:
        raise InvalidInput("Y", needs=f"{x.shape[1]} columns, as X has", got=other.shape[1])
    if y is None and len(x) < 2:
        raise OutsideDomain("X", needs="at least two rows, or Y", got=len(x))
    rng, same = np.random.default_rng(seed), y is None
    if lengthscale is None:  # with a generator of its own: the same scale given, pairs are the same
        some = max(count, FEW, min(CANDIDATES, NUMBERS // x.shape[1]))
        first, second = _at_random(len(x), len(other), same, some, np.random.default_rng(seed))
        lengthscale = _default_scale(x[first], other[second], kernel)
    if not 0 < lengthscale < np.inf:
        why = "the data may be constant" if lengthscale == 0 else "the data are out of range"
        raise OutsideDomain("length scale", needs="a positive number", got=lengthscale,
                            hint=f"{why}; set it with --lengthscale")  # fmt: skip
    with np.errstate(over="ignore", invalid="ignore"):
        x, other = x / lengthscale, other / lengthscale
        sums = (x**2).mean(0) + (other**2).mean(0) + 2 * _mean_products(x, other, same)
        sums = np.maximum(sums, 0.0)  # of opposite rows, but for rounding
    if not np.isfinite(sums.sum()):
        largest = max(float(np.abs(x).max()), float(np.abs(other).max()))
        raise OutsideDomain("X", needs="numbers whose squares are finite in units of the length scale",
                            got=f"{largest:.4g} length scales", hint="drop or rescale such rows")  # fmt: skip
    if (largest := max(float(np.abs(x).max()), float(np.abs(other).max()))) > MAX_ENTRY:
        raise OutsideDomain("X", needs=f"entries of at most {MAX_ENTRY:g} length scales", got=largest,
                            hint="subtract the mean of each column, or rescale such columns")  # fmt: skip
    rho = 1 / (1 - 8 * oprf_parameter(float(sums.sum()), x.shape[1]))
    total, most = _count(len(x), len(other), same), max(4 * count, CANDIDATES)
    some = None if total <= EVERY else _with_the_longest(x, other, same, max(most, EVERY // x.shape[1]), rng)
    (i, j, z, v, sizes, first), log_square = _candidates(
        lambda: _pieces(x, other, same, some, kernel, rho), total, most, rng
    )
    second = _chances(sizes, count)
    keep = _spread(z, v, second, rng)
    return Pairs(x[i[keep]], other[j[keep]], float(lengthscale), total, first[keep], second[keep],
                 float(sums.sum()), sums, _mean_products(np.abs(x), np.abs(other), same),
                 float(_mean_products(x**2, other**2, same).sum()), log_square if some is None else None)  # fmt: skip


def _mean_products(x: np.ndarray, y: np.ndarray, same: bool) -> np.ndarray:
    """The averages of x_j y_j, (d,), over all pairs of rows of two tables, or of different rows of one."""
    if not same:
        return np.asarray(x.mean(0) * y.mean(0))
    return np.asarray((x * (x.sum(0) - x)).mean(0) / (len(x) - 1))


def _candidates(
    pieces: Callable[[], Iterator[tuple[np.ndarray, ...]]], total: int, most: int, rng: np.random.Generator
) -> tuple[list[np.ndarray], float]:
    """At most so many pairs, of pieces of all that are seen, and the logarithm of the mean square of the kernel.

    Of each are given both indices, |x - y|^2, |x + y|^2, its size among these, and its chance to be one of them.
    """
    largest, sums, found, start = np.full(4, -np.finfo(float).max), np.zeros(4), [], rng.random()
    for *_, logs in pieces():  # sums of sizes over the largest ones: sizes may leave the range of floats
        before, largest = largest, np.maximum(largest, logs.reshape(4, -1).max(1))
        sums *= np.exp(before - largest)
        sums += [np.exp(one - top).sum() for one, top in zip(logs, largest, strict=True)]
    units = largest, np.where(sums > 0, sums, 1.0)
    for i, j, z, v, seen, logs in pieces():
        sizes = sum(np.exp(one - top) / whole for one, top, whole in zip(logs, *units, strict=True))
        shares = (sizes / 4 + (logs[0] > -np.inf) / (seen * total)) / 2
        chances = np.minimum(most * shares, 1.0)
        keep, start = _systematic(chances.ravel(), start)
        each = np.broadcast_arrays(i, j, z, v, np.maximum(most * shares, 1.0), chances * seen)
        found.append([one.flat[keep] for one in each])
    every = [np.concatenate(one) for one in zip(*found, strict=True)]
    return every, float(largest[0] + np.log(sums[0] / total))


def _pieces(
    x: np.ndarray, y: np.ndarray, same: bool, some: tuple[np.ndarray, ...] | None, kernel: str, rho: float
) -> Iterator[tuple[np.ndarray, ...]]:  # fmt: skip
    """Of some pairs, or of all, in pieces: the indices i and j, |x - y|^2, |x + y|^2, chances and logarithms of sizes.

    The four sizes are what may carry an error: the square of the kernel, the variance of waves, and the second moments
    of positive features and of GERF, to constants, over the chance of the pair to be one of these. They are 0 for pairs
    (i, j) of one table with i >= j.
    """
    shift = np.median(x, 0) * (kernel == "gaussian")  # for digits of distances, beside rows far out too
    near, far = x - shift, y - shift
    of_x, of_y, near_x, near_y = ((side**2).sum(1) for side in (x, y, near, far))
    pieces: list[tuple[np.ndarray, ...]]
    if some is None:
        step = max(1, CHUNK // len(y))
        pieces = [
            (
                np.arange(k, min(k + step, len(x)))[:, None],
                np.arange(start, min(start + CHUNK, len(y))),
                np.ones(1),
            )
            for k in range(0, len(x), step)
            for start in range(k * same, len(y), CHUNK)
        ]
    else:
        step = max(1, CHUNK // x.shape[1])
        pieces = [tuple(one[k : k + step] for one in some) for k in range(0, len(some[0]), step)]
    for i, j, seen in pieces:
        products = near[i[:, 0]] @ far[j].T if some is None else (near[i] * far[j]).sum(1)
        norms, z = of_x[i] + of_y[j], np.maximum(near_x[i] + near_y[j] - 2 * products, 0.0)
        v = 2 * norms - z
        square, unit = (2 * products, norms) if kernel == "softmax" else (-z, 0.0)
        with np.errstate(divide="ignore"):
            logs = np.array(
                [square, unit + 2 * np.log(-np.expm1(-z)), square + v, square + rho * v]
            ) - np.log(seen)
        if same and some is None:
            logs[:, i >= j] = -np.inf
        yield i, j, z, v, seen, logs


def _systematic(chances: np.ndarray, start: float) -> tuple[np.ndarray, float]:
    """Indices drawn with these chances, at equal distances of their sums from a random place on, and where they end."""
    places = np.cumsum(np.concatenate([[start], chances]))
    return np.flatnonzero(np.diff(np.floor(places))), float(places[-1])


def _chances(sizes: np.ndarray, count: int) -> np.ndarray:
    """Chances proportional to sizes, but at most 1, whose sum is the count, or 1 for all if there are no more."""
    if len(sizes) <= count:
        return np.ones(len(sizes))
    largest = np.sort(sizes)[::-1]
    rest = np.cumsum(largest[::-1])[::-1]
    times = np.arange(count, 0, -1) / rest[:count]  # if the first k are sure
    sure = int(np.argmin(largest[:count] * times >= 1))
    return np.minimum(sizes * times[sure], 1.0)


def _spread(z: np.ndarray, v: np.ndarray, chances: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Indices of pairs drawn with these chances, spread evenly over z and, where that is alike, over v.

    Errors depend on little else than |x - y| and |x + y|, so that a few such pairs stand for many random ones.
    Neighbours in this order are alike, which `Pairs.error_of` makes use of.
    """
    order, count = np.argsort(z), round(math.sqrt(chances.sum()))
    bands = np.split(
        order, np.searchsorted(np.cumsum(chances[order]), np.arange(1, count) * (chances.sum() / count))
    )
    order = np.concatenate([band[np.argsort(v[band])][:: (-1) ** k] for k, band in enumerate(bands)])
    return np.asarray(order[_systematic(chances[order], rng.random())[0]])


def _count(n: int, m: int, same: bool) -> int:
    """The number of pairs of rows of two tables, or of different rows of one."""
    return n * (n - 1) // 2 if same else n * m


def _with_the_longest(
    x: np.ndarray, y: np.ndarray, same: bool, count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Indices of about so many pairs, and their chances: half are all of the longest rows, half drawn from others."""
    most = math.isqrt(count if same else count // 2)
    long_x, long_y = (np.argsort((side**2).sum(1), kind="stable")[-most:] for side in (x, y))
    sizes = len(long_x), len(long_y)
    first, second = np.triu_indices(sizes[0], 1) if same else np.indices(sizes).reshape(2, -1)
    i, j = _at_random(len(x), len(y), same, count - len(first), rng)
    other = ~(np.isin(i, long_x) & np.isin(j, long_y))
    chance = other.sum() / (_count(len(x), len(y), same) - len(first))
    return (
        np.concatenate([long_x[first], i[other]]),
        np.concatenate([long_y[second], j[other]]),
        np.concatenate([np.ones(len(first)), np.full(other.sum(), chance)]),
    )


def _at_random(
    n: int, m: int, same: bool, count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Indices of different pairs, in random order."""
    total = _count(n, m, same)
    if total >= EVERY:  # so many pairs that a repetition does not matter
        first, second = rng.integers(n, size=count), rng.integers(m, size=count)
        apart = (first != second) | (not same)
        return first[apart], second[apart]
    chosen = rng.choice(total, size=min(count, total), replace=False)
    if not same:
        return chosen // m, chosen % m
    # the pair (i, j), i < j, has number i (2 n - i - 1)/2 + j - i - 1
    first = np.floor(n - 0.5 - np.sqrt((n - 0.5) ** 2 - 2 * chosen)).astype(int)
    first -= first * (2 * n - first - 1) // 2 > chosen
    second = chosen - first * (2 * n - first - 1) // 2 + first + 1
    return first, second


def _default_scale(x: np.ndarray, y: np.ndarray, kernel: str) -> float:
    if kernel == "softmax":
        return float(x.shape[1] ** 0.25)
    with np.errstate(over="ignore", invalid="ignore"):
        apart = x - y
        units = np.abs(apart).max(1)  # squares of the differences themselves may leave the range of floats
        units[units == 0] = 1.0
        return float(np.median(units * np.linalg.norm(apart / units[:, None], axis=1)))
