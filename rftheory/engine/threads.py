"""Work in threads that a keyboard interrupt cannot leave hanging.

Interrupts arrive in the main thread, between any two instructions, even inside library code that has just taken a
lock; a pool of `concurrent.futures` may then wait for that lock for ever. So here the main thread touches only
queues, whose operations are atomic, and starts threads by the call beneath `threading.Thread.start`, which takes no
lock.
"""

from __future__ import annotations

from _thread import start_new_thread
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")


def in_threads(
    threads: int, task: Callable[[A], B], arguments: Iterable[A], *, ahead: int, patient: bool = True
) -> Iterator[B]:
    """Yield ``task(a)`` for all arguments in the order of completion, computed in several threads.

    Errors of a task are raised here.

    Parameters
    ----------
    ahead : the largest number of arguments under way.
    patient : whether closing the iterator, early or not, waits for the tasks that have begun.

    Examples
    --------
    >>> sorted(in_threads(2, abs, range(-3, 1), ahead=4))
    [0, 1, 2, 3]
    """
    todo: SimpleQueue[tuple[A] | None] = SimpleQueue()
    done: SimpleQueue[_Outcome[B]] = SimpleQueue()
    ended: SimpleQueue[None] = SimpleQueue()

    def work() -> None:
        while (given := todo.get()) is not None:
            done.put(_Outcome(task, *given))
        todo.put(None)  # for the next thread
        ended.put(None)

    rest, started, under_way = iter(arguments), 0, 0
    try:
        while started < threads:
            try:
                start_new_thread(work, ())
            except RuntimeError:  # the system allows no more threads: those that exist do the work
                if not started:
                    raise
                break
            started += 1
        while True:
            for argument in islice(rest, ahead - under_way):
                todo.put((argument,))
                under_way += 1
            if not under_way:
                return
            outcome = done.get()
            under_way -= 1
            yield outcome.result()
    finally:
        _drain(todo)
        todo.put(None)
        for _ in range(started if patient else 0):
            ended.get()


def aside(action: Callable[[], B]) -> B:
    """Run an action in its own thread and return its result: an interrupt ends the waiting, not the action.

    Examples
    --------
    >>> aside(lambda: 6 * 7)
    42
    """
    (result,) = in_threads(1, lambda _: action(), (None,), ahead=1, patient=False)
    return result


class _Outcome(Generic[B]):
    """What a task returned or raised."""

    def __init__(self, task: Callable[[A], B], argument: A) -> None:
        self._error: BaseException | None = None
        try:
            self._value = task(argument)
        except BaseException as error:  # any exception belongs to the thread that waits for the result
            self._error = error

    def result(self) -> B:
        if self._error is not None:
            raise self._error
        return self._value


def _drain(queue: SimpleQueue[tuple[A] | None]) -> None:
    """Remove the arguments that no thread has begun."""
    with suppress(Empty):
        while True:
            queue.get_nowait()
