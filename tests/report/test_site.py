"""The site: a page for every id, no broken link, nothing from outside, formulas well-formed; and in a browser."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import rftheory.choose
from rftheory.cli import main
from rftheory.errors import InvalidInput
from rftheory.exact import find_formula, formulas, limits
from rftheory.exact.proof import derivations
from rftheory.index import names
from rftheory.papers import CATALOGUE
from rftheory.report import Report
from rftheory.report.formulas import mathml, prose
from rftheory.report.judging import Settings, judge_all
from rftheory.report.pages import slug
from rftheory.report.reference import entries, modules
from rftheory.report.site import POINTS, build, code_of, law_of, mechanism_table, table

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import browse_site  # noqa: E402

pytestmark = pytest.mark.slow
JUDGED = (
    "simplex.cor3.3",
    "simplex.cor3.3.corrected",
    "simplex.lem4.1",
    "rff.impl1",
    "simplex.thm3.2/isotropy",
)
MATH = re.compile(r"<math.*?</math>", re.DOTALL)
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Page(HTMLParser):
    """A page without its formulas, which XML's own parser reads below: links, ids, and tags that do not close."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.links, self.ids, self.open, self.wrong = path, [], set(), [], []
        self.loaded: list[str] = []
        self.feed(MATH.sub("", path.read_text(encoding="utf-8")))
        self.wrong += [f"{tag} not closed" for tag in self.open]

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if given.get("id"):
            self.ids.add(given["id"])
        for key in ("href", "src", "action"):
            if given.get(key) is not None:
                self.links.append(str(given[key]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in ("p", "li", "td", "tr", "th") and tag not in self.open:
            self.wrong.append(f"/{tag} closes nothing")
        elif self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.wrong.append(f"/{tag} where {self.open[-1:]} is open")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    claims = [CATALOGUE.claims[one] for one in JUDGED]
    report = Report(judge_all(claims, Settings(quick=True)), {"quick": True, "seed": 0}).to_dict()
    build(folder, json.loads(json.dumps(report)), ROOT)
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def test_everything_has_a_page(site: Path) -> None:
    for folder, ids in (
        ("statements", CATALOGUE.claims), ("proofs", derivations()), ("formulas", names("formulas")),
        ("mechanisms", names("mechanisms")), ("figures", names("figures")),
    ):  # fmt: skip
        missing = [one for one in ids if not (site / folder / f"{slug(one)}.html").is_file()]
        assert not missing, f"{folder}: {missing}"
        lowered = [slug(one).lower() for one in ids]
        assert len(set(lowered)) == len(lowered), "two ids share a page on a file system without capitals"
    assert {path.stem for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")} <= {
        path.stem for path in (site / "notebooks").iterdir()
    }


def test_links_lead_somewhere_on_the_site(site: Path, pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            if link.startswith("data:"):
                continue
            assert not re.match(r"[a-z]+:|//", link), f"{path}: {link} leads outside"
            address, _, fragment = link.partition("#")
            target = (path.parent / unquote(address)).resolve() if address else path
            if not target.is_file():
                broken.append(f"{path.relative_to(site)}: {link}")
            elif fragment and target in pages and fragment not in pages[target].ids:
                broken.append(f"{path.relative_to(site)}: {link} (no such place)")
    assert not broken, broken[:20]


def test_tags_close(pages: dict[Path, Page]) -> None:
    wrong = {str(path): page.wrong[:3] for path, page in pages.items() if page.wrong}
    assert not wrong, dict(list(wrong.items())[:5])


def test_formulas_are_well_formed(site: Path) -> None:
    seen = set()
    for path in site.rglob("*.html"):
        for found in re.findall(r"<math.*?</math>", path.read_text(encoding="utf-8"), re.DOTALL):
            if found not in seen:
                seen.add(found)
                ET.fromstring(found)
    assert len(seen) > 2000


def test_no_formula_is_left_as_latex(site: Path) -> None:
    for path in site.rglob("*.html"):
        if path.parent.name in (
            "docs",
            "notebooks",
        ):  # code and plain text; a quotation is as its source has it
            continue
        text = re.sub(
            r"<(code|pre|blockquote).*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL
        )
        assert not re.search(r"\\[a-zA-Z]{2,}", text), path


def test_a_page_of_a_statement_says_all(site: Path) -> None:
    text = (site / "statements" / f"{slug('simplex.cor3.3')}.html").read_text(encoding="utf-8")
    for words in (
        "fails, certified",
        "Corollary 3.3",
        "counterexample d = 2, m = 2, v = 0",
        "Correction",
        "simplex.cor3.3.corrected",
    ):
        assert words in text, words
    corrected = (site / "statements" / f"{slug('simplex.cor3.3.corrected')}.html").read_text(encoding="utf-8")
    assert "planted error was refuted" in corrected
    sampled = (site / "statements" / "rff.impl1.html").read_text(encoding="utf-8")
    assert "effect that it would see with probability 0.999" in sampled
    proof = (site / "statements" / "simplex.lem4.1.html").read_text(encoding="utf-8")
    assert "Proof:" in proof
    assert 'class="proved"' in proof
    assert "Not judged" in (site / "statements" / "simplex.thm3.4.html").read_text(encoding="utf-8")


def test_a_page_of_a_formula_has_values(site: Path) -> None:
    text = (site / "formulas" / "simrf_conformity.html").read_text(encoding="utf-8")
    assert "1.25562116814909297204161425812823027506453137096" in text
    assert "double sum (24)" in text
    without = [
        name for name in formulas()
        if "None at the points" in (site / "formulas" / f"{slug(name)}.html").read_text(encoding="utf-8")
    ]  # fmt: skip
    assert len(without) <= 5, without


def test_the_reference_has_every_public_name_with_its_signature(site: Path) -> None:
    page = (site / "reference" / "rftheory.choose.html").read_text(encoding="utf-8")
    for name in rftheory.choose.__all__:
        assert f'<h2 id="{name}">' in page
    assert "read_table(path: str | Path, columns: str | None = None) -&gt; np.ndarray" in page
    assert "kernel: Kernel = &#39;gaussian&#39;" in page
    told = (path.read_text(encoding="utf-8") for path in (site / "reference").iterdir())
    assert not any(re.search(r"at 0x[0-9a-f]{6}", text) for text in told), "another page in every run"
    assert {module.__name__ for module in modules()} <= {path.stem for path in (site / "reference").iterdir()}
    assert not [entry.name for module in modules() for entry in entries(module) if entry.kind != "value"
                and not entry.sections]  # fmt: skip


def test_search_entries_are_whole(site: Path) -> None:
    text = (site / "static" / "entries.js").read_text(encoding="utf-8")
    entries = json.loads(text.removeprefix("window.RFT_ENTRIES = ").rstrip().rstrip(";"))
    assert all((site / path.partition("#")[0]).is_file() for _, _, path, _ in entries)
    assert set(CATALOGUE.claims) <= {name for _, name, _, _ in entries}


@pytest.mark.skipif(browse_site.browser() is None, reason=browse_site.MISSING)
def test_in_a_browser(site: Path) -> None:
    assert browse_site.faults(site, 60) == []


def test_a_page_too_wide_is_noticed(tmp_path: Path) -> None:
    if browse_site.browser() is None:
        pytest.skip(browse_site.MISSING)
    (tmp_path / "wide.html").write_text(
        '<!doctype html><h1>a</h1><div style="width:900px">b</div><script>nosuch()</script>', encoding="utf-8"
    )
    found = "\n".join(browse_site.faults(tmp_path))
    assert "900 pixels wide" in found or "908 pixels wide" in found
    assert "console" in found
    assert "search" in found


def test_something_else_is_no_report(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="verify --json"):
        build(tmp_path, {"schema": "rftheory.errata/1"})
    (tmp_path / "a.json").write_text("[1", encoding="utf-8")
    assert main(["site", str(tmp_path / "out"), "--report", str(tmp_path / "a.json")]) == 2
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("keep me", encoding="utf-8")
    (tmp_path / "r.json").write_text('{"schema": "rftheory.report/2", "claims": []}', encoding="utf-8")
    assert main(["site", str(tmp_path / "full"), "--report", str(tmp_path / "r.json")]) == 2
    assert (tmp_path / "full" / "mine").read_text(encoding="utf-8") == "keep me"


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "simplex.cor3.3", "--quick"],
        ["errata", "simplex.cor3.3", "--jobs", "1"],
        ["derive", "simplex.cor3.3"],
    ],
)
def test_single_pages_stand_alone(tmp_path: Path, arguments: list[str]) -> None:
    file = tmp_path / "page.html"
    assert main([*arguments, "--html", str(file)]) == 0
    page = Page(file)
    assert not page.wrong
    assert all(link.startswith("#") for link in page.links), page.links
    text = file.read_text(encoding="utf-8")
    assert "<style>" in text
    assert "<math" in text
    assert "simplex.cor3.3" in text


def test_text_of_others_is_escaped() -> None:
    assert "<script>" not in prose("<script>alert(1)</script> $<script>x</script>$")
    assert "<b>" not in mathml("<b>")


@pytest.mark.parametrize(
    "name", ["RFF", "SimRF", "FAVOR++", "gerf", "poisson", "geometric", "complex-exponential"]
)
def test_the_code_of_a_mechanism_runs(name: str) -> None:
    room: dict[str, object] = {}
    exec(code_of(name, names("mechanisms")[name]), room)
    assert room["estimates"].shape == (10,)  # type: ignore[attr-defined]


def test_tables_show_the_same_on_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(*_: object) -> None:
        raise AssertionError("what is shown must not depend on a number of seconds")

    monkeypatch.setattr(limits, "alarm", limited)
    assert len(list(table(find_formula("trig_moment_simrf")))) == POINTS
    assert len({point for point, _, _ in table(find_formula("orf_conformity_even"))}) == POINTS
    assert all(value for _, value, _ in law_of("SimRF", names("mechanisms")["SimRF"]))
    assert mechanism_table("gap")
