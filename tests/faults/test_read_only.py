"""On a disk that cannot be written every journey ends in a sentence, or does what needs no writing, and changes nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.faults import small_disk
from tests.faults.harness import VARIABLES, Journey
from tests.faults.journeys import journeys
from tests.faults.observed import observe

JOURNEYS = [journey for journey in journeys() if journey.name not in {"train", "audit", "score with a model", "study"}]


@contextmanager
def read_only(disk: Path) -> Iterator[None]:
    for option in ("ro", "rw"):
        subprocess.run(["mount", "-o", f"remount,{option}", disk], check=True)
        if option == "ro":
            yield


def ended(journey: Journey) -> int:
    """Exit status of a journey."""
    try:
        journey.act()
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(end.code)
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    return 0


@pytest.mark.parametrize(
    "journey",
    [
        pytest.param(journey, id=journey.name, marks=() if journey.name == "save a label" else pytest.mark.slow)
        for journey in JOURNEYS
    ],
)
def test_a_disk_that_cannot_be_written_is_said(
    journey: Journey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    with small_disk(tmp_path / "disk") as disk:
        monkeypatch.chdir(disk)
        journey.prepare()
        capsys.readouterr()
        before = observe(disk)
        with read_only(disk):
            status = ended(journey)
        assert observe(disk) == before
        _, messages = capsys.readouterr()
        assert status == 0 or ("Traceback" not in messages and messages.strip())
        monkeypatch.chdir(tmp_path)
