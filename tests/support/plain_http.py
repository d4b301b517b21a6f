"""What clients of tests need for servers without TLS."""

import ssl

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""A context that trusts no certificate, for `verify` of httpx: each client would otherwise load all
certificates of the system, which took a fifth of the CPU time of the tests that call contenders."""
