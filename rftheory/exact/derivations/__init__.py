"""Derivations of the papers' statements, by claim id.

Every module of this package registers its derivations when it is imported; :func:`derivation` and
:func:`derivations` import them all.
"""

from __future__ import annotations

import importlib
import pkgutil

from rftheory.errors import UnknownName
from rftheory.exact.derive import DERIVATIONS, Derivation


def derivations() -> dict[str, Derivation]:
    """All derivations by id, lemmas included.

    Examples
    --------
    >>> "lemma.wallis" in derivations()
    True
    """
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return dict(DERIVATIONS)


def derivation(identifier: str) -> Derivation:
    """The derivation of a claim.

    Raises
    ------
    UnknownName : there is none of that id.

    Examples
    --------
    >>> derivation("lemma.wallis").title
    'Wallis integrals'
    """
    known = derivations()
    if identifier not in known:
        raise UnknownName("derivation", identifier, known)
    return known[identifier]
