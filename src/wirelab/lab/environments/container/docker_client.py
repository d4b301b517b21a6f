"""The client library of container engines, imported on first use.

It imports an HTTP library, and most commands use no containers.
"""

import importlib.util
import sys
from types import ModuleType
from typing import TYPE_CHECKING


def _loaded_at_first_use(name: str) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    loader = importlib.util.LazyLoader(spec.loader)
    spec.loader = loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


if TYPE_CHECKING:
    import docker
    import docker.errors
    import docker.models.images
else:
    docker = _loaded_at_first_use("docker")

__all__ = ["docker"]
