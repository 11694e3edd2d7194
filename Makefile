# The commands a person types here. Each target sets up what it needs; nothing is done twice.

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
STAMP := $(VENV)/.set-up
# Newest first; a name on PATH that does not run (a version manager's stand-in) is passed over.
PYTHONS ?= python3.14 python3.13 python3.12 python3.11 python3 python
PIP = $(PY) -m pip --disable-pip-version-check --quiet install --constraint constraints.txt
NVIM = $(firstword $(wildcard $(BIN)/nvim) nvim)
# lazy.nvim itself is in no package index; this wheel carries it, and nothing else of it is kept.
LAZY := retronvim==0.4.10 --hash=sha256:bdeeb712c8396e85580b66bc39655ca1066d0d85d247cfb75368531745596443
LAZY_NVIM := $(VENV)/lazy.nvim/lua/lazy/init.lua
DELVE := github.com/go-delve/delve/cmd/dlv@v1.27.2
# More than two cores would take: most tests wait for an adapter or an editor.
WORKERS ?= 3
ARGS ?=

# What the caller's shell says about some other Python must not leak into this one.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV

.PHONY: help setup delve demo pictures test check format bench soak clean distclean

help:
	@echo 'make demo    see the debugger stop, step and show values in a real Neovim'
	@echo 'make test    run every test          (make test ARGS="-k name" for some)'
	@echo 'make check   lint, types, import contracts, Lua, help file'
	@echo 'make format  rewrite the sources in the project'"'"'s format'
	@echo 'make bench   measure step latency, start-up and memory, and print a table'
	@echo 'make soak    step for a long time and watch memory and processes'
	@echo 'make pictures  draw the pictures of the README from the demo anew'
	@echo 'make setup   make .venv with everything pinned (the others do it themselves)'
	@echo 'make delve   build the pinned dlv into .venv (needs Go; only for Go programs)'
	@echo 'make clean   remove caches and build results; make distclean removes .venv too'

setup: $(STAMP)
	@:

$(STAMP): pyproject.toml constraints.txt
	@set -e; \
	if ! $(PY) -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	  found=; \
	  for candidate in $(PYTHONS); do \
	    if "$$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	      found=$$candidate; break; \
	    fi; \
	  done; \
	  if [ -z "$$found" ]; then \
	    echo 'make setup: no Python 3.11 or newer with venv was found (looked for: $(PYTHONS)).' >&2; \
	    echo 'Install one (Debian, Ubuntu: apt install python3 python3-venv), or name it: make setup PYTHONS=/path/to/python3' >&2; \
	    exit 1; \
	  fi; \
	  echo "Making $(VENV) with $$("$$found" --version)"; \
	  "$$found" -m venv --clear $(VENV); \
	fi
	@echo 'Installing the pinned packages into $(VENV) (some 650 MB in the end)'
	@$(PIP) pip
	@$(PIP) --group dev
	@$(PIP) --no-build-isolation --editable '.[lldb]'
	@# The wheel of lldb-dap finishes its own installation when Python first starts with it.
	@$(PY) -c pass
	@touch $@

delve: $(BIN)/dlv

$(BIN)/dlv: | $(STAMP)
	GOBIN='$(abspath $(BIN))' go install $(DELVE)

$(LAZY_NVIM): | $(STAMP)
	@rm -rf $(VENV)/fetched $(VENV)/lazy.nvim
	@mkdir $(VENV)/fetched
	@echo '$(LAZY)' >$(VENV)/fetched/wanted
	@$(PY) -m pip --disable-pip-version-check --quiet download --no-deps --require-hashes \
	  --dest $(VENV)/fetched --requirement $(VENV)/fetched/wanted
	@$(PY) -m zipfile --extract $(VENV)/fetched/*.whl $(VENV)/fetched
	@mv $(VENV)/fetched/data/nvim/plugins/lazy.nvim $(VENV)/lazy.nvim
	@rm -r $(VENV)/fetched
	@touch $@

demo: $(STAMP)
	@$(PY) -m tests.demo $(ARGS)

pictures: $(STAMP)
	@$(PY) -m tests.demo --pictures

test: $(STAMP)
	@$(MAKE) --no-print-directory $(LAZY_NVIM) || echo 'make test: lazy.nvim could not be fetched, its tests are left out' >&2
	$(PY) -m pytest --numprocesses $(WORKERS) --dist worksteal $(ARGS)

check: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright
	$(BIN)/lint-imports --no-logo
	$(NVIM) -l tests/house/lua_check.lua build.lua plugin lua tests
	$(PY) -m tests.house.vimdoc
	$(PY) -m tests.house.tracked_files
	$(PY) -m tests.house.pins
	$(BIN)/shellcheck .ci/run doc/*.sh

format: $(STAMP)
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(STAMP)
	$(PY) -m tests.bench $(ARGS)

soak: $(STAMP)
	$(PY) -m tests.soak.simulated
	$(PY) -m tests.soak $(ARGS)

clean:
	rm -rf .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist build doc/tags
	find . -path ./$(VENV) -prune -o -type d -name __pycache__ -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)
