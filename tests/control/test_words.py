"""Commands in words become steps, and a word that is not understood is named with its place."""

from __future__ import annotations

from math import inf, radians

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.contract import CannotDo
from kumi.control.steps import Aim, Go, ReadStep, Step, StopMotor, Wait, entries_of
from kumi.control.words import Order, WordsError, parse_orders
from kumi.link.calibration import Calibration
from kumi.link.devices import READABLE, Device, Entry, Read, Write, request_payload
from kumi.link.packets import Control, Packet, encode

CALIBRATION = Calibration.default()
VERBS = "forward, back, left, right, straight, read, wait, stop"
RANGERS = "front, front left, back left, back, back right, front right"
WORDS = f"all, {RANGERS}, potentiometer, encoder, switches"


def steps(text: str) -> list[Step]:
    return [order.step for order in parse_orders(text)]


def test_the_words_of_the_issue() -> None:
    assert parse_orders("forward 30 cm\nleft 24 deg\nread all\nwait 2 s") == [
        Order(Go(0.3), None, 1),
        Order(Aim(radians(24)), None, 2),
        Order(ReadStep(READABLE), None, 3),
        Order(Wait(2.0), None, 4),
    ]


@pytest.mark.parametrize(
    ("words", "step"),
    [
        ("forward 30cm", Go(0.3)),
        ("FORWARD 0.5 m at 8 cm/s", Go(0.5, 0.08)),
        ("forward", Go(inf)),
        ("back at 5 cm/s", Go(-inf, 0.05)),
        ("back 10 cm", Go(-0.1)),
        ("backwards 100 mm", Go(-0.1)),
        ("right 12°", Aim(-radians(12))),
        ("straight", Aim(0.0)),
        ("read front left, encoder", ReadStep((Device.IR_FRONT_LEFT, Device.ENCODER))),
        ("wait 500 ms", Wait(0.5)),
        ("stop", StopMotor()),
    ],
)
def test_a_command_is_written_as_one_speaks(words: str, step: Step) -> None:
    assert steps(words) == [step]


def test_several_on_a_line_for_several_robots_with_notes() -> None:
    text = "# a square\n1: forward 10 cm; 2: left 5 deg  # two at once\n\nall: stop; robot 0: wait 1 s"

    assert parse_orders(text) == [
        Order(Go(0.1), 1, 2),
        Order(Aim(radians(5)), 2, 2),
        Order(StopMotor(), None, 4),
        Order(Wait(1.0), 0, 4),
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "stop\nfroward 30 cm",
            "line 2, column 1: 'froward' is no command: " + VERBS + " are; did you mean 'forward'?",
        ),
        ("stop; forward thirty cm", "line 1, column 15: 'thirty' is no number above 0"),
        ("forward 30 miles", "line 1, column 12: 'miles' is no unit here: mm, cm, m are"),
        ("forward 30", "line 1, column 9: '30' needs a unit, such as mm, after it"),
        ("left", "line 1, column 1: 'left' needs a number after it"),
        ("forward -3 cm", "line 1, column 9: '-3' is no number above 0"),
        ("wait 0 s", "line 1, column 6: '0' is no number above 0"),
        ("left 5 deg now", "line 1, column 12: 'now' is one word too many"),
        (
            "read",
            "line 1, column 1: 'read' needs what to read: " + WORDS,
        ),
        (
            "read top",
            "line 1, column 6: 'top' is nothing to read: " + WORDS + " are",
        ),
        ("first: stop", "line 1: 'first' is no robot; write its number, or all"),
        ("1:", "line 1: there is nothing for robot 1 to do"),
    ],
)
def test_the_word_that_is_not_understood_is_named(words: str, sentence: str) -> None:
    with pytest.raises(WordsError) as caught:
        parse_orders(words)

    assert str(caught.value) == sentence


@given(st.text())
def test_any_text_is_steps_or_an_error(text: str) -> None:
    try:
        orders = parse_orders(text)
    except WordsError:
        return
    assert all(isinstance(order, Order) for order in orders)


amounts = st.integers(1, 400).map(lambda n: n / 10)
any_steps = st.one_of(
    st.builds(lambda cm, sign: Go(sign * cm / 100), amounts, st.sampled_from([1, -1])),
    st.builds(lambda cm, speed: Go(cm / 100, speed / 100), amounts, amounts),
    st.builds(lambda deg, sign: Aim(sign * radians(deg)), amounts, st.sampled_from([1, -1])),
    st.builds(Wait, amounts),
    st.lists(st.sampled_from(READABLE), min_size=1, unique=True).map(
        lambda devices: ReadStep(tuple(devices))
    ),
    st.sampled_from([StopMotor(), Aim(0.0), ReadStep(READABLE), Go(inf), Go(-inf)]),
)


@given(any_steps)
def test_what_a_step_says_reads_back(step: Step) -> None:
    (again,) = steps(str(step))

    assert str(again) == str(step)


# Into packets.


def test_the_packet_of_the_seed() -> None:
    """All readings, motor 0x68 and servo 0x76 have the CRC E0 E1."""
    entries: tuple[Entry, ...] = (
        *(Read(Device(n)) for n in range(8)),
        Write(Device.MOTOR, 0x68),
        Write(Device.SERVO, 0x76),
    )

    assert encode(Packet(0xF, 0, Control.ACK, request_payload(entries)))[-2:] == bytes.fromhex("E0E1")


@pytest.mark.parametrize(
    ("words", "payload"),
    [
        ("left 24 deg", "81 75"),
        ("straight", "81 61"),
        ("forward 30 cm", "80 8c"),
        ("forward 30 cm at 10.1 cm/s", "80 91"),
        ("back 10 cm", "80 78"),
        ("stop", "80 7f"),
        ("read all", "00 01 02 03 04 05 06 07 08"),
        ("wait 1 s", ""),
    ],
)
def test_a_step_becomes_the_bytes_of_the_table(words: str, payload: str) -> None:
    (step,) = steps(words)

    assert request_payload(entries_of(step, CALIBRATION)) == bytes.fromhex(payload)


def test_what_the_robot_cannot_do_is_refused() -> None:
    with pytest.raises(CannotDo, match="60° left; its table goes from 40° right to 40° left"):
        entries_of(Aim(radians(60)), CALIBRATION)
    with pytest.raises(CannotDo, match=r"cannot drive at 50 cm/s"):
        entries_of(Go(1.0, 0.5), CALIBRATION)
