"""Loading of model files and of networks in any known format; the content decides which it is."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadFile, BadGraph, listed
from bayou.formats import parse_draft
from bayou.formats.bundle import damage_named, looks_like_bundle, parse_bundle
from bayou.formats.file_content import FileContent, FilePath, read_file
from bayou.formats.format_registry import XDSL, format_by_content
from bayou.formats.model_registry import MODELS
from bayou.models.network import Network


def load(path: FilePath) -> Any:
    """Read a model file, or a network in any known format; its content decides which (gzipped or not).

    Returns the object that was saved: a :class:`bayou.Network`, a classifier, a hidden Markov model, …

    Raises ``BadFile`` if the file is not there, damaged, or of no known format.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "rain.bayou"
    ...     Network("Rain", tables={"Rain": {"no": 0.8, "yes": 0.2}}).save(file)
    ...     load(file).cpt("Rain")["yes"]
    0.2
    """
    content = read_file(path)
    return _model(content, path) if looks_like_bundle(content.data) else _network(content.data, path)


def load_network(path: FilePath) -> Network:
    """Read a network in any known format; a file that holds another kind of model is refused."""
    content = read_file(path)
    if not looks_like_bundle(content.data):
        found = _network(content.data, path)
        if not isinstance(found, Network):
            raise BadFile.at(path, "holds a dynamic network, not a network; open it with bayou.load.")
        return found
    kind, state = parse_bundle(content, path)
    if kind != "network":
        raise BadFile.at(path, f"holds a {kind}, not a network; open it with bayou.load.")
    with damage_named(path):
        return Network.from_state(state)


def _model(content: FileContent, path: FilePath) -> Any:
    kind, state = parse_bundle(content, path)
    if kind not in MODELS:
        raise BadFile.at(path, f"holds a {kind!r}; this version knows {listed(MODELS)}.")
    with damage_named(path):
        return MODELS.find(kind).from_state(state)


def _network(data: bytes, path: FilePath) -> Any:
    try:
        return _dynamic_network(data, path) or Network.from_draft(parse_draft(data, path))
    except BadGraph as error:
        raise BadFile.at(path, str(error)) from None


def _dynamic_network(data: bytes, path: FilePath) -> Any:
    """The dynamic network of an XDSL file; None if the file holds something else."""
    if not any("dynamic".encode(code) in data for code in ("utf-8", "utf-16-le", "utf-16-be")):
        return None
    if format_by_content(data) is not XDSL:
        return None
    from bayou.formats.dynamic.xdsl_slices import parse_dynamic_xdsl
    from bayou.models.dynamic.dynamic_drafts import dynamic_of_draft

    draft = parse_dynamic_xdsl(data, path)
    return None if draft is None else dynamic_of_draft(draft)
