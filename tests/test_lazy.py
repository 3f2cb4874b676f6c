"""Does a program load only what it uses, and does a package that loads late look like one that does not?"""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import kumi
from kumi.lazy import LazyPackage, homes

ROOT = Path(kumi.__file__).parent
LAZY = sorted(
    ".".join(path.parent.relative_to(ROOT.parent).parts)
    for path in ROOT.rglob("__init__.py")
    if "lazy(__name__)" in path.read_text()
)
HEAVY = {
    "asyncio",
    "concurrent.futures",
    "importlib.metadata",
    "numpy",
    "subprocess",
    "tomlkit",
}


def loaded_by(statement: str) -> set[str]:
    """Return the modules that a new interpreter has after a statement."""
    script = f"{statement}\nimport sys\nprint(*sys.modules)"
    return set(
        subprocess.run(
            [sys.executable, "-c", script], check=True, capture_output=True, text=True
        ).stdout.split()
    )


def test_a_stage_loads_no_heavy_library() -> None:
    """What a run does not use costs a second of processor time at each start otherwise."""
    assert not loaded_by("from kumi import Map, Robot, Stage") & HEAVY


def test_a_package_loads_none_of_its_modules_before_a_name_is_asked_for() -> None:
    loaded = loaded_by("\n".join(f"import {package}" for package in LAZY))
    around = {name.rpartition(".")[0] for name in LAZY}
    needed = {"kumi._core", "kumi.lazy", "kumi.teaching", "kumi.version", *around}
    assert {name for name in loaded if name.rpartition(".")[0] in LAZY} <= {*LAZY, *needed}


@pytest.mark.parametrize("package", LAZY)
def test_every_name_of_a_lazy_package_is_there(package: str) -> None:
    """As if its imports were at the top: the block for type checkers names all of `__all__`, and the names are right."""
    module = importlib.import_module(package)
    assert isinstance(module, LazyPackage)
    assert homes(module).keys() == set(module.__all__)
    for name, home in homes(module).items():
        assert getattr(module, name) is getattr(importlib.import_module(home), name)
    assert set(module.__all__) <= set(dir(module))


def test_a_name_that_is_also_a_module_stays_the_name_in_whichever_order_they_come() -> None:
    for statement in (
        "import kumi.planning.velocity_planning; from kumi.planning import around",
        "from kumi.planning import around; import kumi.planning.velocity_planning; from kumi.planning import around",
        "import kumi.planning.reservations; from kumi.planning import around",
    ):
        script = f"{statement}\nprint(type(around).__name__)"
        said = subprocess.run(
            [sys.executable, "-c", script], check=True, capture_output=True, text=True
        ).stdout
        assert said == "function\n"


def test_a_name_that_is_not_there_is_refused_with_the_one_that_is_near() -> None:
    planning = importlib.import_module("kumi.planning")
    with pytest.raises(AttributeError, match=r"kumi.planning has no 'aroun'; did you mean 'around'\?"):
        planning.aroun  # noqa: B018
    with pytest.raises(ImportError, match=r"kumi.planning has no 'aroun'; did you mean 'around'\?"):
        exec("from kumi.planning import aroun")  # noqa: S102
