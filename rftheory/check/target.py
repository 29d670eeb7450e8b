"""Targets: a user's code, made callable. Its results are described, brought into a common shape, and checked.

NumPy, torch and CuPy arrays come back as NumPy. `rftheory.check.resolve` makes a target from what a user names.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from rftheory.check.properties.inputs import UNITS
from rftheory.errors import RFTheoryError, SamplerFailed
from rftheory.exact.limits import TimeIsUp, alarm, has_timer
from rftheory.names import plural
from rftheory.sample.arrays import to_host

Kind = Literal["matrix", "features", "estimator", "transformer", "array"]

SEED_NAMES = ("seed", "random_state", "random_seed", "rng_seed", "projection_seed", "key", "prng_key")
METHODS = ("sample", "forward", "transform")

MISTAKEN = (TypeError, ValueError, AttributeError, IndexError)
"""The errors of a call that was given something else than it takes."""
PASSED_AS = {"": "an integer", "legacy": "an integer, then as a numpy.random.RandomState",
    "numpy": "a numpy.random.Generator", "jax": "jax.random.PRNGKey of an integer",
    "torch": "a torch.Generator"}  # fmt: skip
"""What was tried as a seed, for each kind of generator."""

KEYS = {"jax": "PRNG key", "torch": "numpy.random"}
"""What an error says of a seed that should be a key or a generator of the library."""
LIBRARIES = ("numpy", "torch float32", "torch float64", "torch float16", "torch bfloat16", "jax")
"""The kinds of arrays that are tried as inputs, those of libraries that are loaded."""
OF_ARRAYS = re.compile("ndarray|[Tt]ensor|numpy|dtype|scalar type|(Double|Float|Half|BFloat16)")
"""The error of a call that was given arrays of another kind than it takes."""

SEEDS = 2**31 - 1
CONSECUTIVE = 8
"""Number of calls with consecutive seeds."""
FARTHEST = 1e18
"""Weights of a law whose scale is of order 1 do not reach this size, and do not all stay below its inverse."""
LARGEST = 1e75
"""The fourth powers of larger estimates leave the range of floats."""
BUSY = 0.01
"""A call that uses a smaller part of the time than this waits for something other than the processor."""
FRESH = 1e-3
"""Seconds after which CPU time is read anew: a short call takes hardly longer than the reading."""


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
    heads : how many feature maps a call of one returns; 0 if it returns one.
    stacked : how many rows of each matrix of a batch are tested; 0 if a call returns one.
    at_once : draws the matrices of many seeds together, if it is the sampler of a declared coupling.
    together : True for an estimator that takes pairs of inputs (n, d) and uses one draw for all.
    is_object : whether it is a method of an object that exists already, and may have drawn before.
    library : that of the arrays that it takes as inputs; numpy, unless a call shows otherwise.
    writes_inputs : whether a call has changed the inputs that it was given.
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
    heads: int = 0
    stacked: int = 0
    at_once: Callable[..., Any] | None = None
    dtype: str = ""
    is_object: bool = False
    library: str = "numpy"
    writes_inputs: bool = False
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
                    raise self._other_shapes(first.shape, one.shape)
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
        if self.second is None:
            both = self._features(self.function, np.concatenate([x, y]), seed)
            return both[: len(x)], both[len(x) :]
        return self._features(self.function, x, seed), self._features(self.second, y, seed)

    def features_of_draws(self, x: np.ndarray, y: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Features of two sets of inputs (n, d) from some draws, shape (draws, 2, n, F)."""
        drawn = [self.features_of(x, y, int(seed)) for seed in seeds]
        if len(shapes := dict.fromkeys(one.shape for pair in drawn for one in pair)) > 1:
            raise self._other_shapes(*list(shapes)[:2])
        return np.stack([np.stack(pair) for pair in drawn])

    def _other_shapes(self, *shapes: tuple[int, ...]) -> SamplerFailed:
        return SamplerFailed(
            self.name,
            problem=f"returned shapes {shapes[0]} and {shapes[1]} in two calls",
            hint="pass --arg so that every call has the same size",
        )

    def _features(self, function: Callable[..., Any], inputs: np.ndarray, seed: int) -> np.ndarray:
        values = self._called(function, (inputs,), seed)
        if values.ndim > 2 and values.shape[-2] == len(inputs):
            values = self._of_heads(values)
        if values.ndim == 2 and len(inputs) in values.shape:
            return values.T if self._turned(function, inputs, values.shape, seed) else values
        raise SamplerFailed(
            self.name,
            problem=f"returned shape {values.shape} for {len(inputs)} inputs of dimension {inputs.shape[1]}",
            hint="a feature map takes inputs (n, d) and returns features (n, F)",
        )

    def _turned(
        self, function: Callable[..., Any], inputs: np.ndarray, shape: tuple[int, ...], seed: int
    ) -> bool:
        """Whether features are features x inputs; of a square, fewer inputs or an earlier call tell."""
        if shape[0] != shape[1]:
            turned = shape[1] == len(inputs)
        elif self.transposed is None and len(inputs) > 1:
            turned = self._called(function, (inputs[1:],), seed).shape == (shape[0], len(inputs) - 1)
        else:
            return bool(self.transposed)
        if self.transposed is None:
            self.transposed = turned
            if turned:
                self.notes.append("returns features x inputs, transposed here")
        return turned

    def _of_heads(self, values: np.ndarray) -> np.ndarray:
        """Features (.., n, F) of several heads below each other, as if they were those of one."""
        heads = math.prod(values.shape[:-2])
        if not self.heads and heads > 1:
            self.notes.append(f"returns features of {heads} heads: assumed to be independent, and averaged")
        self.heads = heads
        last = np.moveaxis(values.reshape(heads, *values.shape[-2:]), 0, -1)  # so that halves stay halves
        return last.reshape(len(last), -1) / math.sqrt(heads)

    def _transformed(self, x: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
        both = np.concatenate([x, y])
        values = self.transformed(both, both, seed)
        return values[: len(x)], values[len(x) :]

    def transformed(self, data: np.ndarray, inputs: np.ndarray, seed: int) -> np.ndarray:
        """What a transformer that is fitted on the data makes of the inputs."""
        assert self.function is not None
        try:
            with self.timed(), self._kept(data, inputs) as given:
                values = self.function(seed).fit(given[0]).transform(given[1])
        except RFTheoryError:
            raise
        except (Exception, SystemExit) as error:
            raise SamplerFailed(
                self.name, problem=raised(error), hint="fit(X).transform(X) was tried"
            ) from error
        return self._checked(values)

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
        if self.kind != "features" or self.second is not None:
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
            # a target that has numpy raise errors must not change our sums, nor one that writes into its inputs ours
            with self.timed(), np.errstate(), self._kept(*inputs) as given:
                value = function(*given, **arguments)
        except (RFTheoryError, KeyboardInterrupt, TimeIsUp):
            raise
        except BaseException as error:  # SystemExit, and anything else that a target may raise
            if self._wants_generator(error) or (inputs and self._wants_another_library(error)):
                return self._called(function, inputs, seed)
            raise SamplerFailed(
                self.name,
                problem=f"called as {_call(function, inputs, arguments)} it raised {raised(error)}",
                hint=self._after(error),
            ) from error
        if not self.dtype and self.library != "numpy":
            self.notes.append(f"inputs go in as arrays of {self.library}")
        return self._checked(value)

    @contextmanager
    def _kept(self, *inputs: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
        """Copies of the inputs for one call, after which it is noted whether they have been changed."""
        given = tuple(as_taken(one.copy(), self.library) for one in inputs)
        yield given
        own = inputs if self.library == "numpy" else [to_host(as_taken(one, self.library)) for one in inputs]
        self.writes_inputs |= any(
            to_host(one).tobytes() != kept.tobytes() for one, kept in zip(given, own, strict=True)
        )

    def _after(self, error: BaseException) -> str:
        """What to do about an error of a call."""
        if self.dtype:
            return "earlier calls did not: does it fail for this seed, or after so many calls?"
        if self.at_once is not None:
            return "axes=, norms= and norm_law= of .sampler(...) say which frame and norms it is given"
        if isinstance(error, ImportError):
            return "is it installed in this environment?"
        return "pass the arguments that it needs with --arg name=value" + self._seed_was(error)

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
        """Whether the seed was used as a generator; if so, one of the kind that is wanted is passed from now on."""
        name = self.seed_argument
        if name is None or name in self.given or self.dtype:
            return False
        text = raised(error)
        wanted = next(
            (one for one, words in KEYS.items() if one in sys.modules and words in text), self.generator
        )
        if isinstance(error, TypeError) and wanted != self.generator:
            self.generator = wanted
            self.notes.append(f"{name} is {PASSED_AS[wanted]}")
            return True
        if self.generator or name not in SEED_NAMES:
            return False
        if not (isinstance(error, AttributeError) and str(error).startswith("'int' object has no attribute")):
            return False
        self.generator = "legacy"
        self.notes.append(f"{name} does not take an integer: passed a numpy.random.RandomState")
        return True

    def _wants_another_library(self, error: BaseException) -> bool:
        """Whether a first call ended as one does that takes other arrays: if so, those are passed from now on."""
        if self.dtype or not (
            isinstance(error, (*MISTAKEN, RuntimeError)) and OF_ARRAYS.search(raised(error))
        ):
            return False
        loaded = [one for one in LIBRARIES if one == "numpy" or one.partition(" ")[0] in sys.modules]
        following = loaded[loaded.index(self.library) + 1 :]
        if not following:
            return False
        self.library = following[0]
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

    def require_usable(self, values: np.ndarray, seeds: np.ndarray) -> None:
        """Raise `SamplerFailed` for NaN, infinity, only zeros, or weights whose moments leave the range of floats.

        Values are those of the calls with these seeds.
        """
        bad = ~np.isfinite(values)
        if bad.any():
            call, *entry = (int(i) for i in np.argwhere(bad)[0])
            one = int(seeds[call]) + (entry[0] if self.kind == "estimator" and not self.together else 0)
            which = f" for the seed {one}" if self.seed_argument else ""
            problem = f"returned {values[bad][0]} at entry {tuple(entry)}{which}"
            raise SamplerFailed(
                self.name,
                problem=f"{problem} ({int(bad.sum())} in {plural(len(values), 'call')})",
                hint="no law can be tested with such values; check divisions and logarithms",
            )
        if not values.any():
            raise SamplerFailed(
                self.name,
                problem=f"returned only zeros, shape {values.shape[1:]}",
                hint="is the array filled? a stored buffer is often returned before it is drawn",
            )
        largest = float(np.abs(values).max())
        near = 1 / FARTHEST < largest < FARTHEST if self.kind in ("matrix", "array") else largest < LARGEST
        if not near:
            raise SamplerFailed(
                self.name,
                problem=f"returned entries of up to {largest:.3g} in size, which should be of order 1",
                hint="no law can be tested with such values; check their scale",
            )


def as_taken(values: np.ndarray, library: str) -> Any:
    """Inputs as the arrays that a target takes.

    Examples
    --------
    >>> as_taken(np.zeros(2), "numpy")
    array([0., 0.])
    """
    if library.startswith("torch"):
        torch = sys.modules["torch"]
        return torch.as_tensor(values, dtype=getattr(torch, library.partition(" ")[2]))
    return values if library == "numpy" else importlib.import_module("jax.numpy").asarray(values)


def default_number(d: int) -> int:
    """The default number of projections: whole blocks, at least two of d and at least 32 projections.

    Examples
    --------
    >>> [default_number(d) for d in (2, 5, 64)]
    [32, 35, 128]
    """
    return d * max(2, -(-32 // d))


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


@contextmanager
def seeded_globals(seed: int) -> Iterator[None]:
    """Seed the global generators once (random, NumPy, and torch if loaded), for code without a seed argument.

    Afterwards they go on as if nothing had been drawn, those of torch on the CPU.

    Examples
    --------
    >>> before = random.getstate()
    >>> with seeded_globals(1):
    ...     drawn = random.random()
    >>> random.getstate() == before
    True
    """
    torch = sys.modules.get("torch")
    torch = torch if hasattr(torch, "manual_seed") else None
    own, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002  the generator that such code draws from
    torchs = torch.get_rng_state() if torch else None
    try:
        random.seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002
        if torch:
            torch.manual_seed(seed)
        yield
    finally:
        random.setstate(own)
        np.random.set_state(numpy)  # noqa: NPY002
        if torch:
            torch.set_rng_state(torchs)


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
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        missing = int(np.ma.count_masked(value))
        raise SamplerFailed(
            name, problem=f"returned a masked array with {missing} of {value.size} entries missing",
            hint="draw the missing entries, or fill them in: .filled() shows what would be taken",
        )  # fmt: skip
    if isinstance(value, float | np.ndarray):
        return np.asarray(value)
    try:
        return np.asarray(to_host(value))
    except (Exception, SystemExit) as error:
        raise SamplerFailed(
            name,
            problem=f"returned {type(value).__name__}, which is not an array",
            hint="name a function that returns an array, a method as file.py:Class.method, or a class with "
            + ", ".join(METHODS[:-1])
            + f" or {METHODS[-1]}",
        ) from error


def raised(error: BaseException) -> str:
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
