# dev build of the core beside the Python sources (PYTHONPATH=src then works)
PYTHON ?= python3
core:
	cmake -S . -B build/core -G Ninja -DPython_EXECUTABLE=$$($(PYTHON) -c 'import sys; print(sys.executable)') >/dev/null
	cmake --build build/core
	cp build/core/_core*.so src/bayou/_native/
