"""Targets: a user's code, made callable. Its results are described, brought into a common shape, and checked.

A target is an importable callable (``package.module:function``), a function of a file (``sampler.py:function``), a
saved array of draws (``draws.npy``, ``draws.npz:key``), a pair of feature maps (``module:phi,psi``), or a Python
object: a function or a scikit-learn transformer. NumPy, torch and CuPy arrays come back as NumPy.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import math
import random
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from zipfile import BadZipFile

import numpy as np

from rftheory import author, sample
from rftheory.check.properties.inputs import UNITS
from rftheory.errors import DeclarationFailed, InvalidInput, RFTheoryError, SamplerFailed
from rftheory.exact.limits import TimeIsUp, alarm, has_timer
from rftheory.names import plural
from rftheory.sample.arrays import to_host
from rftheory.sample.stream import Streams
from rftheory.statement.load import drop, line_of, read_on, source_of, unread_in

Kind = Literal["matrix", "features", "estimator", "transformer", "array"]
KINDS = ("matrix", "features", "estimator", "transformer", "array")

DIMENSION_NAMES = ("d", "dim", "dims", "n_dims", "num_dims", "ndim", "dim_in", "in_dim", "input_dim", "in_features",
    "n_features_in", "nb_columns", "n_columns", "columns", "cols", "head_dim", "dimension")  # fmt: skip
NUMBER_NAMES = ("m", "n_features", "num_features", "nb_features", "n_components", "dim_out", "out_dim", "output_dim",
    "out_features", "nb_rows", "n_rows", "rows", "num_samples", "n_projections", "num_projections", "dim_kernel",
    "n_random", "num_random")  # fmt: skip
SEED_NAMES = ("seed", "random_state", "random_seed", "rng_seed", "projection_seed", "key", "prng_key")
GENERATOR_NAMES = ("rng", "generator", "gen", "random_generator")
SIZE_NAMES = ("size", "shape")
METHODS = ("sample", "forward", "transform")
INPUT_NAMES = ("x", "X", "inputs", "data", "u", "points", "features")
SECOND_NAMES = ("y", "Y", "z", "x2", "k", "keys", "v")

MISTAKEN = (TypeError, ValueError, AttributeError, IndexError)
"""The errors of a call that was given something else than it takes."""
PASSED_AS = {"": "an integer", "legacy": "an integer, then as a numpy.random.RandomState",
    "numpy": "a numpy.random.Generator", "jax": "jax.random.PRNGKey of an integer",
    "torch": "a torch.Generator"}  # fmt: skip
"""What was tried as a seed, for each kind of generator."""

SEEDS = 2**31 - 1
CONSECUTIVE = 8
"""Number of calls with consecutive seeds."""
IMPORT_SECONDS = 300.0
FARTHEST = 1e50
"""Weights of a law whose scale is of order 1 do not reach this size, and do not all stay below its inverse."""
BUSY = 0.01
"""A call that uses a smaller part of the time than this waits for something other than the processor."""
FRESH = 1e-3
"""Seconds after which CPU time is read anew: a short call takes hardly longer than the reading."""


@dataclass(frozen=True)
class Draw:
    """What one call returned, as a NumPy array, and how its entries were stored."""

    values: np.ndarray
    dtype: str


@dataclass
class Target:
    """A target with its arguments filled in; ``call(seed)`` calls it.

    Attributes
    ----------
    name : as given.
    kind : matrix, features, estimator, transformer or array.
    d, m : the requested dimension and number of projections.
    m_given : False if an estimator has no argument for m and the user did not give it.
    number_argument : name of the argument for m, unless the user gave it; None if there is none.
    any_size : True if d and m are arguments of a sampler and the user gave neither.
    seed_argument : name of the argument for the seed or generator; None if there is none.
    lengthscale, features : of its kernel and its feature map, if the object tells.
    coupling : the declared coupling of which it is the sampler, if it is one.
    block : number of rows of a block of the declared coupling, if that is known.
    stacked : how many rows of each matrix of a batch are tested; 0 if a call returns one.
    at_once : draws the matrices of many seeds together, if it is the sampler of a declared coupling.
    together : True for an estimator that takes pairs of inputs (n, d) and uses one draw for all.
    notes : what was found out, in sentences.
    """

    name: str
    kind: Kind
    function: Callable[..., Any] | None
    second: Callable[..., Any] | None = None
    stored: np.ndarray | None = None
    d: int = 8
    m: int = 32
    m_given: bool = True
    given: dict[str, Any] = field(default_factory=dict)
    number_argument: str | None = None
    any_size: bool = False
    seed_argument: str | None = None
    generator: str = ""
    block: int | None = None
    notes: list[str] = field(default_factory=list)
    transposed: bool | None = None
    lengthscale: float | None = None
    features: str | None = None
    coupling: str | None = None
    together: bool = False
    stacked: int = 0
    at_once: Callable[..., Any] | None = None
    dtype: str = ""
    call_seconds: float = math.inf
    _next: Callable[[], None] | None = field(default=None, init=False, repr=False)

    # ---- weight matrices ---------------------------------------------------------------------------

    def matrix(self, seed: int) -> np.ndarray:
        """One weight matrix with projections as rows, float64 of shape (m, d)."""
        assert self.function is not None
        values = self._called(self.function, (), seed)
        return self._oriented(values)

    def matrices(self, seeds: np.ndarray, start: int) -> np.ndarray:
        """Weight matrices of the calls start, start + 1, ..., shape (B, m, d)."""
        if self.stored is not None:
            return self.stored[start : start + len(seeds)]
        with self.timed():
            first = self.matrix(int(seeds[0]))
            if (together := self._together(seeds, first)) is not None:
                return together
            result = np.empty((len(seeds), *first.shape))
            result[0] = first
            for i, seed in enumerate(seeds[1:], start=1):
                one = self.matrix(int(seed))
                if one.shape != first.shape:
                    raise SamplerFailed(
                        self.name,
                        problem=f"returned shapes {first.shape} and {one.shape} in two calls",
                        hint="pass --arg so that every call has the same size",
                    )
                result[i] = one
        return result

    def _together(self, seeds: np.ndarray, first: np.ndarray) -> np.ndarray | None:
        """The matrices of all seeds, drawn at once; None where that does not give what the call of the first gave."""
        if self.at_once is None or len(seeds) == 1:
            return None
        try:
            drawn = np.ascontiguousarray(self.at_once(seeds, **self.given), dtype=np.float64)
        except Exception:  # one call for each seed says what is wrong
            return None
        same = drawn.shape == (len(seeds), *first.shape) and bool((drawn[0] == first).all())
        return drawn if same else None

    def _oriented(self, values: np.ndarray) -> np.ndarray:
        if values.ndim < 2:
            raise SamplerFailed(
                self.name,
                problem=f"returned an array of shape {values.shape}, expected m x d or d x m, or a batch of them",
                hint="return one weight matrix per call, or pass --kind features or --kind estimator",
            )
        new = self.transposed is None
        if new:
            self._find_orientation(values.shape[-2:])
        values = values.swapaxes(-1, -2) if self.transposed else values
        if values.ndim == 2:
            return values
        # below each other, the matrices of a batch are blocks; only the last block may be partial
        batch = values.reshape(-1, *values.shape[-2:])
        rows, block = batch.shape[1], self.block or self.d
        whole = self.stacked = rows // block * block
        if new:
            how = "assumed to be independent" if whole else "only the last one is tested"
            how += f"; their last {rows - whole} rows are tested of the last one only" * (0 < whole < rows)
            self.notes.append(f"returns a batch of {plural(len(batch), 'matrix', 'matrices')}: {how}")
        return np.concatenate([batch[:, :whole].reshape(-1, self.d), batch[-1, whole:]])

    def _find_orientation(self, shape: tuple[int, int]) -> None:
        rows, columns = shape
        if self.d not in shape:
            raise SamplerFailed(
                self.name,
                problem=f"returned shape {shape}; neither side is the dimension d = {self.d}",
                hint="set the dimension with --arg d=... and other arguments with --arg name=value",
            )
        if rows == columns:
            self.transposed = False
            self.notes.append(f"returns {rows} x {columns}, a square: rows are assumed to be projections")
        elif columns == self.d:
            self.transposed = False
            self.notes.append(f"returns m x d = {rows} x {columns}: rows are projections")
        else:
            self.transposed = True
            self.notes.append(f"returns d x m = {rows} x {columns}: columns are projections, transposed here")
        self.m = rows if not self.transposed else columns

    def try_sizes(self, seed: int) -> tuple[int, int]:
        """m and d from the result of a first call; a function that only takes whole blocks is asked for these."""
        try:
            found = self.matrices(np.array([seed]), 0).shape[1:]
        except SamplerFailed:
            if self.number_argument is None:
                raise
            asked, self.m = self.m, default_number(self.d)
            self.given[self.number_argument] = self.m
            found = self.matrices(np.array([seed]), 0).shape[1:]
            self.notes.append(f"m = {asked} was refused: are only multiples of d = {self.d} supported?")
            return int(found[0]), int(found[1])
        if self.number_argument is not None and found[0] != self.given[self.number_argument]:
            self.notes.append(
                f"returns {plural(found[0], 'projection')} where {self.given[self.number_argument]} were asked for"
            )
        return int(found[0]), int(found[1])

    # ---- kernel estimates --------------------------------------------------------------------------

    def features_of(self, x: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Features of two sets of inputs (n, d) from the same draw, each of shape (n, F)."""
        if self.kind == "transformer":
            return self._transformed(x, y, seed)
        assert self.function is not None
        if self.second is None and "y" not in self._side_argument():
            both = self._features(self.function, np.concatenate([x, y]), seed)
            return both[: len(x)], both[len(x) :]
        other = self.second or self.function
        return self._features(self.function, x, seed), self._features(other, y, seed)

    def _side_argument(self) -> tuple[str, ...]:
        return ()

    def _features(self, function: Callable[..., Any], inputs: np.ndarray, seed: int) -> np.ndarray:
        values = self._called(function, (inputs,), seed)
        if values.ndim == 2 and values.shape[0] == len(inputs):
            return values
        if values.ndim == 2 and values.shape[1] == len(inputs):
            if self.transposed is None:
                self.transposed = True
                self.notes.append("returns features x inputs, transposed here")
            return values.T
        raise SamplerFailed(
            self.name,
            problem=f"returned shape {values.shape} for {len(inputs)} inputs of dimension {inputs.shape[1]}",
            hint="a feature map takes inputs (n, d) and returns features (n, F)",
        )

    def _transformed(self, x: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        assert self.function is not None
        both = np.concatenate([x, y])
        try:
            with self.timed():
                values = self.function(seed).fit(both).transform(both)
        except RFTheoryError:
            raise
        except (Exception, SystemExit) as error:
            raise SamplerFailed(
                self.name, problem=_raised(error), hint="fit(X).transform(X) was tried"
            ) from error
        values = self._checked(values)
        return values[: len(x)], values[len(x) :]

    def estimates(self, x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
        """Estimates of the kernel for the pairs (x_i, y_i), shape (n,)."""
        if self.kind != "estimator":
            phi, psi = self.features_of(x, y, seed)
            if phi.shape != psi.shape:
                raise SamplerFailed(
                    self.name, problem=f"features of x and y have shapes {phi.shape} and {psi.shape}"
                )
            result: np.ndarray = np.einsum("nf,nf->n", phi, psi)
            return result
        assert self.function is not None
        if self.together:
            return self._called(self.function, (x, y), seed)
        found = np.empty(len(x))
        for i, (one, two) in enumerate(zip(x, y, strict=True)):
            value = self._called(self.function, (one, two), seed + i if self.seed_argument else seed)
            if value.size != 1:
                raise SamplerFailed(
                    self.name,
                    problem=f"returned shape {value.shape} for one pair",
                    hint="an estimator takes x (d,) and y (d,) and returns one number",
                )
            found[i] = float(value.reshape(-1)[0])
        return found

    @property
    def has_one_draw(self) -> bool:
        """Whether estimates of many pairs can be had from the same draw."""
        return self.kind != "estimator" or self.together or self.seed_argument is not None

    def estimates_apart(self, x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
        """Estimates from features of x and y that come from two calls with the same seed, shape (n,)."""
        if self.kind != "features" or self.second is not None or self._side_argument():
            return self.estimates(x, y, seed)
        assert self.function is not None
        phi, psi = (self._features(self.function, one, seed) for one in (x, y))
        result: np.ndarray = np.einsum("nf,nf->n", phi, psi)
        return result

    def of_one_draw(self, x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
        """Estimates for the pairs (x_i, y_i), (n,), all from the draw of one seed."""
        if self.kind != "estimator" or self.together:
            return self.estimates(x, y, seed)
        return np.concatenate([self.estimates(x[i : i + 1], y[i : i + 1], seed) for i in range(len(x))])

    # ---- calls -------------------------------------------------------------------------------------

    def timed(self) -> AbstractContextManager[None]:
        """Limit a call, or each of many that share the timer of a block: one timer takes as long as a short call."""
        if self._next is None:
            return self._timer()
        self._next()
        return nullcontext()

    @contextmanager
    def _timer(self) -> Iterator[None]:
        with limited(self.name, self.call_seconds) as self._next:
            try:
                yield
            finally:
                self._next = None

    def _called(self, function: Callable[..., Any], inputs: tuple[np.ndarray, ...], seed: int) -> np.ndarray:
        arguments = dict(self.given)
        if self.seed_argument is not None and self.seed_argument not in arguments:
            arguments[self.seed_argument] = self._seed_value(seed)
        try:
            with self.timed():
                value = function(*inputs, **arguments)
        except (RFTheoryError, KeyboardInterrupt, TimeIsUp):
            raise
        except BaseException as error:  # SystemExit, and anything else that a target may raise
            if self._wants_generator(error):
                return self._called(function, inputs, seed)
            if self.dtype:
                hint = "earlier calls did not: does it fail for this seed, or after so many calls?"
            elif self.at_once is not None:
                hint = "axes=, norms= and norm_law= of .sampler(...) say which frame and norms it is given"
            else:
                hint = "pass the arguments that it needs with --arg name=value" + self._seed_was(error)
            raise SamplerFailed(
                self.name,
                problem=f"called as {_call(function, inputs, arguments)} it raised {_raised(error)}",
                hint=hint,
            ) from error
        return self._checked(value)

    def _seed_was(self, error: BaseException) -> str:
        """As what the seed went in, where the call ended as one does that was given something else than it takes."""
        name = self.seed_argument
        if name is None or name in self.given or not isinstance(error, MISTAKEN):
            return ""
        return (
            f". {name} went in as {PASSED_AS[self.generator]}: if it must be something else, such as an array that is "
            f"a key, pass a function of an integer seed that makes {name} and calls this one"
        )

    def _wants_generator(self, error: BaseException) -> bool:
        """Whether the seed was used as a generator; if so, NumPy's RandomState of that seed is passed from now on."""
        name = self.seed_argument
        if self.generator or name not in SEED_NAMES or name in self.given:
            return False
        if not (isinstance(error, AttributeError) and str(error).startswith("'int' object has no attribute")):
            return False
        self.generator = "legacy"
        self.notes.append(f"{name} does not take an integer: passed a numpy.random.RandomState")
        return True

    def _seed_value(self, seed: int) -> Any:
        if self.generator == "legacy":
            return np.random.RandomState(seed % 2**32)
        if self.generator == "jax":
            return importlib.import_module("jax.random").PRNGKey(seed)
        if self.generator == "torch":
            torch = importlib.import_module("torch")
            return torch.Generator().manual_seed(seed)
        return np.random.default_rng(seed) if self.generator == "numpy" else seed

    def _checked(self, value: Any) -> np.ndarray:
        array = _to_numpy(value, self.name)
        if array.dtype.kind == "c" and self.kind in ("features", "transformer", "estimator"):
            if not self.dtype:
                self.notes.append(
                    "complex: the estimate is the real part of the inner product with the conjugate"
                )
            self.dtype = str(array.dtype)
            # real and imaginary parts become separate features, whose inner product is Re phi conj(psi)
            parts = [array.real] if self.kind == "estimator" else [array.real, array.imag]
            return (
                np.concatenate(parts, axis=-1).astype(np.float64)
                if array.ndim
                else array.real.astype(np.float64)
            )
        if array.dtype.kind not in "fiu":
            raise SamplerFailed(
                self.name,
                problem=f"returned entries of type {array.dtype}",
                hint="return real numbers; only features and estimates may be complex",
            )
        if not self.dtype:
            rounded = _rounded_to(array) if self.kind in ("features", "transformer") else ""
            self.dtype = rounded or array.dtype.name
        if array.size == 0:
            raise SamplerFailed(self.name, problem=f"returned an empty array of shape {array.shape}")
        return array.astype(np.float64)  # a copy: the next call may write into the same memory

    def require_usable(self, values: np.ndarray) -> None:
        """Raise `SamplerFailed` for NaN, infinity, only zeros, or weights whose moments leave the range of floats."""
        bad = ~np.isfinite(values)
        if bad.any():
            where = tuple(int(i) for i in np.argwhere(bad)[0][1:])
            raise SamplerFailed(
                self.name,
                problem=f"returned {values[bad][0]} at entry {where} ({int(bad.sum())} in {len(values)} calls)",
                hint="no law can be tested with such values; check divisions and logarithms",
            )
        if not values.any():
            raise SamplerFailed(
                self.name,
                problem=f"returned only zeros, shape {values.shape[1:]}",
                hint="is the array filled? a stored buffer is often returned before it is drawn",
            )
        largest = float(np.abs(values).max())
        if self.kind in ("matrix", "array") and not 1 / FARTHEST < largest < FARTHEST:
            raise SamplerFailed(
                self.name,
                problem=f"returned entries of up to {largest:.3g} in size, which should be of order 1",
                hint="no law can be tested with such values; check their scale",
            )


# ---- finding the target ----------------------------------------------------------------------------


def resolve(
    target: object,
    *,
    kind: str | None = None,
    d: int | None = None,
    m: int | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Target:
    """Return the target for a name or object, with its arguments filled in.

    Parameters
    ----------
    target : text as in the module's docstring, a callable, a transformer, or an array (B, m, d).
    kind : what it is, if its argument names do not tell.
    d, m : dimension and number of projections to request; by default 8 and, for a weight matrix, a few blocks, the
        last of them partial.
    arguments : further arguments by name; they override everything that is found out.

    Raises
    ------
    InvalidInput, SamplerFailed : there is nothing usable; the message says what was tried and what to pass.
    """
    given = dict(arguments or {})
    if kind is not None and kind not in KINDS:
        raise InvalidInput("kind", needs="one of " + ", ".join(KINDS), got=kind)
    asked = _size(given, DIMENSION_NAMES, d)
    d = asked or 8
    m = _size(given, NUMBER_NAMES, m)
    name, objects = _load(target)
    first = objects[0]
    if isinstance(first, np.ndarray):
        return _stored(name, first, d if d != 8 or "d" in given else None)
    if (declared := declared_sampler(first)) is not None:
        first = _draws_of(declared)
    if not (_is_transformer(first) or callable(_drawing(first))):
        raise InvalidInput(name, needs="a callable, a transformer or an array", got=type(first).__name__)
    number = m if m is not None else default_number(d)
    if _is_transformer(first):
        return _transformer(name, first, d, number, given)
    if _is_gpytorch(first):
        return _of_gpytorch(name, first, d, number, given)
    first = objects[0] = _drawing(first)
    signature = _signature(name, first)
    if kind == "array":
        raise InvalidInput(
            name, needs="an array, or a file .npy or .npz, for --kind array", got=type(target).__name__
        )
    # what transforms inputs without being fitted is a feature map
    found = "features" if kind == "transformer" else kind or _kind_of(signature, len(objects))
    if m is None and found == "matrix":
        number += (d + 1) // 2
    result = Target(name, found, first, objects[1] if len(objects) > 1 else None, d=d, m=number)  # type: ignore[arg-type]
    _fill(result, signature, given)
    if declared is not None:
        result.coupling, result.at_once = declared.name, _draws_at_once(declared)
        result.notes.append(f"it is the sampler of {declared.name}, whose draws are checked")
    result.notes += _left_out(target)
    result.m_given = m is not None or any(n in result.given for n in NUMBER_NAMES)
    if m is None and found == "matrix":
        result.number_argument = next((n for n in NUMBER_NAMES if n in result.given), None)
        sized = result.number_argument is not None and any(n in result.given for n in DIMENSION_NAMES)
        result.any_size = sized and asked is None
    return result


def default_number(d: int) -> int:
    """The default number of projections: whole blocks, at least two of d and at least 32 projections.

    Examples
    --------
    >>> [default_number(d) for d in (2, 5, 64)]
    [32, 35, 128]
    """
    return d * max(2, -(-32 // d))


def _size(given: Mapping[str, Any], names: tuple[str, ...], value: int | None) -> int | None:
    for name in names:
        if name in given and value is None:
            value = given[name]
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise InvalidInput(names[0], needs="a positive integer", got=value)
    return value


def _load(target: object) -> tuple[str, list[Any]]:
    if isinstance(target, (np.ndarray, list)):
        try:
            return "array", [np.asarray(target)]
        except ValueError as error:  # rows of different lengths
            raise InvalidInput("target", needs="an array (B, m, d)", got=str(error)) from error
    if not isinstance(target, str):
        return getattr(target, "__name__", type(target).__name__), [target]
    place, _, member = target.partition(":")
    if target.endswith(".npy") or place.endswith(".npz"):
        return target, [_saved(place if place.endswith(".npz") else target, member)]
    if not member:
        raise InvalidInput(
            target, needs="module:function, file.py:function or a file .npy or .npz", got=target,
            hint="for example numpy.random:standard_normal",
        )  # fmt: skip
    asked = [one.strip() for one in member.split(",")]
    try:
        module = load_module(place)
    except (DeclarationFailed, SamplerFailed) as error:
        if not place.endswith(".py") or not isinstance(error.__cause__, Exception):
            raise
        return target, _samplers_apart(Path(place), asked, error)
    return target, [_member(module, place, one) for one in asked]


def _samplers_apart(path: Path, asked: list[str], error: RFTheoryError) -> list[Any]:
    """The samplers of couplings of a file, if they are declared apart from the lines with errors; else the error."""
    file = path.resolve()
    if author.loaded(file) is not None:
        del sys.modules[file.stem]  # as far as it was read
    try:
        with limited(str(path), IMPORT_SECONDS):
            read_on(path)
        found = [_member(author.loaded(path), str(path), one) for one in asked]
    except RFTheoryError:
        found = []
    if found and all(declared_sampler(one) is not None for one in found):
        return found
    if author.loaded(path) is not None:
        drop(file)
    raise error


def _left_out(target: object) -> list[str]:
    """The lines of the file of a target that were not read."""
    place = target.partition(":")[0] if isinstance(target, str) else ""
    module = author.loaded(place) if place.endswith(".py") else None
    return [] if module is None else [f"warning: {one}" for one in unread_in(module)]


def _saved(path: str, key: str) -> np.ndarray:
    try:
        with open(path, "rb") as file:
            return _array_of(np.load(file, allow_pickle=False), path, key)
    except RFTheoryError:
        raise
    except (OSError, ValueError, EOFError, BadZipFile, zlib.error) as error:
        raise InvalidInput(path, needs="a file from numpy.save or numpy.savez", got=str(error)) from error


def _array_of(loaded: Any, path: str, key: str) -> np.ndarray:
    if isinstance(loaded, np.ndarray):
        return loaded
    keys = list(loaded.keys())
    if not key and len(keys) == 1:
        key = keys[0]
    if key not in keys:
        raise InvalidInput(path, needs="the name of an array: file.npz:name", got=key, hint=f"it has {keys}")
    array: np.ndarray = loaded[key]
    return array


def load_module(place: str) -> Any:
    """The module with a dotted name, or in a file that ends in .py."""
    if place.endswith(".py"):
        path = Path(place)
        if not path.is_file():
            raise InvalidInput(place, needs="a file that exists", got=str(path.resolve()))
        if (declared := author.loaded(path)) is not None:
            return declared
        spec = source_of(path)
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(path.stem, module)
        folder = str(path.resolve().parent)  # a file may import its neighbours, like a script
        if folder not in sys.path:
            sys.path.insert(0, folder)
        load: Callable[[], Any] = lambda: spec.loader.exec_module(module)  # type: ignore[union-attr]  # noqa: E731
    else:
        sys.path.insert(0, "") if "" not in sys.path else None
        module = None
        load = lambda: importlib.import_module(place)  # noqa: E731
    try:
        with limited(place, IMPORT_SECONDS):
            loaded = load()
    except RFTheoryError as error:
        line = line_of(error, Path(place).absolute())
        if not line or isinstance(error, DeclarationFailed):  # which names a line itself
            raise
        raise DeclarationFailed(place, line=line, problem=_raised(error)) from error
    except ModuleNotFoundError as error:
        hint = "is it installed in this environment? name a file as path/to/file.py:function"
        raise InvalidInput(place, needs="a module that can be imported", got=str(error), hint=hint) from error
    except (Exception, SystemExit) as error:
        raise SamplerFailed(place, problem=f"importing it raised {_raised(error)}") from error
    return module if module is not None else loaded


def functions_of(thing: Any) -> list[str]:
    """The names of the functions and classes of a module or a class: its own or, if it has none, all.

    Those of the modules of a package are its own.

    Examples
    --------
    >>> from rftheory.check import threads
    >>> functions_of(threads)
    ['limited_to', 'settings']
    """
    public = {name: getattr(thing, name, None) for name in dir(thing) if not name.startswith("_")}
    homes = {name: getattr(one, "__module__", None) for name, one in public.items() if callable(one)}
    within = f"{getattr(thing, '__name__', '')}."
    return [name for name, home in homes.items() if f"{home}.".startswith(within)] or list(homes)


def _member(module: Any, place: str, path: str) -> Any:
    found = module
    for part in path.split("."):
        if not hasattr(found, part):
            names = functions_of(found)
            raise InvalidInput(
                f"{place}:{path}", needs=f"a function of {place}", got=part,
                hint="it has " + (", ".join(names[:12]) or "no functions"),
            )  # fmt: skip
        found = getattr(found, part)
    return found


def _stored(name: str, array: np.ndarray, d: int | None) -> Target:
    if array.ndim not in (2, 3) or array.dtype.kind not in "fiu" or 0 in array.shape:
        raise InvalidInput(
            name,
            needs="real draws of shape (B, m, d), one matrix per draw",
            got=(array.shape, str(array.dtype)),
        )
    draws = array if array.ndim == 3 else array[None]
    transposed = d is not None and draws.shape[2] != d and draws.shape[1] == d
    if transposed:
        draws = draws.transpose(0, 2, 1)
    count, m, dim = draws.shape
    if d is not None and d != dim:
        raise InvalidInput(name, needs=f"draws whose last axis is d = {d}", got=array.shape)
    target = Target(name, "array", None, stored=draws.astype(np.float64), d=dim, m=m, dtype=array.dtype.name)
    how = "d x m, transposed here" if transposed else "m x d"
    target.notes.append(f"{count} stored draws of {how}: m = {m}, d = {dim}")
    if d is None:
        target.notes.append("the last axis is assumed to be d; --arg d=... overrides this")
    return target


def _is_transformer(thing: Any) -> bool:
    return all(hasattr(thing, name) for name in ("fit", "transform", "get_params"))


def _transformer(name: str, thing: Any, d: int, m: int, given: dict[str, Any]) -> Target:
    given = {k: v for k, v in given.items() if k not in ("d", "m")}
    try:
        fresh = thing(**given) if isinstance(thing, type) else thing
        parameters = fresh.get_params()
    except (Exception, SystemExit) as error:
        raise SamplerFailed(name, problem=f"making it raised {_raised(error)}") from error
    seed = next((s for s in SEED_NAMES if s in parameters), None)
    number = next((n for n in NUMBER_NAMES if n in parameters), None)
    change = {number: m} if number and number not in given and isinstance(thing, type) else {}
    if number and not change:
        m = int(parameters[number])

    def make(value: int) -> Any:
        copy = type(fresh)(**parameters)
        return copy.set_params(**change, **({seed: value} if seed else {}))

    target = Target(name, "transformer", make, d=d, m=m, given=given, seed_argument=seed)
    gamma = parameters.get("gamma")
    if isinstance(gamma, int | float) and not isinstance(gamma, bool) and gamma > 0:
        target.lengthscale = float((2 * gamma) ** -0.5)
        target.notes.append(f"gamma = {gamma:g}: the kernel is exp(-gamma |x - y|^2)")
    return target


def _is_gpytorch(thing: Any) -> bool:
    kind = thing if isinstance(thing, type) else type(thing)
    return any(base.__module__.startswith("gpytorch.") and base.__name__ == "Kernel" for base in kind.__mro__)


def _of_gpytorch(name: str, thing: Any, d: int, m: int, given: dict[str, Any]) -> Target:
    """A gpytorch kernel with random features: a new object for each draw of a class, new weights for an object."""
    torch = importlib.import_module("torch")
    given = {"num_samples": m, "num_dims": d} | {k: v for k, v in given.items() if k not in ("d", "m")}
    example = thing(**given) if isinstance(thing, type) else thing
    if not hasattr(example, "_init_weights"):
        raise InvalidInput(
            name, needs="a kernel with random features, such as RFFKernel", got=type(example).__name__
        )
    if not isinstance(thing, type):
        m = int(example.num_samples)

    def estimates(x: np.ndarray, y: np.ndarray, seed: int) -> Any:
        torch.manual_seed(seed)
        kernel = thing(**given) if isinstance(thing, type) else copy.deepcopy(thing)
        if kernel is not thing and not isinstance(thing, type):
            kernel._init_weights(d, m)
        one, two = (torch.as_tensor(values, dtype=torch.get_default_dtype()) for values in (x, y))
        with torch.no_grad():
            return kernel(one, two, diag=True)

    target = Target(name, "estimator", estimates, d=d, m=m, seed_argument="seed", features="trigonometric")
    target.together = True
    target.lengthscale = float(example.lengthscale) if example.has_lengthscale else None
    target.notes.append("a kernel of gpytorch: new weights for each draw, after torch.manual_seed")
    if target.lengthscale is not None:
        target.notes.append(f"its length scale is {target.lengthscale:.6g}")
    return target


def declared_sampler(thing: Any) -> sample.Coupling | None:
    """The sampler of a declared coupling that a function, or a declaration, of a note stands for.

    Examples
    --------
    >>> from rftheory.mechanisms.mirrored import MIRRORED, mirrored
    >>> declared_sampler(mirrored).name, declared_sampler(MIRRORED).name, declared_sampler(len)
    ('mirrored', 'mirrored', None)
    """
    for name, law in sample.COUPLINGS.items():
        if thing is getattr(law, "build", law) or (
            isinstance(thing, author.DeclaredCoupling) and thing.name == name
        ):
            return law
    return None


def _draws_of(law: sample.Coupling) -> Callable[[int, int, int], Any]:
    """A function of m, d and a seed that draws one weight matrix."""
    return lambda m, d, seed: law.draw(sample.Stream(seed), range(1), d, m).projections[0]


def _draws_at_once(law: sample.Coupling) -> Callable[..., Any]:
    """The same for many seeds, with the same numbers in a fraction of the time."""
    return lambda seeds, m, d: law.draw(Streams(seeds), range(len(seeds)), d, m).projections


def _drawing(thing: Any) -> Callable[..., Any]:
    """The function that draws: a method of an object or, for a class, of a new object for each draw.

    The arguments of the class come first, then those of the method. What has to be fitted first does not draw yet.
    """
    methods = METHODS[:-1] if hasattr(thing, "fit") else METHODS
    method = next((n for n in methods if callable(getattr(thing, n, None))), None)
    if method is None:
        return thing  # type: ignore[no-any-return]
    if not isinstance(thing, type):
        return getattr(thing, method)  # type: ignore[no-any-return]
    own = [p for p in inspect.signature(getattr(thing, method)).parameters.values() if p.name != "self"]
    made = list(inspect.signature(thing).parameters.values())

    def draw(*inputs: Any, **arguments: Any) -> Any:
        first = {p.name: arguments.pop(p.name) for p in made if p.name in arguments}
        return getattr(thing(**first), method)(*inputs, **arguments)

    inputs = [p for p in own if p.name in INPUT_NAMES]
    rest = [p for p in own if p.name not in INPUT_NAMES and p.name not in {q.name for q in made}]
    kinds = inspect.Parameter
    plain = [p for p in (*inputs, *made, *rest) if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)]
    keyword = [p.replace(kind=kinds.POSITIONAL_ONLY if p in inputs else kinds.KEYWORD_ONLY) for p in plain]
    draw.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
    draw.__name__ = f"{thing.__name__}.{method}"
    return draw


def _signature(name: str, function: Any) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return _documented(function)


def _documented(function: Any) -> dict[str, inspect.Parameter]:
    """The signature of a compiled function, from the first line of its docstring, where NumPy states it."""
    first = (inspect.getdoc(function) or "").partition("\n")[0]
    inside = first.partition("(")[2].rpartition(")")[0]
    found = {}
    for part in inside.split(","):
        name, equals, _ = part.strip().partition("=")
        if name.isidentifier():
            default = None if equals else inspect.Parameter.empty
            found[name] = inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
    return found


def _kind_of(signature: Mapping[str, inspect.Parameter], objects: int) -> str:
    if objects > 1:
        return "features"
    names = list(signature)
    if names and names[0] in INPUT_NAMES:
        return "estimator" if len(names) > 1 and names[1] in SECOND_NAMES else "features"
    return "matrix"


def _fill(target: Target, signature: Mapping[str, inspect.Parameter], given: dict[str, Any]) -> None:
    """Fill the arguments: the given ones, dimension and number by their names, and find the seed."""
    open_ended = any(p.kind is p.VAR_KEYWORD for p in signature.values())
    inputs = {"matrix": 0, "features": 1, "estimator": 2}[target.kind]
    names = list(signature)[inputs:]
    # `d` and `m` may be meant for us only: then they set the size and are not passed on.
    known = {k: v for k, v in given.items() if k in names or open_ended or not signature}
    unknown = [k for k in given if k not in known and k not in ("d", "m")]
    if unknown:
        raise InvalidInput(
            f"--arg {unknown[0]}", needs=f"an argument of {target.name}", got=unknown[0],
            hint="it takes " + (", ".join(names) or "no arguments"),
        )  # fmt: skip
    if not signature:
        known = {k: v for k, v in known.items() if k not in ("d", "m")}
    for wanted, value in ((DIMENSION_NAMES, target.d), (NUMBER_NAMES, target.m)):
        found = next((n for n in wanted if n in names), None)
        if found and found not in known:
            known[found] = value
    shape = next((n for n in SIZE_NAMES if n in names and n not in known), None)
    if shape is not None and target.kind == "matrix" and not set(known) & {*DIMENSION_NAMES, *NUMBER_NAMES}:
        known[shape] = (target.m, target.d)
    found = next((n for n in (*SEED_NAMES, *GENERATOR_NAMES) if n in names), None)
    if found and found not in known:
        target.seed_argument = found
        if "key" in found and "jax" in sys.modules:
            target.generator = "jax"
        elif found in GENERATOR_NAMES:
            text = str(signature[found].annotation)
            target.generator = "torch" if "torch" in text else "numpy"
    elif found:
        target.notes.append(f"{found} is fixed by --arg: all calls use it")
    missing = [
        n
        for n in names
        if signature[n].default is inspect.Parameter.empty
        and signature[n].kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        and n not in known
        and n != target.seed_argument
    ]
    if missing:
        tried = ", ".join(f"{k}={v!r}" for k, v in known.items()) or "no arguments"
        hint = "pass " + " ".join(f"--arg {n}=..." for n in missing)
        if "projected" in missing:
            hint = (
                "the sampler of a declared feature map is tested by `rftheory verify` on a statement about the map;"
                " here pass a function phi(x, seed) that returns the features"
            )
        raise InvalidInput(
            target.name, needs="values for arguments that cannot be guessed: " + ", ".join(missing),
            got=tried, hint=hint,
        )  # fmt: skip
    target.given = known
    target.notes.append(
        f"seed goes in as {target.seed_argument}"
        if target.seed_argument
        else "no seed argument: global generators were seeded once, and each call continues them"
    )


@contextmanager
def limited(name: str, seconds: float) -> Iterator[Callable[[], None]]:
    """Stop a call in this block after so many seconds; one that had to share the processor gets as many CPU seconds.

    What is given tells that the next call begins. This uses a signal, which works only in the main thread and only on
    systems with signals; elsewhere there is no limit. Compiled code stops when it returns to Python.

    Raises
    ------
    SamplerFailed : the time was up.
    """
    if not has_timer() or not seconds < math.inf:
        yield lambda: None
        return
    call = _Call(seconds)
    try:
        with alarm(seconds, call.left):
            yield call.begins
    except TimeIsUp:
        hint = "does it wait for something? --call-seconds allows more"
        raise SamplerFailed(name, problem=f"took longer than {seconds:g} s in one call", hint=hint) from None


class _Call:
    """The time of the call that is being made."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.read = seconds, -math.inf
        self.begins()

    def begins(self) -> None:
        self.began = self.wall = time.monotonic()
        if self.began - self.read > FRESH:
            self.read, self.clock = self.began, time.process_time()
        self.cpu_began = self.cpu = self.clock

    def left(self) -> float:
        """For `alarm`: the CPU seconds that are left, or 0 where hardly any were used: the code then waits."""
        wall, cpu = time.monotonic(), time.process_time()
        if (early := self.seconds - (wall - self.began)) > 0:  # the timer was set for an earlier call
            return early
        used, waited = cpu - self.cpu, wall - self.wall
        self.wall, self.cpu = wall, cpu
        return self.seconds - (cpu - self.cpu_began) if used > BUSY * waited else 0.0


def seed_globals(seed: int) -> None:
    """Seed the global generators once (random, NumPy, and torch if loaded), for code without a seed argument."""
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002  the generator that such code draws from
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "manual_seed"):
        torch.manual_seed(seed)


ENOUGH = 16
"""So many different sizes, all of so few bits, are no accident."""


def _rounded_to(values: np.ndarray) -> str:
    """The format of 16 bits in which all numbers were, such as those that torch turned to float32; none otherwise.

    Examples
    --------
    >>> values = np.random.default_rng(0).standard_normal(99)
    >>> [_rounded_to(one) for one in (values, values.astype(np.float16).astype(float), np.ones(99))]
    ['', 'float16', '']
    """
    significands = np.frexp(np.unique(np.abs(values.astype(np.float64))))[0]
    few = (name for name, unit in UNITS.items() if not np.mod(significands / unit, 1).any())
    return next(few, "") if len(significands) >= ENOUGH else ""


def _to_numpy(value: Any, name: str) -> np.ndarray:
    if isinstance(value, float | np.ndarray):
        return np.asarray(value)
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if "bfloat16" in str(value.dtype):
            value = value.float()
        value = value.numpy()
    elif hasattr(value, "toarray"):
        value = value.toarray()
    try:
        return np.asarray(to_host(value))
    except (Exception, SystemExit) as error:
        raise SamplerFailed(
            name,
            problem=f"returned {type(value).__name__}, which is not an array",
            hint="name a function that returns an array, or a class with "
            + ", ".join(METHODS[:-1])
            + f" or {METHODS[-1]}",
        ) from error


def _raised(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # that of an exception of the target
        text = ""
    return f"{type(error).__name__}: {text.splitlines()[0] if text else ''}".rstrip(": ")


def _call(function: Any, inputs: tuple[np.ndarray, ...], arguments: Mapping[str, Any]) -> str:
    parts = [f"array{value.shape}" for value in inputs]
    parts += [
        f"{k}={v if isinstance(v, int | float | str) else type(v).__name__}" for k, v in arguments.items()
    ]
    return f"{getattr(function, '__name__', 'target')}({', '.join(parts)})"
