"""QAGS (Wang et al. 2020): summaries whose sentences three people each called supported by the article or not.

A record: `article`, `summary_sentences` [{`sentence`, `responses` [{`worker_id`, `response` yes | no}]}]. The score of a
summary is the share of its sentences that a majority supports.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import ALL_JUDGES, Example, Item, Rating, Verdict

_SUPPORTED = {"yes": 1.0, "no": 0.0}
_SYSTEMS = {"cnndm": "Bottom-Up", "xsum": "BART"}
_ASPECT = "consistency"


@DATASETS.add
class Qags(Importer):
    """A `mturk_*.jsonl`, or a folder of them; ids are `<corpus>-<line>` from 0, in the order of UniEval's copy.

    A summary counts as consistent where a majority supports each of its sentences.
    """

    name: ClassVar[str] = "qags"
    title: ClassVar[str] = "QAGS"
    record_fields: ClassVar[frozenset[str]] = frozenset({"article", "summary_sentences"})
    licence: ClassVar[str] = "none stated"
    release: ClassVar[str] = "235 CNN/DM and 239 XSum summaries"
    url: ClassVar[str] = "https://github.com/W4ngatang/qags"

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        return item_stream.items_of_files(item_stream.matching_files(source, "mturk_*.jsonl"), _item)


def _item(row: Row, place: RecordPlace) -> list[Item]:
    corpus, document = place.path.stem.removeprefix("mturk_"), fields.text(row, "article")
    sentences = fields.records(row, "summary_sentences")
    if not sentences:
        raise TouchstoneError("The field 'summary_sentences' is empty: there is no summary.")
    summary = " ".join(fields.text(sentence, "sentence") for sentence in sentences)
    votes: list[Rating] = []
    supported = []
    for number, sentence in enumerate(sentences):
        responses = fields.records(sentence, "responses")
        if not responses:
            raise TouchstoneError(f"The field 'responses' of sentence {number + 1} is empty: nobody judged it.")
        own = [
            Rating(
                f"worker-{fields.text(response, 'worker_id')}",
                _ASPECT,
                fields.choice(response, "response", _SUPPORTED),
                number,
            )
            for response in responses
        ]
        votes += own
        supported.append(fsum(vote.value for vote in own) * 2 > len(own))
    return [
        Item(
            Example(f"{corpus}-{place.number - 1}", document, summary),
            intended=Verdict.CONSISTENT if all(supported) else Verdict.INCONSISTENT,
            domain=corpus,
            group=fields.document_key(document),
            system=_SYSTEMS.get(corpus, ""),
            ratings=(Rating(ALL_JUDGES, _ASPECT, sum(supported) / len(supported)), *votes),
        )
    ]
