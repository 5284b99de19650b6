"""BIF and XMLBIF: the formats of the network repositories."""

from __future__ import annotations
