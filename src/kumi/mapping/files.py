"""How is a drawn map saved for others?

As the files of ROS's map_server: a YAML file, and beside it a grey picture, white where it is free, black where it is
occupied, grey where nobody saw. `kumi.world.load_map` reads them, and so do ROS's map_server and nav2.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import yaml
from PIL import Image

from kumi.mapping.occupancy import OccupancyMap
from kumi.mapping.scan import MappingError

FREE_GREY, UNKNOWN_GREY, OCCUPIED_GREY = 254, 205, 0
OCCUPIED_THRESHOLD, FREE_THRESHOLD = 0.65, 0.196
"""What map_server itself writes: 205 lies between the two."""


def as_target(path: str | Path) -> Path:
    """Return where a map can be saved, or say at once why it cannot."""
    target = Path(path)
    if target.suffix not in {".yaml", ".yml"}:
        raise MappingError(f"a map of map_server is saved as a .yaml file, not as {target.name}")
    if not target.parent.is_dir():
        raise MappingError(f"{target} cannot be written: there is no folder {target.parent}")
    return target


def save_map(drawn: OccupancyMap, path: str | Path) -> None:
    """Write a map as a YAML file, and beside it the picture with the same name and the ending .pgm."""
    target = as_target(path)
    grey = np.full(drawn.shape, UNKNOWN_GREY, dtype=np.uint8)
    grey[drawn.free] = FREE_GREY
    grey[drawn.occupied] = OCCUPIED_GREY
    picture = target.with_suffix(".pgm")
    settings = {
        "image": picture.name,
        "mode": "trinary",
        "resolution": float(drawn.cell),
        "origin": [drawn.bounds.left, drawn.bounds.bottom, 0.0],
        "negate": 0,
        "occupied_thresh": OCCUPIED_THRESHOLD,
        "free_thresh": FREE_THRESHOLD,
    }
    try:
        Image.fromarray(grey[::-1]).save(picture)
        target.write_text(
            yaml.safe_dump(settings, sort_keys=False, default_flow_style=None), encoding="utf-8"
        )
    except OSError as error:
        raise MappingError(f"{target} cannot be written: {(error.strerror or str(error)).lower()}") from error
