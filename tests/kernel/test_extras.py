"""A part of kumi that is not installed says which command installs it."""

from __future__ import annotations

from importlib import import_module

import pytest

from kumi.kernel.extras import MissingExtra, need, needing


def test_a_package_that_is_missing_is_named_with_its_extra() -> None:
    with pytest.raises(MissingExtra) as one:
        need("study", "json", "not_there")
    with pytest.raises(MissingExtra) as several:
        need("study", "not_there", "nor_there")

    assert str(one.value) == 'not_there is not installed; it comes with: pip install "kumi[study]"'
    assert str(several.value).startswith("not_there, nor_there are not installed;")


def test_an_import_that_fails_is_named_with_its_extra() -> None:
    with pytest.raises(MissingExtra, match=r'not_there is not installed; .*"kumi\[view\]"'), needing("view"):
        import_module("not_there")


def test_a_module_of_kumi_that_is_missing_is_no_matter_of_extras() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"kumi\.not_there"), needing("view"):
        import_module("kumi.not_there")
