"""Comparison of contenders with the reference of a domain."""
