"""What load from many machines costs the head; docs/concepts/scale.md says what was found."""
