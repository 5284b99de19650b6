"""Dynamic networks with numbers: their input, their answers, questions and learning."""
