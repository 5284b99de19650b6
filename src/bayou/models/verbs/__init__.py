"""What a network can do: the methods of ``Network``, grouped by what they are about."""

from __future__ import annotations
