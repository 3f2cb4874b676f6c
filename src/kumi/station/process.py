"""A process of a station: all of it, or the part that its role says, beside others over the same store.

A controller lets robots in, a gateway answers users by HTTP, the map process carries out what concerns the map; one process
alone does all three. All that a station keeps is in one folder. On the first start it makes a super-user, whose password is in a file that only its owner
can read.
"""

from __future__ import annotations

import asyncio
import gc
import os
import ssl
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from socket import gethostname, socket

import msgspec
import sqlalchemy as sql
import uvicorn
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from kumi.devs.secrets import new_secret
from kumi.station.callers import STATION
from kumi.station.floor.keeper import FloorKeeper
from kumi.station.gateway.app import application
from kumi.station.gateway.half_sent import bounded_protocol
from kumi.station.operations.maps import GetMap, SetMap
from kumi.station.operations.people import AddPerson
from kumi.station.people.secrets import is_right
from kumi.station.positioning.positioning import Positioning
from kumi.station.positioning.sources import source_named
from kumi.station.refusals import Reason, Refused
from kumi.station.service.cache import StationCache
from kumi.station.service.peers import PeerDoor, Peers, Role
from kumi.station.service.presence import Presence
from kumi.station.service.robot_sessions import RobotDoor, Sessions
from kumi.station.service.service import Service
from kumi.station.store.private import check_file, private_folder
from kumi.station.store.retention import LEAST_ENTRIES, forget
from kumi.station.store.schema import HAD_PEOPLE, facts, people, robots, teams, tokens
from kumi.station.store.store import StationStore
from kumi.station.store.transaction import Transaction
from kumi.station.wire.zenoh_carrier import ZenohCarrier
from kumi.world import load_map, map_to_table

FIRST_USER = "admin"
"""The name of the super-user that a new station makes."""
Serving = Callable[[Service], Sequence[BaseRoute]]
"""What a gateway serves besides the operations: a page, for one."""
SWITCH = 0.001
"""Seconds after which a thread lets another go on; at Python's 0.005 a stop could wait for several of these."""
YOUNG = 10_000
"""New objects after which garbage is looked for; at Python's 700 each list of all robots had it done several times."""
TIDY = 60.0
"""Seconds between two looks for entries that need not be kept."""
PRESENCE_PERIOD = 0.1
"""Seconds between two looks at who is silent."""


@dataclass(frozen=True)
class StationSettings:
    """Where a station keeps what it knows, where it listens, how it is called, and how many entries of its logs it keeps."""

    folder: Path
    host: str = "127.0.0.1"
    port: int = 7440
    name: str = "kumi"
    store: str | None = None
    role: Role = "all"
    reached_at: str | None = None
    robots: str = "tcp/127.0.0.1:7447"
    map: Path | None = None
    certificate: Path | None = None
    private_key: Path | None = None
    plain: bool = False
    positioning: str = "reckoning"
    keep: int = 1_000_000
    accept_damage: bool = False

    def __post_init__(self) -> None:
        source_named(self.positioning)
        if self.keep < LEAST_ENTRIES:
            raise ValueError(f"a station keeps {LEAST_ENTRIES} entries of its logs at least, not {self.keep}")
        if (self.certificate is None) != (self.private_key is None):
            raise ValueError("--certificate and --private-key are given together, or neither")
        if self.certificate is None and not (self.plain or _is_loopback(self.host)):
            raise ValueError(
                f"at {self.host} others could read passwords on their way: give a certificate with --certificate and "
                "--private-key, or allow a connection that others can read with --plain"
            )

    @property
    def url(self) -> str:
        """Where the station answers."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'' if self.certificate is None else 's'}://{host}:{self.port}"

    @property
    def has_gateway(self) -> bool:
        """Whether this process answers by HTTP."""
        return self.role in ("all", "gateway")

    @property
    def has_door(self) -> bool:
        """Whether robots enter here."""
        return self.role in ("all", "controller")

    @property
    def endpoint(self) -> str:
        """Where robots and other processes reach this one: not at an address that stands for all of a machine."""
        if self.role == "gateway":
            return ""
        everywhere = ("/0.0.0.0:", "/[::]:")
        found = self.reached_at or self.robots
        for one in everywhere:
            found = found.replace(one, f"/{gethostname()}:")
        return found

    @property
    def store_url(self) -> str:
        """Where the store is."""
        return self.store or f"sqlite:///{self.folder / 'station.db'}"

    @property
    def password_file(self) -> Path:
        """Where the first super-user's password is."""
        return self.folder / f"{FIRST_USER}-password"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def run_station(
    settings: StationSettings, ready: Callable[[StationSettings], None], serving: Serving = lambda _: ()
) -> None:
    """Run a process of a station until it is asked to end; `ready` is called when it answers."""
    private_folder(settings.folder)
    store = StationStore(
        settings.store_url, folder=settings.folder, accept_damage=settings.accept_damage, has_reserve=True
    )
    try:
        await _run_parts(store, settings, ready, serving)
    finally:
        store.close()


def _be_prompt() -> None:
    """Have threads wait less for each other, and what was made so far left alone when garbage is looked for."""
    sys.setswitchinterval(SWITCH)
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG)


async def _run_parts(
    store: StationStore, settings: StationSettings, ready: Callable[[StationSettings], None], serving: Serving
) -> None:
    """Make the parts of this process, each of those before it; run them, and close what they opened, however they end."""
    async with AsyncExitStack() as stack:
        out = ZenohCarrier()
        stack.push_async_callback(out.close)
        here = None
        if settings.role != "gateway":
            here = await ZenohCarrier.listening(settings.robots)
            stack.push_async_callback(here.close)
        known, floor = StationCache(store), FloorKeeper()
        positioning = Positioning(source_named(settings.positioning))
        presence = None if settings.role == "map" else Presence(store)
        sessions = Sessions(store, here, positioning, presence) if here and settings.has_door else None
        peers = Peers(store, known, floor, settings.role, out, settings.endpoint, sessions, presence, here)
        stack.push_async_callback(peers.leave)
        service = Service(
            store,
            settings.name,
            known=known,
            floor=floor,
            positioning=positioning,
            presence=presence,
            others=peers,
        )
        PeerDoor(service, here or out, peers)
        if here is not None and sessions is not None:
            RobotDoor(service, here, sessions, peers.endpoints)
        await _first_person(service, settings)
        if settings.map is not None:
            await _use_map(service, settings.map)
        store.follow()
        _be_prompt()
        await peers.look()
        around = [peers.run(), service.stops.run(), _tidy(store, settings.keep)]
        if presence is not None:
            around.append(_watch(presence))
        if sessions is not None:
            around.append(sessions.run())
        tasks = [asyncio.ensure_future(one) for one in around]
        stack.push_async_callback(_end, tasks)
        if settings.has_gateway:
            await _serve(application(service, serving(service)), settings, ready, service.news.end)
        else:
            ready(settings)
            await asyncio.gather(*tasks)


async def _end(tasks: Sequence[asyncio.Future[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _serve(
    app: Starlette,
    settings: StationSettings,
    ready: Callable[[StationSettings], None],
    ending: Callable[[], None],
) -> None:
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_level="critical",
        access_log=False,
        lifespan="off",
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.private_key,
        http=bounded_protocol(),
        ws="wsproto",
        ws_per_message_deflate=False,
        proxy_headers=False,  # attempts count by address: nobody may choose the own one
        timeout_keep_alive=75,  # longer than clients keep theirs: who reuses a line does not find it just closed
        timeout_graceful_shutdown=2,
    )
    try:
        config.load()
    except (ssl.SSLError, OSError) as error:
        raise OSError(f"the certificate {settings.certificate} cannot be used: {error}") from error
    await _Server(config, lambda: ready(settings), ending).serve()


class _Server(uvicorn.Server):
    """A web server that says when it listens, or why it cannot, instead of ending the process; and when it ends."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], ending: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready, self._ending = ready, ending

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        self._ending()
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket] | None = None) -> None:
        try:
            await super().startup(sockets)
            self._ready()
        except SystemExit:
            raise OSError(
                f"cannot listen at {self.config.host}:{self.config.port}: the address is not of this machine, or in use"
            ) from None


async def _watch(presence: Presence) -> None:
    while True:
        presence.look()
        await asyncio.sleep(PRESENCE_PERIOD)


async def _tidy(store: StationStore, keep: int) -> None:
    """Forget what is older than the newest so many entries, again and again."""
    while True:
        with suppress(Refused):  # the store is away: there is time
            while await asyncio.wrap_future(store.write(lambda it: forget(it, keep))):
                await asyncio.sleep(PRESENCE_PERIOD)
        await asyncio.sleep(TIDY)


async def _use_map(service: Service, path: Path) -> None:
    """Put a map from a file in use, unless it is already."""
    table = map_to_table(load_map(path))
    known = await service.call(GetMap(), STATION)
    if known.map != msgspec.json.decode(msgspec.json.encode(table)):
        await service.call(SetMap(map=table), STATION)


def _drop_worthless(kept: Path, known: str | None) -> None:
    """Remove the file of the first super-user's first password once another was chosen."""
    if kept.exists() and not is_right(kept.read_text().strip(), known):
        kept.unlink()


async def _first_person(service: Service, settings: StationSettings) -> None:
    """Make the first super-user; the password is in its file before, and has its name after, whatever is killed between.

    Where there were people and are none, the store is damaged, and whoever came now would get all of it.
    """
    kept = settings.password_file
    check_file(kept)
    had_people = kept.exists()  # looked at first: another process of this station may be making it
    with service.store.reading() as transaction:
        has_people, had_people = _has_people(transaction), had_people or _had_people(transaction)
        first = transaction.one(sql.select(people.c.password).where(people.c.name == FIRST_USER))
    if has_people:
        await asyncio.wrap_future(service.store.write(_remember_people))
        for left in [] if kept.exists() else kept.parent.glob(f"{kept.name}.*"):
            left.rename(kept)
        _drop_worthless(kept, None if first is None else first.password)
        return
    if had_people:
        raise OSError(
            f"there were people in the store at {settings.store_url}, and there are none: no new super-user is made; "
            "restore a backup with `kumi station restore`, or begin anew in another folder"
        )
    password = new_secret()
    early = kept.with_name(f"{kept.name}.{service.store.process}")
    with os.fdopen(os.open(early, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        out.write(password + "\n")
    try:
        await service.call(AddPerson(name=FIRST_USER, password=password, role="super-user"), STATION)
    except Refused as refused:
        early.unlink()
        if refused.reason is not Reason.CONFLICT:  # another process of this station was quicker
            raise
    else:
        early.rename(kept)
    await asyncio.wrap_future(service.store.write(_remember_people))


def _has_people(transaction: Transaction) -> bool:
    return transaction.one(sql.select(people.c.name).limit(1)) is not None


def _had_people(transaction: Transaction) -> bool:
    """Tell whether there were people, as far as is remembered, or can be seen by what they left."""
    if transaction.one(sql.select(facts.c.value).where(facts.c.name == HAD_PEOPLE)) is not None:
        return True
    return any(transaction.one(sql.select(table).limit(1)) is not None for table in (teams, robots, tokens))


def _remember_people(transaction: Transaction) -> None:
    is_known = transaction.one(sql.select(facts.c.value).where(facts.c.name == HAD_PEOPLE)) is not None
    if not is_known:
        transaction.run(facts.insert().values(name=HAD_PEOPLE, value="yes"))
