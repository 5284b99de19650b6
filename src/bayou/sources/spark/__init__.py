"""Spark DataFrames as sources: partitions are counted where they are, and only statistics travel."""
