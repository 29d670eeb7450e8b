"""Importing this module registers all proofs of the papers."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from rftheory.exact.proof import lemmas, textbook

_ROOMS = Path(__file__).parent

for _room in sorted(path.parent for path in _ROOMS.glob("*/proofs")):
    for _module in pkgutil.iter_modules([str(_room / "proofs")]):
        importlib.import_module(f"rftheory.papers.{_room.name}.proofs.{_module.name}")

__all__ = ["lemmas", "textbook"]
