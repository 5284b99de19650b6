"""How large bodies may be, and how long they may take to arrive: tables are larger than questions."""

from __future__ import annotations

from bayou.server.settings import Settings


def body_limits(settings: Settings, path: str) -> tuple[int, float]:
    """The most bytes and seconds of a body sent to this path (without the prefix of the server).

    >>> body_limits(Settings(), "/v1/models/asia/query")[0] < body_limits(Settings(), "/v1/tables")[0]
    True
    """
    parts = path.strip("/").split("/")
    if parts == ["v1", "tables"] or (parts[:2] == ["v1", "models"] and parts[3:] == ["rows"]):
        return settings.most_table, settings.table_seconds
    return settings.most_body, settings.body_seconds
