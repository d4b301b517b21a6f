"""A bundle is resumed with the data and the stores that it was begun with."""

from pathlib import Path

import pytest

from tests.support.bundles.samples import create
from tests.support.wording import raises_worded
from wirelab.bundle import Bundle
from wirelab.commands.resumption import how_to_resume, require_same_sources
from wirelab.inputs.problems import ProblemsError

BEGUN = (
    "wirelab",
    "run",
    "sample",
    "--data",
    "my rows.csv",
    "--store=postgresql=postgresql?cpus=1",
)


def begun(tmp_path: Path, *command: str) -> Path:
    bundle = create(tmp_path / "bundle", blocks=1)
    bundle._update_info(command=command)
    bundle.close()
    return Bundle.open(bundle.path).path


def test_the_command_that_resumes_repeats_the_sources(tmp_path: Path) -> None:
    folder = begun(tmp_path, *BEGUN)

    assert how_to_resume(folder) == (
        f"wirelab run --resume {folder} --data 'my rows.csv' --store 'postgresql=postgresql?cpus=1'"
    )


def test_sources_that_are_missing_are_all_named(tmp_path: Path) -> None:
    folder = begun(tmp_path, *BEGUN)

    with raises_worded(ProblemsError) as refused:
        require_same_sources(folder, {}, None)

    assert len(refused.value.problems) == 2
    require_same_sources(folder, {"postgresql": "postgresql?cpus=1"}, Path("moved/my rows.csv"))


def test_a_bundle_that_no_command_began_is_resumed_without_sources(tmp_path: Path) -> None:
    folder = begun(tmp_path)

    require_same_sources(folder, {}, None)

    assert how_to_resume(folder) == f"wirelab run --resume {folder}"


def test_sources_that_a_bundle_was_begun_without_are_refused(tmp_path: Path) -> None:
    folder = begun(tmp_path, "wirelab", "run", "sample")

    with pytest.raises(ProblemsError, match=r"--data is .*started without"):
        require_same_sources(folder, {}, Path("rows.csv"))

    assert how_to_resume(folder) == f"wirelab run --resume {folder}"
