"""The pieces of the domain agree: three descriptions, the tables, the reference, the settings."""

import re

import pytest

from tests.bank.standing import BANK, CONTENDERS, MOVEMENTS
from tests.support.described import (
    fields_in_graphql,
    fields_in_openapi,
    fields_in_proto,
    refused_as_declared,
)
from wirelab.domain import Dataset, Reference

ROW = ["account_id", "booked_on", "kind", "amount_cents", "reference", "description"]
FIELDS = {
    "Movement": ["id", *ROW, "account"],
    "MovementInput": ROW,
    "Account": ["id", "customer_id", "number", "kind", "opened_on", "customer"],
    "Customer": ["id", "name", "email", "city", "since"],
}


@pytest.mark.parametrize("name", FIELDS)
def test_every_interface_has_the_same_fields_in_the_same_order(name: str) -> None:
    assert fields_in_openapi(BANK.folder, name) == FIELDS[name]
    assert fields_in_graphql(BANK.folder, name) == FIELDS[name]
    assert list(fields_in_proto(BANK.folder, name)) == FIELDS[name]


@pytest.mark.parametrize("table", ["movement", "account", "customer"])
def test_the_generated_rows_are_what_the_interfaces_describe(table: str, dataset: Dataset) -> None:
    related = {"account", "customer"}
    described = [name for name in FIELDS[table.capitalize()] if name not in related]

    assert {tuple(row) for row in dataset.tables[table]} == {tuple(described)}


def test_n_records_are_n_movements_on_the_same_accounts(dataset: Dataset) -> None:
    assert {table: len(rows) for table, rows in dataset.tables.items()} == {
        "movement": MOVEMENTS,
        "account": 10_000,
        "customer": 6_000,
    }
    accounts = {row["id"] for row in dataset.tables["account"]}
    assert {row["account_id"] for row in dataset.new_rows["movement"]} <= accounts
    assert len(dataset.new_rows["movement"]) == 10_000
    assert dataset.new_rows["account"] == dataset.new_rows["customer"] == []


def test_the_reference_refuses_what_the_domain_declares_as_refused(reference: Reference) -> None:
    usual: dict[str, object] = {"id": 1, "records": 3, "movements": []}

    assert refused_as_declared(BANK, reference, usual) == 14


def test_the_build_names_every_file_that_goes_into_it() -> None:
    contender = CONTENDERS["rest-nestjs"]
    sources = {f"src/{path.name}" for path in (contender.folder / "src").iterdir()}
    packages = {"requirements-node.txt", "package.json", "package-lock.json", "tsconfig.json"}

    assert set(contender.build.inputs) == sources | packages


def constant(file: str, name: str) -> str:
    """Return what a source file sets a constant to."""
    source = (CONTENDERS["rest-nestjs"].folder / "src" / file).read_text()
    found = re.search(rf"^const {name} = (.+?);", source, re.MULTILINE)
    assert found
    return found[1]


@pytest.mark.parametrize("name", CONTENDERS)
def test_the_declared_settings_are_the_ones_in_force(name: str) -> None:
    settings = CONTENDERS[name].settings

    assert CONTENDERS[name].environment["NODE_ENV"] == "production"
    assert settings["pool_size"] == int(constant("bank.module.ts", "POOL_SIZE"))
    assert f"{settings['pool_wait_s']}_000" == constant("bank.module.ts", "POOL_WAIT_MS")
    if "largest_message_mib" in settings:
        largest = constant("grpc.ts", "LARGEST_MESSAGE")
        assert largest == f"{settings['largest_message_mib']} * 2 ** 20"
    else:
        largest = constant("http.ts", "LARGEST_BODY")
        assert largest == f'"{settings["largest_body_mib"]}mb"'
        assert f"{settings['keepalive_s']}_000" == constant("http.ts", "KEEP_ALIVE_MS")


@pytest.mark.parametrize("name", ["rest", "graphql", "grpc"])
def test_a_contenders_own_code_is_short(name: str) -> None:
    own = (CONTENDERS["rest-nestjs"].folder / "src").glob(f"{name}*.ts")

    assert sum(len(path.read_text().splitlines()) for path in own) < 250


def test_the_lock_names_no_registry() -> None:
    lock = (CONTENDERS["rest-nestjs"].folder / "package-lock.json").read_text()

    assert '"integrity"' in lock
    assert '"resolved"' not in lock
