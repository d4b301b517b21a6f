# Entry points: `make demo` shows what wirelab does, `make test` checks that it works.

PYTHON  ?= python3
VENV    := .venv
UV      := $(VENV)/bin/uv
INSTALL := $(UV) pip install --quiet --python $(VENV)
COMPILE := $(UV) pip compile --quiet --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
  --annotation-style line pyproject.toml
# Clippy examines what it compiles: see .cargo/test.toml.
TESTS   := --quiet --profile quick --config .cargo/test.toml
STUDY   ?= kaminski-2022
DESIGN  ?= smoke
RUST    := $(shell find engine datasets guard link programs -path engine/fuzz -prune -o \( -name '*.rs' -o -name Cargo.toml \) -print 2>/dev/null) Cargo.toml Cargo.lock

# Python packages are installed while the programs compile, and types are checked while clippy runs.
MAKEFLAGS += --jobs=2

# Else each of the many programs that tests start would compile every module that it imports, and set-up
# would not compile the modules that commands load.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: default demo setup test test-rust test-slow test-fast lint format study docs lock site examples recording programs release wheel peers audit faults fuzz clean
default: lint test

## demo: set up, then run the smallest design of the first study and write its report
demo: setup
	$(VENV)/bin/wirelab run $(STUDY) --design smoke

## study: run one study, e.g. `make study STUDY=kaminski-2022 DESIGN=lab`
study: setup
	$(VENV)/bin/wirelab run $(STUDY) --design $(DESIGN)

## setup: a virtual environment with the locked dependencies and the compiled programs
setup: $(VENV)/.installed
$(VENV)/.installed: $(VENV)/.dependencies target/.programs pyproject.toml
	$(INSTALL) --no-deps --editable .
	$(VENV)/bin/python -m compileall -q src
	$(VENV)/bin/python -c 'import wirelab.commands.own_api.compare, wirelab.commands.studies.run, wirelab.commands.studies.verify'
	@touch $@
target/.programs: $(RUST)
	@echo "compiling wirelab-load, wirelab-data, wirelab-guard and wirelab-link: this takes minutes"
	cargo build --profile quick --package wirelab-programs
	@touch $@
$(VENV)/.dependencies: requirements.txt $(UV)
	@echo "installing Python's packages"
	$(INSTALL) --require-hashes --requirement requirements.txt
	@touch $@
$(VENV)/.development: requirements-dev.txt $(VENV)/.dependencies
	$(INSTALL) --require-hashes --requirement requirements.txt --requirement requirements-dev.txt
	@touch $@
$(UV): # of the version that requirements.txt has
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	awk '/^[a-z]/ { wanted = /^uv==/ } wanted' requirements.txt \
	  | $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement /dev/stdin

## test: lint, types and the tests, in Rust and Python; four workers keep two CPUs busy, since tests wait
## for servers and for windows of measurement
test: lint test-rust
	$(VENV)/bin/python -m pytest -m "not thorough" --numprocesses 4 --dist loadfile

## test-rust: the tests in Rust, with the dependencies that set-up has compiled for the programs; they
## follow clippy, which would hold the same lock, and may run beside the checks of Python. Six at a time
## keep two CPUs busy, since many wait
test-rust: lint-rust
	RUST_TEST_THREADS=6 cargo test $(TESTS) --workspace

## test-slow: the tests that `make test` leaves out, each for the reason in its mark
test-slow: setup $(VENV)/.development
	$(VENV)/bin/python -m pytest -m thorough

## test-fast: tests without servers, in less than a minute
test-fast: setup $(VENV)/.development
	$(VENV)/bin/python -m pytest -m "not slow" tests/statistics tests/study tests/claims tests/domain

.PHONY: lint-python lint-rust
## lint: formatting, style, types, spelling; Python and Rust in parallel
lint: lint-python lint-rust

lint-python: setup $(VENV)/.development
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/ruff check
	$(VENV)/bin/mypy
	$(VENV)/bin/codespell
	$(VENV)/bin/python docs/generate.py --check
	$(VENV)/bin/python -m audit notices --check

lint-rust: setup
	cargo fmt --all --check
	cargo fmt --manifest-path benches/peers/Cargo.toml --all --check
	cargo fmt --manifest-path engine/fuzz/Cargo.toml --check
	cargo build --workspace --all-targets $(TESTS)
	cargo clippy --manifest-path benches/peers/Cargo.toml --target-dir target/peers --package wirelab-floor \
	  --all-targets --quiet -- --deny warnings

## format: format the code
format: setup $(VENV)/.development
	$(VENV)/bin/ruff format
	$(VENV)/bin/ruff check --fix
	cargo fmt --all

## docs: regenerate the reference from the code, the manual pages from --help, and THIRD-PARTY.md from the lock files
docs: setup $(VENV)/.development
	$(VENV)/bin/python docs/generate.py
	$(VENV)/bin/python -m audit notices
	WIRELAB_WRITE_MANUAL=1 cargo test $(TESTS) --package wirelab-engine --lib manual

## lock: write requirements.txt, and requirements-dev.txt with what development adds; versions that still fit stay
lock: $(UV)
	$(COMPILE) --output-file requirements.txt
	$(COMPILE) --group dev --constraint requirements.txt --output-file requirements-dev.txt \
	  $$(sed -n 's/^\([^ ]*\)==.*/--no-emit-package=\1/p' requirements.txt)

## site: build the documentation as a site that works offline, into target/site
site: setup $(VENV)/.development
	$(VENV)/bin/python -m mkdocs build

## examples: write the reports of BUNDLES="…" to docs/examples, and the pictures of the site's first page from the first
examples: setup $(VENV)/.development
	$(VENV)/bin/python docs/gallery.py $(BUNDLES)

## recording: record `wirelab compare` as the moving picture of the README; nothing else should run
recording: setup $(VENV)/.development
	$(VENV)/bin/python docs/recording.py docs/images/compare.svg

## programs: compile the programs with the release profile, as in a wheel, instead of the quick one
programs: setup
	cargo build --release --package wirelab-programs
	install target/release/wirelab-load target/release/wirelab-data target/release/wirelab-guard \
	  target/release/wirelab-link $(VENV)/bin

## wheel: build the wheel, install it outside the checkout, and run a minimal study
wheel: setup $(VENV)/.development
	$(VENV)/bin/python -m pytest -m thorough tests/packaging

## release: write the files to publish to dist/, and test the wheel in an empty folder (see docs/contributing/releasing.md)
release: setup $(VENV)/.development
	rm -rf dist
	$(VENV)/bin/maturin build --release --locked --sdist --out dist
	WIRELAB_WHEEL=$$(ls dist/*.whl) $(VENV)/bin/python -m pytest -m thorough tests/packaging

## peers: compare wirelab-load with other load generators, about 45 minutes (see benches/peers)
peers: programs $(VENV)/.development
	$(VENV)/bin/python -m benches.peers run

## audit: check licences, and advisories of each ecosystem if its database can be reached
audit: setup $(VENV)/.development
	$(VENV)/bin/python -m audit

## faults: inject every fault in every phase, up to six hours, as root (see tests/faults)
faults: setup $(VENV)/.development
	$(VENV)/bin/python -m tests.faults

# The number of inputs for each parser in `make fuzz`, and the names of the parsers; none: all.
FUZZ_RUNS ?= 1000000
FUZZ_TARGETS ?=

## fuzz: run every parser of the engine on damaged input (needs cargo-fuzz; see engine/fuzz)
fuzz: # with the versions of dependencies that the product has
	cp Cargo.lock engine/fuzz/Cargo.lock
	targets="$(FUZZ_TARGETS)"; \
	for target in $${targets:-$$(cargo fuzz list --fuzz-dir engine/fuzz)}; do \
	  mkdir -p engine/fuzz/corpus/$$target; \
	  RUSTC_BOOTSTRAP=1 cargo fuzz run --fuzz-dir engine/fuzz $$target \
	    engine/fuzz/corpus/$$target engine/fuzz/seeds/$$target -- -runs=$(FUZZ_RUNS) -max_len=4096 || exit 1; \
	done

## clean: remove everything that this file created
clean:
	rm -rf $(VENV) target
