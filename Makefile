# Everything happens in .venv, which the first target that needs it makes.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test sanitize sanitize-quick docs fuzz benchmark wheels

demo: .venv/core
	$(BIN)/directrank demo

test: .venv/test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist worksteal

# Tests on builds of the core with AddressSanitizer and UndefinedBehaviorSanitizer, then with ThreadSanitizer, under which
# Polars does not run; Linux and GCC only.
SANITIZED := tests/core tests/clicks/test_click_model_em.py tests/data tests/fuzz tests/measures tests/retrieval
sanitize: .venv/test
	$(BIN)/python scripts/sanitize.py address -n 2 $(SANITIZED)
	$(BIN)/python scripts/sanitize.py thread -n 2 $(SANITIZED) \
		$(addprefix --ignore=,$(shell grep -rlw polars tests --include='*.py'))

# A minute of it, for CI.
sanitize-quick: .venv/test
	$(BIN)/python scripts/sanitize.py address -n 2 tests/core tests/measures/test_definitions.py tests/fuzz/test_letor_fuzz.py

# The site, in docs/_build/html. Warnings are errors: a link within the site that leads nowhere, a fault in a docstring, an
# example that fails. Addresses elsewhere cannot be reached from where this is built; the tests look at their form only.
docs: .venv/docs
	rm -rf docs/reference docs/_build/html
	$(BIN)/sphinx-build -E -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html
	$(BIN)/python docs/_ext/check_links.py docs/_build/html
	@echo "the site is in docs/_build/html/index.html"

# The parsers of the core on bytes that reach ever more of them, if there is clang; then every reader, model loader and
# learner on generated nonsense, of which `make test` runs a few cases each. MINUTES in all.
MINUTES ?= 10
FUZZED := tests/fuzz tests/measures tests/data tests/learners
fuzz: .venv/test
	$(BIN)/python core/fuzz/run.py $$(( $(MINUTES) * 20 ))
	DIRECTRANK_FUZZ_SECONDS=$$(( $(MINUTES) * 40 )) $(BIN)/pytest $(FUZZED)

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
.venv/compiled: CMakeLists.txt pyproject.toml scripts/install_editable.py \
		$(shell find core; find src -type d -name '[!_]*') | .venv/bin/python
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
