"""What a domain is: the contents of domain.toml as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    model_validator,
)

from wirelab.close_match import close_match
from wirelab.domain.refusal import RefusalKind

KeyCase = Literal["snake", "camel"]
Effect = Literal["read", "write", "none"]

REFERENCE_FILE = "reference.py"


class FileModel(BaseModel):
    """A table of a TOML file: unknown keys are mistakes, values never change."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)


def _beside_the_file(path: Path, info: ValidationInfo) -> Path:
    folder = (info.context or {}).get("folder")
    if folder is None:
        return path
    found = Path(folder) / path
    if not found.is_file():
        suggestion = close_match(path.name, (entry.name for entry in found.parent.glob("*")))
        raise ValueError(f"a file in the domain's folder {suggestion}".rstrip())
    return found


FileInFolder = Annotated[Path, AfterValidator(_beside_the_file)]
"""Written relative to the domain's folder; absolute and existing once loaded."""

Pointer = Annotated[str, Field(pattern=r"^(/.*)?$")]
"""A JSON pointer; "" is the whole document, "*" stands for every item of a list."""


COUNT = "--count"
"""The generator's option for the number of rows of the first table."""


class Data(FileModel):
    """How the rows of the domain come to be.

    The generator writes one table (`records`) to a file, or several (`tables`) to a folder, each
    to a file of its name. A state's number of records is that of the first table; how many rows
    the others get is the generator's business. All have the same `key`.

    A generator that is told a size of another kind has its option in `size`, as in
    "--scale-factor". A state's number is that size then, and there are no rows beyond it.

    A program that makes parameters for the operations over the generator's rows is named in
    `queries`. It is told the size and the seed as the generator is, and `--instances N`, and writes
    up to N JSON objects for each operation, one a line: `template`, the operation's name in any
    case, and `parameters`.

    A domain whose servers keep data of their own has no generator, and none of the rest.
    """

    generator: tuple[str, ...] = ()
    records: str | None = None
    several: tuple[str, ...] = Field(default=(), alias="tables")
    key: str = "id"
    extra: int = Field(default=16, ge=0)
    size: str = Field(default=COUNT, pattern="^--")
    queries: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _nothing_beyond_a_size(self) -> Self:
        if self.size != COUNT and self.extra:
            raise ValueError(f"extra = 0 beside size: with {COUNT} only are there rows beyond")
        return self

    @model_validator(mode="after")
    def _one_or_several(self) -> Self:
        if not self.generator and (self.records is not None or self.several):
            raise ValueError("a generator that fills the tables")
        if self.generator and (self.records is None) == (not self.several):
            raise ValueError("records (the only table) or tables (their names), and not both")
        if len(set(self.several)) < len(self.several):
            raise ValueError("tables that all have names of their own")
        return self

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables the generator fills."""
        if not self.generator:
            return ()
        return self.several if self.records is None else (self.records,)


class Interface(FileModel):
    """The native descriptions of the interface, by protocol."""

    files: dict[str, FileInFolder]
    key_case: dict[str, KeyCase] = {}

    def case(self, protocol: str) -> KeyCase:
        """How this protocol spells the keys of this domain."""
        return self.key_case.get(protocol, "snake")


def _as_list(written: object) -> object:
    return [written] if isinstance(written, str) else written


class PostgresqlStore(FileModel):
    """What makes a state of the domain in PostgreSQL.

    `schema` is a file, or a list of files that are carried out in their order.
    """

    schema_files: Annotated[
        tuple[FileInFolder, ...], BeforeValidator(_as_list), Field(alias="schema", min_length=1)
    ]
    index_file: FileInFolder | None = Field(default=None, alias="index")
    copy_statements: dict[str, str] = Field(alias="copy")


class MongodbStore(FileModel):
    """What makes a state of the domain in a document store."""

    collections: dict[str, str] = Field(alias="collection")
    indexes: dict[str, tuple[str, ...]] = Field(default={}, alias="index")


class Stores(FileModel):
    """The stores a domain can live in; None where it cannot."""

    postgresql: PostgresqlStore | None = None
    mongodb: MongodbStore | None = None


class State(FileModel):
    """An initial state of the store: its number of records, with the index or without.

    `wirelab verify` takes the state with the most records, but for those that are not `verified`:
    too large to be made without need.
    """

    records: int = Field(ge=0)
    indexed: bool
    verified: bool = True


class ErrorCase(FileModel):
    """A call that every contender must refuse, and how. Parameters are plain values."""

    parameters: dict[str, Any]
    refusal: RefusalKind


class Step(FileModel):
    """One call of a sequence; `{name}` in its parameters is a value remembered earlier."""

    operation: str
    parameters: dict[str, Any] = {}
    remember: dict[str, Pointer] = {}


class Sequence(FileModel):
    """Calls that belong together: the life of a row, walked on contender and reference."""

    summary: str
    steps: tuple[Step, ...] = Field(min_length=1)


class Look(FileModel):
    """A call that only reads, at the service that clients ask or at another one by its name."""

    operation: str
    parameters: dict[str, Any] = {}
    service: str = ""


class Outage(FileModel):
    """What an operation must come to while a service that it needs is slow, silent or gone.

    `wirelab verify` carries `operation` out at contenders of several services. While one answers
    late it must be carried out all the same; while one is silent, answers too late or is gone, it
    must be refused within `deadline_s`, with the error that the protocol has for it, and have
    changed nothing: once the service is back, `looks` show what they show of a server that was
    never asked. `remember` keeps values of the first answer for `{name}` in them.
    """

    summary: str
    operation: str
    parameters: dict[str, Any] = {}
    remember: dict[str, Pointer] = {}
    deadline_s: float = Field(gt=0)
    looks: tuple[Look, ...] = Field(min_length=1)


class RequestTemplate(FileModel):
    """What every protocol's request template has in common.

    In a composed operation the answers of the requests make one document: `each` selects the
    values of it that a request is repeated for (as `{item}`), `into` is where the answers are put.
    Each `*` of `into` is filled by the `*` of `each` at the same position.
    """

    each: Pointer = ""
    into: Pointer = ""
    answer: Pointer = ""


@dataclass(frozen=True, slots=True)
class Binding:
    """How one protocol spells one operation: rounds of requests, most often one of one."""

    rounds: tuple[tuple[RequestTemplate, ...], ...]

    @property
    def composed(self) -> bool:
        """Whether it takes more than one request to carry out the operation."""
        return len(self.rounds) > 1 or len(self.rounds[0]) > 1


def _compiles(expression: str) -> str:
    try:
        jmespath.compile(expression)
    except JMESPathError as error:
        raise ValueError(f"a JMESPath expression: {' '.join(str(error).split())}") from None
    return expression


Expression = Annotated[str, AfterValidator(_compiles)]
"""JMESPath."""

Tolerance = (
    Annotated[float, Field(gt=0)] | Annotated[str, Field(pattern=r"^\d+(\.\d+)?(ms|s|min|h|d)$")]
)
"""By how much two numbers may differ, or, with a unit, two times."""


class Common(FileModel):
    """What answers must have in common where no reference says what is right.

    `project` makes, by protocol, the common shape of what that protocol answers. In that shape
    `ignored` parts are not compared, the lists at `sorted` are brought into the order of a key (an
    expression for each item), and at `tolerance` numbers and times may differ by so much. Parts are
    pointers without the leading slash, in which `*` stands for every item of a list.
    """

    project: dict[str, Expression] = {}
    ignored: tuple[str, ...] = ()
    ordered: dict[str, Expression] = Field(default={}, alias="sorted")
    tolerance: dict[str, Tolerance] = {}


def _named(parameters: object) -> object:
    """Take a list of names for parameters whose values are all in the file of parameters."""
    return dict.fromkeys(parameters) if isinstance(parameters, list) else parameters


class OperationFile(FileModel):
    """An operation as written in the file, without its name and its bindings.

    `parameters` may be a list of names where the domain's file of parameters has their values.
    """

    summary: str
    effect: Effect
    parameters: Annotated[dict[str, Any], BeforeValidator(_named)] = {}
    answer: str = ""
    errors: tuple[ErrorCase, ...] = ()
    masked: tuple[str, ...] = ()
    common: Common = Common()


class DomainFile(FileModel):
    """The outline of domain.toml: its own words, and the tables that are read one by one.

    `parameters` is a file of parameters for operations, one JSON object a line with `operation` and
    `parameters`: for a domain without `[data]`, whose servers have data of their own. `one_backend`
    says that all of its contenders work on the same data, so that what is written through one can
    be read through the others.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    title: str
    summary: str
    parameters: FileInFolder | None = None
    one_backend: bool = False
    data: Any = None
    interface: Any = None
    store: Any = None
    state: Any = None
    operation: Any = None
    sequence: Any = None
    outage: Any = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One logical thing a client wants, with how each protocol spells it.

    `parameters` say where values come from (see parameters.py), `masked` names the parts of the
    answer that only the server can know, as pointers without the leading slash.
    """

    name: str
    summary: str
    effect: Effect
    parameters: Mapping[str, object]
    answer: str
    errors: tuple[ErrorCase, ...]
    masked: tuple[str, ...]
    bindings: Mapping[str, Binding]
    common: Common = field(default_factory=Common)


@dataclass(frozen=True, slots=True)
class Domain:
    """A small world with data and operations, loaded and checked."""

    name: str
    title: str
    summary: str
    folder: Path
    data: Data
    interface: Interface
    stores: Stores
    states: Mapping[str, State]
    operations: Mapping[str, Operation]
    sequences: Mapping[str, Sequence]
    outages: Mapping[str, Outage] = field(default_factory=dict)
    dialects: Mapping[str, "Domain"] = field(default_factory=dict)
    reference: Mapping[str, bool | str] = field(default_factory=dict)
    """Options for the reference; only a dialect has some."""
    parameter_file: Path | None = None
    one_backend: bool = False
    spelled_in: str = "domain.toml"
    """The file that binds the operations to protocols: that of a dialect, where it has its own."""

    def spoken(self, dialect: str) -> "Domain":
        """Return the domain as a contender of this dialect offers it; "" is its own interface."""
        return self.dialects[dialect] if dialect else self

    @property
    def has_reference(self) -> bool:
        """Whether a reference says what is right; else contenders are held against each other."""
        return (self.folder / REFERENCE_FILE).is_file()

    @property
    def control(self) -> Operation | None:
        """The operation that touches no store: a server that answers it is ready."""
        return next((each for each in self.operations.values() if each.effect == "none"), None)
