"""Radio by hand: powers in dBm, losses in dB, nodes on a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf, log10

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kumi.network import Constant, Loss, RadioWaves, SharedMedium
from kumi.network.errors import NetworkError
from kumi.network.ether import Energy, InRange, Meeting, OutOfRange
from kumi.network.network import MessageReceived, MessageSent
from tests.network.stations import Net, Say


class OnALine:
    """An ether of nodes on a line, with what stands between them, which counts what it is asked."""

    def __init__(
        self, *places: float, between: dict[tuple[int, int], list[tuple[float, float]]] | None = None
    ) -> None:
        self.places = dict(enumerate(places))
        self.between = between or {}
        self.watches: list[tuple[int, float, Callable[[bool, int], object]]] = []
        self.asked = 0

    def near(self, address: int, within: float) -> list[tuple[int, float]]:
        here = self.places[address]
        found = [(one, abs(at - here)) for one, at in self.places.items() if one != address]
        return [(one, away) for one, away in found if away <= within]

    def distance(self, one: int, other: int) -> float | None:
        if one not in self.places or other not in self.places:
            return None
        return abs(self.places[one] - self.places[other])

    def obstacles_between(self, one: int, other: int) -> Sequence[tuple[float, float]]:
        self.asked += 1
        return self.between.get((min(one, other), max(one, other)), [])

    def watch(self, address: int, within: float, told: Callable[[bool, int], object]) -> Callable[[], None]:
        self.watches.append((address, within, told))
        return self.watches.clear


def ten_metres(ether: OnALine, **more: object) -> RadioWaves:
    """Return a radio that reaches ten metres: 0 dBm, 40 dB at one metre, 20 dB more at ten."""
    return RadioWaves(ether, power=0.0, exponent=2.0, sensitivity=-60.0, **more)  # type: ignore[arg-type]


def test_path_loss_is_that_of_the_log_distance_law() -> None:
    """20 dBm, 40 dB at 1 m, 25 dB for each factor of ten: 20 - 40 - 25 log10(16.4849) = -50.4272 dBm."""
    radio = RadioWaves(OnALine(), power=20.0, loss_at_one_metre=40.0, exponent=2.5)

    assert radio.received_power(16.4849) == pytest.approx(-50.4272, abs=5e-5)
    assert radio.received_power(1.0) == -20.0
    assert radio.received_power(10.0) == -45.0
    assert radio.received_power(100.0) == -70.0


def test_the_law_goes_on_below_a_metre() -> None:
    """-20 dBm at 1 m and 25 dB more for each factor of ten: 5 dBm at 10 cm, 30 dBm at 1 cm."""
    radio = RadioWaves(OnALine(), power=20.0, loss_at_one_metre=40.0, exponent=2.5)

    assert radio.received_power(0.1) == pytest.approx(5.0)
    assert radio.received_power(0.01) == pytest.approx(30.0)


def test_two_nodes_at_one_place_hear_each_other_unless_a_range_is_0() -> None:
    radio = RadioWaves(OnALine(3.0, 3.0), range=1e-9, ranges={1: 0.0})

    assert radio.received_power(0.0) == inf
    assert radio.hearers(0) == [1]
    assert radio.hearers(1) == []
    assert radio.rssi(1, 0) == inf
    assert radio.rssi(0, 1) is None
    assert radio.received_power(0.0, sender=1) == -inf


def test_a_range_is_how_far_a_sender_is_heard() -> None:
    """Two radios 0.100 m apart with ranges of 0.101 and 0.099 m: one hears, the other does not."""
    net = Net(RadioWaves(OnALine(0.0, 0.1), ranges={0: 0.101, 1: 0.099}), nodes=2)
    net.send_at(0.0, 0, 1)
    net.send_at(0.0, 1, 0)
    net.broadcast_at(1.0, 0)
    net.broadcast_at(1.0, 1)
    net.run()

    assert net.arrivals == [(0.0, 1), (1.0, 1)]
    assert net.drops == [(0.0, 0, "out of reach")]


@given(st.floats(1e-6, 1e6), st.floats(0.01, 100.0), st.floats(1.5, 6.0), st.floats(-120.0, 0.0))
@settings(deadline=None, max_examples=200)
def test_who_is_within_a_range_of_any_size_hears(
    within: float, share: float, exponent: float, sensitivity: float
) -> None:
    assume(abs(share - 1.0) > 1e-6)
    ether = OnALine(0.0, within * share)
    radio = RadioWaves(ether, range=within, exponent=exponent, sensitivity=sensitivity)
    by_power = RadioWaves(ether, power=radio.power, exponent=exponent, sensitivity=sensitivity)

    assert radio.range_of() == within
    assert by_power.range_of() == pytest.approx(within, rel=1e-9)
    for one in (radio, by_power):
        assert one.hears(1, 0) is (share < 1.0)
        assert one.hearers(0) == ([1] if share < 1.0 else [])
    assert radio.received_power(within * share) == pytest.approx(
        sensitivity - 10 * exponent * log10(share), abs=1e-6
    )


def test_ranges_and_powers_of_nodes_stand_beside_those_of_all() -> None:
    """0 dBm, 40 dB at 1 m, exponent 2, -60 dBm: 10 m; 5 m are 6.02 dB less."""
    radio = RadioWaves(
        OnALine(), power=0.0, exponent=2.0, sensitivity=-60.0, ranges={3: 0.1, 4: 5.0}, powers={5: 20.0}
    )

    assert [radio.range_of(node) for node in (3, 4)] == [0.1, 5.0]
    assert [radio.range_of(node) for node in (None, 0, 5)] == pytest.approx([10.0, 10.0, 100.0])
    assert radio.received_power(1.0, sender=4) == pytest.approx(-40.0 - 20 * log10(2.0))
    within = RadioWaves(OnALine(), range=5.0, powers={5: 20.0})
    assert within.range_of() == within.range_of(0) == 5.0
    assert within.range_of(5) == RadioWaves(OnALine()).range_of()


def test_a_message_has_the_power_at_which_it_is_heard() -> None:
    """Judged when it is sent, whoever moves on its way: 0 dBm at 5 m is -40 - 13.98 dBm, at 1 m -40."""
    ether = OnALine(0.0, 5.0, 1.0)
    net = Net(ten_metres(ether), Constant(1.0), nodes=3)
    heard: list[tuple[int, float | None]] = []

    def hear(node: int, _message: object, _sender: int) -> None:
        heard.append((node, net.network.rssi))

    net.acts = {node: [partial(hear, node)] for node in range(3)}
    net.broadcast_at(0.0, 0)
    net.at(0.5, lambda: ether.places.update({1: 9.0}))
    net.send_at(2.0, 2, 0)
    net.send_at(4.0, 1, 1)
    net.run()

    five = -40 - 20 * log10(5)
    assert heard == [(1, pytest.approx(five)), (2, -40.0), (0, -40.0), (1, None)]
    told = [one.rssi for one in net.traffic if isinstance(one, MessageReceived)]
    assert told == [pytest.approx(five), -40.0, -40.0, None]
    assert net.network.rssi is None


def test_without_a_radio_messages_have_no_power() -> None:
    net = Net(Constant(1.0), nodes=2)
    heard: list[float | None] = []
    net.acts[1] = [lambda _m, _s: heard.append(net.network.rssi)]
    net.send_at(0.0, 0, 1)
    net.run()

    assert heard == [None]


def test_obstacles_take_decibels_by_thickness_and_loss_a_metre() -> None:
    """20 cm at 50 dB a metre and 10 cm at 14: 10 + 1.4 dB."""
    radio = RadioWaves(OnALine(), power=20.0)

    assert radio.received_power(10.0, [(0.2, 50.0), (0.1, 14.0)]) == pytest.approx(-45.0 - 11.4)


def test_the_range_is_where_the_power_has_fallen_to_the_sensitivity() -> None:
    radio = RadioWaves(OnALine(), power=20.0, exponent=2.5, sensitivity=-70.0, powers={3: 10.0, 4: -40.0})

    assert radio.range_of() == pytest.approx(100.0)
    assert radio.received_power(radio.range_of()) == pytest.approx(-70.0)
    assert radio.range_of(3) == pytest.approx(10.0 ** (40 / 25))
    assert radio.range_of(4) == pytest.approx(10.0 ** (-10 / 25))


def test_who_is_in_range_hears_and_who_is_not_does_not() -> None:
    ether = OnALine(0.0, 5.0, 10.0, 10.001, 30.0)
    net = Net(Constant(0.5), ten_metres(ether), nodes=5)
    net.broadcast_at(1.0, 0, Say(1))
    net.send_at(2.0, 0, 3, Say(2))
    net.send_at(2.0, 0, 2, Say(3))
    net.run()

    assert net.arrivals == [(1.5, 1), (1.5, 2), (2.5, 2)]
    assert net.traffic[0] == MessageSent(1.0, 0, 0, (1, 2), Say(1))
    assert net.drops == [(2.0, 3, "out of reach")]
    net.check_conservation()


def test_a_message_to_several_reaches_those_in_range() -> None:
    net = Net(ten_metres(OnALine(0.0, 5.0, 30.0, 8.0)))
    net.at(0.0, lambda: net.network.multicast(0, [1, 2, 3], Say()))
    net.run()

    assert net.arrivals == [(0.0, 1), (0.0, 3)]
    assert net.drops == [(0.0, 2, "out of reach")]
    net.check_conservation()


def test_a_wall_casts_a_shadow() -> None:
    """At 5 m the power is -53.98 dBm; 9 cm of concrete at 65 dB a metre leave it above -60, 10 cm do not."""
    assert 40 + 20 * log10(5) + 0.09 * 65 < 60 < 40 + 20 * log10(5) + 0.10 * 65
    ether = OnALine(0.0, 5.0, -5.0, between={(0, 1): [(0.09, 65.0)], (0, 2): [(0.10, 65.0)]})
    net = Net(ten_metres(ether), nodes=3)
    net.broadcast_at(0.0, 0)
    net.send_at(0.0, 0, 2)
    net.run()

    assert net.arrivals == [(0.0, 1)]
    assert net.network.dropped == {"out of reach": 1}


def test_hearing_is_judged_when_a_message_is_sent_and_not_again() -> None:
    """Node 1 leaves while the message is under way and gets it; node 2 comes too late and does not."""
    ether = OnALine(0.0, 5.0, 30.0)
    net = Net(ten_metres(ether, medium=SharedMedium(800)), Constant(1.0), nodes=3)
    net.broadcast_at(0.0, 0)
    net.at(0.25, lambda: ether.places.update({1: 50.0, 2: 1.0}))
    net.run()

    assert net.arrivals == [(2.0, 1)]


def test_a_weak_sender_hears_a_strong_one_that_does_not_hear_it() -> None:
    net = Net(ten_metres(OnALine(0.0, 20.0), powers={1: 10.0}), nodes=2)
    net.send_at(0.0, 0, 1)
    net.send_at(0.0, 1, 0)
    net.run()

    assert net.arrivals == [(0.0, 0)]


def test_neighbours_are_those_on_the_network_that_hear_a_node() -> None:
    ether = OnALine(0.0, 5.0, 9.0, 30.0, 2.0)
    radio = ten_metres(ether)
    Net(radio, nodes=[0, 2, 3, 4])

    assert radio.neighbours(0) == (2, 4)


def test_coming_and_going_are_told_when_the_ether_tells() -> None:
    ether = OnALine(0.0, 5.0)
    radio = ten_metres(ether)
    net = Net(radio, nodes=2)
    told: list[Meeting] = []
    close = radio.watch(0, told.append)
    ((address, within, tell),) = ether.watches
    net.at(1.5, lambda: (tell(False, 1), tell(False, 9)))
    net.at(2.5, lambda: tell(True, 1))
    net.run()

    assert address == 0
    assert within == pytest.approx(10.0)
    assert told == [OutOfRange(1.5, 0, 1), InRange(2.5, 0, 1)]
    close()
    assert ether.watches == []


def test_frames_collide_where_both_are_heard() -> None:
    """0 and 2 do not hear each other, 1 hears both, 3 hears only 2: frames of a second, half a second apart."""
    radio = ten_metres(OnALine(0.0, 8.0, 16.0, 24.0), medium=SharedMedium(800))
    net = Net(radio)
    net.broadcast_at(0.0, 0)
    net.broadcast_at(0.5, 2)
    net.run()

    assert net.arrivals == [(1.5, 3)]
    assert net.drops == [(1.0, 1, "collision"), (1.5, 1, "collision")]


def test_a_broadcast_costs_as_much_as_there_are_neighbours() -> None:
    """Of a thousand nodes three are in range, and the ether is asked about those three alone."""
    ether = OnALine(0.0, 1.0, 2.0, 3.0, *(100.0 + n for n in range(1000)))
    net = Net(ten_metres(ether), nodes=1004)
    net.network.broadcast(0, Say())

    assert ether.asked == 3
    assert net.network.under_way == 3


def test_messages_cost_energy_by_the_byte() -> None:
    """100 bytes: sending 1 J and 0.01 J a byte, receiving 0.5 J and 0.02 J a byte."""
    paid: list[tuple[float, int, float]] = []
    energy = Energy(
        lambda address, joules: paid.append((net.simulation.now, address, joules)),
        per_sending=1.0,
        per_byte_sent=0.01,
        per_receiving=0.5,
        per_byte_received=0.02,
        size=lambda _: 100,
    )
    net = Net(Constant(1.0), ten_metres(OnALine(0.0, 5.0, 6.0, 30.0), energy=energy))
    net.broadcast_at(0.0, 0)
    net.send_at(2.0, 0, 3)
    net.send_at(2.0, 1, 1)
    net.run()

    assert paid == [(0.0, 0, 2.0), (1.0, 1, 2.5), (1.0, 2, 2.5), (2.0, 0, 2.0)]


def test_what_is_lost_costs_the_sender_only() -> None:
    paid: list[int] = []
    net = Net(Loss(1.0))
    net.network.watch(Energy(lambda address, _: paid.append(address)))
    net.broadcast_at(0.0, 0)
    net.run()

    assert paid == [0]


def test_a_network_has_one_radio_and_a_radio_one_network() -> None:
    radio = ten_metres(OnALine(0.0))
    with pytest.raises(NetworkError, match="this radio is part of no network yet"):
        radio.neighbours(0)
    with pytest.raises(
        NetworkError, match=r"<RadioWaves of 0 dBm, 10 m> says who hears whom .* one radio is enough"
    ):
        Net(ten_metres(OnALine(0.0)), radio)
    with pytest.raises(NetworkError, match="this radio is part of a network already"):
        Net(radio)


def test_wrong_numbers_are_refused_with_the_rule() -> None:
    with pytest.raises(ValueError, match="the exponent of path loss is a number > 0, not 0"):
        RadioWaves(OnALine(), exponent=0)
    with pytest.raises(TypeError, match="the power of a radio in dBm is a number, not 'high'"):
        RadioWaves(OnALine(), power="high")  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match="a radio sends at a power or within a range, not both: 20 dBm and 5 m"
    ):
        RadioWaves(OnALine(), power=20, range=5)
    with pytest.raises(
        ValueError, match="node 3 sends at a power or within a range, not both: 20 dBm and 5 m"
    ):
        RadioWaves(OnALine(), powers={3: 20}, ranges={3: 5})
    with pytest.raises(ValueError, match="the range of a radio is a finite number, not inf"):
        RadioWaves(OnALine(), range=inf)
    with pytest.raises(ValueError, match="the range of node 3 is a number of metres from 0 on, not -1"):
        RadioWaves(OnALine(), ranges={3: -1})
    with pytest.raises(ValueError, match="the energy of a sending is a number of joules from 0 on, not -1"):
        Energy(lambda *_: None, per_sending=-1)
