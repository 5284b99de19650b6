"""BIF, the interchange format of the Bayesian network repositories: reading and writing.

Every name in a BIF file is text. What that loses (the states ``1`` and ``True``, a meant order) bayou
writes as properties that other programs skip and its own reader takes back.
"""

from __future__ import annotations

from bayou.formats.bif_reader import parse_bif, read_bif
from bayou.formats.bif_writer import bif_text, write_bif

__all__ = ["bif_text", "parse_bif", "read_bif", "write_bif"]
