"""Capacity: how many requests a second contenders sustain under an objective, in turns."""
