"""Servers that run while a test does, and wirelab as a user starts it."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.certificates import certificate as made
from tests.support.charts import blank
from tests.support.commands import Command
from wirelab.compare.budget import Spending
from wirelab.lab.network.ports import free_port, is_taken

HERE = Path(__file__).parent
OPENAPI = HERE / "openapi.yaml"
PROGRAM = Path(sys.executable).with_name("wirelab")
QUICK = ("--budget", "1s")
FULL_MEASUREMENT: Mapping[str, object] = {}
"""Replaced constants for tests about figures: none."""
SHORT_BLOCKS: Mapping[str, object] = {
    "wirelab.compare.budget.LEAST_PERMUTATIONS": 2,
    "wirelab.compare.world.LONGEST_REHEARSAL_S": 0.0,
}
"""Replaced constants for tests about a verdict that is beyond doubt: short blocks."""
BLOCKS = 2
TWO_BLOCKS = {
    **SHORT_BLOCKS,
    "wirelab.compare.world.MINIMUM_BLOCKS": BLOCKS,
    "wirelab.study.design.FIRST_VERDICT": BLOCKS,
    "wirelab.report.vega.to_svg": blank,
}
"""Replaced constants for all other tests: too few blocks for a verdict, and blank charts."""
FEW_TURNS = {**TWO_BLOCKS, "wirelab.commands.own_api.capacity.SPENDING": Spending(1, 2, 20, 0.0)}
"""Replaced constants for tests of `wirelab capacity` that are not about the turns after trials."""
PATIENCE_S = 30.0
TIMEOUT_S = 240.0


@contextmanager
def serving(*ways: str, program: str = "servers.py") -> Iterator[str]:
    """Serve in some ways for as long as the block lasts; yield host:port."""
    port = free_port()
    command = [sys.executable, str(HERE / program), str(port), *ways]
    with subprocess.Popen(command, cwd=HERE, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + PATIENCE_S
            while not is_taken(port):
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.02)
            yield f"localhost:{port}"
        finally:
            process.terminate()


def command_of(*ways: str, program: str = "servers.py") -> str:
    """Return the command of such a server, as a side that wirelab starts itself."""
    return " ".join([sys.executable, str(HERE / program), "{port}", *ways])


def wirelab(
    *arguments: str | Path,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    constants: Mapping[str, object] = TWO_BLOCKS,
) -> subprocess.CompletedProcess[str]:
    """Run a command of wirelab in a folder, to its end; see `Command` for `constants`."""
    with tempfile.TemporaryDirectory(prefix="wirelab-output-") as output:
        stdout, stderr = Path(output) / "stdout", Path(output) / "stderr"
        command = Command(
            *arguments,
            stdout=stdout,
            stderr=stderr,
            folder=folder,
            environment={"COLUMNS": "80", **(environment or {})},
            constants=constants,
        )
        try:
            code = command.wait(TIMEOUT_S)
        finally:
            command.kill()
        return subprocess.CompletedProcess(arguments, code, stdout.read_text(), stderr.read_text())


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a command says is wrong, with what to do, in one line."""
    return " ".join(done.stderr.partition("error: ")[2].split())


def certificate(folder: Path) -> Path:
    """Make a certificate for localhost; it is in one file with its key."""
    both = folder / "both.pem"
    both.write_text("".join(file.read_text() for file in made(folder, "localhost")))
    return both


WSDL = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:i"
  xmlns:t="urn:i" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/">
 <types><schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:i"
   elementFormDefault="qualified">
  <element name="GetItem"><complexType><sequence>
   <element name="id" type="int"/></sequence></complexType></element>
  <element name="GetItemResponse"><complexType><sequence>
   <element name="name" type="string"/><element name="price" type="double"/>
  </sequence></complexType></element></schema></types>
 <message name="In"><part name="parameters" element="t:GetItem"/></message>
 <message name="Out"><part name="parameters" element="t:GetItemResponse"/></message>
 <portType name="Items"><operation name="GetItem">
  <input message="t:In"/><output message="t:Out"/></operation></portType>
 <binding name="Soap" type="t:Items">
  <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
  <operation name="GetItem"><soap:operation soapAction="urn:i/GetItem"/>
   <input><soap:body use="literal"/></input><output><soap:body use="literal"/></output>
  </operation></binding>
 <service name="Items"><port name="Soap" binding="t:Soap">
  <soap:address location="http://localhost/soap"/></port></service>
</definitions>"""
