"""What users give a classifier, X and y, as a labelled source."""
