"""The manifest for Kubernetes against KubeRay's own schema, which its Go module brings along."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # has no stubs

MODULE = "github.com/ray-project/kuberay/ray-operator@v1.6.0"
MANIFEST = Path(__file__).parents[2] / "docs" / "guides" / "kubernetes" / "raycluster.yaml"

pytestmark = pytest.mark.thorough("downloads KubeRay")


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the schema of RayCluster; fields that it does not know are wrong."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("Go is missing, which downloads KubeRay's schema")
    folder = tmp_path_factory.mktemp("go")
    environment = os.environ | {"GOFLAGS": "-modcacherw", "GOMODCACHE": str(folder / "modules")}
    done = subprocess.run(
        [go, "mod", "download", "-json", MODULE],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    if done.returncode != 0:
        pytest.skip(f"KubeRay's module cannot be downloaded: {done.stdout[-300:]}")
    file = Path(json.loads(done.stdout)["Dir"]) / "config/crd/bases/ray.io_rayclusters.yaml"
    definition = yaml.safe_load(file.read_text())["spec"]
    versions = {each["name"]: each["schema"]["openAPIV3Schema"] for each in definition["versions"]}
    found: dict[str, Any] = _strict(versions["v1"])
    return found


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: _strict(value) for key, value in schema.items()}
    closed = isinstance(schema.get("properties"), dict) and schema.get("type") == "object"
    if closed and not schema.get("x-kubernetes-preserve-unknown-fields"):
        strict.setdefault("additionalProperties", False)
        strict["properties"] |= {"metadata": {}} if "apiVersion" in schema["properties"] else {}
    if schema.get("x-kubernetes-int-or-string"):
        strict.pop("type", None)
    return strict


def mistakes(schema: dict[str, Any], manifest: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(schema).iter_errors(manifest)]


def test_kuberay_accepts_the_manifest(schema: dict[str, Any]) -> None:
    assert mistakes(schema, yaml.safe_load(MANIFEST.read_text())) == []


def test_kuberay_refuses_one_with_a_wrong_key(schema: dict[str, Any]) -> None:
    manifest = yaml.safe_load(MANIFEST.read_text())
    manifest["spec"]["headGroupSpec"]["template"]["spec"]["containerz"] = []
    del manifest["spec"]["headGroupSpec"]["rayStartParams"]

    assert any("containerz" in each for each in mistakes(schema, manifest))
