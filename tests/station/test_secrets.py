"""Passwords cannot be found by trying, nor read on their way, and nobody is kept out: attempts are bounded by name and address."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import threading
import xmlrpc.client
from pathlib import Path

import httpx
import pytest
from argon2 import extract_parameters
from argon2.exceptions import VerifyMismatchError
from hypothesis import given
from hypothesis import strategies as st

from kumi.cli import main
from kumi.station.callers import NOBODY
from kumi.station.client import Client, StationGone
from kumi.station.client.client import trusting
from kumi.station.operations.people import Hello, LogIn
from kumi.station.people import secrets
from kumi.station.people.secrets import FREE_ATTEMPTS, LONGEST_WAIT, MOST_NAMES, Attempts
from kumi.station.refusals import Reason, Refused
from tests.station.conftest import PASSWORD, Little
from tests.station.processes import running, started
from tests.waiting import PATIENCE, free_port, wait_for

Template = tuple[Path, dict[str, str], dict[str, str]]


def is_let(attempts: Attempts, name: str = "ana", address: str = "10.0.0.1") -> bool:
    """Try once; tell whether the attempt was let through."""
    try:
        attempts.begin(name, address)
    except Refused as refused:
        return refused.reason is not Reason.TOO_MANY
    return True


def test_a_name_that_nobody_has_costs_as_much_to_check_as_any_other() -> None:
    assert extract_parameters(secrets._NOBODYS) == extract_parameters(secrets.hashed(PASSWORD))
    assert not secrets.is_right(PASSWORD, None)
    with pytest.raises(VerifyMismatchError):
        secrets._HASHER.verify(secrets._NOBODYS, PASSWORD)


def test_after_five_wrong_passwords_each_wait_is_twice_as_long() -> None:
    now = [0.0]
    attempts = Attempts(lambda: now[0])
    assert [is_let(attempts) for _ in range(6)] == [True] * 5 + [False]
    waits = []
    for _ in range(8):
        begun = now[0]
        while not is_let(attempts):
            now[0] += 0.5
        waits.append(now[0] - begun)

    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, LONGEST_WAIT, LONGEST_WAIT]
    assert is_let(attempts, "bo")
    assert is_let(attempts, "ana", "10.0.0.2")


@given(st.lists(st.floats(0.0, 60.0), max_size=100))
def test_nobody_gets_more_attempts_than_the_rule_lets(pauses: list[float]) -> None:
    """However one times it: a few attempts, six while the wait grows to a minute, and then one a minute."""
    now = [0.0]
    attempts = Attempts(lambda: now[0])
    let = 0
    for pause in pauses:
        now[0] += pause
        let += is_let(attempts)

    assert let <= FREE_ATTEMPTS + 7 + now[0] / LONGEST_WAIT


def test_a_right_password_starts_anew_and_memory_is_bounded() -> None:
    attempts = Attempts(lambda: 0.0)
    for _ in range(3):
        assert all(is_let(attempts) for _ in range(FREE_ATTEMPTS))
        attempts.succeed("ana", "10.0.0.1")
    for number in range(MOST_NAMES + 10):
        is_let(attempts, str(number))

    assert len(attempts._wrong) == MOST_NAMES


def test_the_station_refuses_even_the_right_password_after_many_wrong_ones(little: Little) -> None:
    async def wrong() -> list[Reason | None]:
        calls = [
            little.service.call(LogIn(name="chief", password=f"wrong {one}"), NOBODY)
            for one in range(FREE_ATTEMPTS + 3)
        ]
        return [
            one.reason
            for one in await asyncio.gather(*calls, return_exceptions=True)
            if isinstance(one, Refused)
        ]

    little.service.attempts = Attempts(lambda: 0.0)  # hashing takes longer than the first wait
    reasons = asyncio.run(wrong())

    assert reasons.count(Reason.NOT_KNOWN) == FREE_ATTEMPTS
    assert reasons.count(Reason.TOO_MANY) == 3
    with pytest.raises(Refused, match="too many wrong passwords for 'chief' from your address: wait"):
        little.call(LogIn(name="chief", password=PASSWORD))


def test_nobody_is_kept_out_by_a_stranger_who_guesses_at_the_name(template: Template, tmp_path: Path) -> None:
    """45 right passwords of 45 are taken while a stranger at another address tries one after the other under the same name.

    Neither counts a stranger as another for an address that the call claims to come from.
    """
    shutil.copy(template[0], tmp_path / "station.db")
    guessed: list[int] = []
    is_over = threading.Event()

    def guess(url: str) -> None:
        transport = httpx.HTTPTransport(local_address="127.0.0.2")
        with httpx.Client(transport=transport, timeout=PATIENCE) as stranger:
            while not is_over.is_set():
                asked = {"name": "red commander", "password": f"guess {len(guessed)}"}
                claimed = {"X-Forwarded-For": f"127.0.1.{len(guessed) % 250}"}
                guessed.append(stranger.post(f"{url}/v1/log_in", json=asked, headers=claimed).status_code)

    with running(tmp_path, free_port()) as station, Client(station.url) as client:
        thread = threading.Thread(target=guess, args=[station.url])
        thread.start()
        try:
            wait_for(lambda: 429 in guessed)
            tokens = [client.call(LogIn(name="red commander", password=PASSWORD)).token for _ in range(45)]
            wait_for(lambda: guessed.count(429) >= 45)
            asked = xmlrpc.client.dumps(({"name": "red commander", "password": "a guess"},), "log_in")
            with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.2")) as stranger:
                said = stranger.post(f"{station.url}/RPC2", content=asked).text
            assert "<int>429</int>" in said, "the other door counts the same"
        finally:
            is_over.set()
            thread.join()

    assert len(set(tokens)) == 45
    assert set(guessed) == {401, 429}
    assert guessed.count(401) < 15, "a stranger has few attempts, whatever address it claims"


def test_a_whole_network_of_ipv6_is_one_address() -> None:
    attempts = Attempts(lambda: 0.0)
    tried = [is_let(attempts, "ana", f"2001:db8:0:1::{one:x}") for one in range(10)]
    assert tried == [True] * 5 + [False] * 5
    assert is_let(attempts, "ana", "2001:db8:0:2::1")
    assert not is_let(attempts, "ana", "2001:db8:0:1::1%eth0")
    for address in ("10.0.0.7", "::ffff:10.0.0.7"):
        assert is_let(attempts, "bo", address)
    assert secrets.network_of("::ffff:10.0.0.7") == secrets.network_of("10.0.0.7")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl to make a certificate with")
def test_a_station_with_its_own_certificate_is_believed_by_those_who_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    certificate, key = tmp_path / "station.pem", tmp_path / "station.key"
    subject = ("-subj", "/CN=station", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2", "-nodes")
    made = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", *subject)
    subprocess.run(["openssl", *made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    port = free_port()
    where = ("--data", str(tmp_path / "data"), "--listen", f"127.0.0.1:{port}")
    door = ("--robots", f"tcp/127.0.0.1:{free_port()}")
    tls = ("--certificate", str(certificate), "--private-key", str(key))
    with started("station", *where, *door, *tls, says=f"answers at https://127.0.0.1:{port}"):
        with Client(f"https://127.0.0.1:{port}", verify=trusting(str(certificate))) as client:
            assert client.call(Hello()).name == "kumi"
        with (
            Client(f"https://127.0.0.1:{port}") as client,
            pytest.raises(StationGone, match="certificate verify failed"),
        ):
            client.call(Hello())
        with Client(f"http://127.0.0.1:{port}") as client, pytest.raises(StationGone):
            client.call(Hello())
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        asked = ["station", "log-in", f"https://127.0.0.1:{port}", "admin", "--certificate", str(certificate)]
        first = tmp_path / "data" / "admin-password"
        asked += ["--password-file", str(first)]
        assert main(asked) == 1
        assert (
            "log in with a new one of your own beside it, in --new-password-file." in capsys.readouterr().err
        )
        (tmp_path / "own").write_text(PASSWORD)
        assert main([*asked, "--new-password-file", str(tmp_path / "own")]) == 0
        assert main(["station", "robots"]) == 0
    assert first.exists()
    with started("station", *where, *door, *tls, says=f"answers at https://127.0.0.1:{port}"):
        assert not first.exists(), "it holds what is no password any more"
