"""Programs that try to break out of the sandbox, and where the outcome of each says that it did not.

Run as a program, this tries those that come by name, a line each, and answers each with a line.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from msgspec.msgpack import encode

from kumi.station.sandbox.jail import MEGABYTE, CodeLimits
from kumi.station.sandbox.words import HaltWord, SteerWord
from tests.station.sandboxes import ran
from tests.waiting import PATIENCE

MAIN = "async def main(robot):\n"
WORD = "import os, struct\ndef word(data):\n    os.write(1, struct.pack('<I', len(data)) + data)\n"
C = "import ctypes\nC = ctypes.CDLL(None, use_errno=True)\n"
EVERYWHERE = """
import os
writable = []
for folder, folders, files in os.walk('/'):
    if folder.startswith('/proc/') and folder.split('/')[2].isdigit():
        folders.clear()
        continue
    for name in files:
        if folder == '/dev' or os.path.realpath(f'{folder}/{name}').startswith('/dev/'):
            continue
        try:
            os.close(os.open(f'{folder}/{name}', os.O_WRONLY | os.O_NONBLOCK))
            writable.append(f'{folder}/{name}')
        except OSError:
            pass
    try:
        os.mkdir(f'{folder}/evil')
        writable.append(folder)
    except OSError:
        pass
raise RuntimeError(f'writable: {writable}')
"""
ATTACKS = {
    "endless loop": ("while True: pass", "processor time"),
    "sleep": ("import time\nawait robot.turn(1)\ntime.sleep(1000)", "ran for more than"),
    "fork bomb": ("import os\nwhile True: os.fork()", "PermissionError"),
    "threads": ("import _thread\nwhile True: _thread.start_new_thread(lambda: input(), ())", "RuntimeError"),
    "subprocess": ("import subprocess\nsubprocess.run(['/bin/true'])", "PermissionError"),
    "become another program": ("import os\nos.execv('/bin/true', ['true'])", "without a word"),
    "memory hog": ("a = []\nwhile True: a.append(bytearray(10**7))", "MemoryError"),
    "shared mappings": ("import mmap\na = []\nwhile True: a.append(mmap.mmap(-1, 10**7))", "memory"),
    "a file of memory": ("import os\nos.memfd_create('x')", "PermissionError"),
    "a secret file of memory": (C + "assert C.syscall(447, 0) >= 0", "AssertionError"),
    "a shared segment": (C + "assert C.shmget(0, 10**8, 0o1600) >= 0", "AssertionError"),
    "a queue of messages": (C + "assert C.msgget(0, 0o1600) >= 0", "AssertionError"),
    "files in shared memory": ("open('/dev/shm/x', 'w')", "Read-only file system"),
    "pipes without end": (
        "import fcntl, os\na = []\nwhile True:\n    a.append(os.pipe()); fcntl.fcntl(a[-1][1], 1031, 1 << 20)",
        "OSError",
    ),
    "raise its limits": (
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)",
        "ValueError",
    ),
    "raise its priority": ("import os\nos.nice(-30)", "PermissionError"),
    "host files": ("print(open('/etc/passwd').read())", "FileNotFoundError"),
    "home": ("import os\nprint(os.listdir('/root'))", "FileNotFoundError"),
    "the repository": (
        f"import kumi, os\nprint(open({str(Path(__file__).resolve())!r}).read())",
        "FileNotFoundError",
    ),
    "environment of the parent": ("print(open('/proc/1/environ').read().split('KEY')[1])", "IndexError"),
    "the first process, without a filter": (
        "assert '\\nSeccomp:\\t2\\n' not in open('/proc/1/status').read()",
        "AssertionError",
    ),
    "write anywhere": (EVERYWHERE, "writable: []"),
    "settings of the kernel": ("open('/proc/sys/vm/overcommit_memory', 'w').write('1')", "OSError"),
    "the memory of the kernel": ("open('/proc/kcore', 'rb').read(1)", "Error"),
    "the reset of the machine": ("open('/proc/sysrq-trigger', 'w').write('b')", "Error"),
    "become root": ("import os\nos.setuid(0)", "Error"),
    "own what root owns": ("import os\nos.chmod('/usr/bin/env', 0o777)", "Read-only file system"),
    "a new device": ("import os\nos.mknod('/dev/disk', 0o60600, 0x800)", "Read-only file system"),
    "another root": ("import os\nos.chroot('/usr')", "PermissionError"),
    "a namespace": (C + "assert C.unshare(0x10000000) == 0", "AssertionError"),
    "a mount": (C + "assert C.mount(b'a', b'/usr', b'tmpfs', 0, b'') == 0", "AssertionError"),
    "a mount by a newer call": (C + "assert C.syscall(430, b'tmpfs', 0) >= 0", "AssertionError"),
    "a read-only mount made writable": (
        C + "assert C.mount(None, b'/usr', None, 0x20 | 0x1000, None) == 0",
        "AssertionError",
    ),
    "outside of its folder": ("open('/evil', 'w')", "Read-only file system"),
    "a file of its own": ("open('evil', 'w')", "Read-only file system"),
    "host processes": (
        "import os\nassert len([p for p in os.listdir('/proc') if p.isdigit()]) > 3",
        "AssertionError",
    ),
    "signals": ("import os, signal\nos.kill(PID, signal.SIGKILL)", "ProcessLookupError"),
    "network": ("import socket\nsocket.create_connection(('127.0.0.1', 7440))", "PermissionError"),
    "a network of kumi": (
        "import asyncio, kumi.network.udp\nasyncio.new_event_loop()",
        "PermissionError",
    ),
    "write outside": ("open('/usr/evil', 'w')", "Read-only file system"),
    "change kumi": ("import kumi\nopen(kumi.__file__, 'a')", "Error"),
    "a new module of kumi": ("open('/packages/kumi/evil.py', 'w')", "Read-only file system"),
    "talk without end": ("while True: print('x' * 1000)", "said more than"),
    "show without end": ("while True: robot.show('x', 'x' * 100000)", "said more than"),
    "ask without end": ("while True: robot.stop()", "called its robot more than 5000 times"),
    "a long word": ("import os\nos.write(1, b'x' * 10**6)", "at once"),
    "nonsense": (WORD + "word(b'nonsense')", "mean nothing"),
    "an unknown word": (WORD + "word(b'\\x92\\xa4Evil\\x01')", "mean nothing"),
    "a deep word": (
        WORD + f"word({encode(SteerWord(0))[:-1]!r} + b'\\x91' * 5000 + b'\\x01')",
        "mean nothing",
    ),
    "a command that is none": (
        "body = robot._body\nfrom kumi.geometry import Pose\nbody.steer(Pose(robot.position, 0.0))",
        "a robot takes commands",
    ),
    "another's device": (
        "robot._body.call(__import__('kumi.station.sandbox.words').station.sandbox.words.Ask('x', 'y'))",
        "there is no device 'x'",
    ),
    "no answer": (WORD + f"while True: word({encode(HaltWord())!r})", "ran for more than"),
    "leave without a word": ("import os\nos._exit(3)", "without a word"),
}


def attacked(name: str) -> str:
    """Return what came of an attack; AssertionError where it succeeded, or touched another process."""
    code, _ = ATTACKS[name]
    seconds = 5.0 if name in {"sleep", "no answer"} else PATIENCE
    processor = 60 if name == "write anywhere" else 4
    limits = CodeLimits(seconds=seconds, cpu_seconds=processor, memory=512 * MEGABYTE, calls=5000)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        done = ran(MAIN + indented(code.replace("PID", str(bystander.pid))), limits, patience=PATIENCE)
        assert bystander.poll() is None, "another process was touched"
        bystander.communicate(b"\n")
    assert not done.succeeded, f"{name}: {done.printed}"
    return done.outcome


def indented(code: str) -> str:
    """Return a text as the inside of a function."""
    return "".join(f"    {line}\n" for line in code.splitlines())


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(attacked(json.loads(line))) + "\n")
        sys.stdout.flush()
