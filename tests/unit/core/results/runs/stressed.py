"""A small stress run made by hand: every score is chosen, so that every figure is known."""

from __future__ import annotations

from core.results.runs.stress_run import Plan, ScoreRecord, Source, StressRun, Variant
from core.types import Edit, Example, Span

METRIC = "rouge2"  # higher is more consistent
SUMMARY = "The port was shut. Nobody was hurt."


def source(id: str, group: str = "") -> Source:
    return Source(Example(id, f"The port was shut on Monday ({id}).", SUMMARY), group or id, "news")


def variant(id: str, kind: str, words: int = 1) -> Variant:
    """A variant whose edit brings in so many words."""
    edit = Edit(Span(0, 3), " ".join(["Any"] * words))
    return Variant(id, kind, kind, edit.new + SUMMARY[3:], (edit,))


def run_of(
    shifts: dict[str, list[float | None]], metric: str = METRIC, words: int = 1, before: float = 0.5
) -> StressRun:
    """One source per place in the lists; its variant of a kind scores so much more than `before`, or failed."""
    run = StressRun(Plan("by hand", tuple(shifts), (metric,)))
    for place in range(max(map(len, shifts.values()))):
        run.add(source(f"s{place}"))
        run.add(ScoreRecord(f"s{place}", "", metric, before, "signed"))
    for kind, sizes in shifts.items():
        for place, size in enumerate(sizes):
            run.add(variant(f"s{place}", kind, words))
            value = None if size is None else before + size
            run.add(ScoreRecord(f"s{place}", kind, metric, value, "signed", "" if value is not None else "It broke."))
    return run
