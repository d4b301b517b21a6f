"""The schema of a domain, and the COPY statements that load its rows, are read with the domain."""

import shutil
from pathlib import Path

import pytest

from tests.domain.fixtures import FOLDER
from wirelab.domain_file import load_domain
from wirelab.inputs.problems import ProblemsError


@pytest.mark.parametrize(
    "options",
    [
        "(FORMAT csv, HEADER false)",
        "(FORMAT csv, FORCE_NULL (header))",
        "(FORMAT csv, NULL 'header')",
        "(FORMAT csv) WHERE header > 1",
    ],
)
def test_a_copy_statement_may_name_a_column_header(tmp_path: Path, options: str) -> None:
    load_domain(copying(tmp_path, f"COPY notes FROM STDIN {options}"))


def test_a_comment_of_a_schema_creates_no_column(tmp_path: Path) -> None:
    folder = copying(tmp_path, "COPY notes (id, document, title, price) FROM STDIN (FORMAT csv)")
    (folder / "schema.sql").write_text(
        "CREATE TABLE notes (\n"
        "  id text DEFAULT '--', -- it's the title\n"
        "  /* once the\n  price */ document jsonb\n"
        ");\n"
    )

    with pytest.raises(ProblemsError) as error:
        load_domain(folder)
    assert [problem.value for problem in error.value.problems] == ["title", "price"]


def copying(tmp_path: Path, statement: str) -> Path:
    """Copy the notes, with another statement that loads their rows; return the folder."""
    folder = tmp_path / "notes"
    shutil.copytree(FOLDER, folder)
    text = (folder / "domain.toml").read_text(encoding="utf-8")
    changed = text.replace("COPY notes FROM STDIN (FORMAT csv)", statement)
    (folder / "domain.toml").write_text(changed, encoding="utf-8")
    return folder


def test_a_schema_may_be_several_files(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    shutil.copytree(FOLDER, folder)
    (folder / "more.sql").write_text("CREATE TABLE more (id text)")
    text = (folder / "domain.toml").read_text(encoding="utf-8")
    several = text.replace('schema = "schema.sql"', 'schema = ["schema.sql", "more.sql"]')
    (folder / "domain.toml").write_text(several, encoding="utf-8")

    store = load_domain(folder).stores.postgresql

    assert store is not None
    assert [path.name for path in store.schema_files] == ["schema.sql", "more.sql"]
