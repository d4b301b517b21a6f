"""`wirelab init` from descriptions alone: what it keeps, replaces and says."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.compare.running import OPENAPI
from tests.support.scaffolding import scaffold
from tests.support.wording import assert_worded, raises_worded
from wirelab.cli import app
from wirelab.domain_file import load_domain
from wirelab.errors import LabError
from wirelab.inputs.problems import ProblemsError
from wirelab.scaffold.next_steps import GUIDE, next_steps
from wirelab.scaffold.querying.csv_rows import read_csv


def give_parameters(place: Path) -> None:
    with (place / "domain" / "parameters.ndjson").open("a") as lines:
        lines.write('{"operation": "get_item", "parameters": {"id": 7}}\n')


def test_an_earlier_domain_stays_if_a_new_one_cannot_be_written(tmp_path: Path) -> None:
    place = tmp_path / "own"
    scaffold(place, {"rest": OPENAPI})
    file = place / "domain" / "domain.toml"
    file.write_text(f"{file.read_text()}# edited\n")

    with pytest.raises(ProblemsError, match="an existing file"):
        scaffold(place, {"rest": tmp_path / "typo.yaml"}, force=True)

    assert file.read_text().endswith("# edited\n")
    assert {path.name for path in place.iterdir()} == {"domain", "study"}


def test_a_domain_can_be_written_again_from_its_own_description(tmp_path: Path) -> None:
    place = tmp_path / "own"
    scaffold(place, {"rest": OPENAPI})
    (place / "domain" / "obsolete.txt").touch()

    scaffold(place, {"rest": place / "domain" / "openapi.yaml"}, force=True)

    assert {"get_item", "list_items"} <= set(load_domain(place / "domain").operations)
    assert not (place / "domain" / "obsolete.txt").exists()
    assert {path.name for path in place.iterdir()} == {"domain", "study"}


def test_a_file_at_the_path_of_the_folder_is_not_overwritten(tmp_path: Path) -> None:
    place = tmp_path / "own"
    place.write_text("kept")

    with raises_worded(ProblemsError):
        scaffold(place, {"rest": OPENAPI}, force=True)
    assert place.read_text() == "kept"


def test_an_address_needs_a_description_for_its_protocol(tmp_path: Path) -> None:
    addresses = {"rest": "http://localhost:1", "grpc": "grpc://localhost:2"}

    with raises_worded(ProblemsError):
        scaffold(tmp_path / "own", {"rest": OPENAPI}, addresses=addresses)
    assert not (tmp_path / "own").exists()


def test_all_mistakes_on_a_command_line_are_reported_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own").mkdir()
    Path("header").write_text("X-Own: 1")
    words = (
        *("init", "own", "--openapi", "api.yaml", "--csv", "csv"),
        *("--address", "http://localhost:1", "--address", "grpc=localhost:2"),
        *("--address", "grpc=localhost:3", "--header", "X-Own: ${NO_SUCH_VARIABLE}"),
        *("--header", "rset/X-Own: 1", "--cert", "header"),
    )

    done = CliRunner().invoke(app, list(words))

    assert isinstance(done.exception, ProblemsError)
    assert_worded(done.exception)


def test_a_folder_with_any_name_becomes_a_domain(tmp_path: Path) -> None:
    scaffold(tmp_path / "Café Corner", {"rest": OPENAPI})

    assert load_domain(tmp_path / "Café Corner" / "domain").name == "caf-corner"


def test_a_description_without_a_usable_operation_is_one_clear_message(tmp_path: Path) -> None:
    file = tmp_path / "api.yaml"
    operation = "{ requestBody: { content: { text/csv: {} } }, responses: {} }"
    file.write_text(f"openapi: 3.0.3\npaths: {{ /up: {{ post: {operation} }} }}\n")

    with raises_worded(ProblemsError):
        scaffold(tmp_path / "own", {"rest": file})


def test_descriptions_without_common_operations_are_reported(tmp_path: Path) -> None:
    sdl = tmp_path / "schema.graphql"
    sdl.write_text("type Query { weatherOfTomorrow: Float }\n")

    with raises_worded(ProblemsError):
        scaffold(tmp_path / "own", {"rest": OPENAPI, "graphql": sdl})


def test_an_interface_that_only_writes_has_a_domain_and_no_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "api.yaml"
    file.write_text("openapi: 3.0.3\npaths: { /a: { post: { responses: {} } } }\n")

    scaffold(tmp_path / "own", {"rest": file})

    assert [path.name for path in (tmp_path / "own").iterdir()] == ["domain"]
    output = capsys.readouterr().err
    assert "no study" in output
    assert "wirelab run" not in output


def test_one_contender_is_not_offered_for_comparison_and_its_variable_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "own"
    scaffold(place, {"rest": OPENAPI})

    output = " ".join(capsys.readouterr().err.split())
    assert "set REST_ADDRESS to" in output
    assert f"`wirelab compare {place}/domain rest NAME`" in output
    assert f"{place}/study/study.toml" in output
    assert (Path(__file__).parents[2] / GUIDE).is_file()

    give_parameters(place)
    done = CliRunner().invoke(app, ["run", str(place / "study")])

    assert isinstance(done.exception, LabError)
    assert_worded(done.exception.hint)


def test_a_plan_with_one_contender_contains_a_warning_when_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    scaffold(tmp_path / "own", {"rest": OPENAPI})
    give_parameters(tmp_path / "own")
    monkeypatch.setenv("REST_ADDRESS", "http://localhost:1")
    monkeypatch.setattr("wirelab.commands.studies.run.run_study", stop)

    done = CliRunner().invoke(app, ["run", str(tmp_path / "own" / "study")])

    assert "[contender.NAME]" in done.output


def test_values_that_no_server_could_give_are_named_before_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scaffold(tmp_path / "own", {"rest": OPENAPI})
    assert "create_item and get_item" in " ".join(capsys.readouterr().err.split())

    done = CliRunner().invoke(app, ["run", str(tmp_path / "own" / "study")])

    assert isinstance(done.exception, ProblemsError)
    (problem,) = done.exception.problems
    assert problem.where.endswith("/parameters.ndjson")
    assert problem.key == "get_item.id"
    assert '{"operation": "get_item", "parameters": {"id": "…"}}' in problem.hint


def test_several_contenders_are_to_be_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sdl, place = tmp_path / "schema.graphql", tmp_path / "own"
    sdl.write_text("type Query { getItem(id: Int!): Item } type Item { id: Int name: String }\n")

    scaffold(place, {"rest": OPENAPI, "graphql": sdl})

    output = " ".join(capsys.readouterr().err.split())
    assert "REST_ADDRESS and GRAPHQL_ADDRESS" in output
    assert f": wirelab run {place}/study" in output
    assert "second one" not in output


@pytest.mark.parametrize("protocols", [["rest", "grpc"], ["rest"]])
def test_commands_for_a_folder_whose_name_has_a_space_can_be_copied(protocols: list[str]) -> None:
    assert_worded("\n".join(next_steps("my api", protocols, protocols)))


def test_doubtful_matches_become_comments_without_a_terminal(tmp_path: Path) -> None:
    proto, place = tmp_path / "other.proto", tmp_path / "own"
    proto.write_text(
        'syntax = "proto3"; package p;\n'
        "service S { rpc GetItem(Q) returns (R); }\n"
        "message Q { string item_key = 1; } message R { string name = 1; int32 weight = 2; }\n"
    )
    arguments = ["init", str(place), "--openapi", str(OPENAPI), "--proto", str(proto)]

    done = CliRunner().invoke(app, arguments)

    assert done.exit_code == 0, done.output
    assert "Are they" not in done.output
    assert "doubtful matches" in " ".join(done.output.split())
    assert "# doubtful: is grpc" in (place / "domain" / "domain.toml").read_text()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "id,name\n1,Zoë\n".encode("latin-1"),
        "id,name\n1,a\n".encode("utf-16"),
        'id,name\n1,"a\n2,b\n',
        "id,name\n1,a\n2\n",
        "id,name\n1,a,b\n",
    ],
    ids=["empty", "latin-1", "utf-16", "quotes", "too few", "too many"],
)
def test_a_csv_that_cannot_be_used_is_one_clear_message(
    tmp_path: Path, content: str | bytes
) -> None:
    file = tmp_path / "values.csv"
    file.write_bytes(content.encode() if isinstance(content, str) else content)

    with raises_worded(ProblemsError):
        scaffold(tmp_path / "own", {"rest": OPENAPI}, csv=file)
    assert not (tmp_path / "own").exists()


def test_a_csv_may_begin_with_a_byte_order_mark_and_have_empty_lines(tmp_path: Path) -> None:
    file = tmp_path / "values.csv"
    file.write_bytes(b'\xef\xbb\xbfid,name\r\n1,a\r\n\r\n2,"b,c"\r\n')

    assert read_csv(file) == [{"id": "1", "name": "a"}, {"id": "2", "name": "b,c"}]


def test_the_values_of_a_csv_are_used_without_a_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, place = tmp_path / "values.csv", tmp_path / "own"
    file.write_text("id,name\n7,a\n8,b\n")

    scaffold(place, {"rest": OPENAPI}, csv=file)

    lines = (place / "domain" / "parameters.ndjson").read_text().splitlines()
    assert {"operation": "get_item", "parameters": {"id": 7}} in [json.loads(it) for it in lines]
    assert {"operation": "get_item", "parameters": {"id": 8}} in [json.loads(it) for it in lines]
    assert "are not tried" in " ".join(capsys.readouterr().err.split())


def test_a_csv_without_the_columns_of_any_operation_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "values.csv"
    file.write_text("idd,other\n7,a\n")

    with raises_worded(ProblemsError):
        scaffold(tmp_path / "own", {"rest": OPENAPI}, csv=file)
    assert not (tmp_path / "own").exists()
