"""A part of kumi that is not installed says which command installs it."""

from __future__ import annotations

from importlib import import_module

import pytest

from kumi.devs.extras import MissingExtra, need, needing


def test_a_package_that_is_missing_is_named_with_the_command_that_brings_its_part() -> None:
    with pytest.raises(MissingExtra) as one:
        need("film", "json", "not_there")
    with pytest.raises(MissingExtra) as several:
        need("film", "not_there", "nor_there")

    said = str(one.value)
    assert said.startswith("not_there is not installed; `")
    assert said.endswith("` brings it, and `kumi doctor` tells what is here and what is not")
    assert " install 'av>=14.0'`" in said
    assert str(several.value).startswith("not_there, nor_there are not installed;")
    assert "brings them" in str(several.value)


def test_an_import_that_fails_is_named_with_the_command_that_brings_its_part() -> None:
    with pytest.raises(MissingExtra, match=r"not_there is not installed; `.* install 'av>=14.0'`"):  # noqa: SIM117
        with needing("film"):
            import_module("not_there")


def test_a_module_of_kumi_that_is_missing_is_no_matter_of_extras() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"kumi\.not_there"), needing("film"):
        import_module("kumi.not_there")
