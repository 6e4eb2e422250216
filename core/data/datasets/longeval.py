"""LongEval-PubMed (Krishna et al. 2023), as released with LongDocFACTScore: fine-grained faithfulness of long summaries.

pubmed_fine_scores.json: `story` (`article_<i>_<system>`) and `score`, one percentage of faithful units an annotator.
pubmed_summary_src_doc_data.json: one object, `source_doc` and `summary` by story; human summaries have no scores, and
those of models begin with the marker of their decoder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import fsum
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.json_files import json_object
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import ALL_JUDGES, Example, Item, Rating

_TEXTS = "pubmed_summary_src_doc_data.json"
_ASPECT = "faithfulness"
_MARKER = re.compile(r"\s*<(pad|s)>\s*")


@DATASETS.add
class LongEval(Importer):
    """The folder with both files, or the scores, whose texts lie beside them or are to be joined later.

    An item is named after its story; the figure "all" is the mean of the annotators.
    """

    name: ClassVar[str] = "longeval"
    title: ClassVar[str] = "LongEval-PubMed"
    record_fields: ClassVar[frozenset[str]] = frozenset({"story", "score"})
    licence: ClassVar[str] = "Apache-2.0"
    release: ClassVar[str] = "40 summaries with three annotators each"
    url: ClassVar[str] = "https://github.com/jbshp/LongDocFACTScore"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        folder = source.parent if source.is_file() else source
        files = sorted(folder.rglob(_TEXTS))
        texts = json_object(files[0]) if files else {}

        def convert(row: Row, _place: RecordPlace) -> list[Item]:
            story = fields.text(row, "story")
            group, _, system = story.removeprefix("article_").partition("_")
            story_texts = fields.record(texts, story) if texts else {}

            scores = fields.value(row, "score")
            if not isinstance(scores, list) or not scores:
                raise TouchstoneError(f"The field 'score' must be a list of numbers; got {str(scores)[:60]!r}.")
            levels = [fields.number({"score": score}, "score") for score in scores]

            summary = fields.optional(story_texts, "summary")
            marker = _MARKER.match(summary)
            item = Item(
                Example(
                    story, fields.optional(story_texts, "source_doc"), summary[marker.end() :] if marker else summary
                ),
                domain="pubmed",
                group=f"article_{group}",
                system=system,
                ratings=(
                    Rating(ALL_JUDGES, _ASPECT, fsum(levels) / len(levels)),
                    *(Rating(f"annotator-{number}", _ASPECT, score) for number, score in enumerate(levels, start=1)),
                ),
            )
            return [item]

        yield from item_stream.items_of_files(item_stream.matching_files(source, "pubmed_fine_scores.json"), convert)
