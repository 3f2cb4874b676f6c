"""Messages are found again in a stream of bytes, in pieces of any size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.network.framing import FrameTooLong, as_frame, next_frame


@given(st.lists(st.binary(max_size=40), max_size=8), st.integers(1, 13))
def test_frames_come_out_whole_and_in_order_however_the_bytes_come(messages: list[bytes], step: int) -> None:
    stream = b"".join(map(as_frame, messages))
    buffer, found = bytearray(), []
    for begin in range(0, len(stream), step):
        buffer += stream[begin : begin + step]
        while (data := next_frame(buffer, 40)) is not None:
            found.append(data)

    assert found == messages
    assert not buffer


def test_a_frame_that_is_too_long_is_refused_before_it_has_come() -> None:
    buffer = bytearray(as_frame(bytes(41))[:4])

    with pytest.raises(FrameTooLong, match="a frame of 41 bytes was announced; at most 40 are read"):
        next_frame(buffer, 40)
