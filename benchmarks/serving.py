"""How many questions per second ``bayou serve`` answers, how fast, and with how much memory.

``python benchmarks/serving.py`` needs the program ``wrk`` (Debian: ``apt-get install wrk``), which asks
single questions about alarm with findings that vary (``serving.lua``), over 1, 32 and 256 connections: as
fast as the server answers, and at 2,000 a second, which is where latencies mean something. ``--minutes 10``
watches the memory of the server for as long, ``--keep`` writes ``serving.json`` and the table in
``docs/do/share/serving.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import bayou
from kept_figures import keep

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tests.server.wide_network import grid  # noqa: E402

PAGE = HERE.parent / "docs/do/share/serving.md"
KEPT = HERE / "serving.json"
CONNECTIONS, RATE = (1, 32, 256), 2000
GRID = 22
MB = 1e6
Figures = dict[str, Any]


@dataclass
class Server:
    """A server that was just started."""

    process: subprocess.Popen[str]
    address: str
    seconds: float

    @property
    def memory(self) -> float:
        """The megabytes that its process has."""
        return _resident(self.process.pid)

    @property
    def workers(self) -> list[int]:
        """Its worker processes."""
        path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        return [int(word) for word in Path(path).read_text().split()]

    def ask(self, path: str, body: Figures) -> float:
        """The seconds that a question takes."""
        begun = time.perf_counter()
        with self.send(path, body) as connection:
            connection.recv(2**16)
        return time.perf_counter() - begun

    def send(self, path: str, body: Figures) -> socket.socket:
        """A connection on which a question was asked."""
        host, _, port = self.address.removeprefix("http://").rpartition(":")
        content = json.dumps(body).encode()
        connection = socket.create_connection((host, int(port)))
        lines = [f"POST {path} HTTP/1.1", f"Host: {host}", "Content-Type: application/json"]
        lines += [f"Content-Length: {len(content)}", "", ""]
        connection.sendall("\r\n".join(lines).encode() + content)
        return connection


def _resident(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MB


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """``bayou serve`` with alarm and a network whose questions take a minute."""
    bayou.examples.alarm().save(folder / "alarm.bayou")
    grid(GRID).save(folder / "wide.bayou")
    files = [str(folder / "alarm.bayou"), str(folder / "wide.bayou")]
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "bayou", "serve", *files, "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    told = ""
    while not told.rstrip().endswith("}"):
        told += process.stdout.readline()
    address = json.loads(told)["address"]
    with urlopen(f"{address}/readyz") as answer:
        answer.read()
    try:
        yield Server(process, address, time.perf_counter() - begun)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
        process.stdout.close()


def load(server: Server, connections: int, rate: int, seconds: float) -> Figures:
    """The figures of one run of wrk; rate 0: as fast as the server answers."""
    command = [
        "wrk",
        "-t1",
        f"-c{connections}",
        f"-d{max(1, round(seconds))}s",
        "-s",
        str(HERE / "serving.lua"),
    ]
    before = server.memory
    run = subprocess.run(
        [*command, server.address, str(rate), str(connections)], capture_output=True, text=True, check=True
    )
    line = next(line for line in run.stdout.splitlines() if line.startswith("RESULT "))
    found: Figures = json.loads(line.removeprefix("RESULT "))
    figures = {"connections": connections, "asked": rate or "as fast as it goes", **found}
    return {
        **figures,
        "per_second": found["requests"] / found["seconds"],
        "memory_before": before,
        "memory": server.memory,
    }


def beside_a_long_question(server: Server, seconds: float) -> Figures:
    """Small questions while one of about a minute runs; then how soon its process rests."""
    target, finding = f"{GRID - 1} {GRID - 1}", {"variable": "3 3", "state": "no"}
    connection = server.send("/v1/models/wide/query", {"targets": [target], "findings": [finding]})
    time.sleep(3)
    figures = load(server, 8, 500, seconds)
    connection.close()
    begun = time.perf_counter()
    while _busy(server.workers, 0.1):
        pass
    return {**figures, "rests_after_seconds": max(0.0, time.perf_counter() - begun - 0.1)}


def _busy(processes: list[int], seconds: float) -> bool:
    before = [_ticks(process) for process in processes]
    time.sleep(seconds)
    return before != [_ticks(process) for process in processes]


def _ticks(process: int) -> int:
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return 0
    return int(words[11]) + int(words[12])


def over_minutes(server: Server, minutes: float) -> Figures:
    """The memory of the server after each minute of 2,000 questions a second."""
    load(server, 32, RATE, min(10, 60 * minutes))
    figures: Figures = {"minutes": minutes, "memory": [server.memory], "errors": 0, "p99_ms": 0.0}
    for _ in range(max(1, round(minutes))):
        found = load(server, 32, RATE, 60 * min(1.0, minutes))
        figures["memory"].append(found["memory"])
        figures["errors"] += found["errors"]
        figures["p99_ms"] = max(figures["p99_ms"], found["p99_ms"])
    return figures


def measure(seconds: float, minutes: float) -> Figures:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server:
        figures: Figures = {
            "cores": os.cpu_count(),
            "readers": [name for name in ("httptools", "uvloop") if find_spec(name)],
            "date": time.strftime("%Y-%m-%d"),
            "start_seconds": server.seconds,
            "start_memory": server.memory,
            "worker_start_seconds": server.ask("/v1/models/alarm/most-probable", {}),
            "worker_memory": [_resident(process) for process in server.workers],
        }
        load(server, 32, 0, min(2, seconds))  # the plans of questions are made once
        runs = [load(server, n, 0, seconds) for n in CONNECTIONS]
        runs += [load(server, n, RATE, seconds) for n in CONNECTIONS if n > 1]
        figures["runs"] = runs
        figures["beside"] = beside_a_long_question(server, min(4, seconds))
        if minutes:
            figures["over_minutes"] = over_minutes(server, minutes)
    return figures


def table(figures: Figures) -> str:
    """The figures as they stand in the docs."""
    readers = " and ".join(figures["readers"]) or "Python's own reader of HTTP"
    lines = [
        f"{figures['date']}, {figures['cores']} cores (client included), {readers}:",
        "",
        "| connections | asked | answers/s | p50 | p99 | errors | memory |",
        "|---|---|---|---|---|---|---|",
    ]
    for run in figures["runs"]:
        asked = f"{run['asked']:,}/s" if isinstance(run["asked"], int) else run["asked"]
        lines.append(
            f"| {run['connections']} | {asked} | {run['per_second']:,.0f} | {run['p50_ms']:.1f} ms | "
            f"{run['p99_ms']:.1f} ms | {run['errors']} | {run['memory']:.0f} MB |"
        )
    worker, beside = max(figures["worker_memory"], default=0.0), figures["beside"]
    lines += [
        "",
        f"The server starts in {figures['start_seconds']:.1f} s with {figures['start_memory']:.0f} MB; "
        f"a worker answers its first question after {figures['worker_start_seconds']:.1f} s and has "
        f"{worker:.0f} MB. While a question of about a minute runs, small ones (500 a second) have a p99 of "
        f"{beside['p99_ms']:.1f} ms, {beside['errors']} errors; when its client goes, "
        f"its process rests after {beside['rests_after_seconds']:.1f} s.",
    ]
    if known := figures.get("over_minutes"):
        memory = known["memory"]
        lines.append(
            f"Over {known['minutes']:g} minutes at {RATE:,} a second the server had {memory[0]:.0f} MB "
            f"at first and {memory[-1]:.0f} MB at the end (at most {max(memory):.0f}), "
            f"{known['errors']} errors."
        )
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10, help="of each run")
    parser.add_argument("--minutes", type=float, default=0, help="how long the memory is watched")
    parser.add_argument("--keep", action="store_true", help="write serving.json and docs/do/share/serving.md")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("This benchmark needs wrk: apt-get install wrk")
    figures = measure(options.seconds, options.minutes)
    print(table(figures))
    if options.keep:
        keep(figures, table(figures), KEPT, PAGE)


if __name__ == "__main__":
    main()
