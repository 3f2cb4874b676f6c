"""Serial ports, sockets and pseudo-terminals are read and written in one way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Timer

import pytest

from kumi.link.ports import LinkPortError, ListeningPort, Port, PortGone, PtyPair, open_port
from tests.waiting import PATIENCE

DATA = bytes(range(256))


def by_terminal(stack: ExitStack) -> tuple[Port, Port]:
    """Return both ends: a pseudo-terminal, and a serial port that is its other end."""
    pair = stack.enter_context(closing(PtyPair()))
    return pair, stack.enter_context(closing(open_port(pair.name, baud=115200)))


def by_socket(stack: ExitStack) -> tuple[Port, Port]:
    """Return both ends of a TCP connection."""
    far = stack.enter_context(closing(ListeningPort("socket://127.0.0.1:0")))
    near = stack.enter_context(closing(open_port(far.name)))
    assert far.read(0.1) == b""
    return far, near


@pytest.fixture(params=[by_terminal, by_socket])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[Port, Port]]:
    with ExitStack() as stack:
        yield request.param(stack)


def take(port: Port, count: int) -> bytes:
    data = b""
    while len(data) < count:
        came = port.read(PATIENCE)
        assert came, f"only {len(data)} of {count} bytes came"
        data += came
    return data


def test_every_byte_arrives_as_it_was_written_both_ways(ends: tuple[Port, Port]) -> None:
    """No byte means anything to the line: not Ctrl-C, not XON, not a newline."""
    far, near = ends
    near.write(DATA)
    far.write(DATA[::-1])

    assert take(far, 256) == DATA
    assert take(near, 256) == DATA[::-1]


def test_where_nothing_came_reading_gives_nothing(ends: tuple[Port, Port]) -> None:
    for port in ends:
        assert port.read() == b""
        assert port.read(0.01) == b""


def test_a_port_whose_other_end_has_left_is_gone(ends: tuple[Port, Port]) -> None:
    far, near = ends
    far.close()

    with pytest.raises(PortGone, match=r" is gone: "):
        near.read(PATIENCE)


def test_a_port_that_was_closed_is_gone_and_may_be_closed_again(ends: tuple[Port, Port]) -> None:
    for port in ends:
        port.close()
        port.close()
        with pytest.raises(PortGone):
            port.read(PATIENCE)
        with pytest.raises(PortGone):
            port.write(b"1")


def test_the_rate_of_a_terminal_is_what_the_other_end_set() -> None:
    with closing(PtyPair()) as pair, closing(open_port(pair.name, baud=57600)):
        assert pair.baud == 57600


def test_what_nobody_reads_does_not_hold_up_who_writes() -> None:
    with closing(PtyPair()) as pair:
        pair.write(bytes(1_000_000))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nothing-here", "the port nothing-here cannot be opened: No such file or directory"),
        ("socket://127.0.0.1:1", "nobody answers at socket://127.0.0.1:1: Connection refused"),
        (
            "socket://127.0.0.1",
            "a connection is named socket://HOST:PORT, such as socket://localhost:7000, not 'socket://127.0.0.1'",
        ),
        (
            "socket://host:99999",
            "a connection is named socket://HOST:PORT, such as socket://localhost:7000, not 'socket://host:99999'",
        ),
        (
            "http://host:1",
            "a port is a device such as /dev/ttyUSB0 or socket://HOST:PORT, not 'http://host:1'",
        ),
    ],
)
def test_a_port_that_cannot_be_opened_says_why(name: str, sentence: str) -> None:
    with pytest.raises(LinkPortError) as refused:
        open_port(name)

    assert str(refused.value) == sentence


def test_a_file_is_no_port(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("hello")

    with pytest.raises(LinkPortError, match="cannot be opened: it is no serial port"):
        open_port(str(tmp_path / "notes"))


def test_a_rate_that_the_link_does_not_have_is_refused() -> None:
    with pytest.raises(LinkPortError) as refused:
        open_port("socket://127.0.0.1:1", baud=1200)

    assert str(refused.value) == "a baud rate is one of 9600, 19200, 38400, 57600, 115200, not 1200"


@pytest.mark.slow
def test_a_port_is_opened_once() -> None:
    with (
        closing(PtyPair()) as pair,
        closing(open_port(pair.name)),
        pytest.raises(LinkPortError, match="cannot be opened: another program has it open"),
    ):
        open_port(pair.name)


def test_a_port_that_is_just_being_let_go_is_waited_for() -> None:
    """A program that ends holds its port until all its parts have ended."""
    with closing(PtyPair()) as pair:
        before = open_port(pair.name)
        ending = Timer(0.2, before.close)
        ending.start()
        open_port(pair.name).close()
        ending.join()


def test_a_listening_port_takes_one_after_the_other() -> None:
    with closing(ListeningPort("socket://127.0.0.1:0")) as port:
        port.write(b"nobody hears this")
        for word in (b"first", b"second"):
            with closing(open_port(port.name)) as guest:
                guest.write(word)
                assert take(port, len(word)) == word
            assert port.read(1.0) == b""


def test_where_somebody_listens_already_nobody_else_can() -> None:
    with (
        closing(ListeningPort("socket://127.0.0.1:0")) as port,
        pytest.raises(LinkPortError, match=r"cannot listen at socket:.* Address already in use"),
    ):
        ListeningPort(port.name)
