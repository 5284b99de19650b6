"""How an answer depends on the entries of tables: derivatives, functions, and where a decision turns."""
