"""Structures learned, compared, and judged by resampling."""
