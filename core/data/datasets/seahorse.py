"""SEAHORSE (Clark et al. 2023): summaries in six languages with six answers of a rater each.

train.tsv, validation.tsv and test.tsv: `gem_id`, `worker_lang` (de, es-ES, en-US, ru, tr, vi), `summary`, `model`, and `question1` to
`question6` (comprehensible, no repetition, grammatical, attribution, main ideas, concise): Yes, Unsure or No, empty after No to the first.
The articles are those of GEM and are not in the files.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.types import ALL_JUDGES, Example, Item, Rating, Split, Verdict

_ASPECTS = ("comprehensible", "no repetition", "grammatical", "attribution", "main ideas", "concise")
_ATTRIBUTION = "question4"
_ANSWERS = {"yes": 1.0, "unsure": 0.5, "no": 0.0}
_VERDICTS = {"yes": Verdict.CONSISTENT, "unsure": Verdict.BORDERLINE, "no": Verdict.INCONSISTENT}
_SPLITS = {"train": Split.TRAIN, "validation": Split.DEV, "dev": Split.DEV, "test": Split.TEST}


@DATASETS.add
class Seahorse(Importer):
    """The three tables, or a folder with them; the label is the answer on attribution, and the language the domain.

    A summary that nobody could understand has no label. The articles are joined by their `gem_id`, with the importer `documents`. The
    folder `duplicates` is not read: its authors keep it apart.
    """

    name: ClassVar[str] = "seahorse"
    title: ClassVar[str] = "SEAHORSE"
    record_fields: ClassVar[frozenset[str]] = frozenset({"gem_id", "worker_lang", "summary", "model", "question4"})
    licence: ClassVar[str] = "CC-BY-4.0"
    release: ClassVar[str] = "96,000 summaries in German, English, Spanish, Russian, Turkish and Vietnamese"
    url: ClassVar[str] = "https://github.com/google-research-datasets/seahorse"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        paths = item_stream.matching_files(source, "train.tsv", "validation.tsv", "test.tsv")
        folder = source if source.is_dir() else source.parent
        return item_stream.items_of_files(
            [path for path in paths if "duplicates" not in path.relative_to(folder).parts], _item
        )


def _item(row: Row, place: RecordPlace) -> list[Item]:
    group, summary = fields.text(row, "gem_id"), fields.text(row, "summary")
    answered = fields.clean_text(_ATTRIBUTION, fields.value(row, _ATTRIBUTION)).strip()
    ratings = [
        Rating(ALL_JUDGES, aspect, fields.choice(row, f"question{number}", _ANSWERS))
        for number, aspect in enumerate(_ASPECTS, 1)
        if fields.optional(row, f"question{number}")
    ]
    return [
        Item(
            Example(f"{place.path.stem}-{place.number}", "", summary),
            intended=fields.choice(row, _ATTRIBUTION, _VERDICTS) if answered else None,
            domain=fields.text(row, "worker_lang"),
            group=group,
            system=fields.text(row, "model"),
            split=_SPLITS.get(place.path.stem),
            ratings=tuple(ratings),
        )
    ]
