"""What it costs the engine to measure in slices, in instructions."""
