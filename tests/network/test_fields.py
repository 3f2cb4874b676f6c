"""A message is refused, or brought to its receivers with the same values, alike by simulated and by real networks."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, Literal, NewType, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.contract.messages import Message
from kumi.devs import Simulation
from kumi.geometry import Point
from kumi.network import Constant, NotAMessage, SimulatedNetwork, UdpNetwork, encode
from kumi.network.codecs import Codecs
from kumi.network.fields import Acceptance
from kumi.network.network import Network
from kumi.network.wire import accepting, decode, fitted
from kumi.protocols.stack import InChannel
from tests.network.hearers import Hearer


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


Metres = NewType("Metres", float)
HERE = Point(0, 0)


@dataclass(frozen=True)
class FieldRumour(Message):
    text: str


@dataclass(frozen=True, slots=True)
class FieldAll(Message):
    number: int = 0
    share: float = 0.5
    flag: bool = True
    word: str = ""
    data: bytes = b""
    nothing: None = None
    nothings: tuple[None, ...] = (None,)
    place: Point = HERE
    colour: Colour = Colour.RED
    mode: Literal["a", 1] = "a"
    metres: Metres = Metres(1.0)
    maybe: int | None = None
    either: int | Point = 1
    several: tuple[int, ...] = ()
    pair: tuple[str, float] = ("", 0.0)
    pairs: tuple[tuple[str, int], ...] = ()
    many: Sequence[str] = ()
    bag: frozenset[int] = frozenset()
    table: Mapping[str, int] = field(default_factory=dict)
    inside: Message | None = None
    rumour: FieldRumour = FieldRumour("x")
    anything: object = None


WRONG: list[tuple[str, Any]] = [
    ("number", "5"),
    ("number", 1.0),
    ("number", True),
    ("number", None),
    ("share", "half"),
    ("flag", 1),
    ("word", 3),
    ("word", b"3"),
    ("data", "3"),
    ("nothing", 0),
    ("nothings", (0,)),
    ("place", "here"),
    ("colour", "green"),
    ("mode", "b"),
    ("mode", 2),
    ("metres", "far"),
    ("maybe", "1"),
    ("either", "1"),
    ("several", (1, "2")),
    ("several", 5),
    ("pair", ("", 0.0, 1)),
    ("pair", (1, 0.0)),
    ("pairs", (("a", "b"),)),
    ("many", (1,)),
    ("bag", frozenset({"a"})),
    ("table", {"a": "b"}),
    ("table", {1: 1}),
    ("inside", 5),
    ("inside", FieldRumour(3)),  # type: ignore[arg-type]
    ("rumour", FieldAll()),
    ("rumour", FieldRumour(3)),  # type: ignore[arg-type]
    ("anything", 1j),
    ("anything", (FieldRumour(3),)),  # type: ignore[arg-type]
    ("mode", True),
    ("number", 1 << 64),
    ("number", -(1 << 63) - 1),
    ("maybe", 1 << 64),
    ("several", (1, 1 << 64)),
    ("anything", 1 << 64),
    ("word", "\udc80"),
    ("pair", ("\udc80", 0.0)),
    ("many", ("a", "\udc80")),
    ("anything", ("\udc80",)),
    ("inside", FieldRumour("\udc80")),
]


def networks() -> tuple[Network, Network]:
    simulated, real = (
        SimulatedNetwork(Simulation(), Constant(0.1)),
        UdpNetwork(Simulation(), {0: None, 1: None}),
    )
    for network in (simulated, real):
        network.join(0, Hearer())
    simulated.join(1, Hearer())
    return simulated, real


def said(network: Network, message: Message) -> str:
    """Return what a network says of a message that it refuses, whichever way it is sent."""
    words = set()
    ways: list[Callable[[], None]] = [
        lambda: network.send(0, 1, message),
        lambda: network.multicast(0, [1], message),
        lambda: network.broadcast(0, message),
    ]
    for send in ways:
        with pytest.raises(NotAMessage) as error:
            send()
        words.add(str(error.value))
    assert network.sent == 0
    (only,) = words
    return only


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_field_of_another_type_is_refused_with_the_same_words(name: str, value: Any) -> None:
    """Also after right messages of the class have gone through."""
    simulated, real = networks()
    simulated.as_message(FieldAll())
    encode(FieldAll())
    message = FieldAll(**{name: value})

    words = said(simulated, message)

    assert words == said(real, message)
    assert name in words or "text" in words or "no value of a message" in words or "for a wire" in words


def test_the_sentence_names_field_class_type_and_value() -> None:
    simulated, _ = networks()

    assert said(simulated, FieldRumour(3)) == "the field 'text' of FieldRumour takes str, not 3"  # type: ignore[arg-type]
    assert (
        said(simulated, InChannel(1, FieldRumour(3)))  # type: ignore[arg-type]
        == "the field 'text' of FieldRumour takes str, not 3"
    )


def test_a_class_of_which_no_wire_carries_a_field_is_refused_in_a_sentence() -> None:
    class Mixed(enum.Enum):
        ONE = 1
        TWO = "two"

    kind = make_dataclass("FieldMixed", [("value", Mixed)], bases=(Message,), frozen=True)
    for network in networks():
        assert said(network, kind(Mixed.ONE)).startswith(
            "no wire carries the fields of FieldMixed: Enums must"
        )


def arrived(message: Message, to: int = 1) -> Message:
    """Return what a simulated network brings, whichever way it is sent, or a real one to a node of the same process."""
    brought = []
    for way in ("send", "multicast", "broadcast", "real"):
        simulation, hearer = Simulation(), Hearer()
        network: Network = SimulatedNetwork(simulation)
        if way == "real":
            network = UdpNetwork(simulation, {0: None, 1: None})
        network.join(0, Hearer())
        network.join(to, hearer)
        match way:
            case "multicast":
                network.multicast(0, [to], message)
            case "broadcast":
                network.broadcast(0, message)
            case _:
                network.send(0, to, message)
        simulation.run()
        [(one, _)] = hearer.heard
        brought.append(one)
    assert all(spelt(one) == spelt(brought[0]) for one in brought)
    return brought[0]


def spelt(value: Any) -> Any:
    """Return a value with the types of all that is in it."""
    match value:
        case Message():
            inside: Any = [(one.name, spelt(getattr(value, one.name))) for one in fields(cast(Any, value))]
        case tuple() | list():
            inside = [spelt(one) for one in value]
        case frozenset() | set():
            inside = sorted(map(repr, map(spelt, value)))
        case dict():
            inside = [(spelt(one), spelt(other)) for one, other in value.items()]
        case _:
            inside = repr(value)
    return type(value), inside


OTHERWISE: list[tuple[str, Any, Any]] = [
    ("number", Level.LOW, 1),
    ("share", 1, 1.0),
    ("metres", 2, 2.0),
    ("data", bytearray(b"ab"), b"ab"),
    ("place", (1, 2), Point(1.0, 2.0)),
    ("several", [3], (3,)),
    ("pair", ["a", 1], ("a", 1.0)),
    ("pairs", [["a", 1]], (("a", 1),)),
    ("many", ["a"], ("a",)),
    ("bag", {1, 2}, frozenset({1, 2})),
    ("inside", FieldAll(several=[3]), FieldAll(several=(3,))),  # type: ignore[arg-type]
    ("anything", {1, 2}, frozenset({1, 2})),
    ("anything", ({3},), (frozenset({3}),)),
]


@pytest.mark.parametrize(("name", "value", "brought"), OTHERWISE)
def test_values_that_a_wire_would_bring_otherwise_are_brought_so_by_all_networks(
    name: str, value: Any, brought: Any
) -> None:
    message = FieldAll(**{name: value})

    assert spelt(arrived(message)) == spelt(decode(encode(message))) == spelt(FieldAll(**{name: brought}))


def test_a_message_that_is_right_arrives_as_it_is_and_what_could_be_changed_is_not_the_senders() -> None:
    right = FieldRumour("müde")
    assert arrived(right) is right
    table = {"a": 1}
    message, anything = FieldAll(table=table), FieldAll(anything=[table])
    got = cast(FieldAll, arrived(message)), cast(FieldAll, arrived(anything))
    table["a"] = 2

    assert got[0].table == {"a": 1}
    assert got[1].anything == [{"a": 1}]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-10, 10)
    | st.sampled_from([1 << 64, (1 << 64) - 1, -(1 << 63), -(1 << 63) - 1, "\udc80", "ü", bytearray(b"a")])
    | st.floats(allow_nan=False)
    | st.text("ab", max_size=2)
    | st.binary(max_size=2)
    | st.builds(FieldRumour, st.sampled_from(["a", 3]))
    | st.just(Point(1, 2))
    | st.sampled_from([Colour.RED, Level.LOW]),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.lists(inner, max_size=2)
        | st.frozensets(st.integers(0, 3), max_size=2).flatmap(lambda one: st.sampled_from([one, set(one)]))
        | st.dictionaries(st.text("ab", max_size=1), inner, max_size=2)
    ),
    max_leaves=5,
)
ANNOTATIONS = st.recursive(
    st.sampled_from([int, float, bool, str, bytes, None, Point, Colour, FieldRumour, Message, object]),
    lambda inner: (
        st.builds(lambda one: tuple[one, ...], inner)  # type: ignore[valid-type]
        | st.builds(lambda one, other: tuple[one, other], inner, inner)  # type: ignore[valid-type]
        | st.builds(lambda one: Mapping[str, one], inner)  # type: ignore[valid-type]
        | st.just(frozenset[int])
        | st.builds(lambda one: one | None if one is not None else None, inner)
    ),
    max_leaves=4,
)


@given(ANNOTATIONS, VALUES)
def test_what_is_accepted_at_once_is_what_the_wire_would_bring_back(annotation: Any, value: Any) -> None:
    """The compiled test against the wire itself: it never accepts what the wire refuses, or brings otherwise."""
    kind = make_dataclass("FieldDrawn", [("value", annotation)], bases=(Message,), frozen=True)
    message = kind(value)
    codecs = Codecs(is_proving=False)
    accepted = Acceptance(codecs.codec)(message)
    try:
        brought = spelt(codecs.read_back(message))
    except Exception as error:  # noqa: BLE001  # however the wire refuses it
        brought = error

    assert not accepted or spelt(message) == brought, (annotation, value, brought)


def test_a_class_is_compiled_once() -> None:
    fitted(FieldRumour("a"))
    compiled = accepting[FieldRumour]
    fitted(FieldRumour("b"))

    assert accepting[FieldRumour] is compiled
    assert decode(encode(FieldRumour("b"))) == FieldRumour("b")
