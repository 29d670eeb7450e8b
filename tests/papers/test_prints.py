"""What is printed is quoted verbatim, up to what an extraction garbles; without the texts it is not tested."""

from __future__ import annotations

import os
import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest

from rftheory.papers import CATALOGUE, Claim

VARIABLE = "RFTHEORY_SOURCES"
"""Folder with the texts of the sources, one or more files for each, whose names begin with that of the source."""
FOLDER = Path(os.environ.get(VARIABLE, Path(__file__).resolve().parents[3] / "shared" / "papers"))
QUOTED = [claim for claim in CATALOGUE.claims.values() if claim.prints]

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"no texts of the sources; {VARIABLE} names their folder"
)


def letters(text: str) -> str:
    """The text without what an extraction garbles: spaces, marks, hyphens at ends of lines, case."""
    plain = unicodedata.normalize("NFKD", text)
    return re.sub(r"[^a-z0-9]", "", plain.lower())


@cache
def source(paper: str) -> str:
    return " ".join(letters(path.read_text("utf-8")) for path in sorted(FOLDER.glob(f"{paper}*.txt")))


def missing(claim: Claim) -> list[str]:
    """The pieces of a quotation that the source does not have."""
    pieces = [letters(piece) for piece in claim.prints.split("...")]
    return [piece for piece in pieces if piece and piece not in source(claim.paper)]


@pytest.mark.parametrize("claim", QUOTED, ids=lambda claim: claim.id)
def test_what_is_quoted_is_printed(claim: Claim) -> None:
    assert missing(claim) == []


def test_what_is_not_printed_is_found() -> None:
    claim = CATALOGUE.claims["simplex.thm3.2"]
    assert missing(Claim(claim.id, "", "", "", (), prints="SimRFs were found in 1807 by Gauss")) != []


def test_quotations_are_long_enough_to_say_something() -> None:
    short = [
        c.id
        for c in QUOTED
        if min(len(letters(piece)) for piece in c.prints.split("...") if piece.strip()) < 8
    ]
    assert not short
