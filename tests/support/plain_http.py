"""What clients of tests need for servers without TLS."""

import ssl

import httpx

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""A context that trusts no certificate, for `verify` of httpx: each client would otherwise load all
certificates of the system, which took a fifth of the CPU time of the tests that call contenders."""


def client_of(address: str, timeout_s: float = 30.0) -> httpx.Client:
    """Return a client of a server, which takes no settings from the environment."""
    return httpx.Client(
        base_url=f"http://{address}", trust_env=False, timeout=timeout_s, verify=NO_TLS
    )
