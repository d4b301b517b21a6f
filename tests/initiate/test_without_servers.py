"""`wirelab init` from descriptions alone: what it keeps, replaces and says."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.compare.running import OPENAPI
from wirelab.commands.init import init_command
from wirelab.domain_file import load_domain
from wirelab.exit_codes import ExitCode
from wirelab.problems import ProblemsError


def initiate(
    place: Path, sources: Mapping[str, Path | str], *, force: bool = False, **options: object
) -> ExitCode:
    given = {protocol: str(source) for protocol, source in sources.items()}
    usual = {"addresses": {}, "csv": None, "decide": None, "seed": 1, "as_json": False}
    return init_command(str(place), given, force=force, **{**usual, **options})  # type: ignore[arg-type]


def test_an_earlier_domain_stays_if_a_new_one_cannot_be_written(tmp_path: Path) -> None:
    place = tmp_path / "own"
    initiate(place, {"rest": OPENAPI})
    file = place / "domain" / "domain.toml"
    file.write_text(f"{file.read_text()}# edited\n")

    with pytest.raises(ProblemsError, match="an existing file"):
        initiate(place, {"rest": tmp_path / "typo.yaml"}, force=True)

    assert file.read_text().endswith("# edited\n")
    assert {path.name for path in place.iterdir()} == {"domain", "study"}


def test_a_domain_can_be_written_again_from_its_own_description(tmp_path: Path) -> None:
    place = tmp_path / "own"
    initiate(place, {"rest": OPENAPI})
    (place / "domain" / "obsolete.txt").touch()

    initiate(place, {"rest": place / "domain" / "openapi.yaml"}, force=True)

    assert {"get_item", "list_items"} <= set(load_domain(place / "domain").operations)
    assert not (place / "domain" / "obsolete.txt").exists()
    assert {path.name for path in place.iterdir()} == {"domain", "study"}


def test_a_file_in_the_place_of_the_folder_is_not_overwritten(tmp_path: Path) -> None:
    place = tmp_path / "own"
    place.write_text("kept")

    with pytest.raises(ProblemsError, match="expected a new folder"):
        initiate(place, {"rest": OPENAPI}, force=True)
    assert place.read_text() == "kept"


def test_an_address_needs_a_description_for_its_protocol(tmp_path: Path) -> None:
    addresses = {"rest": "http://localhost:1", "grpc": "grpc://localhost:2"}

    with pytest.raises(ProblemsError) as error:
        initiate(tmp_path / "own", {"rest": OPENAPI}, addresses=addresses)

    (problem,) = error.value.problems
    assert "--address: grpc is 'grpc://localhost:2'; expected the address of a server for rest" in (
        str(problem)
    )
    assert "give the description for grpc with --proto" in problem.hint
    assert not (tmp_path / "own").exists()


def test_a_folder_with_any_name_becomes_a_domain(tmp_path: Path) -> None:
    initiate(tmp_path / "Café Corner", {"rest": OPENAPI})

    assert load_domain(tmp_path / "Café Corner" / "domain").name == "caf-corner"
