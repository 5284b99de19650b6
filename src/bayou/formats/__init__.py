"""Floor 6: file formats. They read and write states (plain dicts and arrays) and drafts, not model classes.

:mod:`bayou.formats.format_registry` lists the foreign formats; ``read_draft`` and ``write_draft`` handle all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.formats.draft import NetworkDraft as NetworkDraft
    from bayou.formats.format_registry import ENDINGS as ENDINGS
    from bayou.formats.format_registry import FORMATS as FORMATS
    from bayou.formats.format_registry import Format as Format
    from bayou.formats.format_registry import parse_draft as parse_draft
    from bayou.formats.format_registry import read_draft as read_draft
    from bayou.formats.format_registry import write_draft as write_draft

_WHERE = {
    "ENDINGS": "bayou.formats.format_registry",
    "FORMATS": "bayou.formats.format_registry",
    "Format": "bayou.formats.format_registry",
    "NetworkDraft": "bayou.formats.draft",
    "parse_draft": "bayou.formats.format_registry",
    "read_draft": "bayou.formats.format_registry",
    "write_draft": "bayou.formats.format_registry",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
