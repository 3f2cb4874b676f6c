"""What is asked about the work space: its map, what was found and measured there, and where robots are."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from kumi.station.answers import (
    Done,
    FeedKey,
    FoundObjects,
    Layer,
    LayerNames,
    MapAnswer,
    MapVersion,
    MediumContent,
)
from kumi.station.records import Angle, Name, Number, Spot, Word
from kumi.station.requests.request import OfMedium, Request


class GetMap(Request[MapAnswer], frozen=True, kw_only=True):
    """Ask for the map, if it is newer than `since`; `around` and `reach` ask for the piece there.

    With `changes` only what changed is told, where the station can tell it.
    """

    since: Number = 0
    around: Spot | None = None
    reach: Annotated[float, Meta(gt=0.0, le=1e6)] = 10.0
    changes: bool = False


class SetMap(Request[MapVersion], frozen=True, kw_only=True):
    """Replace the map of the work space, by a table like that of a scenario file, or by the text of a map file."""

    map: dict[str, Any] | None = None
    text: Annotated[str, Meta(max_length=4_000_000)] | None = None


class ListObjects(Request[FoundObjects], frozen=True, kw_only=True):
    """Ask for what one's team discovered."""


class GetLayer(Request[Layer], frozen=True, kw_only=True):
    """Ask for what one's team measured."""

    layer: Word
    limit: Annotated[int, Meta(ge=1, le=100_000)] = 10_000


class ListLayers(Request[LayerNames], frozen=True, kw_only=True):
    """Ask in which layers one's team measured something."""


class GetMedium(OfMedium[MediumContent], frozen=True, kw_only=True):
    """Ask for a stored file."""


class Locate(Request[Done], frozen=True, kw_only=True):
    """A positioning system tells where it sees a robot; `error` is its standard deviation in metres."""

    robot: Name
    at: Spot
    heading: Angle | None = None
    error: Annotated[float, Meta(gt=0.0, le=100.0)] = 0.05


class MakeFeedKey(Request[FeedKey], frozen=True, kw_only=True):
    """Make the key with which a positioning system tells where robots are; the one before is worthless then."""
