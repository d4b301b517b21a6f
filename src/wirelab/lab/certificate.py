"""A certificate of our own for a proxy that speaks TLS, made when it is first needed."""

import shutil
import subprocess
import tempfile
import weakref
from pathlib import Path

from wirelab.lab.environment import LOOPBACK
from wirelab.lab.errors import ContenderError
from wirelab.lab.nginx import Identity

OPENSSL = "openssl"
DAYS = "30"
"""Longer than any study."""


class OwnCertificate:
    """A key and a certificate for 127.0.0.1, which signs itself. They go with this object."""

    def __init__(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="wirelab-tls-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.identity = Identity(folder / "certificate.pem", folder / "key.pem")
        made = subprocess.run(
            [
                *(OPENSSL, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
                *("-nodes", "-days", DAYS, "-subj", "/CN=wirelab"),
                *("-keyout", self.identity.key, "-out", self.identity.certificate),
                *("-addext", f"subjectAltName=IP:{LOOPBACK},DNS:localhost"),
                *("-addext", "basicConstraints=critical,CA:FALSE"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise ContenderError(
                f"openssl cannot create a certificate: {made.stderr.strip()[-300:]}"
            )
