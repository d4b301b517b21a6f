"""The games over GraphQL: one endpoint that takes POST with JSON."""

from functools import lru_cache
from os import environ
from typing import Any

from flask import Flask, request
from flask.typing import ResponseReturnValue
from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLError,
    GraphQLSyntaxError,
    execute_sync,
    parse,
    validate,
)
from werkzeug.exceptions import BadRequest, HTTPException

from game import Refusal
from graphql_schema import schema
from store import open_store

LARGEST_BODY_BYTES = 1024 * 1024
CACHED_DOCUMENTS = 1000
CODE = {"not_found": "NOT_FOUND", "invalid": "BAD_USER_INPUT"}


@lru_cache(int(environ.get("GAMES_CACHED_DOCUMENTS", CACHED_DOCUMENTS)))
def document_of(query: str) -> tuple[DocumentNode | None, list[GraphQLError]]:
    """Parse and validate a document; one that comes again is known."""
    try:
        document = parse(query)
    except GraphQLError as error:
        return None, [error]
    return document, validate(schema.graphql_schema, document)


def create_app() -> Flask:
    """Connect to the store and serve the schema."""
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY_BYTES
    app.json.sort_keys = False  # GraphQL answers in the order of the question
    context = {"store": open_store(environ["WIRELAB_STORE_URL"])}

    @app.post("/graphql")
    def execute() -> ResponseReturnValue:
        query, variables, operation_name = _asked(request.get_json())
        document, errors = document_of(query)
        if document is None or errors:
            result = ExecutionResult(None, errors)
        else:
            result = execute_sync(
                schema.graphql_schema,
                document,
                context_value=context,
                variable_values=variables,
                operation_name=operation_name,
            )
        answer: dict[str, Any] = {}
        if result.errors:
            answer["errors"] = [_formatted(error) for error in result.errors]
        if result.data is not None or not result.errors:
            answer["data"] = result.data
        return answer

    def _formatted(error: GraphQLError) -> dict[str, Any]:
        formatted: dict[str, Any] = {**error.formatted}
        cause = error.original_error
        if isinstance(cause, Refusal):
            code = CODE[cause.kind]
        elif isinstance(error, GraphQLSyntaxError):
            code = "GRAPHQL_PARSE_FAILED"
        elif error.path is None:
            code = "GRAPHQL_VALIDATION_FAILED"
        else:
            app.logger.error("%s failed", error.path, exc_info=cause)
            code = "INTERNAL_SERVER_ERROR"
            formatted["message"] = "something went wrong inside the server"
        return {**formatted, "extensions": {"code": code}}

    @app.errorhandler(RecursionError)
    def too_deep(_: RecursionError) -> ResponseReturnValue:
        return _request_error("the request is nested too deeply"), 400

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> ResponseReturnValue:
        return _request_error(error.description), error.code or 500

    return app


def _asked(body: object) -> tuple[str, dict[str, Any] | None, str | None]:
    """Take query, variables and operation name out of a GraphQL-over-HTTP request."""
    if not isinstance(body, dict):
        raise BadRequest("the body must be a JSON object")
    query, variables = body.get("query"), body.get("variables")
    operation_name = body.get("operationName")
    if not isinstance(query, str):
        raise BadRequest("query must be a string")
    if not isinstance(variables, dict | None):
        raise BadRequest("variables must be an object")
    if not isinstance(operation_name, str | None):
        raise BadRequest("operationName must be a string")
    return query, variables, operation_name


def _request_error(message: str | None) -> dict[str, Any]:
    return {"errors": [{"message": message, "extensions": {"code": "BAD_REQUEST"}}]}
