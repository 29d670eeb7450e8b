"""One name for one thing: the words of the project, and the names in the papers that are accepted for them.

Declarations and samplers do not know each other; what they share is this vocabulary.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import TypeVar

from rftheory.errors import DeclarationFailed, InvalidInput, UnknownName

T = TypeVar("T")

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
"""By kind of thing: names in the papers, and ours."""

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


def spelled(name: str) -> str:
    """The spelling under which names are kept: small letters, hyphens.

    Examples
    --------
    >>> spelled("Cross_Polytope"), spelled("FAVOR++")
    ('cross-polytope', 'favor++')
    """
    return name.strip().lower().replace("_", "-").replace(" ", "-")


def canonical(kind: str, name: str) -> str:
    """Our word for a name that may be one of the papers'; a name that nobody knows comes back as it is spelled.

    Examples
    --------
    >>> canonical("coupling", "SimRF"), canonical("feature map", "FAVOR")
    ('simplex', 'favor')
    """
    word = spelled(name)
    return ALIASES[kind].get(word, word)


def find(kind: str, name: object, known: Mapping[str, T]) -> T:
    """The thing of that name or alias; a name that is not known yet is sought among what `load_declared` brings.

    Raises
    ------
    UnknownName : there is none; the message names the closest ones.

    Examples
    --------
    >>> find("coupling", "ORF", {"orthogonal": 1})
    1
    >>> find("coupling", "orthogonl", {"orthogonal": 1})
    Traceback (most recent call last):
    ...
    rftheory.errors.UnknownName: unknown coupling 'orthogonl'; did you mean 'orthogonal'?
    """
    if isinstance(name, str):
        for more in (lambda: None, load_declared):
            more()
            word = canonical(kind, name)
            if word in known:
                return known[word]
    reachable = [alias for alias, word in ALIASES.get(kind, {}).items() if word in known]
    raise UnknownName(kind, str(name), [*known, *reachable])


ENTRY_POINTS = "rftheory.mechanisms"
"""Group of the entry points with which installed packages declare mechanisms; also our own module that does."""

_loaded: list[str] = []


def load_declared() -> None:
    """Import the mechanisms that are declared outside of the lists: our own files, and those of installed packages.

    Done once, where a name is not known or everything that there is has to be listed: not at every start.

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
    _loaded.append(ENTRY_POINTS)  # before the files are read: they look names up themselves
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
                hint="mend or remove its package",
            ) from problem
        _loaded.append(entry.name)


def mechanism(name: str) -> tuple[str, str]:
    """Feature map and coupling of a mechanism by its name in the papers.

    Examples
    --------
    >>> mechanism("FAVOR++")
    ('oprf', 'orthogonal')
    """
    word = spelled(name)
    if word not in MECHANISMS:
        raise UnknownName("mechanism", name, MECHANISMS)
    return MECHANISMS[word]


def add(kind: str, name: str, aliases: Iterable[str] = ()) -> str:
    """Enter a new word and its aliases; returns the spelling under which it is kept.

    Raises
    ------
    InvalidInput : a word that is an alias of something else already, or no word.
    """
    word = spelled(name) if isinstance(name, str) else ""
    if not word or any(ch.isspace() for ch in word) or "=" in word or "/" in word:
        raise InvalidInput(f"name of a {kind}", needs="one word", got=name)
    table = ALIASES.setdefault(kind, {})
    for one in (word, *map(spelled, aliases)):
        if table.get(one, word) != word:
            raise InvalidInput(f"name of a {kind}", needs=f"a word other than {one!r}, which means {table[one]!r}",
                               got=name)  # fmt: skip
    table.update({spelled(alias): word for alias in aliases})
    return word
