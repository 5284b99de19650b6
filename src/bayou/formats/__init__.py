"""Floor 6: file formats. They read and write states (plain dicts and arrays) and drafts, not model classes.

:mod:`bayou.formats.format_registry` lists the foreign formats; ``read_draft`` and ``write_draft`` handle all.
"""

from __future__ import annotations

from bayou.formats.draft import NetworkDraft
from bayou.formats.format_registry import ENDINGS, FORMATS, Format, parse_draft, read_draft, write_draft

__all__ = ["ENDINGS", "FORMATS", "Format", "NetworkDraft", "parse_draft", "read_draft", "write_draft"]
