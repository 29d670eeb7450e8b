"""From what a user names to a target: a function, an object, a file or an array, with its arguments filled in.

A target is an importable callable (``package.module:function``), a function of a file (``sampler.py:function``), a
saved array of draws (``draws.npy``, ``draws.npz:key``), a pair of feature maps (``module:phi,psi``), or a Python
object: a function or a scikit-learn transformer. What an argument is for is read off its name.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import sys
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, get_args
from zipfile import BadZipFile

import numpy as np

from rftheory import author, sample
from rftheory.check.target import METHODS, SEED_NAMES, Kind, Target, default_number, limited, raised
from rftheory.errors import (
    FEW,
    DeclarationFailed,
    InvalidInput,
    RFTheoryError,
    SamplerFailed,
    meant,
    meant_file,
)
from rftheory.names import plural
from rftheory.sample.arrays import to_host
from rftheory.sample.stream import Streams
from rftheory.statement.load import drop, line_of, read_on, source_of, unread_in

KINDS = get_args(Kind)

DIMENSION_NAMES = ("d", "dim", "dims", "query_dimensions", "query_dims", "n_dims", "num_dims", "ndim", "dim_in",
    "in_dim", "d_in", "input_dim", "input_dims", "dim_input", "input_size", "num_inputs", "in_features", "in_channels",
    "n_features_in", "nb_columns", "n_columns", "columns", "cols", "head_dim", "dim_head", "dim_heads", "qkv_dim",
    "dimension", "D")  # fmt: skip
NUMBER_NAMES = ("m", "n_features", "num_features", "nb_features", "d_features", "dim_features", "n_components",
    "dim_out", "out_dim", "d_out", "output_dim", "num_outputs", "out_features", "encoded_size", "nb_rows", "n_rows",
    "rows", "num_samples", "n_projections", "num_projections", "dim_kernel", "n_random", "num_random", "num_basis_fns",
    "M", "n_dims", "D")  # fmt: skip
"""In both lists, the last names mean what no other argument does."""
GENERATOR_NAMES = ("rng", "generator", "gen", "random_generator")
SIZE_NAMES = ("size", "shape")
INPUT_NAMES = ("x", "X", "inputs", "data", "u", "points", "features")
SECOND_NAMES = ("y", "Y", "z", "x2", "k", "keys", "v")
VALUE_NAMES = ("v", "value", "values")
"""What attention takes besides queries and keys."""
IMPORT_SECONDS = 300.0


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
        raise InvalidInput("kind", needs="one of " + ", ".join(KINDS), got=kind, hint=meant(kind, KINDS))
    name, objects = _load(target)
    first = objects[0]
    if (declared := declared_sampler(first)) is not None:
        first = _draws_of(declared)
    fitted = _is_transformer(first) or _is_gpytorch(first)
    drawing = None if fitted else _drawing(first)
    signature = _signature(drawing) if callable(drawing) else {}
    dimension, count = _sizes_among([*signature, *given])
    asked, m = _size(given, dimension, "d", d), _size(given, count, "m", m)
    d = asked or 8
    if isinstance(first, np.ndarray):
        return _stored(name, first, d if d != 8 or "d" in given else None)
    if not (fitted or callable(drawing)):
        raise InvalidInput(name, needs="a callable, a transformer or an array", got=type(first).__name__)
    number = m if m is not None else default_number(d)
    if _is_transformer(first):
        return _transformer(name, first, d, number, given)
    if _is_gpytorch(first):
        return _of_gpytorch(name, first, d, number, given)
    objects[0] = drawing
    if kind == "array":
        raise InvalidInput(
            name, needs="an array, or a file .npy or .npz, for --kind array", got=type(target).__name__
        )
    # what transforms inputs without being fitted is a feature map
    found = "features" if kind == "transformer" else kind or _kind_of(signature, len(objects))
    if m is None and found == "matrix":
        number += (d + 1) // 2
    result = Target(name, found, drawing, objects[1] if len(objects) > 1 else None, d=d, m=number)  # type: ignore[arg-type]
    _fill(result, signature, given)
    result.is_object = inspect.ismethod(first) or not (isinstance(first, type) or drawing is first)
    if (redraw := _redraw_of(first)) is not None:
        result.notes.append(f"{redraw}() is called before each draw")
    if declared is not None:
        result.coupling, result.at_once = declared.name, _draws_at_once(declared)
        result.notes.append(f"it is the sampler of {declared.name}, whose draws are checked")
    result.notes += _left_out(target)
    result.m_given = m is not None or count in result.given
    if m is None and found == "matrix" and count in result.given:
        result.number_argument = count
        result.any_size = dimension in result.given and asked is None
    return result


def _sizes_among(names: Collection[str]) -> tuple[str, str]:
    """Which arguments are the dimension and the number of projections; the usual names if none is.

    Examples
    --------
    >>> _sizes_among(["nb_rows", "nb_columns"]), _sizes_among(["n_dims", "query_dimensions"])
    (('nb_columns', 'nb_rows'), ('query_dimensions', 'n_dims'))
    >>> _sizes_among(["D", "d"]), _sizes_among(["M", "D"]), _sizes_among([])
    (('d', 'D'), ('D', 'M'), ('d', 'm'))
    """
    dimension = next((n for n in DIMENSION_NAMES if n in names), "d")
    return dimension, next((n for n in NUMBER_NAMES if n in names and n != dimension), "m")


def _size(given: Mapping[str, Any], name: str, ours: str, value: int | None) -> int | None:
    """The size that is asked for: as such, or as the argument of the target that it is, or by our own name."""
    if value is None:
        value = given.get(name, given.get(ours))
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise InvalidInput(ours, needs="a positive integer", got=value)
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
        raise InvalidInput(path, needs="the name of an array: file.npz:name", got=key,
                           hint=meant(key, keys, f"it has {keys}"))  # fmt: skip
    array: np.ndarray = loaded[key]
    return array


def load_module(place: str) -> Any:
    """The module with a dotted name, or in a file that ends in .py."""
    if place.endswith(".py"):
        path = Path(place)
        if not path.is_file():
            raise InvalidInput(
                place, needs="a file that exists", got=str(path.resolve()), hint=meant_file(path)
            )
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
        with limited(place, IMPORT_SECONDS), np.errstate():
            loaded = load()
    except RFTheoryError as error:
        line = line_of(error, Path(place).absolute())
        if not line or isinstance(error, DeclarationFailed):  # which names a line itself
            raise
        raise DeclarationFailed(place, line=line, problem=raised(error)) from error
    except ModuleNotFoundError as error:
        hint = "is it installed in this environment? name a file as path/to/file.py:function"
        raise InvalidInput(place, needs="a module that can be imported", got=str(error), hint=hint) from error
    except (Exception, SystemExit) as error:
        raise SamplerFailed(place, problem=f"importing it raised {raised(error)}") from error
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
    found = owner = module
    for part in path.split("."):
        if not hasattr(found, part):
            names = functions_of(found)
            raise InvalidInput(
                f"{place}:{path}", needs=f"a function of {place}", got=part,
                hint=meant(part, names, "it has " + (", ".join(names[:FEW]) or "no functions")),
            )  # fmt: skip
        owner, found = found, getattr(found, part)
    if isinstance(owner, type) and inspect.isfunction(inspect.getattr_static(owner, part)):
        return _of_method(owner, part)
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
    target.notes.append(f"{plural(count, 'stored draw')} of {how}: m = {m}, d = {dim}")
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
        raise SamplerFailed(name, problem=f"making it raised {raised(error)}") from error
    seeds, numbers = _named(parameters, SEED_NAMES), _named(parameters, NUMBER_NAMES)
    number = numbers[0] if len(numbers) == 1 else None
    change = {number: m} if number and number not in given and isinstance(thing, type) else {}
    if number and not change:
        m = int(parameters[number])

    nested = any("__" in one for one in parameters)

    def make(value: int) -> Any:
        made = copy.deepcopy(fresh) if nested else type(fresh)(**parameters)
        return made.set_params(**change, **{one: value + i * _NEXT_STEP for i, one in enumerate(seeds)})

    target = Target(name, "transformer", make, d=d, m=m, given=given, seed_argument=next(iter(seeds), None))
    if (gamma := _gamma_of(parameters)) is not None:
        target.lengthscale = float((2 * gamma) ** -0.5)
        target.notes.append(f"gamma = {gamma:g}: the kernel is exp(-gamma |x - y|^2)")
    return target


_NEXT_STEP = 7919
"""Between the seeds of the steps of a pipeline, which must not draw the same."""


def _named(parameters: Mapping[str, Any], names: tuple[str, ...]) -> list[str]:
    """The first parameter of such a name; of a pipeline or a union, those of its steps, ``step__name``.

    Examples
    --------
    >>> _named({"steps": [], "one__seed": 1, "two__random_state": 2}, ("seed", "random_state"))
    ['one__seed', 'two__random_state']
    """
    own = [name for name in names if name in parameters][:1]
    return own or [one for one in parameters if "__" in one and one.rsplit("__", 1)[1] in names]


def _gamma_of(parameters: Mapping[str, Any]) -> float | None:
    """The factor of |x - y|^2 in a Gaussian kernel; None where ``gamma`` is that of another kernel, or of several.

    Examples
    --------
    >>> _gamma_of({"gamma": 2, "kernel": "rbf"}), _gamma_of({"gamma": 2, "degree": 3})
    (2.0, None)
    """
    found = _named(parameters, ("gamma",))
    if len(found) != 1:
        return None
    before = found[0].removesuffix("gamma")
    gamma = parameters[found[0]]
    is_gaussian = (
        parameters.get(f"{before}kernel", "rbf") == "rbf" and parameters.get(f"{before}degree") is None
    )
    is_number = isinstance(gamma, int | float) and not isinstance(gamma, bool) and gamma > 0
    return float(gamma) if is_gaussian and is_number else None


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
    if example.has_lengthscale:
        target.lengthscale = float(to_host(example.lengthscale).reshape(-1)[0])
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


REDRAWS = ("resample", "redraw", "redraw_features", "redraw_projection_", "redraw_projection_matrix",
    "new_feature_map")  # fmt: skip
"""Methods by which an object draws anew what it has drawn when it was made, or draws at all."""


def _redraw_of(thing: Any) -> str | None:
    """The method of a module of torch, or of its class, that draws; it takes no argument but a device."""
    for name in REDRAWS if _is_module(thing) else ():
        method = getattr(thing, name, None)
        if callable(method) and set(_devices(method)) <= {"device"}:
            return name
    return None


def _devices(method: Callable[..., Any]) -> list[str]:
    """What a method that draws anew needs, which is a device at most."""
    return [p.name for p in _required(_signature(method).values()) if p.name != "self"]


def _required(parameters: Iterable[inspect.Parameter]) -> list[inspect.Parameter]:
    """Those without which a call fails."""
    return [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def _is_module(thing: Any) -> bool:
    kind = thing if isinstance(thing, type) else type(thing)
    return any(base.__module__.startswith("torch.") and base.__name__ == "Module" for base in kind.__mro__)


def _drawing(thing: Any) -> Callable[..., Any]:
    """The function that draws: a method of an object or, for a class, of a new object for each draw.

    What has to be fitted first does not draw yet.
    """
    methods = METHODS[:-1] if hasattr(thing, "fit") else METHODS
    method = next((n for n in methods if callable(getattr(thing, n, None))), None)
    return thing if method is None else _of_method(thing, method)  # type: ignore[no-any-return]


def _of_method(thing: Any, method: str) -> Callable[..., Any]:
    """A function of the arguments of a class, if it is one, and of those of the method, which come last.

    Where the first argument of the method is the input, it becomes the first of the function.
    """
    new = isinstance(thing, type)
    own = [p for p in inspect.signature(getattr(thing, method)).parameters.values() if p.name != "self"]
    made = list(inspect.signature(thing).parameters.values()) if new else []
    redraw = _redraw_of(thing)
    kept = copy.deepcopy(thing) if redraw is not None and not new else thing

    def draw(*inputs: Any, **arguments: Any) -> Any:
        first = {p.name: arguments.pop(p.name) for p in made if p.name in arguments}
        drawn = kept(**first) if new else kept
        if redraw is not None:
            again = getattr(drawn, redraw)
            again(**dict.fromkeys(_devices(again), "cpu"))
        return getattr(drawn, method)(*inputs, **arguments)

    inputs = [p for p in own if p.name in INPUT_NAMES]
    if not inputs and own and method in TAKE_INPUTS and _is_unknown(own[0]):
        inputs = own[:1]
    rest = [p for p in own if p not in inputs and p.name not in {q.name for q in made}]
    kinds = inspect.Parameter
    named = [p.replace(name=p.name if p.name in INPUT_NAMES else INPUT_NAMES[0]) for p in inputs]
    plain = [p for p in (*named, *made, *rest) if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)]
    keyword = [p.replace(kind=kinds.POSITIONAL_ONLY if p in named else kinds.KEYWORD_ONLY) for p in plain]
    draw.__signature__ = inspect.Signature(keyword)  # type: ignore[attr-defined]
    draw.__name__ = f"{thing.__name__}.{method}" if new else method
    return draw


TAKE_INPUTS = ("forward", "transform")
"""Methods whose first argument is the input, whatever its name is."""


def _is_unknown(one: inspect.Parameter) -> bool:
    """Whether a parameter is none that is filled in."""
    sizes = {*DIMENSION_NAMES, *NUMBER_NAMES, *SIZE_NAMES}
    named = one.name in {*sizes, *SEED_NAMES, *GENERATOR_NAMES}
    return not named and one.default is one.empty and one.kind is not one.VAR_KEYWORD


def _signature(function: Any) -> dict[str, inspect.Parameter]:
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
    inputs = {"matrix": 0, "features": 1, "estimator": 2}[target.kind]
    names = list(signature)[inputs:]
    target.given = known = _passed_on(target.name, signature, names, given)
    sizes = dict(zip(_sizes_among(names), (target.d, target.m), strict=True))
    known |= {name: value for name, value in sizes.items() if name in names and name not in known}
    shape = next((n for n in SIZE_NAMES if n in names and n not in known), None)
    if shape is not None and target.kind == "matrix" and not set(known) & set(sizes):
        known[shape] = (target.m, target.d)
    found = next((n for n in (*SEED_NAMES, *GENERATOR_NAMES) if n in names), None)
    if found and found not in known:
        target.seed_argument = found
        target.generator = _generator_of(signature[found])
    elif found:
        target.notes.append(f"{found} is fixed by --arg: all calls use it")
    _refuse_missing(target, [signature[n] for n in names])
    target.notes.append(
        f"seed goes in as {target.seed_argument}"
        if target.seed_argument
        else "no seed argument: global generators were seeded once, and each call continues them"
    )


def _passed_on(
    name: str, signature: Mapping[str, inspect.Parameter], names: list[str], given: dict[str, Any]
) -> dict[str, Any]:
    """The given arguments that the function takes; `d` and `m` may be meant for us only, and then set the size."""
    open_ended = any(p.kind is p.VAR_KEYWORD for p in signature.values())
    known = {k: v for k, v in given.items() if k in names or open_ended or not signature}
    unknown = [k for k in given if k not in known and k not in ("d", "m")]
    if unknown:
        raise InvalidInput(
            f"--arg {unknown[0]}", needs=f"an argument of {name}", got=unknown[0],
            hint=meant(unknown[0], names, "it takes " + (", ".join(names) or "no arguments")),
        )  # fmt: skip
    return known if signature else {k: v for k, v in known.items() if k not in ("d", "m")}


def _generator_of(seed: inspect.Parameter) -> str:
    """What a seed goes in as: an integer where this is empty."""
    if "key" in seed.name and "jax" in sys.modules:
        return "jax"
    if seed.name not in GENERATOR_NAMES:
        return ""
    return "torch" if "torch" in str(seed.annotation) else "numpy"


def _refuse_missing(target: Target, parameters: list[inspect.Parameter]) -> None:
    """Refuse a target with arguments that have no value: neither a given one, nor a default."""
    known = target.given
    given = {*target.given, target.seed_argument}
    missing = [p.name for p in _required(parameters) if p.name not in given]
    if not missing:
        return
    hint = "pass " + " ".join(f"--arg {n}=..." for n in missing)
    if target.kind == "matrix" and missing[0] == parameters[0].name:
        hint += f", or --kind features if {missing[0]} is the input of a feature map"
    if {p.name for p in parameters} & set(VALUE_NAMES):
        hint = (
            "attention is a quotient of sums, which has no mean that could be tested: name the feature map of queries "
            "and keys, or write a function phi(x, seed) that draws with the seed and returns its features"
        )
    if "projected" in missing:
        hint = (
            "the sampler of a declared feature map is tested by `rftheory verify` on a statement about the map;"
            " here pass a function phi(x, seed) that returns the features"
        )
    raise InvalidInput(
        target.name, needs="values for arguments that cannot be guessed: " + ", ".join(missing),
        got=", ".join(f"{k}={v!r}" for k, v in known.items()) or "no arguments", hint=hint,
    )  # fmt: skip
