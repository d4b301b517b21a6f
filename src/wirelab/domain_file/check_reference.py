"""Check reference.py without executing it, and the options that dialects give its class."""

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from wirelab.domain.model import REFERENCE_FILE
from wirelab.domain.read import Reader
from wirelab.inputs.close_match import another_key, close_match
from wirelab.inputs.problems import add_problem, shown

CLASS = "Reference"


def check_reference(reader: Reader) -> None:
    """Check that the file of the reference defines the class."""
    file = reader.folder / REFERENCE_FILE
    where = shown(file)
    if not file.is_file():
        reader.problem(REFERENCE_FILE, None, "a file with a class Reference")
        return
    try:
        defined = _defined(file.read_bytes())
    except SyntaxError as error:
        what = f"not valid Python: {error.msg}"
        add_problem(f"{where}:{error.lineno}", "", what, "")
        return
    except ValueError as error:
        add_problem(where, "", f"not valid Python: {error}", "")
        return
    if not defined & {CLASS, "*"}:
        add_problem(where, "", "it has no class Reference", "")


def check_options(reader: Reader, options: Mapping[str, object]) -> None:
    """Check that the class accepts the options of a dialect, as far as its file shows them."""
    known = known_options(reader.folder)
    if known is None:
        return
    for name in sorted(options.keys() - set(known)):
        expected = f"{another_key(known)}: {CLASS} in {REFERENCE_FILE} has no such option"
        reader.problem(f"reference.{name}", options[name], expected, close_match(name, known))


def known_options(folder: Path) -> list[str] | None:
    """Return the options of the class in a domain's folder; None if its file does not show them.

    They are what its constructor accepts by keyword, besides the tables.
    """
    body: list[ast.stmt] = []
    with suppress(OSError, SyntaxError, ValueError):
        body = _parsed((folder / REFERENCE_FILE).read_bytes()).body
    classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == CLASS]
    made = [
        node
        for each in classes
        for node in each.body
        if isinstance(node, ast.FunctionDef) and node.name == "__init__"
    ]
    if len(classes) != 1 or len(made) != 1 or made[0].args.kwarg or classes[0].decorator_list:
        return None
    arguments = made[0].args
    return [argument.arg for argument in (*arguments.args[2:], *arguments.kwonlyargs)]


@lru_cache(maxsize=8)  # each dialect has the same file
def _parsed(source: bytes) -> ast.Module:
    return ast.parse(source)


@lru_cache(maxsize=8)
def _defined(source: bytes) -> frozenset[str]:
    """Return the names that a module may define, also by import or assignment."""
    return frozenset(_names(_parsed(source)))


def _names(module: ast.Module) -> Iterator[str]:
    for inner in ast.walk(module):
        match inner:
            case ast.ClassDef(name=name) | ast.alias(asname=str(name)) | ast.alias(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
