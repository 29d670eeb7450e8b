"""The house keeps its own rules: declared imports, locked dependencies, one version, commands that exist.

Each rule is a function that lists what breaks it. It is run on the repository, where the list must be
empty, and on a planted error, where it must not be.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from types import ModuleType, SimpleNamespace

import grimp
import jupytext
import pytest
from hypothesis import given, settings, strategies
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUN_LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
TEST_LOCK = (ROOT / "requirements-test.lock").read_text(encoding="utf-8")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")

# Import names that differ from the name of the distribution in more than the underscore.
DISTRIBUTIONS = {
    "cupy": {"cupy-cuda12x", "cupy-cuda13x"},
    "cupyx": {"cupy-cuda12x", "cupy-cuda13x"},
    "flint": {"python-flint"},
    "llvmlite": {"numba"},  # Numba's own back end, of the version that it asks for
    "markdown_it": {"markdown-it-py"},
    "markupsafe": {"jinja2"},  # what its templates are made of
    "mpl_toolkits": {"matplotlib"},
    "sklearn": {"scikit-learn"},
}


def requirements(*extras: str) -> list[Requirement]:
    """The core dependencies and those of the extras; an extra that names other extras is followed."""
    lines = list(PROJECT["project"]["dependencies"])
    for extra in extras:
        lines += PROJECT["project"]["optional-dependencies"][extra]
    found = []
    for requirement in map(Requirement, lines):
        if requirement.name == PROJECT["project"]["name"]:
            found += requirements(*requirement.extras)
        else:
            found.append(requirement)
    return found


# Imports


def third_party_imports(source: str) -> set[str]:
    """Top-level names that the source imports anywhere, less the standard library and the package itself."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - {"rftheory"}


def undeclared(names: Iterable[str]) -> set[str]:
    """The imported names whose distribution no dependency and no extra declares."""
    declared = {canonicalize_name(r.name) for r in requirements(*PROJECT["project"]["optional-dependencies"])}
    return {name for name in names if not DISTRIBUTIONS.get(name, {canonicalize_name(name)}) <= declared}


def test_every_import_is_declared() -> None:
    missing = {
        str(path.relative_to(ROOT)): names
        for path in sorted((ROOT / "rftheory").rglob("*.py"))
        if (names := undeclared(third_party_imports(path.read_text(encoding="utf-8"))))
    }
    assert not missing, f"declare in pyproject.toml: {missing}"


def test_an_undeclared_import_is_found() -> None:
    source = (
        "import os, numpy.linalg\ndef f():\n    from leftpad.core import pad\n    from . import sibling\n"
    )
    assert third_party_imports(source) == {"numpy", "leftpad"}
    assert undeclared({"numpy", "sklearn", "cupy", "leftpad"}) == {"leftpad"}


# Imports every part in a process in which the named modules cannot be imported.
IMPORT_WITHOUT = """
import importlib, sys
blocked = set(sys.argv[1].split(","))
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Block())
for name in sys.argv[2:]:
    importlib.import_module(name)
"""


def circle(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """Files that import each other, the first one again at the end; empty if there are none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as found:
        return list(found.args[1])
    return []


def test_no_files_import_each_other() -> None:
    """Imports inside functions count; those of a package's front room, which gathers its files, do not."""
    graph = grimp.build_graph("rftheory", cache_dir=None, exclude_type_checking_imports=True)
    files = {module for module in graph.modules if not graph.find_children(module)}
    assert not circle({file: graph.find_modules_directly_imported_by(file) & files for file in files})


def test_a_circle_is_found() -> None:
    assert circle({"a": ["b"], "b": ["c"], "c": ["b"]}) in (["b", "c", "b"], ["c", "b", "c"])


def import_without(blocked: set[str], modules: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", IMPORT_WITHOUT, ",".join(sorted(blocked)), *modules]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_parts_import_with_the_core_dependencies_alone() -> None:
    core = {canonicalize_name(r.name) for r in requirements()}
    every = {canonicalize_name(r.name) for r in requirements(*PROJECT["project"]["optional-dependencies"])}
    blocked = {name.replace("-", "_") for name in every - core}
    for module, names in DISTRIBUTIONS.items():
        if not names <= core:
            blocked.add(module)
    # interop and the plugin serve optional libraries: they are imported only by those who have them.
    parts = [
        f"rftheory.{path.stem}"
        for path in sorted((ROOT / "rftheory").iterdir())
        if (path.suffix == ".py" or (path / "__init__.py").exists())
        and path.stem not in {"__init__", "__main__", "interop", "pytest_plugin"}
    ]
    assert "rftheory.exact" in parts
    result = import_without(blocked, parts)
    assert result.returncode == 0, result.stderr


def test_a_part_that_needs_a_blocked_library_does_not_import() -> None:
    result = import_without({"numpy"}, ["numpy.linalg"])
    assert result.returncode != 0
    assert "No module named 'numpy'" in result.stderr


# Locks


def pins(lock: str) -> Iterator[tuple[Requirement, int]]:
    """The pinned requirements of a lock, each with the number of its hashes."""
    for block in re.sub(r"\\\n", " ", lock).splitlines():
        line = block.partition("#")[0].strip()
        if line:
            requirement, *hashes = line.split("--hash=sha256:")
            yield Requirement(requirement.strip()), len(hashes)


def pinned_versions(lock: str, python: str) -> dict[str, list[Version]]:
    """Versions by package that the lock gives to this Python on Linux."""
    environment = {
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "python_full_version": f"{python}.0",
        "python_version": python,
        "sys_platform": "linux",
    }
    versions: dict[str, list[Version]] = {}
    for requirement, _ in pins(lock):
        if requirement.marker is None or requirement.marker.evaluate(environment):
            (pin,) = requirement.specifier
            versions.setdefault(canonicalize_name(requirement.name), []).append(Version(pin.version))
    return versions


def foreign(lock: str) -> list[str]:
    """Addresses, paths and pip options other than --hash: they tie a lock to the machine that made it."""
    return re.findall(r"\S*(?:://|www\.|file:|@ )\S*|^\s*-(?!-hash=sha256:).*", lock, flags=re.MULTILINE)


def lock_problems(lock: str, wanted: list[Requirement]) -> list[str]:
    """Requirements that the lock does not meet on a supported Python, and lines that are not a hashed pin."""
    problems = [f"{pin}: no hash" for pin, hashes in pins(lock) if hashes == 0]
    problems += [
        f"{pin}: not one pin" for pin, _ in pins(lock) if not re.fullmatch("==[^,*]+", str(pin.specifier))
    ]
    problems += foreign(lock)
    for python in PYTHONS:
        versions = pinned_versions(lock, python)
        problems += [
            f"Python {python}: two versions of {n}" for n, found in versions.items() if len(found) != 1
        ]
        for requirement in wanted:
            found = versions.get(canonicalize_name(requirement.name), [])
            if not any(version in requirement.specifier for version in found):
                problems.append(f"Python {python}: {requirement} not met, pinned {found}; run make lock")
    return problems


def test_locks_pin_every_dependency_with_hashes_and_no_address() -> None:
    build = list(
        map(Requirement, PROJECT["dependency-groups"]["build"] + PROJECT["build-system"]["requires"])
    )
    assert not lock_problems(RUN_LOCK, requirements("digits", "fast") + build)
    assert not lock_problems(TEST_LOCK, requirements("test") + build)


def test_planted_errors_in_a_lock_are_found() -> None:
    wanted = [Requirement("numpy>=2.0")]
    digest = " --hash=sha256:" + "0" * 64
    good = "numpy==2.4.6 \\\n   " + digest + "\n    # via rftheory (pyproject.toml)\n"
    assert not lock_problems(good, wanted)
    assert lock_problems("numpy==1.26.4" + digest, wanted)
    assert lock_problems("numpy==2.4.6", wanted)
    assert lock_problems("numpy>=2.4" + digest, wanted)
    assert lock_problems("numpy==2.4.6 ; python_full_version < '3.14'" + digest, wanted)
    assert lock_problems(good + "numpy==2.5.5 ; python_full_version >= '3.12'" + digest, wanted)
    assert lock_problems("scipy==1.17.1" + digest, wanted)


def test_addresses_in_a_lock_are_found() -> None:
    for line in (
        "--index-url https://example.org/simple",
        "-i example.org",
        "--find-links wheels",
        "numpy @ file:///wheels/numpy.whl",
        "# from www.example.org",
    ):
        assert foreign(f"numpy==2.4.6\n{line}\n"), line


def test_the_test_lock_contains_the_run_lock() -> None:
    run, test = ({str(pin) for pin, _ in pins(lock)} for lock in (RUN_LOCK, TEST_LOCK))
    assert run <= test, f"make lock again: {sorted(run - test)}"


# Version, commands, notebooks


def test_the_version_has_one_source() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert "version" not in PROJECT["project"]
    source = ROOT / PROJECT["tool"]["hatch"]["version"]["path"]
    assignments = {
        path: re.findall(r'^__version__\s*=\s*"(.+)"$', path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for path in (ROOT / "rftheory").rglob("*.py")
    }
    ((path, (version,)),) = ((path, found) for path, found in assignments.items() if found)
    assert path == source
    assert str(Version(version)) == version


def missing_targets(text: str, makefile: str) -> set[str]:
    """Targets that the text tells the reader to make and that the Makefile does not have."""
    code = "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text, flags=re.DOTALL))
    named = set(re.findall(r"\bmake (?:[A-Z_]+=\S+ )*([a-z]+)", code))
    return named - set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE))


def test_commands_of_the_readme_exist() -> None:
    readme, makefile = (
        (ROOT / "README.md").read_text(encoding="utf-8"),
        (ROOT / "Makefile").read_text(encoding="utf-8"),
    )
    assert not missing_targets(readme, makefile)
    assert "make verify" in readme
    assert "make test" in readme


def test_a_command_that_does_not_exist_is_found() -> None:
    assert missing_targets("run `make PYTHON=python3.12 verify` or\n```\nmake tea\n```\n", "verify: x\n") == {
        "tea"
    }


def unknown_options(text: str, source: str) -> set[str]:
    """Options that the text gives to tools/gpu_environment.py and that its source does not declare."""
    calls = re.findall(r"tools/gpu_environment\.py ([^\n`]*)", text)
    return {
        option for call in calls for option in re.findall(r"--[a-z]+", call) if f'"{option}"' not in source
    }


def test_options_of_the_device_page_exist() -> None:
    page = (ROOT / "docs" / "gpu.md").read_text(encoding="utf-8")
    source = (ROOT / "tools" / "gpu_environment.py").read_text(encoding="utf-8")
    assert not unknown_options(page, source)
    assert unknown_options("python tools/gpu_environment.py --fill wheels --tea", source) == {"--tea"}


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_driver_is_looked_for_before_anything_is_fetched(tmp_path: Path) -> None:
    def commands(*words: str) -> str:
        surroundings = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        dry = ["make", "--dry-run", *words, f"GPU_VENV={tmp_path / 'none'}"]
        return subprocess.run(
            dry, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=True
        ).stdout

    for words in ((), ("WHEELS=wheels",), ("SYSTEM=yes",)):
        before, asked, after = commands("gpu", *words).partition("gpu_environment.py --driver")
        assert asked
        assert not re.search("-m venv|-m pip|--target", before)
        makes_one = "SYSTEM=yes" not in words  # a Python that makes no environments will do
        assert ("ensurepip" in before) == makes_one
        assert re.search("-m pip|--target", after)
    assert "--driver" not in commands("gpu-wheels", "WHEELS=wheels")


def test_a_machine_without_a_device_is_known_by_its_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("gpu_environment", ROOT / "tools" / "gpu_environment.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.no_device("libnone.so").startswith("there is no driver (libnone.so: cannot open")

    def driver(code: int, devices: int) -> SimpleNamespace:
        return SimpleNamespace(
            cuInit=lambda flags: code, cuDeviceGetCount=lambda at: setattr(at._obj, "value", devices) or 0
        )

    for answers, said in (((100, 0), "error 100"), ((0, 0), "has none"), ((0, 2), "")):
        monkeypatch.setattr("ctypes.CDLL", lambda name, answers=answers: driver(*answers))
        assert tool.no_device().endswith(said)
        assert bool(tool.no_device()) is bool(said)


def test_ci_runs_the_test_command_of_the_readme() -> None:
    ci = ROOT / ".ci" / "run"
    assert os.access(ci, os.X_OK)
    assert re.search(r"^exec make test\b", ci.read_text(encoding="utf-8"), flags=re.MULTILINE)


def notebook_problems(folder: Path) -> list[str]:
    """Notebooks whose .py and .ipynb differ in a cell, lack one of the two, or were not executed.

    Files that start with an underscore are helpers. nbval compares the stored outputs; where none are
    stored it compares nothing, hence the last condition.
    """
    texts = {path.stem for path in folder.glob("*.py") if not path.name.startswith("_")}
    problems = []
    for name in sorted(texts | {path.stem for path in folder.glob("*.ipynb")}):
        pair = [folder / f"{name}{suffix}" for suffix in (".py", ".ipynb")]
        absent = [path.name for path in pair if not path.exists()]
        problems += [f"{path}: missing" for path in absent]
        if absent:
            continue
        text, notebook = (jupytext.read(path).cells for path in pair)
        if [(c.cell_type, c.source) for c in text] != [(c.cell_type, c.source) for c in notebook]:
            problems.append(f"{name}: the .py and the .ipynb differ; run make notebooks")
        code = [cell for cell in notebook if cell.cell_type == "code" and cell.source]
        if not all(cell.execution_count for cell in code):
            problems.append(f"{name}: not executed; run make notebooks")
    return problems


def test_notebooks_are_executed_and_synchronised_with_their_text() -> None:
    assert not notebook_problems(ROOT / "notebooks")


def write_pair(folder: Path, name: str, text: str, *, executed: bool) -> None:
    notebook = jupytext.reads(text, fmt="py:percent")
    for number, cell in enumerate(notebook.cells, start=1):
        if executed and cell.cell_type == "code":
            cell["execution_count"] = number
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    jupytext.write(notebook, folder / f"{name}.ipynb")


def test_faults_of_notebooks_are_found(tmp_path: Path) -> None:
    text = "# %% [markdown]\n# # Title\n\n# %%\nx = 1\nx + 1\n"
    (tmp_path / "_kit.py").write_text("helper = 1\n", encoding="utf-8")
    write_pair(tmp_path, "01_good", text, executed=True)
    assert not notebook_problems(tmp_path)
    write_pair(tmp_path, "02_drifted", text, executed=True)
    (tmp_path / "02_drifted.py").write_text(text.replace("x + 1", "x + 2"), encoding="utf-8")
    write_pair(tmp_path, "03_blank", text, executed=False)
    (tmp_path / "04_alone.py").write_text(text, encoding="utf-8")
    assert notebook_problems(tmp_path) == [
        "02_drifted: the .py and the .ipynb differ; run make notebooks",
        "03_blank: not executed; run make notebooks",
        "04_alone.ipynb: missing",
    ]


# Property tests


def drawn() -> list[int]:
    """The examples of a property test."""
    examples: list[int] = []

    @settings(max_examples=300)
    @given(strategies.integers())
    def anything_goes(example: int) -> None:
        examples.append(example)

    anything_goes()
    return examples


def test_examples_do_not_depend_on_the_modules_that_are_loaded(tmp_path: Path) -> None:
    before = drawn()
    path = tmp_path / "full_of_constants.py"
    path.write_text(f"CONSTANTS = {[7919 * 10**5 + 31 * k for k in range(500)]}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        sys.modules[path.stem] = module
        assert drawn() == before
    finally:
        del sys.modules[path.stem]


# Examples

EXEMPLARY = ("engine", "exact", "interop", "judge", "sample", "statement")
"""Packages in which every public function and class of every module has an example."""
EXPORTING = ("check", "engine", "judge", "papers", "report", "sample", "statement", "testing")
"""Packages in which every exported name has one, and every public method of an exported class a docstring."""
ROWS = ("evidence", "rules", "lemmas.py")
"""Kinds of evidence and rules of proof, which the rows of the papers show at work."""
OPTIONAL = ("gpytorch.py", "torch.py")
"""Modules that doctest does not collect, since their library need not be installed."""


def without_example(source: str) -> list[str]:
    """The public functions and classes of a module whose docstring has no example; overloads count once."""
    shown: dict[str, bool] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            text = ast.get_docstring(node) or ""
            shown[node.name] = shown.get(node.name, False) or ">>> " in text
    return [name for name, has in shown.items() if not has]


def test_every_public_name_has_an_example() -> None:
    missing = {
        str(path.relative_to(ROOT)): names
        for package in EXEMPLARY
        for path in sorted((ROOT / "rftheory" / package).rglob("*.py"))
        if not set(ROWS) & set(path.parts) and path.name not in OPTIONAL
        if (names := without_example(path.read_text(encoding="utf-8")))
    }
    assert not missing, f"add an example, or an underscore: {missing}"


def test_a_public_name_without_an_example_is_found() -> None:
    source = (
        'def shown():\n    """One.\n\n    >>> shown()\n    """\n'
        'def _private():\n    """Two."""\n'
        'def told():\n    """Three."""\n'
        "class Bare:\n    pass\n"
    )
    assert without_example(source) == ["told", "Bare"]


def poorly_documented(module: ModuleType) -> list[str]:
    """The exported functions and classes without an example, and methods of the latter without a docstring.

    A method that overrides a documented one needs no text of its own.
    """
    problems = []
    for name in module.__all__:
        found = getattr(module, name)
        if not (inspect.isclass(found) or inspect.isfunction(found)):
            continue
        if ">>> " not in (found.__doc__ or ""):
            problems.append(name)
        if inspect.isclass(found):
            own = [n for n, m in vars(found).items() if callable(m) or isinstance(m, METHODS)]
            told = {n for kin in found.__mro__ for n, m in vars(kin).items() if m.__doc__}
            problems += [f"{name}.{n}" for n in own if not n.startswith("_") and n not in told]
    return problems


METHODS = (property, classmethod, staticmethod)


def test_every_exported_name_has_an_example() -> None:
    modules = {package: importlib.import_module(f"rftheory.{package}") for package in EXPORTING}
    missing = {package: names for package, module in modules.items() if (names := poorly_documented(module))}
    assert not missing, f"add an example, or a docstring: {missing}"


def test_an_exported_name_without_an_example_is_found() -> None:
    class Shown:
        """One.

        >>> Shown()
        """

        def told(self) -> None:
            """Two."""

        @property
        def silent(self) -> int:
            return 3

    class Heir(Shown):
        """Four.

        >>> Heir()
        """

        def told(self) -> None:
            return None

    def bare() -> None:
        """Five."""

    module = ModuleType("planted")
    vars(module).update(
        __all__=["Shown", "Heir", "bare", "TABLE"], Shown=Shown, Heir=Heir, bare=bare, TABLE={}
    )
    assert poorly_documented(module) == ["Shown.silent", "bare"]
