"""What packs kumi into an sdist, a wheel or an editable install?

scikit-build-core does, once the page of the view is built. Where that is still to be done and the machine has no Node,
Node is one more package that the build asks for.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

from scikit_build_core import build as packing
from scikit_build_core.build import prepare_metadata_for_build_editable, prepare_metadata_for_build_wheel

from tools import page

if TYPE_CHECKING:
    from collections.abc import Sequence

Settings = dict[str, Any] | None

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    """Return the packages that making an sdist needs."""
    return [*packing.get_requires_for_build_sdist(config_settings), *node_if_needed()]


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Return the packages that making a wheel needs."""
    return [*packing.get_requires_for_build_wheel(config_settings), *node_if_needed()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """Return the packages that an editable install needs."""
    return [*packing.get_requires_for_build_editable(config_settings), *node_if_needed()]


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Make an sdist, with the page, and return its name."""
    ensure_page()
    return packing.build_sdist(sdist_directory, config_settings)


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Make a wheel, with the page, and return its name."""
    ensure_page()
    return packing.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Make the wheel of an editable install, whose page is among the sources, and return its name."""
    ensure_page()
    return packing.build_editable(wheel_directory, config_settings, metadata_directory)


def node_if_needed() -> list[str]:
    """Return the package of Node if the page is to be built on a machine without it."""
    return [] if page.is_built() or page.node_path() else [page.NODE]


def ensure_page() -> None:
    """Build the page unless it is built."""
    if page.is_built():
        return
    path = page.node_path()
    if path is None:
        raise SystemExit(
            f"The page of the view is built with Node {page.OLDEST_NODE} or newer, which is not here: "
            f"run `pip install '{page.NODE}'`, or build kumi in an isolated environment."
        )
    page.build(path, call)


def call(command: Sequence[str], what: str) -> None:
    """Run a command; what it says goes where the build speaks."""
    code = subprocess.run(command, cwd=page.ROOT, check=False).returncode
    if code:
        raise SystemExit(f"The page of the view is not built: {what} failed with exit code {code}.")
