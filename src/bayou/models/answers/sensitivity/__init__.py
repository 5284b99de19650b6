"""How answers depend on the tables of a network: tornado, information of arcs."""

from __future__ import annotations
