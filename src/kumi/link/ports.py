"""Where do the bytes of a link come from and go to?

A `Port` is one end of a line of bytes: a serial port, a TCP socket, or the near end of a
pseudo-terminal, whose far end another program opens as if it were a serial port. All three read with a
time-out, take what is written at once, and raise `PortGone` when the other end has left: the cable was
pulled, the connection was closed, the adapter was removed.

`open_port` takes a name: `socket://host:port` is a TCP socket, anything else a serial port.
"""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import select
import socket
import termios
import threading
import tty
from contextlib import suppress
from time import monotonic, sleep
from typing import Protocol, Self
from urllib.parse import urlsplit

from kumi.devs.errors import KumiError

BAUD_RATES = (9600, 19200, 38400, 57600, 115200)
"""Baud rates in bits a second, from the slowest to the fastest that packet robots offer."""

RATES = {rate: getattr(termios, f"B{rate}") for rate in BAUD_RATES}
"""What the system calls them."""

CHUNK = 4096
"""Bytes; no read gives more."""

PORT_TIMEOUT = 2.0
"""Seconds that opening a connection and writing to a stuck line may take."""
LET_GO = 1.0
"""Seconds to wait for a port that another program has open: one that ends may hold it a little longer."""


class LinkPortError(KumiError):
    """A port that cannot be opened."""


class PortGone(LinkPortError):
    """A port whose other end has left, or that was closed."""


class Port(Protocol):
    """One end of a line of bytes."""

    @property
    def name(self) -> str:
        """What to open to get it."""

    def read(self, timeout: float = 0.0) -> bytes:
        """Wait at most so many seconds; return what has come by then, b"" for nothing."""

    def write(self, data: bytes) -> None:
        """Give bytes to the line."""

    def close(self) -> None:
        """Let the line go; may be called twice."""


def open_port(name: str, *, baud: int = 9600) -> Port:
    """Open a port by its name, or say in one sentence why that is not possible."""
    check_baud(baud)
    if name.startswith("socket://"):
        return SocketPort.connect(name)
    if "://" in name:
        raise LinkPortError(f"a port is a device such as /dev/ttyUSB0 or socket://HOST:PORT, not {name!r}")
    return SerialPort(name, baud)


def check_baud(baud: int) -> int:
    """Return a baud rate, or say which there are."""
    if baud not in BAUD_RATES:
        raise LinkPortError(f"a baud rate is one of {', '.join(map(str, BAUD_RATES))}, not {baud!r}")
    return baud


class SerialPort:
    """A serial port of this machine: 8 data bits, no parity, 1 stop bit, for one program at a time."""

    def __init__(self, name: str, baud: int = 9600) -> None:
        self.name = name
        self.baud = check_baud(baud)
        until = monotonic() + LET_GO
        while True:
            try:
                self._line = opened(name, RATES[baud])
            except (OSError, ValueError, termios.error) as error:
                if getattr(error, "errno", None) == errno.EAGAIN and monotonic() < until:
                    sleep(LET_GO / 50)
                    continue
                raise LinkPortError(f"the port {name} cannot be opened: {_cause(error)}") from error
            return

    def read(self, timeout: float = 0.0) -> bytes:
        """Wait at most so many seconds for bytes."""
        try:
            ready, _, _ = select.select([self._line], [], [], timeout)
            data = os.read(self._line, CHUNK) if ready else b""
        except BlockingIOError:
            return b""
        except (OSError, ValueError) as error:
            raise PortGone(f"the port {self.name} is gone: {_cause(error)}") from error
        if ready and not data:
            raise PortGone(f"the port {self.name} is gone: the other end has left")
        return data

    def write(self, data: bytes) -> None:
        """Give bytes to the line."""
        until = monotonic() + PORT_TIMEOUT
        try:
            while data:
                _, ready, _ = select.select([], [self._line], [], max(0.0, until - monotonic()))
                if not ready:
                    raise PortGone(f"the port {self.name} is gone: it took nothing for {PORT_TIMEOUT:g} s")
                with suppress(BlockingIOError):
                    data = data[os.write(self._line, data) :]
        except (OSError, ValueError) as error:
            raise PortGone(f"the port {self.name} is gone: {_cause(error)}") from error

    def close(self) -> None:
        """Let the port go."""
        if self._line >= 0:
            with suppress(OSError):
                os.close(self._line)
        self._line = -1


def opened(name: str, rate: int) -> int:
    """Open a serial device at a rate, as the system calls it, for nobody else; drop what came before."""
    line = os.open(name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        settings = termios.tcgetattr(line)
        fcntl.flock(line, fcntl.LOCK_EX | fcntl.LOCK_NB)
        kept = settings[2] & ~(termios.CSIZE | termios.PARENB | termios.CSTOPB | termios.CRTSCTS)
        modes = kept | termios.CS8 | termios.CREAD | termios.CLOCAL
        signs = [*settings[6]]
        signs[termios.VMIN], signs[termios.VTIME] = 1, 0
        termios.tcsetattr(line, termios.TCSANOW, [0, 0, modes, 0, rate, rate, signs])
        termios.tcflush(line, termios.TCIFLUSH)
    except BaseException:
        os.close(line)
        raise
    return line


class SocketPort:
    """A TCP connection as a line of bytes."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        self.name = name
        self._connection = connection
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(PORT_TIMEOUT)

    @classmethod
    def connect(cls, name: str) -> Self:
        """Connect to `socket://host:port`."""
        host, port = place_of(name)
        try:
            return cls(socket.create_connection((host, port), timeout=PORT_TIMEOUT), name)
        except OSError as error:
            raise LinkPortError(f"nobody answers at {name}: {_cause(error)}") from error

    def read(self, timeout: float = 0.0) -> bytes:
        """Wait at most so many seconds for bytes."""
        try:
            ready, _, _ = select.select([self._connection], [], [], timeout)
            data = self._connection.recv(CHUNK) if ready else b""
        except (OSError, ValueError) as error:
            raise PortGone(f"the connection {self.name} is gone: {_cause(error)}") from error
        if ready and not data:
            raise PortGone(f"the connection {self.name} is gone: the other side closed it")
        return data

    def write(self, data: bytes) -> None:
        """Give bytes to the line."""
        try:
            self._connection.sendall(data)
        except OSError as error:
            raise PortGone(f"the connection {self.name} is gone: {_cause(error)}") from error

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


class PtyPair:
    """A pseudo-terminal: this end is a port, and `name` is a device that others open as a serial port.

    `baud` is the rate of a far end that sets none; a terminal carries bytes at any rate.

    While nobody has the other end open, what is written here waits in the terminal, and reading gives
    nothing, as with a cable that is not plugged in.
    """

    def __init__(self, baud: int = 9600) -> None:
        self._near, self._far = pty.openpty()
        tty.setraw(self._far)
        rate = RATES[check_baud(baud)]
        settings = termios.tcgetattr(self._far)
        termios.tcsetattr(self._far, termios.TCSANOW, [*settings[:4], rate, rate, settings[6]])
        os.set_blocking(self._near, False)
        self.name = os.ttyname(self._far)

    @property
    def baud(self) -> int | None:
        """The rate that was set at the far end, in bits a second; None where it is none of `BAUD_RATES`."""
        speed = termios.tcgetattr(self._near)[5]
        return next((rate for rate, known in RATES.items() if known == speed), None)

    def read(self, timeout: float = 0.0) -> bytes:
        """Wait at most so many seconds for bytes."""
        try:
            ready, _, _ = select.select([self._near], [], [], timeout)
            return os.read(self._near, CHUNK) if ready else b""
        except BlockingIOError:
            return b""
        except (OSError, ValueError) as error:
            raise PortGone(f"the pseudo-terminal {self.name} is gone: {_cause(error)}") from error

    def write(self, data: bytes) -> None:
        """Give bytes to the line; what a full terminal does not take is lost, as on a line that nobody reads."""
        while data:
            try:
                data = data[os.write(self._near, data) :]
            except BlockingIOError:
                return
            except OSError as error:
                raise PortGone(f"the pseudo-terminal {self.name} is gone: {_cause(error)}") from error

    def close(self) -> None:
        """Let both ends go."""
        for end in (self._near, self._far):
            with suppress(OSError):
                os.close(end)
        self._near = self._far = -1


class ListeningPort:
    """A TCP server as a line of bytes, for one at a time: who connects later waits until the first has left.

    While nobody is connected, reading gives nothing and what is written is lost, as with a cable that is not
    plugged in.
    """

    def __init__(self, name: str) -> None:
        host, port = place_of(name)
        try:
            self._listener = socket.create_server((host, port), backlog=1)
        except OSError as error:
            raise LinkPortError(f"cannot listen at {name}: {_cause(error)}") from error
        self.name = f"socket://{host}:{self._listener.getsockname()[1]}"
        self._listener.setblocking(False)
        self._guest: SocketPort | None = None
        self._lock = threading.Lock()

    def read(self, timeout: float = 0.0) -> bytes:
        """Wait at most so many seconds for bytes, or for somebody to connect."""
        guest = self._welcome(timeout)
        if guest is None:
            return b""
        try:
            return guest.read(timeout)
        except PortGone:
            self._part(guest)
            return b""

    def write(self, data: bytes) -> None:
        """Give bytes to who is connected."""
        guest = self._welcome(0.0)
        if guest is not None:
            try:
                guest.write(data)
            except PortGone:
                self._part(guest)

    def close(self) -> None:
        """End the connection and take no more."""
        self.hang_up()
        self._listener.close()

    def hang_up(self) -> None:
        """End the connection, and take the next."""
        guest = self._guest
        if guest is not None:
            self._part(guest)

    def _welcome(self, timeout: float) -> SocketPort | None:
        """Return who is connected; reading and writing may happen in two threads, and one of them finds out."""
        try:
            if self._listener.fileno() < 0:
                raise PortGone(f"the port {self.name} is gone: it was closed")
            if self._guest is None and select.select([self._listener], [], [], timeout)[0]:
                with self._lock:
                    if self._guest is None:
                        self._guest = SocketPort(self._listener.accept()[0], self.name)
        except BlockingIOError:  # who wanted to connect has left again
            return None
        except (OSError, ValueError) as error:
            raise PortGone(f"the port {self.name} is gone: {_cause(error)}") from error
        return self._guest

    def _part(self, guest: SocketPort) -> None:
        with self._lock:
            if self._guest is guest:
                self._guest = None
        guest.close()


def place_of(name: str) -> tuple[str, int]:
    """Return the host and the port in `socket://host:port`."""
    parts = urlsplit(name)
    try:
        port = parts.port
    except ValueError:
        port = None
    if port is None or parts.scheme != "socket" or not parts.hostname or parts.path not in {"", "/"}:
        raise LinkPortError(
            f"a connection is named socket://HOST:PORT, such as socket://localhost:7000, not {name!r}"
        )
    return parts.hostname, port


def _cause(error: Exception) -> str:
    """Say why the system refused."""
    number = getattr(error, "errno", None)
    said = str(error)
    if number == errno.EIO:
        return "the other end has left"
    if number == errno.EACCES:
        return "this user has no right to it; `kumi doctor` tells how to get it"
    if number == errno.EAGAIN:
        return "another program has it open"
    if isinstance(error, termios.error):
        return "it is no serial port"
    if isinstance(number, int):
        return os.strerror(number)
    return said or type(error).__name__
