# Thin names over the CMake presets. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help quickstart build test test-postgres quickstart-postgres test-quick test-python wheel soak mutants sanitize \
  bench bench-python utility lint format fuzz coverage clean

# The tests again under sanitizers; <preset>:<labels>, see tools/test. The whole suite takes long under the address
# sanitizer, so it has a name of its own.
SANITIZED := tsan:threads|laws|scenarios

help: ## list these names
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-20s %s\n", $$1, $$2}' Makefile

quickstart: build ## install packages, build, train a private model on generated data
	@tools/quickstart build/sotto build/quickstart

build: ## build a release; the program is build/sotto
	@tools/install_packages build
	@tools/build release
	@ln -sfn release/cli/sotto build/sotto

test: ## every test, and what runs threads again under the thread sanitizer
	@tools/install_packages build test browser
	@tools/test dev $(foreach run,$(SANITIZED),'$(run)')

sanitize: ## every test under the address and undefined-behaviour sanitizers
	@tools/install_packages build test
	@tools/test 'asan:unit|laws|privacy|threads|scenarios'

test-postgres: ## the PostgreSQL extension, against servers of its own
	@tools/install_packages build postgres
	@tools/test_postgres

quickstart-postgres: ## a private server: register a table, train under a budget, predict
	@tools/install_packages build postgres
	@tools/build postgres --target sotto_postgres
	@python3 postgres/quickstart.py build/postgres/postgres/sotto.so

test-quick: ## every test once, without sanitizers
	@tools/install_packages build test
	@tools/test dev

wheel: ## the Python package; leaves build/wheels/*.whl
	@tools/install_packages build python
	@tools/python wheel

test-python: ## build the wheel, install it in a clean virtual environment, run its suite
	@tools/install_packages build python
	@tools/python test

soak: ## the long variants: thousands of kills, every byte flipped, 100,000 games an audit
	@tools/install_packages build test
	@tools/test 'dev:soak'

mutants: ## break the library line by line: the audit must notice every time
	@tools/install_packages build test
	@tools/mutants

bench: ## measure; writes build/bench.json
	@tools/install_packages build bench
	@tools/build bench
	@build/bench/bench/sotto_bench --out build/bench.json

bench-python: ## the package beside diffprivlib, Opacus and scikit-learn; writes build/bench-python.json
	@tools/install_packages build python
	@tools/python bench

utility: ## accuracy on real data against bars, into build/utility; UTILITY='--quick --sets adult --runs 3'
	@tools/install_packages build bench utility
	@tools/build bench --target sotto_utility
	@/usr/bin/python3 bench/utility/prepare.py build/utility
	@build/bench/bench/sotto_utility --folder build/utility $(UTILITY)

lint: ## layout, include order, citations, clang-tidy
	@tools/install_packages build lint
	@tools/format --check
	@python3 tools/check_includes.py core
	@python3 tools/check_references.py .
	@tools/build tidy

format: ## rewrite every C++ file in the project's layout
	@tools/install_packages build lint
	@tools/format

fuzz: ## every reader against random input, FUZZ_SECONDS=600 each
	@tools/install_packages build fuzz
	@tools/build fuzz
	@tools/fuzz

coverage: ## statement coverage of core/ by the tests; fails under 90 percent
	@tools/install_packages build coverage
	@tools/build coverage
	@tools/coverage

clean: ## remove everything that was built
	@rm -rf build
