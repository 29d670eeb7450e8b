"""A run of many chunks that is killed again and again, and goes on from its record each time.

    python benchmarks/killed_run.py --chunks 100000 --kills 100 --write

``--write`` stores the table under ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from rftheory.engine import Moments, collect

RESULTS = Path(__file__).parent / "results" / "killed_run.md"
LEAF = 4


def waves(blocks: range) -> np.ndarray:
    """Something cheap whose sum depends on the order of its terms in the last bits."""
    index = np.arange(blocks.start, blocks.stop, dtype=np.float64)
    return np.asarray(np.exp(np.sin(index * 0.7)))


def long_run(record: Path, chunks: int) -> Moments:
    """A run of so many chunks of one leaf each."""
    blocks = chunks * LEAF
    return collect(Moments, waves, blocks, leaf=LEAF, chunk_leaves=1, record=record, job={"what": "waves"})


def killed_run(chunks: int, kills: int, seed: int = 0) -> dict[str, int | bool | str]:
    """Kill the run at so many random places of its record, let it go on, and compare with a run that was not killed."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        whole, broken = Path(folder) / "whole.jsonl", Path(folder) / "broken.jsonl"
        wanted = long_run(whole, chunks)
        size = whole.stat().st_size
        killed = torn = 0
        for place in sorted(rng.uniform(0.0, 1.0) * size for _ in range(kills)):
            if killed_at(broken, chunks, place):
                killed += 1
                torn += not broken.read_bytes().endswith(b"\n")
        found = long_run(broken, chunks)
        return {
            "chunks": chunks, "kills": killed, "of them in the middle of a line": torn,
            "the same answer, to the bit": found == wanted,
            "the same record": whole.read_bytes() == broken.read_bytes(),
        }  # fmt: skip


def killed_at(record: Path, chunks: int, place: float) -> bool:
    """Run until the record is so long, then kill; whether it was still running."""
    process = subprocess.Popen([sys.executable, __file__, "--chunks", str(chunks), "--child", str(record)])
    while process.poll() is None:
        if record.exists() and record.stat().st_size >= place:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True
        time.sleep(0.0005)
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--write", action="store_true", help="store the table under benchmarks/results")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        long_run(options.child, options.chunks)
        return
    words = {True: "yes", False: "no"}
    found = killed_run(options.chunks, options.kills)
    rows = [
        f"| {name} | {words[value] if isinstance(value, bool) else value} |" for name, value in found.items()
    ]
    text = "\n".join(["# A run that is killed again and again", "", "| | |", "|---|---|", *rows]) + "\n"
    print(text)
    if options.write:
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
