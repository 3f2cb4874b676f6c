"""A station under load: robots in a few processes report, users look and stop, pages show it all, and both sides are killed.

The station is a process of its own; its CPU and memory are read from /proc. Times are of one clock that all processes of a
machine share. A robot is lost from the instant its process is killed until the store says so, and back from the instant the
station answers again until the store says so.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any

import sqlalchemy as sql

from benchmarks.tasks import Sample
from kumi.station.client import Client
from kumi.station.operations.stops import Stop
from kumi.station.people.secrets import key_hash
from kumi.station.service.cache import StationCache
from kumi.station.store.schema import people, robots, teams, tokens
from kumi.station.store.store import StationStore
from kumi.station.store.transaction import Transaction

LIMIT = 60.0
"""Seconds after which something counts as never."""


class Crowd:
    """A process of robots, and what it said."""

    def __init__(self, keys: Path, endpoint: str, hertz: float) -> None:
        command = [sys.executable, "-m", "benchmarks.station_robots", str(keys), endpoint, str(hertz)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.tags = [line.split(":")[1] for line in keys.read_text().splitlines()]
        self.is_in = threading.Event()
        self.stops: dict[str, float] = {}
        self.trips: list[tuple[float, float]] = []
        assert self.process.stdout is not None
        self._reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()

    def _read(self, lines: IO[str]) -> None:
        for line in lines:
            kind, *rest = line.split()
            if kind == "in":
                self.is_in.set()
            elif kind == "stop":
                self.stops.setdefault(rest[0], float(rest[1]))
            elif kind == "trips":
                times = [float(one) for one in rest]
                self.trips += zip(times[::2], times[1::2], strict=True)

    def end(self) -> None:
        """Have it say what it measured, and end."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)
        self._reader.join(5)


class Load:
    """A station in a folder, with its crowds."""

    def __init__(
        self,
        folder: Path,
        number: int,
        crowds: int,
        hertz: float,
        users: int,
        stack: ExitStack,
        options: tuple[str, ...] = (),
    ) -> None:
        self.folder, self.stack, self.options = folder, stack, options
        self.port, self.door = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.store = StationStore(f"sqlite:///{folder / 'station.db'}")
        stack.callback(self.store.close)
        self.tokens = self._people(users)
        files = self._enrol(number, crowds)
        self.start()
        endpoint = f"tcp/127.0.0.1:{self.door}"
        self.crowds = [Crowd(file, endpoint, hertz) for file in files]
        for crowd in self.crowds:
            stack.callback(crowd.end)
            assert crowd.is_in.wait(LIMIT), "the robots did not come in"

    def _people(self, number: int) -> list[str]:
        """Make commanders known, and log them in, without the slow work on their passwords; return their tokens."""
        signer = StationCache(self.store).signer

        def work(transaction: Transaction) -> list[str]:
            transaction.run(teams.insert().values(name="red"))
            names = [f"user{one}" for one in range(number)]
            rows = [{"name": name, "password": "", "team": "red", "role": "commander"} for name in names]
            transaction.run(people.insert(), rows)
            made = {"made_at": transaction.now}
            return [signer.token(transaction.insert(tokens, person=name, **made)) for name in names]

        return self.store.write(work).result()

    def use(self, users: int, views: int, seconds: float) -> subprocess.Popen[str]:
        """Begin to use the station."""
        file = self.folder / "tokens"
        file.write_text("\n".join(self.tokens))
        command = [sys.executable, "-m", "benchmarks.station_users", self.url, str(file)]
        process = subprocess.Popen(
            [*command, str(users), str(views), str(seconds)], stdout=subprocess.PIPE, text=True
        )
        self.stack.callback(process.kill)
        return process

    def _enrol(self, number: int, crowds: int) -> list[Path]:
        """Make robots known, at once instead of one after the other; return files of keys."""
        rows = [{"tag": f"r{one}", "team": "red", "key": key_hash(f"key{one}")} for one in range(number)]
        self.store.write(lambda it: it.run(robots.insert(), rows)).result()
        files = [self.folder / f"keys{one}" for one in range(crowds)]
        for one, file in enumerate(files):
            file.write_text("".join(f"robot:r{n}:key{n}\n" for n in range(one, number, crowds)))
        return files

    def start(self) -> None:
        """Run the station until it answers."""
        where = ["--listen", f"127.0.0.1:{self.port}", "--robots", f"tcp/127.0.0.1:{self.door}"]
        command = [sys.executable, "-m", "kumi", "station", "--data", str(self.folder), *where, *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.stack.callback(self.process.kill)
        assert self.process.stdout is not None
        assert "answers at" in self.process.stdout.readline()

    def usage(self) -> tuple[float, float]:
        """Return the CPU seconds that the station took, and its memory in MiB."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        memory = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        ticks = int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK"), float(memory.split()[1]) / 1024.0

    def count(self) -> int:
        """Return how many reports the store has heard of, over all robots."""
        with self.store.reading() as transaction:
            found = sql.func.sum(sql.func.json_extract(robots.c.facts, "$.count"))
            return int(transaction.connection.execute(sql.select(found)).scalar() or 0)

    def in_state(self, state: str, tags: list[str]) -> Callable[[], bool]:
        """Return a question whether these robots are all in a state."""
        ours = robots.c.state == state, robots.c.tag.in_(tags)
        return self._counts(sql.select(sql.func.count()).where(*ours), len(tags))

    def entered_anew(self, tags: list[str]) -> Callable[[], bool]:
        """Return a question whether these robots are all with another process than any is now."""
        with self.store.reading() as transaction:
            before = {row.controller for row in transaction.all(sql.select(robots.c.controller).distinct())}
        ours = robots.c.tag.in_(tags), robots.c.state == "connected", robots.c.controller.not_in(before)
        return self._counts(sql.select(sql.func.count()).where(*ours), len(tags))

    def _counts(self, found: sql.Select[Any], number: int) -> Callable[[], bool]:
        def ask() -> bool:
            with self.store.reading() as transaction:
                return transaction.connection.execute(found).scalar() == number

        return ask


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def until(holds: Callable[[], bool], otherwise: str = "it never came true") -> float:
    """Wait until something holds; return how long, in seconds."""
    begun = monotonic()
    while not holds():
        assert monotonic() - begun < LIMIT, otherwise
        sleep(0.01)
    return monotonic() - begun


def stop_some(load: Load, count: int, seconds: float) -> dict[str, float]:
    """Stop robots one after the other, each by another user, spread over some time; return when each was asked for."""
    asked: dict[str, float] = {}
    tags = [tag for crowd in load.crowds for tag in crowd.tags][:count]
    clients = [Client(load.url, token, timeout=30.0) for token in load.tokens]
    begun = monotonic()
    for number, tag in enumerate(tags):
        sleep(max(0.0, begun + number * seconds / count - monotonic()))
        asked[tag] = monotonic()
        clients[number % len(clients)].call(Stop(robot=tag))
    for client in clients:
        client.close()
    return asked


def station_load(
    number: int = 1000,
    crowds: int = 2,
    hertz: float = 10.0,
    users: int = 50,
    views: int = 20,
    seconds: float = 30.0,
    stops: int = 300,
) -> Sample:
    """Put a station under load, and measure it."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        load = Load(Path(folder), number, crowds, hertz, users, stack)
        sleep(2.0)  # the rush at the door is over
        begun, before, (cpu, _) = monotonic(), load.count(), load.usage()
        using = load.use(users, views, seconds)
        asked = stop_some(load, stops, seconds)
        said = {line.split()[0]: line.split()[1:] for line in using.communicate()[0].splitlines()}
        looks, sizes = ([float(one) for one in said[kind]] for kind in ("users", "views"))
        took, (cpu_after, memory) = monotonic() - begun, load.usage()
        updates = (load.count() - before) / took
        until(lambda: sum(len(crowd.stops) for crowd in load.crowds) == len(asked), "a stop did not arrive")
        halts = [at - asked[tag] for crowd in load.crowds for tag, at in crowd.stops.items()]
        dead = load.crowds[-1]
        dead.process.kill()
        lost = until(load.in_state("lost", dead.tags))
        load.process.kill()
        load.process.wait()
        others = [tag for crowd in load.crowds[:-1] for tag in crowd.tags]
        are_back = load.entered_anew(others)
        load.start()
        back = until(are_back)
        for crowd in load.crowds[:-1]:
            crowd.end()
        trips = [
            back - at for crowd in load.crowds for at, back in crowd.trips if begun <= at <= begun + took
        ]
    return {
        "figure": updates,
        "cpu": (cpu_after - cpu) / took,
        "memory": memory,
        "trip_p50": 1e3 * quantile(trips, 0.5),
        "trip_p99": 1e3 * quantile(trips, 0.99),
        "view": sum(sizes) / max(len(sizes), 1) / seconds / 1e6,
        "look_p50": 1e3 * quantile(looks, 0.5),
        "look_p99": 1e3 * quantile(looks, 0.99),
        "stop_p50": 1e3 * quantile(halts, 0.5),
        "stop_p99": 1e3 * quantile(halts, 0.99),
        "lost": lost,
        "back": back,
    }


def quantile(values: list[float], share: float) -> float:
    """Return the value below which a share of all values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
