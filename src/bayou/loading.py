"""The front door for files: whatever was saved, or a network of any known format, opened by its content."""

from __future__ import annotations

import importlib
import os
from typing import Any

from bayou.errors import BadFile, listed
from bayou.formats.bundle import looks_like_bundle, read_bundle
from bayou.formats.files import FilePath
from bayou.models.files import network_parts
from bayou.models.network import Network
from bayou.models.network import load as load_network

KINDS = {
    "network": "bayou.loading:network_of",
    "classifier": "bayou.estimators.saving:classifier_from_state",
    "hypotheses": "bayou.estimators.optimal_saving:optimal_from_state",
}
"""What a model file may hold, and who makes an object of its state; imported when such a file comes."""


def load(path: FilePath) -> Any:
    """Read a model file, or a network of any known format, told by its content (gzipped or not).

    Gives what was saved: a :class:`bayou.Network`, or the classifier that it was.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "rain.bayou"
    ...     Network("Rain", tables={"Rain": {"no": 0.8, "yes": 0.2}}).save(file)
    ...     load(file).cpt("Rain")["yes"]
    0.2
    """
    if not looks_like_bundle(_head(path)):
        return load_network(path)
    kind, state = read_bundle(path)
    if kind not in KINDS:
        raise BadFile.at(path, f"holds a {kind!r}; this version knows {listed(KINDS)}.")
    module, _, maker = KINDS[kind].partition(":")
    return getattr(importlib.import_module(module), maker)(path, state)


def _head(path: FilePath) -> bytes:
    """The first bytes of a file; none where there is no plain file, of which its reader will complain."""
    given: object = path
    try:
        # A number would be an open stream, and a pipe would wait for ever.
        if not isinstance(given, str | os.PathLike) or not os.path.isfile(given):
            return b""
        with open(path, "rb") as file:
            return file.read(4)
    except (OSError, ValueError):
        return b""


def network_of(path: FilePath, state: dict[str, Any]) -> Network:
    """The network in a model file."""
    return Network.from_parts(*network_parts(path, state))
