# Everything happens in .venv, which the first target that needs it makes.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test docs fuzz benchmark wheels clean

demo: .venv/core
	$(BIN)/directrank demo

test: .venv/test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	OMP_WAIT_POLICY=passive $(BIN)/pytest -n 2 --dist worksteal

# The site, in docs/_build/html. Warnings are errors: a link within the site that leads nowhere, a fault in a docstring, an example
# that fails. Addresses elsewhere cannot be reached from where this is built; the tests look at their form only.
docs: .venv/docs
	rm -rf docs/reference docs/_build/html
	$(BIN)/sphinx-build -E -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html
	$(BIN)/python docs/_ext/check_links.py docs/_build/html
	@echo "the site is in docs/_build/html/index.html"

# Every reader, model loader and learner on generated nonsense, and Hypothesis with random seeds, each for half of MINUTES in
# all; `make test` runs a few cases of each, always the same.
MINUTES ?= 10
FUZZED := tests/fuzz tests/measures tests/data tests/learners
fuzz: .venv/test
	OMP_WAIT_POLICY=passive DIRECTRANK_FUZZ_SECONDS=$$(( $(MINUTES) * 60 )) $(BIN)/pytest $(FUZZED)

benchmark: .venv/benchmark
	$(BIN)/python -m benchmarks

# A source archive and wheels in dist/, each wheel tried where there is no compiler.
PYTHONS ?= python3.11 python3.12 python3.13
wheels: .venv/bin/python
	$(BIN)/python -m pip install --quiet build
	$(BIN)/python scripts/wheels.py $(PYTHONS)

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

# Folders are listed because an editable install knows every Python file by name: a new or deleted file changes its folder.
.venv/compiled: CMakeLists.txt pyproject.toml scripts/install_editable.py $(shell find core; find src -type d -name '[!_]*') | .venv/bin/python
	$(BIN)/python scripts/install_editable.py
	touch $@

.venv/core: pyproject.toml | .venv/compiled
	$(BIN)/python -m pip install --quiet directrank
	touch $@

.venv/test: pyproject.toml | .venv/compiled
	$(BIN)/python -m pip install --quiet 'directrank[test]'
	touch $@ .venv/core

.venv/docs: pyproject.toml | .venv/compiled
	$(BIN)/python -m pip install --quiet 'directrank[docs]'
	touch $@ .venv/core

.venv/benchmark: pyproject.toml | .venv/compiled
	$(BIN)/python -m pip install --quiet 'directrank[benchmark]'
	touch $@ .venv/core .venv/test

# Numba does not see that a kernel in another file has changed: after editing one that others call, clean.
clean:
	find src tests benchmarks -name '__pycache__' -prune -exec rm -rf {} +
