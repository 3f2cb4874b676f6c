"""Where are the others? Ways for the nodes of a group to find each other without a list of hosts and ports.

A way is a `Discovery`: it makes known where this process listens, and calls back with each node it finds, also
when one is found at another place. It finds places and nothing else: messages go from process to process, never
through what found them, since a router in between would put them in order unasked.

`SharedFolder` serves processes that see one folder, such as those of one machine. `ZenohDiscovery` serves a local
network, with Eclipse Zenoh, which comes with the optional part `zenoh`.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from kumi.contract.messages import Address
from kumi.devs.extras import needing
from kumi.network.errors import NetworkError
from kumi.network.real import Place

Found: TypeAlias = Callable[[Address, Place], Awaitable[None]]

LOOK_EVERY = 0.05
"""Seconds between two looks into a folder."""


class Discovery(Protocol):
    """A way to find the nodes of a group."""

    async def run(self, address: Address, place: Place, found: Found) -> None:
        """Make a place known and tell of others, until cancelled."""


class SharedFolder:
    """Finds nodes by files in a folder: each is named after an address and holds a host and a port.

    A file stays when its process is killed; the next one at that address replaces it.
    """

    def __init__(self, folder: Path | str) -> None:
        self._folder = Path(folder)

    async def run(self, address: Address, place: Place, found: Found) -> None:
        """Write the own file, and look at those of others again and again."""
        self._folder.mkdir(parents=True, exist_ok=True)
        beside = self._folder / f".{address}"
        beside.write_text(f"{place[0]} {place[1]}")
        beside.replace(self._folder / f"{address}")
        known: dict[Address, Place] = {address: place}
        while True:
            for other, there in self._look().items():
                if known.get(other) != there:
                    known[other] = there
                    await found(other, there)
            await asyncio.sleep(LOOK_EVERY)

    def _look(self) -> dict[Address, Place]:
        seen: dict[Address, Place] = {}
        for file in sorted(self._folder.iterdir()):
            words = file.read_text().split() if file.name.isdecimal() else []
            if len(words) == 2 and words[1].isdecimal():
                seen[int(file.name)] = (words[0], int(words[1]))
        return seen


class ZenohDiscovery:
    """Finds nodes with Eclipse Zenoh: each keeps a token alive whose name is its address and place.

    `group` keeps several groups on one network apart. `listen` and `connect` are Zenoh's endpoints, such as
    "tcp/10.0.0.7:7447", for networks without multicast; without them Zenoh scouts.
    """

    def __init__(self, group: str = "kumi", *, listen: str | None = None, connect: str | None = None) -> None:
        self._zenoh = _zenoh()
        if not group or set(group) & set("/*$?# "):
            raise NetworkError(f"a group's name is a word without / * $ ? # or blanks, not {group!r}")
        self._group = group
        self._config = self._zenoh.Config()
        if listen is not None or connect is not None:
            self._config.insert_json5("scouting/multicast/enabled", "false")
        for key, endpoint in (("listen/endpoints", listen), ("connect/endpoints", connect)):
            if endpoint is not None:
                self._config.insert_json5(key, f'["{endpoint}"]')

    async def run(self, address: Address, place: Place, found: Found) -> None:
        """Declare the own token and tell of each other one."""
        loop = asyncio.get_running_loop()
        seen: asyncio.Queue[str] = asyncio.Queue()

        def token_seen(sample: Any) -> None:  # in a thread of Zenoh's
            if sample.kind == self._zenoh.SampleKind.PUT:
                loop.call_soon_threadsafe(seen.put_nowait, str(sample.key_expr))

        try:
            session = await asyncio.to_thread(self._zenoh.open, self._config)
        except self._zenoh.ZError as error:
            raise NetworkError(f"Zenoh cannot be opened for node {address}: {error}") from error
        liveliness = session.liveliness()
        token = liveliness.declare_token(f"{self._group}/{address}/{place[0]}/{place[1]}")
        listener = liveliness.declare_subscriber(f"{self._group}/*/*/*", token_seen, history=True)
        try:
            while True:
                match (await seen.get()).split("/"):
                    case [_, other, host, port] if other.isdecimal() and port.isdecimal():
                        if int(other) != address:
                            await found(int(other), (host, int(port)))
        finally:
            listener.undeclare()
            token.undeclare()
            await asyncio.to_thread(session.close)


def _zenoh() -> Any:
    with needing("zenoh"):
        return importlib.import_module("zenoh")
