"""The games over SOAP 1.1, document/literal: games.wsdl is served, and enforced."""

from copy import deepcopy
from os import environ
from pathlib import Path

from flask import Flask, Response, request
from lxml import etree

from game import FIELDS, LIST_FIELDS, Document, Refusal, RefusalKind, game_from, id_from, limit_from
from store import Store, open_store

INTERFACE = Path(__file__).resolve().parents[2] / "games.wsdl"
LARGEST_BODY_BYTES = 1024 * 1024
SOAP = "{http://schemas.xmlsoap.org/soap/envelope/}"
GAMES = "{urn:wirelab:games:v1}"
SOAP_PREFIX = {"soap": SOAP[1:-1]}
NO_PREFIX = {None: GAMES[1:-1]}


def create_app() -> Flask:
    """Connect to the store, load the schema and serve the one endpoint."""
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY_BYTES
    store = open_store(environ["WIRELAB_STORE_URL"])
    wsdl = etree.parse(INTERFACE)
    schema = etree.XMLSchema(wsdl.find(".//{http://www.w3.org/2001/XMLSchema}schema"))

    @app.get("/soap")
    def interface() -> Response:
        described = deepcopy(wsdl)
        address = described.find(".//{http://schemas.xmlsoap.org/wsdl/soap/}address")
        address.set("location", request.base_url)
        return Response(etree.tostring(described, encoding="utf-8"), mimetype="text/xml")

    @app.post("/soap")
    def call() -> Response:
        envelope = request.get_data()
        try:
            return _reply(answer(store, _asked(envelope, schema)))
        except Refusal as refusal:
            return _fault("Client", refusal.detail, refusal.kind)
        except Exception:
            app.logger.exception("a call failed")
            return _fault("Server", "something went wrong inside the server")

    return app


def answer(store: Store, asked: etree._Element) -> etree._Element:
    """Carry out the operation that the element in the body names."""
    operation = etree.QName(asked).localname
    response = etree.Element(f"{GAMES}{operation}Response", nsmap=NO_PREFIX)
    match operation:
        case "Ping":
            _add(response, "status", "ok")
        case "CreateGame":
            game = store.create(_game(asked))
            if asked.findtext(f"{GAMES}echo") in {"true", "1"}:
                _add_game(response, "game", game)
            else:
                _add(response, "id", game["id"])
        case "ReadGame":
            _add_game(response, "game", store.read(_id(asked)))
        case "UpdateGame":
            _add_game(response, "game", store.update(_id(asked), _game(asked)))
        case "DeleteGame":
            store.delete(_id(asked))
            _add(response, "id", _id(asked))
        case "ListGames":
            limit = limit_from(int(asked.findtext(f"{GAMES}limit")))
            for game in store.list(limit):
                _add_game(response, "games", game)
        case _:
            raise Refusal("invalid", f"{operation} is not an operation")
    return response


def _asked(envelope: bytes, schema: etree.XMLSchema) -> etree._Element:
    """Take the one element out of the body, and hold it against the schema."""
    # A parser of our own for each envelope: threads that share one wait for each other.
    parser = etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(envelope, parser)
    except etree.XMLSyntaxError as error:
        raise Refusal("invalid", f"the request is not XML: {error}") from error
    if root.getroottree().docinfo.doctype:
        raise Refusal("invalid", "SOAP allows no document type declaration")
    body = root.find(f"{SOAP}Body") if root.tag == f"{SOAP}Envelope" else None
    if body is None or len(body) != 1:
        raise Refusal("invalid", "expected a SOAP 1.1 envelope with one element in its body")
    try:
        schema.assertValid(body[0])
    except etree.DocumentInvalid as error:
        raise Refusal("invalid", str(error)) from error
    return body[0]


def _id(asked: etree._Element) -> str:
    return id_from(asked.findtext(f"{GAMES}id"))


def _game(asked: etree._Element) -> Document:
    game: Document = {}
    for field in asked.find(f"{GAMES}game"):
        name, text = etree.QName(field).localname, field.text or ""
        if name in LIST_FIELDS:
            game.setdefault(name, []).append(text)
        else:
            game[name] = text
    return game_from(game, strict=False)


def _add_game(parent: etree._Element, name: str, game: Document) -> None:
    element = etree.SubElement(parent, f"{GAMES}{name}")
    for field in FIELDS:
        value = game.get(field)
        if field in LIST_FIELDS:
            for item in value or ():
                _add(element, field, item)
        elif value is not None:
            _add(element, field, str(value))


def _add(parent: etree._Element, name: str, text: str) -> None:
    etree.SubElement(parent, f"{GAMES}{name}").text = text


def _reply(content: etree._Element, status: int = 200) -> Response:
    envelope = etree.Element(f"{SOAP}Envelope", nsmap=SOAP_PREFIX)
    etree.SubElement(envelope, f"{SOAP}Body").append(content)
    text = etree.tostring(envelope, encoding="utf-8", xml_declaration=True)
    return Response(text, status, mimetype="text/xml")


def _fault(side: str, message: str, kind: RefusalKind | None = None) -> Response:
    """Answer with a Fault; SOAP 1.1 over HTTP sends every Fault with status 500."""
    fault = etree.Element(f"{SOAP}Fault", nsmap=SOAP_PREFIX)
    etree.SubElement(fault, "faultcode").text = f"soap:{side}"
    etree.SubElement(fault, "faultstring").text = message
    if kind is not None:
        detail = etree.SubElement(fault, "detail")
        etree.SubElement(detail, f"{GAMES}code", nsmap=NO_PREFIX).text = kind
    return _reply(fault, 500)
