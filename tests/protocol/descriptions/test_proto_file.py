"""A .proto is compiled once in a process, and again as soon as it or an import changes."""

import shutil
from pathlib import Path

import pytest

from tests.support.wording import raises_worded
from wirelab.protocol.descriptions.proto_file import compile_proto
from wirelab.protocol.message import InterfaceError

ROOT = 'syntax = "proto3"; import public "parts/one.proto"; message Whole { One one = 1; }'
PART = 'syntax = "proto3"; message One { int32 number = 1; }'


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """A domain with a file that imports another."""
    domain = tmp_path / "domain"
    (domain / "parts").mkdir(parents=True)
    (domain / "domain.toml").touch()
    (domain / "parts" / "one.proto").write_text(PART)
    file = domain / "whole.proto"
    file.write_text(ROOT)
    return file


def test_files_of_the_same_content_are_compiled_once(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = compile_proto(whole)
    copy = shutil.copytree(whole.parent, whole.parents[1] / "copy") / whole.name
    monkeypatch.delattr("subprocess.run")

    assert compile_proto(copy) is compiled
    assert [file.name for file in compiled.file] == ["parts/one.proto", "whole.proto"]


@pytest.mark.parametrize("changed", ["whole.proto", "parts/one.proto"])
def test_a_changed_file_is_compiled_again(whole: Path, changed: str) -> None:
    compile_proto(whole)
    file = whole.parent / changed
    file.write_text(file.read_text() + " message New {}")

    messages = {message.name for file in compile_proto(whole).file for message in file.message_type}

    assert messages == {"One", "Whole", "New"}


def test_a_mistake_is_reported_each_time(whole: Path) -> None:
    (whole.parent / "parts" / "one.proto").unlink()

    for _ in range(2):
        with raises_worded(InterfaceError):
            compile_proto(whole)
