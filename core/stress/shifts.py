"""The shifts of a run: how each metric's score of a variant differs from that of its original."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from core.stress.records import Reading, Run, VariantKey
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


def shifts(run: Run, among: Container[VariantKey] | None = None) -> list[Shift]:
    """Every shift whose two scores were read; only of the variants `among` these, where they are given."""
    return [
        _shift(run, reading)
        for (source, kind, metric), reading in run.readings.items()
        if kind and (source, "", metric) in run.readings and (among is None or (source, kind) in among)
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
