"""Layers of scripts and notebooks, which no other process can import, are tried under other hash seeds as well."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

SCRIPT = """
from __future__ import annotations

from dataclasses import dataclass

from kumi.contract.messages import Message
from kumi.protocols import Acknowledged, BestEffortBroadcast, PerfectLinks, Stack
from kumi.testing import check_layer


@dataclass(frozen=True, slots=True)
class Wrapped(Message):
    inside: Message


class {name}(BestEffortBroadcast):
    links: PerfectLinks

    def begin(self):
        self.links.listen(lambda message, sender: self.tell(message.inside, sender))

    def broadcast(self, message):
        names = {{f"node {{address}}": address for address in self.node.group}}
        for name in {order}(set(names)):
            self.links.send(Wrapped(message), names[name])


try:
    check_layer(lambda: Stack({name}(), Acknowledged()), runs=5, nodes=3)
except AssertionError as error:
    print(error)
else:
    print("sound")
"""


@pytest.mark.some_of(3)
@pytest.mark.parametrize("from_file", [True, False])
@pytest.mark.parametrize(
    ("name", "order", "words"),
    [
        ("Careful", "sorted", "sound"),
        (
            "Loose",
            "list",
            "Loose did other things under another hash seed; sort a set before going through it",
        ),
    ],
)
def test_a_layer_of_a_script_or_a_notebook_is_tried_under_other_hash_seeds(
    name: str, order: str, words: str, from_file: bool, tmp_path: Path
) -> None:
    """What is typed in goes the way of a notebook: there is no file from which another process could import it."""
    text = SCRIPT.format(name=name, order=order)
    script = tmp_path / "mine.py"
    script.write_text(text)
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(script) if from_file else "-"],
        input=None if from_file else text,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert (ran.stdout.strip(), ran.stderr) == (words, "")
