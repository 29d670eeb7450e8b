"""The roots that the search isolates, with proved digits: the only one of an interval, and the first."""

from __future__ import annotations

import itertools

from rftheory.errors import NotCertified
from rftheory.exact.enclosure import Enclosure, Exact, certify
from rftheory.exact.search import Smooth, isolate_roots, refine_root


def certified_root(f: Smooth, low: Exact, high: Exact, *, digits: int = 30) -> Enclosure:
    """The only root of ``f`` in [low, high].

    Existence is proved by a sign change, uniqueness by the sign of the derivative (or of ``f``) on every part.
    """
    found = list(itertools.islice(isolate_roots(f, low, high), 2))
    if len(found) != 1:
        reached = "at least 2 are proved" if found else "it is proved that there is none"
        raise NotCertified("root", wanted=f"exactly one root in [{low}, {high}]", reached=reached)
    return certify(lambda: refine_root(f, found[0]), digits, "root")


def first_sign_change(f: Smooth, low: Exact, high: Exact, *, digits: int = 30) -> Enclosure:
    """The smallest root of ``f`` in (low, high], at which it changes sign; ``f`` is proved nonzero before it."""
    found = next(isolate_roots(f, low, high), None)
    if found is None:
        raise NotCertified(
            "first sign change",
            wanted=f"a sign change in [{low}, {high}]",
            reached="it is proved that there is none",
        )
    return certify(lambda: refine_root(f, found), digits, "first sign change")
