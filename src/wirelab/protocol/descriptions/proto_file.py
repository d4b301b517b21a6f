"""Compile a .proto with its imports: files of the same content once in a process."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from wirelab.protocol.message import InterfaceError

_IMPORT = re.compile(rb"""\bimport\s+(?:public\s+|weak\s+)?["']([^"']+)["']""")


@dataclass(frozen=True, slots=True)
class _Source:
    """A .proto with its imports: their names and content, and where they were found."""

    content: tuple[tuple[str, bytes], ...]
    path: Path = field(compare=False)
    roots: tuple[Path, ...] = field(compare=False)


def compile_proto(path: Path) -> FileDescriptorSet:
    """Compile a .proto and its imports from folders of the domain.

    Raises `InterfaceError` if it is not valid.
    """
    path = path.absolute()  # the compiler reads options from a file whose name begins with @
    roots = _import_roots(path)
    return _compiled(_Source(tuple(_content(path.name, roots)), path, roots))


@lru_cache(maxsize=32)
def _compiled(source: _Source) -> FileDescriptorSet:
    return protoc([source.path], source.roots)


def protoc(files: Sequence[Path], roots: Sequence[Path | str]) -> FileDescriptorSet:
    """Compile .proto files with what they import, from folders or VIRTUAL=FOLDER.

    Files of google/api and google/protobuf are always found. Raises `InterfaceError` if they are
    not valid.
    """
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "descriptors"
        # -P: modules in the working directory are not imported.
        command = [sys.executable, "-P", "-m", "grpc_tools.protoc", "--include_imports"]
        folders = [it.absolute() if isinstance(it, Path) else it for it in roots]
        command += [f"--proto_path={folder}" for folder in (*folders, _common_protos())]
        # Absolute paths, since protoc takes a name that begins with @ or - for something else.
        command += [f"--descriptor_set_out={output}", *(str(file.absolute()) for file in files)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise InterfaceError(_without_folders(done.stderr, files))
        return FileDescriptorSet.FromString(output.read_bytes())


def _common_protos() -> Path:
    """Return the folder of googleapis-common-protos, which contains google/api."""
    spec = find_spec("google.api")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(next(iter(spec.submodule_search_locations))).parents[1]


def _without_folders(errors: str, files: Sequence[Path]) -> str:
    """Return what protoc says in one line, without its warnings and the folders of the files."""
    lines = [line for line in errors.splitlines() if ": warning: " not in line]
    text = " ".join(" ".join(lines).split())
    for file in files:
        text = text.replace(f"{file.absolute().parent}/", "")
    return text


def _import_roots(path: Path) -> tuple[Path, ...]:
    """Return the folders to search for imports: the file's own, up to the domain's."""
    roots = [path.parent]
    for parent in path.parents[1:]:
        if (roots[-1] / "domain.toml").is_file():
            return tuple(roots)
        roots.append(parent)
    return (path.parent,)


def _content(name: str, roots: tuple[Path, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of a file, and of all that it imports from the roots."""
    names = [name]
    for each in names:
        file = next((root / each for root in roots if (root / each).is_file()), None)
        if file is not None:
            content = file.read_bytes()
            yield each, content
            imports = (match.decode(errors="replace") for match in _IMPORT.findall(content))
            names += [imported for imported in imports if imported not in names]
