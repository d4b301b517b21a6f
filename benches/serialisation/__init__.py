"""What JSON and Protocol Buffers cost alone: bytes, time and CPU time of the shop's answers."""
