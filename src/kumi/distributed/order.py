"""In which order would one process have made the steps of several parts?

At one instant, a process makes steps of the least rank that is due anywhere, again and again. So the steps of
two parts that did not exchange anything at that instant are merged by their ranks: the lower goes first, equal
ones are one step. Within a step, those planned earlier come first; tickets say when that was. A ticket may name
a step of an earlier instant that is merged here, too; so instants are gone through in order of time.
"""

from __future__ import annotations

from collections.abc import Mapping

from kumi.distributed.wire import Ticket

Ran = tuple[float, int, int, list[Ticket]]
"""A step as a part made it: time, step, rank, tickets of those that were planned for it."""

Aligned = tuple[float, int, int, list[int]]
"""The same step among those of all parts: time, step, its number, the places of those planned for it."""


def align(ran: Mapping[str, list[Ran]]) -> dict[str, list[Aligned]]:
    """Give the steps of each part their numbers and places among those of all."""
    found: dict[tuple[str, float, int], tuple[int, list[int]]] = {}
    result: dict[str, list[Aligned]] = {part: [] for part in ran}
    instants: dict[float, dict[str, list[Ran]]] = {}
    for part, steps in ran.items():
        for step in steps:
            instants.setdefault(step[0], {}).setdefault(part, []).append(step)
    for time in sorted(instants):
        queues = {part: iter(steps) for part, steps in instants[time].items()}
        heads = {part: next(queue) for part, queue in queues.items()}
        number = 0
        while heads:
            number += 1
            rank = min(head[2] for head in heads.values())
            group = {part: head for part, head in heads.items() if head[2] == rank}
            tickets = {part: [_known(found, part, one) for one in head[3]] for part, head in group.items()}
            for part, places in merged(tickets).items():
                local = group[part][1]
                found[part, time, local] = number, places
                result[part].append((time, local, number, places))
            for part in group:
                after = next(queues[part], None)
                if after is None:
                    del heads[part]
                else:
                    heads[part] = after
    return result


def merged(tickets: Mapping[str, list[Ticket]]) -> dict[str, list[int]]:
    """Give the place of each ticket of each part in the order of all."""
    places: dict[str, list[int]] = {part: [] for part in tickets}
    if len(tickets) == 1:
        return {part: list(range(len(own))) for part, own in tickets.items()}
    order = sorted((ticket, part) for part, own in tickets.items() for ticket in own)
    for place, (_, part) in enumerate(order):
        places[part].append(place)
    return places


def _known(
    found: Mapping[tuple[str, float, int], tuple[int, list[int]]], part: str, ticket: Ticket
) -> Ticket:
    aligned = found.get((part, ticket[0], ticket[1]))
    if aligned is None:
        return ticket
    time, _, act, place, send, route, call = ticket
    return time, aligned[0], act, aligned[1][place], send, route, call
