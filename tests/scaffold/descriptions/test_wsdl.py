"""Operations of WSDLs: one-way ones, and those of several ports."""

from pathlib import Path

import pytest

from tests.support.scaffolding import scaffold
from wirelab.domain_file import load_domain
from wirelab.inputs.problems import ProblemsError
from wirelab.scaffold.descriptions.wsdl import read_wsdl

SOAP = "http://schemas.xmlsoap.org/wsdl/soap/"
SOAP_12 = "http://schemas.xmlsoap.org/wsdl/soap12/"
HTTP = "http://schemas.xmlsoap.org/wsdl/http/"


def operations(names: str, binding: str = "") -> str:
    """Return operations: those whose name ends with ! have no answer."""
    parts = "<s:body use='literal'/>" if binding == "s" else "<h:urlEncoded/>" if binding else ""
    action = {"s": "<s:operation soapAction=''/>", "h": "<h:operation location='/x'/>", "": ""}
    text = ""
    for name in names.split():
        directions = ["input"] if name.endswith("!") else ["input", "output"]
        inside = "".join(
            f"<{way}>{parts}</{way}>" if binding else f"<{way} message='t:M'/>"
            for way in directions
        )
        text += f"<operation name='{name.strip('!')}'>{action[binding]}{inside}</operation>"
    return text


def wsdl(ports: list[tuple[str, str, str]]) -> str:
    """Return a WSDL whose ports have a namespace, a path and operations, each of its own type."""
    types = bindings = addresses = ""
    for number, (namespace, path, names) in enumerate(ports):
        prefix = "h" if namespace == HTTP else "s"
        kind = (
            "<h:binding verb='GET'/>"
            if prefix == "h"
            else ("<s:binding transport='http://schemas.xmlsoap.org/soap/http'/>")
        )
        own = f"xmlns:{prefix}='{namespace}'"
        types += f"<portType name='T{number}'>{operations(names)}</portType>"
        bindings += (
            f"<binding name='B{number}' type='t:T{number}' {own}>{kind}"
            f"{operations(names, prefix)}</binding>"
        )
        addresses += (
            f"<port name='P{number}' binding='t:B{number}' {own}>"
            f"<{prefix}:address location='http://h{path}'/></port>"
        )
    return (
        "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/' xmlns:t='urn:t'"
        f" targetNamespace='urn:t'><message name='M'/>{types}{bindings}"
        f"<service name='S'>{addresses}</service></definitions>"
    )


@pytest.mark.parametrize(
    ("ports", "path", "offered", "left_out"),
    [
        ([(SOAP, "/a", "GetIt Notify!")], "/a", ["GetIt"], ["Notify"]),
        ([(HTTP, "/rest", "GetIt"), (SOAP, "/soap", "GetIt")], "/soap", ["GetIt"], []),
        ([(SOAP_12, "/a", "GetIt"), (SOAP, "/b", "GetIt")], "/a", ["GetIt"], []),
        ([(SOAP, "/a", "GetIt"), (SOAP, "/b", "GetMore")], "/a", ["GetIt"], ["GetMore"]),
        ([(SOAP, "/a", "Notify!")], "/a", [], ["Notify"]),
    ],
)
def test_operations(
    tmp_path: Path,
    ports: list[tuple[str, str, str]],
    path: str,
    offered: list[str],
    left_out: list[str],
) -> None:
    file = tmp_path / "s.wsdl"
    file.write_text(wsdl(ports))

    interface = read_wsdl(file)

    assert interface.path == path
    assert [each.shown for each in interface.offers] == offered
    assert [each.name for each in interface.left_out] == left_out
    if offered:
        scaffold(tmp_path / "own", {"soap": file}, as_json=True)
        assert [*load_domain(tmp_path / "own" / "domain").operations] == ["get_it"]


ONE_VALUE = (
    "<types><schema xmlns='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:t'>"
    "<element name='E' type='string'/></schema></types>"
    "<message name='M'><part name='p' element='t:E'/></message>"
)


@pytest.mark.parametrize(
    ("message", "left_out", "remarks"),
    [
        (ONE_VALUE, ["GetIt"], 0),
        (ONE_VALUE.replace("'t:E'", "'t:Unknown'"), [], 1),  # zeep reads it without the operation
    ],
)
def test_operations_are_never_missing_without_a_word(
    tmp_path: Path, message: str, left_out: list[str], remarks: int
) -> None:
    file = tmp_path / "s.wsdl"
    file.write_text(wsdl([(SOAP, "/a", "GetIt")]).replace("<message name='M'/>", message))

    interface = read_wsdl(file)

    assert not interface.offers
    assert [each.name for each in interface.left_out] == left_out
    assert len(interface.notes) == remarks


@pytest.mark.parametrize("missing", ["t:T0", "t:B0"])
def test_references_that_lead_nowhere_are_one_clear_message(tmp_path: Path, missing: str) -> None:
    file = tmp_path / "s.wsdl"
    file.write_text(wsdl([(SOAP, "/a", "GetIt")]).replace(f"'{missing}'", "'t:None'"))

    with pytest.raises(ProblemsError) as error:
        read_wsdl(file)
    (problem,) = error.value.problems
    assert str(tmp_path) not in str(problem.value)
