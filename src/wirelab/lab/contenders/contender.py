"""The contenders of a domain, read from its files `contender.toml`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from wirelab.domain.model import Domain
from wirelab.inputs.problems import (
    Problem,
    add_problem,
    add_problems,
    collected_problems,
    read_toml,
    shown,
)
from wirelab.inputs.validation import from_pydantic
from wirelab.installation.search_path import CONTENDER_FILES
from wirelab.lab.contenders import requirement
from wirelab.lab.contenders.contender_checks import check_stack, in_its_domain
from wirelab.lab.contenders.contender_file import (
    Build,
    Setting,
    StackFile,
    TlsOptions,
    written_address,
)
from wirelab.lab.contenders.service import Service


@dataclass(frozen=True, slots=True)
class Contender:
    """One server under test: a stack that speaks one protocol for one domain."""

    id: str
    title: str
    protocol: str
    path: str
    command: tuple[str, ...]
    settings: Mapping[str, Setting]
    packages: tuple[str, ...]
    environment: Mapping[str, str]
    domain: str
    stack: str
    folder: Path
    requires: tuple[str, ...]
    build: Build
    protocol_name: str = ""
    dialect: str = ""
    address: str | None = None
    scheme: str | None = None
    tls: TlsOptions = field(default_factory=TlsOptions)
    headers: Mapping[str, str] = field(default_factory=dict)
    headers_file: Path | None = None
    greetings: int = 0
    pid: int | None = None
    working_folder: Path | None = None
    inherit: bool = False
    services: Mapping[str, Service] = field(default_factory=dict)
    """In the order of their start; clients call the last. Empty: a single program."""
    start_seconds: float | None = None
    variant_of: str = ""
    """The contender that this one is a variant of; "" if it is not a variant."""

    def written_address(self) -> str:
        """Return the address, read from the environment if a variable is named; "" without one."""
        return written_address(self.address or "")

    def unmet_requirements(self) -> dict[str, str]:
        """Return why required programs cannot be used, by requirement; {} if all can be."""
        reasons = {needed: requirement.why_unmet(needed) for needed in self.requires}
        return {needed: reason for needed, reason in reasons.items() if reason}

    def input_paths(self) -> list[Path]:
        """Return the files whose content determines the build."""
        return [self.folder / name for name in self.build.inputs]


def load_contenders(domain: Domain) -> dict[str, Contender]:
    """Load every contender of a domain, by id.

    Raises `ProblemsError` with all errors of all contender.toml files.
    """
    with collected_problems():
        stacks = dict(_stacks(domain.folder))
        used: dict[str, Path] = {}
        missing: dict[tuple[str, str], Problem] = {}
        for path, stack in stacks.items():
            other = used.setdefault(stack.stack, path)
            if other is not path:
                expected = f"an identifier that {shown(other)} does not use: builds are kept by it"
                add_problem(shown(path), "stack", stack.stack, expected)
            check_stack(path, stack)
            for name, entry, _ in stack.entries():
                for problem in in_its_domain(domain, shown(path), name, entry):
                    missing.setdefault((problem.where, problem.key), problem)
        add_problems(missing.values())
        return _contenders(domain.name, stacks)


def _stacks(folder: Path) -> Iterator[tuple[Path, StackFile]]:
    """Yield the content of each valid contender.toml in a domain's folder."""
    for path in sorted(folder.glob(CONTENDER_FILES)):
        raw = read_toml(path)
        try:
            if raw is not None:
                yield path, StackFile.model_validate(raw)
        except ValidationError as error:
            add_problems(from_pydantic(shown(path), error, StackFile, raw))


def without_contender_file(folder: Path) -> list[str]:
    """Return the folders beside the stacks in a domain's folder that have no contender.toml.

    A folder that the file of a stack refers to, as `../NAME`, is shared by stacks and left out.
    """
    files = sorted(folder.glob(CONTENDER_FILES))
    beside = [
        each.name
        for each in sorted(folder.glob(f"{CONTENDER_FILES.partition('/')[0]}/*/"))
        if each.is_dir() and not each.name.startswith((".", "_"))
    ]
    stray = [name for name in beside if name not in {file.parent.name for file in files}]
    written = str([read_toml(file) for file in files]) if stray else ""
    return [name for name in stray if f"../{name}" not in written]


def by_protocol(names: Iterable[str], contenders: Mapping[str, Contender]) -> tuple[str, ...]:
    """Replace the name of a protocol by its contenders, except variants."""
    speakers: dict[str, list[str]] = {}
    for name, contender in contenders.items():
        if not contender.variant_of:
            speakers.setdefault(contender.protocol, []).append(name)
    return tuple(
        each
        for name in names
        for each in ([name] if name in contenders else speakers.get(name, [name]))
    )


def _contenders(domain: str, stacks: Mapping[Path, StackFile]) -> dict[str, Contender]:
    """Return the contenders of all stacks by id; ids must be unique."""
    contenders: dict[str, Contender] = {}
    for path, stack in stacks.items():
        folder = path.parent.resolve()
        for name, entry, base in stack.entries():
            if name in contenders:
                other = contenders[name].folder / path.name
                expected = f"an id not used in {shown(other)}"
                add_problem(shown(path), f"contender.{name}", name, expected)
            contenders[name] = Contender(
                id=name,
                domain=domain,
                stack=stack.stack,
                folder=folder,
                build=stack.build,
                start_seconds=(
                    stack.start_seconds and stack.start_seconds * max(1, len(entry.services))
                ),
                variant_of=base,
                **{
                    **dict(entry),
                    "command": entry.command or (),
                    "requires": (*stack.requires, *entry.requires),
                    "tls": entry.tls.model_copy(update=dict(entry.tls.files(folder))),
                    "headers_file": entry.headers_file and folder / entry.headers_file,
                    "working_folder": entry.working_folder and folder / entry.working_folder,
                },
            )
    return contenders
