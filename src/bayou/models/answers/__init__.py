"""What questions to a network return, and how it prints."""
