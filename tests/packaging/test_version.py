"""Every file that names the version of wirelab names the same one."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


def test_all_files_name_one_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]

    assert {each["version"] for each in locked if each["name"].startswith("wirelab-")} == {version}
    assert (cargo, str(cited)) == (version, version)


@pytest.mark.parametrize("page", ["many-machines.md", "kubernetes/raycluster.yaml"])
def test_a_guide_installs_this_version(page: str) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    text = (ROOT / "docs" / "guides" / page).read_text()
    named = re.findall(r"wirelab(?:\[cluster\])?(?:==|:)(\d[\w.]*)", text)

    assert set(named) == {version}


def test_the_changelog_begins_with_a_version_that_has_notes() -> None:
    newest = re.search(r"^## (\S+) \((.+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    assert newest is not None
    assert newest[2] == "unreleased" or re.fullmatch(r"\d{4}-\d{2}-\d{2}", newest[2])
    assert (ROOT / "docs" / "releases" / f"{newest[1]}.md").is_file()
