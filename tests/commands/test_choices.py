"""What can be chosen on the command line, and what is said of what cannot."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.verification import verify_domain
from wirelab.cli import app
from wirelab.inputs.problems import ProblemsError
from wirelab.planning.plan import plan_study


def test_a_protocol_selects_its_contenders() -> None:
    planned = plan_study("kaminski-2022", "smoke", 1, ["graphql", "rest-flask"])

    chosen = {cell.contender for cell in planned.schedule.cells}
    assert chosen == {"graphql-graphene", "rest-flask"}


@pytest.mark.parametrize(("only", "warned"), [("rest", True), ("rest,grpc", False)])
def test_a_plan_warns_if_nothing_is_left_to_compare(only: str, warned: bool) -> None:
    done = CliRunner().invoke(
        app, ["plan", "kaminski-2022", "--only", only], env={"COLUMNS": "200"}
    )

    assert done.exit_code == 0, done.output
    assert ("nothing to compare" in done.output) == warned


def test_verify_names_every_choice_that_cannot_be_used_at_once() -> None:
    with pytest.raises(ProblemsError) as error:
        verify_domain("games", only=["rst"], stores={"mysql": "mysql://127.0.0.1"})

    assert [(each.where, each.value) for each in error.value.problems] == [
        ("--only", "rst"),
        ("--store", "mysql"),
    ]


def test_verify_takes_no_data_for_servers_that_have_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "domains" / "found"
    folder.mkdir(parents=True)
    (folder / "domain.toml").write_text(
        'name = "found"\ntitle = "Found"\nsummary = "Servers that are there."\n'
        '[operation.read]\nsummary = "read"\neffect = "read"\nparameters = {}\n'
        'rest = { method = "GET", path = "/" }\n[interface]\n'
    )
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ProblemsError, match=r"--data is .rows\.csv.; expected none"):
        verify_domain("found", data=Path("rows.csv"))
