"""Statistics of all columns of a numeric matrix at once."""
