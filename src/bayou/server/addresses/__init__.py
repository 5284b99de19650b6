"""The addresses of the API: what each does, and the short way of questions."""
