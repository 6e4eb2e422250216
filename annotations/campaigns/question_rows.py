"""The questions of a set as rows of a table that people change, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import yaml  # type: ignore[import-untyped]  # it ships no types

from annotations.campaigns.questions import CampaignQuestion, QuestionSet, read_questions
from annotations.store.records import RecordError

COLUMNS = ("id", "ask", "kind", "options", "low", "high", "of", "when", "required", "ordered", "hint")
"""Columns of a row. `options` is "value = text | value = text", `when` is "question = value, value; question = value"."""


def rows_of_questions(questions: QuestionSet) -> list[dict[str, Any]]:
    """A row for each question."""
    return [
        {
            "id": question.id,
            "ask": question.ask,
            "kind": question.kind,
            "options": _format_options(question),
            "low": question.low,
            "high": question.high,
            "of": question.of,
            "when": _format_conditions(question),
            "required": question.required,
            "ordered": question.ordered,
            "hint": question.hint,
        }
        for question in questions.questions
    ]


def _format_options(question: CampaignQuestion) -> str:
    return " | ".join(f"{option.value} = {option.text}" for option in question.options)


def _format_conditions(question: CampaignQuestion) -> str:
    return "; ".join(f"{name} = {', '.join(values)}" for name, values in question.when.items())


def set_of_rows(base: QuestionSet, rows: Sequence[Mapping[str, Any]], title: str, measure: str) -> str:
    """YAML of a set with these questions, called `own-NAME`; meanings of options stay where question and value do.

    Raises RecordError, which names the question, for rows that make no set.
    """
    before = base.by_id
    data = base.model_dump(mode="json", exclude_defaults=True)
    data |= {
        "name": f"own-{base.name.removeprefix('own-')}",
        "title": title.strip(),
        "measure": measure,
        "questions": [
            _question(row, before.get(_text(row, "id"))) for row in rows if _text(row, "id") or _text(row, "ask")
        ],
    }
    text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)
    read_questions(text)
    return text


def _question(row: Mapping[str, Any], before: CampaignQuestion | None) -> dict[str, Any]:
    id = _text(row, "id")
    if not id:
        raise RecordError(f"The question “{_text(row, 'ask')}” has no id. Give it one, such as is_short.")
    question: dict[str, Any] = {"id": id, "ask": _text(row, "ask"), "kind": _text(row, "kind") or "text"}
    if options := _options(row, before):
        question["options"] = options
    for name in ("low", "high"):
        step = row.get(name)
        if question["kind"] in {"scale", "slider"} and isinstance(step, int | float) and not isnan(step):
            if step != int(step):
                raise RecordError(f"Question {id!r}: {name} is {step}. Give a whole number.")
            question[name] = int(step)
    if question["kind"] == "span":
        question["of"] = _text(row, "of") or "document"
    if conditions := _conditions(row, before):
        question["when"] = conditions
    for name, default in (("required", True), ("ordered", False)):
        if isinstance(row.get(name), bool) and row[name] != default:
            question[name] = row[name]
    return question | ({"hint": _text(row, "hint")} if _text(row, "hint") else {})


def _options(row: Mapping[str, Any], before: CampaignQuestion | None) -> list[dict[str, str]]:
    cell = _text(row, "options")
    if before and cell == _format_options(before).strip():  # a text may have the signs that part them
        return [option.model_dump(exclude_defaults=True) for option in before.options]
    if before and any("|" in f"{option.value}{option.text}" or "=" in option.value for option in before.options):
        raise RecordError(
            f"Question {before.id!r}: an option has | in its text or = in its value, which part options here. "
            "Change its options in the YAML."
        )
    means = {option.value: option.means for option in before.options} if before else {}
    options = []
    for part in filter(None, map(str.strip, cell.split("|"))):
        value, _, text = (side.strip() for side in part.partition("="))
        option = {"value": value, "text": text or value}
        options.append(option | ({"means": means[value]} if means.get(value) else {}))
    return options


def _conditions(row: Mapping[str, Any], before: CampaignQuestion | None) -> dict[str, list[str]]:
    cell = _text(row, "when")
    if before and cell == _format_conditions(before).strip():  # a value may have the signs that part them
        return {name: list(values) for name, values in before.when.items()}
    conditions = {}
    for part in filter(None, map(str.strip, cell.split(";"))):
        name, equals, values = part.partition("=")
        if not equals:
            raise RecordError(f"Question {_text(row, 'id')!r}: when is {part!r}. Write question = answer, answer.")
        conditions[name.strip()] = [value.strip() for value in values.split(",")]
    return conditions


def _text(row: Mapping[str, Any], name: str) -> str:
    cell = row.get(name)
    return cell.strip() if isinstance(cell, str) else ""
