"""What a person sees: runs in a browser, live or from a file."""

from kumi.view.live import LiveFeed
from kumi.view.recorded import RecordedFeed
from kumi.view.server import ViewServer

__all__ = ["LiveFeed", "RecordedFeed", "ViewServer"]
