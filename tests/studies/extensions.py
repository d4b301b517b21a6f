"""The modules of the extensions of wirelab's own studies, as wirelab loads them."""

from importlib import import_module
from pathlib import Path
from types import ModuleType

from wirelab.analysis.extension_loading import load_extension

STUDIES = Path(__file__).parents[2] / "studies"


def module_of(study: str, extension: str, name: str) -> ModuleType:
    """Return a module of a study's extension by its name in the package."""
    loaded = load_extension(STUDIES / study, extension)
    return import_module(f"{type(loaded).__module__}.{name}")
