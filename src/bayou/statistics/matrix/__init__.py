"""Statistics of a whole matrix of numbers at once."""
