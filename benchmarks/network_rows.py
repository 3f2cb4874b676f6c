"""The table of networks: messages passed on, one order for all, calls in a swarm that moves, and rumours."""

from __future__ import annotations

from benchmarks.rows import KUMI, SIMPY, Row, Run
from benchmarks.world_rows import GRADYSIM

PART = "Network"
MODULE = "network_kumi"


def bare(number: int, target: float | None = None) -> Row:
    """Describe a row of messages through the bare network."""
    params = {"number": number, "messages": 500_000}
    fewer = {"number": number, "messages": 100_000}
    return Row(
        name=f"network-{number}",
        title=f"{number:,} nodes pass messages on, bare network",
        unit="messages/CPU s",
        task="messages",
        runs=(
            Run(KUMI, params, module=MODULE, quick={"messages": 200_000}),
            Run(SIMPY, fewer, quick={"messages": 50_000}),
            Run(GRADYSIM, fewer, quick=None),
        ),
        target=target,
        more_is_better=True,
        part=PART,
    )


def total_order(number: int, broadcasts: int, target: float | None = None) -> Row:
    """Describe a row of a total-order stack; nothing among the peers has one."""
    return Row(
        name=f"network-total-order-{number}",
        title=f"{number:,} nodes broadcast in one order (Lamport, in-order and perfect links)",
        unit="protocol events/CPU s",
        task="total_order",
        runs=(
            Run(
                KUMI,
                {"number": number, "broadcasts": broadcasts},
                module=MODULE,
                quick={} if number <= 10 else None,
            ),
        ),
        target=target,
        more_is_better=True,
        part=PART,
    )


def swarm(number: int, rounds: int, peer_rounds: int | None) -> Row:
    """Describe a row of broadcasts; the cost of one is to depend on the neighbours, not on the number."""
    peers = (
        () if peer_rounds is None else (Run(GRADYSIM, {"number": number, "rounds": peer_rounds}, 1, None),)
    )
    return Row(
        name=f"network-swarm-{number}",
        title=f"A broadcast to about 10 neighbours in a moving swarm of {number:,}",
        unit="µs/broadcast",
        task="swarm",
        runs=(
            Run(KUMI, {"number": number, "rounds": rounds}, module=MODULE, quick={"rounds": 1}),
            *peers,
        ),
        key="us_per_broadcast",
        part=PART,
    )


RUMOURS = {
    "gossip": "to all by gossip",
    "flooding": "to all by flooding, each hearing 8",
    "routing": "to the farthest by routing, each hearing 8",
}


def rumour(by: str, number: int, *, memory: bool) -> Row:
    """Describe a row of a rumour among very many nodes: the time it takes, or the memory of the whole process."""
    return Row(
        name=f"network-rumour-{by}-{number}{'-memory' if memory else ''}",
        title=f"A rumour among {number:,} nodes, {RUMOURS[by]}{': memory' if memory else ''}",
        unit="MB" if memory else "CPU s",
        task=f"rumour_by_{by}",
        runs=(Run(KUMI, {"number": number}, 1 if memory else 3, {"number": 900}, MODULE),),
        key="megabytes" if memory else "figure",
        target=300.0 if memory else 10.0,
        part=PART,
    )


ROWS: tuple[Row, ...] = (
    bare(10, 500_000.0),
    bare(100, 500_000.0),
    bare(1_000, 500_000.0),
    bare(10_000, 500_000.0),
    total_order(5, 10_000, 300_000.0),
    total_order(10, 4_000),
    total_order(100, 100),
    swarm(100, 100, 20),
    swarm(1_000, 20, 2),
    swarm(10_000, 4, 1),
    *(rumour(by, 10_000, memory=memory) for by in RUMOURS for memory in (False, True)),
)
