"""Tests of independence, and structures found by them."""
