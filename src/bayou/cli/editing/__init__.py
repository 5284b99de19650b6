"""Networks changed from the shell: ``bayou edit``."""
