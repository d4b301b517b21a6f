"""Servers that serve only clients with a certificate: wirelab compare, init and verify."""

import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.compare.running import OPENAPI, QUICK, serving, wirelab
from tests.support.certificates import certificate
from wirelab.protocol.clients.base import Cause
from wirelab.terminal.exit_codes import ExitCode
from wirelab.verify.servers.obstacles import HINTS


@dataclass(frozen=True)
class World:
    """A REST and a gRPC server at host:port, and the files of who may talk to them."""

    rest: str
    grpc: str
    trust: tuple[str, ...]
    identity: tuple[str, ...]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("certificates")
    server, server_key = certificate(folder, "server")
    client, client_key = certificate(folder, "client")
    both = folder / "both.pem"
    both.write_text(server.read_text() + server_key.read_text())
    with ExitStack() as ends:
        yield World(
            ends.enter_context(serving(f"tls={both}", f"clients={client}")),
            ends.enter_context(
                serving(f"tls={server}", f"clients={client}", program="grpc_server.py")
            ),
            ("--ca", str(server)),
            ("--cert", str(client), "--key", str(client_key)),
        )


def test_a_comparison_shows_its_certificate(world: World, tmp_path: Path) -> None:
    sides = [f"{name}=https://{world.rest}/items/7" for name in ("a", "b")]

    done = wirelab("compare", *sides, *world.trust, *world.identity, *QUICK, folder=tmp_path)

    assert done.returncode == 0, done.stderr


def test_without_a_certificate_the_options_are_named(world: World, tmp_path: Path) -> None:
    sides = [f"{name}=https://{world.rest}/items/7" for name in ("a", "b")]

    done = wirelab("compare", *sides, *world.trust, folder=tmp_path)

    assert done.returncode == ExitCode.NOT_READY
    assert HINTS[Cause.CLIENT_CERTIFICATE] in " ".join(done.stderr.split())


def test_init_writes_where_the_certificate_is_and_verify_shows_it(
    world: World, tmp_path: Path
) -> None:
    made = wirelab(
        *("init", "own", "--openapi", OPENAPI, "--proto", "reflection", "--yes"),
        *("--address", f"rest=https://{world.rest}", "--address", f"grpc=grpcs://{world.grpc}"),
        *(*world.trust, *world.identity),
        folder=tmp_path,
    )
    done = wirelab("verify", "own/domain", folder=tmp_path)

    assert made.returncode == 0, made.stderr
    assert done.returncode == 0, done.stdout + done.stderr
    written = tmp_path / "own" / "domain" / "contenders" / "found" / "contender.toml"
    for contender in tomllib.loads(written.read_text())["contender"].values():
        tls = contender["tls"]
        assert world.identity == ("--cert", tls["certificate"], "--key", tls["key"])


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (slice(0, 2), "expected both, "),
        (slice(0, 3), "without a passphrase"),
    ],
    ids=["no key", "none inside"],
)
def test_a_certificate_needs_its_key(
    world: World, tmp_path: Path, left: slice, expected: str
) -> None:
    identity = world.identity[left]
    options = [*identity, str(OPENAPI)] if len(identity) == 3 else identity

    done = wirelab("compare", "http://localhost:1", "http://localhost:2", *options, folder=tmp_path)

    assert done.returncode == 2
    assert expected in " ".join(done.stderr.replace("│", " ").split())
