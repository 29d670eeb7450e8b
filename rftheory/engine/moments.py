"""Means and variances that can be merged, so that chunks, devices and machines share one code path.

Sums of squared deviations are kept, not sums of squares: at a mean of 1e9 standard deviations the textbook sum of
squares loses every digit, while the tree of merges keeps nine (Chan, Golub and LeVeque 1983).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rftheory.errors import InvalidInput, need

FloatArray = NDArray[np.float64]
_PER_COLUMN = ("mean", "m2")


@dataclass(frozen=True, eq=False)
class Moments:
    """Count, mean and sums of squared deviations of rows with q columns.

    Attributes
    ----------
    n : number of rows.
    mean : (q,) sample means.
    m2 : (q,) sums of the squared deviations from the mean.
    comoment : (q, q) sums of products of deviations, or None if they were not asked for.

    Raises
    ------
    InvalidInput
        for NaN, infinite values, squares that overflow, no rows, or merges of different widths.

    Examples
    --------
    >>> left, right = Moments.of([1.0, 2.0, 3.0]), Moments.of([4.0, 5.0, 6.0])
    >>> both = left + right
    >>> both.n, both.mean.tolist(), both.variance.tolist()
    (6, [3.5], [3.5])
    """

    n: int
    mean: FloatArray
    m2: FloatArray
    comoment: FloatArray | None = None

    def __post_init__(self) -> None:
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 1:
            raise InvalidInput("Moments.n", needs="a positive integer", got=self.n)
        width = np.asarray(self.mean).shape
        if len(width) != 1 or width[0] == 0:
            raise InvalidInput("Moments.mean", needs="shape (q,) with q >= 1", got=width)
        for name in _PER_COLUMN:
            object.__setattr__(self, name, _frozen(getattr(self, name), name, width))
        if self.comoment is not None:
            object.__setattr__(self, "comoment", _frozen(self.comoment, "comoment", width * 2))

    @classmethod
    def of(cls, rows: ArrayLike, *, comoment: bool = False) -> Moments:
        """Moments of rows of shape (n,) or (n, q), by two passes over the centred values.

        Examples
        --------
        >>> Moments.of([[0.0, 1.0], [2.0, 5.0]], comoment=True).comoment.tolist()
        [[2.0, 4.0], [4.0, 8.0]]
        """
        values = _columns(rows)
        n = values.shape[1]
        with np.errstate(over="ignore", invalid="ignore"):
            mean = values.sum(axis=1) / n
            centred = values - mean[:, None]
            rest = centred.sum(axis=1) / n  # the rounding error of the first mean
            centred -= rest[:, None]
            products = _products(centred) if comoment else None
            return cls(n, mean + rest, (centred * centred).sum(axis=1), products)

    def __add__(self, other: Moments) -> Moments:
        """Moments of both sets of rows together; commutative only up to rounding."""
        if not isinstance(other, Moments):
            return NotImplemented
        if self.mean.shape != other.mean.shape or (self.comoment is None) != (other.comoment is None):
            raise InvalidInput(
                "Moments + Moments",
                needs="the same columns on both sides",
                got=(self._columns_in_words(), other._columns_in_words()),
            )
        a, b, n = self.n, other.n, self.n + other.n
        with np.errstate(over="ignore", invalid="ignore"):
            gap = other.mean - self.mean
            return Moments(
                n=n,
                mean=self.mean + gap * (b / n),
                m2=self.m2 + other.m2 + gap**2 * (a * b / n),
                comoment=None
                if self.comoment is None or other.comoment is None
                else self.comoment + other.comoment + gap[:, None] * gap * (a * b / n),
            )

    def __eq__(self, other: object) -> bool:
        """Equality of every number, without tolerance."""
        if not isinstance(other, Moments):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    @property
    def variance(self) -> FloatArray:
        """Unbiased variance (divisor n - 1), shape (q,); NaN for a single row."""
        if self.n == 1:
            return np.full_like(self.mean, np.nan)
        return self.m2 / (self.n - 1)

    @property
    def standard_error(self) -> FloatArray:
        """Standard error of the mean from the sample variance, shape (q,); NaN for a single row."""
        return np.sqrt(self.variance / self.n)

    @property
    def covariance(self) -> FloatArray:
        """Unbiased covariance matrix, shape (q, q); requires ``comoment=True`` at construction."""
        if self.comoment is None:
            raise InvalidInput(
                "Moments.covariance", needs="cross moments", got=None, hint="build with comoment=True"
            )
        if self.n == 1:
            return np.full_like(self.comoment, np.nan)
        return self.comoment / (self.n - 1)

    def to_dict(self) -> dict[str, object]:
        """A dictionary for JSON; floats as hexadecimal text, so that no bit is lost.

        Examples
        --------
        >>> moments = Moments.of([0.1, 0.2, 0.7])
        >>> Moments.from_dict(moments.to_dict()) == moments
        True
        """
        content: dict[str, object] = {"n": self.n}
        content |= {name: [x.hex() for x in getattr(self, name).tolist()] for name in _PER_COLUMN}
        if self.comoment is not None:
            content["comoment"] = [[x.hex() for x in row] for row in self.comoment.tolist()]
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Moments:
        """The inverse of `to_dict`; raises `InvalidInput` for anything else."""
        need(f"{cls.__name__}.from_dict", content, Mapping, "what to_dict returns")
        try:
            columns = {name: _from_hex(content[name]) for name in _PER_COLUMN}
            cross = content.get("comoment")
            matrix = None if cross is None else np.array([_from_hex(row) for row in cross])
            return cls(n=content["n"], comoment=matrix, **columns)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidInput("Moments.from_dict", needs="the result of to_dict", got=str(error)) from error

    def _columns_in_words(self) -> str:
        return f"{len(self.mean)} columns" + (" with comoment" if self.comoment is not None else "")


@dataclass(frozen=True, eq=False)
class Means:
    """Count and means of rows with q columns, where nothing else is asked for: a third of the time of `Moments`.

    Attributes
    ----------
    n : number of rows.
    mean : (q,) sample means.

    Examples
    --------
    >>> (Means.of([1.0, 2.0]) + Means.of([6.0])).mean.tolist()
    [3.0]
    """

    n: int
    mean: FloatArray

    @classmethod
    def of(cls, rows: ArrayLike) -> Means:
        """Means of rows of shape (n,) or (n, q)."""
        columns = _columns(rows)
        return cls(columns.shape[1], columns.mean(axis=1))

    def __add__(self, other: Means) -> Means:
        """Means of both sets of rows together; commutative only up to rounding."""
        n = self.n + other.n
        return Means(n, self.mean + (other.mean - self.mean) * (other.n / n))

    def to_dict(self) -> dict[str, object]:
        """A dictionary for JSON that keeps every bit."""
        return {"n": self.n, "mean": [x.hex() for x in self.mean.tolist()]}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Means:
        """The inverse."""
        return cls(content["n"], _from_hex(content["mean"]))


class WithComoment:
    """An accumulator of moments with the full matrix of cross moments: ``collect(WithComoment, ...)``.

    Examples
    --------
    >>> WithComoment.of(np.array([[0.0, 0.0], [2.0, 4.0]])).covariance
    array([[2., 4.],
           [4., 8.]])
    """

    @staticmethod
    def of(rows: ArrayLike) -> Moments:
        """`Moments.of` with ``comoment=True``."""
        return Moments.of(rows, comoment=True)

    @staticmethod
    def from_dict(content: Mapping[str, Any]) -> Moments:
        """`Moments.from_dict`."""
        return Moments.from_dict(content)


def _columns(rows: ArrayLike) -> FloatArray:
    """The rows as a fresh contiguous (q, n) array, so that sums depend on the values alone."""
    given = regular("rows", rows)
    if given.dtype.kind not in "fiub":
        raise InvalidInput("rows", needs="real numbers", got=given.dtype.name)
    if given.ndim not in (1, 2) or given.size == 0:
        raise InvalidInput("rows", needs="shape (n,) or (n, q) with n, q >= 1", got=given.shape)
    columns = given[None, :] if given.ndim == 1 else given.T
    values: FloatArray = np.array(columns, dtype=np.float64, order="C", copy=True)
    if not np.isfinite(values).all():
        raise InvalidInput("rows", needs="finite values", got=float(values[~np.isfinite(values)][0]))
    return values


def regular(subject: str, rows: ArrayLike) -> NDArray[Any]:
    """The rows as an array.

    Raises
    ------
    InvalidInput : lists of several lengths.

    Examples
    --------
    >>> regular("rows", [[1, 2], [3, 4]]).shape
    (2, 2)
    """
    try:
        return np.asarray(rows)
    except ValueError as problem:
        raise InvalidInput(subject, needs="lists of one shape", got=rows) from problem


def _products(centred: FloatArray) -> FloatArray:
    """Sums of products of all pairs of columns, without BLAS: the diagonal is m2 to the bit."""
    return np.array([(column * centred).sum(axis=1) for column in centred])


def _frozen(values: ArrayLike, name: str, shape: tuple[int, ...]) -> FloatArray:
    array: FloatArray = np.array(values, dtype=np.float64)
    if array.shape != shape:
        raise InvalidInput(f"Moments.{name}", needs=f"shape {shape}", got=array.shape)
    if not np.isfinite(array).all():
        raise InvalidInput(
            f"Moments.{name}",
            needs="finite sums of squares",
            got=float(array[~np.isfinite(array)][0]),
            hint="divide the values by their exact mean before accumulating",
        )
    array.setflags(write=False)
    return array


def _from_hex(texts: list[str]) -> FloatArray:
    return np.array([float.fromhex(text) for text in texts], dtype=np.float64)
