"""Imports of .proto, WSDL and XSD files: outside of the folder, remote, and circular."""

import socket
from pathlib import Path

import pytest

from tests.scaffold.ping_wsdl import WSDL
from tests.support.wording import raises_worded
from wirelab.inputs.problems import ProblemsError
from wirelab.scaffold.descriptions.sources import described


def test_imports_that_lead_out_of_their_folders_are_refused(tmp_path: Path) -> None:
    deep, place = tmp_path / "a" / "b", tmp_path / "own" / "domain"
    deep.mkdir(parents=True)
    place.mkdir(parents=True)
    (tmp_path / "a" / "out.proto").write_text('syntax = "proto3";')
    source = deep / "service.proto"
    source.write_text('syntax = "proto3";\nimport "../out.proto";\nservice S {}\n')

    with pytest.raises(ProblemsError, match="proto"):
        described("grpc", str(source), place)
    assert not [*place.iterdir()]


@pytest.mark.parametrize(
    ("protocol", "text", "expected"),
    [
        (
            "soap",
            '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:x">'
            '<import namespace="urn:y" location="http://localhost:9/y.wsdl"/></definitions>',
            "http://localhost:9/y.wsdl",
        ),
        (
            "soap",
            '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:x">'
            '<address location="IOR:' + 1000 * "0" + '"/>'
            '<import namespace="urn:y" location="../not/there.wsdl"/></definitions>',
            "../not/there.wsdl",
        ),
        (
            "grpc",
            'syntax = "proto3"; import "not/there.proto"; service S {}',
            "not/there.proto",
        ),
    ],
)
def test_remote_imports_are_named_and_not_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: str, text: str, expected: str
) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("it asks the network"))
    source = tmp_path / "given"
    source.write_text(text)
    (tmp_path / "domain").mkdir()

    with pytest.raises(ProblemsError) as error:
        described(protocol, str(source), tmp_path / "domain")
    assert expected in str(error.value)
    assert str(tmp_path / "domain") not in str(error.value)


def test_protos_that_import_each_other_are_one_clear_message(tmp_path: Path) -> None:
    source, near = tmp_path / "service.proto", tmp_path / "near.proto"
    source.write_text('syntax = "proto3"; import "near.proto"; service S {}')
    near.write_text('syntax = "proto3"; import "service.proto";')
    (tmp_path / "domain").mkdir()

    with pytest.raises(ProblemsError) as error:
        described("grpc", str(source), tmp_path / "domain")
    (problem,) = error.value.problems
    assert str(source) in str(problem)
    assert "recursively imports itself: service.proto -> near.proto" in str(problem.value)
    assert "recursively imports itself" in str(problem)


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
    (tmp_path / "a.xsd").write_text(schema("a", "b", PING))
    (tmp_path / "b.xsd").write_text(schema("b", "a", THING))
    source = tmp_path / "given.wsdl"
    source.write_text(importing(TYPES))
    (tmp_path / "domain").mkdir()

    interface, _ = described("soap", str(source), tmp_path / "domain")

    (offer,) = interface.offers
    assert [parameter.name for parameter in offer.parameters] == ["of"]
    assert {path.name for path in (tmp_path / "domain").iterdir()} == {
        "given.wsdl",
        "a.xsd",
        "b.xsd",
    }


def test_wsdls_that_import_each_other_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.xsd").write_text(schema("a", "b", PING))
    (tmp_path / "b.xsd").write_text(schema("b", "a", THING))
    other = tmp_path / "other.wsdl"
    other.write_text(
        '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:other">'
        '<import namespace="urn:x" location="given.wsdl"/></definitions>'
    )
    source = tmp_path / "given.wsdl"
    source.write_text(importing(TYPES, '<import namespace="urn:other" location="other.wsdl"/>'))
    (tmp_path / "domain").mkdir()

    interface, _ = described("soap", str(source), tmp_path / "domain")

    assert [offer.name for offer in interface.offers] == ["ping"]


def test_imports_of_wsdls_that_never_end_are_one_clear_message(tmp_path: Path) -> None:
    """They give each other wrong namespaces, so none is known to have been read."""
    imports = '<import namespace="urn:wrong" location="{}"/>'
    other = tmp_path / "other.wsdl"
    other.write_text(
        '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:other">'
        f"{imports.format('given.wsdl')}</definitions>"
    )
    source = tmp_path / "given.wsdl"
    source.write_text(importing("", imports.format("other.wsdl")))
    (tmp_path / "domain").mkdir()

    with raises_worded(ProblemsError):
        described("soap", str(source), tmp_path / "domain")


def test_types_that_extend_each_other_end(tmp_path: Path) -> None:
    """XML Schema forbids it; what can be read of such an operation is."""
    extends = (
        '<complexType name="{0}"><complexContent><extension base="s:{1}"><sequence/></extension>'
        "</complexContent></complexType>"
    )
    types = extends.format("One", "Two") + extends.format("Two", "One")
    content = PING.replace("o:Thing", "s:One") + types
    (tmp_path / "a.xsd").write_text(schema("a", "b", content))
    (tmp_path / "b.xsd").write_text(schema("b", "a", THING))
    source = tmp_path / "given.wsdl"
    source.write_text(importing(TYPES))
    (tmp_path / "domain").mkdir()

    interface, _ = described("soap", str(source), tmp_path / "domain")

    offered = [each.name for each in interface.offers]
    left_out = [each.name.lower() for each in interface.left_out]
    assert offered + left_out == ["ping"]
