"""What caches may keep, and who has it already (RFC 9111, 9110)."""

from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

AGE_S = 2
"""For how long an answer may be kept."""


def kept(request: Request, response: Response) -> Response:
    """Let caches keep an answer to GET that succeeded; tell who has it that it still holds."""
    if request.method != "GET" or response.status_code != 200:
        return response
    tag = f'"{sha256(bytes(response.body)).hexdigest()}"'
    headers = {"cache-control": f"public, max-age={AGE_S}", "etag": tag}
    known = request.headers.get("if-none-match", "").split(",")
    if any(each.strip().removeprefix("W/") in {tag, "*"} for each in known):
        return Response(status_code=304, headers=headers)
    response.headers.update(headers)
    return response
