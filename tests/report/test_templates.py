"""Templates are compiled once and kept in the cache, and reports need no cache."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment

from wirelab.report.environment import compiled_templates, environment


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Use a cache of its own, as a process that has just started does."""
    monkeypatch.setenv("WIRELAB_CACHE", str(tmp_path))
    compiled_templates.cache_clear()
    yield tmp_path
    compiled_templates.cache_clear()


def test_a_template_is_compiled_once(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment().get_template("style.css")
    monkeypatch.setattr(Environment, "compile", lambda *_, **__: pytest.fail("compiled again"))

    environment().get_template("style.css")

    assert len(list((cache_folder / "builds" / "templates").iterdir())) == 1


def test_environments_that_escape_differently_keep_different_code(cache_folder: Path) -> None:
    plain = environment().overlay(
        autoescape=False, bytecode_cache=compiled_templates("markdown"), cache_size=0
    )

    for made in (environment(), plain):
        made.get_template("style.css")

    assert len(list((cache_folder / "builds" / "templates").iterdir())) == 2


def test_without_space_for_it_or_a_cache_the_code_is_not_kept(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled_templates("page")
    (cache_folder / "builds" / "templates").rmdir()  # no file can be written
    assert environment().get_template("style.css").name == "style.css"

    (cache_folder / "file").write_text("")
    monkeypatch.setenv("WIRELAB_CACHE", str(cache_folder / "file"))
    compiled_templates.cache_clear()
    assert compiled_templates("page") is None
    assert environment().get_template("style.css").name == "style.css"
