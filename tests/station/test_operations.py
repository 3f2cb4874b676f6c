"""Each operation is declared once: all that is offered is made from its class."""

from __future__ import annotations

from inspect import getmro
from pathlib import Path
from subprocess import run
from sys import executable
from typing import Any

import pytest

from kumi.station.gateway.description import description
from kumi.station.operation import Operation, Request
from kumi.station.operations import BY_NAME, OPERATIONS, TOPICS
from kumi.station.records import StationRecord


def test_each_request_of_a_topic_is_declared_and_no_name_is_used_twice() -> None:
    requests = [
        one
        for topic in TOPICS
        for one in vars(topic).values()
        if isinstance(one, type) and issubclass(one, Request) and one.__module__ == topic.__name__
    ]

    assert [one.operation.request for one in requests] == [one.request for one in OPERATIONS] == requests
    assert len(BY_NAME) == len(OPERATIONS)


def test_each_file_of_the_folder_is_a_topic() -> None:
    folder = Path(TOPICS[0].__file__ or "").parent

    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == {
        topic.__name__.rpartition(".")[2] for topic in TOPICS
    }


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_an_operation_says_how_it_is_carried_out_and_what_it_answers(operation: Operation) -> None:
    own = [base for base in getmro(operation.request) if issubclass(base, Request) and not _is_kind(base)]

    assert any({"carry_out", "serve"} & set(vars(base)) for base in own)
    assert issubclass(operation.answer, StationRecord)
    assert operation.summary.endswith(".")
    body = description()["paths"][f"/v1/{operation.name}"]["post"]["requestBody"]["content"]
    assert body["application/json"]["schema"]["$ref"].endswith(f"/{operation.request.__name__}")


def _is_kind(base: type[Any]) -> bool:
    """Tell whether a class only says what a request is about."""
    return base.__module__ == Request.__module__


def test_who_only_asks_loads_no_database() -> None:
    code = "import sys, kumi.station.client, kumi.station.operations; print('sqlalchemy' in sys.modules)"

    assert run([executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
