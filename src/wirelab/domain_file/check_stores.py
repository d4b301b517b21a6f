"""Check the tables of a domain file about stores, and the SQL that they contain or name."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from wirelab.domain.read import Reader
from wirelab.domain.stores import Stores
from wirelab.domain_file.check import check_keys
from wirelab.inputs.close_match import close_match
from wirelab.terminal import words

_COPY = re.compile(
    r"\s*COPY\b(?P<table>[^(]*)(\((?P<columns>[^)]*)\)\s*)?\bFROM\s+STDIN\b", re.IGNORECASE
)
_NAME = re.compile(r'"[^"]+"|\w+')
"""A name of SQL, perhaps in quotes."""
_HEADER = re.compile(r"\bHEADER\b(?!\s+(?:false|off|0)\b)", re.IGNORECASE)
"""The option of COPY that skips the first line, unless it is switched off."""
_NO_OPTION = re.compile(r"FORCE_\w+\s*\([^)]*\)|'[^']*'|\bWHERE\b.*", re.IGNORECASE | re.DOTALL)
"""What may contain the word HEADER after FROM STDIN without being the option."""
_COMMENT = re.compile(r"""('[^']*'|"[^"]*")|--[^\n]*|/\*.*?\*/""", re.DOTALL)
"""A comment of SQL; or in the group a text or a name, which may look like one inside."""


def check_stores(reader: Reader, stores: Stores, tables: tuple[str, ...]) -> None:
    """Check that every store holds every table, and that rows are loaded by COPY."""
    holds: dict[str, Mapping[str, str]] = {}
    if stores.postgresql:
        key = "store.postgresql.copy"
        holds[key] = stores.postgresql.copy_statements
        for table, statement in stores.postgresql.copy_statements.items():
            copy = _COPY.match(statement)
            if not copy:
                reader.problem(f"{key}.{table}", statement, "a statement COPY … FROM STDIN …")
                continue
            if _HEADER.search(_NO_OPTION.sub("", statement[copy.end() :])):
                expected = "a statement without HEADER, which skips the first line"
                hint = "remove HEADER; the generator must write the CSV without a header"
                reader.problem(f"{key}.{table}", statement, expected, hint)
            copied = [*_names(copy["table"])[-1:], *_names(copy["columns"] or "")]
            _check_schema(reader, f"{key}.{table}", copied, stores.postgresql.schema_files)
    if stores.mongodb:
        holds["store.mongodb.collection"] = stores.mongodb.collections
        collections = set(stores.mongodb.collections.values())
        check_keys(reader, "store.mongodb.index", stores.mongodb.indexes, collections)
    for key, held in holds.items():
        check_keys(reader, key, held, tables)
        for table in set(tables) - set(held):
            reader.problem(f"{key}.{table}", None, "the place of the rows of this table")


def _check_schema(
    reader: Reader, key: str, copied: Collection[str], schema_files: Collection[Path]
) -> None:
    """Check that the text of a schema contains the names of a table and its columns."""
    known = {
        name
        for file in schema_files
        for name in _names(_COMMENT.sub(_kept, file.read_text(encoding="utf-8", errors="replace")))
    }
    for name in copied:
        if name not in known:
            files = words.listed((file.name for file in schema_files), "or")
            reader.problem(
                key, name, f"a table or column that {files} creates", close_match(name, known)
            )


def _kept(found: re.Match[str]) -> str:
    """Return a text or a name unchanged, and a space in the place of a comment."""
    return found[1] or " "


def _names(sql: str) -> list[str]:
    """Return the names in a text of SQL; capital letters matter only within quotes."""
    names = _NAME.findall(sql)
    return [name.strip('"') if name.startswith('"') else name.lower() for name in names]
