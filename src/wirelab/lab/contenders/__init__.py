"""Servers under test: described by contender.toml, built, started and watched."""
