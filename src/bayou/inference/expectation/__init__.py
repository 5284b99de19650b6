"""The E-step of EM: the statistics that incomplete rows are expected to give."""
