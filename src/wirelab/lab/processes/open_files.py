"""The limit of open files, and so of connections, of a program."""

import resource

OPEN_FILES = 65_536
"""Enough for ten thousand users; programs that iterate over all possible files remain fast."""


def raise_open_files() -> int:
    """Raise the limit of open files of this program and its children; return the limit.

    Some runtimes raise the usual 1,024 by themselves and others do not, so with the same number of
    users one server would reject connections that another one accepts.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft == resource.RLIM_INFINITY or soft >= limit:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return limit
