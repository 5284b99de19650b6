"""Exact answers about discrete variables: plans of the core, elimination, messages, enumeration."""
