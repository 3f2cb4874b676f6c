"""Faults as layers: messages are lost, held back, doubled or cut off anywhere in a stack.

`disturbed(PerfectLinks, Loss(0.1))` is a layer that passes for perfect links and loses one message in
ten. So one can see what a layer does for those above it, and what becomes of a layer when those below break
their promise:

    Stack(App(), Acknowledged(), disturbed(FairLossLinks, Loss(0.3), Reordering(0.5, within=0.1)))

The faults are those of a simulated network, and so are cuts by links or partitions; their times are those of the node's
clock. What is sent goes down as it is; what comes up goes through the faults in the order given.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias, TypeVar, cast

from kumi.contract.messages import Address, Message
from kumi.network import Node
from kumi.network.cuts import Cut
from kumi.network.faults import LOST, LinkFault
from kumi.protocols.guarantees import Broadcast, Links

Onward: TypeAlias = Callable[[Message, Address], object]
Carrier = TypeVar("Carrier", bound=Links | Broadcast)


def disturbed(guarantee: type[Carrier], *faults: LinkFault | Cut) -> Carrier:
    """Make a layer that passes for a guarantee, needs it below, and breaks it."""
    if not issubclass(guarantee, Links | Broadcast):
        raise TypeError(f"only links and broadcasts can be disturbed, not {guarantee!r}")

    def begin(layer: Any) -> None:
        onward: Onward = partial(_tell, layer)
        for fault in reversed(faults):
            onward = partial(_pass, fault, layer.node, onward)
        layer.below.listen(onward)

    def send(layer: Any, message: Message, to: Address) -> None:
        layer.below.send(message, to)

    def broadcast(layer: Any, message: Message) -> None:
        layer.below.broadcast(message)

    kind = type(
        f"Disturbed{guarantee.__name__}",
        (guarantee,),
        {
            "__annotations__": {"below": guarantee},
            "__module__": __name__.rpartition(".")[0],  # it is nothing to advise for a need
            "__doc__": f"{guarantee.__name__} that break their promise.",
            "begin": begin,
            **({"send": send} if issubclass(guarantee, Links) else {}),
            **({"broadcast": broadcast} if issubclass(guarantee, Broadcast) else {}),
        },
    )
    return cast(Carrier, kind())


def _tell(layer: Any, message: Message, sender: Address) -> None:
    layer.tell(message, sender)


def _pass(fault: LinkFault | Cut, node: Node, onward: Onward, message: Message, sender: Address) -> None:
    """Hand a message on: now or later, once, twice or not at all; what is lost is counted with the network's."""
    if isinstance(fault, LinkFault):
        fate = fault.fate(node.chance)
    else:
        is_cut = sender != node.address and fault.when.holds(node.now) and fault.blocks(sender, node.address)
        fate = LOST if is_cut else None
    if fate == LOST:
        node.network.count_drop("disturbed")
    for later in (0.0,) if fate is None else fate:
        if later > 0.0:
            node.after(later, partial(onward, message, sender))
        else:
            onward(message, sender)
