"""What a load from many machines costs the head, measured and simulated; see docs/concepts/scale.md."""
