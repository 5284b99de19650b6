"""Loopy belief propagation: approximate answers for networks of any width."""
