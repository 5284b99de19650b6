"""Edits of a network: nodes, arcs, states, rows and parts; each gives new content, tables that fit stay."""
