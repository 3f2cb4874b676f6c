"""Messages go over a wire and come back equal; bytes that are no message give one clear error."""

from __future__ import annotations

import enum
import importlib
import math
import pkgutil
import types
from collections import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from msgspec.msgpack import Ext

import kumi.protocols
from kumi.contract.messages import Message
from kumi.geometry import Point
from kumi.network.codecs import classes, wire_name
from kumi.network.errors import Malformed, NetworkError, NotAMessage, TooLarge
from kumi.network.wire import copied, decode, decode_value, encode, encode_value, encoded_size
from kumi.protocols.stack import InChannel

for module in pkgutil.walk_packages(kumi.protocols.__path__, "kumi.protocols."):
    importlib.import_module(module.name)

PROTOCOL_MESSAGES = sorted(
    {
        kind
        for by_module in classes().values()
        for kind in by_module.values()
        if kind.__module__.startswith("kumi.")
    },
    key=lambda kind: (kind.__module__, kind.__qualname__),
)

Ticket = NewType("Ticket", int)


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class WireWord(Message):
    text: str


@dataclass(frozen=True, slots=True)
class WireAll(Message):
    """One field of every kind."""

    whole: int
    real: float
    is_so: bool
    raw: bytes
    at: Point
    maybe: WireWord | None
    anything: object
    inside: Message
    exact: WireWord
    many: tuple[Message, ...]
    pair: tuple[int, Point]
    places: frozenset[Point]
    names: frozenset[str]
    counts: Mapping[str, int]
    by_place: Mapping[Point, WireWord]
    either: int | Point | WireWord
    colour: Colour
    choice: Literal["yes", "no"]
    ticket: Ticket


@dataclass(frozen=True, kw_only=True)
class WireKeyed(Message):
    first: int
    second: int = field(default=0, init=False)


@dataclass(frozen=True, slots=True)
class WirePositive(Message):
    value: int

    def __post_init__(self) -> None:
        if self.value <= 0:
            raise ArithmeticError("only what is positive")


WORD = WireWord("hello")
ALL = WireAll(
    whole=-(2**63),
    real=math.inf,
    is_so=True,
    raw=b"\x00\xff",
    at=Point(1.5, -0.0),
    maybe=None,
    anything={(1, None): frozenset({Point(1, 2), "x"}), "list": [1, WORD]},
    inside=WORD,
    exact=WORD,
    many=(WORD, WireKeyed(first=3)),
    pair=(1, Point(2, 3)),
    places=frozenset({Point(0, 0), Point(1, 1)}),
    names=frozenset({"a", "b"}),
    counts={"a": 1},
    by_place={Point(0, 1): WORD},
    either=Point(1, 1),
    colour=Colour.BLUE,
    choice="no",
    ticket=Ticket(7),
)

# Values by annotation.

SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-(2**63), 2**64 - 1),
    float: st.floats(allow_nan=False),
    bool: st.booleans(),
    str: st.text(max_size=8),
    bytes: st.binary(max_size=8),
    types.NoneType: st.none(),
    Point: st.builds(Point, st.floats(allow_nan=False), st.floats(allow_nan=False)),
}
HASHABLE: st.SearchStrategy[Any] = st.recursive(
    st.one_of(*SCALARS.values(), st.builds(WireWord, st.text(max_size=4))),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.frozensets(inner, max_size=3),
    ),
    max_leaves=6,
)
PLAIN: st.SearchStrategy[Any] = st.one_of(
    HASHABLE, st.dictionaries(HASHABLE, HASHABLE, max_size=3), st.lists(HASHABLE, max_size=3)
)


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Draw what an annotation allows."""
    if annotation in SCALARS:
        return SCALARS[annotation]
    if annotation in {object, Any}:
        return PLAIN
    origin, members = get_origin(annotation), get_args(annotation)
    if origin is not None:
        return values_of(origin, members)
    if annotation is Message:
        return st.builds(WireWord, st.text(max_size=4))
    if issubclass(annotation, enum.Enum):
        return st.sampled_from(annotation)
    return messages_of(annotation)


def values_of(origin: Any, members: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    """Draw what an annotation with others inside allows."""
    if origin in {Union, types.UnionType}:
        return st.one_of(*map(values, members))
    if origin is Literal:
        return st.sampled_from(members)
    if origin in {frozenset, abc.Set}:
        return st.frozensets(values(members[0]), max_size=3)
    if origin in {dict, abc.Mapping}:
        return st.dictionaries(values(members[0]), values(members[1]), max_size=3)
    if origin in {tuple, abc.Sequence} and (members[-1] is ... or origin is abc.Sequence):
        return st.lists(values(members[0]), max_size=3).map(tuple)
    assert origin is tuple
    return st.tuples(*map(values, members))


def messages_of(kind: type[Message]) -> st.SearchStrategy[Message]:
    """Draw messages of a class."""
    hints = get_type_hints(kind)
    names = [each.name for each in fields(kind) if each.init]  # type: ignore[arg-type]

    def make(**given: Any) -> Message:
        try:
            return kind(**given)
        except ValueError:  # some classes check what they are made of
            reject()

    return st.builds(make, **{name: values(hints[name]) for name in names})


def of(kind: Any, *members: Any) -> Any:
    """Return such as tuple[int, str]."""
    return types.GenericAlias(kind, members)


ANNOTATIONS: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([*SCALARS, object, Message, WireWord]),
    lambda inner: st.one_of(
        inner.map(lambda each: of(tuple, each, ...)),
        inner.map(lambda each: each | None),
        st.tuples(inner, inner).map(lambda two: of(tuple, *two)),
        st.tuples(inner, inner).map(Union.__getitem__),
        inner.map(lambda each: of(Mapping, str, each)),
        inner.map(lambda each: of(Mapping, Point, each)),
        st.sampled_from([int, str, Point, WireWord, of(tuple, int, str)]).map(
            lambda each: of(frozenset, each)
        ),
    ),
    max_leaves=4,
)


@st.composite
def made_messages(draw: st.DrawFn) -> Message:
    """Draw a class, then a message of it."""
    annotations = draw(st.lists(ANNOTATIONS, max_size=4))
    named = [(f"field_{place}", annotation) for place, annotation in enumerate(annotations)]
    kind = make_dataclass("WireMade", named, bases=(Message,), frozen=True, slots=True)
    message: Message = kind(*[draw(values(annotation)) for annotation in annotations])
    return message


# There and back.


def test_every_kind_of_field_comes_back() -> None:
    assert copied(ALL) == ALL


def test_what_comes_back_has_the_types_of_the_annotations() -> None:
    back = copied(ALL)

    assert type(back.pair) is tuple
    assert type(back.places) is frozenset
    assert type(back.at) is Point
    assert back.colour is Colour.BLUE


def test_fields_that_are_given_by_name_come_back() -> None:
    assert copied(WireKeyed(first=2)) == WireKeyed(first=2)


def test_a_whole_number_in_a_field_of_real_ones_comes_back_equal() -> None:
    assert copied(make_dataclass("WireReal", [("x", float)], bases=(Message,), frozen=True)(2)).x == 2


@pytest.mark.parametrize("kind", PROTOCOL_MESSAGES, ids=wire_name)
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_message_of_every_protocol_comes_back(kind: type[Message], data: st.DataObject) -> None:
    message = data.draw(messages_of(kind))

    assert decode(encode(message)) == message


@settings(max_examples=100, deadline=None)
@given(made_messages())
def test_messages_of_any_class_come_back(message: Message) -> None:
    assert decode(encode(message)) == message


@settings(deadline=None)
@given(PLAIN)
def test_values_come_back(value: object) -> None:
    assert decode_value(encode_value(value)) == value


def test_the_size_is_that_of_the_bytes() -> None:
    """Two marks of arrays, the name with its mark, the word with its mark."""
    assert encoded_size(WORD) == 1 + (1 + 8) + 1 + (1 + 5) == len(encode(WORD))


def test_messages_of_protocols_have_names_of_their_own() -> None:
    """On a wire, the name alone says which class a message has."""
    names = [wire_name(kind) for kind in PROTOCOL_MESSAGES]

    assert "stack.InChannel" in names
    assert sorted(names) == sorted(set(names))


# What is refused when it is written.


def test_a_field_that_is_not_what_its_annotation_says_is_refused() -> None:
    kind = make_dataclass("WireWrong", [("number", int)], bases=(Message,), frozen=True)

    with pytest.raises(NotAMessage, match="the field 'number' of WireWrong takes int, not 'five'"):
        encode(kind("five"))


def test_a_whole_number_of_more_than_64_bits_is_refused() -> None:
    with pytest.raises(NotAMessage, match="cannot be written for a wire: can't serialize ints"):
        encode(make_dataclass("WireBig", [("number", int)], bases=(Message,), frozen=True)(2**64))


def test_a_value_that_no_wire_carries_is_refused() -> None:
    with pytest.raises(NotAMessage, match="a complex is no value of a message"):
        encode(make_dataclass("WireComplex", [("value", object)], bases=(Message,), frozen=True)(1j))


def test_an_annotation_that_no_wire_carries_is_refused() -> None:
    with pytest.raises(NotAMessage, match="the field 'value' of WireOdd is annotated complex, which no wire"):
        encode(make_dataclass("WireOdd", [("value", complex)], bases=(Message,), frozen=True)(1j))


def test_something_else_than_a_message_is_refused() -> None:
    with pytest.raises(NotAMessage, match="a message is a frozen dataclass"):
        encode("hello")  # type: ignore[arg-type]


def test_a_message_over_the_limit_is_refused() -> None:
    with pytest.raises(TooLarge, match="a WireWord takes 31 bytes; at most 30 are allowed"):
        encode(WireWord("x" * 19), limit=30)


def test_messages_nested_without_end_are_refused() -> None:
    kind = make_dataclass("WireNest", [("inside", Message | None)], bases=(Message,), frozen=True)
    nest = kind(None)
    for _ in range(5000):
        nest = kind(nest)

    with pytest.raises(NotAMessage, match="recursion"):
        encode(nest)


def test_two_classes_of_one_name_are_refused() -> None:
    """The name is all that stands on the wire."""
    first = make_dataclass("WireTwin", [], bases=(Message,), frozen=True)
    second = make_dataclass("WireTwin", [], bases=(Message,), frozen=True)
    first.__module__, second.__module__ = "here", "there"

    with pytest.raises(NetworkError, match=r"the name WireTwin, one in .*rename one"):
        encode(first())
    assert encoded_size(first()) == 11
    with pytest.raises(Malformed, match="two classes of messages"):
        decode(msgspec.msgpack.encode(("WireTwin", ())))


def test_a_class_of_a_user_may_have_the_name_of_one_of_ours() -> None:
    theirs = make_dataclass("InChannel", [("word", str)], bases=(Message,), frozen=True)

    assert copied(theirs("hello")) == theirs("hello")
    assert copied(InChannel(1, WORD)) == InChannel(1, WORD)


def test_a_class_that_is_defined_anew_replaces_the_old_one() -> None:
    """As when a cell of a notebook is run again."""
    old = make_dataclass("WireAnew", [("value", int)], bases=(Message,), frozen=True)
    encode(old(1))
    new = make_dataclass("WireAnew", [("value", int)], bases=(Message,), frozen=True)

    assert type(decode(encode(new(1)))) is new


# What is refused when it is read.


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "0 bytes are no message: .*truncated"),
        (b"\xff" * 7, "7 bytes are no message"),
        (msgspec.msgpack.encode(("Nobody", ())), "a packet is a 'Nobody', and no class of messages here"),
        (msgspec.msgpack.encode(("object", ())), "no class of messages here"),
        (msgspec.msgpack.encode(("WireWord", (1,))), "no WireWord: Expected `str`, got `int`"),
        (msgspec.msgpack.encode(("WireWord", ())), "no WireWord: Expected `array` of length 1"),
        (msgspec.msgpack.encode(("WireWord", ("a", "b"))), "no WireWord: Expected `array` of length 1"),
        (encode(WORD) + b"x", "trailing characters"),
        (b"\x92\xa8WireWord\x91\xa2\xff\xff", "no WireWord: 'utf-8' codec"),
        (msgspec.msgpack.encode(("WirePositive", (-1,))), "no message: only what is positive"),
    ],
)
def test_bytes_that_are_no_message_are_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(Malformed, match=sentence):
        decode(data)


def test_a_message_of_another_class_inside_is_refused() -> None:
    """The field says WireWord, and the packet has a WirePositive there."""
    kind = make_dataclass("WireHolder", [("word", WireWord)], bases=(Message,), frozen=True)
    assert copied(kind(WORD)) == kind(WORD)

    with pytest.raises(Malformed, match="expected WireWord, got WirePositive"):
        decode(msgspec.msgpack.encode(("WireHolder", [Ext(1, encode(WirePositive(1)))])))


def test_bytes_that_nest_without_end_are_refused() -> None:
    data = encode(make_dataclass("WireDeep", [("inside", object)], bases=(Message,), frozen=True)(None))
    for _ in range(5000):
        data = msgspec.msgpack.encode(("WireDeep", [Ext(1, data)]))

    with pytest.raises(Malformed):
        decode(data)
    with pytest.raises(Malformed):
        decode(msgspec.msgpack.encode(("WireDeep", msgspec.Raw(b"\x91" * 100_000))))


def test_more_bytes_than_the_limit_are_not_read() -> None:
    with pytest.raises(TooLarge, match="a packet of 17 bytes came; at most 16 are read"):
        decode(encode(WORD), limit=16)


def outcome(read: Callable[[bytes], object], data: bytes) -> object:
    """Return what was read, or the error."""
    try:
        return read(data)
    except (Malformed, TooLarge) as error:
        return error


def is_message_or_sentence(outcome: object) -> bool:
    return isinstance(outcome, Message) or (
        isinstance(outcome, Malformed | TooLarge) and len(str(outcome).splitlines()) == 1
    )


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_give_a_message_or_one_clear_error(data: bytes) -> None:
    assert is_message_or_sentence(outcome(decode, data))


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_a_damaged_message_gives_a_message_or_one_clear_error(data: st.DataObject) -> None:
    """Bytes changed, cut out and put in, at any place of a message with fields of every kind."""
    raw = bytearray(encode(ALL))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(raw)))
        raw[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))

    assert is_message_or_sentence(outcome(decode, bytes(raw)))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_give_a_value_or_one_clear_error(data: bytes) -> None:
    read = outcome(decode_value, data)

    assert not isinstance(read, TooLarge)
    assert (
        decode_value(data) == decode_value(encode_value(read))
        if not isinstance(read, Malformed)
        else str(read)
    )
