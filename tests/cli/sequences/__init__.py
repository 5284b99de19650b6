"""The commands for sequences."""
