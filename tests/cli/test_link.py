"""`kumi link` writes and reads packets; `kumi robot packet` is a robot at a port."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from kumi.link.devices import Device, read_answer
from kumi.link.packets import COMPUTER, Control, Decoder, Packet, encode
from kumi.link.ports import Port, open_port
from tests.commands import kumi
from tests.waiting import PATIENCE, read_line

KUMI = [sys.executable, "-m", "kumi"]


def test_the_hello_of_the_seed() -> None:
    done = kumi("link", "encode", "--sender", "f", "--receiver", "0", "--control", "hello")

    assert done.stdout == "55 7E 04 F0 04 4E 4A\n"


def test_a_payload_is_given_in_hexadecimal() -> None:
    payload = "00 01 02 03 04 05 06 07 80 68 81 76"
    done = kumi("link", "encode", "--payload", payload)

    assert done.stdout == f"55 7E 10 F0 00 {payload} E0 E1\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--sender", "g"], "'g' is not an address: one hexadecimal digit, 0 to f."),
        (["--payload", "0"], "'0' is not bytes in hexadecimal, such as '00 01 80 8C'."),
        (["--payload", "00" * 252], "a payload has at most 251 bytes, but this one has 252."),
        (["--control", "bye"], "'bye' is not one of 'ack', 'nack', 'collision', 'error', 'hello'."),
    ],
)
def test_what_cannot_be_encoded_is_refused_with_a_sentence(arguments: list[str], sentence: str) -> None:
    done = kumi("link", "encode", *arguments)

    assert done.returncode == 2
    assert sentence in done.stderr


def test_decoding_prints_one_json_line_a_packet_also_those_a_false_length_swallowed() -> None:
    stream = "00 557EFFF0044E4A\n0x55 0x7E 04 F0 04 4E 4A 55 7E 07 F0 01 07 80 8C"
    crc = encode(Packet(COMPUTER, 0, Control.NACK, bytes.fromhex("07 80 8C")))[-2:].hex()
    done = kumi("link", "decode", given=f"{stream}{crc} 55 7E 04 F0 04 4E 4B 7")

    assert done.returncode == 2
    assert "standard input ends in half a byte, '7'" in done.stderr
    done = kumi("link", "decode", given=f"{stream}{crc} 55 7E 04 F0 04 4E 4B")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"ok": False, "reason": "no packet begins here", "bytes": "00"},
        {"ok": False, "reason": "cut off: its LENGTH is 255, and 28 bytes came", "bytes": "557efff0044e4a"},
        {"ok": True, "sender": "f", "receiver": "0", "control": "hello", "payload": ""},
        {"ok": True, "sender": "f", "receiver": "0", "control": "nack", "payload": "07808c"},
        {"ok": False, "reason": "its CRC is 4E4B, but its bytes have 4E4A", "bytes": "557e04f0044e4b"},
    ]


def test_what_is_no_hexadecimal_is_named_by_its_line() -> None:
    done = kumi("link", "decode", given="55 7E\n04 F0 xy\n")

    assert done.returncode == 2
    assert done.stderr == "Error: line 2 of standard input has 'x', which is no hexadecimal digit.\n"


def ask(port: Port, packet: Packet) -> Packet:
    """Send a packet and wait for the packet that answers it."""
    decoder = Decoder()
    port.write(encode(packet))
    while True:
        data = port.read(PATIENCE)
        assert data, "no answer"
        for found in decoder.feed(data):
            assert isinstance(found, Packet)
            return found


def test_a_robot_at_a_pseudo_terminal_answers_packets_and_ends_at_ctrl_c(tmp_path: Path) -> None:
    """Two robots in one world, in a process of their own: each sees the other, and nothing but packets passes."""
    (tmp_path / "hall.toml").write_text("[map]\nwidth = 3.0\nheight = 2.0\n")
    arguments = ["robot", "packet", "--pty", "--world", str(tmp_path / "hall.toml"), "--baud", "115200"]
    process = subprocess.Popen(
        [*KUMI, *arguments, "--at", "0.5,1", "--at", "1.5,1,180"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        lines = [read_line(process.stdout) for _ in range(2)]
        names = [line.split(" is at ")[1].split(",")[0] for line in lines]
        assert lines[1] == f"robot 1 is at {names[1]}, 115200 baud\n"
        for number, name in enumerate(names):
            with closing(open_port(name, baud=115200)) as port:
                hello = Packet(COMPUTER, number, Control.HELLO)
                assert ask(port, hello) == hello
                answer = ask(port, Packet(COMPUTER, number, Control.ACK, bytes((Device.IR_FRONT, 8))))
                assert read_answer(answer.payload)[Device.IR_FRONT] == 244  # 55 cm: 1 m less twice 22.5 cm
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        process.stdout.close()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "a robot needs one line: --pty, --port or --listen."),
        (["--pty", "--listen", "0"], "a robot needs one line: --pty, --port or --listen."),
        (["--port", "nothing-here"], "the port nothing-here cannot be opened: No such file or directory."),
        (["--pty", "--at", "9,9"], "it would reach over the border of the world"),
        (["--pty", "--at", "here"], "'here' is not a place"),
        (["--pty", "--baud", "1200"], "a baud rate is one of 9600, 19200, 38400, 57600, 115200, not 1200."),
        (["--pty", "--noise", "loud"], "'loud' is not a noise such as gaussian:2 or uniform:3"),
        (["--pty", "--damage", "2"], "a share of damaged packets is a number from 0 to below 1, not 2.0."),
        (["--pty", "--clock", "0"], "the rate of a clock is a number > 0 (1 is right), not 0.0."),
        (["--pty", "--watchdog", "0"], "a watchdog waits a number of seconds > 0, not 0.0."),
        (["--pty", "--address", "f"], "robots have addresses from 0 to e; f is the computer."),
        (["--pty", "--seconds", "-1"], "a robot lives for a number of seconds > 0, not -1."),
        (["--listen", "0", "--at", "1,1", "--at", "2,2"], "several robots need a line each: give --pty."),
    ],
)
def test_a_robot_that_cannot_be_is_refused_with_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from kumi.cli import main

    assert main(["robot", "packet", *arguments]) in {1, 2}
    assert sentence in capsys.readouterr().err
