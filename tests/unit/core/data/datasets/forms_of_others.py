"""Records as benchmarks and annotation tools write them, made of a document, a summary and a label."""

from __future__ import annotations

from collections.abc import Callable

DOCUMENT = "The ferry Alma left Kiel at noon on Monday. She carried forty cars, and fog held her back for an hour."
TRUE, FALSE = "The Alma left Kiel at noon.", "The Alma left Kiel at night."

Record = Callable[[int, str, bool], dict[str, object]]


def chat(_: int, summary: str, holds: bool) -> dict[str, object]:
    turns = [("system", "Summarize."), ("user", DOCUMENT), ("assistant", summary)]
    return {"messages": [{"role": role, "content": text} for role, text in turns], "faithful": holds}


def choice(n: int, holds: bool, person: int) -> dict[str, object]:
    value = {"choices": ["consistent" if holds else "inconsistent"]}
    return {
        "id": 100 * n + person,
        "completed_by": person,
        "was_cancelled": False,
        "ground_truth": False,
        "lead_time": 4.2,
        "result": [
            {"id": "a1", "from_name": "verdict", "to_name": "summary", "type": "choices", "value": value},
            {"id": "a2", "from_name": "why", "to_name": "summary", "type": "textarea", "value": {"text": ["Because."]}},
        ],
    }


def label_studio(n: int, summary: str, holds: bool) -> dict[str, object]:
    """A task of the JSON export that two people judged alike and one skipped."""
    skipped = {**choice(n, not holds, 3), "was_cancelled": True}
    return {
        "id": n,
        "data": {"document": DOCUMENT, "summary": summary},
        "annotations": [choice(n, holds, 1), choice(n, holds, 2), skipped],
        "predictions": [],
        "created_at": "2026-01-01T00:00:00Z",
        "project": 3,
    }


USERS = ("8f3c6e1e-0b7e-4a51-9a44-3c1b70f4c0de", "1d2c3b4a-5e6f-4a1b-8c2d-3e4f5a6b7c8d")


def argilla(n: int, summary: str, holds: bool) -> dict[str, object]:
    said = [{"value": "yes" if holds else "no", "user_id": user} for user in USERS]
    return {
        "id": str(n),
        "fields": {"document": DOCUMENT, "summary": summary},
        "metadata": {},
        "suggestions": {"faithful": {"value": "no" if holds else "yes", "score": 0.2, "agent": "model"}},
        "responses": {"faithful": said},
        "vectors": {},
        "status": "completed",
        "_server_id": USERS[0],
    }


def argilla_flattened(n: int, summary: str, holds: bool) -> dict[str, object]:
    return {
        "id": str(n),
        "status": "completed",
        "_server_id": USERS[0],
        "document": DOCUMENT,
        "summary": summary,
        "faithful.responses": ["yes" if holds else "no"] * 2 + ["no" if holds else "yes"],
        "faithful.responses.users": [*USERS, "0"],
        "faithful.responses.status": ["submitted", "submitted", "discarded"],
        "faithful.suggestion": "no" if holds else "yes",
        "faithful.suggestion.score": 0.2,
        "faithful.suggestion.agent": "model",
    }


def argilla_feedback(n: int, summary: str, holds: bool) -> dict[str, object]:
    said = [{"user_id": user, "value": "yes" if holds else "no", "status": "submitted"} for user in USERS]
    return {
        "document": DOCUMENT,
        "summary": summary,
        "faithful": said,
        "faithful-suggestion": "no" if holds else "yes",
        "faithful-suggestion-metadata": {"type": None, "score": None, "agent": None},
        "external_id": str(n),
        "metadata": "{}",
    }


def summeval(n: int, summary: str, holds: bool) -> dict[str, object]:
    marks = {"coherence": 4, "fluency": 5, "relevance": 3}
    return {
        "id": f"dm-test-{n}",
        "decoded": summary,
        "model_id": "M11",
        "text": DOCUMENT,
        "filepath": "cnndm/cnn/stories/1.story",
        "references": ["A reference of the summary."],
        "expert_annotations": [{**marks, "consistency": mark} for mark in (5, 5, 5 if holds else 4)],
        "turker_annotations": [{**marks, "consistency": 1}] * 5,
    }


def mechanical_turk(n: int, summary: str, holds: bool) -> dict[str, object]:
    return {
        "HITId": f"3AB{n}",
        "Title": "Is this summary right?",
        "Description": "Read a text and a summary of it, and say if all of it is right.",
        "AssignmentStatus": "Approved",
        "WorkerId": f"A{n}",
        "Input.document": DOCUMENT,
        "Input.summary": summary,
        "Answer.verdict": "supported" if holds else "not supported",
    }


def potato(n: int, summary: str, holds: bool) -> dict[str, object]:
    """An item of Potato whose two texts were shown side by side under their names."""
    column = '<div name="instance_text" style="float:left;width:50%;" class="column"> <legend> {} </legend> {} </div>'
    shown = "".join(column.format(name, text) for name, text in (("document", DOCUMENT), ("summary", summary)))
    return {
        "id": f"item_{n}",
        "displayed_text": f'<div class="row" style="display: table"> {shown} </div>',
        "label_annotations": {"consistent": {"yes" if holds else "no": "true"}, "why": {"text_box": "Because."}},
        "span_annotations": {},
        "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 4s "},
    }


def potato_table(n: int, summary: str, holds: bool) -> dict[str, object]:
    """The same of a list of texts, as a row of the table of all people."""
    return {
        "user": "ben@lab.example",
        "instance_id": str(n),
        "displayed_text": f"A. {DOCUMENT}<br>B. {summary}",
        "consistent:::yes": "true" if holds else "",
        "consistent:::no": "" if holds else "true",
    }


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
    "Label Studio": label_studio,
    "Label Studio, JSON_MIN": lambda n, summary, holds: {
        "id": n,
        "document": DOCUMENT,
        "summary": summary,
        "verdict": "consistent" if holds else "inconsistent",
        "annotator": 1,
        "annotation_id": n + 5,
        "lead_time": 3.4,
    },
    "Argilla 2": argilla,
    "Argilla 2, flattened": argilla_flattened,
    "Argilla 1": argilla_feedback,
    "SummEval": summeval,
    "Mechanical Turk": mechanical_turk,
    "Potato": potato,
    "Potato, table": potato_table,
    "Potato 2, with its texts": lambda n, summary, holds: {
        "instance_id": f"item_{n}",
        "user_id": "ben",
        "labels": {"faithful": {"yes" if holds else "no": True}},
        "spans": {},
        "links": {},
        "document": DOCUMENT,
        "summary": summary,
    },
    "HaluEval, sampled": lambda _, summary, holds: {
        "knowledge": DOCUMENT,
        "question": "When did the ferry leave?",
        "answer": summary,
        "hallucination": "no" if holds else "yes",
    },
    "HaluBench": lambda n, summary, holds: {
        "id": str(n),
        "passage": DOCUMENT,
        "question": "When did the ferry leave?",
        "answer": summary,
        "label": "PASS" if holds else "FAIL",
        "source_ds": "halueval",
    },
    "XSumFaith": lambda n, summary, holds: {
        "bbcid": n,
        "system": "BERTS2S",
        "document": DOCUMENT,
        "summary": summary,
        "is_factual": "yes" if holds else "no",
    },
    "MultiNLI": lambda n, summary, holds: {
        "annotator_labels": ["entailment" if holds else "contradiction", "neutral"],
        "genre": "travel",
        "gold_label": "entailment" if holds else "contradiction",
        "pairID": f"{n}e",
        "sentence1": DOCUMENT,
        "sentence2": summary,
        "sentence1_binary_parse": "( ( The ferry ) ( left Kiel ) )",
        "sentence2_parse": "(ROOT (S (NP (DT The)) (VP (VBD left))))",
    },
    "chat in parts": lambda _, summary, holds: {
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": DOCUMENT}, {"type": "image_url", "image_url": {}}]},
            {"role": "assistant", "content": [{"type": "text", "text": summary}]},
        ],
        "label": int(holds),
    },
    "ShareGPT": lambda n, summary, holds: {
        "id": f"chat_{n}",
        "conversations": [{"from": "human", "value": DOCUMENT}, {"from": "gpt", "value": summary}],
        "label": int(holds),
    },
    "sentences in objects": lambda _, summary, holds: {
        "document": DOCUMENT,
        "summary": summary,
        "sentences": [
            {"sentence": "She carried cars.", "label": "supported"},
            {"sentence": summary, "label": "supported" if holds else "unsupported"},
        ],
    },
    "German spreadsheet": lambda _, summary, holds: {
        "Dokument": DOCUMENT,
        "Zusammenfassung": summary,
        "korrekt": "WAHR" if holds else "FALSCH",
    },
    **{
        f"{yes} and {no}": lambda _, summary, holds, yes=yes, no=no: {
            "document": DOCUMENT,
            "summary": summary,
            "feedback": yes if holds else no,
        }
        for yes, no in (("👍", "👎"), ("thumbs up", "thumbs down"), ("✓", "✗"), ("passed", "failed"))
    },
}
