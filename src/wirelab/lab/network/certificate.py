"""A self-signed certificate for a proxy with TLS, created on first use."""

import os
import subprocess
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from wirelab.lab.environments.environment import LOOPBACK
from wirelab.lab.errors import ContenderError
from wirelab.lab.network.nginx import Identity

OPENSSL = "openssl"
VALID = timedelta(days=30)
"""Validity before and after its creation: longer than any study, even if the clock is changed."""
CERTIFICATE, KEY, REQUEST = "certificate.pem", "key.pem", "request.pem"
AUTHORITY = f"""\
[ca]
default_ca = own
[own]
database = issued
new_certs_dir = .
default_md = sha256
policy = names
rand_serial = yes
x509_extensions = server
[names]
commonName = supplied
[server]
subjectAltName = IP:{LOOPBACK},DNS:localhost
basicConstraints = critical,CA:FALSE
"""
"""The configuration of an authority, because `openssl req` cannot set the start of validity."""


class OwnCertificate:
    """A key and a self-signed certificate for 127.0.0.1. Raises `ContenderError`.

    Between uses they are only in memory: a file would remain if this process were killed.
    """

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory(prefix="wirelab-tls-") as name:
            folder = Path(name)
            _make(folder)
            self._certificate = (folder / CERTIFICATE).read_bytes()
            self._key = (folder / KEY).read_bytes()

    def write(self, folder: Path) -> Identity:
        """Write both into a folder; only this user can read the key."""
        identity = Identity(folder / CERTIFICATE, folder / KEY)
        identity.certificate.write_bytes(self._certificate)
        with open(identity.key, "wb", opener=_private) as file:
            file.write(self._key)
        return identity


def _make(folder: Path) -> None:
    """Create the files in a folder."""
    (folder / "authority.cnf").write_text(AUTHORITY)
    (folder / "issued").touch()
    now = datetime.now(UTC)
    begin, end = (f"{moment:%Y%m%d%H%M%SZ}" for moment in (now - VALID, now + VALID))
    _run_openssl(
        folder,
        *("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
        *("-subj", "/CN=wirelab", "-keyout", KEY, "-out", REQUEST),
    )
    _run_openssl(
        folder,
        *("ca", "-batch", "-selfsign", "-config", "authority.cnf", "-keyfile", KEY),
        *("-startdate", begin, "-enddate", end),
        *("-in", REQUEST, "-out", CERTIFICATE, "-notext"),
    )


def _run_openssl(folder: Path, *arguments: str) -> None:
    made = subprocess.run(
        [OPENSSL, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if made.returncode:
        raise ContenderError(f"openssl cannot create a certificate: {made.stderr.strip()[-300:]}")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
