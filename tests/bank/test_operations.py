"""Every operation, in every protocol, at every size up to 10,000, by other people's clients."""

from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from tests.bank.clients import INCLUDES
from tests.bank.standing import MOVEMENTS
from tests.support.callers import RefusedError
from tests.support.clients import Client
from wirelab.domain import Dataset, Reference
from wirelab.lab.stores.store import Database

SIZES = (1, 100, 1000, 10_000)
VALID = {
    "account_id": 17,
    "booked_on": "2024-02-29",
    "kind": "fee",
    "amount_cents": -250,
    "reference": "F1",
    "description": 'Ñandú & <"quotes"> 100 % \\ – €',
}


def stored(store: Database, ids: list[int]) -> list[dict[str, Any]]:
    """Read movements past the contenders."""
    with psycopg.connect(store.url, row_factory=dict_row) as connection:
        rows = connection.execute(
            "SELECT id, account_id, booked_on::text, kind, amount_cents, reference, description"
            " FROM movement WHERE id = ANY (%s) ORDER BY id",
            [ids],
        )
        return rows.fetchall()


def count(store: Database) -> int:
    with psycopg.connect(store.url) as connection:
        row = connection.execute("SELECT count(*) FROM movement").fetchone()
        assert row is not None
        return int(row[0])


def test_the_control_answers(client: Client) -> None:
    assert client.ask("ping") == "ok"


@pytest.mark.parametrize("records", SIZES)
@pytest.mark.parametrize("operation", INCLUDES)
def test_a_list_equals_that_of_the_reference(
    client: Client, reference: Reference, operation: str, records: int
) -> None:
    answer = client.ask(operation, records=records)

    assert answer == reference.call(operation, {"records": records})


@pytest.mark.parametrize("records", SIZES)
def test_inserted_rows_are_in_the_store(
    client: Client, store: Database, dataset: Dataset, records: int
) -> None:
    movements = dataset.new_rows["movement"][:records]

    ids = client.ask("insert_movements", movements=movements)

    assert len(ids) == len(set(ids)) == records
    assert stored(store, ids) == [
        {"id": key, **movement} for key, movement in zip(ids, movements, strict=True)
    ]
    assert count(store) == MOVEMENTS + records


def test_an_inserted_movement_can_be_read(client: Client) -> None:
    (key,) = client.ask("insert_movements", movements=[VALID])

    assert client.ask("read_movement", id=key) == {"id": key, **VALID}


@pytest.mark.parametrize("key", [0, -1, MOVEMENTS + 1, 2**31 - 1])
def test_an_unknown_id_is_not_found(client: Client, key: int) -> None:
    with pytest.raises(RefusedError, match="not_found"):
        client.ask("read_movement", id=key)


@pytest.mark.parametrize("records", [0, -1, MOVEMENTS + 1, 2**31 - 1])
@pytest.mark.parametrize("operation", INCLUDES)
def test_more_records_than_exist_are_refused(client: Client, operation: str, records: int) -> None:
    with pytest.raises(RefusedError, match="invalid"):
        client.ask(operation, records=records)


@pytest.mark.parametrize(
    "wrong",
    [
        {"account_id": 0},
        {"account_id": 10_001},
        {"booked_on": "2023-02-29"},
        {"booked_on": "0000-01-01"},
        {"booked_on": "2024-02-29T00:00:00Z"},
        {"kind": "gift"},
        {"amount_cents": 0},
        {"reference": ""},
        {"reference": "x" * 201},
        {"description": "two\nlines"},
        {"description": "nul\0"},
    ],
    ids=str,
)
def test_one_wrong_movement_prevents_all_inserts(
    client: Client, store: Database, wrong: dict[str, Any]
) -> None:
    with pytest.raises(RefusedError, match="invalid") as refused:
        client.ask("insert_movements", movements=[VALID, {**VALID, **wrong}])

    (name,) = wrong
    assert name.replace("_", "") in str(refused.value).lower()
    assert count(store) == MOVEMENTS


@pytest.mark.parametrize(
    "movements",
    [[*[VALID] * 9_999, {**VALID, "account_id": 10_001}], [VALID] * 10_001, []],
    ids=["last account unknown", "too many", "none"],
)
def test_a_refused_insertion_leaves_nothing(
    client: Client, store: Database, movements: list[dict[str, Any]]
) -> None:
    with pytest.raises(RefusedError, match="invalid"):
        client.ask("insert_movements", movements=movements)

    assert count(store) == MOVEMENTS
