"""What is kept of bundles: found again, never believed of others, and not without end."""

import math
import os
from dataclasses import replace
from pathlib import Path

import pytest

from wirelab.analysis.synopsis import CellSynopsis, Synopsis, Versus
from wirelab.analysis.wording import Said
from wirelab.browse import cache as cache_module
from wirelab.browse.cache import Cache, Reading
from wirelab.statistics import Interval


def test_a_reading_is_found_by_its_key(cache: Cache, synopsis: Synopsis) -> None:
    cache.keep_reading("a", Reading(synopsis))
    cache.keep_reading("b", Reading(problems=("torn",)))

    assert cache.reading("a") == Reading(synopsis)
    assert cache.reading("b") == Reading(problems=("torn",))
    assert cache.reading("c") is None


def test_a_report_is_found_by_its_key(cache: Cache) -> None:
    cache.keep_report("a", "<h1>µ</h1>")

    assert cache.report("a") == "<h1>µ</h1>"
    assert cache.report("b") is None


def test_entries_of_other_code_are_ignored(cache: Cache, synopsis: Synopsis) -> None:
    cache.keep_reading("a", Reading(synopsis))

    assert Cache(cache.folder, code="a newer version").reading("a") is None
    assert Cache(cache.folder).reading("a") == Reading(synopsis)


def test_not_a_number_survives(cache: Cache, synopsis: Synopsis) -> None:
    (setting,) = synopsis.settings
    unknown = Versus("REST", math.nan, Interval(0.0, math.inf), 0, Said("–", "", "", "", None))
    cells = (CellSynopsis("grpc-grpcio", math.inf, "unknown", unknown),)
    cache.keep_reading("a", Reading(replace(synopsis, settings=(replace(setting, cells=cells),))))

    reading = cache.reading("a")
    assert reading is not None
    assert reading.synopsis is not None
    (cell,) = reading.synopsis.settings[0].cells
    assert cell.latency_us == math.inf
    assert cell.versus is not None
    assert math.isnan(cell.versus.ratio)
    assert cell.versus.interval95 == Interval(0.0, math.inf)


@pytest.mark.parametrize("content", [b"", b"{", b'{"synopsis": {"title": 3}}'])
def test_a_damaged_file_is_ignored(cache: Cache, synopsis: Synopsis, content: bytes) -> None:
    cache.keep_reading("a", Reading(synopsis))
    (path,) = cache.folder.iterdir()
    path.write_bytes(content)

    assert cache.reading("a") is None


def test_only_the_owner_can_read_the_cache(tmp_path: Path) -> None:
    assert Cache(tmp_path / "cache").folder.stat().st_mode & 0o777 == 0o700


def test_the_least_recently_used_entry_is_removed(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "MOST_REPORTS", 2)
    moments = iter(range(1, 100))
    touch = os.utime
    monkeypatch.setattr(os, "utime", lambda path: touch(path, (moment := next(moments), moment)))
    for key in ("a", "b"):
        cache.keep_report(key, key)
    assert [cache.report(key) for key in ("b", "a")] == ["b", "a"]

    cache.keep_report("c", "c")

    assert [cache.report(key) for key in ("a", "b", "c")] == ["a", None, "c"]


def test_changed_code_of_wirelab_or_of_an_extension_changes_the_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "files", lambda name: tmp_path)
    digest_now = cache_module.code_digest.__wrapped__
    extension = tmp_path / "resources" / "studies" / "own" / "points" / "__init__.py"
    for path, matters in (
        (tmp_path / "report" / "page.py", True),
        (extension, True),
        (extension.with_name("points.html"), True),
        (tmp_path / "resources" / "domains" / "own" / "reference.py", False),
        (extension.parent / "__pycache__" / "points.py", False),
    ):
        before = digest_now()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1")
        assert (digest_now() != before) is matters, path
