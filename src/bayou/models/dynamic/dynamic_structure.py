"""Learning the arcs of a dynamic network: within a slice, and from earlier slices to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import weights_named, whole_number
from bayou.codes import in_code_type, missing_code
from bayou.errors import BadData, BadQuestion, UnknownVariable, warn_user, without_warnings
from bayou.models.dynamic.dynamic_input import discrete_column, sequences_of
from bayou.models.dynamic.dynamic_network import DynamicNetwork
from bayou.models.structures.structure_learning import learn_structure
from bayou.networks.declarations import mapping_given, states_given
from bayou.schema import Variable
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.stored_sequences import AnySequences
from bayou.temporal.templates.template_text import PRIME, LaggedArc, lagged_arcs
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.models.network import Network


@weights_named("weights")
def learn_dynamic_structure(
    data: Any,
    *,
    lags: int = 1,
    within: bool = True,
    score: Any = "bic",
    require: Any = None,
    forbid: Any = None,
    max_parents: int | None = None,
    method: str = "hill-climbing",
    restarts: int | None = None,
    seed: int | None = 0,
    states: Mapping[Any, Any] | None = None,
    ignore: Iterable[Name] = (),
    prior: Any = None,
    weights: Any = None,
    sequence: Name | None = None,
    time: Name | None = None,
    lengths: Any = None,
    columns: Sequence[Name] | None = None,
    gaps: str = "ignore",
) -> DynamicNetwork:
    """Learn the arcs and tables of a dynamic network from sequences of all its variables.

    Every slice from number ``lags`` on is a row, beside the ``lags`` slices before it. Arcs lead into the
    newest slice only: from earlier ones (``Rain -> Rain'``), and within it unless ``within=False``; they then
    hold in every slice. ``require`` and ``forbid`` have arcs in the same notation; ``score``,
    ``max_parents``, ``method`` ("hill-climbing", "tabu", "order", "exact"), ``restarts`` and ``seed`` are
    those of :func:`bayou.learn_structure`. Where cells are missing, each family is scored on the slices that
    have it. The tables are then learned by ``fit``.

    >>> import bayou
    >>> weeks = bayou.examples.umbrella_world().sample(2000, seed=0)
    >>> bayou.learn_dynamic_structure(weeks, forbid="Umbrella -> Rain").arcs
    (('Rain', 'Umbrella', 0), ('Rain', 'Rain', 1))
    """
    reach = whole_number("lags", lags, 1)
    how = {"sequence": sequence, "time": time, "lengths": lengths, "columns": columns, "gaps": gaps}
    variables, rows = _read(data, how, states, ignore, weights)
    table, weighed = _windows(rows, variables, reach)
    limits: dict[str, Any] = {
        "require": _pairs(require, variables, reach, "require"),
        "forbid": _into_the_past(variables, reach, within=within)
        + _pairs(forbid, variables, reach, "forbid"),
        "max_parents": max_parents,
        "states": {label: _codes(variable) for label, variable in _labels(variables, reach).items()},
    }
    holes = any(np.ma.is_masked(column) for column in table.values())
    if holes:
        warn_user(
            "The sequences have gaps: each family is scored on the slices where it is complete (scaled to "
            "all), so scores of different parents come from different slices."
        )
    with without_warnings():
        found = learn_structure(
            table,
            score=score,
            method=method,
            restarts=restarts,
            seed=seed,
            weights=weighed,
            missing="available" if holes else "em",
            **limits,
        )
    arcs = _arcs(found, variables, reach)
    parents: dict[Name, list[Name]] = {variable.name: [] for variable in variables}
    for arc in arcs:
        parents.setdefault(f"{arc.child}{PRIME * arc.lag}", []).append(arc.parent)
    declared = {variable.name: variable for variable in variables}
    made = DynamicNetwork(parents, states=declared)
    made.fit(data, prior=prior, weights=weights, **how)
    return made


def _read(
    data: Any, how: Mapping[str, Any], states: Any, ignore: Iterable[Name], weights: Any
) -> tuple[list[Variable], AnySequences]:
    given = sequences_of(data, how, weights)
    declared = {
        name: states_given(name, own)
        for name, own in mapping_given("states", states, "{'A': [0, 1]}").items()
    }
    source = given.source(None, list(declared.values()))
    left_out = [ignore] if isinstance(ignore, str) else list(ignore)
    available = given.columns(source)
    for name in (*left_out, *declared):
        if name not in available:
            raise UnknownVariable.named(name, available, "in the data")
    variables = [
        declared.get(name) or discrete_column(source, name) for name in available if name not in left_out
    ]
    if not variables:
        raise BadData("No column is left to learn arcs between.")
    return variables, given.rows(source, variables)


def _label(name: Name, age: int, lags: int) -> Name:
    return f"{name}{PRIME * (lags - age)}"


def _labels(variables: Sequence[Variable], lags: int) -> dict[Name, Variable]:
    return {_label(v.name, age, lags): v for age in range(lags, -1, -1) for v in variables}


def _codes(variable: Variable) -> list[int]:
    return list(range(variable.cardinality))


def _windows(
    rows: AnySequences, variables: Sequence[Variable], lags: int
) -> tuple[dict[Name, Any], FloatArray | None]:
    """(codes of every slice beside those of the slices before it, weights of these rows).

    Of a file that is larger than memory the codes of the windows are kept, in as few bytes as they need.
    """
    parts = [part for part in (_part_windows(one, variables, lags) for one in rows.parts()) if part[1]]
    if not parts:
        raise BadData(
            f"No sequence has more than {lags} steps, so nothing shows what depends on earlier slices."
        )
    table: dict[Name, Any] = {}
    for label in _labels(variables, lags):
        codes = np.concatenate([part[0][label] for part in parts])
        missing = codes == missing_code(codes.dtype)
        table[label] = np.ma.masked_array(np.where(missing, 0, codes), missing) if missing.any() else codes
    weights = [part[2] for part in parts]
    return table, None if weights[0] is None else np.concatenate([w for w in weights if w is not None])


def _part_windows(
    rows: SequenceBatch, variables: Sequence[Variable], lags: int
) -> tuple[dict[Name, Any], int, FloatArray | None]:
    """(the codes of the windows of some sequences, their number, their weights)."""
    steps = np.arange(rows.rows) - np.repeat(rows.starts[:-1], rows.lengths)
    late = np.flatnonzero(steps >= lags)
    found: dict[Name, Any] = {}
    for variable in variables:
        codes = in_code_type(rows.batch.codes[variable.name], variable.cardinality)
        for age in range(lags + 1):
            found[_label(variable.name, age, lags)] = codes[late - age]
    return found, len(late), None if rows.row_weights is None else rows.row_weights[late]


def _into_the_past(variables: Sequence[Variable], lags: int, *, within: bool) -> list[tuple[Name, Name]]:
    """All arcs into earlier slices, which are only what the newest one is explained by; perhaps those within
    it.
    """
    labels = _labels(variables, lags)
    newest = [_label(v.name, 0, lags) for v in variables]
    older = [label for label in labels if label not in newest]
    closed = [(one, other) for one in labels for other in older if one != other]
    return closed if within else closed + [(one, other) for one in newest for other in newest if one != other]


def _pairs(given: Any, variables: Sequence[Variable], lags: int, what: str) -> list[tuple[Name, Name]]:
    """Arcs in the notation of templates as arcs between columns of the table of windows."""
    if given is None:
        return []
    names = [variable.name for variable in variables]
    known, arcs = lagged_arcs(given)
    for name in known:
        if name not in names:
            raise UnknownVariable.named(name, names, f"in {what}")
    for arc in arcs:
        if arc.lag > lags:
            raise BadQuestion(f"{what}: an arc over {arc.lag} slices needs lags={arc.lag}, not {lags}.")
    return [(_label(arc.parent, arc.lag, lags), _label(arc.child, 0, lags)) for arc in arcs]


def _arcs(found: Network, variables: Sequence[Variable], lags: int) -> list[LaggedArc]:
    """The arcs of the table of windows as arcs of a template, those over the most slices first."""
    place = {_label(v.name, age, lags): (v.name, age) for age in range(lags, -1, -1) for v in variables}
    made = [LaggedArc(place[one][0], place[other][0], place[one][1]) for one, other in found.arcs]
    return sorted(made, key=lambda arc: -arc.lag)
