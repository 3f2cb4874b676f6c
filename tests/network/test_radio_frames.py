"""Frames of a radio: capture by SINR, noise, fading, and frames that are cut in the middle.

Nodes on a line, 0 dBm, 40 dB at one metre and 20 dB for each factor of ten: -40 dBm at 1 m, -60 dBm at 10 m.
A frame of 100 bytes at 800 bits a second takes one second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log10, sqrt
from statistics import fmean, stdev
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kumi.devs import Simulation
from kumi.motion import Leg
from kumi.network import CarrierSense, Constant, Duplication, Loss, RadioWaves, SharedMedium, Where
from kumi.network.errors import NetworkError
from kumi.network.network import MessageReceived
from kumi.network.simulated import Effect, SimulatedNetwork
from kumi.world import Map, Pillar, Wall, World, WorldEther
from tests.network.stations import Net, Say
from tests.network.test_radio import OnALine, ten_metres


def radio(
    ether: Any, *, capture: float | None = None, medium: dict[str, Any] | None = None, **more: Any
) -> RadioWaves:
    """Return a radio that is heard 100 m away, with frames."""
    more = {"power": 0.0, "exponent": 2.0, "sensitivity": -80.0, **more}
    return RadioWaves(ether, medium=SharedMedium(800, capture=capture, **(medium or {})), **more)


def powers(net: Net) -> list[float | None]:
    return [one.rssi for one in net.traffic if isinstance(one, MessageReceived)]


def test_the_stronger_frame_survives_where_its_sinr_is_at_the_threshold() -> None:
    """At node 0, 1 arrives with -40 dBm and 2 with -60: 20 dB, which is enough up to a threshold of 20."""
    for capture, arrives in ((19.99, [(1.0, 0)]), (20.0, [(1.0, 0)]), (20.01, [])):
        net = Net(radio(OnALine(0.0, 1.0, 10.0), capture=capture), nodes=3)
        net.send_at(0.0, 1, 0)
        net.send_at(0.5, 2, 0)
        net.run()

        assert net.arrivals == arrives
        assert net.drops[-1] == (1.5, 0, "collision")


def test_interference_adds_up() -> None:
    """Two at 10 m are twice 1e-6 mW: 16.99 dB below one at 1 m, for as long as both are on the air."""
    for capture, arrives in ((16.98, [(2.0, 0)]), (17.0, [])):
        net = Net(radio(OnALine(0.0, 1.0, 10.0, -10.0), capture=capture), nodes=4)
        net.send_at(1.0, 1, 0)
        net.send_at(0.1, 2, 0)
        net.send_at(1.9, 3, 0)
        net.run()
        assert net.arrivals == [(2.0, 0)]  # the two do not meet

        net = Net(radio(OnALine(0.0, 1.0, 10.0, -10.0), capture=capture), nodes=4)
        net.send_at(1.0, 1, 0)
        net.send_at(0.5, 2, 0)
        net.send_at(1.25, 3, 0)
        net.run()
        assert net.arrivals == arrives


def test_noise_joins_the_interference_and_is_enough_alone() -> None:
    """At 1 m: -40 dBm against -60 of the other and -60 of noise is 16.99 dB; -60 against the noise is 0 dB."""
    for capture, numbers in ((16.9, [1]), (17.1, [])):
        net = Net(radio(OnALine(0.0, 1.0, 10.0, 10.1), capture=capture, noise_floor=-60.0), nodes=4)
        net.send_at(0.0, 1, 0, Say(1))
        net.at(0.0, lambda net=net: net.network.multicast(2, [0, 3], Say(2)))  # type: ignore[misc]
        net.run()

        assert [message for _, to, _, message in net.log if to == 0] == [Say(number) for number in numbers]
        assert (0.0, 0, "out of reach") in net.drops

    assert radio(OnALine(), capture=20.0, noise_floor=-60.0).range_of() == pytest.approx(1.0)


def test_who_is_too_weak_to_be_heard_disturbs_down_to_the_noise_floor() -> None:
    """Heard are -60 dBm and more: 10 m. At 20 m there are -66 dBm, 6 dB below one at 10 m."""
    for noise, arrives in ((-70.0, []), (None, [(1.0, 0)])):
        ether = OnALine(0.0, 10.0, -20.0, -21.0)
        net = Net(radio(ether, capture=8.0, sensitivity=-60.0, noise_floor=noise), nodes=4)
        net.send_at(0.0, 1, 0)
        net.send_at(0.5, 2, 3)
        net.run()

        assert net.arrivals == [*arrives, (1.5, 3)]


def test_who_listens_first_does_not_hear_what_only_disturbs() -> None:
    """0 and 1 are 20 m apart and do not hear each other, so neither waits."""
    waves = radio(
        OnALine(0.0, 20.0, 9.0, 29.0),
        capture=1.0,
        sensitivity=-60.0,
        noise_floor=-70.0,
        medium={"sense": CarrierSense()},
    )
    net = Net(waves, nodes=4)
    net.send_at(0.0, 0, 2)
    net.send_at(0.5, 1, 3)
    net.run()

    assert net.arrivals == [(1.0, 2), (1.5, 3)]


def test_a_node_that_sends_captures_nothing() -> None:
    net = Net(radio(OnALine(0.0, 0.01), capture=-50.0), nodes=2)
    net.send_at(0.0, 1, 0)
    net.send_at(0.5, 0, 1)
    net.run()

    assert net.drops == [(1.0, 0, "collision"), (1.5, 1, "collision")]


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(1, 30)), min_size=1, max_size=6),
    st.sampled_from([-3.0, 0.0, 4.0, 10.0]),
    st.sampled_from([None, -75.0]),
)
@settings(deadline=None, max_examples=150)
def test_a_frame_survives_if_and_only_if_its_sinr_stays_above_the_threshold(
    frames: list[tuple[int, int]], capture: float, noise: float | None
) -> None:
    """Starts in quarters of seconds, distances in metres; the ratio is taken in every quarter of every frame.

    Frames that 0 does not hear, though they are to nobody else, disturb it all the same.
    """
    ether = OnALine(0.0, *(float(away) for _, away in frames))
    net = Net(radio(ether, capture=capture, noise_floor=noise), nodes=len(frames) + 1)
    for number, (start, _) in enumerate(frames, 1):
        net.send_at(start / 4, number, 0, Say(number))
    net.run()

    def milliwatts(away: int) -> float:
        return float(10.0 ** ((-40.0 - 20.0 * log10(away)) / 10.0))

    alive = []
    floor = 0.0 if noise is None else 10.0 ** (noise / 10.0)
    for number, (start, away) in enumerate(frames, 1):
        ratios = [
            10.0
            * log10(
                milliwatts(away)
                / (
                    floor
                    + sum(
                        milliwatts(far)
                        for other, (begin, far) in enumerate(frames, 1)
                        if other != number and begin <= quarter < begin + 4
                    )
                    or 1e-300
                )
            )
            for quarter in range(start, start + 4)
        ]
        assume(all(abs(ratio - capture) > 1e-6 for ratio in ratios))
        if min(ratios) > capture:
            alive.append(number)
    assert sorted(sender for _, to, sender, _ in net.log if to == 0) == alive


ADDRESSED: list[tuple[str, Callable[[SimulatedNetwork], object]]] = [
    ("one who hears", lambda network: network.send(2, 4, Say(9))),
    ("one who does not", lambda network: network.send(2, 3, Say(9))),
    ("both", lambda network: network.multicast(2, [3, 4], Say(9))),
    ("several who do not", lambda network: network.multicast(2, [3, 5], Say(9))),
    ("all", lambda network: network.broadcast(2, Say(9))),
]


@pytest.mark.parametrize("capture", [None, 10.0])
@pytest.mark.parametrize(("to", "call"), ADDRESSED)
def test_every_frame_is_on_the_air_whoever_it_is_addressed_to(
    to: str, call: Callable[[SimulatedNetwork], object], capture: float | None
) -> None:
    """0 sends over 10 m to 1; beside 1, at 11 m, 2 disturbs it. 4 hears 2; 3 and 5 are 1 km away.

    What 0 sends to 2 while it sends is lost, too: a node that sends hears nothing.
    """
    ether = OnALine(0.0, 10.0, 11.0, 1000.0, 11.5, 1000.0)
    net = Net(Constant(0.25), radio(ether, capture=capture), nodes=6)
    for start in (0.0, 5.0):
        net.at(start, lambda: call(net.network))
    net.send_at(0.5, 0, 1, Say(1))
    net.send_at(5.5, 0, 2, Say(2))
    net.send_at(7.0, 0, 1, Say(3))
    net.run()

    assert {number for number in net.numbers if number != 9} == {3}, to
    net.check_conservation()
    assert net.network.under_way == 0


def test_what_nobody_hears_waits_and_is_waited_for_like_any_frame() -> None:
    """One second each: the second frame of 0 comes after the first, and 1, which hears 0, waits for both."""
    waves = radio(OnALine(0.0, 10.0, 1000.0), medium={"sense": CarrierSense(slot=1e-9), "queue": 1})
    net = Net(waves, nodes=3)
    for _ in range(3):
        net.send_at(0.0, 0, 2)
    net.send_at(0.5, 1, 0)
    net.run()

    assert net.drops == [(0.0, 2, "out of reach")] * 3
    [(time, to)] = net.arrivals
    assert (round(time, 6), to) == (3.0, 0)
    net.check_conservation()


@pytest.mark.parametrize(
    "effects", [[Loss(1.0)], [Duplication(1.0)], [Where(SharedMedium(800), links=[(1, 0)])]]
)
def test_what_nobody_hears_is_never_delivered(effects: list[Effect]) -> None:
    """Neither to its sender, which stands for its receiver on the way to the air."""
    net = Net(*effects, ten_metres(OnALine(0.0, 50.0)), nodes=2)
    net.send_at(0.0, 0, 1)
    net.broadcast_at(0.0, 0)
    net.run()

    assert net.log == []
    assert net.drops == [(0.0, 1, "out of reach")]
    net.check_conservation()
    assert net.network.under_way == 0


def test_fading_is_normal_in_decibels_with_its_standard_deviation() -> None:
    """At 10 m of 100 there are 20 dB to spare, five standard deviations: all are heard."""
    net = Net(RadioWaves(OnALine(0.0, 10.0), range=100.0, exponent=2.0, fading=4.0), nodes=2, seed=3)
    for number in range(2000):
        net.send_at(float(number), 0, 1)
    net.run()

    heard = [power + 70.0 for power in powers(net) if power is not None]
    assert len(heard) == 2000
    assert fmean(heard) == pytest.approx(0.0, abs=4 * 4.0 / sqrt(2000))
    assert stdev(heard) == pytest.approx(4.0, rel=0.08)
    assert max(map(abs, heard)) <= 16.0


@pytest.mark.parametrize("medium", [None, SharedMedium(8e5)])
def test_at_the_border_of_the_range_fading_lets_half_be_heard(medium: SharedMedium | None) -> None:
    waves = RadioWaves(OnALine(0.0, 100.0), range=100.0, fading=6.0, medium=medium)
    net = Net(waves, nodes=2, seed=1)
    for number in range(1000):
        net.send_at(float(number), 0, 1)
    net.run()

    assert waves.neighbours(0) == (1,)
    assert 430 < net.network.delivered < 570
    assert net.network.dropped == {"faded": 1000 - net.network.delivered}
    assert min(power for power in powers(net) if power is not None) >= -90.0
    net.check_conservation()


def test_fading_of_frames_receivers_and_directions_is_apart_and_repeats_with_the_seed() -> None:
    def heard(seed: int, fading: float) -> list[float | None]:
        net = Net(
            Constant(0.1), RadioWaves(OnALine(0.0, 1.0, -1.0), range=100.0, fading=fading), nodes=3, seed=seed
        )
        net.broadcast_at(0.0, 0)
        net.broadcast_at(1.0, 0)
        net.send_at(2.0, 1, 0)
        net.run()
        return powers(net)

    assert len(set(heard(1, 3.0))) == 5
    assert heard(1, 3.0) == heard(1, 3.0) != heard(2, 3.0)
    assert set(heard(1, 0.0)) == {-90.0 + 50.0}


def test_beyond_four_standard_deviations_nobody_is_asked() -> None:
    """4 dB: 16 dB more are 16 of 20 dB a factor of ten: 10 ** 0.8 times as far."""
    ether = OnALine(0.0, 6.3, 6.32)
    waves = RadioWaves(ether, range=1.0, exponent=2.0, fading=4.0)
    Net(waves, nodes=3)

    assert waves.hearers(0) == [1]
    assert waves.neighbours(0) == ()


def frames_that_arrive(
    world: World,
    starts: Sequence[float],
    legs: Sequence[list[Leg]],
    act: Callable[[Simulation], object],
    **more: Any,
) -> tuple[list[float], dict[str, int]]:
    """Send frames of a second from body 0 to body 1, and return when they began that arrive."""
    begun: list[float] = []
    with Simulation(world) as simulation:
        net = Net(radio(WorldEther(world), **more), nodes=2, simulation=simulation)
        for start in starts:
            net.send_at(start, 0, 1)
        for body, own in zip(world.bodies, legs, strict=True):
            if own:
                body.start(own)
        act(simulation)
        net.run(until=100.0)
        begun = [time - 1.0 for time, _ in net.arrivals]
        return begun, dict(net.network.dropped)


def nothing(_simulation: Simulation) -> None:
    """Do nothing more."""


@given(
    st.tuples(st.integers(-8, 8), st.integers(-8, 8)),
    st.tuples(st.integers(-8, 8), st.integers(-8, 8)),
    st.integers(1, 12),
    st.lists(st.integers(0, 40), min_size=1, max_size=4, unique_by=lambda start: start // 8),
)
@settings(deadline=None, max_examples=60)
def test_a_frame_is_heard_if_and_only_if_its_receiver_is_in_range_throughout(
    place: tuple[int, int], velocity: tuple[int, int], reach: int, eighths: list[int]
) -> None:
    """A straight way: (p + v t)² is convex, so it is in range throughout where it is at both ends."""
    x, y = place
    vx, vy = velocity
    assume(velocity != (0, 0))
    world = World(ghost=True)
    world.add_body((0, 0))
    world.add_body(place)
    starts = sorted(0.25 * eighth for eighth in eighths)
    starts = [start for n, start in enumerate(starts) if n == 0 or start >= starts[n - 1] + 1.0]
    leg = Leg.line((x + 1000 * vx, y + 1000 * vy), sqrt(vx * vx + vy * vy))
    arrived, dropped = frames_that_arrive(
        world, starts, [[], [leg]], nothing, power=None, range=float(reach), judged="throughout"
    )

    def square(time: float) -> float:
        return (x + vx * time) ** 2 + (y + vy * time) ** 2

    assume(all(square(start + k) != reach * reach for start in starts for k in (0, 1)))
    assert arrived == pytest.approx(
        [start for start in starts if max(square(start), square(start + 1)) < reach * reach]
    )
    assert dropped.get("out of reach", 0) == len(starts) - len(arrived)


@given(st.floats(0.0, 10.0), st.floats(0.2, 1.5), st.floats(0.5, 3.0))
@settings(deadline=None, max_examples=60)
def test_a_frame_is_lost_if_and_only_if_it_meets_the_shadow(
    start: float, radius: float, speed: float
) -> None:
    """Two that go side by side past a pillar of metal: its shadow lasts for its diameter."""
    world = World(Map(obstacles=[Pillar((5, 6), radius, material="metal")]), ghost=True)
    world.add_body((0, 0))
    world.add_body((10, 0))
    legs = [[Leg.line((x, 100), speed)] for x in (0, 10)]
    arrived, _ = frames_that_arrive(world, [start], legs, nothing, judged="throughout")

    begins, ends = (6 - radius) / speed, (6 + radius) / speed
    assume(min(abs(start - ends), abs(start + 1 - begins)) > 1e-6)
    assert bool(arrived) is (start > ends or start + 1 < begins)


def test_judged_at_the_begin_a_frame_bears_what_comes_between_later() -> None:
    for judged, arrives in (("begin", [0.5]), ("throughout", [])):
        world = World(Map(obstacles=[Wall((5, 1), (5, 3), 0.1, material="metal")]), ghost=True)
        world.add_body((0, 0))
        world.add_body((10, 0))
        legs = [[Leg.line((x, 10), 1.0)] for x in (0, 10)]
        assert frames_that_arrive(world, [0.5], legs, nothing, judged=judged)[0] == arrives


def test_a_robot_that_turns_back_in_the_middle_of_a_frame_is_heard() -> None:
    """Away at 1 m/s from 9.5 m, with a range of 10 m: out after 0.5 s, unless it stops after 0.25 s."""
    for way, arrives in ((0.25, [0.0]), (0.75, [])):
        world = World(ghost=True)
        world.add_body((0, 0))
        world.add_body((9.5, 0))
        legs = [[], [Leg.line((9.5 + way, 0), 1.0), Leg.line((5, 0), 1.0)]]
        got, dropped = frames_that_arrive(
            world, [0.0], legs, nothing, judged="throughout", power=None, range=10.0
        )
        assert got == arrives
        assert dropped == ({} if arrives else {"out of reach": 1})


def test_a_frame_ends_with_what_comes_between_stands_up_or_is_gone() -> None:
    """A wall that is put up, a robot that is put elsewhere, and one that is removed, in the middle of a frame."""

    def wall(world: World) -> None:
        world.add_obstacle(Wall((5, -1), (5, 1), 0.5, material="metal"))

    def away(world: World) -> None:
        world.bodies[1].teleport((500, 0))

    def gone(world: World) -> None:
        world.bodies[1].remove()

    def back(world: World) -> None:
        world.bodies[1].teleport((500, 0))
        world.bodies[1].teleport((10, 0))

    for act, arrives in ((wall, []), (away, []), (gone, []), (back, [0.0])):
        world = World(ghost=True)
        world.add_body((0, 0))
        world.add_body((10, 0))

        def later(simulation: Simulation, act: Callable[[World], None] = act, world: World = world) -> None:
            simulation.schedule(0.5, lambda: act(world), rank=3)

        assert frames_that_arrive(world, [0.0], [[], []], later, judged="throughout")[0] == arrives


def test_a_thin_wall_of_glass_that_comes_between_only_weakens() -> None:
    """8 dB a metre: 10 cm take 0.8 dB of the 20 dB that are to spare at 10 of 100 m."""
    world = World(Map(obstacles=[Wall((5, 1), (5, 3), 0.1, material="glass")]), ghost=True)
    for x in (0, 10):
        world.add_body((x, 0))
    heard: list[float] = []
    with Simulation(world) as simulation:
        waves = radio(WorldEther(world), judged="throughout")
        net = Net(waves, nodes=2, simulation=simulation)
        for body in world.bodies:
            body.start(Leg.line((body.position.x, 10), 1.0))
        net.send_at(0.5, 0, 1)
        net.send_at(2.0, 0, 1)
        net.run(until=5.0)
        heard = [power for power in powers(net) if power is not None]

    assert heard == pytest.approx([-60.0, -60.8])


def test_wrong_options_are_refused_with_the_rule() -> None:
    ether = OnALine(0.0)
    with pytest.raises(ValueError, match="a noise floor is a part of the SINR; give a medium with a capture"):
        RadioWaves(ether, noise_floor=-100.0)
    with pytest.raises(ValueError, match='hearing is judged at the "begin" or "throughout", not \'end\''):
        RadioWaves(ether, judged="end")  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match='without a medium frames take no time; to judge "throughout", give one'
    ):
        RadioWaves(ether, judged="throughout")
    with pytest.raises(
        TypeError, match='to judge "throughout", a radio needs an ether with watch_hearing, not'
    ):
        RadioWaves(ether, judged="throughout", medium=SharedMedium(800))
    with pytest.raises(ValueError, match="the fading of a radio is a number of dB from 0 on, not -1"):
        RadioWaves(ether, fading=-1)
    with pytest.raises(ValueError, match="the noise floor in dBm is a finite number, not inf"):
        radio(ether, capture=1.0, noise_floor=inf)
    with pytest.raises(TypeError, match="the capture threshold in dB is a number, not '10'"):
        SharedMedium(800, capture="10")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a capture threshold is for frames that collide"):
        SharedMedium(800, capture=10.0, collisions=False)
    with pytest.raises(
        NetworkError, match="a capture threshold compares powers; give this medium to a radio"
    ):
        Net(SharedMedium(800, capture=10.0))
    waves = RadioWaves(ether)
    Net(waves, nodes=1)
    with pytest.raises(TypeError, match="shadows are told by an ether with watch_shadow, not"):
        waves.watch_shadow(0, 1, print)
