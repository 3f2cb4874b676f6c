"""Settings for every test."""

from __future__ import annotations

import gc
import math
import os
import random
import signal
from collections.abc import Callable, Iterator
from itertools import chain, groupby

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from tests import memory

# Examples are the same in every run, so that tests pass or fail for a change alone; "thorough" looks at others
# each time. A property that fails prints what repeats it. Examples may take any time: the machine may be busy.
settings.register_profile("kumi", deadline=None, print_blob=True, derandomize=True)
settings.register_profile(
    "thorough", parent=settings.get_profile("kumi"), max_examples=2000, derandomize=False
)
# Hypothesis also draws numbers that stand in the modules loaded so far, which depend on the tests that ran before:
# without them a property meets the same examples in whichever process and order it runs.
vars(providers)["_get_local_constants"] = Constants
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "kumi"))

# Cron, nohup and a script's background jobs start what they start with SIGINT ignored, and children inherit that:
# tests of Ctrl-C are to find the signal as a person at a terminal does.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Choose and order the tests.

    Of the cases of a test that is marked `some_of(n)`, one in n is not slow. The share KUMI_EXAMPLES of the examples of
    each property is tried. By the seed KUMI_ORDER, files and the tests in each are shuffled: no test may depend on what
    ran before it.
    """
    for _, cases in groupby(items, lambda item: item.nodeid.partition("[")[0]):
        for number, item in enumerate(cases):
            mark = item.get_closest_marker("some_of")
            if mark is not None and number % mark.args[0]:
                item.add_marker(pytest.mark.slow)
    if share := os.environ.get("KUMI_EXAMPLES"):
        for test in {item.obj for item in items if isinstance(item, pytest.Function)}:
            full = getattr(test, "_hypothesis_internal_use_settings", None)
            if full is not None:
                most = math.ceil(float(share) * full.max_examples)
                vars(test)["_hypothesis_internal_use_settings"] = settings(full, max_examples=most)
    if seed := os.environ.get("KUMI_ORDER"):
        chance = random.Random(seed)
        files = [list(group) for _, group in groupby(items, lambda item: item.path)]
        chance.shuffle(files)
        for tests in files:
            chance.shuffle(tests)
        items[:] = chain.from_iterable(files)


def pytest_collection_finish() -> None:
    """Put aside what is there before the first test: thousands of tests and all they import, for each collection to look at."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def resident() -> Callable[[], int]:
    """Tells how many bytes of memory this process holds. A claim about them is not tried on a sanitized core."""
    if memory.IS_SANITIZED:
        pytest.skip("the address sanitizer keeps freed memory")
    return memory.resident


@pytest.fixture(autouse=True)
def _signals_are_left_as_they_were() -> Iterator[None]:
    """A handler that stays behind would answer to the Ctrl-C of another test."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(number) for number in numbers]
    yield
    assert [signal.getsignal(number) for number in numbers] == before
