"""Columns cut and chosen before a classifier learns."""
