"""gRPC servers that speak TLS and describe themselves: `wirelab init` and `wirelab-load`."""

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compare.running import serving, wirelab
from tests.support.certificates import certificate
from tests.support.wording import assert_worded

SECRET = "correct-horse-battery-staple"
LOAD = Path(sys.executable).with_name("wirelab-load")


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made, _ = certificate(tmp_path_factory.mktemp("tls"), "items")
    return made


@pytest.fixture(scope="module")
def items(ca: Path) -> Iterator[str]:
    """A gRPC server over TLS that describes itself, and serves who has a token; as host:port."""
    with serving(f"tls={ca}", "token", program="grpc_server.py") as address:
        yield address


@pytest.mark.parametrize("trust", ["--ca", "--insecure"])
def test_load_uses_reflection_over_tls(items: str, ca: Path, trust: str) -> None:
    options = ["--ca", str(ca)] if trust == "--ca" else [trust]
    url = f"grpcs://{items}/items.v1.Items/GetItem"
    data = ("--data", '{"itemId": 7}', "-H", "authorization: x", "-n", "10", "--json")

    done = subprocess.run(
        [LOAD, url, *data, *options],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert json.loads(done.stdout)["targets"][0]["counts"]["succeeded"] == 10


def test_load_names_the_option_for_a_certificate_that_is_not_trusted(items: str) -> None:
    url = f"grpcs://{items}/items.v1.Items/GetItem"

    done = subprocess.run(
        [LOAD, url, "--data", '{"itemId": 7}', "-n", "1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 2
    assert "--insecure" in done.stderr
    assert "--ca" in done.stderr


@pytest.mark.parametrize("trust", ["--ca", "--insecure"])
def test_init_uses_reflection_over_tls(items: str, ca: Path, tmp_path: Path, trust: str) -> None:
    options = ["--ca", str(ca)] if trust == "--ca" else [trust]
    address = f"grpc=grpcs://{items}"

    done = wirelab(
        *("init", "own", "--proto", "reflection", "--address", address, "--json", *options),
        *("--header", "grpc/Authorization: Bearer ${TOKEN}"),
        folder=tmp_path,
        environment={"TOKEN": SECRET},
    )

    assert done.returncode == 0, done.stderr
    operations = json.loads(done.stdout)["operations"]
    assert operations["get_item"]["answered"] >= 0.95
    written = tmp_path / "own" / "domain" / "contenders" / "found" / "contender.toml"
    contender = tomllib.loads(written.read_text())["contender"]["grpc"]
    assert contender["address"] == f"grpcs://{items}"
    expected = {"ca": str(ca)} if trust == "--ca" else {"insecure": True}
    assert contender["tls"] == expected
    assert contender["headers"] == {"authorization": "Bearer ${TOKEN}"}
    files = [path for path in (tmp_path / "own").rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in path.read_bytes() for path in files)


def test_init_names_the_options_for_a_certificate_that_is_not_trusted(
    items: str, tmp_path: Path
) -> None:
    done = wirelab(
        *("init", "own", "--proto", "reflection", "--address", f"grpc=grpcs://{items}"),
        folder=tmp_path,
    )

    assert done.returncode not in (0, None)
    assert "--insecure" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "own").exists()


@pytest.mark.parametrize(
    "header", ["authorization: Bearer secret-itself", "ghraphql/x: y", "nonsense"]
)
def test_invalid_headers_are_reported(tmp_path: Path, header: str) -> None:
    done = wirelab(
        *("init", "own", "--proto", "reflection", "--address", "grpc=localhost:1"),
        *("--header", header),
        folder=tmp_path,
    )

    assert done.returncode == 2
    assert_worded(" ".join(done.stderr.split()))
    assert "secret-itself" not in done.stderr
