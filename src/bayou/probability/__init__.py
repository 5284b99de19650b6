"""Floor 8: stated numbers without a network. Probability tables, Bayes' rule, weighted votes."""
