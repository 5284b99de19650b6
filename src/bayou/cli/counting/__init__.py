"""Statistics in files: ``bayou count``, ``bayou merge`` and ``bayou fit --from-stats``."""
