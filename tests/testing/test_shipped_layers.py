"""Every layer that ships passes `check_layer` in the stack that the guide recommends for it.

The table in `docs/protocols.md` is read: which faults a layer bears, and a stack to begin with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

import kumi.protocols
from kumi.checking.cases import shipped_cases
from kumi.checking.faults import KINDS
from kumi.checking.search import SearchQuestion
from kumi.protocols import EventuallyStrong, Layer, Stack
from kumi.protocols.stack import needs, offering
from kumi.testing.layers import check_layer, differing
from kumi.testing.trying import case_for, in_words

GUIDE = Path(__file__).parents[2] / "docs" / "protocols.md"
NOT_ALONE = {"Hops": "offers no guarantee: it is a part of Aodv, and is tried below it"}
"""Layers that cannot be tried by themselves, and why."""


def rows() -> Iterator[tuple[str, str, str]]:
    """Read the layers of the guide, what they bear, and their stacks."""
    table = GUIDE.read_text().partition("| layer | bears | a stack to begin with |")[2]
    for layer, bears, stack in re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", table, re.MULTILINE):
        yield layer, bears, stack.strip("`")


def shipped() -> dict[str, type[Layer[*tuple[Any, ...]]]]:
    """Find all layers in the package, by importing all of it."""
    for module in iter_modules(kumi.protocols.__path__, "kumi.protocols."):
        import_module(module.name)
    return {kind.__name__: kind for kind in offering(Layer)}


def stack_of(text: str) -> Callable[[], Stack]:
    """Return what makes the stack that the guide writes."""
    names = {name: getattr(kumi.protocols, name) for name in kumi.protocols.__all__}
    code = compile(text, GUIDE.name, "eval")
    return lambda: eval(code, dict(names))  # noqa: S307  # our own guide


SHIPPED = shipped()
BEARS = {layer: bears for layer, bears, _ in rows()}
STACKS = {layer: stack_of(stack) for layer, _, stack in rows() if layer not in NOT_ALONE}


def test_the_guide_has_every_layer_that_ships_and_no_other() -> None:
    assert sorted(BEARS) == sorted(SHIPPED)
    assert set(NOT_ALONE) <= set(SHIPPED)


def test_each_stack_of_the_guide_has_its_layer_on_top() -> None:
    assert {name: type(make().layers[0]).__name__ for name, make in STACKS.items()} == {
        name: name for name in STACKS
    }


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_the_guide_says_what_a_layer_bears(name: str) -> None:
    bears = SHIPPED[name].bears

    assert bears is not None
    assert bears <= set(KINDS)
    assert BEARS[name] == in_words(bears)


@pytest.mark.parametrize("name", sorted(STACKS))
def test_a_layer_bears_what_its_cases_try_and_what_does_not_concern_it(name: str) -> None:
    """So what a layer says is what thousands of seeds were searched with."""
    kind = SHIPPED[name]
    tried = [case for case in shipped_cases().values() if type(case.stack().layers[case.above]) is kind]
    asks_a_detector = any(issubclass(wanted, EventuallyStrong) for _, wanted, _ in needs(kind))

    assert kind.bears == frozenset().union(
        *(case.faults for case in tried), () if asks_a_detector else ("suspicion",)
    )


@pytest.mark.some_of(4)
@pytest.mark.parametrize("name", sorted(STACKS))
def test_a_layer_keeps_its_promises_in_the_stack_of_the_guide(name: str) -> None:
    check_layer(STACKS[name], runs=4, hash_seeds=False)


@pytest.mark.slow
def test_no_layer_depends_on_the_order_of_a_set() -> None:
    cases = [case_for(stack) for stack in STACKS.values()]

    assert differing([SearchQuestion(case, max(case.fewest, 3)) for case in cases]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(STACKS))
def test_a_layer_keeps_its_promises_in_very_many_runs(name: str) -> None:
    check_layer(STACKS[name], runs=100)
