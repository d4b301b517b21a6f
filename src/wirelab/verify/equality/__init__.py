"""Comparison of contenders with each other, without a reference."""
