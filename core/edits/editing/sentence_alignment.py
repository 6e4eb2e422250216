"""Origins of the sentences and list items of an edited summary in the original one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.text import edits as executable
from core.text import layout_units
from core.types import Edit, Span


def sentence_origins(original: str, edits: Sequence[Edit]) -> list[int | None]:
    """For each sentence or list item of the edited text the number, from 0, of the original sentence that it comes from.

    That is an equal sentence where there is one that no other comes from, as after a shuffle; otherwise the one that most
    of its characters were kept from; None for a sentence of new words only.
    """
    edited = executable.apply(original, edits)
    before, after = layout_units(original), layout_units(edited)
    places: dict[str, list[int]] = {}
    for number, span in enumerate(before):
        places.setdefault(span.of(original), []).append(number)
    equal = [places[words].pop(0) if places.get(words := span.of(edited)) else None for span in after]
    # stretches of the edited text that no edit touched, and how far each has moved from its place in the original.
    stretches, at, moved = [], 0, 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        stretches.append((Span(at + moved, edit.span.start + moved), moved))
        moved += len(edit.new) - (edit.span.end - edit.span.start)
        at = edit.span.end
    stretches.append((Span(at + moved, len(original) + moved), moved))
    origins: list[int | None] = []
    for span, same in zip(after, equal, strict=True):
        if same is not None:
            origins.append(same)
            continue
        shared: Counter[int] = Counter()
        for stretch, moved in stretches:
            start, end = max(span.start, stretch.start) - moved, min(span.end, stretch.end) - moved
            for number, sentence in enumerate(before):
                shared[number] += max(min(end, sentence.end) - max(start, sentence.start), 0)
        [(number, most)] = shared.most_common(1) or [(0, 0)]
        origins.append(number if most else None)
    return origins
