"""Benchmarks that prove a goal of the project; not part of the package."""
