"""One name for each thing, with the names from the papers that are accepted as aliases.

Declarations and samplers do not know each other; all they share is this vocabulary.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar

from rftheory.errors import DeclarationFailed, InvalidInput, UnknownName, near

T = TypeVar("T")


def plural(count: int, one: str, more: str = "") -> str:
    """A count with its noun; ``more`` is the plural if that is not the singular and an s.

    Examples
    --------
    >>> plural(1, "claim"), plural(0, "claim"), plural(2, "box", "boxes")
    ('1 claim', '0 claims', '2 boxes')
    """
    return f"{count} {one if count == 1 else more or one + 's'}"


def point_text(values: Mapping[Any, object]) -> str:
    """The values of some variables in words; nothing where there are none.

    Examples
    --------
    >>> point_text({"d": 2, "v": "1/2"})
    'd = 2, v = 1/2'
    """
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def wrapped(line: str, width: int | None, indent: str = "    ") -> list[str]:
    """A line as lines of at most this width, those that continue it indented; with None as it is.

    Examples
    --------
    >>> wrapped("hint: leave it out", 12, "  "), wrapped("hint: leave it out", None)
    (['hint: leave', '  it out'], ['hint: leave it out'])
    """
    if width is None or len(line) <= width:
        return [line]
    import textwrap

    return textwrap.wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


ALIASES: dict[str, dict[str, str]] = {
    "coupling": {
        "independent": "iid",
        "iidrf": "iid",
        "orf": "orthogonal",
        "gorf": "orthogonal",
        "simrf": "simplex",
        "simrf+": "simplex+",
        "simplex-plus": "simplex+",
        "orthoplex": "cross-polytope",
        "qmc": "sobol",
    },
    "feature map": {
        "prf": "positive",
        "posrf": "positive",
        "rff": "trigonometric",
        "trigrf": "trigonometric",
        "fourier": "trigonometric",
        "poisrf": "poisson",
        "geomrf": "geometric",
    },
}
"""For each kind of thing: the name in the papers, and ours."""

WORDS: dict[str, set[str]] = {}
"""The declared names of ours, by kind of thing; none may become an alias of another."""

DECLARED_BY: dict[tuple[str, str], str] = {}
"""For the kind and the name of a declared thing: the module that declared it."""


def is_ours(kind: str, name: str) -> bool:
    """Whether a thing comes with the package, whose samplers have tests of their own.

    Examples
    --------
    >>> is_ours("coupling", "simplex"), is_ours("feature map", "positive")
    (True, True)
    """
    return DECLARED_BY.get((kind, name), "rftheory.").startswith("rftheory.")


MECHANISMS: dict[str, tuple[str, str]] = {
    "rff": ("trigonometric", "iid"),
    "orf": ("trigonometric", "orthogonal"),
    "favor": ("trigonometric", "orthogonal"),
    "favor+": ("positive", "orthogonal"),
    "favor++": ("oprf", "orthogonal"),
    "simrf": ("positive", "simplex"),
    "simrf+": ("positive", "simplex+"),
}
"""Names of whole mechanisms in the papers: feature map and coupling."""
HINT = "rftheory list mechanisms shows all"
"""What to do about an unknown name."""


def spelled(name: str) -> str:
    """The spelling under which names are stored: lower case, hyphens.

    Examples
    --------
    >>> spelled("Cross_Polytope"), spelled("FAVOR++")
    ('cross-polytope', 'favor++')
    """
    if not isinstance(name, str):
        raise InvalidInput("name", needs="text", got=name)
    return name.strip().lower().replace("_", "-").replace(" ", "-")


def canonical(kind: str, name: str) -> str:
    """Our name for a thing that a paper may call otherwise; an unknown name is returned in our spelling.

    Examples
    --------
    >>> canonical("coupling", "SimRF"), canonical("feature map", "FAVOR")
    ('simplex', 'favor')
    """
    word = spelled(name)
    return ALIASES[kind].get(word, word)


def find(kind: str, name: object, known: Mapping[str, T]) -> T:
    """The thing with that name or alias; for an unknown name the declared mechanisms are loaded first.

    Raises
    ------
    UnknownName : there is none; the message suggests the closest names.

    Examples
    --------
    >>> find("coupling", "ORF", {"orthogonal": 1})
    1
    >>> find("coupling", "orthogonl", {"orthogonal": 1})
    Traceback (most recent call last):
    ...
    rftheory.errors.UnknownName: unknown coupling 'orthogonl'; did you mean 'orthogonal'? (rftheory list mechanisms \
shows all)
    >>> find("feature map", "trg", {"trigonometric": 1})
    Traceback (most recent call last):
    ...
    rftheory.errors.UnknownName: unknown feature map 'trg'; did you mean 'trigonometric'? (rftheory list mechanisms \
shows all)
    """
    if isinstance(name, str):
        for more in (lambda: None, load_declared):
            more()
            word = canonical(kind, name)
            if word in known:
                return known[word]
    if isinstance(name, str) and canonical(kind, name) in WORDS.get(kind, ()):
        raise InvalidInput(f"{kind} {name!r}", needs="a sampler to be used here", got="only a declaration",
                           hint="add one with .sampler")  # fmt: skip
    reachable = [alias for alias, word in ALIASES.get(kind, {}).items() if word in known]
    names = sorted([*known, *reachable])
    similar = dict.fromkeys(
        canonical(kind, one) for one in near(name, names)
    )  # ours, also where an alias is near
    raise UnknownName(kind, str(name), names, similar=list(similar), hint=HINT)


ENTRY_POINTS = "rftheory.mechanisms"
"""The entry-point group in which installed packages declare mechanisms, and our own module of mechanisms."""

_loaded: list[str] = []


def load_declared() -> None:
    """Import the mechanisms declared in files of their own, ours and those of installed packages.

    This happens once, when a name is unknown or everything has to be listed, and not at every start.

    Raises
    ------
    DeclarationFailed : an installed package whose declarations cannot be imported.

    Examples
    --------
    >>> load_declared()
    >>> from rftheory.sample import COUPLINGS
    >>> "mirrored" in COUPLINGS
    True
    """
    if _loaded:
        return
    _loaded.append(ENTRY_POINTS)  # before the files are read, because they look names up themselves
    importlib.import_module(ENTRY_POINTS)
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINTS):
        try:
            entry.load()
        except Exception as problem:
            _loaded.clear()
            raise DeclarationFailed(
                f"entry point {entry.name} = {entry.value} of {ENTRY_POINTS}",
                problem=f"{type(problem).__name__}: {problem}",
                hint="repair or uninstall its package",
            ) from problem
        _loaded.append(entry.name)


class Named(Protocol):
    """Anything that can be declared: it has a name and may have aliases.

    Examples
    --------
    >>> from rftheory.spec import find_coupling
    >>> iid: Named = find_coupling("iid")
    >>> iid.name, iid.aliases
    ('iid', ())
    """

    @property
    def name(self) -> str:
        """One word."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names."""


N = TypeVar("N", bound=Named)


def declare(kind: str, thing: N, known: dict[str, N]) -> N:
    """Register a thing under its name and aliases; if a name is taken, nothing changes.

    Raises
    ------
    InvalidInput : the name is taken or not a word, or an alias already means something else.

    Examples
    --------
    >>> from rftheory.spec import find_coupling
    >>> declare("coupling", find_coupling("iid"), {"iid": find_coupling("iid")}).name
    'iid'
    """
    word = spelled(thing.name) if isinstance(thing.name, str) else ""
    if known.get(word, thing) is not thing:
        raise InvalidInput(kind, needs="a name of its own", got=thing.name)
    known[add(kind, thing.name, thing.aliases)] = thing
    return thing


def mechanism(name: str) -> tuple[str, str]:
    """The feature map and the coupling of a mechanism that the papers name.

    Examples
    --------
    >>> mechanism("FAVOR++")
    ('oprf', 'orthogonal')
    """
    word = spelled(name)
    if word not in MECHANISMS:
        raise UnknownName("mechanism", name, MECHANISMS, hint=HINT)
    return MECHANISMS[word]


def add(kind: str, name: str, aliases: Iterable[str] = ()) -> str:
    """Register a new name and its aliases, and return the spelling under which it is stored.

    Raises
    ------
    InvalidInput : the name is not a word, or is already an alias of something else.
    """
    table, words = ALIASES.setdefault(kind, {}), WORDS.setdefault(kind, set())
    own = [spelled(one) if isinstance(one, str) else "" for one in (name, *aliases)]
    for one in own:
        if not re.fullmatch(r"[\w+#.*'-]+", one):
            raise InvalidInput(
                f"name of a {kind}", needs="one word of letters, digits and + - # . * '", got=name
            )
        meant = table.get(one, one if one in words else own[0])
        if meant != own[0]:
            raise InvalidInput(
                f"name of a {kind}", needs=f"a word other than {one!r}, which means {meant!r}", got=name
            )
    words.add(own[0])
    table.update(dict.fromkeys(own[1:], own[0]))
    return own[0]
