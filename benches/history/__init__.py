"""Trials with planted histories: see README.md."""
