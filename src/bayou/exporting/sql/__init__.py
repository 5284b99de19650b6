"""Clique trees and chains as common table expressions."""
