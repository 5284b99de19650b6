"""What the worker process of a job does: learn, save, compare, score."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any

from bayou.errors import BayouError, BayouWarning
from bayou.loading import load_network
from bayou.server.jobs.forms import Arc, ArcDifferences, ArcGain, ClassScores, JobRequest, LearnedFacts
from bayou.server.jobs.ways import LearnedModel, learned_model
from bayou.server.messages import Message, encoded
from bayou.server.operations.operation import Operation
from bayou.server.problems import without_python
from bayou.server.stored_models import StoredModel, stored
from bayou.server.tables.table_file import TableFile

if TYPE_CHECKING:
    from bayou.models.network import Network

FOLDS = 5
MOST_SCORED_CELLS = 500_000
"""Tables with more cells than this get no held-out scores: they would take longer than learning."""


class LearnTask(Message):
    """What a worker is told: the request, where to save the model, and where the named networks are."""

    save_to: str
    request: JobRequest
    arcs_file: str = ""
    other_file: str = ""
    other_revision: str = ""


class LearnTaskDone(Message):
    """What there is to say about the model, and what the server must know of it."""

    facts: LearnedFacts
    stored: StoredModel


def learn(table: TableFile, task: LearnTask) -> LearnTaskDone:
    """Learn a model from a table."""
    begun = time.monotonic()
    known = load_network(task.arcs_file) if task.arcs_file else None
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always", BayouWarning)
        try:
            found = learned_model(table, task.request, known)
        except BayouError as error:
            raise type(error)(table.without_path(str(error))) from None
        kept = stored(found.model, task.save_to)
    told = dict.fromkeys(str(each.message) for each in remarks if issubclass(each.category, BayouWarning))
    net = found.network
    facts = LearnedFacts(
        "classifier" if net is None else "network",
        found.sentences,
        found.details,
        [without_python(table.without_path(text), "") for text in told],
        found.rows,
        time.monotonic() - begun,
        [] if net is None else [_gain(found, parent, child) for parent, child in net.arcs],
        _differences(net, task),
        held_out_scores(table, task.request, found),
    )
    return LearnTaskDone(facts, kept)


def _gain(found: LearnedModel, parent: Any, child: Any) -> ArcGain:
    return ArcGain(encoded(parent), encoded(child), found.gains.get((parent, child)))


def _differences(net: Network | None, task: LearnTask) -> ArcDifferences | None:
    if net is None or not task.other_file:
        return None
    return arc_differences(net, load_network(task.other_file), task.other_revision)


def arc_differences(net: Network, other: Network, revision: str) -> ArcDifferences:
    """The arcs of a network against those of another one, among the variables that both have."""
    from bayou.models.structures.comparison import comparison_of

    both = [name for name in net.names if name in other.names]
    found = comparison_of(net.dag.subgraph(both), None, other.dag.subgraph(both), None)

    def arcs(pairs: Any) -> list[Arc]:
        return [Arc(encoded(parent), encoded(child)) for parent, child in pairs]

    return ArcDifferences(
        revision,
        arcs(found.extra),
        arcs(found.missing),
        arcs(found.turned),
        arcs(found.common),
        [encoded(name) for name in net.names if name not in other.names],
        [encoded(name) for name in other.names if name not in net.names],
    )


def held_out_scores(table: TableFile, request: JobRequest, found: LearnedModel) -> ClassScores | None:
    """The scores of a classifier by cross-validation; None where there is no target, or too many rows."""
    columns = table.columns
    if found.classifier is None or columns.rows * len(columns.names) > MOST_SCORED_CELLS:
        return None
    from sklearn.base import clone

    from bayou.estimators.evaluation.evaluate import evaluate
    from bayou.sources import Columns

    options = request.options
    ignored = {table.known_name(name) for name in options.ignore}
    names = [name for name in columns.names if name not in ignored]
    rows = Columns(names, [columns[name] for name in names], columns.rows)
    weights = None if options.weights is None else table.known_name(options.weights)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BayouWarning)
            result = evaluate(
                {"it": clone(found.classifier)}, rows, found.classifier.target_, FOLDS, weights=weights
            )
    except BayouError:  # too few rows of some class: the model itself was learned
        return None
    scores = result["it"]
    return ClassScores(
        int(result.fold_of_row.max()) + 1,
        scores.scores.rows,
        scores.accuracy,
        scores.balanced_accuracy,
        scores.log_loss,
        scores.brier,
        result.baseline.accuracy,
    )


class WarmUp(Message):
    """Nothing is asked."""


def warm_up(path: str, request: WarmUp) -> WarmUp:
    """Load what learning needs, so that the first job need not wait for it."""
    import bayou.estimators.evaluation.evaluate
    import bayou.estimators.networks.tree_classifiers
    import bayou.models.structures.structure_learning  # noqa: F401

    return request


WARM_UP = Operation("warm-up", "Load what learning needs", WarmUp, WarmUp, warm_up, opens=str)
LEARN = Operation("learn", "Learn from a table", LearnTask, LearnTaskDone, learn, opens=TableFile)
"""Operations for worker processes only: ``POST /v1/jobs`` is the address of the second."""
