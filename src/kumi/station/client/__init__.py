"""How does a program call a station? With `Client`, or with `AsyncClient` from asyncio."""

from kumi.station.client.client import AsyncClient, Client, StationGone, trusting

__all__ = ["AsyncClient", "Client", "StationGone", "trusting"]
