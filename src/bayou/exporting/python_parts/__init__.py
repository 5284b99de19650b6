"""The arithmetic of exported models in Python: only the standard library, copied beside a model's numbers."""
