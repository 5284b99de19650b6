"""Random values of all variables of given sequences, and random slices that follow them.

The sequence is unrolled to a plain network, whose rows are drawn exactly given what is known
(:class:`~bayou.inference.ConditionalRows`: an elimination run backwards); slices in which nothing is known
are the continuation. Sequences of the same length share the network.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bayou import inference
from bayou.codes import is_missing_cell
from bayou.inference.question import Question
from bayou.models.dynamic.drawn_slices import sequence_columns
from bayou.models.dynamic.unrolled_slices import node_label, unrolled_slices
from bayou.networks import FrozenNetwork
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.templates.slice_evidence import OBSERVED, SET, WEIGHED, SliceEvidence
from bayou.temporal.templates.template import DynamicTemplate, Node
from bayou.temporal.templates.template_model import TemplateModel
from bayou.typing import Name


def continued_slices(
    model: TemplateModel, evidence: SliceEvidence, draws: int, seed: int
) -> list[list[dict[Name, list[Any]]]]:
    """For each sequence so many draws of all its variables, given what is known of it."""
    lengths = evidence.lengths.tolist()
    questions = (
        _question(model.template, evidence.of(number), nodes_of(model.template, length))
        for number, length in enumerate(lengths)
    )
    return _drawn(model, questions, lengths, draws, seed)


def continued_rows(
    model: TemplateModel, rows: SequenceBatch, draws: int, seed: int
) -> list[list[dict[Name, list[Any]]]]:
    """The same for a network with numbers, of which values are observed."""
    lengths, starts = rows.lengths.tolist(), rows.starts.tolist()
    questions = (
        Question((), _observed(model, rows, start, nodes_of(model.template, length)))
        for start, length in zip(starts, lengths, strict=False)
    )
    return _drawn(model, questions, lengths, draws, seed)


def nodes_of(template: DynamicTemplate, length: int) -> list[Node]:
    """All nodes of a sequence."""
    return [node for step in range(length) for node in template.nodes(step, last=step == length - 1)]


def _drawn(
    model: TemplateModel, questions: Iterator[Question], lengths: list[int], draws: int, seed: int
) -> list[list[dict[Name, list[Any]]]]:
    networks: dict[int, FrozenNetwork] = {}
    found = []
    for number, (question, length) in enumerate(zip(questions, lengths, strict=True)):
        if length not in networks:
            networks[length] = unrolled_slices(model, length).frozen
        rows = inference.ConditionalRows(networks[length], question).draw(draws, seed, draws * number)
        nodes = nodes_of(model.template, length)
        drawn = {node: rows[node_label(model.template, node)] for node in nodes}
        found.append([sequence_columns(model, drawn, draw, length) for draw in range(draws)])
    return found


def _observed(model: TemplateModel, rows: SequenceBatch, start: int, nodes: list[Node]) -> dict[Name, Any]:
    found: dict[Name, Any] = {}
    length = max((node.step for node in nodes), default=-1) + 1
    for node in nodes:
        name = node.name
        is_number = model.variables[name].is_continuous
        column: Any = (rows.batch.numbers if is_number else rows.batch.codes).get(name)
        # A variable outside time may have its value in any row of the sequence.
        first, last = (0, length) if model.template.outside(name) else (node.step, node.step + 1)
        places = slice(start + first, start + last)
        cells = np.zeros(0) if column is None else column[places]
        seen = cells[~is_missing_cell(cells)] if len(cells) else cells
        if len(seen):
            found[node_label(model.template, node)] = float(seen[0]) if is_number else int(seen[0])
    return found


def _question(template: DynamicTemplate, evidence: SliceEvidence, nodes: list[Node]) -> Question:
    """What is known of one sequence, in the names of the unrolled network."""
    known: dict[Name, int] = {}
    done: dict[Name, int] = {}
    weights: dict[Name, Any] = {}
    for node in nodes:
        index, label = evidence.index(node.name), node_label(template, node)
        status, code = int(evidence.status[index, node.step]), int(evidence.codes[index, node.step])
        if status == OBSERVED:
            known[label] = code
        elif status == SET:
            done[label] = code
        elif status == WEIGHED:
            weights[label] = evidence.likelihoods[node.name][node.step]
    return Question((), known, likelihood=weights, do=done)
