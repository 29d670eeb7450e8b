"""Our samplers in other libraries: scikit-learn transformers, torch modules, a gpytorch kernel.

Each module imports its library, so it is imported by name: ``rftheory.interop.sklearn``, ``rftheory.interop.torch``,
``rftheory.interop.gpytorch``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rftheory.errors import BackendUnavailable


@contextmanager
def needs(library: str, extra: str) -> Iterator[None]:
    """Where a library cannot be imported, say which extra of ours installs it.

    Raises
    ------
    BackendUnavailable : the library, or something that it needs, is missing.

    Examples
    --------
    >>> with needs("torch", "torch"):  # doctest: +ELLIPSIS
    ...     import torch_that_is_missing
    Traceback (most recent call last):
    ...
    rftheory.errors.BackendUnavailable: backend 'torch' is not available: No module named 'torch_that_is_missing'; ...
    """
    try:
        yield
    except ImportError as problem:
        raise BackendUnavailable(
            library, reason=str(problem), hint=f"pip install 'rftheory[{extra}]'"
        ) from problem
