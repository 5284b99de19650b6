"""Networks in files: the ending of the name chooses the format; foreign formats hold drafts of networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bayou.distributions import Distribution, Table
from bayou.errors import BadFile, listed, warn_user
from bayou.fitting.fitted_parameters import FittedParameters
from bayou.formats import ENDINGS as FOREIGN_ENDINGS
from bayou.formats import NetworkDraft, write_draft
from bayou.formats.bundle import write_bundle
from bayou.formats.draft import Remarks
from bayou.formats.files import FilePath, path_text
from bayou.graphs import Dag
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.typing import Name

ENDINGS = (".bayou", *(f"{ending}{packed}" for ending in FOREIGN_ENDINGS for packed in ("", ".gz")))

Parts = tuple[FrozenNetwork, FittedParameters | None, Mapping[Name, Variable], Remarks]
"""Frozen data, what was learned, what was declared, and remarks: all that a file must keep."""


def write_network(path: FilePath, parts: Parts, state: Callable[[], dict[str, Any]]) -> None:
    """Write a network: ``.bayou`` keeps everything (its state), the foreign formats structure and tables."""
    frozen, _, _, remarks = parts
    name = path_text(path).lower()
    if name.endswith(".bayou"):
        write_bundle(path, "network", state())
    elif name.endswith(ENDINGS):
        _warn_of_loss(path, frozen)
        # Other formats have their own idea of what a property looks like.
        kept = remarks if name.endswith((".bif", ".bif.gz")) else Remarks(remarks.name)
        write_draft(draft_of(frozen, kept), path)
    else:
        raise BadFile.at(path, f"the ending of the name chooses the format; use one of {', '.join(ENDINGS)}.")


def parts_of_draft(draft: NetworkDraft) -> Parts:
    """All that a foreign file says of a network; its variables are all declared."""
    declared = {variable.name: variable for variable in draft.variables}
    return frozen_of(draft), None, declared, Remarks(draft.name, draft.properties)


def _warn_of_loss(path: FilePath, frozen: FrozenNetwork) -> None:
    if frozen.sharing:
        warn_user(
            f"{path}: this format can not hold that {listed(frozen.sharing)} is shared; every user gets a "
            "table of its own. Save as .bayou to keep it."
        )


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
