"""Learning the arcs of a dynamic network: within a slice, and from earlier slices to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import weights_named, whole_number
from bayou.codes import in_code_type, missing_code
from bayou.errors import BadData, BadQuestion, UnknownVariable, listed, warn_user, without_warnings
from bayou.models.dynamic.dynamic_input import discrete_column, sequences_of
from bayou.models.dynamic.dynamic_network import DynamicNetwork
from bayou.models.sequences.input.unnamed_keys import refuse_unnamed_keys
from bayou.models.structures.structure_learning import learn_structure
from bayou.networks.declarations import mapping_given, states_given
from bayou.schema import Variable
from bayou.statistics import RowSample, Source
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.stored_sequences import AnySequences
from bayou.temporal.templates.slice_evidence import places_of_value
from bayou.temporal.templates.template import names_within
from bayou.temporal.templates.template_text import PRIME, LaggedArc, lagged_arcs
from bayou.typing import CodeArray, FloatArray, Name

if TYPE_CHECKING:
    from bayou.models.network import Network

_SAMPLE = 4096
"""So many rows show where a column could be cut."""
METHODS = ("hill-climbing", "tabu", "order", "exact")
"""The searches that can be used."""


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
    constant: Iterable[Name] = (),
    prior: Any = None,
    weights: Any = None,
    sequence: Name | None = None,
    time: Name | None = None,
    lengths: Any = None,
    columns: Sequence[Name] | None = None,
    gaps: Any = "ignore",
) -> DynamicNetwork:
    """Learn the arcs and tables of a dynamic network from sequences of all its variables.

    Every slice from number ``lags`` on is a row, beside the ``lags`` slices before it. Arcs lead into the
    newest slice only: from earlier ones (``Rain -> Rain'``), and within it unless ``within=False``; they then
    hold in every slice. ``require`` and ``forbid`` have arcs in the same notation; ``score``,
    ``max_parents``, ``method`` ("hill-climbing", "tabu", "order", "exact"), ``restarts`` and ``seed`` are
    those of :func:`bayou.learn_structure`. Variables in ``constant`` have one value for a whole sequence:
    they may be parents in every slice, and have no parents. Where cells are missing, each family is scored on
    the slices that have it. The tables are then learned by ``fit``. Columns of real numbers are cut into
    ranges, ``states={"x": bayou.Cuts(…)}``, or left out, ``ignore=["x"]``.

    Raises ``BadData`` for a table that cannot be read.

    >>> import bayou
    >>> weeks = bayou.examples.umbrella_world().sample(2000, seed=0)
    >>> bayou.learn_dynamic_structure(weeks, forbid="Umbrella -> Rain").arcs
    (('Rain', 'Umbrella', 0), ('Rain', 'Rain', 1))
    """
    reach = whole_number("lags", lags, 1)
    if method not in METHODS:
        raise BadQuestion.choice("method", method, METHODS)
    how = {"sequence": sequence, "time": time, "lengths": lengths, "columns": columns, "gaps": gaps}
    variables, rows = _read(data, how, states, ignore, weights)
    names = tuple(variable.name for variable in variables)
    windows = _Windows(tuple(variables), reach, names_within(constant, names, "in constant"))
    table, weighed = windows.table(rows)
    limits: dict[str, Any] = {
        "require": windows.pairs(require, "require"),
        "forbid": windows.into_the_past(within=within) + windows.pairs(forbid, "forbid"),
        "max_parents": max_parents,
        "states": {label: _codes(variable) for label, variable in windows.labels.items()},
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
    arcs = windows.arcs(found)
    parents: dict[Name, list[Name]] = {variable.name: [] for variable in variables}
    for arc in arcs:
        parents.setdefault(f"{arc.child}{PRIME * arc.lag}", []).append(arc.parent)
    declared = {variable.name: variable for variable in variables}
    made = DynamicNetwork(parents, states=declared, constant=windows.constant)
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
    wanted = [name for name in available if name not in left_out]
    _refuse_numbers(source, [name for name in wanted if name not in declared])
    refuse_unnamed_keys(
        source, [name for name in wanted if name not in declared], leave_out="leave it out: ignore=[{0!r}]"
    )
    variables = [declared.get(name) or discrete_column(source, name) for name in wanted]
    if not variables:
        raise BadData("No column is left to learn arcs between.")
    return variables, given.rows(source, variables)


def _refuse_numbers(source: Source, names: Sequence[Name]) -> None:
    """Refuse columns of real numbers, with ranges that they could be cut into."""
    numbers = [name for name in names if source.is_continuous(name)]
    if not numbers:
        return
    found = source.collect([request := RowSample((numbers[0],), _SAMPLE)])[request]
    cells: list[Any] = [one for one in found.values[numbers[0]] if one is not None]
    values = np.array(cells, dtype=np.float64)
    ends = (
        [float(f"{end:.3g}") for end in np.nanquantile(values, [1 / 3, 2 / 3])] if len(values) else [0.0, 1.0]
    )
    cuts = ", ".join(f"{end:g}" for end in sorted(set(ends)))
    raise BadData(
        f"{listed(numbers)}: arcs are learned between variables with states, and "
        f"{'this is a column' if len(numbers) == 1 else 'these are columns'} of real numbers. Cut "
        f"{'it' if len(numbers) == 1 else 'each'} into ranges, for example states={{{numbers[0]!r}: "
        f"bayou.Cuts({cuts})}}; leave {'it' if len(numbers) == 1 else 'them'} out, ignore={numbers!r}; or "
        "state the arcs yourself: bayou.DynamicNetwork(arcs).fit(data) learns lines between numbers."
    )


def _codes(variable: Variable) -> list[int]:
    return list(range(variable.cardinality))


@dataclass(frozen=True)
class _Windows:
    """Every slice beside the slices before it, as one row: a column for each variable and age, in which the
    newest slice has the most primes. Constants have one column.
    """

    variables: tuple[Variable, ...]
    lags: int
    constant: frozenset[Name]

    def label(self, name: Name, age: int) -> Name:
        return name if name in self.constant else f"{name}{PRIME * (self.lags - age)}"

    @cached_property
    def places(self) -> dict[Name, tuple[Name, int]]:
        """The variable and the age behind each column; constants have age 0."""
        found = {v.name: (v.name, 0) for v in self.variables if v.name in self.constant}
        for age in range(self.lags, -1, -1):
            for v in self.variables:
                if v.name not in self.constant:
                    found[self.label(v.name, age)] = (v.name, age)
        return found

    @cached_property
    def labels(self) -> dict[Name, Variable]:
        """The variable of each column."""
        by_name = {variable.name: variable for variable in self.variables}
        return {label: by_name[name] for label, (name, _) in self.places.items()}

    def table(self, rows: AnySequences) -> tuple[dict[Name, Any], FloatArray | None]:
        """(the columns, weights of their rows). Of a file that is larger than memory the codes of the windows
        are kept, in as few bytes as they need.
        """
        parts = [part for part in map(self._of_part, rows.parts()) if part[1]]
        if not parts:
            raise BadData(
                f"No sequence has more than {self.lags} steps, so nothing shows what depends on earlier "
                "slices."
            )
        self._note_constants(rows)
        table: dict[Name, Any] = {}
        for label in self.labels:
            codes = np.concatenate([part[0][label] for part in parts])
            missing = codes == missing_code(codes.dtype)
            table[label] = (
                np.ma.masked_array(np.where(missing, 0, codes), missing) if missing.any() else codes
            )
        weights = [part[2] for part in parts if part[2] is not None]
        return table, np.concatenate(weights) if weights else None

    def _of_part(self, rows: SequenceBatch) -> tuple[dict[Name, Any], int, FloatArray | None]:
        """(the columns of some sequences, the number of their rows, the weights of these)."""
        steps = np.arange(rows.rows) - np.repeat(rows.starts[:-1], rows.lengths)
        late = np.flatnonzero(steps >= self.lags)
        found: dict[Name, Any] = {}
        for variable in self.variables:
            name = variable.name
            codes = self._spread(rows, name) if name in self.constant else rows.batch.codes[name]
            codes = in_code_type(codes, variable.cardinality)
            for age in range(self.lags + 1):
                found[self.label(name, age)] = codes[late] if name in self.constant else codes[late - age]
        return found, len(late), None if rows.row_weights is None else rows.row_weights[late]

    @staticmethod
    def _spread(rows: SequenceBatch, name: Name) -> CodeArray:
        """The codes of a constant, in every row of its sequence."""
        column = rows.batch.codes[name]
        seen = column != missing_code(column.dtype)
        codes = np.where(seen, column, missing_code(np.uint32)).astype(np.uint32)
        found: CodeArray = codes[places_of_value(name, rows, codes, seen)]
        return found

    def _note_constants(self, rows: AnySequences) -> None:
        """Warn of variables that differ between sequences and never within one."""
        if rows.count < 2:
            return
        for variable in self.variables:
            name = variable.name
            if name in self.constant or variable.cardinality < 2:
                continue
            if all(_never_changes(part, name) for part in rows.parts()):
                warn_user(
                    f"{name!r} never changes within a sequence, so it seems to depend on itself alone. Name "
                    f"it in constant=[{name!r}], or leave it out: ignore=[{name!r}]."
                )

    def into_the_past(self, *, within: bool) -> list[tuple[Name, Name]]:
        """All arcs into earlier slices and constants, which are only what the newest slice is explained by;
        perhaps those within it.
        """
        newest = [self.label(v.name, 0) for v in self.variables if v.name not in self.constant]
        older = [label for label in self.labels if label not in newest]
        closed = [(one, other) for one in self.labels for other in older if one != other]
        return (
            closed
            if within
            else closed + [(one, other) for one in newest for other in newest if one != other]
        )

    def pairs(self, given: Any, what: str) -> list[tuple[Name, Name]]:
        """Arcs in the notation of templates as arcs between columns."""
        if given is None:
            return []
        names = [variable.name for variable in self.variables]
        known, arcs = lagged_arcs(given)
        for name in known:
            if name not in names:
                raise UnknownVariable.named(name, names, f"in {what}")
        for arc in arcs:
            if arc.lag > self.lags and arc.parent not in self.constant:
                raise BadQuestion(
                    f"{what}: an arc over {arc.lag} slices needs lags={arc.lag}, not {self.lags}."
                )
            if arc.child in self.constant and what == "require":
                raise BadQuestion(f"require: {arc.child!r} is constant, so it has no parents.")
        return [(self.label(arc.parent, min(arc.lag, self.lags)), self.label(arc.child, 0)) for arc in arcs]

    def arcs(self, found: Network) -> list[LaggedArc]:
        """The arcs between columns as arcs of a template, those over the most slices first."""
        place = self.places
        made = [LaggedArc(place[one][0], place[other][0], place[one][1]) for one, other in found.arcs]
        return sorted(made, key=lambda arc: -arc.lag)


def _never_changes(rows: SequenceBatch, name: Name) -> bool:
    column = rows.batch.codes[name]
    inside = np.ones(max(rows.rows - 1, 0), dtype=bool)
    inside[rows.starts[1:-1][(rows.starts[1:-1] > 0) & (rows.starts[1:-1] < rows.rows)] - 1] = False
    return not bool((column[1:] != column[:-1])[inside].any())
