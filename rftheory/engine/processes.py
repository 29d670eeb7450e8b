"""Processes of this machine: runs over several cores where threads would wait for the interpreter.

Array libraries release the interpreter lock inside a call, so threads scale where calls are long. Statistics made
of many short calls scale with processes, which share no interpreter.
"""

from __future__ import annotations

import copyreg
import importlib
import io
import multiprocessing
import os
import pickle
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from numbers import Integral
from queue import SimpleQueue
from threading import Lock, Thread
from types import ModuleType, TracebackType
from typing import Any, Self

from rftheory.errors import InvalidInput, SamplerFailed

Task = Callable[[range], Any]


class Processes:
    """A ``map`` for `run` and `collect` that computes the chunks in processes of this machine.

    The processes are fresh interpreters on every platform. They start with the first chunks, once, and serve any
    number of runs until `close`, at best by a ``with`` statement; they end by themselves when this process is
    killed. The bits of a run do not depend on who computes a chunk: when a process dies, all of them
    are replaced, and the chunks that they were computing, at most one each, are repeated.

    The statistic is sent to them by `pickle`: a function at the top of a module, an object of such a class,
    or a `functools.partial` of one. A script must start its work under ``if __name__ == "__main__":``.

    Parameters
    ----------
    workers : number of processes; the engine sizes the chunks by it.
    retries : how often a chunk is tried again after the death of a process.

    Raises
    ------
    InvalidInput : counts that make no sense, a statistic that cannot be sent, a pool that has been closed.
    SamplerFailed : the processes died again and again under one chunk.

    Examples
    --------
    >>> import numpy as np
    >>> from rftheory.engine import run
    >>> from rftheory.sample import Fused, Mechanism, Stream
    >>> x = np.full((1, 64), 0.05)
    >>> estimates = Fused(Mechanism("positive", "simplex", 64), Stream.named("demo"), x, x)
    >>> with Processes(2) as pool:
    ...     found = run(estimates, 10_000, map=pool)
    >>> found == run(estimates, 10_000)
    True
    """

    def __init__(self, workers: int, *, retries: int = 3) -> None:
        for option, value, least in (("workers", workers, 1), ("retries", retries, 0)):
            if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
                raise InvalidInput(option, needs=f"an integer from {least} on", got=value)
        self.workers, self.retries = int(workers), int(retries)
        self._lock, self._open = Lock(), True
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes, after the chunks that they are computing."""
        with self._lock:
            pool, self._pool, self._open = self._pool, None, False
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)

    def __call__(self, task: Task, chunks: Iterable[range]) -> Iterator[Any]:
        """Yield ``task(chunk)`` for every chunk in the order of completion, a bounded number under way."""
        sent, todo, losses = _sent(task), deque(chunks), Counter[range]()
        pending: dict[Future[Any], range] = {}
        ready: SimpleQueue[Future[Any]] = SimpleQueue()
        try:
            while todo or pending:
                pool = self._started()
                broken = not self._fill(pool, pending, ready, todo, sent)
                done, lost = _finished(pending, ready)
                for result in done:
                    yield _received(result)
                if broken or lost:
                    self._drop(pool)
                    todo.extendleft(reversed(lost))
                    losses.update(lost)
                    self._count(losses)
        finally:
            for future in pending:
                future.cancel()

    def _started(self) -> ProcessPoolExecutor:
        with self._lock:
            if not self._open:
                raise InvalidInput("Processes", needs="a pool that is open", got="a closed one")
            if self._pool is None:
                # Fresh interpreters: forks of a process with threads may hang.
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_begin)
            return self._pool

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        """Let go of a pool that has lost a process; another run may already have replaced it."""
        with self._lock:
            if self._pool is pool:
                self._pool = None
        pool.shutdown(wait=True)

    def _fill(
        self,
        pool: ProcessPoolExecutor,
        pending: dict[Future[Any], range],
        ready: SimpleQueue[Future[Any]],
        todo: deque[range],
        sent: bytes,
    ) -> bool:
        """Submit up to two chunks a process; False when the pool has lost one."""
        while todo and len(pending) < 2 * self.workers:
            try:
                future = pool.submit(_computed, sent, todo[0])
            except BrokenProcessPool:
                return False
            pending[future] = todo.popleft()
            future.add_done_callback(ready.put)
        return True

    def _count(self, losses: Counter[range]) -> None:
        """Give up on a chunk that was lost too often."""
        for chunk, times in losses.most_common(1):
            if times > self.retries:
                raise SamplerFailed(
                    "worker process",
                    problem=f"died {times} times under the chunk {chunk.start}..{chunk.stop - 1}",
                    hint="is the memory enough? does the script start its work under "
                    "if __name__ == '__main__'?",
                )


@dataclass(frozen=True)
class _Unreadable:
    """A task that a process could not rebuild, and why."""

    problem: str


def _finished(
    pending: dict[Future[Any], range], ready: SimpleQueue[Future[Any]]
) -> tuple[list[Future[Any]], list[range]]:
    """Take out what is ready: futures with a result, and chunks that were lost with their process.

    The wait is for a queue, not for the futures: an interrupt in the midst of `concurrent.futures.wait` may leave
    their locks taken, and the pool waiting for them for ever.
    """
    if not pending:
        return [], []
    found = [ready.get()]
    while len(found) < len(pending) and (not ready.empty() or any(_is_lost(future) for future in found)):
        found.append(ready.get())  # a pool that has lost a process ends all of its futures
    chunks = {future: pending.pop(future) for future in found}
    lost = [chunk for future, chunk in chunks.items() if _is_lost(future)]
    return [future for future in chunks if not _is_lost(future)], lost


def _is_lost(future: Future[Any]) -> bool:
    return future.cancelled() or isinstance(future.exception(), BrokenProcessPool)


def _received(future: Future[Any]) -> Any:
    error = future.exception()
    if error is not None:
        problem = f"raised {type(error).__name__}: {error}"
        raise SamplerFailed("worker process", problem=problem) from error
    result = future.result()
    if isinstance(result, _Unreadable):
        raise _not_sendable(result.problem)
    return result


def _sent(task: Task) -> bytes:
    """The task for another process; modules, such as the array namespace of a statistic, go by name."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = copyreg.dispatch_table | {ModuleType: _by_name}
    try:
        pickler.dump(task)
    except Exception as problem:  # objects refuse in whatever way they like
        raise _not_sendable(f"{type(problem).__name__}: {problem}") from problem
    return buffer.getvalue()


def _by_name(module: ModuleType) -> tuple[Callable[[str], ModuleType], tuple[str]]:
    return importlib.import_module, (module.__name__,)


def _not_sendable(problem: str) -> InvalidInput:
    return InvalidInput(
        "statistic",
        needs="something that pickle can send to a fresh process",
        got=problem,
        hint="define functions and classes at the top of a module, use functools.partial in place of lambda",
    )


# ---- in the processes

_LAST: tuple[bytes, Task] | None = None
"""The task of the last chunk, as it was sent and as it was rebuilt."""


def _begin() -> None:
    """An interrupt from the keyboard is the parent's affair; its death ends this process too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _computed(sent: bytes, chunk: range) -> Any:
    global _LAST
    if _LAST is None or _LAST[0] != sent:
        try:
            _LAST = sent, pickle.loads(sent)
        except Exception as problem:  # an import may fail in whatever way it likes
            return _Unreadable(f"{type(problem).__name__}: {problem}")
    try:
        return _LAST[1](chunk)
    except Exception as error:
        if _returns(error):
            raise
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


def _returns(error: Exception) -> bool:
    """Whether pickle can rebuild it; if not, its arrival would end the whole pool like the death of a process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # objects refuse in whatever way they like
        return False
    return True
