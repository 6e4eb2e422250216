"""A campaign for Label Studio: a labelling interface for the questions, and tasks with an annotation for each label.

Offsets are code points, as Label Studio counts them in its `Text` tag. What a person answered is one annotation; its
`meta`, and that of each region, names the pseudonym, as `completed_by` must be a user of that server.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from annotations.campaigns.questions import CampaignQuestion, Unit, apply_answer_edit, read_passage
from annotations.exchange.export_format import (
    EXPORT_FORMATS,
    CampaignExport,
    ExportFormat,
    LabelledTask,
    own_column_names,
)
from annotations.results.resolution import Resolution
from core.base import zip_files
from core.stats import SELECTION_PROBABILITY
from core.text import contexts_to_json

_TEXTS: Mapping[Unit, tuple[str, ...]] = {
    "summary": ("document", "summary"),
    "pair": ("document", "left", "right"),
    "explanation": ("document", "left", "right", "explanation"),
}

Region = dict[str, Any]


@EXPORT_FORMATS.add
class LabelStudioFormat(ExportFormat):
    """A zip of `config.xml`, which goes into the settings of a project, and `tasks.json`, which is imported then; a list whose tasks are all in memory."""

    name: ClassVar[str] = "label-studio"
    title: ClassVar[str] = "Label Studio"
    about: ClassVar[str] = (
        "A zip: config.xml for the labelling interface of a project, tasks.json to import, an annotation for each label."
    )
    suffix: ClassVar[str] = "-label-studio.zip"

    def content(self, export: CampaignExport) -> list[bytes]:
        questions, unit = export.questions(), export.campaign.questions.unit
        labelled = export.tasks()
        has_question = any(task.question for task in labelled)
        tasks = [task_record(export, questions, task, has_question=has_question) for task in labelled]
        return [
            zip_files(
                {
                    "config.xml": interface_config(questions, unit, has_question=has_question),
                    "tasks.json": json.dumps(tasks, ensure_ascii=False, allow_nan=False, indent=1),
                }
            )
        ]


def interface_config(questions: Sequence[CampaignQuestion], unit: Unit, *, has_question: bool = False) -> str:
    """The labelling interface, XML: the question of the document, if any, the texts, then a control for each question of the campaign."""
    view = Element("View")
    if has_question:
        SubElement(view, "Header", value="Question")
        SubElement(view, "Text", name="document-question", value="$document_question")
    for name in _TEXTS[unit]:
        SubElement(view, "Header", value=name.capitalize())
        SubElement(view, "Text", name=name, value=f"${name}")
    for question in questions:
        shown = view
        for name, values in question.when.items():
            condition = {"whenTagName": name, "whenChoiceValue": ",".join(values)}
            shown = SubElement(shown, "View", {"visibleWhen": "choice-selected", **condition})
        SubElement(shown, "Header", value=question.ask)
        _add_controls(shown, question, unit)
    indent(view)
    return tostring(view, encoding="unicode") + "\n"


def _add_controls(view: Element, question: CampaignQuestion, unit: Unit) -> None:
    named = {"name": question.id, "toName": "document", "required": str(question.required).lower()}
    match question.kind:
        case "choice" | "several":
            choices = SubElement(view, "Choices", named, choice="single" if question.kind == "choice" else "multiple")
            for option in question.options:
                SubElement(choices, "Choice", value=option.value, hint=option.text)
        case "scale" | "slider":
            if _is_rating(question):
                SubElement(view, "Rating", named, maxRating=str(question.high))
            else:
                SubElement(view, "Number", named, min=str(question.low), max=str(question.high))
        case "span":
            sides = ("summary",) if unit == "summary" else ("left", "right")
            for text in ("document",) if question.of == "document" else sides:
                _add_labels(view, f"{question.id}-{text}", text, *(question.values or (question.id,)))
        case "link":
            _add_labels(view, f"{question.id}-claim", "summary", "claim")
            _add_labels(view, f"{question.id}-evidence", "document", "evidence")
            SubElement(SubElement(view, "Relations"), "Relation", value="evidence")
        case "text" | "edit" | "ranking" | "best-worst" | "soft":
            SubElement(view, "TextArea", named)


def _is_rating(question: CampaignQuestion) -> bool:
    """True if its steps are stars, which Label Studio counts from 1."""
    return question.kind == "scale" and question.low >= 1


def _add_labels(view: Element, name: str, text: str, *labels: str) -> None:
    box = SubElement(view, "Labels", name=name, toName=text)
    for label in labels:
        SubElement(box, "Label", value=label)


def task_record(
    export: CampaignExport, questions: Sequence[CampaignQuestion], task: LabelledTask, *, has_question: bool
) -> dict[str, Any]:
    """A task of Label Studio, JSON-able; with `has_question` it has the question of its document. The decision of an adjudicator is an annotation that is `ground_truth`."""
    sides = {"left": task.original, "right": task.summary, "summary": task.summary}
    all_texts = {"document": task.document, "explanation": task.explanation, **sides}
    texts, resolved = {name: all_texts[name] for name in _TEXTS[export.campaign.questions.unit]}, task.resolved
    annotations = [
        {
            "result": list(_regions(questions, texts, label.answers, f"{task.number}-{place}", label.pseudonym)),
            "lead_time": label.active_ms / 1000,
            "was_cancelled": False,
            "ground_truth": False,
            "meta": {
                "person": label.pseudonym,
                "version": label.version,
                "mode": label.mode,
                **export.verdicts(label.answers),
            },
        }
        for place, label in enumerate(resolved.labels, start=1)
    ]
    if resolved.resolution is Resolution.ADJUDICATED:
        result = list(_regions(questions, texts, resolved.answers, f"{task.number}-0", "adjudicated"))
        annotations.append(
            {"result": result, "was_cancelled": False, "ground_truth": True, "meta": {"adjudicated": True}}
        )

    contexts = [{"name": name, "start": start, "end": end} for name, start, end in contexts_to_json(task.contexts)]
    data = {
        "error_type": task.error_type,
        "contexts": contexts,
        SELECTION_PROBABILITY: task.selection_probability,
    }
    question = {"document_question": task.question} if has_question else {}
    shown = {**texts, **{name: value for name, value in data.items() if value}, **question}
    own = own_column_names(task.columns, {*shown, *data})
    return {
        "id": task.number,
        "meta": {  # before the texts, by which our own importer knows the file
            "campaign": export.campaign.name,
            "item_id": resolved.item,
            "resolution": resolved.resolution.value,
            **export.verdicts(resolved.answers),
            "answers": resolved.answers,
        },
        "data": {**shown, **{name: task.columns[column] for column, name in own.items()}},
        "annotations": annotations,
    }


def _regions(
    questions: Sequence[CampaignQuestion],
    texts: Mapping[str, str],
    answers: Mapping[str, Any],
    prefix: str,
    person: str,
) -> Iterator[Region]:
    """Regions of the answers of a person, question by question; the ids of an annotation's regions are its own."""
    for question in questions:
        if question.id in answers:
            regions = _answer_regions(question, texts, answers[question.id], f"{prefix}-{question.id}")
            for number, region in enumerate(regions):
                defaults = {"id": f"{prefix}-{question.id}-{number}", "meta": {"text": [person]}}
                yield region if region["type"] == "relation" else defaults | region


def _answer_regions(question: CampaignQuestion, texts: Mapping[str, str], answer: Any, prefix: str) -> Iterator[Region]:
    match question.kind:
        case "choice" | "several":
            yield _whole_text(question, "choices", answer if isinstance(answer, list) else [answer])
        case "ranking" | "best-worst":
            yield _whole_text(question, "textarea", answer, "text")
        case "soft":
            shares = [f"{value}: {share} %" for value, share in zip(question.values, answer, strict=True)]
            yield _whole_text(question, "textarea", shares, "text")
        case "scale" | "slider":
            yield _whole_text(question, "rating" if _is_rating(question) else "number", answer)
        case "text" | "edit":
            text = apply_answer_edit(texts["summary"], answer) if question.kind == "edit" else answer
            yield _whole_text(question, "textarea", [text], "text")
        case "span":
            for passage in (read_passage(question, piece) for piece in answer):
                name = passage.side or question.of
                label = passage.category or question.id
                yield _passage(f"{question.id}-{name}", name, texts[name], (passage.start, passage.end), label)
        case "link":
            for number, link in enumerate(answer):
                yield from _link_regions(question, texts, link, f"{prefix}-{number}")


def _link_regions(
    question: CampaignQuestion, texts: Mapping[str, str], link: Mapping[str, Any], prefix: str
) -> Iterator[Region]:
    """The claim, its evidence, and the relation from the one to the other."""
    for end, text in (("claim", "summary"), ("evidence", "document")):
        region = _passage(f"{question.id}-{end}", text, texts[text], link[end], end)
        yield {**region, "id": f"{prefix}-{end}"}
    yield {
        "type": "relation",
        "from_id": f"{prefix}-claim",
        "to_id": f"{prefix}-evidence",
        "direction": "right",
        "labels": ["evidence"],
    }


def _whole_text(question: CampaignQuestion, kind: str, value: Any, key: str = "") -> Region:
    return {"from_name": question.id, "to_name": "document", "type": kind, "value": {key or kind: value}}


def _passage(control: str, name: str, text: str, span: Sequence[int], label: str) -> Region:
    start, end = span
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    return {"from_name": control, "to_name": name, "type": "labels", "value": value}
