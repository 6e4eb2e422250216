"""Logs of inspect_ai: a `.eval` archive, or the same as one JSON object.

A sample: `input` (a text or messages), `target` (the gold answer), `output` (`completion`), `scores` (name → `value`: C, I, P or N, a number,
or an object of them), `epoch` (a number of the repetition). Long texts are `attachment://KEY` with the text in `attachments`. An archive has
`header.json` and a member of `samples/` for each sample, by default compressed with Zstandard.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

from core.data.datasets.formats.fields import table_number
from core.data.datasets.formats.json_files import whole_object
from core.data.datasets.formats.known_forms import FORMS, HIGHER, SCORE, Form
from core.data.datasets.formats.record_texts import asked_text, document_of, said_text
from core.data.datasets.formats.text_files import MAX_LINE, NumberedRow, Row
from core.errors import TouchstoneError

_FIELDS = frozenset({"id", "epoch", "input", "target", "output"})
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Values of the grades that its scorers give, as inspect_ai counts them."""
_ANSWERS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_ATTACHMENT = "attachment://"
_ZSTANDARD = 93  # of the zip format
_LOCAL_HEADER = 30  # bytes


@FORMS.add
class InspectAI(Form):
    """The model's completion is the summary, each scorer's value a score; a sample of several epochs is a pair for each."""

    name = "inspect_ai"
    title = "a log of inspect_ai"

    def records(self, source: Path) -> Iterator[NumberedRow] | None:
        if zipfile.is_zipfile(source):
            with zipfile.ZipFile(source) as archive:
                members = [member for member in archive.infolist() if _is_sample(member.filename)]
            return _archived_samples(source, members) if members else None
        whole = whole_object(source)
        samples = whole.get("samples")
        if not isinstance(samples, list) or not isinstance(whole.get("eval"), dict):
            return None
        return zip(count(1), [sample for sample in samples if isinstance(sample, dict)], strict=False)

    def matches(self, rows: Sequence[Row]) -> bool:
        return bool(rows) and all(row.keys() >= _FIELDS for row in rows)

    def pairs(self, row: Row) -> list[Row]:
        attachments = row.get("attachments")
        texts = attachments if isinstance(attachments, dict) else {}
        output = row["output"] if isinstance(row["output"], dict) else {}
        summary = said_text(_resolved(output.get("completion"), texts)) or said_text(
            _resolved(output.get("choices"), texts)
        )
        if not summary:
            raise TouchstoneError("This sample has no completion: the model gave no text, or the sample failed.")
        asked = asked_text(_resolved(row["input"], texts))
        metadata = _resolved(row.get("metadata"), texts)
        document = document_of(metadata) if isinstance(metadata, dict) else ""
        scores = row.get("scores")
        return [
            {
                "id": f"{row['id']}/{row['epoch']}",
                "document": document or asked,
                **({"question": asked} if document else {}),
                "summary": summary,
                "system": output.get("model"),
                **_score_columns(scores if isinstance(scores, dict) else {}),
            }
        ]


def _is_sample(member: str) -> bool:
    return member.startswith("samples/") and member.endswith(".json")


def _archived_samples(source: Path, members: Sequence[zipfile.ZipInfo]) -> Iterator[NumberedRow]:
    with source.open("rb") as file, zipfile.ZipFile(file) as archive:
        for number, member in enumerate(members, start=1):
            if member.file_size > MAX_LINE:
                yield number, f"{member.filename} has more than {MAX_LINE:,} bytes."
                continue
            try:
                if member.compress_type == _ZSTANDARD:
                    text = _zstandard_text(source, member)
                else:
                    with archive.open(member) as opened:
                        text = opened.read(MAX_LINE)
                sample = json.loads(text)
            except (ValueError, OSError, RecursionError, zipfile.BadZipFile) as error:
                yield number, f"{member.filename} cannot be read: {error}. Check that the log was copied whole."
                continue
            yield number, sample if isinstance(sample, dict) else f"{member.filename} is no object."


def _zstandard_text(source: Path, member: zipfile.ZipInfo) -> bytes:
    """The content of a member, which the standard library of this Python may not decompress."""
    from io import BytesIO

    from pyarrow import CompressedInputStream

    with source.open("rb") as file:
        file.seek(member.header_offset)
        header = file.read(_LOCAL_HEADER)
        # the lengths of the name and of the extra field that follow the header
        names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        file.seek(names, 1)
        compressed = file.read(member.compress_size)
    with CompressedInputStream(BytesIO(compressed), "zstd") as stream:
        content: bytes = stream.read(MAX_LINE)
    return content


def _resolved(value: object, attachments: Mapping[str, object]) -> object:
    """A value with the texts of its attachments."""
    if isinstance(value, str) and value.startswith(_ATTACHMENT):
        return attachments.get(value.removeprefix(_ATTACHMENT), value)
    if isinstance(value, list):
        return [_resolved(part, attachments) for part in value]
    if isinstance(value, dict):
        return {name: _resolved(part, attachments) for name, part in value.items()}
    return value


def _score_columns(scores: Mapping[str, object]) -> dict[str, object]:
    """A column for each scorer, or for each of the values that it gives at once; words that are no grade are left out."""
    columns: dict[str, object] = {}
    for name, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else score
        for key, part in value.items() if isinstance(value, dict) else [("", value)]:
            graded = str(part) in _GRADES
            number = _GRADES.get(str(part), _ANSWERS.get(str(part).lower(), table_number(part)))
            if number is not None or part is None:
                # correct is better, also by a scorer that is called after an error
                columns[f"{SCORE}{name}{f'.{key}' if key else ''}{HIGHER if graded else ''}"] = (
                    number if number is not None else "n/a"
                )
    return columns
