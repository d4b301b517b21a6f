"""The image of a stack: built from its Dockerfile, and a build that fails shows why."""

from collections.abc import Callable
from pathlib import Path

import docker
import pytest

from tests.lab.environments.container.conftest import DOCKERFILE
from wirelab.errors import MissingProgramError
from wirelab.lab.contenders.contender import Contender
from wirelab.lab.environments.container.engine import LABEL
from wirelab.lab.environments.container.image import build_image
from wirelab.lab.errors import BuildError

MakeContender = Callable[..., Contender]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIRELAB_CACHE", str(tmp_path / "cache"))


def test_it_is_built_once_for_each_content(
    make_contender: MakeContender, engine: docker.DockerClient, base: str, tmp_path: Path
) -> None:
    first = build_image(make_contender("a = 1", versions=True), tmp_path / "log")
    again = build_image(make_contender("a = 1", versions=True), tmp_path / "log")
    other = build_image(make_contender("a = 2", versions=True), tmp_path / "log")

    assert first.image == again.image != other.image
    assert first.named_versions() == {"made-up": "1.2.3"}
    assert first.workdir == "/srv/made-up"
    assert engine.images.get(other.image).labels[LABEL] == "image"
    with pytest.raises(docker.errors.ImageNotFound):
        engine.images.get(first.image)


def test_a_failing_build_shows_its_last_lines(
    make_contender: MakeContender, base: str, tmp_path: Path, nothing_left: Callable[[], list[str]]
) -> None:
    failing = DOCKERFILE + "USER root\nRUN echo nearly there && no-such-program --now\n"
    contender = make_contender("", dockerfile=failing)

    with pytest.raises(BuildError) as raised:
        build_image(contender, tmp_path / "log")

    text = str(raised.value)
    assert str(tmp_path / "log") in text
    assert "  | nearly there" in text
    assert "no-such-program" in text
    assert "\x1b" not in text
    assert "nearly there" in (tmp_path / "log").read_text()


def test_a_missing_base_image(
    make_contender: MakeContender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIRELAB_BASE_IMAGE", "localhost:1/no-such-image:none")

    with pytest.raises(BuildError, match=r"(?s)localhost:1.*WIRELAB_BASE_IMAGE"):
        build_image(make_contender(""), tmp_path / "log")


def test_a_stack_without_a_dockerfile_is_skipped(
    make_contender: MakeContender, tmp_path: Path
) -> None:
    contender = make_contender("")
    (contender.folder / "Dockerfile").unlink()

    with pytest.raises(MissingProgramError, match="made-up/Dockerfile"):
        build_image(contender, tmp_path / "log")


def test_versions_that_cannot_be_queried(
    make_contender: MakeContender, base: str, tmp_path: Path
) -> None:
    without = DOCKERFILE.replace("> /build/versions", "> /dev/null")
    contender = make_contender("", dockerfile=without, versions=True)

    with pytest.raises(BuildError, match="cat /build/versions"):
        build_image(contender, tmp_path / "log")
