"""What is no description of an effect is refused when it is made, with the rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kumi.network import (
    Byzantine,
    Constant,
    DistanceDelay,
    Garbling,
    LinkCut,
    NetworkPartition,
    RadioWaves,
    Where,
)
from kumi.world import World

WORLD: Any = World()
NUMBER: Any = 5
ONE_END: Any = (0,)
A_NAME: Any = (0, "1")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RadioWaves(NUMBER), r"a radio takes an ether, such as WorldEther\(world\), not 5"),
        (lambda: RadioWaves(WORLD), r"a radio takes an ether, .*, not <World 'world'>"),
        (
            lambda: Where(Constant(1.0), links=[ONE_END]),
            r"a pair of numbers of nodes, such as \(0, 1\), not \(0,\)",
        ),
        (lambda: Where(Constant(1.0), links=[A_NAME]), r"a pair of numbers of nodes, .*, not \(0, '1'\)"),
        (lambda: LinkCut(0, 0), r"a link is from one node to another one, not \(0, 0\)"),
        (lambda: NetworkPartition(NUMBER), r"a partition's group are several numbers of nodes, .*, not 5"),
        (
            lambda: Byzantine(NUMBER, Garbling(1.0)),
            r"Byzantine senders are several numbers of nodes, .*, not 5",
        ),
        (
            lambda: DistanceDelay(NUMBER, speed=1.0),
            r"the distance of nodes is a function of sender and receiver, not 5",
        ),
    ],
)
def test_it_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        make()
