"""Exports of six tools, of texts of our own, as files that somebody drops on the import dialog."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars, and fog held her back for an hour."
TRUE, FALSE = "The Alma left Kiel at noon.", "The Alma left Kiel at night."
TEXTS = (TRUE, FALSE)
_PEOPLE = ("kim", "ben")


def label_studio(folder: Path) -> Path:
    """Choices whose names do not say which of them is consistent."""
    region = {"from_name": "check", "to_name": "summary", "type": "choices"}
    tasks = [
        {
            "id": number,
            "data": {"document": DOCUMENT, "summary": text},
            "annotations": [
                {"completed_by": person, "result": [{**region, "value": {"choices": [choice]}}]} for person in (1, 2)
            ],
        }
        for number, (text, choice) in enumerate(zip(TEXTS, ("A", "B"), strict=True), start=1)
    ]
    return _whole(folder / "ls-project.json", tasks)


def prodigy_spans(folder: Path) -> Path:
    spans = [{"start": 23, "end": 28, "token_start": 5, "token_end": 5, "label": "TIME"}]
    tasks = [
        {
            "text": text,
            "meta": {"document": DOCUMENT},
            "_input_hash": number,
            "_task_hash": number,
            "_view_id": "spans_manual",
            "spans": [] if text == TRUE else spans,
            "answer": "accept",
            "_timestamp": 1_700_000_000,
            "_annotator_id": f"spans-{person}",
            "_session_id": f"spans-{person}",
        }
        for number, text in enumerate(TEXTS)
        for person in _PEOPLE
    ]
    return _lines(folder / "prodigy-spans.jsonl", tasks)


def argilla(folder: Path) -> Path:
    records = [
        {
            "id": f"r{number}",
            "status": "completed",
            "fields": {"document": DOCUMENT, "summary": text},
            "metadata": {"system": "m1"},
            "suggestions": {},
            "responses": {"faithful": [{"value": value, "user_id": f"u-{person}"} for person in _PEOPLE]},
            "vectors": {},
            "_server_id": f"s{number}",
        }
        for number, (text, value) in enumerate(zip(TEXTS, ("yes", "no"), strict=True))
    ]
    return _whole(folder / "argilla-records.json", records)


def doccano(folder: Path) -> Path:
    records = [
        {"id": number, "text": text, "document": DOCUMENT, "label": [name], "Comments": []}
        for number, (text, name) in enumerate(zip(TEXTS, ("faithful", "hallucinated"), strict=True))
    ]
    return _lines(folder / "doccano.jsonl", records)


def qualtrics(folder: Path) -> Path:
    """Responses of two people, each to two rounds of a loop."""
    known = {"StartDate": "2026-01-01", "EndDate": "2026-01-01", "Status": "IP Address", "Progress": "100"}
    known |= {"Finished": "True", "RecordedDate": "2026-01-01 10:05:01"}
    answers = {
        f"{number}_{name}": value
        for number, (text, verdict) in enumerate(zip(TEXTS, ("faithful", "hallucinated"), strict=True), start=1)
        for name, value in (("document", DOCUMENT), ("summary", text), ("verdict", verdict))
    }
    rows = [{**known, "ResponseId": f"R_{person}", **answers} for person in _PEOPLE]
    path = folder / "survey.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerow({name: f"Question of {name}" for name in rows[0]})
        writer.writerow({name: f'{{"ImportId":"{name}"}}' for name in rows[0]})
        writer.writerows(rows)
    return path


def inspect_log(folder: Path) -> Path:
    path = folder / "ferries.eval"
    with zipfile.ZipFile(path, "w") as archive:
        for number, (text, grade) in enumerate(zip(TEXTS, ("C", "I"), strict=True), start=1):
            record = {
                "id": number,
                "epoch": 1,
                "input": DOCUMENT,
                "target": "A gold summary.",
                "messages": [],
                "output": {"model": "m1", "choices": [], "completion": text},
                "scores": {"grounded": {"value": grade, "answer": text}},
                "metadata": {},
            }
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(record))
        archive.writestr("header.json", "{}")
    return path


TOOL_EXPORTS: tuple[Callable[[Path], Path], ...] = (
    label_studio,
    prodigy_spans,
    argilla,
    doccano,
    qualtrics,
    inspect_log,
)


def _whole(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def _lines(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path
