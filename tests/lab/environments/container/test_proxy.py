"""nginx before a contender: it passes everything on, and its CPU time is its own."""

import hashlib
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.games.catalogue import catalogue
from tests.games.standing import CONTENDERS, GAMES, fill, running, running_store
from tests.lab.conftest import as_root
from tests.support.http_server import QuietHandler, http_server
from tests.support.left import until
from tests.support.nginx import nginx_before
from tests.support.undisturbed import undisturbed
from wirelab import protocol
from wirelab.engine.job import Endpoint, Tls, Transport
from wirelab.experiment.preparation.codecs import Codecs
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.environments.environment import InContainer
from wirelab.lab.errors import ContenderError
from wirelab.lab.network import proxy
from wirelab.lab.network.certificate import OwnCertificate
from wirelab.lab.network.nginx import CACHE, LOCATIONS, PLAIN, TLS, Route, configuration
from wirelab.lab.network.ports import is_taken
from wirelab.lab.network.proxy import Nginx, cache_use, open_nginx, put_nginx_before
from wirelab.lab.processes.account import PROXY
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.lab.processes.process import family
from wirelab.lab.processes.process_table import ProcessTable
from wirelab.lab.stores.store import Database
from wirelab.protocol.base import Codec
from wirelab.protocol.clients.base import NoReplyError
from wirelab.protocol.clients.client import connect, connect_to
from wirelab.protocol.message import Answer, WireReply

BY_TRANSPORT = {"http1": "rest-flask", "grpc": "grpc-grpcio", "websocket": "websocket-flask-sock"}
NGINX = proxy.find_nginx()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with running_store("postgresql", tmp_path_factory.mktemp("store")) as store:
        fill(store, catalogue(100))
        yield store


@pytest.fixture
def natively() -> None:
    if NGINX is None:
        pytest.skip("nginx is not installed")


@contextmanager
def behind_nginx(
    name: str, store: Database, folder: Path, level: str = PLAIN
) -> Iterator[RunningContender]:
    codecs = Codecs(GAMES, CONTENDERS)
    nginx = open_nginx(folder / "build.log", level)
    with running(name, store, folder / "log") as contender:
        fronted = put_nginx_before(
            contender,
            codecs.codec(name).transport,
            nginx,
            ready=lambda address, ca: codecs.check_ready(name, address, ca),
            log_path=folder / "proxy.log",
            cpus=plan_cpus().system,
        )
        try:
            yield fronted
        finally:
            fronted.stop()


def games_in(codec: Codec[Any], reply: WireReply) -> list[object]:
    answer = codec.decode(GAMES.operations["list"], reply)
    assert isinstance(answer, Answer)
    assert isinstance(answer.value, list)
    return answer.value


@pytest.mark.parametrize("level", [PLAIN, TLS, CACHE])
@pytest.mark.parametrize("transport", LOCATIONS)
def test_nginx_takes_the_configuration(
    transport: str, level: str, natively: None, tmp_path: Path
) -> None:
    assert NGINX is not None
    route = Route("127.0.0.1:8081", "127.0.0.1:8080", transport)
    written = tmp_path / "nginx.conf"
    identity = OwnCertificate().write(tmp_path) if level == TLS else None
    written.write_text(
        configuration(route, scratch=str(tmp_path), workers=2, level=level, identity=identity)
    )

    checked = subprocess.run(
        [NGINX, "-t", "-e", "stderr", "-c", written], capture_output=True, text=True, check=False
    )

    assert checked.returncode == 0, checked.stderr
    assert "emerg" not in checked.stderr


class Counting(QuietHandler):
    """Answers with the length of the body it was sent."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = str(len(body)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


@pytest.mark.parametrize("size", [100, 15_000, 300_000])
def test_bodies_do_not_wait_for_an_acknowledgement(size: int) -> None:
    """Which the kernel delays by 40 ms: most of them, so that a quarter without it is enough."""
    body = b"x" * size

    def lower_quartile_s() -> float:
        seconds = []
        for _ in range(20):
            start = time.perf_counter()
            client.request("POST", "/", body)
            assert client.getresponse().read() == str(size).encode()
            seconds.append(time.perf_counter() - start)
        return sorted(seconds)[5]

    with (
        http_server(Counting) as server,
        nginx_before(server) as address,
        closing(HTTPConnection(address)) as client,
    ):
        assert undisturbed(lower_quartile_s, lambda found_s: found_s < 0.03) < 0.03


def cpu_us(fronted: RunningContender) -> dict[str, float]:
    """Return the CPU time that each role of processes on this machine has used."""
    roots = {role: each for role, each in fronted.counted.items() if isinstance(each, int)}
    return {role: usage.cpu_us for role, usage in ProcessTable().usage(roots).items()}


def scratch_of(port: int) -> Path:
    """Return the folder of the nginx that listens on a port; others may run beside it."""
    for written in Path(tempfile.gettempdir()).glob("wirelab-nginx-*/nginx.conf"):
        with suppress(OSError):  # another one, which has just ended
            if f":{port} " in written.read_text().replace(";", " "):
                return written.parent
    raise AssertionError(f"no nginx listens on {port}")


@pytest.mark.parametrize("transport", LOCATIONS)
def test_answers_come_through_unchanged(
    transport: str, natively: None, store: Database, tmp_path: Path
) -> None:
    name = BY_TRANSPORT[transport]
    contender = CONTENDERS[name]
    codec = protocol.get(contender.protocol).bind(GAMES, contender.path)
    request = codec.encode(GAMES.operations["list"], {"limit": 100})

    with (
        behind_nginx(name, store, tmp_path) as fronted,
        connect(codec.transport, fronted.address, codec.path) as client,
    ):
        scratch = scratch_of(fronted.port)
        before_us = cpu_us(fronted)
        replies = [client.send(request) for _ in range(20)]
        used_us = {role: used - before_us[role] for role, used in cpu_us(fronted).items()}

    digests = {hashlib.sha256(reply.body).hexdigest() for reply in replies}
    assert len(digests) == 1
    assert len(games_in(codec, replies[0])) == 100
    assert set(used_us) == {"contender", "proxy"}
    assert 0 < used_us["proxy"] < used_us["contender"]
    assert not is_taken(fronted.port)
    assert not scratch.exists()


@as_root
@pytest.mark.parametrize("level", [TLS, CACHE])
def test_no_process_of_a_proxy_has_the_rights_of_root(
    level: str, natively: None, store: Database, tmp_path: Path
) -> None:
    with behind_nginx("rest-flask", store, tmp_path, level) as fronted:
        counted = fronted.counted["proxy"]
        assert isinstance(counted, int)
        processes = [psutil.Process(pid) for pid in family(counted) if pid != counted]
        users = {process.username() for process in processes}
        statuses = [Path(f"/proc/{process.pid}/status").read_text() for process in processes]
        scratch = scratch_of(fronted.port)
        others = [path for path in (scratch, *scratch.iterdir()) if path.owner() != PROXY]

    assert len(processes) >= 2  # the main process and a worker
    assert users == {PROXY}
    assert all("NoNewPrivs:\t1" in status for status in statuses)
    assert others == []


@pytest.mark.parametrize("transport", LOCATIONS)
def test_with_tls_clients_trust_its_certificate_and_get_the_same_answers(
    transport: Transport, natively: None, store: Database, tmp_path: Path
) -> None:
    name = BY_TRANSPORT[transport]
    contender = CONTENDERS[name]
    codec = protocol.get(contender.protocol).bind(GAMES, contender.path)
    request = codec.encode(GAMES.operations["list"], {"limit": 100})

    with behind_nginx(name, store, tmp_path, TLS) as fronted:
        assert fronted.ca is not None
        tls = Tls(ca=fronted.ca, version="1.3")
        endpoint = Endpoint(transport=transport, address=fronted.address, path=codec.path, tls=tls)
        with connect_to(endpoint) as client:
            assert len(games_in(codec, client.send(request))) == 100
        with (
            connect_to(endpoint.model_copy(update={"tls": Tls()})) as distrustful,
            pytest.raises(NoReplyError),
        ):
            distrustful.send(request)
        key = fronted.ca.with_name("key.pem")
        assert key.stat().st_mode & 0o077 == 0
    assert not is_taken(fronted.port)


def test_an_answer_without_an_age_is_not_cached(
    natively: None, store: Database, tmp_path: Path
) -> None:
    codec = protocol.get("rest").bind(GAMES, "/")
    request = codec.encode(GAMES.operations["list"], {"limit": 100})
    with (
        behind_nginx("rest-flask", store, tmp_path, CACHE) as fronted,
        connect(codec.transport, fronted.address, codec.path) as client,
    ):
        before = cache_use(fronted)
        for _ in range(10):
            client.send(request)
        after = cache_use(fronted)

    assert after["MISS"] == before.get("MISS", 0) + 10
    assert "HIT" not in after


def test_a_proxy_that_exits_is_noticed(natively: None, store: Database, tmp_path: Path) -> None:
    with behind_nginx("rest-flask", store, tmp_path) as fronted:
        counted = fronted.counted["proxy"]
        assert isinstance(counted, int)
        assert fronted.why_ended() is None
        os.kill(counted, 15)
        failure = until(fronted.why_ended)
        assert failure.what.startswith("rest-flask ended")
        assert failure.log is not None
        assert "proxy.log" in failure.log.path


def test_a_transport_that_nginx_cannot_forward_is_reported(store: Database, tmp_path: Path) -> None:
    with running("rest-flask", store, tmp_path / "log") as contender:
        with pytest.raises(ContenderError, match="forward http3"):
            put_nginx_before(
                contender,
                "http3",
                Nginx("unused"),
                ready=lambda address, ca: None,
                log_path=tmp_path / "proxy.log",
            )
        assert contender.why_ended() is None


def test_nginx_runs_in_a_container_if_it_is_not_installed(
    base: str,
    store: Database,
    tmp_path: Path,
    nothing_left: Callable[[], list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proxy, "find_nginx", lambda *_: None)
    codec = protocol.get("rest").bind(GAMES, "/")
    with behind_nginx("rest-flask", store, tmp_path) as fronted:
        assert isinstance(fronted.counted["proxy"], InContainer)
        with connect(codec.transport, fronted.address, codec.path) as client:
            reply = client.send(codec.encode(GAMES.operations["list"], {"limit": 100}))
    assert len(games_in(codec, reply)) == 100
