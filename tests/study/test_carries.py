"""The model carries the shapes of the other studies: sketches of each, loaded and scheduled."""

from pathlib import Path

import pytest

from wirelab.claims import ClaimEvidence, check_claims
from wirelab.planning.schedule import schedule
from wirelab.study import Cell, family, load_study

USERS = """
id = "users"
title = "Virtual users and result sizes"
summary = "How do three protocols bear users and sizes?"
domain = "library"
contenders = ["rest-net", "graphql-net", "grpc-net"]
baseline = "rest-net"
environments = ["native"]
stores = ["postgresql"]
metric = "throughput_per_s"

[workload.large]
title = "fetch 3112 authors"
operation = "search"
state = "full"
parameters = { phrase = "Author - 1" }
[workload.insert]
title = "add an author"
operation = "insert"
state = "full"
parameter_sets = 50

[load.u1]
title = "1 user"
kind = "closed"
clients = 1
[load.u50]
title = "50 users"
kind = "closed"
clients = 50

[design.paper]
summary = "as published: 50 requests a user"
blocks = 6
warm_up = { transactions = 100 }
separate = true
window = { transactions_per_client = 50 }

[question.users]
text = "Which protocol answers most requests at 50 users?"
where = { load = "u50" }
sentence = "At 50 users, {answer}."
"""

USERS_CLAIMS = """
[claim.most]
text = "REST has the highest throughput for inserts at 50 users, and at least twice GraphQL's"
source = "Figure 9"
[[claim.most.expect]]
kind = "highest"
metric = "throughput_per_s"
level = "rest-net"
among = ["rest-net", "graphql-net", "grpc-net"]
where = { workload = "insert", load = "u50" }
[[claim.most.expect]]
kind = "direction"
metric = "throughput_per_s"
lower = "graphql-net"
higher = "rest-net"
times = 2.0
where = { workload = "insert", load = "u50" }
[claim.threshold]
text = "REST passes 300 transactions a second"
source = "Figure 7"
[[claim.threshold.expect]]
kind = "threshold"
metric = "throughput_per_s"
above = 300.0
where = { contender = "rest-net", workload = "large", load = "u50" }
"""

VARIANTS = """
id = "variants"
title = "Resolvers with and without batching"
summary = "What do caching and batching change?"
domain = "university"
contenders = ["naive", "caching", "batching", "caching-batching"]
baseline = "naive"
environments = ["container"]
stores = ["postgresql"]
metric = "throughput_per_s"
margin = 0.05

[workload.qt3]
title = "template 3"
operation = "qt3"
state = "sf10"
parameter_sets = 5000
[workload.qt5]
title = "template 5"
operation = "qt5"
state = "sf10"
parameter_sets = 402

[load.c1]
title = "1 client"
kind = "closed"
clients = 1
[load.c2]
title = "2 clients"
kind = "closed"
clients = 2
[load.c5]
title = "5 clients"
kind = "closed"
clients = 5
[load.c10-new]
title = "10 clients, a connection for every query"
kind = "closed"
clients = 10
reuse_connections = false
[load.half]
title = "half of the smallest capacity"
kind = "poisson"
share_of_capacity = 0.5
connections = 10

[design.lab]
summary = "clients"
until = "decided"
budget_minutes = 60
loads = ["c1", "c2", "c5"]
warm_up = { transactions = 2000, seconds = 5.0 }
separate = true
window = { seconds = 60.0 }

[question.batching]
text = "What does each remedy change?"
against = "baseline"
where = { load = "c1" }
sentence = "Against naive resolvers, {answer}."
[question.clients]
text = "Do more clients get more done?"
compare = "load"
sentence = "With more clients, {answer}."
"""

VARIANTS_CLAIMS = """
[claim.order]
text = "naive, then caching, then batching"
source = "section 7"
[[claim.order.expect]]
kind = "order"
metric = "throughput_per_s"
ascending = ["naive", "caching", "batching"]
where = { load = "c1" }
[claim.stagnates]
text = "with naive resolvers, template 5 gains nothing from clients"
source = "section 8"
[[claim.stagnates.expect]]
kind = "at_most"
metric = "throughput_per_s"
compare = "load"
level = "c5"
other = "c1"
where = { contender = "naive", workload = "qt5" }
"""

ENVIRONMENTS_PUBLISHED = """
[names.environment]
Docker = "container"
[names.contender]
"Docker GraphQL" = "batching"
[[table]]
source = "Table 5"
title = "mean response time in milliseconds"
where = { environment = "Docker" }
columns = ["latency_mean_us", "latency_sd_us", "ci_low", "ci_high", "n"]
scale = 1000.0
rows = [{ contender = "Docker GraphQL", values = [866.262, 2108.299, 436.780, 1295.745, 95] }]
"""


def sketch(folder: Path, study: str, claims: str, published: str = "") -> Path:
    for name, text in (("study", study), ("claims", claims), ("published", published)):
        (folder / f"{name}.toml").write_text(text)
    return folder


def test_users_are_loads_sizes_are_workloads_and_rates_are_compared(tmp_path: Path) -> None:
    study = load_study(sketch(tmp_path, USERS, USERS_CLAIMS))
    plan = schedule(study, "paper", 1)

    def values(_metric: str, cell: Cell) -> dict[int, float]:
        rate = {"rest-net": 400.0, "graphql-net": 150.0, "grpc-net": 100.0}[cell.contender]
        return {block: rate * (1 + 0.001 * block) for block in range(1, 7)}

    checks = {
        check.id: check.verdict
        for check in check_claims(study, ClaimEvidence.from_schedule(plan, values))
    }

    assert len(plan.runs) == (3 + 1) * 2 * 2 * 6
    assert plan.runs[0].id.endswith(("-u1", "-u50"))
    assert len(family(study, plan.cells)) == 3 * 2
    assert checks == {"most": "reproduced", "threshold": "reproduced"}


def test_variants_are_contenders_and_clients_are_a_factor_to_compare(tmp_path: Path) -> None:
    study = load_study(sketch(tmp_path, VARIANTS, VARIANTS_CLAIMS, ENVIRONMENTS_PUBLISHED))
    plan = schedule(study, "lab", 1)
    pairs = family(study, plan.cells)

    def values(_metric: str, cell: Cell) -> dict[int, float]:
        rate = 100.0 * (1 + study.contenders.index(cell.contender))
        return {block: rate * (1 + 0.001 * block) for block in range(1, 11)}

    checks = {
        check.id: check.verdict
        for check in check_claims(study, ClaimEvidence.from_schedule(plan, values))
    }

    assert {skipped.level for skipped in plan.skipped} == {"c10-new", "half"}
    assert sum(pair.question == "batching" for pair in pairs) == 3 * 2
    assert sum(pair.question == "clients" for pair in pairs) == 4 * 2 * 3
    assert checks == {"order": "reproduced", "stagnates": "reproduced"}


def test_published_intervals_and_sample_sizes_are_kept_in_the_metrics_unit(tmp_path: Path) -> None:
    study = load_study(sketch(tmp_path, VARIANTS, VARIANTS_CLAIMS, ENVIRONMENTS_PUBLISHED))

    (figure,) = study.published.figures

    assert figure.at == {"contender": "batching", "environment": "container"}
    assert figure.values == pytest.approx(
        {
            "latency_mean_us": 866_262,
            "latency_sd_us": 2_108_299,
            "ci_low": 436_780,
            "ci_high": 1_295_745,
            "n": 95,
        }
    )
