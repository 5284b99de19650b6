"""Floor 6: files. States (plain dicts and arrays) and drafts in, the same out; no model classes here.

:mod:`bayou.formats.registry` lists the foreign formats; ``read_draft`` and ``write_draft`` serve them all.
"""

from __future__ import annotations

from bayou.formats.draft import NetworkDraft
from bayou.formats.registry import ENDINGS, FORMATS, Format, parse_draft, read_draft, write_draft

__all__ = ["ENDINGS", "FORMATS", "Format", "NetworkDraft", "parse_draft", "read_draft", "write_draft"]
