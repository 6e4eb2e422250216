"""Documents alone, for summaries that were released without them: they are joined by the document's id.

A record: the id under `group`, `doc_id`, `document_id`, `source_id`, `article_id`, `meeting_id`, `hash` or `id`, and the
text under any name that a document has in a file of pairs, a list of sentences or `contexts`. A dialogue of MediaSum is the
lists `speaker` and `utt`: as for TofuEval, each utterance is a line after its speaker's name; its turns are contexts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import FIELD_NAMES, RecordPlace
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.text import NamedText, join_contexts, parse_contexts
from core.types import Example, Item

_IDS = ("group", "doc_id", "document_id", "source_id", "article_id", "meeting_id", "hash", "id")


@DATASETS.add
class Documents(Importer):
    """A file of documents, each an item without a summary; its `group` is that of the summaries it belongs to."""

    name: ClassVar[str] = "documents"
    title: ClassVar[str] = "Documents to join"
    licence: ClassVar[str] = "your own"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files([source], _item)


def _item(row: Row, _: RecordPlace) -> list[Item]:
    group = fields.text(row, _first_known(row, _IDS))
    if "utt" in row:
        speakers, utterances = fields.texts(row, "speaker"), fields.texts(row, "utt")
        if len(speakers) != len(utterances):
            raise TouchstoneError(f"The field 'utt' has {len(utterances)} texts for {len(speakers)} of 'speaker'.")
        lines = enumerate(zip(speakers, utterances, strict=True), start=1)
        turns = [NamedText(f"turn {number}", f"{speaker}: {text}", is_turn=True) for number, (speaker, text) in lines]
    else:
        named = next((name for name in FIELD_NAMES["contexts"] if row.get(name)), "")
        turns = parse_contexts(row[named]) if named else []
    document, contexts = join_contexts(turns)
    if not turns:
        name = _first_known(row, FIELD_NAMES["document"])
        document = "\n".join(fields.texts(row, name)) if isinstance(row[name], list) else fields.text(row, name)
    return [Item(Example(f"document-{group}", document, "", contexts), group=group)]


def _first_known(row: Row, names: tuple[str, ...]) -> str:
    field = next((name for name in names if name in row), "")
    if not field:
        raise TouchstoneError(f"There is no {' or '.join(names)}. The fields here are {', '.join(row)}.")
    return field
