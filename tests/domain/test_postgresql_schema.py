"""The schema of a domain, and the COPY statements that load its rows, are read with the domain."""

from pathlib import Path

import pytest

from tests.domain.fixtures import copied
from wirelab.domain_file import load_domain
from wirelab.inputs.problems import ProblemsError

COPY = "COPY notes FROM STDIN (FORMAT csv)"


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
    load_domain(copied(tmp_path, (COPY, f"COPY notes FROM STDIN {options}")))


def test_a_comment_of_a_schema_creates_no_column(tmp_path: Path) -> None:
    wrong = "COPY notes (id, document, title, price) FROM STDIN (FORMAT csv)"
    folder = copied(tmp_path, (COPY, wrong))
    (folder / "schema.sql").write_text(
        "CREATE TABLE notes (\n"
        "  id text DEFAULT '--', -- it's the title\n"
        "  /* once the\n  price */ document jsonb\n"
        ");\n"
    )

    with pytest.raises(ProblemsError) as error:
        load_domain(folder)
    assert [problem.value for problem in error.value.problems] == ["title", "price"]


def test_a_schema_may_be_several_files(tmp_path: Path) -> None:
    several = ('schema = "schema.sql"', 'schema = ["schema.sql", "more.sql"]')
    folder = copied(tmp_path, several)
    (folder / "more.sql").write_text("CREATE TABLE more (id text)")

    store = load_domain(folder).stores.postgresql

    assert store is not None
    assert [path.name for path in store.schema_files] == ["schema.sql", "more.sql"]
