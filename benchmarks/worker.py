"""One measurement in this process: `python -m benchmarks.worker '{"module": …, "task": …, "params": …}'`.

The sample is printed as one line of JSON, the last line of the output.
"""

import json
import sys
from importlib import import_module


def main() -> None:
    order = json.loads(sys.argv[1])
    engine = import_module(f"benchmarks.{order['module']}")
    sample = getattr(engine, order["task"])(**order["params"])
    print(json.dumps(sample))


if __name__ == "__main__":
    main()
