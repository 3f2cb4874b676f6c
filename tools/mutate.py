"""Would the tests notice if a line were wrong?

    python tools/mutate.py --mutants 200 --seed 1

Draws lines of `src/kumi` and `core` at random, changes one thing in each (a comparison, a sign, a number, a condition, a
call that is left out), and runs tests until one fails: the likeliest of the folders that own the changed one first, then
their others, then all that `make test` runs. A mutant for which none fails lives: either a test is missing, or the change
makes no difference that could be seen. The list of those that live ends the output, to be judged by a person.

Works on copies of the tracked files in `build/mutants`, one for each process; native mutants are built there. The tests are
collected once for each copy (`tools/trials.py`): a change inside of functions takes a fork of that process, any other a new
interpreter.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, islice
from pathlib import Path
from queue import Queue
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
COPIES = ROOT / "build" / "mutants"
LONGEST = 600
"""Seconds that a build may take."""
REFUSED = "no program"
LIVES = "LIVES"
OWNERS = {
    "core/numbers": ("maths", "devs"),
    "core/geometry": ("geometry", "motion", "world"),
    "core/plane": ("world", "motion", "sensing", "robot"),
    "core/python": ("devs", "maths", "safety"),
    "core/kernel": ("devs", "programs", "devstone", "distributed"),
    "core/objects": ("robot", "world", "motion", "recording", "geometry"),
    "core/grid": ("planning",),
    "core/mapf": ("planning",),
    "core/mapping": ("mapping",),
    "core/profile": ("planning",),
    "src/kumi/contract": ("robot", "motion", "devs"),
    "src/kumi/devs": ("devs", "programs"),
    "src/kumi/programs": ("programs", "convoy", "shipped"),
    "src/kumi/stage": ("stage", "scenario", "loop"),
    "src/kumi/study": ("study", "statistics"),
}
"""The folders of tests that own a folder of sources; any other is owned by the one of its name.

The runs that ship, whose hashes are known, own all of them.
"""


@dataclass(frozen=True)
class Mutant:
    """One change of one file, between two places in its text."""

    file: str
    begin: int
    end: int
    before: str
    after: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {shown(self.before)} -> {shown(self.after)}"


def shown(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.split()) or "nothing"


def main() -> int:
    """Try as many mutants as asked for, and list those that live."""
    parser = argparse.ArgumentParser(description="Change single lines, and see whether a test fails.")
    parser.add_argument("--mutants", type=int, default=200, help="how many to try")
    parser.add_argument("--seed", type=int, default=0, help="the same seed draws the same mutants")
    parser.add_argument("--only", default="", help="only files whose path has this regular expression")
    parser.add_argument("--near", action="store_true", help="only run tests of the owning folders")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    files = [name for name in tracked() if is_mutated(name) and re.search(asked.only, name)]
    drawn = list(draw(files, asked.mutants, random.Random(asked.seed)))
    copies: Queue[Copy] = Queue()
    for number in range(asked.processes):
        copies.put(Copy(COPIES / str(number)))
    lived, refused = [], 0

    def attempt(mutant: Mutant) -> tuple[Mutant, str]:
        copy = copies.get()
        try:
            return mutant, copy.verdict(mutant, far=not asked.near)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(asked.processes) as threads:
        for count, (mutant, verdict) in enumerate(threads.map(attempt, drawn), 1):
            print(f"{count:4d} of {len(drawn)}  {mutant}  {verdict}", flush=True)
            refused += verdict == REFUSED
            if verdict.startswith(LIVES):
                lived.append(mutant)
    print(f"\n{len(lived)} of {len(drawn) - refused} live:")
    for mutant in lived:
        print(f"  {mutant}")
    return 0


def tracked() -> list[str]:
    """Return the files of the repository, in order."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return sorted(filter(None, listed.stdout.split("\0")))


def is_mutated(name: str) -> bool:
    """Tell whether a file has logic: no tables, no stubs."""
    if name.startswith("src/kumi/"):
        return name.endswith(".py") and not name.endswith("__init__.py")
    return name.startswith("core/") and not name.endswith("tables.hpp")


def draw(files: Sequence[str], count: int, chance: random.Random) -> Iterator[Mutant]:
    """Yield different mutants: a random line with something to change, and one of the changes of it."""
    lines = [(name, line) for name in files for line in sorted({mutant.line for mutant in mutants_of(name)})]
    chance.shuffle(lines)
    choices = (
        [mutant for mutant in mutants_of(name) if mutant.line == line and is_a_program(mutant)]
        for name, line in lines
    )
    yield from map(chance.choice, islice(filter(None, choices), count))


@cache
def mutants_of(name: str) -> list[Mutant]:
    """Return every mutant of a file."""
    text = (ROOT / name).read_text()
    return list(python_mutants(name, text) if name.endswith(".py") else native_mutants(name, text))


# Python, by its syntax tree

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "//",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.LShift: ">>",
    ast.RShift: "<<",
}
TWINS = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "append": "appendleft",
    "sin": "cos",
    "cos": "sin",
}


class Changes(ast.NodeVisitor):
    """Collects what could be changed in a module: pairs of a node and what would stand there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.encode().splitlines(keepends=True)
        self.starts = [0, *accumulate(len(line.decode()) for line in self.lines)]
        self.found: list[tuple[ast.expr | ast.stmt, str]] = []

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return between which characters a node stands; a syntax tree counts the bytes of a line."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        ends = (node.lineno - 1, node.col_offset), (node.end_lineno - 1, node.end_col_offset)
        begin, end = [self.starts[line] + len(self.lines[line][:byte].decode()) for line, byte in ends]
        return begin, end

    def source(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node."""
        begin, end = self.span(node)
        return self.text[begin:end]

    def visit_If(self, node: ast.If) -> None:
        """Leave out what is for type checkers; turn a condition round."""
        if "TYPE_CHECKING" in self.source(node.test):
            return
        self.found.append((node.test, f"not ({self.source(node.test)})"))
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Look at the body and the defaults alone: annotations and decorators say nothing that runs."""
        if node.name in {"__repr__", "__str__"}:
            return
        for part in (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body):
            self.visit(part)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        """Look at it as at another function."""
        self.visit_FunctionDef(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Look at the value alone."""
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave the words of errors alone."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """Leave assertions alone: they are for type checkers."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Leave texts alone."""

    def visit_Compare(self, node: ast.Compare) -> None:
        """Take the bound out of a comparison, or turn it round."""
        left, operator, right = self.source(node.left), node.ops[0], self.source(node.comparators[0])
        if len(node.ops) == 1:
            self.found.append((node, f"{left} {COMPARISONS[type(operator)]} {right}"))
        else:  # a <= b < c: each bound by itself
            second = self.source(node.comparators[1])
            other = COMPARISONS[type(node.ops[1])]
            self.found.append(
                (node, f"{left} {COMPARISONS[type(operator)]} {right} {symbol(node.ops[1])} {second}")
            )
            self.found.append((node, f"{left} {symbol(operator)} {right} {other} {second}"))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Drop one clause after the other, or join them the other way."""
        word = "or" if isinstance(node.op, ast.And) else "and"
        clauses = [self.source(value) for value in node.values]
        self.found.append((node, f"({f' {word} '.join(f'({clause})' for clause in clauses)})"))
        for number in range(len(clauses)):
            rest = [clause for place, clause in enumerate(clauses) if place != number]
            own = " and " if word == "or" else " or "
            self.found.append((node, f"({own.join(f'({clause})' for clause in rest)})"))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Drop a sign or a `not`."""
        if isinstance(node.op, ast.Not | ast.USub):
            self.found.append((node, f"({self.source(node.operand)})"))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Compute with another operator."""
        if (other := OPERATORS.get(type(node.op))) and not isinstance(
            node.left, ast.Constant | ast.JoinedStr
        ):
            self.found.append((node, f"({self.source(node.left)}) {other} ({self.source(node.right)})"))
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        """Leave alone what only makes a record smaller."""
        if node.arg != "slots":
            self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Take another number, or the other truth."""
        if isinstance(node.value, bool):
            self.found.append((node, str(not node.value)))
        elif isinstance(node.value, int):
            self.found.append((node, str(node.value + 1)))
        elif isinstance(node.value, float):
            self.found.append((node, repr(node.value * 1.5 + 0.5)))

    def visit_Call(self, node: ast.Call) -> None:
        """Take the smallest for the greatest."""
        if isinstance(node.func, ast.Name) and (other := TWINS.get(node.func.id)):
            self.found.append((node.func, other))
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Leave out a call."""
        if isinstance(node.value, ast.Call):
            self.found.append((node, "pass"))
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Leave out what an object would remember."""
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
            return
        if isinstance(node.targets[0], ast.Attribute | ast.Subscript):
            self.found.append((node, "pass"))
        self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Leave out a count."""
        self.found.append((node, "pass"))
        self.visit(node.value)

    def visit_Return(self, node: ast.Return) -> None:
        """Look at what is returned."""
        if node.value is not None:
            self.visit(node.value)


def symbol(operator: ast.cmpop) -> str:
    """Return how a comparison is written."""
    return {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}.get(
        type(operator), "is"
    )


def python_mutants(name: str, text: str) -> Iterator[Mutant]:
    """Yield the mutants of a Python file."""
    changes = Changes(text)
    changes.visit(ast.parse(text))
    for node, after in changes.found:
        begin, end = changes.span(node)
        whole = f"({after})" if "\n" in after else after
        yield Mutant(name, begin, end, text[begin:end], whole, node.lineno)


def is_a_program(mutant: Mutant) -> bool:
    """Tell whether a file with a mutant in it can be read as Python; of C++ the compiler decides."""
    if mutant.file.endswith(".py"):
        try:
            ast.parse(apply((ROOT / mutant.file).read_text(), mutant))
        except SyntaxError:
            return False
    return True


# C++, by its words: clang-format puts blanks around operators

NATIVE: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
    (
        re.compile(r" (<=?|>=?) (?!\w+>)"),
        lambda found: {"<": " <= ", "<=": " < ", ">": " >= ", ">=": " > "}[found[1]],
    ),
    (re.compile(r" (==|!=) "), lambda found: {"==": " != ", "!=": " == "}[found[1]]),
    (re.compile(r" (&&|\|\|) "), lambda found: {"&&": " || ", "||": " && "}[found[1]]),
    (
        re.compile(r" ([+\-*/]) (?=[\w(])"),
        lambda found: {"+": " - ", "-": " + ", "*": " / ", "/": " * "}[found[1]],
    ),
    (re.compile(r"\b(true|false)\b"), lambda found: {"true": "false", "false": "true"}[found[1]]),
    (re.compile(r"\bstd::(min|max)\("), lambda found: {"min": "std::max(", "max": "std::min("}[found[1]]),
    (re.compile(r"(?<![\w.])(\d+)(?![\w.])"), lambda found: str(int(found[1]) + 1)),
    (re.compile(r"\bif \((?=[^;]*\)(?: |$))(?!constexpr)"), lambda _: "if (!"),
    (re.compile(r"(\+\+|--)(?=\w)"), lambda found: {"++": "--", "--": "++"}[found[1]]),
    (re.compile(r"(?<=[ (])!(?=[\w(])"), lambda _: ""),
    (re.compile(r"^ +[\w.\->]+\([^;{}]*\);$"), lambda _: ";"),
    (re.compile(r"^ +[\w.\->\[\]]+ [+\-]?= [^;{}]*;$"), lambda _: ";"),
]


def native_mutants(name: str, text: str) -> Iterator[Mutant]:
    """Yield what may be mutants of a C++ file: the compiler decides."""
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        code = re.sub(
            r'"(\\.|[^"\\])*"', lambda found: '"' + "." * (len(found[0]) - 2) + '"', line.split("//")[0]
        )
        if not code.lstrip().startswith(("#", "template", "static_assert", "raise(", "return raise")):
            for pattern, change in NATIVE:
                for found in pattern.finditer(code.rstrip("\n")):
                    begin, end = start + found.start(), start + found.end()
                    yield Mutant(name, begin, end, text[begin:end], change(found), number)
        start += len(line)


def apply(text: str, mutant: Mutant) -> str:
    """Return a text with a mutant in it."""
    return text[: mutant.begin] + mutant.after + text[mutant.end :]


# Tests


class Copy:
    """A copy of the checkout, in which mutants are tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.rmtree(folder / "tests", ignore_errors=True)
        for name in (*tracked(), *page()):
            place = folder / name
            if not place.exists() or place.read_bytes() != (ROOT / name).read_bytes():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, place)
        self.warm = Tests(folder, ["tests"], is_native=False)
        self.unsteady: list[str] = []

    def verdict(self, mutant: Mutant, *, far: bool) -> str:
        """Return which test noticed a mutant, or that it lives."""
        place = self.folder / mutant.file
        original = place.read_text()
        place.write_text(apply(original, mutant))
        try:
            begun = time.monotonic()
            is_native = not mutant.file.endswith(".py")
            if is_native and not self.build():
                return REFUSED
            order = {"file": mutant.file, "line": mutant.line, "near": owners(mutant.file)}
            answer = "cold"
            if not is_native:
                answer = self.warm.ask(**order, before=original, far=far)
            if answer == "cold":
                answer = self.try_cold(order, is_native=is_native)
            if answer == LIVES and far and is_native:
                answer = self.try_cold(order | {"near": ["."]}, is_native=is_native)
            return f"{answer}, {time.monotonic() - begun:.0f} s"
        finally:
            place.write_text(original)

    def try_cold(self, order: dict[str, Any], *, is_native: bool) -> str:
        """Try a mutant in a new interpreter."""
        tests = Tests(self.folder, [f"tests/{folder}" for folder in order["near"]], is_native=is_native)
        try:
            while True:
                answer = tests.ask(**order, before="", far=order["near"] == ["."], without=self.unsteady)
                found, _, test = answer.partition(" by ")
                if found != "found" or self.warm.ask(check=test) == LIVES:
                    return answer
                self.unsteady.append(test)
        finally:
            tests.end()

    def build(self) -> bool:
        """Build the core of this copy, quickly: its answers do not depend on the optimisation."""
        build = self.folder / "build" / "core"
        options = {
            "CMAKE_BUILD_TYPE": "Mutant",
            "CMAKE_CXX_FLAGS_MUTANT": "-O1",
            "CMAKE_MAKE_PROGRAM": BIN / "ninja",
            "Python_EXECUTABLE": BIN / "python",
        }
        settings = [f"-D{name}={value}" for name, value in options.items()]
        where = ["-S", str(self.folder), "-B", str(build), "-G", "Ninja"]
        return quietly(["cmake", *where, *settings]) and quietly(["cmake", "--build", str(build)])


class Tests:
    """Tests that a process has collected, and tries on one mutant after the other."""

    def __init__(self, folder: Path, tests: Sequence[str], *, is_native: bool) -> None:
        (their_orders, orders), (answers, their_answers) = os.pipe(), os.pipe()
        environment = os.environ | {
            "KUMI_EXAMPLES": "0.3",
            "KUMI_PATIENCE": "60",
            "KUMI_SOURCES": str(folder / "src"),
            "KUMI_TRIALS": f"{their_orders} {their_answers}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join([str(ROOT / "tools" / "another"), str(folder)]),
        }
        if is_native:
            environment["KUMI_CORE"] = str(folder / "build" / "core")
        options = ["-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "tools.trials"]
        self.process = subprocess.Popen(
            [BIN / "python", "-m", "pytest", *options, *tests],
            cwd=folder,
            env=environment,
            pass_fds=(their_orders, their_answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_orders)
        os.close(their_answers)
        self.orders, self.answers = os.fdopen(orders, "w"), os.fdopen(answers)
        self.is_ready = self.answers.readline() == "ready\n"

    def ask(self, **order: Any) -> str:
        """Return what becomes of a mutant, or of a test without one."""
        if not self.is_ready:
            return "found while tests are collected"
        self.orders.write(f"{json.dumps(order)}\n")
        self.orders.flush()
        while (answer := self.answers.readline().rstrip("\n")).startswith("note: "):
            print(answer, flush=True)
        return answer

    def end(self) -> None:
        """End the process."""
        self.orders.close()
        self.answers.close()
        self.process.kill()
        self.process.wait()


def quietly(command: Sequence[str]) -> bool:
    """Run a command of the environment, and tell whether it ended well and in time."""
    running = subprocess.Popen(
        [BIN / command[0], *command[1:]],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return running.wait(LONGEST) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        subprocess.run(["pkill", "-KILL", "-s", str(running.pid)], check=False)
        running.wait()


def page() -> list[str]:
    """Return the files of the built page, which is not tracked."""
    return [str(path.relative_to(ROOT)) for path in (ROOT / "src" / "kumi" / "view" / "page").glob("*")]


def owners(name: str) -> list[str]:
    """Return the folders of tests that own a file."""
    parts = name.removesuffix(".py").split("/")
    owned = OWNERS.get("/".join(parts[: 2 if parts[0] == "core" else 3]), (parts[2],))
    return [*filter(lambda folder: (ROOT / "tests" / folder).is_dir(), owned), "golden"]


if __name__ == "__main__":
    sys.exit(main())
