"""A hidden Markov model in print: its tables while they are small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.errors import NotFitted, counted
from bayou.schema import label
from bayou.text.tables import TextTable, with_deviation

if TYPE_CHECKING:
    from bayou.models.sequences.hidden_markov.hmm import HMM
    from bayou.typing import Name

_LARGEST = 12
"""The most states, and the most symbols of a column, that are printed."""


def described(hmm: HMM) -> str:
    """The states, the columns and, for few states, all probabilities."""
    tables = "\n\n".join(str(table) for table in hmm_tables(hmm))
    return f"{headline(hmm)}\n{tables}".rstrip()


def headline(hmm: HMM) -> str:
    """The number of states, and the columns with their kinds."""
    size = len(hmm.states)
    head = f"HMM with {counted(size, 'state')}" if size else "HMM (states not known yet)"
    if not _has_parameters(hmm):
        return f"{head}, without parameters"
    model = hmm.model
    columns = [f"{label(name)} ({model.network.distribution(name).title})" for name in model.chain.columns]
    return f"{head}, emitting {', '.join(columns)}"


def _has_parameters(hmm: HMM) -> bool:
    try:
        hmm.model  # noqa: B018  # raises if parameters are missing
    except NotFitted:
        return False
    return True


def hmm_tables(hmm: HMM) -> list[TextTable]:
    """Start, transition and end probabilities in one table, and one for each column that can be printed."""
    if len(hmm.states) > _LARGEST or not _has_parameters(hmm):
        return []
    names = [label(state) for state in hmm.states]
    start, moves, stays = hmm.start.tolist(), hmm.transition.tolist(), hmm.expected_stay.tolist()
    ends = [[one] for one in hmm.end.tolist()] if hmm.chain.ends else [[] for _ in names]
    rows: list[list[str | int | float]] = [
        [name, start[k], *moves[k], *ends[k], f"{stays[k]:.4g}"] for k, name in enumerate(names)
    ]
    header = [label(hmm.chain.state.name), "start", *(f"→ {name}" for name in names)]
    header += ["ends", "mean stay"] if hmm.chain.ends else ["mean stay"]
    found = [TextTable(header, rows)]
    for column in hmm.chain.columns:
        table = _emitted(hmm, column, names)
        if table is not None:
            found.append(table)
    numbers = _numbers(hmm, names)
    return found if numbers is None else [*found, numbers]


def _emitted(hmm: HMM, column: Name, names: list[str]) -> TextTable | None:
    """P(symbol | state) of a column of few symbols."""
    variable = hmm.chain.structure.declared[column]
    if variable.is_continuous or variable.cardinality > _LARGEST:
        return None
    shares = hmm.model.network.table(column)[hmm.chain.leaders]
    rows = [[name, *shares[k].tolist()] for k, name in enumerate(names)]
    header = [label(hmm.chain.state.name), *(f"{label(column)}={label(one)}" for one in variable.states)]
    return TextTable(header, rows)


def _numbers(hmm: HMM, names: list[str]) -> TextTable | None:
    """Mean and deviation of the columns of numbers in each state."""
    moments = {
        column: found
        for column in hmm.chain.columns
        if hmm.chain.structure.declared[column].is_continuous
        and (found := hmm.model.emissions.moments(column)) is not None
    }
    if not moments:
        return None
    rows: list[list[str]] = []
    for k, name in zip(hmm.chain.leaders.tolist(), names, strict=True):
        cells = [
            with_deviation(float(mean[k]), float(variance[k]) ** 0.5) for mean, variance in moments.values()
        ]
        rows.append([name, *cells])
    return TextTable([label(hmm.chain.state.name), *(label(column) for column in moments)], rows)
