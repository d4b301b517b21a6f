"""A copy of the notes with contenders, a dialect and a study, to be changed."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.domain.fixtures import FOLDER
from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.planning.plan import plan_study

STUDY = FOLDER.parent / "notes-study" / "study.toml"
STACK = """
stack = "notes"
title = "Notes"

[build]
inputs = ["lock.txt"]

[contender.rest-notes]
title = "REST"
protocol = "rest"
command = ["serve"]

[contender.grpc-notes]
title = "gRPC"
protocol = "grpc"
command = ["serve"]
"""
GENERIC = """
stack = "generic"
title = "A generic server"

[contender.generic]
title = "GraphQL of the tables"
protocol = "graphql"
dialect = "part"
command = ["serve"]
"""

Edit = Callable[..., None]


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A folder with the notes, their contenders, a dialect, and a study of them."""
    shutil.copytree(FOLDER, tmp_path / "notes")
    for name, text in {
        "study/study.toml": STUDY.read_text(),
        "notes/contenders/own/contender.toml": STACK,
        "notes/contenders/own/lock.txt": "",
        "notes/contenders/generic/contender.toml": GENERIC,
        "notes/dialects/part.toml": 'only = ["read", "ping"]\n',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def edit(world: Path) -> Edit:
    """Replace text in a file of the world."""

    def edited(name: str, *replacements: tuple[str, str]) -> None:
        file = world / name
        text = file.read_text()
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new, 1)
        file.write_text(text)

    return edited


def mistakes(world: Path, *only: str) -> list[Problem]:
    with pytest.raises(ProblemsError) as raised:
        plan_study(world / "study", "smoke", 1, only, unavailable=lambda *_: {})
    return raised.value.problems


def places(problems: list[Problem]) -> list[tuple[str, str]]:
    """File and key of each problem."""
    return sorted((Path(each.where).name.partition(",")[0], each.key) for each in problems)
