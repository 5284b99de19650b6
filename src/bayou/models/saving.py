"""A network as a plain state (dicts, lists, arrays) and back: what the model file holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayou.distributions import DISTRIBUTIONS, Distribution, NodeKind, prior_from_state, prior_state
from bayou.distributions.node_kind import LOGICS
from bayou.errors import BadFile
from bayou.formats.draft import Remarks
from bayou.graphs import Dag
from bayou.learning import PriorChoice
from bayou.models.checking import checked_causes, checked_gaussian, checked_table
from bayou.models.learned import Learned
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.schema.values import decode_value, encode_value
from bayou.statistics import Statistics
from bayou.typing import Name

State = dict[str, Any]


def network_state(frozen: FrozenNetwork, learned: Learned | None, declared: Mapping[Name, Variable]) -> State:
    """Everything there is to know of a network: names, typed states, arcs, sharing, parameters, counts."""
    names = frozen.dag.nodes
    place = {name: position for position, name in enumerate(names)}
    return {
        "variables": [frozen.schema[name].state() for name in names],
        "declared": [place[name] for name in declared],
        "parents": [[place[parent] for parent in frozen.dag.parents(name)] for name in names],
        "sharing": [
            {"block": encode_value(block), "users": [place[name] for name in users]}
            for block, users in frozen.sharing.items()
        ],
        "blocks": [
            {"block": encode_value(block), **_distribution_state(distribution)}
            for block, distribution in frozen.blocks.items()
        ],
        "kinds": [{"variable": place[name], **kind_state(kind)} for name, kind in frozen.kinds.items()],
        "learned": None if learned is None else _learned_state(learned),
    }


def network_from_state(state: State) -> tuple[FrozenNetwork, Learned | None, dict[Name, Variable]]:
    """The network that :func:`network_state` wrote."""
    variables = [Variable.from_state(entry) for entry in state["variables"]]
    names = [variable.name for variable in variables]
    dag = Dag(names, {names[k]: [names[p] for p in own] for k, own in enumerate(state["parents"])})
    sharing = {
        decode_value(entry["block"]): tuple(names[k] for k in entry["users"]) for entry in state["sharing"]
    }
    blocks = {}
    for entry in state["blocks"]:
        block = decode_value(entry["block"])
        blocks[block] = _distribution(block, entry)
    # Files from before there were other kinds than tables and Gaussians do not speak of them.
    kinds = {names[entry["variable"]]: kind_from_state(entry) for entry in state.get("kinds", [])}
    frozen = FrozenNetwork(Schema(variables), dag, sharing, blocks, kinds)
    learned = None if state["learned"] is None else _learned(state["learned"], frozen)
    return frozen, learned, {names[k]: variables[k] for k in state["declared"]}


def remarks_state(remarks: Remarks) -> State:
    """The name of the network and the texts about its variables."""
    texts = [[encode_value(name), list(lines)] for name, lines in remarks.properties.items()]
    return {"name": remarks.name, "properties": texts}


def remarks_from_state(state: State | None) -> Remarks:
    """The remarks of a file (none, where it has none)."""
    if state is None:
        return Remarks()
    properties = {decode_value(name): tuple(map(str, lines)) for name, lines in state["properties"]}
    return Remarks(str(state["name"]), properties)


def _distribution_state(distribution: Distribution) -> State:
    return distribution.state()


def _distribution(block: Name, state: State) -> Distribution:
    made = DISTRIBUTIONS.find(state["kind"]).from_state(state)
    checks: dict[str, Any] = {"table": checked_table, "gaussian": checked_gaussian, "causes": checked_causes}
    checked: Distribution = checks.get(state["kind"], lambda block, same: same)(block, made)
    return checked


def kind_state(kind: Any) -> State:
    """How a node depends on its parents, where not by a full table."""
    return {
        "logic": kind.logic,
        "marked": [[encode_value(name), encode_value(state)] for name, state in kind.marked.items()],
        "everywhere": [encode_value(state) for state in kind.everywhere],
    }


def kind_from_state(state: State) -> NodeKind:
    """The kind that :func:`kind_state` wrote."""
    if state["logic"] not in LOGICS:
        raise BadFile(f"there is no node of the kind {state['logic']!r}.")
    marked = {decode_value(name): decode_value(marked) for name, marked in state["marked"]}
    return NodeKind(state["logic"], marked, tuple(decode_value(entry) for entry in state["everywhere"]))


def _learned_state(learned: Learned) -> State:
    chosen = learned.priors.by_name or {}
    return {
        **learned.statistics.state(),
        "expected": learned.expected,
        "prior": prior_state(learned.priors.default),
        "priors": [{"name": encode_value(name), **prior_state(prior)} for name, prior in chosen.items()],
    }


def _learned(state: State, frozen: FrozenNetwork) -> Learned:
    chosen = {decode_value(entry["name"]): prior_from_state(entry) for entry in state["priors"]}
    priors = PriorChoice(prior_from_state(state["prior"]), chosen or None)
    # Files from before there was EM hold counts.
    return Learned(frozen, Statistics.from_state(state), priors, bool(state.get("expected", False)))
