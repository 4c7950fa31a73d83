# `make demo` and `make test` are all the set-up there is: each makes the environment that it needs.
# Wanted: git, make, and a Python >= 3.12 with venv. PYTHON=/path/to/python chooses another.

.DEFAULT_GOAL := help
.PHONY: help venv venv-dev venv-clients demo test test-heavy lint bench requirements clean system

SETUP := $(if $(PYTHON),PYTHON='$(PYTHON)') sh deploy/requirements/setup.sh
BIN := .venv/bin
# Files stay together on one worker, so that what a file shares is made once.
WORKERS ?= 2
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile
ARGS ?=

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 24

venv: ## .venv with what Redtape needs to run
	@$(SETUP) runtime

venv-dev:
	@$(SETUP) dev

venv-clients:
	@$(SETUP) clients

demo: venv ## the main job, offline, end to end, with a report
	@$(BIN)/redtape demo $(ARGS)

test: system venv-dev venv-clients ## the tests, at most 12 minutes on 2 cores; ARGS=... for pytest
	@$(PYTEST) -m "not heavy" $(ARGS)

test-heavy: system venv-dev venv-clients ## fault matrix, kill loops, long runs; at most 40 minutes
	@$(PYTEST) -m heavy --timeout 1200 $(ARGS)

lint: venv-dev ## ruff, mypy --strict, layers
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: venv-dev ## measurements against the limits that are promised
	@$(BIN)/python -m tests.bench $(ARGS)

# A warning only: tests that need what is missing fail and say so.
system:
	@missing= ; \
	has() { command -v "$$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$$1" ] || [ -x "/sbin/$$1" ]; } ; \
	has chromium || has chromium-browser || has google-chrome || missing="$$missing chromium" ; \
	has nft || missing="$$missing nftables" ; \
	has ip || missing="$$missing iproute2" ; \
	has curl || missing="$$missing curl" ; \
	[ -z "$$missing" ] || echo "Not found, and the tests that need it will fail:$$missing. Install: apt-get install$$missing" >&2

# UPGRADE=--upgrade raises all pins; without it only what the .in files force changes.
UPGRADE ?=
COMPILE = "$$tmp/bin/uv" pip compile --quiet --universal --python-version 3.12 --generate-hashes \
	--no-emit-index-url --no-header $(UPGRADE)

requirements: venv ## the hash-pinned deploy/requirements/*.txt from the *.in
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	$(BIN)/python -m venv "$$tmp" && \
	"$$tmp/bin/python" -m pip install --quiet --disable-pip-version-check uv && \
	cd deploy/requirements && \
	for name in build runtime dev clients; do \
		echo "$$name.txt" && $(COMPILE) --output-file $$name.txt $$name.in || exit 1 ; \
	done

clean: ## remove the environments and caches that make made; evidence and reports stay
	@for env in .venv .venv-clients; do \
		if ls $$env/.redtape-* >/dev/null 2>&1; then rm -rf $$env; \
		elif [ -e $$env ]; then echo "$$env was not made by make; left alone" >&2; fi ; \
	done
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find corpus proxy injectors scoring deploy tests -name __pycache__ -type d -prune -exec rm -rf {} +
