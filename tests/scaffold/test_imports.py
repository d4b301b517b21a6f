"""Imports of .proto, WSDL and XSD files: outside of the folder, remote, and circular."""

import socket
from pathlib import Path

import pytest

from tests.scaffold.ping_wsdl import WSDL
from tests.support.wording import raises_worded
from wirelab.inputs.problems import ProblemsError
from wirelab.scaffold.descriptions.offer import OfferedInterface
from wirelab.scaffold.descriptions.sources import described

PROTO3 = 'syntax = "proto3";'
DEFINITIONS = (
    '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:other">{}'
    "</definitions>"
)
IMPORT = '<import namespace="urn:{}" location="{}"/>'


def read(folder: Path, **files: str) -> OfferedInterface:
    """Write files named like `near_proto`, and read the first one into the folder `domain`."""
    paths = [folder / name.replace("_", ".") for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    (folder / "domain").mkdir()
    protocol = "grpc" if paths[0].suffix == ".proto" else "soap"
    return described(protocol, str(paths[0]), folder / "domain")[0]


def test_imports_that_lead_out_of_their_folders_are_refused(tmp_path: Path) -> None:
    deep, place = tmp_path / "a" / "b", tmp_path / "own" / "domain"
    deep.mkdir(parents=True)
    place.mkdir(parents=True)
    (tmp_path / "a" / "out.proto").write_text(PROTO3)
    source = deep / "service.proto"
    source.write_text(f'{PROTO3}\nimport "../out.proto";\nservice S {{}}\n')

    with pytest.raises(ProblemsError, match="proto"):
        described("grpc", str(source), place)
    assert not [*place.iterdir()]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (
            *("wsdl", DEFINITIONS.format(IMPORT.format("y", "http://localhost:9/y.wsdl"))),
            "http://localhost:9/y.wsdl",
        ),
        (
            "wsdl",
            DEFINITIONS.format(
                f'<address location="IOR:{1000 * "0"}"/>{IMPORT.format("y", "../not/there.wsdl")}'
            ),
            "../not/there.wsdl",
        ),
        ("proto", f'{PROTO3} import "not/there.proto"; service S {{}}', "not/there.proto"),
    ],
    ids=["remote", "not there", "no such file"],
)
def test_remote_imports_are_named_and_not_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, text: str, expected: str
) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("it asks the network"))

    with pytest.raises(ProblemsError) as error:
        read(tmp_path, **{f"given_{kind}": text})
    assert expected in str(error.value)
    assert str(tmp_path / "domain") not in str(error.value)


def test_protos_that_import_each_other_are_one_clear_message(tmp_path: Path) -> None:
    with pytest.raises(ProblemsError) as error:
        read(
            tmp_path,
            service_proto=f'{PROTO3} import "near.proto"; service S {{}}',
            near_proto=f'{PROTO3} import "service.proto";',
        )
    (problem,) = error.value.problems
    assert problem.where == str(tmp_path / "service.proto")
    assert "service.proto -> near.proto" in str(problem.value)


def schema(namespace: str, imported: str, content: str) -> str:
    """Return an XML schema that imports another one, whose namespace is named like its file."""
    return (
        f'<schema xmlns="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:{namespace}"'
        f' xmlns:o="urn:{imported}" xmlns:s="urn:{namespace}" elementFormDefault="qualified">'
        f'<import namespace="urn:{imported}" schemaLocation="{imported}.xsd"/>{content}</schema>'
    )


def importing(types: str = "", imports: str = "") -> str:
    """Return the WSDL with imports, and with the elements of its message."""
    message = '<message name="In"><part name="body" element="a:Ping" xmlns:a="urn:a"/></message>'
    text = WSDL.format(location="http://localhost/")
    return text.replace('<message name="In"/>', f"{imports}{types}{message}")


TYPES = (
    '<types><schema xmlns="http://www.w3.org/2001/XMLSchema">'
    '<import namespace="urn:a" schemaLocation="a.xsd"/></schema></types>'
)
PING = (
    '<element name="Ping"><complexType><sequence><element name="of" type="o:Thing"/></sequence>'
    '</complexType></element><simpleType name="Name"><restriction base="string"/></simpleType>'
)
THING = (
    '<complexType name="Thing"><sequence><element name="name" type="o:Name"/>'
    '<element name="inner" type="s:Thing" minOccurs="0"/></sequence></complexType>'
)


def test_schemas_that_import_each_other_are_read(tmp_path: Path) -> None:
    """XML Schema allows it, and a type that contains itself."""
    interface = read(
        tmp_path,
        given_wsdl=importing(TYPES),
        a_xsd=schema("a", "b", PING),
        b_xsd=schema("b", "a", THING),
    )

    (offer,) = interface.offers
    assert [parameter.name for parameter in offer.parameters] == ["of"]
    assert {path.name for path in (tmp_path / "domain").iterdir()} == {
        *("given.wsdl", "a.xsd", "b.xsd")
    }


def test_wsdls_that_import_each_other_are_read(tmp_path: Path) -> None:
    interface = read(
        tmp_path,
        given_wsdl=importing(TYPES, IMPORT.format("other", "other.wsdl")),
        other_wsdl=DEFINITIONS.format(IMPORT.format("x", "given.wsdl")),
        a_xsd=schema("a", "b", PING),
        b_xsd=schema("b", "a", THING),
    )

    assert [offer.name for offer in interface.offers] == ["ping"]


def test_imports_of_wsdls_that_never_end_are_one_clear_message(tmp_path: Path) -> None:
    """They give each other wrong namespaces, so none is known to have been read."""
    with raises_worded(ProblemsError):
        read(
            tmp_path,
            given_wsdl=importing("", IMPORT.format("wrong", "other.wsdl")),
            other_wsdl=DEFINITIONS.format(IMPORT.format("wrong", "given.wsdl")),
        )


def test_types_that_extend_each_other_end(tmp_path: Path) -> None:
    """XML Schema forbids it; what can be read of such an operation is."""
    extends = (
        '<complexType name="{0}"><complexContent><extension base="s:{1}"><sequence/></extension>'
        "</complexContent></complexType>"
    )
    types = extends.format("One", "Two") + extends.format("Two", "One")
    interface = read(
        tmp_path,
        given_wsdl=importing(TYPES),
        a_xsd=schema("a", "b", PING.replace("o:Thing", "s:One") + types),
        b_xsd=schema("b", "a", THING),
    )

    offered = [each.name for each in interface.offers]
    left_out = [each.name.lower() for each in interface.left_out]
    assert offered + left_out == ["ping"]
