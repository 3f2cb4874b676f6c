"""A real SLURM of one node on this machine, for tests: munged, slurmctld and slurmd of its own, ended by their ids."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import free_port, wait_for

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "squeue", "sinfo")
SERVERS = "/usr/sbin:/sbin"
READY = 30.0
"""Seconds in which the node is there."""
CONFIGURATION = """
ClusterName=kumi
SlurmctldHost=localhost
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmctldPort={controller}
SlurmdPort={node}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MpiDefault=none
ReturnToService=2
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=batch_sched_delay=0,sched_interval=1
KillWait=2
NodeName=localhost CPUs=2 RealMemory={memory} State=UNKNOWN
PartitionName=here Nodes=localhost Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str:
    """Return the programs of SLURM that are not installed here, with commas."""
    path = f"{os.environ['PATH']}:{SERVERS}"
    return ", ".join(name for name in PROGRAMS if shutil.which(name, path=path) is None)


@contextmanager
def slurm(folder: Path) -> Iterator[Mapping[str, str]]:
    """Start SLURM on loopback, and give the environment in which its commands find it."""
    environment = {
        **os.environ,
        "PATH": f"{os.environ['PATH']}:{SERVERS}",
        "SLURM_CONF": str(folder / "slurm.conf"),
    }
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    text = CONFIGURATION.format(
        user=getpass.getuser(), folder=folder, controller=free_port(), node=free_port(), memory=memory()
    )
    (folder / "slurm.conf").write_text(text, encoding="utf-8")
    munge = ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}"]
    munge += [f"--{name}-file={folder}/munge.{name}" for name in ("pid", "log", "seed")]
    servers: list[subprocess.Popen[bytes]] = []
    try:
        for command in (munge, ["slurmctld", "-D"], ["slurmd", "-D", "-N", "localhost"]):
            log = (folder / f"{command[0]}.said").open("wb")
            servers.append(
                subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            )
            log.close()
            if command is munge:
                wait_for((folder / "munge.socket").exists)
        wait_for_node(environment, folder)
        yield environment
    finally:
        for server in reversed(servers):
            server.terminate()
            try:
                server.wait(10.0)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def wait_for_node(environment: Mapping[str, str], folder: Path) -> None:
    wait_for(
        lambda: said(environment, "sinfo", "--noheader", "--format=%T") == "idle",
        lambda: "\n".join(path.read_text("utf-8", "replace")[-1000:] for path in folder.glob("*.said")),
    )


def said(environment: Mapping[str, str], *command: str) -> str:
    """Return what a command prints."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def memory() -> int:
    """Return the megabytes of this machine, less a tenth."""
    return int(0.9 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20)
