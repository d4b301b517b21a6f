"""Everything that uses the machine: processes, CPU sets, stores, contenders, environments."""
