"""Everything that touches the machine: processes, CPU sets, stores, contenders, environments."""
