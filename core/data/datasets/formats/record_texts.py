"""The texts in records of other tools: the document among fields of any name, and what was said in a chat."""

from __future__ import annotations

from collections.abc import Mapping

from core.data.datasets.formats.item_stream import FIELD_NAMES

_DOCUMENT_NAMES = (
    *FIELD_NAMES["document"],
    *(
        "passage",
        "source_text",
        "transcript",
        "story",
        "report",
        "content",
        "body",
        "knowledge",
        "evidence",
        "reference_text",
    ),
)


def document_of(values: Mapping[str, object]) -> str:
    """The text of the first field with a name for documents; "" where there is none."""
    spelt = {"_".join(name.lower().split()): value for name, value in values.items()}
    texts = (spelt[name] for name in _DOCUMENT_NAMES if name in spelt)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")


def said_text(value: object) -> str:
    """The text of a message or of what a model returned: a text, its parts, a message, or an object that holds it; "" for none."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(said_text, value)))
    if not isinstance(value, dict):
        return ""
    names = ("content", "text", "output", "answer", "response", "completion", "result", "value", "message", "choices")
    return next((text for name in names if (text := said_text(value.get(name)))), "")


def asked_text(value: object) -> str:
    """The text of an input: of a chat, what the user wrote; of an object, its document or its only text."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return asked_text(value["messages"])
    if isinstance(value, list):
        users = [said_text(part) for part in value if isinstance(part, dict) and part.get("role") in {"user", "human"}]
        return "\n\n".join(filter(None, users)) or said_text(value)
    if isinstance(value, dict):
        texts = [text for text in value.values() if isinstance(text, str)]
        return document_of(value) or (texts[0] if len(texts) == 1 else said_text(value))
    return said_text(value)
