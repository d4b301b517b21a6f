"""`wirelab list`: every contender, and what varies of it in the same row."""

import json

from typer.testing import CliRunner

from wirelab.cli import app


def said(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["list", *arguments], env={"COLUMNS": "400"})
    assert done.exit_code == 0, done.output
    return done.output


def test_variants_stand_beside_the_contender_that_they_are_of() -> None:
    rows = [row.split(maxsplit=1) for row in said().splitlines()]
    (naive,) = (row for row in rows if row[:1] == ["graphql-node-naive"])

    assert naive[1].strip() == (
        "Apollo Server, a statement for every row (also -original, -pool-2, -pool-5, -pool-20)"
    )
    assert not any(row[:1] == ["graphql-node-naive-pool-2"] for row in rows)


def test_programs_are_told_every_contender() -> None:
    (university,) = (d for d in json.loads(said("--json"))["domains"] if d["name"] == "university")

    assert "graphql-node-naive-pool-2" in university["contenders"]
