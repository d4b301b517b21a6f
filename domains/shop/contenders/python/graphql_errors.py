"""What goes wrong in GraphQL: codes beside the message, details only for what clients may know."""

from typing import Any

from graphql import GraphQLError, GraphQLSyntaxError

from refusal import Refusal, told

CODES = {
    "not_found": "NOT_FOUND",
    "invalid": "BAD_USER_INPUT",
    "unauthenticated": "UNAUTHENTICATED",
    "out_of_stock": "CONFLICT",
    "payment_refused": "CONFLICT",
    "unavailable": "SERVICE_UNAVAILABLE",
    "too_late": "DEADLINE_EXCEEDED",
    "internal": "INTERNAL_SERVER_ERROR",
}


def coded(error: Exception) -> GraphQLError:
    """Return an error with its code, for what formats errors itself."""
    refused = told(error)
    extensions = {"code": CODES[refused.kind], "reason": refused.kind}
    return GraphQLError(refused.detail, extensions=extensions)


def answer_of(error: Exception) -> dict[str, Any]:
    """Return the answer to a request that came to nothing as a whole."""
    return {"data": None, "errors": [coded(error).formatted]}


def formatted(error: GraphQLError) -> dict[str, Any]:
    """Return an error as it is answered."""
    answer: dict[str, Any] = {**error.formatted}
    cause = error.original_error
    if isinstance(cause, Exception) and not isinstance(cause, GraphQLError):
        refused: Refusal = told(cause)
        code = CODES[refused.kind]
        return {
            **answer,
            "message": refused.detail,
            "extensions": {"code": code, "reason": refused.kind},
        }
    code = "GRAPHQL_VALIDATION_FAILED"
    if isinstance(error, GraphQLSyntaxError):
        code = "GRAPHQL_PARSE_FAILED"
    elif error.path is not None:
        code = "INTERNAL_SERVER_ERROR"
    return {**answer, "extensions": {"code": code}}
