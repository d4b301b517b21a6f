"""The certificate of a proxy that speaks TLS."""

import shutil
import ssl
import subprocess
import time
from pathlib import Path

import pytest

from wirelab.lab.network.certificate import OPENSSL, OwnCertificate
from wirelab.lab.network.nginx import Identity

DAY_S = 24 * 60 * 60


@pytest.fixture
def identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Identity:
    if shutil.which(OPENSSL) is None:
        pytest.skip("openssl is not installed")
    temporary, written = tmp_path / "temporary", tmp_path / "written"
    for folder in (temporary, written):
        folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    certificate = OwnCertificate()
    assert list(temporary.iterdir()) == []  # a key that would stay if we were killed
    return certificate.write(written)


def test_a_certificate_fits_its_key_which_no_other_user_can_read(identity: Identity) -> None:
    ssl.create_default_context().load_cert_chain(identity.certificate, identity.key)

    assert identity.key.stat().st_mode & 0o777 == 0o600


def test_a_certificate_is_valid_even_if_the_clock_is_changed(identity: Identity) -> None:
    begin, end = (
        ssl.cert_time_to_seconds(line.partition("=")[2])
        for line in subprocess.run(
            [OPENSSL, "x509", "-in", identity.certificate, "-noout", "-dates"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
    )

    assert begin < time.time() - 7 * DAY_S
    assert end > time.time() + 7 * DAY_S
