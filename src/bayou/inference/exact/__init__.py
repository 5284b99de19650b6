"""Exact inference in discrete networks: compiled plans, elimination, message passing, enumeration."""
