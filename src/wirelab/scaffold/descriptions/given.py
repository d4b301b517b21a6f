"""How descriptions of interfaces are given: by which options, and as a file, URL or reflection."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from wirelab.inputs.problems import add_problem, add_unknown
from wirelab.scaffold.names import spelled

OPTIONS = {
    "rest": "--openapi",
    "graphql": "--sdl",
    "grpc": "--proto",
    "soap": "--wsdl",
    "mcp": "--mcp",
}
"""By protocol: the option that names its description."""
REFLECTION = "reflection"


@dataclass(frozen=True, slots=True)
class Details:
    """What the user says of interfaces, besides their descriptions."""

    reads: tuple[str, ...] = ()
    """Operations that only read: their names, paths, or patterns of these."""
    columns: frozenset[str] = frozenset()
    """Parameters with values of the user: operations take them even if they are optional."""
    protos: tuple[str, ...] = ()
    """Further .proto files."""
    import_path: tuple[Path, ...] = ()
    """Folders that contain what .proto files import."""

    def has_values(self, parameter: str) -> bool:
        """Return whether the user gives values for a parameter, in any spelling of its name."""
        return spelled(parameter) in map(spelled, self.columns)

    def is_read(self, *names: str) -> bool:
        """Return whether the user declares that an operation with these names only reads."""
        return any(_means(each, name) for each in self.reads for name in names)

    def check_reads(self, known: Sequence[Iterable[str]]) -> None:
        """Note declared reads that are none of the operations, given the names of each."""
        unknown = [
            each
            for each in self.reads
            if not any(_means(each, name) for names in known for name in names)
        ]
        if unknown:
            add_unknown("--read", unknown, [next(iter(names)) for names in known])


NO_DETAILS = Details()


def _means(written: str, name: str) -> bool:
    """Return whether a name or a pattern means an operation's name.

    `KV/Range` is `KV_Range`, and also `pkg.KV/Range`.
    """
    if {*"*?"} & {*written}:
        return fnmatchcase(name.lower(), written.lower())
    one, other = spelled(written), spelled(name)
    return bool(one) and (one == other or ("/" in written and other.endswith(f"_{one}")))


def check_available(sources: Mapping[str, str], details: Details = NO_DETAILS) -> None:
    """Check that each description, by protocol, is an existing file or need not be a file."""
    for protocol, source in sources.items():
        if not (is_url(source) or Path(source).is_file() or is_reflection(protocol, source)):
            add_problem(OPTIONS[protocol], "", source, "an existing file, or a URL")
    for proto in details.protos:
        if not Path(proto).is_file():
            add_problem("--proto", "", proto, "an existing file, as one of several")
    for folder in details.import_path:
        if not folder.is_dir():
            add_problem("--import-path", "", str(folder), "an existing folder")
        elif "grpc" not in sources:
            add_problem("--import-path", "", str(folder), "no value without --proto")


def is_url(source: str) -> bool:
    """Return whether a description is read from a URL."""
    return source.startswith(("http://", "https://"))


def is_reflection(protocol: str, source: str) -> bool:
    """Return whether a gRPC server describes itself."""
    return protocol == "grpc" and source == REFLECTION
