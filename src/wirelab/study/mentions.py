"""What study.toml says about its domain: names that only the domain's own files can confirm."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wirelab.inputs.file_model import FileModel
from wirelab.study.experiment import OpenData
from wirelab.study.model import StudyFile
from wirelab.study.workload import Workload


@dataclass(frozen=True, slots=True)
class Mentions:
    """The names in a study that its domain must have. `contenders` and `stores` are by key.

    If study.toml has mistakes, these are the names that are not among them, and the workloads and
    data have only the keys that are valid. `unsure` are the tables with mistakes, such as
    "workload.fetch", or "" for the file's own keys: a key that one of them lacks may be misspelt.
    """

    where: str
    domain: str
    contenders: Mapping[str, str]
    stores: Mapping[str, str]
    workloads: Mapping[str, Workload]
    data: Mapping[str, OpenData]
    unsure: Collection[str] = ()

    @classmethod
    def of(cls, study: StudyFile, where: str) -> "Mentions":
        """Return what a valid study says."""
        return cls(
            where,
            study.domain,
            _numbered("contenders", study.contenders),
            _numbered("stores", study.stores) if "stores" in study.model_fields_set else {},
            study.workloads,
            {name: design.data for name, design in study.designs.items()},
        )

    @classmethod
    def in_content(
        cls, raw: Mapping[str, Any], where: str, is_wrong: Callable[[str], bool]
    ) -> "Mentions":
        """Return what the content of a study.toml says, without the keys that are known as wrong.

        The content has been checked against the model: any other value has the right type.
        """

        def names(key: str) -> dict[str, str]:
            listed = raw.get(key)
            numbered = _numbered(key, listed if isinstance(listed, list) else ())
            return {place: name for place, name in numbered.items() if not is_wrong(place)}

        def valid_keys(model: type[FileModel], key: str, table: object) -> dict[str, Any]:
            return {
                name: value
                for name, value in _items(table)
                if name in model.model_fields and not is_wrong(f"{key}.{name}")
            }

        return cls(
            where,
            "" if "domain" not in raw or is_wrong("domain") else raw["domain"],
            names("contenders"),
            names("stores"),
            {
                name: Workload.model_construct(**valid_keys(Workload, f"workload.{name}", table))
                for name, table in _items(raw.get("workload"))
            },
            {
                name: OpenData.model_construct(
                    **valid_keys(OpenData, f"design.{name}.data", table.get("data"))
                )
                for name, table in _items(raw.get("design"))
                if isinstance(table, Mapping)
            },
            unsure=[
                *(
                    f"{kind}.{name}"
                    for kind in ("workload", "design")
                    for name, _ in _items(raw.get(kind))
                    if is_wrong(f"{kind}.{name}")
                ),
                *([""] if is_wrong("stores") or raw.keys() - _keys() else []),
            ],
        )


def _keys() -> set[str]:
    return {declared.alias or name for name, declared in StudyFile.model_fields.items()}


def _numbered(key: str, names: Iterable[str]) -> dict[str, str]:
    return {f"{key}.{number}": name for number, name in enumerate(names)}


def _items(raw: object) -> Iterable[tuple[str, Any]]:
    """Return the items of a table; none if it is something else."""
    return raw.items() if isinstance(raw, Mapping) else ()
