"""The progress of commands: on stderr, a bar on a terminal and lines elsewhere, and never between the lines of a result."""

from __future__ import annotations

import pty
import re
from collections.abc import Iterator
from contextlib import suppress
from threading import Event

import pytest

from core.results.runs.stress_run import Plan, RunRecord, ScoreRecord, Source, StressRun
from core.types import Example
from pages.commands.shared import messages
from pages.commands.shared.messages import print_status, show_run_progress, with_progress


def test_what_is_counted_is_given_on_unchanged(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(with_progress(iter("abc"), "letters")) == ["a", "b", "c"]
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_the_bar_is_drawn_on_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes it for a terminal
    monkeypatch.setenv("TERM", "xterm")
    for letter in with_progress(iter("abc"), "letters read", 3):
        print(letter)  # noqa: T201  # the result of a command
    shown = capsys.readouterr()
    assert shown.out == "a\nb\nc\n"
    assert "3/3" in shown.err
    assert "letters read" in shown.err


def test_a_message_stands_on_a_line_of_its_own_above_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    ours, theirs = pty.openpty()
    with open(theirs, "w", errors="backslashreplace") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        for _ in with_progress(iter("ab"), "letters read", 2):
            print_status("Submitted.")
    shown = _everything(ours).decode()
    assert shown.count("\x1b[2KSubmitted.\r\n") == 2  # the bar is erased before it


def _everything(terminal: int) -> bytes:
    """What was written to a terminal whose other side is closed: Linux gives it in pieces, then EIO."""
    read = bytearray()
    with suppress(OSError), open(terminal, "rb", buffering=0) as seen:
        while piece := seen.read(65_536):
            read += piece
    return bytes(read)


def test_a_run_says_at_its_end_how_many_scores_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    run = StressRun(Plan("run", (), ("rouge2",)))
    run.add(Source(Example("one", "It rained.", "Rain."), "one"))

    def records() -> Iterator[RunRecord]:
        record = ScoreRecord("one", "", "rouge2", 0.5)
        run.add(record)
        yield record

    show_run_progress(run, records())
    assert capsys.readouterr() == ("", "  1 of 1 scores in 0 s\n")


def test_elsewhere_lines_are_written_while_an_item_is_waited_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "_LINE_S", 0.01)
    written: list[str] = []
    enough = Event()

    def note(text: str) -> None:
        written.append(text)
        enough.set()

    monkeypatch.setattr(messages, "print_status", note)

    def slow() -> Iterator[str]:
        yield "a"
        assert enough.wait(20)

    assert list(with_progress(slow(), "letters", 5)) == ["a"]
    assert re.fullmatch(r"  0/5 letters, 0 s", written[0])
    assert capsys.readouterr() == ("", "")
