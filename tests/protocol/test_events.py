"""Server-sent events: what streams says so, and its answer is the list of the events' data."""

import pytest

from wirelab.protocol import Answer, Refusal, WireReply
from wirelab.protocol.rest import RestCodec, RestRequest


def events(text: str, form: str = "text/event-stream") -> Answer | Refusal:
    template = RestRequest(method="GET", path="/events", content="events", answer="")
    rest = RestCodec("/", "camel")
    body = text.encode(errors="surrogateescape")
    return rest.decode_reply(template, WireReply(200, (("content-type", form),), body))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_answer_of_a_stream_of_events_is_the_list_of_their_data(end: str) -> None:
    lines = (
        ": nothing but a comment", "",
        "id: 1", 'data: {"readCount":1,', 'data:"tags":[]}', "",
        "event: other", 'data: {"readCount":2}', "", "",
    )  # fmt: skip

    answer = events(end.join(lines), "text/event-stream; charset=utf-8")

    assert answer == Answer([{"read_count": 1, "tags": []}, {"read_count": 2}])
    assert events("") == Answer([])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\ufeffdata: 1\n\ndata: 2\n\n", [1, 2]),
        ("\ufeffdata:1\r\n\r\ndata: 2\r\n\r\n", [1, 2]),
        ("data: 1\n\n\ufeffdata: 2\n\n", [1]),
        ("data: 1\n\ndata: 2\n", [1]),
        ("data: 1\n\ndata: 2", [1]),
        ("dataset: 1\n\ndata: 2\n\n", [2]),
    ],
)
def test_events_are_those_of_the_specification(text: str, expected: list[int]) -> None:
    assert events(text) == Answer(expected)


def test_invalid_events_are_unreadable() -> None:
    for text, form, why in (
        ("[]", "application/json", "the body's media type is application/json"),
        ("data: {}\n\ndata: {\n\n", "text/event-stream", "the data of event 2 is not JSON"),
        ('data: "\udcff"\n\n', "text/event-stream", "the data of event 1 is not JSON"),
    ):
        refused = events(text, form)
        assert isinstance(refused, Refusal)
        assert refused.kind == "unreadable"
        assert refused.detail.startswith(why)


def test_streams_are_marked_as_such() -> None:
    template = RestRequest(method="GET", path="/events", content="events")
    request = RestCodec("/", "snake").encode_request(template, {})

    assert request.stream
    assert request.headers == (("accept", "text/event-stream"),)
