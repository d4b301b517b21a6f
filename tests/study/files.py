"""A small study, written as a test wishes, and what is wrong with it."""

from pathlib import Path

import pytest

from wirelab.inputs.problems import ProblemsError
from wirelab.study import load_study

STUDY = """
id = "tiny"
title = "Tiny"
summary = "Which is faster?"
domain = "games"
contenders = ["rest", "grpc"]
baseline = "rest"
environments = ["native", "container"]
stores = ["postgresql"]

[workload.fetch]
title = "fetch one"
operation = "read"
state = "hundred"

[load.u1]
title = "one client"
kind = "closed"
clients = 1

[design.smoke]
summary = "short"
blocks = 6
environments = ["native"]
warm_up = { transactions = 10 }
slices = { permutations = 10 }

[question.speed]
text = "Which is faster?"
where = { workload = "fetch" }
sentence = "Here {answer}."
"""


RAMP = 'kind = "ramp"\nfrom_rate_per_s = 1\nto_rate_per_s = 9\nseconds = 1'
"""A load whose rate changes."""


def write(folder: Path, study: str = STUDY, claims: str = "", published: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(study)
    if claims:
        (folder / "claims.toml").write_text(claims)
    if published:
        (folder / "published.toml").write_text(published)
    return folder


def problems_of(folder: Path) -> dict[str, str]:
    """Place and key of each problem, with the whole line that a user sees."""
    with pytest.raises(ProblemsError) as caught:
        load_study(folder)
    return {
        f"{Path(problem.where).name} {problem.key}": str(problem)
        for problem in caught.value.problems
    }
