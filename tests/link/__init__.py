"""The link emulator, against real sockets at both of its ends."""
