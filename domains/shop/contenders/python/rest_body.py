"""Bodies of REST: JSON, or messages of shop.proto where a client sends or accepts them."""

from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from typing import Any, TypeVar

import shop_pb2 as pb
from fastapi import Request, Response
from google.protobuf.message import DecodeError, Message
from pydantic import TypeAdapter, ValidationError

from checks import checked, is_no_json, refusal
from http_serving import TooLargeError, body_of
from plain import plain
from refusal import Kind, Refusal, told
from types_ import Input

PROTOBUF = "application/protobuf"
STATUS: dict[Kind, HTTPStatus] = {
    "not_found": HTTPStatus.NOT_FOUND,
    "invalid": HTTPStatus.UNPROCESSABLE_ENTITY,
    "unauthenticated": HTTPStatus.UNAUTHORIZED,
    "out_of_stock": HTTPStatus.CONFLICT,
    "payment_refused": HTTPStatus.PAYMENT_REQUIRED,
    "unavailable": HTTPStatus.SERVICE_UNAVAILABLE,
    "too_late": HTTPStatus.GATEWAY_TIMEOUT,
    "internal": HTTPStatus.INTERNAL_SERVER_ERROR,
}

InputT = TypeVar("InputT", bound=Input)


class UnreadableError(Exception):
    """A body is not what it says, or of a kind that nobody reads."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        self.status = status
        super().__init__(detail)


async def read(request: Request, form: type[InputT], message: type[Message]) -> InputT:
    """Read a body, as JSON or as a message of this type."""
    text = await body_of(request)
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media == PROTOBUF:
        try:
            values = plain(message.FromString(text))
        except DecodeError as error:
            raise UnreadableError(HTTPStatus.BAD_REQUEST, "the body is no such message") from error
        return checked(form, values)
    if media != "application/json":
        detail = f"a body is application/json or {PROTOBUF}"
        raise UnreadableError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, detail)
    try:
        return form.model_validate_json(text)
    except ValidationError as error:
        if is_no_json(error):
            detail = "the body is not JSON"
            raise UnreadableError(HTTPStatus.BAD_REQUEST, detail) from error
        raise refusal(error) from error


@cache
def _writer(form: Any) -> TypeAdapter[Any]:
    return TypeAdapter(form)


def reply(
    request: Request,
    value: Any,
    form: Any,
    message: Callable[[Any], Message],
    *,
    under: str = "",
    status: int = 200,
) -> Response:
    """Answer a value of a type, in a JSON object under a name if it is a list."""
    if request.headers.get("accept", "").startswith(PROTOBUF):
        return Response(message(value).SerializeToString(), status, media_type=PROTOBUF)
    text = _writer(form).dump_json(value, by_alias=True, exclude_none=True)
    if under:
        text = b'{"%b":%b}' % (under.encode(), text)
    return Response(text, status, media_type="application/json")


def reply_id(request: Request, id: int) -> Response:
    """Answer the id that is free now."""
    return reply(request, id, int, lambda it: pb.Id(id=it), under="id")


async def problem(_: Request, error: Exception) -> Response:
    """Say what went wrong as in RFC 9457."""
    if isinstance(error, UnreadableError):
        status, detail = error.status, str(error)
    elif isinstance(error, TooLargeError):
        status, detail = HTTPStatus.REQUEST_ENTITY_TOO_LARGE, error.detail
    else:
        refused: Refusal = told(error)
        status, detail = STATUS[refused.kind], refused.detail
    said = {"title": status.phrase, "status": status.value, "detail": detail}
    text = _writer(dict).dump_json(said)
    return Response(text, status.value, media_type="application/problem+json")
