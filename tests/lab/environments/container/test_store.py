"""PostgreSQL in a container: the same store as natively, counted, limited, and gone at the end."""

from collections.abc import Callable
from pathlib import Path

import docker
import psycopg
import pytest

from tests.lab.environments.container.counting import cpu_us
from tests.support.left import until
from wirelab.domain import Dataset
from wirelab.domain_file import load_domain
from wirelab.errors import MissingProgramError
from wirelab.lab.environments.environment import InContainer
from wirelab.lab.errors import StoreError
from wirelab.lab.processes.cgroup import Cgroup
from wirelab.lab.processes.cpu import plan_cpus
from wirelab.lab.stores.open_store import open_store
from wirelab.lab.stores.store import Database

BANK = load_domain("bank")
RECORDS = 1000
WORK = "SELECT count(*) FROM generate_series(1, 300000)"


def count(database: Database) -> int:
    with psycopg.connect(database.url) as connection:
        row = connection.execute("SELECT count(*) FROM movement").fetchone()
    assert row is not None
    return int(row[0])


def test_it_is_the_same_store_in_a_container(
    base: str, tmp_path: Path, nothing_left: Callable[[], list[str]]
) -> None:
    dataset = Dataset.generate(BANK, RECORDS, 1, tmp_path)
    plan = plan_cpus()
    with open_store("postgresql-container", log_path=tmp_path / "log", cpus=plan.system) as store:
        store.prepare(BANK, "thousand", dataset)
        restored = store.restore("thousand", "a")
        assert restored.copied
        assert not store.restore("thousand", "a").copied
        assert count(restored.database) == RECORDS
        with psycopg.connect(restored.database.url, autocommit=True) as connection:
            connection.execute("DELETE FROM movement WHERE id = 1")
        assert store.restore("thousand", "a").copied  # somebody has written to it

        assert store.title.startswith("PostgreSQL 18.")
        assert store.title.endswith("in a container")
        assert "private bridge" in str(store.settings["place"])
        assert isinstance(store.counted, InContainer)  # counted by its control group
        group = Cgroup(store.counted.pid)
        before_us = cpu_us(group)
        with psycopg.connect(restored.database.url, autocommit=True) as connection:
            connection.execute(WORK)
        assert cpu_us(group) - before_us > 10_000
        assert len(nothing_left()) == 1
    assert nothing_left() == []


def test_a_container_that_is_killed_is_noticed_and_replaced(
    engine: docker.DockerClient, base: str, tmp_path: Path, nothing_left: Callable[[], list[str]]
) -> None:
    dataset = Dataset.generate(BANK, RECORDS, 1, tmp_path)
    with open_store("postgresql-container", log_path=tmp_path / "log") as store:
        store.prepare(BANK, "thousand", dataset)
        (name,) = nothing_left()
        assert store.why_ended() is None
        engine.containers.get(name.removeprefix("/")).kill()

        assert "exit code 137" in until(store.why_ended).what
        assert store.restart() == ("thousand",)  # its data went with it
        assert store.why_ended() is None
        restored = store.restore("thousand", "a")
        assert count(restored.database) == RECORDS
    assert nothing_left() == []


def test_its_memory_and_cpu_time_can_be_limited(
    engine: docker.DockerClient, base: str, tmp_path: Path, nothing_left: Callable[[], list[str]]
) -> None:
    query = "postgresql-container?cpus=0.5&memory_mb=512"
    with open_store(query, log_path=tmp_path / "log") as store:
        (name,) = nothing_left()
        limits = engine.containers.get(name.removeprefix("/")).attrs["HostConfig"]

    assert limits["Memory"] == 512 << 20
    assert limits["NanoCpus"] == 500_000_000
    assert store.settings["limit: memory"] == "512MB"


def test_what_cannot_be_a_limit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="invalid limits"):
        open_store("postgresql-container?memory_mb=1", log_path=tmp_path / "log")


def test_without_an_engine_the_error_states_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")

    with pytest.raises(MissingProgramError, match="container"):
        open_store("postgresql-container", log_path=tmp_path / "log")
