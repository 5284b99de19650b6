"""Draw the pictures of the documentation: terminals from real runs of the command line, and plots.

python docs/pictures/make.py
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

import bayou

HERE = Path(__file__).parent
# Rich's own frame without the web font that it would load from elsewhere.
FRAME = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg"
  xml:space="preserve">
<style>
.{unique_id}-matrix {{ font-family: Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px;
  line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def main() -> None:
    """One picture a command; run on a network learned from the bundled table."""
    with tempfile.TemporaryDirectory() as folder:
        net = bayou.Network(bayou.examples.storm().dag).fit(bayou.examples.storm_data())
        net.save(f"{folder}/storm.bayou")
        _draw("query", folder, ["query", "storm.bayou", "Storm | Thunder=yes", "--working"])
        _patients(Path(folder) / "patients.csv")
        _draw("check", folder, ["check", "patients.csv", "--target", "ill"], width=100)
    _reliability()
    _draw_boundary()
    _comparison()
    rows = bayou.examples.storm().sample(2000, seed=7).to_pandas()
    bayou.learn_structure(rows).to_svg(HERE / "structure.svg")
    _drawing()
    _draw_em()
    _draw_mixture()
    _draw_sequences()
    _draw_tracking()
    _draw_machine()
    _draw_bounds()
    _draw_particles()


def _comparison() -> None:
    """The examples of docs/do/networks/comparing.md."""
    found = bayou.Network(
        "Lightning -> Storm -> Campfire <- BusTourGroup; Lightning -> Thunder; "
        "Campfire, Lightning -> ForestFire; BusTourGroup -> ForestFire"
    )
    found.compare(bayou.examples.storm()).to_svg(HERE / "comparison.svg")
    data = bayou.examples.storm().sample(2000, seed=1).to_dicts()
    bayou.arc_strength(data, samples=20, seed=1).to_svg(HERE / "strengths.svg")


def _drawing() -> None:
    """The examples of docs/do/networks/drawing.md."""
    bayou.examples.asia().to_svg(HERE / "beliefs.svg", {"xray": "yes", "smoke": "yes"})
    verdict = bayou.examples.storm().d_separated("Lightning", "BusTourGroup", given="Campfire")
    verdict.to_svg(HERE / "trail.svg")


def _draw_em() -> None:
    """The way of EM on the storm network with a third of the cells gone."""
    import matplotlib as mpl

    chance = np.random.default_rng(1)
    truth = bayou.examples.storm()
    rows = truth.sample(500, seed=1).to_dicts()
    gaps = [{k: None if chance.random() < 0.33 else v for k, v in row.items()} for row in rows]
    with mpl.rc_context({"svg.hashsalt": "bayou"}):
        ax = bayou.Network(truth.dag).fit(gaps).learning.plot()
        ax.figure.savefig(HERE / "em.svg", metadata={"Date": None})


def _draw_mixture() -> None:
    """Points coloured by the hidden class that EM found."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    chance = np.random.default_rng(1)
    kind = chance.integers(0, 3, 300)
    points = np.array([[0, 0], [4, 1], [1, 5]])[kind] + chance.normal(size=(300, 2)) * [1, 0.7]
    data = {"x": points[:, 0], "y": points[:, 1]}
    net = bayou.Network("Kind -> x, y", states={"Kind": ["a", "b", "c"]}, continuous=["x", "y"])
    found = np.asarray(net.fit(data, restarts=3).predict(data, "Kind")).ravel()
    with mpl.rc_context({"svg.hashsalt": "bayou"}):
        figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
        for state, colour in zip("abc", ("#4a7fb5", "#c8703a", "#4f9a67"), strict=True):
            ax.scatter(*points[found == state].T, s=10, color=colour, label=f"Kind = {state}")
        ax.set_xlabel("x")
        ax.set_ylabel("y")
        ax.legend()
        figure.savefig(HERE / "mixture.svg", metadata={"Date": None})


def _draw_bounds() -> None:
    """How bounds tighten with time, as benchmarks/bounds.py measured it."""
    import json

    import matplotlib as mpl
    import matplotlib.pyplot as plt

    measured = json.loads((HERE.parents[1] / "benchmarks" / "bounds.json").read_text())
    times, (wide, narrow) = measured["times"], measured["limits"].values()
    lines = [
        ("munin1, width 8", wide["munin1"], "#4a7fb5", "-"),
        ("link, width 8", wide["link"], "#c8703a", "-"),
        ("andes, width 8", wide["andes"], "#4f9a67", "-"),
        ("andes, width 3", narrow["andes"], "#4f9a67", "--"),
        ("munin1, width 3", narrow["munin1"], "#4a7fb5", "--"),
        ("link, width 3", narrow["link"], "#c8703a", "--"),
    ]
    with mpl.rc_context({"svg.hashsalt": "bayou", "svg.fonttype": "none"}):
        figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
        for label, found, colour, style in lines:
            left.plot(times, np.maximum(found["median"], 1e-6), style, color=colour, label=label, marker=".")
            right.plot(times, found["nothing"], style, color=colour, marker=".")
        left.set(xscale="log", yscale="log", xlabel="seconds allowed", ylabel="median width (bottom: exact)")
        right.set(
            xscale="log", xlabel="seconds allowed", ylabel="share of answers [0, 1]", ylim=(-0.02, 1.02)
        )
        left.legend(fontsize="small")
        figure.savefig(HERE / "bounds.svg", metadata={"Date": None})


def _draw_sequences() -> None:
    """The pages sequences.md and dynamic-networks.md: states, a trellis, beliefs."""
    import matplotlib as mpl

    chance = np.random.default_rng(1)
    mean = np.repeat([1, 5, 2.5, 5, 1, 2.5], [60, 40, 50, 30, 40, 30])
    current = mean + chance.normal(size=250) * np.where(mean == 5, 1.2, 0.5)
    rolls = [1, 4, 2, 5, 3, 1, 6, 6, 6, 3, 6, 6, 6, 6, 2, 1, 5, 3, 4]
    with mpl.rc_context({"svg.hashsalt": "bayou", "svg.fonttype": "none"}):
        ax = bayou.HMM(3).fit({"current": current}).plot({"current": current})
        ax.figure.savefig(HERE / "states.svg", metadata={"Date": None})
        ax = bayou.examples.casino().trellis(rolls)
        ax.figure.savefig(HERE / "trellis.svg", metadata={"Date": None})
        umbrellas = {"Umbrella": ["yes", "yes", "no", "yes", "yes"]}
        ax = bayou.examples.umbrella_world().smooth(umbrellas).plot("Rain")
        ax.figure.savefig(HERE / "umbrellas.svg", metadata={"Date": None})


def _draw_tracking() -> None:
    """The examples of sequences/tracking.md: a level with a gap and its forecast, a thing in the plane."""
    import matplotlib as mpl

    chance = np.random.default_rng(3)
    true = 50 + np.cumsum(chance.normal(size=120) * 0.5)
    sales = true + chance.normal(size=120) * 3
    sales[40:50] = np.nan
    turn = np.linspace(0, 1.5 * np.pi, 60)
    path = np.stack([10 * np.cos(turn), 10 * np.sin(turn)], axis=1)
    seen = path + chance.normal(size=path.shape)
    seen[25:32] = np.nan
    with mpl.rc_context({"svg.hashsalt": "bayou", "svg.fonttype": "none"}):
        ax = bayou.KalmanModel.local_level(column="sales").fit(sales).plot(sales, steps=15)
        ax.figure.savefig(HERE / "level.svg", metadata={"Date": None})
        track = bayou.KalmanModel.constant_velocity(2, acceleration=0.1).fit(seen).smooth(seen)
        ax = track.plot_track("position of x", "position of y", observed=seen)
        ax.figure.savefig(HERE / "track.svg", metadata={"Date": None})


def _made_by(page: Path, last: str) -> dict[str, Any]:
    """What the examples of a page make, up to the first one that has the words ``last``."""
    import doctest

    made: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8")):
        exec(compile(example.source, page.name, "single"), made)
        if last in example.source:
            break
    return made


def _draw_machine() -> None:
    """The example of dynamic-networks.md with a mode that switches numbers, made by running the page."""
    import matplotlib as mpl

    mpl.use("Agg")
    made = _made_by(HERE.parent / "do/sequences/dynamic-networks.md", "past = ")
    with mpl.rc_context({"svg.hashsalt": "bayou", "svg.fonttype": "none"}):
        figure, (above, below) = mpl.pyplot.subplots(
            2, 1, figsize=(7, 4.5), height_ratios=[2, 1], layout="constrained"
        )
        made["past"].plot("heat", observed=made["run"]["meter"], ax=above)
        made["past"].plot("mode", ax=below)
        figure.savefig(HERE / "machine.svg", metadata={"Date": None})


def _draw_particles() -> None:
    """The examples of docs/do/sequences/particles.md, made by running the page."""
    import matplotlib as mpl

    mpl.use("Agg")
    made = _made_by(HERE.parent / "do/sequences/particles.md", "grid_beliefs(shares")
    with mpl.rc_context({"svg.hashsalt": "bayou", "svg.fonttype": "none"}):
        exact = (made["exact_mean"], made["exact_spread"])
        ax = made["found"].plot(made["seen"], exact=exact)
        ax.figure.savefig(HERE / "particles.svg", metadata={"Date": None})
        figure, axes = mpl.pyplot.subplots(1, 2, figsize=(6.5, 3.3), layout="constrained")
        place, told = made["places"][-1], made["told"][-1]
        bayou.plots.grid_beliefs(made["exact_shares"], "exact", place=place, seen=told, ax=axes[0])
        bayou.plots.grid_beliefs(made["shares"], "5,000 particles", place=place, seen=told, ax=axes[1])
        figure.savefig(HERE / "tracking.svg", metadata={"Date": None})


def _draw_boundary() -> None:
    """The classes of iris by their petals, each with a covariance matrix of its own."""
    import matplotlib as mpl
    import pandas as pd
    from sklearn.datasets import load_iris

    mpl.use("Agg")
    mpl.rcParams.update({"svg.hashsalt": "bayou", "svg.fonttype": "none"})
    iris = load_iris()
    petals = pd.DataFrame(iris.data[:, 2:], columns=["petal length", "petal width"])
    species = iris.target_names[iris.target]
    ax = bayou.GaussianBayes("full").fit(petals, species).plot_boundary(X=petals, y=species)
    ax.figure.savefig(HERE / "boundary.svg", metadata={"Date": None})


def _patients(path: Path) -> None:
    """A table with some of the ailments that a CSV file can have."""
    rows = ["id,pressure,city,admitted,discharged,ill"]
    for k in range(60):
        city = ["Rom", "rom ", "Paris", "Paris", "Rom"][k % 5]
        ill, where = ("yes", "to ward") if k % 3 else ("no", "home")
        pressure = -999 if k % 20 == 0 else 70 + k % 13
        rows.append(f"P{k:03},{pressure},{city},2024-03-{k % 28 + 1:02},{where},{ill}")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def _reliability() -> None:
    """The example of docs/do/classify/deciding.md: too sure, and mended by a temperature."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "bayou", "svg.fonttype": "none"})
    random = np.random.default_rng(1)
    honest = random.random(2000)
    labels = np.where(random.random(2000) < honest, "yes", "no")
    sure = honest**3 / (honest**3 + (1 - honest) ** 3)
    mend = bayou.decisions.recalibrate(labels[:1000], sure[:1000], "temperature")
    before = bayou.decisions.reliability(labels[1000:], sure[1000:])
    after = bayou.decisions.reliability(labels[1000:], mend(sure[1000:]))
    axes = bayou.plots.reliability_diagram({"before": before, "after": after})
    axes.figure.savefig(HERE / "reliability.svg", metadata={"Date": None})


def _draw(name: str, folder: str, arguments: list[str], width: int = 96) -> None:
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": "96", "TERM": "xterm-256color"}
    run = subprocess.run(
        [sys.executable, "-m", "bayou.cli.main", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    shown = " ".join(f"'{part}'" if " " in part else part for part in arguments)
    console = Console(
        record=True, width=width, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(Text(f"$ bayou {shown}", style="bold"))
    console.print(Text.from_ansi(run.stdout.rstrip()))
    picture = console.export_svg(title="bayou", theme=MONOKAI, code_format=FRAME, unique_id=f"bayou-{name}")
    (HERE / f"{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
