"""Compile .proto files of the user, whose imports are beside them, above them, or elsewhere."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from wirelab.inputs.problems import Problem, ProblemsError
from wirelab.protocol.descriptions.proto_file import protoc
from wirelab.protocol.message import InterfaceError
from wirelab.terminal.words import listed

_MISSING = re.compile(r"(?:^| )(\S+\.proto): File not found\.")
_TWICE = "is already defined in file"


def compile_with_imports(files: Sequence[Path], import_path: Sequence[Path]) -> FileDescriptorSet:
    """Compile .proto files: imports are in `import_path`, or in the folders around the files.

    Raises `ProblemsError` if they are not valid, or if an import is missing.
    """
    around = dict.fromkeys(folder for file in files for folder in file.absolute().parents)
    roots: list[Path | str] = [*(each.absolute() for each in import_path), *around]
    if any(os.pathsep in str(root) for root in roots):
        what = f"{_shown(files)} cannot be compiled: a folder's name contains {os.pathsep!r}"
        raise ProblemsError([Problem.stated(what, "rename the folder: protoc separates names so")])
    wrong = ""
    for attempt in _attempts(roots, len(import_path), len(files)):
        try:
            return protoc(files, attempt)
        except InterfaceError as error:
            wrong = wrong or str(error)
            if missing := _MISSING.findall(str(error)):
                moved = [each for name in missing for each in _moved(name, roots)]
                try:
                    return protoc(files, [*attempt, *dict.fromkeys(moved)])
                except InterfaceError as again:
                    wrong = str(again)
            if _TWICE not in str(error):
                break
    raise ProblemsError([_problem(files, wrong)])


def _attempts(
    roots: Sequence[Path | str], given: int, files: int
) -> Iterator[Sequence[Path | str]]:
    """Yield the roots in orders to try: a file that imports itself indirectly needs its own."""
    yield roots
    if files == 1:
        around = roots[given:]
        yield from ([*roots[:given], each, *roots[given:]] for each in around[1:-1])


def _moved(name: str, roots: Sequence[Path | str]) -> Iterator[str]:
    """Yield VIRTUAL=FOLDER for an import whose name begins with that of its module.

    etcd/api/mvccpb/kv.proto is mvccpb/kv.proto in the folder of the module etcd/api.
    """
    parts = name.split("/")
    for length in range(1, len(parts)):
        rest = "/".join(parts[length:])
        for root in roots:
            if length < len(parts) - 1 and (Path(root) / rest).is_file():
                yield f"{'/'.join(parts[:length])}={root}"
                return


def _shown(files: Sequence[Path]) -> str:
    return listed(map(str, files))


def _problem(files: Sequence[Path], wrong: str) -> Problem:
    where = _shown(files)
    if missing := dict.fromkeys(_MISSING.findall(wrong)):
        names = ", ".join(missing)
        hint = "give the folder that contains it, at this path, with --import-path"
        return Problem(where, "import", names, "a file", hint)
    return Problem.unreadable(where, "a valid .proto file", wrong)
