"""Records of the annotation tool Potato as flat ones: the texts that were shown together, and what a person answered."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from core.data.datasets.formats.text_files import Row

_SEPARATOR = ":::"  # between question and option, in the table of all people
_BREAK = "<br>"
_FIRST = re.compile(r"(A|0)\. ")
_NEXT = {"A": "B", "0": "1"}
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_CHOSEN = {"true", "on"}


def potato_records(row: Row) -> list[Row] | None:
    """A record of `annotated_instances.jsonl` (one person) or `.tsv` (all), or of the JSONL export with the texts joined to it.

    github.com/davidjurgens/potato. A page of a survey is no item, and a question without an answer says nothing.
    """
    answers = _answers(row)
    if answers is None:
        return None
    id = row.get("id", row.get("instance_id"))
    if str(id).endswith(".html"):
        return []
    who = row.get("user", row.get("user_id"))
    rest = {name: value for name, value in row.items() if name not in _OWN_FIELDS and _SEPARATOR not in name}
    responses: dict[str, object] = {}
    for question, options in answers.items():
        names = [name for name, value in options.items() if value is True or str(value).lower() in _CHOSEN]
        typed = [value for value in options.values() if value not in (None, "", False)]
        # the chosen option, the options where there are several, or what was typed or rated
        if names:
            responses[question] = names[0] if len(names) == 1 else names
        elif typed:
            responses[question] = typed[0]
    shown, texts = row.get("displayed_text"), dict[str, object]()
    # under their headings, two in a list as `text_1` and `text_2`, or any other as it is
    if isinstance(shown, str) and (sections := shown.split("<legend>")[1:]):
        halves = [section.partition("</legend>") for section in sections]
        texts = {_plain(heading): _plain(text) for heading, _, text in halves}
    elif isinstance(shown, str):
        marked = _FIRST.match(shown)
        first, separator, second = shown.partition(f"{_BREAK}{_NEXT[marked[1]]}. " if marked else _BREAK)
        texts = {"text_1": _plain(first[marked.end() if marked else 0 :]), "text_2": _plain(second)}
        if not separator:
            texts = {"displayed_text": _plain(shown)}
    return [{"id": id, **({"annotator": who} if who else {}), **rest, **texts, **responses}]


_OWN_FIELDS = frozenset(
    {
        *("id", "instance_id", "user", "user_id", "displayed_text", "label_annotations", "span_annotations"),
        *("behavioral_data", "labels", "spans", "links", "annotator_origin"),
    }
)


def _answers(row: Row) -> dict[str, Mapping[str, object]] | None:
    """The options of each question; None for a record that is not Potato's."""
    if "displayed_text" in row and any(_SEPARATOR in name for name in row):
        options_by_question = defaultdict[str, dict[str, object]](dict)
        for name, value in row.items():
            question, separator, option = name.partition(_SEPARATOR)
            if separator and value:
                options_by_question[question][option] = value
        return {**options_by_question}
    if {"instance_id", "user_id", "labels"} <= row.keys():
        labels = row["labels"]
    elif "displayed_text" in row:
        labels = row.get("label_annotations")
    else:
        return None
    if not isinstance(labels, dict):
        return None
    return {str(question): options for question, options in labels.items() if isinstance(options, dict)}


def _plain(text: str) -> str:
    return _TAG.sub("", text.replace(_BREAK, "\n")).strip()
