"""How far classifiers are behind the best of them, row by row on the same held-out rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.decisions.beliefs import Beliefs
from bayou.decisions.score_sums import SMALLEST
from bayou.decisions.utilities import Decisions
from bayou.errors import BadQuestion
from bayou.estimators.choosing.paired_losses import PairedDifference, paired_difference
from bayou.text.tables import Cell, TextTable
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from bayou.estimators.evaluation.model_scores import EvaluatedRows, ModelScores

LOSSES = {"log_loss": "log-loss", "cost": "cost"}
"""The measures that are means over rows, so that rows can be compared in pairs, and their titles."""


def row_losses(measure: str, proba: FloatArray, judged: EvaluatedRows) -> FloatArray:
    """The loss of each row: −ln P(true class), or the cost of the decision of least expected cost."""
    rows = np.arange(len(judged.truth))
    if measure == "log_loss":
        return -np.log(np.maximum(proba[rows, judged.truth], SMALLEST))
    if measure != "cost":
        raise BadQuestion.choice("measure", measure, list(LOSSES))
    if judged.costs is None:
        raise BadQuestion("There are no costs to compare: give them to bayou.evaluate(…, costs=…).")
    states = tuple(range(len(judged.classes)))
    chosen = Decisions(Beliefs(states, proba, False), judged.costs).chosen
    losses: FloatArray = -judged.costs.values[chosen, judged.truth]
    return losses


def behind_the_best(
    models: Sequence[ModelScores], measure: str, judged: EvaluatedRows
) -> dict[str, PairedDifference]:
    """How much each classifier loses more than the one that loses least, with its standard error."""
    losses = {model.name: row_losses(measure, model.probabilities, judged) for model in models}
    least = min(models, key=lambda model: getattr(model, measure)).name
    folds, weights = judged.fold_of_row, judged.weights
    return {name: paired_difference(loss, losses[least], folds, weights) for name, loss in losses.items()}


def all_differences(
    models: Sequence[ModelScores], judged: EvaluatedRows
) -> dict[str, dict[str, PairedDifference]]:
    """Those of log-loss, and of cost if there are costs; none of one classifier, or of unkept predictions."""
    if len(models) < 2 or any(model.kept is None for model in models):
        return {}
    measures = ("log_loss",) if judged.costs is None else ("log_loss", "cost")
    return {measure: behind_the_best(models, measure, judged) for measure in measures}


def differences_as_data(found: Mapping[str, Mapping[str, PairedDifference]]) -> dict[str, Any]:
    """Differences as plain data; nothing where there are none."""
    behind = {
        measure: {name: {"difference": one.mean, "standard_error": one.error} for name, one in named.items()}
        for measure, named in found.items()
    }
    return {"behind_the_best": behind} if behind else {}


def differences_table(found: Mapping[str, Mapping[str, PairedDifference]]) -> TextTable:
    """One row per classifier; differences of measures to the best, with their standard errors."""
    names = list(next(iter(found.values())))
    rows: list[list[Cell]] = []
    for name in names:
        cells: list[Cell] = [name]
        for differences in found.values():
            one = differences[name]
            is_best = one.mean == 0 and one.error == 0
            cells.append("best" if is_best else f"{one.mean:+.4f} ± {one.error:.4f}")
        rows.append(cells)
    title = "Behind the best on the same rows, ± one standard error"
    return TextTable(["model", *(LOSSES[measure] for measure in found)], rows, title)
