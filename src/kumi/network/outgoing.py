"""What becomes of the frames that are sent to a peer over TCP: taken there, or counted as lost here.

A frame waits, is written to the connection, and is under way until the peer says that it took it. The peer tells how
many frames of this session it has taken: once when it welcomes a connection, after what comes on it, and a last time
before it closes its end. So what is lost with a connection is known, though the system had taken all of it:

- a peer that closes has said its last word, and what it did not take is lost;
- after a reset its last word may be lost as well, and what was under way is in doubt until the next welcome, which
  says what was taken before;
- what is in doubt when the network is closed, and no connection can be made any more, counts as lost.
"""

from __future__ import annotations

import asyncio
import struct
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from kumi.network.framing import notice_silence
from kumi.network.real import Place

TAKEN = struct.Struct("!Q")
"""How many frames of a session a peer has taken."""

MOST_FRAMES = 1024
"""How many messages wait for a peer at most."""
MOST_BYTES = 1 << 22
"""How many bytes wait for a peer at most, beyond the first message."""


class OutgoingFrames:
    """The frames to one place: those that wait, and those under way; `lose` is told how many were lost."""

    def __init__(self, place: Place, lose: Callable[[int], None]) -> None:
        self.place = place
        self.under_way = 0
        self.is_finishing = False
        self._lose = lose
        self._taken = 0  # frames of this session, by the last word of the peer
        self._frames: deque[bytes] = deque()
        self._size = 0
        self._work = asyncio.Event()
        self._finishing = asyncio.Event()

    def put(self, frame: bytes) -> bool:
        """Let a frame wait; False if too much waits already."""
        if len(self._frames) >= MOST_FRAMES or self._size >= MOST_BYTES:
            return False
        self._frames.append(frame)
        self._size += len(frame)
        self._work.set()
        return True

    def finish(self) -> None:
        """Send what waits, and then no more."""
        self.is_finishing = True
        self._finishing.set()
        self._work.set()

    @property
    def is_over(self) -> bool:
        """Whether it has finished, and nothing waits or is in doubt."""
        return self.is_finishing and not self._frames and not self.under_way

    async def rest(self, seconds: float, least: float) -> None:
        """Wait for so long, or until it is to finish; once it is, for the least, unless it is over."""
        if self.is_over:
            return
        if self.is_finishing:
            await asyncio.sleep(least)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._finishing.wait()

    def give_up(self) -> int:
        """Lose what is under way; return how many frames have not been sent at all."""
        self._lose_under_way(self.under_way)
        unsent = len(self._frames)
        self._frames.clear()
        return unsent

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, greeting: bytes
    ) -> None:
        """Send what waits until the peer closes, or until it has taken all that there was to send.

        Raises OSError where the connection breaks.
        """
        notice_silence(writer.get_extra_info("socket"), idle=5, between=2, unconfirmed=10)
        writer.write(greeting)
        listening = asyncio.ensure_future(self._listen(reader, self.under_way))
        try:
            while not listening.done():
                if self._frames:
                    writer.write(self._next_batch())
                    await writer.drain()
                elif self.is_finishing:
                    if self.under_way:
                        writer.write_eof()
                        await listening
                    return
                else:
                    await self._wait_for_work(listening)
            await listening  # which raises what broke the connection
        finally:
            listening.cancel()
            with suppress(asyncio.CancelledError, OSError):
                await listening

    def _next_batch(self) -> bytes:
        batch = b"".join(self._frames)
        self.under_way += len(self._frames)
        self._frames.clear()
        self._size = 0
        return batch

    async def _wait_for_work(self, listening: asyncio.Future[None]) -> None:
        self._work.clear()
        work = asyncio.ensure_future(self._work.wait())
        try:
            await asyncio.wait((listening, work), return_when=asyncio.FIRST_COMPLETED)
        finally:
            work.cancel()

    async def _listen(self, reader: asyncio.StreamReader, in_doubt: int) -> None:
        """Hear how many frames are taken, until the peer has said its last word."""
        taken = await _next_word(reader)
        if taken is None:
            return  # it was not welcome, and learns nothing
        self._lose_under_way(in_doubt - self._hear(taken))
        while (taken := await _next_word(reader)) is not None:
            self._hear(taken)
        self._lose_under_way(self.under_way)

    def _hear(self, taken: int) -> int:
        """Take note of how many frames a peer has taken in all; return how many of them are news."""
        # A peer that has taken fewer than it said is another process at the same place, which counts anew.
        news = min(max(taken - self._taken, 0), self.under_way)
        self._taken = taken
        self.under_way -= news
        return news

    def _lose_under_way(self, frames: int) -> None:
        if frames > 0:
            self.under_way -= frames
            self._lose(frames)


async def _next_word(reader: asyncio.StreamReader) -> int | None:
    """Read how many frames were taken; None where the peer says no more."""
    try:
        (taken,) = TAKEN.unpack(await reader.readexactly(TAKEN.size))
    except asyncio.IncompleteReadError:
        return None
    return int(taken)
