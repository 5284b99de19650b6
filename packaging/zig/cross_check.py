"""Compile the kernels, which know no Python, for processors and systems that are not at hand.

    python packaging/zig/cross_check.py [TARGET …]

It needs `pip install ziglang`. Objects are made and thrown away: it shows that the sources compile there,
not that they run.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

CPP = Path(__file__).parents[2] / "cpp"
TARGETS = ("aarch64-linux-gnu.2.28", "aarch64-macos", "x86_64-windows-gnu")
FLAGS = ("-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror=return-type")
ALONE = ("slice_backward.cpp",)
"""What instantiates the same class as another file of its folder."""


def main() -> None:
    """Say for each target whether everything compiles; end with 1 where something does not."""
    failed = [target for target in sys.argv[1:] or TARGETS if not compiles(target)]
    sys.exit(1 if failed else 0)


def compiles(target: str) -> bool:
    """Compile all folders for one target, one after the other."""
    x86 = target.startswith("x86_64")
    units: dict[str, list[Path]] = {}
    for source in sorted(CPP.glob("src/**/*.cpp")):
        if source.stem.endswith("_avx2"):
            if x86:
                units[f"{source.stem} -mavx2"] = [source]
        elif source.name in ALONE:
            units[source.stem] = [source]
        else:
            units.setdefault(str(source.parent.relative_to(CPP / "src")), []).append(source)
    errors = [error for unit, sources in units.items() if (error := error_of(target, unit, sources))]
    print(f"{target}: {len(units) - len(errors)} of {len(units)} units compile", flush=True)
    for error in errors:
        print(error)
    return not errors


def error_of(target: str, unit: str, sources: list[Path]) -> str:
    """Compile some files as one; nothing, or the first lines of what the compiler says."""
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "unit.cpp")
        whole.write_text("".join(f'#include "{source}"\n' for source in sources), encoding="utf-8")
        wide = ["-mavx2", "-mfma"] if unit.endswith("-mavx2") else []
        command = [sys.executable, "-m", "ziglang", "c++", "-target", target, *FLAGS, *wide]
        command += [f"-I{CPP / 'include'}", "-c", str(whole), "-o", str(Path(folder, "unit.o"))]
        done = subprocess.run(command, capture_output=True, text=True)
    return f"{unit}:\n{done.stderr[:2000]}" if done.returncode else ""


if __name__ == "__main__":
    main()
