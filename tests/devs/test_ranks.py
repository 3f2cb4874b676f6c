"""All ranks stand in one table, and what happens at one instant follows it."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import kumi
from kumi.devs import Simulation, ranks

PACKAGE = Path(kumi.__file__).parent


def test_every_rank_of_the_package_stands_in_the_table() -> None:
    own = re.compile(r"^(?!LOG_)[A-Z_]*RANK = \d", re.MULTILINE)
    with_ranks = {
        str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if own.search(path.read_text())
    }

    assert with_ranks == {"devs/ranks.py"}


def test_the_table_lists_each_rank_once_and_in_order() -> None:
    listed = re.findall(r"^\| (\d) \|", ranks.__doc__ or "", re.MULTILINE)

    assert [*map(int, listed)] == list(range(ranks.RANKS))


def test_at_one_instant_the_lower_rank_happens_first() -> None:
    done: list[str] = []
    with Simulation() as simulation:
        for name in ("SOCKET_RANK", "ACTING_RANK", "MESSAGE_RANK", "TASK_RANK", "FAULT_RANK"):
            simulation.schedule(1.0, partial(done.append, name), rank=getattr(ranks, name))
        simulation.run()

    assert done == ["FAULT_RANK", "MESSAGE_RANK", "TASK_RANK", "ACTING_RANK", "SOCKET_RANK"]
