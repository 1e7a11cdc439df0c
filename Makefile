# Thin names over the CMake presets. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' Makefile)

# What runs threads, again under the thread sanitizer; <preset>:<labels>:<labels left out>, see tools/test. Slow scenarios
# run once, without it: what they do with threads the laws and the other scenarios do too.
SANITIZED := tsan:threads|laws|scenarios:slow|soak

help: ## list these names
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-20s %s\n", $$1, $$2}' Makefile

quickstart: build ## install packages, build, train a private model on generated data
	@tools/quickstart build/sotto build/quickstart

build: ## build a release; the program is build/sotto
	@tools/install_packages build
	@tools/build release
	@ln -sfn release/cli/sotto build/sotto

check: ## unit tests and laws: the quick answer while you work; under three minutes once it is built
	@tools/install_packages build test
	@tools/test check

test: ## every test, the Python package, and what runs threads again under the thread sanitizer
	@tools/install_packages build test python browser
	@tools/test dev python $(foreach run,$(SANITIZED),'$(run)')

sanitize: ## every test under the address, undefined-behaviour and thread sanitizers; an hour
	@tools/install_packages build test
	@tools/test 'asan:unit|laws|privacy|threads|capi|fuzz|scenarios|audit' 'tsan-whole:unit|laws|privacy|threads|capi|scenarios|audit'

test-postgres: ## the PostgreSQL extension, against servers of its own; then again under the address sanitizer
	@tools/install_packages build test postgres
	@tools/test_postgres

test-postgres-versions: ## the same tests on PostgreSQL 15 to 18, as far as they can be had: SERVERS='16 18'
	@tools/install_packages build test postgres postgres-source
	@tools/test_postgres_versions $(SERVERS)

quickstart-postgres: ## a private server: register a table, train under a budget, predict; STAY=1 leaves you at its prompt
	@tools/install_packages build postgres
	@tools/build postgres --target sotto_postgres
	@python3 postgres/quickstart.py build/postgres/postgres/sotto.so $(if $(STAY),--stay)

soak-postgres: ## the extension for longer: 1,000 trainings in one backend, many kills
	@tools/install_packages build test postgres
	@SOTTO_PG_TRAININGS=1000 SOTTO_PG_KILLS=40 SOTTO_PG_VICTIM_CALLS=1000 tools/test_postgres test_sessions.LongLife test_ledger.Crashes test_workers.Cancelled

bench-postgres: ## passes in the database beside the pass in memory; writes build/bench-postgres.json
	@tools/install_packages build postgres
	@tools/build postgres --target sotto_postgres sotto_postgres_test
	@python3 bench/scan_postgres/run.py build/postgres/postgres/sotto.so build/postgres/postgres/sotto_test.so \
	  --out build/bench-postgres.json $(BENCH_POSTGRES)

test-quick: ## every test once, without sanitizers
	@tools/install_packages build test
	@tools/test dev

wheel: ## the Python package; leaves build/wheels/*.whl
	@tools/install_packages build python
	@tools/python wheel

test-python: ## build the wheel, install it in a clean virtual environment, run its suite
	@tools/install_packages build python
	@tools/python test

check-sklearn: ## scikit-learn's own suite on its current release and the two before it
	@tools/install_packages build python
	@tools/python check

soak: ## the long variants: thousands of kills, every byte flipped, 100,000 games an audit
	@tools/install_packages build test
	@tools/test 'dev:soak'

mutants: ## break the library line by line: the audit must notice every time
	@tools/install_packages build test
	@tools/mutants

bench: ## measure; writes build/bench.json; BENCH='--filter train'
	@tools/install_packages build bench python
	@tools/build bench
	@tools/bench $(BENCH)

bench-python: ## the package beside diffprivlib, Opacus and scikit-learn; writes build/bench-python.json
	@tools/install_packages build python
	@tools/python bench

utility: ## accuracy on real data against bars, into build/utility; UTILITY='--quick --sets adult --runs 3'
	@tools/install_packages build bench utility
	@tools/build bench --target sotto_utility
	@/usr/bin/python3 bench/utility/prepare.py build/utility
	@build/bench/bench/sotto_utility --folder build/utility $(UTILITY)

calibration: build ## calibration of probabilities on real and synthetic rows, into build/calibration.csv; CALIBRATION='--runs 5 --sets adult'
	@tools/install_packages build utility
	@/usr/bin/python3 bench/utility/prepare.py build/utility adult a9a bank covertype kddcup99 occupancy banknote
	@/usr/bin/python3 bench/calibration/measure.py build/sotto build/utility build/calibration.csv $(CALIBRATION)

replicate: build ## the figures of five papers, fewer runs: build/report/index.html; under 20 minutes on 2 cores
	@tools/replicate

replicate-full: build ## the same with the papers' numbers of runs and whole grids; hours
	@tools/replicate --full

lint: ## layout, include order, citations, length of sentences, clang-tidy
	@tools/install_packages build lint
	@tools/format --check
	@python3 tools/check_includes.py core report audit
	@python3 tools/check_references.py .
	@python3 tools/check_prose.py .
	@tools/build tidy

format: ## rewrite every C++ file in the project's layout
	@tools/install_packages build lint
	@tools/format

fuzz: ## every reader against random input, FUZZ_SECONDS=600 each
	@tools/install_packages build fuzz
	@tools/build fuzz
	@tools/fuzz

coverage: ## statement coverage of the libraries by the tests; fails under 90 percent
	@tools/install_packages build coverage
	@tools/build coverage
	@tools/coverage

clean: ## remove everything that was built
	@rm -rf build
