"""Figures of the last measurements, as a page quotes them."""

from __future__ import annotations

import json

from benchmarks.classifiers.names import TITLES
from docs.builder.page import ROOT

_SPEED = (
    ("categorical-fit", "scikit-learn", "naive Bayes, 1,000,000 × 50: fit"),
    ("marginals-alarm", "pyAgrum", "all beliefs of alarm, 20 times"),
    ("hmm-symbols-learn", "hmmlearn", "HMM, 1,000,000 steps: 10 × EM"),
    ("wide-numbers", "scikit-learn", "naive Bayes, 100 × 1,000: fit"),
)
"""Cases of the benchmarks, with the peer and in short words: one for each beginning, and a loss."""
_TABLES = ("titanic", "credit_approval", "digits", "car")
"""Tables of mixed columns, of gaps and of numbers; and one on which others are ahead."""
OURS = {
    "ensemble": "BayesEnsemble",
    "nb": "NaiveBayes",
    "gaussian": "GaussianBayes",
    "tan": "TAN",
    "aode": "AODE",
    "kdb": "KDependence",
    "chow-liu": "ChowLiuClassifier",
    "fit": "bayou.fit",
}
"""bayou's classifiers by their names in the file of measurements; all others there are peers."""


def speed_table() -> str:
    """A few lines of the benchmarks, from the file of measurements."""
    cases = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))["cases"]
    lines = ["| work | bayou | peer | ratio |", "|---|---|---|---|"]
    for case, peer, title in _SPEED:
        ours, theirs = cases[case]["bayou"]["best"], cases[case][peer]["best"]
        lines.append(f"| {title} | {duration(ours)} | {peer} {duration(theirs)} | {_times(theirs / ours)} |")
    return "\n".join(lines)


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}×" if ratio >= 10 else f"{ratio:.1f}×" if ratio >= 0.1 else f"{ratio:.3f}×"


def duration(seconds: float) -> str:
    """Seconds or milliseconds, to three digits."""
    return (
        f"{seconds:,.0f} s"
        if seconds >= 100
        else f"{seconds:.3g} s"
        if seconds >= 1
        else f"{seconds * 1e3:.3g} ms"
    )


def accuracy_table() -> str:
    """A few lines of the accuracy page: log-loss of bayou's ensemble and naive Bayes beside the best peer."""
    lines = ["| table | BayesEnsemble | NaiveBayes | best peer |", "|---|---|---|---|"]
    measured = accuracies()
    for name in _TABLES:
        models = measured[name]
        ours = [f"{models[key]['log_loss']:.3g}" for key in ("ensemble", "nb")]
        peer = best(models, "log_loss", ours=False)
        lines.append(f"| {name} | {ours[0]} | {ours[1]} | {models[peer]['log_loss']:.3g} ({title(peer)}) |")
    return "\n".join(lines)


def title(name: str) -> str:
    """What people call a classifier of the file of measurements."""
    return TITLES.get(name, name)


def accuracies() -> dict[str, dict[str, dict[str, float]]]:
    """The scores of each classifier on each table that is no toy of a lecture."""
    tables = json.loads((ROOT / "benchmarks" / "accuracy.json").read_text(encoding="utf-8"))["tables"]
    return {
        name: {key: scores for key, scores in table["models"].items() if "log_loss" in scores}
        for name, table in tables.items()
        if table["rows"] >= 100
    }


def best(models: dict[str, dict[str, float]], score: str, *, ours: bool) -> str:
    """Of bayou's classifiers, or of all others, the one with the least log-loss or the greatest accuracy."""
    sign = -1 if score == "accuracy" else 1
    return min((key for key in models if (key in OURS) == ours), key=lambda key: sign * models[key][score])
