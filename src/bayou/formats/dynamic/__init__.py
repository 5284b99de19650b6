"""Dynamic networks in foreign formats."""
