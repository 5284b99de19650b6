"""Files: written whole or not at all, recognised by their first bytes."""
