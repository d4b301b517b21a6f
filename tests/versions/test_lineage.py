"""Paths and branches, as git knows them."""

from pathlib import Path

import pytest

from tests.versions.repository import commit, git, repository
from wirelab.errors import LabError
from wirelab.versions.lineage import Lineage


@pytest.fixture
def merged(tmp_path: Path) -> tuple[Lineage, dict[str, str]]:
    """A repository: a, b on main; x, y on a branch of a; their merge m, then c."""
    folder = tmp_path / "repository"
    (a,) = repository(folder, [{"seconds": 0}])
    git(folder, "checkout", "--quiet", "-b", "branch")
    ids = {"a": a, "x": commit(folder, "x", seconds=1), "y": commit(folder, "y", seconds=1)}
    git(folder, "checkout", "--quiet", "main")
    (folder / "other").write_text("b")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "b")
    ids["b"] = git(folder, "rev-parse", "HEAD")
    git(folder, "merge", "--quiet", "--no-ff", "-m", "m", "branch")
    ids["m"] = git(folder, "rev-parse", "HEAD")
    ids["c"] = commit(folder, "c", seconds=2)
    return Lineage(folder), ids


def test_a_merged_branch_is_one_step_of_the_path(merged: tuple[Lineage, dict[str, str]]) -> None:
    lineage, ids = merged

    assert lineage.path(ids["a"], ids["c"]) == [ids[name] for name in "abmc"]
    assert lineage.path(ids["x"], ids["c"]) == [ids[name] for name in "xymc"]
    assert lineage.branches(ids["b"], ids["m"]) == [[ids[name] for name in "axy"]]
    assert lineage.branches(ids["y"], ids["m"]) == [[ids[name] for name in "ab"]]
    assert lineage.branches(ids["m"], ids["c"]) == []
    assert lineage.in_order([ids["c"], ids["x"], ids["a"]]) == [ids[name] for name in "axc"]


def test_versions_without_a_path_are_refused_with_their_ancestor(
    merged: tuple[Lineage, dict[str, str]],
) -> None:
    lineage, ids = merged

    with pytest.raises(LabError) as refused:
        lineage.path(ids["b"], ids["y"])

    assert ids["a"][:7] in refused.value.hint


def test_a_shallow_clone_says_how_to_deepen(tmp_path: Path) -> None:
    whole, clone = tmp_path / "whole", tmp_path / "clone"
    ids = repository(whole, [{"seconds": 0}, {"seconds": 1}, {"seconds": 2}])
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{whole}", str(clone))

    with pytest.raises(LabError) as unknown:
        Lineage(clone).commit(ids[0])

    assert "--unshallow" in unknown.value.hint


def test_tags_name_commits(tmp_path: Path) -> None:
    ids = repository(tmp_path / "repository", [{"seconds": 0}, {"seconds": 1}])
    git(tmp_path / "repository", "tag", "-a", "-m", "annotated", "annotated", ids[1])

    assert Lineage(tmp_path / "repository").tagged() == set(ids)
