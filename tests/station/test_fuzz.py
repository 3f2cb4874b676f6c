"""The HTTP interface under requests made from its own description: no crash, no surprise, no change by a refused call.

KUMI_ROUNDS raises the number of requests for each operation, and adds those at every bound that the description names.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import Case
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from kumi.station.callers import STATION
from kumi.station.gateway.app import application
from kumi.station.gateway.description import description
from kumi.station.operations.finds import StoreFile
from kumi.station.operations.maps import SetMap
from kumi.station.operations.people import AccessToken, LogIn
from kumi.station.operations.tasks import GiveTask
from kumi.station.refusals import Refused
from kumi.station.service.service import Service
from kumi.station.store.schema import people
from kumi.station.store.store import StationStore
from kumi.station.store.transaction import Transaction
from tests.station.conftest import PASSWORD, Little
from tests.station.test_rights import contents

Template = tuple[Path, dict[str, str], dict[str, str]]
EXAMPLES = int(os.environ.get("KUMI_ROUNDS", "3"))
PHASES = tuple(Phase) if "KUMI_ROUNDS" in os.environ else (Phase.generate,)
TURNS = cycle(("chief", "red commander", "red robot"))
schema = schemathesis.openapi.from_dict(description())
Fuzzed = tuple[Little, Callable[..., httpx.Response]]


@pytest.fixture(scope="module")
def fuzzed(template: Template, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    """A small station with a map, a task and a file in it, and a way to call its web application."""
    folder = tmp_path_factory.mktemp("fuzz")
    shutil.copy(template[0], folder / "station.db")
    store = StationStore(f"sqlite:///{folder / 'station.db'}")
    little = Little(Service(store), dict(template[1]), template[2])
    little.service.news.end()  # what is asked for here need not be waited for
    little.call(SetMap(map={"width": 4.0, "height": 4.0}), STATION)
    little.call(GiveTask(robot="red robot", task="goTo", arguments={"at": {"x": 1, "y": 1}}), STATION)
    little.call(StoreFile(name="film.mp4", content=b"film"), "red robot")
    transport = httpx.ASGITransport(application(little.service), raise_app_exceptions=False)
    client = httpx.AsyncClient(transport=transport)
    with asyncio.Runner() as runner:
        yield little, lambda **request: runner.run(client.request(**request))
    store.close()


OURS: dict[str, Any] = {"robot": "red robot", "team": "red", "task": 1, "medium": 1, "name": "red observer"}
"""What the station knows, by the fields that name it: most requests that are made up name nothing."""


def token(little: Little, caller: str) -> str:
    """Return what a caller proves itself with; a user whose token was fuzzed away logs in again."""
    if caller in little.keys:
        return f"robot:{caller}:{little.keys[caller]}"
    try:
        little.service.known.caller(little.tokens[caller])
    except Refused:
        signer, request = little.service.known.signer, LogIn(name=caller, password=PASSWORD)

        def token_of(transaction: Transaction) -> AccessToken:
            row = transaction.one(people.select().where(people.c.name == caller))
            assert row is not None
            return request.token(transaction, signer, row.password)

        made = little.service.store.write(token_of).result()
        little.tokens[caller] = made.token
    return little.tokens[caller]


@pytest.mark.slow
@schema.parametrize()
@settings(max_examples=EXAMPLES, phases=PHASES, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_is_asked_gets_an_answer_of_the_description(case: Case[Any], fuzzed: Fuzzed) -> None:
    little, ask = fuzzed
    if case.operation.path == "/v1/log_in":
        return  # each attempt takes its time on purpose; see the test of attempts
    made_up = case.body
    for body in (made_up, _pointed(made_up)):
        case.body = body
        caller = next(TURNS)
        wire = requests.Request(**case.as_transport_kwargs("http://station")).prepare()
        authorization = f"Bearer {token(little, caller)}"
        before = contents(little)
        response = ask(
            method=wire.method,
            url=wire.url,
            content=wire.body,
            headers=dict(wire.headers) | {"Authorization": authorization},
        )

        assert response.status_code < 500
        if response.status_code != 200:
            assert contents(little) == before
        case.validate_response(response, checks=[status_code_conformance, response_schema_conformance])


def _pointed(body: object) -> Any:
    """Return a request with the names of things that there are."""
    if not isinstance(body, dict):
        return body
    return {key: OURS.get(key, value) for key, value in body.items()}
