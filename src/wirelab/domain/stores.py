"""The tables of domain.toml about stores: how to create their states."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from wirelab.domain.file_model import FileInFolder
from wirelab.inputs.file_model import FileModel


def _as_list(written: object) -> object:
    return [written] if isinstance(written, str) else written


class PostgresqlSetup(FileModel):
    """`[store.postgresql]`: how to create a state in PostgreSQL."""

    schema_files: Annotated[
        tuple[FileInFolder, ...], BeforeValidator(_as_list), Field(alias="schema", min_length=1)
    ]
    """SQL file that creates the tables, or a list of files in their order."""
    index_file: FileInFolder | None = Field(default=None, alias="index")
    """SQL file that creates the indexes, executed after loading in states with `indexed = true`.
    Default: none."""
    copy_statements: dict[str, str] = Field(alias="copy")
    """`[store.postgresql.copy]`: for each table the `COPY … FROM STDIN` statement that loads its
    rows, which come as CSV without a header. The SQL files must contain the names of the table and
    its columns."""


class MongodbSetup(FileModel):
    """`[store.mongodb]`: how to create a state in a document store."""

    collections: dict[str, str] = Field(alias="collection")
    """`[store.mongodb.collection]`: for each table the collection that its rows go to."""
    indexes: dict[str, tuple[str, ...]] = Field(default={}, alias="index")
    """`[store.mongodb.index]`: for each collection the fields that get an index, in states with
    `indexed = true`. Default: none."""


class Stores(FileModel):
    """`[store]`: the stores that the domain can use; one that is left out cannot be used."""

    postgresql: PostgresqlSetup | None = None
    """PostgreSQL. Default: not available."""
    mongodb: MongodbSetup | None = None
    """A document store. Default: not available."""


class State(FileModel):
    """`[state.NAME]`: a content of the store that workloads start from."""

    records: int = Field(ge=0)
    """Number of rows of the first table, or the value of the generator's `size` option."""
    indexed: bool
    """True creates the indexes that the store's table declares."""
    verified: bool = True
    """False excludes the state from verification, which otherwise uses the state with the most
    records. Use it for states that take long to create."""
