"""``bayou info``: versions, the compiled core, engines, threads, limits and optional packages."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import sys
from pathlib import Path
from typing import Any

import click

from bayou.cli.terminal.rendering import Screen
from bayou.cli.terminal.reporting import json_option, print_json
from bayou.errors import EXTRAS
from bayou.version import __version__

EXAMPLES = """\b
Examples:
  bayou info
  bayou info --json > about.json               (for the report of a bug)
"""
_INSTRUCTIONS = ("avx2", "fma", "avx512f", "avx512bw", "avx512_vpopcntdq", "popcnt")
"""The instruction sets that the core has own kernels for, as Linux names them."""
_NEEDED = ("numpy", "scipy", "scikit-learn", "narwhals", "duckdb", "sqlglot", "click", "rich")


@click.command(short_help="Versions, engines, threads, limits.", epilog=EXAMPLES)
@json_option
def info(as_json: bool) -> None:
    """Say what is installed here, and what this library may use."""
    found = about()
    if as_json:
        print_json(found)
        return
    screen = Screen()
    screen.text(f"bayou {found['bayou']} on Python {found['python']}, {found['system']}")
    screen.text(
        f"Compiled core: {found['core']['file']} ({', '.join(found['core']['instructions']) or 'plain'})"
    )
    screen.text(f"Threads: {found['threads']} of {found['cores']} cores")
    limits = found["limits"]
    screen.text(f"Limits of a question: {limits['memory']} of memory, {limits['work']} operations")
    screen.text(f"Memory left: {limits['left']}")
    screen.text(f"Engines: {', '.join(found['engines'])}")
    for title, key in (("Needs", "packages"), ("May use", "optional_packages")):
        screen.text("", f"{title}:")
        for name, version in found[key].items():
            missing = f"not installed (pip install 'bayou[{EXTRAS[name]}]')" if name in EXTRAS else "missing"
            screen.text(f"  {name} {version or missing}", style="" if version else "yellow")


def about() -> dict[str, Any]:
    """All of it as plain data."""
    from bayou._native import _core
    from bayou.inference.engines import ENGINES
    from bayou.memory import amount_text, available_memory, count_text, current_limits
    from bayou.thread_count import threads

    limits = current_limits()
    return {
        "bayou": __version__,
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "system": f"{platform.system()} {platform.machine()}",
        "core": {"file": Path(_core.__file__ or "").name, "instructions": instructions()},
        "threads": threads.count(),
        "cores": os.cpu_count() or 1,
        "limits": {
            "memory": amount_text(limits.memory),
            "work": count_text(limits.work),
            "left": amount_text(available_memory()),
        },
        "engines": sorted(ENGINES),
        "packages": {name: _version(name) for name in _NEEDED},
        "optional_packages": {name: _version(name) for name in EXTRAS},
    }


def instructions() -> list[str]:
    """The instruction sets of this processor that kernels use; none where the system does not list them."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    flags = re.search(r"^flags\s*:(.*)$", text, flags=re.M)
    known = set(flags[1].split()) if flags else set()
    return [name for name in _INSTRUCTIONS if name in known]


def _version(package: str) -> str | None:
    """The version of an installed package; it is not imported."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
