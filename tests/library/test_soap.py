"""SOAP 1.1: envelopes written by hand, answers held against the schema of the WSDL."""

from collections.abc import Callable, Iterator

import httpx
import pytest
from lxml import etree

from tests.library.shelf import Row
from tests.library.standing import LIBRARY
from tests.support.plain_http import NO_TLS
from wirelab.lab.contenders.running import RunningContender

WSDL = etree.parse(LIBRARY.folder / "library.wsdl")
SCHEMA = etree.XMLSchema(WSDL.find(".//{http://www.w3.org/2001/XMLSchema}schema"))
NAMES = {"s": "http://schemas.xmlsoap.org/soap/envelope/", "l": "urn:wirelab:library:v1"}
Ask = Callable[[str | bytes], httpx.Response]


@pytest.fixture
def ask(
    contender_named: Callable[[str], RunningContender], rows: dict[str, list[Row]]
) -> Iterator[Ask]:
    url = f"http://{contender_named('soap-cxf').address}/soap"
    headers = {"content-type": "text/xml; charset=utf-8", "soapaction": '""'}
    with httpx.Client(trust_env=False, headers=headers, verify=NO_TLS) as http:
        yield lambda envelope: http.post(url, content=envelope)


def envelope(body: str) -> str:
    return (
        f'<s:Envelope xmlns:s="{NAMES["s"]}" xmlns="{NAMES["l"]}">'
        f"<s:Header/><s:Body>{body}</s:Body></s:Envelope>"
    )


def content(response: httpx.Response) -> etree._Element:
    assert response.headers["content-type"].startswith("text/xml")
    (element,) = etree.fromstring(response.content).find("s:Body", NAMES)
    return element


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
    SCHEMA.assertValid(content(response))


def test_text_arrives_as_it_was_sent(ask: Ask) -> None:
    name = "a &lt;b&gt; &amp; c<!-- not a part --><![CDATA[ <d>]]> 作家"
    author = f"<author><name>{name}</name><country>Poland</country></author>"
    added = content(ask(envelope(f"<AddAuthor>{author}</AddAuthor>")))

    assert added.findtext("l:author/l:name", namespaces=NAMES) == "a <b> & c <d> 作家"


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
    check_fault(ask(envelope(body)), "Client", "invalid")


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
    check_fault(ask(text), blamed, "invalid")


def test_an_unknown_id_gets_a_client_fault(ask: Ask) -> None:
    check_fault(ask(envelope("<DeleteBook><id>999</id></DeleteBook>")), "Client", "not_found")


def check_fault(response: httpx.Response, blamed: str, kind: str) -> None:
    assert response.status_code == 500  # the status that SOAP 1.1 lays down for every fault
    fault = content(response)
    assert fault.tag == f"{{{NAMES['s']}}}Fault"
    assert fault.findtext("faultcode") == f"soap:{blamed}"
    assert fault.findtext("faultstring")
    (code,) = fault.find("detail")
    assert code.text == kind
    SCHEMA.assertValid(code)
