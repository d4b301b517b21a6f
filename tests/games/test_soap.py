"""SOAP 1.1: envelopes written by hand, answers held against the schema of the WSDL."""

from collections.abc import Callable, Iterator

import httpx
import pytest

from tests.games.catalogue import Game
from tests.games.standing import GAMES
from tests.support.described import Soap
from tests.support.plain_http import client_of
from tests.support.standing import Named

SOAP = Soap(GAMES.folder / "games.wsdl", "urn:wirelab:games:v1")
NAMES = SOAP.names
Ask = Callable[[str | bytes], httpx.Response]
envelope, content = SOAP.envelope, SOAP.content


@pytest.fixture
def ask(contender_named: Named, games: list[Game]) -> Iterator[Ask]:
    headers = {"content-type": "text/xml; charset=utf-8", "soapaction": '""'}
    with client_of(contender_named("soap-lxml").address) as http:
        yield lambda envelope: http.post("/soap", content=envelope, headers=headers)


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
    SOAP.schema.assertValid(content(response))


def test_an_empty_text_is_distinguished_from_an_absent_one(ask: Ask) -> None:
    game = "<game><name>x</name><mature_content/></game>"
    created = content(ask(envelope(f"<CreateGame>{game}</CreateGame>")))
    game_id = created.findtext("d:id", namespaces=NAMES)
    read = content(ask(envelope(f"<ReadGame><id>{game_id}</id></ReadGame>")))

    assert read.findtext("d:game/d:mature_content", namespaces=NAMES) == ""
    assert read.find("d:game/d:url", NAMES) is None


def test_text_arrives_as_it_was_sent(ask: Ask) -> None:
    name = "a &lt;b&gt; &amp; c<!-- not a part --><![CDATA[ <d>]]> &#13;&#10; 遊戲"
    game = f"<game><name>{name}</name></game>"
    created = content(ask(envelope(f"<CreateGame>{game}<echo>1</echo></CreateGame>")))

    assert created.findtext("d:game/d:name", namespaces=NAMES) == "a <b> & c <d> \r\n 遊戲"


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
    SOAP.assert_fault(ask(envelope(body)), "invalid")


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
    SOAP.assert_fault(ask(request_text), "invalid")


def test_an_unknown_id_gets_a_client_fault(ask: Ask) -> None:
    SOAP.assert_fault(ask(envelope("<DeleteGame><id>nobody</id></DeleteGame>")), "not_found")


def test_an_endless_request_is_refused(ask: Ask) -> None:
    assert ask(envelope("<Ping>" + " " * 2_000_000 + "</Ping>")).status_code == 413
