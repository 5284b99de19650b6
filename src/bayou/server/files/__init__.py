"""Files of models: read and read again, uploaded, exported, saved back."""
