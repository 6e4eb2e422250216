"""Another Python process of the project, for what must hold across processes or from a bare start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def start(*arguments: str, **variables: str) -> subprocess.Popen[str]:
    """`python ARGUMENTS` in the root of the project, with these environment variables on top of ours."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a process, waited for."""
    output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors
