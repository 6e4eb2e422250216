"""The language model's verdict on trivial edits, beside the rule's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.edits.editing.editor import Editor
from core.edits.editing.trivial import TrivialityJudgement, TrivialKind, trivial_kind
from core.errors import UnscorableError
from core.types import Edit, Example, Span
from tests.drive import drive
from tests.unit.core.models.llm.scripted import serving, text

SUMMARY = "The harbour was closed on Tuesday."
EDIT = Edit(Span(26, 33), "Friday", "The document says Tuesday.")


@pytest.fixture(autouse=True)
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # where no .env is
    monkeypatch.setenv("TOUCHSTONE_PROMPTS_DIR", "")
    monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "tiny")


def judged(monkeypatch: pytest.MonkeyPatch, *texts: str, edit: Edit = EDIT) -> tuple[TrivialityJudgement, list[Any]]:
    script = iter(texts)
    with serving(lambda _path, _body: text(next(script))) as endpoint:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", endpoint.url)
        opinion: TrivialityJudgement = drive(
            Editor().triviality_conversation(Example("pair", "A document.", SUMMARY), edit).rounds()
        )
    return opinion, [body for _, body in endpoint.asked]


@pytest.mark.parametrize(("said", "kind"), [*((kind.value, kind) for kind in TrivialKind), ("other", None)])
def test_a_model_names_one_of_the_four_kinds_or_none(
    monkeypatch: pytest.MonkeyPatch, said: str, kind: TrivialKind | None
) -> None:
    opinion, _ = judged(monkeypatch, f'{{"kind": "{said}", "because": "Tuesday became Friday."}}')
    assert (opinion.kind, opinion.because) == (kind, "Tuesday became Friday.")
    assert opinion.by.startswith("tiny|prompt:trivial@1#")


def test_it_reads_the_summary_and_the_words_and_not_the_document_nor_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    _, [body] = judged(monkeypatch, '{"kind": "other", "because": "So."}')
    user = body["messages"][1]["content"]
    assert body["temperature"] == 0
    for name, words in {"summary": SUMMARY, "original_text": "Tuesday", "replace_text": "Friday"}.items():
        assert f"<{name}-" in user
        assert f">\n{words}\n</{name}-" in user
    assert "A document." not in user


def test_the_model_may_say_another_thing_than_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    opinion, _ = judged(monkeypatch, '{"kind": "other", "because": "So."}')
    assert (trivial_kind(EDIT, SUMMARY), opinion.kind) == (TrivialKind.DATE, None)


def test_a_deletion_can_be_judged_too(monkeypatch: pytest.MonkeyPatch) -> None:
    opinion, _ = judged(monkeypatch, '{"kind": "other", "because": "So."}', edit=Edit(Span(22, 33), ""))
    assert opinion.kind is None


def test_an_unknown_kind_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnscorableError, match=r"kind: Input should be 'date', 'number'"):
        judged(monkeypatch, *['{"kind": "harmless", "because": "So."}'] * 2)
