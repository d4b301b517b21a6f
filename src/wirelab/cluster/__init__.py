"""Many machines: distribute the blocks of a study to the machines of a Ray cluster."""
