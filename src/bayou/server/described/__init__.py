"""The description of the API for programs, by idea: parts that all have, tables, jobs and rows."""
