# Lockstep: the commands of every day. `make demo` and `make test` need nothing installed before.
CARGO ?= cargo
# Random kernels of the longer differential run, and its first seed.
RANDOM_CASES ?= 1200
RANDOM_SEED ?= 1
# Random kernels with random host code.
HOST_CASES ?= 10000
# Generated files of the longer run over a whole folder.
MANY_FILES ?= 2000
# PoCL keeps compiled kernels here instead of in the home directory.
export POCL_CACHE_DIR ?= $(CURDIR)/target/pocl-cache

# Where `make install` puts things; DESTDIR is for those who make packages.
PREFIX ?= /usr/local
SHARE = $(DESTDIR)$(PREFIX)/share

# Clippy as the compiler of our crates, as `cargo clippy` has it: their dependencies are compiled once, for the lints and for the tests.
LINTED = RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__

.PHONY: help setup build demo install test long-test bench fmt lint clean

help:
	@echo "make demo       install what is missing, build, and show a race found in an example"
	@echo "make install    lockstep, its runtime library, manual pages and completions, to PREFIX=$(PREFIX)"
	@echo "make test       everything that CI runs"
	@echo "make long-test  the longer runs: $(RANDOM_CASES) random kernels against PoCL, 20,000 proved or found as by enumeration or execution, 5,000 with barriers, flags and fences, every proof checked again by cvc5, a folder of $(MANY_FILES) files"
	@echo "make bench      speed against Oclgrind, latency of a check, and other measurements (BENCH_ARGS=--quick for small sizes)"
	@echo "make build      target/release/lockstep, and beside it lockstep-device and the runtime library for lockstep exec"
	@echo "make setup      install what building needs (Debian, Ubuntu)"
	@echo "make fmt lint   format; check formatting and clippy"

setup:
	@scripts/setup.sh

build: setup
	$(CARGO) build --release -p lockstep -p lockstep-runtime -p lockstep-device-run

# `check` ends with status 1, because it finds the race: that is the demonstration.
demo: build
	@echo
	@echo '$$ lockstep check examples/racy_reduce.cu'
	@status=0; target=$${CARGO_TARGET_DIR:-target}; \
	$$target/release/lockstep check examples/racy_reduce.cu || status=$$?; echo; \
	if [ $$status -eq 1 ]; then \
		echo "lockstep ended with status 1: it found the race that the example contains, as it should."; \
	else \
		echo "demo: expected status 1 (a finding), got $$status"; exit 1; \
	fi

install: build
	@binary=$${CARGO_TARGET_DIR:-target}/release/lockstep; set -e; \
	install -D -m 755 $$binary $(DESTDIR)$(PREFIX)/bin/lockstep; \
	install -D -m 755 $$(dirname $$binary)/lockstep-device $(DESTDIR)$(PREFIX)/bin/lockstep-device; \
	install -D -m 755 $$(dirname $$binary)/liblockstep_runtime.so $(DESTDIR)$(PREFIX)/lib/lockstep/liblockstep_runtime.so; \
	mkdir -p $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions \
		$(SHARE)/fish/vendor_completions.d; \
	$$binary man $(SHARE)/man/man1; \
	$$binary completions bash > $(SHARE)/bash-completion/completions/lockstep; \
	$$binary completions zsh > $(SHARE)/zsh/site-functions/_lockstep; \
	$$binary completions fish > $(SHARE)/fish/vendor_completions.d/lockstep.fish
	@echo "installed $(DESTDIR)$(PREFIX)/bin/lockstep"

fmt:
	$(CARGO) fmt --all

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings

test:
	@scripts/setup.sh --tests
	@echo "== rustfmt =="
	$(CARGO) fmt --all --check
	@echo "== clippy, while everything is built =="
	$(LINTED) $(CARGO) test --workspace --tests --no-run --quiet
	@echo "== tests =="
	$(LINTED) $(CARGO) test --workspace --tests --no-fail-fast
	@echo "== make test: formatting, clippy and all tests passed =="

long-test:
	@scripts/setup.sh --tests
	LOCKSTEP_RANDOM=$(RANDOM_CASES) LOCKSTEP_SEED=$(RANDOM_SEED) \
		$(CARGO) test --release -p lockstep --test pocl -- --nocapture
	@echo "== make long-test: $(RANDOM_CASES) random kernels agree with PoCL =="
	$(CARGO) test --release -p lockstep-prove --test prover generated -- --ignored --nocapture
	@echo "== make long-test: 2 times 10,000 random kernels are proved or found as enumeration and execution say =="
	$(CARGO) test --release -p lockstep-prove --test prover rules:: -- --ignored --nocapture
	@echo "== make long-test: rules of the prover agree with Z3 on the questions of real kernels =="
	$(CARGO) test --release -p lockstep-prove --test prover soundness:: -- --ignored --nocapture
	@echo "== make long-test: nothing that is marked in any test is proved =="
	$(CARGO) test --release -p lockstep --test cli every_excuse -- --ignored --nocapture
	@echo "== make long-test: each excuse of the search is needed by its kernel =="
	$(CARGO) test --release -p lockstep --test cli recheck -- --ignored --nocapture
	@echo "== make long-test: other solvers agree with every proof that they decide =="
	$(CARGO) test --release -p lockstep-simulate --test orders -- --ignored --nocapture
	@echo "== make long-test: 5,000 random kernels with barriers, flags and fences are judged as they were built =="
	$(CARGO) test --release -p lockstep-symbolic --test random a_thousand -- --ignored --nocapture
	@echo "== make long-test: 1,200 random kernels give the same symbolically and in the simulator =="
	$(CARGO) test --release -p lockstep-symbolic --test faults -- --ignored --nocapture
	@echo "== make long-test: what is said of the faults of 1,000 random kernels is so for every content of their arrays =="
	$(CARGO) test --release -p lockstep-symbolic --test pairs hundreds -- --ignored --nocapture
	@echo "== make long-test: 500 random pairs are proved with one thread for all only where they are thread by thread =="
	$(CARGO) test --release -p lockstep --test equiv -- --ignored --nocapture
	@echo "== make long-test: all pairs of references and kernels are told apart =="
	$(CARGO) test --release -p lockstep-device --test simulated -- --ignored --nocapture
	@echo "== make long-test: the checker for GPUs, executed by the simulator, finds what the simulator finds =="
	LOCKSTEP_RANDOM=$(HOST_CASES) LOCKSTEP_SEED=$(RANDOM_SEED) \
		$(CARGO) test --release -p lockstep --test hosts -- --nocapture
	@echo "== make long-test: $(HOST_CASES) random kernels with host code are proved or found as their launches are =="
	LOCKSTEP_MANY_FILES=$(MANY_FILES) $(CARGO) test --release -p lockstep --test cli many_files -- --nocapture
	@echo "== make long-test: $(MANY_FILES) files were checked =="

bench:
	@scripts/setup.sh --bench
	$(CARGO) build --release -p lockstep -p lockstep-bench
	$(CARGO) run --release --quiet -p lockstep-bench -- $(BENCH_ARGS)

clean:
	$(CARGO) clean
