"""Networks of the Python libraries pgmpy and pyAgrum, to and from drafts; each is imported when needed."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou._native import _core
from bayou.errors import BadTable, BadVariable, MissingPackage
from bayou.formats.checking import check_draft
from bayou.formats.draft import NetworkDraft
from bayou.formats.format_labels import NOTES, distinct_texts, noted_variable, notes_of
from bayou.schema import Variable, plain
from bayou.typing import FloatArray, Name

_EXACT_ROW = 1e-12


def from_pgmpy(model: Any) -> NetworkDraft:
    """Return a discrete Bayesian network of pgmpy as a draft; names and states keep their types.

    A network without a table for each node is refused, as are tables whose rows do not sum to 1.
    """
    variables: list[Variable] = []
    parents: dict[Name, tuple[Name, ...]] = {}
    tables: dict[Name, FloatArray] = {}
    for node in model.nodes():
        cpd = model.get_cpds(node)
        if cpd is None or not hasattr(cpd, "state_names"):
            raise BadVariable(
                f"The node {node!r} of the pgmpy network has no table; add a TabularCPD for it."
            )
        variables.append(Variable(node, [plain(state) for state in cpd.state_names[node]]))
        parents[node] = tuple(cpd.variables[1:])
        # The variable itself is the first axis in pgmpy, and the last one in a draft.
        values = np.asarray(cpd.values, dtype=np.float64)
        tables[node] = _proper(node, np.moveaxis(values, 0, -1))
    states = {variable.name: variable for variable in variables}
    for node in parents:
        cpd = model.get_cpds(node)
        for parent in parents[node]:
            if [plain(state) for state in cpd.state_names[parent]] != list(states[parent].states):
                raise BadVariable(
                    f"The table of {node!r} has other states for its parent {parent!r} than that node has."
                )
    return NetworkDraft(str(getattr(model, "name", "") or ""), tuple(variables), parents, tables)


def to_pgmpy(draft: NetworkDraft) -> Any:
    """Return a draft as a ``pgmpy.models.DiscreteBayesianNetwork``; names and states keep their types.

    The draft's name and properties are lost, and so is whether a variable is ordered.
    """
    check_draft(draft, "pgmpy")
    for variable in draft.variables:
        if len(set(variable.states)) != variable.cardinality:
            raise BadVariable(
                f"pgmpy cannot distinguish the states of {variable.name!r}: two of them are equal in Python "
                "(such as 1 and True). Rename one."
            )
    models = _package("pgmpy.models", "pgmpy")
    factors = _package("pgmpy.factors.discrete", "pgmpy")
    model = models.DiscreteBayesianNetwork()
    model.add_nodes_from([variable.name for variable in draft.variables])
    model.add_edges_from(draft.arcs)
    states = {variable.name: list(variable.states) for variable in draft.variables}
    for variable in draft.variables:
        family = draft.parents[variable.name]
        table = np.asarray(draft.tables[variable.name], dtype=np.float64)
        columns = np.moveaxis(table, -1, 0).reshape(variable.cardinality, -1)
        model.add_cpds(
            factors.TabularCPD(
                variable.name,
                variable.cardinality,
                columns.tolist(),
                evidence=list(family) or None,
                evidence_card=[len(states[parent]) for parent in family] or None,
                state_names={name: states[name] for name in (variable.name, *family)},
            )
        )
    return model


def from_pyagrum(network: Any) -> NetworkDraft:
    """Return a Bayesian network of pyAgrum as a draft.

    The labels of range and integer variables become whole numbers, other labels are text; types that
    :func:`to_pyagrum` noted in a description are restored.
    """
    gum = _package("pyagrum", "pyagrum")
    found = [network.variable(node) for node in network.nodes()]
    variables = {variable.name(): _variable_of(variable, gum) for variable in found}
    if len({variable.name for variable in variables.values()}) != len(variables):
        raise BadVariable("Two variables of the pyAgrum network have descriptions that note the same name.")
    parents: dict[Name, tuple[Name, ...]] = {}
    tables: dict[Name, FloatArray] = {}
    for text, variable in variables.items():
        tensor = network.cpt(text)
        given = [name for name in tensor.names if name != text]
        values = np.asarray(tensor.toarray(), dtype=np.float64)
        axes = [_axes(tensor).index(name) for name in (*given, text)]
        tables[variable.name] = _proper(variable.name, values.transpose(axes))
        parents[variable.name] = tuple(variables[name].name for name in given)
    name = network.property("name") if "name" in network.properties() else ""
    return NetworkDraft(name, tuple(variables.values()), parents, tables)


def _variable_of(variable: Any, gum: Any) -> Variable:
    labels = list(variable.labels())
    notes = dict(part.split(" ", 1) for part in variable.description().split("\n") if part.startswith(NOTES))
    if notes:
        return noted_variable(variable.name(), labels, notes, "the pyAgrum network")
    if variable.varType() in (gum.VarType_RANGE, gum.VarType_INTEGER):
        return Variable(variable.name(), [int(label) for label in labels])
    return Variable(variable.name(), labels)


def to_pyagrum(draft: NetworkDraft) -> Any:
    """Return a draft as a ``pyagrum.BayesNet``; descriptions note names and states other than text."""
    check_draft(draft, "pyAgrum")
    gum = _package("pyagrum", "pyagrum")
    network = gum.BayesNet(draft.name)
    names = dict(
        zip(
            (variable.name for variable in draft.variables),
            distinct_texts(variable.name for variable in draft.variables),
            strict=True,
        )
    )
    for variable in draft.variables:
        labels = distinct_texts(variable.states)
        network.add(gum.LabelizedVariable(names[variable.name], _noted(variable, names, labels), labels))
    for variable in draft.variables:
        # The arcs are added in the order of the parents, which decides the order of the axes.
        for parent in draft.parents[variable.name]:
            network.addArc(names[parent], names[variable.name])
    for variable in draft.variables:
        text = names[variable.name]
        tensor = network.cpt(text)
        ours = [*(names[parent] for parent in draft.parents[variable.name]), text]
        table = np.asarray(draft.tables[variable.name], dtype=np.float64)
        tensor[:] = np.ascontiguousarray(table.transpose([ours.index(name) for name in _axes(tensor)]))
    return network


def _axes(tensor: Any) -> list[str]:
    """The names of the axes of a tensor's array, which are in the reverse order of its list of names."""
    return list(reversed(tensor.names))


def _noted(variable: Variable, names: dict[Name, str], labels: Sequence[str]) -> str:
    return "\n".join(f"{key} {note}" for key, note in notes_of(variable, names[variable.name], labels))


def _package(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingPackage.needed(package, f"A network of {package}") from None


def _proper(name: Name, table: FloatArray) -> FloatArray:
    """Return a table whose rows sum to 1; sums that differ from 1 by rounding are divided out."""
    sums = table.sum(axis=-1, keepdims=True)
    if not (np.abs(sums - 1) <= _core.BIF_ROW_TOLERANCE).all() or (table < 0).any():
        raise BadTable(f"A row of the table of {name!r} is not a distribution: rows must sum to 1.")
    return np.ascontiguousarray(table / np.where(np.abs(sums - 1) <= _EXACT_ROW, 1.0, sums))
