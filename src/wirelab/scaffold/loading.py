"""Leave out operations that a domain cannot be loaded with."""

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from wirelab.domain_file import load_domain
from wirelab.inputs.problems import ProblemsError


def write_loadable_operations(
    domain: Path, names: Iterable[str], write: Callable[[Collection[str]], object]
) -> tuple[list[str], list[str]]:
    """Write a domain with these operations, except those that it cannot be loaded with.

    Returns the names of those that remain, and the reasons for leaving out the others. Raises
    `ProblemsError` if the domain has other errors, or if no operation would remain.
    """
    kept, left_out = list(names), []
    while True:
        write(kept)
        try:
            load_domain(str(domain))
        except ProblemsError as error:
            reasons = {
                each.key.split(".")[1]: f"{each.key.partition('.')[2]}: expected {each.expected}"
                for each in error.problems
                if each.key.startswith("operation.")
            }
            remaining = [name for name in kept if name not in reasons]
            if not remaining or len(remaining) == len(kept):
                raise
            left_out += list(reasons.values())
            kept = remaining
        else:
            return kept, left_out
