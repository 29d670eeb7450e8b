"""Names are found in the index: by id, by the beginning of one, by number as printed; and the index is up to date."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rftheory import index
from rftheory.errors import InvalidInput, UnknownName
from rftheory.exact import formulas
from rftheory.exact.proof import derivations
from rftheory.papers import CATALOGUE

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_the_index_is_up_to_date() -> None:
    """In a process of its own: others may have declared mechanisms here."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "index.py"), "--check"],
        env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, f"rftheory/index/names.json differs: python tools/index.py\n{done.stderr}"


def test_every_statement_formula_and_derivation_is_in_it() -> None:
    assert list(index.names("statements")) == list(CATALOGUE.claims)
    assert set(formulas()) <= set(index.names("formulas"))
    assert set(derivations()) == set(index.names("derivations"))


def test_the_module_of_a_formula_is_enough_to_find_it() -> None:
    modules = {entry["module"] for entry in index.names("formulas").values()}
    wanted = {m: [n for n, e in index.names("formulas").items() if e["module"] == m] for m in modules}
    wanted.pop("rftheory.exact.quantities")
    code = f"""
import importlib, os
from rftheory.exact.formula import FORMULAS
for module, names in sorted({wanted!r}.items())[::5]:
    if os.fork() == 0:
        importlib.import_module(module)
        missing = set(names) - set(FORMULAS)
        os._exit(bool(missing))
    assert os.wait()[1] == 0, module
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_id_brings_all_below_it_and_nothing_beside_it() -> None:
    found = index.find_statements("hybrid.thm3.5")
    assert len(found) > 10
    assert all(one.startswith("hybrid.thm3.5") for one in found)
    assert "simplex.eq21" not in index.find_statements("simplex.eq2")
    assert index.find_statements("simplex.eq22") == [
        one
        for one in CATALOGUE.claims
        if one == "simplex.eq22" or one.startswith(("simplex.eq22/", "simplex.eq22."))
    ]


@pytest.mark.parametrize(
    ("asked", "among"),
    [
        ("simplex Theorem 3.2", "simplex.thm3.2"),
        ("Theorem 3.2 of simplex", "simplex.thm3.2"),
        ("hybrid (27)", "hybrid.thm3.5.bound"),
        ("simplex eq. 25", "simplex.cor4.4"),
        ("Lemma 4.1", "simplex.lem4.1"),
        ("lem 4.1", "simplex.lem4.1"),
        ("hybrid Appendix D.3", "hybrid.thm3.5.bound/step49"),
        ("Algorithm 1", "simplex.alg1"),
        ("simplex Figure 7", "simplex.fig7"),
    ],
)
def test_statements_are_found_by_number(asked: str, among: str) -> None:
    assert among in index.find_statements(asked)


def test_a_number_in_several_sources_needs_a_source() -> None:
    with pytest.raises(InvalidInput, match=r"chefs.*hybrid.*such as 'chefs Theorem 3\.5'"):
        index.find_statements("Theorem 3.5")
    assert index.find_statements("Theorem 3.5", "hybrid") == index.find_statements("hybrid Theorem 3.5")


@pytest.mark.parametrize(
    ("asked", "offered"),
    [
        ("simplex.thm3.5", ["chefs.thm3.5", "hybrid.thm3.5", "simplex.thm3.4"]),
        ("hybrid.thm3.9", ["hybrid.thm3.5"]),
        ("simplex.lem4.11", ["simplex.lem4.1"]),
        ("hybird.thm3.5", ["hybrid.thm3.5"]),
    ],
)
def test_suggestions_help(asked: str, offered: list[str]) -> None:
    with pytest.raises(UnknownName) as caught:
        index.find_statements(asked)
    assert all(repr(one) in str(caught.value) for one in offered)
    assert "rftheory list statements" in str(caught.value)


def test_every_id_and_every_number_of_its_own_finds_itself() -> None:
    for identifier in CATALOGUE.claims:
        assert identifier in index.find_statements(identifier)
        source = identifier.partition(".")[0]
        for kind, number in index.places(identifier):
            assert identifier in index.find_statements(f"{source} {kind} {number}")


def test_sources_are_found_in_any_case_and_ranges_of_equations_end() -> None:
    assert index.find_statements("SIMPLEX") == index.find_statements("simplex")
    assert ("equation", "999") in index.places(f"(998)-({10**15})")


def test_names_that_nobody_knows() -> None:
    for find in (index.find_statements, index.find_derivations, index.find_formula, index.find_figure):
        for name in ("", "nosuch", "(", "*", "..", "Theorem", "a" * 500, "é", "Theorem 3.2 nosuch"):
            with pytest.raises((UnknownName, InvalidInput)):
                find(name)


def test_a_part_of_a_statement_is_derived_with_the_whole() -> None:
    assert index.find_derivations("simplex.lem4.1/(52)") == ["simplex.lem4.1"]
    with pytest.raises(InvalidInput, match="verify"):
        index.find_derivations("simplex.tab2")


def test_search_takes_words_and_numbers() -> None:
    assert all("hybrid" in name for _, name, _ in index.search(["hybrid", "fails"], ["statements"]))
    assert {kind for kind, _, _ in index.search(["conformity"])} >= {"statements", "formulas", "derivations"}
    numbered = index.search(["Theorem", "3.5"])
    assert {name.partition(".")[0] for kind, name, _ in numbered if kind == "statements"} == {
        "chefs",
        "hybrid",
    }


def test_the_file_has_an_entry_a_line() -> None:
    text = index.FILE.read_text(encoding="utf-8")
    assert len(text.splitlines()) > sum(len(entries) for entries in json.loads(text).values())
