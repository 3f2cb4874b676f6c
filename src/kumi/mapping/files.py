"""How is a drawn map saved for others?

As the files of ROS's map_server: a YAML file, and beside it a grey picture, white where it is free, black where it is
occupied, grey where nobody saw. `kumi.world.load_map` reads them, and so do ROS's map_server and nav2.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

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
    # Without exponents, which some readers of YAML take for text.
    left, bottom, cell = (
        np.format_float_positional(number, trim="0")
        for number in (drawn.bounds.left, drawn.bounds.bottom, drawn.cell)
    )
    settings = (
        f"image: {json.dumps(picture.name)}\nmode: trinary\nresolution: {cell}\norigin: [{left}, {bottom}, 0.0]\n"
        f"negate: 0\noccupied_thresh: {OCCUPIED_THRESHOLD}\nfree_thresh: {FREE_THRESHOLD}\n"
    )
    try:
        from PIL import Image  # Late: programs that map need no pictures.

        Image.fromarray(grey[::-1]).save(picture)
        target.write_text(settings, encoding="utf-8")
    except OSError as error:
        raise MappingError(f"{target} cannot be written: {(error.strerror or str(error)).lower()}") from error
