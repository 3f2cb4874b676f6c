"""Every run that ships has the hash it had: a change that is to change nothing changes none of them."""

from __future__ import annotations

import pytest

import kumi
from tests.golden.listing import CHANGELOG, FILE, read_listing, write_listing
from tests.golden.runs import LEFT_OUT, NEEDS, goldens, shipped
from tests.memory import IS_SANITIZED

GOLDENS = goldens()
LISTING = read_listing()


def is_of_another_seed(name: str) -> bool:
    """Tell whether the list has the same run with a seed before."""
    return ", seed " in name and ", seed 1" not in name


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * is_of_another_seed(name)) for name in GOLDENS],
)
def test_a_run_has_the_hash_it_had(name: str) -> None:
    golden, before = GOLDENS[name], LISTING.hashes.get(name, "none")
    if not golden.can_run:
        pytest.skip(f"{name} needs {golden.needs}, which is not installed")
    if IS_SANITIZED and "bwrap" in golden.needs:
        pytest.skip("a sandbox has a bound on memory, and a sanitizer takes all addresses there are")
    now = golden.run()

    assert now == before, (
        f"{name}: the hash was {before} and is {now}; if the change is meant, run `make hashes` and say why in CHANGELOG.md"
    )


def test_nothing_that_ships_is_missing_from_the_list_and_nothing_in_it_is_stale() -> None:
    assert list(LISTING.hashes) == list(GOLDENS)
    listed = {name.partition(",")[0] for name in GOLDENS} | set(LEFT_OUT)
    assert shipped() - listed == set()
    assert set(LEFT_OUT) - shipped() == set()
    assert set(NEEDS) - shipped() == set()


def test_the_list_is_of_this_version_and_its_reason_stands_in_the_changelog() -> None:
    assert LISTING.version == kumi.__version__
    assert len(LISTING.reason) > 20
    assert LISTING.reason in CHANGELOG.read_text(), (
        "hashes.toml was renewed for this reason, and CHANGELOG.md does not say it"
    )


def test_the_file_is_as_the_tool_writes_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    again = tmp_path_factory.mktemp("hashes") / FILE.name
    write_listing(LISTING, again)

    assert again.read_text() == FILE.read_text()
