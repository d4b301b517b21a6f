"""What comes with wirelab is used from a copy where there is no checkout."""

from pathlib import Path

import pytest

from wirelab.installation.programs import project_root
from wirelab.installation.resources import PACKAGED, copied, resource_folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIRELAB_CACHE", str(tmp_path / "cache"))


def test_a_checkout_uses_its_own_folders() -> None:
    root = project_root()
    assert root is not None
    for kind in ("studies", "domains", "stores"):
        assert (PACKAGED / kind).resolve() == root / kind == resource_folder(kind)


def test_a_copy_can_be_written_though_the_package_cannot(tmp_path: Path) -> None:
    script = tmp_path / "packaged" / "domains" / "notes" / "reference.py"
    script.parent.mkdir(parents=True)
    script.write_text("one = 1")
    script.chmod(0o444)
    script.parent.chmod(0o555)

    folder = copied(tmp_path / "packaged")

    copy = folder / "domains" / "notes" / "reference.py"
    assert copy.read_text() == "one = 1"
    assert copy.stat().st_mode & 0o200
    assert copy.parent.stat().st_mode & 0o200


def test_changed_content_is_copied_again(tmp_path: Path) -> None:
    study = tmp_path / "packaged" / "studies" / "first" / "study.toml"
    study.parent.mkdir(parents=True)
    study.write_text("blocks = 1")
    before = copied(tmp_path / "packaged")
    assert copied(tmp_path / "packaged") == before

    study.write_text("blocks = 2")

    after = copied(tmp_path / "packaged")
    assert after != before
    assert (after / "studies/first/study.toml").read_text() == "blocks = 2"
