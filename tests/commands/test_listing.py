"""`wirelab list`: every contender, and what varies of it in the same row."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wirelab.cli import app
from wirelab.commands.studies.listing import list_command
from wirelab.inputs.problems import ProblemsError


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["list", *arguments], env={"COLUMNS": "400"})
    assert done.exit_code == 0, done.output
    return done.output


def test_json_contains_every_contender() -> None:
    (university,) = (
        d for d in json.loads(printed("--json"))["domains"] if d["name"] == "university"
    )

    assert "graphql-node-naive-pool-2" in university["contenders"]


def test_a_domain_without_a_summary_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "domains" / "odd"
    folder.mkdir(parents=True)
    (folder / "domain.toml").write_text('name = "odd"\ntitle = "Odd"\n[operation]\nread = 5\n')
    monkeypatch.chdir(tmp_path)

    (odd,) = (each for each in json.loads(printed("--json"))["domains"] if each["name"] == "odd")

    assert (odd["title"], odd["operations"], odd["contenders"]) == ("Odd", {}, {})


def test_a_file_that_is_not_toml_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "domains" / "odd"
    folder.mkdir(parents=True)
    (folder / "domain.toml").write_text("name = odd")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ProblemsError, match=r"domain\.toml, line 1"):
        list_command(as_json=True)
