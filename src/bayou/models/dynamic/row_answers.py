"""Answers for every row of a table of sequences, in the order of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import BadQuestion, warn_user
from bayou.models.dynamic.dynamic_input import DynamicInput, names_asked
from bayou.models.dynamic.numbers.mixed_input import MixedInput
from bayou.models.dynamic.numbers.number_answers import MixedBeliefs, NumberBeliefs
from bayou.models.dynamic.slice_answers import Trajectory
from bayou.models.sequences.decoded_rows import key_cells
from bayou.schema import label
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.templates.slice_evidence import SliceEvidence
from bayou.typing import FloatArray, IntArray, Name

if TYPE_CHECKING:
    from bayou.models.dynamic.dynamic_network import DynamicNetwork

FILTER, SMOOTH, DECODE = "filter", "smooth", "decode"
_NOTHING = "Every variable is known in every row: there is nothing to find out."


def row_answers(
    net: DynamicNetwork, data: Any, what: str, *, ask: Any = None, engine: str = "exact", **how: Any
) -> dict[str, list[Any]]:
    """Columns with the keys of each row (or its number), and P(variable=state) given the rows so far
    (``"filter"``) or all rows (``"smooth"``), or the states of the best trajectory (``"decode"``).

    A variable of the first or the last slice has no value in the rows of other slices. Numbers have a mean
    and a deviation; of answers that particles estimate, ``error(…)`` has the standard errors.

    >>> import bayou
    >>> rows = {"id": ["b", "a", "b"], "Umbrella": ["yes", "no", "yes"]}
    >>> row_answers(bayou.examples.umbrella_world(), rows, "decode", sequence="id")
    {'id': ['b', 'a', 'b'], 'Rain': ['yes', 'no', 'yes']}
    """
    keys = [how[key] for key in ("sequence", "time") if how.get(key) is not None]
    reader = (MixedInput if net.has_numbers else DynamicInput)(net.template, net.variables)
    rows, _ = reader.rows(data, how)
    back = np.empty(rows.rows, dtype=np.int64)
    back[rows.batch.standing] = np.arange(rows.rows)
    found: dict[str, list[Any]] = {str(name): cells for name, cells in key_cells(data, keys).items()}
    found = found or {"row": list(range(rows.rows))}
    if net.has_numbers:
        return found | _numbers(net, data, what, ask, engine, how, rows.lengths, back)
    evidence = reader.evidence(rows, how)
    asked = net.wanted(ask, evidence)
    if not asked:
        raise BadQuestion(_NOTHING)
    if what == DECODE:
        return found | _states(net, evidence, asked, rows, back)
    beliefs = net.beliefs_of(evidence, asked, what, engine)
    return found | _shares(net, beliefs, rows, back)


def likeliest_states(net: DynamicNetwork, shares: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """The keys of :func:`row_answers`, and of each variable the state with the largest probability."""
    heads = {
        label(name): [f"P({label(name)}={label(state)})" for state in net.variables[name].states]
        for name in net.names
    }
    of_shares = {head for own in heads.values() for head in own}
    found = {head: cells for head, cells in shares.items() if head not in of_shares}
    for name in net.names:
        own = [shares[head] for head in heads[label(name)] if head in shares]
        if own:
            states = net.variables[name].states
            found[label(name)] = [
                None if cells[0] is None else states[int(np.argmax(cells))]
                for cells in zip(*own, strict=True)
            ]
    return found


def _numbers(
    net: DynamicNetwork,
    data: Any,
    what: str,
    ask: Any,
    engine: str,
    how: Mapping[str, Any],
    lengths: IntArray,
    back: IntArray,
) -> dict[str, list[Any]]:
    """The answers of a network with numbers."""
    if engine != "exact":
        raise BadQuestion(f"engine={engine!r} is for networks without numbers: leave it out.")
    if what == DECODE:
        answer = net.most_probable(data, **how)
        found = answer if isinstance(answer, list) else [answer]
        if not all(one.exact for one in found):
            warn_user(
                "Unknown states switch unknown numbers: the states are the best path that was found; there "
                "may be a better one."
            )
        parts = [_trajectory_cells(net, one, n) for one, n in zip(found, lengths.tolist(), strict=True)]
    else:
        answer = (net.filter if what == FILTER else net.smooth)(data, ask, **how)
        parts = [_with_errors(one) for one in (answer if isinstance(answer, list) else [answer])]
    asked = {label(name) for name in names_asked(ask, net.names)} if what == DECODE else None
    every = dict.fromkeys(head for part in parts for head in part)
    heads = [head for head in every if head != "step" and (not asked or head in asked)]
    if not heads:
        raise BadQuestion(_NOTHING)
    # Exact answers beside estimates have no errors.
    sized = list(zip(parts, lengths.tolist(), strict=True))
    joined = {head: [cell for part, n in sized for cell in part.get(head, [0.0] * n)] for head in heads}
    return {head: [cells[k] for k in back.tolist()] for head, cells in joined.items()}


def _trajectory_cells(net: DynamicNetwork, best: Trajectory, length: int) -> dict[str, list[Any]]:
    """The values of a trajectory in each row of its sequence."""
    found: dict[str, list[Any]] = {}
    for name, path in best.items():
        cells, gaps = list(path), [None] * max(length - 1, 0)
        if name in net.template.constant:
            cells = cells * length
        elif name in net.template.first:
            cells = [*cells, *gaps]
        elif name in net.template.last:
            cells = [*gaps, *cells]
        found[label(name)] = cells
    return found


def _with_errors(beliefs: MixedBeliefs) -> dict[str, list[Any]]:
    """The columns of an answer, and the standard errors of what was estimated."""
    found = beliefs.to_columns()
    for name, errors in beliefs.errors.items():
        own = beliefs[name]
        if isinstance(own, NumberBeliefs):
            heads = {f"mean({label(name)})": errors}
        else:
            heads = {
                f"P({label(name)}={label(state)})": errors[:, code]
                for code, state in enumerate(own.variable.states)
            }
        for head, values in heads.items():
            here = [cell is not None for cell in found[head]]
            found[f"error({head})"] = [
                one if exists else None for one, exists in zip(values.tolist(), here, strict=True)
            ]
    return found


def _states(
    net: DynamicNetwork,
    evidence: SliceEvidence,
    asked: tuple[Name, ...],
    rows: SequenceBatch,
    back: IntArray,
) -> dict[str, list[Any]]:
    _, codes = net.model.best(evidence)
    found: dict[str, list[Any]] = {}
    for name in asked:
        states = net.variables[name].states
        place = _place_of(net, name, rows)
        own = codes[evidence.index(name)][place]
        exists = _exists(net, name, rows)
        cells = [states[code] if here else None for code, here in zip(own.tolist(), exists, strict=True)]
        found[label(name)] = [cells[k] for k in back.tolist()]
    return found


def _shares(
    net: DynamicNetwork, beliefs: Mapping[Name, FloatArray], rows: SequenceBatch, back: IntArray
) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for name, shares in beliefs.items():
        exists = _exists(net, name, rows)[back]
        own = shares[back]
        for code, state in enumerate(net.variables[name].states):
            column = own[:, code].tolist()
            head = f"P({label(name)}={label(state)})"
            found[head] = [cell if here else None for cell, here in zip(column, exists, strict=True)]
    return found


def _place_of(net: DynamicNetwork, name: Name, rows: SequenceBatch) -> IntArray:
    """The row in which a variable of a row has its value: a constant has it in the first one."""
    every = np.arange(rows.rows)
    return np.repeat(rows.starts[:-1], rows.lengths) if name in net.template.constant else every


def _exists(net: DynamicNetwork, name: Name, rows: SequenceBatch) -> Any:
    """In which rows a variable exists."""
    template, here = net.template, np.ones(rows.rows, dtype=bool)
    real = rows.lengths > 0
    if name in template.first or name in template.last:
        here[:] = False
        here[(rows.starts[1:] - 1 if name in template.last else rows.starts[:-1])[real]] = True
    return here
