"""Write networks to files, and convert to and from the drafts that the foreign formats read and write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from bayou.distributions import Distribution, Table
from bayou.errors import BadFile, listed, warn_user
from bayou.formats import ENDINGS as FOREIGN_ENDINGS
from bayou.formats import NetworkDraft, write_draft
from bayou.formats.draft import Remarks
from bayou.formats.file_content import FilePath, path_text
from bayou.formats.format_registry import OWN_ENDINGS
from bayou.graphs import Dag
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.fitting.fitted_parameters import FittedParameters

ENDINGS = (*OWN_ENDINGS, *(f"{ending}{packed}" for ending in FOREIGN_ENDINGS for packed in ("", ".gz")))

Parts: TypeAlias = "tuple[FrozenNetwork, FittedParameters | None, Mapping[Name, Variable], Remarks]"
"""Frozen network, fitted parameters (or None), declared variables and remarks."""


def write_network(path: FilePath, parts: Parts, state: Callable[[], dict[str, Any]]) -> None:
    """Write a network in the format of the file ending.

    ``.bayou`` and ``.json`` keep everything (``state``); the foreign formats keep structure and tables.
    """
    frozen, _, _, remarks = parts
    name = path_text(path).lower()
    if name.endswith(OWN_ENDINGS):
        from bayou.formats.bundle import write_bundle

        write_bundle(path, "network", state())
    elif name.endswith(ENDINGS):
        _warn_of_loss(path, frozen)
        # Properties are kept in BIF only, because other formats write them differently.
        kept = remarks if name.endswith((".bif", ".bif.gz")) else replace(remarks, properties={})
        write_draft(draft_from_network(frozen, kept), path)
    else:
        raise BadFile.at(path, f"the ending of the name chooses the format; use one of {', '.join(ENDINGS)}.")


def parts_of_draft(draft: NetworkDraft) -> Parts:
    """The parts of a network read from a foreign format; all its variables are declared."""
    declared = {variable.name: variable for variable in draft.variables}
    return (
        frozen_of(draft),
        None,
        declared,
        Remarks(draft.name, draft.properties, draft.appearance, draft.unread),
    )


def _warn_of_loss(path: FilePath, frozen: FrozenNetwork) -> None:
    """Warn if the network shares parameters, which foreign formats cannot express."""
    if frozen.sharing:
        warn_user(
            f"{path}: this format cannot keep the sharing of {listed(frozen.sharing)}; every variable gets a "
            "table of its own. Save as .bayou to keep the sharing."
        )


def draft_from_network(frozen: FrozenNetwork, remarks: Remarks) -> NetworkDraft:
    """The structure and the tables of a network, as the foreign formats store them."""
    frozen.require(frozen.dag.nodes)
    names = frozen.dag.nodes
    tables: dict[Name, Any] = {
        name: frozen.table(name) for name in names if not frozen.schema[name].is_continuous
    }
    parents = {name: frozen.dag.parents(name) for name in names}
    return NetworkDraft(
        remarks.name, frozen.schema.variables, parents, tables, remarks.properties, remarks.appearance
    )


def frozen_of(draft: NetworkDraft) -> FrozenNetwork:
    """Create the frozen network of a draft."""
    dag = Dag([variable.name for variable in draft.variables], draft.parents)
    blocks: dict[Name, Distribution] = {name: Table(values) for name, values in draft.tables.items()}
    return FrozenNetwork(Schema(draft.variables), dag, {}, blocks)
