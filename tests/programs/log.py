"""What happened in a run, with times: the thing that laws are compared with."""

from __future__ import annotations

from kumi import now


class Log(list[tuple[object, ...]]):
    """A list of tuples; calling it adds one, with the present time in front."""

    def __call__(self, *what: object) -> None:
        self.append((now(), *what))
