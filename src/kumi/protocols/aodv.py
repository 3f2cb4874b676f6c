"""Multi-hop routing for nodes that hear only their neighbours: the ad-hoc on-demand distance vector protocol.

A node that needs a route asks all neighbours, which ask theirs: the question floods the network, and everyone
on its way learns the way back to the asker. The destination, or one who knows a way that is fresh enough,
answers along that way, and everyone on it learns the way to the destination. A node that cannot reach the
next one on a way tells its neighbours which destinations are lost, looks for another way itself, and sends
what it could not pass on by that. After Perkins, Belding-Royer and Das, RFC 3561 (2003), with what was
found missing there later (van Glabbeek and others, 2016): a report of a broken way that is older than the
route it is about is not believed. Why no way is a circle, `Routes` says.

Assumes links that work in both directions. Where a way exists for long enough, what is sent again and again
arrives again and again: put `Acknowledged` above it for perfect links. Nodes keep the freshness of routes
over crashes; with an empty storage, they may build circles for a while.
"""

from __future__ import annotations

from collections import deque

from kumi.contract.messages import Address, Message
from kumi.protocols.guarantees import RECOVERY, WITHOUT_CRASHES, Broadcast
from kumi.protocols.hops import GivenUpHop, Hops
from kumi.protocols.numbering import refuse
from kumi.protocols.routing import Broken, Parcel, Recent, RouteReply, RouteRequest, Routes, Routing


class Aodv(Routing):
    """Looks for a way when one is needed.

    A question is asked up to `tries` times, `patience` seconds apart; what then still waits is dropped, as
    is what does not fit into `waiting` places for each destination. Routes that are not used are forgotten
    after `lifetime` seconds. The last `remember` questions and parcels are told from new ones.
    """

    bears = WITHOUT_CRASHES | RECOVERY

    air: Broadcast
    hops: Hops

    def __init__(
        self,
        *,
        lifetime: float = 10.0,
        patience: float = 0.5,
        tries: int = 4,
        waiting: int = 50,
        remember: int = 1000,
    ) -> None:
        if not (lifetime > 0.0 and patience > 0.0):
            raise ValueError(f"lifetime and patience are above 0 s, not {lifetime!r} and {patience!r}")
        if tries < 1 or waiting < 1:
            raise ValueError(f"at least 1 try and 1 place to wait are needed, not {tries!r} and {waiting!r}")
        self.lifetime = lifetime
        self.patience = patience
        self.tries = tries
        self.waiting = waiting
        self._asked: Recent[tuple[Address, int], bool] = Recent(remember)
        self._got: Recent[tuple[Address, int], bool] = Recent(remember)
        self._parcels: dict[Address, deque[Parcel]] = {}
        self._next = 0

    def begin(self) -> None:
        """Listen; numbers begin anywhere, so that those of an earlier life do not come again."""
        self._next = self.node.chance.integer(0, 2**52)
        self._freshness: int = self.node.storage.get("freshness", 0)
        self.routes = Routes(self.node, self.lifetime, self.route)
        self.air.listen(self._receive)
        self.hops.listen(self._receive)

    def send(self, message: Message, to: Address) -> None:
        """Send to one node, near or far."""
        if to == self.node.address:
            self.node.after(0.0, lambda: self.tell(message, to))
            return
        self._next += 1
        self._pass_on(Parcel(self.node.address, self._next, to, 0, 2 * len(self.node.group), message))

    def _receive(self, message: Message, neighbour: Address) -> None:
        match message:
            case RouteRequest():
                self._hear_question(message, neighbour)
            case RouteReply():
                self._hear_answer(message, neighbour)
            case Broken(lost):
                self._hear_broken(lost, neighbour)
            case Parcel():
                self._take(message)
            case GivenUpHop(inside):
                self._link_broke(inside, neighbour)
            case _:
                refuse(self.node)

    # Parcels.

    def _take(self, parcel: Parcel) -> None:
        if parcel.to != self.node.address:
            self._pass_on(parcel)
        elif (parcel.origin, parcel.number) not in self._got:
            self._got.put((parcel.origin, parcel.number), True)
            self.tell(parcel.inside, parcel.origin)

    def _pass_on(self, parcel: Parcel) -> None:
        route = self.routes.use(parcel.to)
        if parcel.hops_left < 1:
            self.node.network.count_drop("too many hops")
        elif route is not None and route.via is not None:
            self.routes.use(parcel.origin)
            self.hops.send(
                Parcel(
                    parcel.origin,
                    parcel.number,
                    parcel.to,
                    route.freshness,
                    parcel.hops_left - 1,
                    parcel.inside,
                ),
                route.via,
            )
        else:
            if parcel.origin != self.node.address:  # whoever sent it here must not send more
                self._lose([(parcel.to, max(self.routes.freshness(parcel.to), parcel.freshness + 1))])
            self._wait(parcel)

    def _wait(self, parcel: Parcel) -> None:
        """Keep a parcel until a way is found."""
        queue = self._parcels.get(parcel.to)
        if queue is None:
            queue = self._parcels[parcel.to] = deque()
            self._ask(parcel.to, self.tries)
        if len(queue) >= self.waiting:
            self.node.network.count_drop("too many wait for a route")
        else:
            queue.append(parcel)

    def _send_waiting(self, to: Address) -> None:
        for parcel in self._parcels.pop(to, ()):
            self._pass_on(parcel)

    # Questions and answers.

    def _ask(self, wanted: Address, tries: int) -> None:
        if wanted not in self._parcels:
            return
        if tries == 0:
            for _ in self._parcels.pop(wanted):
                self.node.network.count_drop("no route")
            return
        self._next += 1
        me = self.node.address
        self._asked.put((me, self._next), True)
        question = RouteRequest(me, self._next, self._fresher(), wanted, self.routes.freshness(wanted), 0)
        self.air.broadcast(question)
        self.node.after(self.patience, lambda: self._ask(wanted, tries - 1))

    def _fresher(self, at_least: int = 0) -> int:
        """Return a number for routes to this node that is higher than all before."""
        self._freshness = max(self._freshness + 1, at_least)
        self.node.storage.put("freshness", self._freshness)
        return self._freshness

    def _hear_question(self, asked: RouteRequest, neighbour: Address) -> None:
        key = (asked.origin, asked.number)
        if key in self._asked:
            return
        self._asked.put(key, True)
        if self.routes.offer(asked.origin, neighbour, asked.hops + 1, asked.origin_freshness):
            self._send_waiting(asked.origin)
        route = self.routes.find(asked.wanted)
        if asked.wanted == self.node.address:
            self._answer(RouteReply(asked.wanted, self._fresher(asked.wanted_freshness), 0, asked.origin))
        elif route is not None and route.freshness >= asked.wanted_freshness:
            self._answer(RouteReply(asked.wanted, route.freshness, route.hops, asked.origin))
        elif asked.hops + 1 < len(self.node.group):
            freshness = max(asked.wanted_freshness, self.routes.freshness(asked.wanted))
            self.air.broadcast(
                RouteRequest(
                    asked.origin,
                    asked.number,
                    asked.origin_freshness,
                    asked.wanted,
                    freshness,
                    asked.hops + 1,
                )
            )

    def _answer(self, answer: RouteReply) -> None:
        route = self.routes.find(answer.asker)
        if route is not None and route.via is not None:
            self.hops.send(answer, route.via)

    def _hear_answer(self, answer: RouteReply, neighbour: Address) -> None:
        hops = answer.hops + 1
        is_new = self.routes.offer(answer.found, neighbour, hops, answer.freshness)
        if is_new and answer.asker != self.node.address:
            self._answer(RouteReply(answer.found, answer.freshness, hops, answer.asker))
        if self.routes.find(answer.found) is not None:
            self._send_waiting(answer.found)

    # Broken links.

    def _link_broke(self, unheard: Message, neighbour: Address) -> None:
        self._lose([(lost, freshness + 1) for lost, freshness in self.routes.through(neighbour)])
        if isinstance(unheard, Parcel):
            self._pass_on(unheard)

    def _hear_broken(self, lost: tuple[tuple[Address, int], ...], neighbour: Address) -> None:
        ours = dict(self.routes.through(neighbour))
        self._lose([(to, freshness) for to, freshness in lost if to in ours and freshness > ours[to]])

    def _lose(self, lost: list[tuple[Address, int]]) -> None:
        """Take routes for broken, and tell the neighbours."""
        for destination, freshness in lost:
            self.routes.break_off(destination, freshness)
        if lost:
            self.air.broadcast(Broken(tuple(lost)))
