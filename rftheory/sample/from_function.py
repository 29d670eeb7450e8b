"""Feature maps given by one function of the inner products of projections and inputs.

def one_sided(projected, squares):
    return projected - squares / 2          # logarithms of positive features of the softmax kernel
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rftheory.errors import InvalidInput, SamplerFailed, items
from rftheory.sample.arrays import Array, Namespace, array_namespace
from rftheory.sample.features import FeatureMap, Kernel, Marks, Side, Terms, kernel_offset

GIVEN = ("projected", "squares", "side", "norms", "dim", "xp")
"""Arguments that a function may ask for by name; its other arguments are parameters of the map."""


@dataclass(frozen=True)
class FromFunction(FeatureMap):
    """A feature map given by a function of the inner products, for the softmax kernel and one projection.

    The function receives what its arguments name: ``projected`` (..., m, n), the inner products; ``squares`` (n,),
    |x|^2; ``side``, "left" or "right"; ``norms`` (..., m, 1) of the projections, and ``dim``, the dimension in
    which they are taken; ``xp``, the array library. It returns the logarithms of positive features, or `Terms`
    if they have signs, (..., F, n) with F a multiple of m. The factor 1/sqrt(m) and the Gaussian kernel are
    added here.

    Parameters
    ----------
    function : see above.
    parameters : names and values of its other arguments.

    Raises
    ------
    InvalidInput : unknown or missing parameters of the function.
    SamplerFailed : the function raises an error or does not return an array.

    Examples
    --------
    >>> found = FromFunction("one-sided", lambda projected, squares: projected - squares / 2)
    >>> found.positive, found.features(np.array([[1.0]]), np.array([0.0]), "softmax").round(4).tolist()
    (True, [[2.7183]])
    """

    name: str
    function: Callable[..., Any]
    parameters: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, name: str, function: Callable[..., Any], /, **parameters: Any) -> FromFunction:
        """Make the map with these named parameters."""
        return cls(name, function, tuple(parameters.items()))

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidInput(f"function of {self.name}", needs="a function", got=self.function)
        for pair in items(f"parameters of {self.name}", self.parameters, tuple, "pairs (name, value)"):
            if len(pair) != 2:
                raise InvalidInput(f"parameters of {self.name}", needs="pairs (name, value)", got=pair)
        try:
            inspect.signature(self.function).bind(**dict.fromkeys(self._asked) | dict(self.parameters))
        except TypeError as problem:
            raise InvalidInput(
                f"parameters of {self.name}", needs=str(problem), got=dict(self.parameters)
            ) from None

    @property
    def _asked(self) -> list[str]:
        return [name for name in inspect.signature(self.function).parameters if name in GIVEN]

    @property
    def needs_norms(self) -> bool:  # type: ignore[override]
        """Whether the function needs norms of projections."""
        return not {"norms", "dim"}.isdisjoint(self._asked)

    @property
    def positive(self) -> bool:
        seen = np.zeros((1, 1))
        return (
            self._terms(seen, np.zeros(1), "left", Marks(np.ones(1), 1), array_namespace(seen)).factor is None
        )

    def components(self, projected: Array, squares: Array, kernel: Kernel, side: Side, marks: Marks) -> Terms:
        found = self._terms(projected, squares, side, marks, array_namespace(projected))
        offset = kernel_offset(squares, kernel) - 0.5 * math.log(projected.shape[-2])
        return Terms(found.log_scale + offset, found.factor)

    def _terms(self, projected: Array, squares: Array, side: Side, marks: Marks, xp: Namespace) -> Terms:
        if self.needs_norms and marks.norms is None:
            raise InvalidInput(f"{self.name} features", needs="the norms of projections in marks", got=None)
        norms = None if marks.norms is None else marks.norms[..., None]
        given = dict(zip(GIVEN, (projected, squares, side, norms, marks.dim, xp), strict=True))
        try:
            with np.errstate():  # what it has NumPy do about underflow and the like stays its own
                found = self.function(**{name: given[name] for name in self._asked}, **dict(self.parameters))
        except Exception as problem:
            raise SamplerFailed(self.name, problem=f"{type(problem).__name__}: {problem}") from problem
        found = found if isinstance(found, Terms) else Terms(found)
        if not hasattr(found.log_scale, "shape"):
            raise SamplerFailed(self.name, problem=f"returned features of type {type(found.log_scale).__name__}",
                                hint="return an array of logarithms, or Terms(log_scale, factor)")  # fmt: skip
        return found


def parameters_of(function: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters of a map given by a function.

    Examples
    --------
    >>> parameters_of(lambda projected, squares, a, xp: None)
    ['a']
    """
    return [name for name in inspect.signature(function).parameters if name not in GIVEN]
