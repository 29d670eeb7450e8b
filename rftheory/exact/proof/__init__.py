"""Proofs as objects: derivations, the rules that check their steps, and shared lemmas."""

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
