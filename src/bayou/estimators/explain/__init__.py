"""Why a classifier decides as it does."""
