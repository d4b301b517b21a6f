"""SOAP 1.1: envelopes written by hand, answers held against the schema of the WSDL."""

from collections.abc import Callable, Iterator

import httpx
import pytest
from lxml import etree

from tests.games.catalogue import Game
from tests.games.standing import GAMES
from tests.support.plain_http import NO_TLS
from wirelab.lab.contenders.running import RunningContender

WSDL = etree.parse(GAMES.folder / "games.wsdl")
SCHEMA = etree.XMLSchema(WSDL.find(".//{http://www.w3.org/2001/XMLSchema}schema"))
NAMES = {"s": "http://schemas.xmlsoap.org/soap/envelope/", "g": "urn:wirelab:games:v1"}
Ask = Callable[[str | bytes], httpx.Response]


@pytest.fixture
def ask(contender_named: Callable[[str], RunningContender], games: list[Game]) -> Iterator[Ask]:
    url = f"http://{contender_named('soap-lxml').address}/soap"
    headers = {"content-type": "text/xml; charset=utf-8", "soapaction": '""'}
    with httpx.Client(trust_env=False, headers=headers, verify=NO_TLS) as http:
        yield lambda envelope: http.post(url, content=envelope)


def envelope(body: str) -> str:
    return (
        f'<s:Envelope xmlns:s="{NAMES["s"]}" xmlns="{NAMES["g"]}">'
        f"<s:Header/><s:Body>{body}</s:Body></s:Envelope>"
    )


def content(response: httpx.Response) -> etree._Element:
    assert response.headers["content-type"] == "text/xml; charset=utf-8"
    (element,) = etree.fromstring(response.content).find("s:Body", NAMES)
    return element


@pytest.mark.parametrize(
    "body",
    [
        "<Ping/>",
        "<ReadGame><id>game-000001</id></ReadGame>",
        "<ReadGame><id>game-000029</id></ReadGame>",
        "<ListGames><limit>1000</limit></ListGames>",
        "<CreateGame><game><name>x</name></game></CreateGame>",
        "<CreateGame><game><name>x</name></game><echo>true</echo></CreateGame>",
        "<UpdateGame><id>game-000001</id><game><name>x</name></game></UpdateGame>",
        "<DeleteGame><id>game-000001</id></DeleteGame>",
    ],
)
def test_answers_fit_the_schema(ask: Ask, body: str) -> None:
    response = ask(envelope(body))

    assert response.status_code == 200
    SCHEMA.assertValid(content(response))


def test_an_empty_text_is_distinguished_from_an_absent_one(ask: Ask) -> None:
    game = "<game><name>x</name><mature_content/></game>"
    created = content(ask(envelope(f"<CreateGame>{game}</CreateGame>")))
    game_id = created.findtext("g:id", namespaces=NAMES)
    read = content(ask(envelope(f"<ReadGame><id>{game_id}</id></ReadGame>")))

    assert read.findtext("g:game/g:mature_content", namespaces=NAMES) == ""
    assert read.find("g:game/g:url", NAMES) is None


def test_text_arrives_as_it_was_sent(ask: Ask) -> None:
    name = "a &lt;b&gt; &amp; c<!-- not a part --><![CDATA[ <d>]]> &#13;&#10; 遊戲"
    game = f"<game><name>{name}</name></game>"
    created = content(ask(envelope(f"<CreateGame>{game}<echo>1</echo></CreateGame>")))

    assert created.findtext("g:game/g:name", namespaces=NAMES) == "a <b> & c <d> \r\n 遊戲"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<Ping/><Ping/>",
        "<Dance/>",
        "<PingResponse><status>ok</status></PingResponse>",
        "<Ping xmlns='urn:another'/>",
        "<ReadGame/>",
        "<ReadGame><id></id></ReadGame>",
        "<ReadGame><id>a</id><id>b</id></ReadGame>",
        "<ListGames><limit>many</limit></ListGames>",
        "<CreateGame><game><name>x</name><original_price>INF</original_price></game></CreateGame>",
        "<CreateGame><game><name>x</name><original_price>NaN</original_price></game></CreateGame>",
        "<CreateGame><game><name>x</name><url>u</url></game></CreateGame>",
        "<CreateGame><game><name>x</name><id>mine</id></game></CreateGame>",
    ],
)
def test_a_wrong_body_gets_a_client_fault(ask: Ask, body: str) -> None:
    check_fault(ask(envelope(body)), "invalid")


@pytest.mark.parametrize(
    "request_text",
    [
        "",
        "no XML",
        "<a/>",
        b"\xff\xfe",
        envelope("<Ping/>").replace("schemas.xmlsoap.org", "elsewhere.example"),
        "<a>" * 100_000,
        '<!DOCTYPE a [<!ENTITY b "c">]>' + envelope("<ReadGame><id>&b;</id></ReadGame>"),
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'
        + envelope("<ReadGame><id>&b;</id></ReadGame>"),
    ],
)
def test_an_invalid_envelope_gets_a_client_fault(ask: Ask, request_text: str | bytes) -> None:
    check_fault(ask(request_text), "invalid")


def test_an_unknown_id_gets_a_client_fault(ask: Ask) -> None:
    check_fault(ask(envelope("<DeleteGame><id>nobody</id></DeleteGame>")), "not_found")


def test_an_endless_request_is_refused(ask: Ask) -> None:
    assert ask(envelope("<Ping>" + " " * 2_000_000 + "</Ping>")).status_code == 413


def check_fault(response: httpx.Response, kind: str) -> None:
    assert response.status_code == 500  # the status that SOAP 1.1 lays down for every fault
    fault = content(response)
    assert fault.tag == f"{{{NAMES['s']}}}Fault"
    assert fault.findtext("faultcode") == "soap:Client"
    assert fault.findtext("faultstring")
    (code,) = fault.find("detail")
    assert code.text == kind
    SCHEMA.assertValid(code)
