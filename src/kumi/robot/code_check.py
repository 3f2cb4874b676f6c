"""What is wrong with a program, as far as its text tells, and on which line?

The text is read and not run: what Python cannot read, a call that must be awaited and is not, a name that nobody
defines, a robot asked for what it does not have, and no program to run. What only a run can tell is left to the run.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from dis import get_instructions
from inspect import iscoroutinefunction
from types import CodeType

import msgspec

from kumi.robot.radio import Radio
from kumi.robot.robot import Robot

HINTED = (
    "after",
    "at",
    "chance",
    "every",
    "note",
    "now",
    "sleep",
    "sleep_until",
    "together",
    "unless",
    "until",
)
"""What programs import from kumi."""
SHOWING = {"print", "repr", "str", "bool", "float", "int", "len"}
"""Functions that await nothing of what they are given."""
IMPLIED = {"__name__", "__file__", "__doc__", "__builtins__", "__annotations__"}
"""Names that every module has."""


class Mistake(msgspec.Struct, frozen=True, order=True):
    """What is wrong on a line of a text."""

    line: int
    sentence: str


def mistakes_in(code: str, known: Iterable[str] | None) -> list[Mistake]:
    """Return what is wrong with the text of a program, line by line; `known` are the attributes of its robot.

    With None it is a text for others to import, which needs no program.
    """
    try:
        tree = ast.parse(code)
        module = compile(tree, "code", "exec", dont_inherit=True)
    except SyntaxError as error:
        return [Mistake(error.lineno or 1, f"Python cannot read this: {error.msg}.")]
    except (ValueError, RecursionError, MemoryError) as error:
        return [Mistake(1, f"Python cannot read this: {str(error) or 'it is nested too deeply'}.")]
    reading = Reading(tree)
    found = {
        *reading.never_awaited(),
        *unknown_names(tree, module),
    }
    if known is not None:
        found |= {*reading.unknown_to(set(known)), *no_program(tree)}
    return sorted(found)


class Reading:
    """The calls of a text, and what its robots are called."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._functions = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)]
        self._around = {inner: node for node in ast.walk(tree) for inner in ast.iter_child_nodes(node)}
        programs = programs_in(tree)
        self._programs = [function for function in programs if function.name == "main"] or programs
        self._robots = {robot_of(function) for function in self._programs} - {None}
        self._waits = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "kumi"
            for alias in node.names
            if alias.name in {"sleep", "sleep_until"}
        } | {function.name for function in self._functions}

    def never_awaited(self) -> Iterator[Mistake]:
        """Tell of calls that must be awaited, and of which nothing is done that could await them."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Call) and self._must_wait(node.func) and self._is_dropped(node):
                words = ast.unparse(node.func)
                yield Mistake(
                    node.lineno,
                    f"{words}(...) does nothing unless it is awaited: write `await {words}(...)`.",
                )

    def _must_wait(self, called: ast.expr) -> bool:
        return (isinstance(called, ast.Name) and called.id in self._waits) or (
            isinstance(called, ast.Attribute) and called.attr in AWAITED and root_of(called) in self._robots
        )

    def _is_dropped(self, value: ast.expr) -> bool:
        """Tell whether nobody can await a value: it stands alone, is asked about, or has a name that nobody hands on."""
        around = self._around[value]
        match around:
            case (
                ast.Expr() | ast.Compare() | ast.BoolOp() | ast.BinOp() | ast.UnaryOp() | ast.FormattedValue()
            ):
                return True
            case ast.If() | ast.While() | ast.Assert():
                return value is around.test
            case ast.Call():
                return isinstance(around.func, ast.Name) and around.func.id in SHOWING
            case ast.Return():
                return self._function_around(around) in self._programs
            case ast.Assign(targets=[ast.Name(id=name)]) if value is around.value:
                function = self._function_around(around)
                return function is not None and all(map(self._is_dropped, loads_of(name, function)))
        return False

    def _function_around(self, node: ast.AST) -> ast.AST | None:
        """Return the function that a statement belongs to; None for one of the module or of a class."""
        while (node := self._around.get(node, self._tree)) is not self._tree:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                return node
        return None

    def unknown_to(self, known: set[str]) -> Iterator[Mistake]:
        """Tell of what a robot is asked for and does not have; what the text gives it, it has."""
        asked = [
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in self._robots
        ]
        given = {node.attr for node in asked if not isinstance(node.ctx, ast.Load)}
        for node in asked:
            if node.attr not in known | given and not node.attr.startswith("__"):
                yield Mistake(node.lineno, f"A robot has no {node.attr!r}{meant(node.attr, known)}")


def unknown_names(tree: ast.Module, module: CodeType) -> Iterator[Mistake]:
    """Tell of names that nobody defines."""
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree)):
        return  # what they bring is known when they run
    defined = set(dir(builtins)) | IMPLIED | names_in(module, "STORE_NAME")
    defined |= {name for code in codes_in(module) for name in names_in(code, "STORE_GLOBAL")}
    for code in codes_in(module):
        known = defined | names_in(code, "STORE_NAME")  # a class has names of its own
        for step in get_instructions(code):
            if step.opname not in {"LOAD_GLOBAL", "LOAD_NAME"} or step.argval in known:
                continue
            name, line = step.argval, step.positions.lineno if step.positions else None
            yield Mistake(line or 1, f"Nothing is named {name!r} here{where_from(name, defined)}")


def names_in(code: CodeType, step: str) -> set[str]:
    """Return the names on which a piece of code does a step."""
    return {one.argval for one in get_instructions(code) if one.opname == step}


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Return a piece of code and all within it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes_in(inner)


def where_from(name: str, defined: set[str]) -> str:
    """End a sentence about a name with where it may come from."""
    if name in HINTED:
        return f": write `from kumi import {name}` above."
    return meant(name, defined | set(HINTED))


def no_program(tree: ast.Module) -> Iterator[Mistake]:
    """Tell that there is nothing to run."""
    programs = programs_in(tree)
    if len(programs) == 1 or any(one.name == "main" for one in programs):
        return
    if programs:
        names = ", ".join(one.name for one in programs)
        yield Mistake(programs[1].lineno, f"There are several programs: {names}; name the one to run `main`.")
        return
    plain = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    said = next((node for node in plain if node.name == "main"), None)
    if said is not None:
        yield Mistake(said.lineno, "`main` must be able to wait: write `async def main(robot):`.")
    else:
        yield Mistake(1, "There is no program: write `async def main(robot):` and what the robot does below.")


def programs_in(tree: ast.Module) -> list[ast.AsyncFunctionDef]:
    """Return the programs of a text: each `async def` of its own that can be called with a robot alone."""
    return [node for node in tree.body if isinstance(node, ast.AsyncFunctionDef) and takes_one(node.args)]


def takes_one(given: ast.arguments) -> bool:
    """Tell whether a function can be called with one thing."""
    positional = [*given.posonlyargs, *given.args]
    needed = len(positional) - len(given.defaults)
    can_take = bool(positional) or given.vararg is not None
    return needed <= 1 and can_take and all(default is not None for default in given.kw_defaults)


def loads_of(name: str, function: ast.AST) -> list[ast.expr]:
    """Return where a name is used in a function."""
    return [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]


def robot_of(function: ast.AsyncFunctionDef) -> str | None:
    """Return what a program calls its robot."""
    positional = [*function.args.posonlyargs, *function.args.args]
    return positional[0].arg if positional else None


def root_of(node: ast.expr) -> str | None:
    """Return the name that a chain of attributes, calls and indices begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def meant(word: str, known: Iterable[str]) -> str:
    """End a sentence about a word by asking whether one near to it was meant."""
    near = get_close_matches(word, sorted(one for one in known if not one.startswith("_")), 1)
    return f"; is {near[0]!r} meant?" if near else "."


def awaited_methods(*kinds: type) -> set[str]:
    """Return the names of methods that return something to await."""
    return {
        name
        for kind in kinds
        for name, method in vars(kind).items()
        if iscoroutinefunction(method)
        or str(getattr(method, "__annotations__", {}).get("return", "")).startswith("Awaitable")
    }


AWAITED = awaited_methods(Robot, Radio) | {"move_to", "next", "read"}
"""What of a robot, its radio, its sensors and its signals must be awaited; the core does not tell of its own."""
