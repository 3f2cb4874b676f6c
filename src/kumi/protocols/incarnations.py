"""A number for each life of a node, which no other life of it has had.

It is a random number plus the count of lives so far, which is stored: one of the two differs even if the
storage is lost, or if chance begins anew with the process.
"""

from __future__ import annotations

from kumi.network import Node


def mark_of_life(node: Node, layer: str) -> int:
    """Begin a life of a layer, and return its number."""
    name = f"{layer}: lives so far"
    lives: int = node.storage.get(name, 0) + 1
    node.storage.put(name, lives)
    return node.chance.integer(0, 2**52) + lives
