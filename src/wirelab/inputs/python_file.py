"""Execute a Python file of a domain or of a study, which is no module of wirelab."""

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

DEFECTS = (Exception, SystemExit)
"""What the file's own code may raise by mistake; `sys.exit` must not end wirelab in silence."""


def load_module(name: str, file: Path) -> ModuleType:
    """Execute a file as the module `name`; an `__init__.py` can import the modules beside it.

    No bytecode is written, since the folder may belong to another user. Raises what the file
    raises.
    """
    specification = importlib.util.spec_from_file_location(name, file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.modules[name] = module  # dataclasses and relative imports look it up there
    try:
        specification.loader.exec_module(module)
    except BaseException:
        for loaded in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
            del sys.modules[loaded]
        raise
    finally:
        sys.dont_write_bytecode = writes_bytecode
    return module


def raised_at(error: BaseException, inside: Path) -> tuple[Path, int] | None:
    """Return file and line of the innermost frame of an error in a file, or in a folder's files.

    None if no line of them raised it.
    """
    lines = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        lines.append((error.filename or "", error.lineno))
    raised = [
        (Path(name), line) for name, line in lines if line and Path(name).is_relative_to(inside)
    ]
    return raised[-1] if raised else None
