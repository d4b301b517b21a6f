"""Two addresses over HTTP/2 and HTTP/3, of servers that speak nothing else."""

from pathlib import Path

import pytest

from tests.compare.running import BLOCKS, QUICK, certificate, serving, wirelab
from tests.measure.http3_server import http3_server
from wirelab.terminal.exit_codes import ExitCode


@pytest.mark.parametrize("scheme", ["h2c", "h2"])
def test_http_2(tmp_path: Path, scheme: str) -> None:
    both = certificate(tmp_path)
    ways, trust = ((f"tls={both}",), ("--ca", both)) if scheme == "h2" else ((), ())
    with serving(*ways, program="h2_server.py") as one:
        sides = f"a={scheme}://{one}/items/7", f"b={scheme}://{one}/items/7"
        done = wirelab("compare", *sides, *trust, *QUICK, folder=tmp_path)

    assert done.returncode == ExitCode.OK, done.stderr
    assert f"{BLOCKS} blocks of" in done.stdout


def test_a_server_with_http_2_only_gets_no_http_1_1_request(tmp_path: Path) -> None:
    with serving(program="h2_server.py") as one:
        sides = f"a=http://{one}/items/7", f"b=http://{one}/items/7"
        done = wirelab("compare", *sides, *QUICK, folder=tmp_path)

    assert done.returncode == ExitCode.NOT_READY
    assert "use h2c://" in done.stderr


def test_http_3(tmp_path: Path) -> None:
    with http3_server(tmp_path / "one") as one:
        assert one.tls.ca is not None
        sides = f"a=h3://{one.address}/20", f"b=h3://{one.address}/20"
        done = wirelab("compare", *sides, "--ca", one.tls.ca, *QUICK, folder=tmp_path)

    assert done.returncode == ExitCode.OK, done.stderr
    assert f"{BLOCKS} blocks of" in done.stdout


def test_answers_over_http_3_that_differ_are_not_measured(tmp_path: Path) -> None:
    with http3_server(tmp_path / "one") as one:
        assert one.tls.ca is not None
        sides = f"a=h3://{one.address}/20", f"b=h3://{one.address}/21"
        done = wirelab("compare", *sides, "--ca", one.tls.ca, *QUICK, folder=tmp_path)

    assert done.returncode == ExitCode.VERIFY_FAILED, done.stderr
