"""Files of networks: the ending of the name chooses the format when writing, the content when reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bayou.distributions import Distribution, Table
from bayou.errors import BadFile, BadGraph, BayouError, listed, warn_user
from bayou.formats import ENDINGS as FOREIGN_ENDINGS
from bayou.formats import NetworkDraft, parse_draft, write_draft
from bayou.formats.bundle import looks_like_bundle, read_bundle, write_bundle
from bayou.formats.draft import Remarks
from bayou.formats.files import FilePath, path_text, read_bytes
from bayou.graphs import Dag
from bayou.models.learned import Learned
from bayou.models.saving import network_from_state, network_state, remarks_from_state, remarks_state
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.typing import Name
from bayou.version import __version__

ENDINGS = (".bayou", *(f"{ending}{packed}" for ending in FOREIGN_ENDINGS for packed in ("", ".gz")))

Parts = tuple[FrozenNetwork, Learned | None, Mapping[Name, Variable], Remarks]
"""Frozen data, what was learned, what was declared, and remarks: all that a file must keep."""


def write_network(
    path: FilePath,
    frozen: FrozenNetwork,
    learned: Learned | None,
    declared: Mapping[Name, Variable],
    remarks: Remarks,
) -> None:
    """Write a network: ``.bayou`` keeps everything, the foreign formats structure and tables."""
    name = path_text(path).lower()
    if name.endswith(".bayou"):
        state = {**network_state(frozen, learned, declared), "remarks": remarks_state(remarks)}
        write_bundle(path, "network", state, __version__)
    elif name.endswith(ENDINGS):
        _warn_of_loss(path, frozen)
        # Other formats have their own idea of what a property looks like.
        kept = remarks if name.endswith((".bif", ".bif.gz")) else Remarks(remarks.name)
        write_draft(draft_of(frozen, kept), path)
    else:
        raise BadFile.at(path, f"the ending of the name chooses the format; use one of {', '.join(ENDINGS)}.")


def read_network(path: FilePath) -> Parts:
    """Read a file of any known format, told by its content (gzipped or not)."""
    data = read_bytes(path)
    if looks_like_bundle(data[:4]):
        kind, state = read_bundle(path)
        if kind != "network":
            raise BadFile.at(path, f"holds a {kind}, not a network; bayou.load opens what it can.")
        return network_parts(path, state)
    draft = parse_draft(data, path)
    try:
        frozen = frozen_of(draft)
    except BadGraph as error:
        raise BadFile.at(path, str(error)) from None
    remarks = Remarks(draft.name, draft.properties)
    return frozen, None, {variable.name: variable for variable in draft.variables}, remarks


def _warn_of_loss(path: FilePath, frozen: FrozenNetwork) -> None:
    if frozen.sharing:
        warn_user(
            f"{path}: this format can not hold that {listed(frozen.sharing)} is shared; every user gets a "
            "table of its own. Save as .bayou to keep it."
        )


def network_parts(path: FilePath, state: dict[str, Any]) -> Parts:
    """What the state of a model file says of a network."""
    with damage_named(path):
        return (*network_from_state(state), remarks_from_state(state.get("remarks")))


@contextmanager
def damage_named(path: FilePath) -> Iterator[None]:
    """Whatever goes wrong while a state is believed is the file's fault, and says so."""
    try:
        yield
    except BayouError as error:
        raise BadFile.at(path, f"is damaged: {error}") from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise BadFile.at(path, f"is damaged: its state is incomplete ({error!r}).") from None


def draft_of(frozen: FrozenNetwork, remarks: Remarks) -> NetworkDraft:
    """What the foreign formats can hold of a network: structure and tables."""
    frozen.require(frozen.dag.nodes)
    names = frozen.dag.nodes
    tables: dict[Name, Any] = {
        name: frozen.table(name) for name in names if not frozen.schema[name].is_continuous
    }
    parents = {name: frozen.dag.parents(name) for name in names}
    return NetworkDraft(remarks.name, frozen.schema.variables, parents, tables, remarks.properties)


def frozen_of(draft: NetworkDraft) -> FrozenNetwork:
    """The network that a foreign file describes."""
    dag = Dag([variable.name for variable in draft.variables], draft.parents)
    blocks: dict[Name, Distribution] = {name: Table(values) for name, values in draft.tables.items()}
    return FrozenNetwork(Schema(draft.variables), dag, {}, blocks)
