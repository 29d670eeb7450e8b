"""Run a statistic over many blocks, with the same bits however the work is split.

The blocks are cut into leaves of a fixed size, each leaf is reduced to a mergeable value (`Moments` unless
another accumulator is given), and the values are added in a binary tree fixed by the index of the leaf.
Chunks, threads, processes, checkpoints and resumption affect where and when a leaf is computed, never its bits.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Protocol, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rftheory.engine.moments import Moments
from rftheory.engine.record import Record, code_version
from rftheory.engine.threads import in_threads
from rftheory.engine.tree import FixedTree, Mergeable
from rftheory.errors import InvalidInput, SamplerFailed, checked_workers

Statistic = Callable[[range], Any]
Map = Callable[[Callable[[range], Any], Iterable[range]], Iterable[Any]]
V = TypeVar("V", bound=Mergeable)
V_co = TypeVar("V_co", bound=Mergeable, covariant=True)


class Accumulator(Protocol[V_co]):
    """A class (or object) that reduces rows to a mergeable value and reads it back from a record.

    Examples
    --------
    >>> from rftheory.engine.moments import Moments
    >>> reduces: Accumulator[Moments] = Moments
    >>> reduces.from_dict(reduces.of([0.0, 1.0]).to_dict()).n
    2
    """

    def of(self, rows: ArrayLike, /) -> V_co:
        """Reduce rows of shape (n,) or (n, q)."""
        ...

    def from_dict(self, content: Mapping[str, Any], /) -> V_co:
        """Inverse of the value's ``to_dict``."""
        ...


class _Options(TypedDict, total=False):
    """The keyword options of `run` and `collect`, explained in `collect`."""

    leaf: int
    chunk_leaves: int | None
    workers: int
    map: Map | None
    progress: Callable[[int, int], None] | None
    record: str | os.PathLike[str] | None
    job: Mapping[str, object] | None
    name: str | None
    to_host: Callable[[Any], NDArray[Any]] | None
    memory: int
    bytes_per_block: int | None


def run(
    statistic: Statistic,
    blocks: int | range,
    *,
    stop: Callable[[Moments], bool] | None = None,
    **options: Unpack[_Options],
) -> Moments:
    """Moments of a statistic over blocks: `collect` with `Moments` and the same options.

    Examples
    --------
    >>> import numpy as np
    >>> def squares(blocks):
    ...     return np.arange(blocks.start, blocks.stop, dtype=float) ** 2
    >>> run(squares, 10_000).mean.tolist()
    [33328333.5]
    >>> run(squares, 10_000, chunk_leaves=1) == run(squares, 10_000, chunk_leaves=3, workers=2)
    True
    """
    return collect(Moments, statistic, blocks, stop=stop, **options)


def collect(
    into: Accumulator[V],
    statistic: Statistic,
    blocks: int | range,
    *,
    leaf: int = 4096,
    chunk_leaves: int | None = None,
    workers: int = 1,
    map: Map | None = None,
    progress: Callable[[int, int], None] | None = None,
    record: str | os.PathLike[str] | None = None,
    job: Mapping[str, object] | None = None,
    stop: Callable[[V], bool] | None = None,
    name: str | None = None,
    to_host: Callable[[Any], NDArray[Any]] | None = None,
    memory: int = 2**28,
    bytes_per_block: int | None = None,
) -> V:
    """Reduce a statistic over blocks to one value of the accumulator ``into``.

    Parameters
    ----------
    into : the accumulator: `Moments`, `WithComoment`, or any class with ``of`` and ``from_dict`` whose
        values have ``+`` and ``to_dict``.
    statistic : maps a range of B block indices to an array of shape (B,) or (B, q), NumPy or device. The
        row of a block may depend only on the block's index.
    blocks : a number of blocks, counted from 0, or a range of step 1.
    leaf : blocks per leaf. The bits of the result depend on it, but on none of the options below.
    chunk_leaves : leaves per task; by default as many as ``memory`` allows, but at least eight tasks per worker.
    workers : number of threads. Array libraries release the interpreter lock only during a call, so processes
        are faster for statistics of short calls.
    map : replaces the threads: called as ``map(task, chunks)``, it returns the results in any order. It may be
        `Processes` of this machine, `cluster_map` for many machines, or the ``map`` of a
        ``concurrent.futures`` executor; the statistic must then be picklable. Its attribute ``workers``, if it
        has one, takes the place of the option.
    progress : called as ``progress(blocks done, total blocks)`` after each chunk, from the calling thread.
    record : path of a checkpoint. Each finished chunk is written at once, so a killed run loses only the chunks
        under way, and the same call resumes it with the same bits.
    job : needed with ``record``: what the statistic draws (name, sizes, stream key). Together with the
        blocks, the leaf size and a hash of the code it determines which record may be resumed.
    stop : called after every leaf, in order, with the value of all leaves so far; True ends the run there, at
        the same leaf for any chunking. Only for anytime-valid tests.
    name : name of the statistic, for error messages.
    to_host : copies an array to NumPy; by default ``.get()`` for device arrays, else ``numpy.asarray``.
    memory : bytes that all workers together may use at once. This is a plan: a piece that still runs out of
        memory, on the host or on a device, is cut in two.
    bytes_per_block : bytes that the statistic needs for one block; by default its attribute of that name, or
        8192.

    Returns
    -------
    The merged value of all leaves, or of those up to where ``stop`` ended the run.

    Raises
    ------
    InvalidInput : an invalid option, or the record of another job.
    SamplerFailed : the statistic raised an error, or returned a wrong shape, NaN or infinite values, or values
        that the accumulator refuses; the message names the blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.engine.moments import WithComoment
    >>> def pair(blocks):
    ...     index = np.arange(blocks.start, blocks.stop, dtype=float)
    ...     return np.stack([index, -index], axis=1)
    >>> collect(WithComoment, pair, range(0, 3)).covariance.tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    span = _block_range(blocks)
    workers = getattr(map, "workers", workers)
    leaf, workers, memory = (
        _count("leaf", leaf),
        checked_workers("workers", workers),
        _count("memory", memory),
    )
    name = name or _name_of(statistic)
    need = _count("bytes_per_block", bytes_per_block or getattr(statistic, "bytes_per_block", None) or 8192)
    if not (hasattr(into, "of") and hasattr(into, "from_dict")):
        raise InvalidInput("into", needs="an accumulator, such as Moments", got=into)
    piece = max(1, memory // (workers * need))
    plan = _Plan(span, leaf, piece)
    size = _chunk_leaves(plan, chunk_leaves, workers)
    if record is not None and job is None:
        raise InvalidInput(
            "record",
            needs="job=, a description of what is drawn (name, sizes, stream key)",
            got=None,
            hint="without it, numbers of another run could be mistaken for this one's",
        )
    if job is not None and not isinstance(job, Mapping):
        raise InvalidInput("job", needs="a mapping of what is drawn", got=job)
    task = functools.partial(_evaluate, plan, statistic, into, to_host or _to_host)
    mapper = map or (_serial if workers == 1 else functools.partial(_threads, workers))
    with _open_record(record, job, plan, name, statistic, into) as book:
        known = {} if book is None else book.leaves
        chunks = _missing(plan, size, known)
        return _merge(plan, _results(mapper, task, chunks), known, name, book, progress, stop)


@dataclass(frozen=True)
class _Plan:
    """Which blocks form which leaf, and how many blocks are requested from the statistic at once."""

    blocks: range
    leaf: int
    piece: int

    @property
    def leaves(self) -> int:
        return -(-len(self.blocks) // self.leaf)

    def of_leaves(self, leaves: range) -> range:
        """The blocks of consecutive leaves."""
        return self.blocks[leaves.start * self.leaf : leaves.stop * self.leaf]


@dataclass(frozen=True)
class _Done:
    leaves: range
    width: int
    values: list[Any]


@dataclass(frozen=True)
class _Failed:
    """A failure as a value: it crosses process borders, where an exception may not."""

    problem: str
    cause: BaseException | None = None

    def __getstate__(self) -> dict[str, object]:
        return {"problem": self.problem, "cause": None}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)


class _BadRows(Exception):
    """What is wrong with the rows of a piece, in words."""


def _evaluate(
    plan: _Plan,
    statistic: Statistic,
    into: Accumulator[Any],
    to_host: Callable[[Any], NDArray[Any]],
    leaves: range,
) -> _Done | _Failed:
    """The values of consecutive leaves."""
    blocks = plan.of_leaves(leaves)
    where = blocks
    try:
        parts = []
        pieces = [blocks[start : start + plan.piece] for start in range(0, len(blocks), plan.piece)][::-1]
        while pieces:
            where = pieces.pop()
            try:
                part = _rows(statistic(where), where, to_host)
            except MemoryError:  # plans are rough: half of the piece may fit, with the same bits
                if len(where) == 1:
                    raise
                pieces += [where[len(where) // 2 :], where[: len(where) // 2]]
                continue
            # A statistic may return the same memory at every call.
            parts.append(part if len(where) == len(blocks) else part.copy())
        where = blocks
        widths = {part.shape[1:] for part in parts}
        if len(widths) > 1:
            raise _BadRows(f"returned rows of different shapes: {sorted(widths)}")
        rows = np.concatenate(parts)
        values = [into.of(rows[i : i + plan.leaf]) for i in range(0, len(rows), plan.leaf)]
    except _BadRows as bad:
        return _Failed(f"blocks {where.start}..{where.stop - 1}: {bad}")
    except (Exception, SystemExit) as error:  # foreign code may raise anything; the message names the blocks
        words = f"raised {type(error).__name__}: {error}"
        return _Failed(f"blocks {where.start}..{where.stop - 1}: {words}", error)
    return _Done(leaves, rows[0].size, values)


def _rows(returned: Any, blocks: range, to_host: Callable[[Any], NDArray[Any]]) -> NDArray[np.float64]:
    rows = np.asarray(to_host(returned))
    if rows.dtype.kind not in "fiub":
        raise _BadRows(f"returned {rows.dtype.name} values instead of real numbers")
    if rows.ndim not in (1, 2) or len(rows) != len(blocks) or rows.size == 0:
        raise _BadRows(f"returned shape {rows.shape} instead of ({len(blocks)},) or ({len(blocks)}, q)")
    if not np.isfinite(rows).all():
        bad = np.flatnonzero(~np.isfinite(rows.reshape(len(rows), -1)).all(axis=1))
        value = rows[bad[0]]
        raise _BadRows(f"returned {value} at block {blocks[int(bad[0])]} ({bad.size} blocks are not finite)")
    return rows.astype(np.float64, copy=False)


def _results(
    mapper: Map, task: Callable[[range], _Done | _Failed], chunks: list[range]
) -> Iterator[_Done | _Failed]:
    results = mapper(task, chunks)
    try:
        yield from results
    finally:
        close = getattr(results, "close", None)  # if a run ends early, cancel the tasks that have not begun
        if close is not None:
            close()


def _merge(
    plan: _Plan,
    results: Iterator[_Done | _Failed],
    known: Mapping[int, Any],
    name: str,
    book: Record | None,
    progress: Callable[[int, int], None] | None,
    stop: Callable[[V], bool] | None,
) -> V:
    """Add the leaves in the order of their index, in whatever order they arrive."""
    waiting, tree = dict(known), FixedTree[V]()
    done = sum(len(plan.of_leaves(range(i, i + 1))) for i in known)
    first: _Done | None = None
    try:
        if _advance(tree, waiting, stop):
            return tree.total()
        for result in results:
            if isinstance(result, _Failed):
                raise SamplerFailed(name, problem=result.problem) from result.cause
            first = first or result
            if result.width != first.width:
                raise SamplerFailed(name, problem=_two_widths(plan, first, result))
            if book is not None:
                book.append(result.leaves.start, result.values)
            waiting.update(zip(result.leaves, result.values, strict=True))
            done += len(plan.of_leaves(result.leaves))
            if progress is not None:
                progress(done, len(plan.blocks))
            if _advance(tree, waiting, stop):
                return tree.total()
    finally:
        results.close()  # type: ignore[attr-defined]
    if len(tree) != plan.leaves:
        raise InvalidInput(
            "map", needs="one result for each chunk", got=f"{len(tree)} of {plan.leaves} leaves"
        )
    return tree.total()


def _two_widths(plan: _Plan, *results: _Done) -> str:
    """Which blocks gave how many columns, in the order of the blocks: either may be the wrong one."""
    words = []
    for result in sorted(results, key=lambda done: done.leaves.start):
        blocks = plan.of_leaves(result.leaves)
        words.append(f"{result.width} columns at blocks {blocks.start}..{blocks.stop - 1}")
    return "returned " + " and ".join(words)


def _advance(tree: FixedTree[Any], waiting: dict[int, Any], stop: Callable[[Any], bool] | None) -> bool:
    """Move the leaves that are next in order into the tree; return True if ``stop`` says so."""
    while len(tree) in waiting:
        tree.add(waiting.pop(len(tree)))
        if stop is not None and stop(tree.total()):
            return True
    return False


def _missing(plan: _Plan, size: int, known: Mapping[int, Any]) -> list[range]:
    """Chunks of at most ``size`` consecutive leaves that are not in the record."""
    chunks: list[range] = []
    for start in range(0, plan.leaves, size):
        todo = [i for i in range(start, min(start + size, plan.leaves)) if i not in known]
        while todo:
            count = next((k for k, i in enumerate(todo) if i != todo[0] + k), len(todo))
            chunks.append(range(todo[0], todo[0] + count))
            todo = todo[count:]
    return chunks


def _serial(task: Callable[[range], _Done | _Failed], chunks: Iterable[range]) -> Iterator[_Done | _Failed]:
    return (task(chunk) for chunk in chunks)


def _threads(
    workers: int, task: Callable[[range], _Done | _Failed], chunks: Iterable[range]
) -> Iterator[_Done | _Failed]:
    return in_threads(workers, task, chunks, ahead=2 * workers)


def _open_record(
    path: str | os.PathLike[str] | None,
    job: Mapping[str, object] | None,
    plan: _Plan,
    name: str,
    statistic: Statistic,
    into: Accumulator[Any],
) -> Record | nullcontext[None]:
    if path is None or job is None:
        return nullcontext()
    whole = {
        "job": dict(job),
        "statistic": name,
        "blocks": [plan.blocks.start, plan.blocks.stop],
        "leaf": plan.leaf,
        "accumulator": getattr(into, "__qualname__", type(into).__qualname__),
        "code": code_version(statistic, into),
    }
    return Record(path, whole, into.from_dict)


def _block_range(blocks: int | range) -> range:
    span = range(int(blocks)) if isinstance(blocks, Integral) and not isinstance(blocks, bool) else blocks
    if isinstance(span, range) and span.step == 1 and 0 <= span.start < span.stop <= span.start + sys.maxsize:
        return span
    needs = "a positive count, or a non-empty range of step 1, of less than 2**63 blocks"
    raise InvalidInput("blocks", needs=needs, got=blocks)


def _count(option: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InvalidInput(option, needs="a positive integer", got=value)
    return int(value)


def _chunk_leaves(plan: _Plan, asked: int | None, workers: int) -> int:
    if asked is not None:
        return _count("chunk_leaves", asked)
    fits = max(1, plan.piece // plan.leaf)
    return max(1, min(fits, plan.leaves // (8 * workers)))


def _name_of(statistic: Statistic) -> str:
    inner: Any = statistic
    while isinstance(inner, functools.partial):
        inner = inner.func
    return str(getattr(inner, "__name__", type(inner).__name__))


def _to_host(array: Any) -> NDArray[Any]:
    """A NumPy array; device arrays are copied by their own ``get``."""
    if hasattr(array, "__cuda_array_interface__") and hasattr(array, "get"):
        return np.asarray(array.get())
    return np.asarray(array)
