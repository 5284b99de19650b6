"""The results page, written from one run."""

from __future__ import annotations

import os
import platform
import time
from importlib import metadata
from pathlib import Path
from typing import Any

from cases import ALL

NOTES = Path(__file__).resolve().parent / "notes.md"
PEERS = ("pyagrum", "pgmpy", "scikit-learn", "numpy", "pandas", "pyarrow", "duckdb")


def machine() -> dict[str, Any]:
    """What the run was made on."""
    return {
        "cpu": _cpuinfo("model name"),
        "vector instructions": _vectors(),
        "cores": os.cpu_count(),
        "memory": f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d"),
    }


def _cpuinfo(field: str) -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(field):
            return line.partition(":")[2].strip()
    return "unknown"


def _vectors() -> str:
    flags = _cpuinfo("flags").split()
    known = ("avx2", "avx512f", "avx512_vpopcntdq")
    return ", ".join(flag for flag in known if flag in flags) or "none"


def versions() -> dict[str, str]:
    """The versions of all that was measured."""
    import bayou

    return {"bayou": bayou.__version__, **{name: metadata.version(name) for name in PEERS}}


def write(path: Path, results: dict[str, Any]) -> None:
    """Render the page."""
    where = ", ".join(f"{key} {value}" for key, value in results["machine"].items())
    pinned = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    parts = [
        "# Benchmarks",
        "Written by `make bench` from one run; do not edit (remarks live in `benchmarks/notes.md`). Each system "
        "runs alone in a fresh process with its default number of threads. Times are the best of several runs "
        "(the median in brackets); extra memory is the peak above what the process held before the first run. "
        "All answers to a question were checked to agree, otherwise there would be no page.",
        f"Machine: {where}.",
        f"Versions: {pinned}.",
        summary(results),
        *(section(case, results["cases"][case.name]) for case in ALL),
    ]
    if NOTES.exists():
        parts.append(NOTES.read_text().strip())
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n\n".join(parts) + "\n")


def summary(results: dict[str, Any]) -> str:
    """The table of targets."""
    lines = ["## Targets", "", "| work | bayou | peer | ratio | target | |", "|---|---|---|---|---|---|"]
    for case in ALL:
        rows = results["cases"][case.name]
        ours = rows["bayou"]
        for peer, target in case.targets.items():
            ratio = rows[peer]["best"] / ours["best"]
            times = f"{duration(ours['best'])} | {peer} {duration(rows[peer]['best'])}"
            lines.append(
                f"| {case.title} | {times} | {ratio:.1f}× | {target:g}× | {verdict(ratio >= target)} |"
            )
        for peer, allowed in case.within_ms.items():
            more = (ours["best"] - rows[peer]["best"]) * 1e3
            times = f"{duration(ours['best'])} | {peer} {duration(rows[peer]['best'])}"
            lines.append(
                f"| {case.title} | {times} | {more:+.0f} ms | +{allowed:g} ms | {verdict(more <= allowed)} |"
            )
        if case.memory is not None:
            share = ours["extra_memory"] / ours["input_bytes"]
            sizes = f"+{megabytes(ours['extra_memory'])} | input {megabytes(ours['input_bytes'])}"
            met = verdict(share < case.memory)
            lines.append(
                f"| {case.title}: memory | {sizes} | {share:.2f}× | below {case.memory:g}× | {met} |"
            )
    return "\n".join(lines)


def section(case: Any, rows: dict[str, Any]) -> str:
    """All systems of one case."""
    lines = [f"## {case.title[0].upper()}{case.title[1:]}", ""]
    if case.note:
        lines += [case.note, ""]
    lines += [
        "| system | best | median | runs | bayou is | extra memory | check |",
        "|---|---|---|---|---|---|---|",
    ]
    ours = rows["bayou"]["best"]
    for system, row in rows.items():
        ratio = "" if system == "bayou" else f"{row['best'] / ours:.1f}× faster"
        if system != "bayou" and row["best"] < ours:
            ratio = f"{ours / row['best']:.1f}× slower"
        check = "" if case.tolerance is None else f"{row['check']:.9g}"
        times = f"{duration(row['best'])} | ({duration(row['median'])}) | {row['runs']}"
        lines.append(f"| {system} | {times} | {ratio} | {megabytes(row['extra_memory'])} | {check} |")
    return "\n".join(lines)


def verdict(met: bool) -> str:
    """Met or missed."""
    return "met" if met else "**missed**"


def duration(seconds: float) -> str:
    """A time with three digits."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def megabytes(size: float) -> str:
    """A size in MB."""
    return f"{size / 1e6:.0f} MB" if size >= 1e7 else f"{size / 1e6:.1f} MB"
