"""Parts of one model on several processes or machines: in real time, or as fast as possible with equal results."""

from kumi.distributed.errors import DistributedError, PartFailed, PartLost
from kumi.distributed.partition import Partition
from kumi.distributed.results import DistributedRun, Kept
from kumi.distributed.run import run_distributed
from kumi.distributed.serve import join, serve
from kumi.distributed.whole import run_whole

__all__ = [
    "DistributedError",
    "DistributedRun",
    "Kept",
    "PartFailed",
    "PartLost",
    "Partition",
    "join",
    "run_distributed",
    "run_whole",
    "serve",
]
