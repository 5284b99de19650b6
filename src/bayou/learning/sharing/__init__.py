"""Structures in which several variables share one table: scored by pooled rows, searched with tied arcs."""
