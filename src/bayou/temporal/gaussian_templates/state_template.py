"""The template of states behind a template with numbers.

A number whose parents' values are known has a density for each combination of its parents' states. So it is a
finding about these states: each number that states switch gets a companion, a variable that is a function of
those states, with one state for each combination, and the densities are the likelihoods of the companion. The
states and the companions are a template without numbers, for which the interface algorithm is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bayou.distributions import Distribution, Table
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.temporal.gaussian_templates.slice_layout import SliceLayout
from bayou.temporal.templates.template import DynamicTemplate, Node
from bayou.temporal.templates.template_model import PlanMemory, TemplateModel
from bayou.temporal.templates.template_text import LaggedArc
from bayou.typing import IntArray, Name

MOST_COMBINATIONS = 1024
"""A number that more combinations of states switch has no companion: its table would be too large."""


@dataclass(frozen=True, eq=False)
class StateTemplate:
    """The states of a template, and a companion of each number that they switch."""

    layout: SliceLayout
    memory: PlanMemory = field(default_factory=PlanMemory)

    def _switches(self, number: Name) -> tuple[LaggedArc, ...]:
        """The arcs from states to a number."""
        arcs = self.layout.template.arcs
        return tuple(arc for arc in arcs if arc.child == number and arc.parent in self.layout.states)

    def _sizes(self, number: Name) -> list[int]:
        return [self.layout.variables[arc.parent].cardinality for arc in self._switches(number)]

    @property
    def is_small(self) -> bool:
        """Whether no number depends on too many combinations of states."""
        return all(math.prod(self._sizes(number)) <= MOST_COMBINATIONS for number in self.layout.numbers)

    @cached_property
    def companions(self) -> dict[Name, Variable]:
        """The companion of each number that has one."""
        found: dict[Name, Variable] = {}
        taken = {str(name) for name in self.layout.template.names}
        for number in self.layout.numbers:
            if self._switches(number):
                name = f"states behind {number}"
                while name in taken:
                    name += "+"
                taken.add(name)
                found[number] = Variable(name, tuple(range(math.prod(self._sizes(number)))))
        return found

    @cached_property
    def variables(self) -> dict[Name, Variable]:
        """The states and the companions."""
        own = {name: self.layout.variables[name] for name in self.layout.states}
        return own | {companion.name: companion for companion in self.companions.values()}

    @cached_property
    def template(self) -> DynamicTemplate:
        """The template without numbers."""
        whole = self.layout.template
        arcs = [arc for arc in whole.arcs if arc.child in self.layout.states]
        for number, companion in self.companions.items():
            arcs += [arc._replace(child=companion.name) for arc in self._switches(number)]

        def renamed(group: frozenset[Name]) -> frozenset[Name]:
            of_numbers = {own.name for number, own in self.companions.items() if number in group}
            return frozenset(of_numbers | {name for name in group if name in self.layout.states})

        outside = (renamed(group) for group in (whole.constant, whole.first, whole.last))
        return DynamicTemplate(tuple(self.variables), tuple(arcs), *outside)

    def combinations(self, number: Name, step: int) -> IntArray:
        """The codes of a number's companion at a step [state of each parent that exists there …]."""
        parents = set(self.layout.template.parents(Node(number, step)))
        codes, stride = np.zeros((), dtype=np.int64), math.prod(self._sizes(number))
        for arc, size in zip(self._switches(number), self._sizes(number), strict=True):
            stride //= size
            constant = arc.parent in self.layout.template.constant
            if Node(arc.parent, 0 if constant else step - arc.lag) in parents:
                codes = codes[..., None] + stride * np.arange(size)
        return codes

    def model(self, network: FrozenNetwork) -> TemplateModel:
        """The template with the tables of a network of the first slices."""
        network.require(self.layout.tables)
        template = self.template
        number_of = {own.name: number for number, own in self.companions.items()}
        slots = {name: slot for slot, users in template.sharing.items() for name in users}
        blocks: dict[Name, Distribution] = {}
        variables = []
        for label, node in template.behind.items():
            own = self.variables[node.name]
            variables.append(Variable(label, own.states, ordered=own.ordered))
            if node.name in number_of:
                codes = self.combinations(number_of[node.name], node.step)
                blocks[slots.get(label, label)] = Table(np.eye(own.cardinality)[codes])
            else:
                blocks[slots.get(label, label)] = network.distribution(self.layout.template.block(node))
        frozen = FrozenNetwork(Schema(variables), template.dag, template.sharing, blocks)
        return TemplateModel(template, frozen, self.memory)
