"""An index of names: statements, formulas, mechanisms, figures and derivations are found without loading them.

The names are stored in ``names.json``, which ``tools/index.py`` writes and a test keeps up to date. An unknown name is
answered at once, and a known one leads to the single module that is needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rftheory.errors import InvalidInput, UnknownName, asked_instead, near

KINDS = ("statements", "formulas", "mechanisms", "figures", "derivations")
FILE = Path(__file__).with_name("names.json")

SOURCES = {
    "simplex": ("simplex", "Reid, Choromanski, Likhosherstov and Weller, Simplex Random Features, ICML 2023"),
    "rff": ("rahimi_recht", "Rahimi and Recht 2007, Random Features for Large-Scale Kernel Machines: a walk-through"),
    "ss15": ("rahimi_recht", "Sutherland and Schneider, On the Error of Random Fourier Features, UAI 2015"),
    "yu16": ("rahimi_recht", "Yu et al., Orthogonal Random Features, NIPS 2016"),
    "dk24": ("rahimi_recht", "Demni and Kadri 2024"),
    "ch18": ("rahimi_recht", "Choromanski et al., The Geometry of Random Features, AISTATS 2018"),
    "chefs": ("chefs", "Likhosherstov et al., Chefs' Random Tables: Non-Trigonometric Random Features, NeurIPS 2022"),
    "hybrid": ("hybrid", "Choromanski, Chen, Lin, Ma, Sehanobish et al., Hybrid Random Features, ICLR 2022"),
}  # fmt: skip
"""For the first part of an id: the paper that it is counted with, and the source."""

_KIND = {
    "theorem": r"theorems?|thms?",
    "lemma": r"lemmas?|lem",
    "corollary": r"corollar(?:y|ies)|cor",
    "definition": r"definitions?|def",
    "proposition": r"propositions?|prop",
    "equation": r"equations?|eqs?|step",
    "figure": r"figures?|figs?",
    "table": r"tables?|tabs?",
    "algorithm": r"algorithms?|alg",
    "section": r"sections?|secs?|sect",
    "appendix": r"appendix|appendices|app",
    "footnote": r"footnotes?|fn",
}
_WORD = "|".join(f"(?P<{kind}>{words})" for kind, words in _KIND.items())
_NUMBER = r"\(?(?:[A-Z]\.?)?\d+(?:\.\d+)*\)?|\(?[A-Z](?:\.\d+)*\)?(?![a-z])"
_PLACE = re.compile(rf"(?<![A-Za-z])(?:{_WORD})\.?\s*(?P<first>{_NUMBER})(?P<more>(?:(?:, | and |-|–)(?:{_NUMBER}))*)",
                    re.IGNORECASE)  # fmt: skip
_BARE = re.compile(r"\((\d+)\)(?:-\((\d+)\))?")

Place = tuple[str, str]
"""The kind of a numbered item of a paper, and its number: ``("theorem", "3.5")``."""


@cache
def _content() -> dict[str, dict[str, dict[str, Any]]]:
    found: dict[str, dict[str, dict[str, Any]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def names(kind: str) -> dict[str, dict[str, Any]]:
    """Everything of one kind, with its description, by name.

    Examples
    --------
    >>> names("formulas")["simrf_conformity"]["module"]
    'rftheory.exact.conformity'
    >>> "hybrid_fig2" in names("figures"), "SimRF" in names("mechanisms")
    (True, True)
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise UnknownName("kind of thing", kind, KINDS)
    return _content()[kind]


def places(text: str) -> frozenset[Place]:
    """The numbered items that a text names.

    Examples
    --------
    >>> sorted(places("Reid et al., ICML 2023, Theorem 4.5, eqs (26), (30)"))
    [('equation', '26'), ('equation', '30'), ('theorem', '4.5')]
    >>> sorted(places("App. D.1, eqs (4)-(6)"))
    [('appendix', 'D.1'), ('equation', '4'), ('equation', '5'), ('equation', '6')]
    >>> sorted(places("hybrid.thm3.5.bound/step49"))
    [('equation', '49'), ('theorem', '3.5')]
    """
    found: set[Place] = set()
    for match in _PLACE.finditer(text):
        kind = str(match.lastgroup if match.lastgroup in _KIND else next(k for k in _KIND if match[k]))
        for number in re.findall(_NUMBER, match["first"] + " " + match["more"]):
            found.add((kind, number.strip("()").upper()))
    for first, last in _BARE.findall(text):
        found.update(("equation", str(n)) for n in range(int(first), min(int(last or first), 999) + 1))
    return frozenset(found)


@cache
def _places_of_statements() -> dict[str, frozenset[Place]]:
    return {
        identifier: places(identifier) | places(entry["place"])
        for identifier, entry in names("statements").items()
    }


def below(identifier: str, known: Iterable[str]) -> list[str]:
    """Those of the known ids that equal the given one or lie below it.

    Examples
    --------
    >>> below("simplex.thm3", ["simplex.thm3.2", "simplex.thm3.2/(30)", "simplex.thm34"])
    ['simplex.thm3.2', 'simplex.thm3.2/(30)']
    >>> below("simplex.thm", ["simplex.thm3.2", "simplex.lem4.1"])
    ['simplex.thm3.2']
    """
    stem, known = identifier.rstrip("./*"), list(known)
    if not stem:
        return []
    found = [one for one in known if one == identifier or one.startswith((stem + ".", stem + "/"))]
    if not found and "." in stem and stem[-1].isalpha():  # hybrid.thm: all theorems
        found = [one for one in known if re.match(rf"{re.escape(stem)}(?![a-z])", one)]
    return found


def find_statements(asked: str, paper: str | None = None) -> list[str]:
    """The ids of statements that a text names: an id, the beginning of one, a source, or a number as printed.

    Parameters
    ----------
    asked : ``hybrid.thm3.5`` (for it and everything below it), ``Theorem 3.5``, ``(25)``, ``simplex``; a number may be
        preceded by a source: ``hybrid (25)``.
    paper : search only this source.

    Raises
    ------
    UnknownName : nothing has that name; the message suggests similar ones.
    InvalidInput : the number occurs in several sources.

    Examples
    --------
    >>> find_statements("simplex.thm3.2")[:2]
    ['simplex.thm3.2', 'simplex.thm3.2/isotropy']
    >>> find_statements("simplex Corollary 3.3")
    ['simplex.cor3.3', 'simplex.cor3.3.corrected']
    >>> find_statements("Theorem 3.5")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rftheory.errors.InvalidInput: Theorem 3.5: needs a source with the number, since it occurs in several, got ...
    """
    known = statements_of(paper)
    asked = " ".join(asked.split())
    if (source := asked.lower()) in SOURCES or source in _papers():
        return _checked([one for one in known if source in _sources(one)], asked, known)
    found = below(asked, known)
    if found:
        return found
    own, wanted = _numbered(asked)
    if wanted and (own or paper):
        chosen = [one for one in known if own is None or own in _sources(one)]
        return _checked([one for one in chosen if wanted <= _places_of_statements()[one]], asked, known)
    if wanted:
        found = [one for one in known if wanted <= _places_of_statements()[one]]
        sources = list(dict.fromkeys(one.partition(".")[0] for one in found))
        if len(sources) > 1:
            raise InvalidInput(
                asked, needs="a source with the number, since it occurs in several", got=sources,
                hint=f"such as {f'{sources[0]} {asked}'!r}",
            )  # fmt: skip
    return _checked(found, asked, known)


def _checked(found: list[str], asked: str, known: Sequence[str]) -> list[str]:
    if not found:
        raise UnknownName("statement", asked, similar=similar_statements(asked, known), hint=_HINT)
    return found


_HINT = "rftheory list statements WORDS searches"


def _papers() -> set[str]:
    return {paper for paper, _ in SOURCES.values()}


def _sources(identifier: str) -> tuple[str, str]:
    """The first part of an id, and the paper that it is counted with."""
    return identifier.partition(".")[0], paper_of(identifier)


def paper_of(identifier: str) -> str:
    """The paper that an id is counted with: its first part, or the paper whose neighbour that is.

    Examples
    --------
    >>> paper_of("simplex.thm3.2"), paper_of("yu16.orf/l1")
    ('simplex', 'rahimi_recht')
    """
    prefix = identifier.partition(".")[0]
    return SOURCES.get(prefix, (prefix, ""))[0]


def statements_of(paper: str | None) -> list[str]:
    """The ids of all statements, or of those of one source.

    Raises
    ------
    UnknownName : there is no such source.

    Examples
    --------
    >>> statements_of("ss15")[0]
    'ss15.maps'
    """
    known = list(names("statements"))
    if paper is None:
        return known
    if paper not in SOURCES and paper not in _papers():
        raise UnknownName("paper", paper, _papers() | set(SOURCES))
    return [one for one in known if paper in _sources(one)]


def _numbered(asked: str) -> tuple[str | None, frozenset[Place]]:
    """The source and the numbers that a text names; no numbers if it contains other words."""
    source = None
    words = [word for word in re.split(r"\s+(?:of\s+)?|,\s*", asked) if word]
    for word in words:
        if word.lower() in SOURCES or word.lower() in _papers():
            source = word.lower()
    rest = " ".join(word for word in words if word.lower() != source and word != "of")
    rest = re.sub(r"^([\d.]+)$", r"(\1)", rest) if rest.isdigit() else rest
    left = _BARE.sub("", _PLACE.sub("", rest)).strip(" .,")
    return source, frozenset() if left else places(rest)


def is_number(asked: str) -> bool:
    """Whether a text is a number as printed, perhaps with its source, and not several ids.

    Examples
    --------
    >>> is_number("hybrid Theorem 3.55"), is_number("simplex.thm3.2 simplex.thm4.3")
    (True, False)
    """
    return bool(_numbered(asked)[1])


def similar_statements(asked: str, known: Sequence[str]) -> list[str]:
    """Ids to suggest instead of one that does not exist.

    These are the same label in other sources, neighbouring numbers in the same source, and similar spellings.

    Examples
    --------
    >>> similar_statements("simplex.thm3.5", list(names("statements")))[:3]
    ['chefs.thm3.5', 'hybrid.thm3.5', 'simplex.thm3.4']
    """
    asked = _as_id(asked)
    source, _, label = asked.partition(".")
    label = label or asked
    stems = list(dict.fromkeys(re.split(r"/|\.corrected", one)[0] for one in known))
    tops = list(dict.fromkeys(_top(one) for one in stems))
    found = [one for one in tops if one.partition(".")[2].lower() == label.lower()]
    found += near(asked, tops) if not found else []
    ours = [one for one in tops if one.startswith(source + ".")]
    numbered = re.match(r"([A-Za-z]+)([A-Z]?\.?\d+(?:\.\d+)*)$", label)
    if numbered:
        same = [one for one in ours if re.match(rf"{numbered[1]}[A-Z]?\.?\d", one.partition(".")[2])]
        found += sorted(same, key=lambda one: _distance(one.partition(".")[2], label, numbered[2]))[:2]
    found += near(asked, ours) + near(asked, stems)
    return list(dict.fromkeys(found))[:4]


def _as_id(asked: str) -> str:
    """A number as printed, with its source, in the form of an id; any other text as it is."""
    source, wanted = _numbered(asked)
    kind, number = next(iter(wanted), ("", ""))
    return f"{source}.{_SHORT.get(kind, kind)}{number}" if source and kind else asked


_SHORT = {"theorem": "thm", "lemma": "lem", "corollary": "cor", "definition": "def", "equation": "eq"}
"""How ids begin for a kind of numbered items."""


def _distance(label: str, asked: str, number: str) -> list[int]:
    """The distance between two labels: whether one begins the other, and how far apart their numbers are."""
    ours, theirs = ([int(n) for n in re.findall(r"\d+", text)] for text in (label, number))
    begins = label.startswith(asked) or asked.startswith(label)
    return [0 if begins else 1] + [abs(a - b) for a, b in zip(ours, theirs, strict=False)]


def _top(identifier: str) -> str:
    """The topmost id, since a number and everything below it count as one suggestion."""
    found = re.match(r"\w+\.(?:thm|lem|cor|def|eq|fig|tab|table|alg)[A-Z]?\.?\d+(?:\.\d+)*", identifier)
    return found[0] if found else identifier


def find_formula(name: str) -> dict[str, Any]:
    """The description of a formula or a quantity of mechanisms, with its module.

    Raises
    ------
    UnknownName : there is no such formula or quantity.

    Examples
    --------
    >>> find_formula("mse")["module"]
    'rftheory.exact.quantities'
    >>> find_formula("simrf_conformty")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rftheory.errors.UnknownName: unknown formula 'simrf_conformty'; did you mean 'simrf_conformity'? ...
    """
    return _named("formula", "formulas", name)


def find_figure(name: str) -> dict[str, Any]:
    """The description of a figure.

    Examples
    --------
    >>> find_figure("simplex_fig5")["paper"]
    'simplex'
    """
    return _named("figure", "figures", name)


def _named(word: str, kind: str, name: str) -> dict[str, Any]:
    known = names(kind)
    if name not in known:
        raise UnknownName(word, name, known, hint=f"rftheory list {kind} shows all")
    return known[name]


def find_derivations(asked: str) -> list[str]:
    """The ids of derivations that a text names: an id, the beginning of one, or a number as printed.

    Raises
    ------
    UnknownName : nothing has that name.

    Examples
    --------
    >>> find_derivations("hybrid.lem3.2"), find_derivations("simplex Lemma 4.1")
    (['hybrid.lem3.2'], ['simplex.lem4.1'])
    """
    known = names("derivations")
    if asked in known:
        return [asked]
    found = below(asked, known)
    if found:
        return found
    stem = asked.partition("/")[0]  # parts of a statement are derived together with it
    if stem in known:
        return [stem]
    try:
        statements = find_statements(asked)
    except UnknownName:
        statements = []
    stems = {_stem(one, known) for one in statements}
    found = [one for one in known if one in stems]
    if found:
        return found
    if statements:
        raise InvalidInput(
            asked, needs="a statement with a derivation", got="one with other evidence",
            hint=f"rftheory verify '{asked}' --explain shows its evidence",
        )  # fmt: skip
    raise UnknownName("derivation", asked, similar=similar_statements(asked, list(known)),
                      hint="rftheory list derivations WORDS searches")  # fmt: skip


def _stem(identifier: str, known: Iterable[str]) -> str | None:
    stem = identifier.partition("/")[0]
    return next((one for one in (identifier, stem, stem.removesuffix(".corrected")) if one in known), None)


def search(words: Sequence[str], kinds: Sequence[str] = KINDS) -> list[tuple[str, str, dict[str, Any]]]:
    """Everything whose name or description contains all the words: kind, name and description.

    Case is ignored; a number with its kind, such as ``Theorem 3.5``, counts as one word.

    Examples
    --------
    >>> [name for _, name, _ in search(["simplex", "Theorem", "3.2"], ["statements"])][:2]
    ['simplex.thm3.2', 'simplex.thm3.2/isotropy']
    >>> [name for _, name, _ in search(["conformity", "simrf"], ["formulas"])][:2]
    ['simrf_conformity', 'log_simrf_conformity']
    """
    text = " ".join(words)
    numbers = frozenset(place for match in _PLACE.finditer(text) for place in places(match[0]))
    numbers |= frozenset(("equation", number) for number in re.findall(r"(?:^|\s)\((\d+)\)(?=\s|$)", text))
    plain = re.sub(r"(?:^|\s)\(\d+\)(?=\s|$)", " ", _PLACE.sub(" ", text)).lower().split()
    found = []
    for kind in kinds:
        for name, entry in names(kind).items():
            if numbers:
                own = _places_of_statements()[name] if kind == "statements" else places(
                    f"{name.replace('_', '.')} {entry.get('place', '')}"
                )  # fmt: skip
                if not numbers <= own:
                    continue
            body = f"{name} {' '.join(str(value) for value in entry.values())}".lower()
            if all(word in body for word in plain):
                found.append((kind, name, entry))
    return found


def similar_words(words: Sequence[str]) -> str:
    """The question whether other words were meant, where some of these match nothing; empty if no others are close.

    Examples
    --------
    >>> similar_words(["simplex", "conformty"]), similar_words(["simplex"])
    ("did you mean 'simplex conformity'?", '')
    """
    close = [
        word if search([word]) else next(iter(near(word.lower(), _vocabulary())), word) for word in words
    ]
    return asked_instead([" ".join(close)]) if close != list(words) else ""


@cache
def _vocabulary() -> tuple[str, ...]:
    """The names of everything, their parts, and the words that describe them, without formulas."""
    found: dict[str, None] = dict.fromkeys(KINDS)
    for kind in KINDS:
        for name, entry in names(kind).items():
            found |= dict.fromkeys((name.lower(), name.lower().partition(".")[2]))
            text = f"{name} {entry.get('says', '')} {entry.get('place', '')} {entry.get('title', '')}"
            found |= dict.fromkeys(re.findall(r"(?<![\\a-z])[a-z]{3,}", text.lower()))
    return tuple(filter(None, found))
