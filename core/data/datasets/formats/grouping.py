"""Columns that name the document of a row: which repeated names are those of documents, and which begin again in joined files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from core.data.datasets.formats.text_files import Row

_KEY_NAME = re.compile(
    r"(.*[_ .-])?(id|ids|ref|key|url|uri|link|idx|index|no|number|nr|file|filename)|.*(id|ID|Id|Ref)"
)
_DOCUMENT_NAME = re.compile(
    r"doc|article|source|src|story|news|passage|dialog|transcript|report|text|bbc|cnn|url|uri|link|file"
)


def names_documents(rows: Sequence[Row], column: str, document: str) -> bool:
    """True if no value of a column stands beside two different documents."""
    documents = defaultdict[str, set[str]](set)
    for row in rows:
        documents[str(row.get(column))].add(str(row.get(document)))
    return all(len(texts) == 1 for texts in documents.values())


def begins_again(rows: Sequence[Row], column: str, document: str, summary: str) -> bool:
    """True if the names of a column are those of several files that were joined: all distinct, from the first one on again."""
    part, parts = set[str](), 1
    first = next((str(row.get(column)) for row in rows), "")
    content = {(str(row.get(document)), str(row.get(summary))) for row in rows if str(row.get(column)) == first}
    for row in rows:
        name = str(row.get(column))
        if name in part:
            if name != first:
                return False
            part, parts = set(), parts + 1
        part.add(name)
    return parts > 1 and len(content) > 1


class RestartingIds:
    """Names of samples in joined files: where the first name comes again with other texts, a part begins; `a` of part 2 is `a-2`."""

    def __init__(self) -> None:
        self._first, self._texts, self._part = "", ("", ""), 1

    def unique(self, name: str, texts: tuple[str, str]) -> str:
        """The name of a sample in its part. Texts are those of its document and summary."""
        if not self._first:
            self._first, self._texts = name, texts
        elif name == self._first and texts != self._texts:
            self._part += 1
            self._texts = texts
        return name if self._part == 1 else f"{name}-{self._part}"


def document_column(rows: Sequence[Row], columns: Sequence[str], named: Mapping[str, str]) -> str:
    """The column that names the documents of summaries without a document's text: a key whose values repeat; "" for none."""
    summaries = [str(row.get(named["summary"])) for row in rows]
    keys = []
    for column in columns:
        values = [str(row.get(column)) for row in rows]
        if not _KEY_NAME.fullmatch(column) or any(" " in value.strip() for value in values):
            continue
        # a key of each row or of a person names no document; one of documents has summaries of its own
        if 1 < len({*values}) < len(rows) and len({*zip(values, summaries, strict=True)}) >= len({*summaries}):
            keys.append(column)
    return next((key for key in keys if _DOCUMENT_NAME.search(key.lower())), "")
