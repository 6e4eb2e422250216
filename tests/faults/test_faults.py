"""A sample of the faults that `python -m tests.faults` injects each night."""

from __future__ import annotations

from tests.doubles.process import finish, start


def test_a_fault_of_the_system_leaves_a_journey_done_untouched_or_resumable() -> None:
    journeys = [argument for name in ("save a label", "backup", "score") for argument in ("--journey", name)]
    status, output, messages = finish(start("-m", "tests.faults", *journeys, "--each", "15", "--workers", "1"))
    assert (status, messages) == (0, ""), output
    assert "45 faults" in output
