# Every target makes what it needs: an environment of its own (.venv), the package in it, the tools.
# A fresh machine needs Python >= 3.10 with pip, a C++ compiler and make.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
SOURCES := $(shell find cpp src -name '*.cpp' -o -name '*.hpp' -o -name '*.inc' -o -name '*.py' -o -name '*.csv' -o -path '*/page/*.*') \
           CMakeLists.txt pyproject.toml

.PHONY: demo java spark test lint bench docs fuzz sanitize core stubs clean

demo: $(VENV)/installed
	@$(BIN)/bayou demo

test: lint java $(VENV)/tools
	$(BIN)/python -m pytest -n auto --dist worksteal tests docs README.md --pyargs bayou
	$(MAKE) --no-print-directory sanitize docs

# The tests of Spark alone, and more of them: over Spark Connect, too, every job is done.
spark: java $(VENV)/tools
	BAYOU_SPARK_ALL=1 $(BIN)/python -m pytest -n 2 tests/spark

# The tests of Spark need Java 17. Without it they are skipped, except where BAYOU_NO_SKIPS is set.
java:
	@ls /usr/lib/jvm/java-17-openjdk-*/bin/java >/dev/null 2>&1 || command -v java >/dev/null || [ "$$(id -u)" != 0 ] \
	  || (apt-get update -qq && apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless)

lint: $(VENV)/tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench:
	$(PYTHON) benchmarks/run.py

docs: $(VENV)/tools
	$(BIN)/python -m pip install -q --group docs
	$(BIN)/mkdocs build --strict --quiet --site-dir build/site

# Damaged files and texts for every reader: 50 times as many as in `make test`, and other ones.
fuzz: $(VENV)/tools
	BAYOU_FUZZ=50 $(BIN)/python -m pytest -n auto tests/fuzz

# The core under the address and undefined-behaviour sanitizers, run on the kernel and reader tests.
sanitize: $(VENV)/tools
	$(BIN)/python -m pip install -q cmake ninja nanobind
	@mkdir -p build
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DBAYOU_SANITIZE=ON -DBAYOU_UNITY=ON \
	  -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DPython_EXECUTABLE=$(abspath $(BIN))/python >build/sanitize.log \
	  || (cat build/sanitize.log; exit 1)
	$(BIN)/cmake --build build/sanitize
	$(BIN)/python tests/sanitized.py build/sanitize

# A development build of the core beside the Python sources: PYTHONPATH=src then works.
core:
	cmake -S . -B build/core -G Ninja -DPython_EXECUTABLE=$$($(PYTHON) -c 'import sys; print(sys.executable)') >/dev/null
	cmake --build build/core
	cp build/core/_core*.so src/bayou/_native/

# The types of the core for type checkers, from the development build (needs ruff).
stubs: core
	PYTHONPATH=src $(PYTHON) cpp/stubs.py

$(VENV)/made:
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Modules are byte-compiled when they are first imported, not all of scipy and scikit-learn beforehand.
PIP_INSTALL = $(BIN)/python -m pip install -q --no-compile --disable-pip-version-check
$(VENV)/dependencies: $(VENV)/made pyproject.toml
	@sed -n '/^dependencies = \[/,/^\]/s/^  "\(.*\)",$$/\1/p' pyproject.toml >$(VENV)/dependencies.txt
	$(PIP_INSTALL) -r $(VENV)/dependencies.txt
	@touch $@

# The core is compiled while the environment is made and what the package depends on is fetched.
$(VENV)/installed: $(SOURCES)
	@rm -rf build/wheel
	$(PYTHON) -m pip wheel -q --no-deps --disable-pip-version-check -w build/wheel . & built=$$!; \
	  $(MAKE) --no-print-directory $(VENV)/dependencies && wait $$built
	$(PIP_INSTALL) --no-deps --force-reinstall build/wheel/bayou-*.whl
	@touch $@

# Groups need pip 25.1. The tests take warnings for errors, also those that others' modules give while they are
# byte-compiled: that is done here.
$(VENV)/tools: $(VENV)/installed
	$(BIN)/python -m pip install -q --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install -q --group test --group lint
	-@$(BIN)/python -W ignore -m compileall -qq -j 0 $(VENV)/lib
	@touch $@

clean:
	rm -rf build dist $(VENV) src/bayou/_native/_core*.so .pytest_cache .mypy_cache .ruff_cache .hypothesis
