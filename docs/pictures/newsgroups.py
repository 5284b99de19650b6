"""Draw the learning curve of the text page; needs the shared data and matplotlib.

python docs/pictures/newsgroups.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd

import bayou

matplotlib.use("svg")
import matplotlib.pyplot as pyplot

HERE = Path(__file__).resolve().parent
SIZES = [100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000, 12_564]
STYLES = {
    "multinomial": {"color": "#4a7fb5", "marker": "o", "linestyle": "-"},
    "complement": {"color": "#c0703c", "marker": "s", "linestyle": "--"},
    "bernoulli": {"color": "#7a7a7a", "marker": "^", "linestyle": ":"},
}
"""Told apart without colour, too."""


def main() -> None:
    """Accuracy on the withheld third after each size; every document is read once, the model learns on."""
    news = _corpus()
    order = np.random.default_rng(3).permutation(len(news))
    withheld, train = news.iloc[order[: len(news) // 3]], news.iloc[order[len(news) // 3 :]]
    _, ax = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained")
    for variant, style in STYLES.items():
        curve = _curve(bayou.TextNaiveBayes(variant, min_length=2), train, withheld)
        print(variant, [round(accuracy, 4) for accuracy in curve])
        ax.plot(SIZES, curve, label=variant, **style)
    ax.set(
        xscale="log", ylim=(0, 1), xlabel="documents learned from", ylabel="accuracy on the withheld third"
    )
    ax.set_title("20 newsgroups, one third withheld")
    ax.legend(frameon=False)
    ax.grid(alpha=0.3)
    # No date and no random names: the same picture gives the same file.
    with matplotlib.rc_context({"svg.hashsalt": "bayou", "svg.fonttype": "none"}):
        pyplot.savefig(HERE / "newsgroups.svg", metadata={"Date": None})


def _curve(model: bayou.TextNaiveBayes, train: pd.DataFrame, withheld: pd.DataFrame) -> list[float]:
    accuracies = []
    for start, end in zip([0, *SIZES[:-1]], SIZES, strict=True):
        part = train.iloc[start:end]
        model.partial_fit(part.text, part.group)
        accuracies.append(float(model.score(withheld.text, withheld.group)))
    return accuracies


def _corpus() -> pd.DataFrame:
    for beside in HERE.parents:
        path = beside / "shared" / "data" / "text" / "20newsgroups_bydate.parquet"
        if path.exists():
            return pd.read_parquet(path)
    raise SystemExit("The shared data folder with 20newsgroups_bydate.parquet is not beside the repository.")


if __name__ == "__main__":
    main()
