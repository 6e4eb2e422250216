"""Logs of inspect_ai: archives and JSON, texts that are attachments, grades and several epochs."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from tests.unit.core.data.datasets.tool_exports.form_files import (
    DOCUMENT,
    FALSE,
    TRUE,
    items_of,
    looks_like,
    refusals_of,
    scores,
    texts,
    whole,
)

KEY = "0123456789abcdef"


def sample(n: int, epoch: int, answer: str, grade: object) -> dict[str, object]:
    return {
        "id": n,
        "epoch": epoch,
        "input": f"attachment://{KEY}",
        "target": "A gold summary.",
        "messages": [],
        "output": {"model": "m1", "choices": [], "completion": answer},
        "scores": {"grounded": {"value": grade, "answer": answer}, "parts": {"value": {"overlap": 0.5, "length": 7}}},
        "metadata": {},
        "attachments": {KEY: DOCUMENT},
    }


SAMPLES = [sample(1, 1, TRUE, "C"), sample(1, 2, FALSE, "I"), sample(2, 1, TRUE, "P")]


def archive(path: Path, samples: list[dict[str, object]], method: int) -> Path:
    with zipfile.ZipFile(path, "w", method) as file:
        for record in samples:
            file.writestr(f"samples/{record['id']}_epoch_{record['epoch']}.json", json.dumps(record))
        file.writestr("header.json", "{}")
    return path


def log(samples: list[dict[str, object]]) -> dict[str, object]:
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "ferries"},
        "plan": {},
        "samples": samples,
        "reductions": [{}],
    }


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, None])
def test_an_archive_and_json_give_the_same_pairs(method: int | None, tmp_path: Path) -> None:
    path = whole(tmp_path, log(SAMPLES)) if method is None else archive(tmp_path / "log.eval", SAMPLES, method)
    items = items_of(path)
    assert looks_like(path) == "a log of inspect_ai"
    assert texts(items) == [(DOCUMENT, TRUE), (DOCUMENT, FALSE), (DOCUMENT, TRUE)]
    assert [item.example.id for item in items] == ["1/1", "1/2", "2/1"]
    assert [scores(item) for item in items] == [{"grounded": grade, "parts.overlap": 0.5} for grade in (1.0, 0.0, 0.5)]
    assert {(item.system, item.intended) for item in items} == {("m1", None)}


def test_members_compressed_with_zstandard_are_read(tmp_path: Path) -> None:
    """As inspect_ai writes them; the library of this Python does not, so the member is put in by hand."""
    path = archive(tmp_path / "log.eval", SAMPLES[:1], zipfile.ZIP_STORED)
    text = json.dumps(SAMPLES[0]).encode()
    packed = pa.Codec("zstd").compress(text, asbytes=True)
    content = path.read_bytes().replace(text, packed)
    number, size = b"\x00\x00", len(text).to_bytes(4, "little")
    before = content.index(size + size)
    for place in (before, content.index(size + size, before + 8)):
        # the method stands 10 bytes before the two sizes
        method = b"\x5d\x00"
        assert content[place - 10 : place - 8] == number
        content = (
            content[: place - 10]
            + method
            + content[place - 8 : place]
            + len(packed).to_bytes(4, "little")
            + content[place + 4 :]
        )
    shorter = len(text) - len(packed)
    end = content.rindex(b"PK\x05\x06")
    start = int.from_bytes(content[end + 16 : end + 20], "little") - shorter
    path.write_bytes(content[: end + 16] + start.to_bytes(4, "little") + content[end + 20 :])
    moved = path.read_bytes()
    header = moved.index(b"PK\x01\x02", moved.index(b"PK\x01\x02") + 4)
    offset = int.from_bytes(moved[header + 42 : header + 46], "little") - shorter
    path.write_bytes(moved[: header + 42] + offset.to_bytes(4, "little") + moved[header + 46 :])
    assert texts(items_of(path)) == [(DOCUMENT, TRUE)]


def test_a_sample_that_failed_is_refused_and_the_others_are_read(tmp_path: Path) -> None:
    failed = {**sample(3, 1, "", None), "error": {"message": "timeout"}}
    path = whole(tmp_path, log([*SAMPLES, failed]))
    [reason] = refusals_of(path)
    assert "no completion" in reason


def test_correct_is_better_also_of_a_scorer_that_is_called_after_an_error(tmp_path: Path) -> None:
    graded = [{**record, "scores": {"hallucination": {"value": "C"}}} for record in SAMPLES]
    assert scores(items_of(whole(tmp_path, log(graded)))[0]) == {"hallucination": 1.0}
