"""Statistics of whole rows: distinct rows, samples of rows, counts of gaps."""
