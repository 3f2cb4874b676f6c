"""How much fits into one message? Layers that bundle messages ask before they do.

A network may take messages of so many bytes only. A bundle is to leave room for what layers below add to it, and
to go over UDP as one datagram: one in pieces is lost with each of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from kumi.contract.messages import Message
from kumi.network import Node, encoded_size

LARGEST_BUNDLE = 1 << 15
"""Bytes of a bundle on a network that has a limit at all."""


def how_many_fit(node: Node, messages: Sequence[Message], most: int) -> int:
    """Return how many of the first messages, up to so many, fit into half of what the network takes, or 32 KiB.

    At least one does: who sends a message that does not fit at all is told so by the network.
    """
    limit = node.network.limit
    if limit is None:
        return min(most, len(messages))
    room, count = min(limit // 2, LARGEST_BUNDLE), 0
    for message in messages[:most]:
        room -= encoded_size(message)
        if room < 0 and count > 0:
            break
        count += 1
    return count
