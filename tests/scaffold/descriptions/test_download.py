"""Descriptions from servers that send too much, too slowly, or something else."""

import gzip
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.http_server import QuietHandler, http_server
from tests.support.wording import raises_worded
from wirelab.errors import LabError
from wirelab.scaffold.access import NO_OPTIONS
from wirelab.scaffold.descriptions import download
from wirelab.scaffold.descriptions.download import INSTEAD
from wirelab.scaffold.descriptions.sources import described, fetch_description

OPENAPI = b"openapi: 3.0.3\npaths: { /a: { get: { responses: {} } } }\n"
HEAD = b"HTTP/1.1 200 OK\r\n"


@contextmanager
def sending(first: bytes, then: bytes = b"", pause_s: float = 0.0) -> Iterator[str]:
    """Serve `first`, and then `then` until the client closes the connection; yield the URL."""

    class Handler(QuietHandler):
        def handle_any(self) -> None:
            self.wfile.write(first)
            try:
                while then:
                    self.wfile.write(then)
                    time.sleep(pause_s)
            except OSError:
                pass

        do_GET = do_POST = handle_any

    with http_server(Handler) as address:
        yield f"http://{address}/api"


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (HEAD + b"\r\n", b"#" * 65_536),
        (HEAD + b"content-encoding: gzip\r\n\r\n" + gzip.compress(bytes(2**21)), b""),
    ],
    ids=["endless", "compressed"],
)
@pytest.mark.parametrize("protocol", ["rest", "graphql", "soap"])
def test_a_body_without_end_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: str, first: bytes, then: bytes
) -> None:
    monkeypatch.setattr(download, "LARGEST_BYTES", 2**20)
    with sending(first, then) as url, pytest.raises(LabError) as error:
        described(protocol, url, tmp_path)

    assert error.value.what.startswith(f"cannot read {url}: ")
    assert "1,048,576 bytes" in error.value.what
    assert error.value.hint == INSTEAD
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("first", [HEAD, HEAD + b"\r\n"], ids=["headers", "body"])
def test_a_server_that_never_completes_its_answer_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: bytes
) -> None:
    """Each byte is in time for itself."""
    monkeypatch.setattr(download, "LONGEST_S", 0.5)
    with sending(first, b"a", pause_s=0.05) as url, raises_worded(LabError):
        described("rest", url, tmp_path)


@pytest.mark.parametrize(
    "first",
    [
        b"HTTP/1.1 302 Found\r\nlocation: /api\r\n\r\n",
        HEAD + b"content-encoding: br\r\n\r\n",
        HEAD + b"content-encoding: gzip\r\n\r\n" + OPENAPI,
        b"HTTP/1.1 404 Not Found\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    ],
    ids=["redirects", "brotli", "no gzip", "not found", "no HTTP"],
)
def test_what_is_no_description_is_one_clear_message(tmp_path: Path, first: bytes) -> None:
    with sending(first) as url, raises_worded(LabError):
        described("rest", url, tmp_path)


def test_a_redirect_with_a_body_without_end_is_followed(tmp_path: Path) -> None:
    with sending(HEAD + b"content-encoding: gzip\r\n\r\n" + gzip.compress(OPENAPI)) as there:
        head = f"HTTP/1.1 302 Found\r\nlocation: {there}\r\n\r\n"
        with sending(head.encode(), b"#" * 65_536) as url:
            interface, file = described("rest", url, tmp_path)

    assert [offer.name for offer in interface.offers] == ["get_a"]
    assert file.read_bytes() == OPENAPI


def test_the_encoding_that_a_document_declares_is_kept(tmp_path: Path) -> None:
    declared = "<?xml version='1.0' encoding='ISO-8859-1'?>\n<!-- Gr\u00fc\u00dfe -->".encode(
        "latin-1"
    )
    with sending(HEAD + b"\r\n" + declared) as url:
        file = fetch_description("soap", url, tmp_path, "", NO_OPTIONS)

    assert file.read_bytes() == declared
