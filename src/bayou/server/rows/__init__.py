"""Answers for many rows: JSON, CSV or Arrow in and out, through files, so that memory stays bounded."""
