"""Transformers that discretise and select columns."""
