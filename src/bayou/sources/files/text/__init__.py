"""CSV and TSV files: their layout, what their cells mean, and several of them as one table."""
