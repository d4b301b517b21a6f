"""A damaged bundle is named with the file and the cause, and affects no other bundle."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.bundles.damages import DAMAGES, needed_files
from tests.support.bundles.synthetic import write_bundle
from wirelab.browse import analyst
from wirelab.browse.cache import Cache
from wirelab.browse.folder_scan import FolderScan, ScannedBundle
from wirelab.bundle import Bundle

from .conftest import THREE


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle that is not sealed: no seal names what is missing."""
    folder = tmp_path_factory.mktemp("small") / "small"
    write_bundle(
        folder, blocks=2, requests=50, permutations=4, workloads=("fetch_one",), models=THREE
    )
    with Bundle.resume(folder) as bundle:
        bundle.unseal()
        bundle.set_status("interrupted")
    return folder


def problems_of(found: ScannedBundle, cache: Cache) -> list[str]:
    """Return the problems that the page of the list shows."""
    return list(found.problems) or analyst.read(cache, found.path, found.key, with_report=False)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_bundle_is_named_and_the_others_are_read(
    small: Path, tmp_path: Path, cache: Cache, damage: str
) -> None:
    folder = tmp_path / "bundles"
    names = needed_files(small)
    shutil.copytree(small, folder / "whole")
    for number, name in enumerate(names):
        shutil.copytree(small, folder / str(number))
        DAMAGES[damage](folder / str(number) / name)

    found = {each.name: each for each in FolderScan().look(folder).found}

    assert found.keys() == {"whole", *map(str, range(len(names)))}
    assert problems_of(found["whole"], cache) == []
    for number, name in enumerate(names):
        problem, *_ = problems_of(found[str(number)], cache)
        assert str(folder / str(number)) in problem or name == "study/study.toml"
        assert (name if name != "study/study.toml" else "study") in problem


def test_a_file_without_its_contenders_is_named_with_them(
    small: Path, tmp_path: Path, cache: Cache
) -> None:
    shutil.copytree(small, tmp_path / "bundles" / "one")
    file = tmp_path / "bundles" / "one" / "contenders.json"
    names = sorted(json.loads(file.read_text()))
    file.write_text("{}")

    (found,) = FolderScan().look(tmp_path / "bundles").found

    (problem,) = problems_of(found, cache)
    assert problem.startswith(f"{file}: {', '.join(names)} missing; ")
