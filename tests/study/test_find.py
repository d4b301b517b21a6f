"""Studies are found by name or folder, and a wrong name leads to the right one."""

from pathlib import Path

import pytest

from tests.study.files import write
from wirelab.inputs.problems import ProblemsError
from wirelab.study import find_study, list_studies, load_study


def test_a_name_is_looked_up_in_studies_of_this_folder_and_those_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "studies" / "tiny")
    below = tmp_path / "somewhere" / "below"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)

    assert load_study("tiny").folder == tmp_path / "studies" / "tiny"
    assert "tiny" in list_studies()


def test_shipped_studies_are_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert find_study("kaminski-2022").name == "kaminski-2022"
    assert "kaminski-2022" in list_studies()


def test_an_unknown_name_lists_the_studies_and_the_nearest() -> None:
    with pytest.raises(ProblemsError) as caught:
        load_study("kaminsky-2022")

    (problem,) = caught.value.problems
    assert "kaminski-2022" in problem.expected
    assert "'kaminski-2022'" in problem.hint


def test_the_folder_around_a_study_leads_to_the_study(tmp_path: Path) -> None:
    study = write(tmp_path / "own" / "study")

    with pytest.raises(ProblemsError) as caught:
        find_study(tmp_path / "own")

    (problem,) = caught.value.problems
    assert f"'{study}'" in problem.hint


def test_the_error_for_a_misspelt_folder_contains_the_one_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "study")

    with pytest.raises(ProblemsError) as caught:
        load_study("stduy")

    (problem,) = caught.value.problems
    assert "'study'" in problem.hint
