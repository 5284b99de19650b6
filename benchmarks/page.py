"""The results page, written from one run, or from the last run of each case."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from cases import ALL

NOTES = Path(__file__).resolve().parent / "notes.md"
INTRODUCTION = (
    "Written by `make bench`; do not edit (remarks live in `benchmarks/notes.md`). Each system "
    "runs alone in a fresh process with its default number of threads. The best of several runs counts, in "
    "which files and memory are warm; the median and the first run stand beside it. Extra memory is the peak "
    "above what the process held before the first run; ‘others’ is the number of cores that other processes "
    "used meanwhile. All answers to a question were checked to agree: "
    "otherwise there would be no page. The check is the sum of the squares of all table entries or counts."
)
PEERS = (
    "pyagrum",
    "pgmpy",
    "pybnesian",
    "causal-learn",
    "pomegranate",
    "hmmlearn",
    "particles",
    "statsmodels",
    "scikit-learn",
    "numpy",
    "pandas",
    "pyarrow",
    "duckdb",
)


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
        INTRODUCTION,
        f"Machine: {where}. {busyness(results)}{other_days(results)}",
        f"Versions: {pinned}.",
        summary(results),
        *(section(case, results["cases"][case.name]) for case in measured(results)),
    ]
    if NOTES.exists():
        parts.append(NOTES.read_text().strip())
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n\n".join(parts) + "\n")


def busyness(results: dict[str, Any]) -> str:
    """How far to trust the run: what else the machine did meanwhile."""
    most = max(row["others"] for rows in results["cases"].values() for row in rows.values())
    told = f"Other processes used at most {most:.1f} cores during a measurement."
    if most > 0.3:
        told += (
            " **The machine was not idle**: systems with several threads suffer most from that, so ratios "
            "may be off either way. The last column of the tables tells where; repeat before quoting."
        )
    return told


def summary(results: dict[str, Any]) -> str:
    """The table of targets."""
    lines = ["## Targets", "", "| work | bayou | peer | ratio | target | |", "|---|---|---|---|---|---|"]
    for case in measured(results):
        for goal in goals(case, results["cases"][case.name]):
            lines.append(f"| {case.title}{goal}")
    return "\n".join(lines)


def measured(results: dict[str, Any]) -> list[Any]:
    """The cases that have results, in the order of the page."""
    return [case for case in ALL if case.name in results["cases"]]


def other_days(results: dict[str, Any]) -> str:
    """Which cases are of an earlier day than the last run."""
    last = results["machine"]["date"]
    days: dict[str, list[str]] = {}
    for name, day in results.get("dates", {}).items():
        if day != last:
            days.setdefault(day, []).append(name)
    return "".join(f" Of {day}: {', '.join(names)}." for day, names in sorted(days.items()))


def goals(case: Any, rows: dict[str, Any]) -> Iterator[str]:
    """The lines of one case in the table of targets, after the title."""
    ours = rows["bayou"]
    for peer, target in case.targets.items():
        ratio = rows[peer]["best"] / ours["best"]
        yield f"{times(ours, peer, rows)} | {ratio:.1f}× | {target:g}× | {verdict(ratio >= target)} |"
    for (own, peer), target in case.other_targets.items():
        ratio = rows[peer]["best"] / rows[own]["best"]
        told = f" ({own}){times(rows[own], peer, rows)}"
        yield f"{told} | {ratio:.1f}× | {target:g}× | {verdict(ratio >= target)} |"
    for peer, allowed in case.within_ms.items():
        more = (ours["best"] - rows[peer]["best"]) * 1e3
        yield f"{times(ours, peer, rows)} | {more:+.0f} ms | +{allowed:g} ms | {verdict(more <= allowed)} |"
    if case.below_ms is not None:
        met = verdict(ours["best"] * 1e3 < case.below_ms)
        yield f" | {duration(ours['best'])} | | | below {case.below_ms:g} ms | {met} |"
    for own in case.at_least:
        theirs = {peer: row["check"] for peer, row in rows.items() if not peer.startswith("bayou")}
        peer = max(theirs, key=theirs.__getitem__)
        gap = rows[own]["check"] - theirs[peer]
        told = f" ({own}): score | {rows[own]['check']:,.1f} | {peer} {theirs[peer]:,.1f}"
        yield f"{told} | {gap:+,.1f} | not below | {verdict(gap >= -1e-9 * abs(theirs[peer]))} |"
    if case.at_most is not None:
        theirs = {peer: row["check"] for peer, row in rows.items() if not peer.startswith("bayou")}
        peer, error = min(theirs, key=theirs.__getitem__), ours["check"]
        told = f": error | {error:.2g} | {peer} {theirs[peer]:.2g}"
        met = verdict(error <= case.at_most)
        yield f"{told} | {theirs[peer] / error:.1f}× | at most {case.at_most:g} | {met} |"
    if case.memory is not None:
        share = ours["extra_memory"] / ours["input_bytes"]
        sizes = f": memory | +{megabytes(ours['extra_memory'])} | input {megabytes(ours['input_bytes'])}"
        yield f"{sizes} | {share:.2f}× | below {case.memory:g}× | {verdict(share < case.memory)} |"


def times(ours: dict[str, Any], peer: str, rows: dict[str, Any]) -> str:
    """Both best times as cells."""
    return f" | {duration(ours['best'])} | {peer} {duration(rows[peer]['best'])}"


def section(case: Any, rows: dict[str, Any]) -> str:
    """All systems of one case."""
    lines = [f"## {case.title[0].upper()}{case.title[1:]}", ""]
    if case.note:
        lines += [case.note, ""]
    facts = list(dict.fromkeys(fact for row in rows.values() for fact in row.get("facts", {})))
    shown = "".join(f" {fact} |" for fact in facts)
    lines.append(
        f"| system | best | median | first | runs | bayou is | extra memory | check |{shown} others |"
    )
    lines.append("|---|---|---|---|---|---|---|---|" + "---|" * len(facts) + "---|")
    for system, row in rows.items():
        check = f"{row['check']:.9g}" if row["check"] else ""
        measured = " | ".join(duration(row[which]) for which in ("best", "median", "first"))
        memory = megabytes(row["extra_memory"]) if row["check"] else ""
        relation = "" if system == "bayou" else ratio_words(row["best"] / rows["bayou"]["best"])
        known = row.get("facts", {})
        told = "".join(f" {known[fact]:.6g} |" if fact in known else " |" for fact in facts)
        rest = f"{row['runs']} | {relation} | {memory} | {check} |{told} {row['others']:.1f}"
        lines.append(f"| {system} | {measured} | {rest} |")
    return "\n".join(lines)


def ratio_words(ratio: float) -> str:
    """How much faster or slower bayou is."""
    return f"{ratio:.1f}× faster" if ratio >= 1 else f"{1 / ratio:.1f}× slower"


def verdict(met: bool) -> str:
    """Met or missed."""
    return "met" if met else "**missed**"


def duration(seconds: float) -> str:
    """A time with three digits."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def megabytes(size: float) -> str:
    """A size in MB."""
    return f"{size / 1e6:.0f} MB" if size >= 1e7 else f"{size / 1e6:.1f} MB"
