"""Runs on the workers of a dask cluster (extra ``cluster``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rftheory.engine.run import Map
from rftheory.errors import BackendUnavailable, InvalidInput


def cluster_map(client: Any, *, retries: int = 3) -> Map:
    """Return a ``map`` for `run` and `collect` that uses the workers of a ``distributed.Client``.

    The bits of a run do not depend on which worker computes a chunk; if a worker dies, another one repeats its
    chunk. The statistic must be picklable.

    Parameters
    ----------
    retries : how often to retry a chunk after an error that is not the statistic's own.

    Raises
    ------
    BackendUnavailable : distributed is not installed.
    InvalidInput : not a client.

    Examples
    --------
    >>> cluster_map("tcp://scheduler")
    Traceback (most recent call last):
        ...
    rftheory.errors.InvalidInput: client: needs a distributed.Client, got 'str'
    """
    try:
        from distributed import Client, as_completed
    except ImportError as problem:
        raise BackendUnavailable(
            "distributed", reason="it is not installed", hint="pip install 'rftheory[cluster]'"
        ) from problem
    if not isinstance(client, Client):
        raise InvalidInput("client", needs="a distributed.Client", got=type(client).__name__)

    def mapped(task: Callable[[range], Any], chunks: Iterable[range]) -> Iterator[Any]:
        futures = client.map(task, list(chunks), pure=False, retries=retries)
        try:
            for future in as_completed(futures):
                yield future.result()
                future.release()
        finally:  # also if a sequential test ends the run before all chunks are done
            client.cancel([future for future in futures if not future.done()])

    return mapped
