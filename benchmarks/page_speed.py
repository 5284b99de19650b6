"""How fast the explorer's page is: from a click until all bars move, and while the drawing is dragged.

``python benchmarks/page_speed.py`` starts ``bayou explore`` and chromium (Debian: ``apt-get install
chromium``; ``pip install playwright``). On alarm and munin1 it clicks bars, each a finding beside those
before, and takes the time from the click to the first frame with the new bars. Over link it drags the whole
drawing, then a part with bars, for two seconds each, while the browser lists the tasks that took longer than
50 ms. ``--keep`` writes ``page_speed.json`` and the table in ``docs/do/share/explorer.md``. The networks are
those of ``../shared/data/networks`` beside the repository, or of ``--networks FOLDER``. It takes a minute.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from kept_figures import keep

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tests.server.running_server import running  # noqa: E402

NETWORKS = HERE.parents[1] / "shared" / "data" / "networks"
PAGE = HERE.parent / "docs/do/share/explorer.md"
KEPT = HERE / "page_speed.json"
WINDOW = {"width": 1280, "height": 800}
TARGETS = {"alarm": 50, "munin1": 300}
"""Milliseconds in which all bars shall move."""
CLICKS, ROUNDS = 8, 5
PAN_SECONDS = 2.0
Figures = dict[str, Any]

WATCH = """() => {
  const seen = (window.seenClick = { begun: null, took: null });
  const canvas = document.querySelector(".canvas");
  addEventListener("click", (event) => Object.assign(seen, { begun: event.timeStamp, took: null }), true);
  new MutationObserver((changes) => {
    const moved = changes.some(({ target }) => target.classList.contains("fill"));
    if (!moved || seen.begun === null) return;
    const { begun } = seen;
    seen.begun = null;
    const { port1, port2 } = new MessageChannel(); // after the frame in which the bars were changed
    port1.onmessage = () => (seen.took = performance.now() - begun);
    port2.postMessage(0);
  }).observe(canvas, { subtree: true, attributes: true, attributeFilter: ["style"] });
  window.tasks = [];
  const note = (list) => tasks.push(...list.getEntries().map(({ duration }) => duration));
  new PerformanceObserver(note).observe({ type: "longtask" });
}"""
"""Takes the time from a click to the end of the frame that changes the bars (all at once), and long tasks."""

BARS = """() => {
  const free = (node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    const [across, down] = [x + width / 2, y + height / 2];
    return node.contains(document.elementFromPoint(across, down)) ? [across, down] : null;
  };
  const bars = (node) => [...node.querySelectorAll(".state")].filter((state) => {
    const share = parseFloat(state.querySelector(".value").textContent);
    return share > 20 && share < 99 && free(state);
  });
  return [...document.querySelectorAll(".node:not(.found)")].map(bars).filter((one) => one.length > 0)
    .map((states) => free(states[0]));
}"""
"""The middles of bars that are no sure thing, one for each box that has no finding."""


def open_network(browser: Browser, address: str, file: Path) -> Page:
    """The page with a network, half a second after it was opened."""
    page = browser.new_page(viewport=WINDOW)
    page.goto(address)
    page.get_by_label("Network file").set_input_files(file)
    page.get_by_role("tablist").wait_for()
    page.wait_for_timeout(500)
    page.evaluate(WATCH)
    return page


def clicks(browser: Browser, address: str, file: Path) -> Figures:
    """Milliseconds of the clicks of some rounds; all findings are taken back after each."""
    page = open_network(browser, address, file)
    taken = []
    for turn in range(ROUNDS):
        for _ in range(CLICKS):
            places = page.evaluate(BARS)
            if not places:
                break
            page.mouse.click(*places[(len(taken) + turn) % len(places)])
            page.wait_for_function("() => seenClick.took !== null")
            taken.append(page.evaluate("() => seenClick.took"))
            page.wait_for_timeout(200)
        page.keyboard.press("Shift+U")
        page.wait_for_timeout(500)
    tasks = page.evaluate("() => tasks")
    page.close()
    return {
        "clicks": len(taken),
        "first_ms": max(taken[:4]),
        "median_ms": statistics.median(taken),
        "worst_ms": max(taken),
        "all_ms": [round(one, 1) for one in taken],
        "long_tasks": len(tasks),
    }


def drag(page: Page) -> Figures:
    """The longest task and the frames while the drawing is dragged to and fro."""
    page.evaluate("() => (tasks.length = 0)")
    page.evaluate(FRAMES)
    across, down = page.evaluate(EMPTY)
    page.mouse.move(across, down)
    page.mouse.down()
    begun, step = time.perf_counter(), 0
    while (passed := time.perf_counter() - begun) < PAN_SECONDS:
        step += 1
        shift = 250 * abs((4 * passed / PAN_SECONDS) % 2 - 1)
        page.mouse.move(across - shift, down - shift / 3)
    page.mouse.up()
    frames = page.evaluate("() => framesSeen.splice(0)")
    page.wait_for_timeout(300)
    tasks = page.evaluate("() => tasks")
    return {
        "moves": step,
        "tasks_above_50_ms": len(tasks),
        "longest_task_ms": max(tasks, default=None),
        "frames": len(frames),
        "median_frame_ms": statistics.median(frames),
        "longest_frame_ms": max(frames),
    }


FRAMES = """() => {
  window.framesSeen = [];
  let before = performance.now();
  const next = (now) => {
    framesSeen.push(now - before);
    before = now;
    if (framesSeen.length < 1000) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}"""
EMPTY = """() => {
  const { left, top, width, height } = document.querySelector(".canvas").getBoundingClientRect();
  for (let k = 0; k < 400; k += 1) {
    const part = (step) => 0.3 + 0.65 * ((k * step) % 1);
    const place = [left + width * part(0.618), top + height * part(0.382)];
    if (document.elementFromPoint(...place)?.closest(".canvas, .node")?.matches(".canvas")) return place;
  }
  return null;
}"""
"""A place in the drawing where no box is."""


def pans(browser: Browser, address: str, file: Path) -> dict[str, Figures]:
    """The whole network dragged, then a part of it with bars."""
    page = open_network(browser, address, file)
    page.get_by_role("combobox", name="Show", exact=True).select_option("Whole network")
    page.wait_for_timeout(1500)
    found = {"whole": drag(page)}
    while page.locator(".canvas").get_attribute("data-level") != "bars":
        page.get_by_role("button", name="Zoom in").click()
        page.wait_for_timeout(100)
    page.wait_for_timeout(1000)
    found["bars"] = drag(page)
    page.close()
    return found


def measure(networks: Path) -> Figures:
    """All figures."""
    figures: Figures = {"date": time.strftime("%Y-%m-%d"), "cores": os.cpu_count()}
    with (
        running("explore", "--no-browser") as server,
        sync_playwright() as playwright,
    ):
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        figures["browser"] = f"chromium {chromium.version.split('.')[0]}"
        address = f"{server.address}/?token={server.token}"
        files = {name: networks / f"{name}.bif.gz" for name in (*TARGETS, "link")}
        figures["clicks"] = {name: clicks(chromium, address, files[name]) for name in TARGETS}
        figures["pans"] = pans(chromium, address, files["link"])
        chromium.close()
    return figures


def table(figures: Figures) -> str:
    """The figures as they stand in the docs."""
    lines = [
        f"{figures['date']}, {figures['cores']} cores (browser and server together), {figures['browser']}, "
        f"{WINDOW['width']}×{WINDOW['height']}:",
        "",
        "| from a click until all bars move | clicks | worst of the first four | median | worst | wanted |",
        "|---|---|---|---|---|---|",
    ]
    for name, found in figures["clicks"].items():
        told = " | ".join(f"{found[key]:.0f} ms" for key in ("first_ms", "median_ms", "worst_ms"))
        lines.append(f"| {name} | {found['clicks']} | {told} | below {TARGETS[name]} ms |")
    lines += [
        "",
        f"| link dragged for {PAN_SECONDS:g} s | tasks above 50 ms | median frame | longest frame |",
        "|---|---|---|---|",
    ]
    for name, found in figures["pans"].items():
        what = "the whole network" if name == "whole" else "a part with bars"
        longest = found["longest_task_ms"]
        tasks = f"{found['tasks_above_50_ms']} ({longest:.0f} ms)" if longest else "none"
        lines.append(
            f"| {what} | {tasks} | {found['median_frame_ms']:.0f} ms | {found['longest_frame_ms']:.0f} ms |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--keep", action="store_true", help="write page_speed.json and docs/do/share/explorer.md"
    )
    parser.add_argument(
        "--networks", type=Path, default=NETWORKS, help="a folder with alarm.bif.gz and others"
    )
    options = parser.parse_args()
    if shutil.which("chromium") is None:
        sys.exit("This benchmark needs chromium: apt-get install chromium")
    figures = measure(options.networks)
    print(table(figures))
    if options.keep:
        keep(figures, table(figures), KEPT, PAGE)


if __name__ == "__main__":
    main()
