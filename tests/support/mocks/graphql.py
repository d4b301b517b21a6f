"""A GraphQL server out of a schema: graphql-core executes, every field is made up."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLResolveInfo,
    GraphQLSchema,
    build_client_schema,
    build_schema,
    get_named_type,
    graphql_sync,
    is_abstract_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    specified_directives,
)

from tests.support.mocks import dice
from tests.support.mocks.http import answering


@contextmanager
def serving(description: Path) -> Iterator[str]:
    """Serve a schema, or the answer to an introspection query; yield the address."""
    schema = _schema(description)

    def answer(method: str, target: str, sent: bytes) -> tuple[int, str, bytes]:
        request = json.loads(sent)
        done = graphql_sync(
            schema,
            request["query"],
            root_value=(),
            variable_values=request.get("variables"),
            field_resolver=_resolve,
            type_resolver=lambda value, info, kind: schema.get_possible_types(kind)[0].name,
        )
        return 200, "application/json", json.dumps(done.formatted).encode()

    with answering(answer) as address:
        yield address


def _schema(description: Path) -> GraphQLSchema:
    written = description.read_text()
    if description.suffix == ".json":
        answered = json.loads(written)
        schema = build_client_schema(answered.get("data", answered), assume_valid=True)
    else:
        schema = build_schema(written, assume_valid=True, assume_valid_sdl=True)
    # Without additional directives, such as @defer, which graphql-core does not execute.
    whole = schema.to_kwargs()
    return GraphQLSchema(
        **{**whole, "directives": specified_directives, "assume_valid": True}  # type: ignore[arg-type]
    )


def _resolve(source: tuple[object, ...], info: GraphQLResolveInfo[Any], **arguments: Any) -> object:
    """Invent a field; its path is passed down."""
    place = (*source, *sorted(arguments.items()), info.field_name)
    return _value(info.return_type, place)


def _value(kind: Any, place: tuple[object, ...]) -> object:
    inner = kind.of_type if is_non_null_type(kind) else kind
    if is_list_type(inner):
        return [_value(inner.of_type, (*place, number)) for number in range(dice.ITEMS)]
    named = get_named_type(inner)
    if not is_leaf_type(named):
        assert is_abstract_type(named) or named.fields
        return place
    if isinstance(named, GraphQLEnumType):
        return list(named.values)[dice.number(*place) % len(named.values)]
    number = dice.number(*place)
    plain = {"Int": number, "Float": number / 8, "Boolean": number % 2 == 0}
    return plain.get(named.name, dice.text(*place))
