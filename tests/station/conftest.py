"""A station in the test's own process: its service over a store in a file, with teams, people and robots in it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
from argon2 import PasswordHasher

from kumi.station.callers import NOBODY, STATION, Caller
from kumi.station.operation import Request
from kumi.station.operations.maps import MakeFeedKey
from kumi.station.operations.people import AddPerson, AddTeam, LogIn
from kumi.station.operations.robots import EnrolRobot, Welcome
from kumi.station.people import secrets
from kumi.station.records import Parameter, RoleName, StationRecord, TaskOption
from kumi.station.service.presence import Presence
from kumi.station.service.robot_sessions import RobotDoor, Sessions
from kumi.station.service.service import Alone, Service
from kumi.station.store.store import StationStore
from kumi.station.wire.carrier import Carrier

A = TypeVar("A", bound=StationRecord)
FIRST_PASSWORD = "battery staple"  # noqa: S105 - with which everybody here was let in
PASSWORD = "correct horse"  # noqa: S105 - everybody here has it
GO_TO = TaskOption(name="goTo", parameters=(Parameter(name="at", kind="spot"),))


@dataclass
class Little:
    """A small station: teams red and blue, each with an observer, a commander, a team head and a robot, and a super-user."""

    service: Service
    tokens: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    def call(self, request: Request[A], by: Caller | str | None = None) -> A:
        """Carry out an operation for a caller, a user or a robot."""
        caller = self.caller(by) if by is None or isinstance(by, str) else by
        return asyncio.run(self.service.call(request, caller))

    def caller(self, name: str | None) -> Caller:
        """Return the caller of this name."""
        if name is None:
            return NOBODY
        if name in self.keys:
            return self.service.known.caller(f"robot:{name}:{self.keys[name]}")
        return self.service.known.caller(self.tokens[name])

    def again(self, **parts: Any) -> Service:
        """Have another service over the same store, with some parts of its own."""
        self.service = Service(self.service.store, known=self.service.known, **parts)
        return self.service

    def let_in(self, name: str, **fields: Any) -> None:
        """Let somebody use the station, who chooses a password and logs in."""
        self.call(AddPerson(name=name, password=FIRST_PASSWORD, **fields), STATION)
        chosen = LogIn(name=name, password=FIRST_PASSWORD, new_password=PASSWORD)
        self.tokens[name] = self.call(chosen).token

    def let_robots_in(self, carrier: Carrier) -> Sessions:
        """Let robots in over a carrier, and return those who entered."""
        presence, positioning = Presence(self.service.store), self.service.positioning
        sessions = Sessions(self.service.store, carrier, positioning, presence)
        self.again(positioning=positioning, presence=presence, others=Alone(sessions.halt))
        RobotDoor(self.service, carrier, sessions)
        return sessions


def furnished(store: StationStore) -> Little:
    """Make the teams, people and robots of a small station in an empty store."""
    little = Little(Service(store))
    roles: tuple[RoleName, ...] = ("observer", "commander", "team-head")
    for team in ("red", "blue"):
        little.call(AddTeam(team=team), STATION)
        for role in roles:
            name = f"{team} {role}"
            little.let_in(name, team=team, role=role)
        key = little.call(EnrolRobot(robot=f"{team} robot", team=team), STATION)
        little.keys[key.robot] = key.key
        little.call(Welcome(options=(GO_TO,)), key.robot)
    little.let_in("chief", role="super-user")
    little.tokens["positioning system"] = f"feed:{little.call(MakeFeedKey(), STATION).key}"
    return little


@contextmanager
def hashed_quickly() -> Iterator[None]:
    """Hash passwords with little work meanwhile; how much it was is in the hash, so checks of it are quick from then on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str], dict[str, str]]:
    """Make a small station once, with everybody logged in and both robots there."""
    path = tmp_path_factory.mktemp("station") / "station.db"
    store = StationStore(f"sqlite:///{path}")
    with hashed_quickly():
        little = furnished(store)
    store.close()
    return path, little.tokens, little.keys


@pytest.fixture
def little(template: tuple[Path, dict[str, str], dict[str, str]], tmp_path: Path) -> Iterator[Little]:
    """A small station in a file of its own."""
    path, tokens, keys = template
    shutil.copy(path, tmp_path / "station.db")
    store = StationStore(f"sqlite:///{tmp_path / 'station.db'}")
    yield Little(Service(store), dict(tokens), keys)
    store.close()
