"""A bundle says what its environments are."""

from pathlib import Path

from tests.support.bundles.samples import create


def test_facts_are_kept_by_level(tmp_path: Path) -> None:
    bundle = create(tmp_path / "bundle", blocks=1)
    assert bundle.environments == {}

    bundle.write_environments({"container": {"engine": "Docker 20.10.24"}})

    assert bundle.environments == {"container": {"engine": "Docker 20.10.24"}}
