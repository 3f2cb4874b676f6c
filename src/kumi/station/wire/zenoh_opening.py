"""Sessions of Zenoh: a station's, which others connect to; a robot's, to one endpoint; and who answers on the local network.

A lease of 2 s lets a robot that hangs be dropped soon. A robot finds its station by asking the local network; on a machine
with nothing but a loopback, that must be asked by name.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import zenoh

LEASE_MS = 2000
PORT = 7447
SCOUT = 0.6
"""Seconds in which stations answer that there are."""
OTHERS = 0.2
"""Seconds in which others answer after the first."""


def open_router(endpoint: str) -> zenoh.Session:
    """Return a session that others connect to; ZError where it cannot listen there."""
    return _open(
        {
            "mode": '"router"',
            "listen/endpoints": json.dumps([endpoint]),
            "scouting/multicast/enabled": "true",
            "scouting/multicast/interface": '"lo"' if "127.0.0.1" in endpoint else '"auto"',
        }
    )


def open_client(endpoint: str) -> zenoh.Session:
    """Return a session with whoever listens at an endpoint; ZError where nobody does."""
    return _open(
        {
            "mode": '"client"',
            "connect/endpoints": json.dumps([endpoint]),
            "connect/timeout_ms": "2000",
            "scouting/multicast/enabled": "false",
        }
    )


def _open(settings: dict[str, str]) -> zenoh.Session:
    config = zenoh.Config()
    config.insert_json5("transport/link/tx/lease", str(LEASE_MS))
    for key, value in settings.items():
        config.insert_json5(key, value)
    return zenoh.open(config)


async def find_stations() -> list[str]:
    """Return the endpoints of the stations that answer on the local network, else on this machine."""
    for interface in ("auto", "lo"):
        found = await asyncio.to_thread(_scouted, interface)
        if found:
            return found
    return [f"tcp/127.0.0.1:{PORT}"]


def _scouted(interface: str) -> list[str]:
    config = zenoh.Config()
    config.insert_json5("scouting/multicast/interface", f'"{interface}"')
    found: list[str] = []

    def on_hello(hello: zenoh.Hello) -> None:
        found.extend(locator for locator in hello.locators if locator not in found)

    handler: Any = on_hello
    scout: Any = zenoh.scout(handler, what="router", config=config)
    deadline = time.monotonic() + SCOUT
    while time.monotonic() < deadline:
        time.sleep(0.02)
        if found:
            deadline = min(deadline, time.monotonic() + OTHERS)
    scout.stop()
    return found


def said(error: Exception) -> str:
    """Return what Zenoh said, without where in Zenoh."""
    return str(error).split(" at ")[0].strip()
