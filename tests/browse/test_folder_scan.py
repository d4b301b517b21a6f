"""Where bundles are found, what cannot be one, and that nothing is read without need."""

import fcntl
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.wording import assert_worded
from wirelab.browse import folder_scan as scan_module
from wirelab.browse.fingerprint import fingerprint
from wirelab.browse.folder_scan import FolderScan, ScannedBundle, find_bundles
from wirelab.bundle import Bundle
from wirelab.bundle.files import write_json

from .library import another, many


def only(scan: FolderScan) -> ScannedBundle:
    (found,) = scan.found
    return found


def test_bundles_are_found_four_levels_deep_and_no_deeper(bundle: Bundle, tmp_path: Path) -> None:
    for place in ("near", "a/b/c/far", "a/b/c/d/beyond", ".hidden/here"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        another(bundle, tmp_path / place)

    scan = FolderScan().look(tmp_path)

    assert sorted(found.name for found in scan.found) == ["a/b/c/far", "near"]
    assert scan.notes == ()


def test_the_folder_may_be_a_bundle_itself(bundle: Bundle, tmp_path: Path) -> None:
    folder = another(bundle, tmp_path / "mine")

    assert only(FolderScan().look(folder)).name == "mine"


def test_an_empty_folder_contains_no_bundle(tmp_path: Path) -> None:
    assert FolderScan().look(tmp_path) == FolderScan()


def test_folders_beyond_the_limit_of_a_search_are_reported(
    bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(bundle, tmp_path, 5)
    monkeypatch.setattr(scan_module, "MOST_FOLDERS", 3)

    found, (note,) = find_bundles(tmp_path)

    assert len(found) == 2
    assert "more than 3 folders" in note


def test_symbolic_links_are_not_followed(bundle: Bundle, tmp_path: Path) -> None:
    real = another(bundle, tmp_path / "elsewhere" / "bundle")
    (tmp_path / "scan").mkdir()
    (tmp_path / "scan" / "link").symlink_to(real)

    assert FolderScan().look(tmp_path / "scan").found == ()


def test_a_bundle_with_a_link_in_it_is_refused(bundle: Bundle, tmp_path: Path) -> None:
    folder = another(bundle, tmp_path / "bundle")
    (folder / "study" / "passwords").symlink_to("/etc/passwd")

    found = only(FolderScan().look(tmp_path))

    assert found.info is None
    assert "symbolic link" in found.problems[0]


def test_the_message_for_a_newer_format_states_what_to_do(bundle: Bundle, tmp_path: Path) -> None:
    another(bundle, tmp_path / "bundle", format="wirelab-bundle/2")

    (problem,) = only(FolderScan().look(tmp_path)).problems

    assert_worded(problem)


@pytest.mark.parametrize("content", [b"", b'{"format": "wirelab-bu', b"\xff\xfe", b"[]", None])
def test_a_truncated_or_missing_file_affects_only_its_bundle(
    bundle: Bundle, tmp_path: Path, content: bytes | None
) -> None:
    another(bundle, tmp_path / "good")
    torn = another(bundle, tmp_path / "torn") / "bundle.json"
    torn.unlink()
    if content is not None:
        torn.write_bytes(content)

    by_name = {found.name: found for found in FolderScan().look(tmp_path).found}

    assert by_name["good"].problems == ()
    assert "bundle.json" in by_name["torn"].problems[0]


def test_an_interrupted_bundle_shows_its_progress(bundle: Bundle, tmp_path: Path) -> None:
    folder = another(bundle, tmp_path / "bundle", status="interrupted")
    shutil.rmtree(next((folder / "blocks").iterdir()))

    found = only(FolderScan().look(tmp_path))

    assert (found.blocks, found.planned) == (5, 6)
    assert not found.is_written


def test_a_bundle_that_a_study_writes_is_known_by_its_lock(bundle: Bundle, tmp_path: Path) -> None:
    folder = another(bundle, tmp_path / "bundle", status="running")
    ended = only(FolderScan().look(tmp_path))
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    written = only(FolderScan().look(tmp_path))
    os.close(descriptor)

    assert [ended.is_written, written.is_written] == [False, True]
    assert not only(FolderScan().look(tmp_path)).is_written


def test_every_change_of_a_file_changes_the_key(bundle: Bundle, tmp_path: Path) -> None:
    folder = another(bundle, tmp_path / "bundle")
    keys = [fingerprint(folder).key]
    host = folder / "host.json"
    times = host.stat()

    write_json(host, json.loads(host.read_text()) | {"cores": 4})
    os.utime(host, ns=(times.st_atime_ns, times.st_mtime_ns))  # as if it were the old one
    keys.append(fingerprint(folder).key)
    (folder / "new.json").write_text("{}")
    keys.append(fingerprint(folder).key)
    (folder / "new.json").rename(folder / "newer.json")
    keys.append(fingerprint(folder).key)

    assert len(set(keys)) == len(keys)


def test_reports_and_unfinished_work_do_not_count(bundle: Bundle, tmp_path: Path) -> None:
    folder = another(bundle, tmp_path / "bundle")
    before = fingerprint(folder)

    (folder / "report").mkdir(exist_ok=True)
    (folder / "report" / "report.html").write_text("made from it")
    (folder / "blocks" / ".partial-next").mkdir()
    (folder / "blocks" / ".partial-next" / "engine.log").write_text("at work")

    assert fingerprint(folder) == before


def test_only_the_changed_ones_of_a_hundred_bundles_are_read_again(
    bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = many(bundle, tmp_path, 100)
    opened: list[Path] = []
    original = Bundle.open

    def open_and_count(path: Path, special: Sequence[str]) -> Bundle:
        opened.append(path)
        return original(path, special)

    monkeypatch.setattr(Bundle, "open", open_and_count)
    scan = FolderScan().look(tmp_path)
    assert sorted(opened) == folders

    opened.clear()
    again = scan.look(tmp_path)
    assert again == scan
    assert opened == []

    (folders[7] / "new.json").write_text("{}")
    again.look(tmp_path)
    assert opened == [folders[7]]
