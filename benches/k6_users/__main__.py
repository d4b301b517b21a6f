"""Let k6's users and the engine's clients ask the same servers in turns; print what each cost.

python -m benches.k6_users [--blocks 3] [--seconds 8] [--users 1 50] [--out FILE]
"""

import argparse
import random
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benches.k6_users.k6 import find_k6, k6_window
from benches.k6_users.window import Window
from benches.results import write_results
from wirelab.engine.job import Job, JobWarmUp, Stop
from wirelab.experiment.blocks.jobs import engine_target
from wirelab.experiment.laboratory import Laboratory
from wirelab.experiment.place import Place, Placement
from wirelab.lab.contenders.running import RunningContender
from wirelab.lab.processes.process import stopping_everything
from wirelab.lab.stores.store_manager import StoreState
from wirelab.measure.driver import run_engine
from wirelab.planning.plan import load_world
from wirelab.study import ClosedLoad, Study, load_study
from wirelab.verify import Plan

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
CATALOGUE = StoreState("postgresql", "catalogue")

Key = tuple[str, str, int, str]
"""Contender, workload, users, client."""


@dataclass(frozen=True, slots=True)
class Target:
    """A running server and the request that is sent to it."""

    laboratory: Laboratory
    server: RunningContender
    contender: str
    workload: str

    @property
    def plan(self) -> Plan:
        """What the first of its parameter sets sends."""
        place = _place(self.contender)
        return self.laboratory.verifier.plans[place, self.workload][0]


def main() -> int:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--users", type=int, nargs="+", default=[1, 50])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    program = find_k6()
    if program is None:
        print("no k6: `python -m benches.peers prepare` installs it", file=sys.stderr)
        return 1
    study = load_study("sliwa-2021")
    domain, contenders = load_world(study)
    found: dict[Key, list[Window]] = defaultdict(list)
    with TemporaryDirectory(prefix="k6-users-") as name, stopping_everything():
        folder = Path(name)
        with Laboratory.create(domain, contenders, 1, folder / "logs") as laboratory:
            _set_up(laboratory, study)
            for block in range(options.blocks):
                for key, window in _block(laboratory, program, options, folder / str(block)):
                    found[key].append(window)
    _print(found)
    if options.out:
        rows = [
            {"contender": c, "workload": w, "users": u, "client": client, **asdict(window)}
            for (c, w, u, client), windows in found.items()
            for window in windows
        ]
        write_results(options.out, {"windows": rows})
    return 0


def _place(contender: str) -> Place:
    return Place(Placement(contender, "native"), CATALOGUE.store)


def _set_up(laboratory: Laboratory, study: Study) -> None:
    for contender in CONTENDERS:
        missing = laboratory.builder.build(Placement(contender, "native"))
        if missing:
            raise SystemExit(missing)
    laboratory.stores.prepare(CATALOGUE)
    for contender in CONTENDERS:
        workloads = {name: study.workloads[name] for name in WORKLOADS}
        found = laboratory.verifier.verify(_place(contender), workloads).findings
        if any(each.severity == "error" for each in found):
            raise SystemExit(f"{contender} does not answer as the reference does")


def _block(
    laboratory: Laboratory, program: str, options: argparse.Namespace, folder: Path
) -> Iterator[tuple[Key, Window]]:
    """Ask each server, started anew and warm, by both clients in random order."""
    for contender in random.sample(CONTENDERS, len(CONTENDERS)):
        for workload in WORKLOADS:
            place = folder / contender / workload
            place.mkdir(parents=True)
            restored = laboratory.stores.restore(CATALOGUE, [contender])
            with laboratory.launcher.running(
                _place(contender), restored[contender].database, log_path=place / "server.log"
            ) as server:
                target = Target(laboratory, server, contender, workload)
                _engine(target, 50, WARM_UP_S, place / "warm-up")
                for users in options.users:
                    for client in random.sample(("k6", "wirelab-load"), 2):
                        where = place / f"{client}-{users}"
                        print(where.relative_to(folder.parent), file=sys.stderr)
                        if client == "k6":
                            window = k6_window(
                                program,
                                _request(target),
                                users=users,
                                seconds=options.seconds,
                                cpus=laboratory.cpus.engine,
                                folder=where,
                            )
                        else:
                            window = _engine(target, users, options.seconds, where)
                        yield (contender, workload, users, client), window


def _engine(target: Target, users: int, seconds: float, folder: Path) -> Window:
    laboratory = target.laboratory
    folder.mkdir(parents=True)
    job_target = engine_target(
        target.contender,
        [target.plan],
        laboratory.endpoint(target.contender, target.server),
        load=ClosedLoad(kind="closed", title="users", clients=users),
        seed=0,
    )
    job = Job(
        targets=(job_target,),
        warm_up=JobWarmUp(seconds=1.0),
        stop=Stop(seconds=seconds),
        cpus=laboratory.cpus.engine,
        real_time=laboratory.cpus.is_disjoint,
        output=folder,
    )
    result = run_engine(job, folder).only
    return Window(
        transactions=result.counts.transactions,
        throughput_per_s=result.throughput_per_s,
        response_mean_us=result.latency_us.service.mean,
        client_cpu_us=result.engine.cpu_us_per_transaction,
    )


def _request(target: Target) -> dict[str, Any]:
    """Say for k6 what the engine sends as bytes."""
    address = target.server.address
    if target.contender.startswith("grpc"):
        call, message = MESSAGES[target.workload]
        interface = target.laboratory.domain.folder / "library.proto"
        return {
            "protocol": "grpc",
            "address": address,
            "call": call,
            "message": message,
            "proto_folder": str(interface.parent),
            "proto": interface.name,
        }
    request = target.plan.rounds[0][0].request
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
