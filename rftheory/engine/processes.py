"""Runs over several processes of this machine, for statistics that threads cannot speed up.

Array libraries release the interpreter lock inside a call, so threads scale if calls are long. Statistics made
of many short calls scale with processes instead, which share no interpreter.
"""

from __future__ import annotations

import copyreg
import functools
import importlib
import io
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection, forkserver, resource_tracker
from multiprocessing.context import BaseContext
from numbers import Integral
from threading import Lock, Thread
from types import ModuleType, TracebackType
from typing import Any, Self

from rftheory.engine.threads import aside, in_threads
from rftheory.errors import InvalidInput, SamplerFailed, checked_workers

Task = Callable[[range], Any]

ASKING = 1.0
"""How many seconds to wait for a chunk before asking whether its pool is still at work."""


def forks_of(*modules: str) -> BaseContext:
    """A way to start processes: as forks of one that begins at once to import modules, for all of them.

    That one has no threads, as a process that is forked must not have. Where the system cannot fork, the processes are
    new interpreters.

    Examples
    --------
    >>> with Processes(1, start=forks_of("rftheory.engine")) as pool:
    ...     print(*pool(len, [range(3)]))
    3
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    start = multiprocessing.get_context("forkserver")
    start.set_forkserver_preload(list(modules))
    with starting():
        forkserver.ensure_running()
    return start


@contextmanager
def starting() -> Iterator[None]:
    """Processes that start meanwhile hear no interrupt, even while they import, and import nothing from this folder.

    Interrupts are the affair of this process. A new interpreter would look for modules in the current folder first,
    and a file there with the name of a standard module would end it; once it runs, it looks where this process does.

    Examples
    --------
    >>> with starting():
    ...     process = multiprocessing.get_context("spawn").Process(target=int)
    ...     process.start()
    >>> process.join()
    """
    with _without_this_folder():
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        resource_tracker.ensure_running()  # its first start, which would unblock interrupts, comes before
        heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, heard)


_SAFE_PATH, _HERE_ALONE = "PYTHONSAFEPATH", "while a process of rftheory starts"
_ENVIRONMENT = Lock()
"""Held while the environment, which all threads share, is another one."""


@contextmanager
def _without_this_folder() -> Iterator[None]:
    with _ENVIRONMENT:
        was = os.environ.get(_SAFE_PATH)
        os.environ[_SAFE_PATH] = was or _HERE_ALONE
        try:
            yield
        finally:
            _set_safe_path(was)


def _set_safe_path(value: str | None) -> None:
    if value is None:
        os.environ.pop(_SAFE_PATH, None)
    else:
        os.environ[_SAFE_PATH] = value


def has_started() -> None:
    """In a process that began in `starting`: programs that it starts see the environment of this one's parent.

    Examples
    --------
    >>> has_started()
    """
    if os.environ.get(_SAFE_PATH) == _HERE_ALONE:
        _set_safe_path(None)


class Processes:
    """A ``map`` for `run` and `collect` that computes the chunks in processes of this machine.

    The processes are fresh interpreters on every platform, or are started as told. They start with the first chunks
    and serve any number of runs until `close`; a ``with`` statement closes them, at once after an error or an
    interrupt. They end by themselves when this process is killed. The bits of a run do not depend on which process
    computes a chunk: when one dies, all are replaced and the chunks under way, at most one for each process, are
    repeated.

    The statistic is sent to them by `pickle`: a function at the top of a module, an object of such a class,
    or a `functools.partial` of one. A script must start its work under ``if __name__ == "__main__":``.

    Parameters
    ----------
    workers : number of processes; the engine sizes the chunks by it.
    retries : how often to retry a chunk after the death of a process.
    environments : environment variables for the processes, assigned in turn;
        :func:`rftheory.sample.arrays.device_settings` makes those that give each process its own device.
    prepare : called in each process before its first chunk; a function at the top of a module.
    start : how they start; by default as new interpreters, since forks of a process with threads may hang.

    Raises
    ------
    InvalidInput : invalid counts, a statistic that cannot be pickled, or a closed pool.
    SamplerFailed : the processes died repeatedly under the same chunk.

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

    def __init__(
        self,
        workers: int,
        *,
        retries: int = 3,
        environments: Sequence[Mapping[str, str]] = (),
        prepare: Callable[[], None] | None = None,
        start: BaseContext | None = None,
    ) -> None:
        again: object = retries
        if isinstance(again, bool) or not isinstance(again, Integral) or again < 0:
            raise InvalidInput("retries", needs="an integer of at least 0", got=again)
        self.workers = checked_workers("workers", workers)
        self.retries = int(retries)
        self.environments = tuple(dict(one) for one in environments)
        self.prepare = prepare
        self.start = start or multiprocessing.get_context("spawn")
        self._lock, self._open = Lock(), True
        self._pool: _Pool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(at_once=error is not None)

    def close(self) -> None:
        """End the processes once their current chunks are done."""
        self._end(at_once=False)

    def _end(self, at_once: bool) -> None:
        with self._lock:
            pool, self._pool, self._open = self._pool, None, False
        if pool is not None:
            aside(functools.partial(pool.end, at_once=at_once))

    def __call__(self, task: Task, chunks: Iterable[range]) -> Iterator[Any]:
        """Yield ``task(chunk)`` for every chunk in the order of completion, with a bounded number under way.

        One thread waits for each process; one more keeps a chunk ready for the first free process.
        """
        compute, threads = functools.partial(self._elsewhere, _sent(task)), self.workers + 1
        return in_threads(threads, compute, chunks, ahead=2 * threads, patient=False)

    def _elsewhere(self, sent: bytes, chunk: range) -> Any:
        """The result of a chunk from the processes, or from their replacements if they die."""
        deaths = 0
        while deaths <= self.retries:
            pool = self._started()
            try:
                with starting():
                    future = pool.executor.submit(_computed, sent, chunk)
            except BrokenProcessPool:
                self._drop(pool)
                continue
            except RuntimeError:
                if self._open:
                    raise
                continue  # closed just now
            try:
                result = _result(pool, future)
            except CancelledError:
                continue
            except BrokenProcessPool:
                self._drop(pool)
                deaths += 1
                continue
            except (Exception, SystemExit) as error:
                problem = f"raised {type(error).__name__}: {error}"
                raise SamplerFailed("worker process", problem=problem) from error
            if isinstance(result, _Unreadable):
                raise _not_sendable(result.problem)
            return result
        raise SamplerFailed(
            "worker process",
            problem=f"died {deaths} times under the chunk {chunk.start}..{chunk.stop - 1}",
            hint="is there enough memory? does the script start its work under if __name__ == '__main__'?",
        )

    def _started(self) -> _Pool:
        with self._lock:
            if not self._open:
                raise InvalidInput("Processes", needs="a pool that is open", got="a closed one")
            if self._pool is None:
                with starting():  # its locks start a process that keeps count of them
                    self._pool = _Pool.of(self.workers, self.start, self.environments, self.prepare)
            return self._pool

    def _drop(self, pool: _Pool) -> None:
        """Discard a pool that has lost a process, unless another chunk has already done so."""
        with self._lock:
            if self._pool is not pool:
                return
            self._pool = None
        pool.end(at_once=True)


@dataclass(frozen=True, eq=False)
class _Pool:
    """Processes, and the end of a pipe that they watch: a message in it ends them."""

    executor: ProcessPoolExecutor
    leash: connection.Connection

    @classmethod
    def of(
        cls,
        workers: int,
        context: Any,
        environments: Sequence[dict[str, str]],
        prepare: Callable[[], None] | None,
    ) -> Self:
        watched, leash = context.Pipe(duplex=False)
        turn = context.Value("q", 0)
        given = (watched, turn, environments, prepare)
        executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=given)
        return cls(executor, leash)

    def end(self, at_once: bool) -> None:
        """Wait for the chunks that are being computed, or cancel them."""
        if at_once:
            self.leash.send_bytes(b"end")
        self.executor.shutdown(cancel_futures=True)


def _result(pool: _Pool, future: Future[Any]) -> Any:
    """The result of a future.

    A pool that has lost a process ends all of its futures, but may overlook one that is just being submitted, so
    a long wait asks from time to time whether the pool still accepts work. What it asks with is not cancelled: a
    pool that ends its futures fails at the first that is, and leaves the others and its processes as they are.
    """
    while not wait([future], timeout=ASKING).done:
        try:
            with starting():
                pool.executor.submit(int)
        except BrokenProcessPool:
            raise
        except RuntimeError:
            continue  # closed, but this chunk is still being computed
    return future.result()


@dataclass(frozen=True)
class _Unreadable:
    """A task that a process could not rebuild, and why."""

    problem: str


def _sent(task: Task) -> bytes:
    """The task for another process; modules, such as the array namespace of a statistic, are sent by name."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = copyreg.dispatch_table | {ModuleType: _by_name}
    try:
        pickler.dump(task)
    except Exception as problem:  # an object may refuse with any exception
        raise _not_sendable(f"{type(problem).__name__}: {problem}") from problem
    return buffer.getvalue()


def _by_name(module: ModuleType) -> tuple[Callable[[str], ModuleType], tuple[str]]:
    return importlib.import_module, (module.__name__,)


def _not_sendable(problem: str) -> InvalidInput:
    return InvalidInput(
        "statistic",
        needs="an object that pickle can send to a fresh process",
        got=problem,
        hint="define functions and classes at the top of a module, use functools.partial instead of lambda",
    )


# ---- in the processes

_LAST: tuple[bytes, Task] | None = None
"""The task of the last chunk, as sent and as rebuilt."""


def _begin(
    watched: connection.Connection, turn: Any, environments: Sequence[dict[str, str]],
    prepare: Callable[[], None] | None,
) -> None:  # fmt: skip
    """Set the environment first, because libraries read it only once.

    Keyboard interrupts are left to the parent; its message or its death ends this process too.
    """
    has_started()
    if environments:
        with turn.get_lock():
            number, turn.value = turn.value, turn.value + 1
        os.environ.update(environments[number % len(environments)])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_the_parent, args=(watched,), daemon=True).start()
    if prepare is not None:
        prepare()


def _end_with_the_parent(watched: connection.Connection) -> None:
    parent = multiprocessing.parent_process()
    connection.wait([watched] if parent is None else [watched, parent.sentinel])
    os._exit(1)


def _computed(sent: bytes, chunk: range) -> Any:
    global _LAST
    if _LAST is None or _LAST[0] != sent:
        try:
            _LAST = sent, pickle.loads(sent)
        except Exception as problem:  # an import may fail with any exception
            return _Unreadable(f"{type(problem).__name__}: {problem}")
    try:
        return _LAST[1](chunk)
    except Exception as error:
        if _returns(error):
            raise
        raise RuntimeError(f"{type(error).__name__}: {error}") from error


def _returns(error: Exception) -> bool:
    """Whether pickle can rebuild the error; if not, its arrival would end the pool like the death of a process."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # objects refuse in whatever way they like
        return False
    return True
