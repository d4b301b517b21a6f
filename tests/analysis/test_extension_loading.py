"""Extensions of studies: what they add, what is said of broken ones, and whose code is executed."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.bundles.models import STUDY, models_of
from tests.support.bundles.small import kinds, render_texts, study_with, the, write_small
from tests.support.bundles.synthetic import copy_of, write_bundle
from tests.support.requests import problems_of
from tests.support.wording import assert_worded, raises_worded
from wirelab.analysis import Analysis, analyse
from wirelab.analysis.extension_loading import ExtensionMissing, check_extension, load_extension
from wirelab.bundle import Bundle
from wirelab.cli import app
from wirelab.commands.studies.report import report_command
from wirelab.inputs.problems import ProblemsError
from wirelab.planning.plan import plan_study
from wirelab.report import render_markdown, to_json, write_report
from wirelab.study import load_study

ROOT = Path(__file__).parents[2]
WORKING = """
from wirelab.analysis.extension import Additions, ReportFile, Section
from .counting import Count


class Counting:
    def check(self, study):
        pass

    def additions(self, measurements):
        count = Count(len(measurements.cells), measurements.study.title)
        return Additions(
            sections=(Section("cells", count),),
            files=(ReportFile("cells.txt", lambda: f"{count.cells}\\n"),),
        )


EXTENSION = Counting()
"""
COUNTING = """
from dataclasses import dataclass


@dataclass(frozen=True)
class Count:
    cells: int
    title: str
"""
TEMPLATE = "A section of {{ content.cells }} cells of {{ content.title }}.\n"


def own_study(folder: Path, code: str = WORKING, name: str = "counted") -> Path:
    """Write a study of one's own with an extension."""
    named = f'\nextension = "{name}"\n\n[paper]\n'
    study = study_with(folder, (f'id = "{STUDY.name}"', 'id = "own-study"'), ("\n[paper]\n", named))
    write_extension(study / name, code)
    return study


def write_extension(folder: Path, code: str) -> None:
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(code)
    (folder / "counting.py").write_text(COUNTING)
    for ending in ("html", "md"):
        (folder / f"cells.{ending}").write_text(TEMPLATE)


def leaves(mark: Path) -> str:
    """Return code that shows by a file that it was executed."""
    return f"open({str(mark)!r}, 'w').close()\n{WORKING}"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return own_study(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="module")
def bundle(study: Path, tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return write_small(tmp_path_factory.mktemp("bundle"), path=study)


@pytest.fixture
def hostile(bundle: Bundle, tmp_path: Path) -> Bundle:
    """The same for a test to spoil."""
    return copy_of(bundle, tmp_path / "bundle")


@pytest.fixture(scope="module")
def extended(study: Path, bundle: Bundle) -> Analysis:
    return analyse(bundle, study)


def test_an_extension_adds_a_section_to_every_format_and_a_file(
    extended: Analysis, study: Path, bundle: Bundle, tmp_path: Path
) -> None:
    title = extended.study.title
    section = f"A section of 4 cells of {title}."

    assert section in render_texts(extended)
    assert section in render_markdown(extended)
    assert json.loads(to_json(extended))["extension"]["cells"]["cells"] == 4
    written = write_report(bundle, tmp_path, extended)
    assert written["cells"].read_text() == "4\n"
    assert written["cells"].parent == tmp_path
    assert not list(study.rglob("__pycache__"))
    assert not [path for path in sys.path if Path(path).is_relative_to(study.parent)]


def test_the_bundle_keeps_the_file_of_an_extension_but_no_code(tmp_path: Path) -> None:
    bundle = write_bundle(
        tmp_path / "bundle",
        requests=300,
        path=ROOT / "studies" / "sliwa-2021",
        design="replication",
        workloads=("large",),
        loads=("fifty-users",),
        models=models_of("rest-spring", "grpc-spring"),
    )

    kept = {path.name for path in bundle.study_folder.rglob("*")}
    assert kept == {"study.toml", "claims.toml", "published.toml", "points.toml"}
    assert [section.name for section in analyse(bundle).extension.sections] == ["points"]

    (bundle.study_folder / "points.toml").write_text("score = 1\n")
    found = analyse(bundle)
    missing = the(ExtensionMissing, found)
    assert missing.failed
    assert "points.toml: score is 1" in missing.why
    assert found.settings  # the rest of the report is there


def test_a_report_states_that_an_extension_is_not_available(bundle: Bundle) -> None:
    found = analyse(bundle)

    missing = the(ExtensionMissing, found)
    assert not missing.failed
    assert_worded(missing.detail)
    for text in (render_texts(found), render_markdown(found)):
        assert missing.title in text
        assert "A section of" not in text
    assert json.loads(to_json(found))["extension"] == {}


def test_a_study_without_an_extension_has_no_section_of_one(three: Bundle) -> None:
    found = analyse(three)

    assert not found.extension.sections
    assert ExtensionMissing not in kinds(found)


def test_code_in_a_bundle_is_never_executed(
    hostile: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither that of the bundle's own folders, nor of folders that were unpacked beside it."""
    mark = tmp_path / "executed"
    for folder in (
        hostile.study_folder / "counted",
        hostile.path / "counted",
        tmp_path / "studies" / "own-study" / "counted",
        tmp_path / "own-study" / "counted",
    ):
        write_extension(folder, leaves(mark))
    shutil.copy(hostile.study_folder / "study.toml", tmp_path / "studies" / "own-study")
    for working in (tmp_path, hostile.path, hostile.study_folder):
        monkeypatch.chdir(working)
        assert not the(ExtensionMissing, analyse(hostile)).failed

    assert not mark.exists()


def in_study(bundle: Bundle, old: str, new: str) -> None:
    """Change the study in a bundle."""
    file = bundle.study_folder / "study.toml"
    file.write_text(file.read_text().replace(old, new))


def test_a_bundle_that_claims_to_be_of_another_study_executes_no_code(
    hostile: Bundle, tmp_path: Path
) -> None:
    mark = tmp_path / "executed"
    in_study(hostile, 'id = "own-study"', 'id = "sliwa-2021"')
    write_extension(hostile.study_folder / "counted", leaves(mark))

    assert not the(ExtensionMissing, analyse(hostile)).failed
    assert not mark.exists()


@pytest.mark.parametrize("path", ["../counted", "/tmp/counted", "counted/inner", ".", "a.b", "__"])
def test_a_bundle_whose_extension_is_a_path_is_refused(hostile: Bundle, path: str) -> None:
    in_study(hostile, 'extension = "counted"', f'extension = "{path}"')

    (problem,) = problems_of(analyse, hostile)

    assert (problem.key, problem.value) == ("extension", path)


HALF = "class Half:\n    def check(self, study): ...\nEXTENSION = Half()\n"


@pytest.mark.parametrize(
    ("code", "line", "key", "value"),
    [
        ("1 / 0\n", "1", "", "ZeroDivisionError: "),
        ("x = 1\ndef\n", "2", "", "SyntaxError: "),
        ("from .counting import Nothing\n", "1", "", "ImportError: "),
        ("raise SystemExit(0)\n", "1", "", "SystemExit: 0"),
        ("", "", "EXTENSION", "None"),
        ("class EXTENSION: ...\n", "", "EXTENSION", "<class "),
        (HALF, "", "EXTENSION.additions", "None"),
    ],
    ids=["division", "syntax", "import", "exit", "nothing", "class", "half"],
)
def test_an_invalid_extension_is_refused(
    tmp_path: Path, code: str, line: str, key: str, value: str
) -> None:
    study = own_study(tmp_path, code)

    (problem,) = problems_of(load_extension, study, "counted")

    assert (Path(problem.where).name, problem.key) == (f"__init__.py:{line}".rstrip(":"), key)
    assert str(problem.value).startswith(value)
    assert_worded(problem.expected)


def test_an_invalid_extension_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    study, output = own_study(tmp_path, "1 / 0\n"), tmp_path / "bundle"

    done = CliRunner().invoke(
        app, ["run", str(study), "--design", "smoke", "--output", str(output)]
    )

    assert isinstance(done.exception, ProblemsError)
    assert [each.where for each in done.exception.problems] == [f"{study}/counted/__init__.py:1"]
    assert not output.exists()


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("[]", "EXTENSION.additions() is 'list'"),
        ("1 / 0", "__init__.py:11: ZeroDivisionError"),
        ("__import__('sys').exit(3)", "__init__.py:11: SystemExit: 3"),
        ("Additions((Section('other', 1),))", "other.html missing"),
    ],
)
def test_a_report_states_that_an_extension_failed(
    bundle: Bundle, tmp_path: Path, result: str, expected: str
) -> None:
    code = WORKING.replace("count = Count(", f"return {result}\n        count = Count(")
    found = analyse(bundle, own_study(tmp_path, code))

    missing = the(ExtensionMissing, found)
    assert expected in missing.why
    assert missing.title in render_markdown(found)
    assert found.settings  # the rest of the report is there


def test_a_study_without_the_package_that_it_names_is_refused(tmp_path: Path) -> None:
    study = own_study(tmp_path)
    shutil.rmtree(study / "counted")

    with raises_worded(ProblemsError):
        plan_study(study, "smoke", 1)


def test_an_extension_must_not_have_the_name_of_another_file(tmp_path: Path) -> None:
    with raises_worded(ProblemsError):
        load_study(own_study(tmp_path, name="claims"))


def test_a_failure_of_the_check_is_reported_with_its_line(tmp_path: Path) -> None:
    study = own_study(tmp_path, WORKING.replace("pass", "raise KeyError(study.id)"))

    with pytest.raises(ProblemsError, match=r"__init__\.py:8 .*KeyError: 'own-study'"):
        check_extension(load_study(study))


def test_the_report_command_executes_the_extension_of_a_named_folder(
    study: Path, bundle: Bundle, tmp_path: Path
) -> None:
    report_command(bundle.path, output=tmp_path, study=study, as_json=True)

    assert "A section of " in (tmp_path / "report.md").read_text()
    assert (tmp_path / "cells.txt").is_file()


def test_the_report_command_refuses_the_folder_of_another_study(bundle: Bundle) -> None:
    (problem,) = problems_of(report_command, bundle.path, output=None, study=STUDY, as_json=True)

    assert (problem.key, problem.value) == ("--study", STUDY.name)
    assert_worded(problem.expected)


@pytest.mark.parametrize(
    ("study", "name"),
    [("sliwa-2021", "points"), ("quina-mera-2025", "records"), ("muppaneni", "suitability")],
)
def test_the_shipped_extensions_fit_their_studies(study: str, name: str) -> None:
    loaded = load_study(study)

    assert loaded.extension == name
    check_extension(loaded)
    assert load_extension(ROOT / "studies" / study, name) is load_extension(loaded.folder, name)
