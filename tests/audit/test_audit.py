"""Components are read from lock files, compared with the policy, and reported correctly."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from audit import checks, components, licences, notices
from audit.checks import Outcome, State
from audit.components import Component
from audit.licences import Policy, allowed

ALLOW = frozenset({"MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "ISC"})
LOCKS = {
    "Cargo.lock": (
        '[[package]]\nname = "ours"\nversion = "1.0.0"\n'
        '[[package]]\nname = "libc"\nversion = "0.2.1"\nsource = "registry"\n'
    ),
    "requirements-dev.txt": "Type_Hints==1.0 ; python_version < '4' \\\n    --hash=sha256:ab\n",
    "package-lock.json": (
        '{"packages": {"": {"version": "1"}, "node_modules/a": {"version": "1.2.3"},'
        ' "node_modules/a/node_modules/@b/c": {"version": "2.0.0"}}}'
    ),
    "go.mod": (
        "module wirelab.example/x\n\ngo 1.26.0\n\nrequire github.com/B/c v1.2.3 // indirect\n"
        "require (\n\tgolang.org/x/net v0.1.0\n\twirelab.example/y v0.0.0\n)\n"
        "replace wirelab.example/y v0.0.0 => ../y\n"
    ),
    "pom.xml": (
        "<parent><groupId>org.a</groupId>\n<artifactId>b</artifactId>\n<version>4.1.0</version>"
        "</parent><groupId>wirelab</groupId><artifactId>x</artifactId><version>1</version>"
        "<groupId>o</groupId><artifactId>p</artifactId><version>${o.version}</version>"
    ),
}


@pytest.fixture
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one lock file of each kind, and others in folders that are left out."""
    monkeypatch.setattr(components, "ROOT", tmp_path)
    for folder in (tmp_path, tmp_path / "node_modules" / "other"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in LOCKS.items():
            (folder / name).write_text(text)
    return tmp_path


def test_every_kind_of_lock_file_is_read(locks: Path) -> None:
    assert components.locked() == {
        Component("Go", "github.com/B/c", "v1.2.3"): ["."],
        Component("Go", "golang.org/x/net", "v0.1.0"): ["."],
        Component("Maven", "org.a:b", "4.1.0"): ["."],
        Component("PyPI", "type-hints", "1.0"): ["."],
        Component("crates.io", "libc", "0.2.1"): ["."],
        Component("npm", "@b/c", "2.0.0"): ["."],
        Component("npm", "a", "1.2.3"): ["."],
    }


@pytest.mark.parametrize(
    ("expression", "right"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("(GPL-3.0-only OR ISC) AND MIT", True),
        ("MIT OR GPL-3.0-only AND GPL-2.0-only", True),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0-only", True),
        ("Apache-2.0 WITH Classpath-exception-2.0", False),
        ("", False),
        ("MIT MIT", False),
        ("(MIT", False),
    ],
)
def test_expressions_of_licences(expression: str, right: bool) -> None:
    assert allowed(expression, ALLOW) is right


def test_an_exception_is_for_one_component_and_one_licence() -> None:
    policy = Policy(ALLOW, {"one": "LGPL-3.0-only"}, {"two": "ISC"}, {"MIT License": "MIT"})
    one, two = Component("PyPI", "one", "1"), Component("PyPI", "two", "1")

    assert policy.allows(one, "LGPL-3.0-only")
    assert not policy.allows(one, "GPL-3.0-only")
    assert not policy.allows(two, "LGPL-3.0-only")
    assert policy.licence(two, "whatever") == "ISC"
    assert policy.licence(one, "MIT License") == "MIT"
    assert policy.licence(one, "MIT/Apache-2.0") == "MIT OR Apache-2.0"


def test_packages_are_looked_for_here_and_where_contenders_are_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are missing have no licence."""
    here, missing = Component("PyPI", "pytest", pytest.__version__), Component("PyPI", "x", "0")
    built = Component("PyPI", "built-there", "2.0")
    monkeypatch.setattr(licences, "cache_folder", lambda: tmp_path)
    folder = tmp_path / "builds" / "one" / "lib" / "Built_There-2.0.dist-info"
    folder.mkdir(parents=True)
    metadata = "Metadata-Version: 2.4\nName: Built.There\nVersion: 2.0\nLicense-Expression: ISC\n"
    (folder / "METADATA").write_text(metadata)

    reported = licences.licences_of([here, built, replace(built, version="2.1"), missing])

    assert list(reported.values()) == ["MIT", "ISC", None, None]


def test_the_page_is_stale_when_a_lock_file_changes(locks: Path, tmp_path: Path) -> None:
    page, found = tmp_path / "page.md", components.locked()
    libc = Component("crates.io", "libc", "0.2.1")
    page.write_text(notices.page(found, {libc: "MIT OR Apache-2.0"}))

    assert notices.stale(found, page) == []
    assert notices.read(page)[libc] == "MIT OR Apache-2.0"
    lock = locks / "Cargo.lock"
    lock.write_text(lock.read_text().replace("0.2.1", "0.2.2"))
    missing, gone = notices.stale(components.locked(), page)
    assert "libc 0.2.2" in missing
    assert "libc 0.2.1" in gone


def test_the_committed_page_names_what_the_lock_files_do() -> None:
    assert notices.stale(components.locked()) == []


def test_the_committed_page_names_the_licence_of_every_component() -> None:
    unknown = [component for component, licence in notices.read().items() if not licence]

    assert unknown == []


def outcome_of(program: str, *, database: str = "") -> Outcome:
    """Return the outcome of a check whose tool is a Python program."""
    command = [sys.executable, "-c", program]
    return checks._each(
        "tool", [(command, components.ROOT)], database=database, trouble="cannot look", what="all"
    )


def test_a_tool_that_could_not_check_is_not_reported_as_clean() -> None:
    unreachable = outcome_of("", database="http://127.0.0.1:1/advisories")
    failed = outcome_of("print('cannot look: refused'); raise SystemExit(1)")
    missing = checks._each(
        "t", [(["no-such-tool"], components.ROOT)], database="", trouble="x", what=""
    )

    assert unreachable.state == failed.state == missing.state == State.UNREACHABLE
    assert "127.0.0.1:1/advisories" in unreachable.summary
    assert "refused" in failed.summary
    assert "no-such-tool" in missing.summary


def test_findings_of_a_tool_are_reported_in_its_words() -> None:
    clean, found = outcome_of(""), outcome_of("print('1 advisory'); raise SystemExit(1)")

    assert (clean.state, clean.summary) == (State.CLEAN, "all")
    assert (found.state, found.details) == (State.FOUND, ".:\n1 advisory")


def test_files_that_differ_from_mavens_checksums(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    folder = tmp_path / ".m2" / "repository"
    assert checks._maven().state == State.UNREACHABLE
    folder.mkdir(parents=True)
    (folder / "a.jar").write_bytes(b"")
    (folder / "a.jar.sha1").write_text("da39a3ee5e6b4b0d3255bfef95601890afd80709\n")
    assert checks._maven().state == State.CLEAN
    (folder / "a.jar").write_bytes(b"x")
    assert checks._maven().state == State.FOUND
