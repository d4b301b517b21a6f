"""GraphQL documents with literals instead of variables, as anonymous queries."""

from collections.abc import Mapping
from typing import Any

from graphql import (
    GraphQLInputType,
    GraphQLSchema,
    Node,
    NullValueNode,
    OperationDefinitionNode,
    ValueNode,
    VariableNode,
    Visitor,
    ast_from_value,
    parse,
    parse_const_value,
    print_ast,
    type_from_ast,
    visit,
)


def inlined(
    document: str,
    variables: Mapping[str, object],
    schema: GraphQLSchema,
    spelled: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """Return the document with each variable replaced by its value, as a literal of its type.

    If `spelled` has a literal for a variable's value, that is used. The operation's name and its
    declarations of variables are removed.
    """
    parsed = parse(document)
    declared = {
        definition.variable.name.value: type_from_ast(schema, definition.type)
        for operation in parsed.definitions
        if isinstance(operation, OperationDefinitionNode)
        for definition in operation.variable_definitions or ()
    }
    literals = {
        name: _literal(variables.get(name), kind, (spelled or {}).get(name, {}))
        for name, kind in declared.items()
        if kind
    }
    return print_ast(visit(parsed, _Inline(literals)))


def _literal(value: object, kind: Any, spelled: Mapping[str, str]) -> ValueNode:
    if isinstance(value, str) and value in spelled:
        return parse_const_value(spelled[value])
    typed: GraphQLInputType = kind
    return ast_from_value(value, typed) or NullValueNode()


class _Inline(Visitor):
    """Replaces variables by literals, and removes their declarations."""

    def __init__(self, literals: Mapping[str, ValueNode]) -> None:
        super().__init__()
        self._literals = literals

    def enter_operation_definition(
        self, node: OperationDefinitionNode, *_: object
    ) -> OperationDefinitionNode:
        """Make the operation anonymous and without variables."""
        removed = {"name": None, "variable_definitions": ()}
        return OperationDefinitionNode(**{key: getattr(node, key) for key in node.keys} | removed)

    def enter_variable(self, node: VariableNode, *_: object) -> Node:
        """Return the literal."""
        return self._literals[node.name.value]
