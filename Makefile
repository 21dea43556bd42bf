# make run [RAW="files…"]   set up what is missing, then run the pipeline on the samples, or on RAW
# make test                 set up what is missing, then pass the tests
# make check                lint, types, import law
# make lock                 resolve the dependencies anew

PYTHON ?= python3
RAW ?= config/samples
PIP := .venv/bin/python -m pip --disable-pip-version-check --quiet
UV_COMPILE := .venv/bin/python -m uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml
# Compiled now, as a command starts a tenth of a second sooner for it and the first user may not be allowed to write here.
INSTALL_PROJECT = $(PIP) install --no-deps --no-build-isolation -e . && .venv/bin/python -m compileall -q flows transforms warehouse

.PHONY: run test check lock clean

run: .venv/.run
	.venv/bin/paperlake run $(RAW)

test: .venv/.dev
	.venv/bin/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

check: .venv/.dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

# The dev environment holds all of the product's, so `make run` after `make test` installs nothing.
.venv/.run: requirements.lock pyproject.toml
	@echo "setting up .venv: some 700 MB of packages, one to two minutes, once"
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	$(PIP) install --require-hashes -r requirements.lock
	$(INSTALL_PROJECT)
	touch $@

.venv/.dev: requirements-dev.lock requirements.lock pyproject.toml
	@echo "setting up .venv for tests: some 800 MB of packages, one to two minutes, once"
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	$(PIP) install --require-hashes -r requirements-dev.lock
	$(INSTALL_PROJECT)
	touch $@ .venv/.run

lock: .venv/.dev
	$(PIP) install uv
	$(UV_COMPILE) --extra build -o requirements.lock
	$(UV_COMPILE) --extra build --extra dev -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf .venv
