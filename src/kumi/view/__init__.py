"""What a person sees: runs in a browser, live or from a file, and the results of studies."""

from kumi.view.live import LiveFeed
from kumi.view.recorded import RecordedFeed
from kumi.view.server import ViewServer
from kumi.view.study_app import StudyPages

__all__ = ["LiveFeed", "RecordedFeed", "StudyPages", "ViewServer"]
