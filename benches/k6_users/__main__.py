"""Let k6's users and the engine's clients ask the same servers in turns; print what each cost.

python -m benches.k6_users [--blocks 3] [--seconds 8] [--users 1 50] [--out FILE]
"""

import argparse
import json
import random
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wirelab.experiment.bench import Bench
from wirelab.experiment.run import target_of

from benches.k6_users.k6 import find_k6, k6_window
from benches.k6_users.window import Window
from wirelab.experiment.jobs import engine_job
from wirelab.experiment.plan import load_world
from wirelab.lab.process import nothing_outlives
from wirelab.lab.running import RunningContender
from wirelab.measure.engine import run_engine
from wirelab.study import ClosedLoad, Study, WarmUp, load_study
from wirelab.study import Window as StudyWindow

CONTENDERS = ("rest-spring", "graphql-spring", "grpc-spring")
WORKLOADS = ("medium", "insert")
MESSAGES: dict[str, tuple[str, dict[str, Any]]] = {
    "medium": ("library.v1.Library/FindAuthors", {"phrase": "Author - 100"}),
    "insert": (
        "library.v1.Library/AddAuthor",
        {"author": {"name": "Ursula Le Guin", "country": "Poland"}},
    ),
}
WARM_UP_S = 8.0

Key = tuple[str, str, int, str]
"""Contender, workload, users, client."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A running server, and what it is asked for."""

    bench: Bench
    server: RunningContender
    contender: str
    workload: str


def main() -> int:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--users", type=int, nargs="+", default=[1, 50])
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    program = find_k6()
    if program is None:
        print("no k6: `python -m benches.peers prepare` installs it", file=sys.stderr)
        return 1
    study = load_study("sliwa-2021")
    domain, contenders = load_world(study)
    found: dict[Key, list[Window]] = defaultdict(list)
    with TemporaryDirectory(prefix="k6-users-") as name, nothing_outlives():
        folder = Path(name)
        with Bench(domain, contenders, 1, folder / "logs") as bench:
            _stand_up(bench, study)
            for block in range(asked.blocks):
                for key, window in _block(bench, program, asked, folder / str(block)):
                    found[key].append(window)
    _print(found)
    if asked.out:
        rows = [
            {"contender": c, "workload": w, "users": u, "client": client, **asdict(window)}
            for (c, w, u, client), windows in found.items()
            for window in windows
        ]
        asked.out.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


def _stand_up(bench: Bench, study: Study) -> None:
    for contender in CONTENDERS:
        missing = bench.build(contender, "native")
        if missing:
            raise SystemExit(missing)
    bench.prepare("postgresql", "catalogue")
    for contender in CONTENDERS:
        workloads = {name: study.workloads[name] for name in WORKLOADS}
        if bench.verify(contender, "postgresql", "native", workloads).refused:
            raise SystemExit(f"{contender} does not answer as the reference does")


def _block(
    bench: Bench, program: str, options: argparse.Namespace, folder: Path
) -> Iterator[tuple[Key, Window]]:
    """Ask each server, started anew and warm, by both clients in random order."""
    for contender in random.sample(CONTENDERS, len(CONTENDERS)):
        for workload in WORKLOADS:
            place = folder / contender / workload
            place.mkdir(parents=True)
            with bench.running(
                contender, "postgresql", "native", "catalogue", log_path=place / "server.log"
            ) as server:
                asked = Asked(bench, server, contender, workload)
                _engine(asked, 50, WARM_UP_S, place / "warm-up")
                for users in options.users:
                    for client in random.sample(("k6", "wirelab-load"), 2):
                        where = place / f"{client}-{users}"
                        print(where.relative_to(folder.parent), file=sys.stderr)
                        if client == "k6":
                            window = k6_window(
                                program,
                                _request(asked),
                                users=users,
                                seconds=options.seconds,
                                cpus=bench.cpus.engine,
                                folder=where,
                            )
                        else:
                            window = _engine(asked, users, options.seconds, where)
                        yield (contender, workload, users, client), window


def _engine(asked: Asked, users: int, seconds: float, folder: Path) -> Window:
    bench = asked.bench
    folder.mkdir(parents=True)
    job = engine_job(
        bench.plans[asked.contender, "postgresql", asked.workload][:1],
        target_of(bench, asked.contender, asked.server),
        load=ClosedLoad(kind="closed", title="users", clients=users),
        warm_up=WarmUp(seconds=1.0),
        window=StudyWindow(seconds=seconds),
        output=folder,
        cpus=bench.cpus,
        seed=0,
    )
    result = run_engine(job, folder)
    return Window(
        transactions=result.counts.transactions,
        throughput_per_s=result.throughput_per_s,
        response_mean_us=result.latency_us.service.mean,
        client_cpu_us=result.engine.cpu_us_per_transaction,
    )


def _request(asked: Asked) -> dict[str, Any]:
    """Say for k6 what the engine sends as bytes."""
    bench, address = asked.bench, asked.server.address
    if asked.contender.startswith("grpc"):
        call, message = MESSAGES[asked.workload]
        interface = bench.domain.folder / "library.proto"
        return {
            "protocol": "grpc",
            "address": address,
            "call": call,
            "message": message,
            "proto_folder": str(interface.parent),
            "proto": interface.name,
        }
    request = bench.plans[asked.contender, "postgresql", asked.workload][0].rounds[0][0].request
    return {
        "protocol": "http",
        "method": request.method,
        "url": f"http://{address}{request.path}",
        "headers": dict(request.headers),
        "body": request.body.decode() if request.body else None,
    }


def _print(found: dict[Key, list[Window]]) -> None:
    head = "| server | workload | users | client | per second | response, ms | outside it, ms |"
    print(f"{head} client CPU, µs |\n|---|---|--:|---|--:|--:|--:|--:|")
    for (contender, workload, users, client), windows in sorted(found.items()):
        rate = statistics.harmonic_mean([each.throughput_per_s for each in windows])
        response = statistics.mean(each.response_mean_us for each in windows) / 1e3
        outside = statistics.mean(each.outside_us(users) for each in windows) / 1e3
        cpu = statistics.mean(each.client_cpu_us for each in windows)
        print(
            f"| {contender} | {workload} | {users} | {client} | {rate:.0f} | {response:.2f}"
            f" | {outside:.2f} | {cpu:.0f} |"
        )


if __name__ == "__main__":
    sys.exit(main())
