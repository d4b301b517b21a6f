"""What to do after `wirelab init`: what its files still need, and the commands that use them."""

from collections.abc import Collection, Sequence

from wirelab.scaffold.writing import VARIABLES
from wirelab.terminal.words import command

GUIDE = "docs/guides/add-a-contender.md"


def next_steps(target: str, protocols: Sequence[str], addresses: Collection[str]) -> list[str]:
    """Return the hints that follow a domain and a study in `target`, for contenders of `protocols`.

    `addresses` are the protocols whose servers have an address. One contender cannot be compared.
    """
    file = f"{target}/domain/contenders/found/contender.toml"
    hints = []
    if unknown := [VARIABLES[protocol] for protocol in protocols if protocol not in addresses]:
        hints.append(
            f"set {' and '.join(unknown)} to SCHEME://HOST:PORT, or write the address to {file}:"
            " a contender whose variable is not set is left out"
        )
    run = command("wirelab", "run", f"{target}/study")
    if len(protocols) > 1:
        return [*hints, f"run the study: {run}"]
    first = protocols[0]
    compare = command("wirelab", "compare", f"{target}/domain", first, "NAME")
    return [
        *hints,
        f"a study compares at least two contenders, and this one has only {first}: add a second"
        f" one, [contender.NAME], to {file} ({GUIDE}), then run `{compare}`",
        f"for `{run}`, also add NAME to contenders in {target}/study/study.toml",
    ]
