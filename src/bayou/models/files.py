"""Saving and loading what users hold: by the ending of the name when writing, by content when reading."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from bayou.distributions import LocalDistribution, Table
from bayou.errors import BadFile, BayouError
from bayou.formats.bif import parse_bif, write_bif
from bayou.formats.bundle import looks_like_bundle, read_bundle, write_bundle
from bayou.formats.draft import NetworkDraft
from bayou.formats.files import FilePath, read_bytes
from bayou.graphs import Dag
from bayou.models.saving import network_from_state, network_state
from bayou.networks import FrozenNetwork
from bayou.schema import Schema
from bayou.typing import Name
from bayou.version import __version__

if TYPE_CHECKING:
    from bayou.models.network import Network

ENDINGS = (".bayou", ".bif", ".bif.gz")


def save(net: Network, path: FilePath) -> None:
    """Write a network: ``.bayou`` keeps everything, ``.bif`` (``.bif.gz``) structure and tables."""
    name = os.fspath(path).lower()
    if name.endswith(".bayou"):
        write_bundle(path, "network", network_state(*net.parts()), __version__)
    elif name.endswith((".bif", ".bif.gz")):
        write_bif(draft_of(net.frozen), path)
    else:
        raise BadFile.at(path, f"the ending of the name chooses the format; use one of {', '.join(ENDINGS)}.")


def load(path: FilePath) -> Network:
    """Read a network from a file of any known format, told by its content (gzipped or not).

    >>> import tempfile, pathlib
    >>> from bayou.models.network import Network
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "rain.bayou"
    ...     Network("Rain", tables={"Rain": {"no": 0.8, "yes": 0.2}}).save(file)
    ...     load(file).cpt("Rain")["yes"]
    0.2
    """
    data = read_bytes(path)
    if looks_like_bundle(data[:4]):
        return _network_from_bundle(path)
    return network_of(parse_bif(data, source=path))


def _network_from_bundle(path: FilePath) -> Network:
    from bayou.models.network import Network

    kind, state = read_bundle(path)
    if kind != "network":
        raise BadFile.at(path, f"holds a {kind!r}, which this version can not load.")
    try:
        frozen, learned, declared = network_from_state(state)
    except BayouError as error:
        raise BadFile.at(path, f"is damaged: {error}") from None
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise BadFile.at(path, f"is damaged: its state is incomplete ({error!r}).") from None
    return Network.from_parts(frozen, learned, declared)


def draft_of(frozen: FrozenNetwork) -> NetworkDraft:
    """What the foreign formats can hold of a network: structure and tables."""
    frozen.require(frozen.dag.nodes)
    names = frozen.dag.nodes
    tables: dict[Name, Any] = {
        name: frozen.table(name) for name in names if not frozen.schema[name].is_continuous
    }
    parents = {name: frozen.dag.parents(name) for name in names}
    return NetworkDraft("bayou", frozen.schema.variables, parents, tables)


def network_of(draft: NetworkDraft) -> Network:
    """The network that a foreign file describes."""
    from bayou.models.network import Network

    dag = Dag([variable.name for variable in draft.variables], draft.parents)
    blocks: dict[Name, LocalDistribution] = {name: Table(values) for name, values in draft.tables.items()}
    frozen = FrozenNetwork(Schema(draft.variables), dag, {}, blocks)
    return Network.from_parts(frozen, None, {variable.name: variable for variable in draft.variables})
