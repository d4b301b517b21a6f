"""SOAP 1.1: envelopes written by hand, answers held against the schema of the WSDL."""

from collections.abc import Callable, Iterator

import httpx
import pytest

from tests.library.shelf import Row
from tests.library.standing import LIBRARY
from tests.support.described import Soap
from tests.support.plain_http import client_of
from tests.support.standing import Named

SOAP = Soap(LIBRARY.folder / "library.wsdl", "urn:wirelab:library:v1")
Ask = Callable[[str | bytes], httpx.Response]
envelope, content = SOAP.envelope, SOAP.content


@pytest.fixture
def ask(contender_named: Named, rows: dict[str, list[Row]]) -> Iterator[Ask]:
    headers = {"content-type": "text/xml; charset=utf-8", "soapaction": '""'}
    with client_of(contender_named("soap-cxf").address) as http:
        yield lambda envelope: http.post("/soap", content=envelope, headers=headers)


@pytest.mark.parametrize(
    "body",
    [
        "<Ping/>",
        "<FindAuthors><phrase>Author</phrase></FindAuthors>",
        "<FindAuthors><phrase>nobody</phrase></FindAuthors>",
        "<ReadAuthor><id>21</id></ReadAuthor>",
        "<AddAuthor><author><name>x</name><country>Poland</country></author></AddAuthor>",
        "<UpdateBook><id>11</id><book><title>x</title><year>1</year></book></UpdateBook>",
        "<DeleteAuthor><id>1</id></DeleteAuthor>",
    ],
)
def test_answers_fit_the_schema(ask: Ask, body: str) -> None:
    response = ask(envelope(body))

    assert response.status_code == 200
    SOAP.schema.assertValid(content(response))


def test_text_arrives_as_it_was_sent(ask: Ask) -> None:
    name = "a &lt;b&gt; &amp; c<!-- not a part --><![CDATA[ <d>]]> 作家"
    author = f"<author><name>{name}</name><country>Poland</country></author>"
    added = content(ask(envelope(f"<AddAuthor>{author}</AddAuthor>")))

    assert added.findtext("d:author/d:name", namespaces=SOAP.names) == "a <b> & c <d> 作家"


@pytest.mark.parametrize(
    "body",
    [
        "<Dance/>",
        "<Ping xmlns='urn:another'/>",
        "<ReadAuthor/>",
        "<ReadAuthor><id>one</id></ReadAuthor>",
        "<ReadAuthor><id>1</id><id>2</id></ReadAuthor>",
        "<FindAuthors><phrase/></FindAuthors>",
        "<AddAuthor><author><name>x</name><country>Atlantis</country></author></AddAuthor>",
        "<AddAuthor><author><country>Poland</country></author></AddAuthor>",
        "<UpdateBook><id>11</id><book><title>x</title><year>0</year></book></UpdateBook>",
    ],
)
def test_a_wrong_body_gets_a_client_fault(ask: Ask, body: str) -> None:
    SOAP.assert_fault(ask(envelope(body)), "invalid")


@pytest.mark.parametrize(
    ("text", "blamed"),
    [
        ("no XML", "Client"),
        (envelope("<Ping/>")[:-20], "Client"),
        ("<a/>", "VersionMismatch"),
        (envelope("<Ping/>").replace("schemas.xmlsoap.org", "x.example"), "VersionMismatch"),
        (
            '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'
            + envelope("<FindAuthors><phrase>&b;</phrase></FindAuthors>"),
            "Client",
        ),
    ],
)
def test_an_invalid_envelope_is_a_client_fault(ask: Ask, text: str, blamed: str) -> None:
    SOAP.assert_fault(ask(text), "invalid", blamed)


def test_an_unknown_id_gets_a_client_fault(ask: Ask) -> None:
    SOAP.assert_fault(ask(envelope("<DeleteBook><id>999</id></DeleteBook>")), "not_found")
