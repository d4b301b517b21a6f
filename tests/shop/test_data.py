"""The generated shop, as `wirelab-data` writes it and other people's programs read it."""

import csv
import hashlib
import hmac
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.shop.standing import ROWS, SHOP
from wirelab.domain import Dataset
from wirelab.installation.programs import find_program

TABLES = SHOP.data.tables


def generated(folder: Path, *options: str) -> dict[str, list[Any]]:
    folder.mkdir()
    command = [str(find_program("wirelab-data")), "shop", *options, "--output", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return {
        table: [json.loads(line) for line in (folder / f"{table}.ndjson").open(encoding="utf-8")]
        for table in TABLES
    }


def test_a_row_does_not_depend_on_the_requested_range(tmp_path: Path) -> None:
    whole = generated(tmp_path / "whole", "--count", "300")
    start = generated(tmp_path / "start", "--count", "120")
    rest = generated(tmp_path / "rest", "--count", "180", "--skip", "120")

    for table in TABLES:
        assert start[table] + rest[table] == whole[table], table
    assert generated(tmp_path / "other", "--count", "5", "--seed", "2") != start


@pytest.mark.parametrize("table", ["user", "product", "order", "payment", "product_event"])
def test_the_requested_number_of_rows_is_generated(dataset: Dataset, table: str) -> None:
    assert len(dataset.tables[table]) == ROWS
    assert len(dataset.tables["review"]) == 3 * ROWS


def test_passwords_and_tokens_equal_those_of_the_standard_library(dataset: Dataset) -> None:
    with dataset.csv_paths["user"].open(encoding="utf-8", newline="") as rows:
        hashes = {int(row[0]): row[3] for row in csv.reader(rows)}
    for user in dataset.tables["user"][:20]:
        _, kind, cost, salt, hashed = hashes[user["id"]].split("$")
        iterations = int(cost.removeprefix("i="))
        again = hashlib.pbkdf2_hmac(
            "sha256", user["password"].encode(), bytes.fromhex(salt), iterations
        )
        assert (kind, iterations, again.hex()) == ("pbkdf2-sha256", 1000, hashed)
        signed = hmac.digest(b"wirelab-shop", str(user["id"]).encode(), "sha256").hex()
        assert user["token"] == f"{user['id']}.{signed}"


def test_a_password_can_cost_more(tmp_path: Path) -> None:
    generated(tmp_path / "dear", "--count", "1", "--password-cost", "2500", "--format", "ndjson")
    command = [str(find_program("wirelab-data")), "shop", "--count", "1", "--format", "csv"]
    options = ["--password-cost", "2500", "--output", str(tmp_path / "dear")]
    subprocess.run([*command, *options], check=True)

    assert "$pbkdf2-sha256$i=2500$" in (tmp_path / "dear" / "user.csv").read_text()


def test_new_rows_refer_to_existing_ones(dataset: Dataset) -> None:
    users = {row["id"] for row in dataset.tables["user"]}
    products = {row["id"] for row in dataset.tables["product"]}
    addresses = {row["id"]: row["user_id"] for row in dataset.tables["address"]}

    assert len(dataset.new_rows["order"]) == 64
    for order in dataset.new_rows["order"]:
        assert order["user_id"] in users
        assert addresses[order["address_id"]] == order["user_id"]
        assert {wish["product_id"] for wish in order["basket"]} <= products
    for review in dataset.new_rows["review"]:
        assert review["user_id"] in users
        assert review["product_id"] in products
