"""What a station keeps, and how it is on disk before it is answered.

What operations are written with is loaded when the first of them is carried out: who only asks needs no database.
"""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from sqlalchemy import Row, and_, func, or_, select

    from kumi.devs.secrets import new_secret
    from kumi.station.store.quotas import charge
    from kumi.station.store.retention import forgotten
    from kumi.station.store.rows import (
        MOVED,
        all_robots,
        medium_of,
        medium_row,
        object_of,
        options_of,
        pose_of,
        robot_of,
        robot_row,
        task_of,
        task_row,
    )
    from kumi.station.store.schema import (
        audit,
        contest_boards,
        contest_entries,
        facts,
        happenings,
        maps,
        media,
        metadata,
        objects,
        outputs,
        people,
        processes,
        robots,
        samples,
        stops,
        tasks,
        teams,
        tokens,
    )

__all__ = [
    "MOVED",
    "Row",
    "all_robots",
    "and_",
    "audit",
    "charge",
    "contest_boards",
    "contest_entries",
    "facts",
    "forgotten",
    "func",
    "happenings",
    "maps",
    "media",
    "medium_of",
    "medium_row",
    "metadata",
    "new_secret",
    "object_of",
    "objects",
    "options_of",
    "or_",
    "outputs",
    "people",
    "pose_of",
    "processes",
    "robot_of",
    "robot_row",
    "robots",
    "samples",
    "select",
    "stops",
    "task_of",
    "task_row",
    "tasks",
    "teams",
    "tokens",
]

lazy(__name__)
