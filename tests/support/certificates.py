"""Certificates for servers and clients of tests, made by openssl."""

import subprocess
from pathlib import Path


def certificate(folder: Path, name: str, host: str = "127.0.0.1") -> tuple[Path, Path]:
    """Make a certificate for an address, which signs itself, and its key."""
    folder.mkdir(parents=True, exist_ok=True)
    made, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", f"/CN={name}", "-keyout", key, "-out", made),
            *("-addext", f"subjectAltName=IP:{host},DNS:localhost"),
            *("-addext", "basicConstraints=critical,CA:FALSE"),
        ],
        check=True,
        capture_output=True,
    )
    return made, key
