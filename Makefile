# `make run` reproduces the first slice and writes a report; `make test` is everything that CI checks.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TORCH := $(shell sed -n 's/^torch==/torch==/p' constraints.txt)
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: setup run test browser fuzz check format docs tutorials guide reference bench faults scale clock web
.DEFAULT_GOAL := test

# Torch first, by its pin: asked for by another package it would come as the newest build, gigabytes larger.
$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "recombine needs Python 3.11 or newer: make PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) "$(TORCH)"
	$(PIP) --constraint constraints.txt --editable ".[dev]"
	touch $@

# Compiled once here, as an installed package is: where bytecode is not written, every command would compile it anew.
setup: $(VENV)/ready
	@$(BIN)/python -m compileall -q src

# A contradicted claim (exit code 1) is a result and belongs in the report; anything else stops here.
run: setup
	$(BIN)/recombine reproduce --scale quick || test $$? -eq 1
	$(BIN)/recombine report --scale quick -o report.html

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The explorer is tested in a real browser, Debian's Chromium: it is found, or installed where that is allowed.
browser:
	@command -v chromium > /dev/null || (apt-get update -qq && apt-get install -y -qq chromium > /dev/null) \
		|| (echo "make test needs Chromium: install Debian's package chromium (apt-get install chromium)"; exit 1)

# Shapes and types of arrays are checked at every call where arrays are what is tested; elsewhere that takes a third more.
ARRAYS := $(patsubst %,tests/%,core data factors measures models splits theory training)
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest
BESIDE := -n 2 --dist worksteal -m "not alone and not slow"

# What compares times and fails is asked once more: on a shared machine a minute may be another's.
ALONE := $(PYTEST) --jaxtyping-packages= -q -m alone tests/cli tests/explorer

test: check browser
	$(ALONE) || $(ALONE) --last-failed
	$(PYTEST) $(BESIDE) $(ARRAYS)
	$(PYTEST) --jaxtyping-packages= $(BESIDE) $(ARRAYS:%=--ignore=%)

# A quarter of an hour: 10,000 specifications and command lines, of which `make test` tries 200.
fuzz: setup
	RECOMBINE_FUZZ=10000 $(PYTEST) -q tests/safety/test_fuzzed_specifications.py

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# What is generated in seconds: the reference, the README's verdicts and picture from the reference records, the speed page.
docs: setup
	$(BIN)/python -m recombine.cli.reference docs

# Minutes: the pages whose code is run, for the figures and the printed answers that they show.
tutorials: setup
	OMP_NUM_THREADS=1 $(BIN)/python -m docs.running docs

# The guide as HTML, to be opened at docs/_build/index.html; anything that does not fit stops it.
guide: setup
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build

# Hours: every claim at `laptop`; its records, without weights, are the reference that `check` reads.
reference: setup
	$(BIN)/recombine reproduce --scale laptop --store laptop || test $$? -eq 1
	$(BIN)/python -m recombine.studies.publishing laptop reference
	$(BIN)/pytest -q -m slow tests/reports

# Minutes on an idle machine; its numbers are what the documentation and the report show.
bench: setup
	$(BIN)/recombine bench -o reference/benchmarks.json
	$(MAKE) docs

# Half an hour: every fault for real (kills, lost nodes, full disks, damage), with a table of what each cost.
faults: setup
	$(BIN)/python -m faults

# Minutes and gigabytes of scratch space: stores of up to a hundred thousand synthetic records.
scale: setup
	$(BIN)/recombine bench records --rounds 3 -o reference/scale.json
	$(MAKE) docs

# A minute on an idle machine: how long a person waits for the explorer, in a real browser.
clock: setup browser
	$(PYTEST) --jaxtyping-packages= -q -m slow tests/explorer/page

# The explorer's page, built into the package so that users need no Node: format, types, tests of its logic, bundle.
web:
	cd web && npm ci && npm run check && npm test && npm run build
