"""Work in threads that an interrupt from the keyboard cannot leave hanging.

Interrupts arrive in the main thread, between any two instructions, also inside of library code that has just taken a
lock: a pool of `concurrent.futures` that is used there may wait for such a lock for ever. So the main thread touches
nothing but queues here, whose operations are not made of instructions, and starts threads by the call beneath
`threading.Thread.start`, which waits for none.
"""

from __future__ import annotations

from _thread import start_new_thread
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from numbers import Integral
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from rftheory.errors import InvalidInput

MOST_WORKERS = 1024
"""Threads or processes that one run may ask for; far more than pay, and than most systems give."""

A = TypeVar("A")
B = TypeVar("B")


def checked_workers(option: str, value: object) -> int:
    """Return a number of threads or processes as an int.

    Raises
    ------
    InvalidInput : it is no integer from 1 to 1024.

    Examples
    --------
    >>> checked_workers("workers", 100_000)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: workers: needs an integer from 1 to 1024, got 100000
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or not 1 <= int(value) <= MOST_WORKERS:
        raise InvalidInput(option, needs=f"an integer from 1 to {MOST_WORKERS}", got=value)
    return int(value)


def in_threads(
    threads: int, task: Callable[[A], B], arguments: Iterable[A], *, ahead: int, patient: bool = True
) -> Iterator[B]:
    """Yield ``task(a)`` for all arguments in the order of completion, in so many threads.

    What a task raises is raised here.

    Parameters
    ----------
    ahead : how many arguments are under way at most.
    patient : whether the end of the iterator, also an early one, waits for the tasks that have begun.

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
            except RuntimeError:  # the system gives no more: the work is done by those that there are
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
    """Return what an action does in a thread of its own: an interrupt ends the waiting, not the action.

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
        except BaseException as error:  # whatever it is, it belongs to who waits for it
            self._error = error

    def result(self) -> B:
        if self._error is not None:
            raise self._error
        return self._value


def _drain(queue: SimpleQueue[tuple[A] | None]) -> None:
    """Take out what nobody has begun."""
    with suppress(Empty):
        while True:
            queue.get_nowait()
