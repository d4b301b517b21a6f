"""A domain with a contender.toml of its own."""

from dataclasses import replace
from pathlib import Path

from wirelab.domain.model import Domain

GOOD = """
stack = "small"
title = "Small"
requires = ["sh"]
[build]
inputs = ["lock.txt"]
commands = [["make", "OUT={build}", "-j{cores}"]]
[contender.rest-small]
title = "REST, small"
protocol = "rest"
command = ["{build}/server", "--port", "{port}"]
settings = { workers = 1 }
"""


def with_stack(games: Domain, folder: Path, **stacks: str) -> Domain:
    for name, text in stacks.items():
        stack = folder / "contenders" / name
        stack.mkdir(parents=True)
        (stack / "contender.toml").write_text(text)
        (stack / "lock.txt").touch()
    return replace(games, folder=folder)
