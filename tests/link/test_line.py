"""On an emulated line each byte takes its time, and a interference does what it was told to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.devs import Chance, Simulation
from kumi.link.line import ByteArrival, Interference, Line


def chance(seed: int = 0) -> Chance:
    return Simulation(seed=seed).chance("line")


def test_a_byte_takes_ten_bit_times() -> None:
    """At 9600 bits a second, 96 bytes take a tenth of a second."""
    (arrival,) = Line(9600).send(2.0, bytes(96))

    assert arrival.time == pytest.approx(2.1)
    assert arrival.data == bytes(96)


def test_what_is_sent_while_the_line_is_busy_waits_its_turn() -> None:
    line = Line(9600)
    line.send(0.0, bytes(96))

    (arrival,) = line.send(0.05, bytes(48))

    assert arrival.time == pytest.approx(0.15)


def test_a_line_that_was_idle_begins_at_once() -> None:
    line = Line(19200)
    line.send(0.0, bytes(96))

    (arrival,) = line.send(7.0, bytes(192))

    assert arrival.time == pytest.approx(7.1)
    assert line.send(8.0, b"") == []


def test_a_channel_that_drops_everything_lets_nothing_arrive_and_still_takes_its_time() -> None:
    line = Line(9600, Interference(drop=1.0), chance())

    assert line.send(0.0, bytes(96)) == []
    assert line.send(0.0, b"")[:1] == []


def test_a_flip_changes_one_bit() -> None:
    arrivals = Line(9600, Interference(flip=1.0), chance()).send(0.0, bytes(50))

    assert [arrival.data[0].bit_count() for arrival in arrivals] == [1] * 50


def test_a_repeated_byte_comes_twice_and_takes_twice_as_long() -> None:
    arrivals = Line(9600, Interference(repeat=1.0), chance()).send(0.0, b"ab")

    assert b"".join(arrival.data for arrival in arrivals) == b"aabb"
    assert arrivals[-1].time == pytest.approx(4 * 10 / 9600)


@given(st.lists(st.binary(max_size=30), max_size=10), st.integers(0, 1000))
def test_late_bytes_do_not_overtake_each_other(parts: list[bytes], seed: int) -> None:
    line = Line(9600, Interference(late=0.3, delay=0.5), chance(seed))
    arrivals: list[ByteArrival] = []
    for number, part in enumerate(parts):
        arrivals += line.send(number * 0.01, part)

    assert b"".join(arrival.data for arrival in arrivals) == b"".join(parts)
    assert [arrival.time for arrival in arrivals] == sorted(arrival.time for arrival in arrivals)


def test_the_same_seed_damages_the_same_bytes() -> None:
    interference = Interference(drop=0.1, flip=0.1, repeat=0.1, late=0.1)

    first, again, other = (Line(9600, interference, chance(seed)).send(0.0, bytes(200)) for seed in (1, 1, 2))

    assert first == again
    assert first != other


def test_a_channel_for_packets_damages_about_that_share() -> None:
    """2000 packets of 16 bytes, a fifth of them damaged: 400, give or take 4.5 standard deviations of 18."""
    interference, chances = Interference.for_packets(0.2, size=16), chance(3)
    damaged = 0
    for _ in range(2000):
        came = b"".join(interference.carry(byte, chances)[0] for byte in range(16))
        damaged += came != bytes(range(16))

    assert 320 < damaged < 480


def test_a_channel_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match=r"the drop of interference is a probability from 0 to 1, not 1\.5"):
        Interference(drop=1.5)
    with pytest.raises(ValueError, match="the delay of interference is a number of seconds >= 0, not -1"):
        Interference(delay=-1)
    with pytest.raises(ValueError, match="from 0 to below 1, not 1"):
        Interference.for_packets(1.0)
    with pytest.raises(ValueError, match="needs random numbers of its own"):
        Line(9600, Interference(drop=0.1))
