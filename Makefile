# make demo    what redblue does, in a minute
# make test    everything that must hold before a change goes in
# make soak    the long attacks and tables (hours)
# make bench   speeds, as tables

CARGO ?= cargo
REDBLUE = $(CARGO) run --quiet --release --package redblue --

.PHONY: help setup demo test lint soak bench install

help:
	@sed -n 's/^# //p' Makefile | head -4

# Debian packages by name, only those that are missing: isl, pkg-config to find it, and a C compiler for
# the linker and for the tests that compare kernels with compiled C. Rust itself comes through rustup.
setup:
	@missing=""; \
	command -v $(firstword $(CARGO)) >/dev/null 2>&1 || missing="$$missing rustup"; \
	command -v cc >/dev/null 2>&1 || missing="$$missing gcc libc6-dev"; \
	command -v pkg-config >/dev/null 2>&1 || missing="$$missing pkg-config"; \
	{ command -v pkg-config >/dev/null 2>&1 && pkg-config --exists isl; } || missing="$$missing libisl-dev"; \
	if [ -n "$$missing" ]; then \
		if ! command -v apt-get >/dev/null 2>&1; then \
			echo "please install:$$missing (names of Debian packages)" >&2; exit 1; \
		fi; \
		as_root=""; [ "$$(id -u)" = 0 ] || as_root="sudo"; \
		echo "installing:$$missing"; \
		$$as_root apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive $$as_root apt-get install -y -qq --no-install-recommends $$missing; \
	fi
	@$(CARGO) --version >/dev/null 2>&1 || rustup default stable

demo: setup
	@echo '$$ redblue kernels --group blas'; $(REDBLUE) kernels --group blas
	@echo; echo '$$ redblue ir gemm'; $(REDBLUE) ir gemm
	@echo; echo '$$ redblue deps gemm'; $(REDBLUE) deps gemm
	@echo; echo "$$ redblue ir 'ik,kj->ij' -D i=64,j=64,k=64"; $(REDBLUE) ir 'ik,kj->ij' -D i=64,j=64,k=64

lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --quiet --workspace --all-targets -- -D warnings

# The runner of cargo-nextest if it is there, else cargo's own; documentation examples either way.
test: lint
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
		set -x; $(CARGO) nextest run --workspace --no-fail-fast --status-level fail && $(CARGO) test --quiet --workspace --doc; \
	else \
		set -x; $(CARGO) test --quiet --workspace; \
	fi

soak: setup
	REDBLUE_SOAK=1 $(CARGO) test --release --workspace -- --nocapture

bench: setup
	$(CARGO) bench --workspace --benches

install: setup
	$(CARGO) install --locked --path crates/redblue
