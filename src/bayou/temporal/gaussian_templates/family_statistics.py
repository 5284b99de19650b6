"""Statistics of the families of all slices whose values are known: one request for each node of the first
slices, the last of which stands for all later ones.

One sequence has one first slice, which says nothing about how first slices vary. So tables of the first
slices are learned from all slices together, while there are too few sequences for a variance of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import add

import numpy as np

from bayou.distributions.gaussian.gaussian_regression import has_own_line
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch, CountTable, Moments, Request, Result, Statistics
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.templates.template import DynamicTemplate, Node
from bayou.typing import BoolArray, CodeArray, FloatArray, IntArray, Name


def family_statistics(network: FrozenNetwork, evidence: MixedEvidence) -> Statistics:
    """The statistics of every node of the first slices, of each node alone, and of the families of first
    slices in later ones. Values that were set count as parents, not as children, unless all of them were.
    """
    answers: dict[Request, Result] = {}
    template = evidence.layout.template
    for label, node in template.behind.items():
        _add(answers, network, evidence, node, template.parents(node))
        _add(answers, network, evidence, node, ())
        assert template.labelled(node) == label
    for table in evidence.layout.blocks:
        for node, parents in later_families(template, table):
            _add(answers, network, evidence, node, parents)
    total = float(len(evidence.lengths) if evidence.weights is None else evidence.weights.sum())
    return Statistics(answers, total)


def statistics_of(network: FrozenNetwork, parts: Iterable[MixedEvidence]) -> Statistics:
    """The statistics of several parts, added from the first to the last."""
    return reduce(add, (family_statistics(network, part) for part in parts))


def state_counts(network: FrozenNetwork, evidence: MixedEvidence) -> Statistics:
    """The counts of the families of states alone."""
    answers: dict[Request, Result] = {}
    template = evidence.layout.template
    for node in template.behind.values():
        if node.name in evidence.layout.states:
            _add(answers, network, evidence, node, template.parents(node))
            _add(answers, network, evidence, node, ())
    return Statistics(answers, 0.0)


def later_families(template: DynamicTemplate, table: Name) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """The family of a table of the first slices, and the same one slice later, and so on."""
    first = template.behind[table]
    if template.outside(first.name) or first.step >= template.reach(first.name):
        return
    for step in range(first.step, template.order + 1):
        moved = step - first.step
        parents = tuple(
            one if template.outside(one.name) else Node(one.name, one.step + moved)
            for one in template.parents(first)
        )
        yield Node(first.name, step), parents


def settled_statistics(network: FrozenNetwork, template: DynamicTemplate, known: Statistics) -> Statistics:
    """The statistics in which tables of first slices with too few rows have those of all slices."""
    answers: dict[Request, Result] = dict(known.items())
    for table in template.tables:
        if not network.schema[table].is_continuous:
            continue
        parts = [
            _request(network, node, parents, template) for node, parents in later_families(template, table)
        ]
        if not parts or not isinstance(parts[0], Moments):
            continue
        own = known[parts[0]]
        if bool(np.all(has_own_line(own.marginal([])))):
            continue
        for part in parts[1:]:
            assert isinstance(part, Moments)
            names = zip((*part.variables, *part.given), (*parts[0].variables, *parts[0].given), strict=True)
            own = own + known[part].renamed(dict(names))
        answers[parts[0]] = own
    return Statistics(answers, known.rows)


def starting_statistics(network: FrozenNetwork, template: DynamicTemplate, known: Statistics) -> Statistics:
    """What EM starts with: each number by itself has its moments in all slices."""
    answers: dict[Request, Result] = dict(settled_statistics(network, template, known).items())
    for name in template.names:
        labels = [label for label, node in template.behind.items() if node.name == name]
        if not network.schema[labels[0]].is_continuous:
            continue
        whole = known[Moments((labels[0],))]
        for label in labels[1:]:
            whole = whole + known[Moments((label,))].renamed({label: labels[0]})
        answers |= {Moments((label,)): whole.renamed({labels[0]: label}) for label in labels}
    return Statistics(answers, known.rows)


def has_few_rows(
    network: FrozenNetwork, template: DynamicTemplate, table: Name, sequences: float, *, states_known: bool
) -> bool:
    """Whether a table of the first slices has too few sequences for a variance of its own. With unknown
    states every group needs some: EM could give a group a single sequence, so that its variance vanishes.
    """
    node, family = template.behind[table], network.family(table)
    if template.outside(node.name) or node.step >= template.reach(node.name):
        return False
    return sequences < (len(family.continuous) + 2) * (1 if states_known else family.groups)


def _request(
    network: FrozenNetwork, node: Node, parents: tuple[Node, ...], template: DynamicTemplate
) -> Request:
    child = template.labelled(node)
    labels = [template.labelled(parent) for parent in parents]
    if not network.schema[child].is_continuous:
        return CountTable((*labels, child))
    numbers = [name for name in labels if network.schema[name].is_continuous]
    return Moments((*numbers, child), tuple(name for name in labels if name not in numbers))


def _add(
    answers: dict[Request, Result],
    network: FrozenNetwork,
    evidence: MixedEvidence,
    node: Node,
    parents: tuple[Node, ...],
) -> None:
    template = evidence.layout.template
    request = _request(network, node, parents, template)
    if request in answers:
        return
    batch = _family_batch(evidence, node, parents)
    answers[request] = request.answer(batch, {name: network.schema[name] for name in network.dag.nodes})


def _family_batch(evidence: MixedEvidence, node: Node, parents: tuple[Node, ...]) -> Batch:
    """The rows in which a family is known, under the names of the first slices."""
    template = evidence.layout.template
    rows = evidence.rows_of(node)
    set_child = evidence.was_set(node.name)
    counted: BoolArray = np.ones(len(rows), dtype=bool)
    if not set_child[rows].all() or node.name in evidence.layout.states:
        counted = ~set_child[rows]
    places: dict[Name, IntArray] = {}
    for member in (*parents, node):
        age = 0 if template.outside(member.name) else node.step - member.step
        places[template.labelled(member)] = rows - age
        counted &= evidence.known(member.name)[rows - age]
    codes: dict[Name, CodeArray] = {}
    numbers: dict[Name, FloatArray] = {}
    for member in (*parents, node):
        label = template.labelled(member)
        at = places[label][counted]
        if member.name in evidence.layout.numbers:
            numbers[label] = evidence.numbers[at, evidence.layout.numbers.index(member.name)]
        else:
            codes[label] = evidence.codes[at, evidence.layout.states.index(member.name)]
    weights = None
    if evidence.weights is not None:
        weights = np.repeat(evidence.weights, evidence.lengths)[rows[counted]]
    return Batch(int(counted.sum()), codes, numbers, weights)
