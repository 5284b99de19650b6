"""Where others are faster or more accurate: every such line of the measurements, none chosen by hand."""

from __future__ import annotations

import json

from docs.builder.figures import OURS, accuracies, best, duration, title
from docs.builder.page import ROOT

_TITLES = {
    "parquet-naive": "naive Bayes, a Parquet file of 20,000,000 × 20, by path",
    "spark-naive": "naive Bayes on a cached Spark DataFrame (MLlib: categories encoded beforehand)",
    "start-network": "a process that loads `bayou.Network`",
    "start-classifier": "a process that makes a naive Bayes classifier",
    "wide-numbers": "`NaiveBayes().fit` of 100 × 1,000 numbers",
    "wide-bits": "`NaiveBayes().fit` of 300 × 400 zeros and ones",
    "wide-5000": "`NaiveBayes().fit` of 100 × 5,000 numbers",
    "sparse-bernoulli-fit": "Bernoulli naive Bayes, sparse 1,000 × 3,000: fit",
    "structure-asia": "arcs of asia from 10,000 rows",
    "hmm-200-states-score": "likelihood under 200 states",
    "hmm-200-states-learn": "one step of Baum–Welch with 200 states",
    "dynamic-switching": "a state that switches a number, 1,000 particles",
}


def slower_table() -> str:
    """Every measured case in which a system that is not bayou took less time than bayou's own call."""
    cases = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))["cases"]
    lines = ["| work | bayou | faster | bayou takes |", "|---|---|---|---|"]
    for case, systems in cases.items():
        ours = systems["bayou"]["best"]
        for name, row in systems.items():
            if not name.startswith("bayou") and row["best"] < ours:
                told = f"{ours / row['best']:.3g}×"
                work = _TITLES.get(case, case)
                lines.append(f"| {work} | {duration(ours)} | {name} {duration(row['best'])} | {told} |")
    return "\n".join(lines)


def less_accurate_table() -> str:
    """Every table on which the best peer has less log-loss, or is right more often, than bayou's best."""
    lines = ["| table | | bayou's best | best of the others |", "|---|---|---|---|"]
    for name, models in sorted(accuracies().items()):
        for score in ("log_loss", "accuracy"):
            ours, peer = best(models, score, ours=True), best(models, score, ours=False)
            gap = models[peer][score] - models[ours][score]
            if gap < 0 if score == "log_loss" else gap > 0:
                told = f"{models[ours][score]:.4g} ({OURS[ours]}) | {models[peer][score]:.4g} ({title(peer)})"
                lines.append(f"| {name} | {score.replace('_', '-')} | {told} |")
    return "\n".join(lines)
