"""WiCE (Kamoi et al. 2023): claims of Wikipedia and their parts, with the web pages that they cite.

A line: `label` (supported, partially_supported or not_supported), `claim`, `evidence` (a list of sentences), `supporting_sentences`
and `meta` {`id`, `claim_title`, …}. The files of non_supported_tokens also have `claim_tokens` and `non_supported_spans`, a
truth value for each token. The oracle chunks have the same claim several times, each with other evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from core.data.dataset import DATASETS, Importer, Refusal
from core.data.datasets.formats import fields, item_stream
from core.data.datasets.formats.item_stream import RecordPlace
from core.data.datasets.formats.table_files import file_rows
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import Example, Item, Judgement, Span, Split, Verdict

_SPLITS = {split.value: split for split in Split}
_TOKENS, _SPANS = "claim_tokens", "non_supported_spans"
_DERIVED_FOLDER = "entailment_inputs"
_TOKENS_FOLDER = "non_supported_tokens"


@DATASETS.add
@dataclass(frozen=True)
class Wice(Importer):
    """A train.jsonl, dev.jsonl or test.jsonl, or a folder of them; ids are those of `meta`.

    Supported is consistent, not supported inconsistent, and partially supported what `partial` says: inconsistent, as the
    authors evaluate, or borderline. Marked tokens of a folder are joined to the claims of the same id.
    """

    name: ClassVar[str] = "wice"
    title: ClassVar[str] = "WiCE"
    record_fields: ClassVar[frozenset[str]] = frozenset({"claim", "evidence", "supporting_sentences"})
    licence: ClassVar[str] = "ODC-BY-1.0 (claims: CC-BY-SA-4.0; evidence: Common Crawl terms)"
    release: ClassVar[str] = "claims, subclaims, non-supported tokens, oracle chunks"
    url: ClassVar[str] = "https://github.com/ryokamoi/wice"
    partial: str = "inconsistent"

    def __post_init__(self) -> None:
        if self.partial not in (Verdict.INCONSISTENT, Verdict.BORDERLINE):
            raise TouchstoneError(f"partial must be inconsistent or borderline; got {self.partial!r}.")

    def read(self, source: Path) -> Iterator[Item | Refusal]:
        files = item_stream.matching_files(source, *(f"{split}.jsonl" for split in Split))
        paths = [path for path in files if source.is_file() or _DERIVED_FOLDER not in path.parts] or files
        marked = [path for path in paths if path.parent.name == _TOKENS_FOLDER]
        claims = [path for path in paths if path not in marked] or marked
        lines = [row for path in marked for _, row in file_rows(path)] if claims != marked else []
        marks = {fields.text(fields.record(row, "meta"), "id"): row for row in lines if not isinstance(row, str)}
        return item_stream.items_of_files(claims, _Converter(Verdict(self.partial), marks).items)


@dataclass(frozen=True, slots=True)
class _Converter:
    """The items of a record, with the marks of its claim from another file."""

    partial: Verdict
    marks: dict[str, Row]
    chunks: Counter[str] = field(default_factory=Counter)

    def items(self, row: Row, place: RecordPlace) -> list[Item]:
        meta = fields.record(row, "meta")
        name, claim = fields.text(meta, "id"), fields.text(row, "claim")
        if "chunk_idx" in meta:
            self.chunks[name] += 1
            name = f"{name}/{self.chunks[name]}"
        document = "\n".join(fields.texts(row, "evidence"))
        verdicts = {
            "supported": Verdict.CONSISTENT,
            "partially_supported": self.partial,
            "not_supported": Verdict.INCONSISTENT,
        }
        verdict, label = fields.choice(row, "label", verdicts), fields.text(row, "label").strip().lower()
        spans = _unsupported_spans(claim, row if _TOKENS in row else self.marks.get(name, {}))
        return [
            Item(
                Example(name, document, claim),
                intended=verdict,
                domain=place.path.parent.name,
                group=fields.document_key(document),
                title=fields.optional(meta, "claim_title"),
                judgements=tuple(Judgement(name, "annotators", Verdict.INCONSISTENT, span) for span in spans),
                categories=() if verdict is Verdict.CONSISTENT else (label,),
                split=_SPLITS.get(place.path.stem),
            )
        ]


def _unsupported_spans(claim: str, row: Row) -> list[Span]:
    """The runs of unsupported tokens, found one after the other in the claim."""
    if not row:
        return []
    tokens, marks = fields.value(row, _TOKENS), fields.value(row, _SPANS)
    if not isinstance(tokens, list) or not isinstance(marks, list) or len(marks) != len(tokens):
        raise TouchstoneError(f"The fields {_TOKENS!r} and {_SPANS!r} must be lists of the same length.")
    spans: list[Span] = []
    begin, running = 0, False
    for token, unsupported in zip(tokens, marks, strict=True):
        start = claim.find(fields.clean_text(_TOKENS, token), begin)
        if start < 0:
            running = False
            continue  # a quote that the tokenizer spelt otherwise
        begin = start + len(str(token))
        if unsupported is True:
            spans = [*spans[:-1], Span(spans[-1].start, begin)] if running else [*spans, Span(start, begin)]
        running = unsupported is True
    return spans
