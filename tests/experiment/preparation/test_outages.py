"""Services that are really slowed down, frozen and killed: one contender minds, one does not."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.worlds import WORLD
from wirelab.domain_file import load_domain
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.place import Place, Placement
from wirelab.experiment.preparation.outages import RelayedServices
from wirelab.lab.contenders.contender import load_contenders
from wirelab.lab.processes.process import family
from wirelab.lab.stores.store import Database
from wirelab.verify import Finding
from wirelab.verify.findings.finding_reasons import WronglyRefused
from wirelab.verify.reference import outage as module
from wirelab.verify.reference.outage import verify_outage

OUTAGE = """
[outage.count]
summary = "a counter that was refused is where it was"
operation = "count"
deadline_s = 0.5
remember = { id = "/id" }
looks = [{ operation = "read", parameters = { id = "{id}" } }]
"""
CONTENDER = """
stack = "frail"
title = "Two services"

[contender.minding]
title = "counts when the service behind it has answered"
protocol = "rest"
command = ["{{python}}", "server.py"]
environment = {{ VALUES = "{values}" }}

[contender.careless]
title = "has the service behind it count"
protocol = "rest"
command = ["{{python}}", "server.py"]
environment = {{ VALUES = "{values}", CARELESS = "yes" }}

[variant.two]
title = "two services"
of = ["minding", "careless"]

[variant.two.service.back]

[variant.two.service.front]
calls = ["back"]
"""
SERVER = """
import http.client, json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

VALUES, BACK = Path(os.environ["VALUES"]), os.environ.get("WIRELAB_PEER_BACK")

def count(counter):
    values = json.loads(VALUES.read_text())
    values[counter] += 1
    VALUES.write_text(json.dumps(values))

def ask_back(method, path):
    connection = http.client.HTTPConnection(BACK, timeout=0.5)
    try:
        connection.request(method, path)
        connection.getresponse().read()
    except TimeoutError:
        return 504
    except (OSError, http.client.HTTPException):
        return 503
    finally:
        connection.close()
    return 200

class Handler(BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1

    def do_GET(self):
        if self.path in ("/ping", "/may-it"):
            self.answer(200, {"status": "ok"})
        else:
            self.answer_value(self.path.removeprefix("/counters/"))

    def do_POST(self):
        counter = self.path.removeprefix("/counters/")
        if not BACK:
            count(counter)
            return self.answer_value(counter)
        careless = "CARELESS" in os.environ
        status = ask_back("POST", self.path) if careless else ask_back("GET", "/may-it")
        if status != 200:
            return self.answer(status, {"title": "no"})
        if not careless:
            count(counter)
        self.answer_value(counter)

    def answer_value(self, counter):
        self.answer(200, {"id": counter, "value": json.loads(VALUES.read_text())[counter]})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        form = "application/json" if status == 200 else "application/problem+json"
        self.send_response(status)
        self.send_header("content-type", form)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

address = os.environ["WIRELAB_HOST"], int(os.environ["WIRELAB_PORT"])
ThreadingHTTPServer(address, Handler).serve_forever()
"""


@pytest.fixture
def laboratory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Laboratory]:
    monkeypatch.setattr(module, "SETTLING_S", 1.0)
    folder = tmp_path / "domain"
    shutil.copytree(WORLD / "domain", folder)
    described = folder / "domain.toml"
    described.write_text(described.read_text() + OUTAGE)
    own = folder / "contenders" / "frail"
    own.mkdir()
    (own / "server.py").write_text(SERVER)
    (own / "contender.toml").write_text(CONTENDER.format(values=tmp_path / "values.json"))
    domain = load_domain(folder)
    with Laboratory.create(domain, load_contenders(domain), 1, tmp_path / "logs") as running:
        yield running


def tried(laboratory: Laboratory, contender: str, folder: Path) -> list[Finding]:
    """Try the outage on a contender whose counters are those of the data set."""
    dataset = laboratory.stores.dataset("ten")
    values = {row["id"]: row["value"] for row in dataset.tables["counter"]}
    (folder / "values.json").write_text(json.dumps(values))
    placement = Placement(contender, "native")
    assert not laboratory.builder.build(placement)
    place, database = Place(placement, "postgresql"), Database("postgresql", "")
    outage = laboratory.domain.outages["count"]
    with RelayedServices(laboratory, place, database, folder / "log") as services:
        pids = [service.pid for service in services._running.values()]
        findings = verify_outage(contender, outage, services, dataset)
        pids += [service.pid for service in services._running.values()]
    assert len(set(pids)) == 4  # both were started twice
    assert not any(family(pid) for pid in pids)
    return findings


def test_a_correct_contender_has_no_findings(laboratory: Laboratory, tmp_path: Path) -> None:
    assert tried(laboratory, "minding-two", tmp_path) == []


def test_side_effects_of_a_refused_request_are_found(
    laboratory: Laboratory, tmp_path: Path
) -> None:
    findings = tried(laboratory, "careless-two", tmp_path)

    assert {each.operation for each in findings if each.path == "/value"} >= {"read"}
    when = {(each.when.state, each.when.is_over) for each in findings if each.when}
    # What was asked of a silent service it may do a moment after it was looked at: then the next
    # look finds it.
    assert ("late", True) in when
    refused = [each for each in findings if isinstance(each.reason, WronglyRefused)]
    assert refused == []  # its refusals are right
