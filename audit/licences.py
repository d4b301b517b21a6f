"""The licence of each component, from what is on this machine, held against a policy."""

import json
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path

from audit.components import Component, find
from wirelab.installation.programs import cache_folder

POLICY = Path(__file__).with_name("policy.toml")
WORDS = re.compile(r"\(|\)|[^\s()]+")
TEXTS = {
    "Apache-2.0": r"Apache License\s+Version 2\.0",
    "MPL-2.0": r"Mozilla Public License,? [Vv]ersion 2\.0",
    "BSD-3-Clause": r"Neither the name",
    "BSD-2-Clause": r"Redistribution and use in source and binary forms",
    "ISC": r"distribute this software for any\s+purpose with or without fee",
    "MIT": r"Permission is hereby granted, free of charge",
    "Unlicense": r"free and unencumbered software released into the public domain",
}
"""What the text of a licence says, in the order in which they are looked for."""


@dataclass(frozen=True)
class Policy:
    """policy.toml: what is allowed for all, for some, and what metadata says badly."""

    allow: frozenset[str]
    exceptions: Mapping[str, str]
    """Licences that are allowed for one component, by its name."""
    known: Mapping[str, str]
    """The licences of components whose metadata name none, by name, as somebody has read them."""
    spelled: Mapping[str, str]
    """The names that metadata give to licences, by which SPDX does not know them."""

    @classmethod
    def read(cls, path: Path = POLICY) -> "Policy":
        """Read the policy."""
        text = tomllib.loads(path.read_text())
        return cls(frozenset(text["allow"]), text["exceptions"], text["known"], text["spelled"])

    def licence(self, component: Component, declared: str) -> str:
        """Return the licence as SPDX writes it; "" if it is unknown."""
        found = self.known.get(component.name) or declared
        return self.spelled.get(found, found).replace(" / ", " OR ").replace("/", " OR ")

    def allows(self, component: Component, licence: str) -> bool:
        """Tell whether a component may be used under its licence."""
        if self.exceptions.get(component.name) == licence:
            return True
        return allowed(licence, self.allow)


def allowed(expression: str, allow: frozenset[str]) -> bool:
    """Tell whether an SPDX expression can be met by allowed licences alone."""
    words = WORDS.findall(re.sub(r"(\S+) WITH (\S+)", r"\1_WITH_\2", expression))

    def either() -> bool:
        result = both()
        while words and words[0] == "OR":
            words.pop(0)
            result |= both()
        return result

    def both() -> bool:
        result = one()
        while words and words[0] == "AND":
            words.pop(0)
            result &= one()
        return result

    def one() -> bool:
        if not words:
            return False
        word = words.pop(0)
        if word == "(":
            result = either()
            return result and bool(words) and words.pop(0) == ")"
        return word.replace("_WITH_", " WITH ") in allow

    return either() and not words


def licences_of(components: Iterable[Component]) -> dict[Component, str | None]:
    """Return the declared licences: "" if none, None if a component is not on this machine."""
    read: Mapping[str, Callable[[], Callable[[Component], str | None]]] = {
        "crates.io": lambda: _cargo,
        "PyPI": _pypi,
        "npm": _npm,
        "Go": lambda: _go,
        "Maven": lambda: _maven,
    }
    readers: dict[str, Callable[[Component], str | None]] = {}
    found = {}
    for component in components:
        if component.kind not in readers:
            readers[component.kind] = read[component.kind]()
        found[component] = readers[component.kind](component)
    return found


def _cargo(component: Component) -> str | None:
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    crate = f"{component.name}-{component.version}"
    for path in (home / "registry" / "src").glob(f"*/{crate}/Cargo.toml"):
        return str(tomllib.loads(path.read_text())["package"].get("license", ""))
    return None


def _pypi() -> Callable[[Component], str | None]:
    """Look in our environment, and in those that were built for contenders."""
    built = {str(path.parent) for path in (cache_folder() / "builds").rglob("*.dist-info")}

    def licence(component: Component) -> str | None:
        named = distributions(name=component.name, path=[*sys.path, *built])
        found = [each for each in named if each.version == component.version]
        return _of_distribution(found[-1]) if found else None

    return licence


def _of_distribution(distribution: Distribution) -> str:
    metadata = distribution.metadata
    if "License-Expression" in metadata:
        return str(metadata["License-Expression"])
    classes = [it for it in metadata.get_all("Classifier") or () if it.startswith("License ::")]
    if classes and (last := classes[0].rpartition(":: ")[2]) != "OSI Approved":
        return str(last)
    return str(metadata["License"]).partition("\n")[0] if "License" in metadata else ""


def _npm() -> Callable[[Component], str | None]:
    licences = {}
    for path in find("package-lock.json"):
        for place, package in json.loads(path.read_text())["packages"].items():
            name = place.rpartition("node_modules/")[2]
            licences[name, package.get("version")] = str(package.get("license") or "")
    return lambda component: licences.get((component.name, component.version))


def _go(component: Component) -> str | None:
    cache = Path(os.environ.get("GOMODCACHE") or Path.home() / "go" / "pkg" / "mod")
    # The cache writes a capital letter as ! and the small one.
    escaped = re.sub(r"[A-Z]", lambda found: f"!{found[0].lower()}", component.name)
    folder = cache / f"{escaped}@{component.version}"
    if not folder.is_dir():
        return None
    for path in sorted(folder.glob("[LlCc][IiOo][CcPp][EeYy]*")):
        text = path.read_text(errors="replace") if path.is_file() else ""
        for licence, words in TEXTS.items():
            if re.search(words, text):
                return licence
    return ""


def _maven(component: Component) -> str | None:
    """Read the pom, or that of its parent: most say it only there."""
    name, version = component.name, component.version
    for _ in range(4):
        group, artifact = name.split(":")
        folder = Path.home() / ".m2" / "repository" / group.replace(".", "/") / artifact / version
        pom = folder / f"{artifact}-{version}.pom"
        if not pom.is_file():
            return None
        text = pom.read_text(errors="replace")
        if found := re.search(r"<license>\s*<name>([^<]+)</name>", text):
            return found[1].strip()
        parent = re.search(
            r"<parent>\s*<groupId>([^<]+)</groupId>\s*<artifactId>([^<]+)</artifactId>"
            r"\s*<version>([^<]+)</version>",
            text,
        )
        if parent is None:
            return ""
        name, version = f"{parent[1]}:{parent[2]}", parent[3]
    return ""
