"""The pieces of the domain agree: three descriptions, the tables, the reference, the settings."""

import re

import pytest

from tests.shop.clients import REST
from tests.shop.standing import CONTENDERS, OWN, SHOP
from tests.support.described import (
    assert_documents_are_valid,
    fields_in_graphql,
    fields_in_openapi,
    fields_in_proto,
)
from wirelab.domain import Dataset, Reference, Refused

SAME = (
    "Product", "ProductInput", "Review", "ReviewInput", "User", "Address", "AddressInput",
    "NewUser", "UserInput", "Session", "Shipping", "Order", "Payment", "OrderLine", "ProductEvent",
)  # fmt: skip
NOT_EVERYWHERE = {
    "watch_products": {"rest", "grpc"},
    "count_stock": {"grpc"},
    "quote_wishes": {"grpc"},
    "list_summaries": {"rest", "graphql", "grpc"},
}
"""Streams, of which GraphQL would take a subscription for the first; and a part of a list."""
STACKS = {"go": "rest-chi", "node": "rest-express", "python": "rest-fastapi", "rust": "rest-axum"}


@pytest.mark.parametrize("name", SAME)
def test_every_interface_has_the_same_fields_in_the_same_order(name: str) -> None:
    fields = fields_in_openapi(SHOP.folder, name)
    in_graphql = fields_in_graphql(SHOP.folder, name)

    assert list(fields_in_proto(SHOP.folder, name)) == fields
    assert [each for each in in_graphql if (name, each) != ("User", "orders")] == fields


def test_every_operation_is_bound_to_every_protocol_and_known_to_the_tests() -> None:
    for name, operation in SHOP.operations.items():
        assert set(operation.bindings) == NOT_EVERYWHERE.get(
            name, {"rest", "graphql", "grpc", "mcp"}
        ), name
    assert SHOP.operations.keys() - NOT_EVERYWHERE == set(REST)


def test_every_document_is_valid() -> None:
    in_graphql = [each for each in SHOP.operations.values() if "graphql" in each.bindings]
    assert_documents_are_valid(SHOP.folder, len(in_graphql))


def test_the_error_cases_are_errors_to_the_reference_which_they_leave_unchanged(
    dataset: Dataset, reference: Reference
) -> None:
    before = reference.call("read_product", {"id": 1})
    cases = 0
    for operation in SHOP.operations.values():
        for case in operation.errors:
            [drawn] = dataset.draw(operation, 1, 1, case.parameters)
            with pytest.raises(Refused) as refused:
                reference.call(operation.name, drawn)
            assert refused.value.kind == case.refusal, (operation.name, case.parameters)
            cases += 1
    assert cases == 58
    assert reference.call("read_product", {"id": 1}) == before


@pytest.mark.parametrize("stack", STACKS)
def test_the_build_names_every_file_that_goes_into_it(stack: str) -> None:
    contender = CONTENDERS[STACKS[stack]]
    endings = {"go": "*.go", "node": "src/*.ts", "python": "generate_stubs.py", "rust": "src/*.rs"}
    kept = contender.folder.rglob(endings[stack])
    sources = {str(path.relative_to(contender.folder)) for path in kept}

    assert sources <= set(contender.build.inputs)
    assert "../../shop.proto" in contender.build.inputs or stack == "node"


def lines(stack: str, *patterns: str) -> int:
    folder = CONTENDERS[STACKS[stack]].folder
    found = [path for pattern in patterns for path in folder.glob(pattern)]
    assert found
    return sum(len(path.read_text().splitlines()) for path in found)


@pytest.mark.parametrize(
    ("stack", "patterns"),
    [
        ("go", ["rest/server.go"]),
        ("go", ["graph/resolvers.go", "graph/server.go"]),
        ("go", ["rpc/services.go", "rpc/grpc.go"]),
        ("go", ["rpc/services.go", "rpc/connect.go"]),
        ("go", ["tools/server.go", "tools/tools.go"]),
        ("node", ["src/rest.ts", "src/rest.body.ts"]),
        ("node", ["src/graphql.ts", "src/graphql.resolvers.ts"]),
        ("node", ["src/grpc.ts"]),
        ("node", ["src/mcp.ts", "src/mcp.tools.ts"]),
        ("node", ["src/fastify.ts", "src/fastify.rest.ts", "src/rest.body.ts"]),
        ("node", ["src/fastify.ts", "src/mercurius.ts", "src/graphql.resolvers.ts"]),
        ("python", ["rest_server.py"]),
        ("python", ["strawberry_*.py"]),
        ("python", ["graphene_schema.py"]),
        ("python", ["grpc_server.py"]),
        ("python", ["mcp_server.py", "mcp_tools.py"]),
        ("rust", ["src/rest.rs", "src/rest_body.rs"]),
        ("rust", ["src/graph.rs", "src/graph_server.rs"]),
        ("rust", ["src/rpc.rs"]),
    ],
)
def test_a_contenders_own_code_is_short(stack: str, patterns: list[str]) -> None:
    """Some 250 lines for 33 operations, and 390 where types are written in code.

    Streams, bodies and calls to peers are modules of their own.
    """
    assert lines(stack, *patterns) <= 390


def test_the_locks_name_no_registry() -> None:
    package_lock = (CONTENDERS["rest-express"].folder / "package-lock.json").read_text()
    requirements = (CONTENDERS["rest-fastapi"].folder / "requirements.txt").read_text()

    assert '"integrity"' in package_lock
    assert '"resolved"' not in package_lock
    assert "--hash=sha256:" in requirements
    assert "--index-url" not in requirements


POOL_SIZE = {
    "go": ("main.go", r"poolSize\s+= (\d+)"),
    "node": ("src/store.ts", r"POOL_SIZE = (\d+)"),
    "python": ("store.py", r"POOL_SIZE = (\d+)"),
    "strawberry": ("../python/store.py", r"POOL_SIZE = (\d+)"),
    "rust": ("src/store.rs", r"POOL_SIZE: usize = (\d+)"),
}


@pytest.mark.parametrize("name", OWN)
def test_the_declared_settings_are_the_ones_in_force(name: str) -> None:
    contender = CONTENDERS[name]
    file, pattern = POOL_SIZE[contender.stack]
    found = re.search(pattern, (contender.folder / file).read_text())

    assert found
    assert contender.settings["pool_size"] == int(found[1])


COST = {
    "go": "shop/credentials.go",
    "node": "src/credentials.ts",
    "python": "credentials.py",
    "rust": "src/credentials.rs",
}


@pytest.mark.parametrize("stack", COST)
def test_a_password_costs_the_same_in_every_stack_and_in_the_data(
    stack: str, dataset: Dataset
) -> None:
    source = (CONTENDERS[STACKS[stack]].folder / COST[stack]).read_text()
    found = re.search(r"PASSWORD_?COST(?:: u32)? = (\d+)", source, re.IGNORECASE)
    with dataset.csv_paths["user"].open() as rows:
        kept = next(rows)

    assert found
    assert f"$pbkdf2-sha256$i={found[1]}$" in kept
