"""The errors of the package, and the checks that many parts share. Each names the subject, the condition and the value.

Every error that the package raises on purpose derives from :class:`RFTheoryError`, so one
``except`` clause separates the package's own verdicts about the input from programming errors.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from pathlib import Path
from typing import Any


class RFTheoryError(Exception):
    """Base class of all errors that rftheory raises on purpose; they travel between processes."""

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (type(self), self.args, self.__dict__)


def _rebuilt(
    kind: type[RFTheoryError], args: tuple[object, ...], attributes: dict[str, object]
) -> RFTheoryError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Give an error of the system that names no file, such as a full disk, the name of the one that is written.

    Examples
    --------
    >>> try:
    ...     with writing("report.json"):
    ...         raise OSError(28, "No space left on device")
    ... except OSError as error:
    ...     print(error.filename)
    report.json
    """
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


class InvalidInput(RFTheoryError, ValueError):
    """An argument that no computation could accept: NaN, a wrong shape, zero digits.

    Parameters
    ----------
    subject : what was given the value: a formula, a sampler, an option.
    needs : the condition in words.
    got : the offending value.
    hint : what to do next, if that is not obvious from the condition.

    Examples
    --------
    >>> str(InvalidInput("digits", needs="an integer from 1 to 100000", got=0))
    'digits: needs an integer from 1 to 100000, got 0'
    """

    def __init__(self, subject: str, *, needs: str, got: object, hint: str = "") -> None:
        self.subject, self.needs, self.got, self.hint = subject, needs, got, hint
        super().__init__(f"{subject}: needs {needs}, got {got!r}" + (f"; {hint}" if hint else ""))


def need(subject: str, value: object, kind: Any, needs: str, *, hint: str = "") -> None:
    """Raise `InvalidInput` unless the value is of a kind: a type, or one of several types or words.

    Examples
    --------
    >>> need("kernel", "rbf", ("gaussian", "softmax"), "'gaussian' or 'softmax'")
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: kernel: needs 'gaussian' or 'softmax', got 'rbf'
    >>> need("causal", 1, bool, "True or False")
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: causal: needs True or False, got 1
    """
    words = [kind] if isinstance(kind, type) else list(kind)
    types = tuple(one for one in words if isinstance(one, type))
    if not (isinstance(value, types) or (isinstance(value, str) and value in words)):
        raise InvalidInput(subject, needs=needs, got=value, hint=hint)


def items(subject: str, value: object, kind: Any, needs: str) -> tuple[Any, ...]:
    """The entries of what can be gone through, each of a kind as in `need`.

    Examples
    --------
    >>> items("claims", 3, str, "a sequence of ids")
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: claims: needs a sequence of ids, got 3
    """
    need(subject, value, Iterable, needs)
    found: tuple[Any, ...] = tuple(value)  # type: ignore[arg-type]
    for entry in found:
        need(subject, entry, kind, needs)
    return found


MOST_WORKERS = 1024
"""The most threads or processes of one run: far more than is useful, or than most systems allow."""
LONGEST = 1e7
"""The longest time limit in seconds, about four months; more does not fit the timer of every system."""


def checked_integer(subject: str, value: object, least: int, most: int | None = None) -> int:
    """An integer in a range.

    Examples
    --------
    >>> checked_integer("--seed", -1, 0)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: --seed: needs an integer of at least 0, got -1
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or not _between(value, least, most):
        needs = f"an integer of at least {least}" if most is None else f"an integer from {least} to {most}"
        raise InvalidInput(subject, needs=needs, got=value)
    return int(value)


def _between(value: Integral, least: int, most: int | None) -> bool:
    return least <= int(value) and (most is None or int(value) <= most)


def checked_workers(subject: str, value: object) -> int:
    """A number of threads or processes.

    Examples
    --------
    >>> checked_workers("workers", 100_000)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: workers: needs an integer from 1 to 1024, got 100000
    """
    return checked_integer(subject, value, 1, MOST_WORKERS)


def checked_seconds(subject: str, value: object) -> float:
    """A number of seconds that is valid for a timer.

    Examples
    --------
    >>> checked_seconds("--time-limit", 0)
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: --time-limit: needs a positive number of seconds up to 1e+07, got 0
    """
    return checked_positive(subject, value, LONGEST, f"a positive number of seconds up to {LONGEST:g}")


def checked_effort(subject: str, value: object) -> float:
    """A factor on the number of draws."""
    return checked_positive(subject, value, 1e6, "a factor in (0, 1e6]")


def checked_effect(subject: str, value: object) -> float:
    """The size of an effect that a test is to see."""
    return checked_positive(subject, value, math.nextafter(1, 0), "an effect between 0 and 1, such as 0.02")


def checked_positive(
    subject: str, value: object, most: float = sys.float_info.max, needs: str = "a positive number"
) -> float:
    """A number above 0.

    Examples
    --------
    >>> checked_positive("--lengthscale", float("nan"))
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: --lengthscale: needs a positive number, got nan
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < _as_float(value) <= most:
        raise InvalidInput(subject, needs=needs, got=value)
    return float(value)


def _as_float(value: Real) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer or a fraction beyond the range of floats
        return math.inf


class OutsideDomain(InvalidInput):
    """A value outside the domain on which a formula or claim is stated.

    Examples
    --------
    >>> str(OutsideDomain("simrf_conformity", needs="d >= 2", got=1))
    'simrf_conformity: needs d >= 2, got 1'
    """


class UnknownName(RFTheoryError, LookupError):
    """A claim, formula, coupling or other named thing that does not exist.

    Examples
    --------
    >>> str(UnknownName("formula", "simrf_conformty", ["simrf_conformity", "orf_conformity"]))
    "unknown formula 'simrf_conformty'; did you mean 'simrf_conformity'? (known: orf_conformity, simrf_conformity)"
    >>> str(UnknownName("claim", "thm3.5", ["thm3.1", "thm3.5/upper", "thm3.5/lower"]))
    "unknown claim 'thm3.5'; did you mean 'thm3.5/lower' or 'thm3.5/upper'? (known: thm3.1, thm3.5/lower, thm3.5/upper)"

    Parameters
    ----------
    kind : the kind of thing asked for.
    name : the name that does not exist.
    known : the names that exist; close matches are suggested, and few are all listed unless a hint says how to list
        them.
    similar : the names to suggest, best first, if the caller knows better.
    hint : what to do next.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        known: Iterable[str] = (),
        *,
        similar: Sequence[str] | None = None,
        hint: str = "",
    ) -> None:
        self.kind, self.name = kind, name
        known = sorted(known)
        close = near(name, known) if similar is None else list(similar)
        said = asked_instead(close)
        few = ", ".join(known) if len(known) <= FEW else ""
        if few and not close:
            said = f"known: {few}"
        elif few and not hint and len(known) > len(close):
            hint = f"known: {few}"
        aside = f" ({hint})" if hint else ""
        super().__init__(f"unknown {kind} {name!r}" + (f"; {said}" if said else "") + aside)


FEW = 12
"""So many names are all listed where one is unknown."""


def near(name: object, known: Iterable[str]) -> list[str]:
    """Up to three names that differ in case and punctuation alone, or begin with this one; else the closest spelling.

    Examples
    --------
    >>> near("positve", ["positive", "simplex"]), near("simplex.thm32", ["simplex.thm4.3", "simplex.thm3.2"])
    (['positive'], ['simplex.thm3.2'])
    """
    if not isinstance(name, str) or not name:
        return []
    known = list(known)
    longer = [one for one in known if one.startswith(name) and not one[len(name) : len(name) + 1].isalnum()]
    if found := longer or [one for one in known if _letters(one) == _letters(name)]:
        return found[:3]
    from difflib import get_close_matches  # slow to load, and needed only after a mistake

    by_letters = {_letters(one): one for one in reversed(known)}
    close = get_close_matches(name, known, n=1)
    return close or [by_letters[one] for one in get_close_matches(_letters(name), by_letters, n=1)]


def _letters(name: str) -> str:
    """Letters and digits alone, in lower case; a name without them is left as it is."""
    return "".join(filter(str.isalnum, name)).lower() or name


def asked_instead(close: Sequence[str]) -> str:
    """The question whether one of these names was meant; empty if there are none.

    Examples
    --------
    >>> asked_instead(["a", "b", "c"]), asked_instead([])
    ("did you mean 'a', 'b' or 'c'?", '')
    """
    if not close:
        return ""
    *others, last = map(repr, close)
    return f"did you mean {', '.join(others)}{' or ' if others else ''}{last}?"


def meant(name: object, known: Iterable[str], says: str = "") -> str:
    """For the hint of another error: the question whether a close name was meant, before what else is said.

    Examples
    --------
    >>> meant("rigt", ["right", "wrong"], "it has right, wrong"), meant("x", ["right"], "it has right")
    ("did you mean 'right'? it has right, wrong", 'it has right')
    """
    return " ".join(filter(None, (asked_instead(near(name, known)), says)))


def meant_file(path: Path) -> str:
    """For a file that does not exist: the question whether one of a close name in its folder was meant.

    Examples
    --------
    >>> meant_file(Path("no such folder") / "mine.py")
    ''
    """
    try:
        there = sorted(one.name for one in path.parent.iterdir() if one.is_file())
    except OSError:
        return ""
    return asked_instead([str(path.parent / one) for one in near(path.name, there)])


class NotKnown(RFTheoryError, LookupError):
    """A law that does not follow from the declaration, or that no route computes.

    Parameters
    ----------
    what : the quantity.
    of : the mechanism.
    because : the reason.

    Examples
    --------
    >>> str(NotKnown("the variance", "positive x sobol", "the points are tied coordinate by coordinate"))
    'the variance is not known for positive x sobol, because the points are tied coordinate by coordinate'
    """

    def __init__(self, what: str, of: str, because: str) -> None:
        self.what, self.of, self.because = what, of, because
        super().__init__(f"{what} is not known for {of}, because {because}")


class NotCertified(RFTheoryError, ArithmeticError):
    """A value whose digits could not be proved within the working precision allowed.

    Parameters
    ----------
    subject : what was computed.
    wanted : what was asked for, in words.
    reached : how far the computation got, in words.
    hint : what to try next.
    by_any_route : True if no other route to the value would get further.
    """

    def __init__(
        self, subject: str, *, wanted: str, reached: str, hint: str = "", by_any_route: bool = False
    ) -> None:
        self.subject, self.wanted, self.reached, self.hint = subject, wanted, reached, hint
        self.by_any_route = by_any_route
        super().__init__(f"{subject}: {wanted} not certified; {reached}" + (f"; {hint}" if hint else ""))


class Undecided(NotCertified):
    """A comparison that the working precision does not decide; a higher precision may.

    Examples
    --------
    >>> str(Undecided("m >= 4", reached="the difference is [+/- 1.2e-9]"))
    'm >= 4: true or false not certified; the difference is [+/- 1.2e-9]'
    """

    def __init__(self, subject: str, *, reached: str, hint: str = "") -> None:
        super().__init__(subject, wanted="true or false", reached=reached, hint=hint)


class BackendUnavailable(RFTheoryError, RuntimeError):
    """An array library or device that was requested but cannot be used here."""

    def __init__(self, backend: str, *, reason: str, hint: str = "") -> None:
        self.backend, self.reason = backend, reason
        super().__init__(f"backend {backend!r} is not available: {reason}" + (f"; {hint}" if hint else ""))


class SamplerFailed(RFTheoryError, RuntimeError):
    """A sampler or statistic that raised an error or returned something unusable."""

    def __init__(self, sampler: str, *, problem: str, hint: str = "") -> None:
        self.sampler, self.problem, self.hint = sampler, problem, hint
        super().__init__(f"sampler {sampler!r}: {problem}" + (f"; {hint}" if hint else ""))


class DataUnavailable(RFTheoryError, RuntimeError):
    """Data of an experiment that are missing or not the expected version.

    Parameters
    ----------
    subject : the data set.
    needs : the file or package.
    looked : where the package looked for it.
    hint : how to get it.

    Examples
    --------
    >>> str(DataUnavailable("wine", needs="scikit-learn", looked="installed packages", hint="install it"))
    'wine: scikit-learn not found in installed packages; install it'
    """

    def __init__(self, subject: str, *, needs: str, looked: str, hint: str) -> None:
        self.subject, self.needs, self.looked, self.hint = subject, needs, looked, hint
        super().__init__(f"{subject}: {needs} not found in {looked}; {hint}")


class DeclarationFailed(RFTheoryError, RuntimeError):
    """A file or an installed package of declared mechanisms that cannot be read.

    Parameters
    ----------
    source : path of the file, or the entry point.
    line : line of the file, 0 if unknown.
    problem : what went wrong.
    hint : what to do next.

    Examples
    --------
    >>> str(DeclarationFailed("mine.py", line=7, problem="NameError: name 'Rwo' is not defined"))
    "mine.py, line 7: NameError: name 'Rwo' is not defined"
    """

    def __init__(self, source: str, *, problem: str, line: int = 0, hint: str = "") -> None:
        self.source, self.line, self.problem, self.hint = source, line, problem, hint
        where = f"{source}, line {line}" if line else source
        super().__init__(f"{where}: {problem}" + (f"; {hint}" if hint else ""))
