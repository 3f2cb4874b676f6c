"""Who hears a radio, how well, and what does it cost?

The power that arrives falls with the distance by the log-distance law: a loss at one metre, and ten times
the exponent in decibels for each factor of ten, below a metre as above it. What stands on the straight line
between two nodes takes some decibels a metre of its thickness, by its material. A node hears what is not
weaker than its sensitivity. At the same place two nodes hear each other with a power without limit, unless
the range is 0, which nobody hears.

A range in metres stands for the power that falls to the sensitivity there. It is how far a sender is heard.

Hearing is judged once, at the instant at which a message is sent, for all of its receivers: before it waits
for a medium, and whatever moves while it is on its way. A message to a node out of reach is dropped, and on a
medium its frame is on the air all the same. A broadcast is one frame, and costs as much as there are neighbours. Judged "throughout", a
frame on a medium must be heard from its beginning to its end, whatever moves in between.

With fading, the power of each frame at each receiver is drawn anew: log-normal shadowing, whose decibels are
normal, cut at four standard deviations. Two frames, two receivers and the two directions of a pair are
independent. Frames that are too weak then are dropped as "faded".

Where the nodes are, and what stands between them, comes from outside, as an `Ether`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf, isfinite
from typing import Literal, TypeAlias, get_args

from kumi.contract.messages import Address
from kumi.devs import Chance
from kumi.geometry.points import as_number
from kumi.maths import log10, pow
from kumi.network.checks import as_positive
from kumi.network.errors import NetworkError
from kumi.network.ether import (
    Between,
    Energy,
    Ether,
    InRange,
    Meeting,
    MovingEther,
    OutOfRange,
    Shadow,
    Shadowed,
    Unshadowed,
)
from kumi.network.flights import Flight, Onward
from kumi.network.shared_medium import FADED, SharedMedium
from kumi.network.simulated import SimulatedNetwork

BORDER = 1.0 + 1e-9
"""The range as it is judged: who comes to its border, by rounding a little outside, hears from that instant on."""

POWER = 20.0
"""dBm at which nodes send where nothing is said."""

MOST_FADING = 4.0
"""Standard deviations by which fading changes a power at most."""

Judged: TypeAlias = Literal["begin", "throughout"]


class RadioWaves:
    """An effect that says who is in reach; dBm for powers, dB for losses, metres and joules.

    Nodes send at `power`, or so that they are heard within `range` metres; `powers` and `ranges` are those of
    nodes that differ. Without a `medium` a frame takes no time; `energy` is what messages cost. `fading` is the
    standard deviation of log-normal shadowing in dB. `noise_floor` joins the interference in the SINR of a medium
    with a capture threshold.
    """

    is_reliable = False
    is_in_order = True

    def __init__(
        self,
        ether: Ether,
        *,
        power: float | None = None,
        range: float | None = None,  # noqa: A002
        sensitivity: float = -90.0,
        exponent: float = 2.5,
        loss_at_one_metre: float = 40.0,
        powers: Mapping[Address, float] | None = None,
        ranges: Mapping[Address, float] | None = None,
        medium: SharedMedium | None = None,
        energy: Energy | None = None,
        noise_floor: float | None = None,
        fading: float = 0.0,
        judged: Judged = "begin",
    ) -> None:
        if not all(hasattr(ether, name) for name in ("near", "distance", "obstacles_between", "watch")):
            raise TypeError(f"a radio takes an ether, such as WorldEther(world), not {ether!r}")
        self.ether = ether
        self.sensitivity = as_number(sensitivity, "the sensitivity of a radio in dBm")
        self.exponent = as_positive(exponent, "the exponent of path loss")
        self.loss_at_one_metre = as_number(loss_at_one_metre, "the loss at one metre in dB")
        self.medium = medium
        self.energy = energy
        self._set_frames(noise_floor, fading, judged)
        self._chance: Chance | None = None
        self._network: SimulatedNetwork | None = None
        self._known: dict[float, float] = {}  # ranges by powers
        self.ranges: dict[Address, float] = {}
        self._range: float | None = None
        self._set_powers(power, range, powers or {}, ranges or {})

    def _set_frames(self, noise_floor: float | None, fading: float, judged: Judged) -> None:
        self.fading = as_number(fading, "the fading of a radio in dB")
        if self.fading < 0.0:
            raise ValueError(f"the fading of a radio is a number of dB from 0 on, not {fading!r}")
        capture = None if self.medium is None else self.medium.capture
        if noise_floor is not None and capture is None:
            raise ValueError(
                "a noise floor is a part of the SINR; give a medium with a capture threshold, too, such as "
                "SharedMedium(250_000, capture=10.0)"
            )
        self.noise_floor = None if noise_floor is None else as_number(noise_floor, "the noise floor in dBm")
        if judged not in get_args(Judged):
            raise ValueError(f'hearing is judged at the "begin" or "throughout", not {judged!r}')
        if judged == "throughout" and self.medium is None:
            raise ValueError(
                'without a medium frames take no time; to judge "throughout", give one, such as '
                "SharedMedium(250_000)"
            )
        if judged == "throughout" and not hasattr(self.ether, "watch_hearing"):
            raise TypeError(
                f'to judge "throughout", a radio needs an ether with watch_hearing, not {self.ether!r}'
            )
        self.judged = judged
        # A frame alone has to stand out from the noise as well.
        self._needed = self.sensitivity
        if self.noise_floor is not None and capture is not None:
            self._needed = max(self.sensitivity, self.noise_floor + capture)

    def _set_powers(
        self,
        power: float | None,
        within: float | None,
        powers: Mapping[Address, float],
        ranges: Mapping[Address, float],
    ) -> None:
        if power is not None and within is not None:
            raise ValueError(
                f"a radio sends at a power or within a range, not both: {power!r} dBm and {within!r} m"
            )
        for node in ranges:
            if node in powers:
                raise ValueError(
                    f"node {node} sends at a power or within a range, not both: {powers[node]!r} dBm and "
                    f"{ranges[node]!r} m"
                )
        self.power = as_number(POWER if power is None else power, "the power of a radio in dBm")
        if within is not None:
            self._range = as_range(within, "the range of a radio")
            self.power = self._power_for(self._range)
        self.powers = {
            node: as_number(own, f"the power of node {node} in dBm") for node, own in powers.items()
        }
        for node, own in ranges.items():
            self.ranges[node] = as_range(own, f"the range of node {node}")
            self.powers[node] = self._power_for(self.ranges[node])

    def _power_for(self, within: float) -> float:
        """Return the power in dBm at which a sender is heard so many metres away; -inf: nowhere."""
        return -inf if within == 0.0 else self._needed + self.path_loss(within)

    def join(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Become part of a network."""
        if self._network is not None:
            raise NetworkError("this radio is part of a network already; make one for each")
        self._network = network
        network.limit_reach(self)
        if self.fading:
            self._chance = network.chance_of(self)
        if self.energy is not None:
            network.watch(self.energy)
        if self.medium is not None:
            return self.medium.join(network, onward, self)
        return self._faded(network, onward) if self.fading else onward

    def _faded(self, network: SimulatedNetwork, onward: Onward) -> Onward:
        """Draw the fading of each flight, and drop those that are too weak then."""

        def carry(flight: Flight, time: float) -> None:
            if flight.rssi is not None:
                flight.rssi += self._fade()
                if flight.rssi < self._needed:
                    network.drop(flight, FADED)
                    return
            onward(flight, time)

        return carry

    def _fade(self) -> float:
        """Draw the decibels by which fading changes the power of a frame at a receiver."""
        if self._chance is None:
            return 0.0
        most = MOST_FADING * self.fading
        return min(most, max(-most, self._chance.normal(0.0, self.fading)))

    def path_loss(self, distance: float, obstacles: Iterable[tuple[float, float]] = ()) -> float:
        """Return the decibels lost over a distance, and behind obstacles: metres of each, and decibels a metre.

        Over no distance at all they are -inf.
        """
        if distance == 0.0:
            return -inf
        loss = self.loss_at_one_metre + 10.0 * self.exponent * log10(distance)
        for thickness, decibels in obstacles:
            loss += thickness * decibels
        return loss

    def received_power(
        self, distance: float, obstacles: Iterable[tuple[float, float]] = (), *, sender: Address | None = None
    ) -> float:
        """Return the power in dBm that arrives from a sender at a distance, fading left aside."""
        power = self._power_of(sender)
        return power if power == -inf else power - self.path_loss(distance, obstacles)

    def range_of(self, sender: Address | None = None) -> float:
        """Return how many metres a sender is heard where nothing stands in between; 0: not at all."""
        if sender in self.ranges:
            return self.ranges[sender]
        if self._range is not None and sender not in self.powers:
            return self._range
        power = self._power_of(sender)
        if power not in self._known:
            self._known[power] = self._reach(power - self._needed)
        return self._known[power]

    def _reach(self, loss: float) -> float:
        """Return how many metres away so many decibels are lost."""
        return 0.0 if loss == -inf else pow(10.0, (loss - self.loss_at_one_metre) / (10.0 * self.exponent))

    def hears(self, address: Address, sender: Address) -> bool:
        """Whether one node hears another now; with fading, whether it may."""
        return self.rssi(address, sender) is not None

    def hearers(self, sender: Address) -> list[Address]:
        """Return all who hear a sender now, in order, those without a radio included; with fading, who may."""
        return list(self.heard(sender))

    def rssi(self, address: Address, sender: Address) -> float | None:
        """Return the power in dBm at which one node hears another now, fading left aside; None: not at all."""
        distance, within = self.ether.distance(sender, address), self._within(sender)
        if distance is None or within == 0.0 or distance > within * BORDER:
            return None
        if obstacles := self.ether.obstacles_between(sender, address):
            power = self.received_power(distance, obstacles, sender=sender)
            return power if power >= self._needed - MOST_FADING * self.fading else None
        # Where nothing is in between, one within range hears, to its very border.
        loss = self.loss_at_one_metre + 10.0 * self.exponent * log10(distance) if distance else -inf
        return self._power_of(sender) - loss

    def heard(self, sender: Address) -> dict[Address, float]:
        """Return all who hear a sender now, in order, with the power in dBm for each, fading left aside."""
        return self._arrives(sender, self._within(sender), self._needed - MOST_FADING * self.fading)

    def _within(self, sender: Address) -> float:
        """Return the range of a sender; with fading, the farthest that it can be heard."""
        if not self.fading:
            return self.range_of(sender)
        return self._reach(self._power_of(sender) - self._needed + MOST_FADING * self.fading)

    def _arrives(self, sender: Address, within: float, least: float) -> dict[Address, float]:
        """Return all within a distance at whom a sender arrives with a power, with that power, in order."""
        if within == 0.0:
            return {}
        power, loss, slope = self._power_of(sender), self.loss_at_one_metre, 10.0 * self.exponent
        ether, heard = self.ether, {}
        between = None if getattr(ether, "is_clear", False) else ether.obstacles_between
        for other, away in sorted(ether.near(sender, within * BORDER)):
            if between is not None and (obstacles := between(sender, other)):
                arrives = self.received_power(away, obstacles, sender=sender)
                if arrives < least:
                    continue
            else:
                arrives = power - (loss + slope * log10(away)) if away else inf
            heard[other] = arrives
        return heard

    def arrivals(self, sender: Address) -> dict[Address, float]:
        """Return where a frame that begins now arrives, with its power in dBm, its fading drawn, in order.

        It counts for others where it is heard, or, where there is a noise floor, not weaker than that.
        """
        least = self._needed if self.noise_floor is None else min(self._needed, self.noise_floor)
        spare = self._power_of(sender) - least + MOST_FADING * self.fading
        if not self.fading and least == self._needed:
            return self.heard(sender)
        found = self._arrives(sender, self._reach(spare), least - MOST_FADING * self.fading)
        powers = {other: power + self._fade() for other, power in found.items()}
        return {other: power for other, power in powers.items() if power >= least}

    def is_heard(self, power: float) -> bool:
        """Whether a frame of that power is heard where nothing else is on the air."""
        return power >= self._needed - 10.0 * self.exponent * log10(BORDER)

    def follow(
        self, sender: Address, address: Address, power: float, until: float, lost: Callable[[], object]
    ) -> Callable[[], None]:
        """Tell when a node ceases to hear a frame that began now with a power; return what ends it."""
        ether: MovingEther = self.ether  # type: ignore[assignment]  # checked when the radio was made
        distance = ether.distance(sender, address)
        assert distance is not None
        mean = self.received_power(distance, ether.obstacles_between(sender, address), sender=sender)
        luck = power - mean if isfinite(power - mean) else 0.0
        within = self._reach(self._power_of(sender) - self._needed + luck) if luck else self.range_of(sender)

        def passes(away: float, obstacles: Between) -> bool:
            return self.received_power(away, obstacles, sender=sender) + luck >= self._needed

        def told(is_heard: bool) -> None:
            if not is_heard:
                lost()

        return ether.watch_hearing(sender, address, within * BORDER, passes, until, told)

    def neighbours(self, address: Address) -> tuple[Address, ...]:
        """Return who on the network hears a node now, in order, fading left aside."""
        network = self._joined()
        heard = self._arrives(address, self.range_of(address), self._needed)
        return tuple(other for other in heard if other in network)

    def watch(self, address: Address, told: Callable[[Meeting], object]) -> Callable[[], None]:
        """Tell who comes within the range of a node's radio, and who leaves it, at the exact instant.

        The range is that without obstacles: who is in a shadow is a neighbour that hears nothing. Those who
        are there already are not told. Call what is returned to hear no more.
        """
        network = self._joined()

        def passed(has_entered: bool, neighbour: Address) -> None:
            if neighbour in network:
                told((InRange if has_entered else OutOfRange)(network.now, address, neighbour))

        return self.ether.watch(address, self.range_of(address), passed)

    def watch_shadow(
        self, address: Address, neighbour: Address, told: Callable[[Shadow], object]
    ) -> Callable[[], None]:
        """Tell when the line between two nodes begins to go through an obstacle, and when it is free again.

        A shadow that is there already is not told; who is in it may still hear. Call what is returned to hear
        no more.
        """
        network = self._joined()
        if not hasattr(self.ether, "watch_shadow"):
            raise TypeError(f"shadows are told by an ether with watch_shadow, not {self.ether!r}")

        def passed(has_begun: bool) -> None:
            told((Shadowed if has_begun else Unshadowed)(network.now, address, neighbour))

        return self.ether.watch_shadow(address, neighbour, passed)  # type: ignore[no-any-return]

    def _power_of(self, sender: Address | None) -> float:
        return self.power if sender is None else self.powers.get(sender, self.power)

    def _joined(self) -> SimulatedNetwork:
        if self._network is None:
            raise NetworkError("this radio is part of no network yet; give it to a SimulatedNetwork")
        return self._network

    def __repr__(self) -> str:
        return f"<RadioWaves of {self.power:g} dBm, {self.range_of():g} m>"


def as_range(value: float, what: str) -> float:
    """Return a range in metres; 0 is heard by nobody."""
    metres = as_number(value, what)
    if metres < 0.0:
        raise ValueError(f"{what} is a number of metres from 0 on, not {value!r}")
    return metres
