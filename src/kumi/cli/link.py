"""`kumi link`: packets as bytes, and bytes as packets."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.errors import BadInput
from kumi.cli.options import Amount
from kumi.link.packets import Control, Damaged, Decoder, Packet, PacketError
from kumi.link.packets import encode as bytes_of
from kumi.link.stop_and_wait import FADE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kumi.link.packets import Found

fade_option = click.option(
    "--fade",
    type=Amount(),
    default=FADE,
    show_default=True,
    help="Of a packet robot: seconds without an answer after which it is lost.",
)
CONTROLS = ["ack", "nack", "collision", "error", "hello"]


class Hex(click.ParamType[bytes]):
    """Bytes in hexadecimal, with or without blanks between them."""

    name = "hex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        """Read the bytes, or say what is allowed."""
        try:
            return bytes.fromhex(value) if isinstance(value, str) else value
        except ValueError:
            self.fail(f"{value!r} is not bytes in hexadecimal, such as '00 01 80 8C'.", param, ctx)


class LinkAddressType(click.ParamType[int]):
    """An address on the link: one hexadecimal digit."""

    name = "0-f"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the digit, or say what is allowed."""
        digit = str(value).lower().removeprefix("0x")
        if len(digit) != 1 or digit not in "0123456789abcdef":
            self.fail(f"{value!r} is not an address: one hexadecimal digit, 0 to f.", param, ctx)
        return int(digit, 16)


@click.group(no_args_is_help=True)
def link() -> None:
    """Write and read packets of the robots' link, without a robot."""


@link.command()
@click.option(
    "--sender", type=LinkAddressType(), default="f", show_default=True, help="Who sends; f is the computer."
)
@click.option("--receiver", type=LinkAddressType(), default="0", show_default=True, help="Who receives.")
@click.option(
    "--control",
    type=click.Choice(CONTROLS, case_sensitive=False),
    default="ack",
    show_default=True,
    help="What it is for.",
)
@click.option("--payload", type=Hex(), default="", help="Bytes in hexadecimal, such as '00 01 80 8C'.")
def encode(sender: int, receiver: int, control: str, payload: bytes) -> None:
    """Print the bytes of a packet in hexadecimal.

    \b
    Try:
      kumi link encode --sender f --receiver 0 --control hello
      kumi link encode --payload '07 80 8C' | kumi link decode
    """
    try:
        packet = Packet(sender, receiver, Control[control.upper()], payload)
    except PacketError as error:
        raise BadInput(f"{error}.") from error
    click.echo(bytes_of(packet).hex(" ").upper())


@link.command()
def decode() -> None:
    """Read bytes in hexadecimal from standard input and print one JSON line a packet.

    A packet has `ok` true and its sender, receiver, control and payload. A damaged stretch has `ok` false, its
    bytes and the reason. Blanks, line breaks and 0x between bytes make no difference.
    """
    decoder = Decoder()
    half = ""
    for number, line in enumerate(sys.stdin.buffer, 1):
        half, data = _bytes_of(half, line.decode("ascii", "replace"), number)
        _show(decoder.feed(data))
    if half:
        raise BadInput(f"standard input ends in half a byte, {half!r}; a byte has two hexadecimal digits.")
    _show(decoder.close())


def _bytes_of(half: str, line: str, number: int) -> tuple[str, bytes]:
    """Return the bytes in a line, with half a byte before it and half a byte left over."""
    digits = half + "".join(word.lower().removeprefix("0x") for word in line.split())
    wrong = next((digit for digit in digits if digit not in "0123456789abcdef"), None)
    if wrong is not None:
        raise BadInput(f"line {number} of standard input has {wrong!r}, which is no hexadecimal digit.")
    whole = len(digits) // 2 * 2
    return digits[whole:], bytes.fromhex(digits[:whole])


def _show(found: Iterable[Found]) -> None:

    for one in found:
        if isinstance(one, Damaged):
            row: dict[str, object] = {"ok": False, "reason": one.reason, "bytes": one.data.hex()}
        else:
            row = {
                "ok": True,
                "sender": f"{one.sender:x}",
                "receiver": f"{one.receiver:x}",
                "control": one.control.name.lower(),
                "payload": one.payload.hex(),
            }
        click.echo(json.dumps(row))
        sys.stdout.flush()
