"""A tiny kernel, as plain as can be: what the real one has to agree with.

Programs are generators that yield a function; it is given the task, and arranges for the task to be
resumed. All that is planned stands in one list, sorted by time and then by the order of planning.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from tests.programs.acts import SIGNALS, Act, Careless, CutBlock, Fail, Fire, Next, Oops, Scope, Sleep, shown
from tests.programs.acts import Together as TogetherAct

Program = Generator[Callable[["Task"], None], None, None]
Action = Callable[[], None]


class Cut(BaseException):
    """Ends the block of a scope; the whole task if it has none."""

    def __init__(self, scope: Block | None) -> None:
        super().__init__()
        self.scope = scope


class Interrupted(Exception):
    """What an unless block raises."""


class Block:
    """A scope of a task, cut or not."""

    def __init__(self) -> None:
        self.is_cut = False


class Task:
    """A program under way."""

    def __init__(self, program: Program, on_end: Callable[[Task], None]) -> None:
        self.program = program
        self.on_end = on_end
        self.blocks: list[Block] = []
        self.is_cut = False
        self.has_ended = False
        self.error: BaseException | None = None
        self.give_up: Action | None = None  # how to give up the present wait, if it may be cut


class Kernel:
    """The clock, what is planned, and who listens to what."""

    def __init__(self) -> None:
        self.now = 0.0
        self.plans: list[tuple[float, int, Action]] = []
        self.count = 0
        self.listeners: list[list[Action]] = [[] for _ in range(SIGNALS)]
        self.log: list[tuple[object, ...]] = []

    # Planning.

    def plan(self, time: float, action: Action) -> Action:
        """Plan something, and give the way to withdraw it."""
        self.count += 1
        entry = (time, self.count, action)
        self.plans.append(entry)

        def withdraw() -> None:
            if entry in self.plans:
                self.plans.remove(entry)

        return withdraw

    def run(self, until: float) -> None:
        """Do what is planned, in order."""
        while self.plans:
            entry = min(self.plans, key=lambda plan: plan[:2])
            if entry[0] > until:
                break
            self.plans.remove(entry)
            self.now = entry[0]
            entry[2]()
        self.now = until

    def fire(self, signal: int) -> None:
        """Tell all who listen, in the order they came."""
        for listener in list(self.listeners[signal]):
            if listener in self.listeners[signal]:
                listener()

    def listen(self, signals: tuple[int, ...], listener: Action) -> Action:
        """Listen to some signals, and give the way to stop it."""
        for signal in signals:
            self.listeners[signal].append(listener)

        def stop() -> None:
            for signal in signals:
                if listener in self.listeners[signal]:
                    self.listeners[signal].remove(listener)

        return stop

    # Tasks.

    def start(self, program: Program, on_end: Callable[[Task], None]) -> Task:
        """Start a task at this instant."""
        task = Task(program, on_end)
        self.plan(self.now, lambda: self.resume(task))
        return task

    def resume(self, task: Task, cut: bool = False) -> None:
        """Let a task go on to its next wait or its end; or raise the cut in it."""
        task.give_up = None
        try:
            wait = task.program.throw(cut_of(task)) if cut else next(task.program)
            wait(task)
        except StopIteration:
            self.end(task, None)
        except Cut as error:
            self.end(task, None if task.is_cut else error)
        except Exception as error:  # noqa: BLE001  # whatever ends a program is its end
            self.end(task, error)

    def end(self, task: Task, error: BaseException | None) -> None:
        """Note the end of a task."""
        task.has_ended = True
        task.error = error
        task.on_end(task)

    def cut_task(self, task: Task) -> None:
        """End a task at its present wait, or its next."""
        if not task.has_ended and not task.is_cut:
            task.is_cut = True
            self.wake_cut(task)

    def cut_block(self, task: Task, block: Block) -> None:
        """End a block of a task in the same way."""
        if block in task.blocks and not block.is_cut:
            block.is_cut = True
            self.wake_cut(task)

    def wake_cut(self, task: Task) -> None:
        """Resume a task with a cut, if it waits and may be cut; a wake that came first stays."""
        if task.give_up is not None:
            task.give_up()
            task.give_up = None
            self.plan(self.now, lambda: self.resume(task, cut=True))

    # Waits: each is yielded by a program.

    def sleep(self, task: Task, duration: float) -> Program:
        """Wait for a time."""

        def wait(task: Task) -> None:
            task.give_up = self.plan(self.now + duration, lambda: self.resume(task))

        check_cut(task)
        yield wait

    def next(self, task: Task, signals: tuple[int, ...]) -> Program:
        """Wait for an event."""

        def wait(task: Task) -> None:
            def told() -> None:
                stop()
                task.give_up = None
                self.plan(self.now, lambda: self.resume(task))

            stop = task.give_up = self.listen(signals, told)

        check_cut(task)
        yield wait


def cut_of(task: Task) -> Cut:
    """Give the cut of a task, or of the outermost of its blocks that are cut."""
    return Cut(None if task.is_cut else next(block for block in task.blocks if block.is_cut))


def check_cut(task: Task) -> None:
    """Raise where something around is cut: no wait begins there."""
    if task.is_cut or any(block.is_cut for block in task.blocks):
        raise cut_of(task)


class Together:
    """The tasks of a block."""

    def __init__(self, kernel: Kernel, owner: Task | None) -> None:
        self.kernel = kernel
        self.owner = owner
        self.block = Block()
        self.alive: list[Task] = []
        self.errors: list[BaseException] = []
        self.when_empty: Action | None = None

    def start(self, make: Callable[[Task], Program]) -> None:
        """Start a task in the block; it is told who it is."""
        own: list[Task] = []

        def program() -> Program:
            yield from make(own[0])

        own.append(self.kernel.start(program(), self.one_ended))
        self.alive.append(own[0])

    def one_ended(self, task: Task) -> None:
        """Go on without one; its error ends the others."""
        self.alive.remove(task)
        if task.error is not None:
            self.errors.append(task.error)
            self.cut()
        if not self.alive and self.when_empty is not None:
            self.when_empty()

    def cut(self) -> None:
        """End the tasks in their order, then the body."""
        for task in list(self.alive):
            self.kernel.cut_task(task)
        if self.owner is not None:
            self.kernel.cut_block(self.owner, self.block)

    def wait_empty(self, owner: Task, may_be_cut: bool) -> Program:
        """Wait until no task is left."""

        def wait(owner: Task) -> None:
            def told() -> None:
                self.when_empty = None
                owner.give_up = None
                self.kernel.plan(self.kernel.now, lambda: self.kernel.resume(owner))

            def give_up() -> None:
                self.when_empty = None

            self.when_empty = told
            owner.give_up = give_up if may_be_cut else None

        if may_be_cut:
            check_cut(owner)
        yield wait


class Interpreter:
    """Does acts on the reference kernel."""

    def __init__(self) -> None:
        self.kernel = Kernel()

    def run(self, acts: tuple[Act, ...], until: float) -> list[tuple[object, ...]]:
        """Do the acts in a task; give all that happened."""
        outside = Together(self.kernel, None)
        self.start(outside, acts, "main", None)
        main = outside.alive[0]
        self.kernel.run(until)
        self.kernel.cut_task(main)
        self.kernel.run(until)
        assert main.has_ended
        return self.kernel.log

    def start(self, group: Together, acts: tuple[Act, ...], name: str, around: Together | None) -> None:
        """Start a task that does some acts."""
        group.start(lambda task: self.do_task(task, acts, name, around))

    def do_task(self, task: Task, acts: tuple[Act, ...], name: str, around: Together | None) -> Program:
        """Do all a task has to do, and write down how it ended."""
        how: object = "done"
        try:
            yield from self.do_all(task, acts, name, around)
        except (Cut, Exception) as error:
            how = shown(error)
            raise
        finally:
            self.kernel.log.append((self.kernel.now, name, how))

    def do_all(self, task: Task, acts: tuple[Act, ...], name: str, around: Together | None) -> Program:
        """Do one act after the other, and write each down when it is done."""
        for number, act in enumerate(acts):
            place = f"{name}/{number}"
            yield from self.do(task, act, place, around)
            self.kernel.log.append((self.kernel.now, place, type(act).__name__))

    def do(self, task: Task, act: Act, place: str, around: Together | None) -> Program:
        """Do one act."""
        match act:
            case Sleep(duration):
                yield from self.kernel.sleep(task, duration)
            case Fire(signal):
                self.kernel.fire(signal)
            case Next(signals):
                yield from self.kernel.next(task, signals)
            case Fail():
                raise Oops
            case CutBlock() if around is not None:
                around.cut()
            case Careless(body):
                yield from self.do_carelessly(task, body, place, around)
            case Scope():
                yield from self.do_scope(task, act, place, around)
            case TogetherAct():
                yield from self.do_together(task, act, place)

    def do_carelessly(
        self, task: Task, acts: tuple[Act, ...], place: str, around: Together | None
    ) -> Program:
        """Do something, and go on after any error."""
        try:
            yield from self.do_all(task, acts, place, around)
        except Exception as error:  # noqa: BLE001  # that is what Careless means
            self.kernel.log.append((self.kernel.now, place, shown(error)))

    def do_scope(self, task: Task, act: Scope, place: str, around: Together | None) -> Program:
        """Do something in a block that signals and a time may end."""
        block = Block()
        task.blocks.append(block)

        def told() -> None:
            self.kernel.cut_block(task, block)

        stop = self.kernel.listen(act.signals, told)
        withdraw: Any = None if act.limit is None else self.kernel.plan(self.kernel.now + act.limit, told)
        try:
            yield from self.do_all(task, act.body, place, around)
        except Cut as cut:
            if cut.scope is not block:
                raise
            if act.raises:
                raise Interrupted from None
        finally:
            stop()
            if withdraw is not None:
                withdraw()
            task.blocks.remove(block)

    def do_together(self, task: Task, act: TogetherAct, place: str) -> Program:
        """Do something beside tasks; wait for them; let out what went wrong."""
        group = Together(self.kernel, task)
        task.blocks.append(group.block)
        ended_by: BaseException | None = None
        try:
            for number, acts in enumerate(act.tasks):
                self.start(group, acts, f"{place}.{number}", group)
            yield from self.do_all(task, act.body, place, group)
            if group.alive:
                yield from group.wait_empty(task, may_be_cut=True)
        except (Cut, Exception) as error:  # noqa: BLE001  # whatever ends the body ends the tasks
            ended_by = error
            for child in list(group.alive):
                self.kernel.cut_task(child)
            if group.alive:
                yield from group.wait_empty(task, may_be_cut=False)
        task.blocks.remove(group.block)
        errors = [*([] if ended_by is None or isinstance(ended_by, Cut) else [ended_by]), *group.errors]
        if len(errors) > 1:
            raise BaseExceptionGroup("several", errors)
        if errors:
            raise errors[0]
        if isinstance(ended_by, Cut) and ended_by.scope is not group.block:
            raise ended_by
