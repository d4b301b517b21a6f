"""Detect development servers by their command lines and environment variables."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

WORDS = {
    "--reload": "it watches its files (--reload)",
    "runserver": "it is Django's runserver",
    "nodemon": "it is started by nodemon",
    "ts-node-dev": "it is started by ts-node-dev",
    "webpack-dev-server": "it is webpack's development server",
    "vite": "it is Vite's development server",
}
"""By a word of the command line, or the last part of a path."""
PAIRS = {
    ("flask", "run"): "it is started by `flask run`",
    ("fastapi", "dev"): "it is started by `fastapi dev`",
    ("next", "dev"): "it is started by `next dev`",
}
NODE = {"node", "nodejs"}
"""By the name of the program's file: Node.js 24 calls its process MainThread."""


def signs_of_development(pid: int) -> list[str]:
    """Return signs that a process, or one of its descendants, is a development server.

    Of the environment, only NODE_ENV and FLASK_DEBUG are read. Processes that have ended or belong
    to other users are ignored.
    """
    try:
        root = psutil.Process(pid)
        family = [root, *root.children(recursive=True)]
    except psutil.Error:
        return []
    return list(dict.fromkeys(sign for process in family for sign in _signs(process)))


def _signs(process: psutil.Process) -> Iterator[str]:
    try:
        program, words, environment = process.exe(), process.cmdline(), process.environ()
    except (psutil.Error, OSError):
        return
    if Path(program).name in NODE and environment.get("NODE_ENV") != "production":
        value = f"is {environment['NODE_ENV']}" if environment.get("NODE_ENV") else "is not set"
        yield f"NODE_ENV {value} (Node.js frameworks do less work if it is production)"
    if environment.get("FLASK_DEBUG", "0") not in ("", "0", "false"):
        yield "FLASK_DEBUG is set"
    yield from _signs_in(words)


def _signs_in(command: Sequence[str]) -> Iterator[str]:
    names = [word.rpartition("/")[2] for word in command]
    yield from (sign for word, sign in WORDS.items() if word in names)
    for (one, other), sign in PAIRS.items():
        if one in names and other in names[names.index(one) :]:
            yield sign
