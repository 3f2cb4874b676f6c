"""What was asked of a station is found again: the newest first, older ones on demand, by words."""

from __future__ import annotations

from kumi.station.operations.log import Audit
from tests.station.conftest import Little


def test_the_newest_entries_come_first_and_those_before_them_on_demand(little: Little) -> None:
    everything = little.call(Audit(limit=1000), "chief").entries
    newest = little.call(Audit(limit=3, newest=True), "chief")
    assert [one.operation for one in newest.entries][:1] == ["audit"]
    older = little.call(Audit(limit=3, newest=True, before=newest.last), "chief")
    assert [one.id for one in older.entries] == [newest.last - 1, newest.last - 2, newest.last - 3]
    found = little.call(Audit(limit=1000, words="Add_Person CHIEF"), "chief").entries
    assert [one.id for one in found] == [
        one.id for one in everything if (one.operation, one.about) == ("add_person", "chief")
    ]
    assert len(found) == 1
    assert little.call(Audit(words="%"), "chief").entries == ()
