"""Tables as benchmarks and annotation tools write them give their documents, summaries and labels to the importer of any table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.dataset import DATASETS, ImportCounts, strict_items
from core.types import Item, Verdict

DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars, and fog held her back for an hour."
TRUE, FALSE = "The Alma left Kiel at noon.", "The Alma left Kiel at night."

Record = Callable[[int, str, bool], dict[str, object]]


def chat(_: int, summary: str, holds: bool) -> dict[str, object]:
    turns = [("system", "Summarize."), ("user", DOCUMENT), ("assistant", summary)]
    return {"messages": [{"role": role, "content": text} for role, text in turns], "faithful": holds}


FORMS: dict[str, Record] = {
    "VitaminC": lambda n, summary, holds: {
        "unique_id": str(n),
        "claim": summary,
        "evidence": DOCUMENT,
        "page": "Ferry",
        "label": "SUPPORTS" if holds else "REFUTES",
    },
    "FEVER": lambda n, summary, holds: {
        "id": n,
        "claim": summary,
        "evidence": DOCUMENT,
        "label": "SUPPORTED" if holds else "REFUTED",
    },
    "SNLI": lambda n, summary, holds: {
        "pairID": str(n),
        "sentence1": DOCUMENT,
        "sentence2": summary,
        "gold_label": "entailment" if holds else "contradiction",
        "annotator_labels": ["entailment" if holds else "contradiction"],
    },
    "DeepEval": lambda _, summary, holds: {
        "input": "When did the ferry leave?",
        "actual_output": summary,
        "retrieval_context": [DOCUMENT],
        "success": holds,
    },
    "RAGAS": lambda _, summary, holds: {
        "question": "When did the ferry leave?",
        "contexts": [DOCUMENT],
        "answer": summary,
        "faithful": int(holds),
    },
    "doccano": lambda n, summary, holds: {
        "id": n,
        "data": summary,
        "source": DOCUMENT,
        "label": ["consistent" if holds else "inconsistent"],
    },
    "Prodigy": lambda n, summary, holds: {
        "text": summary,
        "document": DOCUMENT,
        "answer": "accept",
        "_input_hash": n,
        "accept": ["CONSISTENT" if holds else "INCONSISTENT"],
    },
    "FACTS": lambda _, summary, holds: {
        "user_request": "Summarize.",
        "context_document": DOCUMENT,
        "full_response": summary,
        "grounded": holds,
    },
    "chat": chat,
    "French": lambda _, summary, holds: {
        "texte source": DOCUMENT,
        "résumé": summary,
        "fidèle": "oui" if holds else "non",
    },
    "German": lambda _, summary, holds: {
        "document": DOCUMENT,
        "summary": summary,
        "consistent": "ja" if holds else "nein",
    },
}


def pairs() -> Iterator[tuple[int, str, bool]]:
    for number in range(6):
        yield number, f"{TRUE if number % 2 else FALSE} Number {number} was said.", bool(number % 2)


def read(path: Path) -> list[Item]:
    return list(strict_items(DATASETS.get("generic")().read(path), ImportCounts()))


@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_others_gives_documents_summaries_and_labels(form: str, tmp_path: Path) -> None:
    path = tmp_path / "others.jsonl"
    path.write_text("".join(f"{json.dumps(FORMS[form](*pair))}\n" for pair in pairs()), encoding="utf-8")
    items = read(path)
    assert [item.example.document for item in items] == [DOCUMENT] * 6
    assert [item.example.summary for item in items] == [summary for _, summary, _ in pairs()]
    assert [item.intended for item in items] == [
        Verdict.CONSISTENT if holds else Verdict.INCONSISTENT for *_, holds in pairs()
    ]


def test_a_table_that_a_spreadsheet_saved_as_unicode_text_is_read_by_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "sheet.tsv"
    lines = ["document\tsummary\tlabel", *(f"{DOCUMENT}\t{summary}\t{int(holds)}" for _, summary, holds in pairs())]
    path.write_text("\n".join(lines), encoding="utf-16")
    assert [item.intended for item in read(path)] == [Verdict.INCONSISTENT, Verdict.CONSISTENT] * 3
