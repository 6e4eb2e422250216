"""A sample of the faults that `python -m tests.faults` injects each night."""

from __future__ import annotations

from tests.doubles.process import start


def test_a_fault_of_the_system_leaves_a_journey_done_untouched_or_resumable() -> None:
    journeys = ("--journey", "save a label", "--journey", "score")
    with start("-m", "tests.faults", *journeys, "--each", "6", "--workers", "1") as process:
        output, messages = process.communicate()
    assert (process.returncode, messages) == (0, ""), output
    assert "12 faults" in output
