"""Rows for each claim or sentence of a response as one record: the response, its claims with their places, and their labels as a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from core.data.datasets.formats.text_files import NumberedRow, Row

_CLAIM_NAMES = (
    *(
        "claim",
        "claim_text",
        "sentence",
        "sentence_text",
        "summary_sentence",
        "response_sentence",
        "summ_sent",
        "statement",
    ),
    *("fact", "atomic_fact", "proposition", "segment", "unit"),
)
_WHOLE_NAMES = (
    "response",
    "summary",
    "output",
    "answer",
    "generated_summary",
    "generated_text",
    "model_summary",
    "system_summary",
)
_MIN_HOLDING = 0.9  # of rows whose response is not shorter than its claim
_MIN_SHARE = 0.5  # of rows whose neighbour has the same response


def claim_columns(rows: Sequence[Row]) -> tuple[str, str] | None:
    """The columns of the response and of its claim, where rows after each other share a response and have claims of their own."""
    spelt = {"_".join(name.lower().replace("-", " ").split()): name for row in rows for name in row}
    claim = next((spelt[name] for name in _CLAIM_NAMES if name in spelt), "")
    whole = next((spelt[name] for name in _WHOLE_NAMES if name in spelt), "")
    if not claim or not whole or len(rows) < 2:
        return None
    responses, claims = ([row.get(column) for row in rows] for column in (whole, claim))
    if not all(isinstance(cell, str) and cell.strip() for cell in (*responses, *claims)):
        return None
    pairs = [*zip(responses, claims, strict=True)]
    shared = sum(before[0] == after[0] and before[1] != after[1] for before, after in pairwise(pairs))
    holds = sum(len(str(response)) >= len(str(part)) for response, part in pairs)
    return (whole, claim) if shared >= _MIN_SHARE * (len(rows) - 1) and holds >= _MIN_HOLDING * len(rows) else None


def merge_claims(lines: Iterator[NumberedRow], whole: str, claim: str) -> Iterator[NumberedRow]:
    """The responses of rows after each other, each a record; a column whose cells differ within one becomes a list."""
    for _, group in groupby(lines, lambda line: _shared_key(line, whole)):
        numbered = list(group)
        rows = [row for _, row in numbered if not isinstance(row, str)]
        if len(rows) < len(numbered) or not isinstance(rows[0].get(whole), str):
            yield from numbered
            continue
        response, texts = str(rows[0][whole]), [str(row.get(claim)) for row in rows]
        record: dict[str, object] = {}
        for column in rows[0]:
            cells = [row.get(column) for row in rows]
            if column != claim:
                record[column] = cells[0] if all(cell == cells[0] for cell in cells) else cells
        yield numbered[0][0], {**record, f"{claim}s of {whole}": texts, "claims": claims_of(response, texts)}


def claims_of(response: str, texts: Sequence[str]) -> list[dict[str, object]]:
    """Claims with their place where they stand in the response word by word, each after the one before."""
    claims, begin = list[dict[str, object]](), 0
    for text in texts:
        start = response.find(text, begin)
        start = response.find(text) if start < 0 else start
        if start < 0 or not text:
            claims.append({"text": text})
            continue
        begin = start + len(text)
        claims.append({"text": text, "start": start, "end": begin})
    return claims


def _shared_key(line: NumberedRow, whole: str) -> object:
    """Key that rows of one response share: the response, longer texts such as its document, and who wrote or judged it."""
    number, row = line
    if not isinstance(row, Mapping):
        return number
    response = str(row.get(whole))
    texts = tuple(cell for cell in row.values() if isinstance(cell, str) and len(cell) > len(response))
    return response, texts, tuple(str(row.get(name)) for name in _KEY_NAMES)


_KEY_NAMES = (
    "doc_id",
    "document_id",
    "article_id",
    "response_id",
    "example_id",
    "system",
    "model",
    "annotator",
    "worker_id",
)
