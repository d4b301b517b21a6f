"""The form of the responses to a GraphQL document."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLList,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    get_nullable_type,
    is_composite_type,
    is_enum_type,
)

from wirelab.protocol.answer_shape import Fields, Items, Shape, Single, single, unknown
from wirelab.protocol.descriptions.graphql_kinds import OF_SCALAR

TYPENAME = "__typename"


def shape_of(
    schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, name: str
) -> Shape:
    """Return the form of the response to an operation of a document; `name` is that of its file.

    Fields that the schema lacks are left open: they are another mistake.
    """
    fragments = {
        each.name.value: each
        for each in document.definitions
        if isinstance(each, FragmentDefinitionNode)
    }
    selected = _Selected(schema, fragments, f"a field that {name} selects")
    root = schema.get_root_type(operation.operation)
    data = partial(selected.shape, root, [operation.selection_set])
    return Fields("a key of the response", {"data": data, "extensions": unknown})


class _Selected:
    """What a document selects of the types of a schema."""

    def __init__(
        self, schema: GraphQLSchema, fragments: Mapping[str, FragmentDefinitionNode], what: str
    ) -> None:
        self.schema = schema
        self.fragments = fragments
        self.what = what

    def shape(self, type_: object, selections: Sequence[SelectionSetNode]) -> Shape:
        """Return the form of a value of a type with these selections."""
        plain = get_nullable_type(type_)  # type: ignore[call-overload]
        if isinstance(plain, GraphQLList):
            return Items(partial(self.shape, plain.of_type, selections))
        if not is_composite_type(plain):
            known = is_enum_type(plain) or getattr(plain, "name", "") in OF_SCALAR
            return Single() if known else None
        selected: dict[str, list[tuple[object, FieldNode]]] = {}
        for each in selections:
            for parent, node in self.fields(plain, each, frozenset()):
                key = (node.alias or node.name).value
                selected.setdefault(key, []).append((parent, node))
        return Fields(
            self.what, {key: partial(self.field, nodes) for key, nodes in selected.items()}
        )

    def fields(
        self, parent: object, selections: SelectionSetNode, seen: frozenset[str]
    ) -> Iterator[tuple[object, FieldNode]]:
        """Yield the selected fields, also those of fragments, each with the type that has it."""
        for node in selections.selections:
            if isinstance(node, FieldNode):
                yield parent, node
                continue
            inner: InlineFragmentNode | FragmentDefinitionNode | None = None
            if isinstance(node, InlineFragmentNode):
                inner = node
            elif isinstance(node, FragmentSpreadNode) and node.name.value not in seen:
                inner = self.fragments.get(node.name.value)
                seen |= {node.name.value}
            if inner is not None:
                condition = inner.type_condition
                of = self.schema.type_map.get(condition.name.value) if condition else parent
                yield from self.fields(of, inner.selection_set, seen)

    def field(self, selected: Sequence[tuple[object, FieldNode]]) -> Shape:
        """Return the form of a field that may be selected several times."""
        parent, first = selected[0]
        if first.name.value == TYPENAME:
            return single()
        declared: GraphQLField | None = getattr(parent, "fields", {}).get(first.name.value)
        sets = [node.selection_set for _, node in selected if node.selection_set]
        return None if declared is None else self.shape(declared.type, sets)
