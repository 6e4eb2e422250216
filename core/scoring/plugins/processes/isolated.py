"""The start of the process of a framework, in whichever environment that has: it imports our code.

The command line of such a process is `ISOLATED_START`, the folder of our package, and what `core.scoring.plugins.processes.child` takes.
"""

from __future__ import annotations

import sys

from core.scoring.plugins.processes import child

ISOLATED_START = f"import sys; sys.path.append(sys.argv[1]); from {__name__} import main; main(*sys.argv[2:])"
"""A program for `python -I -c`, which imports nothing from the folder that it runs in, nor what users have installed."""

_ADVICE = "A scorer asks its model through Touchstone."


def main(number: str, memory: str, source: str) -> None:
    """Score by a module of ours with the libraries of this environment."""
    sys.path.pop()  # ours are found by our package, and the libraries beside it are not meant
    child.main(number, memory, source, _ADVICE)
