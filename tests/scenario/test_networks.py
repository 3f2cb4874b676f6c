"""The network of a scenario: each kind of effect, failures, and what is wrong about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kumi.devs import Simulation
from kumi.network import Loss, SimulatedNetwork
from kumi.protocols import Stack
from kumi.robot import Radio
from kumi.scenario import Staging, load_scenario
from kumi.scenario.document import ScenarioError
from kumi.scenario.effects import EFFECTS
from kumi.scenario.lookup import shipped_stacks

ONE_OF_EACH = {
    "bandwidth": "bytes_per_second=1e6",
    "constant": "delay=0.1",
    "cut": "sender=0, to=1, start=1.0, end=2.0",
    "duplication": "probability=0.5",
    "empirical": "measured=[0.1, 0.2]",
    "exponential": "mean=0.1",
    "garbling": "senders=[1]",
    "log-normal": "median=0.1, spread=0.5",
    "loss": "probability=0.1",
    "metric": "speed=1000.0",
    "omission": "node=0, sending=0.5",
    "partition": "groups=[[0], [1]], start=1.0, end=2.0",
    "radio": "power=10.0, bit_rate=1e6, joules_per_byte=1e-6",
    "reordering": "probability=0.5, within=0.1",
    "shared-medium": "bit_rate=1e6",
    "uniform": "low=0.0, high=0.1",
}


def staged(*settings: str) -> Any:
    """Run a short while of the shipped scenario with changes, and return what came out."""
    with Staging(load_scenario("asking-for-help", ["robots.count=3", *settings])).stage() as stage:
        return stage.run(5.0)


def test_each_kind_is_tried() -> None:
    assert set(ONE_OF_EACH) == set(EFFECTS)


@pytest.mark.parametrize("kind", sorted(ONE_OF_EACH))
def test_each_kind_of_effect_is_made_from_its_table(kind: str) -> None:
    outcome = staged(f"network.effects=[{{kind='{kind}', {ONE_OF_EACH[kind]}}}]")

    assert outcome.errors == ()
    assert outcome.messages.sent == 3


@pytest.mark.parametrize("name", sorted(shipped_stacks()))
def test_each_shipped_stack_stands_on_a_network_that_loses_messages(name: str) -> None:
    network = SimulatedNetwork(Simulation(), Loss(0.1))

    Stack(Radio(), *shipped_stacks()[name]().layers).check(network)


def test_ranges_of_a_scenario_say_who_is_heard() -> None:
    """Three in a row, 0.1 m apart: both others hear 0, nobody hears 1, and 1 alone hears 2."""
    outcome = staged(
        "robots.radius=0.01",
        "robots.born=[[0.1, 0.1], [0.2, 0.1], [0.3, 0.1]]",
        "network.effects=[{kind='radio', range=0.25, ranges={1=0.05, 2=0.101}}]",
    )

    assert outcome.messages.dropped == {"out of reach": 3}
    assert outcome.messages.arrived == 3


def test_all_that_frames_of_a_radio_take_can_be_said() -> None:
    frames = "bit_rate=1e6, capture=10.0, noise_floor=-100.0, fading=3.0, judged='throughout'"
    outcome = staged(f"network.effects=[{{kind='radio', powers={{0=30.0}}, {frames}}}]")

    assert outcome.errors == ()
    assert outcome.messages.sent == 3


def test_radios_fail_by_a_schedule() -> None:
    outcome = staged("network.failures=[{kind='crash', node=1, start=0.0, end=4.0}]")

    assert outcome.messages.dropped == {"receiver down": 2, "sender down": 2}


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("network.effects=[{kind='cut', sender=0, to=8}]", "names robot 8; robots are numbered from 0 to 2"),
        ("network.effects=[{kind='partition', groups=[[0], [1, 7]]}]", "names robot 7"),
        ("network.effects=[{kind='garbling', senders=[3]}]", "names robot 3"),
        ("network.failures=[{kind='crash', node=5, start=1.0}]", "names robot 5"),
        ("network.failures=[{kind='fire', node=0, start=1.0}]", "it takes crash or pause"),
        ("network.effects=[{kind='radio', carrier_sense=true}]", "give a bit_rate, too"),
        ("network.effects=[{kind='radio', judged='throughout'}]", "judged is about frames that take time"),
        ("network.effects=[{kind='radio', capture=10.0}]", "capture is about frames that take time"),
        (
            "network.effects=[{kind='radio', noise_floor=-100.0, bit_rate=1e6}]",
            "give a threshold of it, capture",
        ),
        ("network.effects=[{kind='radio', judged='end'}]", 'it takes "begin" or "throughout"'),
        ("network.effects=[{kind='radio', power=1.0, range=5.0}]", "at a power or within a range, not both"),
        ("network.effects=[{kind='radio', range=-1.0}]", "is a number of metres from 0 on, not -1.0"),
        ("network.effects=[{kind='radio', range=inf}]", "range"),
        (
            "network.effects=[{kind='radio', ranges={3=0.1}}]",
            "names robot 3; robots are numbered from 0 to 2",
        ),
        ("network.effects=[{kind='radio', powers={first=0.1}}]", "powers.first is no number of a robot"),
        ("network.effects=[{kind='radio', ranges={1='far'}}]", "it takes a table"),
        ("network.effects=[{kind='los', probability=0.1}]", 'is "los"; it takes bandwidth, constant'),
        ("network.effects=[{kind='loss', probability=2.0}]", "probability"),
        ("network.stack=totally", "no such stack ships"),
        ("network.stack=kumi.protocols:Layer", "is no function without arguments that returns a Stack"),
    ],
)
def test_what_cannot_be_is_named_with_its_place(setting: str, words: str) -> None:
    with pytest.raises(ScenarioError) as told:
        staged(setting)
    assert words in str(told.value)


def test_a_stack_that_does_not_fit_the_network_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from kumi.protocols import InOrder, Stack\n\n\ndef make():\n    return Stack(InOrder())\n"
    )
    with pytest.raises(
        ScenarioError, match=r"network\.stack: InOrder needs PerfectLinks .* put one of Acknowledged\(\)"
    ):
        staged(
            f"network.stack={tmp_path / 'own.py'}:make",
            "network.effects=['loss']".replace("'loss'", "{kind='loss', probability=0.1}"),
        )
