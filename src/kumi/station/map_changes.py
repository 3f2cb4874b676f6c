"""What changed from one map to another, for robots that know the older one?

A map's table has lists, of obstacles and of terrain, which are long, and a few other values, which are not. Changes tell which
entries of each list are gone, by their places in the old list, and which are new, by their places in the new one; the other
values are told as they are now. Applied, they give exactly the new table. Where entries changed their order there are no
changes to tell, and the whole map is.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from kumi.station.records import Number, StationRecord

Table = dict[str, Any]


class ListChanges(StationRecord, frozen=True, kw_only=True):
    """What changed in a list: the places of what is gone, in the old one, and what is new, with its place in the new one."""

    removed: tuple[Number, ...] = ()
    added: tuple[tuple[Number, dict[str, Any]], ...] = ()


class MapChanges(StationRecord, frozen=True, kw_only=True):
    """What changed since a version of the map."""

    since: Number
    values: dict[str, Any]
    lists: dict[str, ListChanges]


def changes_between(since: int, old: Table, new: Table) -> MapChanges | None:
    """Return what makes the new table of the old one; None where entries changed their order."""
    names = [name for name, value in {**old, **new}.items() if isinstance(value, list)]
    lists = {name: _list_changes(old.get(name, []), new.get(name, [])) for name in names}
    values = {name: value for name, value in new.items() if name not in names}
    told = {name: change for name, change in lists.items() if change.removed or change.added}
    changes = MapChanges(since=since, values=values, lists=told)
    return changes if changed(old, changes) == new else None


def changed(old: Table, changes: MapChanges) -> Table:
    """Return the table that changes make of an old one."""
    new = dict(changes.values)
    for name, value in old.items():
        if isinstance(value, list):
            new[name] = _changed_list(value, changes.lists.get(name, ListChanges()))
    for name, change in changes.lists.items():
        if name not in old:
            new[name] = _changed_list([], change)
    return {name: value for name, value in new.items() if value != []}


def _list_changes(old: list[Any], new: list[Any]) -> ListChanges:
    left = Counter(map(_key, new))
    removed = []
    for place, entry in enumerate(old):
        if left[_key(entry)]:
            left[_key(entry)] -= 1
        else:
            removed.append(place)
    known = Counter(map(_key, old))
    added = []
    for place, entry in enumerate(new):
        if known[_key(entry)]:
            known[_key(entry)] -= 1
        else:
            added.append((place, entry))
    return ListChanges(removed=tuple(removed), added=tuple(added))


def _changed_list(old: list[Any], change: ListChanges) -> list[Any]:
    gone, new = set(change.removed), dict(change.added)
    kept = iter([entry for place, entry in enumerate(old) if place not in gone])
    size = len(old) - len(gone) + len(new)
    return [new[place] if place in new else next(kept) for place in range(size)]


def _key(entry: Any) -> bytes:
    return msgspec.json.encode(entry, order="sorted")
