"""The structure that --network names: arrow text, a file with such text, or a network file."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayou.cli.terminal.paths import load_network, require_file

if TYPE_CHECKING:
    from bayou.models.network import Network

_FOREIGN = (".bif", ".xmlbif", ".bifxml", ".xml", ".net", ".xdsl", ".dsl", ".uai", ".dne", ".dnet")
OWN_ENDINGS = (".bayou", ".json", ".json.gz")
"""The endings of bayou's own files: packed, and as a text."""
NETWORK_ENDINGS = (*OWN_ENDINGS, *_FOREIGN, *(f"{ending}.gz" for ending in _FOREIGN))
"""The endings of bayou.formats, repeated so that --help need not import it; a test compares them."""


def structured_network(
    structure: str, states: dict[str, Any], continuous: tuple[str, ...], share: dict[str, Any]
) -> Network:
    """Create the network of --network: arrow text, a text file, or a network file."""
    from bayou.models.network import Network

    if not names_a_file(structure):
        return Network(structure, states=states, continuous=continuous, share=share)
    if structure.lower().endswith(".txt"):
        require_file(structure)
        text = Path(structure).read_text(encoding="utf-8")
        return Network(text, states=states, continuous=continuous, share=share)
    given = load_network(structure)
    by_option = {str(name) for name in (*states, *continuous)}
    declared = {name: variable for name, variable in given.parts()[2].items() if str(name) not in by_option}
    return Network(
        given.dag, states={**declared, **states}, continuous=continuous, share={**given.sharing, **share}
    )


def names_a_file(structure: str) -> bool:
    """Whether this is a path: of a file that exists, or with the ending of a network file."""
    if any(sign in structure for sign in ("->", "<-", "→", "←", ";", "\n")):
        return False
    if structure.lower().endswith((*NETWORK_ENDINGS, ".txt")) or os.path.isfile(structure):
        return True
    # A word with nearly such an ending (model.bayu) is taken for a misspelt file name.
    return "," not in structure and bool(
        difflib.get_close_matches(Path(structure).suffix, NETWORK_ENDINGS, 1)
    )
