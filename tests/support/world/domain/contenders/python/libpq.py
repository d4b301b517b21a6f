"""Statements in PostgreSQL by the C library of psycopg, which is loaded in a tenth of the time.

Tests start this contender hundreds of times, and importing psycopg took most of its CPU time.
"""

import ctypes
import sys
from pathlib import Path
from threading import Lock

FAILED = {"PGRES_BAD_RESPONSE", "PGRES_NONFATAL_ERROR", "PGRES_FATAL_ERROR"}


def _library() -> ctypes.CDLL:
    (path, *_) = (
        path for folder in sys.path for path in Path(folder).glob("psycopg_binary.libs/libpq-*")
    )
    library = ctypes.CDLL(str(path))
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    library.PQconnectdb.restype = library.PQexecParams.restype = pointer
    library.PQerrorMessage.restype = library.PQresStatus.restype = library.PQgetvalue.restype = text
    for one in (
        "PQstatus",
        "PQerrorMessage",
        "PQresultStatus",
        "PQntuples",
        "PQnfields",
        "PQclear",
    ):
        getattr(library, one).argtypes = [pointer]
    library.PQgetvalue.argtypes = [pointer, ctypes.c_int, ctypes.c_int]
    library.PQexecParams.argtypes = [
        *(pointer, text, ctypes.c_int, pointer),  # connection, statement, parameters, their types
        *(ctypes.POINTER(text), pointer, pointer, ctypes.c_int),  # values, lengths, formats, format
    ]
    return library


class Connection:
    """A connection that threads use in turn."""

    def __init__(self, url: str) -> None:
        self._library, self._lock = _library(), Lock()
        self._connection = self._library.PQconnectdb(url.encode())
        if self._library.PQstatus(self._connection) != 0:
            raise ConnectionError(self._error())

    def execute(self, statement: str, *parameters: str) -> list[list[str]]:
        """Execute a statement with the parameters $1 and so on; return its rows."""
        pq, values = self._library, [each.encode() for each in parameters]
        with self._lock:
            result = pq.PQexecParams(
                *(self._connection, statement.encode(), len(values), None),
                *((ctypes.c_char_p * len(values))(*values), None, None, 0),
            )
            if pq.PQresStatus(pq.PQresultStatus(result)).decode() in FAILED:
                raise ConnectionError(self._error())
            rows = [
                [
                    pq.PQgetvalue(result, row, field).decode()
                    for field in range(pq.PQnfields(result))
                ]
                for row in range(pq.PQntuples(result))
            ]
            pq.PQclear(result)
            return rows

    def _error(self) -> str:
        return str(self._library.PQerrorMessage(self._connection).decode())
