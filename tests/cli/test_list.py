"""`kumi list` shows all that ships, with one sentence for each."""

from __future__ import annotations

import re

from kumi.motion import DRIVES
from kumi.scenario.effects import EFFECTS
from kumi.scenario.lookup import shipped_programs, shipped_stacks
from kumi.scenario.scenario import shipped_scenarios, shipped_with_real_robots
from kumi.sensing import KINDS
from kumi.study.shipped_studies import shipped_studies
from tests.commands import kumi


def test_everything_that_ships_is_listed_with_a_sentence() -> None:
    done = kumi("list")
    sections = re.split(r"^(\w+):\n", done.stdout, flags=re.MULTILINE)[1:]
    listed = {
        title: dict(re.findall(r"^  (\S+) +(\S.*)$", body, re.MULTILINE))
        for title, body in zip(sections[::2], sections[1::2], strict=True)
    }

    assert {title: set(rows) for title, rows in listed.items()} == {
        "Scenarios": {*shipped_scenarios(), *shipped_with_real_robots()},
        "Studies": set(shipped_studies()),
        "Programs": set(shipped_programs()),
        "Drives": set(DRIVES),
        "Sensors": set(KINDS),
        "Effects": set(EFFECTS),
        "Stacks": set(shipped_stacks()),
    }
    assert {"random-movement", "gathering", "wall-following"} <= set(listed["Scenarios"])
    assert all(len(sentence) > 10 for rows in listed.values() for sentence in rows.values())
