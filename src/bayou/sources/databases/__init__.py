"""Tables, views and queries of SQL databases: what can be counted there is, the rest is read in batches."""

from __future__ import annotations
