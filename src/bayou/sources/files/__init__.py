"""Files read in batches: CSV, Parquet and what duckdb reads."""
