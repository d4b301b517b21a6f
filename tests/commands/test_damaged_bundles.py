"""`wirelab run --resume` refuses a damaged bundle at once, and changes nothing in it."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.bundles.damages import DAMAGES, needed_files
from tests.support.bundles.synthetic import write_bundle
from tests.support.wording import assert_worded
from wirelab.bundle import Bundle
from wirelab.terminal.exit_codes import ExitCode

from .conftest import Call


class Resumed(BaseException):
    """The bundle was accepted."""


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged") / "bundle"
    write_bundle(folder, blocks=2, requests=50, permutations=4, workloads=("fetch_one",))
    with Bundle.resume(folder) as bundle:
        bundle.unseal()
        bundle.append_event("begun")
        bundle.set_status("interrupted")
    return folder


@pytest.fixture
def bundle(interrupted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the bundle; resuming it would raise `Resumed`."""

    def refuse(_: Bundle) -> None:
        raise Resumed

    monkeypatch.setattr(Bundle, "unseal", refuse)
    folder = tmp_path / "bundle"
    shutil.copytree(interrupted, folder)
    return folder


def contents(folder: Path) -> Mapping[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def test_a_whole_bundle_is_resumed(bundle: Path, call: Call) -> None:
    with pytest.raises(Resumed):
        call("run", "--resume", bundle)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named_and_nothing_is_changed(
    bundle: Path, interrupted: Path, damage: str, call: Call
) -> None:
    for name in needed_files(interrupted):
        DAMAGES[damage](bundle / name)
        before = contents(bundle)

        code, _, message = call("run", "--resume", bundle)

        assert code == ExitCode.BAD_INPUT, name
        assert message.startswith("error: "), name
        assert (name if name != "study/study.toml" else "study") in message
        assert "Traceback" not in message
        assert contents(bundle) == before, name
        shutil.rmtree(bundle)
        shutil.copytree(interrupted, bundle)


def test_all_damaged_files_are_named_each_with_what_to_do(bundle: Path, call: Call) -> None:
    first, second = sorted((bundle / "blocks").iterdir())
    (first / "block.json").unlink()
    (second / "1" / "slices.parquet").write_bytes(b"PAR1")
    (bundle / "verify.json").write_text("{")
    (bundle / "logs").write_text("")
    (bundle / "events.jsonl").unlink()
    (bundle / "events.jsonl").mkdir()

    code, _, err = call("run", "--resume", bundle)

    assert code == ExitCode.BAD_INPUT
    lines = err.splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    assert [
        next(it for it in errors if name in it)
        for name in (
            f"{bundle}/logs ",
            "verify.json: not valid JSON",
            "events.jsonl: Is a directory",
            f"{first}/block.json: ",
            f"{second}/1/slices.parquet",
        )
    ] == errors
    hints = [line for line in lines if line.startswith("hint: ")]
    assert hints[:3] == hints[:1] * 3
    for hint, block in zip(hints[3:], (first, second), strict=True):
        assert hint.startswith(hints[0])
        assert str(block) in hint
    assert_worded(hints[3])


def test_a_block_whose_folder_was_removed_gets_the_next_number(bundle: Path) -> None:
    """Its further attempts may remain."""
    first = min((bundle / "blocks").iterdir())
    record = Bundle.open(bundle).block_record(first)
    again = record.model_copy(update={"attempt": 2, "failure": "the store ended"})
    first.rename(first.with_name(again.folder_name))
    (first.with_name(again.folder_name) / "block.json").write_text(again.model_dump_json())

    assert Bundle.open(bundle).next_attempt(record.block.id) == 3
    assert Bundle.open(bundle).next_attempt("none") == 1
