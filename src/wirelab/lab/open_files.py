"""How many files, and so connections, a program may have open."""

import resource

WANTED = 65_536
"""Enough for ten thousand users; programs that walk through all possible files stay quick."""


def raise_open_files() -> int:
    """Let this program and what it starts have as many open files as is permitted; return that.

    Some runtimes raise the usual 1,024 by themselves and others do not, so that the same number of
    users would be refused by one server and served by another.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
