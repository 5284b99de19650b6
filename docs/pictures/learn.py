"""Draw the pictures of the five lessons, by running their pages.

python docs/pictures/learn.py
"""

from __future__ import annotations

import contextlib
import doctest
import io
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import bayou

mpl.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
BLUE, ORANGE, GREEN, GREY = "#4a7fb5", "#c8703a", "#4f9a67", "#7a7a7a"


def main(folder: Path = HERE) -> None:
    """One function a lesson; what they draw goes into the folder."""
    # No date, no random names, letters as letters: the same picture gives the same file.
    with mpl.rc_context({"svg.hashsalt": "bayou", "svg.fonttype": "none"}):
        bayou.examples.storm().to_svg(folder / "learn-storm.svg")
        _save(_smoothing(_names_of("counting")), folder, "smoothing")
        lesson = _names_of("numbers")
        _save(_heights(lesson), folder, "heights")
        _save(_boundaries(lesson), folder, "boundaries")
        _save(_kernel(lesson), folder, "kernel")
        lesson = _names_of("structure")
        bayou.Network(lesson["naive_graph"]).to_svg(folder / "learn-diabetes-naive.svg")
        bayou.Network(lesson["graph"]).to_svg(folder / "learn-diabetes.svg")
        _save(_prim(lesson), folder, "prim")
        _save(lesson["corridor"].trellis(lesson["walk"]).figure, folder, "corridor")


def _names_of(lesson: str) -> dict[str, Any]:
    """What the examples of a lesson have made."""
    page = (HERE.parent / "learn" / f"{lesson}.md").read_text(encoding="utf-8")
    made: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for example in doctest.DocTestParser().get_examples(page.split("## Exercises")[0]):
            exec(compile(example.source, f"{lesson}.md", "single"), made)
    return made


def _save(figure: Any, folder: Path, name: str) -> None:
    figure.savefig(folder / f"learn-{name}.svg", metadata={"Date": None})
    plt.close(figure)


def _smoothing(lesson: dict[str, Any]) -> Any:
    """Four strengths of smoothing wash out as dramas are seen."""
    figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    rows = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 998]
    for smoothing, style in ((0.5, ":"), (1, "-"), (10, "--"), (100, "-.")):
        chances = [lesson["drama"](n, smoothing) for n in rows]
        ax.plot(rows, chances, style, color=BLUE if smoothing == 1 else GREY, label=f"λ = {smoothing}")
    ax.set(xscale="log", ylim=(0.48, 1.02), xlabel="dramas seen", ylabel="P(drama)")
    ax.legend(loc="lower right")
    return figure


def _heights(lesson: dict[str, Any]) -> Any:
    """Each sex: a histogram, its Gaussian times its share, and the boundary where both curves meet."""
    model, people = lesson["model"], lesson["people"]
    figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    grid = np.linspace(55, 80, 501)
    curves = np.exp(model.predict_joint_log_proba(grid[:, None]))
    values, sexes = np.array(people["height_in"]), np.array(people["sex"])
    for column, (sex, colour, style) in enumerate((("female", ORANGE, "--"), ("male", BLUE, "-"))):
        own = values[sexes == sex]
        weights = np.full(len(own), 1 / len(values))
        ax.hist(own, np.arange(55.5, 81), weights=weights, color=colour, alpha=0.25)
        ax.plot(grid, curves[:, column], style, color=colour, label=sex)
    between = (grid > 64) & (grid < 70)
    cut = grid[between][np.argmin(abs(curves[between, 0] - curves[between, 1]))]
    ax.axvline(cut, color=GREY, linestyle=":", label=f"boundary, {cut:.1f}")
    ax.set(xlabel="height in inches", ylabel="P(sex) · p(height | sex)")
    ax.legend()
    return figure


def _boundaries(lesson: dict[str, Any]) -> Any:
    """Every third of the points under the four kinds of covariance."""
    figure, axes = plt.subplots(2, 2, figsize=(7.2, 5.6), layout="constrained")
    for ax, (kind, model) in zip(axes.ravel(), lesson["models"].items(), strict=True):
        model.plot_boundary(ax=ax, X=lesson["points"][::3], y=lesson["clouds"][::3])
        ax.set(title=kind, xlabel="", ylabel="")
        if (legend := ax.get_legend()) and kind != "spherical":
            legend.remove()
    return figure


def _kernel(lesson: dict[str, Any]) -> Any:
    """Six points under a narrow and a wide bump; each bump is drawn, too."""
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.2), layout="constrained", sharey=True)
    grid = np.linspace(-0.5, 5.5, 1201)
    for ax, width in zip(axes, (0.15, 0.5), strict=True):
        for point in lesson["seen"]:
            bump = (
                np.exp(-0.5 * ((grid - point) / width) ** 2)
                / np.sqrt(2 * np.pi)
                / width
                / len(lesson["seen"])
            )
            ax.plot(grid, bump, color=GREY, linewidth=0.8)
        ax.plot(grid, lesson["density"](width, grid), color=BLUE, linewidth=2)
        ax.plot(lesson["seen"], np.zeros(len(lesson["seen"])), "|", color="black", markersize=14)
        ax.set(title=f"σ = {width}", xlabel="x")
    axes[0].set_ylabel("density")
    return figure


def _prim(lesson: dict[str, Any]) -> Any:
    """The tree after each step: what is in it, the new arc, and its weight."""
    steps, names = lesson["tree"].learned_structure.steps, lesson["names"]
    turn = np.linspace(0, 2 * np.pi, len(names), endpoint=False) + np.pi / 2
    places = {name: (np.cos(t), np.sin(t)) for name, t in zip(names, turn, strict=True)}
    figure, axes = plt.subplots(2, 3, figsize=(8.4, 5.6), layout="constrained")
    for count, ax in enumerate(axes.ravel()):
        inside = {names[0], *(step.child for step in steps[:count])}
        for step in steps[:count]:
            (x0, y0), (x1, y1) = places[step.parent], places[step.child]
            new = step is steps[count - 1]
            ax.plot([x0, x1], [y0, y1], color=ORANGE if new else BLUE, linewidth=4 if new else 2, zorder=1)
            if new:
                ax.set_title(f"{count}. weight {step.weight:.3f}", fontsize="medium")
        for name, (x, y) in places.items():
            face = "#dce8f4" if name in inside else "white"
            box = {"boxstyle": "round", "facecolor": face, "edgecolor": "black" if name in inside else GREY}
            ax.text(x, y, name, ha="center", va="center", fontsize=7.5, bbox=box)
        ax.set(xlim=(-1.6, 1.6), ylim=(-1.3, 1.3))
        ax.axis("off")
    axes[0, 0].set_title("begin anywhere", fontsize="medium")
    return figure


if __name__ == "__main__":
    main()
