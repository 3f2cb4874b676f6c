# One command each. Every target sets up what it needs first; a second run finds it done.
#   make PYTHON=python3.12 test    uses another Python
#   make CXX=g++-13 test           uses another compiler

PYTHON ?= python3
BIN := .venv/bin
# Passed on to pytest: make test ARGS="-k agenda"
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup demo view test bench check format lock clean

help: ## show this list
	@echo "kumi: one robot program, from ten thousand simulated robots to the one on the floor."
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make the virtual environment and build the core (the others do this themselves)
	@$(PYTHON) tools/setup.py

demo: setup ## run the shipped simulations, with pictures
	@$(BIN)/kumi demo

view: setup ## show a simulation in a browser while it runs
	@$(BIN)/kumi view $(ARGS)

test: setup ## run every test
	$(BIN)/python -m pytest -q -n 2 $(ARGS)

bench: ## measure kumi next to its peers
	@$(PYTHON) tools/setup.py --bench
	$(BIN)/python -m benchmarks $(ARGS)

check: setup ## format, lint, types and stubs
	@PATH="$(PATH):$(CURDIR)/$(BIN)" npm run --silent --prefix web check
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tools/stubs.py --check
	$(BIN)/python tools/reference.py --check
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml --allowlist tools/stubtest.txt kumi._core kumi._twins

format: setup ## bring the sources into shape
	$(BIN)/ruff check --fix --exit-zero --quiet .
	$(BIN)/ruff format .

lock: setup ## choose new versions for the locked packages
	$(BIN)/python tools/lock.py

clean: ## remove everything that was made
	rm -rf .venv build dist kumi-demo web/node_modules src/kumi/view/page .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
