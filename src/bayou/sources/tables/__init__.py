"""Tables in memory of any kind, read into coded columns."""
