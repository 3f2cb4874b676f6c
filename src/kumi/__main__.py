"""Lets `python -m kumi` be the same as `kumi`."""

import sys

from kumi.cli import main

sys.exit(main())
