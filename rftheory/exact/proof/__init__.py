"""Proofs as objects: derivations whose steps are checked, the rules that check them, and the lemmas that they share."""

from __future__ import annotations

from rftheory.exact.proof.steps import (
    DERIVATIONS,
    Derivation,
    Replay,
    Step,
    derivation,
    derivations,
    established,
    register_derivation,
    replay,
)

__all__ = ["DERIVATIONS", "Derivation", "Replay", "Step", "derivation", "derivations", "established",
    "register_derivation", "replay"]  # fmt: skip
