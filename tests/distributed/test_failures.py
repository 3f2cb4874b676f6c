"""What goes wrong is said in one sentence that names the part; the others end; nothing hangs, nothing is left."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from kumi.devs import Atomic, Coupled, EndlessLoop, InThread
from kumi.distributed import DistributedError, PartFailed, PartLost, join, run_distributed, serve
from kumi.distributed.wire import PROTOCOL, HelloFrame, PartConnection
from tests.waiting import PATIENCE, free_port, read_line, wait_for

ROOT = Path(__file__).parent.parent.parent
PARTS = {"left": ["ping"], "right": ["pong"]}


class Player(Atomic):
    """Sends the ball back after `wait` seconds; does something else at the fifth ball, if it is told to."""

    def __init__(self, name: str, wait: float, trick: str = "") -> None:
        super().__init__(name)
        self.into: Any = self.add_input("into", object)
        self.out = self.add_output("out", object)
        self.wait = wait
        self.trick = trick
        self.balls = 0
        if name == "ping":
            self.hold(wait)

    def output(self) -> None:
        self.out.send({1, 2} if self.trick != "strange" else object())

    def external(self) -> None:
        self.balls += 1
        self.hold(self.wait)
        if self.balls == 5:
            self.play()

    def play(self) -> None:
        if self.trick == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.trick == "raises":
            raise ZeroDivisionError("a bad ball")
        if self.trick == "grows":
            self.parent.add(Atomic("new"))
        if self.trick == "thinks":
            from kumi.devs import start_activity

            start_activity(InThread(time.monotonic), into=self.into)


def game(trick: str = "", wait: float = 1.0) -> Coupled:
    """Ping in one part, pong in the other; the trick is pong's."""
    table = Coupled("table")
    ping, pong = table.add(Player("ping", wait)), table.add(Player("pong", wait, trick))
    table.couple(ping.out, pong.into)
    table.couple(pong.out, ping.into)
    return table


def no_process_is_left() -> bool:
    return not multiprocessing.active_children()


@pytest.mark.parametrize("pace", [None, 50.0])
def test_a_part_that_is_killed_is_named(pace: float | None) -> None:
    with pytest.raises(PartLost, match=r"^part 'right' is gone: its process was ended by SIGKILL$"):
        run_distributed(game, PARTS, arguments={"trick": "dies"}, until=100.0, pace=pace)
    assert no_process_is_left()


@pytest.mark.parametrize("pace", [None, 50.0])
def test_what_a_model_raises_is_told_with_the_part_the_model_and_the_time(pace: float | None) -> None:
    with pytest.raises(PartFailed) as caught:
        run_distributed(game, PARTS, arguments={"trick": "raises"}, until=100.0, pace=pace)
    words = str(caught.value)
    assert words.startswith(
        "part 'right' failed: ZeroDivisionError: a bad ball; in external transition of 'table.pong'"
    )
    assert no_process_is_left()


@pytest.mark.parametrize(
    ("trick", "why"),
    [
        (
            "strange",
            "cannot go from port 'table.ping.into' to another part: a object is no value of a message",
        ),
        ("grows", "keeps its structure while it runs"),
        ("thinks", "as fast as possible, parts take Virtual activities only"),
    ],
)
def test_what_a_divided_model_cannot_do_is_refused(trick: str, why: str) -> None:
    with pytest.raises(PartFailed, match=why):
        run_distributed(game, PARTS, arguments={"trick": trick}, until=100.0)


def test_a_broken_promise_of_a_lookahead_is_found() -> None:
    """Pong states 1 s, but answers the bell after 0.25 s; meanwhile the other part has run ahead."""

    def hurried() -> Coupled:
        table = Coupled("table")
        ping, pong = table.add(Player("ping", 10.0)), table.add(Player("pong", 0.25))
        bell = table.add(Ticking("bell", 1.0))
        table.add(Ticking("clock", 0.1))
        table.couple(pong.out, ping.into)
        table.couple(bell.out, pong.into)
        return table

    parts = {"left": ["ping", "clock"], "right": ["pong", "bell"]}
    with pytest.raises(
        PartFailed, match=r"'table.ping.into' came at t = 1.25 s.*sooner after its input than"
    ):
        run_distributed(hurried, parts, lookahead={"pong": 1.0}, until=100.0)


class Ticking(Atomic):
    """Has something to do again and again."""

    def __init__(self, name: str, period: float) -> None:
        super().__init__(name)
        self.period = period
        self.out = self.add_output("out", int)
        self.hold(period)

    def output(self) -> None:
        self.out.send(1)

    def internal(self) -> None:
        self.hold(self.period)


def test_an_endless_loop_over_two_parts_is_reported() -> None:
    with pytest.raises(EndlessLoop, match=r"time stands still at t = 0.0 s after 50 steps.*'(left|right)'"):
        run_distributed(game, PARTS, arguments={"wait": 0.0}, max_steps=50)
    assert no_process_is_left()


def test_a_part_that_does_not_come_is_named_with_what_starts_it() -> None:
    with pytest.raises(
        PartLost, match=r"part 'right' has not come to .* within 0.3 s; it is started with: kumi part"
    ):
        run_distributed(game, dict(reversed(PARTS.items())), remote=["right"], patience=0.3, until=1.0)
    assert no_process_is_left()


def test_a_hub_that_is_not_there_is_told() -> None:
    port = free_port()
    with pytest.raises(PartLost, match=f"there is no hub at 127.0.0.1:{port}"):
        join("127.0.0.1", port)


def hub_with(remote: Any, **more: Any) -> BaseException | None:
    """Run the game with `remote(address)` in a thread as the part 'right'; give what the hub raised."""
    threads: list[threading.Thread] = []

    def begin(address: tuple[str, int]) -> None:
        threads.append(threading.Thread(target=remote, args=(address,)))
        threads[0].start()

    try:
        run_distributed(
            game, PARTS, remote=["right"], patience=PATIENCE, until=10.0, on_listening=begin, **more
        )
    except DistributedError as error:
        return error
    finally:
        threads[0].join()
    return None


@pytest.mark.slow
def test_another_version_is_refused_by_name() -> None:
    told: list[Any] = []

    def old(address: tuple[str, int]) -> None:
        line = PartConnection(socket.create_connection(address), "the hub")
        line.say(HelloFrame(PROTOCOL, "0.0.1", "right"))
        told.append(line.hear(PATIENCE))
        line.close()

    error = hub_with(old)
    assert str(error).startswith("part 'right' runs kumi 0.0.1, but the hub runs kumi ")
    assert told[0].why == str(error)


def test_another_model_is_refused_by_name() -> None:
    def other(address: tuple[str, int]) -> None:
        def bigger() -> Coupled:
            table = game()
            table.add(Player("spare", 1.0))
            return table

        with pytest.raises(DistributedError):
            serve(join(*address), "right", bigger)

    assert "part 'right' failed: DistributedError: 'table.spare' is in no part" in str(hub_with(other))


def test_a_model_with_other_couplings_is_refused_by_name() -> None:
    def other(address: tuple[str, int]) -> None:
        def twice() -> Coupled:
            table = game()
            table.couple(*table.couplings[0])
            return table

        with pytest.raises(PartLost):
            serve(join(*address), "right", twice)

    assert "part 'right' has built another model than the hub" in str(hub_with(other))


def test_a_stranger_at_the_door_does_not_end_the_run() -> None:
    """Whoever speaks another language is turned away, and so is a part that nobody asked for."""

    def strangers(address: tuple[str, int]) -> None:
        with socket.create_connection(address) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        with pytest.raises(PartLost, match="there is no part 'middle'"):
            serve(join(*address), "middle", game)
        serve(join(*address), "right", game)

    assert hub_with(strangers) is None


@pytest.mark.slow
def test_ctrl_c_ends_all_parts() -> None:
    """A real process with two parts; after SIGINT none of the three is left."""
    program = """
import multiprocessing, threading, time
from tests.distributed.test_failures import game, PARTS
from kumi.distributed import run_distributed
def tell():
    while len(multiprocessing.active_children()) < 2:
        time.sleep(0.01)
    print(*[child.pid for child in multiprocessing.active_children()], flush=True)
threading.Thread(target=tell, daemon=True).start()
run_distributed(game, PARTS, until=1e9, on_listening=None)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        children = [int(word) for word in read_line(process.stdout).split()]
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert len(children) == 2
    assert "KeyboardInterrupt" in errors
    for pid in children:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_parts_end_when_the_hub_is_killed() -> None:
    """Nobody is left to tell them; they notice by themselves."""
    program = """
import multiprocessing, os, signal
from tests.distributed.test_failures import game, PARTS
import kumi.distributed.run as run
def die(*_):
    print(*[child.pid for child in multiprocessing.active_children()], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
run.Hub.run = die
run.run_distributed(game, PARTS, until=1e9)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=ROOT,
    )
    children = [int(word) for word in done.stdout.split()]
    assert len(children) == 2
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() and "Z" not in _state(pid) for pid in children))


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
