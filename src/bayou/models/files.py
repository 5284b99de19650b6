"""Files of networks: the ending of the name chooses the format when writing, the content when reading."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from bayou.distributions import LocalDistribution, Table
from bayou.errors import BadFile, BadGraph, BayouError
from bayou.formats import ENDINGS as FOREIGN_ENDINGS
from bayou.formats import NetworkDraft, parse_draft, write_draft
from bayou.formats.bundle import looks_like_bundle, read_bundle, write_bundle
from bayou.formats.files import FilePath, read_bytes
from bayou.graphs import Dag
from bayou.models.learned import Learned
from bayou.models.saving import network_from_state, network_state
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.typing import Name
from bayou.version import __version__

ENDINGS = (".bayou", *(f"{ending}{packed}" for ending in FOREIGN_ENDINGS for packed in ("", ".gz")))

Parts = tuple[FrozenNetwork, Learned | None, Mapping[Name, Variable]]
"""Frozen data, what was learned, and what was declared: all that a file must keep."""


def write_network(
    path: FilePath, frozen: FrozenNetwork, learned: Learned | None, declared: Mapping[Name, Variable]
) -> None:
    """Write a network: ``.bayou`` keeps everything, the foreign formats structure and tables."""
    name = os.fspath(path).lower()
    if name.endswith(".bayou"):
        write_bundle(path, "network", network_state(frozen, learned, declared), __version__)
    elif name.endswith(ENDINGS):
        write_draft(draft_of(frozen), path)
    else:
        raise BadFile.at(path, f"the ending of the name chooses the format; use one of {', '.join(ENDINGS)}.")


def read_network(path: FilePath) -> Parts:
    """Read a file of any known format, told by its content (gzipped or not)."""
    data = read_bytes(path)
    if looks_like_bundle(data[:4]):
        return _from_bundle(path)
    draft = parse_draft(data, path)
    try:
        frozen = frozen_of(draft)
    except BadGraph as error:
        raise BadFile.at(path, str(error)) from None
    return frozen, None, {variable.name: variable for variable in draft.variables}


def _from_bundle(path: FilePath) -> Parts:
    kind, state = read_bundle(path)
    if kind != "network":
        raise BadFile.at(path, f"holds a {kind!r}, which this version can not load.")
    try:
        return network_from_state(state)
    except BayouError as error:
        raise BadFile.at(path, f"is damaged: {error}") from None
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise BadFile.at(path, f"is damaged: its state is incomplete ({error!r}).") from None


def draft_of(frozen: FrozenNetwork) -> NetworkDraft:
    """What the foreign formats can hold of a network: structure and tables."""
    frozen.require(frozen.dag.nodes)
    names = frozen.dag.nodes
    tables: dict[Name, Any] = {
        name: frozen.table(name) for name in names if not frozen.schema[name].is_continuous
    }
    parents = {name: frozen.dag.parents(name) for name in names}
    return NetworkDraft("bayou", frozen.schema.variables, parents, tables)


def frozen_of(draft: NetworkDraft) -> FrozenNetwork:
    """The network that a foreign file describes."""
    dag = Dag([variable.name for variable in draft.variables], draft.parents)
    blocks: dict[Name, LocalDistribution] = {name: Table(values) for name, values in draft.tables.items()}
    return FrozenNetwork(Schema(draft.variables), dag, {}, blocks)
