"""Cross-validation of classifiers."""
