"""Tries mutants on tests that are collected once: a part of `tools/mutate.py`, loaded by pytest in the copy of the checkout.

Each order comes as a line of JSON. A process of its own, forked from the one that has collected the tests, takes the changed
functions over and runs tests, the likeliest first, until one fails; the tests that have no word in common with the
changed lines come last. A test that fails is tried again without the change, and counts only if it passes then.
"""

from __future__ import annotations

import ast
import gc
import inspect
import json
import math
import os
import re
import resource
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, groupby
from pathlib import Path
from types import CodeType, FunctionType
from typing import NoReturn

import pytest

LONGEST = 40
"""Seconds that one test may work: a mutant that computes for ever is found."""
IDLE, WORK = 60.0, 0.5
"""Seconds on the wall, and of work: a test whose processes work less in that time waits for what never comes."""
LIKELIEST = 60
"""So many tests are tried in the order of likelihood alone; the others stay together by files, which share fixtures."""
NONE, FOUND, COLD = 0, 10, 11
"""How a process says that no test failed, that one did, or that a mutant needs an interpreter of its own."""
SLOW = {"PATIENCE", "subprocess", "wait_for", "read_line", "sync_playwright", "browser"}
"""Words of tests that take long."""
WORD = re.compile(r"[A-Za-z_]\w{2,}")


def pytest_configure(config: pytest.Config) -> None:
    """Listen for orders, where `tools/mutate.py` has started this."""
    config.pluginmanager.register(Trials(*map(int, os.environ["KUMI_TRIALS"].split())))


class Trials:
    """Carries out one order after the other, in place of a run of all tests."""

    def __init__(self, orders: int, answers: int) -> None:
        self.orders, self.answers = os.fdopen(orders), os.fdopen(answers, "w")
        self.unsteady: set[str] = set()
        self.found: dict[str, Counter[str]] = {}
        self.notes, self.noted = os.pipe()
        self.under_way = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Answer each order with how it ended, and the test that failed."""
        self.say("ready")
        for line in self.orders:
            order = json.loads(line)
            if test := order.get("check"):
                self.say(self.check(session.items, test))
            else:
                self.say(self.carry_out(session.items, **order))
        return True

    def say(self, answer: str) -> None:
        """Write a line at once."""
        self.answers.write(f"{answer}\n")
        self.answers.flush()

    def check(self, items: Sequence[pytest.Item], test: str) -> str:
        """Tell whether a test passes as things are."""
        chosen = [item for item in items if item.nodeid == test]
        return "LIVES" if chosen and self.run(chosen, "", "")[0] == NONE else "fails"

    def carry_out(
        self,
        items: Sequence[pytest.Item],
        *,
        file: str,
        before: str,
        line: int,
        near: list[str],
        far: bool,
        without: Sequence[str] = (),
    ) -> str:
        """Try one mutant, whose text is in the file already; `before` is the text that was there."""
        is_warm = before != ""
        chosen = [item for item in items if item.nodeid not in self.unsteady.union(without)]
        known = self.found.setdefault(file, Counter())
        words = words_around(before or Path(file).read_text(), line, file)
        ordered = ranked(chosen, words, near, known, far=far)
        while True:
            code, test = self.run(ordered, file if is_warm else "", before)
            if code == COLD or (is_warm and code == FOUND and not test):
                return "cold"
            if code == NONE:
                return "LIVES"
            if not test:
                return "found before any test"
            if is_warm and not self.passes_otherwise(items, test, file, before):
                self.unsteady.add(test)
                self.say(f"note: {test} fails without the change, too")
                place = next(number for number, item in enumerate(ordered) if item.nodeid == test)
                ordered = ordered[place + 1 :]  # those before it have passed
                continue
            known[test] += 1
            return f"found by {test}"

    def passes_otherwise(self, items: Sequence[pytest.Item], test: str, file: str, before: str) -> bool:
        """Tell whether a test passes without the change."""
        after = Path(file).read_text()
        Path(file).write_text(before)
        try:
            return self.check(items, test) == "LIVES"
        finally:
            Path(file).write_text(after)

    def run(self, items: Sequence[pytest.Item], file: str, before: str) -> tuple[int, str]:
        """Run tests in a process of their own until one fails; return how it ended, and at which test."""
        process = os.fork()
        if process == 0:
            self.be_tried(items, file, before)
        under_way = ""
        os.set_blocking(self.notes, False)
        worked, since = -1.0, time.monotonic()
        while not (ended := os.waitpid(process, os.WNOHANG))[0]:
            under_way = self.read_notes() or under_way
            if time.monotonic() - since > IDLE:
                if (now := work_of(process)) <= worked:
                    os.kill(process, signal.SIGKILL)
                worked, since = now + WORK, time.monotonic()
            time.sleep(0.02)
        under_way = self.read_notes() or under_way
        subprocess.run(["pkill", "-KILL", "-s", str(process)], check=False)  # what the tests have left
        code = os.waitstatus_to_exitcode(ended[1])
        return (code if code in {NONE, COLD} else FOUND), under_way

    def read_notes(self) -> str:
        """Return the last test that the process has begun since this was asked."""
        try:
            return os.read(self.notes, 1 << 20).decode().splitlines()[-1]
        except BlockingIOError:
            return ""

    def be_tried(self, items: Sequence[pytest.Item], file: str, before: str) -> NoReturn:
        """Run tests with a mutant, and end with the first that fails."""
        code = FOUND
        try:
            os.setsid()
            threading.main_thread()._set_native_id()  # type: ignore[attr-defined]  # before Python 3.13 a fork forgets to
            quiet = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(quiet, number)
            if file and not take_over(file, before):
                os._exit(COLD)
            for item, after in zip(items, [*items[1:], None], strict=True):
                os.write(self.noted, f"{item.nodeid}\n".encode())
                used = resource.getrusage(resource.RUSAGE_SELF)
                most = math.ceil(used.ru_utime + used.ru_stime) + LONGEST
                resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            code = NONE
        finally:
            os._exit(code)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """End at the first failure."""
        if report.failed:
            os._exit(FOUND)


def work_of(leader: int) -> float:
    """Return for how many seconds a process has worked with those of its session and all that they have started."""
    facts = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            numbers = place.read_text().rpartition(") ")[2].split()
            facts[int(place.parent.name)] = int(numbers[1]), int(numbers[3]), sum(map(int, numbers[11:15]))

    def is_ours(number: int) -> bool:
        while number in facts:
            parent, session, _ = facts[number]
            if leader in {number, session}:
                return True
            number = parent
        return False

    return sum(facts[number][2] for number in facts if is_ours(number)) / os.sysconf("SC_CLK_TCK")


def take_over(file: str, before: str) -> bool:
    """Give the functions that exist the code that they have in a file now, if the change is in functions alone."""
    path = str(Path(file).resolve())
    olds, news = (codes(compile(text, path, "exec")) for text in (before, Path(file).read_text()))
    changed = {key for key in olds.keys() | news.keys() if not alike(olds.get(key), news.get(key))}
    if any(key not in olds or key not in news or not key[2] for key in changed):
        return False
    gc.unfreeze()
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == path:
            key = key_of(function.__code__)
            if key in news:
                if len(function.__code__.co_freevars) != len(news[key].co_freevars):
                    return False
                function.__code__ = news[key]
    return True


Key = tuple[str, int, bool]


def codes(code: CodeType) -> dict[Key, CodeType]:
    """Return all code of a module by where it stands, and whether it is a function's."""
    found = {key_of(code): code}
    for part in code.co_consts:
        if isinstance(part, CodeType):
            found |= codes(part)
    return found


def key_of(code: CodeType) -> Key:
    """Return where code stands, and whether it is a function's: code of modules and classes runs once."""
    return code.co_qualname, code.co_firstlineno, bool(code.co_flags & inspect.CO_OPTIMIZED)


def alike(one: CodeType | None, two: CodeType | None) -> bool:
    """Tell whether code does the same, what is nested in it apart."""
    return one is not None and two is not None and essence(one) == essence(two)


def essence(code: CodeType) -> tuple[object, ...]:
    """Return what code does, without the lines it stands in."""
    constants = [repr(part) for part in code.co_consts if not isinstance(part, CodeType)]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars


# Which tests are likely to notice?


def words_around(text: str, line: int, file: str) -> Counter[str]:
    """Return the words of the function around a line; those of the line and the names around count more."""
    lines = text.splitlines()
    found: Counter[str] = Counter()
    begin, end, names = enclosing(text, line) if file.endswith(".py") else around(lines, line)
    for word in {*WORD.findall("\n".join(lines[begin - 1 : end]))}:
        found[word] = 1
    for word in WORD.findall(lines[line - 1]):
        found[word] = 2
    for word in [*names, *WORD.findall(Path(file).stem)]:
        found[word] = 4
    return found


def enclosing(text: str, line: int) -> tuple[int, int, list[str]]:
    """Return the first and the last line of the innermost function or class around a line, and all names around it."""
    begin, end, names = line, line, []
    for node in ast.walk(ast.parse(text)):  # the outer ones come first
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            assert node.end_lineno is not None
            if node.lineno <= line <= node.end_lineno:
                begin, end = node.lineno, node.end_lineno
                names.append(node.name)
    return begin, end, names


def around(lines: list[str], line: int) -> tuple[int, int, list[str]]:
    """Return the first and the last line of a C++ function, which begins and ends without indentation, and its name."""
    begin = next((n for n in range(line, 0, -1) if re.match(r"\w.*[({]$|\w.*\{", lines[n - 1])), line)
    end = next((n for n in range(line, len(lines)) if lines[n - 1].startswith("}")), len(lines))
    names = [
        part for name in re.findall(r"(\w+)\(", lines[begin - 1])[:1] for part in (name, *name.split("_"))
    ]
    return begin, end, names


def ranked(
    items: Sequence[pytest.Item], words: Counter[str], near: list[str], known: Counter[str], *, far: bool
) -> list[pytest.Item]:
    """Return the tests to try: first those that found other mutants of the file or share rare words, then near ones."""
    folders = tuple(f"tests/{name}" for name in (*(f"{folder}/" for folder in near), "test_records.py"))
    scores = {
        item: likeness(item, words) * (1.0 if item.nodeid.startswith(folders) else 0.6)
        + 20.0 * min(known[item.nodeid], 3)
        for item in items
    }
    ordered = sorted(items, key=lambda item: -scores[item])
    others = [item for item in ordered[LIKELIEST:] if far or item.nodeid.startswith(folders)]
    files = [list(group) for _, group in groupby(sorted(others, key=file_of), file_of)]
    files.sort(
        key=lambda group: (not group[0].nodeid.startswith(folders), -max(scores[item] for item in group))
    )
    return [*ordered[:LIKELIEST], *chain.from_iterable(files)]


def file_of(item: pytest.Item) -> Path:
    """Return the file of a test."""
    return item.path


def likeness(item: pytest.Item, words: Counter[str]) -> float:
    """Return how much a test has in common with a place in the sources."""
    own, whole = texts(item)
    shared = whole & words.keys()
    found = sum(words[word] * rarity(word) * (1.0 if word in own else 0.4) for word in shared)
    return found / (1.0 + math.sqrt(len(whole)) / 30.0) / (2.0 if whole & SLOW else 1.0)


def texts(item: pytest.Item) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a test and those of its whole file."""
    function = getattr(item, "function", None)
    function = getattr(getattr(function, "hypothesis", None), "inner_test", function)
    name = frozenset(WORD.findall(item.name))
    return name | words_of(function), name | words_in(item.path)


@cache
def words_of(function: object) -> frozenset[str]:
    """Return the words of a function."""
    try:
        return frozenset(WORD.findall(inspect.getsource(inspect.unwrap(function))))  # type: ignore[arg-type]
    except (OSError, TypeError):
        return frozenset()


@cache
def words_in(path: Path) -> frozenset[str]:
    """Return the words of a file."""
    return frozenset(WORD.findall(path.read_text())) if path.suffix == ".py" else frozenset()


@cache
def rarity(word: str) -> float:
    """Return how much a word tells: little where it stands in many files of tests."""
    files = list(test_files())
    holders = sum(word in words_in(path) for path in files)
    return math.log((1 + len(files)) / (1 + holders))


def test_files() -> Iterator[Path]:
    """Yield all files of tests."""
    yield from Path("tests").rglob("test_*.py")
