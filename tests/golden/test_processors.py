"""Every run has the same hash whatever the processor offers and whatever Python hashes by."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from kumi.testing.portability import ProcessSwitch, switches
from tests.golden.listing import read_listing
from tools.portability import Combination

ROOT = Path(__file__).parents[2]


def hashes_with(switch: ProcessSwitch, half: str) -> dict[str, str]:
    """Return half of all hashes, from a process with that switch."""
    command = [sys.executable, "-m", "tests.golden.runs", half]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=switch.changed)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("half", ["scenarios", "rest"])
@pytest.mark.parametrize("switch", switches(), ids=lambda switch: switch.name.replace(" ", "-"))
def test_every_hash_is_the_same_with_a_switch_of_the_processor(switch: ProcessSwitch, half: str) -> None:
    if not switch.has_effect:
        pytest.skip(f"'{switch.name}' changes nothing on this machine")
    found, listed = hashes_with(switch, half), read_listing().hashes

    others = [name for name, one in found.items() if one != listed[name]]
    assert found
    assert others == [], f"with '{switch.name}' these end in other hashes: {'; '.join(others)}"


def test_each_python_is_built_for_in_a_folder_of_its_own() -> None:
    """Also where several are called python3, in different places."""
    assert Combination(sys.executable, "g++", "O1").name == f"{platform.python_version()}-g++-O1"
