"""Places, headings, shapes, and where they meet."""

from kumi._core import Point
from kumi.geometry.areas import Bounds, Circle, Outline, Rectangle, Segment
from kumi.geometry.headings import DegreesForRadians, wrapped
from kumi.geometry.points import PointLike, Pose, as_point
from kumi.geometry.shapes import BodyShape, Disc, Ellipse, Polygon, gap
from kumi.lazy import eager

__all__ = [
    "BodyShape",
    "Bounds",
    "Circle",
    "DegreesForRadians",
    "Disc",
    "Ellipse",
    "Outline",
    "Point",
    "PointLike",
    "Polygon",
    "Pose",
    "Rectangle",
    "Segment",
    "as_point",
    "gap",
    "wrapped",
]

eager(__name__)
