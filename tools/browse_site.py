"""Look at a site in a headless browser: search, errors on the console, and the width on a phone.

    python tools/browse_site.py FOLDER [--pages N]

Exit codes: 0 nothing found, 1 something found (printed), 3 no browser is installed (it says what to install).
"""

from __future__ import annotations

import argparse
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WIDTH = 390
MISSING = "no browser was found: install Chromium (Debian, Ubuntu: apt install chromium) to have the site tested in it"

HARNESS = """<!doctype html><meta charset="utf-8"><body><pre id="said"></pre><script>
const pages = PAGES, said = [];
async function look(page) {
  const frame = document.createElement("iframe");
  frame.style.width = "WIDTHpx"; frame.style.height = "800px";
  const loaded = new Promise(done => { frame.onload = done; });
  frame.src = page; document.body.appendChild(frame);
  await loaded;
  const inside = frame.contentDocument, root = inside.scrollingElement;
  const broken = [...inside.images].filter(i => i.loading !== "lazy" && i.complete && !i.naturalWidth).map(i => i.src);
  said.push({page: page, width: root.scrollWidth, broken: broken, heading: !!inside.querySelector("h1")});
  frame.remove();
}
(async () => {
  for (const page of pages) { await look(page); }
  document.getElementById("said").textContent = JSON.stringify(said);
})();
</script>"""


def browser() -> str | None:
    """The browser that is installed, or None."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def opened(page: str, seconds: int = 60) -> tuple[str, list[str]]:
    """The document after its scripts have run, and what the console says of the pages."""
    command = browser()
    assert command is not None
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [
                command, "--headless", "--no-sandbox", "--disable-gpu", "--disable-web-security",
                "--allow-file-access-from-files", f"--user-data-dir={profile}", "--enable-logging=stderr", "--v=0",
                f"--virtual-time-budget={seconds * 1000}", "--dump-dom", page,
            ],
            capture_output=True, text=True, timeout=seconds * 5,
        )  # fmt: skip
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line or "Uncaught" in line]
    return done.stdout, console


def faults(folder: Path, count: int | None = None) -> list[str]:
    """What is wrong with a site, as a browser sees it."""
    found: list[str] = []
    pages = sorted(folder.rglob("*.html"))
    step = 1 if count is None else max(1, len(pages) // count)
    chosen = [p for n, p in enumerate(pages) if n % step == 0 or p.parent == folder or p.name == "index.html"]
    with tempfile.TemporaryDirectory() as room:
        harness = Path(room) / "harness.html"
        names = json.dumps([page.as_uri() for page in chosen])
        harness.write_text(HARNESS.replace("PAGES", names).replace("WIDTH", str(WIDTH)), encoding="utf-8")
        document, console = opened(harness.as_uri(), 20 + len(chosen))
    found += [f"console: {line}" for line in console]
    said = re.search(r'<pre id="said">(.*?)</pre>', document, re.DOTALL)
    rows = json.loads(html.unescape(said[1])) if said and said[1] else []
    if len(rows) != len(chosen):
        found.append(f"only {len(rows)} of {len(chosen)} pages could be opened")
    for row in rows:
        if row["width"] > WIDTH + 1:
            found.append(f"{row['page']}: {row['width']} pixels wide on a phone of {WIDTH}")
        if not row["heading"]:
            found.append(f"{row['page']}: no heading")
        found += [f"{row['page']}: {image} does not load" for image in row["broken"]]
    for words, expected in (
        ("simplex.thm3.2", "statements/simplex.thm3.2.html"),
        ("conformity simplex", "formulas/"),
    ):
        document, console = opened((folder / "search.html").as_uri() + "?q=" + words.replace(" ", "+"), 10)
        listed = document.partition('id="found"')[2]
        if expected not in listed:
            found.append(f"search for {words!r} does not find {expected}")
        found += [f"console: {line}" for line in console]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, help="about so many pages, in place of all")
    options = parser.parse_args()
    if browser() is None:
        print(MISSING)
        return 3
    found = faults(options.folder.resolve(), options.pages)
    print("\n".join(found) if found else "looked at in a browser: nothing wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
