"""How are models put together?

An `Atomic` model has state and behaviour. A `Coupled` model holds others and says which ports lead
where; it has no behaviour of its own. Couplings are checked as they are made: both ports must belong
to the coupled model or to one of its direct components, in the right direction, with fitting types.

The same calls change the structure of a running model. Inside an instant they are checked at once and
take effect when the instant is over, so that nobody's step is disturbed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

from kumi._core import Atomic, InPort, OutPort, make_input, make_output, unwire, wire
from kumi.devs.errors import StructureError
from kumi.devs.ports import Port, Wires, check_types

T = TypeVar("T")
M = TypeVar("M", bound="Model")


class ModelHost(Protocol):
    """The run a model is part of, as far as a change of structure needs it."""

    def enter(self, model: Atomic) -> None:
        """Take an atomic model into the run."""

    def take_out(self, model: Atomic) -> None:
        """Take an atomic model out of the run."""

    def tell_change(self, tag: str, what: str) -> None:
        """Write a change of structure down in the trace."""

    def change(self, action: Callable[[], None]) -> None:
        """Make a change between two instants."""

    def retire(self, model: Model) -> None:
        """Cut the programs of a model that is about to leave."""


class Coupled:
    """A model made of models."""

    def __init__(self, name: str) -> None:
        check_name(name)
        self.name = name
        self.parent: Coupled | None = None
        self._host: ModelHost | None = None
        self._components: dict[str, Model] = {}
        self._ports: dict[str, Port] = {}
        self._wires = Wires()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.path}'>"

    @property
    def path(self) -> str:
        """Names from the root to here, joined by dots."""
        names = []
        at: Coupled | None = self
        while at is not None:
            names.append(at.name)
            at = at.parent
        return ".".join(reversed(names))

    @property
    def components(self) -> tuple[Model, ...]:
        """The models inside, in the order they were added."""
        return tuple(self._components.values())

    @property
    def inputs(self) -> tuple[InPort[Any], ...]:
        """Input ports in the order they were made."""
        return tuple(port for port in self._ports.values() if isinstance(port, InPort))

    @property
    def outputs(self) -> tuple[OutPort[Any], ...]:
        """Output ports in the order they were made."""
        return tuple(port for port in self._ports.values() if isinstance(port, OutPort))

    @property
    def couplings(self) -> tuple[tuple[Port, Port], ...]:
        """Pairs of ports coupled here; a pair coupled twice stands twice."""
        return tuple(self._wires)

    def __getitem__(self, name: str) -> Model:
        """Give the component of this name."""
        if name not in self._components:
            known = ", ".join(self._components) or "none"
            raise StructureError(f"'{self.path}' has no component {name!r}; it has: {known}")
        return self._components[name]

    def add_input(self, name: str, type: type[T]) -> InPort[T]:
        """Make an input port; couple it to inputs of components."""
        port: InPort[T] = make_input(self, self._free_port_name(name), type)
        self._ports[name] = port
        return port

    def add_output(self, name: str, type: type[T]) -> OutPort[T]:
        """Make an output port; couple outputs of components to it."""
        port: OutPort[T] = make_output(self, self._free_port_name(name), type)
        self._ports[name] = port
        return port

    def add(self, model: M) -> M:
        """Put a model inside, and give it back."""
        check_model(model, f"a component of '{self.path}'")
        if model.name in self._components:
            raise StructureError(f"'{self.path}' has a component named {model.name!r} already")
        if model.parent is not None:
            raise StructureError(
                f"'{model.path}' cannot be added to '{self.path}': it stands in another model"
            )
        if isinstance(model, Coupled) and (
            model is self or (model._components and model in _ancestors(self))
        ):
            raise StructureError(f"'{model.name}' cannot be added to '{self.path}': it would contain itself")
        if host_of(model) is not None or (isinstance(model, Atomic) and model.is_running):
            raise StructureError(
                f"'{model.name}' cannot be added to '{self.path}': it is part of a run already"
            )
        host = self._host
        if host is not None:
            check_tree(model)
        self._components[model.name] = model
        model.parent = self
        if host is not None:
            _set_host(model, host)
            host.change(lambda: self._let_in(model, host))
        return model

    def _let_in(self, model: Model, host: ModelHost) -> None:
        """Let a component enter the run, unless this model has left it; one that fails is taken out again."""
        if self._host is not host:
            return
        try:
            _enter(model, host)
        except BaseException:
            leave_run(model, host)
            for source, target in self._wires.at(model):
                self._wires.remove(source, target)
                unwire(source, target)
            del self._components[model.name]
            model.parent = None
            raise

    def remove(self, model: Model) -> None:
        """Take a component out, and with it every coupling of its ports."""
        check_model(model, f"what is removed from '{self.path}'")
        if self._components.get(model.name) is not model:
            raise StructureError(f"'{self.path}' has no component '{model.name}' to remove")
        host = self._host
        if host is not None:
            host.retire(model)
        for source, target in self._wires.at(model):
            self.uncouple(source, target)
        del self._components[model.name]
        if host is None:
            model.parent = None
        else:
            host.change(lambda: _leave(model, host))

    def couple(self, source: Port, target: Port) -> None:
        """Lead what comes out of `source` into `target`. Coupling twice carries everything twice."""
        self._check_coupling(source, target)
        if self._host is not None and _leads_to(target, source):
            raise StructureError(
                f"coupling '{source.path}' to '{target.path}' closes a loop without an atomic model in it"
            )
        self._wires.add(source, target)
        self._change("k", source, target, lambda: wire(source, target))

    def uncouple(self, source: Port, target: Port) -> None:
        """Undo one coupling of `source` to `target`."""
        self._check_ports(source, target)
        if not self._wires.remove(source, target):
            raise StructureError(f"'{source.path}' is not coupled to '{target.path}' in '{self.path}'")
        self._change("u", source, target, lambda: unwire(source, target))

    def _change(self, tag: str, source: Port, target: Port, action: Callable[[], None]) -> None:
        host = self._host
        if host is None:
            action()
            return

        def change() -> None:
            host.tell_change(tag, f"{source.path} -> {target.path}")
            action()

        host.change(change)

    def _check_ports(self, *ports: object) -> None:
        for port in ports:
            if not isinstance(port, InPort | OutPort):
                raise StructureError(f"a coupling in '{self.path}' joins two ports, but was given {port!r}")

    def _free_port_name(self, name: str) -> str:
        check_name(name, "port")
        if name in self._ports:
            raise StructureError(f"model '{self.path}' has a port named {name!r} already")
        return name

    def _check_coupling(self, source: Port, target: Port) -> None:
        self._check_ports(source, target)
        for port in (source, target):
            if port.owner is not self and self._components.get(port.owner.name) is not port.owner:
                raise StructureError(
                    f"port '{port.path}' cannot be coupled in '{self.path}': "
                    f"it belongs neither to '{self.path}' nor to one of its components"
                )
        if isinstance(source, InPort) is not (source.owner is self):
            raise StructureError(
                f"'{source.path}' cannot be the source of a coupling in '{self.path}'; "
                f"a source is an input of '{self.path}' or an output of a component"
            )
        if isinstance(target, OutPort) is not (target.owner is self):
            raise StructureError(
                f"'{target.path}' cannot be the target of a coupling in '{self.path}'; "
                f"a target is an output of '{self.path}' or an input of a component"
            )
        if source.owner is target.owner and source.owner is not self:
            raise StructureError(
                f"'{source.path}' cannot be coupled to '{target.path}': a model may not feed itself"
            )
        check_types(source, target)


Model = Atomic | Coupled


def atomics(model: Model) -> Iterator[Atomic]:
    """Give all atomic models of a tree, in the order they were added. Any depth will do."""
    stack: list[Model] = [model]
    while stack:
        at = stack.pop()
        if isinstance(at, Atomic):
            yield at
        else:
            stack.extend(reversed(at.components))


def coupled_models(model: Model) -> Iterator[Coupled]:
    """Give all coupled models of a tree, the outer before the inner."""
    stack: list[Model] = [model]
    while stack:
        at = stack.pop()
        if isinstance(at, Coupled):
            yield at
            stack.extend(reversed(at.components))


def host_of(model: Model) -> ModelHost | None:
    """Give the run a coupled model is part of."""
    return model._host if isinstance(model, Coupled) else None


def check_name(name: object, what: str = "model") -> None:
    """Raise unless this can be the name of a model or port."""
    if not isinstance(name, str) or not name or "." in name:
        raise StructureError(f"a {what}'s name may not be empty or contain a dot, but it is {name!r}")


def check_model(model: object, what: str) -> None:
    """Raise unless this is a model whose __init__ is complete."""
    if not isinstance(model, Atomic | Coupled):
        raise StructureError(f"{what} must be an Atomic or a Coupled model, not {model!r}")
    if getattr(model, "name", None) is None:
        raise StructureError(f"{type(model).__name__}.__init__ did not call super().__init__(name)")


def enter_run(model: Model, host: ModelHost) -> None:
    """Take a whole tree into a run, after checking it for loops of ports alone."""
    check_model(model, "what is run")
    if model.parent is not None:
        raise StructureError(f"'{model.path}' cannot be run by itself: it stands in another model")
    if host_of(model) is not None:
        raise StructureError(f"'{model.path}' is part of a run already")
    check_tree(model)
    _set_host(model, host)
    try:
        _enter(model, host)
    except BaseException:
        leave_run(model, host)
        raise


def leave_run(model: Model, host: ModelHost) -> None:
    """Take a whole tree out of a run; it can be run again, with its state and what is left of its waits."""
    for atomic in atomics(model):
        host.take_out(atomic)
    for coupled in coupled_models(model):
        coupled._host = None


def check_tree(model: Model) -> None:
    """Raise unless a whole tree of models can enter a run."""
    for atomic in atomics(model):
        if atomic.is_running:
            raise StructureError(f"'{atomic.path}' is part of a run already")
    check_loops(model)


def check_loops(model: Model) -> None:
    """Raise if some ports lead back to themselves without an atomic model between."""
    over: set[int] = set()
    starts: Iterator[Port] = (port for coupled in coupled_models(model) for port in coupled._ports.values())
    for start in starts:
        if id(start) in over:
            continue
        open_ports = {id(start)}
        stack = [(start, iter(_targets(start)))]
        while stack:
            at, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                stack.pop()
                open_ports.discard(id(at))
                over.add(id(at))
            elif id(target) in open_ports:
                loop = [port.path for port, _ in stack[[id(port) for port, _ in stack].index(id(target)) :]]
                raise StructureError(
                    "these couplings close a loop without an atomic model in it: "
                    + " -> ".join([*loop, loop[0]])
                )
            elif id(target) not in over and isinstance(target.owner, Coupled):
                open_ports.add(id(target))
                stack.append((target, iter(_targets(target))))


def _set_host(model: Model, host: ModelHost) -> None:
    for coupled in coupled_models(model):
        coupled._host = host


def _enter(model: Model, host: ModelHost) -> None:
    for atomic in atomics(model):
        if not atomic.is_running:  # it may have come in with a change of the same instant
            host.enter(atomic)


def _leave(model: Model, host: ModelHost) -> None:
    leave_run(model, host)
    model.parent = None


def _ancestors(model: Coupled) -> list[Coupled]:
    found = []
    at = model.parent
    while at is not None:
        found.append(at)
        at = at.parent
    return found


def _targets(port: Port) -> list[Port]:
    """Give the ports this one is coupled to, those of changes to come included."""
    holder = port.owner if isinstance(port, InPort) else port.owner.parent
    return holder._wires.targets(port) if isinstance(holder, Coupled) else []


def _leads_to(start: Port, goal: Port) -> bool:
    """Whether `goal` can be reached from `start` along couplings, without passing an atomic model."""
    seen: set[int] = set()
    stack: list[Port] = [start]
    while stack:
        port = stack.pop()
        if port is goal:
            return True
        if id(port) not in seen and isinstance(port.owner, Coupled):
            seen.add(id(port))
            stack.extend(_targets(port))
    return False
