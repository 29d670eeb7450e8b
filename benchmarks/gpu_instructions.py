"""Instructions a feature of the fused CUDA kernels, counted in their machine code, and the speed that they allow.

The kernels are compiled for four generations of devices as the library compiles them, and disassembled. What stands in
the loop over blocks is counted once for each block and lane, what ends several blocks at a time once for all of them,
whether or not a branch leaves it out; subroutines for exceptional arguments are not counted. From the counts follow
bounds: no kernel runs faster than its instructions are issued, nor than any unit takes its share of them. Nothing runs
on a device: these are bounds, not measurements, and they rest on the rates below.

Run: ``python benchmarks/gpu_instructions.py [--write]``; nvcc and nvdisasm must be on the path. ``--write`` stores the
counts under ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from rftheory.sample.kernels_cuda import OPTIONS, Sizes, grid

RESULTS = Path(__file__).parent / "results"
COUPLINGS = ("iid", "orthogonal", "simplex")
FEATURES = ("positive", "trigonometric")
GOALS = {True: 2.5e11, False: 1.2e11}
"""Features a second that are asked for of orthogonal and simplex projections, with fast and with accurate functions."""


class Card(NamedTuple):
    """A device that stands for its generation: processors, and the clock in hertz that its maker states as boost."""

    name: str
    processors: int
    clock: float


CARDS = {
    "sm_80": Card("A100 SXM", 108, 1.41e9),
    "sm_90": Card("H100 SXM", 132, 1.755e9),
    "sm_100": Card("B200", 148, 1.85e9),
    "sm_120": Card("RTX 5090", 170, 2.407e9),
}

LIKELY = 0.7
"""Share of its bound that a kernel is predicted to reach: a guess made before anything was measured, and kept so that
predictions are not fitted to measurements."""

BLOCKS = 2**26
"""Of the launch whose last wave is looked at, as in ``sampling_gpu.py``."""

_COMMON = {"issue": 128, "special": 16, "wide": 32, "integer": 64, "float": 128, "shuffle": 32, "memory": 32}
RATES = {
    "sm_80": _COMMON | {"float": 64, "double": 32},
    "sm_90": _COMMON | {"double": 64},
    "sm_100": _COMMON | {"double": 64},
    "sm_120": _COMMON | {"double": 2},
}
"""Assumed results a clock of one processor. Special: MUFU and conversions. Wide: IMAD.WIDE (counters of an H100 agree
with 32). Integer: everything of the integer and logic unit, comparisons and selections among it."""

UNITS = (
    ("special", r"MUFU|F2F|F2I|I2F(?!P)|FRND"),
    ("wide", r"IMAD\.(WIDE|HI)"),
    ("double", r"D(FMA|ADD|MUL|SETP|MNMX)"),
    ("shuffle", r"SHFL"),
    ("memory", r"LD|ST|ATOM|RED"),
    ("float", r"F(FMA|ADD|MUL)|IMAD|HFMA2"),
    ("control", r"U[A-Z]|R2UR|BRA|BSSY|BSYNC|CALL|EXIT|NOP|WARPSYNC|S2R|CS2R|BAR|RET|BREAK"),
    ("integer", r"."),
)


class Instruction(NamedTuple):
    operation: str
    target: str


class Loop(NamedTuple):
    first: int
    last: int


def variants() -> list[Sizes]:
    """One pair, positive features in dimension 64 in all ways; trigonometric, large and many in one."""
    ways = [("float32", True), ("float32", False), ("float64", False)]
    made = [Sizes(64, 1, 1, c, 0, real, fast, True) for c in (0, 1, 2) for real, fast in ways]
    more = [
        Sizes(64, 1, 1, 2, 1, "float32", True, True),
        Sizes(64, 1, 1, 2, 1, "float32", False, True),
        Sizes(64, 1, 1, 2, 0, "float32", True, False),
        Sizes(512, 1, 1, 2, 0, "float32", True, True),
        Sizes(1024, 1, 1, 2, 0, "float32", False, True),
        Sizes(1024, 1, 1, 2, 0, "float64", False, True),
        Sizes(4096, 1, 1, 2, 0, "float32", True, True),
        Sizes(64, 4, 4, 2, 0, "float32", True, True),
        Sizes(64, 16, 16, 2, 0, "float32", True, True),
        Sizes(64, 16, 16, 2, 0, "float64", False, True),
    ]
    return made + more


def compiled(
    sizes: Sizes, name: str, architecture: str
) -> tuple[dict[str, int], list[Instruction], dict[str, int]]:
    """Return what ptxas says of a kernel, its instructions, and the labels among them."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder) / "fused.cu", Path(folder) / "fused.cubin"
        source.write_text(sizes.source())
        options = ("-cubin", f"-arch={architecture}", "-O3", *OPTIONS, "-Xptxas", "-v")
        command = ["nvcc", *options, str(source), "-o", str(binary)]
        log = subprocess.run(command, check=True, capture_output=True, text=True).stderr
        text = subprocess.run(
            ["nvdisasm", "-c", str(binary)], check=True, capture_output=True, text=True
        ).stdout
    return resources(log, name), *disassembled(text, name)


def resources(log: str, name: str) -> dict[str, int]:
    said = log.split(f"entry function '{name}'")[1].split("Compiling entry")[0]
    found = {
        key: re.search(rf"(\d+) {what}", said)
        for key, what in (
            ("registers", "registers"),
            ("stack bytes", "bytes stack"),
            ("spilled bytes", "bytes spill st"),
        )
    }
    shared = re.search(r"(\d+) bytes smem", said)
    return {key: int(hit[1]) for key, hit in found.items() if hit} | {
        "shared bytes": int(shared[1]) if shared else 0
    }


def disassembled(text: str, name: str) -> tuple[list[Instruction], dict[str, int]]:
    body = text.split(f"\n.text.{name}:\n")[1].split("\t.section")[0]
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}
    for line in body.splitlines():
        if label := re.match(r"(\S+):$", line):
            labels[label[1]] = len(instructions)
        elif found := re.match(r"\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)(.*);", line):
            target = re.search(r"`\((\S+?)\)", found[2])
            instructions.append(Instruction(found[1], target[1] if target else ""))
    return instructions, labels


def loops(instructions: list[Instruction], labels: dict[str, int]) -> list[Loop]:
    """Return the loops, the innermost first: every branch backwards closes one."""
    found = [
        Loop(labels[one.target], place)
        for place, one in enumerate(instructions)
        if one.operation.startswith("BRA") and labels.get(one.target, place) < place
    ]
    return sorted(found, key=lambda loop: loop.last - loop.first)


def unit(operation: str) -> str:
    return next(name for name, pattern in UNITS if re.match(pattern, operation))


def turns(sizes: Sizes) -> int:
    """Blocks that the lanes end together, as in the source."""
    return max(1, sizes.lanes // sizes.pairs)


def a_feature(sizes: Sizes, instructions: list[Instruction], nest: list[Loop]) -> dict[str, float]:
    """Return the instructions of each unit a feature: of the m = d that a block has, d / lanes in each lane.

    From inside: the loop over copies of D projections, the one over blocks that end together, unless there is but one,
    and the one over rounds.
    """
    inside = all(a.first >= b.first and a.last <= b.last for a, b in pairwise(nest))
    if len(nest) != (3 if turns(sizes) > 1 else 2) or not inside:
        raise SystemExit(
            f"{sizes}: the loops over rounds, blocks and copies are not where they should be: {nest}"
        )
    block, rounds = nest[1], nest[-1]
    total: Counter[str] = Counter()
    for place in range(rounds.first, rounds.last + 1):
        often = block.first <= place <= block.last
        total[unit(instructions[place].operation)] += 1.0 if often else 1.0 / turns(sizes)  # type: ignore[assignment]
    return {name: total[name] * sizes.lanes / sizes.d for name in sorted(total)}


def name_of(sizes: Sizes) -> dict[str, object]:
    """What tells the kernels of the table apart."""
    functions = "fast" if sizes.fast else "accurate"
    return {
        "kernel": f"{COUPLINGS[sizes.coupling]} {FEATURES[sizes.feature]}, {sizes.real}, {functions}",
        "d": sizes.d,
        "pairs": sizes.pairs,
        "whole": sizes.whole,
        "lanes": sizes.lanes,
    }


def measured(sizes: Sizes, architecture: str) -> float | None:
    """What `make gpu` measured last for a kernel; None if no report is stored, or that of another generation."""
    path, own = RESULTS / "gpu.json", name_of(sizes).items()
    part = json.loads(path.read_text())["parts"].get("benchmark", {}) if path.is_file() else {}
    if architecture != f"sm_{part.get('compute capability')}":
        return None
    return next((one["features a second"] for one in part["variants"] if own <= one.items()), None)


def row(sizes: Sizes, architecture: str) -> dict[str, object]:
    used, instructions, labels = compiled(sizes, "fused_power_sums", architecture)
    card, rates = CARDS[architecture], RATES[architecture]
    counts = a_feature(sizes, instructions, loops(instructions, labels))
    counts["issue"] = sum(counts.values())
    speed = card.processors * card.clock
    bounds = {name: speed * rate / counts[name] for name, rate in rates.items() if counts.get(name)}
    most = 48 if architecture == "sm_120" else 64
    warps = sizes.threads // 32
    resident = min(most, 65536 // (32 * -(-used["registers"] // 8) * 8)) // warps
    waves = grid(sizes, BLOCKS) / (resident * card.processors)
    return {
        "architecture": architecture,
        "card": card.name,
        **name_of(sizes),
        **used,
        "warps a processor": resident * warps,
        "share of the warps that fit": resident * warps / most,
        "last wave, share of the device kept busy": waves / -(-waves // 1),
        "instructions a feature": counts,
        "bound, features a second": min(bounds.values()),
        "bounded by": min(bounds, key=lambda name: bounds[name]),
        "issue bound, features a second": bounds["issue"],
        "share of the issue limit at the goal": GOALS[sizes.fast] / bounds["issue"],
        "predicted, features a second": LIKELY * min(bounds.values()),
        "measured, features a second": measured(sizes, architecture),
    }


def table(rows: list[dict[str, object]]) -> str:
    units = ("issue", "special", "wide", "integer", "float", "double", "shuffle", "memory", "control")
    heads = [
        "card",
        "kernel",
        "d",
        "pairs",
        "lanes",
        "regs",
        "spilled",
        "warps",
        *units,
        "bound",
        "by",
        "issue bound",
        "predicted",
        "measured",
    ]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for one in rows:
        counts = one["instructions a feature"]
        assert isinstance(counts, dict)
        kernel = f"{one['kernel']}{'' if one['whole'] else ', any m'}"
        cells = [
            f"{one['card']} ({one['architecture']})",
            kernel,
            *(one[key] for key in ("d", "pairs", "lanes", "registers", "spilled bytes", "warps a processor")),
        ]
        cells += [f"{counts.get(name, 0):.1f}" for name in units]
        cells += [f"{one['bound, features a second']:.1e}", one["bounded by"]]
        cells += [
            f"{one['issue bound, features a second']:.1e}",
            f"{one['predicted, features a second']:.1e}",
        ]
        known = one["measured, features a second"]
        cells += ["none yet" if known is None else f"{known:.1e}"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the result")
    options = parser.parse_args()
    missing = [tool for tool in ("nvcc", "nvdisasm") if shutil.which(tool) is None]
    if missing:
        raise SystemExit(f"nothing counted: {' and '.join(missing)} not on the path")
    rows = [row(sizes, architecture) for sizes in variants() for architecture in CARDS]
    print(table(rows))
    if options.write:
        said = subprocess.run(["nvcc", "--version"], check=True, capture_output=True, text=True).stdout
        version = re.search(r"release [\d.]+, V([\d.]+)", said)
        stored = {
            "what": "counted in machine code; nothing ran on a device",
            "nvcc": version[1] if version else "",
            "cards": {architecture: card._asdict() for architecture, card in CARDS.items()},
            "rates": RATES,
            "likely share of the bound": LIKELY,
            "rows": rows,
        }
        (RESULTS / "gpu_instructions.json").write_text(json.dumps(stored, indent=1) + "\n")
        (RESULTS / "gpu_instructions.md").write_text(f"{HEAD.format(nvcc=stored['nvcc'])}\n{table(rows)}\n")


HEAD = """# Instructions a feature of the fused CUDA kernels

Counted in the machine code that nvcc {nvcc} makes for each generation of devices, by
`python benchmarks/gpu_instructions.py --write`; nothing runs on a device for that. Kernel `fused_power_sums`, m = d
projections a block. Columns from "issue" to "control": instructions a feature and thread, all together and by unit; a
feature is one projection for all pairs. The bound is the least of what the units allow at the rates in that script,
with the processors and the boost clock of one card of the generation. "Predicted" is 70 % of the bound, a guess made
before anything was measured. A kernel that runs stays below its bound, and far below where few warps fit. On sm_100
and sm_120 loads of constants are instructions of their own, which count as memory. What is asked for of orthogonal and
simplex at d = 64 on an H100: 2.5e11 fast, 1.2e11 accurate. "Measured" is what `make gpu` stored in `gpu.json`, on an
H100 at 1.98 GHz, 13 % above the clock of the bounds; what its counters say is in `docs/gpu.md`.
"""


if __name__ == "__main__":
    main()
