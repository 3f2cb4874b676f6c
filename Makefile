# One command each. Every target sets up what it needs first; a second run finds it done.
#   make PYTHON=python3.12 test    uses another Python
#   make CXX=g++-13 test           uses another compiler

PYTHON ?= python3
BIN := .venv/bin
CPP := $(wildcard core/*/*.[ch]pp twins/*.[ch]pp)
# What runs with sanitizers: tests that spend their time in the core, and those that try to break it in full
CORE_TESTS := $(addprefix tests/,devs world sensing robot geometry maths motion safety golden/test_golden.py) \
	$(wildcard $(addprefix tests/planning/test_,grid*.py mapf*.py orca.py barrier.py potential.py jerk.py profile_peers.py))
BREAKING_TESTS := tests/safety/test_fuzz.py tests/safety/test_crashes.py tests/safety/test_hardships.py
SHORT_TESTS := tests/safety tests/devs/test_ports.py tests/devs/test_turmoil.py tests/world/test_contact_policies.py
TO_PYTEST := -m pytest -q -n 2 -o faulthandler_timeout=0
SANITIZED := KUMI_EXAMPLES=$${KUMI_EXAMPLES:-0.1} .venv/bin/python tools/sanitize.py $(TO_PYTEST)
SANITIZED_SCALAR := $(subst sanitize.py,sanitize.py --scalar,$(SANITIZED))
# Passed on to pytest: make test ARGS="-k agenda"
ARGS ?=
# For which Pythons `make wheels` makes one; none means that of the virtual environment
PYTHONS ?=
# Why `make hashes` renews the list
export REASON ?=
# Modules are compiled once, not in each of a thousand processes.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup ready-to-test demo view test test-slow test-all test-asan test-asan-vector test-asan-scalar test-asan-short test-debug hashes portability bench check format wheels lock clean

help: ## show this list
	@echo "kumi: one robot program, from ten thousand simulated robots to the one on the floor."
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make the virtual environment, build the core and the page (the others do what they need)
	@$(PYTHON) -m tools.setup

ready-to-test:
	@$(PYTHON) -m tools.setup --test

demo: setup ## run the shipped simulations, with pictures
	@$(BIN)/kumi demo

view: setup ## show a simulation in a browser while it runs
	@$(BIN)/kumi view $(ARGS)

test: ready-to-test ## run the tests that take minutes in all: all that is pure, and some of every kind that is not
	KUMI_EXAMPLES=$${KUMI_EXAMPLES:-0.3} $(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow" $(ARGS)

test-slow: ready-to-test ## run the others: processes that are killed, many schedules and examples, memory, browsers
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "slow or hypothesis" $(ARGS)

test-all: test test-slow ## run every test

hashes: ready-to-test ## renew the hashes of all runs: make hashes REASON="why they changed"
	$(BIN)/python tools/hashes.py --reason "$$REASON"

portability: ready-to-test ## compare all hashes between compilers, optimisations and Pythons; takes long
	$(BIN)/python tools/portability.py $(ARGS)

test-asan: test-asan-vector test-asan-scalar ## run the tests of the core on cores built with sanitizers, of vector code and of its scalar twins

test-asan-vector: ready-to-test
	$(SANITIZED) -m "not slow" $(CORE_TESTS) $(ARGS)
	$(SANITIZED) -m slow $(BREAKING_TESTS) $(ARGS)

test-asan-scalar: ready-to-test
	$(SANITIZED_SCALAR) -m "not slow" $(CORE_TESTS) $(ARGS)
	$(SANITIZED_SCALAR) -m slow $(BREAKING_TESTS) $(ARGS)

test-asan-short: ready-to-test ## run some of them, on the scalar twins
	KUMI_SCRIPTS=40 $(SANITIZED_SCALAR) $(SHORT_TESTS) $(ARGS)

test-debug: ready-to-test ## count what work leaves behind: objects, references, memory
	$(BIN)/python -m pytest -q tests/safety/test_references.py $(ARGS)

bench: ## measure kumi next to its peers
	@$(PYTHON) -m tools.setup --bench
	$(BIN)/python -m benchmarks $(ARGS)

check: ready-to-test ## format, lint, types and stubs
	@PATH="$(PATH):$(CURDIR)/$(BIN)" npm run --silent --prefix web check
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tools/stubs.py --check
	$(BIN)/python tools/tables.py --check
	$(BIN)/python tools/reference.py --check
	$(BIN)/python tools/page_types.py --check
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml --allowlist tools/stubtest.txt kumi._core kumi._twins

format: ready-to-test ## bring the sources into shape
	$(BIN)/ruff check --fix --exit-zero --quiet .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

wheels: ready-to-test ## make an sdist and wheels of what is committed, and check them: make wheels PYTHONS="python3.12 python3.13"
	$(BIN)/python tools/wheels.py $(PYTHONS)

lock: ready-to-test ## choose new versions for the locked packages
	$(BIN)/python tools/lock.py

clean: ## remove everything that was made
	rm -rf .venv build dist kumi-demo web/node_modules src/kumi/view/page .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
