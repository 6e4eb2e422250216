"""The shifts of a run: how each metric's score of a variant differs from that of its original."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.stress.records import Meaning, Reading, Run
from core.text import words
from core.types import Edit


@dataclass(frozen=True, slots=True)
class Shift:
    """Both scores of one metric on one variant; None where the metric failed. `words` were changed by the edits."""

    source: str
    kind: str
    metric: str
    group: str
    domain: str
    before: float | None
    after: float | None
    words: int

    @property
    def size(self) -> float | None:
        """After minus before, in the metric's own units."""
        return None if self.before is None or self.after is None else self.after - self.before


def shifts(run: Run, verified: Iterable[Meaning] | None = None) -> list[Shift]:
    """Every shift whose two scores were read; only of variants that a person found to be one of `verified`, if given."""
    wanted = None if verified is None else frozenset(verified)
    return [
        _shift(run, reading)
        for (source, kind, metric), reading in run.readings.items()
        if kind and (source, "", metric) in run.readings and (wanted is None or _meaning(run, source, kind) in wanted)
    ]


def changed_words(summary: str, edits: Iterable[Edit]) -> int:
    """How many words the edits take away or bring in, whichever is more, summed over the edits."""
    return sum(max(len(words(edit.span.of(summary))), len(words(edit.new))) for edit in edits)


def _shift(run: Run, reading: Reading) -> Shift:
    source = run.sources[reading.source]
    return Shift(
        source=reading.source,
        kind=reading.kind,
        metric=reading.metric,
        group=source.group,
        domain=source.domain,
        before=run.readings[reading.source, "", reading.metric].value,
        after=reading.value,
        words=changed_words(source.example.summary, run.variants[reading.source, reading.kind].edits),
    )


def _meaning(run: Run, source: str, kind: str) -> Meaning | None:
    opinion = run.opinions.get((source, kind))
    return opinion.meaning if opinion else None
