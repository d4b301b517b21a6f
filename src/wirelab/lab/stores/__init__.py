"""Databases: embedded or external, with states that are prepared once and copied."""
