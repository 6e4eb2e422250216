"""Examples of good and bad edits come into the prompt of an editor and into its signature."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.edits import Editor, read_edit_examples
from core.errors import TouchstoneError
from core.types import Example

GOOD = {
    "kind": "good",
    "original_text": "in May",
    "replace_text": "after the flood",
    "explanation": "It was before it.",
}
BAD = {"kind": "bad", "original_text": "1911", "replace_text": "1912", "why": "A changed year is found at a glance."}


def written(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_good_examples_come_first(tmp_path: Path) -> None:
    text = read_edit_examples(written(tmp_path / "e.jsonl", BAD, GOOD))
    assert text.index("Like these:") < text.index('"replace_text": after the flood') < text.index("Not like these:")
    assert text.endswith('"why": A changed year is found at a glance.')


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([{**GOOD, "kind": "fine"}], "line 1: kind is 'fine'. It is good or bad."),
        ([GOOD, {**BAD, "replace_text": " "}], "line 2: replace_text is empty"),
        ([{**GOOD, "explanation": "x" * 30_000}], "20,000 is the most"),
        (
            [{**GOOD, "explanaton": "It was before."}],
            "line 1: explanaton is no field of an example. Its fields are kind",
        ),
        ([{**GOOD, "replace_text": ["after"]}], "line 1: The field 'replace_text' must be a text; got list"),
    ],
)
def test_rows_that_are_no_examples_are_said(rows: list[object], error: str, tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match=error):
        read_edit_examples(written(tmp_path / "e.jsonl", *rows))


def test_the_model_sees_them_and_the_signature_has_their_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "editor-1")
    shown = read_edit_examples(written(tmp_path / "e.jsonl", GOOD, {**BAD, "why": "Not {{document}} again."}))
    plain, taught, other = Editor(), Editor(examples=shown), Editor(examples=shown + ".")
    assert len({plain.signature, taught.signature, other.signature}) == 3
    [question] = next(taught.propose_conversation(Example("a", "A document.", "A summary.")).rounds())
    assert "after the flood" in str(question.inputs)
    assert "{ {document} }" in str(question.inputs)
