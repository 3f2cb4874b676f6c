"""A station in one process: its store, its service, its gateway, and the watch over who is there.

All that it keeps is in one folder. On the first start it makes a super-user, whose password is in a file that only its owner
can read.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from socket import socket

import msgspec
import sqlalchemy as sql
import uvicorn

from kumi.station.callers import STATION
from kumi.station.gateway.app import application
from kumi.station.people.secrets import new_secret
from kumi.station.requests import AddPerson, GetMap, SetMap
from kumi.station.service.presence import Presence
from kumi.station.service.robot_door import RobotDoor
from kumi.station.service.service import Service
from kumi.station.store.schema import people
from kumi.station.store.store import Store
from kumi.station.wire.zenoh_carrier import ZenohCarrier
from kumi.world import load_map, map_to_table

FIRST = "admin"
"""The name of the super-user that a new station makes."""
LOOK = 0.1
"""Seconds between two looks at who is silent."""


@dataclass(frozen=True)
class Settings:
    """Where a station keeps what it knows, where it listens, and how it is called."""

    folder: Path
    host: str = "127.0.0.1"
    port: int = 7440
    name: str = "kumi"
    store: str | None = None
    robots: str = "tcp/127.0.0.1:7447"
    map: Path | None = None
    certificate: Path | None = None
    private_key: Path | None = None
    plain: bool = False

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.private_key is None):
            raise ValueError("a certificate and its private key are given together, or neither")
        if self.certificate is None and not (self.plain or _is_loopback(self.host)):
            raise ValueError(
                f"at {self.host} others could read passwords on their way: give a certificate and its private key, "
                "or ask for a plain connection in so many words"
            )

    @property
    def url(self) -> str:
        """Where the station answers."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'' if self.certificate is None else 's'}://{host}:{self.port}"

    @property
    def store_url(self) -> str:
        """Where the store is."""
        return self.store or f"sqlite:///{self.folder / 'station.db'}"

    @property
    def password_file(self) -> Path:
        """Where the first super-user's password is."""
        return self.folder / f"{FIRST}-password"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def run_station(settings: Settings, ready: Callable[[Settings], None]) -> None:
    """Run a station until it is asked to end; `ready` is called when it answers."""
    settings.folder.mkdir(parents=True, exist_ok=True)
    store = Store(settings.store_url)
    try:
        service = Service(store, settings.name)
        await _first_person(service, settings)
        if settings.map is not None:
            await _use_map(service, settings.map)
        presence = Presence(store)
        service.presence = presence
        carrier = await ZenohCarrier.listening(settings.robots)
        door = RobotDoor(service, carrier)
        config = uvicorn.Config(
            application(service),
            host=settings.host,
            port=settings.port,
            log_level="critical",
            access_log=False,
            lifespan="off",
            ssl_certfile=settings.certificate,
            ssl_keyfile=settings.private_key,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=2,
        )
        try:
            config.load()
        except (ssl.SSLError, OSError) as error:
            raise OSError(f"the certificate {settings.certificate} cannot be used: {error}") from error
        server = _Server(config)
        around = [
            asyncio.create_task(_watch(presence, server, lambda: ready(settings))),
            asyncio.create_task(door.run()),
        ]
        try:
            await server.serve()
        finally:
            for task in around:
                task.cancel()
            await carrier.close()
    finally:
        store.close()


class _Server(uvicorn.Server):
    """A web server that says why it cannot listen, instead of ending the process."""

    async def startup(self, sockets: list[socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        except SystemExit:
            raise OSError(
                f"cannot listen at {self.config.host}:{self.config.port}: the address is not of this machine, or in use"
            ) from None


async def _watch(presence: Presence, server: uvicorn.Server, ready: Callable[[], None]) -> None:
    is_ready = False
    while True:
        if server.started and not is_ready:
            is_ready = True
            ready()
        presence.look()
        await asyncio.sleep(LOOK if is_ready else 0.01)


async def _use_map(service: Service, path: Path) -> None:
    """Put a map from a file in use, unless it is already."""
    table = map_to_table(load_map(path))
    known = await service.call(GetMap(), STATION)
    if known.map != msgspec.json.decode(msgspec.json.encode(table)):
        await service.call(SetMap(map=table), STATION)


async def _first_person(service: Service, settings: Settings) -> None:
    with service.store.reading() as transaction:
        if transaction.one(sql.select(people.c.name).limit(1)) is not None:
            return
    password = new_secret()
    file = os.open(settings.password_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(file, "w") as out:
        out.write(password + "\n")
    await service.call(AddPerson(name=FIRST, password=password, role="super-user"), STATION)
