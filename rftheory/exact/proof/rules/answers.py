"""What a check answers: proved, or undecided with the reason."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rftheory.exact.proof.steps import Finding, Scope, Step


def proved(method: str, witness: str = "") -> Finding:
    return Finding("proved", method, witness)


def undecided(why: str) -> Finding:
    return Finding("undecided", why)


def equality(check: Callable[[Any, Step, Scope], Finding]) -> Callable[[Any, Step, Scope], Finding]:
    """A check that shows the sides to be equal, so that a strict inequality between them is not proved."""

    @functools.wraps(check)
    def checked(self: Any, step: Step, scope: Scope) -> Finding:
        if step.relation in ("<", ">"):
            return undecided(f"equal sides are not {step.relation}")
        return check(self, step, scope)

    return checked
