# make verify     derive and test every claim of the catalogue again      (ARGS="..." goes to rftheory verify)
# make test       the tools and tests that every change has to pass       (PYTEST_ARGS="..." goes to pytest)
# make mutate     make every statement wrong in every way, count what is noticed, store the table
# make site       write the pages of everything into $(SITE), and look at them in a browser if there is one
# make index      write the names that `rftheory list` finds anew (after a change of a statement or a formula)
# make notebooks  execute the notebooks and store their outputs           (NOTEBOOK=notebooks/01_topic.py: one)
# make gpu        try out the CUDA device: kernels, draws, speed, verdicts, tests, figures; see docs/gpu.md
#                 (WHEELS=folder: no network; SYSTEM=yes: with the CuPy that PYTHON has; SECONDS=600: time for all)
# make gpu-wheels fill a folder for a machine without network: WHEELS=folder
# make gpu-compile   compile every variant of the CUDA kernels for four generations of devices; no device needed
# make lock       resolve the dependencies anew                           (UPGRADE=--upgrade for the newest)
# make clean      remove the environment and what the tools left behind
#
# verify and test set up their own environment in $(VENV) from the lock files, with hashes checked.
# It is made again when a lock file or the Python version changes. PYTHON=python3.13 takes another Python.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
UV ?= uv
ARGS ?=
PYTEST_ARGS ?=
UPGRADE ?=
SITE ?= public
SITE_ARGS ?=
GPU_VENV ?= .venv-gpu
GPU_REPORT ?= benchmarks/results/gpu.json
WHEELS ?=
SYSTEM ?=
SECONDS ?= 600
NOTEBOOK ?= $(wildcard notebooks/*.py)

BIN := $(VENV)/bin
# Three of four installed modules are never imported: Python compiles the others when it first does so.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-input --no-compile
PYTHON_VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
RUN_READY := $(VENV)/.run-$(PYTHON_VERSION)
TEST_READY := $(VENV)/.test-$(PYTHON_VERSION)
PACKAGE_READY := $(VENV)/.package-$(PYTHON_VERSION)
NOTEBOOKS := $(wildcard notebooks/*.ipynb)

# Settings of the surrounding shell must not shadow the locked packages, nor change what notebooks show.
unexport PYTHONPATH
unexport PYTHONHOME
unexport MPLBACKEND
# Bytecode is kept beside the sources, and git ignores it: without it every process compiles the package again, and
# pytest every test.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help verify mutate test site index notebooks gpu gpu-wheels gpu-compile lock clean python driver

help:
	@sed -n 's/^# //p;/^$$/q' Makefile

verify: $(RUN_READY) $(PACKAGE_READY)
	@$(BIN)/rftheory verify $(ARGS)

mutate: export OMP_NUM_THREADS := 1
mutate: $(RUN_READY) $(PACKAGE_READY)
	@$(BIN)/python benchmarks/mutations.py --write

# A run ends with the worker that was killed: with another in its place, pytest-xdist may wait forever.
IN_PARALLEL := -n $(JOBS) --dist loadfile --max-worker-restart=0

# Notebooks and types are checked while the tests leave a processor free: most kernels wait for it, so a cell may take
# as long as all tests.
NBVAL := $(if $(NOTEBOOKS),$(BIN)/python -m pytest -p no:cacheprovider -p tools.warm_kernels --nbval \
    --nbval-current-env --nbval-sanitize-with notebooks/sanitize.cfg --nbval-kernel-startup-timeout 3600 \
    --nbval-cell-timeout 3600 $(IN_PARALLEL) $(NOTEBOOKS),true)

# One thread a worker: the workers have the cores, and sums come in the same order everywhere.
test notebooks: export OMP_NUM_THREADS := 1
test notebooks: export OPENBLAS_NUM_THREADS := 1
# Fonts, histories and connections of matplotlib, IPython and Jupyter are kept here, not in the home of the user,
# where others use them at the same time: what they say of that would be taken for outputs of a notebook.
test notebooks: export MPLCONFIGDIR := $(abspath $(VENV))/matplotlib
test notebooks: export IPYTHONDIR := $(abspath $(VENV))/ipython
test notebooks: export JUPYTER_RUNTIME_DIR := $(abspath $(VENV))/jupyter
test: $(RUN_READY) $(TEST_READY) $(PACKAGE_READY)
	@echo "== ruff check: lint"
	@$(BIN)/ruff check --quiet .
	@echo "== ruff format: layout"
	@$(BIN)/ruff format --quiet --check . || { echo "layout differs: run $(BIN)/ruff format ."; exit 1; }
	@echo "== pytest: unit tests and doctests; beside them, in turn, import-linter: direction of imports, mypy: types;"
	@echo "   and nbval: notebooks give their stored outputs"
	@nice sh -c "$(BIN)/lint-imports --no-logo && exec $(BIN)/mypy" >$(VENV)/types 2>&1 & types=$$!; \
	    nice $(NBVAL) >$(VENV)/notebooks 2>&1 & notebooks=$$!; \
	    trap "kill $$types $$notebooks 2>/dev/null" EXIT; trap "exit 130" INT; failed=0; \
	    $(BIN)/python -m pytest $(IN_PARALLEL) $(PYTEST_ARGS) || failed=$$?; \
	    wait $$types || failed=$$?; cat $(VENV)/types; \
	    wait $$notebooks || failed=$$?; cat $(VENV)/notebooks; exit $$failed
	@echo "== all stages passed"

# The checks that are not slow are judged first; SITE_ARGS="--report v.json" takes a stored report.
site: export OMP_NUM_THREADS := 1
site: $(RUN_READY) $(TEST_READY) $(PACKAGE_READY)
	@$(BIN)/rftheory site $(SITE) --jobs $(JOBS) $(SITE_ARGS)
	@$(BIN)/python tools/browse_site.py $(SITE) --pages 150 || test $$? -eq 3

index: $(RUN_READY) $(PACKAGE_READY)
	@$(BIN)/python tools/index.py

notebooks: $(RUN_READY) $(TEST_READY) $(PACKAGE_READY)
	@$(BIN)/python tools/execute_notebooks.py $(NOTEBOOK)

# The device's environment is its own: its lock names CuPy and the parts of CUDA that it needs as wheels. With WHEELS
# nothing is fetched. With SYSTEM what $(PYTHON) has is taken as it is, and only what it lacks is added beside it.
GPU_READY := $(GPU_VENV)/.gpu-$(PYTHON_VERSION)$(if $(SYSTEM),-system)
NO_INDEX := $(if $(WHEELS),--no-index --find-links $(WHEELS))

gpu: $(GPU_READY)
ifneq ($(SYSTEM),)
	@PYTHONPATH=$(abspath $(GPU_VENV))/site:$(CURDIR) $(PYTHON) -m rftheory doctor --gpu --out $(GPU_REPORT) \
	    --seconds $(SECONDS) $(ARGS)
else
	@PYTHONPATH=$(CURDIR) $(GPU_VENV)/bin/python -m rftheory doctor --gpu --out $(GPU_REPORT) --seconds $(SECONDS) $(ARGS)
endif

# No wheel is fetched, and no environment made, for a machine without a device.
driver: | python
	@$(PYTHON) tools/gpu_environment.py --driver

$(GPU_READY): requirements-gpu.lock | driver
ifneq ($(SYSTEM),)
	@mkdir -p $(GPU_VENV)/site
	@$(PYTHON) tools/gpu_environment.py --target $(GPU_VENV)/site $(if $(WHEELS),--wheels $(WHEELS))
else
	@echo "== environment: $(GPU_VENV) with Python $(PYTHON_VERSION), from requirements-gpu.lock$(if $(WHEELS), and $(WHEELS))"
	@rm -rf $(GPU_VENV)
	@$(PYTHON) -m venv $(GPU_VENV)
	@$(GPU_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-input $(NO_INDEX) --require-hashes \
	    -r requirements-gpu.lock
endif
	@touch $@

gpu-wheels: | python
	@test -n "$(WHEELS)" || { echo "name a folder: make gpu-wheels WHEELS=folder" >&2; exit 1; }
	@$(PYTHON) tools/gpu_environment.py --fill $(WHEELS) $(if $(SYSTEM),--system)

gpu-compile: $(if $(wildcard $(GPU_VENV)/bin/python),,$(RUN_READY))
	@PYTHONPATH=$(CURDIR) $(if $(wildcard $(GPU_VENV)/bin/python),$(GPU_VENV),$(VENV))/bin/python -m benchmarks.gpu_compile

$(RUN_READY): requirements.lock | python
	@echo "== environment: $(VENV) with Python $(PYTHON_VERSION), from requirements.lock"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(PIP_INSTALL) --require-hashes -r requirements.lock
	@touch $@

# Meanwhile another processor compiles the kernels, for which the first tests would wait.
$(TEST_READY): requirements-test.lock $(RUN_READY)
	@echo "== environment: test tools, from requirements-test.lock"
	@$(BIN)/python -m tools.compile_kernels & $(PIP_INSTALL) --require-hashes -r requirements-test.lock
	@mkdir -p $(VENV)/ipython/profile_default
	@echo "c.HistoryManager.enabled = False" > $(VENV)/ipython/profile_default/ipython_kernel_config.py
	@$(BIN)/python -c "import matplotlib.font_manager"
	@touch $@

$(PACKAGE_READY): pyproject.toml rftheory/__init__.py $(RUN_READY)
	@echo "== environment: rftheory, from this folder"
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

python:
	@command -v $(PYTHON) >/dev/null || { \
	    echo "$(PYTHON): not found. Install Python 3.11 or newer, or name one: make PYTHON=python3.12 ..." >&2; \
	    exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "$(PYTHON) is Python $(PYTHON_VERSION); rftheory needs 3.11 or newer: make PYTHON=python3.12 ..." >&2; \
	    exit 1; }
ifeq ($(SYSTEM),)
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo "$(PYTHON) cannot make environments: its venv or ensurepip module is missing" \
	         "(on Debian and Ubuntu: apt install python$(PYTHON_VERSION)-venv)" >&2; \
	    exit 1; }
endif

# Universal: one file for all supported Pythons and platforms; fewest: with the same version of a package
# on each, so that the numbers are the same too. The test lock is the run lock and more.
LOCK := $(UV) pip compile pyproject.toml --group build --universal --python-version 3.11 --fork-strategy fewest \
    --prerelease disallow --generate-hashes --no-emit-index-url --no-emit-find-links --quiet \
    --custom-compile-command "make lock" $(UPGRADE)

lock:
	@command -v $(UV) >/dev/null || { echo "make lock needs uv: $(PYTHON) -m pip install uv" >&2; exit 1; }
	@$(LOCK) --extra digits --extra fast -o requirements.lock
	@$(LOCK) --extra test -c requirements.lock -o requirements-test.lock
	@$(LOCK) --extra test --extra gpu -c requirements-test.lock -o requirements-gpu.lock

clean:
	rm -rf $(VENV) $(GPU_VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
