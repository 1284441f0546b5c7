# make demo    what redblue does, in a minute
# make test    everything that must hold before a change goes in
# make soak    the long attacks and tables (hours)
# make bench   speeds, as tables

CARGO ?= cargo
REDBLUE = $(CARGO) run --quiet --release --package redblue --

.PHONY: help setup setup-mpi setup-browser demo test test-mpi test-browser lint gallery soak bench install

help:
	@sed -n 's/^# //p' Makefile | head -4

# Installs the Debian packages whose names are in the shell variable `missing`, if there are any.
define install_missing
if [ -n "$$missing" ]; then \
	if ! command -v apt-get >/dev/null 2>&1; then \
		echo "please install:$$missing (names of Debian packages)" >&2; exit 1; \
	fi; \
	as_root=""; [ "$$(id -u)" = 0 ] || as_root="sudo"; \
	echo "installing:$$missing"; \
	$$as_root apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive $$as_root apt-get install -y -qq --no-install-recommends $$missing; \
fi
endef

# Only what is missing: isl, pkg-config to find it, and a C compiler for the linker and for the tests that
# compare kernels with compiled C. Rust itself comes through rustup.
setup:
	@missing=""; \
	command -v $(firstword $(CARGO)) >/dev/null 2>&1 || missing="$$missing rustup"; \
	command -v cc >/dev/null 2>&1 || missing="$$missing gcc libc6-dev"; \
	command -v pkg-config >/dev/null 2>&1 || missing="$$missing pkg-config"; \
	{ command -v pkg-config >/dev/null 2>&1 && pkg-config --exists isl; } || missing="$$missing libisl-dev"; \
	$(install_missing)
	@$(CARGO) --version >/dev/null 2>&1 || rustup default stable

# Both MPIs that Debian has, side by side, with their ScaLAPACK, and the library with which their headers are read.
setup-mpi: setup
	@missing=""; \
	command -v mpicc.openmpi >/dev/null 2>&1 || missing="$$missing libopenmpi-dev"; \
	command -v mpirun.openmpi >/dev/null 2>&1 || missing="$$missing openmpi-bin"; \
	command -v mpicc.mpich >/dev/null 2>&1 || missing="$$missing libmpich-dev"; \
	command -v mpirun.mpich >/dev/null 2>&1 || missing="$$missing mpich"; \
	ls /usr/lib/llvm-*/lib/libclang*.so* 2>/dev/null | grep -qv libclang-cpp || missing="$$missing libclang-dev"; \
	ls /usr/lib/*/libscalapack-openmpi.so >/dev/null 2>&1 || missing="$$missing libscalapack-openmpi-dev"; \
	ls /usr/lib/*/libscalapack-mpich.so >/dev/null 2>&1 || missing="$$missing libscalapack-mpich-dev"; \
	$(install_missing)

# A real browser, for the test of the page that `gap --html` writes.
setup-browser: setup
	@missing=""; \
	command -v chromium >/dev/null 2>&1 || missing="$$missing chromium"; \
	$(install_missing)

demo: setup
	@echo '$$ redblue gap gemm -D NI=1000,NJ=1000,NK=1000 -S 4096 --html gap.html'; \
		$(REDBLUE) gap gemm -D NI=1000,NJ=1000,NK=1000 -S 4096 --html gap.html
	@echo; echo 'The page with the pictures is gap.html: open it in a browser.'; echo
	@echo '$$ redblue kernels --group blas'; $(REDBLUE) kernels --group blas
	@echo; echo '$$ redblue ir gemm'; $(REDBLUE) ir gemm
	@echo; echo '$$ redblue deps gemm'; $(REDBLUE) deps gemm
	@echo; echo '$$ redblue bound gemm -D NI=1000,NJ=1000,NK=1000 -S 4096'; \
		$(REDBLUE) bound gemm -D NI=1000,NJ=1000,NK=1000 -S 4096
	@echo; echo '$$ redblue plan matmul -m 4096 -n 4096 -k 4096 -p 13'; $(REDBLUE) plan matmul -m 4096 -n 4096 -k 4096 -p 13
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
	@$(MAKE) --no-print-directory test-browser
	@$(MAKE) --no-print-directory test-mpi

# A crate built for one MPI does not run with another. Only mpi-sys asks which one there is, and does not notice when
# that changes, so it is built anew for each. The whole workspace is named, and tests are built along with programs, so
# that everything which does not depend on MPI is what `make test` has built already. Warnings do not depend on the MPI,
# and only what names the feature is looked at again.
MPI_CARGO = --workspace --features mpi --lib --bins --test mpi
test-mpi: setup-mpi
	@for mpi in openmpi mpich; do ( \
		export MPICC=mpicc.$$mpi; \
		target="$${CARGO_TARGET_DIR:-target}/debug"; \
		$(CARGO) clean --quiet --package mpi-sys && \
		if [ $$mpi = openmpi ]; then \
			$(CARGO) clippy --quiet $(MPI_CARGO) -- -D warnings || exit 1; \
		fi; \
		built=$$($(CARGO) build --quiet $(MPI_CARGO) --message-format=json) && \
		for crate in redblue-dist redblue-kernels; do \
			binary=$$(printf '%s\n' "$$built" | sed -n "/$$crate\/Cargo.toml/s/.*\"executable\":\"\([^\"]*\)\".*/\1/p") && \
			crates/redblue-dist/tests/mpi.sh $$mpi $$crate "$$binary" || exit 1; \
		done; \
		crates/redblue/tests/bench.sh $$mpi "$$target/redblue" && \
		crates/redblue-capi/tests/scalapack.sh $$mpi "$$target/libredblue_capi.so" ) || exit 1; \
	done

test-browser: setup-browser
	REDBLUE_CHROMIUM=chromium $(CARGO) test --quiet --package redblue --test browser

# Writes docs/gallery anew. The tests compare.
gallery: setup
	UPDATE_GALLERY=all $(CARGO) test --release --package redblue --test gallery -- --nocapture

soak: setup
	REDBLUE_SOAK=1 $(CARGO) test --release --workspace -- --nocapture

bench: setup
	$(CARGO) bench --workspace --benches

install: setup
	$(CARGO) install --locked --path crates/redblue
