"""What holds for every test."""

import signal

# A shell starts what it puts in the background with SIGINT ignored, and programs inherit that. The
# tests end laboratories by Ctrl-C, wherever the tests themselves run.
signal.signal(signal.SIGINT, signal.default_int_handler)
